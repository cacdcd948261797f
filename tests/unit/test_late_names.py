# SPDX-License-Identifier: GPL-3.0-or-later
"""Public functions that need Blender: loaded when they are used, and known to type checkers."""

import ast
import subprocess
import sys

import pytest

import urdf_importer
from support.paths import ROOT

TREE = ast.parse((ROOT / "urdf_importer" / "__init__.py").read_text("utf-8"))
PLACES: dict[str, str] = {
    name: place
    for node in TREE.body
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_IN_BLENDER"
    for place, names in ast.literal_eval(node.value).items()
    for name in names
}


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_type_checkers_find_them_where_they_are_loaded_from() -> None:
    (block,) = (node for node in TREE.body if isinstance(node, ast.If))
    typed = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }
    assert typed == PLACES
    assert typed.keys() <= set(urdf_importer.__all__)


def test_they_are_the_functions_themselves() -> None:
    pytest.importorskip("bpy")
    for name, place in PLACES.items():
        found = getattr(urdf_importer, name)
        assert found.__module__ == f"urdf_importer.{place}"
        assert found.__name__ == name and found.__doc__


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
