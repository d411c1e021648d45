"""What is true of every pick, and an independent model that must always agree."""

import threading
from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from rmqref import first_pick, release, select_one_message_queue, update_fault_item
from rmqref.errors import ArithmeticException
from rmqref.faults import FaultItem, is_available
from rmqref.java import INT_MAX, INT_MIN, JavaRandom, ManualClock
from rmqref.releases import FAMILIES, VERSIONS
from rmqref.situation import Fault, Situation

STARTS = st.one_of(st.integers(0, 2**31 - 20000), st.integers(0, 50))
EDGES = st.one_of(STARTS, st.integers(INT_MIN, INT_MIN + 40), st.integers(INT_MAX - 40, INT_MAX))
ROUTES = st.lists(
    st.tuples(st.sampled_from("abcde"), st.integers(1, 5)), min_size=1, max_size=5, unique_by=lambda b: b[0]
)
FAMILY = st.sampled_from(sorted(FAMILIES))
ALL = st.sampled_from(VERSIONS)


@given(ALL, ROUTES, STARTS, st.integers(1, 4))
def test_healthy_picks_take_each_queue_equally_often(version, route, start, rounds):
    size = sum(queues for _, queues in route)
    share = Situation(version, tuple(route), start=start).share(size * rounds)
    assert set(share.values()) == {rounds}


@given(ALL, ROUTES, EDGES, st.sampled_from("abcde"))
def test_a_retry_never_returns_the_last_broker_while_another_has_a_queue(version, route, start, last):
    assume(any(name != last for name, _ in route))
    row = release(version)
    assume(row.family != "4.8.0" or 0 <= start < INT_MAX - 40)
    assume(row.family != "4.9.3" or not (start < 0 or start > INT_MAX - 40))
    topic = row.topic(route, start=start)
    assert row.retry_pick(topic, last).broker_name != last


def test_the_stuck_counter_of_4_8_0_is_the_counter_example():
    topic = release("4.8.0").topic([("a", 3), ("b", 3)], start=INT_MAX)
    positions = {(mq.broker_name, mq.queue_id) for mq in (first_pick(topic) for _ in range(100))}
    assert positions == {("a", 0), ("a", INT_MAX % 6)}
    assert {release("4.8.0").retry_pick(topic, "a").broker_name for _ in range(100)} == {"a"}


@given(ROUTES, STARTS, st.sampled_from("abcde"))
def test_with_the_switch_on_4_7_1_wants_the_very_broker_that_failed(route, start, last):
    assume(any(name == last for name, _ in route))
    situation = Situation("4.7.1", tuple(route), start=start, last_broker_name=last, fault_switch=True)
    assert situation.pick().broker_name == last


@given(FAMILY, st.integers(0, 10**13), st.integers(0, 10**6), st.integers(-5, 5), st.booleans())
def test_available_means_that_the_clock_has_reached_the_start(family, start, latency, offset, reachable):
    clock = ManualClock(start + offset)
    strategy = release(family).fault_strategy(clock=clock, faults=[FaultItem("a", latency, start, reachable)])
    available = clock() >= start and (reachable or family != "5.1.4")
    assert is_available(strategy.latency_fault_tolerance, "a") is available


@given(
    ALL,
    ROUTES,
    EDGES,
    st.one_of(st.none(), st.sampled_from(["a", "b", "", "gone"])),
    st.booleans(),
    st.lists(st.sampled_from("abcdefg"), max_size=5, unique=True),
    st.data(),
)
def test_a_pick_from_a_list_with_queues_never_raises(version, route, start, last, switch, down, data):
    faults = tuple(
        Fault(name, data.draw(st.integers(0, 9)), data.draw(st.integers(-9, 9)), data.draw(st.booleans()))
        for name in down
    )
    situation = Situation(
        version,
        tuple(route),
        start=start,
        last_broker_name=last,
        fault_switch=switch,
        faults=faults,
        worst_start=start,
    )
    assert len(situation.picks(6)) == 6


