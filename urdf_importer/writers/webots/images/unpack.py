# SPDX-License-Identifier: GPL-3.0-or-later
"""The packings of TIFF: bytes and the size wanted -> bytes, never many more than that."""

import zlib
from collections.abc import Callable

from .pixels import broken

_CLEAR, _END = 256, 257
_WIDEST = 12


def _take_plain(data: bytes, size: int) -> bytes:
    return data[:size]


def _inflate(data: bytes, size: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, size)
    except zlib.error:
        raise broken("its pixels cannot be unpacked") from None


def _unpack_bits(data: bytes, size: int) -> bytes:
    """PackBits: 0..127, that many bytes and one follow; 129..255, the next byte 257 - n times."""
    parts = bytearray()
    place = 0
    while place < len(data) and len(parts) < size:
        head = data[place]
        if head < 128:
            parts += data[place + 1 : place + 2 + head]
            place += 2 + head
        else:
            if head > 128:
                parts += data[place + 1 : place + 2] * (257 - head)
            place += 2 if head > 128 else 1
    return bytes(parts[:size])


def _unpack_lzw(data: bytes, size: int) -> bytes:
    """Codes of 9 to 12 bits, highest bit first; the width grows one code early."""
    parts: list[bytes] = []
    table: list[bytes] = []
    single = [bytes((value,)) for value in range(256)] + [b"", b""]
    last = b""
    total, held, bits, width = 0, 0, 0, 9
    for byte in data:
        held, bits = (held << 8 | byte) & 0xFFFFFF, bits + 8
        if bits < width:
            continue
        bits -= width
        entry = held >> bits & ((1 << width) - 1)
        if entry == _END or total >= size:
            break
        if entry == _CLEAR:
            table, last, width = list(single), b"", 9
            continue
        part = _find_entry(table, entry, last)
        if last and len(table) < 1 << _WIDEST:
            table.append(last + part[:1])
        parts.append(part)
        total += len(part)
        last = part
        width = min(max(9, (len(table) + 1).bit_length()), _WIDEST)
    return b"".join(parts)[:size]


def _find_entry(table: list[bytes], entry: int, last: bytes) -> bytes:
    """The code that is just being made is the last entry and its first byte again."""
    if entry < len(table):
        return table[entry]
    if entry == len(table) and last:
        return last + last[:1]
    raise broken("its pixels cannot be unpacked")


UNPACKERS: dict[int, Callable[[bytes, int], bytes]] = {
    1: _take_plain,
    5: _unpack_lzw,
    8: _inflate,
    32946: _inflate,
    32773: _unpack_bits,
}
"""By the number in the tag Compression."""
