"""How fast a pick is, side by side in one run with the official Python client.

On a shared machine only ratios of one run mean something. So each figure comes from pairs: a thousand picks of the
official client, then a thousand of ours, again and again; the median of the ratios is printed at the end.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import pytest

from rmqref.faults import FaultItem
from rmqref.releases import FAMILIES, release
from rmqref.selection import first_pick
from rmqref.situation import Situation
from rmqref.strategy import select_one_message_queue
from rmqref.trace import record, to_json

BROKERS = [("broker-a", 4), ("broker-b", 4), ("broker-c", 4)]
PICKS = 1000
PAIRS = 60


def official_client():
    """Return the pick of the official Python client, on the same twelve queues."""
    from rocketmq.grpc_protocol import definition_pb2
    from rocketmq.v5.client.balancer.queue_selector import QueueSelector
    from rocketmq.v5.model.topic_route import TopicRouteData

    queues = [
        definition_pb2.MessageQueue(
            id=queue_id,
            permission=definition_pb2.READ_WRITE,
            broker=definition_pb2.Broker(name=name, id=0),
        )
        for name, number in BROKERS
        for queue_id in range(number)
    ]
    return QueueSelector.producer_queue_selector(TopicRouteData(queues)).select_next_queue


def plain(family):
    return partial(first_pick, release(family).topic(BROKERS, start=0))


def switch_off(family):
    strategy = release(family).fault_strategy(clock=lambda: 1000)
    return partial(select_one_message_queue, strategy, release(family).topic(BROKERS, start=0))


def switch_on(family):
    strategy = release(family).fault_strategy(
        clock=lambda: 1000,
        send_latency_fault_enable=True,
        faults=[FaultItem(name, 20, 500) for name, _ in BROKERS],
    )
    return partial(select_one_message_queue, strategy, release(family).topic(BROKERS, start=0))


def seconds(select):
    begin = time.perf_counter()
    for _ in range(PICKS):
        select()
    return time.perf_counter() - begin


@pytest.fixture(scope="module")
def ratios():
    found: dict[tuple[Callable[..., object], str], float] = {}
    yield found
    print("\n\nmedian of", PAIRS, "pairs, in multiples of the official client's pick")
    for (how, family), ratio in found.items():
        print(f"  {how.__name__:<10}  {family:<6}  {ratio:.2f}")


@pytest.mark.benchmark(group="pick")
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("how", [plain, switch_off, switch_on], ids=lambda how: how.__name__)
def test_a_pick_in_multiples_of_the_official_client(benchmark, ratios, how, family):
    theirs, ours = official_client(), how(family)
    pairs = [(seconds(theirs), seconds(ours)) for _ in range(PAIRS)]
    ratio = statistics.median(own / other for other, own in pairs)
    benchmark.extra_info["ratio"] = ratios[how, family] = ratio
    benchmark.pedantic(seconds, args=(ours,), rounds=20)


@pytest.mark.benchmark(group="trace")
def test_record_a_retry_pick(benchmark):
    situation = Situation("4.9.4", last_broker_name="broker-a", start=11)
    benchmark(lambda: to_json(record(situation)))


@pytest.mark.benchmark(group="import", min_rounds=15)
@pytest.mark.parametrize("code", ["pass", "import rmqref", "import rmqref; rmqref.release('4.9.4')"])
def test_import(benchmark, code):
    benchmark(lambda: subprocess.run([sys.executable, "-c", code], check=True))
