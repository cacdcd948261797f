# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip that users install, in a Blender that has nothing but what Blender brings."""

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
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version

from support.collada_text import document
from support.paths import ROOT, TESTS

SESSION = TESTS / "support" / "blender" / "extension_session.py"
PROGRAM = os.environ.get("BLENDER", "")
MOST_BYTES = 2_200_000
PYTHONS = ("3.11", "3.13", "3.14")

NOT_NEEDED = {
    "numpy",  # Blender brings it.
    "pyyaml",  # xacro's YAML is read with ruamel.yaml.
    "python-dateutil",  # for dates of COLLADA documents, which are not read
}

XACRO = """\
<robot name="zipped" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="settings" value="${xacro.load_yaml('settings.yaml')}"/>
  <link name="base"/>
  <link name="from_stl"><visual><geometry>
    <mesh filename="package://zipped/meshes/triangle.stl"/>
  </geometry></visual></link>
  <joint name="first" type="continuous"><parent link="base"/><child link="from_stl"/></joint>
  <xacro:macro name="pyramid" params="index">
    <link name="from_dae_${index}"><visual><geometry>
      <mesh filename="package://zipped/meshes/pyramid.dae"/>
    </geometry></visual></link>
    <joint name="turn_${index}" type="continuous">
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


def test_it_holds_the_extension_and_nothing_else(archive: Path) -> None:
    assert archive.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
        manifest = tomllib.loads(opened.read("blender_manifest.toml").decode())
        assert opened.testzip() is None
    own = sorted(
        path.relative_to(ROOT).as_posix()
        for folder in ("operators", "urdf_importer")
        for pattern in ("*.py", "templates/*")
        for path in (ROOT / folder).rglob(pattern)
    )
    wheels = sorted(wheel.removeprefix("./") for wheel in manifest["wheels"])
    above = ["CHANGELOG.md", "LICENSE", "README.md", "__init__.py", "blender_manifest.toml"]
    assert sorted(names) == sorted([*above, *own, *wheels])
    assert all(wheel.endswith("-py3-none-any.whl") for wheel in wheels)


def test_the_wheels_are_all_that_is_required(archive: Path) -> None:
    versions: dict[str, Version] = {}
    required = {
        Requirement(line)
        for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    }
    with zipfile.ZipFile(archive) as opened:
        for name in opened.namelist():
            if name.endswith(".whl"):
                with opened.open(name) as wheel, zipfile.ZipFile(wheel) as inner:
                    distribution, version, _, _ = parse_wheel_filename(Path(name).name)
                    versions[distribution] = version
                    required |= requirements_of(inner)
    needed = {each for each in required if canonicalize_name(each.name) not in NOT_NEEDED}
    for each in needed:
        assert each.specifier.contains(versions[canonicalize_name(each.name)]), str(each)
    assert {canonicalize_name(each.name) for each in needed} == set(versions)


def requirements_of(wheel: zipfile.ZipFile) -> set[Requirement]:
    (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
    lines = wheel.read(name).decode().partition("\n\n")[0].splitlines()
    found = {Requirement(line[14:]) for line in lines if line.startswith("Requires-Dist:")}
    return {each for each in found if is_for_blender(each)}


def is_for_blender(requirement: Requirement) -> bool:
    return requirement.marker is None or any(
        requirement.marker.evaluate({"python_version": python, "extra": ""}) for python in PYTHONS
    )


def test_the_same_sources_give_the_same_zip(archive: Path, tmp_path: Path) -> None:
    assert build(tmp_path / "again.zip").read_bytes() == archive.read_bytes()


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
    """Of a fresh clone: without the libraries, but all of the extension."""
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
    own = {name: data for name, data in contents(archive).items() if not name.endswith(".whl")}
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
