"""Route texts: reading a topic's route from what people have at hand.

Three forms are known, and anything may stand around them: a command line, warnings of the JVM, a log line's
head, the object that a dashboard wraps the route in.

- JSON, as `mqadmin topicRoute` prints it (fastjson leaves integer names without quotes:
  `{0:"10.0.0.1:10911"}`), as it goes over the wire, or as a dashboard gives it;
- what Java's `toString` makes of a route, as client logs have it. It does not print the clusters;
- the table of `mqadmin topicRoute -l`. It prints neither the order configuration nor the parts of a static
  topic, so a route read from it is expanded as an ordinary topic's, which may be wrong: see
  `RouteText.not_printed`.

A text is first read into a tree of nodes that know where they stand, then the tree into the route. Reading is
strict: what is missing, doubled or misspelt in a dump is an error with its line and column, never a guess,
because a route that was cut off would look like one with fewer queues.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Never

from rmqref.errors import RouteError, shortened
from rmqref.model import BrokerData, QueueData, TopicQueueMapping, TopicRouteData

if TYPE_CHECKING:
    from rmqref.messages import Parameter


@dataclass(slots=True)
class RouteText:
    """A route as read from a text, and what else the text said.

    Args:
        route: the route.
        topic: the topic's name, if the text has it: in a log line, a command line, a static topic's parts.
        line: where the route begins in the text, from 1.
        column: where it begins in that line, in characters from 1.
        not_read: members that `TopicRouteData` has no place for, path (`brokerDatas[0].zoneName`) and value.
        not_printed: fields that this form of text never has; the route holds their defaults, not the truth.
    """

    route: TopicRouteData
    topic: str | None
    line: int
    column: int
    not_read: dict[str, object]
    not_printed: tuple[str, ...]


def read_route(text: str | bytes, topic: str | None = None) -> TopicRouteData:
    """Return the one route that a text holds.

    Args:
        text: the text; bytes may be UTF-8, UTF-16 or UTF-32, with or without a byte order mark.
        topic: the topic whose route is wanted, where the text holds several; a route without a name may be anyone's.

    Returns:
        The route, with brokers and queues in the order of the text.

    Raises:
        RouteError: the text holds no route, a broken one, several that differ, or none of the topic; the error says
            where.

    Java: TopicRouteData#toString, 4.0.0-incubating .. 5.3.3; TopicRouteSubCommand#printData, 4.9.0 .. 5.3.3.

    >>> route = read_route('''{
    ...   "brokerDatas":[{"brokerAddrs":{0:"10.0.0.1:10911"}, "brokerName":"broker-a"}],
    ...   "queueDatas":[{"brokerName":"broker-a", "perm":6, "readQueueNums":4, "writeQueueNums":4}]
    ... }''')
    >>> route.broker_datas[0].broker_addrs
    {0: '10.0.0.1:10911'}
    >>> read_route('{"queueDatas":[')
    Traceback (most recent call last):
    rmqref.errors.RouteError: The text breaks off at line 1, column 16: a closing ] is expected, at the least.
    """
    return read_named_route(text, topic).route


def read_named_route(text: str | bytes, topic: str | None = None) -> RouteText:
    """Return the one route that a text holds, with its topic and its place.

    Args:
        text: the text, as in `read_route`.
        topic: the topic whose route is wanted, where the text holds several.

    Returns:
        The route as it was read.

    Raises:
        RouteError: as in `read_route`.
    """
    first, *others = routes_of(read_routes(text), topic)
    for other in others:
        if other.route != first.route:
            raise RouteError(
                "error.route.several",
                line=other.line,
                column=other.column,
                first=first.line,
                number=len(others) + 1,
                topics=topics_of([first, *others]),
            )
    return first


def routes_of(routes: list[RouteText], topic: str | None) -> list[RouteText]:
    """Return the routes that may be a topic's: one without a name may be anyone's.

    Args:
        routes: the routes of a text.
        topic: the topic; None for all.

    Raises:
        RouteError: there is none of the topic.
    """
    wanted = [route for route in routes if None in (topic, route.topic) or route.topic == topic]
    if not wanted:
        raise RouteError("error.route.topic", topic=shortened(str(topic)), known=topics_of(routes))
    return wanted


def topics_of(routes: list[RouteText]) -> str:
    """Return the topics of routes in words, each once."""
    return ", ".join(dict.fromkeys(shortened(str(route.topic)) for route in routes))


def read_routes(text: str | bytes) -> list[RouteText]:
    """Return every route that a text holds, such as a client log or several dumps in one file.

    Args:
        text: the text; bytes may be UTF-8, UTF-16 or UTF-32, with or without a byte order mark.

    Returns:
        One entry or more, in the order of the text.

    Raises:
        RouteError: the text holds no route, or one of them is broken; the error says where.

    Java: TopicRouteData#toString, 4.0.0-incubating .. 5.3.3; TopicRouteSubCommand#printData, 4.9.0 .. 5.3.3.

    >>> log = "topicRouteTable.put. Topic = T, TopicRouteData[TopicRouteData [queueDatas=[], brokerDatas=[]]]"
    >>> read_routes(log)[0].topic, read_routes(log)[0].column, read_routes(log)[0].not_printed
    ('T', 48, ('cluster',))
    """
    if not isinstance(text, str | bytes):
        raise RouteError("error.route.kind", kind=type(text).__name__)
    decoded = _decoded(text)
    starts = _line_starts(decoded)
    try:
        routes = [
            _route_text(decoded, starts, dump, node)
            for dump in _find_dumps(decoded)
            for node in _routes_within(dump.node)
        ]
        return routes or _explain_no_route(decoded)
    except _Broken as broken:
        line, column = _position(decoded, starts, broken.offset)
        raise RouteError(broken.message_id, line=line, column=column, **broken.parameters) from None


# The text ---------------------------------------------------------------------------------------------------


class _Broken(Exception):  # it never leaves this module
    """What is wrong at an offset of the text; `read_routes` makes the error with line and column of it."""

    def __init__(self, message_id: str, offset: int, **parameters: Parameter) -> None:
        self.message_id = message_id
        self.offset = offset
        self.parameters = parameters
        super().__init__(message_id)


def _decoded(text: str | bytes) -> str:
    """Return the characters of a text, without a byte order mark: no editor counts it as a column."""
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    encoding = json.detect_encoding(text)
    # Noise around a dump may be in a console's own encoding, such as GBK; only what is read has to be UTF-8.
    errors = "surrogateescape" if encoding.startswith("utf-8") else "strict"
    try:
        return text.decode(encoding, errors)
    except UnicodeDecodeError as error:
        whole = text[: error.start].decode(encoding, "ignore")
        line, column = _position(whole, _line_starts(whole), len(whole))
        raise RouteError("error.route.encoding", line=line, column=column, encoding=encoding) from None


def _line_starts(text: str) -> list[int]:
    """Return where each line begins."""
    return [0, *(line_end.end() for line_end in re.finditer(r"\r\n?|\n", text))]


def _position(text: str, starts: list[int], offset: int) -> tuple[int, int]:
    """Return line and column of an offset; at the end of the text, those behind its last visible one."""
    seen = offset if offset < len(text) else len(text.rstrip())
    line = bisect_right(starts, seen)
    return line, seen - starts[line - 1] + 1


_SHOWN = re.compile(r'"[^"\r\n]{0,20}"|[\w.+-]{1,20}|.', re.DOTALL)


def _shown(text: str, offset: int) -> str:
    """Return the word or the character at an offset, for an error to quote."""
    found = _SHOWN.match(text, offset)
    return found[0] if found else ""


# Finding the dumps ------------------------------------------------------------------------------------------


class _Node(NamedTuple):
    """A value of the text and where it stands; `name_at` is where its name stands, if it has one."""

    value: str | float | bool | list[_Node] | dict[str, _Node] | None
    offset: int
    name_at: int = -1


class _Dump(NamedTuple):
    """What one reader made of one stretch of the text; `context` is where the dump before it ended."""

    node: _Node
    context: int
    not_printed: tuple[str, ...]


_MARK = re.compile(r"\b(?:queueDatas|brokerDatas)\b|#BrokerAddrs\b")
"""Every whole dump holds one of these; noise does not."""


def _find_dumps(text: str) -> Iterator[_Dump]:
    """Yield the dumps of a text; a mark that is in none of them belongs to a broken one and is an error."""
    at = done = 0
    for mark in [*(found.start() for found in _MARK.finditer(text)), len(text)]:
        failures: deque[tuple[int, _Broken]] = deque(maxlen=64)
        while begin := _BEGIN.search(text, at, mark):
            read, not_printed = _FORMS[begin[0]]
            at = begin.end()
            try:
                node, end = read(text, begin.start())
            except _Broken as broken:
                # Noise may have braces too, but only a dump can be read as far as its mark.
                if broken.offset >= mark:
                    raise
                failures.append((begin.start(), broken))
                continue
            if any(_routes_within(node)):
                yield _Dump(node, done, not_printed)
                at = done = end
            elif end <= mark:
                at = end
        if at <= mark < len(text):
            raise _blame(text, mark, failures)


def _blame(text: str, mark: int, failures: deque[tuple[int, _Broken]]) -> _Broken:
    """Return why a mark is in no dump: what broke the nearest object open there, or that none is."""
    for begin, broken in reversed(failures):
        if text.count("{", begin, mark) > text.count("}", begin, mark):
            return broken
    return _Broken("error.route.loose", mark, name=_shown(text, mark))


def _routes_within(node: _Node) -> Iterator[_Node]:
    """Yield the routes in a tree: the node itself, or those that a dashboard's answer wraps."""
    if isinstance(node.value, dict) and not node.value.keys().isdisjoint(("queueDatas", "brokerDatas")):
        yield node
    elif isinstance(node.value, dict | list):
        for inner in node.value.values() if isinstance(node.value, dict) else node.value:
            yield from _routes_within(inner)


