# SPDX-License-Identifier: GPL-3.0-or-later
"""Rides as keyframes, and things that are picked up and put down."""

import math
import re
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from support.paths import ROOT
from urdf_importer import (
    BuildError,
    Convention,
    DriveOptions,
    KinematicsError,
    ReadError,
    apply_srdf,
    bake_drive,
    bake_velocity,
    delete_robot,
    get_joint_positions,
    grasp,
    import_robot,
    link_pose,
    read_robot,
    release,
    set_joint_positions,
)
from urdf_importer.core.blender.semantics.control import find_control
from urdf_importer.core.blender.standing.keys import find_curves

pytestmark = pytest.mark.usefixtures("scene")
CART = ROOT / "sample_urdfs" / "differential_drive.urdf"
WHEELS = ("left_wheel_joint", "right_wheel_joint")
RADIUS, DISTANCE = 0.1, 0.336
SRDF = """<robot name="{name}"><virtual_joint name="world_joint" type="planar"
parent_frame="odom" child_link="base_footprint"/></robot>"""
PLANAR = """<robot name="cart"><link name="world"/>
<joint name="floor" type="{kind}"><parent link="world"/><child link="base"/>{axis}</joint>
<link name="base"/>{wheels}</robot>"""
WHEEL = """<link name="{name}"><collision><geometry><sphere radius="0.2"/></geometry></collision>
</link><joint name="{name}_joint" type="continuous"><parent link="base"/><child link="{name}"/>
<origin xyz="0 {y} 0.2"/><axis xyz="0 {sign} 0"/></joint>"""


def cart() -> Any:
    return import_robot(CART).armature


def planar_cart(tmp_path: Any, kind: str = "planar", axis: str = '<axis xyz="0 0 1"/>') -> Any:
    wheels = WHEEL.format(name="l", y="0.5", sign=1) + WHEEL.format(name="r", y="-0.5", sign=-1)
    (tmp_path / "cart.urdf").write_text(PLANAR.format(kind=kind, axis=axis, wheels=wheels))
    return import_robot(tmp_path / "cart.urdf").armature


def show(frame: int) -> None:
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()


def place_of(armature: Any, link: str) -> Matrix:
    return armature.matrix_world @ Matrix(link_pose(armature, link).tolist())


def circle(turns: float = 1.0) -> list[tuple[float, float, float]]:
    """Wheels' speeds for a circle in four seconds."""
    turn = turns * math.tau / 4.0
    ahead = 0.5
    return [
        (0.0, (ahead - turn * DISTANCE / 2) / RADIUS, (ahead + turn * DISTANCE / 2) / RADIUS),
        (4.0, 0.0, 0.0),
    ]


def test_a_circle_closes_and_wheels_roll_on_the_floor() -> None:
    robot = cart()
    robot.location, robot.rotation_euler = (1.0, -2.0, 0.3), (0.0, 0.0, 0.7)
    bpy.context.view_layer.update()
    start = place_of(robot, "base_footprint")
    result = bake_drive(robot, circle())
    assert (result.ride.left, result.ride.right) == (WHEELS[:1], WHEELS[1:])
    assert (result.ride.radius, result.first, result.last) == (RADIUS, 1, 97)
    assert result.ride.distance == pytest.approx(DISTANCE)
    assert math.hypot(result.ride.x, result.ride.y) < 1e-9
    assert result.ride.heading == pytest.approx(math.tau, abs=1e-12)
    show(97)
    assert np.abs(np.array(place_of(robot, "base_footprint")) - np.array(start)).max() < 1e-5
    assert robot.rotation_euler.z == pytest.approx(0.7 + math.tau, abs=1e-5), "it never wraps"
    ends = [place_of(robot, name).translation for name in ("left_wheel", "right_wheel")]
    for frame in (1, 30, 60):
        show(frame)
        before = [place_of(robot, name).translation for name in ("left_wheel", "right_wheel")]
        turned = [get_joint_positions(robot)[name] for name in WHEELS]
        show(frame + 1)
        for name, joint, place, angle in zip(
            ("left_wheel", "right_wheel"), WHEELS, before, turned, strict=True
        ):
            way = (place_of(robot, name).translation - place).length
            rolled = RADIUS * abs(get_joint_positions(robot)[joint] - angle)
            assert way == pytest.approx(rolled, rel=2e-3, abs=1e-6)
    assert len(ends) == 2


