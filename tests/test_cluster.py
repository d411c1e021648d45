"""The simulated cluster, scenarios and their texts, and what a run writes down."""

import json
from typing import Any

import pytest

from rmqref import Message
from rmqref.broker import TopicConfig
from rmqref.cluster import BrokerFault, Cluster
from rmqref.errors import (
    MQBrokerException,
    MQClientException,
    RemotingConnectException,
    RemotingTimeoutException,
    RmqRefError,
    ScenarioError,
    UnknownRelease,
)
from rmqref.model import MessageQueue
from rmqref.producer import SendCallback, try_to_find_topic_publish_info
from rmqref.scenario import BrokerPlan, Load, Scenario, read_scenario
from rmqref.simulation import simulate


def names_of(producer, topic="T"):
    return sorted({mq.broker_name for mq in producer.topic_publish_info_table[topic].message_queue_list})


def sending(version="4.9.7", **settings):
    """Return a cluster of two brokers, and a producer that knows the route."""
    cluster = Cluster.of([("a", 2), ("b", 2)], topic="T")
    producer = cluster.producer(release=version, **settings)
    try_to_find_topic_publish_info(producer, "T")
    return cluster, producer


def elapsed(cluster):
    return cluster.clock.now - cluster.began


# ------------------------------------------------------------------------------------------------------- the clock


def test_time_passes_only_where_something_waits():
    cluster, producer = sending()
    assert elapsed(cluster) == 0
    producer.send(Message("T", b"x"))
    assert elapsed(cluster) == 5
    producer.send_oneway(Message("T", b"x"))
    assert elapsed(cluster) == 5
    cluster.drain()
    assert elapsed(cluster) == 10


def test_what_is_planned_happens_in_order_and_again_after_every_period():
    cluster = Cluster()
    seen = []
    cluster.after(20, lambda: seen.append(("late", elapsed(cluster))))
    cluster.after(10, lambda: seen.append(("first", elapsed(cluster))))
    cluster.after(10, lambda: seen.append(("second", elapsed(cluster))))
    cluster.after(7, lambda: seen.append(("again", elapsed(cluster))), 7)
    cluster.advance(20)
    assert seen == [("again", 7), ("first", 10), ("second", 10), ("again", 14), ("late", 20)]


@pytest.mark.parametrize(("latency", "answered"), [(2999, True), (3000, False), (3001, False)])
def test_an_answer_that_is_not_there_before_the_time_is_over_is_too_late(latency, answered):
    cluster = Cluster.of([("a", 1)], topic="T", latency=latency)
    producer = cluster.producer(release="4.2.0", retry_times_when_send_failed=0)
    if answered:
        producer.send(Message("T", b"x"))
        assert elapsed(cluster) == latency
    else:
        with pytest.raises(MQClientException) as thrown:
            producer.send(Message("T", b"x"))
        assert isinstance(thrown.value.cause, RemotingTimeoutException)
        assert elapsed(cluster) == 3000
    cluster.drain()
    assert len(cluster.brokers["a"].messages("T")) == 1


@pytest.mark.parametrize(("at", "noticed"), [(0, 4000), (1, 5000), (1000, 5000), (1001, 6000)])
def test_a_missing_async_answer_is_noticed_by_a_scan_once_a_second(at, noticed):
    cluster, producer = sending("4.6.1", retry_times_when_send_async_failed=0)
    cluster.advance(at)
    cluster.plan(BrokerFault("hang", "a", at=at))
    cluster.plan(BrokerFault("hang", "b", at=at))
    heard_at: list[object] = []
    callback = SendCallback(heard_at.append, lambda _: heard_at.append(elapsed(cluster)))
    producer.send(Message("T", b"x"), send_callback=callback)
    cluster.drain()
    assert heard_at == [noticed]


def test_a_late_async_answer_still_counts_until_the_scan():
    cluster = Cluster.of([("a", 1)], topic="T", latency=3999)
    told: list[Any] = []
    producer = cluster.producer(release="4.9.7")
    producer.send(Message("T", b"x"), send_callback=SendCallback(told.append, told.append))
    cluster.drain()
    assert [result.send_status.name for result in told] == ["SEND_OK"]


def test_a_refused_connection_takes_a_millisecond():
    cluster, producer = sending()
    cluster.plan(BrokerFault("refuse", "a"))
    with pytest.raises(RemotingConnectException, match=r"^connect to 10\.0\.0\.1:10911 failed$"):
        producer.send(Message("T", b"x"), MessageQueue("T", "a", 0))
    assert elapsed(cluster) == 1


# -------------------------------------------------------------------------------------------- brokers and the route


