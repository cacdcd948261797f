# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that nobody would want: shapes around what is there of them, or one sentence, in time."""

from pathlib import Path

import numpy as np
import pytest

from support.seconds import within
from support.surfaces import Surface, make_surface
from urdf_importer import CollisionOptions, Diagnostics, fit_collisions, read_robot
from urdf_importer.core.model import Box

URDF = """<robot name="odd"><link name="odd"><visual><geometry><mesh filename="odd.stl"/></geometry>
</visual></link></robot>"""
BRICK = make_surface(Box(size=(0.3, 0.2, 0.1)))


def with_number(number: float) -> Surface:
    vertices = BRICK[0].copy()
    vertices[0, 0] = number
    return vertices, BRICK[1]


def make_grid(count: int) -> Surface:
    places = np.stack(np.meshgrid(np.arange(count), np.arange(count)), -1).reshape(-1, 2) / count
    heights = 0.1 * np.sin(9.0 * places[:, :1]) * np.cos(7.0 * places[:, 1:])
    index = np.arange(count * count).reshape(count, count)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    halves = [np.stack(each, axis=-1).reshape(-1, 3) for each in ((a, b, c), (a, c, d))]
    return np.hstack([places, heights]), np.concatenate(halves)


LINE = np.array([(0.0, 0, 0), (1, 1, 1), (2, 2, 2)])
ONE = np.array([(0, 1, 2)])
CASES = {
    "not a number": (with_number(np.nan), ["invalid-facets"]),
    "infinite": (with_number(np.inf), ["invalid-facets"]),
    "too large": (with_number(1e38), ["invalid-facets"]),
    "nothing": ((np.zeros((0, 3)), np.zeros((0, 3), dtype=int)), ["empty-mesh"]),
    "a point": ((np.zeros((3, 3)), ONE), ["empty-mesh"]),
    "a line": ((LINE, ONE), []),
    "one triangle": ((np.eye(3), ONE), []),
    "flat": ((BRICK[0] * (1, 1, 0), BRICK[1]), []),
    "a needle": ((BRICK[0] * (1, 1e-6, 1e-6), BRICK[1]), []),
    "tiny": ((BRICK[0] * 1e-20, BRICK[1]), []),
    "far away": ((BRICK[0] + 1e6, BRICK[1]), []),
    "two shells": (
        (np.vstack([BRICK[0], BRICK[0] + 2.0]), np.vstack([BRICK[1], BRICK[1] + len(BRICK[0])])),
        [],
    ),
    "crossing itself": (
        (np.random.default_rng(0).normal(size=(600, 3)), np.arange(600).reshape(-1, 3)),
        [],
    ),
}


def write(surface: Surface, folder: Path) -> Path:
    corners = surface[0].astype(np.float32)[surface[1]]
    records = np.zeros(
        len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")]
    )
    records["corners"] = corners
    head = bytes(80) + np.uint32(len(corners)).tobytes()
    (folder / "odd.stl").write_bytes(head + records.tobytes())
    (folder / "odd.urdf").write_text(URDF)
    return folder / "odd.urdf"


@pytest.mark.parametrize("shape", ["auto", "capsule", "hull"])
@pytest.mark.parametrize("case", CASES)
def test_an_odd_mesh_has_shapes_or_one_sentence(case: str, shape: str, tmp_path: Path) -> None:
    surface, codes = CASES[case]
    robot = read_robot(write(surface, tmp_path))
    options = CollisionOptions(shape=shape, cache=False)  # type: ignore[arg-type]
    for _ in within(20.0):
        diagnostics = Diagnostics()
        found = fit_collisions(robot, options=options, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == codes
    if codes != ["empty-mesh"]:
        link = found.links["odd"]
        assert 1 <= len(link.collisions) <= 16
        assert link.miss <= 1e-6 * max(float(np.abs(np.nan_to_num(surface[0])).max()), 1.0)


def test_a_flat_mesh_in_any_direction_is_one_thin_box(tmp_path: Path) -> None:
    robot = read_robot(write((np.eye(3), ONE), tmp_path))
    options = CollisionOptions(shape="decomposed", cache=False)
    assert len(fit_collisions(robot, options=options).links["odd"].collisions) == 1


@pytest.mark.parametrize(
    "count", [720, pytest.param(2237, marks=pytest.mark.slow)], ids=["one million", "ten millions"]
)
@pytest.mark.parametrize(("shape", "codes"), [("decomposed", ["mesh-not-decomposed"]), ("box", [])])
def test_a_mesh_of_more_than_a_million_triangles_is_not_cut(
    shape: str, codes: list[str], count: int, tmp_path: Path
) -> None:
    robot = read_robot(write(make_grid(count), tmp_path))
    options = CollisionOptions(shape=shape, cache=False)  # type: ignore[arg-type]
    for _ in within(20.0 * max(count / 720, 1.0)):
        diagnostics = Diagnostics()
        found = fit_collisions(robot, options=options, diagnostics=diagnostics).links["odd"]
    assert [each.code for each in diagnostics] == codes
    assert len(found.collisions) == 1 and found.miss < 1e-6
    assert isinstance(found.collisions[0].geometry, Box) == (shape == "box")
