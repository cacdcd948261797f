# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings on rigs with closed loops: joints that no driver moves are keyed where their loops
close, in every frame; joints that the rig moves are compared."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....core.blender.curves import PlannedCurve, plan_channels
from ....core.blender.standing.joints import posed_joints_of
from ....core.blender.standing.loops import RigLoops, find_loops
from ....core.blender.standing.pose import channel_numbers, read_channels
from ....core.diagnostics import Diagnostics, quote
from ....core.kinematics.keys import Keys, evaluate, follow
from ....core.kinematics.loops import LoopCloser, find_freedom
from ....core.kinematics.loops.follow import LinkageSolver
from ..loops import ClosedMotion, close_motion, plan_closed_times

_MOST_COMPARED = 200
"""Samples of a recording at which followers are compared."""


def close_curves(
    armature: Any,
    curves: Sequence[PlannedCurve],
    timing: tuple[float, float],
    diagnostics: Diagnostics,
) -> list[PlannedCurve]:
    """Returns the curves with the curves of joints that loops move, and that the rig does not: they
    are closed in every frame. `timing` are the first second and the frames a second."""
    loops = find_loops(armature)
    # As positions of the joints.
    keys = {
        each.joint.name: follow(each.keys, each.joint.sign)
        for each in curves
        if each.joint is not None
    }
    if loops is None or not keys:
        return list(curves)
    closer = _choose_closer(loops, keys.keys())
    found = [each for each in curves if each.joint is None or each.joint.name not in loops.led]
    for solver in closer.solvers:
        one = closer.select([solver])
        names = {*solver.free, *solver.followers}
        own = {name: each for name, each in keys.items() if name in names}
        if not own:
            continue
        times = plan_closed_times(own.values(), *timing)
        motion = close_motion(one, own, read_channels(armature, names), times)
        _report_missed(loops, motion, diagnostics)
        moved = names - loops.driven - (set(solver.free) & own.keys() - motion.missed.keys())
        found = _replace(found, list(_plan_solved(armature, moved, motion)))
    return found


def _choose_closer(loops: RigLoops, recorded: Collection[str]) -> LoopCloser:
    """Returns the solver of the linkages that the rig does not close itself, and of linkages with
    recorded followers only: recorded joints determine the others."""

    def is_solved(solver: LinkageSolver) -> bool:
        names = {*solver.free, *solver.followers}
        return bool(
            names & loops.solved
            or (names & set(recorded) and not (names - loops.driven) <= set(recorded))
        )

    freedom = find_freedom(loops.closer.tree, actuated=recorded)
    closer = LoopCloser(loops.closer.tree, freedom)
    return closer.select(filter(is_solved, closer.solvers))


def _plan_solved(
    armature: Any, names: Collection[str], motion: ClosedMotion
) -> Iterator[PlannedCurve]:
    for bone, joint in posed_joints_of(armature):
        if joint.name not in names:
            continue
        near: Any = tuple(bone.rotation_euler)
        rows = []
        for position in (pose[joint.name] for pose in motion.poses):
            value = position if isinstance(position, float) else tuple(position)
            rows.append(channel_numbers(joint, value, near))
            # Angles go on from one pose to the next.
            near = rows[-1][-3:] if len(rows[-1]) >= 3 else near
        keys = (Keys(times=motion.times, values=values) for values in np.array(rows).T)
        yield from plan_channels(bone, joint, keys)


def _replace(curves: Sequence[PlannedCurve], others: Sequence[PlannedCurve]) -> list[PlannedCurve]:
    """Returns the curves, with the curves of the same numbers replaced."""
    taken = {(each.item, each.path, each.index) for each in others}
    kept = [each for each in curves if (each.item, each.path, each.index) not in taken]
    return [*kept, *others]


def _report_missed(loops: RigLoops, motion: ClosedMotion, diagnostics: Diagnostics) -> None:
    if not motion.missed:
        return
    name, (time, _) = min(motion.missed.items(), key=lambda each: each[1][0])
    count = max(count for _, count in motion.missed.values())
    lines = {joint.name: joint.line for joint in loops.robot.joints}
    reason = (
        f"joint {quote(motion.limited[name])} would pass its limits"
        if name in motion.limited
        else "its loop cannot close"
    )
    diagnostics.warning(
        "loop-out-of-reach",
        f"at {time:.3f} s joint {quote(name)} would move where {reason}, and in {count} of "
        f"{len(motion.times)} poses in all; the nearest poses that close are keyed",
        subject=name,
        line=lines.get(name, 0),
    )


def list_led(armature: Any) -> frozenset[str]:
    """Returns the joints that loops move by drivers of the rig."""
    loops = find_loops(armature)
    return frozenset() if loops is None else loops.led


def compare_driven(armature: Any, keys: Mapping[str, Keys]) -> Iterator[tuple[float, str, float]]:
    """Yields (how far, joint, second) of joints that loops move and the rig drives: where the
    recording is furthest from the result of the recorded free joints."""
    loops = find_loops(armature)
    if loops is None:
        return
    for solver in loops.closer.solvers:
        followers = [name for name in solver.followers if name in keys and name in loops.driven]
        if not followers or not set(solver.free) <= keys.keys():
            continue
        own = {name: keys[name] for name in solver.free}
        for name in followers:
            times = keys[name].times
            chosen = times[:: max(len(times) // _MOST_COMPARED, 1)]
            one = loops.closer.select([solver])
            motion = close_motion(one, own, {}, chosen)
            there = np.array([pose[name] for pose in motion.poses])
            off = np.abs(evaluate(keys[name], chosen) - there)
            worst = int(off.argmax())
            yield float(off[worst]), name, float(chosen[worst])
