# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints in the groups in which people think of them."""

import random

import pytest

from urdf_importer.core.kinematics.chains import MOST_JOINTS, MOST_TOGETHER, group_chains


def grouped(**parents: str) -> dict[str, tuple[str, ...]]:
    return {chain.title: chain.joints for chain in group_chains(parents)}


def test_nothing_moves() -> None:
    assert group_chains({}) == ()


def test_a_chain_is_named_by_what_its_joints_have_in_common() -> None:
    assert grouped(arm_1_joint="", arm_2_joint="arm_1_joint") == {
        "arm": ("arm_1_joint", "arm_2_joint")
    }
    assert list(grouped(panda_joint1="", panda_joint2="panda_joint1")) == ["panda_joint"]
    assert list(grouped(shoulder="", elbow="shoulder", wrist="elbow")) == ["shoulder"]
    assert list(grouped(left_wheel="", right_wheel="")) == ["wheel"]
    assert list(grouped(armour="", arm="armour")) == ["armour"]


def test_chains_are_cut_where_the_tree_branches() -> None:
    assert grouped(
        torso_1="", torso_2="torso_1",
        left_1="torso_2", left_2="left_1",
        right_1="torso_2", right_2="right_1",
    ) == {
        "torso": ("torso_1", "torso_2"),
        "left": ("left_1", "left_2"),
        "right": ("right_1", "right_2"),
    }  # fmt: skip


def test_a_small_tree_of_one_name_is_one_group() -> None:
    hand = {f"hand_{i}": f"hand_{(i - 1) // 2}" if i else "wrist" for i in range(10)}
    chains = group_chains({"wrist": "", "hand_more": "wrist"} | hand)
    assert chains[0].title == "wrist" and len(chains) > 2
    del hand["hand_9"]
    chains = group_chains({"wrist": "", "hand_more": "wrist"} | hand)
    assert [(chain.title, len(chain.joints)) for chain in chains] == [("wrist", 1), ("hand", 10)]


def test_what_ends_after_a_branch_is_one_group() -> None:
    assert grouped(
        wrist="", finger_left="wrist", thumb_1="wrist", thumb_2="thumb_1", finger_right="wrist"
    ) == {
        "wrist": ("wrist",),
        "finger": ("finger_left", "finger_right"),
        "thumb": ("thumb_1", "thumb_2"),
    }


def test_two_chains_of_one_name_are_told_apart() -> None:
    parents = {"a": ""} | {f"x_{i}": f"x_{i - 1}" if i % 10 else "a" for i in range(20)}
    titles = [chain.title for chain in group_chains(parents)]
    assert titles == ["a", "x_0", "x_10"]


@pytest.mark.parametrize("count", [MOST_JOINTS, MOST_JOINTS + 1, 10_000])
def test_long_chains_are_cut_in_pieces(count: int) -> None:
    parents = {f"j{i}": f"j{i - 1}" if i else "" for i in range(count)}
    chains = group_chains(parents)
    assert len(chains) == -(-count // MOST_JOINTS)
    assert [joint for chain in chains for joint in chain.joints] == list(parents)
    assert len({chain.title for chain in chains}) == len(chains)


@pytest.mark.parametrize("seed", range(20))
def test_every_joint_is_in_one_chain(seed: int) -> None:
    chance = random.Random(seed)
    names = [f"part{chance.randrange(4)}_{i}" for i in range(200)]
    parents = {name: chance.choice(["", *names[:i]]) for i, name in enumerate(names)}
    chains = group_chains(parents)
    assert sorted(joint for chain in chains for joint in chain.joints) == sorted(names)
    for chain in chains:
        kin = [parents[joint] for joint in chain.joints]
        follows = all(a == b for a, b in zip(kin[1:], chain.joints, strict=False))
        assert follows or len(set(kin)) == 1 or len(kin) <= MOST_TOGETHER


def test_a_number_is_no_title() -> None:
    """Legs whose joints share nothing but their number."""
    parents = {f"{part}{leg}": f"{above}{leg}" if above else "" for leg in "12" for part, above in
               (("coxa_", ""), ("femur_", "coxa_"))}  # fmt: skip
    assert [chain.title for chain in group_chains(parents)] == ["coxa_1", "coxa_2"]
