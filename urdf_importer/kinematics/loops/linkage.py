# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints on a robot's loops as numbers, and how far from closed the loops are.

A loop joint stands on two links. Its frame on the first and its frame on the second may differ by
what the joint allows; all else is its gap. The gap's change by the joints on the way between both
links is the Jacobian, column by column the screw of a joint: Murray, Li, Sastry, A Mathematical
Introduction to Robotic Manipulation, 1994, chapter 3.4 and for loops chapter 3.5.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import (
    Matrix,
    Vector,
    plane_axes,
    quaternion_from_rotation,
    rotations_about,
)
from ...model import LoopJoint
from ..forward import motion_matrix
from ..motion import SCALAR_KINDS, JointMotion


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Closure:
    """A loop: the joints on its way and what its joint asks for.

    ends      places in the linkage of both links; -1 for a link that hangs on none of its joints
    frames    (2, 4, 4) the joint's frame on either link
    signs     (C,) per column of the linkage 1, -1 or 0: whether it moves the second link against
              the first, the first against the second, or neither
    blocked   (K, 6) rows of what must be zero, of the gap's shift and turn in the first frame
    axis      (3,) the joint's axis where it may turn about it or slide along it, else None
    """

    joint: LoopJoint
    ends: tuple[int, int]
    frames: Matrix
    signs: Vector
    blocked: Matrix
    axis: Vector | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A joint that may move by itself; `columns` are its numbers' among those of all variables."""

    motion: JointMotion
    columns: slice

    @property
    def is_single(self) -> bool:
        return self.motion.kind in SCALAR_KINDS


@dataclass(slots=True, kw_only=True, eq=False)
class LinkagePose:
    """`values` (n,) are the positions of variables of one number, and zero in the columns of
    others, which stand in `several` as forward_kinematics takes them: joint name -> position."""

    values: Vector
    several: dict[str, tuple[float, ...]]

    def copy(self) -> "LinkagePose":
        """Returns one that may be changed."""
        return LinkagePose(values=self.values.copy(), several=dict(self.several))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linkage:
    """The joints on the ways of loops and those above them, P in tree order, with C degrees of
    freedom; what follows another joint has them too.

    motions   per joint; None where it is on no loop's way, and stays where it is at zero
    parents   per joint, the place of the one above it; -1 where there is none
    before    (P, 4, 4) the joint's frame in that of the link above
    after     (P, 4, 4) the link's frame in the joint's, as it has moved
    movers    (C,) the place of the joint that each degree of freedom belongs to
    turning   (C,) whether it turns; axes (C, 3) in the joint's frame
    mixing    (C, n) and offsets (C,): degrees of freedom = mixing @ variables + offsets
    units     (n,) what one unit of each variable is worth: 1 rad, or `size` in metres
    size      metres, typical of the loops
    """

    motions: tuple[JointMotion | None, ...]
    parents: tuple[int, ...]
    before: Matrix
    after: Matrix
    movers: NDArray[np.intp]
    turning: NDArray[np.bool_]
    axes: Matrix
    mixing: Matrix
    offsets: Vector
    units: Vector
    variables: tuple[Variable, ...]
    closures: tuple[Closure, ...]
    size: float

    def measure(self, pose: LinkagePose) -> tuple[Vector, Matrix]:
        """Returns the gaps (G,) of all loops, shifts over the size, and how they change (G, n) with
        the variables, each by its unit."""
        joints, links = self._place(pose)
        screws = self._find_screws(joints)
        gaps, changes = [], []
        for closure in self.closures:
            gap, change = self._measure_one(closure, links, screws)
            gaps.append(gap)
            changes.append(change)
        return np.concatenate(gaps), np.concatenate(changes) @ self.mixing * self.units

    def move(self, pose: LinkagePose, step: Vector) -> LinkagePose:
        """Returns the pose after a step (n,) of the variables, each by its unit. Joints of several
        degrees of freedom go along and about the axes that they have turned."""
        moved = pose.copy()
        change = step * self.units
        for variable in self.variables:
            if variable.is_single:
                moved.values[variable.columns] += change[variable.columns]
            else:
                name = variable.motion.joint.name
                moved.several[name] = _move_several(
                    variable.motion, pose.several[name], change[variable.columns]
                )
        return moved

    def name_columns(self, chosen: NDArray[np.bool_]) -> list[str]:
        """Returns the names of the joints that have one of the `chosen` (n,) columns."""
        return [each.motion.joint.name for each in self.variables if chosen[each.columns].any()]

    def ends(self, pose: LinkagePose) -> list[tuple[Matrix, Matrix]]:
        """Returns per loop its joint's frames (4, 4) on the first and on the second link."""
        _, links = self._place(pose)
        return [_find_ends(closure, links) for closure in self.closures]

    def _place(self, pose: LinkagePose) -> tuple[Matrix, Matrix]:
        """Returns (P, 4, 4) the frames of the joints as they have moved, and of the links."""
        moved = self.before @ self._move(pose)
        for index, parent in enumerate(self.parents):
            if parent >= 0:
                moved[index] = moved[parent] @ self.after[parent] @ moved[index]
        return moved, moved @ self.after

    def _move(self, pose: LinkagePose) -> Matrix:
        """Returns (P, 4, 4) how each joint moves its frame."""
        moves = np.tile(np.eye(4), (len(self.parents), 1, 1))
        positions = self.mixing @ pose.values + self.offsets
        turns, slides = self.movers[self.turning], self.movers[~self.turning]
        moves[turns, :3, :3] = rotations_about(self.axes[self.turning], positions[self.turning])
        moves[slides, :3, 3] = self.axes[~self.turning] * positions[~self.turning, None]
        for place, motion in enumerate(self.motions):
            if motion is not None and not motion.is_scalar:
                moves[place] = motion_matrix(motion, pose.several[motion.joint.name])
        return moves

    def _find_screws(self, joints: Matrix) -> tuple[Matrix, Matrix]:
        """Returns axes and points (C, 3): joints turn and slide along axes that move with them."""
        bases = joints[self.movers]
        return np.einsum("cij,cj->ci", bases[:, :3, :3], self.axes), bases[:, :3, 3]

    def _measure_one(
        self, closure: Closure, links: Matrix, screws: tuple[Matrix, Matrix]
    ) -> tuple[Vector, Matrix]:
        first, second = _find_ends(closure, links)
        axes, points = screws
        back = first[:3, :3].T
        shift = back @ (second[:3, 3] - first[:3, 3]) / self.size
        gap = np.concatenate([shift, _turn_between(back @ second[:3, :3], closure.axis)])
        turning = self.turning[:, None]
        speeds = np.where(turning, _cross(axes, second[:3, 3] - points), axes)
        turns = np.where(turning, axes, 0.0)
        change = np.concatenate([back @ speeds.T / self.size, back @ turns.T]) * closure.signs
        return closure.blocked @ gap, closure.blocked @ change


