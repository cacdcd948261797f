# SPDX-License-Identifier: GPL-3.0-or-later
"""Visuals and collisions of links, as prims.

Simple shapes stay simple. The arrays of a mesh are written once, as a class, and referred to
wherever it is used.
"""

from pathlib import Path
from typing import Any

import numpy as np

from ....core.geometry.mesh_data import MeshData, MeshMaterial
from ....core.geometry.transforms import matrix_from_pose
from ....core.geometry.triangles import Triangles, corner_normals, flat_normals, make_triangles
from ....core.images.colors import linear_from_srgb
from ....core.model import (
    Box,
    Capsule,
    Collision,
    Color,
    Cone,
    Cylinder,
    Link,
    Mesh,
    Sphere,
    Surface,
    Visual,
)
from ....core.names import Claims
from ....core.writers.formats import OpenExport
from ....core.writers.looks import Looks
from ....core.writers.textures import Textures
from .options import EngineOptions
from .text import (
    Prim,
    add_place,
    clean_identifier,
    integers_of,
    path_to,
    quote_text,
    rows_of,
    write_tuple,
)

LOOKS, MESHES = "Looks", "Meshes"
APPROXIMATIONS = {"hull": "convexHull", "decomposition": "convexDecomposition", "mesh": "none"}
"""Option -> how simulators take collision meshes."""


