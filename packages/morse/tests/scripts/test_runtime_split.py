# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots of several armatures, each with MORSE's actuator: then MORSE drives also what slides."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import bpy
import pytest

from morse_support.driven_robots import PATHS, Driven, drive
from morse_support.morse_runtime import Answer, mark_component
from support.blender.rigs import new_scene
from urdf_importer import ImportResult, check_morse_profile
from urdf_importer_morse.game_engine.storage import set_property
from urdf_importer_morse.split.split import split_armature

Groups = Mapping[str, list[str]]
Start = Callable[[str, Groups], AbstractContextManager[Driven]]

AXES = {"x": ["x_axis"], "y": ["y_axis"], "z": ["z_axis"]}
FINGERS = {"finger1": ["panda_finger_joint1"], "finger2": ["panda_finger_joint2"]}
_ARM = (
    "shoulder_pan", "shoulder_lift", "upper_arm_roll", "elbow_flex", "forearm_roll", "wrist_flex",
    "wrist_roll",
)  # fmt: skip
PR2 = {
    "torso": ["torso_lift_joint"],
    "head": ["head_pan_joint", "head_tilt_joint"],
    "l_arm": [f"l_{name}_joint" for name in _ARM],
    "r_arm": [f"r_{name}_joint" for name in _ARM],
}
"""As in MORSE's own PR2."""
ROBOTS = {"gantry": AXES, "panda": FINGERS, "pr2": PR2}


@pytest.fixture
def start(morse_root: Path) -> Start:
    def begin(name: str, groups: Groups) -> AbstractContextManager[Driven]:
        new_scene()
        return drive(morse_root, PATHS[name], lambda result: split(result, groups))

    return begin


def split(result: ImportResult, groups: Groups) -> None:
    for group, joints in groups.items():
        split_armature(result.armature, group, joints)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_joint_is_read_where_it_was_set(start: Start, name: str) -> None:
    with start(name, ROBOTS[name]) as driven:
        for group, joints in ROBOTS[name].items():
            assert driven.arms[group].get_joints() == joints
            assert driven.poses[group].get_joints() == joints
        for seed in (1, 2, 3):
            positions = driven.choose(seed, driven.turning + driven.sliding)
            driven.set(positions)
            reported = driven.assert_stands()
            assert {n: reported[n] for n in positions} == pytest.approx(positions, abs=3e-6)


@pytest.mark.parametrize("name", ROBOTS)
def test_nothing_of_what_slides_is_misread(start: Start, name: str) -> None:
    with start(name, ROBOTS[name]):
        for group in ROBOTS[name]:
            found = {each.code for each in check_morse_profile(bpy.data.objects[group])}
            assert found <= {"morse-prismatic-limits", "morse-revolute-limits", "morse-follower"}


@pytest.mark.parametrize(
    ("name", "goals"),
    [
        ("gantry", {"x_axis": 0.3, "y_axis": 0.2, "z_axis": 0.25}),
        ("pr2", {"torso_lift_joint": 0.2}),
        ("panda", {"panda_finger_joint1": 0.03}),
    ],
)
def test_what_slides_gets_where_it_was_sent(
    start: Start, name: str, goals: dict[str, float]
) -> None:
    with start(name, ROBOTS[name]) as driven:
        answers = {joint: Answer() for joint in goals}
        for joint, goal in goals.items():
            driven.arm_of(joint).translate(answers[joint], joint, goal, 0.2)
        driven.runtime.run_until_answered(*answers.values(), most=200)
        assert {each.status for each in answers.values()} == {"SUCCESS"}
        reported = driven.assert_stands()
        for joint, goal in goals.items():
            within = driven.arm_of(joint).distance_tolerance
            assert reported[joint] == pytest.approx(goal, abs=within)


def test_an_arm_of_its_own_takes_trajectories_of_its_joints(start: Start) -> None:
    with start("pr2", PR2) as driven:
        arm = driven.arms["l_arm"]
        point = driven.choose(8, PR2["l_arm"])
        answer = Answer()
        driven.runtime.frame()
        points = [{"positions": list(point.values()), "time_from_start": 2.0}]
        arm.trajectory(answer, {"points": points})
        driven.runtime.run_until_answered(answer, most=130)
        assert answer.status == "SUCCESS"
        reported = driven.assert_stands()
        for joint, at in point.items():
            assert reported[joint] == pytest.approx(at, abs=arm.angle_tolerance + 0.06)
        assert reported["r_elbow_flex_joint"] == pytest.approx(0.0, abs=3e-6)


def test_a_compound_sensor_holds_the_state_of_all_armatures(morse_root: Path) -> None:
    def prepare(result: ImportResult) -> None:
        split(result, PR2)
        state = bpy.data.objects.new("joint_state", None)
        bpy.context.scene.collection.objects.link(state)
        state.parent = result.armature.parent
        mark_component(state, "morse.sensors.compound.CompoundSensor")
        set_property(state, "sensors", ",".join(f"{group}.pose" for group in PR2))

    new_scene()
    with drive(morse_root, PATHS["pr2"], prepare) as driven:
        driven.set(driven.choose(4, driven.turning))
        driven.runtime.frame()
        driven.runtime.frame()
        told = driven.runtime.components["joint_state"].local_data
        for group, joints in PR2.items():
            assert set(joints) <= set(told[f"{group}.pose"])


@pytest.mark.parametrize("marked", ["everything", "no armatures", "no sensors"])
def test_what_is_beside_an_end_effector_must_be_internal(morse_root: Path, marked: str) -> None:
    """The actuator of the torso finds the end effector of an arm too, and mounts on it whatever
    hangs on the torso and is not marked: the other arm, and the torso's own sensor, which reads
    another armature from there."""

    def mark(result: ImportResult) -> None:
        set_property(result.links["l_gripper_tool_frame"], "end_effector", True)
        for item in bpy.data.objects:
            left_out = {"no armatures": item.type == "ARMATURE", "no sensors": ".pose" in item.name}
            if not left_out.get(marked, False):
                set_property(item, "internal", True)

    new_scene()
    with drive(morse_root, PATHS["pr2"], lambda result: split(result, PR2), mark) as driven:
        tool = driven.result.links["l_gripper_tool_frame"]
        above = bpy.data.objects["r_arm"].parent
        assert above == (tool if marked == "no armatures" else bpy.data.objects["torso"])
        read = driven.poses["torso"].get_joints()
        assert (read == PR2["torso"]) == (marked != "no sensors")
        driven.set(driven.choose(6, driven.turning) | {"torso_lift_joint": 0.2})
        if marked == "everything":
            driven.assert_stands()
        else:
            with pytest.raises(AssertionError if marked == "no armatures" else KeyError):
                driven.assert_stands()
