"""The figures of simulated runs: a message's attempts, the shares of what was stored, the fault table over time.

They follow the rules of `rmqref.plots`, and draw what `rmqref.run_measure` finds in a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import shorten

import plotly.graph_objects as go

from rmqref import run_measure as m
from rmqref.cluster import BrokerFault, Latency
from rmqref.measure import MeasureError
from rmqref.messages import Parameter
from rmqref.plots import (
    _SPACE,
    AVOIDED,
    GRID,
    INK,
    NOTHING,
    TABLE_LINES,
    WASH,
    _axis,
    _bars,
    _broken,
    _check_any,
    _colour,
    _figure,
    _Json,
    _label_width,
    _line,
    _note,
    _Panel,
    _round,
    _safe,
    _seconds,
    _share_figure,
    _shares_title,
    _times_title,
    _Words,
    _written,
)
from rmqref.run_measure import AttemptTimes, Lane, Lanes, Mark, StoredShare, TableSpan, TimedAttempt
from rmqref.simulation import Run

NOTE_CELLS = 38
"""How many characters of a small note fit beside the names of the brokers on a phone of 360 px."""

HEAD_CELLS = 24
"""How many characters of a run's name are shown."""

FAR = 4
"""The time that is left is drawn to its end if that is at most so many times as far as the last thing that happened."""

MOST_MARKS = 400
"""With more attempts than this, those at about the same time share a mark."""

BINS = 100
"""In how many parts a run is divided then."""

LEAST = 10
"""The time axis of attempts ends at this many milliseconds or later."""

KEY_ROW = 18
"""The height of a line of the key of colours and marks; there are two words to a line."""

SMALL = 11
UNREACHABLE = TABLE_LINES[1][0]


# ------------------------------------------------------------------------------------------------- attempts of a send


