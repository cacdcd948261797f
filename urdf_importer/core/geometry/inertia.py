# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses in other frames and of several bodies together, and inertias that no body has."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..diagnostics import Diagnostics, quote
from ..model import Inertial, Link, Pose
from .transforms import Matrix, Vector, matrix_from_pose, pose_of, pose_of_numbers
from .volumes import inertia_of, tensor_of

_LEAST = 1e-6
"""The smallest principal moment that a repaired inertia has, as a share of the largest."""
_ROUNDING = 1e-6
"""By how much rounded numbers may break a rule."""
_EDGE = 1e-9
"""How far, as a share, the largest principal moment stays below the sum of the other two, so that
the rounding of other programs does not put it above."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BodyMass:
    """`mass` in kg, `center` (3,) in m, `inertia` (3, 3) about it in kg m^2, along one frame."""

    mass: float
    center: Vector
    inertia: Matrix

    def moved(self, frame: Matrix) -> "BodyMass":
        """Returns the same body, seen from the frame in which its own frame is `frame` (4, 4)."""
        turn = frame[:3, :3]
        center = turn @ self.center + frame[:3, 3]
        return BodyMass(mass=self.mass, center=center, inertia=turn @ self.inertia @ turn.T)


def body_of(inertial: Inertial, frame: Matrix | None = None) -> BodyMass:
    """Returns the body in its link's frame, or in the frame in which the link's pose is `frame` (4,
    4)."""
    place = matrix_from_pose(inertial.origin)
    if frame is not None:
        place = frame @ place
    turn = place[:3, :3]
    tensor = turn @ tensor_of(inertial.inertia) @ turn.T
    return BodyMass(mass=inertial.mass or 0.0, center=place[:3, 3], inertia=tensor)


def add_bodies(bodies: Sequence[BodyMass]) -> BodyMass:
    """Returns the sum of bodies in one frame, about their common centre (parallel axis theorem)."""
    if len(bodies) == 1:
        return bodies[0]
    total = sum(body.mass for body in bodies)
    if total:
        center = sum((body.mass * body.center for body in bodies), np.zeros(3)) / total
    else:
        center = np.mean([body.center for body in bodies], axis=0)
    inertia = np.zeros((3, 3))
    for body in bodies:
        arm = body.center - center
        inertia += body.inertia + body.mass * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
    return BodyMass(mass=float(total), center=center, inertia=inertia)


def inertial_of(body: BodyMass) -> Inertial:
    """Returns the inertial of a body, along the axes of its link."""
    return Inertial(
        origin=pose_of_numbers(body.center.tolist()),
        mass=body.mass,
        inertia=inertia_of(body.inertia),
    )


def move_pose(frame: Matrix, pose: Pose) -> Pose:
    """Returns a pose, given in a frame, as seen from that frame's parent; `frame` (4, 4) is the
    frame's pose in it."""
    return pose_of(frame @ matrix_from_pose(pose))


def is_positive(inertia: Matrix) -> bool:
    """Whether a symmetric matrix is positive definite: whether its leading minors are."""
    scale = float(np.abs(inertia).max())
    if not scale > 0.0:
        return False
    a = inertia / scale
    minor = a[0, 0] * a[1, 1] - a[0, 1] ** 2
    whole = float(np.linalg.det(a))
    return bool(a[0, 0] > 0.0 and a[1, 1] > 0.0 and minor > 0.0 and whole > 0.0)


def find_fault(inertia: Matrix) -> str:
    """Returns the reason why no real body has this inertia; empty where one can."""
    if not is_positive(inertia):
        return "is not positive definite"
    least, middle, most = np.linalg.eigvalsh(inertia)
    if most > (least + middle) * (1.0 + _ROUNDING):
        return "has a principal moment above the sum of the other two"
    return ""


def clamp_inertia(inertia: Matrix) -> Matrix:
    """Returns the inertia with the same principal axes and, where needed, larger principal moments:
    none below a millionth of the largest, none above the sum of the other two."""
    moments, axes = np.linalg.eigh(inertia)
    most = float(moments[-1])
    moments = np.maximum(moments, _LEAST * most)
    short = moments[2] - moments[0] - moments[1]
    if short > 0.0:
        moments[:2] += 0.5 * short * (1.0 + _ROUNDING)
    clamped: Matrix = (axes * moments) @ axes.T
    return 0.5 * (clamped + clamped.T)


def keep_from_edge(inertia: Matrix, least: float) -> Matrix:
    """Returns the inertia; where it is on the edge of the possible ones, a billionth inside, with
    no principal moment below `least` kg m^2: programs round, and would refuse it."""
    moments, axes = np.linalg.eigh(inertia)
    moved = np.maximum(moments, least)
    short = moved[2] * (1.0 + _EDGE) - moved[0] - moved[1]
    if short > 0.0:
        moved[:2] += 0.5 * short
    if np.array_equal(moved, moments):
        return inertia
    kept: Matrix = (axes * moved) @ axes.T
    return 0.5 * (kept + kept.T)


def report_small_mass(link: Link, mass: float, diagnostics: Diagnostics) -> None:
    """Reports a link that moves and gets so many kg, since it has no mass."""
    diagnostics.warning(
        "mjcf-small-mass",
        f"link {quote(link.name)} has no mass and must have one to move; it gets {mass:g} kg",
        subject=link.name,
        line=link.line,
    )
