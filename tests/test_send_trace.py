"""The trace of a whole send: what ran, the same outcome as unwatched, the same bytes, and a call chain of all levels."""

import json
import sys
from collections import Counter
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rmqref
from rmqref.cluster import BrokerFault
from rmqref.errors import ScenarioError, TraceError
from rmqref.releases import FAMILIES, VERSIONS
from rmqref.report import told
from rmqref.scenario import SAMPLES, Load, Scenario, sample_scenario
from rmqref.send_trace import SEND_MEANINGS, record_send
from rmqref.simulation import simulate
from rmqref.trace import WATCHED, sentence, to_json

SCHEMA = json.loads((Path(rmqref.__file__).parent / "trace.schema.json").read_text())
CHECK = jsonschema.Draft202012Validator(SCHEMA)

SCENARIOS = st.builds(
    Scenario,
    release=st.sampled_from(VERSIONS),
    start=st.sampled_from([None, 0, 3, 2**31 - 1]),
    seed=st.integers(0, 3),
    producer=st.sampled_from(
        [
            {},
            {"send_latency_fault_enable": True},
            {"retry_another_broker_when_not_store_ok": True},
            {"retry_times_when_send_failed": 0},
        ]
    ),
    faults=st.sampled_from(
        [
            (),
            (BrokerFault("hang", "broker-a"),),
            (BrokerFault("refuse", "broker-a"), BrokerFault("code", "broker-b", code=1)),
            (BrokerFault("status", "broker-b"),),
            (BrokerFault("stop", "broker-a", until=5000), BrokerFault("slow", "broker-b", latency=3200)),
            (BrokerFault("name_server_down"),),
        ]
    ),
    load=st.builds(
        Load,
        sends=st.just(2),
        every=st.sampled_from([0, 100]),
        mode=st.sampled_from(["SYNC", "ASYNC", "ONEWAY"]),
        selector=st.sampled_from([None, "hash", "machine_room", "best"]),
    ),
)


def kinds(trace):
    return [step["kind"] for step in trace["steps"] if step["kind"] not in (None, "enter")]


@settings(max_examples=60, deadline=None)
@given(SCENARIOS, st.integers(1, 2))
def test_watching_changes_nothing_and_the_trace_ends_in_the_outcome(scenario, number):
    trace = record_send(scenario, number)
    load = Load(
        sends=number, every=scenario.load.every, mode=scenario.load.mode, selector=scenario.load.selector
    )
    record = simulate(scenario.but(load=load)).sends[-1]
    CHECK.validate(trace)
    assert trace["result"] == told(record)
    attempts = trace["states"][-1]["send"]["attempts"]
    assert [(a["broker_name"], a["queue_id"], a["timeout"], a["outcome"]) for a in attempts] == [
        (a.broker_name, a.queue_id, a.timeout, a.outcome) for a in record.attempts[: len(attempts)]
    ]
    assert to_json(trace) == to_json(record_send(scenario, number))
    assert sys.gettrace() is None


@pytest.mark.parametrize("name", SAMPLES[:-1])
@pytest.mark.parametrize("release", FAMILIES)
def test_each_step_of_each_sample_says_a_sentence(name, release):
    trace = record_send(sample_scenario(name).but(release=release))
    CHECK.validate(trace)
    for step in range(len(trace["steps"])):
        assert "{" not in sentence(trace, step)


def test_the_call_chain_goes_through_all_levels():
    trace = record_send(sample_scenario("broker_hangs"))
    deepest = max(trace["steps"], key=lambda step: len(step["stack"]))
    names = [trace["sources"][source]["name"] for source, _ in deepest["stack"]]
    assert names == [
        "DefaultMQProducer.send",
        "send_default_impl",
        "DefaultMQProducer.select_one_message_queue",
        "select_one_message_queue",
        "select_by_scan",
        "retry_pick_counting",
        "first_pick",
        "queue_at",
        "repaired_position",
    ]
    seen = {source["name"] for source in trace["sources"]}
    assert {"send_kernel_impl", "try_to_find_topic_publish_info", "is_retried", "gave_up"} <= seen


def test_the_broker_is_watched_too():
    names = {source["name"] for source in record_send(sample_scenario("new_topic"))["sources"]}
    assert {"process_request", "msg_check", "create_topic_in_send_message_method", "put_message"} <= names


def test_what_the_producer_does_beside_the_send_is_not_in_the_trace():
    hangs = sample_scenario("broker_hangs").but(producer={"send_msg_timeout": 70_000})
    names = {source["name"] for source in record_send(hangs)["sources"]}
    assert "poll_name_server" not in names
    assert "update_topic_route_info_from_name_server" not in names


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("all_is_well", {}, {"pick": 1, "attempt": 1, "budget": 1, "store": 1, "answer": 1, "outcome": 1}),
        ("broker_hangs", {}, {"pick": 3, "attempt": 3, "budget": 3, "outcome": 2}),
        ("broker_hangs", {"release": "4.2.0"}, {"pick": 2, "attempt": 2, "budget": 2, "store": 1}),
        ("broker_busy", {"release": "5.3.0"}, {"attempt": 2, "store": 1, "answer": 1}),
        ("broker_busy", {"release": "4.9.7"}, {"attempt": 1, "outcome": 1}),
        ("new_topic", {}, {"route": 2, "store": 2}),
        ("ordered_keys", {}, {"pick": 1, "attempt": 1, "budget": 1, "retry": 0}),
    ],
)
def test_what_happens_in_a_send(name, changes, expected):
    found = Counter(kinds(record_send(sample_scenario(name).but(**changes))))
    assert {kind: found[kind] for kind in expected} == expected


def test_the_budget_is_told_in_words():
    trace = record_send(sample_scenario("broker_hangs"))
    said = [sentence(trace, n) for n, step in enumerate(trace["steps"]) if step["kind"] == "budget"]
    assert said == [
        "All attempts share 3000 ms, of which 0 ms are gone: this one gets 3000 ms.",
        "Exactly 3000 ms are gone, which is not more than the timeout: this attempt gets 0 ms.",
        "Exactly 3000 ms are gone, which is not more than the timeout: this attempt gets 0 ms.",
    ]


def test_a_selector_is_a_decision_that_can_be_predicted():
    trace = record_send(sample_scenario("ordered_keys"))
    assert [decision["queue"] for decision in trace["decisions"]] == [["broker-a", 2]]


def test_a_later_send_is_traced_after_the_ones_before_it():
    fifth = record_send(sample_scenario("all_is_well"), 5)
    assert fifth["title"] == "Send 5: all is well"
    assert fifth["states"][0]["stored"] == 7
    assert fifth["result"] == "SEND_OK broker-c : 0"


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_send_that_there_is_not_is_an_error(number):
    with pytest.raises(TraceError, match="numbered from 1 to 1"):
        record_send(sample_scenario("broker_hangs"), number)


def test_too_many_attempts_and_no_scenario_are_errors():
    with pytest.raises(TraceError, match="18 attempts"):
        record_send(Scenario(producer={"retry_times_when_send_failed": 17}))
    with pytest.raises(ScenarioError, match="scenario"):
        record_send("broker_hangs")  # type: ignore[arg-type]  # what a caller without types does


def test_every_function_with_a_meaning_is_there():
    names = {name for module in WATCHED for name in dir(module)} | {"increment_and_get", "reset"}
    assert set(SEND_MEANINGS) <= names
