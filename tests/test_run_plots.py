"""What every figure of a run must have, what it says, and that everything that happened is in it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rmqref import plots, run_measure, run_plots
from rmqref.cluster import BrokerFault
from rmqref.measure import MeasureError
from rmqref.scenario import BrokerPlan, Load, Scenario
from rmqref.simulation import Simulation, simulate

RELEASES = ("4.2.0", "4.9.7", "5.3.3")
ONE = Scenario(start=1)
SLOW = Scenario(
    start=-1,
    producer={"send_latency_fault_enable": True},
    faults=(BrokerFault("slow", "broker-b", at=2000, until=8000, latency=700),),
    load=Load(sends=300, every=50),
    brokers=tuple(BrokerPlan(f"broker-{letter}") for letter in "abc"),
)
HOSTILE = "<b>x&y</b>"


def runs(scenario, *releases):
    return [simulate(scenario.but(release=name)) for name in releases or RELEASES]


def faulty(*faults, **changes):
    return ONE.but(faults=faults, **changes)


HANG, REFUSE = BrokerFault("hang", "broker-a"), BrokerFault("refuse", "broker-a")
BUSY, STATUS = BrokerFault("code", "broker-a"), BrokerFault("status", "broker-a")
CALL_TIMEOUT = faulty(HANG, BrokerFault("refuse", "broker-b"))
AGAIN = {"retry_another_broker_when_not_store_ok": True}


def figures():
    slow = runs(SLOW, "4.9.7", "5.3.3")
    down = SLOW.but(faults=(BrokerFault("refuse", "broker-b", at=2000, until=8000),))
    return {
        "hang": run_plots.attempt_time_line(runs(faulty(HANG))),
        "call timeout": run_plots.attempt_time_line(runs(CALL_TIMEOUT)),
        "refuse": run_plots.attempt_time_line(runs(faulty(REFUSE))),
        "busy": run_plots.attempt_time_line(runs(faulty(BUSY))),
        "status": run_plots.attempt_time_line(runs(faulty(STATUS, producer=AGAIN))),
        "oneway": run_plots.attempt_time_line(simulate(ONE.but(load=Load(mode="ONEWAY")))),
        "async": run_plots.attempt_time_line(runs(faulty(HANG, load=Load(mode="ASYNC")))),
        "share": run_plots.run_share(slow),
        "share three": run_plots.run_share(runs(down)),
        "lanes": run_plots.fault_lanes(slow),
        "lanes off": run_plots.fault_lanes(simulate(SLOW.but(producer={}))),
        "lanes empty": run_plots.fault_lanes(simulate(SLOW.but(load=Load(sends=0)))),
    }


FIGURES = figures()
EACH = pytest.mark.parametrize("name", FIGURES)


def title(figure):
    return re.sub(r"</?b>", "", figure.layout.title.text.replace("<br>", " ").replace("\u00a0", " "))


def traces(figure, kind, axis="x"):
    return [trace for trace in figure.data if trace.type == kind and (trace.xaxis or "x") == axis]


def written(figure):
    return {word.strip("\u00a0") for trace in figure.data for word in trace.text or () if word}


# ------------------------------------------------------------------------------------------------- all figures


@EACH
def test_the_same_bytes_each_time(name):
    assert figures()[name].to_json() == FIGURES[name].to_json()


def test_the_same_bytes_in_another_process():
    code = "import tests.test_run_plots as t; print([f.to_json() for f in t.FIGURES.values()])"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent.parent,
        env={"PYTHONHASHSEED": "7"},
    )
    assert run.stdout.strip() == str([figure.to_json() for figure in FIGURES.values()])


@EACH
def test_small_and_without_the_default_template_or_ids(name):
    text = FIGURES[name].to_json()
    assert len(text) < 25000
    assert json.loads(text)["layout"]["template"] == {"data": {"scatter": [{"type": "scatter"}]}}
    assert '"uid"' not in text
    assert '"bdata"' not in text


@EACH
def test_axes_say_what_they_show(name):
    layout = FIGURES[name].layout.to_plotly_json()
    axes = {key: axis for key, axis in layout.items() if re.fullmatch(r"[xy]axis\d*", key)}
    seen = {key: axis for key, axis in axes.items() if axis.get("visible", True)}
    assert len(seen) >= 2
    assert all(axis["title"]["text"] for axis in seen.values())
    units = [axis["title"]["text"] for key, axis in seen.items() if key.startswith("xaxis")]
    assert all(re.search(r"\((%|s|ms)\)$", unit) for unit in units), units


@EACH
def test_the_title_is_a_sentence_and_begins_the_description(name):
    lines = FIGURES[name].layout.title.text.removeprefix("<b>").removesuffix("</b>").split("<br>")
    assert all(0 < len(line) <= plots.TITLE_CELLS for line in lines)
    assert lines[-1].endswith(".")
    description = FIGURES[name].layout.meta["description"]
    assert description.startswith(" ".join(lines).replace("\u00a0", " ") + " ")
    assert "<" not in description


@EACH
def test_every_plot_fits_its_page(name):
    layout = FIGURES[name].layout
    assert layout.autosize
    assert layout.width is None
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.showlegend is False


@EACH
def test_nothing_written_beside_the_names_is_wider_than_a_phone(name):
    if "share" in name:
        return
    notes = [line for note in FIGURES[name].layout.annotations for line in note.text.split("<br>")]
    assert all(len(re.sub(r"<[^>]+>", "", line)) <= run_plots.NOTE_CELLS for line in notes), notes
    assert all(len(word) <= run_plots.NOTE_CELLS for word in written(FIGURES[name]))


TITLES = {
    "hang": "In 4.9.7, 5.3.3 no time is left for attempt 2; in 4.2.0 the message is stored.",
    "call timeout": "In 4.9.7, 5.3.3 no time is left for attempt 2, and the send fails.",
    "refuse": "Attempt 2 stores the message in 4.2.0, 4.9.7, 5.3.3.",
    "busy": "The message is stored in 5.3.3, but the send ends with MQBrokerException in 4.2.0, 4.9.7.",
    "status": "The message is stored 2 times in 4.2.0, 4.9.7, 5.3.3.",
    "oneway": "The send is over before anybody knows whether the message is stored, in 4.9.7.",
    "async": "In 4.9.7 no time is left for attempt 2; in 4.2.0 the message is stored.",
    "share": "broker-c : 0 holds 37.3% of the messages in 4.9.7, but 10.7% in 5.3.3.",
    "share three": "broker-c : 0 holds 37.3% of the messages in 4.9.7, but 11.0% in 5.3.3.",
    "lanes": "broker-b is avoided for 12.255 s of the run in 4.9.7, but for 6 s in 5.3.3.",
    "lanes off": "The fault switch is off in 4.9.7: the fault table is never told, so no broker is avoided.",
    "lanes empty": "Nothing was sent, so the fault table is never told and every broker is available.",
}


@EACH
def test_the_title_says_what_the_run_shows(name):
    assert title(FIGURES[name]) == TITLES[name]


def test_more_titles():
    alone = faulty(REFUSE, brokers=(BrokerPlan("broker-a"),))
    assert title(run_plots.attempt_time_line(runs(alone, "4.9.7"))) == (
        "The send ends with MQClientException in 4.9.7."
    )
    different = [simulate(faulty(REFUSE)), simulate(ONE.but(release="5.3.3"))]
    assert title(run_plots.attempt_time_line(different)) == (
        "Attempt 1 stores the message in 5.3.3; it takes more in 4.9.7."
    )
    waiting = Simulation(faulty(HANG, release="4.2.0", load=Load(mode="ASYNC")))
    waiting.send()
    assert title(run_plots.attempt_time_line(waiting.run)) == "The send has not ended yet in 4.2.0."
    assert "no outcome yet" in written(run_plots.attempt_time_line(waiting.run))
    assert "attempt under way" in written(run_plots.fault_lanes(waiting.run))
    calm = SLOW.but(faults=(), load=Load(sends=3))
    assert title(run_plots.fault_lanes(runs(calm))) == "No broker is ever avoided in 4.2.0, 4.9.7, 5.3.3."
    assert title(run_plots.fault_lanes(simulate(SLOW))) == (
        "broker-b is avoided for 12.255 s of the run in 4.9.7."
    )


def test_runs_of_one_release_are_told_apart():
    on, off = simulate(SLOW), simulate(SLOW.but(producer={}))
    assert "12.255 s of the run in 4.9.7 (1), but for 0 ms in 4.9.7 (2)" in title(
        run_plots.fault_lanes([on, off])
    )
    named = [simulate(SLOW.but(title="on")), simulate(SLOW.but(title="off", producer={}))]
    assert "12.255 s of the run in on, but for 0 ms in off" in title(run_plots.fault_lanes(named))
    heads = [note.text for note in run_plots.fault_lanes(named).layout.annotations]
    assert heads == ["<b>on</b>", "<b>off</b> fault switch off"]


def test_a_name_is_never_markup():
    plans = (BrokerPlan(HOSTILE), BrokerPlan("z"))
    faults = (BrokerFault("refuse", HOSTILE),)
    scenario = SLOW.but(brokers=plans, faults=faults, load=Load(sends=5), title=HOSTILE)
    pair = [simulate(scenario), simulate(scenario.but(title="z"))]
    drawn = [run_plots.attempt_time_line(pair), run_plots.run_share(pair), run_plots.fault_lanes(pair)]
    for figure in drawn:
        layout = figure.to_plotly_json()["layout"]
        assert HOSTILE in layout["meta"].pop("description")
        assert HOSTILE not in json.dumps([layout, [trace.to_plotly_json() for trace in figure.data]])


# ---------------------------------------------------------------------------------------------------- attempts


def test_every_attempt_is_a_bar_in_its_brokers_colour():
    figure = FIGURES["hang"]
    bars = traces(figure, "bar")
    given, attempts = bars[0::2], bars[1::2]
    assert [list(bar.base) for bar in attempts] == [[0, 3000], [0, 3000, 3000], [0, 3000, 3000]]
    assert [list(bar.x) for bar in given] == [[3000, 3000], [3000, 0, 0], [3000, 0, 0]]
    blue, red = plots.BROKER_COLOURS[:2]
    assert [list(bar.marker.color) for bar in attempts] == [[blue, red], [blue, red, blue], [blue, red, blue]]
    edge = figure.layout.xaxis.range[1]
    assert edge == 6300
    # Of 0 ms, of 5 ms and of 3 s: each can be seen.
    assert [list(bar.x) for bar in attempts] == [[3000, 75.6], [3000, 75.6, 75.6], [3000, 75.6, 75.6]]
    assert figure.layout.yaxis.ticktext[:2] == (
        "<b>1.</b> broker-a : 2<br>given 3 s",
        "<b>2.</b> broker-b : 0<br>given 3 s",
    )
    assert figure.layout.yaxis.ticktext[3] == "<b>2.</b> broker-b : 0<br>given 0 ms"


def test_a_line_shows_where_a_shared_budget_ends():
    figure = FIGURES["hang"]
    assert {(shape.x0, shape.x1) for shape in figure.layout.shapes} == {(3000, 3000)}
    notes = [note.text for note in figure.layout.annotations]
    assert notes.count("3 s are over") == 2
    assert [note for note in notes if "share" in note or "anew" in note] == [
        "<b>4.2.0</b> each attempt gets 3 s anew",
        "<b>4.9.7</b> all attempts share 3 s",
        "<b>5.3.3</b> all attempts share 3 s",
    ]
    # What took 10 ms is not drawn on 3 s: there the light bar runs off the edge.
    assert FIGURES["busy"].layout.shapes == ()
    assert FIGURES["busy"].layout.xaxis.range[1] == 15
    assert max(FIGURES["busy"].data[0].x) == 15


def test_the_end_says_how_and_with_which_words():
    notes = " ".join(note.text.replace("<br>", " ") for note in FIGURES["call timeout"].layout.annotations)
    assert 'Ends after 3.001 s with RemotingTooMuchRequestException. "sendDefaultImpl call timeout"' in notes
    assert "This hides the cause: attempt 2 ended with RemotingConnectException." in notes
    assert "Ends after 6.001 s with MQClientException, code 10002." in notes
    status = " ".join(note.text.replace("<br>", " ") for note in FIGURES["status"].layout.annotations)
    assert status.count("Copies that the brokers store: 2.") == 3
    assert "MQBrokerException, code 2, 5 ms" in written(FIGURES["busy"])
    late = faulty(HANG, load=Load(mode="ONEWAY"))
    lost = run_plots.attempt_time_line(simulate(late)).layout.meta["description"]
    assert lost.endswith("the outcome is never known. No broker stores it.")


def test_ends_are_marked_by_shape_and_colour():
    marks = [trace for trace in traces(FIGURES["busy"], "scatter") if trace.mode == "markers"]
    assert [(mark.x[0], mark.marker.symbol) for mark in marks] == [(5, "x"), (5, "x"), (10, "circle")]


def test_a_send_without_an_attempt_says_so():
    nowhere = Scenario(brokers=(BrokerPlan("broker-a", queues=0),), producer={"create_topic_key": "none"})
    figure = run_plots.attempt_time_line(simulate(nowhere))
    assert "no attempt is made" in [note.text for note in figure.layout.annotations]
    assert traces(figure, "bar") == []


def test_another_send_than_the_first():
    figure = run_plots.attempt_time_line(simulate(SLOW), 13)
    assert "attempt 1 on broker-a" in figure.layout.meta["description"]
    assert list(figure.data[1].base) == [0]


# ------------------------------------------------------------------------------------------------------ shares


def test_the_drawn_bars_are_the_shares():
    held = [run_measure.stored_share(run) for run in runs(SLOW, "4.9.7", "5.3.3")]
    bars = [*traces(FIGURES["share"], "bar"), *traces(FIGURES["share"], "bar", "x2")]
    assert [list(bar.customdata) for bar in bars] == [list(each.share.values()) for each in held]
    assert {shape.x0 for shape in FIGURES["share"].layout.shapes} == {8.3333}
    heads = [note.text for note in FIGURES["share"].layout.annotations if "stored" in note.text]
    assert heads[0] == "<b>4.9.7</b><br>300 stored<br>0.0% failed<br>at first<br>0 duplicates"


def test_a_run_that_stored_nothing_stands_beside_one_that_did():
    dead = faulty(REFUSE, BrokerFault("refuse", "broker-b"), release="5.3.3")
    figure = run_plots.run_share([simulate(ONE), simulate(dead)])
    assert list(traces(figure, "bar", "x2")[0].x) == [0] * 8
    assert "0 stored<br>100.0% failed" in figure.layout.annotations[3].text
    assert (
        title(figure) == "In 4.9.7 too few messages are stored for a share: 8 queues hold one each or none."
    )


# ------------------------------------------------------------------------------------------------- fault lanes


def test_every_attempt_is_a_mark_and_every_span_a_bar():
    both = runs(SLOW, "4.9.7", "5.3.3")
    figure = FIGURES["lanes"]
    marks = [trace for trace in traces(figure, "scatter") if trace.mode == "markers"]
    assert sum(sum(trace.customdata) for trace in marks) == sum(len(run.attempts) for run in both) == 600
    available, avoided, fault = traces(figure, "bar")
    assert list(zip(avoided.base, avoided.x, strict=True)) == [(2.7, 12.255), (2.7, 2), (5.55, 2), (8.4, 2)]
    assert list(zip(fault.base, fault.x, strict=True)) == [(2, 6), (2, 6)]
    assert fault.marker.pattern.shape == "/"
    assert {"avoided until 32.7 s", "slow 700 ms"} <= written(figure)
    lengths = sum(available.x) + sum(avoided.x)
    assert lengths == pytest.approx(3 * sum(run.ended for run in both) / 1000)


def test_the_key_names_what_is_there_and_nothing_else():
    def key(figure):
        return [trace.text[0].strip("\u00a0") for trace in traces(figure, "scatter", "x2") if trace.text[0]]

    assert key(FIGURES["lanes"]) == ["available", "avoided", "really wrong", "attempt stored"]
    unreachable = SLOW.but(
        release="5.3.3",
        producer={**SLOW.producer, "start_detector_enable": True},
        faults=(BrokerFault("refuse", "broker-b", at=1000),),
        load=Load(sends=30, every=1000),
    )
    figure = run_plots.fault_lanes(simulate(unreachable))
    assert key(figure) == [
        "available",
        "unreachable",
        "avoided, unreachable",
        "really wrong",
        "attempt stored",
        "attempt failed",
    ]
    failed = [trace for trace in traces(figure, "scatter") if trace.mode == "markers"][-1]
    assert (failed.marker.symbol, failed.marker.color) == ("x", plots.AVOIDED)


def test_many_attempts_share_marks():
    brokers = tuple(BrokerPlan(f"broker-{letter}") for letter in "abcdefghijkl")
    run = simulate(SLOW.but(brokers=brokers, load=Load(sends=2000, every=20)))
    figure = run_plots.fault_lanes(run)
    (marks,) = [trace for trace in traces(figure, "scatter") if trace.mode == "markers"]
    assert sum(marks.customdata) == len(run.attempts) == 2000
    assert len(marks.x) <= 12 * run_plots.BINS
    assert len(figure.to_json()) < 60_000
    assert len(figure.layout.yaxis.tickvals) == 12


def test_what_is_wrong_with_the_name_server_has_a_lane_of_its_own():
    faults = (BrokerFault("name_server_down", at=100, until=200), BrokerFault("code", "broker-a", until=9))
    spread = BrokerFault("slow", "broker-b", until=400, latency=(10, 1500))
    run = simulate(SLOW.but(faults=(*faults, spread), load=Load(sends=5, every=200)))
    figure = run_plots.fault_lanes(run)
    assert figure.layout.yaxis.ticktext == ("broker-a", "broker-b", "broker-c", "name server")
    assert {"name_server_down", "code 2", "slow 10 ms to 1.5 s"} <= written(figure)


def test_a_run_of_no_time_is_drawn():
    run = simulate(ONE.but(load=Load(mode="ONEWAY"), brokers=(BrokerPlan("broker-a", latency=0),)))
    figure = run_plots.fault_lanes(run)
    assert figure.layout.xaxis.range[1] > 0
    (mark,) = [trace for trace in traces(figure, "scatter") if trace.mode == "markers"]
    assert list(mark.x) == [0]


# ------------------------------------------------------------------------------------------------- wrong input

WRONG = {
    "no attempts": (lambda: run_plots.attempt_time_line([]), "There is nothing to draw"),
    "no shares": (lambda: run_plots.run_share([]), "There is nothing to draw"),
    "no lanes": (lambda: run_plots.fault_lanes([]), "There is nothing to draw"),
    "no such send": (lambda: run_plots.attempt_time_line(simulate(ONE), 2), "has no send 2"),
    "no send": (
        lambda: run_plots.attempt_time_line(simulate(ONE.but(load=Load(sends=0)))),
        "has no send to draw",
    ),
    "nothing stored": (
        lambda: run_plots.run_share(simulate(ONE.but(load=Load(sends=0)))),
        "No broker stored a message",
    ),
    "no broker": (
        lambda: run_plots.fault_lanes(simulate(ONE.but(brokers=(), load=Load(sends=0), start=None))),
        "There is nothing to draw",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_ends_in_one_sentence(name):
    call, words = WRONG[name]
    with pytest.raises(MeasureError, match=words) as caught:
        call()
    assert str(caught.value).endswith(".")


def test_measuring_needs_no_plotly():
    code = "import sys, rmqref.run_measure; assert not {'plotly', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
