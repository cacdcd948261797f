# SPDX-License-Identifier: GPL-3.0-or-later
"""The way between two links as a row of turns and slides, ready to be placed many times at once.

A way has steps: each is a fixed frame and then a turn about, or a slide along, the Z axis of this
frame. Joints of several degrees of freedom are several steps. Each step's position is a linear
function of the free variables, so that joints which follow others need no rule of their own.
"""

import math
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.geometry.transforms import (
    Matrix,
    Vector,
    invert,
    make_frame,
    matrix_from_pose,
    plane_axes,
    rotation_from_quaternion,
)
from ...core.kinematics.forward import Position
from ...core.kinematics.motion import JointMotion
from ...core.kinematics.recent import Recent
from ...core.kinematics.tree import KinematicTree

_MOST_CROWDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainVariable:
    """One number that may change: `joint` and which of its numbers. `turns` distinguishes turns
    from slides; `lower` and `upper` are infinite where there is no bound."""

    joint: str
    number: int
    turns: bool
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainStep:
    """`before` (4, 4) leads to a frame about or along whose Z the step moves by
    scale * variable + offset; `variable` is None where it stays."""

    before: Matrix
    turns: bool
    variable: ChainVariable | None
    scale: float
    offset: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IkChain:
    """E steps of n variables.

    basis    (E, 4, 16): a step's frame is the sum of these, times 1, sine, cosine and position
    levers   (E, 12, 6): the effect of a step on the point, position over reach and rotation, is the
             sum of these times the products of its Z axis (3,) and the arm to the point (3,), 1
    last     (4, 4): from the last step to the point that reaches for the target
    turns    (E,) whether a step turns or slides
    mixing   (E, n) and offsets (E,): steps = mixing @ variables + offsets
    lower, upper  (n,) bounds, infinite where there are none
    units    (n,) the worth of one unit of each variable: 1 rad, or the reach in metres
    whole    (n,) which variables may be turned by a whole turn without any link noticing
    reach    m: a size of the way, never zero
    farthest m: no further from `shoulder` (3,) can the point come; infinite for slides without end
    crowds   random draws for searches, by seed and range
    """

    variables: tuple[ChainVariable, ...]
    basis: Matrix
    levers: Matrix
    last: Matrix
    turns: NDArray[np.bool_]
    mixing: Matrix
    offsets: Vector
    lower: Vector
    upper: Vector
    units: Vector
    whole: NDArray[np.bool_]
    reach: float
    farthest: float
    shoulder: Vector
    crowds: Recent[Hashable, Any] = field(default_factory=lambda: Recent(_MOST_CROWDS))

    def find_frames(self, values: Matrix) -> Matrix:
        """Returns for (B, n) values the frames after each step (E, B, 4, 4); for a chain without
        steps a fixed one (1, B, 4, 4)."""
        count, rows = len(self.turns), len(values)
        if not count:
            return np.tile(np.eye(4), (1, rows, 1, 1))
        terms = np.empty((count, rows, 4))
        terms[..., 0] = 1.0
        positions = terms[..., 3]
        np.add(values @ self.mixing.T, self.offsets, out=positions.T)
        np.sin(positions, out=terms[..., 1])
        np.cos(positions, out=terms[..., 2])
        local = (terms @ self.basis).reshape(count, rows, 4, 4)
        frames = np.empty_like(local)
        frames[0] = local[0]
        for index in range(1, count):
            np.matmul(frames[index - 1], local[index], out=frames[index])
        return frames


def plan_chain(
    tree: KinematicTree,
    base: str,
    link: str,
    tip: Matrix,
    movable: Collection[str],
    positions: Mapping[str, Position],
) -> IkChain:
    """Returns the way from `base` to `tip`, a frame (4, 4) on `link`.

    `movable` are independent joints; all others stay at `positions`, at zero where these do not
    say. Raises KinematicsError for an unknown link.
    """
    steps: list[ChainStep] = []
    pending = np.eye(4)
    for step in _walk(tree, base, link, movable, positions):
        if step.variable is None:
            pending = pending @ step.before @ _still(step)
        else:
            steps.append(replace(step, before=pending @ step.before))
            pending = np.eye(4)
    return _assemble(steps, pending @ tip)


