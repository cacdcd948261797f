# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics through closed loops: free joints are moved, and the others follow them.

A free joint moves the link through all the joints that its loops move with it: their speeds follow
from the loops' Jacobian. Steps are Levenberg's and Marquardt's, and after each the loops are closed
again.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core.diagnostics import KinematicsError
from ...core.geometry.transforms import Matrix, Vector, invert, matrix_from_pose
from ...core.kinematics.forward import AT_REST, Position, Positions, check_positions, motion_matrix
from ...core.kinematics.loops.follow import LinkageSolver
from ...core.kinematics.loops.solve import LoopCloser, recall_closer
from ...core.kinematics.motion import JointMotion
from ...core.kinematics.tips import moving_joints
from .descent import logarithms
from .goals import Goals, read_frame, read_goals
from .problem import Question, Solved, middle, recall_robot
from .search import DIFFERENT

_ITERATIONS = 40
_NUDGE = 1e-6
_LONGEST_STEP = 0.5
_RESTING = 1e-9
_FREE_TURN, _FREE_SLIDE = np.pi, 0.5


def find_movers(closer: LoopCloser, base: str, link: str) -> tuple[str, ...]:
    """Returns the free joints that move `link` against `base` through loops; none where no joint
    between the two is on a loop."""
    names = moving_joints(closer.tree, base, link).keys()
    return tuple(
        name
        for solver in closer.solvers
        if names & {*solver.free, *solver.followers}
        for name in solver.free
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A joint on the path; `sign` is -1 where the path runs from child to parent."""

    before: Matrix
    after: Matrix
    motion: JointMotion
    sign: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopedProblem:
    """A question whose way passes joints on loops: `start` are the positions of all joints that
    count, closed; `obstacle` says why there can be no answer, and is empty mostly."""

    way: "LoopedWay"
    goals: Goals
    start: Solved
    obstacle: str

    @property
    def held(self) -> Solved:
        """The positions at the start."""
        return self.start

    def positions(self, found: Solved) -> Solved:
        """Returns the positions of the joints that may move and of their followers in loops."""
        followers = [name for each in self.way.solvers for name in each.followers]
        return {name: found[name] for name in (*self.way.joints, *followers)}

    def at_limits(self, found: Solved) -> list[str]:
        """Lists the joints at a limit, and the followers at one."""
        way = self.way
        values = np.array([found[name] for name in way.joints], dtype=float)
        at = (values <= way.lower) | (values >= way.upper)
        own = [name for name, limited in zip(way.joints, at, strict=True) if limited]
        return own + [name for each in way.solvers for name in each.list_held(found)]


def is_looped(asked: Question) -> bool:
    """Whether the way of a question passes joints on loops. Raises KinematicsError for unknown
    links."""
    return bool(asked.robot.loops) and bool(_list_movers(asked)[2])


def _list_movers(asked: Question) -> tuple[LoopCloser, str, tuple[str, ...]]:
    closer = recall_closer(asked.robot)
    base = closer.tree.links[0].name if asked.options.base is None else asked.options.base
    return closer, base, find_movers(closer, base, asked.link)


def pose_looped(asked: Question) -> LoopedProblem | None:
    """Returns a question of one target whose way passes joints on loops in numbers; None for other
    targets. Raises KinematicsError as pose_problem does.
    """
    if not asked.robot.loops:
        return None
    closer, base, movers = _list_movers(asked)
    if not movers:
        return None
    options = asked.options
    for name in (*(options.joints or ()), *asked.start):
        closer.tree.motion_named(name)
    tip = np.eye(4) if options.tip is None else read_frame(options.tip, "tip")
    if not np.isfinite(tip).all():
        raise KinematicsError("the tip is not finite")
    near = moving_joints(closer.tree, base, asked.link)
    names = dict.fromkeys([*movers, *near])
    if options.joints is not None:
        names = {name: None for name in names if name in options.joints}
    way = LoopedWay(closer, base, asked.link, tip, list(names))
    still = recall_robot(asked.robot).chain(base, asked.link, tip, (), _complete(closer, near, {}))
    goals, obstacles = read_goals(still, asked.targets, options)
    start = {
        **{each.joint.name: each.nearest_valid(0.0) for each in way.motions},
        **_complete(closer, near, asked.start),
    }
    return LoopedProblem(
        way=way, goals=goals, start=way.close(start, {}), obstacle=obstacles.get(0, "")
    )


def _complete(closer: LoopCloser, near: Mapping[str, JointMotion], start: Positions) -> Solved:
    """Returns the positions at the start, and the middles of joints between the links that are on
    no loop."""
    looped = {name for each in closer.solvers for name in (*each.free, *each.followers)}
    found = {name: middle(motion) for name, motion in near.items() if name not in looped}
    return found | check_positions(closer.tree.motion_of, start)


class LoopedWay:
    """The way from `base` to `tip` (4, 4) on `link`. `joints` are the joints that may move: free on
    loops, or on none."""

    def __init__(
        self, closer: LoopCloser, base: str, link: str, tip: Matrix, movable: Sequence[str]
    ) -> None:
        tree = closer.tree
        self._tree, self._tip = tree, tip
        self._closer = closer
        path = tree.path(base, link)
        self._steps = [
            _Step(
                before=matrix_from_pose(motion.joint.origin),
                after=matrix_from_pose(motion.joint.child_origin),
                motion=motion,
                sign=float(sign),
            )
            for place, sign in zip(path.places, path.signs, strict=True)
            if (motion := tree.motions[place]) is not None
        ]
        between = moving_joints(tree, base, link).keys()
        self.solvers: list[LinkageSolver] = [
            each for each in closer.solvers if between & {*each.free, *each.followers}
        ]
        followers = {name for each in self.solvers for name in each.followers}
        motions = tree.motion_of
        self.joints = tuple(
            name for name in movable if name not in followers and motions[name].is_scalar
        )
        self.motions = [motions[name] for name in self.joints]
        self.units = np.array(
            [1.0 if each.kind == "revolute" else self.reach for each in self.motions]
        )
        self.lower, self.upper = np.array([m.ends for m in self.motions]).reshape(-1, 2).T

    @cached_property
    def reach(self) -> float:
        """A length of the way in metres, never zero."""
        frames = [*(each.before for each in self._steps), *(each.after for each in self._steps)]
        lengths = sum(float(np.linalg.norm(each[:3, 3])) for each in [*frames, self._tip])
        return lengths if lengths > 1e-6 else 1.0

    def close(self, positions: Mapping[str, Position], start: Mapping[str, Position]) -> Solved:
        """Returns positions of all joints, the loops closed, traced from `start`."""
        return dict(self._closer.select(self.solvers).close(positions, start=start).positions)

    def find_tip(self, positions: Mapping[str, Position]) -> Matrix:
        """Returns (4, 4), where the tip is in the base."""
        frame = np.eye(4)
        for step in self._steps:
            moved = step.before @ self._move(step.motion, positions) @ step.after
            frame = frame @ (moved if step.sign > 0 else invert(moved))
        return frame @ self._tip

    def _move(self, motion: JointMotion, positions: Mapping[str, Position]) -> Matrix:
        if not motion.moves:
            return np.eye(4)
        mimic = self._tree.lead(motion.joint.name)
        position = positions.get(mimic.joint, AT_REST.get(motion.kind, 0.0))
        if isinstance(position, float):
            position = mimic.multiplier * position + mimic.offset
        return motion_matrix(motion, position)

    def nudge(self, positions: Solved) -> Iterator[tuple[Solved, Solved]]:
        """Yields, per joint that may move, positions a little before and behind it, with the
        followers where their speeds bring them."""
        tangents = {name: each for each in self.solvers for name in each.free}
        for joint, unit in zip(self.joints, self.units, strict=True):
            both = []
            for change in (-_NUDGE * unit, _NUDGE * unit):
                solver = tangents.get(joint)
                if solver is None:
                    value = positions[joint]
                    assert isinstance(value, float)
                    both.append({**positions, joint: value + change})
                else:
                    both.append({**positions, **solver.nudge(positions, joint, change)})
            yield both[0], both[1]


class LoopedSearch:
    """Searches for positions at which the tip of a way is at a goal."""

    def __init__(self, way: LoopedWay, goals: Goals, deadline: float) -> None:
        self._way, self._goals, self._deadline = way, goals, deadline
        self._frame = goals.frames[0]
        self.iterations = 0

    def search(self, start: Solved, restarts: int, seed: int) -> tuple[Solved, int]:
        """Returns positions near to `start` at the goal, or the nearest ones found after so many
        other starts; and how many were tried."""
        best = self._descend(start)
        done = 0
        chance = np.random.default_rng(seed)
        while not self.is_there(best) and done < restarts and time.perf_counter() < self._deadline:
            done += 1
            other = self._descend(self._draw(start, chance))
            best = min(best, other, key=lambda each: float(np.linalg.norm(self._miss(each))))
        return best, done

    def find_all(self, start: Solved, most: int, seed: int) -> list[Solved]:
        """Returns up to so many answers that differ, the nearest to the start first."""
        chance = np.random.default_rng(seed)
        found: list[Solved] = []
        tried = start
        for _ in range(6 * most):
            there = self._descend(tried)
            if self.is_there(there) and all(self._gap(there, one) > DIFFERENT for one in found):
                found.append(there)
            if len(found) >= most or time.perf_counter() > self._deadline:
                break
            tried = self._draw(start, chance)
        return sorted(found, key=lambda each: self._gap(each, start))

    def is_there(self, positions: Solved) -> bool:
        """Whether the tip is at the goal, within its tolerance."""
        distance, angle = self.measure(positions)
        return distance <= self._goals.near and angle <= self._goals.turned

    def measure(self, positions: Solved) -> tuple[float, float]:
        """Returns how far the tip is from the goal, m and rad; 0 where that does not count."""
        missing = self._miss(positions)
        distance = float(np.linalg.norm(missing[:3])) * self._way.reach
        return (
            distance if self._goals.position else 0.0,
            float(np.linalg.norm(missing[-3:])) if self._goals.orientation else 0.0,
        )

    def _miss(self, positions: Solved) -> Vector:
        return self._compare(self._way.find_tip(positions))

    def _compare(self, frame: Matrix) -> Vector:
        parts = []
        if self._goals.position:
            parts.append((self._frame[:3, 3] - frame[:3, 3]) / self._way.reach)
        if self._goals.orientation:
            parts.append(logarithms((self._frame[:3, :3] @ frame[:3, :3].T)[None])[0])
        return np.concatenate(parts)

    def _descend(self, here: Solved) -> Solved:
        way = self._way
        missing = self._miss(here)
        caution = 1.0
        for _ in range(_ITERATIONS if way.joints else 0):
            if self.is_there(here) or time.perf_counter() > self._deadline:
                break
            self.iterations += 1
            values = self._values(here)
            step = self._step(here, missing, values, caution)
            if float(np.abs(step / way.units).max()) < _RESTING:
                break
            wanted = np.clip(values + step, way.lower, way.upper).tolist()
            there = way.close({**here, **dict(zip(way.joints, wanted, strict=True))}, here)
            after = self._miss(there)
            if after @ after < missing @ missing:
                here, missing, caution = there, after, max(0.3 * caution, 1e-6)
            else:
                caution *= 8.0
        return here

    def _step(self, here: Solved, missing: Vector, values: Vector, caution: float) -> Vector:
        way = self._way
        columns = [
            (self._compare(way.find_tip(low)) - self._compare(way.find_tip(high))) / (2.0 * _NUDGE)
            for low, high in way.nudge(here)
        ]
        matrix = np.array(columns).T
        slopes = matrix.T @ missing
        stuck = ((values <= way.lower) & (slopes < 0.0)) | ((values >= way.upper) & (slopes > 0.0))
        matrix[:, stuck] = 0.0
        slopes[stuck] = 0.0
        damping = caution * float(missing @ missing) + 1e-12
        normal = matrix.T @ matrix + damping * np.eye(len(slopes))
        step: Vector = np.linalg.solve(normal, slopes)
        longest = float(np.abs(step).max())
        step *= min(1.0, _LONGEST_STEP / max(longest, 1e-300))
        scaled: Vector = step * way.units
        return scaled

    def _values(self, positions: Solved) -> Vector:
        return np.array([positions[name] for name in self._way.joints], dtype=float)

    def _gap(self, one: Solved, other: Solved) -> float:
        """How far apart two answers look, in radians and lengths of the way."""
        apart = (self._values(one) - self._values(other)) / self._way.units
        turns = np.array([each.kind == "revolute" for each in self._way.motions], dtype=bool)
        apart = np.where(turns, np.remainder(apart + np.pi, 2.0 * np.pi) - np.pi, apart)
        return float(np.abs(apart).max(initial=0.0))

    def _draw(self, start: Solved, chance: np.random.Generator) -> Solved:
        """Returns a closed pose somewhere within limits."""
        way = self._way
        values = self._values(start)
        width = np.array(
            [_FREE_TURN if each.kind == "revolute" else _FREE_SLIDE for each in way.motions]
        )
        low = np.maximum(way.lower, values - width)
        high = np.maximum(np.minimum(way.upper, values + width), low)
        drawn = chance.uniform(low, high).tolist()
        return way.close({**start, **dict(zip(way.joints, drawn, strict=True))}, start)
