"""Client logs: what happened to each send that failed, read entry by entry.

Lines are matched by what the client writes, not by what an application puts before it. Message bodies are never kept.
What a log does not say (whether the fault switch is on, which release wrote it) is asked for or said to be a guess.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from rmqref.log_entries import Entry, are_near, could_be_one, entries_of, without_body
from rmqref.releases import CHRONOLOGY
from rmqref.route import MOCK_BROKER_PREFIX

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
    r"async send msg by retry (?P<times>\d+|\{\}) times\. topic=(?P<topic>[^,]*), brokerAddr=(?P<address>[^,]*), brokerName=(?P<broker>\S+)"
)
ISOLATED = re.compile(r"(?<![^\s\]])(?P<broker>[^\s\]]+) will be isolated for (?P<ms>\d+) ms")
UNREACHABLE = re.compile(
    r"(?<![^\s\]])(?P<broker>[^\s\]]+) is unreachable, it will not be used until it's reachable"
)
REACHABLE = re.compile(r"(?<![^\s\]])(?P<broker>[^\s\]]+) is reachable now, then it can be used")
CLIENTS = re.compile(
    r"(?<![\w.])(?:[a-z]\w*\.)*(?P<name>(?:MQClient|MQBroker|RequestTimeout|Remoting(?:[A-Z][a-zA-Z]{3,40})?)Exception)(?:: (?P<said>.*))?$"
)
"""The exceptions that a send ends with."""
ELSEWHERE = re.compile(
    "heart ?beat|execute the pull|pullMessage|updateTopicRouteInfoFromNameServer Exception|updateConsumeOffset"
    "|[lL]ockBatchMQ|etchConsumeOffset|queryConsumerOffset|endMessageBack|Can not find Message Queue"
    "|has been created before|service state not OK|DefaultMQAdmin|heckTransactionState|endTransaction"
)
"""What tells that an exception is of the client's other work, which is no send."""
CLIENT_FRAME = re.compile(r"\bat (?:org\.apache|com\.alibaba)\.rocketmq\.client\.(?P<place>\S+)")
OF_EXCEPTIONS = ("Exception", "CODE: ", "still failed, cost")
"""What an entry of one line holds if it tells of an exception."""
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
        ("reply", r"RequestTimeoutException|but wait reply message timeout", "maybe"),
        ("async_full", r"exec(?:u)?tor rejected|tryAcquire semaphore", "no"),
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
        (
            " RocketmqClient - ",
            r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ +RocketmqClient - ",
            "4.3.0",
            "5.0.0",
        ),
        ("%s", r"InvokeID: %s", "5.1.0", "5.2.0"),
        ("{}", r"by retry \{\} times", "4.9.3", "4.9.3"),
        (" BROKER: ", r"CODE: \d+  DESC: .* BROKER: ", "4.8.0", CHRONOLOGY[-1]),
        (" will ", r"will be isolated for \d", "5.1.4", CHRONOLOGY[-1]),
        (" will ", r"it will not be used until", "5.1.4", CHRONOLOGY[-1]),
        (MOCK_BROKER_PREFIX, re.escape(MOCK_BROKER_PREFIX), "5.0.0-ALPHA", CHRONOLOGY[-1]),
    )
)
"""What tells of the release that wrote a log."""

WARNS_OF_MESSAGES = Format("", re.compile(""), CHRONOLOGY[0], "5.1.3")
"""Later releases write a message after a network's or a broker's error only where they log for debugging."""

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
        retried_on: the broker that an asynchronous send was tried on next, empty if the log lost it; None if it was not.
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
    retried_on: str | None = None
    key: str = field(default="", repr=False)
    threads: frozenset[str] = field(default=frozenset(), repr=False)

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
        is_alone = not self.invoke_id and self.retried_on is None
        return not self.result and (any(line is not None for line in ends) or is_alone)


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
        recognised: how many entries were the client's, or of a send.
        codes: how many attempts a broker answered with which code.
        refused: how many sends ended, as far as the log tells, with an answer of which code.
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
    recognised: int = 0
    codes: Counter[int] = field(default_factory=Counter)
    refused: Counter[int] = field(default_factory=Counter)
    routeless: int = 0
    swallowed: int = 0


