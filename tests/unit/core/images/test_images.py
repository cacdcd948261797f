# SPDX-License-Identifier: GPL-3.0-or-later
"""Images -> pixels -> PNG: what formats allow beyond what programs write."""

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.pictures import picture
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.images import (
    Pixels,
    decode_image,
    drop_wrong_bits,
    encode_png,
    find_png_kind,
)


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_png_round_trip(width: int, height: int, channels: int, seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, channels), dtype=np.uint8)
    found = decode_image(encode_png(pixels))
    assert found is not None and np.array_equal(found, pixels)


@given(st.sampled_from([1, 2, 3, 4]), st.integers(0, 5))
def test_significant_bits_of_a_wrong_number_are_dropped(channels: int, number: int) -> None:
    """MuJoCo's reader refuses the whole image for them."""
    plain = encode_png(np.full((2, 3, channels), 7, dtype=np.uint8))
    data = b"sBIT" + bytes([8] * number)
    chunk = struct.pack(">I", number) + data + struct.pack(">I", zlib.crc32(data))
    content = plain[:33] + chunk + plain[33:]
    assert drop_wrong_bits(content) == (content if number == channels else plain)
    assert drop_wrong_bits(plain) == plain


def filtered_png(pixels: Pixels, filters: list[int], passes: list[tuple[int, ...]]) -> bytes:
    """A PNG with the filters given, row after row, written plainly from the specification."""
    height, width, channels = pixels.shape
    data = bytearray()
    count = 0
    for x, y, dx, dy in passes:
        part = pixels[y::dy, x::dx].astype(int)
        if not part.size:
            continue
        rows = part.reshape(len(part), -1)
        for number, row in enumerate(rows):
            above = rows[number - 1] if number else np.zeros_like(row)
            kind = filters[count % len(filters)]
            count += 1
            data.append(kind)
            for place, value in enumerate(row.tolist()):
                a = int(row[place - channels]) if place >= channels else 0
                b = int(above[place])
                c = int(above[place - channels]) if place >= channels else 0
                p = a + b - c
                paeth = min((a, b, c), key=lambda one: (abs(p - one), (a, b, c).index(one)))
                guess = (0, a, b, (a + b) // 2, paeth)[kind]
                data.append((value - guess) & 255)
    kinds = {1: 0, 2: 4, 3: 2, 4: 6}
    is_interlaced = len(passes) > 1
    head = struct.pack(">IIBBBBB", width, height, 8, kinds[channels], 0, 0, is_interlaced)
    return chunks((b"IHDR", head), (b"IDAT", zlib.compress(bytes(data))), (b"IEND", b""))


def chunks(*parts: tuple[bytes, bytes]) -> bytes:
    text = b"\x89PNG\r\n\x1a\n"
    for kind, data in parts:
        text += struct.pack(">I", len(data)) + kind + data
        text += struct.pack(">I", zlib.crc32(kind + data))
    return text


ADAM7 = [
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
]


@pytest.mark.parametrize("passes", [[(0, 0, 1, 1)], ADAM7], ids=["plain", "interlaced"])
@pytest.mark.parametrize("filters", [[0], [1], [2], [3], [4], [4, 1, 0, 3, 2]], ids=str)
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_png_filters(channels: int, filters: list[int], passes: list[tuple[int, ...]]) -> None:
    pixels = picture(13, 11)[:, :, :channels]
    found = decode_image(filtered_png(pixels, filters, passes))
    assert found is not None and np.array_equal(found, pixels)


def test_png_palette_with_alpha() -> None:
    head = struct.pack(">IIBBBBB", 4, 1, 2, 3, 0, 0, 0)
    palette = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255])
    content = chunks(
        (b"IHDR", head),
        (b"PLTE", palette),
        (b"tRNS", bytes([7])),
        (b"IDAT", zlib.compress(bytes([0, 0b00011011]))),
        (b"IEND", b""),
    )
    found = decode_image(content)
    assert found is not None
    # The palette has three colours; what it lacks is black.
    assert found.tolist() == [[[255, 0, 0, 7], [0, 255, 0, 255], [0, 0, 255, 255], [0, 0, 0, 0]]]
    assert find_png_kind(content).has_alpha


