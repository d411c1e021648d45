"""The trace of a whole send: from the call down to the pick, out to the broker, and back with the outcome.

It is the same format as a pick's trace, recorded by the same watching, with the attempts made so far in its states.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from rmqref.cluster import check_kind
from rmqref.errors import JavaException, SendException, TraceError
from rmqref.java import JavaRandom
from rmqref.messages import text
from rmqref.model import MessageQueue, SendResponse, SendResult, TopicPublishInfo, TopicRouteData
from rmqref.producer import default_topic
from rmqref.releases import RELEASED, Release, release, spans_of
from rmqref.report import told
from rmqref.scenario import Scenario
from rmqref.simulation import Simulation, as_dict
from rmqref.trace import MEANINGS, PICKS, Frame, Json, Meaning, Watch, say, trace_of

MOST_ATTEMPTS = 16
"""More attempts than anybody steps through."""


def record_send(scenario: Scenario, number: int = 1, title: str | None = None) -> Json:
    """Return the trace of one send of a scenario; the sends before it run unwatched.

    Args:
        scenario: the scenario.
        number: which of its sends, from 1.
        title: the trace's title; by default one that fits.

    Returns:
        The trace: data that JSON can hold, the same every time.

    Raises:
        TraceError: the scenario has no such send, or one with more attempts than a person steps through.
        ScenarioError: it is no scenario.

    >>> trace = record_send(Scenario(start=0))
    >>> trace["result"], trace["states"][-1]["send"]["attempts"][0]["outcome"]
    ('SEND_OK broker-a : 1', 'SEND_OK')
    """
    check_kind("scenario", scenario, Scenario)
    if not 1 <= number <= scenario.load.sends:
        raise TraceError("error.trace.send", number=number, sends=scenario.load.sends)
    simulation = Simulation(scenario)
    producer = simulation.producer
    retries = max(producer.retry_times_when_send_failed, producer.retry_times_when_send_async_failed)
    if retries >= MOST_ATTEMPTS:
        raise TraceError("error.trace.attempts", attempts=1 + retries, most=MOST_ATTEMPTS)
    for _ in range(number - 1):
        simulation.send()
    simulation.wait_for_next()
    watch = SendWatch(simulation)
    watch.run(partial(send_and_wait, simulation))
    record = simulation.run.sends[-1]
    if title is None:
        title = text("trace.title.send", number=number) + (f": {scenario.title}" if scenario.title else "")
    row = release(scenario.release)
    return trace_of(
        watch, replace(row, span=spans_of(releases_like(row))), title, scenario.topic, told(record)
    )


def releases_like(row: Release) -> frozenset[str]:
    """Return the releases whose producers send in the same way: all cells of the table are equal.

    Args:
        row: a release's row.

    Returns:
        Versions, its own among them.

    >>> sorted(releases_like(release("4.9.7")))
    ['4.9.5', '4.9.6', '4.9.7']
    """
    alike = (release(version) for version in RELEASED[row.family].split())
    return frozenset(one.version for one in alike if replace(one, version=row.version) == row)


def send_and_wait(simulation: Simulation) -> None:
    """Make the next send, and for an asynchronous one wait until its callback has heard of it."""
    simulation.send()
    if simulation.scenario.load.mode == "ASYNC":
        simulation.cluster.drain()


class SendWatch(Watch):
    """Watches a send of a simulation.

    Args:
        simulation: the simulation, before the send.
    """

    picks = PICKS | {"select_by_hash", "select_by_hash_repaired"}

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.number = len(simulation.run.sends) + 1
        self.began = simulation.now
        self.empty = simulation.producer.row.topic(TopicRouteData([], []), random=JavaRandom(0))
        self.asked_name_server = False
        super().__init__(self.topic_now(), simulation.producer.mq_fault_strategy, None)
        self.brokers = list(dict.fromkeys([*self.brokers, *simulation.cluster.brokers]))

    def topic_now(self) -> TopicPublishInfo:
        """Return what the producer keeps of the topic at this moment."""
        producer = self.simulation.producer
        return producer.topic_publish_info_table.get(self.simulation.scenario.topic, self.empty)

    def state(self) -> Json:
        """Return what a reader sees beside the code, with the attempts so far."""
        self.topic = self.topic_now()
        sends = self.simulation.run.sends
        attempts = sends[self.number - 1].attempts if len(sends) >= self.number else []
        return super().state() | {
            "send": {
                "at": self.simulation.now - self.began,
                "timeout": self.simulation.producer.send_msg_timeout,
                "attempts": [
                    as_dict(attempt)
                    | {"at": attempt.at - self.began, "ended": since(self.began, attempt.ended)}
                    for attempt in attempts
                ],
            }
        }

    def entered(self, top: Frame) -> tuple[str, Json]:
        """Return the kind and the sentence of the first step in a function; an attempt has its own."""
        if top.name == "send_kernel_impl":
            found = top.frame.f_locals
            attempts = self.state()["send"]["attempts"]
            return "attempt", say(
                "say.attempt", number=max(len(attempts), 1), queue=str(found["mq"]), timeout=found["timeout"]
            )
        return super().entered(top)

    def left_by(self, top: Frame, exception: JavaException) -> None:
        """Make a step of the exception that reaches the application."""
        self._say = say("say.thrown", error=exception.name)
        self._step(top, "raise", "outcome", value=exception.name)


def since(began: int, at: int | None) -> int | None:
    """Return a time counted from another, or None where there is none."""
    return None if at is None else at - began


def asked_name_server(watch: SendWatch, found: dict[str, Any], changed: bool) -> tuple[str, Json]:
    """The name server was asked for a route."""
    watch.asked_name_server = True
    topic, route = found["topic"], found.get("route")
    if route is None:
        return "route", say(
            "say.route.none",
            topic=topic if not found["is_default"] else default_topic(watch.simulation.producer),
        )
    queues = len(watch.topic_now().message_queue_list)
    if not changed:
        return "route", say("say.route.same", topic=topic)
    return "route", say(
        "say.route.default" if found["is_default"] else "say.route.found", topic=topic, queues=queues
    )


def found_publish_info(
    watch: SendWatch, found: dict[str, Any], publish_info: TopicPublishInfo
) -> tuple[str, Json] | None:
    """The producer has what it knows of the topic."""
    if not publish_info.ok():
        return "route", say("say.route.nothing", topic=found["topic"])
    if watch.asked_name_server:
        return None
    return "route", say("say.route.kept", topic=found["topic"], queues=len(publish_info.message_queue_list))


def gave_whole_timeout(watch: SendWatch, found: dict[str, Any], left: int) -> tuple[str, Json] | None:
    """An attempt gets the whole timeout."""
    if watch.caller() == "send_kernel_impl":
        return None
    return "budget", say("say.budget.whole", timeout=left)


def gave_rest(watch: SendWatch, found: dict[str, Any], left: int | None) -> tuple[str, Json] | None:
    """An attempt gets what is left of the timeout."""
    if watch.caller() == "send_kernel_impl":
        return None
    timeout, cost = found["timeout"], found["cost"]
    if left is None:
        return "budget", say("say.budget.over", timeout=timeout, cost=cost)
    if left == 0:
        return "budget", say("say.budget.zero", timeout=timeout)
    return "budget", say("say.budget.left", timeout=timeout, cost=cost, left=left)


def was_capped(watch: SendWatch, found: dict[str, Any], left: int) -> tuple[str, Json] | None:
    """An attempt's time was cut to the most that one request may take."""
    if left == found["timeout"]:
        return None
    return "budget", say("say.budget.capped", timeout=found["timeout"], left=left)


