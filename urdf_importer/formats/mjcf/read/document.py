# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a model: XML with its includes in their places, default classes, the compiler's
settings, numbers and frames.

An element that is included knows its file. Each file is included once, as MuJoCo has it, so that no
includes can make gigabytes of a line.
"""

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ....core.diagnostics import Diagnostics, MeshError, ReadError, quote
from ....core.files.packages import PackageResolver
from ....core.files.regular import read_regular_file
from ....core.geometry.transforms import (
    Matrix,
    make_frame,
    rotation_from_quaternion,
    rotations_about,
    turn_z_onto,
    unit,
)
from ....core.markup.encoding import decode_text
from ....core.markup.lenient import read_leniently
from ....core.markup.xml import Element, parse_xml, verbatim
from ....core.model import Extra, Vector3

ROOT = "mujoco"
ROOTS = (ROOT, "mujocoinclude")
_MOST_FILES = 200
_MOST_CHARACTERS = 1024
_LARGEST = 1e15
_MOST_DEFAULTS = 10_000
_MOST_KINDS = 100
_PLACING = ("quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto")
_FILLED = ("size", "friction")
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(slots=True, eq=False)
class MjcfElement:
    """An element. `attributes` include its default class's, once it has been resolved."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    source: str
    children: list["MjcfElement"] = field(default_factory=list)
    xml: str = ""

    def text(self, name: str, default: str = "") -> str:
        """Returns an attribute without outer blanks. Raises ReadError for absurd length."""
        written = self.attributes.get(name, default).strip()
        if len(written) > _MOST_CHARACTERS and name in ("name", "class", "childclass"):
            raise self.refuse(f"a name in <{self.tag}> has {len(written)} characters")
        return written

    def numbers(self, name: str) -> tuple[float, ...]:
        """Returns the numbers of an attribute, none where it is not there. Raises ReadError for
        text that is not a number, or larger than any robot."""
        written = self.attributes.get(name, "")
        try:
            numbers = tuple(float(word) for word in written.split())
        except ValueError:
            numbers = (math.nan,)
        if not all(abs(number) <= _LARGEST for number in numbers):
            raise self.refuse(f"{name} of <{self.tag}> is {quote(written[:80])}, not numbers")
        return numbers

    def vector(self, name: str, size: int) -> tuple[float, ...] | None:
        """Returns `size` numbers; None where the attribute is not there. Raises ReadError for
        fewer."""
        numbers = self.numbers(name)
        if numbers and len(numbers) < size:
            raise self.refuse(f"{name} of <{self.tag}> needs {size} numbers")
        return numbers[:size] or None

    def triple(self, name: str, default: Vector3 = (0.0, 0.0, 0.0)) -> Vector3:
        """Returns three numbers. Raises ReadError as vector does."""
        x, y, z = self.vector(name, 3) or default
        return (x, y, z)

    def number(self, name: str, default: float = 0.0) -> float:
        """Returns the first number of an attribute. Raises ReadError as numbers does."""
        numbers = self.numbers(name)
        return numbers[0] if numbers else default

    def flag(self, name: str, default: bool = False) -> bool:
        word = self.text(name).lower()
        return word == "true" if word in ("true", "false") else default

    def refuse(self, message: str) -> ReadError:
        """Returns the exception to raise where there is no robot."""
        return ReadError(message, source=self.source, line=self.line)

    def report(self, code: str, message: str, subject: str, add: Callable[..., None]) -> None:
        """Adds a diagnostic about the element by `add`, the warning or error of a collector."""
        add(code, message, subject=subject, line=self.line, source=self.source)

    def all(self, tag: str) -> Iterator["MjcfElement"]:
        """Yields the children of a tag."""
        return (child for child in self.children if child.tag == tag)

    def called(self, prefix: str, suffix: str) -> "MjcfElement":
        """Returns the element with a longer name; the same where it has none."""
        name = self.text("name")
        if not name or not (prefix or suffix):
            return self
        return replace(self, attributes={**self.attributes, "name": f"{prefix}{name}{suffix}"})

    def extra(self) -> Extra:
        """Returns the element word for word."""
        return Extra(tag=self.tag, xml=self.xml, line=self.line)


