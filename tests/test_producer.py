"""What a producer does with what it is given: settings, queues, selectors, batches, headers, and routes."""

import zlib
from typing import Any

import pytest

from rmqref import Message
from rmqref.broker import TopicConfig
from rmqref.cluster import BrokerFault, Cluster, Nowhere
from rmqref.errors import (
    IllegalStateException,
    MQBrokerException,
    MQClientException,
    NegativeArraySizeException,
    RemotingConnectException,
    RemotingTimeoutException,
    SendError,
    SituationError,
    UnknownRelease,
    UnsupportedOperationException,
)
from rmqref.java import ManualClock
from rmqref.model import MessageBatch, MessageQueue, TopicRouteData
from rmqref.producer import (
    DefaultMQProducer,
    SendCallback,
    encoded,
    send_request,
    try_to_find_topic_publish_info,
)
from rmqref.releases import VERSIONS, release

UP_TO_4_4_0 = VERSIONS[: VERSIONS.index("4.5.1")]
HAS_BNAME = ("4.9.5", "4.9.6", "4.9.7", "4.9.8", *VERSIONS[VERSIONS.index("5.1.0") :])
FAQ = "http://rocketmq.apache.org/docs/faq/"


def two_brokers(version="4.9.7", **settings):
    cluster = Cluster.of([("broker-a", 2), ("broker-b", 2)], topic="T")
    return cluster, cluster.producer(release=version, **settings)


def paid(**fields):
    return Message("T", b"paid", **fields)


def heard():
    """Return a list, and a callback that writes down in it what it hears."""
    told: list[Any] = []
    return told, SendCallback(told.append, told.append)


def request_of(producer, message, queue_id=0):
    return send_request(producer, message, MessageQueue("T", "broker-a", queue_id))


# -------------------------------------------------------------------------------------------------------- settings


@pytest.mark.parametrize("version", VERSIONS)
def test_the_defaults_are_java_s(version):
    _, producer = two_brokers(version)
    assert producer.send_msg_timeout == 3000
    assert producer.retry_times_when_send_failed == 2
    assert producer.retry_times_when_send_async_failed == 2
    assert producer.retry_another_broker_when_not_store_ok is False
    assert producer.default_topic_queue_nums == 4
    assert producer.compress_msg_body_over_howmuch == 4096
    assert producer.max_message_size == 4_194_304
    assert producer.send_msg_max_timeout_per_request == -1
    assert producer.send_latency_fault_enable is False
    assert producer.vip_channel_enabled is (version in UP_TO_4_4_0)
    assert producer.create_topic_key == ("AUTO_CREATE_TOPIC_KEY" if version == "4.3.0" else "TBW102")


@pytest.mark.parametrize(
    ("name", "value", "version"),
    [
        ("send_msg_max_timeout_per_request", 100, "5.3.2"),
        ("start_detector_enable", True, "5.1.3"),
    ],
)
def test_a_setting_that_the_release_does_not_have_is_refused(name, value, version):
    with pytest.raises(SendError, match=rf"^A producer of {version} has no setting {name}: choose a later"):
        two_brokers(version, **{name: value})


def test_add_retry_response_code_needs_4_9_2():
    _, producer = two_brokers("4.9.1")
    with pytest.raises(SendError, match=r"^A producer of 4\.9\.1 has no setting retry_response_codes"):
        producer.add_retry_response_code(2)


def test_a_code_added_to_one_producer_is_not_known_to_another():
    cluster, producer = two_brokers()
    producer.add_retry_response_code(2)
    assert 2 in producer.retry_response_codes
    assert 2 not in cluster.producer(release="4.9.7").retry_response_codes


def test_an_unknown_release_is_refused():
    with pytest.raises(UnknownRelease):
        two_brokers("4.5.0")


def test_a_setting_of_a_wrong_kind_is_refused():
    with pytest.raises(
        SituationError, match=r"^The send_msg_timeout is '3000', which is a str: give an int\."
    ):
        DefaultMQProducer(remoting=Nowhere(), clock=ManualClock(), send_msg_timeout="3000")  # type: ignore[arg-type]


