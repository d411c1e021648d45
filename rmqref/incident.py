"""Client logs: what happened to each send that failed, read line by line.

Lines are matched by what the client writes, not by what an application puts before it. Message bodies are never kept.
What a log does not say (whether the fault switch is on, which release wrote it) is asked for or said to be a guess.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from rmqref.errors import RmqRefError
from rmqref.faults import compute_not_available_duration
from rmqref.messages import text
from rmqref.releases import CHRONOLOGY, Release, release, spans_of
from rmqref.route import MOCK_BROKER_PREFIX


class LogError(RmqRefError):
    """A log cannot be read."""


INTERESTING = (
    b"InvokeID",
    b"still failed, cost",
    b"Exception",
    b"CODE: ",
    b"Message [topic=",
    b"Message{topic=",
    b"by retry {} times",
    b"isolated for",
    b"will not be used until",
    b"when selecting message queue",
    b"SendResult [",
)
"""What a line has to hold to be looked at. Where none of it stands in a whole block of lines, the block is passed over."""

BLOCK = 1 << 16
"""How much of a file is read at once, in bytes; then on to the end of the line."""

TIME = re.compile(r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{3})?)")
RESEND = re.compile(
    r"InvokeID: (?P<id>-?\d+|%s), RT: (?P<rt>-?\d+|%s)ms, Broker: (?:MessageQueue \[topic=(?P<topic>[^,]*), "
    r"brokerName=(?P<broker>[^,]*), queueId=(?P<queue>-?\d+)\]|%s)"
)
STILL_FAILED = re.compile(
    r"Send \[(?P<times>\d+)\] times, still failed, cost \[(?P<cost>\d+)\]ms, Topic: (?P<topic>[^,]*), "
    r"BrokersSent: \[(?P<brokers>[^\]]*)\]"
)
THROWN = re.compile(r"(?:^|[\s:])(?:[a-z]\w*\.)+(?P<name>[A-Z]\w*(?:Exception|Error))(?:: (?P<said>.*))?$")
CODE = re.compile(r"CODE: (?P<code>\d+)  ?DESC: (?P<said>.*?)(?: BROKER: (?P<address>\S+))?$")
ADDRESS = re.compile(r"<?(?P<address>[\w.\-]+:\d+)>?")
BUDGET = re.compile(r"timeout, (?P<budget>-?\d+)\(ms\)")
BODY = re.compile(r"body=\[[^\]]*\]?|body=\S+")
HIDING = re.compile(r"send(?:Default|Select)Impl call timeout")
"""What the application gets instead of the error that used up the time."""
RESULT = re.compile(r"SendResult \[sendStatus=(?P<status>\w+)")


class Cause(NamedTuple):
    """A cause by the words of its error.

    Args:
        name: of the sentence that tells it.
        words: what the error holds.
        stored: "no", "maybe" or "yes".
    """

    name: str
    words: re.Pattern[str]
    stored: str


CAUSES = tuple(
    Cause(name, re.compile(words), stored)
    for name, words, stored in (
        ("busy", r"TIMEOUT_CLEAN_QUEUE|PCBUSY_CLEAN_QUEUE|PC_SYNCHRONIZED|broker busy|system busy", "no"),
        ("async_full", r"executor rejected", "no"),
        ("async_late", r"DEFAULT ASYNC send call timeout", "no"),
        ("kernel_late", r"sendKernelImpl call timeout", "no"),
        ("budget", r"send(?:Default|Select)Impl call timeout|RemotingTooMuchRequestException", "no"),
        ("no_route", r"No route info of this topic", "no"),
        ("no_name_server", r"No name server address", "no"),
        ("connect", r"RemotingConnectException|connect to .* failed", "no"),
        ("timeout", r"RemotingTimeoutException|wait response", "maybe"),
        ("closed", r"RemotingSendRequestException|channel .* close", "maybe"),
        ("not_there", r"The broker\[.*\] not exist", "no"),
        ("no_permission", r"CODE: 16\b|no permission|sending message is forbidden", "no"),
        ("illegal", r"CODE: 13\b|message is illegal", "no"),
        ("disk", r"SERVICE_NOT_AVAILABLE|CODE: 14\b|disk", "no"),
        ("answered", r"MQBrokerException|CODE: \d", "no"),
    )
)
"""The causes in the order in which they are tried."""

UNKNOWN = Cause("unknown", re.compile(""), "maybe")


class Format(NamedTuple):
    """Words that only some releases write.

    Args:
        words: what a line holds.
        first: the first release that writes so.
        last: the last one.
    """

    words: re.Pattern[str]
    first: str
    last: str


FORMATS = tuple(
    Format(re.compile(words), first, last)
    for words, first, last in (
        (r"Message \[topic=", CHRONOLOGY[0], "4.2.0"),
        (r"Message\{topic='", "4.3.0", CHRONOLOGY[-1]),
        (r"InvokeID: %s", "5.1.0", "5.2.0"),
        (r"by retry \{\} times", "4.9.3", "4.9.3"),
        (r"CODE: \d+  DESC: .* BROKER: ", "4.8.0", CHRONOLOGY[-1]),
        (r"when selecting message queue", "5.1.0", "5.1.3"),
        (r"will be isolated for|it will not be used until", "5.1.4", CHRONOLOGY[-1]),
        (re.escape(MOCK_BROKER_PREFIX), "5.0.0-ALPHA", CHRONOLOGY[-1]),
    )
)
"""What tells of the release that wrote a log."""


@dataclass(slots=True)
class Failed:
    """A failed attempt, as a log tells of it.

    Args:
        line: where, from 1.
        at: the time as it stands there; empty if it does not.
        topic: the topic; empty if the log lost it.
        broker: the broker; empty if the log lost it.
        queue: the queue id; None if the log lost it.
        rt: how long it took, in milliseconds; None if the log lost it.
        error: the exception's name and words, without a message's body.
        code: the broker's code.
        address: where the request went.
        budget: the time that the attempt was given, in milliseconds.
    """

    line: int
    at: str
    topic: str = ""
    broker: str = ""
    queue: int | None = None
    rt: int | None = None
    error: str = ""
    code: int | None = None
    address: str = ""
    budget: int | None = None

    @property
    def cause(self) -> Cause:
        """Return the cause that the error's words tell of."""
        return next((cause for cause in CAUSES if cause.words.search(self.error)), UNKNOWN)


