# SPDX-License-Identifier: GPL-3.0-or-later
"""The work on one robot of a batch, as a plain value, and doing it: in a child process."""

import base64
import hashlib
import json
import os
import pickle
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.command.jobs import CheckJob, ExportJob, ImportJob, run, task_of
from ...core.command.report import Report, SayStage
from ...core.command.task import Task, perform
from ...core.diagnostics import FragmentError, RobotError, WriteError
from ...core.files.outputs import refuse_failure
from ...core.files.portable import relative_path
from ...core.files.version import find_version
from ...core.options import FileOptions, ImportOptions
from .assets import plan_asset

BLEND, PICTURE = ".blend", ".png"
_MOST_DIGESTED = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The outputs of a batch for every robot: files of these `suffixes`, pictures of so many pixels
    and samples. `exports`: suffix -> options of its format; folders end in _ and its name. `asset`:
    the .blend is one of a library of assets."""

    suffixes: tuple[str, ...] = (BLEND,)
    asset: bool = False
    options: ImportOptions = field(default_factory=ImportOptions)
    exports: tuple[tuple[str, FileOptions], ...] = ()
    picture_size: tuple[int, int] = (256, 192)
    picture_samples: int = 8
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotTask:
    """A robot's description and where its files go: the folder `place` below `output`."""

    input: str
    output: str
    place: str
    wanted: Wanted
    named: bool = True
    digest: str = ""

    def file(self, suffix: str) -> Path:
        """Returns the robot's file with this suffix."""
        stem = self.place.rsplit("/", 1)[-1]
        return self.folder / f"{stem}{suffix}"

    @property
    def folder(self) -> Path:
        """The folder of the robot's files."""
        return Path(self.output, *self.place.split("/"))

    @property
    def source(self) -> str:
        """The file that every worker must see."""
        return self.input

    def work(self, say_stage: SayStage, kept: dict[Any, Any]) -> dict[str, Any]:
        """Does the work, as run_task does; `kept` holds things from task to task."""
        return run_task(self, say_stage)


def pack_task(task: RobotTask) -> bytes:
    """Returns a task on a line, from which unpack_task makes it again in a child process. Never the
    other way: a child has read strangers' files, and pickles can run code."""
    return base64.b64encode(pickle.dumps(task)) + b"\n"


def unpack_task(line: bytes) -> RobotTask:
    """Reads a task that pack_task wrote."""
    task: RobotTask = pickle.loads(base64.b64decode(line))
    return task


class DiskError(WriteError):
    """No robot can be written any more: the disk is full, or the output folder is gone."""


def digest_work(path: str, wanted: Wanted) -> str:
    """Returns a digest of a description's bytes, of the requested outputs and of the version. Files
    that the description names (meshes, includes) are not in it."""
    digest = hashlib.sha256(f"{find_version()}\n{wanted!r}\n".encode("utf-8", "surrogatepass"))
    try:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                digest.update(file.read(_MOST_DIGESTED))
    except (OSError, ValueError):
        digest.update(b"unreadable")
    return digest.hexdigest()[:32]


def run_task(task: RobotTask, say_stage: SayStage) -> dict[str, Any]:
    """Makes all files of a robot; returns its data for a BatchRecord, as JSON can hold it.

    `say_stage` receives the name of each next stage. A check comes first: a failure there costs no
    Blender. An output that fails stops no other; the first error counts.
    Raises DiskError where the output folder takes no files any more.
    """
    wanted = task.wanted
    check = CheckJob(input=task.input, options=wanted.options, strict=wanted.strict)
    reports = [run(check, say_stage=say_stage)]
    if reports[0].error is None:
        with _folder_of(task):
            for each in _plan_tasks(task):
                reports.append(perform(each, say_stage=say_stage))
                find_disk_trouble(task.output, reports[-1].error)
    return _describe(task, reports)


def _plan_tasks(task: RobotTask) -> Iterator[Task]:
    wanted = task.wanted
    blend, picture = (
        task.file(suffix) if suffix in wanted.suffixes else None for suffix in (BLEND, PICTURE)
    )
    if wanted.asset:
        yield plan_asset(task)
    elif blend or picture:
        job = ImportJob(
            input=task.input,
            options=wanted.options,
            blend=blend,
            picture=picture,
            picture_size=wanted.picture_size,
            picture_samples=wanted.picture_samples,
            strict=wanted.strict,
        )
        yield task_of(job)
    for suffix, options in wanted.exports:
        export = ExportJob(
            input=task.input,
            output=task.file(suffix),
            format=suffix[1:] if suffix.startswith("_") else "",
            options=options,
            reading=wanted.options,
            strict=wanted.strict,
        )
        yield task_of(export)


@contextmanager
def _folder_of(task: RobotTask) -> Iterator[None]:
    """Makes the folder; where nothing was written into it, it goes again."""
    with refuse_failure(task.output, "write into", DiskError):
        task.folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        with suppress(OSError):
            for folder in (task.folder, *task.folder.parents):
                if folder == Path(task.output):
                    break
                folder.rmdir()


def find_disk_trouble(output: str, error: RobotError | None) -> None:
    """Raises DiskError if one robot's failure to write will be everyone's: tries to write a
    little."""
    if not isinstance(error, WriteError):
        return
    probe = Path(output, f".writing-probe-{secrets.token_hex(8)}")
    try:
        with refuse_failure(output, "write into", DiskError), probe.open("xb") as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    finally:
        with suppress(OSError):
            probe.unlink()


_PROBE_BYTES = 16 * 1024 * 1024


def _describe(task: RobotTask, reports: list[Report]) -> dict[str, Any]:
    contents = [json.loads(each.to_json()) for each in reports]
    first = next((each.error for each in reports if each.error is not None), None)
    is_part = isinstance(first, FragmentError) and not task.named
    status = "ok" if first is None else "skipped" if is_part else "failed"
    facts: dict[str, Any] = {}
    for report in reports:
        facts |= {key: value for key, value in report.facts.items() if key != "files"}
    # The plan's numbers are more than an export's.
    facts |= reports[0].facts
    files = [path for content in contents for path in content["files"]]
    return {
        "status": status,
        "error": "" if first is None else str(first),
        "robot": str(facts.get("robot", "")),
        "facts": {key: value for key, value in facts.items() if _is_plain(value)},
        "files": sorted({relative_path(path, task.output) for path in files}),
        "diagnostics": _unite([content["diagnostics"] for content in contents]),
        "seconds": _add_up([content["seconds"] for content in contents]),
    }


def _is_plain(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _unite(lists: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Each diagnostic once, in the order in which they came up."""
    found = {json.dumps(item, sort_keys=True): item for items in lists for item in items}
    return list(found.values())


def _add_up(times: list[dict[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for each in times:
        for stage, seconds in each.items():
            total[stage] = round(total.get(stage, 0.0) + seconds, 6)
    return total
