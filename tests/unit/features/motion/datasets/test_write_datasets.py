# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions as LeRobot's datasets, as pandas and pyarrow read them."""

import json
from dataclasses import replace

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.lerobot import MOTORS
from support.paths import ROOT
from urdf_importer import (
    Diagnostics,
    Episode,
    EpisodeOptions,
    FrameTrack,
    MotionOptions,
    RobotError,
    Trajectory,
    WriteError,
    read_robot,
    read_trajectory,
    write_episodes,
)
from urdf_importer.core.images.png import encode_png
from urdf_importer.features.motion.parquet.writing import ParquetField, ParquetWriter

URDF = ROOT / "tests/data/so_arm.urdf"


@pytest.fixture(scope="module")
def robot():
    return read_robot(URDF)


def wave(seed=0, frames=31):
    times = np.arange(frames) / 30
    phases = np.arange(6) + seed
    return Trajectory(names=MOTORS, times=times,
                      positions=0.6 + 0.5 * np.sin(times[:, None] * 3 + phases))  # fmt: skip


@pytest.mark.parametrize("name", ["x/../../evil", "a..b", "head/camera", "", "a" * 65, "a\\b"])
def test_cameras_lead_into_no_other_folder(name, tmp_path):
    shots = {name: [encode_png(np.zeros((4, 4, 3), np.uint8))] * 31}
    with pytest.raises(WriteError, match=r"the camera .* must be renamed"):
        write_episodes([Episode(motion=wave(), task="t", pictures=shots)], tmp_path / "d")
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.floats(width=32), st.integers(-(2**63), 2**63 - 1), st.text(max_size=8),
                  st.lists(st.text(max_size=5), min_size=1, max_size=4),
                  st.tuples(st.binary(max_size=9), st.text(max_size=4))),
        min_size=1, max_size=30,
    ),
    groups=st.integers(1, 3),
)  # fmt: skip
def test_every_kind_of_column_is_read_by_pyarrow(tmp_path_factory, rows, groups):
    path = tmp_path_factory.mktemp("p") / "a.parquet"
    fields = [ParquetField("f", "float32"), ParquetField("i", "int64"), ParquetField("t", "text"),
              ParquetField("l", "text", 1),
              ParquetField("v", "float64", 1),
              ParquetField("deep", "float64", 3),
              ParquetField("p", "bytes", 0, (ParquetField("bytes", "bytes"),
                                             ParquetField("path", "text")))]  # fmt: skip
    f, i, t, lists, p = (list(each) for each in zip(*rows, strict=True))
    v = np.arange(3.0 * len(rows)).reshape(-1, 3)
    with path.open("wb") as file:
        writer = ParquetWriter(file, fields, {"key": "text"})
        for _ in range(groups):
            writer.add({"f": f, "i": i, "t": t, "l": lists, "v": v, "deep": v, "p": p})
        writer.close()
    table = pyarrow.parquet.read_table(path)
    assert np.array_equal(table["f"].to_numpy(), np.array(f * groups, np.float32), equal_nan=True)
    assert table["i"].to_pylist() == i * groups
    assert table["t"].to_pylist() == t * groups
    assert table["l"].to_pylist() == lists * groups
    assert table["v"].to_pylist() == v.tolist() * groups
    assert table["deep"].to_pylist() == [[[[x]] for x in row] for row in v.tolist()] * groups
    assert [(each["bytes"], each["path"]) for each in table["p"].to_pylist()] == p * groups
    assert table.schema.metadata[b"key"] == b"text"


def test_what_lerobot_asks_for_is_there(tmp_path, robot):
    folder = tmp_path / "d"
    episodes = [Episode(motion=wave(0), task="wave"), Episode(motion=wave(1, 46), task="nod")]
    files = write_episodes(episodes, folder, robot=robot)
    assert {str(each.relative_to(folder)) for each in files} == {
        "data/chunk-000/file-000.parquet", "meta/episodes/chunk-000/file-000.parquet",
        "meta/info.json", "meta/stats.json", "meta/tasks.parquet", "meta/units.json",
    }  # fmt: skip
    info = json.loads((folder / "meta/info.json").read_text())
    assert (info["fps"], info["total_frames"], info["total_episodes"]) == (30, 77, 2)
    assert info["splits"] == {"train": "0:2"} and info["video_path"] is None
    data = pandas.read_parquet(folder / "data/chunk-000/file-000.parquet")
    assert list(data.columns) == list(info["features"])
    assert data["index"].tolist() == list(range(77))
    states = np.stack(data["observation.state"].to_numpy())
    assert states.dtype == np.float32
    assert states[:31] == pytest.approx(wave(0).positions, abs=1e-6)
    actions = np.stack(data["action"].to_numpy())
    assert np.array_equal(actions[:30], states[1:31]) and np.array_equal(actions[30], states[30])
    tasks = pandas.read_parquet(folder / "meta/tasks.parquet")
    assert tasks.index.name == "task" and tasks["task_index"].to_dict() == {"wave": 0, "nod": 1}
    rows = pandas.read_parquet(folder / "meta/episodes/chunk-000/file-000.parquet")
    assert rows["length"].tolist() == [31, 46]
    assert [each.tolist() for each in rows["tasks"]] == [["wave"], ["nod"]]
    assert rows["dataset_to_index"].tolist() == [31, 77]
    stats = json.loads((folder / "meta/stats.json").read_text())
    for key, wanted in (("mean", states.mean(axis=0)), ("std", states.std(axis=0)),
                        ("max", states.max(axis=0)), ("count", [77])):  # fmt: skip
        assert stats["observation.state"][key] == pytest.approx(np.asarray(wanted), abs=1e-5)
    for name in ("q01", "q10", "q50", "q90", "q99"):
        assert f"stats/action/{name}" in rows.columns


