"""The table: one row a release family, one column a behaviour, each cell a variant of the floor below or a number.

`release("4.9.4")` finds a release's row. Where one release of a family differs from the others, the difference is in
`EXCEPTIONS`; nothing else in the package asks for a version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from rmqref import faults as f
from rmqref import index as i
from rmqref import java_texts as t
from rmqref import route as r
from rmqref import selection as pick
from rmqref import selectors as sel
from rmqref import sending as send
from rmqref import strategy as s
from rmqref.errors import SendException, SituationError, UnknownRelease, require, shortened
from rmqref.java import INT_MAX, INT_MIN, Clock, ConcurrentHashMap, JavaRandom, Random
from rmqref.model import BrokerData, MessageQueue, QueueData, TopicPublishInfo, TopicRouteData
from rmqref.table import Table

OLD_THRESHOLDS = (50, 100, 550, 1000, 2000, 3000, 15000)
OLD_DURATIONS = (0, 0, 30000, 60000, 120000, 180000, 600000)
NEW_THRESHOLDS = (50, 100, 550, 1800, 3000, 5000, 15000)
NEW_DURATIONS = (0, 0, 2000, 5000, 6000, 10000, 30000)

FIRST_RETRY_CODES = frozenset({1, 14, 16, 17, 204, 205})
"""SYSTEM_ERROR, SERVICE_NOT_AVAILABLE, NO_PERMISSION, TOPIC_NOT_EXIST, NO_BUYER_ID, NOT_IN_CURRENT_UNIT."""
SYSTEM_ERROR = 1
SYSTEM_BUSY = 2
INVALID_PARAMETER = 29
GO_AWAY = 1500

ZLIB = 3 << 8
RETRY_CODES = "retry_response_codes"
DETECTOR = "start_detector_enable"
MAX_TIMEOUT = "send_msg_max_timeout_per_request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A release and its behaviours: a row of the table.

    Args:
        version: the release, as "4.9.4"; in `FAMILIES` the release that names the family.
        family: the release that names the family.
        span: the family's releases in words.
        index: the counter.
        position_of: how a counter value becomes a position.
        retry_pick: the pick that passes over the last broker.
        select: the strategy's outermost step.
        accepts: the test of the strategy's scan (not used from 5.1.4).
        place_on_broker: what the fallback does with the list's element (not used from 5.1.4).
        counts_write_queues_of: which entries of the route the fallback looks at (not used from 5.1.4).
        pick_one_at_least: which broker the fallback takes (not called by the client from 5.1.4).
        is_available_item: the test of an entry of the fault table.
        update_fault_item: how a send is noted in the fault table.
        has_reachable: whether the fault table knows reachability, has a detector, and the counter a reset.
        latency_max: the thresholds in milliseconds.
        not_available_duration: the durations in milliseconds.
        isolation_latency: the latency in milliseconds that is looked up for a failure.
        select_by_hash: the hash selector.
        select_by_random: the random selector.
        static_topics: what the expansion of a route does with a static topic.
        retry_codes: a broker's answers after which another attempt is made.
        time_budget: how much time an attempt gets.
        judge: what a failed attempt tells the fault table.
        settings: what a producer of this release can be told beside what all can.
        default_topic: the topic whose route is used for a topic that does not exist yet.
        asks_create_topic_key: whether it is the producer's `createTopicKey` that is asked for.
        throws_without_name_server: whether a name server that cannot be reached ends the send at once.
        selector_list: the list that a selector gets.
        sends_async_in_pool: whether an asynchronous send runs on a thread of its own.
        async_time_budget: how much time the retry of an asynchronous send gets.
        async_checks_topic: whether the retry of a send to a given queue keeps to its broker, or fails.
        async_checks_time: whether an asynchronous send is given up once no time is left.
        catches_connect_failure: whether an asynchronous send that cannot connect is tried again.
        connects_in_callback: whether the callback hears of that as of any other failure.
        too_much_request_ends_async: whether a request that was refused for lack of time ends an asynchronous send.
        vip_channel: whether requests go to the port two below the broker's unless told otherwise.
        compression_type: the bits of the system flag that name the kind of compression.
        has_batch: whether several messages can travel as one.
        has_bname: whether the request's header names the broker.
        texts: what the client writes.
        topic_max_length: how many signs a topic's name may have.
        illegal_queue_code: what a *broker* of this release answers to a queue id beyond its queues.
        unused: columns that the client of this release never asks.
    """

    version: str
    family: str
    span: str
    index: type[i.ThreadLocalIndex]
    position_of: Callable[[int, int], int]
    retry_pick: Callable[[TopicPublishInfo, str | None], MessageQueue]
    select: Callable[[s.MQFaultStrategy, TopicPublishInfo, str | None, bool], MessageQueue]
    accepts: Callable[[s.MQFaultStrategy, MessageQueue, str | None], bool]
    place_on_broker: Callable[[MessageQueue, str, int], MessageQueue]
    counts_write_queues_of: Callable[[QueueData], bool]
    pick_one_at_least: Callable[[f.LatencyFaultTolerance], str | None]
    is_available_item: Callable[[f.FaultItem, int], bool]
    update_fault_item: Callable[[f.LatencyFaultTolerance, str, int, int, bool], None]
    has_reachable: bool
    latency_max: tuple[int, ...]
    not_available_duration: tuple[int, ...]
    isolation_latency: int
    select_by_hash: sel.MessageQueueSelector
    select_by_random: type[sel.SelectByRandom | sel.SelectByRandoom]
    static_topics: Callable[[str, TopicRouteData], list[MessageQueue] | None]
    retry_codes: frozenset[int]
    time_budget: Callable[[int, int], int | None]
    judge: Callable[[SendException, bool], send.Verdict]
    settings: frozenset[str]
    default_topic: str
    asks_create_topic_key: bool
    throws_without_name_server: bool
    selector_list: Callable[[list[MessageQueue]], Sequence[MessageQueue]]
    sends_async_in_pool: bool
    async_time_budget: Callable[[int, int], int]
    async_checks_topic: bool
    async_checks_time: bool
    catches_connect_failure: bool
    connects_in_callback: bool
    too_much_request_ends_async: bool
    vip_channel: bool
    compression_type: int
    has_batch: bool
    has_bname: bool
    texts: t.JavaTexts
    topic_max_length: int
    illegal_queue_code: int
    unused: frozenset[str] = frozenset()

    def new_index(self, random: Random | None = None, start: int | None = None) -> i.ThreadLocalIndex:
        """Return a new counter of this release.

        Args:
            random: the source of chance; the same fixed one every time if None.
            start: the raw value stored for the calling thread, or None for a random start.

        Returns:
            A counter.

        Raises:
            SituationError: the start is not an int of 32 bits.

        >>> release("4.9.4").new_index(start=4).increment_and_get()
        5
        """
        require("start counter", start, int, None)
        index = self.index(random or JavaRandom(0))
        if start is not None and not INT_MIN <= start <= INT_MAX:
            raise SituationError("error.start", start=start)
        index.stored = start
        return index

    def topic(
        self,
        route: TopicRouteData | Iterable[tuple[str, int]],
        topic: str = "T",
        *,
        random: Random | None = None,
        start: int | None = None,
    ) -> TopicPublishInfo:
        """Return the publish info that this release makes of a route.

        Args:
            route: a route, or pairs of broker name and number of write queues.
            topic: the topic's name.
            random: the source of chance of the counter's start.
            start: the raw value stored in the calling thread's counter, or None for a random start.

        Returns:
            A new publish info, with a counter of its own.

        Raises:
            SituationError: the start is not an int of 32 bits.
            ArrayIndexOutOfBoundsException: the order configuration has an entry without a number.
            NumberFormatException: the order configuration has an entry whose number is not one.

        Java: MQClientInstance#topicRouteData2TopicPublishInfo, all releases.

        >>> [str(mq) for mq in release("4.9.4").topic([("broker-b", 1), ("broker-a", 2)]).message_queue_list]
        ['broker-a : 0', 'broker-a : 1', 'broker-b : 0']
        """
        if not isinstance(route, TopicRouteData):
            route = route_of(route)
        queues, is_ordered = r.expand(topic, route, self.static_topics)
        return TopicPublishInfo(
            topic, queues, self.new_index(random, start), self.position_of, route, is_ordered
        )

    def fault_strategy(
        self,
        *,
        clock: Clock,
        random: Random | None = None,
        send_latency_fault_enable: bool = False,
        faults: Iterable[f.FaultItem] = (),
        worst_start: int | None = None,
        latency_max: tuple[int, ...] | None = None,
        not_available_duration: tuple[int, ...] | None = None,
    ) -> s.MQFaultStrategy:
        """Return a producer's strategy of this release.

        Args:
            clock: returns the time now in milliseconds.
            random: the source of chance of the shuffle and of the fallback's counter.
            send_latency_fault_enable: the switch.
            faults: the fault table's first entries, in order of arrival; they are not copied.
            worst_start: the raw value stored in the fallback's counter, or None for a random start.
            latency_max: thresholds in milliseconds that replace the release's.
            not_available_duration: durations in milliseconds that replace the release's.

        Returns:
            A new strategy.

        Raises:
            SituationError: the start is not an int of 32 bits.

        Java: MQFaultStrategy, all releases.

        >>> release("5.3.3").fault_strategy(clock=lambda: 0).send_latency_fault_enable
        False
        """
        chance = random or JavaRandom(0)
        tolerance = f.LatencyFaultTolerance(
            clock,
            chance,
            self.new_index(chance, worst_start),
            self.is_available_item,
            ConcurrentHashMap({item.name: item for item in faults}),
        )
        return s.MQFaultStrategy(
            self,
            tolerance,
            self.latency_max if latency_max is None else latency_max,
            self.not_available_duration if not_available_duration is None else not_available_duration,
            send_latency_fault_enable,
        )


