"""Controls for a whole send: what the brokers do, how the producer is set, and the run, of two releases if you like.

A change of any control records the send again and shows it at once. With a second release there are two steppers
beside each other, on the same seed, and one line that says where the two runs first differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from html import escape
from typing import Any

import ipywidgets as w

from rmqref.cluster import DOES, BrokerFault, check_kind
from rmqref.controls import ALERT, LABEL, NARROW
from rmqref.differences import first_difference
from rmqref.errors import RmqRefError
from rmqref.messages import text
from rmqref.model import CommunicationMode, SendStatus
from rmqref.producer import DefaultMQProducer
from rmqref.releases import VERSIONS, release
from rmqref.scenario import Load, Scenario
from rmqref.send_trace import record_send
from rmqref.stepper import Stepper
from rmqref.trace import Json

WELL = ""
"""What a broker does that nothing is wrong with."""

AS_GIVEN = "…"
"""What a broker does that does what its scenario says, where that is more than a row of controls can show."""

NAME_SERVER = "name_server_down"
"""What is no broker's doing."""

NONE = ""
"""The choice of a second release that stands for none."""

OWN = ""
"""The choice of a scenario that stands for the one that was given."""

NOTE = "border-left: 4px solid #d29500; padding: 4px 10px; line-height: 1.4; overflow-wrap: anywhere"
"""How the line looks that says where two runs differ."""

SETTINGS = {
    "timeout": "send_msg_timeout",
    "retries": "retry_times_when_send_failed",
    "async_retries": "retry_times_when_send_async_failed",
    "retry_another_broker": "retry_another_broker_when_not_store_ok",
    "fault_switch": "send_latency_fault_enable",
}
"""The controls of the producer, and the settings that they are of."""

DEFAULTS = {f.name: f.default for f in fields(DefaultMQProducer)}

BEGINNING = Scenario(load=Load(sends=20, every=1000))
"""Where the controls begin if nothing is given."""

WRAPPING = w.Layout(flex_flow="row wrap", grid_gap="4px 16px")


class BrokerRow:
    """The controls of what one broker does.

    Args:
        broker_name: its name.

    Attributes:
        does: what goes wrong with it: `WELL`, `AS_GIVEN`, or one of `rmqref.cluster.DOES`.
        latency: for "slow", in milliseconds.
        code: for "code", what it answers.
        status: for "status", how well it stores.
        box: the controls together.
    """

    def __init__(self, broker_name: str) -> None:
        self.broker_name = broker_name
        self.given: tuple[BrokerFault, ...] = ()
        self.does = w.Dropdown(options=[WELL], description=broker_name, layout=NARROW, style=LABEL)
        self.latency = w.IntText(description=text("send_controls.latency"), layout=dict(NARROW), style=LABEL)
        self.code = w.IntText(description=text("send_controls.code"), layout=dict(NARROW), style=LABEL)
        self.status = w.Dropdown(
            options=list(SendStatus.__members__),
            description=text("send_controls.status"),
            layout=dict(NARROW),
            style=LABEL,
        )
        self.box = w.Box([self.does, self.latency, self.code, self.status], layout=WRAPPING)

    @property
    def controls(self) -> tuple[Any, ...]:
        """The controls one by one."""
        return self.does, self.latency, self.code, self.status

    @property
    def plain(self) -> BrokerFault | None:
        """What its scenario says of it, if that is one thing, at all times, that the row can show."""
        if len(self.given) != 1:
            return None
        (fault,) = self.given
        always = fault.at == 0 and fault.until is None
        return fault if always and isinstance(fault.latency, int) else None

    def offer(self) -> None:
        """Offer what the broker can do."""
        choices = [(text("send_controls.does.well"), WELL)]
        if self.given and self.plain is None:
            choices.append((text("send_controls.does.given"), AS_GIVEN))
        choices += [(text(f"send_controls.does.{name}"), name) for name in DOES if name != NAME_SERVER]
        value = self.does.value
        self.does.options = choices
        if value in dict(choices).values():
            self.does.value = value

    def beginnings(self) -> dict[Any, Any]:
        """Return what each control shows of the scenario."""
        known = self.plain or BrokerFault("slow", self.broker_name, latency=700)
        does = AS_GIVEN if self.given else WELL
        return {
            self.does: does if self.plain is None else known.does,
            self.latency: known.latency or 700,
            self.code: known.code,
            self.status: known.status,
        }

    def show(self) -> None:
        """Show the controls that what it does needs."""
        for name, control in {"slow": self.latency, "code": self.code, "status": self.status}.items():
            control.layout.display = None if self.does.value == name else "none"

    def faults(self) -> tuple[BrokerFault, ...]:
        """Return what the broker does as a scenario holds it.

        Raises:
            ScenarioError: a control holds what no broker can have.
        """
        match self.does.value:
            case "":
                return ()
            case "…":
                return self.given
            case "slow":
                changes: dict[str, Any] = {"latency": self.latency.value}
            case "code":
                changes = {"code": self.code.value}
            case "status":
                changes = {"status": self.status.value}
            case _:
                changes = {}
        does = self.does.value
        if self.plain is not None and self.plain.does == does:
            return (replace(self.plain, **changes),)
        return (BrokerFault(does, self.broker_name, **changes),)


