"""The producer: from `send(msg)` down to the request, and back up with the outcome.

`send_default_impl` is the loop that everything turns around: pick a queue, try, tell the fault table, and go on or give
up. Beside it stand its siblings for a selector and for a given queue, the route look-up before it, and the
asynchronous retries, which happen below it in the callback.

What carries a request is handed in as `remoting`; `rmqref.cluster` simulates one. Not modelled: namespaces,
transactions, request-reply, accumulated batches, and hooks.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from rmqref.errors import (
    IllegalStateException,
    InterruptedException,
    MQBrokerException,
    MQClientException,
    NegativeArraySizeException,
    NullPointerException,
    RemotingConnectException,
    RemotingException,
    RemotingTimeoutException,
    RemotingTooMuchRequestException,
    SendError,
    SendException,
    UnsupportedOperationException,
    require,
)
from rmqref.faults import detect_by_one_round
from rmqref.java import Clock, JavaRandom, Random
from rmqref.java_texts import FROM_5_3_2
from rmqref.model import (
    MASTER_ID,
    RETRY_GROUP_TOPIC_PREFIX,
    STATUS_OF,
    ClientErrorCode,
    CommunicationMode,
    Message,
    MessageBatch,
    MessageQueue,
    ResponseCode,
    SendMessageRequestHeader,
    SendRequest,
    SendResponse,
    SendResult,
    SendStatus,
    TopicPublishInfo,
    TopicRouteData,
)
from rmqref.releases import DETECTOR, MAX_TIMEOUT, RETRY_CODES, Release, release
from rmqref.selectors import MessageQueueSelector
from rmqref.sending import STORED, Verdict, capped
from rmqref.strategy import MQFaultStrategy, select_one_message_queue, update_fault_item

SYNC, ASYNC, ONEWAY = CommunicationMode.SYNC, CommunicationMode.ASYNC, CommunicationMode.ONEWAY

SEND_MSG_TIMEOUT = 3000
DEFAULT_TOPIC_QUEUE_NUMS = 4
COMPRESS_MSG_BODY_OVER_HOWMUCH = 4096
COMPRESS_LEVEL = 5
MAX_MESSAGE_SIZE = 4 * 1024 * 1024
TOPIC_MAX_LENGTH = 255
COMPRESSED_FLAG = 1
ASYNC_SENDER_QUEUE = 50_000
"""How many asynchronous sends may wait for a thread."""

POLL_NAME_SERVER_INTERVAL = 30_000
HEARTBEAT_BROKER_INTERVAL = 30_000
DETECT_PERIOD = 3000

CHECKED = (RemotingException, MQClientException, MQBrokerException, InterruptedException)
"""What an attempt may throw and the loop looks at; anything else leaves it at once."""

OperationComplete = Callable[[SendResponse | None, SendException | None], None]


class Remoting(Protocol):
    """What carries requests, and what time is handed in with: `rmqref.cluster.Cluster` is one."""

    def invoke_sync(self, addr: str, request: SendRequest, timeout: int) -> SendResponse:
        """Return the answer of the broker at an address; time passes."""

    def invoke_async(
        self,
        addr: str,
        request: SendRequest,
        timeout: int,
        operation_complete: OperationComplete,
        *,
        row: Release,
    ) -> None:
        """Send a request; the callback hears of the answer, or of what went wrong."""

    def invoke_oneway(self, addr: str, request: SendRequest, timeout: int) -> None:
        """Send a request, to which there is no answer."""

    def get_topic_route_info(self, topic: str) -> TopicRouteData | None:
        """Return what the name server knows of a topic, or None."""

    def has_name_server(self) -> bool:
        """Return whether a name server's address is known."""

    def probe(self, addr: str, timeout: int) -> bool:
        """Return whether the broker at an address answers."""

    def after(self, delay: int, action: Callable[[], None], period: int | None = None) -> None:
        """Run an action in so many milliseconds, and again after every period."""


@dataclass(slots=True)
class SendCallback:
    """What hears of the outcome of an asynchronous send.

    Args:
        on_success: gets the result.
        on_exception: gets what was thrown last.

    Java: SendCallback, all releases.
    """

    on_success: Callable[[SendResult], None]
    on_exception: Callable[[Exception], None]


