# SPDX-License-Identifier: GPL-3.0-or-later
"""Visuals, collisions and materials as SDF writes them.

Colours are written as they are. (Gazebo's own converter divides them by 0.8 and 0.4, so that they
wander with each trip.)
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ....core.markup.write import XmlWriter, format_number, format_numbers
from ....core.meshes.heightmaps import is_heightmap
from ....core.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Extra,
    Extrusion,
    Geometry,
    Link,
    Material,
    Mesh,
    Pose,
    Sphere,
    Surface,
    Visual,
    VisualMaterials,
)
from ...urdf.write.loops import write_pose
from .extras import GazeboData, Said, nest

HasMaterials = Callable[[Mesh], bool]
"""Whether a mesh file brings materials of its own."""
_UNSCALED = (1.0, 1.0, 1.0)
_OF_VISUALS = ("cast_shadows", "laser_retro", "meta", "plugin", "visibility_flags")
_OF_COLLISIONS = ("density", "laser_retro", "max_contacts", "surface")
_OF_MATERIALS = ("script", "shader", "lighting", "specular", "double_sided", "render_order")
_SCRIPTS = "file://media/materials/scripts/gazebo.material"
"""Where Gazebo has its own materials."""
_MAPS = {
    "normal_map": "normal_map",
    "roughness_map": "roughness_map",
    "metalness_map": "metalness_map",
    "emission_map": "emissive_map",
}


@dataclass(frozen=True, slots=True, eq=False)
class ShapeText:
    """Writes the shapes of links."""

    _materials: VisualMaterials
    _data: GazeboData
    _has_materials: HasMaterials

    def write_visual(
        self, name: str, visual: Visual, link: Link, placed: tuple[str, Pose], xml: XmlWriter
    ) -> None:
        """Writes a visual; `placed` are its base and its pose there."""
        said = self._data.about(link.name)
        more = said.shapes.get("visual", [])
        with xml.element("visual", {"name": name}):
            write_pose(placed[1], placed[0], xml)
            _write_geometry(visual.geometry, xml)
            if all(tag != "material" for tag, _ in more):
                self._write_look(visual, link, said, xml)
            _write_kept(visual, _OF_VISUALS, xml)
            xml.verbatim(*(text for _, text in more))

    def write_collision(
        self, name: str, shape: Collision, link: Link, placed: tuple[str, Pose], xml: XmlWriter
    ) -> None:
        """Writes a collision; `placed` are its base and its pose there."""
        said = self._data.about(link.name)
        kept = {extra.tag for extra in shape.extras}
        with xml.element("collision", {"name": name}):
            write_pose(placed[1], placed[0], xml)
            _write_geometry(shape.geometry, xml)
            for tag, text in said.collision.items():
                if tag not in kept:
                    xml.leaf(tag, text=text)
            _write_kept(shape, _OF_COLLISIONS, xml)
            more = said.shapes.get("collision", [])
            if "surface" not in kept and all(tag != "surface" for tag, _ in more):
                self._write_surface(said, link, xml)
            xml.verbatim(*(text for _, text in more))

    def _write_surface(self, said: Said, link: Link, xml: XmlWriter) -> None:
        """Writes the surface that counts for all collisions of a link, but for ones that have their
        own: a reader of SDF keeps these a second time with the link."""
        own = (extra.tag == "surface" for shape in link.collisions for extra in shape.extras)
        if said.surface:
            xml.verbatim(f"<surface>{nest(said.surface)}</surface>")
        elif len(said.surfaces) == 1 and not any(own):
            xml.verbatim(said.surfaces[0])

    def _write_look(self, visual: Visual, link: Link, said: Said, xml: XmlWriter) -> None:
        geometry = visual.geometry
        if isinstance(geometry, Mesh) and self._has_materials(geometry):
            return
        material = self._materials.find(visual, link)
        if material is None and not said.material:
            return
        with xml.element("material"):
            if material is None:
                with xml.element("script"):
                    xml.leaf("uri", text=_SCRIPTS)
                    xml.leaf("name", text=said.material)
            else:
                _write_material(material, xml)


def _write_kept(shape: Visual | Collision, tags: Iterable[str], xml: XmlWriter) -> None:
    xml.verbatim(*(extra.xml for extra in shape.extras if extra.tag in tags))


# Materials


def _write_material(material: Material, xml: XmlWriter) -> None:
    kept = {extra.tag for extra in material.extras}
    if material.color is not None:
        color = format_numbers(material.color)
        if "ambient" not in kept:
            xml.leaf("ambient", text=color)
        xml.leaf("diffuse", text=color)
    for extra in material.extras:
        if extra.tag in ("ambient", "emissive", *_OF_MATERIALS):
            xml.verbatim(_complete(extra))
    surface = material.surface or Surface()
    if surface.emission is not None and "emissive" not in kept:
        xml.leaf("emissive", text=format_numbers((*surface.emission, 1.0)))
    pbr = _describe_pbr(material, surface)
    if pbr:
        with xml.element("pbr"), xml.element("metal"):
            for tag, text in pbr.items():
                xml.leaf(tag, text=text)


def _complete(extra: Extra) -> str:
    """Returns an element; a script with Gazebo's own place where it names none, which libsdformat
    refuses."""
    if extra.tag == "script" and "<uri" not in extra.xml:
        return extra.xml.replace(">", f"><uri>{_SCRIPTS}</uri>", 1)
    return extra.xml


def _describe_pbr(material: Material, surface: Surface) -> Mapping[str, str]:
    found = {"albedo_map": material.texture} if material.texture else {}
    found |= {_MAPS[name]: file for name, file in surface.maps.items()}
    numbers = {"metalness": surface.metalness, "roughness": surface.roughness}
    given = {tag: number for tag, number in numbers.items() if number is not None}
    if material.texture and material.surface is None:
        # As matt as Blender and RViz show it; SDF's own default is half a metal.
        given = {"metalness": 0.0, "roughness": 1.0}
    return found | {tag: format_number(number) for tag, number in given.items()}


# Geometry


def _write_geometry(geometry: Geometry, xml: XmlWriter) -> None:
    with xml.element("geometry"):
        if isinstance(geometry, Mesh):
            _write_mesh(geometry, xml)
        elif isinstance(geometry, Extrusion):
            for outline in geometry.outlines:
                with xml.element("polyline"):
                    points = outline.points
                    for pair in zip(points[::2], points[1::2], strict=True):
                        xml.leaf("point", text=format_numbers(pair))
                    xml.leaf("height", text=format_number(geometry.height))
        else:
            tag, names = _SIMPLE[type(geometry)]
            with xml.element(tag):
                for name in names:
                    size = getattr(geometry, name)
                    text = format_number(size) if isinstance(size, float) else format_numbers(size)
                    xml.leaf(name, text=text)


_SIMPLE: dict[type[Any], tuple[str, tuple[str, ...]]] = {
    Box: ("box", ("size",)),
    Sphere: ("sphere", ("radius",)),
    Ellipsoid: ("ellipsoid", ("radii",)),
    Cylinder: ("cylinder", ("radius", "length")),
    Capsule: ("capsule", ("radius", "length")),
    Cone: ("cone", ("radius", "length")),
}


def _write_mesh(mesh: Mesh, xml: XmlWriter) -> None:
    if is_heightmap(mesh):
        with xml.element("heightmap"):
            xml.leaf("uri", text=mesh.filename)
            xml.leaf("size", text=format_numbers(mesh.scale))
        return
    with xml.element("mesh"):
        xml.leaf("uri", text=mesh.filename)
        if mesh.scale != _UNSCALED:
            xml.leaf("scale", text=format_numbers(mesh.scale))
        if mesh.part is not None:
            with xml.element("submesh"):
                xml.leaf("name", text=mesh.part.name)
                if mesh.part.centered:
                    xml.leaf("center", text="true")
