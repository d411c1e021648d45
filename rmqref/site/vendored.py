"""Gets what the site needs from the package registries: at pinned versions, each file checked by its hash.

`vendor/package-lock.json` pins what comes from npm, `vendor/lite.lock` the Python packages of the live notebooks.
Both are fetched by the registries' own clients, which know a person's mirror and proxy.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rmqref.errors import SiteError

VENDOR = Path(__file__).parent / "vendor"
"""What is pinned."""

NPM = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")

PIP = (
    *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"),
    # Plain Python only: what is taken does not depend on the machine that builds the site.
    *(
        "--require-hashes",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--platform",
        "any",
        "--implementation",
        "py",
    ),
    *("--python-version", "3.14"),
)


def npm_packages(folder: Path, *, dev: bool = False) -> Path:
    """Install the pinned packages of npm into a folder.

    Args:
        folder: an empty or a new folder.
        dev: whether to install what only the tests need, too.

    Returns:
        Its `node_modules`.

    Raises:
        SiteError: Node.js or npm is missing, or npm failed.
    """
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise SiteError("site.vendored.missing", program=program)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(VENDOR / name, folder)
    run([*NPM, *(() if dev else ("--omit=dev",))], folder, program="npm")
    return folder / "node_modules"


def live_wheels(folder: Path) -> list[Path]:
    """Download the pinned Python packages of the live notebooks.

    Args:
        folder: where to.

    Returns:
        Their wheels, by name.

    Raises:
        SiteError: pip failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    run([*PIP, "--dest", str(folder), "--requirement", str(VENDOR / "lite.lock")], folder, program="pip")
    return sorted(folder.glob("*.whl"))


def run(
    command: Sequence[str],
    folder: Path,
    *,
    program: str,
    failure: str = "site.vendored.failed",
    given: str = "",
) -> None:
    """Run a program that makes a part of the site.

    Args:
        command: the command.
        folder: where it runs.
        program: the program's name, for a person.
        failure: the catalogue's name of the sentence that says that it failed.
        given: what stands on its standard input.

    Raises:
        SiteError: it failed.
    """
    done = subprocess.run(  # noqa: S603  # the commands are those of this folder
        command, cwd=folder, input=given, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise SiteError(failure, program=program, problem=last_line(done.stderr or done.stdout))


def last_line(said: str) -> str:
    r"""Return the last line that a program said, which is where it says what was wrong.

    >>> last_line("reading the lock\nERROR: no such host\n\n")
    'ERROR: no such host'
    """
    return next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "")
