"""A forecast in words: facts read from a command line, and what the sends come to, phase by phase."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from rmqref.cluster import BrokerFault
from rmqref.course import NEVER, Queue
from rmqref.errors import shortened
from rmqref.forecast import KNOWN_FAULTS, Facts, Forecast, ForecastError, Phase, forecast
from rmqref.messages import text
from rmqref.model import ResponseCode, SendStatus
from rmqref.releases import release
from rmqref.table import Table

_FAULT = re.compile(
    r"(?P<does>[a-z]+)(?:=(?P<value>\d{1,9}))?:(?P<broker>[^:\s]+)"
    r"(?::(?P<at>\d{1,6}(?:\.\d{1,3})?)(?:-(?P<until>\d{1,6}(?:\.\d{1,3})?))?)?",
    re.ASCII,
)
# How a fault is written: slow=1800:broker-b:20-40

DEFAULT_SLOW = 1800
DEFAULT_CODE = 2
STORED_CODES = (ResponseCode.SUCCESS, *(code for code in ResponseCode if code.name in SendStatus.__members__))
"""Codes of answers that are no exceptions: a status says them."""

MOST_ROWS = 64
"""With more queues than this a broker's queues share a row."""


def read_fault(written: str, duration: int) -> BrokerFault:
    """Return what goes wrong with a broker, from a word such as `hang:broker-b` or `slow=1800:broker-b:20-40`.

    Args:
        written: kind, `=` and milliseconds of `slow` or the response code of `code`, broker, and from which second to
            which; without the seconds in the middle third of the time, without the second of them to the end.
        duration: of the forecast in milliseconds.

    Returns:
        The fault.

    Raises:
        ForecastError: it is written in another way, ends before it begins, or begins after the last send.

    >>> read_fault("slow=700:broker-b:20-40", 60_000)  # doctest: +ELLIPSIS
    BrokerFault(does='slow', broker='broker-b', at=20000, until=40000, latency=700, ...)
    >>> read_fault("hang:broker-b", 90_000)  # doctest: +ELLIPSIS
    BrokerFault(does='hang', broker='broker-b', at=30000, until=60000, ...)
    """
    found = _FAULT.fullmatch(written)
    known = ", ".join(KNOWN_FAULTS)
    if found is None:
        raise ForecastError("forecast.error.fault", fault=shortened(written), known=known)
    does, value = found["does"], found["value"]
    if does not in KNOWN_FAULTS:
        raise ForecastError("forecast.error.does", does=does, known=known)
    if value is not None and does not in ("slow", "code"):
        raise ForecastError("forecast.error.value", does=does)
    if does == "slow" and value is not None and int(value) == 0:
        raise ForecastError("forecast.error.slow", fault=written)
    if does == "code" and value is not None and int(value) in STORED_CODES:
        raise ForecastError("forecast.error.code", code=value)
    at = duration // 3 if found["at"] is None else round(1000 * float(found["at"]))
    until = duration * 2 // 3 if found["at"] is None else None
    if found["until"] is not None:
        until = round(1000 * float(found["until"]))
    if until is not None and until <= at:
        raise ForecastError("forecast.error.until", fault=written)
    if at >= duration:
        raise ForecastError("forecast.error.after", fault=written, duration=duration / 1000)
    return BrokerFault(
        does,
        found["broker"],
        at=at,
        until=until,
        latency=int(value or DEFAULT_SLOW) if does == "slow" else 0,
        code=int(value or DEFAULT_CODE) if does == "code" else DEFAULT_CODE,
    )


def read_faults(written: Sequence[str], duration: int) -> tuple[BrokerFault, ...]:
    """Return what goes wrong with brokers, from words as `read_fault` reads them.

    Args:
        written: the words.
        duration: of the forecast in milliseconds.

    Returns:
        The faults.

    Raises:
        ForecastError: one is written in another way, or two of one broker are at the same time.

    >>> [fault.broker for fault in read_faults(["hang:broker-b:20-40", "refuse:broker-a"], 60_000)]
    ['broker-b', 'broker-a']
    """
    faults = tuple(read_fault(one, duration) for one in written)
    for number, one in enumerate(faults):
        for other in faults[:number]:
            begins, ends = max(one.at, other.at), min(one.until or duration, other.until or duration)
            if one.broker == other.broker and begins < ends:
                raise ForecastError(
                    "forecast.error.overlap", broker=one.broker, begins=begins / 1000, ends=ends / 1000
                )
    return faults


