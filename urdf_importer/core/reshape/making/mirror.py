# SPDX-License-Identifier: GPL-3.0-or-later
"""mirror_limb: a robot with the other side of a limb.

S = diag(1, -1, 1) mirrors at y = 0 of the root. A frame T becomes S T S, which is right-handed; so
turning axes become -S a, sliding ones S a, and equal numbers are mirrored poses. In roll, pitch and
yaw these are changes of signs, which are exact.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...arguments import robot_of
from ...diagnostics import KinematicsError, quote
from ...geometry.inertia import move_pose
from ...geometry.transforms import Matrix, invert
from ...kinematics.forward import zero_frames
from ...kinematics.tree import KinematicTree, retrace_tree
from ...markup.references import NameFollower
from ...markup.xml import parse_fragment
from ...model import (
    Extra,
    Extrusion,
    Geometry,
    Inertial,
    Joint,
    Link,
    LoopJoint,
    Mesh,
    Outline,
    Polyhedron,
    Pose,
    Robot,
    Transmission,
    Vector3,
)
from ..references import interpret_again, need_links, need_parts
from ..rename import rename_joint
from ..seat import change_places, move_loop
from ..symmetry import find_partner, name_other_side
from .control import list_control_joints, write_control_joints
from .steps import joint_names, refuse_taken

_MIRROR = np.diag([1.0, -1.0, 1.0, 1.0])
_SUFFIX = "_mirrored"
_OWN = "sensor|device|plugin|transmission|actuator"
_NAMED = re.compile(rf"""(<(?:{_OWN})\b[^<>]*?\sname\s*=\s*)(["'])([^"'<>]*)\2""")
_SLIDES = ("prismatic",)


def mirror_limb(robot: Robot, link: str, *, names: Mapping[str, str] | None = None) -> Robot:
    """Returns the robot with the limb from `link` down once more, mirrored at y = 0 of the root:
    with its joint, its loops, sensors and control. Equal positions are mirrored poses for joints of
    one axis, so limits stay.

    `names` gives new names, old -> new; others get the other side's word (left, right, `l_`, `R_`),
    or `_mirrored`. The limb is put on the other side's parent link where there is one by name.
    Raises KinematicsError for unknown names, the root, and names that are taken.
    """
    robot = robot_of(robot)
    need_links(robot, [link])
    tree = retrace_tree(robot)
    top = tree.joint_above(link)
    if top is None:
        raise KinematicsError(f"link {quote(link)} is the root: there is no limb to mirror")
    limb = _list_limb(tree, link)
    own = [each for each in robot.joints if each.child in limb]
    inner = [each for each in robot.loops if each.link1 in limb and each.link2 in limb]
    wanted = dict(names or {})
    moved = [*(each.name for each in own), *(each.name for each in inner)]
    need_parts("link or joint in this limb", [*limb, *moved], robot, wanted)
    links = {name: _name(name, wanted) for name in limb}
    joints = {name: _name(name, wanted) for name in moved}
    _refuse_clashes(robot, links, joints)
    carrier = find_partner(top.parent, [each.name for each in robot.links]) or top.parent
    placed = _Placing(tree, top, carrier)
    links_made = (_mirror_link(each, links[each.name]) for each in robot.links if each.name in limb)
    joints_made = (rename_joint(placed.mirror(each), links, joints) for each in own)
    loops_made = (_mirror_loop(each, links, joints[each.name]) for each in inner)
    made = replace(
        robot,
        links=(*robot.links, *links_made),
        joints=(*robot.joints, *joints_made),
        loops=(*robot.loops, *loops_made),
    )
    return _copy_meaning(robot, made, links, joints)


def find_mirrored(robot: Robot, link: str) -> dict[str, str]:
    """Returns the links of a limb, each with the name that mirror_limb gives its other side."""
    tree = retrace_tree(robot)
    need_links(robot, [link])
    return {name: _name(name, {}) for name in _list_limb(tree, link)}


def _list_limb(tree: KinematicTree, link: str) -> list[str]:
    return [tree.links[place].name for place in tree.subtree(tree.index[link])]


def _refuse_clashes(robot: Robot, links: Mapping[str, str], joints: Mapping[str, str]) -> None:
    for kind, given, known in (
        ("link", links, [each.name for each in robot.links]),
        ("joint", joints, joint_names(robot)),
    ):
        for number, name in enumerate(given.values()):
            refuse_taken(kind, [*known, *list(given.values())[:number]], name, robot)


def _name(name: str, wanted: Mapping[str, str]) -> str:
    return wanted.get(name) or next(name_other_side(name), f"{name}{_SUFFIX}")


class _Placing:
    """The joints of a limb on the other side: `top` carries it, on the link `carrier`."""

    def __init__(self, tree: KinematicTree, top: Joint, carrier: str) -> None:
        zeros = zero_frames(tree)
        here, there = zeros[tree.index[top.parent]], zeros[tree.index[carrier]]
        self._top = top
        self._carrier = carrier
        self._shift: Matrix = invert(there) @ _MIRROR @ here @ _MIRROR

    def mirror(self, joint: Joint) -> Joint:
        """Returns a joint mirrored, with its old names."""
        origin = mirror_pose(joint.origin)
        if joint.name == self._top.name:
            if np.abs(self._shift - np.eye(4)).max() > 1e-12:
                origin = move_pose(self._shift, origin)
            joint = replace(joint, parent=self._carrier)
        return replace(
            joint,
            origin=origin,
            child_origin=mirror_pose(joint.child_origin),
            axis=_mirror_axis(joint.axis, joint.type),
            line=0,
        )


def _mirror_loop(loop: LoopJoint, links: Mapping[str, str], name: str) -> LoopJoint:
    return replace(
        move_loop(loop, lambda pose, _: mirror_pose(pose)),
        name=name,
        link1=links[loop.link1],
        link2=links[loop.link2],
        axis=_mirror_axis(loop.axis, loop.type),
        line=0,
    )


def mirror_pose(pose: Pose) -> Pose:
    """Returns S T S of a frame T."""
    (x, y, z), (roll, pitch, yaw) = pose.xyz, pose.rpy
    turn = pose.quat_xyzw
    if turn is not None:
        turn = (_minus(turn[0]), turn[1], _minus(turn[2]), turn[3])
    return Pose(xyz=(x, _minus(y), z), rpy=(_minus(roll), pitch, _minus(yaw)), quat_xyzw=turn)


def _mirror_axis(axis: Vector3 | None, type: str) -> Vector3 | None:
    if axis is None:  # URDF's x.
        return None if type not in ("revolute", "continuous") else (-1.0, 0.0, 0.0)
    x, y, z = axis
    return (x, _minus(y), z) if type in _SLIDES else (_minus(x), y, _minus(z))


def _minus(number: float) -> float:
    return -number + 0.0


def _mirror_link(link: Link, name: str) -> Link:
    shapes: dict[str, Any] = {
        part: tuple(
            replace(
                each,
                origin=mirror_pose(each.origin),
                geometry=_mirror_geometry(each.geometry),
                name=each.name and _name(each.name, {}),
                line=0,
            )
            for each in getattr(link, part)
        )
        for part in ("visuals", "collisions")
    }
    inertial = link.inertial and _mirror_inertial(link.inertial)
    return replace(link, name=name, inertial=inertial, line=0, **shapes)


def _mirror_geometry(geometry: Geometry) -> Geometry:
    """Returns a shape whose y changed its sign; simple ones are the same."""
    match geometry:
        case Mesh(scale=(x, y, z)):
            return replace(geometry, scale=(x, -y, z))
        case Extrusion(outlines=outlines):
            mirrored = (Outline(points=_mirror_points(each.points, 2)) for each in outlines)
            return replace(geometry, outlines=tuple(mirrored))
        case Polyhedron(points=points, faces=faces):
            turned = tuple(int(each) for each in np.reshape(faces, (-1, 3))[:, ::-1].ravel())
            return Polyhedron(points=_mirror_points(points, 3), faces=turned)
    return geometry


def _mirror_points(points: tuple[float, ...], size: int) -> tuple[float, ...]:
    return tuple(_minus(each) if place % size == 1 else each for place, each in enumerate(points))


def _mirror_inertial(inertial: Inertial) -> Inertial:
    inertia = inertial.inertia
    if inertia is not None:
        inertia = replace(inertia, ixy=_minus(inertia.ixy), iyz=_minus(inertia.iyz))
    return replace(inertial, origin=mirror_pose(inertial.origin), inertia=inertia, line=0)


# Sensors, devices, control and transmissions: XML that follows the new names


def _copy_meaning(
    before: Robot, robot: Robot, links: Mapping[str, str], joints: Mapping[str, str]
) -> Robot:
    follower = NameFollower(links, joints)

    def follow(xml: str, tag: str) -> str:
        (extra,) = follower.follow_extras((Extra(tag=tag, xml=_rename_own(xml)),))
        return extra.xml

    extras: list[Extra] = []
    for extra in before.extras:
        if extra.tag == "ros2_control":
            limb = [each for each in list_control_joints(extra.xml) if each in joints]
            extra = write_control_joints(extra, {name: joints[name] for name in limb})
        extras.append(extra)
    for extra in before.extras:
        root = parse_fragment(extra.xml.encode())
        about = None if root is None else root.attributes.get("reference")
        if about in links or about in joints:
            xml = follow(extra.xml, extra.tag)
            made = Extra(tag=extra.tag, xml=xml)
            extras.append(change_places(made, lambda pose, _: mirror_pose(pose)))
    transmissions: list[Transmission] = list(before.transmissions)
    for each in before.transmissions:
        if each.joints and all(joint.name in joints for joint in each.joints):
            (copy,) = follower.follow_transmissions([each])
            actuators = tuple(replace(one, name=_name(one.name, {})) for one in each.actuators)
            xml = _rename_own(copy.xml)
            name = _name(each.name, {})
            copy = replace(copy, name=name, actuators=actuators, xml=xml, line=0)
            transmissions.append(copy)
    found = replace(robot, extras=tuple(extras), transmissions=tuple(transmissions))
    return interpret_again(before, found)


def _rename_own(xml: str) -> str:
    """Gives sensors and devices the names of the other side."""
    return _NAMED.sub(lambda found: f"{found[1]}{found[2]}{_name(found[3], {})}{found[2]}", xml)