MOST_OPEN = 10_000
"""How many sends are kept open at most; beyond that the oldest is taken for finished."""

MOST_BACK = 256
"""How many of the newest of them a line without an id is compared with."""

MOST_AWAITING = 64
"""How many failed attempts wait for the line with their message."""

MOST_RECENT = 32
"""How many ends of sends are remembered, because applications and servers print the same exception again."""

SOON = 1.0
"""Within how many seconds the same exception is printed again, and an error reaches the application."""
A_WHILE = 60.0
"""Within how many seconds of its last attempt a send ends."""

MOST_EXAMPLES = 3
LONGEST = 160
"""How much of a line that could not be read is shown, in characters."""


def read_log(blocks: Iterable[bytes], reading: Reading) -> Iterator[FailedSend]:
    """Yield the failed sends of a log, each when it is finished or the log ends.

    Args:
        blocks: the log, in blocks of whole lines, see `rmqref.log_entries.blocks_of`; a line is a block too.
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
    reader = Reader(reading)
    for entry in entries_of(counted(blocks, reading)):
        reader.read(entry)
        if reader.finished:
            yield from reader.take_finished()
    reader.end()
    yield from reader.take_finished()


def counted(blocks: Iterable[bytes], reading: Reading) -> Iterator[bytes]:
    """Yield blocks, and count their lines."""
    for block in blocks:
        reading.lines += block.count(b"\n") + (not block.endswith(b"\n"))
        yield block


class _Ended(NamedTuple):
    """The end of a send that the log has told of.

    Args:
        words: what tells it apart.
        at: the time.
        threads: of the entry.
    """

    words: object
    at: str
    threads: frozenset[str]


class Reader:
    """What is remembered from entry to entry of a log.

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
        self._awaiting: deque[str] = deque(maxlen=MOST_AWAITING)  # the sends whose message was not read yet
        self._recent: deque[_Ended] = deque(maxlen=MOST_RECENT)
        self._last: tuple[Failed, Entry] | None = None
        self._isolated: dict[str, tuple[int, Entry]] = {}
        self._formats = FORMATS

    def read(self, entry: Entry) -> None:
        """Take in an entry.

        Args:
            entry: the entry.
        """
        for _, line in entry.lines[:3]:
            self._note_format(line)
        for words, take in KINDS:
            if words in entry.head:
                take(self, entry)
                return
        self._take_results(entry)
        self._take_exceptions(entry)

    def end(self) -> None:
        """Take the log for ended."""
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

    # -- the client's own entries

    def _take_attempt(self, entry: Entry) -> None:
        found = RESEND.search(entry.head)
        if found is None:
            self._take_unread(entry)
            return
        attempt = failed_attempt(entry, found)
        note_errors(attempt, entry)
        # The client writes of the avoiding first; a logger may turn the two around.
        known = self._isolated.pop(attempt.broker, None)
        if known and are_near(known[1].at, entry.at, SOON):
            attempt.isolated, attempt.isolated_line = known[0], known[1].number
        name = found["id"] if found["id"] != "%s" else f"%s {entry.number}"
        self._add(name, found["id"], attempt, entry)
        self._awaiting.append(name)
        self._last = attempt, entry
        for number, line in entry.lines[1:]:
            if end := STILL_FAILED.search(line):
                self._take_give_up(entry, number, end)
                return

    def _add(self, name: str, invoke_id: str, attempt: Failed, entry: Entry) -> FailedSend:
        """Add an attempt to the send of that name, a new one if there is none, and return the send."""
        self.reading.recognised += 1
        known = name in self._open
        send = self._open.pop(name) if known else FailedSend(invoke_id, at=entry.at)
        send.attempts.append(attempt)
        send.topic = send.topic or attempt.topic
        send.threads |= entry.thread_names
        self._open[name] = send
        if len(self._open) > MOST_OPEN:
            self._finish(self._taken(next(iter(self._open))))
        return send

    def _take_message(self, entry: Entry) -> None:
        message, key = MESSAGE.search(entry.head), KEY.search(entry.head)
        if errors_of(entry):
            self._take_exceptions(entry)
            return
        if message is None or key is None:
            return
        self.reading.recognised += 1
        waiting = [
            name
            for name in dict.fromkeys(self._awaiting)
            if name in self._open
            and self._open[name].topic in ("", message["topic"])
            and could_be_one(self._open[name].threads, entry.thread_names)
            and are_near(self._open[name].attempts[-1].at, entry.at, SOON)
        ]
        mine = [name for name in waiting if self._open[name].key == key["key"]] or [
            name for name in waiting if not self._open[name].key
        ]
        if len(mine) != 1:
            return  # whose message this is cannot be known, and nothing is guessed
        name, send = mine[0], self._open[mine[0]]
        while name in self._awaiting:
            self._awaiting.remove(name)
        if " WARN" in entry.head and not send.attempts[-1].thrown.startswith("MQClient"):
            narrow(self.reading, WARNS_OF_MESSAGES)
        send.topic = message["topic"]
        before = self._by_key.get(key["key"])
        if before in self._open and before != name and send.invoke_id == "%s":
            known = self._open.pop(before)  # the release loses the ids: the same message is the same send
            known.attempts += self._open.pop(name).attempts
            self._open[before] = known
        elif not send.key:
            send.key = key["key"]
            self._by_key[send.key] = name

    def _take_async_retry(self, entry: Entry) -> None:
        found = ASYNC_RETRY.search(entry.head)
        if found is None:
            self._take_unread(entry)
            return
        lost = found["times"] == "{}"
        topic = "" if lost else found["topic"]
        attempt = Failed(entry.number, entry.at, topic)
        note_errors(attempt, entry)
        times = 1 if lost else int(found["times"])
        name = f"async {entry.number}"
        for known, send in islice(reversed(self._open.items()), MOST_BACK):
            if send.retried_on is not None and send.topic == topic and len(send.attempts) == times - 1:
                attempt.broker, name = send.retried_on, known
                break
        self._add(name, "", attempt, entry).retried_on = "" if lost else found["broker"]

    def _take_isolated(self, entry: Entry) -> None:
        if found := ISOLATED.search(entry.head):
            self.reading.recognised += 1
            avoided = self.reading.avoided.setdefault(found["broker"], Avoided())
            avoided.times += 1
            avoided.ms, avoided.at, avoided.line = int(found["ms"]), entry.at, entry.number
            if self._last:
                attempt, of = self._last
                is_its = attempt.broker == found["broker"] and attempt.isolated is None
                if (
                    is_its
                    and are_near(of.at, entry.at, SOON)
                    and could_be_one(of.thread_names, entry.thread_names)
                ):
                    attempt.isolated, attempt.isolated_line = avoided.ms, entry.number
                    return
            self._isolated[found["broker"]] = avoided.ms, entry

    def _take_reachable(self, entry: Entry) -> None:
        if found := UNREACHABLE.search(entry.head):
            self.reading.avoided.setdefault(found["broker"], Avoided()).unreachable += 1
        elif found := REACHABLE.search(entry.head):
            avoided = self.reading.avoided.setdefault(found["broker"], Avoided())
            avoided.reachable, avoided.reachable_at = entry.number, entry.at
        else:
            self._take_exceptions(entry)

    def _take_swallowed(self, entry: Entry) -> None:
        self.reading.recognised += 1
        self.reading.swallowed += 1
        if any(SWALLOWED.words.search(line) for _, line in entry.lines[:2]):
            narrow(self.reading, SWALLOWED)

    def _take_unread(self, entry: Entry) -> None:
        if "sendKernelImpl exception" not in entry.head and "async send msg by retry" not in entry.head:
            self._take_exceptions(entry)
            return
        self.reading.unread += 1
        if len(self.reading.examples) < MOST_EXAMPLES:
            self.reading.examples.append((entry.number, without_body(entry.head)[:LONGEST]))

    # -- what an application prints

    def _take_results(self, entry: Entry) -> None:
        for number, line in entry.lines:
            if "SendResult [" not in line:
                continue
            for found in RESULT.finditer(line):
                self.reading.recognised += 1
                self.reading.results[found["status"]] += 1
                keys = [key for key in (found["ids"] or "").split(",") if key]
                self.reading.messages += max(1, len(keys))
                if found["broker"]:
                    self.reading.accepted[found["broker"]] += 1
                name = self._by_key.get(keys[0]) if keys else None
                if name is not None:
                    send = self._taken(name)
                    send.result, send.result_line = found["status"], number
                    send.result_queue = f"{found['broker']} : {found['queue']}" if found["broker"] else ""
                    self._finish(send)

    def _take_exceptions(self, entry: Entry) -> None:
        """Take in an entry with exceptions: the end of a send, or of no send."""
        if len(entry.lines) == 1 and not any(words in entry.head for words in OF_EXCEPTIONS):
            return
        errors = errors_of(entry)
        if any(NAME_SERVER in line for _, line in errors):
            self.reading.recognised += 1
            self.reading.routeless += 1
            return
        if is_elsewhere(entry):
            return
        for number, line in entry.lines:
            if found := STILL_FAILED.search(line):
                self._take_give_up(entry, number, found)
                return
        if not errors:
            return
        number, line = errors[-1]
        code = CODE.search(line)
        if code and int(code["code"]) in PULLS:
            return
        if self._is_again(line[line.find("Exception") :][:LONGEST], entry):
            return
        self.reading.recognised += 1
        if HIDING.search(line):
            name = self._fitting(entry, lambda send: send.hidden_by is None)
            if name is not None:
                self._open[name].hidden_by = number
                return
        alone = FailedSend("", at=entry.at, threads=entry.thread_names)
        alone.attempts.append(Failed(number, alone.at))
        note_error(alone.attempts[0], number, line)
        error = alone.attempts[0]
        if error.thrown in ("MQBrokerException", "InterruptedException"):
            name = self._fitting(entry, lambda send: send.attempts[-1].error == error.error)
            if name is not None:
                send = self._taken(name)
                send.thrown_to_application = number
                self._finish(send)
                return
        self._finish(alone)

    def _take_give_up(self, entry: Entry, number: int, found: re.Match[str]) -> None:
        times, cost, topic = int(found["times"]), int(found["cost"]), found["topic"]
        brokers = tuple(name.strip() for name in found["brokers"].split(",") if name.strip() != "null")
        if self._is_again((times, cost, topic, brokers), entry):
            return
        self.reading.recognised += 1

        def tried(send: FailedSend) -> list[str]:
            named = zip(send.attempts, brokers, strict=False)
            return [attempt.broker or name for attempt, name in named]

        def is_whole(send: FailedSend) -> bool:
            return (
                len(send.attempts) == len(brokers)
                and send.topic in ("", topic)
                and tried(send) == list(brokers)
            )

        def is_begun(send: FailedSend) -> bool:
            begun = tried(send) == list(brokers[: len(send.attempts)])
            return len(send.attempts) < len(brokers) and send.topic in ("", topic) and begun

        name = self._fitting(entry, is_whole) or self._fitting(entry, is_begun)
        send = FailedSend("", at=entry.at) if name is None else self._taken(name)
        send.gave_up, send.times, send.cost, send.brokers, send.topic = number, times, cost, brokers, topic
        causes = [
            error for error in errors_of(entry) if error[0] > number and not STILL_FAILED.search(error[1])
        ]
        if causes and not send.attempts:
            send.attempts.append(Failed(causes[-1][0], send.at, topic, brokers[-1] if brokers else ""))
            note_error(send.attempts[0], *causes[-1])
        self._finish(send)

    def _fitting(self, entry: Entry, fits: Callable[[FailedSend], bool]) -> str | None:
        """Return the newest open send that an entry may end: of the same thread, and not long before."""
        for name, send in islice(reversed(self._open.items()), MOST_BACK):
            if (
                send.retried_on is None
                and could_be_one(send.threads, entry.thread_names)
                and are_near(send.attempts[-1].at, entry.at, A_WHILE)
                and fits(send)
            ):
                return name
        return None

    def _is_again(self, words: object, entry: Entry) -> bool:
        """Return whether the same end was told a moment ago, by the same thread as far as one can see."""
        now = _Ended(words, entry.at, entry.thread_names)
        known = any(
            one.words == words
            and are_near(one.at, now.at, SOON)
            and bool(one.at and now.at)
            and could_be_one(one.threads, now.threads)
            for one in self._recent
        )
        self._recent.append(now)
        return known

    def _taken(self, name: str) -> FailedSend:
        send = self._open.pop(name)
        self._by_key.pop(send.key, None)
        return send

    def _finish(self, send: FailedSend) -> None:
        self.reading.sends += 1
        self.reading.failed += send.is_failure
        self._by_key.pop(send.key, None)
        for attempt in send.attempts:
            name = attempt.cause.name
            self.reading.causes[name] += 1
            evidence = self.reading.evidence.setdefault(name, [])
            if len(evidence) < MOST_EXAMPLES:
                evidence.append(attempt.shown or attempt.line)
            self.reading.brokers[attempt.where] += 1
            if attempt.code is not None:
                self.reading.codes[attempt.code] += 1
        last = send.attempts[-1] if send.attempts else None
        if last and last.code is not None and not send.is_failure and not send.result:
            self.reading.refused[last.code] += 1
        self.finished.append(send)


