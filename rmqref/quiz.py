"""Questions made from the engine: what a release does in a situation, with wrong answers that misconceptions would give.

A question is drawn from a seed. Its right answer is what the package does; each wrong one is computed from a *named
misconception*, and is left out where it happens to be right. The explanation is the trace of exactly this run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from rmqref.cluster import BrokerFault
from rmqref.errors import JavaException, RmqRefError, shortened
from rmqref.faults import compute_not_available_duration
from rmqref.java import INT_MAX, INT_MIN, JavaRandom, hash_code
from rmqref.messages import catalogue, text
from rmqref.model import MessageQueue
from rmqref.releases import FAMILIES, VERSIONS, Release, release
from rmqref.scenario import BrokerPlan, Load, Scenario
from rmqref.send_trace import record_send
from rmqref.simulation import simulate
from rmqref.situation import Fault, Send, Situation
from rmqref.table import Table
from rmqref.trace import Json, record

Choice = TypeVar("Choice")


class QuizError(RmqRefError):
    """No such question can be made."""


@dataclass(frozen=True, slots=True)
class Option:
    """An answer to choose.

    Args:
        text: the answer.
        misconception: what one believes who gives it; None for the right one.
    """

    text: str
    misconception: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question.

    Args:
        key: its kind and its seed, unique.
        kind: a name in `KINDS`.
        level: 1 for what one looks up, 2 for one decision, 3 for a whole run.
        release: the release that it asks about.
        text: the question.
        options: three or four answers, one of them right.
        run: what is asked about; its trace is the explanation.

    >>> question = questions(7, 1)[0]
    >>> question.options[question.right].misconception is None
    True
    """

    key: str
    kind: str
    level: int
    release: str
    text: str
    options: tuple[Option, ...]
    run: Situation | Scenario

    @property
    def right(self) -> int:
        """Return the place of the right answer among the options."""
        return next(place for place, option in enumerate(self.options) if option.misconception is None)

    @property
    def misconception(self) -> str:
        """Return the misconception that the question probes: that of its first wrong answer as it was made."""
        probed = (
            name for name in MISCONCEPTIONS if name in {option.misconception for option in self.options}
        )
        return next(probed)

    def as_json(self) -> Json:
        """Return the question as data that JSON can hold, without its trace."""
        return {
            "key": self.key,
            "kind": self.kind,
            "level": self.level,
            "release": self.release,
            "text": self.text,
            "options": [
                {
                    "text": option.text,
                    "misconception": option.misconception
                    and text(f"quiz.misconception.{option.misconception}"),
                }
                for option in self.options
            ],
            "right": self.right,
        }

    def trace(self) -> Json:
        """Return the recorded run."""
        return (
            record(self.run)
            if isinstance(self.run, Situation)
            else record_send(self.run, self.run.load.sends)
        )

    def deciding_step(self, trace: Json) -> int:
        """Return the step of its trace at which the answer is there."""
        if self.kind in DECIDED_BY:
            kind, number = DECIDED_BY[self.kind]
            return [n for n, step in enumerate(trace["steps"]) if step["kind"] == kind][number - 1]
        reveals = [pick["reveal"] for pick in trace["decisions"] if pick["reveal"] is not None]
        is_pick = isinstance(self.run, Situation) and reveals
        return int(reveals[-1]) if is_pick else len(trace["steps"]) - 1

    def why(self, trace: Json) -> list[str]:
        """Return the sentences of the trace that lead to the answer, at most `REASONS`."""
        told = [
            text(said.pop("id"), **said)
            for step in trace["steps"][: self.deciding_step(trace) + 1]
            if step["kind"] in TELLING
            for said in (dict(step["say"]),)
        ]
        return list(dict.fromkeys(told))[-REASONS:]


DECIDED_BY = {"time_of_attempt_two": ("attempt", 2)}
"""Kinds of questions whose answer is there before the end: at the how manieth step of which kind."""

REASONS = 4
TELLING = frozenset(
    {"count", "skip", "accept", "pick", "fallback", "rank", "rewrite", "update", "budget"}
) | frozenset({"attempt", "store", "answer", "retry", "outcome", "swallow", "raise"})
"""The kinds of steps whose sentences give a reason."""


# ------------------------------------------------------------------------------------------------ drawing and choosing