class ShapeWriter:
    """Makes the prims of one robot. `root` is the name of its prim, `textures` finds images (None:
    colours only)."""

    def __init__(
        self, found: OpenExport[EngineOptions], root: str, textures: Textures | None
    ) -> None:
        self._root, self._files, self._textures = root, found.files, textures
        self._approximation = APPROXIMATIONS[found.options.approximation]
        self._found = Looks(found.robot, found.files, found.diagnostics)
        self.looks, self.meshes = Prim("Scope", LOOKS), Prim("Scope", MESHES, is_class=True)
        self._guides = not found.files.note_collisions(found.robot)
        self._names, self._mesh_names = Claims(), Claims()
        self._paths: dict[Any, str] = {}
        self._kept: dict[MeshData, tuple[Any, str]] = {}

    def add_visuals(self, prim: Prim, link: Link) -> None:
        """Adds the visuals of a link below its prim."""
        made = [self._draw(visual, link) for visual in link.visuals]
        _add_scope(prim, "visuals", [each for each in made if each is not None])

    def add_collisions(self, prim: Prim, link: Link, friction: float | None) -> None:
        """Adds the collisions of a link; viewers hide them by default, as guides."""
        made = [self._collide(each, link, friction) for each in link.collisions]
        _add_scope(prim, "collisions", [each for each in made if each is not None])

    def _draw(self, visual: Visual, link: Link) -> Prim | None:
        data = self._files.load_or_report(visual, link)
        if data is None:
            return None
        prim = self._make_shape(visual, data)
        if data.materials:
            self._bind_parts(prim, data, visual, link)
        else:
            look = self._found.find(visual, link)
            if look is not None:
                self._bind(prim, look, visual, link)
        return prim

    def _collide(self, shape: Collision, link: Link, friction: float | None) -> Prim | None:
        data = self._files.load_or_report(shape, link)
        if data is None:
            return None
        prim = self._make_shape(shape, data)
        if self._guides:
            prim.add("uniform token purpose", quote_text("guide"))
        prim.schemas.append("PhysicsCollisionAPI")
        if isinstance(shape.geometry, Mesh):
            prim.schemas.append("PhysicsMeshCollisionAPI")
            prim.add("uniform token physics:approximation", quote_text(self._approximation))
        if friction is not None:
            prim.schemas.append("MaterialBindingAPI")
            prim.add("rel material:binding:physics", self._rub(friction))
        return prim

    def _make_shape(self, shape: Visual | Collision, data: MeshData) -> Prim:
        place, geometry = matrix_from_pose(shape.origin), shape.geometry
        name = clean_identifier(shape.name or type(geometry).__name__.lower())
        match geometry:
            case Box(size=size):
                prim = Prim("Cube", name)
                prim.add("double size", 1)
                _add_extent(prim, (0.5, 0.5, 0.5))
                add_place(prim, place, size)
                return prim
            case Sphere(radius=radius):
                prim = Prim("Sphere", name)
                _add_extent(prim, (radius, radius, radius))
            case Cylinder(radius=radius) | Capsule(radius=radius) | Cone(radius=radius):
                prim = Prim(type(geometry).__name__, name)
                prim.add("double height", repr(float(geometry.length)))
                prim.add("uniform token axis", quote_text("Z"))
                ball = radius if isinstance(geometry, Capsule) else 0.0
                _add_extent(prim, (radius, radius, 0.5 * geometry.length + ball))
            case Mesh():
                prim = Prim("Mesh", name if shape.name else _stem(geometry, data))
                prim.metadata.append(f"prepend references = {self._keep(data, geometry)}")
                add_place(prim, place)
                return prim
        prim.add("double radius", repr(float(radius)))
        add_place(prim, place)
        return prim

    def _keep(self, data: MeshData, geometry: Mesh) -> str:
        """Returns the path of the class that holds a mesh."""
        if data not in self._kept:
            triangles, slots = make_triangles(data)
            name = self._mesh_names.claim(_stem(geometry, data))
            self.meshes.children.append(_make_mesh(name, triangles))
            self._kept[data] = slots, path_to(self._root, MESHES, name)
        return self._kept[data][1]

    def _bind_parts(self, prim: Prim, data: MeshData, visual: Visual, link: Link) -> None:
        """Binds the materials that a mesh brings along, each to its faces."""
        slots = self._kept[data][0] if data in self._kept else None
        used = [0] if slots is None else np.unique(slots).tolist()
        if len(used) == 1:
            self._bind(prim, data.materials[used[0]], visual, link)
            return
        prim.schemas.append("MaterialBindingAPI")
        prim.add("uniform token subsetFamily:materialBind:familyType", quote_text("partition"))
        claims = Claims()
        for slot in used:
            look = data.materials[slot]
            subset = Prim("GeomSubset", claims.claim(clean_identifier(look.name or "part")))
            subset.add("uniform token elementType", quote_text("face"))
            subset.add("uniform token familyName", quote_text("materialBind"))
            subset.add_array("int[] indices", integers_of(np.flatnonzero(slots == slot)))
            self._bind(subset, look, visual, link)
            prim.children.append(subset)

    def _bind(self, prim: Prim, look: MeshMaterial, visual: Visual, link: Link) -> None:
        url = self._textures.find(look, link.name, visual.line) if self._textures else None
        surface = look.surface or Surface()
        gloss = (surface.roughness, surface.metalness, surface.emission)
        key = (look.color, url, gloss)
        if key not in self._paths:
            name = self._names.claim(clean_identifier(look.name or "material"))
            self.looks.children.append(_make_look(name, self._root, look.color, url, surface))
            self._paths[key] = path_to(self._root, LOOKS, name)
        prim.schemas.append("MaterialBindingAPI")
        prim.add("rel material:binding", self._paths[key])
        if prim.kind != "GeomSubset":
            color = write_tuple(map(linear_from_srgb, look.color[:3]), 7)
            prim.add("color3f[] primvars:displayColor", f"[{color}]")

    def _rub(self, friction: float) -> str:
        """Returns the path of the material of a friction."""
        key = ("friction", friction)
        if key not in self._paths:
            name = self._names.claim(clean_identifier(f"friction_{friction:g}"))
            material = Prim("Material", name)
            material.schemas.append("PhysicsMaterialAPI")
            for kind in ("static", "dynamic"):
                material.add(f"float physics:{kind}Friction", friction)
            self.looks.children.append(material)
            self._paths[key] = path_to(self._root, LOOKS, name)
        return self._paths[key]


