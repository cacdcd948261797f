# SPDX-License-Identifier: GPL-3.0-or-later
"""The displayed pose of a rig over time -> a motion: after curves, IK, limits, drivers,
constraints, NLA."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ....core.arguments import rig_of
from ....core.blender.curves import frame_rate
from ....core.blender.extract.robot import extract_robot
from ....core.blender.span import find_range
from ....core.blender.standing.joints import joints_of, read_link_joint
from ....core.blender.standing.links import links_of, name_link, name_root
from ....core.blender.standing.pose import get_joint_positions
from ....core.diagnostics import KinematicsError
from ....core.kinematics.motion import SCALAR_KINDS
from ....core.kinematics.tree import retrace_tree
from ..frames import align_signs, seat_tracks, track_poses
from ..joint_frames import poses_of_joint
from ..trajectory import FrameTrack, Numbers, Trajectory, to_nanoseconds, to_seconds
from .own_curves import OwnMotion, find_own_motion, pose_of_matrix, shown_pose

MOST_SAMPLES = 1_000_000
_STILL = 1e-9


def sample_trajectory(
    armature: Any,
    *,
    frame_range: tuple[float, float] | None = None,
    rate: float | None = None,
    links: bool = False,
) -> Trajectory:
    """Returns an imported robot's motion from frame to frame, after curves, IK, limits, drivers,
    constraints and NLA: positions of joints with velocities by central differences, and frames that
    move.

    `frame_range` are the first and last frame: by default of the actions and NLA strips that play,
    the scene's where nothing is animated. `rate` are the samples per second (one for each frame).
    Followers are sampled too. The base is a frame of its root link in `world`; planar, floating and
    ball joints are frames by their own names; with `links` every link is a frame of the one above,
    as /tf has them. The frame that was shown is shown again.
    Raises KinematicsError for a range or rate that makes no sense, BuildError.
    """
    armature = rig_of(armature)
    per_second = frame_rate()
    rate = per_second if rate is None else rate
    first, last = frame_range or find_range(armature)
    if not (np.isfinite([first, last, rate]).all() and last >= first and rate > 0):
        raise KinematicsError("frames must rise, and the rate must be above zero")
    count = int(np.floor((last - first) / per_second * rate + 1e-6)) + 1
    if count > MOST_SAMPLES:
        raise KinematicsError(f"these are {count} samples; {MOST_SAMPLES} are the most")
    times = to_seconds(to_nanoseconds(np.arange(count) / rate))
    frames = first + times * per_second
    wanted = _list_links(armature, count) if links else []
    shown = _look(armature, frames.tolist(), wanted)
    kinds = {joint.name: joint.kind for joint in joints_of(armature)}
    names = [name for name, kind in kinds.items() if kind in SCALAR_KINDS]
    free = {
        name: poses_of_joint(np.array(shown.positions[name])) for name in kinds if name not in names
    }
    positions = np.empty((count, len(names)))
    for column, name in enumerate(names):
        positions[:, column] = shown.positions[name]
    velocities: Numbers | None = None
    if names and count > 1:
        velocities = np.asarray(np.gradient(positions, times, axis=0))
    return Trajectory(
        names=tuple(names),
        times=times,
        positions=positions,
        velocities=velocities,
        frames=(
            *_tracks(armature, times, free, shown.base),
            *(track_poses(each.parent_name, each.name, times, each.poses) for each in wanted),
        ),
    )


def sample_positions(armature: Any, frames: Iterable[float]) -> tuple[dict[str, Numbers], Numbers]:
    """Returns the displayed positions of all joints, in the words of get_joint_positions, and poses
    (m, 7) of the armature object in the world, without its scale."""
    shown = _look(armature, list(frames), [])
    return {name: np.array(each) for name, each in shown.positions.items()}, shown.base


def _split(frame: float) -> tuple[int, float]:
    """Returns a whole frame and the rest, as Blender takes them."""
    whole = int(np.floor(frame + 1e-9))
    return whole, min(max(frame - whole, 0.0), 0.999999)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """A link below another: their empties, and its poses (m, 7) there."""

    name: str
    parent_name: str
    empty: Any
    parent: Any
    poses: Numbers


def _list_links(armature: Any, count: int) -> list[_Link]:
    empties = {name_link(link) or "": link for link in links_of(armature)}
    return [
        _Link(
            name=name,
            parent_name=joint.parent,
            empty=empty,
            parent=empties[joint.parent],
            poses=np.empty((count, 7)),
        )
        for name, empty in empties.items()
        if (joint := read_link_joint(empty)) is not None and joint.parent in empties
    ]


def _look(armature: Any, frames: list[float], links: list[_Link]) -> OwnMotion:
    """Returns the displayed positions of the rig in frames, and fills in the poses of links. Where
    its curves alone do not determine them, the frames are shown, one after the other."""
    own = None if links else find_own_motion(armature, list(map(_split, frames)))
    if own is None:
        own = OwnMotion(
            positions={joint.name: [0.0] * len(frames) for joint in joints_of(armature)},
            base=np.empty((len(frames), 7)),
            is_sure=np.zeros(len(frames), dtype=bool),
        )
    rows = np.flatnonzero(~own.is_sure).tolist()
    if not rows:
        return own
    for row, _ in zip(rows, walk_frames([frames[row] for row in rows]), strict=True):
        for name, position in get_joint_positions(armature).items():
            own.positions[name][row] = position
        own.base[row] = shown_pose(armature)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for link in links:
            above, below = (
                np.array(each.evaluated_get(depsgraph).matrix_world)
                for each in (link.parent, link.empty)
            )
            link.poses[row] = pose_of_matrix(np.linalg.solve(above, below))
    return own


@contextmanager
def held_frame(scene: Any) -> Iterator[None]:
    """Goes back to the frame that was shown."""
    frame, rest = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=rest)


def walk_frames(frames: Iterable[float]) -> Iterator[float]:
    """Shows one frame of the scene after the other, whole or between two, and yields it; in the end
    the frame that was shown before."""
    scene = bpy.context.scene
    with held_frame(scene):
        for frame in frames:
            whole, rest = _split(frame)
            scene.frame_set(whole, subframe=rest)
            yield frame


def _tracks(
    armature: Any, times: Numbers, free: dict[str, Numbers], base: Numbers
) -> tuple[FrameTrack, ...]:
    """Returns the frames that move: the base where the whole robot does, and the joints that no
    single number says, by their names."""
    tracks = [("", name, poses) for name, poses in free.items()]
    turned = align_signs(base[:, 3:])
    if max(np.ptp(base[:, :3], axis=0).max(), np.ptp(turned, axis=0).max()) > _STILL:
        tracks.insert(0, ("world", name_root(armature), base))
    if not tracks:
        return ()
    found = [track_poses(parent, child, times, poses) for parent, child, poses in tracks]
    return tuple(seat_tracks(found, retrace_tree(extract_robot(armature))))
