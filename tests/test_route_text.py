"""Routes are read to the right value from every form of text, and broken ones end in one located sentence."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rmqref.errors import RouteError
from rmqref.messages import catalogue
from rmqref.model import BrokerData, QueueData, TopicQueueMapping, TopicRouteData
from rmqref.route import expand, number_static_topic
from rmqref.route_text import read_route, read_routes

SAMPLES = Path(__file__).parent / "samples"


def sample(name):
    return (SAMPLES / name).read_bytes()


# Writing routes the way the tools do ------------------------------------------------------------------------


def as_tree(route, sys_flag="topicSysFlag"):
    """Return a route as fastjson sees it: names in alphabetical order, null members left out, integer keys kept."""
    tree = {
        "brokerDatas": [
            {"brokerAddrs": data.broker_addrs, "brokerName": data.broker_name, "cluster": data.cluster}
            for data in route.broker_datas
        ],
        "filterServerTable": route.filter_server_table,
        "orderTopicConf": route.order_topic_conf,
        "queueDatas": [
            {
                "brokerName": data.broker_name,
                "perm": data.perm,
                "readQueueNums": data.read_queue_nums,
                sys_flag: data.topic_sys_flag,
                "writeQueueNums": data.write_queue_nums,
            }
            for data in route.queue_datas
        ],
    }
    if route.topic_queue_mapping_by_broker is not None:
        tree["topicQueueMappingByBroker"] = {
            name: {
                "bname": mapping.broker_name,
                "currIdMap": mapping.current_ids,
                "dirty": False,
                "epoch": mapping.epoch,
                "scope": mapping.scope,
                "totalQueues": mapping.total_queues,
            }
            for name, mapping in route.topic_queue_mapping_by_broker.items()
        }
    if route.logical_queues_info:
        tree["logicalQueuesInfo"] = {
            0: [{"logicalQueueDelta": 0, "messageQueue": {"queueId": 0}, "state": "Normal"}]
        }
    return without_nulls(tree)


def without_nulls(tree):
    if isinstance(tree, dict):
        return {name: without_nulls(value) for name, value in tree.items() if value is not None}
    return [without_nulls(value) for value in tree] if isinstance(tree, list) else tree


def string(value):
    return json.dumps(value, ensure_ascii=False)


def fastjson(value, depth=0):
    """Return what fastjson prints with line breaks: a map with integer keys opens on one line and closes on the next."""
    tabs = "\t" * depth
    if isinstance(value, dict) and value and all(isinstance(key, int) for key in value):
        return (
            "{"
            + ",".join(f"{key}:{fastjson(inner, depth + 1)}" for key, inner in value.items())
            + f"\n{tabs}}}"
        )
    if isinstance(value, dict) and value:
        members = (f"\n{tabs}\t{string(name)}:{fastjson(inner, depth + 1)}" for name, inner in value.items())
        return "{" + ",".join(members) + f"\n{tabs}}}"
    if isinstance(value, list) and value:
        return "[" + ",".join(f"\n{tabs}\t{fastjson(inner, depth + 1)}" for inner in value) + f"\n{tabs}]"
    return string(value)


def one_line_unquoted(value):
    if isinstance(value, dict):
        members = (
            f"{name if isinstance(name, int) else string(name)}:{one_line_unquoted(inner)}"
            for name, inner in value.items()
        )
        return "{" + ",".join(members) + "}"
    return "[" + ",".join(map(one_line_unquoted, value)) + "]" if isinstance(value, list) else string(value)


def java(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={java(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(java, value)) + "]"
    return "null" if value is None else str(value)


def to_string(route):
    """Return what 5.x's `toString` prints; it leaves the clusters out."""
    queues = [
        f"QueueData [brokerName={data.broker_name}, readQueueNums={data.read_queue_nums}, "
        f"writeQueueNums={data.write_queue_nums}, perm={data.perm}, topicSysFlag={data.topic_sys_flag}]"
        for data in route.queue_datas
    ]
    brokers = [
        f"BrokerData [brokerName={data.broker_name}, brokerAddrs={java(data.broker_addrs)}, enableActingMaster=false]"
        for data in route.broker_datas
    ]
    mapping = route.topic_queue_mapping_by_broker
    parts = mapping and {
        name: f"TopicQueueMappingInfo{{topic='StaticTopic', scope='{java(part.scope)}', totalQueues={part.total_queues}, "
        f"bname='{part.broker_name}', epoch={part.epoch}, dirty=false, currIdMap={java(part.current_ids)}}}"
        for name, part in mapping.items()
    }
    return (
        f"TopicRouteData [orderTopicConf={java(route.order_topic_conf)}, queueDatas={java(queues)}, "
        f"brokerDatas={java(brokers)}, filterServerTable={java(route.filter_server_table)}, "
        f"topicQueueMappingInfoTable={java(parts)}]"
    )


