# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole numbers of several bytes, seven bits in each and the lowest first, as Parquet and Protocol
Buffers write them."""

_MOST_BITS = 70


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Returns a number, and the place behind it. Raises ValueError for one of more than ten bytes,
    IndexError at the end of the bytes."""
    found = shift = 0
    while shift < _MOST_BITS:
        byte = data[at]
        at += 1
        found |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return found, at
    raise ValueError("a number is too long")


def write_varint(number: int) -> bytes:
    """Returns the bytes of a number that is not negative."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def unfold(number: int) -> int:
    """Returns a number with its sign, which is its lowest bit (zigzag)."""
    return (number >> 1) ^ -(number & 1)
