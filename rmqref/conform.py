"""Proof: replays recorded runs of the released Java classes and compares every value.

A vector file is a JSON array of cases, each with an `id`, an `input` and what Java answered (`expected`). Files lie in
folders named by a release; `run` replays a case of a kind for a release and returns what this package answers.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rmqref import faults as f
from rmqref.cluster import Nowhere
from rmqref.errors import (
    InterruptedException,
    JavaException,
    MQBrokerException,
    MQClientException,
    RemotingConnectException,
    RemotingException,
    RemotingSendRequestException,
    RemotingTimeoutException,
    RemotingTooMuchRequestException,
    SendException,
    UnknownRelease,
    VectorError,
)
from rmqref.java import JavaLong, JavaRandom, ManualClock, ScriptedRandom, hash_code, utf16_units
from rmqref.messages import text
from rmqref.model import (
    BrokerData,
    CommunicationMode,
    Message,
    MessageQueue,
    QueueData,
    SendResult,
    SendStatus,
    TopicPublishInfo,
    TopicRouteData,
)
from rmqref.producer import DefaultMQProducer, send_default_impl
from rmqref.releases import RELEASED, VERSIONS, Release, release, version_of
from rmqref.selection import first_pick
from rmqref.selectors import MessageQueueSelector, select_by_machine_room
from rmqref.strategy import MQFaultStrategy, select_one_message_queue, update_fault_item

Json = Any
"""What `json.loads` returns."""

MOST_CALLS = 1_000_000

SHOWN_IN_FULL = 10
"""How many failing cases a report prints in full."""


def error(exception: JavaException) -> Json:
    """Return an exception as vectors write it."""
    return {"error": exception.name}


def attempt(run: Callable[[], Json]) -> Json:
    """Return what a call answers, or its Java exception as vectors write it."""
    try:
        return run()
    except JavaException as exception:
        return error(exception)


def pair(mq: MessageQueue) -> list[Json]:
    """Return a queue as vectors write it."""
    return [mq.broker_name, mq.queue_id]


def queues_of(given: Json) -> list[MessageQueue]:
    """Return the publish list of a case."""
    return [MessageQueue("T", broker_name, queue_id) for broker_name, queue_id in given]


def plain_route_of(given: Json) -> TopicRouteData | None:
    """Return the part of a case's route that the fallback reads, or None."""
    return given["route"] and TopicRouteData(
        [
            QueueData(data["broker"], data["write"], perm=data["perm"])
            for data in given["route"]["queue_datas"]
        ],
        [],
    )


def topic_of(row: Release, given: Json, route: TopicRouteData | None = None) -> TopicPublishInfo:
    """Return a publish info with the case's list and counter."""
    index = row.new_index(ScriptedRandom(given.get("random") or []), given["start"])
    return TopicPublishInfo("T", queues_of(given["queues"]), index, row.position_of, route)


def items_of(row: Release, given: Json) -> list[f.FaultItem]:
    """Return the entries of a case's fault table; releases without reachability do not look at it."""
    return [
        f.FaultItem(
            item["name"],
            item["latency"],
            item["available_from"],
            item.get("reachable", True) if row.has_reachable else True,
        )
        for item in given
    ]


def table_of(row: Release, tolerance: f.LatencyFaultTolerance) -> Json:
    """Return the fault table as vectors write it: sorted by name."""
    return [
        {"name": item.name, "latency": item.current_latency, "available_from": item.start_timestamp}
        | ({"reachable": item.reachable} if row.has_reachable else {})
        for item in sorted(tolerance.fault_item_table.values(), key=lambda item: utf16_units(item.name))
    ]


def run_index(row: Release, given: Json) -> Json:
    """Replay steps and resets of the counter."""
    index = row.new_index(ScriptedRandom(given.get("random") or []), given["start"])
    returned, stored = [], []
    for op in given["ops"]:
        if op == "n":
            returned.append(index.increment_and_get())
        else:
            index.reset()
        stored.append(index.stored)
    return {"returned": returned, "stored": stored}


def run_first_pick(row: Release, given: Json) -> Json:
    """Replay first picks."""
    topic = topic_of(row, given)
    picks = [attempt(lambda: pair(first_pick(topic))) for _ in range(given["calls"])]
    return {"picks": picks, "index_after": topic.send_which_queue.stored}


def run_retry_pick(row: Release, given: Json) -> Json:
    """Replay retry picks, each with the same last broker or with the broker of the pick before."""
    topic, last, picks = topic_of(row, given), given["last"], []
    for _ in range(given["calls"]):
        picks.append(attempt(lambda last=last: pair(row.retry_pick(topic, last))))  # type: ignore[misc]  # lambda default
        last = next_last(given, last, picks[-1])
    return {"picks": picks, "index_after": topic.send_which_queue.stored}


