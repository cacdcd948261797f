# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories -> files of every kind that is read. A file is there whole or not at all."""

import os
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

from ....core.arguments import number_of
from ....core.diagnostics import WriteError, name_choices, quote
from ....core.files.outputs import check_output, replace_file, replace_files
from ....core.files.packages import AnyPath
from ....core.model import Robot
from ....core.progress import finish
from ..trajectory import Trajectory
from . import arrays, tables, trees
from .definitions import Encoding
from .encode import Messages, messages_of
from .formats import ARRAYS, BAG, COUNTS, DATABASE, JSON, MCAP, TABLE, WRITTEN
from .policies import RATES, check_layout, format_policy
from .write_streams import write_bag, write_folder, write_mcap

_RECORDED = (DATABASE.suffix, MCAP.suffix, ".zstd")


def write_trajectory(
    trajectory: Trajectory,
    path: AnyPath,
    *,
    layout: str = "",
    robot: Robot | None = None,
    rate: float | None = None,
) -> tuple[Path, ...]:
    """Does as the function of this name in features/motion/motions.py does, for a `Robot`."""
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix and suffix not in WRITTEN:
        choices = f"{name_choices(WRITTEN)} or into a folder"
        advice = "; it holds counts, so name a table of servos" if suffix == COUNTS else ""
        raise WriteError(f"a motion is written as {choices}, not as {quote(suffix)}{advice}")
    if layout:
        return (_write_policy(trajectory, target, layout, robot, rate),)
    _check_names(trajectory)
    if suffix in ("", BAG.suffix, MCAP.suffix):
        return finish(write_messages(partial(messages_of, trajectory), target))
    with replace_file(target) as temporary:
        temporary.write_bytes(_format(trajectory, suffix, os.fspath(path), robot))
    return (target,)


def write_messages(
    make: Callable[[Encoding], Messages], target: Path
) -> Generator[int, None, tuple[Path, ...]]:
    """Writes a recording, whole or not at all, as its suffix says: .bag, .mcap, or none for a
    folder of ROS 2; yields the time of each message, and returns the files. `make` gives the
    messages in an encoding. Raises WriteError."""
    suffix = target.suffix.lower()
    if not suffix:
        return (yield from _write_folder(make, target))
    if suffix not in (BAG.suffix, MCAP.suffix):
        choices = f"{BAG.suffix}, {MCAP.suffix} or into a folder"
        raise WriteError(f"a recording is written as {choices}, not as {quote(suffix)}")
    with replace_file(target) as temporary:
        if suffix == BAG.suffix:
            yield from write_bag(make("ros1"), temporary)
        else:
            yield from write_mcap(make("cdr"), temporary)
    return (target,)


def _write_policy(
    trajectory: Trajectory, target: Path, layout: str, robot: Robot | None, rate: float | None
) -> Path:
    check_layout(layout, target.suffix.lower())
    if robot is None:
        raise WriteError(f"the layout {layout} needs the robot: it has no names of joints")
    if rate is not None:
        number_of(rate, "rate", least=1e-3)
    check_output(target)
    data = format_policy(trajectory, robot, layout, rate or RATES[layout])
    with replace_file(target) as temporary:
        temporary.write_bytes(data)
    return target


def _write_folder(
    make: Callable[[Encoding], Messages], folder: Path
) -> Generator[int, None, tuple[Path, ...]]:
    """Another recording in the folder would be read as a part of this one."""
    name = folder.name or "motion"
    files = (folder / "metadata.yaml", folder / f"{name}_0.db3")
    if folder.is_dir():
        others = [each.name for each in folder.iterdir() if each.suffix.lower() in _RECORDED]
        if set(others) - {files[1].name}:
            raise WriteError(f"{quote(str(folder))} holds another recording: {quote(others[0])}")
    with replace_files(folder) as staging:
        yield from write_folder(make("cdr"), staging, name)
    return files


def _format(trajectory: Trajectory, suffix: str, path: str, robot: Robot | None) -> bytes:
    if suffix == ARRAYS.suffix:
        return arrays.format_arrays(trajectory)
    if suffix == TABLE.suffix:
        return tables.format_table(trajectory, path, robot).encode()
    is_json = suffix == JSON.suffix
    return (trees.format_json(trajectory) if is_json else trees.format_yaml(trajectory)).encode()


def _check_names(trajectory: Trajectory) -> None:
    texts = [*trajectory.names, *(n for t in trajectory.frames for n in (t.parent, t.child))]
    for name in texts:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise WriteError(f"the name {quote(name)} is not Unicode text") from None
        if "\0" in name:
            raise WriteError(f"the name {quote(name)} has a character that no file takes")
    if not len(trajectory.times) and not trajectory.frames:
        raise WriteError("the motion is empty")
