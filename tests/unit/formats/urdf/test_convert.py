# SPDX-License-Identifier: GPL-3.0-or-later
"""The command convert: a big robot becomes a small one, its SRDF with it."""

import sys
from pathlib import Path

import pytest

from support.real_robots import ROOT, descriptions
from urdf_importer import Diagnostics, adapt_srdf, read_robot, read_srdf
from urdf_importer.cli import main
from urdf_importer.core.reshape import merge_fixed, prune, resize, strip
from urdf_importer.core.reshape.measures_file import read_measures

PR2 = next(path for path in descriptions() if path.name == "pr2.urdf")
TABLE = """
origins:
  torso_lift_joint: [0, 83.2, 0]
  l_shoulder_pan_joint: [16.64, 0, 0]
  l_shoulder_lift_joint: [0, 0, 0]
lengths: {l_elbow_flex_joint: 17.6, l_wrist_flex_joint: 13.12}
symmetric: true
convention: {axes: zxy, unit: 0.01}
"""
ORIGINS = {
    "torso_lift_joint": (0.0, 0.0, 0.832),
    "l_shoulder_pan_joint": (0.0, 0.1664, 0.0),
    "l_shoulder_lift_joint": (0.0, 0.0, 0.0),
}
LENGTHS = {"l_elbow_flex_joint": 0.176, "l_wrist_flex_joint": 0.1312}


def write_table(folder: Path, text: str = TABLE) -> str:
    path = folder / "table.yaml"
    path.write_text(text)
    return str(path)


def test_a_table_in_other_axes_and_centimetres(tmp_path: Path) -> None:
    measures = read_measures(write_table(tmp_path))
    assert measures.origins == ORIGINS
    assert measures.lengths == LENGTHS
    assert measures.symmetric


def test_the_small_robot_comes_from_the_command(tmp_path: Path) -> None:
    srdf = next(ROOT.rglob("pr2.srdf"))
    out, semantics_out = tmp_path / "small.urdf", tmp_path / "small.srdf"
    steps = ["--strip", "gazebo", "--strip", "transmission", "--prune", "laser_tilt_mount_joint"]
    files = ["--srdf", str(srdf), "--srdf-output", str(semantics_out), "--meshes", "keep"]
    table = ["--resize", write_table(tmp_path)]
    assert main(["convert", str(PR2), "-o", str(out), *steps, *files, *table, "--quiet"]) == 0
    big = read_robot(PR2)
    pruned = prune(strip(big, ["gazebo", "transmission"]), remove=["laser_tilt_mount_joint"])
    small = resize(pruned, origins=ORIGINS, lengths=LENGTHS, symmetric=True)
    assert read_robot(out) == small
    wanted = adapt_srdf(read_srdf(srdf, robot=big), robot=small)
    assert read_srdf(semantics_out, robot=small, diagnostics=Diagnostics()) == wanted
    # Comments of what stays are still there.
    assert out.read_bytes().count(b"<!--") > 50


def test_merging_keeps_what_is_named(tmp_path: Path) -> None:
    out = tmp_path / "merged.urdf"
    keep = ["--merge-fixed", "--keep-frame", "base_link", "--meshes", "keep"]
    assert main(["convert", str(PR2), "-o", str(out), *keep, "--quiet"]) == 0
    assert read_robot(out) == merge_fixed(read_robot(PR2), keep=["base_link"])


@pytest.mark.parametrize(
    "written",
    [
        ["-o", "out.proto"],
        ["-o", "out.urdf", "--srdf", "in.srdf"],
        ["-o", "out.urdf", "--rename", "a=b"],
        ["-o", "out.urdf", "--robot", "arm"],
        ["another.urdf", "-o", "out.urdf"],
    ],
)
def test_wrong_usage_exits_with_2(written: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["convert", str(PR2), *written])
    assert caught.value.code == 2


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2]", "origins: 3", "lengths: {a: b}", "origins: {a: [1, 2]}", "speed: 1", "a: [",
        "convention: {axes: up}", "origins: {nobody: [0, 0, 0]}", "!!python/object:os.system x",
        "scale: .nan",
    ],
)  # fmt: skip
def test_odd_tables_are_one_sentence(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.urdf"
    table = write_table(tmp_path, text)
    assert main(["convert", str(PR2), "-o", str(out), "--resize", table, "--quiet"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert not out.exists()


def test_without_the_library_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    out = tmp_path / "out.urdf"
    table = write_table(tmp_path)
    assert main(["convert", str(PR2), "-o", str(out), "--resize", table, "--quiet"]) == 1
    assert "table.yaml: error: the table needs the Python package" in (capsys.readouterr().err)
    assert not out.exists()
