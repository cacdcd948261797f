# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages as trees, from JSON and YAML, and back.

A tree has dicts for messages, lists for lists of messages, text for text, tuples for lists of
texts, and arrays for numbers: (m,) or (m, n) over m messages of one form. Times and durations are
whole nanoseconds (m,). Binary recordings make the same trees.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ....core.diagnostics import ReadError
from ....core.markup.yaml_events import Item, YamlReader
from ..trajectory import KINDS, NANOSECONDS, Numbers, Trajectory

Tree = Any
MOST_JSON_BYTES = 24 * 1024 * 1024
MOST_YAML_BYTES = 1024 * 1024
MOST_LEVELS = 32
POINT_ARRAYS = ("positions", "velocities", "accelerations", "effort")
TRACK_ARRAYS = ("times", "translations", "quaternions")
_FREE_EVENTS = 10_000
"""Values that aliases may make, beside some for each letter of the file."""


def read_json(text: str) -> list[Tree]:
    """Returns the messages of a JSON file: one, a list of them, or one in each line."""
    _check_bytes(text, MOST_JSON_BYTES, "JSON")
    try:
        written = [json.loads(text)]
    except RecursionError:
        raise ReadError("the file is nested too deeply") from None
    except ValueError as error:
        written = _read_lines(text, error)
    return _to_messages(written)


def _read_lines(text: str, error: ValueError) -> list[Any]:
    lines = [line for line in text.splitlines() if line.strip()]
    line = getattr(error, "lineno", 0)
    if len(lines) < 2 or not all(line.lstrip().startswith("{") for line in lines[:2]):
        problem = getattr(error, "msg", "a number has too many digits")
        raise ReadError(f"this is not JSON: {problem}", line=line) from None
    found = []
    for number, each in enumerate(text.splitlines(), start=1):
        try:
            if each.strip():
                found.append(json.loads(each))
        except (ValueError, RecursionError):
            raise ReadError("this is not JSON", line=number) from None
    return found


def read_yaml(text: str) -> list[Tree]:
    """Returns the messages of a YAML file, one for each document. Nothing but texts, numbers, lists
    and mappings is made of it, and an alias counts with all its content."""
    written = _read_flat(text)
    if written is not None:
        return _to_messages([written])
    _check_bytes(text, MOST_YAML_BYTES, "YAML")
    most = _FREE_EVENTS + 4 * len(text)
    documents = PlainYaml("the file", most_levels=MOST_LEVELS, most_values=most)
    return _to_messages(documents.read(text))


def _read_flat(text: str) -> dict[str, Any] | None:
    """Returns the content of a file by format_yaml: keys and points, each a line of JSON. A hundred
    times as fast as a parser of all of YAML. None for anything else."""
    if len(text) > MOST_JSON_BYTES or not text.startswith("header: {"):
        return None
    head, found, tail = text.partition("\npoints:\n")
    if not found:
        return None
    try:
        content = {}
        for line in head.split("\n"):
            key, _, value = line.partition(": ")
            content[key] = json.loads(value)
        lines = tail.rstrip("\n").split("\n")
        if not all(line.startswith("  - {") for line in lines):
            return None
        content["points"] = [json.loads(line[4:]) for line in lines]
    except (ValueError, RecursionError):
        return None
    return content


def _check_bytes(text: str, most: int, kind: str) -> None:
    if len(text) > most:
        size = f"{most // 2**20} MiB of {kind}"
        raise ReadError(f"the file is bigger than {size}; .npz and .mcap hold more")


class PlainYaml(YamlReader):
    """Makes plain values."""

    def make_scalar(self, event: Any) -> Any:
        return _scalar(event.value, event.implicit[0])

    def make_list(self, event: Any, items: list[Item]) -> list[Any]:
        return [value for value, _ in items]

    def make_mapping(self, event: Any, pairs: list[tuple[Item, Item]]) -> dict[str, Any]:
        return {
            "" if isinstance(key, dict | list) else str(key): value
            for (key, _), (value, _) in pairs
        }


def _scalar(text: str, is_plain: bool) -> Any:
    """Returns a number for text that reads as one; other text, also true and null, stays."""
    if not is_plain:
        return text
    named = {".nan": math.nan, ".inf": math.inf, "-.inf": -math.inf, "": None, "null": None}
    if text.lower() in named:
        return named[text.lower()]
    try:
        return int(text) if text.lstrip("+-").isdigit() and len(text) < 30 else float(text)
    except ValueError:
        return text


def to_tree(message: Mapping[str, Any]) -> Tree:
    """Returns the tree of one message, as JSON has it. Raises ReadError for too deep nesting."""
    return _convert(dict(message), 0)


def _to_messages(written: list[Any]) -> list[Tree]:
    messages: list[Any] = []
    for each in written:
        messages += each if isinstance(each, list) else [each]
    found = [_convert(each, 0) for each in messages if isinstance(each, dict)]
    if not found:
        raise ReadError("it holds no message")
    return found


