"""The rules of a send that releases differ in: how much time an attempt gets, and what an outcome says of a broker.

The loop itself, which asks them, is `rmqref.producer.send_default_impl`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rmqref.errors import InterruptedException, MQClientException, RemotingException, SendException
from rmqref.model import MessageQueue


class Verdict(NamedTuple):
    """What the fault table is told of the broker after an attempt.

    Args:
        isolation: whether a fixed latency is looked up instead of the measured one.
        reachable: whether the broker can be reached (used from 5.1.4).

    Java: the last arguments of DefaultMQProducerImpl#updateFaultItem, all releases (`reachable` from 5.1.4).
    """

    isolation: bool
    reachable: bool = True


STORED = Verdict(isolation=False)
"""After an answer with a status, whichever it is."""


def whole_timeout(timeout: int, cost: int) -> int | None:
    """Return the whole timeout: every attempt gets it anew.

    Args:
        timeout: what the send was given, in milliseconds.
        cost: what the attempts before took, in milliseconds; left aside.

    Returns:
        Milliseconds for this attempt.

    Java: part of DefaultMQProducerImpl#sendDefaultImpl, 4.0.0-incubating .. 4.2.0.

    >>> whole_timeout(3000, 2900)
    3000
    """
    return timeout


def remaining_timeout(timeout: int, cost: int) -> int | None:
    """Return what is left of the timeout, which all attempts share.

    Args:
        timeout: what the send was given, in milliseconds.
        cost: what the attempts before took, in milliseconds.

    Returns:
        Milliseconds for this attempt, 0 if exactly none are left; None if more than the timeout has passed.

    Java: part of DefaultMQProducerImpl#sendDefaultImpl, 4.3.0 .. 5.3.3 (issue ROCKETMQ-355).

    >>> remaining_timeout(3000, 2900), remaining_timeout(3000, 3000), remaining_timeout(3000, 3001)
    (100, 0, None)
    """
    return None if timeout < cost else timeout - cost


def capped(timeout: int, most: int, can_retry_again: bool) -> int:
    """Return an attempt's time, cut to the most that one request may take unless it is the last attempt.

    Args:
        timeout: what the attempt would get, in milliseconds.
        most: `sendMsgMaxTimeoutPerRequest` in milliseconds; -1 for no limit.
        can_retry_again: whether another attempt may follow.

    Returns:
        Milliseconds.

    Java: part of DefaultMQProducerImpl#sendDefaultImpl, 5.3.3 (issue 8997); earlier releases have no such limit.

    >>> (
    ...     capped(3000, 800, can_retry_again=True),
    ...     capped(3000, 800, can_retry_again=False),
    ...     capped(3000, -1, True),
    ... )
    (800, 3000, 3000)
    """
    return most if can_retry_again and -1 < most < timeout else timeout


def judge_every_failure_alike(exception: SendException, detector: bool) -> Verdict:
    """Return that the broker failed, whatever was thrown, but for an interruption.

    Args:
        exception: what the attempt threw.
        detector: not known to these releases; left aside.

    Returns:
        What the fault table is told.

    Java: part of DefaultMQProducerImpl#sendDefaultImpl, 4.0.0-incubating .. 5.1.3.

    >>> judge_every_failure_alike(MQClientException("The broker[broker-a] not exist"), detector=False)
    Verdict(isolation=True, reachable=True)
    """
    return Verdict(isolation=not isinstance(exception, InterruptedException))


def judge_by_class(exception: SendException, detector: bool) -> Verdict:
    """Return what the exception's class says: the broker's fault, the network's, or the client's own.

    Args:
        exception: what the attempt threw.
        detector: `startDetectorEnable`.

    Returns:
        What the fault table is told. A broker that *answers* with an error is noted as unreachable.

    Java: part of DefaultMQProducerImpl#sendDefaultImpl, 5.1.4 .. 5.3.3.

    >>> from rmqref.errors import MQBrokerException, RemotingConnectException
    >>> judge_by_class(RemotingConnectException("10.0.0.1:10911"), detector=False)
    Verdict(isolation=True, reachable=True)
    >>> judge_by_class(MQBrokerException(2, "busy"), detector=False)
    Verdict(isolation=True, reachable=False)
    """
    if isinstance(exception, MQClientException | InterruptedException):
        return Verdict(isolation=False)
    if isinstance(exception, RemotingException):
        return Verdict(isolation=True, reachable=not detector)
    return Verdict(isolation=True, reachable=False)


def no_time(timeout: int, cost: int) -> int:
    """Return 0: the retry of an asynchronous send gets no time.

    Args:
        timeout: what the attempt before had, in milliseconds; left aside.
        cost: what it took, in milliseconds; left aside.

    Returns:
        Milliseconds for the retry.

    Java: part of MQClientAPIImpl#sendMessageAsync, 4.0.0-incubating .. 4.6.1 (pull request 1800).

    >>> no_time(3000, 1200)
    0
    """
    return 0


def time_left(timeout: int, cost: int) -> int:
    """Return what the attempt before left of its time; negative where an answer was found missing late.

    Args:
        timeout: what the attempt before had, in milliseconds.
        cost: what it took, in milliseconds.

    Returns:
        Milliseconds for the retry.

    Java: part of MQClientAPIImpl#sendMessageAsync, 4.7.0 .. 5.3.3.

    >>> time_left(3000, 1200), time_left(3000, 4000)
    (1800, -1000)
    """
    return timeout - cost


def shared_list(mqs: list[MessageQueue]) -> Sequence[MessageQueue]:
    """Return the publish list itself: what a selector does to it, every thread sees.

    Args:
        mqs: the publish list.

    Returns:
        The same object.

    Java: part of DefaultMQProducerImpl#sendSelectImpl, 4.0.0-incubating .. 4.4.0.

    >>> mqs = [MessageQueue("T", "broker-a", 0)]
    >>> shared_list(mqs) is mqs
    True
    """
    return mqs


def copied_list(mqs: list[MessageQueue]) -> Sequence[MessageQueue]:
    """Return a copy of the publish list, made for every send.

    Args:
        mqs: the publish list.

    Returns:
        New queues in a new list.

    Java: MQAdminImpl#parsePublishMessageQueues, 4.5.1 .. 5.3.3.

    >>> mqs = [MessageQueue("T", "broker-a", 0)]
    >>> copied_list(mqs) == mqs, copied_list(mqs)[0] is mqs[0]
    (True, False)
    """
    return [replace(mq) for mq in mqs]
