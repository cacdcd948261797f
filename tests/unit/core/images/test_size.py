# SPDX-License-Identifier: GPL-3.0-or-later
"""How many pixels an image claims, read from its head alone."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.mesh_files import png
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.images.size import check_image, find_image_size


def jpeg(width: int, height: int) -> bytes:
    segment = b"\xff\xe0\0\4ab" + b"\xff\xff\xc4\0\3x"
    return b"\xff\xd8" + segment + b"\xff\xc2\0\x11\x08" + struct.pack(">HH", height, width)


def tiff(width: int, height: int, order: str) -> bytes:
    mark = b"II*\0" if order == "<" else b"MM\0*"
    entries = struct.pack(order + "HHII", 256, 4, 1, width)
    entries += struct.pack(order + "HHIHH", 257, 3, 1, height, 0)
    return mark + struct.pack(order + "IH", 8, 2) + entries


def tga(width: int, height: int) -> bytes:
    return struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, width, height, 24, 0) + b"\0"


def bmp(width: int, height: int) -> bytes:
    return b"BM" + bytes(12) + struct.pack("<Iii", 40, width, height)


def webp(kind: bytes, head: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + kind + bytes(4) + head + bytes(10)


WEBPS = [
    webp(b"VP8 ", bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", 300 | 0x4000, 200)),
    webp(b"VP8L", b"\x2f" + struct.pack("<I", 299 | 199 << 14)),
    webp(b"VP8X", bytes(4) + struct.pack("<I", 299)[:3] + struct.pack("<I", 199)[:3]),
]
JPEG_2000 = b"\xff\x4f\xff\x51" + struct.pack(">HHII", 47, 0, 300, 200)
BOXED_JPEG_2000 = b"\0\0\0\x0cjP  \r\n\x87\n" + JPEG_2000
AVIF = (
    b"\0\0\0\x1cftypavif" + bytes(16)
    + b"".join(b"ispe" + struct.pack(">III", 0, *size) for size in ((30, 20), (300, 200)))
)  # fmt: skip
DDS = b"DDS " + struct.pack("<IIII", 124, 0, 200, 300)
KTX2 = b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(60)
IMAGES = [*WEBPS, JPEG_2000, BOXED_JPEG_2000, AVIF, DDS,
          png(300, 200), jpeg(300, 200), tiff(300, 200, "<"), tiff(300, 200, ">"), tga(300, 200),
          bmp(300, 200), bmp(300, -200)]  # fmt: skip


@pytest.mark.parametrize("content, said", [
    (KTX2, "KTX2 image, which is not read"),
    (b"GIF89a", "GIF image, which is not read"),
    (WEBPS[0][:20], "WebP image that is cut off"),
    (DDS[:12], "DDS image that is cut off"),
    (AVIF[:40], "AVIF image that is cut off"),
])  # fmt: skip
def test_kinds_are_named(content: bytes, said: str) -> None:
    with pytest.raises(MeshError, match=said):
        check_image(content, "a")


@pytest.mark.parametrize("content", IMAGES)
def test_every_kind(content: bytes) -> None:
    assert find_image_size(content) == (300, 200)
    check_image(content, "a")


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"text", b"\xff\xd8\xff", b"BM", png()[:20]])
def test_what_is_no_image(content: bytes) -> None:
    with pytest.raises(MeshError) as caught:
        check_image(content, "a")
    assert caught.value.code == "unreadable-texture"


@pytest.mark.parametrize("content", [
    jpeg(65535, 65535), tiff(2**31, 9, "<"), bmp(0, 5), DDS[:12] + b"\xff" * 8,
    JPEG_2000[:8] + b"\xff" * 8,
])  # fmt: skip
def test_sizes_that_no_texture_has(content: bytes) -> None:
    with pytest.raises(MeshError, match="pixels"):
        check_image(content, "a")


@given(st.sampled_from(IMAGES), st.integers(0, 60), st.binary(max_size=6))
def test_any_bytes_have_a_size_or_none(content: bytes, place: int, noise: bytes) -> None:
    find_image_size(content[:place] + noise + content[place:])
    find_image_size(content[:place] + noise)
