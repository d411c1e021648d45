"""Public reports about sends, each with the value that is right; the id in a test's name names the report."""

from typing import Any

import pytest

from rmqref import Message
from rmqref.broker import TopicConfig
from rmqref.cluster import BrokerFault, Cluster
from rmqref.errors import (
    MQBrokerException,
    MQClientException,
    RemotingTimeoutException,
    RemotingTooMuchRequestException,
)
from rmqref.faults import DETECT_INTERVAL, DETECT_TIMEOUT
from rmqref.model import MessageQueue, TopicRouteData
from rmqref.producer import (
    ASYNC_SENDER_QUEUE,
    SendCallback,
    broker_vip_channel,
    try_to_find_topic_publish_info,
)
from rmqref.scenario import BrokerPlan, Load, Scenario
from rmqref.simulation import simulate


def scenario_of(version, *brokers, faults=(), start=None, producer=None, load=None, broker_release="5.3.3"):
    """Return a scenario of brokers given as (name, queues) or (name, queues, latency)."""
    return Scenario(
        release=version,
        start=start,
        producer=producer or {},
        brokers=tuple(BrokerPlan(*plan) for plan in brokers),
        faults=faults,
        load=load or Load(),
        broker_release=broker_release,
    )


def only_send(*args, **options):
    run = simulate(scenario_of(*args, **options))
    (send,) = run.sends
    return send


def heard():
    """Return a list, and a callback that writes down in it what it hears."""
    told: list[Any] = []
    return told, SendCallback(told.append, told.append)


def tried(send):
    return [(a.broker_name, a.timeout, a.outcome) for a in send.attempts]


# ------------------------------------------------------------------------------------------------------- the time


def test_to_1921_the_rest_of_the_brokers_get_no_time_but_store_the_message():
    """https://github.com/apache/rocketmq/issues/1921"""
    brokers = [(name, 1) for name in "abcd"]
    send = only_send("4.7.1", *brokers, faults=[BrokerFault("hang", "a")], start=3)
    assert tried(send) == [
        ("a", 3000, "RemotingTimeoutException"),
        ("b", 0, "RemotingTimeoutException"),
        ("c", 0, "RemotingTimeoutException"),
    ]
    assert (send.outcome, send.code, send.ended) == ("MQClientException", 10002, 3000)
    words = "Send [3] times, still failed, cost [3000]ms, Topic: OrderTopic, BrokersSent: [a, b, c]\n"
    assert send.error.startswith(words)
    assert send.stored == 2


def test_to_1921_one_millisecond_more_and_the_cause_is_lost():
    """https://github.com/apache/rocketmq/issues/1921: the test is `timeout < cost`."""
    brokers = [(name, 1) for name in "abcd"]
    faults = [BrokerFault("hang", "a"), BrokerFault("refuse", "b")]
    send = only_send("4.7.1", *brokers, faults=faults, start=3)
    assert tried(send) == [("a", 3000, "RemotingTimeoutException"), ("b", 0, "RemotingConnectException")]
    assert (send.outcome, send.code, send.error) == (
        "RemotingTooMuchRequestException",
        None,
        "sendDefaultImpl call timeout",
    )
    assert send.stored == 0


def test_to_1921_up_to_4_2_0_every_attempt_has_the_whole_time():
    """https://github.com/apache/rocketmq/issues/1921"""
    brokers = [(name, 1) for name in "abcd"]
    send = only_send("4.2.0", *brokers, faults=[BrokerFault("hang", "a")], start=3)
    assert tried(send) == [("a", 3000, "RemotingTimeoutException"), ("b", 3000, "SEND_OK")]
    assert send.stored == 1


@pytest.mark.parametrize(("rt", "attempts"), [(10_000, 3), (10_015, 1)])
def test_to_4720_one_attempt_uses_up_all_the_time(rt, attempts):
    """https://github.com/apache/rocketmq/issues/4720"""
    cluster = Cluster.of([("a", 1), ("b", 1)], topic="T")
    producer = cluster.producer(release="4.9.4")
    kernel_calls = []

    def send_kernel(msg, mq, mode, callback, topic, timeout):
        kernel_calls.append(timeout)
        cluster.advance(rt if len(kernel_calls) == 1 else 0)
        raise RemotingTimeoutException("10.0.0.1:10911", timeout)

    producer.send_kernel = send_kernel
    with pytest.raises((RemotingTooMuchRequestException, MQClientException)) as thrown:
        producer.send(Message("T", b"x"), timeout=10_000)
    assert kernel_calls == [10_000, 0, 0][:attempts]
    if attempts == 1:
        assert type(thrown.value) is RemotingTooMuchRequestException
        assert str(thrown.value) == "sendDefaultImpl call timeout"
    else:
        assert type(thrown.value) is MQClientException
        assert thrown.value.response_code == 10002


