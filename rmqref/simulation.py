"""Runs a scenario, and writes down every send, every attempt, and what the fault table was told.

`simulate` uses the producer's own functions and looks on at three seams that are there anyway: the function that
carries out one attempt, the cell of the release table that notes an attempt in the fault table, and the network. The
same scenario gives the same run, to the byte.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

from rmqref.cluster import Cluster, check_kind
from rmqref.errors import (
    IllegalStateException,
    JavaException,
    MQBrokerException,
    MQClientException,
    RmqRefError,
    SendException,
)
from rmqref.faults import LatencyFaultTolerance
from rmqref.java import JavaRandom
from rmqref.model import (
    STATUS_OF,
    CommunicationMode,
    Message,
    MessageBatch,
    MessageQueue,
    SendRequest,
    SendResponse,
    SendResult,
    SendStatus,
    TopicPublishInfo,
)
from rmqref.producer import DefaultMQProducer, OperationComplete, SendCallback, try_to_find_topic_publish_info
from rmqref.scenario import Scenario
from rmqref.selectors import MessageQueueSelector, SelectMessageQueueByBest, select_by_machine_room

Json = Any


@dataclass(slots=True)
class Attempt:
    """One attempt of a send.

    Args:
        send: the number of the send, from 1.
        broker_name: the broker.
        queue_id: the queue id in the request.
        at: when it began, in milliseconds from the start.
        timeout: the time it was given, in milliseconds.
        ended: when its outcome was known; None for ONEWAY.
        outcome: a status, the exception's name, or "sent" for ONEWAY.
        code: the broker's code if it answered with an error.
        duration: for how long the fault table avoids the broker because of it, in milliseconds; None if it was not
            told.
    """

    send: int
    broker_name: str
    queue_id: int
    at: int
    timeout: int
    ended: int | None = None
    outcome: str = ""
    code: int | None = None
    duration: int | None = None


@dataclass(slots=True)
class SendRecord:
    """One send of a run.

    Args:
        number: from 1.
        at: when it began, in milliseconds from the start.
        ended: when the application heard of the outcome.
        outcome: a status, the exception's name, or "sent" for ONEWAY.
        code: the response code of the exception; None if it has none.
        error: the exception's text, as it stands in a log.
        broker_name: where it was stored, as far as the producer knows.
        queue_id: in which queue.
        attempts: its attempts.
        stored: how many times the brokers stored it in the end.
    """

    number: int
    at: int
    ended: int | None = None
    outcome: str = ""
    code: int | None = None
    error: str = ""
    broker_name: str | None = None
    queue_id: int | None = None
    attempts: list[Attempt] = field(default_factory=list)
    stored: int = 0

    @property
    def is_ok(self) -> bool:
        """Return whether the producer knows that it was stored."""
        return self.outcome in SendStatus.__members__


@dataclass(frozen=True, slots=True)
class TableUpdate:
    """What the fault table was told.

    Args:
        at: when, in milliseconds from the start.
        broker_name: of which broker.
        latency: what the attempt took, in milliseconds.
        duration: for how long the broker is to be avoided, in milliseconds.
        available_from: until when the broker is avoided after that, in milliseconds from the start.
        reachable: whether it is marked reachable after that.
    """

    at: int
    broker_name: str
    latency: int
    duration: int
    available_from: int
    reachable: bool


@dataclass(slots=True)
class Run:
    """What a scenario came to.

    Args:
        scenario: the scenario.
        sends: its sends, in order.
        updates: what the fault table was told, in order.
        probes: what the detector found: when, which broker, whether it answered.
        log: what the producer logged.
        cluster: the cluster afterwards; its brokers can be asked what they stored.
        ended: when all was over, in milliseconds from the start.
        messages: the messages sent, in order; of a batch the first.
        copies: how many times the publish list was copied for a selector.
    """

    scenario: Scenario
    sends: list[SendRecord]
    updates: list[TableUpdate]
    probes: list[tuple[int, str, bool]]
    log: list[str]
    cluster: Cluster
    producer: DefaultMQProducer
    ended: int = 0
    messages: list[Message] = field(default_factory=list)
    copies: int = 0

    @property
    def attempts(self) -> list[Attempt]:
        """All attempts, in the order in which they began."""
        return sorted((a for send in self.sends for a in send.attempts), key=lambda a: a.at)

    @property
    def share(self) -> Counter[tuple[str, int]]:
        """How many messages each queue holds, by broker name and queue id; empty queues have 0."""
        counts: Counter[tuple[str, int]] = Counter()
        topic = self.scenario.topic
        for name, broker in self.cluster.brokers.items():
            config = broker.topics.get(topic)
            counts.update(
                {(name, queue_id): 0 for queue_id in range(config.write_queue_nums if config else 0)}
            )
            for (stored_topic, queue_id), queue in broker.store.items():
                if stored_topic == topic:
                    counts[name, queue_id] += len(queue)
        return counts

    @property
    def outcomes(self) -> Counter[str]:
        """How many sends came to what."""
        return Counter(send.outcome for send in self.sends)

    @property
    def duplicates(self) -> int:
        """How many messages the brokers stored beside the first of each send."""
        return sum(max(send.stored - 1, 0) for send in self.sends)

    def as_json(self) -> Json:
        """Return the run as data that JSON can hold, the same every time."""
        return {
            "title": self.scenario.title,
            "release": self.scenario.release,
            "seed": self.scenario.seed,
            "sends": [as_dict(send) for send in self.sends],
            "updates": [as_dict(update) for update in self.updates],
            "share": [[name, queue_id, times] for (name, queue_id), times in sorted(self.share.items())],
            "log": self.log,
            "ended": self.ended,
        }

    def to_json(self) -> str:
        """Return the run as text, the same bytes for the same scenario."""
        return json.dumps(self.as_json(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def as_dict(record: Any) -> Json:
    """Return a record's fields by name, with the records in them too."""
    return {
        f.name: [as_dict(one) for one in value]
        if isinstance(value := getattr(record, f.name), list)
        else value
        for f in fields(record)
    }