def as_table(route):
    """Return what `topicRoute -l` prints for a route with the same brokers in both lists."""
    form = "%-45s %-32s %-50s %-10s %-11s %-5s\n"
    rows = [
        (
            java(data.cluster),
            data.broker_name,
            java(data.broker_addrs),
            q.read_queue_nums,
            q.write_queue_nums,
            q.perm,
        )
        for data, q in zip(route.broker_datas, route.queue_datas, strict=True)
    ]
    return "".join(
        [
            form % ("#ClusterName", "#BrokerName", "#BrokerAddrs", "#ReadQueue", "#WriteQueue", "#Perm"),
            *(form % row for row in rows),
            "-" * 158 + "\n",
            form % ("Total:", len(rows), "", sum(r[3] for r in rows), sum(r[4] for r in rows), ""),
        ]
    )


NOISE = (
    "Java HotSpot(TM) 64-Bit Server VM warning: ignoring option PermSize=128m; support was removed in 8.0\n"
    "RocketMQLog:WARN No appenders {} for Message{topic='T', body=[1, 2]} {0=1} {x}\n"
)
DUMPS = {
    "fastjson": lambda route: fastjson(as_tree(route)),
    "fastjson up to 4.8": lambda route: fastjson(as_tree(route, "topicSynFlag")),
    "quoted": lambda route: json.dumps(as_tree(route), indent=2),
    "wire": lambda route: json.dumps(as_tree(route), separators=(",", ":"), ensure_ascii=False),
    "wire unquoted": lambda route: one_line_unquoted(as_tree(route)),
    "crlf": lambda route: fastjson(as_tree(route)).replace("\n", "\r\n"),
    "cr": lambda route: fastjson(as_tree(route)).replace("\n", "\r"),
    "noise": lambda route: NOISE + fastjson(as_tree(route)) + "\n[root@host bin]# exit }\n",
    "log": lambda route: (
        f"2025-03-11 INFO [812] [x] - got {one_line_unquoted(as_tree(route))} from 10.0.0.9:9876\n"
    ),
    "dashboard": lambda route: json.dumps({"status": 0, "data": as_tree(route), "errMsg": None}),
}

# Routes -----------------------------------------------------------------------------------------------------


def broker(letter, number, cluster="DefaultCluster"):
    return BrokerData(
        f"broker-{letter}", {0: f"10.0.0.{number}:10911", 1: f"10.0.0.10{number}:10911"}, cluster
    )


def two(**more):
    queues = [QueueData("broker-a"), QueueData("broker-b")]
    return TopicRouteData(queues, [broker("a", 1), broker("b", 2)], **more)


def static():
    parts = {
        "broker-b": TopicQueueMapping("broker-b", "__global__", 1700000000000, 8, {4: 0, 5: 1, 6: 2, 7: 3}),
        "broker-a": TopicQueueMapping("broker-a", "__global__", 1700000000000, 8, {0: 0, 1: 1, 2: 2, 3: 3}),
    }
    return two(topic_queue_mapping_by_broker=parts)


def logged():
    return TopicRouteData(
        [QueueData("broker-b"), QueueData("broker-a", 8, 8)], [broker("b", 1, None), broker("a", 2, None)]
    )


ints = st.integers(0, 2**31 - 1)
any_text = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.sampled_from(['{0:"', '"}', "\\", '\\"', "{", "]", "1:", "queueDatas", '{"brokerDatas":[', "null", "TopicRouteData [",
                     "#ClusterName", "'", "\t", "\u2028", "\U0001f600", "\x00", "\r\n", "7", "=", ", perm=6"]),
)  # fmt: skip
plain_text = st.text("abZ09_.:%|/@; -", min_size=1, max_size=9).filter(lambda name: name == name.strip())


