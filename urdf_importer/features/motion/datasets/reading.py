# SPDX-License-Identifier: GPL-3.0-or-later
"""LeRobot's datasets of versions 2.0, 2.1 and 3.0 -> the motion of an episode."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....core.diagnostics import Diagnostics, ReadError, quote, quote_value
from ....core.files.regular import decode_utf8, read_regular_file
from ..fitting.recorded import Recorded, Unnamed
from ..fitting.times import find_times, scale_times
from ..gather import Gathered
from ..options import MotionOptions
from ..parquet.reading import ParquetFile, open_parquet
from ..recordings.tables import add_columns
from ..recordings.topics import Topic
from ..trajectory import NANOSECONDS, Numbers, Trajectory

STATE, ACTION = "observation.state", "action"
PATH_3 = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
PATH_2 = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
MOST_EPISODES, MOST_ROWS = 1_000_000, 10**9
_MOST_BYTES, _MOST_FILES = 64 * 1024 * 1024, 10_000
_TOPIC = re.compile(r"(?P<episode>\d{1,9})(?:/(?P<key>.+))?")


def find_dataset(source: str) -> Path | None:
    """Returns the folder of a dataset, which the path or its meta/info.json is in; None for
    anything else."""
    path = Path(source)
    if path.name == "info.json" and path.parent.name == "meta":
        return path.parent.parent
    return path if (path / "meta" / "info.json").is_file() else None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset's folder, and the content of its meta/info.json as far as it is looked at."""

    folder: Path
    is_third: bool
    fps: float
    features: Mapping[str, Mapping[str, Any]]
    robot_type: str
    chunks_size: int


def open_dataset(folder: Path) -> Dataset:
    """Returns a dataset. Raises ReadError for other versions, and for paths of another form."""
    path = folder / "meta" / "info.json"
    info = read_json(path)
    version = info.get("codebase_version", "")
    known = re.fullmatch(r"v(2\.[01]|3\.0)(\.\d+)?", str(version))
    if known is None:
        raise ReadError(
            f"this is a LeRobot dataset of version {quote_value(version)}; v2.0 to v3.0 are read",
            source=str(path),
        )
    is_third = known[1] == "3.0"
    if info.get("data_path") != (PATH_3 if is_third else PATH_2):
        message = f"its data_path is {quote_value(info.get('data_path'))}, which is not read"
        raise ReadError(message, source=str(path))
    fps, features = info.get("fps"), info.get("features")
    if isinstance(fps, bool) or not isinstance(fps, int | float) or not 1e-3 <= fps < 1e6:
        raise ReadError(f"its fps are {quote_value(fps)}, no number above 0", source=str(path))
    if not isinstance(features, dict) or not all(isinstance(f, dict) for f in features.values()):
        raise ReadError("it has no features", source=str(path))
    size = info.get("chunks_size", 1000)
    return Dataset(
        folder=folder,
        is_third=is_third,
        fps=float(fps),
        features=features,
        robot_type=str(info.get("robot_type") or ""),
        chunks_size=size if isinstance(size, int) and size > 0 else 1000,
    )


def read_json(path: Path) -> dict[str, Any]:
    """Returns the content of a file of a dataset. Raises ReadError for anything but a mapping."""
    source = str(path)
    try:
        data = read_regular_file(source, most_bytes=_MOST_BYTES, called="dataset")
        found = json.loads(decode_utf8(data, source))
    except RecursionError:
        raise ReadError("the file is nested too deeply", source=source) from None
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        raise ReadError("this is not JSON", source=source, line=line) from None
    if not isinstance(found, dict):
        raise ReadError("this is not a mapping of keys to values", source=source)
    return found


@dataclass(frozen=True, slots=True)
class _Episodes:
    """Of each episode: its number, frames, and the file with its rows."""

    numbers: list[int]
    lengths: list[int]
    files: list[tuple[int, int]]


