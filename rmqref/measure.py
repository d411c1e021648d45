"""What is measured, as data: shares per queue, retries, avoidance over time, thresholds, the ranking.

Every function runs the release's own rules on a situation and counts; `rmqref.plots` draws what they return.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from rmqref import faults as f
from rmqref.errors import RmqRefError
from rmqref.java import shuffle
from rmqref.releases import release
from rmqref.situation import Desk, Fault, Send, Situation
from rmqref.strategy import select_one_message_queue, update_fault_item

Share = Counter[tuple[str, int]]
"""How often each queue was picked, by broker name and queue id; queues that were never picked have 0."""

DAY = 86_400_000
"""Milliseconds for which `share_with_one_down` keeps the broker avoided."""


class MeasureError(RmqRefError):
    """What is to be measured or drawn is empty or impossible."""


@dataclass(frozen=True, slots=True)
class Landings:
    """Where sends end when one broker fails every first attempt.

    Args:
        release: the client's release.
        broker_name: the broker that fails.
        first: sends that ended with their first attempt, by broker name and queue id.
        second: sends whose first attempt failed, by the queue of their second attempt.
    """

    release: str
    broker_name: str
    first: Share
    second: Share

    @property
    def failed(self) -> int:
        """Return how many first attempts failed."""
        return self.second.total()

    @property
    def ends(self) -> Share:
        """Return all sends by the queue of their last attempt."""
        ends = Counter(self.first)
        ends.update(self.second)
        return ends


@dataclass(frozen=True, slots=True)
class Span:
    """A time in which a broker is avoided.

    Args:
        start: milliseconds after the situation's time.
        end: milliseconds after the situation's time; None if no later time ends it.
    """

    start: int
    end: int | None


@dataclass(frozen=True, slots=True)
class Availability:
    """When a broker is avoided, under a sequence of sends.

    Args:
        release: the client's release.
        broker_name: the broker.
        sends: the sends to it, in order.
        spans: the times in which it is avoided, in order; none touches the next.
    """

    release: str
    broker_name: str
    sends: tuple[Send, ...]
    spans: tuple[Span, ...]

    @property
    def avoided_for(self) -> int | None:
        """Return for how many milliseconds in all it is avoided; None if there is no end."""
        ends = [(span.end, span.start) for span in self.spans]
        return None if any(end is None for end, _ in ends) else sum((end or 0) - start for end, start in ends)


@dataclass(frozen=True, slots=True)
class Steps:
    """How long a broker is avoided after a send, as a step function of the send's latency.

    Args:
        release: the client's release.
        steps: pairs of the latency in milliseconds from which a step holds, rising, and the time avoided in
            milliseconds; the first begins at 0.
        isolation_latency: the latency in milliseconds that is looked up for a failure.
        isolation_duration: the time avoided in milliseconds that is found for it.
    """

    release: str
    steps: tuple[tuple[int, int], ...]
    isolation_latency: int
    isolation_duration: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry of the fault table as the ranking sees it.

    Args:
        broker_name: the broker.
        latency: how long its last send took, in milliseconds.
        available: whether it may be picked now.
        avoided_for: for how long from now it is avoided, in milliseconds; 0 or less once it is over.
    """

    broker_name: str
    latency: int
    available: bool
    avoided_for: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """The fallback's ranking of the fault table.

    Args:
        release: the client's release.
        brokers: the route's brokers and those known only to the fault table, in the order of the queue list.
        entries: best to worst.
        half: how many of the best the rotation takes turns among, at least 1.
        taken: the broker that it takes next.
    """

    release: str
    brokers: tuple[str, ...]
    entries: tuple[Ranked, ...]
    half: int
    taken: str


def retry_landings(
    situation: Situation, broker_name: str, releases: Iterable[str], sends: int
) -> tuple[Landings, ...]:
    """Return where sends end when a broker fails every first attempt, release by release.

    Each send is a first pick; if that is on the failing broker, a retry pick follows at once and the send
    ends there. One thread makes all of them. The fault table stays as the situation has it.

    Args:
        situation: route, start and switch; its own release, sends and last broker do not count.
        broker_name: the broker that fails.
        releases: the clients' releases.
        sends: how many sends.

    Returns:
        One element a release, in the order given.

    Raises:
        MeasureError: no release, no send, or a broker without a queue.
        UnknownRelease: no such release.

    Java: MQFaultStrategy#selectOneMessageQueue as called by DefaultMQProducerImpl, all releases.

    >>> pair = Situation(route=(("b1", 4), ("b2", 4)))
    >>> [landings.ends["b2", 0] for landings in retry_landings(pair, "b1", ["4.7.1", "4.8.0"], 800)]
    [401, 200]
    """
    return tuple(_landings(situation, broker_name, name, sends) for name in _named(releases))


def _landings(situation: Situation, broker_name: str, name: str, sends: int) -> Landings:
    desk = _desk(situation, broker_name, name, sends)
    queues = _queues(desk)
    landings = Landings(desk.row.version, broker_name, _none_of(queues), _none_of(queues))
    for _ in range(sends):
        mq = select_one_message_queue(desk.strategy, desk.topic)
        ends_at = landings.first
        if mq.broker_name == broker_name:
            mq = select_one_message_queue(desk.strategy, desk.topic, broker_name)
            ends_at = landings.second
        ends_at[mq.broker_name, mq.queue_id] += 1
    return landings


