# SPDX-License-Identifier: GPL-3.0-or-later
"""<heightmap>: the surface of an image, in the link's frame and in every format."""

import struct
import zlib

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urdf_importer import (
    Diagnostics,
    EngineOptions,
    MjcfOptions,
    WebotsOptions,
    export_robot,
    read_robot,
    write_urdf,
)
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.meshes import RobotFiles, heightmaps
from urdf_importer.core.model import Mesh
from urdf_importer.core.reshape import resize


def png(heights):
    """A grey image (H, W) of 8 or 16 bits, its rows as they are."""
    height, width = heights.shape
    wide = heights.dtype.itemsize == 2
    rows = [b"\0" + row.astype(">u2" if wide else "u1").tobytes() for row in heights]
    head = struct.pack(">IIBBBBB", width, height, 16 if wide else 8, 0, 0, 0, 0)
    text = b"\x89PNG\r\n\x1a\n"
    for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b"")):
        check = struct.pack(">I", zlib.crc32(kind + data))
        text += struct.pack(">I", len(data)) + kind + data + check
    return text


HILLS = np.array([[0, 1000, 40000], [7, 20001, 0]], dtype=np.uint16)
SIZE, PLACE = "<size>4 2 3</size>", "<pos>1 2 0.5</pos>"


def read(folder, image, inside=SIZE, more="", name="hills.png"):
    (folder / name).write_bytes(image)
    shape = f"<geometry><heightmap><uri>{name}</uri>{inside}</heightmap></geometry>"
    text = f'<link name="a"><visual name="v">{shape}</visual>'
    text += f'<collision name="c">{shape}</collision></link>{more}'
    (folder / "m.sdf").write_text(f'<sdf version="1.9"><model name="m">{text}</model></sdf>')
    diagnostics = Diagnostics()
    return read_robot(folder / "m.sdf", diagnostics=diagnostics), list(diagnostics)


def surface(robot):
    """The points of the first link's visual in the link, and its triangles."""
    files = RobotFiles(PackageResolver(robot.source), Diagnostics())
    (visual,) = robot.links[0].visuals
    data = files.load(visual, robot.links[0])
    place = matrix_from_pose(visual.origin)
    points = data.vertices.astype(float) @ place[:3, :3].T + place[:3, 3]
    return points, points[data.corners.reshape(-1, 3)]


def expected(heights, size=(4.0, 2.0, 3.0), place=(0.0, 0.0, 0.0)):
    """Rows from +y on, columns from -x on, as high as the brightest says."""
    rows, columns = heights.shape
    x = np.linspace(-size[0] / 2, size[0] / 2, columns)
    y = np.linspace(size[1] / 2, -size[1] / 2, rows)
    z = heights / heights.max()
    z = z * size[2] if size[2] > 0 else (1 - z) * -size[2]
    grid = np.stack([*np.meshgrid(x, y), z], axis=2)
    return grid.reshape(-1, 3) + place


