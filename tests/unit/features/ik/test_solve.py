# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics: answers hold in an independent library, or are none."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.arm_chains import ARMS
from support.seconds import within
from support.strategies import Wishes, robots_with_positions
from urdf_importer import (
    Diagnostics,
    IKOptions,
    IKResult,
    KinematicsError,
    find_solutions,
    forward_kinematics,
    inverse_kinematics,
)
from urdf_importer.core.geometry.transforms import rotations_about
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.model import Joint, Limit, Link, Mimic, Pose, Robot
from urdf_importer.features.ik.descent import logarithms

BY_NAME = {arm.name: arm for arm in ARMS}
PLENTY = 20.0
"""Seconds: on a busy machine no answer is to be cut short."""


def robot_of(*joints):
    names = dict.fromkeys(name for joint in joints for name in (joint.parent, joint.child))
    return Robot(name="r", links=tuple(Link(name=name) for name in names), joints=joints)


def joint(name, parent, child, kind="revolute", xyz=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), **more):
    limit = more.pop("limit", (-3.0, 3.0))
    bounds = None if limit is None else Limit(lower=limit[0], upper=limit[1])
    return Joint(
        name=name, type=kind, parent=parent, child=child, origin=Pose(xyz=xyz), axis=axis,
        limit=bounds, **more,
    )  # fmt: skip


def planar_arm(**more):
    """Two links of 0.5 and 0.3 m that turn in a plane."""
    return robot_of(
        joint("a", "base", "upper", **more),
        joint("b", "upper", "lower", xyz=(0.5, 0.0, 0.0), **more),
        joint("tip", "lower", "hand", "fixed", xyz=(0.3, 0.0, 0.0)),
    )


def limits_of(robot):
    return {m.joint.name: m for m in plan_tree(robot, Diagnostics()).joint_motions}


def check_inside(robot, positions):
    motions = limits_of(robot)
    for name, position in positions.items():
        if isinstance(position, float):
            assert motions[name].nearest_valid(position) == position


def check_answer(robot, link, target, result, *, base=None, position=True, orientation=True):
    """An answer holds by forward kinematics, which Pinocchio agrees with; a failure keeps still."""
    assert isinstance(result, IKResult)
    check_inside(robot, result.closest)
    if not result.success:
        return
    frames = forward_kinematics(robot, result.positions)
    shown = frames[link] if base is None else np.linalg.solve(frames[base], frames[link])
    if position:
        assert np.linalg.norm(shown[:3, 3] - target[:3, 3]) <= 1.01e-6
    if orientation:
        (turn,) = logarithms((shown[:3, :3].T @ target[:3, :3])[None])
        assert np.linalg.norm(turn) <= 1.01e-6


def test_arms_reach_what_they_can_reach():
    """A sample; all targets are in test_every_arm_reaches_what_it_can_reach."""
    for arm in (BY_NAME["panda"], BY_NAME["ur5"], BY_NAME["z1"]):
        for _, target in arm.draw(25):
            result = inverse_kinematics(
                arm.robot, arm.link, target=target, options=IKOptions(base=arm.base, seconds=PLENTY)
            )
            assert result.success, (arm.name, result.message)
            assert arm.reaches(result.positions, target)
            assert result.positions == result.closest


@pytest.mark.slow
def test_every_arm_reaches_what_it_can_reach():
    reached = {arm.name: 0 for arm in ARMS}
    ratios = []
    for arm in ARMS:
        for _, target in arm.draw(500):
            began = time.thread_time()
            result = inverse_kinematics(
                arm.robot, arm.link, target=target, options=IKOptions(base=arm.base, seconds=PLENTY)
            )
            ratios.append(time.thread_time() - began)
            assert not result.success or arm.reaches(result.positions, target)
            reached[arm.name] += result.success
    assert min(reached.values()) >= 0.99 * 500, reached
    assert sum(reached.values()) >= 0.997 * 500 * len(ARMS), reached
    unit = seconds_of_a_hundred_products()
    assert np.median(ratios) <= 12 * unit
    assert np.percentile(ratios, 95) <= 30 * unit


def seconds_of_a_hundred_products():
    """CPU time for 100 products of 32 frames, which answers are measured in."""
    frames = np.tile(np.eye(4), (32, 1, 1))
    began = time.thread_time()
    for _ in range(2000):
        frames @ frames
    return (time.thread_time() - began) / 20


