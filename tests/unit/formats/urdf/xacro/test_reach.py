# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder outside the ones that may be read is not looked into, whatever a xacro file asks for.

Python tells a hook of every folder that is listed and every file that is opened; the hook cannot be
taken off again, so a child process has it.
"""

import json
import subprocess
import sys

import pytest

from support.paths import ROOT

_CHILD = """
import json, os, sys
from urdf_importer import ReadError, list_xacro_arguments, read_robot
from urdf_importer.core.diagnostics import Diagnostics
import ruamel.yaml, xacro

path, outside = sys.argv[1:]
seen = []

def hook(event, arguments):
    if event in ("os.listdir", "os.scandir", "glob.glob", "glob.glob/2", "open"):
        path = os.fsdecode(arguments[0]) if isinstance(arguments[0], str | bytes) else ""
        is_share = path.startswith(("//", chr(92) * 2))
        if is_share or os.path.realpath(path).startswith(outside):
            seen.append([event, path])

sys.addaudithook(hook)
found = []
for inside in json.load(sys.stdin):
    with open(path, "w") as file:
        file.write("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>")
        file.write("<link name='base'/>" + inside + "</robot>")
    seen.clear()
    message, links = "", []
    try:
        list_xacro_arguments(path)
        links = [link.name for link in read_robot(path, diagnostics=Diagnostics()).links]
    except ReadError as error:
        message = error.message
    found.append([list(seen), message, links])
print(json.dumps(found))
"""
OUTSIDE = (
    "OUTSIDE/*.xacro",
    "OUTSIDE/deep/../*.xacro",
    "../../outside/*.xacro",
    "../robots/../../outside/*.xacro",
    "linked/*.xacro",
    "//server/share/*.xacro",
    "\\\\server\\share\\*.xacro",
    "$(find arm)/../outside/*.xacro",
    "OUTSIDE/secret.xacro",
    "../../outside/secret.xacro",
    "linked/secret.xacro",
)
PATHS = ("robots/../../outside", "..", "../outside", "robots/linked")
INSIDE = (
    "pa*.xacro",
    "p?rt.xacro",
    "./[p]*.xacro",
    "../robots/part*",
    "$(find arm)/robots/part*",
    "$(dirname)/part*",
)
ABSENT = ("none/*.xacro", "pa*.none")

Found = tuple[list[str], str, list[str]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Found]:
    """File name of an include -> the looks outside, the refusal, the links."""
    top = tmp_path_factory.mktemp("reach")
    robots, outside = top / "project" / "robots", top / "outside"
    for folder in (robots, outside / "deep"):
        folder.mkdir(parents=True)
    (top / "project" / "package.xml").write_text("<package><name>arm</name></package>")
    part = "<robot><link name='{}'/></robot>"
    (outside / "secret.xacro").write_text(part.format("secret"))
    (robots / "part.xacro").write_text(part.format("part"))
    (robots / "linked").symlink_to(outside, target_is_directory=True)
    names = (*OUTSIDE, *(f"$(find {path})/*.xacro" for path in PATHS), *INSIDE, *ABSENT)
    texts = [name.replace("OUTSIDE", str(outside)) for name in names]
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(robots / "arm.urdf.xacro"), str(outside)],
        input=json.dumps([f"<xacro:include filename='{text}'/>" for text in texts]),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return dict(zip(names, map(tuple, json.loads(done.stdout)), strict=True))


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_folder_outside_is_judged_before_a_look(found: dict[str, Found], name: str) -> None:
    seen, message, links = found[name]
    assert (seen, links) == ([], [])
    assert "outside the folders that may be read" in message


@pytest.mark.parametrize("name", PATHS)
def test_a_path_is_not_the_name_of_a_package(found: dict[str, Found], name: str) -> None:
    seen, message, _ = found[f"$(find {name})/*.xacro"]
    assert seen == [] and "there is no package" in message


@pytest.mark.parametrize("name", INSIDE)
def test_folders_that_may_be_read_are_listed(found: dict[str, Found], name: str) -> None:
    assert found[name] == ([], "", ["base", "part"])


@pytest.mark.parametrize("name", ABSENT)
def test_where_nothing_fits_there_is_nothing(found: dict[str, Found], name: str) -> None:
    assert found[name] == ([], "", ["base"])
