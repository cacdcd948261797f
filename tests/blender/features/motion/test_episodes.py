# SPDX-License-Identifier: GPL-3.0-or-later
"""Animations as datasets for training, and as counts of servos."""

import json
import math
import shutil
import subprocess
from dataclasses import replace

import bpy
import numpy as np
import pytest

from support.lerobot import MOTORS, write_dataset
from support.paths import ROOT
from urdf_importer import (
    BuildError,
    Diagnostics,
    Episode,
    EpisodeOptions,
    KinematicsError,
    MotionOptions,
    ReadError,
    RobotError,
    Servo,
    Trajectory,
    WriteError,
    apply_trajectory,
    find_robots,
    get_joint_positions,
    import_robot,
    read_trajectory,
    record_episodes,
    sample_trajectory,
    save_blend,
    set_joint_positions,
    update_robot,
    write_episodes,
    write_servo_frames,
    write_trajectory,
)
from urdf_importer.cli import main
from urdf_importer.core.images.decode import decode_image
from urdf_importer.features.motion.parquet.reading import open_parquet

URDF = ROOT / "tests/data/so_arm.urdf"


def wave(frames=13, phase=0.0):
    times = np.arange(frames) / 30
    positions = 0.6 + 0.5 * np.sin(times[:, None] * 3 + np.arange(6) + phase)
    return Trajectory(names=MOTORS, times=times, positions=positions)


@pytest.fixture
def armature(scene):
    bpy.context.scene.render.fps = 30
    armature = import_robot(URDF).armature
    apply_trajectory(armature, wave(), options=MotionOptions(action="wave"))
    return armature


TABLE = "servos:\n" + "".join(f"  {name}: {{id: {at}}}\n" for at, name in enumerate(MOTORS))


def test_the_table_of_servos_stays_on_the_rig(armature, tmp_path, capsys):
    """The next motion in counts and all exports need it no more, nor does a saved file."""
    table, counts = tmp_path / "arm.yaml", tmp_path / "counts.csv"
    table.write_text(TABLE.rstrip())
    counts.write_text(f"time,{','.join(MOTORS)}\n0{',2048' * 6}\n1{',2148' * 6}\n")
    in_counts = MotionOptions(units=(("*", "counts"),))
    with pytest.raises(RobotError, match="whose unit is counts"):
        apply_trajectory(armature, counts, options=in_counts)
    assert "urdf_servos" not in armature
    apply_trajectory(armature, counts, options=replace(in_counts, servos=str(table)))
    assert armature["urdf_servos"] == TABLE
    table.unlink()
    apply_trajectory(armature, counts, options=replace(in_counts, action="again"))
    first = read_trajectory(counts, robot=armature, options=in_counts)
    assert first.positions[1] == pytest.approx([100 * math.tau / 4096] * 6)
    options = EpisodeOptions(units=(("*", "counts"),), task="x")
    record_episodes(armature, tmp_path / "set", options=options)
    write_episodes([Episode(motion=first)], tmp_path / "b", robot=armature, options=options)
    for name in ("set", "b"):
        again = read_trajectory(tmp_path / name, options=MotionOptions(units=(("*", "rad"),)))
        assert again.positions[-1] == pytest.approx([2148] * 6, abs=0.01)
    update_robot(armature)
    assert armature["urdf_servos"] == TABLE
    save_blend(tmp_path / "arm.blend")
    header = tmp_path / "arm.h"
    assert main(["sample", str(tmp_path / "arm.blend"), "-o", str(header)]) == 0
    assert "#define SERVOS 6" in header.read_text()
    (armature,) = find_robots().values()
    armature["urdf_servos"] = "servos: 3\n"
    with pytest.raises(ReadError, match="`servos` are one for each joint") as caught:
        read_trajectory(counts, robot=armature, options=in_counts)
    assert caught.value.source == "the rig's table of servos"
    del armature["urdf_servos"]
    save_blend(tmp_path / "bare.blend")
    assert main(["sample", str(tmp_path / "bare.blend"), "-o", str(header)]) == 1
    assert "the robot keeps no table: name one with --servos" in capsys.readouterr().err


def add_camera(name="front"):
    camera = bpy.data.objects.new(name, bpy.data.cameras.new(name))
    bpy.context.scene.collection.objects.link(camera)
    camera.location, camera.rotation_euler = (0.9, 0.0, 0.2), (1.4, 0.0, 1.57)
    bpy.context.scene.render.engine = "BLENDER_WORKBENCH"
    return camera


