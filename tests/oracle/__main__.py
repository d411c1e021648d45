"""Compare this package with the classes of published clients: `make oracle RELEASE=5.3.3`, or `RELEASE=all`.

Each release's own classes answer the recorded cases of its family and, with a seed, fresh ones; then the package
answers the same, and every value is compared.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from rmqref.conform import KINDS as REPLAYED
from rmqref.conform import cases_of, replay_case, same, vector_files
from rmqref.errors import RmqRefError
from rmqref.releases import CHRONOLOGY, release, version_of
from tests.oracle.cases import fresh_cases
from tests.oracle.java import NotThere, OracleError, ask, missing_tools

VECTORS = Path(__file__).parents[1] / "vectors"
RESULTS = Path(__file__).parent / "results.md"

Json = Any


def recorded_cases(version: str) -> list[tuple[str, Json]]:
    """Return the recorded inputs of a release's family."""
    files = vector_files(VECTORS / release(version).family)
    return [(file.kind, case) for file in files for case in cases_of(file.path)]


class Comparison:
    """What comparing a release came to.

    Args:
        version: the published release.
        row: the release of the package that it is compared with.
    """

    def __init__(self, version: str, row: str) -> None:
        self.version, self.row = version, row
        self.equal: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.failures: list[Json] = []

    def run(self, cases: list[tuple[str, Json]]) -> None:
        """Ask Java, ask the package, and compare.

        Raises:
            OracleError: Java cannot be asked.
        """
        answers = ask(self.version, [(kind, case["input"]) for kind, case in cases])
        for (kind, case), answer in zip(cases, answers, strict=True):
            if "not asked" in answer:
                continue
            self.asked[kind] += 1
            got = replay_case(kind, self.row, case["input"])
            if same(got, answer):
                self.equal[kind] += 1
            else:
                self.failures.append(
                    {"kind": kind, "id": case["id"], "input": case["input"], "java": answer, "rmqref": got}
                )

    def line(self) -> str:
        """Return the totals."""
        compared = "" if self.version == self.row else f" (compared with {self.row})"
        return f"{self.version}{compared}: {self.equal.total()} passed, {len(self.failures)} failed"


def table(done: list[Comparison]) -> str:
    """Return releases and kinds, with how many cases were asked; those that were not equal stand beside."""
    kinds = [kind for kind in REPLAYED if any(one.asked[kind] for one in done)]

    def cell(one: Comparison, kind: str) -> str:
        failed = one.asked[kind] - one.equal[kind]
        return f"{one.asked[kind]}" + (f", {failed} not equal" if failed else "") if one.asked[kind] else "-"

    lines = [
        "# Cases that the published clients answered, and this package too",
        "",
        "Made by `make oracle RELEASE=all`; a number says how many cases Java was asked, and all were equal unless it",
        "says otherwise. `-`: the release has no such operation.",
        "",
        "| release | " + " | ".join(kinds) + " |",
        "|---" * (len(kinds) + 1) + "|",
        *(f"| {one.version} | " + " | ".join(cell(one, kind) for kind in kinds) + " |" for one in done),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the command; 0 if all is equal, 1 if not, 2 if Java cannot be asked."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("releases", nargs="+", metavar="RELEASE", help='published releases, or "all"')
    parser.add_argument("--seed", type=int, help="also ask fresh cases")
    parser.add_argument(
        "--cases", type=int, default=100, metavar="N", help="how many fresh cases of each kind"
    )
    parser.add_argument(
        "--as", dest="row", help="compare with this release's row, for one that the package does not know"
    )
    parser.add_argument(
        "--or-skip", action="store_true", help="say so and end with 0 if the clients cannot be had"
    )
    parser.add_argument("--table", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    if missing := missing_tools():
        print(f"Skipped: {', '.join(missing)} not found; a JDK and Maven ask the published clients.")
        return 0
    versions = list(CHRONOLOGY) if options.releases == ["all"] else options.releases
    done = []
    for version in versions:
        try:
            row = version_of(options.row or version)
            comparison = Comparison(version, row)
            fresh = [] if options.seed is None else list(fresh_cases(options.seed, options.cases))
            comparison.run([*recorded_cases(row), *fresh])
        except (OracleError, RmqRefError) as problem:
            if options.or_skip and isinstance(problem, NotThere):
                print(f"Skipped: {problem}")
                return 0
            print(problem, file=sys.stderr)
            return 2
        for failure in comparison.failures[:3]:
            print(json.dumps(failure, ensure_ascii=False))
        print(comparison.line(), flush=True)
        done.append(comparison)
    if options.table:
        RESULTS.write_text(table(done))
    return int(any(one.failures for one in done))


if __name__ == "__main__":
    sys.exit(main())