def attempt_time_line(runs: Run | Sequence[Run], send: int = 1, *, language: str = "en") -> go.Figure:
    """Return one message's attempts as a time line, a panel a run.

    A bar is an attempt, in its broker's colour; the light bar behind is the time that it was given. Where all
    attempts share the timeout, a line shows when it is over.

    Args:
        runs: a run, or the same scenario in several releases.
        send: the number of the send, from 1.
        language: which catalogue the words come from.

    Returns:
        A figure.

    Raises:
        MeasureError: no run, or a run without such a send.

    >>> from rmqref.scenario import BrokerFault, Scenario
    >>> from rmqref.simulation import simulate
    >>> hangs = Scenario(start=1, faults=[BrokerFault("hang", "broker-a")])
    >>> runs = [simulate(hangs.but(release=name)) for name in ("4.2.0", "4.9.7", "5.3.3")]
    >>> print(attempt_time_line(runs).layout.meta["description"].split(". ")[0])
    In 4.9.7, 5.3.3 no time is left for attempt 2; in 4.2.0 the message is stored
    """
    all_runs = _all(runs)
    say = _Words(language)
    panels = [m.attempt_times(run, send) for run in all_runs]
    names = _names(all_runs, say)
    frame = _Frame.around(panels)
    data: list[_Json] = []
    annotations: list[_Json] = []
    shapes: list[_Json] = []
    ticks: dict[int, str] = {}
    top = 0
    for name, panel in zip(names, panels, strict=True):
        annotations.append(_heading(_head(name, panel, say), top))
        rows = [top + 24 + 44 * number + 28 for number in range(len(panel.attempts))]
        end_row = top + 24 + 44 * max(len(rows), 1) + 8
        if not rows:
            annotations.append(_small(say("plot.attempts.none"), end_row - 22))
        data.extend(_attempt_traces(panel, rows, frame, say))
        ticks |= {
            row: say.marked(
                "plot.attempts.row",
                number=each.number,
                queue=_safe(say.queue((each.broker_name, each.queue_id))),
                given=say.time(max(each.given, 0)),
            )
            for row, each in zip(rows, panel.attempts, strict=True)
        }
        if panel.budget == m.SHARED and panel.timeout <= frame.edge:
            # In pieces, so that it crosses no words.
            pieces = [*((row - 10, row + 10) for row in rows), (end_row - 9, end_row + 9)]
            shapes.extend(_line(panel.timeout, panel.timeout, *piece, "solid") for piece in pieces)
            over = say("plot.attempts.over", timeout=say.time(panel.timeout))
            annotations.append(_small(over, end_row, xref="x", x=panel.timeout, xanchor="right", xshift=-6))
        if panel.end is not None:
            data.append(_end_mark(panel, panel.end, end_row))
        lines = _end_lines(panel, say)
        annotations.append(_small("<br>".join(map(_safe, lines)), end_row + 12, yanchor="top"))
        top = end_row + 12 + 15 * len(lines) + 18
    layout = {
        "xaxis": _axis(
            say("plot.attempts.axis.time"),
            range=[_round(-0.012 * frame.edge), frame.edge],
            nticks=6,
            showgrid=False,
            ticks="outside",
            tickcolor=INK,
        ),
        "yaxis": _axis(
            say("plot.attempts.axis.attempt"),
            range=[top, 0],
            tickvals=list(ticks),
            ticktext=list(ticks.values()),
            tickfont={"size": SMALL},
            showgrid=False,
        ),
        "shapes": shapes,
        "annotations": annotations,
    }
    title = _attempts_title(names, panels, say)
    told = " ".join(_panel_told(name, panel, say) for name, panel in zip(names, panels, strict=True))
    description = say("plot.attempts.description", title=title.replace(_SPACE, " "), panels=told)
    return _figure(data, layout, title, description, plot_height=top)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the time axis of attempts ends, in milliseconds."""

    edge: float

    @classmethod
    def around(cls, panels: Sequence[AttemptTimes]) -> _Frame:
        """Return a frame with everything that happened, and with the time given unless it is far longer."""
        ends = [
            each.end if each.end is not None else each.start for panel in panels for each in panel.attempts
        ]
        last = max(LEAST / 1.5, *ends, *(panel.end or 0 for panel in panels))
        given = [each.start + each.given for panel in panels for each in panel.attempts]
        most = max([last, *given])
        return cls(_round(1.05 * most if most <= FAR * last else 1.5 * last))

    def written(self, start: float, end: float, words: str) -> tuple[float, str]:
        """Return where words about a bar stand: from its start, else up to its end, else from the edge."""
        room = self.edge * 0.027 * len(words)
        if start + room <= self.edge:
            return start, "middle right"
        return (end, "middle left") if end >= room else (0, "middle right")


def _head(name: str, panel: AttemptTimes, say: _Words) -> str:
    return say.marked(f"plot.attempts.head.{panel.budget}", run=_safe(name), timeout=say.time(panel.timeout))


def _attempt_traces(panel: AttemptTimes, rows: Sequence[int], frame: _Frame, say: _Words) -> list[_Json]:
    """Return a panel's bars: the time given, the attempts, and what they came to."""
    if not rows:
        return []
    attempts = panel.attempts
    starts = [each.start for each in attempts]
    ends = [each.start if each.end is None else each.end for each in attempts]
    given = [min(max(each.given, 0), _round(frame.edge) - each.start) for each in attempts]
    light = _bars(given, rows, GRID, width=20)
    light["marker"]["line"] = {"width": 0}
    # An attempt of 0 ms is still an attempt: no bar is too thin to be seen.
    least = _round(0.012 * frame.edge)
    lengths = [max(end - start, least) for start, end in zip(starts, ends, strict=True)]
    bars = _bars(lengths, rows, [_colour(panel.brokers, each.broker_name) for each in attempts], width=12)
    words = [_outcome_told(each, say) for each in attempts]
    hover = say("plot.attempts.hover") + "<extra></extra>"
    bars |= {"customdata": words, "hovertemplate": hover, "hoverinfo": "all", "base": starts}
    places = [frame.written(*bar) for bar in zip(starts, ends, words, strict=True)]
    texts = _written(
        [(x, row - 18) for (x, _), row in zip(places, rows, strict=True)],
        words,
        position=[side for _, side in places],
        textfont={"size": SMALL, "color": [AVOIDED if a.came_to == m.FAILED else INK for a in attempts]},
    )
    return [light | {"base": starts}, bars, texts]