def _find_episodes(dataset: Dataset) -> _Episodes:
    found = _Episodes([], [], [])
    for number, length, file in (_read_third if dataset.is_third else _read_second)(dataset):
        if len(found.numbers) >= MOST_EPISODES:
            raise ReadError(f"it has more than {MOST_EPISODES:,} episodes")
        if not (0 <= number <= MOST_ROWS and 0 <= length <= MOST_ROWS):
            message = "an episode has a number or a length that none can have"
            raise ReadError(message, source=str(dataset.folder))
        found.numbers.append(number)
        found.lengths.append(length)
        found.files.append(file)
    if not found.numbers:
        raise ReadError("it has no episodes", source=str(dataset.folder))
    return found


def _read_third(dataset: Dataset) -> Iterator[tuple[int, int, tuple[int, int]]]:
    paths = sorted(dataset.folder.glob("meta/episodes/chunk-*/file-*.parquet"))
    columns = ("episode_index", "length", "data/chunk_index", "data/file_index")
    for path in paths[:_MOST_FILES]:
        with open_parquet(str(path)) as file, np.errstate(invalid="ignore"):
            arrays = [_flat(file, name).astype(np.int64).tolist() for name in columns]
        for number, length, chunk, index in zip(*arrays, strict=True):
            yield number, length, (chunk, index)


