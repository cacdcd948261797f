# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of links as arrays, for views that draw them elsewhere or in another colour."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import mathutils
import numpy as np

from .arrays import read_array
from .standing import properties
from .standing.armatures import objects_of
from .standing.links import name_link, shows_link

_BOX = (
    (0, 1, 2), (0, 2, 3), (4, 6, 5), (4, 7, 6), (0, 4, 5), (0, 5, 1),
    (1, 5, 6), (1, 6, 2), (2, 6, 7), (2, 7, 3), (3, 7, 4), (3, 4, 0),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkBody:
    """A shape of a link, `item` in the scene: `place` in the link's frame, `points` (N, 3),
    `triangles` (T, 3)."""

    item: Any
    link: str
    place: mathutils.Matrix
    points: Any
    triangles: Any


def bodies_of(
    armature: Any,
    links: Collection[str],
    *,
    part: str = "",
    most: int | None = None,
) -> Iterator[LinkBody]:
    """Yields the shapes of links that are shown, or all of a `part`. A mesh of more than `most`
    triangles is the box around it. Takes time for every object of the file."""
    for item in objects_of(armature):
        chosen = item.get(properties.PART) == part if part else shows_link(item)
        if item.type == "MESH" and chosen:
            name, place = _find_place(item)
            if name in links:
                yield _read_body(name, place, item, most)


def _find_place(item: Any) -> tuple[str, Any]:
    """Finds the link of a shape, and the shape's frame in it: hidden objects are not where Blender
    has them in the world. The name is empty for a shape that was taken off its link."""
    place = mathutils.Matrix()
    while item is not None:
        name = name_link(item)
        if name is not None:
            return name, place
        place = item.matrix_parent_inverse @ item.matrix_basis @ place
        item = item.parent
    return "", place


def _read_body(link: str, place: Any, item: Any, most: int | None) -> LinkBody:
    mesh = item.data
    mesh.calc_loop_triangles()
    if most is not None and len(mesh.loop_triangles) > most:
        points = np.array(item.bound_box, np.float32)
        triangles = np.array(_BOX, np.int32)
    else:
        points = read_array(mesh.vertices, "co", 3)
        triangles = read_array(mesh.loop_triangles, "vertices", 3, np.int32)
    return LinkBody(item=item, link=link, place=place, points=points, triangles=triangles)
