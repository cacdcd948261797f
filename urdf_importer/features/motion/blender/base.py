# SPDX-License-Identifier: GPL-3.0-or-later
"""How the base of a robot moves: by its planar or floating joint, or as a whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....core.blender.curves import PlannedCurve, plan_channels
from ....core.blender.standing.joints import (
    RigJoint,
    find_packed_joint,
    posed_joints_of,
    read_link_joint,
)
from ....core.blender.standing.links import links_of, name_link, name_root
from ....core.blender.standing.pose import euler_xyz
from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.transforms import plane_axes, rotation_from_quaternion
from ....core.kinematics.keys import Keys
from ..frames import align_signs, find_base, interpolate_track, multiply, rotate
from ..joint_frames import rename_frames
from ..options import MotionOptions
from ..trajectory import FrameTrack, Numbers, Trajectory
from .from_frames import read_origin

_LOST = 1e-4
_TURNED = 1e-4
"""Radians that angles between two keys may be off the shortest arc."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Free:
    """A planar, floating or ball joint: its bone, and its description where it is on the root link;
    `child` is the link that it moves."""

    bone: Any
    joint: RigJoint
    child: str = ""
    packed: Any = None


def name_frames(armature: Any, trajectory: Trajectory, options: MotionOptions) -> Trajectory:
    """Gives frames the names of the robot's links and joints; recordings know more."""
    known = {name_link(link) or "" for link in links_of(armature)}
    known |= {joint.name for _, joint in posed_joints_of(armature)}
    frames = rename_frames(trajectory.frames, known - {""}, options.prefix)
    return replace(trajectory, frames=frames)


def plan_frames(
    armature: Any, trajectory: Trajectory, options: MotionOptions, diagnostics: Diagnostics
) -> list[PlannedCurve]:
    """Plans the motion of the base, and of joints that have several numbers: by their own names, as
    MultiDOFJointState has it, or by the link attached to the root link."""
    if not trajectory.frames:
        return []
    free = {
        joint.name: _Free(bone=bone, joint=joint)
        for bone, joint in posed_joints_of(armature)
        if joint.kind in ("planar", "floating", "spherical")
    }
    own = {track.child: track for track in trajectory.frames if track.child in free}
    plans: list[PlannedCurve] = []
    for name, track in own.items():
        # A planar joint's own motion is in X and Y, whatever its axis.
        plans += _plan(free[name], track, (0.0, 0.0, 1.0), diagnostics)
    root, joint = _find_root(armature, free)
    moves_itself = joint is not None and joint.joint.name in own and options.base != "object"
    if options.base == "none" or moves_itself:
        return plans
    children = [joint.child] if joint is not None and options.base == "auto" else []
    base = find_base(trajectory.frames, [*children, root], options.fixed_frame)
    if base is None:
        return plans
    child = base.child.lstrip("/")
    if joint is None or options.base == "object" or child == root != "":
        return [*plans, *_plan_object(armature, base)]
    axis = joint.packed.get("axis", (1.0, 0.0, 0.0))
    return [*plans, *_plan(joint, _within(base, joint.packed), axis, diagnostics)]


def _find_root(armature: Any, free: dict[str, _Free]) -> tuple[str, _Free | None]:
    """Returns the root link, and the planar or floating joint on it."""
    root = name_root(armature)
    for link in links_of(armature):
        above = read_link_joint(link)
        if above is not None and above.parent == root and above.name in free:
            found = free[above.name]
            if found.joint.kind != "spherical":
                packed, child = find_packed_joint(link), name_link(link) or ""
                return root, replace(found, child=child, packed=packed)
    return root, None


def _plan(
    free: _Free, track: FrameTrack, axis: Sequence[float], diagnostics: Diagnostics
) -> list[PlannedCurve]:
    if free.joint.kind != "planar":
        return _plan_floating(free, track)
    return _plan_planar(free, track, np.array(axis, float) / np.linalg.norm(axis), diagnostics)


