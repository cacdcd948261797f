# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of masses from shapes, and of limits from a search."""

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

from ...core.options import FileOptions, option

_mass = partial(option, group="Masses")
_range = partial(option, group="Search")


@dataclass(frozen=True, slots=True, kw_only=True)
class InertiaOptions(FileOptions):
    """How masses and inertias are computed. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Masses", "Files")

    density: float = _mass(
        1000.0, "Density", "The density of all bodies, in kg/m^3", bounds=(1e-9, 1e6)
    )
    mass: float | None = _mass(
        None,
        "Mass",
        "The mass of all computed links together, in kg, shared by their volumes; the density "
        "does not count then",
        bounds=(1e-9, 1e9),
        blank="by the density",
    )
    source: Literal["auto", "visuals", "collisions"] = _mass(
        "auto",
        "Source",
        "The shapes that are weighed",
        choices={
            "auto": "The visuals; of a link without any, its collision shapes",
            "visuals": "The visuals",
            "collisions": "The collision shapes",
        },
    )
    replace: Literal["missing", "all"] = _mass(
        "missing",
        "Replace",
        "The links that get another mass",
        choices={"missing": "Links without mass", "all": "All links"},
    )
    links: tuple[str, ...] = _mass((), "Link", "A link that is weighed; without any, all")


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeOptions(FileOptions):
    """How limits are searched. Contacts narrower than a step may be missed."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Search", "Files")

    margin: float = _range(
        math.radians(2.0),
        "Margin",
        "The angle that is kept free before the first contact, in radians",
        bounds=(0.0, math.pi),
    )
    slide_margin: float = _range(
        0.002,
        "Sliding Margin",
        "The way that is kept free before the first contact, in metres",
        bounds=(0.0, 1.0),
    )
    gap: float = _range(
        0.0, "Gap", "The metres between links that count as contact", bounds=(0.0, 1.0)
    )
    step: float = _range(
        math.radians(5.0), "Step", "The step of the search, in radians", bounds=(0.001, 1.0)
    )
    slide_step: float = _range(
        0.02, "Sliding Step", "The step of the search, in metres", bounds=(1e-4, 1.0)
    )
    most: float = _range(
        math.pi,
        "Most",
        "How far is searched each way, in radians; sliding joints at most 1 m",
        bounds=(0.01, 100.0),
    )
    joints: tuple[str, ...] = _range(
        (), "Joint", "A joint whose limits are searched; without any, all"
    )
