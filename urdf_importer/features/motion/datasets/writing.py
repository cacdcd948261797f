# SPDX-License-Identifier: GPL-3.0-or-later
"""Episodes -> a dataset of LeRobot, version 3.0, as its readers and its training ask for it."""

import json
import os
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ....core.arguments import diagnostics_of, options_of
from ....core.diagnostics import (
    Diagnostics,
    ReadError,
    WriteError,
    quote,
    quote_path,
    quote_value,
)
from ....core.files.outputs import check_folder, replace_files
from ....core.images.size import find_image_size
from ....core.model import Robot
from ....core.progress import Progress
from ..parquet.reading import open_parquet
from ..parquet.writing import ParquetField, ParquetWriter
from .episodes import Episode, EpisodeOptions, Rows, Table, check_camera
from .pictures import bytes_of_picture, decode_picture, size_of_picture
from .reading import ACTION, MOST_EPISODES, MOST_ROWS, PATH_3, STATE, open_dataset, read_json
from .stats import STATISTICS, Stats, check_stats, find_picture_stats, find_stats, join_stats

VIDEO_PATH = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
_MOST_FILE, _MOST_VIDEO, _CHUNK = 100_000_000, 200, 1000
_MOST_PICTURES, _PIXEL_STEP = 100, 4
_SCALARS = {"timestamp": "float32", "frame_index": "int64", "episode_index": "int64",
            "index": "int64", "task_index": "int64"}  # fmt: skip
_PICTURE = (ParquetField("bytes", "bytes"), ParquetField("path", "text"))
_NUMBERED = re.compile(r"chunk-(\d{1,9})/file-(\d{1,9})\.\w+$")
Encode = Callable[[Sequence[Path | bytes], Path, int], Mapping[str, Any]]
"""Writes pictures as a video, so many a second, and returns LeRobot's `info` of it."""


@dataclass(slots=True)
class _Before:
    """The dataset that episodes are added to: its totals, tasks, statistics and next files."""

    features: dict[str, Any] = field(default_factory=dict)
    fps: float = 0.0
    robot_type: str = ""
    episodes: int = 0
    frames: int = 0
    tasks: list[str] = field(default_factory=list)
    stats: list[dict[str, Any]] = field(default_factory=list)
    next_file: dict[str, int] = field(default_factory=dict)
    units: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """The robot of a dataset, its options, the place of messages, and the maker of videos."""

    robot: Robot | None
    options: EpisodeOptions | None
    diagnostics: Diagnostics | None
    encode: Encode | None = None


def write_steps(
    episodes: Iterable[Episode],
    folder: str | os.PathLike[str],
    making: Making,
) -> Generator[Progress, None, tuple[Path, ...]]:
    """Does as write_episodes, in steps."""
    target, options = Path(folder), options_of(making.options, EpisodeOptions)
    diagnostics, encode = diagnostics_of(making.diagnostics), making.encode
    if options.pictures == "video" and encode is None:
        raise WriteError("videos are encoded by Blender: record_episodes does so")
    before = _look_before(target, options)
    with replace_files(target) as staging:
        writer: _Writer | None = None
        with ExitStack() as stack:
            for number, episode in enumerate(episodes):
                if writer is None:
                    writer = _Writer(staging, before, options, encode)
                    writer.begin(episode, making.robot)
                    stack.callback(writer.close_data)
                writer.add(episode, number, diagnostics)
                yield Progress(share=0.0, text=f"episode {before.episodes + number}")
        if writer is None:
            raise WriteError("there are no episodes to write")
        writer.finish()
        made = sorted(each.relative_to(staging) for each in staging.rglob("*") if each.is_file())
    return tuple(target / each for each in made)


