# SPDX-License-Identifier: GPL-3.0-or-later
"""Without its optional parts the library does all that is not theirs, and does not name them."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import urdf_importer
from support.paths import MORSE, ROOT, TESTS
from urdf_importer.core.public_names import OFFERED
from urdf_importer.core.shelves import list_parts, load

SCRIPT = TESTS / "support" / "severed_session.py"
ROBOT = ROOT / "sample_urdfs" / "quadruped_leg.urdf"
SITE = ("purelib", "platlib")


def sever(folder: Path) -> None:
    """Copies the library into a folder, alone and with the operators, without the parts; and links
    there what is installed, without the parts that are distributions of their own."""
    dropped = shutil.ignore_patterns("__pycache__")
    site, extension = folder / "site", folder / "severed"
    for target in (folder, extension):
        shutil.copytree(ROOT / "urdf_importer", target / "urdf_importer", ignore=dropped)
    shutil.copytree(ROOT / "operators", extension / "operators", ignore=dropped)
    for name in ("__init__.py", "blender_manifest.toml"):
        shutil.copy(ROOT / name, extension / name)
    site.mkdir()
    for installed in map(Path, dict.fromkeys(sysconfig.get_paths()[key] for key in SITE)):
        for path in installed.iterdir():
            if not path.name.startswith("urdf_importer_morse"):
                (site / path.name).symlink_to(path)


def test_everything_else_works_without_them(tmp_path: Path) -> None:
    sever(tmp_path)
    assert not list(tmp_path.glob("**/urdf_importer_morse*"))
    done = subprocess.run(
        [sys.executable, "-S", "-W", "error", str(SCRIPT), str(tmp_path), str(ROBOT)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ
        | {
            "BLENDER_USER_RESOURCES": str(tmp_path / "profile"),
            "PYTHONPATH": str(tmp_path / "site"),
        },
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    wanted = ["refused", "planned", "commanded"]
    if find_spec("bpy") is not None:
        wanted += ["imported", "shown"]
    assert [line for line in done.stdout.splitlines() if line in wanted] == wanted


def test_the_parts_are_here_and_offer_what_is_public() -> None:
    parts = dict(list_parts("formats"))
    offered = parts["urdf_importer_morse"].names
    assert {name for names in offered.values() for name in names} == set(OFFERED)
    for module, names in offered.items():
        for name in names:
            # Some of them are Blender's to do.
            if find_spec("bpy") is not None:
                wanted = load("urdf_importer_morse", f"{module}:{name}")
                assert getattr(urdf_importer, name) is wanted
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        urdf_importer.nothing  # noqa: B018


def test_a_part_has_one_module_by_both_of_its_names() -> None:
    """Builder scripts import by the library's name, other code by its own."""
    by_script = import_module("urdf_importer.morse")
    assert by_script is import_module("urdf_importer_morse")
    for name in ("script", "script.literals", "sensors.plan"):
        found = import_module(f"urdf_importer.morse.{name}")
        assert found is import_module(f"urdf_importer_morse.{name}")
        assert found.__spec__.name == f"urdf_importer_morse.{name}"
    with pytest.raises(ModuleNotFoundError, match=r"urdf_importer_morse\.nothing"):
        import_module("urdf_importer.morse.nothing")


def test_parts_are_required_in_the_version_of_the_library() -> None:
    texts = [(place / "pyproject.toml").read_text("utf-8") for place in (ROOT, MORSE)]
    library, part = (tomllib.loads(text)["project"] for text in texts)
    assert part["version"] == urdf_importer.__version__
    assert f"{library['name']}=={part['version']}" in part["dependencies"]
    extra = library["optional-dependencies"]["morse"]
    assert extra == [f"{part['name']}=={urdf_importer.__version__}"]
    assert (MORSE / "LICENSE").read_text("utf-8") == (ROOT / "LICENSE").read_text("utf-8")
