# SPDX-License-Identifier: GPL-3.0-or-later
"""The motions of a simulation as keys, and the way back from them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from time import monotonic
from typing import Any

import bpy
import mathutils
import numpy as np

from ....core.blender.curves import frame_rate, key_every_frame
from ....core.blender.standing import properties
from ....core.blender.standing.armatures import armatures_of, check_robot, keep_channels
from ....core.blender.standing.joints import joints_of
from ....core.blender.standing.keys import find_curves
from ....core.blender.standing.pose import set_joint_positions
from ....core.diagnostics import BuildError, Diagnostics, KinematicsError, quote
from ....core.geometry.transforms import Matrix, make_frame, rotation_from_quaternion
from ...ik.blender.native import constraints_of, set_influence
from ...motion.blender.apply import apply_trajectory
from ...motion.blender.loops import list_led
from ...motion.blender.sample import sample_positions
from ...motion.frames import track_poses
from ...motion.options import MotionOptions
from ...motion.trajectory import Numbers, Trajectory
from ..motions import as_position, frames_of, poses_of, scale_base
from ..states import Moment, Overload, RobotStates, StartedRobot

_KNOWN = ("beyond-limits", "follower-off-leader", "coarse-frames")
"""Codes of a motion that differs from the rig, which the drift measures here."""
_UNEVEN = 1e-4
LIVE_PAUSE = 0.2
"""Seconds between two looks at robots that are being simulated."""


def _keep_robots(armatures: Sequence[Any]) -> Callable[[], None]:
    """Keeps robots as they are: their channels, actions and native IK; returns the way back."""
    items = [item for main in armatures for item in armatures_of(main)]
    modes = [(item, item.rotation_mode, keep_channels(item)) for item in items]
    datas = [(each, each.animation_data) for each in items]
    actions = [(each, data is not None, data and data.action) for each, data in datas]
    pulls = [(each, each.influence) for main in armatures for each in constraints_of(main)]

    def restore() -> None:
        for item, had_data, action in actions:
            if item.animation_data is not None:
                item.animation_data.action = action
                if not had_data:
                    item.animation_data_clear()
        for item, mode, put_back in modes:
            item.rotation_mode = mode
            put_back()
        for constraint, influence in pulls:
            constraint.influence = influence
        bpy.context.view_layer.update()

    return restore


@contextmanager
def taken_back(armatures: Sequence[Any]) -> Iterator[None]:
    """Takes all keys and new actions of these robots back where the block fails or is left."""
    scene = bpy.context.scene
    span = scene.frame_start, scene.frame_end
    restore = _keep_robots(armatures)
    known = set(bpy.data.actions)
    try:
        yield
    except BaseException:
        restore()
        for action in set(bpy.data.actions) - known:
            bpy.data.actions.remove(action)
        scene.frame_start, scene.frame_end = span
        raise


@contextmanager
def shown_live(robots: Sequence[StartedRobot]) -> Iterator[Callable[[Moment], None]]:
    """Yields a function that shows robots as an engine has them, without keys, and passes over
    moments that follow too soon, since showing takes as long as some steps. The robots are as they
    were after the block."""
    restore, shown_at = _keep_robots([robot.armature for robot in robots]), -inf

    def show(moment: Moment) -> None:
        nonlocal shown_at
        if monotonic() < shown_at + LIVE_PAUSE:
            return
        for robot, states in zip(robots, moment.read(), strict=True):
            _show(robot, states)
        shown_at = monotonic()

    try:
        yield show
    finally:
        restore()


def _show(robot: StartedRobot, states: RobotStates) -> None:
    armature = robot.armature
    set_influence(armature, 0.0)
    shown = {name: as_position(each[0]) for name, each in states.positions.items()}
    set_joint_positions(armature, shown)
    if robot.is_free:
        base = scale_base(states.base, robot.scale, turned=True)
        armature.matrix_world = mathutils.Matrix(base[0].tolist())


def check_editable(armature: Any) -> None:
    """Raises BuildError for an object that is not an imported robot, or cannot be keyed."""
    check_robot(armature)
    for item in armatures_of(armature):
        if not item.is_editable:
            raise BuildError(
                f"{quote(item.name)} is linked from another file: make a library override"
            )


def read_base(armature: Any) -> tuple[Matrix, float]:
    """Returns where a robot's armature is in the world, (4, 4) without its scale, and this scale.
    Raises KinematicsError for one that is not the same along all axes."""
    # A script that moved it has not shown it since.
    bpy.context.view_layer.update()
    location, rotation, scale = armature.matrix_world.decompose()
    if max(scale) - min(scale) > _UNEVEN * max(scale) or min(scale) <= 0.0:
        raise KinematicsError(f"{quote(armature.name)} is scaled unevenly: its axes have one scale")
    turn = np.array((rotation.x, rotation.y, rotation.z, rotation.w), dtype=float)
    turned = rotation_from_quaternion((turn / np.linalg.norm(turn)).tolist())
    base = make_frame(turned, location)
    return base, 1.0 if max(abs(each - 1.0) for each in scale) < 1e-5 else float(scale[0])


def key_states(started: StartedRobot, motion: Trajectory, base: Numbers, own: Diagnostics) -> Any:
    """Keys the states of an engine on a rig, from the current frame on, and returns the action.
    `base` (n, 4, 4) is the armature object in the world. Joints are keyed within their limits,
    followers are left to their leaders. Native IK rests from then on, as it would hide the keys."""
    armature, led = started.armature, list_led(started.armature)
    rigs = {joint.name: joint for joint in joints_of(armature)}
    names = [
        name for name in motion.names if name in rigs and (name in led or not rigs[name].mimics)
    ]
    frames = [each for each in motion.frames if each.child in rigs]
    if started.is_free:
        poses = poses_of(_in_parent(armature, base))
        frames.append(track_poses("", "", motion.times, poses))
    chosen = motion.select(names)
    # A joint without a limit has None, here NaN, which both functions pass over.
    limits = np.array([rigs[name].limits for name in names], dtype=float).reshape(-1, 2)
    within = np.fmin(np.fmax(chosen.positions, limits[:, 0]), limits[:, 1])
    keyed = replace(chosen, positions=within, frames=tuple(frames))
    options = MotionOptions(
        unwrap=False,
        start_frame=float(bpy.context.scene.frame_current),
        action=f"{started.name} Simulation",
        base="object",
    )
    found, mode = Diagnostics(own.source), armature.rotation_mode
    action = apply_trajectory(armature, keyed, options=options, diagnostics=found)
    _keep_mode(armature, mode)
    set_influence(armature, 0.0)
    own.extend([each for each in found if each.code not in _KNOWN])
    return action


def _keep_mode(armature: Any, mode: str) -> None:
    """Lets an armature that is keyed in each frame, by quaternions, turn in the mode that it had:
    users turn it by the same numbers as before."""
    curves = find_curves(armature)
    if mode == armature.rotation_mode or curves is None:
        return
    turned = [curves.find("rotation_quaternion", index=part) for part in range(4)]
    armature.rotation_mode = mode
    first = round(turned[0].keyframe_points[0].co.x)
    numbers = np.array([[point.co.y for point in each.keyframe_points] for each in turned]).T
    for curve in turned:
        curves.remove(curve)
    last, rows = mathutils.Euler(armature.rotation_euler, "XYZ"), []
    for turn in map(mathutils.Quaternion, numbers):
        if mode == "AXIS_ANGLE":
            # Of small turns Blender's own function loses most digits.
            sine = float(np.linalg.norm(turn[1:]))
            rows.append((2.0 * np.arctan2(sine, turn.w), *(np.array(turn[1:]) / (sine or 1.0))))
        else:
            last = turn.to_euler(mode, mathutils.Euler(last, mode))
            rows.append(tuple(last))
    prop = "rotation_axis_angle" if mode == "AXIS_ANGLE" else "rotation_euler"
    for index, values in enumerate(np.array(rows).T):
        key_every_frame(armature, prop, index, first, values)


def _in_parent(armature: Any, base: Numbers) -> Numbers:
    """Returns poses of an object in the world as its own numbers have them."""
    if armature.parent is None:
        return base
    above = np.array(armature.matrix_world @ armature.matrix_basis.inverted_safe(), dtype=float)
    return np.asarray(np.linalg.solve(above, base))


def read_shown(armature: Any, first: int, count: int) -> RobotStates:
    """Returns the positions of all joints that the rig shows in `count` frames from a first one on,
    and its base in the world, rigid."""
    positions, base = sample_positions(armature, range(first, first + count))
    return RobotStates(positions=positions, base=frames_of(base))


def note_motors(
    action: Any, engine: str, overloads: Sequence[Overload], motors: Mapping[str, Numbers]
) -> None:
    """Notes in an action's property `urdf_motion` which engine made it, `overloads`: joint ->
    [share of the time, frame in which it began, effort], and `efforts`: joint -> [peak, mean,
    limit, and the greatest effort in each of some parts of the time, evenly]."""
    described: Mapping[str, Any] = action[properties.MOTION].to_dict()
    listed = {each.joint: [each.share, float(each.frame), each.effort] for each in overloads}
    action[properties.MOTION] = {**described, "engine": engine, "overloads": listed}
    if motors:
        action[properties.MOTION]["efforts"] = {
            name: each.tolist() for name, each in motors.items()
        }


def current_frame() -> tuple[int, float]:
    """Returns the frame of the scene, and its frames a second."""
    return int(bpy.context.scene.frame_current), frame_rate()