def next_last(given: Json, last: str | None, picked: Json) -> str | None:
    """Return the last broker of the next call: with `chain` that of the pick just made."""
    return picked[0] if given.get("chain") and isinstance(picked, list) else last


def run_duration(row: Release, given: Json) -> Json:
    """Replay the way from a latency to the time of avoidance."""
    strategy = row.fault_strategy(
        clock=ManualClock(),
        send_latency_fault_enable=given.get("enabled", True),
        latency_max=tuple(given.get("latency_max", row.latency_max)),
        not_available_duration=tuple(given.get("not_available_duration", row.not_available_duration)),
    )
    duration = attempt(lambda: update_fault_item(strategy, "b", given["latency"], given["isolation"]))
    if isinstance(duration, dict):
        return duration
    kept = strategy.latency_fault_tolerance.fault_item_table.get("b")
    return {"duration": duration, "latency_kept": kept and kept.current_latency}


def run_fault_table(row: Release, given: Json) -> Json:
    """Replay updates, queries, removals and detector rounds on one fault table."""
    clock = ManualClock()
    strategy = row.fault_strategy(clock=clock, send_latency_fault_enable=True)
    tolerance = strategy.latency_fault_tolerance
    addresses, up, results = given.get("addresses", {}), set[str](), []

    def detect() -> Json:
        probes: list[Json] = []

        def probe(address: str, timeout: int) -> bool:
            probes.append([address, timeout])
            return address in up

        f.detect_by_one_round(tolerance, addresses.get, None if given.get("no_detector") else probe)
        return sorted(probes)

    for op in given["ops"]:
        clock.now, name = op["at"], op.get("name")
        match op["op"]:
            case "update":
                row.update_fault_item(
                    tolerance, name, op["latency"], op["duration"], op.get("reachable", True)
                )
            case "strategy_update":
                update_fault_item(strategy, name, op["latency"], op["isolation"], op.get("reachable", True))
            case "available":
                results.append(f.is_available(tolerance, name))
            case "reachable":
                results.append(f.is_reachable(tolerance, name))
            case "remove":
                f.remove(tolerance, name)
            case "set_up":
                up = set(op["addresses"])
            case "detect":
                results.append(detect())
            case other:
                raise VectorError("error.vector.op", op=other)
    return {"results": results, "table_after": table_of(row, tolerance)}


def strategy_of(row: Release, given: Json) -> MQFaultStrategy:
    """Return a strategy with the case's fault table, clock and fallback counter."""
    return row.fault_strategy(
        clock=ManualClock(given["now"]),
        send_latency_fault_enable=given.get("enabled", True),
        faults=items_of(row, given["faults"]),
        worst_start=given["worst_start"],
    )


def run_fault_pick(row: Release, given: Json) -> Json:
    """Replay picks of the strategy, with what they leave behind."""
    topic, strategy, last = (
        topic_of(row, given, plain_route_of(given)),
        strategy_of(row, given),
        given["last"],
    )
    picks, positions = [], []
    for _ in range(given["calls"]):
        try:
            mq = select_one_message_queue(strategy, topic, last, given.get("reset_index", False))
        except JavaException as exception:
            picks.append(error(exception))
            positions.append(-1)
        else:
            picks.append(pair(mq))
            positions.append(next((n for n, own in enumerate(topic.message_queue_list) if own is mq), -1))
        last = next_last(given, last, picks[-1])
    tolerance = strategy.latency_fault_tolerance
    return {
        "picks": picks,
        "picked_position": positions,
        "queues_after": [pair(mq) for mq in topic.message_queue_list],
        "table_after": table_of(row, tolerance),
        "index_after": topic.send_which_queue.stored,
        "worst_after": tolerance.which_item_worst.stored,
        "errors_logged": len(strategy.errors_logged),
    }


def run_pick_one_at_least(row: Release, given: Json) -> Json:
    """Replay the choice among the better half of the fault table."""
    tolerance = strategy_of(row, given).latency_fault_tolerance
    names = [attempt(lambda: row.pick_one_at_least(tolerance)) for _ in range(given["calls"])]
    return {"names": names, "worst_after": tolerance.which_item_worst.stored}