def faces_up(triangles):
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return bool((np.cross(b - a, c - a)[:, 2] > 0).all())


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("size", [(4.0, 2.0, 3.0), (1.0, 1.0, -2.0)])
def test_every_pixel_is_a_height(tmp_path, dtype, size):
    heights = (HILLS // (1 if dtype == np.uint16 else 256)).astype(dtype)
    text = f"<size>{' '.join(map(str, size))}</size>{PLACE}"
    robot, said = read(tmp_path, png(heights), text)
    points, triangles = surface(robot)
    assert not said and robot.links[0].collisions[0].geometry == robot.links[0].visuals[0].geometry
    assert np.abs(points - expected(heights, size, (1.0, 2.0, 0.5))).max() < 1e-6
    # Turned over where black is at the top: an image has one side only.
    assert faces_up(triangles) == (size[2] > 0) and len(triangles) == 4


def test_a_black_image_is_flat_and_the_default_is_a_metre(tmp_path):
    robot, _ = read(tmp_path, png(np.zeros((3, 3), dtype=np.uint8)), "")
    points, _ = surface(robot)
    assert points[:, 2].tolist() == [0.0] * 9 and points.max() == 0.5
    assert robot.links[0].visuals[0].material.color[:3] == (0.7, 0.7, 0.7)


def test_large_images_are_sampled_evenly(tmp_path):
    most = heightmaps.MOST_POINTS
    heights = np.add.outer(np.arange(2 * most - 1), 3 * np.arange(2)).astype(np.uint16)
    robot, said = read(tmp_path, png(heights))
    diagnostics = Diagnostics()
    files = RobotFiles(PackageResolver(robot.source), diagnostics)
    data = files.load(robot.links[0].visuals[0], robot.links[0])
    wanted = heights[::2] / heights.max() * 3.0
    assert np.abs(data.vertices[:, 2].reshape(most, 2) - wanted).max() < 1e-5
    assert not said and [each.code for each in diagnostics] == ["coarse-heightmap"]


def test_what_it_is_painted_with_is_kept(tmp_path):
    paint = f"{SIZE}<texture><diffuse>grass.png</diffuse></texture>"
    robot, _ = read(tmp_path, png(HILLS), paint)
    assert "grass.png" in robot.links[0].visuals[0].extras[0].xml


HUGE = png(HILLS).replace(struct.pack(">II", 3, 2), struct.pack(">II", 10**6, 10**6))
BAD = {
    "cut off": ("hills.png", png(HILLS)[:50]),
    "claims to have 1000000 x 1000000": ("hills.png", HUGE),
    "make no surface": ("hills.png", png(HILLS[:1])),
    "kind that cannot be read": ("hills.png", b"\xff\xd8\xff\xe0" + bytes(40)),
    "not an image that can be read": ("hills.tif", png(HILLS)),
    "no file": ("other.png", png(HILLS)),
}


@pytest.mark.parametrize("sentence", BAD)
def test_what_cannot_be_shown_is_a_bare_link_and_a_sentence(tmp_path, sentence):
    name, image = BAD[sentence]
    _, said = read(tmp_path, image, name=name)
    if sentence == "no file":
        (tmp_path / name).unlink()
        said = Diagnostics()
        robot = read_robot(tmp_path / "m.sdf", diagnostics=said)
    else:
        robot = read_robot(tmp_path / "m.sdf")
    found = list(said)
    assert [each.code for each in found] == ["sdf-heightmap"] * 2
    assert all(sentence in each.message and "\n" not in each.message for each in found)
    assert not robot.links[0].visuals and not robot.links[0].collisions


@settings(max_examples=60)
@given(st.integers(0, 120), st.integers(0, 30), st.binary(max_size=4))
def test_damaged_images_are_read_or_said(tmp_path_factory, start, length, instead):
    image = png(HILLS)
    folder = tmp_path_factory.getbasetemp()
    robot, said = read(folder, image[:start] + instead + image[start + length :])
    assert bool(robot.links[0].visuals) == (not said)


def test_every_format_gets_a_mesh(tmp_path):
    """Of the same heights; no program takes an image for one."""
    (tmp_path / "in").mkdir()
    robot, _ = read(tmp_path / "in", png(HILLS), f"{SIZE}{PLACE}")
    points = np.unique(expected(HILLS, place=(1.0, 2.0, 0.5)).round(5), axis=0)
    write_urdf(robot, tmp_path / "m.urdf", diagnostics=Diagnostics())
    again = read_robot(tmp_path / "m.urdf")
    assert isinstance(again.links[0].visuals[0].geometry, Mesh)
    assert np.allclose(np.unique(surface(again)[0].round(5), axis=0), points, atol=2e-5)
    written = export_robot(
        robot, tmp_path / "M.proto", options=WebotsOptions(), diagnostics=Diagnostics()
    )
    assert "hills.png" not in written.path.read_text() and len(written.files) > 1
    written = export_robot(
        robot, tmp_path / "m.xml", options=MjcfOptions(), diagnostics=Diagnostics()
    )
    model = mujoco.MjModel.from_xml_path(str(written.path))
    assert model.nmesh >= 1 and "hills.png" not in written.path.read_text()
    options = EngineOptions(usd="physics")
    written = export_robot(robot, tmp_path / "m.usda", options=options, diagnostics=Diagnostics())
    assert "def Mesh " in written.path.read_text()


def test_it_grows_with_the_robot(tmp_path):
    robot, _ = read(tmp_path, png(HILLS), f"{SIZE}{PLACE}")
    points, _ = surface(resize(robot, scale=2.0))
    assert np.abs(points - 2.0 * surface(robot)[0]).max() < 1e-5
