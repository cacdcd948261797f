# SPDX-License-Identifier: GPL-3.0-or-later
"""Each format and feature can be taken away, with the parts that stand on it."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.layers import read_layers
from support.paths import ROOT, TESTS

SESSION = TESTS / "support" / "removed_session.py"
ROBOT = ROOT / "sample_urdfs" / "quadruped_leg.urdf"
ROWS = {name: row for name, row in read_layers().items() if row.shelf in ("formats", "features")}
STEPS = ("planned", "commanded", *(("posed", "registered") if find_spec("bpy") else ()))

IN_THE_INTERFACE = {"mjcf", "srdf", "usd", "worlds"}
IN_THE_INTERFACE |= {"collisions", "driving", "ik", "motion", "sensing", "studio"}
"""Parts that operators of other folders import: the interface goes with them. May only get
shorter."""


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


@pytest.mark.slow
@pytest.mark.parametrize("part", sorted(ROWS.keys() - {"urdf"}))
def test_all_else_works_without(part: str, tmp_path: Path) -> None:
    remove(list_standing_on(part), tmp_path / "left")
    steps = STEPS[:3] if part in IN_THE_INTERFACE else STEPS
    done = subprocess.run(
        [sys.executable, "-W", "error", str(SESSION), str(tmp_path), str(ROBOT), *steps],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path / "profile")},
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert tuple(line for line in done.stdout.splitlines() if line in STEPS) == steps
