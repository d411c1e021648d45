"""The nouns: queues, brokers, routes, and what a producer keeps of them.

A *broker* is a server that stores messages; a *topic* is a named stream of messages, cut into *queues* that lie on
brokers. The *route* says which brokers hold how many queues of a topic; the producer expands it once into the
*publish info*, the list it then chooses from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

PERM_WRITE = 2
"""The bit of `QueueData.perm` that lets a producer write."""

MASTER_ID = 0
"""The id of a broker's master among its addresses; only a master takes messages."""


class Index(Protocol):
    """A counter of its own for each thread; see `rmqref.index`."""

    stored: int | None

    def increment_and_get(self) -> int:
        """Move the counter on by one and return its visible value."""

    def reset(self) -> None:
        """Draw a new start."""


@dataclass(slots=True)
class MessageQueue:
    """One queue of a topic on one broker. It can be changed, as in Java, and some releases do.

    Args:
        topic: the topic's name.
        broker_name: the broker that holds the queue.
        queue_id: its number on that broker, from 0.

    Java: org.apache.rocketmq.common.message.MessageQueue, all releases.

    >>> print(MessageQueue("T", "broker-a", 2))
    broker-a : 2
    """

    topic: str
    broker_name: str
    queue_id: int

    def __str__(self) -> str:
        return f"{self.broker_name} : {self.queue_id}"


@dataclass(slots=True)
class Message:
    """What a producer sends; a queue selector sees it.

    Args:
        topic: where it goes.
        body: the content.
        tags: a label for consumers to filter by.
        keys: words to look the message up by.

    Java: org.apache.rocketmq.common.message.Message, all releases.

    >>> Message("orders", b"paid").topic
    'orders'
    """

    topic: str
    body: bytes = b""
    tags: str | None = None
    keys: str | None = None


@dataclass(slots=True)
class QueueData:
    """How many queues of the topic one broker holds, and what may be done with them.

    Args:
        broker_name: the broker.
        write_queue_nums: number of queues that producers write to.
        read_queue_nums: number of queues that consumers read from.
        perm: permission bits: 2 write, 4 read, 6 both, 7 both and inherited by topics made from it.
        topic_sys_flag: the topic's system flag.

    Java: QueueData (`topicSynFlag` up to 4.8.0, `topicSysFlag` from 4.9.0).

    >>> QueueData("broker-a", perm=4).is_writable
    False
    """

    broker_name: str
    write_queue_nums: int = 4
    read_queue_nums: int = 4
    perm: int = 6
    topic_sys_flag: int = 0

    @property
    def is_writable(self) -> bool:
        """Return whether the permission lets a producer write."""
        return self.perm & PERM_WRITE == PERM_WRITE


@dataclass(slots=True)
class BrokerData:
    """Where one broker is reached.

    Args:
        broker_name: the broker.
        broker_addrs: address (`host:port`) by broker id; id 0 is the master.
        cluster: the cluster's name, absent in 3.x dumps.

    Java: BrokerData, all releases.

    >>> BrokerData("broker-a", {1: "10.0.0.101:10911"}).has_master
    False
    """

    broker_name: str
    broker_addrs: dict[int, str]
    cluster: str | None = None

    @property
    def has_master(self) -> bool:
        """Return whether one of the addresses is a master's."""
        return MASTER_ID in self.broker_addrs


@dataclass(slots=True)
class TopicQueueMapping:
    """One broker's part of a static topic: which of the topic's numbered queues it holds.

    Args:
        broker_name: the broker that holds them.
        scope: the mapping's scope, usually `__global__`.
        epoch: version of the mapping in milliseconds.
        total_queues: number of queues of the whole topic.
        current_ids: the broker's own queue id by the topic's queue number.

    Java: TopicQueueMappingInfo, from 5.0.0-ALPHA.

    >>> TopicQueueMapping("broker-a", "__global__", 0, 8, {0: 0}).total_queues
    8
    """

    broker_name: str
    scope: str | None
    epoch: int
    total_queues: int
    current_ids: dict[int, int]


@dataclass(slots=True)
class TopicRouteData:
    """A topic's route, as the name server hands it out.

    Args:
        queue_datas: one entry a broker that holds queues of the topic, in the name server's order.
        broker_datas: the brokers' addresses.
        order_topic_conf: for an ordered topic, `broker:queues` pairs joined by `;`; else None.
        filter_server_table: filter servers by broker address (unused when sending).
        topic_queue_mapping_by_broker: the parts of a static topic by broker; None for ordinary topics.
        logical_queues_info: whether the text had 5.0.0-PREVIEW's logical queues, which are not read further.

    Java: TopicRouteData, all releases.

    >>> TopicRouteData(
    ...     [QueueData("broker-a")], [BrokerData("broker-a", {0: "10.0.0.1:10911"})]
    ... ).order_topic_conf
    """

    queue_datas: list[QueueData]
    broker_datas: list[BrokerData]
    order_topic_conf: str | None = None
    filter_server_table: dict[str, list[str]] = field(default_factory=dict)
    topic_queue_mapping_by_broker: dict[str, TopicQueueMapping] | None = None
    logical_queues_info: bool = False


@dataclass(slots=True)
class TopicPublishInfo:
    """What a producer keeps of a topic: the queues in order, and the counter that walks them.

    Args:
        topic: the topic's name.
        message_queue_list: the queues, grouped by broker; shared by all threads.
        send_which_queue: the counter, of its own for each thread.
        position_of: how the release turns a counter value and a list size into a position.
        topic_route_data: the route that the list came from, or None.
        order_topic: whether the list came from an order configuration.

    Java: TopicPublishInfo, all releases.
    """

    topic: str
    message_queue_list: list[MessageQueue]
    send_which_queue: Index
    position_of: Callable[[int, int], int]
    topic_route_data: TopicRouteData | None = None
    order_topic: bool = False
