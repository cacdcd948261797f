# SPDX-License-Identifier: GPL-3.0-or-later
"""The differences between two states of a robot, in words. Without Blender.

Links and joints are identified by their names: a renamed one is removed and added. Shapes of a link
have no names to rely on; match_shapes pairs them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, TypeVar, get_args

from ..diagnostics import quote
from ..model import Collision, Geometry, Joint, Link, LoopJoint, Mesh, Robot, Visual
from ..model.extra import list_fields
from ..options import ImportOptions

Kind = Literal["added", "removed", "changed"]
_Shape = TypeVar("_Shape", Visual, Collision)

_LABELS = {
    "origin.xyz": "origin",
    "origin.rpy": "rotation",
    "origin.quat_xyzw": "rotation as a quaternion",
    "child_origin.xyz": "place of the child link",
    "child_origin.rpy": "rotation of the child link",
    "limit.lower": "lower limit",
    "limit.upper": "upper limit",
    "limit.effort": "effort limit",
    "limit.velocity": "velocity limit",
    "dynamics.damping": "damping",
    "dynamics.friction": "friction",
    "dynamics.stiffness": "stiffness of its spring",
    "dynamics.reference": "rest of its spring",
    "dynamics.armature": "rotor inertia",
    "mimic.joint": "joint that it mimics",
    "mimic.multiplier": "mimic multiplier",
    "mimic.offset": "mimic offset",
    "parent": "parent link",
    "origin1.xyz": "place in the first link",
    "origin1.rpy": "rotation in the first link",
    "origin2.xyz": "place in the second link",
    "origin2.rpy": "rotation in the second link",
    "link1": "first link",
    "link2": "second link",
    "child": "child link",
    "inertial.mass": "mass",
    "inertial.origin.xyz": "centre of mass",
    "inertial.origin.rpy": "rotation of the inertia",
    "inertial.inertia": "inertia",
    "geometry.filename": "mesh file",
    "geometry.size": "size",
    "geometry.radius": "radius",
    "geometry.length": "length",
    "geometry.scale": "scale",
    "material.name": "material",
    "material.color": "colour",
    "material.texture": "texture",
    "extras": "further XML",
    "attributes": "further attributes",
    "leaves": "further XML in its elements",
}
_WHOLE = {"inertial.inertia", "calibration", "safety_controller", "extras", "materials"}
"""Reported as a whole, without their parts."""

_XML = {"extras", "leaves", "transmissions"}
"""Not shown: they cannot be read on one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference. `subject` is `robot`, `link`, `joint`, `loop`, `mesh`, `option` or `source`,
    `name` which one (empty for the robot); `text` describes the change, empty where all of it came
    or went."""

    kind: Kind
    subject: str
    name: str = ""
    text: str = ""

    def __str__(self) -> str:
        subject = f"{self.subject} {quote(self.name)}" if self.name else self.subject
        return f"{subject}: {self.text}" if self.text else f"{subject} {self.kind}"


def compare_robots(before: Robot, after: Robot) -> tuple[Change, ...]:
    """Returns additions, removals and changes; empty only for equal robots."""
    changes = [*_compare_robot(before, after)]
    for subject, group in (("link", "links"), ("joint", "joints"), ("loop", "loops")):
        changes += _compare_named(subject, getattr(before, group), getattr(after, group))
    return tuple(changes)


def compare_renamed(links: Mapping[str, str], joints: Mapping[str, str]) -> tuple[Change, ...]:
    """Returns the changes that are new names: old -> new, of links and of joints."""
    return tuple(
        Change(kind="changed", subject=subject, name=old, text=f"name {_arrow(old, new)}")
        for subject, names in (("link", links), ("joint", joints))
        for old, new in names.items()
    )


def compare_options(before: ImportOptions, after: ImportOptions) -> tuple[Change, ...]:
    """Returns the import options that differ, by their labels."""
    return tuple(
        Change(
            kind="changed",
            subject="option",
            name=field.metadata["label"],
            text=_arrow(getattr(before, field.name), getattr(after, field.name)),
        )
        for field in fields(ImportOptions)
        if getattr(before, field.name) != getattr(after, field.name)
    )


def match_shapes(before: Sequence[_Shape], after: Sequence[_Shape]) -> dict[int, int]:
    """Returns index after -> index before of the shapes that are still there: equal ones first,
    then shapes of the same name, of the same geometry, of the same mesh file, and the rest in their
    order."""
    found: dict[int, int] = {}
    left = list(range(len(before)))
    for olds, news in zip(_list_keys(before), _list_keys(after), strict=True):
        for index, key in enumerate(news):
            if index in found or key is None:
                continue
            other = next((i for i in left if olds[i] == key), None)
            if other is not None:
                found[index] = other
                left.remove(other)
    return found


def _list_keys(shapes: Sequence[Any]) -> tuple[list[Any], ...]:
    """Lists keys by which shapes are alike, the nearest likeness first; None is like nothing."""
    geometries = [each.geometry for each in shapes]
    return (
        list(shapes),
        [each.name or None for each in shapes],
        geometries,
        [each.filename if isinstance(each, Mesh) else None for each in geometries],
        [""] * len(shapes),
    )


def _compare_robot(before: Robot, after: Robot) -> Iterator[Change]:
    for field in fields(Robot):
        if field.compare and field.name not in ("links", "joints", "loops"):
            old, new = getattr(before, field.name), getattr(after, field.name)
            if old != new:
                text = _describe_change(field.name, old, new)
                yield Change(kind="changed", subject="robot", text=text)
    for group in ("links", "joints", "loops"):
        old_names = [item.name for item in getattr(before, group)]
        new_names = [item.name for item in getattr(after, group)]
        common = set(old_names) & set(new_names)
        if [n for n in old_names if n in common] != [n for n in new_names if n in common]:
            yield Change(kind="changed", subject="robot", text=f"order of the {group}")


def _compare_named(
    subject: str,
    before: Iterable[Link | Joint | LoopJoint],
    after: Iterable[Link | Joint | LoopJoint],
) -> Iterator[Change]:
    old, new = {item.name: item for item in before}, {item.name: item for item in after}
    for name in old:
        if name not in new:
            yield Change(kind="removed", subject=subject, name=name)
    for name, item in new.items():
        if name not in old:
            yield Change(kind="added", subject=subject, name=name)
            continue
        for text in _describe(old[name], item):
            yield Change(kind="changed", subject=subject, name=name, text=text)


def _describe(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yields the differences of two values of one class, field by field."""
    for name in list_fields(type(before)):  # type: ignore[arg-type]
        old, new = getattr(before, name), getattr(after, name)
        if old == new:
            continue
        here = f"{path}{name}"
        if here in ("visuals", "collisions"):
            yield from _describe_shapes(here.removesuffix("s"), old, new)
        elif here not in _WHOLE and is_dataclass(old) and type(old) is type(new):
            yield from _describe(old, new, f"{here}.")
        else:
            yield _describe_change(here, old, new)


