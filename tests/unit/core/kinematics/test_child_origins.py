# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that stand away from their joints' frames: everywhere where they are, and written in the
frames of their joints."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from support.strategies import Wishes, robots_with_positions, unseated, write_robot_text
from urdf_importer import Diagnostics, forward_kinematics, read_robot
from urdf_importer.core.gazebo import interpret_extras
from urdf_importer.core.geometry.transforms import matrix_from_pose, plane_axes
from urdf_importer.core.kinematics.forward import complete_positions, joint_frames, zero_frames
from urdf_importer.core.kinematics.tips import moving_joints
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.model import Extra, Joint, Link, LoopJoint, Pose, Robot
from urdf_importer.core.reshape import (
    attach,
    convert_axes,
    merge_fixed,
    move_zero,
    prune,
    reroot,
    resize,
    seat_links,
)
from urdf_importer.core.reshape.compare import compare_robots
from urdf_importer.features.collisions.sampling import Poses, Sampler
from urdf_importer.features.ik.chain import plan_chain

SLIDING = Wishes(shapes=False)


def frame_of(pose):
    """By another library."""
    frame = np.eye(4)
    frame[:3, :3] = Rotation.from_euler("xyz", pose.rpy).as_matrix()
    frame[:3, 3] = pose.xyz
    return frame


def motion_of(motion, position):
    """(4, 4) what a joint does, by another library."""
    frame = np.eye(4)
    if motion.kind == "revolute":
        frame[:3, :3] = Rotation.from_rotvec(np.array(motion.axis) * position).as_matrix()
    elif motion.kind == "prismatic":
        frame[:3, 3] = np.array(motion.axis) * position
    elif motion.kind == "planar":
        u, v = plane_axes(np.array(motion.axis))
        frame[:3, 3] = position[0] * u + position[1] * v
        frame[:3, :3] = Rotation.from_rotvec(np.array(motion.axis) * position[2]).as_matrix()
    elif motion.kind == "floating":
        frame[:3, 3] = position[:3]
        frame[:3, :3] = Rotation.from_quat(position[3:]).as_matrix()
    return frame


def product(robot, positions):
    """Link -> (4, 4): from the root down, origin, motion, child_origin."""
    tree = plan_tree(robot, Diagnostics())
    complete = complete_positions(tree.joint_motions, positions)
    frames = []
    for parent, motion in zip(tree.parents, tree.motions, strict=True):
        if motion is None:
            frames.append(np.eye(4))
            continue
        joint = motion.joint
        moved = frames[parent] @ frame_of(joint.origin)
        if joint.name in complete:
            moved = moved @ motion_of(motion, complete[joint.name])
        frames.append(moved @ frame_of(joint.child_origin))
    return {link.name: frame for link, frame in zip(tree.links, frames, strict=True)}


def assert_same(found, wanted, within=1e-9):
    for name, frame in wanted.items():
        assert found[name] == pytest.approx(frame, abs=within), name


@settings(max_examples=50)
@given(unseated())
def test_links_stand_where_the_product_says(robot_and_positions):
    robot, positions = robot_and_positions
    assert_same(forward_kinematics(robot, positions), product(robot, positions))


@settings(max_examples=20)
@given(unseated(SLIDING), st.randoms(use_true_random=False))
def test_the_way_between_any_two_links_passes_them(robot_and_positions, chance):
    robot, positions = robot_and_positions
    tree = plan_tree(robot, Diagnostics())
    base, link = (chance.choice(robot.links).name for _ in range(2))
    movable = moving_joints(tree, base, link)
    complete = complete_positions(tree.joint_motions, positions)
    chain = plan_chain(tree, base, link, np.eye(4), (), complete)
    held = chain.find_frames(np.zeros((1, len(chain.variables))))[-1] @ chain.last
    frames = forward_kinematics(robot, positions)
    wanted = np.linalg.inv(frames[base]) @ frames[link]
    assert held[0] == pytest.approx(wanted, abs=1e-9)
    scalars = [name for name, motion in movable.items() if motion.is_scalar]
    chain = plan_chain(tree, base, link, np.eye(4), scalars, complete)
    values = np.array([[complete.get(each.joint, 0.0) for each in chain.variables]])
    assert (chain.find_frames(values)[-1] @ chain.last)[0] == pytest.approx(wanted, abs=1e-9)


