# SPDX-License-Identifier: GPL-3.0-or-later
"""Images that Blender reads and few others do, as textures of meshes."""

import struct
from pathlib import Path

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene
from support.mesh_files import Gltf
from urdf_importer import Diagnostics, export_robot, import_robot, read_robot

SHAPE = "<geometry><mesh filename='{}'/></geometry>"
ROBOT = f"<robot name='r'><link name='a'><visual>{SHAPE}</visual></link></robot>"
OBJ = (
    "mtllib part.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n"
)
RED = (1.0, 0.0, 0.0)
SIZE = 64


@pytest.fixture(autouse=True)
def scene() -> None:
    new_scene()


def make_dds() -> bytes:
    """Pixels of 32 bits, uncompressed: blue, green, red, alpha."""
    pixels = struct.pack("<IIIIIIII", 32, 0x41, 0, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    head = struct.pack("<IIIIIII44x", 124, 0x100F, SIZE, SIZE, 4 * SIZE, 0, 0)
    return b"DDS " + head + pixels + struct.pack("<I16x", 0x1000) + b"\0\0\xff\xff" * SIZE**2


def make_image(folder: Path, kind: str) -> Path:
    path = folder / f"skin.{kind.lower()}"
    if kind == "DDS":
        path.write_bytes(make_dds())
        return path
    image = bpy.data.images.new("made", SIZE, SIZE)
    image.pixels.foreach_set(np.tile(np.array([*RED, 1.0], np.float32), SIZE**2))
    image.file_format = kind
    image.filepath_raw = str(path)
    image.save()
    bpy.data.images.remove(image)
    return path


def make_robot(folder: Path, image: Path) -> Path:
    (folder / "part.obj").write_text(OBJ)
    (folder / "part.mtl").write_text(f"newmtl m\nmap_Kd {image.name}\n")
    (folder / "r.urdf").write_text(ROBOT.format("part.obj"))
    return folder / "r.urdf"


@pytest.mark.parametrize("kind", ["WEBP", "JPEG2000", "DDS"])
def test_they_are_shown_and_reach_other_formats_as_png(kind: str, tmp_path: Path) -> None:
    path = make_robot(tmp_path, make_image(tmp_path, kind))
    result = import_robot(path)
    assert not result.diagnostics
    ((visual,),) = result.visuals.values()
    nodes = visual.material_slots[0].material.node_tree.nodes
    (image,) = [node.image for node in nodes if node.type == "TEX_IMAGE"]
    assert tuple(image.size) == (SIZE, SIZE)
    color = np.array(image.pixels[:3])
    np.testing.assert_allclose(color, RED, atol=0.05)
    diagnostics = Diagnostics()
    export_robot(read_robot(path), tmp_path / "out" / "r.xml", diagnostics=diagnostics)
    assert not list(diagnostics) and list((tmp_path / "out").rglob("*.png"))


@pytest.mark.parametrize(
    ("extension", "is_shown"), [("EXT_texture_webp", True), ("KHR_texture_basisu", False)]
)
def test_extensions_of_gltf(extension: str, is_shown: bool, tmp_path: Path) -> None:
    made = Gltf()
    made.primitive(material=0)
    content = make_image(tmp_path, "WEBP").read_bytes()
    if not is_shown:
        content = b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(100)
    made.json |= {
        "images": [{"bufferView": made.view(content)}],
        "textures": [{"extensions": {extension: {"source": 0}}}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    }
    (tmp_path / "part.glb").write_bytes(made.glb())
    (tmp_path / "r.urdf").write_text(ROBOT.format("part.glb"))
    result = import_robot(tmp_path / "r.urdf")
    if is_shown:
        assert not result.diagnostics
    else:
        (said,) = result.diagnostics
        assert (said.code, said.subject, said.line) == ("unreadable-texture", "a", 1)
        assert "KTX2" in said.message
