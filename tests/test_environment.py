"""pyproject.toml, requirements.lock and environment.yml say the same."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
BENCH_LOCK = ROOT / "tests" / "benchmarks" / "requirements.lock"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
GROUPS = PYPROJECT["dependency-groups"]
EXTRAS = PROJECT["optional-dependencies"]
LOCKED_HERE = PROJECT["dependencies"] + EXTRAS["notebooks"] + EXTRAS["site"] + GROUPS["test"]


def bounds(requirements: list[str]) -> dict[str, str]:
    """Name to version bound of each requirement, both in normal form."""
    parsed = [Requirement(text) for text in requirements]
    return {canonicalize_name(one.name): str(one.specifier) for one in parsed}


def lock_entries(lock: Path) -> list[tuple[Requirement, list[str]]]:
    """Each pinned requirement of a lock file with its hashes."""
    logical_lines = lock.read_text().replace("\\\n", " ").splitlines()
    entries = []
    for line in filter(None, map(str.strip, logical_lines)):
        text, *hashes = line.split("--hash=")
        entries.append((Requirement(text), [one.strip() for one in hashes]))
    return entries


def pins(lock: Path, python: str) -> dict[str, Version]:
    """What a lock file installs with one Python on Linux; a name that it pins twice there is an error."""
    where = {
        "python_version": python,
        "python_full_version": f"{python}.20",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
        "os_name": "posix",
    }
    found: dict[str, Version] = {}
    for requirement, _ in lock_entries(lock):
        if requirement.marker is None or requirement.marker.evaluate(where):
            (pin,) = requirement.specifier
            assert canonicalize_name(requirement.name) not in found
            found[canonicalize_name(requirement.name)] = Version(pin.version)
    return found


def conda_bounds() -> tuple[dict[str, str], list[str]]:
    """Name to version bound of environment.yml's conda packages, and the lines of its pip section."""
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert set(environment) == {"name", "channels", "dependencies"}
    assert environment["channels"] == ["conda-forge"]
    conda: dict[str, str] = {}
    pip: list[str] = []
    for entry in environment["dependencies"]:
        if isinstance(entry, dict):
            assert set(entry) == {"pip"}
            pip += entry["pip"]
        else:
            spec = re.fullmatch(r"([a-z0-9_.-]+)(?: (>=[0-9][0-9.]*))?", entry)
            assert spec, f"not a plain conda spec: {entry}"
            assert spec[1] not in conda
            conda[spec[1]] = spec[2] or ""
    return conda, pip


def test_conda_environment_agrees_with_pyproject():
    conda, pip = conda_bounds()
    assert conda.pop("python") == PROJECT["requires-python"]
    assert conda.pop("pip") == ""
    assert pip.pop() == "-e ."
    assert bounds([name + bound for name, bound in conda.items()]) | bounds(pip) == bounds(LOCKED_HERE)


@pytest.mark.parametrize("python", PYTHONS)
def test_lock_satisfies_pyproject(python):
    locked = pins(LOCK, python)
    for requirement in map(Requirement, LOCKED_HERE):
        version = locked[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement} is locked at {version}"


@pytest.mark.parametrize("python", PYTHONS)
def test_benchmarks_lock_satisfies_pyproject_and_agrees_with_the_lock(python):
    locked, benchmarks = pins(LOCK, python), pins(BENCH_LOCK, python)
    for requirement in map(Requirement, GROUPS["bench"]):
        assert requirement.specifier.contains(benchmarks[canonicalize_name(requirement.name)])
    assert {name: version for name, version in benchmarks.items() if name in locked} == {
        name: version for name, version in locked.items() if name in benchmarks
    }


def test_pyproject_lists_every_supported_python():
    prefix = "Programming Language :: Python :: 3."
    listed = tuple(one.rpartition(" ")[2] for one in PROJECT["classifiers"] if one.startswith(prefix))
    assert listed == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


@pytest.mark.parametrize("lock", [LOCK, BENCH_LOCK], ids=["tests", "benchmarks"])
def test_lock_is_exact_and_names_no_host(lock):
    for requirement, hashes in lock_entries(lock):
        assert [pin.operator for pin in requirement.specifier] == ["=="], requirement
        assert requirement.url is None
        assert hashes, f"{requirement} has no hash"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes)


def test_core_needs_nothing():
    assert PROJECT["dependencies"] == []
