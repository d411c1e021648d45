"""What a route means for a producer: the ordered list, who is left out and why, and warnings with their size.

A warning comes from a *check*: a small function that finds something in a route and says how much of it there is.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rmqref.errors import JavaException, RouteError
from rmqref.java import utf16_units
from rmqref.messages import text
from rmqref.model import MessageQueue, QueueData, TopicRouteData
from rmqref.releases import release
from rmqref.route import MOCK_BROKER_PREFIX, has_master
from rmqref.route_text import RouteText, read_routes, routes_of

TEMPLATE_TOPIC = "TBW102"
INHERIT = 1
"""The bit of a permission that topics made from this one inherit it by."""
TEMPLATE_QUEUES = 4
"""`defaultTopicQueueNums`: how many queues a producer asks for at most when its message makes a topic."""


@dataclass(frozen=True, slots=True)
class Told:
    """Something that is said of a route.

    Args:
        name: what it is.
        said: the sentence.
        broker: the broker that it is about; empty if it is about none alone.
    """

    name: str
    said: str
    broker: str = ""


@dataclass(frozen=True, slots=True)
class RouteReport:
    """What a route means for a producer of one release.

    Args:
        release: the client's release.
        topic: the topic, or None if the text does not name it.
        line: where the route begins in the text, from 1.
        brokers: each broker with its addresses, in the order of the text.
        names: the names of all brokers that the route speaks of.
        clusters: the names of their clusters.
        hosts: where the brokers are, without ports.
        queues: the list that the producer makes of it, in order.
        left_out: the brokers that the list lacks, each with the reason.
        warnings: what one should know, each with its size.
    """

    release: str
    topic: str | None
    line: int
    brokers: tuple[str, ...]
    names: tuple[str, ...]
    clusters: tuple[str, ...]
    hosts: tuple[str, ...]
    queues: tuple[str, ...]
    left_out: tuple[Told, ...]
    warnings: tuple[Told, ...]

    def lines(self) -> Iterator[str]:
        """Yield the report in words."""
        topic = self.topic or text("route.topic.unknown")
        yield text("route.head", topic=topic, line=self.line, release=self.release)
        yield text("route.brokers", count=len(self.brokers), brokers="; ".join(self.brokers))
        yield text("route.queues", count=len(self.queues))
        yield from (f"  {position}: {queue}" for position, queue in enumerate(self.queues))
        yield from self.remarks()
        if not self.left_out and not self.warnings:
            yield text("route.well")

    def remarks(self) -> Iterator[str]:
        """Yield who is left out, and the warnings."""
        yield from (text("route.left_out", said=told.said) for told in self.left_out)
        yield from (text("route.warning", said=told.said) for told in self.warnings)

    def as_json(self) -> dict[str, Any]:
        """Return the report as data that JSON can hold."""
        return asdict(self)


def read_reports(
    given: str | bytes,
    version: str,
    topic: str | None = None,
    change: Callable[[list[RouteText]], list[RouteText]] | None = None,
) -> list[RouteReport]:
    """Return a report of every different route that a text holds.

    Args:
        given: the text, see `rmqref.route_text.read_routes`.
        version: the client's release.
        topic: the topic that is asked for; a route without a name may be anyone's.
        change: what to do with the routes before they are looked at.

    Returns:
        Reports in the order of the text; a route that stands there again is reported once, and of the old and the new
        one of a topic in one line of a log only the new one.

    Raises:
        RouteError: the text holds no route, a broken one, none of the topic, or one of which no release makes a list.
        UnknownRelease: no such release.

    >>> from rmqref.samples import sample_dump
    >>> (report,) = read_reports(sample_dump("UnevenTopic"), "4.9.7")
    >>> report.queues[-1], report.warnings[0].said
    ('broker-b : 1', 'Traffic follows queues: broker-a gets 80% with 8 queues, broker-b gets 20% with 2 queues.')
    """
    found: list[RouteText] = []
    for one in read_routes(given):
        if found and one.topic is not None and (found[-1].topic, found[-1].line) == (one.topic, one.line):
            found.pop()
        if all((one.route, one.topic) != (other.route, other.topic) for other in found):
            found.append(one)
    found = [replace(one, topic=one.topic or topic) for one in routes_of(found, topic)]
    if change:
        found, topic = change(found), None
    known = {data.broker_name for one in found for data in one.route.broker_datas}
    return [report_of(one, version, topic, known) for one in found]


def told_route(given: str, version: str, topic: str | None = None) -> str:
    """Return what the routes of a text mean, in words.

    Args:
        given: the text.
        version: the client's release.
        topic: the topic's name, where the text does not have it.

    >>> from rmqref.samples import sample_dump
    >>> print(told_route(sample_dump("LoneTopic"), "4.9.7").splitlines()[-1])
    Warning: All 4 queues are on broker-a: a retry has nowhere else to go.
    """
    return "\n".join(line for report in read_reports(given, version, topic) for line in report.lines())


def report_of(read: RouteText, version: str, topic: str | None, known: set[str]) -> RouteReport:
    """Return the report of one route.

    Args:
        read: the route as it was read.
        version: the client's release.
        topic: the topic's name, where the text does not have it.
        known: the brokers of all routes of the text.

    Raises:
        RouteError: the producer would fail while it makes the list.
    """
    row, name, route = release(version), read.topic or topic, read.route
    brokers = tuple(told_broker(data.broker_name, data.broker_addrs) for data in route.broker_datas)
    try:
        queues = row.topic(route, name or "T").message_queue_list
    except JavaException as error:
        raise RouteError(
            "route.error.list", release=row.version, error=error.name, problem=str(error)
        ) from error
    left_out = tuple(who_is_left_out(route, queues))
    warnings = tuple(
        Told(check, text(f"route.warn.{check}", **found))
        for check, find in CHECKS.items()
        for found in find(Seen(route, queues, name, known))
    )
    addresses = (given for data in route.broker_datas for given in data.broker_addrs.values())
    spoken_of = (
        *(data.broker_name for data in route.broker_datas),
        *(data.broker_name for data in route.queue_datas),
        *(mq.broker_name for mq in queues),
    )
    return RouteReport(
        row.version,
        name,
        read.line,
        brokers,
        tuple(dict.fromkeys(spoken_of)),
        tuple(dict.fromkeys(data.cluster for data in route.broker_datas if data.cluster)),
        tuple(dict.fromkeys(map(host_of, addresses))),
        tuple(map(str, queues)),
        left_out,
        warnings,
    )


def told_broker(name: str, addresses: dict[int, str]) -> str:
    """Return a broker with its addresses in words.

    >>> told_broker("broker-a", {0: "10.0.0.1:10911", 1: "10.0.0.2:10911"})
    'broker-a (0: 10.0.0.1:10911, 1: 10.0.0.2:10911)'
    """
    listed = ", ".join(f"{number}: {address}" for number, address in sorted(addresses.items()))
    return text("route.broker", broker=name, addresses=listed or text("route.no_address"))


def host_of(address: str) -> str:
    """Return an address without its port.

    >>> host_of("10.0.0.1:10911"), host_of("[fe80::1]:10911")
    ('10.0.0.1', 'fe80::1')
    """
    return address.rpartition(":")[0].strip("[]")


def who_is_left_out(route: TopicRouteData, queues: Sequence[MessageQueue]) -> Iterator[Told]:
    """Yield the entries that give no queue, each with the first reason that holds.

    Args:
        route: the route.
        queues: the list.
    """
    if route.order_topic_conf or any(mq.broker_name.startswith(MOCK_BROKER_PREFIX) for mq in queues[:1]):
        return  # then the entries do not make the list
    for data in route.queue_datas:
        reason = reason_of(route, data)
        if reason is not None:
            said = text(
                f"route.out.{reason}", broker=data.broker_name, perm=data.perm, queues=data.write_queue_nums
            )
            yield Told(reason, said, data.broker_name)


def reason_of(route: TopicRouteData, data: QueueData) -> str | None:
    """Return why an entry gives no queue; None if it gives some."""
    if not data.is_writable:
        return "no_write"
    if all(broker.broker_name != data.broker_name for broker in route.broker_datas):
        return "no_broker"
    if not has_master(route, data.broker_name):
        return "no_master"
    return None if data.write_queue_nums > 0 else "no_queues"


# ---------------------------------------------------------------------------------------------------------- the checks

Found = dict[str, Any]
"""The parameters of a warning's sentence."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a check looks at.

    Args:
        route: the route.
        queues: the list that the producer makes of it.
        topic: the topic's name, or None.
        known: the brokers of all routes of the text.
    """

    route: TopicRouteData
    queues: Sequence[MessageQueue]
    topic: str | None
    known: set[str]

    @property
    def counts(self) -> dict[str, int]:
        """How many queues of the list each broker has."""
        return dict(Counter(mq.broker_name for mq in self.queues))

    @property
    def is_static(self) -> bool:
        """Whether the queues carry a made-up broker name."""
        return any(mq.broker_name.startswith(MOCK_BROKER_PREFIX) for mq in self.queues[:1])


Find = Callable[[Seen], Iterator[Found]]


def no_queue(seen: Seen) -> Iterator[Found]:
    """Nothing can be sent to."""
    if not seen.queues:
        yield {"entries": len(seen.route.queue_datas)}


def uneven(seen: Seen) -> Iterator[Found]:
    """Brokers have different numbers of queues."""
    counts = seen.counts
    if len(set(counts.values())) > 1:
        shares = ", ".join(
            text("route.share", broker=broker, percent=f"{100 * count / len(seen.queues):.3g}", queues=count)
            for broker, count in counts.items()
        )
        yield {"shares": shares}


def one_broker(seen: Seen) -> Iterator[Found]:
    """A retry has nowhere to go."""
    counts = seen.counts
    if len(counts) == 1 and not seen.is_static:
        yield {"broker": seen.queues[0].broker_name, "queues": len(seen.queues)}


def some_brokers(seen: Seen) -> Iterator[Found]:
    """Other routes of the same text know brokers that this one has no entry for."""
    others = sorted(seen.known - {data.broker_name for data in seen.route.queue_datas})
    if others:
        yield {"brokers": ", ".join(others), "count": len(others), "all": len(seen.known)}


def template(seen: Seen) -> Iterator[Found]:
    """It is the template's route, along which messages of a topic that does not exist yet are sent."""
    if seen.topic == TEMPLATE_TOPIC or any(data.perm & INHERIT for data in seen.route.queue_datas):
        counts = seen.counts.values()
        yield {"queues": min([TEMPLATE_QUEUES, *counts]), "brokers": len(counts)}