def routes(names, with_cluster=True, logical=True):
    mappings = st.builds(
        TopicQueueMapping,
        names,
        names,
        st.integers(-(2**63), 2**63 - 1),
        ints,
        st.dictionaries(ints, ints, max_size=3),
    )
    return st.builds(
        TopicRouteData,
        st.lists(st.builds(QueueData, names, ints, ints, ints, ints), max_size=3),
        st.lists(
            st.builds(
                BrokerData,
                names,
                st.dictionaries(st.integers(-(2**63), 2**63 - 1), names, max_size=3),
                st.none() | names if with_cluster else st.none(),
            ),
            max_size=3,
        ),
        st.none() | names,
        st.dictionaries(names, st.lists(names, max_size=2), max_size=2),
        st.none() | st.dictionaries(names, mappings, max_size=2),
        st.booleans() if logical else st.just(False),
    )


# The samples ------------------------------------------------------------------------------------------------

READS = {
    "01_topicRoute_4.2.json": two(),
    "02_topicRoute_4.9.json": two(),
    "03_topicRoute_4.9_order.json": two(order_topic_conf="broker-a:4;broker-b:4"),
    "06_topicRoute_4.9_filter_server.json": TopicRouteData(
        [QueueData("broker-a")],
        [BrokerData("broker-a", {0: "10.0.0.1:10911"}, "DefaultCluster")],
        filter_server_table={"10.0.0.1:10911": ["10.0.0.1:40001", "10.0.0.1:40002"]},
    ),
    "08_topicRoute_5.3.json": two(),
    "10_topicRoute_5.3_static_topic.json": static(),
    "11_topicRoute_TBW102_perm7.json": TopicRouteData([QueueData("broker-a", 8, 8, 7)], [broker("a", 1)]),
    "13_wire_standard_json_4.9.4plus.json": two(),
    "16_topicRoute_with_jvm_noise.txt": two(),
    "24_client_log_route_update.log": logged(),
}


@pytest.mark.parametrize("name", READS)
def test_a_sample_reads_to_its_value(name):
    text = sample(name)
    assert read_route(text) == READS[name]
    assert read_route(text.decode()) == READS[name]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", READS)
def test_a_sample_reads_in_every_encoding(name, encoding):
    assert read_route(sample(name).decode().replace("\n", "\r\n").encode(encoding)) == READS[name]


def test_a_byte_order_mark_may_stand_in_a_str():
    assert read_route("\ufeff" + fastjson(as_tree(two()))) == two()


def test_noise_may_be_in_another_encoding_than_the_dump():
    assert read_route("警告\n".encode("gbk") + sample("01_topicRoute_4.2.json")) == two()
    with pytest.raises(RouteError) as caught:
        read_route(sample("01_topicRoute_4.2.json").replace(b"DefaultCluster", "集群".encode("gbk")))
    assert (caught.value.message_id, caught.value.line, caught.value.column) == (
        "error.route.encoding",
        7,
        15,
    )


def test_a_log_gives_every_route_with_its_topic_and_place():
    found = read_routes(sample("24_client_log_route_update.log"))
    assert [(r.topic, r.line, r.column) for r in found] == [
        ("OrderTopic", 1, 104),
        ("OrderTopic", 3, 103),
        ("OrderTopic", 4, 198),
    ]
    assert [r.not_printed for r in found] == [("cluster",)] * 3
    assert found[2].not_read == {f"brokerDatas[{i}].enableActingMaster": "false" for i in range(2)}


def test_old_and_new_route_of_one_log_line_are_both_given():
    old, new = logged(), logged()
    new.queue_datas.pop()
    text = f"the topic[T] route info changed, old[{to_string(old)}] ,new[{to_string(new)}]\r\n"
    assert [(r.topic, r.route) for r in read_routes(text)] == [("T", old), ("T", new)]
    with pytest.raises(
        RouteError, match=f"2 routes.*line 1, column {text.index('new[') + 5} differs from the first"
    ):
        read_route(text)


def test_several_dumps_in_one_text():
    text = (
        "$ mqadmin topicRoute -n 10.0.0.9:9876 -t Plain\n"
        + fastjson(as_tree(two()))
        + "\n$ mqadmin topicRoute -l -t Listed -n 10.0.0.9:9876\n"
        + as_table(two())
        + json.dumps({"data": [as_tree(static()), as_tree(logged())]})
    )
    found = read_routes(text)
    assert [r.route for r in found] == [two(), two(), static(), logged()]
    assert [r.topic for r in found][:2] == ["Plain", "Listed"]


