"""A simulated cluster: a clock that only moves when something waits, brokers with faults at given times, a name server.

A `Cluster` carries a producer's requests: it is its `remoting`. Everything that happens stands in a queue of events on
the injected clock.

Not modelled: threads (a callback runs at the moment its answer arrives), slaves, connections that break half way, and
static topics.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from rmqref.broker import PERM_READ_WRITE, Broker, TopicConfig, process_request
from rmqref.errors import (
    JavaException,
    RemotingConnectException,
    RemotingTimeoutException,
    RemotingTooMuchRequestException,
    ScenarioError,
    SendException,
    SituationError,
    require,
    shortened,
)
from rmqref.java import JavaRandom, ManualClock
from rmqref.model import (
    STATUS_OF,
    BrokerData,
    QueueData,
    ResponseCode,
    SendRequest,
    SendResponse,
    SendStatus,
    TopicRouteData,
)
from rmqref.producer import SETTINGS, DefaultMQProducer, OperationComplete
from rmqref.releases import Release, release
from rmqref.situation import MOST_MILLISECONDS, NOON

Latency = int | tuple[int, int]

REFUSAL = 1
"""How long it takes to learn that a connection is refused, in milliseconds."""

REGISTER_PERIOD = 30_000
FIRST_REGISTER = 10_000
SCAN_PERIOD = 10_000
FIRST_SCAN = 5_000
BROKER_EXPIRED_TIME = 120_000
"""After how many milliseconds without a word from a broker the name server forgets it."""

FIRST_TIMEOUT_SCAN = 3_000
TIMEOUT_SCAN_PERIOD = 1_000
TIMEOUT_GRACE = 1_000
"""An asynchronous request is given up at the first scan that finds it overdue by this much."""

READ_ONLY = 4


@dataclass(order=True, slots=True)
class Event:
    """Something that will happen; of two at the same time the one that was planned first."""

    at: int
    number: int
    action: Callable[[], object] = field(compare=False)
    period: int | None = field(compare=False, default=None)
    is_awaited: bool = field(compare=False, default=False)


@dataclass(slots=True)
class Nowhere:
    """A `Remoting` that leads nowhere: for a producer whose attempts are answered by a script."""

    def invoke_sync(self, addr: str, request: SendRequest, timeout: int) -> SendResponse:
        """Raise RemotingConnectException."""
        raise RemotingConnectException(addr)

    def invoke_async(
        self,
        addr: str,
        request: SendRequest,
        timeout: int,
        operation_complete: OperationComplete,
        *,
        row: Release,
    ) -> None:
        """Raise RemotingConnectException."""
        raise RemotingConnectException(addr)

    def invoke_oneway(self, addr: str, request: SendRequest, timeout: int) -> None:
        """Raise RemotingConnectException."""
        raise RemotingConnectException(addr)

    def get_topic_route_info(self, topic: str) -> TopicRouteData | None:
        """Raise RemotingConnectException: no name server's address is known."""
        raise RemotingConnectException("null")

    def has_name_server(self) -> bool:
        """Return False."""
        return False

    def probe(self, addr: str, timeout: int) -> bool:
        """Return False."""
        return False

    def after(self, delay: int, action: Callable[[], None], period: int | None = None) -> None:
        """Do nothing: nothing ever happens here."""


class Tap(Protocol):
    """What may look on at a cluster's network."""

    def began_async(self, broker_name: str, request: SendRequest, timeout: int) -> OperationComplete:
        """Hear of an asynchronous request, and return what hears of its outcome."""

    def probed(self, broker_name: str, answered: bool) -> None:
        """Hear of a probe of the detector."""


class NoTap:
    """Nobody looks on."""

    def began_async(self, broker_name: str, request: SendRequest, timeout: int) -> OperationComplete:
        """Return what does nothing."""
        return self.ended

    def ended(self, response: SendResponse | None, failure: SendException | None) -> None:
        """Do nothing."""

    def probed(self, broker_name: str, answered: bool) -> None:
        """Do nothing."""


# ---------------------------------------------------------------------------------------------------- what brokers do


