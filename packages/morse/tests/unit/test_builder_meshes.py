# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes inside builder scripts: the same triangles, each mesh once, cut only at sharp edges."""

import array
import ast
import base64
import sys
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer import Diagnostics, MorseOptions, read_robot, write_builder_script
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.geometry.mesh_data import MeshData, MeshMaterial
from urdf_importer.core.geometry.primitives import make_box, make_cylinder, make_sphere
from urdf_importer.core.geometry.triangles import Triangles, flat_normals, make_triangles
from urdf_importer.core.meshes import RobotFiles, ShownShape
from urdf_importer.core.model import Box, Collision, Link, Material, Mesh, Robot, Sphere, Visual
from urdf_importer.core.writers.formats import OpenExport
from urdf_importer_morse.script.packing import split_sharp
from urdf_importer_morse.script.write import write_script

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
ARM = ROOT / "sample_urdfs" / "two_link_arm.urdf"


class Script:
    """The tables of a script, and its meshes as its own functions read them."""

    def __init__(self, text: str) -> None:
        wanted = ("read_mesh", "read_numbers", "group_by_three")
        self.names: dict[str, Any] = {"array": array, "base64": base64, "sys": sys, "zlib": zlib}
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name in wanted:
                exec(compile(ast.Module([node], []), "script", "exec"), self.names)
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).isupper():
                name = ast.unparse(node.targets[0])
                if name not in ("OLD", "SENSORS"):
                    self.names[name] = ast.literal_eval(node.value)

    def __getitem__(self, table: str) -> Any:
        return self.names[table]

    def triangles(self, mesh: str) -> Any:
        """(T, 3, 3)"""
        vertices, faces, _ = self.names["read_mesh"](mesh)
        return np.array(vertices, dtype=np.float32)[np.array(faces)]

    def slots(self, mesh: str) -> list[int]:
        slots: list[int] = self.names["read_mesh"](mesh)[2]
        return slots


def give(robot: Robot, diagnostics: Diagnostics, **meshes: MeshData) -> RobotFiles:
    """Meshes that are made here, by file name."""
    shapes = (shape for link in robot.links for shape in (*link.visuals, *link.collisions))
    shown = [
        ShownShape(shape=shape, data=meshes[shape.geometry.filename])
        for shape in shapes
        if isinstance(shape.geometry, Mesh)
    ]
    return RobotFiles(PackageResolver("", environment=None), diagnostics, shown=shown)


def write_from(robot: Robot, diagnostics: Diagnostics, path: Path, **meshes: MeshData) -> None:
    files = give(robot, diagnostics, **meshes)
    found = OpenExport(robot=robot, files=files, options=MorseOptions(), diagnostics=diagnostics)
    write_script(found, path)


def write(path: Path, *shapes: Visual | Collision, **meshes: MeshData) -> Script:
    link = Link(
        name="a",
        visuals=tuple(shape for shape in shapes if isinstance(shape, Visual)),
        collisions=tuple(shape for shape in shapes if isinstance(shape, Collision)),
    )
    diagnostics = Diagnostics()
    robot = Robot(name="r", links=(link,))
    write_from(robot, diagnostics, path, **meshes)
    assert not len(diagnostics)
    return Script(path.read_text())


def soup_of(data: MeshData) -> Any:
    triangles, _ = make_triangles(data)
    return triangles.vertices[triangles.faces]


def cut(data: MeshData) -> tuple[Any, Any]:
    return split_sharp(make_triangles(data)[0])


def vertex_normals(vertices: Any, faces: Any) -> Any:
    """As Blender makes them: each face counts by its angle at the vertex."""
    flat = flat_normals(Triangles(vertices, faces.ravel())).astype(float)
    normals = np.zeros((len(vertices), 3))
    for corner in range(3):
        at = vertices[faces[:, corner]].astype(float)
        one = vertices[faces[:, (corner + 1) % 3]] - at
        other = vertices[faces[:, (corner + 2) % 3]] - at
        cosines = np.einsum("ij,ij->i", one, other)
        cosines /= np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        np.add.at(normals, faces[:, corner], flat * np.arccos(np.clip(cosines, -1, 1))[:, None])
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