@dataclass(slots=True, kw_only=True)
class DefaultMQProducer:
    """A producer of one release.

    Args:
        producer_group: its group.
        remoting: what carries its requests.
        clock: returns the time now in milliseconds.
        release: the client's release.
        random: the source of chance of the counters; the same fixed one every time if None.
        create_topic_key: the default topic; the release's own if None.
        default_topic_queue_nums: with how many queues at most a topic is created.
        send_msg_timeout: in milliseconds, for a send that is given none.
        send_msg_max_timeout_per_request: the most that one attempt may take in milliseconds while another may
            follow; -1 for no limit (from 5.3.3).
        compress_msg_body_over_howmuch: the size in bytes from which a body is compressed.
        retry_times_when_send_failed: attempts after the first, of a synchronous send.
        retry_times_when_send_async_failed: attempts after the first, of an asynchronous send.
        retry_another_broker_when_not_store_ok: whether a status other than SEND_OK is tried again.
        max_message_size: the largest body in bytes.
        send_latency_fault_enable: the switch of the latency strategy.
        start_detector_enable: whether unreachable brokers are probed (from 5.1.4).
        vip_channel_enabled: whether requests go to the port two below the broker's; the release's default if None.
        unit_mode: whether the producer belongs to a unit of a larger installation.
        async_sender_wait: how long an asynchronous send waits for a thread, in milliseconds.

    Raises:
        UnknownRelease: no such release.
        SendError: the release's producer has no such setting.
        SituationError: a setting of a kind that it cannot have.

    Java: DefaultMQProducer and DefaultMQProducerImpl, all releases.

    >>> from rmqref.cluster import Cluster
    >>> cluster = Cluster.of([("broker-a", 2), ("broker-b", 2)], topic="orders")
    >>> producer = cluster.producer(release="4.9.7")
    >>> result = producer.send(Message("orders", b"paid"))
    >>> print(result.send_status.name, result.message_queue)
    SEND_OK broker-a : 1
    """

    producer_group: str = "please_rename_unique_group_name"
    remoting: Remoting
    clock: Clock
    release: str = "5.3.3"
    random: Random | None = None
    create_topic_key: str | None = None
    default_topic_queue_nums: int = DEFAULT_TOPIC_QUEUE_NUMS
    send_msg_timeout: int = SEND_MSG_TIMEOUT
    send_msg_max_timeout_per_request: int = -1
    compress_msg_body_over_howmuch: int = COMPRESS_MSG_BODY_OVER_HOWMUCH
    retry_times_when_send_failed: int = 2
    retry_times_when_send_async_failed: int = 2
    retry_another_broker_when_not_store_ok: bool = False
    max_message_size: int = MAX_MESSAGE_SIZE
    send_latency_fault_enable: bool = False
    start_detector_enable: bool = False
    vip_channel_enabled: bool | None = None
    unit_mode: bool = False
    async_sender_wait: int = 0
    row: Release = field(init=False)
    mq_fault_strategy: MQFaultStrategy = field(init=False)
    retry_response_codes: set[int] = field(init=False)
    topic_publish_info_table: dict[str, TopicPublishInfo] = field(init=False, default_factory=dict)
    topic_route_table: dict[str, TopicRouteData] = field(init=False, default_factory=dict)
    broker_addr_table: dict[str, dict[int, str]] = field(init=False, default_factory=dict)
    log: list[str] = field(init=False, default_factory=list)
    send_kernel: Callable[..., SendResult | None] = field(init=False)
    invoke_ids: JavaRandom = field(init=False)
    ids_given: int = field(init=False, default=0)
    async_sends_waiting: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        for name, kinds in SETTINGS.items():
            require(name, getattr(self, name), *kinds)
        self.row = release(self.release)
        if self.send_msg_max_timeout_per_request != -1:
            require_setting(self, MAX_TIMEOUT)
        if self.start_detector_enable:
            require_setting(self, DETECTOR)
        if self.random is None:
            self.random = JavaRandom(0)
        if self.create_topic_key is None:
            self.create_topic_key = self.row.default_topic
        if self.vip_channel_enabled is None:
            self.vip_channel_enabled = self.row.vip_channel
        self.retry_response_codes = set(self.row.retry_codes)
        self.mq_fault_strategy = self.row.fault_strategy(
            clock=self.clock, random=self.random, send_latency_fault_enable=self.send_latency_fault_enable
        )
        self.invoke_ids = JavaRandom(0)
        self.send_kernel = partial(send_kernel_impl, self)

    def start(self) -> DefaultMQProducer:
        """Begin to ask the name server regularly, and return the producer.

        The default topic is asked for too; where there is no route to one that the application chose, a warning is
        logged.

        Java: DefaultMQProducerImpl#start, MQClientInstance#startScheduledTask, all releases.
        """
        assert self.create_topic_key is not None
        self.topic_publish_info_table.setdefault(self.create_topic_key, no_publish_info(self, ""))
        self.remoting.after(10, partial(poll_name_server, self), POLL_NAME_SERVER_INTERVAL)
        self.remoting.after(1000, partial(clean_offline_broker, self), HEARTBEAT_BROKER_INTERVAL)
        if self.start_detector_enable:
            self.remoting.after(DETECT_PERIOD, partial(detect, self), DETECT_PERIOD)
        return self

    def add_retry_response_code(self, code: int) -> None:
        """Have one more answer of a broker tried again.

        Args:
            code: the broker's code.

        Raises:
            SendError: the release's codes are fixed.

        Java: DefaultMQProducer#addRetryResponseCode, 4.9.2 .. 4.9.8, 5.0.0-ALPHA .. 5.3.3.
        """
        require_setting(self, RETRY_CODES)
        self.retry_response_codes.add(code)

    def send(
        self,
        msg: Message | Sequence[Message],
        mq: MessageQueue | None = None,
        *,
        selector: MessageQueueSelector | None = None,
        arg: object = None,
        send_callback: SendCallback | None = None,
        timeout: int | None = None,
    ) -> SendResult | None:
        """Send a message, or a list of them as one batch.

        Args:
            msg: the message or the messages.
            mq: the queue to send to; by default the strategy picks one.
            selector: what chooses the queue instead.
            arg: what the selector gets beside the list and the message.
            send_callback: what hears of the outcome; with it the send is asynchronous.
            timeout: in milliseconds; the producer's if None.

        Returns:
            The result; None for an asynchronous send.

        Raises:
            JavaException: what Java throws, see `send_default_impl` and `send_select_impl`.
            SendError: a queue and a selector at once.

        Java: DefaultMQProducer#send, all releases (a list from 4.1.0-incubating).
        """
        one: Any = batch(self, msg) if isinstance(msg, list | tuple) else msg
        way = way_to_send(self, one, mq, selector, arg)
        timeout = self.send_msg_timeout if timeout is None else timeout
        require("timeout", timeout, int)
        if send_callback is None:
            return way(SYNC, None, timeout)
        send_async(self, way, send_callback, timeout)
        return None

    def send_oneway(
        self,
        msg: Message,
        mq: MessageQueue | None = None,
        *,
        selector: MessageQueueSelector | None = None,
        arg: object = None,
    ) -> None:
        """Send a message and do not wait for an answer: one attempt, and nothing is returned.

        Args:
            msg: the message.
            mq: the queue to send to; by default the strategy picks one.
            selector: what chooses the queue instead.
            arg: what the selector gets beside the list and the message.

        Raises:
            JavaException: what Java throws; a broker that cannot be connected to is noticed.
            SendError: a queue and a selector at once.

        Java: DefaultMQProducer#sendOneway, all releases.
        """
        way_to_send(self, msg, mq, selector, arg)(ONEWAY, None, self.send_msg_timeout)

    def select_one_message_queue(
        self, topic: TopicPublishInfo, last_broker_name: str | None, reset_index: bool = False
    ) -> MessageQueue:
        """Return the queue for the next attempt; see `rmqref.strategy.select_one_message_queue`."""
        return select_one_message_queue(self.mq_fault_strategy, topic, last_broker_name, reset_index)

    def update_fault_item(self, broker_name: str, current_latency: int, verdict: Verdict) -> int | None:
        """Tell the fault table of an attempt; see `rmqref.strategy.update_fault_item`."""
        return update_fault_item(
            self.mq_fault_strategy, broker_name, current_latency, verdict.isolation, verdict.reachable
        )


SETTINGS: dict[str, tuple[type | None, ...]] = {
    "producer_group": (str,),
    "create_topic_key": (str, None),
    "default_topic_queue_nums": (int,),
    "send_msg_timeout": (int,),
    "send_msg_max_timeout_per_request": (int,),
    "compress_msg_body_over_howmuch": (int,),
    "retry_times_when_send_failed": (int,),
    "retry_times_when_send_async_failed": (int,),
    "retry_another_broker_when_not_store_ok": (bool,),
    "max_message_size": (int,),
    "send_latency_fault_enable": (bool,),
    "start_detector_enable": (bool,),
    "vip_channel_enabled": (bool, None),
    "unit_mode": (bool,),
    "async_sender_wait": (int,),
}
"""What a producer can be told, and the classes that each value may be of."""


def require_setting(producer: DefaultMQProducer, name: str) -> None:
    """Refuse a setting that the release's producer does not have.

    Raises:
        SendError: it has none of that name.
    """
    if name not in producer.row.settings:
        raise SendError("error.setting", name=name, release=producer.row.version)


