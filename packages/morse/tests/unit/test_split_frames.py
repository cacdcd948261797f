# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of armatures that are split off, and of their bones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.strategies import Wishes, robots
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.geometry.transforms import Matrix, rotation_from_quaternion, turn_z_onto
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.model import Robot
from urdf_importer.core.options import ImportOptions
from urdf_importer.core.rig.plan import plan_rig
from urdf_importer_morse.split.frames import (
    JointLine,
    frame_armature,
    locate_joints,
    round_into,
    sharpen_rest,
)

numbers = st.floats(-1, 1, allow_subnormal=False)
units = (
    st.tuples(numbers, numbers, numbers)
    .filter(lambda v: np.linalg.norm(v) > 1e-3)
    .map(lambda v: np.array(v) / np.linalg.norm(v))
)
frames = st.tuples(units, st.tuples(*[st.floats(-2, 2)] * 4)).map(
    lambda pair: make_frame(pair[0], rotation_from_quaternion(pair[1]))
)


def make_frame(origin: Matrix, rotation: Matrix) -> Matrix:
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = rotation, origin
    return frame


def assert_least_turn(axis: Matrix) -> None:
    turn = turn_z_onto(axis)
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(turn) == pytest.approx(1.0)
    assert turn[:, 2] == pytest.approx(axis, abs=1e-12)
    # By the angle between Z and the axis, and no more.
    assert np.trace(turn) == pytest.approx(1 + 2 * axis[2], abs=1e-9)


@given(units)
def test_z_is_turned_as_little_as_possible(axis: Matrix) -> None:
    assert_least_turn(axis)


@pytest.mark.parametrize("height", [1.0, -1.0])
@pytest.mark.parametrize("tilt", [0.0, 1e-13, 1e-9, 1e-5, 1e-2])
@pytest.mark.parametrize("toward", [0.0, 1.0, 2.5])
def test_z_is_turned_onto_what_is_nearly_along_it(
    height: float, tilt: float, toward: float
) -> None:
    axis = np.array([tilt * np.cos(toward), tilt * np.sin(toward), height])
    assert_least_turn(axis / np.linalg.norm(axis))


def test_upright_axes_leave_the_root_frame_as_it_is() -> None:
    assert turn_z_onto(np.array([0.0, 0.0, 1.0])) == pytest.approx(np.eye(3), abs=0)
    assert turn_z_onto(np.array([0.0, 0.0, -1.0])) == pytest.approx(np.diag([1, -1, -1]), abs=0)


@given(units, units, st.booleans())
def test_an_armature_stands_at_its_first_joint(origin: Matrix, axis: Matrix, slides: bool) -> None:
    line = JointLine(origin=origin, axis=axis, slides=slides)
    frame = frame_armature(make_frame(origin, np.eye(3)), line)
    assert frame[:3, 3] == pytest.approx(origin)
    if slides:
        assert frame[:3, 2] == pytest.approx(axis)
    else:
        assert np.array_equal(frame[:3, :3], np.eye(3))


@given(robots(Wishes(most_links=12)))
def test_joints_are_where_the_bones_of_a_plan_are(robot: Robot) -> None:
    lines = locate_joints(retrace_tree(robot))
    plan = plan_rig(robot, options=ImportOptions(profile="morse"), diagnostics=Diagnostics())
    rests = {bone.name: bone.rest for bone in plan.bones}
    for joint in plan.joints:
        rest = rests[joint.channels[0].bone]
        line = lines[joint.joint.name]
        assert line.slides == (joint.kind == "prismatic")
        assert rest[:3, 3] == pytest.approx(line.origin, abs=1e-9)
        assert rest[:3, 0] == pytest.approx(joint.sign * line.axis, abs=1e-9)


@given(frames, st.sampled_from([1, -1]))
def test_what_blender_rounded_is_made_exact(rest: Matrix, sign: int) -> None:
    line = JointLine(origin=rest[:3, 3], axis=sign * rest[:3, 0], slides=False)
    noise = 3e-6 * np.sin(np.arange(16.0).reshape(4, 4))
    sharp = sharpen_rest(rest + noise, line, sign)
    assert np.abs(sharp - rest).max() < 1e-5
    assert sharp[:3, 0] == pytest.approx(rest[:3, 0], abs=1e-15)
    assert np.array_equal(sharp[:3, 3], line.origin)
    assert sharp[:3, :3] @ sharp[:3, :3].T == pytest.approx(np.eye(3), abs=1e-12)


@given(frames, st.sampled_from([(0, 3), (0, 0), (1, 0)]))
def test_what_the_user_moved_stays_there(rest: Matrix, entry: tuple[int, int]) -> None:
    line = JointLine(origin=rest[:3, 3].copy(), axis=rest[:3, 0].copy(), slides=False)
    rest[entry] += 0.01
    assert sharpen_rest(rest, line, 1) is rest


@given(robots(Wishes(most_links=10, free_joints=False)), frames, st.floats(0, 2e-6))
def test_bones_keep_their_places_in_any_frame(robot: Robot, frame: Matrix, skew: float) -> None:
    plan = plan_rig(robot, options=ImportOptions(profile="morse"), diagnostics=Diagnostics())
    if not plan.bones:
        return
    frame[0, 1] += skew
    for bone, made in zip(plan.bones, round_into(frame, plan.bones), strict=True):
        back = frame @ made.rest
        x = back[:3, 0] / np.linalg.norm(back[:3, 0])
        assert x == pytest.approx(bone.rest[:3, 0], abs=1e-9)
        assert back[:3, 3] == pytest.approx(bone.rest[:3, 3], abs=1e-9)
        assert back[:3, 1] @ bone.rest[:3, 1] > np.cos(0.2)
        assert made.rest[:3, :3] @ made.rest[:3, :3].T == pytest.approx(np.eye(3), abs=1e-9)
        assert made.length == pytest.approx(bone.length, rel=0.02)
        assert (made.name, made.parent) == (bone.name, bone.parent)
