# SPDX-License-Identifier: GPL-3.0-or-later
"""The positions of a rig's joints, from which an export starts."""

from typing import Any

from ...model import Joint, Robot
from ..standing.joints import joints_of
from ..standing.pose import get_joint_positions
from .scene_source import shorten

_SAME = 1e-6
"""A position this near to a described one is taken for that one: poses have single precision, and a
position at a limit must not be beyond it."""


def extract_positions(armature: Any, robot: Robot) -> tuple[tuple[str, str], ...]:
    """Extracts (joint, its position as text) of the joints that mimic no other joint, as the rig
    shows them. Joints that loops move are included: they distinguish the ways of closing a loop.
    Raises BuildError for an object that is not an imported robot."""
    joints = {joint.name: joint for joint in robot.joints}
    mimics = {joint.name for joint in robot.joints if joint.mimic is not None}
    followers = {joint.name for joint in joints_of(armature) if joint.mimics} & mimics
    return tuple(
        (name, _write(joints[name], position))
        for name, position in get_joint_positions(armature).items()
        if name in joints and name not in followers
    )


def _write(joint: Joint, position: float | tuple[float, ...]) -> str:
    if isinstance(position, tuple):
        return ",".join(repr(shorten(number)) for number in position)
    near = [mark for mark in _marks(joint) if abs(mark - position) <= _SAME * max(1.0, abs(mark))]
    return repr(near[0] if near else shorten(position))


def _marks(joint: Joint) -> list[float]:
    """Lists the positions that a description names: zero and the limits."""
    limit, safety = joint.limit, joint.safety_controller
    bounds = [limit.lower, limit.upper] if limit is not None else []
    if safety is not None:
        bounds += [safety.soft_lower_limit, safety.soft_upper_limit]
    return [0.0, *(bound for bound in bounds if bound is not None)]
