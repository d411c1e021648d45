"""What a simulated run shows, as data: a message's attempts, shares of what was stored, the fault table over time.

`rmqref.run_plots` draws what these functions return.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rmqref.cluster import BrokerFault
from rmqref.faults import FaultItem
from rmqref.measure import MeasureError, Share
from rmqref.model import SendStatus
from rmqref.releases import Release
from rmqref.sending import time_left, whole_timeout
from rmqref.simulation import Attempt, Run, SendRecord, TableUpdate

NAME_SERVER = ""
"""The lane of what goes wrong with the name server."""

SHARED, ANEW, FIRST, UNUSED = "shared", "anew", "first", "unused"
"""Who gets the send's timeout: all attempts together, each of them, the first one, or nobody."""

STORED, FAILED, WAITING = "stored", "failed", "waiting"
"""What an attempt came to: an answer that means stored (or, for ONEWAY, sent), a failure, nothing yet."""

OUTCOMES = (STORED, FAILED, WAITING)


# -------------------------------------------------------------------------------------------------- one send's attempts


@dataclass(frozen=True, slots=True)
class TimedAttempt:
    """An attempt on the time line of its send.

    Args:
        number: from 1.
        broker_name: the broker.
        queue_id: the queue.
        start: when it began, in milliseconds from the send's begin.
        end: when its outcome was known; None if it never was.
        given: the time it was given, in milliseconds; 0 or less if the time was over.
        outcome: a status, the exception's name, "sent" for ONEWAY, or "" if it is not known.
        code: the broker's code if it answered with an error.
    """

    number: int
    broker_name: str
    queue_id: int
    start: int
    end: int | None
    given: int
    outcome: str
    code: int | None

    @property
    def took(self) -> int | None:
        """Return how long it took in milliseconds; None if its outcome is not known."""
        return None if self.end is None else self.end - self.start

    @property
    def came_to(self) -> str:
        """Return one of `OUTCOMES`."""
        return _came_to(self.outcome)


@dataclass(frozen=True, slots=True)
class AttemptTimes:
    """One send of a run and its attempts.

    Args:
        release: the client's release.
        brokers: all brokers of the scenario, in order.
        send: the number of the send.
        mode: SYNC, ASYNC or ONEWAY.
        timeout: the send's timeout in milliseconds.
        budget: who gets it: `SHARED`, `ANEW`, `FIRST` or `UNUSED`.
        attempts: the attempts, in order.
        end: when the application heard of the outcome, in milliseconds from the send's begin; None if it did not.
        outcome: a status, the exception's name, "sent" for ONEWAY, or "" if it is not known.
        code: the response code of the exception; None if it has none.
        error: the exception's text, without the link that follows it in a log.
        stored_at: broker and queue where it was stored, as far as the producer knows.
        stored: how many times the brokers stored it in the end.
    """

    release: str
    brokers: tuple[str, ...]
    send: int
    mode: str
    timeout: int
    budget: str
    attempts: tuple[TimedAttempt, ...]
    end: int | None
    outcome: str
    code: int | None
    error: str
    stored_at: tuple[str, int] | None
    stored: int

    @property
    def came_to(self) -> str:
        """Return one of `OUTCOMES`."""
        return _came_to(self.outcome)

    @property
    def hidden_cause(self) -> TimedAttempt | None:
        """Return the last attempt whose failure the exception does not tell: its text says "call timeout" instead."""
        if self.outcome != "RemotingTooMuchRequestException":
            return None
        failed = [each for each in self.attempts if each.outcome not in ("", self.outcome)]
        return failed[-1] if failed else None

    @property
    def starved(self) -> int | None:
        """Return the number of the first attempt for which no time was left, made or not; None if there is none."""
        for attempt in self.attempts:
            if attempt.number > 1 and attempt.given <= 0:
                return attempt.number
        return None if self.hidden_cause is None else len(self.attempts) + 1


