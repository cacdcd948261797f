# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's runtime and what stands around the bones: IK targets, an end effector, sensors on links,
robots anywhere in the world."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from morse_support.driven_robots import PATHS, Driven, Prepare, add_empty, add_ik_target, drive
from morse_support.game_double import wrap
from morse_support.morse_runtime import Answer, mark_component
from support.blender.rigs import new_scene
from urdf_importer import ImportResult, forward_kinematics
from urdf_importer_morse.game_engine.storage import set_property

Start = Callable[..., AbstractContextManager[Driven]]
TIPS = {"ur5": "wrist_3_joint", "iiwa": "joint_a7", "humanoid_arm": "wrist_roll"}
SOLVED = 1e-3
"""Metres and radians: how near Blender's own solver comes to a target; mostly 1e-6."""
TOOLS = {"ur5": "tool0", "iiwa": "tool0", "humanoid_arm": "hand"}


@pytest.fixture
def start(morse_root: Path) -> Start:
    def begin(name: str, prepare: Prepare = lambda result: None) -> AbstractContextManager[Driven]:
        new_scene()
        return drive(morse_root, PATHS[name], prepare)

    return begin


# Places


@pytest.mark.parametrize("name", ["humanoid_arm", "talos"])
def test_a_robot_anywhere_in_the_world_is_driven_the_same(start: Start, name: str) -> None:
    def move(result: ImportResult) -> None:
        root = result.armature.parent
        root.location = (3.0, -2.0, 1.5)
        root.rotation_quaternion = (0.5, -0.5, 0.5, 0.5)

    with start(name, move) as driven:
        positions = driven.choose(3, driven.turning)
        driven.set(positions)
        reported = driven.assert_stands()
        assert {n: reported[n] for n in positions} == pytest.approx(positions, abs=3e-6)
        place = driven.runtime.robots["robot"].position_3d
        assert (place.x, place.y, place.z) == pytest.approx((3.0, -2.0, 1.5))


def test_a_pose_sensor_on_a_link_tells_where_the_link_is(start: Start) -> None:
    classpath = "morse.sensors.pose.Pose"

    def mount(result: ImportResult) -> None:
        result.armature.parent.location = (1.0, 2.0, 0.5)
        for link, empty in result.links.items():
            mark_component(add_empty(f"on_{link}", empty), classpath)

    with start("humanoid_arm", mount) as driven:
        positions = driven.choose(5, driven.turning)
        driven.set(positions)
        driven.runtime.frame()
        frames = forward_kinematics(driven.result.robot, driven.assert_stands())
        for link, frame in frames.items():
            told = driven.runtime.components[f"on_{link}"].local_data
            assert [told[axis] for axis in "xyz"] == pytest.approx(
                frame[:3, 3] + (1.0, 2.0, 0.5), abs=1e-5
            )
            angles = Matrix(frame[:3, :3].tolist()).to_euler()
            off = [told[n] - a for n, a in zip(("roll", "pitch", "yaw"), angles, strict=True)]
            assert [wrap(each) for each in off] == pytest.approx([0, 0, 0], abs=1e-4), link


# Inverse kinematics


def start_with_target(start: Start, name: str) -> AbstractContextManager[Driven]:
    def prepare(result: ImportResult) -> None:
        result.armature.parent.location = (0.5, -0.25, 0.125)
        bpy.context.view_layer.update()
        add_ik_target(result.armature, TIPS[name])

    return start(name, prepare)


