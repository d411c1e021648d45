"""Client logs: what happened to each send that failed, read line by line.

Lines are matched by what the client writes, not by what an application puts before it. Message bodies are never kept.
What a log does not say (whether the fault switch is on, which release wrote it) is asked for or said to be a guess.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from typing import BinaryIO, NamedTuple

from rmqref.errors import RmqRefError
from rmqref.releases import CHRONOLOGY
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
    b"async send msg by retry",
    b"isolated for",
    b"reachable",
    b"when selecting message queue",
    b"SendResult [",
    b"send heart beat",
    b"execute the pull request",
)
"""What a line has to hold to be looked at. Where none of it stands in a whole block of lines, the block is passed over."""

BLOCK = 1 << 16
"""How much of a file is read at once, in bytes; of a longer line, one that holds a body, the middle is passed over."""

TIME = re.compile(r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{3})?)")
QUEUE = r"MessageQueue \[topic=(?P<topic>[^,\]]*), brokerName=(?P<broker>[^,\]]*), queueId=(?P<queue>-?\d+)\]"
RESEND = re.compile(rf"InvokeID: (?P<id>-?\d+|%s), RT: (?P<rt>-?\d+|%s)ms, Broker: (?:{QUEUE}|%s)")
STILL_FAILED = re.compile(
    r"Send \[(?P<times>\d+)\] times, still failed, cost \[(?P<cost>\d+)\]ms, Topic: (?P<topic>[^,]*), "
    r"BrokersSent: \[(?P<brokers>[^\]]*)\]"
)
THROWN = re.compile(r"(?:^|[\s:])(?:[a-z]\w*\.)+(?P<name>[A-Z]\w*(?:Exception|Error))(?:: (?P<said>.*))?$")
CODE = re.compile(r"CODE: (?P<code>\d+)  ?DESC: (?P<said>.*?)(?: BROKER: (?P<address>\S+))?$")
BUSY = re.compile(
    r"(?:TIMEOUT_CLEAN_QUEUE|PCBUSY_CLEAN_QUEUE).*?period in queue: (?P<period>\d+)ms, size of queue: (?P<waiting>\d+)"
)
ADDRESS = re.compile(r"<?(?P<address>(?:\[[0-9a-fA-F:.]+\]|[\w.\-]+):\d+)>?")
BUDGET = re.compile(r"timeout, (?P<budget>-?\d+)\(ms\)")
BODY = re.compile(r"body=\[[^\]]*\]?|body=\S+")
MESSAGE = re.compile(r"Message ?[\[{]topic='?(?P<topic>[^',]*)")
"""A message as the client writes it after a failed attempt."""
KEY = re.compile(r"UNIQ_KEY=(?P<key>\w+)")
"""What a result calls msgId."""
HIDING = re.compile(r"send(?:Default|Select)Impl call timeout")
"""What the application gets instead of the error that used up the time."""
RESULT = re.compile(
    rf"SendResult \[sendStatus=(?P<status>\w+)(?:, msgIds?=(?P<ids>[^ \]]*))?(?:[^\[]*?{QUEUE})?"
)
ASYNC_RETRY = re.compile(
    r"async send msg by retry (?:\d+|\{\}) times\. topic=(?P<topic>[^,]*), brokerAddr=(?P<address>[^,]*), brokerName=(?P<broker>\S+)"
)
ISOLATED = re.compile(r"(?<![^\s\]])(?P<broker>[^\s\]]+) will be isolated for (?P<ms>\d+) ms")
UNREACHABLE = re.compile(
    r"(?<![^\s\]])(?P<broker>[^\s\]]+) is unreachable, it will not be used until it's reachable"
)
REACHABLE = re.compile(r"(?<![^\s\]])(?P<broker>[^\s\]]+) is reachable now, then it can be used")
CLIENTS = re.compile(
    r"(?<![\w.])(?:[a-z]\w*\.)*(?P<name>(?:MQClient|MQBroker|Remoting[A-Z][a-zA-Z]{3,40})Exception)(?:: (?P<said>.*))?$"
)
"""The exceptions that a send ends with."""
NAME_SERVER = "No topic route info in name server for the topic"
PULLS = range(19, 28)
"""The codes of answers that only consumers get."""


class Cause(NamedTuple):
    """A cause by the words of its error.

    Args:
        name: of the sentence that tells it.
        words: what the error holds.
        stored: "no" or "maybe".
    """

    name: str
    words: re.Pattern[str]
    stored: str


CAUSES = tuple(
    Cause(name, re.compile(words), stored)
    for name, words, stored in (
        ("busy", r"TIMEOUT_CLEAN_QUEUE|PCBUSY_CLEAN_QUEUE|PC_SYNCHRONIZED|broker busy|system busy", "no"),
        ("async_full", r"exec(?:u)?tor rejected", "no"),
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
        ("no_topic", r"CODE: 17\b", "no"),
        ("answered", r"MQBrokerException|CODE: \d", "no"),
        ("interrupted", r"InterruptedException", "maybe"),
    )
)
"""The causes in the order in which they are tried."""

UNKNOWN = Cause("unknown", re.compile(""), "maybe")


@lru_cache(maxsize=1024)
def cause_of(error: str) -> Cause:
    """Return the cause that an error's words tell of.

    Args:
        error: the words.

    >>> cause_of("MQClientException: executor rejected ").name
    'async_full'
    """
    return next((cause for cause in CAUSES if cause.words.search(error)), UNKNOWN)


class Format(NamedTuple):
    """Words that only some releases write.

    Args:
        hint: what a line holds that is worth a closer look.
        words: what it holds then.
        first: the first release that writes so.
        last: the last one.
    """

    hint: str
    words: re.Pattern[str]
    first: str
    last: str


FORMATS = tuple(
    Format(hint, re.compile(words), first, last)
    for hint, words, first, last in (
        ("Message [", r"Message \[topic=", CHRONOLOGY[0], "4.2.0"),
        ("Message{", r"Message\{topic='", "4.3.0", CHRONOLOGY[-1]),
        ("%s", r"InvokeID: %s", "5.1.0", "5.2.0"),
        ("{}", r"by retry \{\} times", "4.9.3", "4.9.3"),
        (" BROKER: ", r"CODE: \d+  DESC: .* BROKER: ", "4.8.0", CHRONOLOGY[-1]),
        (" will ", r"will be isolated for \d", "5.1.4", CHRONOLOGY[-1]),
        (" will ", r"it will not be used until", "5.1.4", CHRONOLOGY[-1]),
        (MOCK_BROKER_PREFIX, re.escape(MOCK_BROKER_PREFIX), "5.0.0-ALPHA", CHRONOLOGY[-1]),
    )
)
"""What tells of the release that wrote a log."""

SWALLOWED = Format("", re.compile(r"NullPointerException|IndexOutOfBoundsException"), "5.1.0", "5.1.3")
"""What these releases throw while a queue is chosen, and catch themselves; others throw something else there."""


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
        thrown: the exception's class; empty if the log does not tell it.
        error: the exception's name and words, without a message's body.
        shown: the line of the error; None if the log does not tell it.
        code: the broker's code.
        address: where the request went.
        budget: the time that the attempt was given, in milliseconds.
        period: how long a busy broker had kept the request, in milliseconds.
        waiting: how many requests waited there.
        isolated: for how long the client itself says that it avoids the broker, in milliseconds.
        isolated_line: where it says so.
    """

    line: int
    at: str
    topic: str = ""
    broker: str = ""
    queue: int | None = None
    rt: int | None = None
    thrown: str = ""
    error: str = ""
    shown: int | None = None
    code: int | None = None
    address: str = ""
    budget: int | None = None
    period: int | None = None
    waiting: int | None = None
    isolated: int | None = None
    isolated_line: int | None = None

    @property
    def cause(self) -> Cause:
        """Return the cause that the error's words tell of."""
        return cause_of(self.error)

    @property
    def where(self) -> str:
        """Return the broker, else the address, else nothing."""
        return self.broker or self.address


