# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's axes from a bone's head, tail and roll, in its own single precision.

Blender works a bone's axes out twice when edit mode ends: in the armature's frame from head, tail
and roll, and again in the frame of the bone's parent, whose final axes it inverts; the second roll
makes the two agree. Each step here rounds where Blender's does, in the same order, so that the
result is the same to the last bit on processors of the x86-64 family (Blender 4.2 to 5.3).
Elsewhere compilers fuse multiplications with additions, and the last digits are others.

Numbers are single (numpy's scalars, which for one bone cost a tenth of arrays) or arrays of them,
one for each bone; vectors are tuples of three numbers or arrays (3, N), axes are tuples of three
columns or arrays (3, 3, N) of columns. Results for arrays are the same to the last bit.

Sources of the formulas: Blender's `vec_roll_to_mat3_normalized`, `BKE_armature_where_is_bone` and
`armature_finalize_restpose`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Number: TypeAlias = Any
"""np.float32, or an array of them."""

Triple: TypeAlias = Any
"""A vector: a tuple of three numbers, or an array (3, N)."""

Axes: TypeAlias = Any
"""Axes, or the rows of a matrix: a tuple of three vectors, or an array (3, 3, N)."""

_NONE, _ONE, _HALF, _EIGHTH = (np.float32(value) for value in (0.0, 1.0, 0.5, 0.125))
_SAFE = np.float32(6.1e-3)
"""1 + y above which the plain formula is precise enough for Blender."""

_CRITICAL = np.float32(2.5e-4) * np.float32(2.5e-4)
"""x * x + z * z up to which a direction counts as -Y."""


def _round_sine_and_cosine(angle: Number) -> tuple[Number, Number]:
    wide = np.float64(angle)
    return np.sin(wide).astype(np.float32), np.cos(wide).astype(np.float32)


def _round_arctangent(opposite: Number, adjacent: Number) -> Number:
    return np.arctan2(np.float64(opposite), np.float64(adjacent)).astype(np.float32)


class EditBone(NamedTuple):
    """A bone in edit mode, in the armature's frame; `roll` in radians."""

    head: Triple
    tail: Triple
    roll: Number


class RestBone(NamedTuple):
    """Blender's result for a bone, in the armature's frame."""

    axes: Axes
    origin: Triple
    length: Number


_X, _Y, _Z = (_ONE, _NONE, _NONE), (_NONE, _ONE, _NONE), (_NONE, _NONE, _ONE)
_DOWN = ((-_ONE, _NONE, _NONE), (_NONE, -_ONE, _NONE), _Z)
ORIGIN = (_NONE, _NONE, _NONE)

NO_PARENT = RestBone(axes=(_X, _Y, _Z), origin=ORIGIN, length=_NONE)
"""The parent of bones without one, with its tail in ORIGIN: so they come out the same."""


def frame_of(vector: Triple) -> Axes:
    """Returns Blender's frame of a bone along a vector of any length, without roll."""
    return axes_without_roll(_unit(vector))


def roll_frame(vector: Triple, roll: Number, frame: Axes | None = None) -> Axes:
    """Returns Blender's frame of a bone along a vector of any length, with roll in radians. If it
    is known already, `frame` is the one without roll."""
    along = _unit(vector)
    return _turn(axes_without_roll(along) if frame is None else frame, along, roll)


@dataclass(frozen=True, slots=True, kw_only=True)
class AngleFunctions:
    """Functions of angles in single precision, which differ by the last bit from one C library to
    another. These here round once from double precision."""

    frame_of: Callable[[Triple], Axes] = frame_of
    roll_frame: Callable[..., Axes] = roll_frame
    arctangent: Callable[[Number, Number], Number] = _round_arctangent
    """Of opposite and adjacent side, in radians."""


ROUNDED_ONCE = AngleFunctions()


def rest_of(
    bone: EditBone,
    frame: Axes,
    parent: RestBone,
    parent_tail: Triple,
    machine: AngleFunctions = ROUNDED_ONCE,
) -> RestBone:
    """Returns Blender's result for a bone with its edit_frame, on a parent with that tail in edit
    mode."""
    rows = invert_rest(parent.axes)
    head = _project(rows, _subtract(bone.head, parent_tail))
    tail = _project(rows, _subtract(bone.tail, parent_tail))
    along = _subtract(tail, head)
    axes = _turn_along(parent.axes, frame, along, machine)
    head = (head[0], head[1] + parent.length, head[2])
    return RestBone(axes=axes, origin=_place(parent, head), length=_length(along))


def rest_axes_of(
    bones: EditBone, frames: Axes, parents: Axes, inverse: Axes, parent_tails: Triple
) -> Axes:
    """Returns the axes of rest_of, for N bones as arrays on as many parents, or on one: their axes
    and their invert_rest (3, 3, N or 1), and tails (3, N or 1)."""
    head = _project(inverse, bones.head - parent_tails)
    tail = _project(inverse, bones.tail - parent_tails)
    return _turn_along(parents, frames, tail - head, ROUNDED_ONCE)


def _turn_along(parent: Axes, frame: Axes, along: Triple, machine: AngleFunctions) -> Axes:
    """Returns the axes of a bone along a vector in its parent's frame, with the roll that suits its
    edit_frame."""
    base = machine.frame_of(along)
    z = _combine(parent, base[2])
    roll = -machine.arctangent(_dot(frame[0], z), _dot(frame[2], z))
    return multiply(parent, machine.roll_frame(along, roll, base))


def edit_frame(bone: EditBone, machine: AngleFunctions = ROUNDED_ONCE) -> Axes:
    """Returns the rows of the inverse of the axes that a bone has in edit mode."""
    axes = machine.roll_frame(_subtract(bone.tail, bone.head), bone.roll)
    rows = _cross_columns(axes)
    determinant = axes[0][0] * rows[0][0] + axes[1][0] * rows[1][0] + axes[2][0] * rows[2][0]
    return _scale(rows, _ONE / determinant)


def axes_without_roll(along: Triple) -> Axes:
    """Returns Blender's frame of a bone along a unit vector, before roll: the shortest turn of Y
    onto it. Near -Y, where that is ill-defined, it loses digits."""
    x, y, z = along
    flat = x * x + z * z
    theta = _ONE + y
    near = theta <= _SAFE
    if near.any():
        theta = _choose(near, flat * _HALF + flat * flat * _EIGHTH, theta)
        down = near & (flat <= _CRITICAL)
        theta = _choose(down, _ONE, theta)
    skew = -x * z / theta
    axes: Axes = ((_ONE - x * x / theta, -x, skew), along, (skew, -z, _ONE - z * z / theta))
    if not isinstance(along, np.ndarray):
        return _DOWN if near and down else axes
    axes = np.array(axes)
    return np.where(down, np.array(_DOWN)[..., None], axes) if near.any() else axes


def multiply(one: Axes, other: Axes) -> Axes:
    """Returns the product of two matrices."""
    if isinstance(one, np.ndarray):
        x, y, z = other[:, 0, None], other[:, 1, None], other[:, 2, None]
        return x * one[0] + y * one[1] + z * one[2]
    return (_combine(one, other[0]), _combine(one, other[1]), _combine(one, other[2]))


def _turn(axes: Axes, along: Triple, roll: Number) -> Axes:
    """Returns axes after a roll about the bone's direction, which near -Y is not quite their Y
    axis."""
    x, y, z = along
    sine, cosine = _round_sine_and_cosine(roll)
    rest = _ONE - cosine
    sx, sy, sz = x * sine, y * sine, z * sine
    xy, xz, yz = x * y * rest, x * z * rest, y * z * rest
    turn = (
        (x * x * rest + cosine, xy + sz, xz - sy),
        (xy - sz, y * y * rest + cosine, yz + sx),
        (xz + sy, yz - sx, z * z * rest + cosine),
    )
    return multiply(np.array(turn) if isinstance(axes, np.ndarray) else turn, axes)


def invert_rest(axes: Axes) -> Axes:
    """Returns the rows of the inverse of the axes of a bone at rest."""
    rows = _cross_columns(axes)
    return _scale(rows, _ONE / _dot(axes[2], rows[2]))


def _cross_columns(axes: Axes) -> Axes:
    x, y, z = axes
    return (_cross(y, z), _cross(z, x), _cross(x, y))


def _cross(one: Triple, other: Triple) -> Triple:
    (a, b, c), (d, e, f) = one, other
    return (b * f - c * e, c * d - a * f, a * e - b * d)


def _scale(rows: Axes, factor: Number) -> Axes:
    (a, b, c), (d, e, f), (g, h, i) = rows
    return (
        (a * factor, b * factor, c * factor),
        (d * factor, e * factor, f * factor),
        (g * factor, h * factor, i * factor),
    )


def _combine(axes: Axes, vector: Triple) -> Triple:
    """Returns the vector of these coordinates along the axes."""
    x, y, z = vector
    if isinstance(axes, np.ndarray):
        return x * axes[0] + y * axes[1] + z * axes[2]
    (a, b, c), (d, e, f), (g, h, i) = axes
    return (x * a + y * d + z * g, x * b + y * e + z * h, x * c + y * f + z * i)


def _project(rows: Axes, vector: Triple) -> Triple:
    if isinstance(rows, np.ndarray):
        return vector[0] * rows[:, 0] + vector[1] * rows[:, 1] + vector[2] * rows[:, 2]
    return (_dot(vector, rows[0]), _dot(vector, rows[1]), _dot(vector, rows[2]))


def _place(parent: RestBone, head: Triple) -> Triple:
    """Adds four products in pairs, as Blender does."""
    (a, b, c), (d, e, f), (g, h, i) = parent.axes
    x, y, z = head
    u, v, w = parent.origin
    return (
        (x * a + y * d) + (z * g + u),
        (x * b + y * e) + (z * h + v),
        (x * c + y * f) + (z * i + w),
    )


def _dot(one: Triple, other: Triple) -> Number:
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]


def _subtract(one: Triple, other: Triple) -> Triple:
    if isinstance(one, np.ndarray):
        return one - other
    return (one[0] - other[0], one[1] - other[1], one[2] - other[2])


def _unit(vector: Triple) -> Triple:
    """Returns the vector of length one."""
    factor = _ONE / _length(vector)
    if isinstance(vector, np.ndarray):
        return vector * factor
    x, y, z = vector
    return (x * factor, y * factor, z * factor)


def _length(vector: Triple) -> Number:
    return np.sqrt(_dot(vector, vector))


def _choose(condition: Any, one: Number, other: Number) -> Number:
    if condition.ndim:
        return np.where(condition, one, other)
    return one if condition else other
