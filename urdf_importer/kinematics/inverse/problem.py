# SPDX-License-Identifier: GPL-3.0-or-later
"""A question of inverse kinematics: names and shapes are checked, and made numbers.

Trees and chains of the robots last asked about are kept, since questions come in rows.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...diagnostics import Diagnostics, KinematicsError, quote
from ...geometry.transforms import (
    Matrix,
    Vector,
    quaternion_from_rotation,
    rotation_from_quaternion,
    rotations_about,
)
from ...model import Robot
from ..forward import POSITION_SIZES, Positions, check_position
from ..motion import JointMotion
from ..tree import KinematicTree, retrace_tree
from .chain import Chain, moving_joints, plan_chain
from .descent import Goal

Target = ArrayLike
"""A frame (4, 4) or a point (3,)."""

Solved = dict[str, float | tuple[float, ...]]

_ABSURD = 1e9
_SAME_ROTATION = 1e-3
_MOST_ROBOTS, _MOST_CHAINS = 8, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, `target` and `tip` as the caller wrote them; see inverse_kinematics."""

    robot: Robot
    link: str
    target: ArrayLike
    start: Positions
    base: str | None
    joints: Collection[str] | None
    position: bool
    orientation: bool
    tip: ArrayLike | None
    tolerance: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """`values` (n,) are the start, `held` the positions at the start of all joints that move the
    link; `obstacle` says why there can be no answer, and is empty mostly. `goal` is at the target,
    or somewhere towards it where the target is too far for numbers to tell."""

    chain: Chain
    goal: Goal
    values: Vector
    motions: Mapping[str, JointMotion]
    held: Mapping[str, float | tuple[float, ...]]
    obstacle: str

    def start(self) -> Solved:
        """Returns the positions of the joints that may move, as they were given."""
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
    known = recall_robot(asked.robot)
    base = known.tree.links[0].name if asked.base is None else asked.base
    motions = known.motions(base, asked.link)
    movable = _choose_movable(known.tree, motions, asked.joints, diagnostics)
    held = _complete_start(known.tree, motions, asked.start)
    tip = np.eye(4) if asked.tip is None else read_frame(asked.tip, "tip")
    if not np.isfinite(tip).all():
        raise KinematicsError("the tip is not finite")
    chain = known.chain(base, asked.link, tip, movable, held)
    goal, obstacle = read_goal(chain, asked)
    values = _start_values(chain, held)
    return Problem(
        chain=chain, goal=goal, values=values, motions=motions, held=held, obstacle=obstacle
    )


@dataclass(slots=True)
class Known:
    """A robot that was asked about, with what was worked out of it."""

    robot: Robot
    tree: KinematicTree
    ways: dict[tuple[str, str], dict[str, JointMotion]] = field(default_factory=dict)
    chains: dict[object, Chain] = field(default_factory=dict)

    def motions(self, base: str, link: str) -> dict[str, JointMotion]:
        """Returns moving_joints, kept."""
        if (base, link) not in self.ways:
            _make_room(self.ways, _MOST_CHAINS)
            self.ways[base, link] = moving_joints(self.tree, base, link)
        return self.ways[base, link]

    def chain(
        self,
        base: str,
        link: str,
        tip: Matrix,
        movable: Collection[str],
        held: Mapping[str, float | tuple[float, ...]],
    ) -> Chain:
        """Returns plan_chain, kept for the same joints at rest at the same positions."""
        resting = tuple(
            item for item in held.items() if item[0] not in movable or isinstance(item[1], tuple)
        )
        key = (base, link, tip.tobytes(), tuple(movable), resting)
        if key not in self.chains:
            _make_room(self.chains, _MOST_CHAINS)
            self.chains[key] = plan_chain(self.tree, base, link, tip, movable, held)
        return self.chains[key]


_robots: dict[int, Known] = {}


def recall_robot(robot: Robot) -> Known:
    """Recalls what was worked out of a robot, or begins to."""
    known = _robots.get(id(robot))
    if known is None or known.robot is not robot:
        _make_room(_robots, _MOST_ROBOTS)
        known = _robots[id(robot)] = Known(robot, retrace_tree(robot))
    return known


def _make_room(kept: dict[object, object] | dict, most: int) -> None:  # type: ignore[type-arg]
    """Forgets what was kept longest."""
    while len(kept) >= most:
        del kept[next(iter(kept))]


