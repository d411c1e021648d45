"""Two releases step together, and part where they part."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmqref import plots
from rmqref.comparison import SITUATIONS, ReleasesSideBySide, recorded
from rmqref.differences import matching_step, partings
from rmqref.measure import MeasureError, share_by_release
from rmqref.releases import FAMILIES, VERSIONS
from rmqref.situation import Situation


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(SITUATIONS)), st.sampled_from(VERSIONS), st.sampled_from(VERSIONS))
def test_steps_that_belong_together_begin_end_and_never_go_back(name, one, other):
    a, b = (recorded(SITUATIONS[name].but(release=version)) for version in (one, other))
    found = [matching_step(a, b, step) for step in range(len(a["steps"]))]
    assert found[0] == 0
    assert found[-1] == len(b["steps"]) - 1
    assert found == sorted(found)
    if not partings(a, b):
        assert found == list(range(len(a["steps"])))


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.parametrize("other", FAMILIES)
def test_partings_are_places_of_both_runs_and_mirror(name, other):
    a, b = (recorded(SITUATIONS[name].but(release=version)) for version in ("4.9.7", other))
    there, back = partings(a, b), partings(b, a)
    assert [(p.kind, p.step_a, p.step_b) for p in there] == [(p.kind, p.step_b, p.step_a) for p in back]
    for parting in there:
        assert parting.step_a < len(a["steps"])
        assert parting.step_b < len(b["steps"])
    picks = [[pick["queue"] for pick in trace["decisions"]] for trace in (a, b)]
    assert (picks[0] != picks[1]) == any(parting.kind == "pick" for parting in there)
    assert (other == "4.9.7") <= (there == ())


def test_one_stepper_takes_the_other_along():
    both = ReleasesSideBySide(beside="5.3.3")
    one, other = both.steppers
    one.step = one.last
    assert other.step == other.last
    other.step = 0
    assert one.step == 0
    both.places["pick"].click()
    assert (one.value, other.value) != (None, None)
    assert both.differences[-1] == "4.7.1 picks broker-b : 3; 5.3.3 picks broker-c : 0."


def test_a_change_records_both_again():
    both = ReleasesSideBySide()
    both.release_b.value = "4.7.0"
    assert both.differences == ["Both runs are the same, line by line."]
    assert all(button.disabled for button in both.places.values())
    both.situation.value = "overflow"
    both.release_a.value, both.release_b.value = "4.8.0", "4.9.3"
    assert "4.8.0" in both.differences[-1]
    assert [stepper.trace["release"] for stepper in both.steppers] == ["4.8.0", "4.9.3"]
    assert "4.8.0" in both.families.value
    both.seed.value = 2**40
    assert both.error.value == ""


def test_a_situation_of_ones_own_is_offered():
    both = ReleasesSideBySide(Situation("4.9.7", start=1), beside="4.9.8")
    assert both.situation.value == ""
    assert both.stepper.trace["release"] == "4.9.7"
    both.situation.value = "all_avoided"
    assert any("list" in sentence for sentence in both.differences)


def test_a_route_and_a_scenario_can_be_chosen():
    both = ReleasesSideBySide()
    both.route.value = "UnevenTopic"
    assert len(both.stepper.queues) == 10
    both.situation.value = "hangs"
    both.release_a.value, both.release_b.value = "4.2.0", "4.9.7"
    assert [stepper.trace["result"].split(" ")[0] for stepper in both.steppers] == [
        "SEND_OK",
        "MQClientException",
    ]
    assert "4.7.1  MQClientException: 1" in both.families.value
    one, other = both.steppers
    one.step = one.last
    assert other.step == other.last


def test_the_share_of_each_release_is_drawn_and_nothing_is_no_share():
    situation = Situation(start=2**31 - 2)
    shares = share_by_release(situation, ["4.8.0", "4.9.4", "5.3.3"], 1200)
    assert [max(share.values()) for share in shares.values()] == [
        600,
        101,
        101,
    ]  # past the largest int one queue comes twice
    figure = plots.share_by_release(shares)
    assert figure.to_json() == plots.share_by_release(shares).to_json()
    assert len([note for note in figure.layout.annotations if note.text.startswith("<b>")]) == 3
    with pytest.raises(MeasureError, match="0 sends or picks measure nothing"):
        share_by_release(situation, ["4.8.0"], 0)
