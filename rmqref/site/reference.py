"""The pages to look things up in: the release table, the reference, the command line, what is exact, the glossary.

Each is made of data and docstrings; `write_pages` writes them where Sphinx reads them. `process_docstring` is what
Sphinx asks about every docstring of the reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from rmqref.cheat_sheet import cheat_sheet
from rmqref.conform import replay
from rmqref.messages import text
from rmqref.releases import CHRONOLOGY
from rmqref.site.command_page import command_page
from rmqref.site.honesty_page import honesty_page
from rmqref.site.markdown import bullets, code, fenced, heading, link, page, plain, words
from rmqref.site.release_page import releases_page

HERE = Path(__file__).parent

FLOORS = (
    ("messages", "table", "errors", "java"),
    ("model",),
    ("index", "selection", "faults", "strategy", "selectors", "sending", "java_texts"),
    ("releases", "bugs", "limits", "route", "route_text", "samples", "log_entries"),
    (
        "situation",
        "measure",
        "producer",
        "broker",
        "cluster",
        "scenario",
        "simulation",
        "report",
        "route_report",
        "incident",
        "incident_report",
        "anonymise",
        "course",
        "forecast",
        "forecast_report",
    ),
    (
        "trace",
        "send_trace",
        "conform",
        "run_measure",
        "walks",
        "differences",
        "museum",
        "upgrade",
        "cheat_sheet",
        "quiz",
        "quiz_session",
        "proofs",
        "uneven",
    ),
    (
        "plots",
        "run_plots",
        "forecast_plots",
        "forecast_controls",
        "stepper",
        "controls",
        "send_controls",
        "comparison",
        "quiz_widget",
    ),
    ("cli",),
)
"""The rooms from the ground up, in the order in which to read them."""

FIELDS = {"Returns": "returns", "Yields": "yields", "Java": text("site.pages.java")}
"""The paragraphs of a docstring that become fields here, and the fields' names."""

GITHUB = "https://github.com/apache/rocketmq/blob"

LONGEST_VALUE = 60
"""Signs of a constant's value that stand beside its name; a longer one is left to the source."""

VERSION = re.compile(r"\d+\.\d+\.\d+(?:-\w+)?")
"""A release."""
JAVA_CLASS = re.compile(r"\b[A-Z]\w+")
"""What may be the name of a Java class."""
IN_BRACKETS = re.compile(r"\([^()]*\)")
"""An aside, or the arguments of a method."""
NO_VALUE = re.compile(r"<[^<>]*>")
"""How Python writes a default that has no literal: `<factory>`, an enumeration's member, a function."""


def write_pages(source: Path, to: Path) -> list[str]:
    """Write the pages.

    Args:
        source: the root of a clone, with `tests/vectors`.
        to: the folder that Sphinx reads.

    Returns:
        The pages' names in order, without those that another of them lists.

    Raises:
        VectorError: the clone has no vectors.
    """
    pages = {
        "releases": releases_page(),
        "cheat_sheet": cheat_sheet() + "\n",
        "command_line": command_page(source),
        "glossary": (HERE / "glossary.md").read_text(encoding="utf-8"),
        "reference/index": index_page(),
        "honesty": honesty_page(replay([source / "tests" / "vectors"])),
    }
    rooms = {f"reference/rmqref.{room}": room_page(room) for room in all_rooms()}
    for name, written in (pages | rooms).items():
        file = to / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(written, encoding="utf-8")
    return list(pages)


# ---------------------------------------------------------------------------------------------------- the reference


def all_rooms() -> list[str]:
    """Return the rooms of the package from the ground up."""
    return [room for floor in FLOORS for room in floor]


def index_page() -> str:
    """Return the list of rooms, floor by floor."""
    return page(
        words("reference.title"),
        words("reference.lead"),
        words("reference.how"),
        *(part for number in range(len(FLOORS)) for part in floor_section(number)),
        fenced("{toctree}", "\n".join([":hidden:", "", *(f"rmqref.{room}" for room in all_rooms())])),
    )


def floor_section(number: int) -> list[str]:
    """Return a floor: what it is for, and its rooms."""
    return [
        heading(2, words("reference.floor", number=number, name=text(f"site.pages.floor.{number}.name"))),
        words(f"floor.{number}"),
        bullets(f"{link(code(room), f'rmqref.{room}.md')}: {summary(room)}" for room in FLOORS[number]),
    ]


def summary(room: str) -> str:
    """Return the first sentence of a room's docstring, which is Markdown as it stands.

    >>> summary("table")
    'A table that reads well as text and in a notebook.'
    """
    documented = import_module(f"rmqref.{room}").__doc__
    assert documented is not None
    return " ".join(documented.partition("\n\n")[0].split())


def room_page(room: str) -> str:
    """Return the page of a room: its first sentence, and then what Sphinx reads off its docstrings.

    Args:
        room: a module of the package, by its short name.
    """
    return page(
        plain(room),
        summary(room),
        fenced("{eval-rst}", f".. automodule:: rmqref.{room}\n   :members:\n   :member-order: bysource"),
    )


# --------------------------------------------------------------------------------------------- what Sphinx is told


def connect(app: Any) -> None:
    """Let Sphinx ask the three functions below.

    Args:
        app: Sphinx.
    """
    # Before napoleon, which would take a colon in what is returned for the end of a type.
    app.connect("autodoc-process-docstring", process_docstring, priority=400)
    app.connect("autodoc-process-signature", process_signature)
    app.connect("object-description-transform", shorten_value)