def run_route(row: Release, given: Json) -> Json:
    """Replay the expansion of a route."""
    data = given["route"]
    route = TopicRouteData(
        [QueueData(q["broker"], q["write"], q.get("read", 4), q["perm"]) for q in data["queue_datas"]],
        [BrokerData(b["broker"], {int(n): a for n, a in b["addrs"].items()}) for b in data["broker_datas"]],
        data.get("order_topic_conf"),
    )

    def expand() -> Json:
        topic = row.topic(route)
        return {"queues": [pair(mq) for mq in topic.message_queue_list], "order_topic": topic.order_topic}

    return attempt(expand) | {"queue_data_order_after": [q.broker_name for q in route.queue_datas]}


def run_selectors(row: Release, given: Json) -> Json:
    """Replay a queue selector."""
    queues, arg = queues_of(given["queues"]), argument(given["arg"])
    selectors: dict[str, MessageQueueSelector] = {
        "hash": row.select_by_hash,
        "random": row.select_by_random(JavaRandom(given.get("java_random_seed", 0))),
        "machine_room": select_by_machine_room,
    }
    selector = selectors[given["selector"]]

    def select() -> Json:
        mq = selector(queues, Message("T"), arg)
        return mq and pair(mq)

    picks = [attempt(select) for _ in range(given.get("calls", 1))]
    return {"picks": picks} | ({} if given["arg"] is None else {"java_hash": hash_code(arg)})


def argument(given: Json) -> object:
    """Return a selector's argument with the Java type that the case gives it."""
    if given is None:
        return None
    kinds: dict[str, Callable[[Any], object]] = {
        "str": str,
        "int": int,
        "long": JavaLong,
        "bool": bool,
        "double": float,
    }
    return kinds[given["type"]](given["value"])


SENT: dict[str, type[SendException]] = {
    kind.__name__: kind
    for kind in (
        RemotingConnectException,
        RemotingTimeoutException,
        RemotingTooMuchRequestException,
        RemotingSendRequestException,
        RemotingException,
        MQClientException,
        InterruptedException,
    )
}
"""What a script's attempt may throw, beside a broker's answer."""


def thrown_by(given: Json) -> SendException:
    """Return the exception that a script's attempt throws."""
    match given["throw"]:
        case "MQBrokerException":
            return MQBrokerException(given["code"], "scripted")
        case "RemotingConnectException":
            return RemotingConnectException("scripted")
        case "RemotingTimeoutException":
            return RemotingTimeoutException("scripted", given["cost"])
        case "RemotingSendRequestException":
            return RemotingSendRequestException("scripted")
        case name:
            return SENT[name]("scripted")


def run_send_loop(row: Release, given: Json) -> Json:
    """Replay the loop of a send, with attempts that a script answers."""
    clock = ManualClock(given["now"])
    script, attempts, updates = iter(given["script"]), list[Json](), list[Json]()

    def noting(faults: f.LatencyFaultTolerance, name: str, latency: int, duration: int, up: bool) -> None:
        told = {"name": name, "latency": latency, "duration": duration}
        updates.append(told | ({"reachable": up} if row.has_reachable else {}))
        row.update_fault_item(faults, name, latency, duration, up)

    def send_kernel(
        msg: Message, mq: MessageQueue, mode: Json, callback: Json, topic: Json, timeout: int
    ) -> SendResult | None:
        attempts.append({"queue": pair(mq), "timeout": timeout})
        answer = next(script)
        clock.advance(answer["cost"])
        if "throw" in answer:
            raise thrown_by(answer)
        if answer["result"] is None:
            return None
        return SendResult(SendStatus[answer["result"]], replace(mq), msg_id=str(len(attempts)))

    producer = DefaultMQProducer(
        remoting=Nowhere(),
        clock=clock,
        release=row.version,
        retry_times_when_send_failed=given["retry_times"],
        retry_another_broker_when_not_store_ok=given.get("retry_another") or False,
        send_msg_max_timeout_per_request=given.get("max_timeout_per_request", -1),
        start_detector_enable=row.has_reachable and (given.get("detector_enabled") or False),
    )
    producer.retry_response_codes.update(given.get("extra_retry_codes") or ())
    producer.mq_fault_strategy = replace(row, update_fault_item=noting).fault_strategy(
        clock=clock,
        send_latency_fault_enable=given["fault_enabled"],
        faults=items_of(row, given["faults"]),
        worst_start=given["worst_start"],
    )
    producer.send_kernel = send_kernel
    topic = topic_of(row, given, plain_route_of(given))
    producer.topic_publish_info_table["T"] = topic
    outcome: Json
    try:
        result = send_default_impl(
            producer, Message("T", b"body"), CommunicationMode[given["mode"]], None, given["timeout"]
        )
    except JavaException as exception:
        outcome = {"throw": exception.name}
        if isinstance(exception, MQClientException | MQBrokerException):
            outcome["code"] = exception.response_code
        if isinstance(exception, SendException) and exception.cause is not None:
            outcome["cause"] = type(exception.cause).__name__
    else:
        outcome = {"result": None}
        if result is not None:
            outcome = {"result": result.send_status.name, "of_attempt": int(result.msg_id)}
    return {
        "attempts": attempts,
        "outcome": outcome,
        "updates": updates,
        "table_after": table_of(row, producer.mq_fault_strategy.latency_fault_tolerance),
        "index_after": topic.send_which_queue.stored,
        "clock_after": clock.now,
    }