def test_keys_are_on_every_frame_and_straight() -> None:
    robot = cart()
    bake_drive(robot, circle())
    curves = {(c.data_path, c.array_index): c for c in find_curves(robot)}
    assert {("location", 0), ("location", 1), ("rotation_euler", 2)} < set(curves)
    assert len(curves) == 5, "casters and the lidar stay"
    for curve in curves.values():
        assert [point.co.x for point in curve.keyframe_points] == list(range(1, 98))
        assert {point.interpolation for point in curve.keyframe_points} == {"LINEAR"}


def test_a_second_ride_goes_on_and_replaces_what_it_overlaps() -> None:
    robot = cart()
    robot.location.x = 5.0
    bpy.context.view_layer.update()
    bake_drive(robot, [(0.0, 10.0, 10.0), (2.0, 0.0, 0.0)], fps=10)
    show(21)
    assert robot.location.x == pytest.approx(7.0, abs=1e-5)
    bake_drive(robot, [(0.0, 10.0, 10.0), (1.0, 0.0, 0.0)], fps=10, start_frame=11)
    for frame, x in ((1, 5.0), (11, 6.0), (21, 7.0)):
        show(frame)
        assert robot.location.x == pytest.approx(x, abs=1e-5)
    bake_drive(robot, [(0.0, -10.0, -10.0), (1.0, 0.0, 0.0)], fps=10, start_frame=21)
    show(31)
    assert robot.location.x == pytest.approx(6.0, abs=1e-5)
    assert get_joint_positions(robot)[WHEELS[0]] == pytest.approx(10.0, abs=1e-5)
    show(25)
    x = find_curves(robot).find("location", index=0)
    assert [point.co.x for point in x.keyframe_points] == list(range(1, 32))


def test_scaled_robots_and_other_units() -> None:
    """In centimetres; a robot of twice the size comes twice as far."""
    robot = cart()
    robot.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    result = bake_drive(
        robot,
        [(0.0, 50.0, 0.0), (2.0, 0.0, 0.0)],
        options=DriveOptions(kind="twist", radius=10.0, convention=Convention("zxy", 0.01)),
    )
    assert result.ride.radius == pytest.approx(0.1) and result.ride.x == pytest.approx(1.0)
    show(result.last)
    assert robot.location.x == pytest.approx(2.0, abs=1e-5)
    assert get_joint_positions(robot)[WHEELS[1]] == pytest.approx(10.0, abs=1e-4)


def test_the_root_control_of_an_srdf_moves(tmp_path: Any) -> None:
    robot = cart()
    (tmp_path / "cart.srdf").write_text(SRDF.format(name="differential_drive"))
    apply_srdf(robot, tmp_path / "cart.srdf")
    control = find_control(robot)
    assert control is not None
    bpy.context.view_layer.update()
    start = place_of(robot, "base_footprint")
    result = bake_drive(robot, [(0.0, 10.0, 12.0), (1.0, 0.0, 0.0)])
    show(result.last)
    shown = start.inverted() @ place_of(robot, "base_footprint")
    assert shown.translation.to_tuple() == pytest.approx(
        (result.ride.x, result.ride.y, 0.0), abs=1e-5
    )
    assert shown.to_euler().z == pytest.approx(result.ride.heading, abs=1e-5)
    assert not [c for c in find_curves(robot) if c.data_path == "location"]
    assert find_curves(control)


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_planar_and_floating_joints_move(tmp_path: Any, kind: str) -> None:
    robot = planar_cart(tmp_path, kind)
    there = (1.0, 2.0, 0.5) if kind == "planar" else (1.0, 2.0, 0.4, 0.0, 0.0, math.sin(0.25), 0.0)
    if kind == "floating":
        there = (*there[:6], math.cos(0.25))
    set_joint_positions(robot, {"floor": there})
    bpy.context.view_layer.update()
    start = place_of(robot, "base")
    result = bake_drive(robot, [(0.0, 5.0, 6.0), (2.0, 0.0, 0.0)])
    assert (result.ride.left, result.ride.right) == (("l_joint",), ("r_joint",))
    show(result.last)
    shown = place_of(robot, "base")
    way = Vector((result.ride.x, result.ride.y, 0.0))
    assert (shown.translation - start.translation - way).length < 1e-5
    turned = Euler((0.0, 0.0, 0.5 + result.ride.heading)).to_matrix()
    assert np.abs(np.array(turned) - np.array(shown.to_3x3())).max() < 1e-5
    assert math.hypot(result.ride.x, result.ride.y) == pytest.approx(2.2, rel=0.01)
    positions = get_joint_positions(robot)
    assert (positions["l_joint"], positions["r_joint"]) == pytest.approx((10.0, -12.0), abs=1e-5)


