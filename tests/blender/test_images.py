# SPDX-License-Identifier: GPL-3.0-or-later
"""Images -> pixels -> PNG, held against what Blender writes and reads."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.pictures import picture
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.images import Pixels, decode_image, encode_png

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


@pytest.fixture(scope="module")
def sound_images(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    folder = tmp_path_factory.mktemp("images")
    chosen = [kind for kind in KINDS if kind[2] == "RGB"]
    return [write_with_blender(folder / "-".join(kind), picture(9, 7), kind) for kind in chosen]


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
