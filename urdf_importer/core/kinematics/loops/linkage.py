# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints on a robot's loops as numbers, and how far from closed the loops are.

A loop joint is attached to two links. Its frame on the first and its frame on the second may differ
by the joint's motion; all else is its gap. The gap's change by the joints on the way between both
links is the Jacobian, column by column the screw of a joint: Murray, Li, Sastry, A Mathematical
Introduction to Robotic Manipulation, 1994, chapter 3.4 and for loops chapter 3.5.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import (
    Matrix,
    Vector,
    plane_axes,
    quaternion_from_rotation,
    rotation_from_quaternion,
    rotations_about,
)
from ...model import LoopJoint
from ...progress import Budget
from ..forward import motion_matrix
from ..motion import SCALAR_KINDS, JointMotion

_PER_POSE, _PER_JOINT, _PER_TURN, _PER_NUMBER = 1.3e-4, 2e-6, 8e-5, 1e-8
"""Seconds of measuring a pose and of the step after it."""
_SHARE = 0.1
"""The share of it that each pose takes where there are many."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Closure:
    """A loop: the joints on its way and the constraint of its joint.

    ends      places in the linkage of both links; -1 for a link that none of its joints carries
    frames    (2, 4, 4) the joint's frame on either link
    signs     (C,) per column of the linkage 1, -1 or 0: whether it moves the second link against
              the first, the first against the second, or neither
    blocked   (K, 6) rows that must be zero, of the gap's shift and turn in the first frame
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
    """A joint that may move independently; `columns` are the columns of its numbers among all
    variables."""

    motion: JointMotion
    columns: slice

    @property
    def is_single(self) -> bool:
        return self.motion.kind in SCALAR_KINDS

    @property
    def is_sprung(self) -> bool:
        """Whether a spring holds the joint: it is not meant to be moved far."""
        dynamics = self.motion.joint.dynamics
        return dynamics is not None and bool(dynamics.stiffness)


