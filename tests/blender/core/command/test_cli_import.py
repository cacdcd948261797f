# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer import: what lies on the disk afterwards."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import pytest

import urdf_importer.core.command.jobs
from support.blender.snapshots import describe_scene, list_data
from support.paths import ROOT
from urdf_importer import (
    ImportOptions,
    WriteError,
    import_robot,
    link_pose,
    new_file,
    save_blend,
    set_joint_positions,
)
from urdf_importer.cli import main

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
MESSY = str(ROOT / "sample_urdfs" / "messy.urdf")
GRIPPER = str(ROOT / "sample_urdfs" / "gripper.urdf")
ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")


def open_file(path: Path) -> Any:
    """Opens a .blend; the armature in it."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    (armature,) = (each for each in bpy.context.scene.objects if each.type == "ARMATURE")
    return armature


def names_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_the_saved_file_holds_the_robot_and_nothing_else(path: Path, tmp_path: Path) -> None:
    new_file()
    import_robot(path)
    wanted, data = describe_scene(), list_data()
    assert main(["import", str(path), "-o", str(tmp_path / "r.blend")]) == 0
    assert names_in(tmp_path) == ["r.blend"]
    open_file(tmp_path / "r.blend")
    assert describe_scene() == wanted and list_data() == data
    assert not (data["cameras"] or data["lights"] or data["worlds"] or data["images"])
    assert bpy.utils.blend_paths() == [] and not bpy.data.libraries
    assert bpy.context.scene.unit_settings.system == "METRIC"
    assert bpy.context.scene.unit_settings.scale_length == 1.0


def test_a_reopened_robot_can_be_posed(tmp_path: Path) -> None:
    main(["import", ARM, "-o", str(tmp_path / "r.blend"), "--quiet"])
    armature = open_file(tmp_path / "r.blend")
    before = link_pose(armature, "tool")
    set_joint_positions(armature, {"elbow": 0.5})
    assert abs(link_pose(armature, "tool") - before).max() > 0.01


def test_options_reach_the_import(tmp_path: Path) -> None:
    arguments = ["--no-visuals", "--fixed-joints", "fold", "--rigid-bodies"]
    main(["import", ARM, "-o", str(tmp_path / "r.blend"), "--quiet", *arguments])
    open_file(tmp_path / "r.blend")
    written = describe_scene()
    new_file()
    import_robot(ARM, options=ImportOptions(visuals=False, fixed_joints="fold", rigid_bodies=True))
    # A rigid body world is no part of what is compared; its collections differ in nothing else.
    assert written == describe_scene()


def test_existing_outputs_are_overwritten_without_backups(tmp_path: Path) -> None:
    for robot in (MESSY, ARM):
        assert main(["import", robot, "-o", str(tmp_path / "r.blend"), "--quiet"]) == 0
    assert names_in(tmp_path) == ["r.blend"]
    assert open_file(tmp_path / "r.blend").name == "two_link_arm"


def test_saving_is_compressed_and_does_not_rename_what_is_open(tmp_path: Path) -> None:
    new_file()
    import_robot(MESSY)
    save_blend(tmp_path / "r.blend")
    assert (tmp_path / "r.blend").read_bytes()[:4] == b"\x28\xb5\x2f\xfd"  # Zstandard
    assert bpy.data.filepath == ""


def test_a_place_that_takes_no_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"^cannot write '/proc/r\.blend': "):
        save_blend("/proc/r.blend")
    with pytest.raises(WriteError, match="there is no folder"):
        save_blend(tmp_path / "nowhere" / "r.blend")


def test_a_folder_takes_one_file_of_each_input(tmp_path: Path) -> None:
    bad = tmp_path / "bad.urdf"
    bad.write_text("<robot")
    out = tmp_path / "out"
    out.mkdir()
    report = tmp_path / "report.jsonl"
    inputs = [ARM, str(bad), GRIPPER]
    assert main(["import", *inputs, "-o", f"{out}/", "--json", str(report), "--quiet"]) == 1
    assert names_in(out) == ["gripper.blend", "two_link_arm.blend"]
    said = [json.loads(line) for line in report.read_text().splitlines()]
    assert [each["ok"] for each in said] == [True, False, True]
    assert said[0]["files"] == [str(out / "two_link_arm.blend")] and said[1]["files"] == []
    # Each starts in a new file.
    assert open_file(out / "gripper.blend").name == "gripper"


def test_the_report_counts(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert main(["import", MESSY, "--json", str(report), "--quiet"]) == 0
    # Parts of it are lost, which is what `check` is asked.
    assert main(["check", MESSY, "--json", str(tmp_path / "check.json"), "--quiet"]) == 1
    imported, checked = (
        json.loads((tmp_path / name).read_text()) for name in ("report.json", "check.json")
    )
    for fact in ("robot", "links", "joints", "moving_joints", "bones", "total_mass", "version"):
        assert imported[fact] == checked[fact]
    found = {(item["code"], item["line"]) for item in imported["diagnostics"]}
    assert {("missing-package", 34), ("zero-axis", 100)} <= found
    assert set(imported["seconds"]) == {"read", "plan", "build"}


def test_strict_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["-o", str(tmp_path / "r.blend"), "--preview", str(tmp_path / "r.png"), "--strict"]
    assert main(["import", MESSY, *out]) == 1
    assert names_in(tmp_path) == []
    assert "--strict" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("text", ["", "<robot", "<html/>", '<robot name="r"/>'])
def test_what_cannot_be_read_changes_no_file(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r.urdf").write_text(text)
    (tmp_path / "r.blend").write_text("old")
    assert main(["import", str(tmp_path / "r.urdf"), "-o", str(tmp_path / "r.blend")]) == 1
    assert (tmp_path / "r.blend").read_text() == "old"
    assert names_in(tmp_path) == ["r.blend", "r.urdf"]
    assert capsys.readouterr().err.count("error:") == 1


def test_a_file_that_cannot_be_written_keeps_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.blend").write_text("old")

    def fail(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    assert main(["import", ARM, "-o", str(tmp_path / "r.blend")]) == 1
    assert names_in(tmp_path) == ["r.blend"] and (tmp_path / "r.blend").read_text() == "old"


@pytest.mark.parametrize(
    ("last", "sent", "status"),
    [*((last, signal.SIGINT, 130) for last in (1, 2, 3, 5, 9)), (3, signal.SIGTERM, 143)],
)
def test_ctrl_c_and_sigterm_leave_nothing(
    last: int, sent: int, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = urdf_importer.core.command.jobs.import_steps
    # A shell starts what runs in the background with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt_after(*arguments: Any, **options: Any) -> Any:
        steps = real(*arguments, **options)
        for _ in range(last):
            yield next(steps)
        os.kill(os.getpid(), sent)
        return (yield from steps)

    monkeypatch.setattr(urdf_importer.core.command.jobs, "import_steps", interrupt_after)
    outputs = ["-o", str(tmp_path / "r.blend"), "--json", str(tmp_path / "report")]
    try:
        assert main(["import", MESSY, *outputs]) == status
    finally:
        signal.signal(signal.SIGINT, before)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert names_in(tmp_path) == []
    assert not bpy.data.objects and not bpy.data.meshes and not bpy.data.armatures


def test_standard_output_holds_the_report_only(tmp_path: Path) -> None:
    arguments = ["import", GRIPPER, "-o", "r.blend", "--json", "-"]
    done = subprocess.run(
        [sys.executable, "-m", "urdf_importer", *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=120,
    )
    assert done.returncode == 0 and json.loads(done.stdout)["files"] == ["r.blend"]
    assert done.stderr.startswith("gripper: 9 links, 7 moving joints, 7 bones; wrote r.blend in ")


def test_without_a_standard_output_it_works_all_the_same(tmp_path: Path) -> None:
    command = f"exec {sys.executable} -m urdf_importer import {ARM} -o r.blend --json - >&-"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=120,
    )
    assert done.returncode == 0 and names_in(tmp_path) == ["r.blend"]
