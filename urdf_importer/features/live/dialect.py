# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared parts of the servers' protocols: topics, the choice among them, and arrivals."""

import json
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...core.diagnostics import quote
from ..motion.messages.description import find_text
from ..motion.recordings.definitions import short_name
from ..motion.recordings.trees import Tree
from .packed import Packed
from .websocket import FrameKind, Message

MOST_TEXT = 4 * 1024 * 1024
"""Bytes of JSON in one message: more is passed over."""
MOST_TOPICS = 10_000
MOST_NAME = 256
_MOST_SHOWN = 6
STATES = "sensor_msgs/JointState"
FRAMES = ("tf2_msgs/TFMessage", "tf/tfMessage")
FOXGLOVES_FRAMES = ("foxglove.FrameTransform", "foxglove.FrameTransforms")
TEXTS = "std_msgs/String"
ODOMETRY = "nav_msgs/Odometry"
JOINTS = (STATES, "trajectory_msgs/JointTrajectory", "trajectory_msgs/JointTrajectoryPoint")
"""Types that make a motion of joints of whatever contains one."""
ROBOT = "robot_description"
_MOST_PARAMETERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveWish:
    """A client's wishes towards a server. `topic` is empty for the usual one; nothing comes in
    unless `takes`; with `describes` it is the robot's description instead of its motion. Transforms
    of frames in `skips` are passed over: the robot's own links follow from its joints."""

    takes: bool = True
    describes: bool = False
    topic: str = ""
    namespace: str = ""
    base: bool = True
    skips: frozenset[str] = frozenset()

    @property
    def usual(self) -> str:
        """The topic that joint states, or the description, are on as a rule."""
        return self.topic or within(self.namespace, self.end)

    @property
    def end(self) -> str:
        """The end of the usual topic's name."""
        return f"/{ROBOT}" if self.describes else "/joint_states"


@dataclass(slots=True, kw_only=True)
class Arrival:
    """Messages of one form: a tree over (m,) messages, when each was sent or came, in nanoseconds,
    and in which order."""

    topic: str
    tree: Tree
    logs: NDArray[np.int64]
    order: NDArray[np.int64]

    @property
    def is_static(self) -> bool:
        return self.topic.rstrip("/").endswith("tf_static")


