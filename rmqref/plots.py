"""The figures: pure functions from what `rmqref.measure` returns to a figure, the same to the byte each time.

A figure's title is a sentence that says what its numbers show; `figure.layout.meta["description"]` says it
all in plain text, for those who cannot see it. Grounds are transparent and the ink is as far from white as
from near black, so that a stored figure reads in light and dark themes. Brokers have the stepper's colours
and always their name.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from html import escape
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from rmqref.measure import Availability, Landings, MeasureError, Ranking, Share, Steps
from rmqref.messages import Parameter, marked, text

BROKER_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#f0e442", "#8d98a3")
"""Okabe and Ito's, in the order of the stepper's style sheet; a ninth broker begins again."""

INK = "#797979"
GRID = "rgba(121,121,121,0.35)"
WASH = "rgba(121,121,121,0.16)"
NOTHING = "rgba(0,0,0,0)"
AVOIDED = "#c4554d"
TABLE_LINES = (("#c4554d", "solid"), ("#8a6fd1", "solid"), ("#2a8f9c", "dash"), ("#a8801f", "dot"))
"""Colour and dash of a release's line; no broker's colour."""

TITLE_CELLS = 40
"""How many characters of a title fit into a line on a phone of 360 px."""

FONT = 'system-ui, "DejaVu Sans", sans-serif'

_Json = dict[str, Any]
_Queue = tuple[str, int]
_SPACE = "\u00a0"


def share_per_queue(share: Share, *, language: str = "en") -> go.Figure:
    """Return bars of how often each queue was picked, with the fair share as a line.

    Args:
        share: picks by broker name and queue id, in the order of the queue list; unpicked queues with 0.
        language: which catalogue the words come from.

    Returns:
        A figure.

    Raises:
        MeasureError: no queue, no pick, or a negative number of picks.

    >>> from rmqref.situation import Situation
    >>> share_per_queue(Situation().share(1200)).layout.title.text
    '<b>All 12 queues get the same:<br>100 of the 1,200 picks each.</b>'
    """
    total = _checked_total(share)
    say = _Words(language)
    panel = _Panel(
        bars=(share,),
        fair=1 / len(share),
        labels={queue: say("plot.share.label", picks=n, share=n / total) for queue, n in share.items()},
    )
    return _share_figure([panel], _share_title(share, say), say("plot.share.axis"), say)


def share_by_release(shares: Mapping[str, Share], *, language: str = "en") -> go.Figure:
    """Return, release by release, how often each queue is picked in one situation.

    Args:
        shares: what `rmqref.measure.share_by_release` returns; up to three releases fit a phone.
        language: which catalogue the words come from.

    Returns:
        A figure with a panel a release.

    Raises:
        MeasureError: no release, no pick, or a negative number of picks.

    >>> from rmqref import measure
    >>> from rmqref.situation import Situation
    >>> shares = measure.share_by_release(Situation(start=2**31 - 2), ["4.8.0", "4.9.4"], 1200)
    >>> print(share_by_release(shares).layout.meta["description"].split(". ")[0])
    broker-a : 0 gets 50.0% of the picks in 4.8.0, but 8.3% in 4.9.4
    """
    _check_any(shares)
    say = _Words(language)
    panels = [
        _Panel(
            head=release,
            bars=(share,),
            fair=1 / len(share),
            labels={
                queue: say("plot.share.label", picks=n, share=n / _checked_total(share))
                for queue, n in share.items()
            },
        )
        for release, share in shares.items()
    ]
    return _share_figure(panels, _shares_title("shares", shares, "", say), say("plot.share.axis"), say)


def retry_landings(landings: Sequence[Landings], *, language: str = "en") -> go.Figure:
    """Return, release by release, on which queue sends end while a broker fails every first attempt.

    Hatched is what second attempts bring.

    Args:
        landings: what `rmqref.measure.retry_landings` returns; up to three releases fit a phone.
        language: which catalogue the words come from.

    Returns:
        A figure with a panel a release.

    Raises:
        MeasureError: no release, no send, or a negative number of sends.

    >>> from rmqref import measure
    >>> from rmqref.situation import Situation
    >>> pair = Situation(route=(("b1", 4), ("b2", 4)))
    >>> landings = measure.retry_landings(pair, "b1", ["4.7.1", "4.8.0"], 800)
    >>> print(retry_landings(landings).layout.meta["description"].split(". ")[0])
    While b1 fails, b2 : 0 ends up with 50.1% of the sends in 4.7.1, but with 25.0% in 4.8.0
    """
    _check_any(landings)
    say = _Words(language)
    broker = landings[0].broker_name
    panels = [
        _Panel(
            head=one.release,
            notes=tuple(say("plot.landings.head", failed=one.failed).split("\n")),
            bars=(one.first, one.second),
            fair=_fair_without(broker, one.ends),
            labels=_labels_without(broker, one.ends, say("plot.landings.fails"), say),
        )
        for one in landings
    ]
    title = _shares_title("landings", {one.release: one.ends for one in landings}, broker, say)
    return _share_figure(panels, title, say("plot.landings.axis"), say)


def share_with_one_down(shares: Mapping[str, Share], broker_name: str, *, language: str = "en") -> go.Figure:
    """Return, release by release, how often each queue is picked while one broker is avoided.

    Args:
        shares: what `rmqref.measure.share_with_one_down` returns; up to three releases fit a phone.
        broker_name: the broker that is avoided.
        language: which catalogue the words come from.

    Returns:
        A figure with a panel a release.

    Raises:
        MeasureError: no release, no pick, or a negative number of picks.

    >>> from rmqref import measure
    >>> from rmqref.situation import Situation
    >>> shares = measure.share_with_one_down(Situation(), "broker-a", ["4.9.4", "5.3.3"], 12000)
    >>> print(share_with_one_down(shares, "broker-a").layout.meta["description"].split(". ")[0])
    While broker-a is avoided, broker-b : 0 gets 41.7% of the picks in 4.9.4, but 12.5% in 5.3.3
    """
    _check_any(shares)
    say = _Words(language)
    panels = [
        _Panel(
            head=release,
            bars=(share,),
            fair=_fair_without(broker_name, share),
            labels=_labels_without(broker_name, share, say("plot.down.avoided"), say),
        )
        for release, share in shares.items()
    ]
    title = _shares_title("down", shares, broker_name, say)
    return _share_figure(panels, title, say("plot.down.axis"), say)


def availability_timeline(lanes: Sequence[Availability], *, language: str = "en") -> go.Figure:
    """Return when a broker is avoided under the same sends, a lane a release, the sends above.

    Args:
        lanes: what `rmqref.measure.availability` returns.
        language: which catalogue the words come from.

    Returns:
        A figure.

    Raises:
        MeasureError: no release.

    >>> from rmqref import measure
    >>> from rmqref.situation import Send, Situation
    >>> sends = (Send("broker-a", 3000, failed=True), Send("broker-a", 12, at=2000))
    >>> lanes = measure.availability(Situation(sends=sends), "broker-a", ["4.9.4", "5.3.3"])
    >>> print(availability_timeline(lanes).layout.meta["description"].split(". ")[0])
    After the same sends broker-a is avoided for 10 s in 5.3.3, but for 2 s in 4.9.4
    """
    _check_any(lanes)
    say = _Words(language)
    sends = lanes[0].sends
    times = {lane.release: lane.avoided_for for lane in lanes}
    title = _times_title("timeline", times, say, broker=lanes[0].broker_name)
    marks = [
        say("plot.timeline.failed" if send.failed else "plot.timeline.ok", latency=say.time(send.latency))
        for send in sends
    ]
    ends = [span.end or span.start for lane in lanes for span in lane.spans]
    tips = [send.at / (1 - _label_width(mark)) for send, mark in zip(sends, marks, strict=True)]
    horizon = max(1000, *tips, *(1.06 * end for end in ends))
    levels = _levels([send.at for send in sends], [horizon * _label_width(mark) for mark in marks])
    top = max(levels, default=0)
    heights = [_round(0.32 * (level - top)) for level in levels]

    data = [trace for row, lane in enumerate(lanes, 1) for trace in _lane(lane, row, horizon, say)]
    dots = {
        "symbol": ["x" if send.failed else "circle" for send in sends],
        "color": [AVOIDED if send.failed else INK for send in sends],
        "size": 10,
    }
    points = [(_seconds(send.at), height) for send, height in zip(sends, heights, strict=True)]
    hover = say("plot.timeline.hover.send") + "<extra></extra>"
    data.append(_written(points, marks, mode="markers+text", marker=dots, hovertemplate=hover))
    layout = {
        "xaxis": _axis(say("plot.timeline.axis.time"), range=[_seconds(-0.02 * horizon), _seconds(horizon)]),
        "yaxis": _axis(
            say("plot.timeline.axis.release"),
            range=[len(lanes) + 0.55, _round(-0.32 * top - 0.4)],
            tickvals=list(range(len(lanes) + 1)),
            ticktext=[say("plot.timeline.sends"), *(_bold(_safe(lane.release)) for lane in lanes)],
            showgrid=False,
        ),
        "shapes": [_line(x, x, height, len(lanes) + 0.42, "dot") for x, height in points],
    }
    told = [
        say("plot.timeline.send", what=mark, at=say.time(s.at)) for s, mark in zip(sends, marks, strict=True)
    ]
    rows = " ".join(_lane_told(lane, say) for lane in lanes)
    description = say("plot.timeline.description", title=title, sends=say.listed(told), rows=rows)
    return _figure(data, layout, title, description, plot_height=64 + 54 * len(lanes) + 24 * (top + 1))


def thresholds(tables: Sequence[Steps], *, language: str = "en") -> go.Figure:
    """Return how long a broker is avoided after a send, as steps over the latency, with the failure marked.

    Args:
        tables: what `rmqref.measure.threshold_steps` returns; releases with the same table share a line.
        language: which catalogue the words come from.

    Returns:
        A figure with logarithmic axes; a time of 0 stands below the shortest.

    Raises:
        MeasureError: no release, or no table has a time above 0.

    Java: MQFaultStrategy#latencyMax and #notAvailableDuration, all releases.

    >>> from rmqref.measure import threshold_steps
    >>> print(thresholds(threshold_steps(["4.9.4", "5.3.3"])).layout.meta["description"].split(". ")[0])
    A failed send has its broker avoided for 600 s in 4.9.4, but for 10 s in 5.3.3
    """
    _check_any(tables)
    durations = [time for table in tables for _, time in table.steps if time > 0]
    if not durations:
        raise MeasureError("plot.error.no_time")
    say = _Words(language)
    title = _times_title("thresholds", {table.release: table.isolation_duration for table in tables}, say)
    same: dict[tuple[object, ...], list[Steps]] = {}
    for table in tables:
        same.setdefault((table.steps, table.isolation_latency), []).append(table)
    starts = [start for table in tables for start, _ in table.steps if start > 0]
    frame = _LogFrame(
        left=min(starts) / 5,
        right=4 * max(*starts, *(table.isolation_latency for table in tables)),
        zero=min(durations) / 4000,
        most=max(durations) / 1000,
    )
    data: list[_Json] = []
    annotations: list[_Json] = []
    told = []
    longest_first = sorted(same.values(), key=lambda group: -group[0].isolation_duration)
    for number, group in enumerate(longest_first):
        names = say.listed([table.release for table in group])
        data.extend(_steps(group[0], names, number, frame, say))
        annotations.append(_failure(group[0], names, number, frame, say))
        told.append(_steps_told(group[0], names, say))
    milliseconds = [10**power for power in range(8) if frame.left <= 10**power <= frame.right]
    seconds = [10**power for power in range(-3, 5) if 1.5 * frame.zero < 10**power <= frame.most]
    layout = {
        "xaxis": _axis(
            say("plot.thresholds.axis.latency"),
            type="log",
            range=[_log(frame.left), _log(frame.right)],
            tickvals=milliseconds,
            ticktext=[say.time(value) for value in milliseconds],
        ),
        "yaxis": _axis(
            say("plot.thresholds.axis.time"),
            type="log",
            range=[_round(_log(frame.zero) - 0.25), _round(_log(frame.most) + 0.8)],
            tickvals=[frame.zero, *seconds],
            ticktext=["0", *(say("plot.number", value=value) for value in seconds)],
        ),
        "annotations": annotations,
    }
    description = say("plot.thresholds.description", title=title, rows=" ".join(told))
    return _figure(data, layout, title, description, plot_height=340)


def ranking(board: Ranking, *, language: str = "en") -> go.Figure:
    """Return the fallback's ranking of the fault table, best on top, with its better half and who is next.

    Args:
        board: what `rmqref.measure.ranking` returns.
        language: which catalogue the words come from.

    Returns:
        A figure: latency on the left, availability and time left on the right.

    Raises:
        MeasureError: no entry.

    Java: LatencyFaultToleranceImpl#pickOneAtLeast, 4.0.0-incubating .. 5.1.3.

    >>> from rmqref import measure
    >>> from rmqref.situation import Fault, Situation
    >>> faults = (Fault("broker-a", 700, 20000), Fault("broker-b", 600, 9000))
    >>> print(ranking(measure.ranking(Situation("4.9.4", faults=faults))).layout.meta["description"])
    ... # doctest: +ELLIPSIS
    broker-b is next, and every time: it is the whole better half of 2 entries. Best to worst: 1. broker-b ...
    """
    entries = board.entries
    _check_any(entries)
    say = _Words(language)
    words: dict[str, Parameter] = {"half": board.half, "entries": len(entries), "release": board.release}
    key = "plot.ranking.title.one" if board.half == 1 else "plot.ranking.title"
    title = say(key, broker=board.taken, **words)
    left = [0 if entry.available else max(entry.avoided_for, 0) for entry in entries]
    states = [
        say("plot.ranking.available" if entry.available else "plot.ranking.unreachable")
        if time == 0
        else say.time(time)
        for entry, time in zip(entries, left, strict=True)
    ]
    latencies = [entry.latency for entry in entries]
    rows = list(range(1, len(entries) + 1))
    colours = [_colour(board.brokers, entry.broker_name) for entry in entries]
    names = [
        say.marked(
            "plot.ranking.next" if entry.broker_name == board.taken else "plot.ranking.name",
            rank=rank,
            broker=_safe(entry.broker_name),
        )
        for rank, entry in zip(rows, entries, strict=True)
    ]
    seconds = [_seconds(time) for time in left]
    data = [
        _bars(latencies, rows, colours, width=0.56),
        _written(list(zip(latencies, rows, strict=True)), [say("plot.number", value=n) for n in latencies]),
        _bars(seconds, rows, colours, width=0.56, xaxis="x2"),
        _written(list(zip(seconds, rows, strict=True)), states, xaxis="x2"),
    ]
    better: _Json = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": 0.15, "y1": board.half + 0.5}
    better |= {"fillcolor": WASH, "line": {"width": 0}, "layer": "below"}
    layout = {
        "xaxis": _axis(
            say("plot.ranking.axis.latency"),
            domain=[0, 0.45],
            range=[0, _round(1.5 * max(1, *latencies))],
            nticks=4,
        ),
        "xaxis2": _axis(
            say("plot.ranking.axis.left"),
            domain=[0.55, 1],
            range=[0, _round(1.5 * max(1, *seconds))],
            nticks=4,
        ),
        "yaxis": _axis(
            say("plot.ranking.axis.rank"),
            range=[len(entries) + 0.55, 0.1],
            tickvals=rows,
            ticktext=names,
            showgrid=False,
        ),
        "shapes": [better],
        "annotations": [
            _note(say.marked("plot.ranking.half"), xref="paper", x=1, xanchor="right", y=0.15, yanchor="top")
        ],
    }
    told = [
        say(
            "plot.ranking.row",
            rank=rank,
            broker=entry.broker_name,
            latency=say.time(entry.latency),
            state=state,
        )
        for rank, entry, state in zip(rows, entries, states, strict=True)
    ]
    description = say("plot.ranking.description", title=title, rows=say.listed(told), **words)
    return _figure(data, layout, title, description, plot_height=44 * len(entries) + 20)


# ------------------------------------------------------------------------------------------ shares per queue


@dataclass(frozen=True, slots=True, kw_only=True)
class _Panel:
    """One panel of shares.

    Args:
        bars: what the bars stack: picks, or first and second attempts; the second is hatched.
        fair: the fair share, as a part of 1.
        labels: what is written at each queue's bar.
        head: the panel's name.
        notes: further lines under it.
    """

    bars: tuple[Share, ...]
    fair: float
    labels: dict[_Queue, str]
    head: str = ""
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """Return what the shares are parts of; 1 if there is nothing to share."""
        return sum(share.total() for share in self.bars) or 1

    def picks(self, queue: _Queue) -> int:
        return sum(share[queue] for share in self.bars)

    def percent(self, queue: _Queue) -> float:
        return _round(100 * self.picks(queue) / self.total)


def _share_figure(panels: Sequence[_Panel], title: str, axis: str, say: _Words) -> go.Figure:
    queues = list(dict.fromkeys(queue for panel in panels for queue in panel.labels))
    dense = len(queues) > 16
    most = max(panel.percent(queue) for panel in panels for queue in queues)
    room = most * (1.5, 1.55, 1.8)[min(len(panels), 3) - 1]
    width = (1.05 / len(panels)) - 0.05
    layout: _Json = {"barmode": "stack", "shapes": [], "annotations": []}
    data: list[_Json] = []
    for number, panel in enumerate(panels):
        suffix = str(number + 1) if number else ""
        start = number * (width + 0.05)
        data.extend(_panel_traces(panel, queues, f"x{suffix}", say, dense=dense))
        layout[f"xaxis{suffix}"] = _axis(
            axis,
            domain=[_round(start), _round(start + width)],
            range=[0, _round(room)],
            nticks=4 if len(panels) > 1 else 6,
        )
        fair = _round(100 * panel.fair)
        layout["shapes"].append(_line(fair, fair, 0, 1, "dash", xref=f"x{suffix}", yref="paper"))
        above = {"yref": "paper", "y": 1, "yanchor": "bottom"}
        layout["annotations"].append(
            _note(say("plot.share.fair", share=panel.fair), xref=f"x{suffix}", x=fair, **above)
        )
        head = "<br>".join([_bold(_safe(panel.head)), *panel.notes])
        if panel.head:
            place = {"xref": "paper", "x": _round(start), "xanchor": "left", "yshift": 20, "align": "left"}
            layout["annotations"].append(_note(head, **above, **place))
    layout["yaxis"] = _axis(
        say("plot.share.axis.queue"),
        range=[len(queues) - 0.4, -0.6],
        tickvals=list(range(len(queues))),
        ticktext=[_safe(say.queue(queue)) for queue in queues],
        tickfont={"size": 10 if dense else 12},
        showgrid=False,
    )
    description = say(
        "plot.share.description", title=title, rows=" ".join(_told(panel, queues, say) for panel in panels)
    )
    return _figure(
        data,
        layout,
        title,
        description,
        plot_height=(15 if dense else 23) * len(queues),
        above=22 + 17 * max(len(panel.notes) + bool(panel.head) for panel in panels),
    )


def _panel_traces(
    panel: _Panel, queues: Sequence[_Queue], xaxis: str, say: _Words, *, dense: bool
) -> list[_Json]:
    """Return a panel's bars, and its labels: right of bar and fair share, whose line crosses none."""
    rows = list(range(len(queues)))
    brokers = tuple(dict.fromkeys(broker for broker, _ in queues))
    colours = [_colour(brokers, broker) for broker, _ in queues]
    traces = []
    for number, share in enumerate(panel.bars):
        bars = _bars(
            [_round(100 * share[queue] / panel.total) for queue in queues], rows, colours, xaxis=xaxis
        )
        hover = say("plot.share.hover.second" if number else "plot.share.hover") + "<extra></extra>"
        bars |= {"customdata": [share[queue] for queue in queues], "hovertemplate": hover, "hoverinfo": "all"}
        if number:
            bars["marker"]["pattern"] = {"shape": "/", "fillmode": "overlay", "size": 6, "fgcolor": "#ffffff"}
        traces.append(bars)
    labels = [panel.labels.get(queue, "") for queue in queues]
    again = [False, *(before == after for before, after in pairwise(labels))]
    points = [
        (max(panel.percent(queue), _round(100 * panel.fair)), row)
        for row, queue in zip(rows, queues, strict=True)
    ]
    shown = ["" if dense and same else label for label, same in zip(labels, again, strict=True)]
    return [*traces, _written(points, shown, xaxis=xaxis)]


