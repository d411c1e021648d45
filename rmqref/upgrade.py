"""What changes for a producer that moves from one release to another, and small runs that show it.

The list is the difference of two rows of the release table, with the bugs that go and come; nothing here knows a
release. A *probe* is a run whose outcome tells of one or more behaviours; it is made in both releases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial

from rmqref import museum
from rmqref.bugs import BUGS
from rmqref.cluster import BrokerFault, Cluster
from rmqref.errors import RmqRefError
from rmqref.faults import compute_not_available_duration
from rmqref.java import JavaRandom
from rmqref.measure import availability
from rmqref.messages import text
from rmqref.model import Message, MessageQueue, TopicRouteData
from rmqref.producer import broker_vip_channel, send_request
from rmqref.releases import COLUMNS, PICK_COLUMNS, Release, cell_text, release, route_of
from rmqref.scenario import Load, Scenario, sample_scenario
from rmqref.simulation import simulate
from rmqref.situation import Fault, Send, Situation
from rmqref.trace import Json

Probe = Callable[[str], str]
"""Runs something in a release, and says in one line what came out."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something that is different in another release.

    Args:
        kind: "pick", "send", "fixed" or "new": a behaviour of the choice or of the send, or a bug that goes or comes.
        name: the column of the release table, or the bug.
        means: what it is about, in a sentence.
        before: the cell of the first release; empty for a bug.
        after: the cell of the second release; empty for a bug.
        shown_before: what a run shows in the first release; empty if no run here shows it.
        shown_after: what the same run shows in the second release.
    """

    kind: str
    name: str
    means: str
    before: str = ""
    after: str = ""
    shown_before: str = ""
    shown_after: str = ""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The way from one release to another.

    Args:
        before: the first release.
        after: the second release.
        changes: what is different: behaviours in the order of the release table, then bugs that go, then bugs that come.
    """

    before: str
    after: str
    changes: tuple[Change, ...]

    def names(self, kind: str) -> list[str]:
        """Return the names of the changes of a kind.

        Args:
            kind: "pick", "send", "fixed" or "new".

        >>> upgrade("5.1.3", "5.1.4").names("new")
        ['unreachable_for_ever']
        """
        return [change.name for change in self.changes if change.kind == kind]

    def lines(self) -> Iterator[str]:
        """Yield the changes in words, each with the run that shows it."""
        if not self.changes:
            yield text("upgrade.nothing", before=self.before, after=self.after)
            return
        yield text("upgrade.head", before=self.before, after=self.after, count=len(self.changes))
        for kind in ("pick", "send", "fixed", "new"):
            found = [change for change in self.changes if change.kind == kind]
            if found:
                yield text(f"upgrade.kind.{kind}", count=len(found))
            for change in found:
                yield from self._told(change)

    def _told(self, change: Change) -> Iterator[str]:
        yield text("upgrade.change", name=change.name, means=change.means)
        if change.before != change.after:
            yield "  " + text("upgrade.cells", before=change.before, after=change.after)
        if not change.shown_before:
            yield "  " + text("upgrade.unseen")
            return
        for version, shown in ((self.before, change.shown_before), (self.after, change.shown_after)):
            yield "  " + text("upgrade.seen", release=version, shown=shown)

    def as_json(self) -> Json:
        """Return the same as data that JSON can hold."""
        return {"from": self.before, "to": self.after, "changes": [asdict(change) for change in self.changes]}


def upgrade(before: str, after: str) -> Upgrade:
    """Return what changes for a producer that moves from one release to another.

    Args:
        before: the release that it has.
        after: the release that it gets; an older one is well.

    Returns:
        The changes; none for two releases that behave alike.

    Raises:
        UnknownRelease: no such release.

    >>> [change.name for change in upgrade("4.9.7", "4.9.8").changes]
    ['place_on_broker', 'counts_write_queues_of', 'shared_list_rewritten']
    """
    old, new = release(before), release(after)
    behaviours = [
        change_of(name, old, new)
        for name in COLUMNS
        if name not in UNASKED and cell(old, name) != cell(new, name)
    ]
    fixed = [bug_of("fixed", name, old, new) for name, bug in BUGS.items() if bug.is_in(old) > bug.is_in(new)]
    come = [bug_of("new", name, old, new) for name, bug in BUGS.items() if bug.is_in(old) < bug.is_in(new)]
    return Upgrade(old.version, new.version, (*behaviours, *fixed, *come))


UNASKED = frozenset({"illegal_queue_code"})
"""Columns that are about a broker of the release, not about its client."""


def cell(row: Release, name: str) -> str:
    """Return a cell of the table in words, or that the release's client never asks it.

    >>> cell(release("4.9.8"), "isolation_latency"), cell(release("5.3.3"), "accepts")
    ('30000', 'not asked')
    """
    if name in row.unused:
        return text("upgrade.unused")
    return cell_text(getattr(row, name)) or text("upgrade.none")