@pytest.mark.parametrize(
    "units", [(), (("*", "deg"),), (("*", "deg"), ("gripper", "percent")), (("*", "signed"),)]
)
def test_there_and_back(tmp_path, robot, units):
    options = EpisodeOptions(units=units)
    write_episodes([Episode(motion=wave())], tmp_path / "d", robot=robot, options=options)
    found = read_trajectory(tmp_path / "d", robot=robot, options=MotionOptions(units=units),
                            diagnostics=Diagnostics())  # fmt: skip
    assert found.names == MOTORS
    assert found.positions == pytest.approx(wave().positions, abs=1e-6)
    assert np.array_equal(found.times, wave().times)


def pictures(count, value=0):
    shade = np.zeros((8, 16, 3), np.uint8)
    found = []
    for at in range(count):
        shade[:] = (at * 3 + value) % 256
        found.append(encode_png(shade))
    return found


def test_pictures_are_kept_with_their_statistics(tmp_path, robot):
    path = tmp_path / "first.png"
    shots = pictures(31)
    path.write_bytes(shots[0])
    motion = wave()
    episode = Episode(motion=motion, pictures={"front": [path, *shots[1:]]})
    write_episodes([episode], tmp_path / "d", robot=robot)
    info = json.loads((tmp_path / "d/meta/info.json").read_text())
    assert info["features"]["observation.images.front"] == {
        "dtype": "image", "shape": [8, 16, 3], "names": ["height", "width", "channels"],
    }  # fmt: skip
    data = pandas.read_parquet(tmp_path / "d/data/chunk-000/file-000.parquet")
    assert [each["bytes"] for each in data["observation.images.front"]] == shots
    stats = json.loads((tmp_path / "d/meta/stats.json").read_text())
    seen = stats["observation.images.front"]
    assert np.shape(seen["mean"]) == (3, 1, 1) and seen["count"] == [31]
    assert seen["max"][0][0][0] == pytest.approx(90 / 255)
    found = read_trajectory(tmp_path / "d", robot=robot, diagnostics=Diagnostics())
    assert found.positions == pytest.approx(motion.positions, abs=1e-6)


