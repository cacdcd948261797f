# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels of an image, whichever of the known kinds it is."""

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError
from .bitmaps import decode_bmp, decode_tga
from .pixels import Pixels, Unsupported
from .png import decode_png, decode_wide_png
from .size import PNG_SIGNATURE, may_be_tga
from .tiff import decode_tiff


def decode_image(content: bytes) -> Pixels | None:
    """Returns 8 bits per channel, of a PNG, BMP, TIFF or TGA; None for kinds of these, and other
    images, that are not decoded here. Raises MeshError `unreadable-texture` for a broken or huge
    one."""
    try:
        if content.startswith(PNG_SIGNATURE):
            return decode_png(content)
        if content.startswith(b"BM"):
            return decode_bmp(content)
        if content.startswith((b"II*\0", b"MM\0*")):
            return decode_tiff(content)
        if may_be_tga(content):
            return decode_tga(content)
    except Unsupported:
        return None
    except MemoryError:
        raise MeshError("the image is too large", code="unreadable-texture") from None
    return None


def decode_brightness(content: bytes) -> NDArray[np.float32] | None:
    """Returns how bright each pixel is, float32 (height, width) in 0..1, the mean of its colours,
    of the images that decode_image reads; a PNG's 16 bits count in full. Raises MeshError as it
    does."""
    try:
        wide = decode_wide_png(content) if content.startswith(PNG_SIGNATURE) else None
    except MemoryError:
        raise MeshError("the image is too large", code="unreadable-texture") from None
    pixels = decode_image(content) if wide is None else wide
    if pixels is None:
        return None
    colors = pixels[:, :, :3] if pixels.shape[2] > 2 else pixels[:, :, :1]
    most = float(np.iinfo(pixels.dtype).max)
    found: NDArray[np.float32] = colors.mean(axis=2, dtype=np.float32) / np.float32(most)
    return found