@settings(max_examples=25)
@given(unseated(Wishes(shapes=False, free_joints=False)))
def test_sampled_poses_are_those_of_forward_kinematics(robot_and_positions):
    robot, positions = robot_and_positions
    tree = plan_tree(robot, Diagnostics())
    sampler = Sampler(tree)
    complete = complete_positions(tree.joint_motions, positions)
    numbers = np.array([[complete.get(name, 0.0) for name in sampler.names]])
    frames = sampler.find_frames(Poses(numbers=numbers, turns=np.zeros((1, 0, 4))))
    wanted = forward_kinematics(robot, positions)
    for place, link in enumerate(tree.links):
        assert frames.places[place, 0] == pytest.approx(wanted[link.name][:3, 3], abs=1e-9)
        assert frames.rotations[place, 0] == pytest.approx(wanted[link.name][:3, :3], abs=1e-9)


def shape_frames(robot, positions):
    """What of the robot can be seen or weighed, in its root's frame."""
    frames = forward_kinematics(robot, positions)
    found = {}
    for link in robot.links:
        for index, shape in enumerate((*link.visuals, *link.collisions)):
            found[link.name, index] = frames[link.name] @ matrix_from_pose(shape.origin)
        if link.inertial is not None:
            found[link.name, "mass"] = frames[link.name] @ matrix_from_pose(link.inertial.origin)
    return found


@settings(max_examples=20)
@given(unseated())
def test_written_and_read_again_nothing_is_elsewhere(robot_and_positions):
    robot, positions = robot_and_positions
    seated = seat_links(robot)
    assert all(joint.child_origin == Pose() for joint in seated.joints)
    assert_same(shape_frames(seated, positions), shape_frames(robot, positions))
    tree = plan_tree(robot, Diagnostics())
    joints = joint_frames(tree, zero_frames(tree))
    now = zero_frames(plan_tree(seated, Diagnostics()))
    assert now == pytest.approx(joints, abs=1e-9)


def test_its_urdf_has_the_same_kinematics(tmp_path):
    from urdf_importer import write_urdf

    @settings(max_examples=20)
    @given(unseated())
    def check(robot_and_positions):
        robot, positions = robot_and_positions
        written = write_urdf(robot, tmp_path / "robot.urdf").path
        read = read_robot(written)
        assert_same(shape_frames(read, positions), shape_frames(robot, positions))

    check()


@settings(max_examples=25)
@given(robots_with_positions(Wishes(awkward_names=True)))
def test_a_seated_robot_is_left_alone(robot_and_positions):
    robot, _ = robot_and_positions
    assert seat_links(robot) is robot


@settings(max_examples=25)
@given(unseated(Wishes(free_joints=False, mimics=False)))
def test_reshaped_it_moves_as_before(robot_and_positions):
    robot, positions = robot_and_positions
    wanted = forward_kinematics(robot, positions)
    leaf = plan_tree(robot, Diagnostics()).links[-1].name
    turned = reroot(robot, leaf)
    frames = forward_kinematics(turned, positions)
    root = np.linalg.inv(wanted[leaf])
    assert_same(frames, {name: root @ frame for name, frame in wanted.items()})
    shapes = shape_frames(robot, positions)
    moved = shape_frames(reroot(robot, leaf, frames="move"), positions)
    assert_same(moved, {key: root @ frame for key, frame in shapes.items()})
    merged = forward_kinematics(merge_fixed(robot), positions)
    assert_same(merged, {name: wanted[name] for name in merged})
    pruned = forward_kinematics(prune(robot, keep=[leaf]), complete_of(robot, leaf, positions))
    assert_same(pruned, {name: wanted[name] for name in pruned})


