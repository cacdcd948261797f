# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that a robot names, by other names."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import TypeVar

from . import Collision, Link, Material, Mesh, Robot, Visual

_Shape = TypeVar("_Shape", Visual, Collision)


def is_relative(name: str) -> bool:
    """Whether a file is named by its place beside the description."""
    text = name.strip()
    if "://" in text or text.startswith(("$(", "file:")):
        return False
    return bool(text) and not (PurePosixPath(text).is_absolute() or PureWindowsPath(text).drive)


def list_meshes(robot: Robot) -> list[str]:
    """Lists the names of the mesh files of a robot, in its order."""
    shapes = (shape.geometry for link in robot.links for shape in link.shapes)
    return [each.filename for each in shapes if isinstance(each, Mesh)]


def name_files(
    robot: Robot,
    name_mesh: Callable[[Mesh, str, int, str], str],
    name_texture: Callable[[str], str],
    *,
    maps: bool = False,
) -> Robot:
    """Returns the robot with other names of files. `name_mesh` is given the mesh, its link, its
    line and whether it is one of the `visual` or `collision` ones. With `maps` the images of
    surfaces are textures, too."""

    def rename_material(material: Material) -> Material:
        if maps and material.surface is not None and material.surface.maps:
            names = {tag: name_texture(name) for tag, name in material.surface.maps.items()}
            # Written one by one: mypy does not follow names of fields.
            surface = replace(material.surface, **names)  # type: ignore[arg-type]
            material = replace(material, surface=surface)
        if material.texture is None:
            return material
        return replace(material, texture=name_texture(material.texture))

    def rename_shape(shape: _Shape, link: Link, part: str) -> _Shape:
        geometry = shape.geometry
        if isinstance(geometry, Mesh):
            name = name_mesh(geometry, link.name, shape.line, part)
            shape = replace(shape, geometry=replace(geometry, filename=name))
        return shape

    def rename_visual(visual: Visual, link: Link) -> Visual:
        visual = rename_shape(visual, link, "visual")
        if visual.material is None:
            return visual
        return replace(visual, material=rename_material(visual.material))

    links = tuple(
        replace(
            link,
            visuals=tuple(rename_visual(shape, link) for shape in link.visuals),
            collisions=tuple(rename_shape(shape, link, "collision") for shape in link.collisions),
        )
        for link in robot.links
    )
    return replace(robot, links=links, materials=tuple(map(rename_material, robot.materials)))
