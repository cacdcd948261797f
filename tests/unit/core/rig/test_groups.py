# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints share a bone."""

import math

import pytest

from urdf_importer.core.model import Link, Mimic

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
AWAY = (0.0, 0.0, 0.4)


def joint_bones(plan):
    return [bone.name for bone in plan.bones if bone.collection == "Joints"]


def turn(axis, **fields):
    return {"axis": axis} | fields


def slide(axis, **fields):
    return {"axis": axis, "type": "prismatic"} | fields


@pytest.mark.parametrize(
    ("joints", "bones"),
    [
        pytest.param([turn(X), turn(Y)], ["j1>j2"], id="two orthogonal turns"),
        pytest.param([turn(Z), turn(X), turn(Y)], ["j1>j2>j3"], id="three orthogonal turns"),
        pytest.param([turn(X), turn(X)], ["j1", "j2"], id="parallel turns"),
        pytest.param([turn(X), turn((1.0, 1.0, 0.0))], ["j1", "j2"], id="oblique turns"),
        pytest.param([turn(X), turn(Y), turn(X)], ["j1>j2", "j3"], id="wrist of three in a plane"),
        pytest.param([turn(X), turn(Y), turn(Z), turn(X)], ["j1>j2>j3", "j4"], id="four turns"),
        pytest.param([slide(X), turn(Z)], ["j1>j2"], id="slide then turn across"),
        pytest.param([slide(Z), turn(Z)], ["j1>j2"], id="slide then turn along"),
        pytest.param([turn(Z), slide(Z)], ["j1", "j2"], id="slide after turn"),
        pytest.param([slide(X), slide(Y), turn(Z)], ["j1>j2>j3"], id="mobile base"),
        pytest.param([slide(X), slide(X)], ["j1", "j2"], id="parallel slides"),
        pytest.param([slide((1.0, 1.0, 0.0)), turn(X)], ["j1", "j2"], id="oblique slide"),
        pytest.param([turn(X), turn(Y, xyz=AWAY)], ["j1", "j2"], id="apart"),
        pytest.param([turn(X), turn(Y, xyz=(1e-9, 0, 0))], ["j1>j2"], id="apart by nothing"),
        pytest.param([turn(X), turn(Y, rpy=(0, 0, math.pi))], ["j1>j2"], id="turned frame between"),
        pytest.param([turn(X), turn(X, rpy=(0, 0, math.pi / 2))], ["j1>j2"], id="axis by frame"),
        pytest.param([turn(X), turn(X, rpy=(0, 0, 1.5708))], ["j1>j2"], id="1.5708 for pi/2"),
        pytest.param([turn(X), turn(X, rpy=(0, 0, 1.57))], ["j1", "j2"], id="1.57 for pi/2"),
        pytest.param([turn(X), {"type": "floating"}, turn(Y)], ["j1", "j2", "j3"], id="floating"),
        pytest.param([{"type": "planar"}, turn(X)], ["j1", "j2"], id="planar"),
        pytest.param([turn(X), turn(Y, mimic=Mimic(joint="j1"))], ["j1", "j2"], id="follower"),
    ],
)
def test_zero_length_chains(chain, plan_clean, joints, bones):
    assert joint_bones(plan_clean(chain(*joints))) == bones


def test_misfits_on_the_way_to_a_link_add_up(chain, plan_clean):
    """Two bones of axes that are off by 3.7e-6 would leave links off by more than 1e-5."""
    off = {"rpy": (0.0, 0.0, 1.5708)}
    robot = chain(turn(X), turn(X, **off), turn(X, xyz=AWAY), turn(X, **off))
    assert joint_bones(plan_clean(robot)) == ["j1>j2", "j3", "j4"]


def test_option_keeps_joints_separate(chain, plan_clean):
    for never in ("never", False):
        plan = plan_clean(chain(turn(X), turn(Y), turn(Z)), combine_joints=never)
        assert joint_bones(plan) == ["j1", "j2", "j3"]


