# SPDX-License-Identifier: GPL-3.0-or-later
"""Equal materials are one, and a second robot uses what the first one brought."""

import gc
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene
from support.mesh_files import png
from support.paths import ROOT
from support.real_robots import descriptions
from urdf_importer import ImportOptions, import_robot, update_robot
from urdf_importer.core.blender.build.sharing import digest_mesh
from urdf_importer.core.meshes.file_cache import forget_files

pytestmark = pytest.mark.usefixtures("scene")
APART = ImportOptions(share_data=False)

ROBOT = """<robot name="r"><material name="paint"><color rgba="0 0.5 0 1"/></material>
<link name="l"><visual><geometry><mesh filename="a.obj"/></geometry></visual>
<visual><geometry><mesh filename="b.obj" scale="2 2 2"/></geometry></visual>
<visual><geometry><box size="1 2 3"/></geometry><material name="paint"/></visual>
<collision><geometry><mesh filename="a.obj"/></geometry></collision></link></robot>"""
PART = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 1\nvt 0 0\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    forget_files()
    (tmp_path / "a.obj").write_text(f"{PART}usemtl one\nf 1/1 2/1 3/1\nusemtl skin\nf 1/1 3/1 4/1")
    (tmp_path / "b.obj").write_text(f"{PART}usemtl two\nf 1 2 3\nf 1 3 4\n")
    library = "newmtl one\nKd 1 0 0\nnewmtl two\nKd 1 0 0\nnewmtl skin\nmap_Kd skin.png\n"
    (tmp_path / "a.mtl").write_text(library)
    (tmp_path / "skin.png").write_bytes(png())
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT)
    return path


def panda() -> Path:
    return next(each for each in descriptions() if each.stem == "panda")


def shapes(result: Any) -> list[Any]:
    return [*result.visuals["l"], *result.collisions["l"]]


def meshes(result: Any) -> list[Any]:
    return [shape.data for shape in shapes(result)]


def looks(result: Any) -> list[list[Any]]:
    return [[slot.material for slot in shape.material_slots] for shape in shapes(result)]


def test_equal_materials_are_one_named_after_their_colour(path: Path) -> None:
    first, second, box, collision = looks(import_robot(path))
    assert first[0] == second[0] and len(second) == 1 and not collision
    assert first[0].name == "Red #ff0000"
    assert (first[1].name, box[0].name) == ("skin", "paint")
    assert len(bpy.data.materials) == 3


def test_without_merging_each_name_is_a_material(path: Path) -> None:
    first, second, *_ = looks(import_robot(path, options=ImportOptions(merge_materials=False)))
    assert (first[0].name, second[0].name) == ("one", "two")


def test_a_panda_has_a_material_for_each_look() -> None:
    import_robot(panda())
    colors = {tuple(round(part, 6) for part in m.diffuse_color) for m in bpy.data.materials}
    assert len(bpy.data.materials) == len(colors) < 10
    assert {"White #ffffff", "Dark Grey #404040", "Blue #0a8ac7"} <= {*bpy.data.materials.keys()}


def test_a_second_robot_brings_nothing_new(path: Path) -> None:
    first = import_robot(path)
    counts = len(bpy.data.meshes), len(bpy.data.materials), len(bpy.data.images)
    second = import_robot(path)
    assert meshes(second) == meshes(first) and looks(second) == looks(first)
    assert (len(bpy.data.meshes), len(bpy.data.materials), len(bpy.data.images)) == counts
    third = import_robot(path, options=APART)
    assert not {*meshes(third)} & {*meshes(first)}


def test_it_shares_after_the_file_was_opened_again(path: Path, tmp_path: Path) -> None:
    import_robot(path)
    blend = str(tmp_path / "r.blend")
    bpy.ops.wm.save_as_mainfile(filepath=blend)
    bpy.ops.wm.open_mainfile(filepath=blend)
    forget_files()
    counts = len(bpy.data.meshes), len(bpy.data.materials), len(bpy.data.images)
    import_robot(path)
    assert (len(bpy.data.meshes), len(bpy.data.materials), len(bpy.data.images)) == counts


def move_a_vertex(mesh: Any) -> None:
    mesh.vertices[0].co.x += 1e-6


def mark_sharp(mesh: Any) -> None:
    mesh.edges[0].use_edge_sharp = not mesh.edges[0].use_edge_sharp


def move_a_uv(mesh: Any) -> None:
    mesh.uv_layers[0].uv[0].vector = (0.25, 0.5)


def paint_a_color(mesh: Any) -> None:
    mesh.color_attributes.new("paint", "FLOAT_COLOR", "POINT")


def change_a_slot(mesh: Any) -> None:
    mesh.polygons[0].material_index = 1


def swap_a_material(mesh: Any) -> None:
    mesh.materials[0] = bpy.data.materials.new("mine")


def add_a_shape_key(mesh: Any) -> None:
    next(o for o in bpy.data.objects if o.data == mesh).shape_key_add(name="Basis")


@pytest.mark.parametrize(
    "edit",
    [
        move_a_vertex,
        mark_sharp,
        move_a_uv,
        paint_a_color,
        change_a_slot,
        swap_a_material,
        add_a_shape_key,
    ],
)
@pytest.mark.parametrize("shared_before", [False, True], ids=["new", "shared before"])
def test_an_edited_mesh_is_not_shared(
    path: Path, edit: Callable[[Any], None], shared_before: bool
) -> None:
    first = import_robot(path)
    if shared_before:
        import_robot(path)
    edited = first.visuals["l"][0].data
    edit(edited)
    second = import_robot(path)
    assert edited not in meshes(second)
    assert meshes(second)[1:3] == meshes(first)[1:3]
    third = import_robot(path)
    assert meshes(third) == meshes(second)


