# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings in degrees: the robot says which of their numbers are angles."""

import json
import math

import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer import MotionOptions, ReadError, read_robot, read_trajectory, write_trajectory
from urdf_importer.cli import main

URDF = ROOT / "tests/data/turn_and_slide.urdf"
TABLE = "time,arm,finger\n0,90,0.01\n1,45,0.04\n"
EXPECTED = [[math.pi / 2, 0.01], [math.pi / 4, 0.04]]


@pytest.fixture(scope="module")
def robot():
    return read_robot(URDF)


def read(tmp_path, robot, text, suffix=".csv", **options):
    path = tmp_path / f"m{suffix}"
    path.write_text(text)
    return read_trajectory(path, robot=robot, options=MotionOptions(degrees=True, **options))


@pytest.mark.parametrize(
    "heading, options",
    [
        ("time,arm,finger", {}),
        ("time,r1/arm,r1/finger", {"prefix": "r1/"}),
        ("time,r1/arm,r1/finger", {}),
        ("time,A,B", {"names": (("A", "arm"), ("B", "finger"))}),
        ("x,y,z", {"columns": "time,arm,finger"}),
    ],
)
def test_travel_stays_in_metres(tmp_path, robot, heading, options):
    text = TABLE.replace("time,arm,finger", heading)
    assert read(tmp_path, robot, text, **options).positions == pytest.approx(np.array(EXPECTED))


def test_the_base_is_left_alone(tmp_path, robot):
    base = "base_x,base_y,base_z,base_qx,base_qy,base_qz,base_qw"
    text = f"{base},arm,finger\n1,2,3,0,0,0,1,90,0.01\n"
    found = read(tmp_path, robot, text, rate=30)
    assert found.positions == pytest.approx(np.array(EXPECTED[:1]))
    (track,) = found.frames
    assert track.translations.tolist() == [[1.0, 2.0, 3.0]]
    assert track.quaternions.tolist() == [[0.0, 0.0, 0.0, 1.0]]


def test_joint_states_in_json_are_turned_with_their_velocities(tmp_path, robot):
    message = {"name": ["finger", "arm"], "position": [0.01, 90], "velocity": [0.5, 180]}
    found = read(tmp_path, robot, json.dumps(message), ".json", rate=10)
    assert found.positions.tolist() == [[0.01, math.pi / 2]]
    assert found.velocities.tolist() == [[0.5, math.pi]]


def test_without_a_robot_all_are_angles_and_another_robots_motion_is_refused(tmp_path, robot):
    found = read(tmp_path, None, TABLE)
    assert found.positions == pytest.approx(np.radians([[90, 0.01], [45, 0.04]]))
    with pytest.raises(ReadError, match="no joint of the robot is in the motion"):
        read(tmp_path, robot, TABLE.replace("arm", "x").replace("finger", "y"))


def test_radians_stay_as_they_are(tmp_path, robot):
    motion = read(tmp_path, robot, TABLE)
    write_trajectory(motion, tmp_path / "r.json")
    assert read_trajectory(tmp_path / "r.json", robot=robot) == motion


def test_commands_take_degrees_rates_and_columns(tmp_path, capsys):
    table = tmp_path / "m.csv"
    table.write_text(TABLE)
    assert main(["limits", str(URDF), str(table)]) == 1
    assert main(["limits", str(URDF), str(table), "--degrees"]) == 0
    assert main(["collide", str(URDF), str(table), "--degrees"]) == 0
    table.write_text("90,0.01\n45,0.04\n")
    more = ["--degrees", "--rate", "1", "--columns", "arm,finger"]
    assert main(["limits", str(URDF), str(table), *more, "--tolerance", "0"]) == 0
    assert main(["collide", str(URDF), str(table), *more]) == 0
    assert "no column is called" not in capsys.readouterr().err
