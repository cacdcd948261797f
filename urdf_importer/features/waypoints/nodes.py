# SPDX-License-Identifier: GPL-3.0-or-later
"""The pieces of a path as cubics of its parameter, fine enough to be on their lines in between."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.geometry.transforms import Matrix, Vector
from ..motion.path import JointPath
from .machine import PlannedArm
from .pieces import PathPiece, evaluate

_NODES = 8
_MOST = 512
_STEP = 0.02
"""Of the distance between nodes, over which slopes are measured."""
_FORWARD = np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / 12.0
_CENTRAL = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Knots:
    """Cubics of one piece: u (k,), positions (k, n), slopes by u (k, n)."""

    u: Vector
    values: Matrix
    slopes: Matrix


def find_knots(machine: PlannedArm, pieces: Sequence[PathPiece], tolerance: float) -> list[Knots]:
    """Returns the cubics of pieces: twice as many where their middles are further than `tolerance`
    off the exact place of the tool, in m, or ten times as much in rad."""
    counts = [1 if piece.then is None and not piece.in_space else _NODES for piece in pieces]
    found: list[Knots | None] = [None] * len(pieces)
    todo = list(range(len(pieces)))
    while todo:
        chosen = [pieces[place] for place in todo]
        knots = _sample(machine, chosen, [counts[place] for place in todo])
        off = _measure(machine, chosen, knots)
        left = []
        for place, own, distance in zip(todo, knots, off, strict=True):
            found[place] = own
            if distance > tolerance and counts[place] < _MOST:
                counts[place] *= 2
                left.append(place)
        todo = left
    return [each for each in found if each is not None]


def _sample(machine: PlannedArm, pieces: Sequence[PathPiece], counts: Sequence[int]) -> list[Knots]:
    grids = [_grid(count) for count in counts]
    values = evaluate(machine, pieces, [np.ravel(points) for _, points, _ in grids])
    knots = []
    for (u, points, weights), own in zip(grids, values, strict=True):
        stencil = own.reshape(*points.shape, -1)
        step = _STEP / (len(u) - 1)
        slopes = (stencil * weights[..., None]).sum(axis=1) / step
        middle = stencil[:, 2].copy()
        middle[0], middle[-1] = stencil[0, 0], stencil[-1, 4]
        knots.append(Knots(u=u, values=middle, slopes=slopes))
    return knots


def _grid(count: int) -> tuple[Vector, Matrix, Matrix]:
    """Returns u (k,), the five points (k, 5) around each node, or beside the first and last, and
    their weights in its slope."""
    u = np.linspace(0.0, 1.0, count + 1)
    offsets = np.tile(np.arange(-2.0, 3.0), (count + 1, 1))
    weights = np.tile(_CENTRAL, (count + 1, 1))
    offsets[0], offsets[-1] = np.arange(5.0), np.arange(-4.0, 1.0)
    weights[0], weights[-1] = _FORWARD, -_FORWARD[::-1]
    return u, u[:, None] + _STEP / count * offsets, weights


def _measure(
    machine: PlannedArm, pieces: Sequence[PathPiece], knots: Sequence[Knots]
) -> list[float]:
    """Returns how far the cubics' middles are off."""
    middles = [0.5 * (each.u[1:] + each.u[:-1]) for each in knots]
    exact = evaluate(machine, pieces, middles)
    off = []
    for own, wanted in zip(knots, exact, strict=True):
        step = np.diff(own.u)[:, None]
        shown = 0.5 * (own.values[1:] + own.values[:-1])
        shown = shown + step / 8.0 * (own.slopes[:-1] - own.slopes[1:])
        there, here = machine.place(wanted), machine.place(shown)
        away = np.linalg.norm(there[:, :3, 3] - here[:, :3, 3], axis=1).max(initial=0.0)
        turned = np.abs(there[:, :3, :3] - here[:, :3, :3]).max(initial=0.0)
        # Null-space motion is smooth, and no line: a hundred times as far is near enough.
        bent = (np.abs(shown - wanted) / machine.chain.units).max(initial=0.0)
        off.append(max(float(away), float(turned) / 10.0, float(bent) / 100.0))
    return off


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Route:
    """The whole path of a program. `pieces` are the piece of each of its segments (m - 1,), and
    `ends` the knot at the end of each piece."""

    path: JointPath
    pieces: NDArray[np.intp]
    ends: NDArray[np.intp]


def join_knots(pieces: Sequence[PathPiece], knots: Sequence[Knots]) -> Route:
    """Returns the path: cubics of its parameter, which grows as the pieces say."""
    values, begin, end, lengths, owners, ends = [knots[0].values[:1]], [], [], [], [], []
    stops = [np.array([True])]
    for number, (piece, own) in enumerate(zip(pieces, knots, strict=True)):
        slopes = own.slopes / piece.rate(own.u)[:, None]
        values.append(own.values[1:])
        begin.append(slopes[:-1])
        end.append(slopes[1:])
        lengths.append(np.diff(piece.parameter(own.u)))
        owners.append(np.full(len(own.u) - 1, number))
        flags = np.zeros(len(own.u) - 1, dtype=bool)
        flags[-1] = piece.stops
        stops.append(flags)
        ends.append(len(own.u) - 1)
    spans = np.concatenate(lengths)
    first, last, rest = np.concatenate(begin), np.concatenate(end), np.concatenate(stops)
    # Pieces go over into each other: the rest of the difference is rounding.
    smooth = ~rest[1:-1]
    mean = 0.5 * (first[1:] + last[:-1])
    first[1:][smooth] = mean[smooth]
    last[:-1][smooth] = mean[smooth]
    starts = np.concatenate([[0.0], np.cumsum(spans)])[:-1]
    path = JointPath(
        values=np.concatenate(values), begin=first, end=last, lengths=spans, starts=starts,
        stops=rest,
    )  # fmt: skip
    return Route(path=path, pieces=np.concatenate(owners), ends=np.cumsum(ends))
