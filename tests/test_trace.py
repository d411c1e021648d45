"""The trace shows what ran: the real source, the same picks, the same bytes, and no trace of the watching."""

import hashlib
import inspect
import json
import re
import sys
import threading
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rmqref
from rmqref.errors import JavaException, TraceError
from rmqref.messages import catalogue
from rmqref.releases import FAMILIES, VERSIONS
from rmqref.situation import Fault, Send, Situation
from rmqref.trace import MEANINGS, WATCHED, events, record, sentence, to_json

SCHEMA = json.loads((Path(rmqref.__file__).parent / "trace.schema.json").read_text())
CHECK = jsonschema.Draft202012Validator(SCHEMA)

SITUATIONS = st.builds(
    Situation,
    st.sampled_from(VERSIONS),
    st.sampled_from([(("broker-a", 2), ("broker-b", 2)), (("a", 1),), (("a", 3), ("b", 1), ("c", 2)), ()]),
    start=st.sampled_from([None, 0, 5, -1, 2**31 - 2, 2**31 - 1, -(2**31)]),
    last_broker_name=st.sampled_from([None, "broker-a", "a", "", "gone"]),
    fault_switch=st.booleans(),
    faults=st.sampled_from(
        [
            (),
            (Fault("broker-a", 600, 30000), Fault("broker-b", 900, 30000)),
            (Fault("a", 5, 9, reachable=False),),
        ]
    ),
    worst_start=st.sampled_from([None, 0, 2**31 - 1]),
    calls=st.integers(1, 3),
    chain=st.booleans(),
    reset_index=st.booleans(),
    seed=st.integers(0, 5),
)


def picks_of(situation):
    try:
        return ", ".join(map(str, situation.picks()))
    except JavaException as exception:
        return str(exception)


@settings(max_examples=50)
@given(SITUATIONS)
def test_watching_changes_nothing_and_the_trace_ends_in_the_pick(situation):
    trace = record(situation)
    assert trace["result"] == picks_of(situation)
    assert to_json(trace) == to_json(record(situation))
    CHECK.validate(trace)
    json.loads(to_json(trace))


@settings(max_examples=30)
@given(SITUATIONS)
def test_every_step_has_a_sentence_a_real_line_and_a_frame(situation):
    trace = record(situation)
    for n, step in enumerate(trace["steps"]):
        assert sentence(trace, n)
        source = trace["sources"][step["source"]]
        assert source["first_line"] <= step["line"] < source["first_line"] + len(source["lines"])
        assert not any(
            first <= step["line"] - source["first_line"] + 1 <= last for first, last in source["folded"]
        )
        assert step["stack"][-1] == [step["source"], step["line"]]
        assert set(step["changed"]) <= {name for name, _ in step["locals"]}
        assert "0x" not in json.dumps(step["locals"])
    for decision in trace["decisions"]:
        if decision["reveal"] is not None:
            assert trace["steps"][decision["reveal"]]["kind"] == "pick"
            assert decision["step"] < decision["reveal"]


def test_the_source_is_the_real_one():
    trace = record(
        Situation("4.9.4", last_broker_name="broker-a", fault_switch=True, faults=(Fault("broker-a", 1, 9),))
    )
    modules = {module.__name__: inspect.getsource(module).split("\n") for module in WATCHED}
    for source in trace["sources"]:
        given = modules[source["module"]][source["first_line"] - 1 :]
        for own, real in zip(source["lines"], given, strict=False):
            assert real.strip() == own.strip()


def test_the_tracer_of_a_debugger_or_of_coverage_is_left_as_found():
    def other(frame, event, arg):
        return None

    sys.settrace(other)
    try:
        record(Situation())
        found = sys.gettrace()
    finally:
        sys.settrace(None)
    assert found is other


def test_the_tracer_is_left_as_found_when_a_run_fails():
    situation = Situation(route=())
    assert "ArithmeticException" in record(situation)["result"]
    assert sys.gettrace() is None


def test_only_the_recording_thread_is_watched():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(sys.gettrace()))
    record(Situation())
    thread.start()
    thread.join()
    assert seen == [None]


def test_the_algorithm_holds_no_tracing_and_no_version():
    for module in WATCHED:
        code = re.sub(r'""".*?"""', "", inspect.getsource(module), flags=re.DOTALL)
        for word in ("trace", "logging", "print(", "stepper"):
            assert word not in code, (module.__name__, word)
        # A version may stand in an error's sentence, but nothing is decided by it.
        assert not re.search(r"version\s*(==|!=|<|>|in\b|\.starts)|\bif [^\n]*version", code), module.__name__


def test_every_watched_function_that_answers_a_question_has_a_meaning():
    names = {name for module in WATCHED for name in dir(module)} | {"increment_and_get", "reset"}
    assert set(MEANINGS) <= names


