# SPDX-License-Identifier: GPL-3.0-or-later
"""Helpers of all image decoders: numbers from bytes that may be cut off, samples from bits."""

import zlib
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError

Pixels = NDArray[np.uint8]
"""(height, width, channels), top row first; channels: grey, grey and alpha, RGB or RGBA."""

MOST_PIXELS = 8192 * 4096
Order = Literal["big", "little"]


class Unsupported(Exception):
    """An image of a kind that is not decoded here; another program may."""


def broken(reason: str) -> MeshError:
    return MeshError(f"the image is broken: {reason}", code="unreadable-texture")


def check_size(width: int, height: int) -> None:
    """Raises MeshError before memory is taken for pixels that a few bytes claim to hold."""
    if not 0 < width * height <= MOST_PIXELS:
        message = f"the image claims to have {width} x {height} pixels"
        raise MeshError(message, code="unreadable-texture")


def number(content: bytes, place: int, size: int, order: Order) -> int:
    """Reads a number without sign. Raises MeshError where the content ends before."""
    if place < 0 or place + size > len(content):
        raise broken("it is cut off")
    return int.from_bytes(content[place : place + size], order)


def read_bytes(content: bytes, place: int, size: int) -> NDArray[np.uint8]:
    """Returns these bytes. Raises MeshError where the content ends before."""
    if place < 0 or size < 0 or place + size > len(content):
        raise broken("it is cut off")
    return np.frombuffer(content, dtype=np.uint8, count=size, offset=place)


def inflate(data: bytes, size: int) -> bytes:
    """Unpacks at most `size` bytes, whatever the data hold. Raises MeshError for damage."""
    try:
        return zlib.decompressobj().decompress(data, size)
    except zlib.error:
        raise broken("its pixels cannot be unpacked") from None


def split_samples(rows: NDArray[np.uint8], bits: int, count: int) -> NDArray[np.uint8]:
    """Splits (H, bytes) -> (H, count) numbers of 1, 2, 4 or 8 bits each, not stretched."""
    if bits == 8:
        return rows[:, :count]
    parts = np.unpackbits(rows, axis=1).reshape(len(rows), -1, bits)[:, :count]
    weights = 1 << np.arange(bits - 1, -1, -1)
    return (parts * weights).sum(axis=2).astype(np.uint8)


def stretch(samples: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """Stretches grey of 1, 2, 4 or 8 bits to the full range."""
    return samples * np.uint8(255 // ((1 << bits) - 1))


def narrow(samples: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Narrows 16 bits to 8, rounded."""
    return ((samples.astype(np.uint32) + 128) // 257).astype(np.uint8)


def look_up(indices: NDArray[np.uint8], palette: NDArray[np.uint8]) -> Pixels:
    """Returns the colours (N, channels) of a palette; missing entries are black."""
    full = np.zeros((256, palette.shape[1]), dtype=np.uint8)
    full[: len(palette)] = palette[:256]
    return full[indices]
