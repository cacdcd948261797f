# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories -> files of every kind that is read. A file is there whole or not at all."""

import os
from pathlib import Path

from ..diagnostics import WriteError, name_choices, quote
from ..files.outputs import check_output, replace_file
from ..motion.trajectory import Trajectory
from . import arrays, tables, trees

AnyPath = str | os.PathLike[str]
SUFFIXES = (".csv", ".json", ".yaml", ".npz")


def write_trajectory(trajectory: Trajectory, path: AnyPath) -> tuple[Path, ...]:
    """Writes a motion as its file's suffix says, and returns the files: .csv (positions alone),
    .json, .yaml or .npz (everything). What is there is overwritten.

    Times are written to the nanosecond. Raises WriteError where the format cannot hold the motion,
    or the file cannot be put there.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise WriteError(f"a motion is written as {name_choices(SUFFIXES)}, not as {quote(suffix)}")
    check_output(target)
    _check_names(trajectory)
    data = _format(trajectory, suffix, os.fspath(path))
    with replace_file(target) as temporary:
        temporary.write_bytes(data)
    return (target,)


def _format(trajectory: Trajectory, suffix: str, path: str) -> bytes:
    if suffix == ".npz":
        return arrays.format_arrays(trajectory)
    if suffix == ".csv":
        return tables.format_table(trajectory, path).encode()
    is_json = suffix == ".json"
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