def _end_mark(panel: AttemptTimes, end: int, row: int) -> _Json:
    failed = panel.came_to == m.FAILED
    marker = {"symbol": "x" if failed else "circle", "color": AVOIDED if failed else INK, "size": 9}
    return _written([(end, row)], [""], mode="markers", marker=marker)


def _outcome_told(attempt: TimedAttempt, say: _Words) -> str:
    if attempt.took is None:
        return say("plot.attempts.waiting")
    name = "plot.attempts.outcome" if attempt.code is None else "plot.attempts.outcome.code"
    return say(name, outcome=attempt.outcome, code=attempt.code, time=say.time(attempt.took))


def _end_told(panel: AttemptTimes, say: _Words) -> list[str]:
    """Return the sentences on how a send ends."""
    if panel.end is None:
        return [say("plot.attempts.end.waiting")]
    after, cause = say.time(panel.end), panel.hidden_cause
    if panel.came_to == m.FAILED:
        name = "plot.attempts.end.failed" if panel.code in (None, -1) else "plot.attempts.end.failed.code"
        told = [say(name, time=after, outcome=panel.outcome, code=panel.code)]
        if panel.error:
            told.append(say("plot.attempts.end.error", error=panel.error))
    elif panel.stored_at is None:
        told = [say("plot.attempts.end.sent", time=after)]
    else:
        told = [
            say("plot.attempts.end.ok", time=after, outcome=panel.outcome, queue=say.queue(panel.stored_at))
        ]
    if cause is not None:
        told.append(say("plot.attempts.end.hidden", number=cause.number, outcome=cause.outcome))
    if panel.stored > (panel.came_to == m.STORED):
        told.append(say("plot.attempts.end.stored", stored=panel.stored))
    elif not panel.stored and panel.came_to == m.STORED:
        told.append(say("plot.attempts.end.lost"))
    return told


def _end_lines(panel: AttemptTimes, say: _Words) -> list[str]:
    return [line for sentence in _end_told(panel, say) for line in _broken(sentence, NOTE_CELLS)]


def _panel_told(name: str, panel: AttemptTimes, say: _Words) -> str:
    attempts = [
        say(
            "plot.attempts.told.attempt",
            number=each.number,
            queue=say.queue((each.broker_name, each.queue_id)),
            start=say.time(each.start),
            given=say.time(max(each.given, 0)),
            outcome=_outcome_told(each, say),
        )
        for each in panel.attempts
    ]
    return say(
        "plot.attempts.told",
        run=name,
        attempts=say.listed(attempts or [say("plot.attempts.none")]),
        end=" ".join(_end_told(panel, say)),
    )


def _attempts_title(names: Sequence[str], panels: Sequence[AttemptTimes], say: _Words) -> str:
    """Return the sentence on what differs between the runs, or else on how the send ends in all of them."""
    by_name = dict(zip(names, panels, strict=True))

    def listed(chosen: Iterable[str]) -> str:
        return say.listed(list(chosen))

    groups = {
        came_to: [name for name, panel in by_name.items() if panel.came_to == came_to]
        for came_to in m.OUTCOMES
    }
    stored, failed = groups[m.STORED], groups[m.FAILED]
    starved = {name: by_name[name].starved for name in failed if by_name[name].starved is not None}
    numbers = [number for number in starved.values() if number is not None]
    copies = {name: panel.stored for name, panel in by_name.items() if panel.stored > 1}
    last = {name: len(panel.attempts) for name, panel in by_name.items()}
    if groups[m.WAITING]:
        return say("plot.attempts.title.waiting", runs=listed(groups[m.WAITING]))
    if starved:
        key = "plot.attempts.title.starved.stored" if stored else "plot.attempts.title.starved"
        return say(key, starved=listed(starved), number=min(numbers), stored=listed(stored or names))
    if stored and failed:
        outcomes = listed(dict.fromkeys(by_name[name].outcome for name in failed))
        return say(
            "plot.attempts.title.differs", stored=listed(stored), failed=listed(failed), outcome=outcomes
        )
    if failed:
        outcomes = listed(dict.fromkeys(panel.outcome for panel in panels))
        return say("plot.attempts.title.failed", runs=listed(failed), outcome=outcomes)
    if panels[0].budget == m.UNUSED:
        return say("plot.attempts.title.sent", runs=listed(names))
    if copies:
        return say("plot.attempts.title.copies", runs=listed(copies), stored=max(copies.values()))
    if min(last.values()) < max(last.values()):
        first = [name for name in names if last[name] == min(last.values())]
        others = [name for name in names if name not in first]
        words = {"first": listed(first), "others": listed(others)}
        return say("plot.attempts.title.number", number=min(last.values()), **words)
    return say("plot.attempts.title.stored", runs=listed(names), number=max(last.values()))