@dataclass(frozen=True, slots=True)
class BrokerFault:
    """Something that goes wrong with a broker for a while.

    Args:
        does: one of `DOES`.
        broker: the broker's name; empty for the name server.
        at: when it begins, in milliseconds from the start.
        until: when it ends; None for never.
        latency: for "slow", how long an answer takes in milliseconds, or the least and the most.
        code: for "code", what the broker answers.
        status: for "status", how well the message is stored.
        remark: for "code", the broker's words.

    Raises:
        ScenarioError: it is no such fault, or has not what it needs.

    >>> BrokerFault("slow", "broker-a", at=0, until=1000, latency=700).latency
    700
    """

    does: str
    broker: str = ""
    at: int = 0
    until: int | None = None
    latency: Latency = 0
    code: int = int(ResponseCode.SYSTEM_BUSY)
    status: str = "FLUSH_DISK_TIMEOUT"
    remark: str = "[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while"

    def __post_init__(self) -> None:
        if self.does not in DOES:
            raise ScenarioError("error.scenario.does", does=shortened(self.does), known=", ".join(DOES))
        check_time("fault.at", self.at)
        if self.until is not None:
            check_time("fault.until", self.until)
            if self.until <= self.at:
                raise ScenarioError("error.scenario.until", at=self.at, until=self.until)
        object.__setattr__(self, "latency", checked_latency("fault.latency", self.latency))
        check_kind("fault.code", self.code, int)
        if self.does == "code" and self.code in map(int, STATUS_OF):
            raise ScenarioError("error.scenario.code", code=self.code)
        if self.status not in SendStatus.__members__:
            raise ScenarioError(
                "error.scenario.status",
                status=shortened(self.status),
                known=", ".join(SendStatus.__members__),
            )
        if self.does == "slow" and self.latency == 0:
            raise ScenarioError("error.scenario.slow", broker=self.broker)


DOES = {
    "refuse": "connections are refused; the broker goes on registering",
    "hang": "requests get no answer and are not stored; the broker goes on registering",
    "slow": "requests are stored and answered after `latency`, in time or not",
    "code": "requests are answered with `code` and not stored",
    "status": "requests are stored, and answered with `status`",
    "read_only": "the broker loses its write permission, and registers that at once",
    "disappear": "no answers and no registration: the name server forgets the broker after 120 s",
    "stop": "an orderly end: connections are refused and the name server forgets the broker at once",
    "name_server_down": "the name server cannot be reached",
}
"""What can go wrong, and what happens then."""

SILENT = frozenset({"hang", "disappear"})
CLOSED = frozenset({"refuse", "stop"})


@dataclass(slots=True)
class Host:
    """A broker and what it does at the moment.

    Args:
        broker: the broker.
        latency: how long an answer takes when all is well, in milliseconds, or the least and the most.
        faults: what goes wrong now; the latest one counts.
    """

    broker: Broker
    latency: Latency
    faults: list[BrokerFault] = field(default_factory=list)

    @property
    def does(self) -> BrokerFault | None:
        """Return what goes wrong now, or None."""
        return self.faults[-1] if self.faults else None


@dataclass(slots=True)
class NameServer:
    """The name server: what brokers registered, and when.

    Args:
        registered: for each broker name its topics and its address as it said them last.
        heard: when it said so, in milliseconds.
        is_up: whether it can be reached.

    Java: RouteInfoManager, all releases.
    """

    registered: dict[str, tuple[str, dict[str, TopicConfig]]] = field(default_factory=dict)
    heard: dict[str, int] = field(default_factory=dict)
    is_up: bool = True

    def pickup_topic_route_data(self, topic: str) -> TopicRouteData | None:
        """Return the route of a topic: the brokers that registered it, by name; None if there are none."""
        holders = [name for name in sorted(self.registered) if topic in self.registered[name][1]]
        if not holders:
            return None
        route = TopicRouteData([], [])
        for name in holders:
            addr, topics = self.registered[name]
            config = topics[topic]
            route.queue_datas.append(
                QueueData(name, config.write_queue_nums, config.read_queue_nums, config.perm)
            )
            route.broker_datas.append(BrokerData(name, {0: addr}))
        return route


