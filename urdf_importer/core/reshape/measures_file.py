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

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ..diagnostics import Diagnostics, ReadError, quote
from ..files.regular import read_regular_file
from ..markup.rows import MOST_BYTES, read_rows
from ..markup.yaml_tree import YamlNode, parse_yaml
from ..model import Vector3

_MOST_YAML = 2 * 1024 * 1024
"""YAML takes ten times as long to read as the other two."""
_KEYS = ("origins", "lengths", "factors", "scale", "symmetric", "convention")
_AXES = re.compile(r"(?:[-+]?[xyz]){3}").fullmatch
_AXIS = re.compile(r"([-+]?)([xyz])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """A table's content, in the robot's axes and in metres: arguments of reshape.resize."""

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
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.partition(b"\n")[0].replace(b" ", b"").startswith(b"joint,"):
        loaded = _load_csv(data, path)
    else:
        loaded = (_load_json(data, path) if start[:1] == b"{" else None) or _load_yaml(data, path)
    return _Table(loaded, path).measures()


def _load_csv(data: bytes, path: str) -> YamlNode:
    pairs: dict[str, YamlNode] = {}
    group, width = "", 0
    for line, cells in read_rows(data, path):
        if not group:
            if cells not in (["joint", "x", "y", "z"], ["joint", "length"]):
                raise ReadError(
                    "a table begins with joint,x,y,z or joint,length", source=path, line=line
                )
            group, width = ("origins", 3) if len(cells) == 4 else ("lengths", 1)
            continue
        name, *numbers = cells
        if len(numbers) != width:
            raise ReadError(f"a row needs a joint and {width} numbers", source=path, line=line)
        if name in pairs:
            raise ReadError(f"{quote(name)} is defined twice", source=path, line=line)
        items = [YamlNode(line=line, text=number) for number in numbers]
        pairs[name] = items[0] if width == 1 else YamlNode(line=line, items=items)
    return YamlNode(line=0, pairs={group: YamlNode(line=0, pairs=pairs)})


def _load_json(data: bytes, path: str) -> YamlNode | None:
    """None where it is not JSON: it may be YAML all the same. Its lines are not known."""

    def make_mapping(pairs: list[tuple[str, Any]]) -> YamlNode:
        found: dict[str, YamlNode] = {}
        for name, value in pairs:
            if found.setdefault(name, node := _as_node(value)) is not node:
                raise ReadError(f"{quote(name)} is defined twice", source=path)
        return YamlNode(line=0, pairs=found)

    try:
        loaded = json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=make_mapping,
            parse_int=str,
            parse_float=str,
            parse_constant=str,
        )
        return _as_node(loaded)
    except ValueError:
        return None
    except RecursionError:
        raise ReadError("the table cannot be read: it is nested too deeply", source=path) from None


def _as_node(value: Any) -> YamlNode:
    if isinstance(value, YamlNode):
        return value
    if isinstance(value, list):
        return YamlNode(line=0, items=[_as_node(each) for each in value])
    words = {None: "", True: "true", False: "false"}
    return YamlNode(line=0, text=value if isinstance(value, str) else words[value])


def _load_yaml(data: bytes, path: str) -> YamlNode:
    diagnostics = Diagnostics(path)
    root = parse_yaml(data, path, diagnostics, called="the table", most_bytes=_MOST_YAML)
    for repeated in diagnostics:
        raise ReadError(
            f"{quote(repeated.subject)} is defined twice", source=path, line=repeated.line
        )
    return root


class _Table:
    def __init__(self, loaded: YamlNode, path: str) -> None:
        self._path = path
        self._loaded = loaded.pairs or {}
        if not self._loaded:
            raise self._refusal(f"a table needs keys, such as {', '.join(_KEYS)}", loaded)
        for key, node in self._loaded.items():
            if key not in _KEYS:
                raise self._refusal(f"{quote(key)} is not one of {', '.join(_KEYS)}", node)
        convention = self._group("convention")
        self._axes = self._read_axes(convention.get("axes"))
        unit = self._number(convention.get("unit"), "unit")
        if not 1e-9 < unit < 1e9:
            raise self._refusal(f"the unit {unit} is not a length in metres", convention["unit"])
        self._unit = Decimal(repr(unit))

    def measures(self) -> Measures:
        """Returns the content of the table."""
        origins = {name: self._origin(node, name) for name, node in self._group("origins").items()}
        lengths = self._group("lengths").items()
        factors = self._group("factors").items()
        return Measures(
            origins=origins,
            lengths={name: self._metres(self._number(node, name)) for name, node in lengths},
            factors={name: self._factor(node, name) for name, node in factors},
            scale=self._number(self._loaded.get("scale"), "scale"),
            symmetric=self._flag("symmetric"),
        )

    def _group(self, key: str) -> dict[str, YamlNode]:
        node = self._loaded.get(key)
        if node is None or node.is_null:
            return {}
        if node.pairs is None:
            raise self._refusal(f"{key} needs names with their values", node)
        return node.pairs

    def _flag(self, key: str) -> bool:
        node = self._loaded.get(key)
        if node is None or node.is_null:
            return False
        found = node.flag()
        if found is None:
            raise self._refusal(f"{key} is true or false, not {_shown(node)}", node)
        return found

    def _number(self, node: YamlNode | None, name: str) -> float:
        """One where there is none."""
        if node is None:
            return 1.0
        found = node.number()
        if found is None:
            raise self._refusal(f"{_shown(node)} of {quote(name)} is not a number", node)
        return found

    def _vector(self, items: Sequence[YamlNode], name: str, node: YamlNode) -> Vector3:
        if len(items) != 3:
            raise self._refusal(f"{quote(name)} needs three numbers", node)
        x, y, z = (self._number(each, name) for each in items)
        return x, y, z

    def _origin(self, node: YamlNode, name: str) -> Vector3:
        others = self._vector(node.items or [], name, node)
        x, y, z = (self._metres(sign * others[place]) + 0.0 for sign, place in self._axes)
        return x, y, z

    def _factor(self, node: YamlNode, name: str) -> float | Vector3:
        if node.items is not None:
            return self._vector(node.items, name, node)
        return self._number(node, name)

    def _metres(self, number: float) -> float:
        """In decimals, as people write them: 83.2 cm are 0.832 m, and not a little more."""
        return float(Decimal(repr(number)) * self._unit)

    def _read_axes(self, node: YamlNode | None) -> list[tuple[float, int]]:
        """For each of the robot's axes the sign and the place of the other's."""
        axes = "xyz" if node is None else node.text
        found = _AXIS.findall(axes) if _AXES(axes) else []
        places = ["xyz".index(letter) for _, letter in found]
        if node is not None and sorted(places) != [0, 1, 2]:
            raise self._refusal(f"axes are named like zxy or -yxz, not {_shown(node)}", node)
        signs = [-1.0 if sign == "-" else 1.0 for sign, _ in found]
        return list(zip(signs, places, strict=True))

    def _refusal(self, message: str, node: YamlNode) -> ReadError:
        return ReadError(message, source=self._path, line=node.line)


def _shown(node: YamlNode) -> str:
    if node.is_scalar:
        return quote(node.text)
    return "a list" if node.pairs is None else "a table"
