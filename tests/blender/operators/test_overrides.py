# SPDX-License-Identifier: GPL-3.0-or-later
"""Linked characters: what the extension does to library overrides, of robots and of anything."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest
from mathutils import Quaternion, Vector

from support.blender.rigs import new_scene, override_collection
from support.blender.sidebars import activate, load, sliders_of
from urdf_importer import get_joint_positions, import_robot, save_blend
from urdf_importer.features.ik.blender.tip_handles import grip_tip, handles_in, read_frame

pytestmark = pytest.mark.usefixtures("extension", "scene")


def link_override(path: Path, collection: str) -> Any:
    """Links a collection of a file into a new one, with an override of all that is in it."""
    new_scene()
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.collections = [collection]
    (linked,) = wanted.collections
    return override_collection(linked)


def test_files_without_robots_are_overridden_without_a_word(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    collection = bpy.data.collections.new("props")
    bpy.context.scene.collection.children.link(collection)
    for number in range(30):
        mesh = bpy.data.meshes.new(f"prop {number}")
        collection.objects.link(bpy.data.objects.new(f"prop {number}", mesh))
    props = tmp_path / "props.blend"
    save_blend(props)
    capfd.readouterr()
    link_override(props, "props")
    save_blend(tmp_path / "scene.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    said = capfd.readouterr()
    assert "Traceback" not in said.err + said.out


def test_no_object_of_other_kinds_gets_a_property_from_us() -> None:
    """Blender reads those of every object whenever it compares overrides."""
    names = [each.identifier for each in bpy.types.Object.bl_rna.properties]
    assert [name for name in names if name.startswith("urdf")] == []


TIGHT = """
<robot name="tight"><link name="a"/><link name="b"/><joint name="hinge" type="revolute">
<parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-0.2" upper="0.3" effort="1" velocity="1"/></joint></robot>
"""


@pytest.fixture
def overridden(extension: ModuleType, tmp_path: Path) -> Any:
    """A linked arm with an override, after another robot whose joint has tighter limits: all
    bones have the sliders of all robots of the session, in the order in which they were made."""
    sliders_of(extension, load("two_link_arm"))
    collection = bpy.context.scene.collection.children[0].name
    save_blend(tmp_path / "arm.blend")
    (tmp_path / "tight.urdf").write_text(TIGHT)
    sliders_of(extension, import_robot(tmp_path / "tight.urdf").armature)
    override = link_override(tmp_path / "arm.blend", collection)
    (robot,) = (item for item in override.all_objects if item.type == "ARMATURE")
    activate(robot)
    return robot


def reopen(robot: Any, path: Path) -> Any:
    name = robot.name
    save_blend(path)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    robot = bpy.data.objects[name]
    assert robot.override_library is not None
    return robot


def test_sliders_move_an_overridden_robot_and_it_is_kept(
    extension: ModuleType, overridden: Any, tmp_path: Path
) -> None:
    [(bone, slider)] = sliders_of(extension, overridden)["elbow"]
    assert bone.is_property_overridable_library(slider)
    setattr(bone, slider, 0.4)
    robot = reopen(overridden, tmp_path / "scene.blend")
    kept = [each.rna_path for each in robot.override_library.properties]
    assert [path for path in kept if ".urdf_" in path] == [f'pose.bones["elbow"].{slider}']
    assert get_joint_positions(robot)["elbow"] == pytest.approx(0.4, abs=1e-6)


def test_opening_a_file_sets_no_keys_and_no_bounds(
    extension: ModuleType, overridden: Any, tmp_path: Path
) -> None:
    """With auto keying on, and with a joint beyond limits that are off."""
    [(bone, slider)] = sliders_of(extension, overridden)["elbow"]
    for limit in bone.constraints:
        limit.mute = True
    upper = bone.bone["urdf_joints"][0]["upper"]
    setattr(bone, slider, upper + 0.5)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    robot = reopen(overridden, tmp_path / "scene.blend")
    assert bpy.context.scene.tool_settings.use_keyframe_insert_auto
    assert get_joint_positions(robot)["elbow"] == pytest.approx(upper + 0.5, abs=1e-6)
    assert robot.animation_data is None or robot.animation_data.action is None


def test_a_slider_is_silent_on_bones_of_other_joints(
    extension: ModuleType, overridden: Any
) -> None:
    """Of a bone whose joint has the same channel with other limits, and so another slider."""
    sliders = sliders_of(extension, overridden)
    [(elbow, own)], [(_, other)] = sliders["elbow"], sliders["shoulder"]
    assert own != other
    setattr(elbow, own, 0.4)
    setattr(elbow, other, 0.2)
    assert getattr(elbow, own) == pytest.approx(0.4) and getattr(elbow, other) == 0.0


def test_a_tip_of_an_overridden_robot_is_dragged(extension: ModuleType, tmp_path: Path) -> None:
    load("humanoid_arm")
    collection = bpy.context.scene.collection.children[0].name
    save_blend(tmp_path / "arm.blend")
    override = link_override(tmp_path / "arm.blend", collection)
    (robot,) = (item for item in override.all_objects if item.type == "ARMATURE")
    bpy.context.view_layer.update()
    handle = next(each for each in handles_in(bpy.context.scene) if each.armature == robot)
    before = get_joint_positions(robot)
    drag = grip_tip(handle)
    drag.move(drag.start.origin + Vector((0.0, 0.0, 0.05)), Quaternion(), turning=False)
    assert drag.keep()
    bpy.context.view_layer.update()
    after = get_joint_positions(robot)
    assert (read_frame(handle).origin - drag.start.origin).length > 0.01
    assert any(after[name] != before[name] for name in after)
