# SPDX-License-Identifier: GPL-3.0-or-later
"""Images beside the robot."""

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from urdf_importer.core.diagnostics import Diagnostics, MeshError
from urdf_importer.core.geometry.mesh_data import MeshMaterial
from urdf_importer.core.images import decode_image, encode_png, find_png_kind
from urdf_importer.core.writers.file_folder import FileFolder
from urdf_importer.core.writers.formats import ConvertImage
from urdf_importer.core.writers.textures import Textures
from urdf_importer.formats.webots.write.shapes.appearances import Appearances
from urdf_importer.formats.webots.write.vrml import write_node

RGBA = np.random.default_rng(0).integers(0, 256, (4, 8, 4), dtype=np.uint8)
JPEG = bytes.fromhex("ffd8ffc0000b080004000801011100ffd9")
TGA = bytes([0, 0, 2, *bytes(9), 1, 0, 1, 0, 24, 0, 30, 20, 10])
WEBP = b"RIFF\x24\0\0\0WEBPVP8L" + bytes(16)

Make = Callable[..., Textures]


@pytest.fixture
def diagnostics() -> Diagnostics:
    return Diagnostics("robot.urdf")


@pytest.fixture
def make(tmp_path: Path, diagnostics: Diagnostics) -> Make:
    def made(convert: ConvertImage | None = None) -> Textures:
        return Textures(FileFolder(tmp_path / "out", "out/"), convert, diagnostics)

    return made


def look_at(path: Path, content: bytes, *, alpha: bool = False) -> MeshMaterial:
    path.write_bytes(content)
    return MeshMaterial(name="painted", texture=path, image_alpha=alpha)


def test_png_and_jpeg_are_copied(make: Make, tmp_path: Path) -> None:
    textures = make()
    png = encode_png(RGBA[:, :, :3])
    assert textures.find(look_at(tmp_path / "a b.png", png), "link", 1) == "out/a_b.png"
    assert (tmp_path / "out/a_b.png").read_bytes() == png
    assert textures.find(look_at(tmp_path / "photo.JPEG", JPEG), "link", 1) == "out/photo.jpg"
    assert (tmp_path / "out/photo.jpg").read_bytes() == JPEG


def test_alpha_stays_only_where_it_means_something(make: Make, tmp_path: Path) -> None:
    """Webots lets through what has an alpha channel."""
    textures, png = make(), encode_png(RGBA)
    used = textures.find(look_at(tmp_path / "leaf.png", png, alpha=True), "link", 1)
    assert used and (tmp_path / used).read_bytes() == png
    unused = textures.find(look_at(tmp_path / "leaf.png", png), "link", 1)
    assert unused and unused != used
    found = decode_image((tmp_path / unused).read_bytes())
    assert found is not None and np.array_equal(found, RGBA[:, :, :3])


def test_alpha_stays_where_programs_pass_over_it(tmp_path: Path, diagnostics: Diagnostics) -> None:
    """MuJoCo reads colours alone: the file is copied, not decoded."""
    png = encode_png(RGBA)
    folder = FileFolder(tmp_path / "out", "out/")
    textures = Textures(folder, None, diagnostics, needs_alpha=False)
    url = textures.find(look_at(tmp_path / "leaf.png", png), "link", 1)
    assert url and (tmp_path / url).read_bytes() == png


def test_other_kinds_become_png(make: Make, tmp_path: Path) -> None:
    url = make().find(look_at(tmp_path / "old.tga", TGA), "link", 1)
    assert url == "out/old.png"
    found = decode_image((tmp_path / url).read_bytes())
    assert found is not None and found.tolist() == [[[10, 20, 30]]]


def test_image_of_16_bits_becomes_one_of_8(make: Make, tmp_path: Path) -> None:
    head = struct.pack(">IIBBBBB", 2, 1, 16, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" + struct.pack(">HH", 65535, 257 * 100))
    content = encode_png(RGBA)[:8]
    for kind, data in ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b"")):
        content += struct.pack(">I", len(data)) + kind + data
        content += struct.pack(">I", zlib.crc32(kind + data))
    url = make().find(look_at(tmp_path / "deep.png", content), "link", 1)
    assert url is not None
    written = (tmp_path / url).read_bytes()
    assert find_png_kind(written).depth == 8
    found = decode_image(written)
    assert found is not None and found.ravel().tolist() == [255, 100]


def test_image_inside_a_mesh_file(make: Make, tmp_path: Path) -> None:
    look = MeshMaterial(name="skin of x", image=encode_png(RGBA[:, :, :1]))
    assert make().find(look, "link", 1) == "out/skin_of_x.png"


def test_converter_is_asked_for_what_is_not_decoded(make: Make, tmp_path: Path) -> None:
    asked = []

    def convert(content: bytes, name: str) -> bytes:
        asked.append((content, name))
        return encode_png(RGBA)

    url = make(convert).find(look_at(tmp_path / "new.webp", WEBP), "link", 1)
    assert asked == [(WEBP, "new.webp")] and url == "out/new.png"
    found = decode_image((tmp_path / url).read_bytes())
    assert found is not None and np.array_equal(found, RGBA[:, :, :3])


def refuse(_content: bytes, _name: str) -> bytes:
    raise MeshError("it is no image that Blender reads", code="unreadable-texture")


@pytest.mark.parametrize(
    ("content", "convert"),
    [
        (WEBP, None),
        (WEBP, refuse),
        (b"", None),
        (b"\x89PNG\r\n\x1a\nrubbish", None),
        (encode_png(RGBA)[:40], None),
        (b"\xff\xd8\xff", None),
        (TGA[:-1], None),
    ],
)
def test_what_cannot_be_shown_is_reported_once(
    content: bytes,
    convert: ConvertImage | None,
    make: Make,
    diagnostics: Diagnostics,
    tmp_path: Path,
) -> None:
    textures, look = make(convert), look_at(tmp_path / "bad.img", content)
    assert textures.find(look, "arm", 7) is None
    assert textures.find(look, "leg", 9) is None
    (found,) = diagnostics
    assert (found.code, found.subject, found.line) == ("unreadable-texture", "arm", 7)
    assert "bad.img" in found.message and "the colour is shown" in found.message
    assert not (tmp_path / "out").exists()


def test_appearance_is_matt_and_says_the_colour_as_it_is(make: Make) -> None:
    look = MeshMaterial(color=(0.2, 0.4, 0.6, 0.25))
    appearances = Appearances(make())
    node = appearances.find(look, "arm", 1)
    assert node.fields == {
        "baseColor": (0.2, 0.4, 0.6),
        "transparency": 0.75,
        "roughness": 1.0,
        "metalness": 0.0,
    }
    assert appearances.find(MeshMaterial(name="other", color=look.color), "leg", 2) is node
    assert appearances.find(None, "leg", 3).fields["baseColor"] == (0.8, 0.8, 0.8)


def test_image_takes_the_place_of_the_colour(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(encode_png(RGBA[:, :, :3]))
    look = MeshMaterial(color=(0.2, 0.4, 0.6, 1.0), texture=path)
    text = write_node(Appearances(make()).find(look, "arm", 1))
    assert "baseColor 1 1 1" in text and '"out/x.png"' in text and "ImageTexture" in text
