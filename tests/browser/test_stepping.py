"""The notebooks as a reader uses them: stepping by click and by key, predicting, changing a control."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import NOTEBOOKS

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.lab import Lab

WALKS = sorted(path.name for path in NOTEBOOKS.glob("0[1-4]_*.ipynb"))


def button(stepper: Locator, name: str) -> Locator:
    return stepper.get_by_role("button", name=name, exact=True)


def step_of(stepper: Locator) -> int:
    return int(stepper.locator("input[type=range]").input_value())


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_is_stepped_predicted_and_changed(lab: Lab, name: str) -> None:
    with lab.open(name) as notebook:
        notebook.run_all()
        page = notebook.page
        steppers = page.locator(".rmq-stepper")
        assert steppers.count() >= 2

        controls = page.locator(".jp-OutputArea-output", has=page.locator("select")).first
        controls.scroll_into_view_if_needed()
        stepper = controls.locator(".rmq-stepper")
        button(stepper, "First step").click()
        assert step_of(stepper) == 0
        button(stepper, "Forward").click()
        button(stepper, "Forward").click()
        assert step_of(stepper) == 2
        button(stepper, "Back").click()
        assert step_of(stepper) == 1
        stepper.press("ArrowRight")
        stepper.press("ArrowRight")
        stepper.press("ArrowLeft")
        assert step_of(stepper) == 2
        stepper.press("End")
        last = step_of(stepper)
        before = stepper.inner_text()

        controls.locator("select").first.select_option("4.7.1")
        start = controls.locator("input[type=number]").first
        start.fill("9")
        start.press("Enter")
        page.wait_for_function(
            "([element, old]) => element.innerText !== old", arg=[stepper.element_handle(), before]
        )
        assert "4.7.1" in stepper.inner_text()
        assert step_of(stepper) == 0 < last

        notebook.screenshot(f"{name.removesuffix('.ipynb')}-changed")
        assert notebook.console_errors == []
        assert notebook.outside_requests == []
