"""What a client's log tells, in words and as data: each failed send with what followed and why, and the totals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from io import BytesIO

from rmqref.errors import (
    InterruptedException,
    MQBrokerException,
    MQClientException,
    RemotingException,
    SendException,
)
from rmqref.faults import compute_not_available_duration
from rmqref.incident import Failed, FailedSend, Reading, read_log
from rmqref.log_entries import blocks_of
from rmqref.messages import text
from rmqref.releases import Release, release, spans_of

GO_STATUS = {
    "0": "SEND_OK",
    "1": "FLUSH_DISK_TIMEOUT",
    "2": "FLUSH_SLAVE_TIMEOUT",
    "3": "SLAVE_NOT_AVAILABLE",
    "4": "UNKNOWN_ERROR",
}
"""What the Go client writes instead of a status' name."""


@dataclass(frozen=True, slots=True)
class Teller:
    """How a log is told: as of a release, with the fault switch on, off, or nobody knows.

    Args:
        row: the release.
        is_guessed: whether nobody named it.
        fault_switch: whether `sendLatencyFaultEnable` is on; None if nobody knows.
        with_words: whether ids and errors' own words are told, which may give anything away.
    """

    row: Release
    is_guessed: bool = True
    fault_switch: bool | None = None
    with_words: bool = True

    def lines_of_send(self, send: FailedSend) -> Iterator[str]:
        """Yield what happened to a send, attempt by attempt, and why the client went on or gave up.

        Args:
            send: the send.
        """
        yield text(
            "log.send",
            at=send.at or text("log.no_time"),
            topic=send.topic or text("log.lost"),
            invoke_id=self.told_id(send),
        )
        if send.untold:
            yield "  " + text("log.untold", count=send.untold)
        before = 0 if send.invoke_id else send.untold
        for number, attempt in enumerate(send.attempts, 1):
            yield "  " + told_attempt(before + number, attempt)
            yield "    " + self.next_step(send, number)
            if avoided := self.avoided(attempt):
                yield "    " + avoided
        if send.gave_up is not None:
            yield "  " + text(
                "log.gave_up",
                line=send.gave_up,
                times=send.times,
                cost=send.cost,
                brokers=", ".join(send.brokers) or text("log.lost"),
            )
        yield "  " + told_stored(send)

    def told_id(self, send: FailedSend) -> str:
        """Return how a send is named."""
        if send.retried_on is not None:
            return text("log.async")
        if send.invoke_id in ("", "%s"):
            return text("log.no_id")
        return send.invoke_id if self.with_words else text("log.hidden_id")

    def next_step(self, send: FailedSend, number: int) -> str:
        """Return what the client did after an attempt, and why.

        Args:
            send: the send.
            number: the attempt, from 1.
        """
        attempt = send.attempts[number - 1]
        if number < len(send.attempts):
            after = send.attempts[number]
            return text("log.next.again", broker=after.where or text("log.lost"), line=after.line)
        if send.result:
            return text("log.next.stored", line=send.result_line)
        if send.retried_on is not None:
            return text("log.next.async", broker=send.retried_on or text("log.lost"))
        if attempt.cause.name == "reply":
            return text("log.next.reply")
        if attempt.cause.name == "interrupted":
            return text("log.next.interrupted")
        if attempt.code is not None and attempt.code not in self.row.retry_codes:
            return text("log.next.code", code=attempt.code, release=self.row.version)
        if send.hidden_by is not None:
            return text("log.next.hidden", line=send.hidden_by)
        if send.gave_up is not None:
            return text("log.next.used", times=send.times)
        if send.thrown_to_application is not None:
            return text("log.next.thrown", line=send.thrown_to_application)
        return text("log.next.alone" if not send.invoke_id else "log.next.unknown")

    def avoided(self, attempt: Failed) -> str:
        """Return whether and until when the broker is avoided because of an attempt; nothing if nobody knows.

        Args:
            attempt: the attempt.
        """
        if attempt.isolated is not None:
            return text(
                "log.avoided.said",
                broker=attempt.broker,
                seconds=_seconds(attempt.isolated),
                until=later(attempt.at, attempt.isolated),
                line=attempt.isolated_line,
            )
        if not self.fault_switch or not attempt.broker:
            return ""
        duration = self.not_available_duration(attempt)
        if duration is None:
            return text("log.avoided.lost", broker=attempt.broker)
        if not duration:
            return text("log.avoided.no", broker=attempt.broker, release=self.row.version)
        return text(
            "log.avoided",
            broker=attempt.broker,
            seconds=_seconds(duration),
            until=later(attempt.at, duration),
            release=self.row.version,
        )

    def not_available_duration(self, attempt: Failed) -> int | None:
        """Return for how long the fault table avoids a broker after a failed attempt.

        Args:
            attempt: the attempt.

        Returns:
            Milliseconds; None if that depends on a time which the log lost.

        Java: MQFaultStrategy#updateFaultItem, as DefaultMQProducerImpl#sendDefaultImpl calls it, all releases.

        >>> connect = Failed(1, "", broker="broker-a", rt=2, thrown="RemotingConnectException")
        >>> Teller(release("4.9.7")).not_available_duration(connect)
        600000
        >>> Teller(release("5.3.3")).not_available_duration(Failed(1, "", rt=2, thrown="MQClientException"))
        0
        """
        is_isolated = self.row.judge(exception_of(attempt), False).isolation
        latency = self.row.isolation_latency if is_isolated else attempt.rt
        if latency is None:
            return None
        return compute_not_available_duration(latency, self.row.latency_max, self.row.not_available_duration)

    def lines_of_reading(self, reading: Reading) -> Iterator[str]:
        """Yield the totals of a log, and what to look at.

        Args:
            reading: what was read.
        """
        possible = spans_of(reading.possible)
        if self.is_guessed:
            yield text("log.release.guess", possible=possible, release=self.row.version)
        elif self.row.version not in reading.possible:
            yield text("log.release.other", possible=possible, release=self.row.version)
        failed = reading.failed + sum(
            count for code, count in reading.refused.items() if code not in self.row.retry_codes
        )
        yield text("log.total", lines=f"{reading.lines:,}", sends=f"{reading.sends:,}", failed=f"{failed:,}")
        if not reading.recognised and not reading.unread:
            yield text("log.total.nothing")
        for name, count in reading.causes.most_common():
            lines = ", ".join(map(str, reading.evidence[name]))
            cause = text(f"log.cause.{name}", code=", ".join(map(str, sorted(reading.codes))))
            yield text("log.total.cause", count=count, cause=cause, lines=lines)
        names = sorted({*reading.brokers, *reading.accepted}, key=lambda name: (-reading.brokers[name], name))
        for name in names:
            yield text(
                "log.total.broker",
                broker=name or text("log.lost"),
                count=reading.brokers[name],
                results=reading.accepted[name],
            )
        for status, count in sorted(reading.results.items()):
            name = (
                text("log.go_status", status=status, name=GO_STATUS[status])
                if status in GO_STATUS
                else status
            )
            yield text("log.total.result", count=count, status=name)
        if reading.messages > reading.results.total():
            yield text("log.total.batches", results=reading.results.total(), messages=reading.messages)
        yield from self.lines_of_avoided(reading)
        if reading.routeless:
            yield text("log.total.routeless", count=reading.routeless)
        if reading.swallowed:
            yield text("log.total.swallowed", count=reading.swallowed)
        if reading.unread:
            name = "log.total.unread" if reading.examples else "log.total.unread.hidden"
            yield text(name, count=reading.unread)
            yield from (text("log.total.example", line=line, said=said) for line, said in reading.examples)
        for name, _count in reading.causes.most_common(1):
            yield text("log.advice", advice=text(f"log.advice.{name}"))

    def lines_of_avoided(self, reading: Reading) -> Iterator[str]:
        """Yield what the log itself says of avoided brokers.

        Args:
            reading: what was read.
        """
        if reading.avoided and self.fault_switch is False:
            yield text("log.total.switch")
        for broker, avoided in sorted(reading.avoided.items()):
            if avoided.times:
                yield text(
                    "log.total.avoided",
                    broker=broker,
                    times=avoided.times,
                    seconds=_seconds(avoided.ms),
                    until=later(avoided.at, avoided.ms),
                    line=avoided.line,
                )
            if avoided.unreachable:
                yield text("log.total.unreachable", broker=broker, times=avoided.unreachable)
            if avoided.reachable is not None:
                yield text(
                    "log.total.reachable",
                    broker=broker,
                    at=avoided.reachable_at or text("log.no_time"),
                    line=avoided.reachable,
                )

    def send_as_json(self, send: FailedSend) -> dict[str, object]:
        """Return a send as data, with the sentences that tell it.

        Args:
            send: the send.

        Returns:
            Its fields, without the message's key; each attempt has its cause too. `says` holds the sentences.
        """
        found = asdict(send)
        del found["key"], found["threads"]
        if not self.with_words:
            del found["invoke_id"]
        for data, attempt in zip(found["attempts"], send.attempts, strict=True):
            data |= {"cause": attempt.cause.name, "stored": attempt.cause.stored}
            if not self.with_words:
                data["error"] = attempt.thrown
        return found | {"maybe_stored": send.maybe_stored, "says": list(self.lines_of_send(send))}

    def reading_as_json(self, reading: Reading) -> dict[str, object]:
        """Return the totals as data, with the sentences that tell them.

        Args:
            reading: what was read.
        """
        told = {"release": self.row.version, "is_guessed": self.is_guessed}
        found = {item.name: getattr(reading, item.name) for item in fields(reading)}
        avoided = {broker: asdict(said) for broker, said in reading.avoided.items()}
        return found | {"avoided": avoided} | told | {"says": list(self.lines_of_reading(reading))}


