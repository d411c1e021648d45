from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import NOTEBOOKS

if TYPE_CHECKING:
    from tests.browser.lab import Lab


@pytest.mark.parametrize("name", sorted(path.name for path in NOTEBOOKS.glob("*.ipynb")))
def test_notebook_runs_without_an_error(lab: Lab, name: str) -> None:
    stem = name.removesuffix(".ipynb")
    with lab.open(name) as notebook:
        notebook.run_all()
        notebook.screenshot(f"{stem}-1300")
        notebook.set_width(360, 800)
        notebook.screenshot(f"{stem}-360")
        assert notebook.errors() == []
        assert notebook.console_errors == []
        assert notebook.outside_requests == []
