# SPDX-License-Identifier: GPL-3.0-or-later
"""The one kind of command: tasks with inputs and outputs, done into reports. Outputs that cannot be
are refused before any work, and a task that fails leaves none."""

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..diagnostics import name_choices, quote, quote_path
from ..files.outputs import AnyPath, check_folder, check_output, restored_on_failure
from ..pipeline.formats import reader_formats, writer_formats
from ..shelves import has_hook
from .blends import is_blend
from .report import Report, SayStage, ShowProgress, Work
from .terminal import silence_blender

BLEND, PICTURE = (".blend",), (".png",)
SLASH = "/"
"""Suffixes of outputs; an output with none, or with a slash at its end, is a folder."""


_FOLDERS = {"": ", or be a folder", SLASH: ", or be a folder (with / at its end)"}


class UsageError(Exception):
    """A request makes no sense; one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOutput:
    """A file or folder to write, None where none is wanted: the `argument` of the command that
    names it, and the suffixes that it may have; None: any. A folder that `grows` is made with the
    folders above it, and keeps its files where the work ends early: another run continues them. It
    may be the folder of the inputs.
    """

    path: AnyPath | None
    suffixes: Sequence[str] | None = None
    argument: str = "-o"
    is_folder: bool = False
    grows: bool = False

    def check_name(self, robot: str) -> None:
        """Raises UsageError for another suffix; it names the command that writes such a file."""
        path = os.fspath(self.path or "")
        if self.suffixes == PICTURE and not has_hook("render_preview"):
            raise UsageError(f"{self.argument} needs a part of the library that is not installed")
        if self.is_folder or self.suffixes is None or _suffix_of(path) in self.suffixes:
            return
        choices = name_choices([suffix for suffix in self.suffixes if suffix.startswith(".")])
        folder = next((text for end, text in _FOLDERS.items() if end in self.suffixes), "")
        hint = hint_at_command(robot, path) if self.argument == "-o" else ""
        raise UsageError(f"{self.argument} must end in {choices}{folder}, not {quote(path)}{hint}")

    def check_place(self) -> None:
        """Raises WriteError where it could not be put."""
        path = os.fspath(self.path or "")
        if self.is_folder or ("" in (self.suffixes or ()) and not _suffix_of(path)):
            check_folder(path, parents=self.grows)
        else:
            check_output(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Work of a command: `run` does it with `options`, plain values, so that a task can be pickled.
    The report is about the first of the `inputs`. With `strict` warnings and errors are failures.
    """

    inputs: tuple[str, ...]
    outputs: tuple[TaskOutput, ...] = ()
    options: Any
    run: Callable[[Any, Work], None]
    strict: bool = False

    @property
    def wanted(self) -> list[TaskOutput]:
        """The outputs that have a path."""
        return [each for each in self.outputs if each.path is not None]


Plan = Callable[[argparse.Namespace], Sequence[Task]]
"""Makes tasks from the arguments of a command. Raises UsageError where these make no sense."""


def perform(
    task: Task, progress: ShowProgress | None = None, say_stage: SayStage | None = None
) -> Report:
    """Does a task. Its errors are in the report; `progress` is called with how far it is,
    `say_stage` with the name of each stage that begins. The file open in Blender may be lost."""
    work = Work(task.inputs[0], say_stage, progress, strict=task.strict)
    places = [os.fspath(each.path or "") for each in task.wanted if not each.grows]
    with silence_blender(), work.catch(), restored_on_failure(places):
        task.run(task.options, work)
        work.hold()
    return work.report()


def refuse_outputs(tasks: Sequence[Task], report: str | None) -> None:
    """Raises UsageError where an output has a wrong suffix, an input would be overwritten or two
    outputs are one file, WriteError where one cannot be written. `report` is the file of --json,
    "-" or None."""
    outputs = [(each, task.inputs[0]) for task in tasks for each in task.wanted]
    for output, robot in outputs:
        output.check_name(robot)
    checked = [output for output, _ in outputs]
    if report not in (None, "-"):
        checked.append(TaskOutput(path=report))
    taken = {os.path.realpath(each): "the input" for task in tasks for each in task.inputs}
    for each in checked:
        place = os.path.realpath(each.path or "")
        if place in taken and not each.grows:
            raise UsageError(f"{quote_path(each.path or '')} would overwrite {taken[place]}")
        taken[place] = "another output"
    for each in checked:
        each.check_place()


def hint_at_command(robot: str, output: str) -> str:
    """Returns the end of a sentence that names the command for such a file of a description."""
    suffix = _suffix_of(output)
    if is_blend(robot):
        return ""
    if suffix in BLEND:
        return f"; a .blend is made by: urdf-importer import {robot} -o {output}"
    describes = any(suffix in each.suffixes for each in reader_formats())
    if not describes and any(suffix in each.suffixes for each in writer_formats()):
        return f"; a {suffix} is written by: urdf-importer export {robot} -o {output}"
    return ""


def _suffix_of(path: str) -> str:
    return os.path.splitext(path)[1].lower()
