"""A quiz on a terminal: asked one by one, or printed with its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from string import ascii_lowercase

from rmqref.messages import text
from rmqref.quiz import Question

Ask = Callable[[str], str]
Say = Callable[[str], None]

STOP = "q"
INDENT = "   "


def ask_all(questions: Sequence[Question], ask: Ask, say: Say) -> int:
    """Ask questions one by one, and tell after each what is right and why.

    Args:
        questions: the questions.
        ask: asks for a line and returns it; an end of the input ends the quiz.
        say: says a line.

    Returns:
        How many were answered rightly.

    >>> from rmqref.quiz import questions
    >>> lines = []
    >>> ask_all(questions(7, 2), lambda prompt: "q", lines.append), lines[-1]
    (0, '0 of 0 right.')
    """
    right, asked, missed = 0, 0, set[int]()
    for number, question in enumerate(questions, 1):
        say("\n".join(lines_of(number, question)))
        answer = answer_to(question, ask, say)
        if answer == STOP:
            break
        asked += 1
        if answer == letter_of(question, question.right):
            right += 1
            say(INDENT + text("quiz.right"))
        else:
            missed.add(question.level)
            say(correction(question, answer))
        say(
            "\n".join(
                INDENT * 2 + text("quiz.why", sentence=sentence)
                for sentence in question.why(question.trace())
            )
        )
    if missed:
        say(text("quiz.read", notebooks="; ".join(text(f"quiz.reading.{level}") for level in sorted(missed))))
    say(text("quiz.score", right=right, asked=asked))
    return right


def answer_to(question: Question, ask: Ask, say: Say) -> str:
    """Return a reader's answer: a letter, nothing for a skipped question, or `STOP`."""
    letters = ascii_lowercase[: len(question.options)]
    while True:
        try:
            given = ask(INDENT + text("quiz.prompt", letters="/".join(letters)) + " ").strip().lower()
        except EOFError:
            return STOP
        if given.isdigit() and 1 <= int(given) <= len(letters):
            return letters[int(given) - 1]
        if not given or given == STOP or given in set(letters):
            return given
        say(INDENT + text("quiz.again", letters="/".join(letters)))


def correction(question: Question, answer: str) -> str:
    """Return what is right where an answer was not."""
    shown = {"letter": letter_of(question, question.right), "text": question.options[question.right].text}
    if not answer:
        return INDENT + text("quiz.skipped", **shown)
    chosen = question.options[ascii_lowercase.index(answer)].misconception
    return INDENT + text("quiz.wrong", misconception=text(f"quiz.misconception.{chosen}"), **shown)


def letter_of(question: Question, place: int) -> str:
    """Return the letter of an option."""
    return ascii_lowercase[: len(question.options)][place]


def lines_of(number: int, question: Question) -> Iterator[str]:
    """Yield a question and its options."""
    yield text("quiz.said", number=number, text=question.text)
    for place, option in enumerate(question.options):
        yield INDENT + text("quiz.option", letter=letter_of(question, place), text=option.text)


def answer_sheet(questions: Sequence[Question]) -> Iterator[str]:
    """Yield questions, and then their answers with the reasons.

    Args:
        questions: the questions.

    >>> from rmqref.quiz import questions
    >>> sum(line.startswith("1. ") for line in answer_sheet(questions(7, 2)))
    2
    """
    for number, question in enumerate(questions, 1):
        yield from lines_of(number, question)
    yield ""
    for number, question in enumerate(questions, 1):
        letter, right = letter_of(question, question.right), question.options[question.right]
        yield text("quiz.answer", number=number, letter=letter, text=right.text)
        yield from (
            INDENT * 2 + text("quiz.why", sentence=sentence) for sentence in question.why(question.trace())
        )
        for place, option in enumerate(question.options):
            if option.misconception is not None:
                said = text(f"quiz.misconception.{option.misconception}")
                yield INDENT + text(
                    "quiz.wrong_one", letter=letter_of(question, place), text=option.text, misconception=said
                )