def test_to_4720_a_limit_for_one_request_leaves_time_for_another_broker():
    """https://github.com/apache/rocketmq/issues/4720: sendMsgMaxTimeoutPerRequest, from 5.3.3."""
    faults = [BrokerFault("hang", "a")]
    settings = {"send_msg_timeout": 10_000, "send_msg_max_timeout_per_request": 3000}
    send = only_send("5.3.3", ("a", 1), ("b", 1), faults=faults, start=1, producer=settings)
    assert tried(send) == [("a", 3000, "RemotingTimeoutException"), ("b", 3000, "SEND_OK")]


def test_to_4609_a_selector_that_takes_all_the_time():
    """https://github.com/apache/rocketmq/issues/4609: nothing to do with too many requests."""
    cluster = Cluster.of([("a", 1)], topic="T")
    producer = cluster.producer(release="4.9.7")

    def slow(mqs, msg, arg):
        cluster.advance(3001)
        return mqs[0]

    with pytest.raises(RemotingTooMuchRequestException, match=r"^sendSelectImpl call timeout$"):
        producer.send(Message("T", b"x"), selector=slow)
    assert cluster.brokers["a"].messages("T") == []


def test_to_canal_1358_the_time_is_over_inside_send_kernel_impl_before_the_request():
    """https://github.com/alibaba/canal/issues/1358: here looking up the route takes it."""

    class Slow(Cluster):
        def get_topic_route_info(self, topic):
            self.advance(3001)
            return super().get_topic_route_info(topic)

    cluster = Slow()
    cluster.add_broker("a", {"T": TopicConfig("T")})
    producer = cluster.producer(release="4.3.0")
    with pytest.raises(RemotingTooMuchRequestException, match=r"^sendKernelImpl call timeout$"):
        producer.send(Message("T", b"x"), MessageQueue("T", "a", 0))
    assert cluster.brokers["a"].messages("T") == []


# ------------------------------------------------------------------------------------------------ connection, route


@pytest.mark.parametrize(
    ("version", "port"), [("4.3.1", 10909), ("4.4.0", 10909), ("4.5.1", 10911), ("5.3.3", 10911)]
)
def test_to_568_vip_port(version, port):
    """https://github.com/apache/rocketmq/issues/568"""
    assert broker_vip_channel(True, "10.0.0.1:10911") == "10.0.0.1:10909"
    asked = []

    class Watched(Cluster):
        def invoke_sync(self, addr, request, timeout):
            asked.append(addr)
            return super().invoke_sync(addr, request, timeout)

    cluster = Watched()
    cluster.add_broker("a", {"T": TopicConfig("T")})
    result = cluster.producer(release=version).send(Message("T", b"x"))
    assert result is not None
    assert result.send_status.name == "SEND_OK"
    assert asked == [f"10.0.0.1:{port}"]


def test_retry_go_730_a_refused_connection_is_followed_by_another_broker():
    """https://github.com/apache/rocketmq-client-go/issues/730: the route is not asked for anew."""
    run = simulate(scenario_of("4.9.7", ("a", 1), ("b", 1, 4), faults=[BrokerFault("refuse", "a")], start=1))
    (send,) = run.sends
    assert [(a.broker_name, a.outcome) for a in send.attempts] == [
        ("a", "RemotingConnectException"),
        ("b", "SEND_OK"),
    ]
    assert sorted(run.producer.broker_addr_table) == ["a", "b"]


@pytest.mark.parametrize(
    ("version", "failures", "share"), [("4.7.1", 268, [401, 133, 133, 133]), ("4.8.0", 200, [200] * 4)]
)
def test_uneven_derived_downbroker_which_queue_takes_the_retries(version, failures, share):
    """https://github.com/apache/rocketmq/pull/2253"""
    run = simulate(
        scenario_of(
            version,
            ("b1", 4),
            ("b2", 4),
            faults=[BrokerFault("refuse", "b1")],
            start=0,
            producer={"retry_times_when_send_failed": 1},
            load=Load(sends=800),
        )
    )
    firsts = [send.attempts[0].outcome for send in run.sends]
    assert firsts.count("RemotingConnectException") == failures
    assert [run.share["b2", queue_id] for queue_id in range(4)] == share
    assert sum(run.share.values()) == 800


