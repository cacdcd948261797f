# SPDX-License-Identifier: GPL-3.0-or-later
"""Simple shapes as nodes. URDF and Webots agree on them: centred, along z, a capsule's length
without its half spheres."""

from ...model import Box, Capsule, Cylinder, Sphere
from .vrml import Node

_ROUND = 3
"""Subdivisions of a sphere that is looked at; Webots' own 1 shows its 80 triangles."""


def make_primitive_node(
    geometry: Box | Cylinder | Sphere | Capsule, *, collides: bool = False
) -> Node:
    match geometry:
        case Box(size=(x, y, z)):
            return Node("Box", {"size": (x, y, z)})
        case Cylinder(radius=radius, length=length):
            return Node("Cylinder", {"height": length, "radius": radius})
        case Capsule(radius=radius, length=length) if length > 0.0:
            return Node("Capsule", {"height": length, "radius": radius})
        case Sphere(radius=radius) | Capsule(radius=radius):
            fields = {"radius": radius} if collides else {"radius": radius, "subdivision": _ROUND}
            return Node("Sphere", dict(fields))
