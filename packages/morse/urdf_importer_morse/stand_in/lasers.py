# SPDX-License-Identifier: GPL-3.0-or-later
"""Laser scanners, and the arcs by which their field is seen."""

import math
from collections.abc import Iterator
from typing import Any

from urdf_importer.core.diagnostics import quote

from ..game_engine.paint import make_ray_material
from ..game_engine.scene_objects import add_mesh, remove_object
from ..game_engine.storage import get_properties
from .creators import SensorCreator
from .errors import ScriptError, UnknownNameError
from .shapes import Cube, Cylinder, pass_through

_ARC = "Arc_"
_LAYERS = ("layers", "layer_separation", "layer_offset")
_MOST_RAYS = 1_000_000


class LaserSensorWithArc(SensorCreator):
    """A scanner. MORSE scans along the rays that are drawn below it: a flat fan around X, or
    several one above the other.

    scan_window, resolution          of a fan, and between two of its rays, in degrees
    layers                           how many fans
    layer_separation, layer_offset   between two fans, and sideways of every second one, in degrees
    """

    _classpath = "morse.sensors.laserscanner.LaserScanner"

    def create_laser_arc(self) -> Any:
        """Draws the rays, one metre long, in place of earlier ones. Raises UnknownNameError if a
        property is missing, ScriptError for too many rays."""
        has = get_properties(self._bpy_object)
        for name in ("scan_window", "resolution"):
            if name not in has:
                raise UnknownNameError(f"{quote(self.name)} has no property {quote(name)}")
        several = all(name in has for name in _LAYERS)
        layers, separation, offset = (has[name] for name in _LAYERS) if several else (1, 0.0, 0.0)
        vertices, faces = draw_fans(
            float(has["scan_window"]),
            float(has["resolution"]),
            layers=int(layers),
            separation=float(separation),
            offset=float(offset),
        )
        for item in self._arcs():
            remove_object(item)
        arc = add_mesh(f"{_ARC}{int(has['scan_window'])}", vertices, faces)
        pass_through(arc)
        arc.hide_render = True
        arc.parent = self._bpy_object
        arc.active_material = make_ray_material()
        return arc

    def after_renaming(self) -> None:
        """Draws the rays, unless the script did."""
        if not self._arcs():
            self.create_laser_arc()

    def _arcs(self) -> list[Any]:
        return [item for item in self._bpy_object.children if item.name.startswith(_ARC)]


def draw_fans(
    window: float, resolution: float, *, layers: int, separation: float, offset: float
) -> tuple[list[list[float]], list[list[int]]]:
    """Returns the eye and the ends of all rays, (n, 3) in metres, and the triangles between them;
    all angles in degrees. Raises ScriptError for too many rays."""
    if not resolution > 0.0 or not window / resolution * layers < _MOST_RAYS:
        raise ScriptError(f"rays {resolution} degrees apart in {window} degrees are too many")
    vertices = [[0.0, 0.0, 0.0]]
    faces = []
    height = separation * (layers - 1) / 2.0
    for layer in range(layers):
        shift = offset if layer % 2 == 0 else 0.0
        ends = list(_turn(-window / 2.0 + shift, window / 2.0 + shift, resolution))
        first = len(vertices)
        up = math.sin(math.radians(height))
        vertices += [[math.cos(angle), math.sin(angle), up] for angle in map(math.radians, ends)]
        faces += [[0, each, each + 1] for each in range(first, first + len(ends) - 1)]
        height -= separation
    return vertices, faces


def _turn(start: float, end: float, step: float) -> Iterator[float]:
    """Yields angles step by step rather than by products: MORSE counts rays so, and the last one
    depends on rounding."""
    while start <= end:
        yield start
        start += step


class Hokuyo(LaserSensorWithArc):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Cylinder, "HokuyoCylinder", (0.04, 0.04, 0.08), (0.0, 0.0, 0.0))
        self.properties(Visible_arc=False, laser_range=30.0, scan_window=270.0, resolution=0.25)
        self.frequency(10)


class Sick(LaserSensorWithArc):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.properties(Visible_arc=False, laser_range=30.0, scan_window=180.0, resolution=1.0)
        self.frequency(10)
        self.add_body("SickMesh", (-0.1, -0.1, -0.1), (0.1, 0.1, 0.1))


class SickLDMRS(LaserSensorWithArc):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.properties(
            Visible_arc=False,
            laser_range=30.0,
            scan_window=100.0,
            resolution=0.25,
            layers=4,
            layer_separation=0.8,
            layer_offset=0.125,
        )
        self.adorn(Cube, "SickMesh", (0.05, 0.0825, 0.044), (1.0, 1.0, 0.9))
        self.frequency(4)


class Infrared(LaserSensorWithArc):
    """A sensor of distances in a narrow field."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Cube, "InfraredCube", (0.02, 0.02, 0.02), (0.8, 0.8, 0.8))
        self.properties(Visible_arc=True, laser_range=2.0, scan_window=20.0, resolution=1.0)
        self.frequency(10)
