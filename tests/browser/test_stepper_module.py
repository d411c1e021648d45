"""The stepper's module on a plain page, without Jupyter: what a reader sees, clicks and types."""

from __future__ import annotations

import http.server
import json
import random
import threading
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from rmqref.situation import Fault, Situation
from rmqref.stepper import SHOWN, STATIC, Stepper, dressed
from rmqref.trace import record, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import ConsoleMessage, Error, Locator, Page, Request

    from tests.browser.lab import Lab

HOSTILE = "<img src=x onerror=\"document.title='broken'\">"
RETRY = Situation("4.9.4", start=1031, last_broker_name="broker-a")
DOWN = (Fault("broker-a", 700, 21600), Fault("broker-b", 1200, 55000), Fault("broker-c", 3000, 170000))
SITUATIONS = {
    "retry": RETRY,
    "chain": RETRY.but(calls=3, chain=True),
    "fallback": Situation("4.9.4", start=1031, fault_switch=True, faults=DOWN),
    "filters": Situation(
        "5.3.3", start=1031, fault_switch=True, faults=DOWN[:2], last_broker_name="broker-c"
    ),
    "one": Situation("4.9.4", route=(("broker-a", 1),), last_broker_name="broker-a"),
    "large": RETRY.but(route=(("broker-a", 12), ("broker-b", 12)), start=-1),
    "crowd": RETRY.but(route=tuple((f"broker-{n}", 20) for n in range(11)), last_broker_name="broker-1"),
    "hostile": RETRY.but(route=((HOSTILE, 3), ("{queue}</b>", 2)), last_broker_name=HOSTILE, topic=HOSTILE),
    "negative": Situation("5.1.0", start=2**31 - 3, fault_switch=True, faults=DOWN[:2]),
}
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Stepper</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="stepper.css"><style>body { margin: 0; color-scheme: light dark }</style>
<input id="elsewhere"><div id="run"></div><div style="height: 2000px"></div>
<script type="module">
  import { mount } from "./stepper.js";
  const query = new URLSearchParams(location.search);
  const trace = await (await fetch(query.get("trace") + ".json")).json();
  window.stepper = mount(trace, document.querySelector("#run"), JSON.parse(query.get("options")));
