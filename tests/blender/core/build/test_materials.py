# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials and textures in Blender: what RViz shows, each once."""

from pathlib import Path

import bpy
import pytest

from support.blender.rigs import new_scene
from support.mesh_files import Gltf, png
from support.paths import TESTS
from support.real_robots import descriptions
from urdf_importer import import_robot

QUIRKS = TESTS / "data" / "quirks" / "q_pkg" / "urdf"
PLANE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


@pytest.fixture(autouse=True)
def scene():
    new_scene()


def materials_of(shape):
    return [slot.material for slot in shape.material_slots]


def shader_of(material):
    return next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")


def image_node_of(material):
    found = [n for n in material.node_tree.nodes if n.type == "TEX_IMAGE"]
    return found[0] if found else None


def color_of(material):
    """As the description would write it."""
    *linear, _ = shader_of(material).inputs["Base Color"].default_value
    alpha = shader_of(material).inputs["Alpha"].default_value
    srgb = (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055 for v in linear)
    return (*srgb, alpha)


def codes_of(result):
    return [item.code for item in result.diagnostics]


@pytest.mark.parametrize(
    ("quirk", "base", "other", "codes"),
    [
        ("mat_empty_names", (1, 0, 0, 1), (0, 1, 0, 1), []),
        ("mat_no_name", (1, 0, 0, 1), None, []),
        ("mat_later", (0, 0, 1, 1), None, []),
        ("mat_later_in_other_link", (0, 0, 1, 1), (0, 0, 1, 1), []),
        ("mat_redefined", (1, 0, 0, 1), (1, 0, 0, 1), ["material-redefined"]),
        ("mat_top_twice", (1, 0, 0, 1), None, ["material-redefined"]),
        ("mat_undefined", (1, 0.5088, 0.0468, 1), None, ["undefined-material"]),
        ("mat_gazebo_name", (1, 0.5088, 0.0468, 1), None, []),
        ("mat_rgb_only", (1, 0, 0, 1), None, ["number-count"]),
        ("mat_255", (1, 128 / 255, 0, 1), None, ["color-range"]),
        ("mat_texture_missing", (0.8, 0.8, 0.8, 1), None, ["missing-texture"]),
        ("mat_in_collision", None, None, []),
    ],
)
def test_quirk(quirk, base, other, codes):
    result = import_robot(QUIRKS / f"{quirk}.urdf")
    for link, color in (("base_link", base), ("link1", other)):
        for shape in result.visuals[link]:
            found = [m for m in materials_of(shape) if m is not None]
            assert [color_of(m) for m in found] == (
                [pytest.approx(color, abs=1e-5)] if color else []
            )
    assert codes_of(result) == codes
    distinct = {color for color in (base, other) if color}
    assert len(bpy.data.materials) == len(distinct)


def test_an_empty_texture_changes_nothing():
    result = import_robot(QUIRKS / "mat_texture_empty.urdf")
    assert not bpy.data.materials and not bpy.data.images
    assert "empty-texture" in codes_of(result)


def write_robot(folder, *visuals, name="robot.urdf"):
    links = "".join(
        f'<link name="l{i}"><visual>{text}</visual></link>' for i, text in enumerate(visuals)
    )
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="l0"/><child link="l{i}"/></joint>'
        for i in range(1, len(visuals))
    )
    path = folder / name
    path.write_text(f'<robot name="r">{links}{joints}</robot>', encoding="utf-8")
    return path


def mesh(name):
    return f'<geometry><mesh filename="{name}"/></geometry>'


BOX = '<geometry><box size="1 1 1"/></geometry>'
BALL = '<geometry><sphere radius="1"/></geometry>'


