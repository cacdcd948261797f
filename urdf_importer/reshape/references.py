# SPDX-License-Identifier: GPL-3.0-or-later
"""Who names whom: links and joints are named in joints, followers, transmissions and further XML.

In XML that URDF does not define a name is a reference where the whole text of an element is it, or
a whole attribute `link`, `joint` or `reference`, or `name` of an element that stands for a link or
joint of the robot. Parts of texts are not looked at.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from ..diagnostics import Diagnostics, KinematicsError, quote
from ..markup.edit import XmlEditor
from ..markup.xml import Element, parse_fragment, text_of
from ..model import Extra, Joint, Link, LoopJoint, Robot, Transmission
from ..readers.gazebo import interpret_extras

Names = Mapping[str, str | None]
"""Name -> its new name; None where what it named is gone."""

_ATTRIBUTES = ("link", "joint", "reference")
# What these call by `name` are things of their own.
_OWN_NAMES = frozenset(
    {
        "actuator",
        "camera",
        "collision",
        "command_interface",
        "gpio",
        "hardware",
        "material",
        "param",
        "plugin",
        "ros2_control",
        "sensor",
        "state_interface",
        "transmission",
        "visual",
    }
)
_JOINT_LISTS = ("transmission", "ros2_control")


def need_links(robot: Robot, names: Iterable[str]) -> None:
    """Raises KinematicsError for a name that no link of the robot has."""
    known = {link.name for link in robot.links}
    for name in names:
        if name not in known:
            raise KinematicsError(f"the robot has no link {quote(name)}", source=robot.source)


def need_joints(robot: Robot, names: Iterable[str]) -> None:
    """Raises KinematicsError for a name that no joint of the robot has."""
    known = {joint.name for joint in robot.joints}
    for name in names:
        if name not in known:
            raise KinematicsError(f"the robot has no joint {quote(name)}", source=robot.source)


def find_repeated(names: Iterable[str]) -> str | None:
    """Returns the first name that comes twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def follow_names(robot: Robot, links: Names, joints: Names, before: Robot) -> Robot:
    """Returns the robot with loops, the further XML and the transmissions following new names.

    Loops at links that are gone go with them.

    `before` is the robot before anything was changed. Elements about what is gone go: <gazebo
    reference>, joints of <transmission> and <ros2_control>, and these where no joint is left in
    them.
    """
    follower = _Follower(links, joints)
    followed = replace(
        robot,
        links=tuple(follower.follow_link(link) for link in robot.links),
        joints=tuple(follower.follow_joint(joint) for joint in robot.joints),
        loops=tuple(follower.follow_loops(robot.loops)),
        transmissions=tuple(follower.follow_transmissions(robot.transmissions)),
        extras=follower.follow_extras(robot.extras),
    )
    return interpret_again(before, followed)


class _Follower:
    def __init__(self, links: Names, joints: Names) -> None:
        self._links = links
        self._joints = joints
        # A name of both a link and a joint follows the joint where an element says joint.
        self._any = {**joints, **links}

    def follow_link(self, link: Link) -> Link:
        extras = self.follow_extras(link.extras)
        return link if extras is link.extras else replace(link, extras=extras)

    def follow_joint(self, joint: Joint) -> Joint:
        extras = self.follow_extras(joint.extras)
        return joint if extras is joint.extras else replace(joint, extras=extras)

    def follow_loops(self, loops: Iterable[LoopJoint]) -> Iterable[LoopJoint]:
        for loop in loops:
            one = self._links.get(loop.link1, loop.link1)
            other = self._links.get(loop.link2, loop.link2)
            if one is not None and other is not None:
                name = self._joints.get(loop.name) or loop.name
                extras = self.follow_extras(loop.extras)
                yield replace(loop, name=name, link1=one, link2=other, extras=extras)

    def follow_extras(self, extras: tuple[Extra, ...]) -> tuple[Extra, ...]:
        found = []
        for extra in extras:
            xml = self._follow(extra.xml)
            if xml:
                found.append(extra if xml == extra.xml else replace(extra, xml=xml))
        return extras if found == list(extras) else tuple(found)

    def follow_transmissions(self, transmissions: Iterable[Transmission]) -> Iterable[Transmission]:
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
        """Takes out the joints that are gone; whether none is left of some."""
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


def free_followers(
    joints: Iterable[Joint], known: Callable[[str], bool], diagnostics: Diagnostics
) -> tuple[Joint, ...]:
    """Returns the joints; those that follow one that is gone move by themselves, with a warning."""
    freed = []
    for joint in joints:
        if joint.mimic is not None and not known(joint.mimic.joint):
            diagnostics.warning(
                "freed-follower",
                f"joint {quote(joint.name)} follows joint {quote(joint.mimic.joint)}, which is "
                "gone; it moves by itself now",
                subject=joint.name,
                line=joint.line,
            )
            joint = replace(joint, mimic=None)
        freed.append(joint)
    return tuple(freed)


def interpret_again(before: Robot, after: Robot) -> Robot:
    """Returns `after` with the sensors, settings and controls that its extras stand for now. Those
    of a robot that has them from elsewhere stay."""
    read = interpret_extras(before)
    if (read.sensors, read.settings) != (before.sensors, before.settings):
        return after
    return interpret_extras(after)
