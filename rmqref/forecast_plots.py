"""The figures of a forecast: shares before, during and after, and what a send suffers.

They follow the rules of `rmqref.plots`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rmqref.forecast import Forecast, Phase
from rmqref.measure import MeasureError
from rmqref.plots import (
    INK,
    _axis,
    _bars,
    _bold,
    _colour,
    _figure,
    _Json,
    _note,
    _Panel,
    _round,
    _safe,
    _share_figure,
    _Words,
    _written,
)

MOST_BARS = 48
"""With more queues than this a figure draws their outline."""

LEAST_A_SIGN = 2.6
"""How long a part must be for each sign of the words above it, in percent."""


def forecast_share(found: Forecast, *, language: str = "en") -> go.Figure:
    """Return which share of the stored messages each queue gets, a panel a phase.

    With many queues, the panels stand above each other and show the outline of the queues in the order of the list.

    Args:
        found: the forecast.
        language: which catalogue the words come from.

    Returns:
        A figure.

    Raises:
        MeasureError: nothing is stored.

    >>> from rmqref.cluster import BrokerFault
    >>> from rmqref.forecast import Facts, forecast
    >>> down = BrokerFault("refuse", "broker-a", at=20_000, until=40_000)
    >>> forecast_share(forecast(Facts(fault_switch=True, start=0, faults=(down,)))).layout.meta[
    ...     "description"
    ... ][:80]
    'During the trouble broker-b : 0 gets 41.7% of the messages, before it 8.3%. befo'
    """
    say = _Words(language)
    title = _share_title(found, say)
    if len(found.rows) > MOST_BARS:
        return _outline(found, title, say)
    panels = [
        _Panel(
            head=say(f"forecast.phase.{phase.name}"),
            bars=(Counter({queue: phase.stored[queue] for queue in found.rows}),),
            fair=1 / len(found.rows),
            labels={queue: say("plot.share.percent", share=_part(phase, queue)) for queue in found.rows},
        )
        for phase in found.phases
    ]
    return _share_figure(panels, title, say("plot.run_share.axis"), say)


def forecast_brokers(found: Forecast, *, language: str = "en") -> go.Figure:
    """Return which share of the stored messages each broker gets: a bar a phase, in parts.

    A part too short for its words says them when it is pointed at.

    Args:
        found: the forecast.
        language: which catalogue the words come from.

    Returns:
        A figure.

    Raises:
        MeasureError: nothing is stored.

    >>> from rmqref.cluster import BrokerFault
    >>> from rmqref.forecast import Facts, forecast
    >>> down = BrokerFault("refuse", "broker-a", at=20_000, until=40_000)
    >>> forecast_brokers(forecast(Facts(fault_switch=True, start=0, faults=(down,)))).layout.meta[
    ...     "description"
    ... ][:75]
    'During the trouble broker-b gets 66.6% of the messages, before it 33.4%. be'
    """
    say = _Words(language)
    phases, brokers = found.phases, found.brokers
    parts = {broker: [_broker_part(phase, broker) for phase in phases] for broker in brokers}
    rows = list(range(len(phases)))
    before = [0.0] * len(phases)
    data: list[_Json] = []
    for broker in brokers:
        lengths = [_round(100 * part) for part in parts[broker]]
        colour = _colour(brokers, broker)
        words = [say("plot.forecast.broker", broker=broker, share=part) for part in parts[broker]]
        short = [say("plot.forecast.part", broker=broker, share=part) for part in parts[broker]]
        shown = [
            word if length >= LEAST_A_SIGN * len(word) else ""
            for word, length in zip(short, lengths, strict=True)
        ]
        bars = _bars(lengths, rows, colour, width=0.45)
        data.append(
            bars | {"base": before, "hoverinfo": "text", "hovertext": [_safe(word) for word in words]}
        )
        data.append(_written([(start, row - 0.36) for start, row in zip(before, rows, strict=True)], shown))
        before = [_round(start + length) for start, length in zip(before, lengths, strict=True)]
    layout: _Json = {
        "xaxis": _axis(say("plot.run_share.axis"), range=[0, 101], nticks=5),
        "yaxis": _axis(
            say("plot.forecast.axis.phase"),
            range=[len(rows) - 0.6, -0.7],
            tickvals=rows,
            ticktext=[say(f"forecast.phase.{phase.name}") for phase in phases],
            showgrid=False,
        ),
    }
    title = _gains_most(found, {broker: (broker, parts[broker]) for broker in brokers}, say)
    told = " ".join(
        say(
            "plot.share.told",
            head=say(f"forecast.phase.{phase.name}"),
            rows=say.listed(
                [say("plot.forecast.broker", broker=each, share=parts[each][number]) for each in brokers]
            ),
        )
        for number, phase in enumerate(phases)
    )
    return _figure(
        data, layout, title, say("plot.share.description", title=title, rows=told), plot_height=56 * len(rows)
    )


def forecast_trouble(found: Forecast, *, language: str = "en") -> go.Figure:
    """Return the share of failed first attempts and the added latency of each phase.

    Args:
        found: the forecast.
        language: which catalogue the words come from.

    Returns:
        A figure with two panels.

    >>> from rmqref.cluster import BrokerFault
    >>> from rmqref.forecast import Facts, forecast
    >>> down = BrokerFault("refuse", "broker-a", at=20_000, until=40_000)
    >>> print(forecast_trouble(forecast(Facts(start=0, faults=(down,)))).layout.meta["description"][:87])
    During the trouble 250 of 2,000 first attempts fail, and a send takes 0.1 ms longer. be
    """
    say = _Words(language)
    phases = found.phases
    failed = [_round(100 * phase.first_failed / max(phase.sends, 1)) for phase in phases]
    added = [_round(max(found.added(phase), 0.0)) for phase in phases]
    rows = list(range(len(phases)))
    layout: _Json = {"annotations": []}
    data: list[_Json] = []
    for suffix, start, values, name in (("", 0.0, failed, "failed"), ("2", 0.55, added, "added")):
        axis = f"x{suffix}"
        most = max(*values, 1.0)
        data.append(_bars(values, rows, INK, xaxis=axis))
        words = [
            say(f"plot.forecast.{name}", value=value, count=phase.first_failed)
            for value, phase in zip(values, phases, strict=True)
        ]
        data.append(
            _written(
                [(max(value, 0.0), row) for value, row in zip(values, rows, strict=True)], words, xaxis=axis
            )
        )
        layout[f"xaxis{suffix}"] = _axis(
            say(f"plot.forecast.axis.{name}"),
            domain=[start, start + 0.45],
            range=[min(*values, 0.0), 1.9 * most],
            nticks=4,
        )
    layout["yaxis"] = _axis(
        say("plot.forecast.axis.phase"),
        range=[len(rows) - 0.4, -0.6],
        tickvals=rows,
        ticktext=[say(f"forecast.phase.{phase.name}") for phase in phases],
        showgrid=False,
    )
    at = _worst(found)
    title = say(
        f"plot.forecast.trouble.{phases[at].name}",
        failed=phases[at].first_failed,
        sends=phases[at].sends,
        added=added[at],
    )
    told = " ".join(
        say(
            "plot.forecast.told",
            phase=say(f"forecast.phase.{phase.name}"),
            failed=phase.first_failed,
            sends=phase.sends,
            added=added[number],
        )
        for number, phase in enumerate(phases)
    )
    return _figure(
        data, layout, title, say("plot.share.description", title=title, rows=told), plot_height=40 * len(rows)
    )


def _outline(found: Forecast, title: str, say: _Words) -> go.Figure:
    """Return the shares of many queues: an outline a broker, in the order of the list, a panel a phase."""
    rows_of_queues, phases = found.rows, found.phases
    size = len(rows_of_queues)
    data: list[_Json] = []
    layout: _Json = {"annotations": []}
    height = 1.0 / len(phases)
    most = max(_part(phase, queue) for phase in phases for queue in rows_of_queues)
    rows = []
    for number, phase in enumerate(phases):
        suffix = str(number + 1) if number else ""
        top = 1 - number * height
        layout[f"yaxis{suffix}"] = _axis(
            say("plot.run_share.axis"),
            domain=[_round(top - 0.75 * height), _round(top)],
            range=[0, _round(110 * most)],
            nticks=4,
        )
        layout["annotations"].append(
            _note(
                _bold(say(f"forecast.phase.{phase.name}")),
                xref="paper",
                x=0,
                xanchor="left",
                yref="paper",
                y=_round(top),
                yanchor="bottom",
            )
        )
        told = []
        for broker in found.brokers:
            places = [place for place, queue in enumerate(rows_of_queues) if queue[0] == broker]
            shares = [_round(100 * _part(phase, rows_of_queues[place])) for place in places]
            colour = _colour(found.brokers, broker)
            data.append(
                {
                    "type": "bar",
                    "x": places,
                    "y": shares,
                    "yaxis": f"y{suffix}",
                    "width": 1,
                    "marker": {"color": colour, "line": {"width": 0}},
                    "hovertemplate": f"{_safe(broker)}: %{{y:.2f}}%<extra></extra>",
                }
            )
            told.append(say("plot.forecast.broker", broker=broker, share=sum(shares) / 100))
        rows.append(say("plot.share.told", head=say(f"forecast.phase.{phase.name}"), rows=say.listed(told)))
    layout["xaxis"] = _axis(
        say("plot.forecast.axis.list"),
        range=[-0.5, size - 0.5],
        anchor=f"y{len(phases) if len(phases) > 1 else ''}",
        showgrid=False,
    )
    description = say("plot.share.description", title=title, rows=" ".join(rows))
    return _figure(data, layout, title, description, plot_height=150 * len(phases), above=22)


def _broker_part(phase: Phase, broker: str) -> float:
    """Return a broker's share of what is stored."""
    own = sum(count for (name, _), count in phase.stored.items() if name == broker)
    return own / (phase.stored.total() or 1)


