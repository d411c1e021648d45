"""Every exhibit shows its bug in every release that has it, and in no other, on the same seed."""

from __future__ import annotations

import pytest

from rmqref.bugs import BUGS
from rmqref.cli import main
from rmqref.museum import EXHIBITS, MuseumError, exhibit
from rmqref.releases import VERSIONS
from rmqref.situation import Situation

DAMAGE = {
    "inverted_retry_test": ("4.7.1", 12, "4.8.0"),
    "retry_hot_spot": ("4.7.1", 201, "4.8.0"),
    "counter_sticks": ("4.8.0", 10, "4.9.0"),
    "counter_counts_down": ("5.0.0-ALPHA", 10, "5.0.0"),
    "negative_queue_ids": ("5.0.0-ALPHA", 1, "5.0.0"),
    "shared_list_rewritten": ("5.1.3", 400, "5.1.4"),
    "block_share": ("5.1.3", 3500, "5.1.4"),
    "swallowed_overflow": ("5.1.3", 1, "5.1.4"),
    "swallowed_null": ("5.1.3", 12, "5.1.4"),
    "unreachable_for_ever": ("5.1.4", 12, "5.2.0"),
    "hash_of_smallest_int": ("4.7.1", 1, "4.8.0"),
    "random_smallest_int": ("4.1.0-incubating", 1, "4.2.0"),
    "cause_hidden": ("5.3.3", 1, "4.2.0"),
    "own_mistake_isolates": ("5.1.3", 10, "5.1.4"),
    "static_topic_defeats": ("5.3.3", 12, "5.0.0-PREVIEW"),
}
RECORDED = [name for name, shown in EXHIBITS.items() if shown.run is not None]


def test_every_bug_has_its_exhibit():
    assert list(EXHIBITS) == list(BUGS) == list(DAMAGE)


@pytest.mark.parametrize("name", DAMAGE)
def test_the_damage_is_where_the_bug_is_and_nowhere_else(name):
    shown, (bad, damage, free) = EXHIBITS[name], DAMAGE[name]
    assert (shown.bad, shown.damage(shown.bad), shown.free) == (bad, damage, free)
    assert {version for version in VERSIONS if shown.damage(version) > 0} == set(shown.bug.releases)
    assert {shown.damage(version) for version in VERSIONS} - {0} != set()
    assert shown.damage(free) == 0


@pytest.mark.parametrize("name", RECORDED)
def test_the_recorded_runs_part_at_the_deciding_step(name):
    shown = EXHIBITS[name]
    trace, free = shown.trace(shown.bad), shown.trace(shown.free)
    assert (trace["release"], free["release"]) == (shown.bad, shown.free)
    assert 0 < shown.deciding_step < len(trace["steps"])
    assert trace == shown.trace(shown.bad)


def test_what_is_not_recorded_says_so():
    with pytest.raises(MuseumError, match="The run of cause_hidden is not a pick"):
        exhibit("cause_hidden").trace("5.3.3")
    with pytest.raises(MuseumError, match="There is no exhibit 'block': the museum has inverted_retry_test,"):
        exhibit("block")


def test_the_smallest_runs_are_small():
    situations = [shown.run for shown in EXHIBITS.values() if isinstance(shown.run, Situation)]
    assert len(situations) >= 8
    assert max(run.calls for run in situations) <= 4


def test_the_command_lists_the_exhibits_and_shows_one(capsys):
    assert main(["museum"]) == 0
    listed = capsys.readouterr().out
    assert [line.split(":")[0] for line in listed.splitlines() if not line.startswith(" ")] == list(EXHIBITS)
    assert main(["museum", "block_share"]) == 0
    shown = capsys.readouterr().out
    assert "5.1.3: 3,500 picks of 12,000 more than its share" in shown
    assert "5.1.4: 0 picks of 12,000 more than its share" in shown
    assert main(["museum", "blok_share"]) == 2
    assert "There is no exhibit 'blok_share'" in capsys.readouterr().err
