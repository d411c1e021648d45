"""Where two recorded runs part: the first line of the source, the first state and the first pick that differ.

Works on traces alone, of one pick or of a whole send, and knows no release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any

from rmqref.messages import text
from rmqref.trace import Json


def first_difference(trace_a: Json, trace_b: Json) -> str:
    """Return where two runs first differ, in one sentence.

    Attempts are compared one by one: queue, beginning, time given, outcome, end, and what the fault table was told.
    Then come the picks, what the run came to, and what it leaves behind in the fault table and the counter.

    Args:
        trace_a: what `rmqref.trace.record` or `rmqref.send_trace.record_send` returned.
        trace_b: another of the same kind.

    Returns:
        A sentence of the catalogue, in which each run is named by its release.

    >>> from rmqref.situation import Situation
    >>> from rmqref.trace import record
    >>> retry = Situation("4.9.4", start=1031, last_broker_name="broker-a")
    >>> first_difference(record(retry), record(retry.but(release="4.7.1")))
    'Both do the same, but the counter ends at 1036 in 4.9.4, at 1032 in 4.7.1.'
    """
    releases: dict[str, Any] = {"a": trace_a["release"], "b": trace_b["release"]}
    attempts = (attempts_of(trace_a), attempts_of(trace_b))
    found = [*differing_attempts(*attempts), *differing_picks(trace_a, trace_b)]
    found += differing_ends(trace_a, trace_b)
    name, parameters = found[0] if found else ("same", {})
    return text(f"difference.first.{name}", **(releases | parameters))


@dataclass(frozen=True, slots=True)
class Parting:
    """A place where two runs part.

    Args:
        kind: "line", "state" or "pick".
        step_a: the step of the first run.
        step_b: the step of the second run.
        sentence: what each of them does there.
    """

    kind: str
    step_a: int
    step_b: int
    sentence: str


def partings(trace_a: Json, trace_b: Json) -> tuple[Parting, ...]:
    """Return where two runs part: at the first line, at the first state, and at the first pick that differ.

    Args:
        trace_a: what `rmqref.trace.record` or `rmqref.send_trace.record_send` returned.
        trace_b: another of the same kind.

    Returns:
        At most one place of each kind, in this order. The clock and the time that has passed are no state here.

    >>> from rmqref.situation import Situation
    >>> from rmqref.trace import record
    >>> retry = Situation("4.7.1", start=4, last_broker_name="broker-b")
    >>> for parting in partings(record(retry), record(retry.but(release="4.9.7"))):
    ...     print(parting.kind, parting.step_a, parting.step_b, parting.sentence)
    line 3 3 4.7.1 runs retry_pick_walking; 4.9.7 runs retry_pick_counting.
    state 8 28 4.7.1 has counter 5; 4.9.7 has counter 6.
    """
    found = (parting_line(trace_a, trace_b), parting_state(trace_a, trace_b), parting_pick(trace_a, trace_b))
    return tuple(parting for parting in found if parting is not None)


def parting_line(trace_a: Json, trace_b: Json) -> Parting | None:
    """Return where the lines that ran first differ, or None if all are the same."""
    for step, (a, b) in enumerate(zip_longest(lines_of(trace_a), lines_of(trace_b))):
        if a != b:
            step_a, step_b = (min(step, len(trace["steps"]) - 1) for trace in (trace_a, trace_b))
            of_a, of_b = a or lines_of(trace_a)[-1], b or lines_of(trace_b)[-1]
            name = "line" if of_a[0] == of_b[0] else "function"
            told = dict(zip(("value_a", "value_b"), (of[name == "line"] for of in (of_a, of_b)), strict=True))
            return parted(trace_a, trace_b, name, step_a, step_b, **told)
    return None


def lines_of(trace: Json) -> list[tuple[str, str]]:
    """Return each step's function and line of source."""
    sources = trace["sources"]
    return [
        (source["name"], source["lines"][step["line"] - source["first_line"]].strip())
        for step in trace["steps"]
        for source in (sources[step["source"]],)
    ]