class Cluster:
    """Brokers, a name server and a network on one clock. It is a producer's `remoting`.

    Args:
        brokers: the brokers and how quickly they answer.
        seed: of the latencies and of what brokers leave to chance.
        now: the time at the start, in milliseconds since 1970.

    Raises:
        ScenarioError: two brokers of one name.

    >>> from rmqref import Message
    >>> cluster = Cluster.of([("broker-a", 4)], topic="orders")
    >>> cluster.producer().send(Message("orders", b"paid")).send_status.name
    'SEND_OK'
    >>> [message.body for message in cluster.brokers["broker-a"].messages("orders")]
    [b'paid']
    """

    def __init__(self, brokers: Mapping[str, Host] | None = None, *, seed: int = 0, now: int = NOON) -> None:
        self.clock = ManualClock(now)
        self.began = now
        self.seed = seed
        self.random = JavaRandom(seed)
        self.hosts: dict[str, Host] = {}
        self.name_server = NameServer()
        self.tap: Tap = NoTap()
        self.swallowed: list[JavaException] = []
        self._by_addr: dict[str, Host] = {}
        self._events: list[Event] = []
        self._planned = 0
        self._awaited = 0
        self._outages = 0
        for host in (brokers or {}).values():
            self.add(host)
        self._plan(FIRST_SCAN, self._scan_not_active_broker, SCAN_PERIOD)

    @classmethod
    def of(
        cls,
        brokers: Iterable[tuple[str, int]],
        *,
        topic: str = "OrderTopic",
        latency: Latency = 5,
        seed: int = 0,
        version: str = "5.3.3",
    ) -> Cluster:
        """Return a cluster whose brokers hold one topic.

        Args:
            brokers: pairs of broker name and number of queues; none for a broker with 0.
            topic: the topic's name.
            latency: how long an answer takes, in milliseconds, or the least and the most.
            seed: of everything that is left to chance.
            version: the brokers' release.

        Raises:
            ScenarioError: two brokers of one name, or a number of queues that cannot be.
        """
        cluster = cls(seed=seed)
        pairs: list[Any] = list(brokers)
        for pair in pairs:
            if not (isinstance(pair, tuple | list) and list(map(type, pair)) == [str, int]):
                raise ScenarioError("error.pairs", value=shortened(pair))
            name, queues = pair
            topics = {topic: TopicConfig(topic, queues, queues)} if queues else {}
            cluster.add_broker(name, topics, latency=latency, version=version)
        return cluster

    def add_broker(
        self,
        name: str,
        topics: dict[str, TopicConfig],
        *,
        latency: Latency = 5,
        version: str = "5.3.3",
        auto_create_topic_enable: bool = True,
    ) -> Broker:
        """Add a broker that registers at once, and return it.

        Args:
            name: its name.
            topics: its topics by name.
            latency: how long an answer takes, in milliseconds, or the least and the most.
            version: its release.
            auto_create_topic_enable: whether it makes topics when messages arrive.

        Raises:
            ScenarioError: there is a broker of this name.
        """
        check_kind("broker's name", name, str)
        broker = Broker(
            name,
            f"10.0.{len(self.hosts) // 250}.{len(self.hosts) % 250 + 1}:10911",
            self.clock,
            version,
            JavaRandom(self.seed),
            topics,
            auto_create_topic_enable=auto_create_topic_enable,
            default_topic=release(version).default_topic,
        )
        self.add(Host(broker, checked_latency("latency", latency)))
        return broker

    def add(self, host: Host) -> None:
        """Add a broker and register it.

        Raises:
            ScenarioError: there is a broker of this name.
        """
        name = host.broker.broker_name
        if name in self.hosts:
            raise ScenarioError("error.scenario.broker_twice", broker=name)
        self.hosts[name] = host
        host_name, _, port = host.broker.addr.rpartition(":")
        self._by_addr[host.broker.addr] = host
        # The VIP channel: the same broker two ports below.
        self._by_addr[f"{host_name}:{int(port) - 2}"] = host
        self._register(host)
        self._plan(FIRST_REGISTER, partial(self._register, host), REGISTER_PERIOD)

    @property
    def brokers(self) -> dict[str, Broker]:
        """The brokers by name."""
        return {name: host.broker for name, host in self.hosts.items()}

    def producer(self, **settings: Any) -> DefaultMQProducer:
        """Return a started producer of this cluster.

        Args:
            **settings: as for `rmqref.producer.DefaultMQProducer`, but for `remoting` and `clock`.

        Raises:
            UnknownRelease: no such release.
            SendError: the release's producer has no such setting.
            ScenarioError: no producer has such a setting, or it cannot have this value.
        """
        known = {"release", "random", *SETTINGS}
        for name, value in settings.items():
            if name not in known:
                raise ScenarioError(
                    "error.scenario.key", part="producer", key=name, known=", ".join(sorted(known))
                )
            if name in SETTINGS:
                check_kind(f"producer.{name}", value, *SETTINGS[name])
        settings.setdefault("random", JavaRandom(self.seed))
        return DefaultMQProducer(remoting=self, clock=self.clock, **settings).start()

    def plan(self, fault: BrokerFault) -> None:
        """Have something go wrong at its time, and end at its time.

        Args:
            fault: what goes wrong, in milliseconds from the cluster's start.

        Raises:
            ScenarioError: there is no such broker.
        """
        check_kind("fault", fault, BrokerFault)
        if fault.does != "name_server_down" and fault.broker not in self.hosts:
            raise ScenarioError(
                "error.scenario.no_broker", broker=shortened(fault.broker), known=", ".join(self.hosts)
            )
        delay = max(self.began + fault.at - self.clock.now, 0)
        if delay:
            self._plan(delay, partial(self._begin, fault))
        else:
            self._begin(fault)
        if fault.until is not None:
            self._plan(max(self.began + fault.until - self.clock.now, 0), partial(self._end, fault))

    # -- time

    def after(self, delay: int, action: Callable[[], None], period: int | None = None) -> None:
        """Run an action in so many milliseconds, and again after every period.

        Args:
            delay: in milliseconds from now.
            action: what happens then; `drain` waits for it if it happens once.
            period: in milliseconds, or None for once.
        """
        self._plan(delay, action, period, is_awaited=period is None)

    def _plan(
        self,
        delay: int,
        action: Callable[[], object],
        period: int | None = None,
        *,
        is_awaited: bool = False,
    ) -> None:
        self._planned += 1
        self._awaited += is_awaited
        event = Event(self.clock.now + delay, self._planned, action, period, is_awaited)
        heapq.heappush(self._events, event)

    def advance(self, milliseconds: int) -> None:
        """Let time pass, with everything that happens in it.

        Args:
            milliseconds: how much.

        Raises:
            ScenarioError: no number of milliseconds, or a negative one.
        """
        check_time("time to pass", milliseconds)
        end = self.clock.now + milliseconds
        while self._events and self._events[0].at <= end:
            self._happen()
        self.clock.now = max(self.clock.now, end)

    def drain(self) -> None:
        """Let time pass until every request that is on its way has arrived and every answer too."""
        while self._awaited:
            self._happen()

    def _happen(self) -> None:
        event = heapq.heappop(self._events)
        self._awaited -= event.is_awaited
        self.clock.now = max(self.clock.now, event.at)
        if event.period is not None:
            self._plan(event.period, event.action, event.period)
        event.action()

    # -- what carries requests

    def invoke_sync(self, addr: str, request: SendRequest, timeout: int) -> SendResponse:
        """Return the answer of the broker at an address; time passes.

        An answer that is not there *before* the time is over is too late; what the broker stored stays stored.

        Args:
            addr: `host:port`.
            request: the request.
            timeout: in milliseconds.

        Returns:
            The answer.

        Raises:
            RemotingConnectException: no broker listens there now.
            RemotingTimeoutException: no answer in time.

        Java: NettyRemotingClient#invokeSync, all releases.
        """
        host = self._listening(addr)
        if host is None:
            self.advance(REFUSAL)
            raise RemotingConnectException(addr)
        fault = host.does
        latency = self._latency(host, fault)
        if latency is None or latency >= timeout:
            if latency is not None:
                self._plan(latency, partial(self._arrive, host, request, fault), is_awaited=True)
            self.advance(timeout)
            raise RemotingTimeoutException(addr, timeout)
        self.advance(latency)
        return self._arrive(host, request, fault)

    def invoke_async(
        self,
        addr: str,
        request: SendRequest,
        timeout: int,
        operation_complete: OperationComplete,
        *,
        row: Release,
    ) -> None:
        """Send a request; the callback hears of the answer, or of what went wrong.

        That an answer is missing is noticed by a scan once a second, which leaves a request another second. A request
        with less than no time left, as the retry after such a wait has it from 4.7.0, is not sent at all; 5.3.0 and
        5.3.1 forget to stop there, so that the callback hears of it twice.

        Args:
            addr: `host:port`.
            request: the request.
            timeout: in milliseconds.
            operation_complete: gets the answer, or None and what went wrong.
            row: the client's release; from 5.3.0 the callback hears of a refused connection too.

        Raises:
            RemotingConnectException: no broker listens there now (up to 5.2.0).
            RemotingTooMuchRequestException: the time was over before (up to 5.2.0).

        Java: NettyRemotingClient#invokeAsync, NettyRemotingAbstract#scanResponseTable, all releases.
        """
        host = self._listening(addr)
        ended = self.tap.began_async(self._name_at(addr), request, timeout)
        if host is None:
            refused = RemotingConnectException(addr)
            if not row.connects_in_callback:
                ended(None, refused)
                raise refused
            self._plan(0, partial(self._complete, operation_complete, ended, None, refused), is_awaited=True)
            return
        if timeout < 0:
            over = RemotingTooMuchRequestException(row.texts.async_late.format(addr=addr))
            if not row.connects_in_callback:
                ended(None, over)
                raise over
            self._plan(0, partial(self._complete, operation_complete, ended, None, over), is_awaited=True)
            again = RemotingTimeoutException(addr, timeout)
            self._plan(
                0, partial(self._complete, operation_complete, NoTap().ended, None, again), is_awaited=True
            )
            return
        fault = host.does
        latency = self._latency(host, fault)
        found_missing = self._next_scan(self.clock.now + timeout + TIMEOUT_GRACE) - self.clock.now
        if latency is None or latency >= found_missing:
            late = RemotingTimeoutException(addr, timeout)
            give_up = partial(self._complete, operation_complete, ended, None, late)
            self._plan(found_missing, give_up, is_awaited=True)
            if latency is not None:
                self._plan(latency, partial(self._arrive, host, request, fault), is_awaited=True)
            return

        def answer() -> None:
            self._complete(operation_complete, ended, self._arrive(host, request, fault), None)

        self._plan(latency, answer, is_awaited=True)

    def invoke_oneway(self, addr: str, request: SendRequest, timeout: int) -> None:
        """Send a request, to which there is no answer.

        Args:
            addr: `host:port`.
            request: the request.
            timeout: not looked at.

        Raises:
            RemotingConnectException: no broker listens there now.

        Java: NettyRemotingClient#invokeOneway, all releases.
        """
        host = self._listening(addr)
        if host is None:
            self.advance(REFUSAL)
            raise RemotingConnectException(addr)
        fault = host.does
        latency = self._latency(host, fault)
        if latency is not None:
            self._plan(latency, partial(self._arrive, host, request, fault), is_awaited=True)

    def get_topic_route_info(self, topic: str) -> TopicRouteData | None:
        """Return what the name server knows of a topic, or None.

        Raises:
            RemotingException: it cannot be reached.

        Java: MQClientAPIImpl#getTopicRouteInfoFromNameServer, all releases.
        """
        if not self.name_server.is_up:
            raise RemotingConnectException("name server")
        return self.name_server.pickup_topic_route_data(topic)

    def has_name_server(self) -> bool:
        """Return True."""
        return True

    def probe(self, addr: str, timeout: int) -> bool:
        """Return whether the broker at an address answers in time.

        Java: the ServiceDetector of MQClientAPIImpl, 5.1.4 .. 5.3.3.
        """
        host = self._listening(addr)
        latency = None if host is None else self._latency(host, host.does)
        answered = latency is not None and latency < timeout
        if host is not None:
            self.tap.probed(host.broker.broker_name, answered)
        return answered

    def _listening(self, addr: str) -> Host | None:
        host = self._by_addr.get(addr)
        if host is None or (host.does is not None and host.does.does in CLOSED):
            return None
        return host

    def _latency(self, host: Host, fault: BrokerFault | None) -> int | None:
        """Return how long an answer takes from now, or None if there will be none."""
        if fault is not None and fault.does in SILENT:
            return None
        latency = fault.latency if fault is not None and fault.does == "slow" else host.latency
        if isinstance(latency, int):
            return latency
        least, most = latency
        return least + self.random.next_int(most - least + 1)

    def _arrive(self, host: Host, request: SendRequest, fault: BrokerFault | None) -> SendResponse:
        if fault is not None and fault.does == "code":
            return SendResponse(fault.code, fault.remark)
        status = (
            SendStatus[fault.status] if fault is not None and fault.does == "status" else SendStatus.SEND_OK
        )
        topics = len(host.broker.topics)
        response = process_request(host.broker, request, status)
        if len(host.broker.topics) > topics:
            # A broker that made a topic says so at once.
            self._register(host)
        return response

    def _complete(
        self,
        operation_complete: OperationComplete,
        ended: OperationComplete,
        response: SendResponse | None,
        failure: SendException | None,
    ) -> None:
        ended(response, failure)
        # As in Java, where what a callback throws is logged by the pool it runs in, and nobody hears of it.
        try:
            operation_complete(response, failure)
        except JavaException as thrown:
            self.swallowed.append(thrown)

    def _name_at(self, addr: str) -> str:
        host = self._by_addr.get(addr)
        return addr if host is None else host.broker.broker_name

    def _next_scan(self, at: int) -> int:
        first = self.began + FIRST_TIMEOUT_SCAN
        if at <= first:
            return first
        return first + -(-(at - first) // TIMEOUT_SCAN_PERIOD) * TIMEOUT_SCAN_PERIOD

    # -- the name server and the faults

    def _register(self, host: Host) -> None:
        fault = host.does
        if fault is not None and fault.does in ("disappear", "stop"):
            return
        broker = host.broker
        # A broker that may not be written to registers its own permission for every topic.
        perm = None if broker.broker_permission == PERM_READ_WRITE else broker.broker_permission
        topics = {
            name: replace(config) if perm is None else replace(config, perm=perm)
            for name, config in broker.topics.items()
        }
        self.name_server.registered[broker.broker_name] = (broker.addr, topics)
        self.name_server.heard[broker.broker_name] = self.clock.now

    def _scan_not_active_broker(self) -> None:
        for name, heard in list(self.name_server.heard.items()):
            if heard + BROKER_EXPIRED_TIME < self.clock.now:
                self._forget(name)

    def _forget(self, name: str) -> None:
        self.name_server.registered.pop(name, None)
        self.name_server.heard.pop(name, None)

    def _begin(self, fault: BrokerFault) -> None:
        if fault.does == "name_server_down":
            self._outages += 1
            self.name_server.is_up = False
            return
        host = self.hosts[fault.broker]
        host.faults.append(fault)
        if fault.does == "read_only":
            host.broker.broker_permission = READ_ONLY
            self._register(host)
        elif fault.does == "stop":
            self._forget(fault.broker)

    def _end(self, fault: BrokerFault) -> None:
        if fault.does == "name_server_down":
            self._outages -= 1
            self.name_server.is_up = not self._outages
            return
        host = self.hosts[fault.broker]
        host.faults.remove(fault)
        if fault.does == "read_only" and fault.does not in (other.does for other in host.faults):
            host.broker.broker_permission = PERM_READ_WRITE
        self._register(host)


def check_kind(what: str, value: object, *kinds: type | None) -> None:
    """Refuse a value of a kind that a scenario cannot have there.

    Raises:
        ScenarioError: it is of another kind.
    """
    try:
        require(what, value, *kinds)
    except SituationError as problem:
        raise ScenarioError(problem.message_id, **problem.parameters) from None


def check_time(what: str, value: object) -> None:
    """Refuse what is no time in milliseconds from the start.

    Raises:
        ScenarioError: it is no whole number, negative, or beyond `MOST_MILLISECONDS`.
    """
    check_kind(what, value, int)
    assert isinstance(value, int)
    if value < 0:
        raise ScenarioError("error.negative", what=what, value=value)
    if value > MOST_MILLISECONDS:
        raise ScenarioError("error.time", what=what, value=value, most=MOST_MILLISECONDS)


def checked_latency(what: str, value: object) -> Latency:
    """Return a latency: milliseconds, or a pair of the least and the most.

    Raises:
        ScenarioError: it is neither.
    """
    if isinstance(value, list | tuple):
        if len(value) != 2:
            raise ScenarioError("error.scenario.latency", what=what, value=shortened(value))
        for one in value:
            check_time(what, one)
        least, most = value
        if least > most:
            raise ScenarioError("error.scenario.latency", what=what, value=shortened(value))
        return least, most
    check_time(what, value)
    assert isinstance(value, int)
    return value
