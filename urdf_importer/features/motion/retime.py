# SPDX-License-Identifier: GPL-3.0-or-later
"""The same path at other times: by a factor, or as fast as limits allow."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.diagnostics import KinematicsError
from ...core.kinematics.keys import Keys
from .check import peaks_of
from .frames import interpolate_track
from .limits import JointLimits, RobotLimits, hold_followers
from .options import RetimeOptions
from .path import JointPath, nodes_of, plan_path
from .profile import choose_nodes, durations, plan_speeds, smooth_speeds
from .series import fastest, make_cubics, series_of
from .trajectory import FrameTrack, Numbers, Trajectory

_NODES = 2000
_NEAR = 2e-7
_LEAST_STEP = 2e-9
_WINDOWS = (1.0, 1.4, 2.0, 3.0, 5.0, 8.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathBounds:
    """Limits of n joints, (n,) each, infinite where a joint has none."""

    velocities: Numbers
    accelerations: Numbers
    jerks: Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedPath:
    """The path's nodes: (k,) new and old seconds, (k, n) positions, and velocities of cubics."""

    times: Numbers
    old: Numbers
    positions: Numbers
    velocities: Numbers | None = None


def scale_speed(trajectory: Trajectory, factor: float) -> Trajectory:
    """Returns the motion `factor` times as fast. Efforts are left out: others would be needed.
    Raises KinematicsError for a factor that is not above zero."""
    if not (np.isfinite(factor) and factor > 0.0):
        raise KinematicsError(f"the speed must be above zero, not {factor:g}")
    velocities, accelerations = trajectory.velocities, trajectory.accelerations
    return replace(
        trajectory,
        times=trajectory.times / factor,
        velocities=None if velocities is None else velocities * factor,
        accelerations=None if accelerations is None else accelerations * factor**2,
        efforts=trajectory.efforts if factor == 1.0 else None,
        frames=tuple(replace(each, times=each.times / factor) for each in trajectory.frames),
    )


def retime(
    trajectory: Trajectory,
    limits: RobotLimits,
    joints: Mapping[str, str],
    options: RetimeOptions,
) -> Trajectory:
    """Returns the motion along the same path as fast as the limits allow; `joints` says which joint
    a name of the motion is. See motions.retime_trajectory. Raises KinematicsError where nothing
    moves that has a limit."""
    series = {
        name: series_of(trajectory, column, turns=joints[name] in limits.turning)
        for column, name in enumerate(trajectory.names)
        if name in joints
    }
    series = {name: keys for name, keys in series.items() if len(keys.times)}
    held, every = hold_followers(limits), list(series.values())
    own = [held.get(joints[name], JointLimits()) for name in series]
    bounds = _collect(own, every, limits, options)
    is_smooth = bool(np.isfinite(bounds.accelerations).any())
    path = None
    if series:
        moving = _moving_frames(trajectory.frames)
        keep = np.array([[0.0, np.inf]]) if options.only_slower else moving
        path = plan_path(
            every,
            [(each.lower, each.upper) for each in own],
            tolerance=options.tolerance if is_smooth else np.inf,
            keep=keep,
        )
    if path is None:
        raise KinematicsError("no joint of the motion moves, so there is nothing to retime")
    most = _cap_speeds(path, trajectory.frames, options)
    timed = follow_path(path, bounds, most) if is_smooth else _hurry(path, every, bounds, most)
    return replace(
        trajectory,
        names=tuple(series),
        times=timed.times,
        positions=timed.positions,
        velocities=timed.velocities,
        accelerations=None,
        efforts=None,
        frames=tuple(_move_track(track, timed) for track in trajectory.frames),
        interpolation="spline" if is_smooth else "linear",
    )


