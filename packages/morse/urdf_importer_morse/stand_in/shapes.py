# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain objects of builder scripts: shapes, coordinate systems, lights, cameras. MORSE does not
call them; bodies pass through them."""

import logging
import math
from collections.abc import Sequence
from typing import Any

from ..game_engine.game_data import GameData
from ..game_engine.paint import fade_below, paint
from ..game_engine.scene_objects import (
    Shape,
    add_camera,
    add_empty,
    add_light,
    add_shape,
    set_reach,
)
from .component import AbstractComponent

logger = logging.getLogger(__name__)

_ARROWS = 0.1
_CONE = math.pi / 2
_REACH = 10


def pass_through(item: Any) -> None:
    """Lets other bodies pass through an object."""
    GameData(item).physics_type = "NO_COLLISION"


class Mesh(AbstractComponent):
    """A shape, two metres across until it is scaled."""

    shape: Shape = "CUBE"

    def __init__(self, name: str) -> None:
        super().__init__()
        item = add_shape(name, self.shape)
        pass_through(item)
        self.set_blender_object(item)

    def color(self, r: float = 0.1, g: float = 0.1, b: float = 0.1) -> None:
        paint(self._bpy_object, (r, g, b))


class Plane(Mesh):
    shape = "PLANE"


class Cube(Mesh):
    shape = "CUBE"


class Sphere(Mesh):
    shape = "SPHERE"


class IcoSphere(Mesh):
    shape = "ICOSPHERE"


class Cylinder(Mesh):
    shape = "CYLINDER"


class Cone(Mesh):
    shape = "CONE"


class Torus(Mesh):
    shape = "TORUS"


class Empty(AbstractComponent):
    def __init__(self, name: str) -> None:
        super().__init__()
        item = add_empty(name, "PLAIN_AXES")
        pass_through(item)
        self.set_blender_object(item)


class Coordsys(AbstractComponent):
    """Three arrows."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.set_blender_object(add_empty(name, "ARROWS", _ARROWS))


class Spot(AbstractComponent):
    """A light that shines along +X."""

    def __init__(self, name: str, lamp_type: str = "SPOT") -> None:
        super().__init__()
        item = add_light(name, lamp_type)
        pass_through(item)
        self.set_blender_object(item)
        self.rotate(y=-math.pi / 2)
        if lamp_type == "SPOT":
            self.shine(size=_CONE, distance=_REACH)

    def shine(
        self,
        *,
        size: float | None = None,
        distance: float | None = None,
        color: Sequence[float] | None = None,
    ) -> None:
        """Changes a spot: the angle of its cone in radians, its reach in metres, its colour."""
        light = self._bpy_object.data
        if size is not None:
            light.spot_size = size
        if distance is not None:
            set_reach(light, distance)
        if color is not None:
            light.color = color


class Camera(AbstractComponent):
    """A camera that looks along +Z."""

    def __init__(self, name: str) -> None:
        super().__init__()
        item = add_camera(name)
        pass_through(item)
        self.set_blender_object(item)
        self.rotate(y=math.pi, z=math.pi)


class Zone(Cube):
    """A box with a meaning to MORSE, which is invisible and touches nothing."""

    def __init__(self, type: str) -> None:
        super().__init__("xxx")
        self.color(0.8, 0.8, 0.8)
        fade_below(self._bpy_object, 1e-6)
        self.properties(Zone_Tag=True, Type=type)

    @property
    def size(self) -> Any:
        return self._bpy_object.scale

    @size.setter
    def size(self, value: Sequence[float]) -> None:
        self._bpy_object.scale = value

    def rotate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Does nothing but log: zones cannot be turned."""
        logger.warning("a zone cannot be turned")
