"""The latency strategy: `MQFaultStrategy`, which the producer asks for a queue before every attempt.

With its switch off (the default) it is the retry pick. With the switch on it looks for a queue on an available
broker; if there is none it falls back, up to 5.1.3 to `not_best_broker`, from 5.1.4 to weaker filters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from rmqref.errors import JavaException, NullPointerException
from rmqref.faults import (
    LatencyFaultTolerance,
    compute_not_available_duration,
    is_available,
    is_reachable,
    remove,
)
from rmqref.java import remainder, to_int
from rmqref.model import MessageQueue, QueueData, TopicPublishInfo
from rmqref.selection import filter_pick, first_pick, is_on_another_broker, queue_at


class StrategyRules(Protocol):
    """What a strategy takes from its release's row of the table; see `rmqref.releases.Release`."""

    @property
    def retry_pick(self) -> Callable[[TopicPublishInfo, str | None], MessageQueue]: ...  # noqa: D102
    @property
    def select(self) -> Callable[[MQFaultStrategy, TopicPublishInfo, str | None, bool], MessageQueue]: ...  # noqa: D102
    @property
    def accepts(self) -> Callable[[MQFaultStrategy, MessageQueue, str | None], bool]: ...  # noqa: D102
    @property
    def place_on_broker(self) -> Callable[[MessageQueue, str, int], MessageQueue]: ...  # noqa: D102
    @property
    def counts_write_queues_of(self) -> Callable[[QueueData], bool]: ...  # noqa: D102
    @property
    def pick_one_at_least(self) -> Callable[[LatencyFaultTolerance], str | None]: ...  # noqa: D102
    @property
    def update_fault_item(self) -> Callable[[LatencyFaultTolerance, str, int, int, bool], None]: ...  # noqa: D102
    @property
    def isolation_latency(self) -> int: ...  # noqa: D102


@dataclass(slots=True)
class MQFaultStrategy:
    """A producer's strategy: its release's rules, its fault table, its switch, and what it logged.

    Args:
        rules: the release's row of the table.
        latency_fault_tolerance: the fault table.
        latency_max: the thresholds in milliseconds.
        not_available_duration: one duration in milliseconds for each threshold.
        send_latency_fault_enable: the switch, off by default.
        errors_logged: exceptions that Java catches and logs as "Error occurred when selecting message queue".

    Java: MQFaultStrategy, all releases.
    """

    rules: StrategyRules
    latency_fault_tolerance: LatencyFaultTolerance
    latency_max: tuple[int, ...]
    not_available_duration: tuple[int, ...]
    send_latency_fault_enable: bool = False
    errors_logged: list[JavaException] = field(default_factory=list)


def select_one_message_queue(
    strategy: MQFaultStrategy,
    topic: TopicPublishInfo,
    last_broker_name: str | None = None,
    reset_index: bool = False,
) -> MessageQueue:
    """Return the queue for the next attempt.

    Args:
        strategy: the producer's strategy.
        topic: the topic's publish info.
        last_broker_name: the broker of the attempt before; None for the first.
        reset_index: whether to draw a new start first (used from 5.1.4, with the switch on).

    Returns:
        A queue; an element of the list, but for the fallback of 4.9.8.

    Raises:
        ArithmeticException: the list is empty.

    Java: MQFaultStrategy#selectOneMessageQueue, all releases.

    >>> from rmqref import release
    >>> topic = release("4.9.4").topic([("broker-a", 4), ("broker-b", 4)], start=4)
    >>> print(select_one_message_queue(release("4.9.4").fault_strategy(clock=lambda: 0), topic, "broker-b"))
    broker-a : 0
    """
    return strategy.rules.select(strategy, topic, last_broker_name, reset_index)


def select_by_scan(
    strategy: MQFaultStrategy,
    topic: TopicPublishInfo,
    last_broker_name: str | None,
    reset_index: bool = False,
) -> MessageQueue:
    """Return a queue that the scan accepts, else the fallback's, else a first pick; an exception ends in one too.

    Args:
        strategy: the producer's strategy.
        topic: the topic's publish info.
        last_broker_name: the broker of the attempt before, or None.
        reset_index: not known to these releases; left aside.

    Returns:
        A queue.

    Raises:
        ArithmeticException: the list is empty.

    Java: MQFaultStrategy#selectOneMessageQueue, 4.0.0-incubating .. 5.1.3.

    >>> from rmqref import release
    >>> topic = release("5.1.0").topic([("broker-a", 2), ("broker-b", 2)], start=0)
    >>> strategy = release("5.1.0").fault_strategy(clock=lambda: 0, send_latency_fault_enable=True)
    >>> print(select_by_scan(strategy, topic, None))
    broker-a : 1
    """
    if not strategy.send_latency_fault_enable:
        return strategy.rules.retry_pick(topic, last_broker_name)
    try:
        mq = scan(strategy, topic, last_broker_name)
        if mq is None:
            mq = not_best_broker(strategy, topic)
        if mq is not None:
            return mq
    except JavaException as error:
        strategy.errors_logged.append(error)
    return first_pick(topic)