@dataclass(slots=True)
class FailedSend:
    """A send of which at least one attempt failed.

    Args:
        invoke_id: how the log names it; empty if it does not.
        attempts: the failed attempts, in order.
        gave_up: the line in which the client says so; None if it does not.
        hidden_by: the line with the exception that hides the attempts' errors; None if there is none.
        times: how many attempts the client counted.
        cost: how long all took, in milliseconds.
        brokers: the brokers that it names as tried; some may not have been reached.
    """

    invoke_id: str
    attempts: list[Failed] = field(default_factory=list)
    gave_up: int | None = None
    hidden_by: int | None = None
    times: int | None = None
    cost: int | None = None
    brokers: tuple[str, ...] = ()


@dataclass(slots=True)
class Reading:
    """What was read of a log.

    Args:
        lines: how many lines there were.
        sends: how many failed sends were found.
        results: how many results of sends were found, by status.
        unread: how many lines looked like the client's and could not be read.
        examples: the first few of those, shortened and without bodies.
        possible: the releases that may have written it.
        causes: how many attempts failed for which cause.
        brokers: how many attempts failed on which broker.
        swallowed: how many exceptions of the choice itself stand there.
    """

    lines: int = 0
    sends: int = 0
    results: Counter[str] = field(default_factory=Counter)
    unread: int = 0
    examples: list[tuple[int, str]] = field(default_factory=list)
    possible: tuple[str, ...] = CHRONOLOGY
    causes: Counter[str] = field(default_factory=Counter)
    brokers: Counter[str] = field(default_factory=Counter)
    swallowed: int = 0


