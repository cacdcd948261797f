# SPDX-License-Identifier: GPL-3.0-or-later
"""Links with a second parent joint, as people close a loop who have no other word for it.

A URDF is a tree, and other programs refuse such files. Where the second joint finds both of its
links where it needs them, with all joints at zero, it was meant to close a loop. Where it does not,
it is a mistake, which the plan of the tree reports.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ....core.diagnostics import KinematicsError, quote
from ....core.kinematics.forward import zero_frames
from ....core.kinematics.loops.gap import frame_between, measure_gap
from ....core.kinematics.tree import retrace_tree
from ....core.model import Joint, LoopJoint, Robot, close_with
from .document import Document

_CLOSED = 1e-5
"""Metres for each metre of reach, or radians: files round to five digits."""


def find_second_parents(robot: Robot, document: Document) -> dict[int, LoopJoint]:
    """Maps the number of a joint of the robot -> the loop that it closes, with a warning each."""
    if len({joint.child for joint in robot.joints}) == len(robot.joints):
        return {}
    try:
        tree = retrace_tree(robot)
    except KinematicsError:
        return {}  # The planner of the robot reports the reason.
    frames = zero_frames(tree)
    allowed = _CLOSED * (1.0 + float(np.abs(frames[:, :3, 3]).max()))
    found: dict[int, LoopJoint] = {}
    for number, joint in _seconds(robot):
        ends = [tree.index[joint.parent], tree.index[joint.child]]
        loop = _as_loop(joint)
        if loop is None or tree.path(joint.parent, joint.child).top < 0:
            continue
        if measure_gap(loop, frame_between(loop, frames[ends[0]], frames[ends[1]])) < allowed:
            found[number] = loop
    _report([robot.joints[number] for number in found], robot, document)
    return found


def _seconds(robot: Robot) -> Iterator[tuple[int, Joint]]:
    seen: set[str] = set()
    for number, joint in enumerate(robot.joints):
        if joint.parent == joint.child:
            continue
        if joint.child in seen:
            yield number, joint
        seen.add(joint.child)


def _as_loop(joint: Joint) -> LoopJoint | None:
    """Returns the loop that a joint says, where nothing is lost by it; else None."""
    says_more = joint.mimic or joint.calibration or joint.safety_controller
    if says_more or joint.attributes or joint.leaves:
        return None
    return close_with(joint, "joint")


def _report(joints: Sequence[Joint], robot: Robot, document: Document) -> None:
    """Warns of the second parents of each link, once for all of them."""
    firsts: dict[str, str] = {}
    for joint in robot.joints:
        firsts.setdefault(joint.child, joint.name)
    seconds: dict[str, list[Joint]] = {}
    for joint in joints:
        seconds.setdefault(joint.child, []).append(joint)
    for child, (joint, *others) in seconds.items():
        more = f", as {len(others)} more joints are" if others else ""
        closes = "they close loops" if others else "it closes a loop"
        document.diagnostics.warning(
            "second-parent-loop",
            f"joint {quote(joint.name)} is a second parent of link {quote(child)}, which is "
            f"already the child of joint {quote(firsts[child])}{more}; {closes} there, and other "
            "programs refuse the file",
            subject=joint.name,
            line=joint.line,
        )
