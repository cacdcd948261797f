# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels of an image, whichever of the known kinds it is."""

from ..diagnostics import MeshError
from .bitmaps import decode_bmp, decode_tga
from .pixels import Pixels, Unsupported
from .png import SIGNATURE, decode_png
from .tiff import decode_tiff


def decode_image(content: bytes) -> Pixels | None:
    """8 bits per channel, of a PNG, BMP, TIFF or TGA; None for kinds of these, and other images,
    that are not decoded here. MeshError `unreadable-texture` for a broken or huge one."""
    try:
        if content.startswith(SIGNATURE):
            return decode_png(content)
        if content.startswith(b"BM"):
            return decode_bmp(content)
        if content.startswith((b"II*\0", b"MM\0*")):
            return decode_tiff(content)
        if _may_be_tga(content):
            return decode_tga(content)
    except Unsupported:
        return None
    except MemoryError:
        raise MeshError("the image is too large", code="unreadable-texture") from None
    return None


def _may_be_tga(content: bytes) -> bool:
    """TGA has no signature; its head says little that another file would say too."""
    return (
        len(content) > 18
        and content[1] in (0, 1)
        and content[2] in (1, 2, 3, 9, 10, 11)
        and content[16] in (8, 15, 16, 24, 32)
    )
