"""A built site below a path of a server on this machine, in a Chromium that reaches nothing else."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from html.parser import HTMLParser
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Response, sync_playwright

from rmqref.site.pictures import FLAGS
from rmqref.site.serve import Handler, Server

BASE_URL = "https://docs.example.org/docs/rmqref/"
ROOT = Path(__file__).parents[2]
PREFIX = "docs/rmqref/"
"""Sites often stand below a path: so does this one in all tests."""


class Links(HTMLParser):
    """What a page refers to, and what can be referred to in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.ids: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.add(value or "")
            elif name in {"href", "src", "srcset"} and value is not None:
                self.hrefs.append(value)


@dataclass
class Visit:
    """A page that was opened, and what happened meanwhile."""

    page: Page
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def note_message(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.errors.append(said.text)

    def note_response(self, answer: Response) -> None:
        if answer.status >= 400:
            self.errors.append(f"{answer.status} {answer.url}")

    @property
    def complaints(self) -> list[str]:
        return [*self.outside, *self.errors]


class Site:
    """The site, its server and its browser."""

    def __init__(self, folder: Path, url: str, browser: Browser) -> None:
        self.folder = folder
        self.url = url
        self.browser = browser

    @cached_property
    def pages(self) -> list[str]:
        """The addresses of all pages but JupyterLite's own."""
        found = (path.relative_to(self.folder) for path in self.folder.rglob("*.html"))
        return sorted(str(path) for path in found if path.parts[0] != "lite")

    @contextmanager
    def open(
        self, path: str, *, width: int = 1300, theme: Any = "light", wait: bool = True, **options: Any
    ) -> Iterator[Visit]:
        context = self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, **options
        )
        context.set_default_timeout(20_000)
        visit = Visit(context.new_page())
        visit.page.on("console", visit.note_message)
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        visit.page.on("response", visit.note_response)
        visit.page.on("request", lambda request: self._note(visit, request.url))
        try:
            visit.page.goto(self.url + path, wait_until="load" if wait else "commit")
            yield visit
        finally:
            context.close()

    def _note(self, visit: Visit, url: str) -> None:
        if url.startswith(self.url):
            visit.loaded.append(urldefrag(url)[0].partition("?")[0].removeprefix(self.url))
        elif not url.startswith(("data:", "blob:")):
            visit.outside.append(url)

    def weight(self, loaded: list[str]) -> int:
        """Bytes of files as a host sends them, compressed."""
        return sum(
            len(gzip.compress((self.folder / (unquote(name) or "index.html")).read_bytes()))
            for name in set(loaded)
        )

    def broken_links(self) -> list[str]:
        """Links and anchors of all pages that lead nowhere in the site."""
        read = {path: Links((self.folder / path).read_text(encoding="utf-8")) for path in self.pages}
        broken = []
        for path, links in read.items():
            for href in links.hrefs:
                target, anchor = urldefrag(urljoin(f"site:///{path}", href))
                if not target.startswith("site:"):
                    continue
                name = unquote(urlsplit(target).path).lstrip("/")
                there = (self.folder / name).is_file()
                known = name not in read or not anchor or "=" in anchor or unquote(anchor) in read[name].ids
                if not there or not known:
                    broken.append(f"{path}: {href}")
        return broken


@contextmanager
def running_site(scratch: Path, chromium: str) -> Iterator[Site]:
    """Build the site, or take the one that RMQREF_SITE names (it has to be built with this base URL), and serve it."""
    folder = scratch / PREFIX
    if given := os.environ.get("RMQREF_SITE"):
        shutil.copytree(given, folder)
    else:
        build = [sys.executable, "-m", "rmqref", "site", "build", "--base-url", BASE_URL, "--to", str(folder)]
        subprocess.run(build, cwd=ROOT, check=True)
    with (
        Server(("127.0.0.1", 0), partial(Handler, directory=str(scratch))) as server,
        sync_playwright() as playwright,
    ):
        Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        try:
            yield Site(folder, f"http://127.0.0.1:{server.server_port}/{PREFIX}", browser)
        finally:
            browser.close()
            server.shutdown()
