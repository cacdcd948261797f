# SPDX-License-Identifier: GPL-3.0-or-later
"""Python without the library pxr, as in Blender 4.2: one sentence that names the extra."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from support.paths import ROOT
from support.usd_machines import PHYSICS
from urdf_importer import export_robot, read_robot


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all packages of this Python but pxr and Blender."""
    folder = tmp_path_factory.mktemp("packages")
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        # Of parts in this checkout Python would need .pth files, which it does not read here.
        if not each.name.startswith(("pxr", "usd_core", "bpy", "urdf_importer")):
            (folder / each.name).symlink_to(each)
    return folder


def run(packages: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    start = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(packages)!r}]; "
        "from urdf_importer.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-I", "-S", "-c", start, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_names_the_extra(packages: Path, tmp_path: Path) -> None:
    path = tmp_path / "arm.usda"
    export_robot(read_robot(ROOT / "sample_urdfs" / "two_link_arm.urdf"), path, options=PHYSICS)
    for arguments in (["check"], ["export", "-o", str(tmp_path / "arm.urdf")]):
        done = run(packages, arguments[0], str(path), *arguments[1:])
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"{path}: error: ") and "pip install 'urdf-importer[usd]'" in line
    assert not (tmp_path / "arm.urdf").exists()


def test_a_mesh_in_a_stage_is_left_out_with_the_same_sentence(
    packages: Path, tmp_path: Path
) -> None:
    (tmp_path / "mug.usda").write_text("#usda 1.0\n")
    text = (
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="mug.usda"/></geometry>'
        "</visual></link></robot>"
    )
    (tmp_path / "r.urdf").write_text(text)
    out = tmp_path / "r.sdf"
    done = run(packages, "export", str(tmp_path / "r.urdf"), "-o", str(out))
    assert "pip install 'urdf-importer[usd]'" in done.stderr and "Traceback" not in done.stderr