def change_of(name: str, old: Release, new: Release) -> Change:
    """Return how a behaviour changes, with the first probe of it that shows a difference.

    Args:
        name: the column.
        old: the row of the first release.
        new: the row of the second release.
    """
    kind = "pick" if name in PICK_COLUMNS else "send"
    means = text(f"upgrade.column.{name}")
    for probe in PROBES.get(name, ()):
        shown = probe(old.version), probe(new.version)
        if shown[0] != shown[1]:
            return Change(kind, name, means, cell(old, name), cell(new, name), *shown)
    return Change(kind, name, means, cell(old, name), cell(new, name))


def bug_of(kind: str, name: str, old: Release, new: Release) -> Change:
    """Return that a bug goes or comes, with its exhibit's damage."""
    exhibit = museum.EXHIBITS[name]
    shown = (exhibit.damage_told(old.version), exhibit.damage_told(new.version))
    return Change(kind, name, exhibit.bug.what, "", "", *shown)


# ---------------------------------------------------------------------------------------------------------- the probes

PAIR = (("broker-a", 4), ("broker-b", 4))
AVOIDED = tuple(
    Fault(name, latency, avoided_for=60_000) for name, latency in (("broker-a", 700), ("broker-b", 3000))
)


def picks(situation: Situation, version: str) -> str:
    """Return the queues that a situation's picks take, and the list's change if there is one."""
    desk = situation.but(release=version).prepare()
    before = [str(mq) for mq in desk.topic.message_queue_list]
    taken = ", ".join(map(str, situation.but(release=version).run(desk)))
    changed = sum(str(mq) != was for mq, was in zip(desk.topic.message_queue_list, before, strict=True))
    return (
        text("upgrade.picks.changed", picks=taken, count=changed)
        if changed
        else text("upgrade.picks", picks=taken)
    )


def counter(situation: Situation, version: str) -> str:
    """Return the counter's stored value after a situation's picks."""
    desk = situation.but(release=version).prepare()
    taken = ", ".join(map(str, situation.but(release=version).run(desk)))
    return text("upgrade.counter", picks=taken, stored=desk.topic.send_which_queue.stored)


def avoided_after(latency: int, version: str) -> str:
    """Return for how long a broker is avoided after a send of this latency in milliseconds."""
    row = release(version)
    duration = compute_not_available_duration(latency, row.latency_max, row.not_available_duration)
    return text("upgrade.avoided", latency=f"{latency:,}", duration=f"{duration:,}")


def avoided_after_failure(version: str) -> str:
    """Return for how long a broker is avoided after a failed send."""
    row = release(version)
    latency, thresholds, durations = row.isolation_latency, row.latency_max, row.not_available_duration
    duration = compute_not_available_duration(latency, thresholds, durations)
    return text("upgrade.isolated", duration=f"{duration:,}")


def freed_by_success(version: str) -> str:
    """Return for how long a broker is avoided that failed, and answered quickly a second later."""
    sends = (Send("broker-a", 3000, failed=True), Send("broker-a", 12, at=1000))
    (lane,) = availability(Situation(sends=sends), "broker-a", [version])
    return text("upgrade.freed", duration=f"{lane.avoided_for or 0:,}")


def detector(version: str) -> str:
    """Return whether a counter can be reset and a broker be marked as unreachable."""
    return text("upgrade.reachable" if release(version).has_reachable else "upgrade.no_reachable")


def sent(scenario: Scenario, version: str) -> str:
    """Return what the first send of a scenario comes to, attempt by attempt."""
    try:
        run = simulate(scenario.but(release=version))
    except RmqRefError as error:
        return str(error)
    send = run.sends[0]
    attempts = "; ".join(
        text(
            "upgrade.attempt",
            queue=f"{attempt.broker_name} : {attempt.queue_id}",
            timeout=attempt.timeout,
            outcome=attempt.outcome,
        )
        for attempt in send.attempts
    )
    message = "upgrade.sent" if attempts else "upgrade.not_sent"
    return text(message, outcome=send.outcome, ended=send.ended, attempts=attempts)


def copies(version: str) -> str:
    """Return how many times the list is copied for a selector."""
    copied = simulate(Scenario(release=version, load=Load(selector="hash"))).copies
    return text("upgrade.copies", copies=copied)


def settings(version: str) -> str:
    """Return the settings that a producer of the release has beside those that all have."""
    return ", ".join(sorted(release(version).settings)) or text("upgrade.none")


def updates(scenario: Scenario, version: str) -> str:
    """Return what the fault table is told by the first failed attempt of a scenario."""
    told = simulate(scenario.but(release=version)).updates
    return "; ".join(
        text(
            "upgrade.update" if update.reachable else "upgrade.update.unreachable",
            broker=update.broker_name,
            duration=f"{update.duration:,}",
        )
        for update in told[:1]
    ) or text("upgrade.none")


def random_start(version: str) -> str:
    """Return the first values of a new counter."""
    index = release(version).new_index(JavaRandom(3))
    values = [index.increment_and_get() for _ in range(3)]
    return text(
        "upgrade.start", values=", ".join(f"{value:,}" for value in values), stored=f"{index.stored:,}"
    )


