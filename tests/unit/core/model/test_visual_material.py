# SPDX-License-Identifier: GPL-3.0-or-later
"""Which material a visual has: the description's, else Gazebo's."""

import pytest

from urdf_importer.core.model import (
    Color,
    Link,
    Material,
    Robot,
    SimulationSettings,
    Sphere,
    Visual,
    VisualMaterials,
)
from urdf_importer.core.model.visual_material import find_gazebo_color

RED: Color = (1.0, 0.0, 0.0, 1.0)
GREEN: Color = (0.0, 1.0, 0.0, 1.0)
BLUE = SimulationSettings(
    reference="arm", material=Material(name="Gazebo/Blue", color=(0.0, 0.0, 1.0, 1.0))
)


@pytest.mark.parametrize(
    ("name", "color"),
    [
        ("Gazebo/Red", (1, 0, 0, 1)),
        ("red", (1, 0, 0, 1)),
        (" Gazebo/DarkGray ", (0.175, 0.175, 0.175, 1)),
        ("Gazebo/RedTransparent", (1, 0, 0, 0.5)),
        ("Gazebo/RedTransparentOverlay", (1, 0, 0, 0.5)),
        ("Gazebo/BlueGlow", (0, 0, 1, 1)),
        ("Gazebo/Wood", None),
        ("", None),
    ],
)
def test_colours_by_name(name: str, color: Color | None) -> None:
    assert find_gazebo_color(name) == color


@pytest.mark.parametrize(
    ("material", "color"),
    [
        # A name means the same everywhere: the robot's definition wins over one in place.
        (Material(name="skin"), RED),
        (Material(name="skin", color=GREEN), RED),
        (Material(color=GREEN), GREEN),
        # Defined nowhere: Gazebo's standard colours have names as well.
        (Material(name="Gazebo/Green"), GREEN),
        # Else what Gazebo gives the whole link.
        (Material(name="nowhere"), (0.0, 0.0, 1.0, 1.0)),
        (None, (0.0, 0.0, 1.0, 1.0)),
    ],
    ids=str,
)
def test_precedence(material: Material | None, color: Color) -> None:
    visual = Visual(geometry=Sphere(radius=1.0), material=material)
    link = Link(name="arm", visuals=(visual,))
    skin = Material(name="skin", color=RED)
    robot = Robot(name="r", links=(link,), materials=(skin,), settings=(BLUE,))
    found = VisualMaterials(robot).find(visual, link)
    assert found is not None and found.color == color


def test_none_where_nothing_says_any() -> None:
    visual = Visual(geometry=Sphere(radius=1.0))
    link = Link(name="leg", visuals=(visual,))
    robot = Robot(name="r", links=(link,), settings=(BLUE,))
    assert VisualMaterials(robot).find(visual, link) is None
