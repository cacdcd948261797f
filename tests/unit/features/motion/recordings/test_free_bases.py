# SPDX-License-Identifier: GPL-3.0-or-later
"""The base in tables and layouts: the robot says which track moves it, and from where."""

import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer import (
    FrameTrack,
    Trajectory,
    WriteError,
    forward_kinematics,
    read_robot,
    read_trajectory,
    write_trajectory,
)

TIMES = np.array([0.0, 0.5])
HALF = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))


def move(child, *names, parent=""):
    track = FrameTrack(
        parent=parent,
        child=child,
        times=TIMES,
        translations=[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]],
        quaternions=[[0.0, 0.0, 0.0, 1.0], HALF],
    )
    return Trajectory(
        names=names, times=TIMES, positions=np.zeros((2, len(names))), frames=(track,)
    )


def base_of(path, motion, robot):
    write_trajectory(motion, path, robot=robot)
    (track,) = read_trajectory(path).frames
    return np.hstack([track.translations, track.quaternions])


def test_a_free_joint_that_carries_all_is_the_base(tmp_path):
    robot = read_robot(ROOT / "tests/data/free_base.xml")
    found = base_of(tmp_path / "m.csv", move("root", "j"), robot)
    pose = (1.0, 2.0, 3.0, *HALF)
    frame = forward_kinematics(robot, {"root": pose})["base"]
    assert found[1, :3] == pytest.approx(frame[:3, 3])
    assert found[1, 3:] == pytest.approx(HALF)
    write_trajectory(move("root", "j"), tmp_path / "u.csv", layout="unitree", robot=robot, rate=2)
    assert np.loadtxt(tmp_path / "u.csv", delimiter=",")[:, :7] == pytest.approx(found, abs=1e-6)
    with pytest.raises(WriteError, match="no place for the frame 'root'"):
        write_trajectory(move("root", "j"), tmp_path / "n.csv")


def test_the_joints_own_frame_turns_the_base(tmp_path, chain):
    robot = chain({"type": "floating", "xyz": (0, 0, 0.5), "rpy": (0, 0, np.pi / 2)}, {})
    found = base_of(tmp_path / "m.csv", move("j1", "j2"), robot)
    assert found[1, :3] == pytest.approx([-2.0, 1.0, 3.5])
    assert found[1, 3:] == pytest.approx([0.0, 0.0, 1.0, 0.0], abs=1e-12)


def test_level_planar_joints_and_root_links_are_bases_too(tmp_path, chain):
    robot = chain({"type": "planar", "axis": (0.0, 0.0, 1.0)}, {})
    expected = [1.0, 2.0, 3.0, *HALF]
    assert base_of(tmp_path / "m.csv", move("j1", "j2"), robot)[1] == pytest.approx(expected)
    whole = move("l0", "j2", parent="world")
    assert base_of(tmp_path / "m.csv", whole, robot)[1] == pytest.approx(expected)


@pytest.mark.parametrize("second", [{"type": "floating"}, {"type": "spherical"}])
def test_joints_that_carry_less_are_no_base(tmp_path, chain, second):
    robot = chain({}, second)
    with pytest.raises(WriteError, match="no place for the frame 'j2'"):
        write_trajectory(move("j2", "j1"), tmp_path / "m.csv", robot=robot)
    assert not (tmp_path / "m.csv").exists()
