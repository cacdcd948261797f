# SPDX-License-Identifier: GPL-3.0-or-later
"""A dataset of labelled pictures from beginning to end: the folder, the remaining pictures, their
work in child processes, the indexes."""

import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...core.arguments import options_of, rig_of
from ...core.command.blends import is_blend
from ...core.diagnostics import BuildError, ReadError, WriteError, quote_path, unknown_name
from ...core.files.outputs import AnyPath, refuse_failure, write_text
from ...core.files.version import find_version
from ...core.options import ImportOptions
from ...core.pipeline.importing import read_robot
from ..sensing.dataset import DatasetOptions
from ..sensing.pictures import LABELS, PAGE, STRIPS, write_indexes
from .pictures import WORK, PictureTask
from .pool import choose_memory_limit, count_cores, run_tasks
from .supervisor import Limits
from .task import Wanted

HEAD, OWN_BLEND = "dataset.json", "robot.blend"
_SECONDS = 900.0
_Progress = Callable[[int, int, float], None]
_FOLDERS = ("rgb", "depth", "normals", "links", "robots", LABELS, STRIPS, "bop", "dream", WORK)
_COCO = tuple(f"coco_{name}.json" for name in ("instances", "keypoints", "polygons"))
_FILES = (HEAD, OWN_BLEND, PAGE, *_COCO)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetResult:
    """A dataset: its folder, how many pictures it has, how many of them were made now, and the page
    that shows some."""

    output: Path
    count: int
    made: int
    page: Path


def make_dataset(
    source: Any,
    output: AnyPath,
    *,
    options: DatasetOptions | None = None,
    imports: ImportOptions | None = None,
    progress: _Progress | None = None,
) -> DatasetResult:
    """Makes labelled pictures of a robot, in processes of their own: the scene in Blender stays as
    it is. The same seed gives the same bytes, whatever the number of processes.

    source    a description, a .blend with a robot, or an armature in Blender
    output    the folder: new, empty, or with `resume` or `again` an earlier dataset
    imports   how a description is read and built
    progress  is called after each picture with done, total, and seconds since the beginning

    Raises ReadError and KinematicsError for a robot that cannot be read, a keypoint without a
    link, and where no valid pose is found; BuildError for a robot without anything to see;
    WriteError where the folder takes no files, has other files, or a dataset of other options.
    """
    options = options_of(options, DatasetOptions)
    options.check_formats()
    imports = options_of(imports, ImportOptions)
    folder = Path(os.path.abspath(output))
    if isinstance(source, str | os.PathLike):
        robot = _Source(os.path.abspath(source), options.name or None, imports)
        _check_robot(robot, options)
    else:
        armature = rig_of(source)
        robot = _Source(str(folder / OWN_BLEND), armature.name, imports)
    known = _open_folder(folder, options)
    is_new = not known
    try:
        if robot.path == str(folder / OWN_BLEND) and (is_new or not Path(robot.path).exists()):
            from ...core.blender.save import save_blend

            save_blend(robot.path)
        made = _fill(folder, robot, options, known, progress)
    except BaseException:
        if is_new and not list(folder.glob(f"{LABELS}/*.json")):
            _remove(folder)
        raise
    finally:
        shutil.rmtree(folder / WORK, ignore_errors=True)
    return DatasetResult(output=folder, count=options.count, made=made, page=folder / PAGE)


def _fill(
    folder: Path,
    robot: "_Source",
    options: DatasetOptions,
    known: dict[str, Any],
    progress: _Progress | None,
) -> int:
    """Makes the pictures that are missing, and the files about all; returns how many it made."""
    if not known:
        known |= {"options": options.describe(), "seed": options.seed, "version": find_version()}
        _write_head(folder, known)
    tasks = _list_tasks(folder, robot, options, known)
    facts = _work(tasks, options, progress)
    known |= {name: value for name, value in facts.items() if name not in known}
    _write_head(folder, known)
    write_indexes(folder, known, options)
    return len(tasks)


@dataclass(frozen=True, slots=True)
class _Source:
    """The robot called `name` in a .blend, or a description."""

    path: str
    name: str | None
    imports: ImportOptions