def test_a_texture_of_the_description_on_primitives(tmp_path):
    (tmp_path / "skin.png").write_bytes(png())
    skin = '<material name="skin"><texture filename="skin.png"/></material>'
    result = import_robot(write_robot(tmp_path, BOX + skin, BALL + skin))
    assert not result.diagnostics
    (material,) = bpy.data.materials
    (image,) = bpy.data.images
    node = image_node_of(material)
    assert node.image == image and image.colorspace_settings.name == "sRGB"
    assert Path(bpy.path.abspath(image.filepath)) == tmp_path / "skin.png"
    assert shader_of(material).inputs["Base Color"].links[0].from_node == node
    assert not shader_of(material).inputs["Alpha"].links
    assert node.projection == "BOX" and node.inputs["Vector"].links
    for link in ("l0", "l1"):
        assert materials_of(result.visuals[link][0]) == [material]


def write_obj(folder, faces, materials="", name="part.obj"):
    (folder / name).write_text(f"mtllib a.mtl\n{PLANE}vt 0 0\nvt 1 0\nvt 1 1\n{faces}")
    (folder / "a.mtl").write_text(materials)


def test_a_mesh_with_materials_keeps_them_and_one_without_takes_the_robots(tmp_path):
    write_obj(tmp_path, "usemtl red\nf 1 2 3\nusemtl blue\nf 1 3 4\n",
              "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 0.5\nd 0.25\n")  # fmt: skip
    (tmp_path / "bare.obj").write_text(PLANE + "f 1 2 3\n")
    green = '<material name="green"><color rgba="0 1 0 1"/></material>'
    result = import_robot(
        write_robot(tmp_path, mesh("part.obj") + green, mesh("bare.obj") + green, mesh("part.obj"))
    )
    own = materials_of(result.visuals["l0"][0])
    assert [color_of(m) for m in own] == [
        pytest.approx((1, 0, 0, 1)),
        pytest.approx((0, 0, 0.5, 0.25), abs=1e-6),
    ]
    assert [p.material_index for p in result.visuals["l0"][0].data.polygons] == [0, 1]
    assert [m.name for m in materials_of(result.visuals["l1"][0])] == ["green"]
    assert result.visuals["l2"][0].data == result.visuals["l0"][0].data
    assert sorted(m.name for m in bpy.data.materials) == ["blue", "green", "red"]


def test_equal_materials_of_different_files_are_one(tmp_path):
    (tmp_path / "skin.png").write_bytes(png())
    for name in ("one.obj", "two.obj"):
        write_obj(tmp_path, "usemtl skin\nf 1/1 2/2 3/3\n", "newmtl skin\nmap_Kd skin.png\n", name)
    result = import_robot(write_robot(tmp_path, mesh("one.obj"), mesh("two.obj")))
    (material,) = bpy.data.materials
    assert len(bpy.data.images) == 1
    shapes = [result.visuals[link][0] for link in ("l0", "l1")]
    assert [materials_of(shape) for shape in shapes] == [[material], [material]]
    uvs = [tuple(item.uv) for item in shapes[0].data.uv_layers.active.data]
    assert uvs == [(0, 0), (1, 0), (1, 1)]
    assert image_node_of(material).projection == "FLAT"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "missing-texture"),
        (b"", "unreadable-texture"),
        (b"no image", "unreadable-texture"),
        (png()[:40], "unreadable-texture"),
        (png(2, 2).replace(b"\0\0\0\2\0\0\0\2", b"\0\1\0\0\0\1\0\0"), "unreadable-texture"),
    ],
)
@pytest.mark.parametrize("where", ["urdf", "mtl"])
def test_broken_textures_leave_the_colour(tmp_path, content, code, where):
    if content is not None:
        (tmp_path / "skin.png").write_bytes(content)
    write_obj(tmp_path, "usemtl skin\nf 1/1 2/2 3/3\n",
              "newmtl skin\nKd 1 0 0\nmap_Kd skin.png\n")  # fmt: skip
    material = (
        '<material name="skin"><color rgba="1 0 0 1"/><texture filename="skin.png"/></material>'
    )
    shape = BOX + material if where == "urdf" else mesh("part.obj")
    result = import_robot(write_robot(tmp_path, shape, shape))
    assert codes_of(result) == [code]
    assert result.diagnostics[0].subject == "l0" and result.diagnostics[0].line == 1
    (made,) = bpy.data.materials
    assert color_of(made) == pytest.approx((1, 0, 0, 1))
    assert image_node_of(made) is None and not bpy.data.images


