"""The command line: `python -m rmqref`, or `rmqref` once it is installed."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rmqref.errors import RmqRefError, RouteError, ScenarioError, SiteError, VectorError
from rmqref.messages import text

if TYPE_CHECKING:
    from rmqref.incident import Reading


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    Args:
        arguments: the words after the program's name; those of this process if None.

    Returns:
        0 if all is well; 2 for a wrong call or an input that cannot be read; 130 if interrupted; else what the command
        says.

    >>> main(["releases", "4.9.5", "--columns", "index,isolation_latency"])
    release           | 4.9.5
    family            | 4.9.7
    index             | MaskedIndex
    isolation_latency | 30000
    0
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except RmqRefError as error:
        print(sentence_of(error, getattr(options, "anonymise", False)), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(text("error.interrupted"), file=sys.stderr)
        return 130
    except OSError as problem:
        print(text("error.output", problem=str(problem)), file=sys.stderr)
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # what is still unwritten has nowhere to go
        return 2
    return status


def sentence_of(error: RmqRefError, is_anonymous: bool) -> str:
    """Return what went wrong; without the words that may be names, if these are not to be shown."""
    if not is_anonymous:
        return str(error)
    from rmqref.anonymise import masked  # noqa: PLC0415

    return text(error.message_id, None, **masked(error.parameters))


def show(*lines: str) -> None:
    """Print lines; a reader that stops reading, such as `head`, is no error and changes no exit status."""
    try:
        print(*lines, sep="\n", flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def whole(given: str) -> int:
    """Return a whole number.

    Raises:
        ArgumentTypeError: it is none.
    """
    try:
        return int(given)
    except ValueError:
        raise argparse.ArgumentTypeError(text("cli.error.whole", given=given)) from None


FORECAST_NUMBERS = (
    ("threads", whole, 1),
    ("rate", whole, 100),
    ("duration", float, 60.0),
    ("latency", whole, 5),
    ("timeout", whole, 3000),
    ("retries", whole, 2),
    ("seed", whole, 0),
    ("timer-delay", whole, 1),
)
"""Facts that are numbers, and what they are if nothing is said."""

Commands = Any
"""Where argparse keeps commands; its type has no public name."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; its words come from the catalogue."""
    top = argparse.ArgumentParser(prog="rmqref", description=text("cli.description"))
    commands = top.add_subparsers(required=True, metavar=text("cli.command"))
    for add in (add_proof, add_releases, add_practice, add_runs, add_site):
        add(commands)
    return top


def add_proof(commands: Commands) -> None:
    """Add the command that proves the package."""
    conform = commands.add_parser("conform", help=text("cli.conform"), description=text("cli.conform"))
    conform.add_argument("paths", nargs="+", type=Path, metavar="PATH", help=text("cli.conform.path"))
    conform.add_argument("--kinds", type=names, help=text("cli.conform.kinds"))
    conform.add_argument("--json", action="store_true", help=text("cli.json"))
    conform.set_defaults(run=run_conform)


def add_releases(commands: Commands) -> None:
    """Add the commands that tell of releases."""
    releases = commands.add_parser("releases", help=text("cli.releases"), description=text("cli.releases"))
    releases.add_argument("release", nargs="?", help=text("cli.releases.release"))
    releases.add_argument("--columns", type=names, default=(), help=text("cli.releases.columns"))
    releases.set_defaults(run=run_releases)

    bugs = commands.add_parser("bugs", help=text("cli.bugs"), description=text("cli.bugs"))
    bugs.add_argument("release", nargs="?", help=text("cli.bugs.release"))
    bugs.set_defaults(run=run_bugs)

    diff = commands.add_parser("diff", help=text("cli.diff"), description=text("cli.diff"))
    diff.add_argument("before", metavar="FROM", help=text("cli.diff.before"))
    diff.add_argument("after", metavar="TO", help=text("cli.diff.after"))
    diff.add_argument("--json", action="store_true", help=text("cli.json"))
    diff.set_defaults(run=run_diff)

    sheet = commands.add_parser(
        "cheat-sheet", help=text("cli.cheat_sheet"), description=text("cli.cheat_sheet")
    )
    sheet.set_defaults(run=run_cheat_sheet)