def _convert(value: Any, level: int) -> Tree:
    """Returns the tree of one message."""
    if level > MOST_LEVELS:
        raise ReadError("the file is nested too deeply")
    if isinstance(value, dict):
        time = _read_time(value)
        if time is not None:
            return np.array([time])
        return {
            str(key): (_stack_points(each) if key == "points" else None)
            or _convert(each, level + 1)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return _convert_list(value, level)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    return np.array([_number(value)])


def _convert_list(value: list[Any], level: int) -> Tree:
    """NaN is null in JSON, as rosbridge writes it, too."""
    if any(isinstance(each, dict | list) for each in value):
        return [_convert(each, level + 1) for each in value]
    if any(isinstance(each, str) for each in value):
        return tuple(str(each) for each in value)
    return np.array([[_number(each) for each in value]], dtype=np.float64)


def _stack_points(value: Any) -> dict[str, Any] | None:
    """Returns the points of one trajectory as columns: (p, n) arrays, times (p,). None where they
    are not alike, and must be looked at one by one."""
    if not isinstance(value, list) or len(value) < 2 or not isinstance(value[0], dict):
        return None
    keys = value[0].keys()
    if "transforms" in keys or any(not isinstance(p, dict) or p.keys() != keys for p in value):
        return None
    try:
        columns: dict[str, Any] = {
            key: np.array([point[key] for point in value], dtype=np.float64)
            for key in keys & set(POINT_ARRAYS)
        }
    except (TypeError, ValueError, OverflowError):
        return None
    if any(array.ndim != 2 for array in columns.values()):
        return None
    columns["time_from_start"] = np.array([_seconds(p.get("time_from_start", 0)) for p in value])
    return columns


def _seconds(value: Any) -> int:
    """Returns nanoseconds of a duration, whole where it is written so."""
    time = _read_time(value) if isinstance(value, dict) else None
    if time is not None:
        return time
    seconds = _number(value) if isinstance(value, int | float) else 0.0
    return round(seconds * NANOSECONDS) if abs(seconds) < 4e9 else 0


def _number(value: Any) -> float:
    """Returns a double; NaN for nothing, for anything but a number, and for whole numbers beyond
    doubles."""
    try:
        return math.nan if value is None else float(value)
    except (OverflowError, TypeError, ValueError):
        return math.nan


_TIME_KEYS = (("sec", "nanosec"), ("secs", "nsecs"), ("sec", "nsec"), ("seconds", "nanos"))


def _read_time(value: Mapping[str, Any]) -> int | None:
    for seconds, rest in _TIME_KEYS:
        if seconds in value and value.keys() <= {seconds, rest}:
            whole, part = _number(value[seconds]), _number(value.get(rest, 0))
            if abs(whole) < 2**32 and abs(part) < 2**32:
                return round(whole) * NANOSECONDS + round(part)
    return None


def format_json(trajectory: Trajectory) -> str:
    """Returns a JointTrajectory as ROS writes it, which the exported Webots controller takes. Data
    for which ROS has no field (frames, interpolation, the recording's clock) is added beside it."""
    content = _to_plain(trajectory)
    points = content.pop("points")
    rest = json.dumps(content, allow_nan=False, ensure_ascii=False)[:-1]
    lines = ",\n    ".join(json.dumps(each, allow_nan=False) for each in points)
    return f'{rest}, "points": [\n    {lines}\n]}}\n' if points else f'{rest}, "points": []}}\n'


def format_yaml(trajectory: Trajectory) -> str:
    """Returns the same as YAML: a line for each point."""
    content = _to_plain(trajectory)
    points = content.pop("points")
    lines = [
        f"{key}: {json.dumps(value, allow_nan=False, ensure_ascii=True)}"
        for key, value in content.items()
    ]
    lines.append("points:" if points else "points: []")
    lines += [f"  - {json.dumps(each, allow_nan=False)}" for each in points]
    return "\n".join(lines) + "\n"


def _to_plain(trajectory: Trajectory) -> dict[str, Any]:
    clock = divmod(trajectory.start_time, NANOSECONDS)
    content: dict[str, Any] = {
        "header": {"stamp": dict(zip(("sec", "nanosec"), clock, strict=True)), "frame_id": ""},
        "interpolation": trajectory.interpolation,
        "joint_names": list(trajectory.names),
    }
    if trajectory.frames:
        content["frames"] = [
            {
                "parent": track.parent,
                "child": track.child,
                **{kind: getattr(track, kind).tolist() for kind in TRACK_ARRAYS},
            }
            for track in trajectory.frames
        ]
    arrays = {
        name: getattr(trajectory, kind) for name, kind in zip(POINT_ARRAYS, KINDS, strict=True)
    }
    lists = {name: _rows(array) for name, array in arrays.items() if array is not None}
    content["points"] = [
        {kind: each[row] for kind, each in lists.items()} | {"time_from_start": time}
        for row, time in enumerate(trajectory.times.tolist())
    ]
    return content


def _rows(array: Numbers) -> list[list[float | None]]:
    return [[None if math.isnan(each) else each for each in row] for row in array.tolist()]
