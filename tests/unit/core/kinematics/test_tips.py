# SPDX-License-Identifier: GPL-3.0-or-later
"""Tips: hands, feet and heads of real robots, and what holds for every tree."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import real_robots
from urdf_importer import read_robot
from urdf_importer.core.kinematics.tips import MOST_TIPS, find_tips
from urdf_importer.core.kinematics.tree import KinematicTree, retrace_tree
from urdf_importer.core.model import Joint, Limit, Link, Mimic, Pose, Robot

TIPS = {
    "panda": ["panda_hand"],
    "ur5_robot": ["ee_link"],
    "so100": ["gripper"],
    "z1": ["gripperStator"],
    "a1": ["FR_foot", "FL_foot", "RR_foot", "RL_foot"],
    "talos_reduced": [
        "rgbd_rgb_frame", "gripper_left_base_link", "gripper_right_base_link", "left_sole_link",
        "right_sole_link",
    ],
    "alex_nub_hands": ["Head", "LeftWristRollLink", "RightWristRollLink"],
    "allegro_left_hand": ["link_11.0_tip", "link_7.0_tip", "link_3.0_tip", "link_15.0_tip"],
    "tiago": ["xtion_rgb_frame", "hand_palm_link"],
    "iris": [],
}  # fmt: skip


def real_tree(stem: str) -> KinematicTree:
    path = next(each for each in real_robots.descriptions() if each.stem == stem)
    return retrace_tree(read_robot(path))


@pytest.mark.parametrize("stem", TIPS)
def test_tips_of_real_robots(stem: str) -> None:
    """Their hands, feet and heads: no fingers, wheels, jaws or sensors of a foot."""
    assert [tip.link for tip in find_tips(real_tree(stem))] == TIPS[stem]


def test_limbs_move_without_the_trunk_and_short_ones_with_it() -> None:
    tips = {tip.link: tip.joints for tip in find_tips(real_tree("talos_reduced"))}
    arm = tips["gripper_left_base_link"]
    assert arm == tuple(f"arm_left_{number}_joint" for number in range(1, 8))
    assert tips["rgbd_rgb_frame"][:2] == ("torso_1_joint", "torso_2_joint")


def test_end_effectors_come_first_and_serve_their_limbs() -> None:
    tree = real_tree("talos_reduced")
    tips = find_tips(tree, ["arm_right_7_link", "ghost"], ["arm_right_5_joint"])
    others = [link for link in TIPS["talos_reduced"] if "right_base" not in link]
    assert [tip.link for tip in tips] == ["arm_right_7_link", *others]
    assert "arm_right_5_joint" not in tips[0].joints
    assert len(tips[0].joints) == 6


def make_tree(rows: list[tuple[int, str, bool]]) -> KinematicTree:
    """Links l0, l1 ...: each hangs on an earlier one by a joint of a type, a follower or not."""
    limit = Limit(lower=-1.0, upper=1.0, effort=1.0, velocity=1.0)
    joints: list[Joint] = []
    for at, (below, kind, follows) in enumerate(rows):
        leader = next((each for each in joints if each.type == kind and each.mimic is None), None)
        mimic = Mimic(joint=leader.name) if follows and leader and kind != "fixed" else None
        joints.append(
            Joint(
                name=f"j{at}",
                type=kind,
                parent=f"l{below % (at + 1)}",
                child=f"l{at + 1}",
                origin=Pose(xyz=(0.1, 0.0, 0.2)),
                axis=(0.0, 1.0, 0.0),
                limit=limit,
                mimic=mimic,
            )
        )
    links = tuple(Link(name=f"l{at}") for at in range(len(rows) + 1))
    return retrace_tree(Robot(name="tree", links=links, joints=tuple(joints)))


kinds = st.sampled_from(["revolute", "revolute", "continuous", "prismatic", "fixed", "floating"])
trees = st.lists(st.tuples(st.integers(0, 40), kinds, st.booleans()), max_size=40).map(make_tree)


@settings(max_examples=60, deadline=None)
@given(trees)
def test_what_holds_for_every_tree(tree: KinematicTree) -> None:
    tips = find_tips(tree)
    assert len(tips) <= MOST_TIPS
    links = [tip.link for tip in tips]
    assert len(links) == len(set(links))
    scalar = {each.joint.name for each in tree.joint_motions if each.is_scalar}
    for tip in tips:
        assert len(tip.joints) == len(set(tip.joints)) >= 2
        assert set(tip.joints) <= scalar - set(tree.masters)
    assert find_tips(tree) == tips
    above = [set(tree.ancestors(tree.index[link])) for link in links]
    for at, link in enumerate(links):
        others = above[:at] + above[at + 1 :]
        assert not any(tree.index[link] in each for each in others), "one tip carries another"


def test_thousands_of_limbs_take_no_long_time() -> None:
    rows = [(0 if at % 3 == 0 else at, "revolute", False) for at in range(6000)]
    assert len(find_tips(make_tree(rows))) == MOST_TIPS