def order_configuration(seen: Seen) -> Iterator[Found]:
    """The order configuration makes the list; what the entries say does not count."""
    if seen.route.order_topic_conf:
        usable = {data.broker_name for data in seen.route.queue_datas if reason_of(seen.route, data) is None}
        unusable = sorted(set(seen.counts) - usable)
        yield {
            "queues": len(seen.queues),
            "brokers": ", ".join(unusable) or text("route.none"),
            "count": len(unusable),
        }


def static_topic(seen: Seen) -> Iterator[Found]:
    """All queues carry a made-up broker name."""
    if seen.is_static:
        yield {
            "queues": len(seen.queues),
            "broker": seen.queues[0].broker_name,
            "brokers": len(seen.route.topic_queue_mapping_by_broker or ()),
        }


def entry_twice(seen: Seen) -> Iterator[Found]:
    """A broker has two entries, so its queues stand in the list twice."""
    for broker, times in Counter(data.broker_name for data in seen.route.queue_datas).items():
        if times > 1:
            yield {"broker": broker, "times": times, "queues": seen.counts.get(broker, 0)}


def read_and_write(seen: Seen) -> Iterator[Found]:
    """A broker is written to and read from in different numbers of queues."""
    for data in seen.route.queue_datas:
        more = data.write_queue_nums - data.read_queue_nums
        if more:
            said = "route.unread" if more > 0 else "route.unwritten"
            yield {
                "broker": data.broker_name,
                "write": data.write_queue_nums,
                "read": data.read_queue_nums,
                "said": text(said, queues=abs(more)),
            }