def judged(watch: SendWatch, found: dict[str, Any], verdict: Any) -> tuple[str, Json] | None:
    """It was decided what the fault table is told of a failed attempt."""
    if not watch.strategy.send_latency_fault_enable:
        return None
    name = (
        "isolated"
        if verdict.isolation and verdict.reachable
        else "unreachable"
        if verdict.isolation
        else "own"
    )
    return "retry", say(f"say.judge.{name}", error=found["exception"].name)


def told_strategy(watch: SendWatch, found: dict[str, Any], duration: int | None) -> tuple[str, Json] | None:
    """The strategy was told of an attempt."""
    if duration is not None or "strategy" not in found:
        return None
    return "update", say("say.update.off", broker=found["broker_name"])


def decided_on_retry(watch: SendWatch, found: dict[str, Any], again: bool) -> tuple[str, Json]:
    """It was decided whether another attempt may follow."""
    code = getattr(found["exception"], "response_code", None)
    name = found["exception"].name
    if name != "MQBrokerException":
        return "retry", say("say.retry.yes" if again else "say.retry.no", error=name)
    return "retry", say("say.retry.code" if again else "say.retry.code.not", code=code)


def decided_on_status(watch: SendWatch, found: dict[str, Any], good: bool) -> tuple[str, Json]:
    """It was decided whether a result ends the send."""
    status = found["send_result"].send_status.name
    return "retry", say("say.status.good" if good else "say.status.again", status=status)


