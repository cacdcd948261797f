# SPDX-License-Identifier: GPL-3.0-or-later
"""The surroundings of a robot in a labelled picture: ground, things, lights, sky; made for
one picture and gone after it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import bpy
import mathutils
import numpy as np

from ....core.blender.extract.robot import group_children
from ....core.blender.nodes import node_tree
from ....core.blender.standing import properties
from ....core.diagnostics import BuildError, MeshError, quote_path
from ....core.files.regular import refuse_beside
from ....core.geometry.primitives import make_box, make_cylinder, make_sphere
from ....core.geometry.transforms import Matrix, Vector
from ....core.geometry.triangles import make_triangles
from ....core.meshes.file_cache import load_kept
from ..dataset import DatasetOptions

_GROUND = 20.0
"""Radii of the robot from its middle to the edge of the ground."""
_TRIES = 20
Faces = list[list[int]]
_SUFFIXES = {
    "mesh": (".stl", ".obj", ".ply", ".glb", ".dae", ".msh"),
    "picture": (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".exr", ".hdr"),
}


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

    def __init__(self, chance: np.random.Generator, options: DatasetOptions) -> None:
        self.things: list[dict[str, Any]] = []
        self.lights: list[dict[str, Any]] = []
        self._chance, self._options = chance, options
        self._made: list[Any] = []
        self._slots: list[tuple[Any, str, Any]] = []
        self._scene = bpy.context.scene
        self._world = self._scene.world

    def __enter__(self) -> "Dressing":
        return self

    def __exit__(self, *_: object) -> None:
        self._scene.world = self._world
        for slot, link, material in self._slots:
            slot.material = material if link == "OBJECT" else None
            slot.link = link
        bpy.data.batch_remove(self._made)

    def recolor(self, robots: Sequence[Sequence[Any]]) -> None:
        """Gives each material of robots, whose links' empties are given, another colour."""
        children = group_children()
        for links in robots:
            new: dict[str, Any] = {}
            for item in (shape for link in links for shape in children.get(link, ())):
                if item.type != "MESH" or item.get(properties.PART) == properties.COLLISIONS:
                    continue
                if not item.material_slots:
                    item.data.materials.append(None)
                for slot in item.material_slots:
                    named = slot.name
                    if named not in new:
                        new[named], _ = self._make_material(named or "robot")
                    self._slots.append((slot, slot.link, slot.material))
                    slot.link, slot.material = "OBJECT", new[named]

    def dress(self, site: Room) -> None:
        """Adds surroundings within the options, by chance."""
        options = self._options
        if options.scene == "plain":
            self._add_world((0.8, 0.8, 0.8), 0.5)
            self._add_sun(math.radians(45.0), math.radians(-30.0), 3.0)
        if options.scene != "random":
            return
        chance = self._chance
        sky, shown = self._add_world(self._draw_color(), float(chance.uniform(0.2, 1.0)))
        for _ in range(int(chance.integers(1, 4))):
            up, around = chance.uniform(0.2, 1.4), chance.uniform(-math.pi, math.pi)
            self._add_sun(float(up), float(around), float(chance.uniform(0.5, 3.0)))
        if options.backgrounds:
            self._add_backdrop(sky, shown)
        else:
            half = _GROUND * site.radius
            signs = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
            corners = half * signs + (*site.center[:2], site.floor)
            self._add_thing("ground", corners, [(0, 1, 2, 3)])
        least, most = map(int, options.distractors)
        for _ in range(int(chance.integers(least, most + 1))):
            self._add_distractor(site)

    def _add_distractor(self, site: Room) -> None:
        """Adds a box, a ball or a cylinder, or a mesh of the folder, where it touches nothing; none
        where there is no room after some tries. Raises BuildError for a mesh that cannot be
        read."""
        chance, meshes = self._chance, list_scenery(self._options.distractor_meshes, "mesh")
        for _ in range(_TRIES):
            size = site.radius * chance.uniform(0.04, 0.2, 3)
            way = chance.normal(0.0, 1.0, 3)
            place = site.center + way / np.linalg.norm(way) * site.radius * chance.uniform(0.2, 1.5)
            reach = float(np.linalg.norm(size))
            place[2] = max(place[2], site.floor + reach)
            kind = int(chance.integers(len(meshes) or 3))
            angles = chance.uniform(-math.pi, math.pi, 3)
            away = np.linalg.norm(site.spheres[:, :3] - place, axis=1)
            if (away > site.spheres[:, 3] + reach).all():
                break
        else:
            return
        name, points, faces = _load(meshes[kind], reach) if meshes else _make_own(kind, size)
        turned = points @ np.array(mathutils.Euler(angles.tolist()).to_matrix()).T
        self._add_thing(name, turned + place, faces)

    def _add_thing(self, name: str, points: Matrix, faces: Any) -> None:
        mesh = bpy.data.meshes.new(name)
        item = bpy.data.objects.new(name, mesh)
        self._made += [item, mesh]
        mesh.from_pydata(points.tolist(), [], faces)
        material, color = self._make_material(name)
        mesh.materials.append(material)
        self._scene.collection.objects.link(item)
        box = [points.min(axis=0).tolist(), points.max(axis=0).tolist()]
        self.things.append({"name": name, "box": box, "color": list(color)})

    def _make_material(self, name: str) -> tuple[Any, tuple[float, float, float]]:
        material = bpy.data.materials.new(name)
        self._made.append(material)
        color, roughness = self._draw_color(), float(self._chance.uniform(0.2, 1.0))
        shown = {"Base Color": (*color, 1.0), "Roughness": roughness}
        _shade(node_tree(material), "BsdfPrincipled", "OutputMaterial", shown)
        return material, color

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

    def _add_world(self, color: Any, strength: float) -> tuple[Any, Any]:
        """Gives the scene a sky; returns its node, and the node that shows it."""
        world = bpy.data.worlds.new("sky")
        self._made.append(world)
        shown = {"Color": (*color, 1.0), "Strength": strength}
        sky, output = _shade(node_tree(world), "Background", "OutputWorld", shown)
        self._scene.world = world
        self.lights.append({"kind": "sky", "color": list(color), "strength": strength})
        return sky, output

    def _add_backdrop(self, sky: Any, output: Any) -> None:
        """Puts a picture of the folder behind all things: visible, but without light. Raises
        BuildError for a folder without pictures, and for one that Blender cannot read."""
        found = list_scenery(self._options.backgrounds, "picture")
        path = found[int(self._chance.integers(len(found)))]
        try:
            image = bpy.data.images.load(str(path))
        except RuntimeError:
            image = None
        if image is not None:
            self._made.append(image)
        if image is None or not all(image.size):
            raise BuildError(f"the background {quote_path(path)} cannot be read")
        tree = self._scene.world.node_tree
        new = tree.nodes.new
        place, picture, shown = (
            new(f"ShaderNode{kind}") for kind in ("TexCoord", "TexImage", "Background")
        )
        path_of, mixed = new("ShaderNodeLightPath"), new("ShaderNodeMixShader")
        picture.image, picture.extension = image, "EXTEND"
        for start, end in (
            (place.outputs["Window"], picture.inputs["Vector"]),
            (picture.outputs["Color"], shown.inputs["Color"]),
            (path_of.outputs["Is Camera Ray"], mixed.inputs[0]),
            (sky.outputs[0], mixed.inputs[1]),
            (shown.outputs[0], mixed.inputs[2]),
            (mixed.outputs[0], output.inputs["Surface"]),
        ):
            tree.links.new(start, end)
        self.things.append({"name": "background", "file": path.name})

    def _draw_color(self) -> tuple[float, float, float]:
        """A grey, coloured more or less."""
        grey, share = self._chance.uniform(0.05, 0.9), self._chance.uniform(0.0, 1.0)
        red, green, blue = (
            (1.0 - share) * grey + share * self._chance.uniform(0.0, 0.9, 3)
        ).tolist()
        return red, green, blue