# The traps --------------------------------------------------------------------------------------------------


def test_a_3_x_dump_has_no_cluster():
    tree = as_tree(two(), "topicSynFlag")
    for data in tree["brokerDatas"]:
        del data["cluster"]
    assert [data.cluster for data in read_route(fastjson(tree)).broker_datas] == [None, None]


@pytest.mark.parametrize(
    "name",
    ["filterServerTable", "orderTopicConf", "topicQueueMappingByBroker", "logicalQueuesInfo", "unheard_of"],
)
def test_null_members_are_as_good_as_absent_ones(name):
    assert read_route(fastjson(as_tree(two()) | {name: None})) == two()


def test_members_without_a_place_in_the_model_are_kept():
    tree = as_tree(static())
    tree["brokerDatas"][1] |= {"zoneName": "zone-1", "enableActingMaster": True}
    tree["queueDatas"][0]["topicSynFlag"] = 3
    tree["unheard_of"] = {0: [1.5, None, "x"]}
    found = read_routes(fastjson(tree))[0]
    assert found.route == static()
    assert found.not_read == {
        "brokerDatas[1].zoneName": "zone-1",
        "brokerDatas[1].enableActingMaster": True,
        "queueDatas[0].topicSynFlag": 3,
        "topicQueueMappingByBroker.broker-a.dirty": False,
        "topicQueueMappingByBroker.broker-b.dirty": False,
        "unheard_of": {"0": [1.5, None, "x"]},
    }


def test_the_topic_of_a_static_topic_is_known():
    found = read_routes(sample("10_topicRoute_5.3_static_topic.json"))[0]
    assert found.topic == "StaticTopic"
    queues, _ = expand("T", found.route, number_static_topic)
    assert [str(queue) for queue in queues] == [f"__syslo__global__ : {number}" for number in range(8)]


def test_logical_queues_are_noticed_and_kept():
    found = read_routes(fastjson(as_tree(two(logical_queues_info=True))))[0]
    assert found.route == two(logical_queues_info=True)
    assert found.not_read["logicalQueuesInfo"] == {
        "0": [{"logicalQueueDelta": 0, "messageQueue": {"queueId": 0}, "state": "Normal"}]
    }


def test_logical_queues_in_a_log_line():
    text = to_string(logged()).replace(
        "topicQueueMappingInfoTable=null",
        "logicalQueuesInfo={0=[LogicalQueueRouteData{logicalQueueIndex=0, logicalQueueDelta=0, messageQueue=MessageQueue "
        "[topic=T, brokerName=broker-a, queueId=0], state=Normal, offsetMax=-1, brokerAddr='null'}]}",
    )
    found = read_routes(text)[0]
    assert found.route.logical_queues_info
    logical: Any = found.not_read["logicalQueuesInfo"]
    assert logical["0"][0]["messageQueue"]["queueId"] == "0"


def test_the_list_form_says_what_it_does_not_print():
    found = read_routes(NOISE + as_table(two()) + "bye\n")[0]
    assert found.route == two()
    assert set(found.not_printed) >= {"order_topic_conf", "topic_queue_mapping_by_broker"}
    assert read_route(as_table(logged())) == logged()


def test_addresses_may_be_ipv6():
    route = logged()
    route.broker_datas[0].broker_addrs = {0: "[fe80::1%eth0]:10911", 1: "[::1]:10911"}
    route.filter_server_table = {"[::1]:10911": ["[::1]:40001", "10.0.0.1:4"]}
    assert read_route(to_string(route)) == route
    assert read_route(as_table(route)).broker_datas == route.broker_datas


def test_numbers_in_quotes_count_because_java_reads_them():
    text = fastjson(as_tree(two())).replace('"writeQueueNums":4', '"writeQueueNums":"4"')
    assert read_route(text) == two()


def test_an_empty_order_configuration_is_not_null():
    assert read_route(fastjson(as_tree(two(order_topic_conf="")))).order_topic_conf == ""
    assert read_route(to_string(two(order_topic_conf=""))).order_topic_conf == ""


# What is refused, where -------------------------------------------------------------------------------------

DUMP = fastjson(as_tree(two()))
TABLE = as_table(two())
MANY = "1" * 5000

