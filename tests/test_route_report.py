"""What a route means: the list, who is left out and why, and each warning with its size."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmqref.cli import main
from rmqref.errors import RmqRefError
from rmqref.model import BrokerData, QueueData, TopicQueueMapping, TopicRouteData
from rmqref.route_report import CHECKS, read_reports, report_of
from rmqref.route_text import RouteText
from rmqref.samples import SAMPLES, sample_dump

A, B = QueueData("broker-a"), QueueData("broker-b")


def route(*entries, brokers=None, **more):
    names = brokers or dict.fromkeys(entry.broker_name for entry in entries)
    datas = [BrokerData(name, {0: f"10.0.0.{n}:10911"}, "shop") for n, name in enumerate(names, 1)]
    return TopicRouteData(list(entries), datas, **more)


def report(of, version="4.9.7", topic="OrderTopic", known=()):
    return report_of(RouteText(of, topic, 1, 1, {}, ()), version, None, {*known})


def warned(of, **more):
    return {told.name: told.said for told in report(of, **more).warnings}


def static_route():
    parts = {
        name: TopicQueueMapping(name, "__global__", 0, 8, {4 * n + place: place for place in range(4)})
        for n, name in enumerate(("broker-a", "broker-b"))
    }
    return route(A, B, topic_queue_mapping_by_broker=parts)


CLUSTERS = route(A, B)
CLUSTERS.broker_datas[1].cluster = "mall"
CONTAINER = route(A, B)
CONTAINER.broker_datas[0].broker_addrs[0] = "172.17.0.2:10911"

SAID = {
    "no_queue": (route(replace(A, perm=4)), "None of the 1 entries gives a queue"),
    "uneven": (
        route(replace(A, write_queue_nums=8), replace(B, write_queue_nums=2)),
        "Traffic follows queues: broker-a gets 80% with 8 queues, broker-b gets 20% with 2 queues.",
    ),
    "one_broker": (route(A), "All 4 queues are on broker-a: a retry has nowhere else to go."),
    "template": (
        route(replace(A, perm=7, write_queue_nums=8), replace(B, perm=7, write_queue_nums=8)),
        "a new topic gets 4 queues, on the one of 2 brokers",
    ),
    "order_configuration": (
        route(A, replace(B, perm=4), order_topic_conf="broker-a:4;broker-b:2;broker-gone:3"),
        "brokers of it that cannot take messages: 2 (broker-b, broker-gone).",
    ),
    "static_topic": (static_route(), "its 8 queues on 2 brokers all carry the name __syslo__global__"),
    "entry_twice": (
        route(A, A, B),
        "broker-a has 2 entries, so its queues stand in the list again and again: 8 in all.",
    ),
    "read_and_write": (
        route(A, replace(B, read_queue_nums=1)),
        "broker-b has 4 write queues and 1 read queues: 3 queues are written and never read.",
    ),
    "address": (CONTAINER, "broker-a is at 172.17.0.2:10911"),
    "clusters": (CLUSTERS, "The brokers belong to 2 clusters: mall, shop."),
    "order_of_names": (
        route(*(QueueData(f"broker-{n}") for n in (1, 2, 10))),
        "The list stands in the order of letters, not of numbers: broker-1, broker-10, broker-2.",
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_each_check_finds_what_it_is_for_and_says_how_much(name):
    of, said = SAID[name]
    assert said in warned(of, version="5.3.3" if name == "static_topic" else "4.9.7")[name]


def test_to_2240_an_address_that_clients_cannot_reach():
    """https://github.com/apache/rocketmq/issues/2240: a route with a container's address."""
    (said,) = [told.said for told in report(CONTAINER).warnings]
    assert said == (
        "broker-a is at 172.17.0.2:10911, an address that only its own machine knows: clients elsewhere cannot reach it."
    )


def test_uneven_go_795_the_order_of_the_answer_does_not_count():
    """https://github.com/apache/rocketmq-client-go/issues/795: the same list from either order."""
    two = [replace(entry, write_queue_nums=2) for entry in (B, A)]
    expected = ("broker-a : 0", "broker-a : 1", "broker-b : 0", "broker-b : 1")
    assert report(route(*two)).queues == report(route(*reversed(two))).queues == expected


def test_rt_go_1187_an_order_configuration_is_the_list():
    """https://github.com/apache/rocketmq-client-go/pull/1187: in the order of its text, whatever the entries say."""
    ordered = route(
        *(replace(entry, write_queue_nums=8) for entry in (A, B)), order_topic_conf="broker-b:1;broker-a:2;"
    )
    assert report(ordered).queues == ("broker-b : 0", "broker-a : 0", "broker-a : 1")


@pytest.mark.parametrize("name", CHECKS)
def test_no_check_finds_anything_in_a_route_that_is_well(name):
    assert name not in warned(route(A, B, QueueData("broker-c")))


