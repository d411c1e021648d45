"""rmqref: how Apache RocketMQ's producer chooses a queue, exactly, for every released Java client.

The names below are loaded when they are first used, so that `import rmqref` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, whose import alone would cost more than all of this
if TYPE_CHECKING:
    from rmqref.errors import JavaException, RmqRefError
    from rmqref.faults import FaultItem
    from rmqref.model import Message, MessageQueue, TopicPublishInfo, TopicRouteData
    from rmqref.releases import Release, ReleaseTable, release
    from rmqref.route_text import read_route
    from rmqref.selection import first_pick
    from rmqref.situation import Fault, Send, Situation
    from rmqref.strategy import select_one_message_queue, update_fault_item
    from rmqref.trace import record

__version__ = "0.1.0"

__all__ = [
    "Fault",
    "FaultItem",
    "JavaException",
    "Message",
    "MessageQueue",
    "Release",
    "ReleaseTable",
    "RmqRefError",
    "Send",
    "Situation",
    "TopicPublishInfo",
    "TopicRouteData",
    "first_pick",
    "read_route",
    "record",
    "release",
    "select_one_message_queue",
    "update_fault_item",
]

_ROOMS = {
    "errors": ("JavaException", "RmqRefError"),
    "faults": ("FaultItem",),
    "model": ("Message", "MessageQueue", "TopicPublishInfo", "TopicRouteData"),
    "releases": ("Release", "ReleaseTable", "release"),
    "route_text": ("read_route",),
    "selection": ("first_pick",),
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