def _look_before(folder: Path, options: EpisodeOptions) -> _Before:
    """Returns the dataset in the folder. Raises WriteError for other files, and for one without
    the wish to append."""
    check_folder(folder)
    if not folder.is_dir() or not any(folder.iterdir()):
        return _Before(fps=options.fps)
    if not (folder / "meta" / "info.json").is_file():
        raise WriteError(f"{quote_path(folder)} holds other files: a dataset has its own folder")
    if not options.append:
        raise WriteError(f"{quote_path(folder)} holds a dataset: append adds episodes to it")
    try:
        return _read_before(folder)
    except (ReadError, LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = error.message if isinstance(error, ReadError) else "its meta/info.json is damaged"
        raise WriteError(f"nothing is added to {quote_path(folder)}: {reason}") from None


def _read_before(folder: Path) -> _Before:
    info = read_json(folder / "meta" / "info.json")
    if info.get("codebase_version") != "v3.0" or info.get("data_path") != PATH_3:
        raise ReadError("only datasets of version v3.0 grow")
    dataset, units = open_dataset(folder), folder / "meta" / "units.json"
    with open_parquet(str(folder / "meta" / "tasks.parquet")) as file:
        numbers = file.read("task_index").values.tolist()
        name = next(each for each in file.names if each != "task_index")
        tasks = dict(zip(numbers, file.read(name).values, strict=True))
    found = _Before(
        features=dict(dataset.features),
        fps=dataset.fps,
        robot_type=dataset.robot_type,
        episodes=_total(info, "total_episodes", MOST_EPISODES),
        frames=_total(info, "total_frames", MOST_ROWS),
        tasks=[str(tasks[number]) for number in range(len(tasks))],
        stats=[read_json(folder / "meta" / "stats.json")],
        units=read_json(units) if units.is_file() else None,
    )
    for kind in ("data", "meta/episodes", *(f"videos/{key}" for key in found.features)):
        files = (folder / kind).glob("chunk-*/file-*.*") if (folder / kind).is_dir() else ()
        numbered = [_NUMBERED.search(each.as_posix()) for each in files]
        places = [int(each[1]) * _CHUNK + int(each[2]) for each in numbered if each]
        found.next_file[kind] = max(places, default=-1) + 1
    return found


def _total(info: Mapping[str, Any], key: str, most: int) -> int:
    total = info.get(key)
    if isinstance(total, bool) or not isinstance(total, int) or not 0 <= total <= most:
        raise ReadError(f"its {key} are {quote_value(total)}")
    return total


class _Writer:
    """Writes a dataset's files into a folder, an episode after the other."""

    def __init__(
        self, folder: Path, before: _Before, options: EpisodeOptions, encode: Encode | None
    ) -> None:
        self._folder, self._before, self._options, self._encode = folder, before, options, encode
        self._tasks = list(before.tasks)
        self._rows: list[dict[str, Any]] = []
        self._stats: list[dict[str, Stats]] = []
        self._frames = before.frames
        self._data: tuple[Any, ParquetWriter, tuple[int, int]] | None = None
        self._next = dict(before.next_file)
        self._video_info: Mapping[str, Any] = {}

    def begin(self, episode: Episode, robot: Robot | None) -> None:
        """Takes the joints and cameras of the first episode for all. Raises WriteError where they
        differ from the dataset that is there."""
        names = episode.motion.names
        self._robot_type = self._options.robot_type or (robot.name if robot else "")
        known = self._before.features.get(STATE)
        suffix = self._options.suffix
        if known:
            listed = known["names"] if isinstance(known.get("names"), list) else []
            wanted = [str(each).removesuffix(suffix) for each in listed]
            if set(wanted) == set(names):
                names = tuple(wanted)
        self._table = Table(names, robot, self._options)
        self._is_video = self._options.pictures == "video"
        list(map(check_camera, episode.pictures))
        self._sizes = {key: size_of_picture(shots) for key, shots in episode.pictures.items()}
        numbers = {"dtype": "float32", "shape": [len(names)],
                   "names": [f"{name}{suffix}" for name in names]}  # fmt: skip
        self._features: dict[str, Any] = {STATE: numbers, ACTION: dict(numbers)}
        for camera, (width, height) in self._sizes.items():
            kind = "video" if self._is_video else "image"
            shape = {"dtype": kind, "shape": [height, width, 3],
                     "names": ["height", "width", "channels"]}  # fmt: skip
            self._features[f"observation.images.{camera}"] = shape
        for name, dtype in _SCALARS.items():
            self._features[name] = {"dtype": dtype, "shape": [1], "names": None}
        self._check_before()

    def _check_before(self) -> None:
        before = self._before
        if not before.stats:
            return
        bare = {key: {k: v for k, v in each.items() if k not in ("info", "fps")}
                for key, each in before.features.items()}  # fmt: skip
        for what, is_same in (
            ("features", bare == self._features),
            ("fps", before.fps == self._options.fps),
            ("robot_type", before.robot_type == self._robot_type),
            ("units", before.units in (None, self._table.units)),
        ):
            if not is_same:
                raise WriteError(f"the dataset that is there has other {what}: nothing is added")
        for key, each in self._features.items():
            is_picture = each["dtype"] in ("image", "video")
            try:
                check_stats(key, before.stats[0], (3, 1, 1) if is_picture else (*each["shape"],))
            except ReadError as error:
                raise WriteError(f"nothing is added: {error.message}") from None

    def add(self, episode: Episode, number: int, diagnostics: Diagnostics) -> None:
        """Writes an episode."""
        rows = self._table.rows_of(episode, number, diagnostics)
        count, place = len(rows.states), self._before.episodes + number
        if set(episode.pictures) != set(self._sizes):
            raise WriteError(f"episode {number} has pictures of other cameras than the first")
        columns = self._columns_of(rows, place)
        found: dict[str, Any] = {}
        stats = {key: find_stats(np.asarray(each, dtype=np.float64).reshape(count, -1))
                 for key, each in columns.items()}  # fmt: skip
        for camera, shots in episode.pictures.items():
            key = f"observation.images.{camera}"
            if len(shots) != count:
                raise WriteError(
                    f"episode {number} has {len(shots)} pictures of {quote(camera)}, not {count}"
                )
            stats[key] = self._judge(shots, camera)
            if self._is_video:
                found |= self._add_video(key, shots, count)
            else:
                columns[key] = [(bytes_of_picture(shot), f"{place:06d}-{at:06d}.png")
                                for at, shot in enumerate(shots)]  # fmt: skip
        file = self._add_data(columns)
        self._rows.append({
            "episode_index": place, "tasks": [rows.task], "length": count,
            "data/chunk_index": file[0], "data/file_index": file[1],
            "dataset_from_index": self._frames, "dataset_to_index": self._frames + count, **found,
        })  # fmt: skip
        self._stats.append(stats)
        self._frames += count

    def _columns_of(self, rows: Rows, place: int) -> dict[str, Any]:
        if rows.task not in self._tasks:
            self._tasks.append(rows.task)
        count = len(rows.states)
        frames = np.arange(count)
        is_single = rows.states.shape[1] == 1
        return {
            STATE: rows.states[:, 0] if is_single else rows.states,
            ACTION: rows.actions[:, 0] if is_single else rows.actions,
            "timestamp": (frames / self._options.fps).astype(np.float32),
            "frame_index": frames,
            "episode_index": np.full(count, place),
            "index": self._frames + frames,
            "task_index": np.full(count, self._tasks.index(rows.task)),
        }

    def _judge(self, shots: Sequence[Path | bytes], camera: str) -> Stats:
        """Returns the statistics of some of the pictures."""
        chosen = np.unique(np.linspace(0, len(shots) - 1, _MOST_PICTURES).astype(int))
        pixels = []
        for at in chosen:
            content = bytes_of_picture(shots[at])
            if find_image_size(content) != self._sizes[camera]:
                raise WriteError(f"the pictures of {quote(camera)} have several sizes")
            pixels.append(decode_picture(content, camera)[::_PIXEL_STEP, ::_PIXEL_STEP])
        return find_picture_stats(pixels)

    def _add_video(self, key: str, shots: Sequence[Path | bytes], count: int) -> dict[str, Any]:
        assert self._encode is not None
        chunk, index = self._take_file(f"videos/{key}")
        path = self._folder / "videos" / key / f"chunk-{chunk:03d}" / f"file-{index:03d}.mp4"
        path.parent.mkdir(parents=True, exist_ok=True)
        self._video_info = self._encode(shots, path, self._options.fps)
        return {f"videos/{key}/chunk_index": chunk, f"videos/{key}/file_index": index,
                f"videos/{key}/from_timestamp": 0.0,
                f"videos/{key}/to_timestamp": count / self._options.fps}  # fmt: skip

    def _take_file(self, kind: str) -> tuple[int, int]:
        number = self._next.get(kind, 0)
        self._next[kind] = number + 1
        return divmod(number, _CHUNK)

    def _add_data(self, columns: Mapping[str, Any]) -> tuple[int, int]:
        if self._data is not None and self._data[1].size > _MOST_FILE:
            self.close_data()
        if self._data is None:
            chunk, index = self._take_file("data")
            file = self._open(f"data/chunk-{chunk:03d}/file-{index:03d}.parquet")
            fields = [_field_of(name, each) for name, each in self._features.items()
                      if each["dtype"] != "video"]  # fmt: skip
            self._data = file, ParquetWriter(file, fields), (chunk, index)
        self._data[1].add(columns)
        return self._data[2]

    def _open(self, name: str) -> Any:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("wb")

    def close_data(self) -> None:
        """Ends the file of rows that is open."""
        if self._data is not None:
            file, writer, _ = self._data
            self._data = None
            with file:
                writer.close()

    def finish(self) -> None:
        """Writes the files that describe the dataset."""
        self.close_data()
        self._write_episodes()
        with self._open("meta/tasks.parquet") as file:
            fields = [ParquetField("task_index", "int64"), ParquetField("task", "text")]
            writer = ParquetWriter(file, fields, {"pandas": _describe_index()})
            writer.add({"task_index": np.arange(len(self._tasks)), "task": self._tasks})
            writer.close()
        every = [*self._before.stats, *self._stats]
        joined = {key: join_stats([each[key] for each in every]) for key in self._stats[0]}
        plain = {key: {name: array.tolist() for name, array in each.items()}
                 for key, each in joined.items()}  # fmt: skip
        self._write_json("stats", plain)
        if self._before.units is not None or not self._before.stats:
            self._write_json("units", self._table.units)
        self._write_json("info", self._info())

    def _write_json(self, name: str, content: Any) -> None:
        text = json.dumps(content, indent=4, ensure_ascii=False)
        (self._folder / "meta" / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")

    def _write_episodes(self) -> None:
        chunk, index = self._take_file("meta/episodes")
        place = {"meta/episodes/chunk_index": chunk, "meta/episodes/file_index": index}
        rows = [each | place for each in self._rows]
        columns: dict[str, Any] = {key: [row[key] for row in rows] for key in rows[0]}
        fields = [_field_of_rows(key, values[0]) for key, values in columns.items()]
        for key, each in self._stats[0].items():
            for name in STATISTICS:
                column = f"stats/{key}/{name}"
                depth = each[name].ndim
                fields.append(
                    ParquetField(column, "int64" if name == "count" else "float64", depth)
                )
                columns[column] = np.array([stats[key][name] for stats in self._stats])
                columns[column] = columns[column].reshape(len(rows), -1)
        with self._open(f"meta/episodes/chunk-{chunk:03d}/file-{index:03d}.parquet") as file:
            writer = ParquetWriter(file, fields)
            writer.add(columns)
            writer.close()

    def _info(self) -> dict[str, Any]:
        total = self._before.episodes + len(self._rows)
        for each in self._features.values():
            if each["dtype"] == "video":
                each["info"] = dict(self._video_info)
        return {
            "codebase_version": "v3.0",
            "robot_type": self._robot_type,
            "total_episodes": total,
            "total_frames": self._frames,
            "total_tasks": len(self._tasks),
            "chunks_size": _CHUNK,
            "data_files_size_in_mb": _MOST_FILE // 1_000_000,
            "video_files_size_in_mb": _MOST_VIDEO,
            "fps": self._options.fps,
            "splits": {"train": f"0:{total}"},
            "data_path": PATH_3,
            "video_path": VIDEO_PATH if self._is_video and self._sizes else None,
            "features": self._features,
        }


def _field_of(name: str, feature: Mapping[str, Any]) -> ParquetField:
    if feature["dtype"] == "image":
        return ParquetField(name, "bytes", 0, _PICTURE)
    return ParquetField(name, feature["dtype"], 0 if feature["shape"] == [1] else 1)


def _field_of_rows(name: str, value: Any) -> ParquetField:
    if isinstance(value, list):
        return ParquetField(name, "text", 1)
    return ParquetField(name, "float64" if isinstance(value, float) else "int64")


def _describe_index() -> str:
    """Returns the description that pandas writes beside a table with texts as its index."""
    columns = [
        {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": numpy,
         "metadata": None}
        for name, kind, numpy in (
            ("task_index", "int64", "int64"), ("task", "unicode", "object"),
        )
    ]  # fmt: skip
    content = {"index_columns": ["task"], "column_indexes": [], "columns": columns,
               "pandas_version": "2.2.0"}  # fmt: skip
    return json.dumps(content)