def test_warm_starts_need_no_other_start_and_stay_near():
    chance = np.random.default_rng(3)
    for arm in (BY_NAME["panda"], BY_NAME["ur5"], BY_NAME["pr2"]):
        for positions, target in arm.draw(25, seed=7):
            start = {
                name: float(np.clip(value + chance.normal(0.0, 0.1), *arm.bounds[name]))
                for name, value in positions.items()
            }
            result = inverse_kinematics(
                arm.robot,
                arm.link,
                target=target,
                options=IKOptions(base=arm.base, seconds=PLENTY),
                start_positions=start,
            )
            assert result.success
            assert result.restarts == 0
            moved = max(abs(result.positions[name] - start[name]) for name in start)
            assert moved < 2.0
            assert arm.reaches(result.positions, target)


def test_position_alone_and_orientation_alone():
    arm = BY_NAME["iiwa14"]
    for _, target in arm.draw(12):
        point = inverse_kinematics(
            arm.robot, arm.link, target=target[:3, 3], options=IKOptions(seconds=PLENTY)
        )
        assert point.success
        assert point.orientation_error == 0.0
        check_answer(arm.robot, arm.link, target, point, orientation=False)
        turned = inverse_kinematics(
            arm.robot, arm.link, target=target, options=IKOptions(position=False, seconds=PLENTY)
        )
        assert turned.success
        check_answer(arm.robot, arm.link, target, turned, position=False)


def test_a_tool_point_is_brought_there():
    arm = BY_NAME["panda"]
    tip = np.eye(4)
    tip[:3, 3] = 0.05, -0.02, 0.2
    tip[:3, :3] = rotations_about(np.array([[0.0, 0.6, 0.8]]), np.array([0.7]))[0]
    for _, target in arm.draw(5):
        result = inverse_kinematics(
            arm.robot, arm.link, target=target @ tip, options=IKOptions(tip=tip, seconds=PLENTY)
        )
        assert result.success
        check_answer(arm.robot, arm.link, target, result)
        point = inverse_kinematics(
            arm.robot,
            arm.link,
            target=target[:3, 3],
            options=IKOptions(tip=tip[:3, 3], seconds=PLENTY),
        )
        frame = forward_kinematics(arm.robot, point.positions)[arm.link]
        assert (frame @ tip)[:3, 3] == pytest.approx(target[:3, 3], abs=2e-6)


def test_base_and_link_on_different_branches():
    """From one hand to the other: up one arm and down the other."""
    talos = BY_NAME["talos"].robot
    names = [f"arm_{side}_{i}_joint" for side in ("left", "right") for i in range(1, 8)]
    motions = limits_of(talos)
    chance = np.random.default_rng(5)
    for _ in range(4):
        drawn = {n: float(chance.uniform(motions[n].lower, motions[n].upper)) for n in names}
        frames = forward_kinematics(talos, drawn)
        target = np.linalg.solve(frames["arm_right_7_link"], frames["arm_left_7_link"])
        result = inverse_kinematics(
            talos,
            "arm_left_7_link",
            target=target,
            options=IKOptions(base="arm_right_7_link", seconds=PLENTY),
        )
        assert result.success
        assert set(result.positions) == set(names)
        check_answer(talos, "arm_left_7_link", target, result, base="arm_right_7_link")


def test_joints_that_were_not_named_stay():
    robot = planar_arm()
    target = forward_kinematics(robot, {"a": 0.4, "b": 0.9})["hand"]
    result = inverse_kinematics(
        robot,
        "hand",
        target=target,
        start_positions={"a": 0.4},
        options=IKOptions(joints=("b", "tip")),
    )
    assert result.success
    assert result.positions == {"b": pytest.approx(0.9, abs=1e-5)}
    held = inverse_kinematics(
        robot,
        "hand",
        target=target,
        start_positions={"a": 0.5, "b": 0.0},
        options=IKOptions(joints=("b",)),
    )
    assert not held.success
    assert held.positions == {"b": 0.0}