_INSTEAD = {
    r"(?:CODE: 17\b|No route info of this topic)[^\r\n]{0,300}?topic[:,] *(?P<topic>[^\s\"\\,]+)": "topic_missing",
    r"CODE: 17\b|No route info of this topic": "some_topic_missing",
    r"(?m)^#(?P<head>[A-Z][\w-]*(?: [\w-]+)*)[ \t]+#": "other_output",
    r"(?<![\w.$])(?P<what>[\w.$]{1,200}(?:Exception|Error)\b[^\r\n]{0,200})": "exception",
    r"\S": "none",
    r"": "empty",
}
"""What people paste instead of a route, and the sentence for it, most telling first."""


def _explain_no_route(text: str) -> Never:
    """Raise the error that says what a text without a route is."""
    found, sentence = next(
        (found, name) for pattern, name in _INSTEAD.items() if (found := re.search(pattern, text))
    )
    raise _Broken(f"error.route.{sentence}", found.start(), **found.groupdict())


# Reading a dump into a tree ---------------------------------------------------------------------------------

_DEEPEST = 16
"""A route in a dashboard's answer is eight groups deep; the limit keeps Python's recursion limit away."""


class _JsonReader:
    """Reads JSON, and names that are integers without quotes."""

    equals = ":"

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.open: list[str] = []

    def value(self) -> _Node:
        """Read the value at hand with everything in it."""
        start = self.skip_blanks()
        if self.text.startswith("{", start):
            return _Node(self.members("}"), start)
        if self.text.startswith("[", start):
            return _Node([self.value() for _ in self.entries("]")], start)
        return _Node(self.scalar(), start)

    def members(self, closing: str) -> dict[str, _Node]:
        """Read the members of an object or a map by their names."""
        found: dict[str, _Node] = {}
        for name_at in self.entries(closing):
            name = self.name()
            if name in found:
                raise _Broken("error.route.duplicate", name_at, name=name)
            self.skip_blanks()
            if not self.accept(self.equals):
                self.fail("error.route.separator", separator=self.equals)
            value = self.value()
            found[name] = value._replace(name_at=name_at)
        return found

    def entries(self, closing: str) -> Iterator[int]:
        """Yield where each entry of a group begins, and read the commas between them and the end."""
        if len(self.open) == _DEEPEST:
            self.fail("error.route.depth", limit=_DEEPEST)
        self.at += 1
        self.open.append(closing)
        self.skip_blanks()
        more = not self.accept(closing)
        while more:
            yield self.skip_blanks()
            self.skip_blanks()
            more = self.accept(",")
            if not more and not self.accept(closing):
                self.fail("error.route.next", closing=closing)
        self.open.pop()

    def name(self) -> str:
        """Read a member's name: a string, or an integer without quotes."""
        if self.text.startswith('"', self.at):
            return self.string()
        return self.take(_INTEGER, "error.route.name")

    def scalar(self) -> str | float | bool | None:
        """Read a string, a number, true, false or null."""
        if self.text.startswith('"', self.at):
            return self.string()
        literal = self.take(_LITERAL, "error.route.value")
        if literal in _WORDS:
            return _WORDS[literal]
        return int(literal) if _INTEGER.fullmatch(literal) else float(literal)

    def string(self) -> str:
        """Read a string; it has to end on its line, or a lost quote would swallow the rest of the text."""
        start = self.at
        body = _STRING.match(self.text, start)
        assert body is not None
        self.at = body.end()
        if not self.accept('"'):
            self.open.append('"')
            self.fail("error.route.string", offset=start)
        raw = self.text[start : self.at]
        if wrong := _NOT_UTF_8.search(raw):
            raise _Broken("error.route.encoding", start + wrong.start(), encoding="utf-8")
        try:
            return str(json.loads(raw))
        except json.JSONDecodeError as error:
            raise _Broken("error.route.escape", start + error.pos, found=_shown(raw, error.pos)) from None

    def take(self, pattern: re.Pattern[str], message_id: str) -> str:
        """Read what fits a pattern, or fail with a sentence."""
        found = pattern.match(self.text, self.at)
        if not found:
            self.fail(message_id)
        self.at = found.end()
        return found[0]

    def accept(self, character: str) -> bool:
        """Read a character if it is at hand, and return whether it was."""
        accepted = self.text.startswith(character, self.at)
        self.at += accepted
        return accepted

    def skip_blanks(self) -> int:
        """Read over blanks, and return where the next character stands."""
        blanks = _BLANKS.match(self.text, self.at)
        assert blanks is not None
        self.at = blanks.end()
        return self.at

    def fail(self, message_id: str, offset: int | None = None, **parameters: Parameter) -> Never:
        """Raise what is wrong at hand; at the end of the text that is always that it ends."""
        if self.at >= len(self.text):
            raise _Broken("error.route.cut_off", len(self.text), closing=self.open[-1])
        at = self.at if offset is None else offset
        raise _Broken(message_id, at, found=_shown(self.text, at), **parameters)


