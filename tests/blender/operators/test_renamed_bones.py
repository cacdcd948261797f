# SPDX-License-Identifier: GPL-3.0-or-later
"""Renamed bones keep driving what they drove."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.sidebars import load
from support.paths import ROOT
from urdf_importer import (
    forward_kinematics,
    open_blend,
    read_robot,
    save_blend,
    set_joint_positions,
)
from urdf_importer.core.blender.standing.links import links_of, name_link
from urdf_importer.core.blender.standing.renamed import BLENDER_MENDS, list_broken, mend_drivers

pytestmark = pytest.mark.usefixtures("extension", "scene")

POSES = {
    "humanoid_arm": ("shoulder_pitch>shoulder_roll>shoulder_yaw", {"shoulder_pitch": 0.4}),
    "gripper": ("jaw_left", {"jaw_left": 0.02}),
}


def assert_stands(name: str, armature: Any, positions: dict[str, float]) -> None:
    set_joint_positions(armature, positions)
    bpy.context.view_layer.update()
    wanted = forward_kinematics(read_robot(ROOT / "sample_urdfs" / f"{name}.urdf"), positions)
    for empty in links_of(armature):
        shown = np.array(empty.matrix_world)[:3, 3]
        assert np.allclose(shown, wanted[name_link(empty) or ""][:3, 3], atol=1e-5)


@pytest.mark.parametrize("name", POSES)
def test_drivers_follow_a_bone_through_several_names(name: str, tmp_path: Path) -> None:
    armature = load(name)
    bone, positions = POSES[name]
    driven = [v for c in armature.animation_data.drivers for v in c.driver.variables]
    assert any(f'"{bone}"' in variable.targets[0].data_path for variable in driven)
    for old, new in ((bone, 'Left "one"'), ('Left "one"', "Left.002")):
        armature.data.bones[old].name = new
        bpy.context.view_layer.update()
        assert list_broken(armature) == []
        assert_stands(name, armature, positions)
    save_blend(tmp_path / "r.blend")
    open_blend(tmp_path / "r.blend")
    assert_stands(name, find_armature(), positions)


def find_armature() -> Any:
    return next(item for item in bpy.data.objects if item.type == "ARMATURE")


def rename_as_before(armature: Any, old: str, new: str) -> None:
    """Renames a bone as Blender 5.2 does without the extension: drivers go on reading the old."""
    armature.data.bones[old].name = new
    for curve in armature.animation_data.drivers:
        for target in (each for found in curve.driver.variables for each in found.targets):
            target.data_path = target.data_path.replace(f'["{new}"]', f'["{old}"]')


def test_what_was_renamed_without_the_extension_is_mended_when_it_is_opened(tmp_path: Path) -> None:
    armature = load("gripper")
    changed = bpy.app.handlers.depsgraph_update_post
    own = [each for each in changed if each.__name__ == "_mend_changed"]
    assert bool(own) != BLENDER_MENDS
    for each in own:
        changed.remove(each)
    try:
        rename_as_before(armature, "jaw_left", "Other")
        bpy.context.view_layer.update()
        assert list_broken(armature) == ["jaw_left"]
        save_blend(tmp_path / "r.blend")
    finally:
        changed.extend(own)
    open_blend(tmp_path / "r.blend")
    armature = find_armature()
    assert list_broken(armature) == []
    assert_stands("gripper", armature, POSES["gripper"][1])


def test_what_blender_mended_itself_is_known_to_versions_that_do_not() -> None:
    """A bone that Blender 5.3 renamed, in a file that 5.2 opens and where it is renamed again."""
    armature = load("gripper")
    armature.data.bones["jaw_left"].name = "Jaw"
    mend_drivers(armature)
    rename_as_before(armature, "Jaw", "Left")
    assert list_broken(armature) == ["Jaw"]
    assert mend_drivers(armature) and not mend_drivers(armature)
    assert list_broken(armature) == []
    assert_stands("gripper", armature, POSES["gripper"][1])


def test_a_driver_whose_bone_is_gone_is_said(extension: Any) -> None:
    armature = load("gripper")
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["jaw_left"])
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    assert extension.operators.renamed_bones.recall_broken(armature) == ["jaw_left"]
    assert bpy.ops.urdf.mend_drivers() == {"CANCELLED"}
