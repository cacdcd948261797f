# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving frames -> positions of joints: a recording of /tf alone says how a robot moved, too."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from .frames import find_base, multiply, rotate
from .trajectory import FrameTrack, Numbers


def rename_frames(
    tracks: Sequence[FrameTrack], known: Collection[str], prefix: str
) -> tuple[FrameTrack, ...]:
    """Returns the tracks with the robot's names where their frames are known: the same name but for
    a leading slash; without `prefix`; else the last part of a name, where only one ends so."""
    known = set(known)
    names = {name for track in tracks for name in (track.parent, track.child)}
    found = {name: name.lstrip("/") for name in names if name.lstrip("/") in known}
    bare = {name: name.lstrip("/").removeprefix(prefix).lstrip("/") for name in names}
    last = {name: name.rpartition("/")[2] for name in names}
    for shorter in (bare, last):
        taken = set(found.values())
        left = [name for name in names if name not in found and shorter[name] in known - taken]
        ends = [shorter[name] for name in left]
        found |= {name: shorter[name] for name in left if ends.count(shorter[name]) == 1}
    return tuple(
        replace(
            track,
            parent=found.get(track.parent, track.parent),
            child=found.get(track.child, track.child),
        )
        for track in tracks
    )


def find_relative(tracks: Sequence[FrameTrack], parent: str, child: str) -> FrameTrack | None:
    """Returns how a frame moves in one above it; None where no chain of tracks connects them."""
    if not any(track.child == child for track in tracks):
        return None
    found = find_base(tracks, [child], parent)
    return found if found is not None and found.parent.lstrip("/") == parent else None


def solve_joint(
    track: FrameTrack, origin: tuple[Numbers, Numbers], axis: Numbers, *, turns: bool
) -> tuple[Numbers, Numbers]:
    """Returns the positions (m,) of a joint that moves its link as `track` says, in the frame of
    the link above, and how far (m,) it cannot: metres or radians, the worse of both. `origin` is
    the joint's frame there, translation (3,) and quaternion (4,); `axis` (3,) of length one.

    Turned by the angle q about a, a quaternion is (a sin(q/2), cos(q/2)) (Diebel 2006, 175).
    """
    count = len(track.times)
    back = np.tile(origin[1] * [-1.0, -1.0, -1.0, 1.0], (count, 1))
    moved = rotate(back, track.translations - origin[0])
    turned = multiply(back, track.quaternions)
    along = turned[:, :3] @ axis
    if turns:
        values = 2 * np.arctan2(along, turned[:, 3])
        values -= 2 * np.pi * np.round(values / (2 * np.pi))
        rest = np.sqrt(np.clip(1.0 - along**2 - turned[:, 3] ** 2, 0.0, 1.0))
        off = np.linalg.norm(moved, axis=1)
    else:
        values = moved @ axis
        rest = np.linalg.norm(turned[:, :3], axis=1)
        off = np.linalg.norm(moved - values[:, None] * axis, axis=1)
    return values, np.maximum(off, 2 * np.arcsin(np.clip(rest, 0.0, 1.0)))


def poses_of_joint(positions: Numbers) -> Numbers:
    """Returns how a joint of several numbers moves its link, poses (m, 7) of x, y, z and a
    quaternion, from its positions in the words of set_joint_positions: a planar one's (m, 3), which
    are in its own plane, a ball joint's (m, 4) or a floating one's (m, 7)."""
    count, size = positions.shape
    poses = np.zeros((count, 7))
    if size == 3:
        poses[:, :2] = positions[:, :2]
        poses[:, 5], poses[:, 6] = np.sin(positions[:, 2] / 2), np.cos(positions[:, 2] / 2)
    else:
        poses[:, 7 - size :] = positions
    return poses
