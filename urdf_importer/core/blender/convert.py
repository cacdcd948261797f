# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of any kind that Blender reads, as PNG: for programs that read fewer."""

import tempfile
from pathlib import Path

import bpy
import numpy as np

from ..diagnostics import MeshError, quote
from ..images.size import name_image_kind

_MOST_PIXELS = 8192 * 4096


def convert_image(content: bytes, name: str) -> bytes:
    """Converts the bytes of an image to a PNG of 8 bits, top row first, its values unchanged.

    `name` is for messages and, by its suffix, a hint. The scene stays unchanged. Raises MeshError
    `unreadable-texture` for images that Blender does not read and for more than 8192 x 4096 pixels.
    """
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        source = Path(folder, "image" + Path(name).suffix[:10])
        source.write_bytes(content)
        try:
            image = bpy.data.images.load(str(source))
        except RuntimeError:
            raise unreadable(name) from None
        try:
            image.colorspace_settings.name = "Non-Color"
            image.alpha_mode = "CHANNEL_PACKED"
            path = Path(folder, "image-as.png")
            save_pixels(image, path, name)
            return path.read_bytes()
        finally:
            bpy.data.images.remove(image)


def save_pixels(image: bpy.types.Image, path: Path, name: str) -> None:
    """Saves an image's pixels as a PNG of 8 bits, whatever its file holds. Raises MeshError as
    above.

    Goes through a new image of bytes: saving this one would keep its depth.
    """
    width, height = image.size
    if not 0 < width * height <= _MOST_PIXELS:
        raise unreadable(name)
    pixels = np.empty(width * height * 4, dtype=np.float32)
    image.pixels.foreach_get(pixels)
    copy = bpy.data.images.new("image", width, height, alpha=True)
    try:
        copy.colorspace_settings.name = "Non-Color"
        copy.alpha_mode = "CHANNEL_PACKED"
        copy.pixels.foreach_set(pixels)
        copy.file_format = "PNG"
        copy.save(filepath=str(path))
    except RuntimeError:
        raise unreadable(name) from None
    finally:
        bpy.data.images.remove(copy)


def unreadable(name: str, content: bytes = b"") -> MeshError:
    """Returns the error for an image that Blender does not read."""
    kind = name_image_kind(content)
    what = f"a {kind} image" if kind else "an image"
    return MeshError(f"{quote(name)} is not {what} that Blender reads", code="unreadable-texture")