def test_followers_share_the_column_of_their_source():
    robot = robot_of(
        joint("a", "base", "one", limit=(-1.0, 1.0)),
        joint(
            "b",
            "one",
            "two",
            xyz=(0.3, 0.0, 0.0),
            mimic=Mimic(joint="a", multiplier=-1.5, offset=0.2),
        ),
        joint(
            "c",
            "two",
            "three",
            "prismatic",
            axis=(1.0, 0.0, 0.0),
            mimic=Mimic(joint="b", multiplier=0.1),
        ),
    )
    for position in (-0.9, 0.0, 0.37, 1.0):
        target = forward_kinematics(robot, {"a": position})["three"]
        result = inverse_kinematics(robot, "three", target=target)
        assert result.success
        assert result.positions == {"a": pytest.approx(position, abs=1e-5)}


def test_a_follower_may_have_its_source_on_another_branch():
    robot = robot_of(
        joint("source", "base", "other"),
        joint("follower", "base", "one", mimic=Mimic(joint="source", multiplier=2.0)),
    )
    target = forward_kinematics(robot, {"source": 0.6})["one"]
    result = inverse_kinematics(robot, "one", target=target)
    assert result.success
    assert result.positions == {"source": pytest.approx(0.6, abs=1e-6)}


@pytest.mark.parametrize("kind", ["planar", "floating", "spherical"])
def test_free_joints_move_only_where_they_are_named(kind):
    free = joint(
        "free", "base", "body", kind, axis=(0.0, 0.6, 0.8), xyz=(0.1, 0.2, 0.3), limit=None
    )
    robot = robot_of(free, joint("arm", "body", "hand", xyz=(0.2, 0.1, 0.0), axis=(1.0, 0.0, 0.0)))
    half = math.sqrt(0.5)
    where = {
        "planar": (0.4, -0.3, 2.0),
        "floating": (0.4, -0.3, 0.2, 0.0, half, 0.0, half),
        "spherical": (0.0, half, 0.0, half),
    }[kind]
    target = forward_kinematics(robot, {"free": where, "arm": 0.5})["hand"]
    diagnostics = Diagnostics()
    held = inverse_kinematics(robot, "hand", target=target, diagnostics=diagnostics)
    assert not held.success
    assert [item.code for item in diagnostics] == ["ik-joint-held"]
    start = {"free": where if kind == "planar" else (*where[:-4], 0.0, 0.0, 0.6, 0.8)}
    moved = inverse_kinematics(
        robot,
        "hand",
        target=target,
        options=IKOptions(joints=("free", "arm"), seconds=PLENTY),
        start_positions=start,
    )
    assert moved.success, moved.message
    check_answer(robot, "hand", target, moved)


def test_limits_that_leave_out_zero_hold_exactly():
    arm = BY_NAME["panda"]
    target = forward_kinematics(arm.robot, {"panda_joint4": -0.0698})["panda_hand"]
    result = inverse_kinematics(
        arm.robot, "panda_hand", target=target, options=IKOptions(seconds=PLENTY)
    )
    check_answer(arm.robot, "panda_hand", target, result)
    assert result.success


def test_turns_without_bounds_stay_near_the_start():
    robot = planar_arm(kind="continuous", limit=None)
    target = forward_kinematics(robot, {"a": 0.4, "b": 0.9})["hand"]
    start = {"a": 12 * math.pi + 0.3, "b": -8 * math.pi + 0.7}
    result = inverse_kinematics(robot, "hand", target=target, start_positions=start)
    assert result.success
    for name, position in result.positions.items():
        assert abs(position - start[name]) < 0.5


def test_what_is_out_of_reach_keeps_the_start_and_says_how_far():
    robot = planar_arm()
    target = np.eye(4)
    target[:3, 3] = 1.04, 0.0, 0.0
    start = {"a": 0.5, "b": 0.25}
    result = inverse_kinematics(robot, "hand", target=target, start_positions=start)
    assert not result.success
    assert result.positions == start
    assert result.message == "the target is out of reach by 0.24 m at least"
    assert result.position_error == pytest.approx(0.24, abs=1e-3)
    assert result.closest == {"a": pytest.approx(0.0, abs=0.05), "b": pytest.approx(0.0, abs=0.05)}


def test_a_failure_names_the_limits_that_are_in_the_way():
    robot = planar_arm(limit=(-0.5, 0.5))
    target = forward_kinematics(robot, {"a": 0.9, "b": 0.1})["hand"]
    result = inverse_kinematics(robot, "hand", target=target)
    assert not result.success
    assert "out of reach by" in result.message
    assert result.message.endswith("the closest pose is at the limits of 'a', 'b'")


