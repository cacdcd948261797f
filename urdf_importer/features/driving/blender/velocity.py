# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that move at a speed, as keyframes, until they are somewhere."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....core.arguments import positions_of, rig_of
from ....core.blender.curves import MOST_FRAMES, frame_rate, key_every_frame, read_number
from ....core.blender.standing.joints import JointChannel, RigJoint, posed_joints_of
from ....core.diagnostics import KinematicsError, quote, unknown_name
from ...ik.blender.solve import recall_rig
from ...motion.baked import BakeResult

_SCALARS = ("revolute", "prismatic")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Course:
    """How a joint goes: from a position, at a speed, for so many seconds."""

    bone: Any
    channel: JointChannel
    begin: float
    speed: float
    seconds: float


def bake_velocity(
    armature: Any,
    speeds: Mapping[str, float],
    *,
    until: Mapping[str, float] | None = None,
    seconds: float | None = None,
    start_frame: int = 1,
    fps: float | None = None,
) -> BakeResult:
    """Keys joints that move at constant speeds, in every frame from `start_frame` on: joint ->
    rad/s, or m/s where it slides. The result has where they are at the end.

    A joint continues from where it is in the first frame, until it is where `until` says (joint ->
    radians or metres), `seconds` have passed or it is at its limit, whichever is first. `fps` are
    the scene's unless given.

    Raises KinematicsError, and keys nothing, for joints that are not there, follow others or are
    not of one number; for ends that are outside the limits or behind; where a joint would never
    end. Raises BuildError for an object that is not an imported robot.
    """
    armature = rig_of(armature)
    speeds, ends = positions_of(speeds), positions_of(until)
    recall_rig(armature)
    known = {joint.name: (bone, joint) for bone, joint in posed_joints_of(armature)}
    for name in ends:
        if name not in speeds:
            raise KinematicsError(f"joint {quote(name)} has an end, but no speed")
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0.0):
        raise KinematicsError(f"joints cannot move for {seconds} seconds")
    courses = {
        name: _plan(_find_joint(known, name), speed, ends.get(name), seconds, start_frame)
        for name, speed in speeds.items()
    }
    rate = frame_rate(fps)
    longest = max((course.seconds for course in courses.values()), default=0.0)
    if longest * rate > MOST_FRAMES:
        raise KinematicsError(f"the motion is longer than {MOST_FRAMES} frames")
    return BakeResult(
        first=start_frame,
        last=start_frame + _count_steps(longest, rate),
        positions={name: _key(course, start_frame, rate) for name, course in courses.items()},
    )


def _find_joint(known: Mapping[str, tuple[Any, RigJoint]], name: str) -> tuple[Any, RigJoint]:
    if name not in known:
        raise unknown_name("the robot has no joint", name, known, after=" that moves")
    bone, joint = known[name]
    if joint.kind not in _SCALARS:
        raise KinematicsError(f"joint {quote(name)} is {joint.kind}: it has no single speed")
    if joint.mimics:
        raise KinematicsError(f"joint {quote(name)} follows {quote(joint.mimics)}: move its leader")
    if not bone.id_data.is_editable:
        raise KinematicsError(
            f"{quote(bone.id_data.name)} is linked from another file: make a library override"
        )
    return bone, joint


def _plan(
    found: tuple[Any, RigJoint], speed: float, end: float | None, seconds: float | None, start: int
) -> _Course:
    """Ends a joint's way at the given position, and at its limit at the latest."""
    bone, joint = found
    (channel,) = joint.channels
    if not math.isfinite(speed):
        raise KinematicsError(f"joint {quote(joint.name)} cannot move at a speed of {speed}")
    begin = channel.sign * read_number(bone, channel.prop, channel.index, start)
    if end is not None:
        _check_end(joint, channel, begin, speed, end)
    limit = channel.upper if speed > 0.0 else channel.lower
    ends = [each for each in (end, limit) if each is not None]
    times = [max((each - begin) / speed, 0.0) for each in ends if speed]
    times += [] if seconds is None else [seconds]
    if not times:
        raise KinematicsError(
            f"joint {quote(joint.name)} has no limit ahead: give the position at which it stops, "
            "or the seconds"
        )
    return _Course(bone=bone, channel=channel, begin=begin, speed=speed, seconds=min(times))


def _check_end(
    joint: RigJoint, channel: JointChannel, begin: float, speed: float, end: float
) -> None:
    if not math.isfinite(end):
        raise KinematicsError(f"joint {quote(joint.name)} cannot move until {end}")
    if not channel.is_valid(end):
        raise KinematicsError(f"{end} is outside the limits of joint {quote(joint.name)}")
    if (end - begin) * speed < 0.0 or (speed == 0.0 and end != begin):
        raise KinematicsError(
            f"joint {quote(joint.name)} is at {begin:g} and never gets to {end:g} "
            f"at a speed of {speed:g}"
        )


def _count_steps(seconds: float, rate: float) -> int:
    return math.ceil(seconds * rate - 1e-6)


def _key(course: _Course, start: int, rate: float) -> float:
    times = np.arange(_count_steps(course.seconds, rate) + 1) / rate
    times = np.minimum(times, course.seconds)
    positions = course.begin + course.speed * times
    channel = course.channel
    key_every_frame(course.bone, channel.prop, channel.index, start, channel.sign * positions)
    return float(positions[-1])
