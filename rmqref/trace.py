"""The trace: a run of the real functions, recorded by watching them.

`record` sets Python's tracer for the length of one run and looks only at the modules of the algorithm. Each step is a
line that ran or a value that was returned, with the real source, the locals, the call stack and the state that a
reader cares about. What a step *means* (a probe, a skip, a pick ...) follows from which function returned what:
`MEANINGS` is the table of that. The algorithm knows nothing of it.

The format is described by `trace.schema.json`; its version is `VERSION`.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Callable
from functools import cache, partial
from types import CodeType, FrameType
from typing import Any, TypeVar

from rmqref import broker, faults, index, producer, selection, selectors, sending, strategy
from rmqref.errors import JavaException, TraceError, shortened
from rmqref.faults import FaultItem, LatencyFaultTolerance
from rmqref.index import ThreadLocalIndex
from rmqref.java import INT_MIN
from rmqref.messages import Parameter, text
from rmqref.model import (
    CommunicationMode,
    Message,
    MessageQueue,
    SendResponse,
    SendResult,
    SendStatus,
    TopicPublishInfo,
)
from rmqref.releases import Release
from rmqref.situation import Situation
from rmqref.strategy import MQFaultStrategy

T = TypeVar("T")
Json = dict[str, Any]
Tracer = Callable[[FrameType, str, Any], Any]

FORMAT = "rmqref.trace"
VERSION = 1
WATCHED = (index, selection, strategy, faults, selectors, sending, producer, broker)
_FILES = {module.__file__: module.__name__ for module in WATCHED}

PICKS = frozenset(
    {
        "select_one_message_queue",
        "select_by_scan",
        "select_by_filters",
        "first_pick",
        "retry_pick_walking",
        "retry_pick_counting",
        "filter_pick",
    }
)
"""Functions that decide on a queue: the outermost one that runs is a decision that a reader can predict."""

MOST_PICKS = 200
"""More picks than anybody steps through; `Situation.share` counts any number of them."""

UNWATCHED = frozenset(
    {
        # Which entries a sort compares is Python's affair, not Java's.
        "compare_fault_items",
        "rank",
        "array_element",
        # What only words a message or fills a form.
        "attach_default_url",
        "broker_vip_channel",
        "check_message",
        "full_name",
        "in_java",
        "java_array",
        "message_properties_to_string",
        "mq_client_exception",
        "no_publish_info",
        "require_setting",
        "set_unique_id",
        "suggest_todo",
        "way_name",
        "way_to_send",
    }
)
"""Functions that are run but not stepped into."""

BACKGROUND = frozenset({"poll_name_server", "clean_offline_broker", "detect"})
"""What a producer does beside its sends: neither it nor what it calls is stepped into."""


def record(situation: Situation, title: str | None = None) -> Json:
    """Return the trace of a situation's picks.

    Args:
        situation: what to pick in.
        title: the trace's title; by default one that fits.

    Returns:
        The trace: data that JSON can hold, the same every time.

    Raises:
        TraceError: it is no situation, or one with more picks than a person steps through.

    >>> trace = record(Situation("4.9.4", start=4))
    >>> trace["result"], [step["kind"] for step in trace["steps"] if step["kind"]]
    ('broker-b : 1', ['enter', 'enter', 'enter', 'enter', 'enter', 'count', 'enter', 'enter', 'probe', 'pick'])
    """
    if not isinstance(situation, Situation):
        raise TraceError("error.trace.situation", value=shortened(situation))
    if situation.calls > MOST_PICKS:
        raise TraceError("error.trace.long", calls=situation.calls, most=MOST_PICKS)
    desk = situation.prepare()
    if title is None:
        kind = (
            "fault" if situation.fault_switch else "first" if situation.last_broker_name is None else "retry"
        )
        title = text(f"trace.title.{kind}")
    watch = Watch(desk.topic, desk.strategy, situation.last_broker_name)
    result = watch.run(partial(situation.run, desk))
    told = ", ".join(map(str, result)) if isinstance(result, list) else str(result)
    return trace_of(watch, desk.row, title, desk.topic.topic, told)


def trace_of(watch: Watch, row: Release, title: str, topic: str, result: str) -> Json:
    """Return what a watch saw as a trace.

    Args:
        watch: the watch, after its run.
        row: the release that ran.
        title: the trace's title.
        topic: the topic's name.
        result: what it came to.

    Returns:
        The trace.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "release": row.version,
        "family": row.family,
        "span": row.span,
        "topic": topic,
        "brokers": watch.brokers,
        "sources": watch.sources,
        "states": watch.states,
        "steps": watch.steps,
        "decisions": watch.decisions,
        "result": result,
    }


