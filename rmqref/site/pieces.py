"""The interactive pieces of a recorded notebook, and the HTML that stands for them in a page.

A piece is a custom element of `static/elements.js` around its still picture: without JavaScript the picture stays.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from html import escape
from typing import Any

import nbformat

from rmqref.messages import text
from rmqref.plots import GRID, INK, WASH
from rmqref.site.showing import PAIR, PLOT, QUIZ, STEPPER
from rmqref.trace import Json

THEMES: dict[str, dict[str, str]] = {
    "light": {INK: "#4c5660", GRID: "rgba(76,86,96,0.3)", WASH: "rgba(76,86,96,0.12)"},
    "dark": {INK: "#b4bec8", GRID: "rgba(180,190,200,0.3)", WASH: "rgba(180,190,200,0.14)"},
}
"""What the ink of a figure becomes where the theme is known; elsewhere one ink has to serve both."""

WIDTHS = {"wide": 720, "narrow": 340}
"""Pixels of a picture's width beside the contents, and on a phone."""

HEIGHT = 450
"""Pixels of a figure that does not say how high it is; plotly's own default."""

ASKS = "**Predict"
"""What a cell of prose holds that asks for a prediction: what comes next is the answer."""

EMBEDDED = ("stepper", "plot")
"""The kinds of pieces that an export has as files of their own; the others stand there as text."""

LIVE_WIDGET = "nbval-ignore-output"
"""The tag of a cell that shows a widget; the next one drives it and prints what it then shows."""

WITHOUT_INPUT = "remove-input"
"""The tag of a cell whose source is not shown: it only names the widget below it."""

ANSWER = "hide-output"
"""The tag of a cell whose output stands folded."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stepper or a figure of a notebook.

    Attributes:
        notebook: the notebook's stem.
        name: unique in its notebook: a stepper has the name of its variable, a figure a number.
        kind: "stepper", "pair", "plot" or "quiz".
        data: what `rmqref.site.showing` gives of it, or the figure.
        is_first: whether it is the notebook's first stepper, whose steps are linked without a name.
    """

    notebook: str
    name: str
    kind: str
    data: Json
    is_first: bool = False

    @property
    def key(self) -> str:
        """Unique in the site: `notebook.name`."""
        return f"{self.notebook}.{self.name}"

    @property
    def steppers(self) -> dict[str, Json]:
        """What its steppers show, by key; a pair has two."""
        if self.kind == "pair":
            return {f"{self.key}.{number}": run for number, run in enumerate(self.data["runs"])}
        return {self.key: self.data} if self.kind == "stepper" else {}

    @property
    def height(self) -> int:
        """Pixels of a figure's height."""
        return int(self.data["layout"].get("height", HEIGHT))

    @property
    def description(self) -> str:
        """What a figure or a run shows, in plain text."""
        if self.kind == "plot":
            return str(self.data["layout"]["meta"]["description"])
        trace = self.data["trace"]
        return text("site.piece.run", title=trace["title"], release=trace["release"])


def pieces_of(notebook: Any, stem: str) -> Iterator[tuple[int, int, Piece]]:
    """Yield a recorded notebook's pieces, each with the numbers of its cell and of its output.

    Args:
        notebook: the recorded notebook.
        stem: its name.
    """
    steppers = plots = 0
    for number, cell in enumerate(notebook.cells):
        for place, output in enumerate(cell.get("outputs", ())):
            data = output.get("data", {})
            if STEPPER in data:
                steppers += 1
                yield number, place, Piece(stem, cell.source, "stepper", data[STEPPER], steppers == 1)
            elif PLOT in data:
                plots += 1
                yield number, place, Piece(stem, f"plot-{plots}", "plot", data[PLOT])
            elif PAIR in data:
                yield number, place, Piece(stem, cell.source, "pair", data[PAIR])
            elif QUIZ in data:
                yield number, place, Piece(stem, cell.source, "quiz", data[QUIZ])


def dressed_notebook(notebook: Any, stem: str, show: Callable[[Piece], str]) -> Any:
    """Return a recorded notebook for a reader without a kernel.

    Pieces become HTML, answers to predictions are folded, and below the opening stands the way to the live notebook.

    Args:
        notebook: the recorded notebook; it is not changed.
        stem: its name.
        show: gives the HTML that stands for a piece.
    """
    found = list(pieces_of(notebook, stem))
    notebook = deepcopy(notebook)
    for number, place, piece in found:
        notebook.cells[number].outputs[place].data = {"text/html": show(piece)}
    fold_answers(notebook)
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell(live_link(stem), id="live"))
    return notebook


def fold_answers(notebook: Any) -> None:
    """Tag the cells that answer a question, so that their output has to be asked for, and those that name a widget."""
    asked = False
    for cell in notebook.cells:
        if cell.cell_type != "code":
            asked = asked or ASKS in cell.source
            continue
        shows_widget = LIVE_WIDGET in cell.metadata.get("tags", ())
        if shows_widget:
            tag(cell, WITHOUT_INPUT)
        elif asked and cell.outputs:
            tag(cell, ANSWER)
        asked = shows_widget or (asked and not cell.outputs)