def add_practice(commands: Commands) -> None:
    """Add the commands for practice."""
    quiz = commands.add_parser("quiz", help=text("cli.quiz"), description=text("cli.quiz"))
    quiz.add_argument("--seed", type=int, default=0, help=text("cli.quiz.seed"))
    quiz.add_argument("--n", type=int, default=10, dest="count", metavar="N", help=text("cli.quiz.n"))
    quiz.add_argument("--level", type=int, help=text("cli.quiz.level"))
    quiz.add_argument("--release", help=text("cli.quiz.release"))
    quiz.add_argument("--json", action="store_true", help=text("cli.json"))
    quiz.set_defaults(run=run_quiz)

    museum = commands.add_parser("museum", help=text("cli.museum"), description=text("cli.museum"))
    museum.add_argument("exhibit", nargs="?", metavar="NAME", help=text("cli.museum.exhibit"))
    museum.set_defaults(run=run_museum)


def add_runs(commands: Commands) -> None:
    """Add the commands that run something."""
    log = commands.add_parser(
        "log", help=text("cli.log"), description=text("cli.log"), epilog=text("cli.status.log")
    )
    log.add_argument("files", nargs="+", metavar="FILE", help=text("cli.log.files"))
    log.add_argument("--release", help=text("cli.log.release"))
    log.add_argument("--fault-switch", choices=("on", "off"), help=text("cli.log.switch"))
    log.add_argument("--json", action="store_true", help=text("cli.log.json"))
    log.add_argument("--anonymise", action="store_true", help=text("cli.anonymise"))
    log.set_defaults(run=run_log)

    uneven = commands.add_parser(
        "uneven", help=text("cli.uneven"), description=text("cli.uneven"), epilog=text("cli.status.uneven")
    )
    uneven.add_argument("--route", metavar="FILE", help=text("cli.uneven.route"))
    uneven.add_argument("--release", help=text("cli.route.release"))
    uneven.add_argument("--fault-switch", choices=("on", "off"), help=text("cli.log.switch"))
    uneven.add_argument("--selector", choices=("yes", "no"), help=text("cli.uneven.selector"))
    uneven.add_argument("--failing", choices=("yes", "no"), help=text("cli.uneven.failing"))
    uneven.add_argument("--all-failing", choices=("yes", "no"), help=text("cli.uneven.all_failing"))
    uneven.add_argument("--topic", help=text("cli.route.topic"))
    uneven.add_argument("--json", action="store_true", help=text("cli.json"))
    uneven.add_argument("--sends-per-thread", type=whole, metavar="N", help=text("cli.uneven.threads"))
    uneven.set_defaults(run=run_uneven)

    route = commands.add_parser(
        "route", help=text("cli.route"), description=text("cli.route"), epilog=text("cli.status.route")
    )
    route.add_argument("file", metavar="FILE", help=text("cli.route.file"))
    route.add_argument("--release", help=text("cli.route.release"))
    route.add_argument("--topic", help=text("cli.route.topic"))
    route.add_argument("--json", action="store_true", help=text("cli.json"))
    route.add_argument("--anonymise", action="store_true", help=text("cli.anonymise"))
    route.set_defaults(run=run_route)

    forecast = commands.add_parser(
        "forecast", help=text("cli.forecast"), description=text("cli.forecast.more")
    )
    forecast.add_argument("route", metavar="FILE", help=text("cli.route.file"))
    forecast.add_argument("--release", help=text("cli.route.release"))
    forecast.add_argument("--topic", help=text("cli.route.topic"))
    forecast.add_argument("--fault-switch", choices=("on", "off"), help=text("cli.log.switch"))
    forecast.add_argument(
        "--fault", action="append", default=[], metavar="KIND:BROKER", help=text("cli.forecast.fault")
    )
    for name, kind, default in FORECAST_NUMBERS:
        forecast.add_argument(
            f"--{name}", type=kind, default=default, metavar="N", help=text(f"cli.forecast.{name}")
        )
    forecast.add_argument("--json", action="store_true", help=text("cli.json"))
    forecast.set_defaults(run=run_forecast)

    simulate = commands.add_parser(
        "simulate", help=text("cli.simulate"), description=text("cli.simulate.more")
    )
    simulate.add_argument("scenario", metavar="FILE", help=text("cli.simulate.scenario"))
    simulate.add_argument("--release", help=text("cli.simulate.release"))
    simulate.add_argument("--seed", type=int, help=text("cli.simulate.seed"))
    simulate.add_argument("--send", type=int, metavar="N", help=text("cli.simulate.send"))
    simulate.add_argument("--json", action="store_true", help=text("cli.simulate.json"))
    simulate.set_defaults(run=run_simulate)


