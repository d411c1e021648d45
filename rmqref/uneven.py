"""Why is my traffic uneven? A guided walk: each step asks for something that a person has, runs it, and ends in a proof.

The steps are independent: more than one cause can hold at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rmqref.bugs import BUGS
from rmqref.java import JavaRandom
from rmqref.measure import Share, retry_landings, share_with_one_down
from rmqref.messages import text
from rmqref.model import TopicRouteData
from rmqref.museum import EXHIBITS
from rmqref.releases import release, route_of
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
        failing: whether sends to a broker fail.
    """

    release: str
    route: TopicRouteData | None = None
    fault_switch: bool | None = None
    selector: bool | None = None
    sends_per_thread: int | None = None
    failing: bool | None = None

    @property
    def situation(self) -> Situation:
        """A first pick on the person's route, or on a sample one."""
        route = self.route or route_of((("broker-a", 4), ("broker-b", 4), ("broker-c", 4)))
        return Situation(self.release, route=route, start=0, fault_switch=bool(self.fault_switch))


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


def by_queues(evidence: Evidence) -> Proof:
    """Traffic follows queues."""
    if evidence.route is None:
        return missing("route")
    share = evidence.situation.but(fault_switch=False).share(PICKS)
    brokers: Counter[str] = Counter()
    for (broker_name, _), picks in share.items():
        brokers[broker_name] += picks
    told = ", ".join(
        text("uneven.broker", broker=name, percent=f"{100 * picks / PICKS:.3g}")
        for name, picks in brokers.items()
    )
    return Proof(
        max(brokers.values()) - min(brokers.values()) > len(share), text("uneven.run.queues", shares=told)
    )


def by_one_broker(evidence: Evidence) -> Proof:
    """The topic is on one broker only."""
    if evidence.route is None:
        return missing("route")
    names = {broker_name for broker_name, _ in evidence.situation.share(1)}
    return Proof(
        len(names) == 1, text("uneven.run.one_broker", count=len(names), brokers=", ".join(sorted(names)))
    )


def by_block(evidence: Evidence) -> Proof:
    """The queue behind an avoided broker gets its block's traffic."""
    if evidence.fault_switch is None:
        return missing("switch")
    if not evidence.fault_switch:
        return Proof(False, text("uneven.switch_off"))
    situation = evidence.situation
    names = sorted({broker_name for broker_name, _ in situation.share(1)})
    if len(names) < 2:
        return Proof(False, text("uneven.run.one_broker", count=len(names), brokers=", ".join(names)))
    share = share_with_one_down(situation, names[0], [evidence.release], PICKS)[
        release(evidence.release).version
    ]
    others = Counter({queue: picks for queue, picks in share.items() if queue[0] != names[0]})
    has_bug = BUGS["block_share"].is_in(release(evidence.release))
    return Proof(has_bug, text("uneven.run.block", broker=names[0], share=told_share(others)))


def by_bug(name: str, needs_switch: bool) -> Callable[[Evidence], Proof]:
    """Return a step that asks whether the release has a bug, and shows its damage.

    Args:
        name: the bug's.
        needs_switch: whether the fault switch has to be on for it.
    """

    def prove(evidence: Evidence) -> Proof:
        has_bug = BUGS[name].is_in(release(evidence.release))
        if has_bug and needs_switch and not evidence.fault_switch:
            return (
                missing("switch")
                if evidence.fault_switch is None
                else Proof(False, text("uneven.switch_off"))
            )
        return Proof(has_bug, EXHIBITS[name].told(evidence.release))

    return prove


def by_retries(evidence: Evidence) -> Proof:
    """Retries pile up on one queue while a broker fails."""
    if evidence.failing is None:
        return missing("failing")
    situation = evidence.situation.but(fault_switch=False)
    names = sorted({broker_name for broker_name, _ in situation.share(1)})
    if not evidence.failing or len(names) < 2:
        return Proof(False, text("uneven.not_failing"))
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
    for _ in range(THREADS):
        start = row.new_index(chance).increment_and_get()
        share.update((mq.broker_name, mq.queue_id) for mq in situation.but(start=start).picks(sends))
    said = text("uneven.run.threads", threads=THREADS, sends=sends, share=told_share(share))
    return Proof(evidence.sends_per_thread < enough, said)


THREADS = 100
"""How many threads a proof has."""

STEPS: dict[str, Callable[[Evidence], Proof]] = {
    "keys": by_keys,
    "queues": by_queues,
    "one_broker": by_one_broker,
    "block": by_block,
    "rewritten": by_bug("shared_list_rewritten", needs_switch=True),
    "sticks": by_bug("counter_sticks", needs_switch=False),
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
