"""The stepper without a browser: what Python reads and sets, and that the module's words are there."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from rmqref.errors import TraceError
from rmqref.messages import catalogue
from rmqref.situation import Fault, Situation
from rmqref.stepper import SHOWN, STATIC, Stepper, dressed, tokens_of
from rmqref.trace import events, record, sentence

RETRY = Situation("4.9.4", start=1031, last_broker_name="broker-a")
CHAIN = RETRY.but(calls=3, chain=True)
DOWN = (Fault("broker-a", 700, 21600), Fault("broker-b", 1200, 55000), Fault("broker-c", 3000, 170000))
FALLBACK = Situation("4.9.4", start=1031, fault_switch=True, faults=DOWN)
EVERY = {
    "retry": RETRY,
    "chain": CHAIN,
    "fallback": FALLBACK,
    "filters": FALLBACK.but(release="5.3.3"),
    "inverted": FALLBACK.but(release="4.7.1", last_broker_name="broker-a"),
}


def test_every_step_can_be_shown() -> None:
    trace = record(FALLBACK)
    stepper = Stepper(trace)
    for number, step in enumerate(trace["steps"]):
        stepper.step = number
        assert stepper.say == sentence(trace, number)
        assert stepper.local_values == dict(step["locals"])
        assert stepper.value == step["value"]
        assert stepper.stack[-1] == trace["sources"][step["source"]]["name"]
        assert stepper.line
    assert stepper.queues[1] == trace["result"]
    assert any("overwritten" in said for said in events(trace))


@pytest.mark.parametrize("step", [-1, 10_000])
def test_a_step_that_is_not_there_is_one_sentence(step: int) -> None:
    stepper = Stepper(record(RETRY), step=3)
    with pytest.raises(
        TraceError, match=rf"^There is no step {step}: this trace has the steps 0 to {stepper.last}\.$"
    ):
        stepper.step = step
    assert stepper.step == 3
    with pytest.raises(TraceError, match="There is no step"):
        Stepper(record(RETRY), step=step)


@pytest.mark.parametrize(
    "wrong", [{}, {"format": "rmqref.trace", "version": 2}, {"format": "other", "version": 1}]
)
def test_what_is_no_trace_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TraceError, match="not a trace that the stepper can show"):
        Stepper(wrong)
    stepper = Stepper(record(RETRY))
    with pytest.raises(TraceError, match="not a trace"):
        stepper.trace = wrong


def test_a_right_prediction_reveals_and_counts() -> None:
    stepper = Stepper(record(RETRY), predict=True)
    assert stepper.asks
    assert stepper.step == 0
    stepper.prediction = 4
    assert (stepper.step, stepper.prediction) == (stepper.last, 4)
    assert stepper.score == {"right": 1, "asked": 1}
    stepper.step = 7
    assert stepper.prediction == 4


def test_a_wrong_prediction_counts_as_asked() -> None:
    stepper = Stepper(record(RETRY), predict=True)
    stepper.prediction = 0
    assert stepper.score == {"right": 0, "asked": 1}


def test_a_prediction_can_be_made_without_the_mode() -> None:
    stepper = Stepper(record(RETRY))
    stepper.prediction = 4
    assert stepper.step == stepper.last
    assert stepper.score == {"right": 1, "asked": 1}


def test_the_mode_does_not_go_past_an_open_decision() -> None:
    trace = record(CHAIN)
    stepper = Stepper(trace, predict=True)
    starts = [decision["step"] for decision in trace["decisions"]]
    reveals = [decision["reveal"] for decision in trace["decisions"]]
    for number, start in enumerate(starts):
        stepper.step = stepper.last
        assert stepper.step == start
        stepper.prediction = 4
        assert stepper.step == reveals[number]
    assert stepper.score["asked"] == 3
    stepper.step = 5
    assert stepper.step == 5


def test_the_same_position_can_be_predicted_twice() -> None:
    stepper = Stepper(record(CHAIN), predict=True)
    stepper.prediction = 4
    stepper.step = stepper.last
    assert [stepper.prediction] == [None]
    stepper.prediction = 4
    assert stepper.score["asked"] == 2


def test_a_cell_that_predicts_can_be_run_again() -> None:
    stepper = Stepper(record(RETRY), predict=True)
    stepper.prediction = 4
    stepper.prediction = 4
    assert stepper.score == {"right": 1, "asked": 1}


def test_a_prediction_that_cannot_be_is_one_sentence() -> None:
    stepper = Stepper(record(CHAIN), predict=True)
    with pytest.raises(
        TraceError, match=r"^There is no position 12 in the ring: it has the positions 0 to 11\.$"
    ):
        stepper.prediction = 12
    stepper.prediction = 4
    with pytest.raises(
        TraceError, match=rf"^Step {stepper.step} asks for no prediction: .* is at step \d+\.$"
    ):
        stepper.prediction = 5
    assert stepper.prediction == 4
    last = Stepper(record(RETRY))
    last.prediction = 4
    with pytest.raises(TraceError, match="set the trace again"):
        last.prediction = 5


def test_what_was_seen_is_not_asked_and_a_finished_run_starts_over() -> None:
    trace = record(CHAIN)
    stepper = Stepper(trace, step=trace["decisions"][1]["step"])
    stepper.predict = True
    assert stepper.answers == [SHOWN, None, None]
    assert stepper.asks
    stepper.predict = False
    stepper.step = stepper.last
    stepper.predict = True
    assert (stepper.step, stepper.answers) == (0, [None, None, None])


def test_turned_on_in_the_middle_of_a_pick_it_goes_back_to_the_decision() -> None:
    stepper = Stepper(record(RETRY), step=20)
    stepper.predict = True
    assert stepper.step == 0


def test_show_me_reveals_without_counting() -> None:
    stepper = Stepper(record(RETRY), predict=True)
    stepper.show_me()
    assert stepper.step == stepper.last
    assert stepper.score == {"right": 0, "asked": 0}
    assert stepper.prediction is None
    stepper.show_me()
    assert stepper.answers == [SHOWN]


def test_a_pick_that_is_not_in_the_ring_is_not_asked() -> None:
    trace = record(RETRY)
    trace["decisions"][0]["possible"] = False
    stepper = Stepper(trace, predict=True)
    stepper.step = stepper.last
    assert [stepper.step, stepper.asks] == [stepper.last, False]


def test_a_new_trace_starts_at_its_first_step() -> None:
    stepper = Stepper(record(RETRY), predict=True)
    stepper.prediction = 4
    stepper.trace = record(CHAIN)
    assert [stepper.step, stepper.prediction] == [0, None]
    assert stepper.answers == [None, None, None]
    assert stepper.score == {"right": 0, "asked": 0}
    assert stepper.predict


def test_what_a_front_end_sends_is_taken_as_it_is() -> None:
    stepper = Stepper(record(CHAIN), predict=True)
    reveal = stepper.trace["decisions"][0]["reveal"]
    stepper.set_state({"step": reveal, "answers": [4, None, None], "predict": True})
    assert (stepper.step, stepper.prediction, stepper.score["asked"]) == (reveal, 4, 1)


def test_repr_is_short_and_the_same_every_time() -> None:
    assert repr(Stepper(record(RETRY), step=7)) == "Stepper('Retry pick', release 4.9.4, step 7)"


@pytest.mark.parametrize("situation", EVERY.values(), ids=EVERY)
def test_coloured_pieces_join_to_the_source(situation: Situation) -> None:
    for source in dressed(record(situation))["sources"]:
        joined = ["".join(text for _, text in pieces) for pieces in source["tokens"]]
        assert joined == source["lines"]


@pytest.mark.parametrize(
    "lines", [("",), ("", "x", ""), ('"""a', "b", 'c"""'), ("\tif x:", "  # é", "  y = '\\", "z'")]
)
def test_odd_lines_keep_their_shape(lines: tuple[str, ...]) -> None:
    assert tuple("".join(text for _, text in pieces) for pieces in tokens_of(lines)) == lines


@pytest.mark.parametrize("situation", EVERY.values(), ids=EVERY)
def test_a_dressed_trace_has_every_word_and_is_json(situation: Situation) -> None:
    trace = record(situation)
    before = json.dumps(trace)
    ready = dressed(trace)
    assert json.dumps(trace) == before
    assert {step["say"]["id"] for step in trace["steps"]} <= ready["words"].keys()
    assert json.loads(json.dumps(ready)) == ready
    assert dressed(ready) == ready


def test_the_module_and_the_catalogue_name_the_same_words() -> None:
    module = (STATIC / "stepper.js").read_text(encoding="utf-8")
    used = set(re.findall(r'"(stepper\.[a-z_.]+)"', module)) - {"stepper.js"}
    named = {
        name for name in catalogue() if name.startswith("stepper.") and not name.startswith("stepper.error.")
    }
    assert used == named


def test_the_module_stands_alone() -> None:
    module = (STATIC / "stepper.js").read_text(encoding="utf-8")
    code = re.sub(r"/\*.*?\*/", "", module, flags=re.DOTALL)
    assert not re.search(r"^\s*import\b|\bimport\(|innerHTML|insertAdjacentHTML|eval\(", code, re.MULTILINE)
    style = (STATIC / "stepper.css").read_text(encoding="utf-8")
    assert not re.search(r"@import|url\(", style)


def test_a_step_that_arrives_after_a_new_trace_does_not_count():
    stepper = Stepper(record(Situation("4.9.4", start=4)))
    stepper.set_state({"step": 1, "seen": 0})
    assert stepper.step == 1
    stepper.trace = record(Situation("5.3.3", start=4, calls=2))
    stepper.set_state({"step": stepper.last + 50, "answers": [5]})
    assert (stepper.step, stepper.answers) == (0, [None, None])
    stepper.set_state({"step": 2, "seen": stepper.run})
    assert stepper.step == 2
    stepper.trace = record(Situation("4.9.4", start=4))
    stepper.step = 1  # not from the reader
    assert stepper.step == 1
