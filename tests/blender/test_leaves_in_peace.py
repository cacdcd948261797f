# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender as a module goes when Python goes. Kept longer, 4.2 crashes and 4.5 stands still."""

import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import urdf_importer
from support.paths import ROOT

SECONDS = 120


def test_python_ends_with_all_modules_loaded(tmp_path: Path) -> None:
    """Typing keeps overloads, and generic classes that something subscripted, for longer."""
    names = [each.name for each in pkgutil.walk_packages(urdf_importer.__path__, "urdf_importer.")]
    assert len(names) > 200
    script = tmp_path / "script.py"
    script.write_text(
        "import importlib, bpy\n"
        f"for name in {[name for name in names if not name.endswith('__main__')]!r}:\n"
        "    importlib.import_module(name)\n"
        "print('loaded')\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "BLENDER_USER_RESOURCES": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert "loaded" in done.stdout, done.stderr
    assert done.returncode == 0, done.stderr