class _JavaReader(_JsonReader):
    """Reads what `toString` prints: `Name [a=1, b=[..], c={k=v}]`, text without quotes or in single ones."""

    equals = "="

    def value(self) -> _Node:
        """Read the value at hand; an object differs from text by the bracket behind its class name."""
        start = self.skip_blanks()
        if found := _CLASS.match(self.text, start):
            self.at = found.end() - 1
            return _Node(self.members("]" if found[0].endswith("[") else "}"), start)
        if _IPV6.match(self.text, start):
            return _Node(self.scalar(), start)
        return super().value()

    def name(self) -> str:
        """Read a member's name, or a map's key as `toString` prints it."""
        return self.take(_BARE, "error.route.bare_name")

    def scalar(self) -> str | None:
        """Read text, which may hold anything but brackets, commas and equal signs; `null` is Java's null."""
        quoted = _QUOTED.match(self.text, self.at)
        given = quoted[1] if quoted else self.take(_BARE_OR_NOTHING, "error.route.value")
        self.at = quoted.end() if quoted else self.at
        return None if given == "null" else given


_BLANKS = re.compile(r"[ \t\r\n]*")
_INTEGER = re.compile(r"(?:0|-?[1-9]\d{0,18})(?![\w.+-])", re.ASCII)
_LITERAL = re.compile(r"(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])", re.ASCII)
_WORDS = {"true": True, "false": False, "null": None}
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f])*')
_NOT_UTF_8 = re.compile(r"[\udc80-\udcff]")
_CLASS = re.compile(r"\w+ ?[\[{]", re.ASCII)
_QUOTED = re.compile(r"'([^'\r\n]*)'")
_IPV6 = re.compile(r"\[[\w:.%-]+\]:\d")
_BARE = re.compile(r"(?:\[[\w:.%-]+\](?=:\d))?[^,=\[\]{}\r\n]+")
_BARE_OR_NOTHING = re.compile(rf"(?:{_BARE.pattern})?")


