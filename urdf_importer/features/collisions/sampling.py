# SPDX-License-Identifier: GPL-3.0-or-later
"""Many poses of a robot at once: the frames of its links in each pose."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.geometry.transforms import matrices_from_poses, plane_axes, rotations_about
from ...core.kinematics.motion import JointMotion, choose_range
from ...core.kinematics.tree import KinematicTree

Array = NDArray[np.float64]

_FREE_SLIDE = 1.0
"""Metres to each side of a joint that slides without bounds."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Poses:
    """Positions of B poses: `numbers` (B, J) of the joints that turn or slide on their own, rad and
    m; `turns` (B, S, 4) of ball joints, unit quaternions x, y, z, w."""

    numbers: Array
    turns: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frames:
    """The frames of N links in B poses, in the frame of the root: `rotations` (N, B, 3, 3) and
    `places` (N, B, 3)."""

    rotations: Array
    places: Array

    def select(self, poses: NDArray[np.intp]) -> "Frames":
        return Frames(rotations=self.rotations[:, poses], places=self.places[:, poses])


class Sampler:
    """Draws poses of a robot, uniformly within limits.

    Joints that follow others follow them, beyond their own limits too. Unbounded turning joints
    turn half a turn to each side, unbounded sliding joints move a metre; ball joints turn anyhow.
    Planar and floating joints stay at zero: their range is unknown.
    """

    def __init__(self, tree: KinematicTree) -> None:
        self._tree = tree
        masters = tree.masters
        free = [m for m in tree.joint_motions if m.is_scalar and m.joint.name not in masters]
        self._column = {motion.joint.name: i for i, motion in enumerate(free)}
        balls = [m for m in tree.joint_motions if m.kind == "spherical"]
        self._ball = {motion.joint.name: i for i, motion in enumerate(balls)}
        ranges = np.array([_range(motion) for motion in free]).reshape(-1, 2)
        self._lower, self._upper = ranges[:, 0], ranges[:, 1]
        self.names = tuple(self._column)
        """The joints of the columns of Poses.numbers."""
        self._placer = Placer(tree)

    def start(self) -> Poses:
        """Returns one pose: every joint at zero, in the middle of its range where that leaves zero
        out."""
        outside = (self._lower > 0.0) | (self._upper < 0.0)
        numbers = np.where(outside, (self._lower + self._upper) / 2.0, 0.0)
        turns = np.tile([0.0, 0.0, 0.0, 1.0], (1, len(self._ball), 1))
        return Poses(numbers=numbers[None], turns=turns)

    def draw(self, generator: np.random.Generator, count: int) -> Poses:
        """Returns `count` poses drawn by a generator."""
        shares = generator.random((count, len(self._lower)))
        numbers = self._lower + shares * (self._upper - self._lower)
        turns = generator.standard_normal((count, len(self._ball), 4))
        if turns.size:
            turns /= np.linalg.norm(turns, axis=2, keepdims=True)
        return Poses(numbers=numbers, turns=turns)

    def find_frames(self, poses: Poses) -> Frames:
        """Returns the frames of the links, in tree order."""
        values = {name: poses.numbers[:, column] for name, column in self._column.items()}
        values |= {name: poses.turns[:, place] for name, place in self._ball.items()}
        return self._placer.find_frames(values, len(poses.numbers))


class Placer:
    """Places the links of a robot in many poses at once."""

    def __init__(self, tree: KinematicTree) -> None:
        self._tree = tree
        origins = [m.joint.origin for m in tree.joint_motions]
        self._origins = matrices_from_poses(origins) if origins else np.zeros((0, 4, 4))

    def find_frames(self, values: Mapping[str, Array], count: int) -> Frames:
        """Returns the frames of the links, in tree order, in `count` poses (B). `values` are the
        positions of joints: (B,) rad or m, (B, 3) x, y and angle of planar ones, (B, 4) unit
        quaternions of ball joints, (B, 7) place and quaternion of floating ones. Joints without
        values are at zero; followers follow, whatever their values."""
        tree = self._tree
        rotations = np.empty((len(tree.links), count, 3, 3))
        places = np.zeros((len(tree.links), count, 3))
        origins = iter(self._origins)
        for i, (parent, motion) in enumerate(zip(tree.parents, tree.motions, strict=True)):
            if motion is None:
                rotations[i] = np.eye(3)
                continue
            origin = next(origins)
            above = rotations[parent]
            turned = above @ origin[:3, :3]
            places[i] = places[parent] + above @ origin[:3, 3]
            value = values_of(tree, motion, values)
            if value is not None:
                turned, shift = _move(motion, value, turned)
                places[i] += shift
            if tree.child_frames is not None:
                places[i] += turned @ tree.child_frames[i, :3, 3]
                turned = turned @ tree.child_frames[i, :3, :3]
            rotations[i] = turned
        return Frames(rotations=rotations, places=places)


def values_of(
    tree: KinematicTree, motion: JointMotion, values: Mapping[str, Array]
) -> Array | None:
    """Returns the positions of a joint, of a follower by its master's; None for one that
    stays at zero."""
    follows = tree.masters.get(motion.joint.name)
    if follows is None:
        return values.get(motion.joint.name) if motion.moves else None
    source = values.get(follows.joint, np.zeros(1))
    followed: Array = follows.multiplier * source + follows.offset
    return followed


def _move(motion: JointMotion, value: Array, turned: Array) -> tuple[Array, Array]:
    """Returns rotations (B, 3, 3) of a joint's frames that moved, and by how much (B, 3)."""
    axis = np.array(motion.axis)
    still = np.zeros(3)
    match motion.kind:
        case "prismatic":
            return turned, turned @ axis * value[:, None]
        case "revolute":
            return turned @ rotations_about(axis, value), still
        case "spherical":
            return turned @ rotations_of(value), still
        case "planar":
            plane = value[:, :2] @ np.array(plane_axes(axis))
            shift = np.einsum("sij,sj->si", turned, plane)
            return turned @ rotations_about(axis, value[:, 2]), shift
        case _:
            shift = np.einsum("sij,sj->si", turned, value[:, :3])
            return turned @ rotations_of(value[:, 3:]), shift


def _range(motion: JointMotion) -> tuple[float, float]:
    turns = motion.kind == "revolute"
    return choose_range(motion.lower, motion.upper, turns=turns, slide=_FREE_SLIDE)


def rotations_of(turns: Array) -> Array:
    """Returns (B, 3, 3) of (B, 4) unit quaternions x, y, z, w."""
    x, y, z, w = turns.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)
