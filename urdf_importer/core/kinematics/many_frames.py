# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of one robot in many frames at once, and its Jacobians.

Only joints that move something count: links that are fixed on a moved one are parts of its
body. The base, body 0, is free.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..geometry.transforms import invert, rotations_about
from .forward import joint_frames, zero_frames
from .motion import JointMotion
from .tree import KinematicTree

Numbers = NDArray[np.float64]

Places = NDArray[np.intp]
_WIDE = 20.0
"""Radians or metres: a joint without a limit goes no farther."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BodyPoses:
    """Of m frames: where each body is, origins (m, b, 3) and turns (m, b, 3, 3); axes (m, b, 3) of
    the joints above, in the world."""

    origins: Numbers
    turns: Numbers
    axes: Numbers

    def locate(self, body: int, point: Numbers) -> Numbers:
        """Returns where a point of a body is, (m, 3)."""
        return self.origins[:, body] + self.turns[:, body] @ point


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BasePoses:
    """Where the base is: origins (m, 3), turns (m, 3, 3)."""

    origins: Numbers
    turns: Numbers

    def rows(self, chosen: Any) -> "BasePoses":
        """Returns the base in some frames."""
        return BasePoses(origins=self.origins[chosen], turns=self.turns[chosen])


class JointedBodies:
    """The moving parts of a robot.

    names (n)        the joints that are free to move, in tree order
    lower, upper (n) their limits, wide where there are none
    bodies           link -> the body that it is part of, 0 for the base
    frames (links)   each link's frame in the frame of its body, with all joints at zero

    Joints of `held`, and locked ones, do not move; with `keeps_locked` the latter are joints too.
    """

    def __init__(
        self, tree: KinematicTree, held: frozenset[str] = frozenset(), *, keeps_locked: bool = False
    ) -> None:
        self.tree = tree
        self.root = _find_root(tree)
        zero = zero_frames(tree)
        zero = invert(zero[self.root]) @ zero
        frames = joint_frames(tree, zero)
        self._keeps_locked = keeps_locked
        self._collect(tree, held)
        self.zero, self.frames = zero, zero.copy()
        self._fixed = np.tile(np.eye(4), (len(self.places), 1, 1))
        for body, place in enumerate(self.places):
            if body:
                above = frames[self.places[self.parents[body]]] if self.parents[body] else np.eye(4)
                self._fixed[body] = invert(above) @ frames[place]
        for place, body in enumerate(self.body_of):
            seat = frames[self.places[body]] if body else np.eye(4)
            self.frames[place] = invert(seat) @ zero[place]

    def _collect(self, tree: KinematicTree, held: frozenset[str]) -> None:
        """Gives each moved link its body, and each free joint its variable."""
        self.body_of = [0] * len(tree.links)
        self.places, self.parents = [self.root], [-1]
        axes, slides, variables, factors, shifts = [np.zeros(3)], [False], [-1], [0.0], [0.0]
        motions = tree.motion_of
        names: list[str] = []
        for place, motion in enumerate(tree.motions):
            if motion is None:
                continue
            above = self.body_of[tree.parents[place]]
            self.body_of[place] = above
            if place == self.root:
                self.body_of[place] = 0
                continue
            mimic = tree.lead(motion.joint.name)
            name = mimic.joint
            if not motion.is_scalar or name in held or self._is_locked(motions[name]):
                continue
            if name not in names:
                names.append(name)
            self.body_of[place] = len(self.places)
            self.places.append(place)
            self.parents.append(above)
            axes.append(np.array(motion.axis))
            slides.append(motion.kind == "prismatic")
            variables.append(names.index(name))
            factors.append(mimic.multiplier)
            shifts.append(mimic.offset)
        self.names = tuple(names)
        self.columns = {name: column for column, name in enumerate(names)}
        self.axes, self.slides = np.array(axes), np.array(slides)
        self.variables, self.factors = np.array(variables), np.array(factors)
        self.shifts = np.array(shifts)
        chosen = [motions[name] for name in names]
        self.lower = np.array([-_WIDE if each.lower is None else each.lower for each in chosen])
        self.upper = np.array([_WIDE if each.upper is None else each.upper for each in chosen])
        self.endless = np.array(
            [each.kind == "revolute" and (each.lower is None or each.upper is None)
             for each in chosen], dtype=bool
        )  # fmt: skip
        self.chains = [self._chain(body) for body in range(len(self.places))]

    def _is_locked(self, motion: JointMotion) -> bool:
        if self._keeps_locked or motion.lower is None or motion.upper is None:
            return False
        return motion.upper - motion.lower < 1e-6

    def _chain(self, body: int) -> Places:
        """Returns the bodies from the base to this one whose joints move it."""
        found = []
        while body > 0:
            found.append(body)
            body = self.parents[body]
        return np.array(found[::-1], dtype=np.intp)

    def rest(self) -> Numbers:
        """Returns the positions nearest to zero within limits, (n,)."""
        return np.clip(np.zeros(len(self.names)), self.lower, self.upper)

    def needed(self, bodies: Iterable[int]) -> tuple[int, ...]:
        """Returns the bodies that carry these, and they themselves, parents first."""
        found = {int(each) for body in bodies for each in self.chains[body]}
        return tuple(sorted(found))

    def pose(
        self, positions: Numbers, base: BasePoses, bodies: Sequence[int] | None = None
    ) -> BodyPoses:
        """Returns where all bodies are, or the bodies that `needed` names, with joints at positions
        (m, n)."""
        count, total = len(positions), len(self.places)
        moved = positions[:, self.variables] * self.factors + self.shifts
        local = rotations_about(self.axes, np.where(self.slides, 0.0, moved))
        origins, turns = np.zeros((count, total, 3)), np.zeros((count, total, 3, 3))
        axes = np.zeros((count, total, 3))
        origins[:, 0], turns[:, 0] = base.origins, base.turns
        for body in range(1, total) if bodies is None else bodies:
            above, fixed = self.parents[body], self._fixed[body]
            seat = turns[:, above] @ fixed[:3, :3]
            origins[:, body] = origins[:, above] + turns[:, above] @ fixed[:3, 3]
            axes[:, body] = seat @ self.axes[body]
            if self.slides[body]:
                origins[:, body] += axes[:, body] * moved[:, body, None]
                turns[:, body] = seat
            else:
                turns[:, body] = seat @ local[:, body]
        return BodyPoses(origins=origins, turns=turns, axes=axes)


def _find_root(tree: KinematicTree) -> int:
    """Returns the link that the base is: the child of a planar or floating joint on the root, else
    the root with the most links on it."""
    root = max(
        (place for place, parent in enumerate(tree.parents) if parent < 0),
        key=lambda place: len(tree.subtree(place)),
    )
    for child in tree.children[root]:
        motion = tree.motions[child]
        if motion is not None and motion.kind in ("planar", "floating"):
            return child
    return root


def turn_by(vectors: Numbers) -> Numbers:
    """Returns the rotations (m, 3, 3) about vectors (m, 3) by their lengths."""
    angles = np.linalg.norm(vectors, axis=1)
    axes = vectors / np.maximum(angles, 1e-12)[:, None]
    return rotations_about(axes[:, None], angles[:, None])[:, 0]


def turn_between(turns: Numbers, wanted: Numbers) -> Numbers:
    """Returns the vectors (m, 3) about which, and by whose length, `turns` become `wanted`."""
    error = wanted @ np.swapaxes(turns, 1, 2)
    vector = 0.5 * np.stack(
        [error[:, 2, 1] - error[:, 1, 2], error[:, 0, 2] - error[:, 2, 0],
         error[:, 1, 0] - error[:, 0, 1]], axis=1
    )  # fmt: skip
    sine = np.linalg.norm(vector, axis=1)
    cosine = 0.5 * (np.trace(error, axis1=1, axis2=2) - 1.0)
    angle = np.arctan2(sine, cosine)
    # Next to half a turn the sine says nothing of the axis' length: the step is bounded anyway.
    scale: Numbers = np.where(sine > 1e-6, angle / np.maximum(sine, 1e-6), 1.0)
    return vector * scale[:, None]