def _labels_without(broker: str, share: Share, note: str, say: _Words) -> dict[_Queue, str]:
    """Return each queue's share as its label, and the note for the unused queues of the broker."""
    total = _checked_total(share)
    return {
        queue: note if queue[0] == broker and not picks else say("plot.share.percent", share=picks / total)
        for queue, picks in share.items()
    }


def _fair_without(broker: str, share: Share) -> float:
    """Return the share that each queue of the other brokers would have if they were equal."""
    return 1 / (sum(name != broker for name, _ in share) or len(share))


def _told(panel: _Panel, queues: Sequence[_Queue], say: _Words) -> str:
    """Return a panel's numbers in words, queue by queue."""
    rows = []
    for queue in queues:
        second = sum(share[queue] for share in panel.bars[1:])
        words: dict[str, Parameter] = {
            "queue": say.queue(queue),
            "picks": panel.picks(queue),
            "second": second,
        }
        name = "plot.share.row.second" if second else "plot.share.row"
        rows.append(say(name, share=panel.picks(queue) / panel.total, **words))
    return say(
        "plot.share.told" if panel.head else "plot.share.told.one", head=panel.head, rows=say.listed(rows)
    )


def _share_title(share: Share, say: _Words) -> str:
    """Return the sentence that one share deserves: even, but for a remainder, partly unused, or uneven."""
    picked = [picks for picks in share.values() if picks]
    most, least = max(picked), min(picked)
    if most - least > 1 or len(picked) == 1 < len(share):
        name = "plot.share.title.uneven"
    elif len(picked) < len(share):
        name = "plot.share.title.unused"
    else:
        name = "plot.share.title.even" if most == least else "plot.share.title.remainder"
    return say(
        name,
        total=share.total(),
        queues=len(share),
        picked=len(picked),
        most=most,
        least=least,
        queue=say.queue(max(share, key=lambda queue: share[queue])),
        share=most / share.total(),
        times=most * len(share) / share.total(),
    )