def _plan_object(armature: Any, track: FrameTrack) -> list[PlannedCurve]:
    """Plans the place of the armature itself, which is turned by quaternions."""
    turned = align_signs(track.quaternions)[:, [3, 0, 1, 2]]
    return [
        PlannedCurve(
            item=armature,
            path=path,
            index=index,
            group="Object Transforms",
            keys=Keys(times=track.times, values=values),
        )
        for path, rows in (("location", track.translations), ("rotation_quaternion", turned))
        for index, values in enumerate(rows.T)
    ]


def _within(track: FrameTrack, packed: Any) -> FrameTrack:
    """Returns the poses as seen from the joint's frame, which may be anywhere in the root link."""
    moved, turned = read_origin(packed)
    inverse = np.tile(turned * [-1.0, -1.0, -1.0, 1.0], (len(track.times), 1))
    return replace(
        track,
        translations=rotate(inverse, track.translations - moved),
        quaternions=multiply(inverse, track.quaternions),
    )


def _plan_planar(
    free: _Free, track: FrameTrack, normal: Numbers, diagnostics: Diagnostics
) -> list[PlannedCurve]:
    """A planar joint takes the part in its plane."""
    u, v = plane_axes(normal)
    aside = rotate(track.quaternions, np.tile(u, (len(track.times), 1)))
    yaw = np.unwrap(np.arctan2(aside @ v, aside @ u))
    up = rotate(track.quaternions, np.tile(normal, (len(track.times), 1))) @ normal
    lost = max(
        float(np.ptp(track.translations @ normal)), float(np.arccos(np.clip(up, -1, 1)).max())
    )
    if lost > _LOST:
        diagnostics.warning(
            "base-motion-lost",
            f"the base leaves the plane of joint {quote(free.joint.name)}, by {lost:.3g} m or rad "
            "at most; it stays in it",
            subject=free.joint.name,
        )
    return _of_joint(free, track.times, (track.translations @ u, track.translations @ v, yaw))


def _plan_floating(free: _Free, track: FrameTrack) -> list[PlannedCurve]:
    """Between keys Blender mixes angles, not turns: keys are added until both are the same."""
    times = track.times
    for _ in range(12):
        moved, turned = interpolate_track(track, times)
        angles = _angles(turned)
        middle = (times[1:] + times[:-1]) / 2
        if not len(middle):
            break
        _, wanted = interpolate_track(track, middle)
        mixed = _turns((angles[1:] + angles[:-1]) / 2)
        off = 2 * np.arccos(np.clip(np.abs((wanted * mixed).sum(axis=1)), 0.0, 1.0))
        if (off <= _TURNED).all() or len(times) > 4 * len(track.times) + 10_000:
            break
        times = np.union1d(times, middle[off > _TURNED])
    parts = angles.T if free.joint.kind == "spherical" else (*moved.T, *angles.T)
    return _of_joint(free, times, parts)


def _angles(quaternions: Numbers) -> Numbers:
    """Returns Blender's XYZ angles (m, 3), each the nearest to the previous ones."""
    found = [(0.0, 0.0, 0.0)]
    for quaternion in quaternions.tolist():
        found.append(euler_xyz(rotation_from_quaternion(quaternion), found[-1]))
    return np.array(found[1:])


def _turns(angles: Numbers) -> Numbers:
    """Returns quaternions (m, 4) of XYZ angles: Rz Ry Rx."""
    halves = angles / 2
    nothing = np.zeros(len(angles))
    turns = []
    for axis in range(3):
        parts = [nothing, nothing, nothing, np.cos(halves[:, axis])]
        parts[axis] = np.sin(halves[:, axis])
        turns.append(np.stack(parts, axis=1))
    return multiply(turns[2], multiply(turns[1], turns[0]))


def _of_joint(free: _Free, times: Numbers, values: Iterable[Numbers]) -> list[PlannedCurve]:
    keys = [Keys(times=times, values=each) for each in values]
    return list(plan_channels(free.bone, free.joint, keys))