def _find_ends(closure: Closure, links: Matrix) -> tuple[Matrix, Matrix]:
    first, second = (
        frame if end < 0 else links[end] @ frame
        for end, frame in zip(closure.ends, closure.frames, strict=True)
    )
    return first, second


def _cross(one: Matrix, other: Matrix) -> Matrix:
    """Returns cross products (..., 3); numpy's own takes as long as all else that is measured."""
    found = np.empty(np.broadcast_shapes(one.shape, other.shape))
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[..., a] = one[..., b] * other[..., c] - one[..., c] * other[..., b]
    return found


def _turn_between(rotation: Matrix, axis: Vector | None) -> Vector:
    """Returns the turn (3,) that is between two frames; with an axis, how it is turned away."""
    if axis is not None:
        turned = rotation @ axis
        off = _cross(axis, turned)
        if axis @ turned >= 0.0:
            return off
        # Beyond a right angle the sine falls again: keep the gap growing.
        length = float(np.linalg.norm(off))
        away = off / length if length > 1e-12 else plane_axes(axis)[0]
        return away * (2.0 - length)
    skew: Vector = np.array(
        [
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
            rotation[1, 0] - rotation[0, 1],
        ]
    )
    sine = float(np.linalg.norm(skew)) / 2.0
    cosine = (float(np.trace(rotation)) - 1.0) / 2.0
    if sine < 1e-9:
        return skew / 2.0
    return skew * (float(np.arctan2(sine, cosine)) / (2.0 * sine))


def _move_several(
    motion: JointMotion, position: tuple[float, ...], change: Vector
) -> tuple[float, ...]:
    turn = motion_matrix(motion, position)[:3, :3]
    if motion.kind == "planar":
        u, v = plane_axes(np.array(motion.axis))
        shift = turn @ (change[0] * u + change[1] * v)
        return (
            position[0] + float(u @ shift),
            position[1] + float(v @ shift),
            position[2] + float(change[2]),
        )
    angle = float(np.linalg.norm(change[-3:]))
    axis = change[-3:] / angle if angle > 0.0 else np.array([1.0, 0.0, 0.0])
    turned = quaternion_from_rotation(turn @ rotations_about(axis[None], np.array([angle]))[0])
    if motion.kind == "spherical":
        return turned
    x, y, z = np.asarray(position[:3]) + turn @ change[:3]
    return (float(x), float(y), float(z), *turned)
