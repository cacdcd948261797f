# SPDX-License-Identifier: GPL-3.0-or-later
"""A world of Webots: a PROTO for each different robot, and Solids."""

import math
import shutil
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from ....core.diagnostics import Diagnostics
from ....core.files.outputs import check_output, digest_files, replace_files, write_text
from ....core.geometry.transforms import FROM_CAMERA, matrix_from_pose
from ....core.model.world import Thing, WorldLight, WorldView
from ....core.names import Claims
from ....core.writers.formats import WorldRequest, WorldRobot, Written
from .export import write_robot
from .names import make_identifier, make_label, make_proto_name
from .options import WebotsOptions
from .proto import place_robot
from .shapes.contacts import ContactPlan, contact_nodes
from .shapes.shapes import ShapeNodeWriter, join_bounding
from .structure.frames import pose_fields
from .structure.physics import find_mass, physics_node
from .vrml import Node, Value, Vec, write_node, write_string
from .world import (
    Bounds,
    Planned,
    make_background,
    make_floor,
    make_info,
    make_robot,
    make_sun,
    make_viewpoint,
    measure_bounds,
    place_points,
)

_REACH = 1e3
"""Metres that the light of a lamp goes."""
_STRONGEST = {"point": 1.0, "spot": 1.0, "sun": 2.0}
_NEAR = 1e-3
_UNTURNED: Vec = (0.0, 0.0, 1.0, 0.0)


def write_webots_world(request: WorldRequest[WebotsOptions]) -> Generator[str, None, Written]:
    """Writes the world, and its PROTOs and meshes beside it. Yields the names of robots and things
    before they are written. Raises KinematicsError and WriteError as export_webots does; nothing is
    written then, nor where the work is closed."""
    path = request.path.absolute()
    if path.parent.is_dir():
        check_output(path)
    with replace_files(path.parent) as folder:
        protos = _Protos(folder)
        names, solids = {}, Claims()
        robots, bounds = [], []
        for robot in request.robots:
            yield robot.name
            proto, planned = protos.write(robot)
            place = place_robot(planned.plan, robot.found.options)
            bounds.append(measure_bounds(planned.plan, robot.found.files.load, place))
            name = names[robot.name] = solids.claim(make_label(robot.name))
            node = make_robot(proto, place, "<none>")
            node.fields["name"] = name
            robots.append(node)
        things = _Things(request, folder, solids)
        solid_nodes = []
        for thing in request.world.things:
            yield thing.link.name
            solid_nodes.append(things.make(thing))
        nodes = [
            _make_info(request, protos.planned, things.friction),
            *_make_surroundings(request, bounds),
            *robots,
            *solid_nodes,
        ]
        externs = "".join(f"EXTERNPROTO {write_string(name)}\n" for name in protos.files)
        text = "\n".join(write_node(node) for node in nodes)
        version = request.around.options.version
        write_text(folder / path.name, f"#VRML_SIM {version} utf8\n\n{externs}\n{text}\n")
        return request.finish(folder, names)


class _Protos:
    """PROTOs in a folder: equal robots in one pose have one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._claims = Claims()
        self._known: dict[tuple[str, str], str] = {}
        self.planned: list[Planned] = []

    @property
    def files(self) -> list[str]:
        return [f"{name}.proto" for name in dict.fromkeys(self._known.values())]

    def write(self, robot: WorldRobot[WebotsOptions]) -> tuple[str, Planned]:
        """Returns the name of the robot's PROTO; its root is at zero in there."""
        options = replace(robot.found.options, translation=(0.0,) * 3, rotation=(0.0,) * 3)
        found = replace(robot.found, options=options)
        first = make_proto_name(robot.found.robot.name)
        trial = self._folder / ".trial"
        planned = write_robot(found, trial / f"{first}.proto")
        self.planned.append(planned)
        key = first, digest_files(trial)
        if key not in self._known:
            name = self._known[key] = self._claims.claim(first)
            if name != first:
                shutil.rmtree(trial)
                write_robot(replace(found, diagnostics=Diagnostics()), trial / f"{name}.proto")
            for each in trial.iterdir():
                each.rename(self._folder / each.name)
        shutil.rmtree(trial)
        return self._known[key], planned


