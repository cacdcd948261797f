# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as PlotJuggler, pandas and others write them, and the names of their columns."""

import numpy as np
import pandas
import pytest

from support.paths import ROOT
from urdf_importer import (
    Diagnostics,
    KinematicsError,
    MotionOptions,
    ReadError,
    read_robot,
    read_trajectory,
)
from urdf_importer.features.motion.names import match_names

URDF = ROOT / "tests/data/turn_and_slide.urdf"
JOINTS = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_roll", "gripper"]


def read(tmp_path, text, *, diagnostics=None, robot=None, **options):
    path = tmp_path / "m.csv"
    path.write_text(text, newline="")
    return read_trajectory(
        path, options=MotionOptions(**options), diagnostics=diagnostics, robot=robot
    )


@pytest.mark.parametrize(
    "heading, first, second, options",
    [
        ("time", "5", "5.5", {}),
        ("__time", "1700000000.25", "1700000000.75", {}),
        ("TimeStamp", "0", "0.5", {}),
        ("time_ms", "1000", "1500", {}),
        ("time (us)", "1", "500001", {}),
        ("t [s]", "1", "1.5", {}),
        ("timestamp", "1700000000123456789", "1700000000623456789", {}),
        ("timestamp", "1700000000123456", "1700000000623456", {}),
        ("timestamp", "1700000000123", "1700000000623", {}),
        ("timestamp", "100", "600", {"time_unit": "ms"}),
        ("timestamp", "2026-01-31 23:59:59.75", "2026-02-01 00:00:00.25", {}),
        ("timestamp", "2026-01-31T23:59:59.750000000Z", "2026-02-01T01:00:00.25+01:00", {}),
    ],
)
def test_times_of_every_kind(tmp_path, heading, first, second, options):
    found = read(tmp_path, f"{heading},arm\n{first},1\n{second},2\n", **options)
    assert found.names == ("arm",)
    assert found.times.tolist() == [0.0, 0.5]
    if "T23" in first or "01-31" in first:
        assert found.start_time == 1769903999750000000


def test_whole_numbers_stay_whole_until_the_first_is_taken_off(tmp_path):
    rows = "\n".join(f"{1700000000000000001 + 3 * row},{row}" for row in range(5))
    found = read(tmp_path, f"timestamp,arm\n{rows}\n")
    assert found.start_time == 1700000000000000001
    assert found.times.tolist() == [3e-9 * row for row in range(5)]


def test_seconds_and_nanoseconds_in_two_columns(tmp_path):
    found = read(tmp_path, "sec,nanosec,arm\n7,500000000,1\n8,0,2\n")
    assert (found.names, found.times.tolist()) == (("arm",), [0.0, 0.5])


def test_what_pandas_writes(tmp_path):
    """With its index, a moment as the time, and columns of texts and truths."""
    table = pandas.DataFrame({
        "timestamp": pandas.date_range("2026-03-01", periods=4, freq="20ms"),
        "arm": [0.1, np.nan, 0.3, 0.4], "task": ["reach"] * 4, "done": [False] * 4,
    })  # fmt: skip
    path = tmp_path / "p.csv"
    table.to_csv(path)
    diagnostics = Diagnostics()
    found = read_trajectory(path, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["column-of-texts"]
    assert (found.names, found.times.tolist()) == (("arm",), [0.0, 0.02, 0.04, 0.06])
    assert np.array_equal(found.positions[:, 0], table["arm"], equal_nan=True)


def test_plotjugglers_table_and_a_column_that_does_not_fit(tmp_path):
    robot = read_robot(URDF)
    heading = "__time,/joint_states/arm/position,/joint_states/finger/position,"
    heading += "/joint_states/arm/velocity,/joint_states/header/seq"
    diagnostics = Diagnostics()
    text = f"{heading}\n1.5,1,10,7,0\n2.0,2,20,7,1\n"
    found = read(tmp_path, text, robot=robot, diagnostics=diagnostics, units=(("finger", "mm"),))
    assert found.names == ("arm", "finger")
    assert found.positions == pytest.approx(np.array([[1, 0.01], [2, 0.02]]))
    assert [each.code for each in diagnostics] == ["joints-matched", "unknown-joint"]


def test_a_row_for_each_joint(tmp_path):
    text = "time,joint,position\n0,a,1\n0,b,2\n0.5,a,3\n0.5,b,4\n"
    found = read(tmp_path, text)
    assert (found.names, found.positions.tolist()) == (("a", "b"), [[1.0, 2.0], [3.0, 4.0]])


def test_decimal_commas_between_tabs(tmp_path):
    found = read(tmp_path, "time\ta,b\n0\t1,5\n0,5\t2\n")
    assert (found.names, found.positions.tolist()) == (("a,b",), [[1.5], [2.0]])
    assert found.times.tolist() == [0.0, 0.5]


def test_plain_lines_read_fast_are_read_as_slowly(tmp_path):
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(500, 3)) * 10.0 ** rng.integers(-12, 12, size=(500, 3))
    rows[:, 0] = np.cumsum(np.abs(rng.normal(size=500)))
    lines = [",".join(map(repr, row)) for row in rows.tolist()]
    fast = read(tmp_path, "time,a,b\n" + "\n".join(lines) + "\n")
    slow = read(
        tmp_path, "time,a,b\n" + "\n".join(lines) + "\n" + f'"{rows[-1, 0].item() + 1!r}",,\n'
    )
    assert np.array_equal(fast.positions, slow.positions[:-1])
    assert np.array_equal(fast.times, slow.times[:-1])
    assert np.array_equal(fast.positions, rows[:, 1:])


