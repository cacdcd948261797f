# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's way as a ride on two wheels: in arcs, ahead and backward alone."""

import math

import numpy as np

from ...core.geometry.transforms import Matrix, quaternion_from_rotation, rotations_about
from ...core.kinematics.drive import Ride, Wheels, ride_wheels, sizes_of, wheel_speeds
from ..motion.frames import align_signs, rotate
from ..motion.trajectory import FrameTrack, Numbers
from .plan import LimbPlan
from .targets import heading_of


def ride_along(plan: LimbPlan, wheels: Wheels | None) -> tuple[Ride, float]:
    """Returns the ride of the person's heading and distance, and how far their way gets from it,
    in metres."""
    turns = heading_of(plan.scene.facing) @ plan.anatomy.axes.T
    way = plan.scene.way[:, :2]
    times = np.arange(len(way)) / plan.rate
    twists, aside = _find_twists(times, way, turns[:, :2, 0])
    speeds = wheel_speeds(twists, **sizes_of(wheels))
    x, y = turns[0, :2, 0]
    return ride_wheels(wheels, speeds, times, math.atan2(y, x)), aside


def twists_of(track: FrameTrack) -> Matrix:
    """Returns rows (m, 3) of a time, the speed ahead and the turning speed of a ride, each held
    until the next."""
    ahead = rotate(track.quaternions, np.tile([1.0, 0.0, 0.0], (len(track.times), 1)))
    return _find_twists(track.times, track.translations[:, :2], ahead[:, :2])[0]


def track_ride(ride: Ride, times: Numbers, start: Matrix) -> FrameTrack:
    """Returns the base of a ride that begins turned by `start` (3, 3), with its heading."""
    upward = np.tile([0.0, 0.0, 1.0], (len(times), 1))
    turns = rotations_about(upward, ride.heading - ride.heading[0]) @ start
    return track_turns(times, np.stack([ride.x, ride.y, 0.0 * ride.x], axis=1), turns)


def track_turns(times: Numbers, places: Numbers, turns: Numbers) -> FrameTrack:
    """Returns the base at `places` (m, 3), turned by rotations (m, 3, 3)."""
    turned = align_signs(np.array([quaternion_from_rotation(turn) for turn in turns]))
    return FrameTrack(parent="", child="", times=times, translations=places, quaternions=turned)


def _find_twists(times: Numbers, way: Numbers, ahead: Numbers) -> tuple[Matrix, float]:
    """Returns the rows of a way (m, 2) that looks along `ahead` (m, 2), and how far it gets from
    them. Of each step the part along the chord of its arc counts."""
    heading = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
    turn, lasting, steps = np.diff(heading), np.diff(times), np.diff(way, axis=0)
    middle = heading[:-1] + turn / 2.0
    chords = np.stack([np.cos(middle), np.sin(middle)], axis=1)
    along = (steps * chords).sum(axis=1)
    missed = np.cumsum(steps - along[:, None] * chords, axis=0)
    aside = float(np.linalg.norm(missed, axis=1).max(initial=0.0))
    speeds = np.stack([along / np.sinc(turn / (2.0 * np.pi)), turn], axis=1) / lasting[:, None]
    return np.column_stack([times, np.append(speeds, np.zeros((1, 2)), axis=0)]), aside