MOST_OPEN = 10_000
"""How many sends are kept open at most; beyond that the oldest is taken for finished."""

MOST_EXAMPLES = 3
LONGEST = 160


def blocks_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield a file's content in blocks of whole lines."""
    while block := file.read(BLOCK):
        yield block + file.readline()


def interesting_lines(blocks: Iterable[bytes], reading: Reading) -> Iterator[tuple[int, str]]:
    """Yield the lines of a log that are to be looked at, with their numbers from 1.

    Args:
        blocks: the log, in blocks of whole lines.
        reading: counts the lines.
    """
    for block in blocks:
        if not any(words in block for words in INTERESTING):
            reading.lines += block.count(b"\n") + (not block.endswith(b"\n"))
            continue
        for line in block.removesuffix(b"\n").split(b"\n"):
            reading.lines += 1
            if any(words in line for words in INTERESTING):
                yield reading.lines, line.decode("utf-8", "replace").rstrip("\r")


def read_log(blocks: Iterable[bytes], reading: Reading) -> Iterator[FailedSend]:
    """Yield the failed sends of a log, each when it is finished or the log ends.

    Args:
        blocks: the log, in blocks of whole lines, see `blocks_of`; a line is a block too.
        reading: is filled with what is counted on the way.

    Yields:
        Sends in the order in which they end.

    >>> log = [
    ...     b"2022-08-02 16:25:10,101 WARN RocketmqClient - sendKernelImpl exception, resend at once, InvokeID: 7, "
    ...     b"RT: 2ms, Broker: MessageQueue [topic=T, brokerName=broker-b, queueId=1]",
    ...     b"org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to 10.0.0.2:10911 failed",
    ... ]
    >>> (send,) = read_log(log, Reading())
    >>> send.attempts[0].broker, send.attempts[0].cause.name, send.attempts[0].cause.stored
    ('broker-b', 'connect', 'no')
    """
    open_sends: dict[str, FailedSend] = {}
    last: Failed | None = None
    newest = FailedSend("")
    for number, line in interesting_lines(blocks, reading):
        note_format(line, reading)
        if found := RESEND.search(line):
            last = failed_attempt(number, line, found)
            send = open_sends.setdefault(
                found["id"] if found["id"] != "%s" else f"%s {number}", FailedSend(found["id"])
            )
            send.attempts.append(last)
            newest = send
            if len(open_sends) > MOST_OPEN:
                yield counted(open_sends.pop(next(iter(open_sends))), reading)
        elif found := STILL_FAILED.search(line):
            brokers = tuple(name.strip() for name in found["brokers"].split(",") if name.strip() != "null")
            send = ended(open_sends, found["topic"], brokers)
            send.gave_up, send.times, send.cost = number, int(found["times"]), int(found["cost"])
            send.brokers = brokers
            yield counted(send, reading)
        elif found := RESULT.search(line):
            reading.results[found["status"]] += 1
        elif "when selecting message queue" in line:
            reading.swallowed += 1
        elif last is not None and last.error and HIDING.search(line):
            newest.hidden_by = number
        elif last is not None and (THROWN.search(line) or CODE.search(line)):
            note_error(last, line)
        elif "Exception: " in line and not line.lstrip().startswith(("at ", "Caused by", "\tat")):
            alone = FailedSend("", [Failed(number, time_of(line))])
            note_error(alone.attempts[0], line)
            yield counted(alone, reading)
        elif is_clients(line):
            reading.unread += 1
            if len(reading.examples) < MOST_EXAMPLES:
                reading.examples.append((number, without_body(line)[:LONGEST]))
    for send in open_sends.values():
        yield counted(send, reading)


def failed_attempt(number: int, line: str, found: re.Match[str]) -> Failed:
    """Return the attempt that a line of the retry loop tells of; a placeholder that was not filled is a loss."""
    lost = found["rt"] == "%s"
    return Failed(
        number,
        time_of(line),
        found["topic"] or "",
        found["broker"] or "",
        None if found["queue"] is None else int(found["queue"]),
        None if lost else int(found["rt"]),
    )


