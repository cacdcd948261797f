# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two shapes touch, by Blender's trees of triangles: where the library coal is missing.

All shapes are surfaces of triangles here, round ones with 32 sides; a shape wholly inside another
touches it. Blender's trees cannot be moved: of two shapes the one with fewer triangles is put into
the frame of the other in every pose.
"""

import bpy  # noqa: F401  Where Blender is a module, mathutils is there once it is loaded.
import numpy as np
from mathutils.bvhtree import BVHTree

from ....core.geometry.transforms import Matrix, invert
from ..parts import TestedPart, is_inside
from ..testers import TriangleTester


class BvhTester(TriangleTester):
    """Asks Blender whether parts touch, and trees of boxes how near they are. A tree stays for each
    part that others are moved to."""

    def __init__(self) -> None:
        super().__init__()
        self._trees: dict[TestedPart, BVHTree] = {}

    def touches(
        self, first: TestedPart, second: TestedPart, pose: Matrix, margin: float = 0.0
    ) -> bool:
        """Tests two parts."""
        if margin > 0.0:
            return super().touches(first, second, pose, margin)
        if len(second.triangles) > len(first.triangles):
            first, second, pose = second, first, invert(pose)
        moved = second.vertices @ pose[:3, :3].T + pose[:3, 3]
        lower, upper = moved.min(axis=0), moved.max(axis=0)
        if (lower > first.upper).any() or (upper < first.lower).any():
            return False
        # A tree of the few triangles in the other's box costs a tenth of one of all.
        aside = np.hstack([moved > first.upper, moved < first.lower])
        inner = second.triangles[~aside[second.triangles].all(axis=1).any(axis=1)]
        if len(inner):
            points, corners = np.unique(inner, return_inverse=True)
            polygons = corners.reshape(-1, 3).tolist()
            other = BVHTree.FromPolygons(moved[points].tolist(), polygons, all_triangles=True)
            if self._bvh_of(first).overlap(other):
                return True
        return is_inside(second, first, pose) or is_inside(first, second, invert(pose))

    def _bvh_of(self, part: TestedPart) -> BVHTree:
        if part not in self._trees:
            tree = BVHTree.FromPolygons(
                part.vertices.tolist(), part.triangles.tolist(), all_triangles=True
            )
            self._trees[part] = tree
        return self._trees[part]
