# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes in millimetres or inches are said to be so, with the line to write."""

import re
from pathlib import Path

import numpy as np
import pytest

from support.assembly_text import first_generation
from support.gates import gate_bodies, gate_joints
from support.paths import ROOT
from urdf_importer import Diagnostics, ImportOptions, read_robot

MESHES = ROOT / "sample_urdfs" / "meshes"


def binary(extent: float) -> bytes:
    corners = np.array([[0, 0, 0], [extent, 0, 0], [0, 1, 0]], "<f4")
    return bytes(80) + (1).to_bytes(4, "little") + bytes(12) + corners.tobytes() + bytes(2)


def ascii(extent: float) -> bytes:
    return (
        f"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex {extent} 0 0\n"
        "vertex 0 1 0\nendloop\nendfacet\nendsolid x\n"
    ).encode()


def place(folder: Path, stl: bytes, unit: str, per_metre: float) -> Path:
    bodies = gate_bodies()
    for body in bodies:
        for frame in body.frames:
            frame.unit = unit
            frame.point = [per_metre * x for x in frame.point]
        (folder / f"{body.name}.stl").write_bytes(stl)
        body.center, body.center_unit = [per_metre * x for x in body.center], unit
        if body.part is not None:
            body.part.unit = unit
            body.part.point = [per_metre * x for x in body.part.point]
    path = folder / "gate.xml"
    path.write_bytes(first_generation(bodies, gate_joints()))
    return path


@pytest.mark.parametrize("make", [binary, ascii])
@pytest.mark.parametrize(
    ("unit", "per_metre", "factor"), [("mm", 1000.0, "0.001"), ("in", 1 / 0.0254, "0.0254")]
)
def test_meshes_in_another_unit(
    tmp_path: Path, make: object, unit: str, per_metre: float, factor: str
) -> None:
    assert callable(make)
    path = place(tmp_path, make(4.0 * per_metre), unit, per_metre)
    diagnostics = Diagnostics()
    robot = read_robot(path, diagnostics=diagnostics)
    (item,) = (item for item in diagnostics if item.code == "suspicious-mesh-scale")
    line = re.search(r"`(scale: .*)`", item.message)
    assert line is not None and factor in line[1] and item.line > 0
    assert robot.links[0].visuals[0].geometry.scale == (1.0, 1.0, 1.0)  # type: ignore[union-attr]
    (tmp_path / "p.yaml").write_text(line[1] + "\n")
    cured = Diagnostics()
    read_robot(path, diagnostics=cured, options=ImportOptions(parameters=str(tmp_path / "p.yaml")))
    assert "suspicious-mesh-scale" not in {item.code for item in cured}


@pytest.mark.parametrize(
    "stl", [binary(4.0), ascii(4.0), b"", b"solid", binary(np.nan), b"\0" * 90]
)
def test_meshes_that_fit_or_cannot_be_read_raise_nothing(tmp_path: Path, stl: bytes) -> None:
    diagnostics = Diagnostics()
    read_robot(place(tmp_path, stl, "mm", 1000.0), diagnostics=diagnostics)
    assert "suspicious-mesh-scale" not in {item.code for item in diagnostics}


def test_the_sample_without_its_scale() -> None:
    diagnostics = Diagnostics()
    read_robot(ROOT / "sample_urdfs" / "pumpjack.xml", diagnostics=diagnostics)
    assert "suspicious-mesh-scale" not in {item.code for item in diagnostics}, "it finds no mesh"
