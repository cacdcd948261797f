# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a check for collisions."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.diagnostics import Diagnostic
from .pairs import Pair


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkContact:
    """Two links that touch, or are nearer than the margin, without a break.

    link1, link2  a link, and another or an object of the scene
    start, end    seconds of the motion; both 0 of a single pose
    distance      the least in metres at samples; 0 where they touch
    point         (3,) where they are nearest at the start: in the frame of the root link, of a
                  rig in the world
    """

    link1: str
    link2: str
    start: float
    end: float
    distance: float
    point: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class CollisionReport:
    """The result of check_collisions.

    contacts     all, the first first
    links        for each link with shapes, whether it touches anything
    distance     the least of all pairs, in metres, and `nearest`, that pair; None where no
                 distances were asked for
    diagnostics  the assumptions of the check
    """

    contacts: tuple[LinkContact, ...]
    links: Mapping[str, bool]
    distance: float | None = None
    nearest: Pair | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def collides(self) -> bool:
        """Whether anything touches."""
        return bool(self.contacts)

    @property
    def first(self) -> LinkContact | None:
        """The first contact; None where nothing touches."""
        return self.contacts[0] if self.contacts else None

    @cached_property
    def pairs(self) -> frozenset[frozenset[str]]:
        """The names of the links and objects that touch, two by two."""
        return frozenset(frozenset((each.link1, each.link2)) for each in self.contacts)