@dataclass(slots=True)
class Dialect(ABC):
    """One conversation. It takes messages and leaves its answers in `outgoing`; senseless messages
    are counted in `dropped` and have no effect."""

    wish: LiveWish
    outgoing: deque[Message] = field(default_factory=deque)
    topics: dict[str, str] = field(default_factory=dict)
    """Name -> type, as ROS 1 spells it, as far as the server tells."""
    parameters: dict[str, str] = field(default_factory=dict)
    """Robot descriptions that are parameters."""
    problem: str = ""
    dropped: int = 0
    count: int = 0
    is_recording: bool = False

    protocols: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def start(self) -> None:
        """Sends the opening messages."""

    @abstractmethod
    def receive(self, message: Message, log: int) -> None:
        """Takes a message that came at `log`, in nanoseconds."""

    @abstractmethod
    def flush(self) -> list[Arrival]:
        """Returns the arrivals since the last time."""

    @abstractmethod
    def publish(self, message: Packed) -> None:
        """Sends a message of any type. Raises ConnectError where the server takes none."""

    @abstractmethod
    def ask_again(self) -> None:
        """Retries whatever may help when nothing comes."""

    def _say(self, **words: Any) -> None:
        text = json.dumps(words, allow_nan=False)
        self.outgoing.append(Message(FrameKind.TEXT, text.encode()))

    def set_recording(self, is_on: bool) -> None:
        """Tells whether every message counts, or only the newest."""
        self.is_recording = is_on

    def _choose_topic(self, topics: Mapping[str, str], motions: Sequence[str]) -> str:
        """Returns the topic of joints among the known ones; empty where none is clear, which
        `problem` explains. `motions` are the topics that can be read as joints."""
        wish, self.problem = self.wish, ""
        if wish.topic:
            named = [name for name in topics if name.strip("/") == wish.topic.strip("/")]
            self.problem = "" if named else f"there is no topic {quote(wish.topic)} there"
            return next(iter(named), "")
        start = within(wish.namespace, "/")
        inside = [name for name in motions if name.startswith(start)]
        usual = [name for name in inside if name.endswith(wish.end)]
        for found in ([wish.usual] if wish.usual in motions else [], usual, inside):
            if len(found) == 1:
                return found[0]
        held = "a robot description" if wish.describes else "positions of joints"
        if inside:
            self.problem = f"several topics have {held}: choose one{_list(inside)}"
        else:
            self.problem = f"no topic there has {held}{_list(topics)}"
        return ""

    def _note_parameter(self, name: object, value: object) -> None:
        """Notes a parameter that is a robot description; its name ends so."""
        if not isinstance(name, str):
            return
        value = find_text({"data": value})
        has_room = value and len(name) <= MOST_NAME and len(self.parameters) < _MOST_PARAMETERS
        if has_room and name.replace(":", ".").replace("/", ".").endswith(f".{ROBOT}"):
            self.parameters[name] = value

    def _choose_frames(self, topics: Mapping[str, str]) -> list[str]:
        """Returns the known topics that hold the motion of the base."""
        if not self.wish.base:
            return []
        start = within(self.wish.namespace, "/")
        frames = [
            name
            for name, kind in topics.items()
            if kind in FOXGLOVES_FRAMES
            or (kind in FRAMES and name.rsplit("/", 1)[-1] in ("tf", "tf_static"))
        ]
        own = [name for name in frames if name.startswith(start)] or frames
        rides = [n for n, kind in topics.items() if kind == ODOMETRY and n.startswith(start)]
        return [*own, *(rides if len(rides) == 1 else ())]

    def _note_topic(self, name: object, kind: object) -> None:
        """Notes a topic that a server names, within bounds."""
        if not isinstance(name, str) or not isinstance(kind, str):
            return
        if 0 < len(name) <= MOST_NAME and len(kind) <= MOST_NAME and len(self.topics) < MOST_TOPICS:
            self.topics[name] = short_name(kind)

    def _skip_frames(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns a message without the transforms of frames that are passed over."""
        found, skips = message.get("transforms"), self.wish.skips
        if "parent_frame_id" in message:
            return {} if _name_child(message) in skips else message
        if not skips or not isinstance(found, list) or "joint_names" in message:
            return message
        kept = [each for each in found if _name_child(each) not in skips]
        return {**message, "transforms": kept}

    def _parse(self, message: Message) -> dict[str, Any] | None:
        """Returns the object that a text is; None for anything else, and for more than is read."""
        if message.kind is not FrameKind.TEXT or len(message.data) > MOST_TEXT:
            return None
        try:
            content = json.loads(message.data.decode())
        except (ValueError, RecursionError):
            return None
        return content if isinstance(content, dict) else None


def is_description(topic: str, kind: str) -> bool:
    """Whether a topic is a robot's description, by its name and type."""
    return kind == TEXTS and topic.rpartition("/")[2] == ROBOT


def within(namespace: str, topic: str) -> str:
    """Returns a topic in a robot's namespace."""
    bare = namespace.strip("/")
    return f"/{bare}{topic}" if bare else topic


def _list(names: Sequence[str] | Mapping[str, str]) -> str:
    shown = [quote(name[:60]) for name in sorted(names)[:_MOST_SHOWN]]
    more = len(names) - len(shown)
    return (": " + ", ".join(shown) + (f" and {more} more" if more else "")) if shown else ""


def _name_child(transform: object) -> str:
    name = transform.get("child_frame_id") if isinstance(transform, Mapping) else None
    return name.lstrip("/") if isinstance(name, str) else ""
