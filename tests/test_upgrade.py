"""What changes between any two releases is the difference of their rows, shown by runs wherever a run can show it."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from rmqref.bugs import BUGS
from rmqref.cli import main
from rmqref.errors import UnknownRelease
from rmqref.messages import catalogue
from rmqref.releases import CHRONOLOGY, COLUMNS, FAMILIES, VERSIONS, release
from rmqref.upgrade import UNASKED, cell, upgrade

NOT_SHOWN = {
    "async_checks_topic": "no scenario sends to a given queue asynchronously",
    "position_of": "where no counter is negative and no scan passes the largest int, both give the same position",
    "sends_async_in_pool": "which thread sends is not seen from outside",
}
"""Behaviours that no probe shows, each with the reason."""

PAIRS = list(dict.fromkeys([*pairwise(CHRONOLOGY), *((a, b) for a in FAMILIES for b in FAMILIES if a < b)]))


@pytest.mark.parametrize("column", COLUMNS)
def test_every_behaviour_is_told(column):
    assert (f"upgrade.column.{column}" in catalogue()) == (column not in UNASKED)


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_the_list_is_the_difference_of_the_rows_and_mirrors(before, after):
    there, back = upgrade(before, after), upgrade(after, before)
    old, new = release(before), release(after)
    differing = [name for name in COLUMNS if name not in UNASKED and cell(old, name) != cell(new, name)]
    assert [change.name for change in there.changes if change.kind in ("pick", "send")] == differing
    assert {change.name for change in there.changes if change.kind == "fixed"} == {
        name for name, bug in BUGS.items() if before in bug.releases and after not in bug.releases
    }
    mirrored = {
        (change.name, change.after, change.before, change.shown_after, change.shown_before)
        for change in back.changes
    }
    assert mirrored == {
        (change.name, change.before, change.after, change.shown_before, change.shown_after)
        for change in there.changes
    }
    assert list(there.lines())
    for change in there.changes:
        assert (
            (change.shown_before != change.shown_after)
            or change.name in NOT_SHOWN
            or "PREVIEW" in before + after
        )


def test_what_no_run_shows_is_just_what_is_listed():
    unseen = {
        change.name
        for before, after in PAIRS
        if "PREVIEW" not in before + after  # its logical queues are not modelled
        for change in upgrade(before, after).changes
        if not change.shown_before
    }
    assert unseen == set(NOT_SHOWN)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_release_does_not_differ_from_itself(version):
    same = upgrade(version, version)
    assert same.changes == ()
    assert list(same.lines()) == [
        f"Nothing changes for a producer from {version} to {version}: all behaviours and bugs are the same."
    ]


def test_the_way_from_4_7_1_to_5_3_3():
    found = {change.name: change for change in upgrade("4.7.1", "5.3.3").changes}
    assert (found["accepts"].shown_before, found["accepts"].shown_after) == (
        "picks broker-b : 1",
        "picks broker-c : 0",
    )
    assert found["isolation_latency"].shown_before == "a failed send keeps its broker avoided for 600,000 ms"
    assert found["isolation_latency"].shown_after == "a failed send keeps its broker avoided for 10,000 ms"
    assert found["inverted_retry_test"].kind == "fixed"
    assert found["static_topic_defeats"].kind == "new"


def test_the_command_prints_the_list_and_refuses_what_is_no_release(capsys):
    assert main(["diff", "4.9.7", "4.9.8"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "From 4.9.7 to 4.9.8: 3 changes."
    assert "  4.9.7: picks broker-a : 3; entries of the shared list changed: 1" in lines
    assert main(["diff", "4.9.7", "4.9.8", "--json"]) == 0
    assert [change["name"] for change in json.loads(capsys.readouterr().out)["changes"]] == [
        "place_on_broker",
        "counts_write_queues_of",
        "shared_list_rewritten",
    ]
    assert main(["diff", "4.9.7", "6.0.0"]) == 2
    assert "6.0.0" in capsys.readouterr().err
    with pytest.raises(UnknownRelease):
        upgrade("4.9", "5.3.3")
