# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of several arms on one clock: pauses, waiting for each other, and one trajectory."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.diagnostics import KinematicsError, quote, unknown_name
from ...core.geometry.transforms import Matrix, Vector
from ..motion.trajectory import Trajectory
from .assemble import ProgramRun
from .model import PlannedMove, Waypoint
from .setup import name_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Schedule:
    """When all programs are where: seconds at the waypoints, in the order of the list, and the
    moves."""

    trajectory: Trajectory
    times: tuple[float, ...]
    moves: tuple[PlannedMove, ...]


_Place = tuple[int, int]
"""The number of a program, and of a waypoint in it."""


def sort_programs(points: Sequence[Waypoint]) -> dict[str, list[int]]:
    """Returns the numbers of the waypoints of each program, in the order of the list. Raises
    KinematicsError for programs with fewer than two, and names that are given twice."""
    found: dict[str, list[int]] = {}
    for number, point in enumerate(points):
        found.setdefault(point.program, []).append(number)
    if not found:
        raise KinematicsError("a motion needs two waypoints, not 0")
    for program, numbers in found.items():
        if len(numbers) < 2:
            whose = f" of {quote(program)}" if program else ""
            raise KinematicsError(f"a motion{whose} needs two waypoints, not 1")
        names = [name_of(points[each], place) for place, each in enumerate(numbers)]
        twice = next((name for name, times in Counter(names).items() if times > 1), None)
        if twice is not None:
            raise KinematicsError(f"two waypoints are called {quote(twice)}")
    return found


def schedule(runs: Sequence[ProgramRun], count: int) -> Schedule:
    """Returns the programs on one clock. Raises KinematicsError where two move one joint, and
    where they wait for each other."""
    owners: dict[str, int] = {}
    for place, run in enumerate(runs):
        for name in run.machine.names:
            if owners.setdefault(name, place) != place:
                raise KinematicsError(f"two programs move joint {quote(name)}")
    waits = _wait(runs)
    times, moves = [0.0] * count, []
    tracks = []
    for run, wait in zip(runs, waits, strict=True):
        reached = _shift(run, wait)
        for number, at in zip(run.numbers, reached, strict=True):
            if number >= 0:
                times[number] = float(at)
        leaves = reached + run.rests + wait[1:]
        moves += [
            replace(
                move, waypoint=_lead_to(run, move.waypoint), start=float(leaves[place]),
                end=float(reached[place + 1]),
            )
            for place, move in enumerate(run.moves)
        ]  # fmt: skip
        tracks.append(_rest(run, wait))
    return Schedule(
        trajectory=_join(runs, tracks), times=tuple(times), moves=tuple(moves)
    )  # fmt: skip


def _lead_to(run: ProgramRun, place: int) -> int:
    """Returns the number in the list of a program's waypoint; the way back leads to the first."""
    number = run.numbers[place]
    return number if number >= 0 else next(each for each in run.numbers if each >= 0)


def _shift(run: ProgramRun, wait: Vector) -> Vector:
    """Returns when waypoints are reached; `wait` (w + 1,) is before the first, and then the wait
    there."""
    before = np.concatenate([[0.0], np.cumsum(run.rests + wait[1:])[:-1]])
    shifted: Vector = run.reached + before + wait[0]
    return shifted


def _wait(runs: Sequence[ProgramRun]) -> list[Vector]:
    """Returns for each program how long it waits before its first waypoint, and at each (w + 1,):
    the least waits with which every move begins when its other waypoint is reached."""
    places = {
        (point.program, name_of(point, number)): (run, number)
        for run, each in enumerate(runs)
        for number, point in enumerate(each.points)
    }
    asked = {
        (run, number): _find(point, places)
        for run, each in enumerate(runs)
        for number, point in enumerate(each.points)
        if point.after
    }
    waits = [np.zeros(len(run.points) + 1) for run in runs]
    reached: list[list[float]] = [[] for _ in runs]
    held: dict[_Place, list[int]] = {}
    ready = list(range(len(runs)))
    while ready:
        run = ready.pop()
        before = len(reached[run])
        other = _advance(runs[run], run, asked, (waits[run], reached))
        if other is not None:
            held.setdefault(other, []).append(run)
        for number in range(before, len(reached[run])):
            ready += held.pop((run, number), ())
    if held:
        raise _name_ring(runs, asked, [len(each) for each in reached])
    return waits


def _advance(
    run: ProgramRun,
    number: int,
    asked: Mapping[_Place, _Place],
    found: tuple[Vector, list[list[float]]],
) -> _Place | None:
    """Finds when a program reaches its next waypoints, up to a wait for a waypoint that is not
    known yet, which is returned; None at the end."""
    waits, reached = found
    own = reached[number]
    for place in range(len(own), len(run.points)):
        begins = own[-1] + float(run.rests[place - 1]) if place else 0.0
        other = asked.get((number, place))
        if other is not None:
            if other[1] >= len(reached[other[0]]):
                return other
            late = reached[other[0]][other[1]] - begins
            waits[place] = late if late > 1e-9 else 0.0
        away = float(run.reached[place] - (run.reached[place - 1] if place else 0.0))
        own.append(begins + float(waits[place]) + away)
    return None


