# SPDX-License-Identifier: GPL-3.0-or-later
"""Which motion is written, of which rigs: as shown, whatever makes it."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.engine_robots import (
    FPS,
    animate,
    frames_at,
    frames_at_zero,
    into_engine,
    worst_error,
)
from support.blender.rigs import override_collection
from support.gltf_truth import Gltf
from support.paths import ROOT
from urdf_importer import (
    EngineOptions,
    ImportOptions,
    export_robot,
    find_robots,
    import_robot,
    save_blend,
)
from urdf_importer.core.blender.modes import leave_modes
from urdf_importer_morse.split.split import split_armature

SAMPLES = ROOT / "sample_urdfs"
LEG = SAMPLES / "quadruped_leg.urdf"
ARM = SAMPLES / "two_link_arm.urdf"
WITHIN = 2e-5

pytestmark = pytest.mark.usefixtures("scene")


def check(armature: Any, robot: Any, file: Path, options: EngineOptions, last: int = 21) -> Any:
    """Exports, and holds the first clip against what the scene plays from frame 1 on."""
    written = export_robot(armature, file, options=options)
    shown = {frame: frames_at(armature, robot, frame) for frame in (1, last // 2, last)}
    clip = written.animations[0]
    assert worst_error(Gltf(file), written, robot, shown, clip=clip) < WITHIN
    return written


def test_the_armature_object_moves_the_root_bone(tmp_path: Path) -> None:
    """From where it stands in the first frame, in the robot's own axes and size."""
    result = import_robot(LEG)
    main = result.armature
    main.scale = (2.0, 2.0, 2.0)
    for frame, place, angle in ((1, (5.0, 1.0, 0.0), 0.5), (11, (6.0, 3.0, 0.4), 1.5)):
        main.location, main.rotation_euler.z = place, angle
        main.keyframe_insert("location", frame=frame)
        main.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.view_layer.update()
    file = tmp_path / "robot.glb"
    written = export_robot(main, file, options=EngineOptions())
    assert [item.code for item in written.diagnostics] == ["scaled-rig"]
    gltf, engine = Gltf(file), into_engine("z")
    (clip,) = written.animations
    worlds = {}
    for frame in (1, 7, 11):
        bpy.context.scene.frame_set(frame)
        worlds[frame] = np.array(main.matrix_world)
    for frame, world in worlds.items():
        step = np.linalg.inv(worlds[1]) @ world
        for deformation in gltf.deformations(clip, (frame - 1) / FPS).values():
            found = np.linalg.inv(engine) @ deformation @ engine
            assert np.abs(found - step).max() < 1e-5
    assert np.abs(worlds[11][:3, 3] - worlds[1][:3, 3]).max() > 1.0


def test_targets_of_constraints_move_it_too(tmp_path: Path) -> None:
    """No action is on the robot itself: the bone turns as an animated empty does."""
    result = import_robot(ARM)
    main = result.armature
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    for frame, angle in ((1, 0.0), (21, 0.8)):
        target.rotation_euler.x = angle
        target.keyframe_insert("rotation_euler", frame=frame)
    bone = next(each for each in main.pose.bones if each.bone.get("urdf_joints"))
    copy = bone.constraints.new("COPY_ROTATION")
    copy.target, copy.target_space, copy.owner_space = target, "WORLD", "LOCAL"
    written = check(main, result.robot, tmp_path / "robot.glb", EngineOptions())
    assert written.animations == ("targetAction",)


def test_every_action_of_the_robot_is_a_clip_and_no_other(tmp_path: Path) -> None:
    result = import_robot(LEG)
    main = result.armature
    other = bpy.data.objects.new("other", None)
    bpy.context.scene.collection.objects.link(other)
    other.keyframe_insert("location", frame=3)
    animate(main, frames=(1, 21), seed=1)
    main.animation_data.action.name = "walk"
    main.animation_data.action.use_fake_user = True
    main.animation_data.action = None
    animate(main, frames=(10, 15), seed=2)
    main.animation_data.action.name = "sit"
    file = tmp_path / "robot.glb"
    written = export_robot(main, file, options=EngineOptions(actions="all"))
    assert written.animations == ("sit", "walk")
    gltf = Gltf(file)
    assert set(gltf.clips) == {"sit", "walk"}
    assert np.isclose(gltf.times("sit")[-1] * FPS, 5, atol=1e-4)
    for name, first, last in (("sit", 10, 15), ("walk", 1, 21)):
        main.animation_data.action = bpy.data.actions[name]
        shown = {frame: frames_at(main, result.robot, frame) for frame in (first, last)}
        worst = worst_error(gltf, written, result.robot, shown, clip=name, start=first)
        assert worst < WITHIN


def test_frames_and_steps_are_chosen(tmp_path: Path) -> None:
    result = import_robot(LEG)
    animate(result.armature)
    file = tmp_path / "robot.glb"
    written = export_robot(result.armature, file, options=EngineOptions(frames=(5.0, 9.0, 0.5)))
    gltf, (clip,) = Gltf(file), written.animations
    assert np.allclose(gltf.times(clip) * FPS, np.arange(0, 4.1, 0.5), atol=1e-4)
    shown = {frame: frames_at(result.armature, result.robot, frame) for frame in (5.0, 7.5, 9.0)}
    assert worst_error(gltf, written, result.robot, shown, clip=clip, start=5.0) < WITHIN


