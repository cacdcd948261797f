# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses: the description's, moved to Webots' frames, and repaired where stated.

Webots wants the inertia about the centre of mass along the axes of the Solid, so an inertial frame
that is turned by R gives R I R^T. It refuses a mass of zero and an inertia that is not positive
definite.
"""

from dataclasses import replace

import numpy as np

from .....core.diagnostics import Diagnostics
from .....core.geometry.inertia import BodyMass, body_of, find_fault, is_positive
from .....core.model import Link
from .....core.writers.masses import (
    MeasureVolume,
    assume_inertia,
    repair_inertia,
    report_mass,
    sphere_inertia,
)
from ..options import WebotsOptions
from ..vrml import Node, Value
from .frames import vector_of

DENSITY = 1000.0
"""kg/m^3 of links whose mass is taken from their collision shapes: Webots' own default."""


def find_mass(
    link: Link, options: WebotsOptions, volume: MeasureVolume, diagnostics: Diagnostics
) -> BodyMass | None:
    """Returns the mass of a link in its frame, with an inertia that Webots takes; None where it has
    none.

    A mass of zero or less counts as none.
    """
    inertial = link.inertial
    if inertial is None or not link.has_mass:
        return None
    mass = body_of(inertial)
    if inertial.inertia is None:
        inertia, what = assume_inertia(link, mass.mass, volume)
        report_mass(
            diagnostics, link, "webots-inertia-assumed", f"has a mass and no inertia; {what}"
        )
        return replace(mass, inertia=inertia)
    fault = find_fault(mass.inertia)
    if not fault or (options.inertia == "keep" and is_positive(mass.inertia)):
        return mass
    if options.inertia == "volume":
        repaired, what = assume_inertia(link, mass.mass, volume)
    else:
        repaired, what = repair_inertia(link, mass.mass, mass.inertia, volume)
    report_mass(
        diagnostics, link, "webots-inertia-repaired", f"has an inertia that {fault}; {what}"
    )
    return replace(mass, inertia=repaired)


def invent_mass(link: Link, options: WebotsOptions, volume: MeasureVolume) -> tuple[BodyMass, str]:
    """Returns a mass for a link that has none and needs one to move, and its source."""
    measured = volume(link) if options.inertia == "volume" else None
    if measured is not None:
        inertia = DENSITY * measured.inertia
        if is_positive(inertia):
            mass = DENSITY * measured.volume
            text = f"{mass:g} kg, from its collision shapes at {DENSITY:g} kg/m^3"
            return BodyMass(mass=mass, center=measured.centre, inertia=inertia), text
    return small_mass(options), f"{options.small_mass:g} kg"


def small_mass(options: WebotsOptions) -> BodyMass:
    mass = options.small_mass
    return BodyMass(mass=mass, center=np.zeros(3), inertia=sphere_inertia(mass))


def physics_node(mass: BodyMass, options: WebotsOptions) -> Node:
    """Returns the Physics node of a mass. Its density is -1, so that Webots takes the mass instead
    of a volume."""
    i = mass.inertia
    fields: dict[str, Value] = {
        "density": -1,
        "mass": float(mass.mass),
        "centerOfMass": [vector_of(mass.center)],
        "inertiaMatrix": [vector_of(np.diag(i)), vector_of(i[np.triu_indices(3, 1)])],
    }
    linear, angular = options.linear_damping, options.angular_damping
    if linear or angular:
        fields["damping"] = Node("Damping", {"linear": linear, "angular": angular})
    return Node("Physics", fields)
