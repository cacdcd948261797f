# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of building: links, joints, mirrored limbs, control, and the list of what is missing."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from support.real_robots import ROOT, descriptions
from support.strategies import Wishes, origins, robots
from urdf_importer import RobotError, forward_kinematics, read_robot, reshape
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.geometry.inertia import body_of
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.forward import zero_frames
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.model import (
    Box,
    Collision,
    Cone,
    Dynamics,
    Extrusion,
    Inertia,
    Inertial,
    Joint,
    Limit,
    Link,
    Mesh,
    Mimic,
    Outline,
    Polyhedron,
    Pose,
    Robot,
    Visual,
)
from urdf_importer.core.shelves import find_hook

BARE = Robot(name="arm", links=(Link(name="base"),))
S = np.diag([1.0, -1.0, 1.0, 1.0])
SLOW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def make_arm() -> Robot:
    """An arm of two joints on a base, and a head beside it."""
    robot = reshape.add_link(BARE, "left_arm", type="revolute", origin=Pose(xyz=(0.0, 0.3, 0.5)))
    robot = reshape.add_link(
        robot, "left_hand", parent="left_arm", joint="left_wrist", type="prismatic", axis=(1, 0, 0)
    )
    return reshape.add_link(robot, "head", parent="base", origin=Pose(xyz=(0.0, 0.0, 1.0)))


def assert_refused(sentence: str, make: Any) -> None:
    with pytest.raises(RobotError) as caught:
        make()
    assert sentence in str(caught.value)


# add_link


def test_links_get_names_axes_and_limits() -> None:
    robot = reshape.add_link(BARE, "arm", type="revolute")
    (joint,) = robot.joints
    assert (joint.name, joint.parent, joint.axis) == ("base_to_arm", "base", (0.0, 0.0, 1.0))
    assert joint.limit == Limit(lower=-math.pi, upper=math.pi, effort=10.0, velocity=1.0)
    fixed = reshape.add_link(BARE, Link(name="lamp", inertial=Inertial(mass=1.0)), joint="screw")
    assert (fixed.joints[0].axis, fixed.joints[0].limit) == (None, None)
    assert fixed.links[1].inertial is not None
    assert BARE.joints == ()


@pytest.mark.parametrize(
    ("sentence", "arguments"),
    [
        ("did you mean 'left_hand'", {"link": "a", "parent": "left_hnad"}),
        ("there is a link 'head' already", {"link": "head", "parent": "base"}),
        ("there is a joint 'left_wrist' already", {"parent": "base", "joint": "left_wrist"}),
        ("name the parent of one", {}),
        ("an axis needs a length above zero", {"parent": "base", "axis": (0, 0, 0)}),
        ("axis is", {"parent": "base", "axis": (0, 0, math.nan)}),
        ("type is 'hinge'; it must be", {"parent": "base", "type": "hinge"}),
        ("lower is above upper", {"parent": "base", "limit": Limit(lower=1.0, upper=0.0)}),
        ("it must be a Limit", {"parent": "base", "limit": (0, 1)}),
        (
            "an origin needs finite numbers",
            {"parent": "base", "origin": Pose(xyz=(0, 0, math.inf))},
        ),
        ("a link needs a name", {"link": "", "parent": "base"}),
        ("a joint has no 'colour' to set", {"parent": "base", "colour": 1}),
    ],
)
def test_impossible_links_are_refused(sentence: str, arguments: dict[str, Any]) -> None:
    arguments = {"link": "a", **arguments}
    assert_refused(sentence, lambda: reshape.add_link(make_arm(), **arguments))


# set_joint


@SLOW
@given(robots(Wishes()), origins(), st.data())
def test_shapes_stay_in_their_places_at_zero(robot: Robot, origin: Pose, data: Any) -> None:
    tree = retrace_tree(robot)
    names = list(tree.motion_of)
    assume(names)
    name = data.draw(st.sampled_from(names))
    changed = reshape.set_joint(robot, name, origin=origin)
    before, after = (
        replace(each, joints=tuple(replace(j, mimic=None) for j in each.joints))
        for each in (robot, changed)
    )
    old, new = forward_kinematics(before, {}), forward_kinematics(after, {})
    child = tree.motion_of[name].joint.child
    for link in robot.links:
        made = next(each for each in changed.links if each.name == link.name)
        for one, other in zip(link.shapes, made.shapes, strict=True):
            place = old[link.name] @ matrix_from_pose(one.origin)
            moved = new[link.name] @ matrix_from_pose(other.origin)
            np.testing.assert_allclose(place, moved, atol=1e-9)
        if link.name != child:
            np.testing.assert_allclose(old[link.name], new[link.name], atol=1e-9)
    joint = next(each for each in changed.joints if each.name == name)
    assert joint.origin == origin