def _read_json(text: str, at: int) -> tuple[_Node, int]:
    """Read the JSON object at an offset; return it and where it ends."""
    reader = _JsonReader(text, at)
    return reader.value(), reader.at


def _read_java(text: str, at: int) -> tuple[_Node, int]:
    """Read the `toString` text at an offset; return it and where it ends."""
    reader = _JavaReader(text, at)
    return reader.value(), reader.at


_HEAD = re.compile(
    r"#ClusterName\s+#BrokerName\s+#BrokerAddrs\s+#ReadQueue\s+#WriteQueue\s+#Perm[ \t]*(?=[\r\n]|$)"
)
_ROW = re.compile(
    r"\s*(?P<cluster>\S+)[ \t]+(?P<brokerName>\S+)[ \t]+(?P<brokerAddrs>\{[^}\r\n]*\})"
    r"[ \t]+(?P<readQueueNums>\d+)[ \t]+(?P<writeQueueNums>\d+)[ \t]+(?P<perm>\d+)[ \t]*(?=[\r\n])"
)
_TOTAL = re.compile(
    r"\s*-+\s+Total:[ \t]+(?P<brokers>\d+)[ \t]+(?P<read>\d+)[ \t]+(?P<write>\d+)[ \t]*(?=[\r\n]|$)"
)


