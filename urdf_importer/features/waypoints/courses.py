# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways of a tool in space: straight lines and arcs, with turns that are even and shortest."""

import math
from dataclasses import dataclass

import numpy as np

from ...core.geometry.transforms import Matrix, Vector, cross, rotations_about, unit
from ..ik.descent import logarithms


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolCourse:
    """The tool's way from `start` (4, 4), over shares from 0 to 1.

    offset      (3,) of a line; of an arc its centre less the start
    axis, angle of an arc; no angle for a line
    turn        (3,) the rotation vector of the tool, in its own frame at the start
    length      m of the way
    """

    start: Matrix
    offset: Vector
    axis: Vector
    angle: float
    turn: Vector
    length: float

    @property
    def size(self) -> float:
        """A length that is not zero where the tool only turns: m, and 0.1 m for each radian."""
        return self.length + 0.1 * float(np.linalg.norm(self.turn))

    def at(self, shares: Vector) -> Matrix:
        """Returns the frames (B, 4, 4) at shares (B,)."""
        frames = np.tile(np.eye(4), (len(shares), 1, 1))
        angle = float(np.linalg.norm(self.turn))
        axis = self.turn / angle if angle else np.array([0.0, 0.0, 1.0])
        turned = rotations_about(np.tile(axis, (len(shares), 1)), angle * shares)
        frames[:, :3, :3] = self.start[:3, :3] @ turned
        origin = self.start[:3, 3]
        if not self.angle:
            frames[:, :3, 3] = origin + shares[:, None] * self.offset
            return frames
        round_ = rotations_about(np.tile(self.axis, (len(shares), 1)), self.angle * shares)
        frames[:, :3, 3] = origin + self.offset - round_ @ self.offset
        return frames


def plan_line(start: Matrix, end: Matrix) -> ToolCourse:
    """Returns the straight way between two frames (4, 4)."""
    offset = end[:3, 3] - start[:3, 3]
    return ToolCourse(
        start=start, offset=offset, axis=np.zeros(3), angle=0.0, turn=_turn(start, end),
        length=float(np.linalg.norm(offset)),
    )  # fmt: skip


def plan_arc(start: Matrix, via: Vector, end: Matrix) -> ToolCourse | None:
    """Returns the arc between two frames (4, 4) over a point (3,); None where the three points lie
    on a line."""
    first, last = via - start[:3, 3], end[:3, 3] - start[:3, 3]
    normal = cross(first, last)
    square = float(normal @ normal)
    most = max(float(first @ first), float(last @ last))
    if square <= (1e-6 * most) ** 2 or float(last @ last) <= 1e-12 * most:
        return None
    # The centre of the circle around a triangle.
    middle = (
        float(first @ first) * cross(last, normal) - float(last @ last) * cross(first, normal)
    ) / (2.0 * square)
    axis = unit(normal)
    away = last - middle
    angle = math.atan2(float(cross(-middle, away) @ axis), float(-middle @ away))
    angle = angle if angle > 0.0 else angle + math.tau
    return ToolCourse(
        start=start, offset=middle, axis=axis, angle=angle, turn=_turn(start, end),
        length=angle * float(np.linalg.norm(middle)),
    )  # fmt: skip


def _turn(start: Matrix, end: Matrix) -> Vector:
    found: Vector = logarithms((start[:3, :3].T @ end[:3, :3])[None])[0]
    return found


def compose(first: Matrix, corner: Matrix, second: Matrix) -> Matrix:
    """Returns frames (B, 4, 4) that leave a way at `first` and go over into one at `second`, both
    (B, 4, 4), which meet at a corner (4, 4): their offsets from it add up, and so do their
    turns."""
    frames = first.copy()
    frames[:, :3, 3] += second[:, :3, 3] - corner[:3, 3]
    frames[:, :3, :3] = first[:, :3, :3] @ corner[:3, :3].T @ second[:, :3, :3]
    return frames
