# SPDX-License-Identifier: GPL-3.0-or-later
"""Reshaped robots, against Pinocchio and against what the functions promise."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given

from support.pinocchio_truth import Truth
from support.real_robots import descriptions, name_of
from support.seconds import within
from support.strategies import Wishes, robots, tree
from urdf_importer import Diagnostics, KinematicsError, ReadError, forward_kinematics, read_robot
from urdf_importer.core.geometry.transforms import invert, matrix_from_pose
from urdf_importer.core.model import (
    Extra,
    Inertia,
    Inertial,
    Joint,
    Link,
    Mimic,
    Polyhedron,
    Pose,
    Robot,
    Visual,
)
from urdf_importer.core.reshape import (
    attach,
    convert_axes,
    merge_fixed,
    prune,
    rename,
    reroot,
    resize,
    strip,
)
from urdf_importer.formats.urdf.read.robot import read_robot_text
from urdf_importer.formats.urdf.write.plain import write_robot_text

SCALAR = ("revolute", "continuous", "prismatic")
READABLE = Wishes(readable_by_pinocchio=True, free_joints=False, mimics=False, most_links=12)


def described(name: str) -> Robot:
    return read_robot(next(path for path in descriptions() if path.name == name))


@pytest.fixture(scope="module")
def pr2() -> Robot:
    return described("pr2.urdf")


def random_positions(robot: Robot, seed: int) -> dict[str, float]:
    chance = np.random.default_rng(seed)
    return {
        joint.name: float(chance.uniform(-1.0, 1.0))
        for joint in robot.joints
        if joint.type in SCALAR and joint.mimic is None
    }


def comes_back(robot: Robot) -> bool:
    text = write_robot_text(robot).encode()
    return read_robot_text(text, robot.source, Diagnostics()) == robot


# Nothing to do is nothing done

NEUTRAL: list[Callable[[Robot], Robot]] = [
    lambda robot: strip(robot, []),
    lambda robot: prune(robot),
    lambda robot: prune(robot, keep=[link.name for link in robot.links]),
    lambda robot: merge_fixed(robot, keep=[joint.name for joint in robot.joints]),
    lambda robot: resize(robot),
    lambda robot: resize(robot, scale=1, factors={robot.links[0].name: 1}, symmetric=True),
    lambda robot: resize(robot, origins={j.name: j.origin.xyz for j in robot.joints}),
    lambda robot: rename(robot),
    lambda robot: rename(robot, {robot.links[0].name: robot.links[0].name}),
    lambda robot: convert_axes(robot, "xyz"),
]


@pytest.mark.parametrize("function", NEUTRAL)
def test_neutral_arguments_are_the_identity(function: Callable[[Robot], Robot], pr2: Robot) -> None:
    assert function(pr2) == pr2


@pytest.mark.parametrize(
    "call",
    [
        lambda robot: strip(robot, "no_such_tag"),
        lambda robot: prune(robot, remove=["nobody"]),
        lambda robot: prune(robot, keep=["nobody"]),
        lambda robot: prune(robot, keep=[]),
        lambda robot: merge_fixed(robot, keep=["nobody"]),
        lambda robot: resize(robot, origins={"nobody": (0, 0, 0)}),
        lambda robot: resize(robot, lengths={"nobody": 1}),
        lambda robot: resize(robot, factors={"nobody": 1}),
        lambda robot: resize(robot, scale=0),
        lambda robot: resize(robot, scale=float("nan")),
        lambda robot: rename(robot, {"nobody": "a"}),
        lambda robot: rename(robot, links={"torso_lift_link": "base_link"}),
        lambda robot: rename(robot, lambda name: "same"),
        lambda robot: rename(robot, materials={"nobody": "a"}),
        lambda robot: reroot(robot, "nobody"),
        lambda robot: attach(robot, robot, "nobody", prefix="b_"),
        lambda robot: attach(robot, robot, "base_link"),
        lambda robot: convert_axes(robot, "xxy"),
        lambda robot: convert_axes(robot, "yxz"),
        lambda robot: convert_axes(robot, "up"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(call: Callable[[Robot], Robot], pr2: Robot) -> None:
    with pytest.raises(KinematicsError):
        call(pr2)


# strip


def test_strip_takes_what_is_named(pr2: Robot) -> None:
    bare = strip(pr2, ["gazebo", "transmission", "visuals", "collisions", "dynamics", "mimic"])
    assert not bare.transmissions
    assert not any(extra.tag == "gazebo" for extra in bare.extras)
    assert not any(link.visuals or link.collisions for link in bare.links)
    assert not any(joint.dynamics or joint.mimic for joint in bare.joints)
    assert [link.inertial for link in bare.links] == [link.inertial for link in pr2.links]
    assert comes_back(bare)


# prune


def test_pruned_limbs_go_with_all_that_names_them(pr2: Robot) -> None:
    robot = prune(pr2, remove=["r_shoulder_pan_joint"])
    gone = {link.name for link in pr2.links} - {link.name for link in robot.links}
    assert "r_shoulder_pan_link" in gone
    assert "r_gripper_r_finger_tip_link" in gone
    assert "l_shoulder_pan_link" not in gone
    texts = [extra.xml for extra in robot.extras] + [each.xml for each in robot.transmissions]
    for name in gone:
        assert not any(f'"{name}"' in text for text in texts), name
    kept = {joint.name: joint for joint in robot.joints}
    assert all(kept[joint.name] == joint for joint in pr2.joints if joint.child not in gone)
    assert comes_back(robot)


def test_keep_keeps_the_way_to_the_root(pr2: Robot) -> None:
    robot = prune(pr2, keep=["l_wrist_flex_link"])
    assert {joint.child for joint in robot.joints} == {link.name for link in robot.links} - {
        "base_footprint"
    }
    assert len(robot.links) < 15


def test_a_follower_whose_leader_goes_is_freed() -> None:
    joints = (
        Joint(name="lead", type="revolute", parent="a", child="b"),
        Joint(name="follow", type="revolute", parent="a", child="c", mimic=Mimic(joint="lead")),
    )
    robot = Robot(name="r", links=tuple(Link(name=name) for name in "abc"), joints=joints)
    diagnostics = Diagnostics()
    pruned = prune(robot, remove=["b"], diagnostics=diagnostics)
    assert pruned.joints[0].mimic is None
    assert [item.code for item in diagnostics] == ["freed-follower"]


def test_frames_that_carry_nothing_go_one_after_another() -> None:
    joints = [
        Joint(name=f"j{i}", type="fixed", parent=parent, child=child)
        for i, (parent, child) in enumerate(["ab", "bc", "ad"])
    ]
    links = (*(Link(name=name) for name in "abc"), Link(name="d", inertial=Inertial(mass=1.0)))
    robot = Robot(name="r", links=links, joints=tuple(joints))
    assert [link.name for link in prune(robot, unused_frames=True).links] == ["a", "d"]


@given(robots())
def test_attached_and_pruned_is_as_before(robot: Robot) -> None:
    tool = Robot(name="t", links=(Link(name="tool"), Link(name="tip")), joints=(
        Joint(name="grip", type="revolute", parent="tool", child="tip"),))  # fmt: skip
    both = attach(robot, tool, robot.links[-1].name, origin=Pose(xyz=(0.0, 0.0, 0.1)))
    assert prune(both, remove=["tool"]) == robot


# merge_fixed


def joint_space(text: str, positions: dict[str, float]) -> Any:
    """Joint names in order, and the joint-space inertia matrix, by Pinocchio."""
    truth = Truth.of_text(text)
    q = pin.neutral(truth.model)
    for name, position in positions.items():
        joint = truth.model.joints[truth.model.getJointId(name)]
        place = slice(joint.idx_q, joint.idx_q + joint.nq)
        q[place] = [position] if joint.nq == 1 else [np.cos(position), np.sin(position)]
    matrix = pin.crba(truth.model, truth.data, q)
    upper = np.triu(matrix)
    return list(truth.model.names), upper + np.triu(matrix, 1).T, truth


def assert_same_body(before: Robot, after: Robot) -> None:
    positions = random_positions(before, 3)
    names, matrix, truth = joint_space(write_robot_text(before), positions)
    others, again, merged = joint_space(write_robot_text(after), positions)
    assert sorted(names) == sorted(others)
    rows = [
        tuple(each.model.joints[each.model.getJointId(name)].idx_v for each in (truth, merged))
        for name in names[1:]
    ]
    scale = max(1.0, float(np.abs(matrix).max(initial=0.0)))
    for i, k in rows:
        for j, m in rows:
            assert matrix[i, j] == pytest.approx(again[k, m], abs=1e-9 * scale)
    for name in names[1:]:
        one = truth.model.inertias[truth.model.getJointId(name)]
        other = merged.model.inertias[merged.model.getJointId(name)]
        assert other.mass == pytest.approx(one.mass, abs=1e-9)
        if one.mass:
            assert np.abs(one.lever - other.lever).max() < 1e-9
        assert np.abs(one.inertia - other.inertia).max() < 1e-9


def preserved(robot: Robot) -> set[str]:
    """The fixed joints that the description, or Gazebo's tags in it, want to stay."""
    wanted = {j.name for j in robot.joints if dict(j.attributes).get("dont_collapse") == "true"}
    for extra in robot.extras:
        tag = ElementTree.fromstring(extra.xml)
        words = [tag.findtext(name) for name in ("preserveFixedJoint", "disableFixedJointLumping")]
        if {word.strip().lower() for word in words if word} & {"true", "1"}:
            wanted.add(tag.get("reference", ""))
    return wanted & {joint.name for joint in robot.joints if joint.type == "fixed"}


