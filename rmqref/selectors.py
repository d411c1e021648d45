"""Queue selectors: the application chooses the queue itself, with no retry and no fault table.

A selector is any callable that takes the list, the message and an argument, and returns a queue of the list. The
client ships three: by hash, by chance, and by machine room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rmqref.java import Random, element, hash_code, java_abs, remainder
from rmqref.model import Index, Message, MessageQueue, TopicPublishInfo
from rmqref.strategy import MQFaultStrategy, select_one_message_queue


class MessageQueueSelector(Protocol):
    """What a selector of your own must be: a callable of three arguments.

    Java: MessageQueueSelector#select, all releases.
    """

    def __call__(self, mqs: Sequence[MessageQueue], msg: Message, arg: object) -> MessageQueue | None:
        """Return the queue to send to. None makes the producer fail with "select message queue return null."."""


def select_by_hash_repaired(mqs: Sequence[MessageQueue], msg: Message, arg: object) -> MessageQueue:
    """Return the queue of the argument's hash: absolute value first, then the remainder.

    Args:
        mqs: the queues.
        msg: the message, not looked at.
        arg: what to hash; the same argument gives the same queue as long as the list has the same size.

    Returns:
        An element of the list.

    Raises:
        IndexOutOfBoundsException: the hash is the smallest int and the size does not divide it.
        NullPointerException: the argument is None.
        ArithmeticException: the list is empty.

    Java: SelectMessageQueueByHash#select, 4.0.0-incubating .. 4.7.1.

    >>> queues = [MessageQueue("T", "broker-a", i) for i in range(8)]
    >>> print(select_by_hash_repaired(queues, Message("T"), "order-1001"))
    broker-a : 7
    """
    return element(mqs, remainder(java_abs(hash_code(arg)), len(mqs)))


def select_by_hash(mqs: Sequence[MessageQueue], msg: Message, arg: object) -> MessageQueue:
    """Return the queue of the argument's hash: remainder first, then the absolute value.

    Args:
        mqs: the queues.
        msg: the message, not looked at.
        arg: what to hash; the same argument gives the same queue as long as the list has the same size.

    Returns:
        An element of the list; the same as in earlier releases wherever those did not fail.

    Raises:
        NullPointerException: the argument is None.
        ArithmeticException: the list is empty.

    Java: SelectMessageQueueByHash#select, 4.8.0 .. 5.3.3 (issue 2421).

    >>> queues = [MessageQueue("T", "broker-a", i) for i in range(6)]
    >>> print(select_by_hash(queues, Message("T"), "polygenelubricants"))
    broker-a : 2
    """
    return element(mqs, java_abs(remainder(hash_code(arg), len(mqs))))


@dataclass(slots=True)
class SelectByRandoom:
    """Returns any queue: the absolute value of any int, then the remainder. The name is the released one.

    Args:
        random: the source of chance.

    Java: SelectMessageQueueByRandoom#select, 4.0.0-incubating, 4.1.0-incubating.

    >>> from rmqref.java import JavaRandom
    >>> queues = [MessageQueue("T", "broker-a", i) for i in range(10)]
    >>> print(SelectByRandoom(JavaRandom(42))(queues, Message("T"), None))
    broker-a : 5
    """

    random: Random

    def __call__(self, mqs: Sequence[MessageQueue], msg: Message, arg: object) -> MessageQueue:
        """Return any queue, or raise IndexOutOfBoundsException where the int drawn is the smallest one."""
        return element(mqs, remainder(java_abs(self.random.next_int()), len(mqs)))


@dataclass(slots=True)
class SelectByRandom:
    """Returns any queue: an int below the size of the list.

    Args:
        random: the source of chance.

    Java: SelectMessageQueueByRandom#select, 4.2.0 .. 5.3.3.

    >>> from rmqref.java import JavaRandom
    >>> queues = [MessageQueue("T", "broker-a", i) for i in range(10)]
    >>> print(SelectByRandom(JavaRandom(42))(queues, Message("T"), None))
    broker-a : 0
    """

    random: Random

    def __call__(self, mqs: Sequence[MessageQueue], msg: Message, arg: object) -> MessageQueue:
        """Return any queue, or raise IllegalArgumentException for an empty list."""
        return element(mqs, self.random.next_int(len(mqs)))


def select_by_machine_room(mqs: Sequence[MessageQueue], msg: Message, arg: object) -> None:
    """Return None: the released class is a stub, and a producer that uses it fails.

    Args:
        mqs: the queues, not looked at.
        msg: the message, not looked at.
        arg: not looked at.

    Java: SelectMessageQueueByMachineRoom#select, all releases.

    >>> select_by_machine_room([MessageQueue("T", "broker-a", 0)], Message("T"), "room-1")
    """


@dataclass(slots=True)
class SelectMessageQueueByBest:
    """The built-in choice written as a selector. No release has it; it answers why the built-in choice is none.

    It asks the producer's own strategy, on a counter of its own. What the strategy lives on does not reach it: a
    selector is called once a send, so it never hears of a last broker; a send with a selector tells the fault table
    nothing, so the table stays as it was; and the list that it is given is a copy, made for every send (from 4.5.1).

    Args:
        strategy: the producer's strategy.
        send_which_queue: the counter.
        position_of: how the release turns a counter value and a list size into a position.

    Java: no class of any release; it would stand beside SelectMessageQueueByHash.

    >>> from rmqref import release
    >>> row = release("4.9.7")
    >>> strategy, index = row.fault_strategy(clock=lambda: 0), row.new_index(start=0)
    >>> best = SelectMessageQueueByBest(strategy, index, row.position_of)
    >>> queues = [MessageQueue("T", "broker-a", n) for n in range(4)]
    >>> print(best(queues, Message("T"), None))
    broker-a : 1
    """

    strategy: MQFaultStrategy
    send_which_queue: Index
    position_of: Callable[[int, int], int]

    def __call__(self, mqs: Sequence[MessageQueue], msg: Message, arg: object) -> MessageQueue:
        """Return the strategy's pick from the list, as for a first attempt."""
        topic = TopicPublishInfo(msg.topic, list(mqs), self.send_which_queue, self.position_of)
        return select_one_message_queue(self.strategy, topic)
