# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF, as its readers read it: edited where there is a text that was read, else written anew."""

from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any

from ...diagnostics import Diagnostics, ReadError, WriteError
from ...files.outputs import replace_file
from ...files.packages import AnyPath
from ...markup.edit import XmlEditor
from ...markup.encoding import decode_text, open_text
from ...markup.patch import NodeWriter, Patcher, Rules, UnpatchableError, WrittenNode
from ...markup.write import Value, XmlWriter
from ...markup.xml import Element, Junk, parse_xml
from ...model import (
    Attributes,
    CollisionPair,
    EndEffector,
    Extra,
    Group,
    GroupState,
    JointProperty,
    LinkSpheres,
    PassiveJoint,
    Semantics,
    UncheckedLink,
    VirtualJoint,
)

ReadSemantics = Callable[[bytes], Semantics]


def write_srdf(
    semantics: Semantics, path: AnyPath, read: ReadSemantics, diagnostics: Diagnostics
) -> Path:
    """Writes an SRDF, whole or not at all; returns its path. `read` reads SRDF.

    The text that was read is edited, so that all that stays the same keeps its bytes. Raises
    WriteError where no file can say it, or it cannot be written.
    """
    text = None
    if semantics.text:
        text = patch_semantics_text(semantics, read)
        if text is None:
            diagnostics.warning(
                "source-changed",
                "the SRDF that was read cannot be edited to say this; it is written anew, without "
                "comments",
            )
    if text is None:
        text = write_semantics_text(semantics).encode("utf-8")
    with replace_file(path) as temporary:
        temporary.write_bytes(text)
    return Path(path)


def write_semantics_text(semantics: Semantics) -> str:
    """Returns the SRDF, written anew. Raises WriteError for text that no XML file can hold and
    numbers that are not finite."""
    xml = XmlWriter()
    xml.declare()
    write_semantics(semantics, xml)
    return xml.text()


def patch_semantics_text(semantics: Semantics, read: ReadSemantics) -> bytes | None:
    """Returns the text that was read with the differences; None where that cannot be."""
    raw = semantics.text
    try:
        old = read(raw)
        if old == semantics:
            return raw
        data, encode = open_text(raw, semantics.source)
        parsed = decode_text(raw, semantics.source).data
        editor = XmlEditor(data)
        found = _Root()
        _parse(parsed, found)
        Patcher(editor, parsed, _RULES).patch(found.root, _node(old), _node(semantics))
        patched = encode(editor.apply())
        return patched if read(patched) == semantics else None
    except (ReadError, UnpatchableError):
        return None


def _parse(data: bytes, found: "_Root") -> Junk | None:
    junk = parse_xml(data, "", found)
    found.root.extend(found.children)
    return junk


class _Root:
    """The whole tree of a text."""

    def __init__(self) -> None:
        self.root = Element()
        self.children: list[Element] = []

    def read_root(self, element: Element) -> None:
        self.root = element

    def read_child(self, element: Element) -> None:
        self.children.append(element)


def _node(semantics: Semantics) -> WrittenNode:
    writer = NodeWriter()
    write_semantics(semantics, writer)
    return writer.root.children[0]


def _key(node: WrittenNode) -> Hashable:
    """Elements with names by these; pairs, chains and verbatim elements by their whole content."""
    if node.xml:
        return node.xml
    name = node.attributes.get("name")
    if name is not None:
        return (node.tag, name, node.attributes.get("group", ""))
    return (node.tag, tuple(sorted(node.attributes.items())))


_RULES = Rules(defaults={}, optional=frozenset(), key=_key, is_read=lambda element: True)


def write_semantics(semantics: Semantics, xml: XmlWriter) -> None:
    """Writes <robot> with all that is in it. Raises WriteError as write_semantics_text does."""
    try:
        with xml.element("robot", _joined({"name": semantics.name}, semantics.attributes)):
            _write_parts(semantics, xml)
    except ValueError as problem:
        raise WriteError(f"the SRDF cannot be written: {problem}") from None


def _write_parts(semantics: Semantics, xml: XmlWriter) -> None:
    for write, parts in (
        (write_virtual_joint, semantics.virtual_joints),
        (write_group, semantics.groups),
        (write_group_state, semantics.group_states),
        (write_end_effector, semantics.end_effectors),
        (write_passive_joint, semantics.passive_joints),
        (write_joint_property, semantics.joint_properties),
        (write_link_spheres, semantics.link_spheres),
        (write_unchecked_link, semantics.no_default_collisions),
        (write_enabled_pair, semantics.enabled_collisions),
        (write_disabled_pair, semantics.disabled_collisions),
    ):
        _write_all(write, parts, xml)
    _write_extras(semantics.extras, xml)


