"""Controls: everything a pick depends on as widgets, beside a stepper that shows the run.

A change of any control records the run again and shows it at once. Wrong input shows the error's sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import ipywidgets as w

from rmqref.errors import RmqRefError
from rmqref.messages import text
from rmqref.model import TopicRouteData
from rmqref.releases import VERSIONS
from rmqref.route_text import read_routes
from rmqref.samples import SAMPLES, sample_route
from rmqref.situation import Fault, Situation
from rmqref.stepper import Stepper
from rmqref.trace import record

PASTE = "…"
"""The choice of a route that stands for "paste one"."""

NOBODY = "\0"
"""The choice of a last broker that stands for none; a drop-down shows None as an empty line."""

ALERT = "border-left: 4px solid #b3261e; padding: 4px 10px; line-height: 1.4; overflow-wrap: anywhere"
"""How an error's sentence looks: a bar beside it, in the text's own colour, so that it reads in every theme."""

NARROW = {"width": "auto", "min_width": "9em"}
LABEL = {"description_width": "initial"}


@dataclass(slots=True)
class FaultRow:
    """The controls of one broker's row of the fault table."""

    broker_name: str
    has_entry: w.Checkbox
    latency: w.BoundedIntText
    avoided_for: w.IntText
    reachable: w.Checkbox

    def fault(self) -> Fault:
        """Return the row as a situation holds it."""
        return Fault(self.broker_name, self.latency.value, self.avoided_for.value, self.reachable.value)


