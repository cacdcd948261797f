# SPDX-License-Identifier: GPL-3.0-or-later
"""The surroundings of a robot in a labelled picture: ground, things, lights, sky; made for
one picture and gone after it."""

import math
from dataclasses import dataclass
from typing import Any

import bpy
import mathutils
import numpy as np

from ...geometry.transforms import Matrix, Vector
from ...sensing.dataset import DatasetOptions
from ..preview.studio import node_tree

_GROUND = 20.0
"""Radii of the robot from its middle to the edge of the ground."""
_TRIES, _SIDES = 20, 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Room:
    """Where things may be: about a centre (3,) within some radii, above the height `floor`, and
    in none of the spheres, whose rows (n, 4) are centres and radii."""

    center: Vector
    radius: float
    floor: float
    spheres: Matrix


class Dressing:
    """Things that are removed at the end of its `with` block; `things` and `lights` describe them
    as JSON holds them."""

    def __init__(self, chance: np.random.Generator) -> None:
        self.things: list[dict[str, Any]] = []
        self.lights: list[dict[str, Any]] = []
        self._chance = chance
        self._made: list[Any] = []
        self._scene = bpy.context.scene
        self._world = self._scene.world

    def __enter__(self) -> "Dressing":
        return self

    def __exit__(self, *_: object) -> None:
        self._scene.world = self._world
        bpy.data.batch_remove(self._made)

    def dress(self, site: Room, options: DatasetOptions) -> None:
        """Adds surroundings within the options, by chance."""
        if options.scene == "plain":
            self._add_world((0.8, 0.8, 0.8), 0.5)
            self._add_sun(math.radians(45.0), math.radians(-30.0), 3.0)
        if options.scene != "random":
            return
        chance = self._chance
        self._add_world(self._draw_color(), float(chance.uniform(0.2, 1.0)))
        for _ in range(int(chance.integers(1, 4))):
            up, around = chance.uniform(0.2, 1.4), chance.uniform(-math.pi, math.pi)
            self._add_sun(float(up), float(around), float(chance.uniform(0.5, 3.0)))
        half = _GROUND * site.radius
        corners = np.array([[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]])
        corners += (*site.center[:2], site.floor)
        self._add_thing("ground", corners, [(0, 1, 2, 3)])
        least, most = map(int, options.distractors)
        for _ in range(int(chance.integers(least, most + 1))):
            self._add_distractor(site)

    def _add_distractor(self, site: Room) -> None:
        """Adds a box, a ball or a cylinder where it touches nothing; none where there is no room
        after some tries."""
        chance = self._chance
        for _ in range(_TRIES):
            size = site.radius * chance.uniform(0.04, 0.2, 3)
            way = chance.normal(0.0, 1.0, 3)
            place = site.center + way / np.linalg.norm(way) * site.radius * chance.uniform(0.2, 1.5)
            reach = float(np.linalg.norm(size))
            place[2] = max(place[2], site.floor + reach)
            kind, angles = int(chance.integers(3)), chance.uniform(-math.pi, math.pi, 3)
            away = np.linalg.norm(site.spheres[:, :3] - place, axis=1)
            if (away > site.spheres[:, 3] + reach).all():
                break
        else:
            return
        name, points, faces = (_box, _ball, _cylinder)[kind](size)
        turned = points @ np.array(mathutils.Euler(angles.tolist()).to_matrix()).T
        self._add_thing(name, turned + place, faces)

    def _add_thing(self, name: str, points: Matrix, faces: Any) -> None:
        mesh = bpy.data.meshes.new(name)
        material = bpy.data.materials.new(name)
        item = bpy.data.objects.new(name, mesh)
        self._made += [item, mesh, material]
        mesh.from_pydata(points.tolist(), [], faces)
        tree = node_tree(material)
        shader = tree.nodes.new("ShaderNodeBsdfPrincipled")
        color, roughness = self._draw_color(), float(self._chance.uniform(0.2, 1.0))
        shader.inputs["Base Color"].default_value = (*color, 1.0)
        shader.inputs["Roughness"].default_value = roughness
        output = tree.nodes.new("ShaderNodeOutputMaterial")
        tree.links.new(shader.outputs[0], output.inputs["Surface"])
        mesh.materials.append(material)
        self._scene.collection.objects.link(item)
        box = [points.min(axis=0).tolist(), points.max(axis=0).tolist()]
        self.things.append({"name": name, "box": box, "color": list(color)})

    def _add_sun(self, up: float, around: float, strength: float) -> None:
        sun = bpy.data.lights.new("sun", "SUN")
        lamp = bpy.data.objects.new("sun", sun)
        self._made += [lamp, sun]
        sun.energy, sun.angle = strength, 0.05
        way = mathutils.Vector(
            (math.cos(up) * math.cos(around), math.cos(up) * math.sin(around), math.sin(up))
        )
        lamp.matrix_world = way.to_track_quat("Z", "Y").to_matrix().to_4x4()
        self._scene.collection.objects.link(lamp)
        self.lights.append({"kind": "sun", "from": list(way), "strength": strength})

    def _add_world(self, color: Any, strength: float) -> None:
        world = bpy.data.worlds.new("sky")
        self._made.append(world)
        tree = node_tree(world)
        sky = tree.nodes.new("ShaderNodeBackground")
        sky.inputs["Color"].default_value = (*color, 1.0)
        sky.inputs["Strength"].default_value = strength
        output = tree.nodes.new("ShaderNodeOutputWorld")
        tree.links.new(sky.outputs[0], output.inputs["Surface"])
        self._scene.world = world
        self.lights.append({"kind": "sky", "color": list(color), "strength": strength})

    def _draw_color(self) -> tuple[float, float, float]:
        """A grey, coloured more or less."""
        grey, share = self._chance.uniform(0.05, 0.9), self._chance.uniform(0.0, 1.0)
        red, green, blue = (
            (1.0 - share) * grey + share * self._chance.uniform(0.0, 0.9, 3)
        ).tolist()
        return red, green, blue