class _Things:
    """Things as Solids; `friction` maps the material of a surface to its coefficient."""

    def __init__(self, request: WorldRequest[WebotsOptions], folder: Path, solids: Claims) -> None:
        around = request.around
        self.friction: dict[str, float] = {}
        self._request = request
        self._solids, self._defs = solids, Claims()
        meshes = f"{make_identifier(request.name)}_meshes"
        self._shapes = ShapeNodeWriter(around, folder / meshes, f"{meshes}/")

    def make(self, thing: Thing) -> Node:
        link, around = thing.link, self._request.around
        fields: dict[str, Value] = pose_fields(matrix_from_pose(thing.place))
        fields["name"] = self._solids.claim(make_label(link.name))
        fields["children"] = list(self._shapes.visual_nodes(link))
        if thing.friction is not None:
            material = f"friction {thing.friction:g}"
            fields["contactMaterial"] = material
            self.friction[material] = thing.friction
        bounding = join_bounding(self._shapes.bounding_parts(link))
        if bounding is not None:
            fields["boundingObject"] = bounding
        if not thing.is_static and bounding is not None:
            volume = self._shapes.collision_volume
            mass = find_mass(link, around.options, volume, around.diagnostics)
            if mass is not None:
                fields["physics"] = physics_node(mass, around.options)
        return Node("Solid", fields, self._defs.claim(make_identifier(link.name)))


def _make_info(
    request: WorldRequest[WebotsOptions], planned: list[Planned], friction: dict[str, float]
) -> Node:
    options, gravity = request.around.options, np.array(request.world.gravity)
    if np.abs(gravity[:2]).max() > 0.0 or gravity[2] > 0.0:
        request.diagnostics.warning(
            "world-gravity", "Webots pulls along -z only: the strength of gravity stays"
        )
    every = {name: mu for each in planned for name, mu in each.contacts.friction.items()}
    contacts = contact_nodes(
        ContactPlan(materials={}, friction=every | friction), self_collision=True
    )
    sensors = [sensor for each in planned for sensor in each.sensors]
    strength = float(np.linalg.norm(gravity))
    return make_info({"title": request.name, "gravity": strength}, options, sensors, contacts)


def _make_surroundings(
    request: WorldRequest[WebotsOptions], bounds: list[Bounds]
) -> Iterator[Node]:
    world = request.world
    things = list(_measure_things(request))
    whole = _join([*bounds, *things])
    yield make_viewpoint(whole) if world.view is None else _look(world.view)
    yield make_background() if world.background is None else make_background(world.background)
    if not world.lights:
        yield make_sun()
    yield from map(_shine, world.lights)
    lowest = float(_join(bounds).lower[2])
    if not any(float(each.lower[2]) <= lowest + _NEAR for each in things):
        yield make_floor(whole, min(lowest, 0.0))


def _join(bounds: list[Bounds]) -> Bounds:
    if not bounds:
        return Bounds(lower=np.zeros(3), upper=np.zeros(3))
    return Bounds(
        lower=np.array([each.lower for each in bounds]).min(axis=0),
        upper=np.array([each.upper for each in bounds]).max(axis=0),
    )


def _measure_things(request: WorldRequest[WebotsOptions]) -> Iterator[Bounds]:
    load = request.around.files.load
    for thing in request.world.things:
        place, link = matrix_from_pose(thing.place), thing.link
        for points in place_points(link.visuals, link, load, place):
            yield Bounds(lower=points.min(axis=0), upper=points.max(axis=0))


def _look(view: WorldView) -> Node:
    frame = matrix_from_pose(view.place)
    frame[:3, :3] = frame[:3, :3] @ FROM_CAMERA
    fields = pose_fields(frame)
    return Node(
        "Viewpoint",
        {
            "fieldOfView": view.widest,
            "orientation": fields.get("rotation", _UNTURNED),
            "position": fields.get("translation", (0.0, 0.0, 0.0)),
        },
    )


def _shine(light: WorldLight) -> Node:
    frame = matrix_from_pose(light.place)
    x, y, z = (-frame[:3, 2] + 0.0).tolist()
    a, b, c = frame[:3, 3].tolist()
    fields: dict[str, Value] = {
        "color": light.color,
        "intensity": light.strength * _STRONGEST[light.kind],
        "castShadows": light.shadows,
    }
    if light.kind != "point":
        fields["direction"] = (x, y, z)
    if light.kind == "sun":
        return Node("DirectionalLight", fields)
    fields |= {"location": (a, b, c), "radius": _REACH}
    if light.kind == "point":
        return Node("PointLight", fields)
    half = min(0.5 * light.angle, 0.5 * math.pi)
    return Node("SpotLight", fields | {"cutOffAngle": half, "beamWidth": 0.85 * half})
