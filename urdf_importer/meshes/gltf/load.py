# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF and GLB.

Coordinates are taken as they are, as RViz does (glTF says that y is up; the meshes of robots do
not mean it). Blender's own importer is not used: it turns them, makes objects, collections and
images that would have to be found and removed, and takes a hundred times as long. Cameras,
lights, skins and animations are left; skinned meshes stand in their bind pose."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...diagnostics import MeshError, Report, quote
from ...files.regular import ResolveBeside
from ...geometry.mesh_data import MeshData, MeshMaterial, weld_points
from ...images.colors import srgb_from_linear
from ...model import Color
from ..faces import Faces, make_mesh, missing_part
from .document import (
    Document,
    Node,
    as_dict,
    as_index,
    as_int,
    as_list,
    as_numbers,
    decode_data_uri,
    load_document,
)

MOST_CORNERS = 100_000_000
"""Of all nodes together: a file of a few bytes can show one mesh a million times."""
_TRIANGLES, _STRIP, _FAN = 4, 5, 6

Matrix = NDArray[np.float64]


def load_gltf(path: Path, report: Report, resolve: ResolveBeside, part: str = "") -> MeshData:
    """Loads all nodes of the scene of a glTF 2 file as one mesh, in its own axes; those alone that,
    or whose meshes, are called `part`, where one is named.

    Reports `invalid-facets`, `repeated-node` (a node that hangs below two others or below itself)
    and what `load_materials` reports. Raises MeshError `empty-mesh`, `compressed-mesh`,
    `unsupported-mesh-format`, `mesh-too-large`, `unreadable-mesh`, those of `read_mesh_file` and,
    for buffers in other files, of `resolve`.
    """
    parts, materials = _read_parts(load_document(path, resolve), report, part)
    faces = _join(parts)
    del parts  # As the document's bytes, they need not fit into memory beside the mesh.
    return make_mesh(_weld(faces), path, report, materials if len(materials) > 1 else ())


def _read_parts(
    document: Document, report: Report, part_name: str
) -> tuple[list[Faces], tuple[MeshMaterial, ...]]:
    """Reads the faces of each primitive, in the scene's frame, and all materials."""
    parts: list[Faces] = []
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


def _walk_nodes(document: Document, report: Report) -> Iterator[tuple[Matrix, Node, str]]:
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
        report("repeated-node", f"nodes of {name} hang below two others; the first place counts")


def _find_roots(document: Document) -> list[int]:
    """The nodes of the scene; without a scene all that hang below no other."""
    nodes, scenes = document.items("nodes"), document.items("scenes")
    if scenes:
        scene = as_dict(scenes[as_index(document.json.get("scene", 0), len(scenes)) or 0])
        roots = [as_index(each, len(nodes)) for each in as_list(scene.get("nodes"))]
        return [each for each in roots if each is not None]
    children = {as_int(child) for node in nodes for child in as_list(as_dict(node).get("children"))}
    return [index for index in range(len(nodes)) if index not in children]


def _read_transform(node: Node) -> Matrix:
    """parent_from_node (4, 4); what is not a transform counts as the identity."""
    numbers = as_numbers(node.get("matrix"), 16)
    if numbers:
        matrix = np.array(numbers).reshape(4, 4).T
        matrix[3] = (0.0, 0.0, 0.0, 1.0)
        return matrix
    matrix = np.eye(4)
    x, y, z, w = as_numbers(node.get("rotation"), 4) or (0.0, 0.0, 0.0, 1.0)
    length = x * x + y * y + z * z + w * w
    if 1e-12 < length < 1e12:
        matrix[:3, :3] -= (2.0 / length) * np.array(
            [
                [y * y + z * z, w * z - x * y, -x * z - w * y],
                [-x * y - w * z, x * x + z * z, w * x - y * z],
                [w * y - x * z, -y * z - w * x, x * x + y * y],
            ]
        )
    matrix[:3, :3] *= as_numbers(node.get("scale"), 3) or (1.0, 1.0, 1.0)
    matrix[:3, 3] = as_numbers(node.get("translation"), 3) or (0.0, 0.0, 0.0)
    return matrix


