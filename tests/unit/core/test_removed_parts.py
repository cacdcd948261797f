# SPDX-License-Identifier: GPL-3.0-or-later
"""Each format and feature can be taken away, with the parts that stand on it."""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.layers import imports_of, read_layers
from support.paths import ROOT, TESTS
from support.source_tree import Source, sources_of
from urdf_importer.core.shelves import list_names

SESSION = TESTS / "support" / "removed_session.py"
ROBOT = ROOT / "sample_urdfs" / "quadruped_leg.urdf"
ROWS = {name: row for name, row in read_layers().items() if row.shelf in ("formats", "features")}
STEPS = ("planned", "commanded", *(("posed", "registered") if find_spec("bpy") else ()))


def list_standing_on(part: str) -> set[str]:
    """Returns the part and all parts whose rows lead to it."""
    gone = {part}
    for name, row in ROWS.items():
        if row.ours & gone:
            gone.add(name)
    return gone


def remove(parts: set[str], extension: Path) -> None:
    """Copies the extension without the folders of the parts."""
    extension.mkdir()
    for name in ("__init__.py", "blender_manifest.toml"):
        shutil.copy(ROOT / name, extension / name)
    for name in ("urdf_importer", "operators"):
        # With the compiled files, which are as good for the copy.
        shutil.copytree(ROOT / name, extension / name)
    shelves = [*(extension / "urdf_importer" / shelf for shelf in ("formats", "features"))]
    for folder in (top / part for top in (*shelves, extension / "operators") for part in parts):
        shutil.rmtree(folder, ignore_errors=True)


def list_used(source: Source) -> Iterator[tuple[str, str]]:
    """Yields the parts of which a file of the interface needs a folder or a public name, each with
    the place."""
    for found in imports_of(source):
        named = found.target[1:3] if found.relative else ()
        yield from ((part, found.place) for part in named if part in ROWS)
    homes = {name: package.rpartition(".")[2] for name, (package, _) in list_names().items()}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and node.module == "urdf_importer":
            names = (homes.get(each.name, "") for each in node.names)
            yield from ((part, source.place(node)) for part in names if part in ROWS)


def test_the_interface_uses_the_parts_of_its_rows() -> None:
    """A folder of a part in `operators/` uses that part, and those of its row; the rest of the
    interface uses none but urdf."""
    for source in sources_of("operators"):
        own = source.parts[1] if len(source.parts) > 1 else ""
        allowed = {"urdf", own, *(ROWS[own].ours if own in ROWS else ())}
        for part, place in list_used(source):
            assert part in allowed, f"{place} uses {part}"


@pytest.mark.slow
@pytest.mark.parametrize("part", sorted(ROWS.keys() - {"urdf"}))
def test_all_else_works_without(part: str, tmp_path: Path) -> None:
    remove(list_standing_on(part), tmp_path / "left")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(SESSION), str(tmp_path), str(ROBOT), *STEPS],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path / "profile")},
        timeout=300,
    )
    # Blender catches what drawing raises, and only writes it.
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stdout + done.stderr
    assert tuple(line for line in done.stdout.splitlines() if line in STEPS) == STEPS