WayToSend = Callable[[CommunicationMode, SendCallback | None, int], SendResult | None]


def way_to_send(
    producer: DefaultMQProducer,
    msg: Message,
    mq: MessageQueue | None,
    selector: MessageQueueSelector | None,
    arg: object,
) -> WayToSend:
    """Return which of the three ways a send goes: to a given queue, by a selector, or by the strategy."""
    require("message", msg, Message)
    if mq is not None and selector is not None:
        raise SendError("error.send.both")
    if mq is not None:
        return partial(send_to_queue, producer, msg, mq)
    if selector is not None:
        return partial(send_select_impl, producer, msg, selector, arg)
    return partial(send_default_impl, producer, msg)


# --------------------------------------------------------------------------------------------------------- the loop


def send_default_impl(
    producer: DefaultMQProducer,
    msg: Message,
    communication_mode: CommunicationMode,
    send_callback: SendCallback | None,
    timeout: int,
) -> SendResult | None:
    """Send a message where the strategy says, and again on another queue as long as that is worth it.

    Args:
        producer: the producer.
        msg: the message.
        communication_mode: SYNC has `1 + retryTimesWhenSendFailed` attempts here, the other two have one.
        send_callback: what hears of an asynchronous outcome.
        timeout: in milliseconds, for each attempt up to 4.2.0, for all together from 4.3.0.

    Returns:
        The result; None for ASYNC and ONEWAY. After the last attempt the latest result, whatever its status.

    Raises:
        MQClientException: the message is not valid, the topic has no route, or every attempt failed.
        MQBrokerException: a broker answered with a code that is not tried again, and no attempt had a result.
        RemotingTooMuchRequestException: the time was over before an attempt; the real cause is not told.
        InterruptedException: the thread was interrupted.
        NegativeArraySizeException: `retryTimesWhenSendFailed` is below -1.

    Java: DefaultMQProducerImpl#sendDefaultImpl, all releases.
    """
    check_message(producer, msg)
    invoke_id = producer.invoke_ids.next_long()
    begin_timestamp_first = producer.clock()
    topic = try_to_find_topic_publish_info(producer, msg.topic)
    if not topic.ok():
        raise no_route_info(producer, msg.topic)
    mq: MessageQueue | None = None
    send_result, exception, call_timeout = None, None, False
    times_total = 1 + producer.retry_times_when_send_failed if communication_mode is SYNC else 1
    brokers_sent = java_array(times_total)
    times = 0
    while times < times_total:
        last_broker_name = None if mq is None else mq.broker_name
        mq = producer.select_one_message_queue(topic, last_broker_name, reset_index=times > 0)
        brokers_sent[times] = mq.broker_name
        begin_timestamp_prev = producer.clock()
        left = producer.row.time_budget(timeout, begin_timestamp_prev - begin_timestamp_first)
        if left is None:
            call_timeout = True
            break
        left = capped(left, producer.send_msg_max_timeout_per_request, times + 1 < times_total)
        try:
            send_result = producer.send_kernel(msg, mq, communication_mode, send_callback, topic, left)
        except CHECKED as thrown:
            exception = thrown
            note_failure(producer, mq, begin_timestamp_prev, thrown, invoke_id)
            if not is_retried(producer, thrown):
                return result_or_throw(send_result, thrown)
        else:
            producer.update_fault_item(mq.broker_name, producer.clock() - begin_timestamp_prev, STORED)
            if communication_mode is not SYNC:
                return None
            if is_good_enough(producer, send_result):
                return send_result
        times += 1
    if send_result is not None:
        return send_result
    raise gave_up(producer, msg, times, begin_timestamp_first, brokers_sent, exception, call_timeout)


def java_array(size: int) -> list[str | None]:
    """Return places for broker names, all null; Java makes them before the first attempt.

    Raises:
        NegativeArraySizeException: less than none are asked for.

    >>> java_array(2)
    [None, None]
    """
    if size < 0:
        raise NegativeArraySizeException(size)
    return [None] * size


def is_good_enough(producer: DefaultMQProducer, send_result: SendResult | None) -> bool:
    """Return whether a result ends the send: SEND_OK, or any status unless another broker is to be tried.

    Args:
        producer: the producer, for `retryAnotherBrokerWhenNotStoreOK`.
        send_result: the result of a synchronous attempt.

    Returns:
        True if it is returned to the caller.

    Raises:
        NullPointerException: there is no result.

    Java: part of DefaultMQProducerImpl#sendDefaultImpl, all releases.
    """
    if send_result is None:
        raise NullPointerException("sendResult")
    if send_result.send_status is SendStatus.SEND_OK:
        return True
    return not producer.retry_another_broker_when_not_store_ok


def is_retried(producer: DefaultMQProducer, exception: SendException) -> bool:
    """Return whether another attempt follows what an attempt threw.

    Args:
        producer: the producer, for its retry codes.
        exception: what was thrown.

    Returns:
        True for the network's and the client's own exceptions, for a broker's answer if its code is one of
        `retryResponseCodes`; False for an interruption.

    Java: part of DefaultMQProducerImpl#sendDefaultImpl, all releases.
    """
    if isinstance(exception, MQBrokerException):
        return exception.response_code in producer.retry_response_codes
    return not isinstance(exception, InterruptedException)


def result_or_throw(send_result: SendResult | None, exception: SendException) -> SendResult:
    """Return the result of an earlier attempt after a broker's refusal, or throw what the last attempt threw.

    Args:
        send_result: what an earlier attempt gave, or None.
        exception: what the last attempt threw.

    Returns:
        The earlier result; its status is not SEND_OK.

    Raises:
        MQBrokerException: the broker refused, and there is no earlier result.
        InterruptedException: the thread was interrupted.

    Java: part of DefaultMQProducerImpl#sendDefaultImpl, all releases.
    """
    if send_result is not None and isinstance(exception, MQBrokerException):
        return send_result
    raise exception


def note_failure(
    producer: DefaultMQProducer, mq: MessageQueue, begin: int, exception: SendException, invoke_id: int
) -> None:
    """Tell the fault table of a failed attempt, and log it.

    Args:
        producer: the producer.
        mq: the queue that was tried.
        begin: when the attempt began, in milliseconds.
        exception: what it threw.
        invoke_id: the number that all log lines of this send bear.

    Java: part of DefaultMQProducerImpl#sendDefaultImpl, all releases.
    """
    cost = producer.clock() - begin
    producer.update_fault_item(
        mq.broker_name, cost, producer.row.judge(exception, producer.start_detector_enable)
    )
    next_step = "throw exception" if isinstance(exception, InterruptedException) else "resend at once"
    line = producer.row.texts.retry_log.format(
        next_step=next_step, invoke_id=invoke_id, cost=cost, queue=in_java(mq)
    )
    producer.log.append(f"{line}\n{full_name(exception)}: {exception}")


