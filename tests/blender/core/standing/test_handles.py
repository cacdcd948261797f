# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies lead to their joints, and joints are where they are shown: against how Blender moves."""

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from support import real_robots
from support.blender.sidebars import load
from urdf_importer import (
    ImportOptions,
    get_joint_positions,
    import_robot,
    save_blend,
    set_joint_positions,
)
from urdf_importer.core.blender.standing.handles import (
    enter_armature,
    explain_hold,
    find_active_joints,
    find_handle,
    grip_body,
    make_handle,
    read_frame,
    snap_position,
)
from urdf_importer.core.blender.standing.links import find_link
from urdf_importer.core.blender.standing.pose import random_pose
from urdf_importer.core.blender.standing.robot_table import recall_table
from urdf_importer_morse.split.split import split_armature

pytestmark = pytest.mark.usefixtures("scene")

STEP = 0.01
UP = Vector((0.0, 0.0, 1.0))
PLACES = {
    "as imported": Matrix.Identity(4),
    "moved": Matrix.LocRotScale(Vector((3, -2, 1)), Euler((0.4, -1.1, 2.0)), Vector((1, 1, 1))),
    "scaled": Matrix.LocRotScale(Vector((0, 1, 0)), Euler((1.0, 0.0, 0.3)), Vector((2, 2, 2))),
}


def place(robot: Any, where: Matrix) -> None:
    robot.matrix_world = where
    bpy.context.view_layer.update()


def shown(robot: Any, link: str) -> Matrix:
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return find_link(robot, link).evaluated_get(depsgraph).matrix_world.copy()


def moved_links(robot: Any) -> dict[str, str]:
    """A link that each joint moves, of those next below it."""
    return {joint: link for link, joint in recall_table(robot).movers.items() if joint}


def put(handle: Any, position: float) -> None:
    handle.channel.put(handle.pose_bone, handle.limit(handle.channel, position))


def check_frames(robot: Any) -> None:
    """The next little step of each joint is a turn about its axis, or a way along it."""
    for joint, link in moved_links(robot).items():
        handle = make_handle(robot, joint)
        assert handle is not None
        if explain_hold(handle) or handle.joint.name != joint:
            continue  # What follows may move in two ways at once.
        bpy.context.view_layer.update()
        frame = read_frame(handle.carrier, handle.mover)
        before, start = shown(robot, link), handle.shown()
        put(handle, start + STEP)
        if handle.shown() - start < 0.9 * STEP:
            put(handle, start - STEP)
        step = handle.ratio * (handle.shown() - start)
        after = shown(robot, link)
        if handle.mover.kind == "prismatic":
            change = Matrix.Translation(frame.scale * step * frame.axis)
        else:
            home = Matrix.Translation(frame.origin)
            change = home @ Matrix.Rotation(step, 4, frame.axis) @ home.inverted()
        wanted = change @ before
        assert np.abs(np.array(wanted) - np.array(after)).max() < 3e-5, joint
        put(handle, start)


