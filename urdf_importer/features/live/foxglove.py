# SPDX-License-Identifier: GPL-3.0-or-later
"""Foxglove's protocol: the server announces its channels in JSON, and sends messages unchanged."""

from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...core.diagnostics import ConnectError, ReadError, quote
from ..motion.messages.decoders import ENCODINGS, Decode, find_motion, make_decoder
from ..motion.recordings.definitions import Encoding, short_name, text_of
from .dialect import (
    JOINTS,
    MOST_NAME,
    MOST_TEXT,
    MOST_TOPICS,
    ROBOT,
    Arrival,
    Dialect,
    is_description,
)
from .packed import Packed
from .websocket import FrameKind, Message

_MESSAGE_DATA = 1
MOST_SCHEMAS = 64 * 1024 * 1024
MOST_PARSED = 1024 * 1024
"""Bytes of descriptors of Protocol Buffers that are parsed to find joints, about half a second; of
channels beyond, the name of the type tells."""
_PARAMETERS = (f"/{ROBOT}", f"/robot_state_publisher.{ROBOT}")
_DAMAGED = b"\0"
"""In the place of a message that is too long."""
_SCHEMAS = ("ros1msg", "ros2msg", "jsonschema", "protobuf")


@dataclass(kw_only=True)
class _Channel:
    topic: str
    type: str
    encoding: str
    schema: str
    is_searched: bool = True
    decode: Decode | None = None

    @cached_property
    def has_joints(self) -> bool:
        """Whether positions of joints seem to be in its messages. Of ROS the schema is searched,
        without parsing it, since a server may announce thousands."""
        if self.encoding in ("json", "protobuf"):
            schema = self.schema if self.is_searched else ""
            named = "JointState" in self.type
            return named or find_motion(self.encoding, self.type, schema) == "joints"
        return self.type in JOINTS or any(
            f"MSG: {spelled}" in self.schema
            for name in JOINTS
            for spelled in (name, name.replace("/", "/msg/"))
        )


