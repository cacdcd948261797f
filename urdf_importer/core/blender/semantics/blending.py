# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose that comes in by shares: joints and the root control go from where they are towards it."""

from collections.abc import Mapping
from typing import Any

import bpy
import mathutils

from ..standing.armatures import armatures_of, keep_channels, update_tags
from ..standing.joints import posed_joints_of
from ..standing.pose import get_joint_positions, set_joint_positions
from ..standing.poses import Numbers
from .control import find_control, key_control, place_control


class PoseBlend:
    """A robot on its way to the positions of `goal`, joint -> numbers. Joints without a position
    stay, and names that the robot does not have are passed over."""

    def __init__(self, armature: Any, goal: Mapping[str, Numbers]) -> None:
        shown = get_joint_positions(armature)
        self._armature, self._goal = armature, dict(goal)
        self._joints = {
            joint.name: (bone, joint)
            for bone, joint in posed_joints_of(armature)
            if joint.name in goal and not joint.mimics
        }
        self._start = {name: _numbers(shown[name]) for name in self._joints}
        control = find_control(armature)
        homes = [*armatures_of(armature), *([] if control is None else [control])]
        self._restore = [keep_channels(each) for each in homes]
        self._root = None if control is None else _Root(armature, control, self._goal)

    def show(self, share: float) -> None:
        """Shows the pose at a share of the way, 0 for the start and 1 for all of it."""
        mixed = {
            name: _mix(start, self._goal[name], share)
            for name, start in self._start.items()
            if len(start) == len(self._goal[name])
        }
        positions = {name: each[0] if len(each) == 1 else each for name, each in mixed.items()}
        set_joint_positions(self._armature, positions)
        if self._root is not None:
            self._root.show(share)

    def keep(self) -> None:
        """Ends it; joints get keyframes where Blender's auto keying is on."""
        if not bpy.context.scene.tool_settings.use_keyframe_insert_auto:
            return
        for bone, joint in self._joints.values():
            for channel in joint.channels:
                channel.set(bone, channel.get(bone))
        key_control(self._armature, self._goal)

    def take_back(self) -> None:
        """Puts all numbers there that were there before."""
        for restore in self._restore:
            restore()
        update_tags(self._armature)


class _Root:
    """The bone of a root control, between where it is and where a state has it."""

    def __init__(self, armature: Any, control: Any, goal: Mapping[str, Numbers]) -> None:
        restore, self._bone = keep_channels(control), control.pose.bones[0]
        self._start = self._read()
        place_control(armature, goal)
        self._end = self._read()
        restore()

    def _read(self) -> Numbers:
        return (*self._bone.location, *self._bone.rotation_euler)

    def show(self, share: float) -> None:
        if self._start != self._end:
            numbers = _lerp(self._start, self._end, share)
            self._bone.location, self._bone.rotation_euler = numbers[:3], numbers[3:]


def _numbers(position: float | tuple[float, ...]) -> Numbers:
    return (position,) if isinstance(position, float) else position


def _mix(start: Numbers, end: Numbers, share: float) -> Numbers:
    """Returns numbers between two positions of a joint; turns by quaternions (x, y, z, w), which
    are the last of four or more, go the short way."""
    if share == 1.0:
        return end
    if len(start) < 4:
        return _lerp(start, end, share)
    one, other = (mathutils.Quaternion((each[-1], *each[-4:-1])) for each in (start, end))
    w, x, y, z = one.slerp(other.normalized(), share)
    return (*_lerp(start[:-4], end[:-4], share), x, y, z, w)


def _lerp(start: Numbers, end: Numbers, share: float) -> Numbers:
    return tuple(a + share * (b - a) for a, b in zip(start, end, strict=True))
