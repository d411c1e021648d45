"""Builds the site: one folder of files, for any static host.

What is worked on goes to a scratch folder; the site takes the place of an older one only when it is whole.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

import rmqref
from rmqref.errors import SiteError
from rmqref.messages import text
from rmqref.releases import VERSIONS
from rmqref.site.lite import build_lite, build_wheel, write_live_page
from rmqref.site.pictures import drawing_page, pictures_of, stills_of
from rmqref.site.pieces import THEMES, Piece, dressed_notebook, element, pieces_of, themed
from rmqref.site.recording import record_notebooks
from rmqref.site.reference import write_pages
from rmqref.site.theme import finished
from rmqref.site.vendored import npm_packages
from rmqref.trace import Json

HERE = Path(__file__).parent

MARK = ".rmqref-{kind}"
"""The file by which a folder is known as a site, or an export, that may be written again."""

ENVIRONMENT = {
    "PLOTLY_RENDERER": "plotly_mimetype",
    "JUPYTER_PLATFORM_DIRS": "1",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}
"""What kernels are told: figures as data, and no warnings that are not about the notebooks."""

CONF = """from rmqref.site.theme import settings

globals().update(settings({base_url!r}))
"""
"""What Sphinx reads its settings from; given in another way it would warn of those that furo brings."""

FRONT = "00_where_to_start.stepper"
"""The piece on the first page."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The recorded notebooks and what is drawn of them.

    Attributes:
        notebooks: the executed notebooks by stem, in order.
        pieces: their pieces by key.
        stills: the steppers as they first appear, as HTML, by key.
        pictures: the names of the figures' pictures by theme and width, by key.
    """

    notebooks: Mapping[str, Any]
    pieces: Mapping[str, Piece]
    stills: Mapping[str, str]
    pictures: Mapping[str, Mapping[str, str]]


def source_folder(given: Path | None) -> Path:
    """Return the folder of the project's sources.

    Args:
        given: the folder that a person named; if None, that of this package, or else the current one.

    Raises:
        SiteError: there are no notebooks.
    """
    candidates = [given] if given else [Path(rmqref.__file__).parents[1], Path.cwd()]
    for folder in candidates:
        if any((folder / "notebooks").glob("*.ipynb")) and (folder / "pyproject.toml").is_file():
            return folder.resolve()
    raise SiteError("site.error.source", folder=str(candidates[-1]))


def build(to: Path, *, source: Path | None = None, base_url: str | None = None, say: Say = print) -> None:
    """Build the site.

    Args:
        to: its folder; a site that was built there before is replaced, anything else is not.
        source: the project's sources; if None, a clone is looked for.
        base_url: where the site will stand, for canonical links.
        say: is told how far it is, in one line at a time.

    Raises:
        SiteError: something that is needed is missing, the folder holds something else, or a part failed.
    """
    began = time.monotonic()
    source = source_folder(source)
    if base_url is not None and not re.fullmatch(r"https?://\S+/", base_url):
        raise SiteError("site.error.base", url=base_url)
    check_target(to, source, "site")
    paths = sorted((source / "notebooks").glob("*.ipynb"))
    with tempfile.TemporaryDirectory(prefix="rmqref-") as folder, ThreadPoolExecutor() as pool:
        scratch = Path(folder)
        site = scratch / "site"
        say(text("site.say.packages"))
        packages = npm_packages(scratch / "npm")

        def live() -> None:
            wheel = build_wheel(source, scratch / "wheel")
            build_lite(
                paths, site / "lite", wheel=wheel, packages=packages, scratch=scratch / "lite", say=say
            )

        lite = pool.submit(live)
        recorded = record(paths, plotly_of(packages), site / "pictures", say)
        say(text("site.say.pages"))
        write_sources(recorded, source, scratch / "pages")
        run_sphinx(scratch / "pages", site, base_url, scratch / "doctrees")
        write_static(recorded, site, plotly_of(packages))
        write_live_page(site, titles(recorded.notebooks), base_url)
        say(text("site.say.live"))
        lite.result()
        replace(site, to, "site")
    say(text("site.say.done", folder=str(to), seconds=round(time.monotonic() - began)))


def check_target(to: Path, source: Path, kind: str) -> None:
    """Refuse a folder that holds something else than what will be written, or the project itself.

    Args:
        to: the folder.
        source: the project's sources.
        kind: "site" or "export".

    Raises:
        SiteError: it does.
    """
    if to.exists() and not to.is_dir():
        raise SiteError("site.error.file", folder=str(to), kind=kind)
    if to.is_dir() and any(to.iterdir()) and not (to / MARK.format(kind=kind)).is_file():
        raise SiteError("site.error.folder", folder=str(to), kind=kind)
    if source.is_relative_to(to.resolve()):
        raise SiteError("site.error.inside", folder=str(to), kind=kind)
    to.parent.mkdir(parents=True, exist_ok=True)  # if that fails, then before the work is done


def plotly_of(packages: Path) -> Path:
    """Return plotly.js, as one file that knows the kinds of figures that are drawn here."""
    return packages / "plotly.js-basic-dist-min" / "plotly-basic.min.js"


def record(paths: Sequence[Path], plotly: Path, pictures: Path, say: Say) -> Recorded:
    """Run the notebooks and draw their pieces.

    Args:
        paths: the notebooks.
        plotly: plotly.js.
        pictures: the folder for the figures' pictures.
        say: is told how far it is.
    """
    say(text("site.say.notebooks", count=len(paths)))
    notebooks = record_notebooks(
        paths, os.environ | ENVIRONMENT, lambda stem: say(text("site.say.ran", stem=stem))
    )
    pieces = [piece for stem, notebook in notebooks.items() for _, _, piece in pieces_of(notebook, stem)]
    say(text("site.say.pictures", count=len(pieces)))
    with drawing_page(plotly) as page:
        stills = stills_of(page, pieces)
        drawn = pictures_of(page, pieces, pictures)
    return Recorded(notebooks, {piece.key: piece for piece in pieces}, stills, drawn)


def write_sources(recorded: Recorded, source: Path, to: Path) -> None:
    """Write what Sphinx reads: the recorded notebooks, the generated pages, and the first page.

    Args:
        recorded: the recorded notebooks.
        source: the project's sources.
        to: the folder for it.
    """

    def show(piece: Piece, root: str = "../") -> str:
        return element(
            piece,
            root=root,
            stills=recorded.stills,
            pictures=recorded.pictures.get(piece.key, {}),
        )

    folder = to / "notebooks"
    folder.mkdir(parents=True)
    for stem, notebook in recorded.notebooks.items():
        nbformat.write(dressed_notebook(notebook, stem, show), folder / f"{stem}.ipynb")
    for picture in (source / "notebooks").glob("*.svg"):
        shutil.copy(picture, folder)
    others = write_pages(source, to)
    front = (HERE / "pages" / "index.md").read_text(encoding="utf-8")
    (to / "index.md").write_text(
        front.format(
            releases=len(VERSIONS),
            oldest=VERSIONS[0],
            newest=VERSIONS[-1],
            stepper=show(recorded.pieces[FRONT], root=""),
            notebooks="\n".join(f"notebooks/{stem}" for stem in recorded.notebooks),
            others="\n".join(others),
        ),
        encoding="utf-8",
    )


def run_sphinx(pages: Path, to: Path, base_url: str | None, doctrees: Path) -> None:
    """Let Sphinx make the pages.

    Args:
        pages: what it reads.
        to: the site's folder.
        base_url: where the site will stand, or None.
        doctrees: a folder for what it remembers.

    Raises:
        SiteError: it warned of anything.
    """
    from sphinx.application import Sphinx  # noqa: PLC0415  # only the site needs it
    from sphinx.util.console import nocolor  # noqa: PLC0415

    nocolor()  # its warnings become part of a sentence
    (pages / "conf.py").write_text(CONF.format(base_url=base_url), encoding="utf-8")
    warnings = io.StringIO()
    app = Sphinx(
        srcdir=pages,
        confdir=pages,
        outdir=to,
        doctreedir=doctrees,
        buildername="html",
        status=None,
        warning=warnings,
    )
    app.build()
    if warnings.getvalue():
        raise SiteError("site.error.sphinx", problem=warnings.getvalue().strip())
    (to / ".buildinfo").unlink(missing_ok=True)
    shutil.rmtree(to / "_sources", ignore_errors=True)
    for page in to.rglob("*.html"):
        if "lite" not in page.relative_to(to).parts:
            page.write_text(finished(page.read_text(encoding="utf-8")), encoding="utf-8")


def write_static(recorded: Recorded, site: Path, plotly: Path) -> None:
    """Write what the pages load beside Sphinx's own files: plotly, and the pieces as data."""
    shutil.copy(plotly, site / "_static" / "plotly.min.js")
    for piece in recorded.pieces.values():
        for name, data in files_of(piece):
            (site / name).parent.mkdir(exist_ok=True)
            written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
            (site / name).write_text(written, encoding="utf-8")


