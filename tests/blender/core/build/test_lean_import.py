# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import does not do twice, and not before it is needed."""

import random

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene
from support.mesh_files import png
from urdf_importer import import_robot
from urdf_importer.core.images.check import is_whole_image

OBJ = """mtllib part.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
usemtl red
f 1 2 3
usemtl blue
f 1 3 4
"""
MTL = "newmtl red\nKd 1 0 0\nmap_Kd skin.png\nnewmtl blue\nKd 0 0 1\n"
SHAPE = '<geometry><mesh filename="part.obj"/></geometry>'
ROBOT = f"""<robot name="r"><link name="a"><visual>{SHAPE}</visual>
<collision>{SHAPE}</collision></link></robot>"""


@pytest.fixture(autouse=True)
def scene():
    new_scene()


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "part.obj").write_text(OBJ)
    (tmp_path / "part.mtl").write_text(MTL)
    (tmp_path / "skin.png").write_bytes(png(4, 4))
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT)
    return path


def vertices_of(mesh):
    return np.array([vertex.co[:] for vertex in mesh.vertices])


def test_a_collision_of_the_same_file_is_a_bare_mesh_of_its_own(robot):
    result = import_robot(robot)
    (visual,), (collision,) = result.visuals["a"], result.collisions["a"]
    assert [material.name for material in visual.data.materials] == ["red", "blue"]
    assert visual.data != collision.data and not collision.data.materials
    assert "material_index" not in collision.data.attributes
    corners = [[list(face.vertices) for face in each.data.polygons] for each in (visual, collision)]
    assert corners[0] == corners[1] and len(corners[0]) == 2
    before = vertices_of(visual.data)
    collision.data.vertices[0].co = (7, 7, 7)
    assert np.array_equal(vertices_of(visual.data), before)
    assert not np.array_equal(vertices_of(collision.data), before)


def test_a_whole_image_is_decoded_when_it_is_shown(robot):
    import_robot(robot)
    (image,) = bpy.data.images
    assert not image.has_data
    assert tuple(image.size) == (4, 4) and image.has_data
    assert image.colorspace_settings.name == "sRGB"


def test_an_image_that_does_not_say_is_decoded_at_once(robot):
    """A changed byte: the checksum is wrong, and Blender says no."""
    content = bytearray(png(4, 4))
    content[content.index(b"IDAT") + 8] ^= 1
    (robot.parent / "skin.png").write_bytes(content)
    assert [each.code for each in import_robot(robot).diagnostics] == ["unreadable-texture"]
    assert not bpy.data.images


def write_images(folder):
    """PNG and JPEG, grey and coloured, as Blender writes them."""
    noise = random.Random(4)
    image = bpy.data.images.new("noise", 37, 23)
    image.pixels = [noise.random() for _ in range(37 * 23 * 4)]
    settings = bpy.context.scene.render.image_settings
    for kind in ("PNG", "JPEG"):
        for mode in ("BW", "RGB"):
            settings.file_format, settings.color_mode = kind, mode
            path = folder / f"{kind}_{mode}"
            image.save_render(str(path))
            yield path.read_bytes()
    bpy.data.images.remove(image)


def damage(content, noise):
    """A few bytes changed, lost or put in, most in the head."""
    found = bytearray(content)
    for _ in range(noise.randint(1, 3)):
        place = noise.randrange(min(len(found), 700))
        match noise.randrange(4):
            case 0:
                found[place] = noise.randrange(256)
            case 1:
                found[place] ^= 1 << noise.randrange(8)
            case 2:
                del found[place : place + noise.randrange(1, 5)]
            case 3:
                found[place:place] = noise.randbytes(noise.randrange(1, 4))
    return bytes(found)


def test_what_is_called_whole_can_be_decoded(tmp_path):
    """Damage is either noticed or harmless to Blender's decoders."""
    noise = random.Random(11)
    sources = list(write_images(tmp_path))
    assert all(map(is_whole_image, sources))
    path = tmp_path / "damaged"
    tried = 0
    for _ in range(600):
        content = damage(noise.choice(sources), noise)
        if is_whole_image(content):
            path.write_bytes(content)
            image = bpy.data.images.load(str(path))
            assert 0 not in image.size[:]
            bpy.data.images.remove(image)
            tried += 1
    assert tried > 50
