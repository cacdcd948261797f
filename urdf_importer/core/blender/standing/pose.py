# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint positions in and out of a rig, by its properties alone: works on a re-opened .blend."""

import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import mathutils
import numpy as np

from ...arguments import positions_of, rig_of
from ...diagnostics import Diagnostics, KinematicsError, unknown_name
from ...geometry.transforms import (
    Matrix,
    invert,
    quaternion_from_rotation,
    rotation_from_quaternion,
)
from ...kinematics.conventions import Convention
from ...kinematics.forward import Position, Refuse, check_position
from ...kinematics.loops import LoopResult, report_missed
from ...kinematics.motion import choose_range
from . import properties
from .armatures import armatures_of, check_robot, update_tags
from .joints import (
    JointChannel,
    RigJoint,
    holds_limits,
    list_held,
    posed_joints_of,
    read_joints,
)
from .keys import insert_key
from .links import find_link
from .loops import RigLoops, find_loops

_SAME = 1e-5
"""A channel whose evaluated value is this near to the set one is given back as set."""


def set_joint_positions(
    armature: Any, positions: Mapping[str, Position], *, diagnostics: Diagnostics | None = None
) -> None:
    """Poses an imported robot, also one in a re-opened .blend.

    `positions`: joint name -> radians (revolute, continuous) or metres (prismatic); (x, y, yaw) for
    planar joints, (x, y, z, qx, qy, qz, qw) for floating ones, (qx, qy, qz, qw) for ball joints.
    Joints that mimic another follow it, whatever `positions` has for them; the rig shows every
    joint within its limits. Closed loops stay closed: where a free joint cannot go as far, the pose
    is the nearest that closes, and `diagnostics` get `loop-out-of-reach`.

    Raises KinematicsError for an unknown joint or a wrong position (and moves nothing), BuildError
    for an object that is not an imported robot.
    """
    armature, positions = rig_of(armature), positions_of(positions)
    check_robot(armature)
    joints = {joint.name: (bone, joint) for bone, joint in posed_joints_of(armature)}
    checked = {}
    for name, position in positions.items():
        if name not in joints:
            if name in armature[properties.ROBOT]["joints"]:
                continue
            raise unknown_name("the robot has no moving joint", name, joints)
        checked[name] = check_position(name, joints[name][1].kind, position)
    with loops_closed(armature, diagnostics):
        for name, value in checked.items():
            bone, joint = joints[name]
            if not joint.mimics:
                put_position(bone, joint, value)


@contextmanager
def loops_closed(armature: Any, diagnostics: Diagnostics | None = None) -> Iterator[None]:
    """Lets joints be set; then closes the loops that no driver of the rig closes, from the pose
    that it had, and has the rig shown anew. An unreachable pose is reported."""
    loops = find_loops(armature)
    before = read_channels(armature, loops.asked) if loops is not None else {}
    yield
    if loops is not None:
        if loops.asked:
            _close(armature, loops, before, diagnostics)
        if diagnostics is not None:
            _report_ends(armature, loops, diagnostics)
    update_tags(armature)


def read_channels(armature: Any, names: Collection[str]) -> dict[str, float | tuple[float, ...]]:
    """Returns the set positions, not the displayed ones, within the limits that hold."""
    found: dict[str, float | tuple[float, ...]] = {}
    for bone, joint in posed_joints_of(armature) if names else ():
        if joint.name not in names:
            continue
        if len(joint.channels) == 1:
            found[joint.name] = joint.channels[0].shown(bone)
        else:
            numbers = [getattr(bone, each.prop)[each.index] for each in joint.channels]
            found[joint.name] = position_of_numbers(joint, numbers)
    return found


def _close(
    armature: Any,
    loops: RigLoops,
    before: Mapping[str, Position],
    diagnostics: Diagnostics | None,
) -> None:
    found = loops.close(read_channels(armature, loops.asked), before)
    for bone, joint in posed_joints_of(armature):
        if joint.name in loops.asked and not joint.mimics:
            put_position(bone, joint, found.positions[joint.name])
    if diagnostics is not None:
        report_missed(loops.robot, found, diagnostics)


