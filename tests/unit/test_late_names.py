# SPDX-License-Identifier: GPL-3.0-or-later
"""Public names: gathered from the records and loaded when they are used."""

import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import urdf_importer
from support.paths import ROOT
from urdf_importer.core.public_names import MODULES, NAMES, OFFERED
from urdf_importer.core.shelves import SHELVES, list_names, list_parts


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_they_are_the_objects_of_their_modules() -> None:
    pytest.importorskip("bpy")
    for name, (package, place) in list_names().items():
        found = getattr(urdf_importer, name)
        if isinstance(found, ModuleType):
            assert found.__name__ == f"{package}.{place}"
        else:
            assert found.__name__ == name and inspect.getdoc(found)
            assert found is getattr(sys.modules[found.__module__], name)


def test_each_is_written_once() -> None:
    records = [part for shelf in SHELVES for _, part in list_parts(shelf)]
    tables = [NAMES, *(part.names for part in records)]
    written = [name for table in tables for names in table.values() for name in names]
    assert len(written) == len(set(written))
    assert sorted({*written, *MODULES, *OFFERED}) == urdf_importer.__all__


def test_importing_the_library_loads_its_records_alone() -> None:
    code = "import sys, urdf_importer; urdf_importer.__all__; print('numpy' in sys.modules)"
    assert run(code) == "False\n"


def test_the_library_and_its_command_load_no_blender() -> None:
    code = (
        "import sys, urdf_importer.features.batch.child, urdf_importer.cli; "
        "urdf_importer.cli.build_parser(); print('bpy' in sys.modules)"
    )
    assert run(code) == "False\n"


def test_without_blender_they_raise_when_they_are_called() -> None:
    code = """
import sys
sys.modules["bpy"] = None
from urdf_importer import read_robot, solve_ik
try:
    solve_ik(None, "tool", target=(0, 0, 0))
except ImportError as error:
    print(error.name)
"""
    assert run(code) == "bpy\n"
