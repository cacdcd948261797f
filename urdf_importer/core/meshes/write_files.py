# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as files of their own, with their materials and images: STL, OBJ, GLB and COLLADA.

Coordinates are written unturned, in metres, as URDF reads them. Single precision is kept to the
last bit.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError
from ..files.regular import read_mesh_file
from ..geometry.mesh_data import MeshData, MeshMaterial
from ..geometry.triangles import Triangles, corner_normals, make_triangles, split_by_material
from ..images import decode_image, encode_png
from ..images.colors import linear_from_srgb
from ..images.size import MOST_BYTES
from .write import format_obj, weld_rows, weld_uvs, write_stl
from .write_collada import CornerArrays, write_collada

MeshFormat = Literal["stl", "obj", "glb", "dae"]
WantedFormat = Literal["auto", "stl", "obj", "glb", "dae"]
_KINDS = {b"\x89PNG\r\n\x1a\n": ".png", b"\xff\xd8\xff": ".jpg"}
_Part = tuple[MeshMaterial | None, Triangles]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshFiles:
    """The files of one mesh: name -> bytes, its own first. `lost` describes the losses of this
    format, empty where nothing is lost."""

    files: Mapping[str, bytes]
    lost: str = ""


@dataclass(slots=True)
class _Images:
    """The images of one mesh, each once, as PNG or JPEG."""

    stem: str
    contents: dict[str, bytes] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    _names: dict[MeshMaterial, str] = field(default_factory=dict)

    def name(self, material: MeshMaterial | None) -> str:
        """Returns the file name of a material's image; nothing where it has no readable one."""
        if material is None or not (material.texture or material.image):
            return ""
        if material not in self._names:
            self._names[material] = self._add(material)
        return self._names[material]

    def _add(self, material: MeshMaterial) -> str:
        try:
            content = material.image
            if material.texture is not None and not content:
                content = read_mesh_file(material.texture, MOST_BYTES)
            kind = next((end for head, end in _KINDS.items() if content.startswith(head)), "")
            if not kind:
                content, kind = _convert_image(content), ".png"
        except MeshError as error:
            self.lost.append(error.message)
            return ""
        for name, other in self.contents.items():
            if other == content:
                return name
        number = len(self.contents) + 1
        name = f"{self.stem}_texture{'' if number == 1 else f'_{number}'}{kind}"
        self.contents[name] = content
        return name


def _convert_image(content: bytes) -> bytes:
    pixels = decode_image(content)
    if pixels is None:
        raise MeshError("an image is neither PNG nor JPEG, and cannot be read")
    return encode_png(pixels)


def write_mesh_files(data: MeshData, stem: str, format: MeshFormat) -> MeshFiles:
    """Writes a mesh as files of this format, named after `stem`. Images that are neither PNG nor
    JPEG become PNG; an unreadable one is lost, and the colour replaces it."""
    images = _Images(stem)
    written = _WRITERS[format](data, stem, images)
    lost = "; ".join(images.lost)
    if format == "stl":
        lost = _find_lost_look(data)
    return MeshFiles(files=written, lost=lost)


def choose_format(data: MeshData, wanted: WantedFormat, *, plain: bool = False) -> MeshFormat:
    """Chooses the format of one mesh: "auto" is STL, and COLLADA for a mesh of several colours or
    with an image. With `plain` a single colour is in the mesh alone, and is kept as well."""
    if wanted != "auto":
        return wanted
    return "dae" if _find_lost_look(data) or (plain and data.materials) else "stl"


def _write_stl(data: MeshData, stem: str, images: _Images) -> dict[str, bytes]:
    return {f"{stem}.stl": write_stl(make_triangles(data)[0])}


def _find_lost_look(data: MeshData) -> str:
    looks = [material for material, _ in split_by_material(data) if material is not None]
    if any(look.texture or look.image for look in looks):
        return "STL holds no images"
    return "STL holds no colours" if len(looks) > 1 else ""


def _name_materials(parts: list[_Part]) -> list[str]:
    """Returns a name for each part's material, different ones; nothing where it has none."""
    names: list[str] = []
    for material, _ in parts:
        stem = "" if material is None else "_".join(material.name.split()) or "material"
        name, number = stem, 1
        while name and name in names:
            number += 1
            name = f"{stem}_{number}"
        names.append(name)
    return names


# Wavefront OBJ


def _write_obj(data: MeshData, stem: str, images: _Images) -> dict[str, bytes]:
    parts = list(split_by_material(data))
    names = _name_materials(parts)
    lines = [f"mtllib {stem}.mtl\n"] if any(names) else []
    counts = (0, 0, 0)
    for (_, triangles), name in zip(parts, names, strict=True):
        if name:
            lines.append(f"usemtl {name}\n")
        text, counts = format_obj(triangles, counts)
        lines.append(text)
    materials = "".join(
        _format_material(material, name, images)
        for (material, _), name in zip(parts, names, strict=True)
        if material is not None
    )
    files = {f"{stem}.obj": "".join(lines).encode()}
    if any(names):
        files[f"{stem}.mtl"] = materials.encode()
    return files | images.contents


