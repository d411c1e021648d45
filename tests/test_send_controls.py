"""The controls of a send: each change shows its run, two releases stand beside each other, and nothing gets lost."""

import random

import pytest

from rmqref.cluster import DOES, BrokerFault
from rmqref.differences import first_difference
from rmqref.errors import ScenarioError, TraceError
from rmqref.messages import catalogue
from rmqref.releases import VERSIONS
from rmqref.scenario import BrokerPlan, Load, Scenario
from rmqref.send_controls import AS_GIVEN, NAME_SERVER, NONE, OWN, WELL, SendControls
from rmqref.send_trace import record_send
from rmqref.situation import Fault, Situation
from rmqref.stepper import Stepper
from rmqref.trace import record

THREE = Scenario(
    "three brokers",
    start=-1,
    brokers=(BrokerPlan("broker-a"), BrokerPlan("broker-b"), BrokerPlan("broker-c", latency=(3, 9))),
    load=Load(sends=5, every=1000),
)
HANGS = THREE.but(title="broker-a hangs", faults=(BrokerFault("hang", "broker-a"),))
WINDOWS = THREE.but(
    title="a bad second",
    faults=(
        BrokerFault("slow", "broker-a", until=900, latency=700),
        BrokerFault(NAME_SERVER, at=5000),
        BrokerFault("refuse", "broker-b", latency=3, remark="kept"),
        BrokerFault("code", "broker-a", at=1000, code=14),
    ),
    producer={"send_msg_timeout": 3000, "unit_mode": True},
)


@pytest.fixture
def controls():
    return SendControls(THREE)


def beside(controls):
    return controls.stepper_b


def faults_of(controls):
    return list(controls.scenario.faults)


@pytest.mark.parametrize("scenario", [THREE, HANGS, WINDOWS, Scenario(release="4.2.0")])
def test_it_begins_with_the_scenario_as_it_is(scenario):
    controls = SendControls(scenario)
    assert controls.scenario == scenario
    assert controls.stepper.trace["result"] == record_send(scenario)["result"]
    assert controls.error.value == ""
    assert controls.stepper_b is None
    assert controls.difference == ""


def test_a_change_of_each_control_shows_the_run_of_its_scenario(controls):
    controls.brokers["broker-a"].does.value = "status"
    changes = {
        "release": ("5.3.3", lambda s: s.release),
        "timeout": (500, lambda s: s.producer["send_msg_timeout"]),
        "retry_another_broker": (True, lambda s: s.producer["retry_another_broker_when_not_store_ok"]),
        "retries": (0, lambda s: s.producer["retry_times_when_send_failed"]),
        "fault_switch": (True, lambda s: s.producer["send_latency_fault_enable"]),
        "number": (3, lambda _: controls.number.value),
        "seed": (7, lambda s: s.seed),
        "mode": ("ASYNC", lambda s: s.load.mode),
        "async_retries": (0, lambda s: s.producer["retry_times_when_send_async_failed"]),
    }
    for name, (value, said) in changes.items():
        getattr(controls, name).value = value
        assert controls.error.value == ""
        assert said(controls.scenario) == value, name
        expected = record_send(controls.scenario, controls.number.value)
        assert controls.stepper.trace["steps"] == expected["steps"], name
    assert len(controls.scenario.producer) == 5


def test_most_controls_change_what_is_seen(controls):
    controls.brokers["broker-a"].does.value = "status"
    for name, value in {
        "release": "4.7.1",
        "timeout": 9,
        "retry_another_broker": True,
        "number": 2,
        "mode": "ONEWAY",
    }.items():
        before = controls.stepper.trace
        getattr(controls, name).value = value
        assert controls.stepper.trace != before, name


