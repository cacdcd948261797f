# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of Parquet: unpacked, and their runs, levels and values."""

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....core.diagnostics import ReadError
from ..recordings.compression import Unpacker
from ..varints import read_varint

MOST_PAGE = 256 * 1024 * 1024
_CODECS = ("none", "snappy", "gzip", "LZO", "brotli", "LZ4", "zstd", "LZ4")
_ENCODINGS = {
    1: "GROUP_VAR_INT", 4: "BIT_PACKED", 5: "DELTA_BINARY_PACKED",
    6: "DELTA_LENGTH_BYTE_ARRAY", 7: "DELTA_BYTE_ARRAY",
}  # fmt: skip
PLAIN, OLD_DICTIONARY, RLE, DICTIONARY, SPLIT = 0, 2, 3, 8, 9
BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, TEXT, FIXED = range(8)
TYPES = {INT32: "<i4", INT64: "<i8", FLOAT: "<f4", DOUBLE: "<f8"}
Levels = NDArray[np.int64]


def unpack_page(data: bytes, codec: int, size: int, unpacker: Unpacker) -> bytes:
    """Returns the `size` bytes of a page. Raises ReadError for damage, and for other codecs."""
    name = _CODECS[codec] if 0 <= codec < len(_CODECS) else "an unknown codec"
    if name == "none":
        found = data
    elif name == "snappy":
        found = unpack_snappy(data, size)
    elif name == "gzip":
        try:
            found = zlib.decompressobj(wbits=31).decompress(data, size + 1)
        except zlib.error:
            raise ReadError("a packed page (gzip) is damaged") from None
    elif name == "zstd":
        found = unpacker.unpack(data, "zstd", size)
    else:
        raise ReadError(f"its pages are packed by {name}, which is not read; snappy and zstd are")
    if len(found) != size:
        raise ReadError("a page does not have the size that it states")
    return found


def unpack_snappy(data: bytes, size: int) -> bytes:
    """Returns the content that Snappy packed, `size` bytes at most (its
    format_description.txt)."""
    stated, at = read_varint(data, 0)
    if stated != size:
        raise ReadError("a page does not have the size that it states")
    out, end = bytearray(), len(data)
    while at < end and len(out) <= size:
        tag = data[at]
        at += 1
        kind = tag & 3
        if not kind:
            length = tag >> 2
            if length > 59:
                more = length - 59
                length = int.from_bytes(data[at : at + more], "little")
                at += more
            out += data[at : at + length + 1]
            at += length + 1
        elif kind == 1:
            _repeat_bytes(out, 4 + (tag >> 2 & 7), (tag & 0xE0) << 3 | data[at])
            at += 1
        else:
            width = 2 if kind == 2 else 4
            _repeat_bytes(out, 1 + (tag >> 2), int.from_bytes(data[at : at + width], "little"))
            at += width
    return bytes(out)


def _repeat_bytes(out: bytearray, length: int, offset: int) -> None:
    start = len(out) - offset
    if start < 0 or not offset:
        raise ReadError("a packed page (snappy) is damaged")
    if offset >= length:
        out += out[start : start + length]
    else:
        out += (out[start:] * (length // offset + 1))[:length]


def read_runs(data: bytes, width: int, count: int) -> Levels:
    """Returns `count` numbers of `width` bits: runs of one number, and packed bits."""
    if not width:
        return np.zeros(count, dtype=np.int64)
    if width > 32:
        raise ReadError("the file is damaged: its runs are too wide")
    bytes_wide, at, end, left = (width + 7) // 8, 0, len(data), count
    parts: list[Any] = []
    values: list[int] = []
    lengths: list[int] = []
    while left > 0:
        head, at = read_varint(data, at)
        if head & 1:
            parts += _repeat(values, lengths)
            groups = min(head >> 1, (left + 7) // 8, (end - at) // width)
            if not groups:
                raise ReadError("the file is damaged: its runs are cut off")
            parts.append(_unpack_bits(data[at : at + groups * width], width))
            at += (head >> 1) * width
            left -= groups * 8
        else:
            length = min(head >> 1, left)
            if not length:
                raise ReadError("the file is damaged: a run is empty")
            values.append(int.from_bytes(data[at : at + bytes_wide], "little"))
            lengths.append(length)
            at += bytes_wide
            left -= length
    parts += _repeat(values, lengths)
    found: Levels = np.concatenate(parts)[:count] if parts else np.zeros(0, np.int64)
    return found


def _repeat(values: list[int], lengths: list[int]) -> list[Levels]:
    found = [np.repeat(np.array(values, np.int64), np.array(lengths))] if values else []
    values.clear()
    lengths.clear()
    return found


def _unpack_bits(data: bytes, width: int) -> Levels:
    raw = np.frombuffer(data, dtype=np.uint8)
    if width in (8, 16, 32):
        return raw.view(f"<u{width // 8}").astype(np.int64)
    bits = np.unpackbits(raw, bitorder="little").reshape(-1, width)
    if width == 1:
        return bits[:, 0].astype(np.int64)
    found = np.zeros(len(bits), dtype=np.int64)
    for place in range(width):
        found |= bits[:, place].astype(np.int64) << place
    return found


def read_values(
    data: bytes, form: tuple[int, int], encoding: int, count: int, dictionary: Any
) -> Any:
    """Returns `count` values of a page: an array of numbers, or a list of bytes. Raises ReadError
    for encodings that are not read. `form` is the type, and the width of fixed texts."""
    kind, width = form
    if encoding in (OLD_DICTIONARY, DICTIONARY):
        if dictionary is None or (count and not data):
            raise ReadError("the file is damaged: a page has no dictionary")
        places = read_runs(data[1:], data[0], count) if count else np.zeros(0, np.int64)
        if len(places) and int(places.max()) >= len(dictionary):
            raise ReadError("the file is damaged: a value is not in its dictionary")
        if isinstance(dictionary, list):
            return [dictionary[place] for place in places.tolist()]
        return dictionary[places]
    if encoding == RLE and kind == BOOLEAN:
        return read_runs(data[4:], 1, count)
    if encoding == SPLIT and kind in TYPES:
        return _join_bytes(data, np.dtype(TYPES[kind]), count)
    if encoding != PLAIN:
        name = _ENCODINGS.get(encoding, f"number {encoding}")
        raise ReadError(f"its columns are encoded as {name}, which is not read")
    if kind == BOOLEAN:
        bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder="little")
        return _enough(bits[:count], count).astype(np.int64)
    if kind in TYPES:
        dtype = np.dtype(TYPES[kind])
        size = count * dtype.itemsize
        return np.frombuffer(_enough(data[:size], size), dtype=dtype)
    return _read_texts(data, count, width if kind == FIXED else 0)


def _enough(found: Any, count: int) -> Any:
    if len(found) != count:
        raise ReadError("the file is damaged: a page is too short")
    return found


def _join_bytes(data: bytes, dtype: Any, count: int) -> Any:
    size = dtype.itemsize * count
    raw = np.frombuffer(_enough(data[:size], size), dtype=np.uint8)
    return np.ascontiguousarray(raw.reshape(dtype.itemsize, count).T).view(dtype)[:, 0]


def _read_texts(data: bytes, count: int, width: int) -> list[bytes]:
    found, at = [], 0
    if 4 * count > len(data) and not width:
        raise ReadError("the file is damaged: a page is too short")
    for _ in range(count):
        length = width
        if not width:
            length = int.from_bytes(data[at : at + 4], "little")
            at += 4
        if at + length > len(data):
            raise ReadError("the file is damaged: a text is too long")
        found.append(data[at : at + length])
        at += length
    return found