def test_faults_behind_plain_lines_keep_their_line(tmp_path):
    good = "".join(f"{row},1\n" for row in range(50))
    with pytest.raises(ReadError, match="four") as caught:
        read(tmp_path, f"time,a\n{good}50,four\n")
    assert caught.value.line == 52
    with pytest.raises(ReadError, match="has 3 fields, not 2") as caught:
        read(tmp_path, f"time,a\n{good}50,1,2\n51\n")
    assert caught.value.line == 52


def recorded(form):
    return [form.format(name) for name in JOINTS]


@pytest.mark.parametrize(
    "names",
    [
        recorded("{}.pos"),
        recorded("observation.state.{}.pos"),
        recorded("/joint_states/{}/position"),
        recorded("main_{}"),
        [*recorded("{}_pos"), *recorded("{}_vel")],
        [*recorded("{}.pos"), "frame_index", "gripper_force"],
        ["shoulderPan", "ShoulderLift", "elbow-flex", "WRIST ROLL", "gripper"],
        recorded("{}_joint"),
        [*recorded("{}.velocity"), *recorded("{}.position"), *recorded("{}.effort")],
    ],
)
def test_names_of_many_kinds(names):
    found = match_names(names, JOINTS, {}, "", Diagnostics())
    assert list(found.values()) == (["gripper"] if "gripper" in names else JOINTS)
    assert not any("vel" in name or "effort" in name for name in found)


@pytest.mark.parametrize("form", ["{}_vel", "effort/{}", "{}.current"])
def test_velocities_and_efforts_are_no_positions(form):
    with pytest.raises(KinematicsError, match="no joint of the robot is in the motion"):
        match_names(recorded(form), JOINTS, {}, "", Diagnostics())


def test_words_match_where_letters_do_not():
    robot = ["left_hip_pitch_joint", "left_knee_joint", "right_hip_pitch_joint"]
    names = ["kLeftHipPitch.q", "kLeftKnee.q", "kRightHipPitch.q"]
    assert match_names(names, robot, {}, "", Diagnostics()) == dict(zip(names, robot, strict=True))
    robot = [f"openarm_joint{number}" for number in range(1, 8)]
    names = [f"joint_{number}.pos" for number in range(1, 8)]
    assert match_names(names, robot, {}, "", Diagnostics()) == dict(zip(names, robot, strict=True))


def test_a_misfit_gripper_undoes_nothing():
    diagnostics = Diagnostics()
    found = match_names(recorded("{}.pos"), [*JOINTS[:4], "jaw"], {}, "", diagnostics)
    assert list(found.values()) == JOINTS[:4]
    assert [each.code for each in diagnostics] == ["joints-matched", "unknown-joint"]


def test_two_rules_for_the_same_joints_are_a_question():
    names = [f"{side}_{joint}" for side in ("left", "right") for joint in ("arm", "finger")]
    with pytest.raises(KinematicsError, match=r"'left_' and 'right_' both fit .* --prefix left_"):
        match_names(names, ["arm", "finger"], {}, "", Diagnostics())


def test_near_names_are_suggested():
    with pytest.raises(KinematicsError, match="--name elbwo:=elbow --name wirst:=wrist"):
        match_names(["elbwo", "wirst"], ["elbow", "wrist"], {}, "", Diagnostics())


def test_many_names_take_little_time():
    joints = [f"joint_{number}" for number in range(500)]
    names = [f"/robot/a/b/joint_{number % 500}/{kind}/x" for kind in "abrstuvw"
             for number in range(500)]  # fmt: skip
    with pytest.raises(KinematicsError):
        match_names(names, joints, {}, "", Diagnostics())
