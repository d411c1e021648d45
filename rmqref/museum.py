"""The bug museum: real bugs of released clients, each with the smallest run that shows it and what it costs.

An exhibit runs the functions of any release and counts the damage. Releases that have the bug, see `rmqref.bugs`, come
to a number above 0 and all others to 0, on the same seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from rmqref.bugs import BUGS, Bug
from rmqref.cluster import BrokerFault, Nowhere
from rmqref.differences import partings
from rmqref.errors import (
    JavaException,
    RemotingTimeoutException,
    RemotingTooMuchRequestException,
    RmqRefError,
    shortened,
)
from rmqref.java import INT_MAX, INT_MIN, ManualClock
from rmqref.measure import DAY, retry_landings, share_with_one_down
from rmqref.messages import text
from rmqref.model import Message, MessageQueue, SendResult, SendStatus, TopicQueueMapping, TopicRouteData
from rmqref.producer import DefaultMQProducer
from rmqref.releases import CHRONOLOGY, release, route_of
from rmqref.scenario import Load, Scenario
from rmqref.send_trace import record_send
from rmqref.simulation import simulate
from rmqref.situation import Desk, Fault, Situation
from rmqref.table import Table
from rmqref.trace import Json, record


class MuseumError(RmqRefError):
    """The museum has no such exhibit, or an exhibit has no such part."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A bug, the run that shows it, and its damage.

    Args:
        name: the bug's name in `rmqref.bugs.BUGS`.
        damage: what a release does in the run, as a number that is above 0 only where the bug is.
        run: what is recorded for the stepper, a situation or a scenario; None where the run is not of that kind.
        send: of a scenario: the number of the send that is recorded, from 1.

    >>> exhibit = EXHIBITS["counter_sticks"]
    >>> exhibit.bad, exhibit.free, exhibit.damage("4.8.0"), exhibit.damage("4.9.0")
    ('4.8.0', '4.9.0', 10, 0)
    """

    name: str
    damage: Callable[[str], int]
    run: Situation | Scenario | None = None
    send: int = 1

    @property
    def bug(self) -> Bug:
        """Return the bug."""
        return BUGS[self.name]

    @property
    def bad(self) -> str:
        """Return the last release that has the bug."""
        return self.bug.releases[-1]

    @property
    def free(self) -> str:
        """Return the first release after it that is free of the bug, or the last one before."""
        had = set(self.bug.releases)
        later = CHRONOLOGY[CHRONOLOGY.index(self.bad) + 1 :]
        earlier = CHRONOLOGY[: CHRONOLOGY.index(self.bug.releases[0])]
        return next(version for version in (*later, *reversed(earlier)) if version not in had)

    def damage_told(self, version: str) -> str:
        """Return what the run comes to in a release, without its name."""
        return text(f"museum.{self.name}", damage=f"{self.damage(release(version).version):,}")

    def told(self, version: str) -> str:
        """Return what the run comes to in a release, in one sentence.

        Args:
            version: the release.

        Raises:
            UnknownRelease: no such release.

        >>> EXHIBITS["block_share"].told("5.1.4")
        '5.1.4: 0 picks of 12,000 more than its share on the fullest queue.'
        """
        return text("museum.told", release=release(version).version, said=self.damage_told(version))

    def trace(self, version: str) -> Json:
        """Return the run, recorded in a release.

        Args:
            version: the release.

        Returns:
            A trace.

        Raises:
            MuseumError: the run is neither a pick nor a send that could be recorded.
            UnknownRelease: no such release.
        """
        if self.run is None:
            raise MuseumError("museum.error.trace", name=self.name)
        run: Any = self.run.but(release=version)
        return record(run) if isinstance(run, Situation) else record_send(run, self.send)

    @property
    def deciding_step(self) -> int:
        """Return the step of the bad release's run at which its pick parts from the free one's, or else is made."""
        trace = self.trace(self.bad)
        parted = [
            parting.step_a for parting in partings(trace, self.trace(self.free)) if parting.kind == "pick"
        ]
        made = [pick["reveal"] for pick in trace["decisions"] if pick["reveal"] is not None]
        return int([*parted, *reversed(made)][0])

    def lines(self) -> Iterator[str]:
        """Yield what the exhibit says: the bug, its releases, its issue, and the damage with and without it."""
        bug = self.bug
        yield text("museum.title", name=bug.name, what=bug.what)
        yield text("museum.releases", spans=bug.spans, link=bug.link)
        yield self.told(self.bad)
        yield self.told(self.free)


def exhibit(name: str) -> Exhibit:
    r"""Return an exhibit.

    Args:
        name: the bug's name.

    Raises:
        MuseumError: there is no such exhibit.

    >>> print(*exhibit("unreachable_for_ever").lines(), sep="\n")  # doctest: +ELLIPSIS
    unreachable_for_ever: One error answer marks a broker as unavailable without end...
    Releases: 5.1.4. Report: https://github.com/apache/rocketmq/issues/7812
    5.1.4: 12 of the 12 sends that are broker-b's share pass it over, half an hour after its one error.
    5.2.0: 0 of the 12 sends that are broker-b's share pass it over, half an hour after its one error.
    """
    if name not in EXHIBITS:
        raise MuseumError("museum.error.name", name=shortened(name), known=", ".join(EXHIBITS))
    return EXHIBITS[name]


def museum_table() -> Table:
    """Return the exhibits as a table: name, releases, Java issue, and the damage in the last release that has the bug.

    >>> museum_table().rows[3][:2]
    ['counter_sticks', '4.8.0']
    """
    heads = [text(f"museum.head.{head}") for head in ("name", "releases", "report", "damage")]
    rows = [
        [
            shown.name,
            shown.bug.spans,
            text("museum.issue", issue=shown.bug.issue) if shown.bug.issue else text("museum.no_issue"),
            shown.damage_told(shown.bad),
        ]
        for shown in EXHIBITS.values()
    ]
    return Table([heads, *rows])


# ------------------------------------------------------------------------------------------------------------ the runs

PAIR = (("broker-a", 4), ("broker-b", 4))
FAULTS = tuple(Fault(name, 3000, avoided_for=DAY) for name in ("broker-a", "broker-b", "broker-c"))
SWITCHED_ON = {"send_latency_fault_enable": True}
ILLEGAL = 13
"""MESSAGE_ILLEGAL: what a broker answers to a message that it will never take."""

FAILED_LAST = Situation(
    start=4,
    last_broker_name="broker-b",
    fault_switch=True,
    faults=(Fault("broker-b", 30, avoided_for=600_000),),
)
HOT_SPOT = Situation(route=PAIR, start=0, last_broker_name="broker-a")
AT_THE_END = Situation(start=INT_MAX - 1, calls=4)
NEGATIVE = Situation(
    route=(("broker-a", 3), ("broker-b", 3)), start=INT_MAX - 2, fault_switch=True, faults=FAULTS[:2]
)
ALL_AVOIDED = Situation(route=PAIR, fault_switch=True, faults=FAULTS[:2])
ONE_AVOIDED = Situation(start=3, fault_switch=True, faults=FAULTS[1:2])
OVERFLOW = Situation(start=INT_MAX - 1, fault_switch=True, faults=FAULTS[1:2])
LONELY = Situation(route=(("broker-a", 4),), last_broker_name="broker-a", fault_switch=True)
ONE_ERROR = Scenario(
    start=3,
    producer=SWITCHED_ON,
    faults=(BrokerFault("code", "broker-b", until=1000, code=ILLEGAL, remark="the message is illegal"),),
    load=Load(sends=56, every=60_000),
)
ONE_MISTAKE = ONE_ERROR.but(load=Load(sends=1))


def static_route() -> TopicRouteData:
    """Return the route of a static topic of eight queues on two brokers.

    >>> static_route().topic_queue_mapping_by_broker["broker-b"].total_queues
    8
    """
    plain = route_of(PAIR)
    parts = {
        name: TopicQueueMapping(name, "__global__", 0, 8, {4 * n + place: place for place in range(4)})
        for n, (name, _) in enumerate(PAIR)
    }
    return TopicRouteData(plain.queue_datas, plain.broker_datas, topic_queue_mapping_by_broker=parts)


STATIC = Situation(route=static_route(), start=0)


def after_picks(situation: Situation, version: str, calls: int) -> Desk:
    """Return what a thread worked with, after its picks.

    Args:
        situation: the situation.
        version: the release.
        calls: how many picks.
    """
    situation = situation.but(release=version, calls=calls)
    desk = situation.prepare()
    situation.run(desk)
    return desk


# ---------------------------------------------------------------------------------------------------------- the damage


def retries_to_the_failed_broker(situation: Situation, version: str) -> int:
    """Return how many of 12 retries go to the broker that failed last."""
    picks = situation.but(release=version).picks(12)
    return sum(mq.broker_name == situation.last_broker_name for mq in picks)


def retries_to_the_same_name(version: str) -> int:
    """Return how many of 12 retries of a static topic go to the broker name that failed first."""
    first = STATIC.but(release=version).pick()
    return retries_to_the_failed_broker(STATIC.but(last_broker_name=first.broker_name), version)


def surplus_of_retries(version: str) -> int:
    """Return how much more than a quarter of 800 sends the fullest queue of broker-b gets while broker-a is down."""
    (landings,) = retry_landings(HOT_SPOT, "broker-a", [version], 800)
    return max(landings.ends.values()) - 200


def queues_without_picks(version: str) -> int:
    """Return how many of 12 queues 12,000 picks leave out, from shortly before the largest int on."""
    return sum(not picks for picks in AT_THE_END.but(release=version).share(12_000).values())


def steps_down(version: str) -> int:
    """Return how many of 12 steps from the largest int on make the counter smaller by one."""
    index = release(version).new_index(start=INT_MAX - 1)
    values = [index.increment_and_get() for _ in range(13)]
    return sum(later == earlier - 1 for earlier, later in pairwise(values))


def negative_queue_ids(version: str) -> int:
    """Return how many entries of the list have a negative queue id after 12 picks."""
    return sum(mq.queue_id < 0 for mq in after_picks(NEGATIVE, version, 12).topic.message_queue_list)


def traffic_that_stays_away(version: str) -> int:
    """Return how many of its 400 picks of 800 the emptier broker does not get, after both have recovered."""
    desk = after_picks(ALL_AVOIDED, version, 8)
    desk.clock.advance(2 * DAY)
    situation = ALL_AVOIDED.but(release=version, calls=800)
    picked = [mq.broker_name for mq in situation.run(desk)]
    return 400 - min(picked.count(name) for name, _ in PAIR)


def surplus_of_the_next_queue(version: str) -> int:
    """Return how much more than an eighth of 12,000 picks the fullest queue gets while a broker is avoided."""
    return max(share_with_one_down(Situation(), "broker-b", [version], 12_000)[version].values()) - 1500


def swallowed(situation: Situation, error: str, version: str) -> int:
    """Return how many exceptions of a class 12 picks leave in the log."""
    return [found.name for found in after_picks(situation, version, 12).strategy.errors_logged].count(error)


def swallowed_nulls(version: str) -> int:
    """Return the same for two retries: of a topic on one broker, and after a broker that has left the route."""
    gone = LONELY.but(last_broker_name="broker-z")
    return sum(swallowed(situation, "NullPointerException", version) for situation in (LONELY, gone))


def sends_that_pass_over(version: str) -> int:
    """Return how many of broker-b's 12 of the last 24 sends it does not get, half an hour after its one error."""
    last = simulate(ONE_ERROR.but(release=version)).sends[-24:]
    return 12 - sum(send.broker_name == "broker-b" for send in last)


