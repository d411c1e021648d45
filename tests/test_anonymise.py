"""The same name always gets the same other name, and nothing of the old ones is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmqref.anonymise import Anonymiser
from rmqref.cli import main
from rmqref.model import BrokerData, QueueData
from rmqref.route_report import report_of
from rmqref.route_text import read_routes
from rmqref.samples import sample_dump

NAMES = st.lists(
    st.from_regex(r"[a-z]{2,6}(-[a-z0-9]{1,4}){1,2}", fullmatch=True).filter(
        lambda name: not name.startswith("broker")
    ),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(NAMES)
def test_names_are_told_apart_and_keep_their_aliases(names):
    hidden = Anonymiser()
    given = [hidden.alias("broker", name) for name in names]
    assert given == [f"broker-{number}" for number in range(1, len(names) + 1)]
    assert [hidden.alias("broker", name) for name in names] == given
    assert hidden.alias("topic", names[0]) == "topic-1"


@given(NAMES)
def test_a_route_keeps_its_order(names):
    (read,) = read_routes(sample_dump("UnevenTopic"))
    read.route.queue_datas = [QueueData(name) for name in names]
    read.route.broker_datas = [BrokerData(name, {0: f"{name}.corp:10911"}) for name in names]
    (plain,) = [report_of(read, "5.3.3", None, set())]
    (hidden,) = [report_of(one, "5.3.3", None, set()) for one in Anonymiser().routes([read])]
    assert len(set(hidden.names)) == len(names)
    aliases = dict(zip(plain.names, hidden.names, strict=True))
    assert [queue.split(" : ")[1] for queue in hidden.queues] == [
        queue.split(" : ")[1] for queue in plain.queues
    ]
    assert [queue.split(" : ")[0] for queue in hidden.queues] == [
        aliases[q.split(" : ")[0]] for q in plain.queues
    ]
    assert "corp" not in str(hidden)


def test_a_made_up_broker_name_stays_and_nothing_has_no_alias():
    hidden = Anonymiser()
    assert hidden.alias("broker", "__syslo__global__") == "__syslo__global__"
    assert (hidden.alias("broker", ""), hidden.address("")) == ("", "")


@pytest.mark.parametrize("word", ["order", "attempt", "a", "failed", "route", "list"])
def test_a_word_of_a_sentence_that_is_also_a_name_stays(word, tmp_path, capsys):
    log, route = tmp_path / "log", tmp_path / "route"
    log.write_text(
        "sendKernelImpl exception, resend at once, InvokeID: 77, RT: 2ms, "
        f"Broker: MessageQueue [topic={word}, brokerName={word}, queueId=3]\n"
    )
    assert main(["log", str(log), "--anonymise"]) == 1
    printed = capsys.readouterr().out
    assert "Send at an unknown time, topic topic-1, its id left out:" in printed
    assert "attempt 1 to broker-1 : 3 failed after 2 ms" in printed
    route.write_text(sample_dump("UnevenTopic").replace("broker-a", word))
    assert main(["route", str(route), "--topic", word, "--anonymise"]) == 1
    printed = capsys.readouterr().out
    assert "Topic topic-1, read at line 1, as 5.3.3 uses it." in printed
    assert "The list, in order (10 queues):" in printed


def test_what_goes_wrong_names_nobody(tmp_path, capsys):
    missing = str(tmp_path / "secret.log")
    for command in (["log", missing], ["route", missing]):
        assert main([*command, "--anonymise"]) == 2
        assert "secret" not in capsys.readouterr().err
    route = tmp_path / "route"
    route.write_text(
        "the topic[Secret] route info changed\nNo topic route info in name server for the topic: Secret"
    )
    assert main(["route", str(route), "--anonymise"]) == 2
    assert "Secret" not in capsys.readouterr().err


def test_a_host_that_has_a_name_or_is_no_ipv4_is_gone_too(tmp_path, capsys):
    file = tmp_path / "route.json"
    hosts = {"10.20.0.1": "eu1.secret.corp", "10.20.0.2": "[fe80::1]", "10.20.0.102": "[fe80::12]"}
    dump = sample_dump("UnevenTopic")
    for address in sorted(hosts, key=len, reverse=True):
        dump = dump.replace(address, hosts[address])
    file.write_text(dump)
    for form in ([], ["--json"]):
        assert main(["route", str(file), *form]) == 1
        assert "secret" in capsys.readouterr().out
        assert main(["route", str(file), "--anonymise", *form]) == 1
        printed = capsys.readouterr().out
        assert "secret" not in printed
        assert "fe80" not in printed


def test_a_route_and_a_log_are_told_without_their_names(tmp_path, capsys):
    file = tmp_path / "route.json"
    file.write_text(sample_dump("UnevenTopic").replace("broker-", "pay-eu-").replace("shop", "secret"))
    assert main(["route", str(file), "--topic", "Payroll", "--anonymise", "--json"]) == 1
    assert main(["route", str(file), "--topic", "Payroll", "--anonymise"]) == 1
    printed = capsys.readouterr().out
    for name in ("pay-eu", "secret", "Payroll", "10.20."):
        assert name not in printed
    assert "broker-1 gets 80% with 8 queues, broker-2 gets 20% with 2 queues." in printed
    log = tmp_path / "client.log"
    log.write_text(
        "2022-08-02 16:22:05,917 WARN RocketmqClient - sendKernelImpl exception, resend at once, InvokeID: 77, RT: 2ms, "
        "Broker: MessageQueue [topic=Payroll, brokerName=pay-eu-a, queueId=3]\n"
        "org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to 10.20.0.1:10911 failed\n"
        "x sendKernelImpl exception of pay-eu-b\n"
    )
    assert main(["log", str(log), "--anonymise", "--fault-switch", "on"]) == 1
    printed = capsys.readouterr().out
    for name in ("pay-eu", "Payroll", "10.20.", "77"):
        assert name not in printed
    assert "attempt 1 to broker-1 : 3 at 192.0.2.1:10911 failed after 2 ms" in printed
