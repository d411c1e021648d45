"""The package in Pyodide, the Python of the live notebooks: recorded cases and traces come out as they do here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rmqref.site.lite import build_wheel
from rmqref.site.vendored import npm_packages

ROOT = Path(__file__).parents[1]
FAMILY = ROOT / "tests" / "vectors" / "5.3.3"  # the family with every kind of cases

MISSING = "Node.js with npm is needed: apt-get install nodejs npm"

PROGRAM = """
import json
import shutil
from hashlib import sha256
from pathlib import Path

from rmqref import Fault, Situation, record, record_send, sample_scenario
from rmqref.conform import replay

def digest(trace):
    return sha256(json.dumps(trace).encode()).hexdigest()

down = (Fault("broker-b", latency=3000, avoided_for=600_000),)
situations = [Situation(version, start=4) for version in ("4.2.0", "4.8.0", "4.9.4", "5.3.3")] + [
    Situation(version, start=4, last_broker_name="broker-b", fault_switch=True, faults=down, calls=3)
    for version in ("4.7.1", "4.9.7", "5.3.3")
]
answer = json.dumps({
    "cases": replay([Path(FOLDER)]).as_json(),
    "picks": [digest(record(situation)) for situation in situations],
    "send": digest(record_send(sample_scenario("broker_hangs").but(start=0))),
})
"""


@pytest.fixture(scope="module")
def in_pyodide(tmp_path_factory):
    """What the program says in Pyodide."""
    if not (shutil.which("node") and shutil.which("npm")):
        (pytest.fail if os.environ.get("RMQREF_REQUIRE_BROWSER") == "1" else pytest.skip)(MISSING)
    folder = tmp_path_factory.mktemp("pyodide")
    wheel = build_wheel(ROOT, folder / "wheel")
    pyodide = npm_packages(folder / "npm") / "pyodide"
    # A folder that is named by its release, as vectors are.
    shutil.copytree(FAMILY, folder / "vectors" / FAMILY.name)
    command = ["node", ROOT / "tests" / "site" / "pyodide_core.mjs", pyodide, wheel, folder / "vectors"]
    program = PROGRAM.replace("FOLDER", repr(f"/given/{FAMILY.name}"))
    done = subprocess.run(command, input=program, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def here():
    """What the program says in this Python."""
    said: dict[str, str] = {}
    exec(PROGRAM.replace("FOLDER", repr(str(FAMILY))), said)
    return json.loads(said["answer"])


def test_every_case_of_a_family_passes(in_pyodide, here):
    cases = in_pyodide["cases"]
    print(cases["passed"], "cases passed in Pyodide")
    assert cases["failed"] == 0
    assert cases["not_covered"] == []
    assert len(cases["by_kind"]) > 10
    assert cases == here["cases"]


def test_the_traces_of_picks_are_the_same_to_the_byte(in_pyodide, here):
    assert len(set(here["picks"])) == len(here["picks"])
    assert in_pyodide["picks"] == here["picks"]


def test_the_trace_of_a_send_is_the_same_to_the_byte(in_pyodide, here):
    assert in_pyodide["send"] == here["send"]