# ---------------------------------------------------------------------------------------------------- shares per queue


def run_share(runs: Run | Sequence[Run], *, language: str = "en") -> go.Figure:
    """Return which share of the stored messages each queue holds after a run, a panel a run.

    Args:
        runs: a run, or several; up to three fit a phone.
        language: which catalogue the words come from.

    Returns:
        A figure.

    Raises:
        MeasureError: no run, no queue, or nothing was stored in any run.

    >>> from rmqref.scenario import Load, Scenario
    >>> from rmqref.simulation import simulate
    >>> run_share(simulate(Scenario(start=-1, load=Load(sends=80)))).layout.title.text
    '<b>Every queue holds the same<br>share of the messages in 4.9.7.</b>'
    """
    all_runs = _all(runs)
    say = _Words(language)
    shares = dict(zip(_names(all_runs, say), map(m.stored_share, all_runs), strict=True))
    stored = {name: each.share for name, each in shares.items() if each.share.total()}
    if not stored:
        raise MeasureError("plot.run_share.error.nothing")
    panels = [
        _Panel(
            head=name,
            notes=_share_notes(each, say),
            bars=(each.share,),
            fair=1 / len(each.share),
            labels={
                queue: say("plot.share.percent", share=held / max(each.share.total(), 1))
                for queue, held in each.share.items()
            },
        )
        for name, each in shares.items()
    ]
    few = {name: share for name, share in stored.items() if max(share.values()) == 1 > min(share.values())}
    title = (
        say("plot.run_share.title.few", runs=say.listed(list(few)), queues=max(map(len, few.values())))
        if few
        else _shares_title("run_share", stored, "", say)
    )
    return _share_figure(panels, title, say("plot.run_share.axis"), say)


def _share_notes(share: StoredShare, say: _Words) -> tuple[str, ...]:
    """Return what stands below a panel's name: how much was stored, what failed at first, what there is twice."""
    failed = share.first_failed / max(share.first, 1)
    words: dict[str, Parameter] = {"stored": share.share.total(), "failed": failed}
    return tuple(say("plot.run_share.notes", duplicates=share.duplicates, **words).split("\n"))


# -------------------------------------------------------------------------------------------------------- fault lanes