KINDS = (
    ("sendKernelImpl exception", Reader._take_attempt),  # noqa: SLF001
    ("InvokeID: ", Reader._take_attempt),  # noqa: SLF001
    ("async send msg by retry", Reader._take_async_retry),  # noqa: SLF001
    ("Message [topic=", Reader._take_message),  # noqa: SLF001
    ("Message{topic=", Reader._take_message),  # noqa: SLF001
    ("isolated for", Reader._take_isolated),  # noqa: SLF001
    ("when selecting message queue", Reader._take_swallowed),  # noqa: SLF001
    ("reachable", Reader._take_reachable),  # noqa: SLF001
)
"""What to do with an entry, by the first of these words that its first line holds."""


def errors_of(entry: Entry) -> list[tuple[int, str]]:
    """Return the lines of an entry that tell of the client's exceptions, the deepest cause last."""
    return [
        (number, line)
        for number, line in entry.lines
        if ("Exception" in line or "CODE: " in line)
        and not line.lstrip().startswith("at ")
        and (CLIENTS.search(line) or (CODE.search(line) and "Exception" not in line))
    ]


def is_elsewhere(entry: Entry) -> bool:
    """Return whether an entry is of the client's other work: by its words, or by where in the client it comes from."""
    if any(ELSEWHERE.search(line) for _, line in entry.lines):
        return True
    places = [found["place"].lower() for _, line in entry.lines if (found := CLIENT_FRAME.search(line))]
    return bool(places) and not any("send" in place or "producer" in place for place in places)


def failed_attempt(entry: Entry, found: re.Match[str]) -> Failed:
    """Return the attempt that a line of the retry loop tells of; a placeholder that was not filled is a loss."""
    return Failed(
        entry.number,
        entry.at,
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


def note_errors(attempt: Failed, entry: Entry) -> None:
    """Add what the exception below an entry's first line says of an attempt."""
    for number, line in entry.lines:
        if line.lstrip().startswith(("at ", "Caused by:")):
            break
        if STILL_FAILED.search(line):
            continue
        thrown, code = CLIENTS.search(line) or THROWN.search(line), CODE.search(line)
        if (thrown and not attempt.error) or (code and attempt.code is None):
            note_error(attempt, number, line)


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


def narrow(reading: Reading, known: Format) -> None:
    """Leave only the releases of a format, unless none would be left."""
    first, last = CHRONOLOGY.index(known.first), CHRONOLOGY.index(known.last)
    left = tuple(version for version in reading.possible if first <= CHRONOLOGY.index(version) <= last)
    reading.possible = left or reading.possible