def _write_head(folder: Path, known: dict[str, Any]) -> None:
    write_text(folder / HEAD, json.dumps(known, indent=1) + "\n")


def _list_tasks(
    folder: Path, source: _Source, options: DatasetOptions, known: dict[str, Any]
) -> list[PictureTask]:
    """Lists the pictures that are still to be made; the last one again where all are there and the
    head lacks the facts of the robot, which come of any picture."""
    numbers = [
        number
        for number in range(options.count)
        if not (folder / LABELS / f"{number:06}.json").exists()
    ]
    if not numbers and "robot" not in known:
        numbers = [options.count - 1]
    folders = {each: getattr(options, each) for each in ("backgrounds", "distractor_meshes")}
    folders = {name: os.path.abspath(each) for name, each in folders.items() if each}
    options = replace(options, **folders)
    return [
        PictureTask(
            input=f"{number:06}",
            output=str(folder),
            place=f"{WORK}/{number:06}",
            wanted=Wanted(options=source.imports),
            robot=source.path,
            name=source.name,
            options=options,
        )
        for number in numbers
    ]


def _check_robot(source: _Source, options: DatasetOptions) -> None:
    """Raises the errors that need no Blender to be noticed."""
    path = source.path
    if is_blend(path):
        if not os.path.isfile(path):
            raise ReadError("there is no such file", source=path)
        return
    robot = read_robot(path, options=source.imports)
    names = [link.name for link in robot.links]
    for each in options.keypoints:
        if each not in names:
            raise unknown_name("the robot has no link", each, names)
    if not any(link.visuals for link in robot.links):
        raise BuildError("the robot has nothing to see: no link has a visual", source=path)


def _open_folder(folder: Path, options: DatasetOptions) -> dict[str, Any]:
    """Makes the folder; returns the head of an earlier dataset, {} for a new one."""
    with refuse_failure(folder, "write into"):
        folder.mkdir(parents=True, exist_ok=True)
        filled = any(folder.iterdir())
    head = folder / HEAD
    if not filled:
        return {}
    if not head.is_file():
        raise WriteError(f"there are files that belong to no dataset in {quote_path(folder)}")
    if options.again:
        _remove(folder)
        folder.mkdir(exist_ok=True)
        return {}
    if not options.resume:
        raise WriteError(
            f"there is a dataset in {quote_path(folder)} already: --resume continues it, --again "
            "starts over"
        )
    shutil.rmtree(folder / WORK, ignore_errors=True)
    return _read_head(head, options)


def _read_head(head: Path, options: DatasetOptions) -> dict[str, Any]:
    try:
        known = json.loads(head.read_text(encoding="utf-8"))
        earlier = dict(known["options"])
    except (OSError, ValueError, TypeError, KeyError):
        raise WriteError(f"{quote_path(head)} is damaged: --again starts over") from None
    for key, value in options.describe().items():
        if earlier.get(key) != value:
            raise WriteError(
                f"the dataset there has {key.replace('_', ' ')} {earlier.get(key)!r}, "
                f"not {value!r}: --again starts over"
            )
    return dict(known)


def _remove(folder: Path) -> None:
    """Removes a dataset's files, and the folder where it is empty then."""
    for each in _FOLDERS:
        shutil.rmtree(folder / each, ignore_errors=True)
    for each in _FILES:
        with suppress(OSError):
            (folder / each).unlink()
    with suppress(OSError):
        folder.rmdir()


def _work(
    tasks: list[PictureTask],
    options: DatasetOptions,
    progress: _Progress | None,
) -> dict[str, Any]:
    """Makes pictures; returns the facts about their robot, {} where there was nothing to do."""
    began, facts = time.monotonic(), {}
    workers = options.jobs or count_cores()
    limits = Limits(seconds=_SECONDS, mib=choose_memory_limit(workers))
    with closing(run_tasks(tasks, options.scheduler or None, workers, limits)) as records:
        for done, record in enumerate(records, 1):
            if record.status != "ok":
                raise BuildError(f"picture {int(record.input)}: {record.error}")
            facts = dict(record.facts)
            if progress is not None:
                progress(done, len(tasks), time.monotonic() - began)
    return facts