</script>"""


@contextmanager
def serving(folder: Path, traces: dict[str, Any]) -> Iterator[str]:
    """A site with the stepper on a page, and traces that it can be asked to show."""
    (folder / "index.html").write_text(PAGE)
    for name in ("stepper.js", "stepper.css"):
        (folder / name).write_bytes((STATIC / name).read_bytes())
    for name, trace in traces.items():
        (folder / f"{name}.json").write_text(json.dumps(dressed(trace)))

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    traces = {name: record(situation) for name, situation in SITUATIONS.items()}
    with serving(tmp_path_factory.mktemp("site"), traces) as address:
        yield address


@pytest.fixture
def show(lab: Lab, site: str) -> Iterator[Any]:
    """Open a trace on a page of its own; at the end nothing may have gone wrong or left the machine."""
    pages: list[Page] = []
    troubles: list[str] = []

    def note_request(request: Request) -> None:
        if not request.url.startswith((site, "data:")):
            troubles.append(request.url)

    def note_message(message: ConsoleMessage) -> None:
        troubles.append(message.text)

    def note_error(error: Error) -> None:
        troubles.append(str(error))

    def open_page(
        trace: str, *, width: int = 1300, height: int = 900, anchor: str = "", **options: object
    ) -> tuple[Page, Locator]:
        page = lab.context.new_page()
        pages.append(page)
        page.on("console", note_message)
        page.on("pageerror", note_error)
        page.on("request", note_request)
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{site}?trace={trace}&options={json.dumps(options)}{anchor}")
        page.wait_for_function("() => window.stepper")
        return page, page.locator(".rmq-stepper")

    yield open_page
    for page in pages:
        page.close()
    assert troubles == []


def button(stepper: Locator, name: str) -> Locator:
    return stepper.get_by_role("button", name=name, exact=True)


def step_of(page: Page) -> int:
    step: int = page.evaluate("stepper.step")
    return step


def state_of(page: Page) -> dict[str, Any]:
    state: dict[str, Any] = page.evaluate("stepper.state")
    return state


def test_buttons_go_where_they_say(show: Any) -> None:
    page, stepper = show("retry")
    last = page.evaluate("stepper.set(1e9) ?? stepper.step")
    button(stepper, "First step").click()
    assert step_of(page) == 0
    button(stepper, "Forward").click()
    button(stepper, "Forward").click()
    button(stepper, "Back").click()
    assert step_of(page) == 1
    button(stepper, "Next event").click()
    assert "Skip." in stepper.locator(".rmq-say").last.inner_text()
    button(stepper, "Last step").click()
    assert step_of(page) == last
    assert button(stepper, "Forward").get_attribute("aria-disabled") == "true"
    button(stepper, "Previous event").click()
    assert step_of(page) < last


def test_keys_step_and_stay_inside(show: Any) -> None:
    page, stepper = show("retry")
    page.evaluate("window.seen = []; document.addEventListener('keydown', event => seen.push(event.key))")
    stepper.focus()
    for key, step in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0), ("ArrowLeft", 0)]:
        page.keyboard.press(key)
        assert step_of(page) == step
    page.keyboard.press("PageDown")
    event = step_of(page)
    page.keyboard.press("End")
    assert step_of(page) > event > 1
    page.keyboard.press("PageUp")
    page.keyboard.press("p")
    assert state_of(page)["predict"]
    assert page.evaluate("seen") == []
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("Control+a")
    assert page.evaluate("seen") == ["Control", "a"]


def test_keys_elsewhere_are_left_alone(show: Any) -> None:
    page, _ = show("retry")
    page.locator("#elsewhere").press_sequentially("p ?")
    page.keyboard.press("ArrowRight")
    assert page.locator("#elsewhere").input_value() == "p ?"
    assert step_of(page) == 0
    assert not state_of(page)["predict"]


def test_keys_work_after_a_click_anywhere_and_on_the_slider(show: Any) -> None:
    page, stepper = show("retry")
    stepper.locator(".rmq-ring").click(position={"x": 5, "y": 5})
    page.keyboard.press("ArrowRight")
    assert step_of(page) == 1
    slider = stepper.get_by_role("slider", name="Step")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert step_of(page) == 2
    slider.fill("9")
    assert step_of(page) == 9
    assert slider.get_attribute("aria-valuetext").startswith("Step 9 of ")


def test_help_opens_and_closes(show: Any) -> None:
    page, stepper = show("retry")
    stepper.focus()
    page.keyboard.press("?")
    dialog = stepper.get_by_role("dialog", name="Keys")
    assert dialog.is_visible()
    page.keyboard.press("ArrowRight")
    assert step_of(page) == 0
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    button(stepper, "Keys").click()
    button(stepper, "Close").click()
    assert not dialog.is_visible()


def test_it_plays_to_the_end_and_can_be_paused(show: Any) -> None:
    page, stepper = show("retry", step=3)
    page.clock.install()
    stepper.focus()
    page.keyboard.press(" ")
    assert button(stepper, "Pause").is_visible()
    page.clock.run_for(3000)
    reached = step_of(page)
    assert reached > 3
    page.keyboard.press(" ")
    page.clock.run_for(5000)
    assert step_of(page) == reached
    button(stepper, "Play").click()
    page.clock.run_for(600_000)
    assert button(stepper, "Play").is_visible()
    assert step_of(page) == len(record(RETRY)["steps"]) - 1


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_step_shows_what_the_trace_says(show: Any, name: str) -> None:
    trace = record(SITUATIONS[name])
    page, _ = show(name)
    shown = page.evaluate(
        """() => Array.from({length: Number(document.querySelector('.rmq-stepper input').max) + 1}, (_, step) => {
            stepper.set(step);
            const text = selector => document.querySelector('.rmq-stepper ' + selector)?.textContent;
            const rows = [...document.querySelectorAll('.rmq-locals tr:not([hidden])')].map(
                row => [...row.children].map(cell => cell.textContent));
            return {say: text('.rmq-say[aria-live]'), lit: text('.rmq-lit i'), code: text('.rmq-lit code'),
                running: text('.rmq-stack .rmq-running'), rows};
        })"""
    )
    assert len(shown) == len(trace["steps"])
    for number, (seen, step) in enumerate(zip(shown, trace["steps"], strict=True)):
        source = trace["sources"][step["source"]]
        value = {"return": [["returns", step["value"]]], "raise": [["raises", step["value"]]]}.get(
            step["event"], []
        )
        assert seen == {
            "say": sentence(trace, number),
            "lit": str(step["line"]),
            "code": source["lines"][step["line"] - source["first_line"]],
            "running": source["name"],
            "rows": step["locals"] + value,
        }


def test_a_caller_can_be_looked_at(show: Any) -> None:
    page, stepper = show("retry", step=20)
    stack = stepper.get_by_role("group", name="Call stack").get_by_role("button")
    running = stack.last.inner_text()
    stack.nth(1).click()
    assert stepper.get_by_role("group", name=f"Source of {stack.nth(1).inner_text()}").is_visible()
    assert stepper.locator(".rmq-waits").count() == 1
    stepper.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert stepper.get_by_role("group", name=f"Source of {running}").is_visible()


def test_the_ring_marks_looks_and_the_pick(show: Any) -> None:
    page, stepper = show("retry", step=10_000)
    assert stepper.locator(".rmq-skipped").count() == 4
    assert stepper.locator(".rmq-chosen").text_content().endswith("b05")
    ring = stepper.get_by_role(
        "img", name="Ring of 12 queues. The pointer is at position 4: broker-b, queue 0. Looks so far: 5."
    )
    assert ring.is_visible()
    page.evaluate("stepper.set(0)")
    assert stepper.get_by_role("img", name="Ring of 12 queues. The pointer is at none of them.").is_visible()


def test_the_fallback_shows_what_is_avoided_and_rewritten(show: Any) -> None:
    _, stepper = show("fallback", step=10_000)
    assert stepper.locator(".rmq-avoided").count() == 12
    assert stepper.locator(".rmq-written.rmq-rewritten").count() == 1
    rows = stepper.locator(".rmq-faults tr")
    assert [row.split("\n")[-1].split("\t")[-1] for row in rows.all_inner_texts()] == [
        "avoided 21.6 s",
        "avoided 55 s",
        "avoided 170 s",
    ]


def test_a_right_prediction_by_mouse(show: Any) -> None:
    page, stepper = show("chain", predict=True)
    assert "Which queue will it be?" in stepper.inner_text()
    assert stepper.locator(".rmq-tick:visible").count() == 0
    button(stepper, "Last step").click()
    assert step_of(page) == 0
    stepper.get_by_role("radio", name="position 4: broker-b, queue 0").click()
    assert state_of(page)["score"] == {"right": 1, "asked": 1}
    assert stepper.get_by_role("status").inner_text() == "Right: it is broker-b : 0."
    assert "predicted 1 of 1 right" in stepper.inner_text()
    button(stepper, "Back").click()
    assert step_of(page) < record(SITUATIONS["chain"])["decisions"][0]["reveal"]
    button(stepper, "Last step").click()
    assert step_of(page) == record(SITUATIONS["chain"])["decisions"][1]["step"]


def test_a_wrong_prediction_by_keyboard(show: Any) -> None:
    page, stepper = show("chain")
    stepper.focus()
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")  # goes to the ring
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert step_of(page) == 0
    page.keyboard.press("Enter")
    assert state_of(page)["answers"] == [1, None, None]
    assert (
        stepper.get_by_role("status")
        .inner_text()
        .startswith("Not quite: you said broker-a : 1, it is broker-b : 0.")
    )
    assert stepper.locator(".rmq-guess-wrong").count() == 1
    page.keyboard.press("ArrowLeft")
    assert step_of(page) > 0


def test_show_me_does_not_count(show: Any) -> None:
    page, stepper = show("chain", predict=True)
    button(stepper, "Show me").click()
    assert state_of(page)["answers"] == [SHOWN, None, None]
    assert state_of(page)["score"] == {"right": 0, "asked": 0}


def test_playing_stops_at_a_question(show: Any) -> None:
    page, stepper = show("chain", predict=True)
    page.clock.install()
    button(stepper, "Show me").click()
    button(stepper, "Play").click()
    page.clock.run_for(600_000)
    assert step_of(page) == record(SITUATIONS["chain"])["decisions"][1]["step"]
    assert button(stepper, "Play").is_visible()


@pytest.mark.parametrize("seed", range(2))
def test_the_module_and_python_keep_the_same_rules(show: Any, seed: int) -> None:
    page, _ = show("chain")
    python = Stepper(record(SITUATIONS["chain"]))
    chance = random.Random(seed)
    for _ in range(60):
        match chance.choice(["step", "step", "predict", "answer", "show"]):
            case "step":
                python.step = to = chance.randrange(python.last + 1)
                page.evaluate("to => stepper.set(to)", to)
            case "predict":
                python.predict = not python.predict
                page.evaluate("on => stepper.predict(on)", python.predict)
            case "answer" if python.asks:
                python.prediction = position = chance.choice([0, 4, 8])
                page.evaluate("position => stepper.answer(position)", position)
            case "show":
                python.show_me()
                page.evaluate("if (stepper.state.predict) stepper.answer(-1)")
        assert state_of(page) == {
            "step": python.step,
            "predict": python.predict,
            "answers": python.answers,
            "score": python.score,
        }


def test_hostile_names_are_text(show: Any) -> None:
    page, stepper = show("hostile", step=10_000)
    assert stepper.locator("img, script").count() == 0
    assert HOSTILE in stepper.inner_text()
    assert page.title() == "Stepper"
    page.evaluate("stepper.predict(true)")
    assert stepper.get_by_role("radio").first.get_attribute("aria-label") == f"position 0: {HOSTILE}, queue 0"


@pytest.mark.parametrize("name", ["retry", "fallback", "crowd"])
def test_nothing_moves_and_nothing_sticks_out(show: Any, name: str) -> None:
    page, stepper = show(name, link=True)
    for width in (360, 700, 900, 1300):
        page.set_viewport_size({"width": width, "height": 900})
        heights = page.evaluate(
            """() => Array.from({length: Number(document.querySelector('.rmq-stepper input').max) + 1}, (_, step) => {
                stepper.set(step);
                return document.querySelector('.rmq-stepper').offsetHeight;
            })"""
        )
        assert len(set(heights)) == 1
        assert page.evaluate("document.documentElement.scrollWidth") == width
        out = stepper.evaluate(
            """root => [...root.querySelectorAll('button, input, .rmq-ring, .rmq-say, section')]
                .filter(node => node.closest('.rmq-stack, .rmq-code, [hidden]') === null)
                .map(node => [node.getBoundingClientRect(), node])
                .filter(([box]) => box.width && (box.left < 0 || box.right > innerWidth))
                .map(([, node]) => node.outerHTML.slice(0, 80))"""
        )
        assert out == []


def test_at_phone_width_the_ring_is_under_the_code_and_buttons_are_large(show: Any) -> None:
    _, stepper = show("retry", width=360, link=True)
    ring, code = stepper.locator(".rmq-ring").bounding_box(), stepper.locator(".rmq-code").bounding_box()
    assert ring["y"] > code["y"] + code["height"]
    for one in stepper.locator("footer button").all():
        box = one.bounding_box()
        assert min(box["width"], box["height"]) >= 40


CONTRAST = """root => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    const rgba = colour => {
        canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
    const ground = node => {
        for (let at = node; at; at = at.parentElement) {
            const colour = rgba(getComputedStyle(at).backgroundColor);
            if (colour[3] === 255) return colour;
        }
        return [255, 255, 255];
    };
    const ratio = (one, two) => {
        const [a, b] = [light(one), light(two)].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05);
    };
    const poor = [];
    for (const node of root.querySelectorAll('*')) {
        const own = [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
        if (!own || !node.checkVisibility({visibilityProperty: true}) || node.closest('[aria-disabled]')) continue;
        const style = getComputedStyle(node);
        const inRing = node.closest('.rmq-queue, .rmq-arcs');
        const onDisc = inRing && node.parentElement.querySelector(':scope > .rmq-disc');
        const text = rgba(node instanceof SVGElement ? style.fill : style.color);
        const back = onDisc ? rgba(getComputedStyle(onDisc).fill) : ground(node.closest('svg')?.parentElement ?? node);
        const value = ratio(text, back);
        if (value < 4.5 && node.localName !== 'title') poor.push([node.textContent, node.getAttribute('class'), value.toFixed(2)]);
    }
    return poor;
}"""


@pytest.mark.parametrize("name", ["fallback", "retry", "crowd"])
def test_text_can_be_read_in_both_themes(show: Any, name: str) -> None:
    page, stepper = show(name)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        paper = stepper.locator(".rmq-frame").evaluate("node => getComputedStyle(node).backgroundColor")
        assert (paper == "rgb(255, 255, 255)") == (theme == "light")
        for step in (0, 30, 100, 10_000):
            page.evaluate("step => stepper.set(step)", step)
            assert stepper.evaluate(CONTRAST) == []


@pytest.mark.parametrize("mark", ["data-theme=dark", "data-jp-theme-light=false"])
def test_the_theme_of_the_page_goes_before_the_systems(show: Any, mark: str) -> None:
    page, stepper = show("retry")
    page.emulate_media(color_scheme="light")
    page.evaluate("([name, value]) => document.body.setAttribute(name, value)", mark.split("="))
    assert (
        stepper.locator(".rmq-frame").evaluate("node => getComputedStyle(node).backgroundColor")
        == "rgb(18, 24, 31)"
    )


def test_with_reduced_motion_the_pointer_jumps(show: Any) -> None:
    page, stepper = show("retry", step=30)
    seconds = "node => getComputedStyle(node).transitionDuration"
    assert stepper.locator(".rmq-pointer").evaluate(seconds) == "0.14s"
    page.emulate_media(reduced_motion="reduce")
    assert stepper.locator(".rmq-pointer").evaluate(seconds) == "0s"


def test_a_link_leads_to_its_step(show: Any) -> None:
    page, stepper = show("retry", link=True, anchor="#step=17")
    assert step_of(page) == 17
    button(stepper, "Forward").click()
    button(stepper, "Copy link").click()
    assert page.url.endswith("#step=18")
    page.evaluate("location.hash = '#step=3'")
    page.wait_for_function("stepper.step === 3")


def test_a_new_trace_and_the_end(show: Any) -> None:
    page, stepper = show("retry", step=10, predict=False)
    page.evaluate(
        """async () => {
            window.told = [];
            stepper.on(state => told.push(state.step));
            stepper.setTrace(await (await fetch('chain.json')).json());
        }"""
    )
    assert step_of(page) == 0
    button(stepper, "Forward").click()
    assert page.evaluate("told") == [1]
    page.evaluate("stepper.destroy()")
    assert stepper.count() == 0