@dataclass(slots=True, kw_only=True, eq=False)
class LinkagePose:
    """`values` (n,) are the positions of variables of one number, and zero in the columns of other
    variables, whose positions `several` holds as forward_kinematics takes them: joint name ->
    position.

    Many poses of joints with one degree of freedom and of balls are one whose `values` are (N, n)
    and whose positions are (N, 4)."""

    values: Vector
    several: dict[str, Any]

    def copy(self) -> "LinkagePose":
        """Returns a copy that may be changed."""
        return LinkagePose(values=self.values.copy(), several=dict(self.several))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linkage:
    """The joints on the ways of loops and their ancestors, P in tree order, with C degrees of
    freedom, followers' included.

    motions   per joint; None where it is on no loop's way, and stays where it is at zero
    parents   per joint, the place of the one above it; -1 where there is none
    before    (P, 4, 4) the joint's frame in the frame of the link above
    after     (P, 4, 4) the link's frame in the joint's, as it has moved
    movers    (C,) the place of the joint that each degree of freedom belongs to
    turning   (C,) whether it turns; axes (C, 3) in the joint's frame
    mixing    (C, n) and offsets (C,): degrees of freedom = mixing @ variables + offsets
    units     (n,) the worth of one unit of each variable: 1 rad, or `size` in metres
    size      metres, typical of the loops
    budget    counts measurements
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
    budget: Budget = field(default_factory=Budget)
    _kept: "_Kept" = field(init=False)

    def __post_init__(self) -> None:
        """Computes the constants of measuring."""
        object.__setattr__(self, "_kept", _keep(self))

    def measure(self, pose: LinkagePose) -> tuple[Vector, Matrix]:
        """Returns the gaps (G,) of all loops, shifts over the size, and how they change (G, n) with
        the variables, each by its unit; of many poses (N, G) and (N, G, n)."""
        kept = self._kept
        self.budget.spend(
            kept.cost * (1.0 + _SHARE * (pose.values.size // kept.mixing.shape[1] - 1))
        )
        joints, links = self._place(pose)
        ends = links[..., kept.ends, :, :] @ kept.frames
        count = len(self.closures)
        first, second = ends[..., :count, :, :], ends[..., count:, :, :]
        turn, point = first[..., :3, :3], second[..., None, :3, 3]
        axes, points = self._find_screws(joints)
        speeds = np.where(self.turning[:, None], _cross(axes, point - points), axes)
        gaps, rates = [(point - first[..., None, :3, 3]) @ turn], [speeds @ turn]
        if kept.blocked.shape[2] > 3:
            gaps.append(_turn_all(self.closures, turn, second[..., :3, :3]))
            rates.append(np.where(self.turning[:, None], axes, 0.0) @ turn)
        open_by = np.concatenate(gaps, axis=-1)[..., 0, :, None] / kept.worth
        change = np.concatenate(rates, axis=-1).swapaxes(-1, -2) / kept.worth * kept.signs
        found: Vector = (kept.blocked @ open_by)[..., 0][..., kept.rows]
        return found, (kept.blocked @ change)[..., kept.rows, :] @ kept.mixing

    def move(self, pose: LinkagePose, step: Vector) -> LinkagePose:
        """Returns the pose after a step (n,) of the variables, each by its unit, or many after
        theirs (N, n). Joints of several degrees of freedom go along and about the axes that they
        have turned."""
        moved = pose.copy()
        change = step * self.units
        for variable in self.variables:
            own = change[..., variable.columns]
            name = variable.motion.joint.name
            if variable.is_single:
                moved.values[..., variable.columns] += own
            elif step.ndim > 1:
                moved.several[name] = _turn_balls(pose.several[name], own)
            else:
                moved.several[name] = _move_several(variable.motion, pose.several[name], own)
        return moved

    def name_columns(self, chosen: NDArray[np.bool_]) -> list[str]:
        """Returns the names of the joints that have one of the `chosen` (n,) columns."""
        return [each.motion.joint.name for each in self.variables if chosen[each.columns].any()]

    def ends(self, pose: LinkagePose) -> list[tuple[Matrix, Matrix]]:
        """Returns per loop its joint's frames (4, 4) on the first and on the second link."""
        _, links = self._place(pose)
        ends = links[self._kept.ends] @ self._kept.frames
        count = len(self.closures)
        return list(zip(ends[:count], ends[count:], strict=True))

    def _place(self, pose: LinkagePose) -> tuple[Matrix, Matrix]:
        """Returns (P, 4, 4) the frames of the joints as they have moved, and (P + 1, 4, 4) of the
        links, the last of them fixed."""
        moved = self._kept.steps @ self._move(pose)
        for index, parent in enumerate(self.parents):
            if parent >= 0:
                moved[..., index, :, :] = moved[..., parent, :, :] @ moved[..., index, :, :]
        links = np.empty((*moved.shape[:-3], len(self.parents) + 1, 4, 4))
        links[..., -1, :, :] = np.eye(4)
        np.matmul(moved, self.after, out=links[..., :-1, :, :])
        return moved, links

    def _move(self, pose: LinkagePose) -> Matrix:
        """Returns (P, 4, 4) how each joint moves its frame."""
        kept = self._kept
        still = kept.still
        moves = np.empty((*pose.values.shape[:-1], *still.shape))
        moves[...] = still
        positions = pose.values @ self.mixing.T + self.offsets
        angles = positions[..., kept.turns, None, None]
        moves[..., self.movers[kept.turns], :3, :3] += (
            np.sin(angles) * kept.across + (1.0 - np.cos(angles)) * kept.inwards
        )
        slides = kept.slides
        shifts = self.axes[slides] * positions[..., slides, None]
        moves[..., :3, 3][..., self.movers[slides], :] = shifts
        for place, motion in kept.several:
            position = pose.several[motion.joint.name]
            if moves.ndim > 3:
                moves[:, place, :3, :3] = [rotation_from_quaternion(each) for each in position]
            else:
                moves[place] = motion_matrix(motion, position)
        return moves

    def _find_screws(self, joints: Matrix) -> tuple[Matrix, Matrix]:
        """Returns axes and points (1, C, 3): joints turn and slide along axes that move with
        them."""
        bases = joints[..., None, self.movers, :, :]
        return (bases[..., :3, :3] @ self.axes[:, :, None])[..., 0], bases[..., :3, 3]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Kept:
    """Constants of measuring a linkage; L closures, C degrees of freedom.

    steps     (P, 4, 4) each joint's frame in the frame of the joint above
    still     (P, 4, 4) identities
    turns     the degrees of freedom that turn: about `across`, the matrices (3, 3) of cross
              products with their axes, and `inwards`, these squared (Rodrigues' formula)
    slides    the other degrees of freedom of joints of one
    several   places and motions of joints with more
    ends      (2 L) the places of all first links, then of all second ones; frames likewise
    blocked   (L, K, 3 or 6) rows that are blocked, filled up with zeros; rows (L, K): the real ones
    worth     (3 or 6, 1): the divisors of shifts and turns
    signs     (L, 1, C); mixing (C, n) the linkage's, each column by its unit
    cost      seconds that measuring and the step after it take
    """

    steps: Matrix
    still: Matrix
    turns: NDArray[np.intp]
    across: Matrix
    inwards: Matrix
    slides: NDArray[np.intp]
    several: tuple[tuple[int, JointMotion], ...]
    ends: NDArray[np.intp]
    frames: Matrix
    blocked: Matrix
    rows: NDArray[np.bool_]
    worth: Vector
    signs: Matrix
    mixing: Matrix
    cost: float


