"""What-if: what a producer's sends come to while a broker is slow or down, before, during and after.

Most sends leave the fault table as it is. They are not made one by one: `rmqref.course` says where they go. Made are
only the sends that change the table, with the release's own functions, and what else happens in that moment. So a
million sends take as long as what changes in them, and the counts are those of making each one.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from rmqref.cluster import REFUSAL, BrokerFault, check_kind, check_time
from rmqref.course import (
    NEVER,
    Course,
    Place,
    Planned,
    Queue,
    Reply,
    Sent,
    Stop,
    distances,
    first_taken,
    made,
    send_loop,
    sends_with_table,
    sends_without_table,
)
from rmqref.errors import (
    JavaException,
    MQBrokerException,
    MQClientException,
    RemotingConnectException,
    RemotingTimeoutException,
    RmqRefError,
    shortened,
)
from rmqref.faults import compute_not_available_duration, is_available, is_reachable, update_overwriting
from rmqref.index import MaskedIndex, RawSeedIndex
from rmqref.java import INT_MAX, INT_MIN, JavaRandom, ManualClock
from rmqref.messages import text
from rmqref.model import MessageQueue, ResponseCode, TopicRouteData
from rmqref.releases import Release, release, route_of
from rmqref.route import MOCK_BROKER_PREFIX
from rmqref.route_report import who_is_left_out
from rmqref.selection import first_pick
from rmqref.sending import STORED, Verdict
from rmqref.situation import NOON
from rmqref.strategy import (
    not_best_broker,
    passes_available_filter,
    passes_reachable_filter,
    select_by_filters,
    select_one_message_queue,
    update_fault_item,
)

KNOWN_FAULTS = ("refuse", "hang", "slow", "code")
"""What can go wrong with a broker here; the route stays as it is."""

MOST_THREADS = 1000
MOST_SENDS = 10_000_000
MOST_DURATION = 86_400_000
MOST_RETRIES = 16


class ForecastError(RmqRefError):
    """The facts do not fit each other, or name what is not there."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a producer and its brokers.

    The threads send in turn, evenly; a thread whose send takes longer than its pace makes the next one late.

    Args:
        release: the client's release.
        route: the topic's route, or pairs of broker name and number of queues.
        fault_switch: whether `sendLatencyFaultEnable` is on.
        threads: how many threads send.
        rate: how many messages all of them send in a second.
        duration: for how long, in milliseconds.
        faults: what goes wrong, of the kinds in `KNOWN_FAULTS`.
        latency: how long a broker's answer takes when all is well, in milliseconds.
        timeout: of a send, in milliseconds.
        retries: attempts after the first.
        start: the raw value stored in every thread's counter before its first pick; None for random starts.
        seed: of everything that is left to chance.
        topic: the topic's name.
        timer_delay: how long after its time a timeout is noticed, in milliseconds. With 0, as in the simulation, a
            release whose attempts share the time makes another attempt with 0 ms left, and marks one broker more;
            clients' logs mostly show 1 or more.

    Raises:
        ForecastError: a fault at a broker without a queue or of another kind, or a number beyond what is counted.
        ScenarioError: a value of a kind that it cannot have.
        UnknownRelease: no such release.
        JavaException: the route makes no list.

    >>> Facts("4.9.7", (("broker-a", 4), ("broker-b", 4)), rate=500, duration=2000).sends
    1000
    """

    release: str = "4.9.7"
    route: TopicRouteData | tuple[tuple[str, int], ...] = (("broker-a", 4), ("broker-b", 4), ("broker-c", 4))
    fault_switch: bool = False
    threads: int = 1
    rate: int = 100
    duration: int = 60_000
    faults: tuple[BrokerFault, ...] = ()
    latency: int = 5
    timeout: int = 3000
    retries: int = 2
    start: int | None = None
    seed: int = 0
    topic: str = "OrderTopic"
    timer_delay: int = 1

    def __post_init__(self) -> None:
        for name in ("route", "faults"):
            if isinstance(getattr(self, name), list):
                object.__setattr__(self, name, tuple(getattr(self, name)))
        check_kind("release", self.release, str)
        check_kind("route", self.route, TopicRouteData, tuple)
        check_kind("fault_switch", self.fault_switch, bool)
        for what, value, least, most in (
            ("threads", self.threads, 1, MOST_THREADS),
            ("rate", self.rate, 1, MOST_SENDS),
            ("duration", self.duration, 1, MOST_DURATION),
            ("retries", self.retries, 0, MOST_RETRIES),
        ):
            check_kind(what, value, int)
            if not least <= value <= most:
                raise ForecastError("forecast.error.number", what=what, value=value, least=least, most=most)
        if self.sends > MOST_SENDS:
            raise ForecastError("forecast.error.sends", sends=self.sends, most=MOST_SENDS)
        check_time("latency", self.latency)
        check_time("timeout", self.timeout)
        check_time("timer_delay", self.timer_delay)
        check_kind("start", self.start, int, None)
        check_kind("seed", self.seed, int)
        if self.start is not None and not INT_MIN <= self.start <= INT_MAX:
            raise ForecastError("error.start", start=self.start)
        self._check_brokers()

    def _check_brokers(self) -> None:
        names = list(dict.fromkeys(name for name, _ in self.queues()))
        if not names:
            raise ForecastError("forecast.error.empty", topic=self.topic, reasons=self._reasons())
        if any(name.startswith(MOCK_BROKER_PREFIX) for name in names):
            raise ForecastError("forecast.error.static", topic=self.topic)
        for fault in self.faults:
            check_kind("fault", fault, BrokerFault)
            if fault.does not in KNOWN_FAULTS:
                raise ForecastError("forecast.error.does", does=fault.does, known=", ".join(KNOWN_FAULTS))
            if fault.broker not in names:
                known = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
                raise ForecastError(
                    "forecast.error.broker",
                    broker=shortened(fault.broker),
                    known=known,
                    reasons=self._reasons(fault.broker),
                )
            if not isinstance(fault.latency, int):
                raise ForecastError("forecast.error.latency", broker=fault.broker)

    def _reasons(self, broker_name: str | None = None) -> str:
        """Return why the list lacks brokers, or one of them, in words."""
        return " ".join(
            text("route.left_out", said=told.said)
            for told in who_is_left_out(self.data(), ())
            if broker_name is None or told.broker == broker_name
        )

    @property
    def sends(self) -> int:
        """Return how many messages are sent in all."""
        return self.rate * self.duration // 1000

    def data(self) -> TopicRouteData:
        """Return the route, as a copy: expanding one sorts it in place, as in Java."""
        return deepcopy(self.route) if isinstance(self.route, TopicRouteData) else route_of(self.route)

    def queues(self) -> list[Queue]:
        """Return the queue list that the release makes of the route."""
        topic = release(self.release).topic(self.data(), self.topic)
        return [(mq.broker_name, mq.queue_id) for mq in topic.message_queue_list]

    def but(self, **changes: object) -> Facts:
        """Return the facts with some changed.

        Raises:
            ForecastError: there is no such fact, or it cannot have this value.
        """
        for name in changes:
            if name not in self.__dataclass_fields__:
                raise ForecastError(
                    "forecast.error.fact", name=name, known=", ".join(self.__dataclass_fields__)
                )
        return replace(self, **changes)  # type: ignore[arg-type]  # replace checks the names, mypy cannot


@dataclass(slots=True)
class Phase:
    """The sends that begin before, while or after something goes wrong.

    Args:
        name: "before", "during" or "after".
        start: in milliseconds from the start.
        end: when the next phase begins; None for the last one.
        sends: how many sends.
        attempts: how many attempts, by broker name and queue id.
        stored: how many messages the brokers stored.
        first_failed: sends whose first attempt failed.
        failed: sends that ended with an exception.
        duplicates: messages stored beside the first of each send.
        took: what all sends took together, in milliseconds.
        longest: what the longest took, in milliseconds.
    """

    name: str
    start: int
    end: int | None
    sends: int = 0
    attempts: Counter[Queue] = field(default_factory=Counter)
    stored: Counter[Queue] = field(default_factory=Counter)
    first_failed: int = 0
    failed: int = 0
    duplicates: int = 0
    took: int = 0
    longest: int = 0

    def add(self, sent: Sent, times: int = 1) -> None:
        """Count a send that was made so many times."""
        self.sends += times
        for queue in sent.attempts:
            self.attempts[queue] += times
        for queue in sent.stored:
            self.stored[queue] += times
        self.first_failed += times * sent.first_failed
        self.failed += times * sent.failed
        self.duplicates += times * max(len(sent.stored) - 1, 0)
        self.took += times * sent.took
        self.longest = max(self.longest, sent.took)

    @property
    def mean(self) -> float:
        """Return what a send took on average, in milliseconds; 0 without sends."""
        return self.took / self.sends if self.sends else 0.0

    def by_broker(self, counted: Counter[Queue]) -> Counter[str]:
        """Return a count of queues by broker."""
        brokers: Counter[str] = Counter()
        for (name, _), times in counted.items():
            brokers[name] += times
        return brokers


@dataclass(slots=True)
class Forecast:
    """What the sends come to.

    Args:
        facts: the facts.
        queues: the queue list at the start.
        phases: what happened before, during and after; one phase if nothing goes wrong.
        ended: when the last send ended, in milliseconds from the start.
        made: how many sends were made one by one; the others were counted.
    """

    facts: Facts
    queues: list[Queue]
    phases: tuple[Phase, ...]
    ended: int = 0
    made: int = 0

    @property
    def brokers(self) -> list[str]:
        """Return the brokers in the order of the queue list."""
        return list(dict.fromkeys(name for name, _ in self.queues))

    @property
    def rows(self) -> list[Queue]:
        """Return each queue once: those of the list in its order, then those that the fallback made up."""
        used = sorted({queue for phase in self.phases for queue in (*phase.attempts, *phase.stored)})
        return list(dict.fromkeys((*self.queues, *used)))

    def due(self, phase: Phase) -> int:
        """Return how many sends should begin in a phase, whether their threads are free or not."""
        facts = self.facts

        def before(time: int) -> int:
            return min(-(-time * facts.rate // 1000), facts.sends)

        return (facts.sends if phase.end is None else before(phase.end)) - before(phase.start)

    def added(self, phase: Phase) -> float:
        """Return by how much a send of a phase took longer than a good answer, on average in milliseconds."""
        return phase.mean - self.facts.latency if phase.sends else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return it as data that JSON can hold, the same every time."""
        return {
            "release": release(self.facts.release).version,
            "fault_switch": self.facts.fault_switch,
            "sends": self.facts.sends,
            "ended": self.ended,
            "phases": [
                {
                    "phase": phase.name,
                    "start": phase.start,
                    "end": phase.end,
                    "sends": phase.sends,
                    "due": self.due(phase),
                    "stored": [[*queue, phase.stored[queue]] for queue in self.rows],
                    "attempts": [[*queue, phase.attempts[queue]] for queue in self.rows],
                    "first_failed": phase.first_failed,
                    "failed": phase.failed,
                    "duplicates": phase.duplicates,
                    "mean": phase.mean,
                    "longest": phase.longest,
                }
                for phase in self.phases
            ],
        }


