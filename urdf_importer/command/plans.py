# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans which input becomes which files; impossible requests are refused before any work is
done."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from .. import find_writer, reader_formats, writer_formats
from ..diagnostics import WriteError, name_choices, quote, quote_path
from ..files.outputs import SEPARATORS, check_output
from ..pipeline.worlds.export import WORLD_SUFFIXES, find_world_format
from .blends import is_blend
from .jobs import ExportJob, ImportJob


class UsageError(Exception):
    """A request makes no sense; one sentence."""


def plan_imports(
    inputs: Sequence[str], output: str | None, preview: str | None, report: str | None
) -> list[ImportJob]:
    """Plans one job for each input, with the options' defaults.

    `output` and `preview` are a file, or a folder to put a file in for each input. Without
    `output`, a .blend that is the last of the inputs takes its place. `report` is a file or "-".
    Raises UsageError where these make no sense together, WriteError where a file could not be put
    there.
    """
    if output is None and len(inputs) > 1 and inputs[-1].lower().endswith(".blend"):
        *inputs, output = inputs
    if output is None and preview is None and report is None:
        *others, last = inputs
        hint = _hint(others[0], last) if others else ""
        raise UsageError(f"nothing to do: give a .blend to write, --preview or --json{hint}")
    jobs = [
        ImportJob(
            input=each,
            blend=_find_target(each, output, ".blend", "-o", len(inputs) > 1),
            picture=_find_target(each, preview, ".png", "--preview", len(inputs) > 1),
        )
        for each in inputs
    ]
    check_outputs(inputs, [path for job in jobs for path in (job.blend, job.picture)], report)
    return jobs


def plan_exports(
    inputs: Sequence[str],
    output: str,
    robot: str | None,
    report: str | None,
    folder_format: str | None = None,
) -> list[ExportJob]:
    """Plans one job for each input: a file with the suffix of a format, or a folder in
    `folder_format`; of several inputs each gets a folder of its own in `output`. Raises as
    plan_imports does."""
    check_outputs(inputs, [], report)
    if robot is not None and not any(map(is_blend, inputs)):
        raise UsageError("--robot chooses a robot in a .blend, and none of the inputs is one")
    options = next(
        (each.options() for each in writer_formats() if each.name == folder_format), None
    )
    planned = _find_exports(inputs, output)
    if options is not None and not all(place.endswith(SEPARATORS) for _, _, place in planned):
        raise UsageError("--format is the format of a folder: end -o with /")
    return [
        ExportJob(
            input=each, output=path, format=find_writer(place, options=options).name, robot=robot
        )
        for each, path, place in planned
    ]


def plan_world(inputs: Sequence[str], output: str, report: str | None) -> ExportJob:
    """Plans the job that writes the scene of a .blend as a world. Raises as plan_imports does."""
    path = Path(output)
    if len(inputs) != 1 or not is_blend(inputs[0]):
        raise UsageError("--world takes one .blend, whose scene is the world")
    if path.suffix.lower() not in WORLD_SUFFIXES:
        choices = name_choices(WORLD_SUFFIXES)
        raise UsageError(f"-o must end in {choices} with --world, not {quote(output)}")
    check_outputs(inputs, [path], report)
    return ExportJob(input=inputs[0], output=path, format=find_world_format(path).name, world=True)


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
    if not folder:
        suffixes = [suffix for each in writer_formats() for suffix in each.suffixes]
        if Path(output).suffix not in suffixes:
            raise UsageError(
                f"-o must end in {name_choices(suffixes)}, or be a folder (with / at its end), "
                f"not {quote(output)}{_hint(inputs[0], output)}"
            )
        check_outputs(inputs, [Path(output)])
    return [(inputs[0], Path(output), f"{output}/" if folder else output)]


def _hint(robot: str, output: str) -> str:
    """Names the command that writes such a file, if it is another."""
    suffix = Path(output).suffix.lower()
    describes = any(suffix in each.suffixes for each in reader_formats())
    if suffix == ".blend":
        return f"; a .blend is made by: urdf-importer import {robot} -o {output}"
    if not describes and any(suffix in each.suffixes for each in writer_formats()):
        return f"; a {suffix} is written by: urdf-importer export {robot} -o {output}"
    return ""


def plan_text(given: argparse.Namespace) -> Path | None:
    """Plans the text that a command makes of one robot: returns its file, None for standard output.
    Raises as plan_imports does."""
    if len(given.inputs) != 1:
        raise UsageError(f"{given.command} takes one robot at a time")
    if given.robot is not None and not is_blend(given.inputs[0]):
        raise UsageError("--robot says which robot of a .blend, and the input is not one")
    return None if given.output == "-" else Path(given.output)


def check_text(given: argparse.Namespace, output: Path | None) -> None:
    """Raises as check_outputs does, and where a text and the report would be in one place."""
    if output is None and given.json == "-":
        raise UsageError("-o and --json cannot both be standard output")
    check_outputs(given.inputs, [output], given.json)


def check_outputs(
    inputs: Sequence[str], outputs: Sequence[Path | str | None], report: str | None = None
) -> None:
    """Raises UsageError where an input would be overwritten or two outputs are one file, WriteError
    where one cannot be written. None does not count, nor does a report on standard output."""
    written = [each for each in outputs if each is not None]
    written += [report] if report not in (None, "-") else []
    taken = {os.path.realpath(each): "the input" for each in inputs}
    for path in written:
        place = os.path.realpath(path)
        if place in taken:
            raise UsageError(f"{quote_path(path)} would overwrite {taken[place]}")
        taken[place] = "another output"
    for path in written:
        check_output(path)


def _find_target(
    input: str, output: str | None, suffix: str, argument: str, several: bool
) -> Path | None:
    if output is None:
        return None
    if output.endswith(SEPARATORS) or os.path.isdir(output):
        return Path(output) / Path(input).with_suffix(suffix).name
    if several:
        raise UsageError(f"{argument} must be a folder when there are several inputs")
    if Path(output).suffix.lower() != suffix:
        raise UsageError(
            f"{argument} must be a folder or end in {suffix}, not {quote(output)}"
            + _hint(input, output)
        )
    return Path(output)
