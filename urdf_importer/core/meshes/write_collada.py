# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes COLLADA 1.4.1, which RViz and Gazebo read with colours and images.

Each material is a geometry of its own: readers that know one material a mesh see all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote as quote_uri
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from ..geometry.mesh_data import MeshMaterial
from .write import plain_numbers

Welded = tuple[NDArray[np.float32], NDArray[np.int32]]
"""Rows (k, n), and the row of each corner (3 T,)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CornerArrays:
    """The triangles of one material. `image` is a file beside the mesh, empty where there is
    none."""

    material: MeshMaterial | None
    image: str
    points: Welded
    normals: Welded
    uvs: Welded | None


def write_collada(stem: str, parts: Sequence[CornerArrays]) -> bytes:
    """Writes the parts as one scene: metres, z up, so that no reader turns or scales it."""
    images = list(dict.fromkeys(part.image for part in parts if part.image))
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">',
        "<asset><created>2000-01-01T00:00:00Z</created><modified>2000-01-01T00:00:00Z</modified>"
        '<unit name="meter" meter="1"/><up_axis>Z_UP</up_axis></asset>',
    ]
    lines += _library("images", [_image(index, name) for index, name in enumerate(images)])
    looks = [(index, part) for index, part in enumerate(parts) if part.material is not None]
    lines += _library("effects", [_effect(index, part, images) for index, part in looks])
    lines += _library("materials", [_material(index, part) for index, part in looks])
    lines += _library("geometries", [_geometry(index, part) for index, part in enumerate(parts)])
    nodes = "".join(_instance(index, part) for index, part in enumerate(parts))
    lines += [
        f'<library_visual_scenes><visual_scene id="scene"><node id="node" name={quoteattr(stem)}>'
        f"{nodes}</node></visual_scene></library_visual_scenes>",
        '<scene><instance_visual_scene url="#scene"/></scene>',
        "</COLLADA>\n",
    ]
    return "\n".join(lines).encode()


def _library(name: str, items: list[str]) -> list[str]:
    return [f"<library_{name}>", *items, f"</library_{name}>"] if items else []


def _image(index: int, name: str) -> str:
    uri = escape(quote_uri(name))
    return f'<image id="image{index}"><init_from>{uri}</init_from></image>'


def _effect(index: int, part: CornerArrays, images: list[str]) -> str:
    material = part.material
    assert material is not None
    red, green, blue, alpha = material.color
    diffuse = f"<color>{red:.9g} {green:.9g} {blue:.9g} {alpha:.9g}</color>"
    params = ""
    if part.image:
        number = images.index(part.image)
        params = (
            f'<newparam sid="surface"><surface type="2D"><init_from>image{number}</init_from>'
            '</surface></newparam><newparam sid="sampler"><sampler2D><source>surface</source>'
            "</sampler2D></newparam>"
        )
        diffuse = '<texture texture="sampler" texcoord="UVMap"/>'
    transparent = ""
    if part.image and material.image_alpha:
        transparent = '<transparent opaque="A_ONE"><texture texture="sampler" texcoord="UVMap"/>'
        transparent += f"</transparent><transparency><float>{alpha:.9g}</float></transparency>"
    elif alpha != 1.0:
        transparent = f'<transparent opaque="A_ONE"><color>1 1 1 {alpha:.9g}</color></transparent>'
        transparent += "<transparency><float>1</float></transparency>"
    return (
        f'<effect id="effect{index}"><profile_COMMON>{params}<technique sid="common"><lambert>'
        f"<diffuse>{diffuse}</diffuse>{transparent}</lambert></technique></profile_COMMON></effect>"
    )


def _material(index: int, part: CornerArrays) -> str:
    assert part.material is not None
    name = quoteattr(part.material.name)
    effect = f'<instance_effect url="#effect{index}"/>'
    return f'<material id="material{index}" name={name}>{effect}</material>'


def _geometry(index: int, part: CornerArrays) -> str:
    own = f"mesh{index}"
    named = (("points", part.points), ("normals", part.normals))
    sources = [_source(f"{own}-{name}", welded[0], "XYZ") for name, welded in named]
    inputs = [
        f'<input semantic="VERTEX" source="#{own}-vertices" offset="0"/>',
        f'<input semantic="NORMAL" source="#{own}-normals" offset="1"/>',
    ]
    columns = [part.points[1], part.normals[1]]
    if part.uvs is not None:
        sources.append(_source(f"{own}-uvs", part.uvs[0], "ST"))
        inputs.append(f'<input semantic="TEXCOORD" source="#{own}-uvs" offset="2" set="0"/>')
        columns.append(part.uvs[1])
    numbers = " ".join(map(str, np.stack(columns, axis=1).ravel().tolist()))
    symbol = "" if part.material is None else ' material="look"'
    vertices = f'<vertices id="{own}-vertices"><input semantic="POSITION" source="#{own}-points"/>'
    return (
        f'<geometry id="{own}"><mesh>{"".join(sources)}{vertices}</vertices>'
        f'<triangles count="{len(columns[0]) // 3}"{symbol}>{"".join(inputs)}<p>{numbers}</p>'
        "</triangles></mesh></geometry>"
    )


def _source(name: str, rows: NDArray[np.float32], letters: str) -> str:
    count, width = rows.shape
    pattern = " ".join(["%.9g"] * (count * width))
    params = "".join(f'<param name="{letter}" type="float"/>' for letter in letters)
    return (
        f'<source id="{name}"><float_array id="{name}-array" count="{count * width}">'
        f"{pattern % plain_numbers(rows)}</float_array><technique_common>"
        f'<accessor source="#{name}-array" count="{count}" stride="{width}">{params}</accessor>'
        "</technique_common></source>"
    )


def _instance(index: int, part: CornerArrays) -> str:
    if part.material is None:
        return f'<instance_geometry url="#mesh{index}"/>'
    bind = '<bind_vertex_input semantic="UVMap" input_semantic="TEXCOORD" input_set="0"/>'
    uses = bind if part.uvs is not None else ""
    return (
        f'<instance_geometry url="#mesh{index}"><bind_material><technique_common>'
        f'<instance_material symbol="look" target="#material{index}">{uses}</instance_material>'
        "</technique_common></bind_material></instance_geometry>"
    )
