# SPDX-License-Identifier: GPL-3.0-or-later
"""The sources of a mesh and a material, kept on them, so that an update can distinguish changes of
the source from changes of the user."""

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...geometry.mesh_data import MeshData, MeshMaterial
from ...model import Collision, Mesh, Surface, Visual
from ...options import ImportOptions
from ..arrays import read_array
from ..standing import properties

_ARRAYS = ("vertices", "corners", "face_sizes", "normals", "uvs", "slots")


Sums = Mapping[str, tuple[int, int]]
"""By the name of each array that a mesh has: how many numbers it holds, and a number for them."""


def sum_arrays(data: MeshData) -> Sums:
    """Returns numbers for the arrays of a mesh, computed at some gigabytes a second."""
    arrays = ((name, getattr(data, name)) for name in _ARRAYS)
    return {name: _sum(array) for name, array in arrays if array is not None}


def fingerprint_shape(
    data: MeshData, sums: Sums, shape: Visual | Collision, options: ImportOptions
) -> str:
    """Returns a number, as text, for all that decides the mesh of a shape; visuals and
    collisions never have the same. `sums` are by sum_arrays."""
    most = (options.most_triangles,) if isinstance(shape.geometry, Mesh) else ()
    return _digest((type(shape).__name__, options.smooth_angle, *most, data.smooth, *sums.items()))


def fingerprint_content(mesh: Any) -> str:
    """Returns a number, as text, for the parts of a mesh that users edit: its points, faces, slots
    and texture coordinates, as Blender has them. Shading is left out: it follows from angles."""
    attributes = mesh.attributes
    # A mesh without points has none of the two. Asking vertices and loops themselves takes a
    # thousand times as long.
    points, corners = attributes.get("position"), attributes.get(".corner_vert")
    sums = {"vertices": _sum(read_array(points.data if points else (), "vector", 3))}
    sums["corners"] = _sum(read_array(corners.data if corners else (), "value", kind=np.int32))
    if len(mesh.loops) != 3 * len(mesh.polygons):
        starts = read_array(mesh.polygons, "loop_start", kind=np.uint32)
        sums["face_sizes"] = _sum(np.diff(starts.view(np.int32), append=np.int32(len(mesh.loops))))
    layer = mesh.uv_layers.active
    if layer is not None:
        sums["uvs"] = _sum(read_array(attributes[layer.name].data, "vector", 2))
    slots = attributes.get("material_index")
    used = None if slots is None else read_array(slots.data, "value", kind=np.int32)
    # All faces in the first slot are as good as no slots at all.
    if used is not None and used.any():
        sums["slots"] = _sum(used)
    return _digest(tuple(sums.items()))


def fingerprint_arrays(data: MeshData, sums: Sums, *, has_slots: bool) -> str:
    """Returns the number that fingerprint_content gives for a mesh that was built of these arrays,
    which have corners, with or without their slots."""
    names = ["vertices", "corners", "face_sizes", "uvs"]
    if len(data.corners) == 3 * data.face_count:
        names.remove("face_sizes")
    if has_slots and data.slots is not None and data.slots.any():
        names.append("slots")
    return _digest(tuple((name, sums[name]) for name in names if name in sums))


def _sum(array: NDArray[Any]) -> tuple[int, int]:
    return array.size, zlib.crc32(np.ascontiguousarray(array).data)


def _digest(described: tuple[Any, ...]) -> str:
    return f"{zlib.crc32(repr(described).encode()):08x}"


def describe_material(material: MeshMaterial, *, has_uvs: bool) -> str:
    """Describes a material as a JSON object: equal texts mean equal materials."""
    described: dict[str, Any] = {"name": material.name, "color": material.color}
    if material.texture or material.image:
        image = str(material.texture) if material.texture else zlib.crc32(material.image)
        described |= {"image": image, "image_alpha": material.image_alpha, "uvs": has_uvs}
    if material.surface is not None:
        described["surface"] = asdict(material.surface)
        described["uvs"] = has_uvs
    return json.dumps(described)


def read_material(text: str) -> tuple[MeshMaterial, bool]:
    """Reads (material without its image, whether there were uvs) from a description."""
    kept = json.loads(text)
    surface = kept.get("surface")
    if surface is not None:
        surface["emission"] = surface["emission"] and tuple(surface["emission"])
    material = MeshMaterial(
        name=kept["name"],
        color=tuple(kept["color"]),
        image_alpha=kept.get("image_alpha", False),
        surface=surface and Surface(**surface),
    )
    return material, kept.get("uvs", False)


def note_materials(owner: Any, materials: Iterable[Any]) -> None:
    """Writes on an object or a mesh which materials its slots were given."""
    looks = [material[properties.LOOK] for material in materials]
    if looks:
        owner[properties.LOOKS] = looks
