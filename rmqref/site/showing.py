"""What a kernel is told while the site is built: a widget gives its recorded run as data, not as a live view."""

from __future__ import annotations

import json
from typing import Any

from rmqref.comparison import ReleasesSideBySide
from rmqref.controls import PickControls
from rmqref.differences import matching_step
from rmqref.forecast_controls import ForecastControls
from rmqref.forecast_plots import forecast_share
from rmqref.quiz_session import answer_sheet
from rmqref.quiz_widget import Quiz
from rmqref.send_controls import SendControls
from rmqref.stepper import Stepper, dressed
from rmqref.trace import Json

STEPPER = "application/vnd.rmqref.stepper+json"
"""The type of an output that is a stepper at one moment."""

PAIR = "application/vnd.rmqref.pair+json"
"""The type of an output that is two steppers that go together."""

QUIZ = "application/vnd.rmqref.quiz+json"
"""The type of an output that is a quiz."""

PLOT = "application/vnd.plotly.v1+json"
"""The type of an output that is a figure."""


def moment(stepper: Stepper, *, controls: bool = False) -> Json:
    """Return a stepper as it is now, as data.

    Args:
        stepper: the stepper.
        controls: whether it stands below controls, which need Python.

    Returns:
        Its trace with its words, and where its reader is.

    >>> from rmqref.situation import Situation
    >>> from rmqref.trace import record
    >>> now = moment(Stepper(record(Situation()), predict=True))
    >>> now["step"], now["predict"], now["answers"]
    (0, True, [None])
    """
    return {
        "trace": stepper.trace,
        "step": stepper.step,
        "predict": stepper.predict,
        "answers": list(stepper.answers),
        "controls": controls,
    }


def shown(widget: Stepper | PickControls | SendControls, **_wanted: object) -> dict[str, Any]:
    """Return what a cell's output holds of a widget, by type."""
    stepper = widget if isinstance(widget, Stepper) else widget.stepper
    return {STEPPER: moment(stepper, controls=stepper is not widget), "text/plain": repr(widget)}


def shown_pair(both: ReleasesSideBySide, **_wanted: object) -> dict[str, Any]:
    """Return what a cell's output holds of two steppers, by type: each run, and which steps belong together."""
    one, other = both.steppers
    ways = ((one, other), (other, one))
    data = {
        "runs": [moment(stepper) for stepper in both.steppers],
        "matches": [[matching_step(a.trace, b.trace, step) for step in range(a.last + 1)] for a, b in ways],
        "differences": list(both.differences),
        "controls": True,
    }
    return {PAIR: data, "text/plain": "\n".join(both.differences)}


def shown_quiz(quiz: Quiz, **_wanted: object) -> dict[str, Any]:
    """Return what a cell's output holds of a quiz, by type: the questions with their runs, and in plain text."""
    traces = [question.trace() for question in quiz.questions]
    runs = [
        {"trace": dressed(trace), "step": question.deciding_step(trace)}
        for question, trace in zip(quiz.questions, traces, strict=True)
    ]
    sheet = "\n".join(answer_sheet(quiz.questions))
    return {QUIZ: dict(quiz.part.quiz) | {"runs": runs}, "text/plain": sheet}


def shown_forecast(controls: ForecastControls, **_wanted: object) -> dict[str, Any]:
    """Return what a cell's output holds of a forecast's controls, by type: the figure of the shares."""
    return {PLOT: json.loads(forecast_share(controls.found).to_json()), "text/plain": repr(controls)}


def install() -> None:
    """Let this kernel show widgets in this way."""
    from IPython.core.getipython import get_ipython  # noqa: PLC0415  # there is a kernel only where this runs

    shell: Any = get_ipython()
    for widget in (Stepper, PickControls, SendControls):
        shell.display_formatter.mimebundle_formatter.for_type(widget, shown)
    shell.display_formatter.mimebundle_formatter.for_type(ReleasesSideBySide, shown_pair)
    shell.display_formatter.mimebundle_formatter.for_type(ForecastControls, shown_forecast)
    shell.display_formatter.mimebundle_formatter.for_type(Quiz, shown_quiz)
