"""Each interactive piece as an HTML file of its own, for a frame in any page.

A stepper's file holds all that it needs. Figures share plotly.js, which lies beside them.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template

from rmqref.messages import text
from rmqref.site.pieces import THEMES, Piece, picture, themed
from rmqref.stepper import STATIC
from rmqref.trace import Json

EMBED = Path(__file__).parent / "embed"

PLOTLY = "plotly.min.js"
"""What the file that figures share is called."""

SOURCES = {
    "stepper": "script-src {hashes}; img-src data:",
    "plot": "script-src 'self' {hashes}; img-src 'self' data:",
}
"""What each kind may load."""

POLICY = "default-src 'none'; {sources}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The content security policy of an embed. (A policy in the page itself cannot say who may embed it.)"""


def embed(piece: Piece, *, still: str, pictures: Mapping[str, str]) -> str:
    """Return a piece as an HTML file.

    Args:
        piece: the piece.
        still: of a stepper: its HTML at its first moment.
        pictures: of a figure: its picture's file names by theme and width; they lie in `../pictures`.
    """
    program = read(EMBED / "embed.js")
    style = read(EMBED / "embed.css")
    if piece.kind == "stepper":
        modules = [read(STATIC / "stepper.js") + "\nwindow.mount = mount;\n", program]
        style = read(STATIC / "stepper.css") + style
        shown = f"<div inert>{still}</div>"
        data: Json = {name: piece.data[name] for name in ("trace", "step", "predict")}
        loaded = ""
    else:
        modules = [program]
        shown = "".join(picture(piece, theme, "../", pictures) for theme in THEMES)
        data = {theme: themed(piece.data, theme) for theme in THEMES}
        loaded = f'<script src="{PLOTLY}"></script>\n'
    modules = [module.replace("</script", r"<\/script") for module in modules]
    sources = SOURCES[piece.kind].format(hashes=" ".join(map(digest, modules)))
    return Template(read(EMBED / "page.html")).substitute(
        policy=POLICY.format(sources=sources),
        title=escape(title_of(piece)),
        style=style,
        kind=piece.kind,
        failed=escape(text("site.piece.failed")),
        still=shown,
        data=packed(data),
        scripts=loaded + "\n".join(f'<script type="module">{module}</script>' for module in modules),
    )


def title_of(piece: Piece) -> str:
    """Return what a piece is called: the first sentence of what it shows."""
    return piece.description.partition(". ")[0]


def read(path: Path) -> str:
    """Return a text file's content."""
    return path.read_text(encoding="utf-8")


def digest(script: str) -> str:
    """Return how a content security policy names a script that stands in the page.

    >>> digest("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'"


def packed(data: Json) -> str:
    """Return a JSON value as `embed.js` reads it: a trace says most things many times over.

    >>> json.loads(zlib.decompress(base64.b64decode(packed({"step": 3}))))
    {'step': 3}
    """
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(written.encode(), 9)).decode()