def _read_second(dataset: Dataset) -> Iterator[tuple[int, int, tuple[int, int]]]:
    path = dataset.folder / "meta" / "episodes.jsonl"
    text = decode_utf8(read_regular_file(str(path), most_bytes=_MOST_BYTES, called="dataset"))
    for line, each in enumerate(text.splitlines(), start=1):
        if not each.strip():
            continue
        try:
            row = json.loads(each)
            number, length = int(row["episode_index"]), int(row["length"])
        except (ValueError, TypeError, LookupError, RecursionError, OverflowError):
            message = "the line has no episode"
            raise ReadError(message, source=str(path), line=line) from None
        yield number, length, (number // dataset.chunks_size, number)


def list_episodes(folder: Path) -> tuple[Topic, ...]:
    """Returns the states and the actions of each episode as topics."""
    dataset = open_dataset(folder)
    episodes = _find_episodes(dataset)
    keys = [key for key in (STATE, ACTION) if key in dataset.features]
    return tuple(
        Topic(
            name=f"{number}/{key}",
            type=dataset.robot_type or "LeRobot",
            count=length,
            start=0,
            end=round(max(length - 1, 0) / dataset.fps * NANOSECONDS),
            motion="joints",
        )
        for number, length in zip(episodes.numbers, episodes.lengths, strict=True)
        for key in keys
    )


def read_episode(folder: Path, topic: str | None, diagnostics: Diagnostics) -> Recorded:
    """Returns an episode, by its number and a feature, as in "7" or "7/action"; without a wish the
    states of the first. Raises ReadError."""
    dataset = open_dataset(folder)
    episodes = _find_episodes(dataset)
    named = _TOPIC.fullmatch(topic if topic is not None else str(episodes.numbers[0]))
    if named is None:
        raise ReadError(f"an episode is called as in 7 or 7/action, not {quote(topic or '')}")
    number = int(named["episode"])
    if number not in episodes.numbers:
        first, last = min(episodes.numbers), max(episodes.numbers)
        raise ReadError(f"it has episodes {first} to {last}, not {number}")
    if topic is None and len(episodes.numbers) > 1:
        count = len(episodes.numbers)
        diagnostics.remark(
            "first-episode", f"it has {count} episodes; episode {number} is read: topic chooses"
        )
    key = named["key"] or (STATE if STATE in dataset.features else ACTION)
    names = _names_of(dataset, key)
    table, frames = _read_rows(dataset, key, number, episodes)
    source = str(folder)
    times = (frames - frames[0]) / dataset.fps
    if len(frames) > 1 and (np.diff(times) <= 0).any():
        times = np.arange(len(frames)) / dataset.fps
    if len(names) != table.shape[1]:
        # LeRobot lists motors from the base on; descriptions may list them the other way.
        unnamed = Unnamed(times=times, table=table, order="mujoco")
        return Recorded(unnamed=unnamed, is_dataset=True, source=source)
    table = np.where(np.isfinite(table), table, np.nan)
    topic = f"{number}/{key}"
    motion = Trajectory(names=names, times=times, positions=table, source=source, topic=topic)
    return Recorded(motion=motion, is_dataset=True, source=source)


def _names_of(dataset: Dataset, key: str) -> tuple[str, ...]:
    """Returns the names of a feature's numbers: a list, or lists in a list or a dict."""
    feature = dataset.features.get(key)
    if feature is None:
        known = ", ".join(map(quote, list(dataset.features)[:8]))
        raise ReadError(f"it has no feature {quote(key)}; there are {known}")
    if not str(feature.get("dtype", "")).startswith(("float", "int")):
        kind = quote_value(feature.get("dtype"))
        raise ReadError(f"the feature {quote(key)} has {kind}, not numbers")
    names = feature.get("names")
    parts = list(names.values()) if isinstance(names, dict) else names
    if isinstance(parts, list) and any(isinstance(each, list) for each in parts):
        names = [name for each in parts if isinstance(each, list) for name in each]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return ()
    return tuple(names) if len(set(names)) == len(names) else ()


def _read_rows(
    dataset: Dataset, key: str, number: int, episodes: _Episodes
) -> tuple[Numbers, Numbers]:
    """Returns the numbers of an episode's rows, and their frames."""
    chunk, index = episodes.files[episodes.numbers.index(number)]
    kind = "file-{:03d}" if dataset.is_third else "episode_{:06d}"
    path = dataset.folder / f"data/chunk-{chunk:03d}" / f"{kind.format(index)}.parquet"
    with open_parquet(str(path)) as file:
        rows = _flat(file, "episode_index") == number
        table = np.asarray(file.read(key).matrix(key))
        times = _flat(file, "timestamp") if "timestamp" in file.names else None
    if not rows.any():
        raise ReadError(f"it has no rows of episode {number}", source=str(path))
    table = table[rows].astype(np.float64)
    count = len(table)
    frames = np.arange(count, dtype=float) if times is None else times[rows].astype(np.float64)
    return table, frames if times is None else np.rint(frames * dataset.fps)


def _flat(file: ParquetFile, name: str) -> Any:
    column = file.read(name)
    if isinstance(column.values, list):
        raise ReadError(f"the column {quote(name)} has texts, not numbers")
    if column.counts is not None and (len(column.values) != file.rows):
        raise ReadError(f"the column {quote(name)} has several numbers in a row")
    return column.values


def read_flat(source: str, options: MotionOptions, diagnostics: Diagnostics) -> Gathered:
    """Returns a Parquet file as a table: a column of times, and a column for each joint. Columns
    of texts, and lists, are passed over. Raises ReadError."""
    with open_parquet(source) as file:
        columns = {name: file.read(name) for name in file.names if file.holds_numbers(name)}
        rows = file.rows
    if STATE in file.names:
        raise ReadError("this is a part of a LeRobot dataset: name its folder, or meta/info.json")
    heading = list(columns)
    if not heading or not rows:
        raise ReadError("it has no columns of numbers")
    units = {name: column.unit for name, column in columns.items()}
    first = [repr(columns[name].values[0].item()) for name in heading]
    times = find_times(heading, first, options.time_unit)
    kept = [name for at, name in enumerate(heading) if at not in times.columns]
    values = np.column_stack([columns[name].values.astype(np.float64) for name in kept])
    if times.at is None:
        if not options.rate:
            raise ReadError("no column is called time; the option rate says how many rows there "
                            "are per second")  # fmt: skip
        stamps = np.rint(np.arange(rows) / options.rate * NANOSECONDS).astype(np.int64)
    else:
        name = heading[times.at]
        stamps = scale_times(columns[name].values, units[name] or times.unit)
        if stamps is None:
            raise ReadError("its times are not all times")
    return add_columns(kept, stamps, values)