@pytest.mark.parametrize("path", descriptions()[::5], ids=name_of)
def test_merged_bodies_weigh_what_pinocchio_says(path: Path) -> None:
    try:
        robot = read_robot(path)
    except ReadError:
        return
    merged = merge_fixed(robot)
    assert {joint.name for joint in merged.joints if joint.type == "fixed"} == preserved(robot)
    try:
        Truth.of_text(write_robot_text(robot))
    except ValueError:
        return  # Pinocchio does not read the robot as it is
    assert_same_body(robot, merged)
    positions = random_positions(robot, 1)
    before, after = forward_kinematics(robot, positions), forward_kinematics(merged, positions)
    for name, frame in after.items():
        assert np.abs(before[name] - frame).max() < 1e-9


@given(robots(READABLE))
def test_merged_robots_move_alike(robot: Robot) -> None:
    merged = merge_fixed(robot)
    positions = random_positions(robot, 2)
    before, after = forward_kinematics(robot, positions), forward_kinematics(merged, positions)
    for name, frame in after.items():
        assert np.abs(before[name] - frame).max() < 1e-9
    assert_same_body(robot, merged)


def test_what_gazebo_preserves_stays() -> None:
    joint = Joint(name="j", type="fixed", parent="a", child="b")
    robot = Robot(name="r", links=(Link(name="a"), Link(name="b")), joints=(joint,))
    xml = '<gazebo reference="j"><preserveFixedJoint>true</preserveFixedJoint></gazebo>'
    kept = replace(robot, extras=(Extra(tag="gazebo", xml=xml),))
    assert merge_fixed(kept) == kept
    marked = replace(robot, joints=(replace(joint, attributes=(("dont_collapse", "true"),)),))
    assert merge_fixed(marked) == marked
    assert [link.name for link in merge_fixed(robot).links] == ["a"]