def _share_title(found: Forecast, say: _Words) -> str:
    """Return the sentence on the queue that gains most."""
    parts = {
        queue: (say.queue(queue), [_part(phase, queue) for phase in found.phases]) for queue in found.rows
    }
    return _gains_most(found, parts, say)


def _gains_most(found: Forecast, parts: Mapping[Any, tuple[str, Sequence[float]]], say: _Words) -> str:
    """Return the sentence on what gains most, of names with a share in each phase.

    Raises:
        MeasureError: nothing is stored.
    """
    if not any(phase.stored.total() for phase in found.phases):
        raise MeasureError("plot.run_share.error.nothing")
    at = _worst(found)
    calm = at - 1 if at and found.phases[at - 1].name == "before" else None
    name, shares = max(
        parts.values(), key=lambda part: part[1][at] - (0.0 if calm is None else part[1][calm])
    )
    phase = found.phases[at].name
    sentence = "only" if calm is None and phase == "during" else phase
    before = shares[at if calm is None else calm]
    return say(f"plot.forecast.share.{sentence}", queue=name, share=shares[at], before=before)


def _worst(found: Forecast) -> int:
    """Return the number of the phase in which something is wrong."""
    return next((number for number, phase in enumerate(found.phases) if phase.name == "during"), 0)


def _part(phase: Phase, queue: tuple[str, int]) -> float:
    return phase.stored[queue] / (phase.stored.total() or 1)
