# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints as files: YAML, and tables in CSV.

    link: gun
    waypoints:
      - {name: home, positions: {joint1: 0.0, joint2: -0.3}}
      - {name: weld, move: linear, pose: [0.4, 0.1, 0.3, 1, 0, 0, 0], blend: 0.01}

A pose is x, y, z and a quaternion x, y, z, w. Tables have the same names as columns, x, y, z, qx,
qy, qz, qw for the pose, via_x, via_y, via_z, and joint:NAME for each taught joint; empty cells are
left out. A path of a link (time,x,y,z and perhaps a quaternion) is linear waypoints."""

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.diagnostics import Diagnostics, KinematicsError, ReadError, quote, unknown_name
from ...core.files.outputs import write_text
from ...core.files.packages import AnyPath
from ...core.files.regular import read_regular_file
from ...core.geometry.transforms import (
    make_frame,
    quaternion_from_rotation,
    rotation_from_quaternion,
)
from ...core.kinematics.link_path_file import HEADS, read_link_path
from ...core.markup.rows import read_rows
from ...core.markup.yaml_tree import YamlNode, parse_yaml
from .model import MOVES, Waypoint

MOST_BYTES = 1024 * 1024
MOST_WAYPOINTS = 10_000
SUFFIXES = (".yaml", ".yml", ".csv")
_CALLED = "the file of waypoints"
_TEXTS = ("name", "move", "frame", "program", "after", "link")
_NUMBERS = ("blend", "speed", "tool_speed", "pause", "swivel")
_PLACE = ("x", "y", "z", "qx", "qy", "qz", "qw")
_VIA = ("via_x", "via_y", "via_z")
_HEAD = ("name", "move", "frame", *_PLACE, *_VIA, *_NUMBERS, "program", "after", "link")
_JOINT = "joint:"
_EXACT = 1e-12


def read_waypoints(path: AnyPath) -> tuple[Waypoint, ...]:
    """Returns the waypoints of a file: YAML or CSV, by its suffix. A path of a link, as trace_path
    and write_link_path make it, is read as linear waypoints without blends. Raises ReadError, with
    the line, where it is another file."""
    path = os.fspath(path)
    if path.lower().endswith(".csv"):
        return _read_table(path)
    root = parse_yaml(
        read_regular_file(path), path, Diagnostics(path), called=_CALLED, most_bytes=MOST_BYTES
    )
    if root.pairs is None or "waypoints" not in root.pairs:
        raise ReadError(f"{_CALLED} has no waypoints", source=path, line=root.line)
    _refuse_unknown(root, ("link", "waypoints"), path)
    nodes = root.pairs["waypoints"].items
    if nodes is None:
        line = root.pairs["waypoints"].line
        raise ReadError("waypoints must be a list", source=path, line=line)
    if len(nodes) > MOST_WAYPOINTS:
        raise ReadError(f"{_CALLED} has more than {MOST_WAYPOINTS}", source=path)
    found = [_read_node(node, path) for node in nodes]
    link = _read_text(root.pairs["link"], "link", path) if "link" in root.pairs else ""
    return tuple(replace(each, link=each.link or link) for each in found)


def lacks_turns(path: AnyPath) -> bool:
    """Whether a file is a path of a link without quaternions. Raises ReadError where it cannot be
    read."""
    path = os.fspath(path)
    if not path.lower().endswith(".csv"):
        return False
    rows = read_rows(read_regular_file(path), path)
    return bool(rows) and ",".join(rows[0][1]) == HEADS[0]


def write_waypoints(waypoints: Iterable[Waypoint], path: AnyPath, *, link: str = "") -> Path:
    """Writes waypoints as YAML or CSV, by the suffix, whole or not at all. Returns the path.
    `link` is the tool of waypoints that name none. Reading gives equal waypoints, poses to 1e-15.
    Raises WriteError, ArgumentError for other suffixes."""
    points = tuple(replace(each, link=each.link or link) for each in waypoints)
    name = os.fspath(path).lower()
    if not name.endswith(SUFFIXES):
        raise KinematicsError(f"waypoints are written as {' or '.join(SUFFIXES)}")
    text = _write_table(points) if name.endswith(".csv") else _write_yaml(points)
    write_text(path, text)
    return Path(path)


def _write_yaml(points: Sequence[Waypoint]) -> str:
    links = {each.link for each in points}
    link = next(iter(links)) if len(links) == 1 else ""
    lines = [f"link: {json.dumps(link, ensure_ascii=False)}"] if link else []
    lines.append("waypoints:" if points else "waypoints: []")
    for point in points:
        said = _describe(point)
        if link:
            said.pop("link", None)
        lines.append(
            "  - {" + ", ".join(f"{key}: {_show(each)}" for key, each in said.items()) + "}"
        )
    return "\n".join(lines) + "\n"


def _describe(point: Waypoint) -> dict[str, Any]:
    """Returns the fields that are not as they are by default."""
    usual = Waypoint(positions={"-": 0.0})
    said: dict[str, Any] = {
        key: getattr(point, key)
        for key in (*_TEXTS, *_NUMBERS)
        if getattr(point, key) != getattr(usual, key)
    }
    if point.pose is not None:
        said["pose"] = _numbers_of(np.asarray(point.pose))
    if point.via is not None:
        said["via"] = np.asarray(point.via).tolist()
    if point.positions:
        said["positions"] = dict(point.positions)
    return said


def _numbers_of(pose: Any) -> list[float]:
    return [*pose[:3, 3].tolist(), *quaternion_from_rotation(pose[:3, :3])]


def _show(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(k, ensure_ascii=False)}: {_show(v)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_show, value)) + "]"
    text = repr(float(value))
    # YAML 1.2 takes 1e-05 for a number, older readers want the point.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _refuse_unknown(node: YamlNode, known: Sequence[str], path: str) -> None:
    for key, value in (node.pairs or {}).items():
        if key not in known:
            error = unknown_name("a waypoint has no", key, known)
            raise ReadError(str(error), source=path, line=value.line)


def _read_node(node: YamlNode, path: str) -> Waypoint:
    if node.pairs is None:
        raise ReadError("a waypoint must be a mapping", source=path, line=node.line)
    _refuse_unknown(node, (*_TEXTS, *_NUMBERS, "pose", "via", "positions"), path)
    said: dict[str, Any] = {}
    for key, value in node.pairs.items():
        if key in _TEXTS:
            said[key] = _read_text(value, key, path)
        elif key in _NUMBERS:
            said[key] = _read_number(value, key, path)
        elif key == "positions":
            if value.pairs is None:
                raise ReadError("positions must be a mapping", source=path, line=value.line)
            said[key] = {
                name: _read_number(each, f"the position of {quote(name)}", path)
                for name, each in (value.pairs or {}).items()
            }
        else:
            said[key] = [
                _read_number(each, f"a number of {key}", path) for each in value.items or ()
            ]
    return _make(said, path, node.line)


def _read_text(node: YamlNode, key: str, path: str) -> str:
    if not isinstance(node.text, str) or not node.is_scalar:
        raise ReadError(f"{key} must be a text", source=path, line=node.line)
    return node.text


def _read_number(node: YamlNode, key: str, path: str) -> float:
    number = node.number()
    if number is None or not math.isfinite(number):
        raise ReadError(f"{key} must be a number", source=path, line=node.line)
    return number


def _make(said: dict[str, Any], path: str, line: int) -> Waypoint:
    """Makes a waypoint of read fields."""
    pose = said.pop("pose", None)
    if pose is not None:
        if len(pose) != len(_PLACE):
            said_ = "a pose has seven numbers: x, y, z and a quaternion x, y, z, w"
            raise ReadError(said_, source=path, line=line)
        length = math.hypot(*pose[3:])
        if not 1e-6 < length < 1e6:
            raise ReadError("the quaternion of a pose has no direction", source=path, line=line)
        turn = np.array(pose[3:])
        if abs(length - 1.0) > _EXACT:
            turn = turn / length
        said["pose"] = make_frame(rotation_from_quaternion(turn.tolist()), pose[:3])
    move = said.get("move", "joint")
    if move not in MOVES:
        error = unknown_name("there is no move", str(move), MOVES)
        raise ReadError(str(error), source=path, line=line)
    try:
        return Waypoint(**said)
    except KinematicsError as error:
        raise ReadError(str(error), source=path, line=line) from None


def _write_table(points: Sequence[Waypoint]) -> str:
    joints = list(dict.fromkeys(name for each in points for name in each.positions or ()))
    lines = [[*_HEAD, *(_JOINT + name for name in joints)]]
    for point in points:
        said = _describe(point)
        pose, via = said.pop("pose", [""] * 7), said.pop("via", [""] * 3)
        cells = dict(zip((*_PLACE, *_VIA), (*pose, *via), strict=True)) | said
        positions = point.positions or {}
        row = [cells.get(key, "") for key in _HEAD] + [positions.get(name, "") for name in joints]
        lines.append([each if isinstance(each, str) else repr(float(each)) for each in row])
    return "\n".join(",".join(map(_cell, row)) for row in lines) + "\n"


def _cell(text: str) -> str:
    if any(letter in text for letter in ',"\n\r') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


def _read_table(path: str) -> tuple[Waypoint, ...]:
    data = read_regular_file(path)
    if len(data) > MOST_BYTES:
        raise ReadError(f"{_CALLED} is bigger than 1 MB", source=path)
    rows = read_rows(data, path)
    if not rows:
        raise ReadError(f"{_CALLED} is empty", source=path, line=1)
    (line, head), *rest = rows
    if ",".join(head) in HEADS:
        return _read_path(path)
    for name in head:
        if name not in _HEAD and not (name.startswith(_JOINT) and len(name) > len(_JOINT)):
            error = unknown_name("a table of waypoints has no column", name, _HEAD)
            raise ReadError(str(error), source=path, line=line)
    if len(set(head)) < len(head):
        raise ReadError("a column is there twice", source=path, line=line)
    if len(rest) > MOST_WAYPOINTS:
        raise ReadError(f"{_CALLED} has more than {MOST_WAYPOINTS}", source=path)
    return tuple(_read_row(head, cells, path, at) for at, cells in rest)


def _read_row(head: Sequence[str], cells: Sequence[str], path: str, line: int) -> Waypoint:
    if len(cells) != len(head):
        raise ReadError(f"a row of this table has {len(head)} cells", source=path, line=line)
    given = {key: cell for key, cell in zip(head, cells, strict=True) if cell}
    said: dict[str, Any] = {key: given.pop(key) for key in _TEXTS if key in given}
    numbers = {}
    for key, cell in given.items():
        try:
            numbers[key] = float(cell)
        except ValueError:
            numbers[key] = math.nan
        if not math.isfinite(numbers[key]):
            raise ReadError(f"{quote(cell)} is not a number", source=path, line=line)
    said |= {key: numbers[key] for key in _NUMBERS if key in numbers}
    for key, names in (("pose", _PLACE), ("via", _VIA)):
        own = [numbers[name] for name in names if name in numbers]
        if own and len(own) < len(names):
            raise ReadError(f"the {key} lacks a number", source=path, line=line)
        said |= {key: own} if own else {}
    said["positions"] = {
        key.removeprefix(_JOINT): at for key, at in numbers.items() if key.startswith(_JOINT)
    }
    return _make(said, path, line)


def _read_path(path: str) -> tuple[Waypoint, ...]:
    """Reads the places of a path of a link, as fast as its times say where limits allow; rows of
    one place are a rest there. Without quaternions the tool is not turned."""
    rows = read_link_path(path)
    if len(rows) > MOST_WAYPOINTS:
        raise ReadError(f"{_CALLED} has more than {MOST_WAYPOINTS}", source=path)
    points: list[Waypoint] = []
    for number, row in enumerate(rows):
        before = rows[max(number - 1, 0)]
        if number and row[1:] == before[1:]:
            rest = points[-1].pause + row[0] - before[0]
            points[-1] = replace(points[-1], pause=rest)
            continue
        away = math.dist(row[1:4], before[1:4])
        said: dict[str, Any] = {
            "pose": [*row[1:4], *(row[4:] or (0.0, 0.0, 0.0, 1.0))],
            "move": "linear",
        }
        if away:
            said["tool_speed"] = away / (row[0] - before[0])
        points.append(_make(said, path, number + 2))
    return tuple(points)