def told_forecast(facts: Facts) -> str:
    """Return what the sends come to, in text.

    >>> down = BrokerFault("refuse", "broker-a", at=20_000, until=40_000)
    >>> print(told_forecast(Facts(route=(("broker-a", 1), ("broker-b", 2)), start=0, faults=(down,))))
    4.9.7, fault switch off. Sends: 6,000, 100 a second for 60 s. Threads: 1. A good answer takes 5 ms.
    broker-a refuses connections from 20 s to 40 s.
                            | before        | during 20-40 s | after
    sends                   | 2,000         | 2,000          | 2,000
    first attempt failed    | 0 (0.0%)      | 1,000 (50.0%)  | 0 (0.0%)
    ended in an exception   | 0 (0.0%)      | 0 (0.0%)       | 0 (0.0%)
    stored again            | 0             | 0              | 0
    a send takes on average | 5.0 ms (+0.0) | 5.5 ms (+0.5)  | 5.0 ms (+0.0)
    the longest takes       | 5 ms          | 6 ms           | 5 ms
    stored on broker-a      | 666 (33.3%)   | 0 (0.0%)       | 667 (33.4%)
    stored on broker-b      | 1,334 (66.7%) | 2,000 (100.0%) | 1,333 (66.6%)
    stored in broker-a : 0  | 666 (33.3%)   | 0 (0.0%)       | 667 (33.4%)
    stored in broker-b : 0  | 667 (33.4%)   | 1,000 (50.0%)  | 667 (33.4%)
    stored in broker-b : 1  | 667 (33.4%)   | 1,000 (50.0%)  | 666 (33.3%)
    """
    return "\n".join(lines_of_forecast(forecast(facts)))


def lines_of_forecast(found: Forecast) -> Iterator[str]:
    """Yield the facts, and what the sends come to in each phase.

    Args:
        found: the forecast.

    Yields:
        Lines.
    """
    facts = found.facts
    yield text(
        "forecast.head.on" if facts.fault_switch else "forecast.head.off",
        release=release(facts.release).version,
        sends=facts.sends,
        threads=facts.threads,
        rate=facts.rate,
        duration=facts.duration / 1000,
        latency=facts.latency,
    )
    yield from map(told_fault, facts.faults)
    yield from str(table_of(found)).split("\n")
    yield from remarks_on(found)


def remarks_on(found: Forecast) -> Iterator[str]:
    """Yield what the table does not say by itself.

    Args:
        found: the forecast.
    """
    facts = found.facts
    for phase in found.phases:
        waiting = found.due(phase) - phase.sends
        if phase.name == "during" and waiting > 0:
            yield text("forecast.waiting", count=waiting)
    if found.ended > facts.duration + 1000:
        yield text("forecast.late", ended=found.ended / 1000)
    if has_gaps(facts):
        yield text("forecast.gaps")
    if facts.latency >= facts.timeout:
        yield text("forecast.too_slow", latency=facts.latency, timeout=facts.timeout)
    elif facts.timer_delay and shares_time(facts) and any(map(partial(times_out, facts), facts.faults)):
        yield text("forecast.timer", delay=facts.timer_delay)
    beside = [queue for queue in found.rows if queue not in set(found.queues)]
    if beside:
        count = sum(phase.stored[queue] for phase in found.phases for queue in beside)
        yield text(
            "forecast.beside", count=count, queues=", ".join(f"{name} : {n}" for name, n in beside[:8])
        )


def has_gaps(facts: Facts) -> bool:
    """Return whether there is a time between two troubles in which nothing is wrong."""
    end = 0
    for number, fault in enumerate(sorted(facts.faults, key=lambda fault: fault.at)):
        if number and fault.at > end:
            return True
        end = max(end, NEVER if fault.until is None else fault.until)
    return False


