# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of fitting collision shapes."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

from ...core.options import FITS, FileOptions, option

Shape = Literal["auto", "box", "cylinder", "capsule", "sphere", "hull", "decomposed"]
_option = partial(option, group="Collisions")


@dataclass(frozen=True, slots=True, kw_only=True)
class CollisionOptions(FileOptions):
    """How collision shapes are fitted. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Collisions", "Files")

    shape: Shape = _option(
        "auto", "Shape", "The collision shapes that are fitted around meshes", choices=FITS
    )
    parts: int = _option(16, "Parts", "The most convex parts of a mesh", bounds=(1, 128))
    triangles: int = _option(
        256, "Triangles", "The most triangles of a hull or part", bounds=(4, 100_000)
    )
    budget: int = _option(
        0,
        "Budget",
        "The most triangles of all hulls and parts of the robot together; 0 for any number",
        bounds=(0, 100_000_000),
    )
    tolerance: float = _option(
        0.001,
        "Tolerance",
        "How far a mesh may reach beyond its shapes, in metres: parts that miss more are pushed "
        "out",
        bounds=(0.0, 1.0),
    )
    source: Literal["auto", "collisions", "visuals"] = _option(
        "auto",
        "Source",
        "The shapes that are fitted",
        choices={
            "auto": "The collision shapes of a link; of a link without any, its visuals",
            "collisions": "The collision shapes",
            "visuals": "The visuals",
        },
    )
    replace: Literal["all", "missing"] = _option(
        "all",
        "Replace",
        "The links that get new collision shapes",
        choices={
            "all": "All links with meshes",
            "missing": "Links without collision shapes",
        },
    )
    seconds: float = _option(
        60.0, "Seconds", "How long cuts are sought for a mesh", bounds=(0.0, 3600.0)
    )
    decomposer: Literal["own", "coacd"] = _option(
        "own",
        "Decomposer",
        "Which tool finds convex parts",
        choices={
            "own": "Cuts by planes, which need nothing else",
            "coacd": "The library CoACD, in a process of its own",
        },
    )
    cache: bool = _option(
        True, "Cache", "Keep shapes in the user's folder of caches, by the content of their meshes"
    )
    links: tuple[str, ...] = _option(
        (), "Link", "A link that gets new collision shapes; without any, all"
    )
