# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion -> the keyframes of a robot, in a new action."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ....core.arguments import diagnostics_of, options_of, rig_of
from ....core.blender.curves import (
    PlannedCurve,
    frame_rate,
    new_action,
    plan_channels,
    widen_range,
    write_curve,
)
from ....core.blender.extract.robot import extract_robot
from ....core.blender.standing import properties
from ....core.blender.standing.armatures import check_robot, name_armature, update_tags
from ....core.blender.standing.joints import RigJoint, posed_joints_of
from ....core.diagnostics import Diagnostics, KinematicsError, quote
from ....core.files.packages import AnyPath
from ....core.kinematics.keys import (
    Keys,
    cut_keys,
    evaluate,
    follow,
    reduce_keys,
    sample_keys,
    unwrap,
)
from ....core.kinematics.tree import retrace_tree
from ..fitting.fit import settled_options
from ..fitting.recorded import Recorded
from ..fitting.servos import load_table
from ..limits import is_endless
from ..names import match_names
from ..options import MotionOptions
from ..recordings.read import settle_motion, trajectory_of
from ..series import series_of
from ..trajectory import Trajectory
from .base import name_frames, plan_frames
from .from_frames import explain_none, solve_joints
from .loops import close_curves, compare_driven, list_led
from .servos import keep_servos, with_servos

_OVER = 1e-6
_COARSE = 0.01
"""Of a frame: keys closer than this fall on one."""
_OFF = 1e-3
"""Radians or metres that a recorded follower may be off its leader without a word."""