@pytest.mark.parametrize("does", [name for name in DOES if name != NAME_SERVER])
def test_a_broker_can_do_everything_that_a_scenario_can_plan(controls, does):
    row = controls.brokers["broker-a"]
    row.does.value = does
    assert controls.error.value == ""
    (fault,) = controls.scenario.faults
    assert (fault.does, fault.broker) == (does, "broker-a")
    shown = {name for name in ("latency", "code", "status") if getattr(row, name).layout.display != "none"}
    assert shown == {"slow": {"latency"}, "code": {"code"}, "status": {"status"}}.get(does, set())
    row.does.value = WELL
    assert controls.scenario == THREE


def test_what_a_broker_does_has_its_number_or_its_status(controls):
    row = controls.brokers["broker-a"]
    row.does.value = "slow"
    row.latency.value = 1234
    assert controls.stepper.trace["states"][-1]["send"]["attempts"][0]["ended"] == 1234
    row.does.value = "code"
    row.code.value = 14
    assert controls.stepper.trace["states"][-1]["send"]["attempts"][0]["code"] == 14
    row.does.value = "status"
    row.status.value = "SLAVE_NOT_AVAILABLE"
    assert controls.stepper.trace["result"] == "SLAVE_NOT_AVAILABLE broker-a : 0"
    row.does.value = "slow"
    assert row.latency.value == 1234


def test_a_fault_that_a_row_cannot_show_stays_until_another_is_chosen():
    controls = SendControls(WINDOWS)
    row = controls.brokers["broker-a"]
    assert row.does.value == AS_GIVEN
    row.does.value = WELL
    assert faults_of(controls) == [WINDOWS.faults[1], WINDOWS.faults[2]]
    row.does.value = "hang"
    assert faults_of(controls) == [BrokerFault("hang", "broker-a"), WINDOWS.faults[1], WINDOWS.faults[2]]
    row.does.value = AS_GIVEN
    assert controls.scenario == WINDOWS
    assert AS_GIVEN not in dict(controls.brokers["broker-b"].does.options).values()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("number", 6, "has no send 6: its sends are numbered from 1 to 5"),
        ("number", 0, "has no send 0"),
        ("retries", 16, "can have 17 attempts"),
    ],
)
def test_wrong_input_shows_one_sentence_and_keeps_the_last_run(controls, name, value, says):
    before = controls.stepper.trace
    getattr(controls, name).value = value
    assert says in controls.error.value
    assert controls.stepper.trace == before
    assert getattr(controls, name).value == value
    getattr(controls, name).value = 1
    assert controls.error.value == ""


def test_a_latency_of_none_or_less_is_an_error_only_while_the_broker_is_slow(controls):
    row = controls.brokers["broker-a"]
    row.latency.value = -3
    assert controls.error.value == ""
    row.does.value = "slow"
    assert "-3, which is negative" in controls.error.value
    row.latency.value = 0
    assert "broker-a" in controls.error.value
    row.does.value = "hang"
    assert controls.error.value == ""


def test_an_error_of_the_second_release_leaves_both_runs_as_they_were():
    scenario = THREE.but(release="5.3.3", producer={"start_detector_enable": True})
    controls = SendControls(scenario)
    before = controls.stepper.trace
    controls.release_b.value = "4.9.7"
    assert "4.9.7" in controls.error.value
    assert controls.stepper_b is None
    assert controls.stepper.trace == before
    controls.release_b.value = NONE
    assert controls.error.value == ""


def test_a_second_release_stands_beside_on_the_same_seed():
    controls = SendControls(HANGS)
    controls.release_b.value = "4.7.1"
    controls.seed.value = 3
    assert controls.stepper_b is not None
    assert controls.stepper_b.trace["release"] == "4.7.1"
    expected = record_send(controls.scenario.but(release="4.7.1"))
    assert controls.stepper_b.trace["steps"] == expected["steps"]
    assert controls.difference == "Attempt 3: 4.9.7 sends to broker-c : 0, 4.7.1 to broker-a : 2."
    kept = beside(controls)
    controls.release_b.value = NONE
    assert beside(controls) is None
    assert controls.difference == ""
    controls.release_b.value = "4.9.6"
    assert beside(controls) is kept
    assert controls.difference == "Both runs are the same up to the end."
    assert repr(controls).count("Stepper(") == 2


