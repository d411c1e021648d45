"""The broker's side of a send: may it be written to, does the topic exist, is the queue id in range; store, count, answer.

A `Broker` keeps what it was given and can be asked what is in each queue.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from rmqref.errors import ScenarioError, require
from rmqref.java import Clock, JavaRandom, Random
from rmqref.model import (
    CODE_OF,
    PERM_WRITE,
    RETRY_GROUP_TOPIC_PREFIX,
    Message,
    MessageBatch,
    ResponseCode,
    SendRequest,
    SendResponse,
    SendStatus,
)
from rmqref.releases import Release, release

PERM_INHERIT = 1
"""The bit of a topic's permission that lets other topics be made after it."""

PERM_READ_WRITE = 6
DEFAULT_TOPIC_QUEUES = 8
"""With how many queues a broker makes the default topic."""


@dataclass(slots=True)
class TopicConfig:
    """What a broker knows of a topic.

    Args:
        topic_name: the topic.
        write_queue_nums: number of queues that producers write to.
        read_queue_nums: number of queues that consumers read from.
        perm: permission bits, as in `rmqref.model.QueueData`.
        order: whether it is an ordered topic.

    Java: TopicConfig, all releases.

    >>> TopicConfig("orders", 4, 4).perm
    6
    """

    topic_name: str
    write_queue_nums: int = 4
    read_queue_nums: int = 4
    perm: int = PERM_READ_WRITE
    order: bool = False

    def __post_init__(self) -> None:
        require("topic's name", self.topic_name, str)
        for what in ("write_queue_nums", "read_queue_nums", "perm"):
            require(what, getattr(self, what), int)
            if getattr(self, what) < 0:
                raise ScenarioError("error.negative.count", what=what, value=getattr(self, what))


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message in a queue.

    Args:
        message: what the producer sent.
        queue_offset: its place in the queue, from 0.
        store_timestamp: when it was stored, in milliseconds.
    """

    message: Message
    queue_offset: int
    store_timestamp: int


@dataclass(slots=True)
class Broker:
    """A broker: its topics, its permission, and its store.

    Args:
        broker_name: its name.
        addr: its master's address, `host:port`.
        clock: returns the time now in milliseconds.
        version: the *broker's* release, which two of its answers depend on.
        random: the source of chance, for a queue id below 0.
        topics: its topics by name.
        broker_permission: 6 to read and write, 4 to read only.
        auto_create_topic_enable: whether a topic is made when a message for it arrives.
        default_topic: the topic after which it is made.

    Java: BrokerController, SendMessageProcessor, all releases.

    >>> broker = Broker("broker-a", "10.0.0.1:10911", clock=lambda: 0)
    >>> sorted(broker.topics)
    ['TBW102']
    """

    broker_name: str
    addr: str
    clock: Clock
    version: str = "5.3.3"
    random: Random = field(default_factory=lambda: JavaRandom(0))
    topics: dict[str, TopicConfig] = field(default_factory=dict)
    broker_permission: int = PERM_READ_WRITE
    auto_create_topic_enable: bool = True
    default_topic: str = "TBW102"
    store: dict[tuple[str, int], list[StoredMessage]] = field(init=False, default_factory=dict)
    put_nums: Counter[str] = field(init=False, default_factory=Counter)
    row: Release = field(init=False)

    def __post_init__(self) -> None:
        self.row = release(self.version)
        if self.auto_create_topic_enable:
            perm = PERM_READ_WRITE | PERM_INHERIT
            self.topics.setdefault(
                self.default_topic,
                TopicConfig(self.default_topic, DEFAULT_TOPIC_QUEUES, DEFAULT_TOPIC_QUEUES, perm),
            )

    def messages(self, topic: str, queue_id: int | None = None) -> list[Message]:
        """Return what is in a queue, in order; with no queue id what is in all queues of the topic, one by one.

        Args:
            topic: the topic's name.
            queue_id: the queue, or None.

        Returns:
            The messages as they were sent.
        """
        ids = sorted(q for t, q in self.store if t == topic) if queue_id is None else [queue_id]
        return [stored.message for q in ids for stored in self.store.get((topic, q), [])]


def process_request(
    broker: Broker, request: SendRequest, status: SendStatus = SendStatus.SEND_OK
) -> SendResponse:
    """Check a request, store its message, and answer.

    Args:
        broker: the broker.
        request: what the producer sent.
        status: how well the store can keep it now.

    Returns:
        The answer; its code is one of the four that mean stored, or says why not.

    Java: SendMessageProcessor#sendMessage, all releases.
    """
    refused = msg_check(broker, request)
    if refused is not None:
        return refused
    topic_config = broker.topics[request.header.topic]
    if request.header.queue_id < 0 and topic_config.write_queue_nums == 0:
        return SendResponse(int(ResponseCode.SYSTEM_ERROR), "java.lang.ArithmeticException: / by zero")
    queue_id = valid_queue_id(broker, request.header.queue_id, topic_config)
    offset = put_message(broker, request, queue_id)
    return SendResponse(
        int(CODE_OF[status]),
        queue_id=queue_id,
        queue_offset=offset,
        msg_id=f"{broker.broker_name}.{queue_id}.{offset}",
    )


def msg_check(broker: Broker, request: SendRequest) -> SendResponse | None:
    """Return the answer to a request that is refused, or None.

    A broker without write permission refuses *ordered* topics only; for all others the permission keeps producers
    away by the route. The topic's own permission is not looked at.

    Args:
        broker: the broker.
        request: what the producer sent; a topic that does not exist is made, if it may be.

    Returns:
        A refusal, or None.

    Java: AbstractSendMessageProcessor#msgCheck, all releases.
    """
    header = request.header
    topic_config = broker.topics.get(header.topic)
    is_order = topic_config is not None and topic_config.order
    if not broker.broker_permission & PERM_WRITE and is_order:
        words = f"the broker[{broker.addr.rpartition(':')[0]}] sending message is forbidden"
        return SendResponse(int(ResponseCode.NO_PERMISSION), words)
    if broker.row.texts.default_topic and header.topic == broker.default_topic:
        words = f"the topic[{header.topic}] is conflict with system reserved words."
        return SendResponse(int(ResponseCode.SYSTEM_ERROR), words)
    if topic_config is None:
        topic_config = create_topic_in_send_message_method(broker, request)
    if topic_config is None:
        words = f"topic[{header.topic}] not exist, apply first please!"
        see = f"\nSee {broker.row.texts.faq_url} for further details."
        return SendResponse(int(ResponseCode.TOPIC_NOT_EXIST), words + see)
    if header.queue_id >= max(topic_config.write_queue_nums, topic_config.read_queue_nums):
        return SendResponse(broker.row.illegal_queue_code, f"request queueId[{header.queue_id}] is illegal")
    return None


def create_topic_in_send_message_method(broker: Broker, request: SendRequest) -> TopicConfig | None:
    """Make a topic after the default topic that the request names, *on this broker only*.

    Args:
        broker: the broker.
        request: the first request for the topic that arrives here.

    Returns:
        The new topic with the smaller of both numbers of queues; None if the default topic does not exist here or
        may not be inherited from. A retry topic is made in any case, with one queue.

    Java: TopicConfigManager#createTopicInSendMessageMethod, all releases.
    """
    header = request.header
    template = broker.topics.get(header.default_topic)
    if template is not None and template.perm & PERM_INHERIT:
        queue_nums = max(min(header.default_topic_queue_nums, template.write_queue_nums), 0)
        made = TopicConfig(header.topic, queue_nums, queue_nums, template.perm & ~PERM_INHERIT)
    elif header.topic.startswith(RETRY_GROUP_TOPIC_PREFIX):
        made = TopicConfig(header.topic, 1, 1)
    else:
        return None
    broker.topics[header.topic] = made
    return made


def valid_queue_id(broker: Broker, queue_id: int, topic_config: TopicConfig) -> int:
    """Return the queue id to store in: the request's, or any one if that is negative.

    Args:
        broker: the broker, for its source of chance.
        queue_id: the request's; 4.8.0 to 4.9.3 can send a negative one.
        topic_config: the topic.

    Returns:
        A queue id.

    Java: part of SendMessageProcessor#sendMessage, all releases.
    """
    if queue_id >= 0:
        return queue_id
    return broker.random.next_int(99_999_999) % topic_config.write_queue_nums


def put_message(broker: Broker, request: SendRequest, queue_id: int) -> int:
    """Store a request's message, or all messages of its batch, and return the first one's place in the queue.

    Args:
        broker: the broker.
        request: what the producer sent.
        queue_id: the queue.

    Returns:
        The queue offset.

    Java: MessageStore#putMessage and #putMessages, all releases.
    """
    message = request.message
    messages = message.messages if isinstance(message, MessageBatch) else [message]
    queue = broker.store.setdefault((request.header.topic, queue_id), [])
    offset = len(queue)
    now = broker.clock()
    for place, one in enumerate(messages, offset):
        queue.append(StoredMessage(one, place, now))
    broker.put_nums[request.header.topic] += len(messages)
    return offset