class Draw:
    """What a question is drawn from: chance, and the release if one is wanted.

    Args:
        seed: of the chance.
        version: the release; None for any.
    """

    def __init__(self, seed: int, version: str | None = None) -> None:
        self._random = JavaRandom(seed)
        self.row = release(version or self.one_of(VERSIONS))

    @property
    def version(self) -> str:
        """The release that is asked about."""
        return self.row.version

    def below(self, bound: int) -> int:
        """Return a number from 0 to `bound` - 1."""
        return self._random.next_int(bound)

    def one_of(self, choices: Sequence[Choice]) -> Choice:
        """Return one of some things."""
        return choices[self.below(len(choices))]

    def mixed(self, things: Sequence[Choice]) -> list[Choice]:
        """Return things in another order."""
        rest = list(things)
        return [rest.pop(self.below(len(rest))) for _ in things]


@dataclass(frozen=True, slots=True)
class Draft:
    """A question before its answers are sorted out.

    Args:
        run: what is asked about.
        given: the parameters of its text.
        right: the right answer.
        wrong: what each misconception answers; None where it has no answer of its own.
    """

    run: Situation | Scenario
    given: Mapping[str, Any]
    right: str
    wrong: Mapping[str, str | None]


Maker = Callable[[Draw], Draft]

ROUTES = (
    (("broker-a", 4), ("broker-b", 4)),
    (("broker-a", 4), ("broker-b", 4), ("broker-c", 4)),
    (("broker-a", 2), ("broker-b", 2), ("broker-c", 2)),
    (("broker-a", 3), ("broker-b", 5)),
    (("broker-a", 8), ("broker-b", 2)),
    (("broker-a", 1), ("broker-b", 1), ("broker-c", 1), ("broker-d", 1)),
)
FIRST_PATCHED, LAST_PATCHED = "4.7.1", "5.3.3"
"""Releases whose way of a retry and of a fallback one may take for that of another one."""


def listed(route: Sequence[tuple[str, int]]) -> str:
    """Return a route in words.

    >>> listed((("broker-a", 4), ("broker-b", 1)))
    'broker-a with 4 queues, broker-b with 1 queue'
    """
    return ", ".join(
        text("quiz.broker" if queues > 1 else "quiz.broker.one", broker=broker, queues=queues)
        for broker, queues in route
    )


def queue_at(route: Sequence[tuple[str, int]], position: int) -> str:
    """Return the queue at a position of a route's list, as the list goes round."""
    queues = [str(MessageQueue("", broker, queue_id)) for broker, count in route for queue_id in range(count)]
    return queues[position % len(queues)]


def pick_in(situation: Situation, version: str) -> str | None:
    """Return what another release picks in a situation, or None if it throws."""
    try:
        return str(situation.but(release=version).pick())
    except JavaException:
        return None


def seconds(milliseconds: int) -> str:
    """Return a time in words.

    >>> seconds(600_000), seconds(0)
    ('600 s', 'not at all')
    """
    return (
        text("quiz.seconds", seconds=f"{milliseconds / 1000:g}") if milliseconds else text("quiz.not_at_all")
    )


def other_table(row: Release) -> Release:
    """Return a release with the other one of the two threshold tables."""
    return next(other for other in FAMILIES.values() if other.latency_max != row.latency_max)


def duration_of(row: Release, latency: int) -> int:
    """Return for how many milliseconds a release avoids a broker after a latency."""
    return compute_not_available_duration(latency, row.latency_max, row.not_available_duration)


# ----------------------------------------------------------------------------------------------------------- the kinds


def first_pick(draw: Draw) -> Draft:
    """Which queue gets a first attempt?"""
    route, start = draw.one_of(ROUTES), draw.below(1000)
    situation = Situation(draw.version, route=route, start=start)
    position = (start + 1) % sum(queues for _, queues in route)
    return Draft(
        situation,
        {"list": listed(route), "start": start},
        str(situation.pick()),
        {
            "reads_before_increment": queue_at(route, start),
            "starts_at_zero": queue_at(route, 0),
            "brokers_take_turns": f"{route[start % len(route)][0]} : {position % route[start % len(route)][1]}",
            "steps_by_two": queue_at(route, start + 2),
        },
    )


