# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions as tables, JSON, YAML and arrays."""

import importlib.util
import json
import string
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given, settings

from support.motions import trajectories
from support.paths import ROOT
from urdf_importer import (
    Diagnostics,
    MotionOptions,
    ReadError,
    Trajectory,
    WriteError,
    list_topics,
    read_trajectory,
    write_trajectory,
)
from urdf_importer.features.motion.recordings.read import read_recorded


def read(tmp_path, name, text, **options):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_trajectory(path, options=MotionOptions(**options))


@pytest.mark.parametrize("suffix", [".json", ".yaml", ".npz"])
@settings(max_examples=40)
@given(trajectory=trajectories())
def test_what_is_written_is_read(suffix, trajectory):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "motion" + suffix)
        assert write_trajectory(trajectory, path) == (path,)
        assert read_trajectory(path) == trajectory


@settings(max_examples=40)
@given(trajectory=trajectories(interpolation="linear", frames=False))
def test_a_table_keeps_positions_and_times(trajectory):
    wanted = replace(trajectory, velocities=None, accelerations=None, efforts=None, start_time=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "motion.csv")
        if any(name.lower() in ("time", "t") for name in trajectory.names):
            with pytest.raises(WriteError):
                write_trajectory(trajectory, path)
            return
        write_trajectory(trajectory, path)
        assert read_trajectory(path) == wanted


def test_the_same_motion_in_all_formats_is_the_same(tmp_path):
    trajectory = Trajectory(
        names=("a", "b"), times=[0, 0.5, 1.25], positions=[[0, 1], [0.1, np.nan], [0.2, 3]]
    )
    for suffix in (".csv", ".json", ".yaml", ".npz"):
        write_trajectory(trajectory, tmp_path / f"motion{suffix}")
        assert read_trajectory(tmp_path / f"motion{suffix}") == trajectory
        (topic,) = list_topics(tmp_path / f"motion{suffix}")
        assert (topic.count, topic.end - topic.start, topic.motion) == (3, 1_250_000_000, "joints")


