# SPDX-License-Identifier: GPL-3.0-or-later
"""The packings of TIFF: bytes and the size wanted -> bytes, never many more than that."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .pixels import (
    Order,
    Pixels,
    Unsupported,
    broken,
    check_size,
    inflate,
    look_up,
    narrow,
    number,
    read_bytes,
    split_samples,
    stretch,
)

_CLEAR, _END = 256, 257
_WIDEST = 12


def _take_plain(data: bytes, size: int) -> bytes:
    return data[:size]


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
    8: inflate,
    32946: inflate,
    32773: _unpack_bits,
}
"""By the number in the tag Compression."""


_WIDTH, _HEIGHT, _BITS, _PACKING, _PHOTOMETRIC = 256, 257, 258, 259, 262
_STRIPS, _SAMPLES, _ROWS, _STRIP_SIZES, _PLANAR = 273, 277, 278, 279, 284
_PREDICTOR, _PALETTE, _TILE_WIDTH, _TILE_HEIGHT, _TILES, _TILE_SIZES = 317, 320, 322, 323, 324, 325
_EXTRA, _FORMAT = 338, 339
_SIZES = {1: 1, 3: 2, 4: 4}
_WHITE_IS_ZERO, _BLACK_IS_ZERO, _RGB, _INDEXED = range(4)
_MOST_TAGS = 200
_MOST_PARTS = 200_000


@dataclass(frozen=True, slots=True)
class _Layout:
    """How the pixels lie in the file. `channels` of one part: 1 where each has its own plane."""

    width: int
    height: int
    bits: int
    samples: int
    channels: int
    part_width: int
    part_height: int
    order: Order

    @property
    def across(self) -> int:
        return -(-self.width // self.part_width)

    @property
    def down(self) -> int:
        return -(-self.height // self.part_height)

    @property
    def stride(self) -> int:
        return (self.part_width * self.channels * self.bits + 7) // 8


def decode_tiff(content: bytes) -> Pixels:
    """Returns the pixels. Raises MeshError where it is broken, Unsupported for kinds that are not
    read."""
    order: Order = "little" if content.startswith(b"II") else "big"
    tags = _read_tags(content, order)
    photometric = _one(tags, _PHOTOMETRIC, _BLACK_IS_ZERO)
    layout = _find_layout(tags, order)
    if photometric > _INDEXED or _one(tags, _FORMAT, 1) != 1:
        raise Unsupported
    samples = _read_parts(content, tags, layout)
    return _color(samples, layout.bits, photometric, tags)


def _read_tags(content: bytes, order: Order) -> dict[int, list[int]]:
    place = number(content, 4, 4, order)
    tags: dict[int, list[int]] = {}
    for index in range(min(number(content, place, 2, order), _MOST_TAGS)):
        entry = place + 2 + 12 * index
        tag, kind = number(content, entry, 2, order), number(content, entry + 2, 2, order)
        size, count = _SIZES.get(kind), number(content, entry + 4, 4, order)
        if size is None or count > _MOST_PARTS:
            continue
        start = entry + 8 if size * count <= 4 else number(content, entry + 8, 4, order)
        kind_name = f"{'<' if order == 'little' else '>'}u{size}"
        tags.setdefault(tag, read_bytes(content, start, size * count).view(kind_name).tolist())
    return tags


def _one(tags: dict[int, list[int]], tag: int, default: int) -> int:
    values = tags.get(tag)
    return values[0] if values else default


def _find_layout(tags: dict[int, list[int]], order: Order) -> _Layout:
    width, height = _one(tags, _WIDTH, 0), _one(tags, _HEIGHT, 0)
    check_size(width, height)
    samples = _one(tags, _SAMPLES, 1)
    depths = tags.get(_BITS) or [1]
    if len(set(depths)) > 1 or not 1 <= samples <= 8 or depths[0] not in (1, 4, 8, 16):
        raise Unsupported
    if depths[0] < 8 and samples > 1:
        raise Unsupported
    is_tiled = _TILES in tags
    part_width = _one(tags, _TILE_WIDTH, 0) if is_tiled else width
    part_height = min(_one(tags, _ROWS, height), height)
    if is_tiled:
        part_height = _one(tags, _TILE_HEIGHT, 0)
    check_size(part_width, part_height)
    channels = 1 if _one(tags, _PLANAR, 1) == 2 else samples
    return _Layout(width, height, depths[0], samples, channels, part_width, part_height, order)


def _read_parts(content: bytes, tags: dict[int, list[int]], layout: _Layout) -> NDArray[np.uint16]:
    """(H, W, samples), undecoded."""
    unpack = UNPACKERS.get(_one(tags, _PACKING, 1))
    predictor = _one(tags, _PREDICTOR, 1)
    if unpack is None or predictor not in (1, 2) or (predictor == 2 and layout.bits < 8):
        raise Unsupported
    starts = tags.get(_TILES) or tags.get(_STRIPS) or []
    sizes = tags.get(_TILE_SIZES) or tags.get(_STRIP_SIZES) or []
    planes = layout.samples // layout.channels
    if min(len(starts), len(sizes)) < planes * layout.across * layout.down:
        raise broken("parts of it are missing")
    image = np.zeros((layout.height, layout.width, layout.samples), dtype=np.uint16)
    index = 0
    for plane in range(planes):
        channels = slice(plane, plane + 1) if planes > 1 else slice(None)
        for y in range(0, layout.height, layout.part_height):
            for x in range(0, layout.width, layout.part_width):
                rows = min(layout.part_height, layout.height - y)
                columns = min(layout.part_width, layout.width - x)
                # The last strip ends with the image; tiles are always whole.
                wanted = layout.stride * (layout.part_height if _TILES in tags else rows)
                part = unpack(content[starts[index] : starts[index] + sizes[index]], wanted)
                found = _samples_of(part, wanted, layout, predictor)
                image[y : y + rows, x : x + columns, channels] = found[:rows, :columns]
                index += 1
    return image


def _samples_of(
    part: bytes, wanted: int, layout: _Layout, predictor: int
) -> NDArray[np.uint16] | NDArray[np.uint8]:
    if len(part) < wanted:
        raise broken("it is cut off")
    rows = np.frombuffer(part, dtype=np.uint8, count=wanted).reshape(-1, layout.stride)
    shape = (len(rows), layout.part_width, layout.channels)
    samples: NDArray[np.uint8] | NDArray[np.uint16]
    if layout.bits == 16:
        kind = ">u2" if layout.order == "big" else "<u2"
        samples = rows.view(kind).astype(np.uint16).reshape(shape)
    else:
        count = layout.part_width * layout.channels
        samples = split_samples(rows, layout.bits, count).reshape(shape)
    if predictor == 2:
        # Differences wrap around at the width of a sample.
        sums = np.cumsum(samples, axis=1, dtype=np.uint64) & np.uint64((1 << layout.bits) - 1)
        return sums.astype(np.uint16)
    return samples


def _color(
    samples: NDArray[np.uint16], bits: int, photometric: int, tags: dict[int, list[int]]
) -> Pixels:
    if photometric == _INDEXED:
        return _paint(samples[:, :, 0], bits, tags.get(_PALETTE) or [])
    pixels = narrow(samples) if bits == 16 else stretch(samples.astype(np.uint8), bits)
    colors = 3 if photometric == _RGB else 1
    if pixels.shape[2] < colors:
        raise broken("channels are missing")
    has_alpha = pixels.shape[2] > colors and _one(tags, _EXTRA, 0) in (1, 2)
    pixels = pixels[:, :, : colors + has_alpha]
    if photometric == _WHITE_IS_ZERO:
        pixels = pixels.copy()
        pixels[:, :, 0] = 255 - pixels[:, :, 0]
    return np.ascontiguousarray(pixels)


def _paint(indices: NDArray[np.uint16], bits: int, palette: list[int]) -> Pixels:
    """All reds first, then the greens and the blues, of 16 bits each."""
    if bits > 8 or len(palette) < 3 << bits:
        raise broken("its palette is missing")
    colors = np.array(palette[: 3 << bits], dtype=np.uint16).reshape(3, -1).T
    return look_up(indices.astype(np.uint8), narrow(colors))