def add_site(commands: Commands) -> None:
    """Add the commands of the documentation site."""
    site = commands.add_parser("site", help=text("cli.site"), description=text("cli.site"))
    of_site = site.add_subparsers(required=True, metavar=text("cli.command"))

    build = of_site.add_parser("build", help=text("cli.site.build"), description=text("cli.site.build"))
    build.add_argument("--to", type=Path, required=True, metavar="DIR", help=text("cli.site.to"))
    build.add_argument("--source", type=Path, metavar="DIR", help=text("cli.site.source"))
    build.add_argument("--base-url", metavar="URL", help=text("cli.site.base"))
    build.set_defaults(run=run_site_build)

    serve = of_site.add_parser("serve", help=text("cli.site.serve"), description=text("cli.site.serve"))
    serve.add_argument("folder", type=Path, metavar="DIR", help=text("cli.site.folder"))
    serve.add_argument("--port", type=int, default=8000, help=text("cli.site.port"))
    serve.set_defaults(run=run_site_serve)

    export = of_site.add_parser("export", help=text("cli.site.export"), description=text("cli.site.export"))
    export.add_argument("--format", required=True, help=text("cli.site.format"))
    export.add_argument("--to", type=Path, required=True, metavar="DIR", help=text("cli.site.to"))
    export.add_argument("--source", type=Path, metavar="DIR", help=text("cli.site.source"))
    export.add_argument("--base", metavar="ADDRESS", help=text("cli.site.export.base"))
    export.set_defaults(run=run_site_export)


def names(given: str) -> tuple[str, ...]:
    """Return the names in a text that joins them with commas."""
    return tuple(name.strip() for name in given.split(",") if name.strip())


def run_conform(options: argparse.Namespace) -> int:
    """Replay vectors and print the report."""
    from rmqref.conform import known_kinds, replay  # noqa: PLC0415  # each command loads what it needs

    kinds = None if options.kinds is None else frozenset(options.kinds)
    unknown = sorted((kinds or frozenset()) - known_kinds())
    if unknown:
        raise VectorError("error.vector.kind", kind=unknown[0], kinds=", ".join(sorted(known_kinds())))
    report = replay(options.paths, kinds)
    if not report.passed and not report.failures and not report.not_covered:
        print(text("error.vector.nothing", paths=", ".join(map(str, options.paths))), file=sys.stderr)
    if options.json:
        show(json.dumps(report.as_json(), indent=1))
    else:
        show(*report.lines())
    return report.exit_status


