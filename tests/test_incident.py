"""A log's lines become sends, attempts and causes; bodies are never kept, and what cannot be read is counted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmqref.cli import main
from rmqref.incident import CAUSES, Reading, lines_of_send, read_log
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
    old = "\n".join(lines_of_send(send, release("4.9.7"), fault_switch=True))
    assert "code 2 is not tried again in 4.9.7, so the client gave up" in old
    assert "broker-a is avoided for 600 s" in old
    new = "\n".join(lines_of_send(send, release("5.3.3"), fault_switch=None))
    assert "not tried again" not in new
    assert "avoided" not in new
    assert "not stored by these attempts" in new


def test_the_error_that_call_timeout_hides_is_told():
    hides = (
        "org.apache.rocketmq.remoting.exception.RemotingTooMuchRequestException: sendDefaultImpl call timeout"
    )
    ((send,), reading) = read(line(rt="3001"), TIMEOUT, "2022-08-02 ERROR order was not sent", hides)
    assert send.hidden_by == 4
    assert "which hides this error" in "\n".join(lines_of_send(send, release("4.9.7"), None))
    assert reading.causes == {"timeout": 1}


def test_placeholders_that_were_not_filled_are_a_loss_and_tell_of_the_release():
    ((send,), reading) = read(
        "2023-05-01 10:00:00.000 WARN  [1] [t] [l] - sendKernelImpl exception, resend at once, InvokeID: %s, RT: %sms, Broker: %s",
        REFUSED,
    )
    (attempt,) = send.attempts
    assert (attempt.broker, attempt.rt, attempt.address) == ("", None, "10.1.0.2:10911")
    assert (reading.possible[0], reading.possible[-1]) == ("5.1.0", "5.2.0")
    assert "10.1.0.2:10911 failed after a time that the log lost" in "\n".join(
        lines_of_send(send, release("5.1.0"), None)
    )


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
    told = "\n".join(one for send in sends for one in lines_of_send(send, release("4.9.7"), None))
    assert "115" not in told + str(sends) + str(reading)
    assert (reading.unread, reading.examples[0][0]) == (1, 4)
    assert reading.examples[0][1].startswith("2022-08-02")


def test_results_and_swallowed_exceptions_are_counted():
    _, reading = read(
        "SendResult [sendStatus=SEND_OK, msgId=7F, offsetMsgId=null, messageQueue=MessageQueue [topic=T, brokerName=b, queueId=0], queueOffset=1]",
        "2023 ERROR Error occurred when selecting message queue",
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
    assert "may be stored by attempts that had no answer in time, copies: up to 1" in printed
    assert "failed sends: 1." in printed
    assert "which is a guess" not in printed
    assert main(["log", str(file)]) == 1
    assert "told as 5.3.3, which is a guess" in capsys.readouterr().out


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
    assert list(lines_of_send(send, release("4.9.7"), None))


def test_a_log_without_failures_ends_well_and_what_is_none_is_one_sentence(tmp_path, capsys):
    (tmp_path / "quiet.log").write_text("all is well\n")
    (tmp_path / "empty.log").touch()
    assert main(["log", str(tmp_path / "quiet.log")]) == 0
    assert main(["log", str(tmp_path / "empty.log")]) == 2
    assert "is empty." in capsys.readouterr().err
    assert main(["log", str(tmp_path)]) == 2
    assert main(["log", str(tmp_path / "quiet.log"), "--release", "9"]) == 2


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([line(), TIMEOUT, REFUSED, BUSY, BODY, GAVE_UP]).map(str.encode),
            st.binary(max_size=80),
            st.tuples(st.sampled_from([line(), BUSY, GAVE_UP]), st.integers(0, 200)).map(
                lambda cut: cut[0].encode()[: cut[1]]
            ),
        ),
        max_size=12,
    )
)
def test_no_log_raises_and_every_send_is_counted(lines):
    reading = Reading()
    sends = list(read_log(lines, reading))
    assert reading.sends == len(sends)
    assert sum(reading.causes.values()) == sum(len(send.attempts) for send in sends)
    for send in sends:
        assert list(lines_of_send(send, release("4.9.7"), fault_switch=True))