def _format_material(material: MeshMaterial, name: str, images: _Images) -> str:
    red, green, blue, alpha = material.color
    image = images.name(material)
    if image:
        red = green = blue = 1.0
    lines = [f"newmtl {name}\n", f"Kd {red:.9g} {green:.9g} {blue:.9g}\n"]
    if alpha != 1.0:
        lines.append(f"d {alpha:.9g}\n")
    if image:
        lines.append(f"map_Kd {image}\n")
        if material.image_alpha:
            lines.append(f"map_d {image}\n")
    return "".join(lines)


# glTF, in one binary file


@dataclass(slots=True)
class _Binary:
    """The buffer of a .glb, and the index of its contents."""

    content: bytearray = field(default_factory=bytearray)
    views: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)

    def add_bytes(self, content: bytes) -> int:
        self.content += b"\0" * (-len(self.content) % 4)
        offset = len(self.content)
        self.views.append({"buffer": 0, "byteOffset": offset, "byteLength": len(content)})
        self.content += content
        return len(self.views) - 1

    def add_rows(self, rows: NDArray[Any], kind: str, **more: Any) -> int:
        number = 5125 if rows.dtype == np.uint32 else 5126
        view = self.add_bytes(np.ascontiguousarray(rows).tobytes())
        self.accessors.append(
            {"bufferView": view, "componentType": number, "count": len(rows), "type": kind} | more
        )
        return len(self.accessors) - 1


def _write_glb(data: MeshData, stem: str, images: _Images) -> dict[str, bytes]:
    parts, binary = list(split_by_material(data)), _Binary()
    primitives: list[dict[str, Any]] = []
    materials: list[dict[str, Any]] = []
    for (material, triangles), name in zip(parts, _name_materials(parts), strict=True):
        primitive = _add_primitive(binary, triangles)
        if material is not None:
            primitive["material"] = len(materials)
            materials.append(_describe_material(material, name, images))
        primitives.append(primitive)
    document: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": stem, "mesh": 0}],
        "meshes": [{"name": stem, "primitives": primitives}],
        "materials": materials,
        "images": [
            {
                "bufferView": binary.add_bytes(content),
                "mimeType": "image/png" if name.endswith(".png") else "image/jpeg",
            }
            for name, content in images.contents.items()
        ],
        "textures": [{"source": index} for index in range(len(images.contents))],
        "accessors": binary.accessors,
        "bufferViews": binary.views,
        "buffers": [{"byteLength": len(binary.content)}],
    }
    return {f"{stem}.glb": _pack_glb({k: v for k, v in document.items() if v}, binary.content)}


def _add_primitive(binary: _Binary, triangles: Triangles) -> dict[str, Any]:
    points = triangles.vertices[triangles.corners]
    normals = corner_normals(triangles)
    columns = [points, normals]
    if triangles.uvs is not None:
        columns.append(triangles.uvs)
    rows, index = np.unique(np.hstack(columns), axis=0, return_inverse=True)
    found = rows[:, :3]
    low, high = found.min(axis=0).tolist(), found.max(axis=0).tolist()
    attributes = {
        "POSITION": binary.add_rows(found, "VEC3", min=low, max=high),
        "NORMAL": binary.add_rows(rows[:, 3:6], "VEC3"),
    }
    if triangles.uvs is not None:
        uvs = np.column_stack([rows[:, 6], np.float32(1.0) - rows[:, 7]]).astype(np.float32)
        attributes["TEXCOORD_0"] = binary.add_rows(uvs, "VEC2")
    indices = binary.add_rows(index.ravel().astype(np.uint32), "SCALAR")
    return {"attributes": attributes, "indices": indices}


def _describe_material(material: MeshMaterial, name: str, images: _Images) -> dict[str, Any]:
    image = images.name(material)
    linear = [1.0] * 3 if image else [linear_from_srgb(part) for part in material.color[:3]]
    surface: dict[str, Any] = {
        "baseColorFactor": [*linear, material.color[3]],
        "metallicFactor": 0.0,
        "roughnessFactor": 0.5,
    }
    if image:
        surface["baseColorTexture"] = {"index": list(images.contents).index(image)}
    see_through = material.color[3] < 1.0 or (bool(image) and material.image_alpha)
    described = {"name": name, "pbrMetallicRoughness": surface}
    return described | ({"alphaMode": "BLEND"} if see_through else {})


def _pack_glb(document: Mapping[str, Any], content: bytearray) -> bytes:
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    content += b"\0" * (-len(content) % 4)
    chunks = [(b"JSON", text), (b"BIN\0", bytes(content))]
    body = b"".join(len(data).to_bytes(4, "little") + kind + data for kind, data in chunks)
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body


# COLLADA


def _write_dae(data: MeshData, stem: str, images: _Images) -> dict[str, bytes]:
    parts = list(split_by_material(data))
    arrays = [
        CornerArrays(
            material=None if material is None else replace(material, name=name),
            image=images.name(material),
            points=weld_rows(triangles.vertices[triangles.corners]),
            normals=weld_rows(corner_normals(triangles)),
            uvs=None if triangles.uvs is None else weld_uvs(triangles.uvs),
        )
        for (material, triangles), name in zip(parts, _name_materials(parts), strict=True)
    ]
    return {f"{stem}.dae": write_collada(stem, arrays)} | images.contents


_WRITERS: dict[str, Callable[[MeshData, str, _Images], dict[str, bytes]]] = {
    "stl": _write_stl,
    "obj": _write_obj,
    "glb": _write_glb,
    "dae": _write_dae,
}
