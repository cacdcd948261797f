# SPDX-License-Identifier: GPL-3.0-or-later
"""People in Blender, and robots that follow them with plain keys."""

from dataclasses import replace

import bpy
import numpy as np
import pytest

from support.blender.engine_robots import curves_of
from support.blender.rigs import new_scene
from support.people import SAMPLE
from support.real_robots import ROOT
from urdf_importer import (
    BuildError,
    Diagnostics,
    KinematicsError,
    RetargetOptions,
    bake_drive,
    find_pairs,
    import_robot,
    read_robot,
    retarget,
    sample_trajectory,
    set_frame_rate,
)
from urdf_importer.core.progress import finish
from urdf_importer.features.retargeting.blender.person import read_person
from urdf_importer.features.retargeting.retarget import open_person

LEGS = ROOT / "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf"

# Blender's importer of BVH leaves its file open.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(scope="module")
def scene():
    new_scene()
    person = open_person(str(SAMPLE))
    rig = import_robot(LEGS).armature
    return person, rig


def test_a_person_in_the_scene_is_the_person_of_the_file(scene):
    person, _rig = scene
    theirs = retarget(SAMPLE, read_robot(LEGS), diagnostics=Diagnostics())
    ours = retarget(person, read_robot(LEGS), diagnostics=Diagnostics())
    assert ours.trajectory.times == pytest.approx(theirs.trajectory.times)
    off = np.abs(ours.trajectory.positions - theirs.trajectory.positions)
    assert np.percentile(off, 95) < 0.01


def test_scaled_turned_and_parented_people_move_the_same(scene):
    person, _rig = scene
    before = retarget(person, read_robot(LEGS), diagnostics=Diagnostics()).trajectory
    empty = bpy.data.objects.new("above", None)
    bpy.context.collection.objects.link(empty)
    person.parent, empty.scale, empty.rotation_euler = empty, (3.0,) * 3, (0.0, 0.0, 1.0)
    try:
        after = retarget(person, read_robot(LEGS), diagnostics=Diagnostics()).trajectory
    finally:
        person.parent = None
        bpy.data.objects.remove(empty)
    assert np.percentile(np.abs(before.positions - after.positions), 95) < 0.01


def test_bones_turn_with_what_they_carry_also_in_a_mirrored_person(scene):
    person, _rig = scene
    for scale in ((1.0, 1.0, 1.0), (-1.0, 1.0, 1.0)):
        plain = tuple(person.scale)
        person.scale = tuple(a * b for a, b in zip(plain, scale, strict=True))
        try:
            read = finish(read_person(person, (1, 40)))
        finally:
            person.scale = plain
        foot, toe = read.names.index("LeftFoot"), read.names.index("LeftToe")
        turns, along = read.turns[:, foot], read.points[:, toe] - read.points[:, foot]
        assert np.linalg.det(turns) == pytest.approx(np.ones(40), abs=1e-6)
        # Seen from the ankle the toe stays where it is.
        own = (np.swapaxes(turns, 1, 2) @ along[:, :, None])[:, :, 0]
        assert np.abs(own - own[0]).max() < 0.01 * np.linalg.norm(own[0])
        assert np.abs(along - along[0]).max() > 0.1 * np.linalg.norm(own[0])


def test_the_robot_gets_plain_keys_and_plays_them(scene):
    person, rig = scene
    rig.location = (1.0, 2.0, 0.0)
    shown = bpy.context.scene.frame_current
    actions = set(bpy.data.actions)
    result = retarget(person, rig, diagnostics=Diagnostics("their file"))
    assert set(bpy.data.actions) - actions == {result.action}
    assert result.action["urdf_retarget"]["source"] == person.name
    assert bpy.context.scene.frame_current == shown
    played = sample_trajectory(rig)
    columns = [played.names.index(name) for name in result.trajectory.names]
    assert played.positions[:, columns] == pytest.approx(result.trajectory.positions, abs=2e-4)
    base = next(track for track in played.frames if track.parent == "world")
    assert base.translations[0, :2] == pytest.approx([1.0, 2.0], abs=1e-3)
    # Once more from a later frame: the robot begins where it began.
    bpy.context.scene.frame_set(150)
    again = retarget(person, rig, diagnostics=Diagnostics())
    assert again.trajectory.frames == result.trajectory.frames


def test_reduced_keys_keep_their_tolerance(scene):
    person, rig = scene
    counts = []
    for tolerance in (0.002, 0.02):
        options = RetargetOptions(keys="reduced", tolerance=tolerance, frames=(1, 60))
        result = retarget(person, rig, options=options, diagnostics=Diagnostics())
        played = sample_trajectory(rig, frame_range=(1, 60))
        columns = [played.names.index(name) for name in result.trajectory.names]
        off = np.abs(played.positions[:, columns] - result.trajectory.positions)
        assert off.max() <= tolerance + 2e-4
        counts.append(sum(len(curve.keyframe_points) for curve in curves_of(result.action)))
    assert counts[1] < counts[0]