class TestSmoothing:
    def test_a_box_has_its_corners_three_times(self) -> None:
        vertices, faces = cut(make_box((1.0, 2.0, 3.0)))
        assert len(vertices) == 24
        flat = np.repeat(flat_normals(Triangles(vertices, faces.ravel())), 3, axis=0)
        assert np.abs(vertex_normals(vertices, faces)[faces.ravel()] - flat).max() < 1e-6

    def test_a_sphere_is_smooth(self) -> None:
        data = make_sphere(1.0)
        vertices, faces = cut(data)
        assert len(vertices) == len(data.vertices)
        assert np.abs(vertex_normals(vertices, faces) - vertices).max() < 0.02

    def test_a_cylinder_keeps_its_rims(self) -> None:
        """Its normals are its own: around and flat on the caps."""
        vertices, faces = cut(make_cylinder(0.5, 2.0))
        assert len(vertices) == 4 * 32
        normals = vertex_normals(vertices, faces)
        is_cap = np.abs(normals[:, 2]) > 0.5
        assert is_cap.sum() == 64 and np.abs(np.abs(normals[is_cap, 2]) - 1.0).max() < 1e-6
        around = normals[~is_cap]
        assert np.abs(around[:, :2] - vertices[~is_cap, :2] * 2.0).max() < 0.02

    @pytest.mark.parametrize(("degrees", "count"), [(20.0, 4), (40.0, 6)])
    def test_edges_are_sharp_beyond_thirty_degrees(self, degrees: float, count: int) -> None:
        angle = np.radians(degrees)
        points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -np.cos(angle), np.sin(angle)]]
        corners = np.array([0, 1, 2, 1, 0, 3], dtype=np.int32)
        vertices, faces = cut(MeshData(vertices=np.array(points, np.float32), corners=corners))
        assert len(vertices) == count and faces.shape == (2, 3)

    def test_faces_that_are_turned_over_are_not_joined(self) -> None:
        points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0]], np.float32)
        corners = np.array([0, 1, 2, 0, 1, 3], dtype=np.int32)
        assert len(cut(MeshData(vertices=points, corners=corners))[0]) == 6

    def test_faces_without_surface_do_no_harm(self) -> None:
        points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]], np.float32)
        corners = np.array([0, 1, 2, 0, 3, 1], dtype=np.int32)
        vertices, faces = cut(MeshData(vertices=points, corners=corners))
        assert np.array_equal(vertices[faces], points[corners.reshape(-1, 3)])


