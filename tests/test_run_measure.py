"""What runs show, against values worked out by hand and against the fault table itself."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmqref import run_measure as m
from rmqref.cluster import BrokerFault
from rmqref.measure import MeasureError
from rmqref.releases import FAMILIES
from rmqref.run_measure import Mark, attempt_times, fault_lanes, stored_share, thinned
from rmqref.scenario import BrokerPlan, Load, Scenario
from rmqref.simulation import Simulation, simulate

ONE = Scenario(start=1)
ON = {"send_latency_fault_enable": True}


def hang(broker="broker-a", **more):
    return BrokerFault("hang", broker, **more)


def refuse(broker="broker-a", **more):
    return BrokerFault("refuse", broker, **more)


# --------------------------------------------------------------------------------------------------- attempts


@pytest.mark.parametrize(
    ("release", "mode", "budget"),
    [
        ("4.2.0", "SYNC", "anew"),
        ("4.3.0", "SYNC", "shared"),
        ("5.3.3", "SYNC", "shared"),
        ("4.2.0", "ASYNC", "first"),
        ("4.6.1", "ASYNC", "first"),
        ("4.7.0", "ASYNC", "shared"),
        ("4.9.7", "ONEWAY", "unused"),
    ],
)
def test_who_gets_the_timeout(release, mode, budget):
    run = simulate(ONE.but(release=release, load=Load(mode=mode)))
    assert attempt_times(run).budget == budget


def test_a_shared_budget_runs_out():
    times = attempt_times(simulate(ONE.but(faults=(hang(),))))
    assert [(a.number, a.broker_name, a.queue_id, a.start, a.end, a.given) for a in times.attempts] == [
        (1, "broker-a", 2, 0, 3000, 3000),
        (2, "broker-b", 0, 3000, 3000, 0),
        (3, "broker-a", 0, 3000, 3000, 0),
    ]
    assert (times.timeout, times.end, times.outcome, times.code) == (3000, 3000, "MQClientException", 10002)
    assert times.error.startswith("Send [3] times, still failed")
    assert "\n" not in times.error
    assert (times.starved, times.hidden_cause, times.stored_at, times.stored) == (2, None, None, 1)


def test_the_times_of_a_later_send_count_from_its_own_begin():
    times = attempt_times(simulate(ONE.but(faults=(refuse(),), load=Load(sends=3, every=1000))), 3)
    # The picks are a:2, then b:0 for the retry, b:1, b:2.
    (attempt,) = times.attempts
    assert (times.send, attempt.queue_id, attempt.start, attempt.end, times.end) == (3, 2, 0, 5, 5)
    assert times.stored_at == ("broker-b", 2)


def test_a_call_timeout_hides_the_cause():
    times = attempt_times(simulate(ONE.but(faults=(hang(), refuse("broker-b")))))
    assert [a.outcome for a in times.attempts] == ["RemotingTimeoutException", "RemotingConnectException"]
    assert (times.outcome, times.error) == (
        "RemotingTooMuchRequestException",
        "sendDefaultImpl call timeout",
    )
    assert times.hidden_cause is times.attempts[1]
    assert (times.end, times.starved) == (3001, 2)


def test_no_time_is_left_for_an_attempt_that_is_never_made():
    # The refusal takes 1 ms, which is more than all the time that there is.
    times = attempt_times(simulate(ONE.but(faults=(refuse(),), producer={"send_msg_timeout": 0})))
    assert len(times.attempts) == 1
    assert times.starved == 2
    assert times.hidden_cause is times.attempts[0]


def test_a_send_without_a_route_has_no_attempt():
    run = simulate(
        Scenario(
            brokers=(BrokerPlan("broker-a", queues=0, auto_create=False),),
            producer={"create_topic_key": "none"},
        )
    )
    times = attempt_times(run)
    assert (times.attempts, times.starved, times.hidden_cause) == ((), None, None)
    assert times.came_to == m.FAILED


def test_a_send_that_is_not_over_has_no_end():
    simulation = Simulation(ONE.but(load=Load(mode="ASYNC"), faults=(hang(),), release="4.2.0"))
    simulation.send()
    times = attempt_times(simulation.run)
    assert (times.came_to, times.end) == (m.WAITING, None)
    assert [(a.came_to, a.end, a.took) for a in times.attempts] == [(m.WAITING, None, None)]


def test_a_oneway_send_is_sent():
    times = attempt_times(simulate(ONE.but(load=Load(mode="ONEWAY"), faults=(hang(),))))
    assert (times.came_to, times.outcome, times.stored) == (m.STORED, "sent", 0)
    assert times.stored_at is None


@pytest.mark.parametrize("send", [0, -1, 3])
def test_only_a_send_that_there_is_has_attempts(send):
    run = simulate(ONE.but(load=Load(sends=2)))
    with pytest.raises(MeasureError, match=f"no send {send}: give a number from 1 to 2"):
        attempt_times(run, send)
    with pytest.raises(MeasureError, match="no send to draw"):
        attempt_times(simulate(ONE.but(load=Load(sends=0))), send)


# ------------------------------------------------------------------------------------------------------ shares


def test_the_share_counts_what_is_stored_and_what_failed_at_first():
    producer = {"retry_another_broker_when_not_store_ok": True}
    status = BrokerFault("status", "broker-a")
    run = simulate(Scenario(start=-1, producer=producer, faults=(status,), load=Load(sends=5)))
    # a:0 is stored, but not well, so that b:0 is tried; then b:1, b:2, b:3, and a:0 and b:0 again.
    held = stored_share(run)
    assert held.share == Counter(
        {("broker-a", 0): 2, ("broker-b", 0): 2, **{("broker-b", n): 1 for n in (1, 2, 3)}}
        | {("broker-a", n): 0 for n in (1, 2, 3)}
    )
    assert list(held.share) == [(name, n) for name in ("broker-a", "broker-b") for n in range(4)]
    assert (held.first, held.first_failed, held.duplicates) == (5, 0, 2)


def test_the_share_of_a_run_that_stored_nothing_is_empty():
    held = stored_share(
        simulate(Scenario(start=-1, faults=(refuse(), refuse("broker-b")), load=Load(sends=2)))
    )
    assert (held.share.total(), len(held.share)) == (0, 8)
    assert (held.first, held.first_failed, held.duplicates) == (2, 2, 0)


def test_without_a_queue_there_is_no_share():
    run = simulate(Scenario(brokers=(BrokerPlan("broker-a", queues=0),), load=Load(sends=0)))
    with pytest.raises(MeasureError, match="holds a queue of the topic"):
        stored_share(run)


# ------------------------------------------------------------------------------------------------- fault lanes


def spans(run, broker):
    (lane,) = [lane for lane in fault_lanes(run).lanes if lane.broker_name == broker]
    return [(s.start, s.end, s.available, s.reachable) for s in lane.spans]


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        # The refusal is known at 1 ms and counts as 30 s or 10 s: 600 s or 10 s.
        ("4.9.7", [(0, 1, True, True), (1, 20_005, False, True)]),
        ("5.3.3", [(0, 1, True, True), (1, 10_001, False, False), (10_001, 20_005, True, False)]),
        ("5.1.4", [(0, 1, True, True), (1, 20_005, False, False)]),
    ],
)
def test_spans_follow_the_releases_own_rule(release, expected):
    load = Load(sends=2, every=20_000)
    producer = {**ON, "start_detector_enable": release != "4.9.7"} if release != "4.9.7" else ON
    # The retry goes to b:0 and the second send to b:1, so that nothing more is learnt of broker-a.
    run = simulate(Scenario("", release, start=-1, producer=producer, faults=(refuse(),), load=load))
    if release != "4.9.7":
        # What a reset of the counter leaves to chance is not what this is about.
        assert {a.broker_name for a in run.attempts[1:]} == {"broker-b"}
    assert spans(run, "broker-a") == expected
    assert spans(run, "broker-b") == [(0, 20_005, True, True)]


def test_a_probe_that_is_answered_makes_reachable_again():
    load = Load(sends=2, every=20_000)
    producer = {**ON, "start_detector_enable": True}
    faults = (refuse(until=4000),)
    run = simulate(Scenario("", "5.3.3", start=-1, producer=producer, faults=faults, load=load))
    # The detector looks every 3 s: in vain at 3 s, with success at 6 s; the time avoided stays.
    assert spans(run, "broker-a")[:4] == [
        (0, 1, True, True),
        (1, 6000, False, False),
        (6000, 10_001, False, True),
        (10_001, 20_005, True, True),
    ]


def test_with_the_switch_off_all_are_available():
    lanes = fault_lanes(simulate(ONE.but(faults=(hang(),))))
    assert not lanes.fault_switch
    assert [lane.avoided_for for lane in lanes.lanes] == [0, 0]


def test_how_long_and_until_when():
    run = simulate(Scenario(start=-1, producer=ON, faults=(refuse(),), load=Load(sends=2, every=1000)))
    lane = fault_lanes(run).lanes[0]
    assert lane.avoided_for == 1005 - 1
    assert lane.avoided_until == 600_001
    assert fault_lanes(run).lanes[1].avoided_until is None


def test_what_is_really_wrong_is_what_began_last():
    slow = BrokerFault("slow", "broker-a", at=100, until=400, latency=50)
    faults = (
        refuse(at=200, until=300),
        slow,
        hang(at=600),
        BrokerFault("name_server_down", at=100, until=200),
    )
    lanes = fault_lanes(simulate(Scenario(start=-1, faults=faults, load=Load(sends=2, every=500)))).lanes
    # The second send is on a:1 at 500 ms and takes 5.
    assert [(t.start, t.end, t.fault.does) for t in lanes[0].troubles] == [
        (100, 200, "slow"),
        (200, 300, "refuse"),
        (300, 400, "slow"),
    ]
    assert lanes[1].troubles == ()
    assert lanes[2].broker_name == m.NAME_SERVER
    assert [(t.start, t.end) for t in lanes[2].troubles] == [(100, 200)]
    assert (lanes[2].spans, lanes[2].marks) == ((), ())


def test_a_fault_without_an_end_lasts_to_the_end():
    lanes = fault_lanes(simulate(ONE.but(faults=(hang(),)))).lanes
    assert [(t.start, t.end) for t in lanes[0].troubles] == [(0, 3005)]
    assert fault_lanes(simulate(ONE.but(faults=(hang(at=5000),)))).lanes[0].troubles == ()


def test_a_run_of_no_time_has_no_spans():
    for load in (Load(sends=0), Load(mode="ONEWAY")):
        lanes = fault_lanes(simulate(ONE.but(load=load, brokers=(BrokerPlan("only", latency=0),))))
        assert lanes.end == 0
        assert lanes.lanes[0].spans == ()
        assert len(lanes.lanes[0].marks) == load.sends


def test_a_run_that_is_not_over_ends_where_it_stands():
    simulation = Simulation(ONE.but(load=Load(sends=9, every=100)))
    for _ in range(3):
        simulation.send()
    assert fault_lanes(simulation.run).end == 205


@settings(max_examples=40, deadline=None)
@given(
    release=st.sampled_from(list(FAMILIES)),
    every=st.sampled_from([0, 7, 150, 900]),
    mode=st.sampled_from(["SYNC", "ASYNC", "ONEWAY"]),
    faults=st.lists(
        st.builds(
            lambda does, broker, at, lasts, latency: BrokerFault(
                does, broker, at=at, until=at + lasts, latency=latency
            ),
            st.sampled_from(["refuse", "hang", "slow", "code", "status"]),
            st.sampled_from(["b0", "b1", "b2"]),
            st.integers(0, 9000),
            st.integers(1, 9000),
            st.sampled_from([60, 700, 3500]),
        ),
        max_size=4,
    ),
    detector=st.booleans(),
)
def test_a_lane_has_no_gap_no_overlap_and_ends_as_the_table_stands(release, every, mode, faults, detector):
    producer = ON | ({"start_detector_enable": True} if detector and release in ("5.1.4", "5.3.3") else {})
    brokers = tuple(BrokerPlan(f"b{n}", queues=2) for n in range(3))
    load = Load(sends=25, every=every, mode=mode)
    run = simulate(
        Scenario("", release, start=-1, producer=producer, brokers=brokers, faults=tuple(faults), load=load)
    )
    lanes = fault_lanes(run)
    table = run.producer.mq_fault_strategy.latency_fault_tolerance
    now = run.cluster.clock.now - run.cluster.began
    for lane in lanes.lanes:
        if lanes.end:
            assert lane.spans[0].start == 0
            assert lane.spans[-1].end == lanes.end == now
        for before, after in zip(lane.spans, lane.spans[1:], strict=False):
            assert before.start < before.end == after.start
            assert (before.available, before.reachable) != (after.available, after.reachable)
        for first, second in zip(lane.troubles, lane.troubles[1:], strict=False):
            assert first.start < first.end <= second.start
        item = table.fault_item_table.get(lane.broker_name)
        if item is None:
            continue
        until = item.start_timestamp - run.cluster.began
        assert lane.avoided_until == (until if until > now else None)
        if now not in {*(update.at for update in run.updates), *(at for at, _, _ in run.probes)}:
            before_the_end = run.cluster.clock.now - 1
            assert lane.spans[-1].reachable == item.reachable
            assert lane.spans[-1].available == table.is_available_item(item, before_the_end)
    assert sum(len(lane.marks) for lane in lanes.lanes) == len(run.attempts)


@given(
    st.lists(st.tuples(st.integers(0, 1000), st.sampled_from(m.OUTCOMES)), max_size=60),
    st.integers(1, 40),
)
def test_thinning_loses_no_attempt(given_marks, bins):
    marks = [Mark(at, came_to) for at, came_to in given_marks]
    thin = thinned(marks, 1000, bins)
    for came_to in m.OUTCOMES:
        assert sum(k.count for k in thin if k.came_to == came_to) == sum(k.came_to == came_to for k in marks)
    assert len({(k.at, k.came_to) for k in thin}) == len(thin) <= 3 * bins
    assert [k.at for k in thin] == sorted(k.at for k in thin)


def test_thinning_puts_marks_in_the_middle_of_their_part():
    marks = [Mark(0, "stored"), Mark(24, "stored", 3), Mark(25, "failed"), Mark(100, "waiting")]
    assert thinned(marks, 100, 4) == (
        Mark(12.5, "stored", 4),
        Mark(37.5, "failed", 1),
        Mark(87.5, "waiting", 1),
    )
    assert thinned([Mark(0, "stored")], 0, 4) == (Mark(0, "stored"),)
    with pytest.raises(MeasureError, match="0 parts of a run"):
        thinned(marks, 100, 0)