def matching_step(trace_a: Json, trace_b: Json, step: int) -> int:
    """Return the step of another run that belongs to a step of this one.

    Both begin together and stay together as long as the same lines run. After that each pick, where both have it, and
    the end belong together; in between both go on in proportion.

    Args:
        trace_a: this run.
        trace_b: the other run.
        step: a step of this run.

    Returns:
        A step of the other run.

    >>> from rmqref.situation import Situation
    >>> from rmqref.trace import record
    >>> retry = Situation("4.7.1", start=4, last_broker_name="broker-b")
    >>> one, other = record(retry), record(retry.but(release="4.9.7"))
    >>> [matching_step(one, other, step) for step in (0, 2, len(one["steps"]) - 1)], len(other["steps"])
    ([0, 2, 78], 79)
    """
    lasts = (len(trace_a["steps"]) - 1, len(trace_b["steps"]) - 1)
    line = parting_line(trace_a, trace_b)
    if line is None:
        return step
    met = [(0, 0), (line.step_a, line.step_b)]
    for a, b in zip(trace_a["decisions"], trace_b["decisions"], strict=False):
        if a["reveal"] is not None and b["reveal"] is not None:
            met.append((a["reveal"], b["reveal"]))
    met.append(lasts)
    (from_a, from_b), (to_a, to_b) = next(
        (before, after) for before, after in pairwise(met) if step <= after[0]
    )
    share = 0 if to_a == from_a else (step - from_a) * (to_b - from_b) // (to_a - from_a)
    return from_b + share


PASSING = frozenset({"clock", "send"})
"""What a state holds that time alone changes, or that the attempts tell better."""


def parting_state(trace_a: Json, trace_b: Json) -> Parting | None:
    """Return where the states, one after the other, first differ, or None if all are the same."""
    states_a, states_b = states_of(trace_a), states_of(trace_b)
    for place_a, place_b in zip_longest(states_a, states_b):
        (step_a, a), (step_b, b) = place_a or states_a[-1], place_b or states_b[-1]
        for name in (name for name in a if a[name] != b[name]):
            return parted(
                *(trace_a, trace_b, name, step_a, step_b),
                value_a=STATE_WORDS[name](a[name]),
                value_b=STATE_WORDS[name](b[name]),
            )
    return None


def states_of(trace: Json) -> list[tuple[int, Json]]:
    """Return the states that differ from the one before, each with the step at which it begins."""
    found: list[tuple[int, Json]] = []
    for number, step in enumerate(trace["steps"]):
        state = {name: value for name, value in trace["states"][step["state"]].items() if name not in PASSING}
        state["faults"] = [{name: fault[name] for name in FAULT_FACTS} for fault in state["faults"]]
        if not found or found[-1][1] != state:
            found.append((number, state))
    return found


FAULT_FACTS = ("name", "latency", "available_from", "reachable")
"""What an entry of the fault table holds; the rest follows from it and the clock."""


def table_of(faults: list[Json]) -> str:
    """Return a fault table in words."""
    told = (
        text(
            "difference.table" if fault["reachable"] else "difference.table.unreachable",
            broker=fault["name"],
            latency=fault["latency"],
        )
        for fault in faults
    )
    return ", ".join(told) or text("difference.table.none")


def parting_pick(trace_a: Json, trace_b: Json) -> Parting | None:
    """Return where the queues picked first differ, or None if all are the same."""
    for a, b in zip_longest(trace_a["decisions"], trace_b["decisions"], fillvalue=NO_PICK):
        if a["queue"] != b["queue"]:
            ends = [
                len(trace["steps"]) - 1 if pick["reveal"] is None else pick["reveal"]
                for trace, pick in ((trace_a, a), (trace_b, b))
            ]
            return parted(trace_a, trace_b, "pick", *ends, value_a=pick_of(a), value_b=pick_of(b))
    return None


NO_PICK = {"queue": None, "reveal": None}
"""What stands for a pick that one of two runs does not make."""


def parted(trace_a: Json, trace_b: Json, name: str, step_a: int, step_b: int, **told: str) -> Parting:
    """Return a place where two runs part, with its sentence."""
    kind = {"function": "line", "line": "line", "pick": "pick"}.get(name, "state")
    said = text(f"difference.parting.{name}", a=trace_a["release"], b=trace_b["release"], **told)
    return Parting(kind, step_a, step_b, said)


Difference = tuple[str, dict[str, Any]]
"""A sentence's last name in the catalogue, and its parameters."""


def attempts_of(trace: Json) -> list[Json]:
    """Return the attempts of a send's trace; a pick's trace has none."""
    attempts: list[Json] = trace["states"][-1].get("send", {}).get("attempts", []) if trace["states"] else []
    return attempts


def differing_attempts(attempts_a: list[Json], attempts_b: list[Json]) -> Iterator[Difference]:
    """Yield in what two lists of attempts differ, first things first."""
    for number, (a, b) in enumerate(zip_longest(attempts_a, attempts_b), 1):
        if a is None or b is None:
            yield ("less" if a is None else "more"), {"number": number, "queue": queue_of(a or b)}
            return
        about: dict[str, Any] = {"number": number, "queue": queue_of(a), "broker": a["broker_name"]}
        for name, told in ATTEMPT_FACTS.items():
            if told(a) != told(b):
                yield name, about | {"value_a": told(a), "value_b": told(b)}


