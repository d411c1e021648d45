"""The stepper: a widget that shows a trace, and that Python can read and drive without a browser.

What is shown is drawn by `static/stepper.js`, which the pages of a static site load as it is. The rules of the
predict-first mode (where a reader may go, what counts as right) are here once more, so that a notebook can be
executed and checked with no browser at hand. Both sides share `trace`, `step`, `predict` and `answers`, and work out
the rest from these.
"""

from __future__ import annotations

from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, cast

import anywidget
import traitlets
from pygments.lexers.python import PythonLexer
from pygments.token import STANDARD_TYPES

from rmqref.errors import TraceError
from rmqref.messages import catalogue, text
from rmqref.trace import FORMAT, VERSION, Json

SHOWN = -1
"""An answer that is none: the decision was shown without a prediction."""

STATIC = Path(__file__).parent / "static"
"""Where the widget's module and style sheet are."""

Answers = list[int | None]
"""One item a decision: None before it was asked, `SHOWN`, or the position that was predicted."""


def dressed(trace: Json, language: str = "en") -> Json:
    """Return a trace with what the stepper needs to show it: coloured source and words.

    Args:
        trace: what `rmqref.trace.record` returned.
        language: which catalogue the words come from.

    Returns:
        A new trace; the given one is not changed.

    Raises:
        TraceError: it is not a trace of this version.
        KeyError: there is no catalogue of that language.

    >>> from rmqref.situation import Situation
    >>> from rmqref.trace import record
    >>> dressed(record(Situation()))["words"]["stepper.forward"]
    'Forward'
    """
    if trace.get("format") != FORMAT or trace.get("version") != VERSION:
        raise TraceError("stepper.error.trace", format=FORMAT, version=VERSION)
    said = {step["say"]["id"] for step in trace["steps"]}
    words = {
        name: words
        for name, words in catalogue(language).items()
        if name.startswith("stepper.") or name in said
    }
    sources = [source | {"tokens": tokens_of(tuple(source["lines"]))} for source in trace["sources"]]
    return trace | {"sources": sources, "words": words}


@cache
def tokens_of(lines: tuple[str, ...]) -> list[list[list[str]]]:
    """Return a source's lines cut into pieces for colouring.

    Args:
        lines: the source of one function.

    Returns:
        For each line its pieces, each a short class name of Pygments (or nothing) and a text. It is shared: do not
        change it.

    >>> tokens_of(("return 1",))
    [[['k', 'return'], ['', ' '], ['mi', '1']]]
    """
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    rows: list[list[tuple[str, str]]] = [[]]
    for token, value in lexer.get_tokens("\n".join(lines)):
        kind = short_class(token)
        first, *others = value.split("\n")
        rows[-1].append((kind, first))
        rows.extend([(kind, other)] for other in others)
    return [
        [[kind, "".join(value for _, value in run)] for kind, run in groupby(row, key=lambda piece: piece[0])]
        for row in ([piece for piece in row if piece[1]] for row in rows)
    ]


def short_class(token: Any) -> str:
    """Return the short class name of a Pygments token type; none for names, punctuation and blanks.

    >>> from pygments.token import Token
    >>> short_class(Token.Keyword), short_class(Token.Name)
    ('k', '')
    """
    while token not in STANDARD_TYPES:
        token = token.parent
    name: str = STANDARD_TYPES[token]
    return "" if name in {"n", "p", "w"} else name


def pending(trace: Json, answers: Answers) -> int | None:
    """Return the number of the first decision that is still to be predicted, or None.

    Args:
        trace: the trace.
        answers: one item a decision.
    """
    numbered = enumerate(zip(trace["decisions"], answers, strict=True))
    return next((n for n, (decision, answer) in numbered if decision["possible"] and answer is None), None)


def limit(trace: Json, answers: Answers, predict: bool) -> int:
    """Return the last step that may be shown: in predict mode not beyond the next decision.

    Args:
        trace: the trace.
        answers: one item a decision.
        predict: whether the predict-first mode is on.
    """
    decision = pending(trace, answers) if predict else None
    last: int = len(trace["steps"]) - 1 if decision is None else trace["decisions"][decision]["step"]
    return last


def is_right(trace: Json, decision: int, position: int) -> bool:
    """Return whether a prediction names the queue that was picked.

    Args:
        trace: the trace.
        decision: the number of the decision.
        position: the position predicted, in the list as it was at the decision.
    """
    asked = trace["decisions"][decision]
    return bool(queues_at(trace, asked["step"])[position] == asked["queue"])


