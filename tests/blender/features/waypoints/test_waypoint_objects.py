# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints of rigs: recorded, dragged, kept by copies, overrides and updates, and keyed."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.arm_chains import ARMS
from support.blender.rigs import new_scene, override_collection
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    PlanOptions,
    Waypoint,
    bake_waypoints,
    delete_robot,
    extract_robot,
    get_joint_positions,
    get_waypoints,
    import_robot,
    link_pose,
    open_blend,
    record_waypoint,
    save_blend,
    set_joint_positions,
    set_waypoints,
    update_robot,
)
from urdf_importer.core import reshape
from urdf_importer.core.blender.standing.display import find_collection
from urdf_importer.core.blender.standing.joints import posed_joints_of

pytestmark = pytest.mark.usefixtures("scene", "no_watch")
PANDA = next(arm for arm in ARMS if arm.name == "panda")
BARE = ImportOptions(visuals=False, collisions=False)
QUICK = PlanOptions(link="panda_hand", collisions=False)
START = {
    "panda_joint1": 0.0,
    "panda_joint2": -0.3,
    "panda_joint3": 0.0,
    "panda_joint4": -2.0,
    "panda_joint5": 0.0,
    "panda_joint6": 1.8,
    "panda_joint7": 0.7,
}


@pytest.fixture
def panda() -> Any:
    armature = import_robot(PANDA.path, options=BARE).armature
    set_joint_positions(armature, START)
    bpy.context.view_layer.update()
    return armature


def record_three(armature: Any) -> list[Any]:
    """Two recorded ones, and a third that was dragged."""
    first = record_waypoint(armature, link="panda_hand", name="home", move="joint")
    set_joint_positions(armature, {"panda_joint1": 0.4, "panda_joint4": -1.8})
    second = record_waypoint(armature, link="panda_hand", name="left")
    third = record_waypoint(armature, link="panda_hand", name="up")
    third.location.z += 0.1
    bpy.context.view_layer.update()
    return [first, second, third]


def test_a_waypoint_is_where_the_hand_is_shown(panda):
    empty = record_waypoint(panda, link="panda_hand")
    (point,) = get_waypoints(panda)
    assert (point.name, point.link, point.move) == ("panda_hand 1", "panda_hand", "linear")
    assert np.asarray(point.pose) == pytest.approx(link_pose(panda, "panda_hand"), abs=1e-6)
    assert point.positions == pytest.approx(START, abs=1e-6)
    assert empty.users_collection[0].name.startswith("Waypoints")


def test_the_order_is_the_recorded_one_and_copies_stand_behind_their_originals(panda):
    _, second, _ = record_three(panda)
    record_waypoint(panda, link="panda_hand", name="between", after="home")
    assert [each.name for each in get_waypoints(panda)] == ["home", "between", "left", "up"]
    copy = second.copy()
    second.users_collection[0].objects.link(copy)
    assert [each.name for each in get_waypoints(panda)] == [
        "home", "between", "left", "left.001", "up"
    ]  # fmt: skip


def test_keys_are_the_plan(panda):
    record_three(panda)
    diagnostics = Diagnostics()
    plan = bake_waypoints(panda, options=QUICK, diagnostics=diagnostics)
    assert plan.success and plan.message.startswith("3 waypoints, cycle time ")
    assert {each.code for each in diagnostics} == {"acceleration-assumed"}
    scene = bpy.context.scene
    markers = {each.name: each.frame for each in scene.timeline_markers}
    assert markers.keys() == {"home", "left", "up"}
    rate = scene.render.fps / scene.render.fps_base
    for name, at in zip(("home", "left", "up"), plan.times, strict=True):
        assert abs(markers[name] - (scene.frame_start + at * rate)) <= 0.5
    times, values = plan.trajectory.times, plan.trajectory.positions
    for row in range(0, len(times), 7):
        frame = scene.frame_start + times[row] * rate
        scene.frame_set(int(frame), subframe=float(frame - int(frame)))
        shown = get_joint_positions(panda)
        for name, value in zip(plan.trajectory.names, values[row], strict=True):
            assert shown[name] == pytest.approx(value, abs=2e-6)


def test_an_impossible_motion_keys_nothing(panda):
    record_three(panda)[2].location.z += 5.0
    bpy.context.view_layer.update()
    plan = bake_waypoints(panda, options=QUICK, diagnostics=Diagnostics())
    assert not plan.success and plan.problems[0].kind == "unreachable"
    assert panda.animation_data is None or panda.animation_data.action is None
    assert not bpy.context.scene.timeline_markers


def test_a_file_without_the_extension_has_plain_numbers(panda, tmp_path: Path):
    record_three(panda)
    before = get_waypoints(panda)
    save_blend(tmp_path / "cell.blend")
    open_blend(tmp_path / "cell.blend")
    armature = bpy.data.objects["panda"]
    empty = bpy.data.objects["left"]
    assert empty["urdf_waypoint"] == 1 and empty["urdf_waypoint_move"] == "linear"
    assert empty["urdf_waypoint_joints"].split("\n") == [*START]
    after = get_waypoints(armature)
    assert [each.positions for each in after] == [each.positions for each in before]


