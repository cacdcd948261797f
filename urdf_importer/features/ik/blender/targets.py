# SPDX-License-Identifier: GPL-3.0-or-later
"""The places that a link of a rig moves to: modes, frames, orientations and conventions, made one
frame in armature space."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ....core.blender.standing.pose import link_pose
from ....core.diagnostics import KinematicsError
from ....core.geometry.transforms import (
    Matrix,
    make_frame,
    nearest_rotation,
    rotation_from_quaternion,
)
from ....core.kinematics.loops import forward_kinematics
from ....core.kinematics.motion import JointMotion
from ....core.model import Robot
from ..options import RigIKOptions

Solved = dict[str, float | tuple[float, ...]]


def find_moved(positions: Mapping[str, Any], shown: Mapping[str, Any], near: float) -> Solved:
    """Finds the positions that differ from the shown ones by more than a share or a length."""
    return {
        name: position
        for name, position in positions.items()
        if not np.allclose(position, shown[name], rtol=near, atol=near)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """The link's new place: `frame` (4, 4) in armature space; `turned` says whether its
    orientation counts; `start` are the positions of all joints that the search starts from."""

    frame: Matrix
    turned: bool
    start: Solved


@dataclass(frozen=True, slots=True, kw_only=True)
class IkWish:
    """The caller's wishes, as written; see solve_ik."""

    link: str
    target: ArrayLike
    options: RigIKOptions

    @property
    def turns(self) -> Any:
        """The link's orientation: as the options say, else free for a point."""
        said, is_point = self.options.orientation, np.shape(self.target) != (4, 4)
        return ("free" if is_point else "keep") if said is None else said


def aim(armature: Any, robot: Robot, wish: IkWish, shown: Solved, default: Solved) -> Aim:
    """Returns the intended frame of a link. `shown` are the displayed positions of the rig,
    `default` the group's positions in the default pose.

    Raises KinematicsError for unknown links and wrong shapes.
    """
    mode = wish.options.mode
    given = _read_target(wish)
    frame = find_frame(armature, wish.options.in_frame)
    there, start = link_pose(armature, wish.link), shown
    if mode == "default":
        start = shown | default
        there = forward_kinematics(robot, start)[wish.link]
    there = _orthonormal(there)
    linear, axes = frame[:3, :3], _orthonormal(frame)[:3, :3]
    result = there.copy()
    if mode == "absolute":
        result[:3, 3] = linear @ given[:3, 3] + frame[:3, 3]
    else:
        result[:3, 3] = there[:3, 3] + linear @ given[:3, 3]
    free = isinstance(wish.turns, str) and wish.turns == "free"
    rotation = _read_rotation(wish, given)
    if rotation is not None:
        turned = axes @ rotation
        relative = turned @ axes.T @ there[:3, :3]
        result[:3, :3] = turned if mode == "absolute" else relative
    return Aim(frame=result, turned=not free, start=start)


def _read_target(wish: IkWish) -> Matrix:
    """Returns (4, 4) in the robot's axes and units."""
    try:
        array = np.array(wish.target, dtype=np.float64)
    except (TypeError, ValueError):
        raise KinematicsError("the target is not made of numbers") from None
    if array.shape not in ((3,), (4, 4)):
        raise KinematicsError(
            f"the target must be a frame (4, 4) or a point (3,), not of shape {array.shape}"
        )
    if wish.options.convention is not None:
        array = wish.options.convention.to_robot(array)
    if array.shape == (4, 4):
        return array
    return make_frame(point=array)


def _read_rotation(wish: IkWish, given: Matrix) -> Matrix | None:
    """Returns the rotation (3, 3) that is asked for, in the frame's axes; None where the link keeps
    its own, or may have any."""
    wanted = wish.turns
    if isinstance(wanted, str):
        brings_own = np.shape(wish.target) == (4, 4) and wanted == "keep"
        return given[:3, :3] if brings_own else None
    # Blender's own quaternions are w, x, y, z; ours x, y, z, w, as in joint positions.
    parts = (wanted.x, wanted.y, wanted.z, wanted.w) if hasattr(wanted, "w") else wanted
    try:
        x, y, z, w = map(float, parts)
    except (TypeError, ValueError):
        raise KinematicsError("a quaternion is made of four numbers: x, y, z, w") from None
    if not 1e-6 < x * x + y * y + z * z + w * w < 1e6:
        raise KinematicsError("the orientation's quaternion has no direction")
    rotation = make_frame(rotation_from_quaternion((x, y, z, w)))
    if wish.options.convention is not None:
        rotation = wish.options.convention.to_robot(rotation)
    return rotation[:3, :3]


def find_frame(armature: Any, frame: str) -> Matrix:
    """Returns (4, 4), from a frame ("armature", "world" or a link's name) to armature space. Raises
    KinematicsError for an unknown link."""
    if frame == "armature":
        return np.eye(4)
    if frame == "world":
        world = world_from_armature(armature)
        if abs(np.linalg.det(world[:3, :3])) < 1e-12:
            raise KinematicsError("the armature is scaled to nothing: it has no place in the world")
        return np.linalg.inv(world)
    return _orthonormal(link_pose(armature, frame))


def world_from_armature(armature: Any, depsgraph: Any | None = None) -> Matrix:
    """Returns (4, 4), where an armature is shown in the world; in a handler, where its own
    depsgraph shows it."""
    depsgraph = depsgraph or bpy.context.evaluated_depsgraph_get()
    return np.array(armature.evaluated_get(depsgraph).matrix_world, dtype=np.float64)


def _orthonormal(frame: Matrix) -> Matrix:
    """Returns the frame with the nearest rotation: Blender has it in single precision, and under
    scaled armatures with their scale."""
    result = np.array(frame, dtype=np.float64)
    sizes = np.linalg.norm(result[:3, :3], axis=0)
    result[:3, :3] = nearest_rotation(result[:3, :3] / np.maximum(sizes, 1e-300))
    return result


def default_positions(
    motions: Mapping[str, JointMotion], joints: Collection[str]
) -> dict[str, float]:
    """Returns the default pose of these joints, as MoveIt has it: zero where the limits hold it,
    else their middle; limits are tightened by the soft limits of a safety controller, where these
    are stated and in order."""
    positions = {}
    for name in joints:
        motion = motions[name]
        if not motion.is_scalar:
            continue
        lower, upper = _soft_limits(motion)
        outside = (lower is not None and lower > 0.0) or (upper is not None and upper < 0.0)
        if not outside:
            positions[name] = 0.0
        elif lower is None or upper is None:
            positions[name] = motion.nearest_valid(0.0)
        else:
            positions[name] = 0.5 * (lower + upper)
    return positions


def _soft_limits(motion: JointMotion) -> tuple[float | None, float | None]:
    lower, upper = motion.lower, motion.upper
    safety = motion.joint.safety_controller
    if safety is None or lower is None or upper is None:
        return lower, upper
    soft_lower, soft_upper = safety.soft_lower_limit, safety.soft_upper_limit
    if soft_lower is None or soft_upper is None:
        return lower, upper
    tighter = max(lower, soft_lower), min(upper, soft_upper)
    return tighter if tighter[0] < tighter[1] else (lower, upper)
