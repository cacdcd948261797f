# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of links and joints in loops, transmissions and further XML, which follow new names.

In XML that URDF does not define a name is a reference where it is the whole text of an element, or
a whole attribute `link`, `joint` or `reference`, or `name` of an element that represents a link or
joint of the robot. Parts of texts are not looked at.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..model import Extra, Joint, Link, LoopJoint, Transmission
from .edit import XmlEditor
from .xml import Element, parse_fragment, text_of

Names = Mapping[str, str | None]
"""Name -> its new name; None for a removed link or joint."""

_ATTRIBUTES = ("link", "joint", "reference")
# The `name` of these tags names something of their own.
_OF_LINKS = ("camera", "collision", "material", "plugin", "sensor", "visual")
_OF_CONTROL = ("actuator", "command_interface", "gpio", "hardware", "param", "state_interface")
_OWN_NAMES = frozenset((*_OF_LINKS, *_OF_CONTROL, "ros2_control", "transmission"))
_JOINT_LISTS = ("transmission", "ros2_control")


class NameFollower:
    """Makes names in descriptions follow new names; elements about a removed link or joint are
    removed too."""

    def __init__(self, links: Names, joints: Names) -> None:
        self._links = links
        self._joints = joints
        # A name of both a link and a joint follows the joint where an element says joint.
        self._any = {**joints, **links}

    def follow_link(self, link: Link) -> Link:
        """Returns a link whose further XML has the new names; its own name stays."""
        extras = self.follow_extras(link.extras)
        return link if extras is link.extras else replace(link, extras=extras)

    def follow_joint(self, joint: Joint) -> Joint:
        """Returns a joint whose further XML has the new names; its own ones stay."""
        extras = self.follow_extras(joint.extras)
        return joint if extras is joint.extras else replace(joint, extras=extras)

    def follow_loops(self, loops: Iterable[LoopJoint]) -> Iterable[LoopJoint]:
        """Yields the loops whose links are both there."""
        for loop in loops:
            one = self._links.get(loop.link1, loop.link1)
            other = self._links.get(loop.link2, loop.link2)
            if one is not None and other is not None:
                name = self._joints.get(loop.name) or loop.name
                extras = self.follow_extras(loop.extras)
                yield replace(loop, name=name, link1=one, link2=other, extras=extras)

    def follow_extras(self, extras: tuple[Extra, ...]) -> tuple[Extra, ...]:
        """Returns the elements that are not about something gone."""
        found = []
        for extra in extras:
            xml = self._follow(extra.xml)
            if xml:
                found.append(extra if xml == extra.xml else replace(extra, xml=xml))
        return extras if found == list(extras) else tuple(found)

    def follow_transmissions(self, transmissions: Iterable[Transmission]) -> Iterable[Transmission]:
        """Yields the transmissions that have a joint left."""
        for transmission in transmissions:
            joints = tuple(
                replace(joint, name=self._joints.get(joint.name, joint.name) or "")
                for joint in transmission.joints
                if self._joints.get(joint.name, joint.name) is not None
            )
            if transmission.joints and not joints:
                continue
            xml = self._follow(transmission.xml) if transmission.xml else ""
            yield replace(transmission, joints=joints, xml=xml)

    def _follow(self, xml: str) -> str:
        """The text with new names; empty where it is about something that is gone."""
        data = xml.encode("utf-8")
        root = parse_fragment(data)
        if root is None:
            return xml
        reference = root.attributes.get("reference")
        if reference is not None and self._any.get(reference, reference) is None:
            return ""
        editor = XmlEditor(data)
        if root.tag in _JOINT_LISTS and self._drop_joints(root, editor):
            return ""
        waiting = [root]
        while waiting:
            element = waiting.pop()
            waiting += element
            self._follow_element(element, editor)
        return editor.apply().decode("utf-8")

    def _drop_joints(self, root: Element, editor: XmlEditor) -> bool:
        """Removes the joints that are gone; returns whether there were joints and none is left."""
        joints = [child for child in root if child.tag == "joint"]
        gone = [
            joint
            for joint in joints
            if self._joints.get(joint.attributes.get("name", ""), "") is None
        ]
        for joint in gone:
            editor.remove(joint)
            root.remove(joint)
        return bool(gone) and len(gone) == len(joints)

    def _follow_element(self, element: Element, editor: XmlEditor) -> None:
        names = self._joints if element.tag == "joint" else self._any
        for attribute, value in element.attributes.items():
            counts = attribute in _ATTRIBUTES or (
                attribute == "name" and element.tag not in _OWN_NAMES
            )
            new = (self._joints if attribute == "joint" else names).get(value)
            if counts and new is not None and new != value:
                editor.set_attribute(element, attribute, new)
        if not element:
            value = text_of(element, editor.data)
            new = names.get(value) if value else None
            if new is not None and new != value:
                editor.set_text(element, new)
