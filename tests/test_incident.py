"""A log's lines become sends, attempts and causes; bodies are never kept, and what cannot be read is counted."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmqref.cli import main
from rmqref.incident import CAUSES, MOST_OPEN, Reading, classify, read_log
from rmqref.incident_report import Teller, told_log
from rmqref.log_entries import BLOCK, LOOKED_AT, blocks_of
from rmqref.messages import catalogue
from rmqref.releases import release

RESEND = "{prefix}sendKernelImpl exception, resend at once, InvokeID: {id}, RT: {rt}ms, Broker: MessageQueue [topic=Pay, brokerName={broker}, queueId={queue}]"
TIMEOUT = "org.apache.rocketmq.remoting.exception.RemotingTimeoutException: wait response on the channel <10.1.0.1:10911> timeout, 2999(ms)"
REFUSED = (
    "org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to <10.1.0.2:10911> failed"
)
BUSY = "org.apache.rocketmq.client.exception.MQBrokerException: CODE: 2  DESC: [TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, period in queue: 204ms, size of queue: 8 BROKER: 10.1.0.1:10911"
BODY = "Message{topic='Pay', flag=0, properties={UNIQ_KEY=0A01, WAIT=true}, body=[115, 101, 99, 114, 101, 116], transactionId='null'}"
GAVE_UP = "org.apache.rocketmq.client.exception.MQClientException: Send [3] times, still failed, cost [3001]ms, Topic: Pay, BrokersSent: [broker-a, broker-b, null]"
PREFIXES = {
    "4.2": "2018-01-15 10:20:31 WARN main - ",
    "4.9": "2022-08-02 16:22:05,917 WARN RocketmqClient - ",
    "5.3": "2025-03-11 08:15:02.100 WARN  [812] [pool-2] [o.a.r.c.i.p.DefaultMQProducerImpl#sendDefaultImpl:825] - ",
    "application": "2025-03-11T08:15:02.100+08:00  WARN 812 --- [nio-8080-exec-1] RocketmqClient : ",
}


def line(broker="broker-a", queue=3, invoke_id="7", rt="3004", prefix=PREFIXES["4.9"]):
    return RESEND.format(prefix=prefix, id=invoke_id, rt=rt, broker=broker, queue=queue)


def read(*lines):
    reading = Reading()
    return list(read_log([one.encode() for one in lines], reading)), reading


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize("end", ["", "\r"])
def test_an_attempt_is_read_whatever_stands_before_it(prefix, end):
    ((send,), reading) = read(line(prefix=prefix) + end, TIMEOUT + end, BODY + end)
    (attempt,) = send.attempts
    assert (attempt.topic, attempt.broker, attempt.queue, attempt.rt) == ("Pay", "broker-a", 3, 3004)
    assert (attempt.cause.name, attempt.cause.stored, attempt.budget) == ("timeout", "maybe", 2999)
    assert attempt.address == "10.1.0.1:10911"
    assert attempt.at.startswith(("2018", "2022", "2025"))
    assert (reading.lines, reading.sends, reading.unread) == (3, 1, 0)


def told(send, version, fault_switch=None):
    return "\n".join(Teller(release(version), fault_switch=fault_switch).lines_of_send(send))


def test_lines_of_two_threads_are_told_apart_and_the_last_one_finds_its_send():
    sends, reading = read(
        line(invoke_id="-5"),
        TIMEOUT,
        line("broker-b", 0, invoke_id="8"),
        REFUSED,
        line("broker-b", 1, invoke_id="-5", rt="2"),
        REFUSED,
        GAVE_UP,
    )
    first, other = sends
    assert [(attempt.broker, attempt.cause.name) for attempt in first.attempts] == [
        ("broker-a", "timeout"),
        ("broker-b", "connect"),
    ]
    assert (first.invoke_id, first.times, first.cost, first.brokers) == (
        "-5",
        3,
        3001,
        ("broker-a", "broker-b"),
    )
    assert (other.invoke_id, other.gave_up) == ("8", None)
    assert reading.causes == {"connect": 2, "timeout": 1}
    assert reading.brokers == {"broker-b": 2, "broker-a": 1}


def test_a_code_has_its_address_and_tells_what_the_release_does_next():
    ((send,), _) = read(line(rt="207"), BUSY)
    assert (send.attempts[0].code, send.attempts[0].address) == (2, "10.1.0.1:10911")
    old = told(send, "4.9.7", True)
    assert "code 2 is not tried again in 4.9.7, so the client gave up" in old
    assert "broker-a is avoided for 600 s" in old
    new = told(send, "5.3.3", None)
    assert "not tried again" not in new
    assert "avoided" not in new
    assert "not stored by these attempts" in new


def test_the_error_that_call_timeout_hides_is_told():
    hides = (
        "org.apache.rocketmq.remoting.exception.RemotingTooMuchRequestException: sendDefaultImpl call timeout"
    )
    ((send,), reading) = read(line(rt="3001"), TIMEOUT, "2022-08-02 ERROR order was not sent", hides)
    assert send.hidden_by == 4
    assert "which hides this error" in told(send, "4.9.7")
    assert reading.causes == {"timeout": 1}


def test_placeholders_that_were_not_filled_are_a_loss_and_tell_of_the_release():
    ((send,), reading) = read(
        "2023-05-01 10:00:00.000 WARN  [1] [t] [l] - sendKernelImpl exception, resend at once, InvokeID: %s, RT: %sms, Broker: %s",
        REFUSED,
    )
    (attempt,) = send.attempts
    assert (attempt.broker, attempt.rt, attempt.address) == ("", None, "10.1.0.2:10911")
    assert (reading.possible[0], reading.possible[-1]) == ("5.1.0", "5.2.0")
    assert "10.1.0.2:10911 failed after a time that the log lost" in told(send, "5.1.0")


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ("RemotingTooMuchRequestException: sendDefaultImpl call timeout", "budget"),
        ("RemotingTooMuchRequestException: sendSelectImpl call timeout", "budget"),
        ("RemotingTooMuchRequestException: sendKernelImpl call timeout", "kernel_late"),
        ("RemotingTooMuchRequestException: DEFAULT ASYNC send call timeout", "async_late"),
        ("MQClientException: executor rejected", "async_full"),
        ("MQClientException: No route info of this topic: Pay", "no_route"),
        ("MQClientException: The broker[broker-gone] not exist", "not_there"),
        ("MQBrokerException: CODE: 13  DESC: the message is illegal", "illegal"),
        (
            "MQBrokerException: CODE: 16  DESC: the broker[10.1.0.1] sending message is forbidden",
            "no_permission",
        ),
        ("MQBrokerException: CODE: 1  DESC: something", "answered"),
    ],
)
def test_an_error_on_its_own_has_a_cause(error, cause):
    ((send,), _) = read(f"org.apache.rocketmq.client.exception.{error}")
    assert send.attempts[0].cause.name == cause


def test_every_cause_has_its_sentence():
    for cause in CAUSES:
        assert f"log.cause.{cause.name}" in catalogue()
        assert cause.stored in ("no", "maybe")


def test_no_body_is_kept_and_what_cannot_be_read_is_counted_and_shown():
    broken = f"{PREFIXES['4.9']}sendKernelImpl exception, resend at once, InvokeID: ?, {BODY}"
    sends, reading = read(line(), TIMEOUT, BODY, broken)
    assert "115" not in "".join(told(send, "4.9.7") for send in sends) + str(sends) + str(reading)
    assert (reading.unread, reading.examples[0][0]) == (1, 4)
    assert reading.examples[0][1].startswith("2022-08-02")


def test_results_and_swallowed_exceptions_are_counted():
    _, reading = read(
        "SendResult [sendStatus=SEND_OK, msgId=7F, offsetMsgId=null, messageQueue=MessageQueue [topic=T, brokerName=b, queueId=0], queueOffset=1]",
        "2023 ERROR Error occurred when selecting message queue",
        "java.lang.NullPointerException: null",
    )
    assert reading.results == {"SEND_OK": 1}
    assert reading.swallowed == 1
    assert (reading.possible[0], reading.possible[-1]) == ("5.1.0", "5.1.3")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_command_tells_the_sends_and_the_totals(encoding, tmp_path, capsys):
    file = tmp_path / "client.log"
    file.write_bytes(
        "\r\n".join([line(), TIMEOUT, line("broker-b", 1, rt="2"), REFUSED, GAVE_UP, ""]).encode(encoding)
    )
    assert main(["log", str(file), "--release", "4.9.7", "--fault-switch", "on"]) == 1
    printed = capsys.readouterr().out
    assert "then the client tried broker-b" in printed
    assert "broker-a is avoided for 600 s" in printed
    assert "may be stored by attempts of which no answer is known, copies: up to 2" in printed
    assert "Sends with a failed attempt: 1; of these the log shows as failed in the end: 1." in printed
    assert "which is a guess" not in printed
    assert main(["log", str(file)]) == 1
    assert "told as 5.0.0, which is a guess" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "times", "cost", "brokers"),
    [  # public reports: alibaba/rocketmq 257, apache/rocketmq 3556
        (
            "Send [1] times, still failed, cost [3091]ms, Topic: T1, BrokersSent: [broker-a, null, null]",
            1,
            3091,
            ("broker-a",),
        ),
        (
            "Send [1] times, still failed, cost [5]ms, Topic: T2, BrokersSent: [broker-11]",
            1,
            5,
            ("broker-11",),
        ),
    ],
)
def test_the_last_line_alone_is_read_as_reports_have_it(said, times, cost, brokers):
    ((send,), _) = read(said)
    assert (send.times, send.cost, send.brokers, send.attempts) == (times, cost, brokers, [])
    assert "of which no answer is known" in told(send, "4.9.7")


def test_a_log_without_failures_ends_well_and_what_is_none_is_one_sentence(tmp_path, capsys):
    (tmp_path / "quiet.log").write_text("all is well\n")
    (tmp_path / "empty.log").touch()
    assert main(["log", str(tmp_path / "quiet.log")]) == 0
    assert main(["log", str(tmp_path / "empty.log")]) == 2
    assert "is empty." in capsys.readouterr().err
    assert main(["log", str(tmp_path)]) == 2
    assert main(["log", str(tmp_path / "quiet.log"), "--release", "9"]) == 2


KINDS_OF_LINES = [
    line(),
    line("broker-b", invoke_id="%s", rt="%s"),
    TIMEOUT,
    REFUSED,
    BUSY,
    PREFIXES["4.9"] + BODY,
    GAVE_UP,
    "Caused by: " + TIMEOUT,
    "Caused by: " + GAVE_UP,
    "\tat org.apache.rocketmq.client.exception.MQClientException.<init>",
    "RemotingTooMuchRequestException: sendDefaultImpl call timeout",
    "SendResult [sendStatus=SEND_OK, msgId=0A01,0A02, messageQueue=MessageQueue [topic=Pay, brokerName=b, queueId=0]]",
    "async send msg by retry 1 times. topic=Pay, brokerAddr=10.0.0.1:10911, brokerName=broker-b",
    "broker-a will be isolated for 10000 ms.",
    "broker-a is unreachable, it will not be used until it's reachable",
    "broker-a is reachable now, then it can be used.",
    "ERROR Error occurred when selecting message queue",
    "java.lang.NullPointerException: null",
    "send heart beat to broker failed",
]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(KINDS_OF_LINES).map(str.encode),
            st.binary(max_size=80),
            st.tuples(st.sampled_from(KINDS_OF_LINES), st.integers(0, 200)).map(
                lambda cut: cut[0].encode()[: cut[1]]
            ),
        ),
        max_size=20,
    )
)
def test_no_log_raises_and_every_send_is_counted(lines):
    reading = Reading()
    sends = list(read_log(lines, reading))
    assert reading.sends == len(sends)
    assert sum(reading.causes.values()) == sum(len(send.attempts) for send in sends)
    assert reading.failed == sum(send.is_failure for send in sends)
    for switch in (None, True, False):
        teller = Teller(release("5.3.3"), fault_switch=switch)
        assert all(teller.send_as_json(send)["says"] for send in sends)
        assert json.dumps(teller.reading_as_json(reading))


# ------------------------------------------------------------------------------------- what stands around an attempt


def result(key, broker="broker-b", queue=1, status="SEND_OK"):
    return f"INFO sent SendResult [sendStatus={status}, msgId={key}, offsetMsgId=0A, messageQueue=MessageQueue [topic=Pay, brokerName={broker}, queueId={queue}], queueOffset=5]"


MESSAGE = PREFIXES["4.9"] + BODY


def test_a_result_with_the_message_s_key_ends_its_send():
    ((send,), reading) = read(line(), TIMEOUT, MESSAGE, result("0A01"))
    assert (send.result, send.result_line, send.result_queue, send.maybe_stored) == (
        "SEND_OK",
        4,
        "broker-b : 1",
        1,
    )
    assert not send.is_failure
    assert (
        "stored in the end, SEND_OK from broker-b : 1 (line 4), and perhaps by failed attempts too"
        in told(send, "4.9.7")
    )
    ((send,), _) = read(line(), REFUSED, MESSAGE, result("0A01"))
    assert "stored in the end, SEND_OK from broker-b : 1 (line 4), and not by the failed attempts" in told(
        send, "4.9.7"
    )
    assert (reading.accepted, reading.messages) == ({"broker-b": 1}, 1)


def test_a_result_of_another_message_tells_nothing_of_the_send():
    ((send,), reading) = read(line(), TIMEOUT, MESSAGE, result("0A02"))
    assert (send.result, reading.results) == ("", {"SEND_OK": 1})


def test_whose_message_a_line_has_is_never_guessed():
    both = [line(invoke_id="1"), TIMEOUT, line("broker-b", invoke_id="2"), TIMEOUT, MESSAGE, result("0A01")]
    sends, _ = read(*both)
    assert [send.result for send in sends] == ["", ""]
    threads = [PREFIXES["4.2"], PREFIXES["4.2"].replace("main", "pool-7")]
    sends, _ = read(
        line(invoke_id="1", prefix=threads[0]),
        TIMEOUT,
        line("broker-b", invoke_id="2", prefix=threads[1]),
        TIMEOUT,
        threads[1] + BODY,
        result("0A01"),
    )
    assert [(send.invoke_id, send.result) for send in sends] == [("2", "SEND_OK"), ("1", "")]


def test_a_last_line_alone_has_the_last_attempt_s_error_as_its_cause():
    ((send,), reading) = read(
        "org.springframework.MessagingException: failed; nested exception is " + GAVE_UP,
        "See http://rocketmq.apache.org/docs/faq/ for further details.",
        "\tat org.apache.rocketmq.client.impl.producer.DefaultMQProducerImpl.sendDefaultImpl(X.java:667)",
        "Caused by: " + GAVE_UP,
        "Caused by: " + TIMEOUT,
        "Caused by: java.io.IOException: reset",
    )
    (attempt,) = send.attempts
    assert (attempt.broker, attempt.cause.name, attempt.shown) == ("broker-b", "timeout", 5)
    assert (send.untold, send.maybe_stored, reading.sends, reading.failed) == (2, 3, 1, 1)
    assert "attempt 3 to broker-b at 10.1.0.1:10911 failed" in told(send, "4.9.7")


@pytest.mark.parametrize(
    "lines",
    [
        ["2022 WARN send heart beat to broker[broker-a 0 10.0.0.1:10911] failed", REFUSED],
        ["2022 WARN execute the pull request exception", BUSY.replace("CODE: 2", "CODE: 1")],
        ["2022 WARN updateTopicRouteInfoFromNameServer Exception", REFUSED],
        [BUSY.replace("CODE: 2", "CODE: 25")],
        ["java.lang.IllegalStateException: disk full"],
        ["java.sql.SQLException: no permission"],
        ["java.lang.RuntimeException: order failed", "Caused by: java.io.IOException: channel close"],
    ],
)
def test_an_exception_that_is_of_no_send_is_no_failed_send(lines):
    assert read(*lines)[0] == []


def test_a_topic_without_a_route_at_the_name_server_is_counted():
    sends, reading = read(
        "org.apache.rocketmq.client.exception.MQClientException: CODE: 17  DESC: No topic route info in name server for the topic: Pay",
        "See http://rocketmq.apache.org/docs/faq/ for further details.",
    )
    assert (sends, reading.routeless) == ([], 1)
    assert "the name server had no route" in "\n".join(Teller(release("4.9.7")).lines_of_reading(reading))


def test_an_application_s_exception_is_looked_into():
    ((send,), reading) = read(
        line(rt="3001"),
        TIMEOUT,
        "2022-08-02 16:22:05,917 ERROR java.lang.RuntimeException: order failed",
        "Caused by: org.apache.rocketmq.remoting.exception.RemotingTooMuchRequestException: sendDefaultImpl call timeout",
    )
    assert (send.hidden_by, reading.failed) == (4, 1)
    ((send,), _) = read("java.lang.RuntimeException: order failed", "Caused by: " + BUSY)
    assert send.attempts[0].cause.name == "busy"


def test_an_error_that_the_application_gets_is_the_attempt_s_and_no_second_send():
    ((send,), reading) = read(line(rt="207"), BUSY, BODY, "2022-08-02 16:22:06,000 ERROR order failed", BUSY)
    assert (send.thrown_to_application, reading.sends, reading.failed, reading.causes) == (
        5,
        1,
        1,
        {"busy": 1},
    )
    assert "the application got this error (line 5), so the client gave up" in told(send, "5.3.3")


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 2, 0]])
def test_what_the_client_says_of_an_avoided_broker_proves_the_switch(order):
    prefix = PREFIXES["5.3"]
    lines = [prefix + "broker-a will be isolated for 10000 ms.", line(prefix=prefix), TIMEOUT]
    ((send,), reading) = read(
        *(lines[place] for place in order),
        prefix + "broker-a is unreachable, it will not be used until it's reachable",
        prefix.replace("02.100", "08.640") + "broker-a is reachable now, then it can be used.",
    )
    assert (send.attempts[0].isolated, send.attempts[0].isolated_line) == (10_000, order.index(0) + 1)
    assert "avoids broker-a for 10 s, until 2025-03-11 08:15:12.100 (line" in told(send, "5.3.3")
    avoided = reading.avoided["broker-a"]
    assert (avoided.times, avoided.unreachable, avoided.reachable, avoided.reachable_at) == (
        1,
        1,
        5,
        "2025-03-11 08:15:08.640",
    )
    assert (reading.possible[0], reading.possible[-1]) == ("5.1.4", "5.3.3")
    said = "\n".join(Teller(release("5.3.3"), fault_switch=False).lines_of_reading(reading))
    assert "The log says that the fault switch is on, and --fault-switch says off." in said


def test_who_is_avoided_depends_on_release_and_error():
    ((send,), _) = read(
        line(rt="3"), "org.apache.rocketmq.client.exception.MQClientException: The broker[broker-a] not exist"
    )
    assert "broker-a is avoided for 600 s, until 2022-08-02 16:32:05,917 (computed for 4.9.7)" in told(
        send, "4.9.7", True
    )
    assert "broker-a is not avoided because of this in 5.3.3" in told(send, "5.3.3", fault_switch=True)
    assert "avoided" not in told(send, "5.3.3")


ASYNC = "{prefix}async send msg by retry {times} times. topic={topic}, brokerAddr=10.0.0.2:10911, brokerName=broker-b"


def test_an_asynchronous_retry_is_an_attempt_that_failed_and_no_failed_send():
    prefix = PREFIXES["5.3"]
    (send,), reading = read(
        ASYNC.format(prefix=prefix, times=1, topic="Pay"),
        TIMEOUT,
        ASYNC.format(prefix=prefix, times=2, topic="Pay"),
        REFUSED,
    )
    assert [(one.broker, one.address, one.cause.name) for one in send.attempts] == [
        ("", "10.1.0.1:10911", "timeout"),
        ("broker-b", "10.1.0.2:10911", "connect"),
    ]
    assert (send.topic, send.retried_on, reading.failed) == ("Pay", "broker-b", 0)
    said = told(send, "5.3.3")
    assert "topic Pay, asynchronous:" in said
    assert "then the client tried broker-b; what came of it stands in the application's log" in said


def test_an_asynchronous_retry_of_4_9_3_lost_its_names():
    (send,), reading = read(
        PREFIXES["4.9"] + "async send msg by retry {} times. topic={}, brokerAddr={}, brokerName={}"
    )
    assert (send.topic, reading.possible) == ("", ("4.9.3",))
    assert "then the client tried (lost in the log)" in told(send, "4.9.3")


def test_results_of_batches_and_of_the_go_client():
    _, reading = read(
        result("0A01,0A02"),
        "SendResult [sendStatus=0, msgIds=0A03, offsetMsgId=0A, queueOffset=57, messageQueue=MessageQueue [topic=T, brokerName=broker-a, queueId=3]]",
        result("1") + " and " + result("2", "broker-c"),
    )
    assert reading.results == {"SEND_OK": 3, "0": 1}
    assert reading.accepted == {"broker-a": 1, "broker-b": 2, "broker-c": 1}
    said = "\n".join(Teller(release("4.9.7")).lines_of_reading(reading))
    assert "result 0 (what the Go client writes for SEND_OK)" in said
    assert "4 results are for 5 messages: some were sent as batches." in said


def test_an_interrupted_send_is_not_tried_again():
    ((send,), _) = read(
        line().replace("resend at once", "throw exception"),
        "java.lang.InterruptedException: sleep interrupted",
    )
    assert "an interrupted thread does not try again" in told(send, "4.9.7")


@pytest.mark.parametrize(
    ("words", "code", "period", "waiting"),
    [  # public reports: apache/rocketmq 5845 and 1494
        (
            "[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, period in queue: 208ms, size of queue: 8",
            None,
            208,
            8,
        ),
        (
            "CODE: 2  DESC: [TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, period in queue: 309ms, size of queue: 6",
            2,
            309,
            6,
        ),
    ],
)
def test_a_busy_broker_s_answer_has_its_numbers_and_nothing_is_stored(words, code, period, waiting):
    found = classify(words)
    assert (found.cause.name, found.cause.stored) == ("busy", "no")
    assert (found.code, found.period, found.waiting) == (code, period, waiting)


# ------------------------------------------------------------------------------------------------ how it is read in


@given(
    st.lists(st.text(alphabet="aß漢😀 \r", max_size=40), max_size=30),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_blocks_are_whole_lines_in_any_encoding(lines, encoding):
    said = "\n".join([*lines, ""])
    blocks = list(blocks_of(io.BytesIO(said.encode(encoding))))
    assert b"".join(blocks).decode() == said
    assert all(block.endswith(b"\n") for block in blocks)


class Endless(io.BytesIO):
    """A file of so many bytes that nobody holds."""

    def __init__(self, pattern, size):
        super().__init__()
        self.pattern, self.left = pattern, size

    def read(self, size=None):
        size = min(size, self.left)
        self.left -= size
        return (self.pattern * (size // len(self.pattern) + 1))[:size]


@pytest.mark.parametrize("pattern", [b"x", "\ufeffx".encode("utf-16-le"), b"x\n"])
def test_no_block_is_large_whatever_the_lines_are(pattern):
    assert max(map(len, blocks_of(Endless(pattern, 40 * BLOCK)))) <= 3 * BLOCK


@pytest.mark.parametrize(
    "part",
    [
        "CODE: 1  DESC: ",
        "Message{topic=",
        "a.",
        "InvokeID: 1, RT: 1ms, Broker: ",
        "will be isolated for ",
        "SendResult [",
    ],
)
def test_of_a_line_without_end_only_a_part_is_looked_at(part):
    long = "Exception " + part * (BLOCK // len(part))
    _, reading = read(long)
    assert reading.lines == 1
    assert all(len(said) <= LOOKED_AT for _, said in reading.examples)


def test_sends_that_never_end_are_taken_for_finished_the_oldest_first():
    reading = Reading()
    sends = read_log((line(invoke_id=str(number)).encode() for number in range(MOST_OPEN + 2)), reading)
    assert next(sends).invoke_id == "0"
    assert reading.sends == 1
    assert sum(1 for _ in sends) == MOST_OPEN + 1


def test_data_holds_each_send_and_the_totals(tmp_path, capsys):
    file = tmp_path / "client.log"
    file.write_text("\n".join([line(), TIMEOUT, BODY, line("broker-b", 1, rt="2"), REFUSED, GAVE_UP]))
    assert main(["log", str(file), "--json", "--release", "4.9.7"]) == 1
    send, totals = map(json.loads, capsys.readouterr().out.splitlines())
    assert send["send"]["attempts"][0]["cause"] == "timeout"
    assert send["send"]["maybe_stored"] == 2
    assert totals["files"] == [{"file": str(file), "first_line": 1, "last_line": 6}]
    assert "key" not in send["send"]
    assert (totals["totals"]["sends"], totals["totals"]["release"]) == (1, "4.9.7")
    assert send["send"]["says"][0].startswith("Send at 2022-08-02 16:22:05,917")


def test_nothing_of_a_log_is_left_in_an_anonymous_report(tmp_path, capsys):
    file = tmp_path / "secret.log"
    host = "org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to broker1.secret.corp:10911 failed"
    refused = "org.apache.rocketmq.client.exception.MQBrokerException: CODE: 17  DESC: topic[Secret] not exist BROKER: 10.1.2.3:10911"
    known = [line("secret-a").replace("Pay", "SecretTopic"), host, BODY, result("0AFF", "secret-b"), refused]
    file.write_text(
        "\n".join([*known, "sendKernelImpl exception of secret-c", "secret-d will be isolated for 5 ms."])
    )
    for form in ([], ["--json"]):
        assert main(["log", str(file), "--anonymise", "--fault-switch", "on", *form]) == 1
        printed = capsys.readouterr().out
        for name in ("ecret", "corp", "10.1.2.3", "0AFF", "0A01"):
            assert name not in printed


def test_the_bar_shows_how_far_a_log_is_read(tmp_path, capsys, monkeypatch):
    file = tmp_path / "client.log"
    file.write_text("nothing\n" * 20_000)
    monkeypatch.setattr("rmqref.cli.PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["log", str(file)]) == 0
    shown = capsys.readouterr().err
    assert "65,536 of 160,000 bytes read" in shown
    assert shown.endswith("160,000 of 160,000 bytes read\n")


def test_bytes_are_told_as_well_as_text():
    log = f"{line()}\r\n{TIMEOUT}"
    assert told_log(log.encode("utf-16"), "4.9.7") == told_log(log, "4.9.7")


# ------------------------------------------------------------------------------------- what a reader at hand once had

HOUR = "2022-08-02 {0} {1} RocketmqClient - "
CLIENT_14 = "org.apache.rocketmq.client.exception.MQBrokerException: CODE: 14  DESC: service not available now. BROKER: 10.0.0.1:10911"
CONNECT = "org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to 10.0.0.1:10911 failed"
CALL_TIMEOUT = (
    "org.apache.rocketmq.remoting.exception.RemotingTooMuchRequestException: sendDefaultImpl call timeout"
)
ONE_ATTEMPT = "org.apache.rocketmq.client.exception.MQClientException: Send [1] times, still failed, cost [3]ms, Topic: T, BrokersSent: [broker-a]"
SEE = "See http://rocketmq.apache.org/docs/faq/ for further details."


@pytest.mark.parametrize("stamp", ["2022-08-02 18:22:00,122", "18:22:00.122"])
@pytest.mark.parametrize("error", [CLIENT_14, CALL_TIMEOUT, CONNECT, ONE_ATTEMPT])
def test_other_work_of_the_client_ends_with_its_own_stack(stamp, error):
    (send,), reading = read(
        f"{stamp} WARN RocketmqClient - send heart beat to broker[broker-a 0 10.0.0.1:10911] failed",
        CONNECT,
        f"{stamp} ERROR [main] c.a.S - order 1 failed",
        error,
    )
    assert (send.at, reading.failed) == (stamp, 1)


@pytest.mark.parametrize("before", ["", "web_1  | ", "2024-01-02T03:04:05.678Z stdout F "])
def test_one_exception_with_its_causes_is_one_send(before):
    lines = [
        "org.springframework.messaging.MessagingException: " + ONE_ATTEMPT.partition(": ")[2],
        f"{SEE}; nested exception is {ONE_ATTEMPT}",
        SEE,
        "\tat org.apache.rocketmq.client.impl.producer.DefaultMQProducerImpl.sendDefaultImpl(X.java:1)",
        "Caused by: " + ONE_ATTEMPT,
        SEE,
        "Caused by: " + CONNECT,
    ]
    (send,), reading = read(
        "2022-08-02 10:00:00,000 ERROR [t1] c.a.S - failed", *(before + one for one in lines)
    )
    assert (reading.failed, send.maybe_stored, send.attempts[0].cause.name) == (1, 0, "connect")


@pytest.mark.parametrize(
    "end",
    [
        ("java.lang.IllegalStateException: x", "Caused by: " + CALL_TIMEOUT),
        ("org.springframework.MessagingException: x; nested exception is " + ONE_ATTEMPT,),
    ],
)
def test_an_exception_that_is_printed_again_is_the_same_send(end):
    again = (
        "2022-08-02 10:00:00,040 ERROR [t1] o.a.c.Servlet - Servlet.service() threw exception with root cause"
    )
    sends, reading = read("2022-08-02 10:00:00,000 ERROR [t1] c.a.S - failed", *end, again, *end)
    assert (len(sends), reading.failed) == (1, 1)
    sends, _ = read(
        "2022-08-02 10:00:00,000 ERROR [t1] c.a.S - failed",
        *end,
        again.replace("t1", "t2").replace("040", "041"),
        *end,
    )
    assert len(sends) == 2


def test_a_transaction_s_exception_has_the_deepest_cause():
    (send,), _ = read(
        "2022-08-02 10:00:00,000 ERROR [t1] c.a.S - failed",
        "org.apache.rocketmq.client.exception.MQClientException: send message Exception",
        "Caused by: " + ONE_ATTEMPT,
        "Caused by: " + CONNECT,
    )
    assert (send.gave_up, send.maybe_stored, send.attempts[0].cause.name) == (3, 0, "connect")


@pytest.mark.parametrize(
    "lines",
    [
        ["ERROR RocketmqClient - updateConsumeOffsetToBroker exception, MessageQueue [x]", CONNECT],
        [
            "ERROR RocketmqClient - lock failed",
            CONNECT,
            "\tat org.apache.rocketmq.client.impl.MQClientAPIImpl.lockBatchMQ(MQClientAPIImpl.java:1)",
        ],
        [
            "ERROR RocketmqClient - x",
            CONNECT,
            "\tat org.apache.rocketmq.client.impl.consumer.PullAPIWrapper.pullKernelImpl(PullAPIWrapper.java:1)",
        ],
        ["fetchConsumeOffsetFromBroker exception", CONNECT],
        [
            "org.apache.rocketmq.client.exception.MQClientException: Can not find Message Queue for this topic, T"
        ],
        [
            "org.apache.rocketmq.client.exception.MQClientException: The producer group[g] has been created before, specify another name please."
        ],
        [
            "org.apache.rocketmq.client.exception.MQClientException: The producer service state not OK, maybe started once, RUNNING"
        ],
    ],
)
def test_consumers_tools_and_starts_are_no_sends(lines):
    assert read(*lines)[0] == []


def test_a_last_line_goes_to_the_send_that_made_all_its_attempts():
    def attempt(number, thread, invoke_id, broker, queue):
        return [
            f"2022-08-02 10:00:00,1{number}0 WARN [{thread}] RocketmqClient - "
            + line(broker, queue, invoke_id=invoke_id, prefix=""),
            REFUSED,
        ]

    sends, _ = read(
        *attempt(0, "t1", "1", "broker-a", 3),
        *attempt(1, "t1", "1", "broker-b", 0),
        *attempt(2, "t1", "1", "broker-a", 0),
        *attempt(3, "t2", "2", "broker-a", 1),
        "2022-08-02 10:00:00,140 ERROR [t1] c.a.S - " + GAVE_UP.replace("null", "broker-a"),
    )
    assert [(send.invoke_id, send.gave_up, send.untold) for send in sends] == [("1", 9, 0), ("2", None, 0)]
    # and without threads: all attempts before some
    sends, _ = read(
        line("broker-a", invoke_id="1"),
        line("broker-b", invoke_id="1"),
        line("broker-a", invoke_id="2"),
        GAVE_UP,
    )
    assert [(send.invoke_id, send.gave_up) for send in sends] == [("1", 4), ("2", None)]


@pytest.mark.parametrize("error", [CALL_TIMEOUT, CONNECT])
def test_an_application_s_error_is_not_of_a_send_hours_before_or_of_another_thread(error):
    first = "2022-08-02 10:00:00,100 WARN [t1] RocketmqClient - " + line(prefix="")
    for header in (
        "2022-08-02 18:00:00,100 ERROR [t1] c.a.Pay - x",
        "2022-08-02 10:00:00,200 ERROR [t9] c.a.Pay - x",
    ):
        sends, reading = read(first, CONNECT, header, error)
        assert (len(sends), reading.failed) == (2, 1)
        assert sends[0].at == header[:23]


def test_a_reply_that_does_not_come_is_told_as_that():
    (send,), _ = read(
        "org.apache.rocketmq.client.exception.RequestTimeoutException: CODE: 10006  DESC: send request message to <T> OK, but wait reply message timeout, 3000 ms."
    )
    said = told(send, "5.3.3")
    assert "the request was stored, and the reply to it did not come in time" in said
    assert "not tried again" not in said
    assert "not stored" not in said


@pytest.mark.parametrize(
    "words",
    [
        "RemotingTimeoutException: invokeAsyncImpl tryAcquire semaphore timeout, 2999ms, waiting thread nums: 5 semaphoreAsyncValue: 0",
        "RemotingTooMuchRequestException: send message tryAcquire semaphoreAsyncNum timeout",
    ],
)
def test_a_client_s_own_limit_is_told_as_that(words):
    assert (classify(words).cause.name, classify(words).cause.stored) == ("async_full", "no")


def test_a_packed_log_is_read_and_what_is_no_text_is_refused(tmp_path, capsys):
    log = f"{line()}\n{TIMEOUT}\n".encode()
    assert told_log(gzip.compress(log)) == told_log(log)
    assert told_log(log.decode().encode("utf-16-le")) == told_log(log)
    assert told_log(log.decode().encode("utf-16-be")) == told_log(log)
    packed = gzip.compress(log)
    damaged = (packed[:40], packed[:20] + b"\xff" * 9 + packed[29:], packed[:-8] + b"\0" * 8)
    for content in (*damaged, gzip.compress(packed), b"\0\1\2" * 100):
        (tmp_path / "log").write_bytes(content)
        assert main(["log", str(tmp_path / "log")]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_file_that_is_no_client_s_log_is_told_to_be_none():
    assert "is it the right file?" in told_log("hello")
    assert "is it the right file?" not in told_log(result("1"))


def test_a_message_that_is_written_at_warn_is_of_5_1_3_at_most():
    (send,), reading = read(
        PREFIXES["5.3"] + line(prefix=""), CONNECT, PREFIXES["5.3"] + BODY.replace("Message", "Message")
    )
    assert (send.key, reading.possible[-1]) == ("0A01", "5.1.3")
    assert read(*open_sample("20_client_log_4.9.4.log"))[1].possible[-1] == "5.0.0"


def open_sample(name):
    return (Path(__file__).parent / "samples" / name).read_text().splitlines()


def test_attempts_without_an_id_are_one_send_by_their_message():
    prefix = "2023-05-11 08:15:02.100 WARN  [812] [p-7] [x#sendDefaultImpl:700] - "
    lost = prefix + "sendKernelImpl exception, resend at once, InvokeID: %s, RT: %sms, Broker: %s"
    three = [part for _ in range(3) for part in (lost, CONNECT, prefix + BODY)]
    (send,), reading = read(*three, prefix + GAVE_UP.replace("null", "broker-a"))
    assert (len(send.attempts), send.gave_up, send.untold, send.maybe_stored, send.topic) == (
        3,
        10,
        0,
        0,
        "Pay",
    )
    assert reading.sends == 1


@pytest.mark.parametrize(
    "stamp",
    [
        "2022-08-02 16:22:00.941",
        "16:22:00.917",
        "2022/08/02 16:22:00.917",
        "02-08-2022 16:22:00.917",
        "Aug  2 16:22:00",
    ],
)
def test_the_time_is_that_of_the_entry(stamp):
    (send,), _ = read(f"{stamp} ERROR [http-1] c.a.S - could not send", CLIENT_14)
    assert send.at == stamp


def test_the_parts_of_a_log_are_one_log(tmp_path, capsys):
    parts = [
        [line("broker-a", invoke_id="77"), REFUSED, line("broker-b", invoke_id="77"), REFUSED],
        [line("broker-a", invoke_id="77"), REFUSED, GAVE_UP.replace("null", "broker-a")],
    ]
    paths = []
    for number, part in enumerate(parts):
        paths.append(str(tmp_path / f"log.{number}"))
        Path(paths[-1]).write_text("\n".join(part) + "\n" * number)
    assert main(["log", *paths]) == 1
    printed = capsys.readouterr().out
    assert "gave up (line 7): 3 attempts" in printed
    assert "not stored by these attempts" in printed
    assert f"Lines 1 to 4: {paths[0]}\nLines 5 to 7: {paths[1]}\n" in printed


def test_standard_input_may_be_named_twice(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(line().encode())))
    assert main(["log", "-", "-"]) == 2
    assert "is empty" in capsys.readouterr().err


def test_a_log_in_json_has_the_error_in_its_line():
    stack = CONNECT + "\\n\\tat x"
    (send,), _ = read(
        json.dumps(
            {"message": line(prefix=""), "stack_trace": stack.replace("\\n", "\n").replace("\\t", "\t")}
        )
    )
    assert (send.attempts[0].cause.name, send.attempts[0].shown) == ("connect", 1)
    (send,), reading = read(json.dumps({"log": "x failed\n"}), json.dumps({"log": CONNECT + "\n"}))
    assert (send.attempts[0].cause.name, reading.lines) == ("connect", 2)


def test_another_program_s_line_is_not_shown():
    sends, reading = read(
        "INFO genesys - caller Jane Roe +49 170 1234567 InvokeID=33 ok", "InvokeID: 4 of Jane"
    )
    assert (sends, reading.unread, reading.examples) == ([], 0, [])


def test_a_code_is_told_with_its_number_and_an_address_where_it_is_known():
    said = told_log(f"{line()}\n{CLIENT_14.replace('14', '1')}")
    assert "the broker answered with code 1 (first lines: 2)" in said
    assert "to broker-a : 3 at 10.0.0.1:10911 failed" in said


def test_an_unrelated_line_hours_later_is_not_an_attempt_s():
    prefix = PREFIXES["5.3"]
    (send,), reading = read(
        prefix + line(prefix=""),
        "org.apache.rocketmq.client.exception.MQClientException: The broker[broker-a] not exist",
        prefix.replace("08:15", "12:00") + "broker-a will be isolated for 2000 ms.",
    )
    assert (send.attempts[0].isolated, reading.avoided["broker-a"].ms) == (None, 2000)


def test_a_code_that_is_not_tried_again_counts_as_a_failed_send():
    log = f"{line(rt='207')}\n{BUSY}"
    assert "shows as failed in the end: 1." in told_log(log, "4.9.7")
    assert "shows as failed in the end: 0." in told_log(log, "5.3.3")


@given(st.integers(1, 300), st.integers(0, 5))
def test_an_entry_is_whole_wherever_a_block_ends(size, quiet):
    log = "\n".join(
        ["2022-08-02 ERROR x", "Caused by: " + CALL_TIMEOUT, "\tat y", *["quiet"] * quiet, line(), CONNECT]
    )
    whole = told_log(log)
    pieces = [log[at : at + size] for at in range(0, len(log), size)]

    class Slow(io.BytesIO):
        def read(self, _size=None):
            return pieces.pop(0).encode() if pieces else b""

    reading = Reading()
    sends = list(read_log(blocks_of(Slow()), reading))
    teller = Teller(release("5.0.0"))
    said = [one for send in sends for one in teller.lines_of_send(send)]
    assert "\n".join([*said, *teller.lines_of_reading(reading)]) == whole
