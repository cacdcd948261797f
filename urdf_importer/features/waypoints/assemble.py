# SPDX-License-Identifier: GPL-3.0-or-later
"""One program: its moves with their blends become a route, and the route a motion with times."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.diagnostics import Diagnostics, quote
from ...core.geometry.transforms import Matrix, Vector
from .ends import ArrivalState
from .machine import PlannedArm
from .model import PlannedMove, PlanProblem, Waypoint
from .nodes import Route, find_knots, join_knots
from .pieces import PathPiece, Segment, find_share, make_segment
from .setup import name_of
from .timing import Timed, find_slow, time_route

_SHORT = 1e-9
_SAMPLES = 65


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProgramRun:
    """A program with times of its own.

    points      its waypoints, and `numbers` these have in the whole list
    times       (k,) seconds; positions and velocities (k, n)
    reached     (w,) seconds at which each waypoint is reached, without pauses
    rests       (w,) seconds of rest at each
    moves       its moves, without pauses
    """

    machine: PlannedArm
    points: tuple[Waypoint, ...]
    numbers: tuple[int, ...]
    times: Vector
    positions: Matrix
    velocities: Matrix
    reached: Vector
    rests: Vector
    moves: tuple[PlannedMove, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Layout:
    """The pieces of a program, and for each waypoint the piece at whose end, or in whose middle, it
    is: -1 for the start. `blends` are the radii as they came out."""

    pieces: list[PathPiece]
    places: list[int]
    middles: list[bool]
    blends: list[float]


def run_program(
    machine: PlannedArm,
    points: Sequence[Waypoint],
    states: Sequence[ArrivalState],
    tolerance: float,
    diagnostics: Diagnostics,
) -> ProgramRun | PlanProblem:
    """Returns the motion through waypoints whose states are all possible, or why a joint
    must jump after all."""
    segments = [None] + [
        make_segment(machine, before.values, state.values, (state.course, state.followed))
        for before, state in itertools.pairwise(states)
    ]
    layout = _lay_out(machine, points, segments, diagnostics)
    rests = np.array([point.pause for point in points])
    blank = ProgramRun(
        machine=machine, points=tuple(points), numbers=tuple(range(len(points))), rests=rests,
        times=np.zeros(1), positions=states[0].values[None], moves=(),
        velocities=np.zeros((1, len(machine.names))), reached=np.zeros(len(points)),
    )  # fmt: skip
    if not layout.pieces:
        return replace(blank, moves=_describe(blank, segments, layout, frozenset()))
    missed: list[int] = []
    knots = find_knots(machine, layout.pieces, tolerance, missed)
    if missed:
        return _refuse(points, layout.pieces[missed[0]].number)
    route = join_knots(layout.pieces, knots)
    timed = time_route(machine, route, layout.pieces, points)
    run = replace(
        blank, times=timed.times, positions=timed.positions, velocities=timed.velocities,
        reached=_find_reached(layout, route, timed),
    )  # fmt: skip
    slow = _report_slow(run, route, layout, diagnostics)
    return replace(run, moves=_describe(run, segments, layout, slow))


def _refuse(points: Sequence[Waypoint], number: int) -> PlanProblem:
    called = quote(name_of(points[number], number))
    said = (
        f"{called}: the way meets a singularity: a joint would turn at once; go there by joints, "
        "or shift or turn the tool"
    )
    return PlanProblem(waypoint=number, kind="singular", message=said)


def _lay_out(
    machine: PlannedArm,
    points: Sequence[Waypoint],
    segments: Sequence[Segment | None],
    diagnostics: Diagnostics,
) -> _Layout:
    entered, left, blends = _cut_corners(machine, points, segments, diagnostics)
    layout = _Layout(pieces=[], places=[-1], middles=[False], blends=blends)
    for number, segment in enumerate(segments[1:], start=1):
        if segment is not None:
            first, last, cut = entered[number - 1], 1.0 - left[number], blends[number] > 0.0
            if last - first > _SHORT:
                layout.pieces.append(
                    PathPiece(segment=segment, first=first, last=last, number=number, stops=not cut)
                )
            if cut:
                layout.pieces.append(
                    PathPiece(
                        segment=segment, first=last, last=entered[number], number=number,
                        then=segments[number + 1],
                    )
                )  # fmt: skip
        layout.places.append(len(layout.pieces) - 1)
        layout.middles.append(blends[number] > 0.0)
    return layout


def _cut_corners(
    machine: PlannedArm,
    points: Sequence[Waypoint],
    segments: Sequence[Segment | None],
    diagnostics: Diagnostics,
) -> tuple[list[float], list[float], list[float]]:
    """Returns for each waypoint the share at which the next move is entered, the share before the
    end at which the move to it is left, and the radius. Radii that overlap become smaller by one
    factor."""
    count = len(points)
    entered, left, blends = [0.0] * count, [0.0] * count, [0.0] * count
    for number in range(1, count - 1):
        before, then, radius = segments[number], segments[number + 1], points[number].blend
        if before is None or then is None or not radius or points[number].pause:
            continue
        left[number] = find_share(machine, before, radius, from_end=True)
        entered[number] = find_share(machine, then, radius, from_end=False)
        blends[number] = radius
    factors = [1.0] * count
    for number in range(1, count):
        both = entered[number - 1] + left[number]
        if both > 1.0:
            for corner in (number - 1, number):
                factors[corner] = min(factors[corner], 1.0 / both)
    for number, factor in enumerate(factors):
        if factor < 1.0 and blends[number]:
            entered[number] *= factor
            left[number] *= factor
            blends[number] *= factor
            diagnostics.warning(
                "blend-shortened",
                f"the blend at {quote(name_of(points[number], number))} would overlap another: its "
                f"radius is {blends[number]:.3g} m instead of {points[number].blend:.3g} m",
                subject=name_of(points[number], number),
            )
    return entered, left, blends


def _find_reached(layout: _Layout, route: Route, timed: Timed) -> Vector:
    reached = []
    for place, middle in zip(layout.places, layout.middles, strict=True):
        knot = 0 if place < 0 else int(route.ends[place])
        if middle:
            before = int(route.ends[place - 1]) if place else 0
            knot = (knot + before) // 2
        reached.append(float(timed.knots[knot]))
    return np.array(reached)


def _report_slow(
    run: ProgramRun, route: Route, layout: _Layout, diagnostics: Diagnostics
) -> frozenset[int]:
    """Reports the moves in which the tool slows down at a singularity, and returns them."""
    found = set()
    for place, piece in enumerate(layout.pieces):
        if not piece.in_space or piece.then is not None:
            continue
        slow = find_slow(run.machine, route, place)
        if slow is None:
            continue
        joint, share = run.machine.names[slow[0]], slow[1]
        share = piece.first + (piece.last - piece.first) * share
        found.add(piece.number)
        diagnostics.warning(
            "near-singular",
            f"on the way to {quote(name_of(run.points[piece.number], piece.number))} the tool "
            f"slows down after {100 * share:.0f} %, near a singularity: joint {quote(joint)} "
            "cannot turn faster",
            subject=joint,
        )
    return frozenset(found)


def _describe(
    run: ProgramRun, segments: Sequence[Segment | None], layout: _Layout, slow: frozenset[int]
) -> tuple[PlannedMove, ...]:
    machine, moves = run.machine, []
    speeds = np.linalg.norm(machine.move(run.positions, run.velocities), axis=1)
    shares = np.abs(run.velocities) / machine.velocities
    for number, segment in enumerate(segments[1:], start=1):
        start, end = run.reached[number - 1], run.reached[number]
        own = (run.times >= start - 1e-9) & (run.times <= end + 1e-9)
        moves.append(
            PlannedMove(
                waypoint=number,
                move=run.points[number].move,
                start=float(start),
                end=float(end),
                length=0.0 if segment is None else _measure(machine, segment),
                tool_speed=float(speeds[own].max(initial=0.0)),
                joint="" if segment is None else machine.names[int(shares[own].max(0).argmax())],
                blend=layout.blends[number],
                singular=number in slow,
            )
        )
    return tuple(moves)


def _measure(machine: PlannedArm, segment: Segment) -> float:
    """Returns the metres of the tool's way."""
    if segment.course is not None:
        return segment.course.length
    origins = machine.place(segment.seeds(np.linspace(0.0, 1.0, _SAMPLES)))[:, :3, 3]
    return float(np.linalg.norm(np.diff(origins, axis=0), axis=1).sum())
