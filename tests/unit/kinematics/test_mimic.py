# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that follow others."""

from dataclasses import replace

import pytest

from support.seconds import within
from urdf_importer.diagnostics import Diagnostics
from urdf_importer.kinematics.forward import complete_positions
from urdf_importer.kinematics.motion import follow_to_masters
from urdf_importer.kinematics.tree import plan_tree
from urdf_importer.model import Link, Mimic
from urdf_importer.readers import read_robot_text


def motions_of(robot, *codes):
    diagnostics = Diagnostics()
    tree = plan_tree(robot, diagnostics)
    assert [item.code for item in diagnostics] == list(codes)
    return tree.joint_motions


def followers(motions):
    return {m.joint.name: m.mimic.joint for m in motions if m.mimic}


def test_chain_is_multiplied_out(chain):
    robot = chain(
        {},
        {"mimic": Mimic(joint="j1", multiplier=2.0, offset=0.25)},
        {"mimic": Mimic(joint="j2", multiplier=-0.5, offset=0.1)},
    )
    masters = follow_to_masters(motions_of(robot))
    assert masters["j2"] == Mimic(joint="j1", multiplier=2.0, offset=0.25)
    assert masters["j3"] == Mimic(joint="j1", multiplier=-1.0, offset=pytest.approx(-0.025))


def test_followers_follow_whatever_is_said_of_them(chain):
    robot = chain({}, {"mimic": Mimic(joint="j1", multiplier=2.0, offset=0.25)})
    positions = complete_positions(motions_of(robot), {"j1": 0.5, "j2": 99.0})
    assert positions == {"j1": 0.5, "j2": 1.25}


def test_source_at_zero_still_gives_the_offset(chain):
    robot = chain({}, {"mimic": Mimic(joint="j1", offset=0.25)})
    assert complete_positions(motions_of(robot), {}) == {"j2": 0.25}


def test_turning_joint_may_follow_a_sliding_one(chain):
    robot = chain({"type": "prismatic"}, {"mimic": Mimic(joint="j1", multiplier=10.0)})
    assert followers(motions_of(robot)) == {"j2": "j1"}


def test_unknown_source(chain):
    robot = chain({"mimic": Mimic(joint="ghost")})
    assert followers(motions_of(robot, "mimic-unknown-joint")) == {}


@pytest.mark.parametrize("kind", ["fixed", "floating", "planar"])
def test_source_without_a_single_position(chain, kind):
    robot = chain({"type": kind}, {"mimic": Mimic(joint="j1")})
    assert followers(motions_of(robot, "mimic-ignored")) == {}


def test_fixed_joint_can_not_follow(chain):
    robot = chain({}, {"type": "fixed", "mimic": Mimic(joint="j1")})
    assert followers(motions_of(robot, "mimic-ignored")) == {}


def test_joint_that_mimics_itself(chain):
    assert followers(motions_of(chain({"mimic": Mimic(joint="j1")}), "mimic-ring")) == {}


def test_only_joints_on_the_ring_are_set_free(chain):
    robot = chain(
        {"mimic": Mimic(joint="j3")},
        {"mimic": Mimic(joint="j1")},
        {"mimic": Mimic(joint="j2")},
        {"mimic": Mimic(joint="j3", multiplier=3.0)},
    )
    motions = motions_of(robot, "mimic-ring", "mimic-ring", "mimic-ring")
    assert followers(motions) == {"j4": "j3"}


def test_long_chain_of_followers_takes_linear_time(chain):
    robot = chain({}, *({"mimic": Mimic(joint=f"j{i}", offset=1.0)} for i in range(1, 3000)))
    assert follow_to_masters(motions_of(robot))["j3000"].offset == 2999.0


HAND = """<robot name="hand"><link name="palm"/>{links}{joints}</robot>"""


def finger(side, source):
    """A finger of two joints, the second of which mimics `source`."""
    links = "".join(f"<link name='{side}_{n}'/>" for n in ("arm", "one", "two"))
    joints = ""
    for name, parent, child, more in (
        ("shoulder", "palm", f"{side}_arm", ""),
        ("pinky_q1", f"{side}_arm", f"{side}_one", ""),
        ("pinky_q2", f"{side}_one", f"{side}_two", f"<mimic joint='{source}'/>"),
    ):
        joints += (
            f"<joint name='{side}_{name}' type='revolute'><parent link='{parent}'/>"
            f"<child link='{child}'/><axis xyz='1 0 0'/>"
            f"<limit lower='0' upper='1' effort='1' velocity='1'/>{more}</joint>"
        )
    return links, joints


def read_hands(*fingers):
    links, joints = ("".join(parts) for parts in zip(*fingers, strict=True))
    text = HAND.format(links=links, joints=joints)
    return read_robot_text(text.encode(), "hand.urdf", Diagnostics())


def test_of_joints_whose_names_end_so_the_one_in_the_same_limb_is_followed():
    robot = read_hands(finger("Right", "pinky_q1"), finger("Left", "pinky_q1"))
    diagnostics = Diagnostics()
    tree = plan_tree(robot, diagnostics)
    assert followers(tree.joint_motions) == {
        "Right_pinky_q2": "Right_pinky_q1",
        "Left_pinky_q2": "Left_pinky_q1",
    }
    assert [item.code for item in diagnostics] == ["mimic-unknown-joint"] * 2
    assert "'Right_pinky_q1' is taken" in next(iter(diagnostics)).message


def test_of_two_joints_as_near_none_is_followed(chain):
    robot = read_hands(finger("Right", "Right_pinky_q1"), finger("Left", "Left_pinky_q1"))
    (shoulder, *others) = robot.joints
    base = replace(shoulder, name="base", parent="world", child="palm")
    asking = replace(base, mimic=Mimic(joint="pinky_q1"))
    robot = replace(robot, links=(Link(name="world"), *robot.links))
    robot = replace(robot, joints=(asking, shoulder, *others))
    diagnostics = Diagnostics()
    assert "base" not in followers(plan_tree(robot, diagnostics).joint_motions)
    (found,) = diagnostics
    assert "one of 'Right_pinky_q1', 'Left_pinky_q1' is likely meant" in found.message


def test_many_unknown_sources_take_linear_time():
    count = 4000
    links = "".join(f"<link name='l{n}'/>" for n in range(count + 1))
    joints = "".join(
        f"<joint name='j{n}' type='continuous'><parent link='l{n}'/><child link='l{n + 1}'/>"
        "<axis xyz='1 0 0'/><mimic joint='j'/></joint>"
        for n in range(count)
    )
    text = f"<robot name='r'>{links}{joints}</robot>"
    robot = read_robot_text(text.encode(), "r.urdf", Diagnostics())
    for _ in within(10):
        assert followers(plan_tree(robot, Diagnostics()).joint_motions) == {}