def shader(material: Any) -> Any:
    return next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")


def test_an_edited_material_is_not_shared(path: Path) -> None:
    first = import_robot(path)
    red, skin = looks(first)[0]
    shader(red).inputs["Roughness"].default_value = 0.1
    skin.node_tree.nodes["Image Texture"].interpolation = "Closest"
    paint = looks(first)[2][0]
    paint.use_backface_culling = True
    second = import_robot(path)
    assert not {red, skin, paint} & {m for slots in looks(second) for m in slots}
    assert shader(looks(second)[0][0]).inputs["Roughness"].default_value == 0.5
    assert looks(import_robot(path)) == looks(second)


def test_a_painted_image_is_not_shared(path: Path) -> None:
    first = import_robot(path)
    (image,) = bpy.data.images
    image.pixels[0] = 0.25
    second = import_robot(path)
    assert image.is_dirty and looks(second)[0][1] != looks(first)[0][1]


def test_other_options_and_files_make_other_meshes(path: Path) -> None:
    first = import_robot(path)
    second = import_robot(path, options=ImportOptions(smooth_angle=5.0))
    assert not {*meshes(first)} & {*meshes(second)}
    text = (path.parent / "b.obj").read_text().replace("v 1 1 0", "v 1 1 0.5")
    (path.parent / "b.obj").write_text(text)
    third = import_robot(path)
    assert [a == b for a, b in zip(meshes(third), meshes(first), strict=True)] == [
        True,
        False,
        True,
        True,
    ]


def snapshot(result: Any) -> list[Any]:
    return [
        (
            shape.name,
            digest_mesh(shape.data),
            shape.data.name,
            [(slot.link, slot.material and slot.material.name) for slot in shape.material_slots],
            tuple(shape.matrix_basis.to_translation()),
        )
        for shape in shapes(result)
    ]


@pytest.mark.parametrize("what", ["mesh", "library", "description", "options"])
def test_updating_one_leaves_the_other_as_it_was(path: Path, what: str) -> None:
    """Also where the mesh stays and only its materials are others."""
    first, second = import_robot(path), import_robot(path)
    before, kept = snapshot(second), meshes(second)
    options = None
    if what == "mesh":
        file = path.parent / "a.obj"
        file.write_text(file.read_text().replace("v 1 1 0", "v 1 1 0.5"))
    elif what == "library":
        file = path.parent / "a.mtl"
        file.write_text(file.read_text().replace("Kd 1 0 0", "Kd 0 0 1"))
        path.write_text(ROBOT.replace("0 0.5 0 1", "0 0 0.5 1"))
    elif what == "description":
        path.write_text(ROBOT.replace("0 0.5 0 1", "0 0 0.5 1").replace("1 2 3", "3 2 1"))
    else:
        options = ImportOptions(smooth_angle=5.0)
    done = update_robot(first.armature, options=options)
    assert done.changes
    bpy.context.view_layer.update()
    assert meshes(second) == kept and snapshot(second) == before


def test_after_an_update_a_rig_is_as_a_new_import(path: Path) -> None:
    first, _ = import_robot(path), import_robot(path)
    file = path.parent / "a.mtl"
    file.write_text(file.read_text().replace("Kd 1 0 0", "Kd 0 0 1"))
    path.write_text(ROBOT.replace("0 0.5 0 1", "0 0 0.5 1"))
    update_robot(first.armature)
    updated = [(digest, slots) for _, digest, _, slots, _ in snapshot(first)]
    new_scene()
    fresh = [(digest, slots) for _, digest, _, slots, _ in snapshot(import_robot(path))]
    assert [digest for digest, _ in updated] == [digest for digest, _ in fresh]
    assert [[link for link, _ in slots] for _, slots in updated] == [
        [link for link, _ in slots] for _, slots in fresh
    ]


def test_a_failed_import_takes_nothing_of_the_other_robot(path: Path) -> None:
    from urdf_importer import import_steps

    first = import_robot(path)
    before = snapshot(first)
    steps = import_steps(path)
    while next(steps).share < 1.0:
        pass
    steps.close()
    assert snapshot(first) == before


def test_further_pandas_cost_less_than_half_of_the_first() -> None:
    """And share all their meshes: CPU time, against itself in one process, without what collecting
    the garbage of other tests takes. On a quiet machine they cost an eighth."""
    forget_files()
    times = []
    for number in range(7):
        gc.collect()
        gc.disable()
        start = time.process_time()
        import_robot(panda())
        times.append(time.process_time() - start)
        gc.enable()
        if number == 0:
            meshes = len(bpy.data.meshes)
    assert len(bpy.data.meshes) == meshes
    # The median: another process may take the caches away from one of them.
    assert statistics.median(times[2:]) < times[0] / 2


def test_shared_meshes_keep_their_normals(scene):
    """Renders of a second robot had black specks: normals of no length, or of any."""
    for _ in range(2):
        armature = import_robot(ROOT / "sample_urdfs/two_link_arm.urdf").armature
        bpy.context.view_layer.update()
        shapes = [item for item in armature.children_recursive if item.type == "MESH"]
        for mesh in (item.data for item in shapes):
            normals = np.empty(3 * len(mesh.loops), np.float32)
            mesh.corner_normals.foreach_get("vector", normals)
            lengths = np.linalg.norm(normals.reshape(-1, 3).astype(float), axis=1)
            np.testing.assert_allclose(lengths, 1.0, atol=1e-4)
    assert all(item.data.users > 1 for item in shapes)
