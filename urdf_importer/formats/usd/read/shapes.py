# SPDX-License-Identifier: GPL-3.0-or-later
"""Gprims as visuals and collisions, and their materials.

A collider is seen where its purpose is default or render: one prim may be both.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ....core.diagnostics import quote
from ....core.files.portable import relative_path
from ....core.geometry.transforms import Matrix, pose_of, turn_z_onto
from ....core.images.colors import srgb_from_linear
from ....core.model import (
    Box,
    Capsule,
    Collision,
    Color,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Material,
    Mesh,
    MeshPart,
    Sphere,
    Visual,
)
from ....core.names import Claims
from ..meshes import brings_looks, color_of, image_of, name_part, surface_of
from ..stages import StagePrim, Variants
from .joints import AXES
from .masses import place_in
from .scene import UsdScene

COLLISION = "PhysicsCollisionAPI"
_ROUNDING = 1e-7
_FLAT = 1e-4
Make = Callable[[StagePrim, Matrix], Geometry]


class ShapeReader:
    """Reads the shapes of one robot. `folder` is where its file lies, `filename` its name there,
    and `variants` are its chosen variants."""

    def __init__(self, scene: UsdScene, folder: str, filename: str, variants: Variants) -> None:
        self._scene, self._folder, self._filename = scene, folder, filename
        self._variants = variants
        self._parts: dict[Any, str] = {}
        self._names: dict[str, str] = {}
        self._claims = Claims()

    def read(
        self, prim: StagePrim, frame_path: str, body: str
    ) -> tuple[Visual | None, Collision | None]:
        """Reads a prim of a body as a visual, a collision, both or neither, in the frame of the
        prim `frame_path`."""
        collides = self._collides(prim, body)
        is_seen = prim.visible and prim.purpose in ("default", "render")
        # This library's own colliders are shown where a robot has no visuals, and are not visuals.
        is_seen &= not (collides and self._scene.is_own)
        if not (collides or is_seen):
            return None, None
        geometry, turn = self._make(prim)
        if geometry is None:
            return None, None
        frame = place_in(frame_path, prim.path, self._scene)
        frame[:3, :3] = frame[:3, :3] @ turn
        origin = pose_of(frame, rounding=1e-12)
        visual = collision = None
        if is_seen:
            is_dressed = brings_looks(self._scene.stage, prim)
            look = None if is_dressed else self._material(prim)
            visual = Visual(geometry=geometry, origin=origin, name=prim.label, material=look)
        if collides:
            collision = Collision(geometry=geometry, origin=origin, name=prim.label)
        return visual, collision

    def _collides(self, prim: StagePrim, body: str) -> bool:
        """Whether a prim is a collider, or lies in one."""
        path, prims = prim.path, self._scene.stage.prims
        while path and path != body:
            if COLLISION in prims[path].schemas:
                return prims[path].values.get("physics:collisionEnabled") is not False
            path = path.rpartition("/")[0]
        own = prims.get(body)
        return prim.path == body and own is not None and COLLISION in own.schemas

    def _make(self, prim: StagePrim) -> tuple[Geometry | None, Matrix]:
        """Returns the geometry, and (3, 3), how its z axis lies in the prim's frame."""
        stretch = self._scene.stretch(prim.path)
        if prim.mesh is not None:
            return self._mesh(prim, stretch), np.eye(3)
        sizes = np.abs(np.diag(stretch))
        if np.abs(stretch - np.diag(np.diag(stretch))).max() > _ROUNDING * sizes.max():
            self._warn(prim, "is sheared; it is read without that")
        if prim.kind == "Cube":
            x, y, z = map(float, (prim.number("size", 2.0) or 0.0) * sizes)
            return Box(size=(x, y, z)), np.eye(3)
        if prim.kind == "Sphere":
            return self._sphere(prim, sizes), np.eye(3)
        axis = prim.text("axis", "Z")
        along = np.array(AXES.get(axis, AXES["Z"]))
        turn = np.eye(3) if along[2] else turn_z_onto(along)
        length, around = float(sizes @ along), sizes[along == 0.0]
        if prim.kind == "Plane":
            return self._plane(prim, np.abs(turn.T @ sizes)), turn
        if abs(around[0] - around[1]) > _ROUNDING * sizes.max():
            self._warn(prim, "is scaled more across one way than the other; it is read as round")
        return self._round(prim, length, float(around.mean())), turn

    def _round(self, prim: StagePrim, length: float, across: float) -> Geometry | None:
        default = (0.5, 1.0) if prim.kind == "Capsule" else (1.0, 2.0)
        radius = (prim.number("radius", default[0]) or 0.0) * across
        height = (prim.number("height", default[1]) or 0.0) * length
        match prim.kind:
            case "Cylinder" | "Cylinder_1":
                return Cylinder(radius=radius, length=height)
            case "Capsule" | "Capsule_1":
                return Capsule(radius=radius, length=height)
            case "Cone":
                return Cone(radius=radius, length=height)
        self._scene.error("usd-unknown-shape", f"a {prim.kind} has no faces; it is left out", prim)
        return None

    def _sphere(self, prim: StagePrim, sizes: Matrix) -> Geometry:
        radius = prim.number("radius", 1.0) or 0.0
        if np.ptp(sizes) <= _ROUNDING * sizes.max():
            return Sphere(radius=float(radius * sizes.mean()))
        x, y, z = map(float, radius * sizes)
        return Ellipsoid(radii=(x, y, z))

    def _plane(self, prim: StagePrim, sizes: Matrix) -> Geometry:
        self._warn(prim, "is a plane; it is read as a box of no height, and ends at its edges")
        width, length = (prim.number(name, 2.0) or 0.0 for name in ("width", "length"))
        return Box(size=(float(width * sizes[0]), float(length * sizes[1]), _FLAT))

    def _mesh(self, prim: StagePrim, stretch: Matrix) -> Geometry:
        """A mesh is a part of the file, named by its path; equal ones share the first one's."""
        mesh = prim.mesh or {}
        if mesh.get("subdivided"):
            self._warn(prim, "is a surface to be subdivided; its coarse faces are shown")
        looks = prim.material if brings_looks(self._scene.stage, prim) else ""
        key = (repr(sorted(mesh.items())), looks, np.round(stretch, 9).tobytes())
        name = self._parts.setdefault(key, prim.path)
        part = MeshPart(name=name_part(name, self._variants))
        return Mesh(filename=self._filename, part=part)

    def _material(self, prim: StagePrim) -> Material | None:
        said = self._scene.stage.materials.get(prim.material)
        if said is not None and said.get("model"):
            if prim.material not in self._names:
                name = prim.material.rpartition("/")[2]
                self._names[prim.material] = self._claims.claim(name)
            image = image_of(said)
            return Material(
                name=self._names[prim.material],
                color=color_of(said),
                texture=relative_path(image, self._folder) if image else None,
                surface=surface_of(said),
            )
        color = _display_color(prim)
        return None if color is None else Material(color=color)

    def _warn(self, prim: StagePrim, finding: str) -> None:
        self._scene.warning("usd-shape-changed", f"{quote(prim.label)} {finding}", prim)


def _display_color(prim: StagePrim) -> Color | None:
    """The colour that a prim has without a material; the first of several."""
    rows = prim.values.get("primvars:displayColor")
    alpha = prim.values.get("primvars:displayOpacity")
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], list):
        return None
    r, g, b = (srgb_from_linear(min(max(float(each), 0.0), 1.0)) for each in rows[0][:3])
    is_clear = isinstance(alpha, list) and alpha and isinstance(alpha[0], int | float)
    return r, g, b, float(alpha[0]) if is_clear and alpha is not None else 1.0