def scan(
    strategy: MQFaultStrategy, topic: TopicPublishInfo, last_broker_name: str | None
) -> MessageQueue | None:
    """Return the first acceptable queue, walking once round the list from one step of the counter.

    The walk moves a copy, so every start inside an avoided broker's block ends at the same queue after it.

    Args:
        strategy: the producer's strategy.
        topic: the topic's publish info.
        last_broker_name: the broker of the attempt before, or None.

    Returns:
        The element itself, or None if no queue is acceptable.

    Raises:
        IndexOutOfBoundsException: the copy passed the largest int (5.1.0 .. 5.1.3).

    Java: part of MQFaultStrategy#selectOneMessageQueue, 4.0.0-incubating .. 5.1.3.

    >>> from rmqref import FaultItem, release
    >>> topic = release("4.9.4").topic([("broker-a", 2), ("broker-b", 2)], start=3)
    >>> down = [FaultItem("broker-a", 700, start_timestamp=30000)]
    >>> print(scan(release("4.9.4").fault_strategy(clock=lambda: 0, faults=down), topic, None))
    broker-b : 0
    """
    index = topic.send_which_queue.increment_and_get()
    for _ in topic.message_queue_list:
        mq = queue_at(topic, index)
        index = to_int(index + 1)
        if strategy.rules.accepts(strategy, mq, last_broker_name):
            return mq
    return None


def accepts_same_broker(strategy: MQFaultStrategy, mq: MessageQueue, last_broker_name: str | None) -> bool:
    """Return whether the broker is available and, on a retry, is *the one that failed last*: an inverted test.

    Args:
        strategy: the producer's strategy.
        mq: the queue looked at.
        last_broker_name: the broker of the attempt before, or None.

    Returns:
        True if the queue may be taken.

    Java: part of MQFaultStrategy#selectOneMessageQueue, 4.0.0-incubating .. 4.7.1 (issue 1576).

    >>> from rmqref import release
    >>> strategy = release("4.7.1").fault_strategy(clock=lambda: 0)
    >>> accepts_same_broker(strategy, MessageQueue("T", "broker-b", 0), "broker-a")
    False
    """
    if not is_available(strategy.latency_fault_tolerance, mq.broker_name):
        return False
    return last_broker_name is None or mq.broker_name == last_broker_name


def accepts_available(strategy: MQFaultStrategy, mq: MessageQueue, last_broker_name: str | None) -> bool:
    """Return whether the broker is available; the broker that failed last is not looked at.

    Args:
        strategy: the producer's strategy.
        mq: the queue looked at.
        last_broker_name: left aside.

    Returns:
        True if the queue may be taken.

    Java: part of MQFaultStrategy#selectOneMessageQueue, 4.8.0 .. 5.1.0 (pull request 1607).

    >>> from rmqref import release
    >>> strategy = release("4.8.0").fault_strategy(clock=lambda: 0)
    >>> accepts_available(strategy, MessageQueue("T", "broker-a", 0), "broker-a")
    True
    """
    return is_available(strategy.latency_fault_tolerance, mq.broker_name)


def accepts_another_available(
    strategy: MQFaultStrategy, mq: MessageQueue, last_broker_name: str | None
) -> bool:
    """Return whether the broker is available and is not the one that failed last.

    Args:
        strategy: the producer's strategy.
        mq: the queue looked at.
        last_broker_name: the broker of the attempt before, or None.

    Returns:
        True if the queue may be taken.

    Java: part of MQFaultStrategy#selectOneMessageQueue, 5.1.1 .. 5.1.3 (pull request 6273).

    >>> from rmqref import release
    >>> strategy = release("5.1.3").fault_strategy(clock=lambda: 0)
    >>> accepts_another_available(strategy, MessageQueue("T", "broker-a", 0), "broker-a")
    False
    """
    if not is_on_another_broker(last_broker_name, mq):
        return False
    return is_available(strategy.latency_fault_tolerance, mq.broker_name)