def test_a_joint_that_takes_its_limb_along() -> None:
    robot = make_arm()
    changed = reshape.set_joint(robot, "base_to_left_arm", origin=Pose(), keep="frame")
    old, new = forward_kinematics(robot, {}), forward_kinematics(changed, {})
    np.testing.assert_allclose(old["left_hand"][:3, 3] - new["left_hand"][:3, 3], (0, 0.3, 0.5))
    assert changed.links == robot.links


def test_a_limb_on_another_link_stays_in_its_place() -> None:
    robot = make_arm()
    turned = Pose(xyz=(0.1, 0.2, 0.3), rpy=(0.3, -0.4, 1.0))
    robot = reshape.set_joint(robot, "base_to_head", origin=turned)
    changed = reshape.set_joint(robot, "left_wrist", parent="head")
    assert changed.joints[1].parent == "head"
    old, new = forward_kinematics(robot, {}), forward_kinematics(changed, {})
    for link in old:
        np.testing.assert_allclose(old[link], new[link], atol=1e-12)
    back = reshape.set_joint(changed, "left_wrist", parent="left_arm")
    np.testing.assert_allclose(back.joints[1].origin.xyz, robot.joints[1].origin.xyz, atol=1e-12)


def test_types_limits_and_what_is_dropped() -> None:
    robot = make_arm()
    robot = reshape.set_joint(robot, "base_to_head", type="revolute", dynamics=Dynamics(damping=1))
    joint = robot.joints[2]
    assert joint.axis == (0.0, 0.0, 1.0) and joint.limit is not None and joint.dynamics is not None
    robot = reshape.set_joint(robot, "base_to_head", drop=("dynamics", "limit"), type="continuous")
    assert robot.joints[2].limit is None and robot.joints[2].dynamics is None
    assert reshape.set_joint(robot, "left_wrist") is robot
    led = reshape.set_joint(robot, "base_to_head", mimic=Mimic(joint="base_to_left_arm"))
    assert led.joints[2].mimic == Mimic(joint="base_to_left_arm")
    assert reshape.set_joint(led, "base_to_head", drop="mimic").joints[2].mimic is None


def test_impossible_joints_are_refused() -> None:
    robot = make_arm()
    robot = reshape.set_joint(robot, "left_wrist", mimic=Mimic(joint="base_to_left_arm"))
    for sentence, joint, changes in (
        ("did you mean 'left_wrist'", "left_wrsit", {}),
        ("a link cannot be on itself or below itself", "base_to_left_arm", {"parent": "left_hand"}),
        ("a link cannot be on itself or below itself", "left_wrist", {"parent": "left_hand"}),
        ("did you mean 'head'", "left_wrist", {"parent": "haed"}),
        ("cannot follow itself", "left_wrist", {"mimic": Mimic(joint="left_wrist")}),
        ("itself, also through 'left_wrist'", "base_to_left_arm",
         {"mimic": Mimic(joint="left_wrist")}),
        ("the robot has no joint 'x'", "left_wrist", {"mimic": Mimic(joint="x")}),
        ("drop is 'axis'", "left_wrist", {"drop": ("axis",)}),
        ("keep is 'all'", "left_wrist", {"keep": "all"}),
    ):  # fmt: skip
        assert_refused(
            sentence,
            lambda joint=joint, changes=changes: reshape.set_joint(robot, joint, **changes),
        )


# mirror_limb