def test_an_animation_is_an_episode_and_comes_back(armature, tmp_path):
    units = (("*", "deg"),)
    options = EpisodeOptions(units=units)
    record_episodes(armature, tmp_path / "d", options=options, diagnostics=Diagnostics())
    found = read_trajectory(tmp_path / "d", robot=armature, options=MotionOptions(units=units),
                            diagnostics=Diagnostics())  # fmt: skip
    assert found.names == MOTORS
    assert found.positions == pytest.approx(wave().positions, abs=2e-6)
    info = json.loads((tmp_path / "d/meta/info.json").read_text())
    assert info["robot_type"] == "so_arm"


def test_each_action_is_an_episode(armature, tmp_path):
    apply_trajectory(armature, wave(7, 1.0), options=MotionOptions(action="nod"))
    active = armature.animation_data.action
    options = EpisodeOptions(actions=True)
    record_episodes(armature, tmp_path / "d", options=options)
    assert armature.animation_data.action is active
    for number, motion in enumerate((wave(7, 1.0), wave())):
        found = read_trajectory(tmp_path / "d", topic=str(number), robot=armature,
                                diagnostics=Diagnostics())  # fmt: skip
        assert found.positions == pytest.approx(motion.positions, abs=2e-6)
    with open_parquet(str(tmp_path / "d/meta/tasks.parquet")) as file:
        assert file.read("task").values == ["nod", "wave"]


def test_a_pose_without_keyframes_is_there_again(armature, tmp_path):
    still = Trajectory(names=MOTORS[:1], times=wave(7).times, positions=wave(7).positions[:, :1])
    apply_trajectory(armature, still, options=MotionOptions(action="still"))
    set_joint_positions(armature, {MOTORS[1]: 0.3})
    record_episodes(armature, tmp_path / "d", options=EpisodeOptions(actions=True))
    assert get_joint_positions(armature)[MOTORS[1]] == pytest.approx(0.3)


def test_pictures_of_cameras_come_along(armature, tmp_path):
    add_camera()
    shown = bpy.context.scene
    before = (shown.render.filepath, shown.render.resolution_x, shown.camera, shown.frame_current)
    options = EpisodeOptions(cameras=("front",), width=32, height=24)
    record_episodes(armature, tmp_path / "d", options=options)
    assert before == (
        shown.render.filepath, shown.render.resolution_x, shown.camera, shown.frame_current,
    )  # fmt: skip
    info = json.loads((tmp_path / "d/meta/info.json").read_text())
    assert info["features"]["observation.images.front"]["shape"] == [24, 32, 3]
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(tmp_path / "d/data/chunk-000/file-000.parquet")
    shots = [decode_image(each["bytes"]) for each in
             rows["observation.images.front"].to_pylist()]  # fmt: skip
    assert len(shots) == 13
    assert all(each.shape[:2] == (24, 32) for each in shots)


def test_videos_have_a_frame_for_each_row(armature, tmp_path):
    add_camera()
    options = EpisodeOptions(cameras=("front",), width=64, height=48, pictures="video")
    record_episodes(armature, tmp_path / "d", options=options)
    video = tmp_path / "d/videos/observation.images.front/chunk-000/file-000.mp4"
    clip = bpy.data.movieclips.load(str(video))
    assert clip.frame_duration == 13
    assert tuple(clip.size) == (64, 48)
    assert clip.fps == pytest.approx(30)
    bpy.data.movieclips.remove(clip)
    assert [each.name for each in bpy.data.scenes] == [bpy.context.scene.name]
    info = json.loads((tmp_path / "d/meta/info.json").read_text())
    feature = info["features"]["observation.images.front"]
    assert feature["dtype"] == "video" and feature["info"]["video.codec"] == "h264"
    assert info["video_path"].startswith("videos/{video_key}")
    with open_parquet(str(tmp_path / "d/meta/episodes/chunk-000/file-000.parquet")) as file:
        key = "videos/observation.images.front"
        assert file.read(f"{key}/to_timestamp").values == pytest.approx([13 / 30])


def test_what_is_not_there_is_refused(armature, tmp_path):
    with pytest.raises(WriteError, match="must be renamed"):
        record_episodes(armature, tmp_path / "d", options=EpisodeOptions(cameras=("a/../b",)))
    with pytest.raises(KinematicsError, match="no camera 'side'; there is none"):
        record_episodes(armature, tmp_path / "d", options=EpisodeOptions(cameras=("side",)))
    with pytest.raises(BuildError):
        record_episodes(add_camera(), tmp_path / "d")
    assert not (tmp_path / "d").exists()


