# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows bitmaps without compression: 1, 4, 8, 16, 24 and 32 bits per pixel."""

import numpy as np
from numpy.typing import NDArray

from .pixels import Pixels, Unsupported, broken, check_size, look_up, number, split_samples, take

_PLAIN, _BITFIELDS, _ALPHA_BITFIELDS = 0, 3, 6


def decode_bmp(content: bytes) -> Pixels:
    """MeshError where it is broken, Unsupported where it is compressed."""
    start, head = number(content, 10, 4, "little"), number(content, 14, 4, "little")
    if head < 40 and head != 12:
        raise broken("its head is too short")
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
    rows = take(content, start, stride * height).reshape(height, stride)
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
    return take(content, place, count * entry).reshape(-1, entry)[:, 2::-1]


def _find_masks(content: bytes, head: int, bits: int, packing: int) -> list[int]:
    """Of red, green and blue, and of alpha where it is said."""
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
