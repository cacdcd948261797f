# SPDX-License-Identifier: GPL-3.0-or-later
"""Tips of robots that are dragged: the joints follow, within limits, wherever the robot stands."""

import math
import time
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Quaternion, Vector

from support.arm_chains import ARMS
from support.paths import ROOT
from urdf_importer import (
    ImportOptions,
    add_ik,
    apply_srdf,
    get_joint_positions,
    import_robot,
    link_pose,
    set_joint_positions,
)
from urdf_importer.core.blender.standing.joints import posed_joints_of
from urdf_importer.core.blender.standing.keys import find_curves
from urdf_importer.features.ik.blender.live import unwatch
from urdf_importer.features.ik.blender.tip_hand import take_handle
from urdf_importer.features.ik.blender.tip_handles import (
    TipDrag,
    TipHandle,
    explain_tip,
    grip_tip,
    handles_in,
    read_frame,
)
from urdf_importer_morse.split.split import split_armature

pytestmark = pytest.mark.usefixtures("scene", "fresh")
PANDA = next(arm for arm in ARMS if arm.name == "panda")
SAMPLES = ROOT / "sample_urdfs"
BARE = ImportOptions(visuals=False, collisions=False)
STILL = Quaternion()


@pytest.fixture
def fresh():
    yield
    unwatch()


@pytest.fixture
def panda() -> Any:
    armature = import_robot(PANDA.path, options=BARE).armature
    set_joint_positions(armature, {"panda_joint4": -1.7, "panda_joint6": 1.6})
    bpy.context.view_layer.update()
    return armature


def the_handle() -> TipHandle:
    (handle,) = handles_in(bpy.context.scene)
    return handle


def shown(handle: TipHandle) -> Matrix:
    """Where Blender shows the link."""
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return handle.empty.evaluated_get(depsgraph).matrix_world.copy()


def tip_of(handle: TipHandle) -> Vector:
    return shown(handle) @ Vector(handle.point)


def raw_numbers(armature: Any) -> list[tuple[str, tuple[float, ...]]]:
    return [
        (joint.name, (*bone.location, *bone.rotation_euler))
        for bone, joint in posed_joints_of(armature)
    ]


def check_limits(armature: Any) -> None:
    positions = get_joint_positions(armature)
    for bone, joint in posed_joints_of(armature):
        for channel in joint.channels:
            assert channel.is_valid(channel.get(bone)), (joint.name, positions[joint.name])