def _report_ends(armature: Any, loops: RigLoops, diagnostics: Diagnostics) -> None:
    """Reports free joints that the rig holds where their loops end."""
    free = set(loops.closer.freedom.free) - loops.asked
    for bone, joint in posed_joints_of(armature):
        channel = joint.channels[0]
        if joint.name in free and not channel.is_valid(channel.get(bone)) and holds_limits(bone):
            shown = {joint.name: channel.shown(bone)}
            missed = LoopResult(positions=shown, gap=0.0, reached=False, missed=(joint.name,))
            report_missed(loops.robot, missed, diagnostics)


def get_joint_positions(armature: Any) -> dict[str, float | tuple[float, ...]]:
    """Returns joint name -> position as the rig shows it, after limits, IK and drivers; for all
    moving joints, in the units and tuples of set_joint_positions. Raises BuildError."""
    armature = rig_of(armature)
    check_robot(armature)
    return read_shown(armature, bpy.context.evaluated_depsgraph_get())


def read_shown(armature: Any, depsgraph: Any) -> dict[str, float | tuple[float, ...]]:
    """Returns joint name -> position as a depsgraph shows it. Handlers pass their own: 4.2 to 4.5
    crash where a handler evaluates anew after another handler has changed anything."""
    positions: dict[str, float | tuple[float, ...]] = {}
    for each in armatures_of(armature):
        shown = each.evaluated_get(depsgraph)
        for pose_bone in shown.pose.bones if shown.pose else ():
            joints = read_joints(pose_bone.bone)
            if joints:
                own = _own_transform(pose_bone)
                for joint in joints:
                    positions[joint.name] = _get_position(pose_bone, joint, own)
    return positions


def link_pose(armature: Any, link: str, *, convention: Convention | None = None) -> Matrix:
    """Returns the evaluated frame (4, 4) of a link in armature space, as `convention` writes it.
    Raises KinematicsError."""
    armature = rig_of(armature)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    empty = find_link(armature, link)
    root, shown = (np.array(x.evaluated_get(depsgraph).matrix_world) for x in (armature, empty))
    frame: Matrix = np.linalg.solve(root, shown)
    return frame if convention is None else convention.from_robot(frame)


def put_position(bone: Any, joint: RigJoint, value: float | tuple[float, ...]) -> None:
    """Sets the channels of a joint to a position, as check_position gives it."""
    numbers = channel_numbers(joint, value, bone.rotation_euler)
    for channel, number in zip(joint.channels, numbers, strict=True):
        getattr(bone, channel.prop)[channel.index] = number


def channel_numbers(
    joint: RigJoint, value: float | tuple[float, ...], near: Any = (0.0, 0.0, 0.0)
) -> tuple[float, ...]:
    """Returns the numbers in a joint's channels for a position from check_position. Angles of
    joints that turn freely are the nearest to the Euler angles `near`."""
    if isinstance(value, float):
        return (joint.sign * value,)
    if joint.kind == "planar":
        return value
    angles = euler_xyz(rotation_from_quaternion(value[-4:]), near)
    return (*value[:-4], *angles)


def position_of_numbers(joint: RigJoint, numbers: Sequence[float]) -> tuple[float, ...]:
    """Returns the position at which the channels of a joint hold these numbers."""
    if joint.kind in ("floating", "spherical"):
        rotation = np.array(mathutils.Euler(numbers[-3:], "XYZ").to_matrix(), dtype=float)
        return (*numbers[:-3], *quaternion_from_rotation(rotation))
    return tuple(joint.sign * number for number in numbers)


