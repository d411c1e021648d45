"""What a forecast says in words and figures: facts from a command line, the table, the figures' numbers."""

import json

import pytest

from rmqref.cli import main
from rmqref.cluster import BrokerFault
from rmqref.errors import RmqRefError
from rmqref.forecast import Facts, forecast
from rmqref.forecast_plots import forecast_brokers, forecast_share, forecast_trouble
from rmqref.forecast_report import read_fault, told_forecast
from rmqref.measure import MeasureError
from rmqref.samples import FOLDER

ROUTE = str(FOLDER / "UnevenTopic.json")
DOWN = BrokerFault("refuse", "broker-a", at=20_000, until=40_000)
MANY = tuple((f"broker-{name}", 30) for name in "abc")


@pytest.mark.parametrize(
    ("written", "does", "at", "until", "number"),
    [
        ("hang:b", "hang", 20_000, 40_000, 0),
        ("slow=700:b:1.5-2", "slow", 1500, 2000, 700),
        ("slow:b:1", "slow", 1000, None, 1800),
        ("refuse:b:0-60", "refuse", 0, 60_000, 0),
    ],
)
def test_a_fault_is_read(written, does, at, until, number):
    fault = read_fault(written, 60_000)
    assert (fault.does, fault.broker, fault.at, fault.until, fault.latency) == (does, "b", at, until, number)
    assert read_fault("code=14:b", 60_000).code == 14


@pytest.mark.parametrize(
    "written",
    ["", "hang", "hang=3:b", "hang:", "slow=:b", "hang:b:-3", "hang:b:1-", "hang:b:٣", "hang:b:9-2"],
)
def test_what_is_no_fault_is_said(written):
    with pytest.raises(RmqRefError):
        read_fault(written, 60_000)


def test_the_command_says_what_json_holds(capsys):
    arguments = [
        "forecast",
        ROUTE,
        "--release",
        "4.9.7",
        "--fault",
        "refuse:broker-a",
        "--fault-switch",
        "on",
    ]
    assert main(arguments) == 0
    words = capsys.readouterr().out
    assert main([*arguments, "--json"]) == 0
    phases = json.loads(capsys.readouterr().out)["phases"]
    assert [phase["phase"] for phase in phases] == ["before", "during", "after"]
    for phase in phases:
        assert sum(stored for _, _, stored in phase["stored"]) == phase["sends"]
        assert all(f"{stored:,} (" in words for _, _, stored in phase["stored"])


def test_an_assumed_switch_is_said(capsys):
    assert main(["forecast", ROUTE]) == 0
    assert "--fault-switch on" in capsys.readouterr().err


@pytest.mark.parametrize(
    "more",
    [
        ["--duration", "nan"],
        ["--duration", "0"],
        ["--threads", "0"],
        ["--fault", "hang:x"],
        ["--fault", "burn:broker-a"],
    ],
)
def test_a_wrong_call_ends_with_2_and_one_sentence(more, capsys):
    assert main(["forecast", ROUTE, *more]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_many_queues_share_a_row():
    told = told_forecast(Facts(route=MANY, rate=90, start=0))
    assert "in a queue of broker-c" in told
    assert "60 to 60" in told


def test_late_threads_are_said():
    slow = BrokerFault("slow", "broker-a", latency=2000)
    assert "cannot keep the pace" in told_forecast(Facts(faults=(slow,), start=0))


@pytest.mark.parametrize("route", [(("broker-a", 4), ("broker-b", 4)), MANY])
def test_the_bars_are_the_shares(route):
    found = forecast(Facts(route=route, faults=(DOWN,), start=0))
    figure = forecast_share(found)
    assert figure.to_json() == forecast_share(found).to_json()
    for number, phase in enumerate(found.phases):
        axis = str(number + 1) if number else ""
        along = "y" if route is MANY else "x"
        bars = [
            trace
            for trace in figure.data
            if trace.type == "bar" and (trace[f"{along}axis"] or along) == f"{along}{axis}"
        ]
        drawn = [value for trace in bars for value in trace[along]]
        stored = phase.stored.total()
        assert drawn == pytest.approx(
            [100 * phase.stored[queue] / stored for queue in found.queues], abs=1e-3
        )
    assert all(name in figure.layout.meta["description"] for name in found.brokers)


@pytest.mark.parametrize("route", [(("broker-a", 4), ("broker-b", 12)), MANY])
def test_a_bar_of_brokers_is_the_whole_in_parts(route):
    found = forecast(Facts(route=route, faults=(DOWN,), start=0))
    figure = forecast_brokers(found)
    parts = [trace for trace in figure.data if trace.type == "bar"]
    for number, phase in enumerate(found.phases):
        assert sum(part.x[number] for part in parts) == pytest.approx(100, abs=1e-2)
        for broker, part in zip(found.brokers, parts, strict=True):
            own = sum(count for (name, _), count in phase.stored.items() if name == broker)
            assert part.x[number] == pytest.approx(100 * own / phase.stored.total(), abs=1e-3)
            assert broker in part.hovertext[number]
    for part, words in zip(parts, (trace for trace in figure.data if trace.type == "scatter"), strict=True):
        assert all(not word or length > 25 for word, length in zip(words.text, part.x, strict=True))
        assert words.x == part.base
    assert all(name in figure.layout.meta["description"] for name in found.brokers)
    assert any("broker-b 75%" in word for trace in figure.data for word in trace.text or ()) == (
        route is not MANY
    )


def test_the_trouble_is_told_for_every_phase():
    found = forecast(Facts(faults=(DOWN,), start=0))
    failed, added = (trace for trace in forecast_trouble(found).data if trace.type == "bar")
    assert failed.x == tuple(100 * phase.first_failed / phase.sends for phase in found.phases)
    assert added.x == pytest.approx([found.added(phase) for phase in found.phases], abs=1e-3)
    assert "longer than a good answer" in forecast_trouble(forecast(Facts())).layout.meta["description"]


def test_a_share_of_nothing_is_refused():
    hang = BrokerFault("hang", "broker-a")
    with pytest.raises(MeasureError):
        forecast_share(forecast(Facts(route=(("broker-a", 2),), rate=1, duration=5000, faults=(hang,))))
    with pytest.raises(MeasureError):
        forecast_brokers(forecast(Facts(route=(("broker-a", 2),), rate=1, duration=5000, faults=(hang,))))