def test_a_recording_of_an_arm_to_blender_and_back(scene, tmp_path, capsys):
    states = write_dataset(tmp_path / "pick")
    blend, again = tmp_path / "e.blend", tmp_path / "again"
    degrees = ["--unit", "*:=deg", "--unit", "gripper:=deg"]
    animate = ["animate", str(URDF), str(tmp_path / "pick"), "--topic", "1", "--topic", "2/action"]
    assert main([*animate, *degrees, "--fps", "30", "-o", str(blend)]) == 0
    assert main(["episodes", str(blend), "-o", str(again), *degrees, "--task", "pick",
                 "--fps", "30"]) == 0  # fmt: skip
    found = read_trajectory(again)
    limits = np.degrees([1.92, 1.75, 1.69, 1.66, 2.74, 1.75])
    low = np.degrees([-1.92, -1.75, -1.69, -1.66, -2.74, -0.17])
    wanted = np.clip(-states[2].astype(float), low, limits)
    assert found.positions == pytest.approx(wanted, abs=1e-3)


TABLE = "preset: feetech\nservos:\n" + "".join(
    f"  {name}: {{id: {number}}}\n" for number, name in enumerate(MOTORS, 1)
)


def test_counts_for_a_program_in_c(armature, tmp_path):
    (tmp_path / "arm.yaml").write_text(TABLE)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    header = tmp_path / "servos.h"
    motion = sample_trajectory(armature, rate=50)
    assert main(["sample", str(tmp_path / "a.blend"), "-o", str(header), "--servos",
                 str(tmp_path / "arm.yaml")]) == 0  # fmt: skip
    wanted = np.rint(2048 + motion.positions * 4096 / (2 * np.pi)).astype(int)
    (tmp_path / "m.c").write_text(
        '#include <stdio.h>\n#include "servos.h"\nint main(void) { for (int f = 0; f < FRAMES; f++)'
        ' for (int s = 0; s < SERVOS; s++) printf("%d ", POSITIONS[f][s]);'
        ' printf("%d %d", RATE, IDS[5]); return 0; }\n'
    )
    compiler = shutil.which("cc")
    assert compiler, "a C compiler compiles the header"
    subprocess.run([compiler, "-Wall", "-Werror", "-o", "m", "m.c"], cwd=tmp_path, check=True)
    said = subprocess.run([tmp_path / "m"], capture_output=True, text=True, check=True).stdout
    numbers = list(map(int, said.split()))
    assert numbers[-2:] == [50, 6]
    found = np.array(numbers[:-2]).reshape(-1, 6)
    assert np.abs(found - wanted).max() <= 1


def test_a_header_needs_servos_and_a_motion_that_it_can_hold(tmp_path):
    with pytest.raises(WriteError, match="name a table of servos"):
        write_trajectory(wave(), tmp_path / "a.h")
    for motion, servos, message in (
        (wave(), (), "no servos"),
        (Trajectory(names=(), times=np.empty(0), positions=np.empty((0, 0))), (), "is empty"),
        (replace(wave(), times=wave().times * 1e7), [Servo(joint=MOTORS[0])], "too long"),
    ):
        with pytest.raises(WriteError, match=message):
            write_servo_frames(motion, tmp_path / "a.h", servos)
    assert not (tmp_path / "a.h").exists()


def test_counts_come_back_and_are_held(tmp_path):
    (tmp_path / "arm.yaml").write_text(
        "servos:\n  gripper: {id: 1, counts: [2200, 2500], speed: 100}\n  wrist_roll: {id: 2}\n"
    )
    diagnostics = Diagnostics()
    for name in ("m.csv", "m.json"):
        path = tmp_path / name
        write_servo_frames(wave(), path, tmp_path / "arm.yaml", diagnostics=diagnostics)
    assert {each.code for each in diagnostics} == {"servo-clamped", "servo-too-fast"}
    options = MotionOptions(units=(("*", "counts"),), servos=str(tmp_path / "arm.yaml"))
    from urdf_importer import read_robot

    found = read_trajectory(tmp_path / "m.csv", robot=read_robot(URDF), options=options)
    assert found.names == ("gripper", "wrist_roll")
    column = wave().positions[:, MOTORS.index("wrist_roll")]
    rolled = np.interp(found.times, wave().times, column)
    assert found.positions[:, 1] == pytest.approx(rolled, abs=np.pi / 4096)
    content = json.loads((tmp_path / "m.json").read_text())
    assert content["servos"][0] == {"id": 1, "joint": "gripper"}
    assert max(row[0] for row in content["frames"]) <= 2500
    assert min(row[0] for row in content["frames"]) == 2200
