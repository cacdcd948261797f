# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs and their reports are plain values: they go to other processes and come back."""

import json
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT
from urdf_importer import ImportOptions, MorseOptions, WebotsOptions, WriterFormat, writer_formats
from urdf_importer.core.command.jobs import CheckJob, ExportJob, ImportJob, Job, export_opened, run
from urdf_importer.core.command.report import Report

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
MESSY = ROOT / "sample_urdfs" / "messy.urdf"
GRIPPER = ROOT / "sample_urdfs" / "gripper.urdf"
PLAIN_FORMATS = [each for each in writer_formats() if each.name != "engines"]
"""Those that are written without Blender; tests/blender/core/command has the others."""
PLAIN = (str, int, float, bool, type(None))
CHOSEN = ImportOptions(profile="morse", packages=(("a", "/b"),), xacro_args=(("x", "1"),))
JOBS: tuple[Job, ...] = (
    ImportJob(input="r.urdf"),
    ImportJob(input="r.urdf", options=CHOSEN, blend=Path("r.blend"), picture=Path("r.png"),
              bones=True, strict=True),
    CheckJob(input="r.urdf", options=CHOSEN, strict=True),
    ExportJob(input="r.urdf", output=Path("R.proto")),
    ExportJob(input="r.blend", output=Path("p"), format="webots", robot="R", reading=CHOSEN,
              options=WebotsOptions(positions=(("elbow", "1"),), base="free"), strict=True),
    ExportJob(input="r.urdf", output=Path("r.py"), format="morse",
              options=MorseOptions(sensors=False)),
)  # fmt: skip


def is_plain(value: Any) -> bool:
    """Of exactly these types: no array, no number of numpy, nothing of Blender."""
    if type(value) in (list, tuple):
        return all(map(is_plain, value))
    if type(value) is dict:
        return all(map(is_plain, value)) and all(map(is_plain, value.values()))
    return type(value) in PLAIN


def come_back(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def same(one: Report, other: Report) -> bool:
    """All but the error, which knows no equality."""
    assert repr(one.error) == repr(other.error) and str(one.error) == str(other.error)
    return replace(one, error=None) == replace(other, error=None)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: type(job).__name__)
def test_jobs_come_back_as_they_went(job: Job) -> None:
    back = come_back(job)
    assert back == job and type(back) is type(job) and hash(back) == hash(job)
    with pytest.raises(FrozenInstanceError):
        job.input = "other"  # type: ignore[misc]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_reports_come_back_as_they_went(path: Path, tmp_path: Path) -> None:
    jobs: list[Job] = [CheckJob(input=str(path))]
    for format in PLAIN_FORMATS:
        output = tmp_path / f"Robot{format.kinds[0].suffix}"
        jobs.append(ExportJob(input=str(path), output=output, format=format.name))
    for job in jobs:
        report = run(come_back(job))
        assert report.error is None and report.input == str(path)
        assert is_plain(report.facts) and is_plain(report.files) and is_plain(report.seconds)
        assert all(is_plain([getattr(each, field.name) for field in fields(each)[1:]])
                   for each in report.diagnostics)  # fmt: skip
        assert same(come_back(report), report)
        assert come_back(report).to_json() == report.to_json()


@pytest.mark.parametrize(
    "job",
    [
        CheckJob(input="no such.urdf"),
        CheckJob(input=str(MESSY), strict=True),
        ExportJob(input=str(MESSY), output=MESSY / "R.proto"),
        ExportJob(input=str(GRIPPER), output=Path("R.none")),
        ExportJob(input=str(GRIPPER), output=Path("R.proto"), format="none"),
        ExportJob(
            input=str(GRIPPER),
            output=Path("R.proto"),
            options=WebotsOptions(positions=(("nothing", "1"),)),
        ),
    ],
    ids=range(6),
)
def test_failures_come_back_as_they_went(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = run(job)
    assert report.error is not None and report.files == ()
    back = come_back(report)
    assert type(back.error) is type(report.error) and same(back, report)
    assert json.loads(back.to_json())["error"] == json.loads(report.to_json())["error"]
    assert list(tmp_path.iterdir()) == []


def test_a_job_may_run_in_another_process(tmp_path: Path) -> None:
    job = ExportJob(input=str(GRIPPER), output=tmp_path / "Gripper.proto")
    code = (
        "import pickle, sys; from urdf_importer.core.command.jobs import run; "
        "sys.stdout.buffer.write(pickle.dumps(run(pickle.load(sys.stdin.buffer))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(job), capture_output=True, timeout=300
    )
    assert done.stderr == b""
    there, here = pickle.loads(done.stdout), run(job)
    assert same(replace(there, seconds={}), replace(here, seconds={}))


@pytest.mark.parametrize("format", PLAIN_FORMATS, ids=lambda each: each.name)
def test_a_robot_that_is_open_is_written_alike(format: WriterFormat[Any], tmp_path: Path) -> None:
    from urdf_importer import read_robot

    output = tmp_path / f"Gripper{format.kinds[0].suffix}"
    job = ExportJob(input=str(GRIPPER), output=output, format=format.name)
    wanted = run(job)
    found = export_opened(job, read_robot(GRIPPER))
    assert found.facts == wanted.facts and found.files == wanted.files


def test_the_suffix_chooses_where_no_format_is_said(tmp_path: Path) -> None:
    for format in PLAIN_FORMATS:
        for suffix in format.suffixes:
            output = tmp_path / f"Gripper{suffix}"
            report = run(ExportJob(input=str(GRIPPER), output=output))
            assert report.error is None and report.output == str(output)
