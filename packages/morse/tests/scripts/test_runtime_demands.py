# SPDX-License-Identifier: GPL-3.0-or-later
"""What MORSE's Armature actuator makes of joints that it can not drive as they are, and that the
check of the rig profile says so: each of its findings, held against MORSE's own code."""

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from morse_support.driven_robots import Driven, Prepare, add_ik_target, drive
from morse_support.morse_runtime import Answer
from support.blender.rigs import new_scene
from urdf_importer import ImportResult, check_morse_profile

_TURNING = {1: "0 0 1", 2: "0 1 0", 3: "1 0 0"}
Start = Callable[..., AbstractContextManager[Driven]]


@pytest.fixture
def start(morse_root: Path, tmp_path: Path) -> Start:
    """Drives a robot of these joints, one below the other."""

    def begin(
        joints: str, prepare: Prepare = lambda result: None
    ) -> AbstractContextManager[Driven]:
        new_scene()
        path = tmp_path / "robot.urdf"
        count = joints.count("<joint ")
        links = "".join(f'<link name="l{index}"/>' for index in range(count + 1))
        path.write_text(f'<robot name="robot">{links}{joints}</robot>')
        return drive(morse_root, path, prepare)

    return begin


def joint(index: int, kind: str, axis: str, limit: str, more: str = "", z: float = 0.0) -> str:
    """Joint q<index>, between the links of that number and the next."""
    lower, upper = limit.split()
    return (
        f'<joint name="q{index}" type="{kind}"><parent link="l{index}"/>'
        f'<child link="l{index + 1}"/><origin xyz="0.3 0.1 {z}"/><axis xyz="{axis}"/>'
        f'<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>{more}</joint>'
    )


def codes(driven: Driven) -> set[str]:
    return {found.code for found in check_morse_profile(driven.armature)}


# What slides


def test_what_slides_upwards_from_the_armatures_origin_does_all_that_morse_can(
    start: Start,
) -> None:
    joints = joint(0, "prismatic", "0 0 1", "0 0.8") + joint(1, "revolute", "0 1 0", "-2 2", z=0.4)
    with start(joints) as driven:
        assert codes(driven) == set()
        arm, runtime = driven.arm, driven.runtime
        for goal, *speeds in ((0.1,), (0.7, 0.3), (0.0, 0.2)):
            answer, before = Answer(), driven.state()["q0"]
            arm.translate(answer, "q0", goal, *speeds)
            frames = runtime.run_until_answered(answer, most=600)
            assert answer.given == [("SUCCESS", None)]
            way = abs(goal - before) - arm.distance_tolerance
            step = (speeds or [0.05])[0] / runtime.game.tick_rate
            assert frames == pytest.approx(1 + way / step, abs=1.01)
            reached = driven.assert_stands()
            assert reached["q0"] == pytest.approx(goal, abs=arm.distance_tolerance)
        driven.set({"q0": 0.5, "q1": 1.25})
        assert driven.assert_stands() == pytest.approx({"q0": 0.5, "q1": 1.25}, abs=3e-6)
        driven.set({"q0": 5.0})
        assert driven.assert_stands()["q0"] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("axis", "rise", "height"), [("0 0 1", 1.0, 0.25), ("0 0.6 0.8", 0.8, -0.1)]
)
def test_what_slides_elsewhere_ends_where_its_height_is_the_position(
    start: Start, axis: str, rise: float, height: float
) -> None:
    with start(joint(0, "prismatic", axis, "0 0.8", z=height)) as driven:
        assert codes(driven) == {"morse-prismatic-misread"}
        answer = Answer()
        driven.arm.translate(answer, "q0", 0.4, 0.5)
        driven.runtime.run_until_answered(answer, most=600)
        assert driven.state()["q0"] == pytest.approx(0.4, abs=driven.arm.distance_tolerance)
        stands = (driven.state()["q0"] - height) / rise
        driven.assert_stands({"q0": stands})


@pytest.mark.parametrize(("axis", "end"), [("1 0 0", 0.8), ("0 0 -1", 0.8)])
def test_what_does_not_slide_upwards_never_arrives(start: Start, axis: str, end: float) -> None:
    with start(joint(0, "prismatic", axis, "0 0.8", z=-0.3)) as driven:
        assert codes(driven) == {"morse-prismatic-runaway"}
        answer = Answer()
        driven.arm.translate(answer, "q0", 0.2, 1.0)
        for _ in range(200):
            driven.runtime.frame()
        assert not answer.given
        driven.assert_stands({"q0": end})


def test_what_is_lifted_by_another_joint_is_misread(start: Start) -> None:
    joints = joint(0, "revolute", "1 0 0", "-2 2") + joint(1, "prismatic", "0 0 1", "0 0.8")
    with start(joints) as driven:
        assert codes(driven) == {"morse-prismatic-misread"}
        driven.set({"q0": 0.5, "q1": 0.4})
        driven.assert_stands({"q1": 0.4})
        height = 0.1 * math.sin(0.5) + 0.4 * math.cos(0.5)
        assert driven.state()["q1"] == pytest.approx(height, abs=1e-6)


