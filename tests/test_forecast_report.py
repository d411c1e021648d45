"""What a forecast says in words and figures: facts from a command line, the table, the figures' numbers."""

import json
import re
from dataclasses import replace

import pytest

from rmqref.cli import main
from rmqref.cluster import BrokerFault
from rmqref.errors import RmqRefError
from rmqref.forecast import Facts, ForecastError, forecast
from rmqref.forecast_plots import forecast_brokers, forecast_share, forecast_trouble
from rmqref.forecast_report import lines_of_forecast, read_fault, read_faults, told_forecast
from rmqref.measure import MeasureError
from rmqref.model import BrokerData, QueueData, TopicRouteData
from rmqref.samples import FOLDER, sample_dump

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


def queue_rows(told):
    return [line.split("|")[0].strip() for line in told.split("\n") if line.startswith("stored in ")]


def test_what_the_fallback_makes_up_has_its_rows():
    route = TopicRouteData(
        [QueueData("broker-a"), QueueData("broker-b")],
        [BrokerData(name, {0: f"{name}:10911"}) for name in ("broker-a", "broker-b")],
        order_topic_conf="broker-b:2;broker-a:2",
    )
    faults = tuple(BrokerFault("refuse", name, at=20_000, until=40_000) for name in ("broker-a", "broker-b"))
    found = forecast(Facts("4.7.1", route, fault_switch=True, start=0, faults=faults))
    told = "\n".join(lines_of_forecast(found))
    assert "stored in broker-b : 3" in queue_rows(told)
    assert "messages went to queues that the list does not have" in told
    for phase, data in zip(found.phases, found.as_json()["phases"], strict=True):
        assert (
            sum(count for _, _, count in data["stored"]) == phase.stored.total() == phase.sends - phase.failed
        )


def test_a_queue_that_stands_twice_in_the_list_is_counted_once():
    route = TopicRouteData(
        [QueueData("broker-a")],
        [BrokerData("broker-a", {0: "a:10911"})],
        order_topic_conf="broker-a:2;broker-a:2",
    )
    found = forecast(Facts(route=route, start=0))
    assert queue_rows("\n".join(lines_of_forecast(found))) == [
        "stored in broker-a : 0",
        "stored in broker-a : 1",
    ]
    assert [entry[2] for entry in found.as_json()["phases"][0]["stored"]] == [3000, 3000]


def test_sends_that_wait_for_their_threads_are_told():
    found = forecast(
        Facts("5.3.3", start=0, faults=(BrokerFault("hang", "broker-b", at=20_000, until=40_000),))
    )
    told = "\n".join(lines_of_forecast(found))
    assert [found.due(phase) for phase in found.phases] == [2000, 2000, 2000]
    waiting = 2000 - found.phases[1].sends
    assert f"{waiting:,} sends that were due during the trouble began after it" in told
    assert "A timeout is noticed 1 ms late" in told
    assert "timer-delay" not in told_forecast(replace(found.facts, timer_delay=0))
    assert "timer-delay" not in told_forecast(replace(found.facts, release="4.2.0"))
    assert "sends due" not in told_forecast(Facts(start=0, faults=(DOWN,)))


def test_what_the_columns_cover_is_told():
    faults = (
        BrokerFault("refuse", "broker-b", at=5_000, until=10_000),
        BrokerFault("refuse", "broker-a", at=40_000),
    )
    told = told_forecast(Facts(start=0, faults=faults))
    assert "during from 5 s" in told
    assert "with times between them in which nothing is wrong" in told
    assert "during 5-10 s" in told_forecast(Facts(start=0, faults=faults[:1]))
    assert "no send gets one in time" in told_forecast(Facts(start=0, latency=3000))


def test_no_answer_is_faster_than_a_good_one_and_nothing_has_no_share():
    told = told_forecast(
        Facts(route=(("broker-a", 2),), start=0, faults=(BrokerFault("refuse", "broker-a", at=0),))
    )
    assert re.search(r"a send takes on average \| 3.0 ms *\n", told)
    assert re.search(r"stored on broker-a *\| - *\n", told)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (["hung:broker-b"], 'A forecast knows no fault "hung": give one of refuse, hang, slow, code.'),
        (["hang:broker-b:40-20"], "ends before it begins"),
        (["slow=0:broker-b"], "is slow by nothing"),
        (["code=10:broker-b"], "Code 10 is the one of a stored message"),
        (["hang=3:broker-b"], '"hang" takes no number'),
        (["hang:broker-b:70-80"], "begins after the last send: the forecast is of 60 s"),
        (["hang:broker-b", "slow:broker-b:30"], "at the same time, from 30 s to 40 s"),
        (["slow:broker-b:30", "hang:broker-b"], "at the same time, from 30 s to 40 s"),
        (["hang broker-b"], "is no fault"),
    ],
)
def test_a_fault_that_cannot_be_is_one_sentence(written, said):
    with pytest.raises(ForecastError, match=re.escape(said)):
        read_faults(written, 60_000)


def test_the_command_says_why_a_broker_is_not_there_and_which_topics_there_are(tmp_path, capsys):
    drained, two = tmp_path / "drained", tmp_path / "two"
    drained.write_text(sample_dump("DrainedTopic"))
    assert main(["forecast", str(drained), "--fault", "hang:broker-a"]) == 2
    assert "its permission 4 does not let a producer write" in capsys.readouterr().err
    assert main(["forecast", str(drained)]) == 0
    assert "Left out: broker-a with 4 queues" in capsys.readouterr().out
    assert main(["forecast", str(drained), "--duration", "0.001"]) == 2
    assert main(["forecast", str(drained), "--duration", "1e9"]) == 2
    assert "at most a day" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["forecast", str(drained), "--rate", "0.5"])
    assert "0.5 is no whole number" in capsys.readouterr().err
    line = "topicRouteTable.put. Topic = {0}, TopicRouteData[TopicRouteData [orderTopicConf=null, queueDatas=[QueueData [brokerName=broker-{0}, readQueueNums=4, writeQueueNums=4, perm=6, topicSysFlag=0]], brokerDatas=[BrokerData [brokerName=broker-{0}, brokerAddrs={{0=10.0.0.1:10911}}]], filterServerTable={{}}]]\n"
    two.write_text(line.format("A") + line.format("B"))
    assert main(["forecast", str(two)]) == 2
    assert "choose a topic with --topic ('A', 'B')" in capsys.readouterr().err
    assert main(["forecast", str(two), "--topic", "B"]) == 0
    assert "stored on broker-B" in capsys.readouterr().out