def _collect(
    own: Sequence[JointLimits],
    series: Sequence[Keys],
    limits: RobotLimits,
    options: RetimeOptions,
) -> PathBounds:
    """Collects the limits. A joint without any is never faster than it was. Raises KinematicsError
    where none has one."""
    scales = {
        "velocity": options.velocity_scale or limits.velocity_scale,
        "acceleration": options.acceleration_scale or limits.acceleration_scale,
        "jerk": 1.0,
    }
    stated = [[getattr(each, kind) for kind in scales] for each in own]
    if not any(bound is not None for row in stated for bound in row[:2]):
        raise KinematicsError(
            "no joint of the motion has a limit of velocity or acceleration: give limits, or a "
            "speed"
        )
    bounds = [[np.inf if bound is None else bound for bound in row] for row in stated]
    found = np.array(bounds) * list(scales.values())
    for row, keys in zip(found, series, strict=True):
        if np.isinf(row[:2]).all():
            row[0] = max(peaks_of(keys).get("velocity", (0.0, 0.0))[0], 1e-9)
    return PathBounds(velocities=found[:, 0], accelerations=found[:, 1], jerks=found[:, 2])


def _moving_frames(frames: Iterable[FrameTrack]) -> Numbers:
    """Returns (k, 2) from when to when some frame moves."""
    spans = []
    for track in frames:
        moved = np.abs(np.diff(track.translations, axis=0)).max(axis=1, initial=0.0) > 1e-9
        moved |= np.abs(np.diff(track.quaternions, axis=0)).max(axis=1, initial=0.0) > 1e-9
        edges = np.flatnonzero(np.diff(np.concatenate([[False], moved, [False]]).astype(int)))
        spans += [track.times[edges].reshape(-1, 2)]
    return np.concatenate(spans) if spans else np.empty((0, 2))


def _cap_speeds(path: JointPath, frames: Sequence[FrameTrack], options: RetimeOptions) -> Numbers:
    """Returns the greatest ds/dt of each segment: the motion's own where frames move, which have no
    limits of their own, or where it is only to become slower."""
    if options.only_slower:
        return np.ones(len(path.lengths))
    most = np.full(len(path.lengths), np.inf)
    for first, last in _moving_frames(frames):
        most[(path.starts < last) & (path.starts + path.lengths > first)] = 1.0
    return most


def _hurry(path: JointPath, series: Sequence[Keys], bounds: PathBounds, most: Numbers) -> TimedPath:
    """Gives each line as long as its slowest joint needs."""
    pieces = 16 if any(keys.slopes is not None for keys in series) else 1
    if pieces == 1:
        values = np.stack([path.values[:-1], path.values[1:]], axis=1)
    else:
        values, _, _ = nodes_of(path, pieces)
    steps = np.abs(np.diff(values, axis=1))
    spent = (steps / bounds.velocities).max(axis=2)
    # A hair more, since the quotient of rounded numbers may come out above.
    spent = np.maximum(spent * (1.0 + 1e-9), path.lengths[:, None] / pieces / most[:, None])
    old = path.starts[:, None] + np.linspace(0, 1, pieces + 1) * path.lengths[:, None]
    times = np.concatenate([[0.0], np.cumsum(np.maximum(spent, _LEAST_STEP))])
    return TimedPath(
        times=times,
        old=np.append(old[:, :-1].ravel(), old[-1, -1]),
        positions=np.concatenate([values[:, :-1].reshape(-1, values.shape[2]), values[-1:, -1]]),
    )


def follow_path(path: JointPath, bounds: PathBounds, most: Numbers) -> TimedPath:
    """Follows a path under limits of acceleration; `most` (m - 1,) is the greatest growth of its
    parameter in each segment."""
    segments = len(path.lengths)
    pieces = int(2 ** np.ceil(np.log2(np.clip(_NODES / segments, 4, 1024))))
    values, first, second = nodes_of(path, pieces)
    speeds = plan_speeds(first, second, path, bounds.velocities, bounds.accelerations, most)
    spent = durations(speeds, path.lengths)
    times = np.concatenate([[0.0], np.cumsum(np.maximum(spent, _LEAST_STEP))])
    if np.isfinite(bounds.jerks).any():
        return _ease(path, times, speeds, bounds)
    table = times[np.arange(segments)[:, None] * pieces + np.arange(pieces + 1)]
    slopes = first * speeds[..., None]
    kept = choose_nodes(values, slopes, table, bounds.accelerations, _NEAR)
    kept[:, -1] = False
    kept[-1, -1] = True
    share = np.linspace(0, 1, pieces + 1)
    old = path.starts[:, None] + share * path.lengths[:, None]
    return _end(path, (table[kept], old[kept], values[kept], slopes[kept]), bounds)


