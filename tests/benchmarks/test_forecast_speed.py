"""How fast a forecast is: a million sends over a thousand queues, while one broker of ten is in trouble, or all are.

The figure is also given in multiples of the official Python client's pick in the same run.
"""

from __future__ import annotations

import statistics

import pytest

from rmqref.cluster import BrokerFault
from rmqref.forecast import Facts, forecast
from tests.benchmarks.test_speed import PICKS, official_client, seconds

BROKERS = tuple((f"broker-{number}", 100) for number in range(10))
HANG = (BrokerFault("hang", "broker-1", 20_000, 60_000),)
SLOW = (BrokerFault("slow", "broker-1", 20_000, 60_000, latency=800),)


@pytest.mark.parametrize("release", ["4.2.0", "4.9.7", "5.3.3"])
@pytest.mark.parametrize("fault_switch", [False, True], ids=["off", "on"])
@pytest.mark.parametrize("faults", [HANG, SLOW], ids=["hang", "slow"])
def test_a_million_sends(benchmark, release, fault_switch, faults):
    facts = Facts(release, BROKERS, fault_switch, threads=16, rate=10_000, duration=100_000, faults=faults)
    select = official_client()
    picks = [seconds(select) for _ in range(10)]
    found = benchmark.pedantic(forecast, (facts,), rounds=3, iterations=1)
    picks += [seconds(select) for _ in range(10)]
    assert facts.sends == 1_000_000
    assert sum(phase.sends for phase in found.phases) == facts.sends
    all_of_it = benchmark.stats.stats.median * PICKS / statistics.median(picks)
    print(f"\n  {release}: as long as {all_of_it:,.0f} official picks; {found.made:,} sends had to be made")


def test_where_every_send_changes_the_fault_table():
    faults = tuple(BrokerFault("refuse", name, 1000, 3000) for name, _ in BROKERS)
    facts = Facts("4.9.7", BROKERS, fault_switch=True, threads=16, rate=10_000, duration=5000, faults=faults)
    found = forecast(facts)
    assert found.made > 10_000
    print(f"\n  all brokers refuse: {found.made:,} of {facts.sends:,} sends had to be made")
