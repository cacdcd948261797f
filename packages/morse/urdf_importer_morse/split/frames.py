# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of armature objects that are split off a robot's.

A bone keeps its place when it changes to another armature object with another frame, so its numbers
are rounded anew. If they came from Blender's first result, the errors of two roundings would add
up; so they come from the description, exactly, wherever the rig is still as described.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from urdf_importer.core.geometry.transforms import Matrix, Vector, cross, turn_z_onto, unit
from urdf_importer.core.kinematics.forward import joint_frames, zero_frames
from urdf_importer.core.kinematics.tree import KinematicTree
from urdf_importer.core.rig.rig_plan import BonePlan
from urdf_importer.core.rig.rounding import refine_folded, round_bones

_AS_DESCRIBED = 1e-4
"""A bone that is off by more (metres per metre of distance, plus one; radians) was moved by the
user."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointLine:
    """Where a joint that turns or slides is, in the robot's root frame with all joints at zero:
    `origin` (3,) and unit `axis` (3,)."""

    origin: Vector
    axis: Vector
    slides: bool


def locate_joints(tree: KinematicTree) -> dict[str, JointLine]:
    """Returns the lines of all joints of one degree of freedom by joint name."""
    return {
        motion.joint.name: JointLine(
            origin=frame[:3, 3],
            axis=frame[:3, :3] @ np.array(motion.axis),
            slides=motion.kind == "prismatic",
        )
        for motion, frame in zip(tree.motions, joint_frames(tree, zero_frames(tree)), strict=True)
        if motion is not None and motion.is_scalar
    }


def sharpen_rest(rest: Matrix, line: JointLine, sign: int) -> Matrix:
    """Sharpens the rest frame (4, 4) of a joint's bone, as Blender holds it, in the robot's root
    frame: its origin becomes the joint's, and X, times `sign`, the joint's axis exactly. A frame
    that is not near that is returned unchanged."""
    axes = _square(sign * line.axis, rest[:3, 1])
    shift = np.linalg.norm(rest[:3, 3] - line.origin) / (1.0 + np.linalg.norm(line.origin))
    if max(float(shift), float(np.linalg.norm(rest[:3, 0] - axes[:, 0]))) > _AS_DESCRIBED:
        return rest
    exact = np.eye(4)
    exact[:3, :3] = axes
    exact[:3, 3] = line.origin
    return exact


def _square(x: Vector, y: Vector) -> Matrix:
    """Returns (3, 3) right-angled axes of length one: X along `x` exactly, Y as near to `y` as can
    be."""
    x = unit(x)
    y = unit(y - (y @ x) * x)
    return np.stack([x, y, cross(x, y)], axis=-1)


def frame_armature(rest: Matrix, line: JointLine) -> Matrix:
    """Returns the frame (4, 4) of an armature object whose first bone has this rest frame: its
    origin is the bone's, its axes are the robot's root frame's. If the bone slides, these are
    turned as little as possible so that Z is the joint's axis: a bone's height is then its joint's
    position."""
    frame = np.eye(4)
    frame[:3, 3] = rest[:3, 3]
    if line.slides:
        frame[:3, :3] = turn_z_onto(line.axis)
    return frame


def round_into(frame: Matrix, bones: Sequence[BonePlan]) -> list[BonePlan]:
    """Moves bones whose rest is in the robot's root frame into another frame (4, 4), with
    directions and lengths that single precision keeps there; X of each is exact. The frame may be
    slightly skewed, as frames on bones far out are."""
    into = np.linalg.inv(frame)
    rests = np.array([into @ bone.rest for bone in bones])
    rests[:, :3, :3] = [_square(rest[:3, 0], rest[:3, 1]) for rest in rests]
    free_turn = np.ones(len(bones), bool)
    heads = rests[:, :3, 3]
    lengths = np.array([bone.length for bone in bones])
    axes, lengths = round_bones(heads, rests[:, :3, :3], lengths, free_turn)
    refine_folded(heads, axes, lengths, free_turn, _index_parents(bones))
    rests[:, :3, :3] = axes
    return [
        replace(bone, rest=rest, length=float(length))
        for bone, rest, length in zip(bones, rests, lengths, strict=True)
    ]


def _index_parents(bones: Sequence[BonePlan]) -> NDArray[np.intp]:
    index = {bone.name: i for i, bone in enumerate(bones)}
    return np.array([index.get(bone.parent, -1) for bone in bones], np.intp)
