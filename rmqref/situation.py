"""A situation: everything that a pick depends on, as one value that can be changed, picked in, and recorded.

A situation never changes; `prepare` makes fresh objects from it every time, so the same situation always gives the
same picks.
"""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from rmqref.errors import SituationError, require
from rmqref.faults import FaultItem
from rmqref.java import JavaRandom, ManualClock
from rmqref.model import MessageQueue, TopicPublishInfo, TopicRouteData
from rmqref.releases import Release, release, route_of
from rmqref.strategy import MQFaultStrategy, select_one_message_queue, update_fault_item

NOON = 1_700_000_000_000
"""The time at which situations stand unless told otherwise: milliseconds since 1970, in November 2023."""


MOST_MILLISECONDS = 10**15
"""More milliseconds than any clock of a producer shows, and far from the end of Java's 64-bit long."""

MOST_PICKS = 1_000_000


def require_milliseconds(what: str, value: object, least: int = 0) -> None:
    """Refuse what is no time in milliseconds.

    Raises:
        SituationError: it is no whole number, negative where it may not be, or beyond `MOST_MILLISECONDS`.
    """
    require(what, value, int)
    assert isinstance(value, int)
    if value < least:
        raise SituationError("error.negative", what=what, value=value)
    if value > MOST_MILLISECONDS:
        raise SituationError("error.time", what=what, value=value, most=MOST_MILLISECONDS)


@dataclass(frozen=True, slots=True)
class Fault:
    """A row of the fault table, told from now.

    Args:
        broker_name: the broker.
        latency: how long its last send took, in milliseconds.
        avoided_for: for how long from now it is still avoided, in milliseconds; negative once it is over.
        reachable: whether it answered last time (used from 5.1.4).

    Raises:
        SituationError: the latency is negative.

    >>> Fault("broker-a", 700, avoided_for=21600).item(now=1000).start_timestamp
    22600
    """

    broker_name: str
    latency: int = 0
    avoided_for: int = 0
    reachable: bool = True

    def __post_init__(self) -> None:
        require("broker name", self.broker_name, str)
        require("reachable", self.reachable, bool)
        require_milliseconds("latency", self.latency)
        require_milliseconds("time of avoidance", self.avoided_for, least=-MOST_MILLISECONDS)

    def item(self, now: int) -> FaultItem:
        """Return the entry that Java would hold."""
        return FaultItem(self.broker_name, self.latency, now + self.avoided_for, self.reachable)


@dataclass(frozen=True, slots=True)
class Send:
    """A send that was made before the picks, as the fault table hears of it.

    Args:
        broker_name: the broker that was sent to.
        latency: how long it took, in milliseconds.
        failed: whether it failed; then the release's fixed latency is looked up instead of the measured one.
        reachable: whether the broker can be reached (used from 5.1.4).
        at: when it ended, in milliseconds after the situation's time.

    Raises:
        SituationError: the latency or the time is negative.

    >>> Send("broker-a", 700).failed
    False
    """

    broker_name: str
    latency: int
    failed: bool = False
    reachable: bool = True
    at: int = 0

    def __post_init__(self) -> None:
        require("broker name", self.broker_name, str)
        require("failed", self.failed, bool)
        require("reachable", self.reachable, bool)
        require_milliseconds("latency", self.latency)
        require_milliseconds("time of a send", self.at)


KINDS: tuple[tuple[Any, ...], ...] = (
    ("release", str),
    ("route", TopicRouteData, tuple),
    ("topic", str),
    ("start", int, None),
    ("last_broker_name", str, None),
    ("fault_switch", bool),
    ("faults", tuple),
    ("now", int),
    ("sends", tuple),
    ("pick_at", int, None),
    ("calls", int),
    ("chain", bool),
    ("reset_index", bool),
    ("worst_start", int, None),
    ("seed", int),
)
"""The values of a situation and the classes that each may be of."""


