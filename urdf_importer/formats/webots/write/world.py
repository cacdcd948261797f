# SPDX-License-Identifier: GPL-3.0-or-later
"""How large a robot is as it starts, for the camera and the floor."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ....core.diagnostics import MeshError
from ....core.geometry.mesh_data import MeshData
from ....core.geometry.transforms import (
    Matrix,
    Vector,
    make_frame,
    matrix_from_pose,
    rotation_from_rpy,
)
from ....core.meshes.robot_files import Shape
from ....core.model import Link
from ....core.writers.formats import OpenExport
from .options import WebotsOptions
from .proto import moved_zero, place_robot
from .sensors.plan import SensorPlan
from .shapes.contacts import ContactPlan, contact_nodes
from .shapes.shapes import ShapeNodeWriter
from .structure.frames import pose_fields, vector_of
from .structure.links import SolidPlan, SolidTreePlan
from .vrml import Node, Value, Vec, keep_given, write_node, write_string

LoadShape = Callable[[Shape, Link], MeshData]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Planned:
    """The parts of a PROTO, for the files written around it."""

    plan: SolidTreePlan
    contacts: ContactPlan
    sensors: tuple[SensorPlan, ...]
    shapes: ShapeNodeWriter


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bounds:
    """The corners (3,) of a box along the axes, in metres."""

    lower: Vector
    upper: Vector

    @property
    def center(self) -> Vector:
        return 0.5 * (self.lower + self.upper)

    @property
    def radius(self) -> float:
        """Of the ball around the box."""
        return float(0.5 * np.linalg.norm(self.upper - self.lower))


def measure_bounds(plan: SolidTreePlan, load: LoadShape, place: Matrix) -> Bounds:
    """Measures all shapes and link origins, with the robot's root at `place` (4, 4). Shapes that
    cannot be loaded do not count; they are reported where they are written."""
    lower, upper = np.full(3, np.inf), np.full(3, -np.inf)
    for points in _point_sets(plan, load, place):
        lower = np.minimum(lower, points.min(axis=0))
        upper = np.maximum(upper, points.max(axis=0))
    return Bounds(lower=lower, upper=upper)


def _point_sets(plan: SolidTreePlan, load: LoadShape, place: Matrix) -> Iterator[Matrix]:
    """Yields the origins and the shapes' points of all links, as the robot starts."""
    frames: dict[SolidPlan, Matrix] = {}
    for solid in plan.solids:
        frames[solid] = place if solid.above is None else frames[solid.above] @ moved_zero(solid)
        for held in solid.links:
            frame = frames[solid] @ held.pose
            yield frame[None, :3, 3]
            yield from place_points(held.link.shapes, held.link, load, frame)


def place_points(
    shapes: Iterable[Shape], link: Link, load: LoadShape, frame: Matrix
) -> Iterator[Matrix]:
    """Yields the points (N, 3) of shapes of a link that has the pose `frame` (4, 4). Shapes that
    cannot be loaded do not count."""
    for shape in shapes:
        try:
            vertices = load(shape, link).vertices
        except MeshError:
            continue
        if len(vertices):
            here: Matrix = frame @ matrix_from_pose(shape.origin)
            points: Matrix = vertices @ here[:3, :3].T + here[:3, 3]
            yield points


_FIELD_OF_VIEW = math.pi / 4.0
_LOOK = (0.0, math.radians(20.0), math.radians(145.0))
"""From in front of the robot, to its left and above: roll, pitch and yaw of the view."""
_MARGIN = 1.15
_SMALLEST = 0.005
"""Metres: the extent of the view for a robot that has no size."""
_FLOOR = 10.0
_CLEARANCE = 1e-3
"""Metres between a free robot and the floor, so that the first step pushes nothing."""


