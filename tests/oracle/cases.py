"""Fresh cases of every kind, in the form of the recorded ones; the same for the same seed.

Numbers lie where releases differ: near the ends of an int, near the thresholds of the latency table, and on brokers that
are avoided, gone or alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

Json = Any
INT_MAX, INT_MIN = 2**31 - 1, -(2**31)
NOW = 1_700_000_000_000
BROKERS = ("broker-a", "broker-b", "broker-c", "broker-10", "broker-2", "Broker", "b")
LATENCIES = (
    0,
    1,
    49,
    50,
    99,
    100,
    549,
    550,
    999,
    1000,
    1799,
    1800,
    1999,
    2000,
    2999,
    3000,
    4999,
    5000,
    15000,
    99999,
)
THROWN = (
    "RemotingConnectException",
    "RemotingTimeoutException",
    "RemotingTooMuchRequestException",
    "RemotingSendRequestException",
    "MQClientException",
    "InterruptedException",
)
STATUSES = ("SEND_OK", "FLUSH_DISK_TIMEOUT", "FLUSH_SLAVE_TIMEOUT", "SLAVE_NOT_AVAILABLE")
CODES = (1, 2, 10, 11, 12, 13, 14, 16, 17, 204, 205, 500, 1500)


def start(chance: random.Random) -> int | None:
    """Return a raw counter, or None for one that is not there yet."""
    return chance.choice(
        (
            None,
            chance.randint(0, 50),
            chance.randint(INT_MAX - 20, INT_MAX),
            chance.randint(INT_MIN, INT_MIN + 20),
            chance.randint(-20, -1),
            chance.randint(INT_MIN, INT_MAX),
        )
    )


def drawn(chance: random.Random) -> list[int]:
    """Return what the client's random draws give: seeds may be negative, resets may not; so all are positive."""
    return [chance.choice((0, 1, INT_MAX, chance.randint(0, INT_MAX))) for _ in range(24)]


def names(chance: random.Random, least: int = 1) -> list[str]:
    """Return some brokers."""
    return chance.sample(BROKERS, chance.randint(least, 4))


def queues(chance: random.Random, brokers: list[str]) -> list[list[Json]]:
    """Return a publish list: blocks of brokers."""
    return [[name, number] for name in brokers for number in range(chance.randint(1, 5))]


def faults(chance: random.Random, brokers: list[str], most_reachable: int = 99) -> list[Json]:
    """Return a fault table of which no two rows rank the same; latencies and times are all different."""
    known = [name for name in dict.fromkeys([*brokers, "broker-gone"]) if chance.random() < 0.6]
    latencies = chance.sample(range(1, 5000), len(known))
    times = chance.sample(range(-3000, 3000), len(known))
    rows, reachable = [], 0
    for name, latency, time in zip(known, latencies, times, strict=True):
        is_reachable = chance.random() < 0.6 and reachable < most_reachable
        reachable += is_reachable
        rows.append(
            {"name": name, "latency": latency, "available_from": NOW + time, "reachable": is_reachable}
        )
    return rows


def plain_route(chance: random.Random, brokers: list[str]) -> Json:
    """Return what the fallback reads of a route, or None."""
    if chance.random() < 0.1:
        return None
    listed = [name for name in brokers if chance.random() < 0.9]
    return {
        "queue_datas": [
            {"broker": name, "write": chance.randint(0, 5), "perm": chance.choice((6, 6, 6, 4, 2, 0, 7))}
            for name in listed
        ]
    }


def index(chance: random.Random) -> Json:
    """Steps of the counter, and resets."""
    ops = "".join(
        chance.choice("nnnr") if chance.random() < 0.5 else "n" for _ in range(chance.randint(1, 12))
    )
    return {"start": start(chance), "random": drawn(chance), "ops": ops}


def first_pick(chance: random.Random) -> Json:
    """First picks."""
    listed = queues(chance, names(chance))
    return {"queues": listed, "start": start(chance), "random": drawn(chance), "calls": chance.randint(1, 12)}


