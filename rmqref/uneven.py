"""Why is my traffic uneven? A guided walk: each step asks for something that a person has, runs it, and ends in a proof.

The steps are independent: more than one cause can hold at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import NamedTuple

from rmqref.bugs import BUGS
from rmqref.cluster import BrokerFault
from rmqref.forecast import Facts, forecast
from rmqref.java import JavaRandom
from rmqref.measure import Share, retry_landings, share_with_one_down
from rmqref.messages import text
from rmqref.model import TopicPublishInfo, TopicRouteData
from rmqref.museum import EXHIBITS
from rmqref.releases import release, route_of
from rmqref.route import MOCK_BROKER_PREFIX
from rmqref.route_report import who_is_left_out
from rmqref.scenario import BrokerPlan, Load, Scenario
from rmqref.simulation import simulate
from rmqref.situation import Situation

PICKS = 12_000
"""How many picks a proof counts."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a person knows; None where they do not.

    Args:
        release: the client's release.
        route: the topic's route.
        fault_switch: whether `sendLatencyFaultEnable` is on.
        selector: whether the application sends with a selector or a key.
        sends_per_thread: how many messages a thread sends before it ends.
        failing: whether sends to a broker fail or are slow.
        all_failing: whether there was a time at which that was so of every broker.
    """

    release: str
    route: TopicRouteData | None = None
    fault_switch: bool | None = None
    selector: bool | None = None
    sends_per_thread: int | None = None
    failing: bool | None = None
    all_failing: bool | None = None

    @property
    def given_route(self) -> TopicRouteData:
        """Return the person's route, or a sample one."""
        return self.route or route_of((("broker-a", 4), ("broker-b", 4), ("broker-c", 4)))

    @property
    def topic(self) -> TopicPublishInfo:
        """Return the list that the release makes of the route."""
        return release(self.release).topic(deepcopy(self.given_route))

    @property
    def brokers(self) -> list[str]:
        """Return the brokers of the list, sorted."""
        return sorted({mq.broker_name for mq in self.topic.message_queue_list})

    @property
    def is_static(self) -> bool:
        """Return whether all queues carry a made-up broker name."""
        return any(name.startswith(MOCK_BROKER_PREFIX) for name in self.brokers)

    @property
    def situation(self) -> Situation:
        """A first pick on the person's route, or on a sample one."""
        return Situation(self.release, route=self.given_route, start=0, fault_switch=bool(self.fault_switch))