def ended(open_sends: dict[str, FailedSend], topic: str, brokers: Sequence[str]) -> FailedSend:
    """Return the open send that a last line belongs to, which has no id; a new one if none fits.

    Args:
        open_sends: the open sends by key; the one that is found is taken out.
        topic: the topic that the line names.
        brokers: the brokers that it names, in the order of the attempts.
    """
    newest_first = sorted(open_sends.items(), key=lambda entry: entry[1].attempts[-1].line, reverse=True)
    for key, send in newest_first:
        tried = [attempt.broker or name for attempt, name in zip(send.attempts, brokers, strict=False)]
        fits = len(send.attempts) <= len(brokers) and tried == list(brokers[: len(tried)])
        if fits and send.attempts[-1].topic in ("", topic):
            return open_sends.pop(key)
    return FailedSend("")


def note_error(attempt: Failed, line: str) -> None:
    """Add what a line says of an attempt's error; the first exception that is told counts."""
    if attempt.error and "CODE: " not in line:
        return
    thrown = THROWN.search(line)
    attempt.error = without_body(thrown[0].strip() if thrown else line.strip())[:LONGEST]
    if code := CODE.search(line):
        attempt.code, attempt.address = int(code["code"]), code["address"] or attempt.address
    elif address := ADDRESS.search(attempt.error.partition(": ")[2]):
        attempt.address = address["address"]
    if budget := BUDGET.search(line):
        attempt.budget = int(budget["budget"])


def time_of(line: str) -> str:
    """Return the time at the beginning of a line, or nothing."""
    found = TIME.search(line[:80])
    return found[1] if found else ""


def without_body(line: str) -> str:
    """Return a line without a message's body.

    >>> without_body("Message{topic='T', flag=0, body=[72, 101], transactionId='null'}")
    "Message{topic='T', flag=0, body=…, transactionId='null'}"
    """
    return BODY.sub("body=…", line)


def is_clients(line: str) -> bool:
    """Return whether a line looks like the client's own and should have been read."""
    return "sendKernelImpl exception" in line or "InvokeID" in line


def note_format(line: str, reading: Reading) -> None:
    """Leave only the releases that write such a line."""
    for known in FORMATS:
        if known.words.search(line):
            first, last = CHRONOLOGY.index(known.first), CHRONOLOGY.index(known.last)
            left = tuple(v for v in reading.possible if first <= CHRONOLOGY.index(v) <= last)
            reading.possible = left or reading.possible


def counted(send: FailedSend, reading: Reading) -> FailedSend:
    """Count a send and return it."""
    reading.sends += 1
    for attempt in send.attempts:
        reading.causes[attempt.cause.name] += 1
        reading.brokers[attempt.broker or attempt.address or text("log.lost")] += 1
    return send


# --------------------------------------------------------------------------------------------------------- the telling


def lines_of_send(send: FailedSend, row: Release, fault_switch: bool | None) -> Iterator[str]:
    """Yield what happened to a send, attempt by attempt, and why the client went on or gave up.

    Args:
        send: the send.
        row: the release that is asked about.
        fault_switch: whether the fault switch is on; None if nobody knows.
    """
    first = send.attempts[0] if send.attempts else None
    yield text(
        "log.send",
        at=(first.at if first else "") or text("log.no_time"),
        topic=(first.topic if first else "") or text("log.lost"),
        invoke_id=text("log.no_id") if send.invoke_id in ("", "%s") else send.invoke_id,
    )
    for number, attempt in enumerate(send.attempts, 1):
        yield "  " + told_attempt(number, attempt)
        yield "    " + next_step(send, number, row)
        if fault_switch:
            yield "    " + avoided(attempt, row)
    stored = {attempt.cause.stored for attempt in send.attempts}
    if send.gave_up is not None:
        yield "  " + text(
            "log.gave_up",
            line=send.gave_up,
            times=send.times,
            cost=send.cost,
            brokers=", ".join(send.brokers),
        )
    copies = sum(attempt.cause.stored == "maybe" for attempt in send.attempts)
    yield "  " + text("log.stored.maybe" if "maybe" in stored else "log.stored.no", copies=copies)


