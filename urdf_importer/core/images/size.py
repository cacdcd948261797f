# SPDX-License-Identifier: GPL-3.0-or-later
"""How many pixels an image claims to have, before anything decodes it."""

import re

from ..diagnostics import MeshError, quote

MOST_BYTES = 256 * 1024**2
MOST_PIXELS = 16384 * 16384
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
DEPTHS_BY_COLOR = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
"""The bits per sample that a PNG may have, by its kind of colours (ISO/IEC 15948, 11.2.2)."""


def check_image(content: bytes, name: str) -> None:
    """Raises MeshError `unreadable-texture` for a kind of image that Blender does not read and for
    images of more than 16384 x 16384 pixels."""
    size = find_image_size(content)
    kind = name_image_kind(content)
    problem = (
        "is not a PNG, JPEG, BMP, TIFF, TGA, WebP, JPEG 2000, AVIF or DDS image, or is cut off"
    )
    if kind in _SIZES:
        problem = f"is a {kind} image that is cut off"
    elif kind:
        problem = f"is a {kind} image, which is not read; save it as PNG"
    if size is not None:
        width, height = size
        if 0 < width * height <= MOST_PIXELS:
            return
        problem = f"claims to have {width} x {height} pixels"
    raise MeshError(f"{quote(name)} {problem}", code="unreadable-texture")


def find_image_size(content: bytes) -> tuple[int, int] | None:
    """Returns width and height in pixels; None where it is not an image of a known kind."""
    if content.startswith(PNG_SIGNATURE) and content[12:16] == b"IHDR":
        return _pair(content, 16, 4, "big")
    if content.startswith(b"\xff\xd8"):
        return _find_jpeg_size(content)
    if content.startswith(b"BM"):
        return _find_bmp_size(content)
    if content.startswith((b"II*\0", b"MM\0*")):
        return _find_tiff_size(content)
    if kind := name_image_kind(content):
        return _SIZES[kind](content) if kind in _SIZES else None
    return _pair(content, 12, 2, "little") if may_be_tga(content) else None


_KINDS = (
    (0, b"DDS ", "DDS"),
    (0, b"GIF8", "GIF"),
    (0, b"\xabKTX 20\xbb", "KTX2"),
    (0, b"\xff\x4f\xff\x51", "JPEG 2000"),
    (4, b"jP  ", "JPEG 2000"),
    (4, b"ftypavi", "AVIF"),
    (8, b"WEBP", "WebP"),
)
"""Where a kind has its signature."""


def name_image_kind(content: bytes) -> str:
    """Returns the name of a kind of image that Blender alone reads, or nothing here; else ""."""
    return next((kind for at, mark, kind in _KINDS if content.startswith(mark, at)), "")


def _find_dds_size(content: bytes) -> tuple[int, int] | None:
    found = _pair(content, 12, 4, "little")
    return None if found is None else (found[1], found[0])


def _find_webp_size(content: bytes) -> tuple[int, int] | None:
    """Of the three kinds of WebP (RFC 9649): their sides have 14 or 24 bits."""
    kind, bits = content[12:16], _number(content, 21, 4, "little")
    if len(content) < 30:
        return None
    if kind == b"VP8X":
        return _number(content, 24, 3, "little") + 1, _number(content, 27, 3, "little") + 1
    if kind == b"VP8L":
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return _number(content, 26, 2, "little") & 0x3FFF, _number(content, 28, 2, "little") & 0x3FFF


def _find_jpeg_2000_size(content: bytes) -> tuple[int, int] | None:
    """In the segment SIZ, the first of the codestream: where the grid ends."""
    start = content.find(b"\xff\x4f\xff\x51")
    return None if start < 0 else _pair(content, start + 8, 4, "big")


def _find_avif_size(content: bytes) -> tuple[int, int] | None:
    """The largest of the pictures' `ispe`, in the boxes before the pixels."""
    places = [each.end() + 4 for each in re.finditer(b"ispe", content[:_AVIF_HEAD])]
    sizes = [size for place in places if (size := _pair(content, place, 4, "big")) is not None]
    return max(sizes, key=lambda size: size[0] * size[1], default=None)


_AVIF_HEAD = 65536
_SIZES = {
    "AVIF": _find_avif_size,
    "DDS": _find_dds_size,
    "JPEG 2000": _find_jpeg_2000_size,
    "WebP": _find_webp_size,
}


def _pair(content: bytes, place: int, size: int, order: str) -> tuple[int, int] | None:
    if place + 2 * size > len(content):
        return None
    return _number(content, place, size, order), _number(content, place + size, size, order)


def _number(content: bytes, place: int, size: int, order: str) -> int:
    return int.from_bytes(content[place : place + size], "big" if order == "big" else "little")


def _find_jpeg_size(content: bytes) -> tuple[int, int] | None:
    """In the first frame header (SOF0 to SOF15, without DHT, JPG and DAC)."""
    place = 2
    while place + 4 <= len(content) and content[place] == 0xFF:
        kind = content[place + 1]
        if kind == 0xFF:
            place += 1
            continue
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            found = _pair(content, place + 5, 2, "big")
            return None if found is None else (found[1], found[0])
        place += 2 + max(_number(content, place + 2, 2, "big"), 2)
    return None


def _find_bmp_size(content: bytes) -> tuple[int, int] | None:
    """The height is negative where rows run downwards."""
    if _number(content, 14, 4, "little") == 12:
        return _pair(content, 18, 2, "little")
    found = _pair(content, 18, 4, "little")
    return None if found is None else (found[0], min(found[1], 2**32 - found[1]))


def _find_tiff_size(content: bytes) -> tuple[int, int] | None:
    """Tags 256 and 257 of the first directory."""
    order = "big" if content.startswith(b"MM") else "little"
    place = _number(content, 4, 4, order)
    sizes: dict[int, int] = {}
    for index in range(min(_number(content, place, 2, order), 200)):
        entry = place + 2 + 12 * index
        tag, kind = _number(content, entry, 2, order), _number(content, entry + 2, 2, order)
        sizes.setdefault(tag, _number(content, entry + 8, 2 if kind == 3 else 4, order))
    return (sizes[256], sizes[257]) if 256 in sizes and 257 in sizes else None


def may_be_tga(content: bytes) -> bool:
    """Whether this may be a TGA, which has no signature: its head says little that another file
    would say too."""
    return (
        len(content) > 18
        and content[1] in (0, 1)
        and content[2] in (1, 2, 3, 9, 10, 11)
        and content[16] in (8, 15, 16, 24, 32)
    )