def test_references_go_to_the_parent() -> None:
    joint = Joint(name="j", type="fixed", parent="a", child="b")
    extra = Extra(tag="gazebo", xml='<gazebo reference="b"><mu1>1</mu1></gazebo>')
    robot = Robot(
        name="r", links=(Link(name="a"), Link(name="b")), joints=(joint,), extras=(extra,)
    )
    assert merge_fixed(robot).extras[0].xml == '<gazebo reference="a"><mu1>1</mu1></gazebo>'


# resize

TABLE = {
    "torso_lift_joint": (0.0, 0.0, 0.832),
    "l_shoulder_pan_joint": (0.0, 0.1664, 0.0),
    "l_shoulder_lift_joint": (0.0, 0.0, 0.0),
}
LENGTHS = {"l_elbow_flex_joint": 0.176, "l_wrist_flex_joint": 0.1312}
SMALL = {
    "shoulder_pan_joint": (0.0, 0.1664, 0.0),
    "shoulder_lift_joint": (0.0, 0.0, 0.0),
    "elbow_flex_joint": (0.176, 0.0, 0.0),
    "wrist_flex_joint": (0.1312, 0.0, 0.0),
}


def test_the_left_side_makes_the_small_robot(pr2: Robot) -> None:
    small = resize(pr2, origins=TABLE, lengths=LENGTHS, symmetric=True)
    now = {joint.name: joint.origin.xyz for joint in small.joints}
    assert now["torso_lift_joint"] == (0.0, 0.0, 0.832)
    for name, (x, y, z) in SMALL.items():
        assert now[f"l_{name}"] == (x, y, z)
        assert now[f"r_{name}"] == (x, -y, z)
    changed = {f"{side}_{name}" for side in "lr" for name in SMALL} | {"torso_lift_joint"}
    before = {joint.name: joint for joint in pr2.joints}
    for joint in small.joints:
        if joint.name not in changed:
            assert joint == before[joint.name]
        assert replace(joint, origin=before[joint.name].origin) == before[joint.name]
    assert small.links == pr2.links
    assert comes_back(small)