def route_of(brokers: Iterable[tuple[str, int]]) -> TopicRouteData:
    """Return a plain route: brokers with a master and the given numbers of queues.

    Args:
        brokers: pairs of broker name and number of write queues.

    Returns:
        A route with made-up addresses.

    >>> route_of([("broker-a", 4)]).broker_datas[0].broker_addrs
    {0: '10.0.0.1:10911'}
    """
    pairs: list[Any] = list(brokers)
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and list(map(type, pair)) == [str, int]):
            raise SituationError("error.pairs", value=shortened(pair))
    return TopicRouteData(
        [QueueData(name, write_queue_nums=queues, read_queue_nums=queues) for name, queues in pairs],
        [BrokerData(name, {0: f"10.0.0.{n}:10911"}) for n, (name, _) in enumerate(pairs, 1)],
    )


_4_7_1 = Release(
    version="4.7.1",
    family="4.7.1",
    span="4.0.0-incubating .. 4.7.1",
    index=i.RepairedIndex,
    position_of=pick.repaired_position,
    retry_pick=pick.retry_pick_walking,
    select=s.select_by_scan,
    accepts=s.accepts_same_broker,
    place_on_broker=s.rewrite_queue,
    counts_write_queues_of=s.any_queue_data,
    pick_one_at_least=f.pick_one_at_least_shuffled,
    is_available_item=f.is_past_start,
    update_fault_item=f.update_overwriting,
    has_reachable=False,
    latency_max=OLD_THRESHOLDS,
    not_available_duration=OLD_DURATIONS,
    isolation_latency=30000,
    select_by_hash=sel.select_by_hash_repaired,
    select_by_random=sel.SelectByRandom,
    static_topics=r.ignore_static_topic,
    retry_codes=FIRST_RETRY_CODES,
    time_budget=send.remaining_timeout,
    judge=send.judge_every_failure_alike,
    settings=frozenset(),
    default_topic="TBW102",
    asks_create_topic_key=True,
    throws_without_name_server=True,
    selector_list=send.copied_list,
    sends_async_in_pool=True,
    async_time_budget=send.time_left,
    async_checks_topic=True,
    async_checks_time=False,
    catches_connect_failure=False,
    connects_in_callback=False,
    too_much_request_ends_async=False,
    vip_channel=False,
    compression_type=0,
    has_batch=True,
    has_bname=False,
    texts=t.FROM_4_7_1,
    topic_max_length=127,
    illegal_queue_code=SYSTEM_ERROR,
)
_4_8_0 = replace(
    _4_7_1,
    version="4.8.0",
    family="4.8.0",
    span="4.8.0",
    index=i.StuckIndex,
    retry_pick=pick.retry_pick_counting,
    accepts=s.accepts_available,
    select_by_hash=sel.select_by_hash,
    texts=t.FROM_4_8_0,
)
_4_9_3 = replace(
    _4_8_0,
    version="4.9.3",
    family="4.9.3",
    span="4.9.0 .. 4.9.3, 5.0.0-PREVIEW, 5.0.0-ALPHA",
    index=i.AbsoluteIndex,
    settings=frozenset({RETRY_CODES}),
    catches_connect_failure=True,
    texts=t.FROM_4_9_3,
)
_4_9_7 = replace(
    _4_9_3,
    version="4.9.7",
    family="4.9.7",
    span="4.9.4 .. 4.9.7, 5.0.0",
    index=i.MaskedIndex,
    pick_one_at_least=f.pick_one_at_least_ranked,
    compression_type=ZLIB,
    has_bname=True,
    texts=t.FROM_4_9_4,
)
_4_9_8 = replace(
    _4_9_7,
    version="4.9.8",
    family="4.9.8",
    span="4.9.8",
    place_on_broker=s.new_queue,
    counts_write_queues_of=s.writable_queue_data,
)
_5_1_0 = replace(
    _4_9_7,
    version="5.1.0",
    family="5.1.0",
    span="5.1.0",
    index=i.RawSeedIndex,
    position_of=pick.plain_position,
    static_topics=r.number_static_topic,
    texts=t.FROM_5_1_0,
)
_5_1_3 = replace(
    _5_1_0,
    version="5.1.3",
    family="5.1.3",
    span="5.1.1 .. 5.1.3",
    accepts=s.accepts_another_available,
    asks_create_topic_key=False,
)
_5_1_4 = replace(
    _5_1_3,
    version="5.1.4",
    family="5.1.4",
    span="5.1.4",
    select=s.select_by_filters,
    pick_one_at_least=f.pick_one_at_least_reachable,
    is_available_item=f.is_reachable_and_past_start,
    update_fault_item=f.update_extending,
    has_reachable=True,
    latency_max=NEW_THRESHOLDS,
    not_available_duration=NEW_DURATIONS,
    isolation_latency=10000,
    judge=send.judge_by_class,
    settings=frozenset({RETRY_CODES, DETECTOR}),
    unused=frozenset({"accepts", "place_on_broker", "counts_write_queues_of", "pick_one_at_least"}),
)
_5_3_3 = replace(
    _5_1_4,
    version="5.3.3",
    family="5.3.3",
    span="5.2.0 .. 5.3.3",
    is_available_item=f.is_past_start,
    retry_codes=FIRST_RETRY_CODES | {SYSTEM_BUSY, GO_AWAY},
    async_checks_time=True,
    texts=t.FROM_5_3_2,
    connects_in_callback=True,
    too_much_request_ends_async=True,
    illegal_queue_code=INVALID_PARAMETER,
    settings=frozenset({RETRY_CODES, DETECTOR, MAX_TIMEOUT}),
)