BROKEN = {
    "missing colon": ("error.route.separator", DUMP, '"cluster":', '"cluster"§'),
    "trailing comma": ("error.route.name", DUMP, '"writeQueueNums":4\n\t\t}', '"writeQueueNums":4,\n\t\t§}'),
    "trailing comma in list": ("error.route.value", DUMP, "\n\t],", ",\n\t§],"),
    "missing comma": ("error.route.next", DUMP, '4,\n\t\t\t"topicSys', '4\n\t\t\t§"topicSys'),
    "duplicate": ("error.route.duplicate", DUMP, '"perm":6', '"perm":6,§"perm":6'),
    "duplicate id": ("error.route.duplicate", DUMP, ",1:", ',2:"x",§"2":"y",1:'),
    "not a number": ("error.route.value", DUMP, '"perm":6', '"perm":§NaN'),
    "single quotes": ("error.route.name", DUMP, '"perm":6', "§'perm':6"),
    "bare name": ("error.route.name", DUMP, '"perm":6', "§perm:6"),
    "leading zero": ("error.route.name", DUMP, ",1:", ",§01:"),
    "unterminated": ("error.route.string", DUMP, '"DefaultCluster"', '§"DefaultCluster'),
    "bad escape": ("error.route.escape", DUMP, '"DefaultCluster"', '"Default§\\qCluster"'),
    "perm text": ("error.route.not_whole", DUMP, '"perm":6', '"perm":§"RW"'),
    "perm object": ("error.route.not_whole", DUMP, '"perm":6', '"perm":§{}'),
    "perm true": ("error.route.not_whole", DUMP, '"perm":6', '"perm":§true'),
    "float": ("error.route.not_whole", DUMP, '"perm":6', '"perm":§6.0'),
    "exponent": ("error.route.not_whole", DUMP, '"perm":6', '"perm":§6e0'),
    "negative": ("error.route.not_whole", DUMP, '"writeQueueNums":4', '"writeQueueNums":§-4'),
    "huge": ("error.route.not_whole", DUMP, '"writeQueueNums":4', '"writeQueueNums":§2147483648'),
    "huger": ("error.route.not_whole", DUMP, '"writeQueueNums":4', f'"writeQueueNums":§{MANY}'),
    "huge in quotes": ("error.route.not_whole", DUMP, '"writeQueueNums":4', f'"writeQueueNums":§"{MANY}"'),
    "id": ("error.route.not_whole", DUMP, ",1:", ',§"one":'),
    "name number": ("error.route.not_text", DUMP, '"brokerName":"broker-a"', '"brokerName":§7'),
    "no list": ("error.route.not_list", DUMP, '"queueDatas":[', '"queueDatas":§4,"x":['),
    "no object": ("error.route.not_object", DUMP, '"brokerDatas":[', '"brokerDatas":[§4,'),
    "no map": ("error.route.not_object", DUMP, '"filterServerTable":{}', '"filterServerTable":§[]'),
    "no name": ("error.route.missing", DUMP, '{\n\t\t\t"brokerName":"broker-a",\n\t\t\t"perm', '§{\n"perm'),
    "null name": ("error.route.missing", DUMP, '"brokerName":"broker-a"', '"brokerName":§null'),
    "no perm": ("error.route.missing", DUMP, '{\n\t\t\t"brokerName":"broker-a",\n\t\t\t"perm',
                '§{\n\t\t\t"brokerName":"broker-a",\n\t\t\t"Perm'),
    "no queues": ("error.route.missing", DUMP, '{\n\t"brokerDatas":[', '§{\n\t"brokerData":['),
    "opening lost": ("error.route.loose", DUMP, '{\n\t"brokerDatas"', '\n\t"§brokerDatas"'),
    "deep": ("error.route.depth", DUMP, '"filterServerTable":{}',
             f'"filterServerTable":{"[" * 15}§{"[" * 5000}{"]" * 5015}'),
    "row": ("error.route.row", TABLE, "DefaultCluster ", "§Default Cluster "),
    "no total": ("error.route.row", TABLE, "-" * 158 + "\nTotal:", "§Total:"),
    "head": ("error.route.row", TABLE, "DefaultCluster ", "§DefaultCluster\n"),
}  # fmt: skip


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("noise", ["", NOISE])
@pytest.mark.parametrize("case", BROKEN)
def test_an_error_names_line_and_column_of_the_text_as_given(case, noise, line_end):
    message_id, dump, old, new = BROKEN[case]
    assert old in dump
    marked = (noise + dump.replace(old, new, 1)).replace("\n", line_end)
    before, after = marked.split("§")
    lines = before.split(line_end)
    for given_text in (
        before + after,
        "\ufeff" + before + after,
        (before + after).encode("utf-8-sig"),
        (before + after).encode("utf-16"),
    ):
        with pytest.raises(RouteError) as caught:
            read_routes(given_text)
        error = caught.value
        assert (error.message_id, error.line, error.column) == (message_id, len(lines), len(lines[-1]) + 1)
        assert f"line {error.line}, column {error.column}" in str(error)


