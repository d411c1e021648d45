"""The fault table: what the producer remembers of each broker, and how long it stays away from one.

After every send the producer notes the broker's latency and, by a step function, a time before which the broker is
avoided. A broker without an entry is available. When no broker is available, `pick_one_at_least` names one of the
better half of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cmp_to_key, partial

from rmqref.errors import ArrayIndexOutOfBoundsException, NullPointerException
from rmqref.java import Clock, ConcurrentHashMap, Random, element, remainder, shuffle
from rmqref.model import Index


@dataclass(slots=True)
class FaultItem:
    """One broker's entry.

    Args:
        name: the broker.
        current_latency: how long the last send took, in milliseconds.
        start_timestamp: the broker is available from this time on, in milliseconds since 1970.
        reachable: whether the broker answered last time (used from 5.1.4).
        check_stamp: the detector looks again from this time on (from 5.1.4).

    Java: LatencyFaultToleranceImpl.FaultItem, all releases.
    """

    name: str
    current_latency: int = 0
    start_timestamp: int = 0
    reachable: bool = True
    check_stamp: int = 0


@dataclass(slots=True)
class LatencyFaultTolerance:
    """The fault table and what its release's rules need: the time, chance, and the counter of the fallback.

    Args:
        clock: returns the time now in milliseconds.
        random: the source of chance of `shuffle`.
        which_item_worst: the counter that rotates over the better half, of its own for each thread.
        is_available_item: the release's test of an entry.
        fault_item_table: the entries, in the order of Java's map.

    Java: LatencyFaultToleranceImpl, all releases.
    """

    clock: Clock
    random: Random
    which_item_worst: Index
    is_available_item: Callable[[FaultItem, int], bool]
    fault_item_table: ConcurrentHashMap[str, FaultItem] = field(default_factory=ConcurrentHashMap)


def compute_not_available_duration(
    current_latency: int, latency_max: tuple[int, ...], not_available_duration: tuple[int, ...]
) -> int:
    """Return how long a broker is avoided after a send of this latency.

    The thresholds are tried from the last to the first; the first that the latency reaches decides.

    Args:
        current_latency: milliseconds.
        latency_max: the thresholds in milliseconds, usually seven, rising.
        not_available_duration: one duration in milliseconds for each threshold.

    Returns:
        Milliseconds; 0 below the first threshold.

    Raises:
        ArrayIndexOutOfBoundsException: there are fewer durations than thresholds, and the one asked for is missing.

    Java: MQFaultStrategy#computeNotAvailableDuration, all releases.

    >>> from rmqref import release
    >>> old, new = release("4.9.4"), release("5.3.3")
    >>> [compute_not_available_duration(700, r.latency_max, r.not_available_duration) for r in (old, new)]
    [30000, 2000]
    """
    for level in reversed(range(len(latency_max))):
        if current_latency >= latency_max[level]:
            return array_element(not_available_duration, level)
    return 0


def array_element(array: tuple[int, ...], position: int) -> int:
    """Return an array's element, with the error that Java's arrays have for a missing one.

    Args:
        array: the durations, in milliseconds.
        position: the element's place, from 0.

    Returns:
        The duration there, in milliseconds.

    Raises:
        ArrayIndexOutOfBoundsException: the array has no such position.

    Java: part of MQFaultStrategy#computeNotAvailableDuration, all releases.

    >>> array_element((0, 0, 30000), 2)
    30000
    """
    if position >= len(array):
        raise ArrayIndexOutOfBoundsException(position, len(array))
    return array[position]


def is_past_start(item: FaultItem, now: int) -> bool:
    """Return whether the clock has reached the entry's start time.

    Args:
        item: a broker's entry.
        now: milliseconds.

    Returns:
        True from the start time on.

    Java: FaultItem#isAvailable, 4.0.0-incubating .. 5.1.3 and 5.2.0 .. 5.3.3.

    >>> is_past_start(FaultItem("broker-a", start_timestamp=1000), 999)
    False
    >>> is_past_start(FaultItem("broker-a", start_timestamp=1000), 1000)
    True
    """
    return now >= item.start_timestamp


def is_reachable_and_past_start(item: FaultItem, now: int) -> bool:
    """Return whether the entry says reachable and the clock has reached its start time.

    Args:
        item: a broker's entry.
        now: milliseconds.

    Returns:
        False as long as the entry says unreachable, however late it is.

    Java: FaultItem#isAvailable, 5.1.4 (issue 7812).

    >>> is_reachable_and_past_start(FaultItem("broker-a", reachable=False), 10**15)
    False
    """
    return item.reachable and now >= item.start_timestamp


def is_available(faults: LatencyFaultTolerance, broker_name: str) -> bool:
    """Return whether a broker may be picked now; a broker without an entry may.

    Args:
        faults: the fault table.
        broker_name: the broker.

    Returns:
        The release's test of its entry.

    Java: LatencyFaultToleranceImpl#isAvailable, all releases.

    >>> from rmqref import release
    >>> strategy = release("4.9.4").fault_strategy(clock=lambda: 1000)
    >>> is_available(strategy.latency_fault_tolerance, "never seen")
    True
    """
    item = faults.fault_item_table.get(broker_name)
    return item is None or faults.is_available_item(item, faults.clock())


def is_reachable(faults: LatencyFaultTolerance, broker_name: str) -> bool:
    """Return whether a broker answered last time; a broker without an entry counts as reachable.

    Args:
        faults: the fault table.
        broker_name: the broker.

    Returns:
        The entry's flag.

    Java: LatencyFaultToleranceImpl#isReachable, 5.1.4 .. 5.3.3.

    >>> from rmqref import release
    >>> is_reachable(release("5.3.3").fault_strategy(clock=lambda: 0).latency_fault_tolerance, "never seen")
    True
    """
    item = faults.fault_item_table.get(broker_name)
    return item is None or item.reachable


def update_overwriting(
    faults: LatencyFaultTolerance, name: str, current_latency: int, duration: int, reachable: bool = True
) -> None:
    """Note a send: latency and start time are overwritten, so a quick reply frees a broker at once.

    Args:
        faults: the fault table.
        name: the broker.
        current_latency: how long the send took, in milliseconds.
        duration: how long to avoid the broker from now, in milliseconds.
        reachable: not known to these releases; left aside.

    Java: LatencyFaultToleranceImpl#updateFaultItem, 4.0.0-incubating .. 5.1.3.

    >>> from rmqref import release
    >>> faults = release("4.9.4").fault_strategy(clock=lambda: 1000).latency_fault_tolerance
    >>> update_overwriting(faults, "broker-a", 700, 30000)
    >>> update_overwriting(faults, "broker-a", 5, 0)
    >>> is_available(faults, "broker-a")
    True
    """
    item = faults.fault_item_table.setdefault(name, FaultItem(name))
    item.current_latency = current_latency
    item.start_timestamp = faults.clock() + duration


def update_extending(
    faults: LatencyFaultTolerance, name: str, current_latency: int, duration: int, reachable: bool = True
) -> None:
    """Note a send: latency and reachability are overwritten, the start time only ever moves later.

    Args:
        faults: the fault table.
        name: the broker.
        current_latency: how long the send took, in milliseconds.
        duration: how long to avoid the broker from now, in milliseconds; 0 changes nothing.
        reachable: whether the broker can be reached.

    Java: LatencyFaultToleranceImpl#updateFaultItem and FaultItem#updateNotAvailableDuration, 5.1.4 .. 5.3.3.

    >>> from rmqref import release
    >>> faults = release("5.3.3").fault_strategy(clock=lambda: 1000).latency_fault_tolerance
    >>> update_extending(faults, "broker-a", 700, 2000)
    >>> update_extending(faults, "broker-a", 5, 0)
    >>> is_available(faults, "broker-a")
    False
    """
    item = faults.fault_item_table.setdefault(name, FaultItem(name))
    item.current_latency = current_latency
    item.reachable = reachable
    if duration > 0:
        item.start_timestamp = max(item.start_timestamp, faults.clock() + duration)


def remove(faults: LatencyFaultTolerance, name: str | None) -> None:
    """Drop a broker from the table; a broker without an entry is no error, but no name is.

    Args:
        faults: the fault table.
        name: the broker, or None where `pick_one_at_least` found nobody.

    Raises:
        NullPointerException: the name is None.

    Java: LatencyFaultToleranceImpl#remove, all releases.

    >>> from rmqref import release
    >>> remove(release("4.9.4").fault_strategy(clock=lambda: 0).latency_fault_tolerance, "never seen")
    """
    if name is None:
        raise NullPointerException("notBestBroker")
    faults.fault_item_table.pop(name, None)


def compare_fault_items(faults: LatencyFaultTolerance, one: FaultItem, other: FaultItem) -> int:
    """Return which of two entries is better: available first, then lower latency, then earlier start time.

    Args:
        faults: the table, for its clock, which is read at each comparison.
        one: an entry.
        other: another entry.

    Returns:
        Negative if `one` is better, positive if `other` is, 0 for a tie (names do not count).

    Java: FaultItem#compareTo, all releases.

    >>> from rmqref import release
    >>> faults = release("4.9.4").fault_strategy(clock=lambda: 1000).latency_fault_tolerance
    >>> compare_fault_items(faults, FaultItem("a", 9, 1000), FaultItem("b", 5, 1001))
    -1
    """

    def rank(item: FaultItem) -> tuple[bool, int, int]:
        available = faults.is_available_item(item, faults.clock())
        return not available, item.current_latency, item.start_timestamp

    return (rank(one) > rank(other)) - (rank(one) < rank(other))


def ranked(faults: LatencyFaultTolerance, items: list[FaultItem]) -> list[FaultItem]:
    """Return entries from best to worst; tied entries keep their order.

    Args:
        faults: the table, for its clock.
        items: the entries.

    Returns:
        A new list.

    Java: Collections#sort over FaultItem#compareTo in LatencyFaultToleranceImpl#pickOneAtLeast,
        4.0.0-incubating .. 5.1.3.

    >>> from rmqref import release
    >>> faults = release("4.9.4").fault_strategy(clock=lambda: 0).latency_fault_tolerance
    >>> [item.name for item in ranked(faults, [FaultItem("a", 9), FaultItem("b", 5)])]
    ['b', 'a']
    """
    return sorted(items, key=cmp_to_key(partial(compare_fault_items, faults)))


def one_of_better_half(faults: LatencyFaultTolerance, best_first: list[FaultItem]) -> str:
    """Return the next broker of the better half of a ranking; with fewer than two entries, the first.

    Args:
        faults: the table, for its counter `which_item_worst`.
        best_first: at least one entry, best first.

    Returns:
        A broker name. Half of an odd number is rounded down, so of three entries the best is always taken.

    Raises:
        IndexOutOfBoundsException: the counter's value is negative (4.8.0 .. 4.9.3, 5.0.0-PREVIEW, 5.0.0-ALPHA).

    Java: part of LatencyFaultToleranceImpl#pickOneAtLeast, 4.0.0-incubating .. 5.1.3.

    >>> from rmqref import release
    >>> faults = release("4.9.4").fault_strategy(clock=lambda: 0).latency_fault_tolerance
    >>> one_of_better_half(faults, [FaultItem("best"), FaultItem("b"), FaultItem("c")])
    'best'
    """
    half = len(best_first) // 2
    if half <= 0:
        return best_first[0].name
    index = faults.which_item_worst.increment_and_get()
    return element(best_first, remainder(index, half)).name


def pick_one_at_least_shuffled(faults: LatencyFaultTolerance) -> str | None:
    """Return a broker of the better half of the table, which is shuffled before it is ranked.

    Args:
        faults: the fault table.

    Returns:
        A broker name, or None for an empty table.

    Raises:
        IndexOutOfBoundsException: the rotating counter is negative (4.8.0 .. 4.9.3, 5.0.0-PREVIEW, 5.0.0-ALPHA).

    Java: LatencyFaultToleranceImpl#pickOneAtLeast, 4.0.0-incubating .. 4.9.3, 5.0.0-PREVIEW, 5.0.0-ALPHA.

    >>> from rmqref import release
    >>> strategy = release("4.7.1").fault_strategy(
    ...     clock=lambda: 0, faults=[FaultItem("a", 9), FaultItem("b", 5)]
    ... )
    >>> pick_one_at_least_shuffled(strategy.latency_fault_tolerance)
    'b'
    """
    items = list(faults.fault_item_table.values())
    if not items:
        return None
    shuffle(items, faults.random)
    return one_of_better_half(faults, ranked(faults, items))


def pick_one_at_least_ranked(faults: LatencyFaultTolerance) -> str | None:
    """Return a broker of the better half of the table; ties stay in the order of Java's map.

    Args:
        faults: the fault table.

    Returns:
        A broker name, or None for an empty table.

    Java: LatencyFaultToleranceImpl#pickOneAtLeast, 4.9.4 .. 4.9.8, 5.0.0 .. 5.1.3 (pull request 3986).

    >>> from rmqref import release
    >>> strategy = release("4.9.4").fault_strategy(
    ...     clock=lambda: 0, faults=[FaultItem("a", 9), FaultItem("b", 5)]
    ... )
    >>> pick_one_at_least_ranked(strategy.latency_fault_tolerance)
    'b'
    """
    items = list(faults.fault_item_table.values())
    if not items:
        return None
    return one_of_better_half(faults, ranked(faults, items))


def pick_one_at_least_reachable(faults: LatencyFaultTolerance) -> str | None:
    """Return any reachable broker of the shuffled table. The client of these releases no longer calls it.

    Args:
        faults: the fault table.

    Returns:
        A broker name, or None if no entry is reachable.

    Java: LatencyFaultToleranceImpl#pickOneAtLeast, 5.1.4 .. 5.3.3.

    >>> from rmqref import release
    >>> down = [FaultItem("a", reachable=False), FaultItem("b")]
    >>> strategy = release("5.3.3").fault_strategy(clock=lambda: 0, faults=down)
    >>> pick_one_at_least_reachable(strategy.latency_fault_tolerance)
    'b'
    """
    items = list(faults.fault_item_table.values())
    shuffle(items, faults.random)
    return next((item.name for item in items if item.reachable), None)


DETECT_INTERVAL = 2000
"""Milliseconds between two looks at the same broker (`ClientConfig#detectInterval`)."""

DETECT_TIMEOUT = 200
"""Milliseconds that a look may take (`ClientConfig#detectTimeout`)."""


def detect_by_one_round(
    faults: LatencyFaultTolerance,
    resolve: Callable[[str], str | None],
    detect: Callable[[str, int], bool] | None,
) -> None:
    """Look at every broker whose time has come, and mark those that answer as reachable again.

    It never marks one as unreachable and never changes a start time.

    Args:
        faults: the fault table; brokers whose address is unknown are dropped from it.
        resolve: returns a broker's address, or None.
        detect: asks an address with a timeout in milliseconds; None if the client has no detector.

    Java: LatencyFaultToleranceImpl#detectByOneRound, 5.1.4 .. 5.3.3.

    >>> from rmqref import release
    >>> down = [FaultItem("broker-a", reachable=False)]
    >>> faults = release("5.3.3").fault_strategy(clock=lambda: 5000, faults=down).latency_fault_tolerance
    >>> detect_by_one_round(faults, {"broker-a": "10.0.0.1:10911"}.get, lambda address, timeout: True)
    >>> is_reachable(faults, "broker-a")
    True
    """
    for item in list(faults.fault_item_table.values()):
        if faults.clock() >= item.check_stamp:
            item.check_stamp = faults.clock() + DETECT_INTERVAL
            address = resolve(item.name)
            if address is None:
                remove(faults, item.name)
            elif detect is not None and detect(address, DETECT_TIMEOUT):
                item.reachable = True