def run_releases(options: argparse.Namespace) -> int:
    """Print the release table, or one release's row line by line."""
    from rmqref.releases import PICK_COLUMNS, SEND_COLUMNS, ReleaseTable, release  # noqa: PLC0415

    groups = {("pick",): PICK_COLUMNS, ("send",): SEND_COLUMNS}
    columns = groups.get(options.columns, options.columns)
    if options.release is None:
        show(str(ReleaseTable(columns or PICK_COLUMNS)))
        return 0
    row = release(options.release)
    table = ReleaseTable(columns)
    heads = ["release", "family", *table.rows()[0][2:]]
    cells = [row.version, row.family, *(table.cell(row, name) for name in heads[2:])]
    width = max(map(len, heads))
    show(*(f"{head.ljust(width)} | {cell}" for head, cell in zip(heads, cells, strict=True)))
    return 0


def run_bugs(options: argparse.Namespace) -> int:
    """Print the bugs of all releases or of one."""
    from rmqref.bugs import BUGS  # noqa: PLC0415
    from rmqref.releases import version_of  # noqa: PLC0415

    version = options.release and version_of(options.release)
    had = [bug for bug in BUGS.values() if version is None or version in bug.releases]
    for bug in had:
        show(
            text("cli.bug", name=bug.name, spans=bug.spans, what=bug.what),
            text("cli.bug.link", link=bug.link),
        )
    return 0


def run_diff(options: argparse.Namespace) -> int:
    """Print what changes from one release to another."""
    from rmqref.upgrade import upgrade  # noqa: PLC0415

    found = upgrade(options.before, options.after)
    if options.json:
        show(json.dumps(found.as_json(), indent=1))
    else:
        show(*found.lines())
    return 0


def run_cheat_sheet(_options: argparse.Namespace) -> int:
    """Print the cheat sheet."""
    from rmqref.cheat_sheet import cheat_sheet  # noqa: PLC0415

    show(cheat_sheet())
    return 0


def run_quiz(options: argparse.Namespace) -> int:
    """Ask questions in a terminal, or print them with their answers."""
    from rmqref.quiz import questions  # noqa: PLC0415
    from rmqref.quiz_session import answer_sheet, ask_all  # noqa: PLC0415

    asked = questions(options.seed, options.count, level=options.level, release=options.release)
    if options.json:
        show(json.dumps([question.as_json() for question in asked], indent=1))
    elif sys.stdin.isatty():
        ask_all(asked, input, show)
    else:
        show(*answer_sheet(asked))
    return 0


def run_museum(options: argparse.Namespace) -> int:
    """Print what each exhibit of the museum says, or one."""
    from rmqref.museum import EXHIBITS, exhibit  # noqa: PLC0415

    shown = EXHIBITS.values() if options.exhibit is None else [exhibit(options.exhibit)]
    for one in shown:
        first, *others = one.lines()
        show(first, *(f"  {line}" for line in others))
    return 0


def run_log(options: argparse.Namespace) -> int:
    """Print what happened to each failed send of logs, and the totals; 1 if any failed."""
    from rmqref.anonymise import Anonymiser  # noqa: PLC0415
    from rmqref.incident import Reading, read_log  # noqa: PLC0415
    from rmqref.incident_report import Teller, row_for  # noqa: PLC0415

    if options.release is not None:
        row_for((), options.release)
    hidden = Anonymiser() if options.anonymise else None
    is_on = None if options.fault_switch is None else options.fault_switch == "on"
    reading, files = Reading(), list[tuple[str, int]]()

    @lru_cache(maxsize=1)
    def teller_of(possible: tuple[str, ...]) -> Teller:
        row = row_for(possible, options.release)
        return Teller(row, options.release is None, is_on, with_words=hidden is None)

    for send in read_log(blocks_of_logs(options.files, reading, files), reading):
        if hidden:
            hidden.hide_send(send)
        teller = teller_of(reading.possible)
        if options.json:
            show(json.dumps({"send": teller.send_as_json(send)}))
        else:
            show(*teller.lines_of_send(send))
    if hidden:
        hidden.hide_reading(reading)
        files = [(f"log-{number}", first) for number, (_, first) in enumerate(files, 1)]
    ends = [*(first - 1 for _, first in files[1:]), reading.lines]
    parts = [(name, first, last) for (name, first), last in zip(files, ends, strict=True)]
    teller = teller_of(reading.possible)
    if options.json:
        told = [{"file": name, "first_line": first, "last_line": last} for name, first, last in parts]
        show(json.dumps({"totals": teller.reading_as_json(reading), "files": told}))
    else:
        if len(parts) > 1:
            show(*(text("log.files", first=first, last=last, file=name) for name, first, last in parts))
        show(*teller.lines_of_reading(reading))
    return int(reading.sends > 0)