def retry_switch_off(draw: Draw) -> Draft:
    """Which queue gets a retry, with the fault switch off?"""
    route, start = draw.one_of(ROUTES), draw.below(1000)
    failed = queue_at(route, start).partition(" ")[0]
    situation = Situation(draw.version, route=route, start=start, last_broker_name=failed)
    return Draft(
        situation,
        {"list": listed(route), "start": start, "broker": failed},
        str(situation.pick()),
        {
            "retry_is_next_queue": queue_at(route, start + 1),
            "retry_prefers_last": queue_at(route, start),
            "starts_at_zero": queue_at(route, 0),
            "reads_before_increment": str(situation.but(start=start - 1).pick()),
        },
    )


def retry_switch_on(draw: Draw) -> Draft:
    """Which queue gets a retry, with the fault switch on, while the broker that failed is not avoided?"""
    route, start = draw.one_of(ROUTES), draw.below(1000)
    failed = queue_at(route, start).partition(" ")[0]
    situation = Situation(
        draw.version,
        route=route,
        start=start,
        last_broker_name=failed,
        fault_switch=True,
        faults=tuple(Fault(broker, 20 + 10 * n) for n, (broker, _) in enumerate(reversed(route))),
    )
    fastest = route[-1][0]
    return Draft(
        situation,
        {"list": listed(route), "start": start, "broker": failed, "fastest": fastest},
        str(situation.pick()),
        {
            "retry_prefers_last": pick_in(situation, FIRST_PATCHED),
            "retry_avoids_last": pick_in(situation, LAST_PATCHED),
            "retry_is_next_queue": queue_at(route, start + 1),
            "least_latency_wins": f"{fastest} : 0",
        },
    )