def _shares_title(kind: str, shares: Mapping[str, Share], broker: str, say: _Words) -> str:
    """Return the sentence on the busiest queue of the least even release, and what it gets in the evenest."""
    tops = {name: max(share.values()) / share.total() for name, share in shares.items()}
    worst, best = _extremes(tops)
    share = shares[worst[0]]
    queue = max(share, key=lambda each: share[each])
    others = [picks for (name, _), picks in share.items() if name != broker] or list(share.values())
    name = f"plot.{kind}.title"
    if math.isclose(tops[worst[0]], tops[best[0]], rel_tol=0.02):
        name = f"plot.{kind}.title.even" if max(others) - min(others) <= 1 else f"plot.{kind}.title.same"
    return say(
        name,
        broker=broker,
        queue=say.queue(queue),
        worst=say.listed(worst),
        best=say.listed(best),
        releases=say.listed(list(shares)),
        high=tops[worst[0]],
        low=shares[best[0]][queue] / shares[best[0]].total(),
    )


# -------------------------------------------------------------------------------------------------- timeline


def _lane(lane: Availability, row: int, horizon: float, say: _Words) -> list[_Json]:
    """Return a lane's bars, and the words in or beside those that have room for them."""
    ends = [horizon if span.end is None else span.end for span in lane.spans]
    labels = [
        say("plot.timeline.open")
        if span.end is None
        else say("plot.timeline.avoided", time=say.time(span.end - span.start))
        for span in lane.spans
    ]
    lengths = [_seconds(end - span.start) for span, end in zip(lane.spans, ends, strict=True)]
    bars = _bars(lengths, [row] * len(ends), AVOIDED, width=0.42)
    hover = say("plot.timeline.hover", release=_safe(lane.release)) + "<extra></extra>"
    bars |= {"base": [_seconds(span.start) for span in lane.spans], "customdata": labels}
    bars |= {"hovertemplate": hover, "hoverinfo": "all"}
    inside, beside = [], []
    nexts = [*(span.start for span in lane.spans[1:]), horizon]
    for span, end, following, label in zip(lane.spans, ends, nexts, labels, strict=False):
        room = horizon * _label_width(label)
        if end - span.start >= room:
            inside.append(((_seconds((span.start + end) / 2), row), label))
        elif following - end >= room:
            beside.append(((_seconds(end), row), label))
    white = {"color": "#ffffff"}
    texts = [
        _written([p for p, _ in inside], [w for _, w in inside], position="middle center", textfont=white),
        _written([p for p, _ in beside], [w for _, w in beside]),
    ]
    return [trace for trace in (bars, *texts) if trace["x"]]