def stored(watch: SendWatch, found: dict[str, Any], offset: int) -> tuple[str, Json]:
    """A broker stored the message."""
    mq = MessageQueue("", found["broker"].broker_name, found["queue_id"])
    return "store", say("say.store", queue=str(mq), offset=offset)


def checked(watch: SendWatch, found: dict[str, Any], refused: SendResponse | None) -> tuple[str, Json] | None:
    """A broker looked at the request."""
    if refused is None:
        return None
    return "answer", say(
        "say.broker.refused", broker=found["broker"].broker_name, code=refused.code, remark=refused.remark
    )


def created(watch: SendWatch, found: dict[str, Any], config: Any) -> tuple[str, Json]:
    """A broker made a topic, or did not."""
    name, topic = found["broker"].broker_name, found["header"].topic
    if config is None:
        return "store", say("say.broker.created.not", broker=name, topic=topic)
    return "store", say("say.broker.created", broker=name, topic=topic, queues=config.write_queue_nums)


def chose_queue_id(watch: SendWatch, found: dict[str, Any], queue_id: int) -> tuple[str, Json] | None:
    """A broker settled which queue it stores in."""
    if queue_id == found["queue_id"]:
        return None
    return "store", say("say.broker.any_queue", given=found["queue_id"], queue_id=queue_id)


def answered(watch: SendWatch, found: dict[str, Any], result: SendResult) -> tuple[str, Json]:
    """The answer became a result."""
    return "answer", say("say.answer", status=result.send_status.name, queue=str(result.message_queue))


def ended(watch: SendWatch, found: dict[str, Any], result: SendResult | None) -> tuple[str, Json]:
    """The loop returned."""
    if result is None:
        return "outcome", say("say.outcome.none")
    return "outcome", say("say.outcome", status=result.send_status.name, queue=str(result.message_queue))


def gave_up(watch: SendWatch, found: dict[str, Any], exception: SendException) -> tuple[str, Json]:
    """The loop has no attempt left, or no time."""
    if found["call_timeout"]:
        hidden = found["exception"]
        return "outcome", say("say.gave_up.time", hidden="null" if hidden is None else hidden.name)
    return "outcome", say(
        "say.gave_up", error=str(exception).split("\n", 1)[0], code=getattr(exception, "response_code", -1)
    )


def told_callback(watch: SendWatch, found: dict[str, Any], value: None) -> tuple[str, Json]:
    """An asynchronous send is over."""
    return "outcome", say("say.callback", error=type(found["exception"]).__name__)


SEND_MEANINGS: dict[str, Meaning] = MEANINGS | {
    "update_topic_route_info_from_name_server": asked_name_server,
    "try_to_find_topic_publish_info": found_publish_info,
    "whole_timeout": gave_whole_timeout,
    "remaining_timeout": gave_rest,
    "capped": was_capped,
    "judge_every_failure_alike": judged,
    "judge_by_class": judged,
    "update_fault_item": told_strategy,
    "is_retried": decided_on_retry,
    "is_good_enough": decided_on_status,
    "put_message": stored,
    "msg_check": checked,
    "create_topic_in_send_message_method": created,
    "valid_queue_id": chose_queue_id,
    "process_send_response": answered,
    "send_default_impl": ended,
    "send_select_impl": ended,
    "gave_up": gave_up,
    "tell": told_callback,
}
"""What the return of a function means, by the function's name."""
SendWatch.meanings = SEND_MEANINGS