def shares_time(facts: Facts) -> bool:
    """Return whether all attempts of a send share its timeout."""
    return facts.retries > 0 and release(facts.release).time_budget(1000, 1001) is None


def times_out(facts: Facts, fault: BrokerFault) -> bool:
    """Return whether requests get no answer in time while something is wrong."""
    assert isinstance(fault.latency, int)
    return fault.does == "hang" or (fault.does == "slow" and fault.latency >= facts.timeout)


def told_fault(fault: BrokerFault) -> str:
    """Return what goes wrong, as a sentence."""
    name = "forecast.fault" if fault.until is None else "forecast.fault.until"
    assert isinstance(fault.latency, int)
    does = text(f"forecast.does.{fault.does}", latency=fault.latency, code=fault.code)
    until = 0.0 if fault.until is None else fault.until / 1000
    return text(name, broker=fault.broker, does=does, at=fault.at / 1000, until=until)


def table_of(found: Forecast) -> Table:
    """Return what the sends come to, a column a phase."""
    phases = found.phases

    def row(name: str, cells: Iterable[str], **words: str) -> list[str]:
        return [text(f"forecast.row.{name}", **words), *cells]

    def stored_on(broker_name: str) -> Iterator[str]:
        return (part(phase.by_broker(phase.stored)[broker_name], phase.stored.total()) for phase in phases)

    def stored_in(queue: Queue) -> Iterator[str]:
        return (part(phase.stored[queue], phase.stored.total()) for phase in phases)

    rows = [
        ["", *map(told_phase, phases)],
        row("due", (text("forecast.cell.count", count=found.due(phase)) for phase in phases)),
        row("sends", (text("forecast.cell.count", count=phase.sends) for phase in phases)),
        row("first_failed", (part(phase.first_failed, phase.sends) for phase in phases)),
        row("failed", (part(phase.failed, phase.sends) for phase in phases)),
        row("duplicates", (text("forecast.cell.count", count=phase.duplicates) for phase in phases)),
        row("mean", (told_mean(found, phase) for phase in phases)),
        row(
            "longest",
            (
                text("forecast.cell.ms", time=phase.longest) if phase.sends else text("forecast.cell.none")
                for phase in phases
            ),
        ),
        *(row("broker", stored_on(name), broker=name) for name in found.brokers),
    ]
    if all(found.due(phase) == phase.sends for phase in phases):
        del rows[1]
    if len(found.rows) <= MOST_ROWS:
        rows += [row("queue", stored_in(queue), queue=f"{queue[0]} : {queue[1]}") for queue in found.rows]
    else:
        rows += [
            row("queues", (span(found, phase, name) for phase in phases), broker=name)
            for name in found.brokers
        ]
    return Table(rows)


def told_phase(phase: Phase) -> str:
    """Return a phase's name, with its times if it is one of trouble."""
    name = text(f"forecast.phase.{phase.name}")
    if phase.name != "during":
        return name
    if phase.end is None:
        return text("forecast.phase.from", phase=name, start=phase.start / 1000)
    return text("forecast.phase.times", phase=name, start=phase.start / 1000, end=phase.end / 1000)


def told_mean(found: Forecast, phase: Phase) -> str:
    """Return what a send takes on average, and by how much longer that is than a good answer, if it is."""
    if not phase.sends:
        return text("forecast.cell.none")
    added = found.added(phase)
    return text(
        "forecast.cell.mean" if added >= 0 else "forecast.cell.mean.only", mean=phase.mean, added=added
    )


def part(count: int, total: int) -> str:
    """Return a number and which share of all it is."""
    if not total:
        return text("forecast.cell.none")
    return text("forecast.cell.part", count=count, share=count / total if total else 0.0)


def span(found: Forecast, phase: Phase, broker_name: str) -> str:
    """Return the least and the most that a broker's queues got."""
    counts = [phase.stored[queue] for queue in found.rows if queue[0] == broker_name]
    return text("forecast.cell.span", least=min(counts), most=max(counts))