def _lane_told(lane: Availability, say: _Words) -> str:
    spans = [
        say("plot.timeline.span.open", start=say.time(span.start))
        if span.end is None
        else say("plot.timeline.span", start=say.time(span.start), end=say.time(span.end))
        for span in lane.spans
    ]
    return say(
        "plot.timeline.row", release=lane.release, spans=say.listed(spans or [say("plot.timeline.never")])
    )


def _label_width(label: str) -> float:
    """Return the part of a phone's plot that a label takes, its mark included."""
    return min(0.06 + 0.027 * len(label), 0.5)


def _levels(times: Sequence[int], rooms: Sequence[float]) -> list[int]:
    """Return for each time how many labels stand above its own: none once all before it have ended."""
    levels: list[int] = []
    clear = 0.0
    for time, room in zip(times, rooms, strict=True):
        levels.append(levels[-1] + 1 if levels and time < clear else 0)
        clear = max(clear, time + room)
    return levels


def _times_title(kind: str, times: Mapping[str, int | None], say: _Words, **words: Parameter) -> str:
    """Return the sentence on the longest time avoided against the shortest; None is without end."""
    longest, shortest = _extremes({name: math.inf if time is None else time for name, time in times.items()})
    long, short = times[longest[0]], times[shortest[0]]
    name = (
        f"plot.{kind}.title"
        if long != short
        else f"plot.{kind}.title.never"
        if long == 0
        else f"plot.{kind}.title.same"
    )
    return say(
        name,
        long=say.time(long),
        short=say.time(short),
        longest=say.listed(longest),
        shortest=say.listed(shortest),
        releases=say.listed(list(times)),
        **words,
    )