@dataclass(slots=True)
class FailedSend:
    """A send of which at least one attempt failed.

    Args:
        invoke_id: how the log names it; empty if it does not.
        attempts: the failed attempts, in order.
        at: the time of its first line; empty if it has none.
        topic: the topic; empty if the log lost it.
        gave_up: the line in which the client says so; None if it does not.
        hidden_by: the line with the exception that hides the attempts' errors; None if there is none.
        times: how many attempts the client counted.
        cost: how long all took, in milliseconds.
        brokers: the brokers that it names as tried; some may not have been reached.
        result: the status of its result; empty if the log has none that is surely this send's.
        result_line: the line of the result.
        result_queue: the queue that it names.
        thrown_to_application: the line in which the application gets the last attempt's error; None if there is none.
    """

    invoke_id: str
    attempts: list[Failed] = field(default_factory=list)
    at: str = ""
    topic: str = ""
    gave_up: int | None = None
    hidden_by: int | None = None
    times: int | None = None
    cost: int | None = None
    brokers: tuple[str, ...] = ()
    result: str = ""
    result_line: int | None = None
    result_queue: str = ""
    thrown_to_application: int | None = None
    key: str = field(default="", repr=False)

    @property
    def untold(self) -> int:
        """Return how many attempts the client counted of which the log does not tell."""
        return max(0, (self.times or 0) - len(self.attempts))

    @property
    def maybe_stored(self) -> int:
        """Return how many of the failed attempts a broker may have stored, those included that the log does not tell."""
        return self.untold + sum(attempt.cause.stored == "maybe" for attempt in self.attempts)

    @property
    def is_failure(self) -> bool:
        """Return whether the log says that the send as a whole failed."""
        ends = (self.gave_up, self.hidden_by, self.thrown_to_application)
        return not self.result and (any(line is not None for line in ends) or not self.invoke_id)


