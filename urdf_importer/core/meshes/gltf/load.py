# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF and GLB.

Coordinates are taken unturned, as RViz does (glTF says that y is up; the meshes of robots do not
mean it). Blender's own importer is not used: it turns them, makes objects, collections and images
that would need to be found and removed, and takes a hundred times as long. Cameras, lights, skins
and animations are ignored; skinned meshes appear in their bind pose."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...diagnostics import Report, quote
from ...files.regular import ResolveBeside
from ...geometry.mesh_data import MeshData, MeshMaterial, weld_points
from ...geometry.transforms import rotation_from_quaternion
from ..faces import PIECE, Faces, cofactors_of, make_mesh, missing_part, take_rows
from .document import (
    GltfDocument,
    Node,
    as_dict,
    as_index,
    as_int,
    as_list,
    as_numbers,
    load_document,
)
from .material import load_materials, read_uv_set

MOST_CORNERS = 100_000_000
"""Of all nodes together: a file of a few bytes can show one mesh a million times."""
_TRIANGLES, _STRIP, _FAN = 4, 5, 6

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The triangles of one primitive, in the scene's frame.

    vertices, normals  float32 (V, 3); None where there are no normals
    uvs                float32 (V, 2), origin at the lower left; None where there are none
    corners            int32 (C,), -1 for vertices that are not there
    slot               index into the materials
    """

    vertices: NDArray[np.float32]
    corners: NDArray[np.int32]
    normals: NDArray[np.float32] | None
    uvs: NDArray[np.float32] | None
    slot: int


def load_gltf(path: Path, report: Report, resolve: ResolveBeside, part: str = "") -> MeshData:
    """Loads all nodes of the scene of a glTF 2 file as one mesh, in its own axes; where `part` is
    given, only nodes with this name, or with meshes of this name.

    Reports `invalid-facets`, `repeated-node` (a node that is below two others or below itself)
    and the codes of `load_materials`. Raises MeshError `empty-mesh`, `compressed-mesh`,
    `unsupported-mesh-format`, `mesh-too-large`, `unreadable-mesh`, the errors of `read_mesh_file`
    and, for buffers in other files, of `resolve`.
    """
    parts, materials = _read_parts(load_document(path, resolve), report, part)
    faces = _join(parts)
    del parts  # As the document's bytes, they may be too large for memory beside the mesh.
    return make_mesh(_weld(faces), path, report, materials if len(materials) > 1 else ())


def _read_parts(
    document: GltfDocument, report: Report, part_name: str
) -> tuple[list[_Part], tuple[MeshMaterial, ...]]:
    """Reads the faces of each primitive, in the scene's frame, and all materials."""
    parts: list[_Part] = []
    corner_count = 0
    known: list[str] = []
    for matrix, mesh, name in _walk_nodes(document, report):
        names = [name, str(mesh.get("name", ""))]
        known += names
        if part_name and part_name not in names:
            continue
        for primitive in as_list(mesh.get("primitives")):
            part = _read_primitive(document, as_dict(primitive), matrix)
            corner_count += len(part.corners) if part else 0
            if corner_count > MOST_CORNERS:
                document.fail(f"shows more than {MOST_CORNERS // 3} triangles", "mesh-too-large")
            if part:
                parts.append(part)
    if part_name and not parts:
        raise missing_part(document.path, part_name, known)
    if not parts:
        document.fail("has no faces", "empty-mesh")
    return parts, load_materials(document, report)


def _walk_nodes(document: GltfDocument, report: Report) -> Iterator[tuple[Matrix, Node, str]]:
    """Each mesh of the scene with its world_from_node (4, 4) and the name of its node. Without
    nodes: all meshes."""
    nodes, meshes = document.items("nodes"), document.items("meshes")
    if not nodes:
        yield from ((np.eye(4), as_dict(mesh), "") for mesh in meshes)
        return
    waiting = [(index, np.eye(4)) for index in reversed(_find_roots(document))]
    seen: set[int] = set()
    repeated = 0
    while waiting:
        index, world_from_parent = waiting.pop()
        if index in seen:
            repeated += 1
            continue
        seen.add(index)
        node = as_dict(nodes[index])
        world_from_node = world_from_parent @ _read_transform(node)
        mesh = as_index(node.get("mesh"), len(meshes))
        if mesh is not None:
            yield world_from_node, as_dict(meshes[mesh]), str(node.get("name", ""))
        children = [as_index(child, len(nodes)) for child in as_list(node.get("children"))]
        waiting += [(c, world_from_node) for c in reversed(children) if c is not None]
    if repeated:
        name = quote(document.path.name)
        report("repeated-node", f"nodes of {name} have two parents; the first parent counts")