class SendControls(w.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Controls for a send, a line for errors, and the stepper, or two beside each other.

    What was changed by hand stays as it is when another scenario is chosen; the rest follows the scenario.

    Args:
        scenario: where to begin; if None the first of `scenarios`, or one with two brokers that are well.
        number: which of its sends to show, from 1.
        scenarios: scenarios to choose from, by name.

    Attributes:
        choice: which scenario, by name; `OWN` for the one given.
        release, release_b: the client's release, and one to compare it with; `NONE` for none.
        timeout, retries, async_retries, retry_another_broker, fault_switch: the producer's settings.
        mode, seed, number: how it sends, the seed of everything left to chance, and which send is shown.
        brokers: the controls of what each broker does, by name.
        stepper, stepper_b: the steppers; the second is None while there is no second release.
        difference: where the two runs first differ; empty while there is one.
        error: the line for errors; `error.value` is empty if all is well.

    Raises:
        TraceError: the scenario has no such send.
        ScenarioError: it is no scenario.

    >>> controls = SendControls(Scenario("", "4.7.1", start=0))
    >>> controls.brokers["broker-a"].does.value = "hang"
    >>> controls.stepper.trace["result"].partition(":")[0]
    'MQClientException (code 10002)'
    >>> controls.release_b.value = "4.3.0"
    >>> controls.difference
    'Both runs are the same up to the end.'
    """

    def __init__(
        self,
        scenario: Scenario | None = None,
        number: int = 1,
        scenarios: Mapping[str, Scenario] | None = None,
    ) -> None:
        self._named: dict[str, Scenario] = dict(scenarios or {})
        for one in (scenario, *self._named.values()):
            check_kind("scenario", one, Scenario, None)
        if scenario is None:
            scenario = next(iter(self._named.values()), BEGINNING)
        names = [(name, name) for name in self._named]
        chosen = next((name for name, one in self._named.items() if one == scenario), OWN)
        if chosen == OWN:
            self._named = {OWN: scenario} | self._named
            names.insert(0, (scenario.title or text("send_controls.scenario.own"), OWN))
        self._quiet = True
        self._begun: dict[Any, Any] = {}
        self._rows: dict[str, BrokerRow] = {}
        self.brokers: dict[str, BrokerRow] = {}
        self._make_controls(names, chosen)
        self.number.value = self._begun[self.number] = number
        self._take(scenario)
        self.error = w.HTML()
        self._difference = ""
        self._difference_line = w.HTML()
        self.stepper = Stepper(record_send(self.scenario, number))
        self.stepper.layout = STEPPER
        self.stepper_b: Stepper | None = None
        self._kept_b: Stepper | None = None
        self._side_by_side = w.Box([self.stepper], layout=w.Layout(flex_flow="row wrap", grid_gap="0 16px"))
        self._quiet = False
        super().__init__(
            [
                w.Box([self.choice, self.release, self.release_b, self.number, self.seed], layout=WRAPPING),
                w.Box(
                    [
                        self.mode,
                        self.timeout,
                        self.retries,
                        self.async_retries,
                        self.retry_another_broker,
                        self.fault_switch,
                    ],
                    layout=WRAPPING,
                ),
                self._broker_box,
                self.error,
                self._difference_line,
                self._side_by_side,
            ]
        )

    def __repr__(self) -> str:
        beside = "" if self.stepper_b is None else f", {self.stepper_b!r}"
        return f"SendControls({self.stepper!r}{beside})"

    def _make_controls(self, names: list[tuple[str, str]], chosen: str) -> None:
        def number_of(name: str) -> Any:
            return w.IntText(description=text(f"send_controls.{name}"), layout=dict(NARROW), style=LABEL)

        def choice_of(name: str, options: Any, **more: Any) -> Any:
            return w.Dropdown(
                options=options,
                description=text(f"send_controls.{name}"),
                layout=dict(NARROW),
                style=LABEL,
                **more,
            )

        def switch_of(name: str) -> Any:
            return w.Checkbox(description=text(f"send_controls.{name}"), indent=False, layout=dict(NARROW))

        self.choice = choice_of("scenario", names, value=chosen)
        self.choice.layout.display = "none" if len(names) == 1 else None
        self.release = choice_of("release", VERSIONS)
        beside = [(text("send_controls.release_b.none"), NONE), *((name, name) for name in VERSIONS)]
        self.release_b = choice_of("release_b", beside, value=NONE)
        self.mode = choice_of("mode", list(CommunicationMode.__members__))
        self.timeout, self.retries = number_of("timeout"), number_of("retries")
        self.async_retries = number_of("async_retries")
        self.seed = number_of("seed")
        self.number = w.IntText(layout=dict(NARROW), style=LABEL)
        self.retry_another_broker = switch_of("retry_another_broker")
        self.fault_switch = switch_of("fault_switch")
        self._broker_box = w.VBox()
        self._watch(self.choice, self.release_b, self.number, *self._simple)

    @property
    def _simple(self) -> tuple[Any, ...]:
        """The controls that show one value of a scenario each."""
        settings = (getattr(self, name) for name in SETTINGS)
        return self.release, self.mode, self.seed, *settings

    @property
    def difference(self) -> str:
        """Where the two runs first differ, in one sentence; empty while there is one run."""
        return self._difference

    @property
    def scenario(self) -> Scenario:
        """Return the scenario that the controls describe, for the first release.

        Raises:
            RmqRefError: a control holds what no scenario can have.
        """
        given = self._given
        settings = {
            setting: getattr(self, name).value
            for name, setting in SETTINGS.items()
            if setting in given.producer or getattr(self, name).value != DEFAULTS[setting]
        }
        same_release = release(given.release).version == self.release.value
        return given.but(
            release=given.release if same_release else self.release.value,
            seed=self.seed.value,
            producer={**given.producer, **settings},
            faults=tuple(self._faults()),
            load=replace(given.load, mode=self.mode.value),
        )

    @property
    def _given(self) -> Scenario:
        return self._named[self.choice.value]

    def _faults(self) -> Iterator[BrokerFault]:
        """Yield what goes wrong, in the order of the scenario: a row's own faults stand where its first one stood."""
        told = set()
        for fault in self._given.faults:
            row = None if fault.does == NAME_SERVER else self.brokers.get(fault.broker)
            if row is None or row.does.value == AS_GIVEN:
                yield fault
            elif row.broker_name not in told:
                yield from row.faults()
            if row is not None:
                told.add(row.broker_name)
        for name, row in self.brokers.items():
            if name not in told:
                yield from row.faults()

    def _take(self, scenario: Scenario) -> None:
        """Show a scenario in the controls that nobody changed."""
        changed = {control for control, value in self._begun.items() if control.value != value}
        beginnings = {
            self.release: release(scenario.release).version,
            self.mode: scenario.load.mode,
            self.seed: scenario.seed,
        }
        for name, setting in SETTINGS.items():
            beginnings[getattr(self, name)] = scenario.producer.get(setting, DEFAULTS[setting])
        self.number.description = text("send_controls.number", sends=scenario.load.sends)
        self.brokers = {plan.name: self._row(plan.name) for plan in scenario.brokers}
        for name, row in self.brokers.items():
            row.given = tuple(
                fault for fault in scenario.faults if fault.broker == name and fault.does != NAME_SERVER
            )
            row.offer()
            beginnings |= row.beginnings()
        self._begun |= beginnings
        for control, value in beginnings.items():
            if control not in changed:
                control.value = value
        self._broker_box.children = [
            w.HTML(text("send_controls.brokers")),
            *(row.box for row in self.brokers.values()),
        ]
        self._show_what_counts()

    def _row(self, broker_name: str) -> BrokerRow:
        """Return the controls of a broker: those that it had before, if a scenario before had it."""
        if broker_name not in self._rows:
            row = self._rows[broker_name] = BrokerRow(broker_name)
            self._watch(*row.controls)
        return self._rows[broker_name]

    def _show_what_counts(self) -> None:
        """Hide the controls that the run does not look at."""
        self.retries.layout.display = None if self.mode.value == "SYNC" else "none"
        self.async_retries.layout.display = None if self.mode.value == "ASYNC" else "none"
        for row in self.brokers.values():
            row.show()

    def _watch(self, *controls: Any) -> None:
        for control in controls:
            control.observe(self._changed, "value")

    def _changed(self, change: dict[str, Any]) -> None:
        if self._quiet:
            return
        if change["owner"] is self.choice:
            self._quiet = True
            try:
                self._take(self._given)
            finally:
                self._quiet = False
        self._show_what_counts()
        try:
            self._run()
        except RmqRefError as problem:
            self.error.value = f'<div role="alert" style="{ALERT}">{escape(str(problem))}</div>'
        else:
            self.error.value = ""

    def _run(self) -> None:
        """Record the send, with a second release twice, and show it."""
        scenario, number = self.scenario, self.number.value
        trace = record_send(scenario, number)
        if self.release_b.value == NONE:
            self._show(trace, None)
        else:
            self._show(trace, record_send(scenario.but(release=self.release_b.value), number))

    def _show(self, trace: Json, trace_b: Json | None) -> None:
        self.stepper.trace = trace
        if trace_b is None:
            self.stepper_b, self._difference = None, ""
        else:
            if self._kept_b is None:
                self._kept_b = Stepper(trace_b)
                self._kept_b.layout = STEPPER
            else:
                self._kept_b.trace = trace_b
            self.stepper_b, self._difference = self._kept_b, first_difference(trace, trace_b)
        told = escape(self._difference)
        self._difference_line.value = f'<div role="status" style="{NOTE}">{told}</div>' if told else ""
        self._side_by_side.children = [self.stepper, *([self.stepper_b] if self.stepper_b else [])]


STEPPER = {"flex": "1 1 480px", "width": "auto", "min_width": "0"}
"""How wide a stepper is: half of the page, or all of a narrow one."""
