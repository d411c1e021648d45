"""The texts of the Java client: which release writes which, as read in the released sources."""

from dataclasses import fields

import pytest

from rmqref.cluster import Cluster
from rmqref.errors import MQClientException
from rmqref.java_texts import JavaTexts
from rmqref.model import Message, MessageQueue
from rmqref.producer import SendCallback
from rmqref.releases import CHRONOLOGY, release

PREVIEWS = ("5.0.0-PREVIEW", "5.0.0-ALPHA")
ORDINARY = [version for version in CHRONOLOGY if version not in PREVIEWS]


def changes(name):
    """Return the first releases, in order of their numbers, at which a text differs from the one before."""
    texts = [getattr(release(version).texts, name) for version in ORDINARY]
    pairs = zip(ORDINARY[1:], texts[1:], texts, strict=False)
    return [version for version, text, before in pairs if text != before]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("faq_url", ["5.1.0"]),
        ("no_route", ["4.6.0"]),
        ("selector", ["4.8.0"]),
        ("broker", ["4.8.0"]),
        ("async_timeout", ["5.2.0", "5.3.0", "5.3.2"]),
        ("unknown_reason", ["5.3.0"]),
        ("async_late", ["4.9.3"]),
        ("async_mismatch", ["5.0.0"]),
        ("rejected_select", ["4.9.3"]),
        ("delay", ["4.5.2"]),
        ("default_topic", ["4.3.0", "4.7.1"]),
        ("retry_log", ["5.1.0", "5.3.0"]),
        ("async_log", ["4.9.3", "4.9.4"]),
    ],
)
def test_a_text_changes_where_the_sources_do(name, first):
    assert changes(name) == first


def test_every_text_is_in_the_table_above():
    assert len(fields(JavaTexts)) == 13


def test_the_previews_write_what_the_release_writes_that_they_were_made_from():
    assert release("5.0.0-PREVIEW").texts == release("4.9.2").texts
    assert release("5.0.0-ALPHA").texts == release("4.9.3").texts


def sent(version, **settings):
    cluster = Cluster.of([("broker-a", 2), ("broker-b", 2)])
    for host in cluster.hosts.values():
        host.latency = 5
    return cluster, cluster.producer(release=version, **settings)


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("4.2.0", "The topic[TBW102] is conflict with default topic."),
        ("4.7.0", "The topic[TBW102] is conflict with AUTO_CREATE_TOPIC_KEY_TOPIC."),
    ],
)
def test_a_message_to_the_default_topic_is_refused_up_to_4_7_0(version, words):
    _, producer = sent(version)
    with pytest.raises(MQClientException) as caught:
        producer.send(Message("TBW102", b"x"))
    assert str(caught.value).split("\n")[0] == words


def test_a_message_to_the_default_topic_is_stored_from_4_7_1_on():
    _, producer = sent("4.7.1")
    assert producer.send(Message("TBW102", b"x")).send_status.name == "SEND_OK"


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("4.9.7", "message's topic not equal mq's topic"),
        ("5.3.3", "Topic of the message does not match its target message queue"),
    ],
)
def test_an_asynchronous_send_to_a_queue_of_another_topic(version, words):
    cluster, producer = sent(version)
    heard: list[object] = []
    callback = SendCallback(heard.append, heard.append)
    producer.send(Message("OrderTopic", b"x"), MessageQueue("Other", "broker-a", 0), send_callback=callback)
    cluster.drain()
    assert [str(one).split("\n")[0] for one in heard] == [words]


@pytest.mark.parametrize(
    ("version", "start"),
    [
        ("4.9.7", "sendKernelImpl exception, resend at once, InvokeID: -"),
        ("5.1.4", "sendKernelImpl exception, resend at once, InvokeID: %s, RT: %sms, Broker: %s\n"),
    ],
)
def test_some_releases_log_the_placeholders_themselves(version, start):
    from rmqref.cluster import BrokerFault

    cluster, producer = sent(version)
    cluster.plan(BrokerFault("refuse", "broker-a"))
    for _ in range(4):
        producer.send(Message("OrderTopic", b"x"))
    lines = [line for line in producer.log if line.startswith("sendKernelImpl")]
    assert lines
    assert lines[0].startswith(start)