def forecast(
    facts: Facts, progress: Callable[[int, int], None] | None = None, *, leaps: bool = True
) -> Forecast:
    """Return what the sends come to.

    Args:
        facts: what is known.
        progress: hears how many sends are done, now and then.
        leaps: whether sends that change nothing are counted instead of made; the result is the same.

    Returns:
        The counts of each phase.

    >>> down = BrokerFault("refuse", "broker-a", at=20_000, until=40_000)
    >>> for name in ("4.7.1", "4.9.7"):
    ...     found = forecast(Facts(name, rate=120, faults=(down,), start=0))
    ...     during = found.phases[1]
    ...     print(name, during.first_failed, [during.stored["broker-b", n] for n in range(4)])
    4.7.1 481 [720, 240, 240, 240]
    4.9.7 300 [300, 300, 300, 300]
    """
    check_kind("facts", facts, Facts)
    return Producer(facts, progress, leaps=leaps).run()


# ------------------------------------------------------------------------------------------------ what happens in time


@dataclass(slots=True)
class Caller:
    """A thread that sends.

    Args:
        number: from 0.
        sends: how many messages it sends in all.
        stored: the raw value of its counter.
        worst: the raw value of its counter of the fallback.
        begun: how many sends it has begun.
        ended: when the send before ended, in milliseconds.
        began: when the running send began.
        sending: the running send, or None between two.
        mq: the queue of the attempt that is on its way.
        reply: what that attempt will come to.
        until: when that is known, in milliseconds.
    """

    number: int
    sends: int
    stored: int | None
    worst: int | None = None
    begun: int = 0
    ended: int = 0
    began: int = 0
    sending: Generator[tuple[MessageQueue, Reply], None, Sent] | None = None
    mq: MessageQueue | None = None
    reply: Reply | None = None
    until: int = 0


