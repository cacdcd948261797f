# SPDX-License-Identifier: GPL-3.0-or-later
"""Export to Webots from a rig: what the description says, as the scene shows it."""

import os
import shutil
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.rig_exports import Export, FromBlend, without_meshes
from support.blender.snapshots import describe_scene, list_data
from support.mesh_files import png
from support.paths import ROOT
from support.real_robots import name_of
from support.webots.real_exports import ROBOTS, Exported, assert_is_what_it_was, find
from support.webots.webots_shapes import points_written, reach
from urdf_importer import (
    BuildError,
    ImportOptions,
    export_robot,
    find_robots,
    forward_kinematics,
    import_robot,
    open_blend,
    save_blend,
    set_joint_positions,
)
from urdf_importer.core.blender.standing.links import visuals_of

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
ARM = ROOT / "sample_urdfs" / "two_link_arm.urdf"
LEG = ROOT / "sample_urdfs" / "quadruped_leg.urdf"
CHOSEN = ("allegro_left_hand", "human", "panda", "romeo", "tiago_dual", "ur5_robot")

pytestmark = pytest.mark.usefixtures("scene")


@pytest.mark.slow
@pytest.mark.parametrize("path", ROBOTS, ids=name_of)
def test_every_robot_is_where_and_what_it_was(path: Path, tmp_path: Path) -> None:
    assert_is_what_it_was(path, tmp_path, FromBlend)


