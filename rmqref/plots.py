"""The figures: pure functions from what `rmqref.measure` returns to a plotly figure, the same to the byte each time.

A figure's title is a sentence that says what its numbers show; `figure.layout.meta["description"]` says it all in
plain text, for those who cannot see it. Grounds are transparent and all inks stand out from white and from near
black, so that a stored figure reads in light and dark themes. Brokers have the stepper's colours and always their name.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from rmqref.measure import Availability, Landings, MeasureError, Ranking, Share, Span, Steps
from rmqref.messages import Parameter, text

BROKER_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#f0e442", "#8d98a3")
"""Okabe and Ito's, in the order of the stepper's style sheet; a ninth broker begins again."""

INK = "#797979"
"""As far from white as from the near black of dark themes."""

LINE = "rgba(121,121,121,0.35)"
WASH = "rgba(121,121,121,0.16)"
AVOIDED = "#c4554d"
RELEASE_LINES = (("#c4554d", "solid"), ("#8a6fd1", "solid"), ("#2a8f9c", "dash"), ("#a8801f", "dot"))

_TITLE_CELLS = 40
_TITLE_LINE = 19
_FONT = 'system-ui, "DejaVu Sans", sans-serif'

Json = dict[str, Any]
Queue = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Words:
    """The catalogue's sentences for figures in one language."""

    language: str

    def __call__(self, name: str, **parameters: Parameter) -> str:
        return text(f"plot.{name}", self.language, **parameters)

    def time(self, milliseconds: int | None) -> str:
        if milliseconds is None:
            return self("time.open")
        if abs(milliseconds) < 1000:
            return self("time.ms", value=milliseconds)
        return self("time.s", value=milliseconds / 1000)

    def queue(self, queue: Queue) -> str:
        return self("queue", broker=queue[0], queue=queue[1])

    def listed(self, items: Sequence[str]) -> str:
        return self("list.separator").join(items)


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
    >>> share_per_queue(Situation().share(1200)).layout.meta["description"][:58]
    'All 12 queues get the same: 100 of the 1,200 picks each. b'
    """
    _check_share(share)
    say = _Words(language)
    title = _share_title(share, say)
    labels = {queue: say("share.label", picks=n, share=n / share.total()) for queue, n in share.items()}
    panel = _Panel("", [_Bars(share)], labels, {}, 1 / len(share), share.total())
    return _share_figure([panel], title, say("share.axis"), say)


def retry_landings(landings: Sequence[Landings], *, language: str = "en") -> go.Figure:
    """Return, release by release, on which queue sends end while a broker fails every first attempt.

    Hatched is what second attempts bring.

    Args:
        landings: what `rmqref.measure.retry_landings` returns.
        language: which catalogue the words come from.

    Returns:
        A figure with a panel a release.

    Raises:
        MeasureError: no release or no send.

    >>> from rmqref import measure
    >>> from rmqref.situation import Situation
    >>> pair = Situation(route=(("b1", 4), ("b2", 4)))
    >>> retry_landings(measure.retry_landings(pair, "b1", ["4.7.1", "4.8.0"], 800)).layout.title.text
    '<b>While b1 fails, b2 : 0 ends up with<br>50.1% of the sends in 4.7.1, but with<br>25.0% in 4.8.0.</b>'
    """
    _check_any(landings)
    say = _Words(language)
    broker = landings[0].broker_name
    panels = []
    for one in landings:
        ends = one.ends
        _check_share(ends)
        labels = {
            queue: say("share.percent", share=n / ends.total()) if n else "" for queue, n in ends.items()
        }
        notes = {queue: say("landings.down") for queue, n in ends.items() if queue[0] == broker and not n}
        head = say("landings.head", release=one.release, failed=one.failed, sends=ends.total())
        panels.append(
            _Panel(
                head,
                [_Bars(one.first), _Bars(one.second, hatched=True)],
                labels | notes,
                {queue: one.second[queue] for queue in ends},
                1 / max(1, sum(queue[0] != broker for queue in ends)),
                ends.total(),
            )
        )
    title = _compared_title("landings", {one.release: one.ends for one in landings}, broker, say)
    return _share_figure(panels, title, say("landings.axis"), say)


def share_with_one_down(shares: Mapping[str, Share], broker_name: str, *, language: str = "en") -> go.Figure:
    """Return, release by release, how often each queue is picked while one broker is avoided.

    Args:
        shares: what `rmqref.measure.share_with_one_down` returns.
        broker_name: the broker that is avoided.
        language: which catalogue the words come from.

    Returns:
        A figure with a panel a release.

    Raises:
        MeasureError: no release, no pick, or a negative number of picks.

    >>> from rmqref import measure
    >>> from rmqref.situation import Situation
    >>> shares = measure.share_with_one_down(Situation(), "broker-a", ["4.9.4", "5.3.3"], 12000)
    >>> share_with_one_down(shares, "broker-a").layout.meta["description"][:94]
    'While broker-a is avoided, broker-b : 0 gets 41.7% of the picks in 4.9.4, but 12.5% in 5.3.3. '
    """
    _check_any(shares)
    say = _Words(language)
    panels = []
    for release, share in shares.items():
        _check_share(share)
        labels = {
            queue: say("share.percent", share=n / share.total()) if n else "" for queue, n in share.items()
        }
        notes = {
            queue: say("down.avoided") for queue, n in share.items() if queue[0] == broker_name and not n
        }
        fair = 1 / max(1, sum(queue[0] != broker_name for queue in share))
        head = say("panel.head", release=release)
        panels.append(_Panel(head, [_Bars(share)], labels | notes, {}, fair, share.total()))
    title = _compared_title("down", shares, broker_name, say)
    return _share_figure(panels, title, say("down.axis"), say)


def availability_timeline(lanes: Sequence[Availability], *, language: str = "en") -> go.Figure:
    """Return when a broker is avoided under the same sends, a lane a release.

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
    >>> availability_timeline(lanes).layout.meta["description"][:84]
    'After the same sends broker-a is avoided for 10 s in 5.3.3, but for 2 s in 4.9.4. Se'
    """
    _check_any(lanes)
    say = _Words(language)
    broker, sends = lanes[0].broker_name, lanes[0].sends
    title = _times_title("timeline", {lane.release: lane.avoided_for for lane in lanes}, say, broker=broker)
    ends = [send.at for send in sends] + [span.end or span.start for lane in lanes for span in lane.spans]
    horizon = max([*ends, 1000]) * 1.06
    levels = _levels([send.at for send in sends], horizon * 0.24)
    top = max(levels, default=0)
    data: list[Json] = []
    shapes: list[Json] = []
    for row, lane in enumerate(lanes, 1):
        shapes.append(_ruler(0, horizon / 1000, row))
        shapes.extend(_span_bar(span, horizon, row) for span in lane.spans)
        data.extend(_span_label(span, horizon, row, say) for span in lane.spans)
    for send, level in zip(sends, levels, strict=True):
        shapes.append(
            {
                "type": "line", "x0": send.at / 1000, "x1": send.at / 1000, "y0": -0.32 * level, "y1": len(lanes) + 0.42,
                "line": {"color": INK, "width": 1, "dash": "dot"}, "layer": "between",
            }
        )  # fmt: skip
    failed = [send.failed for send in sends]
    data.append(
        {
            "type": "scatter", "mode": "markers+text", "cliponaxis": False,
            "x": [_seconds(send.at) for send in sends], "y": [round(-0.32 * level, 2) for level in levels],
            "text": [say("timeline.failed" if send.failed else "timeline.ok", latency=say.time(send.latency)) for send in sends],
            "textposition": [_side(send.at, horizon) for send in sends],
            "marker": {
                "symbol": ["x" if no else "circle" for no in failed], "size": 10,
                "color": [AVOIDED if no else INK for no in failed],
            },
            "hovertemplate": "%{x:,} s: %{text}<extra></extra>",
        }
    )  # fmt: skip
    rows = [
        say(
            "timeline.row",
            release=lane.release,
            spans=say.listed(
                [say("timeline.span", start=say.time(s.start), end=say.time(s.end)) for s in lane.spans]
                or [say("timeline.never")]
            ),
        )
        for lane in lanes
    ]
    told = [
        say(
            "timeline.send",
            at=say.time(send.at),
            what=say("timeline.failed" if send.failed else "timeline.ok", latency=say.time(send.latency)),
        )
        for send in sends
    ]
    description = say("timeline.description", title=title, sends=say.listed(told), rows=" ".join(rows))
    layout = {
        "xaxis": _axis(
            say("timeline.axis.time"), range=[-horizon / 1000 * 0.02, horizon / 1000], tickformat=",~g"
        ),
        "yaxis": _axis(
            say("timeline.axis.release"),
            range=[len(lanes) + 0.55, -0.32 * top - 0.4],
            tickvals=[0, *range(1, len(lanes) + 1)],
            ticktext=[say("timeline.sends"), *(f"<b>{escape(lane.release)}</b>" for lane in lanes)],
            showgrid=False,
        ),
        "shapes": shapes,
    }
    return _figure(data, layout, title, description, 64 + 54 * len(lanes) + 24 * (top + 1))


def thresholds(tables: Sequence[Steps], *, language: str = "en") -> go.Figure:
    """Return how long a broker is avoided after a send, as steps over the send's latency, with the failure marked.

    Args:
        tables: what `rmqref.measure.threshold_steps` returns; releases with the same table share a line.
        language: which catalogue the words come from.

    Returns:
        A figure with logarithmic axes; "0" stands below the first decade.

    Raises:
        MeasureError: no release, or a table without any time.

    >>> from rmqref.measure import threshold_steps
    >>> thresholds(threshold_steps(["4.9.4", "5.3.3"])).layout.title.text
    '<b>A failed send has its broker avoided for<br>600 s in 4.9.4, but for 10 s in 5.3.3.</b>'
    """
    _check_any(tables)
    say = _Words(language)
    title = _times_title("thresholds", {table.release: table.isolation_duration for table in tables}, say)
    lines: dict[tuple[object, ...], list[Steps]] = {}
    for table in tables:
        lines.setdefault((table.steps, table.isolation_latency), []).append(table)
    durations = [duration for table in tables for _, duration in table.steps if duration > 0]
    if not durations:
        raise MeasureError("plot.error.no_time")
    zero, most = min(durations) / 4000, max(durations) / 1000
    starts = [start for table in tables for start, _ in table.steps if start > 0]
    left, right = min(starts) / 5, max(*starts, *(table.isolation_latency for table in tables)) * 4
    data: list[Json] = []
    annotations: list[Json] = []
    for number, same in enumerate(lines.values()):
        colour, dash = RELEASE_LINES[number % len(RELEASE_LINES)]
        table, releases = same[0], escape(say.listed([one.release for one in same]))
        above = number % 2 == 0
        points = [(max(start, left), _height(duration, zero)) for start, duration in table.steps]
        data.append(
            {
                "type": "scatter", "mode": "lines", "line": {"shape": "hv", "color": colour, "dash": dash, "width": 2.5},
                "x": [*(x for x, _ in points), right], "y": [*(y for _, y in points), points[-1][1]],
                "customdata": [say.time(d) for _, d in (*table.steps, table.steps[-1])],
                "hovertemplate": f"{releases}: %{{x:,}} ms, %{{customdata}}<extra></extra>",
            }
        )  # fmt: skip
        rises = [
            (x, y, say.time(after), sparse)
            for (x, y), (_, before), (_, after), sparse in zip(
                points[1:], table.steps, table.steps[1:], _sparse(table, above=above), strict=False
            )
            if after != before
        ]
        data.append(
            {
                "type": "scatter", "mode": "text", "x": [x for x, *_ in rises], "y": [y for _, y, *_ in rises],
                "text": [label for _, _, label, _ in rises],
                "textposition": [position for *_, position in rises],
                "textfont": {"color": colour, "size": 11}, "hoverinfo": "skip",
            }
        )  # fmt: skip
        failure = _height(table.isolation_duration, zero)
        data.append(
            {
                "type": "scatter", "mode": "markers", "x": [table.isolation_latency], "y": [failure],
                "marker": {"symbol": "x", "size": 12, "color": colour},
                "hovertemplate": say("thresholds.failure", latency=say.time(table.isolation_latency), time=say.time(table.isolation_duration)) + "<extra></extra>",
            }
        )  # fmt: skip
        annotations.append(
            {
                "x": math.log10(table.isolation_latency), "y": math.log10(failure), "xanchor": "right" if above else "center",
                "yanchor": "bottom" if above else "top", "showarrow": True, "arrowcolor": colour, "arrowwidth": 1,
                "arrowhead": 0, "ax": -28 if above else 0, "ay": -16 if above else 44, "standoff": 6,
                "font": {"color": colour}, "align": "right" if above else "center",
                "text": say("thresholds.mark", releases=releases, latency=say.time(table.isolation_latency)).replace("\n", "<br>"),
            }
        )  # fmt: skip
    rows = [
        say(
            "thresholds.row",
            release=say.listed([one.release for one in same]),
            steps=say.listed(
                [say("thresholds.step", start=say.time(start), time=say.time(duration)) for start, duration in same[0].steps]
            ),
            latency=say.time(same[0].isolation_latency),
            time=say.time(same[0].isolation_duration),
        )
        for same in lines.values()
    ]  # fmt: skip
    description = say("thresholds.description", title=title, rows=" ".join(rows))
    decades = [10**power for power in range(-3, 7)]
    layout = {
        "xaxis": _axis(
            say("thresholds.axis.latency"), type="log", range=[math.log10(left), math.log10(right)],
            tickvals=(x := [10**power for power in range(7) if left <= 10**power <= right]),
            ticktext=[say.time(value) for value in x],
        ),
        "yaxis": _axis(
            say("thresholds.axis.time"), type="log", range=[math.log10(zero) - 0.25, math.log10(most) + 0.45],
            tickvals=[zero, *(y := [value for value in decades if zero * 1.5 < value <= most])],
            ticktext=["0", *(f"{value:g}" for value in y)],
        ),
        "annotations": annotations,
    }  # fmt: skip
    return _figure(data, layout, title, description, 340)


def ranking(board: Ranking, *, language: str = "en") -> go.Figure:
    """Return the fallback's ranking of the fault table, best on top, with its better half and who is next.

    Args:
        board: what `rmqref.measure.ranking` returns.
        language: which catalogue the words come from.

    Returns:
        A figure: latency on the left, time left on the right.

    Raises:
        MeasureError: no entry.

    >>> from rmqref import measure
    >>> from rmqref.situation import Fault, Situation
    >>> faults = (Fault("broker-a", 700, 20000), Fault("broker-b", 600, 9000))
    >>> ranking(measure.ranking(Situation("4.9.4", faults=faults))).layout.title.text
    '<b>broker-b is next, and every time: the<br>better half of 2 entries is only it.</b>'
    """
    _check_any(board.entries)
    say = _Words(language)
    entries = board.entries
    title = say(
        "ranking.title.one" if board.half == 1 else "ranking.title",
        broker=board.taken,
        half=board.half,
        entries=len(entries),
        release=board.release,
    )
    rows = list(range(1, len(entries) + 1))
    colours = [_colour(board.brokers, entry.broker_name) for entry in entries]
    left = [0 if entry.available else max(entry.avoided_for, 0) for entry in entries]
    lefts = [
        say("ranking.available")
        if entry.available
        else say("ranking.unreachable")
        if entry.avoided_for <= 0
        else say.time(entry.avoided_for)
        for entry in entries
    ]
    latencies = [entry.latency for entry in entries]
    bars: Json = {
        "type": "bar", "orientation": "h", "y": rows, "width": 0.56, "textposition": "outside", "cliponaxis": False,
        "marker": {"color": colours, "line": {"color": INK, "width": 1}}, "hoverinfo": "skip",
    }  # fmt: skip
    data = [
        bars | {"x": latencies, "text": [say("number", value=latency) for latency in latencies]},
        bars | {"x": [_seconds(time) for time in left], "text": lefts, "xaxis": "x2"},
    ]
    names = [
        say("ranking.next" if entry.broker_name == board.taken else "ranking.name", rank=rank, broker=_safe(entry.broker_name))
        for rank, entry in enumerate(entries, 1)
    ]  # fmt: skip
    layout = {
        "xaxis": _axis(say("ranking.axis.latency"), domain=[0, 0.47], range=[0, max(*latencies, 1) * 1.4], nticks=4, tickformat=",~g"),
        "xaxis2": _axis(say("ranking.axis.left"), domain=[0.53, 1], range=[0, max(*left, 1000) / 1000 * 1.4], nticks=4, tickformat=",~g", anchor="y"),
        "yaxis": _axis(
            say("ranking.axis.rank"), range=[len(entries) + 0.55, 0.1], tickvals=rows, showgrid=False,
            ticktext=[name.replace("\n", "<br>") for name in names],
        ),
        "shapes": [
            {
                "type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": 0.15, "y1": board.half + 0.5,
                "fillcolor": WASH, "line": {"width": 0}, "layer": "below",
            }
        ],
        "annotations": [
            {
                "xref": "paper", "x": 1, "xanchor": "right", "y": 0.15, "yanchor": "top", "showarrow": False,
                "text": f"<b>{say('ranking.half')}</b>",
            }
        ],
    }  # fmt: skip
    told = [
        say("ranking.row", rank=rank, broker=entry.broker_name, latency=say.time(entry.latency), left=words)
        for rank, (entry, words) in enumerate(zip(entries, lefts, strict=True), 1)
    ]
    description = say(
        "ranking.description", title=title, rows=say.listed(told), half=board.half, release=board.release
    )
    return _figure(data, layout, title, description, 74 + 44 * len(entries))


# ------------------------------------------------------------------------------------------------ shares per queue


@dataclass(frozen=True, slots=True)
class _Bars:
    share: Share
    hatched: bool = False


@dataclass(frozen=True, slots=True)
class _Panel:
    """One panel of shares: head, bars that stack, a label a queue, retries of them, the fair share, all picks."""

    head: str
    bars: list[_Bars]
    labels: dict[Queue, str]
    retries: dict[Queue, int]
    fair: float
    total: int


def _share_figure(panels: Sequence[_Panel], title: str, axis: str, say: _Words) -> go.Figure:
    queues = list(dict.fromkeys(queue for panel in panels for queue in panel.labels))
    brokers = tuple(dict.fromkeys(broker for broker, _ in queues))
    rows = list(range(len(queues)))
    high = max(
        sum(bars.share[queue] for bars in panel.bars) / panel.total for panel in panels for queue in queues
    )
    room = 1.45 if len(panels) == 1 else 1.5
    gap = 0.05
    width = (1 - gap * (len(panels) - 1)) / len(panels)
    row_height = 23 if len(queues) <= 16 else 15
    layout: Json = {"barmode": "stack", "shapes": [], "annotations": []}
    data: list[Json] = []
    for number, panel in enumerate(panels):
        suffix = "" if number == 0 else str(number + 1)
        start = number * (width + gap)
        layout[f"xaxis{suffix}"] = _axis(
            axis, domain=[round(start, 4), round(start + width, 4)], range=[0, round(high * room, 6)], nticks=5, tickformat=".0%", anchor="y",
        )  # fmt: skip
        for bars in panel.bars:
            last = bars is panel.bars[-1]
            values = [bars.share[queue] for queue in queues]
            data.append(
                _bars(
                    values, rows, [_colour(brokers, broker) for broker, _ in queues], bars, panel, suffix, say
                )
            )
            if last:
                ends = [round(sum(b.share[queue] for b in panel.bars) / panel.total, 6) for queue in queues]
                data.append(
                    {
                        "type": "scatter", "mode": "text", "x": ends, "y": rows, "xaxis": f"x{suffix}", "cliponaxis": False,
                        "text": [f" {panel.labels[queue]}" for queue in queues], "textposition": "middle right",
                        "hoverinfo": "skip",
                    }
                )  # fmt: skip
        layout["shapes"].append(
            {
                "type": "line", "xref": f"x{suffix}", "x0": round(panel.fair, 6), "x1": round(panel.fair, 6),
                "yref": "paper", "y0": 0, "y1": 1, "line": {"color": INK, "width": 1.5, "dash": "dash"},
            }
        )  # fmt: skip
        layout["annotations"].append(
            {
                "xref": f"x{suffix}", "x": round(panel.fair, 6), "xanchor": "center", "yref": "paper", "y": 1, "yanchor": "bottom",
                "showarrow": False, "text": say("share.fair", share=panel.fair),
            }
        )  # fmt: skip
        if panel.head:
            head = _safe(panel.head).split("\n")
            layout["annotations"].append(
                {
                    "xref": "paper", "x": round(start, 4), "xanchor": "left", "yref": "paper", "y": 1, "yanchor": "bottom",
                    "yshift": 20, "showarrow": False, "align": "left", "text": "<br>".join([f"<b>{head[0]}</b>", *head[1:]]),
                }
            )  # fmt: skip
    labels = [_safe(say.queue(queue)) for queue in queues]
    layout["yaxis"] = _axis(
        say("share.axis.queue"), range=[len(queues) - 0.4, -0.6], tickvals=rows, ticktext=labels, showgrid=False,
    )  # fmt: skip
    if row_height < 20:
        layout["yaxis"]["tickfont"] = {"size": 10}
    told = [
        say("share.told", head=panel.head.split("\n")[0], rows=_told(panel, queues, say)) for panel in panels
    ]
    heads = max(panel.head.count("\n") + 1 if panel.head else 0 for panel in panels)
    description = say("share.description", title=title, rows=" ".join(told))
    return _figure(data, layout, title, description, row_height * len(queues), above=22 + 17 * heads)


def _bars(
    values: Sequence[int],
    rows: Sequence[int],
    colours: Sequence[str],
    bars: _Bars,
    panel: _Panel,
    suffix: str,
    say: _Words,
) -> Json:
    marker: Json = {"color": list(colours), "line": {"color": INK, "width": 1}}
    if bars.hatched:
        marker["pattern"] = {
            "shape": "/",
            "fillmode": "overlay",
            "size": 6,
            "fgcolor": "#ffffff",
            "fgopacity": 0.9,
        }
    return {
        "type": "bar", "orientation": "h", "width": 0.72, "marker": marker, "xaxis": f"x{suffix}",
        "x": [round(value / panel.total, 6) for value in values], "y": list(rows), "customdata": list(values),
        "hovertemplate": say("share.hover.second" if bars.hatched else "share.hover") + "<extra></extra>",
    }  # fmt: skip


def _told(panel: _Panel, queues: Sequence[Queue], say: _Words) -> str:
    """Return a panel's numbers as words, queue by queue."""
    told = []
    for queue in queues:
        picks = sum(bars.share[queue] for bars in panel.bars)
        retries = panel.retries.get(queue, 0)
        told.append(
            say(
                "share.row.second" if retries else "share.row",
                queue=say.queue(queue),
                picks=picks,
                share=picks / panel.total,
                retries=retries,
            )
        )
    return say.listed(told)


