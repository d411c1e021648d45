"""A log in entries: a line with what belongs to it, such as an exception and its causes.

Lines are told apart by what stands in them, not by a layout: applications and containers put anything before them.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import Any, BinaryIO, cast

from rmqref.errors import RmqRefError


class LogError(RmqRefError):
    """A log cannot be read."""


INTERESTING = (
    b"InvokeID",
    b"still failed, cost",
    b"Exception",
    b"CODE: ",
    b"Message [topic=",
    b"Message{topic=",
    b"async send msg by retry",
    b"isolated for",
    b"reachable",
    b"when selecting message queue",
    b"SendResult [",
)
"""What an entry has to hold to be looked at."""

BLOCK = 1 << 16
"""How much of a file is read at once, in bytes; of a longer line, one that holds a body, the middle is passed over."""

MOST_HELD = 4 * BLOCK
"""How long an entry may be, in bytes, before it is cut."""

MOST_LINES = 400
"""How many lines of an entry are looked at."""

LOOKED_AT = 8192
"""How much of a line is looked at, its body left out, in characters: so that no line takes longer than its length asks."""

BEFORE = re.compile(rb'(?:\{"log":"|[\w.-]+\s*\| |\d{4}-\S+ std(?:out|err) [FP] )')
"""What containers put before each line."""
GOES_ON = re.compile(
    rb"(?:\s|$|at |\.\.\. \d|Caused by: |Suppressed: |See https?:|For more information|[\w.]{0,80}nested exception)"
)
"""How a line begins that belongs to the one before."""
BARE = re.compile(rb"(?:(?:[a-z][\w]*\.){1,12}[A-Z][\w$]*(?:Exception|Error)\b|[A-Z]\w*Exception: |CODE: )")
"""How an exception begins that is printed below the line that tells of it."""
TIME = re.compile(
    r"((?:\d{4}[-/]\d\d[-/]\d\d[ T]|\d\d[-/]\d\d[-/]\d{4}[ T]|[A-Z][a-z]{2} [ \d]\d )?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
)
BODY = re.compile(r"body=\[[^\]]*\]?|body=\S+")
THREAD = re.compile(r"\[([^\[\]#]{1,80})\]")
NAMED = re.compile(r"\b(?:TRACE|DEBUG|INFO|WARN|ERROR) +(?!RocketmqClient )([^\s\[]+) - ")


@dataclass(frozen=True)
class Entry:
    """What belongs together in a log.

    Args:
        number: of its first line, from 1.
        lines: its lines with their numbers, bodies left out where a line is long.
    """

    number: int
    lines: tuple[tuple[int, str], ...]

    @property
    def head(self) -> str:
        """Return its first line."""
        return self.lines[0][1]

    @cached_property
    def at(self) -> str:
        """Return the time at its beginning as it stands there, or nothing."""
        found = TIME.search(self.head[:80])
        return found[1] if found else ""

    @cached_property
    def thread_names(self) -> frozenset[str]:
        """Return what may be the name of its thread; nothing if it has none."""
        start = self.head[:200]
        named = {name for name in THREAD.findall(start) if not name.isdigit() and not set("=,") & set(name)}
        if not named and (found := NAMED.search(start)):
            named = {found[1]}
        return frozenset(named)


def could_be_one(threads: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two entries may be of one thread: they are not if both name one and no name is the same."""
    return not threads or not others or bool(threads & others)


def are_near(at: str, other: str, seconds: float) -> bool:
    """Return whether two times of a log are near each other; times that cannot be compared are.

    >>> (
    ...     are_near("2022-08-02 16:22:05,917", "2022-08-02 16:22:06,000", 1),
    ...     are_near("16:22:05", "18:00:00", 60),
    ... )
    (True, True)
    """
    try:
        between = datetime.fromisoformat(at.replace("/", "-")) - datetime.fromisoformat(
            other.replace("/", "-")
        )
    except (ValueError, TypeError):
        return True
    return abs(between.total_seconds()) <= seconds


def without_body(line: str) -> str:
    """Return a line without a message's body.

    >>> without_body("Message{topic='T', flag=0, body=[72, 101], transactionId='null'}")
    "Message{topic='T', flag=0, body=…, transactionId='null'}"
    """
    return BODY.sub("body=…", line)


# -------------------------------------------------------------------------------------------------------- the file


def blocks_of(file: BinaryIO) -> Iterator[bytes]:
    r"""Yield a log in blocks of whole lines, as UTF-8 and in constant memory.

    Args:
        file: the log; what a Windows console writes as UTF-16 is read too, and what gzip has packed.

    Raises:
        LogError: it is no text.

    >>> import io
    >>> list(blocks_of(io.BytesIO("one\ntwo\nthree".encode("utf-16"))))
    [b'one\ntwo\n', b'three']
    """
    rest = b""
    for piece in pieces_of(file):
        whole, newline, tail = piece.rpartition(b"\n")
        if newline:
            yield rest + whole + newline
            rest = tail
        elif len(rest) < BLOCK:
            rest += piece
    if rest:
        yield rest


def pieces_of(file: BinaryIO, *, is_unpacked: bool = False) -> Iterator[bytes]:
    """Yield a file's content piece by piece, as UTF-8 without a byte order mark.

    Args:
        file: the file.
        is_unpacked: whether it comes out of a packed one; what is packed twice could be so without end.

    Raises:
        LogError: it is no text.
    """
    read = iter(lambda: file.read(BLOCK), b"")
    first = next(read, b"")
    if first.startswith(b"\x1f\x8b") and not is_unpacked:
        packed = cast("BinaryIO", gzip.GzipFile(fileobj=io.BufferedReader(_Again(first, file)), mode="rb"))
        try:
            yield from pieces_of(packed, is_unpacked=True)
        except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
            raise LogError("log.error.packed", problem=str(problem)) from problem
        return
    if encoding := utf_16_of(first):
        yield from (said.encode() for said in codecs.iterdecode(chain([first], read), encoding, "replace"))
        return
    if b"\0" in first[:1024]:
        raise LogError("log.error.no_text")
    yield first.removeprefix(codecs.BOM_UTF8)
    yield from read