def told_attempt(number: int, attempt: Failed) -> str:
    """Return an attempt in words, with its cause and the lines that show it."""
    shown = dict.fromkeys(line for line in (attempt.line, attempt.shown) if line is not None)
    busy = ".more" if attempt.cause.name == "busy" and attempt.period is not None else ""
    took = (
        "log.took.lost" if attempt.rt is None else "log.took" if attempt.budget is None else "log.took.budget"
    )
    return text(
        "log.attempt",
        number=number,
        queue=told_place(attempt),
        took=text(took, rt=attempt.rt, budget=attempt.budget),
        cause=text(
            f"log.cause.{attempt.cause.name}{busy}",
            code=attempt.code,
            period=attempt.period,
            waiting=attempt.waiting,
        ),
        lines=", ".join(map(str, shown)),
    )


def told_place(attempt: Failed) -> str:
    """Return where an attempt went: queue and address, as far as the log has them."""
    if not attempt.broker:
        return attempt.address or text("log.lost")
    queue = attempt.broker if attempt.queue is None else f"{attempt.broker} : {attempt.queue}"
    return text("log.place", queue=queue, address=attempt.address) if attempt.address else queue


def told_stored(send: FailedSend) -> str:
    """Return whether the message is stored, perhaps more than once."""
    if send.result:
        name = "log.stored.twice" if send.maybe_stored else "log.stored.yes"
        queue = send.result_queue or text("log.lost")
        return text(name, status=send.result, queue=queue, line=send.result_line, copies=send.maybe_stored)
    if send.maybe_stored:
        return text("log.stored.maybe", copies=send.maybe_stored)
    return text("log.stored.no")