def not_best_broker(strategy: MQFaultStrategy, topic: TopicPublishInfo) -> MessageQueue | None:
    """Return a queue on a broker of the better half of the fault table, for when no broker is available.

    A first pick chooses *which element of the list* is used; broker and queue id come from elsewhere. A broker that
    the route gives no write queues is dropped from the table instead.

    Args:
        strategy: the producer's strategy.
        topic: the topic's publish info.

    Returns:
        A queue, in most releases the list's own element, rewritten; None after a broker was dropped.

    Raises:
        NullPointerException: the fault table is empty, or the publish info has no route.
        ArithmeticException: the list is empty.

    Java: part of MQFaultStrategy#selectOneMessageQueue, 4.0.0-incubating .. 5.1.3.

    >>> from rmqref import FaultItem, release
    >>> topic = release("4.9.4").topic([("broker-a", 2), ("broker-b", 2)], start=2)
    >>> down = [FaultItem("broker-a", 600, 30000), FaultItem("broker-b", 900, 30000)]
    >>> print(not_best_broker(release("4.9.4").fault_strategy(clock=lambda: 0, faults=down), topic))
    broker-a : 0
    >>> [str(mq) for mq in topic.message_queue_list]
    ['broker-a : 0', 'broker-a : 1', 'broker-b : 0', 'broker-a : 0']
    """
    broker_name = strategy.rules.pick_one_at_least(strategy.latency_fault_tolerance)
    write_queue_nums = write_queue_nums_of(topic, broker_name, strategy.rules.counts_write_queues_of)
    if broker_name is not None and write_queue_nums > 0:
        mq = first_pick(topic)
        queue_id = remainder(topic.send_which_queue.increment_and_get(), write_queue_nums)
        return strategy.rules.place_on_broker(mq, broker_name, queue_id)
    remove(strategy.latency_fault_tolerance, broker_name)
    return None


def write_queue_nums_of(
    topic: TopicPublishInfo, broker_name: str | None, counts_write_queues_of: Callable[[QueueData], bool]
) -> int:
    """Return how many write queues the route gives a broker.

    Args:
        topic: the topic's publish info; its route is read.
        broker_name: the broker, or None.
        counts_write_queues_of: whether the release looks at an entry of the route.

    Returns:
        The number of the first entry that counts, else -1.

    Raises:
        NullPointerException: the publish info has no route.

    Java: TopicPublishInfo#getQueueIdByBroker up to 5.1.0, #getWriteQueueIdByBroker 5.1.1 .. 5.1.3.

    >>> from rmqref import release
    >>> write_queue_nums_of(release("4.9.4").topic([("broker-a", 4)]), "broker-b", any_queue_data)
    -1
    """
    if topic.topic_route_data is None:
        raise NullPointerException("topicRouteData")
    for queue_data in topic.topic_route_data.queue_datas:
        if queue_data.broker_name == broker_name and counts_write_queues_of(queue_data):
            return queue_data.write_queue_nums
    return -1


def any_queue_data(queue_data: QueueData) -> bool:
    """Return True: the fallback does not look at permissions.

    Java: TopicPublishInfo#getQueueIdByBroker up to 5.1.0 but for 4.9.8, #getWriteQueueIdByBroker 5.1.1 .. 5.1.3.

    >>> any_queue_data(QueueData("broker-a", perm=4))
    True
    """
    return True


def writable_queue_data(queue_data: QueueData) -> bool:
    """Return whether the entry's permission lets a producer write.

    Java: TopicPublishInfo#getQueueIdByBroker, 4.9.8 (issue 7713).

    >>> writable_queue_data(QueueData("broker-a", perm=4))
    False
    """
    return queue_data.is_writable


def rewrite_queue(mq: MessageQueue, broker_name: str, queue_id: int) -> MessageQueue:
    """Write broker and queue id *into the list's own element* and return it; the list stays changed.

    Args:
        mq: an element of the shared list.
        broker_name: the fallback's broker.
        queue_id: the fallback's queue, negative after an overflow in 4.8.0 .. 4.9.3, 5.0.0-PREVIEW and 5.0.0-ALPHA.

    Returns:
        The same object.

    Java: part of MQFaultStrategy#selectOneMessageQueue, 4.0.0-incubating .. 4.9.7, 5.0.0 .. 5.1.3 (issue 7779).

    >>> mq = MessageQueue("T", "broker-b", 3)
    >>> rewrite_queue(mq, "broker-a", 0) is mq
    True
    """
    mq.broker_name = broker_name
    mq.queue_id = queue_id
    return mq


