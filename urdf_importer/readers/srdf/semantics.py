# SPDX-License-Identifier: GPL-3.0-or-later
"""<robot> of an SRDF, one read_<element> function per element.

Nothing that the file says is lost: elements and attributes that SRDF does not define are kept word
for word. Elements that name a link or joint that the robot does not have are kept too, with an
error, and have no effect.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...diagnostics import Diagnostics
from ...files.packages import AnyPath, PackageResolver
from ...files.regular import read_regular_file
from ...markup.encoding import decode_text
from ...markup.lenient import read_leniently
from ...markup.xml import Element, parse_xml, verbatim
from ...model import (
    Attributes,
    Chain,
    CollisionPair,
    EndEffector,
    Extra,
    Group,
    GroupState,
    JointProperty,
    LinkSphere,
    LinkSpheres,
    PassiveJoint,
    Robot,
    Semantics,
    UncheckedLink,
    Vector3,
    VirtualJoint,
)
from ..xacro.expand import expand_xacro, is_xacro
from .checks import check_semantics

_LARGEST = 1e30
_NAME = frozenset({"name"})
_NOTHING: tuple[str, ...] = ()


def read_srdf(
    path: AnyPath,
    robot: Robot,
    diagnostics: Diagnostics,
    *,
    resolver: PackageResolver | None = None,
    xacro_args: Iterable[tuple[str, str]] = (),
) -> Semantics:
    """Returns the content of the SRDF file at `path`; xacro is expanded first.

    Raises ReadError, with file and line, where the file is not SRDF. Oddities, and names unknown to
    the robot, go to `diagnostics`.
    """
    source = str(path)
    data = read_regular_file(source)
    diagnostics.source = diagnostics.source or source
    if is_xacro(data, source):
        resolver = resolver or PackageResolver(source)
        data = expand_xacro(data, source, resolver, xacro_args, diagnostics)
    return read_srdf_text(data, robot, source, diagnostics)


def read_srdf_text(
    data: bytes, robot: Robot | None, source: str, diagnostics: Diagnostics
) -> Semantics:
    """Returns the content of the SRDF text `data`; without a robot its names are not checked.
    Raises ReadError as read_srdf does."""

    def read(text: bytes) -> _Reader:
        reader = _Reader(text, source)
        parse_xml(text, source, reader)
        return reader

    reader, findings = read_leniently(decode_text(data, source).data, read)
    for code, message, line in findings:
        diagnostics.warning(code, message, line=line)
    semantics = reader.semantics(data)
    if robot is not None:
        check_semantics(semantics, robot, diagnostics)
    return semantics


class _Reader:
    """The children of <robot> as they come in."""

    def __init__(self, data: bytes, source: str) -> None:
        self._data = data
        self._source = source
        self._name = ""
        self._attributes: Attributes = ()
        self._found: dict[str, list[Any]] = {}

    def read_root(self, element: Element) -> None:
        self._name = _text(element, "name")
        self._attributes = _others(element, ("name",))

    def read_child(self, element: Element) -> None:
        kind = _KINDS.get(element.tag)
        texts = {name: _text(element, name) for name in kind.known} if kind is not None else {}
        if kind is None or not all([texts[name] for name in kind.needed]):
            self._found.setdefault("extras", []).append(self._extra(element))
            return
        if "value" in texts:
            texts["value"] = element.attributes["value"]
        made = kind.make(
            **texts,
            **(kind.within(self, element) if kind.within else {"extras": self._children(element)}),
            attributes=_others(element, kind.known),
            line=element.line,
        )
        self._found.setdefault(kind.field, []).append(made)

    def semantics(self, text: bytes) -> Semantics:
        return Semantics(
            name=self._name,
            **{field: tuple(found) for field, found in self._found.items()},
            attributes=self._attributes,
            source=self._source,
            text=text,
        )

    def read_members(self, element: Element) -> dict[str, Any]:
        """Reads the members of a group."""
        found: dict[str, list[Any]] = {}
        for child in element:
            is_plain = child.attributes.keys() == _NAME and not child
            if child.tag in ("joint", "link", "group") and is_plain:
                found.setdefault(f"{child.tag}s", []).append(_text(child, "name"))
            elif child.tag == "chain" and not child and _has(child, "base_link", "tip_link"):
                found.setdefault("chains", []).append(_read_chain(child))
            else:
                found.setdefault("extras", []).append(self._extra(child))
        return {field: tuple(members) for field, members in found.items()}

    def read_positions(self, element: Element) -> dict[str, Any]:
        """Reads where a state of a group has its joints."""
        positions: list[tuple[str, tuple[float, ...]]] = []
        extras: list[Extra] = []
        for child in element:
            numbers = _numbers(child.attributes.get("value", ""))
            is_plain = child.attributes.keys() == {"name", "value"} and not child
            if child.tag == "joint" and is_plain and numbers:
                positions.append((_text(child, "name"), numbers))
            else:
                extras.append(self._extra(child))
        return {"positions": tuple(positions), "extras": tuple(extras)}

    def read_spheres(self, element: Element) -> dict[str, Any]:
        """Reads the spheres that stand for a link."""
        spheres: list[LinkSphere] = []
        extras: list[Extra] = []
        for child in element:
            center = _numbers(child.attributes.get("center", ""))
            radius = _numbers(child.attributes.get("radius", ""))
            if child.tag == "sphere" and not child and len(center) == 3 and len(radius) == 1:
                place: Vector3 = (center[0], center[1], center[2])
                others = _others(child, ("center", "radius"))
                spheres.append(LinkSphere(center=place, radius=radius[0], attributes=others))
            else:
                extras.append(self._extra(child))
        return {"spheres": tuple(spheres), "extras": tuple(extras)}

    def _children(self, element: Element) -> tuple[Extra, ...]:
        return tuple([self._extra(child) for child in element]) if element else ()

    def _extra(self, element: Element) -> Extra:
        return Extra(tag=element.tag, xml=verbatim(element, self._data), line=element.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """An element: its field of Semantics, its class, its known and its needed attributes, and a
    reader of its children where they count."""

    field: str
    make: Callable[..., object]
    known: tuple[str, ...]
    needed: tuple[str, ...]
    within: Callable[[_Reader, Element], dict[str, Any]] | None = None


def _make_virtual(*, type: str, **said: Any) -> VirtualJoint:
    return VirtualJoint(type=type.lower(), **said)


def _kind(
    field: str,
    make: Callable[..., object],
    *names: str,
    optional: tuple[str, ...] = (),
    within: Callable[[_Reader, Element], dict[str, Any]] | None = None,
) -> _Kind:
    """Returns a kind of element that needs attributes of these names."""
    return _Kind(field=field, make=make, known=(*names, *optional), needed=names, within=within)


_KINDS = {
    "disable_collisions": _kind(
        "disabled_collisions", CollisionPair, "link1", "link2", optional=("reason",)
    ),
    "enable_collisions": _kind(
        "enabled_collisions", CollisionPair, "link1", "link2", optional=("reason",)
    ),
    "group": _kind("groups", Group, "name", within=_Reader.read_members),
    "group_state": _kind(
        "group_states", GroupState, "name", "group", within=_Reader.read_positions
    ),
    "end_effector": _kind(
        "end_effectors", EndEffector, "name", "group", "parent_link", optional=("parent_group",)
    ),
    "virtual_joint": _kind(
        "virtual_joints", _make_virtual, "name", "type", "child_link", optional=("parent_frame",)
    ),
    "passive_joint": _kind("passive_joints", PassiveJoint, "name"),
    "disable_default_collisions": _kind("no_default_collisions", UncheckedLink, "link"),
    "link_sphere_approximation": _kind(
        "link_spheres", LinkSpheres, "link", within=_Reader.read_spheres
    ),
    "joint_property": _kind(
        "joint_properties", JointProperty, "joint_name", "property_name", "value"
    ),
}


def _read_chain(element: Element) -> Chain:
    return Chain(
        base_link=_text(element, "base_link"),
        tip_link=_text(element, "tip_link"),
        attributes=_others(element, ("base_link", "tip_link")),
    )


def _text(element: Element, attribute: str) -> str:
    return element.attributes.get(attribute, "").strip()


def _has(element: Element, *attributes: str) -> bool:
    return all(_text(element, attribute) for attribute in attributes)


def _others(element: Element, known: tuple[str, ...]) -> Attributes:
    if len(element.attributes) <= len(known) and all(name in known for name in element.attributes):
        return ()
    return tuple([item for item in element.attributes.items() if item[0] not in known])


def _numbers(text: str) -> tuple[float, ...]:
    """The numbers of a text; none where a word is not a decimal number."""
    return tuple(_read_numbers(text))


def _read_numbers(text: str) -> Iterator[float]:
    words = text.split()
    if len(text) > 1000 or not text.isascii() or "_" in text:
        return
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return
    if all(-_LARGEST <= number <= _LARGEST for number in numbers):
        yield from numbers
