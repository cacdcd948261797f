# SPDX-License-Identifier: GPL-3.0-or-later
"""The elbow of seven joints: the angle as geometry has it, and the pose kept."""

import numpy as np
import pytest

from support.arm_chains import ARMS
from support.cell_jobs import plan_job
from urdf_importer import (
    KinematicsError,
    PlanOptions,
    Waypoint,
    find_swivel,
    forward_kinematics,
    plan_waypoints,
    read_robot,
    turn_elbow,
)

BY_NAME = {arm.name: arm for arm in ARMS}
MARKS = {
    "panda": ("panda_link2", "panda_link4", "panda_link6", "panda_joint1"),
    "xarm7": ("link2", "link4", "link6", "joint1"),
    "iiwa14": ("iiwa_link_2", "iiwa_link_4", "iiwa_link_6", "iiwa_joint_1"),
}


def draw(arm, seed):
    chance = np.random.default_rng(seed)
    return {
        name: float(0.5 * (low + high) + chance.uniform(-0.2, 0.2) * min(high - low, 6.0))
        for name, (low, high) in arm.ranges.items()
    }


@pytest.mark.parametrize("name", ["panda", "xarm7", "iiwa14"])
def test_the_elbow_comes_to_the_angle_and_the_tool_stays(name):
    arm = BY_NAME[name]
    for seed in range(4):
        start = draw(arm, seed)
        found = find_swivel(arm.robot, start, link=arm.link)
        assert found.lower < found.angle < found.upper
        assert found.joints == tuple(arm.ranges)
        there = arm.place(start)
        for share in (0.05, 0.4, 0.95):
            angle = found.lower + share * (found.upper - found.lower)
            turned = turn_elbow(arm.robot, start, angle, link=arm.link)
            again = find_swivel(arm.robot, turned, link=arm.link).angle
            assert np.angle(np.exp(1j * (again - angle))) == pytest.approx(0.0, abs=5e-11)
            assert arm.place(turned) == pytest.approx(there, abs=1e-10)
            for joint, (low, high) in arm.bounds.items():
                assert low - 1e-9 <= turned[joint] <= high + 1e-9


def test_the_angle_is_the_one_of_the_three_points():
    """By Pinocchio's frames: about the line from shoulder to wrist, from the first axis."""
    arm = BY_NAME["panda"]
    start = draw(arm, 1)
    frames = arm.truth.frames(start)
    shoulder, elbow, wrist = (frames[f"panda_link{k}"][:3, 3] for k in (2, 4, 6))
    line = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    flat = [v - (v @ line) * line for v in (np.array([0.0, 0.0, 1.0]), elbow - shoulder)]
    angle = np.arctan2(np.cross(*flat) @ line, flat[0] @ flat[1])
    assert find_swivel(arm.robot, start, link=arm.link).angle == pytest.approx(angle, abs=1e-9)


def test_a_limit_bounds_the_range():
    arm = BY_NAME["panda"]
    start = draw(arm, 2)
    found = find_swivel(arm.robot, start, link=arm.link)
    assert found.bound_above in found.joints and found.bound_below in found.joints
    turned = turn_elbow(arm.robot, start, found.upper - 1e-6, link=arm.link)
    low, high = arm.bounds[found.bound_above]
    assert min(turned[found.bound_above] - low, high - turned[found.bound_above]) < 1e-4


def test_a_waypoint_chooses_its_configuration_by_the_swivel():
    arm = BY_NAME["panda"]
    start = draw(arm, 3)
    found = find_swivel(arm.robot, start, link=arm.link)
    angle = 0.5 * (found.angle + found.upper)
    pose = arm.place(start)
    plan = plan_job(arm, [Waypoint(positions=start), Waypoint(pose=pose, swivel=angle)])
    assert plan.success, plan.message
    last = dict(zip(plan.trajectory.names, plan.trajectory.positions[-1].tolist(), strict=True))
    assert find_swivel(arm.robot, last, link=arm.link).angle == pytest.approx(angle, abs=1e-9)


def test_other_arms_have_no_swivel():
    ur5 = BY_NAME["ur5"]
    with pytest.raises(KinematicsError, match="only arms of seven joints that turn"):
        find_swivel(ur5.robot, {}, link=ur5.link)


def test_a_stretched_elbow_is_said_to_have_no_angle(tmp_path):
    """Seven joints in turn about z and y, straight up; the angle is asked for by a waypoint."""
    links = "".join(f'<link name="l{k}"/>' for k in range(8))
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f'<origin xyz="0 0 0.2"/><axis xyz="{"0 1 0" if k % 2 else "0 0 1"}"/>'
        '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
        for k in range(7)
    )
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="arm">{links}{joints}</robot>')
    robot = read_robot(path)
    with pytest.raises(KinematicsError, match="the elbow has no angle here: the line from"):
        turn_elbow(robot, {}, 0.3, link="l7")
    up = forward_kinematics(robot, {})["l7"]
    points = [Waypoint(positions={"j1": 0.5}), Waypoint(name="up", pose=up, swivel=0.3)]
    plan = plan_waypoints(robot, points, options=PlanOptions(link="l7", collisions=False))
    assert "'up': the elbow does not come to 0.3 rad: the line from" in plan.message
