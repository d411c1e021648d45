"""Still pictures of the pieces, drawn by the modules that the pages use, in a Chromium of this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from rmqref.errors import SiteError
from rmqref.site.pieces import THEMES, WIDTHS, Piece, themed
from rmqref.stepper import STATIC

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What Chromium is called on the machines where it is looked for."""

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
"""It asks nobody for anything."""

MOUNT = """([trace, options]) => {
  const host = document.body.appendChild(document.createElement("div"));
  host.style.width = "760px";
  window.mount(trace, host, options);
  const drawn = host.innerHTML;
  host.remove();
  return drawn;
}"""

DRAW = """([figure, width, height]) => window.Plotly.toImage(figure, { format: "svg", width, height })"""

CHANCE = """() => {
  let state = 1;
  Math.random = () => (state = (state * 16807) % 2147483647) / 2147483647;
}"""
"""Plotly names the parts of a picture by chance: here always by the same one."""


def find_chromium() -> str | None:
    """Return the path of this machine's Chromium: `RMQREF_CHROMIUM`, or the first on the PATH; None if there is none."""
    return os.environ.get("RMQREF_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def drawing_page(plotly: Path) -> Iterator[Page]:
    """Open an empty page that knows the stepper and plotly.

    Args:
        plotly: plotly.js, as one file.

    Yields:
        The page; it is closed afterwards.

    Raises:
        SiteError: there is no Chromium, or it does not start.
    """
    from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415  # only the site needs it

    chromium = find_chromium()
    if chromium is None:
        raise SiteError("site.error.chromium")
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        except Error as problem:
            first = str(problem).partition("\n")[0]
            raise SiteError("site.error.launch", path=chromium, problem=first) from problem
        try:
            page = browser.new_page()
            page.set_content("<!doctype html><title>.</title><body></body>")
            page.add_style_tag(path=STATIC / "stepper.css")
            page.add_script_tag(path=plotly)
            module = (STATIC / "stepper.js").read_text(encoding="utf-8")
            page.add_script_tag(content=f"{module}\nwindow.mount = mount;", type="module")
            page.wait_for_function("() => window.mount && window.Plotly")
            yield page
        finally:
            browser.close()


def stills_of(page: Page, pieces: Iterable[Piece]) -> dict[str, str]:
    """Return each stepper as it first appears, as HTML without behaviour, by key."""
    return {
        key: str(
            page.evaluate(MOUNT, [run["trace"], {name: run[name] for name in ("step", "predict", "answers")}])
        )
        for piece in pieces
        for key, run in piece.steppers.items()
    }


def pictures_of(page: Page, pieces: Iterable[Piece], to: Path) -> dict[str, Mapping[str, str]]:
    """Draw each figure in both themes, wide and narrow.

    Args:
        page: a drawing page.
        pieces: the pieces.
        to: the folder for the pictures.

    Returns:
        The names of a figure's pictures by theme and width ("light wide"), by the figure's key.
    """
    to.mkdir(parents=True, exist_ok=True)
    found: dict[str, Mapping[str, str]] = {}
    for piece in pieces:
        if piece.kind != "plot":
            continue
        files = {
            f"{theme} {width}": f"{piece.key}.{theme}.{width}.svg" for theme in THEMES for width in WIDTHS
        }
        for name, file in files.items():
            theme, width = name.split()
            (to / file).write_text(
                drawn(page, themed(piece.data, theme), WIDTHS[width], piece.height), "utf-8"
            )
        found[piece.key] = files
    return found


def drawn(page: Page, figure: Any, width: int, height: int) -> str:
    """Return a figure as SVG, the same bytes each time.

    Args:
        page: a drawing page.
        figure: the figure as JSON.
        width: pixels.
        height: pixels.
    """
    page.evaluate(CHANCE)
    address = str(page.evaluate(DRAW, [figure, width, height]))
    return unquote(address.partition(",")[2])