def test_textures_outside_are_not_read(tmp_path):
    (tmp_path / "secret.png").write_bytes(png())
    inside = tmp_path / "further" / "inside"
    inside.mkdir(parents=True)
    write_obj(inside, "usemtl skin\nf 1 2 3\n", "newmtl skin\nmap_Kd ../../secret.png\n")
    skin = '<material name="s"><texture filename="../../secret.png"/></material>'
    result = import_robot(write_robot(inside, mesh("part.obj"), BOX + skin))
    assert set(codes_of(result)) == {"outside-allowed-folders"}
    assert not bpy.data.images


def write_glb(path, image, **material):
    gltf = Gltf()
    uvs = gltf.accessor([[0, 1], [1, 1], [1, 0]], "<f4", 5126, "VEC2")
    surface = {"baseColorTexture": {"index": 0}} if image else {}
    gltf.json["materials"] = [{"name": "skin", "pbrMetallicRoughness": surface} | material]
    if image:
        gltf.json["images"] = [{"bufferView": gltf.view(image)}]
        gltf.json["textures"] = [{"source": 0}]
    gltf.primitive(material=0)["attributes"]["TEXCOORD_0"] = uvs
    path.write_bytes(gltf.glb())


@pytest.mark.parametrize("mode", ["OPAQUE", "BLEND"])
def test_images_within_are_packed_and_their_alpha_counts_when_the_file_says_so(tmp_path, mode):
    write_glb(tmp_path / "part.glb", png(alpha=128), alphaMode=mode)
    result = import_robot(write_robot(tmp_path, mesh("part.glb"), mesh("part.glb")))
    assert not result.diagnostics
    (material,), (image,) = bpy.data.materials, bpy.data.images
    assert tuple(image.size) == (2, 2) and image.packed_file is not None
    assert tuple(image.pixels)[:3] == pytest.approx((1, 128 / 255, 0), abs=1e-2)
    assert bool(shader_of(material).inputs["Alpha"].links) == (mode == "BLEND")
    blend = tmp_path / "saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    (tmp_path / "part.glb").unlink()
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    (image,) = bpy.data.images
    assert tuple(image.size) == (2, 2)


def test_a_broken_image_within_is_reported(tmp_path):
    write_glb(tmp_path / "part.glb", b"nothing of the kind")
    result = import_robot(write_robot(tmp_path, mesh("part.glb")))
    assert codes_of(result) == ["unreadable-texture"]
    assert not bpy.data.images


@pytest.mark.parametrize("robot", ["laikago", "alexander_v1.lowerBodyOnly", "solo", "quadruped"])
def test_real_robots_have_each_material_once(robot):
    (path,) = (each for each in descriptions() if each.stem == robot)
    result = import_robot(path)
    used = {
        material
        for shapes in result.visuals.values()
        for shape in shapes
        for material in materials_of(shape)
        if material is not None
    }
    assert used == set(bpy.data.materials)
    looks = [(m.name.rsplit(".", 1)[0], tuple(m.diffuse_color), _image_name(m)) for m in used]
    assert len(looks) == len(set(looks)), looks
    assert all(image.users for image in bpy.data.images)


def _image_name(material):
    node = image_node_of(material)
    return node.image.name if node else ""


def test_a_cancelled_import_leaves_no_image_behind(tmp_path):
    from urdf_importer import import_steps

    write_glb(tmp_path / "part.glb", png())
    steps = import_steps(write_robot(tmp_path, mesh("part.glb"), BOX))
    for progress in steps:
        if bpy.data.images:
            assert progress.text
            break
    steps.close()
    assert not bpy.data.images and not bpy.data.materials and not bpy.data.meshes
