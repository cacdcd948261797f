# SPDX-License-Identifier: GPL-3.0-or-later
"""A server that is a list of pieces of bytes: what a connection makes of any of them."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from support.live_server import welcome
from urdf_importer import Trajectory
from urdf_importer.features.live.address import Address, read_address
from urdf_importer.features.live.connection import Connection
from urdf_importer.features.live.dialect import LiveWish
from urdf_importer.features.live.packed import pack_motion


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Scripted:
    """A stream that gives one piece at each read; `taken` are the bytes that were sent to it. An
    exception among the pieces is raised."""

    def __init__(self, pieces: Sequence[Any], *, protocol: str = "", greets: bool = True) -> None:
        self.pieces = list(pieces)
        self.protocol, self.greets = protocol, greets
        self.taken = bytearray()
        self.is_open = True

    def advance(self) -> bool:
        return True

    def write(self, data: bytes) -> int:
        self.taken += data
        if self.greets and b"\r\n\r\n" in self.taken:
            self.greets = False
            self.pieces.insert(0, welcome(bytes(self.taken), protocol=self.protocol))
        return len(data)

    def read(self) -> bytes | None:
        if not self.pieces:
            return None
        piece = self.pieces.pop(0)
        if isinstance(piece, Exception):
            raise piece
        return bytes(piece) if piece is not None else None

    def close(self) -> None:
        self.is_open = False


def connect_to(
    stream: Any | Callable[[], Any], wish: LiveWish | None = None, clock: Clock | None = None,
    url: str = "ws://localhost:9090", **options: Any,
) -> Connection:  # fmt: skip
    """Returns a connection to what is not there."""
    address: Address = read_address(url)
    make = stream if callable(stream) else lambda: stream
    return Connection(
        address,
        wish or LiveWish(),
        clock=clock or Clock(),
        wall=lambda: 1_700_000_000_000_000_000,
        find=lambda _: [(2, ("127.0.0.1", address.port))],
        open_stream=lambda _address, _place: make(),
        **options,
    )


def send(connection: Connection, topic: str, motion: Trajectory) -> bool:
    """Sends a motion over a connection. Returns whether it goes out."""
    return connection.publish(pack_motion(topic, motion))


def plain(text: str) -> str:
    """Returns a sentence without its numbers."""
    return re.sub(r"\d+", "N", text)