@pytest.mark.parametrize(("given", "timeout"), [(None, 3000), (700, 700)])
def test_the_timeout_of_a_send_goes_before_the_producer_s(given, timeout):
    cluster, producer = two_brokers("4.2.0", retry_times_when_send_failed=0)
    cluster.plan(BrokerFault("hang", "broker-a"))
    cluster.plan(BrokerFault("hang", "broker-b"))
    begin = cluster.clock.now
    with pytest.raises(MQClientException, match=rf"cost \[{timeout}\]ms") as thrown:
        producer.send(paid(), timeout=timeout)
    assert cluster.clock.now - begin == timeout
    assert isinstance(thrown.value.cause, RemotingTimeoutException)


def test_retries_of_minus_one_are_no_attempt_at_all():
    _, producer = two_brokers(retry_times_when_send_failed=-1)
    with pytest.raises(MQClientException, match=r"^Send \[0\] times.*BrokersSent: \[\]\n") as thrown:
        producer.send(paid())
    assert (thrown.value.response_code, thrown.value.cause) == (-1, None)


def test_retries_below_minus_one_are_an_array_that_cannot_be():
    _, producer = two_brokers(retry_times_when_send_failed=-2)
    with pytest.raises(NegativeArraySizeException):
        producer.send(paid())


# ------------------------------------------------------------------------------------------------- the way to send


