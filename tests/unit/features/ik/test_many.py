# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics of many targets at once: each answer holds, or is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.arm_chains import ARMS, Arm
from support.linkages import four_bar, gap_of
from support.strategies import Wishes, robots_with_positions
from urdf_importer import (
    Diagnostics,
    IKOptions,
    KinematicsError,
    Robot,
    forward_kinematics,
    inverse_kinematics,
    inverse_kinematics_many,
)
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.model import Joint, Limit, Link, Mimic, Pose
from urdf_importer.features.ik.descent import logarithms
from urdf_importer.features.ik.many import IKResults

BY_NAME = {arm.name: arm for arm in ARMS}
PLENTY = 20.0


def robot_of(*joints: Joint) -> Robot:
    names = dict.fromkeys(name for joint in joints for name in (joint.parent, joint.child))
    return Robot(name="r", links=tuple(Link(name=name) for name in names), joints=joints)


def joint(name, parent, child, kind="revolute", xyz=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), **more):
    return Joint(
        name=name, type=kind, parent=parent, child=child, origin=Pose(xyz=xyz), axis=axis, **more
    )


def planar_arm() -> Robot:
    return robot_of(
        joint("a", "base", "upper", limit=Limit(lower=-3.0, upper=3.0)),
        joint("b", "upper", "lower", xyz=(0.5, 0.0, 0.0), limit=Limit(lower=-3.0, upper=3.0)),
        joint("tip", "lower", "hand", "fixed", xyz=(0.3, 0.0, 0.0)),
    )


def row(arrays, number):
    """The positions of one target, as forward_kinematics takes them."""
    return {
        name: float(each[number]) if each.ndim == 1 else tuple(each[number].tolist())
        for name, each in arrays.items()
    }


def check(robot, link, targets, found, *, base=None, position=True, orientation=True):
    """Every success holds by forward kinematics; every pose is inside limits."""
    assert isinstance(found, IKResults)
    motions = {each.joint.name: each for each in plan_tree(robot, Diagnostics()).joint_motions}
    for number, target in enumerate(targets):
        closest = row(found.closest, number)
        for name, value in closest.items():
            if isinstance(value, float):
                assert motions[name].nearest_valid(value) == value
        if not found.success[number]:
            continue
        assert row(found.positions, number) == closest
        frames = forward_kinematics(robot, closest)
        shown = frames[link] if base is None else np.linalg.solve(frames[base], frames[link])
        if position:
            place = target[:3, 3] if np.ndim(target) == 2 else target
            assert np.linalg.norm(shown[:3, 3] - place) <= 1.01e-6
        if orientation and np.ndim(target) == 2:
            (turn,) = logarithms((shown[:3, :3].T @ target[:3, :3])[None])
            assert np.linalg.norm(turn) <= 1.01e-6


@pytest.mark.parametrize("name", ["panda", "ur5", "talos", "z1"])
def test_all_that_can_be_reached_is(name):
    arm = BY_NAME[name]
    targets = np.array([target for _, target in arm.draw(100)])
    found = inverse_kinematics_many(
        arm.robot, arm.link, targets=targets, options=IKOptions(base=arm.base, seconds=PLENTY)
    )
    assert found.success.all()
    assert found.position_error.max() <= 1e-6
    assert found.orientation_error.max() <= 1e-6
    for number, target in enumerate(targets):
        assert arm.reaches(row(found.positions, number), target)
    check(arm.robot, arm.link, targets, found, base=arm.base)


@pytest.mark.slow
@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_every_arm_from_random_starts(arm: Arm) -> None:
    chance = np.random.default_rng(8)
    targets = np.array([target for _, target in arm.draw(500)])
    starts = {name: chance.uniform(*ends, 500) for name, ends in arm.ranges.items()}
    found = inverse_kinematics_many(
        arm.robot,
        arm.link,
        targets=targets,
        options=IKOptions(base=arm.base, seconds=PLENTY),
        start_positions=starts,
    )
    assert found.success.sum() >= 0.99 * 500
    for number in np.flatnonzero(found.success):
        assert arm.reaches(row(found.positions, number), targets[number])


def test_each_begins_at_its_own_start():
    """From where a target is nearly reached, the answer is near."""
    arm = BY_NAME["panda"]
    drawn = list(arm.draw(40, seed=3))
    targets = np.array([target for _, target in drawn])
    chance = np.random.default_rng(1)
    starts = {
        name: np.clip([each[name] for each, _ in drawn] + chance.normal(0.0, 0.02, 40), *bounds)
        for name, bounds in arm.bounds.items()
    }
    found = inverse_kinematics_many(
        arm.robot,
        arm.link,
        targets=targets,
        options=IKOptions(base=arm.base, seconds=PLENTY),
        start_positions=starts,
    )
    assert found.success.all() and not found.restarts.any()
    for name, start in starts.items():
        assert np.abs(found.positions[name] - start).max() < 1.0


