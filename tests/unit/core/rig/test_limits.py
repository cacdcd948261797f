# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits and mimic as native constraints and drivers."""

import math

import pytest

from urdf_importer.core.model import Limit, Mimic
from urdf_importer.core.rig.rig_plan import CopyAllPlan, CopyPlan, LimitPlan

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def within(lower, upper, axis=X, **fields):
    return {"axis": axis, "limit": Limit(lower=lower, upper=upper)} | fields


def limits(plan):
    return [c for c in plan.constraints if isinstance(c, LimitPlan)]


def test_turning_joint_is_limited_about_x(chain, plan_clean):
    (limit,) = limits(plan_clean(chain(within(-1.0, 2.0))))
    assert (limit.bone, limit.property) == ("j1", "rotation_euler")
    assert limit.lower == (-1.0, None, None) and limit.upper == (2.0, None, None)


def test_sliding_joint_may_be_limited_on_one_side(chain, plan_clean):
    (limit,) = limits(plan_clean(chain(within(-0.5, 1e16, type="prismatic"))))
    assert limit.property == "location"
    assert limit.lower == (-0.5, None, None) and limit.upper == (None, None, None)


@pytest.mark.parametrize("joint", [{"type": "continuous"}, within(-1e16, 1e16)])
def test_unbounded_joints_have_no_limit(chain, plan_clean, joint):
    assert not limits(plan_clean(chain(joint)))


def test_option_leaves_limits_out_but_keeps_the_numbers(chain, plan_clean):
    plan = plan_clean(chain(within(-1.0, 2.0)), enforce_limits=False)
    assert not plan.constraints
    assert (plan.joints[0].lower, plan.joints[0].upper) == (-1.0, 2.0)


def test_negative_sign_swaps_the_limits(chain, plan_clean):
    robot = chain(within(-0.1, 0.2, X), within(-0.3, 0.4, Y), within(-0.5, 0.6, Z),
                  {"type": "fixed", "xyz": (0.5, 0.0, 0.0)})  # fmt: skip
    plan = plan_clean(robot)
    (limit,) = limits(plan)
    signs = {joint.joint.name: joint.sign for joint in plan.joints}
    index = {joint.joint.name: joint.channels[0].index for joint in plan.joints}
    assert signs["j3"] == -1
    assert limit.lower[index["j3"]] == -0.6 and limit.upper[index["j3"]] == 0.5
    assert limit.lower[index["j1"]] == -0.1 and limit.upper[index["j1"]] == 0.2


@pytest.mark.parametrize(
    ("ranges", "bone"),
    [
        pytest.param([1.0, 1.0, 1.0], False, id="narrow"),
        pytest.param([3.0, 1.5, 3.0], True, id="sum beyond 270 degrees"),
        pytest.param([0.5, 1.57, 0.5], True, id="middle at gimbal lock"),
        pytest.param([3.0, 3.0], True, id="two wide ones"),
        pytest.param([2.0, 2.0], False, id="two narrow ones"),
        pytest.param([7.0], False, id="one alone is never wrong"),
    ],
)
def test_limit_bone_only_where_native_limits_could_go_wrong(chain, plan_clean, ranges, bone):
    robot = chain(*(within(-w, w, axis) for w, axis in zip(ranges, (X, Y, Z), strict=False)))
    plan = plan_clean(robot)
    copies = [c for c in plan.constraints if isinstance(c, CopyAllPlan)]
    assert bool(copies) == bone and bool(limits(plan)) != bone
    if bone:
        (copy,) = copies
        assert copy.target == f"LIM-{copy.bone}"
        drivers = [d for d in plan.drivers if d.channel.bone == copy.target]
        assert [d.expression for d in drivers] == [f"clamp(q, {-w!r}, {w!r})" for w in ranges]


def test_locked_joint_can_not_be_moved(chain, plan_clean):
    plan = plan_clean(chain(within(0.25, 0.25)), "zero-outside-limits")
    assert plan.bones[0].free == () and plan.bones[0].turns == ()
    assert plan.joints[0].initial == 0.25


@pytest.mark.parametrize(
    ("lower", "upper", "ik"),
    [(-1.0, 2.0, (-1.0, 2.0)), (0.5, 1.0, (0.0, 1.0)), (-4.0, 1.0, (-math.pi, 1.0)),
     (-4.0, 4.0, None)],
)  # fmt: skip
def test_ik_limits_hold_zero_within_half_a_turn(chain, plan_clean, lower, upper, ik):
    codes = ["zero-outside-limits"] if lower > 0 else []
    plan = plan_clean(chain(within(lower, upper)), *codes)
    assert plan.bones[0].ik_limits == (ik, None, None)


def test_mechanism_bones_copy_from_the_next_larger_one(chain, plan_clean):
    plan = plan_clean(chain(*(within(-1, 1, axis) for axis in (X, Y, Z))))
    copies = {c.bone: c for c in plan.constraints if isinstance(c, CopyPlan)}
    assert copies["MCH-j1"].target == "MCH-j2" and len(copies["MCH-j1"].axes) == 1
    assert copies["MCH-j2"].target == "j1>j2>j3" and len(copies["MCH-j2"].axes) == 2
    assert len([d for d in plan.drivers if d.channel.bone == "MCH-j2"]) == 2


def driver_of(plan, bone):
    (driver,) = [d for d in plan.drivers if d.channel.bone == bone]
    return driver


def test_follower_reads_what_limits_and_ik_made_of_its_source(chain, plan_clean):
    robot = chain(
        within(-1, 1),
        within(-1, 1, xyz=(0, 0.2, 0), mimic=Mimic(joint="j1", multiplier=-2.0, offset=0.5)),
    )
    driver = driver_of(plan_clean(robot, "mimic-limits"), "j2")
    assert driver.evaluated and driver.source.bone == "j1"
    assert driver.expression == "-2.0 * (q if abs(q - r) < 0.0001 else r) + 0.5"


def test_follower_has_no_limit_of_its_own_and_is_read_only(chain, plan_clean):
    robot = chain(within(-1, 1), within(-0.1, 0.1, xyz=(0, 0.2, 0), mimic=Mimic(joint="j1")))
    plan = plan_clean(robot, "mimic-limits")
    assert [limit.bone for limit in limits(plan)] == ["j1"]
    assert plan.bones[1].free == () and plan.joints[1].mimics == "j1"


def test_follower_above_its_source_reads_the_number_set(chain, plan_clean):
    """The source's place depends on the follower: reading it evaluated would be a cycle."""
    robot = chain(
        within(-1, 1, mimic=Mimic(joint="j2", multiplier=3.0)), within(-0.5, 1.0, xyz=(0, 0.2, 0))
    )
    driver = driver_of(plan_clean(robot, "mimic-limits"), "j1")
    assert not driver.evaluated
    assert driver.expression == "3.0 * clamp(q, -0.5, 1.0) + 0.0"


def test_follower_of_a_combined_bone_reads_the_number_set(chain, plan_clean):
    robot = chain(
        within(-1, 1, X), within(-1, 1, Y), within(-1, 1, xyz=(0, 0.2, 0), mimic=Mimic(joint="j1"))
    )
    assert not driver_of(plan_clean(robot), "j3").evaluated