def _ease(path: JointPath, times: Numbers, speeds: Numbers, bounds: PathBounds) -> TimedPath:
    """Spreads the jumps of the acceleration over a window of time: out of a few windows, the one
    with the earliest end. In the shortest, the greatest acceleration comes or goes at the greatest
    jerk."""
    limited = np.isfinite(bounds.jerks) & np.isfinite(bounds.accelerations)
    shortest = float((bounds.accelerations[limited] / bounds.jerks[limited]).max(initial=0.0))
    shortest = shortest or float(times[-1]) / 10
    eased = [
        _end(path, smooth_speeds(path, times, speeds, factor * shortest), bounds)
        for factor in _WINDOWS
    ]
    return min(eased, key=lambda each: float(each.times[-1]))


def _end(path: JointPath, nodes: tuple[Numbers, ...], bounds: PathBounds) -> TimedPath:
    """Stretches the time of each run between two stops by the little that its cubics, which are not
    quite the path between the nodes, are beyond the limits."""
    times, old, positions, velocities = nodes
    ends = np.flatnonzero(path.stops)[1:-1]
    corners = np.append(path.starts, path.starts[-1] + path.lengths[-1])[ends]
    runs = np.searchsorted(corners, old[:-1], side="right")
    steps = np.diff(times)
    steps_of, rates = steps[:, None], velocities
    cubics = make_cubics(
        times[:-1, None], steps_of, (positions[:-1], positions[1:]), (rates[:-1], rates[1:])
    )
    _, peaks = fastest(cubics)
    bends = np.maximum(
        np.abs(2 * cubics.second), np.abs(2 * cubics.second + 6 * cubics.third * steps_of)
    )
    needed = np.maximum(
        (np.abs(peaks) / bounds.velocities).max(axis=1),
        np.sqrt((bends / bounds.accelerations).max(axis=1)),
    )
    if np.isfinite(bounds.jerks).any():
        jerks = _jerks(times, cubics.second, cubics.third)
        needed = np.maximum(needed, np.cbrt((jerks / bounds.jerks).max(axis=1)))
    factors = np.ones(int(runs.max()) + 1)
    np.maximum.at(factors, runs, needed * (1.0 + 1e-7))
    scale = factors[runs]
    at_node = np.maximum(np.append(scale, 1.0), np.append(1.0, scale))
    return TimedPath(
        times=np.concatenate([[0.0], np.cumsum(steps * scale)]),
        old=old,
        positions=positions,
        velocities=velocities / at_node[:, None],
    )


def _jerks(times: Numbers, second: Numbers, third: Numbers) -> Numbers:
    """Returns (k - 1, n) jerks of cubics: of each cubic, and from its middle to its neighbours'."""
    steps = np.diff(times)[:, None]
    jerks = np.abs(6 * third)
    middles = 2 * second + 3 * third * steps
    apart = ((times[1:] + times[:-1]) / 2)[:, None]
    jumps = np.abs(np.diff(middles, axis=0) / np.diff(apart, axis=0))
    jerks[1:] = np.maximum(jerks[1:], jumps)
    jerks[:-1] = np.maximum(jerks[:-1], jumps)
    return jerks


def _move_track(track: FrameTrack, timed: TimedPath) -> FrameTrack:
    """Moves a frame to the new times, with samples where the joints have some: it stays beside
    them. Before and after them its time continues as it did."""
    if len(track.times) == 1:
        return track
    inside = timed.old[(timed.old > track.times[0]) & (timed.old < track.times[-1])]
    times = np.union1d(track.times, inside)
    moved, turned = interpolate_track(track, times)
    new = np.interp(times, timed.old, timed.times)
    new = new + np.minimum(times - timed.old[0], 0.0) + np.maximum(times - timed.old[-1], 0.0)
    rising = np.append(np.diff(new) > _LEAST_STEP, True)
    return replace(track, times=new[rising], translations=moved[rising], quaternions=turned[rising])
