"""How fast a pick is, side by side in one run with the official Python client.

Ratios of one run are what counts: `make bench` prints them at its end. Nothing here is part of the test run.
"""

from __future__ import annotations

import subprocess
import sys
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

pytestmark = pytest.mark.benchmark(group="pick", min_rounds=30)


def picks(select):
    """Return a function that picks a thousand times, so that the clock's own cost does not show."""

    def run():
        for _ in range(PICKS):
            select()

    return run


def test_official_python_client(benchmark):
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
    selector = QueueSelector.producer_queue_selector(TopicRouteData(queues))
    benchmark(picks(selector.select_next_queue))


@pytest.mark.parametrize("family", FAMILIES)
def test_first_pick(benchmark, family):
    topic = release(family).topic(BROKERS, start=0)
    benchmark(picks(partial(first_pick, topic)))


@pytest.mark.parametrize("family", FAMILIES)
def test_strategy_with_the_switch_off(benchmark, family):
    topic = release(family).topic(BROKERS, start=0)
    strategy = release(family).fault_strategy(clock=lambda: 1000)
    benchmark(picks(partial(select_one_message_queue, strategy, topic)))


@pytest.mark.parametrize("family", FAMILIES)
def test_strategy_with_the_switch_on_and_a_filled_table(benchmark, family):
    topic = release(family).topic(BROKERS, start=0)
    strategy = release(family).fault_strategy(
        clock=lambda: 1000,
        send_latency_fault_enable=True,
        faults=[FaultItem(name, 20, 500) for name, _ in BROKERS],
    )
    benchmark(picks(partial(select_one_message_queue, strategy, topic)))


@pytest.mark.benchmark(group="trace", min_rounds=20)
def test_record_a_retry_pick(benchmark):
    situation = Situation("4.9.4", last_broker_name="broker-a", start=11)
    benchmark(lambda: to_json(record(situation)))


@pytest.mark.benchmark(group="import", min_rounds=15)
@pytest.mark.parametrize("code", ["pass", "import rmqref", "import rmqref; rmqref.release('4.9.4')"])
def test_import(benchmark, code):
    benchmark(lambda: subprocess.run([sys.executable, "-c", code], check=True))