def _find_roots(document: GltfDocument) -> list[int]:
    """The nodes of the scene; without a scene all that are below no other."""
    nodes, scenes = document.items("nodes"), document.items("scenes")
    if scenes:
        scene = as_dict(scenes[as_index(document.json.get("scene", 0), len(scenes)) or 0])
        roots = [as_index(each, len(nodes)) for each in as_list(scene.get("nodes"))]
        return [each for each in roots if each is not None]
    children = {as_int(child) for node in nodes for child in as_list(as_dict(node).get("children"))}
    return [index for index in range(len(nodes)) if index not in children]


def _read_transform(node: Node) -> Matrix:
    """parent_from_node (4, 4); an invalid transform counts as the identity."""
    numbers = as_numbers(node.get("matrix"), 16)
    if numbers:
        matrix = np.array(numbers).reshape(4, 4).T
        matrix[3] = (0.0, 0.0, 0.0, 1.0)
        return matrix
    matrix = np.eye(4)
    x, y, z, w = as_numbers(node.get("rotation"), 4) or (0.0, 0.0, 0.0, 1.0)
    if 1e-12 < x * x + y * y + z * z + w * w < 1e12:
        matrix[:3, :3] = rotation_from_quaternion((x, y, z, w))
    matrix[:3, :3] *= as_numbers(node.get("scale"), 3) or (1.0, 1.0, 1.0)
    matrix[:3, 3] = as_numbers(node.get("translation"), 3) or (0.0, 0.0, 0.0)
    return matrix


def _read_primitive(document: GltfDocument, primitive: Node, matrix: Matrix) -> _Part | None:
    """None where there are no triangles."""
    attributes = as_dict(primitive.get("attributes"))
    mode = as_int(primitive.get("mode", _TRIANGLES))
    if mode not in (_TRIANGLES, _STRIP, _FAN) or "POSITION" not in attributes:
        return None
    if "KHR_draco_mesh_compression" in as_dict(primitive.get("extensions")):
        document.fail(
            "is compressed by Draco, which cannot be read; export it without compression",
            "compressed-mesh",
        )
    points = _read_rows(document, attributes, "POSITION", (None, 3))
    assert points is not None
    if "indices" in primitive:
        indices = document.accessor(primitive["indices"])
        if indices.dtype.kind != "u" or indices.shape[1] != 1:
            document.fail("has indices that are not whole numbers")
        order = _find_vertices(indices[:, 0], len(points))
    else:
        order = np.arange(len(points), dtype=np.int32)
    corners = _make_triangles(order, mode)
    turn = matrix[:3, :3]
    if np.linalg.det(turn) < 0:
        corners = corners.reshape(-1, 3)[:, ::-1].ravel()
    material = as_index(primitive.get("material"), len(document.items("materials")))
    return _Part(
        vertices=_convert(points, lambda rows: rows @ turn.T + matrix[:3, 3]),
        corners=corners,
        normals=_read_normals(document, attributes, len(points), turn),
        uvs=_read_uvs(document, attributes, len(points), material),
        slot=0 if material is None else material + 1,
    )


def _find_vertices(indices: NDArray[Any], count: int) -> NDArray[np.int32]:
    """The indices, -1 for missing vertices."""
    if not len(indices) or indices.max() < count:
        return indices.astype(np.int32)
    return np.where(indices < count, indices.astype(np.int64), -1).astype(np.int32)


