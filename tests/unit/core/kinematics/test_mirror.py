# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirrored poses: the mirrored robot's links stand where the reflected robot's do."""

import random
from collections.abc import Mapping

import numpy as np
import pytest

from support.real_robots import descriptions
from urdf_importer import forward_kinematics, read_robot
from urdf_importer.core.geometry.transforms import Matrix, quaternion_from_rotation
from urdf_importer.core.kinematics.forward import Position
from urdf_importer.core.kinematics.mirror import Mirror, find_mirror, mirror_positions
from urdf_importer.core.kinematics.tree import KinematicTree, retrace_tree
from urdf_importer.core.model import Joint, Link, Pose, Robot
from urdf_importer.core.reshape.symmetry import find_partner

# Robot -> how many joints have a partner; all that it has.
ROBOTS = {"talos_full_v2": 44, "icub": 32, "romeo": 55, "pr2": 30, "baxter": 19, "anymal": 12}
S = np.diag([1.0, -1.0, 1.0])


def mirror_of(tree: KinematicTree) -> Mirror:
    names = [motion.joint.name for motion in tree.joint_motions if motion.moves]
    return find_mirror(tree, {name: find_partner(name, names) or "" for name in names})


def random_positions(tree: KinematicTree, chance: random.Random) -> dict[str, Position]:
    free = [motion for motion in tree.joint_motions if motion.moves and motion.mimic is None]
    found: dict[str, Position] = {}
    for motion in free:
        turn = np.array([chance.gauss(0, 1) for _ in range(4)])
        quaternion = tuple((turn / np.linalg.norm(turn)).tolist())
        place = tuple(chance.uniform(-1, 1) for _ in range(3))
        several: dict[str, Position] = {
            "planar": place,
            "floating": (*place, *quaternion),
            "spherical": quaternion,
        }
        found[motion.joint.name] = several.get(motion.kind, chance.uniform(-1.5, 1.5))
    return found


def independent(tree: KinematicTree) -> list[Joint]:
    """Joints that hang on no follower: of the pr2's some follow otherwise on one side."""
    followers = set(tree.masters)
    found = []
    for motion in tree.joint_motions:
        above = tree.ancestors(tree.joint_index[motion.joint.name])
        chain = {m.joint.name for place in above if (m := tree.motions[place]) is not None}
        if motion.moves and not chain & followers:
            found.append(motion.joint)
    return found


def worst_gap(
    robot: Robot, tree: KinematicTree, mirror: Mirror, q: Mapping[str, Position]
) -> float:
    """How far links are from the reflection of their partners in the pose before."""
    shown = forward_kinematics(robot, q)
    mirrored = forward_kinematics(robot, mirror_positions(tree, mirror, q))
    rest = forward_kinematics(robot)
    child = {joint.name: joint.child for joint in robot.joints}
    worst = 0.0
    for joint in independent(tree):
        here, there = joint.child, child[mirror.partners[joint.name].joint]
        # The links' own frames need not mirror each other: only how they move does.
        body = mirror.reflection @ shown[here] @ np.linalg.inv(rest[here]) @ mirror.reflection
        gap = np.abs(body @ rest[there] - mirrored[there]).max()
        worst = max(worst, float(gap))
    return worst


@pytest.mark.parametrize("stem", ROBOTS)
def test_real_robots(stem: str) -> None:
    robot = read_robot(next(path for path in descriptions() if path.stem == stem))
    tree = retrace_tree(robot)
    mirror = mirror_of(tree)
    assert len(mirror.partners) == ROBOTS[stem]
    assert mirror.normal.tolist() == [0, 1, 0] and not mirror.point.any()
    chance = random.Random(stem)
    for _ in range(3):
        q = random_positions(tree, chance)
        # iCub's arms are not quite the same: its description is 6e-6 off.
        assert worst_gap(robot, tree, mirror, q) < (1e-4 if stem == "icub" else 2e-6)
        twice = mirror_positions(tree, mirror, mirror_positions(tree, mirror, q))
        assert {name: twice[name] for name in q} == pytest.approx(q, abs=1e-12)