def _share_title(share: Share, say: _Words) -> str:
    """Return the sentence that a single share deserves: even, even but for a remainder, partly unused, or uneven."""
    total, queues = share.total(), len(share)
    picked = [picks for picks in share.values() if picks]
    most, least = max(picked), min(picked)
    words: dict[str, Parameter] = {
        "total": total, "queues": queues, "picked": len(picked), "most": most, "least": least,
        "queue": say.queue(max(share, key=lambda queue: share[queue])), "share": most / total, "times": most * queues / total,
    }  # fmt: skip
    if len(picked) == queues:
        if most == least:
            return say("share.title.even", **words)
        if most == least + 1:
            return say("share.title.remainder", **words)
    elif most - least <= 1 and len(picked) > 1:
        return say("share.title.unused", **words)
    return say("share.title.uneven", **words)


def _compared_title(kind: str, shares: Mapping[str, Share], broker: str, say: _Words) -> str:
    """Return the sentence on the busiest queue of the least even release, and what it gets in the evenest."""
    tops = {name: max(share.values()) / share.total() for name, share in shares.items()}
    worst, best = _extremes(tops)
    share = shares[worst[0]]
    queue = max(share, key=lambda each: share[each])
    words: dict[str, Parameter] = {
        "broker": broker, "queue": say.queue(queue), "worst": say.listed(worst), "best": say.listed(best),
        "high": tops[worst[0]], "low": shares[best[0]][queue] / shares[best[0]].total(),
    }  # fmt: skip
    if math.isclose(tops[worst[0]], tops[best[0]], rel_tol=0.02):
        words["releases"] = say.listed(list(shares))
        live = [picks for (name, _), picks in share.items() if name != broker] or list(share.values())
        even = max(live) - min(live) <= 1
        return say(f"{kind}.title.even" if even else f"{kind}.title.same", **words)
    return say(f"{kind}.title", **words)


