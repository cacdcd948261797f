# SPDX-License-Identifier: GPL-3.0-or-later
"""The motions of a simulation as keys, and the way back from them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import Any

import bpy
import mathutils
import numpy as np

from ...diagnostics import BuildError, Diagnostics, KinematicsError, quote
from ...geometry.transforms import (
    Matrix,
    rotation_from_quaternion,
)
from ...kinematics.motion import SCALAR_KINDS
from ...motion.options import MotionOptions
from ...motion.trajectory import FrameTrack, Numbers, Trajectory
from ...simulation.joints import as_position, frames_of
from ...simulation.results import scale_base, track_base
from ...simulation.states import Moment, Overload, RobotStates, StartedRobot
from ..animation.apply import apply_trajectory
from ..animation.curves import frame_rate
from ..animation.loops import list_led
from ..animation.sample import sample_trajectory
from ..ik.native import constraints_of, set_influence
from ..standing import properties
from ..standing.armatures import armatures_of
from ..standing.joints import joints_of
from ..standing.pose import set_joint_positions

_KNOWN = ("beyond-limits", "follower-off-leader", "coarse-frames")
"""Codes of a motion that differs from the rig, which the drift measures here."""
_UNEVEN = 1e-4
LIVE_PAUSE = 0.2
"""Seconds between two looks at robots that are being simulated."""
_CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "scale")


class _Before:
    """The robots as they were."""

    def __init__(self, armatures: Sequence[Any]) -> None:
        self._items = [
            (item, item.animation_data is not None, getattr(item.animation_data, "action", None))
            for main in armatures
            for item in armatures_of(main)
        ]
        self._numbers = [
            (owner, name, tuple(getattr(owner, name)))
            for item, *_ in self._items
            for owner in (item, *item.pose.bones)
            for name in _CHANNELS
        ]
        self._modes = [(item, item.rotation_mode) for item, *_ in self._items]
        self._pulls = [
            (each, each.influence) for main in armatures for each in constraints_of(main)
        ]

    def restore(self) -> None:
        """Makes them so again."""
        for item, had_data, action in self._items:
            if item.animation_data is not None:
                item.animation_data.action = action
                if not had_data:
                    item.animation_data_clear()
        for item, mode in self._modes:
            item.rotation_mode = mode
        for owner, name, values in self._numbers:
            setattr(owner, name, values)
        for constraint, influence in self._pulls:
            constraint.influence = influence
        bpy.context.view_layer.update()


@contextmanager
def taken_back(armatures: Sequence[Any]) -> Iterator[None]:
    """Takes all keys and new actions of these robots back where the block fails or is left."""
    scene = bpy.context.scene
    span = scene.frame_start, scene.frame_end
    before = _Before(armatures)
    known = set(bpy.data.actions)
    try:
        yield
    except BaseException:
        before.restore()
        for action in set(bpy.data.actions) - known:
            bpy.data.actions.remove(action)
        scene.frame_start, scene.frame_end = span
        raise


@contextmanager
def shown_live(robots: Sequence[StartedRobot]) -> Iterator[Callable[[Moment], None]]:
    """Yields a function that shows robots as an engine has them, without keys, and passes over
    moments that follow too soon, since showing takes as long as some steps. The robots are as they
    were after the block."""
    before, shown_at = _Before([robot.armature for robot in robots]), -inf

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
        before.restore()


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
    if armature.type != "ARMATURE" or properties.ROBOT not in armature:
        raise BuildError(f"object {quote(armature.name)} is not an imported robot")
    for item in armatures_of(armature):
        if not item.is_editable:
            raise BuildError(
                f"{quote(item.name)} is linked from another file: make a library override"
            )


def read_base(armature: Any) -> tuple[Matrix, float]:
    """Returns where a robot's armature is in the world, (4, 4) without its scale, and this scale.
    Raises KinematicsError for one that is not the same along all axes."""
    location, rotation, scale = armature.matrix_world.decompose()
    if max(scale) - min(scale) > _UNEVEN * max(scale) or min(scale) <= 0.0:
        raise KinematicsError(f"{quote(armature.name)} is scaled unevenly: its axes have one scale")
    turn = np.array((rotation.x, rotation.y, rotation.z, rotation.w), dtype=float)
    base = np.eye(4)
    base[:3, :3] = rotation_from_quaternion((turn / np.linalg.norm(turn)).tolist())
    base[:3, 3] = location
    return base, 1.0 if max(abs(each - 1.0) for each in scale) < 1e-5 else float(scale[0])


def key_states(
    started: StartedRobot,
    trajectory: Trajectory,
    base: Numbers,
    diagnostics: Diagnostics,
) -> Any:
    """Keys the states of an engine on a rig, from the current frame on, and returns the action.
    `base` (n, 4, 4) is the armature object in the world. Joints are keyed within their limits,
    followers are left to their leaders. Native IK rests from then on, as it would hide the keys."""
    armature, scene = started.armature, bpy.context.scene
    rigs = {joint.name: joint for joint in joints_of(armature)}
    led = list_led(armature)
    names = [
        name for name in trajectory.names if name in rigs and (name in led or not rigs[name].mimics)
    ]
    chosen = trajectory.select(names)
    limits = [rigs[name].limits for name in names]
    lower = np.array([-np.inf if low is None else low for low, _ in limits])
    upper = np.array([np.inf if high is None else high for _, high in limits])
    frames = [each for each in trajectory.frames if each.child in rigs]
    if started.is_free:
        frames.append(track_base("", "", trajectory.times, _in_parent(armature, base)))
    keyed = Trajectory(
        names=chosen.names,
        times=chosen.times,
        positions=np.clip(chosen.positions, lower, upper) if names else chosen.positions,
        frames=tuple(frames),
    )
    own = Diagnostics(diagnostics.source)
    action = apply_trajectory(
        armature,
        keyed,
        options=MotionOptions(
            unwrap=False,
            start_frame=float(scene.frame_current),
            action=f"{started.name} Simulation",
            base="object",
        ),
        diagnostics=own,
    )
    set_influence(armature, 0.0)
    diagnostics.extend([each for each in own if each.code not in _KNOWN])
    return action


def _in_parent(armature: Any, base: Numbers) -> Numbers:
    """Returns poses of an object in the world as its own numbers have them."""
    if armature.parent is None:
        return base
    above = np.array(armature.matrix_world @ armature.matrix_basis.inverted_safe(), dtype=float)
    return np.asarray(np.linalg.solve(above, base))


def read_shown(armature: Any, count: int) -> tuple[dict[str, Numbers], Numbers]:
    """Returns the positions of all joints that the rig shows in `count` frames from the current one
    on, in the words of get_joint_positions, and poses (n, 4, 4) of its base without scale."""
    first = bpy.context.scene.frame_current
    shown = sample_trajectory(armature, frame_range=(first, first + count - 1))
    kinds = {joint.name: joint.kind for joint in joints_of(armature)}
    found = {name: shown.positions[:, place] for place, name in enumerate(shown.names)}
    tracks = {track.child: track for track in shown.frames}
    for name, kind in kinds.items():
        if kind not in SCALAR_KINDS and name in tracks:
            found[name] = _to_numbers(kind, tracks[name], count)
    base = np.tile(read_base(armature)[0], (count, 1, 1))
    track = next((each for each in shown.frames if each.parent == "world"), None)
    if track is not None:
        base[:] = frames_of(np.hstack([track.translations, track.quaternions]))
    return found, base


def _to_numbers(kind: str, track: FrameTrack, count: int) -> Numbers:
    poses = np.hstack([track.translations, track.quaternions])
    poses = np.tile(poses, (count, 1)) if len(poses) == 1 else poses
    if kind == "planar":
        yaw = np.unwrap(2.0 * np.arctan2(poses[:, 5], poses[:, 6]))
        return np.column_stack([poses[:, :2], yaw])
    return poses[:, 3:] if kind == "spherical" else poses


def note_overloads(action: Any, engine: str, overloads: Sequence[Overload]) -> None:
    """Notes in an action's property `urdf_motion` which engine made it, and `overloads`: joint ->
    [share of the time, frame in which it began, effort]."""
    described: Mapping[str, Any] = action[properties.MOTION].to_dict()
    listed = {each.joint: [each.share, float(each.frame), each.effort] for each in overloads}
    action[properties.MOTION] = {**described, "engine": engine, "overloads": listed}


def current_frame() -> tuple[int, float]:
    """Returns the frame of the scene, and its frames a second."""
    return int(bpy.context.scene.frame_current), frame_rate()


def show_frame(frame: int) -> None:
    """Goes to a frame of the scene."""
    bpy.context.scene.frame_set(frame)