def test_geometry_says_which_fingertip() -> None:
    """In talos' grippers the fingertips are numbered the other way round on the other side."""
    path = next(path for path in descriptions() if path.stem == "talos_full_v2")
    partners = mirror_of(retrace_tree(read_robot(path))).partners
    assert partners["gripper_left_fingertip_1_joint"].joint == "gripper_right_fingertip_2_joint"
    assert partners["arm_left_1_joint"].joint == "arm_right_1_joint"


def random_rotation(chance: random.Random) -> Matrix:
    turned = np.linalg.qr(np.array([[chance.gauss(0, 1) for _ in range(3)] for _ in range(3)]))[0]
    return turned * np.sign(np.linalg.det(turned))


KINDS = ("revolute", "continuous", "prismatic", "planar", "floating", "ball", "fixed")


def symmetric_robot(seed: int) -> Robot:
    """Two limbs on a trunk, each the mirror image of the other, in frames and with signs of axes
    that say nothing, under names that say nothing, in any order."""
    chance = random.Random(seed)
    links, joints = [Link(name="root")], []
    trunk = Joint(name="trunk", type="revolute", parent="root", child="trunk", axis=(0, 1, 0))
    links.append(Link(name="trunk"))
    joints.append(trunk)
    kinds = [chance.choice(KINDS) for _ in range(chance.randint(1, 5))]
    names = [f"j{number}" for number in range(2 * len(kinds))]
    chance.shuffle(names)
    above = {"left": ("trunk", np.eye(4)), "right": ("trunk", np.eye(4))}
    place = np.array([0.0, 0.3, 0.0])
    for kind in kinds:
        step = (chance.uniform(-0.5, 0.5), chance.uniform(0.1, 0.5), chance.uniform(-1, 1))
        place = place + np.array(step)
        axis = random_rotation(chance)[0]
        for side in ("left", "right"):
            mirrored = np.eye(3) if side == "left" else S
            name, (parent, before) = names.pop(), above[side]
            frame = np.eye(4)
            frame[:3, :3], frame[:3, 3] = random_rotation(chance), mirrored @ place
            local = np.linalg.inv(before) @ frame
            direction = chance.choice((-1, 1)) * frame[:3, :3].T @ mirrored @ axis
            origin = Pose(
                xyz=tuple(local[:3, 3].tolist()),
                quat_xyzw=quaternion_from_rotation(local[:3, :3]),
            )
            x, y, z = direction.tolist()
            joints.append(
                Joint(
                    name=name, type=kind, parent=parent, child=name, origin=origin, axis=(x, y, z)
                )
            )
            links.append(Link(name=name))
            above[side] = (name, frame)
    chance.shuffle(joints)
    return Robot(name="symmetric", links=tuple(links), joints=tuple(joints))


@pytest.mark.parametrize("seed", range(60))
def test_generated_robots(seed: int) -> None:
    robot = symmetric_robot(seed)
    tree = retrace_tree(robot)
    mirror = mirror_of(tree)
    moving = {motion.joint.name for motion in tree.joint_motions if motion.moves}
    assert mirror.partners.keys() == moving
    q = random_positions(tree, random.Random(seed))
    mirrored = mirror_positions(tree, mirror, q)
    assert mirrored.keys() == q.keys()
    assert worst_gap(robot, tree, mirror, q) < 1e-9
    twice = mirror_positions(tree, mirror, mirrored)
    shown, again = forward_kinematics(robot, q), forward_kinematics(robot, twice)
    for link, frame in shown.items():
        np.testing.assert_allclose(again[link], frame, atol=1e-9)


def test_some_joints_only() -> None:
    robot = read_robot(next(path for path in descriptions() if path.stem == "anymal"))
    tree = retrace_tree(robot)
    mirrored = mirror_positions(tree, mirror_of(tree), {"LF_HAA": 0.5, "LF_HFE": 0.25}, ["LF_HFE"])
    assert mirrored == {"RF_HFE": 0.25}
