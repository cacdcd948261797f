# SPDX-License-Identifier: GPL-3.0-or-later
"""From a rig back to the model, by its properties alone: extract_robot(build(robot)) == robot."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import bpy

from ...model import Attributes, Collision, Joint, Link, Robot, Visual
from ..standing import properties
from ..standing.armatures import armatures_of, check_robot
from ..standing.joints import LINK_JOINT, find_packed_joint

_Model = TypeVar("_Model")
_KINDS = {name: kind for kind, name in properties.SHAPE_TYPES.items()}
_NAMES_AND_JOINTS = ("links", "joints", "cut_joints", "middle_joints")
_Unpacker = Callable[[Any], Any]
_FAULTS = (LookupError, AttributeError, TypeError, ValueError)
"""Of groups that properties.pack does not make."""
_PLAIN: dict[Any, frozenset[type]] = {
    str: frozenset({str}),
    float: frozenset({float, int}),
    int: frozenset({int}),
    bool: frozenset({bool, int}),
}
"""Types of fields, and the types of values that custom properties hold for them."""
_ANY = frozenset[type]()


def extract_robot(armature: Any) -> Robot:
    """Returns the robot that its rig describes. Links whose empty is no longer there are missing,
    and so are their joints and loops. Raises BuildError for an object that is not an imported
    robot."""
    packed = _find_properties(armature).to_dict()
    empties = find_link_empties(armature)
    links = {name: unpack_kept(Link, each, properties.LINK) for name, each in empties.items()}
    try:
        return _join(links, _find_joints(empties, packed), packed)
    except _FAULTS:
        raise properties.edited_by_hand(armature, properties.ROBOT) from None


def _join(links: Mapping[str, Link], found: Iterable[Joint], packed: Mapping[str, Any]) -> Robot:
    joints = {joint.name: joint for joint in found}
    plain = {k: v for k, v in packed.items() if k not in _NAMES_AND_JOINTS}
    plain["text"] = plain.get("text", "").encode("utf-8")
    described = unpack(Robot, plain | {"links": [], "joints": []})
    return replace(
        described,
        links=tuple(links[name] for name in packed["links"] if name in links),
        joints=tuple(joints[name] for name in packed["joints"] if name in joints),
        loops=tuple(each for each in described.loops if {each.link1, each.link2} <= links.keys()),
    )


def extract_name(armature: Any) -> str:
    """Returns the name of the robot alone. Raises BuildError as extract_robot does."""
    return str(_find_properties(armature).get("name", ""))


def _find_properties(armature: Any) -> Any:
    check_robot(armature)
    return armature[properties.ROBOT]


def find_link_empties(armature: Any) -> dict[str, Any]:
    """Returns link name -> its empty. If the user made copies, the first one by name is
    taken."""
    found: dict[str, Any] = {}
    children = group_children()
    for each in armatures_of(armature):
        for child in children.get(each, ()):
            described = properties.read_group(child, properties.LINK, "name")
            if described is not None:
                found.setdefault(described["name"], child)
    return found


def group_children() -> dict[Any, list[Any]]:
    """Groups the objects of the whole file: parent -> its direct children, by their names."""
    groups: dict[Any, list[Any]] = {}
    for item in bpy.data.objects:
        if item.parent is not None:
            groups.setdefault(item.parent, []).append(item)
    return groups


def _find_joints(empties: Mapping[str, Any], packed: Mapping[str, Any]) -> Iterator[Joint]:
    for empty in empties.values():
        if find_packed_joint(empty) is not None:
            yield unpack_kept(Joint, empty, LINK_JOINT)
    for described in packed.get("cut_joints", ()):
        yield unpack(Joint, described)


def read_shape(item: Any) -> Visual | Collision | None:
    """Reads the description of an object that represents a shape; None for other objects."""
    if properties.SHAPE not in item:
        return None
    is_visual = item.get(properties.PART) == properties.VISUALS
    kind: type[Visual | Collision] = Visual if is_visual else Collision
    return unpack_kept(kind, item, properties.SHAPE)


def unpack_kept(kind: type[_Model], item: Any, key: str) -> _Model:
    """Returns the model value of a kept group. Raises BuildError for one that was edited by hand
    until it cannot be read.
    """
    try:
        return unpack(kind, properties.read_group(item, key).to_dict())  # type: ignore[union-attr]
    except _FAULTS:
        raise properties.edited_by_hand(item, key) from None


def unpack_joints(armature: Any, packed: Iterable[Mapping[str, Any]]) -> list[Joint]:
    """Returns joints that are kept on the armature. Raises BuildError where they were edited."""
    try:
        return [unpack(Joint, each) for each in packed]
    except _FAULTS:
        raise properties.edited_by_hand(armature, properties.ROBOT) from None


def unpack(kind: type[_Model], packed: Mapping[str, Any]) -> _Model:
    """Returns the model value of this class from the group that properties.pack made of it."""
    unpackers = _find_unpackers(kind)  # type: ignore[arg-type]  # Classes have a hash.
    given: dict[str, Any] = dict.fromkeys(_list_texts(kind), "")  # type: ignore[arg-type]
    for name, value in packed.items():
        if name in unpackers:
            unpacker = unpackers[name]
            given[name] = value if unpacker is None else unpacker(value)
    return kind(**given)


@cache
def _list_texts(kind: type[Any]) -> tuple[str, ...]:
    """Lists the texts that a class must have: properties.pack leaves empty ones out."""
    hints = get_type_hints(kind)
    required = [field.name for field in fields(kind) if field.default is MISSING]
    return tuple(name for name in required if hints[name] is str)


@cache
def _find_unpackers(kind: type[Any]) -> dict[str, _Unpacker | None]:
    return {name: _find_unpacker(hint) for name, hint in get_type_hints(kind).items()}


def _find_unpacker(hint: Any) -> _Unpacker | None:
    """The function that makes a value of the hinted type from a packed one; None where the packed
    value serves. Looked up once for a field: examining types takes longer than all else."""
    if get_origin(hint) in (Union, UnionType):
        choices = [choice for choice in get_args(hint) if choice is not NoneType]
        return _unpack_shape if len(choices) > 1 else _find_unpacker(choices[0])
    if hint == Attributes:
        return _unpack_pairs
    if hint in _PLAIN:
        return partial(_check, _PLAIN[hint])
    if get_origin(hint) is tuple:
        inner = get_args(hint)
        if inner[0] in _PLAIN:
            kinds = frozenset().union(*(_PLAIN.get(each, _ANY) for each in inner))
            return partial(_check_all, kinds)
        item = _find_unpacker(inner[0])
        return tuple if item is None else lambda values: tuple([item(each) for each in values])
    return partial(unpack, hint) if isinstance(hint, type) and is_dataclass(hint) else None


def _check(kinds: frozenset[type], value: Any) -> Any:
    if type(value) not in kinds:
        raise TypeError
    return value


def _check_all(kinds: frozenset[type], values: Sequence[Any]) -> tuple[Any, ...]:
    if isinstance(values, str) or not kinds.issuperset(map(type, values)):
        raise TypeError
    return tuple(values)


def _unpack_shape(packed: Mapping[str, Any]) -> Any:
    """Of the class that its `type` names."""
    return unpack(_KINDS[packed["type"]], packed)


def _unpack_pairs(packed: Sequence[str]) -> Attributes:
    return tuple(zip(packed[::2], packed[1::2], strict=True))