def test_two_clocks_until_a_lost_broker_is_out_of_the_client_s_list():
    """Once the name server has not heard of it for 120 s, and at the client's poll after that."""
    cluster, producer = sending()
    cluster.plan(BrokerFault("disappear", "a", at=10_001))
    cluster.advance(134_999)
    assert sorted(cluster.name_server.registered) == ["a", "b"]
    cluster.advance(1)
    assert sorted(cluster.name_server.registered) == ["b"]
    cluster.advance(15_009)
    assert names_of(producer) == ["a", "b"]
    cluster.advance(1)
    assert (elapsed(cluster), names_of(producer)) == (150_010, ["b"])


def test_an_orderly_end_is_known_at_once_and_reaches_the_client_at_its_next_poll():
    cluster, producer = sending()
    cluster.plan(BrokerFault("stop", "a", at=5000, until=50_000))
    cluster.advance(5000)
    assert sorted(cluster.name_server.registered) == ["b"]
    cluster.advance(25_009)
    assert names_of(producer) == ["a", "b"]
    cluster.advance(1)
    assert names_of(producer) == ["b"]
    assert sorted(producer.broker_addr_table) == ["a", "b"]
    cluster.advance(1000)
    assert sorted(producer.broker_addr_table) == ["b"]
    cluster.advance(30_000)
    assert names_of(producer) == ["a", "b"]


def test_read_only_reaches_the_client_at_the_next_poll_and_the_broker_still_takes_messages():
    cluster, producer = sending()
    cluster.plan(BrokerFault("read_only", "a", at=100))
    cluster.advance(200)
    queue = MessageQueue("T", "a", 0)
    assert producer.send(Message("T", b"x"), queue).send_status.name == "SEND_OK"
    assert names_of(producer) == ["a", "b"]
    cluster.advance(30_000)
    assert names_of(producer) == ["b"]
    assert producer.send(Message("T", b"x"), queue).send_status.name == "SEND_OK"


def test_a_read_only_broker_refuses_an_ordered_topic():
    cluster = Cluster()
    cluster.add_broker("a", {"T": TopicConfig("T", 1, 1, order=True)})
    producer = cluster.producer(release="4.9.7")
    try_to_find_topic_publish_info(producer, "T")
    cluster.plan(BrokerFault("read_only", "a"))
    with pytest.raises(
        MQBrokerException, match=r"the broker\[10\.0\.0\.1\] sending message is forbidden"
    ) as thrown:
        producer.send(Message("T", b"x"), MessageQueue("T", "a", 0))
    assert thrown.value.response_code == 16


def test_a_broker_is_read_only_until_the_last_of_two_such_faults_ends():
    cluster, _ = sending()
    cluster.plan(BrokerFault("read_only", "a", at=0, until=200))
    cluster.plan(BrokerFault("read_only", "a", at=100, until=300))
    cluster.advance(250)
    assert cluster.brokers["a"].broker_permission == 4
    cluster.advance(50)
    assert cluster.brokers["a"].broker_permission == 6


def test_the_name_server_is_down_until_the_last_of_two_such_faults_ends():
    cluster, _ = sending()
    cluster.plan(BrokerFault("name_server_down", at=0, until=200))
    cluster.plan(BrokerFault("name_server_down", at=100, until=300))
    cluster.advance(250)
    assert not cluster.name_server.is_up
    cluster.advance(50)
    assert cluster.name_server.is_up


def test_the_end_of_another_fault_leaves_the_permission_alone():
    cluster, _ = sending()
    cluster.brokers["a"].broker_permission = 4
    cluster.plan(BrokerFault("hang", "a", until=100))
    cluster.advance(100)
    assert cluster.brokers["a"].broker_permission == 4


def test_a_broker_that_made_a_topic_registers_it_at_once():
    cluster = Cluster.of([("a", 0), ("b", 0)], topic="T")
    assert cluster.get_topic_route_info("T") is None
    result = cluster.producer(release="4.9.7").send(Message("T", b"x"))
    route = cluster.get_topic_route_info("T")
    assert result is not None
    assert route is not None
    broker = result.message_queue.broker_name
    assert [data.broker_name for data in route.queue_datas] == [broker]


def test_of_two_faults_at_once_the_later_one_counts():
    cluster, producer = sending()
    cluster.plan(BrokerFault("hang", "a"))
    cluster.plan(BrokerFault("refuse", "a", at=0, until=10))
    with pytest.raises(RemotingConnectException):
        producer.send(Message("T", b"x"), MessageQueue("T", "a", 0))
    cluster.advance(10)
    with pytest.raises(RemotingTimeoutException):
        producer.send(Message("T", b"x"), MessageQueue("T", "a", 0))


def test_two_brokers_of_one_name_are_refused():
    with pytest.raises(ScenarioError, match=r"^There are two brokers named a: give each its own name\."):
        Cluster.of([("a", 1), ("a", 2)])


