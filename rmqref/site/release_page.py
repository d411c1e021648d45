"""The page of the release table: family by family, behaviour by behaviour, and the bugs, all read off the table."""

from __future__ import annotations

import re
from inspect import cleandoc
from itertools import groupby

from rmqref.bugs import BUGS, Bug
from rmqref.releases import (
    CHRONOLOGY,
    EXCEPTIONS,
    FAMILIES,
    PICK_COLUMNS,
    RELEASED,
    SEND_COLUMNS,
    Release,
    release,
    spans_of,
)
from rmqref.site.markdown import (
    bold,
    bullets,
    cell,
    code,
    definitions,
    heading,
    link,
    page,
    plain,
    table,
    words,
)

GROUPS = {"pick": PICK_COLUMNS, "send": SEND_COLUMNS}
"""The behaviours that the choice of a queue asks, and those that the send asks beside."""


def releases_page() -> str:
    """Return the page: how to read it, the families, the behaviours, the bugs."""
    return page(
        words("releases.title"),
        words("releases.lead", releases=len(CHRONOLOGY), families=len(FAMILIES)),
        words("releases.how"),
        table(
            [words("family"), words("releases")],
            ([link(row.family, f"#family-{row.family}"), versions(row)] for row in FAMILIES.values()),
        ),
        heading(2, words("releases.families")),
        *map(family_section, FAMILIES.values()),
        *(part for group in GROUPS for part in group_sections(group)),
        heading(2, words("releases.bugs"), "bugs"),
        words("releases.bugs.lead"),
        *map(bug_section, BUGS.values()),
    )


def versions(row: Release) -> str:
    """Return the releases of a family in words."""
    return spans_of(RELEASED[row.family].split())


def family_section(row: Release) -> str:
    """Return what a family is: its releases, what is new in it, which of them differ, its bugs, and its whole row."""
    families = list(FAMILIES.values())
    number = families.index(row)
    news = differences(families[number - 1], row) if number else []
    lead = words("releases.new", before=families[number - 1].family) if number else words("releases.oldest")
    return "\n\n".join(
        [
            heading(3, words("releases.family", family=row.family), f"family-{row.family}"),
            words("releases.span", span=versions(row)),
            lead,
            definitions(
                (behaviour(name), f"{shown(families[number - 1], name)} → {shown(row, name)}")
                for name in news
            ),
            *exceptions(row),
            *bugs_of(row),
            whole_row(row),
        ]
    )


def differences(before: Release, row: Release) -> list[str]:
    """Return the behaviours in which two rows differ."""
    return [
        name for columns in GROUPS.values() for name in columns if shown(before, name) != shown(row, name)
    ]


def shown(row: Release, name: str) -> str:
    """Return a cell, or that the release's client never asks it."""
    return words("unused") if name in row.unused else cell(getattr(row, name))


def behaviour(name: str) -> str:
    """Return a behaviour's name as a link to its section."""
    return link(code(name), f"#behaviour-{name}")


def exceptions(row: Release) -> list[str]:
    """Return where single releases of a family differ from the rest of it."""
    differing = [version for version in RELEASED[row.family].split() if version in EXCEPTIONS]
    if not differing:
        return []
    return [
        words("releases.exceptions"),
        definitions((bold(spans_of(alike)), told) for told, alike in groupby(differing, exception)),
    ]


def exception(version: str) -> str:
    """Return how a release differs from the rest of its family."""
    own = release(version)
    differing = differences(FAMILIES[own.family], own)
    said = [f"{behaviour(name)}: {shown(own, name)}" for name in differing]
    return ", ".join(said) if said else words("releases.texts")


def bugs_of(row: Release) -> list[str]:
    """Return the bugs that releases of a family have, with the releases where not all of them have one."""
    own = RELEASED[row.family].split()
    had = [(bug, [version for version in bug.releases if version in own]) for bug in BUGS.values()]
    told = [
        bug_link(bug) + ("" if having == own else f" ({spans_of(having)})") for bug, having in had if having
    ]
    return [words("releases.has_bugs", count=len(told)) + " " + ", ".join(told) + "."] if told else []


def bug_link(bug: Bug) -> str:
    """Return a bug's name as a link to its section."""
    return link(plain(named(bug.name)), f"#bug-{bug.name}")


def named(name: str) -> str:
    """Return a name of the package as words.

    >>> named("counter_sticks")
    'counter sticks'
    """
    return name.replace("_", " ")


def whole_row(row: Release) -> str:
    """Return all behaviours of a family, folded."""
    columns = [name for columns in GROUPS.values() for name in columns]
    return "\n\n".join(
        [
            "<details>",
            f"<summary>{words('releases.row', count=len(columns), family=row.family)}</summary>",
            table(
                [words("behaviour"), words("value")],
                ([behaviour(name), shown(row, name)] for name in columns),
            ),
            "</details>",
        ]
    )


def group_sections(group: str) -> list[str]:
    """Return the sections of a group of behaviours."""
    return [
        heading(2, words(f"releases.{group}"), f"group-{group}"),
        words(f"releases.{group}.lead"),
        *map(behaviour_section, GROUPS[group]),
    ]


def behaviour_section(name: str) -> str:
    """Return what a behaviour is, and which releases have which variant of it."""
    having: dict[str, list[str]] = {}
    for version in CHRONOLOGY:
        having.setdefault(shown(release(version), name), []).append(version)
    return "\n\n".join(
        [
            heading(3, code(name), f"behaviour-{name}"),
            explanation(name),
            table(
                [words("value"), words("releases")],
                ([value, spans_of(found)] for value, found in having.items()),
            ),
        ]
    )


def explanation(name: str) -> str:
    """Return what a behaviour is, as the class of the rows documents it.

    >>> explanation("latency_max")
    'The thresholds in milliseconds.'
    """
    assert Release.__doc__ is not None
    found = re.search(rf"^    {name}: (.*(?:\n {{8,}}.*)*)", cleandoc(Release.__doc__), re.MULTILINE)
    assert found is not None
    said = " ".join(found[1].split())
    return said[0].upper() + said[1:]


def bug_section(bug: Bug) -> str:
    """Return what a bug does, who has it, and where it is told of."""
    return "\n\n".join(
        [
            heading(3, plain(named(bug.name)), f"bug-{bug.name}"),
            plain(bug.what),
            bullets(
                [
                    words("releases.bug.releases", spans=bug.spans),
                    plain(bug.link)
                    if bug.issue is None
                    else link(words("releases.bug.issue", issue=bug.issue), bug.link),
                ]
            ),
        ]
    )
