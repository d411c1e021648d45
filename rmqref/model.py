"""The nouns: queues, brokers, routes, and what a producer keeps of them.

A *broker* is a server that stores messages; a *topic* is a named stream of messages, cut into *queues* that lie on
brokers. The *route* says which brokers hold how many queues of a topic; the producer expands it once into the
*publish info*, the list it then chooses from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, IntEnum
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


RETRY_GROUP_TOPIC_PREFIX = "%RETRY%"
"""How the topics begin in which a broker keeps messages that a consumer group is to get again."""


@dataclass(slots=True)
class Message:
    """What a producer sends; a queue selector sees it.

    Args:
        topic: where it goes.
        body: the content.
        tags: a label for consumers to filter by.
        keys: words to look the message up by.
        flag: a number of the application's own, handed through.
        delay_time_level: how long consumers are kept from it, as a level from 1; 0 for not at all.
        wait_store_msg_ok: whether the broker answers only once the message is safe.
        user_properties: the application's own properties.
        unique_id: the id that the producer gives it with the first attempt; later attempts keep it.

    Java: org.apache.rocketmq.common.message.Message, all releases.

    >>> Message("orders", b"paid").topic
    'orders'
    """

    topic: str
    body: bytes = b""
    tags: str | None = None
    keys: str | None = None
    flag: int = 0
    delay_time_level: int = 0
    wait_store_msg_ok: bool = True
    user_properties: dict[str, str] = field(default_factory=dict)
    unique_id: str | None = None

    @property
    def properties(self) -> dict[str, str]:
        """Return the properties that travel with the message, under their names on the wire."""
        named = {
            "TAGS": self.tags,
            "KEYS": self.keys,
            "DELAY": str(self.delay_time_level) if self.delay_time_level else None,
            "WAIT": "true" if self.wait_store_msg_ok else "false",
            "UNIQ_KEY": self.unique_id,
        }
        return {name: value for name, value in named.items() if value is not None} | self.user_properties


@dataclass(slots=True)
class MessageBatch(Message):
    """Several messages of one topic that travel as one.

    Args:
        messages: the messages, in order.

    Java: MessageBatch, 4.1.0-incubating .. 5.3.3.

    >>> len(MessageBatch("orders", messages=[Message("orders", b"a"), Message("orders", b"b")]).messages)
    2
    """

    messages: list[Message] = field(default_factory=list)


class CommunicationMode(Enum):
    """How a producer waits for the answer.

    Java: CommunicationMode, all releases.
    """

    SYNC = "SYNC"
    """`send` returns once the broker answered."""
    ASYNC = "ASYNC"
    """`send` returns at once; a callback hears of the outcome."""
    ONEWAY = "ONEWAY"
    """Nobody waits for an answer."""


class SendStatus(Enum):
    """How well a message was stored; in each of the four it *was* stored.

    Java: SendStatus, all releases.
    """

    SEND_OK = "SEND_OK"
    FLUSH_DISK_TIMEOUT = "FLUSH_DISK_TIMEOUT"
    FLUSH_SLAVE_TIMEOUT = "FLUSH_SLAVE_TIMEOUT"
    SLAVE_NOT_AVAILABLE = "SLAVE_NOT_AVAILABLE"


class ResponseCode(IntEnum):
    """What a broker answers to a send.

    Java: ResponseCode, all releases (GO_AWAY from 5.3.1).
    """

    SUCCESS = 0
    SYSTEM_ERROR = 1
    SYSTEM_BUSY = 2
    FLUSH_DISK_TIMEOUT = 10
    SLAVE_NOT_AVAILABLE = 11
    FLUSH_SLAVE_TIMEOUT = 12
    MESSAGE_ILLEGAL = 13
    SERVICE_NOT_AVAILABLE = 14
    NO_PERMISSION = 16
    TOPIC_NOT_EXIST = 17
    INVALID_PARAMETER = 29
    NO_BUYER_ID = 204
    NOT_IN_CURRENT_UNIT = 205
    GO_AWAY = 1500


class ClientErrorCode(IntEnum):
    """What a client sets itself, on an `MQClientException`.

    Java: ClientErrorCode, all releases.
    """

    CONNECT_BROKER_EXCEPTION = 10001
    ACCESS_BROKER_TIMEOUT = 10002
    BROKER_NOT_EXIST_EXCEPTION = 10003
    NO_NAME_SERVER_EXCEPTION = 10004
    NOT_FOUND_TOPIC_EXCEPTION = 10005


STATUS_OF: dict[int, SendStatus] = {
    ResponseCode.SUCCESS: SendStatus.SEND_OK,
    ResponseCode.FLUSH_DISK_TIMEOUT: SendStatus.FLUSH_DISK_TIMEOUT,
    ResponseCode.SLAVE_NOT_AVAILABLE: SendStatus.SLAVE_NOT_AVAILABLE,
    ResponseCode.FLUSH_SLAVE_TIMEOUT: SendStatus.FLUSH_SLAVE_TIMEOUT,
}
"""The four codes that mean *stored*; every other one becomes an `MQBrokerException`."""

CODE_OF = {status: code for code, status in STATUS_OF.items()}


@dataclass(frozen=True, slots=True)
class SendResult:
    """What a send gives back.

    Args:
        send_status: how well it was stored.
        message_queue: where; the queue id is the broker's answer, the broker's name the client's.
        queue_offset: the message's place in the queue, from 0.
        msg_id: the ids that the client gave, joined by commas for a batch.
        offset_msg_id: the id that the broker gave.

    Java: SendResult, all releases.
    """

    send_status: SendStatus
    message_queue: MessageQueue
    queue_offset: int = 0
    msg_id: str = ""
    offset_msg_id: str = ""


@dataclass(slots=True)
class SendMessageRequestHeader:
    """What goes over the wire beside the body.

    Args:
        producer_group: the producer's group.
        topic: the message's topic.
        default_topic: the topic after which the broker may create it.
        default_topic_queue_nums: with how many queues at most.
        queue_id: the queue that was picked. A retry of an asynchronous send keeps it.
        sys_flag: 1 compressed, 4 transaction prepared, and from 4.9.4 the kind of compression in bits 8 to 10.
        born_timestamp: when the request was built, in milliseconds.
        flag: the application's number.
        properties: the properties, joined.
        reconsume_times: how often a consumer got it before; above 0 only in a retry topic.
        unit_mode: whether the producer belongs to a unit of a larger installation.
        batch: whether the body holds several messages (from 4.1.0-incubating).
        bname: the broker's name, which a proxy needs (4.9.5 .. 4.9.8 and from 5.1.0).

    Java: SendMessageRequestHeader, all releases.
    """

    producer_group: str
    topic: str
    default_topic: str
    default_topic_queue_nums: int
    queue_id: int
    sys_flag: int
    born_timestamp: int
    flag: int
    properties: str
    reconsume_times: int
    unit_mode: bool
    batch: bool | None
    bname: str | None


@dataclass(slots=True)
class SendRequest:
    """A request as it stands ready; retries send the same one.

    Args:
        header: the header.
        message: the message, or the batch.
        body: what is sent, compressed or not.
    """

    header: SendMessageRequestHeader
    message: Message
    body: bytes


@dataclass(frozen=True, slots=True)
class SendResponse:
    """A broker's answer.

    Args:
        code: see `ResponseCode`.
        remark: the broker's words; empty if it stored the message.
        queue_id: where it was stored.
        queue_offset: its place there.
        msg_id: the broker's id of it.
    """

    code: int
    remark: str = ""
    queue_id: int = 0
    queue_offset: int = 0
    msg_id: str = ""


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
        have_topic_router_info: whether it was made from a route at all.

    Java: TopicPublishInfo, all releases.
    """

    topic: str
    message_queue_list: list[MessageQueue]
    send_which_queue: Index
    position_of: Callable[[int, int], int]
    topic_route_data: TopicRouteData | None = None
    order_topic: bool = False
    have_topic_router_info: bool = False

    def ok(self) -> bool:
        """Return whether there is a queue to send to.

        Java: TopicPublishInfo#ok, all releases.
        """
        return len(self.message_queue_list) > 0