def test_wheels_of_meshes_are_measured() -> None:
    robot = cart()
    for name in ("left_wheel", "right_wheel"):
        empty = bpy.data.objects[name]
        described = empty["urdf_link"].to_dict()
        described.pop("collisions")
        empty["urdf_link"] = described
    result = bake_drive(robot, circle())
    assert result.ride.radius == pytest.approx(0.1, abs=1e-3)


def test_tables_say_what_they_hold(tmp_path: Any) -> None:
    robot = cart()
    table = tmp_path / "ride.csv"
    table.write_text("time,v,w\n0,0.5,0\n2,0,0\n")
    assert bake_drive(robot, table).ride.x == pytest.approx(1.0)
    table.write_text("time,left,right\n0,5,5\n2,0,0\n")
    assert bake_drive(robot, table).ride.x == pytest.approx(1.0)
    table.write_text("time,left,right\n0,5,fast\n2,0,0\n")
    with pytest.raises(ReadError, match="'fast' is not a number") as caught:
        bake_drive(robot, table)
    assert caught.value.line == 2
    table.write_text("when,left,right\n")
    with pytest.raises(ReadError, match=r"begins with time,left,right or time,v,w"):
        bake_drive(robot, table)


def test_nothing_is_keyed_where_something_is_wrong(tmp_path: Any) -> None:
    robot = cart()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"left": "left_wheel_joint"}, "both sides"),
        ({"radius": -1.0}, "cannot have a radius of -1.0 m"),
        ({"distance": math.inf}, "cannot have a distance of inf m"),
        ({"base": "ghost"}, "not by 'ghost'"),
        ({"fps": 0.0}, "frames a second"),
        ({"fps": 1e9}, "longer than"),
    ]
    for words, message in wrong:
        with pytest.raises(KinematicsError, match=message):
            fps = words.pop("fps", None)
            bake_drive(robot, circle(), fps=fps, options=DriveOptions(**words))
    robot.rotation_mode = "QUATERNION"
    with pytest.raises(KinematicsError, match="XYZ Euler"):
        bake_drive(robot, circle())
    assert not find_curves(robot)
    tilted = planar_cart(tmp_path, axis='<axis xyz="1 0 0"/>')
    with pytest.raises(KinematicsError, match="a ride needs a floor"):
        bake_drive(tilted, circle())
    with pytest.raises(BuildError):
        bake_drive(bpy.data.objects.new("thing", None), circle())