def _make_triangles(order: NDArray[np.int32], mode: int) -> NDArray[np.int32]:
    count = max(len(order) - 2, 0)
    if mode == _TRIANGLES:
        return order[: len(order) // 3 * 3]
    if mode == _FAN:
        first = np.repeat(order[:1], count)
        return np.column_stack([first, order[1:-1][:count], order[2:]]).ravel()
    triangles = np.column_stack([order[:count], order[1 : count + 1], order[2:]])
    triangles[1::2] = triangles[1::2, [1, 0, 2]]
    return triangles.ravel()


def _read_rows(
    document: GltfDocument, attributes: Node, name: str, shape: tuple[int | None, int]
) -> NDArray[Any] | None:
    """As stored, a view of the document's bytes; None where there are none, or not so many."""
    if name not in attributes:
        return None
    rows, (count, width) = document.accessor(attributes[name]), shape
    if rows.shape[1] != width:
        document.fail("has data of another width than its attribute needs")
    return rows if count in (None, len(rows)) else None


def _convert(rows: NDArray[Any], work: Callable[[Matrix], Matrix]) -> NDArray[np.float32]:
    """The result of `work` for all rows, computed in double precision, some at a time."""
    found = np.empty(rows.shape, dtype=np.float32)
    # Signalling NaNs and too large values are found later, by name.
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(rows), PIECE):
            found[start : start + PIECE] = work(rows[start : start + PIECE].astype(np.float64))
    return found


def _read_normals(
    document: GltfDocument, attributes: Node, count: int, turn: Matrix
) -> NDArray[np.float32] | None:
    rows = _read_rows(document, attributes, "NORMAL", (count, 3))
    if rows is None:
        return None
    cofactors = cofactors_of(turn)
    largest = np.abs(cofactors).max()
    sign = -1.0 if np.linalg.det(turn) < 0 else 1.0
    factors = cofactors.T * (sign / largest if largest > 0 else 0.0)
    return _convert(rows, lambda each: each @ factors)


def _read_uvs(
    document: GltfDocument, attributes: Node, count: int, material: int | None
) -> NDArray[np.float32] | None:
    """The coordinates of the set that the material's image uses."""
    name = f"TEXCOORD_{read_uv_set(document, material)}"
    rows = _read_rows(document, attributes, name, (count, 2))
    if rows is None:
        return None
    return _convert(rows, lambda each: np.column_stack([each[:, 0], 1.0 - each[:, 1]]))


def _join(parts: list[_Part]) -> Faces:
    """Normals only where all parts have them, zero uvs where one has none.

    An index that is not there must not become one of the next part's.
    """
    points, corners = [part.vertices for part in parts], [part.corners for part in parts]
    normals = [part.normals for part in parts]
    uvs = [part.uvs for part in parts]
    has_uvs = any(each is not None for each in uvs)
    counts = [len(each) // 3 for each in corners]
    return Faces(
        vertices=points[0] if len(points) == 1 else np.concatenate(points),
        corners=_join_corners(parts),
        sizes=np.broadcast_to(np.int32(3), sum(counts)),
        normals=None if any(each is None for each in normals) else _spread(normals, corners, 3),
        uvs=_spread(uvs, corners, 2) if has_uvs else None,
        slots=_join_slots([part.slot for part in parts], counts),
    )


def _join_corners(parts: list[_Part]) -> NDArray[np.int32]:
    if len(parts) == 1:
        return parts[0].corners
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return np.concatenate(
        [
            np.where(part.corners >= 0, part.corners + np.int32(start), np.int32(-1))
            for part, start in zip(parts, starts[:-1], strict=True)
        ]
    )


def _join_slots(slots: list[int], counts: list[int]) -> NDArray[np.int32]:
    if len(set(slots)) == 1:
        return np.broadcast_to(np.int32(slots[0]), sum(counts))
    return np.repeat(np.array(slots, dtype=np.int32), counts)


def _spread(
    rows: list[NDArray[np.float32] | None], corners: list[NDArray[np.int32]], width: int
) -> NDArray[np.float32]:
    """The rows at all corners, one part after the other; zeros where a part has none."""
    found = np.zeros((sum(map(len, corners)), width), dtype=np.float32)
    start = 0
    for each, indices in zip(rows, corners, strict=True):
        if each is not None and len(each):
            take_rows(each, indices, found[start : start + len(indices)])
        start += len(indices)
    return found


def _weld(faces: Faces) -> Faces:
    """glTF splits vertices wherever normals or uvs differ; corners hold these here."""
    points = faces.vertices.astype(np.float32, copy=False)
    if not np.isfinite(points).all():
        return faces
    faces.vertices, place = weld_points(points)
    is_missing = faces.corners < 0 if faces.corners.min(initial=0) < 0 else None
    take_rows(place, faces.corners, faces.corners)
    if is_missing is not None:
        faces.corners[is_missing] = -1
    return faces
