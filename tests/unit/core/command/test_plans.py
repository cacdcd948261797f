# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files the command makes of its inputs."""

from pathlib import Path

import pytest

from urdf_importer.core.command.jobs import ImportJob, task_of
from urdf_importer.core.command.plans import plan_imports
from urdf_importer.core.command.task import Task, TaskOutput, UsageError, refuse_outputs


def test_a_blend_behind_the_input_is_the_output(tmp_path: Path) -> None:
    out = tmp_path / "r.BLEND"
    assert plan_imports(["r.urdf", str(out)], None, None, None) == [
        ImportJob(input="r.urdf", blend=out)
    ]


def test_it_counts_as_an_input_where_an_output_is_said(tmp_path: Path) -> None:
    inputs = ["r.urdf", str(tmp_path / "a.blend")]
    folder = tmp_path / "out"
    folder.mkdir()
    made = plan_imports(inputs, str(folder), None, None)
    assert [job.input for job in made] == inputs
    with pytest.raises(UsageError, match="several inputs"):
        plan_imports(inputs, str(tmp_path / "b.blend"), None, None)


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        (["a.urdf", "b.urdf", "r.blend"], "must be a folder when there are several inputs"),
        (["r.blend"], "nothing to do"),
        (["r.blend", "a.urdf"], "nothing to do"),
    ],
)
def test_what_makes_no_sense(inputs: list[str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        plan_imports(inputs, None, None, None)


def test_it_never_overwrites_an_input(tmp_path: Path) -> None:
    path = str(tmp_path / "r.blend")
    tasks = [task_of(job) for job in plan_imports([path, path], None, None, None)]
    with pytest.raises(UsageError, match="would overwrite the input"):
        refuse_outputs(tasks, None)


def test_a_folder_that_grows_may_hold_the_inputs(tmp_path: Path) -> None:
    for grows in (True, False):
        output = TaskOutput(path=tmp_path, is_folder=True, grows=grows)
        task = Task(inputs=(str(tmp_path),), outputs=(output,), options=None, run=lambda *_: None)
        if grows:
            refuse_outputs([task], None)
        else:
            with pytest.raises(UsageError, match="would overwrite the input"):
                refuse_outputs([task], None)
