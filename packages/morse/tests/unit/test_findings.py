# SPDX-License-Identifier: GPL-3.0-or-later
"""What MORSE's Armature actuator makes of bones, from plain numbers."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.strategies import Wishes, robots
from urdf_importer import forward_kinematics
from urdf_importer.core.diagnostics import Diagnostics, Severity
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.model import Mimic, Robot
from urdf_importer.core.options import ImportOptions
from urdf_importer.core.rig.plan import plan_rig
from urdf_importer.core.rig.rig_plan import RigPlan
from urdf_importer_morse.profile.findings import (
    BoneState,
    HeldJoint,
    judge_bones,
    judge_joints,
)

UP, DOWN, SIDEWAYS = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)
SLANTED = (0.6, 0.0, 0.8)
HALF_TURN = ((-math.pi, math.pi),) * 3
TURNS, SLIDES = (("rotation_euler", 0),), (("location", 0),)


def bone(name: str = "j", axis: Any = UP, at: Any = (0.0, 0.0, 0.0), **fields: Any) -> BoneState:
    """A bone whose X is `axis`; X alone is free."""
    rest = np.eye(4)
    rest[:3, 0] = axis
    rest[:3, 1] = np.cross((0.0, 1.0, 0.0), axis)
    rest[:3, 2] = np.cross(rest[:3, 0], rest[:3, 1])
    rest[:3, 3] = at
    given = {"parent": "", "free": (0,), "ik_limits": HALF_TURN, "ik_stretch": 0.0}
    return BoneState(name=name, rest=rest, **given | fields)


def slide(name: str = "j", axis: Any = UP, at: Any = (0.0, 0.0, 0.0), **fields: Any) -> BoneState:
    """A bone that slides as far as a joint from zero to half a metre."""
    joint = HeldJoint(name=name, channels=SLIDES, lower=0.0, upper=0.5)
    return bone(name, axis, at, **{"ik_stretch": 0.5, "joints": (joint,)} | fields)


def turn(name: str = "j", *, lower: Any = -1.0, upper: Any = 1.0, ik: Any, **fields: Any) -> Any:
    joint = HeldJoint(name=name, channels=TURNS, lower=lower, upper=upper, **fields)
    return bone(name, ik_limits=(ik, (0.0, 0.0), (0.0, 0.0)), joints=(joint,))


def judge(*bones: BoneState, **mimics: Mimic) -> list[tuple[str, str, bool]]:
    """(code, subject, whether it is an error), in their order."""
    diagnostics = Diagnostics("arm")
    judge_bones(bones, mimics, diagnostics)
    assert all(item.source == "arm" and item.line == 0 for item in diagnostics)
    return [(i.code, i.subject, i.severity is Severity.ERROR) for i in diagnostics]


def test_bone_of_one_axis_and_of_nobody_is_fine():
    assert judge(bone(), bone("k", free=(2,), parent="j")) == []


def test_armature_without_bones_is_an_error():
    assert judge() == [("morse-no-bones", "arm", True)]


def test_bone_without_free_axis_is_an_error():
    assert judge(bone(free=())) == [("morse-no-free-axis", "j", True)]


@pytest.mark.parametrize("free", [(0, 1), (1, 2), (0, 1, 2)])
def test_bone_of_several_free_axes_is_an_error(free):
    assert judge(bone(free=free)) == [("morse-several-axes", "j", True)]


def test_bone_of_several_joints_is_an_error_also_with_one_free_axis():
    lift = HeldJoint(name="lift", channels=SLIDES)
    swing = HeldJoint(name="swing", channels=TURNS)
    made = bone("lift>swing", joints=(lift, swing))
    assert judge(made) == [("morse-several-axes", "lift>swing", True)]


def test_joint_of_several_channels_is_an_error_also_with_one_free_axis():
    channels = (("location", 1), ("location", 2), ("rotation_euler", 0))
    made = bone(joints=(HeldJoint(name="base", channels=channels),))
    assert judge(made) == [("morse-several-axes", "base", True)]


def test_joint_whose_bone_has_another_name():
    made = turn("j" * 70, ik=(-1.0, 1.0))
    cut = BoneState(**{n: getattr(made, n) for n in made.__slots__} | {"name": "j" * 63})
    assert judge(cut) == [("morse-joint-renamed", "j" * 70, False)]


@pytest.mark.parametrize(
    "made",
    [
        pytest.param({"free": (1,)}, id="another axis"),
        pytest.param({"ik_stretch": 0.5}, id="slides"),
        pytest.param({"joints": (HeldJoint(name="j", channels=SLIDES),)}, id="turns"),
    ],
)
def test_bone_that_moves_otherwise_than_its_joint(made):
    joint = HeldJoint(name="j", channels=TURNS)
    assert judge(bone(**{"joints": (joint,)} | made)) == [("morse-wrong-axis", "j", True)]


# Limits


@pytest.mark.parametrize(
    ("lower", "upper", "ik", "alike"),
    [
        (-1.0, 1.0, (-1.0, 1.0), True),
        (-1.0, 1.0, (-1.000001, 1.000001), True),
        (-math.pi, math.pi, (-math.pi, math.pi), True),
        (0.3, 2.0, (0.0, 2.0), False),
        (-2.0, -0.3, (-2.0, 0.0), False),
        (-4.0, 1.0, (-math.pi, 1.0), False),
        (None, None, (-math.pi, math.pi), False),
        (None, 1.0, (-math.pi, 1.0), False),
        (-1.0, 1.0, (0.0, 0.0), False),
        (4.0, 5.0, (0.0, math.pi), False),
    ],
)
def test_limits_of_a_turning_joint(lower, upper, ik, alike):
    found = judge(turn(lower=lower, upper=upper, ik=ik))
    assert found == ([] if alike else [("morse-revolute-limits", "j", False)])


@pytest.mark.parametrize(
    ("lower", "upper", "stretch", "alike"),
    [
        (0.0, 0.5, 0.5, True),
        (0.0, 1.0, 1.0, True),
        (-0.1, 0.5, 0.5, False),
        (0.1, 0.5, 0.5, False),
        (0.0, 3.0, 1.0, False),
        (None, None, 1.0, False),
        (-0.5, 0.0, 1e-6, False),
        (0.0, 0.0, 1e-6, True),
    ],
)
def test_limits_of_a_sliding_joint(lower, upper, stretch, alike):
    joint = HeldJoint(name="j", channels=SLIDES, lower=lower, upper=upper)
    found = judge(slide(ik_stretch=stretch, joints=(joint,)))
    assert found == ([] if alike else [("morse-prismatic-limits", "j", False)])


def test_bone_of_nobody_with_limits_of_zero():
    nothing = (HALF_TURN[0], (0.0, 0.0), HALF_TURN[2])
    assert judge(bone(free=(1,), ik_limits=nothing)) == [("morse-no-range", "j", False)]
    assert judge(bone(free=(0,), ik_limits=nothing)) == []


# Followers


def test_followers_are_named_with_what_to_send():
    follower = turn(ik=(-1.0, 1.0), mimics="leader")
    assert judge(follower) == [("morse-follower", "j", False)]
    diagnostics = Diagnostics()
    mimic = Mimic(joint="leader", multiplier=-2.0, offset=-0.25)
    judge_bones([follower], {"j": mimic}, diagnostics)
    (found,) = diagnostics
    assert "-2 times the position of 'leader' -0.25" in found.message


def test_driven_bone_of_nobody_is_a_follower():
    assert judge(bone(is_driven=True)) == [("morse-follower", "j", False)]


# How MORSE reads the position of what slides


def test_slide_from_the_origin_upwards_is_read_right():
    assert judge(slide()) == []
    assert judge(slide(at=(0.3, -0.2, 0.0))) == []


@pytest.mark.parametrize("axis", [DOWN, SIDEWAYS, (0.0, 1.0, 0.0)])
def test_slide_that_does_not_rise_is_an_error(axis):
    assert judge(slide(axis=axis)) == [("morse-prismatic-runaway", "j", True)]


def test_slide_connected_to_its_parent_is_an_error():
    assert judge(slide(is_connected=True)) == [("morse-prismatic-runaway", "j", True)]


@pytest.mark.parametrize(
    "fields",
    [{"at": (0.0, 0.0, 0.4)}, {"at": (0.0, 0.0, -0.01)}, {"axis": SLANTED}],
    ids=["above", "below", "slanted"],
)
def test_slide_that_starts_elsewhere_or_slanted_is_misread(fields):
    assert judge(slide(**fields)) == [("morse-prismatic-misread", "j", False)]


@pytest.mark.parametrize(
    ("above", "changes"),
    [
        pytest.param(bone("a", UP), False, id="turns about the vertical"),
        pytest.param(bone("a", DOWN), False, id="the other way around"),
        pytest.param(bone("a", SIDEWAYS), True, id="tilts"),
        pytest.param(bone("a", SLANTED), True, id="tilts a little"),
        pytest.param(bone("a", UP, free=(2,)), True, id="turns about another axis"),
        pytest.param(slide("a", UP), True, id="lifts"),
    ],
)
def test_slide_on_something_that_moves(above: BoneState, changes: bool):
    made = slide(parent="b")
    between: Sequence[BoneState] = [above, bone("b", UP, parent="a")]
    found = judge(*between, made)
    assert found == ([("morse-prismatic-misread", "j", False)] if changes else [])


def test_slide_on_a_sideways_slide_is_read_right():
    assert judge(slide("a", SIDEWAYS), slide(parent="a")) == [
        ("morse-prismatic-runaway", "a", True)
    ]


def bones_of(plan: RigPlan) -> list[BoneState]:
    return [
        BoneState(name=planned.name, parent=planned.parent, rest=planned.rest, free=planned.turns,
                  ik_limits=HALF_TURN, ik_stretch=planned.ik_stretch)
        for planned in plan.bones
    ]  # fmt: skip


@given(robots(Wishes(free_joints=False, mimics=False, shapes=False)), st.integers(0, 9))
def test_slides_are_reported_if_their_height_is_not_their_position(robot: Robot, seed: int):
    """A link stands at the head of the bone that carries it."""
    plan = plan_rig(robot, options=ImportOptions(profile="morse"))
    found = {subject for code, subject, _ in judge(*bones_of(plan)) if "prismatic" in code}
    generator = np.random.default_rng(seed)
    worst = {joint.joint.name: 0.0 for joint in plan.joints if joint.kind == "prismatic"}
    for _ in range(3):
        positions = {joint.joint.name: generator.uniform(-2, 2) for joint in plan.joints}
        frames = forward_kinematics(robot, positions)
        reach = 1 + max(np.abs(frame[:3, 3]).max() for frame in frames.values())
        for joint in robot.joints:
            if joint.name in worst:
                off = abs(frames[joint.child][2, 3] - positions[joint.name]) / reach
                worst[joint.name] = max(worst[joint.name], off)
    for name, off in worst.items():
        assert off > 1e-8 if name in found else off < 1e-4


# Joints without a bone


def test_joints_without_a_bone(chain):
    robot = chain(
        {"type": "planar"},
        {},
        {"type": "fixed"},
        {"type": "ball"},
        {"axis": (0.0, 0.0, 0.0)},
        {"type": "prismatic"},
    )
    diagnostics = Diagnostics()
    judge_joints(plan_tree(robot, Diagnostics()), {"j2"}, diagnostics)
    assert [(i.code, i.subject, i.severity) for i in diagnostics] == [
        ("morse-joint-held", "j1", Severity.WARNING),
        ("morse-joint-held", "j4", Severity.WARNING),
        ("morse-no-bone", "j6", Severity.ERROR),
    ]
    assert "as a whole" in next(iter(diagnostics)).message
