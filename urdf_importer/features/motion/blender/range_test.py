# SPDX-License-Identifier: GPL-3.0-or-later
"""A range test: each joint in turn goes from where it is to its lower limit, to its upper one and
back, to look at limits, axes and meshes. Nothing of it stays."""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ....core.blender.loop_hand import LoopHand, take_loops
from ....core.blender.standing import properties
from ....core.blender.standing.armatures import armatures_by_name, update_tags
from ....core.blender.standing.handles import find_holder
from ....core.blender.standing.joints import JointChannel, RigJoint, keep_joints, posed_joints_of
from ....core.blender.standing.pose import BASES, find_range
from ....core.diagnostics import BuildError


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sweep:
    """One number of a joint on its way: `stops` are start, lower end, upper end, start."""

    joint: RigJoint
    channel: JointChannel
    stops: tuple[float, ...]

    def position_at(self, share: float) -> float:
        """Returns the position at a share of the way, from 0 to 1: gently at every stop."""
        legs = [abs(b - a) for a, b in pairwise(self.stops)]
        gone = share * sum(legs)
        for start, end, leg in zip(self.stops, self.stops[1:], legs, strict=False):
            if gone < leg:
                return start + (end - start) * (0.5 - 0.5 * math.cos(math.pi * gone / leg))
            gone -= leg
        return self.stops[-1]


class RangeTest:
    """The range test of a robot, from its pose when this is made.

    Joints that follow others go along; left out are joints that move the robot as a whole, joints
    that nothing moves (an IK constraint holds them, their range is empty) and, unless they are
    `named`, joints that an SRDF calls passive. Takes `seconds` for each number of a joint. Raises
    BuildError where no joint is left.
    """

    def __init__(
        self, armature: Any, named: Collection[str] | None = None, seconds: float = 2.5
    ) -> None:
        self._armature = armature
        self._seconds = seconds
        self._sweeps = tuple(_plan_sweeps(armature, named))
        self._restore = keep_joints(armature, self.joints)
        self._moved: _Sweep | None = None
        self._hand: LoopHand | None = None
        if not self._sweeps:
            raise BuildError("no joint can be moved by itself")

    @property
    def joints(self) -> tuple[str, ...]:
        """The names of the joints, in their order."""
        return tuple(dict.fromkeys(each.joint.name for each in self._sweeps))

    @property
    def duration(self) -> float:
        """How many seconds all of it takes."""
        return self._seconds * len(self._sweeps)

    def show(self, time: float) -> str:
        """Poses the robot at a time in seconds from the beginning, and returns a sentence for
        it."""
        index = min(max(int(time / self._seconds), 0), len(self._sweeps) - 1)
        sweep = self._sweeps[index]
        if self._moved is not sweep:
            self._end_sweep()
            hand = take_loops(self._find_bone(sweep).id_data, sweep.joint.name)
            self._moved, self._hand = sweep, hand
        share = min(max(time / self._seconds - index, 0.0), 1.0)
        position = sweep.position_at(share)
        sweep.channel.put(self._find_bone(sweep), position)
        if self._hand is not None:
            self._hand.follow()
        update_tags(self._armature)
        return f"{self._name(sweep, index)}: {_show(sweep, position)}  ({_show_range(sweep)})"

    def end(self) -> None:
        """Restores everything, to the last digit."""
        self._end_sweep()

    def _end_sweep(self) -> None:
        self._restore()
        if self._hand is not None:
            self._hand.take_back()

    def _name(self, sweep: _Sweep, index: int) -> str:
        label = f" {sweep.channel.label}" if sweep.channel.label else ""
        return f"{index + 1} of {len(self._sweeps)}  {sweep.joint.name}{label}"

    def _find_bone(self, sweep: _Sweep) -> Any:
        home = armatures_by_name(self._armature)[sweep.joint.armature]
        return home.pose.bones[sweep.joint.bone]


def _plan_sweeps(armature: Any, named: Collection[str] | None) -> Iterator[_Sweep]:
    for bone, joint in posed_joints_of(armature):
        for channel in joint.channels if _takes_part(bone, joint, named) else ():
            lower, upper = find_range(channel)
            if lower < upper:
                start = channel.get(bone)
                yield _Sweep(joint=joint, channel=channel, stops=(start, lower, upper, start))


def _takes_part(pose_bone: Any, joint: RigJoint, named: Collection[str] | None) -> bool:
    if joint.mimics or joint.kind in BASES or find_holder(pose_bone.id_data, pose_bone.name):
        return False
    if named is not None:
        return joint.name in named
    return joint.name not in pose_bone.bone.get(properties.PASSIVE, ())


def _show(sweep: _Sweep, position: float) -> str:
    return f"{math.degrees(position):.0f}°" if sweep.channel.turns else f"{position:.3f} m"


def _show_range(sweep: _Sweep) -> str:
    channel = sweep.channel
    ends = " to ".join(_show(sweep, end) for end in sweep.stops[1:3])
    return ends if channel.lower is not None and channel.upper is not None else f"{ends}, no limit"