def variables_of(motion: JointMotion) -> tuple[ChainVariable, ...]:
    """Returns the numbers of a joint that may change: of rotations three angles, by which the ball
    is turned away from its start."""
    turning = {
        "revolute": (True,),
        "prismatic": (False,),
        "planar": (False, False, True),
        "floating": (False, False, False, True, True, True),
        "spherical": (True, True, True),
    }[motion.kind]
    lower, upper = motion.ends
    return tuple(
        ChainVariable(joint=motion.joint.name, number=number, turns=turns, lower=lower, upper=upper)
        for number, turns in enumerate(turning)
    )


def _walk(
    tree: KinematicTree,
    base: str,
    link: str,
    movable: Collection[str],
    positions: Mapping[str, Position],
) -> Iterator[ChainStep]:
    """All steps between two links; upwards each joint is passed the other way round."""
    path = tree.path(base, link)
    for place, sign in zip(path.places, path.signs, strict=True):
        motion = tree.motions[place]
        assert motion is not None
        origin = matrix_from_pose(motion.joint.origin)
        child = matrix_from_pose(motion.joint.child_origin)
        steps = list(_steps_of(tree, motion, movable, positions))
        if sign > 0:
            yield _fixed(origin)
            yield from steps
            yield _fixed(child)
            continue
        yield _fixed(invert(child))
        for step in reversed(steps):
            # (before motion)^-1 = motion^-1 before^-1: the frame comes after the motion.
            yield replace(step, before=np.eye(4), scale=-step.scale, offset=-step.offset)
            yield _fixed(invert(step.before))
        yield _fixed(invert(origin))


def _fixed(frame: Matrix) -> ChainStep:
    return ChainStep(before=frame, turns=False, variable=None, scale=0.0, offset=0.0)


def _steps_of(
    tree: KinematicTree,
    motion: JointMotion,
    movable: Collection[str],
    positions: Mapping[str, Position],
) -> Iterator[ChainStep]:
    """The steps of a joint, with a fixed frame after each that turns the axes back."""
    if not motion.moves:
        return
    if not motion.is_scalar:
        yield from _steps_of_many(motion, movable, positions)
        return
    mimic = tree.lead(motion.joint.name)
    variable, offset = None, mimic.offset
    if mimic.joint in movable:
        (variable,) = variables_of(tree.motion_of[mimic.joint])
    else:
        held = positions.get(mimic.joint, 0.0)
        assert isinstance(held, float)
        offset += mimic.multiplier * held
    turns = motion.kind == "revolute"
    yield from _along(np.array(motion.axis), turns, variable, mimic.multiplier, offset)


def _steps_of_many(
    motion: JointMotion, movable: Collection[str], positions: Mapping[str, Position]
) -> Iterator[ChainStep]:
    """First the slides, then the turns, as forward kinematics has them."""
    held = positions.get(motion.joint.name, ())
    assert not isinstance(held, float)
    variables = variables_of(motion) if motion.joint.name in movable else (None, None, None) * 2
    if motion.kind == "planar":
        normal = np.array(motion.axis)
        x, y, yaw = held or (0.0, 0.0, 0.0)
        for axis, number, variable in zip(plane_axes(normal), (x, y), variables, strict=False):
            yield from _own(axis, False, number, variable)
        yield from _own(normal, True, yaw, variables[2])
        return
    if motion.kind == "floating":
        for axis, number, variable in zip(
            np.eye(3), held[:3] or (0.0,) * 3, variables, strict=False
        ):
            yield from _own(axis, False, number, variable)
    frame = make_frame(rotation_from_quaternion(held[-4:] or (0.0, 0.0, 0.0, 1.0)))
    yield _fixed(frame)
    for axis, variable in zip(np.eye(3), variables[-3:], strict=True):
        yield from _own(axis, True, 0.0, variable)


def _own(
    axis: Vector, turns: bool, number: float, variable: ChainVariable | None
) -> Iterator[ChainStep]:
    """A step by a variable of its own; where there is none, at a number."""
    yield from _along(axis, turns, variable, 1.0, 0.0 if variable else number)