def exception_of(attempt: Failed) -> SendException:
    """Return an exception of the class that an attempt threw; a network's where the log does not tell.

    Args:
        attempt: the attempt.
    """
    if attempt.thrown == "MQBrokerException" or attempt.code is not None:
        return MQBrokerException(attempt.code or 0, attempt.error)
    if attempt.thrown == "MQClientException":
        return MQClientException(attempt.error)
    if attempt.thrown == "InterruptedException":
        return InterruptedException(attempt.error)
    return RemotingException(attempt.error)


def later(at: str, milliseconds: int) -> str:
    """Return a time of a log some milliseconds later, written as it is there.

    Args:
        at: the time, as it stands in the log.
        milliseconds: how much later.

    Returns:
        The time; words for an unknown one if the log has none.

    >>> later("2022-08-02 16:22:05,917", 30_000), later("2018-01-15 10:20:31", 600_000), later("", 1)
    ('2022-08-02 16:22:35,917', '2018-01-15 10:30:31', 'an unknown time')
    """
    try:
        then = datetime.fromisoformat(at) + timedelta(milliseconds=milliseconds)
    except (ValueError, OverflowError):
        return text("log.no_time")
    point = next((mark for mark in ",." if mark in at), "")
    timespec = "milliseconds" if point or then.microsecond else "seconds"
    return then.isoformat(sep="T" if "T" in at else " ", timespec=timespec).replace(".", point or ".")


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:g}"


def told_log(log: str | bytes, version: str | None = None, fault_switch: bool | None = None) -> str:
    """Return what a short log tells: each failed send, and the totals.

    Args:
        log: the log.
        version: the client's release; guessed from the formats if None.
        fault_switch: whether the fault switch is on; None if nobody knows.

    Raises:
        UnknownRelease: no such release.

    >>> from rmqref.samples import sample_log
    >>> print(told_log(sample_log("placeholders")).splitlines()[1])
      attempt 1 to 10.20.0.2:10911 failed after a time that the log lost: no connection could be made; it is not stored (lines 1, 2)
    """
    reading = Reading()
    file = BytesIO(log.encode() if isinstance(log, str) else log)
    sends = list(read_log(blocks_of(file), reading))
    teller = Teller(row_for(reading.possible, version), version is None, fault_switch)
    lines = [line for send in sends for line in teller.lines_of_send(send)]
    return "\n".join([*lines, *teller.lines_of_reading(reading)])


def row_for(possible: Sequence[str], version: str | None) -> Release:
    """Return the row that a log is told with: of the release named, else of the newest that may have written it.

    Args:
        possible: the releases that may have written it, the oldest first.
        version: the release named, or None.

    Raises:
        UnknownRelease: no such release.
    """
    return release(version or possible[-1])