def test_more_than_250_brokers_have_addresses_of_their_own():
    cluster = Cluster.of([(f"b{n}", 1) for n in range(600)])
    assert len({broker.addr for broker in cluster.brokers.values()}) == 600


# ------------------------------------------------------------------------------------------------------- scenarios


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("color = 3", "The scenario has no value color: it has title, release, "),
        ('[[broker]]\nname = "a"\nqueue = 2', "The broker has no value queue: it has name, queues, "),
        ('[[broker]]\nname = "a"\n[[broker]]\nname = "a"', "There are two brokers named a: "),
        ("[[broker]]\nqueues = 2", "A broker of the scenario has no name: "),
        ('[broker]\nname = "a"', "The scenario's broker stands alone: write [[broker]] "),
        ("fault = [3]", "The scenario's fault is not a table: "),
        ("load = 3", "The scenario's load is not a table: "),
        ('[[fault]]\nbroker = "broker-a"', "A fault of the scenario has no does: "),
        ('[[fault]]\ndoes = "sleep"', "A fault does 'sleep': it can be one of refuse, hang, "),
        ('[[fault]]\ndoes = "hang"\nbroker = "x"', "A fault is of the broker 'x', which there is not: "),
        (
            '[[fault]]\ndoes = "hang"\nbroker = "broker-a"\nat = 9\nuntil = 9',
            "A fault begins at 9 ms and ends at 9 ms: let it end later",
        ),
        (
            '[[fault]]\ndoes = "slow"\nbroker = "broker-a"',
            'A fault of broker-a is "slow" without a latency: ',
        ),
        (
            '[[fault]]\ndoes = "status"\nbroker = "broker-a"\nstatus = "FINE"',
            "A fault has the status 'FINE': it can be one of SEND_OK, ",
        ),
        (
            '[[broker]]\nname = "a"\nqueues = 1001',
            "The broker a has 1001 queues: give a number from 0 to 1000.",
        ),
        ('[[broker]]\nname = "a"\nlatency = [9, 3]', "The broker.latency is [9, 3]: give milliseconds, "),
        ('[[broker]]\nname = "a"\nlatency = -1', "The broker.latency is -1, which is negative: "),
        ("[load]\nsends = -1", "The load has -1 sends: give a number from 0 to "),
        ('[load]\nmode = "LATER"', "The load's mode is 'LATER': it can be one of SYNC, ASYNC, ONEWAY."),
        ("[load]\nevery = 1.5", "The load.every is 1.5, which is a float: give an int."),
        ("[producer]\ntimeout = 3", "The producer has no value timeout: it has async_sender_wait, "),
        (
            '[producer]\nsend_msg_timeout = "3"',
            "The producer.send_msg_timeout is '3', which is a str: give an int.",
        ),
        ("start = 2147483648", "The start counter 2147483648 does not fit in Java's 32-bit int: "),
        ("title = 3", "The title is 3, which is a"),
    ],
)
def test_a_scenario_that_cannot_be_is_refused_in_one_sentence(text, sentence):
    with pytest.raises(ScenarioError) as thrown:
        read_scenario(text)
    assert str(thrown.value).startswith(sentence), str(thrown.value)
    assert "\n" not in str(thrown.value)
    assert str(thrown.value).endswith(".")


def test_a_text_that_is_not_toml_is_refused_with_the_line():
    with pytest.raises(ScenarioError, match=r"^The scenario is not TOML: .*line 2.*"):
        read_scenario('title = "a"\nrelease "4.9.7"\n')


def test_an_unknown_release_of_client_or_broker_is_refused():
    for text in ('release = "4.5.0"', 'broker_release = "4.5.0"'):
        with pytest.raises(UnknownRelease):
            read_scenario(text)


def test_a_scenario_cannot_be_changed_into_one_that_cannot_be():
    with pytest.raises(ScenarioError, match=r"^The scenario has no value colour"):
        Scenario().but(colour="red")
    with pytest.raises(RmqRefError):
        Scenario().but(release="5.3.2", producer={"send_msg_max_timeout_per_request": 9})


def test_a_whole_text_is_read():
    scenario = read_scenario(
        """
        release = "4.9.7"
        start = 0
        [producer]
        send_latency_fault_enable = true
        [[broker]]
        name = "a"
        latency = [3, 9]
        [[fault]]
        does = "hang"
        broker = "a"
        at = 10
        until = 20
        [load]
        sends = 4
        mode = "ONEWAY"
        """
    )
    assert scenario == Scenario(
        release="4.9.7",
        start=0,
        producer={"send_latency_fault_enable": True},
        brokers=(BrokerPlan("a", latency=(3, 9)),),
        faults=(BrokerFault("hang", "a", at=10, until=20),),
        load=Load(sends=4, mode="ONEWAY"),
    )


# ------------------------------------------------------------------------------------------------------ simulations


