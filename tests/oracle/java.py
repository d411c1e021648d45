"""Asks the classes of a published client, each release in a JVM of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build" / "oracle"
CLASS_PATHS = BUILD / "class_paths"

JVM = ("-Xmx512m", "-Xshare:auto", "-XX:TieredStopAtLevel=1")


class OracleError(Exception):
    """Java cannot be asked; the message is one sentence."""


class NotThere(OracleError):
    """A part cannot be downloaded."""


def missing_tools() -> list[str]:
    """Return which of the programs that this needs are not on the path."""
    return [name for name in ("java", "javac", "mvn") if shutil.which(name) is None]


def maven(pom: Path, *arguments: str) -> None:
    """Run Maven.

    Raises:
        OracleError: it fails.
    """
    done = subprocess.run(
        ["mvn", "--batch-mode", "--quiet", "-f", str(pom), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        problem = next((line for line in done.stdout.splitlines() if "[ERROR]" in line), done.stderr).strip()
        kind = (
            NotThere
            if re.search("resol|transfer|download|connect|not find artifact", problem)
            else OracleError
        )
        raise kind(f"Maven cannot run {arguments[0]} in tests/oracle: {problem[:300]}")


@cache
def driver() -> Path:
    """Build the driver, if it is not built or older than its sources, and return its jar."""
    jar = BUILD / "driver" / "oracle-1.jar"
    sources = [HERE / "pom.xml", *HERE.rglob("*.java")]
    if not jar.exists() or jar.stat().st_mtime < max(file.stat().st_mtime for file in sources):
        maven(HERE / "pom.xml", "package")
    return jar


@cache
def class_path(version: str) -> str:
    """Return the class path of a published client, downloaded if need be.

    Raises:
        OracleError: it is not published, or lacks a part.
    """
    kept = CLASS_PATHS / f"{version}.txt"
    if not kept.exists():
        CLASS_PATHS.mkdir(parents=True, exist_ok=True)
        maven(
            HERE / "client" / "pom.xml",
            "dependency:build-classpath",
            f"-Drelease={version}",
            f"-Dmdep.outputFile={kept}",
        )
    return kept.read_text().strip()


def ask(version: str, cases: list[tuple[str, Any]]) -> list[Any]:
    """Return what the classes of a release answer.

    Args:
        version: the release.
        cases: kinds and inputs.

    Returns:
        Answers in the same order; `{"not asked": reason}` where the release has no operation for a case.

    Raises:
        OracleError: the JVM fails.
    """
    jar = driver()
    classes = os.pathsep.join(
        [str(jar), *map(str, sorted((jar.parent / "lib").glob("*.jar"))), class_path(version)]
    )
    home = BUILD / "home"
    asked = "".join(json.dumps({"kind": kind, "input": given}) + "\n" for kind, given in cases)
    done = subprocess.run(
        [
            "java",
            *JVM,
            f"-javaagent:{jar}",
            f"-Duser.home={home}",
            f"-Drocketmq.client.logRoot={home}",
            "-cp",
            classes,
            "org.rmqref.oracle.Oracle",
        ],
        input=asked,
        capture_output=True,
        text=True,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or len(answers) != len(cases):
        place = f"case {len(answers) + 1} of {len(cases)}"
        problem = next(
            (line for line in done.stderr.splitlines() if "Exception" in line or "Error" in line), ""
        )
        raise OracleError(f"The client {version} does not answer {place}: {problem.strip()}")
    return answers
