"""A recorded notebook as Markdown that Docusaurus and MkDocs both take as it is.

Docusaurus reads it as MDX 3, MkDocs as Python-Markdown, most others as CommonMark. What is written here means the same
to all three: they differ in what a brace or a tag in prose means, and in whether Markdown is read within tags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from html import escape
from typing import Any
from xml.etree import ElementTree as ET

from rmqref.messages import text
from rmqref.site.embeds import title_of
from rmqref.site.markdown import fenced, table
from rmqref.site.pieces import ANSWER, EMBEDDED, WITHOUT_INPUT, Piece, fold_answers, pieces_of
from rmqref.table import Table

PROSE = re.compile(r"(?P<code>(?P<ticks>`+).+?(?<!`)(?P=ticks)(?!`))|[^`]+|`+", re.DOTALL)
"""Prose cut into code, which stays, and what stands between."""

REWRITES = (
    (r"<(https?://[^\s>]+)>", r"[\1](\1)"),
    (r"<", "&lt;"),  # a tag
    (r"\{", "&#123;"),  # MDX: an expression
    (r"(?m)^i(?=mport\b)", "&#105;"),  # MDX: a statement
    (r"(?m)^e(?=xport\b)", "&#101;"),
    (r"\]\(([\w-]+)\.ipynb", r"](\1.md"),
    (r"\]\(([\w-]+\.svg)\)", r"](pictures/\1)"),
)
"""What would mean something else to one of the readers, and what leads to a file."""

SIGNS = re.compile(r"([\\`*\[\]{}|]|\b_|_\b)")
"""What Markdown would read in a cell of a table; a backslash before it helps with all three readers."""

STEPPER_HEIGHT = 900
"""Pixels of a stepper's frame until the stepper says better."""


def document(notebook: Any, stem: str, *, position: int, base: str) -> str:
    """Return a recorded notebook as a Markdown document.

    Args:
        notebook: the recorded notebook; it is not changed.
        stem: its name.
        position: its place among the pages, from 1.
        base: the way from the page to the exported folder, such as "../".
    """
    found = {
        (number, place): piece for number, place, piece in pieces_of(notebook, stem) if piece.kind in EMBEDDED
    }
    notebook = deepcopy(notebook)
    fold_answers(notebook)
    title, question = heading_of(notebook)
    opening, *cells = [
        prose(cell) if cell.cell_type == "markdown" else code(cell, number, found, base)
        for number, cell in enumerate(notebook.cells)
    ]
    head = front_matter(title=title, description=question, slug=f"{stem}/", sidebar_position=position)
    return "\n\n".join((head, opening, portable(text("site.export.note")), *cells)) + "\n"


def heading_of(notebook: Any) -> tuple[str, str]:
    """Return a notebook's title and its question, which stand in its first cell."""
    title, _, rest = notebook.cells[0].source.partition("\n")
    return title.removeprefix("# "), rest.strip().partition("\n")[0].strip("*")


def front_matter(**entries: str | int) -> str:
    """Return what Markdown documents begin with, for the programs that make pages of them.

    >>> print(front_matter(title="The pick: first", sidebar_position=2))
    ---
    title: "The pick: first"
    sidebar_position: 2
    ---
    """
    # A JSON value is a YAML value.
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in entries.items())
    return "\n".join(("---", *lines, "---"))


def portable(said: str) -> str:
    """Return prose of a notebook as prose for all readers.

    >>> print(portable("A list<T> of {x}: `{x}`, see [03](03_fault_table.ipynb)."))
    A list&lt;T> of &#123;x}: `{x}`, see [03](03_fault_table.md).
    """

    def rewritten(part: str) -> str:
        for pattern, by in REWRITES:
            part = re.sub(pattern, by, part)
        return part

    return PROSE.sub(lambda found: found["code"] or rewritten(found[0]), said)


def prose(cell: Any) -> str:
    """Return a cell of prose."""
    return portable(cell.source)


def code(cell: Any, number: int, pieces: Mapping[tuple[int, int], Piece], base: str) -> str:
    """Return a cell of code and what it showed; an answer to a question stands folded.

    Args:
        cell: the cell.
        number: its number in the notebook.
        pieces: the notebook's pieces by the numbers of their cell and output.
        base: the way from the page to the exported folder.
    """
    tags = cell.metadata.get("tags", ())
    folded = ANSWER in tags
    outputs = [
        frame(pieces[number, place], base) if (number, place) in pieces else shown(output, folded)
        for place, output in enumerate(cell.outputs)
    ]
    if folded:
        summary = f"<details>\n<summary>{escape(text('site.answer.show'))}</summary>"
        outputs = [summary, *outputs, "</details>"]
    source = () if WITHOUT_INPUT in tags else (fenced("python", cell.source),)
    return "\n\n".join((*source, *outputs))


def shown(output: Any, in_tags: bool) -> str:
    """Return an output that is no piece.

    Args:
        output: the output.
        in_tags: whether it stands within tags, where not every reader looks for a table.
    """
    if output.output_type == "stream":
        return fenced("text", output.text.rstrip("\n"))
    rows = rows_of(output.data.get("text/html", ""))
    if not rows:
        return fenced("text", output.data["text/plain"])
    if in_tags:
        return fenced("text", str(Table(rows)))
    heads, *rest = [[cell_text(cell) for cell in row] for row in rows]
    return table(heads, rest)


def rows_of(html: str) -> list[list[str]]:
    """Return the rows of a table in HTML; none if it is no plain table.

    >>> rows_of("<table><tr><th>a</th><td>1 &lt; 2</td></tr></table>"), rows_of("<p>a<br>b")
    ([['a', '1 < 2']], [])
    """
    try:
        root = ET.fromstring(html)  # noqa: S314  # it comes from a notebook of this project
    except ET.ParseError:
        return []
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


def cell_text(said: str) -> str:
    r"""Return a text for a cell of a table.

    >>> print(cell_text("retry_codes | <none>"))
    retry_codes \| &lt;none&gt;
    """
    return SIGNS.sub(r"\\\1", escape(said, quote=False))


def frame(piece: Piece, base: str) -> str:
    """Return the frame that shows a piece, and a link to it for readers who see no frames.

    Args:
        piece: the piece.
        base: the way from the page to the exported folder.

    Its attributes are written so that both HTML and JSX take them.
    """
    address = escape(f"{base}embeds/{piece.key}.html")
    height = piece.height if piece.kind == "plot" else STEPPER_HEIGHT
    note = f"<p>{escape(text('site.export.controls'))}</p>\n\n" if piece.data.get("controls") else ""
    return (
        f'{note}<iframe src="{address}" title="{escape(title_of(piece))}" loading="lazy" width="100%" '
        f'height="{height}" frameBorder="0"></iframe>\n\n'
        f'<p><a href="{address}">{escape(text(f"site.export.open.{piece.kind}"))}</a></p>'
    )


def index(notebooks: Mapping[str, Any]) -> str:
    """Return the page that leads to the notebooks.

    Args:
        notebooks: the recorded notebooks by stem, in order.
    """
    title = text("site.export.title")
    links = []
    for stem, notebook in notebooks.items():
        name, question = heading_of(notebook)
        links.append(f"- [{portable(name)}]({stem}.md): {portable(question)}")
    head = front_matter(title=title, description=text("site.export.lead"), sidebar_position=0)
    return "\n\n".join((head, f"# {title}", portable(text("site.export.lead")), "\n".join(links))) + "\n"
