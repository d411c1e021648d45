"""The release table is data, complete, and finds every release by any of its names."""

import inspect
import re
import typing
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rmqref
from rmqref import release
from rmqref.bugs import BUGS
from rmqref.errors import SituationError, UnknownRelease
from rmqref.releases import EXCEPTIONS, FAMILIES, RELEASED, VERSIONS, Release, ReleaseTable, nearest_versions

PACKAGE = Path(rmqref.__file__).parent


def test_there_are_nine_families_and_36_releases():
    assert len(FAMILIES) == 9
    assert len(VERSIONS) == len(set(VERSIONS)) == 36
    assert RELEASED.keys() == FAMILIES.keys()
    assert all(family in RELEASED[family].split() for family in FAMILIES)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_release_is_found_by_its_version_and_its_tags(version):
    for name in (
        version,
        f"rocketmq-all-{version}",
        f"rocketmq-{version}",
        f"V{version.replace('.', '_')}",
        f" {version}\n",
    ):
        assert release(name).version == version
    assert version in RELEASED[release(version).family].split()


@pytest.mark.parametrize(
    "name", ["4.5.0", "5.4.0", "3.2.6", "", "latest", "4", "4.9", "4.9.44", "9" * 400, "5.3.3.1", "②"]
)
def test_an_unknown_release_names_three_near_ones(name):
    with pytest.raises(UnknownRelease) as error:
        release(name)
    named = re.findall(r"\d+\.\d+\.\d+(?:-[\w]+)?", str(error.value).split("nearest are")[1])
    assert len(named) == 3
    assert set(named) <= set(VERSIONS)


@given(st.text(max_size=12))
def test_any_other_name_is_an_unknown_release(name):
    try:
        found: object = release(name).version
    except UnknownRelease as unknown:
        found = unknown
    assert found in VERSIONS or "the nearest are" in str(found)


def test_the_nearest_releases_are_near():
    assert nearest_versions("5.4") == ["5.3.3", "5.3.2", "5.3.1"]
    assert nearest_versions("4.5.0")[:2] == ["4.5.1", "4.5.2"]
    assert nearest_versions("3.5.8")[0] == "4.0.0-incubating"


def test_exceptions_name_columns_and_cells_of_the_columns_kind():
    hints = typing.get_type_hints(Release)
    for version, cells in EXCEPTIONS.items():
        assert version in VERSIONS
        for column, cell in cells.items():
            normal = getattr(FAMILIES[release(version).family], column)
            assert column in hints
            assert type(cell) is type(normal), (version, column)


def test_every_variant_of_the_algorithm_is_a_cell_of_some_row():
    used = {getattr(release(version), field.name) for version in VERSIONS for field in fields(Release)} - {
        None
    }
    variants = {
        member
        for name in ("index", "selection", "strategy", "faults", "selectors")
        for member in vars(getattr(rmqref, name)).values()
        if getattr(member, "__module__", "") == f"rmqref.{name}"
        and re.match(
            r"(retry_pick|select_by_(scan|filters|hash)|accepts_|update_(over|ext)|pick_one_at_least|.*_position$|.*Index$|SelectBy)",
            member.__name__,
        )
    }
    assert len(variants) > 20
    assert variants - used - {rmqref.index.ThreadLocalIndex} == set()


def test_nothing_outside_the_table_asks_for_a_version():
    for name in ("java", "model", "index", "selection", "strategy", "faults", "selectors", "route"):
        code = re.sub(r'""".*?"""', "", (PACKAGE / f"{name}.py").read_text(), flags=re.DOTALL)
        assert not re.search(r"\bversion\b|\brelease\(|\d\.\d\.\d", code), name


def test_every_variant_names_its_java_source_and_releases():
    for name in ("index", "selection", "strategy", "faults", "selectors", "route"):
        module = getattr(rmqref, name)
        for member in vars(module).values():
            if getattr(member, "__module__", "") != module.__name__ or member.__name__.startswith("_"):
                continue
            if inspect.isfunction(member) or inspect.isclass(member):
                if member.__name__ in ("StrategyRules", "array_element", "QueueFilter", "refuse_too_many"):
                    continue
                assert "Java: " in (member.__doc__ or ""), f"{name}.{member.__name__}"


def test_the_table_prints_each_family_and_each_exception():
    rows = ReleaseTable().rows()
    differing = {version for version, cells in EXCEPTIONS.items() if set(cells) - {"texts"}}
    assert {row[0] or row[1] for row in rows[1:]} == {*FAMILIES, *differing}
    assert len({len(row) for row in rows}) == 1
    html = ReleaseTable(("index",))._repr_html_()
    assert html.count("<tr>") == len(ReleaseTable(("index",)).rows())
    with pytest.raises(SituationError, match="no column"):
        ReleaseTable(("indx",)).rows()


def test_bugs_belong_to_the_releases_that_the_facts_name():
    first_and_last = {name: (bug.releases[0], bug.releases[-1]) for name, bug in BUGS.items()}
    assert first_and_last == {
        "inverted_retry_test": ("4.0.0-incubating", "4.7.1"),
        "retry_hot_spot": ("4.0.0-incubating", "4.7.1"),
        "counter_sticks": ("4.8.0", "4.8.0"),
        "counter_counts_down": ("4.9.0", "5.0.0-ALPHA"),
        "negative_queue_ids": ("4.8.0", "5.0.0-ALPHA"),
        "shared_list_rewritten": ("4.0.0-incubating", "5.1.3"),
        "block_share": ("4.0.0-incubating", "5.1.3"),
        "swallowed_overflow": ("5.1.0", "5.1.3"),
        "swallowed_null": ("4.0.0-incubating", "5.1.3"),
        "unreachable_for_ever": ("5.1.4", "5.1.4"),
        "hash_of_smallest_int": ("4.0.0-incubating", "4.7.1"),
        "random_smallest_int": ("4.0.0-incubating", "4.1.0-incubating"),
        "cause_hidden": ("4.3.0", "5.3.3"),
        "own_mistake_isolates": ("4.0.0-incubating", "5.1.3"),
        "static_topic_defeats": ("5.0.0-ALPHA", "5.3.3"),
    }
    assert "4.9.8" not in BUGS["shared_list_rewritten"].releases
    assert "4.9.4" not in BUGS["swallowed_null"].releases
    assert all(
        bug.what.endswith(".") and str(bug.issue or "No report is known.") in bug.link
        for bug in BUGS.values()
    )
