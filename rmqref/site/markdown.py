"""Markdown as Sphinx reads it here: a sentence as plain text, a name as a link into the reference, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rmqref.messages import Parameter, text
from rmqref.releases import cell_text

SIGNS = re.compile(r"([\\`*_<>|\[\]{}#~$])")
"""What would mean something in Markdown."""


def words(name: str, /, **parameters: Parameter) -> str:
    """Return a sentence of these pages, `site.pages.<name>` of the catalogue, as plain text."""
    return plain(text(f"site.pages.{name}", None, **parameters))


def plain(said: str) -> str:
    r"""Return a text that Markdown leaves as it is.

    >>> print(plain("retry_codes: <none>"))
    retry\_codes: \<none\>
    """
    return SIGNS.sub(r"\\\1", said)


def code(said: object) -> str:
    """Return a text as code."""
    return f"`{said}`"


def bold(said: str) -> str:
    """Return a text in bold."""
    return f"**{said}**"


def link(said: str, target: str) -> str:
    """Return a link."""
    return f"[{said}]({target})"


def heading(level: int, said: str, target: str = "") -> str:
    """Return a heading, with a name to link to if it is given one."""
    return (f"({target})=\n" if target else "") + f"{'#' * level} {said}"


def definitions(entries: Iterable[tuple[str, str]]) -> str:
    """Return a list of definitions: pairs of a term and what it means, which may have several paragraphs."""
    return "\n\n".join(
        f"{term}\n: " + meaning.replace("\n", "\n  ").replace("\n  \n", "\n\n") for term, meaning in entries
    )


def bullets(entries: Iterable[str]) -> str:
    """Return a list."""
    return "\n".join(f"- {entry}" for entry in entries)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: bool = False) -> str:
    """Return a table; the cells beside the first column stand to the right if they are numbers."""
    rule = ["---", *(["--:" if numbers else "---"] * (len(heads) - 1))]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (heads, rule, *rows))


def fenced(language: str, said: str) -> str:
    """Return a block of code, between fences that are longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", said)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{said}\n{fence}"


def page(title: str, lead: str, *parts: str) -> str:
    """Return a page: its title, the sentence that describes it, and its parts."""
    return "\n\n".join(part for part in (heading(1, title), lead, *parts) if part) + "\n"


def cell(value: object) -> str:
    """Return a cell of the release table: a function or class as a link into the reference, else the value.

    >>> cell(cell_text), cell((50, 100)), cell(frozenset())
    ('{py:obj}`cell_text <rmqref.releases.cell_text>`', '`50 100`', 'none')
    """
    if isinstance(value, bool):
        return words("yes") if value else words("no")
    if callable(value):
        module, name = value.__module__, getattr(value, "__qualname__", "")
        return f"{{py:obj}}`{name} <{module}.{name}>`"
    return code(cell_text(value)) if cell_text(value) else words("none")