def process_docstring(_app: Any, what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """Make a docstring's paragraph "Java: ..." a field with links to the source; Sphinx asks for every docstring.

    Args:
        _app: Sphinx.
        what: the kind of thing that is documented.
        _name: its full name.
        _obj: it.
        _options: those of the directive.
        lines: the docstring, changed in place. A module loses its first paragraph, which is the page's own.
    """
    paragraphs = "\n".join(lines).strip("\n").split("\n\n")
    if what == "module":
        del paragraphs[0]
    lines[:] = "\n\n".join(map(as_field, paragraphs)).split("\n")


def process_signature(
    _app: Any, _what: str, _name: str, obj: Any, _options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Return a signature whose defaults are Python, and none of a protocol; Sphinx asks for every signature.

    Args:
        _app: Sphinx.
        _what: the kind of thing that is documented.
        _name: its full name.
        obj: it.
        _options: those of the directive.
        signature: the arguments in their brackets.
        returned: what is returned.
    """
    if getattr(obj, "_is_protocol", False):
        return "", None
    return signature and NO_VALUE.sub("...", signature), returned


def shorten_value(_app: Any, _domain: str, kind: str, content: Any) -> None:
    """Leave away the value of a constant where it is long; Sphinx asks for everything that it has described.

    Args:
        _app: Sphinx.
        _domain: the language.
        kind: what is described.
        content: the description, whose parent holds the name and the value.
    """
    if kind not in ("data", "attribute"):
        return
    for said in list(content.parent[0].findall(lambda node: node.tagname == "desc_annotation")):
        value = said.astext().strip()
        if value.startswith("=") and len(value) > LONGEST_VALUE:
            said.parent.remove(said)


def as_field(paragraph: str) -> str:
    """Return a paragraph of a docstring as a field, if it says what is returned or where Java has it.

    >>> as_field("Returns: the port, as `host:port`."), as_field("Args: none.")
    (':returns: the port, as `host:port`.', 'Args: none.')
    """
    head, colon, said = paragraph.partition(":")
    said = " ".join(said.split())
    if not colon or head not in FIELDS:
        return paragraph
    links = ", ".join(source_links(said)) if head == "Java" else ""
    more = f"\n\n   {text('site.pages.java.read', links=links)}" if links else ""
    return f":{FIELDS[head]}: {said}{more}"


def source_links(said: str) -> Iterator[str]:
    """Yield links to the classes that a docstring names, in the first and the last release that it names.

    Args:
        said: what stands behind "Java:".

    Yields:
        Links in reStructuredText.

    >>> for link in source_links("TopicPublishInfo#ok, 4.0.0-incubating .. 4.7.1."):
    ...     print(link[:39])
    `TopicPublishInfo 4.0.0-incubating <htt
    `TopicPublishInfo 4.7.1 <https://github
    """
    for clause in said.split(";"):
        outside = IN_BRACKETS.sub("", clause)
        for name in dict.fromkeys(JAVA_CLASS.findall(outside)):
            for version in dict.fromkeys(ends_of(outside) or ends_of(clause)):
                address = java_source(name, version)
                if address is not None:
                    yield f"`{name} {version} <{address}>`__"


def ends_of(clause: str) -> tuple[str, ...]:
    """Return the first and the last release that a text names; nothing if it names none.

    >>> ends_of("4.8.0 .. 5.1.0"), ends_of("from 5.1.4"), ends_of("no class")
    (('4.8.0', '5.1.0'), ('5.1.4', '5.3.3'), ())
    """
    named = sorted(set(VERSION.findall(clause)) & set(CHRONOLOGY), key=CHRONOLOGY.index)
    if "all releases" not in clause and not named:
        return ()
    is_open = {
        "up to": "all releases" in clause or "up to" in clause,
        "from": "all releases" in clause or "from" in clause,
    }
    return (
        CHRONOLOGY[0] if is_open["up to"] else named[0],
        CHRONOLOGY[-1] if is_open["from"] else named[-1],
    )


@cache
def java_sources() -> dict[str, dict[str, str]]:
    """Return where the classes lie in the sources of Java: for each the path by the release from which it lies there."""
    found: dict[str, dict[str, str]] = json.loads((HERE / "java_sources.json").read_text(encoding="utf-8"))
    return found


def java_source(name: str, version: str) -> str | None:
    """Return the address of a class in the sources of a release, or None if it is not known or not there yet.

    Args:
        name: the simple name of the class.
        version: a release.

    >>> java_source("QueueData", "4.9.7").partition("/blob/")[2].rpartition("/")[0]
    'rocketmq-all-4.9.7/common/src/main/java/org/apache/rocketmq/common/protocol/route'
    """
    paths = [
        path
        for since, path in java_sources().get(name, {}).items()
        if CHRONOLOGY.index(since) <= CHRONOLOGY.index(version)
    ]
    return f"{GITHUB}/{tag_of(version)}/{paths[-1]}" if paths else None


def tag_of(version: str) -> str:
    """Return the tag of a release; the first one was named otherwise.

    >>> tag_of("4.0.0-incubating"), tag_of("4.1.0-incubating")
    ('rocketmq-4.0.0-incubating', 'rocketmq-all-4.1.0-incubating')
    """
    return f"rocketmq-{version}" if version == CHRONOLOGY[0] else f"rocketmq-all-{version}"
