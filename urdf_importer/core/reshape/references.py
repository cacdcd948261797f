# SPDX-License-Identifier: GPL-3.0-or-later
"""References between parts, which follow where links and joints are renamed or removed."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from ..diagnostics import Diagnostics, quote, unknown_name
from ..gazebo import interpret_extras
from ..markup.references import NameFollower, Names
from ..model import Joint, Robot


def need_links(robot: Robot, names: Iterable[str]) -> None:
    """Raises KinematicsError for a name that no link of the robot has."""
    need_parts("link", [link.name for link in robot.links], robot, names)


def need_joints(robot: Robot, names: Iterable[str]) -> None:
    """Raises KinematicsError for a name that no joint of the robot has."""
    need_parts("joint", [joint.name for joint in robot.joints], robot, names)


def need_parts(kind: str, known: Iterable[str], robot: Robot, names: Iterable[str]) -> None:
    """Raises KinematicsError for a name that is not a known one of this kind."""
    known = dict.fromkeys(known)
    for name in names:
        if name not in known:
            raise unknown_name(f"the robot has no {kind}", name, known, source=robot.source)


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

    `before` is the robot before anything was changed. Elements about removed parts go: <gazebo
    reference>, joints of <transmission> and <ros2_control>, and these where no joint is left in
    them.
    """
    follower = NameFollower(links, joints)
    followed = replace(
        robot,
        links=tuple(follower.follow_link(link) for link in robot.links),
        joints=tuple(follower.follow_joint(joint) for joint in robot.joints),
        loops=tuple(follower.follow_loops(robot.loops)),
        transmissions=tuple(follower.follow_transmissions(robot.transmissions)),
        extras=follower.follow_extras(robot.extras),
    )
    return interpret_again(before, followed)


def free_followers(
    joints: Iterable[Joint], known: Callable[[str], bool], diagnostics: Diagnostics
) -> tuple[Joint, ...]:
    """Returns the joints; joints that follow a removed one move by themselves, with a warning."""
    freed = []
    for joint in joints:
        if joint.mimic is not None and not known(joint.mimic.joint):
            diagnostics.warning(
                "freed-follower",
                f"joint {quote(joint.name)} follows joint {quote(joint.mimic.joint)}, which was "
                "removed; it moves by itself now",
                subject=joint.name,
                line=joint.line,
            )
            joint = replace(joint, mimic=None)
        freed.append(joint)
    return tuple(freed)


def interpret_again(before: Robot, after: Robot) -> Robot:
    """Returns `after` with the sensors, settings and controls that its extras now mean. A robot
    that has them from elsewhere keeps them."""
    read = interpret_extras(before)
    if (read.sensors, read.settings) != (before.sensors, before.settings):
        return after
    return interpret_extras(after)
