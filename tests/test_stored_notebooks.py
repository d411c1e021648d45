"""Notebooks are stored as `make notebooks` writes them: executed, in order, and the same on every machine."""

from __future__ import annotations

import pytest

from tests.tools.execute_notebooks import NOTEBOOKS, clean, read, to_text

STORED = pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)


@STORED
def test_stored_clean(path):
    assert path.read_text(encoding="utf-8") == to_text(clean(read(path)))


@STORED
def test_stored_executed_in_order_without_an_error(path):
    code = [cell for cell in read(path).cells if cell.cell_type == "code" and cell.source.strip()]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert [output for cell in code for output in cell.outputs if output.output_type == "error"] == []
