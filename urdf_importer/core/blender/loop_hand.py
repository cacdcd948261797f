# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops that the rig leaves open, closed where one joint is moved by hand, and where a rig is new.

The hand moves one joint, and it leads: also a follower. Other free joints on its loops stay, and
the rest go along.
"""

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from ..kinematics.forward import Position
from .standing.armatures import armatures_by_name, find_main
from .standing.joints import JointChannel, RigJoint, keep_joints, posed_joints_of, read_joints
from .standing.keys import insert_key
from .standing.loops import RigLoops, find_loops
from .standing.pose import put_position, read_channels

_SAME = 1e-6
"""Radians and metres: a joint that would move less stays unchanged, to the last digit."""


def settle_loops(armature: Any) -> None:
    """Closes the loops that a rig leaves open, with its free joints where they are, as far as they
    can be there. Moves nothing of a rig whose loops are closed."""
    loops = find_loops(armature)
    if loops is None or not loops.asked:
        return
    there = read_channels(armature, loops.asked)
    found = loops.close(there, there).positions
    for bone, joint in posed_joints_of(armature):
        if joint.name in loops.asked and not joint.mimics:
            _bring(bone, joint, there[joint.name], found[joint.name])


def move_joint(pose_bone: Any, channel: JointChannel, position: float) -> None:
    """Sets a number of a joint as JointChannel.set does, and brings along the joints that its loops
    move and the rig does not, with keyframes where these are set."""
    named = (each.name for each in read_joints(pose_bone.bone) if channel in each.channels)
    hand = take_loops(pose_bone.id_data, next(named, ""))
    if hand is None:
        channel.set(pose_bone, position)
        return
    channel.put(pose_bone, channel.hold(pose_bone, position))
    hand.follow()
    hand.keep()


def take_loops(item: Any, joint: str) -> "LoopHand | None":
    """Takes hold of the open loops that a joint belongs to, before the joint is moved; returns None
    where there are none. `item` is the armature object that has the joint."""
    main = find_main(item)
    loops = find_loops(main) if main is not None else None
    return LoopHand(main, loops, joint) if loops is not None and joint in loops.asked else None


class LoopHand:
    """Brings the joints of open loops along while one of them is moved."""

    def __init__(self, armature: Any, loops: RigLoops, joint: str) -> None:
        self._joint = joint
        self._closer = loops.let_lead(joint)
        names = {
            name for each in self._closer.solvers for name in (*each.free, *each.followers)
        } - loops.driven
        self._armature = armature
        self._homes = armatures_by_name(armature)
        self._joints = [each for _, each in posed_joints_of(armature) if each.name in names]
        self._start = read_channels(armature, names)
        self._last: Mapping[str, Position] = self._start
        self._raw = self._read_raw()
        self.take_back = keep_joints(armature, names)
        """Puts all joints back to where they were before the move."""

    def follow(self) -> None:
        """Closes the loops where the joint has been put, or as near to there as they can be."""
        there = read_channels(self._armature, self._start.keys())
        free = {name for each in self._closer.solvers for name in each.free} & there.keys()
        asked = {name: self._start[name] for name in free} | {self._joint: there[self._joint]}
        found = self._closer.close(asked, start=self._last).positions
        for joint in self._joints:
            _bring(self._find_bone(joint), joint, there[joint.name], found[joint.name])
        self._last = found

    def keep(self) -> None:
        """Ends the move: joints that moved get keyframes while Blender's auto keying is on."""
        if not bpy.context.scene.tool_settings.use_keyframe_insert_auto:
            return
        for (joint, old), new in zip(self._raw, self._read_raw(), strict=True):
            if joint.name == self._joint or old != new[1]:
                for channel in joint.channels:
                    insert_key(self._find_bone(joint), channel.prop, channel.index)

    def _read_raw(self) -> list[tuple[RigJoint, tuple[float, ...]]]:
        bones = [(joint, self._find_bone(joint)) for joint in self._joints]
        return [
            (joint, tuple(getattr(bone, each.prop)[each.index] for each in joint.channels))
            for joint, bone in bones
        ]

    def _find_bone(self, joint: RigJoint) -> Any:
        return self._homes[joint.armature].pose.bones[joint.bone]


def _bring(bone: Any, joint: RigJoint, old: Position, new: Position) -> None:
    if not np.allclose(old, new, rtol=0.0, atol=_SAME):
        put_position(bone, joint, new if isinstance(new, float) else tuple(new))
