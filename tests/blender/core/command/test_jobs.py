# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that need Blender: plain values too, and done as the command does them."""

import pickle
from dataclasses import fields, replace
from pathlib import Path

import bpy
import pytest

from support.paths import ROOT
from urdf_importer import ImportOptions, import_robot, save_blend
from urdf_importer.core.command.jobs import ExportJob, ImportJob, Job, export_opened, run

ARM = ROOT / "sample_urdfs" / "two_link_arm.urdf"
MESSY = ROOT / "sample_urdfs" / "messy.urdf"

pytestmark = pytest.mark.usefixtures("scene")


def test_imports_and_exports_come_back_as_they_went(tmp_path: Path) -> None:
    shares: list[float] = []
    blend = tmp_path / "arm.blend"
    imported = run(
        pickle.loads(pickle.dumps(ImportJob(input=str(ARM), blend=blend))),
        lambda progress: shares.append(progress.share),
    )
    assert imported.error is None and imported.files == (str(blend),)
    assert imported.facts["moving_joints"] == 2 and shares == sorted(shares) and shares[-1] == 1.0
    exported = run(ExportJob(input=str(blend), output=tmp_path / "Arm.proto"))
    assert exported.error is None and exported.output == str(tmp_path / "Arm.proto")
    for report in (imported, exported):
        assert pickle.loads(pickle.dumps(report)) == report


@pytest.mark.parametrize(
    "job",
    [
        ImportJob(input="no such.urdf", blend=Path("r.blend")),
        ImportJob(input=str(MESSY), blend=Path("r.blend"), strict=True),
        ImportJob(input=str(ARM), options=ImportOptions(max_links=1), blend=Path("r.blend")),
        ImportJob(input=str(ARM), blend=Path("nowhere", "r.blend")),
        ExportJob(input="no such.blend", output=Path("R.proto")),
    ],
    ids=range(5),
)
def test_failures_come_back_and_write_nothing(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = run(job)
    back = pickle.loads(pickle.dumps(report))
    assert report.error is not None and report.files == () and list(tmp_path.iterdir()) == []
    assert type(back.error) is type(report.error) and vars(back.error) == vars(report.error)
    for field in fields(report):
        if field.name != "error":
            assert getattr(back, field.name) == getattr(report, field.name)


@pytest.mark.parametrize("suffix", (".glb", ".gltf", ".fbx", ".usda"))
def test_formats_of_engines_are_chosen_by_suffix_and_come_back(suffix: str, tmp_path: Path) -> None:
    report = run(ExportJob(input=str(ARM), output=tmp_path / f"arm{suffix}"))
    assert report.error is None and report.output == str(tmp_path / f"arm{suffix}")
    assert pickle.loads(pickle.dumps(report)) == report


def test_the_scene_that_is_open_is_written_as_its_blend(tmp_path: Path) -> None:
    armature = import_robot(MESSY).armature
    save_blend(tmp_path / "messy.blend")
    job = ExportJob(input=str(tmp_path / "messy.blend"), output=tmp_path / "Messy.proto")
    opened = export_opened(job, armature)
    text = (tmp_path / "Messy.proto").read_bytes()
    again = run(job)
    assert (tmp_path / "Messy.proto").read_bytes() == text
    assert replace(opened, seconds={}) == replace(again, seconds={})
    assert bpy.data.filepath == job.input
