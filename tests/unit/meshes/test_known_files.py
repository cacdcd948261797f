# SPDX-License-Identifier: GPL-3.0-or-later
"""A file used at several scales is loaded once, unless there is something to say about it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from urdf_importer.diagnostics import MeshError
from urdf_importer.meshes import MeshData, load_geometry
from urdf_importer.meshes.loaders import LOADERS
from urdf_importer.model import Mesh

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
SCALES = ((1.0, 1.0, 1.0), (1.0, -1.0, 1.0), (2.0, 2.0, 2.0), (1.0, 1.0, 1.0))


class Robot:
    """Loads one file at several scales, as the shapes of a robot do."""

    def __init__(self, path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
        path.write_text(text)
        self.path = path
        self.loaded = 0
        self.codes: list[str] = []
        load = LOADERS[path.suffix]

        def count(*arguments: Any) -> MeshData:
            self.loaded += 1
            return load(*arguments)

        monkeypatch.setitem(LOADERS, path.suffix, count)

    def load_all(self, *, known: bool) -> list[MeshData]:
        files: dict[Path, MeshData] = {}
        return [
            load_geometry(
                Mesh(filename="part", scale=scale),
                lambda _: self.path,
                lambda code, _: self.codes.append(code),
                self._find_beside,
                files if known else None,
            )
            for scale in SCALES
        ]

    def _find_beside(self, _path: Path, uri: str, _kind: str) -> Path:
        raise MeshError(f"no {uri}", code="missing-texture")


def test_each_scale_is_as_if_loaded_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = Robot(tmp_path / "part.obj", TRIANGLE + "f 1 2 3\n", monkeypatch)
    shared, alone = robot.load_all(known=True), robot.load_all(known=False)
    assert robot.loaded == 1 + len(SCALES)
    for one, other in zip(shared, alone, strict=True):
        assert np.array_equal(one.vertices, other.vertices)
        assert np.array_equal(one.corners, other.corners)
        assert (one.name, one.materials) == (other.name, other.materials)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (TRIANGLE + "f 1 2 3\nf 1 2 9\n", "invalid-facets"),
        ("mtllib part.mtl\n" + TRIANGLE + "f 1 2 3\n", "missing-materials"),
    ],
)
def test_what_there_is_to_say_is_said_each_time(
    text: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = Robot(tmp_path / "part.obj", text, monkeypatch)
    robot.load_all(known=True)
    assert robot.codes == [code] * len(SCALES)
    assert robot.loaded == len(SCALES)


def test_a_wrong_scale_is_refused_whether_the_file_is_known_or_not(tmp_path: Path) -> None:
    path = tmp_path / "part.obj"
    path.write_text(TRIANGLE + "f 1 2 3\n")
    files: dict[Path, MeshData] = {}

    def load(scale: tuple[float, float, float]) -> MeshData:
        return load_geometry(
            Mesh(filename="part", scale=scale), lambda _: path, lambda *_: None, known=files
        )

    for is_known in (False, True):
        assert (path in files) == is_known
        with pytest.raises(MeshError) as caught:
            load((0.0, 1.0, 1.0))
        assert caught.value.code == "invalid-scale"
        load((1.0, 1.0, 1.0))