def _read_table(text: str, at: int) -> tuple[_Node, int]:
    """Read the table of `topicRoute -l` at an offset as the tree of its JSON; the totals prove it whole."""
    head = _HEAD.match(text, at)
    if not head:
        raise _Broken("error.route.head", at)
    rows = []
    end = head.end()
    while row := _ROW.match(text, end):
        cells = {name: _Node(cell, row.start(name)) for name, cell in row.groupdict().items()}
        cells["brokerAddrs"] = _read_java(text, row.start("brokerAddrs"))[0]
        if row["cluster"] == "null":
            del cells["cluster"]
        rows.append(cells)
        end = row.end()
    total = _TOTAL.match(text, end)
    if not total:
        broken = re.compile(r"\S|$").search(text, end)
        raise _Broken("error.route.row", broken.start() if broken else end)
    sums = [str(len(rows)), *(str(sum(int(str(row[name].value)) for row in rows)) for name in _SUMMED)]
    if list(total.groups()) != sums:
        raise _Broken(
            "error.route.total", total.start("brokers"), given=" ".join(total.groups()), summed=" ".join(sums)
        )
    return _Node(
        {
            list_name: _Node(
                [_Node({name: row[name] for name in names if name in row}, at) for row in rows], at
            )
            for list_name, names in _COLUMNS.items()
        },
        at,
    ), total.end()