def test_uneven_eventmesh_23_each_topic_has_its_own_counter():
    """https://github.com/apache/eventmesh/issues/23: a counter for all topics would skip every other queue."""
    cluster = Cluster()
    cluster.add_broker("a", {"T1": TopicConfig("T1", 2, 2), "T2": TopicConfig("T2", 2, 2)})
    producer = cluster.producer()
    for topic in ("T1", "T2"):
        try_to_find_topic_publish_info(producer, topic).send_which_queue.stored = 1
    ids: dict[str, list[int]] = {"T1": [], "T2": []}
    for topic in ["T1", "T2"] * 4:
        result = producer.send(Message(topic, b"x"))
        assert result is not None
        ids[topic].append(result.message_queue.queue_id)
    assert ids == {"T1": [0, 1, 0, 1], "T2": [0, 1, 0, 1]}


def template_cluster(version):
    """Return a cluster of two brokers without the topic, and a producer that starts at broker-a's first queue."""
    cluster = Cluster.of([("broker-a", 0), ("broker-b", 0)], topic="T", version=version)
    producer = cluster.producer(release=version)
    cluster.advance(20)
    topic = try_to_find_topic_publish_info(producer, "T")
    topic.send_which_queue.stored = 7
    return cluster, producer, topic


def holders(cluster):
    return [name for name, broker in cluster.brokers.items() if "T" in broker.topics]


@pytest.mark.parametrize("version", ["4.2.0", "4.3.0", "4.3.1", "5.3.3"])
def test_rt_566_a_topic_is_made_on_the_one_broker_that_got_the_message(version):
    """https://github.com/apache/rocketmq/issues/566"""
    cluster, producer, template = template_cluster(version)
    names = [str(mq) for mq in template.message_queue_list]
    assert names == [f"{name} : {n}" for name in ("broker-a", "broker-b") for n in range(4)]
    producer.send(Message("T", b"x"))
    assert holders(cluster) == ["broker-a"]
    assert producer.topic_publish_info_table["T"] is template
    cluster.advance(30_000)
    route = producer.topic_publish_info_table["T"].topic_route_data
    assert [(data.broker_name, data.write_queue_nums) for data in route.queue_datas] == [("broker-a", 4)]


@pytest.mark.parametrize(("messages", "made"), [(4, ["broker-a"]), (5, ["broker-a", "broker-b"])])
def test_rt_6657_only_the_fifth_message_makes_the_topic_on_the_second_broker(messages, made):
    """https://github.com/apache/rocketmq/issues/6657"""
    cluster, producer, _ = template_cluster("5.1.0")
    for _ in range(messages):
        producer.send(Message("T", b"x"))
    assert holders(cluster) == made


@pytest.mark.parametrize("version", ["4.9.4", "5.3.3"])
def test_rt_order_gone_an_ordered_topic_keeps_a_broker_that_is_gone(version):
    """https://github.com/apache/rocketmq/issues/11187"""

    class Ordered(Cluster):
        def get_topic_route_info(self, topic):
            return TopicRouteData([], [], order_topic_conf="broker-gone:3")

    producer = Ordered().producer(release=version)
    topic = try_to_find_topic_publish_info(producer, "T")
    assert [str(mq) for mq in topic.message_queue_list] == [f"broker-gone : {n}" for n in range(3)]
    with pytest.raises(MQClientException, match=r"^Send \[3\] times.*broker-gone, broker-gone") as thrown:
        producer.send(Message("T", b"x"))
    assert thrown.value.response_code == 10003
    assert str(thrown.value.cause).startswith("The broker[broker-gone] not exist\n")


# --------------------------------------------------------------------------------------------- answers of the broker


def busy(version, **settings):
    faults = [BrokerFault("code", "b1", code=2)]
    return scenario_of(version, ("b1", 1), ("b2", 1), faults=faults, start=1, producer=settings)


@pytest.mark.parametrize("version", ["4.5.2", "4.9.4", "5.2.0"])
def test_st_2442_system_busy_is_thrown_at_once(version):
    """https://github.com/apache/rocketmq/issues/2442"""
    (send,) = simulate(busy(version)).sends
    assert (send.outcome, send.code, len(send.attempts)) == ("MQBrokerException", 2, 1)
    assert send.error.startswith("CODE: 2  DESC: [TIMEOUT_CLEAN_QUEUE]broker busy")


