# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that move in frames that move: chains of tracks, and poses between samples."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...core.geometry.transforms import matrix_from_pose, quaternion_from_rotation
from ...core.kinematics.motion import JointMotion
from ...core.kinematics.tree import KinematicTree
from .trajectory import FrameTrack, Numbers

MOST_LINKS = 100


def find_base(
    tracks: Sequence[FrameTrack], children: Sequence[str], fixed: str
) -> FrameTrack | None:
    """Returns the motion of the robot's base, the first of `children` that is there, in `fixed`, or
    in the outermost frame; None where nothing records it. A track without names is the base's."""
    by_child: dict[str, FrameTrack] = {}
    for track in tracks:
        by_child.setdefault(_plain(track.child), track)
    for name in (*children, ""):
        if name in by_child:
            return _chain(by_child, name, fixed)
    return None


def seat_tracks(tracks: Sequence[FrameTrack], tree: KinematicTree) -> list[FrameTrack]:
    """Returns the tracks, with seats where they move the base: the one of the root link, and of a
    floating joint, or one in the plane of x and y, that carries all the rest."""
    root = tree.links[0].name
    seats = {root: (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)}
    below = [each for each in tree.joint_motions if each.joint.parent == root]
    if len(below) == 1 and (below[0].kind == "floating" or _is_level(below[0])):
        frame = matrix_from_pose(below[0].joint.origin)
        turned = quaternion_from_rotation(frame[:3, :3])
        seats[below[0].joint.name] = (*frame[:3, 3].tolist(), *turned)
    return [replace(each, seat=seats.get(_plain(each.child), each.seat)) for each in tracks]


def _is_level(motion: JointMotion) -> bool:
    return motion.kind == "planar" and motion.axis == (0.0, 0.0, 1.0)


def join_seated(tracks: Sequence[FrameTrack], times: Numbers) -> FrameTrack | None:
    """Returns the base's motion by all tracks that have a seat, the outer one first; None where
    there is none."""
    seated = [track for track in tracks if track.seat is not None]
    if not seated:
        return None
    moved, turned = np.zeros((len(times), 3)), np.tile([0.0, 0.0, 0.0, 1.0], (len(times), 1))
    for track in seated:
        seat = np.tile(np.array(track.seat), (len(times), 1))
        for step, turn in ((seat[:, :3], seat[:, 3:]), interpolate_track(track, times)):
            moved, turned = moved + rotate(turned, step), multiply(turned, turn)
    poses = np.hstack([moved, turned])
    return track_poses("", "", times, poses)


def _plain(name: str) -> str:
    return name.lstrip("/")


def _chain(by_child: Mapping[str, FrameTrack], name: str, fixed: str) -> FrameTrack:
    chain, seen = [by_child[name]], {name}
    while len(chain) < MOST_LINKS:
        above = _plain(chain[-1].parent)
        if above == _plain(fixed) or above in seen or above not in by_child or not above:
            break
        seen.add(above)
        chain.append(by_child[above])
    if len(chain) == 1:
        return chain[0]
    moving = [track.times for track in chain if len(track.times) > 1] or [chain[0].times]
    times = np.unique(np.concatenate(moving))
    moved, turned = interpolate_track(chain[-1], times)
    for track in reversed(chain[:-1]):
        inner_moved, inner_turned = interpolate_track(track, times)
        moved = moved + rotate(turned, inner_moved)
        turned = multiply(turned, inner_turned)
    return replace(
        chain[0], parent=chain[-1].parent, times=times, translations=moved, quaternions=turned
    )


def interpolate_track(track: FrameTrack, times: Numbers) -> tuple[Numbers, Numbers]:
    """Returns translations (m, 3) and quaternions (m, 4) at times: on the straight line and the
    shortest arc between samples, at the first and last sample before and after."""
    if len(track.times) == 1:
        count = len(times)
        return np.tile(track.translations, (count, 1)), np.tile(track.quaternions, (count, 1))
    moved = [np.interp(times, track.times, column) for column in track.translations.T]
    places = np.clip(np.searchsorted(track.times, times, side="right") - 1, 0, len(track.times) - 2)
    share = (times - track.times[places]) / np.diff(track.times)[places]
    turned = slerp(
        track.quaternions[places], track.quaternions[places + 1], np.clip(share, 0.0, 1.0)
    )
    return np.stack(moved, axis=1), turned


def slerp(one: Numbers, other: Numbers, share: Numbers) -> Numbers:
    """Returns quaternions (m, 4) on the shortest arcs between two (Shoemake 1985)."""
    cosine = (one * other).sum(axis=1)
    other = np.where(cosine[:, None] < 0, -other, other)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-9
    safe = np.where(near, 1.0, sine)
    first = np.where(near, 1 - share, np.sin((1 - share) * angle) / safe)
    second = np.where(near, share, np.sin(share * angle) / safe)
    mixed = first[:, None] * one + second[:, None] * other
    unit: Numbers = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
    return unit


def multiply(one: Numbers, other: Numbers) -> Numbers:
    """Returns products of quaternions x, y, z, w (m, 4): first the other turn, then the one."""
    a, b = one[:, :3], other[:, :3]
    v, w = one[:, 3:], other[:, 3:]
    vector = v * b + w * a + np.cross(a, b)
    return np.concatenate([vector, v * w - (a * b).sum(axis=1, keepdims=True)], axis=1)


def rotate(quaternions: Numbers, vectors: Numbers) -> Numbers:
    """Returns vectors (m, 3) turned by quaternions (m, 4)."""
    a, w = quaternions[:, :3], quaternions[:, 3:]
    double = 2 * np.cross(a, vectors)
    turned: Numbers = vectors + w * double + np.cross(a, double)
    return turned


def align_signs(quaternions: Numbers) -> Numbers:
    """Returns the same turns with signs such that each is the nearer one to that before."""
    flips = np.where((quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    aligned: Numbers = quaternions * np.concatenate([[1.0], np.cumprod(flips)])[:, None]
    return aligned


def track_poses(parent: str, child: str, times: Numbers, poses: Numbers) -> FrameTrack:
    """Returns the motion of a frame from poses (m, 7): x, y, z and a quaternion x, y, z, w, here
    made of length one and without jumps."""
    turns = align_signs(poses[:, 3:])
    return FrameTrack(
        parent=parent,
        child=child,
        times=times,
        translations=poses[:, :3],
        quaternions=turns / np.linalg.norm(turns, axis=1, keepdims=True),
    )
