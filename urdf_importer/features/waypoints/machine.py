# SPDX-License-Identifier: GPL-3.0-or-later
"""An arm as arrays: where its tool is for many positions at once, and the nearest positions for
many places of the tool (Newton's method with the least motion of all joints)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.diagnostics import KinematicsError
from ...core.geometry.transforms import Matrix, Vector
from ...core.kinematics.tips import find_palm, survey_tree
from ...core.kinematics.tree import KinematicTree
from ..ik.chain import IkChain
from ..ik.descent import Gauge, jacobians, look_at
from ..ik.goals import Goals

ALL_WAYS = 6
"""Joints that it takes to turn a tool as one likes: with fewer the place alone counts."""
NEAR = 1e-9
"""Metres and radians: a tool so near to its place is there."""
_DAMPING = 1e-14
_LONGEST = 0.5
_MOST = 12

Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class PlannedArm:
    """The planned joints of one arm, n of them, in the order of the way.

    link        the tool
    outer       (n,) external axes: they are led evenly, and the arm does the rest
    lower, upper, velocities, accelerations, jerks  (n,) limits, infinite where there is none
    rest        the positions of all other joints
    place_only  the tool may turn as it likes
    """

    chain: IkChain
    link: str
    outer: Flags
    lower: Vector
    upper: Vector
    velocities: Vector
    accelerations: Vector
    jerks: Vector
    rest: Mapping[str, float | tuple[float, ...]]
    place_only: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The joints."""
        return tuple(each.joint for each in self.chain.variables)

    @cached_property
    def turns(self) -> bool:
        """Whether the orientation of the tool counts, beside its place."""
        return len(self.chain.variables) >= ALL_WAYS and not self.place_only

    @cached_property
    def free(self) -> NDArray[np.intp]:
        """The joints that the solver moves."""
        return np.flatnonzero(~self.outer)

    @property
    def redundant(self) -> bool:
        """Whether infinitely many positions have the tool at one place."""
        return len(self.free) > (6 if self.turns else 3)

    def place(self, values: Matrix) -> Matrix:
        """Returns the tool's frames (B, 4, 4) for positions (B, n)."""
        found: Matrix = self.chain.find_frames(values)[-1] @ self.chain.last
        return found

    def solve(self, frames: Matrix, seeds: Matrix, *, most: int = _MOST) -> tuple[Matrix, Vector]:
        """Returns the positions (B, n) nearest to `seeds` that bring the tool to frames (B, 4, 4),
        by the least motion of the joints that are not external, and how far each misses (B,), in m
        or rad, whichever is more. Limits do not count."""
        gauge, values, owners = self.gauge(frames), seeds.copy(), np.arange(len(seeds))
        scale = self.chain.units[self.free]
        missed = self._missed(gauge, values, owners)
        for _ in range(most):
            todo = np.flatnonzero(missed > 1e-12)
            if not len(todo):
                break
            shown = look_at(gauge, values[todo], owners[todo])
            along = jacobians(gauge, shown).transpose(0, 2, 1)[:, :, self.free]
            step = _least(along, shown.signs[:, : along.shape[1]])
            long = np.abs(step).max(axis=1, keepdims=True)
            step *= np.minimum(1.0, _LONGEST / np.maximum(long, 1e-300))
            tried = values[todo]
            tried[:, self.free] += step * scale
            off = self._missed(gauge, tried, owners[todo])
            # In the last digits steps do not help any more.
            better = (off < missed[todo]) | (missed[todo] > NEAR)
            values[todo[better]] = tried[better]
            missed[todo[better]] = off[better]
            if not better.any():
                break
        return values, missed

    def move(self, values: Matrix, slopes: Matrix) -> Matrix:
        """Returns how fast the tool's origin moves (B, 3), for slopes (B, n) of the positions."""
        ahead, behind = (self.place(values + side * slopes) for side in (1e-6, -1e-6))
        found: Matrix = (ahead[:, :3, 3] - behind[:, :3, 3]) / 2e-6
        return found

    def gauge(self, frames: Matrix) -> Gauge:
        """Returns the measure of how far the tool is from frames (B, 4, 4)."""
        goals = Goals(frames=frames, position=True, orientation=self.turns, near=0.0, turned=0.0)
        return Gauge(self.chain, goals)

    def _missed(self, gauge: Gauge, values: Matrix, owners: NDArray[np.intp]) -> Vector:
        signs = look_at(gauge, values, owners).signs
        away = self.chain.reach * np.sqrt((signs[:, :3] ** 2).sum(axis=1))
        if self.turns:
            away = np.maximum(away, np.sqrt((signs[:, 3:6] ** 2).sum(axis=1)))
        return np.nan_to_num(away, nan=np.inf)


def suggest_tool(tree: KinematicTree) -> str:
    """Suggests the link that users mean by the robot's hand. Raises KinematicsError where nothing
    moves."""
    survey = survey_tree(tree)
    most = max(survey.counts)
    if not most:
        raise KinematicsError("no joint of the robot moves")
    return tree.links[find_palm(tree, survey.counts.index(most), survey)].name


def _least(along: Matrix, missing: Matrix) -> Matrix:
    """Returns the smallest steps (B, n) by which along (B, r, n) closes the gaps (B, r)."""
    back = along.transpose(0, 2, 1)
    wide = along.shape[2] >= along.shape[1]
    matrix = along @ back if wide else back @ along
    matrix += _DAMPING * np.eye(matrix.shape[1])
    right = missing[..., None] if wide else back @ missing[..., None]
    solved = np.linalg.solve(matrix, right)
    found: Matrix = (back @ solved if wide else solved)[..., 0]
    return found