@dataclass(slots=True)
class Avoided:
    """What a client's log itself says of a broker that it avoids: it only does with the fault switch on.

    Args:
        times: how often it was avoided.
        ms: for how long the last time, in milliseconds.
        at: the time of that line; empty if it has none.
        line: its number.
        unreachable: how often the broker was found unreachable.
        reachable: the line in which the detector last found it reachable again; None if none does.
        reachable_at: the time of that line.
    """

    times: int = 0
    ms: int = 0
    at: str = ""
    line: int = 0
    unreachable: int = 0
    reachable: int | None = None
    reachable_at: str = ""


@dataclass(slots=True)
class Reading:
    """What was read of a log.

    Args:
        lines: how many lines there were.
        sends: how many failed sends were found.
        failed: how many of them failed as a whole, as the log says.
        results: how many results of sends were found, by status.
        messages: how many messages these results are for; a batch has several.
        accepted: how many results each broker gave.
        unread: how many lines looked like the client's and could not be read.
        examples: the first few of those, shortened and without bodies.
        possible: the releases that may have written it.
        causes: how many attempts failed for which cause.
        evidence: the first few lines that tell of each cause.
        brokers: how many attempts failed on which broker.
        avoided: what the log itself says of avoided brokers.
        async_retries: how many asynchronous sends were tried again, by the broker that was tried next.
        routeless: how often the name server knew no route.
        swallowed: how many exceptions of the choice itself stand there.
    """

    lines: int = 0
    sends: int = 0
    failed: int = 0
    results: Counter[str] = field(default_factory=Counter)
    messages: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    unread: int = 0
    examples: list[tuple[int, str]] = field(default_factory=list)
    possible: tuple[str, ...] = CHRONOLOGY
    causes: Counter[str] = field(default_factory=Counter)
    evidence: dict[str, list[int]] = field(default_factory=dict)
    brokers: Counter[str] = field(default_factory=Counter)
    avoided: dict[str, Avoided] = field(default_factory=dict)
    async_retries: Counter[str] = field(default_factory=Counter)
    routeless: int = 0
    swallowed: int = 0


MOST_OPEN = 10_000
"""How many sends are kept open at most; beyond that the oldest is taken for finished."""

MOST_BACK = 256
"""How many of the newest of them a line without an id is compared with."""

MOST_AWAITING = 64
"""How many failed attempts wait for the line with their message."""

MOST_EXAMPLES = 3
LONGEST = 160
"""How much of a line that could not be read is shown, in characters."""

LOOKED_AT = 8192
"""How much of a line is looked at, its body left out, in characters: so that no line takes longer than its length asks."""


