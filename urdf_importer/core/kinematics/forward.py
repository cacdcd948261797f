# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics: joint positions -> link frames."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..diagnostics import KinematicsError, quote, quote_value, unknown_name
from ..geometry.transforms import (
    Matrix,
    invert,
    matrices_from_poses,
    matrix_from_pose,
    plane_axes,
    rotation_from_quaternion,
    rotations_about,
)
from .motion import JointMotion, follow_to_masters
from .tree import KinematicTree

Position = float | Sequence[float]
Positions = Mapping[str, Position]
Refuse = Callable[[Mapping[str, Any]], str]
"""Positions of joints -> why they are not an answer, as "'a' touches 'b'"; empty where they
are one."""
POSITION_SIZES = {"planar": 3, "floating": 7, "spherical": 4}
AT_REST: Mapping[str, tuple[float, ...]] = {
    "planar": (0.0, 0.0, 0.0),
    "floating": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    "spherical": (0.0, 0.0, 0.0, 1.0),
}
"""The zero of joints of several numbers."""


def place_links(tree: KinematicTree, positions: Positions) -> dict[str, Matrix]:
    """Returns the frame of every link, link name -> (4, 4) in the frame of the root link, with all
    joints at `positions`, as forward_kinematics takes them: loops may be open.

    Raises KinematicsError for an unknown joint or a wrong kind of position.
    """
    local = local_matrices(tree, positions)
    frames: list[Matrix] = []
    for parent, matrix in zip(tree.parents, local, strict=True):
        frames.append(matrix if parent < 0 else frames[parent] @ matrix)
    return {link.name: frame for link, frame in zip(tree.links, frames, strict=True)}


def place_joints(
    tree: KinematicTree, base: str, places: Collection[int]
) -> Iterator[tuple[int, JointMotion, Matrix]]:
    """Yields the joints above the links at `places`: the place, the motion, and the frame (4, 4) of
    the joint at zero in the frame of the link `base`."""
    if not places:
        return
    frames = place_links(tree, {})
    home = np.linalg.inv(frames[base])
    for place in places:
        motion = tree.motions[place]
        if motion is not None:
            frame = home @ frames[tree.links[place].name]
            yield place, motion, frame @ invert(matrix_from_pose(motion.joint.child_origin))


def zero_frames(tree: KinematicTree) -> Matrix:
    """Returns (N, 4, 4) frames of all links in tree order with every joint at zero."""
    local = _place_children(tree, _origins(tree))
    for index, parent in enumerate(tree.parents):
        if parent >= 0:
            local[index] = local[parent] @ local[index]
    return local


def joint_frames(tree: KinematicTree, links: Matrix) -> Matrix:
    """Returns (N, 4, 4), per link the frame of the joint above it, which has moved with it; of a
    root its own. `links` (N, 4, 4) are the links' frames."""
    if tree.child_frames is None:
        return links
    back = np.array([invert(frame) for frame in tree.child_frames])
    frames: Matrix = links @ back
    return frames


def local_matrices(tree: KinematicTree, positions: Positions) -> Matrix:
    """Returns (N, 4, 4), each link's frame in its parent link's frame."""
    local = _origins(tree)
    complete = complete_positions(tree.joint_motions, positions)
    scalar: list[tuple[int, JointMotion, float]] = []
    for index, motion in enumerate(tree.motions):
        if motion is None or motion.joint.name not in complete:
            continue
        position = complete[motion.joint.name]
        if motion.is_scalar:
            assert isinstance(position, float)
            scalar.append((index, motion, position))
        elif motion.moves:
            assert not isinstance(position, float)
            local[index] = local[index] @ motion_matrix(motion, position)
    _apply_scalars(local, scalar)
    return _place_children(tree, local)


def complete_positions(
    motions: Sequence[JointMotion], positions: Positions
) -> dict[str, float | tuple[float, ...]]:
    """Returns the given positions, checked, and the positions of all mimicking joints."""
    complete = check_positions({motion.joint.name: motion for motion in motions}, positions)
    for name, mimic in follow_to_masters(motions).items():
        source = complete.get(mimic.joint, 0.0)
        assert isinstance(source, float)
        complete[name] = mimic.multiplier * source + mimic.offset
    return complete


def check_positions(
    motions: Mapping[str, JointMotion], positions: Positions
) -> dict[str, float | tuple[float, ...]]:
    """Returns the positions of joints that move, as check_position does. Raises KinematicsError as
    it does, and for a joint that is not among the motions."""
    checked: dict[str, float | tuple[float, ...]] = {}
    for name, position in positions.items():
        if name not in motions:
            raise unknown_name("the robot has no joint", name, motions)
        if motions[name].moves:
            checked[name] = check_position(name, motions[name].kind, position)
    return checked


def check_position(name: str, kind: str, position: Position) -> float | tuple[float, ...]:
    """Returns a position as a float or a tuple of floats, as the kind of joint asks for.

    Raises KinematicsError where it has the wrong size or is not finite.
    """
    size = POSITION_SIZES.get(kind, 1)
    given: Any = position
    try:
        numbers = given if isinstance(given, Iterable) else (given,)
        values = () if isinstance(given, str) else tuple(map(float, numbers))
    except (TypeError, ValueError):
        values = ()
    if len(values) != size or not all(map(math.isfinite, values)):
        wanted = "one finite number" if size == 1 else f"{size} finite numbers"
        raise KinematicsError(
            f"the position of {kind} joint {quote(name)} must be {wanted}, not "
            + quote_value(position)
        )
    return values[0] if size == 1 else values


def _origins(tree: KinematicTree) -> Matrix:
    local = np.tile(np.eye(4), (len(tree.links), 1, 1))
    indices = [index for index, motion in enumerate(tree.motions) if motion is not None]
    local[indices] = matrices_from_poses([m.joint.origin for m in tree.joint_motions])
    return local


def _place_children(tree: KinematicTree, local: Matrix) -> Matrix:
    """Returns links' frames in their parents' frames, from the moved frames of their joints."""
    if tree.child_frames is None:
        return local
    return local @ tree.child_frames


def _apply_scalars(local: Matrix, scalar: Sequence[tuple[int, JointMotion, float]]) -> None:
    for kind in ("revolute", "prismatic"):
        chosen = [item for item in scalar if item[1].kind == kind]
        if not chosen:
            continue
        indices = [index for index, _, _ in chosen]
        axes = np.array([motion.axis for _, motion, _ in chosen])
        values = np.array([value for _, _, value in chosen])
        rotations = local[indices, :3, :3]
        if kind == "revolute":
            local[indices, :3, :3] = rotations @ rotations_about(axes, values)
        else:
            local[indices, :3, 3] += np.einsum("nij,nj->ni", rotations, axes * values[:, None])


def motion_matrix(motion: JointMotion, position: Position) -> Matrix:
    """Returns how a joint that moves does so at a position: (4, 4), in the joint's frame."""
    result, axis = np.eye(4), np.array(motion.axis)
    if isinstance(position, int | float):
        if motion.kind == "prismatic":
            result[:3, 3] = position * axis
        else:
            result[:3, :3] = rotations_about(axis[None], np.array([position]))[0]
    elif motion.kind == "planar":
        u, v = plane_axes(axis)
        result[:3, 3] = position[0] * u + position[1] * v
        result[:3, :3] = rotations_about(axis[None], np.array([position[2]]))[0]
    else:
        if motion.kind == "floating":
            result[:3, 3] = position[:3]
        result[:3, :3] = rotation_from_quaternion(position[-4:])
    return result