def load_controller(tmp_path):
    """The exported Webots controller, as far as it reads trajectories."""
    template = ROOT / "urdf_importer/formats/webots/write/templates/controller.py.txt"
    text = template.read_text("utf-8")
    begin, end = text.index("class Trajectory"), text.index("class Joint:")
    path = tmp_path / "reader.py"
    path.write_text("import bisect, csv, json, math\n" + string.Template(text[begin:end]).template)
    spec = importlib.util.spec_from_file_location("reader", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_the_webots_controller_plays_what_is_written(tmp_path, suffix):
    trajectory = Trajectory(
        names=("arm", "hand"), times=[0, 0.5, 2], positions=[[0, 1], [0.125, 2], [0.25, 3]],
        velocities=[[0, 0], [1, 1], [0, 0]], interpolation="spline", start_time=10**18,
    )  # fmt: skip
    path = tmp_path / f"motion{suffix}"
    write_trajectory(trajectory, path)
    played = load_controller(tmp_path).read_trajectory(str(path))
    assert tuple(played.joints) == trajectory.names
    assert np.array_equal(played.times, trajectory.times)
    assert np.array_equal(played.rows, trajectory.positions)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_tables_are_read_as_spreadsheets_write_them(tmp_path, mark):
    rows = [["time", "arm", "hand"], ["0", "0.5", ""], ["0.25", "1", "-2e-1"]]
    text = "\ufeff" + "\r\n".join(mark.join(row) for row in rows) + "\r\n\r\n"
    if mark == ";":
        text = text.replace("0.", "0,")
    found = read(tmp_path, "motion.csv", text)
    wanted = Trajectory(
        names=("arm", "hand"), times=[0, 0.25], positions=[[0.5, np.nan], [1, -0.2]]
    )
    assert found == wanted


@pytest.mark.parametrize("blank", ["", " ", "\t", "\x1c", "\xa0"])
def test_blank_cells_are_no_positions(tmp_path, blank):
    path = tmp_path / "gaps.csv"
    path.write_text(f"time,a,b\n0,1,2\n1,3,4\n2,{blank},5\n", encoding="utf-8")
    found = read_trajectory(path)
    assert found.positions[:2].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    path.write_text(f"time,a,b\n0,1,2\n1,{blank},four\n", encoding="utf-8")
    with pytest.raises(ReadError, match="'four' is not a number"):
        read_trajectory(path)


def test_a_table_may_have_no_heading_and_no_times(tmp_path):
    text = "90 , 1\n0, 2\n"
    found = read(tmp_path, "m.csv", text, rate=30, columns="a,b", degrees=True)
    assert found.names == ("a", "b")
    assert np.allclose(found.times, [0, 1 / 30], atol=1e-9)
    assert np.allclose(found.positions, np.radians([[90, 1], [0, 2]]))
    with pytest.raises(ReadError, match="no heading"):
        read(tmp_path, "m.csv", text)
    with pytest.raises(ReadError, match="rate"):
        read(tmp_path, "m.csv", "a,b\n1,2\n")


@pytest.mark.parametrize("index", [False, True])
def test_pandas_numbers_columns_that_have_no_names(tmp_path, index):
    turned = [0.0, 0.0, 0.0, 1.0]
    rows = np.array([[0.1 * at, 0.0, 0.8, *turned, 0.3 * at, -0.2] for at in range(4)])
    path = tmp_path / "motion.csv"
    pandas.DataFrame(rows).to_csv(path, index=index)
    found = read_recorded(path).unnamed
    assert found is not None
    assert np.array_equal(found.table, rows)
    assert np.array_equal(found.times, np.arange(4) / 30)
    names = "base_x,base_y,base_z,base_qx,base_qy,base_qz,base_qw,hip,knee"
    named = read_trajectory(path, options=MotionOptions(columns=names, rate=50))
    assert named.names == ("hip", "knee")
    assert np.array_equal(named.positions, rows[:, 7:])


def test_a_counted_heading_alone_is_an_empty_table(tmp_path):
    with pytest.raises(ReadError, match="the table is empty"):
        read(tmp_path, "motion.csv", "0,1,2,3,4,5,6,7,8\n")


@pytest.mark.parametrize("suffix", [".csv", ".json", ".mcap", ".bag", ".npz"])
def test_a_pointer_of_git_lfs_is_named(tmp_path, suffix):
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 82515\n"
    with pytest.raises(ReadError, match="Git LFS pointer, not the file itself; 'git lfs pull'"):
        read(tmp_path, f"motion{suffix}", text)


def test_a_table_moves_the_base(tmp_path):
    names = "time,base_x,base_y,base_z,base_qx,base_qy,base_qz,base_qw,a"
    found = read(tmp_path, "m.csv", f"{names}\n1,1,2,3,0,0,0,2,9\n2,1,2,4,0,0,1,0,8\n")
    (track,) = found.frames
    assert (found.names, track.parent, track.child) == (("a",), "", "")
    assert found.start_time == 10**9 and track.times.tolist() == [0, 1]
    assert track.translations.tolist() == [[1, 2, 3], [1, 2, 4]]
    assert track.quaternions.tolist() == [[0, 0, 0, 1], [0, 0, 1, 0]]
    write_trajectory(found, tmp_path / "again.csv")
    assert replace(read_trajectory(tmp_path / "again.csv"), start_time=10**9) == found


def test_tables_of_rostopic_are_read(tmp_path):
    heading = "%time,field.header.seq,field.header.stamp,field.header.frame_id,field.name0,"
    heading += "field.name1,field.position0,field.position1,field.velocity0,field.velocity1"
    lines = [
        "1700000000000000100,1,1700000000000000001,,a,b,1,2,3,4",
        "1700000000000000200,2,1700000000000000101,,b,a,5,6,7,8",
    ]
    found = read(tmp_path, "m.csv", "\n".join([heading, *lines]))
    assert found.start_time == 1700000000000000001
    assert found.times.tolist() == [0, 1e-7]
    assert found.names == ("a", "b")
    assert found.positions.tolist() == [[1, 2], [6, 5]]
    assert found.velocities.tolist() == [[3, 4], [8, 7]]


STATES = """\
header:
  stamp: {sec: 5, nanosec: 0}
  frame_id: ''
name:
- a
- b
position:
- 0.5
- .nan
velocity: []
effort: []
---
header: {stamp: {secs: 5, nsecs: 500000000}}
name: [b]
position: [2]
---
"""


def test_messages_as_ros_prints_them(tmp_path):
    found = read(tmp_path, "echo.yaml", STATES)
    assert found == Trajectory(
        names=("a", "b"), times=[0, 0.5], positions=[[0.5, np.nan], [np.nan, 2]],
        start_time=5 * 10**9,
    )  # fmt: skip


@pytest.mark.parametrize(
    "wrap",
    [
        lambda each: each,
        lambda each: {"trajectory": each},
        lambda each: {"goal": {"trajectory": each}, "goal_id": {"id": "x"}},
        lambda each: {"trajectory": [{"joint_trajectory": each}], "model_id": "robot"},
    ],
)
def test_a_trajectory_is_found_in_what_contains_it(tmp_path, wrap):
    points = [
        {"positions": [0.0], "velocities": [0.0], "time_from_start": {"sec": 1, "nanosec": 5}},
        {"positions": [1.0], "velocities": [0.0], "time_from_start": 2},
    ]
    message = wrap({"joint_names": ["a"], "points": points})
    found = read(tmp_path, "m.json", json.dumps(message))
    assert (found.names, found.interpolation) == (("a",), "spline")
    assert found.start_time == 10**9 + 5
    assert found.times.tolist() == [0, 1 - 5e-9]
    assert found.velocities.tolist() == [[0], [0]]


def test_commands_follow_each_other(tmp_path):
    """The second begins while the first runs, the third long after: the arm waits for it."""

    def command(stamp, *points):
        return {
            "header": {"stamp": {"sec": stamp, "nanosec": 0}},
            "joint_names": ["a"],
            "points": [{"positions": [p], "time_from_start": t} for t, p in points],
        }

    messages = [
        command(10, (0, 0.0), (1, 1.0), (2, 2.0)),
        command(11, (0.5, 5.0), (1, 6.0)),
        command(20, (1, 0.0)),
    ]
    lines = "\n".join(json.dumps(each) for each in messages)
    found = read(tmp_path, "m.json", lines)
    assert found.times.tolist() == [0, 1, 1.5, 2, 10, 11]
    assert found.positions.ravel().tolist() == [0, 1, 5, 6, 6, 0]


def test_times_that_go_back_end_a_run(tmp_path):
    text = "time,a\n5,1\n6,2\n0,3\n1,4\n2,5\n2,6\n"
    diagnostics = Diagnostics()
    path = tmp_path / "m.csv"
    path.write_text(text)
    found = read_trajectory(path, diagnostics=diagnostics)
    assert found.times.tolist() == [0, 1, 2]
    assert found.positions.ravel().tolist() == [3, 4, 6]
    assert [item.code for item in diagnostics] == ["time-goes-back"]


DEEP = "[" * 100_000
ALIASES = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(12)
)
REFUSED = {
    "unknown.xyz": ("", "ends in"),
    "empty.csv": ("", "empty"),
    "words.csv": ("time,a\n0,one\n", "'one' is not a number"),
    "ragged.csv": ("time,a\n0,1,2\n", "3 fields"),
    "time.csv": ("time,a\nnan,1\n", "not a time"),
    "late.csv": ("time,a\n1e300,1\n", "not a time"),
    "wide.csv": ("time," + ",".join(f"c{i}" for i in range(200_000)), "columns"),
    "field.csv": ("time,a\n0," + "1" * 4_000_000, "cannot be read"),
    "twice.csv": ("time,a,a\n0,1,2\n", "twice"),
    "none.csv": ("time,a\n0,\n", "no position"),
    "deep.json": (DEEP, "deep"),
    "cut.json": ('{"joint_names": ["a"], "points": [', "not JSON"),
    "digits.json": ('{"name": ["a"], "position": [' + "1" * 5000 + "]}", "not JSON"),
    "list.json": ("[1, 2]", "no message"),
    "nothing.json": ('{"name": [], "position": []}', "no position"),
    "untimed.json": (
        '[{"name": ["a"], "position": [1]}, {"name": ["a"], "position": [2]}]',
        "rate",
    ),
    "deep.yaml": (DEEP, "deep"),
    "aliases.yaml": (ALIASES, "aliases"),
    "tag.yaml": ("!!python/object/apply:os.system ['true']", "no message"),
    "cut.yaml": ("{a: [", "not YAML"),
    "text.npz": ("no zip", "not an .npz"),
    "latin.csv": (None, "UTF-8"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_motion_is_refused_in_one_sentence(tmp_path, name):
    text, part = REFUSED[name]
    path = tmp_path / name
    path.write_bytes("time,ä\n0,1\n".encode("latin-1") if text is None else text.encode())
    with pytest.raises(ReadError, match=part) as caught:
        read_trajectory(path)
    assert caught.value.source == str(path)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_arrays_that_lie_are_refused(tmp_path):
    good = tmp_path / "good.npz"
    write_trajectory(Trajectory(names=("a",), times=[0, 1], positions=[[0], [1]]), good)
    content = dict(np.load(good))
    bad = {
        "objects": content | {"names": np.array([{"a": 1}], dtype=object)},
        "words": content | {"times": np.array(["a", "b"])},
        "shape": content | {"positions": np.zeros((3, 1))},
        "back": content | {"times": np.array([1.0, 0.0])},
        "lost": {"names": content["names"]},
    }
    for name, arrays in bad.items():
        path = tmp_path / f"{name}.npz"
        np.savez(path, **arrays)
        with pytest.raises(ReadError):
            read_trajectory(path)


def test_motions_of_people_are_sent_to_retarget(tmp_path):
    with pytest.raises(ReadError, match=r"not in '\.bvh'; `retarget` puts"):
        read_trajectory(tmp_path / "walk.bvh")
    with pytest.raises(ReadError, match=r"not in '\.docx'$"):
        read_trajectory(tmp_path / "walk.docx")


def test_nothing_is_left_of_what_cannot_be_written(tmp_path):
    trajectory = Trajectory(names=("time",), times=[0], positions=[[0]])
    with pytest.raises(WriteError, match="no column"):
        write_trajectory(trajectory, tmp_path / "m.csv")
    with pytest.raises(WriteError, match="not as"):
        write_trajectory(trajectory, tmp_path / "m.docx")
    with pytest.raises(WriteError, match="no folder"):
        write_trajectory(trajectory, tmp_path / "none" / "m.json")
    assert list(tmp_path.iterdir()) == []


FRAME = {
    "parent": "p", "child": "c", "times": [0, 1], "translations": [[0, 0, 0], [1, 0, 0]],
    "quaternions": [[0, 0, 0, 1], [0, 0, 0, 1]],
}  # fmt: skip
POINTS = [
    {"positions": [1], "time_from_start": 0},
    {"positions": [2], "time_from_start": 1},
]


def write_message(path, **changes):
    message = {"joint_names": ["a"], "points": POINTS, **changes}
    path.write_text(json.dumps(message))
    return path


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
@pytest.mark.parametrize(
    "change",
    [
        {"translations": [[0, "a", 0], [1, 0, 0]]}, {"translations": [[0, 0, 0], "abc"]},
        {"translations": [[0, 0, [0]], [1, 0, 0]]}, {"translations": [0, 0, 0]},
        {"quaternions": [[0, 0, 0, "w"], [0, 0, 0, 1]]}, {"quaternions": [[0, 0, 1], [0, 0, 1]]},
        {"quaternions": {"x": 0}}, {"quaternions": "xyzw"}, {"times": ["0", "1"]},
        {"times": [0, 1, 2]}, {"times": "now"}, {"times": [[0], [1]]}, {"child": 5},
        {"parent": ["p"]},
    ],
)  # fmt: skip
def test_frames_of_anything_but_numbers_are_refused(tmp_path, change, suffix):
    path = write_message(tmp_path / f"m{suffix}", frames=[FRAME | change])
    with pytest.raises(ReadError, match=r"the frame|of a frame"):
        read_trajectory(path)


@pytest.mark.parametrize("value", [[0, 1], 5, {"a": 1}, ["linear"]])
def test_an_interpolation_that_is_no_text_is_refused(tmp_path, value):
    with pytest.raises(ReadError, match="interpolation"):
        read_trajectory(write_message(tmp_path / "m.json", interpolation=value))


def test_frames_of_other_programs_and_odd_points_are_passed_over(tmp_path):
    others = [5, "base", {"name": "base"}, {"times": "x"}]
    points = [{**each, "transforms": [1, 2]} for each in POINTS]
    path = write_message(tmp_path / "m.json", frames=[*others, FRAME], points=points)
    found = read_trajectory(path)
    assert found.positions.tolist() == [[1], [2]]
    assert [track.child for track in found.frames] == ["c"]
    empty = FRAME | {"times": [], "translations": [], "quaternions": []}
    assert not read_trajectory(write_message(path, frames=[empty])).frames