def test_names_are_trusted_with_a_warning() -> None:
    links = tuple(Link(name=name) for name in ("base", "left_arm", "right_arm"))
    joints = (
        Joint(name="left_joint", type="fixed", parent="base", child="left_arm",
              origin=Pose(xyz=(0.0, 1.0, 0.0))),
        Joint(name="right_joint", type="fixed", parent="base", child="right_arm",
              origin=Pose(xyz=(0.5, -1.0, 0.0))),
    )  # fmt: skip
    diagnostics = Diagnostics()
    robot = resize(
        Robot(name="r", links=links, joints=joints),
        origins={"left_joint": (0.0, 2.0, 0.0)},
        symmetric=True,
        diagnostics=diagnostics,
    )
    assert robot.joints[1].origin.xyz == (0.5, -2.0, 0.0)
    assert [item.code for item in diagnostics] == ["names-trusted"]


@given(robots(replace(READABLE, shapes=True)))
def test_scaled_robots_scale_their_frames_and_masses(robot: Robot) -> None:
    big = resize(robot, scale=2.0)
    positions = random_positions(robot, 5)
    slides = {joint.name for joint in robot.joints if joint.type == "prismatic"}
    farther = {name: 2.0 * q if name in slides else q for name, q in positions.items()}
    before, after = forward_kinematics(robot, positions), forward_kinematics(big, farther)
    for name, frame in before.items():
        assert np.abs(after[name][:3, 3] - 2.0 * frame[:3, 3]).max() < 1e-9
    for small, large in zip(robot.links, big.links, strict=True):
        if small.inertial is not None and large.inertial is not None:
            assert large.inertial.mass == 8.0 * (small.inertial.mass or 0.0)
            assert small.inertial.inertia and large.inertial.inertia
            assert large.inertial.inertia.ixy == 32.0 * small.inertial.inertia.ixy
    assert resize(big, scale=0.5) == robot


def test_three_factors_make_of_a_box_a_box() -> None:
    """A solid box stays one, and so does its inertia."""

    def box_inertia(m: float, x: float, y: float, z: float) -> Inertia:
        a, b, c = (m / 12 * s for s in (y * y + z * z, x * x + z * z, x * x + y * y))
        return Inertia(ixx=a, iyy=b, izz=c)

    inertial = Inertial(mass=2.0, inertia=box_inertia(2.0, 1.0, 2.0, 3.0))
    robot = Robot(name="r", links=(Link(name="a", inertial=inertial),))
    grown = resize(robot, factors={"a": (2.0, 1.0, 0.5)}).links[0].inertial
    assert grown is not None and grown.inertia is not None
    wanted = box_inertia(2.0, 2.0, 2.0, 1.5)
    assert grown.mass == 2.0
    for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
        assert getattr(grown.inertia, name) == pytest.approx(getattr(wanted, name), abs=1e-12)


# rename


def test_renamed_there_and_back_is_as_before(pr2: Robot) -> None:
    names = {link.name: f"x_{link.name}" for link in pr2.links}
    joints = {joint.name: f"x_{joint.name}" for joint in pr2.joints}
    there = rename(pr2, links=names, joints=joints)
    assert not {link.name for link in there.links} & set(names)
    assert comes_back(there)
    for extra in there.extras:
        assert not any(f'reference="{name}"' in extra.xml for name in {**names, **joints})
    back = rename(
        there,
        links={new: old for old, new in names.items()},
        joints={new: old for old, new in joints.items()},
    )
    assert back == pr2


def test_sensors_follow_what_they_are_on(pr2: Robot) -> None:
    assert pr2.sensors
    for shaped in (rename(pr2, prefix="x_"), prune(pr2, remove=["r_shoulder_pan_joint"])):
        again = read_robot_text(write_robot_text(shaped).encode(), pr2.source, Diagnostics())
        assert [s.reference for s in again.sensors] == [s.reference for s in shaped.sensors]
    assert not strip(pr2, "gazebo").sensors


# reroot, attach, convert_axes


