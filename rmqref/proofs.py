"""Small proofs for the interview book: each runs the package and says in a line or two what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from rmqref.cluster import BROKER_EXPIRED_TIME, SCAN_PERIOD, BrokerFault
from rmqref.errors import RmqRefError
from rmqref.faults import compute_not_available_duration
from rmqref.measure import Share, availability
from rmqref.messages import text
from rmqref.model import CommunicationMode, TopicRouteData
from rmqref.producer import POLL_NAME_SERVER_INTERVAL
from rmqref.releases import release
from rmqref.route import has_master
from rmqref.scenario import BrokerPlan, Load, Scenario
from rmqref.simulation import SendRecord, simulate
from rmqref.situation import Situation


def by_broker(share: Share) -> dict[str, int]:
    """Return how many picks each broker got.

    Args:
        share: picks by broker name and queue id.

    >>> by_broker(Counter({("broker-a", 0): 3, ("broker-a", 1): 1, ("broker-b", 0): 4}))
    {'broker-a': 4, 'broker-b': 4}
    """
    found: Counter[str] = Counter()
    for (broker_name, _), picks in sorted(share.items()):
        found[broker_name] += picks
    return dict(found)


def asynchronous(scenario: Scenario) -> Scenario:
    """Return a scenario whose messages are sent asynchronously."""
    return scenario.but(load=replace(scenario.load, mode="ASYNC"))


def with_setting(scenario: Scenario, **settings: object) -> Scenario:
    """Return a scenario whose producer has other settings."""
    return scenario.but(producer={**scenario.producer, **settings})


def first_send(scenario: Scenario) -> SendRecord:
    """Return the first send of a scenario."""
    return simulate(scenario).sends[0]


def told(send: SendRecord) -> str:
    """Return what a send came to, and with how many attempts."""
    return text("proofs.send", outcome=send.outcome, attempts=len(send.attempts))


def modes(scenario: Scenario) -> str:
    """Return how many attempts the first send of a scenario has at most, mode by mode, if every broker refuses.

    Args:
        scenario: the scenario; its mode and its faults do not count.

    Returns:
        A line a mode.

    >>> print(modes(Scenario()))
    SYNC: MQClientException, attempts: 3
    ASYNC: RemotingConnectException, attempts: 3
    ONEWAY: MQClientException, attempts: 1
    """
    faults = tuple(BrokerFault("refuse", broker.name) for broker in scenario.brokers)
    lines = []
    for mode in CommunicationMode:
        load = replace(scenario.load, sends=1, mode=mode.name)
        lines.append(
            text("proofs.mode", mode=mode.name, said=told(first_send(scenario.but(faults=faults, load=load))))
        )
    return "\n".join(lines)


def with_selector(scenario: Scenario, selector: str) -> str:
    """Return what the first send of a scenario comes to with a selector, and the error's words if there is one.

    Args:
        scenario: the scenario.
        selector: a name in `rmqref.scenario.SELECTORS`.

    >>> print(with_selector(Scenario(), "machine_room"))
    MQClientException, attempts: 0: select message queue return null.
    """
    send = first_send(scenario.but(load=replace(scenario.load, sends=1, selector=selector)))
    error = send.error.partition("\n")[0]
    return text("proofs.error", said=told(send), error=error) if error else told(send)


def avoided_after(latency: int, *releases: str) -> str:
    """Return for how long a broker is avoided after a send of this latency, release by release.

    Args:
        latency: in milliseconds.
        *releases: the clients' releases.

    >>> avoided_after(550, "5.1.3", "5.1.4")
    '550 ms: 30000 ms in 5.1.3, 2000 ms in 5.1.4'
    """
    durations = ", ".join(
        text(
            "proofs.avoided",
            release=row.version,
            duration=compute_not_available_duration(latency, row.latency_max, row.not_available_duration),
        )
        for row in map(release, releases)
    )
    return text("proofs.after", latency=latency, durations=durations)


def availability_lines(situation: Situation, broker_name: str, *releases: str) -> str:
    """Return for how long a broker is avoided in all under a situation's sends, release by release.

    Args:
        situation: the situation.
        broker_name: the broker.
        *releases: the clients' releases.
    """
    lanes = availability(situation, broker_name, releases)
    return ", ".join(
        text("proofs.avoided", release=lane.release, duration=lane.avoided_for or 0) for lane in lanes
    )


def list_after(situation: Situation) -> str:
    """Return the list after a situation's pick, with its elements that changed.

    Args:
        situation: the situation.

    >>> list_after(Situation("4.9.8"))
    '4.9.8: nothing in the list changed'
    """
    desk = situation.prepare()
    before = [str(mq) for mq in desk.topic.message_queue_list]
    situation.run(desk)
    changed = [
        text("proofs.changed", position=position, before=was, after=str(mq))
        for position, (mq, was) in enumerate(zip(desk.topic.message_queue_list, before, strict=True))
        if str(mq) != was
    ]
    said = ", ".join(changed) or text("proofs.unchanged")
    return text("proofs.list", release=desk.row.version, said=said)


def late_answer() -> Scenario:
    """Return a scenario in which a broker stores the message and answers too late.

    >>> first_send(late_answer()).stored
    2
    """
    brokers = (BrokerPlan("broker-a"), BrokerPlan("broker-b"))
    fault = BrokerFault("slow", "broker-b", latency=3500)
    settings = {"retry_times_when_send_failed": 1}
    return Scenario(start=3, brokers=brokers, faults=(fault,), producer=settings, load=Load())


ERRORS: Mapping[str, Scenario] = {
    "refuse": Scenario(
        start=3, faults=tuple(BrokerFault("refuse", name) for name in ("broker-a", "broker-b"))
    ),
    "hang": Scenario(start=3, faults=(BrokerFault("hang", "broker-b"),)),
    "no_route": Scenario(topic="NewTopic", brokers=(BrokerPlan("broker-a", 0, auto_create=False),)),
    "code": Scenario(start=3, faults=(BrokerFault("code", "broker-b", code=13),)),
}
"""What can go wrong with a send, by the name of the sentence that tells it."""


def codes(version: str) -> str:
    """Return which exception a send ends with, and which code it carries, trouble by trouble.

    Args:
        version: the client's release.

    >>> print(codes("4.9.7").splitlines()[0])
    connections are refused: MQClientException, code 10001
    """
    lines = []
    for name, scenario in ERRORS.items():
        send = first_send(scenario.but(release=version))
        lines.append(
            text("proofs.code", trouble=text(f"proofs.trouble.{name}"), outcome=send.outcome, code=send.code)
        )
    return "\n".join(lines)


def periods() -> str:
    """Return after how long what is noticed when a broker falls silent, in seconds.

    >>> periods()
    'the name server forgets it after 120 s and looks every 10 s; a client asks every 30 s: 160 s at most'
    """
    times = (BROKER_EXPIRED_TIME, SCAN_PERIOD, POLL_NAME_SERVER_INTERVAL)
    expired, scan, poll = (time // 1000 for time in times)
    return text("proofs.periods", expired=expired, scan=scan, poll=poll, total=expired + scan + poll)


def permissions(route: TopicRouteData) -> str:
    """Return the permission of each broker of a route.

    Args:
        route: the route.
    """
    return ", ".join(
        text("proofs.permission", broker=data.broker_name, perm=data.perm) for data in route.queue_datas
    )


def masters(route: TopicRouteData) -> str:
    """Return which brokers of a route have a master, and which addresses they have.

    Args:
        route: the route.
    """
    return "\n".join(
        text(
            "proofs.master" if has_master(route, data.broker_name) else "proofs.no_master",
            broker=data.broker_name,
            addresses=", ".join(
                f"{number}: {address}" for number, address in sorted(data.broker_addrs.items())
            ),
        )
        for data in route.broker_datas
    )


def batch_of(messages: int, version: str) -> str:
    """Return what a batch comes to, and in how many queues its messages lie.

    Args:
        messages: how many messages it has.
        version: the client's release.

    >>> batch_of(3, "4.9.7")
    'SEND_OK, attempts: 1; messages: 3, queues: 1'
    """
    try:
        run = simulate(Scenario(release=version, load=Load(batch=messages)))
    except RmqRefError as error:
        return str(error)
    used = [count for count in run.share.values() if count]
    return text("proofs.batch", said=told(run.sends[0]), messages=sum(used), queues=len(used))