class Producer:
    """A producer's threads on one clock, with one fault table and one queue list.

    Args:
        facts: what is known.
        progress: hears how many sends are done.
        leaps: whether sends that change nothing are counted instead of made.
    """

    def __init__(self, facts: Facts, progress: Callable[[int, int], None] | None, *, leaps: bool) -> None:
        self.facts, self.progress, self.leaps = facts, progress, leaps
        self.row: Release = release(facts.release)
        self.clock = ManualClock(NOON)
        chance = JavaRandom(facts.seed)
        self.topic = self.row.topic(facts.data(), facts.topic, random=chance, start=facts.start)
        self.strategy = self.row.fault_strategy(
            clock=self.clock, random=chance, send_latency_fault_enable=facts.fault_switch
        )
        self.table = self.strategy.latency_fault_tolerance
        self.result = Forecast(facts, facts.queues(), phases_of(facts))
        self.brokers = self.result.brokers
        self.borders = sorted({0} | {time for fault in facts.faults for time in (fault.at, fault.until or 0)})
        threads = facts.threads
        self.callers = [
            Caller(number, (facts.sends - number + threads - 1) // threads, facts.start)
            for number in range(min(threads, facts.sends))
        ]
        self.events: list[tuple[int, int]] = []
        for caller in self.callers:
            self.wait(caller)
        self.horizon = -1
        self.course: Course | None = None
        self.courses: dict[object, tuple[Phase, Course]] = {}
        self.told: dict[str, tuple[int, int]] = {}
        self.heard: dict[str, tuple[int, int, int]] = {}
        self.counted = 0
        self.idle = self.patience = 0
        self.without_walk = leaps and facts.fault_switch
        self.until: dict[frozenset[str], list[int | None]] = {}
        route = self.topic.topic_route_data
        assert route is not None
        self.masters = {data.broker_name for data in route.broker_datas if data.has_master}
        self.writable = {data.broker_name for data in route.queue_datas if data.is_writable}

    # -- time

    def run(self) -> Forecast:
        """Make all sends and return what they came to."""
        done = 0
        while self.events:
            at, number = self.events[0]
            if at >= self.horizon:
                self.settle()
                if self.leaps:
                    self.look_ahead(at)
            heapq.heappop(self.events)
            caller = self.callers[number]
            self.clock.now = NOON + at
            if caller.sending is not None:
                self.attempt_ends(caller, at)
            elif not self.leap(caller):
                self.send_begins(caller, at)
            if self.progress is not None and self.result.made + self.counted >= done + PROGRESS_STEP:
                done = self.result.made + self.counted
                self.progress(done, self.facts.sends)
        self.settle()
        for phase, course in self.courses.values():
            for sent, times in course.sends():
                phase.add(sent, times)
        if self.progress is not None:
            self.progress(self.facts.sends, self.facts.sends)
        return self.result

    def send_begins(self, caller: Caller, at: int) -> None:
        """Begin the next send of a thread."""
        caller.began = at
        caller.begun += 1
        self.result.made += 1

        def pick(last_broker_name: str | None, reset_index: bool) -> MessageQueue:
            counter, worst = self.topic.send_which_queue, self.table.which_item_worst
            counter.stored, worst.stored = caller.stored, caller.worst
            if self.without_walk and self.row.select is select_by_filters:
                if reset_index:
                    counter.reset()
                    caller.stored = counter.stored
                found = self.pick_by_filters(caller, last_broker_name)
                if found is not None:
                    return found
                reset_index = False
            elif self.without_walk and self.scan_finds_none(caller, last_broker_name):
                counter.increment_and_get()
                mq = self.fall_back()
                caller.stored, caller.worst = counter.stored, worst.stored
                return mq
            mq = select_one_message_queue(self.strategy, self.topic, last_broker_name, reset_index)
            caller.stored, caller.worst = counter.stored, worst.stored
            return mq

        caller.sending = send_loop(self.row, pick, self.answer, self.facts.timeout, self.facts.retries)
        self.attempt_begins(caller, at)

    def attempt_begins(self, caller: Caller, at: int) -> None:
        """Begin the next attempt of a send, or end the send."""
        assert caller.sending is not None
        try:
            caller.mq, caller.reply = next(caller.sending)
        except StopIteration as end:
            self.phase_at(caller.began).add(end.value)
            caller.sending, caller.ended = None, at
            self.result.ended = max(self.result.ended, at)
            self.wait(caller)
            return
        caller.until = at + caller.reply.took
        heapq.heappush(self.events, (caller.until, caller.number))

    def attempt_ends(self, caller: Caller, at: int) -> None:
        """Tell the fault table of an attempt, and go on with its send."""
        assert caller.mq is not None
        assert caller.reply is not None
        reply, name = caller.reply, caller.mq.broker_name
        if self.facts.fault_switch:
            if self.changes_table(name, reply):
                self.horizon = -1
            verdict = self.verdict_of(reply)
            update_fault_item(self.strategy, name, reply.took, verdict.isolation, verdict.reachable)
            self.told[name] = at, caller.number
        self.attempt_begins(caller, at)

    def wait(self, caller: Caller) -> None:
        """Plan the next send of a thread, if there is one."""
        if caller.begun < caller.sends:
            heapq.heappush(
                self.events, (max(self._due(caller) // self.facts.rate, caller.ended), caller.number)
            )

    def _due(self, caller: Caller) -> int:
        """Return when a thread's next send is due, in ticks of which a millisecond has `rate`."""
        return 1000 * (caller.begun * self.facts.threads + caller.number)

    # -- what attempts come to

    def answer(self, broker_name: str, given: int) -> Reply:
        """Return what an attempt comes to that begins now.

        Args:
            broker_name: the broker.
            given: the attempt's time in milliseconds.
        """
        return self.answer_at(self.clock.now - NOON, broker_name, given)

    def answer_at(self, at: int, broker_name: str, given: int) -> Reply:
        """Return what an attempt comes to that begins at a time, in milliseconds from the start."""
        if broker_name not in self.masters:
            return Reply(0, MQClientException(f"The broker[{broker_name}] not exist"), stored=False)
        fault = self.fault_at(at, broker_name)
        does = None if fault is None else fault.does
        if does == "refuse":
            return Reply(REFUSAL, RemotingConnectException(broker_name), stored=False)
        latency = fault.latency if fault is not None and does == "slow" else self.facts.latency
        assert isinstance(latency, int)
        keeps = does not in ("hang", "code") and broker_name in self.writable
        if does == "hang" or latency >= given:
            return Reply(
                given + self.facts.timer_delay, RemotingTimeoutException(broker_name, given), stored=keeps
            )
        if keeps:
            return Reply(latency)
        code = fault.code if fault is not None and does == "code" else ResponseCode.NO_PERMISSION
        return Reply(latency, MQBrokerException(code, ""), stored=False)

    def fault_at(self, at: int, broker_name: str) -> BrokerFault | None:
        """Return what goes wrong with a broker at a time; of two faults the one that began last."""
        found: BrokerFault | None = None
        for fault in self.facts.faults:
            if (
                fault.broker == broker_name
                and fault.at <= at
                and (fault.until is None or at < fault.until)
                and (found is None or fault.at >= found.at)
            ):
                found = fault
        return found

    def verdict_of(self, reply: Reply) -> Verdict:
        """Return what the fault table is told of an attempt."""
        return STORED if reply.thrown is None else self.row.judge(reply.thrown, False)

    def changes_table(self, broker_name: str, reply: Reply) -> bool:
        """Return whether an attempt changes who may be picked, or who ranks where."""
        item = self.table.fault_item_table.get(broker_name)
        if item is None or reply.thrown is not None or self.duration_after(reply.took) > 0:
            return True
        if self.row.update_fault_item is update_overwriting:
            return not is_available(self.table, broker_name)
        return not item.reachable

    def duration_after(self, latency: int) -> int:
        """Return for how long a broker is avoided after an answer that took so long, in milliseconds."""
        return compute_not_available_duration(latency, self.row.latency_max, self.row.not_available_duration)

    # -- what need not be made

    def look_ahead(self, now: int) -> None:
        """Find out how far nothing changes the fault table, and where sends go until then."""
        self.course, self.horizon = None, -1
        if self.idle > 0:
            self.idle -= 1
            return
        facts = self.facts
        self.horizon = min((time for time in self.borders if time > now), default=NEVER // facts.rate)
        _, course = self.course_at(now)
        if facts.fault_switch:
            for item in self.table.fault_item_table.values():
                start = item.start_timestamp - NOON
                if start > now:
                    self.horizon = min(self.horizon, start)
            for caller in self.callers:
                self._bound_by(caller, course)
        if self.horizon <= now:
            self.patience = min(2 * self.patience + 1, 256)
            self.idle = self.patience
            return
        self.patience = 0
        self.course = course

    def _bound_by(self, caller: Caller, course: Course) -> None:
        """Bring the horizon forward to where a thread changes the fault table."""
        if caller.sending is not None:
            assert caller.mq is not None
            assert caller.reply is not None
            if self.changes_table(caller.mq.broker_name, caller.reply):
                self.horizon = min(self.horizon, caller.until)
                return
        if caller.begun >= caller.sends:
            return
        place = self.place_of(caller)
        if place is None:
            self.horizon = min(self.horizon, max(self._due(caller) // self.facts.rate, caller.ended))
            return
        most = self.most_of(caller, course)
        course.leap(place, most, self.horizon * self.facts.rate, counted=False)
        stop = course.stop_at(place)
        if place.made == caller.sends - caller.begun or (stop is None and place.made < most):
            return
        begins = place.begins // self.facts.rate
        self.horizon = min(self.horizon, begins + (0 if stop is None else stop.after))

    def place_of(self, caller: Caller) -> Place | None:
        """Return where a thread stands after the send that it makes now, or None if its counter is not counted up."""
        visible = self.visible_of(caller)
        if visible < 0:
            return None
        ended = caller.ended if caller.sending is None else caller.until
        due = self._due(caller)
        return Place(visible % len(self.result.queues), due, ended * self.facts.rate - due)

    def most_of(self, caller: Caller, course: Course) -> int:
        """Return how many sends a thread has left, as far as its counter stays clear of the largest int."""
        room = self.room_of(caller) - 2 * len(self.result.queues)
        return max(min(caller.sends - caller.begun, room // max(course.furthest, 1)), 0)

    def visible_of(self, caller: Caller) -> int:
        """Return the value that a pick sees of a thread's counter; negative if it has none."""
        if caller.stored is None:
            return -1
        masked = issubclass(self.row.index, MaskedIndex | RawSeedIndex)
        return caller.stored & INT_MAX if masked else caller.stored

    def room_of(self, caller: Caller) -> int:
        """Return how far a thread's counter is from the largest int."""
        return INT_MAX - self.visible_of(caller)

    def leap(self, caller: Caller) -> bool:
        """Count the sends of a thread up to the horizon; return whether there was one."""
        course = self.course
        place = None if course is None else self.place_of(caller)
        if course is None or place is None:
            return False
        rate, begun = self.facts.rate, place.due
        most, before = self.most_of(caller, course), self.horizon * rate
        if self.ranks:
            ahead = Place(place.position, place.due, place.late)
            course.leap(ahead, most, before, counted=False)
            last = min(ahead.made, len(self.result.queues))
            course.leap(place, ahead.made - last, NEVER)
            for sent in course.steps(place, last):
                self.hear(sent.attempts[0][0], place.ended // rate, caller.number, sent.took)
        else:
            course.leap(place, most, before)
        if place.due == begun:
            return False
        assert caller.stored is not None
        caller.begun += place.made
        caller.stored += place.moved
        caller.ended = place.ended // rate
        self.counted += place.made
        self.result.ended = max(self.result.ended, caller.ended)
        self.wait(caller)
        return True

    @property
    def ranks(self) -> bool:
        """Whether the fallback ranks brokers by what sends took and when they ended, so that both must be known."""
        return self.facts.fault_switch and self.row.update_fault_item is update_overwriting

    def hear(self, broker_name: str, ended: int, number: int, took: int) -> None:
        """Keep the last counted send to a broker."""
        heard = self.heard.get(broker_name)
        if heard is None or (ended, number) >= heard[:2]:
            self.heard[broker_name] = ended, number, took

    def settle(self) -> None:
        """Tell the fault table of the last counted send to each broker, if none that was made came after it."""
        for name, (ended, number, took) in self.heard.items():
            if (ended, number) >= self.told.get(name, (-1, -1)):
                item = self.table.fault_item_table[name]
                item.current_latency, item.start_timestamp = took, NOON + ended
                self.told[name] = ended, number
        self.heard.clear()

    def course_at(self, now: int) -> tuple[Phase, Course]:
        """Return the course of things as they are."""
        self.clock.now = NOON + now
        interval = max(at for at, time in enumerate(self.borders) if time <= now)
        state: tuple[str, ...] = ()
        if self.facts.fault_switch:
            state = tuple(map(self.state_of, self.brokers))
        queues = tuple((mq.broker_name, mq.queue_id) for mq in self.topic.message_queue_list)
        key = interval, state, queues
        if key not in self.courses:
            pace = 1000 * self.facts.threads
            self.courses[key] = self.phase_at(now), Course(self.plans_at(now, queues), pace, self.facts.rate)
        return self.courses[key]

    def state_of(self, broker_name: str) -> str:
        """Return all that decides whether sends to a broker change the fault table."""
        if broker_name not in self.table.fault_item_table:
            return "unknown"
        return f"{is_available(self.table, broker_name)} {is_reachable(self.table, broker_name)}"

    def plans_at(self, now: int, queues: Sequence[Queue]) -> Sequence[Planned | Stop]:
        """Return what the next send comes to from each position of the counter."""
        facts, row = self.facts, self.row

        def answer(broker_name: str, given: int) -> Reply:
            return self.answer_at(now, broker_name, given)

        if not facts.fault_switch:
            return sends_without_table(
                row, queues, lambda pick: made(send_loop(row, pick, answer, facts.timeout, facts.retries))
            )

        def reply_of(broker_name: str) -> Reply | Stop:
            reply = answer(broker_name, facts.timeout)
            return Stop(reply.took) if self.changes_table(broker_name, reply) else reply

        return sends_with_table(row, queues, self.filters(), reply_of)

    def filters(self) -> list[Callable[[str], bool]]:
        """Return the tests of a broker, of which a first pick takes the first that leaves it any."""
        strategy, accepts = self.strategy, self.row.accepts

        def queue_of(broker_name: str) -> MessageQueue:
            return MessageQueue(self.facts.topic, broker_name, 0)

        if self.row.select is not select_by_filters:
            return [lambda name: accepts(strategy, queue_of(name), None)]
        return [
            lambda name: passes_available_filter(strategy, queue_of(name)),
            lambda name: passes_reachable_filter(strategy, queue_of(name)),
        ]

    def pick_by_filters(self, caller: Caller, last_broker_name: str | None) -> MessageQueue | None:
        """Pick as `select_by_filters` does, without the walk; None where the counter does not just count up."""
        place = self.place_of(caller)
        queues = self.topic.message_queue_list
        size = len(queues)
        if place is None or self.room_of(caller) < 3 * size:
            return None
        taken, lists = first_taken(
            [name for name in self.brokers if name != last_broker_name], self.filters()
        )
        if taken not in self.until:
            self.until[taken] = distances(size, lambda at: not taken or queues[at].broker_name in taken)
        first = (place.position + 1) % size
        passed = self.until[taken][first]
        assert caller.stored is not None
        assert passed is not None
        caller.stored += lists * size + 1 + passed
        return queues[(first + passed) % size]

    def scan_finds_none(self, caller: Caller, last_broker_name: str | None) -> bool:
        """Return whether the walk of `select_by_scan` finds no queue, asked of each broker instead of each queue."""
        if self.place_of(caller) is None or self.room_of(caller) < 3 * len(self.result.queues):
            return False
        queues = (MessageQueue(self.facts.topic, name, 0) for name in self.brokers)
        return not any(self.row.accepts(self.strategy, mq, last_broker_name) for mq in queues)

    def fall_back(self) -> MessageQueue:
        """Pick as `select_by_scan` does once the walk has found nothing."""
        try:
            mq = not_best_broker(self.strategy, self.topic)
        except JavaException:
            mq = None
        return mq if mq is not None else first_pick(self.topic)

    def phase_at(self, at: int) -> Phase:
        """Return the phase of a send that begins at a time."""
        return next(phase for phase in reversed(self.result.phases) if phase.start <= at)


PROGRESS_STEP = 10_000


def phases_of(facts: Facts) -> tuple[Phase, ...]:
    """Return the phases of a time in which something goes wrong, still empty.

    >>> [phase.name for phase in phases_of(Facts(faults=(BrokerFault("hang", "broker-a", at=5),)))]
    ['before', 'during']
    """
    if not facts.faults:
        return (Phase("all", 0, None),)
    first = min(fault.at for fault in facts.faults)
    ends = [fault.until for fault in facts.faults if fault.until is not None]
    last = max(ends) if len(ends) == len(facts.faults) else None
    phases = [Phase("during", first, last)]
    if first > 0:
        phases.insert(0, Phase("before", 0, first))
    if last is not None:
        phases.append(Phase("after", last, None))
    return tuple(phases)