def address(seen: Seen) -> Iterator[Found]:
    """A broker's address is one that only its own machine knows."""
    for data in seen.route.broker_datas:
        for given in data.broker_addrs.values():
            try:
                host = ipaddress.ip_address(host_of(given))
            except ValueError:
                continue
            if host.is_loopback or host.is_unspecified or host in DOCKER:
                yield {"broker": data.broker_name, "address": given}


DOCKER = ipaddress.ip_network("172.17.0.0/16")
"""The addresses that containers have on their own machine unless told otherwise."""


def clusters(seen: Seen) -> Iterator[Found]:
    """The brokers belong to several clusters."""
    names = sorted({data.cluster for data in seen.route.broker_datas if data.cluster})
    if len(names) > 1:
        yield {"count": len(names), "clusters": ", ".join(names)}


def order_of_names(seen: Seen) -> Iterator[Found]:
    """The list stands in the order of letters, not of numbers."""
    names = list(seen.counts)
    natural = sorted(names, key=lambda name: (len(name), utf16_units(name)))
    if (
        names != natural
        and sorted(names, key=utf16_units) == names
        and len({name.rstrip("0123456789") for name in names}) == 1
    ):
        yield {"names": ", ".join(names)}


CHECKS: dict[str, Find] = {
    "no_queue": no_queue,
    "uneven": uneven,
    "one_broker": one_broker,
    "some_brokers": some_brokers,
    "template": template,
    "order_configuration": order_configuration,
    "static_topic": static_topic,
    "entry_twice": entry_twice,
    "read_and_write": read_and_write,
    "address": address,
    "clusters": clusters,
    "order_of_names": order_of_names,
}
"""What is looked for, by the name of the sentence that tells it."""
