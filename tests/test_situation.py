"""A situation is a value: it never changes, repeats exactly, and refuses what no producer can have."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmqref.errors import RouteError, SituationError, UnknownRelease
from rmqref.model import BrokerData, QueueData, TopicQueueMapping, TopicRouteData
from rmqref.releases import VERSIONS
from rmqref.samples import SAMPLES, sample_route
from rmqref.situation import Fault, Send, Situation


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"start": "4"}, "start is '4', which is a str: give an int or None"),
        ({"start": True}, "start is True, which is a bool"),
        ({"release": None}, "release is None"),
        ({"route": "broker-a"}, "route is 'broker-a'"),
        ({"route": {"a": 4}}, "which is a dict"),
        ({"route": None}, "route is None"),
        ({"route": (("a", "4"),)}, "no pair of a broker's name"),
        ({"calls": "3"}, "calls is '3'"),
        ({"calls": 10**9}, "1000000000 picks are more than 1000000"),
        ({"faults": ("broker-a",)}, "give a Fault"),
        ({"sends": (3,)}, "give a Send"),
        ({"fault_switch": "no"}, "fault_switch is 'no'"),
        ({"last_broker_name": 5}, "last_broker_name is 5"),
        ({"now": None}, "now is None"),
        ({"now": 2**70}, "no producer's clock shows that"),
        ({"pick_at": -5}, "pick_at is -5, which is negative"),
        ({"seed": "x"}, "seed is 'x'"),
        ({"start": 2**31}, "2147483648 does not fit"),
        ({"start": -(2**31) - 1}, "-2147483649 does not fit"),
        ({"worst_start": 2**40}, "does not fit"),
        ({"calls": 0}, "0 picks cannot be made"),
        ({"calls": -1}, "-1 picks cannot be made"),
        ({"faults": (Fault("a"), Fault("a"))}, 'two rows for "a"'),
        ({"sends": (Send("a", 1, at=9), Send("a", 1, at=8))}, "9, 8 do not rise"),
        ({"sends": (Send("a", 1, at=9),), "pick_at": 8}, "9, 8 do not rise"),
    ],
)
def test_what_no_producer_can_have_is_refused_in_one_sentence(wrong, says):
    with pytest.raises(SituationError, match=says):
        Situation(**wrong)


def test_negative_times_are_refused():
    with pytest.raises(SituationError, match="latency is -1"):
        Fault("a", -1)
    with pytest.raises(SituationError, match="latency is -1"):
        Send("a", -1)
    with pytest.raises(SituationError, match="time of a send is -1"):
        Send("a", 1, at=-1)
    with pytest.raises(SituationError, match=r"latency is 1\.5"):
        Fault("a", 1.5)  # type: ignore[arg-type]
    with pytest.raises(SituationError, match="broker name is None"):
        Fault(None)  # type: ignore[arg-type]
    with pytest.raises(SituationError, match="no producer's clock"):
        Fault("a", 1, 2**70)
    with pytest.raises(UnknownRelease):
        Situation("4.5.0")
    with pytest.raises(SituationError, match='has no "colour"'):
        Situation().but(colour=1)


def test_lists_are_taken_as_tuples():
    lists: dict[str, Any] = {"route": [("a", 2)], "faults": [Fault("a")], "sends": [Send("a", 1)]}
    situation = Situation(**lists)
    assert situation == Situation(route=(("a", 2),), faults=(Fault("a"),), sends=(Send("a", 1),))


@given(st.sampled_from(VERSIONS), st.sampled_from(SAMPLES), st.integers(0, 99))
def test_picking_leaves_a_situation_and_its_route_as_they_were(version, topic, seed):
    route = sample_route(topic)
    situation = Situation(
        version, route, start=None, fault_switch=True, faults=(Fault("broker-a", 5, 9),), calls=5, seed=seed
    )
    before = deepcopy(situation)
    assert situation.picks() == situation.picks()
    assert situation == before
    assert route == sample_route(topic)


def test_the_seed_is_what_chance_comes_from():
    starts = {Situation(start=None, seed=seed).pick().queue_id for seed in range(40)}
    assert starts == {0, 1, 2, 3}


def test_a_share_names_queues_that_are_never_picked():
    share = Situation("4.9.4", (("a", 2), ("b", 1)), fault_switch=True, faults=(Fault("a", 1, 9),)).share(30)
    assert share == {("a", 0): 0, ("a", 1): 0, ("b", 0): 30}


def test_the_clock_stands_where_the_pick_is_made():
    situation = Situation("4.9.4", fault_switch=True, sends=(Send("broker-a", 700, at=10),), pick_at=30009)
    assert situation.pick().broker_name == "broker-b"
    assert situation.but(pick_at=30010).pick().broker_name == "broker-a"


@pytest.mark.parametrize(
    "route",
    [
        TopicRouteData([QueueData("a", 2**31 - 1)], [BrokerData("a", {0: ""})]),
        TopicRouteData([], [], order_topic_conf="a:2147483647"),
        TopicRouteData(
            [], [], topic_queue_mapping_by_broker={"a": TopicQueueMapping("a", "s", 0, 2**31 - 1, {})}
        ),
    ],
)
def test_a_route_that_would_fill_the_memory_is_refused(route):
    with pytest.raises(RouteError, match="2147483647 queues, more than 100000"):
        Situation("5.3.3", route)