def fault_lanes(runs: Run | Sequence[Run], *, language: str = "en") -> go.Figure:
    """Return what the fault table says of each broker over a run, a lane a broker, a group of lanes a run.

    Below a lane is hatched what is really wrong with the broker, above it are the attempts.

    Args:
        runs: a run, or several.
        language: which catalogue the words come from.

    Returns:
        A figure.

    Raises:
        MeasureError: no run, or no broker.

    >>> from rmqref.scenario import BrokerFault, Load, Scenario
    >>> from rmqref.simulation import simulate
    >>> slow = BrokerFault("slow", "broker-b", at=1000, until=2000, latency=700)
    >>> settings = {"send_latency_fault_enable": True}
    >>> on = Scenario(start=-1, producer=settings, faults=[slow], load=Load(sends=300, every=100))
    >>> runs = [simulate(on.but(release=name)) for name in ("4.9.7", "5.3.3")]
    >>> print(fault_lanes(runs).layout.meta["description"].split(". ")[0])
    broker-b is avoided for 28.005 s of the run in 4.9.7, but for 2 s in 5.3.3
    """
    all_runs = _all(runs)
    say = _Words(language)
    groups = [m.fault_lanes(run) for run in all_runs]
    _check_any([lane for group in groups for lane in group.lanes])
    names = _names(all_runs, say)
    drawing = _Drawing(say, max(1, *(group.end for group in groups)))
    annotations: list[_Json] = []
    ticks: dict[int, str] = {}
    top = 0
    for name, group in zip(names, groups, strict=True):
        head = "plot.lanes.head" if group.fault_switch else "plot.lanes.head.off"
        annotations.append(_heading(say.marked(head, run=_safe(name)), top))
        top += 26
        thin = sum(len(lane.marks) for lane in group.lanes) > MOST_MARKS
        brokers = [lane.broker_name for lane in group.lanes]
        for lane in group.lanes:
            ticks[top + 20] = _safe(_lane_name(lane, say))
            marks = m.thinned(lane.marks, group.end, BINS) if thin else lane.marks
            drawing.add(lane, group, marks, _colour(brokers, lane.broker_name), top + 20)
            top += 54 if lane.troubles else 42
        top += 8
    data = drawing.traces()
    keys = drawing.keys()
    # A key is two traces, and two keys make a line.
    below_keys = KEY_ROW * -(-len(keys) // 4) + 8
    part = _round(top / (top + below_keys))
    hidden = {"visible": False, "fixedrange": True}
    layout = {
        "xaxis": _axis(
            say("plot.lanes.axis.time"), range=[_seconds(-0.012 * drawing.end), _seconds(1.012 * drawing.end)]
        ),
        "yaxis": _axis(
            say("plot.lanes.axis.broker"),
            domain=[0, part],
            range=[top, 0],
            tickvals=list(ticks),
            ticktext=list(ticks.values()),
            showgrid=False,
        ),
        # The key has axes of its own, so that the grid does not cross it.
        "xaxis2": {**hidden, "range": [0, 1], "anchor": "y2"},
        "yaxis2": {**hidden, "range": [below_keys, 0], "domain": [part, 1], "anchor": "x2"},
        "annotations": annotations,
    }
    title = _lanes_title(names, groups, say)
    told = " ".join(
        _lane_told(name, lane, group, say)
        for name, group in zip(names, groups, strict=True)
        for lane in group.lanes
    )
    description = say("plot.lanes.description", title=title, lanes=told)
    return _figure([*data, *keys], layout, title, description, plot_height=top + below_keys)


STATES = ("available", "avoided", "unreachable", "both")


def _state(span: TableSpan) -> str:
    if span.reachable:
        return "available" if span.available else "avoided"
    return "unreachable" if span.available else "both"


STATE_COLOURS = {"available": WASH, "avoided": AVOIDED, "unreachable": UNREACHABLE, "both": AVOIDED}
HATCHES = {"unreachable": ".", "both": ".", "fault": "/"}
MARKERS = {m.STORED: "circle", m.FAILED: "x", m.WAITING: "circle-open"}


class _Drawing:
    """The traces of lanes, collected by what they show, so that each is in the legend once.

    Args:
        say: the words.
        end: the end of the longest run, in milliseconds.
    """

    def __init__(self, say: _Words, end: int) -> None:
        self.say = say
        self.end = end
        self.bars: dict[str, list[tuple[int, int, int, str]]] = {state: [] for state in (*STATES, "fault")}
        self.marks: dict[str, list[tuple[float, int, int, str]]] = {came_to: [] for came_to in m.OUTCOMES}
        self.inside: list[tuple[tuple[float, float], str]] = []
        self.below: list[tuple[tuple[float, float], str, str]] = []

    def add(self, lane: Lane, group: Lanes, marks: Sequence[Mark], colour: str, row: int) -> None:
        """Add a lane at a row."""
        for span in lane.spans:
            state = _state(span)
            told = _span_told(span, lane, group, self.say)
            self.bars[state].append((span.start, span.end, row, told))
            if state == "avoided" and span.end - span.start >= self.end * _label_width(told):
                self.inside.append(((_seconds((span.start + span.end) / 2), row), told))
        nexts = [*(trouble.start for trouble in lane.troubles[1:]), self.end]
        for trouble, following in zip(lane.troubles, nexts, strict=False):
            told = _fault_told(trouble.fault, self.say)
            self.bars["fault"].append((trouble.start, trouble.end, row + 11, told))
            room = self.end * _label_width(told)
            if trouble.start + room <= following:
                self.below.append(((_seconds(trouble.start), row + 23), told, "middle right"))
            elif following == self.end and trouble is lane.troubles[0]:
                self.below.append(((_seconds(trouble.end), row + 23), told, "middle left"))
        for mark in marks:
            self.marks[mark.came_to].append((mark.at, row - 12, mark.count, colour))

    def traces(self) -> list[_Json]:
        """Return everything added, what is in front last."""
        white = {"color": "#ffffff", "size": 10}
        places, words, sides = zip(*self.below, strict=True) if self.below else ((), (), ())
        texts = [
            _written(
                [place for place, _ in self.inside],
                [told for _, told in self.inside],
                position="middle center",
                textfont=white,
            ),
            _written(places, words, position=sides, textfont={"size": 10}),
        ]
        return [
            *(self._spans(kind, bars) for kind, bars in self.bars.items() if bars),
            *(trace for trace in texts if trace["x"]),
            *(self._points(came_to, marks) for came_to, marks in self.marks.items() if marks),
        ]

    def keys(self) -> list[_Json]:
        """Return the key of what was added: a bar or a mark of each kind, with its name beside it."""
        kinds = [kind for kind, found in (*self.bars.items(), *self.marks.items()) if found]
        traces = []
        for number, kind in enumerate(kinds):
            left, row = 0.5 * (number % 2), KEY_ROW * (number // 2) + KEY_ROW // 2
            if kind in self.bars:
                traces.append(_bars([0.05], [row], "", width=9) | {"marker": _fill(kind), "base": [left]})
            else:
                traces.append(_written([(left + 0.025, row)], [""], mode="markers", marker=_sign(kind)))
            name = self.say(f"plot.lanes.key.{kind}")
            traces.append(_written([(left + 0.05, row)], [name], textfont={"size": 10}))
        return [trace | {"xaxis": "x2", "yaxis": "y2"} for trace in traces]

    def _spans(self, kind: str, bars: Sequence[tuple[int, int, int, str]]) -> _Json:
        trace = _bars(
            [_seconds(end - start) for start, end, _, _ in bars],
            [row for _, _, row, _ in bars],
            "",
            width=7 if kind == "fault" else 13,
        )
        hover = self.say("plot.lanes.hover") + "<extra></extra>"
        trace |= {"marker": _fill(kind), "base": [_seconds(start) for start, _, _, _ in bars]}
        return trace | {
            "customdata": [told for *_, told in bars],
            "hovertemplate": hover,
            "hoverinfo": "all",
        }

    def _points(self, came_to: str, marks: Sequence[tuple[float, int, int, str]]) -> _Json:
        marker = _sign(came_to) | {"size": [_size(count, came_to) for _, _, count, _ in marks]}
        if came_to != m.FAILED:
            marker["color"] = [colour for *_, colour in marks]
        words = {"kind": self.say(f"plot.lanes.key.{came_to}")}
        return {
            "type": "scatter",
            "mode": "markers",
            "cliponaxis": False,
            "x": [_seconds(at) for at, _, _, _ in marks],
            "y": [row for _, row, _, _ in marks],
            "marker": marker,
            "customdata": [count for _, _, count, _ in marks],
            "hovertemplate": self.say("plot.lanes.hover.mark", **words) + "<extra></extra>",
        }


def _fill(kind: str) -> _Json:
    """Return how a bar looks: a state of the fault table, or hatched what is really wrong."""
    pattern = {"fillmode": "overlay", "size": 4, "fgcolor": INK if kind == "fault" else "#ffffff"}
    fill: _Json = {"color": STATE_COLOURS.get(kind, NOTHING), "line": {"color": INK, "width": 1}}
    if kind == "available":
        fill["line"] = {"width": 0}
    return fill | ({"pattern": {"shape": HATCHES[kind], **pattern}} if kind in HATCHES else {})


def _sign(came_to: str) -> _Json:
    """Return how the mark of an attempt looks."""
    colour = AVOIDED if came_to == m.FAILED else INK
    line = {"color": INK, "width": 0.5}
    return {"symbol": MARKERS[came_to], "color": colour, "size": _size(1, came_to), "line": line}


def _size(count: int, came_to: str) -> int:
    """Return the size of a mark: larger for more attempts, and for failures."""
    return min(4 + count.bit_length(), 8) + 2 * (came_to == m.FAILED)


def _lane_name(lane: Lane, say: _Words) -> str:
    return say("plot.lanes.name_server") if lane.broker_name == m.NAME_SERVER else lane.broker_name


def _span_told(span: TableSpan, lane: Lane, group: Lanes, say: _Words) -> str:
    """Return what a span says, and for how long; of an avoidance that outlasts the run, until when."""
    if span.end == group.end and not span.available and span.reachable and lane.avoided_until is not None:
        return say("plot.lanes.until", until=say.time(lane.avoided_until))
    return say(f"plot.lanes.state.{_state(span)}", time=say.time(span.end - span.start))


def _fault_told(fault: BrokerFault, say: _Words) -> str:
    detail = {"slow": _latency(fault.latency, say), "code": str(fault.code), "status": fault.status}
    if fault.does in detail:
        return say("plot.lanes.fault.detail", does=fault.does, detail=detail[fault.does])
    return say("plot.lanes.fault", does=fault.does)


def _latency(latency: Latency, say: _Words) -> str:
    if isinstance(latency, int):
        return say.time(latency)
    return say("plot.lanes.latency", least=say.time(latency[0]), most=say.time(latency[1]))


def _lane_told(name: str, lane: Lane, group: Lanes, say: _Words) -> str:
    spans = [
        say("plot.lanes.told.span", start=say.time(span.start), state=_span_told(span, lane, group, say))
        for span in lane.spans
        if _state(span) != "available"
    ]
    troubles = [
        say(
            "plot.lanes.told.trouble",
            fault=_fault_told(trouble.fault, say),
            start=say.time(trouble.start),
            end=say.time(trouble.end),
        )
        for trouble in lane.troubles
    ]
    counts = {came_to: sum(k.count for k in lane.marks if k.came_to == came_to) for came_to in m.OUTCOMES}
    return say(
        "plot.lanes.told",
        run=name,
        broker=_lane_name(lane, say),
        spans=say.listed(spans or [say("plot.lanes.never")]),
        troubles=say.listed(troubles or [say("plot.lanes.nothing_wrong")]),
        **counts,
    )


def _lanes_title(names: Sequence[str], groups: Sequence[Lanes], say: _Words) -> str:
    """Return the sentence on the broker that is avoided most, in the run that avoids it longest and shortest."""
    if not any(group.sends for group in groups):
        return say("plot.lanes.title.empty")
    if not any(group.fault_switch for group in groups):
        return say("plot.lanes.title.off", runs=say.listed(list(names)))
    longest: dict[str, int] = {}
    for group in groups:
        for lane in group.lanes:
            longest[lane.broker_name] = max(longest.get(lane.broker_name, 0), lane.avoided_for)
    broker = max(longest, key=lambda name: longest[name])
    avoided: dict[str, int | None] = {
        name: sum(lane.avoided_for for lane in group.lanes if lane.broker_name == broker)
        for name, group in zip(names, groups, strict=True)
    }
    return _times_title("lanes", avoided, say, broker=broker)


# -------------------------------------------------------------------------------------------------------- all figures


def _all(runs: Run | Sequence[Run]) -> tuple[Run, ...]:
    found = (runs,) if isinstance(runs, Run) else tuple(runs)
    _check_any(found)
    return found


def _names(runs: Sequence[Run], say: _Words) -> list[str]:
    """Return what each run is called: its release, else its scenario's title, else release and number."""
    releases = [run.producer.row.version for run in runs]
    titles = [shorten(run.scenario.title, HEAD_CELLS, placeholder="\u2026") for run in runs]
    for names in (releases, titles):
        if len(set(names)) == len(runs) and all(names):
            return names
    return [say("plot.lanes.name", release=name, number=number) for number, name in enumerate(releases, 1)]


def _heading(words: str, top: int) -> _Json:
    return _note(words, xref="paper", x=0, xanchor="left", y=top, yanchor="top", align="left")


def _small(words: str, row: int, **more: object) -> _Json:
    place = {"xref": "paper", "x": 0, "xanchor": "left", "y": row, "yanchor": "middle", "align": "left"}
    return _note(words, **{**place, "font": {"size": SMALL}, **more})
