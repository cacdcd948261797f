# SPDX-License-Identifier: GPL-3.0-or-later
"""All Python and all command lines of the documentation run; pages know all options and names."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import urdf_importer
from support.blender.rigs import new_scene
from support.documented import PAGES, commands, make_folder, name_of, python_blocks
from support.paths import ROOT
from urdf_importer import ImportOptions
from urdf_importer.cli import main

SCRIPTS = [page for page in PAGES if python_blocks(page)]
SHELLS = [page for page in PAGES if commands(page)]
FOUND = 1
"""The status of commands that judge, where a motion is too fast or a description has faults."""
JUDGES = ("check", "collide", "limits", "prove")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all that the pages name: descriptions, recordings, and rigs of both."""
    folder = tmp_path_factory.mktemp("documented")
    make_folder(folder)
    new_scene()
    armature = urdf_importer.import_robot(folder / "robot.urdf").armature
    urdf_importer.apply_trajectory(armature, urdf_importer.read_trajectory(folder / "run.bag"))
    urdf_importer.save_blend(folder / "robot.blend")
    for name in ("animated", "show", "run"):
        shutil.copy(folder / "robot.blend", folder / f"{name}.blend")
    new_scene()
    arm = urdf_importer.import_robot(folder / "arm.urdf").armature
    arm.name = "arm"
    urdf_importer.save_blend(folder / "arm.blend")
    return folder


@pytest.fixture
def place(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of that folder, in which a page runs."""
    shutil.copytree(files, tmp_path / "place", symlinks=True)
    monkeypatch.chdir(tmp_path / "place")
    new_scene()
    yield tmp_path / "place"


@pytest.mark.parametrize("page", SCRIPTS, ids=name_of)
@pytest.mark.usefixtures("extension", "place")
def test_python_of_a_page_runs(page):
    """In order, as one script would be: names of one block are known in the next."""
    scope = {"__name__": "example"}
    for code in python_blocks(page):
        exec(compile(code, name_of(page), "exec"), scope)


def leave_pictures_out(arguments: list[str]) -> list[str]:
    """Pictures take long, and have tests of their own."""
    if "--preview" in arguments:
        place = arguments.index("--preview")
        arguments = arguments[:place] + arguments[place + 2 :]
    return ["blend" if word == "blend,png" else word for word in arguments]


@pytest.mark.parametrize("page", SHELLS, ids=name_of)
@pytest.mark.usefixtures("place")
def test_commands_of_a_page_run(page):
    for arguments in map(leave_pictures_out, commands(page)):
        status = main(arguments)
        fine = (0, FOUND) if arguments[0] in JUDGES else (0,)
        assert status in fine, arguments


def test_the_pages_have_examples():
    assert len(SCRIPTS) > 20 and len(SHELLS) > 10


def test_page_has_every_option_with_its_default():
    page = (ROOT / "docs" / "reference" / "api" / "importing.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", page, re.MULTILINE))
    defaults = {name: eval(text) for name, text in rows.items()}  # noqa: S307
    assert defaults == {field.name: field.default for field in fields(ImportOptions)}


def test_reference_lists_all_that_is_public_once():
    pages = sorted((ROOT / "docs" / "reference" / "api").glob("*.md"))
    lists = [page.read_text("utf-8").partition("## Signatures")[2] for page in pages]
    assert sorted(re.findall(r"`(\w+)`", " ".join(lists))) == sorted(urdf_importer.__all__)
