# SPDX-License-Identifier: GPL-3.0-or-later
"""Each file of a robot is read once, and what there is to say about it is said each time."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from urdf_importer.core.diagnostics import Diagnostics, MeshError, Severity
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.meshes import RobotFiles, ShownShape, load_mesh
from urdf_importer.core.meshes.loaders import LOADERS
from urdf_importer.core.model import Box, Collision, Geometry, Link, Material, Mesh, Visual

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
SCALES = ((1.0, 1.0, 1.0), (1.0, -1.0, 1.0), (2.0, 2.0, 2.0), (1.0, 1.0, 1.0))
LINK = Link(name="arm")


class Robot:
    """The files of a robot in a folder, and how often which of them were read."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.diagnostics = Diagnostics("robot.urdf")
        self.read: list[str] = []
        load = LOADERS[".obj"]

        def count(path: Path, *others: Any) -> MeshData:
            self.read.append(path.name)
            return load(path, *others)

        monkeypatch.setitem(LOADERS, ".obj", count)
        self.files = self.open()

    def open(self, **scene: Any) -> RobotFiles:
        resolver = PackageResolver(self.folder / "robot.urdf", environment=None)
        return RobotFiles(resolver, self.diagnostics, **scene)

    def write(self, text: str, name: str = "part.obj") -> None:
        (self.folder / name).write_text(text)

    def said(self) -> list[tuple[str, str, int]]:
        return [(item.code, item.subject, item.line) for item in self.diagnostics]


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Robot:
    return Robot(tmp_path, monkeypatch)


def visual(line: int = 0, **mesh: Any) -> Visual:
    return Visual(geometry=Mesh(**{"filename": "part.obj"} | mesh), line=line)


def code_of(load: Callable[[], Any]) -> str:
    with pytest.raises(MeshError) as caught:
        load()
    return caught.value.code


def test_each_scale_is_as_if_loaded_alone(robot: Robot) -> None:
    robot.write(TRIANGLE + "f 1 2 3\n")
    for scale in SCALES:
        shared = robot.files.load(visual(scale=scale), LINK)
        alone = load_mesh(robot.folder / "part.obj", scale, lambda *_: None)
        assert np.array_equal(shared.vertices, alone.vertices)
        assert np.array_equal(shared.corners, alone.corners)
        assert (shared.name, shared.materials) == (alone.name, alone.materials)
    assert len(robot.read) == 1 + len(SCALES)
    assert robot.said() == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (TRIANGLE + "f 1 2 3\nf 1 2 9\n", "invalid-facets"),
        ("mtllib part.mtl\n" + TRIANGLE + "f 1 2 3\n", "missing-materials"),
    ],
)
def test_what_there_is_to_say_is_said_for_each_scale(text: str, code: str, robot: Robot) -> None:
    """And once for the shapes that are the same: the first one of them gets it."""
    robot.write(text)
    for line, scale in enumerate(SCALES):
        robot.files.load(visual(line, scale=scale), LINK)
    assert robot.said() == [(code, "arm", 0), (code, "arm", 1), (code, "arm", 2)]
    assert robot.read == ["part.obj"]


def test_a_broken_file_fails_for_each_who_asks_and_is_read_once(robot: Robot) -> None:
    robot.write("v 0 0 0\nf 1 2 3\n")
    for scale in SCALES:
        assert code_of(lambda scale=scale: robot.files.load(visual(scale=scale), LINK)) == (  # type: ignore[misc]
            "empty-mesh"
        )
    assert [code for code, _, _ in robot.said()] == ["invalid-facets"] * 3
    assert robot.read == ["part.obj"]


def test_a_peek_says_nothing_and_takes_nothing_from_what_is_said_later(robot: Robot) -> None:
    robot.write(TRIANGLE + "f 1 2 3\nf 1 2 9\n")
    seen = robot.files.peek(visual().geometry)
    assert robot.said() == []
    assert robot.files.load(visual(3), LINK) is seen
    assert robot.said() == [("invalid-facets", "arm", 3)]
    assert robot.read == ["part.obj"]


def test_a_wrong_scale_is_refused_whether_the_file_is_known_or_not(robot: Robot) -> None:
    robot.write(TRIANGLE + "f 1 2 3\n")
    flat, flatter = ((factor, 0.0, 1.0) for factor in (1.0, 2.0))
    assert code_of(lambda: robot.files.load(visual(scale=flat), LINK)) == "invalid-scale"
    assert robot.read == []
    robot.files.load(visual(), LINK)
    assert code_of(lambda: robot.files.load(visual(scale=flatter), LINK)) == "invalid-scale"


def test_simple_shapes_and_lost_meshes(robot: Robot) -> None:
    box: Geometry = Box(size=(1.0, 1.0, 1.0))
    data = robot.files.load_or_report(Visual(geometry=box), LINK)
    assert data is not None and data.face_count == 6
    for kind, effect in ((Visual, "is not shown"), (Collision, "does not collide")):
        shape = kind(geometry=Mesh(filename="gone.obj"), line=7)
        assert robot.files.load_or_report(shape, LINK) is None
        assert robot.files.load_or_report(shape, LINK) is None
        last = list(robot.diagnostics)[-1]
        assert (last.severity, last.code, last.line) == (Severity.ERROR, "missing-mesh", 7)
        assert last.message.startswith("mesh 'gone.obj' of link 'arm': there is no file ")
        assert last.message.endswith(f"; it {effect}")
    assert len(robot.diagnostics) == 2


def test_a_substitute_makes_a_warning_of_it(robot: Robot) -> None:
    shape = Visual(geometry=Box(size=(1.0, 1.0, 1.0)))
    robot.files.report_lost(MeshError("it broke"), shape, LINK, substitute="a ball is there")
    (item,) = robot.diagnostics
    assert (item.severity, item.code) == (Severity.WARNING, "unreadable-mesh")
    assert item.message == "a box of link 'arm': it broke; a ball is there"


def test_the_file_of_a_shape_is_what_is_loaded_as_it_is(robot: Robot) -> None:
    robot.write(TRIANGLE + "f 1 2 3\n")
    assert robot.files.file_of(visual()) == robot.folder / "part.obj"
    assert robot.files.file_of(visual(scale=(2.0, 2.0, 2.0))) is None
    assert robot.files.file_of(visual(filename="gone.obj")) is None
    assert robot.files.file_of(Visual(geometry=Box(size=(1.0, 1.0, 1.0)))) is None
    assert robot.said() == []


def test_what_the_scene_shows_counts_more_than_files(robot: Robot) -> None:
    """By object: the same shape of another link may look different there."""
    robot.write(TRIANGLE + "f 1 2 3\n")
    one, other, lost = visual(1), replace(visual(1)), visual(2)
    data = load_mesh(robot.folder / "part.obj", (3.0, 3.0, 3.0), lambda *_: None)
    robot.read.clear()
    shown = [ShownShape(shape=one, data=data), ShownShape(shape=lost, data=None)]
    files = robot.open(shown=shown, images=["/tmp/paint.png"])
    assert files.load(one, LINK) is data and robot.read == []
    assert files.file_of(one) is None and files.file_of(lost) is None
    assert files.load(other, LINK).vertices.max() == 1.0
    assert files.load(lost, LINK) is files.load(other, LINK)
    assert files.find_texture(Material(texture="/tmp/paint.png"), LINK) == Path("/tmp/paint.png")
    assert code_of(lambda: files.find_texture(Material(texture="no.png"), LINK)) == (
        "missing-texture"
    )
