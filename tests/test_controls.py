"""The controls: a change shows a new run, wrong input shows one sentence, and nothing is left behind."""

import pytest

from rmqref.controls import PASTE, PickControls
from rmqref.releases import VERSIONS
from rmqref.samples import SAMPLES, sample_dump, sample_route
from rmqref.situation import Fault, Send, Situation


@pytest.fixture
def controls():
    return PickControls(Situation("4.9.4", sample_route("OrderTopic"), start=4))


def test_a_change_of_each_control_shows_the_run_of_its_situation(controls):
    changes = {
        "release": "5.3.3",
        "route": "PaymentTopic",
        "start": -7,
        "last_broker": "broker-b",
        "fault_switch": True,
        "pick_at": 5000,
        "calls": 3,
        "chain": True,
        "reset_index": True,
    }
    for name, value in changes.items():
        before = controls.stepper.trace
        getattr(controls, name).value = value
        assert controls.error.value == ""
        assert controls.stepper.trace != before, name
        assert controls.stepper.trace["result"] == ", ".join(map(str, controls.situation.picks()))
    assert controls.situation.release == "5.3.3"
    assert controls.situation.pick_at == 5000


def test_a_row_of_the_fault_table_avoids_a_broker(controls):
    controls.fault_switch.value = True
    row = controls.faults["broker-b"]
    row.avoided_for.value = 600000
    assert controls.situation.faults == ()
    row.has_entry.value = True
    assert controls.situation.faults == (Fault("broker-b", 0, 600000),)
    assert controls.stepper.trace["result"] == "broker-c : 0"
    controls.pick_at.value = 600000
    assert controls.stepper.trace["result"] == "broker-b : 1"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("start", 2**31, "does not fit in Java&#x27;s 32-bit int"),
        ("route", PASTE, "The text is empty"),
    ],
)
def test_wrong_input_shows_one_sentence_and_keeps_the_last_run(controls, name, value, says):
    before = controls.stepper.trace
    getattr(controls, name).value = value
    assert says in controls.error.value
    assert "Traceback" not in controls.error.value
    assert controls.stepper.trace == before


def test_a_negative_latency_is_an_error_only_while_its_row_is_used(controls):
    row = controls.faults["broker-a"]
    row.latency.value = -3
    assert controls.error.value == ""
    row.has_entry.value = True
    assert "-3, which is negative" in controls.error.value
    row.latency.value = 3
    assert controls.error.value == ""


def test_a_pasted_route_is_read_and_offers_its_brokers(controls):
    controls.route.value = PASTE
    controls.route_text.value = "{"
    assert "line 1, column 2" in controls.error.value
    controls.route_text.value = sample_dump("PaymentTopic")
    assert controls.error.value == ""
    assert list(controls.faults) == ["broker-a", "broker-b"]
    controls.route.value = "LoneTopic"
    assert list(controls.faults) == ["broker-a"]
    assert controls.stepper.trace["topic"] == "LoneTopic"


def test_a_hostile_name_is_shown_as_text(controls):
    controls.route.value = PASTE
    controls.route_text.value = '<img src=x onerror="alert(1)">'
    assert "<img" not in controls.error.value


def test_a_route_with_no_queue_to_write_to_tells_what_java_does(controls):
    dump = sample_dump("LoneTopic").replace('"perm":6', '"perm":4')
    controls.route.value = PASTE
    controls.route_text.value = dump
    assert controls.error.value == ""
    assert "ArithmeticException" in controls.stepper.trace["result"]


def test_changing_the_route_keeps_the_rows_and_the_last_broker_that_it_still_has(controls):
    controls.last_broker.value = "broker-a"
    controls.faults["broker-a"].has_entry.value = True
    controls.faults["broker-a"].latency.value = 700
    controls.route.value = "PaymentTopic"
    assert controls.last_broker.value == "broker-a"
    assert controls.situation.faults == (Fault("broker-a", 700),)
    controls.last_broker.value = "broker-b"
    controls.route.value = "LoneTopic"
    assert controls.situation.last_broker_name is None
    assert controls.last_broker.label == "nobody (first attempt)"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_release_can_be_chosen(controls, version):
    controls.release.value = version
    assert controls.error.value == ""
    assert controls.stepper.trace["release"] == version


@pytest.mark.parametrize("topic", SAMPLES)
def test_every_sample_can_be_begun_with(topic):
    controls = PickControls(Situation("4.9.4", sample_route(topic), topic, start=0))
    assert controls.error.value == ""
    assert controls.route.value == topic


def test_a_situation_of_ones_own_keeps_its_route_and_faults():
    situation = Situation(
        "4.9.7", (("x", 2), ("y", 1)), fault_switch=True, faults=(Fault("gone", 5, 9),), calls=2
    )
    controls = PickControls(situation)
    assert controls.situation == situation
    controls.start.value = 1
    assert controls.situation == situation.but(start=1)


def test_sends_of_the_situation_are_kept():
    situation = Situation("4.9.7", fault_switch=True, sends=(Send("broker-a", 700, at=5),), start=0, seed=4)
    controls = PickControls(situation)
    assert controls.situation == situation
    assert controls.stepper.trace["result"] == "broker-b : 0"
    controls.pick_at.value = 4
    assert "5, 4 do not rise" in controls.error.value
