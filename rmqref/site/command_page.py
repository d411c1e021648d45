"""The page of the command line: each command as its parser knows it, with examples that ran while it was written."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from rmqref.cli import main, parser
from rmqref.site.markdown import code, definitions, fenced, heading, page, plain, table, words

EXAMPLES: dict[str, list[str]] = {
    "conform": ["conform tests/vectors --kinds detector,pick_ties"],
    "releases": ["releases 4.9.4 --columns pick", "releases 4.5.0"],
    "bugs": ["bugs 4.8.0"],
    "diff": ["diff 4.9.7 4.9.8", "diff 4.9.7 6.0.0"],
    "cheat-sheet": ["cheat-sheet"],
    "quiz": ["quiz --seed 7 --n 2"],
    "museum": ["museum block_share", "museum block"],
    "route": ["route rmqref/routes/UnevenTopic.json --release 4.9.7"],
    "forecast": [
        "forecast rmqref/routes/OrderTopic.json --release 4.9.7 --fault-switch on --fault hang:broker-b:20-40"
    ],
    "simulate": ["simulate broker_hangs --release 4.2.0", "simulate broker_hangs --send 1"],
}
"""What is run to show a command; one that is not named here shows its own help."""

STATUSES = (0, 1, 2, 3)
"""What a command may end with."""

MOST_LINES = 16
"""How many lines of an example's output are shown."""

WIDTH = "72"
"""Columns of the terminal in which the examples run."""


def command_page(source: Path) -> str:
    """Return the page.

    Args:
        source: the root of a clone, where the examples run.
    """
    commands = list(commands_of(parser()))
    return page(
        words("commands.title"),
        words("commands.lead"),
        words("commands.how"),
        *(part for command, help_text in commands for part in command_section(command, help_text, source)),
        heading(2, words("commands.statuses")),
        words("commands.statuses.lead"),
        table(
            [words("commands.status"), words("commands.meaning")],
            ([status, words(f"commands.status.{status}")] for status in STATUSES),
        ),
    )


def commands_of(top: argparse.ArgumentParser) -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """Yield the commands of a parser that have no commands below them, each with what its parser says of it."""
    for action in top._actions:  # noqa: SLF001  # argparse has no other way to ask
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            told = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
            for name, command in action.choices.items():
                below = list(commands_of(command))
                yield from below or [(command, command.description or told.get(name, ""))]


def command_section(command: argparse.ArgumentParser, help_text: str, source: Path) -> list[str]:
    """Return what a command does, what it takes, and examples of it."""
    name = command.prog.partition(" ")[2]
    examples = EXAMPLES.get(name, [f"{name} --help"])
    usage = " ".join(command.format_usage().removeprefix("usage: ").split())
    return [
        heading(2, code(name), f"command-{name.replace(' ', '-')}"),
        sentence(help_text),
        fenced("text", usage),
        definitions(
            (code(" ".join(names_of(action))), sentence((action.help or "") % {"default": action.default}))
            for action in command._actions  # noqa: SLF001
            if action.help is not argparse.SUPPRESS
        ),
        words("commands.examples"),
        *(fenced("console", shown(example, source)) for example in examples),
    ]


def sentence(said: str) -> str:
    """Return the words of a help text as a sentence."""
    return plain(said[:1].upper() + said[1:].removesuffix(".") + ".") if said else ""


def names_of(action: argparse.Action) -> list[str]:
    """Return how an argument is written."""
    if not action.option_strings:
        return [str(action.metavar or action.dest.upper())]
    if action.nargs == 0:
        return [", ".join(action.option_strings)]
    return [", ".join(action.option_strings), str(action.metavar or action.dest.upper())]


def shown(example: str, source: Path) -> str:
    """Return a call and what it printed, cut off where it is long."""
    status, lines = ran(shlex.split(example), source)
    more = len(lines) - MOST_LINES
    if more > 1:
        lines = [*lines[:MOST_LINES], words("commands.more", more=more)]
    ended = [words("commands.ended", status=status)] if status else []
    return "\n".join([f"$ python -m rmqref {example}", *lines, *ended])


def ran(arguments: Sequence[str], source: Path) -> tuple[int, list[str]]:
    """Run a command in a folder and return its exit status and the lines that it printed."""
    printed = io.StringIO()
    columns = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        with (
            contextlib.chdir(source),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            try:
                status = main(arguments)
            except SystemExit as end:  # argparse ends the process after --help
                status = int(end.code or 0)
    finally:
        if columns is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = columns
    return status, printed.getvalue().splitlines()
