"""Sample routes: dumps of `mqadmin topicRoute` to begin with, in the form that the command prints."""

from __future__ import annotations

from pathlib import Path

from rmqref.errors import RouteError
from rmqref.model import TopicRouteData
from rmqref.route_text import read_route

FOLDER = Path(__file__).parent / "routes"

SAMPLES = ("OrderTopic", "PaymentTopic", "UnevenTopic", "LoneTopic", "DrainedTopic", "SequenceTopic")
"""Topics: 3 brokers of 4 queues, 2 of 4, 8 against 2, one broker, one broker without write permission, ordered."""


def sample_dump(topic: str) -> str:
    """Return the dump of a sample topic.

    Args:
        topic: one of `SAMPLES`.

    Returns:
        The text that `mqadmin topicRoute` prints.

    Raises:
        RouteError: there is no such sample.

    >>> sample_dump("LoneTopic").split()[:2]
    ['{', '"brokerDatas":[']
    """
    if topic not in SAMPLES:
        raise RouteError("error.sample_route", name=topic, names=", ".join(SAMPLES))
    return (FOLDER / f"{topic}.json").read_text(encoding="utf-8")


def sample_route(topic: str) -> TopicRouteData:
    """Return the route of a sample topic.

    Args:
        topic: one of `SAMPLES`.

    Returns:
        A new route.

    Raises:
        RouteError: there is no such sample.

    >>> [data.broker_name for data in sample_route("UnevenTopic").broker_datas]
    ['broker-a', 'broker-b']
    """
    return read_route(sample_dump(topic))
