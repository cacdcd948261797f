# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose, or a motion, as the way of a robot: lines between samples."""

from collections.abc import Mapping

import numpy as np

from ...core.diagnostics import Diagnostics
from ...core.kinematics.keys import Keys, evaluate
from ...core.kinematics.tree import KinematicTree
from ..motion.frames import find_base, interpolate_track
from ..motion.names import match_names
from ..motion.series import cubics_of, series_of
from ..motion.trajectory import Numbers, Trajectory
from .link_motion import Way

_AT_ORIGIN = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
_OFF = 1e-5
"""How far lines may be off a cubic, in radians or metres."""
_MOST_PIECES = 1000


def way_of_pose(positions: Mapping[str, float | tuple[float, ...]]) -> Way:
    """Returns the way of one sample."""
    joints = {name: np.array([value]) for name, value in positions.items()}
    return Way(times=np.zeros(1), joints=joints, base=_AT_ORIGIN)


def way_of_motion(tree: KinematicTree, motion: Trajectory, diagnostics: Diagnostics) -> Way:
    """Returns the way of a motion: its joints, its base, and the frames named as planar, floating
    and ball joints. Cubics become lines. Raises KinematicsError where no joint of the robot is in
    the motion."""
    free = {m.joint.name: m.kind for m in tree.joint_motions if m.moves and not m.is_scalar}
    scalar = {m.joint.name: m.kind for m in tree.joint_motions if m.is_scalar}
    tracks = {track.child: track for track in motion.frames if track.child in free}
    root = tree.links[0].name
    others = [track for track in motion.frames if track.child not in tracks]
    base = find_base(others, [root], "")
    names: dict[str, str] = {}
    if motion.names or not (tracks or base):
        names = match_names(motion.names, scalar, {}, "", diagnostics)
    series = {
        joint: series_of(motion, motion.names.index(name), turns=scalar[joint] == "revolute")
        for name, joint in names.items()
    }
    framed = [*tracks.values(), *([base] if base else [])]
    times = np.unique(
        np.concatenate([*map(_cut, series.values()), *(np.maximum(t.times, 0.0) for t in framed)])
    )
    joints = {joint: evaluate(keys, times) for joint, keys in series.items()}
    for name, track in tracks.items():
        poses = np.hstack(interpolate_track(track, times))
        if free[name] == "planar":
            turn = np.unwrap(2.0 * np.arctan2(poses[:, 5], poses[:, 6]))
            poses = np.column_stack([poses[:, :2], turn])
        joints[name] = poses[:, 3:] if free[name] == "spherical" else poses
    return Way(
        times=times,
        joints=joints,
        base=_AT_ORIGIN if base is None else np.hstack(interpolate_track(base, times)),
    )


def _cut(keys: Keys) -> Numbers:
    """Returns the times between which lines are near enough to the curve: a line is off by its
    second derivative times its length squared by 8 at most."""
    if keys.slopes is None or len(keys.times) < 2:
        return keys.times
    cubics = cubics_of(keys)
    bends = 2 * np.abs(np.stack([cubics.second, cubics.second + 3 * cubics.third * cubics.lengths]))
    counts = np.ceil(cubics.lengths * np.sqrt(bends.max(axis=0) / (8 * _OFF)))
    pieces = np.clip(counts, 1, _MOST_PIECES).astype(int)
    parts = [
        start + length * np.arange(count) / count
        for start, length, count in zip(cubics.starts, cubics.lengths, pieces, strict=True)
    ]
    return np.concatenate([*parts, keys.times[-1:]])