class Files:
    """Reads the files of one model, found as meshes are."""

    def __init__(self, resolver: PackageResolver, source: str, diagnostics: Diagnostics) -> None:
        self._resolver = resolver
        self._diagnostics = diagnostics
        self._home = Path(source).parent
        self._included: set[Path] = set()

    def read(self, data: bytes, source: str) -> MjcfElement:
        """Returns the root, with the children of included files in their places. Raises
        ReadError."""
        root = parse(data, source, self._diagnostics)
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if any(child.tag == "include" for child in node.children):
                node.children = [new for child in node.children for new in self._expand(child)]
            waiting += node.children
        return root

    def _expand(self, node: MjcfElement) -> list[MjcfElement]:
        if node.tag != "include":
            return [node]
        found: list[MjcfElement] = []
        stack = [node]
        while stack:
            each = stack.pop()
            if each.tag != "include":
                found.append(each)
            else:
                stack += reversed(self._include(each))
        return found

    def _include(self, node: MjcfElement) -> list[MjcfElement]:
        name = node.text("file")
        path = self.find(node)
        if path in self._included:
            raise node.refuse(f"{quote(name)} is included a second time, which MuJoCo refuses")
        self._included.add(path)
        if len(self._included) > _MOST_FILES:
            raise node.refuse(f"more than {_MOST_FILES} files are included")
        text = read_regular_file(str(path))
        return parse(text, str(path), self._diagnostics).children

    def find(self, node: MjcfElement) -> Path:
        """Finds the file that an element names, from the model's folder. A name in other letters is
        reported. Raises ReadError, also where the only file with that name lies elsewhere: it may
        be of another robot."""
        name, odd = node.text("file"), list[tuple[str, str]]()
        try:
            path = self._resolver.resolve_file(
                name, lambda code, note: odd.append((code, note)), kind="file", base=self._home
            )
        except MeshError as problem:
            raise node.refuse(f"<{node.tag}>: {problem.message}") from None
        for code, note in odd:
            if code != "wrong-case":
                raise node.refuse(
                    f"<{node.tag}>: there is no file {quote(name)}; one of that name "
                    f"is {quote(str(path))}"
                )
            node.report(code, note, name, self._diagnostics.warning)
        return path


class _Tree:
    """Keeps the root and its children."""

    def __init__(self, data: bytes, source: str) -> None:
        self._data = data
        self._source = source
        self.root = MjcfElement(ROOT, {}, 0, source)

    def read_root(self, element: Element) -> None:
        self.root = MjcfElement(element.tag, element.attributes, element.line, self._source)

    def read_child(self, element: Element) -> None:
        made = self._make(element)
        self.root.children.append(made)
        waiting = [(element, made)]
        while waiting:
            old, new = waiting.pop()
            new.children = [self._make(child) for child in old]
            waiting += zip(old, new.children, strict=True)

    def _make(self, element: Element) -> MjcfElement:
        xml = verbatim(element, self._data) if element.tag in _KEPT else ""
        return MjcfElement(element.tag, element.attributes, element.line, self._source, xml=xml)


_KEPT = frozenset(
    (
        *("actuator", "sensor", "tendon", "contact", "keyframe", "custom", "option", "size"),
        *("visual", "statistic", "extension", "deformable", "camera", "light", "site", "plugin"),
    )
)
"""Elements that are kept word for word."""


def parse(data: bytes, source: str, diagnostics: Diagnostics) -> MjcfElement:
    """Returns the root of a model's text, without its includes. Raises ReadError."""

    def read(text: bytes) -> MjcfElement:
        tree = _Tree(text, source)
        parse_xml(text, source, tree, frozenset(ROOTS))
        return tree.root

    root, findings = read_leniently(decode_text(data, source).data, read)
    for code, message, line in findings:
        diagnostics.warning(code, message, line=line, source=source)
    return root


class Defaults:
    """Default classes: class -> tag -> attributes, including the attributes of the classes around
    it.

    A class shares unchanged attributes with the class around it.
    """

    def __init__(self, root: MjcfElement) -> None:
        self._classes: dict[str, dict[str, dict[str, str]]] = {"main": {}}
        count = 0
        waiting = [(node, "main", True) for node in root.all("default")]
        while waiting:
            node, above, outermost = waiting.pop()
            count += len(node.children)
            if count > _MOST_DEFAULTS:
                raise node.refuse(f"default classes hold more than {_MOST_DEFAULTS} elements")
            name = node.text("class") or above
            if outermost:
                name = above
                main = node.text("class")
                if main:
                    self._classes.setdefault(main, self._classes["main"])
            own = [child for child in node.children if child.tag != "default"]
            if not outermost:
                inherited = self._classes[above]
                self._classes[name] = dict(inherited) if own else inherited
            for child in own:
                _define(self._classes[name], child)
            waiting += [(child, name, False) for child in node.all("default")]

    def resolve(self, node: MjcfElement, childclass: str = "") -> MjcfElement:
        """Returns an element with the attributes of its class, else of the class that bodies around
        it give. Raises ReadError for a class that is not there."""
        name = node.text("class") or childclass or "main"
        if name not in self._classes:
            raise node.refuse(f"<{node.tag}> has the class {quote(name)}, which is not defined")
        inherited = self._classes[name].get(node.tag)
        return replace(node, attributes=_Layers(node.attributes, inherited)) if inherited else node


def _define(kinds: dict[str, dict[str, str]], node: MjcfElement) -> None:
    """Adds to a class its attributes for one kind of element. Raises ReadError for more kinds or
    attributes than MuJoCo has, which every class and element would repeat."""
    merged = dict(_Layers(node.attributes, kinds.get(node.tag, {})))
    kinds[node.tag] = merged
    if len(kinds) > _MOST_KINDS or len(merged) > _MOST_KINDS:
        raise node.refuse(
            f"a default class sets more than {_MOST_KINDS} kinds of elements, or of attributes"
        )


