# SPDX-License-Identifier: GPL-3.0-or-later
"""The visuals and collisions of links as geoms, and the meshes, materials and images they name.

MuJoCo reads STL, of at most 200,000 triangles, and OBJ, of one material each: a mesh is written in
parts, one for each look. Mirrored and scaled meshes name the same file. Its own inertias of meshes
are not used; as shells they can be worked out of open ones too. A mesh that collides is filled up
to its convex hull.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ....core.diagnostics import Diagnostics
from ....core.geometry.fitting import fit_oriented_box
from ....core.geometry.hulls import is_flat
from ....core.geometry.mesh_data import MeshData, MeshMaterial
from ....core.geometry.transforms import Matrix, matrix_from_pose
from ....core.geometry.triangles import Triangles, make_triangles, split_by_material
from ....core.geometry.volumes import MassProperties
from ....core.markup.write import Value
from ....core.meshes import RobotFiles
from ....core.meshes.robot_files import Shape
from ....core.meshes.write import write_obj, write_stl
from ....core.model import (
    Box,
    Capsule,
    Color,
    Cylinder,
    Ellipsoid,
    Geometry,
    Link,
    Mesh,
    Robot,
    Sphere,
    Vector3,
    Visual,
)
from ....core.names import Claims
from ....core.writers.file_folder import FileFolder
from ....core.writers.looks import Looks
from ....core.writers.masses import find_friction, measure_collisions, report_flat
from ....core.writers.textures import Textures
from .plan import PlannedElement

_MOST_FACES = 200_000
"""Triangles of an STL file that MuJoCo reads."""
_LEAST_POINTS = 4
_FEW_CORNERS = 64
"""In which nearly every mesh has as many points already."""
_DIGITS = 6
_UNSCALED = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WrittenGeom:
    """`attributes` define the shape; `frame` (4, 4) is its frame in its body, `points` (N, 3) are
    the points of a mesh that collides."""

    frame: Matrix
    attributes: dict[str, Value]
    name: str = ""
    material: str = ""
    friction: float | None = None
    points: NDArray[np.float64] | None = None


class GeomWriter:
    """Made once for each export. `assets` fill as shapes are asked for; unreadable ones are left
    out and reported, with the code of their MeshError."""

    def __init__(
        self,
        robot: Robot,
        source: RobotFiles,
        folder: FileFolder,
        textures: Textures,
        diagnostics: Diagnostics,
    ) -> None:
        self._source = source
        self._diagnostics = diagnostics
        self._looks = Looks(robot, source, diagnostics)
        self._drawn = _Materials(textures)
        self._meshes = _Meshes(folder)
        self._names = Claims()
        self._flat: dict[MeshData, bool] = {}
        self._parts: dict[MeshData, list[tuple[MeshMaterial | None, Triangles]]] = {}
        self._bodies: dict[MeshData, Triangles] = {}
        self._frictions = find_friction(robot)

    @property
    def assets(self) -> list[PlannedElement]:
        """The content of <asset>: meshes, then images before the materials that show them."""
        return [*self._meshes.assets, *self._drawn.assets]

    def draw(self, link: Link) -> Iterator[WrittenGeom]:
        """Yields the visuals of a link, a geom for each look."""
        for visual in link.visuals:
            data, scale = self._load(visual, link)
            if data is None:
                continue
            look = None if data.materials else self._looks.find(visual, link)
            frame = matrix_from_pose(visual.origin)
            name = self._names.claim(visual.name) if visual.name else ""
            for own, attributes in self._find_parts(visual, data, scale):
                material = self._drawn.find(own or look, link.name, visual.line)
                yield WrittenGeom(frame=frame, attributes=attributes, name=name, material=material)
                name = ""

    def collide(self, link: Link) -> Iterator[WrittenGeom]:
        """Yields the collisions of a link."""
        friction = self._frictions.get(link.name)
        for collision in link.collisions:
            data, scale = self._load(collision, link)
            if data is None:
                continue
            frame = matrix_from_pose(collision.origin)
            attributes = _describe_primitive(collision.geometry)
            if attributes is None and self._is_flat(data):
                report_flat(collision, link, self._diagnostics)
                fit = fit_oriented_box(_points_of(data) * scale, None)
                frame, attributes = frame @ fit.frame, _describe_primitive(fit.geometry)
            points = None
            if attributes is None:
                attributes = self._meshes.add(self._find_body(data), _stem(collision, data), scale)
                points = _points_of(data) * scale
            yield WrittenGeom(
                frame=frame,
                attributes=attributes,
                name=self._names.claim(collision.name) if collision.name else "",
                friction=friction,
                points=points,
            )

    def measure(self, link: Link) -> MassProperties | None:
        """Returns the MassProperties of the collisions, in the link's frame; an open mesh counts as
        its hull. None where they have no volume."""
        return measure_collisions(link, self._source.load_or_report)

    def _load(self, shape: Shape, link: Link) -> tuple[MeshData | None, Vector3]:
        """Loads a mesh without its scale, where it is a file's."""
        geometry = shape.geometry
        data = self._source.load_or_report(shape, link)
        if data is None or not isinstance(geometry, Mesh) or self._source.shows(shape):
            return data, _UNSCALED
        if geometry.scale == _UNSCALED:
            return data, _UNSCALED
        return self._source.peek(replace(geometry, scale=_UNSCALED)), geometry.scale

    def _find_parts(
        self, visual: Visual, data: MeshData, scale: Vector3
    ) -> Iterator[tuple[MeshMaterial | None, dict[str, Value]]]:
        attributes = _describe_primitive(visual.geometry)
        if attributes is not None:
            yield None, attributes
            return
        if data not in self._parts:
            self._parts[data] = list(split_by_material(data))
        parts = self._parts[data]
        for own, triangles in parts:
            stem = _stem(visual, data, own if len(parts) > 1 else None)
            yield own, self._meshes.add(triangles, stem, scale)

    def _find_body(self, data: MeshData) -> Triangles:
        if data not in self._bodies:
            triangles = make_triangles(data)[0]
            self._bodies[data] = Triangles(triangles.vertices, triangles.corners)
        return self._bodies[data]

    def _is_flat(self, data: MeshData) -> bool:
        if data not in self._flat:
            self._flat[data] = is_flat(_points_of(data))
        return self._flat[data]