def score(trace: Json, answers: Answers) -> dict[str, int]:
    """Return how many predictions were right, and how many were made.

    Args:
        trace: the trace.
        answers: one item a decision.
    """
    given = [(n, answer) for n, answer in enumerate(answers) if answer is not None and answer != SHOWN]
    return {"right": sum(is_right(trace, n, answer) for n, answer in given), "asked": len(given)}


def queues_at(trace: Json, step: int) -> list[list[Any]]:
    """Return the queue list as it was at a step, each queue as broker name and queue id."""
    queues: list[list[Any]] = trace["states"][trace["steps"][step]["state"]]["queues"]
    return queues


def attempts_at(trace: Json, step: int) -> list[Json]:
    """Return the attempts so far at a step; a pick's trace has none."""
    send: Json = trace["states"][trace["steps"][step]["state"]].get("send", {})
    attempts: list[Json] = send.get("attempts", [])
    return attempts


class Stepper(anywidget.AnyWidget):
    """A trace, one step of it, and what the reader predicted.

    Args:
        trace: what `rmqref.trace.record` or `rmqref.send_trace.record_send` returned.
        step: the step to show, from 0.
        predict: whether each pick is to be predicted before it is shown.
        language: which catalogue the words come from.

    Attributes:
        trace: the trace with its words; a new one starts at its first step, with no predictions.
        step: the step shown. In predict mode it stops at a decision until that is predicted.
        predict: the mode. Turned on, it does not ask for what was already shown; if nothing is left to ask it
            starts over.
        prediction: what was predicted for the pick of this step: a position, or None. Setting it answers.
        answers: one item a decision: None, `SHOWN`, or the position predicted.
        score: how many predictions were `right` and how many were `asked`.

    Raises:
        TraceError: not a trace of this version; or no such step or position; or nothing is asked.

    >>> from rmqref.situation import Situation
    >>> from rmqref.trace import record
    >>> stepper = Stepper(record(Situation("4.9.4", start=4)), predict=True)
    >>> stepper
    Stepper('First pick', release 4.9.4, step 0)
    >>> stepper.prediction = 5
    >>> stepper.score, stepper.say
    ({'right': 1, 'asked': 1}, 'The pick is broker-b : 1, after 1 look at the list.')
    """

    _esm = STATIC / "stepper.js"
    _css = STATIC / "stepper.css"
    trace = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    predict = traitlets.Bool(False).tag(sync=True)
    answers: traitlets.List[int | None] = traitlets.List().tag(sync=True)
    # How many traces there were, and on which of them the reader was: a busy kernel hears late of a step.
    run = traitlets.Int(-1).tag(sync=True)
    seen = traitlets.Int(0).tag(sync=True)
    prediction = traitlets.Int(None, allow_none=True)
    score = traitlets.Dict()

    def __init__(self, trace: Json, *, step: int = 0, predict: bool = False, language: str = "en") -> None:
        self._language = language
        self._heard = False
        ready = dressed(trace, language)
        nothing: Answers = [None] * len(ready["decisions"])
        super().__init__(trace=ready, answers=nothing, score=score(ready, nothing))
        self.step = step
        self.predict = predict

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the reader did; a step on the trace before this one does not count."""
        self._heard = True
        try:
            super().set_state(sync_data)
        finally:
            self._heard = False

    @property
    def _is_late(self) -> bool:
        return self._heard and self.seen != self.run

    def __repr__(self) -> str:
        title, release = self.trace["title"], self.trace["release"]
        return f"Stepper({title!r}, release {release}, step {self.step})"

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.trace["steps"]) - 1

    @property
    def say(self) -> str:
        """What the step says, as plain text."""
        said = dict(self._now["say"])
        return text(said.pop("id"), self._language, **said)

    @property
    def line(self) -> str:
        """The lit line of the source, without its indentation."""
        source = self.trace["sources"][self._now["source"]]
        return str(source["lines"][self._now["line"] - source["first_line"]]).strip()

    @property
    def stack(self) -> list[str]:
        """The names of the functions that are running, outermost first."""
        return [self.trace["sources"][source]["name"] for source, _ in self._now["stack"]]

    @property
    def local_values(self) -> dict[str, str]:
        """The locals of the running function, as the table shows them."""
        return dict(self._now["locals"])

    @property
    def value(self) -> str | None:
        """What the function returns at this step, or None."""
        return cast("str | None", self._now["value"])

    @property
    def queues(self) -> list[str]:
        """The queue list as it is at this step."""
        return [f"{broker} : {queue_id}" for broker, queue_id in queues_at(self.trace, self.step)]

    @property
    def attempts(self) -> list[Json]:
        """The attempts so far at this step, as the trace of a whole send has them; a pick's trace has none."""
        return attempts_at(self.trace, self.step)

    def next_attempt(self) -> None:
        """Go to where the next attempt begins, and from the last one to the end; in predict mode not past a question."""
        begun = len(self.attempts)
        later = range(self.step, self.last + 1)
        self.step = next((n for n in later if len(attempts_at(self.trace, n)) > begun), self.last)

    @property
    def asks(self) -> bool:
        """Whether a prediction is asked for at this step."""
        decision = pending(self.trace, self.answers)
        return (
            self.predict
            and decision is not None
            and bool(self.trace["decisions"][decision]["step"] == self.step)
        )

    @property
    def _now(self) -> Json:
        step: Json = self.trace["steps"][self.step]
        return step

    @traitlets.validate("trace")
    def _check_trace(self, proposal: dict[str, Any]) -> Json:
        return dressed(proposal["value"], self._language)

    @traitlets.validate("step")
    def _check_step(self, proposal: dict[str, Any]) -> int:
        step: int = 0 if self._is_late else proposal["value"]
        if not 0 <= step <= self.last:
            raise TraceError("stepper.error.step", step=step, last=self.last)
        return min(step, limit(self.trace, self.answers, self.predict))

    @traitlets.validate("answers")
    def _check_answers(self, proposal: dict[str, Any]) -> list[int | None]:
        answers: list[int | None] = proposal["value"]
        return [None] * len(self.trace["decisions"]) if self._is_late else answers

    @traitlets.validate("prediction")
    def _check_prediction(self, proposal: dict[str, Any]) -> int | None:
        position: int | None = proposal["value"]
        if position is None or position == self._predicted():
            return self._predicted()
        decision = pending(self.trace, self.answers)
        if decision is None:
            raise TraceError("stepper.error.decided", step=self.step)
        if self.trace["decisions"][decision]["step"] != self.step:
            raise TraceError(
                "stepper.error.decision", step=self.step, next=self.trace["decisions"][decision]["step"]
            )
        last = len(queues_at(self.trace, self.step)) - 1
        if not 0 <= position <= last:
            raise TraceError("stepper.error.position", position=position, last=last)
        self._answer(decision, position)
        return position

    def show_me(self) -> None:
        """Reveal the pick that is being asked for, without a prediction; it does not count."""
        decision = pending(self.trace, self.answers)
        if self.asks and decision is not None:
            self._answer(decision, SHOWN)

    def _answer(self, decision: int, position: int) -> None:
        answers = [position if n == decision else answer for n, answer in enumerate(self.answers)]
        with self.hold_trait_notifications():
            self.answers = answers
            self.step = self.trace["decisions"][decision]["reveal"]

    def _predicted(self) -> int | None:
        """Return what was predicted for the pick that the step belongs to, or None."""
        pick = self._now["pick"]
        answer = None if pick is None else self.answers[pick]
        return None if answer == SHOWN else answer

    @traitlets.observe("trace")
    def _begin(self, _change: object) -> None:
        with self.hold_trait_notifications():
            self.run += 1
            self.answers = [None] * len(self.trace["decisions"])
            self.step = 0

    @traitlets.observe("predict")
    def _switch(self, _change: object) -> None:
        if not self.predict:
            return
        decisions = self.trace["decisions"]
        seen = [decision["reveal"] is not None and decision["reveal"] <= self.step for decision in decisions]
        answers = [
            SHOWN if answer is None and was else answer
            for answer, was in zip(self.answers, seen, strict=True)
        ]
        step = self.step
        if pending(self.trace, answers) is None:
            answers = [None] * len(decisions)
            first = pending(self.trace, answers)
            step = step if first is None else decisions[first]["step"]
        with self.hold_trait_notifications():
            self.answers = answers
            self.step = min(step, limit(self.trace, answers, predict=True))

    @traitlets.observe("step", "answers")
    def _derive(self, _change: object) -> None:
        self.score = score(self.trace, self.answers)
        self.prediction = self._predicted()