def test_targets_far_outside_are_refused_in_time():
    for arm in (BY_NAME["panda"], BY_NAME["ur5"]):
        for _, target in arm.draw(8):
            target[:3, 3] *= 4.0
            for _ in within(1.0):
                result = inverse_kinematics(
                    arm.robot, arm.link, target=target, options=IKOptions(base=arm.base)
                )
            check_answer(arm.robot, arm.link, target, result, base=arm.base)
            if np.linalg.norm(target[:3, 3]) > 1.4:
                assert not result.success


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e300, -1e200, 1e30], ids=str)
def test_absurd_targets_have_answers_without_success(number):
    arm = BY_NAME["panda"]
    for place in ((0, 3), (2, 3), (0, 0), (1, 2)):
        target = np.eye(4)
        target[place] = number
        result = inverse_kinematics(arm.robot, "panda_hand", target=target)
        assert not result.success
        check_inside(arm.robot, result.closest)
        assert result.message


@pytest.mark.parametrize(
    "rotation", [np.zeros((3, 3)), np.diag([1.0, 1.0, -1.0]), 1.1 * np.eye(3)], ids=str
)
def test_what_is_no_rotation_has_no_answer(rotation):
    target = np.eye(4)
    target[:3, :3] = rotation
    result = inverse_kinematics(planar_arm(), "hand", target=target)
    assert not result.success
    assert result.message == "the target's three axes make no rotation"


def test_singular_targets_are_reached():
    """Stretched arms, and targets on the first axis."""
    robot = planar_arm()
    for positions in ({"a": 0.3, "b": 0.0}, {"a": 0.0, "b": 0.0}):
        target = forward_kinematics(robot, positions)["hand"]
        result = inverse_kinematics(
            robot,
            "hand",
            target=target,
            start_positions={"a": 1.0, "b": 1.0},
            options=IKOptions(seconds=PLENTY),
        )
        assert result.success
        check_answer(robot, "hand", target, result)
    iiwa = BY_NAME["iiwa14"]
    for positions in ({}, {"joint_a1": 1.0}, {"joint_a4": 1.5, "joint_a6": -1.5}):
        target = forward_kinematics(iiwa.robot, positions)[iiwa.link]
        result = inverse_kinematics(
            iiwa.robot, iiwa.link, target=target, options=IKOptions(seconds=PLENTY)
        )
        assert result.success, positions
        check_answer(iiwa.robot, iiwa.link, target, result)


def test_a_chain_that_only_slides():
    robot = robot_of(
        joint("x", "base", "one", "prismatic", axis=(1.0, 0.0, 0.0), limit=(0.1, 2.0)),
        joint("y", "one", "two", "prismatic", axis=(0.0, 1.0, 0.0), limit=(-2.0, -0.1)),
        joint("z", "two", "three", "prismatic", limit=None),
    )
    result = inverse_kinematics(robot, "three", target=(1.5, -0.7, 40.0))
    assert result.success
    assert result.positions == pytest.approx({"x": 1.5, "y": -0.7, "z": 40.0}, abs=1e-5)
    assert not inverse_kinematics(robot, "three", target=(0.0, -0.7, 4.0)).success


def test_a_snake_of_thirty_joints():
    axes = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    robot = robot_of(
        *(
            joint(
                f"j{i}",
                f"l{i}",
                f"l{i + 1}",
                xyz=(0.1, 0.0, 0.0),
                axis=axes[i % 2],
                limit=(-1.0, 1.0),
            )
            for i in range(30)
        )
    )
    chance = np.random.default_rng(2)
    for _ in range(6):
        drawn = {f"j{i}": float(chance.uniform(-1.0, 1.0)) for i in range(30)}
        target = forward_kinematics(robot, drawn)["l30"]
        result = inverse_kinematics(robot, "l30", target=target, options=IKOptions(seconds=PLENTY))
        assert result.success
        check_answer(robot, "l30", target, result)


def test_the_same_question_has_the_same_answer():
    arm = BY_NAME["baxter"]
    for _, target in arm.draw(6):
        one, other = (
            inverse_kinematics(
                arm.robot,
                arm.link,
                target=target,
                options=IKOptions(base=arm.base, seconds=PLENTY, seed=4),
            )
            for _ in range(2)
        )
        assert one.positions == other.positions
        assert (one.iterations, one.restarts) == (other.iterations, other.restarts)