@pytest.mark.parametrize("version", ["5.3.0", "5.3.3"])
def test_st_2442_system_busy_is_retried_from_5_3_0(version):
    """https://github.com/apache/rocketmq/issues/2442"""
    (send,) = simulate(busy(version)).sends
    assert (send.outcome, send.broker_name, len(send.attempts)) == ("SEND_OK", "b2", 2)


@pytest.mark.parametrize("version", ["4.9.2", "4.9.4", "5.0.0-ALPHA"])
def test_st_2442_a_retry_code_can_be_added_from_4_9_2(version):
    """https://github.com/apache/rocketmq/issues/2442"""
    _, producer = busy(version).prepare()
    producer.add_retry_response_code(2)
    try_to_find_topic_publish_info(producer, "OrderTopic").send_which_queue.stored = 1
    result = producer.send(Message("OrderTopic", b"x"))
    assert (result.send_status.name, result.message_queue.broker_name) == ("SEND_OK", "b2")


@pytest.mark.parametrize(
    ("version", "codes"),
    [
        ("4.2.0", {1, 14, 16, 17, 204, 205}),
        ("4.9.4", {1, 14, 16, 17, 204, 205}),
        ("5.3.0", {1, 2, 14, 16, 17, 204, 205}),
        ("5.3.1", {1, 2, 14, 16, 17, 204, 205, 1500}),
    ],
)
def test_st_2542_which_answers_are_tried_again(version, codes):
    """https://github.com/apache/rocketmq/issues/2542: asked of the loop itself, code by code."""
    cluster = Cluster.of([("b1", 1), ("b2", 1)], topic="T")
    retried = set()
    for code in (1, 2, 13, 14, 16, 17, 29, 204, 205, 1500, 2000):
        producer = cluster.producer(release=version)
        calls: list[str] = []

        def send_kernel(msg, mq, mode, callback, topic, timeout, calls=calls, code=code):
            calls.append(mq.broker_name)
            raise MQBrokerException(code, "no")

        producer.send_kernel = send_kernel
        with pytest.raises((MQBrokerException, MQClientException)) as thrown:
            producer.send(Message("T", b"x"))
        assert getattr(thrown.value, "response_code", None) == code
        assert len(calls) in (1, 3)
        if len(calls) == 3:
            retried.add(code)
    assert retried == codes


def test_st_5845_a_request_taken_out_of_the_queue_was_not_stored():
    """https://github.com/apache/rocketmq/pull/5845"""
    remark = (
        "[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, "
        "period in queue: 208ms, size of queue: 8"
    )
    faults = [BrokerFault("code", "b1", code=2, remark=remark)]
    send = only_send("4.9.7", ("b1", 1), faults=faults)
    assert send.error.startswith(f"CODE: 2  DESC: {remark} BROKER: 10.0.0.1:10911\n")
    assert (send.code, send.stored) == (2, 0)


@pytest.mark.parametrize(("version", "avoided"), [("4.9.4", 600_000), ("5.3.3", 10_000)])
def test_st_2471_an_answer_with_an_error_isolates_the_broker(version, avoided):
    """https://github.com/apache/rocketmq/issues/2471: although it took only 207 ms."""
    run = simulate(
        scenario_of(
            version,
            ("b1", 1, 207),
            ("b2", 1),
            faults=[BrokerFault("code", "b1", code=2)],
            start=1,
            producer={"send_latency_fault_enable": True},
        )
    )
    update = run.updates[0]
    assert (update.at, update.broker_name, update.latency) == (207, "b1", 207)
    assert (update.duration, update.available_from) == (avoided, 207 + avoided)


def test_det_7319_both_switches_are_off_unless_told_otherwise():
    """https://github.com/apache/rocketmq/pull/7320"""
    producer = Cluster().producer(release="5.3.3")
    assert (producer.send_latency_fault_enable, producer.start_detector_enable) == (False, False)
    assert producer.mq_fault_strategy.send_latency_fault_enable is False
    assert (DETECT_INTERVAL, DETECT_TIMEOUT) == (2000, 200)


def test_det_7319_the_detector_probes_only_where_it_is_started():
    """https://github.com/apache/rocketmq/pull/7320"""
    faults = [BrokerFault("refuse", "b1", until=4000)]

    def probes(*, detector):
        settings = {"send_latency_fault_enable": True, "start_detector_enable": detector}
        load = Load(sends=2, every=8000)
        return simulate(
            scenario_of("5.3.3", ("b1", 1), ("b2", 1), faults=faults, start=1, producer=settings, load=load)
        ).probes

    assert probes(detector=False) == []
    assert (6000, "b1", True) in probes(detector=True)