def slow_answer(draw: Draw) -> Draft:
    """For how long is a broker avoided after a slow answer?"""
    latency = draw.one_of(
        (60, 300, 549, 550, 700, 1000, 1500, 1800, 2500, 3000, 4200, 5000, 9000, 15000, 20000)
    )
    situation = Situation(draw.version, fault_switch=True, sends=(Send("broker-b", latency),), calls=0)
    return Draft(
        situation,
        {"latency": latency},
        seconds(duration_of(draw.row, latency)),
        {
            "other_table": seconds(duration_of(other_table(draw.row), latency)),
            "avoided_for_its_latency": seconds(latency),
            "slips_a_zero": seconds(duration_of(draw.row, latency) // 10),
            "counts_as_failure": seconds(duration_of(draw.row, draw.row.isolation_latency)),
        },
    )


def failed_send(draw: Draw) -> Draft:
    """For how long is a broker avoided after a failed send?"""
    latency = draw.one_of((1, 3, 250, 700, 1200, 3000))
    situation = Situation(
        draw.version, fault_switch=True, sends=(Send("broker-b", latency, failed=True),), calls=0
    )
    return Draft(
        situation,
        {"latency": latency},
        seconds(duration_of(draw.row, draw.row.isolation_latency)),
        {
            "pseudo_latency_is_time": seconds(30_000),
            "other_table": seconds(
                duration_of(other_table(draw.row), other_table(draw.row).isolation_latency)
            ),
            "measured_latency_counts": seconds(duration_of(draw.row, latency)),
            "avoided_for_its_latency": seconds(latency),
        },
    )


def after_the_largest_int(draw: Draw) -> Draft:
    """Which queue does the pick take whose counter has passed the largest int?"""
    route = draw.one_of(ROUTES)
    size, beyond = sum(queues for _, queues in route), 1 + draw.below(3)
    situation = Situation(draw.version, route=route, start=INT_MAX - 1, calls=1 + beyond)
    picks = situation.picks()
    absolute = abs(INT_MIN) - (beyond - 1)
    return Draft(
        situation,
        {"list": listed(route), "start": f"{INT_MAX - 1:,}", "number": text(f"quiz.number.{1 + beyond}")},
        str(picks[-1]),
        {
            "overflow_restarts": queue_at(route, beyond - 1),
            "overflow_counts_down": queue_at(route, absolute % size),
            "overflow_never_happens": queue_at(route, (INT_MAX + beyond) % size),
            "overflow_restarts_at_one": queue_at(route, beyond),
        },
    )


def all_avoided(draw: Draw) -> Draft:
    """Which queue is taken when every broker is avoided?"""
    route, start = draw.one_of(ROUTES), draw.below(1000)
    order = draw.mixed(route)
    faults = tuple(
        Fault(broker, 3000 + 500 * n, avoided_for=60_000 + 10_000 * n) for n, (broker, _) in enumerate(order)
    )
    situation = Situation(draw.version, route=route, start=start, fault_switch=True, faults=faults)
    return Draft(
        situation,
        {"list": listed(route), "start": start, "order": ", ".join(broker for broker, _ in order)},
        str(situation.pick()),
        {
            "fallback_fails": text("quiz.fails"),
            "fallback_goes_round": queue_at(route, start + 1),
            "fallback_takes_first_queue_of_best": f"{order[0][0]} : 0",
            "other_family": pick_in(situation, "5.3.3" if draw.row.unused == frozenset() else "4.9.7"),
        },
    )


def share_of_the_next(draw: Draw) -> Draft:
    """How much does the queue after an avoided broker's get?"""
    route = draw.one_of(ROUTES[1:3])
    down, size, own = draw.below(len(route) - 1), sum(queues for _, queues in route), route[0][1]
    fault = Fault(route[down][0], 3000, avoided_for=60_000)
    situation = Situation(
        draw.version, route=route, start=draw.below(1000), fault_switch=True, faults=(fault,), calls=12
    )
    queue = f"{route[down + 1][0]} : 0"
    share = [str(mq) for mq in situation.picks()].count(queue)
    return Draft(
        situation,
        {"list": listed(route), "start": situation.start or 0, "broker": fault.broker_name, "queue": queue},
        str(share),
        {
            "avoided_traffic_spreads": str(round(12 / (size - own))),
            "avoided_traffic_is_lost": str(12 // size),
            "avoided_traffic_piles_up": str(12 * (own + 1) // size),
            "avoided_traffic_doubles": str(2 * 12 // size),
        },
    )


def hash_selector(draw: Draw) -> Draft:
    """Which queue does the hash selector take?"""
    queues, number = 3 + draw.below(6), 1 + draw.below(60)
    scenario, key = keyed_scenario(draw.version, queues, number), f"order-{number}"
    value = hash_code(key)
    sent = simulate(scenario).sends[-1]
    return Draft(
        scenario,
        {"queues": queues, "key": key, "hash": f"{value:,}"},
        f"broker-a : {sent.queue_id}",
        {
            "remainder_wraps": f"broker-a : {value % queues}",
            "hash_is_masked": f"broker-a : {(value & INT_MAX) % queues}",
            "key_number_counts": f"broker-a : {number % queues}",
            "starts_at_zero": "broker-a : 0",
        },
    )


def keyed_scenario(version: str, queues: int, number: int) -> Scenario:
    """Return a scenario whose last send goes to the queue of the key "order-`number`"."""
    load = Load(sends=number, keys=number, selector="hash")
    return Scenario(release=version, start=0, brokers=(BrokerPlan("broker-a", queues),), load=load)


def ends(scenario: Scenario, version: str | None = None) -> str | None:
    """Return how the last send of a scenario ends, and with which attempt.

    Args:
        scenario: the scenario.
        version: another release; None for the scenario's own.
    """
    try:
        sent = simulate(scenario if version is None else scenario.but(release=version)).sends[-1]
    except RmqRefError:
        return None
    return ending(sent.outcome, len(sent.attempts))


def ending(outcome: str, attempts: int) -> str:
    """Return the end of a send in words.

    >>> ending("SEND_OK", 2)
    'SEND_OK, with attempt 2'
    """
    return text("quiz.ending", outcome=outcome, attempts=attempts)


BROKERS = tuple(BrokerPlan(f"broker-{letter}") for letter in "abc")


def at_broker_b(draw: Draw, fault: BrokerFault, **producer: int) -> Scenario:
    """Return a scenario whose one send begins on broker-b : 0, where something is wrong."""
    brokers = BROKERS[: 2 + draw.below(2)]
    return Scenario(release=draw.version, start=3, brokers=brokers, faults=(fault,), producer=producer)


def send_that_times_out(draw: Draw) -> Draft:
    """How does a send end whose first broker does not answer?"""
    timeout, retries = 1000 * (1 + draw.below(6)), draw.below(4)
    fault = BrokerFault("hang", "broker-b")
    scenario = at_broker_b(draw, fault, send_msg_timeout=timeout, retry_times_when_send_failed=retries)
    return Draft(
        scenario,
        {"timeout": f"{timeout:,}", "retries": retries, "brokers": len(scenario.brokers)},
        str(ends(scenario)),
        {
            "each_attempt_whole_timeout": ending("SEND_OK", 2) if retries else None,
            "timeout_ends_send": ending("RemotingTimeoutException", 1),
            "retries_count_the_first": ending("MQClientException", max(retries, 1)),
            "budget_ends_with_the_time": ending("RemotingTooMuchRequestException", 1),
        },
    )


def send_with_error(draw: Draw) -> Draft:
    """How does a send end whose first broker answers with an error?"""
    code, retries = draw.one_of((1, 2, 13, 14, 16, 17, 204, 205, 1500)), 1 + draw.below(3)
    scenario = at_broker_b(
        draw, BrokerFault("code", "broker-b", code=code), retry_times_when_send_failed=retries
    )
    is_retried = code in draw.row.retry_codes
    return Draft(
        scenario,
        {"code": code, "retries": retries, "brokers": len(scenario.brokers)},
        str(ends(scenario)),
        {
            "any_code_is_retried": ending("SEND_OK", 2),
            "an_answer_ends_send": ending("MQBrokerException", 1),
            "retries_stay_on_broker": ending("MQBrokerException", 1 + retries),
            "retries_count_the_first": ending("MQClientException", retries) if is_retried else None,
        },
    )


def time_of_attempt_two(draw: Draw) -> Draft:
    """How much time does the second attempt have?"""
    timeout, cost = 1000 * (2 + draw.below(5)), 50 * (1 + draw.below(30))
    brokers = (BROKERS[0], BrokerPlan("broker-b", latency=cost))
    scenario = Scenario(
        release=draw.version,
        start=3,
        brokers=brokers,
        faults=(BrokerFault("code", "broker-b", code=1),),
        producer={"send_msg_timeout": timeout},
    )
    left = simulate(scenario).sends[0].attempts[1].timeout
    return Draft(
        scenario,
        {"timeout": f"{timeout:,}", "cost": f"{cost:,}"},
        milliseconds(left),
        {
            "each_attempt_whole_timeout": milliseconds(timeout),
            "all_attempts_share_time": milliseconds(timeout - cost),
            "time_is_split_evenly": milliseconds(timeout // 3),
            "default_timeout_counts": milliseconds(10_000 - cost),
        },
    )


def milliseconds(value: int) -> str:
    """Return a time in words.

    >>> milliseconds(2950)
    '2,950 ms'
    """
    return text("quiz.milliseconds", value=f"{value:,}")


def copies_stored(draw: Draw) -> Draft:
    """How many copies of a message are stored whose first broker answers too late?"""
    timeout, retries = 1000 * (1 + draw.below(4)), draw.below(4)
    fault = BrokerFault("slow", "broker-b", latency=timeout + 500 + 100 * draw.below(10))
    scenario = at_broker_b(draw, fault, send_msg_timeout=timeout, retry_times_when_send_failed=retries)
    sent = simulate(scenario).sends[0]
    return Draft(
        scenario,
        {
            "timeout": f"{timeout:,}",
            "latency": f"{fault.latency:,}",
            "retries": retries,
            "brokers": len(scenario.brokers),
        },
        str(sent.stored),
        {
            "failed_is_not_stored": "0",
            "stored_once": "1",
            "every_attempt_stores": str(1 + retries),
            "retry_is_not_deduplicated": str(len(sent.attempts) + 1),
        },
    )


def async_to_a_closed_broker(draw: Draw) -> Draft:
    """How does an asynchronous send end whose first broker refuses the connection?"""
    retries = 1 + draw.below(3)
    scenario = at_broker_b(
        draw, BrokerFault("refuse", "broker-b"), retry_times_when_send_async_failed=retries
    ).but(load=Load(mode="ASYNC"))
    return Draft(
        scenario,
        {"retries": retries, "brokers": len(scenario.brokers)},
        str(ends(scenario)),
        {
            "async_is_not_retried": ending("MQClientException", 1),
            "async_changes_broker": ending("SEND_OK", 2),
            "retries_stay_on_broker": ending("MQClientException", 1 + retries),
            "async_reports_the_cause": ending("RemotingConnectException", 1),
        },
    )


KINDS: dict[str, tuple[int, Maker]] = {
    "first_pick": (1, first_pick),
    "slow_answer": (1, slow_answer),
    "failed_send": (1, failed_send),
    "retry_switch_off": (2, retry_switch_off),
    "retry_switch_on": (2, retry_switch_on),
    "hash_selector": (2, hash_selector),
    "time_of_attempt_two": (2, time_of_attempt_two),
    "after_the_largest_int": (2, after_the_largest_int),
    "all_avoided": (3, all_avoided),
    "share_of_the_next": (3, share_of_the_next),
    "send_that_times_out": (3, send_that_times_out),
    "send_with_error": (3, send_with_error),
    "copies_stored": (3, copies_stored),
    "async_to_a_closed_broker": (3, async_to_a_closed_broker),
}
"""The kinds of questions, each with its level and what makes it."""

MISCONCEPTIONS = tuple(
    name.removeprefix("quiz.misconception.") for name in catalogue() if name.startswith("quiz.misconception.")
)
"""The misconceptions by name, each a sentence of the catalogue."""


def misconceptions() -> Table:
    """Return the misconceptions as a table: the name, and what is thought and is not so.

    >>> misconceptions().rows[1][0]
    'reads_before_increment'
    """
    rows = [[name, text(f"quiz.misconception.{name}")] for name in MISCONCEPTIONS]
    return Table([[text("quiz.head.name"), text("quiz.head.what")], *rows])


LEVELS = (1, 2, 3)
MOST_OPTIONS = 4
LEAST_WRONG = 2
PATIENCE = 200
"""How many seeds are tried for a question that has enough wrong answers."""


def questions(
    seed: int, count: int, *, level: int | None = None, release: str | None = None
) -> tuple[Question, ...]:
    """Return questions, the same for the same seed, no two of them alike.

    Args:
        seed: of the chance.
        count: how many, at most `MOST_QUESTIONS`.
        level: 1, 2 or 3; None for any.
        release: the release that is asked about; None for any.

    Returns:
        The questions.

    Raises:
        QuizError: no such level, or more questions than there are.
        UnknownRelease: no such release.

    >>> [question.kind for question in questions(7, 3)] == [question.kind for question in questions(7, 3)]
    True
    """
    if level not in (None, *LEVELS):
        raise QuizError("quiz.error.level", level=shortened(level))
    if not 1 <= count <= MOST_QUESTIONS:
        raise QuizError("quiz.error.count", count=count, most=MOST_QUESTIONS)
    kinds = [name for name, (own, _) in KINDS.items() if level in (None, own)]
    found: dict[str, Question] = {}
    for question in drawn(seed, kinds, release):
        found.setdefault(question.text, question)
        if len(found) == count:
            return tuple(found.values())
    raise QuizError("quiz.error.exhausted", count=len(found))


MOST_QUESTIONS = 1000


def drawn(seed: int, kinds: Sequence[str], version: str | None) -> Iterator[Question]:
    """Yield question after question, the kinds in turns of a mixed order.

    Args:
        seed: of the chance.
        kinds: names in `KINDS`.
        version: the release; None for any.
    """
    order = Draw(seed).mixed(kinds)
    for number in range(PATIENCE * MOST_QUESTIONS):
        question = question_of(order[number % len(order)], seed * 1_000_003 + number, version)
        if question is not None:
            yield question


def question_of(kind: str, seed: int, version: str | None = None) -> Question | None:
    """Return the question of a kind and a seed; None if too few misconceptions are wrong there.

    Args:
        kind: a name in `KINDS`.
        seed: of the chance.
        version: the release; None for any.
    """
    level, make = KINDS[kind]
    draw = Draw(seed, version)
    draft = make(draw)
    wrong: dict[str, str] = {}
    for name, answer in draft.wrong.items():
        if answer is not None and answer != draft.right and answer not in wrong:
            wrong[answer] = name
    if len(wrong) < LEAST_WRONG:
        return None
    options = [Option(draft.right), *(Option(answer, name) for answer, name in wrong.items())][:MOST_OPTIONS]
    said = text(f"quiz.ask.{kind}", release=draw.version, **draft.given)
    return Question(f"{kind}-{seed}", kind, level, draw.version, said, tuple(draw.mixed(options)), draft.run)
