"""The export's embeds in a browser: from a file, in a page of the same host and of another, and without JavaScript."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import nbformat
import plotly
import pytest
from playwright.sync_api import expect, sync_playwright

from rmqref import Situation, record, record_send, sample_scenario
from rmqref.plots import share_per_queue
from rmqref.site.build import Recorded
from rmqref.site.export import FOLDER, export_markdown
from rmqref.site.pictures import FLAGS, drawing_page, pictures_of, stills_of
from rmqref.site.pieces import pieces_of
from rmqref.site.serve import server_of
from rmqref.site.showing import PLOT, shown
from rmqref.stepper import Stepper
from tests.browser.lab import HOW_TO_GET_CHROMIUM, ROOT, find_chromium

PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
NAMES = ("01_walk.pick", "01_walk.send", "01_walk.plot-1")
READY = ".rmq-stepper:not([inert] *), .main-svg"

AROUND = """<!doctype html><html lang="en" style="color-scheme: {scheme}"><meta charset="utf-8"><title>Around</title>
<link rel="icon" href="data:,"><style>iframe {{ color-scheme: auto }}</style>
<iframe src="{address}" width="700" height="50"></iframe>
<script>addEventListener("message", ({{ data }}) => {{ window.told = data.rmqref.height; }});</script>"""


def notebook():
    def cell(source, data):
        return nbformat.v4.new_code_cell(source, outputs=[nbformat.v4.new_output("execute_result", data)])

    send = record_send(sample_scenario("broker_hangs").but(start=0))
    return nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# 01 · A walk\n\n**Which?**"),
            cell("pick", shown(Stepper(record(Situation("4.9.7", start=4))))),
            cell("send", shown(Stepper(send))),
            cell("figure", {PLOT: share_per_queue(Situation().share(1200)).to_plotly_json()}),
        ]
    )


@pytest.fixture(scope="module")
def chromium():
    found = find_chromium()
    if found is None:
        (pytest.fail if os.environ.get("RMQREF_REQUIRE_BROWSER") == "1" else pytest.skip)(HOW_TO_GET_CHROMIUM)
    return found


@pytest.fixture(scope="module")
def folder(chromium, tmp_path_factory):
    to = tmp_path_factory.mktemp("export")
    pieces = [piece for _, _, piece in pieces_of(notebook(), "01_walk")]
    with drawing_page(PLOTLY) as page:
        stills = stills_of(page, pieces)
        pictures = pictures_of(page, pieces, to / FOLDER / "pictures")
    recorded = Recorded({"01_walk": notebook()}, {piece.key: piece for piece in pieces}, stills, pictures)
    export_markdown(recorded, ROOT, to, PLOTLY)
    return to / FOLDER


@pytest.fixture(scope="module")
def browser(chromium, folder):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()


@contextmanager
def visiting(browser, address, **options):
    """Open a page; at the end it may have complained of nothing, and asked for nothing but files beside it."""
    context = browser.new_context(**{"viewport": {"width": 760, "height": 900}, **options})
    context.set_default_timeout(20_000)
    page = context.new_page()
    troubles: list[Any] = []
    asked: list[str] = []
    page.on("console", lambda said: troubles.extend([said.text] if said.type in {"error", "warning"} else []))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("requestfailed", lambda request: troubles.append(request.url))
    page.on("request", lambda request: asked.append(request.url))
    try:
        page.goto(address)
        yield page, asked
        assert troubles == []
    finally:
        context.close()


@contextmanager
def served(folder):
    (folder / "index.html").touch()
    with server_of(folder, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def around(folder, tmp_path):
    """Write a page around an embed; its address, on the embed's host or on another."""
    with served(folder) as own, served(tmp_path) as other:

        def write(name, *, scheme="normal", same_host=True, query=""):
            address = f"{own}embeds/{name}.html{query}"
            to = folder if same_host else tmp_path
            (to / "around.html").write_text(AROUND.format(scheme=scheme, address=address))
            return (own if same_host else other) + "around.html"

        yield write


@pytest.mark.parametrize("name", NAMES)
def test_it_works_from_a_file(browser, folder, name):
    path = folder / "embeds" / f"{name}.html"
    with visiting(browser, path.as_uri()) as (page, asked):
        page.locator(READY).first.wait_for()
        assert page.title()
        if "plot" in name:
            beside = {Path(address).parent.name for address in asked}
            assert all(address.startswith("file:") for address in asked)
            assert beside == {"embeds", "pictures"}
            assert page.get_by_role("img", name="All 12 queues get the same").count() == 1
        else:
            assert asked == [path.as_uri()]
            assert path.stat().st_size < 200_000
            page.locator(".rmq-stepper").focus()
            page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowRight")
            assert page.get_by_role("slider", name="Step").input_value() == "2"
            page.keyboard.press("End")
            expect(page.get_by_role("slider", name="Step")).not_to_have_value("2")


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_the_same_host_gives_the_frame_its_height_and_theme(browser, around, name):
    with visiting(browser, around(name, scheme="dark")) as (page, _):
        frame = page.frame_locator("iframe")
        frame.locator(READY).first.wait_for()
        expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
        page.evaluate("document.documentElement.style.colorScheme = 'light'")
        expect(frame.locator("html")).to_have_attribute("data-theme", "light")
        sizes = "frame => [frame.clientHeight, frame.contentDocument.documentElement.scrollHeight]"
        page.wait_for_function("told === document.querySelector('iframe').clientHeight")
        height, needed = page.locator("iframe").evaluate(sizes)
        assert height == needed > 300


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_another_host_is_told_the_height(browser, around, name):
    with visiting(browser, around(name, same_host=False, query="?theme=dark")) as (page, _):
        frame = page.frame_locator("iframe")
        frame.locator(READY).first.wait_for()
        expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
        page.wait_for_function("window.told > 300")
        assert page.locator("iframe").evaluate("frame => frame.clientHeight") == 50


@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize("scheme", ["normal", "light dark"])
def test_a_page_that_says_nothing_is_light(browser, around, system, scheme):
    with visiting(browser, around(NAMES[0], scheme=scheme), color_scheme=system) as (page, _):
        shown = system if scheme == "light dark" else "light"
        expect(page.frame_locator("iframe").locator("html")).to_have_attribute("data-theme", shown)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("system", ["light", "dark"])
def test_without_javascript_there_is_its_picture(browser, folder, name, system):
    address = (folder / "embeds" / f"{name}.html").as_uri()
    with visiting(browser, address, java_script_enabled=False, color_scheme=system) as (page, _):
        if "plot" in name:
            assert page.locator("picture:visible").get_attribute("class") == f"only-{system}"
        else:
            expect(page.locator(".rmq-stepper")).to_be_visible()
            expect(page.locator(".rmq-stepper footer")).to_be_hidden()


def test_a_figure_without_plotly_keeps_its_picture_and_says_so(browser, folder, tmp_path):
    for part in (
        "embeds/01_walk.plot-1.html",
        *(f"pictures/{path.name}" for path in folder.glob("pictures/*")),
    ):
        (tmp_path / part).parent.mkdir(exist_ok=True)
        (tmp_path / part).write_bytes((folder / part).read_bytes())
    page = browser.new_page()
    page.goto((tmp_path / "embeds" / "01_walk.plot-1.html").as_uri())
    expect(page.locator(".rmq-failed")).to_contain_text("This piece could not be loaded")
    assert page.locator("picture:visible").count() == 1
    page.close()
