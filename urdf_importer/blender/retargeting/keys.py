# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion made of a person's -> keys on the robot, from where the robot is."""

import os
from dataclasses import replace
from typing import Any

import numpy as np

from ...diagnostics import Diagnostics
from ...motion.options import MotionOptions
from ...motion.trajectory import Trajectory
from ...retargeting.options import RetargetOptions, RetargetResult
from ...retargeting.person import Person
from ..animation.apply import apply_trajectory
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
    start = person.first_frame if options.start_frame is None else options.start_frame
    source = os.path.splitext(os.path.basename(person.source))[0] or "Retarget"
    action = apply_trajectory(
        armature,
        trajectory,
        options=MotionOptions(
            keys="reduced" if options.keys == "reduced" else "samples",
            tolerance=options.tolerance,
            start_frame=start,
            action=options.action or source,
            set_range=options.set_range,
            base=options.base if options.base in ("none", "object") else "auto",
        ),
        diagnostics=diagnostics,
    )
    # It would hide the keys.
    set_influence(armature, 0.0)
    action[RETARGET] = {
        "source": source,
        "place": place,
        "pairs": [f"{'/'.join(each.bones)} > {each.link}" for each in result.pairs],
        "scale": result.scale,
    }
    return replace(result, trajectory=trajectory, action=action)


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
