"""A scenario: brokers, what goes wrong with them, a producer and what it sends, as one value or one small file.

Such a file::

    title = "broker-b hangs"
    release = "4.9.7"
    start = 0

    [[broker]]
    name = "broker-a"

    [[broker]]
    name = "broker-b"
    queues = 2
    latency = [3, 9]

    [[fault]]
    broker = "broker-b"
    does = "hang"
    at = 1000
    until = 11000

    [load]
    sends = 100
    every = 50

All times are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from rmqref.broker import TopicConfig
from rmqref.cluster import BrokerFault, Cluster, Latency, check_kind, check_time, checked_latency
from rmqref.errors import ScenarioError, shortened
from rmqref.java import INT_MAX, INT_MIN
from rmqref.model import CommunicationMode
from rmqref.producer import MAX_MESSAGE_SIZE, SETTINGS, DefaultMQProducer
from rmqref.releases import release


@dataclass(frozen=True, slots=True)
class BrokerPlan:
    """A broker of a scenario.

    Args:
        name: its name.
        queues: with how many queues it holds the topic; 0 for not at all.
        latency: how long an answer takes, in milliseconds, or the least and the most.
        order: whether the topic is an ordered one.
        auto_create: whether it makes topics when messages arrive.

    Raises:
        ScenarioError: a value that no broker can have.

    >>> BrokerPlan("broker-a", latency=[3, 9]).latency
    (3, 9)
    """

    name: str
    queues: int = 4
    latency: Latency = 5
    order: bool = False
    auto_create: bool = True

    def __post_init__(self) -> None:
        check_kind("broker.name", self.name, str)
        check_kind("broker.queues", self.queues, int)
        if not 0 <= self.queues <= MOST_QUEUES:
            raise ScenarioError(
                "error.scenario.queues", broker=self.name, queues=self.queues, most=MOST_QUEUES
            )
        check_kind("broker.order", self.order, bool)
        check_kind("broker.auto_create", self.auto_create, bool)
        object.__setattr__(self, "latency", checked_latency("broker.latency", self.latency))


SELECTORS = ("hash", "random", "machine_room", "best")
"""The three selectors that the client ships, and `rmqref.selectors.SelectMessageQueueByBest`."""


@dataclass(frozen=True, slots=True)
class Load:
    """What is sent in a scenario.

    Args:
        sends: how many messages.
        every: at which distance, in milliseconds; a synchronous send that takes longer holds the next one up.
        mode: SYNC, ASYNC or ONEWAY.
        size: of a message's body in bytes.
        selector: what chooses the queues instead of the strategy, one of `SELECTORS`; None for the strategy.
        keys: how many different keys the messages have in turn; a message's key is the selector's argument.
        batch: how many messages are sent at once.

    Raises:
        ScenarioError: a value that no load can have.

    >>> Load(sends=3, every=1000).mode
    'SYNC'
    """

    sends: int = 1
    every: int = 0
    mode: str = "SYNC"
    size: int = 4
    selector: str | None = None
    keys: int = 1
    batch: int = 1

    def __post_init__(self) -> None:
        if self.selector not in (None, *SELECTORS):
            raise ScenarioError(
                "error.scenario.selector", selector=shortened(self.selector), known=", ".join(SELECTORS)
            )
        for what in ("keys", "batch"):
            check_kind(f"load.{what}", getattr(self, what), int)
            if not 1 <= getattr(self, what) <= MOST_QUEUES:
                raise ScenarioError(
                    "error.scenario.few", what=f"load.{what}", value=getattr(self, what), most=MOST_QUEUES
                )
        check_kind("load.sends", self.sends, int)
        if not 0 <= self.sends <= MOST_SENDS:
            raise ScenarioError("error.scenario.sends", sends=self.sends, most=MOST_SENDS)
        check_time("load.every", self.every)
        if self.mode not in CommunicationMode.__members__:
            raise ScenarioError(
                "error.scenario.mode",
                mode=shortened(self.mode),
                known=", ".join(CommunicationMode.__members__),
            )
        if self.batch > 1 and (self.mode == "ONEWAY" or self.selector is not None):
            raise ScenarioError("error.scenario.batch")
        check_kind("load.size", self.size, int)
        if not 0 <= self.size <= MAX_MESSAGE_SIZE + 1:
            raise ScenarioError("error.scenario.size", size=self.size, most=MAX_MESSAGE_SIZE + 1)


MOST_QUEUES = 1000
MOST_SENDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Scenario:
    """Brokers, what goes wrong with them, a producer, and what it sends: everything that a run depends on.

    Args:
        title: what it is about.
        release: the client's release.
        topic: the topic that is sent to.
        seed: of everything that is left to chance.
        start: the raw value stored in the thread's counter before the first pick; the producer then knows the route
            before its first send. None for a random start and a producer that has to ask.
        producer: the producer's settings by name, see `rmqref.producer.SETTINGS`.
        brokers: the brokers.
        faults: what goes wrong.
        load: what is sent.
        broker_release: the brokers' release; the newest if None.

    Raises:
        ScenarioError: a value that no scenario can have.
        UnknownRelease: no such release.

    >>> Scenario(load=Load(sends=2)).but(release="4.2.0").release
    '4.2.0'
    """

    title: str = ""
    release: str = "4.9.7"
    topic: str = "OrderTopic"
    seed: int = 0
    start: int | None = None
    producer: Mapping[str, Any] = field(default_factory=dict)
    brokers: tuple[BrokerPlan, ...] = (BrokerPlan("broker-a"), BrokerPlan("broker-b"))
    faults: tuple[BrokerFault, ...] = ()
    load: Load = Load()
    broker_release: str = "5.3.3"

    def __post_init__(self) -> None:
        for name in ("brokers", "faults"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name, kinds in SCENARIO_KINDS.items():
            check_kind(name, getattr(self, name), *kinds)
        for name in self.producer:
            if name not in SETTINGS:
                raise ScenarioError(
                    "error.scenario.key", part="producer", key=str(name), known=", ".join(sorted(SETTINGS))
                )
        for broker in self.brokers:
            check_kind("broker", broker, BrokerPlan)
        for fault in self.faults:
            check_kind("fault", fault, BrokerFault)
        if self.start is not None and not INT_MIN <= self.start <= INT_MAX:
            raise ScenarioError("error.start", start=self.start)
        release(self.broker_release)
        self.prepare()

    def but(self, **changes: Any) -> Scenario:
        """Return the scenario with some values changed.

        Raises:
            ScenarioError: a scenario has no such value, or cannot have it.
        """
        names = [f.name for f in fields(self)]
        for name in changes:
            if name not in names:
                raise ScenarioError("error.scenario.key", part="scenario", key=name, known=", ".join(names))
        return replace(self, **changes)

    def prepare(self) -> tuple[Cluster, DefaultMQProducer]:
        """Return a fresh cluster and a started producer."""
        cluster = Cluster(seed=self.seed)
        for plan in self.brokers:
            config = TopicConfig(self.topic, plan.queues, plan.queues, order=plan.order)
            cluster.add_broker(
                plan.name,
                {self.topic: config} if plan.queues else {},
                latency=plan.latency,
                version=self.broker_release,
                auto_create_topic_enable=plan.auto_create,
            )
        for fault in self.faults:
            cluster.plan(fault)
        return cluster, cluster.producer(release=self.release, **self.producer)


SCENARIO_KINDS: dict[str, tuple[type | None, ...]] = {
    "title": (str,),
    "release": (str,),
    "topic": (str,),
    "seed": (int,),
    "start": (int, None),
    "producer": (Mapping,),
    "load": (Load,),
    "broker_release": (str,),
}
"""The values of a scenario and the classes that each may be of."""

SAMPLES = (
    "all_is_well",
    "broker_hangs",
    "broker_refuses",
    "broker_busy",
    "slave_gone",
    "slow_answers",
    "slow_for_a_while",
    "broker_lost",
    "new_topic",
    "ordered_keys",
    "four_brokers",
)
"""The scenarios that come with the package."""

FOLDER = Path(__file__).parent / "scenarios"


def sample_text(name: str) -> str:
    """Return the text of a scenario that comes with the package.

    Args:
        name: one of `SAMPLES`.

    Returns:
        TOML.

    Raises:
        ScenarioError: there is no such sample.

    >>> sample_text("broker_hangs").splitlines()[0]
    'title = "broker-b hangs"'
    """
    if name not in SAMPLES:
        raise ScenarioError("error.scenario.sample", name=shortened(name), names=", ".join(SAMPLES))
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def sample_scenario(name: str) -> Scenario:
    """Return a scenario that comes with the package.

    Args:
        name: one of `SAMPLES`.

    Returns:
        The scenario.

    Raises:
        ScenarioError: there is no such sample.

    >>> sample_scenario("broker_hangs").faults[0].does
    'hang'
    """
    return read_scenario(sample_text(name))


PARTS: dict[str, type] = {"broker": BrokerPlan, "fault": BrokerFault, "load": Load}


def read_scenario(given: str) -> Scenario:
    r"""Return the scenario that a text in TOML describes.

    Args:
        given: the text: the values of `Scenario` at the top, then `[producer]`, `[load]`, and a `[[broker]]` and
            a `[[fault]]` for each.

    Returns:
        The scenario.

    Raises:
        ScenarioError: it is no TOML (the error says where), or has a part or a value that no scenario has.
        UnknownRelease: no such release.

    >>> scenario = read_scenario('release = "4.2.0"\n[[broker]]\nname = "broker-a"\nqueues = 2\n')
    >>> scenario.release, scenario.brokers[0].queues
    ('4.2.0', 2)
    """
    import tomllib  # noqa: PLC0415  # needed only here

    check_kind("scenario", given, str)

    try:
        told = tomllib.loads(given)
    except tomllib.TOMLDecodeError as problem:
        raise ScenarioError("error.scenario.toml", problem=str(problem)) from problem
    values: dict[str, Any] = {}
    for key, value in told.items():
        match key:
            case "broker" | "fault":
                if not isinstance(value, list):
                    raise ScenarioError("error.scenario.list", part=key)
                values[f"{key}s"] = tuple(part_of(key, one) for one in value)
            case "load":
                values[key] = part_of(key, value)
            case "brokers" | "faults":
                raise ScenarioError("error.scenario.list", part=key.removesuffix("s"))
            case _:
                values[key] = value
    return Scenario().but(**values)


def part_of(key: str, value: Any) -> Any:
    """Return a broker, a fault or the load that a table of a scenario describes.

    Raises:
        ScenarioError: it is no table, or has a value that such a part has not.
    """
    if not isinstance(value, dict):
        raise ScenarioError("error.scenario.table", part=key)
    kind = PARTS[key]
    names = [f.name for f in fields(kind)]
    for name in value:
        if name not in names:
            raise ScenarioError("error.scenario.key", part=key, key=name, known=", ".join(names))
    needed = "name" if key == "broker" else "does" if key == "fault" else None
    if needed is not None and needed not in value:
        raise ScenarioError("error.scenario.missing", part=key, key=needed)
    return kind(**value)
