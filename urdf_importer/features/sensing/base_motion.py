# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of a robot's base, as odometry has it, and the times at which sensors measure."""

from dataclasses import dataclass, replace

import numpy as np

from ...core.diagnostics import ArgumentError, quote
from ...core.geometry.transforms import Matrix, Vector, rotation_from_quaternion
from ...core.model import Robot
from ...core.sensors.placed import PlacedSensor
from ..motion.trajectory import FrameTrack, Trajectory, to_nanoseconds, to_seconds

ODOM = "odom"
"""The frame of the world."""
MOST_MEASUREMENTS = 1_000_000
_BASES = ("planar", "floating")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BaseMotion:
    """The robot's base over time: link `child` at frames (n, 4, 4) in odom at `times` (n,) in
    seconds; `root` is the root link, at `still` (4, 4) in odom where the armature does not move,
    else None."""

    times: Vector
    child: str
    root: str
    poses: Matrix
    still: Matrix | None


def times_of(sensor: PlacedSensor, rate: float | None, seconds: float, per_second: float) -> Matrix:
    """Returns the times (n,) at which a sensor measures, in whole nanoseconds: at its
    own rate or a lower one. Raises ArgumentError for more than MOST_MEASUREMENTS."""
    wanted = rate or sensor.rate or per_second
    wanted = min(wanted, sensor.rate) if sensor.rate else wanted
    if seconds * wanted > MOST_MEASUREMENTS:
        what = f"sensor {quote(sensor.name)} would measure more than {MOST_MEASUREMENTS} times"
        raise ArgumentError(f"{what}; give a lower rate")
    count = int(np.floor(seconds * wanted + 1e-6)) + 1
    return to_seconds(to_nanoseconds(np.arange(count) / wanted))


def find_base(
    robot: Robot, motion: Trajectory, place: Matrix, scale: float
) -> tuple[Trajectory, BaseMotion]:
    """Returns the motion with the frame odom in place of the world's, and the motion of the base:
    of the armature, and of a planar or floating joint on the root link. `place` (4, 4) is the
    armature's now, which is `scale` times as large as described."""
    children = {joint.child for joint in robot.joints}
    root = next((link.name for link in robot.links if link.name not in children), "")
    tracks = [track for track in motion.frames if track.parent]
    moving = next((track for track in tracks if track.parent == "world"), None)
    frees = [j.child for j in robot.joints if j.parent == root and j.type in _BASES]
    poses = np.tile(place, (len(motion.times), 1, 1))
    if moving is not None and moving.child == root:
        tracks.remove(moving)
        moving = replace(moving, parent=ODOM, translations=moving.translations / scale)
        tracks.insert(0, moving)
        poses = _poses_of(moving)
    still = None if moving is not None or root == ODOM else place
    if root == ODOM:
        tracks = [track for track in tracks if track.child != root]
        poses = np.tile(np.eye(4), (len(motion.times), 1, 1))
    free = next((t for t in tracks if t.parent == root and t.child in frees), None)
    if free is not None:
        poses = poses @ _poses_of(free)
    base = BaseMotion(
        times=motion.times, child=free.child if free else root, root=root, poses=poses, still=still
    )
    return replace(motion, frames=tuple(tracks)), base


def _poses_of(track: FrameTrack) -> Matrix:
    poses = np.tile(np.eye(4), (len(track.times), 1, 1))
    poses[:, :3, :3] = [rotation_from_quaternion(each) for each in track.quaternions]
    poses[:, :3, 3] = track.translations
    return poses
