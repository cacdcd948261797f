# SPDX-License-Identifier: GPL-3.0-or-later
"""PNG (ISO/IEC 15948), read and written."""

import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .pixels import (
    Pixels,
    broken,
    check_size,
    inflate,
    look_up,
    narrow,
    number,
    split_samples,
    stretch,
)
from .size import DEPTHS_BY_COLOR, PNG_SIGNATURE

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_BITS_BY_COLOR = {**_CHANNELS, 3: 3}
# First column and row, steps between columns and rows, of the seven passes of Adam7.
_PASSES = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)


@dataclass(frozen=True, slots=True)
class PngKind:
    """The contents of the header. `has_alpha` counts a transparent colour or palette as well."""

    width: int
    height: int
    depth: int
    color_type: int
    is_interlaced: bool
    has_alpha: bool


def encode_png(pixels: Pixels | NDArray[np.uint16]) -> bytes:
    """Writes (height, width, channels) with 8 or 16 bits per channel. Each row is written as its
    difference from the one above."""
    height, width, channels = pixels.shape
    size = pixels.dtype.itemsize
    flat = np.ascontiguousarray(pixels, f">u{size}").view(np.uint8).reshape(height, -1)
    rows = np.full((height, 1 + width * channels * size), 2, dtype=np.uint8)
    rows[0, 1:] = flat[0]
    rows[1:, 1:] = flat[1:] - flat[:-1]
    color_type = (0, 4, 2, 6)[channels - 1]
    head = struct.pack(">IIBBBBB", width, height, 8 * size, color_type, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return PNG_SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def find_png_kind(content: bytes) -> PngKind:
    """Reads the head. Raises MeshError where the head is broken."""
    kinds = [kind for kind, _ in _chunks(content)]
    if content[12:16] != b"IHDR":
        raise broken("its header is missing")
    width, height = number(content, 16, 4, "big"), number(content, 20, 4, "big")
    depth, color_type, _, _, interlace = (number(content, 24 + i, 1, "big") for i in range(5))
    if depth not in DEPTHS_BY_COLOR.get(color_type, ()) or interlace > 1:
        raise broken("its header has values that PNG does not allow")
    has_alpha = color_type in (4, 6) or b"tRNS" in kinds
    return PngKind(width, height, depth, color_type, interlace == 1, has_alpha)


def decode_png(content: bytes) -> Pixels:
    """Returns the pixels. Raises MeshError where it is broken or beyond the size limit."""
    chunks = list(_chunks(content))
    kind = find_png_kind(content)
    parts = dict(reversed(chunks))
    samples = _read_samples(kind, chunks)
    return _color(kind, samples, parts.get(b"PLTE", b""), parts.get(b"tRNS"))


def decode_wide_png(content: bytes) -> NDArray[np.uint16] | None:
    """Returns the channels (height, width, 1 to 4) of 16 bits each; None for a PNG with fewer.
    Raises MeshError as decode_png does."""
    kind = find_png_kind(content)
    return _read_samples(kind, _chunks(content)).astype(np.uint16) if kind.depth == 16 else None


def drop_wrong_bits(content: bytes) -> bytes:
    """Returns a PNG without its chunk of significant bits where that has another size than its
    colours say: most programs pass over it, MuJoCo refuses the image."""
    place = len(PNG_SIGNATURE)
    for name, data in _chunks(content):
        end = place + len(data) + 12
        if name == b"sBIT" and len(data) != _BITS_BY_COLOR.get(content[25]):
            return content[:place] + content[end:]
        place = end
    return content


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(PNG_SIGNATURE)
    while place + 8 <= len(content):
        size, name = number(content, place, 4, "big"), content[place + 4 : place + 8]
        yield name, content[place + 8 : place + 8 + size]
        if name == b"IEND":
            return
        place += size + 12


def _read_samples(
    kind: PngKind, chunks: Iterable[tuple[bytes, bytes]]
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """(H, W, channels), undecoded samples."""
    check_size(kind.width, kind.height)
    data = b"".join(data for name, data in chunks if name == b"IDAT")
    channels = _CHANNELS[kind.color_type]
    dtype = np.uint16 if kind.depth == 16 else np.uint8
    image = np.zeros((kind.height, kind.width, channels), dtype=dtype)
    passes = _PASSES if kind.is_interlaced else ((0, 0, 1, 1),)
    views = [image[y::dy, x::dx] for x, y, dx, dy in passes]
    views = [view for view in views if view.size]
    widths = [(view.shape[1] * channels * kind.depth + 7) // 8 for view in views]
    sizes = [len(view) * (1 + width) for view, width in zip(views, widths, strict=True)]
    raw = inflate(data, sum(sizes))
    if len(raw) < sum(sizes):
        raise broken("it is cut off")
    place = 0
    for view, width, size in zip(views, widths, sizes, strict=True):
        rows = np.frombuffer(raw, dtype=np.uint8, count=size, offset=place)
        lines = _unfilter(rows.reshape(-1, 1 + width), max(1, channels * kind.depth // 8))
        view[...] = _samples_of(lines, kind.depth, view.shape)
        place += size
    return image


def _samples_of(
    lines: NDArray[np.uint8], depth: int, shape: tuple[int, ...]
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    if depth == 16:
        return lines.view(">u2").astype(np.uint16).reshape(shape)
    return split_samples(lines, depth, shape[1] * shape[2]).reshape(shape)


def _unfilter(rows: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """(H, 1 + B): undoes the filter that each row's first byte names.

    A byte depends on the bytes of the pixels to the left, above and above left. So all bytes on one
    diagonal are computed at once, in as many steps as the image has columns and rows.
    """
    kinds, data = rows[:, 0], rows[:, 1:]
    if kinds.max(initial=0) > 4:
        raise broken("a row has no known filter")
    height, columns = len(data), data.shape[1] // step
    if not kinds.any():
        return np.ascontiguousarray(data)
    # One row and one column of zeros in front; int16 holds sums and differences.
    done = np.zeros((height + 1, columns + 1, step), dtype=np.int16)
    source = data.reshape(height, columns, step).astype(np.int16)
    for diagonal in range(height + columns - 1):
        y = np.arange(max(0, diagonal - columns + 1), min(height, diagonal + 1))
        x = diagonal - y
        left, up, corner = done[y + 1, x], done[y, x + 1], done[y, x]
        guess = _predict(kinds[y][:, None], left, up, corner)
        done[y + 1, x + 1] = (source[y, x] + guess) & 255
    return done[1:, 1:].reshape(height, -1).astype(np.uint8)


def _predict(
    kind: NDArray[np.uint8],
    left: NDArray[np.int16],
    up: NDArray[np.int16],
    corner: NDArray[np.int16],
) -> NDArray[np.int16]:
    """The value that is subtracted from a byte when it is written: nothing, left, up, their mean,
    Paeth."""
    to_left, to_up = np.abs(up - corner), np.abs(left - corner)
    to_corner = np.abs(left + up - 2 * corner)
    paeth = np.where(
        (to_left <= to_up) & (to_left <= to_corner), left, np.where(to_up <= to_corner, up, corner)
    )
    guess: NDArray[np.int16] = np.select(
        [kind == 1, kind == 2, kind == 3, kind == 4], [left, up, (left + up) // 2, paeth], 0
    ).astype(np.int16)
    return guess


def _color(
    kind: PngKind,
    samples: NDArray[np.uint8] | NDArray[np.uint16],
    palette: bytes,
    transparent: bytes | None,
) -> Pixels:
    if kind.color_type == 3:
        return _paint(samples[:, :, 0].astype(np.uint8), palette, transparent)
    is_clear = None
    if transparent is not None and kind.color_type in (0, 2):
        key = np.frombuffer(transparent[: 2 * samples.shape[2]], dtype=">u2")
        is_clear = (samples == key).all(axis=2) if len(key) == samples.shape[2] else None
    if samples.dtype == np.uint16:
        pixels = narrow(samples.astype(np.uint16))
    else:
        pixels = stretch(samples.astype(np.uint8), min(kind.depth, 8))
    if is_clear is None:
        return pixels
    alpha = np.where(is_clear, 0, 255).astype(np.uint8)
    return np.concatenate([pixels, alpha[:, :, None]], axis=2)


def _paint(indices: NDArray[np.uint8], palette: bytes, transparent: bytes | None) -> Pixels:
    colors = np.frombuffer(palette[: len(palette) // 3 * 3], dtype=np.uint8).reshape(-1, 3)
    if transparent is None:
        return look_up(indices, colors)
    alpha = np.full(len(colors), 255, dtype=np.uint8)
    given = np.frombuffer(transparent[: len(colors)], dtype=np.uint8)
    alpha[: len(given)] = given
    return look_up(indices, np.column_stack([colors, alpha]))
