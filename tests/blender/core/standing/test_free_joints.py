# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that move freely are held where the mouse has them: planar, floating and ball joints."""

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from support.blender.sidebars import load
from urdf_importer import import_robot
from urdf_importer.core.blender.standing.free_joints import (
    can_move,
    can_turn,
    grip_free,
    regrip_free,
)
from urdf_importer.core.blender.standing.handles import (
    enter_armature,
    explain_hold,
    find_handle,
    read_rest,
)
from urdf_importer.core.blender.standing.links import find_link

pytestmark = pytest.mark.usefixtures("scene")

UP = Vector((0.0, 0.0, 1.0))
INSIDE = Vector((0.03, 0.07, 0.05))
PLACES = {
    "as imported": Matrix.Identity(4),
    "scaled": Matrix.LocRotScale(Vector((0, 1, 0)), Euler((1.0, 0.0, 0.3)), Vector((2, 2, 2))),
}
BALL = """
<robot name="ball"><link name="stand"/><link name="arm"/><link name="head"/>
<joint name="lift" type="revolute"><parent link="stand"/><child link="arm"/>
<origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="neck" type="ball"><parent link="arm"/><child link="head"/>
<origin xyz="0.1 0 0.2" rpy="0.3 0 0.5"/></joint></robot>
"""
CASES = [("planar_base", "drive"), ("drone", "flight"), ("ball", "neck")]


def hold(name: str, joint: str, where: Matrix, tmp_path: Path) -> tuple[Any, Any]:
    """The handle of a joint that is not at zero, and the link that it moves."""
    if name == "ball":
        (tmp_path / "ball.urdf").write_text(BALL)
        robot = import_robot(tmp_path / "ball.urdf").armature
        robot.pose.bones["lift"].rotation_euler.x = 0.4
    else:
        robot = load(name)
    robot.matrix_world = where
    bone = robot.pose.bones[joint]
    for channel, value in zip(
        find_handle_of(robot, joint).joint.channels, (0.3, -0.2, 0.4), strict=False
    ):
        channel.put(bone, value)
    bpy.context.view_layer.update()
    return robot, find_handle_of(robot, joint)


def find_handle_of(robot: Any, joint: str) -> Any:
    body = {"drive": "base", "flight": "base_link", "neck": "head"}[joint]
    handle = find_handle(find_link(robot, body))
    assert handle is not None and handle.joint.name == joint and handle.is_free
    assert not explain_hold(handle)
    return handle


def shown(robot: Any, handle: Any) -> Matrix:
    bpy.context.view_layer.update()
    bone = handle.pose_bone
    return robot.matrix_world @ bone.matrix


def follow(drag: Any, handle: Any, eye: Vector, aims: list[Vector]) -> None:
    for aim in aims:
        numbers = drag.move(enter_armature(handle, (eye, aim - eye)))
        for channel, number in zip(handle.joint.channels, numbers, strict=True):
            channel.put(handle.pose_bone, number)


def distance(eye: Vector, aim: Vector, point: Vector) -> float:
    way = (aim - eye).normalized()
    return float((point - eye - (point - eye).dot(way) * way).length)


