# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mesh and a material were made of, kept on them, so that an update can tell what its source
changed from what the user changed."""

import json
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...geometry.mesh_data import MeshData, MeshMaterial
from ...model import Collision, Mesh, Visual
from ...options import ImportOptions
from ..standing import properties

_ARRAYS = ("vertices", "corners", "face_sizes", "normals", "uvs", "slots")


def fingerprint_shape(data: MeshData, shape: Visual | Collision, options: ImportOptions) -> str:
    """A number, as text, for all that decides what mesh a shape becomes; visuals and collisions
    never have the same. It is read from arrays in memory, at some gigabytes a second."""
    number = zlib.crc32(repr((*_settings(shape, options), data.smooth)).encode())
    for name in _ARRAYS:
        array = getattr(data, name)
        number = zlib.crc32(f"{name}{None if array is None else array.shape}".encode(), number)
        if array is not None:
            number = zlib.crc32(np.ascontiguousarray(array).data, number)
    return f"{number:08x}"


def _settings(shape: Visual | Collision, options: ImportOptions) -> tuple[Any, ...]:
    if not isinstance(shape.geometry, Mesh):
        return (type(shape).__name__, options.smooth_angle)
    hull = isinstance(shape, Collision) and options.convex_collisions
    return (type(shape).__name__, options.smooth_angle, hull, options.most_triangles)


def describe_look(look: MeshMaterial, *, has_uvs: bool) -> str:
    """The look as a JSON object: equal text, equal material."""
    described: dict[str, Any] = {"name": look.name, "color": look.color}
    if look.texture or look.image:
        described["image"] = str(look.texture) if look.texture else zlib.crc32(look.image)
        described |= {"image_alpha": look.image_alpha, "uvs": has_uvs}
    return json.dumps(described)


def read_look(text: str) -> tuple[MeshMaterial, bool]:
    """(look without its image, whether there were uvs) of a description."""
    kept = json.loads(text)
    look = MeshMaterial(
        name=kept["name"], color=tuple(kept["color"]), image_alpha=kept.get("image_alpha", False)
    )
    return look, kept.get("uvs", False)


def note_looks(owner: Any, materials: Iterable[Any]) -> None:
    """Writes on an object or a mesh which looks its slots were given."""
    looks = [material[properties.LOOK] for material in materials]
    if looks:
        owner[properties.LOOKS] = looks
