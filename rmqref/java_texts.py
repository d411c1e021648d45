"""What the Java client writes: the texts of exceptions and log lines that changed from release to release.

They are facts, spelling included: a person finds them in a log and searches for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class JavaTexts:
    """The texts of a release; a name in braces stands for what is filled in.

    Args:
        faq_url: the page that an exception's text points to.
        no_route: of the exception for a topic without a route; the topic follows.
        selector: of the exception for a selector that threw.
        broker: what the text of a broker's error ends with.
        async_timeout: what a callback is told of an answer that did not come in time.
        unknown_reason: what a callback is told of any other failure.
        async_late: of the exception for an asynchronous request without time left.
        async_mismatch: of the exception for an asynchronous send to a queue of another topic.
        rejected_select: of the exception for an asynchronous send with a selector while too many wait.
        delay: of the exception for a delayed message in a batch.
        default_topic: of the exception for a message to the default topic; empty where it may be sent.
        retry_log: the log line of a failed attempt.
        async_log: the log line of an asynchronous retry.

    Java: DefaultMQProducerImpl, MQClientAPIImpl, NettyRemotingClient, Validators, MessageBatch, FAQUrl, all releases.
    """

    faq_url: str
    no_route: str
    selector: str
    broker: str
    async_timeout: str
    unknown_reason: str
    async_late: str
    async_mismatch: str
    rejected_select: str
    delay: str
    default_topic: str
    retry_log: str
    async_log: str


FROM_5_3_2 = JavaTexts(
    faq_url="https://rocketmq.apache.org/docs/bestPractice/06FAQ",
    no_route="No route info of this topic: ",
    selector="select message queue threw exception.",
    broker=" BROKER: {addr}",
    async_timeout="wait response timeout, cost={cost}",
    unknown_reason="unknown reason",
    async_late="invokeAsync call the addr[{addr}] timeout",
    async_mismatch="Topic of the message does not match its target message queue",
    rejected_select="executor rejected ",
    delay="TimeDelayLevel is not supported for batching",
    default_topic="",
    retry_log="sendKernelImpl exception, {next_step}, InvokeID: {invoke_id}, RT: {cost}ms, Broker: {queue}",
    async_log="async send msg by retry {times} times. topic={topic}, brokerAddr={addr}, brokerName={broker}",
)
# A missing answer reaches the callback wrapped up, and is not known again.
FROM_5_3_0 = replace(FROM_5_3_2, async_timeout="unknown reason")
# The line is filled in by a logger that knows {} but no %s.
FROM_5_2_0 = replace(
    FROM_5_3_0,
    async_timeout="unknow reseaon",
    unknown_reason="unknow reseaon",
    retry_log="sendKernelImpl exception, {next_step}, InvokeID: %s, RT: %sms, Broker: %s",
)
FROM_5_1_0 = replace(FROM_5_2_0, async_timeout="wait response timeout {timeout}ms")
FROM_5_0_0 = replace(
    FROM_5_1_0, faq_url="http://rocketmq.apache.org/docs/faq/", retry_log=FROM_5_3_2.retry_log
)
FROM_4_9_4 = replace(FROM_5_0_0, async_mismatch="message's topic not equal mq's topic")
# The line is filled in by String.format, which knows %s but no {}.
FROM_4_9_3 = replace(
    FROM_4_9_4, async_log="async send msg by retry {{}} times. topic={{}}, brokerAddr={{}}, brokerName={{}}"
)
FROM_4_8_0 = replace(FROM_4_9_4, async_late="invokeAsync call timeout", rejected_select="exector rejected ")
FROM_4_7_1 = replace(FROM_4_8_0, selector="select message queue throwed exception.", broker="")
FROM_4_6_0 = replace(
    FROM_4_7_1, default_topic="The topic[{topic}] is conflict with AUTO_CREATE_TOPIC_KEY_TOPIC."
)
FROM_4_5_2 = replace(FROM_4_6_0, no_route="No route info of this topic, ")
FROM_4_3_0 = replace(FROM_4_5_2, delay="TimeDelayLevel in not supported for batching")
FROM_4_0_0 = replace(FROM_4_3_0, default_topic="The topic[{topic}] is conflict with default topic.")
