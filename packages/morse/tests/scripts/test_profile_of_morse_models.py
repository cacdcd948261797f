# SPDX-License-Identifier: GPL-3.0-or-later
"""check_morse_profile of the armatures that MORSE itself drives."""

from pathlib import Path
from typing import Any

import bpy
import pytest

from urdf_importer import check_morse_profile, open_blend

DATA = "share/morse/data"


def load_armatures(path: Path) -> dict[str, Any]:
    open_blend(path)
    return {item.name: item for item in bpy.data.objects if item.type == "ARMATURE"}


def findings(armature: Any) -> list[tuple[str, str]]:
    return [(item.code, item.subject) for item in check_morse_profile(armature)]


def test_arm_of_kuka_can_be_driven(morse_root: Path) -> None:
    armatures = load_armatures(morse_root / DATA / "actuators/kuka_lwr.blend")
    assert {name: findings(each) for name, each in armatures.items()} == {"kuka_armature": []}
    assert len(armatures["kuka_armature"].pose.bones) == 7


def test_pr2_can_be_driven_but_for_one_joint_with_limits_of_zero(morse_root: Path) -> None:
    """Its torso slides upwards from the origin of an armature of its own. The IK limits of the left
    forearm are switched off and 0 to 0; those of the right one are half a turn."""
    armatures = load_armatures(morse_root / DATA / "robots/pr2.blend")
    assert {name: len(each.pose.bones) for name, each in armatures.items()} == {
        "head_armature": 2,
        "l_arm_armature": 7,
        "r_arm_armature": 7,
        "torso_armature": 1,
    }
    assert armatures["torso_armature"].pose.bones["torso_lift_joint"].ik_stretch > 0
    assert {name: findings(each) for name, each in armatures.items()} == {
        "head_armature": [],
        "l_arm_armature": [("morse-no-range", "l_forearm_roll_joint")],
        "r_arm_armature": [],
        "torso_armature": [],
    }


def test_skeleton_of_the_human_can_not_be_driven_joint_by_joint(morse_root: Path) -> None:
    (skeleton,) = load_armatures(morse_root / DATA / "robots/human_rig.blend").values()
    found = findings(skeleton)
    assert {code for code, _ in found} == {"morse-several-axes"}
    assert len(found) > 60


@pytest.mark.parametrize("name", ["kuka_lwr", "pr2"])
def test_what_the_check_says_is_what_the_actuator_finds(morse_root: Path, name: str) -> None:
    """Of a bone without findings the actuator's rule gives exactly one axis."""
    folder = "actuators" if name == "kuka_lwr" else "robots"
    for armature in load_armatures(morse_root / DATA / folder / f"{name}.blend").values():
        for bone in armature.pose.bones:
            locks = (bone.lock_ik_x, bone.lock_ik_y, bone.lock_ik_z)
            assert sorted(locks) == [False, True, True]