def utf_16_of(start: bytes) -> str | None:
    """Return which UTF-16 a text is in that begins so, or None; without a byte order mark every other byte is 0.

    >>> utf_16_of("log".encode("utf-16")), utf_16_of("a log".encode("utf-16-le")), utf_16_of(b"a log")
    ('utf-16', 'utf-16-le', None)
    """
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    start = start[: min(len(start), 512) // 2 * 2]
    even, odd = start[::2].count(0), start[1::2].count(0)
    if min(even, odd) == 0 and max(even, odd) > len(start) // 4:
        return "utf-16-le" if odd else "utf-16-be"
    return None


class _Again(io.RawIOBase):
    """A file whose first bytes were read already."""

    def __init__(self, first: bytes, file: BinaryIO) -> None:
        self.first, self.file = first, file

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes, and return how many there were."""
        view = memoryview(buffer)
        taken = self.first[: len(view)] or self.file.read(len(view))
        self.first = self.first[len(view) :]
        view[: len(taken)] = taken
        return len(taken)


# ------------------------------------------------------------------------------------------------------ the entries


def entries_of(blocks: Iterable[bytes]) -> Iterator[Entry]:
    """Yield the entries of a log that are to be looked at.

    Args:
        blocks: the log, in blocks of whole lines; a line is a block too.
    """
    held, before = b"", 0
    for block in blocks:
        text = held + block + (b"" if block.endswith(b"\n") else b"\n")
        kept = yield from _entries(text, before, is_last=False)
        before += text.count(b"\n", 0, kept)
        held = text[kept:]
    yield from _entries(held, before, is_last=True)


def _entries(text: bytes, before: int, *, is_last: bool) -> Generator[Entry, None, int]:
    """Yield the entries of whole lines, and return from where on they may go on in the next ones."""
    done, number, seen = 0, before + 1, 0
    for start in starts_of_lines(text):
        if start < done:
            continue
        head = start_of_entry(text, start, done)
        end = end_of_entry(text, head)
        if end == len(text) and not is_last and end - head < MOST_HELD:
            return head
        number += text.count(b"\n", seen, head)
        seen = head
        yield entry_of(text[head:end], number)
        done = end
    last = start_of_entry(text, text.rfind(b"\n", 0, -1) + 1, done) if text else 0
    return last if len(text) - last < MOST_HELD else len(text)


def starts_of_lines(block: bytes) -> list[int]:
    r"""Return where the lines begin that are to be looked at, in order.

    Searching a whole block for one word after the other is several times as fast as looking at each line.

    >>> starts_of_lines(b"quiet\nCODE: 1\nquiet\nException with InvokeID")
    [6, 20]
    """
    starts = set()
    for words in INTERESTING:
        found = block.find(words)
        while found >= 0:
            starts.add(block.rfind(b"\n", 0, found) + 1)
            end = block.find(b"\n", found)
            found = block.find(words, end) if end >= 0 else -1
    return sorted(starts)


def _begins(pattern: re.Pattern[bytes], text: bytes, at: int) -> bool:
    before = BEFORE.match(text, at)
    return pattern.match(text, before.end() if before else at) is not None


def start_of_entry(text: bytes, at: int, floor: int) -> int:
    r"""Return where the entry begins that a line belongs to.

    Args:
        text: whole lines.
        at: where the line begins.
        floor: how far back to look at most.

    >>> start_of_entry(b"failed\nx.YException: z\n\tat a\n", 23, 0)
    0
    """
    for _ in range(MOST_LINES):
        if at <= floor:
            break
        above = text.rfind(b"\n", 0, at - 1) + 1
        if _begins(GOES_ON, text, at):
            at = above
        elif _begins(BARE, text, at) and not (_begins(GOES_ON, text, above) or _begins(BARE, text, above)):
            return max(above, floor)
        else:
            break
    return max(at, floor)


def end_of_entry(text: bytes, head: int) -> int:
    """Return where the entry ends that begins with a line."""
    at = (text.find(b"\n", head) + 1) or len(text)
    if at < len(text) and not _begins(BARE, text, head) and _begins(BARE, text, at):
        at = (text.find(b"\n", at) + 1) or len(text)
    while at < len(text) and _begins(GOES_ON, text, at) and at - head < MOST_HELD:
        at = (text.find(b"\n", at) + 1) or len(text)
    return at


def entry_of(text: bytes, number: int) -> Entry:
    """Return an entry of the lines of a text; JSON that holds lines is opened."""
    lines: list[tuple[int, str]] = []
    for place, raw in enumerate(text.removesuffix(b"\n").split(b"\n", MOST_LINES)[:MOST_LINES]):
        before = BEFORE.match(raw)
        line = raw[before.end() if before else 0 :].decode("utf-8", "replace").rstrip("\r")
        if raw.startswith(b"{"):
            opened = line.replace('\\"', '"').replace("\\t", "\t").replace("\\r", "").split("\\n")
            lines += [(number + place, shortened_line(one)) for one in opened[:MOST_LINES]]
        else:
            lines.append((number + place, shortened_line(line)))
    return Entry(number, tuple(lines))


def shortened_line(line: str) -> str:
    """Return a line, without its body if it is long, and not more of it than is looked at."""
    return line if len(line) <= LOOKED_AT else without_body(line)[:LOOKED_AT]
