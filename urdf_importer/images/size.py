# SPDX-License-Identifier: GPL-3.0-or-later
"""How many pixels an image claims to have, before anything decodes it."""

from ..diagnostics import MeshError, quote

MOST_BYTES = 256 * 1024**2
MOST_PIXELS = 16384 * 16384
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
DEPTHS_BY_COLOR = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
"""The bits per sample that a PNG may have, by its kind of colours (ISO/IEC 15948, 11.2.2)."""


def check_image(content: bytes, name: str) -> None:
    """Raises MeshError `unreadable-texture` for an unsupported kind of image and for images of more
    than 16384 x 16384 pixels. Read are PNG, JPEG, BMP, TIFF and TGA."""
    size = find_image_size(content)
    problem = "is not a PNG, JPEG, BMP, TIFF or TGA image, or is cut off"
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
    return _pair(content, 12, 2, "little") if may_be_tga(content) else None


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