@pytest.mark.parametrize("stem", CHOSEN)
def test_robots_are_where_and_what_they_were(stem: str, tmp_path: Path) -> None:
    assert_is_what_it_was(find(stem), tmp_path, FromBlend)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_rig_gives_the_nodes_of_its_description(
    path: Path, tmp_path: Path, export: Export
) -> None:
    """All but the mesh files, which carry the scene's shading: places, masses, colours, joints."""
    result = import_robot(path)
    shown = export(result.armature)
    told = tmp_path / "Shown.proto"
    export_robot(result.robot, told)
    assert without_meshes(shown.text) == without_meshes(told.read_text("utf-8"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_shapes_of_samples_stand_where_they_stood(path: Path, tmp_path: Path) -> None:
    assert_shapes_stand_where_they_stood(path, tmp_path)


@pytest.mark.parametrize("stem", CHOSEN)
def test_shapes_stand_where_they_stood(stem: str, tmp_path: Path) -> None:
    assert_shapes_stand_where_they_stood(find(stem), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("path", ROBOTS, ids=name_of)
def test_all_shapes_stand_where_they_stood(path: Path, tmp_path: Path) -> None:
    assert_shapes_stand_where_they_stood(path, tmp_path)


def assert_shapes_stand_where_they_stood(path: Path, tmp_path: Path) -> None:
    """As far as they reach in all directions, from the .blend and from the description."""
    found = {}
    for kind in (Exported, FromBlend):
        folder = tmp_path / kind.__name__
        folder.mkdir()
        exported = kind(path, folder)
        found[kind] = {
            (name, part): _reach_of(solid[part], folder)
            for name, solid in exported.check({}).solids.items()
            for part in ("visuals", "collisions")
            if solid[part]
        }
    has_shapes = any(link.visuals or link.collisions for link in exported.robot.links)
    assert found[Exported].keys() == found[FromBlend].keys() and has_shapes == bool(found[Exported])
    for key, told in found[Exported].items():
        assert found[FromBlend][key] == pytest.approx(told, abs=2e-6, rel=2e-6), key


def _reach_of(shapes: list[dict[str, Any]], folder: Path) -> Any:
    return np.max([reach(points_written(shape, folder)) for shape in shapes], axis=0)


def test_nothing_is_needed_but_the_blend(tmp_path: Path, export: Export) -> None:
    folder = tmp_path / "robot"
    shutil.copytree(LEG.parent, folder)
    told = export(import_robot(folder / LEG.name).armature)
    blend = tmp_path / "leg.blend"
    save_blend(blend)
    shutil.rmtree(folder)
    open_blend(blend)
    (armature,) = find_robots().values()
    shown = export(armature)
    assert shown.codes == told.codes == []
    assert shown.text == told.text and len(shown.result.files) > 3
    for one, other in zip(told.result.files, shown.result.files, strict=True):
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("path", [ARM, LEG], ids=lambda path: path.stem)
def test_the_pose_is_where_the_simulation_starts(path: Path, export: Export) -> None:
    result = import_robot(path)
    tree = {joint.name: joint for joint in result.robot.joints if joint.limit is not None}
    positions = {name: 0.6 * (joint.limit.upper or 1.0) for name, joint in tree.items()}
    set_joint_positions(result.armature, positions)
    shown = export(result.armature)
    checked = shown.check(initial=True)
    for name, position in positions.items():
        assert checked.axes[name]["position"] == pytest.approx(position, abs=1e-7)
    expected = forward_kinematics(result.robot, positions)
    for name, place in shown.result.links.items():
        frame = checked.pose(place.solid) @ place.frame
        assert np.abs(frame - expected[name]).max() < 1e-6, name


def test_positions_that_are_said_count_more(export: Export) -> None:
    armature = import_robot(ARM).armature
    set_joint_positions(armature, {"shoulder": 0.5, "elbow": 0.25})
    shown = export(armature, positions=(("elbow", "1"),))
    axes = shown.check(initial=True).axes
    assert (axes["shoulder"]["position"], axes["elbow"]["position"]) == (0.5, 1.0)


def test_a_joint_at_its_limit_is_not_beyond_it(export: Export) -> None:
    """In single precision 1.6 is more than 1.6."""
    armature = import_robot(ARM).armature
    set_joint_positions(armature, {"shoulder": 1.6})
    shown = export(armature)
    assert shown.codes == []
    assert shown.check(initial=True).axes["shoulder"]["position"] == 1.6


def test_the_robot_stands_where_its_armature_stands(export: Export) -> None:
    armature = import_robot(ARM).armature
    armature.rotation_mode = "XYZ"
    armature.location, armature.rotation_euler = (1.0, 2.0, 0.5), (0.0, 0.0, 0.3)
    bpy.context.view_layer.update()
    shown = export(armature)
    assert shown.codes == []
    frame = shown.check().pose(shown.result.robot)
    assert frame[:3, 3] == pytest.approx([1.0, 2.0, 0.5])
    assert frame[:2, 0] == pytest.approx([np.cos(0.3), np.sin(0.3)])
    frame = export(armature, translation=(0.0, 0.0, 3.0)).check().pose(shown.result.robot)
    assert frame[:3, 3] == pytest.approx([0.0, 0.0, 3.0])
    armature.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    assert export(armature).codes == ["scaled-rig"]


class Edited:
    """The arm, whose link base has three cylinders to see, the second of radius 0.075 and length
    0.21 at z = 0.135, and the same to collide with."""

    def __init__(self) -> None:
        self.armature = import_robot(ARM).armature
        by_link = [v for v in visuals_of(self.armature) if v.parent["urdf_link"]["name"] == "base"]
        self.visuals = {round(v.location.z, 3): v for v in by_link}
        self.visual = self.visuals[0.135]

    def base(self, export: Export, part: str = "visuals") -> list[dict[str, Any]]:
        shown = export(self.armature)
        assert shown.codes == []
        found: list[dict[str, Any]] = shown.check().solids[shown.result.robot][part]
        for each in found:
            each["points"] = points_written(each, shown.folder)
        return found


@pytest.fixture
def edited() -> Edited:
    return Edited()


def test_an_untouched_shape_is_exact(edited: Edited, export: Export) -> None:
    found = edited.base(export)
    assert [(each["radius"], each["height"]) for each in found] == [
        (0.13, 0.03), (0.075, 0.21), (0.078, 0.16)
    ]  # fmt: skip


def test_a_deleted_shape_is_gone(edited: Edited, export: Export) -> None:
    bpy.data.objects.remove(edited.visual)
    assert [each["radius"] for each in edited.base(export)] == [0.13, 0.078]
    assert len(edited.base(export, "collisions")) == 3


def test_a_moved_shape_stands_there(edited: Edited, export: Export) -> None:
    edited.visual.location.x += 0.25
    found = edited.base(export)[1]
    assert found["geometry"] == "Cylinder" and found["radius"] == 0.075
    assert np.array(found["matrix"])[:3, 3] == pytest.approx([0.25, 0.0, 0.135], abs=1e-7)


def test_a_scaled_shape_stays_simple_where_it_can(edited: Edited, export: Export) -> None:
    edited.visual.scale = (2.0, 2.0, 0.5)
    found = edited.base(export)[1]
    assert (found["geometry"], found["radius"], found["height"]) == ("Cylinder", 0.15, 0.105)
    edited.visual.scale = (2.0, 1.0, -1.0)
    found = edited.base(export)[1]
    assert found["geometry"] == "Mesh"
    low, high = found["points"].min(axis=0), found["points"].max(axis=0)
    assert high - low == pytest.approx([0.3, 0.15, 0.21], abs=1e-3)


def test_a_mirrored_mesh_is_not_inside_out(edited: Edited, export: Export) -> None:
    cube = add_cube(edited.visual.parent)
    cube.scale = (-1.0, 2.0, 1.0)
    found = edited.base(export)[-1]
    corners = found["points"].reshape(-1, 3, 3)
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume == pytest.approx(16.0)


def add_cube(parent: Any) -> Any:
    """Of two metres, as Blender makes it."""
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    cube.parent = parent
    return cube


def test_what_hangs_on_a_link_is_shown(edited: Edited, export: Export) -> None:
    cube = add_cube(edited.visual)
    cube.hide_render = True
    assert len(edited.base(export)) == 3
    cube.hide_render = False
    cube.location.z = 1.0
    found = edited.base(export)
    assert [each["geometry"] for each in found] == ["Cylinder"] * 3 + ["Mesh"]
    assert found[3]["points"][:, 2].max() == pytest.approx(2.135)
    assert len(edited.base(export, "collisions")) == 3


def test_a_copy_of_a_shape_is_one_more(edited: Edited, export: Export) -> None:
    copy = edited.visual.copy()
    bpy.context.scene.collection.objects.link(copy)
    copy.location.y = 0.5
    assert [each["radius"] for each in edited.base(export)] == [0.13, 0.075, 0.075, 0.078]


def test_an_edited_mesh_is_a_mesh(edited: Edited, export: Export) -> None:
    mesh = edited.visual.data
    mesh.vertices[0].co.z = -3.0
    found = edited.base(export)[1]
    assert found["geometry"] == "Mesh" and found["points"][:, 2].min() == pytest.approx(-2.865)


@pytest.mark.parametrize("hidden", [False, True])
def test_modifiers_count_also_where_nothing_is_shown(
    hidden: bool, edited: Edited, export: Export
) -> None:
    edited.visual.modifiers.new("Array", "ARRAY").relative_offset_displace = (0.0, 0.0, 2.0)
    edited.visual.hide_viewport = hidden
    scenes = len(bpy.data.scenes)
    found = edited.base(export)[1]
    assert found["geometry"] == "Mesh"
    assert np.ptp(found["points"][:, 2]) == pytest.approx(0.63, abs=1e-6)
    assert len(bpy.data.scenes) == scenes


def test_edited_collisions_collide(edited: Edited, export: Export) -> None:
    collision = next(
        item
        for item in bpy.data.objects
        if item.get("urdf_part") == "Collisions" and item.parent == edited.visual.parent
    )
    collision.scale = (3.0, 3.0, 3.0)
    radii = [each["radius"] for each in edited.base(export, "collisions")]
    assert sorted(radii)[-1] == pytest.approx(0.225) or sorted(radii)[-1] == pytest.approx(0.39)
    assert [each["radius"] for each in edited.base(export)] == [0.13, 0.075, 0.078]


def shader_of(item: Any) -> Any:
    (slot,) = item.material_slots
    nodes = slot.material.node_tree.nodes
    return next(node for node in nodes if node.type == "BSDF_PRINCIPLED")


def test_a_changed_colour_is_the_colour_of_all_that_share_it(
    edited: Edited, export: Export
) -> None:
    shader = shader_of(edited.visual)
    shader.inputs["Base Color"].default_value = (1.0, 0.2140411, 0.0, 1.0)
    shader.inputs["Alpha"].default_value = 0.25
    found = edited.base(export)[1]
    assert found["baseColor"] == pytest.approx([1.0, 0.5, 0.0], abs=1e-5)
    assert found["transparency"] == 0.75


def test_materials_face_by_face(edited: Edited, export: Export) -> None:
    cube = add_cube(edited.visual.parent)
    for color in ((1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)):
        made = bpy.data.materials.new("part")
        if made.node_tree is None:
            made.use_nodes = True
        cube.data.materials.append(made)
        shader = next(n for n in made.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
        shader.inputs["Base Color"].default_value = color
    cube.data.polygons[0].material_index = 1
    red, blue = edited.base(export)[3:]
    assert (red["baseColor"], blue["baseColor"]) == ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    assert (len(red["points"]), len(blue["points"])) == (30, 6)


def add_image(item: Any, image: Any) -> None:
    tree = item.material_slots[0].material.node_tree
    texture = tree.nodes.new("ShaderNodeTexImage")
    texture.image = image
    tree.links.new(texture.outputs["Color"], shader_of(item).inputs["Base Color"])


@pytest.mark.parametrize("how", ["file", "packed", "painted"])
def test_textures(how: str, edited: Edited, export: Export, tmp_path: Path) -> None:
    path = tmp_path / "stripes.png"
    path.write_bytes(png(4, 2))
    image = bpy.data.images.load(str(path))
    if how == "packed":
        image.pack()
        path.unlink()
    if how == "painted":
        image.pixels[:] = [0.0, 1.0, 0.0, 1.0] * 8
        path.unlink()
    add_image(edited.visual, image)
    shown = export(edited.armature)
    assert shown.codes == []
    shown.check()
    (written,) = (shown.folder / "Shown_meshes").glob("*.png")
    again = bpy.data.images.load(str(written))
    assert tuple(again.size) == (4, 2)
    color = [0.0, 1.0, 0.0] if how == "painted" else [1.0, 128 / 255, 0.0]
    assert list(again.pixels[:3]) == pytest.approx(color)
    assert again.depth == 24, "it has no alpha"


def test_a_texture_that_is_gone_leaves_the_colour(
    edited: Edited, export: Export, tmp_path: Path
) -> None:
    path = tmp_path / "stripes.png"
    path.write_bytes(png())
    add_image(edited.visual, bpy.data.images.load(str(path)))
    path.unlink()
    shown = export(edited.armature)
    assert shown.codes == ["missing-texture"]
    assert shown.check().solids


@pytest.mark.parametrize("left", ["visuals", "collisions"])
def test_what_was_not_imported_comes_from_the_description(left: str, export: Export) -> None:
    result = import_robot(LEG, options=ImportOptions(**{left: False}))
    whole = import_robot(LEG)
    assert without_meshes(export(result.armature).text) == without_meshes(
        export(whole.armature).text
    )


def test_meshes_that_were_not_there_are_told_of_each(export: Export, tmp_path: Path) -> None:
    visuals = "".join(
        f'<visual><geometry><mesh filename="{name}.stl"/></geometry></visual>' for name in "ab"
    )
    path = tmp_path / "bare.urdf"
    path.write_text(f'<robot name="bare"><link name="base">{visuals}</link></robot>')
    shown = export(import_robot(path).armature)
    assert shown.codes == ["webots-small-mass", "missing-mesh", "missing-mesh"]


def test_objects_that_are_no_robot(export: Export, tmp_path: Path) -> None:
    bpy.ops.mesh.primitive_cube_add()
    with pytest.raises(BuildError, match="is not an imported robot"):
        export_robot(bpy.context.object, tmp_path / "Cube.proto")
    assert os.listdir(tmp_path) == []


def test_a_scene_is_left_as_it_was(edited: Edited, export: Export) -> None:
    edited.visual.modifiers.new("Array", "ARRAY")
    before = describe_scene(), list_data()
    export(edited.armature)
    assert (describe_scene(), list_data()) == before
