"""What is measured against calculations of its own and public cases; what every figure must have."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rmqref
from rmqref import measure, plots
from rmqref.errors import RmqRefError, UnknownRelease
from rmqref.measure import MeasureError, Span
from rmqref.releases import FAMILIES, VERSIONS, release
from rmqref.situation import Fault, Send, Situation

PAIR = Situation(route=(("b1", 4), ("b2", 4)))
RANKED = [name for name in FAMILIES if name not in ("5.1.4", "5.3.3")]
FAULTS = (
    Fault("broker-a", 700, 21600),
    Fault("broker-b", 12, -5),
    Fault("broker-c", 3000, 120000),
    Fault("broker-d", 700, 18000),
    Fault("broker-e", 40, -100),
)
SENDS = (Send("broker-a", 3000, failed=True), Send("broker-a", 12, at=2000))

ROUTES = st.lists(st.integers(1, 6), min_size=1, max_size=4).map(
    lambda counts: tuple((f"b{n}", queues) for n, queues in enumerate(counts))
)
STARTS = st.sampled_from([0, 7, 2**31 - 3, -1])


# ------------------------------------------------------------------------------------------ what is measured


def test_retries_pile_up_on_one_queue_up_to_4_7_1():
    # public case uneven-derived-downbroker (pull request 2253)
    old, new = measure.retry_landings(PAIR, "b1", ["4.7.1", "4.8.0"], 800)
    assert old.failed == 268
    assert [old.ends["b2", n] for n in range(4)] == [401, 133, 133, 133]
    assert new.failed == 200
    assert [new.ends["b2", n] for n in range(4)] == [200, 200, 200, 200]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("4.7.1", {"b1,b2,b1": 6, "b1,b2,b3": 2, "b2,b3,b2": 6, "b2,b3,b1": 2, "b3,b1,b3": 6, "b3,b1,b2": 2}),
        ("4.8.0", {"b1,b2,b3": 8, "b2,b3,b1": 8, "b3,b1,b2": 8}),
    ],
)
def test_the_second_attempt_is_the_retry_pick_of_the_public_case(version, expected):
    # public case uneven-2223
    route = (("b1", 8), ("b2", 8), ("b3", 8))
    sequences: Counter[str] = Counter()
    for start in range(24):
        picks = Situation(version, route, start=start, chain=True).picks(3)
        sequences[",".join(mq.broker_name for mq in picks)] += 1
        (one,) = measure.retry_landings(
            Situation(route=route, start=start), picks[0].broker_name, [version], 1
        )
        assert one.second[picks[1].broker_name, picks[1].queue_id] == 1
    assert sequences == expected


def test_the_retries_of_every_release_go_to_one_queue_but_only_old_ones_add_to_its_own_share():
    for one in measure.retry_landings(Situation(), "broker-a", VERSIONS, 3600):
        assert [queue for queue, picks in one.second.items() if picks] == [("broker-b", 0)]
        shares = {picks for (broker, _), picks in one.ends.items() if broker != "broker-a"}
        assert shares == ({1080, 360} if release(one.release).family == "4.7.1" else {450}), one.release


def test_an_avoided_block_falls_on_the_next_queue_up_to_5_1_3():
    # public case uneven-5672
    wide = Situation(route=(("b1", 24), ("b2", 24)))
    shares = measure.share_with_one_down(wide, "b1", ["4.9.4", "5.3.3"], 4800)
    assert shares["4.9.4"]["b2", 0] == 2500
    assert {shares["4.9.4"]["b2", n] for n in range(1, 24)} == {100}
    assert {shares["5.3.3"]["b2", n] for n in range(24)} == {200}
    assert {picks for share in shares.values() for (broker, _), picks in share.items() if broker == "b1"} == {
        0
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_the_block_of_three_brokers(family):
    (share,) = measure.share_with_one_down(Situation(), "broker-a", [family], 12000).values()
    expected = [1500] * 8 if family in ("5.1.4", "5.3.3") else [5000] + [1000] * 7
    assert list(share.values()) == [0, 0, 0, 0, *expected]


@given(ROUTES, STARTS, st.sampled_from(VERSIONS), st.integers(1, 60))
def test_every_pick_and_every_send_is_counted_once(route, start, version, times):
    situation = Situation(route=route, start=start)
    (share,) = measure.share_with_one_down(situation, "b0", [version], times).values()
    assert share.total() == times
    (landings,) = measure.retry_landings(situation, "b0", [version], times)
    assert landings.first.total() + landings.failed == landings.ends.total() == times
    assert not any(picks for (broker, _), picks in landings.first.items() if broker == "b0")


def modelled(version: str, sends: tuple[Send, ...], faults: tuple[Fault, ...], at: int) -> bool:
    """Return whether broker-a is avoided, by the words of the facts."""
    old = VERSIONS.index(version) < VERSIONS.index("5.1.4")
    levels = (50, 100, 550, 1000, 2000, 3000, 15000) if old else (50, 100, 550, 1800, 3000, 5000, 15000)
    times = (0, 0, 30, 60, 120, 180, 600) if old else (0, 0, 2, 5, 6, 10, 30)
    start, reachable = -1, True
    for fault in faults:
        start, reachable = fault.avoided_for, fault.reachable
    for send in (send for send in sends if send.at <= at):
        latency = (30000 if old else 10000) if send.failed else send.latency
        duration = max(
            [1000 * time for level, time in zip(levels, times, strict=True) if latency >= level], default=0
        )
        if old or duration > 0:
            start = send.at + duration if old else max(start, send.at + duration)
        reachable = send.reachable
    return at < start or (version == "5.1.4" and not reachable)


@given(
    version=st.sampled_from(VERSIONS),
    sends=st.lists(
        st.builds(
            Send,
            st.just("broker-a"),
            st.sampled_from([0, 99, 550, 1500, 1800, 4000, 20000]),
            st.booleans(),
            st.booleans(),
            st.integers(0, 60000),
        ),
        max_size=5,
    ).map(lambda sends: tuple(sorted(sends, key=lambda send: send.at))),
    faults=st.lists(
        st.builds(Fault, st.just("broker-a"), st.just(9), st.integers(-9, 9000), st.booleans()), max_size=1
    ),
    moments=st.lists(st.integers(0, 700000), max_size=20),
)
def test_a_broker_is_avoided_exactly_in_its_spans(version, sends, faults, moments):
    other = Send("broker-b", 5, at=sends[-1].at if sends else 0)
    situation = Situation(sends=(*sends, other), faults=(Fault("broker-c"), *faults))
    if not sends and not faults:
        with pytest.raises(MeasureError, match='There is no send to "broker-a"'):
            measure.availability(situation, "broker-a", [version])
        return
    (lane,) = measure.availability(situation, "broker-a", [version])
    edges = [edge for span in lane.spans for edge in (span.start, span.end) if edge is not None]
    assert edges == sorted(set(edges))
    for at in {*moments, *edges, *(edge - 1 for edge in edges if edge)}:
        inside = any(span.start <= at and (span.end is None or at < span.end) for span in lane.spans)
        assert inside == modelled(version, sends, tuple(faults), at), at


def test_a_quick_success_frees_at_once_only_up_to_5_1_3():
    lanes = measure.availability(Situation(sends=SENDS), "broker-a", FAMILIES)
    ends = {lane.release: [span.end for span in lane.spans] for lane in lanes}
    assert ends == {name: [10000] if name in ("5.1.4", "5.3.3") else [2000] for name in FAMILIES}


def test_5_1_4_avoids_an_unreachable_broker_without_end():
    sends = (Send("broker-a", 200, failed=True, reachable=False),)
    lanes = measure.availability(Situation(sends=sends), "broker-a", ["5.1.4", "5.3.3"])
    assert [lane.spans for lane in lanes] == [(Span(0, None),), (Span(0, 10000),)]
    assert [lane.avoided_for for lane in lanes] == [None, 10000]


@pytest.mark.parametrize("version", FAMILIES)
def test_the_steps_are_the_tables(version):
    (table,) = measure.threshold_steps([version])
    row = release(version)
    assert table.steps == ((0, 0), *zip(row.latency_max, row.not_available_duration, strict=True))
    new = version in ("5.1.4", "5.3.3")
    assert (table.isolation_latency, table.isolation_duration) == ((10000, 10000) if new else (30000, 600000))


@settings(max_examples=50)
@given(
    version=st.sampled_from(RANKED),
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 3)), min_size=1, max_size=7),
    worst=st.integers(0, 9),
    seed=st.integers(0, 99),
)
def test_the_ranking_is_by_availability_latency_start(version, rows, worst, seed):
    faults = tuple(Fault(f"b{n}", latency, left) for n, (latency, left) in enumerate(rows))
    board = measure.ranking(Situation(version, faults=faults, worst_start=worst, seed=seed))
    keys = [(entry.avoided_for > 0, entry.latency, entry.avoided_for) for entry in board.entries]
    assert keys == sorted(keys)
    assert sorted(entry.broker_name for entry in board.entries) == sorted(
        fault.broker_name for fault in faults
    )
    assert [entry.available for entry in board.entries] == [not avoided for avoided, _, _ in keys]
    assert board.half == max(1, len(rows) // 2)
    turn = (worst + 1) % board.half
    assert board.taken == board.entries[turn].broker_name


def test_the_ranking_is_made_at_the_time_of_the_picks():
    situation = Situation(sends=(Send("broker-b", 600), Send("broker-a", 12, at=40000)))
    assert [entry.available for entry in measure.ranking(situation).entries] == [True, True]
    early = situation.but(sends=situation.sends[:1], pick_at=1000)
    assert measure.ranking(early).entries == (
        measure.Ranked("broker-b", 600, available=False, avoided_for=29000),
    )


# --------------------------------------------------------------------------------------------------- figures


def figures(situation=Situation(), releases=("4.7.1", "4.9.4", "5.3.3")):  # noqa: B008  # it never changes
    lanes = measure.availability(situation.but(sends=SENDS), "broker-a", releases)
    return {
        "share": plots.share_per_queue(situation.share(1000)),
        "landings": plots.retry_landings(measure.retry_landings(situation, "broker-a", releases, 900)),
        "down": plots.share_with_one_down(
            measure.share_with_one_down(situation, "broker-a", releases, 1200), "broker-a"
        ),
        "timeline": plots.availability_timeline(lanes),
        "thresholds": plots.thresholds(measure.threshold_steps(releases)),
        "ranking": plots.ranking(measure.ranking(situation.but(faults=FAULTS))),
    }


FIGURES = figures()
EACH = pytest.mark.parametrize("name", FIGURES)


@EACH
def test_the_same_bytes_each_time(name):
    assert figures()[name].to_json() == FIGURES[name].to_json()


def test_the_same_bytes_in_another_process():
    code = "import tests.test_plots as t; print([f.to_json() for f in t.FIGURES.values()])"
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
    assert len(text) < 10000
    assert json.loads(text)["layout"]["template"] == {"data": {"scatter": [{"type": "scatter"}]}}
    assert '"uid"' not in text
    assert '"bdata"' not in text


@EACH
def test_axes_say_what_they_show(name):
    layout = FIGURES[name].layout.to_plotly_json()
    axes = [axis for key, axis in layout.items() if re.fullmatch(r"[xy]axis\d*", key)]
    assert len(axes) >= 2
    assert all(axis["title"]["text"] for axis in axes)
    units = [axis["title"]["text"] for key, axis in layout.items() if key.startswith("xaxis")]
    assert all(re.search(r"\((%|s|ms|ms, s; logarithmic)\)$", unit) for unit in units), units


@EACH
def test_the_title_is_a_sentence_and_begins_the_description(name):
    lines = FIGURES[name].layout.title.text.removeprefix("<b>").removesuffix("</b>").split("<br>")
    assert all(0 < len(line) <= plots.TITLE_CELLS for line in lines)
    assert lines[-1].endswith(".")
    description = FIGURES[name].layout.meta["description"]
    assert description.startswith(" ".join(lines).replace("\u00a0", " ") + " ")
    assert description.endswith(".")
    assert "<" not in description


@EACH
def test_every_plot_fits_its_page(name):
    layout = FIGURES[name].layout
    assert layout.autosize
    assert layout.width is None
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.showlegend is False


def test_ink_stands_out_from_white_and_from_near_black():
    def luminance(colour):
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    def contrast(one, other):
        low, high = sorted((luminance(one), luminance(other)))
        return (high + 0.05) / (low + 0.05)

    for ground in ("#ffffff", "#111111"):
        assert contrast(plots.INK, ground) > 4.3
        assert all(contrast(colour, ground) > 3 for colour, _ in plots.TABLE_LINES)


def test_brokers_have_the_steppers_colours():
    css = (Path(rmqref.__file__).parent / "static" / "stepper.css").read_text()
    assert re.findall(r"\.rmq-c\d \{ --c: (#\w+)", css) == list(plots.BROKER_COLOURS)


def bars(figure, xaxis):
    return [trace for trace in figure.data if trace.type == "bar" and (trace.xaxis or "x") == xaxis]


def test_the_drawn_bars_are_the_shares():
    old, new = (bars(FIGURES["down"], xaxis)[0] for xaxis in ("x2", "x3"))
    assert list(old.customdata) == [0] * 4 + [500] + [100] * 7
    assert list(new.customdata) == [0] * 4 + [150] * 8
    assert list(old.x) == [0] * 4 + [41.6667] + [8.3333] * 7
    assert FIGURES["down"].layout.shapes[0].x0 == 12.5
    first, second = bars(FIGURES["landings"], "x")
    (landings,) = measure.retry_landings(Situation(), "broker-a", ["4.7.1"], 900)
    assert list(first.customdata) == list(landings.first.values())
    assert list(second.customdata) == list(landings.second.values())
    assert second.marker.pattern.shape == "/"


def test_the_drawn_spans_are_those_measured():
    lanes = [trace for trace in FIGURES["timeline"].data if trace.type == "bar"]
    assert [(lane.base[0], lane.x[0]) for lane in lanes] == [(0, 2), (0, 2), (0, 10)]


def test_releases_with_one_table_share_a_line():
    lines = [trace for trace in FIGURES["thresholds"].data if trace.mode == "lines"]
    assert len(lines) == 2
    assert "4.7.1, 4.9.4" in lines[0].hovertemplate
    marks = [trace for trace in FIGURES["thresholds"].data if trace.mode == "markers"]
    assert [(mark.x[0], mark.y[0]) for mark in marks] == [(30000, 600), (10000, 10)]


def test_the_ranking_marks_the_better_half_and_the_next():
    names = FIGURES["ranking"].layout.yaxis.ticktext
    assert names == ("1. broker-b", "<b>2. broker-e<br>next</b>", "3. broker-d", "4. broker-a", "5. broker-c")
    assert FIGURES["ranking"].layout.shapes[0].y1 == 2.5


def title(figure):
    return re.sub(r"</?b>", "", figure.layout.title.text.replace("<br>", " ").replace("\u00a0", " "))


@pytest.mark.parametrize(
    ("picks", "expected"),
    [
        ([5, 5], "All 2 queues get the same: 5 of the 10 picks each."),
        ([5, 4], "9 picks share out over 2 queues as evenly as can be: 4 or 5 each."),
        ([5, 5, 0], "Only 2 of 3 queues are picked, all equally often."),
        ([6, 3, 3], "a : 0 gets 50.0% of the picks, 1.5 times its fair share."),
        ([0, 3], "a : 1 gets 100.0% of the picks, 2 times its fair share."),
        ([7], "All 1 queues get the same: 7 of the 7 picks each."),
    ],
)
def test_the_title_says_what_the_share_shows(picks, expected):
    share = Counter({("a", n): count for n, count in enumerate(picks)})
    assert title(plots.share_per_queue(share)) == expected


def test_titles_of_releases_that_do_not_differ():
    same = {"releases": ["4.8.0", "5.3.3"]}
    landings = measure.retry_landings(PAIR, "b1", sends=800, **same)
    assert "every other queue ends up with the same share of the sends" in title(
        plots.retry_landings(landings)
    )
    shares = measure.share_with_one_down(PAIR, "b1", ["4.7.1", "4.9.4"], 800)
    expected = "While b1 is avoided, b2 : 0 gets 62.5% of the picks in 4.7.1, 4.9.4."
    assert title(plots.share_with_one_down(shares, "b1")) == expected
    lanes = measure.availability(Situation(sends=(Send("b", 5),)), "b", ["4.9.4"])
    assert title(plots.availability_timeline(lanes)) == "After these sends b is never avoided in 4.9.4."
    lanes = measure.availability(Situation(sends=(Send("b", 600),)), "b", ["4.9.4"])
    assert title(plots.availability_timeline(lanes)) == "After these sends b is avoided for 30 s in 4.9.4."
    tables = measure.threshold_steps(["4.9.4"])
    assert title(plots.thresholds(tables)) == "A failed send has its broker avoided for 600 s in 4.9.4."


def test_a_time_without_end_is_drawn_to_the_edge_and_said():
    sends = (Send("broker-a", 200, failed=True, reachable=False),)
    figure = plots.availability_timeline(
        measure.availability(Situation(sends=sends), "broker-a", ["5.1.4", "5.3.3"])
    )
    assert "for ever in 5.1.4" in title(figure)
    assert "from 0 ms on, without end" in figure.layout.meta["description"]
    assert figure.data[0].x[0] == figure.layout.xaxis.range[1]


def test_a_brokers_name_is_never_markup():
    hostile = "<b>x&y</b>"
    situation = Situation(
        route=((hostile, 2), ("z", 2)),
        faults=(Fault(hostile, 5, 9000),),
        sends=(Send(hostile, 600, failed=True),),
    )
    drawn = [
        plots.share_per_queue(situation.but(sends=()).share(7)),
        plots.retry_landings(measure.retry_landings(situation, "z", ["4.7.1"], 90)),
        plots.availability_timeline(measure.availability(situation, hostile, ["4.9.4"])),
        plots.ranking(measure.ranking(situation)),
    ]
    for figure in drawn:
        layout = figure.to_plotly_json()["layout"]
        assert hostile in layout["meta"].pop("description")
        assert hostile not in json.dumps([layout, [trace.to_plotly_json() for trace in figure.data]])


def test_many_queues_are_drawn_close_and_labelled_once():
    wide = Situation(route=(("b1", 24), ("b2", 24)))
    figure = plots.share_with_one_down(measure.share_with_one_down(wide, "b1", ["4.9.4"], 4800), "b1")
    labels = [label.strip("\u00a0") for label in figure.data[1].text]
    assert [label for label in labels if label] == ["avoided", "52.1%", "2.1%"]
    assert figure.layout.height < 1000


@pytest.mark.parametrize("sentence", ["", "one", "x" * 90, "一二三四五六七八九十" * 5, "a " * 60])
def test_titles_are_broken_between_words_or_wide_characters(sentence):
    lines = plots._lines(sentence)
    assert "".join(lines).replace(" ", "") == sentence.replace(" ", "")
    if " " in sentence or "一" in sentence:
        assert all(sum(2 if sign > "\u2e80" else 1 for sign in line) <= plots.TITLE_CELLS for line in lines)


def test_a_title_never_breaks_inside_a_queue_or_a_time():
    for width in range(1, 40):
        lines = plots._broken(plots._glued("While it lasts, broker-b : 10 waits for 10 s or 250 ms."), width)
        assert not any(re.search(r"(^(:|m?s\b)|:$)", line) for line in lines)


def test_an_unknown_language_has_no_catalogue():
    with pytest.raises(KeyError):
        plots.share_per_queue(Counter({("a", 0): 1}), language="xx")


# ----------------------------------------------------------------------------------------------- wrong input

WRONG = {
    "empty share": (lambda: plots.share_per_queue(Counter()), "There is no pick to draw"),
    "share of nothing": (lambda: plots.share_per_queue(Counter({("a", 0): 0})), "There is no pick to draw"),
    "negative share": (
        lambda: plots.share_per_queue(Counter({("a", 0): -2})),
        "The share of a : 0 is -2 picks",
    ),
    "no landings": (lambda: plots.retry_landings([]), "There is nothing to draw"),
    "no shares": (lambda: plots.share_with_one_down({}, "a"), "There is nothing to draw"),
    "no lanes": (lambda: plots.availability_timeline([]), "There is nothing to draw"),
    "no tables": (lambda: plots.thresholds([]), "There is nothing to draw"),
    "tables of zeros": (
        lambda: plots.thresholds([measure.Steps("mine", ((0, 0), (50, 0)), 50, 0)]),
        "No send of any latency has a broker avoided",
    ),
    "no entries": (
        lambda: plots.ranking(measure.Ranking("4.9.4", (), (), 1, "")),
        "There is nothing to draw",
    ),
    "empty fault table": (lambda: measure.ranking(Situation()), "The fault table is empty"),
    "no ranking": (
        lambda: measure.ranking(Situation("5.3.3", faults=FAULTS)),
        "5.3.3 does not rank its fault table",
    ),
    "no releases": (lambda: measure.threshold_steps([]), "There is nothing to measure"),
    "no sends": (
        lambda: measure.retry_landings(PAIR, "b1", ["4.9.4"], 0),
        "0 sends or picks measure nothing",
    ),
    "no picks": (lambda: measure.share_with_one_down(PAIR, "b1", ["4.9.4"], -1), "-1 sends or picks measure"),
    "no such broker": (lambda: measure.retry_landings(PAIR, "b9", ["4.9.4"], 9), 'no writable queue on "b9"'),
    "negative latency": (lambda: Send("a", -1), "The latency is -1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_ends_in_one_sentence(name):
    call, words = WRONG[name]
    with pytest.raises(RmqRefError, match=words) as caught:
        call()
    assert str(caught.value).endswith(".")


def test_an_unknown_release_names_the_nearest():
    with pytest.raises(UnknownRelease, match=r"the nearest are 5\.3\.3"):
        measure.threshold_steps(["5.4.0"])


def test_measuring_needs_no_plotly():
    code = "import sys, rmqref.measure; assert not {'plotly', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
