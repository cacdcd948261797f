# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an image is whole, told without decoding it."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.mesh_files import png
from urdf_importer.core.images.check import is_whole_image

QUANTIZATION = b"\0" + bytes(range(1, 65))
DC_CODE = b"\0" + bytes([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]) + bytes(range(12))
AC_CODE = b"\x10" + bytes([0, 2, 1]) + bytes(13) + b"\1\2\3"
FRAME = b"\x08\0\x10\0\x10\1\1\x11\0"
SCAN = b"\1\1\0\0\x3f\0"
PIXELS = b"\x12\xff\0\x34\xff\xd0\x56"


def segment(kind: int, content: bytes) -> bytes:
    return bytes([0xFF, kind]) + (len(content) + 2).to_bytes(2, "big") + content


def jpeg(
    *,
    frame_kind: int = 0xC0,
    quantization: bytes = QUANTIZATION,
    codes: tuple[bytes, ...] = (DC_CODE, AC_CODE),
    frame: bytes = FRAME,
    scans: tuple[bytes, ...] = (SCAN,),
    end: bytes = b"\xff\xd9",
) -> bytes:
    head = b"\xff\xd8" + segment(0xE0, b"JFIF\0\1\2\0\0\1\0\1\0\0") + segment(0xDB, quantization)
    head += segment(frame_kind, frame) + b"".join(segment(0xC4, code) for code in codes)
    return head + b"".join(segment(0xDA, scan) + PIXELS for scan in scans) + end


COLOR_FRAME = b"\x08\0\x10\0\x10\3\1\x22\0\2\x11\0\3\x11\0"
COLOR_SCAN = b"\3\1\0\2\0\3\0\0\x3f\0"
PROGRESSIVE = (b"\3\1\0\2\0\3\0\0\0\1", b"\1\1\0\1\x3f\2", b"\1\1\0\1\x3f\x21", b"\1\2\x10\0\0\x10")


@pytest.mark.parametrize(
    "content",
    [
        png(),
        png(30, 20, 7),
        jpeg(),
        jpeg(frame_kind=0xC1),
        jpeg(frame=COLOR_FRAME, scans=(COLOR_SCAN,)),
        jpeg(frame=COLOR_FRAME, scans=(COLOR_SCAN[:0] + b"\1\1\0\0\x3f\0", b"\2\2\0\3\0\0\x3f\0")),
        jpeg(frame_kind=0xC2, frame=COLOR_FRAME, scans=PROGRESSIVE),
        jpeg(codes=(DC_CODE + AC_CODE,)),
        jpeg(end=b"\xff\xff\xd9what follows is not looked at"),
    ],
)
def test_whole_images(content: bytes) -> None:
    assert is_whole_image(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"BM" + bytes(60),
        jpeg(quantization=QUANTIZATION[:-1]),
        jpeg(quantization=b"\4" + QUANTIZATION[1:]),
        jpeg(quantization=b"\1" + QUANTIZATION[1:]),
        jpeg(codes=(DC_CODE,)),
        jpeg(codes=(DC_CODE, AC_CODE[:-1])),
        jpeg(codes=(DC_CODE[:-1] + b"\x10", AC_CODE)),
        jpeg(codes=(DC_CODE, b"\x10\2" + bytes(15) + b"\0\1")),
        jpeg(codes=(DC_CODE, b"\x30" + AC_CODE[1:])),
        jpeg(frame=b"\x0c" + FRAME[1:]),
        jpeg(frame=FRAME + FRAME[-3:]),
        jpeg(frame=FRAME[:-2] + b"\x01\0"),
        jpeg(frame=COLOR_FRAME.replace(b"\x22", b"\x44"), scans=(COLOR_SCAN,)),
        jpeg(frame=COLOR_FRAME.replace(b"\2\x11", b"\1\x11"), scans=(COLOR_SCAN,)),
        jpeg(frame_kind=0xC9),
        jpeg(frame_kind=0xC2, scans=(b"\1\1\0\0\x3f\0",)),
        jpeg(frame_kind=0xC2, scans=(b"\1\1\0\1\x3f\x31",)),
        jpeg(scans=()),
        jpeg(scans=(b"\1\2\0\0\x3f\0",)),
        jpeg(scans=(b"\1\1\x11\0\x3f\0",)),
        jpeg(scans=(SCAN + b"\0",)),
        jpeg(end=b""),
        jpeg(end=b"\xff"),
        jpeg(end=segment(0xC0, FRAME) + b"\xff\xd9"),
    ],
)
def test_what_only_decoding_can_tell(content: bytes) -> None:
    assert not is_whole_image(content)


@pytest.mark.parametrize("content", [png(9, 5), jpeg()])
def test_no_beginning_is_whole(content: bytes) -> None:
    assert not any(is_whole_image(content[:size]) for size in range(len(content)))


def test_a_changed_byte_of_a_png_is_found() -> None:
    content = png(9, 5)
    for place in range(len(content)):
        changed = content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]
        assert not is_whole_image(changed)


@pytest.mark.parametrize(
    "head", [b"\3\6\0\0\0", b"\x08\5\0\0\0", b"\x08\6\1\0\0", b"\x08\6\0\0\2", b"\x08\3\0\0\0"]
)
def test_pngs_of_a_kind_that_there_is_not(head: bytes) -> None:
    content = png()
    chunk = content[12:24] + head
    assert not is_whole_image(
        content[:12] + chunk + zlib.crc32(chunk).to_bytes(4, "big") + content[33:]
    )


@given(st.sampled_from([png(), jpeg()]), st.integers(0, 400), st.binary(max_size=9))
def test_any_bytes_are_whole_or_not(content: bytes, place: int, noise: bytes) -> None:
    assert is_whole_image(content[:place] + noise + content[place:]) in (True, False)
