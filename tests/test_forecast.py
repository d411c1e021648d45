"""A forecast counts what making every send comes to: with leaps and without, and as the simulation has it."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rmqref.cluster import BrokerFault
from rmqref.errors import RmqRefError
from rmqref.forecast import KNOWN_FAULTS, Facts, ForecastError, forecast
from rmqref.index import AbsoluteIndex, MaskedIndex, RawSeedIndex
from rmqref.java import INT_MAX, INT_MIN
from rmqref.model import BrokerData, QueueData, TopicRouteData
from rmqref.releases import VERSIONS, release
from rmqref.scenario import BrokerPlan, Load, Scenario
from rmqref.simulation import simulate

NAMES = ("b1", "b2", "b3", "b4")
LATENCIES = st.sampled_from([0, 1, 5, 49, 50, 549, 550, 1000, 2999, 3000, 3001, 4000])


@st.composite
def facts(draw, *, threads=st.integers(1, 6), most=400):
    names = NAMES[: draw(st.integers(1, 4))]
    duration = draw(st.sampled_from([100, 2_000, 30_000, 200_000, 700_000]))
    rate = draw(st.integers(1, max(1, most * 1000 // duration)))
    times = st.one_of(st.just(0), st.integers(0, duration))

    def fault(name):
        at = draw(times)
        return BrokerFault(
            draw(st.sampled_from(KNOWN_FAULTS)),
            name,
            at=at,
            until=draw(st.one_of(st.none(), st.integers(at + 1, at + duration))),
            latency=draw(st.sampled_from([1, 49, 300, 549, 550, 700, 1800, 2999, 3000, 5000])),
            code=draw(st.sampled_from([1, 2, 14, 205, 500, 1500])),
        )

    return Facts(
        draw(st.sampled_from(VERSIONS)),
        tuple((name, draw(st.integers(1, 5))) for name in names),
        fault_switch=draw(st.booleans()),
        threads=draw(threads),
        rate=rate,
        duration=duration,
        faults=tuple(fault(draw(st.sampled_from(names))) for _ in range(draw(st.integers(0, 3)))),
        latency=draw(LATENCIES),
        timeout=draw(st.sampled_from([3000, 3000, 800, 5])),
        retries=draw(st.integers(0, 3)),
        start=draw(
            st.one_of(
                st.none(),
                st.integers(0, 50),
                st.integers(INT_MAX - 300, INT_MAX),
                st.integers(INT_MIN, INT_MIN + 50),
                st.integers(-30, -1),
            )
        ),
        seed=draw(st.integers(0, 5)),
    )


def counts(found):
    return [
        (phase.name, {**found.as_json()["phases"][n], "took": phase.took}, +phase.attempts, +phase.stored)
        for n, phase in enumerate(found.phases)
    ], found.ended


@settings(max_examples=400, deadline=None)
@given(facts())
def test_sends_that_are_counted_come_to_what_sends_that_are_made_come_to(known):
    assert counts(forecast(known)) == counts(forecast(known, leaps=False))


@settings(max_examples=150, deadline=None)
@given(facts(threads=st.just(1)), st.integers(1, 3))
def test_one_thread_is_the_simulation(known, every):
    known = known.but(rate=1000 // (1000 // known.rate) if False else known.rate)
    start = 7 if known.start is None else known.start
    pace = max(1000 // known.rate, 1)
    known = known.but(start=start, rate=1)
    # The simulation's pace is a whole number of milliseconds.
    scenario = Scenario(
        release=known.release,
        topic=known.topic,
        seed=known.seed,
        start=start,
        producer={
            "send_latency_fault_enable": known.fault_switch,
            "send_msg_timeout": known.timeout,
            "retry_times_when_send_failed": known.retries,
        },
        brokers=tuple(BrokerPlan(name, queues, known.latency) for name, queues in known.route),
        faults=known.faults,
        load=Load(sends=min(known.duration // pace, 300), every=pace),
    )
