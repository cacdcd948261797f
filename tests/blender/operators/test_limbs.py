# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones of limbs alone, by buttons above the sliders."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

import urdf_importer
from support.paths import ROOT
from support.real_robots import ROOT as REAL
from urdf_importer.core.blender.standing.robot_table import recall_table
from urdf_importer.core.blender.standing.selection import choose_bones

pytestmark = pytest.mark.usefixtures("scene", "extension")
DOG = REAL / "solo_description" / "robots" / "solo12.urdf"


def _load(path: Path = DOG) -> Any:
    bpy.ops.import_scene.urdf(filepath=str(path))
    return bpy.context.view_layer.objects.active


def _shown(robot: Any) -> set[str]:
    """The bones that the view shows, by the collections of the armature."""
    solo = robot.data.collections.is_solo_active
    return {
        bone.name
        for bone in robot.data.bones
        if any(
            each.is_visible_effectively and (each.is_solo or not solo) for each in bone.collections
        )
    }


def test_limbs_are_shown_alone_and_together_and_all_again() -> None:
    robot = _load()
    before, names = _shown(robot), [each.name for each in robot.data.collections_all]
    first, second, *_ = recall_table(robot).chains
    bones = [
        {recall_table(robot).joints[name].bone for name in each.joints} for each in (first, second)
    ]
    assert bpy.ops.urdf.solo_limb(limb=first.title) == {"FINISHED"}
    assert _shown(robot) == bones[0] < before
    bpy.ops.urdf.solo_limb(limb=second.title)
    assert _shown(robot) == bones[0] | bones[1]
    bpy.ops.urdf.solo_limb(limb=first.title)
    assert _shown(robot) == bones[1]
    bpy.ops.urdf.solo_limb(limb=second.title)
    assert _shown(robot) == before
    assert [each.name for each in robot.data.collections_all] == names
    with pytest.raises(RuntimeError, match="no limb 'tail'"):
        bpy.ops.urdf.solo_limb(limb="tail")


def test_limbs_are_no_groups_of_an_srdf_and_outlive_a_save(tmp_path: Path) -> None:
    robot = _load()
    limb = recall_table(robot).chains[0].title
    bpy.ops.urdf.solo_limb(limb=limb)
    assert not urdf_importer.extract_semantics(robot).groups
    name, shown = robot.name, _shown(robot)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "dog.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "dog.blend"))
    robot = bpy.data.objects[name]
    assert _shown(robot) == shown
    bpy.ops.urdf.solo_limb(limb=limb)
    assert not robot.data.collections.is_solo_active


def test_a_bone_of_another_limb_is_shown_when_it_is_chosen() -> None:
    robot = _load()
    first, second, *_ = recall_table(robot).chains
    bpy.ops.urdf.solo_limb(limb=first.title)
    other = recall_table(robot).joints[second.joints[0]].bone
    bpy.ops.object.mode_set(mode="POSE")
    choose_bones(robot, [other])
    assert other in _shown(robot)


def test_limbs_of_a_robot_without_its_joints_collection() -> None:
    robot = _load(ROOT / "sample_urdfs" / "gripper.urdf")
    robot.data.collections["Joints"].name = "Mine"
    title = recall_table(robot).chains[0].title
    with pytest.raises(RuntimeError, match="no bone collection 'Joints'"):
        bpy.ops.urdf.solo_limb(limb=title)


def test_the_line_of_first_steps_goes_after_a_drag(extension: ModuleType) -> None:
    steps, kept = extension.operators.first_steps, extension.operators.preferences
    before = kept.load()
    kept.save({name: text for name, text in before.items() if name != "dragged"})
    session = extension.operators.session.session_state
    session(steps._Steps).dragged = None
    assert not steps._has_dragged()
    steps.note_dragged()
    session(steps._Steps).dragged = None  # Another session.
    assert steps._has_dragged()
    bpy.ops.import_scene.urdf(filepath=str(ROOT / "sample_urdfs" / "gripper.urdf"))
    assert kept.load()["dragged"] == "yes"
    kept.save(before)
    session(steps._Steps).dragged = None