def _read_primitive(document: Document, primitive: Node, matrix: Matrix) -> Faces | None:
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
    points = _read_rows(document, attributes["POSITION"], 3)
    if "indices" in primitive:
        indices = document.accessor(primitive["indices"])
        if indices.dtype.kind != "u" or indices.shape[1] != 1:
            document.fail("has indices that are no whole numbers")
        order = _find_vertices(indices[:, 0], len(points))
    else:
        order = np.arange(len(points), dtype=np.int32)
    corners = _make_triangles(order, mode)
    turn = matrix[:3, :3]
    if np.linalg.det(turn) < 0:
        corners = corners.reshape(-1, 3)[:, ::-1].ravel()
    material = as_index(primitive.get("material"), len(document.items("materials")))
    with np.errstate(over="ignore", invalid="ignore"):
        placed = points @ turn.T + matrix[:3, 3]
    return Faces(
        vertices=placed,
        corners=corners,
        sizes=np.full(len(corners) // 3, 3, dtype=np.int32),
        normals=_read_normals(document, attributes, corners, len(points), turn),
        uvs=_read_uvs(document, attributes, corners, len(points), material),
        slots=np.full(len(corners) // 3, 0 if material is None else material + 1, dtype=np.int32),
    )


def _find_vertices(indices: NDArray[Any], count: int) -> NDArray[np.int32]:
    """The indices, -1 for those of vertices that are not there."""
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


def _read_rows(document: Document, index: Any, width: int) -> NDArray[np.float64]:
    rows = document.accessor(index)
    if rows.shape[1] != width:
        document.fail("has data of another width than its attribute needs")
    with np.errstate(invalid="ignore"):  # of signalling NaNs; they are found later, by name
        return rows.astype(np.float64)


def _read_normals(
    document: Document,
    attributes: Node,
    corners: NDArray[np.int32],
    count: int,
    turn: Matrix,
) -> NDArray[np.float32] | None:
    if "NORMAL" not in attributes:
        return None
    rows = _read_rows(document, attributes["NORMAL"], 3)
    if len(rows) != count:
        return None
    # The transposed adjugate turns normals like the inverse, also where there is none.
    a, b, c = turn.T
    cofactors = np.array([np.cross(b, c), np.cross(c, a), np.cross(a, b)]).T
    largest = np.abs(cofactors).max()
    sign = -1.0 if np.linalg.det(turn) < 0 else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        turned = rows @ (cofactors.T * (sign / largest if largest > 0 else 0.0))
    return _at_corners(turned, corners)


def _read_uvs(
    document: Document,
    attributes: Node,
    corners: NDArray[np.int32],
    count: int,
    material: int | None,
) -> NDArray[np.float32] | None:
    """Those of the set that the material's image uses, origin at the lower left."""
    name = f"TEXCOORD_{read_uv_set(document, material)}"
    if name not in attributes:
        return None
    rows = _read_rows(document, attributes[name], 2)
    if len(rows) != count:
        return None
    return _at_corners(np.column_stack([rows[:, 0], 1.0 - rows[:, 1]]), corners)


def _at_corners(rows: NDArray[np.float64], corners: NDArray[np.int32]) -> NDArray[np.float32]:
    """Corners that are not there get any row: their faces are left out later."""
    if not len(rows):
        return np.zeros((len(corners), rows.shape[1]), dtype=np.float32)
    with np.errstate(over="ignore"):
        found: NDArray[np.float32] = np.take(rows.astype(np.float32), corners, axis=0, mode="clip")
    return found


def _join(parts: list[Faces]) -> Faces:
    """Normals only where all parts have them, zero uvs where one has none.

    An index that is not there must not become one of the next part's.
    """
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    corners = [
        np.where(part.corners >= 0, part.corners + start, -1)
        for part, start in zip(parts, starts[:-1], strict=True)
    ]
    normals = [part.normals for part in parts if part.normals is not None]
    has_uvs = any(part.uvs is not None for part in parts)
    zeros = np.zeros((0 if not has_uvs else max(len(p.corners) for p in parts), 2), np.float32)
    uvs = [zeros[: len(p.corners)] if p.uvs is None else p.uvs for p in parts]
    return Faces(
        vertices=_concatenate([part.vertices for part in parts]),
        corners=_concatenate(corners),
        sizes=np.concatenate([part.sizes for part in parts]),
        normals=_concatenate(normals) if len(normals) == len(parts) else None,
        uvs=_concatenate(uvs) if has_uvs else None,
        slots=np.concatenate([part.slots for part in parts if part.slots is not None]),
    )


def _concatenate(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """A single array as it is, without a copy."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _weld(faces: Faces) -> Faces:
    """glTF splits vertices wherever normals or uvs differ; corners hold these here."""
    with np.errstate(over="ignore"):
        points = faces.vertices.astype(np.float32)
    if not np.isfinite(points).all():
        return faces
    faces.vertices, place = weld_points(points)
    is_missing = faces.corners < 0
    faces.corners = np.take(place, faces.corners, mode="clip")
    if is_missing.any():
        faces.corners[is_missing] = -1
    return faces


MOST_MATERIALS = 10_000
MOST_IMAGE_BYTES = 64 * 1024**2


def load_materials(document: Document, report: Report) -> tuple[MeshMaterial, ...]:
    """Returns the default material, then those of the file.

    Reports `unreadable-texture` for images within that cannot be taken and the code of `resolve`
    for files; the material keeps its colour.
    """
    written = document.items("materials")[:MOST_MATERIALS]
    default = MeshMaterial(color=(1.0, 1.0, 1.0, 1.0))
    return (default, *(_read_material(document, as_dict(each), report) for each in written))


def read_uv_set(document: Document, material: int | None) -> int:
    materials = document.items("materials")
    if material is None:
        return 0
    return max(as_int(_base_image(as_dict(materials[material])).get("texCoord", 0)), 0)


def _base_image(material: Node) -> Node:
    return as_dict(as_dict(material.get("pbrMetallicRoughness")).get("baseColorTexture"))


def _read_material(document: Document, material: Node, report: Report) -> MeshMaterial:
    surface = as_dict(material.get("pbrMetallicRoughness"))
    factor = as_numbers(surface.get("baseColorFactor"), 4) or (1.0, 1.0, 1.0, 1.0)
    red, green, blue, alpha = (min(max(part, 0.0), 1.0) for part in factor)
    is_opaque = material.get("alphaMode", "OPAQUE") not in ("BLEND", "MASK")
    color: Color = (
        srgb_from_linear(red),
        srgb_from_linear(green),
        srgb_from_linear(blue),
        1.0 if is_opaque else alpha,
    )
    name = material.get("name")
    made = MeshMaterial(name=name if isinstance(name, str) else "", color=color)
    image = _base_image(material)
    if "index" not in image:
        return made
    try:
        return _add_image(document, made, image["index"], has_alpha=not is_opaque)
    except MeshError as error:
        code = error.code if error.code != "unreadable-mesh" else "unreadable-texture"
        report(
            code,
            f"the texture of material {quote(made.name)}: {error.message}; "
            "the material keeps its colour",
        )
        return made


def _add_image(
    document: Document, material: MeshMaterial, texture: Any, *, has_alpha: bool
) -> MeshMaterial:
    source = document.item("textures", texture)
    index = as_index(source.get("source"), len(document.items("images")))
    if index is None:
        webp = as_dict(as_dict(source.get("extensions")).get("EXT_texture_webp"))
        index = as_index(webp.get("source"), len(document.items("images")))
    image = document.item("images", index)
    uri = image.get("uri")
    content = b""
    path = None
    if not isinstance(uri, str):
        content = document.view(image.get("bufferView"))
    elif uri.startswith("data:"):
        content = decode_data_uri(uri) or b""
    else:
        path = document.resolve(uri, "texture")
    if path is None and not 0 < len(content) <= MOST_IMAGE_BYTES:
        document.fail("has an image within that is empty or too large")
    return MeshMaterial(
        name=material.name,
        color=material.color,
        texture=path,
        image=content,
        image_alpha=has_alpha,
    )