class TestTables:
    @pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
    def test_triangles_are_the_same(self, path: Path, tmp_path: Path) -> None:
        robot = read_robot(path)
        write_builder_script(robot, tmp_path / "robot.py")
        script = Script((tmp_path / "robot.py").read_text())
        rows = script["VISUALS"] + script["COLLISIONS"]
        assert {row[2] for row in rows} == set(script["MESHES"])
        files = RobotFiles(PackageResolver(path), Diagnostics())
        for link in robot.links:
            for table, shapes in (("VISUALS", link.visuals), ("COLLISIONS", link.collisions)):
                soups = []
                for shape in shapes:
                    with suppress(MeshError):
                        soups.append(soup_of(files.load(shape, link)))
                meshes = [row[2] for row in script[table] if row[0] == link.name]
                for mesh, soup in zip(meshes, soups, strict=True):
                    assert np.array_equal(script.triangles(mesh), soup)

    def test_each_mesh_is_there_once(self, tmp_path: Path) -> None:
        red = Material(name="red", color=(1.0, 0.0, 0.0, 1.0))
        blue = Material(name="blue", color=(0.0, 0.0, 1.0, 0.5))
        box, ball = Box(size=(1.0, 1.0, 1.0)), Sphere(radius=0.5)
        script = write(
            tmp_path / "r.py",
            Visual(geometry=box, material=red),
            Visual(geometry=box, material=blue),
            Visual(geometry=Mesh(filename="same")),
            Collision(geometry=box),
            Collision(geometry=ball),
            Collision(geometry=Mesh(filename="same")),
            same=make_box((1.0, 1.0, 1.0)),
        )
        assert list(script["MESHES"]) == ["Box", "Sphere"]
        looks = [row[3] for row in script["VISUALS"]]
        assert looks == [("red",), ("blue",), ("#cccccc",)]
        assert [row[3] for row in script["COLLISIONS"]] == ["BOX", "SPHERE", "CONVEX_HULL"]
        assert dict((row[0], row[1:]) for row in script["MATERIALS"])["blue"] == (0, 0, 1, 0.5)

    def test_colours_are_linear(self, tmp_path: Path) -> None:
        grey = Material(name="grey", color=(0.5, 0.02, 1.5, 1.0))
        shape = Visual(geometry=Sphere(radius=1.0), material=grey)
        ((_, *color),) = write(tmp_path / "r.py", shape)["MATERIALS"]
        assert color == pytest.approx([0.214041, 0.02 / 12.92, 1.0, 1.0], abs=1e-6)

    def test_materials_of_mesh_files(self, tmp_path: Path) -> None:
        """Only those that faces show, in the order of their slots."""
        looks = tuple(MeshMaterial(name=name, color=(0.1, 0.1, 0.1, 1.0)) for name in "abc")
        box = make_box((1.0, 1.0, 1.0))
        data = MeshData(
            vertices=box.vertices,
            corners=box.corners,
            face_sizes=box.face_sizes,
            materials=looks,
            slots=np.array([0, 2, 0, 2, 0, 2], dtype=np.int32),
        )
        script = write(tmp_path / "r.py", Visual(geometry=Mesh(filename="m")), m=data)
        ((_, _, mesh, names, *_),) = script["VISUALS"]
        assert names == ("a", "c")
        assert script.slots(mesh) == [0, 0, 1, 1] * 3
        assert np.array_equal(script.triangles(mesh), soup_of(box))

    def test_vertices_that_no_face_has_are_left_out(self, tmp_path: Path) -> None:
        points = np.array([[9, 9, 9], [0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
        data = MeshData(vertices=points, corners=np.array([1, 2, 3], np.int32))
        script = write(tmp_path / "r.py", Collision(geometry=Mesh(filename="m")), m=data)
        (mesh,) = script["MESHES"]
        assert script.names["read_mesh"](mesh)[0] == [(0, 0, 0), (1, 0, 0), (0, 1, 0)]

    def test_mass_is_shared_among_shapes(self, tmp_path: Path) -> None:
        write_builder_script(read_robot(ARM), tmp_path / "robot.py")
        script = Script((tmp_path / "robot.py").read_text())
        masses = {row[0]: row[-1] for row in script["LINKS"]}
        assert script["MASS"] == pytest.approx(sum(masses.values()))
        for name in {row[0] for row in script["COLLISIONS"]}:
            shares = [row[4] for row in script["COLLISIONS"] if row[0] == name]
            assert sum(shares) == pytest.approx(masses[name]) and len(set(shares)) == 1

    def test_images_are_told_of_once(self, tmp_path: Path) -> None:
        image = MeshMaterial(name="a", texture=tmp_path / "a.png")
        box = make_box((1.0, 1.0, 1.0))
        data = MeshData(
            vertices=box.vertices,
            corners=box.corners,
            face_sizes=box.face_sizes,
            materials=(image,),
        )
        shape = Visual(geometry=Mesh(filename="m"))
        robot = Robot(name="r", links=(Link(name="a", visuals=(shape, shape)),))
        diagnostics = Diagnostics()
        path = tmp_path / "r.py"
        write_from(robot, diagnostics, path, m=data)
        assert [item.code for item in diagnostics] == ["morse-no-images"]
