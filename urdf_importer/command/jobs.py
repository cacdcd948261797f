# SPDX-License-Identifier: GPL-3.0-or-later
"""Which input becomes which files; what cannot work is refused before any work is done."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import writer_formats
from ..diagnostics import WriteError, name_choices, quote
from ..files.outputs import check_output

_SEPARATORS = ("/", os.sep)


class UsageError(Exception):
    """What was asked for makes no sense; one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One input, and the .blend and the picture to be made of it."""

    input: str
    blend: Path | None = None
    picture: Path | None = None

    @property
    def outputs(self) -> list[Path]:
        return [path for path in (self.blend, self.picture) if path is not None]


def plan_jobs(
    inputs: Sequence[str], output: str | None, preview: str | None, report: str | None
) -> list[Job]:
    """One job for each input.

    `output` and `preview` are a file, or a folder to put a file in for each input. Without
    `output`, a .blend that stands last among the inputs is it. `report` is a file or "-". Raises
    UsageError where these make no sense together, WriteError where a file could not be put there.
    """
    if output is None and len(inputs) > 1 and inputs[-1].lower().endswith(".blend"):
        *inputs, output = inputs
    if output is None and preview is None and report is None:
        raise UsageError("nothing to do: say a .blend to write, --preview or --json")
    jobs = [
        Job(
            input=each,
            blend=_find_target(each, output, ".blend", "-o", len(inputs) > 1),
            picture=_find_target(each, preview, ".png", "--preview", len(inputs) > 1),
        )
        for each in inputs
    ]
    outputs = [path for job in jobs for path in job.outputs]
    if report not in (None, "-"):
        outputs.append(Path(report))
    check_outputs(inputs, outputs)
    return jobs


def plan_exports(inputs: Sequence[str], output: str) -> list[tuple[str, Path]]:
    """(input, output) for each input: a file with the suffix of a format, or a folder; of several
    inputs each gets a folder of its own in `output`.

    Raises UsageError where these make no sense together, WriteError where a file could not be put
    there.
    """
    folder = output.endswith(_SEPARATORS) or Path(output).is_dir()
    if len(inputs) > 1:
        if not folder:
            raise UsageError("-o has to be a folder when there are several inputs")
        if not Path(output).is_dir():
            raise WriteError(f"there is no folder {quote(output)}")
        jobs = [(each, Path(output, Path(each).name.partition(".")[0])) for each in inputs]
        if len({path for _, path in jobs}) < len(jobs):
            raise UsageError("several inputs have the same name")
        return jobs
    if not folder:
        suffixes = [suffix for each in writer_formats() for suffix in each.suffixes]
        if Path(output).suffix not in suffixes:
            raise UsageError(
                f"-o has to end in {name_choices(suffixes)}, or be a folder (with / at its end), "
                f"not {quote(output)}"
            )
        check_outputs(inputs, [Path(output)])
    return [(inputs[0], Path(output))]


def check_outputs(inputs: Sequence[str], outputs: Sequence[Path]) -> None:
    """Raises UsageError where an input would be overwritten or two outputs are one file, WriteError
    where one cannot be put."""
    taken = {os.path.realpath(each): "the input" for each in inputs}
    for path in outputs:
        place = os.path.realpath(path)
        if place in taken:
            raise UsageError(f"{quote(str(path))} would overwrite {taken[place]}")
        taken[place] = "another output"
    for path in outputs:
        check_output(path)


def _find_target(
    input: str, output: str | None, suffix: str, argument: str, several: bool
) -> Path | None:
    if output is None:
        return None
    if output.endswith(_SEPARATORS) or Path(output).is_dir():
        return Path(output) / Path(input).with_suffix(suffix).name
    if several:
        raise UsageError(f"{argument} has to be a folder when there are several inputs")
    if Path(output).suffix.lower() != suffix:
        raise UsageError(f"{argument} has to be a folder or end in {suffix}, not {quote(output)}")
    return Path(output)
