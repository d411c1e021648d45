"""How fast the simulation is: a hundred thousand sends through four brokers, of which two get into trouble.

Seconds of a shared machine mean little, so the figure is also given in multiples of the official Python client's pick
in the same run: it is measured right before and right after.
"""

from __future__ import annotations

import statistics
import time
import tracemalloc
from dataclasses import replace

import pytest

from rmqref.scenario import sample_scenario
from rmqref.simulation import simulate
from tests.benchmarks.test_speed import PICKS, official_client, seconds

SCENARIO = sample_scenario("four_brokers")


@pytest.mark.parametrize("release", ["4.2.0", "4.9.7", "5.3.3"])
def test_a_hundred_thousand_sends(benchmark, release):
    scenario = SCENARIO.but(release=release)
    select = official_client()
    picks = [seconds(select) for _ in range(20)]
    run = benchmark.pedantic(simulate, (scenario,), rounds=3, iterations=1)
    picks += [seconds(select) for _ in range(20)]
    assert len(run.sends) == scenario.load.sends == 100_000
    assert sum(run.share.values()) == sum(send.stored for send in run.sends)
    a_send = benchmark.stats.stats.median / scenario.load.sends
    print(
        f"\n  {release}: a send takes as long as {a_send * PICKS / statistics.median(picks):.0f} official picks"
    )


def test_memory_grows_with_the_sends_alone():
    def peak(sends: int) -> int:
        scenario = SCENARIO.but(load=replace(SCENARIO.load, sends=sends))
        tracemalloc.start()
        simulate(scenario)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    few, many = peak(2000), peak(8000)
    print(f"\n  {(many - few) / 6000:.0f} bytes a send")
    assert many < 5 * few


def test_a_simulation_starts_at_once():
    begin = time.perf_counter()
    simulate(SCENARIO.but(load=replace(SCENARIO.load, sends=1)))
    print(f"\n  one send, with its cluster: {1000 * (time.perf_counter() - begin):.1f} ms")
