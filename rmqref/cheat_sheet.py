"""The cheat sheet: one page of what one looks up most, made from the release table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from rmqref.bugs import BUGS
from rmqref.faults import compute_not_available_duration
from rmqref.messages import text
from rmqref.releases import CHRONOLOGY, FAMILIES, RELEASED, Release, release, spans_of

Value = TypeVar("Value")


def cheat_sheet() -> str:
    """Return the cheat sheet as Markdown.

    Returns:
        Thresholds, retry rules, families and bugs; every figure is read off the release table.

    >>> print(cheat_sheet().splitlines()[0])
    # The cheat sheet
    """
    return "\n\n".join(
        [
            f"# {text('cheat.title')}",
            text("cheat.lead", count=len(CHRONOLOGY), first=CHRONOLOGY[0], last=CHRONOLOGY[-1]),
            f"## {text('cheat.thresholds')}",
            text("cheat.thresholds.lead"),
            table(list(threshold_rows())),
            f"## {text('cheat.retries')}",
            "\n".join(f"- {line}" for line in retry_lines()),
            f"## {text('cheat.families')}",
            table(list(family_rows())),
            f"## {text('cheat.bugs')}",
            "\n".join(f"- **{bug.name.replace('_', ' ')}**: {bug.spans}" for bug in BUGS.values()),
        ]
    )


def table(rows: list[list[str]]) -> str:
    """Return rows as a Markdown table; the first holds the heads."""
    head, *others = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *others))


def groups(cell: Callable[[Release], Value]) -> dict[Value, list[str]]:
    """Return the releases that have each value of something, values in the order of their first release.

    Args:
        cell: what is asked of a row of the table.

    >>> {value: spans_of(versions) for value, versions in groups(lambda row: row.isolation_latency).items()}
    {30000: '4.0.0-incubating .. 5.1.3', 10000: '5.1.4 .. 5.3.3'}
    """
    found: dict[Value, list[str]] = {}
    for version in CHRONOLOGY:
        found.setdefault(cell(release(version)), []).append(version)
    return found


def threshold_rows() -> Iterator[list[str]]:
    """Yield the two threshold tables as one: from which latency on a broker is avoided for how long."""
    tables = groups(lambda row: (row.latency_max, row.not_available_duration, row.isolation_latency))
    for (thresholds, durations, isolation), versions in tables.items():
        pairs = [(of, wait) for of, wait in zip(thresholds, durations, strict=True) if wait]
        if versions[0] == CHRONOLOGY[0]:
            yield [
                text("cheat.releases"),
                *(text("cheat.step", number=n) for n in range(1, len(pairs) + 1)),
                text("cheat.failure"),
            ]
        failed = compute_not_available_duration(isolation, thresholds, durations)
        yield [
            spans_of(versions),
            *(text("cheat.from", latency=f"{of:,}", seconds=f"{wait / 1000:g}") for of, wait in pairs),
            text("cheat.seconds", seconds=f"{failed / 1000:g}"),
        ]


def retry_lines() -> Iterator[str]:
    """Yield the rules of a retry: how many, after what, with how much time, and where to."""
    yield text("cheat.retry.attempts")
    for codes, versions in groups(lambda row: row.retry_codes).items():
        listed = ", ".join(str(code) for code in sorted(codes))
        yield text("cheat.retry.codes", codes=listed, spans=spans_of(versions))
    for column in ("time_budget", "accepts", "catches_connect_failure"):
        for value, versions in groups(partial(asked, name=column)).items():
            yield text(f"cheat.retry.{value}", spans=spans_of(versions))


def asked(row: Release, name: str) -> str:
    """Return the name of a cell's variant, or what is done instead where the release does not ask it."""
    if name in row.unused:
        return row.select.__name__
    value = getattr(row, name)
    return str(getattr(value, "__name__", f"{name}_{value}".lower()))


def family_rows() -> Iterator[list[str]]:
    """Yield the families, each with its releases and what is special about it."""
    yield [text("cheat.family"), text("cheat.releases"), text("cheat.special")]
    for name in FAMILIES:
        yield [name, spans_of(RELEASED[name].split()), text(f"cheat.family.{name.replace('.', '_')}")]