def _name_ring(
    runs: Sequence[ProgramRun], asked: Mapping[_Place, _Place], stops: Sequence[int]
) -> KinematicsError:
    """Returns the error for programs that wait for each other; `stops` are the waypoints that they
    do not come to."""
    run = next(each for each, stop in enumerate(stops) if stop < len(runs[each].points))
    way: list[int] = []
    while run not in way:
        way.append(run)
        run = asked[run, stops[run]][0]
    ring = sorted(way[way.index(run) :])
    points = [(runs[each].points[stops[each]], stops[each]) for each in ring]
    names = [
        quote(":".join(filter(None, (point.program, name_of(point, number)))))
        for point, number in points
    ]
    return KinematicsError(f"{' and '.join(names)} wait for each other")


def _find(point: Waypoint, places: dict[tuple[str, str], tuple[int, int]]) -> tuple[int, int]:
    program, _, name = point.after.rpartition(":")
    for key in ((program, name), (point.program, point.after), ("", point.after)):
        if key in places:
            return places[key]
    known = [":".join(filter(None, key)) for key in places]
    raise unknown_name("there is no waypoint", point.after, known)


def _rest(run: ProgramRun, wait: Vector) -> tuple[Vector, Matrix, Matrix]:
    """Returns times, positions and velocities with rests put in where the program waits."""
    times, positions, velocities = run.times, run.positions, run.velocities
    rests = np.append(wait[0], run.rests + wait[1:])
    places = np.append(0.0, run.reached)
    shift = np.zeros(len(times))
    rows: list[int] = []
    for at, rest in zip(places, rests, strict=True):
        if rest > 0.0:
            row = int(np.abs(times - at).argmin())
            shift[row + 1 :] += rest
            rows.append(row)
    if not rows:
        return times, positions, velocities
    shown, ends = times + shift, dict.fromkeys(rows, 0.0)
    for at, rest in zip(places, rests, strict=True):
        row = int(np.abs(times - at).argmin())
        if row in ends:
            ends[row] += rest
    keys = sorted(ends)
    extra = np.array([shown[row] + ends[row] for row in keys])
    where = np.array(keys) + 1
    still = np.zeros((len(keys), positions.shape[1]))
    return (
        np.insert(shown, where, extra),
        np.insert(positions, where, positions[keys], axis=0),
        np.insert(velocities, where, still, axis=0),
    )


def sample_evenly(motion: Trajectory, rate: float) -> Trajectory:
    """Returns a motion of cubics as so many samples a second, and its last, with lines between
    them."""
    assert motion.velocities is not None
    end = float(motion.times[-1])
    at = np.append(np.arange(0.0, end, 1.0 / rate), end) if end else motion.times
    at = at[np.append(np.diff(at) > 1e-9, True)]
    values, _ = _resample((motion.times, motion.positions, motion.velocities), at)
    return Trajectory(names=motion.names, times=at, positions=values)


def _join(
    runs: Sequence[ProgramRun], tracks: Sequence[tuple[Vector, Matrix, Matrix]]
) -> Trajectory:
    names = [name for run in runs for name in run.machine.names]
    times = tracks[0][0]
    if len(tracks) > 1:
        times = _unite(track[0] for track in tracks)
        tracks = [(times, *_resample(track, times)) for track in tracks]
    return Trajectory(
        names=tuple(names), times=times, interpolation="spline",
        positions=np.concatenate([track[1] for track in tracks], axis=1),
        velocities=np.concatenate([track[2] for track in tracks], axis=1),
    )  # fmt: skip


def _unite(each: Iterable[Vector]) -> Vector:
    times = np.unique(np.concatenate(list(each)))
    kept: Vector = times[np.append(True, np.diff(times) > 1e-9)]
    return kept


def _resample(track: tuple[Vector, Matrix, Matrix], at: Vector) -> tuple[Matrix, Matrix]:
    """Returns the same cubics at more times; after its end a program rests."""
    times, positions, velocities = track
    if len(times) == 1:
        return np.tile(positions, (len(at), 1)), np.zeros((len(at), positions.shape[1]))
    place = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    step = np.diff(times)[place][:, None]
    t = np.minimum((at - times[place])[:, None], step)
    chord = (positions[place + 1] - positions[place]) / step
    begin, end = velocities[place], velocities[place + 1]
    second, third = (3 * chord - 2 * begin - end) / step, (begin + end - 2 * chord) / step**2
    shown = ((third * t + second) * t + begin) * t + positions[place]
    slopes = (3 * third * t + 2 * second) * t + begin
    slopes[at >= times[-1]] = 0.0
    return shown, slopes
