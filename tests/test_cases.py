"""Public reports about queue choice, each with the value that is right; the id names the report."""

from collections import Counter

import pytest

from rmqref import release, update_fault_item
from rmqref.faults import compare_fault_items, is_available
from rmqref.java import INT_MAX, ManualClock
from rmqref.model import Message, MessageQueue
from rmqref.releases import release as row_of
from rmqref.situation import Fault, Situation

TWO_BY_FOUR = (("b1", 4), ("b2", 4))


def picks(version, route, calls=1, **situation):
    chosen = Situation(version, route, calls=calls, **situation).picks()
    return [f"{mq.broker_name}:{mq.queue_id}" for mq in chosen]


def down(**milliseconds):
    return tuple(Fault(name, avoided_for=time) for name, time in milliseconds.items())


@pytest.mark.parametrize(
    ("version", "ids"),
    [
        ("4.8.0", [2, 3, 0, 3, 0, 3, 0, 3]),
        ("4.9.3", [2, 3, 0, 3, 2, 1, 0, 3]),
        ("4.9.4", [2, 3, 0, 1, 2, 3, 0, 1]),
    ],
)
def test_idx_3131_overflow_of_the_counter(version, ids):
    assert picks(version, (("b1", 4),), 8, start=2147483645) == [f"b1:{n}" for n in ids]


def test_idx_4349_negative_queue_id_stays_in_the_list():
    situation = Situation("4.9.3", (("b1", 3),), start=2147483645, fault_switch=True, faults=down(b1=600000))
    desk = situation.prepare()
    assert str(situation.run(desk)[0]) == "b1 : -2"
    assert [str(mq) for mq in desk.topic.message_queue_list] == ["b1 : 0", "b1 : -2", "b1 : 2"]
    assert str(situation.but(release="4.9.4").pick()) == "b1 : 0"


def test_idx_1551_the_first_family_restarts_at_nought():
    index = row_of("4.7.1").new_index(start=2147483646)
    assert [index.increment_and_get() for _ in range(4)] == [INT_MAX, 0, 1, 2]


def test_uneven_2223_retries_repeat_the_first_broker():
    route = (("b1", 8), ("b2", 8), ("b3", 8))

    def sequences(version):
        runs = (Situation(version, route, start=start, calls=3, chain=True).picks() for start in range(24))
        return Counter(",".join(mq.broker_name for mq in run) for run in runs)

    assert sequences("4.7.1") == {
        "b1,b2,b1": 6,
        "b1,b2,b3": 2,
        "b2,b3,b2": 6,
        "b2,b3,b1": 2,
        "b3,b1,b3": 6,
        "b3,b1,b2": 2,
    }
    assert sequences("4.8.0") == {"b1,b2,b3": 8, "b2,b3,b1": 8, "b3,b1,b2": 8}


def test_retry_2358_and_4139_the_retry_goes_back_to_the_broken_broker():
    situation = {"start": 0, "last_broker_name": "b1", "fault_switch": True, "faults": down(b1=600000)}
    assert picks("4.7.1", TWO_BY_FOUR, **situation) == ["b1:3"]
    assert picks("4.8.0", TWO_BY_FOUR, **situation) == ["b2:0"]


def test_retry_1576_three_forms_of_the_test():
    situation = {"start": 3, "last_broker_name": "b1", "fault_switch": True}
    assert [picks(version, TWO_BY_FOUR, **situation) for version in ("4.7.1", "4.8.0", "5.3.3")] == [
        ["b1:0"],
        ["b2:0"],
        ["b2:0"],
    ]


def test_retry_2204_the_second_form():
    situation = {"start": 6, "last_broker_name": "b1", "fault_switch": True}
    assert picks("4.7.1", TWO_BY_FOUR, **situation) == ["b1:0"]
    assert picks("4.8.0", TWO_BY_FOUR, **situation) == ["b2:3"]


@pytest.mark.parametrize(
    ("version", "picked", "queues"),
    [
        ("4.9.4", "b1 : 0", ["b1 : 0", "b1 : 1", "b2 : 0", "b1 : 0"]),
        ("4.9.8", "b1 : 0", ["b1 : 0", "b1 : 1", "b2 : 0", "b2 : 1"]),
        ("5.3.3", "b2 : 0", ["b1 : 0", "b1 : 1", "b2 : 0", "b2 : 1"]),
    ],
)
def test_mut_3548_the_shared_list_is_rewritten(version, picked, queues):
    faults = (Fault("b1", 600, 30000), Fault("b2", 900, 30000))
    situation = Situation(version, (("b1", 2), ("b2", 2)), start=1, fault_switch=True, faults=faults)
    desk = situation.prepare()
    assert str(situation.run(desk)[0]) == picked
    assert [str(mq) for mq in desk.topic.message_queue_list] == queues


