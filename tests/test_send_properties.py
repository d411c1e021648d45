"""What is true of every run of every scenario, whichever release sends and whatever goes wrong."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rmqref import errors
from rmqref.broker import TopicConfig
from rmqref.cluster import DOES, BrokerFault, Cluster
from rmqref.errors import JavaException
from rmqref.java import INT_MAX
from rmqref.model import Message, SendStatus
from rmqref.producer import SendCallback
from rmqref.releases import VERSIONS
from rmqref.scenario import BrokerPlan, Load, Scenario
from rmqref.simulation import Simulation, simulate

STATUSES = frozenset(SendStatus.__members__)
TIMED_OUT = "RemotingTimeoutException"
WHOLE_TIME = ("4.0.0-incubating", "4.1.0-incubating", "4.2.0")
NO_TIME = (*WHOLE_TIME, "4.3.0", "4.3.1", "4.3.2", "4.4.0", "4.5.1", "4.5.2", "4.6.0", "4.6.1")
HEARD_AGAIN = ("5.3.0", "5.3.1")
"""What was not sent for lack of time tells the callback twice."""

WITH_DETECTOR = ("5.1.4", "5.2.0", "5.3.0", "5.3.1", "5.3.2", "5.3.3")
NAMES = ("b1", "b2", "b3", "b4")

LATENCIES = st.one_of(
    st.sampled_from([0, 5, 549, 550, 2999, 3000, 3001, 4000]),
    st.integers(0, 6000),
    st.tuples(st.integers(0, 50), st.integers(50, 4000)),
)


@st.composite
def faults_of(draw, names):
    does = draw(st.sampled_from(sorted(DOES)))
    at = draw(st.one_of(st.just(0), st.integers(0, 200_000)))
    return BrokerFault(
        does,
        "" if does == "name_server_down" else draw(st.sampled_from(names)),
        at=at,
        until=draw(st.one_of(st.none(), st.integers(at + 1, at + 200_000))),
        latency=draw(st.integers(1, 8000)),
        code=draw(st.sampled_from([1, 2, 14, 29, 205, 500, 1500])),
        status=draw(st.sampled_from(sorted(STATUSES))),
    )


@st.composite
def scenarios(draw):
    version = draw(st.sampled_from(VERSIONS))
    names = NAMES[: draw(st.integers(1, 4))]
    retries = st.integers(-1, 4)
    producer = {
        "retry_times_when_send_failed": draw(retries),
        "retry_times_when_send_async_failed": draw(retries),
        "retry_another_broker_when_not_store_ok": draw(st.booleans()),
        "send_latency_fault_enable": draw(st.booleans()),
    }
    if version in WITH_DETECTOR:
        producer["start_detector_enable"] = draw(st.booleans())
    if version == "5.3.3":
        producer["send_msg_max_timeout_per_request"] = draw(st.sampled_from([-1, 0, 500, 1000, 5000]))
    return Scenario(
        release=version,
        seed=draw(st.integers(0, 9)),
        start=draw(st.one_of(st.none(), st.integers(0, 50), st.integers(INT_MAX - 5, INT_MAX))),
        producer=producer,
        brokers=tuple(
            BrokerPlan(
                name,
                draw(st.integers(0, 4)),
                draw(LATENCIES),
                order=draw(st.booleans()),
                auto_create=draw(st.booleans()),
            )
            for name in names
        ),
        faults=tuple(draw(st.lists(faults_of(names), max_size=4))),
        load=Load(
            sends=draw(st.integers(1, 30)),
            every=draw(st.one_of(st.just(0), st.integers(0, 40_000))),
            mode=draw(st.sampled_from(["SYNC", "ASYNC", "ONEWAY"])),
        ),
    )


class Listening(Simulation):
    """A simulation that counts how often the application hears of each send."""

    def __init__(self, scenario):
        self.heard: Counter[int] = Counter()
        super().__init__(scenario)

    def _succeeded(self, record, result):
        self.heard[record.number] += 1
        super()._succeeded(record, result)

    def _failed(self, record, thrown):
        self.heard[record.number] += 1
        super()._failed(record, thrown)


def run_and_listen(scenario):
    simulation = Listening(scenario)
    for _ in range(scenario.load.sends):
        simulation.send()
    return simulation.finish(), simulation.heard


def attempts_allowed(scenario):
    match scenario.load.mode:
        case "SYNC":
            return 1 + scenario.producer["retry_times_when_send_failed"]
        case "ASYNC":
            return 1 + max(scenario.producer["retry_times_when_send_async_failed"], 0)
    return 1


def is_java(outcome):
    kind = getattr(errors, outcome, None)
    return isinstance(kind, type) and issubclass(kind, JavaException)


@settings(max_examples=120)
@given(scenarios())
def test_every_send_ends_and_the_application_hears_of_it_once(scenario):
    run, heard = run_and_listen(scenario)
    assert [send.number for send in run.sends] == list(range(1, scenario.load.sends + 1))
    silent = 0
    for send in run.sends:
        times = heard[send.number]
        if scenario.load.mode == "ONEWAY" and send.outcome == "sent":
            assert (times, send.ended) == (0, send.at)
            continue
        if times == 0:
            silent += 1
            continue
        assert times == 1 or (scenario.load.mode == "ASYNC" and scenario.release in HEARD_AGAIN)
        assert send.outcome in STATUSES or is_java(send.outcome)
        assert (send.error != "") == (send.outcome not in STATUSES)
        assert send.ended is not None
    # What is thrown inside a callback, a pool logs, and the application hears nothing.
    assert silent <= len(run.cluster.swallowed)


@settings(max_examples=120)
@given(scenarios())
def test_attempts_are_limited_and_time_goes_on(scenario):
    run = simulate(scenario)
    now = 0
    for send in run.sends:
        assert len(send.attempts) <= max(attempts_allowed(scenario), 0)
        assert send.at >= now
        now = send.at
        begun = send.at
        for attempt in send.attempts:
            assert attempt.send == send.number
            assert attempt.at >= begun
            assert attempt.ended is not None
            assert attempt.ended >= attempt.at
            begun = attempt.ended
            known = attempt.outcome in STATUSES or attempt.outcome == "sent" or is_java(attempt.outcome)
            assert known, attempt
            assert (attempt.code is not None) == (attempt.outcome == "MQBrokerException")
        assert send.ended is None or run.ended >= send.ended >= begun
    assert [a.at for a in run.attempts] == sorted(a.at for send in run.sends for a in send.attempts)
    assert all(update.at <= run.ended for update in run.updates)
    assert [update.at for update in run.updates] == sorted(update.at for update in run.updates)


@settings(max_examples=120)
@given(scenarios())
def test_each_attempt_has_the_time_that_its_release_gives_it(scenario):
    run = simulate(scenario)
    most = scenario.producer.get("send_msg_max_timeout_per_request", -1)
    for send in run.sends:
        for number, attempt in enumerate(send.attempts, 1):
            if scenario.load.mode == "ASYNC":
                before = send.attempts[number - 2]
                left = before.timeout - (attempt.at - before.at)
                expected = 3000 if number == 1 else 0 if scenario.release in NO_TIME else left
            else:
                expected = 3000
                if scenario.release not in WHOLE_TIME:
                    expected -= attempt.at - send.at
                    assert expected >= 0
                if -1 < most < expected and number < attempts_allowed(scenario):
                    expected = most
            assert attempt.timeout == expected


@settings(max_examples=120)
@given(scenarios())
def test_what_is_stored_is_what_was_answered_and_what_timed_out(scenario):
    run = simulate(scenario)
    for send in run.sends:
        outcomes = Counter(attempt.outcome for attempt in send.attempts)
        stored = sum(outcomes[status] for status in STATUSES)
        assert stored <= send.stored <= stored + outcomes[TIMED_OUT] + outcomes["sent"]
        if send.is_ok:
            assert send.stored >= 1
            last = send.attempts[-1] if send.outcome == "SEND_OK" else None
            assert last is None or send.broker_name == last.broker_name
        elif send.outcome != "sent" and send.stored:
            not_ok_is_retried = scenario.producer["retry_another_broker_when_not_store_ok"]
            assert outcomes[TIMED_OUT] or (not_ok_is_retried and stored)
        if send.stored > 1:
            assert outcomes[TIMED_OUT] or outcomes.total() > outcomes["SEND_OK"]
    kept = sum(len(queue) for broker in run.cluster.brokers.values() for queue in broker.store.values())
    assert kept == sum(send.stored for send in run.sends) == sum(run.share.values())
    counted = sum(broker.put_nums[scenario.topic] for broker in run.cluster.brokers.values())
    assert counted == kept


@settings(max_examples=100)
@given(scenarios())
def test_a_scenario_runs_the_same_way_every_time(scenario):
    assert simulate(scenario).to_json() == simulate(scenario).to_json()


@settings(max_examples=60)
@given(st.sampled_from(VERSIONS), st.integers(0, 50), st.integers(1, 3), st.integers(1, 4), st.integers(1, 3))
def test_with_nothing_wrong_every_queue_gets_the_same(version, start, brokers, queues, rounds):
    plans = tuple(BrokerPlan(name, queues) for name in NAMES[:brokers])
    load = Load(sends=brokers * queues * rounds)
    run = simulate(Scenario(release=version, start=start, brokers=plans, load=load))
    assert set(run.share.values()) == {rounds}
    assert run.duplicates == 0
    assert run.outcomes == {"SEND_OK": load.sends}


class Sending(RuleBasedStateMachine):
    """One cluster and one producer, to which anything may happen in any order."""

    @initialize(
        version=st.sampled_from(VERSIONS),
        queues=st.lists(st.integers(1, 4), min_size=1, max_size=3),
        fault_switch=st.booleans(),
    )
    def begin(self, version, queues, fault_switch):
        self.cluster = Cluster.of(list(zip(NAMES, queues, strict=False)), topic="T")
        self.producer = self.cluster.producer(
            release=version, send_latency_fault_enable=fault_switch, retry_times_when_send_failed=1
        )
        self.version = version
        self.now = self.cluster.clock.now
        self.stored = []
        self.waiting = 0
        self.heard = 0

    def sent(self, message, result):
        self.stored.append((message, result))

    def message(self):
        return Message("T", b"paid")

    @rule(timeout=st.one_of(st.none(), st.sampled_from([0, 1, 100, 3000])))
    def send(self, timeout):
        message = self.message()
        try:
            self.sent(message, self.producer.send(message, timeout=timeout))
        except JavaException:
            return

    @rule(arg=st.integers(0, 100))
    def send_with_a_selector(self, arg):
        message = self.message()
        try:
            result = self.producer.send(message, selector=self.producer.row.select_by_hash, arg=arg)
        except JavaException:
            return
        self.sent(message, result)

    @rule()
    def send_async(self):
        message = self.message()

        def on_success(result):
            self.heard += 1
            self.sent(message, result)

        def on_exception(thrown):
            assert isinstance(thrown, JavaException)
            self.heard += 1

        try:
            self.producer.send(message, send_callback=SendCallback(on_success, on_exception))
        except JavaException:
            return
        self.waiting += 1

    @rule()
    def send_oneway(self):
        try:
            self.producer.send_oneway(self.message())
        except JavaException:
            return

    @rule(milliseconds=st.sampled_from([1, 10, 999, 5000, 30_000, 130_000]))
    def advance(self, milliseconds):
        before = self.cluster.clock.now
        self.cluster.advance(milliseconds)
        assert self.cluster.clock.now == before + milliseconds

    @rule(
        does=st.sampled_from(sorted(DOES)), place=st.integers(0, 3), lasts=st.sampled_from([1, 3000, 150_000])
    )
    def let_something_go_wrong(self, does, place, lasts):
        names = list(self.cluster.hosts)
        at = self.cluster.clock.now - self.cluster.began
        name = "" if does == "name_server_down" else names[place % len(names)]
        self.cluster.plan(BrokerFault(does, name, at=at, until=at + lasts, latency=700))

    @precondition(lambda self: hasattr(self, "cluster") and len(self.cluster.hosts) < len(NAMES))
    @rule(queues=st.integers(1, 4))
    def add_a_broker(self, queues):
        name = NAMES[len(self.cluster.hosts)]
        self.cluster.add_broker(name, {"T": TopicConfig("T", queues, queues)})

    @rule()
    def drain(self):
        self.cluster.drain()
        assert self.heard + len(self.cluster.swallowed) >= self.waiting
        if self.version not in HEARD_AGAIN:
            assert self.heard <= self.waiting

    @invariant()
    def the_clock_never_goes_back(self):
        if hasattr(self, "cluster"):
            assert self.cluster.clock.now >= self.now
            self.now = self.cluster.clock.now

    @invariant()
    def nothing_that_was_reported_stored_is_lost(self):
        if not hasattr(self, "cluster"):
            return
        for message, result in self.stored:
            mq = result.message_queue
            kept = self.cluster.brokers[mq.broker_name].store["T", mq.queue_id][result.queue_offset]
            assert kept.message is message
            assert kept.queue_offset == result.queue_offset

    @invariant()
    def the_publish_list_has_queues_that_there_are(self):
        if not hasattr(self, "cluster"):
            return
        topic = self.producer.topic_publish_info_table.get("T")
        for mq in topic.message_queue_list if topic else []:
            config = self.cluster.brokers[mq.broker_name].topics["T"]
            assert 0 <= mq.queue_id < config.write_queue_nums

    @invariant()
    def the_fault_table_knows_only_brokers(self):
        if not hasattr(self, "cluster"):
            return
        table = self.producer.mq_fault_strategy.latency_fault_tolerance.fault_item_table
        assert set(table) <= set(self.cluster.hosts)
        if not self.producer.send_latency_fault_enable:
            assert not list(table)

    def teardown(self):
        if hasattr(self, "cluster"):
            self.drain()


TestSending = Sending.TestCase
TestSending.settings = settings(max_examples=60, stateful_step_count=40)
