# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender as the converter of images that nothing else reads."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from urdf_importer import export_robot, read_robot
from urdf_importer.core.blender.convert import convert_image
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.images import decode_image, find_png_kind

PIXELS = np.random.default_rng(4).integers(0, 256, (6, 10, 4)).astype(np.uint8)


def save_as(path: Path, file_format: str) -> bytes:
    """Opaque, since formats mix colours with alpha in their own ways."""
    image = bpy.data.images.new("picture", 10, 6)
    image.colorspace_settings.name = "Non-Color"
    opaque = PIXELS.copy()
    opaque[:, :, 3] = 255
    image.pixels.foreach_set((opaque[::-1].astype(np.float32) / 255.0).ravel())
    image.file_format = file_format
    image.save(filepath=str(path), quality=100)
    bpy.data.images.remove(image)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("file_format", "suffix"), [("WEBP", ".webp"), ("PNG", ".png"), ("TIFF", ".tif")]
)
def test_values_stay_and_the_scene_too(file_format: str, suffix: str, tmp_path: Path) -> None:
    content = save_as(tmp_path / f"picture{suffix}", file_format)
    before = set(bpy.data.images)
    made = convert_image(content, f"picture{suffix}")
    assert set(bpy.data.images) == before
    assert find_png_kind(made).depth == 8
    found = decode_image(made)
    assert found is not None
    assert np.array_equal(found[:, :, :3], PIXELS[:, :, :3])


@pytest.mark.parametrize("content", [b"", b"no image", b"RIFF\x24\0\0\0WEBPVP8L"])
def test_what_is_no_image_is_an_error(content: bytes) -> None:
    before = set(bpy.data.images)
    with pytest.raises(MeshError, match="not an image that Blender reads") as caught:
        convert_image(content, "broken.webp")
    assert caught.value.code == "unreadable-texture"
    assert set(bpy.data.images) == before


def test_export_shows_what_only_blender_reads(tmp_path: Path) -> None:
    save_as(tmp_path / "skin.webp", "WEBP")
    description = tmp_path / "robot.urdf"
    description.write_text(
        '<robot name="r"><link name="base"><visual><geometry><box size="1 1 1"/></geometry>'
        '<material name="skin"><texture filename="skin.webp"/></material></visual></link></robot>'
    )
    result = export_robot(read_robot(description), tmp_path / "Painted.proto")
    assert not [found for found in result.diagnostics if "texture" in found.code]
    image = decode_image((tmp_path / "Painted_meshes" / "skin.png").read_bytes())
    assert image is not None and np.array_equal(image, PIXELS[:, :, :3])
    assert '"Painted_meshes/skin.png"' in result.proto.read_text()
