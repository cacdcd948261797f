# SPDX-License-Identifier: GPL-3.0-or-later
"""All that is known before positions are looked for."""

from dataclasses import dataclass

import numpy as np

from ...core.kinematics.many_frames import JointedBodies
from ..motion.trajectory import Numbers
from .body import PersonLimb
from .limbs import Anatomy, RobotLimb


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Match:
    """A limb of a person and the limb of a robot that follows it: its directions, or, where it
    `reaches`, the place of its end."""

    person: PersonLimb
    robot: RobotLimb
    reaches: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """A person in a robot's size.

    points         (m, n, 3) in metres, z up, seen from their own heading where the base stays
    turns          (m, n, 3, 3) of bones in the world, also where the base stays
    hips           (m, 3) the middle of the hips
    pelvis, chest  (m, 3, 3) their axes forward, left and up
    way, facing    hips and pelvis in the world, also where the base stays
    """

    points: Numbers
    turns: Numbers
    hips: Numbers
    pelvis: Numbers
    chest: Numbers
    way: Numbers
    facing: Numbers
    scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """A standing foot in frames first to last, both counted, from 0."""

    limb: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LimbPlan:
    """Person and robot, matched; `rate` in frames per second, `ground` the height of the ground in
    metres; `stays` where the base does not move."""

    machine: JointedBodies
    anatomy: Anatomy
    scene: Scene
    matches: tuple[Match, ...]
    rate: float
    ground: float
    stays: bool
    stands: tuple[Stand, ...] = ()

    @property
    def axes(self) -> Numbers:
        """The robot's directions (3, 3) in the world of a base that stays; else the world's own."""
        return self.anatomy.axes if self.stays else np.eye(3)

    @property
    def legs(self) -> tuple[tuple[int, Match], ...]:
        """The legs that follow, with their places among the matches."""
        found = enumerate(self.matches)
        return tuple((place, match) for place, match in found if match.robot.kind == "leg")
