# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of measures for reshape.resize, in YAML, JSON or CSV.

    origins: {torso_lift_joint: [0, 83.2, 0]}
    lengths: {l_elbow_flex_joint: 17.6}
    factors: {head_link: 1.2}
    scale: 1
    symmetric: true
    convention: {axes: zxy, unit: 0.01}

With a convention the numbers of origins and lengths are in other axes and another unit: `axes`
names, for each of the robot's x, y and z, which of the others it is, `unit` is in metres.

CSV has rows below a head, joint,x,y,z for origins or joint,length for lengths, in the robot's axes
and in metres.
"""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ..diagnostics import ReadError, quote
from ..files.regular import read_regular_file
from ..model import Vector3

MOST_BYTES = 4 * 1024 * 1024
_KEYS = ("origins", "lengths", "factors", "scale", "symmetric", "convention")
_AXES = re.compile(r"(?:[-+]?[xyz]){3}").fullmatch
_AXIS = re.compile(r"([-+]?)([xyz])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What a table says, in the robot's axes and in metres: the arguments of reshape.resize."""

    origins: Mapping[str, Vector3] = field(default_factory=dict)
    lengths: Mapping[str, float] = field(default_factory=dict)
    factors: Mapping[str, float | Vector3] = field(default_factory=dict)
    scale: float = 1.0
    symmetric: bool = False


def read_measures(path: str) -> Measures:
    """Reads a table. Raises ReadError where it is not one."""
    return read_measures_text(read_regular_file(path), path)


def read_measures_text(data: bytes, path: str) -> Measures:
    """Reads a table from its text; `path` is for messages. Raises ReadError where it is not one."""
    if len(data) > MOST_BYTES:
        raise ReadError("the table is bigger than 4 MB", source=path)
    head = data.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    is_csv = head.replace(b" ", b"").strip().startswith(b"joint,")
    return _Table(_load_csv(data, path) if is_csv else _load(data, path), path).measures()


def _load_csv(data: bytes, path: str) -> dict[str, Any]:
    try:
        text = data.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True))
    except (UnicodeDecodeError, csv.Error) as problem:
        raise ReadError(f"the table cannot be read: {problem}", source=path) from None
    group, width, loaded = "", 0, {}
    for line, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if not group:
            if cells not in (["joint", "x", "y", "z"], ["joint", "length"]):
                raise ReadError(
                    "a table begins with joint,x,y,z or joint,length", source=path, line=line
                )
            group, width = ("origins", 3) if len(cells) == 4 else ("lengths", 1)
            continue
        numbers = [_read_cell(cell, path, line) for cell in cells[1:]]
        if len(numbers) != width:
            raise ReadError(f"a row needs a joint and {width} numbers", source=path, line=line)
        if cells[0] in loaded:
            raise ReadError(f"joint {quote(cells[0])} stands there twice", source=path, line=line)
        loaded[cells[0]] = numbers if group == "origins" else numbers[0]
    return {group: loaded}


def _read_cell(cell: str, path: str, line: int) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ReadError(f"{quote(cell)} is not a number", source=path, line=line) from None


def _load(data: bytes, path: str) -> dict[str, Any]:
    """YAML, of which JSON is a part; nothing in it is run."""
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError
    except ImportError:
        raise ReadError(
            "a table of measures needs the Python package ruamel.yaml, which is not installed",
            source=path,
        ) from None
    try:
        loaded = YAML(typ="safe", pure=True).load(data.decode("utf-8-sig"))
    except (YAMLError, ValueError, RecursionError) as problem:
        first = str(problem).partition("\n")[0]
        raise ReadError(f"the table cannot be read: {first}", source=path) from None
    if not isinstance(loaded, dict):
        raise ReadError(f"a table needs keys, such as {', '.join(_KEYS)}", source=path)
    return loaded


class _Table:
    def __init__(self, loaded: dict[str, Any], path: str) -> None:
        self._path = path
        for key in loaded:
            if key not in _KEYS:
                raise self._refusal(f"{quote(str(key))} is not one of {', '.join(_KEYS)}")
        self._loaded = loaded
        convention = self._group("convention")
        self._axes = self._read_axes(str(convention.get("axes", "xyz")))
        unit = self._number(convention.get("unit", 1.0), "unit")
        if not 0.0 < unit < 1e9:
            raise self._refusal(f"the unit {unit} is not a length in metres")
        self._unit = Decimal(repr(unit))

    def measures(self) -> Measures:
        """Returns what the table says."""
        origins = {}
        for name, value in self._group("origins").items():
            origins[name] = self._origin(value, name)
        lengths = self._group("lengths").items()
        return Measures(
            origins=origins,
            lengths={name: self._metres(self._number(value, name)) for name, value in lengths},
            factors={
                name: self._factor(value, name) for name, value in self._group("factors").items()
            },
            scale=self._number(self._loaded.get("scale", 1.0), "scale"),
            symmetric=bool(self._loaded.get("symmetric", False)),
        )

    def _group(self, key: str) -> dict[str, Any]:
        group = self._loaded.get(key) or {}
        if not isinstance(group, dict):
            raise self._refusal(f"{key} needs names with their values")
        return {str(name): value for name, value in group.items()}

    def _number(self, value: Any, name: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._refusal(f"{quote(str(value))} of {quote(name)} is not a number")
        return float(value)

    def _vector(self, value: Any, name: str) -> Vector3:
        if not isinstance(value, list) or len(value) != 3:
            raise self._refusal(f"{quote(name)} needs three numbers")
        x, y, z = (self._number(each, name) for each in value)
        return x, y, z

    def _origin(self, value: Any, name: str) -> Vector3:
        others = self._vector(value, name)
        x, y, z = (self._metres(sign * others[place]) + 0.0 for sign, place in self._axes)
        return x, y, z

    def _factor(self, value: Any, name: str) -> float | Vector3:
        return self._vector(value, name) if isinstance(value, list) else self._number(value, name)

    def _metres(self, number: float) -> float:
        """In decimals, as people write them: 83.2 cm are 0.832 m, and not a little more."""
        return float(Decimal(repr(number)) * self._unit)

    def _read_axes(self, axes: str) -> list[tuple[float, int]]:
        """For each of the robot's axes the sign and the place of the other's."""
        found = _AXIS.findall(axes) if _AXES(axes) else []
        places = ["xyz".index(letter) for _, letter in found]
        if sorted(places) != [0, 1, 2]:
            raise self._refusal(f"axes are named like zxy or -yxz, not {quote(axes)}")
        signs = [-1.0 if sign == "-" else 1.0 for sign, _ in found]
        return list(zip(signs, places, strict=True))

    def _refusal(self, message: str) -> ReadError:
        return ReadError(message, source=self._path)
