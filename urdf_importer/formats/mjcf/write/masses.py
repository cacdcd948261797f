# SPDX-License-Identifier: GPL-3.0-or-later
"""The masses of bodies: the description's, repaired only where MuJoCo takes nothing else.

MuJoCo refuses inertias that no body can have, and joints that move nothing: of a body with joints
and the bodies fixed to it, one must have a mass and an inertia.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ....core.diagnostics import Diagnostics
from ....core.geometry.inertia import (
    BodyMass,
    body_of,
    find_fault,
    keep_from_edge,
    report_small_mass,
)
from ....core.model import Link
from ....core.writers.masses import (
    MeasureVolume,
    assume_inertia,
    repair_inertia,
    report_mass,
    sphere_inertia,
)
from .plan import BodyPlan, StructurePlan

_LEAST = 2e-15
"""kg m^2: MuJoCo takes less as nothing."""


def weigh_bodies(
    plan: StructurePlan, small_mass: float, volume: MeasureVolume, diagnostics: Diagnostics
) -> None:
    """Gives each body its mass."""
    for body in plan.bodies:
        if not body.is_world:
            body.mass = _find_mass(body.link, volume, diagnostics)
    for body, fixed in _find_groups(plan):
        masses = [each.mass for each in (body, *fixed) if each.mass is not None]
        # MuJoCo needs an inertia in each group of bodies fixed together.
        if any(np.any(mass.inertia) for mass in masses):
            continue
        if masses:
            heaviest = max((body, *fixed), key=lambda each: each.mass.mass if each.mass else 0.0)
            _give_inertia(heaviest, volume, diagnostics)
            continue
        body.mass = BodyMass(
            mass=small_mass, center=np.zeros(3), inertia=sphere_inertia(small_mass)
        )
        report_small_mass(body.link, small_mass, diagnostics)


def _find_groups(plan: StructurePlan) -> Iterator[tuple[BodyPlan, list[BodyPlan]]]:
    """Yields bodies that move, each with the bodies that are fixed to it."""
    holders: list[int] = []
    fixed: dict[int, list[BodyPlan]] = {}
    for place, body in enumerate(plan.bodies):
        holders.append(place if body.joints or body.parent < 0 else holders[body.parent])
        if holders[place] != place:
            fixed.setdefault(holders[place], []).append(body)
    for place, body in enumerate(plan.bodies):
        if body.joints:
            yield body, fixed.get(place, [])


def _give_inertia(body: BodyPlan, volume: MeasureVolume, diagnostics: Diagnostics) -> None:
    assert body.mass is not None
    inertia, what = assume_inertia(body.link, body.mass.mass, volume)
    body.mass = replace(body.mass, inertia=keep_from_edge(inertia, _LEAST))
    report_mass(
        diagnostics, body.link, "mjcf-inertia-assumed", f"has a mass and no inertia; {what}"
    )


def _find_mass(link: Link, volume: MeasureVolume, diagnostics: Diagnostics) -> BodyMass | None:
    inertial = link.inertial
    if inertial is None or not link.has_mass:
        return None
    body = body_of(inertial)
    inertia, fault = body.inertia, find_fault(body.inertia)
    if not float(np.abs(inertia).max()) > _LEAST:
        return replace(body, inertia=np.zeros((3, 3)))
    if fault:
        inertia, what = repair_inertia(link, body.mass, inertia, volume)
        report_mass(
            diagnostics, link, "mjcf-inertia-repaired", f"has an inertia that {fault}; {what}"
        )
    return replace(body, inertia=keep_from_edge(inertia, _LEAST))