def test_tiff_with_tiles_planes_and_big_endian() -> None:
    """20 x 18 RGB of 16 bits in tiles of 16 x 16, a plane for each channel, with differences."""
    truth = np.random.default_rng(5).integers(0, 65536, (18, 20, 3))
    tiles = []
    for channel in range(3):
        for y in (0, 16):
            for x in (0, 16):
                tile = np.zeros((16, 16), dtype=int)
                part = truth[y : y + 16, x : x + 16, channel]
                tile[: part.shape[0], : part.shape[1]] = part
                tile[:, 1:] -= tile[:, :-1].copy()
                tiles.append(zlib.compress((tile % 65536).astype(">u2").tobytes()))
    tags = {256: (4, [20]), 257: (4, [18]), 258: (3, [16, 16, 16]), 259: (3, [8]), 262: (3, [2])}
    tags |= {277: (3, [3]), 284: (3, [2]), 317: (3, [2]), 322: (3, [16]), 323: (3, [16])}
    found = decode_image(big_endian_tiff(tags, tiles))
    assert found is not None
    assert np.array_equal(found, (truth + 128) // 257)


def big_endian_tiff(tags: dict[int, tuple[int, list[int]]], tiles: list[bytes]) -> bytes:
    body = b""
    starts = []
    for tile in tiles:
        starts.append(8 + len(body))
        body += tile + b"\0" * (len(tile) % 2)
    tags = tags | {324: (4, starts), 325: (4, [len(tile) for tile in tiles])}
    entries, extra = b"", b""
    place = 8 + len(body)
    end = place + 2 + 12 * len(tags) + 4
    for tag, (kind, values) in sorted(tags.items()):
        packed = struct.pack(f">{len(values)}{'H' if kind == 3 else 'I'}", *values)
        if len(packed) > 4:
            field = struct.pack(">I", end + len(extra))
            extra += packed
        else:
            field = packed.ljust(4, b"\0")
        entries += struct.pack(">HHI", tag, kind, len(values)) + field
    directory = struct.pack(">H", len(tags)) + entries + b"\0\0\0\0"
    return struct.pack(">2sHI", b"MM", 42, place) + body + directory + extra


def bitmap(
    bits: int, packing: int, rows: bytes, extra: bytes = b"", size: tuple[int, int] = (2, 2)
) -> bytes:
    start = 54 + len(extra)
    head = struct.pack("<IiiHHIIiiII", 40, *size, 1, bits, packing, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 0, 0, 0, start) + head + extra + rows


def test_bmp_palettes_fields_and_directions() -> None:
    palette = bytes([1, 2, 3, 0, 11, 12, 13, 0])
    found = decode_image(bitmap(1, 0, bytes([0b01 << 6, 0, 0, 0, 0b11 << 6, 0, 0, 0]), palette))
    assert found is not None
    assert found.tolist() == [[[13, 12, 11], [13, 12, 11]], [[3, 2, 1], [13, 12, 11]]]
    # The height is negative: the first row is the top one.
    downward = bitmap(1, 0, bytes([0b01 << 6, 0, 0, 0, 0b11 << 6, 0, 0, 0]), palette, (2, -2))
    found = decode_image(downward)
    assert found is not None and found[0].tolist() == [[3, 2, 1], [13, 12, 11]]
    masks = struct.pack("<III", 0xF800, 0x7E0, 0x1F)
    found = decode_image(bitmap(16, 3, struct.pack("<HH", 0xF800, 0x07E0), masks, (2, 1)))
    assert found is not None and found.tolist() == [[[255, 0, 0], [0, 255, 0]]]


def test_tga_with_a_palette_from_below_and_packed() -> None:
    palette = bytes([10, 20, 30, 40, 50, 60])
    head = struct.pack("<BBBHHBHHHHBB", 0, 1, 9, 0, 2, 24, 0, 0, 3, 2, 8, 0)
    packets = bytes([0x81, 1, 0x03, 0, 1, 0, 1])
    found = decode_image(head + palette + packets)
    assert found is not None
    one, other = [30, 20, 10], [60, 50, 40]
    assert found.tolist() == [[other, one, other], [other, other, one]]


def test_what_is_of_another_kind_is_left_to_others() -> None:
    assert decode_image(b"RIFF\x10\0\0\0WEBPVP8 ") is None
    assert decode_image(b"") is None
    # A bitmap with run lengths.
    assert decode_image(bitmap(8, 1, bytes(8), bytes(1024))) is None


def test_claims_of_size_take_no_memory() -> None:
    head = struct.pack(">IIBBBBB", 2**31 - 1, 2**31 - 1, 8, 6, 0, 0, 0)
    bomb = chunks((b"IHDR", head), (b"IDAT", zlib.compress(bytes(10))), (b"IEND", b""))
    with pytest.raises(MeshError, match="claims to have"):
        decode_image(bomb)
    with pytest.raises(MeshError, match="claims to have"):
        decode_image(bitmap(24, 0, b"", b"", (2**30, 2**30)))
    # More pixels than the head says are never unpacked.
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    found = decode_image(
        chunks((b"IHDR", head), (b"IDAT", zlib.compress(bytes(10**8))), (b"IEND", b""))
    )
    assert found is not None and found.shape == (1, 1, 1)
