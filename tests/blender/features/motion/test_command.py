# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer animate, sample and topics, from the first file to the last."""

import bpy
import numpy as np
import pytest

from support.paths import ROOT
from support.recorded import START, joint_state, record
from urdf_importer import (
    Trajectory,
    check_trajectory,
    find_robots,
    open_blend,
    read_robot,
    read_trajectory,
    write_trajectory,
)
from urdf_importer.cli import main

ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")


def wave(count=25):
    times = np.arange(count) / 24
    return Trajectory(
        names=("shoulder", "elbow"),
        times=times,
        positions=np.stack([0.5 * np.sin(times * 3), 0.2 * times], axis=1),
    )


def test_a_bag_becomes_an_animation_and_a_trajectory_again(tmp_path, capsys):
    motion = wave()
    messages = [
        joint_state(START + round(t * 1e9), dict(zip(motion.names, row, strict=True)))
        for t, row in zip(motion.times, motion.positions, strict=True)
    ]
    bag = record(tmp_path, "bag lz4", messages)
    assert main(["topics", str(bag)]) == 0
    line = capsys.readouterr().out.split()
    assert line[:3] == ["/joint_states", "sensor_msgs/JointState", "25"] and line[-1] == "joints"
    blend = tmp_path / "wave.blend"
    assert main(["animate", ARM, str(bag), "-o", str(blend), "--fps", "48"]) == 0
    assert "2 joints, 25 samples, 1.000 s" in capsys.readouterr().err
    output = tmp_path / "again.csv"
    assert (
        main(["sample", str(blend), "-o", str(output), "--rate", "24", "--frames", "1", "49"]) == 0
    )
    again = read_trajectory(output)
    columns = [again.names.index(name) for name in motion.names]
    assert np.allclose(again.times, motion.times, atol=1e-6)
    assert np.allclose(again.positions[:, columns], motion.positions, atol=1e-5)


def test_several_motions_are_several_actions(tmp_path):
    for name in ("first", "second"):
        write_trajectory(wave(), tmp_path / f"{name}.json")
    files = [str(tmp_path / f"{name}.json") for name in ("first", "second")]
    blend = str(tmp_path / "both.blend")
    picture = str(tmp_path / "both.png")
    assert (
        main(["animate", ARM, *files, "-o", blend, "--preview", picture, "--keys", "reduced"]) == 0
    )
    open_blend(blend)
    (armature,) = find_robots().values()
    assert armature.animation_data.action.name == "second"
    assert {"first", "second"} <= set(bpy.data.actions.keys())
    assert (tmp_path / "both.png").stat().st_size > 1000
    more = str(tmp_path / "more.blend")
    assert main(["animate", blend, files[0], "-o", more, "--start-frame", "100"]) == 0
    open_blend(more)
    assert bpy.context.scene.frame_end == 250


def test_what_fails_writes_nothing(tmp_path, capsys):
    output = tmp_path / "out.blend"
    bad = tmp_path / "bad.csv"
    bad.write_text("time,nose\n0,1\n")
    assert main(["animate", ARM, str(bad), "-o", str(output)]) == 1
    assert "no joint of the robot" in capsys.readouterr().err
    bad.write_text("time,elbow\n0,99\n")
    assert main(["animate", ARM, str(bad), "-o", str(output), "--strict"]) == 1
    assert "beyond-limits" in capsys.readouterr().err
    assert main(["animate", ARM, str(tmp_path / "none.bag"), "-o", str(output)]) == 1
    assert not output.exists()
    for wrong in (
        ["animate", ARM, str(bad), "-o", "out.usd"],
        ["animate", ARM, str(bad), "-o", str(output), "--fps", "0"],
        ["animate", ARM, str(bad), "-o", str(output), "--robot", "x"],
        ["sample", ARM, "-o", "x.csv"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(wrong)
        assert ended.value.code == 2


LIMITS = """\
joint_limits:
  shoulder: {has_acceleration_limits: true, max_acceleration: 2.0}
  elbow: {has_acceleration_limits: true, max_acceleration: 3.0}
"""


def test_limits_are_compared_and_kept(tmp_path, capsys):
    """Without Blender: the description limits velocities, a file accelerations."""
    motion = Trajectory(
        names=("shoulder", "elbow"), times=[0, 0.2, 0.4], positions=[[0, 0], [1, -0.1], [0, 0]]
    )
    path, table, output = (str(tmp_path / name) for name in ("run.csv", "limits.yaml", "slow.json"))
    write_trajectory(motion, path)
    (tmp_path / "limits.yaml").write_text(LIMITS, encoding="utf-8")
    assert main(["limits", ARM, path]) == 1
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["joint", "what", "reaches", "limit", "at"]
    robot = read_robot(ARM)
    limit = next(joint for joint in robot.joints if joint.name == "shoulder").limit.velocity
    assert row.split() == ["shoulder", "velocity", "5", f"{limit:.4g}", "0.100", "s"]
    assert main(["limits", ARM, path, "--limits", table, "-o", output]) == 0
    shown = capsys.readouterr()
    assert "s instead of 0.400 s" in shown.err and len(shown.out.splitlines()) > 2
    assert check_trajectory(robot, read_trajectory(output), limits=table) == ()
    assert main(["limits", ARM, output, "--limits", table, "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    bad = tmp_path / "bad.yaml"
    bad.write_text("joint_limits:\n  elbow: {max_acceleration: fast}\n", encoding="utf-8")
    assert main(["limits", ARM, path, "--limits", str(bad)]) == 1
    assert "bad.yaml:2: error:" in capsys.readouterr().err


def test_what_is_sampled_is_checked_and_retimed(tmp_path, capsys):
    motion = Trajectory(
        names=("shoulder", "elbow"),
        times=[0, 0.25, 0.5],
        positions=[[0, 0], [1.0, -0.2], [0, 0]],
    )
    path, blend, output, table = (
        str(tmp_path / name) for name in ("run.json", "run.blend", "out.json", "limits.yaml")
    )
    (tmp_path / "limits.yaml").write_text(LIMITS, encoding="utf-8")
    write_trajectory(motion, path)
    assert main(["animate", ARM, path, "-o", blend]) == 0
    frames = ["--frames", "1", "13"]
    capsys.readouterr()
    assert main(["sample", blend, "-o", output, *frames, "--strict"]) == 1
    assert "--strict" in capsys.readouterr().err and not (tmp_path / "out.json").exists()
    assert main(["sample", blend, "-o", output, *frames]) == 0
    assert "joint 'shoulder' is beyond its limit of velocity" in capsys.readouterr().err
    within = ["--retime", "--limits", table, "--strict"]
    assert main(["sample", blend, "-o", output, *frames, *within]) == 0
    retimed = read_trajectory(output)
    assert retimed.interpolation == "spline" and retimed.duration > 0.5
    assert check_trajectory(read_robot(ARM), retimed, limits=table) == ()
    # The elbow does not matter at such speeds: two ramps up and down of the shoulder.
    assert np.abs(retimed.positions[:, 0].max() - 1.0) < 1e-6
    assert main(["limits", blend, output, "--limits", table]) == 0
