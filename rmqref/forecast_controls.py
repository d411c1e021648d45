"""Controls for a forecast: a route, a release and a trouble as widgets, and figures that follow each slider."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any

import ipywidgets as w
import plotly.graph_objects as go

from rmqref.cluster import BrokerFault
from rmqref.controls import ALERT, LABEL, NARROW, PASTE
from rmqref.errors import RmqRefError
from rmqref.forecast import KNOWN_FAULTS, Facts, Forecast, forecast
from rmqref.forecast_plots import forecast_brokers, forecast_share, forecast_trouble
from rmqref.forecast_report import DEFAULT_SLOW, lines_of_forecast
from rmqref.messages import text
from rmqref.releases import VERSIONS, release
from rmqref.route_text import read_routes
from rmqref.samples import SAMPLES, sample_route
from rmqref.send_controls import WRAPPING

WELL = ""
"""The choice of a trouble that stands for none."""

OWN = ""
"""The choice of a route that stands for the one that was given."""


class ForecastControls(w.VBox):  # type: ignore[misc]  # ipywidgets carries no types
    """Facts as sliders and choices, the figures of their forecast, and its table.

    Args:
        facts: where to begin; of its faults the first can be changed, the others stay.

    Attributes:
        release, route, route_text, fault_switch, threads, rate, seconds, does, broker, span, latency: the controls.
        figures: the live figures: shares, and what a send suffers.
        table: the forecast in words.
        error: the line for errors; `error.value` is empty if all is well.
        found: the forecast that is shown.

    >>> controls = ForecastControls(Facts("4.9.7", start=0))
    >>> controls.does.value = "refuse"
    >>> [phase.first_failed for phase in controls.found.phases]
    [0, 250, 0]
    """

    def __init__(self, facts: Facts | None = None) -> None:
        given = facts or Facts(route=sample_route("OrderTopic"), start=0)
        self._given = given
        fault = given.faults[0] if given.faults else None
        seconds = max(given.duration // 1000, 1)
        self.release = self._choice("release", VERSIONS, release(given.release).version)
        routes = [
            (given.topic, OWN),
            *((name, name) for name in SAMPLES),
            (text("controls.route.paste"), PASTE),
        ]
        self.route = self._choice("route", routes, OWN)
        self.route_text = w.Textarea(
            description=text("controls.route.text"), layout={"width": "100%", "height": "10em"}, style=LABEL
        )
        self.fault_switch = w.Checkbox(
            value=given.fault_switch, description=text("controls.switch"), indent=False, layout=NARROW
        )
        self.threads = self._slider("threads", given.threads, 1, max(64, given.threads))
        self.rate = self._slider("rate", given.rate, 1, max(1000, given.rate))
        self.seconds = self._slider("seconds", seconds, 1, max(1000, seconds))
        kinds = [
            (text("forecast_controls.well"), WELL),
            *((text(f"forecast_controls.does.{name}"), name) for name in KNOWN_FAULTS),
        ]
        self.does = self._choice("does", kinds, fault.does if fault else WELL)
        names = list(dict.fromkeys(name for name, _ in given.queues()))
        self.broker = self._choice("broker", names, fault.broker if fault else names[0])
        begins, ends = (fault.at, fault.until) if fault else (given.duration // 3, given.duration * 2 // 3)
        self.span = w.IntRangeSlider(
            value=(begins // 1000, seconds if ends is None else ends // 1000),
            min=0,
            max=seconds,
            description=text("forecast_controls.span"),
            layout={"width": "min(30em, 100%)"},
            style=LABEL,
        )
        slow = (
            fault.latency
            if fault and fault.does == "slow" and isinstance(fault.latency, int)
            else DEFAULT_SLOW
        )
        self.latency = self._slider("latency", slow, 0, max(5000, slow))
        self.error, self.table = w.HTML(), w.HTML()
        self._route_box = w.VBox()
        self._quiet = False
        self.found = forecast(self.facts)
        self.figures = tuple(go.FigureWidget(figure) for figure in figures_of(self.found))
        self._show_table()
        for control in (
            self.release,
            self.route,
            self.route_text,
            self.fault_switch,
            self.threads,
            self.rate,
            self.seconds,
            self.does,
            self.broker,
            self.span,
            self.latency,
        ):
            control.observe(self._changed, "value")
        super().__init__(
            [
                w.Box([self.release, self.route, self.fault_switch], layout=WRAPPING),
                self._route_box,
                w.Box([self.threads, self.rate, self.seconds], layout=WRAPPING),
                w.Box([self.does, self.broker, self.span, self.latency], layout=WRAPPING),
                self.error,
                *self.figures,
                self.table,
            ]
        )

    def __repr__(self) -> str:
        return f"ForecastControls({self.figures[1].layout.meta['description'].split('. ')[0]})"

    @staticmethod
    def _choice(name: str, options: Any, value: str) -> Any:
        return w.Dropdown(
            options=options,
            value=value,
            description=text(f"forecast_controls.{name}"),
            layout=NARROW,
            style=LABEL,
        )

    @staticmethod
    def _slider(name: str, value: int, least: int, most: int) -> Any:
        return w.IntSlider(
            value=value,
            min=least,
            max=most,
            description=text(f"forecast_controls.{name}"),
            layout={"width": "min(30em, 100%)"},
            style=LABEL,
        )

    @property
    def facts(self) -> Facts:
        """Return the facts that the controls describe.

        Raises:
            RmqRefError: a control holds something that no producer can have.
        """
        route, topic = self._given.route, self._given.topic
        if self.route.value == PASTE:
            read = read_routes(self.route_text.value)[0]
            route, topic = read.route, read.topic or "T"
        elif self.route.value != OWN:
            route, topic = sample_route(self.route.value), self.route.value
        faults = self._given.faults[1:]
        if self.does.value != WELL:
            begins, ends = self.span.value
            fault = BrokerFault(
                self.does.value,
                self.broker.value,
                at=1000 * begins,
                until=1000 * ends if ends < self.seconds.value else None,
                latency=self.latency.value,
            )
            given = self._given.faults[0] if self._given.faults else fault
            faults = (replace(fault, code=given.code), *faults)
        return self._given.but(
            release=self.release.value,
            route=route,
            topic=topic,
            fault_switch=self.fault_switch.value,
            threads=self.threads.value,
            rate=self.rate.value,
            duration=1000 * self.seconds.value,
            faults=faults,
        )

    def _changed(self, change: dict[str, Any]) -> None:
        if self._quiet:
            return
        self._route_box.children = [self.route_text] if self.route.value == PASTE else []
        try:
            self._fit(change["owner"])
            self.found = forecast(self.facts)
            figures = figures_of(self.found)
        except RmqRefError as problem:
            self.error.value = f'<div role="alert" style="{ALERT}">{escape(str(problem))}</div>'
            return
        self.error.value = ""
        for shown, figure in zip(self.figures, figures, strict=True):
            with shown.batch_update():
                shown.data = ()
                shown.add_traces(figure.data)
                shown.layout = figure.layout
        self._show_table()

    def _fit(self, owner: Any) -> None:
        """Offer the brokers of another route, and times within another duration."""
        self._quiet = True
        try:
            if owner in (self.route, self.route_text):
                does, self.does.value = self.does.value, WELL
                try:
                    names = list(dict.fromkeys(name for name, _ in self.facts.but(faults=()).queues()))
                finally:
                    self.does.value = does
                kept = self.broker.value
                self.broker.options = names
                self.broker.value = kept if kept in names else names[0]
            if owner is self.seconds:
                share = self.seconds.value / self.span.max
                begins, ends = self.span.value
                self.span.value = (0, 0)
                self.span.max = self.seconds.value
                self.span.value = (int(begins * share), max(round(ends * share), int(begins * share) + 1))
        finally:
            self._quiet = False

    def _show_table(self) -> None:
        lines = escape("\n".join(lines_of_forecast(self.found)))
        self.table.value = f'<pre style="overflow-x: auto; line-height: 1.3; white-space: pre">{lines}</pre>'


def figures_of(found: Forecast) -> tuple[go.Figure, go.Figure, go.Figure]:
    """Return the figures of a forecast.

    >>> [type(figure).__name__ for figure in figures_of(forecast(Facts(duration=1000)))]
    ['Figure', 'Figure', 'Figure']
    """
    return forecast_brokers(found), forecast_share(found), forecast_trouble(found)
