"""rmqref: how Apache RocketMQ's producer chooses a queue, exactly, for every released Java client.

The names below are loaded when they are first used, so that `import rmqref` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, whose import alone would cost more than all of this
if TYPE_CHECKING:
    from rmqref.cluster import Cluster
    from rmqref.errors import JavaException, RmqRefError
    from rmqref.faults import FaultItem
    from rmqref.model import Message, MessageQueue, TopicPublishInfo, TopicRouteData
    from rmqref.producer import DefaultMQProducer, SendCallback
    from rmqref.releases import Release, ReleaseTable, release
    from rmqref.route_text import read_route
    from rmqref.scenario import Scenario, read_scenario, sample_scenario
    from rmqref.selection import first_pick
    from rmqref.send_trace import record_send
    from rmqref.simulation import simulate
    from rmqref.situation import Fault, Send, Situation
    from rmqref.strategy import select_one_message_queue, update_fault_item
    from rmqref.trace import record

__version__ = "0.1.0"

__all__ = [
    "Cluster",
    "DefaultMQProducer",
    "Fault",
    "FaultItem",
    "JavaException",
    "Message",
    "MessageQueue",
    "Release",
    "ReleaseTable",
    "RmqRefError",
    "Scenario",
    "Send",
    "SendCallback",
    "Situation",
    "TopicPublishInfo",
    "TopicRouteData",
    "first_pick",
    "read_route",
    "read_scenario",
    "record",
    "record_send",
    "release",
    "sample_scenario",
    "select_one_message_queue",
    "simulate",
    "update_fault_item",
]

_ROOMS = {
    "cluster": ("Cluster",),
    "errors": ("JavaException", "RmqRefError"),
    "faults": ("FaultItem",),
    "model": ("Message", "MessageQueue", "TopicPublishInfo", "TopicRouteData"),
    "producer": ("DefaultMQProducer", "SendCallback"),
    "releases": ("Release", "ReleaseTable", "release"),
    "route_text": ("read_route",),
    "scenario": ("Scenario", "read_scenario", "sample_scenario"),
    "selection": ("first_pick",),
    "send_trace": ("record_send",),
    "simulation": ("simulate",),
    "situation": ("Fault", "Send", "Situation"),
    "strategy": ("select_one_message_queue", "update_fault_item"),
    "trace": ("record",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'rmqref' has no attribute {name!r}")
    value: object = getattr(import_module(f"rmqref.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