def test_another_scenario_is_shown_and_what_was_changed_by_hand_stays():
    controls = SendControls(scenarios={"all is well": THREE, "hangs": HANGS, "windows": WINDOWS})
    assert controls.scenario == THREE
    controls.choice.value = "hangs"
    assert controls.scenario == HANGS
    assert controls.brokers["broker-a"].does.value == "hang"
    controls.release.value = "5.3.3"
    controls.timeout.value = 400
    controls.brokers["broker-b"].does.value = "stop"
    controls.choice.value = "windows"
    assert controls.brokers["broker-a"].does.value == AS_GIVEN
    assert [controls.release.value, controls.timeout.value] == ["5.3.3", 400]
    assert controls.brokers["broker-b"].does.value == "stop"
    controls.choice.value = "all is well"
    assert controls.brokers["broker-a"].does.value == WELL
    assert faults_of(controls) == [BrokerFault("stop", "broker-b")]


def test_a_broker_that_another_scenario_lacks_is_remembered():
    controls = SendControls(THREE, scenarios={"one": THREE.but(brokers=(BrokerPlan("broker-a"),))})
    assert controls.choice.value == OWN
    controls.brokers["broker-c"].does.value = "hang"
    controls.choice.value = "one"
    assert list(controls.brokers) == ["broker-a"]
    assert faults_of(controls) == []
    controls.choice.value = OWN
    assert faults_of(controls) == [BrokerFault("hang", "broker-c")]


def test_what_is_no_scenario_or_no_send_is_refused():
    with pytest.raises(ScenarioError, match="scenario"):
        SendControls("all is well")  # type: ignore[arg-type]
    with pytest.raises(ScenarioError, match="scenario"):
        SendControls(scenarios={"x": 3})  # type: ignore[dict-item]
    with pytest.raises(TraceError, match="no send 9"):
        SendControls(THREE, 9)
    assert SendControls().scenario.load.sends == 20


def test_hostile_names_are_text():
    hostile = '<img src=x onerror="alert(1)">'
    controls = SendControls(THREE.but(title=hostile, brokers=(BrokerPlan(hostile), BrokerPlan("b"))))
    row = controls.brokers[hostile]
    assert not row.does.description_allow_html
    row.does.value = "hang"
    controls.release_b.value = "4.7.1"
    controls.fault_switch.value = True
    assert hostile in controls.difference
    assert "<img" not in controls._difference_line.value


@pytest.mark.parametrize("version", VERSIONS)
def test_every_release_can_stand_beside(version):
    controls = SendControls(HANGS)
    controls.release_b.value = version
    assert controls.error.value == ""
    assert controls.difference.endswith(".")


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_set_is_there_to_be_read_and_never_a_traceback(seed):
    controls = SendControls(THREE, scenarios={"hangs": HANGS, "windows": WINDOWS})
    chance = random.Random(seed)
    numbers = (-(2**31), -1, 0, 1, 2, 500, 3000, 2**31)
    for _ in range(30):
        rows = [control for row in controls.brokers.values() for control in row.controls]
        control = chance.choice(
            [*rows, *controls._simple, controls.number, controls.release_b, controls.choice]
        )
        if hasattr(control, "options"):
            value = chance.choice([one[1] if isinstance(one, tuple) else one for one in control.options])
        else:
            value = chance.choice([False, True] if isinstance(control.value, bool) else numbers)
        control.value = value
        assert control.value == value
        assert "Traceback" not in controls.error.value