def _choose_movable(
    tree: KinematicTree,
    motions: Mapping[str, JointMotion],
    joints: Collection[str] | None,
    diagnostics: Diagnostics,
) -> tuple[str, ...]:
    """The joints that may move, in the order of the way."""
    if joints is not None:
        for name in joints:
            check_joint(tree, name)
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


def check_joint(tree: KinematicTree, name: str) -> None:
    """Raises KinematicsError for a joint that the robot does not have."""
    if name not in tree.joint_index:
        raise KinematicsError(f"the robot has no joint {quote(name)}")


def _complete_start(
    tree: KinematicTree, motions: Mapping[str, JointMotion], start: Positions
) -> Solved:
    for name in start:
        check_joint(tree, name)
    return {
        name: check_position(name, motion.kind, start[name]) if name in start else middle(motion)
        for name, motion in motions.items()
    }


def middle(motion: JointMotion) -> float | tuple[float, ...]:
    """Returns where a joint starts of which nothing is said: in the middle of its limits."""
    size = POSITION_SIZES.get(motion.kind)
    if size is not None:
        return (0.0, 0.0, 0.0) if size == 3 else (0.0,) * (size - 1) + (1.0,)
    if motion.lower is None or motion.upper is None:
        return motion.nearest_valid(0.0)
    return 0.5 * (motion.lower + motion.upper)


def _start_values(chain: Chain, held: Mapping[str, float | tuple[float, ...]]) -> Vector:
    """(n,): positions, and no turn for balls, which turn away from where they stand."""
    values = []
    for variable in chain.variables:
        position = held[variable.joint]
        if isinstance(position, float):
            values.append(position)
        else:
            spins = variable.turns and len(position) != 3
            values.append(0.0 if spins else position[variable.number])
    return np.array(values)


def read_frame(given: ArrayLike, what: str) -> Matrix:
    """Returns (4, 4), of a frame or a point. Raises KinematicsError for other shapes."""
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise KinematicsError(f"the {what} is not made of numbers") from None
    if array.shape == (4, 4):
        return array
    if array.shape != (3,):
        raise KinematicsError(
            f"the {what} must be a frame (4, 4) or a point (3,), not of shape {array.shape}"
        )
    frame = np.eye(4)
    frame[:3, 3] = array
    return frame


def read_goal(chain: Chain, asked: Question) -> tuple[Goal, str]:
    """Returns the goal, and what keeps it from being reached; nothing mostly."""
    frame = read_frame(asked.target, "target")
    orientation = asked.orientation and np.shape(asked.target) == (4, 4)
    if not asked.position and not orientation:
        raise KinematicsError("neither a position nor an orientation is asked for")
    near, turned = asked.tolerance
    obstacle = ""
    if not np.isfinite(frame).all():
        frame, obstacle = np.eye(4), "the target is not finite"
    elif orientation:
        rotation = _nearest_rotation(frame[:3, :3])
        if rotation is None:
            rotation, obstacle = np.eye(3), "the target's three axes make no rotation"
        frame[:3, :3] = rotation
    if asked.position and not obstacle:
        frame[:3, 3], obstacle = _bring_near(chain, frame[:3, 3], near)
    return Goal(
        frame=frame, position=asked.position, orientation=orientation, near=near, turned=turned
    ), obstacle


def _nearest_rotation(matrix: Matrix) -> Matrix | None:
    """Returns the rotation that a matrix in single precision, say, means."""
    if np.abs(matrix).max() > 2.0:
        return None
    left, sizes, right = np.linalg.svd(matrix)
    if np.abs(sizes - 1.0).max() > _SAME_ROTATION or np.linalg.det(matrix) < 0.0:
        return None
    rotation: Matrix = left @ right
    return rotation


def _bring_near(chain: Chain, point: Vector, near: float) -> tuple[Vector, str]:
    """Returns the point, or one in its direction where it is further than the chain is long."""
    away = point - chain.shoulder
    # Scaled, since squares of big numbers overflow.
    size = float(np.abs(away).max())
    distance = size * float(np.linalg.norm(away / size)) if size > 0.0 else 0.0
    most = min(chain.farthest, _ABSURD)
    if not chain.variables or distance <= most * (1.0 + 1e-9) + near:
        return point, ""
    away_enough = min(distance, 1.5 * most + chain.reach)
    missing = distance - most
    return (
        chain.shoulder + away / distance * away_enough,
        f"the target is out of reach by {missing:.3g} m at least",
    )