def test_bad_targets_leave_the_others_alone():
    """And each is answered as it would be alone, where it is out of reach, too."""
    arm = BY_NAME["ur5"]
    targets = np.array([target for _, target in arm.draw(9)])
    targets[1, 0, 3] = np.nan
    targets[3, :3, :3] = 0.0
    targets[5, :3, 3] = 30.0, 0.0, 0.0
    targets[7, :3, 3] = 1e300
    given = targets.copy()
    found = inverse_kinematics_many(
        arm.robot, arm.link, targets=targets, options=IKOptions(base=arm.base, seconds=PLENTY)
    )
    assert found.success.tolist() == [number % 2 == 0 for number in range(9)]
    assert np.array_equal(targets, given, equal_nan=True)
    check(arm.robot, arm.link, targets, found, base=arm.base)
    for number in (1, 3, 5, 7):
        alone = inverse_kinematics(
            arm.robot, arm.link, target=targets[number], options=IKOptions(base=arm.base)
        )
        assert found.messages[number] == alone.message
        assert row(found.positions, number) == alone.positions
        error = alone.position_error
        assert found.position_error[number] == pytest.approx(error, rel=0.05, nan_ok=True)


def test_points_and_turns_alone():
    arm = BY_NAME["iiwa14"]
    targets = np.array([target for _, target in arm.draw(20)])
    points = inverse_kinematics_many(
        arm.robot, arm.link, targets=targets[:, :3, 3], options=IKOptions(seconds=PLENTY)
    )
    assert points.success.all() and not points.orientation_error.any()
    check(arm.robot, arm.link, targets, points, orientation=False)
    turns = inverse_kinematics_many(
        arm.robot,
        arm.link,
        targets=targets,
        options=IKOptions(position=False, tip=(0.1, 0.0, 0.2), seconds=PLENTY),
    )
    assert turns.success.all() and not turns.position_error.any()
    check(arm.robot, arm.link, targets, turns, position=False)


def test_more_targets_than_are_searched_at_once():
    robot = planar_arm()
    turns = np.linspace(-1.5, 1.5, 600)
    targets = [forward_kinematics(robot, {"a": a, "b": 0.8})["hand"] for a in turns]
    found = inverse_kinematics_many(
        robot,
        "hand",
        targets=targets,
        start_positions={"a": turns + 0.01, "b": 0.7},
        options=IKOptions(seconds=PLENTY),
    )
    assert found.success.all()
    assert found.positions["a"] == pytest.approx(turns, abs=1e-5)
    assert len(found.messages) == 600
    again = inverse_kinematics_many(
        robot,
        "hand",
        targets=targets,
        start_positions={"a": turns + 0.01, "b": 0.7},
        options=IKOptions(seconds=PLENTY),
    )
    assert all(np.array_equal(found.positions[name], again.positions[name]) for name in "ab")


def test_what_fails_stays_at_its_start():
    far = [(2.0, 0.0, 0.0), (0.0, 3.0, 0.0)]
    found = inverse_kinematics_many(
        planar_arm(), "hand", targets=far, start_positions={"a": (0.1, 0.2), "b": 0.3}
    )
    assert not found.success.any()
    assert found.positions["a"].tolist() == [0.1, 0.2]
    assert found.positions["b"].tolist() == [0.3, 0.3]
    assert found.position_error == pytest.approx([1.2, 2.2], abs=1e-3)


@pytest.mark.parametrize(
    "ends", [(3.012, 3.012), (-0.828, -0.828), (5.0, 7.0), (-40.0, -7.0), (7.0, 40.0)], ids=str
)
def test_limits_far_from_zero(ends):
    """Whole turns away, or with no room at all."""
    lower, upper = ends
    robot = robot_of(
        joint("a", "base", "upper", limit=Limit(lower=lower, upper=upper)),
        joint("b", "upper", "hand", xyz=(0.5, 0.0, 0.0), limit=Limit(lower=-3.0, upper=3.0)),
    )
    turns = np.linspace(lower, upper, 5)
    tip = (0.3, 0.0, 0.0)
    frames = [forward_kinematics(robot, {"a": a, "b": 1.2})["hand"] for a in turns]
    targets = [frame[:3, :3] @ tip + frame[:3, 3] for frame in frames]
    found = inverse_kinematics_many(
        robot, "hand", targets=targets, options=IKOptions(tip=tip), start_positions={"b": -1.2}
    )
    assert found.success.all()
    assert ((found.positions["a"] >= lower) & (found.positions["a"] <= upper)).all()
    far = np.array(targets) + 0.01
    inverse_kinematics_many(robot, "hand", targets=far, options=IKOptions(tip=tip, restarts=2))


