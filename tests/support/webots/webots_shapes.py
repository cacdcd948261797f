# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of a robot as Webots files, and back from these files to points.

Each link is a Solid in the world's frame, so that nothing but shapes is looked at. The files are
read by the checker of Webots files and by trimesh, never by the code that wrote them.
"""

import io
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from urdf_importer import WebotsOptions, read_robot
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.geometry.primitives import make_primitive
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.meshes import RobotFiles
from urdf_importer.core.model import Box, Capsule, Collision, Cylinder, Link, Robot, Sphere, Visual
from urdf_importer.core.writers.formats import ConvertImage, OpenExport
from urdf_importer.formats.webots.write.shapes.shapes import ShapeNodeWriter
from urdf_importer.formats.webots.write.structure.sharing import share_repeats
from urdf_importer.formats.webots.write.vrml import Node, Value, write_node

Points = NDArray[np.float64]
CHECKER = Path(__file__).with_name("check_proto.py")


@dataclass(slots=True)
class Written:
    """`text` of the PROTO, which lies in `folder`; `writer` made it."""

    robot: Robot
    text: str
    folder: Path
    diagnostics: Diagnostics
    source: RobotFiles
    writer: ShapeNodeWriter

    @property
    def codes(self) -> list[str]:
        return [diagnostic.code for diagnostic in self.diagnostics]

    @property
    def files(self) -> dict[str, bytes]:
        found = sorted(self.folder.glob("Sample_meshes/*"))
        return {path.name: path.read_bytes() for path in found}

    def check(self) -> None:
        """No error and no warning of the checker."""
        ran = _run_checker(self.folder, "--strict", "--quiet")
        assert ran.returncode == 0, ran.stdout + ran.stderr

    def solids(self) -> list[dict[str, Any]]:
        """What the checker sees of each link: `visuals` and `collisions`, in their order."""
        tree = json.loads(_run_checker(self.folder, "--tree").stdout)
        found: list[dict[str, Any]] = tree["solids"][1:]
        assert len(found) == len(self.robot.links)
        return found


def _run_checker(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CHECKER), *arguments, str(folder / "Sample.proto")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def describe(path: Path, diagnostics: Diagnostics) -> RobotFiles:
    return RobotFiles(PackageResolver(str(path)), diagnostics)


def write_shapes(
    path: Path, folder: Path, convert: ConvertImage | None = None, **options: Any
) -> Written:
    """All shapes of a description into `folder`/Sample.proto."""
    read = Diagnostics(str(path))
    robot = read_robot(path, diagnostics=read)
    diagnostics = Diagnostics(str(path))
    source = describe(path, diagnostics)
    found = OpenExport(
        robot=robot,
        files=source,
        options=WebotsOptions(**options),
        diagnostics=diagnostics,
        convert_image=convert,
    )
    writer = ShapeNodeWriter(found, folder / "Sample_meshes", "Sample_meshes/")
    solids = [_make_solid(index, link, writer) for index, link in enumerate(robot.links)]
    root = Node("Robot", {"name": "Robot", "children": list(solids)})
    share_repeats(root)
    text = f"#VRML_SIM R2025a utf8\nPROTO Sample [\n]\n{{\n{write_node(root)}\n}}\n"
    (folder / "Sample.proto").write_text(text, encoding="utf-8")
    return Written(robot, text, folder, diagnostics, source, writer)


def _make_solid(index: int, link: Link, writer: ShapeNodeWriter) -> Node:
    children: list[Value] = list(writer.visual_nodes(link))
    fields: dict[str, Value] = {"name": f"link{index}", "children": children}
    bounding = writer.bounding_object(link)
    if bounding is not None:
        fields["boundingObject"] = bounding
    return Node("Solid", fields)


def points_written(shape: dict[str, Any], folder: Path) -> Points:
    """The vertices of one shape of `solids()`, in the frame of its Solid."""
    matrix = np.array(shape["matrix"])
    points: Points = _points_of(shape, folder) @ matrix[:3, :3].T + matrix[:3, 3]
    return points


def _points_of(shape: dict[str, Any], folder: Path) -> Points:
    match shape["geometry"]:
        case "Mesh":
            return points_of_file(folder / shape["url"])
        case "Box":
            made = make_primitive(Box(size=tuple(shape["size"])))
        case "Cylinder":
            made = make_primitive(Cylinder(radius=shape["radius"], length=shape["height"]))
        case "Capsule":
            made = make_primitive(Capsule(radius=shape["radius"], length=shape["height"]))
        case "Sphere":
            made = make_primitive(Sphere(radius=shape["radius"]))
        case kind:
            raise AssertionError(f"{kind} is not expected")
    return made.vertices.astype(np.float64)


def points_of_file(path: Path) -> Points:
    """The corners of every triangle, as trimesh reads a mesh file."""
    with path.open("rb") as file:
        if path.suffix == ".stl":
            read = trimesh.exchange.stl.load_stl(file)
        else:
            # Without materials: for these trimesh needs a library for images.
            text = io.TextIOWrapper(file, encoding="ascii")
            read = trimesh.exchange.obj.load_obj(text, skip_materials=True)
    parts = read["geometry"].values() if "geometry" in read else [read]
    return np.concatenate([part["vertices"][part["faces"]].reshape(-1, 3) for part in parts])


def points_described(shape: Visual | Collision, link: Link, written: Written) -> Points:
    """The vertices of a shape of the description, in the frame of its link."""
    matrix = matrix_from_pose(shape.origin)
    vertices = written.source.load(shape, link).vertices.astype(np.float64)
    return vertices @ matrix[:3, :3].T + matrix[:3, 3]


_DIRECTIONS = np.random.default_rng(8).normal(size=(24, 3))
DIRECTIONS = _DIRECTIONS / np.linalg.norm(_DIRECTIONS, axis=1)[:, None]


def reach(points: Points) -> Points:
    """How far points reach along directions all around: equal for equal shapes in one place."""
    found: Points = (points @ DIRECTIONS.T).max(axis=0)
    return found