def blocks_of_logs(paths: Sequence[str], reading: Reading, files: list[tuple[str, int]]) -> Iterator[bytes]:
    """Yield logs one after the other, such as the parts of one that was rotated, and show how far they are read.

    Args:
        paths: of the logs; "-" for standard input.
        reading: knows how many lines there were.
        files: is filled with each log's path and the number of its first line.

    Raises:
        LogError: one cannot be read, or is empty.
    """
    from rmqref.log_entries import LogError, blocks_of  # noqa: PLC0415

    for path in paths:
        bar, is_empty = Bar("cli.progress.bytes"), True
        files.append((path, reading.lines + 1))
        try:
            with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as file:
                size = 0 if path == "-" else os.fstat(file.fileno()).st_size
                for block in blocks_of(file):
                    is_empty = False
                    yield block
                    if size:
                        bar(min(file.tell(), size), size)
        except OSError as problem:
            raise LogError("log.error.unreadable", path=path, problem=str(problem)) from problem
        if is_empty:
            raise LogError("log.error.empty", path=path)


def run_uneven(options: argparse.Namespace) -> int:
    """Print the guided walk; 1 if a cause holds."""
    from rmqref.releases import VERSIONS  # noqa: PLC0415
    from rmqref.route_text import read_route  # noqa: PLC0415
    from rmqref.uneven import Evidence, told_walk, walk, walk_as_json  # noqa: PLC0415

    known = {None: None, "on": True, "yes": True, "off": False, "no": False}
    evidence = Evidence(
        options.release or VERSIONS[-1],
        None if options.route is None else read_route(read_bytes(options.route), options.topic),
        known[options.fault_switch],
        known[options.selector],
        options.sends_per_thread,
        known[options.failing],
        known[options.all_failing],
    )
    show(json.dumps(walk_as_json(evidence), indent=1) if options.json else told_walk(evidence))
    return int(any(step.proof.holds for step in walk(evidence)))


def run_route(options: argparse.Namespace) -> int:
    """Print what the routes of a text mean; 1 if there is anything to warn of."""
    from rmqref.anonymise import Anonymiser  # noqa: PLC0415
    from rmqref.releases import VERSIONS  # noqa: PLC0415
    from rmqref.route_report import read_reports  # noqa: PLC0415

    change = Anonymiser().routes if options.anonymise else None
    reports = read_reports(read_bytes(options.file), options.release or VERSIONS[-1], options.topic, change)
    if options.json:
        show(json.dumps([report.as_json() for report in reports], indent=1))
    else:
        show(*(line for report in reports for line in report.lines()))
    return int(any(report.warnings or report.left_out for report in reports))


def run_forecast(options: argparse.Namespace) -> int:
    """Print what a producer's sends come to while a broker is slow or down."""
    from rmqref.forecast import Facts, ForecastError, forecast  # noqa: PLC0415
    from rmqref.forecast_report import lines_of_forecast, read_faults  # noqa: PLC0415
    from rmqref.releases import VERSIONS  # noqa: PLC0415
    from rmqref.route_report import report_of  # noqa: PLC0415
    from rmqref.route_text import read_named_route  # noqa: PLC0415

    if not 0 < options.duration <= 86_400:
        raise ForecastError("forecast.error.duration", duration=options.duration)
    duration, version = round(1000 * options.duration), options.release or VERSIONS[-1]
    read = read_named_route(read_bytes(options.route), options.topic)
    report = report_of(read, version, options.topic, set())
    facts = Facts(
        version,
        read.route,
        options.fault_switch == "on",
        options.threads,
        options.rate,
        duration,
        read_faults(options.fault, duration),
        options.latency,
        options.timeout,
        options.retries,
        seed=options.seed,
        topic=report.topic or text("route.topic.unknown"),
        timer_delay=options.timer_delay,
    )
    if not facts.sends:
        raise ForecastError("forecast.error.nothing", duration=options.duration, rate=options.rate)
    found = forecast(facts, Bar())
    if options.json:
        show(json.dumps(found.as_json(), indent=1))
    else:
        show(*report.remarks(), *lines_of_forecast(found))
        if options.fault_switch is None:
            print(text("forecast.assumed"), file=sys.stderr)
    return 0


