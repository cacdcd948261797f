# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons of the panel Waypoints: files in other units, and places that cannot be reached."""

import math
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from support.arm_chains import ARMS
from support.blender.sidebars import activate
from urdf_importer import (
    ImportOptions,
    find_swivel,
    get_joint_positions,
    get_waypoints,
    import_robot,
    link_pose,
    set_joint_positions,
)

pytestmark = pytest.mark.usefixtures("extension", "scene")
PANDA = next(arm for arm in ARMS if arm.name == "panda")
POSE = "pose: [400, 0, 500, 0, 0, 0, 1]"


@pytest.fixture
def panda() -> Any:
    options = ImportOptions(visuals=False, collisions=False)
    armature = import_robot(PANDA.path, options=options).armature
    set_joint_positions(armature, {"panda_joint4": -1.7, "panda_joint6": 1.6})
    activate(armature)
    bpy.context.view_layer.update()
    return armature


def test_files_in_millimetres_with_and_without_turns(panda: Any, tmp_path: Path) -> None:
    """The via point too is in millimetres, and so are blends and speeds of the tool; a turn of zero
    in the file is a turn."""
    (tmp_path / "cell.yaml").write_text(
        f"waypoints:\n  - {{{POSE}}}\n  - {{move: circular, via: [450, 50, 500], {POSE}, "
        "blend: 10, tool_speed: 50}\n"
    )
    (tmp_path / "path.csv").write_text("time,x,y,z\n0,400,0,500\n1,450,0,500\n")
    bpy.context.window_manager.urdf_waypoint_link = "panda_hand"
    shown = link_pose(panda, "panda_hand")
    for name, turn in (("cell.yaml", np.eye(3)), ("path.csv", shown[:3, :3])):
        path = str(tmp_path / name)
        assert bpy.ops.urdf.open_waypoints(filepath=path, convention="mm") == {"FINISHED"}
        first, second = get_waypoints(panda)
        pose: Any = np.asarray(first.pose)
        assert pose[:3, 3] == pytest.approx((0.4, 0.0, 0.5), abs=1e-6)
        assert pose[:3, :3] == pytest.approx(turn, abs=1e-6)
        assert second.tool_speed == pytest.approx(0.05)
        if name == "cell.yaml":
            assert second.blend == pytest.approx(0.01)
            assert np.asarray(second.via) == pytest.approx((0.45, 0.05, 0.5), abs=1e-6)


def test_a_place_that_cannot_be_reached_leaves_the_arm_as_it_was(panda: Any) -> None:
    bpy.context.window_manager.urdf_waypoint_link = "panda_hand"
    assert bpy.ops.urdf.record_waypoint() == {"FINISHED"}
    empty = bpy.data.objects["panda_hand 1"]
    empty.location.z += 5.0
    set_joint_positions(panda, {"panda_joint1": 0.4})
    bpy.context.view_layer.update()
    before = get_joint_positions(panda)
    for place in (1, -3, 2):
        assert bpy.ops.urdf.go_to_waypoint(place=place) == {"CANCELLED"}
        assert get_joint_positions(panda) == pytest.approx(before, abs=1e-6)


def test_the_path_is_planned_anew_with_other_limits_and_as_a_loop(
    panda: Any, extension: ModuleType, tmp_path: Path
) -> None:
    """The path in the view, and the cycle time in the panel: what Generate makes of it."""
    manager, find = bpy.context.window_manager, extension.operators.waypoints.chosen.find_planned
    limits = tmp_path / "joint_limits.yaml"
    slow = "joint_limits:\n  panda_joint1: {max_velocity: %g}\n"
    for turn in (0.0, 0.8):
        set_joint_positions(panda, {"panda_joint1": turn})
        bpy.context.view_layer.update()
        assert bpy.ops.urdf.record_waypoint(move="joint") == {"FINISHED"}
    try:
        extension.operators.waypoints.overlay.refresh()
        alone = find(panda).plan.duration
        manager.urdf_waypoint_loop = True
        assert find(panda).plan.duration == pytest.approx(2.0 * alone)
        manager.urdf_waypoint_loop = False
        assert find(panda).plan.duration == pytest.approx(alone)
        limits.write_text(slow % 0.2)
        manager.urdf_limits_file = str(limits)
        shown = find(panda).plan.duration
        assert shown > 4.0 > alone
        assert bpy.ops.urdf.generate_motion(collisions=False) == {"FINISHED"}
        assert find(panda).plan.duration == pytest.approx(shown)
        limits.write_text(slow % 0.05)
        extension.operators.waypoints.overlay.refresh()
        assert find(panda).plan.duration > 3.0 * shown
    finally:
        manager.urdf_waypoint_loop, manager.urdf_limits_file = False, ""
    assert find(panda).plan.duration == pytest.approx(alone)


