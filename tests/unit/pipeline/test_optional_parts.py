# SPDX-License-Identifier: GPL-3.0-or-later
"""Without its optional parts the library does all that is not theirs, and does not name them."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import urdf_importer
from support.paths import ROOT, TESTS
from urdf_importer.pipeline.formats import OPTIONAL_PARTS

SCRIPT = TESTS / "support" / "severed_session.py"
ROBOT = ROOT / "sample_urdfs" / "quadruped_leg.urdf"


def sever(folder: Path) -> None:
    """Copies the library into a folder, alone and with the operators, without the parts."""
    dropped = shutil.ignore_patterns("__pycache__", *OPTIONAL_PARTS)
    extension = folder / "severed"
    for target in (folder, extension):
        shutil.copytree(ROOT / "urdf_importer", target / "urdf_importer", ignore=dropped)
    shutil.copytree(ROOT / "operators", extension / "operators", ignore=dropped)
    for name in ("__init__.py", "blender_manifest.toml"):
        shutil.copy(ROOT / name, extension / name)


def test_everything_else_works_without_them(tmp_path: Path) -> None:
    sever(tmp_path)
    assert OPTIONAL_PARTS and not list(tmp_path.rglob("morse"))
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(SCRIPT), str(tmp_path), str(ROBOT)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=kept | {"BLENDER_USER_RESOURCES": str(tmp_path / "profile")},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    wanted = ["planned", "commanded"]
    if find_spec("bpy") is not None:
        wanted += ["imported", "shown"]
    assert [line for line in done.stdout.splitlines() if line in wanted] == wanted


def test_the_parts_are_here_and_offer_what_is_public() -> None:
    for part in OPTIONAL_PARTS:
        module = getattr(__import__(f"urdf_importer.{part}"), part)
        for name in module.OFFERED:
            assert name in urdf_importer.__all__
            # Some of them are Blender's to do.
            if find_spec("bpy") is not None:
                assert getattr(urdf_importer, name) is getattr(module, name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        urdf_importer.nothing  # noqa: B018