def test_a_given_queue_is_used():
    cluster, producer = two_brokers()
    result = producer.send(paid(), MessageQueue("T", "broker-b", 1))
    assert str(result.message_queue) == "broker-b : 1"
    assert [message.body for message in cluster.brokers["broker-b"].messages("T", 1)] == [b"paid"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_given_queue_of_another_topic_is_refused(version):
    _, producer = two_brokers(version)
    with pytest.raises(MQClientException, match=r"^message's topic not equal mq's topic\n"):
        producer.send(paid(), MessageQueue("U", "broker-a", 0))


@pytest.mark.parametrize("version", ["4.0.0-incubating", "4.9.7", "5.3.3"])
def test_oneway_does_not_compare_the_topic_with_the_queue_s(version):
    """sendOneway(Message, MessageQueue) has no such line in any release."""
    cluster, producer = two_brokers(version)
    try_to_find_topic_publish_info(producer, "T")
    producer.send_oneway(paid(), MessageQueue("U", "broker-b", 1))
    cluster.drain()
    assert len(cluster.brokers["broker-b"].messages("T", 1)) == 1


def test_a_given_queue_is_tried_once_and_the_fault_table_hears_nothing():
    cluster, producer = two_brokers(send_latency_fault_enable=True)
    cluster.plan(BrokerFault("refuse", "broker-a"))
    with pytest.raises(RemotingConnectException):
        producer.send(paid(), MessageQueue("T", "broker-a", 0))
    assert not list(producer.mq_fault_strategy.latency_fault_tolerance.fault_item_table)


def test_a_queue_and_a_selector_at_once_are_refused():
    _, producer = two_brokers()
    with pytest.raises(SendError, match=r"^A send has both a queue and a selector"):
        producer.send(paid(), MessageQueue("T", "broker-a", 0), selector=lambda mqs, _msg, _arg: mqs[0])


def test_a_selector_gets_the_list_the_message_and_the_argument():
    _, producer = two_brokers()
    seen = []

    def select(mqs, msg, arg):
        seen.append(([str(mq) for mq in mqs], msg.body, arg))
        return mqs[3]

    assert str(producer.send(paid(), selector=select, arg="k").message_queue) == "broker-b : 1"
    assert seen == [(["broker-a : 0", "broker-a : 1", "broker-b : 0", "broker-b : 1"], b"paid", "k")]


@pytest.mark.parametrize(("version", "word"), [("4.7.1", "throwed"), ("4.8.0", "threw"), ("5.3.3", "threw")])
def test_what_a_selector_throws_is_the_cause(version, word):
    _, producer = two_brokers(version)

    def select(mqs, msg, arg):
        raise KeyError(arg)

    with pytest.raises(MQClientException, match=rf"^select message queue {word} exception\.\n") as thrown:
        producer.send(paid(), selector=select, arg="k")
    assert isinstance(thrown.value.cause, KeyError)
    assert thrown.value.response_code == -1


def test_a_selector_that_returns_none_is_refused():
    _, producer = two_brokers()
    with pytest.raises(MQClientException, match=r"^select message queue return null\.\n"):
        producer.send(paid(), selector=lambda _mqs, _msg, _arg: None)


def test_a_selector_that_returns_something_else_is_refused():
    _, producer = two_brokers()
    with pytest.raises(SituationError, match=r"^The queue of the selector is 'broker-a', which is a str"):
        producer.send(paid(), selector=lambda _mqs, _msg, _arg: "broker-a")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_selector_can_change_the_shared_list_up_to_4_4_0(version):
    _, producer = two_brokers(version)

    def select(mqs, msg, arg):
        mqs[1].queue_id = 0
        return mqs.pop(0)

    producer.send(paid(), selector=select)
    left = [str(mq) for mq in producer.topic_publish_info_table["T"].message_queue_list]
    whole = ["broker-a : 0", "broker-a : 1", "broker-b : 0", "broker-b : 1"]
    assert left == (["broker-a : 0", *whole[2:]] if version in UP_TO_4_4_0 else whole)


def test_oneway_returns_nothing_and_notices_a_refused_connection():
    cluster, producer = two_brokers()
    assert producer.send_oneway(paid()) is None
    cluster.plan(BrokerFault("refuse", "broker-a"))
    cluster.plan(BrokerFault("refuse", "broker-b"))
    with pytest.raises(MQClientException, match=r"^Send \[1\] times") as thrown:
        producer.send_oneway(paid())
    assert thrown.value.response_code == 10001


def test_an_async_error_is_thrown_up_to_4_2_0_and_told_from_4_3_0():
    _, old = two_brokers("4.2.0")
    told, callback = heard()
    with pytest.raises(MQClientException, match=r"^CODE: 13"):
        old.send(Message("T"), send_callback=callback)
    assert told == []
    cluster, new = two_brokers("4.3.0")
    new.send(Message("T"), send_callback=callback)
    cluster.drain()
    assert [error.response_code for error in told] == [13]


def test_4_0_0_swallows_the_retry_of_an_async_send_to_a_given_queue():
    def outcome(version):
        cluster, producer = two_brokers(version)
        try_to_find_topic_publish_info(producer, "T")
        cluster.plan(BrokerFault("hang", "broker-a"))
        told, callback = heard()
        producer.send(paid(), MessageQueue("T", "broker-a", 0), send_callback=callback)
        cluster.drain()
        return [thrown.name for thrown in told], [thrown.name for thrown in cluster.swallowed]

    assert outcome("4.0.0-incubating") == ([], ["NullPointerException"])
    assert outcome("4.1.0-incubating") == (["MQClientException"], [])


@pytest.mark.parametrize(
    ("version", "times"), [("5.2.0", 1), ("5.3.0", 2), ("5.3.1", 2), ("5.3.2", 1), ("5.3.3", 1)]
)
def test_a_callback_hears_twice_of_a_request_that_was_too_late_in_5_3_0_and_5_3_1(version, times):
    """NettyRemotingClient#invokeAsync tells the callback there, and goes on."""
    cluster, producer = two_brokers(version)
    cluster.plan(BrokerFault("hang", "broker-a"))
    cluster.plan(BrokerFault("hang", "broker-b"))
    told, callback = heard()
    producer.send(paid(), send_callback=callback)
    cluster.drain()
    assert len(told) == times


# --------------------------------------------------------------------------------------------- messages and batches


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (Message(" ", b"x"), "The specified topic is blank"),
        (Message("a.b", b"x"), "The specified topic[a.b] contains illegal characters, allowing only ^"),
        (Message("T", b""), "CODE: 13  DESC: the message body length is zero"),
    ],
)
def test_a_message_that_no_broker_would_take_is_refused(message, words):
    _, producer = two_brokers()
    with pytest.raises(MQClientException) as thrown:
        producer.send(message)
    assert str(thrown.value).startswith(words)
    assert str(thrown.value).endswith(f"\nFor more information, please visit the url, {FAQ}")


