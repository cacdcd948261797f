# SPDX-License-Identifier: GPL-3.0-or-later
"""Truevision TGA: palette, true colour and grey, plain or run-length packed."""

import numpy as np
from numpy.typing import NDArray

from .pixels import Pixels, Unsupported, broken, check_size, look_up, number, take

_PALETTE, _COLOR, _GREY = 1, 2, 3
_PACKED = 8
_HEAD = 18


def decode_tga(content: bytes) -> Pixels:
    """MeshError where it is broken, Unsupported for kinds that are not read."""
    kind, bits = number(content, 2, 1, "little"), number(content, 16, 1, "little")
    plain = kind & ~_PACKED
    if (plain, bits) not in _KINDS:
        raise Unsupported
    width, height = number(content, 12, 2, "little"), number(content, 14, 2, "little")
    check_size(width, height)
    entry_bits = number(content, 7, 1, "little") if content[1] else 0
    place = _HEAD + content[0]
    palette_bytes = number(content, 5, 2, "little") * ((entry_bits + 7) // 8)
    data = place + palette_bytes
    step = (bits + 7) // 8
    if kind & _PACKED:
        pixels = _unpack(content, data, width * height, step)
    else:
        pixels = take(content, data, width * height * step).reshape(-1, step)
    colors = _color(pixels, plain, content, place, entry_bits)
    image = colors.reshape(height, width, -1)
    return np.ascontiguousarray(_upright(image, content[17]))


_KINDS = {(_PALETTE, 8), (_COLOR, 15), (_COLOR, 16), (_COLOR, 24), (_COLOR, 32), (_GREY, 8)}


def _upright(image: Pixels, descriptor: int) -> Pixels:
    """Rows run upwards and columns to the right unless the descriptor says otherwise."""
    image = image if descriptor & 0x20 else image[::-1]
    return image[:, ::-1] if descriptor & 0x10 else image


def _color(
    pixels: NDArray[np.uint8], plain: int, content: bytes, place: int, entry_bits: int
) -> NDArray[np.uint8]:
    if plain == _GREY:
        return pixels
    if plain == _COLOR:
        return _from_bgr(pixels)
    first, count = number(content, 3, 2, "little"), number(content, 5, 2, "little")
    if entry_bits not in (15, 16, 24, 32) or not count:
        raise broken("its palette is missing")
    step = (entry_bits + 7) // 8
    entries = _from_bgr(take(content, place, count * step).reshape(-1, step))
    return look_up(pixels[:, 0] - np.uint8(first & 255), entries)


def _from_bgr(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if pixels.shape[1] == 2:
        packed = np.ascontiguousarray(pixels).view("<u2")[:, 0].astype(np.uint32)
        parts = [(packed >> shift & 31) * 255 // 31 for shift in (10, 5, 0)]
        return np.stack(parts, axis=1).astype(np.uint8)
    return pixels[:, [2, 1, 0, 3][: pixels.shape[1]]]


def _unpack(content: bytes, place: int, count: int, step: int) -> NDArray[np.uint8]:
    """Packets of up to 128 pixels, each as they are or one pixel repeated."""
    parts: list[bytes] = []
    left = count
    while left > 0:
        head = number(content, place, 1, "little")
        run = min((head & 127) + 1, left)
        size = step if head & 128 else run * step
        part = content[place + 1 : place + 1 + size]
        if len(part) < size:
            raise broken("it is cut off")
        parts.append(part * run if head & 128 else part)
        place += 1 + (step if head & 128 else ((head & 127) + 1) * step)
        left -= run
    return np.frombuffer(b"".join(parts), dtype=np.uint8).reshape(-1, step)