class Proof(NamedTuple):
    """What a step found.

    Args:
        holds: whether the cause holds; None if something is missing that decides it.
        said: what was run and what came out, or what is missing.
    """

    holds: bool | None
    said: str


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the walk.

    Args:
        name: of the cause.
        asks: what the person is asked for.
        proof: what was found.
    """

    name: str
    asks: str
    proof: Proof

    def lines(self) -> Iterator[str]:
        """Yield the step in words, with what to do where the cause holds."""
        answer = {True: "yes", False: "no", None: "unknown"}[self.proof.holds]
        yield text("uneven.step", asks=self.asks, answer=text(f"uneven.{answer}"))
        yield "  " + self.proof.said
        if self.proof.holds:
            yield "  " + text(f"uneven.do.{self.name}")


def walk(evidence: Evidence) -> tuple[Step, ...]:
    """Return the steps of the walk, each with its proof.

    Args:
        evidence: what is known.

    Returns:
        Every step, in the order in which causes are common.

    Raises:
        UnknownRelease: no such release.
        JavaException: the route makes no list.

    >>> found = walk(Evidence("4.9.7", route_of((("broker-a", 8), ("broker-b", 2))), fault_switch=False))
    >>> [step.name for step in found if step.proof.holds]
    ['queues']
    """
    release(evidence.release)
    return tuple(Step(name, text(f"uneven.ask.{name}"), prove(evidence)) for name, prove in STEPS.items())


def missing(name: str) -> Proof:
    """Return that something is missing."""
    return Proof(None, text(f"uneven.missing.{name}"))


def told_share(share: Share) -> str:
    """Return the fullest and the emptiest queue of a share, in percent.

    >>> told_share(Counter({("broker-a", 0): 3, ("broker-b", 0): 1}))
    'broker-a : 0 gets 75%, broker-b : 0 gets 25%'
    """
    (most, picks), (least, few) = share.most_common()[0], share.most_common()[-1]
    total = share.total()
    return text(
        "uneven.share",
        most=f"{most[0]} : {most[1]}",
        percent=f"{100 * picks / total:.3g}",
        least=f"{least[0]} : {least[1]}",
        few=f"{100 * few / total:.3g}",
    )


def told_brokers(brokers: Counter[str]) -> str:
    """Return the share of each broker, of the first few if there are many."""
    total = brokers.total() or 1
    told = [
        text("uneven.broker", broker=name, percent=f"{100 * count / total:.3g}")
        for name, count in brokers.items()
    ]
    return shortened_list(told)


def shortened_list(words: Sequence[str]) -> str:
    """Return words with commas between them, the first few if there are many.

    >>> shortened_list(["broker-a", "broker-b"]), shortened_list("abcdefghijkl")
    ('broker-a, broker-b', 'a, b, c, d, e, f, g, h, ... (12)')
    """
    more = f", ... ({len(words)})" if len(words) > MOST_NAMED else ""
    return ", ".join(words[:MOST_NAMED]) + more


MOST_NAMED = 8
"""How many brokers a sentence names."""


def by_keys(evidence: Evidence) -> Proof:
    """Traffic follows keys where a selector chooses."""
    if evidence.selector is None:
        return missing("keys")
    if not evidence.selector:
        return Proof(False, text("uneven.no_selector"))
    load = Load(sends=1000, keys=4, selector="hash")
    run = simulate(
        Scenario(release=evidence.release, start=0, brokers=(BrokerPlan("broker-a", 8),), load=load)
    )
    return Proof(True, text("uneven.run.keys", keys=load.keys, share=told_share(run.share)))


def by_left_out(evidence: Evidence) -> Proof:
    """A broker of the route gives no queue."""
    if evidence.route is None:
        return missing("route")
    out = list(who_is_left_out(evidence.route, evidence.topic.message_queue_list))
    if not out:
        return Proof(False, text("uneven.run.all_in"))
    return Proof(True, " ".join(text("route.left_out", said=told.said) for told in out))


def by_queues(evidence: Evidence) -> Proof:
    """Traffic follows queues."""
    if evidence.route is None:
        return missing("route")
    share = evidence.situation.but(fault_switch=False).share(PICKS)
    brokers: Counter[str] = Counter()
    for (broker_name, _), picks in share.items():
        brokers[broker_name] += picks
    return Proof(
        max(brokers.values()) - min(brokers.values()) > len(share),
        text("uneven.run.queues", shares=told_brokers(brokers)),
    )


def by_one_broker(evidence: Evidence) -> Proof:
    """The topic is on one broker only."""
    if evidence.route is None:
        return missing("route")
    if evidence.is_static:
        return Proof(False, text("uneven.static"))
    names = evidence.brokers
    entries = {data.broker_name for data in evidence.route.queue_datas}
    said = text("uneven.run.one_broker", count=len(names), brokers=shortened_list(names))
    return Proof(len(names) == 1 and len(entries) < 2, said)


def by_avoided(evidence: Evidence) -> Proof:
    """A broker that fails, or is avoided, gets less."""
    if unasked := what_failing_needs(evidence):
        return unasked
    down = BrokerFault("refuse", evidence.brokers[0], at=0)
    facts = Facts(
        evidence.release, evidence.given_route, bool(evidence.fault_switch), start=0, rate=100, faults=(down,)
    )
    (during,) = forecast(facts).phases
    stored = Counter(dict.fromkeys(evidence.brokers, 0)) | during.by_broker(during.stored)
    brokers = Counter({name: stored[name] for name in evidence.brokers})
    return Proof(True, text("uneven.run.avoided", broker=down.broker, shares=told_brokers(brokers)))


def by_block(evidence: Evidence) -> Proof:
    """The queue behind an avoided broker gets its block's traffic."""
    if unasked := what_avoiding_needs(evidence):
        return unasked
    situation, names = evidence.situation, evidence.brokers
    share = share_with_one_down(situation, names[0], [evidence.release], PICKS)[
        release(evidence.release).version
    ]
    others = Counter({queue: picks for queue, picks in share.items() if queue[0] != names[0]})
    has_bug = BUGS["block_share"].is_in(release(evidence.release))
    return Proof(has_bug, text("uneven.run.block", broker=names[0], share=told_share(others)))


def what_avoiding_needs(evidence: Evidence) -> Proof | None:
    """Return what is missing or rules out that a broker is avoided while another is there; None if nothing does."""
    if evidence.fault_switch is None:
        return missing("switch")
    if not evidence.fault_switch:
        return Proof(False, text("uneven.switch_off"))
    return what_failing_needs(evidence)


def what_failing_needs(evidence: Evidence) -> Proof | None:
    """Return what is missing or rules out that a broker fails while another is there; None if nothing does."""
    if evidence.failing is None:
        return missing("failing")
    if not evidence.failing:
        return Proof(False, text("uneven.not_failing"))
    if evidence.is_static or len(evidence.brokers) < 2:
        return Proof(False, text("uneven.static" if evidence.is_static else "uneven.lone"))
    return None


