# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames as the fields `translation` and `rotation` of a node."""

import math

import numpy as np

from .....core.geometry.transforms import Matrix, Vector, quaternion_from_rotation
from .....core.model import Vector3
from ..vrml import Node, Value, Vec

_NO_LENGTH = 1e-12
_NO_ANGLE = 1e-9


def vector_of(values: Vector) -> Vector3:
    """Returns an array (3,) as the numbers of a field."""
    x, y, z = values.tolist()
    return (x, y, z)


def rotation_of(frame: Matrix) -> Vec | None:
    """Returns the unit axis and the angle in 0..pi of a frame (3, 3) or (4, 4); None where it is
    not turned."""
    x, y, z, w = quaternion_from_rotation(frame[:3, :3])
    sine = math.sqrt(x * x + y * y + z * z)
    angle = 2.0 * math.atan2(sine, w)
    if angle < _NO_ANGLE:
        return None
    return (x / sine, y / sine, z / sine, angle)


def pose_fields(frame: Matrix) -> dict[str, Value]:
    """Returns the fields of a frame (4, 4) in the frame of its parent, without default ones."""
    fields: dict[str, Value] = {}
    if float(np.abs(frame[:3, 3]).max()) > _NO_LENGTH:
        fields["translation"] = vector_of(frame[:3, 3])
    rotation = rotation_of(frame)
    if rotation is not None:
        fields["rotation"] = rotation
    return fields


def place_nodes(frame: Matrix, nodes: list[Node]) -> list[Node]:
    """Returns the nodes in a Pose at `frame` (4, 4); the nodes themselves where a Pose would change
    nothing."""
    fields = pose_fields(frame)
    if not fields or not nodes:
        return nodes
    children: list[Value] = list(nodes)
    return [Node("Pose", {**fields, "children": children})]
