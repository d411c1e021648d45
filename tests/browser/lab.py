"""A real JupyterLab in a real Chromium, for tests.

`Lab` is a server on a copy of notebooks/, so a test never changes the tree. `Lab.open` gives an `OpenNotebook`:

    def test_toy(lab):
        with lab.open("01_first_pick.ipynb") as notebook:
            notebook.run_all()
            notebook.page.locator(".rmqref-stepper").first.press("ArrowRight")
            assert notebook.console_errors == []
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import BrowserContext, ConsoleMessage, Page

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
SCREENSHOTS = ROOT / "build" / "screenshots"

Theme = Literal["JupyterLab Light", "JupyterLab Dark"]

HOW_TO_GET_CHROMIUM = (
    "no Chromium found: apt-get install chromium, or name one with RMQREF_CHROMIUM=/path/to/chromium"
)
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_FLAGS = (
    "--no-sandbox",  # Chromium's sandbox refuses root, which is who one is in a container
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Every other host is nowhere: a page that needs one fails here, not at a reader's.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)

# No box that asks about news and updates, which would cover what a test looks at.
NO_ANNOUNCEMENTS = '{"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": true}}'

OPEN_NOTEBOOK = """async name => {
    const app = window.jupyterapp;
    const panel = await app.commands.execute('docmanager:open', {path: name, factory: 'Notebook'});
    app.shell.activateById(panel.id);
    await panel.context.ready;
    // The badge says "idle" before there is a kernel: wait for the session itself.
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
    await panel.revealed;
}"""

CLOSE_NOTEBOOK = """async () => {
    const panel = window.jupyterapp.shell.currentWidget;
    await panel.sessionContext.shutdown();
    panel.dispose();  // unlike close(), asks nothing about unsaved outputs
}"""

# Console messages that say nothing about the notebooks, each with the reason.
HARMLESS: tuple[str, ...] = (
    # JupyterLab may ask for a picture of a Markdown cell once at the page's own address, before it has worked out
    # where the notebook lies; `pictures_are_shown` makes sure that the picture itself arrives.
    "/path.svg:",
)


def find_chromium() -> str | None:
    """The Chromium to use: RMQREF_CHROMIUM if it is set, else the first on the PATH."""
    if named := os.environ.get("RMQREF_CHROMIUM"):
        return named
    return next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


class OpenNotebook:
    """A notebook open in its own page, with a kernel of its own."""

    def __init__(self, lab: Lab, name: str, page: Page) -> None:
        self.lab = lab
        self.name = name
        self.page = page
        self.console_errors: list[str] = []
        self.outside_requests: list[str] = []

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Collect console errors and requests to other hosts."""
        listeners: dict[Any, Callable[[Any], None]] = {
            "pageerror": lambda error: self._note(f"uncaught: {error}"),
            "console": self._note_message,
            "request": lambda request: self._note_request(request.url),
            "websocket": lambda websocket: self._note_request(websocket.url),
        }
        for event, listener in listeners.items():
            self.page.on(event, listener)
        try:
            yield
        finally:
            for event, listener in listeners.items():
                self.page.remove_listener(event, listener)

    def run_all(self, timeout: float = 60) -> None:
        """Run every cell and wait until all have run; fail on the first cell that raised."""
        self.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells') }")
        self.wait_until_idle(timeout)
        if errors := self.errors():
            raise AssertionError(f"{self.name}: {errors[0]}")

    def wait_until_idle(self, timeout: float = 60) -> None:
        """Wait until every code cell has run and none is running."""
        self.page.wait_for_function(
            """() => {
                const panel = window.jupyterapp.shell.currentWidget;
                const cells = [...panel.content.widgets].filter(
                    c => c.model.type === 'code' && c.model.sharedModel.getSource().trim());
                const raised = cells.some(
                    c => c.model.outputs.toJSON().some(o => o.output_type === 'error'));
                return panel.sessionContext.session.kernel.status === 'idle'
                    && cells.every(c => c.model.executionState !== 'running')
                    && (raised || cells.every(c => c.model.executionCount));
            }""",
            timeout=timeout * 1000,
        )
        self.page.wait_for_function(
            "() => !document.querySelector('.jp-OutputArea-output .jp-Spinner, .widget-loading')",
            timeout=timeout * 1000,
        )

    def errors(self) -> list[str]:
        """What went wrong in the outputs: exceptions of cells, and widgets that could not be shown."""
        raised: list[str] = self.page.evaluate(
            """() => window.jupyterapp.shell.currentWidget.content.widgets
                .filter(c => c.model.type === 'code')
                .flatMap(c => c.model.outputs.toJSON())
                .filter(o => o.output_type === 'error')
                .map(o => o.ename + ': ' + o.evalue)"""
        )
        shown = self.page.locator(".jp-OutputArea-output", has_text=re.compile("Error displaying widget"))
        return raised + shown.all_inner_texts()

    def run_code(self, code: str) -> str:
        """Run Python in the notebook's kernel, as a cell would, and return what it printed."""
        printed: str = self.page.evaluate(
            """async code => {
                const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                const future = kernel.requestExecute({code, store_history: false});
                let text = '';
                future.onIOPub = m => {
                    if (m.header.msg_type === 'stream') text += m.content.text;
                    if (m.header.msg_type === 'error') text += m.content.ename + ': ' + m.content.evalue;
                };
                await future.done;
                return text;
            }""",
            code,
        )
        return printed

    def pictures_are_shown(self) -> bool:
        """Whether every picture of the Markdown cells that are drawn has been loaded."""
        pictures = "[...document.querySelectorAll('.jp-RenderedMarkdown img')]"
        self.page.wait_for_function(f"() => {pictures}.every(image => image.complete)")
        shown: bool = self.page.evaluate(f"() => {pictures}.every(image => image.naturalWidth > 0)")
        return shown

    def show_cell(self, number: int) -> None:
        """Scroll cell `number` (0 is the first, prose counts) into view, so that it is really drawn."""
        self.page.evaluate(
            """async n => {
                const notebook = window.jupyterapp.shell.currentWidget.content;
                notebook.activeCellIndex = n;
                await notebook.scrollToItem(n, 'start');
            }""",
            number,
        )

    def set_theme(self, theme: Theme) -> None:
        self.page.evaluate(
            """theme => document.body.dataset.jpThemeName === theme
                || window.jupyterapp.commands.execute('apputils:change-theme', {theme})""",
            theme,
        )
        self.page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=theme)

    def set_width(self, width: int, height: int = 1000) -> None:
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_timeout(300)  # the layout follows in its own time

    def screenshot(self, name: str) -> Path:
        """Save what the page shows as build/screenshots/<name>.png."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path)
        return path

    def _note(self, text: str) -> None:
        if not any(harmless in text for harmless in HARMLESS):
            self.console_errors.append(text)

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._note(f"{message.text} ({message.location['url']}:{message.location['lineNumber']})")

    def _note_request(self, url: str) -> None:
        if not url.startswith((self.lab.url, self.lab.url.replace("http", "ws"), "data:", "blob:")):
            self.outside_requests.append(url)


class Lab:
    """A JupyterLab server on 127.0.0.1, on a copy of notebooks/ and with settings of its own."""

    def __init__(self, folder: Path, chromium: str) -> None:
        self.folder = folder
        self.chromium = chromium
        self.token = secrets.token_hex(16)
        self.url = ""
        self._page: Page | None = None

    @contextmanager
    def running(self) -> Iterator[Lab]:
        from playwright.sync_api import sync_playwright

        shutil.copytree(NOTEBOOKS, self.folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
        with self._server(), sync_playwright() as playwright:
            # One profile for all pages: its cache holds JupyterLab's modules, compiled.
            self.context: BrowserContext = playwright.chromium.launch_persistent_context(
                self.folder / "profile", executable_path=self.chromium, args=list(CHROMIUM_FLAGS)
            )
            self.context.set_default_timeout(30_000)
            try:
                yield self
            finally:
                self.context.close()

    @contextmanager
    def open(
        self,
        name: str,
        *,
        width: int = 1300,
        height: int = 1000,
        theme: Theme = "JupyterLab Light",
        reduced_motion: bool = False,
    ) -> Iterator[OpenNotebook]:
        """Open a fresh copy of a notebook of notebooks/ with a kernel of its own.

        The page is used again for the next notebook, because JupyterLab takes five seconds to load; after a
        failure it is thrown away.
        """
        shutil.copy(NOTEBOOKS / name, self.folder / "notebooks" / name)
        page = self._page = self._page or self._load()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(reduced_motion="reduce" if reduced_motion else "no-preference")
        notebook = OpenNotebook(self, name, page)
        try:
            with notebook.listening():
                page.evaluate(OPEN_NOTEBOOK, name)
                notebook.set_theme(theme)  # the theme of the notebook before is a setting that stays
                yield notebook
            page.evaluate(CLOSE_NOTEBOOK)
        except BaseException:
            self._page = None
            page.close()
            raise

    def _load(self) -> Page:
        page = self.context.new_page()
        page.goto(f"{self.url}doc?reset&token={self.token}")
        page.wait_for_function("() => window.jupyterapp")
        page.evaluate("() => window.jupyterapp.restored")
        return page

    @contextmanager
    def _server(self) -> Iterator[None]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/"
        log = self.folder / "jupyterlab.log"
        quiet = self.folder / "jupyter_config_dir" / "labconfig" / "page_config.json"
        quiet.parent.mkdir(parents=True)
        quiet.write_text(NO_ANNOUNCEMENTS)
        own = {  # nothing of the person who runs the tests is read or written
            variable: str(self.folder / variable.lower())
            for variable in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
        }
        command = [
            *(sys.executable, "-m", "jupyterlab"),
            "--no-browser",
            "--allow-root",
            "--expose-app-in-browser",
            "--ip=127.0.0.1",
            f"--port={port}",
            "--ServerApp.port_retries=0",
            f"--IdentityProvider.token={self.token}",
            f"--ServerApp.root_dir={self.folder / 'notebooks'}",
        ]
        environment = os.environ | own | {"PLOTLY_RENDERER": "plotly_mimetype", "JUPYTER_PLATFORM_DIRS": "1"}
        with log.open("w") as output:
            server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)
            try:
                self._wait_until_up(server, log)
                yield
            finally:
                server.terminate()
                try:
                    server.wait(20)
                except subprocess.TimeoutExpired:
                    server.kill()
                    server.wait()

    def _wait_until_up(self, server: subprocess.Popen[bytes], log: Path, patience: float = 60) -> None:
        give_up = time.monotonic() + patience
        while time.monotonic() < give_up and server.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}api", timeout=5).close()
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")
