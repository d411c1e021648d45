"""Run the notebooks and store them executed, byte for byte the same each time.

    python tests/tools/execute_notebooks.py [NOTEBOOK…]

Without arguments: every notebook of notebooks/.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat

if TYPE_CHECKING:
    from collections.abc import Iterable

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def clean(notebook: Any) -> Any:
    """Take out of an executed notebook what differs from run to run or from machine to machine."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},  # its version is the machine's
    }
    for cell in notebook.cells:
        cell.metadata = {
            key: value for key, value in cell.metadata.items() if key in {"tags", "jupyter", "slideshow"}
        }
        for output in cell.get("outputs", ()):
            # A view names a live widget by a random id. Without that widget JupyterLab shows an error in its
            # place, with only the text the text.
            output.get("data", {}).pop(WIDGET_VIEW, None)
    return notebook


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def to_text(notebook: Any) -> str:
    return str(nbformat.writes(notebook)).rstrip("\n") + "\n"


def execute(path: Path) -> None:
    from nbclient import NotebookClient  # here, so that `clean` costs a test nothing

    notebook = read(path)
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    path.write_text(to_text(clean(notebook)), encoding="utf-8")


def main(arguments: Iterable[str]) -> None:
    os.environ.setdefault("PLOTLY_RENDERER", "plotly_mimetype")
    for path in [Path(argument) for argument in arguments] or sorted(NOTEBOOKS.glob("*.ipynb")):
        execute(path)
        print(f"executed {path.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
