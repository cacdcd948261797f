# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of a whole robot: zero, random, and back within the limits."""

import math
import random
from collections.abc import Callable
from typing import Any

from . import properties
from .armatures import armatures_of, pose_bones_of
from .pose_channels import JointChannel, read_channels

_FREE_SLIDE = 0.5
"""How far (metres) a random pose moves a sliding joint that has no bound on that side."""
_BASES = ("planar", "floating")


def zero_pose(armature: Any) -> None:
    """Every joint at zero, or at the valid position nearest to it."""
    _set_all(armature, lambda kind, channel, position: channel.find_valid(0.0))


def random_pose(armature: Any, seed: int) -> None:
    """Every joint anywhere within its limits, the same for the same seed; angles without bounds
    within half a turn. Where the robot stands (planar and floating joints) stays."""
    chance = random.Random(seed)

    def choose(kind: str, channel: JointChannel, position: float) -> float:
        return position if kind in _BASES else chance.uniform(*_range(channel))

    _set_all(armature, choose)


def hold_limits(armature: Any) -> int:
    """Joints that are set outside their limits go to the nearest valid position. Gives how many
    there were."""
    return _set_all(armature, lambda kind, channel, position: channel.find_valid(position))


def _range(channel: JointChannel) -> tuple[float, float]:
    most = math.pi if channel.turns else _FREE_SLIDE
    lower, upper = channel.lower, channel.upper
    if lower is None:
        return (-most if upper is None else upper - most), (most if upper is None else upper)
    return lower, (lower + most if upper is None else upper)


def _set_all(armature: Any, choose: Callable[[str, JointChannel, float], float]) -> int:
    """Sets what `choose` makes of (kind of joint, channel, position) for all joints that follow no
    other. Gives how many joints moved."""
    moved = 0
    for pose_bone in pose_bones_of(armature):
        for joint in pose_bone.bone.get(properties.JOINTS, ()):
            if joint.get("mimics"):
                continue
            changed = False
            for channel in read_channels(joint):
                position = channel.get(pose_bone)
                wanted = choose(joint["kind"], channel, position)
                if wanted != position:
                    getattr(pose_bone, channel.prop)[channel.index] = channel.sign * wanted
                    changed = True
            moved += changed
    for each in armatures_of(armature):
        each.update_tag()
    return moved
