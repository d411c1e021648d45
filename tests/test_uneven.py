"""Each cause of uneven traffic is found where it is, by a run, and nowhere else."""

from __future__ import annotations

import json

import pytest

from rmqref.cli import main
from rmqref.messages import catalogue
from rmqref.model import BrokerData, QueueData, TopicQueueMapping, TopicRouteData
from rmqref.releases import FAMILIES, route_of
from rmqref.samples import sample_dump
from rmqref.uneven import STEPS, Evidence, told_walk, walk

EVEN = route_of((("broker-a", 4), ("broker-b", 4)))
UNEVEN = route_of((("broker-a", 8), ("broker-b", 2)))
LONE = route_of((("broker-a", 4),))
QUIET = {"fault_switch": False, "selector": False, "sends_per_thread": 10_000, "failing": False}


DRAINED = TopicRouteData(
    [QueueData("broker-a"), QueueData("broker-b", perm=4)],
    [BrokerData(name, {0: f"{name}:10911"}) for name in ("broker-a", "broker-b")],
)
STATIC = TopicRouteData(
    [],
    [],
    topic_queue_mapping_by_broker={
        "broker-a": TopicQueueMapping("broker-a", "__global__", 0, 4, {n: n for n in range(4)})
    },
)
TROUBLE = {"fault_switch": True, "failing": True}


def holding(version="5.3.3", route=EVEN, **known):
    return [step.name for step in walk(Evidence(version, route, **(QUIET | known))) if step.proof.holds]


@pytest.mark.parametrize(
    ("given", "causes"),
    [
        ({}, []),
        ({"selector": True}, ["keys"]),
        ({"route": UNEVEN}, ["queues"]),
        ({"route": LONE}, ["one_broker"]),
        ({"fault_switch": True}, []),
        ({"fault_switch": True, "version": "4.9.7"}, []),
        (TROUBLE | {"version": "4.9.8"}, ["avoided", "block"]),
        (TROUBLE | {"version": "4.9.7"}, ["avoided", "block"]),
        (TROUBLE | {"version": "4.9.7", "all_failing": True}, ["avoided", "block", "rewritten"]),
        (TROUBLE | {"version": "4.9.8", "all_failing": True}, ["avoided", "block"]),
        (TROUBLE | {"version": "4.9.7", "all_failing": True, "route": LONE}, ["one_broker"]),
        (TROUBLE, ["avoided"]),
        ({"route": DRAINED}, ["left_out"]),
        ({"route": STATIC}, []),
        (TROUBLE | {"route": STATIC}, []),
        ({"version": "4.8.0"}, []),
        ({"version": "4.8.0", "sends_per_thread": 1 << 30}, ["sticks"]),
        ({"failing": True}, ["avoided"]),
        ({"failing": True, "version": "4.7.1"}, ["avoided", "retries"]),
        ({"sends_per_thread": 2}, ["threads"]),
        ({"sends_per_thread": 79}, []),
    ],
)
def test_a_cause_holds_where_it_is(given, causes):
    assert holding(**given) == causes


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"route": UNEVEN}, "Run on the route: broker-a 80%, broker-b 20%."),
        (TROUBLE | {"version": "4.9.7"}, "broker-b : 0 gets 62.5%, broker-b : "),
        (TROUBLE | {"version": "5.3.3"}, "broker-b : 0 gets 25%, broker-b : "),
        (TROUBLE, "Run with broker-a refusing connections: broker-a 0%, broker-b 100% of what is stored."),
        (
            {"route": DRAINED},
            "broker-b with 4 queues, because its permission 4 does not let a producer write.",
        ),
        ({"version": "4.8.0", "sends_per_thread": 1 << 30}, "has run out of numbers with a chance of 50%."),
        ({"sends_per_thread": 500}, "With 500 it is more even still."),
        ({"version": "4.7.1", "failing": True}, "broker-b : 0 gets 50%, broker-b : "),
    ],
)
def test_the_proof_is_a_run_with_its_numbers(given, said):
    known = QUIET | {name: value for name, value in given.items() if name not in ("version", "route")}
    assert said in told_walk(Evidence(given.get("version", "5.3.3"), given.get("route", EVEN), **known))


def test_what_is_missing_is_asked_for_and_decides_nothing():
    steps = {step.name: step.proof for step in walk(Evidence("4.9.7"))}
    assert {name for name, proof in steps.items() if proof.holds is None} == set(STEPS) - {"sticks"}
    told = told_walk(Evidence("4.9.7"))
    for option in ("--route FILE", "--fault-switch", "--selector", "--failing", "--sends-per-thread"):
        assert option in told


@pytest.mark.parametrize("family", FAMILIES)
def test_every_step_has_its_words_and_runs_in_every_family(family):
    assert len(
        walk(Evidence(family, UNEVEN, fault_switch=True, selector=True, sends_per_thread=3, failing=True))
    ) == len(STEPS)
    for name in STEPS:
        assert f"uneven.ask.{name}" in catalogue()
        assert f"uneven.do.{name}" in catalogue()


def test_the_command_walks(tmp_path, capsys):
    file = tmp_path / "route"
    file.write_text(sample_dump("UnevenTopic"))
    assert main(["uneven", "--route", str(file), "--release", "4.9.7", "--fault-switch", "off"]) == 1
    printed = capsys.readouterr().out
    assert "Do the brokers have different numbers of write queues? Yes." in printed
    assert printed.endswith("Causes that hold: 1; not decided: 4.\n")
    assert main(["uneven", "--route", str(file), "--json"]) == 1
    steps = {step["cause"]: step["holds"] for step in json.loads(capsys.readouterr().out)}
    assert (steps["queues"], steps["left_out"], steps["keys"]) == (True, False, None)
    assert main(["uneven", "--release", "9.9"]) == 2
    assert main(["uneven"]) == 0