# ---------------------------------------------------------------------------------------------------- asynchronous


@pytest.mark.parametrize(
    ("version", "does", "broker_release", "code"),
    [
        ("4.6.1", "hang", "4.6.1", 1),
        ("4.9.4", "refuse", "4.9.4", 1),
        ("5.3.3", "refuse", "5.3.3", 29),
    ],
)
def test_as_1497_an_async_retry_keeps_the_queue_id(version, does, broker_release, code):
    """https://github.com/apache/rocketmq/issues/1497: and the answer "illegal" is not tried again.

    After a *timeout* the retry gets as far as the broker up to 4.6.1 only: later its time is below 0.
    """
    send = only_send(
        version,
        ("b1", 8),
        ("b2", 4),
        faults=[BrokerFault(does, "b1")],
        start=5,
        load=Load(mode="ASYNC"),
        broker_release=broker_release,
    )
    assert [(a.broker_name, a.queue_id) for a in send.attempts] == [("b1", 6), ("b2", 6)]
    assert (send.outcome, send.code, send.stored) == ("MQBrokerException", code, 0)
    assert send.error.startswith(f"CODE: {code}  DESC: request queueId[6] is illegal")


def async_timeouts(version):
    return only_send(
        version,
        ("b1", 1),
        ("b2", 1),
        faults=[BrokerFault("hang", "b1")],
        start=1,
        load=Load(mode="ASYNC"),
    )


@pytest.mark.parametrize("version", ["4.2.0", "4.6.1"])
def test_as_1781_an_async_retry_has_no_time_up_to_4_6_1(version):
    """https://github.com/apache/rocketmq/issues/1781: it is sent all the same."""
    send = async_timeouts(version)
    assert tried(send) == [("b1", 3000, "RemotingTimeoutException"), ("b2", 0, "SEND_OK")]


def test_as_1781_an_async_retry_has_what_is_left_from_4_7_0():
    """https://github.com/apache/rocketmq/issues/1781: after a timeout that is less than nothing."""
    send = async_timeouts("4.7.0")
    assert tried(send) == [
        ("b1", 3000, "RemotingTimeoutException"),
        ("b2", -1000, "RemotingTooMuchRequestException"),
    ]
    assert (send.outcome, send.stored) == ("RemotingTooMuchRequestException", 0)


def test_as_1671_too_many_async_sends_wait():
    """https://github.com/apache/rocketmq/issues/1671: the client's own queue is full."""
    cluster = Cluster.of([("a", 1)], topic="T")
    producer = cluster.producer(release="4.6.0", async_sender_wait=1)
    told, callback = heard()
    message = Message("T", b"x")
    for _ in range(ASYNC_SENDER_QUEUE):
        producer.send(message, send_callback=callback)
    with pytest.raises(MQClientException, match=r"^executor rejected "):
        producer.send(message, send_callback=callback)
    assert (ASYNC_SENDER_QUEUE, told) == (50_000, [])


def test_as_4838_the_time_of_an_async_send_counts_from_the_call():
    """https://github.com/apache/rocketmq/issues/4838: no queue was picked."""
    cluster = Cluster.of([("a", 4)], topic="T")
    producer = cluster.producer(release="4.9.7", async_sender_wait=3000)
    topic = try_to_find_topic_publish_info(producer, "T")
    topic.send_which_queue.stored = 7
    told, callback = heard()
    producer.send(Message("T", b"x"), send_callback=callback)
    cluster.drain()
    (thrown,) = told
    assert type(thrown) is RemotingTooMuchRequestException
    assert str(thrown) == "DEFAULT ASYNC send call timeout"
    assert topic.send_which_queue.stored == 7
    assert cluster.brokers["a"].messages("T") == []


def test_as_4838_one_millisecond_is_enough_to_begin():
    """https://github.com/apache/rocketmq/issues/4838"""
    cluster = Cluster.of([("a", 4)], topic="T", latency=0)
    producer = cluster.producer(release="4.9.7", async_sender_wait=2999)
    told, callback = heard()
    producer.send(Message("T", b"x"), send_callback=callback)
    cluster.drain()
    assert [result.send_status.name for result in told] == ["SEND_OK"]
