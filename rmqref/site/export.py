"""Exports the notebooks to other documentation sites.

The result is a folder `rmqref` of Markdown, pictures and embeds that Docusaurus and MkDocs take as it is, and a README
that says how.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rmqref.errors import SiteError
from rmqref.messages import text
from rmqref.site.build import Recorded, check_target, plotly_of, record, replace, source_folder
from rmqref.site.embeds import EMBED, PLOTLY, embed
from rmqref.site.pieces import EMBEDDED
from rmqref.site.portable import document, index
from rmqref.site.vendored import npm_packages

FOLDER = "rmqref"
"""What the folder for the other site is called."""

BESIDE = "../"
"""The way from a page to its folder where a page's address ends with a slash, as both programs have it."""

ADDRESS = re.compile(r"(\.{1,2}/|/|https?://)([^\s\"<>{}]*/)?")
"""What a base looks like."""

Say = Callable[[str], None]


def export(
    to: Path,
    *,
    format: str = "markdown",  # noqa: A002  # as it is called on the command line
    source: Path | None = None,
    base: str | None = None,
    say: Say = print,
) -> None:
    """Run the notebooks and write them for another documentation site.

    Args:
        to: the folder; what an earlier export left there is replaced, anything else is not.
        format: a name in `FORMATS`.
        source: the project's sources; if None, a clone is looked for.
        base: the address at which the folder `rmqref` will stand, such as "/docs/rmqref/"; if None, frames name their
            files relative to the page.
        say: is told how far it is, in one line at a time.

    Raises:
        SiteError: the format or the base is not one, something that is needed is missing, the folder holds something
            else, or a cell failed.
    """
    began = time.monotonic()
    if format not in FORMATS:
        raise SiteError("site.export.error.format", format=format, known=", ".join(FORMATS))
    if base is not None and not ADDRESS.fullmatch(base):
        raise SiteError("site.export.error.base", base=base)
    source = source_folder(source)
    check_target(to, source, "export")
    with tempfile.TemporaryDirectory(prefix="rmqref-") as folder:
        scratch = Path(folder)
        say(text("site.say.packages"))
        plotly = plotly_of(npm_packages(scratch / "npm"))
        paths = sorted((source / "notebooks").glob("*.ipynb"))
        recorded = record(paths, plotly, scratch / "export" / FOLDER / "pictures", say)
        say(text("site.say.pages"))
        FORMATS[format](recorded, source, scratch / "export", plotly, base or BESIDE)
        replace(scratch / "export", to, "export")
    say(text("site.export.done", folder=str(to), seconds=round(time.monotonic() - began)))


def export_markdown(recorded: Recorded, source: Path, to: Path, plotly: Path, base: str = BESIDE) -> None:
    """Write recorded notebooks as Markdown.

    Args:
        recorded: the recorded notebooks; their figures' pictures lie in `rmqref/pictures` of the folder.
        source: the project's sources.
        to: the folder.
        plotly: plotly.js.
        base: the way from a page to the folder `rmqref`.
    """
    folder = to / FOLDER
    for name in ("embeds", "pictures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    write(folder / "index.md", index(recorded.notebooks))
    for position, (stem, notebook) in enumerate(recorded.notebooks.items(), 1):
        write(folder / f"{stem}.md", document(notebook, stem, position=position, base=base))
    for key, piece in recorded.pieces.items():
        if piece.kind not in EMBEDDED:
            continue
        still, pictures = recorded.stills.get(key, ""), recorded.pictures.get(key, {})
        write(folder / "embeds" / f"{key}.html", embed(piece, still=still, pictures=pictures))
    shutil.copy(plotly, folder / "embeds" / PLOTLY)
    for picture in (source / "notebooks").glob("*.svg"):
        shutil.copy(picture, folder / "pictures")
    shutil.copy(EMBED / "README.md", to)


def write(path: Path, content: str) -> None:
    """Write a text file, the same bytes on every machine."""
    path.write_text(content, encoding="utf-8", newline="\n")


FORMATS = {"markdown": export_markdown}
"""What can be written, by the names that a person gives."""
