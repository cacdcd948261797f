# SPDX-License-Identifier: GPL-3.0-or-later
"""A client's half of the WebSocket protocol (RFC 6455) on bytes: no socket, no time.

No extension is offered, so none may be used: a compressed frame ends the connection. A server's
messages are bounded: 64 KiB of greeting, 16 MiB of a message, 64 pieces of one.
"""

import base64
import hashlib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from .address import Address

MOST_GREETING = 64 * 1024
MOST_MESSAGE = 16 * 1024 * 1024
MOST_PIECES = 64
_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""Of RFC 6455, section 1.3."""
_STATUS = re.compile("[0-9]{3}").fullmatch


class BrokenError(Exception):
    """The other side broke the rules, in one sentence: nothing more can be read of it."""


class FrameKind(IntEnum):
    """The kind of a frame."""

    MORE = 0
    TEXT = 1
    BINARY = 2
    CLOSE = 8
    PING = 9
    PONG = 10


@dataclass(frozen=True, slots=True)
class Message:
    """A whole message, or a control frame."""

    kind: FrameKind
    data: bytes


class Greeting:
    """The handshake: the request, and the check of the answer."""

    def __init__(
        self, address: Address, protocols: Sequence[str], key: bytes | None = None
    ) -> None:
        self._key = base64.b64encode(os.urandom(16) if key is None else key)
        self._buffer = bytearray()
        self._offered = tuple(protocols)
        lines = [
            f"GET {address.path} HTTP/1.1",
            f"Host: {address.netloc}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {self._key.decode()}",
            "Sec-WebSocket-Version: 13",
        ]
        if protocols:
            lines.append(f"Sec-WebSocket-Protocol: {', '.join(protocols)}")
        self.request = ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")
        self.protocol = ""
        self.status = 0
        """Of the answer, once it is there."""

    def receive(self, data: bytes) -> bytes | None:
        """Takes bytes of the answer. Returns None while it is incomplete, then the bytes behind it.
        Raises BrokenError for an answer that is not a welcome."""
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0 or end > MOST_GREETING:
            if len(self._buffer) > MOST_GREETING:
                raise BrokenError("the server's greeting has no end")
            return None
        self._check(bytes(self._buffer[:end]))
        return bytes(self._buffer[end + 4 :])

    def _check(self, head: bytes) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        words = first.split(" ", 2)
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not _STATUS(words[1]):
            raise BrokenError("the server there is not a WebSocket server")
        self.status = int(words[1])
        if self.status != 101:
            raise BrokenError(f"the server refuses a WebSocket there (HTTP {self.status})")
        fields: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            fields.setdefault(name.strip().lower(), value.strip())
        expected = base64.b64encode(hashlib.sha1(self._key + _MAGIC).digest()).decode()
        connection = {each.strip() for each in fields.get("connection", "").lower().split(",")}
        if (
            fields.get("sec-websocket-accept") != expected
            or fields.get("upgrade", "").lower() != "websocket"
            or "upgrade" not in connection
        ):
            raise BrokenError("the server's greeting is not a WebSocket's")
        if fields.get("sec-websocket-extensions"):
            raise BrokenError("the server insists on compression, which was not offered")
        self.protocol = fields.get("sec-websocket-protocol", "")
        if self.protocol and self.protocol not in self._offered:
            raise BrokenError("the server chose a protocol that was not offered")


@dataclass(slots=True)
class FrameReader:
    """Takes bytes in any pieces, gives whole messages."""

    _buffer: bytearray = field(default_factory=bytearray)
    _at: int = 0
    _parts: list[bytes] = field(default_factory=list)
    _size: int = 0
    _kind: FrameKind | None = None

    def feed(self, data: bytes) -> None:
        """Adds bytes."""
        if self._at:
            del self._buffer[: self._at]
            self._at = 0
        self._buffer += data

    def next(self) -> Message | None:
        """Returns the next message, or None where more bytes are needed. Raises BrokenError."""
        while True:
            found = self._read_frame()
            if found is None:
                return None
            kind, is_last, data = found
            if kind >= FrameKind.CLOSE:
                return Message(kind, data)
            message = self._join(kind, is_last, data)
            if message is not None:
                return message

    def _join(self, kind: FrameKind, is_last: bool, data: bytes) -> Message | None:
        if (kind is FrameKind.MORE) is (self._kind is None):
            raise BrokenError("the server's messages are in pieces that do not belong together")
        if self._kind is None:
            self._kind = kind
        self._parts.append(data)
        self._size += len(data)
        if len(self._parts) > MOST_PIECES or self._size > MOST_MESSAGE:
            raise BrokenError("a message of the server is too big, or in too many pieces")
        if not is_last:
            return None
        message = Message(self._kind, b"".join(self._parts))
        self._parts, self._size, self._kind = [], 0, None
        return message

    def _read_frame(self) -> tuple[FrameKind, bool, bytes] | None:
        buffer, at = self._buffer, self._at
        if len(buffer) - at < 2:
            return None
        first, second = buffer[at], buffer[at + 1]
        kind = _check_head(first, second)
        size, at = second & 127, at + 2
        if size >= 126:
            width = 2 if size == 126 else 8
            if len(buffer) - at < width:
                return None
            size = int.from_bytes(buffer[at : at + width], "big")
            at += width
        if size > MOST_MESSAGE:
            raise BrokenError(f"a message of the server is bigger than {MOST_MESSAGE // 2**20} MiB")
        if len(buffer) - at < size:
            return None
        self._at = at + size
        return kind, bool(first & 128), bytes(buffer[at : at + size])


def _check_head(first: int, second: int) -> FrameKind:
    if first & 0x70:
        raise BrokenError("the server compresses, which was not offered")
    if second & 128:
        raise BrokenError("the server masks its messages, which only clients do")
    try:
        kind = FrameKind(first & 15)
    except ValueError:
        raise BrokenError("the server sends frames of an unknown kind") from None
    if kind >= FrameKind.CLOSE and (second > 125 or not first & 128):
        raise BrokenError("the server sends control frames that are too big")
    return kind


def format_frame(
    kind: FrameKind, data: bytes, random: Callable[[int], bytes] = os.urandom
) -> bytes:
    """Returns a masked frame, as clients send them."""
    size = len(data)
    head = bytes([128 | kind])
    if size < 126:
        head += bytes([128 | size])
    elif size < 65536:
        head += bytes([128 | 126]) + size.to_bytes(2, "big")
    else:
        head += bytes([128 | 127]) + size.to_bytes(8, "big")
    mask = random(4)
    repeated = (mask * (size // 4 + 1))[:size]
    mixed = int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")
    return head + mask + mixed.to_bytes(size, "big")
