"""The notebooks as a reader uses them: run, predicted in the ring, stepped by click and by key, changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import nbformat
import pytest

from tests.browser.lab import NOTEBOOKS
from tests.test_notebook_style import BOOKS

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.lab import Lab, OpenNotebook


def number_of_cell_that_shows(name: str, *made_by: str) -> int | None:
    """The number of the first cell that displays a widget whose making has all these words, if there is one."""
    cells = nbformat.read(NOTEBOOKS / name, as_version=4).cells
    code = {number: cell.source for number, cell in enumerate(cells) if cell.cell_type == "code"}
    lines = [line for source in code.values() for line in source.split("\n")]
    made = {line.split("=")[0].strip() for line in lines if all(word in line for word in made_by)}
    return next((number for number, source in code.items() if source.strip() in made), None)


def shown(notebook: OpenNotebook, number: int) -> Locator:
    """What a cell shows, scrolled into view."""
    notebook.show_cell(number)
    return notebook.page.locator(".jp-CodeCell.jp-mod-active .jp-OutputArea-output").last


def button(stepper: Locator, name: str) -> Locator:
    return stepper.get_by_role("button", name=name, exact=True)


def step_of(stepper: Locator) -> int:
    return int(stepper.get_by_role("slider", name="Step").input_value())


def predict_in_the_ring(stepper: Locator) -> None:
    stepper.wait_for()
    stepper.press("End")  # as far as the first pick that is asked for
    queues = stepper.get_by_role("radio")
    queues.last.wait_for()
    assert queues.count() > 1
    queues.last.click()
    assert stepper.get_by_role("status").inner_text().startswith(("Right:", "Not quite:"))
    assert step_of(stepper) > 0
    assert "of 1 right" in stepper.locator("header").inner_text()


def step_by_click_and_by_key(stepper: Locator) -> None:
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
    assert step_of(stepper) > 2


def change_a_control_and_see_another_run(controls: Locator) -> None:
    stepper = controls.locator(".rmq-stepper")
    before = stepper.locator("header").inner_text()
    controls.locator("select").first.select_option("5.1.0" if "4.8.0" in before else "4.8.0")
    controls.page.wait_for_function(
        "([element, old]) => element.querySelector('header').innerText !== old",
        arg=[stepper.element_handle(), before],
    )
    assert step_of(stepper) == 0
    start = controls.locator("input[type=number]").first
    start.fill("99999999999")
    start.press("Enter")
    alert = controls.get_by_role("alert")
    alert.wait_for()
    assert "does not fit in Java's 32-bit int" in alert.inner_text()
    start.fill("9")
    start.press("Enter")
    alert.wait_for(state="detached")


def compare_two_releases_and_change_a_broker(controls: Locator) -> None:
    def choice(label: str) -> Locator:
        named = controls.page.locator("label", has_text=re.compile(f"^{label}$"))
        return controls.locator(".widget-dropdown", has=named).locator("select")

    steppers = controls.locator(".rmq-stepper")
    choice("Beside it").select_option("5.3.3")
    difference = controls.get_by_role("status").filter(has_text="Both runs are the same")
    difference.wait_for()
    assert steppers.count() == 2
    one, other = (steppers.nth(n).bounding_box() for n in range(2))
    assert one is not None
    assert other is not None
    assert one["y"] == other["y"]
    assert one["x"] + one["width"] <= other["x"]
    choice("Beside it").select_option("4.2.0")
    controls.get_by_role("status").filter(has_text="is given 0 ms in 4.9.7, 3000 ms in 4.2.0").wait_for()
    choice("broker-b").select_option("refuses connections")
    controls.get_by_role("status").filter(has_text="2999 ms in 4.9.7, 3000 ms in 4.2.0").wait_for()
    steppers.last.press("End")
    assert step_of(steppers.last) > 100
    assert step_of(steppers.first) == 0


def step_two_releases_together(both: Locator) -> None:
    steppers = both.locator(".rmq-stepper")
    steppers.first.press("Home")
    steppers.first.press("End")
    last = step_of(steppers.first)
    both.page.wait_for_function(
        "(element) => { const range = element.querySelector('input[type=range]'); return range.value === range.max; }",
        arg=steppers.last.element_handle(),
    )
    both.get_by_role("button", name="Go to the first line").click()
    both.page.wait_for_function(
        "([element, last]) => Number(element.querySelector('input[type=range]').value) < last",
        arg=[steppers.first.element_handle(), last],
    )
    assert step_of(steppers.first) == step_of(steppers.last)


def answer_and_see_the_run(quiz: Locator) -> None:
    part = quiz.locator(".rmq-quiz")
    part.focus()
    part.press("Enter")  # nothing is answered yet: it stays
    asked = part.locator(".rmq-quiz-text").inner_text()
    part.press("1")
    part.get_by_role("status").locator("li").first.wait_for()
    part.press("r")
    quiz.locator(".rmq-stepper").wait_for()
    assert step_of(quiz.locator(".rmq-stepper")) > 0
    part.press("Enter")
    quiz.page.wait_for_function(
        "([element, asked]) => element.querySelector('.rmq-quiz-text').innerText !== asked",
        arg=[part.element_handle(), asked],
    )


@pytest.mark.parametrize("name", sorted(path.name for path in NOTEBOOKS.glob("*.ipynb")))
def test_notebook_runs_and_its_widgets_answer(lab: Lab, name: str) -> None:
    stem = name.removesuffix(".ipynb")
    with lab.open(name) as notebook:
        notebook.run_all()
        notebook.show_cell(0)
        notebook.screenshot(f"{stem}-1300")
        assert notebook.pictures_are_shown()
        predicted = number_of_cell_that_shows(name, "= Stepper(", "predict=True")
        changed = number_of_cell_that_shows(name, "= PickControls(")
        sent = number_of_cell_that_shows(name, "= SendControls(")
        changed_or_sent = changed if sent is None else sent
        assert stem.startswith(("00", *BOOKS)) or None not in (predicted, changed_or_sent), (
            "a walk has a prediction and controls"
        )
        if predicted is not None:
            predict_in_the_ring(shown(notebook, predicted).locator(".rmq-stepper"))
            notebook.screenshot(f"{stem}-predicted")
        if changed is not None:
            controls = shown(notebook, changed)
            step_by_click_and_by_key(controls.locator(".rmq-stepper"))
            change_a_control_and_see_another_run(controls)
            notebook.screenshot(f"{stem}-changed")
        if sent is not None:
            controls = shown(notebook, sent)
            compare_two_releases_and_change_a_broker(controls)
            notebook.screenshot(f"{stem}-beside")
        if (both := number_of_cell_that_shows(name, "= ReleasesSideBySide(")) is not None:
            step_two_releases_together(shown(notebook, both))
        if (quiz := number_of_cell_that_shows(name, "= Quiz(")) is not None:
            answer_and_see_the_run(shown(notebook, quiz))
            notebook.screenshot(f"{stem}-answered")
        notebook.set_width(360, 800)
        notebook.screenshot(f"{stem}-360")
        assert notebook.errors() == []
        assert notebook.console_errors == []
        assert notebook.outside_requests == []