def attempt_times(run: Run, send: int = 1) -> AttemptTimes:
    """Return one send's attempts as a time line.

    Args:
        run: a run.
        send: the number of the send, from 1.

    Returns:
        The attempts, with all times in milliseconds from the send's begin.

    Raises:
        MeasureError: the run has no such send.

    >>> from rmqref.scenario import BrokerFault, Scenario
    >>> from rmqref.simulation import simulate
    >>> hangs = Scenario(start=1, faults=[BrokerFault("hang", "broker-a")])
    >>> for name in ("4.2.0", "4.9.7"):
    ...     times = attempt_times(simulate(hangs.but(release=name)))
    ...     print(name, times.budget, [(a.start, a.given) for a in times.attempts], times.outcome)
    4.2.0 anew [(0, 3000), (3000, 3000)] SEND_OK
    4.9.7 shared [(0, 3000), (3000, 0), (3000, 0)] MQClientException
    """
    release = run.producer.row.version
    if not run.sends:
        raise MeasureError("plot.attempts.error.empty", release=release)
    if not 1 <= send <= len(run.sends):
        raise MeasureError("plot.attempts.error.send", release=release, send=send, sends=len(run.sends))
    record = run.sends[send - 1]
    is_known = record.broker_name is not None and record.queue_id is not None
    return AttemptTimes(
        release=release,
        brokers=_brokers(run),
        send=record.number,
        mode=run.scenario.load.mode,
        timeout=run.producer.send_msg_timeout,
        budget=_budget(run.producer.row, run.scenario.load.mode),
        attempts=tuple(_timed(n, each, record) for n, each in enumerate(record.attempts, 1)),
        end=None if record.ended is None else record.ended - record.at,
        outcome=record.outcome,
        code=record.code,
        error=record.error.split("\n")[0],
        stored_at=(record.broker_name or "", record.queue_id or 0) if is_known else None,
        stored=record.stored,
    )


def _timed(number: int, attempt: Attempt, send: SendRecord) -> TimedAttempt:
    return TimedAttempt(
        number,
        attempt.broker_name,
        attempt.queue_id,
        attempt.at - send.at,
        None if attempt.ended is None else attempt.ended - send.at,
        attempt.timeout,
        attempt.outcome,
        attempt.code,
    )


def _budget(row: Release, mode: str) -> str:
    if mode == "ONEWAY":
        return UNUSED
    if mode == "ASYNC":
        return SHARED if row.async_time_budget is time_left else FIRST
    return ANEW if row.time_budget is whole_timeout else SHARED


def _came_to(outcome: str) -> str:
    if not outcome:
        return WAITING
    return STORED if outcome == "sent" or outcome in SendStatus.__members__ else FAILED


def _brokers(run: Run) -> tuple[str, ...]:
    return tuple(run.cluster.hosts)


# ---------------------------------------------------------------------------------------------------- shares per queue


@dataclass(frozen=True, slots=True)
class StoredShare:
    """What the brokers hold after a run.

    Args:
        release: the client's release.
        share: messages by broker name and queue id, the brokers in the scenario's order; empty queues have 0.
        first: sends that made an attempt.
        first_failed: sends whose first attempt failed.
        duplicates: messages stored beside the first of each send.
    """

    release: str
    share: Share
    first: int
    first_failed: int
    duplicates: int


def stored_share(run: Run) -> StoredShare:
    """Return how many messages of a run each queue holds, and what went wrong on the way there.

    Args:
        run: a run.

    Returns:
        The share; without any message if nothing was stored.

    Raises:
        MeasureError: no broker holds a queue of the topic.

    >>> from rmqref.scenario import BrokerFault, Load, Scenario
    >>> from rmqref.simulation import simulate
    >>> faults = [BrokerFault("refuse", "broker-a")]
    >>> run = simulate(Scenario(start=-1, faults=faults, load=Load(sends=8)))
    >>> held = stored_share(run)
    >>> [held.share["broker-b", n] for n in range(4)], held.first_failed, held.first
    ([2, 2, 2, 2], 2, 8)
    """
    share = Counter({queue: run.share[queue] for queue in _in_order(run.share, _brokers(run))})
    if not share:
        raise MeasureError("plot.run_share.error.queues", release=run.producer.row.version)
    firsts = [send.attempts[0] for send in run.sends if send.attempts]
    failed = sum(_came_to(attempt.outcome) == FAILED for attempt in firsts)
    return StoredShare(run.producer.row.version, share, len(firsts), failed, run.duplicates)