def share_by_release(situation: Situation, releases: Iterable[str], picks: int) -> dict[str, Share]:
    """Return the share per queue in one situation, release by release.

    Args:
        situation: the situation; its own release does not count.
        releases: the clients' releases.
        picks: how many picks.

    Returns:
        Shares by release, in the order given.

    Raises:
        MeasureError: no release or no pick.
        UnknownRelease: no such release.

    >>> shares = share_by_release(Situation(start=2**31 - 2), ["4.8.0", "4.9.4"], 1200)
    >>> {name: share["broker-a", 0] for name, share in shares.items()}
    {'4.8.0': 600, '4.9.4': 100}
    """
    if picks < 1:
        raise MeasureError("plot.error.times", times=picks)
    return {release(name).version: situation.but(release=name).share(picks) for name in _named(releases)}


def share_with_one_down(
    situation: Situation, broker_name: str, releases: Iterable[str], picks: int
) -> dict[str, Share]:
    """Return the share per queue with the fault switch on and one broker avoided all the time.

    Args:
        situation: route, start and the fault table's other rows; its own release, switch, sends and last
            broker do not count.
        broker_name: the broker that is avoided.
        releases: the clients' releases.
        picks: how many picks, one thread's first picks.

    Returns:
        Shares by release, in the order given.

    Raises:
        MeasureError: no release, no pick, or a broker without a queue.
        UnknownRelease: no such release.

    Java: MQFaultStrategy#selectOneMessageQueue, all releases (issue 5672).

    >>> shares = share_with_one_down(Situation(), "broker-a", ["4.9.4", "5.3.3"], 12000)
    >>> {name: share["broker-b", 0] for name, share in shares.items()}
    {'4.9.4': 5000, '5.3.3': 1500}
    """
    others = tuple(fault for fault in situation.faults if fault.broker_name != broker_name)
    down = situation.but(
        last_broker_name=None,
        fault_switch=True,
        faults=(*others, Fault(broker_name, 3000, avoided_for=DAY)),
        sends=(),
        pick_at=None,
        calls=1,
        chain=False,
        reset_index=False,
    )
    shares = {}
    for name in _named(releases):
        row = _desk(down, broker_name, name, picks).row
        shares[row.version] = down.but(release=name).share(picks)
    return shares


def availability(situation: Situation, broker_name: str, releases: Iterable[str]) -> tuple[Availability, ...]:
    """Return when a broker is avoided under the sends, release by release, with the fault switch on.

    Args:
        situation: the sends, and the fault table before them; its own release and switch do not count.
        broker_name: the broker.
        releases: the clients' releases.

    Returns:
        One element a release, in the order given.

    Raises:
        MeasureError: no release, or a broker with neither a send nor an entry in the fault table.
        UnknownRelease: no such release.

    Java: LatencyFaultToleranceImpl#isAvailable after each MQFaultStrategy#updateFaultItem, all releases.

    >>> sends = (Send("broker-a", 3000, failed=True), Send("broker-a", 12, at=2000))
    >>> [lane.spans for lane in availability(Situation(sends=sends), "broker-a", ["4.9.4", "5.3.3"])]
    [(Span(start=0, end=2000),), (Span(start=0, end=10000),)]
    """
    known = {send.broker_name for send in situation.sends} | {fault.broker_name for fault in situation.faults}
    if broker_name not in known:
        raise MeasureError("plot.error.no_send", broker=broker_name)
    return tuple(_availability(situation, broker_name, name) for name in _named(releases))


def _availability(situation: Situation, broker_name: str, name: str) -> Availability:
    desk = situation.but(release=name, fault_switch=True).prepare()
    own = tuple(send for send in situation.sends if send.broker_name == broker_name)
    spans: list[Span] = []
    for start, send, until in zip(
        [0, *(send.at for send in own)], [None, *own], [*(send.at for send in own), None], strict=True
    ):
        desk.clock.now = situation.now + start
        if send is not None:
            update_fault_item(desk.strategy, broker_name, send.latency, send.failed, send.reachable)
        span = _avoided(desk, broker_name, start, situation.now, until)
        if span is None or span.end == start:
            continue
        if spans and spans[-1].end == start:
            span = Span(spans.pop().start, span.end)
        spans.append(span)
    return Availability(desk.row.version, broker_name, own, tuple(spans))


def _avoided(desk: Desk, broker_name: str, start: int, now: int, until: int | None) -> Span | None:
    """Return the time from `start` in which the entry as it stands is avoided, cut off at the next send."""
    tolerance = desk.strategy.latency_fault_tolerance
    item = tolerance.fault_item_table.get(broker_name)
    if item is None or f.is_available(tolerance, broker_name):
        return None
    ends = tolerance.is_available_item(item, item.start_timestamp)
    end = item.start_timestamp - now if ends else until
    return Span(start, end if end is None or until is None else min(end, until))


