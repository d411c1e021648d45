"""What the notebooks ask for and may not hold themselves: the few calls that need a loop, a thread or an `except`.

Pure functions of what they are given; nothing here knows how a queue is chosen.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from typing import Protocol

from rmqref.errors import JavaException, RmqRefError, SendException
from rmqref.index import ThreadLocalIndex
from rmqref.java import java_abs, remainder
from rmqref.messages import text
from rmqref.model import Message, MessageQueue, SendRequest, SendResult, TopicPublishInfo
from rmqref.producer import HEADER_SOURCES, DefaultMQProducer
from rmqref.releases import FAMILIES
from rmqref.report import lines_of_send
from rmqref.report import told as told_of
from rmqref.scenario import Load, Scenario
from rmqref.selection import first_pick
from rmqref.selectors import MessageQueueSelector
from rmqref.simulation import Run, simulate
from rmqref.situation import Situation
from rmqref.table import Table


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
        try:
            thread.start()
        except RuntimeError:
            # Python in a browser has no threads: its only one sees what a new one would, a counter without a start.
            index = topic.send_which_queue
            kept, index.stored = index.stored, None
            work()
            index.stored = kept
        else:
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


def runs(scenario: Scenario, *releases: str) -> list[Run]:
    """Return the runs of one scenario in several releases.

    Args:
        scenario: the scenario; its own release does not count.
        *releases: the clients' releases; the one that names each family if none is given.

    Returns:
        A run a release.

    Raises:
        UnknownRelease: no such release.

    >>> from rmqref.scenario import sample_scenario
    >>> [run.outcomes["SEND_OK"] for run in runs(sample_scenario("broker_busy"), "4.9.7", "5.3.3")]
    [8, 12]
    """
    return [simulate(scenario.but(release=name)) for name in releases or FAMILIES]


def outcomes(scenario: Scenario, *releases: str) -> str:
    """Return what the sends of a scenario come to in several releases.

    Args:
        scenario: the scenario; its own release does not count.
        *releases: the clients' releases; the one that names each family if none is given.

    Returns:
        A line a release.

    Raises:
        UnknownRelease: no such release.

    >>> from rmqref.scenario import sample_scenario
    >>> print(outcomes(sample_scenario("broker_busy"), "4.9.7", "5.3.3"))
    4.9.7  MQBrokerException: 4, SEND_OK: 8
    5.3.3  SEND_OK: 12
    """
    lines = []
    for run in runs(scenario, *releases):
        counts = ", ".join(f"{outcome}: {sends}" for outcome, sends in sorted(run.outcomes.items()))
        lines.append(text("walks.line", release=run.scenario.release, result=counts))
    return "\n".join(lines)


def attempts(scenario: Scenario, *releases: str, send: int = 1) -> str:
    """Return one send of a scenario, attempt by attempt, in several releases.

    Args:
        scenario: the scenario; its own release does not count.
        *releases: the clients' releases.
        send: the number of the send, from 1.

    Returns:
        Lines, each release's below its name.

    Raises:
        UnknownRelease: no such release.
        ScenarioError: the scenario has no such send.

    >>> from rmqref.scenario import sample_scenario
    >>> print(attempts(sample_scenario("broker_hangs"), "4.2.0"))
    4.2.0
    send 1 at 0 ms: SEND_OK broker-c : 0
    attempt 1: broker-b : 0, given 3000 ms, at 0 ms: RemotingTimeoutException after 3000 ms
    attempt 2: broker-c : 0, given 3000 ms, at 3000 ms: SEND_OK after 5 ms
    stored: 1
    """
    found = runs(scenario, *releases)
    return "\n".join("\n".join([run.scenario.release, *lines_of_send(run, send)]) for run in found)


def header_table(request: SendRequest) -> Table:
    """Return a request's header: each field, its value, and where the value came from.

    Args:
        request: what `rmqref.producer.send_request` returned.

    Returns:
        A table; properties are joined by blanks instead of the signs 1 and 2.

    >>> from rmqref.cluster import Cluster
    >>> from rmqref.model import Message, MessageQueue
    >>> from rmqref.producer import send_request
    >>> producer = Cluster.of([("broker-a", 4)]).producer(release="4.9.7")
    >>> request = send_request(
    ...     producer, Message("OrderTopic", b"paid"), MessageQueue("OrderTopic", "broker-a", 3)
    ... )
    >>> header_table(request).rows[5]
    ['queue_id', '3', 'the pick']
    """
    heads = [text("walks.header.field"), text("walks.header.value"), text("walks.header.source")]
    rows = [heads]
    for name, source in HEADER_SOURCES:
        value = getattr(request.header, name)
        shown = str(value).replace("\x01", "=").replace("\x02", " ").strip()
        rows.append([name, "-" if value is None else shown, text(f"walks.header.{source}")])
    return Table(rows)


def queues_by_key(run: Run) -> Table:
    """Return in which queues the messages of each key lie, and in which order they stand there.

    Args:
        run: a run whose load has keys.

    Returns:
        A table, a row a key: its queues, how many messages, and whether they stand in the order of sending.

    >>> from rmqref.scenario import sample_scenario
    >>> print(queues_by_key(simulate(sample_scenario("ordered_keys"))).rows[1])
    ['order-1', 'broker-a : 2', '30', 'yes']
    """
    places: dict[str, list[tuple[str, int, int]]] = {}
    number_of = {id(message): n for n, message in enumerate(run.messages)}
    for name, broker in sorted(run.cluster.brokers.items()):
        for (topic, queue_id), queue in sorted(broker.store.items()):
            mine = queue if topic == run.scenario.topic else ()
            for kept in (one for one in mine if id(one.message) in number_of):
                key = kept.message.keys or ""
                places.setdefault(key, []).append(
                    (f"{name} : {queue_id}", queue_id, number_of[id(kept.message)])
                )
    rows = [[text(f"walks.keys.{head}") for head in ("key", "queues", "messages", "order")]]
    for key in sorted(places):
        queues = list(dict.fromkeys(place for place, _, _ in places[key]))
        numbers = [number for _, _, number in places[key]]
        in_order = "yes" if len(queues) == 1 and numbers == sorted(numbers) else "no"
        rows.append([key, ", ".join(queues), str(len(numbers)), text(f"walks.{in_order}")])
    return Table(rows)


def best_beside_built_in(scenario: Scenario) -> Table:
    """Return what the built-in choice does in a scenario, beside the same choice written as a selector.

    Args:
        scenario: the scenario; its selector does not count.

    Returns:
        A table, a row a figure.

    >>> from rmqref.scenario import sample_scenario
    >>> scenario = sample_scenario("broker_refuses")
    >>> [row[1:] for row in best_beside_built_in(scenario).rows[1:3]]
    [['12', '8'], ['14', '12']]
    """
    both = [
        simulate(scenario.but(load=replace(scenario.load, selector=selector))) for selector in (None, "best")
    ]
    figures: tuple[tuple[str, Callable[[Run], int]], ...] = (
        ("ok", lambda run: sum(send.is_ok for send in run.sends)),
        ("attempts", lambda run: len(run.attempts)),
        ("updates", lambda run: len(run.updates)),
        ("lists", lambda run: run.copies),
    )
    rows = [[text(f"walks.best.{head}") for head in ("what", "built_in", "selector")]]
    rows += [[text(f"walks.best.{name}"), *(str(figure(run)) for run in both)] for name, figure in figures]
    return Table(rows)


def told(result: SendResult | None) -> str:
    """Return what a send gave back, in one line.

    Args:
        result: what `send` returned.

    Returns:
        Status, queue and offset; "None" for an asynchronous send.

    >>> told(None)
    'None'
    """
    if result is None:
        return "None"
    return f"{result.send_status.name} {result.message_queue}, offset {result.queue_offset}"


def updates(scenario: Scenario, *releases: str) -> list[str]:
    """Return what the fault table is told in a scenario, in several releases.

    Args:
        scenario: the scenario; its own release does not count.
        *releases: the clients' releases; the one that names each family if none is given.

    Returns:
        A line for each time.

    Raises:
        UnknownRelease: no such release.

    >>> from rmqref.scenario import sample_scenario
    >>> scenario = sample_scenario("broker_refuses").but(producer={"send_latency_fault_enable": True})
    >>> updates(scenario, "4.9.7")[0]
    '4.9.7  broker-b took 1 ms, avoided for 600000 ms'
    """
    return [
        text(
            "walks.update" if update.reachable else "walks.update.unreachable",
            release=run.scenario.release,
            broker=update.broker_name,
            latency=update.latency,
            duration=update.duration,
        )
        for run in runs(scenario, *releases)
        for update in run.updates
    ]


def avoidances(run: Run) -> str:
    """Return when a broker began to be avoided in a run, and for how long.

    Args:
        run: the run.

    Returns:
        One line.

    >>> from rmqref.scenario import sample_scenario
    >>> avoidances(simulate(sample_scenario("slow_for_a_while")))
    '4.9.7  broker-b from 2700 ms for 30000 ms'
    """
    found = [
        text("walks.avoided", broker=update.broker_name, at=update.at, duration=update.duration)
        for update in run.updates
        if update.duration > 0
    ]
    return text("walks.line", release=run.scenario.release, result=", ".join(found))


def attempts_on(run: Run, broker_name: str) -> list[str]:
    """Return when attempts of a run went to a broker, and how they ended: spans of attempts with one outcome.

    Args:
        run: the run.
        broker_name: the broker.

    Returns:
        A line a span.

    >>> from rmqref.scenario import sample_scenario
    >>> attempts_on(simulate(sample_scenario("broker_refuses")), "broker-b")
    ['from 0 ms to 800 ms: RemotingConnectException, 2 times']
    """
    mine = [attempt for attempt in run.attempts if attempt.broker_name == broker_name]
    lines = []
    for outcome, span in groupby(mine, key=lambda attempt: attempt.outcome):
        at = [attempt.at for attempt in span]
        lines.append(text("walks.span", start=at[0], end=at[-1], outcome=outcome, times=len(at)))
    return lines


def take_all_but_one(mqs: list[MessageQueue], msg: Message, arg: object) -> MessageQueue:
    """Return the last queue after taking it and all others but the first out of the list: a careless selector.

    >>> mqs = [MessageQueue("T", "broker-a", n) for n in range(4)]
    >>> print(take_all_but_one(mqs, Message("T"), None), len(mqs))
    broker-a : 3 1
    """
    last = mqs[-1]
    del mqs[1:]
    return last


def fails(mqs: Sequence[MessageQueue], msg: Message, arg: object) -> MessageQueue:
    """Raise an error: a selector that fails.

    >>> fails([], Message("T"), None)
    Traceback (most recent call last):
    ValueError: no such order
    """
    raise ValueError("no such order")


def send_with(producer: DefaultMQProducer, msg: Message, selector: MessageQueueSelector) -> SendResult | None:
    """Send a message with a selector, and no argument for it.

    Args:
        producer: the producer.
        msg: the message.
        selector: the selector.

    Returns:
        The result.

    Raises:
        JavaException: what the send throws.

    >>> from rmqref.cluster import Cluster
    >>> producer = Cluster.of([("broker-a", 2)], topic="orders").producer(release="4.9.7")
    >>> print(told(send_with(producer, Message("orders", b"paid"), take_all_but_one)))
    SEND_OK broker-a : 1, offset 0
    """
    return producer.send(msg, selector=selector)


def cause_of(action: Callable[..., object], *arguments: object) -> str:
    """Return the name and the sentence of the cause of the exception that a call ends in.

    Args:
        action: what to call.
        *arguments: with what.

    Returns:
        One line; empty if there is no exception, or no cause.

    >>> from rmqref.cluster import Cluster
    >>> producer = Cluster.of([("broker-a", 2)], topic="orders").producer(release="4.9.7")
    >>> cause_of(send_with, producer, Message("orders", b"paid"), fails)
    'ValueError: no such order'
    """
    try:
        action(*arguments)
    except SendException as thrown:
        if thrown.cause is not None:
            return f"{type(thrown.cause).__name__}: {thrown.cause}"
    return ""


def keys_that_stay(hashes: Iterable[int], before: int, after: int) -> list[int]:
    """Return the hashes whose queue does not change when a list of queues grows or shrinks.

    Args:
        hashes: hashes.
        before: the number of queues before.
        after: the number of queues after.

    Returns:
        The hashes that keep their position.

    >>> keys_that_stay(range(8), 2, 4)
    [0, 1, 4, 5]
    """
    return [one for one in hashes if java_abs(remainder(one, before)) == java_abs(remainder(one, after))]


def at_closed_broker(scenario: Scenario) -> str:
    """Return what a producer that still has the old route hears from a broker that was just closed for writing.

    Args:
        scenario: a scenario in which a broker loses its write permission at the start.

    Returns:
        What the send came to.

    >>> from rmqref.cluster import BrokerFault
    >>> from rmqref.scenario import BrokerPlan
    >>> closed = (BrokerFault("read_only", "broker-a"),)
    >>> at_closed_broker(Scenario(brokers=(BrokerPlan("broker-a"),), faults=closed, start=0))
    'SEND_OK broker-a : 2'
    """
    later = tuple(replace(fault, at=1000) for fault in scenario.faults)
    load = Load(sends=2, every=2000)
    return told_of(simulate(scenario.but(faults=later, load=load)).sends[1])