def _extremes(values: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """Return the names with the largest value, and those with the smallest."""
    most, least = max(values.values()), min(values.values())
    names = [[name for name, value in values.items() if value == extreme] for extreme in (most, least)]
    return names[0], names[1]


# ------------------------------------------------------------------------------------------------ thresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class _LogFrame:
    """Where the logarithmic axes begin and end: latency in ms, time in s, and the place of 0."""

    left: float
    right: float
    zero: float
    most: float

    def height(self, duration: int) -> float:
        return duration / 1000 if duration > 0 else self.zero


def _steps(table: Steps, names: str, number: int, frame: _LogFrame, say: _Words) -> list[_Json]:
    """Return a table's line, the times written at its corners, and the mark of a failure."""
    colour, dash = TABLE_LINES[number % len(TABLE_LINES)]
    corners = [(max(start, frame.left), frame.height(time)) for start, time in table.steps]
    times = [say.time(time) for _, time in table.steps]
    ends = [*corners, (frame.right, corners[-1][1])]
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": [x for x, _ in ends],
        "y": [y for _, y in ends],
        "line": {"shape": "hv", "color": colour, "dash": dash, "width": 2.5},
        "customdata": [*times, times[-1]],
        "hovertemplate": say("plot.thresholds.hover", releases=_safe(names)) + "<extra></extra>",
    }
    rises = [n for n in range(1, len(corners)) if table.steps[n][1] != table.steps[n - 1][1]]
    labels = _written(
        [corners[n] for n in rises],
        [times[n] for n in rises],
        position=[_side(table, n) for n in rises],
        textfont={"color": colour, "size": 11},
    )
    mark = {
        "type": "scatter",
        "mode": "markers",
        "x": [table.isolation_latency],
        "y": [frame.height(table.isolation_duration)],
        "marker": {"symbol": "x", "size": 12, "color": colour},
        "hovertemplate": _failure_told(table, say) + "<extra></extra>",
    }
    return [line, labels, mark]


