"""What a run came to, in lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rmqref.errors import ScenarioError
from rmqref.messages import text
from rmqref.model import SendStatus
from rmqref.simulation import Attempt, Run, SendRecord


def lines_of_run(run: Run) -> Iterator[str]:
    """Yield what a run came to: outcomes, attempts, copies, who was avoided, and the share of each queue.

    Args:
        run: the run.

    Yields:
        Lines.

    >>> from rmqref.scenario import Scenario
    >>> from rmqref.simulation import simulate
    >>> list(lines_of_run(simulate(Scenario())))[1]
    'SEND_OK: 1 of 1'
    """
    scenario = run.scenario
    head = "report.head" if scenario.title else "report.head.plain"
    yield text(head, title=scenario.title, release=scenario.release, seed=scenario.seed)
    for outcome, sends in sorted(run.outcomes.items()):
        yield text("report.outcome", outcome=outcome, sends=sends, total=len(run.sends))
    yield text("report.attempts", attempts=len(run.attempts), failed=sum(map(is_failed, run.attempts)))
    unknown = sum(send.stored > 0 for send in run.sends if not send.is_ok and send.outcome != "sent")
    if run.duplicates:
        yield text("report.stored.twice", copies=run.duplicates)
    if unknown:
        yield text("report.stored.unknown", sends=unknown)
    longest: Counter[str] = Counter()
    times: Counter[str] = Counter()
    for update in run.updates:
        if update.duration > 0:
            longest[update.broker_name] = max(longest[update.broker_name], update.duration)
            times[update.broker_name] += 1
    for broker in sorted(times):
        yield text(
            "report.avoided", broker=broker, times=times[broker], seconds=f"{longest[broker] / 1000:g}"
        )
    total = run.share.total()
    for (broker, queue_id), messages in sorted(run.share.items()):
        percent = f"{100 * messages / total:.1f}" if total else "0.0"
        yield text("report.share", queue=f"{broker} : {queue_id}", messages=messages, percent=percent)


def lines_of_send(run: Run, number: int) -> Iterator[str]:
    """Yield one send attempt by attempt.

    Args:
        run: the run.
        number: of the send, from 1.

    Yields:
        Lines.

    Raises:
        ScenarioError: the run has no such send.

    >>> from rmqref.scenario import Scenario
    >>> from rmqref.simulation import simulate
    >>> for line in lines_of_send(simulate(Scenario(start=0)), 1):
    ...     print(line)
    send 1 at 0 ms: SEND_OK broker-a : 1
    attempt 1: broker-a : 1, given 3000 ms, at 0 ms: SEND_OK after 5 ms
    stored: 1
    """
    if not 1 <= number <= len(run.sends):
        raise ScenarioError("error.report.send", number=number, sends=len(run.sends))
    send = run.sends[number - 1]
    yield text("report.send", number=number, at=send.at, told=told(send))
    for place, attempt in enumerate(send.attempts, 1):
        cost = None if attempt.ended is None else attempt.ended - attempt.at
        yield text(
            "report.attempt" if cost is not None else "report.attempt.open",
            number=place,
            queue=f"{attempt.broker_name} : {attempt.queue_id}",
            timeout=attempt.timeout,
            at=attempt.at - send.at,
            outcome=attempt.outcome if attempt.code is None else f"{attempt.outcome} (code {attempt.code})",
            cost=cost,
        )
    yield text("report.copies", copies=send.stored)


def told(record: SendRecord) -> str:
    """Return what a send came to, in one line.

    Args:
        record: the send.

    Returns:
        Status and queue, or the exception and the first line of its text.

    >>> told(SendRecord(1, 0, outcome="SEND_OK", broker_name="broker-a", queue_id=0))
    'SEND_OK broker-a : 0'
    """
    if record.broker_name is not None:
        return f"{record.outcome} {record.broker_name} : {record.queue_id}"
    first_line = record.error.split("\n", 1)[0]
    if record.code is not None and record.code >= 0:
        return text("report.told.code", outcome=record.outcome, code=record.code, error=first_line)
    return text("report.told", outcome=record.outcome, error=first_line) if first_line else record.outcome


def is_failed(attempt: Attempt) -> bool:
    """Return whether an attempt ended with an exception."""
    return attempt.outcome not in SendStatus.__members__ and attempt.outcome != "sent"
