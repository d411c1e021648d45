"""A live notebook of a built site in a real Chromium, for tests.

    with live_page(browser, base) as live:
        live.open("01_first_pick")
        live.wait_until_ran()
        live.change_a_control()
        assert live.noise() == []

`base` is the address of the site on this machine, with a slash at its end.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rmqref.messages import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, ConsoleMessage, FrameLocator, Locator, Page, Request, Response

PANEL = "document.querySelector('iframe').contentWindow.jupyterapp.shell.currentWidget"

SHOW_CELL = f"""async n => {{
    const notebook = {PANEL}.content;
    notebook.activeCellIndex = n;
    await notebook.scrollToItem(n, 'start');
}}"""

ERRORS = f"""() => {PANEL}.content.widgets
    .filter(cell => cell.model.type === 'code')
    .flatMap(cell => cell.model.outputs.toJSON())
    .filter(output => output.output_type === 'error' || output.name === 'stderr')
    .map(output => output.text ?? `${{output.ename}}: ${{output.evalue}}`)"""

CELLS_WITH = f"""source => {PANEL}.content.widgets
    .map((cell, number) => [cell.model, number])
    .filter(([model]) => model.type === 'code' && model.sharedModel.getSource().includes(source))
    .map(([_, number]) => number)"""

FIGURES = f"""() => {PANEL}.content.widgets
    .map((cell, number) => [cell.model, number])
    .filter(([model]) => model.type === 'code' && model.outputs.toJSON()
        .some(output => 'application/vnd.plotly.v1+json' in (output.data ?? {{}})))
    .map(([_, number]) => number)"""


class LivePage:
    """A page that shows a live notebook."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.console_errors: list[str] = []
        self.outside_requests: list[str] = []
        self.failed_requests: list[str] = []
        page.on("pageerror", lambda error: self.console_errors.append(f"uncaught: {error}"))
        page.on("console", self._note_message)
        page.context.on("request", lambda request: self._note_request(request.url))
        page.context.on("requestfailed", self._note_failure)
        page.context.on("response", self._note_response)

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.console_errors.append(f"{message.text} ({message.location.get('url')})")

    def _note_failure(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the reader went on to another page meanwhile
            self.failed_requests.append(f"{request.failure} {request.url}")

    def _note_response(self, answer: Response) -> None:
        if answer.status >= 400:
            self.failed_requests.append(f"{answer.status} {answer.url}")

    def _note_request(self, url: str) -> None:
        if not url.startswith((self.base, "data:", "blob:")):
            self.outside_requests.append(url)

    @property
    def notebook(self) -> FrameLocator:
        """What is inside the frame."""
        return self.page.frame_locator("iframe")

    def open(self, stem: str) -> None:
        """Go to a live notebook; this does not wait for it."""
        self.page.goto(f"{self.base}live.html?notebook={stem}")

    def wait_until_ran(self, timeout: float = 180) -> None:
        """Wait until every cell has run; fail if the page tells of trouble, or a cell raised or complained."""
        self.page.wait_for_function(
            """ready => document.getElementById('said').textContent === ready
                || !document.getElementById('trouble').hidden
                || document.getElementById('run').disabled === false""",
            arg=text("site.live.say.ready"),
            timeout=timeout * 1000,
        )
        said = self.page.locator("#said").inner_text()
        trouble = self.page.locator("#trouble").text_content()
        errors: list[str] = self.page.evaluate(ERRORS)
        assert said == text("site.live.say.ready"), (said, trouble, errors)
        assert errors == []

    def cell(self, number: int) -> Locator:
        """A cell's outputs, scrolled into view; 0 is the first cell, prose counts."""
        self.page.evaluate(SHOW_CELL, number)
        return self.notebook.locator(".jp-CodeCell.jp-mod-active .jp-OutputArea-output").last

    def change_a_control(self) -> None:
        """Choose another release in the first controls that a cell shows, and wait until the run beside it is another."""
        made: list[int] = self.page.evaluate(CELLS_WITH, "Controls(")
        assert made, "no cell makes controls"
        source: str = self.page.evaluate(
            f"n => {PANEL}.content.widgets[n].model.sharedModel.getSource()", made[0]
        )
        variable = next(line.split("=")[0].strip() for line in source.split("\n") if "Controls(" in line)
        shows: list[int] = self.page.evaluate(
            f"name => {PANEL}.content.widgets.flatMap((cell, number) => "
            "cell.model.sharedModel.getSource().trim() === name ? [number] : [])",
            variable,
        )
        shown = self.cell(shows[0])
        header = shown.locator(".rmq-stepper header").first
        before = header.inner_text()
        releases = shown.locator("select:visible", has=shown.page.locator("option", has_text="4.8.0"))
        releases.first.select_option("5.1.0" if "4.8.0" in before else "4.8.0")
        header.filter(has_not_text=before).wait_for()

    def see_a_figure(self) -> None:
        """Wait until the first figure, if the notebook has one, is really drawn."""
        for number in self.page.evaluate(FIGURES)[:1]:
            self.cell(number).locator(".main-svg").first.wait_for()

    def noise(self) -> list[str]:
        """Whatever should not have been: errors on the console, requests that failed or went elsewhere."""
        return self.console_errors + self.outside_requests + self.failed_requests


@contextmanager
def live_page(browser: Browser, base: str, **options: Any) -> Iterator[LivePage]:
    """Open an empty page with an empty cache of its own.

    Args:
        browser: the browser.
        base: the site's address.
        **options: what `Browser.new_context` takes, such as `viewport` and `color_scheme`.
    """
    context = browser.new_context(**({"viewport": {"width": 1300, "height": 1000}} | options))
    try:
        yield LivePage(context.new_page(), base)
    finally:
        context.close()