def euler_xyz(rotation: Matrix, near: Any) -> tuple[float, float, float]:
    """Returns Blender's XYZ angles (R = Rz Ry Rx) of a rotation (3, 3), computed in double
    precision: of the two solutions and all their turns the one nearest to the angles `near`."""
    r = rotation
    cosine = math.hypot(r[0, 0], r[1, 0])
    if cosine > 1e-9:
        first = (
            math.atan2(r[2, 1], r[2, 2]),
            math.atan2(-r[2, 0], cosine),
            math.atan2(r[1, 0], r[0, 0]),
        )
    else:
        first = (math.atan2(-r[1, 2], r[1, 1]), math.atan2(-r[2, 0], cosine), 0.0)
    second = (first[0] + math.pi, math.pi - first[1], first[2] + math.pi)
    solutions = [_unwrap(solution, near) for solution in (first, second)]
    return min(solutions, key=lambda s: sum(abs(a - b) for a, b in zip(s, near, strict=True)))


def _unwrap(angles: tuple[float, float, float], near: Any) -> tuple[float, float, float]:
    x, y, z = (
        angle + math.tau * round((other - angle) / math.tau)
        for angle, other in zip(angles, near, strict=True)
    )
    return (x, y, z)


def _own_transform(pose_bone: Any) -> Matrix:
    """Returns (4, 4): the bone's evaluated transform against its rest place under its parent."""
    shown, rest = np.array(pose_bone.matrix), np.array(pose_bone.bone.matrix_local)
    parent = pose_bone.parent
    if parent is not None:
        shown = invert(np.array(parent.matrix)) @ shown
        rest = invert(np.array(parent.bone.matrix_local)) @ rest
    own: Matrix = invert(rest) @ shown
    return own


def _get_position(pose_bone: Any, joint: RigJoint, own: Matrix) -> float | tuple[float, ...]:
    kind = joint.kind
    if kind in ("floating", "spherical"):
        quaternion = quaternion_from_rotation(own[:3, :3])
        place = (float(own[0, 3]), float(own[1, 3]), float(own[2, 3]))
        return quaternion if kind == "spherical" else (*place, *quaternion)
    shown = {"location": own[:3, 3], "rotation_euler": _read_angles(pose_bone, own)}
    values = []
    for channel in joint.channels:
        raw = float(getattr(pose_bone, channel.prop)[channel.index])
        value = float(shown[channel.prop][channel.index])
        values.append(raw if abs(value - raw) < _SAME * max(1.0, abs(raw)) else value)
    if kind == "planar":
        return tuple(values)
    position = joint.sign * values[0]
    return _turn_within_limits(joint, position) if kind == "revolute" else position


def _turn_within_limits(joint: RigJoint, position: float) -> float:
    """Returns the same angle within the joint's limits if there is one, since Blender's limits look
    at the angle on the circle only."""
    lower, upper = joint.limits
    if lower is None or upper is None or lower - _SAME <= position <= upper + _SAME:
        return position
    turned = position + math.tau * math.ceil((lower - _SAME - position) / math.tau)
    return float(turned) if turned <= upper + _SAME else position


def _read_angles(pose_bone: Any, own: Matrix) -> Any:
    """Reads Euler angles of the evaluated rotation; the set angles where they give it: at gimbal
    lock and beyond half a turn they do not follow from the rotation alone. A bone that a user turns
    by quaternions has its angles from these."""
    angles, order = pose_bone.rotation_euler, pose_bone.rotation_mode
    if order in ("QUATERNION", "AXIS_ANGLE"):
        order = "XYZ"
    elif np.abs(np.array(mathutils.Euler(angles, order).to_matrix()) - own[:3, :3]).max() < _SAME:
        return angles
    return mathutils.Matrix(own[:3, :3].tolist()).to_euler(order, angles)


_FREE_SLIDE = 0.5
"""How far (metres) a random pose moves a sliding joint that has no bound on that side."""
_MOST_TRIED = 200
BASES = ("planar", "floating")
"""Joints that move a robot as a whole."""


def zero_pose(armature: Any) -> None:
    """Puts every joint at zero, or at the valid position nearest to it."""
    set_all(armature, lambda joint, channel, position: channel.find_valid(0.0))


