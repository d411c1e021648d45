"""The limits: each has its sentences, concerns released versions, and is shown wherever it can be."""

from typing import Any

import pytest

from rmqref import Cluster, Message, release, sample_scenario, simulate
from rmqref.broker import TopicConfig
from rmqref.cluster import BrokerFault
from rmqref.errors import MQClientException, RemotingTooMuchRequestException, RmqRefError, SituationError
from rmqref.limits import DIFFERENT, LIMITS, MISSING, UNPROVED, limits_of
from rmqref.model import MessageQueue
from rmqref.producer import (
    DefaultMQProducer,
    SendCallback,
    batch,
    send_request,
    try_to_find_topic_publish_info,
)
from rmqref.releases import CHRONOLOGY


def cluster_of_two():
    return Cluster.of([("a", 2), ("b", 2)], topic="T")


def send(version, message, **how):
    return cluster_of_two().producer(release=version).send(message, **how)


def header_of(version, message):
    producer = cluster_of_two().producer(release=version)
    return send_request(producer, message, MessageQueue(message.topic, "a", 0)).header


def stored(cluster):
    return [message for broker in cluster.brokers.values() for message in broker.messages("T")]


# --------------------------------------------------------------------------------------------------------- the data


@pytest.mark.parametrize("limit", LIMITS.values(), ids=lambda limit: limit.name)
def test_a_limit_is_whole(limit):
    assert limit.kind in (UNPROVED, DIFFERENT, MISSING)
    assert limit.releases
    assert limit.but <= set(CHRONOLOGY[CHRONOLOGY.index(limit.since) : CHRONOLOGY.index(limit.until)])
    for sentence in (limit.what, limit.effect):
        assert sentence.endswith(".")
    assert limit.what != limit.effect


@pytest.mark.parametrize("version", CHRONOLOGY)
def test_a_release_is_asked_for_its_limits(version):
    assert limits_of(f"rocketmq-all-{version}") == tuple(
        limit for limit in LIMITS.values() if version in limit.releases
    )


@pytest.mark.parametrize(
    ("name", "spans"),
    [
        ("order_of_checks", "4.0.0-incubating .. 4.9.2, 5.0.0-PREVIEW"),
        ("forbidden_topics", "4.7.1 .. 5.3.3"),
        ("other_compressions", "4.9.4 .. 4.9.8, 5.0.0 .. 5.3.3"),
        ("logical_queues", "5.0.0-PREVIEW"),
    ],
)
def test_the_releases_in_words(name, spans):
    assert LIMITS[name].spans == spans


def test_other_compressions_came_with_the_bits_that_name_one():
    assert LIMITS["other_compressions"].releases == tuple(
        v for v in CHRONOLOGY if release(v).compression_type
    )


# ------------------------------------------------------------------------------------------------- otherwise than Java


def test_stored_object():
    cluster, message = cluster_of_two(), Message("T", b"paid")
    cluster.producer().send(message)
    message.body = b"changed"
    assert [one.body for one in stored(cluster)] == [b"changed"]


def test_delayed_messages():
    cluster = cluster_of_two()
    cluster.producer().send(Message("T", b"paid", delay_time_level=3))
    assert len(stored(cluster)) == 1


def test_unique_ids():
    cluster = cluster_of_two()
    ids = [cluster.producer().send(Message("T", b"paid")).msg_id for _ in range(2)]
    assert ids[0] == ids[1]


def test_batch_unique_id():
    producer = cluster_of_two().producer()
    several = batch(producer, [Message("T", b"a"), Message("T", b"b")])
    assert "UNIQ_KEY" not in send_request(producer, several, MessageQueue("T", "a", 0)).header.properties


def test_hash_of_other_classes():
    with pytest.raises(MQClientException, match="select message queue threw exception") as error:
        send("5.3.3", Message("T", b"paid"), selector=release("5.3.3").select_by_hash, arg=(1, 2))
    assert type(error.value.cause) is TypeError


def test_null_body():
    with pytest.raises(SituationError, match="body"):
        send("5.3.3", Message("T", None))  # type: ignore[arg-type]  # what a careless caller gives


@pytest.mark.parametrize("version", ["4.9.2", "5.0.0-PREVIEW"])
def test_order_of_checks(version):
    assert version in LIMITS["order_of_checks"].releases
    with pytest.raises(MQClientException, match="longer than topic max length"):
        send(version, Message("no topic!" * 100, b"paid"))


