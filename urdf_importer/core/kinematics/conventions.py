# SPDX-License-Identifier: GPL-3.0-or-later
"""Other people's axes and units: y-up simulators, centimetres.

URDF is x forward, z up, right-handed and in metres (REP 103). A convention says how another world
writes the same places, and changes nothing but the writing: signs, order and one factor.
"""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..diagnostics import KinematicsError, quote
from ..geometry.transforms import Matrix, Vector

_AXES = re.compile(r"(?:[-+]?[xyz]){3}").fullmatch
_AXIS = re.compile(r"([-+]?)([xyz])")


def read_axes(axes: str) -> Matrix:
    """Returns the basis (3, 3) for text such as "zxy" or "-yxz": for each new axis the matching old
    one, with its sign; new = P old. Raises KinematicsError where it is not a rotation, or
    mirrors."""
    if not _AXES(axes):
        raise KinematicsError(
            f"{quote(axes)} does not name three axes, as zxy and -yxz do: for each of x, y and z "
            "the old axis that it is"
        )
    basis = np.zeros((3, 3))
    for row, (sign, letter) in enumerate(_AXIS.findall(axes)):
        basis[row, "xyz".index(letter)] = -1.0 if sign == "-" else 1.0
    determinant = round(float(np.linalg.det(basis)))
    if determinant == 0:
        raise KinematicsError(f"{quote(axes)} names an axis twice")
    if determinant < 0:
        raise KinematicsError(f"{quote(axes)} mirrors the robot, which no rotation can do")
    return basis


@dataclass(frozen=True, slots=True)
class Convention:
    """The axes and unit of another program: `axes` names, for each of the robot's x, y and z, the
    other program's axis, with its sign; `unit` is its unit in metres.

    Convention("zxy", 0.01) is y-up and in centimetres: the robot's (x, y, z) are their (z, x, y).
    Raises KinematicsError for invalid axes, for left hands and for units that are not lengths.
    """

    axes: str = "xyz"
    unit: float = 1.0

    def __post_init__(self) -> None:
        read_axes(self.axes)
        if not 0.0 < self.unit < 1e9:
            raise KinematicsError(f"the unit {self.unit} is not a length in metres")

    def to_robot(self, theirs: ArrayLike) -> Matrix:
        """Returns points or vectors of length (..., 3), or frames (..., 4, 4), in the robot's axes
        and metres. Rotations turn with the axes: R = P R' P^T."""
        return self._convert(theirs, inwards=True)

    def from_robot(self, ours: ArrayLike) -> Matrix:
        """Returns the opposite of to_robot: exactly so for a unit of 1, else to rounding."""
        return self._convert(ours, inwards=False)

    def turn_to_robot(self, theirs: ArrayLike) -> Matrix:
        """Returns quaternions (..., 4), x, y, z, w, in the robot's axes. Their axis of rotation
        turns with the axes, the angle stays: exact."""
        return self._turn_quaternions(theirs, read_axes(self.axes))

    def turn_from_robot(self, ours: ArrayLike) -> Matrix:
        """Returns the opposite of turn_to_robot, exactly."""
        return self._turn_quaternions(ours, read_axes(self.axes).T)

    def _turn_quaternions(self, given: ArrayLike, basis: Matrix) -> Matrix:
        array = np.array(given, dtype=np.float64)
        if array.shape[-1:] != (4,):
            raise KinematicsError(f"quaternions have shape (..., 4), not {array.shape}")
        array[..., :3] = _place(basis, array[..., :3])
        return array

    def _convert(self, given: ArrayLike, inwards: bool) -> Matrix:
        array = np.array(given, dtype=np.float64)
        basis = read_axes(self.axes) if inwards else read_axes(self.axes).T
        if array.shape[-2:] == (4, 4):
            array[..., :3, :3] = _turn(basis, array[..., :3, :3])
            array[..., :3, 3] = self._scale(
                _reorder(basis, array[..., :3, 3, None])[..., 0], inwards
            )
            return array
        if array.shape[-1:] != (3,):
            raise KinematicsError(
                f"a convention is for points (..., 3) and frames (..., 4, 4), not {array.shape}"
            )
        return self._scale(_place(basis, array), inwards)

    def _scale(self, lengths: Vector, inwards: bool) -> Vector:
        return lengths * self.unit if inwards else lengths / self.unit


def _reorder(basis: Matrix, array: Matrix) -> Matrix:
    """Returns basis @ array (..., 3, k) by order and sign alone: no rounding, and no -0."""
    places = np.abs(basis).argmax(1)
    signs = basis.sum(1)
    return array[..., places, :] * signs[:, None] + 0.0


def _place(basis: Matrix, points: Matrix) -> Matrix:
    return _reorder(basis, points[..., None])[..., 0]


def _turn(basis: Matrix, rotations: Matrix) -> Matrix:
    """Returns P R P^T."""
    return _reorder(basis, _reorder(basis, rotations.swapaxes(-1, -2)).swapaxes(-1, -2))