def test_the_elbow_swivels_within_its_range_and_the_tool_stays(
    panda: Any, extension: ModuleType
) -> None:
    swivel, scene = extension.operators.waypoints.swivel, bpy.context.scene
    bpy.context.window_manager.urdf_ik.link = "panda_hand"
    assert swivel.has_swivel(panda, "panda_hand") and not swivel.has_swivel(panda, "panda_link6")
    assert swivel._describe(panda, "panda_hand") == "The elbow cannot turn from here"
    set_joint_positions(panda, {"panda_joint2": -0.3})
    bpy.context.view_layer.update()
    tool = link_pose(panda, "panda_hand")
    found = find_swivel(PANDA.robot, get_joint_positions(panda), link="panda_hand")
    assert scene.urdf_swivel == pytest.approx(found.angle, abs=1e-5)
    for wanted, reached in (
        (0.5, 0.5),
        (-0.7, -0.7),
        (3.1, found.upper),
        (-3.1, found.lower),
        (0.0, 0.0),
    ):
        scene.urdf_swivel = wanted
        bpy.context.view_layer.update()
        assert scene.urdf_swivel == pytest.approx(reached, abs=1e-4)
        assert link_pose(panda, "panda_hand") == pytest.approx(tool, abs=1e-5)


def test_the_range_of_the_elbow_is_said_once_the_tool_has_come_to_rest(
    panda: Any, extension: ModuleType
) -> None:
    swivel = extension.operators.waypoints.swivel
    look, kept = swivel._look_for_range, extension.operators.session.session_state(swivel._Range)
    bpy.context.window_manager.urdf_ik.link = "panda_hand"
    set_joint_positions(panda, {"panda_joint2": -0.3})
    bpy.context.view_layer.update()
    assert look() == swivel._REST and not kept.text  # It may still be moving.
    assert look() is None
    found = find_swivel(PANDA.robot, get_joint_positions(panda), link="panda_hand")
    lower, upper = (round(math.degrees(each)) for each in (found.lower, found.upper))
    assert kept.text.startswith(f"{lower}° to {upper}°, {found.bound_below}")
    bpy.context.scene.urdf_swivel = 0.3
    bpy.context.view_layer.update()
    assert swivel._find_place(panda, "panda_hand").is_at(kept.place)
    set_joint_positions(panda, {"panda_joint1": 0.4})
    bpy.context.view_layer.update()
    assert not swivel._find_place(panda, "panda_hand").is_at(kept.place)
    bpy.context.window_manager.urdf_ik.link = "panda_link3"
    assert look() is None and bpy.context.scene.urdf_swivel == 0.0


def test_an_arm_on_a_rail_keeps_its_swivel(panda: Any, extension: ModuleType) -> None:
    has_swivel = extension.operators.waypoints.swivel.has_swivel
    assert has_swivel(panda, "panda_hand") and not has_swivel(panda, "panda_link4")
    assert bpy.ops.urdf.mount_axis(axis=(0.0, 1.0, 0.0)) == {"FINISHED"}
    bpy.context.view_layer.update()
    assert has_swivel(panda, "panda_hand")
    home = {"panda_joint2": -0.3, "panda_joint4": -2.0, "panda_joint6": 1.8}
    set_joint_positions(panda, home)
    bpy.context.view_layer.update()
    bpy.context.window_manager.urdf_ik.link = "panda_hand"
    before = link_pose(panda, "panda_hand")
    bpy.context.scene.urdf_swivel = 0.5
    bpy.context.view_layer.update()
    assert get_joint_positions(panda)["panda_joint3"] != pytest.approx(0.0, abs=0.1)
    assert link_pose(panda, "panda_hand") == pytest.approx(before, abs=1e-5)