def gave_up(
    producer: DefaultMQProducer,
    msg: Message,
    times: int,
    begin: int,
    brokers_sent: list[str | None],
    exception: SendException | None,
    call_timeout: bool,
) -> SendException:
    """Return what is thrown once no attempt is left, or no time.

    Args:
        producer: the producer.
        msg: the message.
        times: attempts made.
        begin: when the send began, in milliseconds.
        brokers_sent: the brokers picked; null where there was no attempt.
        exception: what the last failed attempt threw.
        call_timeout: whether the time was over; then the cause is lost.

    Returns:
        The exception, with the text that stands in a log.

    Java: part of DefaultMQProducerImpl#sendDefaultImpl, all releases.
    """
    if call_timeout:
        return RemotingTooMuchRequestException("sendDefaultImpl call timeout")
    brokers = ", ".join("null" if name is None else name for name in brokers_sent)
    info = (
        f"Send [{times}] times, still failed, cost [{producer.clock() - begin}]ms, "
        f"Topic: {msg.topic}, BrokersSent: [{brokers}]"
    )
    return MQClientException(suggest_todo(producer, info), exception, response_code_of(exception))


def response_code_of(exception: SendException | None) -> int:
    """Return the code that the final exception of a send bears.

    Args:
        exception: what the last failed attempt threw.

    Returns:
        The broker's own code, one of `ClientErrorCode`, or -1.

    Java: part of DefaultMQProducerImpl#sendDefaultImpl, all releases.

    >>> response_code_of(RemotingTimeoutException("10.0.0.1:10911", 3000))
    10002
    """
    match exception:
        case MQBrokerException():
            return exception.response_code
        case RemotingConnectException():
            return int(ClientErrorCode.CONNECT_BROKER_EXCEPTION)
        case RemotingTimeoutException():
            return int(ClientErrorCode.ACCESS_BROKER_TIMEOUT)
        case MQClientException():
            return int(ClientErrorCode.BROKER_NOT_EXIST_EXCEPTION)
    return -1


def send_select_impl(
    producer: DefaultMQProducer,
    msg: Message,
    selector: MessageQueueSelector,
    arg: object,
    communication_mode: CommunicationMode,
    send_callback: SendCallback | None,
    timeout: int,
) -> SendResult | None:
    """Send a message where a selector says: one attempt, and the fault table hears nothing of it.

    Args:
        producer: the producer.
        msg: the message.
        selector: what chooses the queue.
        arg: what the selector gets beside the list and the message.
        communication_mode: how to wait; an asynchronous send is tried again below, on the same broker.
        send_callback: what hears of an asynchronous outcome.
        timeout: in milliseconds.

    Returns:
        The result; None for ASYNC and ONEWAY.

    Raises:
        MQClientException: the message is not valid, the topic has no route, the selector threw (the cause is told)
            or returned None.
        MQBrokerException: the broker answered with a code that does not mean stored.
        RemotingException: no connection, no answer in time, or the selector used the time up.

    Java: DefaultMQProducerImpl#sendSelectImpl, all releases.
    """
    begin = producer.clock()
    check_message(producer, msg)
    topic = try_to_find_topic_publish_info(producer, msg.topic)
    if not topic.ok():
        raise no_route_info(producer, msg.topic, "No route info for this topic, ", None)
    mqs = producer.row.selector_list(topic.message_queue_list)
    # With the list a release that copies it copies the message too.
    user_message = msg if mqs is topic.message_queue_list else replace(msg)
    try:
        mq = selector(mqs, user_message, arg)
    except Exception as cause:
        raise mq_client_exception(producer, producer.row.texts.selector, cause) from cause
    left = producer.row.time_budget(timeout, producer.clock() - begin)
    if left is None:
        raise RemotingTooMuchRequestException("sendSelectImpl call timeout")
    if mq is None:
        raise mq_client_exception(producer, "select message queue return null.")
    require("queue of the selector", mq, MessageQueue)
    return producer.send_kernel(msg, mq, communication_mode, send_callback, None, left)


def send_to_queue(
    producer: DefaultMQProducer,
    msg: Message,
    mq: MessageQueue,
    communication_mode: CommunicationMode,
    send_callback: SendCallback | None,
    timeout: int,
) -> SendResult | None:
    """Send a message to a given queue: one attempt, with the whole time, and no fault table.

    Args:
        producer: the producer.
        msg: the message.
        mq: the queue.
        communication_mode: how to wait.
        send_callback: what hears of an asynchronous outcome.
        timeout: in milliseconds.

    Returns:
        The result; None for ASYNC and ONEWAY.

    Raises:
        MQClientException: the message is not valid, or of another topic than the queue; ONEWAY does not compare them.
        MQBrokerException: the broker answered with a code that does not mean stored.
        RemotingException: no connection, or no answer in time.

    Java: DefaultMQProducerImpl#send(Message, MessageQueue, long), all releases.
    """
    require("queue", mq, MessageQueue)
    check_message(producer, msg)
    if msg.topic != mq.topic and communication_mode is not ONEWAY:
        words = "message's topic not equal mq's topic"
        if communication_mode is ASYNC:
            words = producer.row.texts.async_mismatch
        raise mq_client_exception(producer, words)
    return producer.send_kernel(msg, mq, communication_mode, send_callback, None, timeout)


# ------------------------------------------------------------------------------------------------------- the route


def try_to_find_topic_publish_info(producer: DefaultMQProducer, topic: str) -> TopicPublishInfo:
    """Return the publish info of a topic: kept, else from the name server, else from the default topic's route.

    Args:
        producer: the producer.
        topic: the topic's name.

    Returns:
        The publish info; one without queues if nothing was found.

    Raises:
        IllegalStateException: the name server could not be asked (from 4.6.0).

    Java: DefaultMQProducerImpl#tryToFindTopicPublishInfo, all releases.
    """
    publish_info = producer.topic_publish_info_table.get(topic)
    if publish_info is None or not publish_info.ok():
        producer.topic_publish_info_table.setdefault(topic, no_publish_info(producer, topic))
        update_topic_route_info_from_name_server(producer, topic)
        publish_info = producer.topic_publish_info_table[topic]
    if publish_info.have_topic_router_info or publish_info.ok():
        return publish_info
    update_topic_route_info_from_name_server(producer, topic, is_default=True)
    return producer.topic_publish_info_table[topic]


