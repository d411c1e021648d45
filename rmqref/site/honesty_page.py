"""The page that says how far to trust the package: what is proved, what is modelled, and what is left out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from rmqref.conform import KINDS, Report
from rmqref.limits import DIFFERENT, LIMITS, MISSING, UNPROVED, Limit, limits_of
from rmqref.releases import CHRONOLOGY, FAMILIES, release, spans_of
from rmqref.site.markdown import bold, bullets, code, definitions, heading, link, page, plain, table, words
from rmqref.site.release_page import named

Count = tuple[int, int]
"""Cases that came out equal, and cases that were run."""


def honesty_page(report: Report) -> str:
    """Return the page.

    Args:
        report: what a replay of all vectors found.
    """
    equal, run = counted(report)
    return page(
        words("honesty.title"),
        words("honesty.lead", equal=equal, run=run),
        words("honesty.how"),
        heading(2, words("honesty.proved"), "proved"),
        words("honesty.proved.lead"),
        kinds_table(report),
        words("honesty.proved.families"),
        families_table(report),
        words("honesty.proved.own"),
        own_table(report),
        words("honesty.proved.others", releases=spans_of(set(CHRONOLOGY) - with_cases(report))),
        *(
            part
            for kind in (UNPROVED, DIFFERENT, MISSING)
            for part in (
                heading(2, words(f"honesty.{kind}"), kind),
                words(f"honesty.{kind}.lead"),
                limits_list(kind),
            )
        ),
        heading(2, words("honesty.releases"), "limits-by-release"),
        words("honesty.releases.lead", count=len(everywhere())),
        by_release(),
        heading(2, words("honesty.beyond")),
        bullets(words(f"honesty.beyond.{what}", first=CHRONOLOGY[0], last=CHRONOLOGY[-1]) for what in BEYOND),
    )


BEYOND = ("releases", "languages", "speed")
"""What nothing on these pages is about, and where to look for speed."""


def counted(report: Report, version: str | None = None, kind: str | None = None) -> Count:
    """Return how many cases of a release and a kind came out equal, and how many were run; None for any."""

    def is_meant(of_release: str, of_kind: str) -> bool:
        return version in (None, of_release) and kind in (None, of_kind)

    equal = sum(number for place, number in report.passed.items() if is_meant(*place))
    failed = sum(is_meant(case.release, case.kind) for case in report.failures)
    return equal, equal + failed


def told(count: Count) -> str:
    """Return a count as "equal / run"; nothing where nothing was run."""
    equal, run = count
    return words("honesty.count", equal=equal, run=run) if run else words("honesty.count.none")


def in_short(count: Count) -> str:
    """Return a count as one number where all came out equal, so that a table of them stays narrow."""
    equal, run = count
    return str(run) if run and equal == run else told(count)


def kinds_table(report: Report) -> str:
    """Return what was recorded, kind by kind."""
    return definitions(
        (
            f"{bold(code(kind))}: {told(counted(report, kind=kind))}",
            words(f"honesty.kind.{kind}"),
        )
        for kind in KINDS
    )


def families_table(report: Report) -> str:
    """Return the counts of the releases that name the families, kind by kind."""
    return table(
        [words("honesty.kind"), *FAMILIES],
        ([plain(kind), *(in_short(counted(report, family, kind)) for family in FAMILIES)] for kind in KINDS),
        numbers=True,
    )


def with_cases(report: Report) -> set[str]:
    """Return the releases whose own classes were run."""
    return {version for version, _ in report.passed} | {case.release for case in report.failures}


def own_table(report: Report) -> str:
    """Return the counts of each release whose own classes were run."""
    return table(
        [words("release"), words("family"), words("honesty.cases")],
        (
            [version, release(version).family, told(counted(report, version))]
            for version in CHRONOLOGY
            if version in with_cases(report)
        ),
    )


def limits_list(kind: str) -> str:
    """Return the limits of a kind: name, releases, what it is, what follows."""
    return definitions(
        (
            f"[{bold(plain(named(limit.name)))}]{{#limit-{limit.name}}}: {concerned(limit)}",
            f"{plain(limit.what)}\n\n{plain(limit.effect)}",
        )
        for limit in LIMITS.values()
        if limit.kind == kind
    )


def concerned(limit: Limit) -> str:
    """Return the releases that a limit concerns in words."""
    return words("honesty.all") if limit.releases == CHRONOLOGY else limit.spans


def everywhere() -> list[Limit]:
    """Return the limits that concern every release."""
    return [limit for limit in LIMITS.values() if limit.releases == CHRONOLOGY]


def by_release() -> str:
    """Return the limits that concern only some releases, for each run of releases that share them."""

    def own(version: str) -> tuple[Limit, ...]:
        return tuple(limit for limit in limits_of(version) if limit not in everywhere())

    return definitions(
        (bold(spans_of(versions)), links_to(limits)) for limits, versions in groupby(CHRONOLOGY, own)
    )


def links_to(limits: Iterable[Limit]) -> str:
    """Return the names of limits as links."""
    return ", ".join(link(plain(named(limit.name)), f"#limit-{limit.name}") for limit in limits) or words(
        "none"
    )
