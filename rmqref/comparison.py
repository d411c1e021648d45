"""Releases side by side: one situation in two releases, stepping together, and what every family does in it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import ipywidgets as w

from rmqref import museum
from rmqref.controls import ALERT, LABEL, NARROW
from rmqref.differences import matching_step, partings
from rmqref.errors import RmqRefError
from rmqref.messages import text
from rmqref.releases import VERSIONS, release
from rmqref.samples import SAMPLES, sample_route
from rmqref.scenario import Scenario, sample_scenario
from rmqref.send_controls import NOTE, WRAPPING
from rmqref.send_trace import record_send
from rmqref.situation import Situation
from rmqref.stepper import Stepper
from rmqref.trace import Json, record
from rmqref.walks import outcomes, side_by_side

Case = Situation | Scenario
"""What is compared: picks in a situation, or the first send of a scenario."""

FAULTS = museum.FAULTS
"""Three brokers, all of them avoided for a day."""

SITUATIONS: Mapping[str, Case] = {
    "first": Situation(start=4),
    "retry": Situation(start=4, last_broker_name="broker-b"),
    "retry_on": museum.FAILED_LAST,
    "one_avoided": museum.ONE_AVOIDED,
    "all_avoided": museum.ALL_AVOIDED,
    "overflow": museum.AT_THE_END,
    "hangs": sample_scenario("broker_hangs"),
    "busy": sample_scenario("broker_busy"),
    "refuses": sample_scenario("broker_refuses"),
}
"""Situations and scenarios to begin with, by the name of the sentence that tells them."""

OWN_ROUTE = ""
"""The choice of a route that stands for the situation's own."""


def recorded(case: Case) -> Json:
    """Return the trace of a situation's picks, or of a scenario's first send."""
    return record(case) if isinstance(case, Situation) else record_send(case)


def every_family(case: Case) -> str:
    """Return what the release that names each family does, a line each."""
    return side_by_side(case) if isinstance(case, Situation) else outcomes(case)