def update_topic_route_info_from_name_server(
    producer: DefaultMQProducer, topic: str, is_default: bool = False
) -> bool:
    """Ask the name server for a topic's route, and expand it anew if it differs from the kept one.

    Args:
        producer: the producer.
        topic: the topic's name.
        is_default: whether to take the default topic's route for it, each broker with at most
            `defaultTopicQueueNums` queues.

    Returns:
        Whether the publish info was made anew; then its counter starts anew too.

    Raises:
        IllegalStateException: the name server could not be asked (from 4.6.0).

    Java: MQClientInstance#updateTopicRouteInfoFromNameServer, all releases.
    """
    asked = default_topic(producer) if is_default else topic
    try:
        route = producer.remoting.get_topic_route_info(asked)
    except RemotingException as problem:
        producer.log.append(f"updateTopicRouteInfoFromNameServer Exception\n{full_name(problem)}: {problem}")
        if producer.row.throws_without_name_server:
            raise IllegalStateException(f"{full_name(problem)}: {problem}", problem) from problem
        return False
    if route is None:
        if not topic.startswith(RETRY_GROUP_TOPIC_PREFIX) and topic != producer.row.default_topic:
            producer.log.append(
                f"updateTopicRouteInfoFromNameServer Exception\n"
                f"CODE: {int(ResponseCode.TOPIC_NOT_EXIST)}  "
                f"DESC: No topic route info in name server for the topic: {asked}"
            )
        return False
    if is_default:
        for queue_data in route.queue_datas:
            queue_nums = min(producer.default_topic_queue_nums, queue_data.read_queue_nums)
            queue_data.read_queue_nums = queue_data.write_queue_nums = queue_nums
    kept = producer.topic_publish_info_table.get(topic)
    if producer.topic_route_table.get(topic) == route and (kept is None or kept.ok()):
        return False
    for broker_data in route.broker_datas:
        producer.broker_addr_table[broker_data.broker_name] = dict(broker_data.broker_addrs)
    publish_info = producer.row.topic(route, topic, random=producer.random)
    publish_info.have_topic_router_info = True
    producer.topic_publish_info_table[topic] = publish_info
    producer.topic_route_table[topic] = route
    return True


def default_topic(producer: DefaultMQProducer) -> str:
    """Return the topic whose route stands in for that of a topic without one.

    Args:
        producer: the producer, for its `createTopicKey`.

    Returns:
        A topic's name. From 5.1.1 what the producer was told is not looked at.

    Java: part of MQClientInstance#updateTopicRouteInfoFromNameServer, all releases.
    """
    key = producer.create_topic_key if producer.row.asks_create_topic_key else producer.row.default_topic
    assert key is not None
    return key


def no_publish_info(producer: DefaultMQProducer, topic: str) -> TopicPublishInfo:
    """Return a publish info without queues."""
    return producer.row.topic(TopicRouteData([], []), topic, random=producer.random)


def no_route_info(
    producer: DefaultMQProducer,
    topic: str,
    words: str | None = None,
    code: int | None = int(ClientErrorCode.NOT_FOUND_TOPIC_EXCEPTION),
) -> SendException:
    """Return what is thrown for a topic without a route; up to 4.5.2 a selector's send asks no further."""
    asks_further = code is not None or producer.row.throws_without_name_server
    if asks_further and not producer.remoting.has_name_server():
        info = suggest_todo(producer, "No name server address, please set it.")
        return MQClientException(info, None, int(ClientErrorCode.NO_NAME_SERVER_EXCEPTION))
    if code is None:
        return mq_client_exception(producer, f"{words}{topic}")
    return MQClientException(suggest_todo(producer, f"{producer.row.texts.no_route}{topic}"), None, code)


def poll_name_server(producer: DefaultMQProducer) -> None:
    """Ask the name server for the route of every topic that the producer knows; done every 30 s.

    Java: MQClientInstance#updateTopicRouteInfoFromNameServer(), all releases.
    """
    for topic in list(producer.topic_publish_info_table):
        try:
            update_topic_route_info_from_name_server(producer, topic or default_topic(producer))
        except IllegalStateException as problem:
            producer.log.append(f"ScheduledTask updateTopicRouteInfoFromNameServer exception\n{problem}")


def clean_offline_broker(producer: DefaultMQProducer) -> None:
    """Forget the addresses of brokers that are in no route any more; done with every heartbeat.

    Java: MQClientInstance#cleanOfflineBroker, all releases.
    """
    routed = {
        data.broker_name for route in producer.topic_route_table.values() for data in route.broker_datas
    }
    for broker_name in [name for name in producer.broker_addr_table if name not in routed]:
        del producer.broker_addr_table[broker_name]


def detect(producer: DefaultMQProducer) -> None:
    """Probe the brokers of the fault table; done every 3 s where the detector was started.

    Java: LatencyFaultToleranceImpl#startDetector, 5.1.4 .. 5.3.3.
    """
    detect_by_one_round(
        producer.mq_fault_strategy.latency_fault_tolerance,
        partial(find_broker_address_in_publish, producer),
        producer.remoting.probe,
    )


def find_broker_address_in_publish(producer: DefaultMQProducer, broker_name: str) -> str | None:
    """Return the address of a broker's master, or None if the producer knows none.

    Java: MQClientInstance#findBrokerAddressInPublish, all releases.
    """
    return producer.broker_addr_table.get(broker_name, {}).get(MASTER_ID)


def broker_vip_channel(is_change: bool, addr: str) -> str:
    """Return the address that requests go to: with the VIP channel, the port two below.

    Args:
        is_change: whether the VIP channel is used, the default up to 4.4.0.
        addr: `host:port`.

    Returns:
        `host:port`.

    Java: MixAll#brokerVIPChannel, all releases.

    >>> broker_vip_channel(True, "10.0.0.1:10911")
    '10.0.0.1:10909'
    """
    if not is_change:
        return addr
    host, _, port = addr.rpartition(":")
    return f"{host}:{int(port) - 2}"


# ------------------------------------------------------------------------------------------------------ one attempt


def send_kernel_impl(
    producer: DefaultMQProducer,
    msg: Message,
    mq: MessageQueue,
    communication_mode: CommunicationMode,
    send_callback: SendCallback | None,
    topic: TopicPublishInfo | None,
    timeout: int,
) -> SendResult | None:
    """Make the request and send it to the broker of the queue: one attempt.

    Args:
        producer: the producer.
        msg: the message.
        mq: the queue.
        communication_mode: how to wait.
        send_callback: what hears of an asynchronous outcome.
        topic: what the retries of an asynchronous send pick from; None keeps them on their broker.
        timeout: in milliseconds.

    Returns:
        The result; None for ASYNC and ONEWAY.

    Raises:
        MQClientException: the broker's address is not known.
        MQBrokerException: the broker answered with a code that does not mean stored.
        RemotingException: no connection, no answer in time, or no time left.

    Java: DefaultMQProducerImpl#sendKernelImpl, all releases.
    """
    begin = producer.clock()
    addr = find_broker_address_in_publish(producer, mq.broker_name)
    if addr is None:
        try_to_find_topic_publish_info(producer, mq.topic)
        addr = find_broker_address_in_publish(producer, mq.broker_name)
        if addr is None:
            raise mq_client_exception(producer, f"The broker[{mq.broker_name}] not exist")
    addr = broker_vip_channel(bool(producer.vip_channel_enabled), addr)
    request = send_request(producer, msg, mq)
    left = producer.row.time_budget(timeout, producer.clock() - begin)
    if left is None:
        raise RemotingTooMuchRequestException("sendKernelImpl call timeout")
    match communication_mode:
        case CommunicationMode.SYNC:
            response = producer.remoting.invoke_sync(addr, request, left)
            return process_send_response(producer, mq.broker_name, request, response, addr)
        case CommunicationMode.ONEWAY:
            producer.remoting.invoke_oneway(addr, request, left)
        case CommunicationMode.ASYNC:
            flight = AsyncFlight(request, send_callback, topic)
            send_message_async(producer, flight, addr, mq.broker_name, left)
    return None


