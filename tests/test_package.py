"""The package as a whole: what it exports, what it needs, and which way its arrows point."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rmqref
from rmqref.site import reference

PACKAGE = Path(rmqref.__file__).parent

FLOORS = (*reference.FLOORS[:-1], (*reference.FLOORS[-1], "site"))
"""The rooms from the ground up; within a floor any room may stand on another, but not in a circle."""

FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
PRESENTATION = FLOOR_OF["plots"]
ROOMS = sorted(file.stem for file in PACKAGE.glob("*.py") if not file.stem.startswith("__"))


def imports_of(room):
    for node in ast.walk(ast.parse((PACKAGE / f"{room}.py").read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module == "rmqref":
                yield from (f"rmqref.{name.name}" for name in node.names)
            else:
                yield node.module


@pytest.mark.parametrize("room", ROOMS)
def test_an_arrow_only_points_down(room):
    for name in imports_of(room):
        if name.startswith("rmqref."):
            assert FLOOR_OF[name.split(".")[1]] <= FLOOR_OF[room], f"{room} stands on {name}"


@pytest.mark.parametrize("room", [room for room in ROOMS if FLOOR_OF[room] != PRESENTATION])
def test_the_core_needs_only_the_standard_library(room):
    for name in imports_of(room):
        assert name.split(".")[0] in sys.stdlib_module_names | {"rmqref"}, f"{room} needs {name}"


MAY_COUNT_DAYS = {"incident_report", "log_entries"}
"""It adds durations to the times that a log has; `datetime` is not asked what time it is."""


@pytest.mark.parametrize("room", [room for room in ROOMS if FLOOR_OF[room] < PRESENTATION])
def test_no_room_of_the_core_reads_the_clock_or_the_random_module(room):
    loaded = {name.split(".")[0] for name in imports_of(room)}
    if room in MAY_COUNT_DAYS:
        loaded.remove("datetime")
        assert not re.search(r"\b(now|utcnow|today)\(", (PACKAGE / f"{room}.py").read_text())
    assert not {"time", "datetime", "random", "secrets"} & loaded


def test_every_exported_name_is_there_and_nothing_else_is():
    assert sorted(rmqref.__all__) == rmqref.__all__
    for name in rmqref.__all__:
        assert getattr(rmqref, name) is not None
        assert name in dir(rmqref)
    with pytest.raises(AttributeError, match="telepathy"):
        rmqref.telepathy  # noqa: B018


def test_importing_the_package_loads_none_of_its_rooms():
    code = "import sys, rmqref; print(sorted(name for name in sys.modules if name.startswith('rmqref')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['rmqref']\n"


def test_the_core_runs_where_no_other_package_is():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import rmqref;"
        "print(rmqref.record(rmqref.Situation('5.3.3', start=4))['result'])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(PACKAGE.parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "broker-b : 1\n"