def _add_scope(prim: Prim, name: str, children: list[Prim]) -> None:
    if children:
        scope, claims = Prim("Scope", name), Claims()
        for each in children:
            each.name = claims.claim(each.name)
        scope.children = children
        prim.children.append(scope)


def _stem(geometry: Mesh, data: MeshData) -> str:
    return clean_identifier(Path(geometry.filename.replace("\\", "/")).stem or data.name or "mesh")


def _add_extent(prim: Prim, half: tuple[float, float, float]) -> None:
    low, high = write_tuple(-value for value in half), write_tuple(half)
    prim.add("float3[] extent", f"[{low}, {high}]")


def _make_mesh(name: str, triangles: Triangles) -> Prim:
    prim = Prim("Mesh", name)
    vertices = triangles.vertices
    ends = [write_tuple(vertices.min(axis=0)), write_tuple(vertices.max(axis=0))]
    prim.add("float3[] extent", f"[{', '.join(ends)}]")
    prim.add("uniform token subdivisionScheme", quote_text("none"))
    prim.add_array("point3f[] points", rows_of(vertices))
    prim.add_array("int[] faceVertexCounts", ["3, " * triangles.count])
    prim.add_array("int[] faceVertexIndices", integers_of(triangles.corners))
    is_flat = triangles.normals is None and not triangles.smooth
    normals = flat_normals(triangles) if is_flat else corner_normals(triangles)
    note = f" (interpolation = {quote_text('uniform' if is_flat else 'faceVarying')})"
    prim.add_array("normal3f[] normals", rows_of(normals), note)
    if triangles.uvs is not None:
        note = ' (interpolation = "faceVarying")'
        prim.add_array("texCoord2f[] primvars:st", rows_of(triangles.uvs), note)
    return prim


def _make_look(name: str, root: str, color: Color, url: str | None, gloss: Surface) -> Prim:
    """Makes a material, matt by default. An image takes the place of the colour."""
    material, home = Prim("Material", name), f"{root}/{LOOKS}/{name}"
    material.add("token outputs:surface.connect", f"</{home}/surface.outputs:surface>")
    surface = Prim("Shader", "surface")
    surface.add("uniform token info:id", quote_text("UsdPreviewSurface"))
    if url is None:
        linear = write_tuple(map(linear_from_srgb, color[:3]), 7)
        surface.add("color3f inputs:diffuseColor", linear)
    else:
        surface.add("color3f inputs:diffuseColor.connect", f"</{home}/image.outputs:rgb>")
        material.children += _make_image(home, url)
    surface.add("float inputs:opacity", color[3])
    surface.add("float inputs:roughness", 0.6 if gloss.roughness is None else gloss.roughness)
    surface.add("float inputs:metallic", gloss.metalness or 0.0)
    if gloss.emission is not None:
        linear = write_tuple(map(linear_from_srgb, gloss.emission), 7)
        surface.add("color3f inputs:emissiveColor", linear)
    surface.declare("token outputs:surface")
    material.children.append(surface)
    return material


def _make_image(home: str, url: str) -> list[Prim]:
    reader = Prim("Shader", "place")
    reader.add("uniform token info:id", quote_text("UsdPrimvarReader_float2"))
    reader.add("string inputs:varname", quote_text("st"))
    reader.declare("float2 outputs:result")
    image = Prim("Shader", "image")
    image.add("uniform token info:id", quote_text("UsdUVTexture"))
    image.add("asset inputs:file", f"@./{url}@")
    image.add("token inputs:sourceColorSpace", quote_text("sRGB"))
    image.add("float2 inputs:st.connect", f"</{home}/place.outputs:result>")
    for side in ("wrapS", "wrapT"):
        image.add(f"token inputs:{side}", quote_text("repeat"))
    image.declare("float3 outputs:rgb")
    return [reader, image]