FAMILIES = {
    row.family: row for row in (_4_7_1, _4_8_0, _4_9_3, _4_9_7, _4_9_8, _5_1_0, _5_1_3, _5_1_4, _5_3_3)
}
"""The nine families, each named by the release whose classes were run for it."""

RELEASED = {
    "4.7.1": "4.0.0-incubating 4.1.0-incubating 4.2.0 4.3.0 4.3.1 4.3.2 4.4.0 4.5.1 4.5.2 4.6.0 4.6.1 4.7.0 4.7.1",
    "4.8.0": "4.8.0",
    "4.9.3": "4.9.0 4.9.1 4.9.2 4.9.3 5.0.0-PREVIEW 5.0.0-ALPHA",
    "4.9.7": "4.9.4 4.9.5 4.9.6 4.9.7 5.0.0",
    "4.9.8": "4.9.8",
    "5.1.0": "5.1.0",
    "5.1.3": "5.1.1 5.1.2 5.1.3",
    "5.1.4": "5.1.4",
    "5.3.3": "5.2.0 5.3.0 5.3.1 5.3.2 5.3.3",
}
"""The 36 released versions by family, oldest first; there is no 4.5.0."""

UNTIL_4_7_0: dict[str, object] = {"texts": t.FROM_4_6_0}
UNTIL_4_6_1 = UNTIL_4_7_0 | {"async_time_budget": send.no_time}
UNTIL_4_6_0 = UNTIL_4_6_1 | {"topic_max_length": 255}
UNTIL_4_5_2 = UNTIL_4_6_0 | {
    "throws_without_name_server": False,
    "texts": t.FROM_4_5_2,
}
UNTIL_4_5_1 = UNTIL_4_5_2 | {"texts": t.FROM_4_3_0}
UNTIL_4_4_0 = UNTIL_4_5_1 | {"vip_channel": True, "selector_list": send.shared_list}
UNTIL_4_2_0 = UNTIL_4_4_0 | {
    "time_budget": send.whole_timeout,
    "sends_async_in_pool": False,
    "texts": t.FROM_4_0_0,
}
UNTIL_4_1_0 = UNTIL_4_2_0 | {"select_by_random": sel.SelectByRandoom}
UNTIL_4_9_2: dict[str, object] = {"catches_connect_failure": False, "texts": t.FROM_4_8_0}
UNTIL_4_9_1 = UNTIL_4_9_2 | {"settings": frozenset()}
UNTIL_5_3_2: dict[str, object] = {"settings": frozenset({RETRY_CODES, DETECTOR})}
UNTIL_5_3_1 = UNTIL_5_3_2 | {
    "async_checks_time": False,
    "illegal_queue_code": SYSTEM_ERROR,
    "texts": t.FROM_5_3_0,
}
UNTIL_5_2_0 = UNTIL_5_3_1 | {
    "connects_in_callback": False,
    "too_much_request_ends_async": False,
    "texts": t.FROM_5_2_0,
}