def test_a_link_that_nothing_moves():
    robot = planar_arm()
    there = inverse_kinematics(robot, "base", target=np.eye(4))
    assert there.success
    assert there.positions == {}
    result = inverse_kinematics(robot, "hand", target=np.eye(4), options=IKOptions(joints=()))
    assert not result.success
    assert result.message == "no joint that may move moves the link, and it is not at the target"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"link": "ghost"}, "no link 'ghost'"),
        ({"base": "ghost"}, "no link 'ghost'"),
        ({"joints": ("ghost",)}, "no joint 'ghost'"),
        ({"start": {"ghost": 1.0}}, "no joint 'ghost'"),
        ({"start": {"a": math.nan}}, "one finite number"),
        ({"target": (1.0, 2.0)}, "target must be a frame"),
        ({"target": np.zeros((5, 3))}, r"\(5, 3\): inverse_kinematics_many takes several$"),
        ({"target": "there"}, "not made of numbers"),
        ({"tip": np.eye(3)}, "tip must be a frame"),
        ({"tip": (math.nan, 0.0, 0.0)}, "tip is not finite"),
        ({"position": False, "target": (1.0, 0.0, 0.0)}, "neither a position nor"),
    ],
)
def test_wrong_questions_are_refused(arguments, message):
    asked = {"link": "hand", "target": (0.1, 0.2, 0.0)} | arguments
    with pytest.raises(KinematicsError, match=message):
        inverse_kinematics(
            planar_arm(),
            asked.pop("link"),
            target=asked.pop("target"),
            start_positions=asked.pop("start", None),
            options=IKOptions(**asked),
        )


def test_elbow_up_and_elbow_down():
    robot = planar_arm()
    target = forward_kinematics(robot, {"a": 0.4, "b": 0.9})["hand"]
    found = find_solutions(
        robot, "hand", target=target[:3, 3], start_positions={"a": 0.5, "b": 0.7}
    )
    assert [round(each["b"], 4) for each in found] == [0.9, -0.9]
    for each in found:
        frame = forward_kinematics(robot, each)["hand"]
        assert frame[:3, 3] == pytest.approx(target[:3, 3], abs=1e-6)
    assert find_solutions(robot, "hand", target=(5.0, 0.0, 0.0)) == ()


def test_the_eight_ways_of_a_ur5():
    """Shoulder left and right, elbow up and down, wrist either way round."""
    arm = BY_NAME["ur5"]
    _, target = next(arm.draw(1))
    found = find_solutions(
        arm.robot, arm.link, target=target, options=IKOptions(base=arm.base, seconds=PLENTY)
    )
    assert len(found) == 8
    assert all(arm.reaches(each, target) for each in found)


def test_logarithms_of_rotations_at_all_angles():
    chance = np.random.default_rng(0)
    axes = chance.normal(size=(400, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    for angle in (0.0, 1e-9, 1e-5, 0.3, 2.0, 3.0, math.pi - 1e-5, math.pi - 1e-9, math.pi):
        vectors = logarithms(rotations_about(axes, np.full(len(axes), angle)))
        turned = (
            vectors * np.sign((vectors * axes).sum(1))[:, None] if angle == math.pi else vectors
        )
        assert turned == pytest.approx(axes * angle, abs=1e-7)


@settings(max_examples=60)
@given(
    robots_with_positions(Wishes(free_joints=False, swapped_limits=True, missing_limits=True)),
    st.integers(0, 10**6),
)
def test_any_chain_answers_truly(robot_and_positions, seed):
    """Random robots of up to 25 links, any base and link, reachable targets and others."""
    robot, positions = robot_and_positions
    chance = np.random.default_rng(seed)
    names = [link.name for link in robot.links]
    base, link = (names[int(chance.integers(len(names)))] for _ in range(2))
    frames = forward_kinematics(robot, positions)
    target = np.linalg.solve(frames[base], frames[link])
    if seed % 3 == 0:
        target[:3, 3] += chance.normal(size=3)
    result = inverse_kinematics(
        robot, link, target=target, options=IKOptions(base=base, restarts=2, seconds=PLENTY)
    )
    check_answer(robot, link, target, result, base=base)