KINDS: dict[str, Callable[[Release, Json], Json]] = {
    "index": run_index,
    "first_pick": run_first_pick,
    "retry_pick": run_retry_pick,
    "duration": run_duration,
    "fault_table": run_fault_table,
    "fault_pick": run_fault_pick,
    "pick_one_at_least": run_pick_one_at_least,
    "pick_ties": run_pick_one_at_least,
    "route": run_route,
    "selectors": run_selectors,
    "detector": run_fault_table,
    "send_loop": run_send_loop,
}
"""How a case of each kind is replayed."""


def known_kinds() -> frozenset[str]:
    """Return the kinds that vectors come in."""
    return frozenset(KINDS)


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that came out otherwise than in Java, or could not be replayed."""

    release: str
    kind: str
    id: str
    input: Json
    expected: Json
    got: Json


@dataclass(slots=True)
class Report:
    """What a replay found.

    Args:
        passed: number of cases by release and kind.
        failures: the cases that came out otherwise.
        not_covered: number of cases of kinds that are not replayed, by release and kind.
    """

    passed: dict[tuple[str, str], int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    not_covered: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def exit_status(self) -> int:
        """Return 0 if all passed and all was covered, 1 if a case failed, 3 if a kind was not covered, 2 if empty."""
        if self.failures:
            return 1
        if self.not_covered:
            return 3
        return 0 if self.passed else 2

    def lines(self) -> Iterator[str]:
        """Yield the report line by line; the last one counts."""
        failed: dict[tuple[str, str], int] = {}
        for case in self.failures:
            failed[case.release, case.kind] = failed.get((case.release, case.kind), 0) + 1
        for place in sorted(self.passed.keys() | failed.keys(), key=table_order):
            yield text(
                "conform.line",
                release=place[0],
                kind=place[1],
                passed=self.passed.get(place, 0),
                failed=failed.get(place, 0),
            )
        for place in sorted(self.not_covered, key=table_order):
            yield text("conform.not_covered", release=place[0], kind=place[1], cases=self.not_covered[place])
        for case in self.failures[:SHOWN_IN_FULL]:
            yield text("conform.failure", release=case.release, kind=case.kind, id=case.id)
            for name in ("input", "expected", "got"):
                yield text(
                    "conform.value", name=name, value=json.dumps(getattr(case, name), ensure_ascii=False)
                )
        if len(self.failures) > SHOWN_IN_FULL:
            yield text("conform.more", more=len(self.failures) - SHOWN_IN_FULL)
        yield text("conform.total", passed=sum(self.passed.values()), failed=len(self.failures))

    def as_json(self) -> Json:
        """Return the report as data; every failing case is in it."""
        return {
            "passed": sum(self.passed.values()),
            "failed": len(self.failures),
            "by_kind": [{"release": r, "kind": k, "passed": n} for (r, k), n in sorted(self.passed.items())],
            "not_covered": [
                {"release": r, "kind": k, "cases": n} for (r, k), n in sorted(self.not_covered.items())
            ],
            "failures": [{name: getattr(case, name) for name in Failure.__slots__} for case in self.failures],
        }


def table_order(place: tuple[str, str]) -> tuple[int, int, str]:
    """Return where a line of the report stands: releases and kinds in the order of their tables."""
    kinds = list(KINDS)
    return VERSIONS.index(place[0]), kinds.index(place[1]) if place[1] in kinds else len(kinds), place[1]


@dataclass(frozen=True, slots=True)
class VectorFile:
    """A file of cases: where it is, and what its name and folders say of it."""

    path: Path
    kind: str
    release: str


def vector_files(path: Path) -> Iterator[VectorFile]:
    """Yield the vector files at a path: the file itself, or all of a folder's in a fixed order.

    Args:
        path: a file, or a folder with folders named by releases in it; links are followed.

    Raises:
        VectorError: there is nothing at the path, or a file of a known kind lies in no folder named by a release.
    """
    if not path.exists():
        raise VectorError("error.vector.path", path=str(path))
    for file in [path] if path.is_file() else sorted(json_files(path)):
        kind = kind_of(file)
        within = file.relative_to(path).parts[:-1] if path.is_dir() else ()
        version = release_of(
            [*path.absolute().parts, *within] if kind in known_kinds() else [path.name, *within]
        )
        if version is not None:
            yield VectorFile(file, kind, version)
        elif kind in known_kinds() or path.is_file():
            raise VectorError("error.vector.release", path=str(file), families=", ".join(RELEASED))


def json_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder that are named as JSON, plain or packed; links are followed, but once only."""
    seen = set()
    for root, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(root)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        yield from (Path(root, name) for name in files if name.lower().endswith((".json", ".json.gz")))