def _side(table: Steps, number: int) -> str:
    """Return where the label of a corner stands: above, but below if the next corner is close above it."""
    time, above = (step[1] for step in (*table.steps, table.steps[-1])[number : number + 2])
    return "bottom right" if time < above < 1.5 * time else "top left"


def _failure(table: Steps, names: str, number: int, frame: _LogFrame, say: _Words) -> _Json:
    """Return the words at the mark of a failure, which name the line: above the upper, below the others."""
    colour, _ = TABLE_LINES[number % len(TABLE_LINES)]
    place = (
        {"xanchor": "right", "yanchor": "bottom", "align": "right", "ax": -28, "ay": -16}
        if number == 0
        else {"xanchor": "center", "yanchor": "top", "align": "center", "ax": 0, "ay": 44}
    )
    return _note(
        say.marked("plot.thresholds.mark", releases=_safe(names), latency=say.time(table.isolation_latency)),
        x=_log(table.isolation_latency),
        y=_log(frame.height(table.isolation_duration)),
        font={"color": colour},
        showarrow=True,
        arrowcolor=colour,
        arrowwidth=1,
        arrowhead=0,
        standoff=6,
        **place,
    )


def _failure_told(table: Steps, say: _Words) -> str:
    times = say.time(table.isolation_latency), say.time(table.isolation_duration)
    return say("plot.thresholds.failure", latency=times[0], time=times[1])