EXCEPTIONS: dict[str, dict[str, object]] = {
    "4.0.0-incubating": UNTIL_4_1_0 | {"has_batch": False, "async_checks_topic": False},
    "4.1.0-incubating": UNTIL_4_1_0,
    "4.2.0": UNTIL_4_2_0,
    "4.3.0": UNTIL_4_4_0 | {"default_topic": "AUTO_CREATE_TOPIC_KEY"},
    "4.3.1": UNTIL_4_4_0,
    "4.3.2": UNTIL_4_4_0,
    "4.4.0": UNTIL_4_4_0,
    "4.5.1": UNTIL_4_5_1,
    "4.5.2": UNTIL_4_5_2,
    "4.6.0": UNTIL_4_6_0,
    "4.6.1": UNTIL_4_6_1,
    "4.7.0": UNTIL_4_7_0,
    "4.9.0": UNTIL_4_9_1,
    "4.9.1": UNTIL_4_9_1,
    "4.9.2": UNTIL_4_9_2,
    "4.9.4": {"has_bname": False},
    "5.0.0-PREVIEW": {
        "static_topics": r.refuse_logical_queues,
        "settings": frozenset(),
        "catches_connect_failure": False,
        "texts": t.FROM_4_8_0,
    },
    "5.0.0-ALPHA": {"static_topics": r.number_static_topic},
    "5.0.0": {
        "index": i.RawSeedIndex,
        "static_topics": r.number_static_topic,
        "has_bname": False,
        "texts": t.FROM_5_0_0,
    },
    "5.2.0": UNTIL_5_2_0 | {"retry_codes": FIRST_RETRY_CODES},
    "5.3.0": UNTIL_5_3_1 | {"retry_codes": FIRST_RETRY_CODES | {SYSTEM_BUSY}},
    "5.3.1": UNTIL_5_3_1,
    "5.3.2": UNTIL_5_3_2,
}
"""Where one release differs from the others of its family: column and cell."""

