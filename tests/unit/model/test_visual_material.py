# SPDX-License-Identifier: GPL-3.0-or-later
"""Which material a visual has: the description's, else Gazebo's."""

import pytest

from urdf_importer.model import (
    Color,
    Extra,
    Link,
    Material,
    Robot,
    Sphere,
    Visual,
    VisualMaterials,
)

RED: Color = (1.0, 0.0, 0.0, 1.0)
GREEN: Color = (0.0, 1.0, 0.0, 1.0)
GAZEBO = Extra(
    tag="gazebo", xml='<gazebo reference="arm"><material>Gazebo/Blue</material></gazebo>'
)


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
    robot = Robot(name="r", links=(link,), materials=(skin,), extras=(GAZEBO,))
    found = VisualMaterials(robot).find(visual, link)
    assert found is not None and found.color == color


def test_none_where_nothing_says_any() -> None:
    visual = Visual(geometry=Sphere(radius=1.0))
    link = Link(name="leg", visuals=(visual,))
    robot = Robot(name="r", links=(link,), extras=(GAZEBO,))
    assert VisualMaterials(robot).find(visual, link) is None
