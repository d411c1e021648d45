"""What the notebooks ask for and may not hold themselves: the few calls that need a loop, a thread or an `except`.

Pure functions of what they are given; nothing here knows how a queue is chosen.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rmqref.errors import JavaException, RmqRefError
from rmqref.index import ThreadLocalIndex
from rmqref.messages import text
from rmqref.model import TopicPublishInfo
from rmqref.releases import FAMILIES
from rmqref.selection import first_pick
from rmqref.situation import Situation


class Predicting(Protocol):
    """What `trial` needs of a stepper; see `rmqref.stepper.Stepper`."""

    step: int
    predict: bool
    answers: list[int | None]

    @property
    def last(self) -> int:
        """The number of the last step."""


@contextmanager
def trial(stepper: Predicting) -> Iterator[None]:
    """Ask a stepper's predictions afresh; afterwards it is as it was found, so a reader's own are kept.

    Args:
        stepper: the stepper.

    Yields:
        Nothing: inside, the stepper is in predict-first mode, nothing is answered, and it stands where it asks.

    >>> from rmqref.stepper import Stepper
    >>> from rmqref.trace import record
    >>> stepper = Stepper(record(Situation("4.9.7", start=4)), predict=True)
    >>> with trial(stepper):
    ...     stepper.prediction = 5
    ...     print(stepper.say)
    The pick is broker-b : 1, after 1 look at the list.
    >>> stepper.step, stepper.asks
    (0, True)
    """
    step, predict, answers = stepper.step, stepper.predict, stepper.answers
    stepper.predict = True
    stepper.answers = [None] * len(answers)
    stepper.step = stepper.last  # in this mode: as far as the first pick that is asked for
    try:
        yield
    finally:
        stepper.predict, stepper.answers = predict, answers
        stepper.step = step


def sentence_of(action: Callable[..., object], *arguments: object) -> str:
    """Return the sentence of the error that a call ends in.

    Args:
        action: what to call.
        *arguments: with what.

    Returns:
        The error's one sentence; empty if the call ends without an error.

    >>> from rmqref import release
    >>> sentence_of(release, "4.5.0")
    'There is no released Java client "4.5.0": the nearest are 4.5.1, 4.5.2, 4.4.0.'
    """
    try:
        action(*arguments)
    except RmqRefError as error:
        return str(error)
    return ""


def always_answers(address: str, timeout: int) -> bool:
    """Return True: a broker that answers the detector every time, see `rmqref.faults.detect_by_one_round`.

    >>> always_answers("10.20.0.1:10911", 200)
    True
    """
    return True


def counter_values(index: ThreadLocalIndex, number: int) -> list[int]:
    """Return the next visible values of this thread's counter.

    Args:
        index: the counter.
        number: how many.

    Returns:
        Ints of 32 bits.

    >>> from rmqref import release
    >>> counter_values(release("4.9.7").new_index(start=4), 3)
    [5, 6, 7]
    """
    return [index.increment_and_get() for _ in range(number)]


def picks_by_thread(topic: TopicPublishInfo, threads: int, picks: int) -> str:
    """Return what real threads pick, each a number of first picks in a row.

    The threads run one after the other, so that the same ones get the same starts each time.

    Args:
        topic: the publish info that they share.
        threads: how many threads.
        picks: how many picks each makes.

    Returns:
        A line a thread.

    >>> from rmqref import release
    >>> print(picks_by_thread(release("4.9.7").topic([("broker-a", 4), ("broker-b", 3)]), 2, 3))
    thread 1: broker-a : 2, broker-a : 3, broker-b : 0
    thread 2: broker-a : 1, broker-a : 2, broker-a : 3
    """
    lines: list[str] = []

    def work() -> None:
        queues = ", ".join(str(first_pick(topic)) for _ in range(picks))
        lines.append(text("walks.thread", number=len(lines) + 1, queues=queues))

    for _ in range(threads):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    return "\n".join(lines)


def side_by_side(situation: Situation, *releases: str) -> str:
    """Return what each release picks in one situation.

    Args:
        situation: the situation; its own release does not count.
        *releases: the clients' releases; the one that names each family if none is given.

    Returns:
        A line a release: the picks, or the exception that a caller sees, and the exceptions that Java only logs.

    Raises:
        UnknownRelease: no such release.

    >>> retry = Situation(start=4, last_broker_name="broker-b", fault_switch=True)
    >>> print(side_by_side(retry, "4.7.1", "5.3.3"))
    4.7.1  broker-b : 1
    5.3.3  broker-c : 0
    """
    return "\n".join(_line(situation.but(release=name)) for name in releases or FAMILIES)


def _line(situation: Situation) -> str:
    desk = situation.prepare()
    try:
        result = ", ".join(map(str, situation.run(desk)))
    except JavaException as error:
        result = error.name
    logged = ", ".join(error.name for error in desk.strategy.errors_logged)
    message = "walks.line.logged" if logged else "walks.line"
    return text(message, release=desk.row.version, result=result, logged=logged)
