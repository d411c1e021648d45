"""How fast the stepper answers in Chromium: one step, and a changed control to the new run drawn.

Each time runs in the page from the event to the next frame that shows what it changed; 16.7 ms is one frame of a
60 Hz screen. The 95th percentiles are printed at the end.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from tests.browser.conftest import lab  # noqa: F401  # a fixture

if TYPE_CHECKING:
    from tests.browser.lab import Lab

STEPS = 200
CHANGES = 40

STEP_ON = """(stepper, times) => Array.from({length: times}, () => {
    const begin = performance.now();
    stepper.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
    stepper.querySelector('.rmq-ring').getBoundingClientRect();  // style and layout are part of a step
    return performance.now() - begin;
})"""

ONE_CHANGE = """([stepper, input, value]) => new Promise(done => {
    const begin = performance.now();
    const watch = new MutationObserver(() => {
        watch.disconnect();
        requestAnimationFrame(() => done(performance.now() - begin));
    });
    watch.observe(stepper, {subtree: true, childList: true, characterData: true, attributes: true});
    input.value = value;
    input.dispatchEvent(new Event('input', {bubbles: true}));
    input.dispatchEvent(new Event('change', {bubbles: true}));
})"""


def percentile_95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def test_stepping_and_changing(lab: Lab) -> None:  # noqa: F811
    with lab.open("02_retry_pick.ipynb") as notebook:
        notebook.run_all()
        controls = notebook.page.locator(".jp-OutputArea-output", has=notebook.page.locator("select")).first
        controls.scroll_into_view_if_needed()
        stepper = controls.locator(".rmq-stepper")
        root = stepper.element_handle()
        last = int(stepper.locator("input[type=range]").get_attribute("max") or 0)
        stepper.press("Home")
        before = stepper.locator("input[type=range]").input_value()
        steps = root.evaluate(STEP_ON, min(STEPS, last))
        assert stepper.locator("input[type=range]").input_value() != before
        start = controls.locator("input[type=number]").first.element_handle()
        changes = [notebook.page.evaluate(ONE_CHANGE, [root, start, str(20 + n)]) for n in range(CHANGES)]
    print(
        f"\n\none step of {last}:       p95 {percentile_95(steps):5.1f} ms, median {statistics.median(steps):5.1f} ms"
    )
    print(
        f"control to new run: p95 {percentile_95(changes):5.1f} ms, median {statistics.median(changes):5.1f} ms"
    )