def tag(cell: Any, name: str) -> None:
    """Give a cell a tag, once."""
    tags = cell.metadata.get("tags", [])
    cell.metadata["tags"] = tags if name in tags else [*tags, name]


def live_link(stem: str) -> str:
    """Return the link that opens a notebook live."""
    return (
        f'<p class="rmq-live"><a href="../live.html?notebook={escape(stem)}">{escape(text("site.live.link"))}</a> '
        f"<span>{escape(text('site.live.link.more'))}</span></p>"
    )


def element(piece: Piece, *, root: str, stills: Mapping[str, str], pictures: Mapping[str, str]) -> str:
    """Return the HTML that stands for a piece.

    Args:
        piece: the piece.
        root: the way from the page to the site's root, such as "../".
        stills: of its steppers: the HTML of each at its first moment, by key.
        pictures: of a figure: its picture's file names by theme and width.
    """
    name = escape(piece.name)
    failed = escape(text("site.piece.failed"))
    if piece.kind == "plot":
        shown = "".join(picture(piece, theme, root, pictures) for theme in THEMES)
        return (
            f'<rmq-plot id="{name}" src="{root}plots/{escape(piece.key)}.json" data-failed="{failed}" '
            f'style="--rmq-height:{piece.height}px">{shown}</rmq-plot>'
        )
    if piece.kind == "quiz":
        return (
            f'<rmq-quiz id="{name}" src="{root}quizzes/{escape(piece.key)}" data-failed="{failed}">'
            f"{still_quiz(piece)}</rmq-quiz>"
        )
    note = (
        f'<p class="rmq-controls">{escape(text("site.piece.controls"))}</p>' if piece.data["controls"] else ""
    )
    if piece.kind == "pair":
        said = "".join(f"<li>{escape(sentence)}</li>" for sentence in piece.data["differences"])
        steppers = "".join(
            stepper_element(f"{piece.name}-{number}", key, run, root, stills.get(key, ""))
            for number, (key, run) in enumerate(piece.steppers.items())
        )
        return (
            f'{note}<ul>{said}</ul><rmq-pair id="{name}" src="{root}pairs/{escape(piece.key)}.json" '
            f'data-failed="{failed}">{steppers}</rmq-pair>'
        )
    link = "" if piece.is_first else piece.name
    return note + stepper_element(piece.name, piece.key, piece.data, root, stills.get(piece.key, ""), link)


def stepper_element(name: str, key: str, run: Json, root: str, still: str, link: str | None = None) -> str:
    """Return the HTML of a stepper.

    Args:
        name: its id in the page.
        key: of its trace.
        run: its moment.
        root: the way from the page to the site's root.
        still: its HTML at its first moment.
        link: how the page's address names its steps; None if it does not.
    """
    attributes = f'step="{run["step"]}"' + ("" if link is None else f' link="{escape(link)}"')
    if run["predict"]:
        attributes += " predict"
    failed = escape(text("site.piece.failed"))
    return (
        f'<rmq-stepper id="{escape(name)}" src="{root}traces/{escape(key)}.json" data-failed="{failed}" '
        f"{attributes}><div inert>{still}</div></rmq-stepper>"
    )


def still_quiz(piece: Piece) -> str:
    """Return a quiz as HTML that can be read without JavaScript: questions, and answers to unfold."""
    return "<ol>" + "".join(map(still_question, piece.data["questions"])) + "</ol>"


def still_question(question: Json) -> str:
    """Return a question as HTML, with its options, and its answer to unfold."""
    options = "".join(f"<li>{escape(option['text'])}</li>" for option in question["options"])
    right = escape(question["options"][question["right"]]["text"])
    why = "".join(f"<li>{escape(sentence)}</li>" for sentence in question["why"])
    return (
        f"<li><p>{escape(question['text'])}</p><ul>{options}</ul><details>"
        f"<summary>{escape(text('site.answer.show'))}</summary><p><b>{right}</b></p><ul>{why}</ul></details></li>"
    )


def picture(piece: Piece, theme: str, root: str, files: Mapping[str, str]) -> str:
    """Return a figure's picture for one theme, narrow on a phone."""
    narrow, wide = (f"{root}pictures/{escape(files[f'{theme} {width}'])}" for width in ("narrow", "wide"))
    return (
        f'<picture class="only-{theme}"><source media="(max-width: 500px)" srcset="{narrow}" '
        f'width="{WIDTHS["narrow"]}" height="{piece.height}"><img src="{wide}" alt="{escape(piece.description)}" '
        f'loading="lazy" width="{WIDTHS["wide"]}" height="{piece.height}"></picture>'
    )


def themed(figure: Json, theme: str) -> Json:
    """Return a figure in the ink of a theme.

    Args:
        figure: a figure as JSON.
        theme: "light" or "dark".

    >>> themed({"layout": {"font": {"color": "#797979"}}}, "dark")
    {'layout': {'font': {'color': '#b4bec8'}}}
    """
    written = json.dumps(figure)
    for ink, its in THEMES[theme].items():
        written = written.replace(ink, its)
    inked: Json = json.loads(written)
    return inked