class PickControls(w.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Controls for a situation, a line for errors, and the stepper.

    Args:
        situation: where to begin; its route is the sample topic's of that name, if there is one.

    Attributes:
        release, route, route_text, start, last_broker, fault_switch, pick_at, reset_index, calls, chain:
            the controls; what they do not show (the seed, sends, the fallback's counter) stays as it was given.
        faults: the rows of the fault table by broker name.
        stepper: the stepper.
        error: the line for errors; `error.value` is empty if all is well.

    >>> controls = PickControls(Situation("4.9.4", start=4))
    >>> controls.release.value = "5.3.3"
    >>> controls.stepper.trace["release"]
    '5.3.3'
    """

    def __init__(self, situation: Situation | None = None) -> None:
        given = situation or Situation(route=sample_route("OrderTopic"))
        self._given = given
        self._quiet = True
        self.release = w.Dropdown(
            options=VERSIONS,
            value=given.prepare().row.version,
            description=text("controls.release"),
            layout=NARROW,
        )
        routes = [(name, name) for name in SAMPLES] + [(text("controls.route.paste"), PASTE)]
        if given.topic not in SAMPLES or given.route != sample_route(given.topic):
            routes.insert(0, (given.topic, ""))
        self.route = w.Dropdown(options=routes, description=text("controls.route"), layout=NARROW)
        self.route.value = given.topic if routes[0][1] else ""
        self.route_text = w.Textarea(
            description=text("controls.route.text"), layout={"width": "100%", "height": "10em"}, style=LABEL
        )
        self.start = w.IntText(
            value=given.start, description=text("controls.start"), layout=NARROW, style=LABEL
        )
        self.last_broker = w.Dropdown(description=text("controls.last"), layout=NARROW, style=LABEL)
        self.fault_switch = w.Checkbox(
            value=given.fault_switch, description=text("controls.switch"), indent=False, layout=NARROW
        )
        self.pick_at = w.BoundedIntText(
            value=given.pick_at or 0,
            min=0,
            max=10**7,
            step=1000,
            description=text("controls.pick_at"),
            layout=NARROW,
            style=LABEL,
        )
        self.calls = w.BoundedIntText(
            value=given.calls, min=1, max=12, description=text("controls.calls"), layout=NARROW
        )
        self.chain = w.Checkbox(
            value=given.chain, description=text("controls.chain"), indent=False, layout=NARROW
        )
        self.reset_index = w.Checkbox(
            value=given.reset_index, description=text("controls.reset"), indent=False, layout=NARROW
        )
        self.error = w.HTML()
        self.faults: dict[str, FaultRow] = {}
        self._fault_box = w.VBox()
        self._route_box = w.VBox()
        self._set_brokers(given)
        self.stepper = Stepper(record(given))
        self._watch(
            self.release,
            self.route,
            self.route_text,
            self.start,
            self.last_broker,
            self.fault_switch,
            self.pick_at,
            self.calls,
            self.chain,
            self.reset_index,
        )
        self._quiet = False
        wrapping = w.Layout(flex_flow="row wrap", grid_gap="4px 16px")
        main = w.Box(
            [self.release, self.route, self.start, self.last_broker, self.calls, self.chain], layout=wrapping
        )
        fault = w.Box([self.fault_switch, self.pick_at, self.reset_index], layout=wrapping)
        super().__init__([main, self._route_box, fault, self._fault_box, self.error, self.stepper])

    def __repr__(self) -> str:
        return f"PickControls({self.stepper!r})"

    def _watch(self, *controls: Any) -> None:
        for control in controls:
            control.observe(self._changed, "value")

    def _changed(self, change: dict[str, Any]) -> None:
        if self._quiet:
            return
        self._route_box.children = [self.route_text] if self.route.value == PASTE else []
        try:
            if change["owner"] in (self.route, self.route_text):
                self._set_brokers(self._elsewhere())
            self.stepper.trace = record(self.situation)
        except RmqRefError as problem:
            self.error.value = f'<div role="alert" style="{ALERT}">{escape(str(problem))}</div>'
        else:
            self.error.value = ""

    def _route(self) -> tuple[TopicRouteData | tuple[tuple[str, int], ...], str]:
        if self.route.value == PASTE:
            read = read_routes(self.route_text.value)[0]
            return read.route, read.topic or "T"
        if not self.route.value:
            return self._given.route, self._given.topic
        return sample_route(self.route.value), self.route.value

    def _last_broker_name(self) -> str | None:
        last: str | None = self.last_broker.value
        return None if last == NOBODY else last

    def _elsewhere(self) -> Situation:
        """Return the situation on the route now chosen, with what was said of brokers that it has too."""
        there = Situation(self.release.value, *self._route())
        names = {mq.broker_name for mq in there.prepare().topic.message_queue_list}
        last = self._last_broker_name()
        rows = (row for name, row in self.faults.items() if name in names and row.has_entry.value)
        return there.but(
            last_broker_name=last if last in names else None, faults=tuple(row.fault() for row in rows)
        )

    def _set_brokers(self, situation: Situation) -> None:
        """Offer the brokers of a situation's route, each with a row of the fault table."""
        quiet, self._quiet = self._quiet, True
        queues = situation.prepare().topic.message_queue_list
        names = list(
            dict.fromkeys([mq.broker_name for mq in queues] + [f.broker_name for f in situation.faults])
        )
        last = situation.last_broker_name
        offered = names + ([last] if last is not None and last not in names else [])
        self.last_broker.options = [(text("controls.last.none"), NOBODY), *((name, name) for name in offered)]
        self.last_broker.value = NOBODY if last is None else last
        given = {fault.broker_name: fault for fault in situation.faults}
        self.faults = {name: self._fault_row(name, given.get(name)) for name in names}
        self._fault_box.children = [
            w.HTML(text("controls.faults")),
            *(
                w.Box(
                    [w.Label(name), row.has_entry, row.latency, row.avoided_for, row.reachable],
                    layout=w.Layout(flex_flow="row wrap", grid_gap="0 12px"),
                )
                for name, row in self.faults.items()
            ),
        ]
        self._quiet = quiet

    def _fault_row(self, broker_name: str, fault: Fault | None) -> FaultRow:
        known = fault or Fault(broker_name)
        row = FaultRow(
            broker_name,
            w.Checkbox(
                value=fault is not None, description=text("controls.fault.entry"), indent=False, layout=NARROW
            ),
            w.IntText(
                value=known.latency, description=text("controls.fault.latency"), layout=NARROW, style=LABEL
            ),
            w.IntText(
                value=known.avoided_for,
                description=text("controls.fault.avoided"),
                layout=NARROW,
                style=LABEL,
            ),
            w.Checkbox(
                value=known.reachable,
                description=text("controls.fault.reachable"),
                indent=False,
                layout=NARROW,
            ),
        )
        self._watch(row.has_entry, row.latency, row.avoided_for, row.reachable)
        return row

    @property
    def situation(self) -> Situation:
        """Return the situation that the controls describe.

        Raises:
            RmqRefError: a control holds something that no producer can have.
        """
        route, topic = self._route()
        return self._given.but(
            release=self.release.value,
            route=route,
            topic=topic,
            start=self.start.value,
            last_broker_name=self._last_broker_name(),
            fault_switch=self.fault_switch.value,
            faults=tuple(row.fault() for row in self.faults.values() if row.has_entry.value),
            pick_at=self.pick_at.value or None,
            calls=self.calls.value,
            chain=self.chain.value,
            reset_index=self.reset_index.value,
        )