def blocks_of(file: BinaryIO) -> Iterator[bytes]:
    r"""Yield a log in blocks of whole lines, as UTF-8 and in constant memory.

    Args:
        file: the log; what a Windows console writes as UTF-16 is read too, with or without a byte order mark before UTF-8.

    >>> import io
    >>> list(blocks_of(io.BytesIO("one\ntwo\nthree".encode("utf-16"))))
    [b'one\ntwo\n', b'three']
    """
    rest = b""
    for piece in pieces_of(file):
        whole, newline, tail = piece.rpartition(b"\n")
        if newline:
            yield rest + whole + newline
            rest = tail
        elif len(rest) < BLOCK:
            rest += piece
    if rest:
        yield rest


def pieces_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield a file's content piece by piece, as UTF-8 without a byte order mark."""
    read = iter(lambda: file.read(BLOCK), b"")
    first = next(read, b"")
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        yield from (said.encode() for said in codecs.iterdecode(chain([first], read), "utf-16", "replace"))
        return
    yield first.removeprefix(codecs.BOM_UTF8)
    yield from read


def interesting_lines(blocks: Iterable[bytes], reading: Reading) -> Iterator[tuple[int, str]]:
    """Yield the lines of a log that are to be looked at, with their numbers from 1.

    Args:
        blocks: the log, in blocks of whole lines.
        reading: counts the lines.
    """
    before = 0
    for block in blocks:
        number, seen = before + 1, 0
        for start in starts_of_lines(block):
            number += block.count(b"\n", seen, start)
            seen = start
            end = block.find(b"\n", start)
            line = block[start : end if end >= 0 else len(block)].decode("utf-8", "replace").rstrip("\r")
            yield number, line if len(line) <= LOOKED_AT else without_body(line)[:LOOKED_AT]
        before += block.count(b"\n") + (not block.endswith(b"\n"))
        reading.lines = before


def starts_of_lines(block: bytes) -> list[int]:
    r"""Return where the lines begin that are to be looked at, in order.

    Searching a whole block for one word after the other is several times as fast as looking at each line.

    >>> starts_of_lines(b"quiet\nCODE: 1\nquiet\nException with InvokeID")
    [6, 20]
    """
    starts = set()
    for words in INTERESTING:
        found = block.find(words)
        while found >= 0:
            starts.add(block.rfind(b"\n", 0, found) + 1)
            end = block.find(b"\n", found)
            found = block.find(words, end) if end >= 0 else -1
    return sorted(starts)


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
    lines = Lines(reading)
    for number, line in interesting_lines(blocks, reading):
        lines.read(number, line)
        if lines.finished:
            yield from lines.take_finished()
    lines.end()
    yield from lines.take_finished()


