"""The cheat sheet says what the release table says."""

from __future__ import annotations

from operator import attrgetter

from rmqref.bugs import BUGS
from rmqref.cheat_sheet import cheat_sheet, groups, threshold_rows
from rmqref.cli import main
from rmqref.releases import CHRONOLOGY, FAMILIES


def test_the_thresholds_are_those_of_the_two_tables():
    head, old, new = threshold_rows()
    assert len(head) == len(old) == len(new) == 7
    assert old[0] == "4.0.0-incubating .. 5.1.3"
    assert old[1:] == [
        "550 ms: 30 s",
        "1,000 ms: 60 s",
        "2,000 ms: 120 s",
        "3,000 ms: 180 s",
        "15,000 ms: 600 s",
        "600 s",
    ]
    assert new[0] == "5.1.4 .. 5.3.3"
    assert new[1:] == [
        "550 ms: 2 s",
        "1,800 ms: 5 s",
        "3,000 ms: 6 s",
        "5,000 ms: 10 s",
        "15,000 ms: 30 s",
        "10 s",
    ]


def test_every_release_is_in_one_group():
    for column in ("retry_codes", "select", "index"):
        found = groups(attrgetter(column))
        assert sorted(version for versions in found.values() for version in versions) == sorted(CHRONOLOGY)


def test_every_family_bug_and_rule_stands_there(capsys):
    sheet = cheat_sheet()
    for family in FAMILIES:
        assert f"\n| {family} | " in sheet
    for bug in BUGS.values():
        assert f"**{bug.name.replace('_', ' ')}**: {bug.spans}" in sheet
    assert "1, 2, 14, 16, 17, 204, 205, 1500 (5.3.1 .. 5.3.3)" in sheet
    assert "Every attempt has the whole timeout (4.0.0-incubating .. 4.2.0)" in sheet
    assert main(["cheat-sheet"]) == 0
    assert capsys.readouterr().out == sheet + "\n"
