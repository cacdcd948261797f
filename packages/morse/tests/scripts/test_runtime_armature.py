# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's own Armature actuator and ArmaturePose sensor, run over imported robots."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from morse_support.driven_robots import PATHS, Driven, drive
from morse_support.morse_runtime import Answer
from support.blender.rigs import new_scene
from urdf_importer.core.model import Robot

ALL = sorted(PATHS)
FREE = ["humanoid_arm", "iiwa", "ur5"]
"""Robots that stand within their limits at zero, slide nowhere and have no followers: with these
MORSE's services that wait for all joints come to an end."""

READ = 3e-6
"""Radians: how near MORSE reads a joint to where it was set, from matrices of single precision."""


@pytest.fixture
def driven(request: pytest.FixtureRequest, morse_root: Path) -> Iterator[Driven]:
    new_scene()
    with drive(morse_root, PATHS[request.param]) as made:
        yield made


def on(names: list[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("driven", names, indirect=True)


# What MORSE finds


@on(ALL)
def test_joints_are_those_that_move_from_root_to_tip(driven: Driven) -> None:
    names = list(moving_joints(driven.result.robot))
    assert driven.arm.get_joints() == names
    assert driven.pose.get_joints() == names
    assert list(driven.arm.local_data) == names


def moving_joints(robot: Robot) -> Iterator[str]:
    """Depth first, as the description orders them."""
    children = {joint.child for joint in robot.joints}
    waiting = [link.name for link in robot.links if link.name not in children]
    above = {joint.child: joint for joint in robot.joints}
    while waiting:
        link = waiting.pop()
        if link in above and above[link].type != "fixed":
            yield above[link].name
        waiting += reversed([joint.child for joint in robot.joints if joint.parent == link])


@on(ALL)
def test_each_joint_has_one_axis_which_is_x(driven: Driven) -> None:
    assert set(map(tuple, driven.arm.get_dofs().values())) == {(True, False, False)}


@on(ALL)
def test_limits_are_the_described_ones_as_far_as_blender_and_morse_hold_them(
    driven: Driven,
) -> None:
    for joint in driven.result.robot.joints:
        if joint.type not in ("revolute", "continuous", "prismatic"):
            continue
        lower, upper = driven.limits(joint.name)
        wanted = (max(min(lower, 0.0), -math.pi), min(max(upper, 0.0), math.pi))
        if joint.type == "prismatic":
            wanted = (0.0, min(upper, 1.0))
        assert driven.arm.get_IK_limits(joint.name) == pytest.approx(wanted, abs=1e-6)


@on(ALL)
def test_lengths_are_those_of_the_bones_in_any_pose(driven: Driven) -> None:
    bones = driven.armature.data.bones
    driven.set(driven.choose(5, driven.turning))
    lengths = driven.pose.get_joints_length()
    assert lengths == pytest.approx({bone.name: bone.length for bone in bones}, rel=1e-5)


# Positions at once


@on(ALL)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rotations_within_limits_are_read_back_and_put_every_link_in_place(
    driven: Driven, seed: int
) -> None:
    positions = driven.choose(seed, driven.turning)
    slid = driven.choose(seed, driven.sliding)
    driven.set(positions | slid)
    reported = driven.assert_stands(slid)
    assert {name: reported[name] for name in positions} == pytest.approx(positions, abs=READ)
    assert {n: driven.arm.local_data[n] for n in positions} == pytest.approx(positions)


@on(["humanoid_arm", "iiwa", "pr2", "talos", "ur5"])
def test_set_rotations_sets_a_chain_from_the_root(driven: Driven) -> None:
    """Up to the first joint that slides, beyond which MORSE sets nothing in one call."""
    names: list[str] = []
    for name in driven.arm.get_joints():
        if name in driven.sliding:
            break
        names.append(name)
    positions = driven.choose(7, [name for name in names if name in driven.turning])
    values = [positions.get(name, 0.0) for name in names]
    driven.runtime.frame(lambda: driven.arm.set_rotations(values))
    slid = dict.fromkeys(driven.sliding, 0.0)
    reported = driven.assert_stands(slid)
    assert {name: reported[name] for name in positions} == pytest.approx(positions, abs=READ)


@on(FREE)
@pytest.mark.parametrize("count", [3, 20])
def test_too_few_or_too_many_rotations_set_what_there_is(driven: Driven, count: int) -> None:
    driven.runtime.frame(lambda: driven.arm.set_rotations([0.125] * count))
    names = driven.arm.get_joints()
    within = {n: min(0.125, driven.limits(n)[1]) for n in names[:count]}
    wanted = dict.fromkeys(names, 0.0) | within
    assert driven.assert_stands() == pytest.approx(wanted, abs=READ)


@on([name for name in ALL if name != "gantry"])
@pytest.mark.parametrize("side", [-1, 1])
def test_rotations_beyond_limits_stop_at_them(driven: Driven, side: int) -> None:
    """At MORSE's limits; where the described ones are narrower (they need not hold zero), the rig
    stops at those."""
    driven.set(dict.fromkeys(driven.turning, side * 1000.0))
    reported = driven.assert_stands(dict.fromkeys(driven.sliding, 0.0))
    for name in driven.turning:
        morse = driven.arm.get_IK_limits(name)[side > 0]
        assert driven.arm.local_data[name] == morse
        lower, upper = driven.limits(name)
        difference = reported[name] - min(max(morse, lower), upper)
        assert math.remainder(difference, math.tau) == pytest.approx(0.0, abs=READ), name


@on(["gantry"])
def test_translations_stop_at_zero_and_at_the_upper_limit(driven: Driven) -> None:
    """MORSE slides nothing below zero, whatever the description says."""
    for asked, stands in {
        0.25: (0.25, 0.25, 0.25),
        3.0: (0.5, 0.32, 0.42),
        -0.1: (0, 0, 0),
    }.items():
        driven.set(dict.fromkeys(driven.sliding, asked))
        wanted = dict(zip(driven.sliding, stands, strict=True))
        assert driven.arm.local_data == pytest.approx(wanted)
        driven.assert_stands(wanted)


@on(["gantry"])
def test_set_translations_sets_a_chain_from_the_root(driven: Driven) -> None:
    driven.runtime.frame(lambda: driven.arm.set_translations([0.1, 0.2, 0.3, 0.4]))
    driven.assert_stands({"x_axis": 0.1, "y_axis": 0.2, "z_axis": 0.3})


@on(["gantry", "panda", "pr2"])
def test_morse_takes_the_height_of_a_head_in_the_armature_for_a_translation(
    driven: Driven,
) -> None:
    positions = driven.choose(4, driven.turning)
    slid = driven.choose(4, driven.sliding)
    driven.set(positions | slid)
    driven.assert_stands(slid)
    children = {joint.name: joint.child for joint in driven.result.robot.joints}
    for name in driven.sliding:
        link = driven.result.links[children[name]]
        height = (driven.armature.matrix_world.inverted() @ link.matrix_world).translation.z
        assert driven.pose.get_joint(name) == pytest.approx(height, abs=1e-6)


# Wrong calls


@on(["panda"])
def test_wrong_kinds_of_joints_are_refused_by_morse_and_move_nothing(driven: Driven) -> None:
    arm, error = driven.arm, driven.runtime.error("MorseRPCInvokationError")
    before = dict(arm.local_data)
    calls: list[Callable[[], object]] = [
        lambda: arm.set_translation("panda_joint1", 0.1),
        lambda: arm.set_rotation("panda_finger_joint1", 0.1),
        lambda: arm.set_rotation("panda_joint99", 0.1),
        lambda: arm.set_translations([0.1]),
        lambda: arm.translate(Answer(), "panda_joint1", 0.1),
        lambda: arm.rotate(Answer(), "panda_finger_joint1", 0.1),
        lambda: arm.get_IK_limits("panda_joint99"),
        lambda: arm.place_IK_target("panda_joint1", [0.0, 0.0, 0.0]),
        lambda: driven.pose.get_joint("panda_joint99"),
    ]
    for call in calls:
        with pytest.raises(error):
            call()
    # MORSE names a variable that it never set where it means to say the same.
    with pytest.raises(NameError):
        arm.set_rotations([0.1] * 9)
    assert dict(arm.local_data) == before


# Over time


@on(FREE)
def test_rotate_moves_at_its_speed_until_it_is_there(driven: Driven) -> None:
    arm, runtime = driven.arm, driven.runtime
    joint = driven.arm.get_joints()[1]
    goal = 0.5 * max(driven.limits(joint), key=abs)
    goal = math.copysign(min(abs(goal), 1.0), goal)
    for speeds in ([], [0.3]):
        driven.set(dict.fromkeys(driven.turning, 0.0))
        answer = Answer()
        arm.rotate(answer, joint, goal, *speeds)
        frames = runtime.run_until_answered(answer, most=600)
        assert answer.given == [("SUCCESS", None)]
        step = (speeds or [0.8])[0] / runtime.game.tick_rate
        # The frame that says so is one more than those that move, down to MORSE's tolerance.
        assert frames == pytest.approx(1 + (abs(goal) - arm.angle_tolerance) / step, abs=1.01)
        reported = driven.assert_stands()
        assert reported.pop(joint) == pytest.approx(goal, abs=arm.angle_tolerance)
        assert list(reported.values()) == pytest.approx([0.0] * len(reported), abs=READ)


@on(FREE)
def test_frames_on_the_way_stand_where_the_sensor_says(driven: Driven) -> None:
    goals = driven.choose(11, driven.turning)
    answer = Answer()
    driven.arm.rotate_joints(answer, goals, 1.0)
    seen = []
    while not answer.given:
        for _ in range(9):
            driven.runtime.frame()
        seen.append(driven.assert_stands())
        assert len(seen) < 60
    assert seen[-1] == pytest.approx(goals, abs=driven.arm.angle_tolerance)
    for name, goal in goals.items():
        way = [positions[name] * np.sign(goal) for positions in seen]
        assert all(np.diff(way) >= -READ) or abs(goal) < driven.arm.angle_tolerance


@on(FREE)
def test_a_second_service_takes_the_place_of_the_first(driven: Driven) -> None:
    first, second = Answer(), Answer()
    joint, other = driven.turning[:2]
    driven.arm.rotate(first, joint, 0.9)
    driven.runtime.frame()
    driven.runtime.frame()
    driven.arm.rotate(second, other, 0.0)
    assert first.given == [("PREEMPTED", None)]
    driven.runtime.run_until_answered(second, most=10)
    assert second.status == "SUCCESS"
    assert 0.0 < driven.assert_stands()[joint] < 0.1


@on(["humanoid_arm", "iiwa", "panda", "talos", "ur5"])
def test_a_trajectory_passes_its_points_at_their_times(driven: Driven) -> None:
    names, step = driven.arm.get_joints(), 1 / driven.runtime.game.tick_rate
    points = [dict.fromkeys(names, 0.0) | driven.choose(s, driven.turning) for s in (21, 22)]
    times = [1.5, 3.0]
    answer = Answer()
    trajectory = {
        "points": [
            {"positions": [point[name] for name in names], "time_from_start": time}
            for point, time in zip(points, times, strict=True)
        ]
    }
    driven.runtime.frame()
    before = driven.state()
    driven.arm.trajectory(answer, trajectory)
    for point in points:
        for _ in range(round(1.5 / step)):
            driven.runtime.frame()
        reported = driven.state()
        for name in driven.turning:
            # MORSE holds a joint for arrived within its tolerance, and starts a frame late.
            speed = abs(point[name] - before[name]) / 1.5
            within = driven.arm.angle_tolerance + 2 * speed * step
            assert reported[name] == pytest.approx(point[name], abs=within), name
        before = reported
    driven.runtime.run_until_answered(answer, most=3)
    assert answer.status == "SUCCESS"
    if not driven.sliding:
        driven.assert_stands()


@on(["ur5"])
def test_a_trajectory_that_lacks_a_key_fails(driven: Driven) -> None:
    answer = Answer()
    driven.runtime.frame()
    driven.arm.trajectory(answer, {"points": [{"positions": [0.0] * 6}]})
    driven.runtime.frame()
    assert answer.status == "FAILED" and "time_from_start" in answer.given[0][1]


# The sensor


@on(ALL)
def test_the_sensor_streams_what_its_services_say_a_frame_later(driven: Driven) -> None:
    """Sensors run before the pose of their frame is evaluated."""
    driven.set(driven.choose(9, driven.turning))
    state = driven.pose.get_state()
    assert state == {name: driven.pose.get_joint(name) for name in driven.pose.get_joints()}
    driven.runtime.frame()
    streamed: dict[str, Any] = dict(driven.pose.local_data)
    assert streamed.pop("timestamp") == pytest.approx(2 / driven.runtime.game.tick_rate)
    assert streamed == state