class Lines:
    """What is remembered from line to line of a log.

    Args:
        reading: is filled with what is counted.

    Attributes:
        finished: sends that have ended and were not taken yet.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.finished: list[FailedSend] = []
        self._open: dict[
            str, FailedSend
        ] = {}  # by what tells them apart; the one that was heard of last stands last
        self._by_key: dict[str, str] = {}
        self._awaiting: list[
            tuple[str, str, str]
        ] = []  # of attempts without their message: the send, topic, thread
        self._last: Failed | None = None
        self._newest = FailedSend("")
        self._closing: FailedSend | None = None
        self._formats = FORMATS
        self._isolated: dict[str, tuple[int, int]] = {}
        self._swallowing = self._is_elsewhere = self._goes_on = self._is_told = False

    def read(self, number: int, line: str) -> None:
        """Take in a line.

        Args:
            number: its number, from 1.
            line: the line.
        """
        if "SendResult [" in line:  # by far the most frequent line of all, where there is any
            self._close()
            self._take_results(number, line)
            return
        start = line.lstrip()[:10]
        if start.startswith("at "):
            return
        self._note_format(line)
        self._goes_on = start.startswith("Caused by:")
        if not self._goes_on:
            self._close()
            self._is_told = False
            self._is_elsewhere = self._is_elsewhere and not time_of(line)
        for words, take in KINDS:
            if words in line:
                take(self, number, line)
                return
        self._take_error(number, line)

    def end(self) -> None:
        """Take the log for ended."""
        self._close()
        for send in self._open.values():
            self._finish(send)
        self._open.clear()

    def take_finished(self) -> list[FailedSend]:
        """Return the sends that have ended since the last time."""
        taken, self.finished = self.finished, []
        return taken

    def _note_format(self, line: str) -> None:
        """Leave only the releases that write such a line; a format that was met once is not looked for again."""
        for known in self._formats:
            if known.hint in line and known.words.search(line):
                narrow(self.reading, known)
                self._formats = tuple(other for other in self._formats if other is not known)

    def _take_attempt(self, number: int, line: str) -> None:
        found = RESEND.search(line)
        if found is None:
            self._take_unread(number, line)
            return
        self._last = failed_attempt(number, line, found)
        # The client writes of the avoiding first; a logger may turn the two around.
        if self._last.broker in self._isolated:
            self._last.isolated, self._last.isolated_line = self._isolated.pop(self._last.broker)
        name = found["id"] if found["id"] != "%s" else f"%s {number}"
        if name not in self._open:
            self._open[name] = FailedSend(found["id"], at=self._last.at)
        self._newest = self._open.pop(name)
        self._newest.attempts.append(self._last)
        self._newest.topic = self._newest.topic or self._last.topic
        self._open[name] = self._newest
        self._awaiting = [*self._awaiting[1 - MOST_AWAITING :], (name, self._last.topic, thread_of(line))]
        if len(self._open) > MOST_OPEN:
            self._finish(self._taken(next(iter(self._open))))

    def _take_end(self, number: int, line: str) -> None:
        found = STILL_FAILED.search(line)
        if found is None:
            self._take_unread(number, line)
            return
        times, cost = int(found["times"]), int(found["cost"])
        brokers = tuple(name.strip() for name in found["brokers"].split(",") if name.strip() != "null")
        if self._closing and (self._closing.times, self._closing.cost, self._closing.brokers) == (
            times,
            cost,
            brokers,
        ):
            return  # the same exception again, as the cause of the application's own
        self._close()
        send = self._ended(found["topic"], brokers)
        send.gave_up, send.times, send.cost, send.brokers, send.topic = (
            number,
            times,
            cost,
            brokers,
            found["topic"],
        )
        send.at = send.at or time_of(line)
        self._closing = send

    def _take_results(self, number: int, line: str) -> None:
        for found in RESULT.finditer(line):
            self.reading.results[found["status"]] += 1
            keys = [key for key in (found["ids"] or "").split(",") if key]
            self.reading.messages += max(1, len(keys))
            if found["broker"]:
                self.reading.accepted[found["broker"]] += 1
            for name in filter(None, map(self._by_key.get, keys[:1])):
                send = self._taken(name)
                send.result, send.result_line = found["status"], number
                send.result_queue = f"{found['broker']} : {found['queue']}" if found["broker"] else ""
                self._finish(send)

    def _take_message(self, _number: int, line: str) -> None:
        found, key = MESSAGE.search(line), KEY.search(line)
        if found is None or key is None:
            return
        waiting = [one for one in self._awaiting if one[1] in ("", found["topic"]) and one[0] in self._open]
        same = [one for one in waiting if self._open[one[0]].key == key["key"]]
        mine = same or [one for one in waiting if one[2] == thread_of(line) and not self._open[one[0]].key]
        if len(mine) != 1:
            return  # whose message this is cannot be known, and nothing is guessed
        self._awaiting.remove(mine[0])
        self._open[mine[0][0]].key = key["key"]
        self._by_key[key["key"]] = mine[0][0]

    def _take_async_retry(self, number: int, line: str) -> None:
        if found := ASYNC_RETRY.search(line):
            self.reading.async_retries[found["broker"] if found["broker"] != "{}" else ""] += 1
        else:
            self._take_unread(number, line)

    def _take_isolated(self, number: int, line: str) -> None:
        if found := ISOLATED.search(line):
            avoided = self.reading.avoided.setdefault(found["broker"], Avoided())
            avoided.times += 1
            avoided.ms, avoided.at, avoided.line = int(found["ms"]), time_of(line), number
            before = self._last
            if before and before.broker == found["broker"] and before.isolated is None:
                before.isolated, before.isolated_line = avoided.ms, number
            else:
                self._isolated[found["broker"]] = avoided.ms, number

    def _take_reachable(self, number: int, line: str) -> None:
        if found := UNREACHABLE.search(line):
            self.reading.avoided.setdefault(found["broker"], Avoided()).unreachable += 1
        elif found := REACHABLE.search(line):
            avoided = self.reading.avoided.setdefault(found["broker"], Avoided())
            avoided.reachable, avoided.reachable_at = number, time_of(line)
        elif "Exception" in line:
            self._take_error(number, line)

    def _take_swallowed(self, _number: int, line: str) -> None:
        self.reading.swallowed += 1
        self._swallowing = not SWALLOWED.words.search(line)
        if not self._swallowing:
            narrow(self.reading, SWALLOWED)

    def _take_elsewhere(self, _number: int, _line: str) -> None:
        self._is_elsewhere = True

    def _take_unread(self, number: int, line: str) -> None:
        self.reading.unread += 1
        if len(self.reading.examples) < MOST_EXAMPLES:
            self.reading.examples.append((number, without_body(line)[:LONGEST]))

    def _take_error(self, number: int, line: str) -> None:
        """Take in an exception: an attempt's, one that hides others, or one that the application got."""
        thrown, code = THROWN.search(line), CODE.search(line)
        if not (thrown or code or CLIENTS.search(line)) or self._is_elsewhere or self._is_told:
            return
        if self._swallowing:
            self._swallowing = False
            if SWALLOWED.words.search(line):
                narrow(self.reading, SWALLOWED)
            return
        if self._closing:
            if not self._closing.attempts:
                self._closing.attempts.append(last_of(self._closing, number, line))
            return
        self._is_told = True
        if self._last is not None and is_error_of(self._last, number, bool(code and not thrown)):
            note_error(self._last, number, line)
        elif HIDING.search(line) and self._newest.attempts and self._newest.hidden_by is None:
            self._newest.hidden_by = number
        elif code or CLIENTS.search(line):
            self._take_alone(number, line)
        else:
            self._is_told = False

    def _take_alone(self, number: int, line: str) -> None:
        """Take in an exception of a send whose attempts the log does not have, or has already told of."""
        if NAME_SERVER in line:
            self.reading.routeless += 1
            return
        alone = FailedSend("", at=time_of(line))
        alone.attempts.append(Failed(number, alone.at))
        note_error(alone.attempts[0], number, line)
        if alone.attempts[0].code in PULLS:
            return
        for name, send in islice(reversed(self._open.items()), MOST_BACK):
            if send.attempts[-1].error == alone.attempts[0].error:
                self._taken(name).thrown_to_application = number
                self._finish(send)
                return
        self._finish(alone)

    def _ended(self, topic: str, brokers: Sequence[str]) -> FailedSend:
        """Return the open send that a last line belongs to, which has no id; a new one if none fits."""
        for name, send in islice(reversed(self._open.items()), MOST_BACK):
            tried = [attempt.broker or named for attempt, named in zip(send.attempts, brokers, strict=False)]
            fits = len(send.attempts) <= len(brokers) and tried == list(brokers[: len(tried)])
            if fits and send.attempts[-1].topic in ("", topic):
                return self._taken(name)
        return FailedSend("")

    def _taken(self, name: str) -> FailedSend:
        send = self._open.pop(name)
        self._by_key.pop(send.key, None)
        return send

    def _close(self) -> None:
        if self._closing is not None:
            closing, self._closing = self._closing, None
            self._finish(closing)

    def _finish(self, send: FailedSend) -> None:
        self.reading.sends += 1
        self.reading.failed += send.is_failure
        for attempt in send.attempts:
            name = attempt.cause.name
            self.reading.causes[name] += 1
            evidence = self.reading.evidence.setdefault(name, [])
            if len(evidence) < MOST_EXAMPLES:
                evidence.append(attempt.shown or attempt.line)
            self.reading.brokers[attempt.where] += 1
        self.finished.append(send)