def write_world(
    name: str, planned: Planned, found: OpenExport[WebotsOptions], *, proto: str, controller: str
) -> str:
    """Returns the text of a .wbt around the PROTO called `name`, which is at the url `proto`;
    `controller` is the Robot's, "<extern>" for a controller that runs outside of Webots."""
    plan, options = planned.plan, found.options
    place = place_robot(plan, options)
    bounds = measure_bounds(plan, found.files.load, place)
    lift = 0.0 if plan.root.static else _CLEARANCE - float(bounds.lower[2])
    place = place.copy()
    place[2, 3] += lift
    rise = np.array((0.0, 0.0, lift))
    shown = Bounds(lower=bounds.lower + rise, upper=bounds.upper + rise)
    ground = min(float(bounds.lower[2]), 0.0) if plan.root.static else 0.0
    nodes = [
        _world_info(name, planned, options),
        make_viewpoint(shown, "" if plan.root.static else plan.root.name),
        make_background(),
        make_sun(),
        make_floor(shown, ground),
        make_robot(name, place, controller),
    ]
    text = "\n".join(write_node(node) for node in nodes)
    return f"#VRML_SIM {options.version} utf8\n\nEXTERNPROTO {write_string(proto)}\n\n{text}\n"


def _world_info(name: str, planned: Planned, options: WebotsOptions) -> Node:
    contacts = contact_nodes(planned.contacts, self_collision=options.self_collision)
    info = f"The robot {name}, exported from its description."
    return make_info({"info": [info], "title": name}, options, planned.sensors, contacts)


def make_info(
    fields: Mapping[str, Value],
    options: WebotsOptions,
    sensors: Iterable[SensorPlan],
    contacts: Iterable[Node],
) -> Node:
    """Returns the settings of a world, which begin with `fields`."""
    has_gps = any(sensor.type == "gps" for sensor in sensors)
    settings: dict[str, Value] = {
        "basicTimeStep": options.time_step,
        # Latitude and longitude, as the description's sensor gives them.
        "gpsCoordinateSystem": "WGS84" if has_gps else None,
        "contactProperties": list(contacts),
    }
    return Node("WorldInfo", {**fields, **keep_given(settings)})


def make_background(color: Vec = (0.75, 0.83, 0.92)) -> Node:
    return Node("Background", {"skyColor": [color], "luminosity": 1.0})


def make_sun() -> Node:
    light: dict[str, Value] = {"ambientIntensity": 0.6, "direction": (-0.5, 0.4, -1.0)}
    return Node("DirectionalLight", {**light, "intensity": 2.0, "castShadows": True})


def make_viewpoint(bounds: Bounds, follow: str = "") -> Node:
    """Returns a viewpoint that looks at the middle of a box from where all of it is in sight;
    `follow` names a Solid to go along with."""
    radius = max(bounds.radius, _SMALLEST)
    distance = _MARGIN * radius / math.sin(0.5 * _FIELD_OF_VIEW)
    view = make_frame(rotation_from_rpy(_LOOK))
    fields = {
        "fieldOfView": _FIELD_OF_VIEW,
        "orientation": pose_fields(view)["rotation"],
        "position": vector_of(bounds.center - distance * view[:3, 0]),
        "near": min(0.05, 0.1 * distance),
        "follow": follow or None,
    }
    return Node("Viewpoint", keep_given(fields))


def make_floor(bounds: Bounds, height: float) -> Node:
    """Returns a floor that is rough, so that nothing shines, and wide enough for the robot."""
    side = max(_FLOOR, 4.0 * math.ceil(2.0 * bounds.radius))
    size: Vec = (side, side)
    appearance = Node(
        "PBRAppearance", {"baseColor": (0.6, 0.6, 0.6), "roughness": 1.0, "metalness": 0.0}
    )
    shape = Node("Shape", {"appearance": appearance, "geometry": Node("Plane", {"size": size})})
    x, y, _ = bounds.center.tolist()
    fields: dict[str, Value] = {
        "translation": (x, y, height),
        "name": "floor",
        "children": [shape],
        "boundingObject": Node("Plane", {"size": size}),
        "locked": True,
    }
    return Node("Solid", fields, "FLOOR")


def make_robot(kind: str, place: Matrix, controller: str) -> Node:
    """Returns a robot of the PROTO `kind`, its root at `place` (4, 4)."""
    fields = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 1.0, 0.0)}
    return Node(kind, {**fields, **pose_fields(place), "controller": controller})
