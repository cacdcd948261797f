# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's method on the gaps of a linkage: the least step that closes them, again and again.

Redundant equations, as in planar loops in space, cause no trouble: the step is computed with the
pseudo-inverse. Descriptions have six digits, by which such equations differ; singular values below
that are taken for zero, and gaps in their directions stay open.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import Matrix, Vector
from ..forward import AT_REST
from .linkage import Linkage, LinkagePose

RANK_TOLERANCE = 3e-5
"""Of singular values, against the largest."""
CLOSED = 1e-11
"""Gaps that are taken for none, in sizes of the linkage and radians."""
NEARLY = 0.02
"""Positions whose gaps are smaller say which way a linkage is put together."""
_MOST_STEPS = 40
_FEW_STEPS = 8
_LONGEST_STEP = 0.4
_PATIENCE = 3
"""Near a pose that closes, gaps fall by half with each step at least, in singular poses too: where
they do not fall by half in so many, there is none nearby."""
_NO_STEP = 1e-13
_HARDLY_OPEN = 1e-5
"""The gap that descriptions of six digits leave open; it stays so, whatever is tried."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Closed:
    """A pose, the length of its gaps, and their derivatives, as Linkage.measure gives them."""

    pose: LinkagePose
    gap: float
    jacobian: Matrix


def start_pose(linkage: Linkage) -> LinkagePose:
    """Returns the pose in which all joints are at zero, or as near to it as their limits let
    them."""
    pose = zero_pose(linkage)
    for variable in linkage.variables:
        if variable.is_single:
            pose.values[variable.columns] = variable.motion.nearest_valid(0.0)
    return pose


def zero_pose(linkage: Linkage) -> LinkagePose:
    """Returns the pose in which all joints are at zero."""
    several = {
        variable.motion.joint.name: AT_REST[variable.motion.kind]
        for variable in linkage.variables
        if not variable.is_single
    }
    return LinkagePose(values=np.zeros(linkage.mixing.shape[1]), several=several)


def close(
    linkage: Linkage, pose: LinkagePose, moving: NDArray[np.bool_], *, nearby: bool = False
) -> Closed:
    """Closes the loops by the variables `moving` (n,), as far as these can, and near the pose: soon
    given up where only a `nearby` pose counts."""
    gaps, jacobian = linkage.measure(pose)
    length = float(np.linalg.norm(gaps))
    best = Closed(pose=pose, gap=length, jacobian=jacobian)
    recent = np.inf
    for count in range(_MOST_STEPS):
        if length <= CLOSED:
            break
        if count % _PATIENCE == 0:
            if best.gap > 0.5 * recent and (nearby or best.gap < _HARDLY_OPEN):
                break
            recent = best.gap
        step = np.zeros(len(moving))
        step[moving] = -solve_least(jacobian[:, moving], gaps)
        size = float(np.linalg.norm(step))
        if size > _LONGEST_STEP:
            step *= _LONGEST_STEP / size
        if size < _NO_STEP:
            break
        pose = linkage.move(pose, step)
        gaps, jacobian = linkage.measure(pose)
        length = float(np.linalg.norm(gaps))
        if length < best.gap:
            best = Closed(pose=pose, gap=length, jacobian=jacobian)
    return best


def close_all(
    linkage: Linkage, poses: LinkagePose, moving: NDArray[np.bool_]
) -> tuple[LinkagePose, Vector, Matrix]:
    """Closes many poses that are nearly closed. Returns the resulting poses, the lengths (N,) of
    their gaps, and the derivatives of these (N, G, n)."""
    before = np.full(len(poses.values), np.inf)
    for count in range(_FEW_STEPS):
        gaps, jacobians = linkage.measure(poses)
        lengths = np.linalg.norm(gaps, axis=1)
        if count == _FEW_STEPS - 1 or ((lengths <= CLOSED) | (lengths > 0.5 * before)).all():
            break
        before = lengths
        step = np.zeros((len(gaps), len(moving)))
        step[:, moving] = -solve_least_all(jacobians[:, :, moving], gaps)
        size = np.linalg.norm(step, axis=1, keepdims=True)
        poses = linkage.move(poses, step * np.minimum(1.0, _LONGEST_STEP / np.maximum(size, 1e-9)))
    return poses, lengths, jacobians


def solve_least_all(matrices: Matrix, right: Matrix) -> Matrix:
    """Returns the shortest x (N, n) that bring matrices (N, m, n) @ x nearest to `right` (N, m)."""
    found: Matrix = np.linalg.pinv(matrices, rcond=RANK_TOLERANCE) @ right[:, :, None]
    return found[:, :, 0]


def solve_least(matrix: Matrix, right: Vector) -> Vector:
    """Returns the shortest x that brings matrix @ x nearest to `right`."""
    if not matrix.size:
        return np.zeros(matrix.shape[1])
    return np.linalg.lstsq(matrix, right, rcond=RANK_TOLERANCE)[0]


def find_rank(matrix: Matrix) -> int:
    """Returns how many rows of a matrix are independent, by its singular values."""
    if not matrix.size:
        return 0
    found = np.linalg.svd(matrix, compute_uv=False)
    return int((found > RANK_TOLERANCE * max(found[0], _NO_STEP)).sum())
