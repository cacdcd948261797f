# SPDX-License-Identifier: GPL-3.0-or-later
"""Which material a visual has when the description is all there is to go by."""

from .gazebo_material import find_gazebo_color, gazebo_materials
from .link import Link, Visual
from .material import Material, resolve_material
from .robot import Robot


class VisualMaterials:
    """The rule of RViz: what the description says, by definition or in place; else what Gazebo
    shows, by a standard colour's name, in the visual or for the whole link.

    A mesh file that brings materials along keeps them: this is not asked then.
    """

    def __init__(self, robot: Robot) -> None:
        self._definitions = robot.material_definitions()
        self._gazebo = gazebo_materials(robot.extras)

    def find(self, visual: Visual, link: Link) -> Material | None:
        material = resolve_material(visual.material, self._definitions)
        if material is not None:
            return material
        name = visual.material.name if visual.material is not None else ""
        color = find_gazebo_color(name)
        return Material(name=name, color=color) if color else self._gazebo.get(link.name)