def _shade(tree: Any, kind: str, end: str, inputs: Mapping[str, Any]) -> tuple[Any, Any]:
    """Makes a shader with these inputs, and the node that shows it."""
    shader = tree.nodes.new(f"ShaderNode{kind}")
    for name, value in inputs.items():
        shader.inputs[name].default_value = value
    output = tree.nodes.new(f"ShaderNode{end}")
    tree.links.new(shader.outputs[0], output.inputs["Surface"])
    return shader, output


def list_scenery(folder: str, what: Literal["picture", "mesh"]) -> list[Path]:
    """Lists the pictures or mesh files in a folder, by name; none without a folder. Raises
    BuildError where a folder has none."""
    try:
        files = Path(folder).iterdir() if folder else ()
        found = sorted(each for each in files if each.suffix.lower() in _SUFFIXES[what])
    except OSError as error:
        reason = error.strerror or error
        raise BuildError(f"cannot read the folder {quote_path(folder)}: {reason}") from error
    if folder and not found:
        raise BuildError(f"there is no {what} in {quote_path(folder)}")
    return found


def _make_own(kind: int, size: Vector) -> tuple[str, Matrix, Faces]:
    """Makes a box, a ball or a cylinder, with half the lengths `size` (3,)."""
    x, y, z = (2.0 * size).tolist()
    name, mesh = (
        ("box", make_box((x, y, z))),
        ("ball", make_sphere(x / 2.0)),
        ("cylinder", make_cylinder(x / 2.0, z)),
    )[kind]
    triangles, _ = make_triangles(mesh)
    return name, triangles.vertices.astype(float), triangles.faces.tolist()


def _load(path: Path, reach: float) -> tuple[str, Matrix, Faces]:
    """Returns the shape of a mesh file, about its middle and no farther from that than `reach`.
    Raises BuildError."""
    try:
        mesh = load_kept(path, lambda *_: None, lambda uri, kind, _: refuse_beside(uri, kind))
        triangles, _ = make_triangles(mesh)
        if not triangles.count or not np.isfinite(triangles.vertices).all():
            raise MeshError("it shows nothing")
    except MeshError as error:
        raise BuildError(f"the mesh {quote_path(path)} cannot be read: {error.message}") from error
    points = triangles.vertices.astype(float)
    points -= (points.min(axis=0) + points.max(axis=0)) / 2.0
    largest = float(np.linalg.norm(points, axis=1).max())
    return path.stem, points * (reach / max(largest, 1e-9)), triangles.faces.tolist()
