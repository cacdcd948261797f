# SPDX-License-Identifier: GPL-3.0-or-later
"""A question of inverse kinematics: names and shapes are checked, and made numbers.

Trees and chains of the robots last asked about are kept, since questions come in rows.
"""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...core.diagnostics import Diagnostics, KinematicsError, quote
from ...core.geometry.transforms import (
    Matrix,
    Vector,
    quaternion_from_rotation,
    rotation_from_quaternion,
    rotations_about,
)
from ...core.kinematics.forward import AT_REST, Positions, check_position
from ...core.kinematics.motion import JointMotion
from ...core.kinematics.recent import Recent
from ...core.kinematics.tips import moving_joints
from ...core.kinematics.tree import KinematicTree, retrace_tree
from ...core.model import Robot
from .chain import IkChain, plan_chain
from .descent import Gauge
from .goals import Goals, read_frame, read_goals
from .options import IKOptions

Target = ArrayLike
"""A frame (4, 4) or a point (3,)."""

Solved = dict[str, float | tuple[float, ...]]

_MOST_ROBOTS, _MOST_CHAINS = 8, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, `targets` (T, 4, 4) or (T, 3) as the caller wrote them; see
    inverse_kinematics. `varied` (T,) are the positions at the start of joints that start elsewhere
    for each target."""

    robot: Robot
    link: str
    targets: Matrix
    start: Positions
    options: IKOptions
    varied: Mapping[str, Vector] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """`values` (T, n) are the starts, `held` the positions there of all joints that move the link;
    `obstacles` say why targets can have no answer, by their numbers. `goals` are at the targets, or
    somewhere towards targets that are numerically out of range; `points` (T, 3) are the targets'
    own places."""

    chain: IkChain
    goals: Goals
    values: Matrix
    motions: Mapping[str, JointMotion]
    held: Mapping[str, float | tuple[float, ...]]
    obstacles: Mapping[int, str]
    points: Matrix

    def gauge(self) -> Gauge:
        """Returns the measure of how far the chain is from the goals."""
        return Gauge(self.chain, self.goals)

    def start(self) -> Solved:
        """Returns the given positions of the joints that may move."""
        return {variable.joint: self.held[variable.joint] for variable in self.chain.variables}

    def positions(self, values: Vector) -> Solved:
        """Returns joint -> position, of (n,) values."""
        numbers: dict[str, list[float]] = {}
        for variable, value in zip(self.chain.variables, values.tolist(), strict=True):
            numbers.setdefault(variable.joint, []).append(value)
        return {name: self._join(name, given) for name, given in numbers.items()}

    def _join(self, name: str, numbers: list[float]) -> float | tuple[float, ...]:
        held = self.held[name]
        if isinstance(held, float):
            return numbers[0]
        if self.motions[name].kind == "planar":
            return tuple(numbers)
        turned = rotation_from_quaternion(held[-4:])
        for rotation in rotations_about(np.eye(3), np.array(numbers[-3:])):
            turned = turned @ rotation
        return (*numbers[:-3], *quaternion_from_rotation(turned))


def pose_problem(asked: Question, diagnostics: Diagnostics) -> Problem:
    """Returns the question in numbers. Raises KinematicsError for unknown names, wrong shapes and
    nothing asked; whatever is wrong with the numbers of the target is an obstacle."""
    known, options = recall_robot(asked.robot), asked.options
    base = known.tree.links[0].name if options.base is None else options.base
    motions = known.motions(base, asked.link)
    movable = _choose_movable(known.tree, motions, options.joints, diagnostics)
    held = _complete_start(known.tree, motions, asked.start)
    tip = np.eye(4) if options.tip is None else read_frame(options.tip, "tip")
    if not np.isfinite(tip).all():
        raise KinematicsError("the tip is not finite")
    chain = known.chain(base, asked.link, tip, movable, held)
    goals, obstacles = read_goals(chain, asked.targets, options)
    values = np.tile(_start_values(chain, held), (len(asked.targets), 1))
    for name, numbers in asked.varied.items():
        if name in movable:
            values[:, [variable.joint for variable in chain.variables].index(name)] = numbers
        elif name in motions:
            raise KinematicsError(
                f"joint {quote(name)} may not move, so that its start must be one position for all "
                "targets"
            )
    return Problem(
        chain=chain, goals=goals, values=values, motions=motions, held=held, obstacles=obstacles,
        points=asked.targets[:, :3, 3] if asked.targets.ndim == 3 else asked.targets,
    )  # fmt: skip


class Known:
    """A robot that was asked about, with values derived from it."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.tree = retrace_tree(robot)
        self._ways: Recent[tuple[str, str], dict[str, JointMotion]] = Recent(_MOST_CHAINS)
        self._chains: Recent[Hashable, IkChain] = Recent(_MOST_CHAINS)

    def motions(self, base: str, link: str) -> dict[str, JointMotion]:
        """Returns moving_joints(), cached."""
        return self._ways.get((base, link), lambda: moving_joints(self.tree, base, link))

    def chain(
        self,
        base: str,
        link: str,
        tip: Matrix,
        movable: Collection[str],
        held: Mapping[str, float | tuple[float, ...]],
    ) -> IkChain:
        """Returns plan_chain(), kept for the same joints at rest at the same positions."""
        resting = tuple(
            item for item in held.items() if item[0] not in movable or isinstance(item[1], tuple)
        )
        return self._chains.get(
            (base, link, tip.tobytes(), tuple(movable), resting),
            lambda: plan_chain(self.tree, base, link, tip, movable, held),
        )