def _steps_told(table: Steps, names: str, say: _Words) -> str:
    steps = [
        say("plot.thresholds.step", start=say.time(start), time=say.time(time)) for start, time in table.steps
    ]
    return say(
        "plot.thresholds.row", releases=names, steps=say.listed(steps), failure=_failure_told(table, say)
    )


# ----------------------------------------------------------------------------------------------- all figures


@dataclass(frozen=True, slots=True)
class _Words:
    """The catalogue's sentences for figures, in one language."""

    language: str

    def __call__(self, name: str, **parameters: Parameter) -> str:
        return text(name, self.language, **parameters)

    def marked(self, name: str, **parameters: Parameter) -> str:
        """Return a sentence with its bold kept and its lines broken; parameters are safe already."""
        return marked(name, self.language, **parameters).replace("\n", "<br>")

    def time(self, milliseconds: int | None) -> str:
        if milliseconds is None:
            return self("plot.time.open")
        if milliseconds < 1000:
            return self("plot.time.ms", value=milliseconds)
        return self("plot.time.s", value=milliseconds / 1000)

    def queue(self, queue: _Queue) -> str:
        return self("plot.queue", broker=queue[0], queue=queue[1])

    def listed(self, items: Sequence[str]) -> str:
        return reduce(lambda before, item: self("plot.list", before=before, item=item), items)


def _figure(
    data: list[_Json], layout: _Json, title: str, description: str, *, plot_height: int, above: int = 8
) -> go.Figure:
    lines = _lines(_glued(title))
    top = 24 + 19 * len(lines) + above
    height = top + plot_height + 52
    heading: _Json = {"text": _bold("<br>".join(map(_safe, lines))), "font": {"size": 14}}
    heading |= {"x": 0, "xref": "container", "xanchor": "left", "pad": {"l": 10}}
    heading |= {"y": _round(1 - 20 / height), "yref": "container", "yanchor": "top"}
    base: _Json = {
        "template": "none",
        "autosize": True,
        "height": height,
        "margin": {"t": top, "r": 14, "b": 52, "l": 14, "pad": 2},
        "paper_bgcolor": NOTHING,
        "plot_bgcolor": NOTHING,
        "font": {"family": FONT, "size": 12, "color": INK},
        "title": heading,
        "barmode": "overlay",
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "meta": {"description": description},
    }
    return go.Figure(data=data, layout=base | layout)


