# SPDX-License-Identifier: GPL-3.0-or-later
"""Images -> pixels -> PNG, held against what Blender writes and reads."""

import struct
import zlib
from pathlib import Path

import bpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urdf_importer.diagnostics import MeshError
from urdf_importer.images import Pixels, decode_image, encode_png, find_png_kind

WIDTH, HEIGHT = 37, 23
KINDS = [
    # file_format, color_depth, color_mode, codec
    ("PNG", "8", "RGB", ""),
    ("PNG", "8", "RGBA", ""),
    ("PNG", "8", "BW", ""),
    ("PNG", "16", "RGB", ""),
    ("PNG", "16", "RGBA", ""),
    ("PNG", "16", "BW", ""),
    ("BMP", "8", "RGB", ""),
    ("TARGA", "8", "RGB", ""),
    ("TARGA", "8", "RGBA", ""),
    ("TARGA", "8", "BW", ""),
    ("TARGA_RAW", "8", "RGB", ""),
    ("TARGA_RAW", "8", "RGBA", ""),
    *[
        ("TIFF", depth, mode, codec)
        for codec in ("NONE", "DEFLATE", "LZW", "PACKBITS")
        for depth, mode in (("8", "RGB"), ("8", "RGBA"), ("16", "RGB"), ("8", "BW"))
    ],
]


def picture(width: int = WIDTH, height: int = HEIGHT) -> Pixels:
    """Gradients, a flat patch (for run lengths) and noise; RGBA."""
    y, x = np.mgrid[:height, :width]
    red, green = x * 255 // max(width - 1, 1), y * 255 // max(height - 1, 1)
    blue = np.random.default_rng(3).integers(0, 256, (height, width))
    blue[height // 2 :] = 40
    alpha = np.where(x > width // 2, 255, 100)
    return np.stack([red, green, blue, alpha], axis=2).astype(np.uint8)


def write_with_blender(path: Path, pixels: Pixels, kind: tuple[str, str, str, str]) -> bytes:
    """Pixels (H, W, 4) as Blender writes them, values unchanged."""
    file_format, depth, mode, codec = kind
    height, width = pixels.shape[:2]
    image = bpy.data.images.new("picture", width, height, alpha=True, float_buffer=depth == "16")
    image.alpha_mode = "STRAIGHT"
    image.colorspace_settings.name = "Non-Color"
    image.pixels.foreach_set((pixels[::-1].astype(np.float32) / 255.0).ravel())
    scene = bpy.data.scenes.new("writer")
    settings_of = scene.render.image_settings
    settings_of.file_format = file_format
    settings_of.color_mode = mode
    if file_format in ("PNG", "TIFF"):
        settings_of.color_depth = depth
    if codec:
        settings_of.tiff_codec = codec
    scene.view_settings.view_transform = "Raw"
    image.save_render(str(path), scene=scene)
    bpy.data.scenes.remove(scene)
    bpy.data.images.remove(image)
    return path.read_bytes()


def read_with_blender(path: Path) -> Pixels:
    """(H, W, 4) as Blender shows them."""
    image = bpy.data.images.load(str(path))
    image.alpha_mode = "CHANNEL_PACKED"
    image.colorspace_settings.name = "Non-Color"
    width, height = image.size
    found = np.empty(width * height * 4, dtype=np.float32)
    image.pixels.foreach_get(found)
    bpy.data.images.remove(image)
    return np.round(found.reshape(height, width, 4)[::-1] * 255.0).astype(np.uint8)


def as_rgba(pixels: Pixels) -> Pixels:
    channels = pixels.shape[2]
    color = pixels[:, :, :3] if channels > 2 else np.repeat(pixels[:, :, :1], 3, axis=2)
    alpha = pixels[:, :, -1:] if channels in (2, 4) else np.full_like(pixels[:, :, :1], 255)
    return np.concatenate([color, alpha], axis=2)


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_decodes_what_blender_writes(kind: tuple[str, str, str, str], tmp_path: Path) -> None:
    path = tmp_path / "picture"
    content = write_with_blender(path, picture(), kind)
    found = decode_image(content)
    assert found is not None
    truth = read_with_blender(path)
    assert np.abs(as_rgba(found).astype(int) - truth).max() <= 1


def test_large_lzw_uses_every_code_width(tmp_path: Path) -> None:
    path = tmp_path / "large"
    content = write_with_blender(path, picture(300, 200), ("TIFF", "8", "RGB", "LZW"))
    found = decode_image(content)
    assert found is not None
    assert np.array_equal(as_rgba(found)[:, :, :3], read_with_blender(path)[:, :, :3])


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_blender_reads_what_is_encoded(channels: int, tmp_path: Path) -> None:
    pixels = picture()[:, :, {1: [0], 2: [0, 3], 3: [0, 1, 2], 4: [0, 1, 2, 3]}[channels]]
    path = tmp_path / "encoded.png"
    path.write_bytes(encode_png(pixels))
    assert np.array_equal(read_with_blender(path), as_rgba(pixels))


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_png_round_trip(width: int, height: int, channels: int, seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, channels), dtype=np.uint8)
    found = decode_image(encode_png(pixels))
    assert found is not None and np.array_equal(found, pixels)


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


@pytest.fixture(scope="module")
def sound_images(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    folder = tmp_path_factory.mktemp("images")
    chosen = [kind for kind in KINDS if kind[2] == "RGB"]
    return [write_with_blender(folder / "-".join(kind), picture(9, 7), kind) for kind in chosen] + [
        big_endian_tiff({256: (4, [2]), 257: (4, [2])}, [b"ab"])
    ]


@settings(max_examples=600)
@given(data=st.data())
def test_damaged_images_are_errors_of_one_kind(
    sound_images: list[bytes], data: st.DataObject
) -> None:
    content = bytearray(data.draw(st.sampled_from(sound_images)))
    for _ in range(data.draw(st.integers(0, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(0, len(content)))]
    try:
        found = decode_image(bytes(content))
    except MeshError as error:
        assert error.code == "unreadable-texture"
        assert "\n" not in error.message
    else:
        assert found is None or (found.dtype == np.uint8 and found.ndim == 3)