@pytest.mark.parametrize("version", VERSIONS)
def test_each_thread_has_its_own_counter_with_its_own_start(version):
    topic = release(version).topic([("a", 4)], random=JavaRandom(5))
    seen = {}
    gate = threading.Barrier(4)

    def work(name):
        gate.wait()
        seen[name] = [topic.send_which_queue.increment_and_get() for _ in range(50)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for values in seen.values():
        assert values == list(range(values[0], values[0] + 50))
    assert len({values[0] for values in seen.values()}) == 4
    assert topic.send_which_queue.stored is None


class PlainModel:
    """The picks, told again without the package: one long function with a version in every `if`.

    It knows counters far from any overflow, and answers with the set of queues that Java may pick.
    """

    def __init__(self, family, route):
        self.family = family
        self.list = [[name, n] for name, queues in sorted(route) for n in range(queues)]
        self.write = dict(route)
        self.index = 0
        self.worst = 0
        self.table = {}
        self.now = 1000

    def new(self):
        return self.family in ("5.1.4", "5.3.3")

    def next(self):
        self.index += 1
        return self.index

    def plain(self):
        return self.next() % len(self.list)

    def available(self, name):
        if name not in self.table:
            return True
        _, start, reachable = self.table[name]
        return self.now >= start and (reachable or self.family != "5.1.4")

    def retry(self, last):
        if last is None:
            return self.plain()
        if self.family == "4.7.1":
            i = self.next()
            for step in range(len(self.list)):
                if self.list[(i + step) % len(self.list)][0] != last:
                    return (i + step) % len(self.list)
            return self.plain()
        for _ in range(len(self.list)):
            p = self.plain()
            if self.list[p][0] != last:
                return p
        return self.plain()

    def pick(self, last, switch, actual):
        """Return the position picked; the list is changed as Java changes it. `actual` settles ties."""
        if not switch:
            return self.retry(last)
        if self.new():
            for test in (self.available, lambda name: name not in self.table or self.table[name][2]):
                for _ in range(len(self.list)):
                    p = self.plain()
                    if test(self.list[p][0]) and (last is None or self.list[p][0] != last):
                        return p
            return self.plain()
        i = self.next()
        for step in range(len(self.list)):
            p = (i + step) % len(self.list)
            name = self.list[p][0]
            wanted = True
            if self.family == "4.7.1":
                wanted = last is None or name == last
            if self.family == "5.1.3":
                wanted = last is None or name != last
            if wanted and self.available(name):
                return p
        if not self.table:
            return self.plain()
        keys = {name: (not self.available(name), item[0], item[1]) for name, item in self.table.items()}
        best = sorted(keys.values())
        half = len(best) // 2
        wanted_key = best[0]
        if half > 0:
            self.worst += 1
            wanted_key = best[self.worst % half]
        tied = [name for name, key in keys.items() if key == wanted_key]
        name = tied[0] if len(tied) == 1 or actual[0] not in tied else actual[0]
        if self.write.get(name, -1) <= 0:
            del self.table[name]
            return self.plain()
        p = self.plain()
        queue = [name, self.next() % self.write[name]]
        if self.family == "4.9.8":
            return queue
        self.list[p] = queue
        return p

    def update(self, name, latency, failed, reachable):
        looked_up = latency
        if failed:
            looked_up = 10000 if self.new() else 30000
        duration = 0
        new = ((50, 0), (100, 0), (550, 2000), (1800, 5000), (3000, 6000), (5000, 10000), (15000, 30000))
        old = (
            (50, 0),
            (100, 0),
            (550, 30000),
            (1000, 60000),
            (2000, 120000),
            (3000, 180000),
            (15000, 600000),
        )
        for threshold, time in new if self.new() else old:
            if looked_up >= threshold:
                duration = time
        if not self.new():
            self.table[name] = (latency, self.now + duration, True)
        else:
            start = self.table.get(name, (0, 0, True))[1]
            if duration > 0:
                start = max(start, self.now + duration)
            self.table[name] = (latency, start, reachable)


@settings(max_examples=60, stateful_step_count=30)
class Producer(RuleBasedStateMachine):
    """Runs the package and the model side by side through any order of sends, picks and waiting."""

    @initialize(family=FAMILY, route=ROUTES, switch=st.booleans())
    def begin(self, family, route, switch):
        self.model = PlainModel(family, route)
        self.switch = switch
        self.clock = ManualClock(1000)
        self.topic = release(family).topic(route, start=0)
        self.strategy = release(family).fault_strategy(
            clock=self.clock, worst_start=0, send_latency_fault_enable=switch, random=JavaRandom(1)
        )

    @rule(last=st.one_of(st.none(), st.sampled_from("abcde")))
    def pick(self, last):
        mq = select_one_message_queue(self.strategy, self.topic, last)
        got = [mq.broker_name, mq.queue_id]
        expected = self.model.pick(last, self.switch, got)
        assert got == (expected if isinstance(expected, list) else self.model.list[expected])

    @rule(
        name=st.sampled_from("abcdef"),
        latency=st.one_of(st.integers(0, 3500), st.sampled_from([549, 550, 999, 1000, 1799, 1800, 15000])),
        failed=st.booleans(),
        reachable=st.booleans(),
    )
    def send(self, name, latency, failed, reachable):
        update_fault_item(self.strategy, name, latency, failed, reachable)
        if self.switch:
            self.model.update(name, latency, failed, reachable)

    @rule(milliseconds=st.sampled_from([1, 500, 2000, 30000, 180000, 600000]))
    def wait(self, milliseconds):
        self.clock.advance(milliseconds)
        self.model.now += milliseconds

    @invariant()
    def both_hold_the_same(self):
        if not hasattr(self, "model"):
            return
        assert self.topic.send_which_queue.stored == self.model.index
        assert [[mq.broker_name, mq.queue_id] for mq in self.topic.message_queue_list] == self.model.list
        table = self.strategy.latency_fault_tolerance.fault_item_table
        new = self.model.new()
        assert {
            name: (item.current_latency, item.start_timestamp, item.reachable if new else True)
            for name, item in table.items()
        } == self.model.table


TestProducer = Producer.TestCase


def test_the_block_share_of_the_queue_after_an_avoided_broker():
    route = (("b1", 24), ("b2", 24))
    down = (Fault("b1", 700, avoided_for=600000),)
    old = Situation("4.9.4", route, start=0, fault_switch=True, faults=down).share(4800)
    new = Situation("5.3.3", route, start=0, fault_switch=True, faults=down).share(4800)
    assert old["b2", 0] == 2500
    assert {old["b2", n] for n in range(1, 24)} == {100}
    assert {new["b2", n] for n in range(24)} == {200}
    assert sum(count for (name, _), count in Counter(old).items() if name == "b1") == 0


@given(st.sampled_from(["4.7.1", "4.8.0", "4.9.7", "4.9.8", "5.1.0", "5.1.3"]), st.integers(0, 99))
def test_an_empty_list_ends_in_java_s_own_exception_and_steps(family, start):
    """As run on the released classes: the pick after a broker is dropped stands behind the try."""
    strategy = release(family).fault_strategy(
        clock=lambda: 0, send_latency_fault_enable=True, faults=[FaultItem("a", 700, 9)], worst_start=0
    )
    topic = release(family).topic([], start=start)
    with pytest.raises(ArithmeticException):
        select_one_message_queue(strategy, topic)
    assert topic.send_which_queue.stored == start + 2
    assert strategy.errors_logged == []
    assert list(strategy.latency_fault_tolerance.fault_item_table) == []