@pytest.mark.parametrize(("version", "most"), [("4.6.0", 255), ("4.6.1", 127), ("5.3.3", 127)])
def test_how_long_a_topic_s_name_may_be(version, most):
    _, producer = two_brokers(version)
    assert producer.send(Message("t" * most, b"x")).send_status.name == "SEND_OK"
    with pytest.raises(MQClientException, match=rf"longer than topic max length {most}\."):
        producer.send(Message("t" * (most + 1), b"x"))


def test_the_largest_body():
    _, producer = two_brokers(max_message_size=10)
    assert producer.send(Message("T", b"x" * 10)).send_status.name == "SEND_OK"
    with pytest.raises(MQClientException, match=r"the message body size over max value, MAX: 10\n") as thrown:
        producer.send(Message("T", b"x" * 11))
    assert thrown.value.response_code == 13


def test_a_list_travels_as_one():
    cluster, producer = two_brokers()
    messages = [Message("T", bytes([n])) for n in range(3)]
    result = producer.send(messages, MessageQueue("T", "broker-a", 1))
    assert cluster.brokers["broker-a"].messages("T", 1) == messages
    assert result.msg_id.split(",") == [message.unique_id for message in messages]
    assert len(set(result.msg_id.split(","))) == 3


def test_a_batch_s_body_holds_each_message_with_its_length_first():
    first, second = encoded(Message("T", b"ab")), encoded(Message("T", b"c", tags="t"))
    assert int.from_bytes(first[:4], "big") == len(first)
    assert int.from_bytes(second[:4], "big") == len(second)
    assert first[20:22] == b"ab"
    assert second.endswith(b"TAGS\x01t\x02WAIT\x01true\x02")


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (Message("U", b"x"), "The topic of the messages in one batch should be the same"),
        (paid(delay_time_level=1), "TimeDelayLevel is not supported for batching"),
        (paid(wait_store_msg_ok=False), "The waitStoreMsgOK of the messages in one batch should the same"),
    ],
)
def test_each_rule_of_batches(second, words):
    _, producer = two_brokers()
    with pytest.raises(MQClientException, match=r"^Failed to initiate the MessageBatch\n") as thrown:
        producer.send([paid(), second])
    assert isinstance(thrown.value.cause, UnsupportedOperationException)
    assert str(thrown.value.cause) == words


def test_a_retry_topic_cannot_be_batched():
    _, producer = two_brokers()
    with pytest.raises(MQClientException) as thrown:
        producer.send([Message("%RETRY%group", b"x")])
    assert str(thrown.value.cause) == "Retry Group is not supported for batching"


def test_a_message_of_a_batch_is_checked_like_any_other():
    _, producer = two_brokers()
    with pytest.raises(MQClientException) as thrown:
        producer.send([paid(), Message("T", b"")])
    assert str(thrown.value.cause).startswith("CODE: 13  DESC: the message body length is zero")


def test_4_0_0_knows_no_batches_and_no_release_an_empty_one():
    with pytest.raises(SendError, match=r"^A producer of 4\.0\.0-incubating knows no batches"):
        two_brokers("4.0.0-incubating")[1].send([paid()])
    with pytest.raises(SendError, match=r"^The batch has no message"):
        two_brokers()[1].send([])


# ------------------------------------------------------------------------------------------------------ the request


@pytest.mark.parametrize("version", VERSIONS)
def test_the_header_s_fields(version):
    cluster, producer = two_brokers(version, producer_group="g", default_topic_queue_nums=3, unit_mode=True)
    header = request_of(producer, paid(flag=7, tags="t"), queue_id=1).header
    assert (header.producer_group, header.topic, header.queue_id, header.flag) == ("g", "T", 1, 7)
    assert (header.default_topic, header.default_topic_queue_nums) == (release(version).default_topic, 3)
    assert (header.sys_flag, header.reconsume_times, header.unit_mode) == (0, 0, True)
    assert header.born_timestamp == cluster.clock.now
    assert header.properties.startswith("TAGS\x01t\x02WAIT\x01true\x02UNIQ_KEY\x01")
    assert header.batch is (None if version == "4.0.0-incubating" else False)
    assert header.bname == ("broker-a" if version in HAS_BNAME else None)