_SUMMED = ("readQueueNums", "writeQueueNums")
_COLUMNS = {
    "brokerDatas": ("cluster", "brokerName", "brokerAddrs"),
    "queueDatas": ("brokerName", "readQueueNums", "writeQueueNums", "perm"),
}

_FORMS: dict[str, tuple[Callable[[str, int], tuple[_Node, int]], tuple[str, ...]]] = {
    "{": (_read_json, ()),
    "TopicRouteData [": (_read_java, ("cluster",)),
    "#ClusterName": (
        _read_table,
        ("order_topic_conf", "topic_queue_mapping_by_broker", "filter_server_table", "topic_sys_flag"),
    ),
}
"""How each form of dump begins, how to read it, and the fields that it never prints."""

_BEGIN = re.compile("|".join(map(re.escape, _FORMS)))


# Reading the tree into the route ----------------------------------------------------------------------------


class _Content(NamedTuple):
    """What the tree is read with: the text to quote from, and the members that found no place."""

    text: str
    not_read: dict[str, object]

    def refuse(self, message_id: str, node: _Node, path: str, **parameters: Parameter) -> Never:
        """Raise that the value of a member is not what belongs there."""
        raise _Broken(message_id, node.offset, name=path, found=_shown(self.text, node.offset), **parameters)


_Convert = Callable[[_Content, _Node, str], Any]
_REQUIRED: Any = object()


class _Field(NamedTuple):
    """Where a field of the model comes from: the names it has had, how to read it, and what null means."""

    names: tuple[str, ...]
    convert: _Convert
    default: Callable[[], Any] = _REQUIRED


def _text(content: _Content, node: _Node, path: str) -> str:
    if not isinstance(node.value, str):
        content.refuse("error.route.not_text", node, path)
    return node.value


def _whole(low: int, high: int) -> _Convert:
    """Return the reader of a whole number; one in quotes counts, because Java reads it too."""

    def convert(content: _Content, node: _Node, path: str) -> int:
        given = str(node.value) if isinstance(node.value, str | int) else ""
        if not _INTEGER.fullmatch(given) or not low <= int(given) <= high:
            content.refuse("error.route.not_whole", node, path, low=low, high=high)
        return int(given)

    return convert


def _list(item: _Convert) -> _Convert:
    """Return the reader of a list."""

    def convert(content: _Content, node: _Node, path: str) -> list[Any]:
        if not isinstance(node.value, list):
            content.refuse("error.route.not_list", node, path)
        return [item(content, entry, f"{path}[{position}]") for position, entry in enumerate(node.value)]

    return convert


def _map(key: _Convert, item: _Convert) -> _Convert:
    """Return the reader of a map."""

    def convert(content: _Content, node: _Node, path: str) -> dict[Any, Any]:
        if not isinstance(node.value, dict):
            content.refuse("error.route.not_object", node, path)
        return {
            key(content, _Node(name, value.name_at), f"{path}.{name}"): item(content, value, f"{path}.{name}")
            for name, value in node.value.items()
        }

    return convert


def _object(kind: type) -> _Convert:
    """Return the reader of one of the model's classes."""

    def convert(content: _Content, node: _Node, path: str) -> Any:
        if not isinstance(node.value, dict):
            content.refuse("error.route.not_object", node, path)
        left = dict(node.value)
        prefix = f"{path}." if path else ""
        values = {}
        for field, (names, convert_value, default) in _FIELDS[kind].items():
            name = next((name for name in names if name in left), names[0])
            value = left.pop(name, _Node(None, node.offset))
            if value.value is not None or (convert_value is _scope and name in node.value):
                values[field] = convert_value(content, value, prefix + name)
            elif default is not _REQUIRED:
                values[field] = default()
            else:
                raise _Broken("error.route.missing", value.offset, name=prefix + name)
        content.not_read.update((prefix + name, _plain(value)) for name, value in left.items())
        return kind(**values)

    return convert