def by_rewritten(evidence: Evidence) -> Proof:
    """The fallback has rewritten the shared list."""
    said = EXHIBITS["shared_list_rewritten"].told(evidence.release)
    if not BUGS["shared_list_rewritten"].is_in(release(evidence.release)):
        return Proof(False, said)
    if unasked := what_avoiding_needs(evidence):
        return unasked
    if evidence.all_failing is None:
        return Proof(None, " ".join((said, text("uneven.missing.all_failing"))))
    return Proof(evidence.all_failing, said)


def by_sticking(evidence: Evidence) -> Proof:
    """The counter has run out, and sticks."""
    said = EXHIBITS["counter_sticks"].told(evidence.release)
    if not BUGS["counter_sticks"].is_in(release(evidence.release)):
        return Proof(False, said)
    if evidence.sends_per_thread is None:
        return missing("threads")
    chance = min(evidence.sends_per_thread / 2**31, 1)
    return Proof(chance >= LIKELY, " ".join((said, text("uneven.run.sticks", percent=f"{100 * chance:.3g}"))))


LIKELY = 0.01
"""The share of a producer's threads whose counter has run out from which on that is a cause."""


def by_retries(evidence: Evidence) -> Proof:
    """Retries pile up on one queue while a broker fails."""
    if unasked := what_failing_needs(evidence):
        return unasked
    situation, names = evidence.situation.but(fault_switch=False), evidence.brokers
    (landings,) = retry_landings(situation, names[0], [evidence.release], PICKS)
    others = Counter({queue: picks for queue, picks in landings.ends.items() if queue[0] != names[0]})
    has_bug = BUGS["retry_hot_spot"].is_in(release(evidence.release))
    return Proof(has_bug, text("uneven.run.retries", broker=names[0], share=told_share(others)))


FEW = 10
"""Messages of a thread below which its random start shows, as a multiple of the list's length."""


def by_short_threads(evidence: Evidence) -> Proof:
    """Threads that send little are balanced by chance only."""
    if evidence.sends_per_thread is None:
        return missing("threads")
    row, situation = release(evidence.release), evidence.situation.but(fault_switch=False)
    chance, share = JavaRandom(0), Counter(dict.fromkeys(situation.share(1), 0))
    enough = FEW * len(share)
    sends = min(evidence.sends_per_thread, enough)
    threads = max(1, min(THREADS, MOST_RUN // sends))
    for _ in range(threads):
        start = row.new_index(chance).increment_and_get()
        share.update((mq.broker_name, mq.queue_id) for mq in situation.but(start=start).picks(sends))
    is_uneven = max(share.values()) > EVEN * min(share.values())
    said = text("uneven.run.threads", threads=threads, sends=sends, share=told_share(share))
    if sends < evidence.sends_per_thread:
        said += " " + text("uneven.run.threads.more", sends=evidence.sends_per_thread)
    return Proof(evidence.sends_per_thread < enough and is_uneven, said)


THREADS = 100
"""How many threads a proof has, unless they send much."""

MOST_RUN = 50_000
"""How many picks all threads of a proof make at most."""

EVEN = 1.1
"""The fullest queue's share in multiples of the emptiest one's up to which traffic is even."""

STEPS: dict[str, Callable[[Evidence], Proof]] = {
    "keys": by_keys,
    "left_out": by_left_out,
    "queues": by_queues,
    "one_broker": by_one_broker,
    "avoided": by_avoided,
    "block": by_block,
    "rewritten": by_rewritten,
    "sticks": by_sticking,
    "retries": by_retries,
    "threads": by_short_threads,
}
"""The steps, by the name of the cause."""


def told_walk(evidence: Evidence) -> str:
    """Return the walk in words, and how many causes hold.

    Args:
        evidence: what is known.
    """
    steps = walk(evidence)
    lines = [line for step in steps for line in step.lines()]
    found = [step.name for step in steps if step.proof.holds]
    open_steps = sum(step.proof.holds is None for step in steps)
    lines.append(text("uneven.end", count=len(found), open=open_steps))
    return "\n".join(lines)


def walk_as_json(evidence: Evidence) -> list[dict[str, object]]:
    """Return the walk as data that JSON can hold.

    Args:
        evidence: what is known.

    Returns:
        For each step its name, whether the cause holds (null if something is missing), and what was found.
    """
    return [
        {"cause": step.name, "holds": step.proof.holds, "said": step.proof.said} for step in walk(evidence)
    ]