def attempts(release, **changes):
    return record_send(HANGS.but(release=release, **changes))


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        (
            attempts("4.7.1"),
            attempts("5.3.3"),
            "Attempt 3: 4.7.1 sends to broker-a : 2, 5.3.3 to broker-c : 0.",
        ),
        (
            attempts("4.9.7", producer={"retry_times_when_send_failed": 1}),
            attempts("4.9.7"),
            "4.9.7 makes attempt 3, to broker-c : 0; 4.9.7 has given up or ended by then.",
        ),
        (
            attempts("4.9.7"),
            attempts("4.9.6", producer={"send_msg_timeout": 2000}),
            "Attempt 1 to broker-a : 0 is given 3000 ms in 4.9.7, 2000 ms in 4.9.6.",
        ),
        (
            attempts("4.9.7"),
            attempts("4.9.6", faults=(BrokerFault("code", "broker-a"),)),
            (
                "Attempt 1 to broker-a : 0 ends with RemotingTimeoutException in 4.9.7, "
                "with MQBrokerException, code 2 in 4.9.6."
            ),
        ),
        (
            attempts("4.9.7", faults=(BrokerFault("slow", "broker-a", latency=7),)),
            attempts("4.9.6", faults=()),
            "Attempt 1 to broker-a : 0 ends after 7 ms in 4.9.7, after 5 ms in 4.9.6.",
        ),
        (
            attempts("4.7.1", producer={"send_latency_fault_enable": True}),
            attempts("5.3.3", producer={"send_latency_fault_enable": True}),
            "After attempt 1 broker-a is avoided: 600000 ms in 4.7.1, 10000 ms in 5.3.3.",
        ),
        (attempts("4.9.6"), attempts("4.9.7"), "Both runs are the same up to the end."),
    ],
)
def test_the_first_difference_of_two_sends(a, b, says):
    assert first_difference(a, b) == says


RETRY = Situation("4.9.4", start=1031, last_broker_name="broker-a")
FAULTY = RETRY.but(fault_switch=True, faults=(Fault("broker-b", 700, 30000),))


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        (
            RETRY,
            RETRY.but(release="4.9.7", start=1035, last_broker_name=None),
            "Both pick broker-b : 0 in pick 1, 4.9.4 after looks: 5, 4.9.7 after looks: 1.",
        ),
        (RETRY, RETRY.but(start=1036), "Pick 1: 4.9.4 picks broker-b : 0, 4.9.4 picks broker-b : 1."),
        (
            RETRY,
            RETRY.but(release="4.7.1"),
            "Both do the same, but the counter ends at 1036 in 4.9.4, at 1032 in 4.7.1.",
        ),
        (
            RETRY.but(fault_switch=True),
            FAULTY.but(faults=(Fault("broker-c", 700, 30000),)),
            (
                "Both do the same, but then the fault table says of broker-c: no entry in 4.9.4, "
                "700 ms, avoided for 30000 ms more in 4.9.4."
            ),
        ),
        (RETRY, RETRY, "Both runs are the same up to the end."),
    ],
)
def test_the_first_difference_of_two_picks(a, b, says):
    assert first_difference(record(a), record(b)) == says


def test_every_sentence_of_a_difference_can_be_said():
    base = attempts("4.9.7")
    for name in catalogue():
        if name.startswith("send_controls.difference."):
            assert name.rpartition(".")[2] in {
                *("queue", "begun", "given", "outcome", "ended", "avoided", "more", "less", "pick", "looks"),
                *("result", "faults", "stored", "worst_stored", "same"),
            }
    other = attempts("4.9.7") | {"result": "something else"}
    assert first_difference(base, other).endswith("4.9.7 ends with something else.")
    late = attempts("4.9.6")
    for state in late["states"]:
        for attempt in state["send"]["attempts"]:
            attempt["at"] += 1
    assert "begins after 0 ms in 4.9.7, after 1 ms in 4.9.6." in first_difference(base, late)


def test_python_can_go_from_attempt_to_attempt():
    stepper = Stepper(attempts("4.9.7"))
    seen = []
    for _ in range(4):
        stepper.next_attempt()
        seen.append((len(stepper.attempts), stepper.say))
    assert [number for number, _ in seen] == [1, 2, 3, 3]
    assert seen[1][1] == "Attempt 2 goes to broker-b : 0, with 0 ms to wait."
    assert stepper.step == stepper.last
    assert Stepper(record(RETRY)).attempts == []
