from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import HOW_TO_GET_CHROMIUM, Lab, find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")  # each file of tests has a browser of its own
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab on a copy of notebooks/, see tests/browser/lab.py."""
    chromium = find_chromium()
    if chromium is None and os.environ.get("RMQREF_REQUIRE_BROWSER") == "1":
        pytest.fail(HOW_TO_GET_CHROMIUM)
    if chromium is None:
        pytest.skip(HOW_TO_GET_CHROMIUM)
    with Lab(tmp_path_factory.mktemp("lab"), chromium).running() as running:
        yield running