def _write_all(
    write: Callable[[Any, XmlWriter], None], parts: Iterable[Any], xml: XmlWriter
) -> None:
    for part in parts:
        write(part, xml)


def write_group(group: Group, xml: XmlWriter) -> None:
    """Writes <group>."""
    with xml.element("group", _joined({"name": group.name}, group.attributes)):
        for tag, names in (("joint", group.joints), ("link", group.links)):
            for name in names:
                xml.leaf(tag, {"name": name})
        for chain in group.chains:
            ends = {"base_link": chain.base_link, "tip_link": chain.tip_link}
            xml.leaf("chain", _joined(ends, chain.attributes))
        for name in group.groups:
            xml.leaf("group", {"name": name})
        _write_extras(group.extras, xml)


def write_group_state(state: GroupState, xml: XmlWriter) -> None:
    """Writes <group_state>."""
    known = {"name": state.name, "group": state.group}
    with xml.element("group_state", _joined(known, state.attributes)):
        for joint, numbers in state.positions:
            xml.leaf("joint", {"name": joint, "value": numbers})
        _write_extras(state.extras, xml)


def write_end_effector(effector: EndEffector, xml: XmlWriter) -> None:
    """Writes <end_effector>."""
    known = {
        "name": effector.name,
        "group": effector.group,
        "parent_link": effector.parent_link,
        "parent_group": effector.parent_group or None,
    }
    _write_element("end_effector", known, effector.attributes, effector.extras, xml)


def write_virtual_joint(joint: VirtualJoint, xml: XmlWriter) -> None:
    """Writes <virtual_joint>."""
    known = {
        "name": joint.name,
        "type": joint.type,
        "parent_frame": joint.parent_frame or None,
        "child_link": joint.child_link,
    }
    _write_element("virtual_joint", known, joint.attributes, joint.extras, xml)


def write_passive_joint(joint: PassiveJoint, xml: XmlWriter) -> None:
    """Writes <passive_joint>."""
    _write_element("passive_joint", {"name": joint.name}, joint.attributes, joint.extras, xml)


def write_disabled_pair(pair: CollisionPair, xml: XmlWriter) -> None:
    """Writes <disable_collisions>."""
    _write_pair("disable_collisions", pair, xml)


def write_enabled_pair(pair: CollisionPair, xml: XmlWriter) -> None:
    """Writes <enable_collisions>."""
    _write_pair("enable_collisions", pair, xml)


def _write_pair(tag: str, pair: CollisionPair, xml: XmlWriter) -> None:
    known = {"link1": pair.link1, "link2": pair.link2, "reason": pair.reason or None}
    _write_element(tag, known, pair.attributes, pair.extras, xml)


def write_unchecked_link(link: UncheckedLink, xml: XmlWriter) -> None:
    """Writes <disable_default_collisions>."""
    tag = "disable_default_collisions"
    _write_element(tag, {"link": link.link}, link.attributes, link.extras, xml)


def write_link_spheres(spheres: LinkSpheres, xml: XmlWriter) -> None:
    """Writes <link_sphere_approximation>."""
    known = {"link": spheres.link}
    with xml.element("link_sphere_approximation", _joined(known, spheres.attributes)):
        for sphere in spheres.spheres:
            place: dict[str, Value] = {"center": sphere.center, "radius": sphere.radius}
            xml.leaf("sphere", _joined(place, sphere.attributes))
        _write_extras(spheres.extras, xml)


def write_joint_property(item: JointProperty, xml: XmlWriter) -> None:
    """Writes <joint_property>."""
    known = {
        "joint_name": item.joint_name,
        "property_name": item.property_name,
        "value": item.value,
    }
    _write_element("joint_property", known, item.attributes, item.extras, xml)


def _write_element(
    tag: str,
    known: dict[str, str | None] | dict[str, str],
    others: Attributes,
    extras: Iterable[Extra],
    xml: XmlWriter,
) -> None:
    with xml.element(tag, _joined(known, others)):
        _write_extras(extras, xml)


def _write_extras(extras: Iterable[Extra], xml: XmlWriter) -> None:
    for extra in extras:
        xml.verbatim(extra.xml)


def _joined(
    known: dict[str, Value] | dict[str, str | None] | dict[str, str], others: Attributes
) -> dict[str, Value]:
    given: dict[str, Value] = {}
    for name, value in known.items():
        if value is not None:
            given[name] = value
    for name, text in others:
        given.setdefault(name, text)
    return given