def test_an_override_keeps_drags_and_numbers(panda, tmp_path: Path):
    record_three(panda)
    library = tmp_path / "library.blend"
    name = find_collection(panda).name
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    new_scene()
    with bpy.data.libraries.load(str(library), link=True) as (there, here):
        here.collections = [each for each in there.collections if each == name]
    override_collection(here.collections[0], fully=False)
    armature = next(each for each in bpy.data.objects
                    if each.type == "ARMATURE" and each.override_library)  # fmt: skip
    point = next(each for each in bpy.data.objects if each.name == "up" and each.override_library)
    point.location.x += 0.05
    point["urdf_waypoint_blend"] = 0.02
    bpy.context.view_layer.update()
    wanted = get_waypoints(armature)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    armature = next(each for each in bpy.data.objects
                    if each.type == "ARMATURE" and each.override_library)  # fmt: skip
    found = get_waypoints(armature)
    assert [each.name for each in found] == [each.name for each in wanted]
    assert found[2].blend == pytest.approx(0.02)
    for one, other in zip(found, wanted, strict=True):
        assert np.asarray(one.pose) == pytest.approx(np.asarray(other.pose), abs=1e-6)
        assert one.positions == pytest.approx(other.positions, abs=1e-6)


def test_set_waypoints_replaces_all_of_them(panda):
    record_three(panda)
    there = link_pose(panda, "panda_hand")
    end = there.copy()
    end[:3, 3] += (0.0, 0.1, 0.0)
    points = [
        Waypoint(name="a", positions=START),
        Waypoint(
            name="b", pose=end, move="circular", via=there[:3, 3] + (0.03, 0.05, 0.0), blend=0.01
        ),
    ]
    set_waypoints(panda, points, link="panda_hand")
    found = get_waypoints(panda)
    assert [each.name for each in found] == ["a", "b"]
    assert found[1].move == "circular" and found[1].blend == pytest.approx(0.01)
    assert np.asarray(found[1].via) == pytest.approx(np.asarray(points[1].via), abs=1e-6)
    assert np.asarray(found[1].pose) == pytest.approx(end, abs=1e-6)
    set_waypoints(panda, ())
    assert get_waypoints(panda) == ()
    assert not [each for each in bpy.data.collections if each.name.startswith("Waypoints")]
    assert "b_via" not in bpy.data.objects


def test_deleting_the_robot_takes_its_waypoints_along(panda):
    record_three(panda)
    delete_robot(panda)
    assert not [each for each in bpy.data.objects if "urdf_waypoint" in each]


def test_an_update_keeps_waypoints_and_renamed_links_follow(panda):
    record_three(panda)
    robot, new = extract_robot(panda), {"panda_hand": "gripper", "panda_joint1": "base_turn"}
    update_robot(panda, robot=reshape.rename(robot, new), names=new)
    found = get_waypoints(panda)
    assert [each.link for each in found] == ["gripper"] * 3
    assert "base_turn" in (found[0].positions or {})
    plan = bake_waypoints(panda, options=PlanOptions(link="gripper", collisions=False))
    assert plan.success, plan.message


def test_the_padlock_holds_a_joint_of_the_plan(panda):
    record_three(panda)
    bone, joint = next(each for each in posed_joints_of(panda) if each[1].name == "panda_joint3")
    bone.lock_rotation[joint.channels[0].index] = True
    plan = bake_waypoints(panda, options=QUICK, diagnostics=Diagnostics())
    assert plan.success and "panda_joint3" not in plan.trajectory.names


def test_waypoints_keep_names_that_blender_numbers(panda):
    """Other objects and another program have the same names: `after` finds its waypoint still."""
    bpy.data.objects.new("home", None)
    points = [
        Waypoint(name="home", positions=START, program="one"),
        Waypoint(name="end", positions=START, program="one", after="two:end"),
        Waypoint(name="home", positions=START, program="two"),
        Waypoint(name="end", positions=START, program="two"),
    ]
    made = set_waypoints(panda, points, link="panda_hand")
    assert [each.name for each in made] == ["home.001", "end", "home.002", "end.001"]
    found = get_waypoints(panda)
    assert [each.name for each in found] == ["home", "end", "home", "end"]
    copy = made[0].copy()
    made[0].users_collection[0].objects.link(copy)
    made[2].name = "start"
    names = [each.name for each in get_waypoints(panda)]
    assert names == ["home", copy.name, "end", "start", "end"]


def test_markers_of_the_user_stay(panda):
    """A marker of the same name, and one of the plan's that was moved."""
    record_three(panda)
    markers = bpy.context.scene.timeline_markers
    markers.new("left", frame=77)
    bake_waypoints(panda, options=QUICK)
    first = sorted((each.name, each.frame) for each in markers)
    assert len(first) == 4
    bake_waypoints(panda, options=QUICK)
    assert sorted((each.name, each.frame) for each in markers) == first
    next(each for each in markers if each.name == "up").frame = 300
    bake_waypoints(panda, options=QUICK)
    assert sorted((each.name, each.frame) for each in markers) == [*first, ("up", 300)]


def test_frames_of_links_are_kept_by_many_waypoints(panda):
    """Poses in the frame of a link, positions alone, and via points, made in one go."""
    pose = np.eye(4)
    pose[:3, 3] = (0.3, 0.1, 0.2)
    points = [
        Waypoint(name="a", pose=pose, frame="panda_link1"),
        Waypoint(name="b", pose=pose, frame="panda_link1", move="circular", via=(0.1, 0.2, 0.3)),
        Waypoint(name="c", positions=START | {"panda_joint1": 0.5}),
    ]
    made = set_waypoints(panda, points, link="panda_hand")
    found, base = get_waypoints(panda), link_pose(panda, "panda_link1")
    for each in found[:2]:
        assert np.asarray(each.pose) == pytest.approx(base @ pose, abs=1e-6)
    assert np.asarray(found[1].via) == pytest.approx((base @ (0.1, 0.2, 0.3, 1.0))[:3], abs=1e-6)
    assert made[0].parent != made[2].parent
    set_joint_positions(panda, START | {"panda_joint1": 0.5})
    bpy.context.view_layer.update()
    assert np.asarray(found[2].pose) == pytest.approx(link_pose(panda, "panda_hand"), abs=1e-6)
