# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints for which a recording holds the links' motion alone, as /tf has it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ....core.blender.standing.joints import RigJoint, find_packed_joint
from ....core.blender.standing.links import links_of, name_link
from ....core.diagnostics import Diagnostics, KinematicsError, quote
from ....core.geometry.transforms import matrix_from_pose, pose_of_numbers, quaternion_from_rotation
from ....core.kinematics.keys import Keys
from ..joint_frames import find_relative, solve_joint
from ..trajectory import FrameTrack, Numbers, Trajectory

_OFF = 1e-3


def read_origin(packed: Mapping[str, Any]) -> tuple[Numbers, Numbers]:
    """Returns the frame of a joint in the link above: translation (3,), quaternion (4,)."""
    origin = packed.get("origin", {})
    xyz, rpy = (origin.get(name, (0.0, 0.0, 0.0)) for name in ("xyz", "rpy"))
    frame = matrix_from_pose(pose_of_numbers(xyz, rpy))
    return frame[:3, 3], np.array(quaternion_from_rotation(frame[:3, :3]))


def solve_joints(
    armature: Any,
    trajectory: Trajectory,
    joints: Mapping[str, RigJoint],
    diagnostics: Diagnostics,
) -> dict[str, Keys]:
    """Returns the positions of the joints between whose links the motion's frames move. Joints that
    follow another are passed over. An impossible motion is reported, once for each joint."""
    found = {}
    for link in links_of(armature):
        packed, child = find_packed_joint(link), name_link(link)
        joint = joints.get(packed["name"]) if packed is not None else None
        if packed is None or joint is None or joint.mimics or child is None:
            continue
        track = find_relative(trajectory.frames, str(packed["parent"]), child)
        if track is not None:
            axis = np.array(packed.get("axis", (1.0, 0.0, 0.0)), dtype=float)
            axis = axis / np.linalg.norm(axis)
            turns = joint.kind == "revolute"
            values, off = solve_joint(track, read_origin(packed), axis, turns=turns)
            _report(joint.name, track, off, diagnostics)
            positions = _within(values, joint) if turns else values
            found[joint.name] = Keys(times=track.times, values=positions)
    return found


def _within(values: Numbers, joint: RigJoint) -> Numbers:
    """Frames say angles within half a turn; a joint's range may hold them a turn further."""
    lower, upper = joint.limits
    if lower is None or upper is None:
        return values
    middle = (lower + upper) / 2
    outside = (values < lower - _OFF) | (values > upper + _OFF)
    turned = values + 2 * np.pi * np.round((middle - values) / (2 * np.pi))
    inside = (turned >= lower - _OFF) & (turned <= upper + _OFF)
    return np.where(outside & inside, turned, values)


def _report(name: str, track: FrameTrack, off: Numbers, diagnostics: Diagnostics) -> None:
    worst = int(off.argmax())
    if off[worst] > _OFF:
        diagnostics.warning(
            "frame-off-joint",
            f"frame {quote(track.child)} is {off[worst]:.3g} m or rad from where joint "
            f"{quote(name)} can bring it, at {track.times[worst]:.3f} s, at worst",
            subject=name,
        )


def explain_none(armature: Any, trajectory: Trajectory) -> KinematicsError:
    """Returns the error for a recording in which no frame is a link of the robot."""
    frames = sorted({name for track in trajectory.frames for name in (track.parent, track.child)})
    links = [name_link(link) or "" for link in links_of(armature)]
    shown = [", ".join(map(quote, names[:5])) or "none" for names in (frames, links)]
    return KinematicsError(
        f"no frame of the motion is a link of the robot: it has {shown[0]}, the robot {shown[1]}"
    )