def test_the_header_of_a_batch_says_so():
    _, producer = two_brokers()
    batch = MessageBatch("T", b"x" * 5000, messages=[paid()])
    request = request_of(producer, batch)
    assert request.header.batch is True
    assert (request.header.sys_flag, request.body) == (0, b"x" * 5000)


@pytest.mark.parametrize("version", VERSIONS)
def test_from_which_size_a_body_is_compressed_and_with_which_flag(version):
    _, producer = two_brokers(version)
    small = request_of(producer, Message("T", b"x" * 4095))
    assert (small.header.sys_flag, small.body) == (0, b"x" * 4095)
    large = request_of(producer, Message("T", b"x" * 4096))
    named = VERSIONS.index(version) >= VERSIONS.index("4.9.4")
    assert large.header.sys_flag == (769 if named else 1)
    assert len(large.body) < 4096
    assert zlib.decompress(large.body) == b"x" * 4096
    assert large.message.body == b"x" * 4096


def test_a_retry_keeps_the_message_s_id():
    cluster, producer = two_brokers()
    cluster.plan(BrokerFault("refuse", "broker-a", until=2))
    message = paid()
    ids = {producer.send(message).msg_id, producer.send(message).msg_id}
    assert ids == {message.unique_id}


# -------------------------------------------------------------------------------------------------------- the route


def test_4_3_0_asks_for_a_default_topic_that_other_brokers_do_not_have():
    def outcome(client, broker):
        cluster = Cluster.of([("a", 0)], topic="T", version=broker)
        try:
            result = cluster.producer(release=client).send(paid())
        except MQClientException as thrown:
            return thrown.response_code
        return None if result is None else result.send_status.name

    assert outcome("4.3.0", "4.3.1") == 10005
    assert outcome("4.3.0", "4.3.0") == "SEND_OK"
    assert outcome("4.3.1", "4.3.1") == "SEND_OK"


@pytest.mark.parametrize(
    ("version", "looks"), [("4.9.8", True), ("5.1.0", True), ("5.1.1", False), ("5.3.3", False)]
)
def test_from_5_1_1_the_create_topic_key_is_not_asked_for(version, looks):
    cluster = Cluster()
    cluster.add_broker("a", {"MINE": TopicConfig("MINE", 8, 8, perm=7)}, auto_create_topic_enable=False)
    producer = cluster.producer(release=version, create_topic_key="MINE")
    if looks:
        assert producer.send(paid()) is not None
        assert cluster.brokers["a"].topics["T"].write_queue_nums == 4
    else:
        with pytest.raises(MQClientException, match=r"^No route info of this topic: T\n") as thrown:
            producer.send(paid())
        assert thrown.value.response_code == 10005


@pytest.mark.parametrize(("version", "sign"), [("4.5.2", ","), ("4.6.0", ":")])
def test_the_words_for_a_topic_without_a_route(version, sign):
    cluster = Cluster()
    with pytest.raises(MQClientException) as thrown:
        cluster.producer(release=version).send(paid())
    assert str(thrown.value) == f"No route info of this topic{sign} T\nSee {FAQ} for further details."
    assert thrown.value.response_code == 10005


def without_name_server(version):
    return DefaultMQProducer(remoting=Nowhere(), clock=ManualClock(), release=version)


def test_without_a_name_server_s_address_up_to_4_5_2():
    producer = without_name_server("4.5.2")
    with pytest.raises(MQClientException, match=r"^No name server address, please set it\.\nSee ") as thrown:
        producer.send(paid())
    assert thrown.value.response_code == 10004
    with pytest.raises(MQClientException, match=r"^No route info for this topic, T\n") as thrown:
        producer.send(paid(), selector=lambda mqs, _msg, _arg: mqs[0])
    assert thrown.value.response_code == -1