class _Layers(Mapping[str, str]):
    """Own attributes over a class's, without a copy of either. Own ones count; of a turn in several
    spellings the own one, and of a size that is written in part the rest is inherited."""

    __slots__ = ("_hides", "_inherited", "_own")

    def __init__(self, own: Mapping[str, str], inherited: Mapping[str, str]) -> None:
        self._own = own
        self._inherited = inherited
        self._hides: tuple[str, ...] = _PLACING if any(name in own for name in _PLACING) else ()

    def __getitem__(self, name: str) -> str:
        if name in self._own:
            own = self._own[name]
            if name not in _FILLED or name not in self._inherited:
                return own
            words, before = own.split(), self._inherited[name].split()
            return " ".join([*words, *before[len(words) :]])
        if name in self._hides:
            raise KeyError(name)
        return self._inherited[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        for name in self._inherited:
            if name not in self._own and name not in self._hides:
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Compiler:
    """The settings of <compiler>; the last ones count. `folder` is the model's folder, as seen by
    the file being read."""

    def __init__(self, root: MjcfElement, folder: str = "") -> None:
        merged: dict[str, str] = {}
        line, source = 0, root.source
        for node in root.all("compiler"):
            merged |= node.attributes
            line, source = node.line, node.source
        self.node = node = MjcfElement("compiler", merged, line, source)
        self.degrees = node.text("angle", "degree") != "radian"
        self.autolimits = node.flag("autolimits", True)
        self.eulerseq = node.text("eulerseq", "xyz")
        if len(self.eulerseq) != 3 or set(self.eulerseq.lower()) - set("xyz"):
            raise node.refuse(f"eulerseq is {quote(self.eulerseq)}, not three of x, y and z")
        if node.text("coordinate") == "global":
            raise node.refuse("global coordinates, which MuJoCo itself gave up, are not read")
        assets = node.text("assetdir")
        self.meshdir = node.text("meshdir", assets)
        self.texturedir = node.text("texturedir", assets)
        self.strips_path = node.flag("strippath")
        self.fits_bounds = node.flag("fitaabb")
        self._folder = folder

    def angle(self, number: float) -> float:
        """Returns an angle of the file in radians."""
        return math.radians(number) if self.degrees else number

    def limits(self, node: MjcfElement, what: str = "") -> tuple[float, float] | None:
        """Returns a range of an element; None where it does not count, by its own flag or by the
        compiler's rule. Raises ReadError for text that is not a number."""
        low, high = node.vector(f"{what}range", 2) or (0.0, 0.0)
        word = node.text(f"{what}limited", "auto")
        counts = word == "true" or (word == "auto" and self.autolimits and low < high)
        return (low, high) if counts else None

    def place_file(self, name: str, folder: str) -> str:
        """Returns the path of a file as the model's own folder sees it."""
        plain = name.replace("\\", "/")
        if self.strips_path:
            plain = plain.rpartition("/")[2]
        return os.path.join(self._folder, folder, plain)

    def frame(self, node: MjcfElement) -> Matrix:
        """Returns the frame (4, 4) of an element in its parent. Raises ReadError."""
        return make_frame(self.rotation(node), node.triple("pos"))

    def rotation(self, node: MjcfElement) -> Matrix:
        """Returns the rotation (3, 3) of an element, in whichever spelling. Raises ReadError."""
        if (quat := node.vector("quat", 4)) is not None:
            w, x, y, z = quat
            return rotation_from_quaternion((x, y, z, w))
        if (turn := node.vector("axisangle", 4)) is not None:
            axis = _direction(node, np.array(turn[:3]), "axisangle")
            return np.asarray(rotations_about(axis[None], np.array([self.angle(turn[3])]))[0])
        if (euler := node.vector("euler", 3)) is not None:
            return self.turn_by_euler(euler)
        if (axes := node.vector("xyaxes", 6)) is not None:
            x_axis = _direction(node, np.array(axes[:3]), "xyaxes")
            y_axis = np.array(axes[3:]) - (x_axis @ np.array(axes[3:])) * x_axis
            y_axis = _direction(node, y_axis, "xyaxes")
            return np.column_stack([x_axis, y_axis, np.cross(x_axis, y_axis)])
        if (z_axis := node.vector("zaxis", 3)) is not None:
            return turn_z_onto(_direction(node, np.array(z_axis), "zaxis"))
        return np.eye(3)

    def turn_by_euler(self, euler: Sequence[float]) -> Matrix:
        """Returns the rotation (3, 3) of three angles of the file, by the sequence of the file."""
        rotation = np.eye(3)
        for letter, number in zip(self.eulerseq, euler, strict=True):
            axis = np.array([_AXES[letter.lower()]])
            turn = rotations_about(axis, np.array([self.angle(number)]))[0]
            # Small letters turn with the frame, capital ones about axes that stay.
            rotation = rotation @ turn if letter.islower() else turn @ rotation
        return rotation


def _direction(node: MjcfElement, vector: Matrix, name: str) -> Matrix:
    if not float(np.abs(vector).max()) > 1e-12:
        raise node.refuse(f"{name} of <{node.tag}> has no direction")
    return unit(vector)
