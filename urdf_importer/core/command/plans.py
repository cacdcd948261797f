# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans which input becomes which files."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from ..diagnostics import WriteError, quote
from ..files.outputs import SEPARATORS
from ..pipeline.formats import find_writer, writer_formats
from .blends import is_blend
from .jobs import ExportJob, ImportJob
from .task import BLEND, PICTURE, SLASH, TaskOutput, UsageError, hint_at_command


def plan_imports(
    inputs: Sequence[str], output: str | None, preview: str | None, report: str | None
) -> list[ImportJob]:
    """Plans one job for each input, with the options' defaults.

    `output` and `preview` are a file, or a folder to put a file in for each input. Without
    `output`, a .blend that is the last of the inputs takes its place. `report` is a file or "-".
    Raises UsageError where these make no sense together.
    """
    if output is None and len(inputs) > 1 and is_blend(inputs[-1]):
        *inputs, output = inputs
    if output is None and preview is None and report is None:
        *others, last = inputs
        hint = hint_at_command(others[0], last) if others else ""
        raise UsageError(f"nothing to do: give a .blend to write, --preview or --json{hint}")
    several = len(inputs) > 1
    return [
        ImportJob(
            input=each,
            blend=_find_target(each, output, BLEND, "-o", several),
            picture=_find_target(each, preview, PICTURE, "--preview", several),
        )
        for each in inputs
    ]


def plan_exports(
    inputs: Sequence[str], output: str, robot: str | None, folder_format: str | None = None
) -> list[ExportJob]:
    """Plans one job for each input: a file with the suffix of a format, or a folder in
    `folder_format`; of several inputs each gets a folder of its own in `output`. Raises as
    plan_imports does, and WriteError without the folder for several inputs."""
    if robot is not None and not any(map(is_blend, inputs)):
        raise UsageError("--robot chooses a robot in a .blend, and none of the inputs is one")
    options = next(
        (each.options() for each in writer_formats() if each.name == folder_format), None
    )
    planned = _find_exports(inputs, output)
    if options is not None and not all(place.endswith(SEPARATORS) for _, _, place in planned):
        raise UsageError("--format applies to folders: end -o with /")
    return [
        ExportJob(
            input=each, output=path, format=find_writer(place, options=options).name, robot=robot
        )
        for each, path, place in planned
    ]


def _find_exports(inputs: Sequence[str], output: str) -> list[tuple[str, Path, str]]:
    """(input, output, output with / at its end where it is a folder) for each input."""
    folder = output.endswith(SEPARATORS) or os.path.isdir(output)
    if len(inputs) > 1:
        if not folder:
            raise UsageError("-o must be a folder when there are several inputs")
        if not os.path.isdir(output):
            raise WriteError(f"there is no folder {quote(output)}")
        paths = [Path(output, Path(each).name.partition(".")[0]) for each in inputs]
        if len(set(paths)) < len(paths):
            raise UsageError("several inputs have the same name")
        return [(each, path, f"{path}/") for each, path in zip(inputs, paths, strict=True)]
    suffixes = [suffix for each in writer_formats() for suffix in each.suffixes]
    TaskOutput(path=output, suffixes=[*suffixes, SLASH], is_folder=folder).check_name(inputs[0])
    return [(inputs[0], Path(output), f"{output}/" if folder else output)]


def plan_text(given: argparse.Namespace, suffixes: Sequence[str] | None = None) -> TaskOutput:
    """Plans the text that a command makes of one robot, without a path for standard output. Raises
    UsageError where that has the report too."""
    if given.output == "-" and given.json == "-":
        raise UsageError("-o and --json cannot both be standard output")
    return TaskOutput(path=None if given.output == "-" else given.output, suffixes=suffixes)


def _find_target(
    input: str, output: str | None, suffixes: Sequence[str], argument: str, several: bool
) -> Path | None:
    if output is None:
        return None
    if output.endswith(SEPARATORS) or os.path.isdir(output):
        return Path(output) / Path(input).with_suffix(suffixes[0]).name
    if several:
        raise UsageError(f"{argument} must be a folder when there are several inputs")
    return Path(output)