def test_a_fallback_that_rewrites_the_list_is_told_step_by_step():
    situation = Situation(
        "4.9.4",
        (("b1", 2), ("b2", 2)),
        start=1,
        fault_switch=True,
        faults=(Fault("b1", 600, 30000), Fault("b2", 900, 30000)),
    )
    assert events(record(situation)) == [
        "This thread's counter moves from 1 to 2.",
        "Look 1: 2 % 4 gives position 2, which is b2 : 0.",
        "b2 is avoided for another 30000 ms. Skip.",
        "Look 2: 3 % 4 gives position 3, which is b2 : 1.",
        "b2 is avoided for another 30000 ms. Skip.",
        "Look 3: 4 % 4 gives position 0, which is b1 : 0.",
        "b1 is avoided for another 30000 ms. Skip.",
        "Look 4: 5 % 4 gives position 1, which is b1 : 1.",
        "b1 is avoided for another 30000 ms. Skip.",
        "Once round the whole list, 4 in all, and none was accepted.",
        "Sorted by availability, then latency, then start time, the fault table reads: b1, b2.",
        "The fallback's own counter moves from 0 to 1.",
        "The fallback takes one of the better half of the fault table (1 of 2): b1.",
        "Write queues that the route gives b1: 2.",
        "This thread's counter moves from 2 to 3.",
        "Look 5: 3 % 4 gives position 3, which is b2 : 1.",
        "This thread's counter moves from 3 to 4.",
        "Position 3 of the shared list is overwritten: from now on it says b1 : 0, for every thread.",
        "The pick is b1 : 0, after 5 looks at the list.",
    ]


def test_a_swallowed_exception_is_told_once_and_kept_as_data():
    situation = Situation("5.1.3", (("a", 2),), fault_switch=True, last_broker_name="a")
    told = events(record(situation))
    assert sum("NullPointerException" in sentence for sentence in told) == 2
    assert any("Java catches the NullPointerException and logs it" in sentence for sentence in told)
    desk = situation.prepare()
    situation.run(desk)
    assert [error.name for error in desk.strategy.errors_logged] == ["NullPointerException"]


def test_what_is_said_of_a_negative_counter_is_true():
    walk = Situation(
        "4.7.1", start=2**31 - 2, fault_switch=True, faults=(Fault("broker-a", 1, 9), Fault("broker-b", 1, 9))
    )
    told = events(record(walk))
    assert "Look 1: 2147483647 % 12 gives position 7, which is broker-b : 3." in told
    assert (
        "Look 2: -2147483648 has no absolute value; its negative remainder by 12 is repaired to position 0, "
        "which is broker-a : 0."
    ) in told
    assert "Look 3: the absolute value of -2147483647, % 12, gives position 7, which is broker-b : 3." in told


def test_an_avoided_broker_is_not_called_available_by_the_inverted_test():
    down = tuple(Fault(name, 700, 30000) for name in ("broker-a", "broker-b", "broker-c"))
    told = events(record(Situation("4.7.1", fault_switch=True, last_broker_name="broker-b", faults=down)))
    assert not any("is available, but" in sentence for sentence in told)


def test_unreachable_in_5_1_4_is_told_as_what_it_is():
    def told(version):
        sends = (Send("broker-b", 20, failed=True, reachable=False),)
        return events(record(Situation(version, fault_switch=True, sends=sends, calls=0)))

    assert "no passing of time makes it available again" in told("5.1.4")[0]
    assert "avoided for 10000 ms" in told("5.2.0")[0]


def test_an_empty_list_is_told_as_empty():
    told = events(record(Situation("4.9.7", (), fault_switch=True, faults=(Fault("a", 1, 9),))))
    assert "The list is empty: there is no queue to look at." in told


def test_what_cannot_be_recorded_is_refused_in_one_sentence():
    with pytest.raises(TraceError, match=r"'4\.9\.4' cannot be recorded"):
        record("4.9.4")  # type: ignore[arg-type]
    with pytest.raises(TraceError, match="3000 picks are more than"):
        record(Situation(calls=3000))
    for step in (-1, 999):
        with pytest.raises(TraceError, match=f"no step {step}"):
            sentence(record(Situation()), step)


def test_sends_are_told_before_the_picks():
    situation = Situation(
        "5.3.3", fault_switch=True, sends=(Send("broker-a", 700), Send("broker-a", 5, at=1000)), calls=0
    )
    assert events(record(situation)) == [
        "The fault table notes 700 ms for broker-a, which is avoided for 2000 ms from now.",
        "The fault table notes 5 ms for broker-a, which is avoided for 1000 ms from now.",
    ]


def test_a_queue_that_is_not_in_the_list_is_not_asked_for():
    situation = Situation(
        "4.9.3", (("b1", 3),), start=2**31 - 3, fault_switch=True, faults=(Fault("b1", 5, 600000),)
    )
    trace = record(situation)
    assert trace["decisions"][0]["queue"] == ["b1", -2]
    assert trace["decisions"][0]["possible"] is False


@pytest.mark.parametrize("language", ["en"])
def test_every_sentence_of_a_trace_is_in_the_catalogue(language):
    code = (Path(rmqref.__file__).parent / "trace.py").read_text()
    for name in re.findall(r'"((?:say|shown|trace)\.[a-z_.]+)"', code):
        assert name in catalogue(language) or any(key.startswith(name) for key in catalogue(language)), name


def test_runs_are_cut_into_the_same_steps_by_every_python():
    situations = [
        Situation(
            family,
            fault_switch=True,
            last_broker_name="broker-a",
            faults=(Fault("broker-a", 600, 30000),),
            calls=2,
        )
        for family in FAMILIES
    ]
    lines = [[step["kind"] for step in record(situation)["steps"]] for situation in situations]
    digest = hashlib.sha256(json.dumps(lines).encode()).hexdigest()
    assert digest == DIGEST


DIGEST = "ac55d5392c5aff06fd762fd5fbb336618a2ff72926c75105f29f1e93eeb80ff8"
