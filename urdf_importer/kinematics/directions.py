# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way a bone points.

X is the joint's axis and can not be chosen; Y, the way the bone points, may be anything orthogonal
to it. It follows the limb, so that native IK, animators and game engines find what they expect.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .groups import JointGroup, joint_axes
from .transforms import Matrix, Vector, cross, plane_axes, unit

PARALLEL = 1e-3
"""Below this share of its length, what is left of a vector off the axis is noise of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known about where a bone might point, in the robot's frame.

    limb      from the head to where the limb goes on; None where that is not clear
    bulk      from the head to the link's centre of mass or shapes; None where unknown
    parent    (3, 3) axes of the parent bone; None without parent
    joint     (3, 3) axes of the joint frame
    parent_turns  whether the parent's X is a joint axis
    """

    limb: Vector | None
    bulk: Vector | None
    parent: Matrix | None
    joint: Matrix
    parent_turns: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """`axes` (3, 3) are the bone's X, Y, Z as columns. `length` along the limb, None where the bone
    does not follow it. `slots`: per joint of the bone, (index of its axis, sign)."""

    axes: Matrix
    length: float | None = None
    slots: tuple[tuple[int, int], ...] = ()


def direct_bone(group: JointGroup | None, frames: Matrix, around: Surroundings) -> Direction:
    """`frames` are the joint frames (N, 4, 4) of the group, all joints at zero."""
    if group is None:
        return _direct_fixed(around)
    kind = group.motions[0].kind
    if kind in ("floating", "spherical"):
        return Direction(axes=around.joint)
    if kind == "planar":
        normal = np.array(group.motions[0].axis)
        return Direction(axes=around.joint @ np.stack([normal, *plane_axes(normal)], axis=1))
    axes = joint_axes(group.motions, frames)
    lines = _find_lines(axes, [motion.kind for motion in group.motions])
    if len(lines) == 1:
        direction = _direct_single(axes[lines[0]], around)
    else:
        turning = sum(motion.kind == "revolute" for motion in group.motions)
        direction = _direct_combined([axes[line] for line in lines], turning, around)
    cosines = axes @ direction.axes
    slots = tuple(
        (int(np.argmax(np.abs(row))), 1 if row[np.argmax(np.abs(row))] > 0 else -1)
        for row in cosines
    )
    return Direction(axes=direction.axes, length=direction.length, slots=slots)


def _find_lines(axes: Matrix, kinds: Sequence[str]) -> list[int]:
    """Indices of axes that are not parallel to another, turning ones first."""
    lines: list[int] = []
    for index in sorted(range(len(kinds)), key=lambda i: kinds[i] != "revolute"):
        if all(abs(axes[index] @ axes[line]) < 0.5 for line in lines):
            lines.append(index)
    return lines


def _direct_single(axis: Vector, around: Surroundings) -> Direction:
    if around.limb is not None:
        across = _reject(around.limb, axis)
        if across is not None:
            return Direction(axes=_frame(axis, across), length=float(np.linalg.norm(across)))
    return Direction(axes=_frame(axis, _choose_across(axis, around)))


def _choose_across(axis: Vector, around: Surroundings) -> Vector:
    """Without a limb to follow: in the parent bone's plane, else to the bulk, else joint z or x."""
    bulk = None if around.bulk is None else _reject(around.bulk, axis)
    if around.parent is not None and around.parent_turns:
        shared = cross(axis, around.parent[:, 0])
        if np.linalg.norm(shared) > PARALLEL:
            towards = [v for v in (bulk, around.parent[:, 1], around.limb) if v is not None]
            return _turn_towards(shared, towards)
    if bulk is not None:
        return bulk
    candidates = [] if around.parent is None else [around.parent[:, 1]]
    for vector in (*candidates, around.joint[:, 2], around.joint[:, 0]):
        across = _reject(vector, axis)
        if across is not None:
            return across
    raise AssertionError("z and x can not both be parallel to the axis")


def _direct_combined(lines: list[Vector], turning: int, around: Surroundings) -> Direction:
    """Axes on the bone's main axes: the one along the limb on Y, the first of the others on X."""
    spare = len(lines) == 2
    main = [*lines, cross(lines[0], lines[1])] if spare else lines
    along = main if turning >= 2 else main[1:]
    towards = around.limb
    if towards is None:
        hints = [v for v in (around.bulk, None if around.parent is None else around.parent[:, 1])]
        hint = next((v for v in hints if v is not None), np.zeros(3))
        rest = main[-1] if turning >= 2 else main[1]
        chosen = rest if rest @ hint >= -PARALLEL * np.linalg.norm(hint) else -rest
    else:
        chosen = max(
            (sign * v for v in along for sign in (1, -1)), key=lambda v: float(v @ towards)
        )
    x = next(v for v in main if abs(v @ chosen) < 0.5)
    length = None if towards is None else float(chosen @ towards)
    return Direction(axes=_frame(x, chosen), length=length)


def _direct_fixed(around: Surroundings) -> Direction:
    limb = around.limb
    y = unit(limb) if limb is not None else around.joint[:, 2]
    sides = [] if around.parent is None else [around.parent[:, 0]]
    across = next(
        found
        for vector in (*sides, around.joint[:, 0], around.joint[:, 1])
        if (found := _reject(vector, y)) is not None
    )
    x = unit(across)
    axes = np.stack([x, y, cross(x, y)], axis=1)
    return Direction(axes=axes, length=None if limb is None else float(np.linalg.norm(limb)))


def _reject(vector: Vector, axis: Vector) -> Vector | None:
    """What is left of a vector without its part along the axis; None where that is nothing."""
    across: Vector = vector - (vector @ axis) * axis
    return across if np.linalg.norm(across) > PARALLEL * np.linalg.norm(vector) else None


def _turn_towards(vector: Vector, towards: Sequence[Vector]) -> Vector:
    """`vector` or its opposite, whichever leads to the first of `towards` that says."""
    for other in towards:
        side = float(vector @ other)
        if abs(side) > PARALLEL * float(np.linalg.norm(other) * np.linalg.norm(vector)):
            return vector if side > 0 else -vector
    return vector


def _frame(x: Vector, towards: Vector) -> Matrix:
    """Right-handed axes with X exactly `x` and Y as near to `towards` as can be."""
    y = unit(towards - (towards @ x) * x)
    return np.stack([x, y, cross(x, y)], axis=1)