def _in_order(queues: Iterable[tuple[str, int]], brokers: Sequence[str]) -> list[tuple[str, int]]:
    return sorted(queues, key=lambda queue: (brokers.index(queue[0]), queue[1]))


# -------------------------------------------------------------------------------------------------------- fault lanes


@dataclass(frozen=True, slots=True)
class TableSpan:
    """A time in which the fault table says the same of a broker.

    Args:
        start: in milliseconds from the run's begin.
        end: in milliseconds from the run's begin, after `start`.
        available: whether the release's own test of the entry lets the broker be picked.
        reachable: whether the entry says reachable; always True up to 5.1.3.
    """

    start: int
    end: int
    available: bool
    reachable: bool


@dataclass(frozen=True, slots=True)
class Trouble:
    """A time in which something is really wrong with a broker.

    Args:
        start: in milliseconds from the run's begin.
        end: in milliseconds from the run's begin, after `start`.
        fault: what is wrong; of several faults the one that began last.
    """

    start: int
    end: int
    fault: BrokerFault


@dataclass(frozen=True, slots=True)
class Mark:
    """Attempts on a broker that began at about the same time and came to the same.

    Args:
        at: in milliseconds from the run's begin.
        came_to: one of `OUTCOMES`.
        count: how many.
    """

    at: float
    came_to: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Lane:
    """A broker over a run: what the fault table says of it, what is really wrong with it, and the attempts on it.

    Args:
        broker_name: the broker; `NAME_SERVER` for the name server.
        spans: what the fault table says, without a gap from 0 to the end; empty for the name server, and for a run
            that took no time.
        troubles: what is really wrong, in order; none overlaps the next.
        marks: the attempts, in order.
        avoided_until: until when it is avoided if that is beyond the end, in milliseconds from the run's begin.
    """

    broker_name: str
    spans: tuple[TableSpan, ...]
    troubles: tuple[Trouble, ...]
    marks: tuple[Mark, ...]
    avoided_until: int | None

    @property
    def avoided_for(self) -> int:
        """Return for how many milliseconds of the run the broker is not available."""
        return sum(span.end - span.start for span in self.spans if not span.available)


@dataclass(frozen=True, slots=True)
class Lanes:
    """A run's brokers over time.

    Args:
        release: the client's release.
        fault_switch: whether the fault table is told anything.
        end: the end of the run, in milliseconds from its begin.
        sends: how many messages were sent.
        lanes: one a broker, in the scenario's order; the name server last if anything is wrong with it.
    """

    release: str
    fault_switch: bool
    end: int
    sends: int
    lanes: tuple[Lane, ...]


def fault_lanes(run: Run) -> Lanes:
    """Return what the fault table says of each broker over a run, beside what is really wrong and the attempts.

    That a release drops an entry (a broker without a write queue, or whose address is forgotten) is not written down
    by a run, so the last thing noted of such a broker stands on.

    Args:
        run: a run.

    Returns:
        One lane a broker.

    >>> from rmqref.scenario import BrokerFault, Load, Scenario
    >>> from rmqref.simulation import simulate
    >>> settings = {"send_latency_fault_enable": True}
    >>> slow = BrokerFault("slow", "broker-a", latency=700, until=1000)
    >>> load = Load(sends=40, every=100)
    >>> run = simulate(Scenario("", "5.3.3", start=-1, producer=settings, faults=[slow], load=load))
    >>> [(span.start, span.end, span.available) for span in fault_lanes(run).lanes[0].spans]
    [(0, 700, True), (700, 2700, False), (2700, 3905, True)]
    """
    end = _end(run)
    lanes = [_lane(run, name, end) for name in _brokers(run)]
    troubles = _troubles(run.scenario.faults, NAME_SERVER, end)
    if troubles:
        lanes.append(Lane(NAME_SERVER, (), troubles, (), None))
    return Lanes(
        run.producer.row.version, run.producer.send_latency_fault_enable, end, len(run.sends), tuple(lanes)
    )


def _end(run: Run) -> int:
    """Return the run's end, also of a run that is not over."""
    times = [attempt.ended or attempt.at for attempt in run.attempts]
    return max(run.ended, 0, *times, *(update.at for update in run.updates), *(at for at, _, _ in run.probes))


