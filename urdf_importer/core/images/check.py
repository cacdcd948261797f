# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an image is whole, judged by its structure.

Decoding costs a hundred times more, and leaves four bytes per pixel in memory until something needs
them. The checks cover everything that makes the common decoders refuse an image; any other fault
shows as wrong colours, there as here. Images of other kinds are for a decoder to judge.
"""

import zlib

import numpy as np
from numpy.typing import NDArray

from .size import DEPTHS_BY_COLOR, PNG_SIGNATURE

_CHUNK_FRAME = 12
_PNG_INDEXED = 3

_QUANTIZATION, _HUFFMAN, _SCAN, _END = 0xDB, 0xC4, 0xDA, 0xD9
_FRAMES, _PROGRESSIVE = (0xC0, 0xC1, 0xC2), 0xC2
_RESTARTS, _HARMLESS = 0xDD, (*range(0xE0, 0xF0), 0xFE)
_WITHIN_SCANS = (0x00, *range(0xD0, 0xD8), 0xFF)
"""The bytes that may follow 0xFF among the compressed pixels."""

_MOST_SYMBOLS = 256
_MOST_BLOCKS = 10
"""Blocks of all components in one unit of a JPEG scan."""


def is_whole_image(content: bytes) -> bool:
    """Returns True for a PNG with the right checksums from head to end, and for a JPEG, sequential
    or progressive, whose tables are all there; False where only decoding can tell."""
    if content.startswith(PNG_SIGNATURE):
        return _is_whole_png(content)
    return content.startswith(b"\xff\xd8") and _is_whole_jpeg(content)


def _is_whole_png(content: bytes) -> bool:
    kinds: list[bytes] = []
    place = 8
    while place + _CHUNK_FRAME <= len(content) and kinds[-1:] != [b"IEND"]:
        size = int.from_bytes(content[place : place + 4], "big")
        end = place + 8 + size
        if content[end : end + 4] != zlib.crc32(content[place + 4 : end]).to_bytes(4, "big"):
            return False
        kinds.append(content[place + 4 : place + 8])
        place = end + 4
    if kinds[:1] != [b"IHDR"] or kinds[-1] != b"IEND" or b"IDAT" not in kinds:
        return False
    depth, color, compression, filtering, interlace = content[24:29]
    has_colors = b"PLTE" in kinds or color != _PNG_INDEXED
    is_known = depth in DEPTHS_BY_COLOR.get(color, ()) and has_colors
    return is_known and compression == filtering == 0 and interlace <= 1


def _is_whole_jpeg(content: bytes) -> bool:
    """Segments and scans, then the end."""
    tables = _JpegTables()
    markers = _find_markers(content)
    place = 2
    while place + 4 <= len(content) and content[place] == 0xFF:
        kind = content[place + 1]
        end = place + 2 + int.from_bytes(content[place + 2 : place + 4], "big")
        if end > len(content) or not tables.accept(kind, content[place + 4 : end]):
            return False
        place = end
        if kind == _SCAN:
            following = int(np.searchsorted(markers, end))
            if following == len(markers):
                return False
            place = int(markers[following])
            if content[place + 1] == _END:
                return True
    return False


def _find_markers(content: bytes) -> NDArray[np.intp]:
    """The positions of the markers that end a scan, without bytes that only look like markers."""
    characters = np.frombuffer(content, dtype=np.uint8)
    places = np.flatnonzero(characters[:-1] == 0xFF)
    found: NDArray[np.intp] = places[~np.isin(characters[places + 1], _WITHIN_SCANS)]
    return found


class _JpegTables:
    """The tables that the segments of a JPEG have defined so far."""

    def __init__(self) -> None:
        self._quantizations: set[int] = set()
        self._huffmans: set[int] = set()
        self._components: dict[int, int] = {}
        self._is_progressive = False

    def accept(self, kind: int, segment: bytes) -> bool:
        """Whether this segment is well-formed and of a kind that is known."""
        if kind == _QUANTIZATION:
            return self._take_quantizations(segment)
        if kind == _HUFFMAN:
            return self._take_huffmans(segment)
        if kind in _FRAMES:
            self._is_progressive = kind == _PROGRESSIVE
            return self._take_frame(segment)
        if kind == _SCAN:
            return self._take_scan(segment)
        return kind in _HARMLESS or (kind == _RESTARTS and len(segment) == 2)

    def _take_quantizations(self, segment: bytes) -> bool:
        place = 0
        while place < len(segment):
            precision, index = divmod(segment[place], 16)
            place += 1 + 64 * (1 + precision)
            if precision > 1 or index > 3:
                return False
            self._quantizations.add(index)
        return place == len(segment)

    def _take_huffmans(self, segment: bytes) -> bool:
        place = 0
        while place + 17 <= len(segment):
            is_ac, index = divmod(segment[place], 16)
            counts = segment[place + 1 : place + 17]
            symbols = segment[place + 17 : place + 17 + sum(counts)]
            place += 17 + sum(counts)
            if is_ac > 1 or index > 3 or not _is_code(counts):
                return False
            if not is_ac and max(symbols, default=0) > 15:
                return False
            self._huffmans.add(segment[place - 17 - sum(counts)])
        return place == len(segment)

    def _take_frame(self, segment: bytes) -> bool:
        """One frame, of 8 bits, grey or of three components."""
        if self._components or len(segment) < 6 or segment[0] != 8:
            return False
        parts = [segment[place : place + 3] for place in range(6, len(segment), 3)]
        self._components = {part[0]: part[-1] for part in parts}
        is_sane = len(segment) == 6 + 3 * segment[5] and segment[5] in (1, 3)
        return is_sane and len(self._components) == segment[5] and _are_blocks(parts)

    def _take_scan(self, segment: bytes) -> bool:
        """Some or all components, each with the tables that it needs."""
        count = segment[0] if segment else 0
        if not 1 <= count <= 3 or len(segment) != 4 + 2 * count:
            return False
        named, choices = set(segment[1:-3:2]), segment[2:-3:2]
        first, last, bits = segment[-3:]
        before, after = divmod(bits, 16)
        wanted = {each >> 4 for each in choices} | {16 + (each & 15) for each in choices}
        if self._is_progressive:
            is_ordered = last == 0 if first == 0 else first <= last <= 63 and count == 1
            if not is_ordered or (before and after != before - 1) or after > 13:
                return False
            wanted = {each for each in wanted if (each < 16) == (first == 0)}
            wanted = set() if first == 0 and before else wanted
        return (
            len(named) == count
            and named <= self._components.keys()
            and wanted <= self._huffmans
            and set(self._components.values()) <= self._quantizations
        )


def _is_code(counts: bytes) -> bool:
    """Whether there is a prefix code with so many words of 1, 2 ... 16 bits, none all ones."""
    used = 0
    for bits, count in enumerate(counts, start=1):
        used = 2 * used + count
        if used >= 1 << bits:
            return False
    return sum(counts) <= _MOST_SYMBOLS


def _are_blocks(parts: list[bytes]) -> bool:
    sizes = [divmod(part[1], 16) for part in parts]
    within = all(1 <= across <= 4 and 1 <= down <= 4 for across, down in sizes)
    return within and sum(across * down for across, down in sizes) <= _MOST_BLOCKS