def threshold_steps(releases: Iterable[str]) -> tuple[Steps, ...]:
    """Return how long a broker is avoided after a send of any latency, release by release.

    Args:
        releases: the clients' releases.

    Returns:
        One element a release, in the order given.

    Raises:
        MeasureError: no release.
        UnknownRelease: no such release.

    Java: MQFaultStrategy#latencyMax, #notAvailableDuration and #computeNotAvailableDuration, all releases.

    >>> [(steps.steps[3], steps.isolation_duration) for steps in threshold_steps(["4.9.4", "5.3.3"])]
    [((550, 30000), 600000), ((550, 2000), 10000)]
    """

    def steps_of(name: str) -> Steps:
        row = release(name)
        tables = row.latency_max, row.not_available_duration
        steps = {start: f.compute_not_available_duration(start, *tables) for start in (0, *row.latency_max)}
        isolation = f.compute_not_available_duration(row.isolation_latency, *tables)
        return Steps(row.version, tuple(steps.items()), row.isolation_latency, isolation)

    return tuple(steps_of(name) for name in _named(releases))


def _shuffled(faults: f.LatencyFaultTolerance) -> list[f.FaultItem]:
    items = list(faults.fault_item_table.values())
    shuffle(items, faults.random)
    return items


def _as_held(faults: f.LatencyFaultTolerance) -> list[f.FaultItem]:
    return list(faults.fault_item_table.values())


_BEFORE_SORTING: dict[
    Callable[[f.LatencyFaultTolerance], str | None],
    Callable[[f.LatencyFaultTolerance], list[f.FaultItem]],
] = {f.pick_one_at_least_shuffled: _shuffled, f.pick_one_at_least_ranked: _as_held}
"""The order in which a variant of `pick_one_at_least` hands its entries to the sort; it decides ties."""


def ranking(situation: Situation) -> Ranking:
    """Return how the fallback ranks the situation's fault table, and the broker that it takes next.

    Args:
        situation: the fault table, the sends noted in it, the fallback's counter and the time of the picks;
            the switch does not count.

    Returns:
        The ranking at the time of the picks.

    Raises:
        MeasureError: the fault table is empty, or the release does not rank (from 5.1.4).
        IndexOutOfBoundsException: the rotating counter is negative (4.8.0 .. 4.9.3).

    Java: LatencyFaultToleranceImpl#pickOneAtLeast, 4.0.0-incubating .. 5.1.3.

    >>> faults = (Fault("broker-a", 700, 20000), Fault("broker-b", 600, 9000), Fault("broker-c", 900, 30000))
    >>> board = ranking(Situation("4.9.4", faults=faults))
    >>> [entry.broker_name for entry in board.entries], board.half, board.taken
    (['broker-b', 'broker-a', 'broker-c'], 1, 'broker-b')
    """
    noted = situation.but(fault_switch=True)
    desk, other = _noted(noted), _noted(noted)
    tolerance = desk.strategy.latency_fault_tolerance
    before_sorting = _BEFORE_SORTING.get(desk.row.pick_one_at_least)
    if before_sorting is None:
        raise MeasureError("plot.error.unranked", release=desk.row.version)
    taken = desk.row.pick_one_at_least(other.strategy.latency_fault_tolerance)
    if taken is None:
        raise MeasureError("plot.error.no_entry")
    now = desk.clock.now
    entries = tuple(
        Ranked(
            item.name,
            item.current_latency,
            tolerance.is_available_item(item, now),
            item.start_timestamp - now,
        )
        for item in f.ranked(tolerance, before_sorting(tolerance))
    )
    brokers = dict.fromkeys(mq.broker_name for mq in desk.topic.message_queue_list)
    brokers |= dict.fromkeys(sorted(entry.broker_name for entry in entries))
    return Ranking(desk.row.version, tuple(brokers), entries, max(len(entries) // 2, 1), taken)


def _noted(situation: Situation) -> Desk:
    """Return fresh objects with the situation's sends noted and the clock at the picks."""
    desk = situation.prepare()
    for send in situation.sends:
        desk.clock.now = situation.now + send.at
        update_fault_item(desk.strategy, send.broker_name, send.latency, send.failed, send.reachable)
    if situation.pick_at is not None:
        desk.clock.now = situation.now + situation.pick_at
    return desk


def _named(releases: Iterable[str]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(release(name).version for name in releases))
    if not names:
        raise MeasureError("plot.error.no_release")
    return names


def _desk(situation: Situation, broker_name: str, name: str, times: int) -> Desk:
    if times < 1:
        raise MeasureError("plot.error.times", times=times)
    desk = replace(situation, release=name).prepare()
    if broker_name not in {mq.broker_name for mq in desk.topic.message_queue_list}:
        raise MeasureError("plot.error.no_queue", broker=broker_name)
    return desk


def _queues(desk: Desk) -> list[tuple[str, int]]:
    return [(mq.broker_name, mq.queue_id) for mq in desk.topic.message_queue_list]


def _none_of(queues: list[tuple[str, int]]) -> Share:
    return Counter(dict.fromkeys(queues, 0))