KINDS = (
    ("InvokeID", Lines._take_attempt),  # noqa: SLF001
    ("sendKernelImpl exception", Lines._take_attempt),  # noqa: SLF001
    ("still failed, cost", Lines._take_end),  # noqa: SLF001
    ("Message [topic=", Lines._take_message),  # noqa: SLF001
    ("Message{topic=", Lines._take_message),  # noqa: SLF001
    ("async send msg by retry", Lines._take_async_retry),  # noqa: SLF001
    ("isolated for", Lines._take_isolated),  # noqa: SLF001
    ("when selecting message queue", Lines._take_swallowed),  # noqa: SLF001
    ("reachable", Lines._take_reachable),  # noqa: SLF001
    ("send heart beat", Lines._take_elsewhere),  # noqa: SLF001
    ("execute the pull request", Lines._take_elsewhere),  # noqa: SLF001
    ("updateTopicRouteInfoFromNameServer Exception", Lines._take_elsewhere),  # noqa: SLF001
)
"""What to do with a line, by the first of these words that it holds; an exception is what holds none."""


def failed_attempt(number: int, line: str, found: re.Match[str]) -> Failed:
    """Return the attempt that a line of the retry loop tells of; a placeholder that was not filled is a loss."""
    return Failed(
        number,
        time_of(line),
        found["topic"] or "",
        found["broker"] or "",
        None if found["queue"] is None else int(found["queue"]),
        None if found["rt"] == "%s" else int(found["rt"]),
    )