_Made = tuple[str, Matrix, list[tuple[int, ...]]]


def _box(size: Vector) -> _Made:
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces: list[tuple[int, ...]] = [
        (0, 1, 3, 2),
        (4, 6, 7, 5),
        (0, 4, 5, 1),
        (2, 3, 7, 6),
        (0, 2, 6, 4),
        (1, 5, 7, 3),
    ]
    return "box", np.array(corners) * size, faces


def _cylinder(size: Vector) -> _Made:
    rings = [(1.0, -1.0), (1.0, 1.0)]
    return "cylinder", *_revolve(rings, np.array([size[0], size[0], size[2]]))


def _ball(size: Vector) -> _Made:
    angles = np.linspace(-math.pi / 2, math.pi / 2, _SIDES // 2 + 2)[1:-1]
    rings = [(math.cos(angle), math.sin(angle)) for angle in angles]
    return "ball", *_revolve(rings, np.full(3, size[0]))


def _revolve(rings: Any, size: Vector) -> tuple[Matrix, list[tuple[int, ...]]]:
    """Rings (radius, height) about z, joined, with lids."""
    turns = np.arange(_SIDES) * math.tau / _SIDES
    points = [(r * math.cos(a), r * math.sin(a), z) for r, z in rings for a in turns]
    faces: list[tuple[int, ...]] = [tuple(range(_SIDES))[::-1]]
    for first in range(0, (len(rings) - 1) * _SIDES, _SIDES):
        for one in range(_SIDES):
            two = (one + 1) % _SIDES
            faces.append((first + one, first + two, first + _SIDES + two, first + _SIDES + one))
    faces.append(tuple(range((len(rings) - 1) * _SIDES, len(rings) * _SIDES)))
    return np.array(points) * size, faces
