# SPDX-License-Identifier: GPL-3.0-or-later
"""The PR2 of MORSE, whose 17 bones people made by hand, against the imported description.

Measured on Blender 4.2 and 5.2. The free axis of every bone by hand is our bone's X axis, in
direction and sign. The arms by hand stand 5 cm before the described ones, the head 0.4 mm; beside
that, no joint is further from its axis by hand than 1.6 mm (head_tilt_joint; the arms 0.1 mm).
Bones that roll stand anywhere along their axis there, up to 17 cm from where the description has
the joint.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from morse_support.driven_robots import PATHS, import_for_morse
from support.blender.rigs import new_scene

AXES = 2e-6
"""Radians; measured 1.5e-6, of the bones by hand, whose armatures are turned by that."""

PAIRED = ("shoulder_pan", "shoulder_lift", "upper_arm_roll", "elbow_flex", "forearm_roll")
ARM = (*PAIRED, "wrist_flex", "wrist_roll")
NAMES = [
    "torso_lift_joint",
    "head_pan_joint",
    "head_tilt_joint",
    *(f"{side}_{name}_joint" for side in "lr" for name in ARM),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class JointBone:
    """In the world, as the scene stands: head (3,) and the axis by which MORSE moves the bone (3,);
    the limits that MORSE reads for it."""

    armature: str
    head: Any
    axis: Any
    limits: tuple[float, float]
    stretch: float


@pytest.fixture(scope="module")
def by_hand(morse_root: Path) -> dict[str, JointBone]:
    bpy.ops.wm.open_mainfile(filepath=str(morse_root / "share/morse/data/robots/pr2.blend"))
    return read_bones()


@pytest.fixture(scope="module")
def ours(by_hand: dict[str, JointBone]) -> dict[str, JointBone]:
    new_scene()
    import_for_morse(PATHS["pr2"])
    return read_bones()


def read_bones() -> dict[str, JointBone]:
    """Those of all armatures, by name, of robots with their root at the origin."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found: dict[str, JointBone] = {}
    for item in bpy.data.objects:
        if item.type == "ARMATURE":
            shown = item.evaluated_get(depsgraph)
            found |= {bone.name: read_bone(shown, bone) for bone in shown.pose.bones}
    return found


def read_bone(armature: Any, bone: Any) -> JointBone:
    (free,) = (axis for axis in "xyz" if not getattr(bone, f"lock_ik_{axis}"))
    world = np.array(armature.matrix_world @ bone.matrix, dtype=float)
    axis = world[:3, "xyz".index(free)]
    return JointBone(
        armature=armature.name,
        head=world[:3, 3],
        axis=axis / np.linalg.norm(axis),
        limits=(getattr(bone, f"ik_min_{free}"), getattr(bone, f"ik_max_{free}")),
        stretch=bone.ik_stretch,
    )


def test_the_bones_by_hand_are_these(by_hand: dict[str, JointBone]) -> None:
    assert sorted(by_hand) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_our_x_axis_is_the_axis_chosen_by_hand(
    by_hand: dict[str, JointBone], ours: dict[str, JointBone], name: str
) -> None:
    hand, made = by_hand[name].axis, ours[name].axis
    assert hand @ made > 0
    assert np.linalg.norm(np.cross(hand, made)) <= AXES


@pytest.mark.parametrize("name", NAMES)
def test_the_joint_is_on_the_axis_that_was_drawn_by_hand(
    by_hand: dict[str, JointBone], ours: dict[str, JointBone], name: str
) -> None:
    """Beside what the whole limb by hand is off."""
    hand = by_hand[name]
    first = next(n for n in NAMES if by_hand[n].armature == hand.armature)
    limb = ours[first].head - by_hand[first].head
    if "head" in name:
        limb -= (limb @ hand.axis) * hand.axis if name == first else [0.0, 0.0, limb[2]]
    away = ours[name].head - hand.head - limb
    within = 1.7e-3 if "head" in name else 2e-4
    assert np.linalg.norm(np.cross(away, hand.axis)) <= within


def test_limbs_by_hand_stand_where_the_description_has_them_to_5_cm(
    by_hand: dict[str, JointBone], ours: dict[str, JointBone]
) -> None:
    for name, measured in {
        "torso_lift_joint": (0.0, 0.0, 0.0),
        "l_shoulder_pan_joint": (-0.0500, -0.0009, -0.0004),
        "r_shoulder_pan_joint": (-0.0501, 0.0015, -0.0003),
    }.items():
        assert ours[name].head - by_hand[name].head == pytest.approx(measured, abs=1e-4)


# Limits


@pytest.mark.parametrize(
    "name",
    ["head_pan_joint", "head_tilt_joint"]
    + [f"{side}_shoulder_{name}_joint" for side in "lr" for name in ("pan", "lift")],
)
def test_limits_are_those_chosen_by_hand(
    by_hand: dict[str, JointBone], ours: dict[str, JointBone], name: str
) -> None:
    assert ours[name].limits == pytest.approx(by_hand[name].limits, abs=2e-4)
    assert ours[name].stretch == by_hand[name].stretch == 0.0


def test_the_torso_slides_as_far(by_hand: dict[str, JointBone], ours: dict[str, JointBone]) -> None:
    assert ours["torso_lift_joint"].stretch == by_hand["torso_lift_joint"].stretch
    assert ours["torso_lift_joint"].stretch == pytest.approx(0.31)


@pytest.mark.parametrize("side", ["l", "r"])
def test_where_the_limits_by_hand_are_not_those_of_the_description(
    by_hand: dict[str, JointBone], ours: dict[str, JointBone], side: str
) -> None:
    """Elbow and wrist bend the other way there; the upper arm has the same range, from another
    place; joints that turn without end have any numbers, which MORSE keeps to."""
    made = {name: ours[f"{side}_{name}_joint"].limits for name in ARM}
    hand = {name: by_hand[f"{side}_{name}_joint"].limits for name in ARM}
    assert made["elbow_flex"] == pytest.approx((-2.3213, 0.0), abs=1e-4)
    assert hand["elbow_flex"] == pytest.approx((0.0, 2.3213), abs=1e-4)
    assert made["wrist_flex"] == pytest.approx((-2.094, 0.0))
    assert hand["wrist_flex"] == pytest.approx((0.0, 2.18), abs=1e-4)
    turned = [each["upper_arm_roll"] for each in (made, hand)]
    widths = [upper - lower for lower, upper in turned]
    assert widths == pytest.approx([math.pi + 0.8, 4.7], abs=1e-4)
    for name in ("forearm_roll", "wrist_roll"):
        assert made[name] == pytest.approx((-math.pi, math.pi))
    stuck = [name for name in ARM if hand[name] == (0.0, 0.0)]
    assert stuck == (["forearm_roll"] if side == "l" else [])
