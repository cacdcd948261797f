# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows bitmaps without compression: 1, 4, 8, 16, 24 and 32 bits per pixel."""

import numpy as np
from numpy.typing import NDArray

from .pixels import (
    Pixels,
    Unsupported,
    broken,
    check_size,
    look_up,
    number,
    read_bytes,
    split_samples,
)

_PLAIN, _BITFIELDS, _ALPHA_BITFIELDS = 0, 3, 6


def decode_bmp(content: bytes) -> Pixels:
    """Returns the pixels. Raises MeshError where it is broken, Unsupported where it is
    compressed."""
    start, head = number(content, 10, 4, "little"), number(content, 14, 4, "little")
    if head < 40 and head != 12:
        raise broken("its header is too short")
    size = 2 if head == 12 else 4
    width, height = number(content, 18, size, "little"), number(content, 18 + size, size, "little")
    is_downward = head != 12 and height >= 2**31
    height = 2**32 - height if is_downward else height
    check_size(width, height)
    bits = number(content, 20 + 2 * size, 2, "little")
    packing = _PLAIN if head == 12 else number(content, 30, 4, "little")
    if packing not in (_PLAIN, _BITFIELDS, _ALPHA_BITFIELDS):
        raise Unsupported
    stride = (width * bits + 31) // 32 * 4
    rows = read_bytes(content, start, stride * height).reshape(height, stride)
    rows = rows if is_downward else rows[::-1]
    if bits in (1, 4, 8):
        entry = 3 if head == 12 else 4
        palette = _read_palette(content, 14 + head, start, entry)
        return look_up(split_samples(rows, bits, width), palette)
    if bits == 24:
        return rows[:, : 3 * width].reshape(height, width, 3)[:, :, ::-1].copy()
    if bits in (16, 32):
        masks = _find_masks(content, head, bits, packing)
        return _split_fields(rows, width, bits, masks)
    raise broken(f"no bitmap has {bits} bits per pixel")


def _read_palette(content: bytes, place: int, end: int, entry: int) -> NDArray[np.uint8]:
    count = max(0, min(256, (min(end, len(content)) - place) // entry))
    return read_bytes(content, place, count * entry).reshape(-1, entry)[:, 2::-1]


def _find_masks(content: bytes, head: int, bits: int, packing: int) -> list[int]:
    """The masks of red, green and blue, and of alpha where the header has one."""
    if packing == _PLAIN:
        return [0x7C00, 0x3E0, 0x1F] if bits == 16 else [0xFF0000, 0xFF00, 0xFF]
    masks = [number(content, 54 + 4 * i, 4, "little") for i in range(3)]
    if head >= 56 or packing == _ALPHA_BITFIELDS:
        alpha = number(content, 66, 4, "little")
        masks += [alpha] if alpha else []
    return masks


def _split_fields(rows: NDArray[np.uint8], width: int, bits: int, masks: list[int]) -> Pixels:
    packed = np.ascontiguousarray(rows[:, : width * bits // 8]).view(f"<u{bits // 8}")
    channels = []
    for mask in masks:
        if not mask:
            channels.append(np.zeros(packed.shape, dtype=np.uint8))
            continue
        shift = (mask & -mask).bit_length() - 1
        most = mask >> shift
        part = (packed.astype(np.uint64) & np.uint64(mask)) >> np.uint64(shift)
        channels.append((part * np.uint64(255) // np.uint64(most)).astype(np.uint8))
    return np.stack(channels, axis=2)


_PALETTE, _COLOR, _GREY = 1, 2, 3
_PACKED = 8
_HEAD = 18


def decode_tga(content: bytes) -> Pixels:
    """Returns the pixels. Raises MeshError where it is broken, Unsupported for kinds that are not
    read."""
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
        pixels = read_bytes(content, data, width * height * step).reshape(-1, step)
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
    entries = _from_bgr(read_bytes(content, place, count * step).reshape(-1, step))
    return look_up(pixels[:, 0] - np.uint8(first & 255), entries)


def _from_bgr(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if pixels.shape[1] == 2:
        packed = np.ascontiguousarray(pixels).view("<u2")[:, 0].astype(np.uint32)
        parts = [(packed >> shift & 31) * 255 // 31 for shift in (10, 5, 0)]
        return np.stack(parts, axis=1).astype(np.uint8)
    return pixels[:, [2, 1, 0, 3][: pixels.shape[1]]]


def _unpack(content: bytes, place: int, count: int, step: int) -> NDArray[np.uint8]:
    """Packets of up to 128 pixels, either literal or one pixel repeated."""
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