PLACES = {
    "as imported": Matrix.Identity(4),
    "moved": Matrix.LocRotScale(Vector((3, -2, 1)), Euler((0.4, -1.1, 2.0)), Vector((1, 1, 1))),
    "scaled": Matrix.LocRotScale(Vector((0, 1, 0)), Euler((1.0, 0.0, 0.3)), Vector((2, 2, 2))),
    "mirrored": Matrix.LocRotScale(Vector((1, 0, 0)), Euler((0.2, 0.0, 1.0)), Vector((-1, 1, 1))),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_tip_goes_where_it_is_dragged_and_turns_as_it_is_turned(panda: Any, place: str) -> None:
    panda.matrix_world = PLACES[place]
    handle = the_handle()
    start, before = tip_of(handle), shown(handle).to_3x3()
    frame = read_frame(handle)
    assert (frame.origin - start).length < 1e-5
    drag = grip_tip(handle)
    way, turn = Vector((0.04, 0.03, -0.05)), Quaternion((0.6, 0.0, 0.8), 0.25)
    for part in (0.25, 0.5, 0.75, 1.0):
        drag.move(start + part * way, STILL.slerp(turn, part), turning=False)
    assert drag.answer is not None and drag.answer.success
    assert (tip_of(handle) - start - way).length < 5e-5
    wanted = turn.to_matrix() @ before
    assert np.abs(np.array(shown(handle).to_3x3()) - np.array(wanted)).max() < 1e-4
    check_limits(panda)
    assert drag.keep()


def test_hidden_links_are_where_they_are_shown(panda: Any) -> None:
    handle = the_handle()
    place = read_frame(handle).origin
    handle.empty.hide_viewport = True
    set_joint_positions(panda, {"panda_joint1": math.pi / 2})
    bpy.context.view_layer.update()
    turned = Matrix.Rotation(math.pi / 2, 3, "Z") @ place
    assert (read_frame(handle).origin - turned).length < 1e-5


def test_taken_back_to_the_last_bit(panda: Any) -> None:
    before = raw_numbers(panda)
    drag = grip_tip(the_handle())
    drag.move(drag.start.origin + Vector((0.0, 0.1, 0.1)), STILL, turning=False)
    assert raw_numbers(panda) != before
    drag.take_back()
    assert raw_numbers(panda) == before
    assert not drag.keep()


def test_out_of_reach_it_comes_as_near_as_it_can_within_limits(panda: Any) -> None:
    handle = the_handle()
    drag = grip_tip(handle)
    start = drag.start.origin.copy()
    gaps = []
    for step in range(1, 16):
        goal = start + Vector((0.1 * step, 0.0, 0.0))
        drag.move(goal, STILL, turning=False)
        check_limits(panda)
        gaps.append((tip_of(handle) - goal).length)
    assert drag.answer is not None and not drag.answer.success
    assert 0.5 < gaps[-1] < 1.5
    assert gaps[-1] == pytest.approx(drag.answer.position_error, abs=1e-4)
    for step in range(15, -1, -1):
        drag.move(start + Vector((0.1 * step, 0.0, 0.0)), STILL, turning=False)
    assert (tip_of(handle) - start).length < 5e-5


def test_a_move_is_quick_enough_for_a_redraw(panda: Any) -> None:
    """At most 15 ms, in reach and out of it; here three times as much for busy machines."""
    drag = grip_tip(the_handle())
    times = []
    for step in range(40):
        began = time.thread_time()
        goal = drag.start.origin + Vector((0.02 * step, 0.0, -0.01))
        drag.move(goal, STILL, turning=False)
        bpy.context.view_layer.update()
        times.append(time.thread_time() - began)
    assert np.median(times) < 0.045


def test_keyframes_where_auto_keying_is_on(panda: Any) -> None:
    settings = bpy.context.scene.tool_settings
    for keyed in (False, True):
        settings.use_keyframe_insert_auto = keyed
        drag = grip_tip(the_handle())
        drag.move(drag.start.origin + Vector((0.0, 0.05, 0.0)), STILL, turning=False)
        assert not find_curves(panda)
        assert drag.keep()
        curves = find_curves(panda) or ()
        assert bool(curves) is keyed
        assert all(len(curve.keyframe_points) == 1 for curve in curves)
    settings.use_keyframe_insert_auto = False


def test_locked_joints_stay_and_the_others_follow(panda: Any) -> None:
    handle = the_handle()
    bones = {joint.name: bone for bone, joint in posed_joints_of(panda)}
    bones["panda_joint1"].lock_rotation = (True, True, True)
    before = get_joint_positions(panda)["panda_joint1"]
    drag = grip_tip(handle)
    drag.move(drag.start.origin + Vector((0.0, 0.05, 0.0)), STILL, turning=False)
    assert get_joint_positions(panda)["panda_joint1"] == before
    assert (tip_of(handle) - drag.start.origin).length > 0.04
    assert explain_tip(handle) == ""
    for bone in bones.values():
        bone.lock_rotation = (True, True, True)
    assert explain_tip(handle) == "locked"
    panda.scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert explain_tip(handle) == "the armature is scaled to nothing"


def test_live_targets_come_along(panda: Any) -> None:
    target = add_ik(panda, "panda_hand")
    bpy.context.view_layer.update()
    handle = the_handle()
    drag = grip_tip(handle)
    goal = drag.start.origin + Vector((0.0, 0.08, 0.0))
    drag.move(goal, STILL, turning=False)
    bpy.context.view_layer.update()
    assert drag.keep()
    bpy.context.view_layer.update()
    assert (tip_of(handle) - goal).length < 5e-5
    assert (target.matrix_world.translation - goal).length < 5e-5


def test_an_arm_of_several_armatures() -> None:
    options = ImportOptions(profile="morse", visuals=False, collisions=False)
    panda = import_robot(PANDA.path, options=options).armature
    set_joint_positions(panda, {"panda_joint4": -1.7, "panda_joint6": 1.6})
    split_armature(panda, "wrist", ["panda_joint6", "panda_joint7"])
    split_armature(panda, "elbow", ["panda_joint4"])
    bpy.context.view_layer.update()
    handle = the_handle()
    start = tip_of(handle)
    drag = grip_tip(handle)
    goal = start + Vector((0.03, 0.05, 0.02))
    drag.move(goal, STILL, turning=False)
    assert (tip_of(handle) - goal).length < 5e-5
    assert drag.keep()


def test_combined_bones_and_points_beyond_the_last_joint() -> None:
    armature = import_robot(SAMPLES / "humanoid_arm.urdf").armature
    set_joint_positions(armature, {"elbow": -0.8, "shoulder_pitch": 0.3})
    bpy.context.view_layer.update()
    handle = the_handle()
    assert handle.link == "tool0"
    drag = grip_tip(handle)
    goal = drag.start.origin + Vector((0.01, 0.0, 0.03))
    drag.move(goal, STILL, turning=False)
    assert (tip_of(handle) - goal).length < 5e-5
    check_limits(armature)


def test_a_stretched_arm_bends_without_luck() -> None:
    """As it comes in, all joints at zero: no small step of any joint leads along the arm."""
    import_robot(SAMPLES / "humanoid_arm.urdf", options=BARE)
    handle = the_handle()
    drag = grip_tip(handle)
    for step in (0.01, 0.02, 0.04, 0.08):
        goal = drag.start.origin + Vector((0.0, 0.0, step))
        drag.move(goal, STILL, turning=False)
        assert drag.answer is not None and drag.answer.restarts == 0
        assert (tip_of(handle) - goal).length < 5e-5


ROD = """<robot name="rod"><link name="base"/>
<link name="upper"><visual><origin xyz="0.2 0 0"/>
<geometry><box size="0.4 0.05 0.05"/></geometry></visual></link>
<link name="fore"><visual><origin xyz="0.15 0 0"/>
<geometry><box size="0.3 0.04 0.04"/></geometry></visual></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
<axis xyz="0 0 1"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
<origin xyz="0.4 0 0"/><axis xyz="0 0 1"/><limit lower="0.1" upper="2.5"/></joint></robot>"""


def test_a_rod_is_held_at_its_end_and_turns_as_it_can(tmp_path: Any) -> None:
    """Two joints cannot keep an orientation: the place alone counts."""
    path = tmp_path / "rod.urdf"
    path.write_text(ROD)
    armature = import_robot(path).armature
    handle = the_handle()
    assert (handle.link, handle.joints) == ("fore", ("shoulder", "elbow"))
    assert handle.point == pytest.approx((0.3, 0.0, 0.0), abs=1e-6)
    drag = grip_tip(handle)
    goal = Vector((0.3, 0.3, 0.0))
    drag.move(goal, STILL, turning=False)
    assert (tip_of(handle) - goal).length < 1e-5
    before = shown(handle).to_quaternion()
    drag = grip_tip(handle)
    turn = Quaternion((0.0, 0.0, 1.0), 0.3)
    drag.move(drag.start.origin, turn, turning=True)
    assert (turn @ before).rotation_difference(shown(handle).to_quaternion()).angle < 1e-4
    check_limits(armature)


def test_end_effectors_of_an_srdf_move_their_group_alone(panda: Any, tmp_path: Any) -> None:
    text = """<robot name="panda">
      <group name="arm"><chain base_link="panda_link1" tip_link="panda_link8"/></group>
      <group name="hand"><link name="panda_leftfinger"/></group>
      <end_effector name="gripper" parent_link="panda_link8" group="hand" parent_group="arm"/>
      <passive_joint name="panda_joint5"/>
    </robot>"""
    (tmp_path / "panda.srdf").write_text(text)
    apply_srdf(panda, tmp_path / "panda.srdf")
    handle = the_handle()
    assert handle.link == "panda_link8"
    assert handle.joints == tuple(f"panda_joint{number}" for number in (2, 3, 4, 6, 7))


def test_many_robots_and_some_that_were_taken_apart(panda: Any) -> None:
    import_robot(SAMPLES / "humanoid_arm.urdf", options=BARE)
    assert [each.link for each in handles_in(bpy.context.scene)] == ["panda_hand", "tool0"]
    bpy.data.objects.remove(bpy.data.objects["panda_hand"])
    assert [each.link for each in handles_in(bpy.context.scene)] == ["tool0"]


SIGHTS = {"slide": Vector((0.0, 0.0, 1.0)), "turn": Vector((0.0, 0.0, 1.0)), "free": Vector()}


@pytest.mark.parametrize("kind", SIGHTS)
def test_hands_go_where_the_mouse_goes(kind: Any) -> None:
    """Seen from the front, along Y: right is X, up is Z; then in steps."""
    start, view = Vector((0.1, 0.2, 0.3)), Euler((math.pi / 2, 0.0, 0.0)).to_quaternion()

    def see(x: float, z: float) -> tuple[Vector, Vector]:
        return start + Vector((x, -5.0, z)), Vector((0.0, 1.0, 0.0))

    hand = take_handle(kind, start, SIGHTS[kind], start + Vector((0, -0.1, 0)), see(0, 0), view)
    hand.move(see(0.03, 0.123))
    wanted = {"slide": (0.0, 0.0, 0.123), "turn": (0, 0, 0), "free": (0.03, 0.0, 0.123)}[kind]
    assert (hand.goal - start - Vector(wanted)).length < 1e-6
    assert hand.turn.angle == pytest.approx(math.asin(0.3) if kind == "turn" else 0.0, abs=1e-6)
    hand.move(see(0.03, 0.123), steps=True)
    wanted = {"slide": (0.0, 0.0, 0.12), "turn": (0, 0, 0), "free": (0.03, 0.0, 0.12)}[kind]
    assert (hand.goal - start - Vector(wanted)).length < 1e-6
    assert math.degrees(hand.turn.angle) == pytest.approx(15 if kind == "turn" else 0, abs=1e-3)


def test_a_drag_that_goes_nowhere_changes_nothing(panda: Any) -> None:
    before = raw_numbers(panda)
    drag: TipDrag = grip_tip(the_handle())
    drag.move(drag.start.origin, STILL, turning=False)
    assert raw_numbers(panda) == before
    assert not drag.keep()
    assert link_pose(panda, "panda_hand").shape == (4, 4)
