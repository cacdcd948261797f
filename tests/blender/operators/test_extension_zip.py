# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip that users install, in a Blender that has nothing but what Blender brings."""

import hashlib
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import bpy
import pytest
from packaging.requirements import Requirement

from support.collada_text import document
from support.paths import MORSE, ROOT, TESTS

SESSION = TESTS / "support" / "blender" / "extension_session.py"
PART = MORSE / "urdf_importer_morse"
NOT_PACKED = {
    "blend_file", "builder.py", "call_stack.py", "compat.py", "game_engine", "locate.py",
    "patches.py", "robot.py", "stand_in",
}  # fmt: skip
PROGRAM = os.environ.get("BLENDER", "")
INSTALL = ROOT / "docs" / "start" / "install.md"

XACRO = """\
<robot name="zipped" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="settings" value="${xacro.load_yaml('settings.yaml')}"/>
  <link name="base"/>
  <link name="from_stl"><visual><geometry>
    <mesh filename="package://zipped/meshes/triangle.stl"/>
  </geometry></visual></link>
  <joint name="first" type="revolute"><parent link="base"/><child link="from_stl"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <xacro:macro name="pyramid" params="index">
    <link name="from_dae_${index}"><visual><geometry>
      <mesh filename="package://zipped/meshes/pyramid.dae"/>
    </geometry></visual></link>
    <joint name="turn_${index}" type="revolute">
      <limit lower="-1" upper="1" effort="1" velocity="1"/>
      <parent link="base"/><child link="from_dae_${index}"/>
      <origin xyz="${index + 1} 0 0"/>
    </joint>
  </xacro:macro>
  <xacro:pyramid index="0"/>
  <xacro:if value="${settings['two']}"><xacro:pyramid index="1"/></xacro:if>
</robot>
"""


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip of this checkout; $EXTENSION_ZIP is one that was built already."""
    given = os.environ.get("EXTENSION_ZIP", "")
    return Path(given) if given else build(tmp_path_factory.mktemp("zip") / "extension.zip")


def build(out: Path) -> Path:
    tool = ROOT / "tools" / "build_extension.py"
    done = run([sys.executable, str(tool), str(out)], cwd=out.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{out}\n"
    return out


@pytest.fixture(scope="session")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A description that needs every library of the zip."""
    folder = tmp_path_factory.mktemp("robot") / "zipped"
    (folder / "meshes").mkdir(parents=True)
    (folder / "package.xml").write_text("<package><name>zipped</name></package>")
    (folder / "settings.yaml").write_text("two: true\n")
    (folder / "robot.urdf.xacro").write_text(XACRO)
    (folder / "meshes" / "pyramid.dae").write_text(document())
    # One triangle and its normal, as binary STL.
    numbers = bytes.fromhex("0000803f")
    triangle = bytes(12) + bytes(12) + numbers + bytes(8) + bytes(4) + numbers + bytes(4)
    (folder / "meshes" / "triangle.stl").write_bytes(bytes(80) + b"\1\0\0\0" + triangle + b"\0\0")
    return folder / "robot.urdf.xacro"


def run(
    words: list[str], cwd: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env=dict(os.environ) | (environment or {}),
        timeout=300,
    )


# What is in it


