# SPDX-License-Identifier: GPL-3.0-or-later
"""In which order the children of <robot> are written.

Equal robots have their links in one order, their joints in one order and so on, but the order of
links relative to joints is open. Where lines of the source are known they decide; else each link
comes before its child joints.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from ....core.model import Extra, Joint, Link, LoopJoint, Material, Robot, Transmission

Part = Material | Link | Joint | LoopJoint | Transmission | Extra
_Item = TypeVar("_Item", Material, Link, Joint, LoopJoint, Transmission, Extra)


def order_parts(robot: Robot) -> Iterator[Part]:
    """Yields all children of <robot>. Children of one kind stay in their order."""
    links, joints = _with_lines(robot.links), _with_lines(robot.joints)
    keyed: list[tuple[int, int, Part]] = []
    keyed += [(line, 0, item) for line, item in _with_lines(robot.materials)]
    keyed += [(line, 1, item) for line, item in _hang(links, joints)]
    keyed += [(line, 2, item) for line, item in _with_lines(robot.loops)]
    keyed += [(line, 3, item) for line, item in _with_lines(robot.transmissions)]
    keyed += [(line, 4, item) for line, item in _with_lines(robot.extras)]
    keyed.sort(key=lambda entry: entry[:2])
    return (item for _, _, item in keyed)


def _with_lines(items: Sequence[_Item]) -> list[tuple[int, _Item]]:
    """Each with its line, and where that goes backwards or is not known with the line of the one
    before: so no two change places."""
    placed = []
    latest = 0
    for item in items:
        latest = max(latest, item.line)
        placed.append((latest, item))
    return placed


def _hang(
    links: Sequence[tuple[int, Link]], joints: Sequence[tuple[int, Joint]]
) -> Iterator[tuple[int, Link | Joint]]:
    """Links and joints by their lines; of one line, or without lines, each joint as soon as its
    parent link is there."""
    written: set[str] = set()
    next_joint = 0
    for line, link in links:
        while next_joint < len(joints):
            joint_line, joint = joints[next_joint]
            if joint_line > line or (joint_line == line and joint.parent not in written):
                break
            yield joint_line, joint
            next_joint += 1
        yield line, link
        written.add(link.name)
    yield from joints[next_joint:]
