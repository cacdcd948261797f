# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that a description does not have, for the simulators that must have one; and the one
coefficient of friction that most have."""

from collections.abc import Callable

import numpy as np

from ..diagnostics import Diagnostics, quote
from ..geometry.inertia import is_positive
from ..geometry.transforms import Matrix
from ..geometry.volumes import MassProperties
from ..model import Link, Robot

MeasureVolume = Callable[[Link], MassProperties | None]
"""A link's collision shapes, in its frame, with a density of 1; None where they enclose nothing."""

SMALL_RADIUS = 0.05
"""Metres: an unknown inertia is a solid sphere's of this radius."""


def assume_inertia(link: Link, mass: float, volume: MeasureVolume) -> tuple[Matrix, str]:
    """Returns an inertia for a mass, from the collision shapes, else from a sphere; and a clause
    that names the source."""
    measured = volume(link)
    if measured is not None:
        inertia = measured.inertia * (mass / measured.volume)
        if is_positive(inertia):
            return inertia, "the inertia of its collision shapes takes its place"
    return sphere_inertia(
        mass
    ), f"the inertia of a sphere of {SMALL_RADIUS:g} m radius takes its place"


def sphere_inertia(mass: float) -> Matrix:
    """Returns the inertia (3, 3) of a small solid sphere, in kg m^2."""
    result: Matrix = 0.4 * mass * SMALL_RADIUS**2 * np.eye(3)
    return result


def report_mass(diagnostics: Diagnostics, link: Link, code: str, finding: str) -> None:
    """Reports a finding about a link's mass, at the line of its inertial."""
    line = link.inertial.line if link.inertial is not None else link.line
    diagnostics.warning(
        code, f"link {quote(link.name)} {finding}", subject=link.name, line=line or link.line
    )


def find_friction(robot: Robot) -> dict[str, float]:
    """Returns link -> its coefficient of friction from Gazebo's tags, the smaller of two
    directions."""
    said = ((each.reference, each.friction) for each in robot.settings if each.friction)
    return {link: max(min(friction), 0.0) for link, friction in said}