@dataclass(slots=True)
class Desk:
    """Fresh objects made of a situation: what a thread of a producer works with.

    Args:
        row: the release.
        topic: the publish info.
        strategy: the producer's strategy.
        clock: the time.
    """

    row: Release
    topic: TopicPublishInfo
    strategy: MQFaultStrategy
    clock: ManualClock


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that a pick depends on.

    Args:
        release: the client's release.
        route: the topic's route, or pairs of broker name and number of write queues.
        topic: the topic's name.
        start: the raw value stored in the thread's counter before the first pick.
        last_broker_name: the broker that failed last; None before a first attempt.
        fault_switch: `sendLatencyFaultEnable`.
        faults: the fault table, in order of arrival.
        now: the time in milliseconds since 1970.
        sends: sends that are noted in the fault table before the picks; the clock moves on to each.
        pick_at: when the picks are made, in milliseconds after `now`; after the last send if None.
        calls: how many picks are made.
        chain: whether each pick's broker is the last broker of the next.
        reset_index: whether each pick draws a new start first (from 5.1.4, with the switch on).
        worst_start: the raw value stored in the fallback's counter.
        seed: of everything that is left to chance.

    Raises:
        SituationError: a value that no producer can have.
        UnknownRelease: no such release.

    >>> Situation("4.9.4", start=4, last_broker_name="broker-b").pick().broker_name
    'broker-c'
    """

    release: str = "4.9.4"
    route: TopicRouteData | tuple[tuple[str, int], ...] = (("broker-a", 4), ("broker-b", 4), ("broker-c", 4))
    topic: str = "OrderTopic"
    start: int | None = 0
    last_broker_name: str | None = None
    fault_switch: bool = False
    faults: tuple[Fault, ...] = field(default=())
    now: int = NOON
    sends: tuple[Send, ...] = field(default=())
    pick_at: int | None = None
    calls: int = 1
    chain: bool = False
    reset_index: bool = False
    worst_start: int | None = 0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("faults", "sends", "route"):
            if isinstance(getattr(self, name), list):
                object.__setattr__(self, name, tuple(getattr(self, name)))
        for name, *kinds in KINDS:
            require(name, getattr(self, name), *kinds)
        for fault in self.faults:
            require("row of the fault table", fault, Fault)
        for send in self.sends:
            require("send", send, Send)
        require_milliseconds("now", self.now)
        if self.pick_at is not None:
            require_milliseconds("pick_at", self.pick_at)
        if self.calls > MOST_PICKS:
            raise SituationError("error.calls.many", calls=self.calls, most=MOST_PICKS)
        if self.calls < 0 or (self.calls == 0 and not self.sends):
            raise SituationError("error.calls", calls=self.calls)
        times = [send.at for send in self.sends] + ([] if self.pick_at is None else [self.pick_at])
        if times != sorted(times):
            raise SituationError("error.order", times=", ".join(map(str, times)))
        repeated = [name for name, times in Counter(f.broker_name for f in self.faults).items() if times > 1]
        if repeated:
            raise SituationError("error.fault_twice", broker=repeated[0])
        self.prepare()

    def prepare(self) -> Desk:
        """Return fresh objects to pick with."""
        row, chance, clock = release(self.release), JavaRandom(self.seed), ManualClock(self.now)
        # A copy, because expanding a route sorts it in place, as in Java.
        route = deepcopy(self.route) if isinstance(self.route, TopicRouteData) else route_of(self.route)
        topic = row.topic(route, self.topic, random=chance, start=self.start)
        strategy = row.fault_strategy(
            clock=clock,
            random=chance,
            send_latency_fault_enable=self.fault_switch,
            faults=[
                fault.item(self.now) if row.has_reachable else replace(fault, reachable=True).item(self.now)
                for fault in self.faults
            ],
            worst_start=self.worst_start,
        )
        return Desk(row, topic, strategy, clock)

    def run(self, desk: Desk) -> list[MessageQueue]:
        """Note the sends, then make the picks and return them, each as it was when it was made."""
        for send in self.sends:
            desk.clock.now = self.now + send.at
            update_fault_item(desk.strategy, send.broker_name, send.latency, send.failed, send.reachable)
        if self.pick_at is not None:
            desk.clock.now = self.now + self.pick_at
        picks, last_broker_name = [], self.last_broker_name
        for _ in range(self.calls):
            mq = select_one_message_queue(desk.strategy, desk.topic, last_broker_name, self.reset_index)
            picks.append(replace(mq))
            if self.chain:
                last_broker_name = mq.broker_name
        return picks

    def picks(self, calls: int | None = None) -> list[MessageQueue]:
        """Return the queues picked.

        Args:
            calls: how many picks, if other than the situation's.

        Returns:
            Copies, in order.

        Raises:
            ArithmeticException: no queue can be written to.

        >>> [str(mq) for mq in Situation(start=10).picks(3)]
        ['broker-c : 3', 'broker-a : 0', 'broker-a : 1']
        """
        situation = self if calls is None else replace(self, calls=calls)
        return situation.run(situation.prepare())

    def pick(self) -> MessageQueue:
        """Return the first queue picked."""
        return self.picks(1)[0]

    def share(self, calls: int) -> Counter[tuple[str, int]]:
        """Return how often each queue is picked.

        Args:
            calls: how many picks.

        Returns:
            Picks by broker name and queue id; queues that are never picked have 0.

        >>> Situation().share(1200)["broker-a", 0]
        100
        """
        desk = self.prepare()
        counts = Counter({(mq.broker_name, mq.queue_id): 0 for mq in desk.topic.message_queue_list})
        counts.update((mq.broker_name, mq.queue_id) for mq in replace(self, calls=calls).run(desk))
        return counts

    def but(self, **changes: object) -> Situation:
        """Return the situation with some values changed.

        Raises:
            SituationError: a situation has no such value, or cannot have it.

        >>> Situation().but(release="5.3.3").release
        '5.3.3'
        """
        for name in changes:
            if name not in self.__dataclass_fields__:
                raise SituationError("error.field", name=name, names=", ".join(self.__dataclass_fields__))
        return replace(self, **changes)  # type: ignore[arg-type]  # replace checks the names, mypy cannot