def test_a_run_writes_down_what_happened():
    faults = (BrokerFault("refuse", "broker-a", until=1000),)
    producer = {"send_latency_fault_enable": True}
    load = Load(sends=2, every=2000)
    run = simulate(Scenario(release="4.9.7", start=7, faults=faults, producer=producer, load=load))
    first, second = run.sends
    assert [(a.broker_name, a.at, a.ended, a.outcome, a.duration) for a in first.attempts] == [
        ("broker-a", 0, 1, "RemotingConnectException", 600_000),
        ("broker-b", 1, 6, "SEND_OK", 0),
    ]
    assert (second.at, second.attempts[0].broker_name) == (2000, "broker-b")
    assert [(u.at, u.broker_name, u.available_from) for u in run.updates] == [
        (1, "broker-a", 600_001),
        (6, "broker-b", 6),
        (2005, "broker-b", 2005),
    ]
    assert run.outcomes == {"SEND_OK": 2}
    assert [a.send for a in run.attempts] == [1, 1, 2]
    assert run.duplicates == 0


def test_a_message_stored_twice_is_counted():
    faults = (BrokerFault("slow", "broker-a", latency=3500),)
    run = simulate(Scenario(release="4.2.0", start=7, faults=faults))
    assert (run.sends[0].outcome, run.sends[0].stored, run.duplicates) == ("SEND_OK", 2, 1)


def test_with_the_name_server_down_from_the_start_a_run_ends_all_the_same():
    faults = (BrokerFault("name_server_down", until=100),)
    run = simulate(Scenario(release="4.9.7", start=0, faults=faults, load=Load(sends=2, every=200)))
    assert [send.outcome for send in run.sends] == ["IllegalStateException", "SEND_OK"]


def test_the_same_scenario_gives_the_same_bytes_and_another_seed_others():
    plans = (BrokerPlan("a", latency=(1, 500)), BrokerPlan("b", latency=(1, 500)))
    scenario = Scenario(brokers=plans, load=Load(sends=20))
    once = simulate(scenario).to_json()
    assert once == simulate(scenario).to_json()
    assert json.loads(once) == json.loads(json.dumps(json.loads(once)))
    assert once != simulate(scenario.but(seed=1)).to_json()


def test_progress_is_heard_to_the_end():
    told = []
    simulate(Scenario(load=Load(sends=1001)), lambda done, total: told.append((done, total)))
    assert told == [(1000, 1001), (1001, 1001)]


def test_only_a_scenario_can_be_simulated():
    with pytest.raises(ScenarioError):
        simulate({"release": "4.9.7"})  # type: ignore[arg-type]  # that is the point


ANYTHING: dict[str, Any] = {"text": "ab", "number": 3, "nothing": None}
"""What a caller without types may give."""


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda _c, p: p.send(None), "The message is None"),
        (
            lambda _c, p: p.send(Message("OrderTopic", ANYTHING["text"])),
            "The message's body is 'ab', which is a str",
        ),
        (lambda _c, p: p.send(Message(ANYTHING["nothing"], b"x")), "The message's topic is None"),
        (lambda c, _p: c.advance(-5), "negative"),
        (lambda c, _p: c.advance("x"), "which is a str"),
        (lambda c, _p: c.plan("hang"), "The fault is 'hang', which is a str"),
        (lambda _c, _p: Cluster.of(ANYTHING["text"]), "'a'"),
        (lambda _c, _p: read_scenario(ANYTHING["number"]), "The scenario is 3"),
        (lambda _c, _p: Scenario(producer={"release": "4.2.0"}), "The producer has no value release"),
    ],
)
def test_what_nobody_should_give_is_one_sentence(wrong, words):
    cluster = Cluster.of([("broker-a", 2)])
    with pytest.raises(RmqRefError) as caught:
        wrong(cluster, cluster.producer())
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[fault]]\nbroker = "broker-a"\ndoes = "code"\ncode = 0', "code 0, which means stored"),
        ('[load]\nbatch = 2\nmode = "ONEWAY"', "one by one"),
        ('[load]\nbatch = 2\nselector = "hash"', "one by one"),
    ],
)
def test_what_no_producer_or_broker_can_do_is_refused(text, words):
    with pytest.raises(ScenarioError, match=words):
        read_scenario(text)


@pytest.mark.parametrize(("version", "body"), [("4.4.0", b"changed"), ("4.5.1", b"x")])
def test_a_selector_gets_the_message_itself_up_to_4_4_0(version, body):
    def careless(mqs, msg, arg):
        msg.body = b"changed"
        return mqs[0]

    cluster = Cluster.of([("broker-a", 2)])
    cluster.producer(release=version).send(Message("OrderTopic", b"x"), selector=careless)
    assert [kept.body for kept in cluster.brokers["broker-a"].messages("OrderTopic")] == [body]