def complete_of(robot, leaf, positions):
    """The positions of what is left when only the way to a link is kept."""
    left = {joint.name for joint in prune(robot, keep=[leaf]).joints}
    return {name: each for name, each in positions.items() if name in left}


@settings(max_examples=25)
@given(unseated(Wishes(mimics=False)), st.floats(0.2, 3.0))
def test_turned_scaled_and_zeroed_it_moves_as_before(robot_and_positions, scale):
    robot, positions = robot_and_positions
    wanted = forward_kinematics(robot, positions)
    zeroed = move_zero(robot, positions)
    assert_same(forward_kinematics(zeroed), wanted)
    basis = np.eye(4)
    basis[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    turned = forward_kinematics(convert_axes(zeroed, "zxy"))
    assert_same(turned, {name: basis @ frame @ basis.T for name, frame in wanted.items()})
    size = np.diag([scale] * 3 + [1.0])
    scaled = forward_kinematics(resize(zeroed, scale=scale))
    back = np.linalg.inv(size)
    assert_same(scaled, {name: size @ frame @ back for name, frame in wanted.items()})


def arm():
    joints = (
        Joint(name="j", type="revolute", parent="base", child="arm", axis=(0.0, 0.0, 1.0),
              origin=Pose(xyz=(1.0, 0.0, 0.0)), child_origin=Pose(xyz=(0.0, 2.0, 0.0))),
        Joint(name="k", type="fixed", parent="arm", child="tip",
              origin=Pose(xyz=(0.0, 3.0, 0.0))),
    )  # fmt: skip
    sensor = (
        '<gazebo reference="arm">\n  <sensor name="eye" type="ray">\n'
        "    <pose>0 0 1 0 0 0</pose>\n    <ray/>\n  </sensor>\n</gazebo>"
    )
    robot = Robot(
        name="r",
        links=tuple(Link(name=name) for name in ("base", "arm", "tip")),
        joints=joints,
        loops=(LoopJoint(name="l", type="fixed", link1="arm", link2="base",
                         origin1=Pose(xyz=(0.5, 0.0, 0.0))),),
        extras=(Extra(tag="gazebo", xml=sensor),),
    )  # fmt: skip
    return interpret_extras(robot)


def test_sensors_and_loops_stay_where_they_were():
    seated = seat_links(arm())
    (sensor,) = seated.sensors
    assert sensor.origin.xyz == pytest.approx((0.0, 2.0, 1.0))
    assert interpret_extras(seated).sensors == seated.sensors
    assert "<ray/>" in seated.extras[0].xml
    assert seated.loops[0].origin1.xyz == pytest.approx((0.5, 2.0, 0.0))
    assert seated.joints[1].origin.xyz == pytest.approx((0.0, 5.0, 0.0))


def test_a_link_that_grows_keeps_its_joint_on_it():
    """The joint is 2 m from the link's frame against y, so 4 m from it where y is doubled."""
    grown = resize(arm(), factors={"arm": (1.0, 2.0, 1.0)})
    frames = forward_kinematics(grown, {"j": math.pi / 2}, close_loops=False)
    assert grown.joints[0].child_origin.xyz == pytest.approx((0.0, 4.0, 0.0))
    assert frames["arm"][:3, 3] == pytest.approx((-3.0, 0.0, 0.0))


def test_changes_name_the_childs_place():
    moved = replace(arm(), joints=(replace(arm().joints[0], child_origin=Pose()), arm().joints[1]))
    (change,) = compare_robots(arm(), moved)
    assert "place of the child link" in str(change)


def test_a_tool_keeps_its_own():
    both = attach(arm(), arm(), "tip", prefix="p_")
    assert both.joints[-2].child_origin == arm().joints[0].child_origin


def test_text_of_a_robot_says_all_of_it():
    """The plain text writer refuses nothing: what stands elsewhere was seated before."""
    assert "child_origin" not in write_robot_text(seat_links(arm()))