@pytest.mark.parametrize(
    ("version", "share"),
    [
        ("4.9.4", {("b1", n): 200 for n in range(4)}),
        ("4.9.8", {(name, n): 100 for name in ("b1", "b2") for n in range(4)}),
        ("5.3.3", {(name, n): 100 for name in ("b1", "b2") for n in range(4)}),
    ],
)
def test_mut_7779_traffic_never_comes_back(version, share):
    faults = (Fault("b1", 600, 30000), Fault("b2", 900, 30000))
    situation = Situation(version, TWO_BY_FOUR, start=0, fault_switch=True, faults=faults, calls=40)
    desk = situation.prepare()
    situation.run(desk)
    desk.clock.advance(60000)
    later = situation.but(calls=800).run(desk)
    assert Counter((mq.broker_name, mq.queue_id) for mq in later) == share


def test_lat_6568_both_columns_of_numbers():
    latencies = (549, 550, 999, 1000, 1800, 2000, 3000, 5000, 15000)

    def durations(version):
        strategy = release(version).fault_strategy(clock=ManualClock(), send_latency_fault_enable=True)
        times = [update_fault_item(strategy, "b", latency, isolation=False) for latency in latencies]
        return [*times, update_fault_item(strategy, "b", 20, isolation=True)]

    assert durations("4.9.4") == [0, 30000, 30000, 60000, 60000, 120000, 180000, 180000, 600000, 600000]
    assert durations("5.3.3") == [0, 2000, 2000, 2000, 5000, 5000, 6000, 10000, 30000, 10000]


def test_lat_success_frees_a_broker_or_does_not():
    def is_free(version):
        clock = ManualClock(1000)
        strategy = release(version).fault_strategy(clock=clock, send_latency_fault_enable=True)
        update_fault_item(strategy, "b1", 3000, isolation=True)
        update_fault_item(strategy, "b1", 5, isolation=False)
        return is_available(strategy.latency_fault_tolerance, "b1")

    assert is_free("4.9.4")
    assert not is_free("5.3.3")


def test_lat_clock_a_jump_back_makes_the_avoidance_longer():
    clock = ManualClock(10_000_000)
    strategy = release("4.9.4").fault_strategy(clock=clock, send_latency_fault_enable=True)
    update_fault_item(strategy, "b1", 600, isolation=False)
    clock.advance(-3_600_000 + 3_629_999)
    assert not is_available(strategy.latency_fault_tolerance, "b1")
    clock.advance(1)
    assert is_available(strategy.latency_fault_tolerance, "b1")


def test_pick_3391_and_2080_the_better_half():
    def names(version, calls, **latencies):
        faults = [Fault(name, latency, 9).item(0) for name, latency in latencies.items()]
        row = row_of(version)
        tolerance = row.fault_strategy(
            clock=ManualClock(), faults=faults, worst_start=0
        ).latency_fault_tolerance
        return {row.pick_one_at_least(tolerance) for _ in range(calls)}

    assert names("4.9.1", 4, a=1, b=2, c=3, d=4) == {"a", "b"}
    assert names("4.9.3", 10, a=600, b=900) == {"a"}


def test_pick_1488_the_comparison_depends_on_the_clock():
    one, other = Fault("a", 10, 1000).item(0), Fault("b", 5, 1001).item(0)

    def compared(now):
        tolerance = release("4.9.4").fault_strategy(clock=ManualClock(now)).latency_fault_tolerance
        return compare_fault_items(tolerance, one, other)

    assert [compared(now) for now in (999, 1000, 1001)] == [1, -1, 1]


def test_rt_401_growing_a_topic_moves_keys():
    hashes = range(20)
    few = [MessageQueue("T", "b", n) for n in range(5)]
    many = [MessageQueue("T", "b", n) for n in range(10)]
    select = row_of("4.9.4").select_by_hash
    stay = [h for h in hashes if select(few, Message("T"), h) == select(many, Message("T"), h)]
    assert stay == [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]


@pytest.mark.parametrize(
    ("key", "ids"),
    [
        ("order-1001", [3, 5, 7, 15]),
        ("order-1002", [0, 0, 0, 0]),
        ("ABC", [2, 0, 2, 2]),
        ("user-42", [0, 4, 0, 0]),
    ],
)
def test_sel_2148_hashes_of_keys(key, ids):
    lists = [[MessageQueue("T", "b", n) for n in range(size)] for size in (4, 6, 8, 16)]
    select = row_of("4.9.4").select_by_hash
    chosen = [select(queues, Message("T"), key) for queues in lists]
    assert [mq and mq.queue_id for mq in chosen] == ids


def test_static_topic_a_retry_finds_every_queue_on_one_made_up_broker():
    from rmqref.model import TopicQueueMapping, TopicRouteData

    def mapping(name, ids):
        return TopicQueueMapping(name, "__global__", 1700000000000, 8, {n: n % 4 for n in ids})

    parts = {"broker-b": mapping("broker-b", range(4, 8)), "broker-a": mapping("broker-a", range(4))}
    route = TopicRouteData([], [], topic_queue_mapping_by_broker=parts)
    chosen = picks("5.3.3", route, 2, start=0, last_broker_name="__syslo__global__")
    assert chosen == ["__syslo__global__:1", "__syslo__global__:2"]