Progress = Callable[[int, int], None]
"""Hears how many sends are done, of how many."""


class Simulation:
    """A scenario while it runs: the producer's own functions, with what they do written down.

    It watches at three seams that the producer has anyway: the function that carries out one attempt, the cell of
    the release table that notes an attempt in the fault table, and the network.

    Args:
        scenario: the scenario.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.cluster, self.producer = scenario.prepare()
        self.run = Run(scenario, [], [], [], self.producer.log, self.cluster, self.producer)
        self._of_message: dict[int, SendRecord] = {}
        self._body = b"x" * scenario.load.size
        self._send_kernel = self.producer.send_kernel
        self._row = self.producer.row
        self.producer.send_kernel = self._attempt
        strategy = self.producer.mq_fault_strategy
        strategy.rules = replace(self._row, update_fault_item=self._note)
        self.producer.row = replace(self._row, selector_list=self._list_for_selector)
        self.cluster.tap = self
        self._finished: Attempt | None = None
        self._selector = self.selector()
        if scenario.start is not None:
            # With the name server down from the start there is no route yet, and so no counter to set.
            with suppress(IllegalStateException):
                topic = try_to_find_topic_publish_info(self.producer, scenario.topic)
                topic.send_which_queue.stored = scenario.start

    @property
    def now(self) -> int:
        """The time in milliseconds from the start."""
        return self.cluster.clock.now - self.cluster.began

    def selector(self) -> MessageQueueSelector | None:
        """Return the selector that the load names, of the scenario's release."""
        row, chance = self.producer.row, JavaRandom(self.scenario.seed)
        match self.scenario.load.selector:
            case "hash":
                return row.select_by_hash
            case "random":
                return row.select_by_random(chance)
            case "machine_room":
                return select_by_machine_room
            case "best":
                index = row.new_index(chance, self.scenario.start)
                return SelectMessageQueueByBest(self.producer.mq_fault_strategy, index, row.position_of)
        return None

    def wait_for_next(self) -> None:
        """Let time pass until the next send is due."""
        self.cluster.advance(max(len(self.run.sends) * self.scenario.load.every - self.now, 0))

    def send(self) -> SendRecord:
        """Make the next send of the load, at its time or as soon as the one before lets it."""
        load = self.scenario.load
        self.wait_for_next()
        number = len(self.run.sends) + 1
        record = SendRecord(number, self.now)
        key = f"order-{(number - 1) % load.keys + 1}"
        messages = [Message(self.scenario.topic, self._body, keys=key) for _ in range(load.batch)]
        self._of_message[id(messages[0])] = record
        self.run.messages.append(messages[0])
        self.run.sends.append(record)
        given: Any = {"selector": self._selector, "arg": key} if self._selector else {}
        try:
            if load.mode == "ONEWAY":
                self.producer.send_oneway(messages[0], **given)
                record.ended, record.outcome = self.now, "sent"
                return record
            callback = None
            if load.mode == "ASYNC":
                callback = SendCallback(partial(self._succeeded, record), partial(self._failed, record))
            one = messages[0] if load.batch == 1 else messages
            result = self.producer.send(one, send_callback=callback, **given)
            if result is not None:
                self._succeeded(record, result)
        except JavaException as thrown:
            self._failed(record, thrown)
        return record

    def finish(self) -> Run:
        """Wait for what is still on its way, count what was stored, and return the run."""
        self.cluster.drain()
        stored = Counter(
            id(kept.message)
            for broker in self.cluster.brokers.values()
            for queue in broker.store.values()
            for kept in queue
        )
        for message, record in zip(self.run.messages, self.run.sends, strict=True):
            record.stored = stored[id(message)]
        self.run.ended = self.now
        return self.run

    def _succeeded(self, record: SendRecord, result: SendResult) -> None:
        record.ended, record.outcome = self.now, result.send_status.name
        record.broker_name, record.queue_id = result.message_queue.broker_name, result.message_queue.queue_id

    def _failed(self, record: SendRecord, thrown: Exception) -> None:
        if not isinstance(thrown, RmqRefError):
            raise thrown
        record.ended, record.outcome, record.error = self.now, type(thrown).__name__, str(thrown)
        if isinstance(thrown, MQClientException | MQBrokerException):
            record.code = thrown.response_code

    def _attempt(
        self,
        msg: Message,
        mq: MessageQueue,
        communication_mode: CommunicationMode,
        send_callback: SendCallback | None,
        topic: TopicPublishInfo | None,
        timeout: int,
    ) -> SendResult | None:
        self._finished = None
        if communication_mode is CommunicationMode.ASYNC:
            return self._send_kernel(msg, mq, communication_mode, send_callback, topic, timeout)
        attempt = self._began(msg, mq.broker_name, mq.queue_id, timeout)
        try:
            result = self._send_kernel(msg, mq, communication_mode, send_callback, topic, timeout)
        except SendException as thrown:
            self._ended(attempt, thrown)
            raise
        attempt.ended = self.now
        attempt.outcome = "sent" if result is None else result.send_status.name
        self._finished = attempt
        return result

    def began_async(self, broker_name: str, request: SendRequest, timeout: int) -> OperationComplete:
        """Write down an attempt that goes over the network asynchronously."""
        attempt = self._began(request.message, broker_name, request.header.queue_id, timeout)

        def ended(response: SendResponse | None, failure: SendException | None) -> None:
            if response is None:
                self._ended(attempt, failure)
                return
            status = STATUS_OF.get(response.code)
            attempt.ended = self.now
            attempt.outcome = "MQBrokerException" if status is None else status.name
            attempt.code = response.code if status is None else None
            self._finished = attempt

        return ended

    def probed(self, broker_name: str, answered: bool) -> None:
        """Write down what the detector found."""
        self.run.probes.append((self.now, broker_name, answered))

    def _began(self, msg: Message, broker_name: str, queue_id: int, timeout: int) -> Attempt:
        first = msg.messages[0] if isinstance(msg, MessageBatch) else msg
        record = self._of_message[id(first)]
        attempt = Attempt(record.number, broker_name, queue_id, self.now, timeout)
        record.attempts.append(attempt)
        return attempt

    def _ended(self, attempt: Attempt, thrown: SendException | None) -> None:
        attempt.ended, attempt.outcome = self.now, type(thrown).__name__
        if isinstance(thrown, MQBrokerException):
            attempt.code = thrown.response_code
        self._finished = attempt

    def _list_for_selector(self, mqs: list[MessageQueue]) -> Sequence[MessageQueue]:
        given = self._row.selector_list(mqs)
        self.run.copies += given is not mqs
        return given

    def _note(
        self, faults: LatencyFaultTolerance, name: str, latency: int, duration: int, reachable: bool
    ) -> None:
        self._row.update_fault_item(faults, name, latency, duration, reachable)
        item = faults.fault_item_table[name]
        until = item.start_timestamp - self.cluster.began
        self.run.updates.append(TableUpdate(self.now, name, latency, duration, until, item.reachable))
        if self._finished is not None and self._finished.broker_name == name:
            self._finished.duration = duration


def simulate(scenario: Scenario, progress: Progress | None = None) -> Run:
    """Run a scenario and return every send, every attempt and what the brokers hold.

    Args:
        scenario: the scenario.
        progress: hears how many sends are done, now and then.

    Returns:
        The run, the same every time.

    Raises:
        ScenarioError: it is no scenario.

    >>> from rmqref.scenario import Load
    >>> run = simulate(Scenario(load=Load(sends=3)))
    >>> [send.outcome for send in run.sends], sum(run.share.values())
    (['SEND_OK', 'SEND_OK', 'SEND_OK'], 3)
    """
    check_kind("scenario", scenario, Scenario)
    simulation = Simulation(scenario)
    total = scenario.load.sends
    for number in range(1, total + 1):
        simulation.send()
        if progress is not None and (number % PROGRESS_STEP == 0 or number == total):
            progress(number, total)
    return simulation.finish()


PROGRESS_STEP = 1000
