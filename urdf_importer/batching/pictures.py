# SPDX-License-Identifier: GPL-3.0-or-later
"""The work on one labelled picture, as a plain value, and doing it: in a child process, which keeps
the robot from picture to picture."""

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import DatasetOptions, ImportOptions, WriteError, import_robot, new_file
from ..command.blends import is_blend, open_robot
from ..command.report import SayStage
from ..diagnostics import quote_path
from ..pipeline.seeing.pictures import describe_stage, open_stage, write_labelled
from .task import Task, Wanted, find_disk_trouble, lists_to_tuples

WORK = ".work"
_KEY = "labelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureTask(Task):
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
        """The file that whoever does the work has to see."""
        return self.robot

    def write(self) -> bytes:
        """Writes the task as a line of JSON."""
        own = {
            "input": self.input,
            "output": self.output,
            "place": self.place,
            "robot": self.robot,
            "name": self.name,
            "options": asdict(self.options),
            "imports": asdict(self.wanted.options),
        }
        return json.dumps({_KEY: own}).encode("ascii") + b"\n"


def read_picture_task(line: bytes) -> PictureTask | None:
    """Reads a task that PictureTask.write wrote; None for one of another kind."""
    content = json.loads(line).get(_KEY)
    if content is None:
        return None
    content = lists_to_tuples(content)
    imports = ImportOptions(**content.pop("imports"))
    options = DatasetOptions(**content.pop("options"))
    return PictureTask(**content, options=options, wanted=Wanted(options=imports))


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
        try:
            work.mkdir(parents=True)
        except OSError as error:
            raise WriteError(
                f"cannot write into {quote_path(task.output)}: {error.strerror or error}"
            ) from error
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
            new_file()
            armature = import_robot(task.robot, options=task.wanted.options).armature
        kept[key] = open_stage(armature, task.options)
    return kept[key]