@pytest.mark.parametrize("frame", [0.0, 1.0, 7.0])
def test_one_frame_alone_is_chosen_frame_zero_too(frame: float, tmp_path: Path) -> None:
    result = import_robot(LEG)
    animate(result.armature)
    file, options = tmp_path / "robot.glb", EngineOptions(frames=(frame, frame, 1.0))
    written = export_robot(result.armature, file, options=options)
    gltf, (clip,) = Gltf(file), written.animations
    assert len(gltf.times(clip)) == 2 and gltf.times(clip)[0] == 0.0  # A pose, held.
    shown = {frame: frames_at(result.armature, result.robot, frame)}
    assert worst_error(gltf, written, result.robot, shown, clip=clip, start=frame) < WITHIN


def test_a_robot_of_several_armatures_is_one_skeleton(tmp_path: Path) -> None:
    result = import_robot(LEG, options=ImportOptions(profile="morse"))
    split_armature(result.armature, "lower", ["knee", "ankle_pitch"])
    animate(result.armature)
    written = check(result.armature, result.robot, tmp_path / "robot.glb", EngineOptions())
    assert len(written.bones) == len(result.robot.links)


def test_an_overridden_robot_moves_as_its_own(tmp_path: Path) -> None:
    result = import_robot(LEG)
    name = result.armature.users_collection[0].name
    top = next(each for each in bpy.data.collections if result.armature in set(each.all_objects)
               and each.name == "quadruped_leg")  # fmt: skip
    assert name != top.name
    library = tmp_path / "library.blend"
    save_blend(library)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.collections = ["quadruped_leg"]
    override_collection(wanted.collections[0])
    (main,) = (each for each in find_robots().values() if each.override_library is not None)
    animate(main)
    check(main, result.robot, tmp_path / "robot.glb", EngineOptions())


def test_strips_of_the_nla_are_played_as_they_are_mixed(tmp_path: Path) -> None:
    """Two strips that cross-fade, one of them at half speed; a muted track is not heard."""
    result = import_robot(LEG)
    main = result.armature
    data = main.animation_data_create()
    for number, (start, scale) in enumerate(((1, 1.0), (11, 2.0), (1, 1.0))):
        animate(main, frames=(1, 11), seed=number)
        track = data.nla_tracks.new()
        strip = track.strips.new(f"strip {number}", start, data.action)
        data.action = None
        strip.scale = scale
        strip.blend_type, strip.influence = "REPLACE", 1.0
        if number == 1:
            strip.blend_in = 6.0
        track.mute = number == 2
    bpy.context.view_layer.update()
    written = check(main, result.robot, tmp_path / "robot.glb", EngineOptions(), last=31)
    assert written.animations == ("strip 0",)
    gltf = Gltf(tmp_path / "robot.glb")
    assert np.isclose(gltf.times("strip 0")[-1] * FPS, 30, atol=1e-4)


def test_a_linked_robot_is_written_as_it_stands_and_moves(tmp_path: Path) -> None:
    """Nothing of a library can be changed, nor must be."""
    result = import_robot(LEG)
    animate(result.armature)
    robot = result.robot
    library = tmp_path / "library.blend"
    save_blend(library)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.collections = ["quadruped_leg"]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    (main,) = find_robots().values()
    assert main.library is not None
    written = check(main, robot, tmp_path / "robot.glb", EngineOptions())
    assert len(written.bones) == len(robot.links)
    every = export_robot(main, tmp_path / "all.glb", options=EngineOptions(actions="all"))
    assert every.animations == written.animations
    fixed = export_robot(main, tmp_path / "robot.usda", options=EngineOptions(engine="isaac"))
    assert fixed.diagnostics == ()


def test_hidden_parts_are_written_and_move(tmp_path: Path) -> None:
    """What is hidden to work on the scene is the robot all the same."""
    result = import_robot(LEG)
    animate(result.armature)
    whole = tmp_path / "whole.glb"
    export_robot(result.armature, whole, options=EngineOptions())
    leave_modes()
    for item in [*result.links.values(), *result.visuals["shin"], result.armature]:
        item.hide_viewport = True
    hidden = tmp_path / "hidden.glb"
    written = export_robot(result.armature, hidden, options=EngineOptions())
    assert [len(part[0]) for part in Gltf(hidden).parts()] == [
        len(part[0]) for part in Gltf(whole).parts()
    ]
    (clip,) = written.animations
    one, other = Gltf(whole), Gltf(hidden)
    for time in (0.0, 0.4):
        wanted, found = one.deformations(clip, time), other.deformations(clip, time)
        assert max(np.abs(found[name] - wanted[name]).max() for name in wanted) < 1e-6
    assert frames_at_zero(result.robot).keys() == result.links.keys()