def minutes_avoided(version: str) -> int:
    """Return for how many whole minutes a broker is avoided that refused one illegal message."""
    return max(update.duration for update in simulate(ONE_MISTAKE.but(release=version)).updates) // 60_000


def fails(action: Callable[[], object]) -> int:
    """Return 1 if Java would throw, else 0."""
    try:
        action()
    except JavaException:
        return 1
    return 0


def keys_without_queue(version: str) -> int:
    """Return 1 if a key whose hash is the smallest int finds none of three queues."""
    queues = [MessageQueue("OrderTopic", "broker-a", queue_id) for queue_id in range(3)]
    select = release(version).select_by_hash
    return fails(partial(select, queues, Message("OrderTopic"), "polygenelubricants"))


class SmallestInt:
    """A source of chance that always draws the smallest value there is."""

    def next_int(self, bound: int | None = None) -> int:
        """Return the smallest int; with a bound, 0."""
        return INT_MIN if bound is None else 0


def draws_without_queue(version: str) -> int:
    """Return 1 if the random selector fails when it draws the smallest int."""
    queues = [MessageQueue("OrderTopic", "broker-a", queue_id) for queue_id in range(3)]
    select = release(version).select_by_random(SmallestInt())
    return fails(partial(select, queues, Message("OrderTopic"), None))


