"""The stepper on the trace of a whole send, in a browser: its attempts, long traces, and two of them side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rmqref.cluster import BrokerFault
from rmqref.scenario import BrokerPlan, Load, Scenario
from rmqref.send_trace import record_send
from rmqref.trace import sentence
from tests.browser.test_stepper_module import (
    CONTRAST,
    HOSTILE,
    button,
    serving,
    show,  # noqa: F401  # a fixture
    step_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


THREE = Scenario(
    start=-1,
    release="4.9.7",
    brokers=(BrokerPlan("broker-a"), BrokerPlan("broker-b"), BrokerPlan("broker-c")),
)
SWITCHED = {"send_latency_fault_enable": True}
SENDS = {
    "hang": THREE.but(faults=(BrokerFault("hang", "broker-a"),)),
    "early": THREE.but(release="4.0.0-incubating", faults=(BrokerFault("hang", "broker-a"),)),
    "refuse": THREE.but(
        faults=(BrokerFault("refuse", "broker-a"), BrokerFault("status", "broker-b")), producer=SWITCHED
    ),
    "long": THREE.but(
        faults=tuple(BrokerFault("refuse", f"broker-{letter}") for letter in "abc"),
        producer=SWITCHED | {"retry_times_when_send_failed": 3},
    ),
    "unknown": THREE.but(start=None),
    "oneway": THREE.but(load=Load(mode="ONEWAY")),
    "async": THREE.but(load=Load(mode="ASYNC"), faults=(BrokerFault("refuse", "broker-a"),)),
    "nothing": THREE.but(start=None, faults=(BrokerFault("name_server_down"),)),
    "hostile": THREE.but(brokers=(BrokerPlan(HOSTILE), BrokerPlan("{queue}</b>")), topic="T"),
}
ROWS = """() => [...document.querySelectorAll('.rmq-attempts li')].filter(row => row.checkVisibility({visibilityProperty: true}))
    .map(row => row.querySelector('.rmq-attempt').getAttribute('aria-label'))"""


@pytest.fixture(scope="module")
def traces() -> dict[str, Any]:
    return {name: record_send(scenario) for name, scenario in SENDS.items()}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, traces: dict[str, Any]) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("site"), traces) as address:
        yield address


def begins_of(trace: Any) -> list[int]:
    """The steps at which the attempts began."""
    counts = [len(trace["states"][step["state"]]["send"]["attempts"]) for step in trace["steps"]]
    return [counts.index(number) for number in range(1, counts[-1] + 1)]


@pytest.mark.parametrize("name", [name for name in SENDS if name != "long"])
def test_every_step_shows_the_attempts_so_far(show: Any, traces: dict[str, Any], name: str) -> None:  # noqa: F811
    trace = traces[name]
    page, stepper = show(name)
    shown = page.evaluate(
        """rows => Array.from({length: Number(document.querySelector('.rmq-stepper input').max) + 1}, (_, step) => {
            stepper.set(step);
            return [document.querySelector('.rmq-say[aria-live]').textContent, eval(rows)().length,
                document.querySelectorAll('.rmq-stack button').length];
        })""",
        ROWS,
    )
    assert shown == [
        [sentence(trace, n), len(trace["states"][step["state"]]["send"]["attempts"]), len(step["stack"])]
        for n, step in enumerate(trace["steps"])
    ]
    assert stepper.locator(".rmq-none").is_visible() == (name == "nothing")


def test_an_attempt_tells_what_became_of_it(show: Any) -> None:  # noqa: F811
    page, stepper = show("refuse", step=10_000)
    assert page.evaluate(ROWS) == [
        "Attempt 1 to broker-a : 0, begun at 0 ms, given 3000 ms: no connection, 1 ms",
        "Attempt 2 to broker-b : 0, begun at 1 ms, given 2999 ms: FLUSH_DISK_TIMEOUT, 5 ms",
    ]
    assert stepper.locator(".rmq-gone").inner_text() == "6 ms of 3000 ms gone"
    marks = stepper.locator(".rmq-outcome").evaluate_all("all => all.map(one => one.dataset.mark)")
    assert marks == ["no", "partly"]
    shapes = stepper.locator(".rmq-outcome path").evaluate_all("all => all.map(one => one.getAttribute('d'))")
    assert len(set(shapes)) == 2


def test_the_bars_stand_on_one_scale_and_none_is_too_short_to_see(show: Any, traces: dict[str, Any]) -> None:  # noqa: F811
    page, stepper = show("early", step=10_000)
    boxes = [bar.bounding_box() for bar in stepper.locator(".rmq-spent").all()]
    lane = stepper.locator(".rmq-lane").first.bounding_box()
    attempts = traces["early"]["states"][-1]["send"]["attempts"]
    scale = max(
        [3000, *(one["at"] + one["timeout"] for one in attempts), *(one["ended"] for one in attempts)]
    )
    for box, attempt in zip(boxes, attempts, strict=True):
        assert box["width"] >= 4
        assert lane["x"] <= box["x"]
        assert box["x"] + box["width"] <= lane["x"] + lane["width"] + 0.5
        assert abs(box["width"] - max(4, lane["width"] * (attempt["ended"] - attempt["at"]) / scale)) < 1
    first = stepper.locator(".rmq-given").first.bounding_box()
    page.evaluate("stepper.set(0)")
    page.evaluate("step => stepper.set(step)", begins_of(traces["early"])[0])
    assert stepper.locator(".rmq-given").first.bounding_box() == first
    assert "under way" in page.evaluate(ROWS)[0]


def test_a_row_a_button_and_a_key_lead_to_an_attempt(show: Any, traces: dict[str, Any]) -> None:  # noqa: F811
    page, stepper = show("hang")
    begins = begins_of(traces["hang"])
    for begin in begins:
        button(stepper, "Next attempt").click()
        assert step_of(page) == begin
    button(stepper, "Next attempt").click()
    last = len(traces["hang"]["steps"]) - 1
    assert step_of(page) == last
    assert button(stepper, "Next attempt").get_attribute("aria-disabled") == "true"
    stepper.locator(".rmq-attempt").nth(1).focus()
    page.keyboard.press("Enter")
    assert step_of(page) == begins[1]
    stepper.locator(".rmq-attempt").first.click()
    assert step_of(page) == begins[0]
    stepper.focus()
    page.keyboard.press("a")
    assert step_of(page) == begins[1]
    page.keyboard.press("Shift+A")
    assert step_of(page) == begins[0]
    page.keyboard.press("Shift+A")
    assert step_of(page) == 0
    page.keyboard.press("?")
    assert "the next and the previous attempt" in stepper.get_by_role("dialog").inner_text()


def test_the_kinds_of_a_send_are_events(show: Any, traces: dict[str, Any]) -> None:  # noqa: F811
    page, stepper = show("oneway")
    stepper.focus()
    seen = set()
    last = len(traces["oneway"]["steps"]) - 1
    while step_of(page) < last:
        page.keyboard.press("PageDown")
        seen.add(traces["oneway"]["steps"][step_of(page)]["kind"])
    assert {"route", "pick", "budget", "attempt", "outcome"} <= seen


def test_predicting_hides_the_attempts_to_come(show: Any, traces: dict[str, Any]) -> None:  # noqa: F811
    page, stepper = show("hang", predict=True)
    button(stepper, "Next attempt").click()
    assert step_of(page) == traces["hang"]["decisions"][0]["step"]
    assert stepper.locator(".rmq-flag:visible").count() == 0
    assert page.evaluate(ROWS) == []
    stepper.get_by_role("radio", name="position 0: broker-a, queue 0").click()
    button(stepper, "Next attempt").click()
    assert step_of(page) == begins_of(traces["hang"])[0]
    assert stepper.locator(".rmq-flag:visible").count() == 1


def test_the_ring_is_empty_until_a_route_is_known(show: Any) -> None:  # noqa: F811
    page, stepper = show("unknown")
    assert stepper.get_by_role("img", name="No route is known yet").is_visible()
    assert stepper.locator(".rmq-queue:visible").count() == 0
    assert "queues 12" in stepper.locator("header").inner_text()
    page.evaluate("stepper.set(1e9)")
    assert stepper.locator(".rmq-queue:visible").count() == 12
    assert stepper.locator(".rmq-written").count() == 0


def test_hostile_names_are_text(show: Any) -> None:  # noqa: F811
    page, stepper = show("hostile", step=10_000)
    assert stepper.locator("img, script").count() == 0
    assert HOSTILE in page.evaluate(ROWS)[0]
    assert page.title() == "Stepper"


@pytest.mark.parametrize("name", ["hang", "early", "long", "nothing"])
def test_nothing_moves_and_nothing_sticks_out(show: Any, name: str) -> None:  # noqa: F811
    page, stepper = show(name, link=True)
    for width in (360, 700, 900, 1300):
        page.set_viewport_size({"width": width, "height": 900})
        heights = page.evaluate(
            """() => Array.from({length: Number(document.querySelector('.rmq-stepper input').max) + 1}, (_, step) => {
                stepper.set(step);
                return document.querySelector('.rmq-stepper').getBoundingClientRect().height;
            })"""
        )
        # Less than a pixel: a font's own fractions.
        assert max(heights) - min(heights) < 1
        assert page.evaluate("document.documentElement.scrollWidth") == width
        out = stepper.evaluate(
            """root => [...root.querySelectorAll('button, input, .rmq-ring, .rmq-say, .rmq-outcome, .rmq-axis span, section')]
                .filter(node => node.closest('.rmq-stack, .rmq-code, [hidden]') === null)
                .map(node => [node.getBoundingClientRect(), node])
                .filter(([box]) => box.width && (box.left < 0 || box.right > innerWidth))
                .map(([, node]) => node.outerHTML.slice(0, 80))"""
        )
        assert out == []


def test_a_phone_keeps_the_next_attempt_at_hand(show: Any) -> None:  # noqa: F811
    _, stepper = show("hang", width=360, link=True)
    assert button(stepper, "Next attempt").is_visible()
    for one in stepper.locator("footer button:visible, .rmq-attempt:visible").all():
        box = one.bounding_box()
        assert min(box["width"], box["height"]) >= 40


@pytest.mark.parametrize("width", [360, 1100])
def test_a_deep_stack_can_be_read(show: Any, traces: dict[str, Any], width: int) -> None:  # noqa: F811
    steps = traces["long"]["steps"]
    deepest = max(range(len(steps)), key=lambda n: len(steps[n]["stack"]))
    page, stepper = show("long", width=width, step=deepest)
    stack = stepper.get_by_role("group", name="Call stack")
    names = stack.get_by_role("button")
    assert names.count() == len(steps[deepest]["stack"]) >= 8
    inside = "(one, nav) => one.getBoundingClientRect().right <= nav.getBoundingClientRect().right + 1"
    assert names.last.evaluate(inside, stack.element_handle())
    assert stack.get_attribute("data-before") is not None
    names.first.focus()
    page.keyboard.press("Enter")
    assert names.first.get_attribute("aria-current") == "true"
    assert names.first.evaluate("one => one === document.activeElement")
    page.keyboard.press("ArrowRight")
    assert step_of(page) == deepest + 1


@pytest.mark.parametrize("name", ["hang", "refuse", "nothing"])
def test_text_can_be_read_in_both_themes(show: Any, name: str) -> None:  # noqa: F811
    page, stepper = show(name)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for step in (0, 60, 150, 10_000):
            page.evaluate("step => stepper.set(step)", step)
            assert stepper.evaluate(CONTRAST) == []


def test_a_long_trace_is_quick(show: Any, traces: dict[str, Any]) -> None:  # noqa: F811
    page, _ = show("long")
    assert len(traces["long"]["steps"]) > 800
    drawn, steps = page.evaluate(
        """async () => {
            const trace = await (await fetch('long.json')).json();
            const timed = action => {
                const begin = performance.now();
                action();
                document.querySelector('.rmq-ring').getBoundingClientRect();
                return performance.now() - begin;
            };
            const drawn = timed(() => stepper.setTrace(trace));
            return [drawn, trace.steps.map((_, step) => timed(() => stepper.set(step)))];
        }"""
    )
    median = sorted(steps)[len(steps) // 2]
    print(f"\n{len(steps)} steps: drawn in {drawn:.0f} ms, a step in {median:.1f} ms")
    assert drawn < 300
    assert median < 16
