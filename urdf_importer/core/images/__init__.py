# SPDX-License-Identifier: GPL-3.0-or-later
"""Images that Webots does not show, as PNG: bytes -> pixels -> bytes. numpy and zlib only."""

from .decode import decode_image
from .pixels import Pixels
from .png import drop_wrong_bits, encode_png, find_png_kind

__all__ = ["Pixels", "decode_image", "drop_wrong_bits", "encode_png", "find_png_kind"]