def hidden_causes(version: str) -> int:
    """Return 1 if a time-out of broker-b, noticed a millisecond late, ends the send and is not told."""
    clock = ManualClock(0)

    def send_kernel(*given: Any) -> SendResult:
        mq, timeout = given[1], given[-1]
        if mq.broker_name == "broker-b":
            clock.advance(timeout + 1)
            raise RemotingTimeoutException("10.0.0.2:10911", timeout)
        return SendResult(SendStatus.SEND_OK, mq)

    producer = DefaultMQProducer(remoting=Nowhere(), clock=clock, release=version)
    producer.topic_publish_info_table["OrderTopic"] = release(version).topic(PAIR, "OrderTopic", start=3)
    producer.send_kernel = send_kernel
    try:
        producer.send(Message("OrderTopic", b"paid"))
    except RemotingTooMuchRequestException as thrown:
        return int(thrown.__cause__ is None)
    return 0


EXHIBITS = {
    shown.name: shown
    for shown in (
        Exhibit("inverted_retry_test", partial(retries_to_the_failed_broker, FAILED_LAST), FAILED_LAST),
        Exhibit("retry_hot_spot", surplus_of_retries, HOT_SPOT),
        Exhibit("counter_sticks", queues_without_picks, AT_THE_END),
        Exhibit("counter_counts_down", steps_down, AT_THE_END),
        Exhibit("negative_queue_ids", negative_queue_ids, NEGATIVE),
        Exhibit("shared_list_rewritten", traffic_that_stays_away, ALL_AVOIDED),
        Exhibit("block_share", surplus_of_the_next_queue, ONE_AVOIDED),
        Exhibit("swallowed_overflow", partial(swallowed, OVERFLOW, "IndexOutOfBoundsException"), OVERFLOW),
        Exhibit("swallowed_null", swallowed_nulls, LONELY),
        Exhibit("unreachable_for_ever", sends_that_pass_over, ONE_ERROR, send=36),
        Exhibit("hash_of_smallest_int", keys_without_queue),
        Exhibit("random_smallest_int", draws_without_queue),
        Exhibit("cause_hidden", hidden_causes),
        Exhibit("own_mistake_isolates", minutes_avoided, ONE_MISTAKE),
        Exhibit("static_topic_defeats", retries_to_the_same_name, STATIC),
    )
}
"""The exhibits by name."""
