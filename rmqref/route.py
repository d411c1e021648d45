"""Routes: reading the texts that people have at hand, and expanding a route into the list of queues.

The expansion groups the list by broker: all queues of the first broker in name order, then all of the next. What a
retry pick meets next, and who gets the traffic of an avoided broker, follows from that.

Not here: what a producer does for a topic that has no route yet (the default topic's route, `TBW102`).
"""

from __future__ import annotations

from collections.abc import Callable

from rmqref.errors import ArrayIndexOutOfBoundsException, RouteError
from rmqref.java import parse_int, utf16_units
from rmqref.model import MessageQueue, TopicRouteData


def expand(
    topic: str,
    route: TopicRouteData,
    static_topics: Callable[[str, TopicRouteData], list[MessageQueue] | None],
) -> tuple[list[MessageQueue], bool]:
    """Return the queues that a producer may choose from, and whether an order configuration named them.

    Args:
        topic: the topic's name.
        route: the route; as in Java, its `queue_datas` are sorted in place.
        static_topics: what the release does with a static topic.

    Returns:
        The queues in order, and True if they come from `order_topic_conf`.

    Raises:
        ArrayIndexOutOfBoundsException: an order configuration entry has no number.
        NumberFormatException: an order configuration entry's number is not one.
        RouteError: the release cannot send to such a topic in this reference.

    Java: MQClientInstance#topicRouteData2TopicPublishInfo, all releases.

    >>> from rmqref.model import BrokerData, QueueData
    >>> data = TopicRouteData(
    ...     [QueueData("b", 1), QueueData("a", 2)], [BrokerData("a", {0: ""}), BrokerData("b", {0: ""})]
    ... )
    >>> [str(mq) for mq in expand("T", data, ignore_static_topic)[0]]
    ['a : 0', 'a : 1', 'b : 0']
    """
    if route.order_topic_conf:
        return ordered_queues(topic, route.order_topic_conf), True
    if route.order_topic_conf is None:
        numbered = static_topics(topic, route)
        if numbered is not None:
            return numbered, False
    return writable_queues(topic, route), False


def ordered_queues(topic: str, order_topic_conf: str) -> list[MessageQueue]:
    """Return the queues that an order configuration names, in its order; permissions do not count.

    Args:
        topic: the topic's name.
        order_topic_conf: `broker:number` entries joined by `;`.

    Returns:
        Queues 0 .. number - 1 of each entry.

    Raises:
        ArrayIndexOutOfBoundsException: an entry has no number.
        NumberFormatException: an entry's number is not one.

    Java: part of MQClientInstance#topicRouteData2TopicPublishInfo, all releases.

    >>> [str(mq) for mq in ordered_queues("T", "broker-b:1;broker-a:2;")]
    ['broker-b : 0', 'broker-a : 0', 'broker-a : 1']
    """
    queues: list[MessageQueue] = []
    for entry in split(order_topic_conf, ";"):
        item = split(entry, ":")
        if len(item) < 2:
            raise ArrayIndexOutOfBoundsException(1, len(item))
        number = parse_int(item[1])
        refuse_too_many(topic, len(queues) + number)
        queues += [MessageQueue(topic, item[0], queue_id) for queue_id in range(number)]
    return queues


MOST_QUEUES = 100_000
"""More queues than any topic has; a route with more is refused, where Java would fill its memory."""


def refuse_too_many(topic: str, queues: int) -> None:
    """Refuse a route that would not fit into memory.

    Raises:
        RouteError: it has more than `MOST_QUEUES` queues.
    """
    if queues > MOST_QUEUES:
        raise RouteError("error.too_many_queues", topic=topic, queues=queues, most=MOST_QUEUES)


def split(given: str, separator: str) -> list[str]:
    """Return the parts of a text as `String.split` does: empty parts at the end are dropped.

    Args:
        given: the text.
        separator: one character.

    Returns:
        The parts; for an empty text one empty part.

    Java: String#split, all releases.

    >>> split("a:2;;b:1;;", ";"), split(";", ";"), split("", ";")
    (['a:2', '', 'b:1'], [], [''])
    """
    parts = given.split(separator)
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return [] if parts == [""] and given else parts


