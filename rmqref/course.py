"""The course of a thread while the fault table stays as it is: where its sends go, read off the list and not sent.

Between two changes of the fault table a send depends on one number alone, the *position* that the thread's counter
stands at in the queue list. So each position has one send and one position after it, and a thousand sends are that
arrow followed a thousand times. `Course` follows it in powers of two: the arrows of two sends are those of one send
taken twice, those of four are those of two taken twice, and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rmqref.errors import MQBrokerException, SendException
from rmqref.model import MessageQueue
from rmqref.releases import Release
from rmqref.selection import retry_pick_walking
from rmqref.strategy import select_by_filters

Queue = tuple[str, int]
"""Broker name and queue id."""


class Reply(NamedTuple):
    """What an attempt comes to.

    Args:
        took: until its outcome is known, in milliseconds.
        thrown: what it throws, or None for an answer that means stored.
        stored: whether the broker stores the message, also where the answer is too late.
    """

    took: int
    thrown: SendException | None = None
    stored: bool = True


@dataclass(slots=True)
class Sent:
    """One send.

    Args:
        attempts: the queues that were tried, in order.
        stored: those where the message was stored.
        took: until the application heard of the outcome, in milliseconds.
        first_failed: whether its first attempt failed.
        failed: whether the application got an exception.
    """

    attempts: list[Queue] = field(default_factory=list)
    stored: list[Queue] = field(default_factory=list)
    took: int = 0
    first_failed: bool = False
    failed: bool = True


Pick = Callable[[str | None, bool], MessageQueue]
"""Picks a queue: knows the broker of the attempt before, and whether this is a retry."""
Answer = Callable[[str, int], Reply]
"""What an attempt at a broker comes to that is given so many milliseconds."""


def send_loop(
    row: Release, pick: Pick, answer: Answer, timeout: int = 3000, retries: int = 2
) -> Generator[tuple[MessageQueue, Reply], None, Sent]:
    """Make one synchronous send, attempt by attempt; who takes the attempts lets the time pass.

    Args:
        row: the client's release.
        pick: picks the queue of an attempt.
        answer: says what an attempt comes to.
        timeout: of the send in milliseconds.
        retries: attempts after the first.

    Yields:
        Each attempt as it begins: the queue, and what it will come to.

    Returns:
        The send.

    Java: DefaultMQProducerImpl#sendDefaultImpl, all releases.

    >>> from rmqref.releases import release
    >>> queues = iter([MessageQueue("T", "broker-a", 0), MessageQueue("T", "broker-b", 1)])
    >>> down = {"broker-a": Reply(1, SendException("refused"), stored=False), "broker-b": Reply(5)}
    >>> sending = send_loop(release("4.9.7"), lambda *_: next(queues), lambda name, left: down[name])
    >>> made(sending)
    Sent(attempts=[('broker-a', 0), ('broker-b', 1)], stored=[('broker-b', 1)], took=6, first_failed=True, failed=False)
    """
    sent = Sent()
    mq: MessageQueue | None = None
    for times in range(1 + retries):
        mq = pick(None if mq is None else mq.broker_name, times > 0)
        left = row.time_budget(timeout, sent.took)
        if left is None:
            break
        reply = answer(mq.broker_name, left)
        queue = mq.broker_name, mq.queue_id
        sent.attempts.append(queue)
        if reply.stored:
            sent.stored.append(queue)
        yield mq, reply
        sent.took += reply.took
        if reply.thrown is None:
            sent.failed = False
            break
        sent.first_failed = True
        if isinstance(reply.thrown, MQBrokerException) and reply.thrown.response_code not in row.retry_codes:
            break
    return sent


def made(sending: Generator[tuple[MessageQueue, Reply], None, Sent]) -> Sent:
    """Return a send, made without waiting."""
    while True:
        try:
            next(sending)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # StopIteration is not generic


# ------------------------------------------------------------------------------------------- one send from a position


@dataclass(frozen=True, slots=True)
class Planned:
    """What the next send comes to from one position of the counter.

    Args:
        position: where the counter stands after it.
        moved: by how much the counter moved, 1 or more.
        sent: the send.
    """

    position: int
    moved: int
    sent: Sent


@dataclass(frozen=True, slots=True)
class Stop:
    """A position from which the next send changes the fault table, and so has to be made.

    Args:
        after: how long from its begin it changes nothing yet, in milliseconds.
    """

    after: int


def sends_without_table(row: Release, queues: Sequence[Queue], send: Callable[[Pick], Sent]) -> list[Planned]:
    """Return what each send comes to with the fault switch off, with its retries.

    Args:
        row: the client's release.
        queues: the queue list.
        send: makes a send with a way to pick.

    Returns:
        One element a position.

    Java: TopicPublishInfo#selectOneMessageQueue(String), all releases.

    >>> from rmqref.releases import release
    >>> pair = [("broker-a", 0), ("broker-b", 0)]
    >>> [plan.position for plan in sends_without_table(release("4.9.7"), pair, lambda pick: Sent())]
    [0, 1]
    """
    size = len(queues)
    elements = [MessageQueue("", name, queue_id) for name, queue_id in queues]
    beyond = distances(size, lambda at: queues[at][0] != queues[(at + 1) % size][0])
    walks_a_copy = row.retry_pick is retry_pick_walking

    def plan(start: int) -> Planned:
        moved = 0

        def pick(last_broker_name: str | None, _reset_index: bool) -> MessageQueue:
            nonlocal moved
            at = (start + moved + 1) % size
            passed: int | None = 0
            if queues[at][0] == last_broker_name:
                ends_in = beyond[at]
                passed = None if ends_in is None else ends_in + 1
            if passed is None:  # no other broker: a first pick after the walk
                moved += 2 if walks_a_copy else size + 1
                return elements[(start + moved) % size]
            moved += 1 if walks_a_copy else 1 + passed
            return elements[(at + passed) % size]

        sent = send(pick)
        return Planned((start + moved) % size, moved, sent)

    return [plan(start) for start in range(size)]


def sends_with_table(
    row: Release,
    queues: Sequence[Queue],
    filters: Sequence[Callable[[str], bool]],
    reply_of: Callable[[str], Reply | Stop],
) -> list[Planned | Stop]:
    """Return what each send comes to with the fault switch on, as far as it leaves the fault table as it is.

    Args:
        row: the client's release.
        queues: the queue list.
        filters: whether a first pick takes a broker's queues; each is tried on the whole list if those before it
            took nothing.
        reply_of: what an attempt there comes to; a stop if it changes the table.

    Returns:
        One element a position.

    Java: MQFaultStrategy#selectOneMessageQueue, all releases.

    >>> from rmqref.releases import release
    >>> trio = [("broker-a", 0), ("broker-b", 0), ("broker-b", 1)]
    >>> for name in ("4.9.7", "5.3.3"):
    ...     plans = sends_with_table(release(name), trio, ["broker-b".__eq__], lambda name: Reply(5))
    ...     print([(plan.position, plan.sent.attempts[0][1]) for plan in plans])
    [(1, 0), (2, 1), (0, 0)]
    [(1, 0), (2, 1), (1, 0)]
    """
    size = len(queues)
    taken, lists = first_taken({name for name, _ in queues}, filters)
    if not taken:
        return [Stop(0)] * size
    replies = {name: reply_of(name) for name in taken}
    until = distances(size, lambda at: queues[at][0] in taken)
    counts = row.select is select_by_filters
    singles = [Sent([queue], [queue], failed=False) for queue in queues]

    def plan(start: int) -> Planned | Stop:
        first = (start + 1) % size
        passed = until[first]
        assert passed is not None
        landed = (first + passed) % size
        reply = replies[queues[landed][0]]
        if isinstance(reply, Stop):
            return reply
        sent = singles[landed]
        sent.took = reply.took
        return Planned(landed, lists * size + 1 + passed, sent) if counts else Planned(first, 1, sent)

    return [plan(start) for start in range(size)]


def first_taken(
    names: Collection[str], filters: Sequence[Callable[[str], bool]]
) -> tuple[frozenset[str], int]:
    """Return the brokers that the first filter takes that takes any, and how many filters took none before.

    >>> first_taken(["broker-a", "broker-b"], ["broker-c".__eq__, "broker-b".__eq__])
    (frozenset({'broker-b'}), 1)
    """
    for at, accepts in enumerate(filters):
        taken = frozenset(filter(accepts, names))
        if taken:
            return taken, at
    return frozenset(), len(filters)


def distances(size: int, holds: Callable[[int], bool]) -> list[int | None]:
    """Return how far it is from each position of a ring to the next one for which something holds.

    Args:
        size: of the ring.
        holds: the test of a position.

    Returns:
        Steps, 0 where it holds; None everywhere if it never does.

    >>> distances(4, lambda at: at == 1), distances(2, lambda at: False)
    ([1, 0, 3, 2], [None, None])
    """
    found: list[int | None] = [None] * size
    distance: int | None = None
    for at in range(2 * size - 1, -1, -1):
        distance = 0 if holds(at % size) else None if distance is None else distance + 1
        found[at % size] = distance
    return found


# ----------------------------------------------------------------------------------------------- many sends in one leap


class Arrows(NamedTuple):
    """What a power of two of sends does, by the position from which they start.

    *Late* is by how much a send ends after the next one is due; negative if before. The sends before them left the
    thread `late`; after them it is `max(late + longer, least)`.

    Args:
        to: the position afterwards; -1 if one of the sends is a stop.
        moved: by how much the counter moved.
        longer: how much later the thread is if it never waited.
        least: how late it is at least.
    """

    to: list[int]
    moved: list[int]
    longer: list[int]
    least: list[int]


def twice(arrows: Arrows) -> Arrows:
    """Return what twice as many sends do.

    >>> twice(Arrows([1, 0], [1, 3], [-5, 8], [-5, 8]))
    Arrows(to=[0, 1], moved=[4, 4], longer=[3, 3], least=[8, 3])
    """
    to, moved, longer, least = arrows
    doubled = Arrows([], [], [], [])
    for start, middle in enumerate(to):
        reached = middle >= 0 and to[middle] >= 0
        doubled.to.append(to[middle] if reached else -1)
        doubled.moved.append(moved[start] + moved[middle] if reached else 0)
        doubled.longer.append(longer[start] + longer[middle] if reached else 0)
        doubled.least.append(max(least[start] + longer[middle], least[middle]) if reached else 0)
    return doubled


@dataclass(slots=True)
class Place:
    """Where a thread stands between two sends.

    Args:
        position: of its counter in the list.
        due: when its next send is due, in ticks.
        late: by how much the send before ended after that, in ticks; negative if before.
        moved: by how much the counter moved since the place was taken.
        made: how many sends were made since.
    """

    position: int
    due: int
    late: int
    moved: int = 0
    made: int = 0

    @property
    def ended(self) -> int:
        """Return when the send before ended, in ticks."""
        return self.due + self.late

    @property
    def begins(self) -> int:
        """Return when the next send begins, in ticks."""
        return self.due + max(self.late, 0)


class Course:
    """Where the sends of any thread go while nothing changes.

    A *tick* is a fraction of a millisecond in which every due time is a whole number.

    Args:
        plans: one element a position: the send from there, or a stop.
        pace: from one send of a thread to the next, in ticks.
        ticks: how many a millisecond has.

    >>> sends = [Sent([("broker-a", n)], took=5, failed=False) for n in range(3)]
    >>> course = Course([Planned((n + 1) % 3, 1, sends[(n + 1) % 3]) for n in range(3)], pace=10, ticks=1)
    >>> place = Place(0, due=0, late=0)
    >>> course.leap(place, most=1_000_000, before=5_000_000)
    >>> place.made, place.position, place.ended
    (500000, 2, 4999995)
    >>> sorted(times for _, times in course.sends())
    [166666, 166667, 166667]
    """

    def __init__(self, plans: Sequence[Planned | Stop], pace: int, ticks: int) -> None:
        self.plans = plans
        self.pace = pace
        self.ticks = ticks
        longer = [plan.sent.took * ticks - pace if isinstance(plan, Planned) else 0 for plan in plans]
        self._arrows = [
            Arrows(
                [plan.position if isinstance(plan, Planned) else -1 for plan in plans],
                [plan.moved if isinstance(plan, Planned) else 0 for plan in plans],
                longer,
                longer,
            )
        ]
        self.furthest = max(self._arrows[0].moved, default=0)
        self._taken: list[Counter[int]] = [Counter()]

    def leap(self, place: Place, most: int, before: int, *, counted: bool = True) -> None:
        """Make as many sends as end in time, up to the next stop.

        Args:
            place: where the thread stands; it is moved on.
            most: how many sends at most.
            before: the last one ends before this time, in ticks.
            counted: whether they are counted in `sends`.
        """
        power = 0
        while self._jump(power, place, most, before, counted):
            power += 1
        for lower in reversed(range(power)):
            self._jump(lower, place, most, before, counted)

    def _jump(self, power: int, place: Place, most: int, before: int, counted: bool) -> bool:
        times = 1 << power
        if place.made + times > most:
            return False
        if power == len(self._arrows):
            self._arrows.append(twice(self._arrows[-1]))
            self._taken.append(Counter())
        arrows, start = self._arrows[power], place.position
        due = place.due + times * self.pace
        late = max(place.late + arrows.longer[start], arrows.least[start])
        if arrows.to[start] < 0 or due + late >= before:
            return False
        if counted:
            self._taken[power][start] += 1
        place.position, place.due, place.late = arrows.to[start], due, late
        place.moved += arrows.moved[start]
        place.made += times
        return True

    def stop_at(self, place: Place) -> Stop | None:
        """Return the stop at a place, or None."""
        plan = self.plans[place.position]
        return plan if isinstance(plan, Stop) else None

    def steps(self, place: Place, times: int) -> Iterator[Sent]:
        """Make so many sends one by one, none of them a stop, and yield each once `place` is where it ends.

        Args:
            place: where the thread stands; it is moved on.
            times: how many sends.
        """
        for _ in range(times):
            plan = self.plans[place.position]
            assert isinstance(plan, Planned)
            self.leap(place, place.made + 1, NEVER)
            yield plan.sent

    def sends(self) -> Iterator[tuple[Sent, int]]:
        """Yield each send that was counted, and how many times it was made."""
        taken = [Counter(counts) for counts in self._taken]
        for power in range(len(taken) - 1, 0, -1):
            to = self._arrows[power - 1].to
            for start, times in taken[power].items():
                taken[power - 1][start] += times
                taken[power - 1][to[start]] += times
        for start, times in taken[0].items():
            plan = self.plans[start]
            assert isinstance(plan, Planned)
            yield plan.sent, times


NEVER = 1 << 80
"""A time after all others, in ticks."""
