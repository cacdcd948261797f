# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of all joints in all frames: damped least squares (Levenberg and Marquardt), each frame
by itself and all at once, within limits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...core.kinematics.many_frames import (
    BasePoses,
    BodyPoses,
    JointedBodies,
    Places,
    turn_between,
    turn_by,
)
from ..motion.trajectory import Numbers

Flags = NDArray[np.bool_]
_STEP = 0.5
"""Radians, or metres for a base, that one step goes at most."""
_MOST_STEPS = 40
_ENOUGH = 1e-4
"""Steps and gains below it end the search of a frame."""
_PIECE = 900
"""Frames that are solved at once: memory is bounded, and frames do not know each other."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wish:
    """A wish for a body: that its direction `local` be along `target` (m, 3), its turn be `target`
    (m, 3, 3), or its point `local` be at `target`. `limb` is whose wish it is, -1 the trunk's;
    weight is a number, or (m,)."""

    kind: Literal["aim", "turn", "reach"]
    body: int
    target: Numbers
    local: Numbers = field(default_factory=lambda: np.zeros(3))
    weight: Any = 1.0
    limb: int = -1

    def rows(self, chosen: Any) -> "Wish":
        """Returns the task in some frames."""
        weight = self.weight if np.ndim(self.weight) == 0 else self.weight[chosen]
        return replace(self, target=self.target[chosen], weight=weight)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class State:
    """positions (m, n) of joints, and the base."""

    positions: Numbers
    base: BasePoses

    def rows(self, chosen: Any) -> "State":
        return State(positions=self.positions[chosen], base=self.base.rows(chosen))


class FrameSolver:
    """Solves tasks for the `active` joints of a machine, and for its base where that is free."""

    def __init__(self, machine: JointedBodies, active: Iterable[int], *, is_free: bool) -> None:
        self.machine = machine
        self.active = np.array(sorted(active), dtype=np.intp)
        self.is_free = is_free
        self._offset = 6 if is_free else 0
        self._columns = np.full(len(machine.names) + 1, -1, dtype=np.intp)
        self._columns[self.active] = self._offset + np.arange(len(self.active))
        self._width = self._offset + len(self.active)

    def solve(
        self, tasks: Sequence[Wish], start: State, *, pull: float = 0.02, most: int = _MOST_STEPS
    ) -> tuple[State, Numbers]:
        """Returns the state of each frame, and the costs of its tasks (m, tasks); `pull` is the
        weight of staying near the start."""
        states, costs = [], []
        for first in range(0, len(start.positions), _PIECE):
            chosen = slice(first, first + _PIECE)
            piece = [task.rows(chosen) for task in tasks]
            state, cost = self._solve_piece(piece, start.rows(chosen), pull, most)
            states.append(state)
            costs.append(cost)
        return join_states(states), np.concatenate(costs)

    def _solve_piece(
        self, tasks: Sequence[Wish], start: State, pull: float, most: int
    ) -> tuple[State, Numbers]:
        count = len(start.positions)
        positions = start.positions.copy()
        origins, turns = start.base.origins.copy(), start.base.turns.copy()
        damping, alive = np.full(count, 1e-3), np.arange(count)
        bodies = self.machine.needed(task.body for task in tasks)
        state = State(positions=positions, base=BasePoses(origins=origins, turns=turns))
        for _ in range(most):
            own = [task.rows(alive) for task in tasks]
            here, begin = state.rows(alive), start.positions[alive]
            pose = self.machine.pose(here.positions, here.base, bodies)
            residuals, jacobian = self._linearize(own, pose)
            step = self._step(residuals, jacobian, here, begin, (damping[alive], pull))
            tried = self._move(here, step)
            before = self._cost(residuals, here, begin, pull)
            after_pose = self.machine.pose(tried.positions, tried.base, bodies)
            there = np.concatenate([_residual(task, after_pose)[0] for task in own], axis=1)
            after = self._cost(there, tried, begin, pull)
            better = after < before
            took = alive[better]
            positions[took] = tried.positions[better]
            origins[took], turns[took] = tried.base.origins[better], tried.base.turns[better]
            damping[alive] = np.where(better, damping[alive] * 0.3, damping[alive] * 8.0)
            moved = np.abs(step).max(axis=1) > _ENOUGH * 10
            gains = (before - after) > _ENOUGH * before
            alive = alive[(better & gains & moved) | (~better & (damping[alive] < 1e3) & moved)]
            if not len(alive):
                break
        pose = self.machine.pose(positions, state.base, bodies)
        costs = [(_residual(task, pose)[0] ** 2).sum(axis=1) for task in tasks]
        return state, np.stack(costs, axis=1)

    def _cost(self, residuals: Numbers, state: State, begin: Numbers, pull: float) -> Numbers:
        away = (state.positions - begin)[:, self.active]
        cost: Numbers = (residuals**2).sum(axis=1) + pull * (away**2).sum(axis=1)
        return cost

    def _linearize(self, tasks: Sequence[Wish], pose: BodyPoses) -> tuple[Numbers, Numbers]:
        """Returns residuals (m, 3 tasks) and their Jacobian (m, 3 tasks, variables)."""
        count = len(pose.origins)
        residuals = np.empty((count, 3 * len(tasks)))
        jacobian = np.zeros((count, 3 * len(tasks), self._width))
        for place, task in enumerate(tasks):
            rows = slice(3 * place, 3 * place + 3)
            residuals[:, rows], point = _residual(task, pose)
            block = jacobian[:, rows]
            scale = np.sqrt(np.asarray(task.weight, dtype=np.float64)).reshape(-1, 1, 1)
            if self.is_free:
                self._lean_base(task, pose, point, block)
            chain = self.machine.chains[task.body]
            columns = self._columns[self.machine.variables[chain]]
            chain, columns = chain[columns >= 0], columns[columns >= 0]
            if len(chain):
                parts = self._lean_joints(task, pose, point, chain)
                if len(set(columns.tolist())) == len(columns):
                    block[:, :, columns] = parts
                else:
                    for index, column in enumerate(columns.tolist()):
                        block[:, :, column] += parts[:, :, index]
            block *= scale
        return residuals, jacobian

    def _lean_base(self, task: Wish, pose: BodyPoses, point: Numbers, block: Numbers) -> None:
        if task.kind == "turn":
            block[:, :, 3:6] = np.eye(3)
            return
        arm = point if task.kind == "aim" else point - pose.origins[:, 0]
        x, y, z = arm.T
        block[:, 0, 4], block[:, 0, 5] = z, -y
        block[:, 1, 3], block[:, 1, 5] = -z, x
        block[:, 2, 3], block[:, 2, 4] = y, -x
        if task.kind == "reach":
            block[:, :, 0:3] = np.eye(3)

    def _lean_joints(self, task: Wish, pose: BodyPoses, point: Numbers, chain: Places) -> Numbers:
        """Returns (m, 3, joints)."""
        axes, machine = pose.axes[:, chain], self.machine
        slides = machine.slides[chain][:, None]
        if task.kind == "turn":
            parts = np.where(slides, 0.0, axes)
        elif task.kind == "aim":
            parts = np.where(slides, 0.0, cross(axes, point[:, None]))
        else:
            parts = np.where(slides, axes, cross(axes, point[:, None] - pose.origins[:, chain]))
        leaning: Numbers = np.swapaxes(parts * machine.factors[chain][:, None], 1, 2)
        return leaning

    def _step(
        self,
        residuals: Numbers,
        jacobian: Numbers,
        here: State,
        begin: Numbers,
        weights: tuple[Numbers, float],
    ) -> Numbers:
        """Returns a damped step (m, variables); joints at a limit that push outward stay."""
        damping, pull = weights
        across = np.swapaxes(jacobian, 1, 2)
        matrix = across @ jacobian
        slope = (across @ residuals[:, :, None])[:, :, 0]
        joints = np.arange(self._offset, self._width)
        slope[:, joints] += pull * (here.positions - begin)[:, self.active]
        diagonal = np.arange(self._width)
        matrix[:, diagonal, diagonal] += damping[:, None] + 1e-9
        matrix[:, joints, joints] += pull
        lower, upper = self.machine.lower[self.active], self.machine.upper[self.active]
        own = here.positions[:, self.active]
        stuck = np.zeros((len(own), self._width), dtype=bool)
        away = slope[:, joints]
        stuck[:, joints] = ((own <= lower) & (away > 0.0)) | ((own >= upper) & (away < 0.0))
        matrix[stuck[:, :, None] | stuck[:, None, :]] = 0.0
        matrix[:, diagonal, diagonal] += stuck
        slope[stuck] = 0.0
        step: Numbers = -np.linalg.solve(matrix, slope[:, :, None])[:, :, 0]
        size = np.abs(step).max(axis=1, keepdims=True)
        return step * np.minimum(1.0, _STEP / np.maximum(size, 1e-12))

    def _move(self, here: State, step: Numbers) -> State:
        positions = here.positions.copy()
        positions[:, self.active] = np.clip(
            positions[:, self.active] + step[:, self._offset :],
            self.machine.lower[self.active],
            self.machine.upper[self.active],
        )
        base = here.base
        if self.is_free:
            base = BasePoses(
                origins=base.origins + step[:, :3], turns=turn_by(step[:, 3:6]) @ base.turns
            )
        return State(positions=positions, base=base)


def _residual(task: Wish, pose: BodyPoses) -> tuple[Numbers, Numbers]:
    """Returns the weighted residual (m, 3) of a task, and its direction or point in the world."""
    scale = np.sqrt(np.asarray(task.weight, dtype=np.float64)).reshape(-1, 1)
    turns = pose.turns[:, task.body]
    if task.kind == "turn":
        return -turn_between(turns, task.target) * scale, task.target[:, 0]
    point = turns @ task.local
    if task.kind == "reach":
        point = point + pose.origins[:, task.body]
    return (point - task.target) * scale, point


def cross(a: Numbers, b: Numbers) -> Numbers:
    """Returns a x b, in a third of the time of numpy's own."""
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


def unit(vectors: Numbers) -> Numbers:
    """Returns directions (m, 3); of nothing, upward."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(lengths > 1e-9, vectors / np.maximum(lengths, 1e-9), [0.0, 0.0, 1.0])


def join_states(states: Sequence[State]) -> State:
    positions = np.concatenate([each.positions for each in states])
    origins = np.concatenate([each.base.origins for each in states])
    turns = np.concatenate([each.base.turns for each in states])
    return State(positions=positions, base=BasePoses(origins=origins, turns=turns))


def orthonormalize(turns: Numbers) -> Numbers:
    """Returns the rotations nearest to matrices (m, 3, 3)."""
    u, _, v = np.linalg.svd(turns)
    u[:, :, 2] *= np.linalg.det(u @ v)[:, None]
    nearest: Numbers = u @ v
    return nearest