@SLOW
@given(robots(Wishes()), st.data())
def test_equal_positions_are_mirrored_poses(robot: Robot, data: Any) -> None:
    tree = retrace_tree(robot)
    below = [link.name for link, above in zip(tree.links, tree.parents, strict=True) if above >= 0]
    scalar = all(motion.is_scalar or not motion.moves for motion in tree.joint_motions)
    assume(below and scalar)
    limb = data.draw(st.sampled_from(below))
    inside = {tree.links[place].name for place in tree.subtree(tree.index[limb])}
    names = {name: f"other_{name}" for name in inside}
    own = [joint.name for joint in robot.joints if joint.child in inside]
    names |= {name: f"other_{name}" for name in own}
    made = reshape.mirror_limb(robot, limb, names=names)
    angles = data.draw(st.lists(st.floats(-1.0, 1.0), min_size=len(own), max_size=len(own)))
    given_angles = dict(zip(own, angles, strict=True))
    positions = given_angles | {names[name]: each for name, each in given_angles.items()}
    frames = forward_kinematics(made, positions)
    carried = next(joint for joint in robot.joints if joint.child == limb)
    # The mirrored limb is on the same link: the pose is the mirror's where that is at zero.
    still = zero_frames(tree)[tree.index[carried.parent]]
    assume(np.abs(frames[carried.parent] - still).max() < 1e-12)
    for name in inside:
        np.testing.assert_allclose(frames[names[name]], S @ frames[name] @ S, atol=1e-8)
        one, other = (next(x for x in made.links if x.name == n) for n in (name, names[name]))
        if one.inertial is not None and other.inertial is not None:
            body, mirrored = body_of(one.inertial), body_of(other.inertial)
            np.testing.assert_allclose(mirrored.center, S[:3, :3] @ body.center, atol=1e-9)
            turned = S[:3, :3] @ body.inertia @ S[:3, :3]
            np.testing.assert_allclose(mirrored.inertia, turned, atol=1e-9)
    assert reshape.prune(made, remove=[names[limb]], diagnostics=Diagnostics()) == robot


def test_shapes_are_mirrored() -> None:
    wedge = Polyhedron(points=(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1), faces=(0, 2, 1, 0, 1, 3))
    plate = Extrusion(outlines=(Outline(points=(0, 0, 1, 0, 1, 2)),), height=1.0)
    shapes: tuple[Any, ...] = (
        Mesh(filename="a.stl", scale=(1, 2, 3)),
        wedge,
        plate,
        Box(size=(1, 2, 3)),
    )
    visuals = tuple(Visual(geometry=each, name="left") for each in shapes)
    arm = Link(
        name="l_arm", visuals=visuals, collisions=(Collision(geometry=Cone(radius=1, length=1)),)
    )
    made = reshape.mirror_limb(reshape.add_link(BARE, arm), "l_arm").links[-1]
    mesh, solid, sheet, box = (each.geometry for each in made.visuals)
    assert made.name == "r_arm" and made.visuals[0].name == "right"
    assert isinstance(mesh, Mesh) and mesh.scale == (1, -2, 3)
    assert (
        isinstance(solid, Polyhedron)
        and solid.points[7] == -1
        and solid.faces == (1, 2, 0, 3, 1, 0)
    )
    assert isinstance(sheet, Extrusion) and sheet.outlines[0].points == (0, 0, 1, 0, 1, -2)
    assert box == shapes[3] and made.collisions == arm.collisions


def test_control_and_transmissions_are_mirrored_and_pruned_again() -> None:
    robot = reshape.add_control(make_arm())
    robot = reshape.add_control(robot, kind="transmission")
    robot = reshape.set_joint(robot, "left_wrist", mimic=Mimic(joint="base_to_left_arm"))
    made = reshape.mirror_limb(robot, "left_arm")
    assert [each.joint for each in made.controls] == [
        "base_to_left_arm", "base_to_right_arm", "left_wrist", "right_wrist",
    ]  # fmt: skip
    assert made.transmissions[-1].name == "right_wrist_transmission"
    assert made.transmissions[-1].actuators[0].name == "right_wrist_motor"
    assert made.joints[-1].mimic == Mimic(joint="base_to_right_arm")
    assert reshape.prune(made, remove=["right_arm"]) == robot
    hand = reshape.mirror_limb(made, "left_hand", names={"left_hand": "third", "left_wrist": "w"})
    assert hand.joints[-1].parent == "right_arm"


def test_impossible_limbs_are_refused() -> None:
    robot = make_arm()
    assert_refused("is the root", lambda: reshape.mirror_limb(robot, "base"))
    assert_refused("no link 'hnad'", lambda: reshape.mirror_limb(robot, "hnad"))
    assert_refused(
        "no link or joint in this limb 'head'",
        lambda: reshape.mirror_limb(robot, "left_arm", names={"head": "x"}),
    )
    made = reshape.mirror_limb(robot, "left_arm")
    assert_refused(
        "there is a link 'right_arm' already", lambda: reshape.mirror_limb(made, "left_arm")
    )
    assert reshape.mirror_limb(robot, "head").links[-1].name == "head_mirrored"


# add_control