_robots: Recent[int, Known] = Recent(_MOST_ROBOTS)


def recall_robot(robot: Robot) -> Known:
    """Recalls the values derived from a robot, or begins to derive them."""
    # A robot that is kept keeps its number.
    return _robots.get(id(robot), lambda: Known(robot))


def _choose_movable(
    tree: KinematicTree,
    motions: Mapping[str, JointMotion],
    joints: Collection[str] | None,
    diagnostics: Diagnostics,
) -> tuple[str, ...]:
    """The joints that may move, in the order of the way."""
    if joints is not None:
        for name in joints:
            tree.motion_named(name)
        asked = frozenset(joints)
        return tuple(name for name in motions if name in asked)
    still = [name for name, motion in motions.items() if not motion.is_scalar]
    if still:
        diagnostics.warning(
            "ik-joint-held",
            f"inverse kinematics leaves {', '.join(map(quote, still[:4]))} where "
            f"{'it is' if len(still) == 1 else 'they are'}: planar, floating and ball joints move "
            "only where they are named",
            subject=still[0],
            line=motions[still[0]].joint.line,
        )
    return tuple(name for name, motion in motions.items() if motion.is_scalar)


def _complete_start(
    tree: KinematicTree, motions: Mapping[str, JointMotion], start: Positions
) -> Solved:
    for name in start:
        tree.motion_named(name)
    return {
        name: check_position(name, motion.kind, start[name]) if name in start else middle(motion)
        for name, motion in motions.items()
    }


def middle(motion: JointMotion) -> float | tuple[float, ...]:
    """Returns the default start of a joint: the middle of its limits."""
    if motion.kind in AT_REST:
        return AT_REST[motion.kind]
    if motion.lower is None or motion.upper is None:
        return motion.nearest_valid(0.0)
    return 0.5 * (motion.lower + motion.upper)


def _start_values(chain: IkChain, held: Mapping[str, float | tuple[float, ...]]) -> Vector:
    """(n,): positions, and no turn for balls, which turn away from their start."""
    values = []
    for variable in chain.variables:
        position = held[variable.joint]
        if isinstance(position, float):
            values.append(position)
        else:
            spins = variable.turns and len(position) != 3
            values.append(0.0 if spins else position[variable.number])
    return np.array(values)
