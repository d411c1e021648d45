"""What a broker answers to a request, and what it keeps."""

import pytest

from rmqref.broker import Broker, TopicConfig, process_request
from rmqref.errors import ScenarioError
from rmqref.java import ManualClock
from rmqref.model import Message, MessageBatch, SendMessageRequestHeader, SendRequest, SendStatus


def broker_of(*configs, **settings):
    topics = {config.topic_name: config for config in configs}
    return Broker("a", "10.0.0.1:10911", clock=ManualClock(1000), topics=topics, **settings)


def request_for(topic="T", queue_id=0, *, default_topic="TBW102", nums=4, message=None):
    header = SendMessageRequestHeader(
        producer_group="g",
        topic=topic,
        default_topic=default_topic,
        default_topic_queue_nums=nums,
        queue_id=queue_id,
        sys_flag=0,
        born_timestamp=0,
        flag=0,
        properties="",
        reconsume_times=0,
        unit_mode=False,
        batch=False,
        bname=None,
    )
    message = message or Message(topic, b"x")
    return SendRequest(header, message, message.body)


def test_what_is_stored_has_a_place_a_time_and_a_count():
    broker = broker_of(TopicConfig("T"))
    answers = [process_request(broker, request_for(queue_id=queue_id)) for queue_id in (1, 1, 3)]
    assert [(a.code, a.queue_id, a.queue_offset) for a in answers] == [(0, 1, 0), (0, 1, 1), (0, 3, 0)]
    assert len({a.msg_id for a in answers}) == 3
    assert [kept.store_timestamp for kept in broker.store["T", 1]] == [1000, 1000]
    assert broker.put_nums == {"T": 3}
    assert len(broker.messages("T")) == 3
    assert broker.messages("T", 0) == []


@pytest.mark.parametrize(("status", "code"), list(zip(SendStatus, (0, 10, 12, 11), strict=True)))
def test_each_status_is_stored_and_has_its_code(status, code):
    broker = broker_of(TopicConfig("T"))
    assert process_request(broker, request_for(), status).code == code
    assert len(broker.messages("T", 0)) == 1


def test_a_batch_is_stored_message_by_message():
    broker = broker_of(TopicConfig("T"))
    parts = [Message("T", bytes([n])) for n in range(3)]
    process_request(broker, request_for())
    answer = process_request(broker, request_for(message=MessageBatch("T", b"...", messages=parts)))
    assert answer.queue_offset == 1
    assert broker.messages("T", 0)[1:] == parts
    assert broker.put_nums["T"] == 4


@pytest.mark.parametrize(("version", "code"), [("4.9.7", 1), ("5.3.1", 1), ("5.3.2", 29), ("5.3.3", 29)])
def test_a_queue_id_beyond_the_queues_is_illegal(version, code):
    broker = broker_of(TopicConfig("T", write_queue_nums=2, read_queue_nums=4), version=version)
    assert process_request(broker, request_for(queue_id=3)).code == 0
    answer = process_request(broker, request_for(queue_id=4))
    assert (answer.code, answer.remark) == (code, "request queueId[4] is illegal")
    assert len(broker.messages("T")) == 1


def test_a_negative_queue_id_means_any_queue_that_is_written_to():
    broker = broker_of(TopicConfig("T", write_queue_nums=3, read_queue_nums=8))
    ids = {process_request(broker, request_for(queue_id=-2)).queue_id for _ in range(60)}
    assert ids == {0, 1, 2}


def test_a_negative_queue_id_of_a_topic_without_queues_is_divided_by_nought():
    broker = broker_of(TopicConfig("T", write_queue_nums=0, read_queue_nums=4))
    answer = process_request(broker, request_for(queue_id=-2))
    assert (answer.code, answer.remark) == (1, "java.lang.ArithmeticException: / by zero")
    assert broker.messages("T") == []


def test_without_write_permission_only_ordered_topics_are_refused():
    broker = broker_of(TopicConfig("T"), TopicConfig("O", order=True), broker_permission=4)
    assert process_request(broker, request_for("T")).code == 0
    answer = process_request(broker, request_for("O"))
    assert (answer.code, answer.remark) == (16, "the broker[10.0.0.1] sending message is forbidden")


def test_the_permission_of_the_topic_itself_is_not_looked_at():
    assert process_request(broker_of(TopicConfig("T", perm=4)), request_for()).code == 0


@pytest.mark.parametrize(("asked", "made"), [(4, 4), (20, 8), (0, 0), (-3, 0)])
def test_a_topic_is_made_with_the_smaller_number_of_queues(asked, made):
    broker = broker_of()
    process_request(broker, request_for("NEW", nums=asked))
    config = broker.topics["NEW"]
    assert (config.write_queue_nums, config.read_queue_nums, config.perm) == (made, made, 6)


@pytest.mark.parametrize(
    ("version", "url"), [("4.9.7", "http://rocketmq.apache.org/docs/faq/"), ("5.3.3", None)]
)
def test_a_topic_that_may_not_be_made_does_not_exist(version, url):
    broker = broker_of(auto_create_topic_enable=False, version=version)
    answer = process_request(broker, request_for("NEW"))
    url = url or "https://rocketmq.apache.org/docs/bestPractice/06FAQ"
    words = f"topic[NEW] not exist, apply first please!\nSee {url} for further details."
    assert (answer.code, answer.remark) == (17, words)
    assert "NEW" not in broker.topics


def test_a_topic_is_made_after_one_that_may_be_inherited_only():
    broker = broker_of(TopicConfig("OPEN", perm=7), TopicConfig("SHUT", perm=6))
    assert process_request(broker, request_for("N1", default_topic="OPEN")).code == 0
    assert process_request(broker, request_for("N2", default_topic="SHUT")).code == 17


def test_a_retry_topic_is_made_in_any_case():
    broker = broker_of(auto_create_topic_enable=False)
    assert process_request(broker, request_for("%RETRY%g")).code == 0
    assert broker.topics["%RETRY%g"].write_queue_nums == 1


def test_the_default_topic_is_there_only_where_topics_are_made():
    assert broker_of().topics["TBW102"].perm == 7
    assert broker_of(auto_create_topic_enable=False).topics == {}


def test_a_negative_number_of_queues_is_refused():
    with pytest.raises(
        ScenarioError, match=r"^The write_queue_nums is -1, which is negative: give 0 or more\."
    ):
        TopicConfig("T", write_queue_nums=-1)
