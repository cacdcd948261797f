# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenEXR 2 with lines from above to below, written: the arrays alone, so that the same arrays are
the same bytes."""

import struct
import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

_MAGIC, _VERSION = 20000630, 2
_FLOAT, _ZIP, _LINES = 2, 3, 16


def encode_exr(channels: Mapping[str, NDArray[np.float32]]) -> bytes:
    """Writes channels (height, width) of single precision under their names, compressed by ZIP
    without loss."""
    names = sorted(channels)
    height, width = channels[names[0]].shape
    rows = np.stack([channels[name].astype("<f4") for name in names], axis=1)
    head = _write_head(names, width, height)
    chunks = []
    for first in range(0, height, _LINES):
        data = _compress(rows[first : first + _LINES].tobytes())
        chunks.append(struct.pack("<ii", first, len(data)) + data)
    places = np.cumsum([len(head) + 8 * len(chunks), *map(len, chunks[:-1])])
    return head + places.astype("<u8").tobytes() + b"".join(chunks)


def _write_head(names: list[str], width: int, height: int) -> bytes:
    entries = b"".join(
        name.encode("ascii") + b"\0" + struct.pack("<iB3xii", _FLOAT, 0, 1, 1) for name in names
    )
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    attributes = (
        (b"channels", b"chlist", entries + b"\0"),
        (b"compression", b"compression", bytes([_ZIP])),
        (b"dataWindow", b"box2i", window),
        (b"displayWindow", b"box2i", window),
        (b"lineOrder", b"lineOrder", b"\0"),
        (b"pixelAspectRatio", b"float", struct.pack("<f", 1.0)),
        (b"screenWindowCenter", b"v2f", struct.pack("<2f", 0.0, 0.0)),
        (b"screenWindowWidth", b"float", struct.pack("<f", 1.0)),
    )
    written = (
        name + b"\0" + kind + b"\0" + struct.pack("<i", len(value)) + value
        for name, kind, value in attributes
    )
    return struct.pack("<ii", _MAGIC, _VERSION) + b"".join(written) + b"\0"


def _compress(data: bytes) -> bytes:
    """Even bytes before odd ones, each as its difference from the one before, plus 128; a block
    that does not get smaller stays as it is."""
    plain = np.frombuffer(data, np.uint8)
    split = np.concatenate([plain[0::2], plain[1::2]])
    split[1:] -= split[:-1].copy() - np.uint8(128)
    packed = zlib.compress(split.tobytes(), 4)
    return packed if len(packed) < len(data) else data
