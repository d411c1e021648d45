"""The quiz as a widget: the questions, and below them the stepper at the deciding step of a question's run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anywidget
import ipywidgets as w
import traitlets

from rmqref.messages import catalogue
from rmqref.quiz import Question, QuizError
from rmqref.stepper import STATIC, Stepper
from rmqref.trace import Json

WORDS = (
    *(
        "title",
        "number",
        "score",
        "over",
        "right",
        "wrong",
        "is_right",
        "is_wrong",
        "next",
        "finish",
        "review",
    ),
    *("missed", "perfect", "again"),
)
"""The names of the sentences that `static/quiz.js` says."""


def data_of(questions: Sequence[Question]) -> Json:
    """Return questions as data for `static/quiz.js`, with their reasons and with its words.

    Args:
        questions: the questions.

    >>> from rmqref.quiz import questions
    >>> sorted(data_of(questions(7, 1)))
    ['questions', 'words']
    """
    words = {name: catalogue()[f"quiz.widget.{name}"] for name in WORDS}
    shown = [question.as_json() | {"why": question.why(question.trace())} for question in questions]
    return {"questions": shown, "words": words}


class QuizPart(anywidget.AnyWidget):
    """The questions alone.

    Attributes:
        quiz: what `data_of` returned.
        position: the number of the question shown, from 0; one beyond the last shows what went wrong.
        answers: one item a question: the option chosen, or None.
        reviewed: the question whose run is asked for, or -1.
    """

    _esm = STATIC / "quiz.js"
    _css = STATIC / "quiz.css"
    quiz = traitlets.Dict().tag(sync=True)
    position = traitlets.Int(0).tag(sync=True)
    answers: traitlets.List[int | None] = traitlets.List().tag(sync=True)
    reviewed = traitlets.Int(-1).tag(sync=True)


class Quiz(w.VBox):  # type: ignore[misc]  # ipywidgets carries no types
    """A quiz with its stepper.

    Args:
        questions: what `rmqref.quiz.questions` returned.

    Attributes:
        questions: the questions.
        part: the questions' widget.
        stepper: the stepper below it, once a run was asked for; else None.

    >>> from rmqref.quiz import questions
    >>> quiz = Quiz(questions(7, 2))
    >>> quiz.answer(quiz.question.right)
    >>> quiz.next()
    >>> quiz.score
    {'right': 1, 'asked': 1}
    """

    def __init__(self, questions: Sequence[Question]) -> None:
        if not questions:
            raise QuizError("quiz.error.empty")
        self.questions = tuple(questions)
        self.part = QuizPart(quiz=data_of(self.questions), answers=[None] * len(self.questions))
        self.part.observe(self._reviewed, "reviewed")
        self.stepper: Stepper | None = None
        super().__init__([self.part])

    def __repr__(self) -> str:
        return f"Quiz({len(self.questions)} questions, {self.score['right']} of {self.score['asked']} right)"

    @property
    def question(self) -> Question:
        """The question that is shown.

        Raises:
            QuizError: all have been shown.
        """
        if self.part.position >= len(self.questions):
            raise QuizError("quiz.error.over")
        return self.questions[self.part.position]

    @property
    def score(self) -> dict[str, int]:
        """How many were answered rightly, and how many were answered."""
        given = [
            (q.right, a) for q, a in zip(self.questions, self.part.answers, strict=True) if a is not None
        ]
        return {"right": sum(right == answer for right, answer in given), "asked": len(given)}

    def answer(self, option: int) -> None:
        """Answer the question that is shown.

        Args:
            option: the option's place, from 0.

        Raises:
            QuizError: there is no such option, or it is answered, or all have been shown.
        """
        options = self.question.options
        if not 0 <= option < len(options):
            raise QuizError("quiz.error.option", option=option, last=len(options) - 1)
        if self.part.answers[self.part.position] is not None:
            raise QuizError("quiz.error.answered", number=self.part.position + 1)
        self.part.answers = [
            option if place == self.part.position else old for place, old in enumerate(self.part.answers)
        ]

    def next(self) -> None:
        """Go on to the next question; after the last one to what went wrong."""
        self.part.position = min(self.part.position + 1, len(self.questions))

    def review(self, number: int) -> None:
        """Show the run of a question, at its deciding step.

        Args:
            number: the question's, from 0.

        Raises:
            QuizError: there is no such question.
        """
        if not 0 <= number < len(self.questions):
            raise QuizError("quiz.error.question", number=number, last=len(self.questions) - 1)
        trace = self.questions[number].trace()
        self.stepper = Stepper(trace, step=self.questions[number].deciding_step(trace))
        self.children = [self.part, self.stepper]

    def _reviewed(self, change: dict[str, Any]) -> None:
        if change["new"] >= 0:
            self.review(change["new"])