def to_json(trace: Json) -> str:
    """Return a trace as text, the same bytes for the same trace.

    Args:
        trace: what `record` returned.

    Returns:
        One line of JSON.

    >>> to_json(record(Situation())) == to_json(record(Situation()))
    True
    """
    return json.dumps(trace, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def sentence(trace: Json, step: int) -> str:
    """Return what a step says, as plain text.

    Args:
        trace: what `record` returned.
        step: from 0.

    Returns:
        One sentence from the catalogue.

    Raises:
        TraceError: there is no such step.

    >>> trace = record(Situation("4.9.4", start=4))
    >>> sentence(trace, len(trace["steps"]) - 1)
    'The pick is broker-b : 1, after 1 look at the list.'
    """
    steps = trace["steps"]
    if not 0 <= step < len(steps):
        raise TraceError("stepper.error.step", step=step, last=len(steps) - 1)
    say = dict(steps[step]["say"])
    return text(say.pop("id"), **say)


def events(trace: Json) -> list[str]:
    """Return the sentences of all steps at which something happened, in order.

    Args:
        trace: what `record` returned.

    Returns:
        Sentences; steps that only enter a function or run a line are left out.

    >>> events(record(Situation("4.9.4", start=4)))[0]
    "This thread's counter moves from 4 to 5."
    """
    happened = (n for n, step in enumerate(trace["steps"]) if step["kind"] not in (None, "enter"))
    return [sentence(trace, n) for n in happened]


def is_watched(frame: FrameType) -> bool:
    """Return whether a call is of a named function of the algorithm, and not how Python's sort goes about it."""
    code, caller = frame.f_code, frame.f_back
    if code.co_filename not in _FILES or code.co_name.startswith("<") or code.co_name in UNWATCHED:
        return False
    if code.co_name in BACKGROUND or (caller is not None and caller.f_code.co_name in UNWATCHED):
        return False
    while caller is not None:
        if caller.f_code.co_name in BACKGROUND and caller.f_code.co_filename in _FILES:
            return False
        caller = caller.f_back
    return True


@cache
def source_of(code: CodeType) -> Json:
    """Return a function's real source as a trace holds it."""
    lines, first_line = inspect.getsourcelines(code)
    body = textwrap.dedent("".join(lines))
    function = ast.parse(body).body[0]
    assert isinstance(function, ast.FunctionDef)
    docstring = function.body[0]
    summary, java = "", ""
    folded = []
    if (documented := ast.get_docstring(function)) is not None:
        summary = documented.split("\n", 1)[0]
        java = " ".join(documented.partition("Java: ")[2].split("\n\n")[0].split())
        folded = [[docstring.lineno, docstring.end_lineno]]
    return {
        "name": code.co_qualname,
        "module": _FILES[code.co_filename],
        "summary": summary,
        "java": java,
        "first_line": first_line,
        "lines": body.rstrip("\n").split("\n"),
        "folded": folded,
    }


def shown(value: object) -> str:
    """Return a value as the table of locals shows it: short, and without anything that differs between runs.

    Args:
        value: a local of the algorithm.

    Returns:
        One line.

    >>> shown(MessageQueue("T", "broker-a", 2)), shown(None), shown("broker-a"), shown([1, 2])
    ('broker-a : 2', 'None', '"broker-a"', '[1, 2]')
    """
    match value:
        case bool() | int() | None:
            return str(value)
        case str():
            return json.dumps(value, ensure_ascii=False)
        case MessageQueue():
            return str(value)
        case TopicPublishInfo():
            return text("shown.topic", queues=len(value.message_queue_list))
        case MQFaultStrategy():
            return text("shown.switch.on" if value.send_latency_fault_enable else "shown.switch.off")
        case LatencyFaultTolerance():
            return text("shown.faults", entries=len(value.fault_item_table))
        case FaultItem():
            return text("shown.fault", broker=value.name, latency=value.current_latency)
        case ThreadLocalIndex():
            return text("shown.index", stored=shown(value.stored))
        case JavaException():
            return value.name
        case Message():
            return text("shown.message", topic=value.topic, size=len(value.body))
        case SendResult():
            return f"{value.send_status.name} {value.message_queue}"
        case SendResponse():
            return text("shown.response", code=value.code)
        case CommunicationMode() | SendStatus():
            return value.name
        case bytes():
            return text("shown.bytes", size=len(value))
        case list() | tuple():
            ends = "[]" if isinstance(value, list) else "()"
            return ends[0] + ", ".join(map(shown, value)) + ends[1]
        case partial():
            return value.func.__name__
    return str(getattr(value, "__name__", type(value).__name__))


class Frame:
    """One call that is being watched."""

    def __init__(self, frame: FrameType, source: int) -> None:
        self.frame = frame
        self.name = frame.f_code.co_name
        self.source = source
        self.line = frame.f_lineno
        self.locals: dict[str, str] = {}
        self.raised: JavaException | None = None
        self.is_new = True


Meaning = Callable[[Any, dict[str, Any], Any], tuple[str, Json] | None]
"""Takes what the watch knows, a function's locals, and what it returned; gives the step's kind and sentence."""


def say(message_id: str, **parameters: Parameter) -> Json:
    """Return a sentence as a trace holds it: its name in the catalogue and its parameters."""
    return {"id": message_id, **parameters}


class Watch:
    """Watches a run of the algorithm on one topic and one strategy, and keeps what it saw.

    Args:
        topic: the publish info whose counter and list are shown.
        strategy: the strategy whose fault table is shown.
        last_broker_name: the broker that failed last.
    """

    meanings: dict[str, Meaning]
    picks = PICKS

    def __init__(
        self, topic: TopicPublishInfo, strategy: MQFaultStrategy, last_broker_name: str | None
    ) -> None:
        self.topic = topic
        self.strategy = strategy
        table = strategy.latency_fault_tolerance.fault_item_table
        names = [mq.broker_name for mq in topic.message_queue_list] + [*table]
        names += [last_broker_name] if last_broker_name is not None else []
        self.brokers = list(dict.fromkeys(names))
        self.sources: list[Json] = []
        self.states: list[Json] = []
        self.steps: list[Json] = []
        self.decisions: list[Json] = []
        self._source_numbers: dict[CodeType, int] = {}
        self._stack: list[Frame] = []
        self._last_frame: Frame | None = None
        self._raised: JavaException | None = None
        self._say: Json = {"id": "say.start"}
        self.begin_pick()

    def begin_pick(self) -> None:
        """Forget what was seen of the pick before."""
        self.probes: list[Json] = []
        self.arithmetic: Json | None = None
        self.before: int | None = None
        self.fell_back = False

    def run(self, action: Callable[[], T]) -> T | JavaException:
        """Run an action under watch; a Java exception that leaves it is its result. The tracer is left as found."""
        found = sys.gettrace()
        sys.settrace(self._call)
        try:
            return action()
        except JavaException as exception:
            return exception
        finally:
            sys.settrace(found)

    def _call(self, frame: FrameType, event: str, arg: object) -> Tracer | None:
        if event != "call" or not is_watched(frame):
            return None
        if frame.f_code.co_name in self.picks and not any(f.name in self.picks for f in self._stack):
            self.begin_pick()
            self.decisions.append({"step": len(self.steps), "reveal": None, "queue": None, "possible": False})
        self._stack.append(Frame(frame, self._source_number(frame.f_code)))
        if frame.f_code.co_name in ("increment_and_get", "reset"):
            self.before = frame.f_locals["self"].stored
        return self._inside

    def _source_number(self, code: CodeType) -> int:
        if code not in self._source_numbers:
            self._source_numbers[code] = len(self.sources)
            self.sources.append(source_of(code))
        return self._source_numbers[code]

    def _inside(self, frame: FrameType, event: str, arg: Any) -> Tracer:
        top = self._stack[-1]
        if event == "line":
            self._line(top, frame)
        elif event == "exception" and isinstance(arg[1], JavaException):
            if self._raised is not arg[1]:
                self._raise(top, arg[1])
            top.raised = arg[1]
        elif event == "return":
            if top.raised is None:
                self._return(top, arg)
            elif len(self._stack) == 1:
                self.left_by(top, top.raised)
            self._stack.pop()
        return self._inside

    def _line(self, top: Frame, frame: FrameType) -> None:
        if top.raised is not None:
            caught = "say.swallow" if top.name == "select_by_scan" else "say.caught"
            self._say = {"id": caught, "error": top.raised.name}
            kind: str | None = "swallow"
            top.raised = self._raised = None
        elif top.is_new:
            kind, self._say = self.entered(top)
        else:
            kind = None
        top.is_new = False
        top.line = frame.f_lineno
        self._step(top, "line", kind)

    def entered(self, top: Frame) -> tuple[str, Json]:
        """Return the kind and the sentence of the first step in a function."""
        source = self.sources[top.source]
        return "enter", say("say.enter", function=source["name"], summary=source["summary"])

    def left_by(self, top: Frame, exception: JavaException) -> None:
        """Hear that an exception leaves the outermost function."""

    def caller(self) -> str:
        """Return the name of the function that called the running one, or nothing."""
        return self._stack[-2].name if len(self._stack) > 1 else ""

    def _raise(self, top: Frame, exception: JavaException) -> None:
        self._raised = exception
        self._say = say("say.raise", error=str(exception).split("\n", 1)[0])
        self._step(top, "raise", "raise", value=exception.name)

    def _return(self, top: Frame, value: object) -> None:
        name = top.name
        meaning = self.meanings.get(name)
        kind = None
        if meaning is not None and (meant := meaning(self, top.frame.f_locals, value)) is not None:
            kind, self._say = meant
        is_outermost = name in self.picks and not any(f.name in self.picks for f in self._stack[:-1])
        if is_outermost and isinstance(value, MessageQueue):
            kind = "pick"
            self._say = self._picked(top.frame.f_locals.get("last_broker_name"), value)
        last = self.steps[-1] if self.steps else None
        if last and last["event"] == "line" and self._last_frame is top and last["line"] == top.line:
            self.steps.pop()
            kind = kind or last["kind"]
        self._step(top, "return", kind, value=shown(value))
        if kind == "pick":
            self._reveal(value)

    def _picked(self, last_broker_name: str | None, mq: MessageQueue) -> Json:
        looks = len(self.probes)
        if looks == 0:
            return {"id": "say.selector", "queue": str(mq)}
        if self.probes:
            self.probes[-1]["mark"] = "rewritten" if self.fell_back else "chosen"
        if last_broker_name is not None and mq.broker_name == last_broker_name:
            return {"id": "say.pick.same", "queue": str(mq), "broker": mq.broker_name}
        return {"id": "say.pick.one" if looks == 1 else "say.pick", "queue": str(mq), "looks": looks}

    def _reveal(self, value: object) -> None:
        assert isinstance(value, MessageQueue)
        decision = self.decisions[-1]
        queue = [value.broker_name, value.queue_id]
        state = self.states[self.steps[decision["step"]]["state"]]
        decision |= {"reveal": len(self.steps) - 1, "queue": queue, "possible": queue in state["queues"]}

    def _step(self, top: Frame, event: str, kind: str | None, value: str | None = None) -> None:
        found = top.frame.f_locals
        # By first appearance: in which order a frame lists its locals differs between versions of Python.
        names = [
            *(name for name in top.locals if name in found),
            *(name for name in found if name not in top.locals),
        ]
        values = {name: shown(found[name]) for name in names if name != "_"}
        changed = [name for name, local in values.items() if top.locals.get(name) != local]
        top.locals = values
        self.steps.append(
            {
                "source": top.source,
                "line": top.line,
                "event": event,
                "kind": kind,
                "stack": [[watched.source, watched.line] for watched in self._stack],
                "locals": [[name, local] for name, local in values.items()],
                "changed": changed,
                "value": value,
                "state": self._state(),
                "arithmetic": self.arithmetic and dict(self.arithmetic),
                "probes": [dict(probe) for probe in self.probes],
                "say": self._say,
                "pick": len(self.decisions) - 1 if self.decisions else None,
            }
        )
        self._last_frame = top

    def is_available(self, item: FaultItem, at: int | None = None) -> bool:
        """Return whether an entry says available, now or at a time; a clock that cannot be looked at stands at 0."""
        tolerance = self.strategy.latency_fault_tolerance
        now = getattr(tolerance.clock, "now", 0) if at is None else at
        return tolerance.is_available_item(item, now)

    def _state(self) -> int:
        state = self.state()
        if not self.states or self.states[-1] != state:
            self.states.append(state)
        return len(self.states) - 1

    def state(self) -> Json:
        """Return what a reader sees beside the code: clock, counters, list and fault table."""
        tolerance = self.strategy.latency_fault_tolerance
        now = getattr(tolerance.clock, "now", None)
        return {
            "clock": now,
            "stored": self.topic.send_which_queue.stored,
            "worst_stored": tolerance.which_item_worst.stored,
            "fault_switch": self.strategy.send_latency_fault_enable,
            "queues": [[mq.broker_name, mq.queue_id] for mq in self.topic.message_queue_list],
            "faults": [
                {
                    "name": item.name,
                    "latency": item.current_latency,
                    "available_from": item.start_timestamp,
                    "reachable": item.reachable,
                    "left": max(item.start_timestamp - (now or 0), 0),
                    "available": self.is_available(item),
                }
                for item in tolerance.fault_item_table.values()
            ],
        }


def counted(watch: Watch, found: dict[str, Any], value: int) -> tuple[str, Json]:
    """The counter moved."""
    stored = found["self"].stored
    which = "" if found["self"] is watch.topic.send_which_queue else ".worst"
    if not which:
        watch.arithmetic = {
            "before": watch.before,
            "after": stored,
            "visible": value,
            "size": None,
            "position": None,
        }
    if watch.before is None:
        return "count", say(f"say.count{which}.random", after=stored)
    if value != stored:
        return "count", say(f"say.count{which}.visible", before=watch.before, after=stored, visible=value)
    return "count", say(f"say.count{which}", before=watch.before, after=stored)


def was_reset(watch: Watch, found: dict[str, Any], value: None) -> tuple[str, Json]:
    """The counter got a new start."""
    return "reset", say("say.reset", before=shown(watch.before), after=found["self"].stored)


def probed(watch: Watch, found: dict[str, Any], mq: MessageQueue) -> tuple[str, Json]:
    """A position of the list was looked at."""
    position, size = found["position"], len(found["queues"])
    arithmetic = watch.arithmetic or {"before": None, "after": None, "visible": None}
    watch.arithmetic = arithmetic | {"visible": found["index"], "size": size, "position": position}
    watch.probes.append({"position": position, "mark": "looking"})
    index = found["index"]
    how = "" if index >= 0 else ".smallest" if index == INT_MIN else ".absolute"
    return "probe", say(
        f"say.probe{how}",
        look=len(watch.probes),
        index=index,
        size=size,
        position=position,
        queue=str(mq),
    )


def skip(watch: Watch, message_id: str, **parameters: Parameter) -> tuple[str, Json]:
    """The queue looked at last is passed over."""
    if watch.probes:
        watch.probes[-1]["mark"] = "skipped"
    return "skip", say(message_id, **parameters)


def asked_for_another_broker(watch: Watch, found: dict[str, Any], passed: bool) -> tuple[str, Json] | None:
    """The queue's broker was compared with the last one."""
    queue, last = str(found["mq"]), found["last_broker_name"]
    if not passed:
        return skip(watch, "say.skip.last", queue=queue)
    if last is None:
        return None
    return "accept", say("say.accept.another", queue=queue, broker=last or '""')


def asked_for_availability(watch: Watch, found: dict[str, Any], passed: bool) -> tuple[str, Json]:
    """The queue's broker was looked up in the fault table."""
    broker, item = found["broker_name"], found["item"]
    if item is None:
        return "accept", say("say.available.unknown", broker=broker)
    left = item.start_timestamp - found["faults"].clock()
    if passed:
        return "accept", say("say.available", broker=broker)
    if left > 0:
        return skip(watch, "say.skip.avoided", broker=broker, left=left)
    return skip(watch, "say.skip.unreachable", broker=broker)


def asked_for_reachability(watch: Watch, found: dict[str, Any], passed: bool) -> tuple[str, Json]:
    """The queue's broker was asked for its flag."""
    if passed:
        return "accept", say("say.reachable", broker=found["broker_name"])
    return skip(watch, "say.skip.unreachable", broker=found["broker_name"])


def asked_for_same_broker(watch: Watch, found: dict[str, Any], passed: bool) -> tuple[str, Json] | None:
    """The inverted test of 4.0.0 to 4.7.1 was made."""
    last, mq = found["last_broker_name"], found["mq"]
    item = watch.strategy.latency_fault_tolerance.fault_item_table.get(mq.broker_name)
    available = item is None or watch.is_available(item)
    if not passed and available and last is not None and mq.broker_name != last:
        return skip(watch, "say.skip.inverted", queue=str(mq), broker=last)
    return None


def went_round(watch: Watch, found: dict[str, Any], mq: MessageQueue | None) -> tuple[str, Json] | None:
    """The scan or the filter pick came to its end."""
    if mq is None and not watch.topic.message_queue_list:
        return "fallback", say("say.none.empty")
    if mq is None:
        return "fallback", say("say.none", size=len(watch.topic.message_queue_list))
    return None


def was_ranked(watch: Watch, found: dict[str, Any], best_first: list[FaultItem]) -> tuple[str, Json]:
    """The fault table was sorted."""
    return "rank", say("say.ranked", order=", ".join(item.name for item in best_first))


def chose_broker(watch: Watch, found: dict[str, Any], name: str | None) -> tuple[str, Json]:
    """The fallback took a broker of the better half."""
    entries = len(watch.strategy.latency_fault_tolerance.fault_item_table)
    if name is None:
        return "rank", say("say.rank.none")
    return "rank", say("say.rank", broker=name, entries=entries, half=max(entries // 2, 1))


def counted_write_queues(watch: Watch, found: dict[str, Any], number: int) -> tuple[str, Json] | None:
    """The route was asked for the fallback broker's number of write queues."""
    if found["broker_name"] is None:
        return None
    if number <= 0:
        return "rank", say("say.write_queues.none", broker=found["broker_name"])
    return "rank", say("say.write_queues", broker=found["broker_name"], number=number)


def rewrote(watch: Watch, found: dict[str, Any], mq: MessageQueue) -> tuple[str, Json]:
    """An element of the shared list was written to."""
    watch.fell_back = True
    queues = watch.topic.message_queue_list
    position = next(n for n, own in enumerate(queues) if own is mq)
    return "rewrite", say("say.rewrite", position=position, queue=str(mq))


def made_new_queue(watch: Watch, found: dict[str, Any], mq: MessageQueue) -> tuple[str, Json]:
    """A new queue was made, beside the list."""
    watch.fell_back = True
    return "fallback", say("say.new_queue", queue=str(mq))


def removed(watch: Watch, found: dict[str, Any], value: None) -> tuple[str, Json]:
    """A broker was dropped from the fault table."""
    return "remove", say("say.remove", broker=found["name"])


def updated(watch: Watch, found: dict[str, Any], value: None) -> tuple[str, Json]:
    """A send was noted in the fault table."""
    item = found["item"]
    left = max(item.start_timestamp - found["faults"].clock(), 0)
    if not watch.is_available(item, at=2**63 - 1):
        return "update", say("say.update.unreachable", broker=item.name, latency=item.current_latency)
    return "update", say("say.update", broker=item.name, latency=item.current_latency, left=left)


MEANINGS: dict[str, Meaning] = {
    "increment_and_get": counted,
    "reset": was_reset,
    "queue_at": probed,
    "is_on_another_broker": asked_for_another_broker,
    "is_available": asked_for_availability,
    "is_reachable": asked_for_reachability,
    "accepts_same_broker": asked_for_same_broker,
    "scan": went_round,
    "filter_pick": went_round,
    "ranked": was_ranked,
    "pick_one_at_least_shuffled": chose_broker,
    "pick_one_at_least_ranked": chose_broker,
    "write_queue_nums_of": counted_write_queues,
    "rewrite_queue": rewrote,
    "new_queue": made_new_queue,
    "remove": removed,
    "update_overwriting": updated,
    "update_extending": updated,
}
"""What the return of a function means, by the function's name."""
Watch.meanings = MEANINGS