@pytest.mark.parametrize("version", ["4.6.0", "4.9.7", "5.3.3"])
def test_without_a_name_server_s_address_from_4_6_0(version):
    with pytest.raises(IllegalStateException) as thrown:
        without_name_server(version).send(paid())
    words = "org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to null failed"
    assert str(thrown.value) == words


def test_a_name_server_that_cannot_be_reached_ends_the_send_at_once_from_4_6_0():
    def outcome(version):
        cluster, producer = two_brokers(version)
        cluster.plan(BrokerFault("name_server_down"))
        with pytest.raises((MQClientException, IllegalStateException)) as thrown:
            producer.send(paid())
        return thrown.value

    old, new = outcome("4.5.2"), outcome("4.6.0")
    assert type(old) is MQClientException
    assert old.response_code == 10005
    assert type(new) is IllegalStateException
    assert isinstance(new.cause, RemotingConnectException)


def test_the_log_names_the_topic_that_the_name_server_was_asked_for():
    producer = Cluster().producer(release="4.9.7")
    with pytest.raises(MQClientException):
        producer.send(paid())
    asked = [line.rpartition(": ")[2] for line in producer.log]
    assert asked == ["T", "TBW102"]


def test_the_log_keeps_quiet_about_the_default_topic_itself():
    cluster = Cluster()
    quiet, loud = (
        cluster.producer(release="4.9.7"),
        cluster.producer(create_topic_key="MINE", release="4.9.7"),
    )
    cluster.advance(20)
    assert quiet.log == []
    assert [line.rpartition(": ")[2] for line in loud.log] == ["MINE"]


def test_an_answer_with_an_error_after_a_result_gives_the_result_back():
    cluster, producer = two_brokers(retry_another_broker_when_not_store_ok=True)
    cluster.plan(BrokerFault("status", "broker-a", status="SLAVE_NOT_AVAILABLE"))
    cluster.plan(BrokerFault("code", "broker-b", code=2))
    try_to_find_topic_publish_info(producer, "T").send_which_queue.stored = 3
    result = producer.send(paid())
    assert (result.send_status.name, result.message_queue.broker_name) == ("SLAVE_NOT_AVAILABLE", "broker-a")


@pytest.mark.parametrize(("version", "ends"), [("4.7.1", "busy"), ("4.8.0", "busy BROKER: 10.0.0.1:10911")])
def test_from_4_8_0_a_broker_s_error_names_its_address(version, ends):
    cluster, producer = two_brokers(version)
    cluster.plan(BrokerFault("code", "broker-a", remark="busy"))
    with pytest.raises(MQBrokerException) as thrown:
        producer.send(paid(), MessageQueue("T", "broker-a", 0))
    assert str(thrown.value).splitlines()[0] == f"CODE: 2  DESC: {ends}"


def test_a_queue_on_a_broker_without_a_known_address_is_an_error_of_its_own():
    class Empty(Cluster):
        def get_topic_route_info(self, topic):
            return TopicRouteData([], [])

    with pytest.raises(MQClientException, match=r"^The broker\[broker-x\] not exist\n"):
        Empty().producer(release="4.9.7").send(paid(), MessageQueue("T", "broker-x", 0))


@pytest.mark.parametrize("version", ["4.2.0", "4.9.7", "5.3.3"])
def test_what_a_callback_throws_ends_there_and_the_fault_table_hears_of_the_send(version):
    def boom(heard):
        raise ValueError("mine")

    cluster = Cluster.of([("broker-a", 2)], topic="orders", latency=700)
    producer = cluster.producer(release=version, send_latency_fault_enable=True)
    producer.send(Message("orders", b"x"), send_callback=SendCallback(boom, boom))
    cluster.drain()
    table = producer.mq_fault_strategy.latency_fault_tolerance.fault_item_table
    assert table["broker-a"].current_latency == 700
    assert "callback threw ValueError: mine" in producer.log