class ReleasesSideBySide(w.VBox):  # type: ignore[misc]  # ipywidgets carries no types
    """One situation in two releases: two steppers that go together, and the pick of every family.

    A step of one stepper takes the other one along, see `rmqref.differences.matching_step`. A change of any control
    records both runs again.

    Args:
        situation: the situation; its own release is the first one. One of `SITUATIONS` if None.
        beside: the second release.

    Attributes:
        situation: the choice of a situation or a scenario.
        route: the choice of a sample topic's route for a situation; a scenario has its own brokers.
        release_a: the choice of the first release.
        release_b: the choice of the second release.
        seed: of everything that is left to chance.
        steppers: the two steppers.
        places: the buttons that go where the two runs part, by kind: "line", "state" and "pick".
        families: what every family picks, a line each.
        error: the line for errors; `error.value` is empty if all is well.

    >>> both = ReleasesSideBySide(beside="5.3.3")
    >>> both.places["pick"].click()
    >>> [stepper.step for stepper in both.steppers], both.partings[-1].sentence
    ([247, 125], '4.7.1 picks broker-b : 3; 5.3.3 picks broker-c : 0.')
    """

    def __init__(self, situation: Situation | None = None, beside: str = "5.3.3") -> None:
        self._own = situation
        named = [(text(f"comparison.situation.{name}"), name) for name in SITUATIONS]
        own = [] if situation is None else [(text("comparison.situation.own"), "")]
        self.situation = w.Dropdown(
            options=[*own, *named],
            value="retry_on" if situation is None else "",
            description=text("comparison.situation"),
            layout={"width": "min(34em, 100%)"},
            style=LABEL,
        )
        first = "4.7.1" if situation is None else release(situation.release).version
        self.route = w.Dropdown(
            options=[(text("comparison.route.own"), OWN_ROUTE), *((name, name) for name in SAMPLES)],
            description=text("comparison.route"),
            layout=NARROW,
            style=LABEL,
        )
        self.release_a = self._releases("comparison.release_a", first)
        self.release_b = self._releases("comparison.release_b", beside)
        self.seed = w.IntText(
            value=0 if situation is None else situation.seed,
            description=text("comparison.seed"),
            layout=NARROW,
            style=LABEL,
        )
        self.error, self.families, self._told = w.HTML(), w.HTML(), w.HTML()
        self.steppers = tuple(Stepper(recorded(self._chosen(name))) for name in (first, self.release_b.value))
        self.places = {
            kind: w.Button(description=text(f"comparison.go.{kind}"), layout={"width": "auto"})
            for kind in ("line", "state", "pick")
        }
        for kind, button in self.places.items():
            button.on_click(lambda _button, kind=kind: self.go(kind))
        for control in (self.situation, self.route, self.release_a, self.release_b, self.seed):
            control.observe(self._changed, "value")
        self._follows = False
        for number, stepper in enumerate(self.steppers):
            stepper.observe(lambda _change, number=number: self._follow(number), "step")
        self._show()
        half = w.Layout(flex="1 1 26em", min_width="0")
        super().__init__(
            [
                w.Box(
                    [self.situation, self.route, self.release_a, self.release_b, self.seed], layout=WRAPPING
                ),
                self.error,
                self._told,
                w.Box(list(self.places.values()), layout=WRAPPING),
                w.Box([w.Box([stepper], layout=half) for stepper in self.steppers], layout=WRAPPING),
                self.families,
            ]
        )

    def __repr__(self) -> str:
        return f"ReleasesSideBySide({self.steppers[0]!r}, {self.steppers[1]!r})"

    @staticmethod
    def _releases(label: str, value: str) -> Any:
        return w.Dropdown(
            options=VERSIONS,
            value=release(value).version,
            description=text(label),
            layout=NARROW,
            style=LABEL,
        )

    @property
    def stepper(self) -> Stepper:
        """The first of the two steppers."""
        return self.steppers[0]

    def _chosen(self, version: str) -> Case:
        base = SITUATIONS.get(self.situation.value, self._own or SITUATIONS["first"])
        case = base.but(release=version, seed=self.seed.value)
        if isinstance(case, Situation) and self.route.value != OWN_ROUTE:
            case = case.but(route=sample_route(self.route.value), topic=self.route.value)
        return case

    def go(self, kind: str) -> None:
        """Take both steppers to where the runs part.

        Args:
            kind: "line", "state" or "pick"; where they do not part in this way, nothing happens.
        """
        for parting in self.partings:
            if parting.kind == kind:
                self._follows = True
                self.steppers[0].step, self.steppers[1].step = parting.step_a, parting.step_b
                self._follows = False

    def _follow(self, number: int) -> None:
        if self._follows:
            return
        self._follows = True
        leads, goes = self.steppers[number], self.steppers[1 - number]
        goes.step = matching_step(leads.trace, goes.trace, leads.step)
        self._follows = False

    def _changed(self, _change: object) -> None:
        try:
            traces = [recorded(self._chosen(choice.value)) for choice in (self.release_a, self.release_b)]
        except RmqRefError as problem:
            self.error.value = f'<div role="alert" style="{ALERT}">{escape(str(problem))}</div>'
            return
        self.error.value = ""
        self._follows = True
        for stepper, trace in zip(self.steppers, traces, strict=True):
            stepper.trace = trace
        self._follows = False
        self._show()

    def _show(self) -> None:
        self.partings = partings(*(stepper.trace for stepper in self.steppers))
        self.differences = [parting.sentence for parting in self.partings] or [text("comparison.same")]
        said = "".join(f"<div>{escape(sentence)}</div>" for sentence in self.differences)
        self._told.value = f'<div role="status" style="{NOTE}">{said}</div>'
        there = {parting.kind for parting in self.partings}
        for kind, button in self.places.items():
            button.disabled = kind not in there
        lines = escape(every_family(self._chosen(self.release_a.value)))
        self.families.value = f"<p>{escape(text('comparison.families'))}</p><pre>{lines}</pre>"
