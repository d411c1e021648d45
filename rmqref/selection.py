"""The first pick and the retry pick: which element of the list the counter points at.

A *first pick* moves the counter on by one and takes the queue at that position. A *retry pick* knows the broker
that failed last and passes over its queues. If no other broker has a queue, it ends in a first pick.
"""

from __future__ import annotations

from collections.abc import Callable

from rmqref.errors import ArithmeticException, IndexOutOfBoundsException
from rmqref.java import INT_MIN, to_int
from rmqref.model import MessageQueue, TopicPublishInfo

QueueFilter = Callable[[MessageQueue], bool]
"""A test that a queue must pass to be taken."""


def repaired_position(index: int, size: int) -> int:
    """Return the position of a counter value: absolute value, remainder, and 0 if that is still negative.

    Args:
        index: the counter's visible value, an int.
        size: number of queues in the list, 1 or more.

    Returns:
        A position in `0 .. size - 1`.

    Java: TopicPublishInfo#selectOneMessageQueue and MQFaultStrategy#selectOneMessageQueue,
        4.0.0-incubating .. 5.0.0.

    >>> repaired_position(1034, 12), repaired_position(-(2**31), 3)
    (2, 0)
    """
    if index == INT_MIN:  # Math.abs leaves it negative, and a negative position becomes 0
        return 0
    return abs(index) % size


def plain_position(index: int, size: int) -> int:
    """Return the position of a counter value: its remainder, with Java's sign and no repair.

    Args:
        index: the counter's visible value, an int.
        size: number of queues in the list, 1 or more.

    Returns:
        A position in `0 .. size - 1`, or a negative number for a negative value.

    Java: TopicPublishInfo#selectOneMessageQueue, 5.1.0 .. 5.3.3; MQFaultStrategy#selectOneMessageQueue,
        5.1.0 .. 5.1.3.

    >>> plain_position(1034, 12), plain_position(-(2**31), 3)
    (2, -2)
    """
    return index % size if index >= 0 else -(-index % size)  # Java's % keeps the sign of its left side


def queue_at(topic: TopicPublishInfo, index: int) -> MessageQueue:
    """Return the queue that a counter value points at.

    Args:
        topic: the topic's publish info.
        index: the counter's visible value, an int.

    Returns:
        The element itself, not a copy.

    Raises:
        ArithmeticException: the list is empty.
        IndexOutOfBoundsException: the position is negative (`plain_position` of a negative value).

    Java: part of TopicPublishInfo#selectOneMessageQueue, all releases.

    >>> from rmqref import release
    >>> print(queue_at(release("4.9.4").topic([("broker-a", 2), ("broker-b", 2)]), 6))
    broker-b : 0
    """
    queues = topic.message_queue_list
    if not queues:
        raise ArithmeticException  # Java divides by the size
    position = topic.position_of(index, len(queues))
    if position < 0:
        raise IndexOutOfBoundsException(position, len(queues))
    return queues[position]


def first_pick(topic: TopicPublishInfo) -> MessageQueue:
    """Return the queue at the next value of this thread's counter.

    Args:
        topic: the topic's publish info.

    Returns:
        The element itself of `topic.message_queue_list`.

    Raises:
        ArithmeticException: the list is empty.

    Java: TopicPublishInfo#selectOneMessageQueue(), all releases.

    >>> from rmqref import release
    >>> topic = release("4.9.4").topic([("broker-a", 4), ("broker-b", 4)], start=4)
    >>> print(first_pick(topic), first_pick(topic), sep=", ")
    broker-b : 1, broker-b : 2
    """
    index = topic.send_which_queue.increment_and_get()
    return queue_at(topic, index)


def is_on_another_broker(last_broker_name: str | None, mq: MessageQueue) -> bool:
    """Return whether a queue is on another broker than the one that failed last.

    Args:
        last_broker_name: the broker of the attempt before, or None.
        mq: the queue.

    Returns:
        True if the names differ in any way (case counts); always True for None.

    Java: the test in TopicPublishInfo#selectOneMessageQueue(String), all releases; BrokerFilter#filter from 5.1.4.

    >>> is_on_another_broker("Broker-A", MessageQueue("T", "broker-a", 0))
    True
    """
    return mq.broker_name != last_broker_name


def retry_pick_walking(topic: TopicPublishInfo, last_broker_name: str | None) -> MessageQueue:
    """Return the next queue on another broker, walking on from one step of the counter.

    The walk moves a copy: the counter itself has moved by one, however many queues were passed over.

    Args:
        topic: the topic's publish info.
        last_broker_name: the broker that failed last; None asks for a first pick.

    Returns:
        The element itself; on the last broker only if no other broker has a queue.

    Raises:
        ArithmeticException: the list is empty.

    Java: TopicPublishInfo#selectOneMessageQueue(String), 4.0.0-incubating .. 4.7.1.

    >>> from rmqref import release
    >>> topic = release("4.7.1").topic([("broker-a", 4), ("broker-b", 4)], start=0)
    >>> [str(retry_pick_walking(topic, "broker-a")) for _ in range(3)]
    ['broker-b : 0', 'broker-b : 0', 'broker-b : 0']
    """
    if last_broker_name is None:
        return first_pick(topic)
    index = topic.send_which_queue.increment_and_get()
    for _ in topic.message_queue_list:
        mq = queue_at(topic, index)
        index = to_int(index + 1)
        if is_on_another_broker(last_broker_name, mq):
            return mq
    return first_pick(topic)


def retry_pick_counting(topic: TopicPublishInfo, last_broker_name: str | None) -> MessageQueue:
    """Return the next queue on another broker, with a step of the counter for every queue looked at.

    Args:
        topic: the topic's publish info.
        last_broker_name: the broker that failed last; None asks for a first pick.

    Returns:
        The element itself; on the last broker only if no other broker has a queue.

    Raises:
        ArithmeticException: the list is empty.

    Java: TopicPublishInfo#selectOneMessageQueue(String), 4.8.0 .. 5.3.3 (pull request 2253).

    >>> from rmqref import release
    >>> topic = release("4.9.4").topic([("broker-a", 4), ("broker-b", 4)], start=0)
    >>> [str(retry_pick_counting(topic, "broker-a")) for _ in range(3)]
    ['broker-b : 0', 'broker-b : 1', 'broker-b : 2']
    """
    if last_broker_name is None:
        return first_pick(topic)
    for _ in topic.message_queue_list:
        mq = first_pick(topic)
        if is_on_another_broker(last_broker_name, mq):
            return mq
    return first_pick(topic)


def filter_pick(topic: TopicPublishInfo, *filters: QueueFilter) -> MessageQueue | None:
    """Return the next queue that passes all filters, with a step of the counter for every queue looked at.

    Every filter is asked, even after one said no.

    Args:
        topic: the topic's publish info.
        *filters: at least one test.

    Returns:
        The element itself, or None if no queue passes (or the list is empty).

    Java: TopicPublishInfo#selectOneMessageQueue(QueueFilter...), 5.1.4 .. 5.3.3.

    >>> from rmqref import release
    >>> topic = release("5.3.3").topic([("broker-a", 4)], start=0)
    >>> print(filter_pick(topic, lambda mq: mq.queue_id == 0))
    broker-a : 0
    """
    for _ in topic.message_queue_list:
        mq = first_pick(topic)
        passed = True
        for accepts in filters:
            passed &= accepts(mq)
        if passed:
            return mq
    return None
