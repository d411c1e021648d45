"""The proof: every recorded run of the released Java classes comes out the same, and altered ones do not."""

import copy
import gzip
import json
from pathlib import Path

import pytest

from rmqref.conform import KINDS, Report, release_of, replay, replay_case, same

VECTORS = Path(__file__).parent / "vectors"
FILES = sorted(file for file in VECTORS.rglob("*.json.gz") if file.name.split(".")[0] in KINDS)


def cases_of(file):
    return json.loads(gzip.decompress(file.read_bytes()))


@pytest.mark.parametrize("file", FILES, ids=lambda file: "/".join(file.relative_to(VECTORS).parts)[:-8])
def test_the_package_answers_as_java_did(file):
    report = replay([file])
    assert not report.failures
    assert sum(report.passed.values()) == len(cases_of(file)) > 0


def test_all_given_cases_are_replayed():
    report = replay([VECTORS])
    assert sum(report.passed.values()) == 6340
    assert {kind for _, kind in report.passed} == set(KINDS)
    assert report.not_covered == {}
    assert report.exit_status == 0


def altered(value):
    """Return every value that differs from a JSON value in one place."""
    match value:
        case bool():
            yield not value
            yield int(value)
        case int():
            yield value + 1
            yield str(value)
        case str():
            yield value + "x"
        case None:
            yield 0
        case list():
            yield [*value, 0]
            for n, item in enumerate(value):
                yield from ([*value[:n], other, *value[n + 1 :]] for other in altered(item))
        case dict():
            yield {**value, "more": 1}
            for key, item in value.items():
                yield {k: v for k, v in value.items() if k != key}
                yield from ({**value, key: other} for other in altered(item))


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_altered_anywhere_fails(kind, tmp_path):
    file = next(file for file in reversed(FILES) if file.name.startswith(f"{kind}.json"))
    case = min(cases_of(file), key=lambda case: len(json.dumps(case)))
    wrong = [{**case, "expected": other} for other in altered(case["expected"])]
    folder = tmp_path / str(release_of(file.parts[:-1]))
    folder.mkdir()
    (folder / f"{kind}.json").write_text(json.dumps(wrong))
    report = replay([tmp_path])
    assert len(report.failures) == len(wrong) > 1
    assert report.exit_status == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_whose_input_is_damaged_fails_and_says_why(kind):
    assert "not replayed" in replay_case(kind, "5.3.3", {})
    assert "not replayed" in replay_case(kind, "5.3.3", [])


def test_replaying_leaves_a_case_as_it_was():
    for kind in KINDS:
        file = next(file for file in FILES if file.name.startswith(f"{kind}.json"))
        for case in cases_of(file):
            before = copy.deepcopy(case)
            replay_case(kind, str(release_of(file.parts[:-1])), case["input"])
            assert same(case, before)


def test_true_is_not_one_and_one_is_not_one_point_nought():
    assert not same(True, 1)
    assert not same(1, 1.0)
    assert not same({"a": [None]}, {"a": [0]})
    assert same({"a": [1, "b", None]}, {"a": [1, "b", None]})


def test_nothing_replayed_is_no_success():
    assert Report().exit_status == 2