@dataclass(slots=True)
class Foxglove(Dialect):
    """Asks for channels by their numbers."""

    protocols: ClassVar[tuple[str, ...]] = ("foxglove.sdk.v1", "foxglove.websocket.v1")

    channels: dict[int, _Channel] = field(default_factory=dict)
    subscribed: dict[int, _Channel] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)
    """Number of a channel -> number of the subscription."""
    waiting: list[tuple[int, int, int, bytes]] = field(default_factory=list)
    advertised: dict[str, int] = field(default_factory=dict)
    takes_messages: bool = False
    encodings: tuple[str, ...] = ()
    last: int = 0
    schemas: int = 0
    """Letters of all schemas that are held."""
    parsed: int = 0

    def start(self) -> None:
        """Waits: the server speaks first."""

    def ask_again(self) -> None:
        """Waits: the server announces new channels by itself."""

    def receive(self, message: Message, log: int) -> None:
        """Takes a text about channels, or a message on one."""
        if message.kind is FrameKind.BINARY:
            self._take_data(message.data)
            return
        content = self._parse(message)
        if content is None:
            self.dropped += 1
            return
        take = {
            "serverInfo": self._take_info,
            "advertise": self._take_channels,
            "unadvertise": self._drop_channels,
            "parameterValues": self._take_parameters,
        }.get(str(content.get("op")))
        if take is not None:
            take(content)

    def _take_info(self, content: Mapping[str, Any]) -> None:
        able, known = content.get("capabilities"), content.get("supportedEncodings")
        self.takes_messages = isinstance(able, list) and "clientPublish" in able
        if isinstance(known, list):
            self.encodings = tuple(each for each in known[:100] if isinstance(each, str))
        if self.wish.describes and isinstance(able, list) and "parameters" in able:
            self._say(op="getParameters", parameterNames=list(_PARAMETERS), id=ROBOT)

    def _take_parameters(self, content: Mapping[str, Any]) -> None:
        found = content.get("parameters")
        for each in found[:MOST_TOPICS] if isinstance(found, list) else ():
            if isinstance(each, Mapping):
                self._note_parameter(each.get("name"), each.get("value"))
        if content.get("id") == ROBOT and not self.parameters:
            # Of a node with another name: all are asked for.
            self._say(op="getParameters", parameterNames=[], id="all")

    def _take_channels(self, content: Mapping[str, Any]) -> None:
        found = content.get("channels")
        for each in found[:MOST_TOPICS] if isinstance(found, list) else ():
            if isinstance(each, Mapping):
                self._add_channel(each)
        self._settle()

    def _add_channel(self, told: Mapping[str, Any]) -> None:
        number, name = told.get("id"), told.get("topic")
        texts = [told.get(key, "") for key in ("schemaName", "encoding", "schema")]
        if (
            not isinstance(number, int)
            or not isinstance(name, str)
            or not all(isinstance(text, str) for text in texts)
            or len(name) > MOST_NAME
            or len(self.channels) >= MOST_TOPICS
        ):
            self.dropped += 1
            return
        kind, encoding, schema = texts
        if told.get("schemaEncoding") not in (None, "", *_SCHEMAS):
            schema = ""
        if encoding == "protobuf":
            schema = _unpack(schema)
            self.parsed += len(schema)
        before = self.channels.get(number)
        size = self.schemas + len(schema) - (len(before.schema) if before is not None else 0)
        if size > MOST_SCHEMAS:
            self.dropped += 1
            return
        self.schemas = size
        self.channels[number] = _Channel(
            topic=name,
            type=short_name(kind),
            encoding=encoding,
            schema=schema,
            is_searched=self.parsed <= MOST_PARSED,
        )
        self._note_topic(name, kind)

    def _drop_channels(self, content: Mapping[str, Any]) -> None:
        found = content.get("channelIds")
        for number in found[:MOST_TOPICS] if isinstance(found, list) else ():
            if not isinstance(number, int):
                continue
            gone = self.channels.pop(number, None)
            self.subscribed.pop(self.numbers.pop(number, -1), None)
            if gone is not None:
                self.schemas -= len(gone.schema)
                self.topics.pop(gone.topic, None)
        self._settle()

    def _settle(self) -> None:
        """Subscribes to the wanted ones of the present channels."""
        if not self.wish.takes:
            return
        readable = {
            number: each for number, each in self.channels.items() if each.encoding in ENCODINGS
        }
        motions = [each.topic for each in readable.values() if self._suits(each)]
        names = {each.topic: each.type for each in readable.values()}
        chosen = self._choose_topic(names, motions)
        wanted = {chosen, *self._choose_frames(names)}
        fresh = [
            number
            for number, each in readable.items()
            if each.topic in wanted and number not in self.numbers
        ]
        for number in fresh:
            self._subscribe(number)
        stale = [number for number in self.numbers if self.channels[number].topic not in wanted]
        for number in stale if chosen else ():
            one = self.numbers.pop(number)
            del self.subscribed[one]
            self._say(op="unsubscribe", subscriptionIds=[one])

    def _suits(self, channel: _Channel) -> bool:
        if self.wish.describes:
            return is_description(channel.topic, channel.type)
        return channel.has_joints

    def _subscribe(self, number: int) -> None:
        channel = self.channels[number]
        try:
            channel.decode = make_decoder(channel.encoding, channel.type, channel.schema)
        except ReadError as error:
            self.problem = f"topic {quote(channel.topic)} cannot be read: {error.message}"
            return
        self.last += 1
        self.numbers[number] = self.last
        self.subscribed[self.last] = channel
        one = {"id": self.last, "channelId": number}
        self._say(op="subscribe", subscriptions=[one])

    def _take_data(self, data: bytes) -> None:
        """A byte for the kind, u32 subscription, u64 nanoseconds, the message."""
        if len(data) < 13 or data[0] != _MESSAGE_DATA:
            self.dropped += data[:1] != b"\2"  # The server's time.
            return
        number = int.from_bytes(data[1:5], "little")
        if number not in self.subscribed:
            return
        self.count += 1
        log = min(int.from_bytes(data[5:13], "little"), 2**63 - 1)
        self.waiting.append((number, log, self.count, data[13:]))

    def flush(self) -> list[Arrival]:
        """Decodes the arrivals since the last time, all messages of a channel at once."""
        waiting, self.waiting = self.waiting, []
        by_number: dict[int, list[tuple[int, int, int, bytes]]] = {}
        for each in waiting:
            by_number.setdefault(each[0], []).append(each)
        found: list[Arrival] = []
        for number, messages in by_number.items():
            channel = self.subscribed.get(number)
            if channel is not None:
                found += self._decode(channel, messages)
        return found

    def _decode(
        self, channel: _Channel, messages: list[tuple[int, int, int, bytes]]
    ) -> list[Arrival]:
        logs = np.array([each[1] for each in messages], dtype=np.int64)
        order = np.array([each[2] for each in messages], dtype=np.int64)
        parts = []
        bodies = [each[3] for each in messages]
        if channel.encoding in ("json", "protobuf"):
            bodies = [_DAMAGED if len(each) > MOST_TEXT else each for each in bodies]
        try:
            parts = channel.decode(bodies) if channel.decode is not None else []
        except ReadError as error:
            self.problem = f"topic {quote(channel.topic)} cannot be read: {error.message}"
        self.dropped += len(messages) - sum(len(rows) for rows, _ in parts)
        return [
            Arrival(
                topic=channel.topic,
                tree=self._skip_frames(tree) if isinstance(tree, Mapping) else tree,
                logs=logs[rows],
                order=order[rows],
            )
            for rows, tree in parts
        ]

    def publish(self, message: Packed) -> None:
        """Sends a message as the server's ROS packs it."""
        if not self.takes_messages:
            raise ConnectError("the server takes no messages; its option clientPublish is off")
        encoding: Encoding = "ros1" if "ros1" in self.encodings else "cdr"
        if message.topic not in self.advertised:
            self._advertise(message.topic, message.type, encoding)
        head = b"\1" + self.advertised[message.topic].to_bytes(4, "little")
        self.outgoing.append(Message(FrameKind.BINARY, head + message.pack(encoding)))

    def _advertise(self, topic: str, kind: str, encoding: Encoding) -> None:
        number = self.advertised[topic] = len(self.advertised) + 1
        spelled = kind if encoding == "ros1" else kind.replace("/", "/msg/", 1)
        channel = {
            "id": number,
            "topic": topic,
            "encoding": encoding,
            "schemaName": spelled,
            "schemaEncoding": "ros1msg" if encoding == "ros1" else "ros2msg",
            "schema": text_of(kind, encoding),
        }
        self._say(op="advertise", channels=[channel])


def _unpack(schema: str) -> str:
    """Returns descriptors as they are, a letter for each byte, from base 64; none for damaged
    ones."""
    with suppress(ValueError):
        return b64decode(schema.encode()).decode("latin-1")
    return ""