def test_a_topic_on_some_brokers_is_seen_beside_other_routes_of_the_text():
    text = sample_dump("OrderTopic") + sample_dump("PaymentTopic")
    whole, part = read_reports(text, "4.9.7")
    assert [told.name for told in whole.warnings] == []
    assert [told.said for told in part.warnings] == [
        "The topic is not on 1 of 3 brokers that other routes of this text have: broker-c."
    ]


@pytest.mark.parametrize(
    ("of", "reason", "said"),
    [
        (route(replace(A, perm=4), B), "no_write", "permission 4 does not let a producer write"),
        (route(A, B, brokers=["broker-b"]), "no_broker", "the route has no address of it"),
        (route(replace(A, write_queue_nums=0), B), "no_queues", "broker-a, because it has 0 write queues."),
    ],
)
def test_who_is_left_out_is_told_with_the_reason(of, reason, said):
    (told,) = report(of).left_out
    assert told.name == reason
    assert said in told.said
    assert {queue.split(" ")[0] for queue in report(of).queues} == {"broker-b"}


def test_a_broker_without_a_master_is_left_out():
    of = route(A, B)
    of.broker_datas[0].broker_addrs = {1: "10.0.0.101:10911"}
    assert [told.name for told in report(of).left_out] == ["no_master"]


def test_the_list_is_the_one_of_the_release():
    assert report(static_route(), version="4.9.7").queues[0] == "broker-a : 0"
    assert report(static_route(), version="5.3.3").queues[0] == "__syslo__global__ : 0"
    with pytest.raises(RmqRefError, match="fails while it makes the list: NumberFormat"):
        report(route(A, order_topic_conf="broker-a:x"))


@pytest.mark.parametrize(
    ("topic", "status"),
    [("OrderTopic", 0), ("UnevenTopic", 1), ("LoneTopic", 1), ("DrainedTopic", 1), ("SequenceTopic", 1)],
)
def test_the_command_reads_a_file_and_its_status_says_whether_there_is_a_warning(
    topic, status, tmp_path, capsys
):
    file = tmp_path / "route.txt"
    file.write_bytes(("PS C:\\> mqadmin topicRoute\r\n" + sample_dump(topic)).encode("utf-16"))
    assert main(["route", str(file), "--topic", topic]) == status
    printed = capsys.readouterr().out
    assert printed.startswith(f"Topic {topic}, read at line 2, as 5.3.3 uses it.\nBrokers (")
    assert ("Nothing to warn of." in printed) == (status == 0)
    assert main(["route", str(file), "--json", "--release", "4.9.7"]) == status
    assert json.loads(capsys.readouterr().out)[0]["release"] == "4.9.7"


def test_the_command_reads_standard_input_with_a_byte_order_mark(monkeypatch, capsys):
    given = io.TextIOWrapper(io.BytesIO(sample_dump("OrderTopic").encode("utf-8-sig")))
    monkeypatch.setattr("sys.stdin", given)
    assert main(["route", "-"]) == 0
    assert "The list, in order (12 queues):" in capsys.readouterr().out


def test_what_is_no_route_is_one_sentence(tmp_path, capsys):
    (tmp_path / "empty").touch()
    for name, said in (
        ("empty", "The text is empty"),
        ("gone", "cannot be read"),
        ("", "cannot be read"),
    ):
        assert main(["route", str(tmp_path / name)]) == 2
        error = capsys.readouterr().err
        assert said in error
        assert len(error.splitlines()) == 1


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(SAMPLES),
    st.integers(min_value=0, max_value=2000),
    st.binary(max_size=6),
    st.integers(min_value=0, max_value=40),
)
def test_a_damaged_text_ends_in_a_report_or_in_the_package_s_own_error(sample, at, inserted, cut):
    given = sample_dump(sample).encode()
    damaged = given[: at % len(given)] + inserted + given[at % len(given) + cut :]
    with suppress(RmqRefError):
        assert all(list(one.lines()) for one in read_reports(damaged, "4.9.7"))


def test_the_topic_that_is_asked_for_is_chosen_and_the_new_route_of_a_line_counts(tmp_path, capsys):
    data = "TopicRouteData [orderTopicConf=null, queueDatas=[QueueData [brokerName={0}, readQueueNums=4, writeQueueNums=4, perm=6, topicSysFlag=0]], brokerDatas=[BrokerData [brokerName={0}, brokerAddrs={{0=10.0.0.1:10911}}]], filterServerTable={{}}]"
    put = "topicRouteTable.put. Topic = {0}, TopicRouteData[" + data.replace("{0}", "{1}") + "]\n"
    file = tmp_path / "log"
    file.write_text(put.format("A", "broker-a") + put.format("B", "broker-b"))
    assert main(["route", str(file), "--topic", "B"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("Topic B, read at line 2")
    assert "broker-a" not in printed
    assert main(["route", str(file), "--topic", "Nope"]) == 2
    old, new = data.format("broker-a"), data.format("broker-b")
    file.write_text(f"the topic[A] route info changed, old[{old}] ,new[{new}]\n")
    assert main(["route", str(file)]) == 1
    printed = capsys.readouterr().out
    assert printed.count("Topic A") == 1
    assert "broker-a" not in printed