def apply_trajectory(
    armature: Any,
    trajectory: Trajectory | AnyPath,
    *,
    options: MotionOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Any:
    """Keys a motion on an imported robot, in a new action, which it gets; returns the action. Other
    actions stay in the file. Keys are at the samples, between frames too, so that the rig shows the
    recorded lines exactly, and the splines of commands. The robot keeps the table of servos that
    the options name, for the next motions and exports.

    `trajectory` may be the path of a recording, which is read as read_trajectory does. Joints that
    mimic another follow it; the base moves as the motion's frames say, and where it has
    no joints, but frames of links, the joints between these do too. Raises KinematicsError where no
    joint of the robot is in the motion, and BuildError for an object that
    is not an imported robot; nothing is left behind then.
    """
    armature = rig_of(armature)
    options = with_servos(options_of(options, MotionOptions), armature)
    if isinstance(trajectory, Trajectory):
        return _apply(armature, trajectory, options, diagnostics)
    diagnostics = diagnostics_of(diagnostics, str(trajectory))
    trajectory = trajectory_of(trajectory, options, diagnostics, extract_robot(armature))
    return _apply(armature, trajectory, settled_options(options, trajectory), diagnostics)


def apply_recorded(
    armature: Any, recorded: Recorded, options: MotionOptions, diagnostics: Diagnostics
) -> Trajectory:
    """Keys a motion that was read before its robot was there, and returns it as it fits the
    robot. Raises as apply_trajectory does."""
    options = with_servos(options, armature)
    motion = settle_motion(recorded, extract_robot(armature), options, diagnostics)
    _apply(armature, motion, settled_options(options, motion), diagnostics)
    return motion


def _apply(
    armature: Any,
    trajectory: Trajectory,
    options: MotionOptions,
    diagnostics: Diagnostics | None,
) -> Any:
    diagnostics = diagnostics_of(diagnostics, trajectory.source)
    check_robot(armature)
    # A path is read before anything is made; the table of the rig itself is a text.
    table = load_table(options.servos) if options.servos else ""
    trajectory = name_frames(armature, trajectory, options)
    bases = plan_frames(armature, trajectory, options, diagnostics)
    curves = [
        *_plan_joints(armature, trajectory, options, diagnostics, needed=not bases),
        *bases,
    ]
    if options.start > 0 or options.end > 0:
        span = options.start, options.end or np.inf
        curves = [replace(each, keys=cut_keys(each.keys, *span)) for each in curves]
    curves = [each for each in curves if len(each.keys.times)]
    if not curves:
        raise KinematicsError("nothing of the motion lies between its start and end")
    _report_coarse(curves, options, diagnostics)
    # The second of the recording that the first frame shows.
    timing = options.start or _first_time(curves), frame_rate() / options.speed
    thinned = [replace(each, keys=_thin(each.keys, options, *timing)) for each in curves]
    closed = close_curves(armature, thinned, timing, diagnostics)
    action = _write(armature, closed, timing, trajectory, options)
    if table:
        keep_servos(armature, table)
    return action


def _plan_joints(
    armature: Any,
    trajectory: Trajectory,
    options: MotionOptions,
    diagnostics: Diagnostics,
    *,
    needed: bool,
) -> Iterable[PlannedCurve]:
    joints = {
        joint.name: (bone, joint)
        for bone, joint in posed_joints_of(armature)
        if len(joint.channels) == 1
    }
    if trajectory.names or not trajectory.frames:
        keys = _plan_named(armature, trajectory, options, diagnostics, joints)
    else:
        rigs = {name: rig for name, (_, rig) in joints.items()}
        samples = solve_joints(armature, trajectory, rigs, diagnostics)
        if needed and not samples:
            raise explain_none(armature, trajectory)
        keys = {
            name: replace(each, values=unwrap(each.times, each.values, None))
            if options.unwrap and is_endless(rigs[name].kind, *rigs[name].limits)
            else each
            for name, each in samples.items()
        }
    led = list_led(armature)
    for joint, planned in keys.items():
        bone, rig = joints[joint]
        if rig.mimics and joint not in led:
            continue
        if joint not in led:
            planned = _hold_limits(planned, rig, options, diagnostics)
        yield from plan_channels(bone, rig, [follow(planned, rig.sign)])


def _plan_named(
    armature: Any,
    trajectory: Trajectory,
    options: MotionOptions,
    diagnostics: Diagnostics,
    joints: Mapping[str, tuple[Any, RigJoint]],
) -> dict[str, Keys]:
    """Plans the keys of the joints that the motion names."""
    given = dict(options.names)
    known = set(armature[properties.ROBOT]["joints"]) - joints.keys()
    names = [name for name in trajectory.names if name not in known or name in given]
    matched = match_names(names, joints.keys(), given, options.prefix, diagnostics)
    keys = {
        joint: series_of(
            trajectory,
            trajectory.names.index(name),
            turns=options.unwrap and is_endless(joints[joint][1].kind, *joints[joint][1].limits),
            tolerance=options.tolerance,
        )
        for name, joint in matched.items()
    }
    followers = [joint for joint in keys if joints[joint][1].mimics]
    if followers:
        _compare_followers(armature, keys, followers, diagnostics)
    return keys


def _compare_followers(
    armature: Any, keys: Mapping[str, Keys], followers: Iterable[str], diagnostics: Diagnostics
) -> None:
    """Reports joints whose recording differs from the result of their leader: the rig shows them as
    they follow."""
    masters = retrace_tree(extract_robot(armature)).masters
    off = []
    for name in followers:
        mimic = masters.get(name)
        if mimic is None or mimic.joint not in keys:
            continue
        own, leader = keys[name], keys[mimic.joint]
        wanted = mimic.multiplier * evaluate(leader, own.times) + mimic.offset
        worst = int(np.abs(own.values - wanted).argmax())
        off.append((abs(float(own.values[worst] - wanted[worst])), name, float(own.times[worst])))
    off += compare_driven(armature, keys)
    off = [each for each in off if each[0] > _OFF]
    if off:
        distance, name, time = max(off)
        which = "a joint that follows" if len(off) == 1 else f"{len(off)} joints that follow"
        diagnostics.warning(
            "follower-off-leader",
            f"the recording has {which} another off it, joint {quote(name)} the "
            f"most: by {distance:.4g} at {time:.3f} s; the rig shows the "
            "positions that follow from the leader",
            subject=name,
        )


def _hold_limits(
    keys: Keys, joint: RigJoint, options: MotionOptions, diagnostics: Diagnostics
) -> Keys:
    """Reports values beyond a joint's limits; the option decides whether the limit is keyed."""
    lower, upper = joint.limits
    low = -np.inf if lower is None else lower
    high = np.inf if upper is None else upper
    beyond = np.maximum(low - keys.values, keys.values - high)
    worst = int(beyond.argmax())
    if beyond[worst] <= _OVER:
        return keys
    diagnostics.warning(
        "beyond-limits",
        f"joint {quote(joint.name)} is {beyond[worst]:.4g} beyond its limits at "
        f"{keys.times[worst]:.3f} s, at worst; "
        + ("its limit is keyed" if options.clamp else "the rig shows it at its limit"),
        subject=joint.name,
    )
    if not options.clamp:
        return keys
    inside = np.clip(keys.values, low, high)
    slopes = None if keys.slopes is None else np.where(inside == keys.values, keys.slopes, 0.0)
    return replace(keys, values=inside, slopes=slopes)


def _report_coarse(
    curves: list[PlannedCurve], options: MotionOptions, diagnostics: Diagnostics
) -> None:
    """Reports motions whose end lies where frames, of single precision, are far apart."""
    rate = frame_rate() / options.speed
    length = max(float(each.keys.times[-1]) for each in curves) - _first_time(curves)
    step = float(np.spacing(np.float32(length * rate)))
    if step > _COARSE:
        diagnostics.warning(
            "coarse-frames",
            f"the motion is {length * rate:.0f} frames long; at its end they are {step:.2g} apart, "
            f"which is {1000 * step / rate:.2g} ms of the recording: take a part by start and end",
        )


def _write(
    armature: Any,
    curves: list[PlannedCurve],
    timing: tuple[float, float],
    trajectory: Trajectory,
    options: MotionOptions,
) -> Any:
    """Writes the curves, an action for each armature that moves; the main one's is returned. A
    failure leaves no action behind."""
    scene = bpy.context.scene
    first, rate = timing
    origin = float(scene.frame_start) if options.start_frame is None else options.start_frame
    name = options.action or Path(trajectory.source).stem or "Motion"
    moving = {armature, *(curve.item for curve in curves)}
    before = {each: each.animation_data and each.animation_data.action for each in moving}
    made: dict[Any, Any] = {}
    ends = [origin]
    try:
        for item in sorted(moving, key=lambda each: (each != armature, each.name)):
            own = name if item == armature else f"{name} {name_armature(item)}"
            made[item] = new_action(item, own)
        for curve in curves:
            frames = origin + (curve.keys.times - first) * rate
            ends.append(float(frames[-1]))
            write_curve(made[curve.item], curve, frames)
    except BaseException:
        for item, action in made.items():
            item.animation_data.action = before[item]
            bpy.data.actions.remove(action)
        raise
    for curve in curves:
        if curve.path == "rotation_quaternion":
            curve.item.rotation_mode = "QUATERNION"
    for action in made.values():
        action[properties.MOTION] = {
            "source": trajectory.source,
            "topic": trajectory.topic,
            "start_time": str(trajectory.start_time),
            "speed": options.speed,
            "keys": options.keys,
        }
    if options.set_range:
        widen_range(scene, min(ends), max(ends))
    update_tags(armature)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return made[armature]


def _first_time(curves: list[PlannedCurve]) -> float:
    return min(float(curve.keys.times[0]) for curve in curves)


def _thin(keys: Keys, options: MotionOptions, first: float, rate: float) -> Keys:
    """Returns the keys as the option wishes them."""
    if options.keys == "reduced":
        return reduce_keys(keys, options.tolerance)
    if options.keys == "frames" and len(keys.times) > 1:
        begin = np.ceil(round((keys.times[0] - first) * rate, 6))
        end = np.floor(round((keys.times[-1] - first) * rate, 6))
        return sample_keys(keys, first + np.arange(begin, max(end, begin) + 1) / rate)
    return keys
