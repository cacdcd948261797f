# SPDX-License-Identifier: GPL-3.0-or-later
"""Real mesh files, damaged: a sound mesh or a MeshError comes out, in little time."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import real_robots, xacro_truth
from support.mutations import damaged, examples, read_start
from urdf_importer.diagnostics import MeshError
from urdf_importer.meshes import MeshData, load_mesh

pytestmark = pytest.mark.slow

QUIRKS = Path(__file__).resolve().parents[2] / "data" / "quirks"
MOST_SECONDS = 5.0
SUFFIXES = (".stl", ".dae", ".obj", ".ply", ".glb")
FEW = 12


def real_files(suffix: str) -> list[Path]:
    """The smallest files of this format that others made, and the made-up ones."""
    roots = (real_robots.ROOT, xacro_truth.ROOT)
    found = {path for root in roots for path in root.rglob("*") if path.suffix.lower() == suffix}
    by_size = sorted(found, key=lambda path: (path.stat().st_size, str(path)))
    step = max(len(by_size) // FEW, 1)
    return by_size[::step][:FEW] + sorted(QUIRKS.rglob(f"*{suffix}"))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_meshes_are_meshes_or_refused(
    suffix: str, tmp_path: Path, check: Callable[[MeshData], None]
) -> None:
    contents = [read_start(path) for path in real_files(suffix)]
    assert contents
    place = tmp_path / f"damaged{suffix}"

    @examples()
    @given(damaged(st.sampled_from(contents)))
    def search(content: bytes) -> None:
        place.write_bytes(content)
        codes: list[str] = []
        began = time.process_time()
        try:
            check(load_mesh(place, (1.0, 1.0, 1.0), lambda code, message: codes.append(code)))
        except MeshError as error:
            codes.append(error.code)
        assert all(codes)
        assert time.process_time() - began < MOST_SECONDS

    search()