def box_at(place: tuple[float, float, float]) -> Any:
    mesh = bpy.data.meshes.new("box")
    item = bpy.data.objects.new("box", mesh)
    bpy.context.scene.collection.objects.link(item)
    item.location, item.rotation_euler = place, (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    return item


def shown(item: Any) -> Any:
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return np.array(item.evaluated_get(depsgraph).matrix_world)


def test_things_are_picked_up_carried_put_down_and_picked_up_again() -> None:
    robot = cart()
    bake_drive(robot, [(0.0, 10.0, 12.0), (4.0, 0.0, 0.0)])
    box = box_at((0.5, 0.0, 0.1))
    resting = shown(box)
    show(40)
    link = place_of(robot, "base_link")
    made = grasp(robot, "base_link", item=box)
    assert made.type == "CHILD_OF" and np.abs(shown(box) - resting).max() < 1e-5
    held = link.inverted() @ Matrix(resting.tolist())
    release(box, at_frame=70)
    assert bpy.context.scene.frame_current == 40
    for frame in (1, 20, 39, 40):
        show(frame)
        assert np.abs(shown(box) - resting).max() < 1e-5, frame
    for frame in (41, 55, 69, 70):
        show(frame)
        wanted = place_of(robot, "base_link") @ held
        assert np.abs(shown(box) - np.array(wanted)).max() < 1e-4, frame
    laid = shown(box)
    for frame in (71, 90):
        show(frame)
        assert np.abs(shown(box) - laid).max() < 1e-5, frame
    show(80)
    grasp(robot, "left_wheel", item=box)
    show(75)
    assert np.abs(shown(box) - laid).max() < 1e-5
    show(90)
    assert np.abs(shown(box) - laid).max() > 1e-2
    show(50)
    wanted = place_of(robot, "base_link") @ held
    assert np.abs(shown(box) - np.array(wanted)).max() < 1e-4


def test_a_thing_let_go_with_its_robot_is_picked_up_by_another_as_if_it_were_new() -> None:
    robot, box = cart(), box_at((0.5, 0.0, 0.1))
    show(10)
    grasp(robot, "base_link", item=box)
    show(50)
    delete_robot(robot)
    assert not box.constraints
    robot = cart()
    show(100)
    made = grasp(robot, "base_link", item=box)
    show(20)
    assert made.influence == 0.0
    grasp(robot, "left_wheel", item=box)


def test_what_cannot_be_grasped_or_released() -> None:
    robot, box = cart(), box_at((0.0, 0.0, 0.0))
    with pytest.raises(KinematicsError, match="nothing holds object 'box' in frame 1"):
        release(box)
    with pytest.raises(KinematicsError, match="no link 'ghost'"):
        grasp(robot, "ghost", item=box)
    with pytest.raises(KinematicsError, match="part of the robot"):
        grasp(robot, "base_link", item=bpy.data.objects["left_wheel"])
    with pytest.raises(BuildError):
        grasp(box, "base_link", item=box)
    assert not box.constraints and not find_curves(box)
    grasp(robot, "base_link", item=box)
    with pytest.raises(KinematicsError, match="is held by 'Grasp base_link' in frame 1 already"):
        grasp(robot, "left_wheel", item=box)


ARM = ROOT / "sample_urdfs" / "two_link_arm.urdf"


def test_joints_move_at_their_speeds_until_they_are_there():
    robot = import_robot(ARM).armature
    set_joint_positions(robot, {"shoulder": 0.25})
    baked = bake_velocity(robot, {"shoulder": 0.5, "elbow": -0.25}, until={"shoulder": 1.0}, fps=10)
    lower = next(joint.limit.lower for joint in read_robot(ARM).joints if joint.name == "elbow")
    assert (baked.first, baked.last) == (1, 1 + math.ceil(-lower / 0.25 * 10 - 1e-6))
    assert baked.positions == pytest.approx({"shoulder": 1.0, "elbow": lower}, abs=1e-6)
    for frame, seconds in ((1, 0.0), (6, 0.5), (11, 1.0), (16, 1.5), (400, 40.0)):
        show(frame)
        found = get_joint_positions(robot)
        assert found["shoulder"] == pytest.approx(min(0.25 + 0.5 * seconds, 1.0), abs=1e-6)
        assert found["elbow"] == pytest.approx(max(-0.25 * seconds, lower), abs=1e-6)


def test_wheels_turn_for_so_many_seconds_without_wrapping():
    robot = cart()
    assert bake_velocity(robot, {WHEELS[0]: 10.0}, seconds=3.0).positions == {WHEELS[0]: 30.0}
    show(1000)
    assert get_joint_positions(robot)[WHEELS[0]] == pytest.approx(30.0, abs=1e-5)


@pytest.mark.parametrize(
    ("speeds", "more", "message"),
    [
        ({"nose": 1.0}, {}, "the robot has no joint 'nose' that moves"),
        ({WHEELS[0]: 1.0}, {}, "has no limit ahead"),
        ({WHEELS[0]: 0.0}, {}, "has no limit ahead"),
        ({WHEELS[0]: math.nan}, {"seconds": 1.0}, "cannot move at a speed of nan"),
        ({WHEELS[0]: 1.0}, {"until": {WHEELS[0]: -1.0}}, "never gets to -1"),
        ({WHEELS[0]: 1.0}, {"until": {WHEELS[0]: math.inf}}, "cannot move until inf"),
        ({WHEELS[0]: 1.0}, {"until": {WHEELS[1]: 1.0}}, "but no speed"),
        ({WHEELS[0]: 1.0}, {"seconds": 0.0}, "for 0.0 seconds"),
        ({WHEELS[0]: 1.0}, {"seconds": 1e9}, "longer than 1000000 frames"),
        ({WHEELS[0]: 1.0}, {"seconds": 1.0, "fps": 0.0}, "cannot be played"),
    ],
)
def test_speeds_that_lead_nowhere_key_nothing(speeds, more, message):
    robot = cart()
    with pytest.raises(KinematicsError, match=re.escape(message)):
        bake_velocity(robot, speeds, **more)
    assert not find_curves(robot)