def send_request(producer: DefaultMQProducer, msg: Message, mq: MessageQueue) -> SendRequest:
    """Return the request: every field of the header, and the body, compressed if it is large.

    Args:
        producer: the producer.
        msg: the message; it gets its unique id here if it has none.
        mq: the queue.

    Returns:
        The request.

    Java: part of DefaultMQProducerImpl#sendKernelImpl, all releases.
    """
    is_batch = isinstance(msg, MessageBatch)
    if not is_batch:
        set_unique_id(producer, msg)
    body, sys_flag = msg.body, 0
    # Batches are not compressed.
    if not is_batch and len(body) >= producer.compress_msg_body_over_howmuch:
        body = zlib.compress(body, COMPRESS_LEVEL)
        sys_flag = COMPRESSED_FLAG | producer.row.compression_type
    assert producer.create_topic_key is not None
    header = SendMessageRequestHeader(
        producer_group=producer.producer_group,
        topic=msg.topic,
        default_topic=producer.create_topic_key,
        default_topic_queue_nums=producer.default_topic_queue_nums,
        queue_id=mq.queue_id,
        sys_flag=sys_flag,
        born_timestamp=producer.clock(),
        flag=msg.flag,
        properties=message_properties_to_string(msg),
        reconsume_times=0,
        unit_mode=producer.unit_mode,
        batch=is_batch if producer.row.has_batch else None,
        bname=mq.broker_name if producer.row.has_bname else None,
    )
    return SendRequest(header, msg, body)


HEADER_SOURCES = (
    ("producer_group", "producer"),
    ("topic", "message"),
    ("default_topic", "producer"),
    ("default_topic_queue_nums", "producer"),
    ("queue_id", "pick"),
    ("sys_flag", "body"),
    ("born_timestamp", "clock"),
    ("flag", "message"),
    ("properties", "message"),
    ("reconsume_times", "consumer"),
    ("unit_mode", "producer"),
    ("batch", "call"),
    ("bname", "pick"),
)
"""The fields of a request's header, and where each comes from: a word of the catalogue."""


def message_properties_to_string(msg: Message) -> str:
    r"""Return a message's properties as they travel: name, 1, value, 2, and so on.

    Java: MessageDecoder#messageProperties2String, all releases (there in the order of a HashMap).

    >>> message_properties_to_string(Message("T", b"x", tags="a"))
    'TAGS\x01a\x02WAIT\x01true\x02'
    """
    return "".join(f"{name}\x01{value}\x02" for name, value in msg.properties.items())


def set_unique_id(producer: DefaultMQProducer, msg: Message) -> None:
    """Give a message its id if it has none: a retry keeps the one of the first attempt.

    Java: MessageClientIDSetter#setUniqID, all releases (there made of address, process, time and a counter).
    """
    if msg.unique_id is None:
        producer.ids_given += 1
        msg.unique_id = f"7F00000100010000{producer.ids_given:016X}"


def process_send_response(
    producer: DefaultMQProducer,
    broker_name: str,
    request: SendRequest,
    response: SendResponse,
    addr: str | None,
) -> SendResult:
    """Return the result that an answer means.

    Args:
        producer: the producer.
        broker_name: the broker that was asked.
        request: what it was asked.
        response: its answer.
        addr: its address.

    Returns:
        A result with the queue id of the *answer*.

    Raises:
        MQBrokerException: the code is none of the four that mean stored.

    Java: MQClientAPIImpl#processSendResponse, all releases.
    """
    send_status = STATUS_OF.get(response.code)
    if send_status is None:
        words = f"CODE: {response.code}  DESC: {response.remark}{producer.row.texts.broker.format(addr=addr)}"
        raise MQBrokerException(response.code, attach_default_url(producer, words))
    message_queue = MessageQueue(request.header.topic, broker_name, response.queue_id)
    msg = request.message
    ids = [m.unique_id for m in msg.messages] if isinstance(msg, MessageBatch) else [msg.unique_id]
    return SendResult(
        send_status,
        message_queue,
        response.queue_offset,
        ",".join(unique_id for unique_id in ids if unique_id is not None),
        response.msg_id,
    )


# ---------------------------------------------------------------------------------------------------- asynchronous


@dataclass(slots=True)
class AsyncFlight:
    """An asynchronous send on its way: what all its attempts share.

    Args:
        request: the request; a retry sends the same one, so its queue id stays that of the first pick.
        send_callback: what hears of the outcome.
        topic: what a retry picks its broker from; None keeps it on its broker.
        times: failures so far.
    """

    request: SendRequest
    send_callback: SendCallback | None
    topic: TopicPublishInfo | None
    times: int = 0


def send_async(
    producer: DefaultMQProducer, way: WayToSend, send_callback: SendCallback, timeout: int
) -> None:
    """Send in the background: the time counts from here, not from when a thread takes it up.

    Args:
        producer: the producer.
        way: how the queue is found.
        send_callback: what hears of the outcome, and from 4.3.0 of everything that is thrown.
        timeout: in milliseconds.

    Raises:
        MQClientException: too many sends wait for a thread (from 4.3.0).
        JavaException: up to 4.2.0, where it is sent on the caller's thread, whatever the send throws.

    Java: DefaultMQProducerImpl#send(Message, SendCallback, long), all releases.
    """
    require("send_callback", send_callback, SendCallback)
    if not producer.row.sends_async_in_pool:
        way(ASYNC, send_callback, timeout)
        return
    if producer.async_sends_waiting >= ASYNC_SENDER_QUEUE:
        by_selector = way_name(way) == "send_select_impl"
        words = producer.row.texts.rejected_select if by_selector else "executor rejected "
        raise mq_client_exception(producer, words)
    producer.async_sends_waiting += 1
    run = partial(run_async, producer, way, send_callback, timeout, producer.clock())
    producer.remoting.after(producer.async_sender_wait, run)