def test_it_keeps_the_rules_of_the_platform(archive: Path) -> None:
    done = run([sys.executable, str(ROOT / "tools" / "check_extension.py"), str(archive)], ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_holds_the_extension_and_nothing_else(archive: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
        manifest = tomllib.loads(opened.read("blender_manifest.toml").decode())
        assert opened.testzip() is None
    left_out = tuple(each[1:] for each in manifest["build"]["paths_exclude_pattern"])
    own = sorted(
        name
        for folder in ("operators", "urdf_importer")
        for pattern in ("*.py", "templates/*")
        for path in (ROOT / folder).rglob(pattern)
        if not (name := path.relative_to(ROOT).as_posix()).startswith(left_out)
    )
    # The half of the part for MORSE that writes builder scripts.
    own += [
        f"urdf_importer/formats/morse/{name}"
        for pattern in ("*.py", "templates/*")
        for path in PART.rglob(pattern)
        if (name := path.relative_to(PART).as_posix()).partition("/")[0] not in NOT_PACKED
    ]
    wheels = sorted(wheel.removeprefix("./") for wheel in manifest["wheels"])
    above = ["CHANGELOG.md", "LICENSE", "README.md", "__init__.py", "blender_manifest.toml"]
    assert sorted(names) == sorted([*above, *own, *wheels])


def test_what_is_left_out_is_there(archive: Path) -> None:
    """A folder that is renamed would come into the zip again."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text())
    for pattern in manifest["build"]["paths_exclude_pattern"]:
        if pattern.startswith("/urdf_importer/"):
            assert (ROOT / pattern[1:]).exists(), pattern


def test_its_libraries_are_as_pinned_listed_and_documented(archive: Path) -> None:
    bill = json.loads(archive.with_suffix(".cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    (own,) = bill["metadata"]["component"]["hashes"]
    assert own["content"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    listed = {
        (each["name"], each["version"], each["licenses"][0]["license"]["id"]): each["hashes"][0]
        for each in bill["components"]
    }
    packed = {}
    for name, data in contents(archive).items():
        if name.endswith(".whl"):
            with zipfile.ZipFile(io.BytesIO(data)) as wheel:
                packed[facts_of(wheel)] = {
                    "alg": "SHA-256",
                    "content": hashlib.sha256(data).hexdigest(),
                }
    assert packed == listed
    rows = re.findall(
        r"^\| `?([\w.-]+)`? ([\d.]+) \| ([\w.-]+) \|", INSTALL.read_text(), re.MULTILINE
    )
    assert {each for each in rows if each[0] != "URDF"} == set(listed)


LICENCES = {"The MIT License": "MIT", "Neither the name of the copyright holder": "BSD-3-Clause"}
"""What the text of a licence says, and its name by SPDX."""


def facts_of(wheel: zipfile.ZipFile) -> tuple[str, str, str]:
    """Name, version and licence of a wheel, by its own files."""
    texts = {name.rpartition("/")[2]: wheel.read(name).decode() for name in wheel.namelist()}
    said = dict(re.findall(r"^(Name|Version): (.+)$", texts["METADATA"], re.MULTILINE))
    (licence,) = (name for words, name in LICENCES.items() if words in texts["LICENSE"])
    return said["Name"], said["Version"], licence


FAULTS = {
    "import threading": "imports threading",
    "from concurrent import futures": "imports concurrent",
    "import pickle": "imports pickle",
    "eval('1')": "calls eval()",
    "import sys\nsys.path.insert(0, '.')": "changes sys.path",
    "import sys\nsys.modules['a'] = sys": "changes sys.modules",
    "import os\nos.environ['A'] = 'b'": "changes os.environ",
    "import os\nos.environ |= {}": "changes os.environ",
    "import os\ndel os.environ['A']": "changes os.environ",
    "import subprocess": "imports subprocess, outside of urdf_importer/features/proof/child.py and "
    "urdf_importer/formats/usd/stages/process.py",
    "import socket": "imports socket, outside of urdf_importer/features/live/",
    "from urllib import request": "imports urllib.request, outside of urdf_importer/features/live/",
    "import os, sys\nos.environ.get('A'), sys.path[0], sys.modules.get('a')": None,
    "import urllib.parse": None,
}


@pytest.mark.parametrize("code", FAULTS)
def test_what_extensions_may_not_do_is_found(code: str) -> None:
    spec = importlib.util.spec_from_file_location("check", ROOT / "tools" / "check_extension.py")
    assert spec is not None and spec.loader is not None
    check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check)
    found = list(check.check_code("operators/a.py", code.encode()))
    assert [each.partition(": ")[2] for each in found] == [each for each in [FAULTS[code]] if each]


def test_no_release_has_addresses_to_be_filled_in(archive: Path) -> None:
    words = [sys.executable, str(ROOT / "tools" / "check_extension.py"), "--release", str(archive)]
    done = run(words, ROOT)
    pages = [ROOT / name for name in ("pyproject.toml", "blender_manifest.toml")]
    assert ("is to be filled in" in done.stdout) == any(
        ".invalid" in page.read_text() for page in pages
    )


def test_the_same_sources_give_the_same_zip(archive: Path, tmp_path: Path) -> None:
    again = build(tmp_path / "again.zip")
    assert again.read_bytes() == archive.read_bytes()
    bills = [each.with_suffix(".cdx.json").read_bytes() for each in (again, archive)]
    assert bills[0] == bills[1]


# In Blender

needs_module = pytest.mark.skipif(bool(bpy.app.binary_path), reason="this Blender is a program")
needs_program = pytest.mark.skipif(not PROGRAM, reason="BLENDER names no Blender program")


def link_what_blender_brings(folder: Path) -> Path:
    """A folder with the module bpy and what it requires, as a Blender program has it: none of the
    libraries of this environment beside them."""
    waiting, seen = ["bpy"], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        distribution = metadata.distribution(name)
        for part in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            (folder / part).symlink_to(distribution.locate_file(part))
        required = (Requirement(each) for each in distribution.requires or ())
        waiting += [each.name for each in required if not each.marker or each.marker.evaluate()]
    return folder


@needs_module
def test_a_session_in_the_module(archive: Path, robot: Path, tmp_path: Path) -> None:
    libraries, profile = tmp_path / "libraries", tmp_path / "profile"
    libraries.mkdir()
    profile.mkdir()
    link_what_blender_brings(libraries)
    # -S: without the environment's own libraries.
    words = [sys.executable, "-S", str(SESSION), "install", str(archive), str(robot)]
    environment = {"BLENDER_USER_RESOURCES": str(profile), "PYTHONPATH": str(libraries)}
    done = run(words, tmp_path, environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert says_no_harm(done), done.stdout + done.stderr


def says_no_harm(done: subprocess.CompletedProcess[str]) -> bool:
    said = done.stdout + done.stderr
    return not re.search(r"policy|violation|traceback|warning|error", said, re.IGNORECASE)


@pytest.fixture
def installed(archive: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a Blender program with a profile in which the zip is installed."""
    profile = tmp_path / "profile"
    profile.mkdir()
    environment = {"BLENDER_USER_RESOURCES": str(profile)}
    words = [PROGRAM, "--command", "extension", "install-file", "-r", "user_default", "--enable"]
    done = run([*words, str(archive)], tmp_path, environment)
    assert done.returncode == 0 and says_no_harm(done), done.stdout + done.stderr
    return environment


@needs_program
def test_a_session_in_the_program(
    archive: Path, robot: Path, installed: dict[str, str], tmp_path: Path
) -> None:
    words = [PROGRAM, "-b", "--python-exit-code", "1", "--python", str(SESSION)]
    words += ["--", "installed", str(archive), str(robot)]
    done = run(words, tmp_path, installed)
    assert done.returncode == 0, done.stdout + done.stderr
    assert says_no_harm(done), done.stdout + done.stderr


@needs_program
def test_blenders_command_line(robot: Path, installed: dict[str, str], tmp_path: Path) -> None:
    command = [PROGRAM, "--command", "urdf_import"]
    done = run([*command, str(robot), "r.blend", "--json", "-"], tmp_path, installed)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["ok"] and report["files"] == ["r.blend"] and report["diagnostics"] == []
    assert report["links"] == 4 and (tmp_path / "r.blend").stat().st_size
    for words, status in (
        (["no_such.urdf", "r.blend"], 1),
        ([str(robot), "-o", "r.urdf"], 2),
        ([], 2),
    ):
        done = run([*command, *words], tmp_path, installed)
        assert done.returncode == status and done.stderr.count("error:") == 1, done.stderr
        assert "Traceback" not in done.stderr and done.stdout == ""
    done = run([*command, "--help"], tmp_path, installed)
    assert done.returncode == 0 and "--xacro-arg" in done.stdout and not done.stderr


def contents(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@needs_program
def test_blender_alone_builds_the_same(archive: Path, tmp_path: Path) -> None:
    """With the wheels in place: Blenders of distributions have no pip."""
    out, tool = tmp_path / "own.zip", ROOT / "tools" / "build_extension.py"
    words = [PROGRAM, "-b", "--factory-startup", "--python-exit-code", "1", "-P", str(tool)]
    done = run([*words, "--", str(out)], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert contents(out) == contents(archive)


WITHOUT_LIBRARIES = """\
<robot name="plain">
  <link name="a"><visual><geometry><mesh filename="package://zipped/meshes/pyramid.dae"/>
  </geometry></visual></link>
  <link name="b"><visual><geometry><mesh filename="package://zipped/meshes/triangle.stl"/>
  </geometry></visual></link>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
</robot>
"""


@needs_program
def test_blenders_build_command_makes_a_zip_that_works(
    archive: Path, robot: Path, tmp_path: Path
) -> None:
    """Of a fresh clone: without the libraries and the part for MORSE, but all else."""
    clone, environment = tmp_path / "clone", {"BLENDER_USER_RESOURCES": str(tmp_path / "profile")}
    (tmp_path / "profile").mkdir()
    listed = run(["git", "ls-files", "-co", "--exclude-standard"], ROOT).stdout.splitlines()
    for name in listed:
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, clone / name)
    extension = [PROGRAM, "--command", "extension"]
    done = run([*extension, "build"], clone, environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = clone.glob("*.zip")
    added = (".whl", "urdf_importer/formats/morse/")
    own = {
        name: data
        for name, data in contents(archive).items()
        if not any(each in name for each in added)
    }
    manifest = own.pop("blender_manifest.toml")
    found = contents(built)
    assert found.pop("blender_manifest.toml") != manifest and found == own
    install = ["install-file", "-r", "user_default", "--enable", str(built)]
    done = run([*extension, *install], tmp_path, environment)
    assert done.returncode == 0 and says_no_harm(done), done.stdout + done.stderr
    plain = robot.with_name("plain.urdf")
    plain.write_text(WITHOUT_LIBRARIES)
    words = [PROGRAM, "--command", "urdf_import", str(plain), "r.blend", "--strict"]
    done = run(words, tmp_path, environment)
    assert done.returncode == 0, done.stderr
    done = run([*words[:3], str(robot), "x.blend"], tmp_path, environment)
    assert done.returncode == 1 and "xacro" in done.stderr and "Traceback" not in done.stderr


APART = """\
<robot name="apart"><link name="a"><visual><geometry>
  <mesh filename="package://zipped/meshes/pyramid.dae"/>
</geometry></visual></link></robot>
"""
KEEP_FOLDER = """\
import bpy
bpy.ops.preferences.urdf_package_folder_add(directory={folder!r})
bpy.ops.wm.save_userpref()
"""


@needs_program
def test_it_finds_packages_by_the_preferences(
    robot: Path, installed: dict[str, str], tmp_path: Path
) -> None:
    apart = tmp_path / "apart" / "r.urdf"
    apart.parent.mkdir()
    apart.write_text(APART)
    words = [PROGRAM, "--command", "urdf_import", str(apart), "r.blend", "--strict"]
    done = run(words, tmp_path, installed)
    assert done.returncode == 1 and "[missing-package]" in done.stderr
    keep = KEEP_FOLDER.format(folder=str(robot.parent.parent))
    kept = [PROGRAM, "-b", "--python-exit-code", "1", "--python-expr", keep]
    assert run(kept, tmp_path, installed).returncode == 0
    done = run(words, tmp_path, installed)
    assert done.returncode == 0, done.stderr