def queue_of(attempt: Json) -> str:
    """Return the queue that an attempt goes to."""
    return f"{attempt['broker_name']} : {attempt['queue_id']}"


def outcome_of(attempt: Json) -> str:
    """Return how an attempt ended, with the broker's code if there is one."""
    if attempt["code"] is None:
        return str(attempt["outcome"]) or text("difference.outcome.open")
    return text("difference.outcome.code", outcome=attempt["outcome"], code=attempt["code"])


def end_of(attempt: Json) -> str:
    """Return when an attempt ended."""
    if attempt["ended"] is None:
        return text("difference.outcome.open")
    return text("difference.ms", ms=attempt["ended"])


def avoided_for(attempt: Json) -> str:
    """Return for how long the fault table avoids the broker because of an attempt."""
    if attempt["duration"] is None:
        return text("difference.avoid.nothing")
    return text("difference.ms", ms=attempt["duration"])


ATTEMPT_FACTS: dict[str, Callable[[Json], str]] = {
    "queue": queue_of,
    "begun": lambda attempt: text("difference.ms", ms=attempt["at"]),
    "given": lambda attempt: text("difference.ms", ms=attempt["timeout"]),
    "outcome": outcome_of,
    "ended": end_of,
    "avoided": avoided_for,
}
"""What is compared of an attempt, by the name of the sentence that tells it."""


def differing_picks(trace_a: Json, trace_b: Json) -> Iterator[Difference]:
    """Yield in what the picks of two traces differ: the queue, and how many looks at the list it took."""
    for number, (a, b) in enumerate(zip(trace_a["decisions"], trace_b["decisions"], strict=False), 1):
        queue_a, queue_b = pick_of(a), pick_of(b)
        if queue_a != queue_b:
            yield "pick", {"number": number, "value_a": queue_a, "value_b": queue_b}
            return
        looks_a, looks_b = looks_of(trace_a, a), looks_of(trace_b, b)
        if looks_a != looks_b:
            about: dict[str, Any] = {"number": number, "queue": queue_a}
            yield "looks", about | {"value_a": looks_a, "value_b": looks_b}
            return


def pick_of(decision: Json) -> str:
    """Return the queue that was picked."""
    if decision["queue"] is None:
        return text("difference.pick.none")
    broker_name, queue_id = decision["queue"]
    return f"{broker_name} : {queue_id}"


def looks_of(trace: Json, decision: Json) -> int:
    """Return how many looks at the list a pick took."""
    return 0 if decision["reveal"] is None else len(trace["steps"][decision["reveal"]]["probes"])


def differing_ends(trace_a: Json, trace_b: Json) -> Iterator[Difference]:
    """Yield in what the ends of two runs differ: what they came to, and what they leave behind."""
    if trace_a["result"] != trace_b["result"]:
        yield "result", {"value_a": trace_a["result"], "value_b": trace_b["result"]}
    end_a, end_b = trace_a["states"][-1], trace_b["states"][-1]
    faults_a = {fault["name"]: fault for fault in end_a["faults"]}
    faults_b = {fault["name"]: fault for fault in end_b["faults"]}
    for broker in [*faults_a, *(name for name in faults_b if name not in faults_a)]:
        entry_a, entry_b = entry_of(faults_a.get(broker)), entry_of(faults_b.get(broker))
        if entry_a != entry_b:
            yield "faults", {"broker": broker, "value_a": entry_a, "value_b": entry_b}
    for name in ("stored", "worst_stored"):
        if end_a[name] != end_b[name]:
            yield name, {"value_a": counter_of(end_a[name]), "value_b": counter_of(end_b[name])}


def entry_of(fault: Json | None) -> str:
    """Return a broker's entry in the fault table in words."""
    if fault is None:
        return text("difference.entry.none")
    return text(
        "difference.entry" if fault["reachable"] else "difference.entry.unreachable",
        latency=fault["latency"],
        left=fault["left"],
    )


def counter_of(stored: int | None) -> str:
    """Return a counter's value, or that it has none."""
    return text("difference.counter.none") if stored is None else str(stored)


STATE_WORDS: dict[str, Callable[[Any], str]] = {
    "stored": counter_of,
    "worst_stored": counter_of,
    "fault_switch": str,
    "queues": lambda queues: ", ".join(f"{broker} : {queue_id}" for broker, queue_id in queues),
    "faults": table_of,
}
"""What is told of a part of the state."""
