"""A forecast counts what making every send comes to: with leaps and without, and as the simulation has it."""

from collections import Counter
from copy import deepcopy

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from rmqref.cluster import BrokerFault
from rmqref.errors import RmqRefError
from rmqref.forecast import KNOWN_FAULTS, Facts, forecast
from rmqref.java import INT_MAX, INT_MIN
from rmqref.model import BrokerData, QueueData, TopicRouteData
from rmqref.releases import VERSIONS
from rmqref.scenario import BrokerPlan, Load, Scenario
from rmqref.simulation import simulate

NAMES = ("b1", "b2", "b3", "b4")
LATENCIES = st.sampled_from([0, 1, 5, 49, 50, 549, 550, 1000, 2999, 3000, 3001, 4000])


@st.composite
def facts(draw, *, threads=6, most=400):
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
        threads=draw(st.integers(1, threads)),
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
        timer_delay=draw(st.integers(0, 2)),
    )


def counts(found):
    """Return all that a forecast counts."""
    phases = [(phase.took, +phase.attempts, +phase.stored) for phase in found.phases]
    return {key: value for key, value in found.as_json().items() if key != "made"}, phases


def as_scenario(known):
    return Scenario(
        release=known.release,
        topic=known.topic,
        seed=known.seed,
        start=known.start,
        producer={
            "send_latency_fault_enable": known.fault_switch,
            "send_msg_timeout": known.timeout,
            "retry_times_when_send_failed": known.retries,
        },
        brokers=tuple(BrokerPlan(name, queues, known.latency) for name, queues in known.route),
        faults=known.faults,
        load=Load(sends=known.sends, every=1000 // known.rate),
    )


# Nobody is available, everybody reachable: an answer leaves the brokers avoided (5.1.4 and later).
ALL_AVOIDED = Facts(
    "5.3.3",
    (("b1", 2), ("b2", 3), ("b3", 1)),
    fault_switch=True,
    timer_delay=0,
    threads=3,
    rate=20,
    duration=60_000,
    faults=(BrokerFault("hang", "b2", at=9_000),),
    start=0,
)


@settings(max_examples=300, deadline=None)
@given(facts())
@example(ALL_AVOIDED)
def test_sends_that_are_counted_come_to_what_sends_that_are_made_come_to(known):
    assert counts(forecast(known)) == counts(forecast(known, leaps=False))


@settings(max_examples=100, deadline=None)
@given(facts(threads=1, most=150), st.sampled_from([1, 2, 4, 5, 10, 100]), st.booleans())
@example(ALL_AVOIDED.but(threads=1), 10, True)
def test_one_thread_comes_to_what_the_simulation_comes_to(known, rate, leaps):
    # The simulation notices a timeout at once.
    known = known.but(rate=rate, duration=min(known.duration, 200_000 // rate), timer_delay=0)
    assume(known.sends > 0)
    if known.start is None:
        known = known.but(start=0)
    found, run = forecast(known, leaps=leaps), simulate(as_scenario(known))
    attempts = Counter((a.broker_name, a.queue_id) for a in run.attempts)
    assert sum((phase.attempts for phase in found.phases), Counter()) == attempts
    times = {send.number: (send.ended or 0) - send.at for send in run.sends}
    for phase in found.phases:
        end = phase.end if phase.end is not None else run.ended + 1
        sends = [send for send in run.sends if phase.start <= send.at < end]
        assert phase.sends == len(sends)
        assert phase.failed == sum(not send.is_ok for send in sends)
        assert phase.took == sum(times[send.number] for send in sends)
        assert phase.longest == max((times[send.number] for send in sends), default=0)
        assert phase.stored.total() == sum(send.stored for send in sends)
        assert phase.first_failed == sum(
            len(send.attempts) > 1 or (len(send.attempts) == 1 and not send.is_ok) for send in sends
        )
    assert found.ended == max(send.at + times[send.number] for send in run.sends)


THOUSAND = tuple((f"broker-{name}", 250) for name in "abcd")


@pytest.mark.parametrize("fault_switch", [False, True])
@pytest.mark.parametrize("does", KNOWN_FAULTS)
@pytest.mark.parametrize("version", ["4.2.0", "4.7.1", "4.9.7", "5.1.3", "5.3.3"])
def test_few_of_a_million_sends_are_made(version, does, fault_switch):
    fault = BrokerFault(does, "broker-b", at=300_000, until=600_000, latency=1800)
    known = Facts(
        version,
        THOUSAND,
        fault_switch=fault_switch,
        threads=16,
        rate=1000,
        duration=1_000_000,
        faults=(fault,),
    )
    found = forecast(known)
    assert sum(phase.sends for phase in found.phases) == 1_000_000
    assert found.made < 10_000


def test_what_the_route_says_of_a_broker_holds():
    route = TopicRouteData(
        broker_datas=[
            BrokerData("broker-a", {0: "192.0.2.1:10911"}),
            BrokerData("broker-b", {0: "192.0.2.2:10911"}),
            BrokerData("broker-c", {1: "192.0.2.3:10911"}),
        ],
        queue_datas=[
            QueueData("broker-a", 2, 2, 6),
            QueueData("broker-b", 2, 2, 4),
            QueueData("broker-c", 2, 2, 6),
        ],
    )
    found = forecast(Facts(route=route, rate=10, duration=1000))
    assert found.brokers == ["broker-a"]
    assert found.phases[0].by_broker(found.phases[0].stored) == {"broker-a": 10}
    # An order configuration lists all three: a read-only broker answers NO_PERMISSION, one without a master does not exist.
    route.order_topic_conf = "broker-a:1;broker-b:1;broker-c:1"
    for leaps in (False, True):
        found = forecast(
            Facts(route=route, rate=30, duration=1000, retries=0, start=2, latency=7), leaps=leaps
        )
        phase = found.phases[0]
        assert phase.by_broker(phase.attempts) == {"broker-a": 10, "broker-b": 10, "broker-c": 10}
        assert (phase.failed, phase.took, phase.stored) == (20, 20 * 7, {("broker-a", 0): 10})


def test_a_route_is_not_changed_by_a_forecast():
    route = TopicRouteData(
        broker_datas=[BrokerData("b", {0: "192.0.2.1:10911"}), BrokerData("a", {0: "192.0.2.2:10911"})],
        queue_datas=[QueueData("b", 1, 1, 6), QueueData("a", 1, 1, 6)],
    )
    before = deepcopy(route)
    forecast(Facts(route=route, duration=100))
    assert route == before


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"threads": 0}, "The forecast's threads is 0: give 1 to 1000."),
        ({"retries": -1}, "The forecast's retries is -1: give 0 to 16."),
        (
            {"rate": 10_000_000, "duration": 86_400_000},
            "864000000000 sends, and at most 10000000 are counted",
        ),
        ({"route": ()}, 'The route of "OrderTopic" gives this release no queue to send to'),
        ({"route": (("__syslo__global__", 4),)}, '"OrderTopic" is a static topic'),
        (
            {"faults": (BrokerFault("stop", "broker-a"),)},
            'A forecast knows no fault "stop": give one of refuse,',
        ),
        (
            {"faults": (BrokerFault("hang", "broker-x"),)},
            "no broker 'broker-x': it has broker-a, broker-b, broker-c.",
        ),
        ({"faults": (BrokerFault("slow", "broker-a", latency=(1, 2)),)}, "have a range of latencies"),
        ({"fault_switch": "on"}, "fault_switch"),
        ({"threads": True}, "threads"),
        ({"start": 1 << 31}, "2147483648"),
        ({"speed": 3}, 'There is no fact "speed": a forecast knows release, route,'),
        ({"release": "4.9.99"}, "4.9.99"),
    ],
)
def test_facts_that_cannot_be_are_refused_in_one_sentence(change, sentence):
    with pytest.raises(RmqRefError) as caught:
        Facts().but(**change)
    assert sentence in str(caught.value)


def test_progress_ends_at_the_number_of_sends():
    heard = []
    forecast(Facts(rate=1000, duration=50_000), lambda done, of: heard.append((done, of)))
    assert heard == sorted(heard)
    assert heard[-1] == (50_000, 50_000)