def told_attempt(number: int, attempt: Failed) -> str:
    """Return an attempt in words, with its cause and the lines that show it."""
    queue = f"{attempt.broker} : {attempt.queue}" if attempt.broker else attempt.address or text("log.lost")
    took = text("log.took", rt=attempt.rt) if attempt.rt is not None else text("log.took.lost")
    cause = text(f"log.cause.{attempt.cause.name}", code=attempt.code)
    return text("log.attempt", number=number, queue=queue, took=took, cause=cause, line=attempt.line)


def next_step(send: FailedSend, number: int, row: Release) -> str:
    """Return what the client did after an attempt, and why."""
    attempt = send.attempts[number - 1]
    if number < len(send.attempts):
        return text("log.next.again", broker=send.attempts[number].broker or text("log.lost"))
    if attempt.code is not None and attempt.code not in row.retry_codes:
        return text("log.next.code", code=attempt.code, release=row.version)
    if send.hidden_by is not None:
        return text("log.next.hidden", line=send.hidden_by)
    if send.gave_up is not None:
        return text("log.next.used", times=send.times)
    return text("log.next.unknown")


def avoided(attempt: Failed, row: Release) -> str:
    """Return for how long the broker is avoided because of an attempt, with the fault switch on."""
    latency, thresholds, durations = row.isolation_latency, row.latency_max, row.not_available_duration
    duration = compute_not_available_duration(latency, thresholds, durations)
    return text(
        "log.avoided",
        broker=attempt.broker or text("log.lost"),
        seconds=f"{duration / 1000:g}",
        at=attempt.at,
    )


def lines_of_reading(reading: Reading, row: Release, is_guessed: bool) -> Iterator[str]:
    """Yield the totals of a log.

    Args:
        reading: what was read.
        row: the release that was taken for the telling.
        is_guessed: whether nobody named it.
    """
    possible = spans_of(reading.possible)
    if is_guessed:
        yield text("log.release.guess", possible=possible, release=row.version)
    elif row.version not in reading.possible:
        yield text("log.release.other", possible=possible, release=row.version)
    yield text("log.total", lines=f"{reading.lines:,}", sends=f"{reading.sends:,}")
    yield from (
        text("log.total.cause", count=count, cause=text(f"log.cause.{name}", code=text("log.a_code")))
        for name, count in reading.causes.most_common()
    )
    yield from (
        text("log.total.broker", count=count, broker=name) for name, count in reading.brokers.most_common()
    )
    yield from (
        text("log.total.result", count=count, status=name) for name, count in sorted(reading.results.items())
    )
    if reading.swallowed:
        yield text("log.total.swallowed", count=reading.swallowed)
    if reading.unread:
        yield text("log.total.unread", count=reading.unread)
        yield from (text("log.total.example", line=line, said=said) for line, said in reading.examples)


def told_log(log: str, version: str | None = None, fault_switch: bool | None = None) -> str:
    """Return what a short log tells: each failed send, and the totals.

    Args:
        log: the log.
        version: the client's release; guessed from the formats if None.
        fault_switch: whether the fault switch is on; None if nobody knows.

    Raises:
        UnknownRelease: no such release.

    >>> from rmqref.samples import sample_log
    >>> print(told_log(sample_log("placeholders")).splitlines()[1])
      attempt 1 to 10.20.0.2:10911 failed after a time that the log lost: no connection could be made; it is not stored (line 1)
    """
    reading = Reading()
    sends = list(read_log([log.encode()], reading))
    row = row_for(reading.possible, version)
    lines = [line for send in sends for line in lines_of_send(send, row, fault_switch)]
    return "\n".join([*lines, *lines_of_reading(reading, row, version is None)])


def row_for(possible: Sequence[str], version: str | None) -> Release:
    """Return the row that a log is told with: of the release named, else of the newest that may have written it."""
    return release(version or possible[-1])
