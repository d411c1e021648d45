"""How fast a log is read, and in how much memory, beside what Python needs to go through its lines at all."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from rmqref.incident import Reading, read_log
from rmqref.log_entries import blocks_of

CLIENT = "2022-08-02 16:22:05,917 WARN RocketmqClient - "
QUIET = "2022-08-02 16:22:05,917 INFO OrderService - order {n} accepted for customer {n} in 12 ms\n" * 400
FAILED = (
    f"{CLIENT}sendKernelImpl exception, resend at once, InvokeID: {{n}}, RT: 3004ms, "
    "Broker: MessageQueue [topic=Pay, brokerName=broker-a, queueId=3]\n"
    "org.apache.rocketmq.remoting.exception.RemotingTimeoutException: "
    "wait response on the channel <10.1.0.1:10911> timeout, 2999(ms)\n"
    "\tat org.apache.rocketmq.remoting.netty.NettyRemotingAbstract.invokeSyncImpl(NettyRemotingAbstract.java:444)\n"
    f"{CLIENT}Message{{{{topic='Pay', flag=0, properties={{{{UNIQ_KEY=0A{{n:08X}}}}}}, body=[{'115, ' * 200}], "
    "transactionId='null'}}\n"
)
RESULT = (
    "2022-08-02 16:22:05,917 INFO OrderService - sent SendResult [sendStatus=SEND_OK, msgId=0A{n:08X}, "
    "offsetMsgId=0A14000100002A9F0000000000000C5E, "
    "messageQueue=MessageQueue [topic=OrderTopic, brokerName=broker-c, queueId=1], queueOffset=57]\n"
)
KINDS = {
    "a failure every 38 KB": QUIET + FAILED,
    "a result in every line": RESULT,
    "nothing but failures": FAILED,
}
SIZE = 64_000_000


def write_log(path, kind: str, size: int) -> None:
    """Write a log of some bytes."""
    with path.open("w") as file:
        written = number = 0
        while written < size:
            number += 1
            written += file.write(KINDS[kind].format(n=number))


def read(path) -> Reading:
    """Read a log, and keep the totals only."""
    reading = Reading()
    with path.open("rb") as file:
        for _send in read_log(blocks_of(file), reading):
            pass
    return reading


def by_lines(path) -> float:
    """Return the seconds that Python needs to go through a file's lines."""
    begin = time.perf_counter()
    with path.open("rb") as file:
        for _line in file:
            pass
    return time.perf_counter() - begin


@pytest.mark.parametrize("kind", KINDS)
def test_a_log_is_read(benchmark, kind, tmp_path):
    path = tmp_path / "client.log"
    write_log(path, kind, SIZE)
    lines = min(by_lines(path) for _ in range(3))
    reading = benchmark.pedantic(read, (path,), rounds=3, iterations=1)
    assert reading.sends + reading.results.total() > 0
    median = benchmark.stats.stats.median
    speed = path.stat().st_size / median / 1e6
    print(f"\n  {kind}: {speed:.0f} MB/s, {median / lines:.1f} times as long as to go through its lines")


def test_memory_does_not_grow_with_the_log(tmp_path):
    def peak(size: int) -> int:
        write_log(tmp_path / "client.log", "a failure every 38 KB", size)
        tracemalloc.start()
        read(tmp_path / "client.log")
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    sizes = (2_000_000, 16_000_000)
    few, many = map(peak, sizes)
    print(f"\n  {few / 1e6:.1f} MB for a log of 2 MB, {many / 1e6:.1f} MB for one of 16 MB")
    assert many < 4 * few
