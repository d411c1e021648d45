"""rmqref: how Apache RocketMQ's producer chooses a queue, exactly, for every released Java client."""

from rmqref.errors import JavaException, RmqRefError
from rmqref.faults import FaultItem
from rmqref.model import Message, MessageQueue, TopicPublishInfo, TopicRouteData
from rmqref.releases import Release, ReleaseTable, release
from rmqref.selection import first_pick
from rmqref.strategy import select_one_message_queue, update_fault_item

__version__ = "0.1.0"

__all__ = [
    "FaultItem",
    "JavaException",
    "Message",
    "MessageQueue",
    "Release",
    "ReleaseTable",
    "RmqRefError",
    "TopicPublishInfo",
    "TopicRouteData",
    "first_pick",
    "release",
    "select_one_message_queue",
    "update_fault_item",
]