def retry_pick(chance: random.Random) -> Json:
    """Retry picks."""
    brokers = names(chance)
    last = chance.choice((None, *brokers, "broker-gone"))
    return {
        "queues": queues(chance, brokers),
        "start": start(chance),
        "random": drawn(chance),
        "last": last,
        "calls": chance.randint(1, 8),
        "chain": chance.random() < 0.5,
    }


def duration(chance: random.Random) -> Json:
    """Latencies on the way to the table."""
    given: Json = {"latency": chance.choice(LATENCIES), "isolation": chance.random() < 0.5}
    if chance.random() < 0.2:
        given["enabled"] = chance.random() < 0.5
    if chance.random() < 0.2:
        size = chance.randint(1, 4)
        given["latency_max"] = sorted(chance.sample(range(1, 20000), size))
        given["not_available_duration"] = [
            chance.randint(0, 90000) for _ in range(chance.choice((size, size, 1)))
        ]
    return given


def fault_table(chance: random.Random) -> Json:
    """Updates and queries on a table."""
    now, ops = NOW, []
    for _ in range(chance.randint(1, 14)):
        now += chance.choice((-5000, 0, 1, 1999, 2000, 30000, 600000))
        name = chance.choice(("a", "b", "c"))
        kind = chance.choice(
            ("update", "strategy_update", "strategy_update", "available", "available", "remove")
        )
        op: Json = {"op": kind, "at": now, "name": name}
        if kind == "update":
            op |= {
                "latency": chance.choice(LATENCIES),
                "duration": chance.choice((0, 1, 2000, 30000, 600000)),
            }
        if kind == "strategy_update":
            op |= {"latency": chance.choice(LATENCIES), "isolation": chance.random() < 0.4}
        if kind.endswith("update"):
            op["reachable"] = chance.random() < 0.7
        ops.append(op)
    return {"ops": ops}


def detector(chance: random.Random) -> Json:
    """Rounds of the detector."""
    now, ops = NOW, []
    for _ in range(chance.randint(3, 14)):
        now += chance.choice((0, 500, 1999, 2000, 2001))
        name = chance.choice(("a", "b", "c"))
        kind = chance.choice(("strategy_update", "detect", "detect", "reachable", "set_up"))
        op: Json = {"op": kind, "at": now}
        if kind == "strategy_update":
            op |= {"name": name, "latency": 5, "isolation": True, "reachable": chance.random() < 0.3}
        if kind == "reachable":
            op["name"] = name
        if kind == "set_up":
            op["addresses"] = chance.sample(["10.0.0.1:1", "10.0.0.2:1"], chance.randint(0, 2))
        ops.append(op)
    addresses = {"a": "10.0.0.1:1", "b": "10.0.0.2:1", "c": chance.choice((None, "10.0.0.3:1"))}
    return {"ops": ops, "addresses": addresses, "no_detector": chance.random() < 0.1}


def fault_pick(chance: random.Random) -> Json:
    """Picks of the strategy."""
    brokers = names(chance)
    return {
        "queues": queues(chance, brokers),
        "start": start(chance),
        "random": drawn(chance),
        "enabled": chance.random() < 0.9,
        "faults": faults(chance, brokers),
        "now": NOW,
        "last": chance.choice((None, *brokers)),
        "calls": chance.randint(1, 6),
        "chain": chance.random() < 0.5,
        "reset_index": chance.random() < 0.3,
        "worst_start": chance.choice((0, 1, 5, INT_MAX - 2, INT_MAX)),
        "route": plain_route(chance, brokers),
    }


def pick_one_at_least(chance: random.Random) -> Json:
    """Choices among the better half."""
    return {
        "faults": faults(chance, names(chance), most_reachable=1),
        "now": NOW,
        "worst_start": chance.choice((0, 1, 5, INT_MAX - 2, INT_MAX)),
        "calls": chance.randint(1, 8),
    }