def _lane(run: Run, name: str, end: int) -> Lane:
    marks = tuple(Mark(a.at, _came_to(a.outcome)) for a in run.attempts if a.broker_name == name)
    updates = [update for update in run.updates if update.broker_name == name]
    answered = [at for at, broker_name, is_there in run.probes if broker_name == name and is_there]
    spans = _spans(run.producer.row, updates, answered, end)
    until = updates[-1].available_from if updates else 0
    troubles = _troubles(run.scenario.faults, name, end)
    return Lane(name, spans, troubles, marks, until if until > end else None)


def _spans(
    row: Release, updates: Sequence[TableUpdate], answered: Sequence[int], end: int
) -> tuple[TableSpan, ...]:
    """Return what an entry says over time; between two notes it changes only at its start time."""
    item = FaultItem("")
    # Of a probe and a note at the same time the probe comes first: it is over before the attempt hears its answer.
    events: list[tuple[int, int, TableUpdate | None]] = [
        *((at, 0, None) for at in answered),
        *((update.at, 1, update) for update in updates),
    ]
    events.sort(key=lambda event: event[:2])
    spans: list[TableSpan] = []
    begin = 0
    for at, _, update in [*events, (end, 2, None)]:
        change = min(max(item.start_timestamp, begin), at)
        for start, stop in pairwise((begin, change, at)):
            if start < stop:
                span = TableSpan(start, stop, row.is_available_item(item, start), item.reachable)
                _append(spans, span)
        begin = at
        if update is None:
            item.reachable = True
        else:
            item.start_timestamp, item.reachable = update.available_from, update.reachable
    return tuple(spans)


def _append(spans: list[TableSpan], span: TableSpan) -> None:
    """Append a span, as part of the last one if it says the same."""
    if spans and replace(spans[-1], end=span.end) == replace(span, start=spans[-1].start):
        span = replace(span, start=spans.pop().start)
    spans.append(span)


def _troubles(faults: Sequence[BrokerFault], broker_name: str, end: int) -> tuple[Trouble, ...]:
    """Return what is wrong with a broker over time: of the faults that last, the one that began last."""
    own = [
        fault for fault in faults if (NAME_SERVER if _is_name_servers(fault) else fault.broker) == broker_name
    ]
    changes = sorted(
        {0, end, *(t for fault in own for t in (fault.at, fault.until) if t is not None and t < end)}
    )
    found: list[Trouble] = []
    for start, stop in pairwise(changes):
        lasting = [
            fault for fault in own if fault.at <= start and (fault.until is None or start < fault.until)
        ]
        if not lasting:
            continue
        fault = max(enumerate(lasting), key=lambda pair: (pair[1].at, pair[0]))[1]
        if found and found[-1].end == start and found[-1].fault is fault:
            start = found.pop().start  # noqa: PLW2901  # it goes on
        found.append(Trouble(start, stop, fault))
    return tuple(found)


def _is_name_servers(fault: BrokerFault) -> bool:
    return fault.does == "name_server_down"


def thinned(marks: Sequence[Mark], end: int, bins: int) -> tuple[Mark, ...]:
    """Return marks put together by time: of each outcome at most one in each of so many equal parts of the run.

    Args:
        marks: marks.
        end: the end of the run, in milliseconds from its begin.
        bins: how many parts.

    Returns:
        Marks in the middle of the parts, in order, with the counts added up.

    Raises:
        MeasureError: there are no parts.

    >>> marks = [Mark(0, "stored"), Mark(4, "stored"), Mark(5, "failed"), Mark(99, "stored")]
    >>> [(mark.at, mark.came_to, mark.count) for mark in thinned(marks, 100, 10)]
    [(5.0, 'stored', 2), (5.0, 'failed', 1), (95.0, 'stored', 1)]
    """
    if bins < 1:
        raise MeasureError("plot.lanes.error.bins", bins=bins)
    counts: Counter[tuple[int, int]] = Counter()
    for mark in marks:
        place = min(int(mark.at * bins // max(end, 1)), bins - 1)
        counts[place, OUTCOMES.index(mark.came_to)] += mark.count
    return tuple(
        Mark((place + 0.5) * end / bins, OUTCOMES[outcome], count)
        for (place, outcome), count in sorted(counts.items())
    )