@given(robots(replace(READABLE, most_links=10)))
@pytest.mark.parametrize("frames", ["keep", "move"])
def test_every_frame_stays_when_the_root_moves(frames: str, robot: Robot) -> None:
    root = robot.links[-1].name
    turned = reroot(robot, root, frames=frames)  # type: ignore[arg-type]
    assert comes_back(turned)
    positions = random_positions(robot, 4)
    before, after = forward_kinematics(robot, positions), forward_kinematics(turned, positions)
    assert np.abs(after[root] - np.eye(4)).max() < 1e-9
    from_root = invert(before[root])
    moved = {joint.child for joint in turned.joints if joint not in robot.joints}
    for link in robot.links:
        if frames == "keep" or link.name not in moved:
            wanted = from_root @ before[link.name]
            assert np.abs(after[link.name] - wanted).max() < 1e-9
        for shape, other in zip(
            link.visuals,
            next(each for each in turned.links if each.name == link.name).visuals,
            strict=True,
        ):
            one = from_root @ before[link.name] @ matrix_from_pose(shape.origin)
            two = after[link.name] @ matrix_from_pose(other.origin)
            assert np.abs(one - two).max() < 1e-9


def test_a_planar_joint_is_not_turned_round() -> None:
    joint = Joint(name="j", type="planar", parent="a", child="b")
    robot = Robot(name="r", links=(Link(name="a"), Link(name="b")), joints=(joint,))
    with pytest.raises(KinematicsError, match="planar joint 'j'"):
        reroot(robot, "b")


@given(robots(READABLE), robots(READABLE))
def test_both_trees_are_unchanged_when_attached(robot: Robot, tool: Robot) -> None:
    origin = Pose(xyz=(0.1, 0.2, 0.3), rpy=(0.4, 0.5, 0.6))
    link = robot.links[0].name
    both = attach(robot, tool, link, origin=origin, prefix="tool_")
    assert comes_back(both)
    one, two = random_positions(robot, 6), random_positions(tool, 7)
    frames = forward_kinematics(both, one | {f"tool_{name}": q for name, q in two.items()})
    for name, frame in forward_kinematics(robot, one).items():
        assert np.abs(frames[name] - frame).max() < 1e-9
    base = frames[link] @ matrix_from_pose(origin)
    for name, frame in forward_kinematics(tool, two).items():
        assert np.abs(frames[f"tool_{name}"] - base @ frame).max() < 1e-9


@given(robots(READABLE))
@pytest.mark.parametrize("axes", ["zxy", "-yxz", "x-zy"])
def test_frames_in_another_basis(axes: str, robot: Robot) -> None:
    from urdf_importer.core.kinematics.conventions import read_axes

    basis = np.eye(4)
    basis[:3, :3] = read_axes(axes)
    positions = random_positions(robot, 8)
    before = forward_kinematics(robot, positions)
    turned = convert_axes(robot, axes)
    for name, frame in forward_kinematics(turned, positions).items():
        assert np.abs(frame - basis @ before[name] @ basis.T).max() < 1e-9
    assert_total_mass(robot, turned)


def assert_total_mass(one: Robot, other: Robot) -> None:
    assert Truth.of_text(write_robot_text(one)).total_mass() == pytest.approx(
        Truth.of_text(write_robot_text(other)).total_mass()
    )


# Speed


def test_all_are_quick() -> None:
    robot = tree(5000, seed=1)
    names = {link.name: f"x_{link.name}" for link in robot.links}
    for function in (
        lambda: strip(robot, "visuals"),
        lambda: prune(robot, remove=["link_4000"]),
        lambda: merge_fixed(robot),
        lambda: resize(robot, scale=2.0),
        lambda: rename(robot, links=names),
        lambda: reroot(robot, "link_4999"),
        lambda: attach(robot, robot, "link_10", prefix="b_"),
        lambda: convert_axes(robot),
    ):
        for _ in within(5.0):  # ten times the goal: machines are busy
            function()


def test_surfaces_in_the_description_grow_with_their_links() -> None:
    shape = Polyhedron(points=(0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3), faces=(0, 2, 1, 0, 1, 3))
    link = Link(name="a", visuals=(Visual(geometry=shape),))
    found = resize(Robot(name="r", links=(link,)), factors={"a": (2.0, 3.0, 4.0)})
    grown = Polyhedron(points=(0, 0, 0, 2, 0, 0, 0, 6, 0, 0, 0, 12), faces=shape.faces)
    assert found.links[0].visuals[0].geometry == grown
