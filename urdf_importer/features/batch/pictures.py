# SPDX-License-Identifier: GPL-3.0-or-later
"""The work on one labelled picture, as a plain value, and doing it: in a child process, which keeps
the robot from picture to picture."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.command.blends import is_blend, open_robot
from ...core.command.report import SayStage
from ...core.diagnostics import WriteError
from ...core.files.outputs import refuse_failure
from ...core.pipeline.importing import import_robot
from ..sensing.dataset import DatasetOptions
from ..sensing.pictures import describe_stage, open_stage, write_labelled
from .task import RobotTask, find_disk_trouble

WORK = ".work"


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureTask(RobotTask):
    """A picture's number as `input`, and the robot, in a .blend or a description."""

    robot: str
    name: str | None
    options: DatasetOptions

    @property
    def number(self) -> int:
        """The picture's number."""
        return int(self.input)

    @property
    def source(self) -> str:
        """The file that every worker must see."""
        return self.robot

    def work(self, say_stage: SayStage, kept: dict[Any, Any]) -> dict[str, Any]:
        """Does the work, as run_picture_task does."""
        return run_picture_task(self, say_stage, kept)


def run_picture_task(
    task: PictureTask, say_stage: SayStage, kept: dict[Any, Any]
) -> dict[str, Any]:
    """Makes one picture; returns its data for a BatchRecord. `kept` holds the robot for the next.
    Raises RobotError, and DiskError where the output folder takes no files any more."""
    say_stage("robot")
    stage = _open_stage(task, kept)
    say_stage("picture")
    work = task.folder / f".writing-{os.getpid()}"
    try:
        with refuse_failure(task.output, "write into"):
            work.mkdir(parents=True)
        write_labelled(stage, task.number, Path(task.output), work)
    except WriteError as error:
        find_disk_trouble(task.output, error)
        raise
    finally:
        shutil.rmtree(task.folder, ignore_errors=True)
    return {"status": "ok", "robot": stage.robot.name, "facts": describe_stage(stage)}


def _open_stage(task: PictureTask, kept: dict[Any, Any]) -> Any:
    key = (task.robot, task.name, task.options, task.wanted.options)
    if key not in kept:
        kept.clear()
        if is_blend(task.robot):
            armature = open_robot(task.robot, task.name)
        else:
            from ...core.blender.save import new_file

            new_file()
            armature = import_robot(task.robot, options=task.wanted.options).armature
        kept[key] = open_stage(armature, task.options)
    return kept[key]
