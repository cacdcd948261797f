# SPDX-License-Identifier: GPL-3.0-or-later
"""Links on closed loops brought somewhere in Blender: once, live, and baked; the loops stay closed,
whether drivers close them or not."""

from dataclasses import replace

import bpy
import numpy as np
import pytest
from mathutils import Quaternion, Vector

from support.linkages import four_bar, gap_of, hexagon
from urdf_importer import (
    ImportOptions,
    RigIKOptions,
    add_ik,
    bake_ik,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    link_pose,
    solve_ik,
    write_urdf,
)
from urdf_importer.features.ik.blender import bake, live
from urdf_importer.features.ik.blender.live import unwatch
from urdf_importer.features.ik.blender.tip_handles import grip_tip, handles_in

pytestmark = pytest.mark.usefixtures("scene", "no_watch", "three_stay_open")
STILL = Quaternion((1.0, 0.0, 0.0, 0.0))
BAR = four_bar(0.25, 0.9, 0.6, 1.0, 0.4)
POSES = {
    "rocker": (BAR, {"crank_pin": 0.8}),
    "bar_2": (hexagon(), {"corner_0": 0.1, "corner_1": -0.12, "corner_2": 0.05}),
    "bar_3": (hexagon(), {"corner_0": 0.1, "corner_1": -0.12, "corner_2": 0.05}),
}


@pytest.fixture
def no_watch(monkeypatch):
    """Lets answers take their time, on machines that do other things too."""
    for module, name in ((bake, "_EFFORT"), (live, "_AT_ONCE"), (live, "_ONCE_MORE")):
        monkeypatch.setattr(module, name, replace(getattr(module, name), seconds=20.0))
    yield
    unwatch()


def bring_in(robot, tmp_path, **options):
    write_urdf(robot, tmp_path / "robot.urdf")
    return import_robot(tmp_path / "robot.urdf", options=ImportOptions(**options)).armature


def look(armature):
    bpy.context.view_layer.update()
    return get_joint_positions(armature)


@pytest.mark.parametrize("link", POSES)
def test_links_that_loops_carry_go_to_their_targets(link, tmp_path):
    robot, pose = POSES[link]
    armature = bring_in(robot, tmp_path)
    wanted = forward_kinematics(robot, pose)[link]
    found = solve_ik(armature, link, target=wanted, options=RigIKOptions(seconds=20.0))
    assert found.success, found.message
    assert link_pose(armature, link) == pytest.approx(wanted, abs=2e-5)
    assert gap_of(robot, look(armature)) < 1e-5


def test_a_link_that_follows_live_keeps_its_loop_closed(tmp_path):
    robot, pose = POSES["bar_2"]
    armature = bring_in(robot, tmp_path)
    target = add_ik(armature, "bar_2", live=True)
    wanted = forward_kinematics(robot, pose)["bar_2"]
    for part in np.linspace(0.2, 1.0, 5):
        start = forward_kinematics(robot)["bar_2"]
        target.location = start[:3, 3] + part * (wanted[:3, 3] - start[:3, 3])
        bpy.context.view_layer.update()
        assert link_pose(armature, "bar_2")[:3, 3] == pytest.approx(target.location, abs=2e-5)
        assert gap_of(robot, look(armature)) < 1e-5


def test_what_is_baked_is_closed_in_every_frame(tmp_path):
    robot, pose = POSES["bar_3"]
    armature = bring_in(robot, tmp_path)
    target = add_ik(armature, "bar_3", live=True)
    target.keyframe_insert("location", frame=1)
    target.location = forward_kinematics(robot, pose)["bar_3"][:3, 3]
    target.keyframe_insert("location", frame=6)
    assert bake_ik(armature, target, frame_range=(1, 6)).failed == ()
    unwatch()
    for frame in range(1, 7):
        bpy.context.scene.frame_set(frame)
        shown = get_joint_positions(armature)
        assert gap_of(robot, shown) < 1e-5
        assert link_pose(armature, "bar_3")[:3, 3] == pytest.approx(target.location, abs=2e-5)


def test_blenders_own_ik_leaves_open_loops_to_numbers(tmp_path):
    robot, _ = POSES["bar_2"]
    armature = bring_in(robot, tmp_path)
    target = add_ik(armature, "bar_2")
    assert not target["urdf_ik"].get("native")
    assert target["urdf_ik"]["live"]


def test_rigs_that_leave_loops_open_move_as_trees(tmp_path):
    robot, _ = POSES["rocker"]
    armature = bring_in(robot, tmp_path, close_loops=False)
    wanted = forward_kinematics(robot, {"rocker_pin": 0.4}, close_loops=False)["rocker"]
    found = solve_ik(armature, "rocker", target=wanted)
    assert found.success, found.message
    assert look(armature) == pytest.approx(
        {"crank_pin": 0.0, "knee": 0.0, "rocker_pin": 0.4}, abs=1e-5
    )


def test_a_tip_that_is_dragged_keeps_its_loop_closed(tmp_path):
    robot, _ = POSES["bar_2"]
    armature = bring_in(robot, tmp_path)
    bpy.context.view_layer.update()
    (handle,) = handles_in(bpy.context.scene)
    drag = grip_tip(handle)
    before = look(armature)
    for part in (0.01, 0.02, 0.03):
        drag.move(drag.start.origin + part * Vector((1.0, 1.0, 0.0)), STILL, turning=False)
        shown = look(armature)
        assert gap_of(robot, shown) < 1e-5
    assert shown != pytest.approx(before, abs=1e-3)
    drag.take_back()
    assert look(armature) == pytest.approx(before, abs=1e-6)
