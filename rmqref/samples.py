"""Sample routes and logs to begin with: dumps as `mqadmin topicRoute` prints them, and lines as clients write them."""

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


LOGS = ("budget_used", "placeholders")
"""Logs: a send whose time was used up by its first attempt, with a busy broker later; and one of 5.1 that lost names."""


def sample_log(name: str) -> str:
    """Return a sample log.

    Args:
        name: one of `LOGS`.

    Returns:
        The lines that a client wrote.

    Raises:
        RouteError: there is no such sample.

    >>> len(sample_log("placeholders").splitlines())
    5
    """
    if name not in LOGS:
        raise RouteError("error.sample_log", name=name, names=", ".join(LOGS))
    return (FOLDER.parent / "logs" / f"{name}.log").read_text(encoding="utf-8")
