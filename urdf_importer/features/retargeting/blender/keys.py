# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion made of a person's -> keys on the robot, from where the robot is."""

import os
from dataclasses import replace
from typing import Any

import mathutils
import numpy as np

from ....core.blender.curves import frame_rate, read_number
from ....core.diagnostics import Diagnostics
from ....core.geometry.transforms import rotations_about
from ....core.kinematics.drive import DriveOptions, wheel_speeds
from ...driving.blender.bake import plan_times
from ...driving.blender.driven import DrivenNumber, find_driven, key_courses
from ...ik.blender.native import set_influence
from ...motion.blender.apply import apply_trajectory
from ...motion.options import MotionOptions
from ...motion.trajectory import Trajectory
from ..driving import track_ride, twists_of
from ..options import RetargetOptions, RetargetResult
from ..person import Person

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
    keyed, courses, mode = trajectory, list[DrivenNumber](), armature.rotation_mode
    source = os.path.splitext(os.path.basename(person.name))[0] or "Retarget"
    chosen = MotionOptions(
        speed=frame_rate() / rate,
        keys="reduced" if options.keys == "reduced" else "samples",
        tolerance=options.tolerance,
        start_frame=start,
        action=options.action or source,
        set_range=options.set_range,
        base=options.base if options.base in ("none", "object") else "auto",
    )
    try:
        if options.base == "drive":
            earlier = _find_earlier(armature)
            frame = round(start if earlier is None else earlier.frame_range[0])
            keyed, trajectory, courses = _drive(armature, trajectory, rate, frame)
        action = apply_trajectory(armature, keyed, options=chosen, diagnostics=diagnostics)
    except BaseException:
        armature.rotation_mode = mode
        raise
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
    numbers of both in each frame, as bake_drive keys them: from where they are in frame `start`."""
    _turn_by_angles(armature, start)
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


def _turn_by_angles(armature: Any, frame: int) -> None:
    """Lets an armature that turns by quaternions turn by angles, as it does in a frame."""
    if armature.rotation_mode == "QUATERNION":
        turn = [read_number(armature, "rotation_quaternion", part, frame) for part in range(4)]
        armature.rotation_mode = "XYZ"
        armature.rotation_euler = mathutils.Quaternion(turn).to_euler("XYZ")


def _find_earlier(armature: Any) -> Any | None:
    """Finds the action by which the robot follows someone already."""
    data = armature.animation_data
    action = data.action if data is not None else None
    return action if action is not None and RETARGET in action else None


def _find_place(armature: Any) -> list[float]:
    """Returns where the robot is, or began when it followed someone before."""
    earlier = _find_earlier(armature)
    place = None if earlier is None else earlier[RETARGET].get("place")
    return list(place) if place is not None else list(armature.location)[:2]


def _move(trajectory: Trajectory, place: list[float]) -> Trajectory:
    """Returns the motion with its base beginning above a place (x, y)."""
    frames = []
    for track in trajectory.frames:
        shift = np.append(np.array(place) - track.translations[0, :2], 0.0)
        frames.append(replace(track, translations=track.translations + shift))
    return replace(trajectory, frames=tuple(frames))
