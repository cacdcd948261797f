# SPDX-License-Identifier: GPL-3.0-or-later
"""reroot: a robot whose root is another of its links."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from ..arguments import robot_of
from ..diagnostics import KinematicsError, quote
from ..geometry.inertia import move_pose
from ..geometry.transforms import invert, matrix_from_pose, pose_of
from ..kinematics.tree import retrace_tree
from ..model import IDENTITY, Joint, Link, Pose, Robot, Vector3
from ..names import Claims
from .references import need_links
from .seat import move_frames, seat_links

Frames = Literal["keep", "move"]
_TURNED = ("revolute", "continuous", "prismatic", "fixed")


def reroot(robot: Robot, link: str, *, frames: Frames = "keep") -> Robot:
    """Returns the robot with `link` as its root; positions, signs and limits of joints stay.

    The joints on the way to the old root are reversed: a child at O M(a, q) in its parent
    becomes a parent at M(-a, q) O^-1 in the child. With `frames="keep"` every link keeps its frame,
    for which each such joint that moves gets a link without mass behind it, and a fixed joint with
    O^-1 from there. With "move" there are none: the frames of the old parents go to the joints, and
    poses in them are expressed anew.

    Raises KinematicsError for an unknown link, and where planar, floating or ball joints are on the
    way: none of these words describes such a joint reversed.
    """
    robot = robot_of(robot)
    need_links(robot, [link])
    tree = retrace_tree(robot)
    way = [place for place in tree.ancestors(tree.index[link]) if tree.parents[place] >= 0]
    if not way:
        return robot
    joints = [motion.joint for place in way if (motion := tree.motions[place]) is not None]
    for joint in joints:
        if joint.type not in _TURNED:
            raise KinematicsError(
                f"{joint.type} joint {quote(joint.name)} is on the way to link {quote(link)}, and "
                "cannot be reversed",
                source=robot.source,
                line=joint.line,
            )
    if frames == "move":
        robot = seat_links(robot, [joint.name for joint in joints[1:]])
        turned = {joint.name: joint for joint in robot.joints}
        return _move_frames(robot, [turned[joint.name] for joint in joints])
    return _keep_frames(robot, joints)


def _keep_frames(robot: Robot, way: list[Joint]) -> Robot:
    names = Claims(
        taken=[*(link.name for link in robot.links), *(joint.name for joint in robot.joints)]
    )
    turned = {joint.name: tuple(_turn(joint, names)) for joint in way}
    added = [part for parts in turned.values() for part in parts if isinstance(part, Link)]
    joints = [part for joint in robot.joints for part in turned.get(joint.name, (joint,))]
    return replace(
        robot,
        links=(*robot.links, *added),
        joints=tuple(part for part in joints if isinstance(part, Joint)),
    )


def _turn(joint: Joint, names: Claims) -> Iterator[Joint | Link]:
    back = pose_of(invert(matrix_from_pose(joint.origin)))
    start = _way_back(joint)
    joint = replace(joint, child_origin=IDENTITY)
    if joint.type == "fixed":
        if start != IDENTITY:
            back = move_pose(matrix_from_pose(start), back)
        yield replace(joint, parent=joint.child, child=joint.parent, origin=back)
        return
    # Without a way back there is nothing for a frame of its own to do.
    needs_frame = back != IDENTITY
    frame = names.claim(f"{joint.name}_frame") if needs_frame else joint.parent
    yield replace(joint, parent=joint.child, child=frame, origin=start, axis=_against(joint.axis))
    if needs_frame:
        yield Link(name=frame)
        name = names.claim(f"{joint.name}_to_{joint.parent}")
        yield Joint(name=name, type="fixed", parent=frame, child=joint.parent, origin=back)


def _way_back(joint: Joint) -> Pose:
    """The joint in its child link's frame."""
    if joint.child_origin == IDENTITY:
        return IDENTITY
    return pose_of(invert(matrix_from_pose(joint.child_origin)))


def _against(axis: Vector3 | None) -> Vector3:
    x, y, z = axis or (1.0, 0.0, 0.0)
    return 0.0 - x, 0.0 - y, 0.0 - z


def _move_frames(robot: Robot, way: list[Joint]) -> Robot:
    """The old parents' frames move to the joints: a pose X in one becomes O^-1 X.

    `way` goes up from the new root; the new root's own frame stays.
    """
    shift = {joint.parent: invert(matrix_from_pose(joint.origin)) for joint in way}
    turned = {}
    for joint in way:
        # The child's frame, if it is an old parent itself, is on the joint before.
        before = shift.get(joint.child)
        turned[joint.name] = replace(
            joint,
            parent=joint.child,
            child=joint.parent,
            origin=_way_back(joint) if before is None else pose_of(before),
            child_origin=IDENTITY,
            axis=None if joint.type == "fixed" else _against(joint.axis),
        )
    moved = move_frames(robot, shift)
    return replace(moved, joints=tuple(turned.get(each.name, each) for each in moved.joints))
