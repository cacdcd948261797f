# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacks compressed recordings, never to more than their stated size, without compiled code of our
own.

LZ4 frames are unpacked here: no Python has LZ4. Zstandard is in Blender's Python.
"""

import bz2
import io
from contextlib import suppress
from functools import lru_cache
from typing import Any

from ....core.diagnostics import ReadError

_LZ4 = b"\x04\x22\x4d\x18"
ZSTD = b"\x28\xb5\x2f\xfd"
_PIECE = 64 * 1024
MOST_UNPACKED = 1024 * 1024 * 1024
_MOST_RATIO = 300


def unpack(data: bytes, kind: str, size: int) -> bytes:
    """Returns at most `size` bytes unpacked from `data`: from "bz2", "lz4" or "zstd". Truncated
    data gives its beginning. Raises ReadError for damage and for other kinds."""
    if kind == "bz2":
        try:
            return bz2.BZ2Decompressor().decompress(data, max_length=size)
        except (OSError, ValueError, EOFError):
            raise ReadError("a packed part (bz2) is damaged") from None
    if kind == "lz4":
        return _unpack_lz4(data, size)
    if kind == "zstd":
        return _unpack_zstd(data, size)
    raise ReadError(f"it is packed as {kind!r:.40}, which is not read")


class Unpacker:
    """Unpacks the parts of one recording: at most 1 GiB in all, and more only for more packed
    bytes. A megabyte of bz2 can expand to twenty gigabytes."""

    def __init__(self) -> None:
        self._left = MOST_UNPACKED

    def unpack(self, data: bytes, kind: str, size: int) -> bytes:
        """Does as `unpack`. Raises ReadError where it all becomes too much, too."""
        found = unpack(data, kind, size)
        self._left += _MOST_RATIO * len(data) - len(found)
        if self._left < 0:
            raise ReadError(f"it unpacks to more than {_MOST_RATIO} times its size")
        return found


@lru_cache(maxsize=1)
def _find_zstd() -> tuple[Any, Any]:
    """Returns the module zstandard, and its unpacker. Raises ReadError without it."""
    try:
        import zstandard
    except ImportError:
        raise ReadError(
            "it is packed as zstd, which this Python does not unpack; install zstandard "
            "(pip install zstandard)"
        ) from None
    return zstandard, zstandard.ZstdDecompressor(max_window_size=2**27)


def open_zstd(file: Any) -> Any:
    """Returns the unpacked content of a file, as a file. Raises ReadError without an unpacker."""
    return _find_zstd()[1].stream_reader(file, read_across_frames=True)


def zstd_errors() -> tuple[type[Exception], ...]:
    """Returns the errors that a damaged file of open_zstd raises."""
    return (_find_zstd()[0].ZstdError, OSError, EOFError)


def _unpack_zstd(data: bytes, size: int) -> bytes:
    """Unpacks at once data that states its size; the rest, such as several frames, and truncated
    frames, in pieces: room for the largest possible content, taken for each of many messages, would
    be too much."""
    module, decompressor = _find_zstd()
    with suppress(*zstd_errors()):
        if 0 <= module.frame_content_size(data) <= size:
            found: bytes = decompressor.decompress(data, allow_extra_data=False)
            return found
    parts, left = [], size
    try:
        with open_zstd(io.BytesIO(data)) as stream:
            while left > 0 and (part := stream.read(min(left, _PIECE))):
                parts.append(part)
                left -= len(part)
    except zstd_errors():
        raise ReadError("a packed part (zstd) is damaged") from None
    return b"".join(parts)


def _unpack_lz4(data: bytes, size: int) -> bytes:
    """Unpacks one frame (LZ4 Frame Format 1.6.2): descriptor, blocks, end mark."""
    if len(data) < 7 or data[:4] != _LZ4 or data[4] >> 6 != 1:
        raise ReadError("a packed part (lz4) is damaged")
    flags = data[4]
    at = 7 + (8 if flags & 8 else 0) + (4 if flags & 1 else 0)
    out = bytearray()
    while at + 4 <= len(data) and len(out) < size:
        length = int.from_bytes(data[at : at + 4], "little")
        at += 4
        if not length:
            break
        block = data[at : at + (length & 0x7FFFFFFF)]
        at += (length & 0x7FFFFFFF) + (4 if flags & 16 else 0)
        if length & 0x80000000:
            out += block
        else:
            try:
                _unpack_block(block, out, size)
            except IndexError:
                break  # cut off
    return bytes(memoryview(out)[:size])


def _unpack_block(data: bytes, out: bytearray, size: int) -> None:
    """Appends an unpacked block, up to about `size` bytes in all. Raises IndexError where it is cut
    off."""
    at, end = 0, len(data)
    while at < end and len(out) < size:
        token = data[at]
        at += 1
        length = token >> 4
        if length == 15:
            length, at = _extend(data, length, at)
        out += data[at : at + length]
        at += length
        if at >= end:
            return
        offset = data[at] | data[at + 1] << 8
        at += 2
        length = (token & 15) + 4
        if length == 19:
            length, at = _extend(data, length, at)
        start = len(out) - offset
        if start < 0 or not offset:
            raise ReadError("a packed part (lz4) is damaged")
        # A few bytes may ask for gigabytes: no more is made than is wanted.
        length = min(length, max(size - len(out), 0))
        if offset >= length:
            out += out[start : start + length]
        else:
            out += (out[start:] * (length // offset + 1))[:length]


def _extend(data: bytes, length: int, at: int) -> tuple[int, int]:
    """Returns a length that continues in the bytes at a place, and the place behind them."""
    more = 255
    while more == 255:
        more = data[at]
        at += 1
        length += more
    return length, at
