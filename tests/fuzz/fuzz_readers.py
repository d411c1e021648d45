"""Coverage-guided fuzzing of the two readers: no exception but the package's own, and no input that takes long.

    make fuzz SECONDS=240

libFuzzer, by way of atheris, changes the sample files so that new branches of the readers run, and goes on from what
did. An input that fails or takes more than five seconds ends the run and is kept beside the corpus.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from io import BytesIO

import atheris

with atheris.instrument_imports(include=["rmqref"]):
    from rmqref.errors import RmqRefError
    from rmqref.incident import Reading, read_log
    from rmqref.incident_report import Teller, row_for
    from rmqref.log_entries import LogError, blocks_of
    from rmqref.route_report import read_reports


def route(data: bytes) -> None:
    """Read routes and tell them."""
    with suppress(RmqRefError):
        for report in read_reports(data, "5.3.3"):
            list(report.lines())


def log(data: bytes) -> None:
    """Read a log and tell it; only what is no text is refused."""
    reading = Reading()
    try:
        sends = list(read_log(blocks_of(BytesIO(data)), reading))
    except LogError:
        return
    teller = Teller(row_for(reading.possible, None), fault_switch=True)
    for send in sends:
        teller.send_as_json(send)
    teller.reading_as_json(reading)


TARGETS = {"route": route, "log": log}

if __name__ == "__main__":
    name, *options = sys.argv[1:]
    atheris.Setup([sys.argv[0], "-timeout=5", "-max_len=16384", *options], TARGETS[name])
    atheris.Fuzz()
