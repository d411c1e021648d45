"""The fresh cases for the published clients: the same for a seed, and such that the package can replay them."""

import json

import pytest

from rmqref.conform import KINDS as REPLAYED
from rmqref.conform import replay_case
from rmqref.releases import FAMILIES
from tests.oracle.__main__ import Comparison, recorded_cases, table
from tests.oracle.cases import KINDS, fresh_cases


def test_a_seed_gives_the_same_cases_and_another_gives_others():
    one = list(fresh_cases(1, 5))
    assert json.dumps(one) == json.dumps(list(fresh_cases(1, 5)))
    assert json.dumps(one) != json.dumps(list(fresh_cases(2, 5)))
    assert [kind for kind, _ in one[::5]] == list(KINDS)
    assert set(KINDS) <= set(REPLAYED)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_fresh_case_can_be_replayed(family):
    for kind, case in fresh_cases(3, 40):
        if kind == "detector" and not FAMILIES[family].has_reachable:
            continue
        if "r" in case["input"].get("ops", "") and kind == "index" and not FAMILIES[family].has_reachable:
            continue
        assert "not replayed" not in replay_case(kind, family, case["input"])


def test_a_release_is_asked_what_was_recorded_of_its_family():
    kinds = {kind for kind, _ in recorded_cases("4.9.5")}
    assert {"first_pick", "send_loop", "pick_ties"} <= kinds


def test_the_table_says_what_was_not_equal():
    good, bad = Comparison("4.9.7", "4.9.7"), Comparison("5.3.3", "5.3.3")
    good.asked["index"] = good.equal["index"] = 3
    bad.asked["index"], bad.equal["index"], bad.asked["route"], bad.equal["route"] = 3, 2, 1, 1
    assert table([good, bad]).splitlines()[-2:] == ["| 4.9.7 | 3 | - |", "| 5.3.3 | 3, 1 not equal | 1 |"]
    assert good.line() == "4.9.7: 3 passed, 0 failed"
