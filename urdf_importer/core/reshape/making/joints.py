# SPDX-License-Identifier: GPL-3.0-or-later
"""set_joint: a robot one of whose joints is another one."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Literal, Unpack

from ...arguments import choice_of, robot_of, texts_of
from ...diagnostics import KinematicsError, quote
from ...geometry.transforms import Matrix, invert, matrix_from_pose, pose_of
from ...kinematics.forward import zero_frames
from ...kinematics.tree import KinematicTree, retrace_tree
from ...model import Joint, Robot
from ..references import need_joints, need_links
from ..seat import move_frames
from .steps import JointChanges, check_motion, complete_joint

_DROPPED = ("limit", "dynamics", "mimic", "calibration", "safety_controller")
_ROUNDING = 1e-15


def set_joint(
    robot: Robot,
    joint: str,
    *,
    drop: Collection[str] = (),
    keep: Literal["shapes", "frame"] = "shapes",
    **changes: Unpack[JointChanges],
) -> Robot:
    """Returns the robot with changes to a joint: its `type`, `axis`, `origin`, `parent`, `limit`,
    `dynamics` and `mimic`, as the fields of a Joint have them; all else stays. `drop` names
    properties that go: limit, dynamics, mimic, calibration, safety_controller.

    With keep="shapes" the frame of the child link moves with the joint, and whatever is on the link
    and below it stays in its place at zero; with "frame" the limb goes along. With `parent` the
    limb moves to another link, where it stays in its place at zero unless `origin` is given.
    Raises KinematicsError for unknown names and rings of links or followers, ArgumentError for
    impossible values.
    """
    robot = robot_of(robot)
    need_joints(robot, [joint])
    choice_of(keep, "keep", ("shapes", "frame"))
    dropped = texts_of(drop, "drop")
    for each in dropped:
        choice_of(each, "drop", _DROPPED)
    given = check_motion(changes)
    before = next(each for each in robot.joints if each.name == joint)
    if "parent" in given or "origin" in given:
        robot, before = _seat(robot, before, given, keep == "shapes")
    cleared: dict[str, Any] = dict.fromkeys(dropped)
    after = replace(before, **{**cleared, **given})
    if "type" in given:
        after = complete_joint(after)
    joints = tuple(after if each.name == joint else each for each in robot.joints)
    changed = replace(robot, joints=joints)
    if after.mimic is not None and "mimic" in given:
        _check_leader(changed, after)
    return robot if changed == robot else changed


def _seat(
    robot: Robot, joint: Joint, given: dict[str, Any], keeps_shapes: bool
) -> tuple[Robot, Joint]:
    """Prepares new places: fills in the origin under a new parent, and expresses the child link in
    its new frame."""
    tree = retrace_tree(robot)
    was = matrix_from_pose(joint.origin)
    if given.get("parent", joint.parent) != joint.parent:
        was = _move_to(tree, joint, given["parent"], was)
        given.setdefault("origin", pose_of(was, rounding=_ROUNDING))
    if "origin" not in given or not keeps_shapes:
        return robot, joint
    seat = matrix_from_pose(joint.child_origin)
    frame = invert(matrix_from_pose(given["origin"]) @ seat) @ was @ seat
    if abs(frame - [[i == j for j in range(4)] for i in range(4)]).max() <= _ROUNDING:
        return robot, joint
    moved = move_frames(robot, {joint.child: frame})
    return moved, next(each for each in moved.joints if each.name == joint.name)


def _move_to(tree: KinematicTree, joint: Joint, parent: str, origin: Matrix) -> Matrix:
    """Returns the joint's origin (4, 4) in the frame of another parent, in its place at zero."""
    need_links(tree.robot, [parent])
    here, there = tree.index[joint.child], tree.index[parent]
    if here in tree.ancestors(there):
        raise KinematicsError(
            f"link {quote(joint.child)} cannot be on link {quote(parent)}: a link cannot be on "
            "itself or below itself",
            source=tree.robot.source,
        )
    zeros = zero_frames(tree)
    found: Matrix = invert(zeros[there]) @ zeros[tree.index[joint.parent]] @ origin
    return found


def _check_leader(robot: Robot, joint: Joint) -> None:
    """Refuses leaders that are not there, and rings of followers."""
    leaders = {each.name: each.mimic.joint for each in robot.joints if each.mimic is not None}
    name = leaders[joint.name]
    need_joints(robot, [name])
    seen: list[str] = []
    while name in leaders and name != joint.name and name not in seen:
        seen.append(name)
        name = leaders[name]
    if name == joint.name:
        through = f", also through {quote(seen[0])}" if seen else ""
        raise KinematicsError(
            f"joint {quote(joint.name)} cannot follow itself{through}", source=robot.source
        )