def _along(
    axis: Vector, turns: bool, variable: ChainVariable | None, scale: float, offset: float
) -> Iterator[ChainStep]:
    u, v = plane_axes(axis)
    frame = make_frame(np.stack([u, v, axis], axis=1))
    yield ChainStep(before=frame, turns=turns, variable=variable, scale=scale, offset=offset)
    yield _fixed(frame.T)


def _still(step: ChainStep) -> Matrix:
    """The motion (4, 4) of a step that stays at its offset."""
    frame = np.eye(4)
    if step.turns:
        cosine, sine = math.cos(step.offset), math.sin(step.offset)
        frame[:2, :2] = (cosine, -sine), (sine, cosine)
    else:
        frame[2, 3] = step.offset
    return frame


def _assemble(steps: list[ChainStep], last: Matrix) -> IkChain:
    variables = tuple(dict.fromkeys(step.variable for step in steps if step.variable is not None))
    mixing = np.zeros((len(steps), len(variables)))
    for row, step in enumerate(steps):
        assert step.variable is not None
        mixing[row, variables.index(step.variable)] = step.scale
    offsets = np.array([step.offset for step in steps])
    lower = np.array([variable.lower for variable in variables])
    upper = np.array([variable.upper for variable in variables])
    reach, farthest = _measure(steps, last)
    turns = np.array([step.turns for step in steps], dtype=bool)
    # Nothing slides, and all followers turn by whole multiples.
    whole = ~((mixing[~turns] != 0.0).any(0) | (mixing != np.round(mixing)).any(0))
    return IkChain(
        variables=variables,
        basis=np.array([_basis(step) for step in steps]).reshape(-1, 4, 16),
        levers=np.array([_levers(step, reach) for step in steps]).reshape(-1, 12, 6),
        last=last,
        turns=turns,
        mixing=mixing,
        offsets=offsets,
        lower=lower,
        upper=upper,
        units=np.array([1.0 if variable.turns else reach for variable in variables]),
        whole=whole,
        reach=reach,
        farthest=farthest,
        shoulder=steps[0].before[:3, 3] if steps else last[:3, 3],
    )


def _basis(step: ChainStep) -> Matrix:
    """(4, 4, 4): the parts of a step's frame that go with 1, sine, cosine and position."""
    basis = np.zeros((4, 4, 4))
    x, y, z, place = step.before.T
    if step.turns:
        basis[0, :, 2], basis[0, :, 3] = z, place
        basis[1, :, 0], basis[1, :, 1] = y, -x
        basis[2, :, 0], basis[2, :, 1] = x, y
    else:
        basis[0] = step.before
        basis[3, :, 3] = z
    return basis


def _levers(step: ChainStep, reach: float) -> Matrix:
    """(12, 6): turning about z moves the point by z x arm; sliding along z moves it by z."""
    levers = np.zeros((3, 4, 6))
    if step.turns:
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            levers[a, b, c], levers[a, c, b] = 1.0 / reach, -1.0 / reach
        levers[:, 3, 3:] = np.eye(3)
    else:
        levers[:, 3, :3] = np.eye(3) / reach
    return levers.reshape(12, 6)


def _measure(steps: list[ChainStep], last: Matrix) -> tuple[float, float]:
    """Returns (reach, farthest): the lengths between the steps, and with the slides' travel."""
    frames = [step.before for step in steps[1:]] + [last]
    lengths = sum(float(np.linalg.norm(frame[:3, 3])) for frame in frames) if steps else 0.0
    slides, endless = 0.0, False
    for step in steps:
        if step.turns:
            continue
        assert step.variable is not None
        ends = [
            step.scale * each + step.offset for each in (step.variable.lower, step.variable.upper)
        ]
        most = max(map(abs, ends))
        endless = endless or not math.isfinite(most)
        slides += most if math.isfinite(most) else 0.0
    reach = lengths + min(slides, 1e3 + lengths)
    return (reach if reach > 1e-6 else 1.0), (math.inf if endless else lengths + slides)
