"""Packs wheels for the browser: compiled, and without what nothing there reads.

This runs inside the Pyodide that will read the wheels, because only the same Python compiles for it; see `pack.mjs`.
It needs nothing but the standard library. Compiling at build time saves a reader a quarter of the wait.
"""

from __future__ import annotations

import importlib.util
import marshal
import re
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

SITE_PACKAGES = "/lib/python3.14/site-packages/"
"""Where Pyodide unpacks a wheel: what a traceback names."""

UNCHECKED = (1).to_bytes(4, "little")
"""Marks a compiled file that is not compared with its source: it was made from it and never changes."""

Member = tuple[ZipInfo, bytes]


def pack(folder: Path, left_out: str, keeps_source: str) -> None:
    """Pack every wheel of a folder anew, in its place.

    Args:
        folder: the folder.
        left_out: a pattern; a file whose name begins with it is left out.
        keeps_source: a pattern; where the name of a source begins with it, the source stays beside what is compiled.
    """
    for wheel in sorted(folder.glob("*.whl")):
        with ZipFile(wheel) as archive:
            read = [(info, archive.read(info)) for info in archive.infolist()]
        with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
            for info, data in read:
                if not re.match(left_out, info.filename):
                    for member, content in packed(info, data, bool(re.match(keeps_source, info.filename))):
                        archive.writestr(member, content, ZIP_DEFLATED)


def packed(info: ZipInfo, data: bytes, keeps_source: bool) -> Iterator[Member]:
    """Yield what a file of a wheel becomes.

    Args:
        info: its name and time.
        data: what is in it.
        keeps_source: whether a source stays.

    >>> [info.filename for info, _ in packed(ZipInfo("a/b.py"), b"c = 1", True)]
    ['a/b.py', 'a/__pycache__/b.cpython-314.pyc']
    >>> [info.filename for info, _ in packed(ZipInfo("a/b.py"), b"c = 1", False)]
    ['a/b.pyc']
    """
    folder, _, name = info.filename.rpartition("/")
    if not name.endswith(".py"):
        yield info, data
        return
    if keeps_source:
        yield info, data
    kept = f"{folder}/__pycache__/{name.removesuffix('.py')}.cpython-314.pyc"
    yield (
        ZipInfo(kept if keeps_source else f"{info.filename}c", info.date_time),
        compiled(data, SITE_PACKAGES + info.filename),
    )


def compiled(source: bytes, name: str) -> bytes:
    """Return a source compiled, as Python keeps it in a file (PEP 552).

    Args:
        source: the source.
        name: its file.
    """
    code = compile(source, name, "exec", dont_inherit=True)
    header = importlib.util.MAGIC_NUMBER + UNCHECKED + importlib.util.source_hash(source)
    return header + marshal.dumps(code)