def _describe_shapes(what: str, before: Sequence[_Shape], after: Sequence[_Shape]) -> Iterator[str]:
    matches = match_shapes(before, after)
    for index, shape in enumerate(before):
        if index not in matches.values():
            yield f"{_call(what, shape, index, before)} removed"
    for index, shape in enumerate(after):
        called = _call(what, shape, index, after)
        if index not in matches:
            yield f"{called} added"
        elif shape != before[matches[index]]:
            for text in _describe(before[matches[index]], shape):
                yield f"{called}: {text}"
    if [matches[index] for index in sorted(matches)] != sorted(matches.values()):
        yield f"order of the {what}s"


def _call(what: str, shape: Visual | Collision, index: int, among: Sequence[Any]) -> str:
    if shape.name:
        return f"{what} {quote(shape.name)}"
    return what if len(among) == 1 else f"{what} {index + 1}"


def _describe_change(path: str, old: Any, new: Any) -> str:
    is_xml = path.rpartition(".")[2] in _XML
    label = _LABELS.get(path, path.replace(".", " ").replace("_", " "))
    return f"{label} {'changed' if is_xml else _arrow(old, new)}"


def _arrow(old: Any, new: Any) -> str:
    """`1.57 -> 2`; for values too long to read, only that they changed."""
    before, after = _show(old), _show(new)
    if before == after:
        before, after = repr(old), repr(new)
    text = f"{before} -> {after}"
    return text if len(text) <= 100 and "\n" not in text else "changed"


def _show(value: Any) -> str:
    if value is None or value == ():
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, tuple):
        return " ".join(_show(item) for item in value)
    if is_dataclass(value):
        return _show_fields(value)
    return str(value)


def _show_fields(value: Any) -> str:
    names = list_fields(type(value))  # type: ignore[arg-type]
    given = [(name, getattr(value, name)) for name in names]
    shown = [f"{name} {_show(item)}" for name, item in given if item not in (None, (), "")]
    kind = f"{type(value).__name__.lower()} " if isinstance(value, get_args(Geometry)) else ""
    return f"{kind}({', '.join(shown)})" if shown else "empty"