def new_queue(mq: MessageQueue, broker_name: str, queue_id: int) -> MessageQueue:
    """Return a new queue with broker and queue id; the list's element stays as it was.

    Args:
        mq: an element of the shared list, for its topic.
        broker_name: the fallback's broker.
        queue_id: the fallback's queue.

    Returns:
        A new object.

    Java: part of MQFaultStrategy#selectOneMessageQueue, 4.9.8 (issue 7779).

    >>> mq = MessageQueue("T", "broker-b", 3)
    >>> print(new_queue(mq, "broker-a", 0), mq, sep=", ")
    broker-a : 0, broker-b : 3
    """
    return MessageQueue(mq.topic, broker_name, queue_id)


def select_by_filters(
    strategy: MQFaultStrategy,
    topic: TopicPublishInfo,
    last_broker_name: str | None,
    reset_index: bool = False,
) -> MessageQueue:
    """Return a queue on another available broker, else on another reachable one, else the next in the round.

    Args:
        strategy: the producer's strategy; with its switch off only the last broker is avoided.
        topic: the topic's publish info.
        last_broker_name: the broker of the attempt before, or None.
        reset_index: whether to draw a new start first; only with the switch on.

    Returns:
        The element itself.

    Raises:
        ArithmeticException: the list is empty.

    Java: MQFaultStrategy#selectOneMessageQueue(TopicPublishInfo, String, boolean), 5.1.4 .. 5.3.3.

    >>> from rmqref import FaultItem, release
    >>> topic = release("5.3.3").topic([("broker-a", 2), ("broker-b", 2)], start=3)
    >>> down = [FaultItem("broker-a", 700, start_timestamp=30000)]
    >>> strategy = release("5.3.3").fault_strategy(
    ...     clock=lambda: 0, faults=down, send_latency_fault_enable=True
    ... )
    >>> print(select_by_filters(strategy, topic, None))
    broker-b : 0
    """
    another = partial(is_on_another_broker, last_broker_name)
    if not strategy.send_latency_fault_enable:
        mq = filter_pick(topic, another)
        return first_pick(topic) if mq is None else mq
    if reset_index:
        topic.send_which_queue.reset()
    available = partial(passes_available_filter, strategy)
    reachable = partial(passes_reachable_filter, strategy)
    mq = filter_pick(topic, available, another)
    if mq is None:
        mq = filter_pick(topic, reachable, another)
    if mq is None:
        mq = first_pick(topic)
    return mq


def passes_available_filter(strategy: MQFaultStrategy, mq: MessageQueue) -> bool:
    """Return whether a queue's broker is available.

    Java: MQFaultStrategy#availableFilter, 5.1.4 .. 5.3.3.

    >>> from rmqref import release
    >>> passes_available_filter(
    ...     release("5.3.3").fault_strategy(clock=lambda: 0), MessageQueue("T", "broker-a", 0)
    ... )
    True
    """
    return is_available(strategy.latency_fault_tolerance, mq.broker_name)


def passes_reachable_filter(strategy: MQFaultStrategy, mq: MessageQueue) -> bool:
    """Return whether a queue's broker is reachable.

    Java: MQFaultStrategy#reachableFilter, 5.1.4 .. 5.3.3.

    >>> from rmqref import release
    >>> passes_reachable_filter(
    ...     release("5.3.3").fault_strategy(clock=lambda: 0), MessageQueue("T", "broker-a", 0)
    ... )
    True
    """
    return is_reachable(strategy.latency_fault_tolerance, mq.broker_name)


def update_fault_item(
    strategy: MQFaultStrategy, broker_name: str, current_latency: int, isolation: bool, reachable: bool = True
) -> int | None:
    """Note a send in the fault table; with the switch off nothing is noted.

    Args:
        strategy: the producer's strategy.
        broker_name: the broker.
        current_latency: how long the send took, in milliseconds; kept as it is.
        isolation: whether the send failed; then a fixed latency is looked up instead of the measured one.
        reachable: whether the broker can be reached (used from 5.1.4).

    Returns:
        For how long the broker is to be avoided, in milliseconds; None with the switch off.

    Raises:
        ArrayIndexOutOfBoundsException: the tables were replaced by ones of different lengths.

    Java: MQFaultStrategy#updateFaultItem, all releases.

    >>> from rmqref import release
    >>> on = {"clock": lambda: 0, "send_latency_fault_enable": True}
    >>> [update_fault_item(release(v).fault_strategy(**on), "broker-a", 20, True) for v in ("4.9.4", "5.3.3")]
    [600000, 10000]
    """
    if not strategy.send_latency_fault_enable:
        return None
    latency = strategy.rules.isolation_latency if isolation else current_latency
    duration = compute_not_available_duration(latency, strategy.latency_max, strategy.not_available_duration)
    strategy.rules.update_fault_item(
        strategy.latency_fault_tolerance, broker_name, current_latency, duration, reachable
    )
    return duration
