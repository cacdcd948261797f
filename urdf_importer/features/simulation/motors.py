# SPDX-License-Identifier: GPL-3.0-or-later
"""The motors of joints by one rule, since descriptions name efforts and no gains.

A motor is a position servo of its greatest effort: `kp` gives all of it at a small error, unless
that is stiffer than the step of the engine can follow, for light links on strong motors; `kd` damps
it critically. Sliding joints have a tenth of the error, in metres.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...core.kinematics.tree import KinematicTree
from ...core.model import Semantics
from ..motion.trajectory import Numbers
from .options import SimulationOptions
from .states import MotorEffort, Overload, RobotStates

UNSTATED = 100.0
"""N m or N, of joints that state no effort."""
_PARTS = 24
_SHARE = 0.5
"""Of the fastest motion that a step can follow, in rad a step."""


def find_efforts(tree: KinematicTree, semantics: Semantics | None) -> dict[str, float]:
    """Returns joint -> its greatest effort in N m or N, of all joints that have a motor: joints of
    one axis with a way to go that follow no other and are not passive in the SRDF."""
    passive = {each.name for each in semantics.passive_joints} if semantics is not None else set()
    efforts = {}
    for motion in tree.joint_motions:
        joint = motion.joint
        is_free = motion.is_scalar and motion.mimic is None and not motion.is_locked
        if is_free and joint.name not in passive:
            stated = joint.limit.effort if joint.limit is not None else None
            efforts[joint.name] = stated if stated and stated > 0.0 else UNSTATED
    return efforts


@dataclass(frozen=True, slots=True, kw_only=True)
class Gains:
    """A motor of a joint: `kp` and `kd` of its position servo, and its greatest effort."""

    joint: str
    kp: float
    kd: float
    effort: float
    target: float


def find_gains(stiffness: float, inertia: tuple[float, float], step: float) -> tuple[float, float]:
    """Returns kp and kd of a motor that is not stiffer than a step can follow. `inertia` are the
    joint's own in the robot, kg m^2 or kg: with all others held, and with all others free."""
    held, free = inertia
    kp = min(stiffness, (_SHARE / step) ** 2 * free)
    return kp, 2.0 * math.sqrt(kp * held)


def find_error(options: SimulationOptions, *, slides: bool) -> float:
    """Returns how far in rad or m a joint is from its target where its motor gives all it has."""
    return options.position_error * (0.1 if slides else 1.0)


def measure_efforts(states: RobotStates, efforts: Mapping[str, float]) -> tuple[MotorEffort, ...]:
    """Returns the efforts of the motors of a robot, whose greatest `efforts` are known."""
    return tuple(
        MotorEffort(
            joint=joint,
            peak=states.peaks[joint],
            mean=float(np.abs(each).mean()),
            limit=efforts[joint],
            share=states.peaks[joint] / efforts[joint],
        )
        for joint, each in states.efforts.items()
    )


def sketch_effort(effort: MotorEffort, curve: Numbers) -> Numbers:
    """Returns the peak, the mean and the limit of a motor, and the greatest size of its effort in
    each of at most 24 parts of the time, in their order."""
    parts = np.array_split(np.abs(curve), min(_PARTS, len(curve)))
    return np.array([effort.peak, effort.mean, effort.limit, *(each.max() for each in parts)])


def find_overloads(
    loads: Mapping[str, Numbers], efforts: Mapping[str, float], first: int
) -> tuple[Overload, ...]:
    """Returns the joints whose motors gave all their effort for more than half of the time, the
    worst first; `first` is the frame of the first state."""
    found = []
    for joint, shares in loads.items():
        share = float(shares[1:].mean()) if len(shares) > 1 else 0.0
        if share > 0.5:
            frame = first + int(np.argmax(shares > 0.5))
            found.append(Overload(joint=joint, share=share, frame=frame, effort=efforts[joint]))
    return tuple(sorted(found, key=lambda each: -each.share))
