"""The same name always gets the same other name, and nothing of the old ones is left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rmqref.anonymise import Anonymiser
from rmqref.cli import main
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
def test_names_are_told_apart_and_gone(names):
    hidden = Anonymiser()
    hidden.learn("broker", names)
    cleaned = hidden.clean(" : 0, ".join(names))
    assert cleaned.split(" : 0, ") == [f"broker-{number}" for number in range(1, len(names) + 1)]
    assert hidden.clean(cleaned) == cleaned


def test_a_release_is_no_address_and_a_made_up_broker_name_stays():
    hidden = Anonymiser()
    hidden.learn("broker", ["__syslo__global__", None, ""])
    said = "5.3.3: __syslo__global__ at 10.1.2.3:10911"
    assert hidden.clean(said) == "5.3.3: __syslo__global__ at 192.0.2.1:10911"


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
    assert "attempt 1 to broker-1 : 3 failed after 2 ms" in printed
