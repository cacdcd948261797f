# SPDX-License-Identifier: GPL-3.0-or-later
"""Commanded trajectories, one after the other, as a robot obeys them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..gather import SampleBlock, Times
from ..options import Clock
from ..trajectory import KINDS, Interpolation, Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A JointTrajectory: `times` (m,) nanoseconds after its stamp, `arrays` kind -> (m, n). A stamp
    of zero means: when it was received."""

    stamp: int
    log: int
    order: int
    is_linear: bool
    names: tuple[str, ...]
    times: Times
    arrays: dict[str, Numbers | None]


def join_commands(
    commands: Sequence[Command], clock: Clock
) -> Iterator[tuple[SampleBlock, Interpolation]]:
    """Yields the samples of each set of joints. A new command ends the one before it at once; until
    it begins, the robot holds the last point."""
    groups: dict[tuple[str, ...], list[Command]] = {}
    for command in sorted(commands, key=lambda each: each.order):
        groups.setdefault(command.names, []).append(command)
    for number, (names, members) in enumerate(groups.items()):
        parts: list[tuple[Times, dict[str, Numbers]]] = []
        for command in members:
            begin = command.log if clock == "log" or not command.stamp else command.stamp
            _obey(parts, command, begin)
        times = np.concatenate([part[0] for part in parts])
        arrays = {kind: np.concatenate([part[1][kind] for part in parts]) for kind in KINDS}
        linear = all(command.is_linear for command in members)
        yield (
            SampleBlock(
                names=names,
                times=times,
                order=np.arange(len(times)) + number,
                **{kind: None if np.isnan(a).all() else a for kind, a in arrays.items()
                   if kind != "positions"},
                positions=arrays["positions"],
            ),
            "linear" if linear else "spline",
        )  # fmt: skip


def _obey(parts: list[tuple[Times, dict[str, Numbers]]], command: Command, begin: int) -> None:
    """Cuts earlier motion off at the new command's beginning, and adds the command."""
    times = command.times + begin
    rising = np.concatenate([[True], np.diff(np.maximum.accumulate(times)) > 0])
    nothing = np.full((len(times), len(command.names)), np.nan)
    arrays = {
        kind: (nothing if array is None else array)[rising]
        for kind, array in command.arrays.items()
    }
    times = times[rising]
    end = min(begin + 1, int(times[0]))
    while parts and parts[-1][0][0] >= end:
        parts.pop()
    if parts:
        before, held = parts[-1]
        kept = before < end
        parts[-1] = before[kept], {kind: array[kept] for kind, array in held.items()}
        if kept.all():
            _hold(parts, begin, int(times[0]))
    parts.append((times, arrays))


def _hold(parts: list[tuple[Times, dict[str, Numbers]]], begin: int, first: int) -> None:
    """Adds the last point again where a later command begins, unless its own first point does."""
    times, arrays = parts[-1]
    if not times[-1] < begin < first:
        return
    held = {kind: array[-1:] for kind, array in arrays.items()}
    for kind in ("velocities", "accelerations"):
        held[kind] = held[kind] * 0.0
    parts.append((np.array([begin], dtype=np.int64), held))