def test_episodes_are_added(tmp_path, robot):
    folder = tmp_path / "d"
    write_episodes([Episode(motion=wave(), task="a")], folder, robot=robot)
    more = EpisodeOptions(append=True)
    write_episodes([Episode(motion=wave(1), task="b"), Episode(motion=wave(2), task="a")], folder,
                   robot=robot, options=more)  # fmt: skip
    for number in range(3):
        found = read_trajectory(folder, topic=str(number), robot=robot, diagnostics=Diagnostics())
        assert found.positions == pytest.approx(wave(number).positions, abs=1e-6)
    data = pandas.concat([pandas.read_parquet(each) for each in sorted(folder.glob("data/*/*"))])
    assert data["index"].tolist() == list(range(93))
    assert data["task_index"].tolist() == [0] * 31 + [1] * 31 + [0] * 31
    stats = json.loads((folder / "meta/stats.json").read_text())
    states = np.stack(data["observation.state"].to_numpy()).astype(float)
    assert stats["observation.state"]["mean"] == pytest.approx(states.mean(axis=0), abs=1e-6)
    assert stats["observation.state"]["std"] == pytest.approx(states.std(axis=0), abs=1e-6)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"fps": 15}, "other fps"),
        ({"robot_type": "other"}, "other robot_type"),
        ({"suffix": ""}, "other features"),
        ({"units": (("*", "deg"),)}, "other units"),
        ({"append": False}, "append adds episodes"),
    ],
)
def test_other_features_are_not_added(tmp_path, robot, change, message):
    folder = tmp_path / "d"
    write_episodes([Episode(motion=wave())], folder, robot=robot)
    before = {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    options = EpisodeOptions(**{"append": True} | change)
    with pytest.raises(WriteError, match=message):
        write_episodes([Episode(motion=wave())], folder, robot=robot, options=options)
    assert before == {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}


@pytest.mark.parametrize(
    ("file", "place", "value"),
    [
        ("info", ("features",), ["x"]),
        ("info", ("features",), {"observation.state": 5}),
        ("info", ("features", "observation.state", "names"), 5),
        ("info", ("fps",), float("inf")),
        ("info", ("fps",), 1e-300),
        ("info", ("total_frames",), -5),
        ("info", ("total_frames",), 10**30),
        ("info", ("total_episodes",), 10**30),
        ("info", ("total_episodes",), "3"),
        ("stats", ("observation.state",), 1),
        ("stats", ("observation.state", "mean"), [[1, 2], [3]]),
        ("stats", ("observation.state", "mean"), "a"),
        ("stats", ("observation.state", "std"), [10**400] * 6),
        ("stats", ("observation.state", "min"), [None] * 6),
        ("stats", ("action", "count"), [-1]),
    ],
)
def test_a_damaged_dataset_stays_as_it_is(tmp_path, robot, file, place, value):
    folder = tmp_path / "d"
    write_episodes([Episode(motion=wave())], folder, robot=robot)
    path = folder / "meta" / f"{file}.json"
    content = json.loads(path.read_text())
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    path.write_text(json.dumps(content))
    before = {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    with pytest.raises(WriteError, match="nothing is added"):
        write_episodes([Episode(motion=wave())], folder, robot=robot,
                       options=EpisodeOptions(append=True))  # fmt: skip
    assert before == {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def test_a_dataset_without_a_list_of_units_grows(tmp_path, robot):
    folder = tmp_path / "d"
    write_episodes([Episode(motion=wave())], folder, robot=robot)
    units = json.loads((folder / "meta" / "units.json").read_text())
    assert set(units) == set(MOTORS)
    (folder / "meta" / "units.json").unlink()
    options = EpisodeOptions(append=True, units=(("*", "deg"),))
    write_episodes([Episode(motion=wave())], folder, robot=robot, options=options)
    assert not (folder / "meta" / "units.json").exists()


def test_what_cannot_be_an_episode_is_refused_and_leaves_nothing(tmp_path, robot):
    folder = tmp_path / "d"
    other = replace(wave(), names=("x", *MOTORS[1:]))
    for episodes, options, message in (
        ([], {}, "no episodes"),
        ([Episode(motion=wave()), Episode(motion=other)], {}, "moves other joints"),
        (
            [Episode(motion=wave(), pictures={"f": pictures(3)})],
            {},
            "3 pictures of 'f', not 31",
        ),
        ([Episode(motion=wave(), pictures={"f": [b"x"] * 31})], {}, "not an image"),
        ([Episode(motion=wave())], {"pictures": "video"}, "encoded by Blender"),
        ([Episode(motion=wave())], {"units": (("nose", "deg"),)}, "no joint of the motion"),
        ([Episode(motion=wave())], {"units": (("gripper", "mm"),)}, "joint 'gripper' turns"),
    ):
        with pytest.raises(RobotError, match=message):
            write_episodes(episodes, folder, robot=robot, options=EpisodeOptions(**options))
        assert not folder.exists()
    folder.mkdir()
    (folder / "mine.txt").write_text("x")
    with pytest.raises(WriteError, match="holds other files"):
        write_episodes([Episode(motion=wave())], folder, robot=robot)


def test_a_base_has_no_place(tmp_path, robot):
    motion = wave()
    still = np.zeros((len(motion.times), 3))
    turns = np.tile([0.0, 0.0, 0.0, 1.0], (len(motion.times), 1))
    track = FrameTrack(parent="", child="", times=motion.times, translations=still,
                       quaternions=turns)  # fmt: skip
    diagnostics = Diagnostics()
    write_episodes([Episode(motion=replace(motion, frames=(track,)))], tmp_path / "d",
                   robot=robot, diagnostics=diagnostics)  # fmt: skip
    assert [each.code for each in diagnostics] == ["base-left-out"]


def test_one_joint_is_a_plain_column(tmp_path):
    motion = wave().select(("gripper",))
    write_episodes([Episode(motion=motion)], tmp_path / "d")
    found = read_trajectory(tmp_path / "d")
    assert found.positions == pytest.approx(motion.positions, abs=1e-6)