def run_simulate(options: argparse.Namespace) -> int:
    """Run a scenario and print what it came to, or one of its sends attempt by attempt."""
    from rmqref.report import lines_of_run, lines_of_send  # noqa: PLC0415
    from rmqref.scenario import SAMPLES, read_scenario, sample_scenario  # noqa: PLC0415
    from rmqref.simulation import simulate  # noqa: PLC0415

    if options.scenario in SAMPLES:
        scenario = sample_scenario(options.scenario)
    else:
        scenario = read_scenario(read_text(options.scenario))
    given = {"release": options.release, "seed": options.seed}
    scenario = scenario.but(**{name: value for name, value in given.items() if value is not None})
    run = simulate(scenario, Bar())
    if options.json:
        show(run.to_json())
    elif options.send is not None:
        show(*lines_of_send(run, options.send))
    else:
        show(*lines_of_run(run))
    return 0


def run_site_build(options: argparse.Namespace) -> int:
    """Build the documentation site."""
    with_site_packages()
    from rmqref.site.build import build  # noqa: PLC0415

    build(options.to, source=options.source, base_url=options.base_url, say=show)
    return 0


def run_site_serve(options: argparse.Namespace) -> int:
    """Show a built site on this machine until it is interrupted."""
    from rmqref.site.serve import serve  # noqa: PLC0415

    serve(options.folder, options.port, say=show)
    return 0


def run_site_export(options: argparse.Namespace) -> int:
    """Write the notebooks as Markdown for another documentation site."""
    with_site_packages()
    from rmqref.site.export import export  # noqa: PLC0415

    export(options.to, format=options.format, source=options.source, base=options.base, say=show)
    return 0


def with_site_packages() -> None:
    """Check that the packages are there that make the site.

    Raises:
        SiteError: they are not.
    """
    missing = [
        name for name in ("anywidget", "jupyterlite_core", "myst_nb", "playwright") if find_spec(name) is None
    ]
    if missing:
        raise SiteError("site.error.packages", packages=", ".join(missing))


def read_bytes(path: str) -> bytes:
    """Return a file's bytes, or what stands on standard input for "-".

    Raises:
        RouteError: it cannot be read.
    """
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as problem:
        raise RouteError("route.error.unreadable", path=path, problem=str(problem)) from problem


def read_text(path: str) -> str:
    """Return a file's text, or what stands on standard input for "-".

    Raises:
        ScenarioError: it cannot be read.
    """
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise ScenarioError("error.scenario.unreadable", path=path, problem=str(problem)) from problem


class Bar:
    """Shows on the terminal how far a run is, once it has taken two seconds.

    Args:
        sentence: the catalogue's name of what it says, of `done` and `total`.
    """

    def __init__(self, sentence: str = "cli.progress") -> None:
        self.sentence = sentence
        self.began = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        """Show it if somebody watches."""
        if time.monotonic() - self.began < PATIENCE or not sys.stderr.isatty():
            return
        end = "\n" if done == total else ""
        said = text(self.sentence, done=f"{done:,}", total=f"{total:,}")
        print("\r" + said, end=end, file=sys.stderr, flush=True)


PATIENCE = 2.0
"""Seconds after which a run shows how far it is."""