def test_followers_and_joints_of_several_numbers():
    robot = robot_of(
        joint("free", "base", "body", "floating"),
        joint("a", "body", "one", limit=Limit(lower=-1.0, upper=1.0)),
        joint("b", "one", "hand", xyz=(0.3, 0.0, 0.0), mimic=Mimic(joint="a", multiplier=-1.5)),
    )
    chance = np.random.default_rng(4)
    targets = []
    for _ in range(12):
        ball = chance.normal(size=4)
        where = (*chance.normal(size=3), *(ball / np.linalg.norm(ball)))
        pose = {"free": where, "a": float(chance.uniform(-1.0, 1.0))}
        targets.append(forward_kinematics(robot, pose)["hand"])
    found = inverse_kinematics_many(
        robot, "hand", targets=targets, options=IKOptions(joints=("free", "a"), seconds=PLENTY)
    )
    assert found.success.all()
    assert found.positions["free"].shape == (12, 7) and found.positions["a"].shape == (12,)
    check(robot, "hand", targets, found)
    diagnostics = Diagnostics()
    held = inverse_kinematics_many(
        robot, "hand", targets=targets, diagnostics=diagnostics, options=IKOptions(restarts=1)
    )
    assert [item.code for item in diagnostics] == ["ik-joint-held"]
    assert not held.success.any() and set(held.positions) == {"a"}


def test_joints_on_loops_are_asked_one_by_one():
    robot = four_bar(0.3, 1.0, 0.8, 1.1, 0.7)
    assert robot is not None
    turns = np.array([-0.8, 0.3, 1.1])
    targets = [forward_kinematics(robot, {"crank_pin": turn})["rocker"] for turn in turns]
    found = inverse_kinematics_many(
        robot,
        "rocker",
        targets=targets,
        start_positions={"crank_pin": turns + 0.05},
        options=IKOptions(seconds=PLENTY),
    )
    assert found.success.all()
    assert set(found.positions) == {"crank_pin", "knee", "rocker_pin"}
    for number, target in enumerate(targets):
        positions = row(found.positions, number)
        frames = forward_kinematics(robot, positions, close_loops=False)
        assert frames["rocker"] == pytest.approx(target, abs=5e-6)
        assert gap_of(robot, positions) < 1e-8
    nothing = inverse_kinematics_many(robot, "rocker", targets=np.empty((0, 3)))
    assert nothing.success.shape == nothing.positions["knee"].shape == (0,)


@pytest.mark.parametrize("targets", [[], np.empty((0, 3)), np.empty((0, 4, 4))], ids=repr)
def test_no_targets_have_no_answers(targets):
    found = inverse_kinematics_many(planar_arm(), "hand", targets=targets)
    assert found.success.shape == found.positions["a"].shape == (0,)
    assert found.messages == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"targets": np.eye(4)}, r"not of shape \(4, 4\): inverse_kinematics takes one$"),
        ({"targets": (0.1, 0.2, 0.3)}, "inverse_kinematics takes one$"),
        ({"targets": np.zeros((2, 4))}, r"points \(n, 3\), not of shape \(2, 4\)$"),
        ({"targets": [np.eye(4), (0.0, 0.0, 0.0)]}, "are not such an array of numbers$"),
        ({"targets": "there"}, "are not such an array of numbers$"),
        ({"position": False}, "neither a position nor"),
        ({"link": "ghost"}, "no link 'ghost'"),
        ({"joints": ("ghost",)}, "no joint 'ghost'"),
        ({"start": {"ghost": (1.0, 2.0)}}, "no joint 'ghost'"),
        ({"start": {"a": (1.0, 2.0, 3.0)}}, "one finite number, or one for each of the 2 targets"),
        ({"start": {"a": (1.0, np.inf)}}, "one finite number, or one for each of the 2 targets"),
        ({"start": {"a": (1.0, 2.0)}, "joints": ("b",)}, "'a' may not move, so that its start"),
    ],
    ids=str,
)
def test_wrong_questions_are_refused(arguments, message):
    asked = {"link": "hand", "targets": [(0.1, 0.2, 0.0), (0.3, 0.2, 0.0)]} | arguments
    with pytest.raises(KinematicsError, match=message):
        inverse_kinematics_many(
            planar_arm(),
            asked.pop("link"),
            targets=asked.pop("targets"),
            start_positions=asked.pop("start", None),
            options=IKOptions(**asked),
        )


@settings(max_examples=25)
@given(
    robots_with_positions(Wishes(free_joints=False, swapped_limits=True, missing_limits=True)),
    st.integers(0, 10**6),
)
def test_any_chain_answers_truly(robot_and_positions, seed):
    """Random robots, any base and link, targets that can be reached and others."""
    robot, positions = robot_and_positions
    chance = np.random.default_rng(seed)
    names = [link.name for link in robot.links]
    base, link = (names[int(chance.integers(len(names)))] for _ in range(2))
    frames = forward_kinematics(robot, positions)
    targets = np.tile(np.linalg.solve(frames[base], frames[link]), (5, 1, 1))
    targets[1:3, :3, 3] += chance.normal(scale=0.01, size=(2, 3))
    targets[3:, :3, 3] += chance.normal(size=(2, 3))
    found = inverse_kinematics_many(
        robot, link, targets=targets, options=IKOptions(base=base, restarts=2, seconds=PLENTY)
    )
    check(robot, link, targets, found, base=base)