def _scope(content: _Content, node: _Node, path: str) -> str | None:
    """Return a mapping's scope: an absent one is the default, but one that is null is none in Java."""
    return None if node.value is None else _text(content, node, path)


def _noticed(content: _Content, node: _Node, path: str) -> bool:
    """Return True: the member is there; what it holds is kept among the members not read."""
    content.not_read[path] = _plain(node)
    return True


def _plain(node: _Node) -> object:
    """Return a node's value without offsets."""
    if isinstance(node.value, dict):
        return {name: _plain(value) for name, value in node.value.items()}
    return [_plain(value) for value in node.value] if isinstance(node.value, list) else node.value


_count = _whole(0, 2**31 - 1)
_long = _whole(-(2**63), 2**63 - 1)

_FIELDS: dict[type, dict[str, _Field]] = {
    QueueData: {
        "broker_name": _Field(("brokerName",), _text),
        "write_queue_nums": _Field(("writeQueueNums",), _count),
        "read_queue_nums": _Field(("readQueueNums",), _count),
        "perm": _Field(("perm",), _count),
        "topic_sys_flag": _Field(("topicSysFlag", "topicSynFlag"), _count, int),
    },
    BrokerData: {
        "broker_name": _Field(("brokerName",), _text),
        "broker_addrs": _Field(("brokerAddrs",), _map(_long, _text)),
        "cluster": _Field(("cluster",), _text, lambda: None),
    },
    TopicQueueMapping: {
        "broker_name": _Field(("bname",), _text),
        "scope": _Field(("scope",), _scope, lambda: "__global__"),
        "epoch": _Field(("epoch",), _long),
        "total_queues": _Field(("totalQueues",), _count),
        "current_ids": _Field(("currIdMap",), _map(_count, _count)),
    },
    TopicRouteData: {
        "queue_datas": _Field(("queueDatas",), _list(_object(QueueData))),
        "broker_datas": _Field(("brokerDatas",), _list(_object(BrokerData))),
        "order_topic_conf": _Field(("orderTopicConf",), _text, lambda: None),
        "filter_server_table": _Field(("filterServerTable",), _map(_text, _list(_text)), dict),
        "topic_queue_mapping_by_broker": _Field(
            ("topicQueueMappingByBroker", "topicQueueMappingInfoTable"),
            _map(_text, _object(TopicQueueMapping)),
            lambda: None,
        ),
        "logical_queues_info": _Field(("logicalQueuesInfo",), _noticed, bool),
    },
}
"""The model's fields by their names in the text; those without a default are never null in a dump."""

_TOPIC = re.compile(
    r"\btopic\[([^\]\s]+)\] route info|\bTopic = ([^,\s]+),|\btopicRoute\b[^\r\n]{0,300}?\s(?:-t|--topic)[ =](\S+)"
)


def _route_text(text: str, starts: list[int], dump: _Dump, node: _Node) -> RouteText:
    """Return the route in a node, and what the text says around it."""
    content = _Content(text, {})
    route = _object(TopicRouteData)(content, node, "")
    line, column = _position(text, starts, node.offset)
    # The two routes of one log line, old and new, share the topic at the line's head.
    context = min(dump.context, starts[line - 1])
    named = [found[found.lastindex or 0] for found in _TOPIC.finditer(text, context, node.offset)]
    named += [
        str(value)
        for path, value in content.not_read.items()
        if path.startswith("topicQueueMapping") and path.endswith(".topic")
    ]
    return RouteText(route, named[-1] if named else None, line, column, content.not_read, dump.not_printed)
