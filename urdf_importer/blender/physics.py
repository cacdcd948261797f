# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies on collision shapes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ..model import Box, Capsule, Collision, Cylinder, Link, Sphere

_SHAPES = {Box: "BOX", Cylinder: "CYLINDER", Sphere: "SPHERE", Capsule: "CAPSULE"}
_LEAST_MASS = 1e-3
"""Kilograms: the least that Blender's simulation takes."""


def build_rigid_bodies(links: Sequence[Link], collisions: Mapping[str, Sequence[Any]]) -> list[Any]:
    """Makes collision objects animated rigid bodies that follow the rig and push others.

    A link's mass is shared among its collision shapes by the volume of their bounding boxes.
    Objects join through the world's collection: no operator per object. Returns the objects.
    """
    scene = bpy.context.scene
    if scene.rigidbody_world is None:
        bpy.ops.rigidbody.world_add()
    world = scene.rigidbody_world
    if world.collection is None:
        world.collection = bpy.data.collections.new("RigidBodyWorld")
    bodies = []
    for link in links:
        objects = [shape for shape in collisions.get(link.name, ()) if shape.type == "MESH"]
        shares = _share_by_volume(objects)
        mass = (link.inertial.mass if link.inertial else None) or 0.0
        for shape, collision, share in zip(
            objects, _described(link, collisions), shares, strict=False
        ):
            world.collection.objects.link(shape)
            body = shape.rigid_body
            body.kinematic = True
            body.mass = max(mass * share, _LEAST_MASS)
            body.collision_shape = _SHAPES.get(type(collision.geometry), "CONVEX_HULL")
            bodies.append(shape)
    return bodies


def update_rigid_bodies(pairs: Iterable[tuple[Any, Any]], *, drop: bool) -> None:
    """Old objects become bodies as their twins are. What they have of their own stays but for the
    mass; with `drop` those whose twin is none become none."""
    world = bpy.context.scene.rigidbody_world
    if world is None or world.collection is None:
        return
    for old, twin in pairs:
        if twin.rigid_body is None:
            if drop and old.rigid_body is not None:
                with bpy.context.temp_override(object=old, active_object=old):
                    bpy.ops.rigidbody.object_remove()
            continue
        if old.rigid_body is None:
            world.collection.objects.link(old)
            _copy_body(old.rigid_body, twin.rigid_body)
        old.rigid_body.mass = twin.rigid_body.mass


def _copy_body(body: Any, twin: Any) -> None:
    body.kinematic = True
    body.collision_shape = twin.collision_shape


def _described(link: Link, collisions: Mapping[str, Sequence[Any]]) -> list[Collision]:
    """The link's collisions that have a mesh object, in order; none where none were wanted."""
    built = collisions.get(link.name, [])
    if not built:
        return []
    return [
        collision
        for collision, shape in zip(link.collisions, built, strict=True)
        if shape.type == "MESH"
    ]


def _share_by_volume(objects: Sequence[Any]) -> list[float]:
    volumes = np.array([max(float(np.prod(shape.dimensions)), 1e-12) for shape in objects])
    shares: list[float] = (volumes / volumes.sum()).tolist() if len(volumes) else []
    return shares