def _keep(linkage: Linkage) -> _Kept:
    steps = linkage.before.copy()
    for index, parent in enumerate(linkage.parents):
        if parent >= 0:
            steps[index] = linkage.after[parent] @ steps[index]
    several = tuple(
        (place, motion)
        for place, motion in enumerate(linkage.motions)
        if motion is not None and not motion.is_scalar
    )
    single = ~np.isin(linkage.movers, [place for place, _ in several])
    turns = np.flatnonzero(linkage.turning & single)
    across = np.cross(np.eye(3), linkage.axes[turns, None, :])
    closures = linkage.closures
    blocked, rows = _fill_up([closure.blocked for closure in closures])
    return _Kept(
        steps=steps,
        still=np.tile(np.eye(4), (len(steps), 1, 1)),
        turns=turns,
        across=across,
        inwards=across @ across,
        slides=np.flatnonzero(~linkage.turning & single),
        several=several,
        ends=np.array([closure.ends[side] for side in (0, 1) for closure in closures], dtype=int),
        frames=np.array([closure.frames[side] for side in (0, 1) for closure in closures]),
        blocked=blocked,
        rows=rows,
        worth=np.repeat([linkage.size, 1.0], 3)[: blocked.shape[2], None],
        signs=np.array([closure.signs for closure in closures])[:, None, :],
        mixing=linkage.mixing * linkage.units,
        cost=_guess_cost(linkage),
    )


def _guess_cost(linkage: Linkage) -> float:
    turning = sum(closure.blocked[:, 3:].any() for closure in linkage.closures)
    size = sum(len(closure.blocked) for closure in linkage.closures) * linkage.mixing.size
    fixed = _PER_POSE + _PER_JOINT * len(linkage.parents) + _PER_TURN * turning
    return float(fixed + _PER_NUMBER * size)


def _fill_up(blocked: Sequence[Matrix]) -> tuple[Matrix, NDArray[np.bool_]]:
    """Returns rows (L, K, 3) of shifts, or (L, K, 6) where some block turns, and the real ones
    among them.
    """
    width = 6 if any(each[:, 3:].any() for each in blocked) else 3
    filled = np.zeros((len(blocked), max(map(len, blocked)), width))
    rows = np.zeros(filled.shape[:2], dtype=bool)
    for place, each in enumerate(blocked):
        filled[place, : len(each)] = each[:, :width]
        rows[place, : len(each)] = True
    return filled, rows


def _turn_all(closures: Sequence[Closure], first: Matrix, second: Matrix) -> Matrix:
    """Returns (L, 1, 3) the turns between rotations (L, 3, 3), of closures that block any."""
    between = first.swapaxes(-1, -2) @ second
    found = np.zeros((*between.shape[:-2], 1, 3))
    for place, closure in enumerate(closures):
        if closure.blocked[:, 3:].any():
            found[..., place, 0, :] = _turn_between(between[..., place, :, :], closure.axis)
    return found


def _cross(one: Matrix, other: Matrix) -> Matrix:
    """Returns cross products (..., 3); numpy's own takes as long as all else that is measured."""
    found = np.empty(np.broadcast_shapes(one.shape, other.shape))
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[..., a] = one[..., b] * other[..., c] - one[..., c] * other[..., b]
    return found


def _turn_between(rotation: Matrix, axis: Vector | None) -> Vector:
    """Returns the turn (..., 3) that is between two frames; with an axis, how it is turned away."""
    if axis is not None:
        turned = rotation @ axis
        off = _cross(axis, turned)
        beyond = turned @ axis < 0.0
        if beyond.any():
            # Beyond a right angle the sine falls again: keep the gap growing.
            length = np.linalg.norm(off, axis=-1, keepdims=True)
            away = np.where(length > 1e-12, off / np.maximum(length, 1e-12), plane_axes(axis)[0])
            off = np.where(beyond[..., None], away * (2.0 - length), off)
        return off
    skew = (rotation - rotation.swapaxes(-1, -2))[..., (2, 0, 1), (1, 2, 0)]
    sine = np.linalg.norm(skew, axis=-1, keepdims=True) / 2.0
    trace = rotation[..., 0, 0] + rotation[..., 1, 1] + rotation[..., 2, 2]
    cosine = (trace[..., None] - 1.0) / 2.0
    share = np.where(sine < 1e-9, 1.0, np.arctan2(sine, cosine) / np.maximum(sine, 1e-9))
    return skew * share / 2.0


def _turn_balls(turns: Any, change: Matrix) -> Any:
    """Returns quaternions (N, 4), x, y, z, w, turned on by `change` (N, 3) about their own axes."""
    angles = np.linalg.norm(change, axis=1, keepdims=True)
    sines = np.where(angles > 1e-9, np.sin(angles / 2.0) / np.maximum(angles, 1e-9), 0.5)
    vectors, w, own, v = turns[:, :3], turns[:, 3:], change * sines, np.cos(angles / 2.0)
    turned = np.empty_like(turns)
    turned[:, :3] = w * own + v * vectors + _cross(vectors, own)
    turned[:, 3] = (w * v)[:, 0] - (vectors * own).sum(axis=1)
    return turned / np.linalg.norm(turned, axis=1, keepdims=True)


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