def route(chance: random.Random) -> Json:
    """Routes to expand."""
    brokers = names(chance)
    data: Json = {
        "queue_datas": [
            {
                "broker": name,
                "write": chance.randint(0, 4),
                "read": chance.randint(0, 4),
                "perm": chance.choice((0, 2, 4, 6, 6, 6, 7)),
            }
            for name in brokers
            if chance.random() < 0.95
        ],
        "broker_datas": [
            {
                "broker": name,
                "addrs": {number: f"{name}:{number}" for number in "01" if chance.random() < 0.85},
            }
            for name in chance.sample(brokers, len(brokers))
            if chance.random() < 0.95
        ],
    }
    if chance.random() < 0.3:
        parts = [f"{name}:{chance.randint(0, 3)}" for name in names(chance)]
        if chance.random() < 0.2:
            parts.append(chance.choice(("broker-a", "broker-a:x", "")))
        data["order_topic_conf"] = ";".join(parts)
    return {"route": data}


def selectors(chance: random.Random) -> Json:
    """Queue selectors."""
    kind = chance.choice(("hash", "hash", "hash", "random", "machine_room"))
    given: Json = {"selector": kind, "queues": queues(chance, names(chance)), "arg": None}
    if kind == "random":
        return given | {"java_random_seed": chance.randint(-(2**40), 2**40), "calls": chance.randint(1, 20)}
    if kind == "hash":
        text = "".join(chance.choice("abcXYZ019-_漢é😀") for _ in range(chance.randint(0, 12)))
        given["arg"] = chance.choice(
            (
                {"type": "str", "value": text},
                {
                    "type": "int",
                    "value": chance.choice((INT_MIN, INT_MAX, 0, chance.randint(INT_MIN, INT_MAX))),
                },
                {"type": "long", "value": str(chance.randint(-(2**63), 2**63 - 1))},
                {"type": "bool", "value": chance.random() < 0.5},
                {"type": "double", "value": chance.choice((0.0, 0.5, -1.25, 1e300, chance.random()))},
            )
        )
    return given


def send_loop(chance: random.Random) -> Json:
    """Sends whose attempts a script answers."""
    brokers = names(chance)

    # No two attempts take as long: two brokers would rank the same, and up to 4.9.3 Java shuffles those.
    costs = iter(chance.sample((1, 5, 49, 600, 1500, 2999, 3000, 3001), 8))

    def answer() -> Json:
        cost = next(costs)
        if chance.random() < 0.45:
            return {"cost": cost, "result": chance.choice(STATUSES)}
        if chance.random() < 0.3:
            return {"cost": cost, "throw": "MQBrokerException", "code": chance.choice(CODES)}
        return {"cost": cost, "throw": chance.choice(THROWN)}

    return {
        "queues": queues(chance, brokers),
        "route": plain_route(chance, brokers) or {"queue_datas": []},
        "start": start(chance),
        "random": drawn(chance),
        "script": [answer() for _ in range(8)],
        "mode": chance.choice(("SYNC", "SYNC", "SYNC", "ONEWAY", "ASYNC")),
        "timeout": chance.choice((3000, 3000, 1000, 6000)),
        "retry_times": chance.randint(0, 4),
        "retry_another": chance.random() < 0.4,
        "faults": faults(chance, brokers),
        "fault_enabled": chance.random() < 0.5,
        "detector_enabled": chance.random() < 0.3,
        "now": NOW,
        "worst_start": chance.choice((0, 1, 5)),
    }


KINDS: dict[str, Callable[[random.Random], Json]] = {
    make.__name__: make
    for make in (
        index,
        first_pick,
        retry_pick,
        duration,
        fault_table,
        detector,
        fault_pick,
        pick_one_at_least,
        route,
        selectors,
        send_loop,
    )
}


def fresh_cases(seed: int, each: int) -> Iterator[tuple[str, Json]]:
    """Yield so many fresh cases of each kind.

    Args:
        seed: the same seed gives the same cases.
        each: how many of each kind.
    """
    for kind, make in KINDS.items():
        chance = random.Random(f"{seed} {kind}")
        for number in range(each):
            yield kind, {"id": f"seed-{seed}-{number:04}", "input": make(chance)}