def request(version: str) -> str:
    """Return what the request of a large message says of its kind and its broker."""
    producer = Cluster.of(PAIR).producer(release=version)
    made = send_request(
        producer, Message("OrderTopic", bytes(5000)), MessageQueue("OrderTopic", "broker-a", 0)
    )
    return text(
        "upgrade.request", flag=made.header.sys_flag, broker=made.header.bname or text("upgrade.none")
    )


def address(version: str) -> str:
    """Return where a request to a broker goes."""
    producer = Cluster.of(PAIR).producer(release=version)
    return text(
        "upgrade.address", address=broker_vip_channel(bool(producer.vip_channel_enabled), "10.0.0.1:10911")
    )


def at_broker_b(does: str, mode: str = "SYNC", code: int = 1) -> Scenario:
    """Return a scenario whose first pick is broker-b : 0, where something is wrong."""
    return Scenario(start=3, faults=(BrokerFault(does, "broker-b", code=code),), load=Load(mode=mode))


def read_only_route() -> TopicRouteData:
    """Return a route in which broker-b has lost its permission to be written to."""
    route = route_of(PAIR)
    route.queue_datas = [
        replace(data, perm=4) if data.broker_name == "broker-b" else data for data in route.queue_datas
    ]
    return route


FAILED = Situation(start=4, last_broker_name="broker-b", fault_switch=True)
ALL_AVOIDED = Situation(route=PAIR, fault_switch=True, faults=AVOIDED, start=0)
AT_THE_END = museum.AT_THE_END
LEFT_BEHIND = ALL_AVOIDED.but(route=read_only_route(), faults=museum.FAULTS[1:2] + museum.FAULTS[:1])
SWITCHED_ON = {"send_latency_fault_enable": True}

PROBES: dict[str, tuple[Probe, ...]] = {
    "index": (partial(counter, AT_THE_END), random_start),
    "position_of": (
        partial(picks, museum.OVERFLOW.but(start=-8, calls=3)),
        museum.EXHIBITS["swallowed_overflow"].damage_told,
    ),
    "retry_pick": (partial(counter, Situation(route=PAIR, start=0, last_broker_name="broker-a")),),
    "select": (
        partial(picks, Situation(start=3, fault_switch=True, faults=museum.FAULTS[1:2], calls=3)),
        partial(picks, ALL_AVOIDED.but(calls=3)),
    ),
    "accepts": (partial(picks, FAILED), partial(picks, FAILED.but(start=0)), partial(picks, museum.LONELY)),
    "place_on_broker": (partial(picks, ALL_AVOIDED),),
    "counts_write_queues_of": (partial(picks, LEFT_BEHIND),),
    "pick_one_at_least": (
        partial(picks, museum.ALL_AVOIDED.but(calls=4)),
        partial(picks, ALL_AVOIDED.but(calls=4)),
    ),
    "is_available_item": (
        partial(
            picks, Situation(start=3, fault_switch=True, faults=(Fault("broker-b", 20, reachable=False),))
        ),
    ),
    "update_fault_item": (freed_by_success,),
    "has_reachable": (detector,),
    "latency_max": (partial(avoided_after, 1000), partial(avoided_after, 3000)),
    "not_available_duration": (partial(avoided_after, 700),),
    "isolation_latency": (avoided_after_failure,),
    "select_by_hash": (museum.EXHIBITS["hash_of_smallest_int"].damage_told,),
    "select_by_random": (museum.EXHIBITS["random_smallest_int"].damage_told,),
    "static_topics": (partial(picks, museum.STATIC),),
    "retry_codes": (
        partial(sent, at_broker_b("code", code=2)),
        partial(sent, at_broker_b("code", code=1500)),
    ),
    "time_budget": (partial(sent, at_broker_b("hang")),),
    "judge": (partial(updates, at_broker_b("code", code=13).but(producer=SWITCHED_ON)),),
    "settings": (settings,),
    "default_topic": (partial(sent, sample_scenario("new_topic")),),
    "asks_create_topic_key": (
        partial(sent, sample_scenario("new_topic").but(producer={"create_topic_key": "OtherKey"})),
    ),
    "throws_without_name_server": (partial(sent, Scenario(faults=(BrokerFault("name_server_down"),))),),
    "selector_list": (copies,),
    "async_time_budget": (partial(sent, at_broker_b("hang", "ASYNC")),),
    "async_checks_time": (partial(sent, at_broker_b("hang", "ASYNC")),),
    "catches_connect_failure": (partial(sent, at_broker_b("refuse", "ASYNC")),),
    "connects_in_callback": (partial(sent, at_broker_b("hang", "ASYNC")),),
    "too_much_request_ends_async": (partial(sent, at_broker_b("hang", "ASYNC")),),
    "vip_channel": (address,),
    "compression_type": (request,),
    "has_bname": (request,),
    "has_batch": (partial(sent, Scenario(load=Load(batch=3))),),
    "topic_max_length": (partial(sent, Scenario(topic="T" * 200)),),
}
"""The probes of each behaviour; the first that differs between two releases is shown."""
