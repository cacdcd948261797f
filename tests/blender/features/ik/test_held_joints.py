# SPDX-License-Identifier: GPL-3.0-or-later
"""Held joints: one rule, the lock of a channel, for every solver and in every frame anew."""

from typing import Any

import bpy
import numpy as np
import pytest

from support.arm_chains import ARMS
from support.people import SAMPLE
from urdf_importer import (
    ImportOptions,
    add_ik,
    bake_ik,
    bake_path,
    get_joint_positions,
    import_robot,
    link_pose,
    retarget,
    set_joint_positions,
    solve_ik,
)
from urdf_importer.core.blender.standing.joints import list_held, posed_joints_of
from urdf_importer.core.blender.standing.pose import random_pose

pytestmark = pytest.mark.usefixtures("scene", "no_watch")
BARE = ImportOptions(visuals=False, collisions=False)
BY_NAME = {arm.name: arm for arm in ARMS}
ELBOW = "elbow_joint"
START = {
    "shoulder_pan_joint": 0.3,
    "shoulder_lift_joint": -1.2,
    ELBOW: 1.4,
    "wrist_1_joint": -1.0,
    "wrist_2_joint": -1.4,
    "wrist_3_joint": 0.2,
}


@pytest.fixture
def ur5() -> Any:
    armature = import_robot(BY_NAME["ur5"].path, options=BARE).armature
    set_joint_positions(armature, START)
    bpy.context.view_layer.update()
    return armature


def find(armature: Any, name: str) -> tuple[Any, Any]:
    (found,) = (each for each in posed_joints_of(armature) if each[1].name == name)
    return found


def lock(armature: Any, name: str, on: bool = True, frame: float | None = None) -> None:
    bone, joint = find(armature, name)
    (channel,) = joint.channels
    bone.lock_rotation[channel.index] = on
    if frame is not None:
        bone.keyframe_insert("lock_rotation", index=channel.index, frame=frame)
    bpy.context.view_layer.update()


def elbow(armature: Any) -> float:
    return float(get_joint_positions(armature)[ELBOW])


def test_an_answer_names_the_joints_that_are_held(ur5):
    there = link_pose(ur5, "ee_link")[:3, 3] + np.array([0.0, 0.0, 0.08])
    for name in START:
        if name != "shoulder_pan_joint":
            lock(ur5, name)
    assert list_held(ur5) == START.keys() - {"shoulder_pan_joint"}
    found = solve_ik(ur5, "ee_link", there)
    assert not found.success
    assert found.message.endswith(
        "; held: 'shoulder_lift_joint', 'elbow_joint', 'wrist_1_joint', 'wrist_2_joint', "
        "'wrist_3_joint'"
    )


@pytest.mark.parametrize("live", [True, False])
def test_a_target_leaves_a_joint_that_is_locked_by_hand(ur5, live):
    target = add_ik(ur5, "ee_link", live=live)
    assert bool(target["urdf_ik"].get("native")) is not live
    lock(ur5, ELBOW)
    target.location.z += 0.03
    bpy.context.view_layer.update()
    assert elbow(ur5) == pytest.approx(START[ELBOW], abs=1e-5)
    moved = get_joint_positions(ur5)
    assert moved["shoulder_lift_joint"] != pytest.approx(START["shoulder_lift_joint"], abs=1e-3)
    lock(ur5, ELBOW, False)
    target.location.z += 0.001
    bpy.context.view_layer.update()
    assert elbow(ur5) != pytest.approx(START[ELBOW], abs=1e-4)
    assert link_pose(ur5, "ee_link")[:3, 3] == pytest.approx(
        np.array(target.matrix_world)[:3, 3], abs=1e-4
    )


@pytest.mark.parametrize("live", [True, False])
def test_a_keyed_lock_counts_in_its_frames(ur5, live):
    target = add_ik(ur5, "ee_link", live=live)
    lock(ur5, ELBOW, False, frame=1)
    lock(ur5, ELBOW, True, frame=5)
    start = target.location.copy()
    for frame, up in ((1, 0.0), (3, 0.02), (7, 0.06)):
        target.location.z = start.z + up
        target.keyframe_insert("location", frame=frame)
    before = []
    for frame in (1, 3, 4, 5, 6, 7):
        bpy.context.scene.frame_set(frame)
        before.append(elbow(ur5))
    assert abs(before[1] - before[0]) > 1e-3
    assert np.ptp(before[3:]) < 1e-5


def test_baking_keeps_a_joint_while_its_lock_is_keyed_on(ur5):
    x, y, z = link_pose(ur5, "ee_link")[:3, 3].tolist()
    lock(ur5, ELBOW, False, frame=1)
    lock(ur5, ELBOW, True, frame=6)
    lock(ur5, ELBOW, False, frame=11)
    route = [(0.0, x, y, z), (0.5, x, y, z - 0.05)]
    fps = bpy.context.scene.render.fps = 30
    result = bake_path(ur5, "ee_link", route, start_frame=1, fps=fps)
    assert not result.failed
    shown = []
    for frame in range(1, 17):
        bpy.context.scene.frame_set(frame)
        shown.append(elbow(ur5))
    steps = np.abs(np.diff(shown))
    held = steps[4:9]  # Frames 6 to 10 hold it where frame 5 left it.
    assert held.max() < 1e-6 < 1e-4 < steps[:4].min()
    assert steps[9:].min() > 1e-4


def test_frames_in_which_all_joints_are_held_are_listed(ur5):
    """The tool rests there, and goes on where the locks end."""
    x, y, z = link_pose(ur5, "ee_link")[:3, 3].tolist()
    for name in START:
        for frame, on in ((1, False), (4, True), (6, False)):
            lock(ur5, name, on, frame=frame)
    fps = bpy.context.scene.render.fps = 10
    route = [(0.0, x, y, z), (0.8, x, y, z - 0.04)]
    result = bake_path(ur5, "ee_link", route, start_frame=1, fps=fps)
    assert result.failed == (4, 5)
    heights = []
    for frame in (3, 4, 5, 6, 9):
        bpy.context.scene.frame_set(frame)
        heights.append(link_pose(ur5, "ee_link")[2, 3] - z)
    assert heights == pytest.approx([-0.01, -0.01, -0.01, -0.025, -0.04], abs=1e-4)


def test_baking_a_target_keeps_it_too(ur5):
    target = add_ik(ur5, "ee_link", live=True)
    lock(ur5, ELBOW)
    start = target.location.z
    for frame, up in ((1, 0.0), (4, 0.02)):
        target.location.z = start + up
        target.keyframe_insert("location", frame=frame)
    baked = bake_ik(ur5, target, frame_range=(1, 4))
    assert ELBOW not in baked.positions
    assert elbow(ur5) == pytest.approx(START[ELBOW], abs=1e-6)


def test_random_poses_keep_it(ur5):
    lock(ur5, ELBOW)
    random_pose(ur5, 3)
    bpy.context.view_layer.update()
    assert elbow(ur5) == pytest.approx(START[ELBOW], abs=1e-6)


def test_retargeting_keeps_it():
    armature = import_robot(BY_NAME["talos"].path, options=BARE).armature
    name = "arm_left_4_joint"
    set_joint_positions(armature, {name: -1.1})
    lock(armature, name)
    result = retarget(SAMPLE, armature)
    assert name not in result.trajectory.names
    assert "arm_left_3_joint" in result.trajectory.names
    for frame in (1, 5, 9):
        bpy.context.scene.frame_set(frame)
        assert get_joint_positions(armature)[name] == pytest.approx(-1.1, abs=1e-5)
