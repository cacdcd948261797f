# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that a description does not have, for the simulators that must have one; and the one
coefficient of friction that most have."""

from collections.abc import Callable

import numpy as np

from ..diagnostics import Diagnostics, quote
from ..geometry.inertia import clamp_inertia, is_positive
from ..geometry.mesh_data import MeshData
from ..geometry.transforms import Matrix
from ..geometry.volumes import MassProperties, join_masses
from ..meshes.weighing import weigh
from ..model import Collision, Link, Mesh, Robot

MeasureVolume = Callable[[Link], MassProperties | None]
"""A link's collision shapes, in its frame, with a density of 1; None where they enclose nothing."""

NEAREST = "the nearest valid inertia takes its place"
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


def repair_inertia(
    link: Link, mass: float, inertia: Matrix, volume: MeasureVolume
) -> tuple[Matrix, str]:
    """Returns an inertia in the place of one that no body has: the nearest that one can have or,
    where that does not exist, an assumed one; and a clause that names the source."""
    if np.isfinite(inertia).all() and float(np.linalg.eigvalsh(inertia)[-1]) > 0.0:
        return clamp_inertia(inertia), NEAREST
    return assume_inertia(link, mass, volume)


def measure_collisions(
    link: Link, load: Callable[[Collision, Link], MeshData | None]
) -> MassProperties | None:
    """Returns a link's collision shapes, in its frame, with a density of 1; an open mesh counts as
    its hull. None where they enclose nothing; `load` returns None for a mesh that is lost."""

    def measure(shape: Collision) -> MassProperties | None:
        data = load(shape, link)
        return None if data is None else weigh(shape, lambda _: data, hulls=True)

    return join_masses(map(measure, link.collisions))


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


def report_flat(shape: Collision, link: Link, diagnostics: Diagnostics) -> None:
    """Reports a mesh that cannot collide as its hull, since it has none."""
    mesh = shape.geometry.filename if isinstance(shape.geometry, Mesh) else ""
    finding = "is flat and has no hull; a thin box collides in its place"
    message = f"mesh {quote(mesh)} of link {quote(link.name)} {finding}"
    diagnostics.warning("flat-collision", message, subject=link.name, line=shape.line)


def find_friction(robot: Robot) -> dict[str, float]:
    """Returns link -> its coefficient of friction from the tags of Gazebo or Bullet, the smaller
    of two directions."""
    said = ((each.reference, each.friction) for each in robot.settings if each.friction)
    return {link: max(min(friction), 0.0) for link, friction in said}