def test_control_is_read_back_and_replaced() -> None:
    robot = reshape.add_control(make_arm(), commands=("position", "velocity"), name="system")
    assert [each.command_interfaces for each in robot.controls] == [("position", "velocity")] * 2
    again = reshape.add_control(robot, ["left_wrist"], name="system")
    assert [each.joint for each in again.controls] == ["left_wrist"]
    assert len(again.extras) == 1
    both = reshape.add_control(again, name="second")
    assert len(both.extras) == 2
    text = find_hook("write_text")(both)
    assert find_hook("read_text")(text.encode(), "", Diagnostics()) == both
    assert_refused("it must be 'position'", lambda: reshape.add_control(robot, commands="force"))
    assert_refused("the robot has no joint 'x'", lambda: reshape.add_control(robot, ["x"]))


def test_followers_have_states_alone() -> None:
    robot = reshape.set_joint(make_arm(), "left_wrist", mimic=Mimic(joint="base_to_left_arm"))
    robot = reshape.add_control(robot, [each.name for each in robot.joints])
    assert {each.joint: each.command_interfaces for each in robot.controls}["left_wrist"] == ()
    assert "left_wrist" in robot.extras[0].xml


# list_missing


def make_complete() -> Robot:
    inertial = Inertial(mass=1.0, inertia=Inertia(ixx=1.0, iyy=1.0, izz=1.0))
    shape = Box(size=(1, 1, 1))
    parts: Any = {"visuals": (Visual(geometry=shape),), "collisions": (Collision(geometry=shape),)}
    arm = Link(name="arm", inertial=inertial, **parts)
    limit = Limit(lower=-1.0, upper=1.0, effort=1.0, velocity=1.0)
    robot = reshape.add_link(BARE, arm, joint="elbow", type="revolute", limit=limit)
    return reshape.add_link(robot, "tip", parent="arm")


def test_a_complete_robot_lacks_nothing() -> None:
    assert reshape.list_missing(make_complete()) == ()


@pytest.mark.parametrize(
    ("code", "subject", "link", "joint"),
    [
        ("missing-mass", "arm", {"inertial": None}, {}),
        ("missing-inertia", "arm", {"inertial": Inertial(mass=1.0)}, {}),
        ("impossible-inertia", "arm",
         {"inertial": Inertial(mass=1.0, inertia=Inertia(ixx=5.0, iyy=1.0, izz=1.0))}, {}),
        ("missing-visual", "arm", {"visuals": ()}, {}),
        ("missing-collision", "arm", {"collisions": ()}, {}),
        ("default-limit", "elbow", {},
         {"limit": Limit(lower=-math.pi, upper=math.pi, effort=10.0, velocity=1.0)}),
        ("missing-effort", "elbow", {}, {"limit": Limit(lower=-1.0, upper=1.0, velocity=1.0)}),
        ("missing-velocity", "elbow", {}, {"limit": Limit(lower=-1.0, upper=1.0, effort=1.0)}),
        ("zero-axis", "elbow", {}, {"axis": (0.0, 0.0, 0.0)}),
        ("unfit-name", "el bow", {}, {"name": "el bow"}),
    ],
)  # fmt: skip
def test_each_lack_is_named(code: str, subject: str, link: Any, joint: Any) -> None:
    robot = make_complete()
    links = tuple(replace(each, **link) if each.name == "arm" else each for each in robot.links)
    joints = tuple(replace(each, **joint) if each.child == "arm" else each for each in robot.joints)
    (found,) = reshape.list_missing(replace(robot, links=links, joints=joints))
    assert (found.code, found.subject) == (code, subject)


@pytest.mark.parametrize("name", ["base_link-base", "joint.1", "_a"])
def test_names_that_ros_takes_lack_nothing(name: str) -> None:
    """ROS-Industrial calls fixed joints `base_link-base`."""
    robot = make_complete()
    joints = tuple(
        replace(each, name=name) if each.child == "arm" else each for each in robot.joints
    )
    assert not reshape.list_missing(replace(robot, joints=joints))


def test_real_robots_lack_little() -> None:
    panda = read_robot(ROOT / "panda_description" / "urdf" / "panda.urdf")
    assert {each.code for each in reshape.list_missing(panda)} <= {"missing-mass"}
    for path in descriptions()[:12]:
        reshape.list_missing(read_robot(path))


def test_chains_of_joints_are_built_from_nothing() -> None:
    robot = BARE
    for number in range(30):
        robot = reshape.add_link(robot, f"l{number}", parent=robot.links[-1].name, type="revolute")
    assert len(robot.joints) == 30 and isinstance(robot.joints[-1], Joint)
