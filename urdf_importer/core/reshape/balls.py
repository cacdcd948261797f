# SPDX-License-Identifier: GPL-3.0-or-later
"""Ball joints, which URDF does not know, as three joints that it does."""

from collections.abc import Iterator
from dataclasses import replace

from ..model import IDENTITY, Joint, Link, Robot
from ..names import Claims

_TYPES = ("spherical", "ball")
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def split_balls(robot: Robot) -> Robot:
    """Returns the robot with three continuous joints J_x, J_y, J_z in place of each ball joint J,
    about the axes of its frame, one after the other, with links without mass between them. Every
    orientation is reached; J's orientation is Rx Ry Rz."""
    balls = [joint for joint in robot.joints if joint.type in _TYPES]
    if not balls:
        return robot
    claims = Claims()
    for kind in (robot.links, robot.joints, robot.loops):
        for part in kind:
            claims.claim(part.name)
    parts = {joint.name: list(_split(joint, claims)) for joint in balls}
    joints: list[Joint] = []
    links = list(robot.links)
    for joint in robot.joints:
        own = parts.get(joint.name, [joint])
        joints += own
        links += [Link(name=part.child, line=joint.line) for part in own[:-1]]
    return replace(robot, links=tuple(links), joints=tuple(joints))


def _split(joint: Joint, claims: Claims) -> Iterator[Joint]:
    parent = joint.parent
    for letter, axis in _AXES.items():
        is_last = letter == "z"
        name = claims.claim(f"{joint.name}_{letter}")
        child = joint.child if is_last else claims.claim(f"{name}_link")
        yield replace(
            joint,
            name=name,
            type="continuous",
            parent=parent,
            child=child,
            origin=joint.origin if letter == "x" else IDENTITY,
            child_origin=joint.child_origin if is_last else IDENTITY,
            axis=axis,
            extras=joint.extras if is_last else (),
        )
        parent = child