def test_a_base_that_drives_is_keyed_as_a_ride(scene):
    person, _rig = scene
    path = ROOT / "tiago_pro_description/robots/tiago_pro.urdf"
    rigs = [import_robot(path, diagnostics=Diagnostics()).armature for _ in range(2)]
    for rig in rigs:
        rig.location, rig.rotation_euler = (1.0, 2.0, 0.0), (0.0, 0.0, 0.7)
    options = RetargetOptions(base="drive")
    result = retarget(person, rigs[0], options=options, diagnostics=Diagnostics())
    assert rigs[0].rotation_mode == "XYZ"
    assert "rotation_euler" in {curve.data_path for curve in curves_of(result.action)}
    motion = result.trajectory
    left, right = (
        motion.select([f"wheel_front_{side}_joint"]).positions[:, 0] for side in ("left", "right")
    )
    speeds = np.stack([np.append(np.diff(each), 0.0) for each in (left, right)]) * 30.0
    bake_drive(rigs[1], np.column_stack([motion.times, *speeds]))
    played, baked = (sample_trajectory(rig, frame_range=(1, len(motion.times))) for rig in rigs)
    names = [name for name in motion.names if "wheel" in name]
    assert played.select(names).positions == pytest.approx(baked.select(names).positions, abs=1e-4)
    one, other = (next(t for t in each.frames if t.parent == "world") for each in (played, baked))
    assert one.translations == pytest.approx(other.translations, abs=1e-4)
    assert one.quaternions == pytest.approx(other.quaternions, abs=1e-5)
    assert one.translations == pytest.approx(motion.frames[0].translations, abs=1e-5)
    for frame in (60, None):
        later = replace(options, start_frame=frame)
        again = retarget(person, rigs[0], options=later, diagnostics=Diagnostics())
        begin = again.action.frame_range[0]
        shown = sample_trajectory(rigs[0], frame_range=(begin, begin + len(motion.times) - 1))
        track = next(each for each in shown.frames if each.parent == "world")
        for told in (again.trajectory.frames[0], track):
            assert told.translations == pytest.approx(one.translations, abs=1e-4)
            assert told.quaternions == pytest.approx(one.quaternions, abs=1e-5)


def test_a_base_drives_after_it_was_keyed_by_quaternions(scene):
    person, rig = scene
    rig.rotation_euler.z = 0.5
    plain = retarget(person, rig, diagnostics=Diagnostics())
    assert rig.rotation_mode == "QUATERNION"
    first = plain.trajectory.frames[0].quaternions[0]
    options = RetargetOptions(base="drive", start_frame=30)
    ride = retarget(person, rig, options=options, diagnostics=Diagnostics())
    assert rig.rotation_mode == "XYZ"
    begin = ride.trajectory.frames[0]
    assert begin.translations[0, :2] == pytest.approx(
        plain.trajectory.frames[0].translations[0, :2]
    )
    heading = 2.0 * np.arctan2(begin.quaternions[0, 2], begin.quaternions[0, 3])
    assert heading == pytest.approx(2.0 * np.arctan2(first[2], first[3]), abs=1e-3)


def test_frames_a_second_keep_keys_beside_the_person(scene):
    person, rig = scene
    plain, fast = (
        retarget(person, rig, options=each, diagnostics=Diagnostics())
        for each in (RetargetOptions(frames=(1, 60)), RetargetOptions(frames=(1, 60), fps=120.0))
    )
    assert tuple(fast.action.frame_range) == tuple(plain.action.frame_range) == (1.0, 60.0)
    assert fast.trajectory.duration == pytest.approx(plain.trajectory.duration / 4)


def test_only_some_frames_and_a_name(scene):
    person, rig = scene
    options = RetargetOptions(frames=(40, 60), start_frame=5, action="Steps", set_range=False)
    end = bpy.context.scene.frame_end
    result = retarget(person, rig, options=options, diagnostics=Diagnostics())
    assert result.action.name == "Steps"
    assert tuple(result.action.frame_range) == (5.0, 25.0)
    assert bpy.context.scene.frame_end == end


def test_what_cannot_follow_is_refused_and_nothing_changes(scene):
    person, rig = scene
    before = (set(bpy.data.actions), rig.animation_data.action, bpy.context.scene.frame_current)
    still = bpy.data.objects.new("still", bpy.data.armatures.new("still"))
    cube = bpy.data.objects.new("cube", None)
    with pytest.raises(BuildError, match="follow itself"):
        retarget(rig, rig)
    with pytest.raises(BuildError, match="not an armature"):
        retarget(cube, rig)
    with pytest.raises(KinematicsError, match="has no bones"):
        retarget(still, rig)
    with pytest.raises(KinematicsError, match="no bone"):
        retarget(person, rig, options=RetargetOptions(pairs=(("Nobody", "LEFT_FOOT"),)))
    assert before == (
        set(bpy.data.actions),
        rig.animation_data.action,
        bpy.context.scene.frame_current,
    )


def test_pairs_are_found_of_the_shown_pose(scene):
    person, rig = scene
    assert [pair.limb for pair in find_pairs(person, rig)] == ["left leg", "right leg"]


def test_a_rate_other_than_the_scenes_is_the_files(scene):
    set_frame_rate(24.0)
    open_person(str(SAMPLE))
    assert bpy.context.scene.render.fps == 30