def run_async(
    producer: DefaultMQProducer, way: WayToSend, send_callback: SendCallback, timeout: int, begin: int
) -> None:
    """Make the first attempt of an asynchronous send on a thread of the pool, if there is still time.

    Args:
        producer: the producer.
        way: how the queue is found.
        send_callback: what hears of the outcome.
        timeout: in milliseconds.
        begin: when the application called, in milliseconds.

    Java: the Runnable of DefaultMQProducerImpl#send(Message, SendCallback, long), 4.3.0 .. 5.3.3.
    """
    producer.async_sends_waiting -= 1
    cost = producer.clock() - begin
    if timeout <= cost:
        words = "DEFAULT ASYNC send call timeout" if way_name(way) == "send_default_impl" else "call timeout"
        hear(producer, send_callback.on_exception, RemotingTooMuchRequestException(words))
        return
    try:
        way(ASYNC, send_callback, timeout - cost)
    except Exception as thrown:  # noqa: BLE001  # Java's pool catches Exception too: the callback hears of all
        hear(producer, send_callback.on_exception, thrown)


def way_name(way: WayToSend) -> str:
    """Return the name of the function that a way is."""
    return way.func.__name__ if isinstance(way, partial) else getattr(way, "__name__", "")


def send_message_async(
    producer: DefaultMQProducer, flight: AsyncFlight, addr: str | None, broker_name: str, timeout: int
) -> None:
    """Send a request and say what its answer means, whenever it comes.

    Args:
        producer: the producer.
        flight: the send.
        addr: the broker's address.
        broker_name: the broker.
        timeout: in milliseconds.

    Raises:
        RemotingException: no connection could be made (up to 4.9.2 and in 5.0.0-PREVIEW).

    Java: MQClientAPIImpl#sendMessageAsync, all releases.
    """
    begin = producer.clock()
    complete = partial(operation_complete, producer, flight, addr, broker_name, timeout, begin)
    try:
        if addr is None:
            raise RemotingConnectException("null")
        producer.remoting.invoke_async(
            addr,
            flight.request,
            timeout,
            complete,
            row=producer.row,
        )
    except RemotingException as thrown:
        if not producer.row.catches_connect_failure:
            raise thrown  # noqa: TRY201  # a bare raise cannot be seen by one who steps through
        cost = producer.clock() - begin
        producer.update_fault_item(broker_name, cost, Verdict(isolation=True, reachable=False))
        left = producer.row.async_time_budget(timeout, cost)
        on_exception_impl(producer, flight, broker_name, left, thrown, need_retry=True)


def operation_complete(
    producer: DefaultMQProducer,
    flight: AsyncFlight,
    addr: str | None,
    broker_name: str,
    timeout: int,
    begin: int,
    response: SendResponse | None,
    failure: SendException | None,
) -> None:
    """Say what became of an asynchronous attempt; only one that got no answer is tried again.

    Args:
        producer: the producer.
        flight: the send.
        addr: the broker's address.
        broker_name: the broker.
        timeout: what the attempt had, in milliseconds.
        begin: when it began, in milliseconds.
        response: the answer, or None.
        failure: what went wrong if there is no answer.

    Java: the InvokeCallback of MQClientAPIImpl#sendMessageAsync, all releases.
    """
    cost = producer.clock() - begin
    left = producer.row.async_time_budget(timeout, cost)
    if response is None:
        producer.update_fault_item(broker_name, cost, Verdict(isolation=True))
        need_retry = not (
            producer.row.too_much_request_ends_async and isinstance(failure, RemotingTooMuchRequestException)
        )
        told = mq_client_exception(producer, async_words(producer, failure, timeout, cost), failure)
        on_exception_impl(producer, flight, broker_name, left, told, need_retry)
        return
    try:
        send_result = process_send_response(producer, broker_name, flight.request, response, addr)
    except MQBrokerException as thrown:
        producer.update_fault_item(broker_name, cost, Verdict(isolation=True))
        on_exception_impl(producer, flight, broker_name, left, thrown, need_retry=False)
        return
    if flight.send_callback is not None:
        hear(producer, flight.send_callback.on_success, send_result)
    producer.update_fault_item(broker_name, producer.clock() - begin, STORED)


def async_words(producer: DefaultMQProducer, failure: SendException | None, timeout: int, cost: int) -> str:
    """Return what the callback is told of an attempt without an answer."""
    if not isinstance(failure, RemotingTimeoutException):
        return producer.row.texts.unknown_reason
    return producer.row.texts.async_timeout.format(timeout=timeout, cost=cost)


def on_exception_impl(
    producer: DefaultMQProducer,
    flight: AsyncFlight,
    broker_name: str,
    timeout: int,
    exception: Exception,
    need_retry: bool,
) -> None:
    """Try an asynchronous send again on another broker, with the same request; or tell the callback.

    Args:
        producer: the producer.
        flight: the send.
        broker_name: the broker that failed.
        timeout: what is left for a retry, in milliseconds.
        exception: what the callback is told if there is none.
        need_retry: whether another attempt is worth it.

    Raises:
        NullPointerException: a retry of a send to a given queue, in 4.0.0-incubating.

    Java: MQClientAPIImpl#onExceptionImpl, all releases.
    """
    flight.times += 1
    if not need_retry or flight.times > producer.retry_times_when_send_async_failed:
        return tell(producer, flight, exception)
    if producer.row.async_checks_time and timeout <= 0:
        return tell(producer, flight, exception)
    retry_broker_name = broker_name
    if flight.topic is not None:
        retry_broker_name = producer.select_one_message_queue(flight.topic, broker_name).broker_name
    elif not producer.row.async_checks_topic:
        raise NullPointerException("topicPublishInfo")
    addr = find_broker_address_in_publish(producer, retry_broker_name)
    producer.log.append(
        producer.row.texts.async_log.format(
            times=flight.times,
            topic=flight.request.header.topic,
            addr=addr,
            broker=retry_broker_name,
        )
    )
    try:
        send_message_async(producer, flight, addr, retry_broker_name, timeout)
    except RemotingTooMuchRequestException as thrown:
        on_exception_impl(producer, flight, retry_broker_name, timeout, thrown, need_retry=False)
    except RemotingException as thrown:
        # The broker noted is the one *before* the retry, with a made-up 3000 ms, up to 4.9.2.
        producer.update_fault_item(broker_name, 3000, Verdict(isolation=True))
        on_exception_impl(producer, flight, retry_broker_name, timeout, thrown, need_retry=True)
    return None


def tell(producer: DefaultMQProducer, flight: AsyncFlight, exception: Exception) -> None:
    """Tell the callback what an asynchronous send came to."""
    if flight.send_callback is not None:
        hear(producer, flight.send_callback.on_exception, exception)


def hear(producer: DefaultMQProducer, listener: Callable[[Any], None], told: object) -> None:
    """Tell an application's callback; what it throws ends there, as in Java, and is logged.

    Java: part of MQClientAPIImpl#sendMessageAsync and #onExceptionImpl, all releases.
    """
    try:
        listener(told)
    except Exception as thrown:  # noqa: BLE001  # whatever an application's own code throws
        producer.log.append(f"callback threw {type(thrown).__name__}: {thrown}")