VERSIONS = tuple(version for versions in RELEASED.values() for version in versions.split())
"""The 36 released versions, family by family."""

CHRONOLOGY = tuple(
    sorted(
        VERSIONS,
        key=lambda version: (
            [int(number) for number in version.split("-")[0].split(".")],
            ["PREVIEW", "ALPHA", "incubating", ""].index(version.partition("-")[2]),
        ),
    )
)
"""The 36 released versions by their numbers, a preview before its release."""

_FAMILY_OF = {version: family for family, versions in RELEASED.items() for version in versions.split()}


COLUMNS = tuple(field.name for field in fields(Release) if field.name != "texts")[3:-1]
"""The behaviours in the table; what the client writes is in `rmqref.java_texts`."""
PICK_COLUMNS = COLUMNS[: COLUMNS.index("retry_codes")]
"""The columns of the table that the choice of a queue asks."""
SEND_COLUMNS = COLUMNS[COLUMNS.index("retry_codes") :]
"""The columns of the table that the send asks beside."""


def release(name: str) -> Release:
    """Return the row of a release.

    Args:
        name: a version, or a tag such as "rocketmq-all-4.9.4" or "v5.2.0"; capitals do not matter.

    Returns:
        The family's row with the release's own exceptions.

    Raises:
        UnknownRelease: no such Java client was released; the error names the nearest ones.

    >>> release("rocketmq-all-4.9.4").family, release("5.0.0").index.__name__
    ('4.9.7', 'RawSeedIndex')
    >>> release("4.5.0")
    Traceback (most recent call last):
    rmqref.errors.UnknownRelease: There is no released Java client "4.5.0": the nearest are 4.5.1, 4.5.2, 4.4.0.
    """
    return _row(version_of(name))