def writable_queues(topic: str, route: TopicRouteData) -> list[MessageQueue]:
    """Return the write queues of every writable broker with a master, grouped by broker in name order.

    Args:
        topic: the topic's name.
        route: the route; its `queue_datas` are sorted in place by broker name (UTF-16 order, stable).

    Returns:
        The queues.

    Java: part of MQClientInstance#topicRouteData2TopicPublishInfo, all releases.

    >>> from rmqref.model import BrokerData, QueueData
    >>> data = TopicRouteData(
    ...     [QueueData("a", 2, perm=4), QueueData("b", 1)],
    ...     [BrokerData("a", {0: ""}), BrokerData("b", {0: ""})],
    ... )
    >>> [str(mq) for mq in writable_queues("T", data)]
    ['b : 0']
    """
    refuse_too_many(topic, sum(max(queue_data.write_queue_nums, 0) for queue_data in route.queue_datas))
    route.queue_datas.sort(key=lambda queue_data: utf16_units(queue_data.broker_name))
    return [
        MessageQueue(topic, queue_data.broker_name, queue_id)
        for queue_data in route.queue_datas
        if queue_data.is_writable and has_master(route, queue_data.broker_name)
        for queue_id in range(queue_data.write_queue_nums)
    ]


def has_master(route: TopicRouteData, broker_name: str) -> bool:
    """Return whether the first broker entry of that name has a master's address.

    Args:
        route: the route.
        broker_name: the broker.

    Returns:
        False also for a broker without an entry; a second entry of the same name is not looked at.

    Java: part of MQClientInstance#topicRouteData2TopicPublishInfo, all releases.

    >>> from rmqref.model import BrokerData
    >>> has_master(TopicRouteData([], [BrokerData("a", {1: ""}), BrokerData("a", {0: ""})]), "a")
    False
    """
    return next((data.has_master for data in route.broker_datas if data.broker_name == broker_name), False)


def ignore_static_topic(topic: str, route: TopicRouteData) -> None:
    """Return None: these releases do not know static topics and expand the route as an ordinary one.

    Java: MQClientInstance#topicRouteData2TopicPublishInfo, 4.0.0-incubating .. 4.9.8.

    >>> ignore_static_topic("T", TopicRouteData([], []))
    """


MOCK_BROKER_PREFIX = "__syslo__"
"""Stands before the scope in the broker name that all queues of a static topic share."""


def number_static_topic(topic: str, route: TopicRouteData) -> list[MessageQueue] | None:
    """Return the numbered queues of a static topic; they all carry one made-up broker name.

    So avoiding a broker does nothing: a retry finds every queue on the broker that failed last.

    Args:
        topic: the topic's name.
        route: the route.

    Returns:
        Queues 0 .. total - 1 of each scope, by number; None for an ordinary topic.

    Java: ClientMetadata#topicRouteData2EndpointsForStaticTopic and MQClientInstance
        #topicRouteData2TopicPublishInfo, 5.0.0-ALPHA .. 5.3.3. With several scopes, which Java leaves in the order
        of their hashes, queues of one number stand in the order of the scopes' names.

    >>> from rmqref.model import TopicQueueMapping
    >>> mapping = {"broker-a": TopicQueueMapping("broker-a", "__global__", 0, 2, {0: 0, 1: 1})}
    >>> [
    ...     str(mq)
    ...     for mq in number_static_topic("T", TopicRouteData([], [], topic_queue_mapping_by_broker=mapping))
    ... ]
    ['__syslo__global__ : 0', '__syslo__global__ : 1']
    """
    if not route.topic_queue_mapping_by_broker:
        return None
    totals: dict[str, int] = {}
    for mapping in route.topic_queue_mapping_by_broker.values():
        if mapping.scope is not None:
            totals[mapping.scope] = max(totals.get(mapping.scope, 0), mapping.total_queues)
    refuse_too_many(topic, sum(totals.values()))
    numbered = [(number, scope) for scope, total in totals.items() for number in range(total)]
    return [MessageQueue(topic, mock_broker_name(scope), number) for number, scope in sorted(numbered)]


def mock_broker_name(scope: str) -> str:
    """Return the broker name that stands for all brokers of a static topic.

    Args:
        scope: the mapping's scope.

    Returns:
        A name that no real broker has.

    Java: TopicQueueMappingUtils#getMockBrokerName, 5.0.0-ALPHA .. 5.3.3.

    >>> mock_broker_name("__global__"), mock_broker_name("room-1")
    ('__syslo__global__', '__syslo__room-1')
    """
    return MOCK_BROKER_PREFIX + (scope[2:] if scope == "__global__" else scope)


def refuse_logical_queues(topic: str, route: TopicRouteData) -> None:
    """Return None for an ordinary topic; the logical queues of this one release are not modelled.

    Raises:
        RouteError: the route has logical queues.

    Java: MQClientInstance#topicRouteData2TopicPublishInfo, 5.0.0-PREVIEW.

    >>> refuse_logical_queues("T", TopicRouteData([], []))
    """
    if route.logical_queues_info:
        raise RouteError("error.logical_queues", topic=topic)