class _Materials:
    """Materials and their images, each look once, under the first one's name."""

    def __init__(self, textures: Textures) -> None:
        self._textures = textures
        self._names = Claims()
        self._known: dict[tuple[Color, str], str] = {}
        self._images: dict[str, str] = {}
        self.assets: list[PlannedElement] = []

    def find(self, look: MeshMaterial | None, subject: str, line: int) -> str:
        """Returns the name of a material; "" for none."""
        if look is None:
            return ""
        image = self._textures.find(look, subject, line) or ""
        red, green, blue, alpha = (round(min(max(part, 0.0), 1.0), _DIGITS) for part in look.color)
        color: Color = (1.0, 1.0, 1.0, alpha) if image else (red, green, blue, alpha)
        key = (color, image)
        if key not in self._known:
            name = self._known[key] = self._names.claim(look.name or "material")
            texture = self._add_image(image) if image else None
            attributes: dict[str, Value] = {"name": name, "texture": texture, "rgba": color}
            self.assets.append(PlannedElement("material", attributes))
        return self._known[key]

    def _add_image(self, file: str) -> str:
        if file not in self._images:
            name = self._images[file] = Path(file).stem
            image: dict[str, Value] = {"name": name, "type": "2d", "file": file}
            self.assets.append(PlannedElement("texture", image))
        return self._images[file]


class _Meshes:
    """Mesh files and the elements that name them, each once for each scale."""

    def __init__(self, folder: FileFolder) -> None:
        self._folder = folder
        self._files: dict[Triangles, str] = {}
        self._names: dict[tuple[str, Vector3], str] = {}
        self._claims = Claims()
        self.assets: list[PlannedElement] = []

    def add(self, triangles: Triangles, stem: str, scale: Vector3) -> dict[str, Value]:
        """Returns the attributes of a geom that is this mesh."""
        if triangles not in self._files:
            self._files[triangles] = self._write(_with_enough_points(triangles), stem)
        file = self._files[triangles]
        key = (file, scale)
        if key not in self._names:
            name = self._names[key] = self._claims.claim(Path(file).stem)
            stretch = None if scale == _UNSCALED else scale
            attributes: dict[str, Value] = {"name": name, "file": file, "scale": stretch}
            self.assets.append(PlannedElement("mesh", attributes))
        return {"type": "mesh", "mesh": self._names[key]}

    def _write(self, triangles: Triangles, stem: str) -> str:
        plain = triangles.normals is None and triangles.uvs is None and not triangles.smooth
        if plain and triangles.count <= _MOST_FACES:
            return self._folder.write(write_stl(triangles), stem, ".stl")
        return self._folder.write(write_obj(triangles), stem, ".obj")


def _with_enough_points(triangles: Triangles) -> Triangles:
    """Returns the triangles; a single one as three about its middle, since MuJoCo wants at least
    four points."""
    for few in (triangles.corners[:_FEW_CORNERS], triangles.corners):
        if len(np.unique(triangles.vertices[few], axis=0)) >= _LEAST_POINTS:
            return triangles
    points = triangles.vertices[triangles.corners[:3]]
    vertices = np.vstack([points, points.mean(axis=0, keepdims=True)]).astype(np.float32)
    around = np.array([0, 1, 3, 1, 2, 3, 2, 0, 3], dtype=np.int32)
    return Triangles(vertices, around)


def _describe_primitive(geometry: Geometry) -> dict[str, Value] | None:
    """Returns the attributes of a simple shape, whose sizes MuJoCo counts from the middle; None for
    a mesh."""
    match geometry:
        case Box(size=size):
            return {"type": "box", "size": [0.5 * side for side in size]}
        case Cylinder(radius=radius, length=length):
            return {"type": "cylinder", "size": [radius, 0.5 * length]}
        case Capsule(radius=radius, length=length) if length > 0.0:
            return {"type": "capsule", "size": [radius, 0.5 * length]}
        case Sphere(radius=radius) | Capsule(radius=radius):
            return {"type": "sphere", "size": [radius]}
        case Ellipsoid(radii=radii):
            return {"type": "ellipsoid", "size": list(radii)}
    return None


def _points_of(data: MeshData) -> NDArray[np.float64]:
    return data.vertices[np.unique(data.corners)].astype(np.float64)


def _stem(shape: Shape, data: MeshData, look: MeshMaterial | None = None) -> str:
    geometry = shape.geometry
    stem = data.name or (Path(geometry.filename).stem if isinstance(geometry, Mesh) else "mesh")
    return f"{stem}_{look.name}" if look is not None and look.name else stem