def spans_of(versions: Iterable[str]) -> str:
    """Return releases in words, without those between that are not among them.

    Args:
        versions: elements of `VERSIONS`.

    Returns:
        Spans by their ends, joined by commas.

    >>> spans_of(["4.9.5", "4.9.4", "5.0.0"])
    '4.9.4 .. 4.9.5, 5.0.0'
    """
    runs: list[list[str]] = []
    for version in sorted(versions, key=CHRONOLOGY.index):
        before = CHRONOLOGY[CHRONOLOGY.index(version) - 1]
        if runs and runs[-1][-1] == before:
            runs[-1].append(version)
        else:
            runs.append([version])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]} .. {run[-1]}" for run in runs)


@cache
def _row(version: str) -> Release:
    row = replace(FAMILIES[_FAMILY_OF[version]], version=version)
    return replace(row, **EXCEPTIONS.get(version, {}))  # type: ignore[arg-type]  # a test checks the columns' types


def version_of(name: str) -> str:
    """Return the released version that a name means.

    Args:
        name: as for `release`.

    Returns:
        An element of `VERSIONS`.

    Raises:
        UnknownRelease: no such Java client was released.

    >>> version_of("V4_9_4"), version_of("4.0.0"), version_of("5.0.0-alpha")
    ('4.9.4', '4.0.0-incubating', '5.0.0-ALPHA')
    """
    wanted = str(name).strip().lower().replace("_", ".")
    for prefix in ("rocketmq-", "all-", "client-", "v"):
        wanted = wanted.removeprefix(prefix)
    for version in VERSIONS:
        if wanted in (version.lower(), version.lower().removesuffix("-incubating")):
            return version
    raise UnknownRelease(
        "error.release", name=shortened(name).strip("'"), nearest=", ".join(nearest_versions(wanted))
    )


