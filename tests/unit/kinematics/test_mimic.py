# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that follow others."""

import pytest

from urdf_importer.diagnostics import Diagnostics
from urdf_importer.kinematics.forward import complete_positions
from urdf_importer.kinematics.motion import follow_to_masters
from urdf_importer.kinematics.tree import plan_tree
from urdf_importer.model import Mimic


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