def _times_title(kind: str, times: Mapping[str, int | None], say: _Words, **words: Parameter) -> str:
    """Return the sentence on the longest time avoided against the shortest."""
    longest, shortest = _extremes({name: math.inf if time is None else time for name, time in times.items()})
    words |= {
        "longest": say.listed(longest), "shortest": say.listed(shortest), "releases": say.listed(list(times)),
        "long": say.time(times[longest[0]]), "short": say.time(times[shortest[0]]),
    }  # fmt: skip
    if times[longest[0]] != times[shortest[0]]:
        return say(f"{kind}.title", **words)
    return say(f"{kind}.title.same" if times[longest[0]] != 0 else f"{kind}.title.never", **words)


def _extremes(values: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """Return the names with the largest value, and those with the smallest."""
    most, least = max(values.values()), min(values.values())
    return [name for name, value in values.items() if value == most], [
        name for name, value in values.items() if value == least
    ]


# ------------------------------------------------------------------------------------------------------ the others


def _span_bar(span: Span, horizon: float, row: int) -> Json:
    return {
        "type": "rect", "x0": span.start / 1000, "x1": _seconds(horizon if span.end is None else span.end),
        "y0": row - 0.2, "y1": row + 0.2, "fillcolor": AVOIDED, "line": {"width": 0}, "layer": "below",
    }  # fmt: skip


def _span_label(span: Span, horizon: float, row: int, say: _Words) -> Json:
    """Return the words on a bar, or beside one that is too short for them."""
    end = horizon if span.end is None else span.end
    wide = end - span.start > horizon * 0.42
    words = say("timeline.avoided", time=say.time(None if span.end is None else span.end - span.start))
    return {
        "type": "scatter", "mode": "text", "x": [_seconds((span.start + end) / 2 if wide else end)], "y": [row],
        "text": [words if wide else f" {words}"], "textposition": "middle center" if wide else "middle right",
        "textfont": {"color": "#ffffff" if wide else INK}, "cliponaxis": False, "hoverinfo": "skip",
    }  # fmt: skip


def _ruler(start: float, end: float, row: int) -> Json:
    return {
        "type": "line", "x0": start, "x1": _round(end), "y0": row, "y1": row, "line": {"color": LINE, "width": 2},
        "layer": "below",
    }  # fmt: skip


def _levels(times: Sequence[int], room: float) -> list[int]:
    """Return for each time the lowest level on which its label does not run into the one before it."""
    levels: list[int] = []
    last: list[int] = []
    for time in times:
        level = next((n for n, before in enumerate(last) if time - before >= room), len(last))
        last[level : level + 1] = [time]
        levels.append(level)
    return levels


def _side(at: int, horizon: float) -> str:
    return "middle left" if at > horizon * 0.7 else "middle right"


def _height(duration: int, zero: float) -> float:
    """Return where a time stands on the logarithmic axis, in seconds; 0 has a place of its own below."""
    return duration / 1000 if duration > 0 else zero


def _sparse(table: Steps, *, above: bool) -> list[str]:
    """Return on which side of each rise its label has room: its own side, the other next to a near neighbour."""
    own, other = ("top left", "bottom right") if above else ("bottom right", "top left")
    sides = [own]
    for (_, before), (_, after) in pairwise(table.steps[1:]):
        near = before > 0 and after < before * 1.5
        sides.append(other if near and sides[-1] == own else own)
    return sides


# ------------------------------------------------------------------------------------------------------ all figures


def _figure(
    data: list[Json], layout: Json, title: str, description: str, plot_height: int, above: int = 8
) -> go.Figure:
    lines = _lines(_safe(title))
    top = 14 + _TITLE_LINE * len(lines) + above
    base: Json = {
        "template": "none",
        "autosize": True,
        "height": top + plot_height + 52,
        "margin": {"t": top, "r": 14, "b": 52, "l": 14, "pad": 2},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": _FONT, "size": 12, "color": INK},
        "title": {
            "text": f"<b>{'<br>'.join(lines)}</b>", "font": {"size": 14}, "x": 0, "xref": "container", "xanchor": "left",
            "y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 10, "l": 10},
        },
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "meta": {"description": description},
    }  # fmt: skip
    return go.Figure(data=data, layout=base | layout)


def _axis(title: str, **more: Any) -> Json:
    return {
        "title": {"text": title, "standoff": 8},
        "automargin": True,
        "fixedrange": True,
        "gridcolor": LINE,
        "zeroline": False,
        "ticks": "",
        **more,
    }


def _lines(sentence: str) -> list[str]:
    """Return a sentence in lines that fit a phone; wide characters take two cells and may end a line anywhere."""
    lines, cells = [""], 0
    for word in _pieces(sentence):
        width = sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in word)
        if lines[-1] and cells + width - word.endswith(" ") > _TITLE_CELLS:
            lines.append("")
            cells = 0
        lines[-1] += word
        cells += width
    return [line.rstrip() for line in lines]


def _pieces(sentence: str) -> list[str]:
    pieces = [""]
    for sign in sentence:
        pieces[-1] += sign
        if sign == " " or unicodedata.east_asian_width(sign) in "WF":
            pieces.append("")
    return [piece for piece in pieces if piece]


def _safe(words: str) -> str:
    """Return words in which nothing is taken for markup."""
    return escape(words, quote=False)


def _colour(brokers: Sequence[str], broker: str) -> str:
    return BROKER_COLOURS[brokers.index(broker) % len(BROKER_COLOURS)]


def _seconds(milliseconds: float) -> float:
    return _round(milliseconds / 1000)


def _round(value: float) -> float:
    return round(value, 6)


def _check_share(share: Share) -> None:
    for queue, picks in share.items():
        if picks < 0:
            raise MeasureError("plot.error.negative", queue=f"{queue[0]} : {queue[1]}", picks=picks)
    if not share.total():
        raise MeasureError("plot.error.no_pick")


def _check_any(items: Sequence[object] | Mapping[str, object]) -> None:
    if not items:
        raise MeasureError("plot.error.nothing")