def classify(words: str) -> Failed:
    """Return what an exception's words alone tell, as an attempt of which nothing else is known.

    Args:
        words: the exception as it is printed, or what the broker said.

    Returns:
        An attempt with its cause, code, address and times, as far as the words have them.

    >>> found = classify("RemotingTooMuchRequestException: sendKernelImpl call timeout")
    >>> found.cause.name, found.cause.stored
    ('kernel_late', 'no')
    """
    attempt = Failed(1, "")
    note_error(attempt, 1, words)
    return attempt


def last_of(send: FailedSend, number: int, line: str) -> Failed:
    """Return the last attempt of a send of which the log has nothing but the exception's cause."""
    attempt = Failed(number, send.at, send.topic, send.brokers[-1] if send.brokers else "")
    note_error(attempt, number, line)
    return attempt


def is_error_of(attempt: Failed, number: int, is_code_alone: bool) -> bool:
    """Return whether a line is the first to tell an attempt's error, or goes on with its code on the next line."""
    return not attempt.error or (is_code_alone and attempt.code is None and attempt.shown == number - 1)


def note_error(attempt: Failed, number: int, line: str) -> None:
    """Add what a line says of an attempt's error."""
    thrown = CLIENTS.search(line) or THROWN.search(line)
    attempt.thrown = thrown["name"] if thrown else attempt.thrown
    said = without_body(thrown[0].strip() if thrown else line.strip())
    attempt.error = f"{attempt.error} {said}".strip()[:LONGEST]
    attempt.shown = number
    if code := CODE.search(line):
        attempt.code, attempt.address = int(code["code"]), code["address"] or attempt.address
    elif address := ADDRESS.search(attempt.error.partition(": ")[2]):
        attempt.address = address["address"]
    if budget := BUDGET.search(line):
        attempt.budget = int(budget["budget"])
    if busy := BUSY.search(line):
        attempt.period, attempt.waiting = int(busy["period"]), int(busy["waiting"])


def time_of(line: str) -> str:
    """Return the time at the beginning of a line, or nothing."""
    found = TIME.search(line[:80])
    return found[1] if found else ""


def thread_of(line: str) -> str:
    """Return what a client's line has before its words, but for the time and the place in the sources.

    >>> thread_of(
    ...     "2023-05-01 10:00:00.000 WARN  [8] [pool-7] [o.a.r.Impl#send:745] - sendKernelImpl exception"
    ... )
    'WARN  [8] [pool-7]  -'
    """
    before = re.split("sendKernelImpl|Message ?[\\[{]topic=", line[:LONGEST], maxsplit=1)[0]
    return re.sub(r"\[[^\]]*#[^\]]*\]", "", TIME.sub("", before)).strip()


def without_body(line: str) -> str:
    """Return a line without a message's body.

    >>> without_body("Message{topic='T', flag=0, body=[72, 101], transactionId='null'}")
    "Message{topic='T', flag=0, body=…, transactionId='null'}"
    """
    return BODY.sub("body=…", line)


def narrow(reading: Reading, known: Format) -> None:
    """Leave only the releases of a format, unless none would be left."""
    first, last = CHRONOLOGY.index(known.first), CHRONOLOGY.index(known.last)
    left = tuple(version for version in reading.possible if first <= CHRONOLOGY.index(version) <= last)
    reading.possible = left or reading.possible
