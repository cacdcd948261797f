# SPDX-License-Identifier: GPL-3.0-or-later
"""<robot> of an SRDF, one read_<element> function per element.

Nothing that the file says is lost: elements and attributes that SRDF does not define are kept word
for word. Elements that name a link or joint that the robot does not have are kept too, with an
error, and have no effect.
"""

from collections.abc import Iterable, Iterator

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
        self._groups: list[Group] = []
        self._states: list[GroupState] = []
        self._effectors: list[EndEffector] = []
        self._virtual: list[VirtualJoint] = []
        self._passive: list[PassiveJoint] = []
        self._disabled: list[CollisionPair] = []
        self._enabled: list[CollisionPair] = []
        self._unchecked: list[UncheckedLink] = []
        self._spheres: list[LinkSpheres] = []
        self._properties: list[JointProperty] = []
        self._extras: list[Extra] = []

    def read_root(self, element: Element) -> None:
        self._name = _text(element, "name")
        self._attributes = _others(element, ("name",))

    def read_child(self, element: Element) -> None:
        tag = element.tag
        if tag in ("disable_collisions", "enable_collisions") and _has(element, "link1", "link2"):
            pairs = self._disabled if tag == "disable_collisions" else self._enabled
            pairs.append(self._read_pair(element))
        elif tag == "group" and _has(element, "name"):
            self._groups.append(self._read_group(element))
        elif tag == "group_state" and _has(element, "name", "group"):
            self._states.append(self._read_state(element))
        elif tag == "end_effector" and _has(element, "name", "group", "parent_link"):
            self._effectors.append(self._read_effector(element))
        elif tag == "virtual_joint" and _has(element, "name", "type", "child_link"):
            self._virtual.append(self._read_virtual(element))
        elif tag == "passive_joint" and _has(element, "name"):
            self._passive.append(self._read_passive(element))
        elif tag == "disable_default_collisions" and _has(element, "link"):
            self._unchecked.append(self._read_unchecked(element))
        elif tag == "link_sphere_approximation" and _has(element, "link"):
            self._spheres.append(self._read_spheres(element))
        elif tag == "joint_property" and _has(element, "joint_name", "property_name", "value"):
            self._properties.append(self._read_property(element))
        else:
            self._extras.append(self._extra(element))

    def semantics(self, text: bytes) -> Semantics:
        return Semantics(
            name=self._name,
            groups=tuple(self._groups),
            group_states=tuple(self._states),
            end_effectors=tuple(self._effectors),
            virtual_joints=tuple(self._virtual),
            passive_joints=tuple(self._passive),
            disabled_collisions=tuple(self._disabled),
            enabled_collisions=tuple(self._enabled),
            no_default_collisions=tuple(self._unchecked),
            link_spheres=tuple(self._spheres),
            joint_properties=tuple(self._properties),
            extras=tuple(self._extras),
            attributes=self._attributes,
            source=self._source,
            text=text,
        )

    def _read_pair(self, element: Element) -> CollisionPair:
        return CollisionPair(
            link1=_text(element, "link1"),
            link2=_text(element, "link2"),
            reason=_text(element, "reason"),
            attributes=_others(element, ("link1", "link2", "reason")),
            extras=self._children(element),
            line=element.line,
        )

    def _read_group(self, element: Element) -> Group:
        joints, links, groups = [], [], []
        chains: list[Chain] = []
        extras: list[Extra] = []
        for child in element:
            is_plain = child.attributes.keys() == _NAME and not child
            if child.tag == "joint" and is_plain:
                joints.append(_text(child, "name"))
            elif child.tag == "link" and is_plain:
                links.append(_text(child, "name"))
            elif child.tag == "group" and is_plain:
                groups.append(_text(child, "name"))
            elif child.tag == "chain" and not child and _has(child, "base_link", "tip_link"):
                chains.append(_read_chain(child))
            else:
                extras.append(self._extra(child))
        return Group(
            name=_text(element, "name"),
            joints=tuple(joints),
            links=tuple(links),
            chains=tuple(chains),
            groups=tuple(groups),
            attributes=_others(element, ("name",)),
            extras=tuple(extras),
            line=element.line,
        )

    def _read_state(self, element: Element) -> GroupState:
        positions: list[tuple[str, tuple[float, ...]]] = []
        extras: list[Extra] = []
        for child in element:
            numbers = _numbers(child.attributes.get("value", ""))
            is_plain = child.attributes.keys() == {"name", "value"} and not child
            if child.tag == "joint" and is_plain and numbers:
                positions.append((_text(child, "name"), numbers))
            else:
                extras.append(self._extra(child))
        return GroupState(
            name=_text(element, "name"),
            group=_text(element, "group"),
            positions=tuple(positions),
            attributes=_others(element, ("name", "group")),
            extras=tuple(extras),
            line=element.line,
        )

    def _read_effector(self, element: Element) -> EndEffector:
        return EndEffector(
            name=_text(element, "name"),
            group=_text(element, "group"),
            parent_link=_text(element, "parent_link"),
            parent_group=_text(element, "parent_group"),
            attributes=_others(element, ("name", "group", "parent_link", "parent_group")),
            extras=self._children(element),
            line=element.line,
        )

    def _read_virtual(self, element: Element) -> VirtualJoint:
        return VirtualJoint(
            name=_text(element, "name"),
            type=_text(element, "type").lower(),
            parent_frame=_text(element, "parent_frame"),
            child_link=_text(element, "child_link"),
            attributes=_others(element, ("name", "type", "parent_frame", "child_link")),
            extras=self._children(element),
            line=element.line,
        )

    def _read_passive(self, element: Element) -> PassiveJoint:
        return PassiveJoint(
            name=_text(element, "name"),
            attributes=_others(element, ("name",)),
            extras=self._children(element),
            line=element.line,
        )

    def _read_unchecked(self, element: Element) -> UncheckedLink:
        return UncheckedLink(
            link=_text(element, "link"),
            attributes=_others(element, ("link",)),
            extras=self._children(element),
            line=element.line,
        )

    def _read_spheres(self, element: Element) -> LinkSpheres:
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
        return LinkSpheres(
            link=_text(element, "link"),
            spheres=tuple(spheres),
            attributes=_others(element, ("link",)),
            extras=tuple(extras),
            line=element.line,
        )

    def _read_property(self, element: Element) -> JointProperty:
        return JointProperty(
            joint_name=_text(element, "joint_name"),
            property_name=_text(element, "property_name"),
            value=element.attributes["value"],
            attributes=_others(element, ("joint_name", "property_name", "value")),
            extras=self._children(element),
            line=element.line,
        )

    def _children(self, element: Element) -> tuple[Extra, ...]:
        return tuple([self._extra(child) for child in element]) if element else ()

    def _extra(self, element: Element) -> Extra:
        return Extra(tag=element.tag, xml=verbatim(element, self._data), line=element.line)


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