def nearest_versions(wanted: str, number: int = 3) -> list[str]:
    """Return the released versions nearest to one that was not released.

    Args:
        wanted: a version.
        number: how many to return.

    Returns:
        Versions, nearest first by their numbers; the newest if the text has no numbers.

    >>> nearest_versions("5.4")
    ['5.3.3', '5.3.2', '5.3.1']
    """
    import re  # noqa: PLC0415  # needed only to word an error

    numbers = [int(part) for part in re.findall(r"\d{1,6}", wanted)][:3]
    if not numbers:
        return list(VERSIONS[::-1][:number])

    def distance(version: str) -> tuple[int, ...]:
        own = [int(part) for part in re.findall(r"\d+", version)]
        weight = (10**8, 10**4, 1)
        point = sum(w * n for w, n in zip(weight, own, strict=False))
        target = sum(w * n for w, n in zip(weight, numbers, strict=False))
        return abs(point - target), "-" in version

    return sorted(VERSIONS, key=distance)[:number]


def cell_text(cell: object) -> str:
    """Return a cell of the table as a person reads it: a variant's name, or the numbers.

    Args:
        cell: a function, a class, a number, or a tuple or set of numbers.

    Returns:
        One line.

    >>> cell_text(pick.plain_position), cell_text(FIRST_RETRY_CODES), cell_text(OLD_DURATIONS[:3])
    ('plain_position', '1 14 16 17 204 205', '0 0 30000')
    """
    if isinstance(cell, tuple | frozenset):
        return " ".join(str(number) for number in (sorted(cell) if isinstance(cell, frozenset) else cell))
    return str(getattr(cell, "__name__", cell))


@dataclass(frozen=True, slots=True)
class ReleaseTable:
    """The table as text and HTML, one column a family, one line a behaviour.

    Args:
        columns: names of behaviours; all of them if empty.

    >>> print(ReleaseTable(("accepts", "isolation_latency")))  # doctest: +ELLIPSIS
    family | releases                                   | accepts                   | isolation_latency
    ...
    5.1.3  | 5.1.1 .. 5.1.3                             | accepts_another_available | 30000
    5.1.4  | 5.1.4                                      | -                         | 10000
    5.3.3  | 5.2.0 .. 5.3.3                             | -                         | 10000
    """

    columns: tuple[str, ...] = ()

    @staticmethod
    def cell(row: Release, name: str) -> str:
        """Return a cell as text, or a dash where the release's client never asks it."""
        return "-" if name in row.unused else cell_text(getattr(row, name))

    def rows(self) -> list[list[str]]:
        """Return the heads and then, for each family and each exception, its cells as text.

        Raises:
            SituationError: the table has no such column.
        """
        for name in self.columns:
            if name not in COLUMNS:
                raise SituationError("error.column", column=name, columns=", ".join(COLUMNS))
        names = self.columns or COLUMNS
        rows = [["family", "releases", *names]]
        for row in FAMILIES.values():
            normal = [self.cell(row, name) for name in names]
            rows.append([row.family, row.span, *normal])
            for version in RELEASED[row.family].split():
                own = release(version)
                cells = [self.cell(own, name) for name in names]
                if cells != normal:
                    rows.append(["", version, *cells])
        return rows

    def __str__(self) -> str:
        return str(Table(self.rows()))

    def _repr_html_(self) -> str:
        return Table(self.rows())._repr_html_()
