# SPDX-License-Identifier: GPL-3.0-or-later
"""How much memory reading a mesh takes at its peak, by Python's account: the same everywhere; and
that Blender takes what was read as it is."""

import importlib.util
import tracemalloc
from dataclasses import fields

import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer.core.meshes import load_mesh

MOST = 4.0
"""Times the file's bytes, beside Blender's own mesh."""

GRID = 150
SUFFIXES = ["glb", "ply", "text.ply", "stl", "obj", "dae"]


def write_mesh(path, suffix, squares=GRID):
    place = ROOT / "benchmarks" / "made_meshes.py"
    spec = importlib.util.spec_from_file_location("made_meshes", place)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    made.write_mesh(path, suffix, squares)


def ignore(code, message):
    raise AssertionError(f"{code}: {message}")


def peak_of(path, scale):
    """What reading takes at its peak, and its result."""
    tracemalloc.start()
    try:
        mesh = load_mesh(path, scale, ignore)
        return tracemalloc.get_traced_memory()[1], mesh
    finally:
        tracemalloc.stop()


def bytes_of(mesh):
    arrays = [getattr(mesh, each.name) for each in fields(mesh)]
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


def bytes_in_blender(mesh):
    """The same arrays, and the edges: two vertices each, and one edge for each corner."""
    edges = len(mesh.vertices) + mesh.face_count - 1  # of a sheet, by Euler's formula
    return bytes_of(mesh) + 8 * edges + 4 * len(mesh.corners)


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (0.001, -0.001, 0.001), (1.0, 2.0, 3.0)])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_reading_takes_little_more_than_the_file_and_the_mesh(tmp_path, suffix, scale):
    path = tmp_path / f"made.{suffix}"
    write_mesh(path, suffix)
    load_mesh(path, scale, ignore)  # what is made once, such as patterns and tables
    peak, mesh = peak_of(path, scale)
    assert mesh.face_count == 2 * GRID * GRID
    assert peak <= MOST * path.stat().st_size + bytes_in_blender(mesh)


@pytest.mark.parametrize(("suffix", "most"), [("glb", 3.0), ("ply", 2.0)])
def test_reading_leaves_room_for_what_blender_makes(tmp_path, suffix, most):
    """Finding the edges takes Blender as much memory again as its mesh, while what was read is
    there: so little beside that and the file may be needed here."""
    path = tmp_path / f"made.{suffix}"
    write_mesh(path, suffix)
    load_mesh(path, (1.0, 1.0, 1.0), ignore)
    peak, mesh = peak_of(path, (1.0, 1.0, 1.0))
    assert peak <= most * path.stat().st_size + bytes_of(mesh)


@pytest.mark.parametrize("suffix", [*SUFFIXES, "text.stl"])
def test_blender_copies_the_arrays_at_one_go(tmp_path, suffix):
    """It does so where their buffers say "f" or "i"; of others, "<f" too, it takes number by
    number."""
    path = tmp_path / f"made.{suffix}"
    write_mesh(path, suffix, 4)
    mesh = load_mesh(path, (1.0, 1.0, 1.0), ignore)
    assert memoryview(mesh.vertices).format == "f" and memoryview(mesh.corners).format == "i"
    assert mesh.normals is None or memoryview(mesh.normals).format == "f"