def test_balls_are_three_joints_that_turn(chain, plan_clean):
    robot = chain(
        *(turn(X), turn(Y), turn(Z)),  # a shoulder
        turn(X, xyz=AWAY),
        *(turn(X, xyz=AWAY), turn(Y)),  # an ankle
        *(slide(X, xyz=AWAY), turn(Y), turn(Z)),
    )
    exact = ["j1>j2>j3", "j4", "j5>j6", "j7>j8>j9"]
    assert joint_bones(plan_clean(robot)) == exact
    assert joint_bones(plan_clean(robot, combine_joints=True)) == exact
    balls = ["j1>j2>j3", "j4", "j5", "j6", "j7", "j8", "j9"]
    assert joint_bones(plan_clean(robot, combine_joints="balls")) == balls


def test_second_moving_joint_between_ends_the_chain(make_joint, make_robot, plan_clean):
    robot = make_robot(
        [
            make_joint("hip", "body", "between", axis=X),
            make_joint("leg", "between", "thigh", axis=Y),
            make_joint("flap", "between", "cover", axis=Y, xyz=AWAY),
        ]
    )
    assert joint_bones(plan_clean(robot)) == ["hip", "leg", "flap"]


def test_second_fixed_joint_between_does_not(make_joint, make_robot, plan_clean):
    robot = make_robot(
        [
            make_joint("hip", "body", "between", axis=X),
            make_joint("leg", "between", "thigh", axis=Y),
            make_joint("glued", "between", "sensor", type="fixed", xyz=AWAY),
        ]
    )
    plan = plan_clean(robot)
    assert joint_bones(plan) == ["hip>leg"]
    carriers = {link.link.name: link.bone for link in plan.links}
    assert carriers == {
        "body": "", "between": "MCH-hip", "sensor": "MCH-hip", "thigh": "hip>leg",
    }  # fmt: skip


@pytest.mark.parametrize(("option", "bones"), [("bones", ["j1", "j3"]), ("fold", ["j1>j3"])])
def test_fixed_joint_in_the_chain(chain, plan_clean, option, bones):
    robot = chain(turn(X), {"type": "fixed"}, turn(Y))
    assert joint_bones(plan_clean(robot, fixed_joints=option)) == bones


def test_siblings_at_one_point_are_separate_bones(make_joint, make_robot, plan_clean):
    robot = make_robot([make_joint("a", "r", "x", axis=X), make_joint("b", "r", "y", axis=Y)])
    plan = plan_clean(robot)
    assert joint_bones(plan) == ["a", "b"]
    assert len({bone.name for bone in plan.bones}) == len(plan.bones)


def test_first_joint_is_the_outermost_and_two_leave_the_middle_free(chain, plan_clean):
    """X then Z is ZYX in Blender's words, whose names begin with the innermost."""
    robot = chain(turn(X), turn(Z), {"type": "fixed", "xyz": (0.0, 0.3, 0.0)})
    (bone,) = [b for b in plan_clean(robot).bones if b.collection == "Joints"]
    assert bone.rotation_mode == "ZYX"


def test_sign_is_recorded_where_handedness_needs_it(chain, plan_clean):
    robot = chain(turn(X), turn(Y), turn(Z), {"type": "fixed", "xyz": (0.5, 0.0, 0.0)})
    signs = {joint.joint.name: joint.sign for joint in plan_clean(robot).joints}
    assert signs == {"j1": 1, "j2": 1, "j3": -1}


def test_link_with_mass_between_hangs_on_the_first_joint_only(chain, plan_clean):
    plan = plan_clean(chain(turn(X), turn(Y), turn(Z)))
    assert [link.bone for link in plan.links] == ["", "MCH-j1", "MCH-j2", "j1>j2>j3"]
    assert plan.bone_of_joint == dict.fromkeys(("j1", "j2", "j3"), "j1>j2>j3")
    assert isinstance(plan.links[1].link, Link)
