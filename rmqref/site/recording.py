"""Runs the notebooks once more, so that what the site shows is what just ran."""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat

from rmqref.errors import SiteError

AT_ONCE = 2
"""How many notebooks run at the same time."""

PATIENCE = 120
"""Seconds that a cell may take."""

BEFORE = "from rmqref.site.showing import install; install()"
"""What each kernel runs first; it does not stand in the recorded notebook."""


class Loop(asyncio.SelectorEventLoop):
    """A loop in which Ctrl+C ends the whole run: nbclient would only stop one of the kernels."""

    def add_signal_handler(self, *_given: object) -> None:
        """Refuse, as a loop does outside the main thread.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError


def record_notebooks(
    paths: Sequence[Path], environment: Mapping[str, str], say: Callable[[str], None]
) -> dict[str, Any]:
    """Run notebooks and return them with what they showed; widgets are there as data, see `rmqref.site.showing`.

    Args:
        paths: the notebooks.
        environment: the environment of their kernels.
        say: is told each notebook's name when it has run.

    Returns:
        The executed notebooks by stem, in the order given.

    Raises:
        SiteError: a cell failed.
    """

    async def record_all() -> list[Any]:
        turn = asyncio.Semaphore(AT_ONCE)

        async def one(path: Path) -> Any:
            async with turn:
                notebook = await record_notebook(path, environment)
            say(path.stem)
            return notebook

        return await asyncio.gather(*map(one, paths))

    with asyncio.Runner(loop_factory=Loop) as runner:
        notebooks = runner.run(record_all())
    return {path.stem: notebook for path, notebook in zip(paths, notebooks, strict=True)}


async def record_notebook(path: Path, environment: Mapping[str, str]) -> Any:
    """Run one notebook in a kernel of its own.

    Args:
        path: the notebook.
        environment: the environment of its kernel.

    Raises:
        SiteError: it cannot be read, or a cell failed.
    """
    from nbclient import NotebookClient  # noqa: PLC0415  # only the site needs it
    from nbclient.exceptions import CellExecutionError  # noqa: PLC0415

    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(BEFORE))
    client = NotebookClient(
        notebook,
        timeout=PATIENCE,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # each kernel warns of its ports, which only this machine sees
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        await client.async_execute(env=dict(environment))
    except CellExecutionError as problem:
        raise SiteError(
            "site.error.cell", notebook=path.name, problem=f"{problem.ename}: {problem.evalue}"
        ) from problem
    finally:
        atexit.unregister(client._cleanup_kernel)  # noqa: SLF001  # when interrupted, it leaves one to clean up again
    del notebook.cells[0]
    return notebook
