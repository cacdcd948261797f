# SPDX-License-Identifier: GPL-3.0-or-later
"""The rosbridge protocol, version 2: JSON in texts, for ROS 1 and ROS 2.

The server sends no word about errors, so only silence tells. NaN comes as null.
Times have other names in ROS 1 and ROS 2: messages are sent with both, and each takes its own.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core.diagnostics import ReadError
from ..motion.recordings.trees import to_tree
from .dialect import (
    FRAMES,
    MOST_NAME,
    MOST_TEXT,
    MOST_TOPICS,
    ROBOT,
    STATES,
    TEXTS,
    Arrival,
    Dialect,
    is_description,
)
from .packed import Packed, to_json
from .websocket import FrameKind, Message

MOST_FRAGMENTS = 10_000
_MOST_OPEN = 16
"""Texts with missing pieces; the oldest is forgotten."""
_PARAMETERS = (f"/{ROBOT}", f"/robot_state_publisher:{ROBOT}")
"""As ROS 1 and ROS 2 name it."""
_JOINTS = {
    STATES,
    "trajectory_msgs/JointTrajectory",
    "control_msgs/JointTrajectoryControllerState",
    "moveit_msgs/DisplayTrajectory",
}


@dataclass(slots=True)
class Fragments:
    """Texts that come in numbered pieces, in any order and between each other. A text that grows
    beyond a message, or is not the newest of several, is forgotten, piece by piece and without a
    report: a message is missing then, and the next state comes soon."""

    _open: dict[str, dict[int, bytes]] = field(default_factory=dict)
    _size: int = 0

    def add(self, content: Mapping[str, Any]) -> bytes | None:
        """Takes a piece. Returns the text that it completes, None while others are missing, and
        nothing for an invalid piece."""
        name, data = str(content.get("id"))[:MOST_NAME], content.get("data")
        number, total = content.get("num"), content.get("total")
        if not isinstance(data, str) or not isinstance(number, int) or not isinstance(total, int):
            return b""
        if not 0 <= number < total <= MOST_FRAGMENTS:
            return b""
        piece = data.encode("utf-8", "replace")
        parts = self._open.setdefault(name, {})
        self._size += len(piece) - len(parts.get(number, b""))
        parts[number] = piece
        if len(parts) == total and max(parts) == total - 1:
            self._drop(name)
            return b"".join(parts[i] for i in range(total))
        while self._size > MOST_TEXT or len(self._open) > _MOST_OPEN:
            self._drop(next(iter(self._open)))
        return None

    def _drop(self, name: str) -> None:
        self._size -= sum(map(len, self._open.pop(name).values()))


@dataclass(slots=True)
class Rosbridge(Dialect):
    """Asks for topics by name. Which there are is known only where rosapi runs."""

    subscribed: dict[str, str] = field(default_factory=dict)
    """Topic -> type, empty where the server finds out."""
    advertised: set[str] = field(default_factory=set)
    waiting: list[Arrival] = field(default_factory=list)
    heard: set[str] = field(default_factory=set)
    fragments: Fragments = field(default_factory=Fragments)

    def start(self) -> None:
        self._ask_topics()
        if not self.wish.takes:
            return
        self._subscribe(self.wish.usual, "" if self.wish.topic else self._usual_type)
        if self.wish.describes:
            for name in _PARAMETERS:
                words = {"service": "/rosapi/get_param", "args": {"name": name}}
                self._say(op="call_service", id=name, **words)
        if self.wish.base:
            self._subscribe("/tf", FRAMES[0])
            self._subscribe("/tf_static", FRAMES[0])

    @property
    def _usual_type(self) -> str:
        return TEXTS if self.wish.describes else STATES

    def _ask_topics(self) -> None:
        self._say(op="call_service", id="topics", service="/rosapi/topics", args={})

    def _subscribe(self, topic: str, kind: str) -> None:
        """A subscription under the same id replaces the one before. Recordings want every message,
        the display only the newest."""
        self.subscribed[topic] = kind
        words = {"type": kind} if kind else {}
        length = 0 if self.is_recording or topic in ("/tf", "/tf_static") else 1
        self._say(op="subscribe", id=f"in:{topic}", topic=topic, queue_length=length, **words)

    def set_recording(self, is_on: bool) -> None:
        """Lets the server send all messages, or the newest."""
        changed = is_on != self.is_recording
        self.is_recording = is_on
        for topic, kind in list(self.subscribed.items()) if changed else ():
            self._subscribe(topic, kind)

    def receive(self, message: Message, log: int) -> None:
        """Takes a text; nothing else belongs to this protocol."""
        content = self._parse(message)
        if content is not None and content.get("op") == "fragment":
            whole = self.fragments.add(content)
            if whole is None:
                return
            content = self._parse(Message(FrameKind.TEXT, whole))
        if content is None:
            self.dropped += 1
        elif content.get("op") == "publish":
            self._take_published(content, log)
        elif content.get("op") == "service_response":
            if content.get("id") in _PARAMETERS:
                self._take_parameter(content)
            else:
                self._take_topics(content.get("values"))

    def _take_parameter(self, content: Mapping[str, Any]) -> None:
        """Takes the answer of rosapi, whose value is JSON in a text."""
        values = content.get("values")
        written = values.get("value") if isinstance(values, Mapping) else None
        with suppress(ValueError, RecursionError):
            value = json.loads(written) if isinstance(written, str) else None
            self._note_parameter(content["id"], value)

    def _take_published(self, content: Mapping[str, Any], log: int) -> None:
        topic, body = content.get("topic"), content.get("msg")
        known = isinstance(topic, str) and topic in self.subscribed
        if not known or not isinstance(body, Mapping):
            self.dropped += 1
            return
        assert isinstance(topic, str)
        try:
            tree = to_tree(self._skip_frames(body))
        except (ReadError, RecursionError):
            self.dropped += 1
            return
        self.heard.add(topic)
        self.count += 1
        row = np.array([self.count])
        self.waiting.append(Arrival(topic=topic, tree=tree, logs=np.array([log]), order=row))

    def _take_topics(self, values: Any) -> None:
        if not isinstance(values, Mapping):
            return
        names, kinds = values.get("topics"), values.get("types")
        if not isinstance(names, list) or not isinstance(kinds, list) or len(names) > MOST_TOPICS:
            return
        self.topics.clear()
        for name, kind in zip(names, kinds, strict=False):
            self._note_topic(name, kind)
        if self.topics and self.wish.takes:
            self._settle()

    def _settle(self) -> None:
        """Takes other topics than the usual ones where only the former are on the server."""
        suits = is_description if self.wish.describes else _has_joints
        motions = [name for name, kind in self.topics.items() if suits(name, kind)]
        chosen = self._choose_topic(self.topics, motions)
        usual = self.wish.usual
        if chosen and chosen != usual and usual in self.subscribed.keys() - self.heard:
            del self.subscribed[usual]
            self._say(op="unsubscribe", id=f"in:{usual}", topic=usual)
        wanted = {chosen: self.topics[chosen]} if chosen else {}
        wanted |= {name: self.topics[name] for name in self._choose_frames(self.topics)}
        for name, kind in wanted.items():
            if self.subscribed.get(name) != kind:
                self._subscribe(name, kind)

    def ask_again(self) -> None:
        """Asks which topics there are, and for the usual one by its type, since a server that knows
        no type does nothing."""
        self._ask_topics()
        if self.wish.takes and self.wish.topic and not self.topics:
            known = self.subscribed.get(self.wish.usual)
            self._subscribe(self.wish.usual, "" if known else self._usual_type)

    def flush(self) -> list[Arrival]:
        """Returns the arrivals since the last time."""
        found, self.waiting = self.waiting, []
        return found

    def publish(self, message: Packed) -> None:
        """Sends a message as JSON."""
        said = to_json(message)
        if message.topic not in self.advertised:
            self.advertised.add(message.topic)
            words = {"id": f"out:{message.topic}", "topic": message.topic, "type": message.type}
            self._say(op="advertise", **words)
        text = f'{{"op": "publish", "topic": {json.dumps(message.topic)}, "msg": {said}}}'
        self.outgoing.append(Message(FrameKind.TEXT, text.encode()))


def _has_joints(_: str, kind: str) -> bool:
    return kind in _JOINTS