@pytest.mark.parametrize("number", ["brokers", "read", "write"])
def test_totals_that_do_not_add_up_are_refused(number):
    at = {"brokers": "2  ", "read": "8  ", "write": "8    "}[number]
    start = TABLE.rindex(at)
    with pytest.raises(RouteError, match="add up to 2 8 8"):
        read_route(TABLE[:start] + "9" + TABLE[start + 1 :])


def test_an_error_at_the_end_stands_behind_the_last_visible_character():
    with pytest.raises(RouteError) as caught:
        read_route('x\r\n{"queueDatas":[ \r\n\r\n')
    assert (caught.value.message_id, caught.value.line, caught.value.column) == ("error.route.cut_off", 2, 16)


INSTEAD = {
    "": ("error.route.empty", 1, 1),
    "\r\n \n": ("error.route.empty", 1, 1),
    "hello": ("error.route.none", 1, 1),
    "{}": ("error.route.none", 1, 1),
    '{"status":-1,"data":null,"errMsg":"CODE: 17  DESC: No topic route info in name server for the topic: T1"}': (
        "error.route.topic_missing", 1, 36),
    "\nCODE: 17  DESC: no": ("error.route.some_topic_missing", 2, 1),
    "MQClientException: No route info of this topic, T": ("error.route.some_topic_missing", 1, 20),
    "#Cluster Name     #Broker Name            #BID  #Addr\nc  broker-a  0 10.0.0.1:10911": (
        "error.route.other_output", 1, 1),
    "org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to 10.0.0.9:9876 failed": (
        "error.route.exception", 1, 1),
}  # fmt: skip


@pytest.mark.parametrize("text", INSTEAD)
def test_a_text_without_a_route_is_told_what_it_is(text):
    with pytest.raises(RouteError) as caught:
        read_route(text)
    assert (caught.value.message_id, caught.value.line, caught.value.column) == INSTEAD[text]


def test_the_sentence_names_the_missing_topic():
    with pytest.raises(RouteError, match='no topic "NoSuchTopic", it says at line 4, column 68'):
        read_route(sample("17_topicRoute_topic_missing.txt"))


@pytest.mark.parametrize("name", ["20_client_log_4.9.4.log", "27_sendresult_lines.txt"])
def test_a_log_without_a_route_is_refused(name):
    with pytest.raises(RouteError, match=r"no route.*mqadmin topicRoute"):
        read_routes(sample(name))


def test_half_a_utf_16_character_is_refused_at_its_place():
    with pytest.raises(RouteError) as caught:
        read_route((DUMP + "x").encode("utf-16")[:-1])
    assert (caught.value.message_id, caught.value.line) == ("error.route.encoding", DUMP.count("\n") + 1)


def test_no_sentence_is_left_over():
    source = (Path(__file__).parents[1] / "rmqref" / "route_text.py").read_text(encoding="utf-8")
    mentioned = set(re.findall(r"\w+", source))
    assert {name for name in catalogue() if name.startswith("error.route.")} >= set(
        re.findall(r"error\.route\.\w+", source)
    )
    assert {name.rpartition(".")[2] for name in catalogue() if name.startswith("error.route.")} <= mentioned


# Properties -------------------------------------------------------------------------------------------------


@given(route=routes(any_text), style=st.sampled_from(sorted(DUMPS)))
@settings(max_examples=60)
def test_any_route_written_out_reads_back_equal(route, style):
    text = DUMPS[style](route)
    assert read_route(text) == route
    assert read_route(text.encode()) == route


