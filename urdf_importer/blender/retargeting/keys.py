# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion made of a person's -> keys on the robot, from where the robot is."""

import os
from dataclasses import replace
from typing import Any

import numpy as np

from ...diagnostics import Diagnostics
from ...geometry.transforms import rotations_about
from ...kinematics.drive import DriveOptions, wheel_speeds
from ...motion.options import MotionOptions
from ...motion.trajectory import Trajectory
from ...retargeting.driving import track_ride, twists_of
from ...retargeting.options import RetargetOptions, RetargetResult
from ...retargeting.person import Person
from ..animation.apply import apply_trajectory
from ..animation.curves import frame_rate
from ..driving.bake import plan_times
from ..driving.driven import DrivenNumber, find_driven, key_courses
from ..ik.native import set_influence

RETARGET = "urdf_retarget"
"""The property of actions that says whom they follow, and where the robot began."""


def key_result(
    armature: Any,
    result: RetargetResult,
    options: RetargetOptions,
    person: Person,
    diagnostics: Diagnostics,
) -> RetargetResult:
    """Keys a result on a robot, which begins where it is, and returns it with the action."""
    place = _find_place(armature)
    trajectory = _move(result.trajectory, place)
    start = person.start(options.start_frame)
    # Beside a person who is shown, keys are on the same frames.
    rate = person.rate if person.is_shown else frame_rate()
    keyed, courses = trajectory, list[DrivenNumber]()
    if options.base == "drive":
        keyed, trajectory, courses = _drive(armature, trajectory, rate, round(start))
    source = os.path.splitext(os.path.basename(person.source))[0] or "Retarget"
    action = apply_trajectory(
        armature,
        keyed,
        options=MotionOptions(
            speed=frame_rate() / rate,
            keys="reduced" if options.keys == "reduced" else "samples",
            tolerance=options.tolerance,
            start_frame=start,
            action=options.action or source,
            set_range=options.set_range,
            base=options.base if options.base in ("none", "object") else "auto",
        ),
        diagnostics=diagnostics,
    )
    key_courses(courses, round(start))
    # It would hide the keys.
    set_influence(armature, 0.0)
    action[RETARGET] = {
        "source": source,
        "place": place,
        "pairs": [f"{'/'.join(each.bones)} > {each.link}" for each in result.pairs],
        "scale": result.scale,
    }
    return replace(result, trajectory=trajectory, action=action)


def _drive(
    armature: Any, motion: Trajectory, rate: float, start: int
) -> tuple[Trajectory, Trajectory, list[DrivenNumber]]:
    """Returns the motion without base and wheels, the motion with the base where it drives, and the
    numbers of both in each frame, as bake_drive keys them: from where they are in the first."""
    driven = find_driven(armature, DriveOptions(), glides=True)
    (track,) = motion.frames
    speeds = wheel_speeds(twists_of(track), **driven.sizes)
    ride = driven.plan(speeds, plan_times(speeds, rate), start)
    rolled = {} if driven.wheels is None else driven.wheels.found.roll(ride)
    kept = motion.select([name for name in motion.names if name not in rolled])
    shown = driven.plan(speeds, track.times, start)
    begins = rotations_about(np.array([[0.0, 0.0, 1.0]]), shown.heading[:1])[0]
    base = track_ride(shown, track.times, begins)
    base = replace(base, translations=base.translations + track.translations[0])
    courses = list(driven.find_courses(ride, start))
    return replace(kept, frames=()), replace(motion, frames=(base,)), courses


def _find_place(armature: Any) -> list[float]:
    """Returns where the robot is, or began when it followed someone before."""
    data = armature.animation_data
    action = data.action if data is not None else None
    known = action.get(RETARGET) if action is not None else None
    place = known.get("place") if known is not None else None
    return list(place) if place is not None else list(armature.location)[:2]


def _move(trajectory: Trajectory, place: list[float]) -> Trajectory:
    """Returns the motion with its base beginning above a place (x, y)."""
    frames = []
    for track in trajectory.frames:
        shift = np.append(np.array(place) - track.translations[0, :2], 0.0)
        frames.append(replace(track, translations=track.translations + shift))
    return replace(trajectory, frames=tuple(frames))
