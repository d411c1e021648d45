"""Each cause of uneven traffic is found where it is, by a run, and nowhere else."""

from __future__ import annotations

import pytest

from rmqref.cli import main
from rmqref.messages import catalogue
from rmqref.releases import FAMILIES, route_of
from rmqref.samples import sample_dump
from rmqref.uneven import STEPS, Evidence, told_walk, walk

EVEN = route_of((("broker-a", 4), ("broker-b", 4)))
UNEVEN = route_of((("broker-a", 8), ("broker-b", 2)))
LONE = route_of((("broker-a", 4),))
QUIET = {"fault_switch": False, "selector": False, "sends_per_thread": 10_000, "failing": False}


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
        ({"fault_switch": True, "version": "4.9.8"}, ["block"]),
        ({"fault_switch": True, "version": "4.9.7"}, ["block", "rewritten"]),
        ({"version": "4.8.0"}, ["sticks"]),
        ({"failing": True}, []),
        ({"failing": True, "version": "4.7.1"}, ["retries"]),
        ({"sends_per_thread": 2}, ["threads"]),
    ],
)
def test_a_cause_holds_where_it_is(given, causes):
    assert holding(**given) == causes


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"route": UNEVEN}, "Run on the route: broker-a 80%, broker-b 20%."),
        ({"version": "4.9.7", "fault_switch": True}, "broker-b : 0 gets 62.5%, broker-b : "),
        ({"version": "5.3.3", "fault_switch": True}, "broker-b : 0 gets 25%, broker-b : "),
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
    assert (
        len(
            walk(Evidence(family, UNEVEN, fault_switch=True, selector=True, sends_per_thread=3, failing=True))
        )
        == 8
    )
    for name in STEPS:
        assert f"uneven.ask.{name}" in catalogue()
        assert f"uneven.do.{name}" in catalogue()


def test_the_command_walks(tmp_path, capsys):
    file = tmp_path / "route"
    file.write_text(sample_dump("UnevenTopic"))
    assert main(["uneven", "--route", str(file), "--release", "4.9.7", "--fault-switch", "off"]) == 1
    printed = capsys.readouterr().out
    assert "Do the brokers have different numbers of write queues? Yes." in printed
    assert printed.endswith("Causes that hold: 1; not decided: 3.\n")
    assert main(["uneven", "--release", "9.9"]) == 2
    assert main(["uneven"]) == 0