@given(route=routes(plain_text, with_cluster=False, logical=False))
@settings(max_examples=40)
def test_any_plain_route_reads_back_from_a_log_line(route):
    assert (
        read_route(f"2022 WARN x - topicRouteTable.put. TopicRouteData[{to_string(route)}]\r\nnext") == route
    )


names = st.text("abZ09_.%|@-", min_size=1, max_size=9)


@given(
    rows=st.lists(
        st.tuples(names, st.dictionaries(ints, names, max_size=3), ints, ints, ints, st.none() | names),
        max_size=4,
    )
)
@settings(max_examples=40)
def test_any_table_reads_back(rows):
    route = TopicRouteData(
        [QueueData(name, write, read, perm) for name, _, read, write, perm, _ in rows],
        [BrokerData(name, addrs, cluster) for name, addrs, *_, cluster in rows],
    )
    assert read_route(as_table(route)) == route


WHOLE = {
    "fastjson": DUMP,
    "static crlf": fastjson(as_tree(static())).replace("\n", "\r\n"),
    "wire": json.dumps(as_tree(two(order_topic_conf="broker-a:4"))),
    "noise": NOISE + fastjson(as_tree(logged())) + "\nbye",
    "log": f"the topic[T] route info changed, old[null] ,new[{to_string(static())}]\r\n",
    "table": NOISE + TABLE,
    "dashboard": json.dumps({"status": 0, "data": as_tree(static()), "errMsg": None}),
}
EXPECTED = {name: read_route(text) for name, text in WHOLE.items()}


def outcome(text):
    """Return the routes, or the error as long as its place lies inside the text; any other exception goes through."""
    try:
        return [found.route for found in read_routes(text)]
    except RouteError as error:
        refused = error
    lines = re.split(r"\r\n|\r|\n", text) if isinstance(text, str) else None
    assert refused.line >= 1
    assert refused.column >= 1
    assert lines is None or refused.column <= len(lines[refused.line - 1]) + 1
    return refused


@pytest.mark.parametrize("name", WHOLE)
def test_a_text_cut_off_anywhere_is_refused_or_still_whole(name):
    whole = WHOLE[name]
    for end in range(len(whole)):
        found = outcome(whole[:end])
        assert isinstance(found, RouteError) or found == [EXPECTED[name]]


@given(name=st.sampled_from(sorted(WHOLE)), data=st.data())
@settings(max_examples=250)
def test_one_wrong_character_reads_or_is_located(name, data):
    whole = WHOLE[name]
    at = data.draw(st.integers(0, len(whole) - 1))
    new = data.draw(st.sampled_from([*"{}[]:,\"'=\\ \n\r\t0-9.eE#§nN\x00\ud800", ""]) | st.characters())
    removed = data.draw(st.integers(0, 1))
    assert outcome(whole[:at] + new + whole[at + removed :])


@given(
    st.binary(max_size=80) | st.text(alphabet="{}[]:,\"'=\\ \nqueueDatasbrok0123-#TopicRData", max_size=80)
)
@example("{" * 3000 + "queueDatas")
@example('{"a":' * 3000 + '"queueDatas"')
@example("[" * 3000 + "brokerDatas" + "]" * 3000)
@example("TopicRouteData [a=" * 3000 + "brokerDatas")
@settings(max_examples=100)
def test_any_text_at_all_reads_or_is_refused(text):
    assert outcome(text)


def test_importing_the_reader_loads_nothing_heavy():
    code = "import sys, rmqref.route_text; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"asyncio", "xml", "unittest", "pydantic", "numpy", "plotly"} & set(loaded)


def test_an_absent_scope_is_the_default_and_a_null_one_is_none():
    dump = (
        '{"queueDatas":[],"brokerDatas":[],"topicQueueMappingByBroker":{"a":'
        '{"bname":"a",SCOPE"epoch":1,"totalQueues":2,"currIdMap":{0:0,1:1}}}}'
    )
    absent = read_route(dump.replace("SCOPE", "")).topic_queue_mapping_by_broker
    null = read_route(dump.replace("SCOPE", '"scope":null,')).topic_queue_mapping_by_broker
    assert absent is not None
    assert null is not None
    assert (absent["a"].scope, null["a"].scope) == ("__global__", None)


def test_what_is_no_text_is_refused_in_one_sentence():
    with pytest.raises(RouteError, match="of the kind NoneType"):
        read_route(None)  # type: ignore[arg-type]