def random_pose(armature: Any, seed: int, *, refuse: Refuse | None = None) -> None:
    """Puts every joint somewhere within its limits, the same for the same seed; angles without
    bounds within half a turn. The place of the robot (planar and floating joints) does not change,
    nor do held joints, whose bones are locked, and joints that an SRDF calls passive.

    `refuse` says why a pose does not count, as avoid_collisions does. Raises KinematicsError where
    it refuses 200 poses, and changes nothing then.
    """
    chance = random.Random(seed)

    held = list_held(armature)

    def choose(joint: RigJoint, channel: JointChannel, position: float) -> float:
        stays = joint.kind in BASES or joint.name in held
        return position if stays else chance.uniform(*find_range(channel))

    if refuse is None:
        set_all(armature, choose, passive=False)
        return
    shown = get_joint_positions(armature)
    reasons: Counter[str] = Counter()
    for _ in range(_MOST_TRIED):
        drawn = list(_choose_all(armature, choose, passive=False))
        why = refuse(shown | {joint.name: _join(joint, numbers) for _, joint, numbers in drawn})
        if not why:
            _put_all(armature, drawn)
            return
        reasons[why] += 1
    (why, _), *_ = reasons.most_common(1)
    raise KinematicsError(f"none of {_MOST_TRIED} random poses is valid: in most poses {why}")


def hold_limits(armature: Any, names: Collection[str] | None = None) -> int:
    """Moves joints, all or the named ones, that are set outside their limits to the nearest valid
    position. Returns how many there were."""

    def hold(joint: RigJoint, channel: JointChannel, position: float) -> float:
        return channel.find_valid(position) if names is None or joint.name in names else position

    return set_all(armature, hold)


def find_range(channel: JointChannel) -> tuple[float, float]:
    """Returns the ends between which a number of a joint is tried: its limits; without these half a
    turn each way, or half a metre."""
    return choose_range(channel.lower, channel.upper, turns=channel.turns, slide=_FREE_SLIDE)


Choice = Callable[[RigJoint, JointChannel, float], float]
_Chosen = list[tuple[Any, RigJoint, list[float]]]
"""(pose bone, joint, position of each channel)."""


def set_all(armature: Any, choose: Choice, *, passive: bool = True) -> int:
    """Sets the result of `choose` for (joint, channel, position) for all joints that do not
    follow another, or only for joints that an SRDF does not call passive. Returns how many joints
    moved."""
    return _put_all(armature, _choose_all(armature, choose, passive=passive))


def _choose_all(armature: Any, choose: Choice, *, passive: bool) -> _Chosen:
    return [
        (bone, joint, [choose(joint, each, each.get(bone)) for each in joint.channels])
        for bone, joint in posed_joints_of(armature)
        if not joint.mimics and (passive or joint.name not in bone.bone.get(properties.PASSIVE, ()))
    ]


def _put_all(armature: Any, chosen: _Chosen) -> int:
    moved = 0
    with loops_closed(armature):
        for bone, joint, positions in chosen:
            changed = False
            for channel, wanted in zip(joint.channels, positions, strict=True):
                if wanted != channel.get(bone):
                    channel.put(bone, wanted)
                    changed = True
            moved += changed
    return moved


def _join(joint: RigJoint, positions: list[float]) -> float | tuple[float, ...]:
    if len(positions) == 1:
        return positions[0]
    pairs = zip(joint.channels, positions, strict=True)
    return position_of_numbers(joint, [channel.sign * position for channel, position in pairs])


def key_joints(armature: Any, names: Iterable[str] | None = None) -> int:
    """Keys the positions of joints (all that do not follow another, or the named ones) at the
    current frame. Returns how many there were."""
    chosen = None if names is None else set(names)
    count = 0
    for pose_bone, joint in posed_joints_of(armature):
        if joint.mimics or (chosen is not None and joint.name not in chosen):
            continue
        for channel in joint.channels:
            insert_key(pose_bone, channel.prop, channel.index)
        count += 1
    return count
