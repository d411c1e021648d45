"""A forecast in words: facts read from a command line, and what the sends come to, phase by phase."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rmqref.cluster import BrokerFault
from rmqref.course import Queue
from rmqref.forecast import KNOWN_FAULTS, Facts, Forecast, ForecastError, Phase, forecast
from rmqref.messages import text
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
        ForecastError: it is written in another way.
        ScenarioError: it ends before it begins.

    >>> read_fault("slow=700:broker-b:20-40", 60_000)  # doctest: +ELLIPSIS
    BrokerFault(does='slow', broker='broker-b', at=20000, until=40000, latency=700, ...)
    >>> read_fault("hang:broker-b", 90_000)  # doctest: +ELLIPSIS
    BrokerFault(does='hang', broker='broker-b', at=30000, until=60000, ...)
    """
    found = _FAULT.fullmatch(written)
    if found is None or (found["value"] is not None and found["does"] not in ("slow", "code")):
        raise ForecastError("forecast.error.fault", fault=written, known=", ".join(KNOWN_FAULTS))
    value, at, until = found["value"], found["at"], found["until"]
    return BrokerFault(
        found["does"],
        found["broker"],
        at=duration // 3 if at is None else round(1000 * float(at)),
        until=duration * 2 // 3 if at is None else None if until is None else round(1000 * float(until)),
        latency=int(value or DEFAULT_SLOW) if found["does"] == "slow" else 0,
        code=int(value or DEFAULT_CODE) if found["does"] == "code" else DEFAULT_CODE,
    )


def told_forecast(facts: Facts) -> str:
    """Return what the sends come to, in text.

    >>> down = BrokerFault("refuse", "broker-a", at=20_000, until=40_000)
    >>> print(told_forecast(Facts(route=(("broker-a", 1), ("broker-b", 2)), start=0, faults=(down,))))
    4.9.7, fault switch off. Sends: 6,000, 100 a second for 60 s. Threads: 1. A good answer takes 5 ms.
    broker-a refuses connections from 20 s to 40 s.
                            | before        | during         | after
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
    if found.ended > facts.duration + 1000:
        yield text("forecast.late", ended=found.ended / 1000)


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
        ["", *(text(f"forecast.phase.{phase.name}") for phase in phases)],
        row("sends", (text("forecast.cell.count", count=phase.sends) for phase in phases)),
        row("first_failed", (part(phase.first_failed, phase.sends) for phase in phases)),
        row("failed", (part(phase.failed, phase.sends) for phase in phases)),
        row("duplicates", (text("forecast.cell.count", count=phase.duplicates) for phase in phases)),
        row(
            "mean",
            (text("forecast.cell.mean", mean=phase.mean, added=found.added(phase)) for phase in phases),
        ),
        row("longest", (text("forecast.cell.ms", time=phase.longest) for phase in phases)),
        *(row("broker", stored_on(name), broker=name) for name in found.brokers),
    ]
    if len(found.queues) <= MOST_ROWS:
        rows += [row("queue", stored_in(queue), queue=f"{queue[0]} : {queue[1]}") for queue in found.queues]
    else:
        rows += [
            row("queues", (span(found, phase, name) for phase in phases), broker=name)
            for name in found.brokers
        ]
    return Table(rows)


def part(count: int, total: int) -> str:
    """Return a number and which share of all it is."""
    return text("forecast.cell.part", count=count, share=count / total if total else 0.0)


def span(found: Forecast, phase: Phase, broker_name: str) -> str:
    """Return the least and the most that a broker's queues got."""
    counts = [phase.stored[queue] for queue in found.queues if queue[0] == broker_name]
    return text("forecast.cell.span", least=min(counts), most=max(counts))