# ----------------------------------------------------------------------------------------------- messages and words


def batch(producer: DefaultMQProducer, messages: Iterable[Message]) -> MessageBatch:
    """Return several messages as one.

    Args:
        producer: the producer.
        messages: at least one; each gets its unique id.

    Returns:
        The batch; its body holds all of them.

    Raises:
        MQClientException: a message is not valid, or the list breaks a rule of batches (the cause is told).
        SendError: the release knows no batches, or the list is empty.

    Java: DefaultMQProducer#batch, MessageBatch#generateFromList, 4.1.0-incubating .. 5.3.3.
    """
    if not producer.row.has_batch:
        raise SendError("error.batch", release=producer.row.version)
    messages = list(messages)
    if not messages:
        raise SendError("error.batch.empty")
    try:
        for message in messages:
            require("message of the batch", message, Message)
            check_batchable(messages[0], message, producer.row.texts.delay)
        for message in messages:
            check_message(producer, message)
            set_unique_id(producer, message)
    except SendException as cause:
        raise mq_client_exception(producer, "Failed to initiate the MessageBatch", cause) from cause
    first = messages[0]
    return MessageBatch(
        first.topic,
        b"".join(map(encoded, messages)),
        wait_store_msg_ok=first.wait_store_msg_ok,
        messages=messages,
    )


def check_batchable(first: Message, message: Message, delay_text: str = FROM_5_3_2.delay) -> None:
    """Refuse a message that may not travel with others.

    Args:
        first: the first message of the batch.
        message: one of them.
        delay_text: how the release words that it is delayed.

    Raises:
        UnsupportedOperationException: it is delayed, is one of a retry topic, or is of another topic than the first or
            waits otherwise.

    Java: MessageBatch#generateFromList, 4.1.0-incubating .. 5.3.3.

    >>> check_batchable(Message("orders"), Message("stock"))
    Traceback (most recent call last):
    rmqref.errors.UnsupportedOperationException: The topic of the messages in one batch should be the same
    """
    if message.delay_time_level > 0:
        raise UnsupportedOperationException(delay_text)
    if message.topic.startswith(RETRY_GROUP_TOPIC_PREFIX):
        raise UnsupportedOperationException("Retry Group is not supported for batching")
    if message.topic != first.topic:
        raise UnsupportedOperationException("The topic of the messages in one batch should be the same")
    if message.wait_store_msg_ok != first.wait_store_msg_ok:
        raise UnsupportedOperationException("The waitStoreMsgOK of the messages in one batch should the same")


def encoded(message: Message) -> bytes:
    """Return a message as it stands in the body of a batch: six numbers, the body, the properties.

    Java: MessageDecoder#encodeMessage, 4.1.0-incubating .. 5.3.3.

    >>> len(encoded(Message("T", b"paid", wait_store_msg_ok=True)))
    36
    """
    properties = message_properties_to_string(message).encode()
    size = 22 + len(message.body) + len(properties)
    head = struct.pack(">iiiii", size, 0, 0, message.flag, len(message.body))
    return head + message.body + struct.pack(">h", len(properties)) + properties


_TOPIC = re.compile(r"[%|a-zA-Z0-9_-]+")


def check_message(producer: DefaultMQProducer, msg: Message) -> None:
    """Refuse a message that no broker would take.

    Args:
        producer: the producer, for the largest size.
        msg: the message.

    Raises:
        MQClientException: its topic's name is blank, too long or has other signs than letters, digits and `%|_-`; or
            its body is empty or too large (code 13).

    Java: Validators#checkMessage, all releases.
    """
    require("message's topic", msg.topic, str)
    require("message's body", msg.body, bytes)
    if not msg.topic.strip():
        raise mq_client_exception(producer, "The specified topic is blank")
    if len(msg.topic) > producer.row.topic_max_length:
        raise mq_client_exception(
            producer,
            f"The specified topic is longer than topic max length {producer.row.topic_max_length}.",
        )
    if not _TOPIC.fullmatch(msg.topic):
        raise mq_client_exception(
            producer,
            f"The specified topic[{msg.topic}] contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$",
        )
    if producer.row.texts.default_topic and msg.topic == producer.row.default_topic:
        raise mq_client_exception(producer, producer.row.texts.default_topic.format(topic=msg.topic))
    if not msg.body:
        raise illegal_message(producer, "the message body length is zero")
    if len(msg.body) > producer.max_message_size:
        raise illegal_message(
            producer, f"the message body size over max value, MAX: {producer.max_message_size}"
        )


def illegal_message(producer: DefaultMQProducer, words: str) -> MQClientException:
    """Return the exception for a message that is not valid."""
    code = int(ResponseCode.MESSAGE_ILLEGAL)
    return MQClientException(attach_default_url(producer, f"CODE: {code}  DESC: {words}"), None, code)


def mq_client_exception(
    producer: DefaultMQProducer, words: str, cause: Exception | None = None
) -> MQClientException:
    """Return a client exception as Java words it: with the page that explains the unexpected."""
    return MQClientException(attach_default_url(producer, words), cause)


def suggest_todo(producer: DefaultMQProducer, words: str) -> str:
    """Return a text with the page that says what to do.

    Java: FAQUrl#suggestTodo, all releases.
    """
    return f"{words}\nSee {producer.row.texts.faq_url} for further details."


def attach_default_url(producer: DefaultMQProducer, words: str) -> str:
    """Return a text with the page that explains the unexpected, unless one is named already.

    Java: FAQUrl#attachDefaultURL, all releases.
    """
    if "\nSee " in words:
        return words
    return f"{words}\nFor more information, please visit the url, {producer.row.texts.faq_url}"


def in_java(mq: MessageQueue) -> str:
    """Return a queue as Java writes it in a log.

    Java: MessageQueue#toString, all releases.

    >>> in_java(MessageQueue("T", "broker-a", 2))
    'MessageQueue [topic=T, brokerName=broker-a, queueId=2]'
    """
    return f"MessageQueue [topic={mq.topic}, brokerName={mq.broker_name}, queueId={mq.queue_id}]"


def full_name(exception: Exception) -> str:
    """Return an exception's full name in Java.

    >>> full_name(RemotingTimeoutException("10.0.0.1:10911", 3000))
    'org.apache.rocketmq.remoting.exception.RemotingTimeoutException'
    """
    name = type(exception).__name__
    if isinstance(exception, RemotingException):
        return f"org.apache.rocketmq.remoting.exception.{name}"
    if isinstance(exception, MQClientException | MQBrokerException):
        return f"org.apache.rocketmq.client.exception.{name}"
    return f"java.lang.{name}"
