# SPDX-License-Identifier: GPL-3.0-or-later
"""The masses of links, repaired where Gazebo would refuse the model for them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ....core.diagnostics import Diagnostics
from ....core.geometry.inertia import (
    add_bodies,
    body_of,
    find_fault,
    inertial_of,
    keep_from_edge,
)
from ....core.geometry.transforms import invert
from ....core.geometry.volumes import inertia_of, tensor_of
from ....core.kinematics.forward import zero_frames
from ....core.kinematics.tree import KinematicTree
from ....core.model import Inertia, Inertial, Link
from ....core.writers.masses import NEAREST, MeasureVolume, repair_inertia, report_mass

_SMALL_MOMENT = 1e-6
"""kg m^2, of links with a small mass."""
_THINNEST = 1e-7
"""The smallest principal moment, as a share of the largest: libsdformat's rounding takes less of a
turned tensor as negative."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weights:
    """The masses of a robot's links, each repaired and reported once. `repairs`: whether inertias
    that no body can have are replaced."""

    tree: KinematicTree
    volume: MeasureVolume
    diagnostics: Diagnostics
    repairs: bool
    found: dict[str, Inertial] = field(default_factory=dict)

    def find(self, link: Link) -> Inertial:
        """Returns the mass of a link that has one."""
        if link.name not in self.found:
            assert link.inertial is not None
            self.found[link.name] = self._repair(link, link.inertial)
        return self.found[link.name]

    def join(self, links: Sequence[Link], holder: Link) -> Inertial:
        """Returns the mass of links that are fixed to each other, in the frame of one of them."""
        frames, index = zero_frames(self.tree), self.tree.index
        back = invert(frames[index[holder.name]])
        bodies = [body_of(self.find(each), back @ frames[index[each.name]]) for each in links]
        return inertial_of(add_bodies(bodies))

    def _repair(self, link: Link, inertial: Inertial) -> Inertial:
        if not self.repairs:
            return inertial if inertial.inertia else replace(inertial, inertia=Inertia())
        tensor = tensor_of(inertial.inertia)
        fault = find_fault(tensor) if np.all(np.isfinite(tensor)) else "is not finite"
        if not fault and np.array_equal(tensor, np.diag(np.diagonal(tensor))):
            return inertial
        if not fault:
            kept = keep_from_edge(tensor, _THINNEST * float(np.linalg.norm(tensor, 2)))
            return inertial if kept is tensor else replace(inertial, inertia=inertia_of(kept))
        found, what = repair_inertia(link, inertial.mass or 0.0, tensor, self.volume)
        repaired = replace(inertial, inertia=inertia_of(found))
        if what != NEAREST:
            # The assumed tensor is along the axes of the link.
            origin = replace(inertial.origin, rpy=(0.0, 0.0, 0.0), quat_xyzw=None)
            repaired = replace(repaired, origin=origin)
        code = "sdf-inertia-repaired" if np.any(tensor) else "sdf-inertia-assumed"
        said = f"has an inertia that {fault}" if np.any(tensor) else "has a mass and no inertia"
        report_mass(self.diagnostics, link, code, f"{said}; {what}")
        return repaired


def small_inertial(mass: float) -> Inertial:
    """Returns the mass of a link that has none and must have one."""
    moment = _SMALL_MOMENT
    return Inertial(mass=mass, inertia=Inertia(ixx=moment, iyy=moment, izz=moment))
