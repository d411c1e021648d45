"""Every question has exactly one right answer, which its own trace gives."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmqref.cli import main
from rmqref.messages import text
from rmqref.quiz import KINDS, LEVELS, MISCONCEPTIONS, MOST_OPTIONS, QuizError, question_of, questions
from rmqref.quiz_session import ask_all
from rmqref.releases import VERSIONS

SEEDS = st.integers(min_value=0, max_value=2**40)
ENDINGS = {"send_that_times_out", "send_with_error", "async_to_a_closed_broker"}


def is_in_trace(question, answer):
    """Whether the trace's own end gives the answer, read without asking the package."""
    trace = question.trace()
    end = trace["states"][-1]
    picks = [f"{broker} : {queue_id}" for broker, queue_id in (pick["queue"] for pick in trace["decisions"])]
    attempts = end.get("send", {}).get("attempts", [])
    if question.kind in ENDINGS:
        outcome, number = answer.split(", with attempt ")
        return trace["result"].startswith(outcome) and len(attempts) == int(number)
    if question.kind in ("slow_answer", "failed_send"):
        (entry,) = end["faults"]
        return answer == (f"{entry['left'] / 1000:g} s" if entry["left"] else "not at all")
    if question.kind == "share_of_the_next":
        queue = question.text.partition("How many of them does ")[2].removesuffix(" get?")
        return answer == str(picks.count(queue)) and len(picks) == 12
    if question.kind == "time_of_attempt_two":
        return answer == f"{attempts[1]['timeout']:,} ms"
    if question.kind == "copies_stored":
        return answer == str(len(attempts))  # each of these stores: the first too late, the others at once
    return answer == picks[-1]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=150, deadline=None)
@given(seed=SEEDS)
def test_one_answer_is_right_and_the_trace_gives_it(kind, seed):
    question = question_of(kind, seed)
    if question is None:
        return
    texts = [option.text for option in question.options]
    (right,) = (option.text for option in question.options if option.misconception is None)
    assert len(set(texts)) == len(texts)
    assert 3 <= len(texts) <= MOST_OPTIONS
    assert {option.misconception for option in question.options} - {None} <= set(MISCONCEPTIONS)
    assert question.release in question.text
    assert question == question_of(kind, seed)
    assert is_in_trace(question, right), (question.text, right)


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS)
def test_thousands_of_questions_are_sound(seed):
    for question in questions(seed, 14):
        assert [option.misconception for option in question.options].count(None) == 1
        assert len({option.text for option in question.options}) == len(question.options)
        assert question.options[question.right].misconception is None
        assert question.misconception in MISCONCEPTIONS


def test_there_are_hundreds_of_questions_over_all_misconceptions_levels_and_releases():
    asked = questions(7, 1000)
    assert len({question.text for question in asked}) == 1000
    assert {question.level for question in asked} == set(LEVELS)
    assert {question.kind for question in asked} == set(KINDS)
    assert {question.release for question in asked} == set(VERSIONS)
    named = Counter(option.misconception for question in asked for option in question.options)
    assert set(named) == {None, *MISCONCEPTIONS}
    assert len(MISCONCEPTIONS) >= 10


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_and_a_release_can_be_asked_for(level):
    asked = questions(3, 20, level=level, release="4.9.7")
    assert {(question.level, question.release) for question in asked} == {(level, "4.9.7")}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"level": 4}, "There is no level 4: the levels are 1, 2 and 3."),
        ({"count": 0}, "A quiz of 0 questions cannot be made: ask for 1 to 1000."),
        ({"count": 1001}, "A quiz of 1001 questions cannot be made: ask for 1 to 1000."),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(given, sentence):
    with pytest.raises(QuizError) as error:
        questions(**{"seed": 1, "count": 5} | given)
    assert str(error.value) == sentence


def test_every_question_can_be_shown_with_its_reasons():
    for question in questions(11, 42):
        trace = question.trace()
        assert 0 <= question.deciding_step(trace) < len(trace["steps"])
        assert question.why(trace), question.text


def test_a_terminal_is_asked_and_told():
    asked = questions(7, 4)
    letters = ["abcd"[question.right] for question in asked]
    wrong = next(letter for letter in "abc" if letter != letters[1])
    answers = iter(["nonsense", letters[0], wrong, "", str(asked[3].right + 1)])
    said: list[str] = []
    assert ask_all(asked, lambda _prompt: next(answers), said.append) == 2
    told = "\n".join(said)
    assert "Please give one of a/b/c" in told
    assert told.count("Right.") == 2
    chosen = asked[1].options["abcd".index(wrong)].misconception
    assert text(f"quiz.misconception.{chosen}") in told
    assert told.endswith("2 of 4 right.")


def test_the_end_of_the_input_ends_the_quiz():
    def ended(_prompt):
        raise EOFError

    said: list[str] = []
    assert ask_all(questions(7, 4), ended, said.append) == 0
    assert said[-1] == "0 of 0 right."


def test_the_command_prints_questions_and_answers(capsys):
    def printed(*arguments):
        assert main(["quiz", "--seed", "7", "--n", "3", *arguments]) == 0
        return capsys.readouterr().out

    assert printed() == printed()
    for question in questions(7, 3):
        assert question.text in printed()
    assert [one["right"] for one in json.loads(printed("--json"))] == [q.right for q in questions(7, 3)]
    assert main(["quiz", "--level", "9"]) == 2
    assert main(["quiz", "--release", "9.9.9"]) == 2