def _axis(title: str, **more: Any) -> _Json:
    words = {"text": title, "standoff": 8, "font": {"size": 12}}
    plain = {"automargin": True, "fixedrange": True, "gridcolor": GRID, "zeroline": False, "tickangle": 0}
    plain["separatethousands"] = True
    return {"title": words, **plain, **more}


def _bars(
    lengths: Sequence[float],
    rows: Sequence[int],
    colours: str | Sequence[str],
    *,
    width: float = 0.72,
    xaxis: str = "x",
) -> _Json:
    marker = {"color": colours, "line": {"color": INK, "width": 1}}
    bars = {"type": "bar", "orientation": "h", "width": width, "marker": marker, "xaxis": xaxis}
    return {**bars, "x": list(lengths), "y": list(rows), "hoverinfo": "skip"}


def _written(
    points: Sequence[tuple[float, float]],
    words: Sequence[str],
    *,
    mode: str = "text",
    position: str | Sequence[str] = "middle right",
    **more: Any,
) -> _Json:
    """Return words beside points, with a space on either side."""
    texts = [f"{_SPACE}{_safe(word)}{_SPACE}" if word else "" for word in words]
    place = {
        "x": [x for x, _ in points],
        "y": [y for _, y in points],
        "text": texts,
        "textposition": position,
    }
    hover = {} if "hovertemplate" in more else {"hoverinfo": "skip"}
    return {"type": "scatter", "mode": mode, "cliponaxis": False, **place, **hover, **more}


def _line(x0: float, x1: float, y0: float, y1: float, dash: str, **more: Any) -> _Json:
    line = {"color": INK, "width": 1.5 if dash == "dash" else 1, "dash": dash}
    return {"type": "line", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": line, "layer": "below", **more}


def _note(words: str, **more: Any) -> _Json:
    return {"text": words, "showarrow": False, **more}


def _lines(sentence: str) -> list[str]:
    """Return a sentence in as few lines as fit a phone, of about the same length."""
    fewest = len(_broken(sentence, TITLE_CELLS))
    widths = range(TITLE_CELLS // 2, TITLE_CELLS + 1)
    return next(lines for width in widths if len(lines := _broken(sentence, width)) == fewest)


def _glued(sentence: str) -> str:
    """Return a sentence in which no line may end inside "broker-b : 0" or "10 s"."""
    return re.sub(r" (?=: \d)|(?<= :) (?=\d)|(?<=\d) (?=m?s\b)", _SPACE, sentence)


def _broken(sentence: str, width: int) -> list[str]:
    """Return a sentence in lines; wide characters take two cells, and a line may end at any of them."""
    lines, used = [""], 0
    for piece in _pieces(sentence):
        cells = sum(1 + _is_wide(sign) for sign in piece)
        if lines[-1] and used + cells - piece.endswith(" ") > width:
            lines.append("")
            used = 0
        lines[-1] += piece
        used += cells
    return [line.rstrip() for line in lines]


def _pieces(sentence: str) -> list[str]:
    """Return a sentence cut wherever a line may end."""
    pieces = [""]
    for sign in sentence:
        pieces[-1] += sign
        if sign == " " or _is_wide(sign):
            pieces.append("")
    return [piece for piece in pieces if piece]


def _is_wide(sign: str) -> bool:
    return unicodedata.east_asian_width(sign) in {"W", "F"}


def _bold(words: str) -> str:
    return f"<b>{words}</b>"


def _safe(words: str) -> str:
    """Return words of which nothing is taken for markup."""
    return escape(words, quote=False)


def _colour(brokers: Sequence[str], broker: str) -> str:
    return BROKER_COLOURS[brokers.index(broker) % len(BROKER_COLOURS)]


def _seconds(milliseconds: float) -> float:
    return _round(milliseconds / 1000)


def _log(value: float) -> float:
    return _round(math.log10(value))


def _round(value: float) -> float:
    return round(value, 4)


def _checked_total(share: Share) -> int:
    for queue, picks in share.items():
        if picks < 0:
            raise MeasureError("plot.error.negative", queue=f"{queue[0]} : {queue[1]}", picks=picks)
    if not share.total():
        raise MeasureError("plot.error.no_pick")
    return share.total()


def _check_any(items: Sequence[object] | Mapping[str, object]) -> None:
    if not items:
        raise MeasureError("plot.error.nothing")
