# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of real robots: where the description says, in files that other programs read."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.real_robots import descriptions, name_of
from support.seconds import within
from support.webots.point_clouds import Points
from support.webots.webots_shapes import (
    Written,
    points_described,
    points_written,
    reach,
    write_shapes,
)
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.model import Collision, Link, Mesh, Visual

# Empty: it has no links, and so is no robot.
ROBOTS = [path for path in descriptions() if path.stem != "ur3"]
CHOSEN = ("talos_full_v2", "panda", "anymal", "icub", "romeo", "go1", "iris", "hyq_no_sensors")


def find(stem: str) -> Path:
    return next(path for path in ROBOTS if path.stem == stem)


def described(shapes: Iterable[Visual | Collision], link: Link, written: Written) -> list[Points]:
    found = []
    for shape in shapes:
        try:
            points = points_described(shape, link, written)
        except MeshError:
            continue
        if len(points):
            found.append(points)
    return found


def assert_placed(written: Written) -> None:
    """Each link's visuals together, and each of its collisions, reach as far as in the URDF."""
    for link, solid in zip(written.robot.links, written.solids(), strict=True):
        seen = described(link.visuals, link, written)
        drawn = [points_written(shape, written.folder) for shape in solid["visuals"]]
        assert bool(seen) == bool(drawn), link.name
        if seen:
            assert_reach(np.concatenate(drawn), np.concatenate(seen))
        solids = described(link.collisions, link, written)
        bodies = [points_written(shape, written.folder) for shape in solid["collisions"]]
        for one, other in zip(bodies, solids, strict=True):
            assert_reach(one, other)


def assert_reach(points: Points, truth: Points) -> None:
    size = float(np.ptp(truth, axis=0).max())
    assert np.abs(reach(points) - reach(truth)).max() <= 1e-6 * max(size, 1.0)


@pytest.mark.parametrize("stem", CHOSEN)
def test_shapes_stand_where_the_description_says(stem: str, tmp_path: Path) -> None:
    written = write_shapes(find(stem), tmp_path)
    written.check()
    assert_placed(written)


@pytest.mark.slow
@pytest.mark.parametrize("path", ROBOTS, ids=name_of)
def test_shapes_of_every_robot(path: Path, tmp_path: Path) -> None:
    written = write_shapes(path, tmp_path)
    written.check()
    assert_placed(written)


@pytest.mark.parametrize("kind", ["hull", "box", "oriented_box", "cylinder", "capsule", "sphere"])
def test_bodies_contain_the_meshes(kind: str, tmp_path: Path) -> None:
    """Half of the sides of a round shape of 32 lie half a percent inside: they count as outside."""
    written = write_shapes(find("talos_left_arm"), tmp_path, collision=kind)
    written.check()
    count = 0
    for link, solid in zip(written.robot.links, written.solids(), strict=True):
        for collision, shape in zip(link.collisions, solid["collisions"], strict=True):
            truth = points_described(collision, link, written)
            room = 0.006 * np.ptp(truth, axis=0).max() if kind not in ("hull", "box") else 1e-6
            found = points_written(shape, tmp_path)
            assert (reach(found) >= reach(truth) - room).all(), link.name
            count += isinstance(collision.geometry, Mesh)
    assert count > 5
    assert sum(map(len, written.writer.bodies.fits.values())) == count


def test_auto_is_never_worse_than_any_kind(tmp_path: Path) -> None:
    volumes = {}
    for kind in ("auto", "hull", "oriented_box", "cylinder", "capsule", "sphere"):
        folder = tmp_path / kind
        folder.mkdir()
        fits = write_shapes(find("tiago"), folder, collision=kind).writer.bodies.fits
        volumes[kind] = np.array([body.volume for bodies in fits.values() for body in bodies])
    simple = np.minimum.reduce([volumes[kind] for kind in volumes if kind not in ("auto", "hull")])
    # A hull of few triangles is a little larger than the hull.
    assert (volumes["auto"] <= np.maximum(simple, volumes["hull"]) * 1.15).all()
    assert (volumes["auto"] >= volumes["hull"] * (1 - 1e-6)).all()
    is_simple = volumes["auto"] == simple
    assert 0 < is_simple.sum() < len(is_simple)


def test_self_contained_style_has_no_files(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir(), other.mkdir()
    written = write_shapes(find("hyq_no_sensors"), one, geometry="vrml")
    written.check()
    assert not written.files
    files = write_shapes(find("hyq_no_sensors"), other)
    shapes = zip(written_shapes(written), written_shapes(files), strict=True)
    for inside, outside in shapes:
        expected = {"Mesh": "IndexedFaceSet"}.get(outside["geometry"], outside["geometry"])
        assert inside["geometry"] == expected
        assert inside["matrix"] == outside["matrix"]


def written_shapes(written: Written) -> list[dict[str, Any]]:
    return [shape for solid in written.solids() for shape in solid["visuals"] + solid["collisions"]]


@pytest.mark.parametrize("options", [{}, {"geometry": "vrml"}, {"collision": "auto"}], ids=str)
def test_is_the_same_every_time(options: dict[str, str], tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir(), other.mkdir()
    first = write_shapes(find("tiago_no_hand"), one, **options)
    again = write_shapes(find("tiago_no_hand"), other, **options)
    assert first.text == again.text
    assert first.files == again.files


def test_files_of_a_humanoid_take_less_than_two_seconds(tmp_path: Path) -> None:
    for _ in within(2.0):
        written = write_shapes(find("talos_full_v2"), tmp_path)
    assert len(written.files) > 50


def test_bodies_of_a_humanoid_take_less_than_twenty_seconds(tmp_path: Path) -> None:
    for _ in within(20.0):
        write_shapes(find("talos_full_v2"), tmp_path, collision="auto").check()