def tip_of(driven: Driven, name: str) -> tuple[Any, Any]:
    """Where the tail of the last bone is in the world, and how the bone stands, (3, 3)."""
    shown = driven.armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    bone = shown.pose.bones[TIPS[name]]
    place = shown.matrix_world @ bone.matrix @ Vector((0.0, bone.length, 0.0))
    return np.array(place), np.array((shown.matrix_world @ bone.matrix).to_3x3())


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", TIPS)
def test_the_arm_reaches_a_target_where_morse_places_it(start: Start, name: str, seed: int) -> None:
    with start_with_target(start, name) as driven:
        arm, target = driven.arm, f"ik_target.robot.{driven.armature.name}.{TIPS[name]}"
        assert arm.list_IK_targets() == [target]
        chosen = {n: 0.6 * at for n, at in driven.choose(seed, driven.turning).items()}
        driven.set(chosen)
        assert driven.assert_stands() == pytest.approx(chosen, abs=3e-6), "IK works while it is off"
        place, turned = tip_of(driven, name)
        driven.set(dict.fromkeys(chosen, 0.0))
        angles = list(Matrix(turned.tolist()).to_euler())
        driven.runtime.frame(lambda: arm.place_IK_target(target, list(place), angles, False))
        driven.assert_stands()
        for _ in range(60):
            driven.runtime.frame()
        reached, stands = tip_of(driven, name)
        assert reached == pytest.approx(place, abs=SOLVED)
        assert stands == pytest.approx(turned, abs=SOLVED)
        for joint, at in driven.assert_stands().items():
            lower, upper = arm.get_IK_limits(joint)
            assert lower - 3e-6 <= at <= upper + 3e-6
        driven.set(chosen)
        assert driven.assert_stands() == pytest.approx(chosen, abs=3e-6), "IK was not taken off"


def test_a_target_is_moved_at_its_speed_and_the_arm_follows(start: Start) -> None:
    with start_with_target(start, "iiwa") as driven:
        (target,) = driven.arm.list_IK_targets()
        driven.set({"joint_a2": 0.6, "joint_a4": -1.2, "joint_a6": 0.5})
        place, turned = tip_of(driven, "iiwa")
        angles = list(Matrix(turned.tolist()).to_euler())
        driven.runtime.frame(lambda: driven.arm.place_IK_target(target, list(place), angles, False))
        answer, moved = Answer(), np.array([0.0, 0.1, 0.05])
        driven.arm.move_IK_target(answer, target, list(moved), None, True, 0.2)
        frames = driven.runtime.run_until_answered(answer, most=200)
        assert answer.status == "SUCCESS"
        step = 0.2 / driven.runtime.game.tick_rate
        assert frames == pytest.approx(1 + (0.1 - driven.arm.distance_tolerance) / step, abs=1.01)
        reached, stands = tip_of(driven, "iiwa")
        assert reached == pytest.approx(place + moved, abs=driven.arm.distance_tolerance)
        assert stands == pytest.approx(turned, abs=SOLVED)
        driven.assert_stands()


# The end effector


def start_with_tool(start: Start, name: str, *, internal: bool) -> AbstractContextManager[Driven]:
    def prepare(result: ImportResult) -> None:
        set_property(result.links[TOOLS[name]], "end_effector", True)
        for empty in result.links.values() if internal else ():
            set_property(empty, "internal", True)
        bpy.context.view_layer.update()
        tool = add_empty("tool", result.armature)
        tool.matrix_world = result.links[TOOLS[name]].matrix_world @ Matrix.Translation((0, 0, 0.1))

    return start(name, prepare)


@pytest.mark.parametrize("name", TOOLS)
def test_what_is_mounted_on_the_armature_goes_to_the_end_effector(start: Start, name: str) -> None:
    with start_with_tool(start, name, internal=True) as driven:
        link = driven.result.links[TOOLS[name]]
        assert bpy.data.objects["tool"].parent == link
        for empty in driven.result.links.values():
            assert empty.parent == driven.armature
        driven.set(driven.choose(2, driven.turning))
        driven.assert_stands()
        world = bpy.data.objects["tool"].matrix_world
        assert np.array(link.matrix_world.inverted() @ world)[:3, 3] == pytest.approx(
            (0, 0, 0.1), abs=1e-6
        )
        # Also the sensor, which finds its armature from there.
        assert bpy.data.objects[f"{driven.armature.name}.pose"].parent == link


def test_links_must_be_internal_or_morse_mounts_them_too(start: Start) -> None:
    with start_with_tool(start, "ur5", internal=False) as driven:
        links = driven.result.links
        tool = links[TOOLS["ur5"]]
        assert all(empty.parent == tool for empty in links.values() if empty != tool)
        driven.set({"elbow_joint": 1.0})
        with pytest.raises(AssertionError, match="off"):
            driven.assert_stands()