@pytest.mark.parametrize("where", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize(("name", "joint"), CASES[:2])
def test_what_is_moved_is_under_the_mouse(
    name: str, joint: str, where: Matrix, tmp_path: Path
) -> None:
    """It keeps its direction; a planar joint stays in its plane, from whatever side one looks."""
    robot, handle = hold(name, joint, where, tmp_path)
    before = shown(robot, handle)
    start = [channel.get(handle.pose_bone) for channel in handle.joint.channels]
    point = before @ INSIDE
    axes = (robot.matrix_world @ read_rest(handle.pose_bone)).to_3x3().normalized()
    for x, y, z in ((0, 0, 1), (1, 1, 1), (-1, 2, 1), (0.5, -1, -1)):
        for channel, number in zip(handle.joint.channels, start, strict=True):
            channel.put(handle.pose_bone, number)
        side = axes @ Vector((z, x, y)).normalized()  # X is the normal of a plane.
        eye = point + 4 * side
        drag = grip_free(handle, point, (eye, point - eye), UP, 0.001, turning=False)
        across = axes.col[1] if name == "planar_base" else side.orthogonal().normalized()
        target = point + 0.4 * across
        follow(drag, handle, eye, [point.lerp(target, share / 8) for share in range(9)])
        after = shown(robot, handle)
        assert distance(eye, target, after @ INSIDE) < 1e-4
        assert (after @ INSIDE - point).length > 0.3
        assert np.allclose(after.to_3x3(), before.to_3x3(), atol=1e-6)
        if name == "planar_base":
            assert abs((after @ INSIDE - point).dot(axes.col[0])) < 1e-5
        assert (drag.find_held() - after @ INSIDE).length < 1e-4


@pytest.mark.parametrize("where", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize(("name", "joint"), CASES)
def test_what_is_turned_is_under_the_mouse(
    name: str, joint: str, where: Matrix, tmp_path: Path
) -> None:
    """It turns about the middle of its joint, a planar one about its normal."""
    robot, handle = hold(name, joint, where, tmp_path)
    before = shown(robot, handle)
    start = [channel.get(handle.pose_bone) for channel in handle.joint.channels]
    point, middle = before @ INSIDE, before.translation
    axes = (robot.matrix_world @ read_rest(handle.pose_bone)).to_3x3().normalized()
    out = (point - middle).normalized()
    about = axes.col[0] if name == "planar_base" else out.orthogonal().normalized()
    # From far off that side a ball's held point would be at the edge of what is seen.
    first = about if name == "planar_base" else out
    for side in (first, (0.6 * about + out).normalized()):
        for channel, number in zip(handle.joint.channels, start, strict=True):
            channel.put(handle.pose_bone, number)
        eye = point + 4 * side
        drag = grip_free(handle, point, (eye, point - eye), UP, 0.001, turning=True)
        turns = [Matrix.Rotation(0.5 * share / 8, 3, about) for share in range(9)]
        aims = [middle + turn @ (point - middle) for turn in turns]
        follow(drag, handle, eye, aims)
        after = shown(robot, handle)
        assert distance(eye, aims[-1], after @ INSIDE) < 1e-4
        assert (after @ INSIDE - point).length > 0.005
        assert (after.translation - middle).length < 1e-5
        assert (drag.find_held() - after @ INSIDE).length < 1e-4
        if name == "planar_base":
            assert (after.to_3x3().normalized().col[0] - axes.col[0]).length < 1e-5


def test_a_body_is_turned_round_and_round(tmp_path: Path) -> None:
    """Its angles go on beyond half a turn: curves between keyframes go the way the hand went."""
    robot, handle = hold("drone", "flight", PLACES["as imported"], tmp_path)
    bone = handle.pose_bone
    bone.rotation_euler = (0, 0, 0)
    before = shown(robot, handle)
    point = before @ Vector((0.2, 0.0, 0.0))
    eye = point + 4 * UP
    drag = grip_free(handle, point, (eye, point - eye), UP, 0.001, turning=True)
    middle = before.translation
    turns = [Matrix.Rotation(math.radians(5 * step), 3, "Z") for step in range(54)]
    follow(drag, handle, eye, [middle + turn @ (point - middle) for turn in turns])
    assert abs(bone.rotation_euler.z) > math.pi


def test_moving_goes_on_as_turning_and_back(tmp_path: Path) -> None:
    robot, handle = hold("drone", "flight", PLACES["scaled"], tmp_path)
    before = shown(robot, handle)
    point = before @ INSIDE
    eye = point + 20 * (point - before.translation) + Vector((0.5, 0.0, 0.0))
    drag = grip_free(handle, point, (eye, point - eye), UP, 0.001, turning=False)
    aims = [point + Vector((0.02 * step, 0.01 * step, 0.0)) for step in range(9)]
    for number, turning in enumerate((False, True, False)):
        if number:
            aim = aims[3 * number - 1]
            drag = regrip_free(drag, (eye, aim - eye), UP, 0.001, turning=turning)
        follow(drag, handle, eye, aims[3 * number : 3 * number + 3])
        held = shown(robot, handle) @ INSIDE
        assert distance(eye, aims[3 * number + 2], held) < 1e-4, turning
    assert {channel.turns for channel in handle.joint.channels} == {True, False}


def test_what_is_locked_or_driven_does_not_move(tmp_path: Path) -> None:
    _, handle = hold("drone", "flight", PLACES["as imported"], tmp_path)
    bone = handle.pose_bone
    assert can_move(handle) and can_turn(handle)
    bone.lock_location = (True, True, True)
    assert not can_move(handle) and can_turn(handle) and not explain_hold(handle)
    bone.rotation_mode = "QUATERNION"
    assert not can_turn(handle) and explain_hold(handle) == "locked"
    bone.lock_location = (True, True, False)
    assert can_move(handle) and not explain_hold(handle)
    bone.driver_add("location", 2)
    assert not can_move(handle) and explain_hold(handle)


def test_joints_of_one_number_are_not_free(tmp_path: Path) -> None:
    robot, _ = hold("ball", "neck", PLACES["as imported"], tmp_path)
    handle = find_handle(find_link(robot, "arm"))
    assert handle is not None and not handle.is_free
    assert not can_move(handle) and not can_turn(handle)