def test_negative_timeout():
    with pytest.raises(RemotingTooMuchRequestException, match="sendKernelImpl call timeout"):
        send("4.9.7", Message("T", b"paid"), mq=MessageQueue("T", "a", 0), timeout=-1)


def test_async_batch():
    cluster = cluster_of_two()
    heard: list[Any] = []
    producer = cluster.producer(release="4.7.1")
    producer.send(
        [Message("T", b"a"), Message("T", b"b")], send_callback=SendCallback(heard.append, heard.append)
    )
    cluster.drain()
    assert [result.send_status.name for result in heard] == ["SEND_OK"]


def test_illegal_queue_text():
    with pytest.raises(RmqRefError, match=r"request queueId\[9\] is illegal BROKER") as error:
        send("5.3.3", Message("T", b"paid"), mq=MessageQueue("T", "a", 9))
    assert "TopicConfig" not in str(error.value)


def test_producer_group():
    cluster = cluster_of_two()
    for group in ("DEFAULT_PRODUCER", "", "", "shop", "shop"):
        assert (
            cluster.producer(producer_group=group).send(Message("T", b"paid")).send_status.name == "SEND_OK"
        )


def test_producer_state():
    cluster = cluster_of_two()
    never_started = DefaultMQProducer(remoting=cluster, clock=cluster.clock)
    never_started.send(Message("T", b"paid"))
    assert len(stored(cluster)) == 1
    assert not hasattr(never_started, "shutdown")


def test_name_server_time():
    cluster = cluster_of_two()
    try_to_find_topic_publish_info(cluster.producer(), "T")
    cluster.probe(cluster.brokers["a"].addr, 200)
    assert cluster.clock.now == cluster.began


def test_overlapping_faults():
    cluster = cluster_of_two()
    addr = cluster.brokers["a"].addr
    cluster.plan(BrokerFault("stop", "a", at=0, until=9000))
    cluster.plan(BrokerFault("slow", "a", at=1000, until=2000, latency=10))
    answers = []
    for _ in range(3):
        answers.append(cluster.probe(addr, 200))
        cluster.advance(1000)
    assert answers == [False, True, False]


def test_chance():
    runs = [simulate(sample_scenario("slow_answers")).to_json() for _ in range(2)]
    assert runs[0] == runs[1]


# ----------------------------------------------------------------------------------------------------- not modelled


def test_forbidden_topics():
    assert send("5.3.3", Message("SCHEDULE_TOPIC_XXXX", b"paid")).send_status.name == "SEND_OK"


def test_multi_dispatch():
    message = Message("T", b"paid", user_properties={"INNER_MULTI_DISPATCH": "a/b"})
    assert send("5.3.3", message).send_status.name == "SEND_OK"


def test_reconsume_times():
    header = header_of("5.3.3", Message("%RETRY%g", b"paid", user_properties={"RECONSUME_TIME": "3"}))
    assert header.reconsume_times == 0
    assert "RECONSUME_TIME" in header.properties


def test_property_size():
    message = Message("T", b"paid", user_properties={"note": "x" * 40_000})
    assert send("5.3.3", message).send_status.name == "SEND_OK"


def test_transactions():
    assert header_of("5.3.3", Message("T", b"paid", user_properties={"TRAN_MSG": "true"})).sys_flag == 0


@pytest.mark.parametrize(
    "setting", ["namespace", "auto_batch", "enable_backpressure_for_async_mode", "use_tls"]
)
def test_a_setting_that_is_not_modelled_is_refused(setting):
    with pytest.raises(RmqRefError, match=setting):
        cluster_of_two().producer(**{setting: True})


@pytest.mark.parametrize("call", ["request", "send_message_in_transaction", "register_send_message_hook"])
def test_a_call_that_is_not_modelled_is_not_there(call):
    assert not hasattr(cluster_of_two().producer(), call)


def test_slaves():
    route = cluster_of_two().name_server.pickup_topic_route_data("T")
    assert [list(data.broker_addrs) for data in route.broker_datas] == [[0], [0]]


def test_static_topics():
    cluster = Cluster()
    cluster.add_broker("a", {"T": TopicConfig("T")})
    route = cluster.name_server.pickup_topic_route_data("T")
    assert route is not None
    assert route.topic_queue_mapping_by_broker is None