def kind_of(file: Path) -> str:
    """Return the kind of a file's cases, which is its name.

    >>> kind_of(Path("4.9.7/first_pick.json.gz"))
    'first_pick'
    """
    return file.name.lower().removesuffix(".gz").removesuffix(".json")


def release_of(folders: Sequence[str]) -> str | None:
    """Return the release that folders name, the innermost first; None if none of them is named by one.

    >>> release_of(["vectors", "rocketmq-all-4.9.7", "mine"])
    '4.9.7'
    """
    for folder in reversed(folders):
        try:
            return version_of(folder)
        except UnknownRelease:
            continue
    return None


def cases_of(file: Path) -> list[Json]:
    """Return the cases of a vector file, packed or not.

    Raises:
        VectorError: the file cannot be read, or is not an array of cases.
    """
    try:
        raw = file.read_bytes()
        cases = json.loads(gzip.decompress(raw) if file.suffix == ".gz" else raw)
    except (OSError, EOFError, ValueError, zlib.error, RecursionError) as problem:
        raise VectorError("error.vector.unreadable", path=str(file), problem=str(problem)) from problem
    members = {"id", "input", "expected"}
    if not isinstance(cases, list) or not all(
        isinstance(case, dict) and members <= case.keys() for case in cases
    ):
        raise VectorError("error.vector.form", path=str(file))
    return cases


def same(one: Json, other: Json) -> bool:
    """Return whether two JSON values are equal to the letter: true is not 1, and 1 is not 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def replay(paths: list[Path], kinds: frozenset[str] | None = None) -> Report:
    """Replay vector files and compare what this package answers with what Java answered.

    Args:
        paths: files or folders.
        kinds: only cases of these kinds; None for all.

    Returns:
        The report.

    Raises:
        VectorError: a path, a file or a case is not of the documented form, or a kind is unknown.
    """
    report = Report()
    found = {file.path.resolve(): file for path in paths for file in vector_files(path)}
    for file in found.values():
        kind, version = file.kind, file.release
        if kinds is not None and kind not in kinds:
            continue
        cases, place = cases_of(file.path), (version, kind)
        if kind not in KINDS:
            report.not_covered[place] = report.not_covered.get(place, 0) + len(cases)
            continue
        for case in cases:
            got = replay_case(kind, version, case["input"])
            if same(got, case["expected"]):
                report.passed[place] = report.passed.get(place, 0) + 1
            else:
                report.failures.append(
                    Failure(version, kind, case["id"], case["input"], case["expected"], got)
                )
    return report


def refuse_too_many_calls(given: Json) -> None:
    """Refuse a case that would run for ever.

    Raises:
        VectorError: it asks for more than `MOST_CALLS` calls.
    """
    if given.get("calls", 0) > MOST_CALLS:
        raise VectorError("error.vector.calls", calls=given["calls"], most=MOST_CALLS)


def replay_case(kind: str, version: str, given: Json) -> Json:
    """Return what this package answers to a case; a case that cannot be replayed answers with the reason.

    Args:
        kind: one of `KINDS`.
        version: a release.
        given: the case's `input`.

    Returns:
        The answer, as the case's `expected` is written.

    >>> replay_case(
    ...     "first_pick", "4.9.4", {"queues": [["broker-a", 0], ["broker-a", 1]], "start": 4, "calls": 1}
    ... )
    {'picks': [['broker-a', 1]], 'index_after': 5}
    """
    try:
        refuse_too_many_calls(given)
        return KINDS[kind](release(version), given)
    except Exception as problem:  # noqa: BLE001  # a damaged case is a failing case, whatever is wrong with it
        return {"not replayed": f"{type(problem).__name__}: {problem}"}
