# SPDX-License-Identifier: GPL-3.0-or-later
"""Every COLLADA file of the package example-robot-data against an independent expectation."""

import sysconfig
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from support.collada_truth import expect
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.meshes.collada.load import load_collada

SMALL = 1_000_000
"""Bytes up to which a file takes part in the quick run."""

Check = Callable[[MeshData], None]


def compare(path: Path, notes: Callable[[str, str], None], check: Check) -> None:
    expected = expect(path)
    mesh = load_collada(path, notes, lambda uri, kind: path.parent / uri)
    check(mesh)
    assert mesh.face_count == expected.faces, path
    assert np.abs(mesh.vertices.min(axis=0) - expected.low).max() < 1e-4, path
    assert np.abs(mesh.vertices.max(axis=0) - expected.high).max() < 1e-4, path
    named = [each for each in mesh.materials if each.name]
    assert len(named) == len(expected.materials), path
    assert all(each.texture is None or each.texture.is_file() for each in mesh.materials), path
    assert mesh.normals is not None
    assert len(np.unique(mesh.vertices, axis=0)) == len(mesh.vertices), path


def real_files() -> list[Path]:
    share = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share", "example-robot-data")
    return sorted(path for path in share.glob("robots/**/*") if path.suffix.lower() == ".dae")


def test_files_of_moderate_size(notes, check: Check) -> None:
    files = [path for path in real_files() if path.stat().st_size <= SMALL]
    assert len(files) > 150
    for path in files:
        compare(path, notes, check)
    assert notes == []


@pytest.mark.slow
def test_large_files(notes, check: Check) -> None:
    files = [path for path in real_files() if path.stat().st_size > SMALL]
    assert len(files) > 20
    for path in files:
        compare(path, notes, check)
    assert notes == []