@pytest.mark.parametrize("where", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("name", ["humanoid_arm", "gantry", "quadruped_leg"])
def test_joints_are_where_they_turn_and_slide(name: str, where: Matrix) -> None:
    """Also of bones that hold several joints, each of which turns those after it."""
    robot = load(name)
    random_pose(robot, 5)
    place(robot, where)
    check_frames(robot)


@pytest.mark.parametrize("name", ["panda", "talos_full_v2"])
def test_joints_of_real_robots(name: str) -> None:
    path = next(each for each in real_robots.descriptions() if each.stem == name)
    robot = import_robot(path, options=ImportOptions(visuals=False, collisions=False)).armature
    random_pose(robot, 11)
    bpy.context.view_layer.update()
    check_frames(robot)


def test_a_robot_of_several_armatures() -> None:
    path = next(each for each in real_robots.descriptions() if each.stem == "panda")
    options = ImportOptions(profile="morse", visuals=False, collisions=False)
    robot = import_robot(path, options=options).armature
    part = split_armature(robot, "part", ["panda_joint4"])
    random_pose(robot, 3)
    place(robot, PLACES["moved"])
    handle = make_handle(robot, "panda_joint4")
    assert handle is not None and handle.carrier == part
    check_frames(robot)


# Which joint a body leads to


def test_a_body_leads_to_the_joint_that_moves_it() -> None:
    robot = load("humanoid_arm")
    assert leads_to(robot, "forearm") == "forearm_yaw"
    # Two joints of one bone.
    assert leads_to(robot, "wrist_cross") == "wrist_pitch"
    assert leads_to(robot, "hand") == "wrist_roll"
    assert find_handle(robot) is None
    assert find_handle(bpy.data.objects.new("other", None)) is None


def test_fixed_joints_are_passed_over_and_roots_lead_nowhere() -> None:
    robot = load("humanoid_arm")
    movers = recall_table(robot).movers
    fixed = {name for name, joint in movers.items() if joint == "wrist_roll"}
    assert fixed == {"hand", "tool0", "force_sensor_frame"}
    assert {leads_to(robot, name) for name in fixed} == {"wrist_roll"}
    assert "torso" not in movers
    assert find_handle(find_link(robot, "torso")) is None
    assert movers["head"] == ""
    assert find_handle(find_link(robot, "head")) is None


def leads_to(robot: Any, link: str) -> str:
    handle = find_handle(find_link(robot, link))
    assert handle is not None
    return handle.joint.name


def test_the_body_of_a_follower_leads_to_the_leader() -> None:
    robot = load("gripper")
    right = find_handle(find_link(robot, "right_jaw"))
    assert right is not None
    assert (right.joint.name, right.mover.name, right.ratio) == ("jaw_left", "jaw_right", 1.0)
    # It sits on the jaw, and goes where that goes, although it turns besides.
    found = find_handle(find_link(robot, "right_tip"))
    assert found is not None
    assert (found.joint.name, found.mover.name, found.ratio) == ("jaw_left", "jaw_right", 1.0)
    wheel = find_handle(find_link(robot, "pinion_wheel"))
    assert wheel is not None
    assert (wheel.joint.name, wheel.mover.name, wheel.ratio) == ("jaw_left", "pinion", 62.5)


def test_a_body_that_a_program_mounted_leads_there_too() -> None:
    robot = load("two_link_arm")
    empty = find_link(robot, moved_links(robot)["elbow"])
    tool = bpy.data.objects.new("tool", bpy.data.meshes.new("tool"))
    bpy.context.scene.collection.objects.link(tool)
    tool.parent = empty
    assert find_active_joints(tool, None) == ("elbow",)
    bone = robot.pose.bones["elbow"]
    assert find_active_joints(robot, bone) == ("elbow",)
    assert find_active_joints(robot, None) == ()
    assert find_active_joints(None, None) == ()


# Dragging


@pytest.mark.parametrize("where", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize(
    ("name", "link", "joint", "way"),
    [
        ("humanoid_arm", "elbow_motor", "elbow", -0.7),
        ("humanoid_arm", "upper_arm", "shoulder_yaw", 0.4),
        ("humanoid_arm", "shoulder_roll_motor", "shoulder_roll", -0.3),
        ("gantry", "carriage", "y_axis", 0.1),
        ("gripper", "right_jaw", "jaw_left", 0.01),
        ("gripper", "pinion_wheel", "jaw_left", 0.005),
    ],
)
def test_what_is_held_ends_under_the_mouse(
    name: str, link: str, joint: str, way: float, where: Matrix
) -> None:
    """From many sides: the mouse goes where the held point would be, and the joint follows."""
    robot = load(name)
    place(robot, where)
    handle = find_handle(find_link(robot, link))
    assert handle is not None and handle.joint.name == joint and not explain_hold(handle)
    start = handle.shown()
    inside = Vector((0.03, 0.07, 0.05))
    before = shown(robot, link) @ inside
    put(handle, start + way)
    target = shown(robot, link) @ inside
    reached = handle.shown()
    assert abs(reached - start) > 0.3 * abs(way)
    for side in sides_of(handle, before):
        eye = before + 4 * side
        put(handle, start)
        bpy.context.view_layer.update()
        drag = grip_body(handle, before, (eye, before - eye), UP, 0.001)
        for share in np.linspace(0.0, 1.0, 9):
            aim = before.lerp(target, float(share))
            position = drag.move(enter_armature(handle, (eye, aim - eye)))
        put(handle, position)
        ray = enter_armature(handle, (eye, target - eye))
        home = handle.carrier.matrix_world.inverted()
        points = np.array([home @ target, home @ (shown(robot, link) @ inside)])
        best, came = np.linalg.norm(np.cross(points - ray.origin, ray.direction), axis=1)
        assert came < best + 1e-4, f"from side {side}"


def sides_of(handle: Any, point: Vector) -> list[Vector]:
    """Along the axis of what turns, slantwise, and across it, towards the held point; across the
    way of what slides, and slantwise."""
    frame = read_frame(handle.carrier, handle.mover)
    axis, zero = frame.axis, frame.zero
    if handle.mover.kind == "prismatic":
        return [zero, axis.cross(zero), (zero + axis).normalized(), (axis - zero).normalized()]
    arm = point - frame.origin
    out = (arm - axis * arm.dot(axis)).normalized()
    slants = [(axis * math.cos(turn) + zero * math.sin(turn)) for turn in (0, 0.4, 0.8, 1.1)]
    return [*slants, *(-each for each in slants), out, -out]


def test_a_joint_stops_at_its_limits_unless_they_are_off() -> None:
    robot = load("two_link_arm")
    handle = make_handle(robot, "elbow")
    assert handle is not None
    lower, upper = handle.joint.limits
    assert lower is not None and upper is not None
    channel = handle.channel
    assert handle.limit(channel, upper + 1) == upper
    assert handle.limit(channel, lower - 1) == lower
    for limit in robot.pose.bones["elbow"].constraints:
        limit.mute = True
    assert handle.limit(channel, upper + 1) == upper + 1


def test_a_joint_set_outside_its_limits_is_held_where_it_is_shown() -> None:
    robot = load("two_link_arm")
    handle = make_handle(robot, "elbow")
    assert handle is not None and handle.joint.limits[1] is not None
    handle.channel.put(handle.pose_bone, handle.joint.limits[1] + 0.5)
    assert handle.shown() == handle.joint.limits[1]


def test_steps_of_snapping() -> None:
    robot = load("gantry")
    slide = make_handle(robot, "x_axis")
    turn = make_handle(load("two_link_arm"), "elbow")
    assert slide is not None and turn is not None
    assert snap_position(slide.channel, 0.0123, fine=False) == pytest.approx(0.01)
    assert snap_position(slide.channel, 0.0123, fine=True) == pytest.approx(0.012)
    assert snap_position(turn.channel, math.radians(43.2), fine=False) == pytest.approx(
        math.radians(45)
    )
    assert snap_position(turn.channel, math.radians(43.2), fine=True) == pytest.approx(
        math.radians(43)
    )


# What cannot be dragged says why


def hold_of(robot: Any, joint: str) -> str:
    handle = make_handle(robot, joint)
    assert handle is not None
    return explain_hold(handle)


def test_what_holds_a_joint() -> None:
    robot = load("two_link_arm")
    bone = robot.pose.bones["elbow"]
    assert hold_of(robot, "elbow") == ""
    bone.lock_rotation = (True, True, True)
    assert hold_of(robot, "elbow") == "locked"
    bone.lock_rotation = (False, True, True)
    robot.data.pose_position = "REST"
    assert "rest position" in hold_of(robot, "elbow")
    robot.data.pose_position = "POSE"
    bone.driver_add("rotation_euler", 0)
    assert hold_of(robot, "elbow") == "driven"
    bone.driver_remove("rotation_euler", 0)
    assert hold_of(robot, "elbow") == ""
    bone.rotation_mode = "QUATERNION"
    assert "Euler" in hold_of(robot, "elbow")
    handle = make_handle(robot, "elbow")
    assert handle is not None
    read_frame(handle.carrier, handle.mover)


def test_inverse_kinematics_holds_its_chain_and_no_more() -> None:
    robot = load("quadruped_leg", combine_joints=False)
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    constraint = robot.pose.bones["ankle_pitch"].constraints.new("IK")
    constraint.chain_count = 2
    assert hold_of(robot, "knee") == ""
    constraint.target = target
    assert "held by the IK constraint" in hold_of(robot, "knee")
    assert "held by the IK constraint" in hold_of(robot, "ankle_pitch")
    assert hold_of(robot, "hip_pitch") == ""
    constraint.influence = 0.0
    assert hold_of(robot, "knee") == ""


def test_a_linked_robot_is_not_moved(tmp_path: Path) -> None:
    robot = load("two_link_arm")
    collection = bpy.context.scene.collection.children[0].name
    save_blend(tmp_path / "arm.blend")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "arm.blend"), link=True) as (_, wanted):
        wanted.collections = [collection]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    bpy.context.view_layer.update()
    (robot,) = (each for each in bpy.data.objects if each.type == "ARMATURE")
    assert "library override" in hold_of(robot, "elbow")


def test_positions_do_not_change_by_looking() -> None:
    robot = load("humanoid_arm")
    set_joint_positions(robot, {"elbow": -1.0, "shoulder_pitch": 0.3})
    bpy.context.view_layer.update()
    before = get_joint_positions(robot)
    for joint in recall_table(robot).joints:
        handle = make_handle(robot, joint)
        assert handle is not None
        read_frame(handle.carrier, handle.mover)
        explain_hold(handle)
    assert get_joint_positions(robot) == before
