# SPDX-License-Identifier: GPL-3.0-or-later
"""The bodies of a stage, and frames in metres with Z up.

A transform of USD may scale all prims below it. Frames of links are rigid: the rotation is the
polar part (with the sign of the determinant, as Factor of OpenUSD's GfMatrix has it), and the rest,
the stretch, goes to shapes and to the places of joints.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.mesh_data import find_upright
from ....core.geometry.transforms import Matrix, Vector, rotation_from_quaternion
from ..stages import StagePrim, UsdStage, split

WORLD = "world"
RIGID_BODY = "PhysicsRigidBodyAPI"
_FAR = 1e6


class UsdScene:
    """A stage with its bodies. `bodies` maps the paths of rigid bodies -> their prims, in the order
    of the file; `marks` are the words that this library's own exports leave in a stage."""

    def __init__(self, stage: UsdStage, diagnostics: Diagnostics) -> None:
        self.stage, self.diagnostics = stage, diagnostics
        self.up = find_upright(stage.up).astype(np.float64)
        self.bodies = {
            path: prim
            for path, prim in stage.prims.items()
            if RIGID_BODY in prim.schemas and prim.world is not None
        }
        self._frames: dict[str, tuple[Matrix, Matrix]] = {}
        self._owners: dict[str, str] = {}

    @cached_property
    def is_own(self) -> bool:
        """Whether this library has written the stage: then nothing needs to be assumed."""
        return any(prim.text("urdf:robot") for prim in self.stage.prims.values())

    def warning(self, code: str, message: str, prim: StagePrim) -> None:
        self.diagnostics.warning(code, message, subject=prim.label)

    def error(self, code: str, message: str, prim: StagePrim) -> None:
        self.diagnostics.error(code, message, subject=prim.label)

    def owner(self, path: str) -> str:
        """Returns the path of the nearest body at a prim or above it; empty for none."""
        walked = []
        while path and path not in self.bodies and path not in self._owners:
            walked.append(path)
            path = path.rpartition("/")[0]
        found = self._owners.get(path, path)
        self._owners.update(dict.fromkeys(walked, found))
        return found

    def frame(self, path: str) -> Matrix:
        """Returns (4, 4), the frame of a prim in the world, without scale; the world's own for a
        path without a place."""
        return self._place(path)[0]

    def stretch(self, path: str) -> Matrix:
        """Returns (3, 3), the map from the prim's own lengths to metres in its frame."""
        return self._place(path)[1]

    def point(self, path: str, xyz: Vector) -> Vector:
        """Returns (3,), a point of a prim's space in the world."""
        frame, stretch = self._place(path)
        found: Vector = frame[:3, 3] + frame[:3, :3] @ (stretch @ xyz)
        return found

    def _place(self, path: str) -> tuple[Matrix, Matrix]:
        if path not in self._frames:
            self._frames[path] = self._work_out(path)
        return self._frames[path]

    def _work_out(self, path: str) -> tuple[Matrix, Matrix]:
        frame, meters = np.eye(4), self.stage.meters
        prim = self.stage.prims.get(path)
        world = prim.world if prim is not None else None
        if prim is None or world is None:
            frame[:3, :3] = self.up
            return frame, meters * np.eye(3)
        if not (np.abs(world) < _FAR / min(meters, 1.0)).all():
            self.warning(
                "usd-odd-place", f"{quote(path)} is at no place; it is at its parent's", prim
            )
            return self._place(prim.parent)
        turn, stretch = split(world[:3, :3])
        frame[:3, :3] = self.up @ turn
        frame[:3, 3] = self.up @ world[:3, 3] * meters
        return frame, stretch * meters

    def below(self, body: str) -> Iterator[StagePrim]:
        """Yields the prims that a body carries: all below it that no other body carries."""
        for path in self._carried.get(body, ()):
            yield self.stage.prims[path]

    @cached_property
    def _carried(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.stage.prims:
            owner = self.owner(path)
            if owner:
                found.setdefault(owner, []).append(path)
        return found


def read_turn(numbers: tuple[float, ...] | None) -> Matrix:
    """Returns (3, 3) of a quaternion with its real part first; nothing where it is missing or
    zero.
    """
    if numbers is None:
        return np.eye(3)
    w, x, y, z = numbers
    return rotation_from_quaternion((x, y, z, w))
