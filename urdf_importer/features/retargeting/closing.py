# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed loops of a robot that follows a person."""

from dataclasses import replace

import numpy as np

from ...core.diagnostics import quote
from ...core.kinematics.keys import Keys
from ...core.kinematics.loops import LoopCloser
from ...core.kinematics.loops.place import forward_kinematics
from ...core.model import Robot
from ..motion.frames import rotate
from ..motion.limits import RobotLimits
from ..motion.loops import close_motion
from .feet import measure_spread
from .options import RetargetResult


def close_result(
    robot: Robot, result: RetargetResult, limits: RobotLimits, first: float
) -> RetargetResult:
    """Returns the result with all joints that loops move, where the loops are closed."""
    motion = result.trajectory
    free = dict(zip(motion.names, motion.positions.T, strict=True))
    keys = {name: Keys(times=motion.times, values=values) for name, values in free.items()}
    closer = LoopCloser(robot)
    others = [name for name in closer.freedom.free if name not in motion.names]
    held = {name: _find_rest(limits, name) for name in others}
    closed = close_motion(closer, keys, held, motion.times)
    for name, position in closed.poses[0].items():
        if isinstance(position, float):
            free[name] = np.array([pose[name] for pose in closed.poses], dtype=np.float64)
    missed = tuple(
        f"joint {quote(name)} in {count} frames, in which its loop cannot be closed"
        for name, (_, count) in closed.missed.items()
    )
    positions = np.stack(list(free.values()), axis=1)
    trajectory = replace(motion, names=tuple(free), positions=positions)
    moved = replace(result, trajectory=trajectory, unmatched=(*result.unmatched, *missed))
    return replace(moved, slide=_measure_slide(robot, moved, first))


def _find_rest(limits: RobotLimits, name: str) -> float:
    """Returns the position of a joint that is nearest to zero within limits, a tenth away from
    them where both are known: its followers have limits too."""
    bounds = limits.joints.get(name)
    lower = -np.inf if bounds is None or bounds.lower is None else bounds.lower
    upper = np.inf if bounds is None or bounds.upper is None else bounds.upper
    margin = 0.1 * (upper - lower) if np.isfinite(upper - lower) else 0.0
    return float(np.clip(0.0, lower + margin, upper - margin))


def _measure_slide(robot: Robot, result: RetargetResult, begin: float) -> float:
    """Returns the farthest that a standing foot comes from its place, with closed loops."""
    motion, worst = result.trajectory, 0.0
    for contact in result.contacts if motion.frames else ():
        track = motion.frames[0]
        places = []
        for row in range(int(contact.first - begin), int(contact.last - begin) + 1):
            pose = dict(zip(motion.names, motion.positions[row].tolist(), strict=True))
            foot = forward_kinematics(robot, pose)[contact.link][:3, 3]
            turned = rotate(track.quaternions[[row]], foot[None])[0]
            places.append(turned + track.translations[row])
        worst = max(worst, measure_spread(np.array(places)))
    return worst