def files_of(piece: Piece) -> Iterator[tuple[str, Json]]:
    """Yield the files that a piece loads, each with what it holds; a quiz loads each question's run when it is asked for."""
    for key, run in piece.steppers.items():
        yield f"traces/{key}.json", run["trace"]
    if piece.kind == "pair":
        yield f"pairs/{piece.key}.json", piece.data["matches"]
    elif piece.kind == "plot":
        yield f"plots/{piece.key}.json", {theme: themed(piece.data, theme) for theme in THEMES}
    elif piece.kind == "quiz":
        yield f"quizzes/{piece.key}.json", {name: piece.data[name] for name in ("questions", "words")}
        for number, run in enumerate(piece.data["runs"]):
            yield f"quizzes/{piece.key}.{number}.json", run


def titles(notebooks: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the stem and the title of each notebook."""
    return [
        (stem, notebook.cells[0].source.partition("\n")[0].removeprefix("# "))
        for stem, notebook in notebooks.items()
    ]


def replace(made: Path, to: Path, kind: str) -> None:
    """Put a finished site, or export, in the place of an older one.

    Args:
        made: the finished one.
        to: its place.
        kind: "site" or "export".
    """
    (made / MARK.format(kind=kind)).write_text(f"rmqref {rmqref.__version__}\n", encoding="utf-8")
    if to.exists():
        shutil.rmtree(to)
    shutil.move(made, to)