@pytest.mark.parametrize("stretch", [True, False])
def test_ik_scales_what_slides_unless_its_constraint_is_told_not_to_stretch(
    start: Start, *, stretch: bool
) -> None:
    """It never slides it. MORSE's builder leaves the constraint as Blender makes it: to stretch."""

    def prepare(result: ImportResult) -> None:
        add_ik_target(result.armature, "q3")
        result.armature.pose.bones["q3"].constraints["IK"].use_stretch = stretch

    turning = [joint(n, "revolute", axis, "-2 2", z=0.1) for n, axis in _TURNING.items()]
    with start(joint(0, "prismatic", "0 0 1", "0 0.8") + "".join(turning), prepare) as driven:
        (target,) = driven.arm.list_IK_targets()
        move = [0.1, -0.1, 0.1]
        driven.runtime.frame(lambda: driven.arm.place_IK_target(target, move))
        assert driven.state()["q0"] == pytest.approx(0.0, abs=1e-6)
        scale = driven.result.links["l1"].matrix_world.to_scale().y
        assert (scale > 1.001) == stretch
        if stretch:
            with pytest.raises(AssertionError, match="off"):
                driven.assert_stands()
        else:
            driven.assert_stands()


# What turns


def test_morse_drives_all_joints_to_zero_and_waits_for_those_that_can_not_stand_there(
    start: Start,
) -> None:
    joints = joint(0, "revolute", "0 0 1", "-2 2") + joint(1, "revolute", "0 1 0", "-2 -0.5")
    with start(joints) as driven:
        assert "morse-revolute-limits" in codes(driven)
        answer = Answer()
        driven.arm.rotate(answer, "q0", 0.3)
        for _ in range(100):
            driven.runtime.frame()
        stands = {"q0": 0.3, "q1": -0.5}
        assert driven.assert_stands() == pytest.approx(stands, abs=driven.arm.angle_tolerance)
        assert not answer.given
        driven.set({"q1": -1.0})
        driven.runtime.run_until_answered(answer, most=3)
        assert answer.status == "SUCCESS"
        assert driven.assert_stands()["q1"] == pytest.approx(-1.0, abs=3e-6)


def test_a_joint_of_many_turns_has_one_in_morse(start: Start) -> None:
    with start(joint(0, "revolute", "0 0 1", "-9 9")) as driven:
        assert codes(driven) == {"morse-revolute-limits"}
        driven.set({"q0": 8.0})
        assert abs(driven.assert_stands()["q0"]) == pytest.approx(math.pi, abs=3e-6)


@pytest.fixture
def leader(start: Start) -> Iterator[Driven]:
    mimic = '<mimic joint="q0" multiplier="2" offset="0.1"/>'
    joints = joint(0, "revolute", "0 0 1", "-1 1") + joint(1, "revolute", "0 1 0", "-3 3", mimic)
    with start(joints) as driven:
        yield driven


def test_a_follower_goes_where_it_must_whatever_it_is_sent(leader: Driven) -> None:
    assert codes(leader) == {"morse-follower"}
    leader.set({"q0": 0.4})
    assert leader.assert_stands() == pytest.approx({"q0": 0.4, "q1": 0.9}, abs=3e-6)
    leader.runtime.frame(lambda: leader.arm.set_rotation("q1", -2.0))
    assert leader.assert_stands() == pytest.approx({"q0": 0.4, "q1": 0.9}, abs=3e-6)
    assert leader.state()["q1"] == pytest.approx(0.9, abs=3e-6)


def test_services_wait_for_followers_until_they_are_sent_their_positions(leader: Driven) -> None:
    answer = Answer()
    leader.arm.rotate_joints(answer, {"q0": 0.4})
    for _ in range(100):
        leader.runtime.frame()
    assert not answer.given
    again = Answer()
    leader.arm.rotate_joints(again, {"q0": 0.4, "q1": 2 * 0.4 + 0.1})
    assert answer.status == "PREEMPTED"
    leader.runtime.run_until_answered(again, most=10)
    assert again.status == "SUCCESS"


def test_a_trajectory_must_name_all_joints_of_its_armature(start: Start) -> None:
    """MORSE forgets the joints of which a point says nothing, and asks for them next."""
    joints = joint(0, "revolute", "0 0 1", "-2 2") + joint(1, "revolute", "0 1 0", "-2 2")
    with start(joints) as driven:
        driven.runtime.frame()
        points = [{"positions": [0.5], "time_from_start": 1.0}]
        driven.arm.trajectory(Answer(), {"points": points})
        with pytest.raises(KeyError, match="q1"):
            driven.runtime.frame()
