"""Other names for brokers, topics and addresses, the same for the same one, so that a report can be shown to others.

Names are changed in what was read, before anything is said of it: a word of a sentence that is also a name stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace

from rmqref.incident import FailedSend, Reading
from rmqref.java import utf16_units
from rmqref.messages import Parameter
from rmqref.model import TopicRouteData
from rmqref.route import MOCK_BROKER_PREFIX
from rmqref.route_text import RouteText

DOCUMENTATION = "192.0.2."
"""Addresses that nobody has: they are kept for documentation."""

MOST_ADDRESSES = 254
"""How many of them there are; further ones are names."""

HIDDEN = "..."


@dataclass(slots=True)
class Anonymiser:
    """Gives names other names, in the order in which it meets them.

    Attributes:
        aliases: the other name of each kind and name.

    >>> hidden = Anonymiser()
    >>> (
    ...     hidden.alias("broker", "pay-eu1"),
    ...     hidden.alias("broker", "pay-eu10"),
    ...     hidden.alias("broker", "pay-eu1"),
    ... )
    ('broker-1', 'broker-2', 'broker-1')
    >>> hidden.address("10.7.0.1:10911"), hidden.address("[fe80::1]:10911"), hidden.address("10.7.0.1:10909")
    ('192.0.2.1:10911', '192.0.2.2:10911', '192.0.2.1:10909')
    """

    aliases: dict[tuple[str, str], str] = field(default_factory=dict)
    _numbers: Counter[str] = field(default_factory=Counter)

    def alias(self, kind: str, name: str) -> str:
        """Return the other name of something.

        Args:
            kind: what it is: "broker", "topic", "cluster".
            name: its name; nothing, and the name that all static topics share, stay as they are.
        """
        if not name or name.startswith(MOCK_BROKER_PREFIX):
            return name
        if (kind, name) not in self.aliases:
            self._numbers[kind] += 1
            self.aliases[kind, name] = f"{kind}-{self._numbers[kind]}"
        return self.aliases[kind, name]

    def address(self, given: str) -> str:
        """Return another address, with the same port.

        Args:
            given: host and port, or nothing.
        """
        host, colon, port = given.rpartition(":")
        if not host:
            return given and HIDDEN
        if ("host", host) not in self.aliases:
            self._numbers["host"] += 1
            number = self._numbers["host"]
            self.aliases["host", host] = (
                f"{DOCUMENTATION}{number}" if number <= MOST_ADDRESSES else f"host-{number}"
            )
        return self.aliases["host", host] + colon + port

    # -- routes

    def routes(self, read: Sequence[RouteText]) -> list[RouteText]:
        """Return routes with other names; brokers keep their order, because the list stands in it.

        Args:
            read: the routes.
        """
        names = {data.broker_name for one in read for data in one.route.broker_datas}
        names |= {data.broker_name for one in read for data in one.route.queue_datas}
        in_order = sorted(names, key=utf16_units)
        width = len(str(len(in_order)))
        for number, name in enumerate(in_order, 1):
            if not name.startswith(MOCK_BROKER_PREFIX):
                self.aliases.setdefault(("broker", name), f"broker-{number:0{width}}")
        self._numbers["broker"] = len(in_order)
        return [self._route(one) for one in read]

    def _route(self, one: RouteText) -> RouteText:
        route = deepcopy(one.route)
        for queue_data in route.queue_datas:
            queue_data.broker_name = self.alias("broker", queue_data.broker_name)
        for broker_data in route.broker_datas:
            broker_data.broker_name = self.alias("broker", broker_data.broker_name)
            broker_data.cluster = broker_data.cluster and self.alias("cluster", broker_data.cluster)
            broker_data.broker_addrs = {
                number: self.address(address) for number, address in broker_data.broker_addrs.items()
            }
        route.order_topic_conf = self._order(route)
        if route.topic_queue_mapping_by_broker:
            route.topic_queue_mapping_by_broker = {
                self.alias("broker", name): replace(part, broker_name=self.alias("broker", part.broker_name))
                for name, part in route.topic_queue_mapping_by_broker.items()
            }
        topic = one.topic and self.alias("topic", one.topic)
        return replace(one, route=route, topic=topic, not_read={})

    def _order(self, route: TopicRouteData) -> str | None:
        if not route.order_topic_conf:
            return route.order_topic_conf
        parts = (part.partition(":") for part in route.order_topic_conf.split(";"))
        return ";".join(self.alias("broker", name) + colon + number for name, colon, number in parts)

    # -- logs

    def hide_send(self, send: FailedSend) -> None:
        """Change the names in a send.

        Args:
            send: is changed.
        """
        send.topic = self.alias("topic", send.topic)
        send.brokers = tuple(self.alias("broker", name) for name in send.brokers)
        send.retried_on = send.retried_on and self.alias("broker", send.retried_on)
        name, colon, number = send.result_queue.partition(" : ")
        send.result_queue = self.alias("broker", name) + colon + number
        for attempt in send.attempts:
            attempt.topic = self.alias("topic", attempt.topic)
            attempt.broker = self.alias("broker", attempt.broker)
            attempt.address = self.address(attempt.address)

    def hide_reading(self, reading: Reading) -> None:
        """Change the names in what was counted; lines that could not be read are left out.

        Args:
            reading: is changed.
        """
        known = {name for kind, name in self.aliases if kind == "broker"}
        reading.brokers = Counter(
            {
                self.alias("broker", name) if name in known or ":" not in name else self.address(name): count
                for name, count in reading.brokers.items()
            }
        )
        reading.accepted = Counter({self.alias("broker", name): n for name, n in reading.accepted.items()})
        reading.avoided = {self.alias("broker", name): told for name, told in reading.avoided.items()}
        reading.examples.clear()


def masked(parameters: dict[str, Parameter]) -> dict[str, Parameter]:
    """Return a sentence's parameters without words, which may be names.

    Args:
        parameters: the parameters.

    >>> masked({"topic": "Secret", "line": 3})
    {'topic': '...', 'line': 3}
    """
    return {name: HIDDEN if isinstance(value, str) else value for name, value in parameters.items()}
