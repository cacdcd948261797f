# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints as things to take hold of: the joint of a body, its frame, its obstacles, and its position
while a body is dragged.

A body leads to the joint that moves it: fixed joints are passed over, and of joints that follow
others the leader is taken. The drawn and dragged frame is the joint's displayed one, in the present
pose; nothing waits for Blender to evaluate anything.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import mathutils
import numpy as np

from ...kinematics.dragging import Drag, Ray, grip_slide, grip_turn, make_ray, snap
from ...kinematics.motion import SCALAR_KINDS
from ...rig.loops import CURVE_STRETCH
from .armatures import armatures_by_name
from .joints import (
    JointChannel,
    RigJoint,
    follow_leaders,
    is_locked,
    name_joints,
    read_joints,
)
from .links import find_link_name
from .loops import find_loops
from .robot_table import RobotTable, find_robot, recall_table

EULER_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
"""Blender's rotation modes that turn by angles."""
_STEP = 1e-3
"""Over which the steepness of curves is measured, in radians and metres."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointHandle:
    """A body's way to its joint. `mover` is the joint that moves the body, `joint` the one to be
    dragged: another where `mover` follows it, and then goes `ratio` times as far. Both come with
    the armature that they are on, `carrier` and `armature`. `name` is the robot's name."""

    name: str
    joint: RigJoint
    armature: Any
    mover: RigJoint
    carrier: Any
    ratio: float

    @property
    def channel(self) -> JointChannel:
        return self.joint.channels[0]

    @property
    def pose_bone(self) -> Any:
        return self.armature.pose.bones[self.joint.bone]

    @property
    def is_free(self) -> bool:
        """Whether it moves in several ways at once: planar, floating and ball joints."""
        return self.joint.kind not in SCALAR_KINDS

    def shown(self, channel: JointChannel | None = None) -> float:
        """Returns the joint's position, or one of its numbers, within its limits while they
        hold."""
        return (channel or self.channel).shown(self.pose_bone)

    def limit(self, channel: JointChannel, position: float) -> float:
        """Returns the nearest position that a number of the joint can be put to."""
        return channel.hold(self.pose_bone, position)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointFrame:
    """Where a joint is shown: `origin` (3,), unit `axis` (3,) in whose sense it counts, and `zero`
    (3,) across it, from which it counts where it turns. In the world; `scale` is how long a metre
    of the robot is there along the axis."""

    origin: mathutils.Vector
    axis: mathutils.Vector
    zero: mathutils.Vector
    scale: float


def find_handle(item: Any) -> JointHandle | None:
    """Finds the joint that an object of a robot leads to; None for other objects, and for unmovable
    ones."""
    link, robot = find_link_name(item), find_robot(item)
    if robot is None or link is None:
        return None
    return make_handle(robot, recall_table(robot).movers.get(link, ""))


def make_handle(robot: Any, joint: str) -> JointHandle | None:
    """Makes the handle of a joint, given by name; None where the robot does not have it."""
    table = recall_table(robot)
    homes = armatures_by_name(robot)
    chain = list(follow_leaders(table.joints, joint))
    if not chain or not all(_has_bone(homes, each) for each in chain):
        return None
    mover, leader = _find_carrier(homes, chain), chain[-1]
    between = chain[chain.index(mover) :]
    ratios = [
        _find_ratio(robot, table, homes, follower, source) for follower, source in pairwise(between)
    ]
    return JointHandle(
        name=table.name,
        joint=leader,
        armature=homes[leader.armature],
        mover=mover,
        carrier=homes[mover.armature],
        ratio=math.prod(ratios),
    )


def explain_hold(handle: JointHandle) -> str:
    """Explains in a few words why a joint cannot be dragged; empty where it can."""
    joint, armature = handle.joint, handle.armature
    if not armature.is_editable:
        return "linked from another file: make a library override"
    if "REST" in (armature.data.pose_position, handle.carrier.data.pose_position):
        return "the armature is in its rest position"
    if handle.mover.kind == "spherical" and handle.mover is not joint:
        return f"follows '{joint.name}': drag its leader"
    if handle.ratio == 0.0:
        return f"follows '{joint.name}' by a multiplier of 0"
    if joint.mimics:
        return "driven"
    bone = handle.pose_bone
    holds = [_explain_channel(bone, channel) for channel in joint.channels]
    if all(holds):
        return holds[0]
    holder = find_holder(armature, bone.name)
    return f"held by the IK constraint '{holder}': move its target" if holder else ""


def find_holder(armature: Any, bone: str) -> str:
    """Finds the IK constraint that decides where a bone is; empty where there is none."""
    for tip in armature.pose.bones:
        for each in tip.constraints:
            if each.type != "IK" or each.mute or not each.influence or each.target is None:
                continue
            chain = [tip, *tip.parent_recursive] if each.use_tail else tip.parent_recursive
            if any(link.name == bone for link in chain[: each.chain_count or None]):
                return str(each.name)
    return ""


def list_movable(handle: JointHandle) -> tuple[JointChannel, ...]:
    """Lists the numbers of a joint that are neither driven nor locked."""
    bone = handle.pose_bone
    return tuple(each for each in handle.joint.channels if not _explain_channel(bone, each))


def read_rest(pose_bone: Any) -> mathutils.Matrix:
    """Reads (4, 4), where a bone would be in its armature if its own joints were at zero."""
    rest = pose_bone.bone.matrix_local
    if pose_bone.parent is None:
        return rest.copy()
    parent = pose_bone.parent
    return parent.matrix @ parent.bone.matrix_local.inverted_safe() @ rest


def read_frame(armature: Any, joint: RigJoint) -> JointFrame:
    """Reads the displayed frame of a joint of an armature; the axis of a freely moving joint is its
    first number's."""
    bone, channel = armature.pose.bones[joint.bone], joint.channels[0]
    place = bone.location.copy()
    angles = bone.rotation_euler.copy()
    for each in read_joints(bone.bone):
        for one in each.channels:
            (angles if one.turns else place)[one.index] = one.sign * one.shown(bone)
    frame = armature.matrix_world @ read_rest(bone)
    turn = frame.to_3x3()
    if channel.turns:
        turn = turn @ _outer_rotation(angles, bone.rotation_mode, channel.index)
    return JointFrame(
        origin=frame @ place,
        axis=(joint.sign * turn.col[channel.index]).normalized(),
        zero=turn.col[(channel.index + 1) % 3].normalized(),
        scale=turn.col[channel.index].length,
    )


def grip_body(
    handle: JointHandle,
    point: mathutils.Vector,
    sight: tuple[mathutils.Vector, mathutils.Vector],
    up: mathutils.Vector,
    least: float,
) -> Drag:
    """Takes hold of a body at a point that the mouse sees; `sight` is the ray of the mouse, `up`
    the view's upward direction, and within `least` metres of the axis it turns as if it were that
    far. All in the world; the ray that Drag.move takes is made by `enter_armature`."""
    home = handle.carrier.matrix_world.inverted_safe()
    ray, held = enter_armature(handle, sight), np.array(home @ point)
    frame = read_frame(handle.carrier, handle.mover)
    axis, toward = (np.array(home.to_3x3() @ each, float) for each in (frame.axis, up))
    axis /= np.linalg.norm(axis)
    grip: Any
    if handle.mover.channels[0].turns:
        origin = np.array(home @ frame.origin)
        grip = grip_turn(origin, axis, held, ray, least * float(np.linalg.norm(toward)))
    else:
        grip = grip_slide(axis, held, ray, toward)
    return Drag(grip=grip, position=handle.shown(), ratio=handle.ratio)


def enter_armature(handle: JointHandle, sight: tuple[mathutils.Vector, mathutils.Vector]) -> Ray:
    """Takes a ray of the world into the frame in which a drag is computed."""
    home = handle.carrier.matrix_world.inverted_safe()
    origin, direction = sight
    return make_ray(np.array(home @ origin), np.array(home.to_3x3() @ direction))


def snap_position(channel: JointChannel, position: float, *, fine: bool) -> float:
    """Returns the nearest whole step: of 5 degrees or 5 millimetres, or 1 of them."""
    size = 1.0 if fine else 5.0
    return snap(position, math.radians(size) if channel.turns else size / 1000.0)


def find_active_joints(item: Any, pose_bone: Any | None) -> tuple[str, ...]:
    """Finds the joints that a user means: the joints of the active bone in pose mode, else the
    joint that moves the active object, a body or a link. Names; none where nothing is meant."""
    if pose_bone is not None:
        return name_joints(pose_bone.bone)
    handle = find_handle(item) if item is not None else None
    return () if handle is None else (handle.mover.name,)


def _has_bone(homes: dict[str, Any], joint: RigJoint) -> bool:
    home = homes.get(joint.armature)
    return home is not None and home.pose is not None and joint.bone in home.pose.bones


def _find_ratio(
    robot: Any, table: RobotTable, homes: dict[str, Any], follower: RigJoint, source: RigJoint
) -> float:
    """Returns how far a joint goes against its leader: from its mimic data, or the slope of its
    driver's curve, where a loop moves it, or the loop's own ratio, where its driver has a formula.
    Zero for ball joints, which go no one way.
    """
    if follower.name in table.ratios:
        return table.ratios[follower.name]
    if follower.kind == "spherical":
        return 0.0
    armature, channel = homes[follower.armature], follower.channels[0]
    path = f"{armature.pose.bones[follower.bone].path_from_id()}.{channel.prop}"
    curve = _find_curve(armature, f"{path}[{channel.index}]")
    if curve is None:
        return 1.0
    # Loops have drivers that read numbers kept by hidden bones in properties.
    if any(each.targets[0].data_path.endswith('"]') for each in curve.driver.variables):
        loops, shown = find_loops(robot), dict(_read_shown(table, homes))
        name, leader = follower.name, source.name
        return 0.0 if loops is None else loops.measure_rise(shown, name, leader, _STEP)
    bone = homes[source.armature].pose.bones[source.bone]
    return channel.sign * _measure_rise(armature, curve, source.channels[0].shown(bone))


def _find_curve(armature: Any, path: str) -> Any:
    """Finds the driver of a number, given by path and index; None where it has none."""
    data, (owner, _, index) = armature.animation_data, path.rpartition("[")
    return data.drivers.find(owner, index=int(index[:-1])) if data is not None else None


def _read_shown(table: RobotTable, homes: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """Yields the joints of one number, and where they are shown."""
    for joint in table.joints.values():
        if joint.kind in SCALAR_KINDS and _has_bone(homes, joint):
            bone = homes[joint.armature].pose.bones[joint.bone]
            yield joint.name, joint.channels[0].shown(bone)


def _measure_rise(armature: Any, curve: Any, place: float) -> float:
    """Measures how steep a follower's driver is where its leader's channel is at `place`: by its
    curve, or by the curves of the first factors that it adds up, whose second ones depend on
    another joint."""
    if len(curve.keyframe_points):
        place, step = place * CURVE_STRETCH, _STEP * CURVE_STRETCH
        rise = curve.evaluate(place + step) - curve.evaluate(place - step)
        return float(rise) / (2.0 * _STEP)
    paths = [each.targets[0].data_path for each in curve.driver.variables]
    return sum(
        _measure_rise(armature, own, place) * float(armature.path_resolve(factor))
        for path, factor in zip(paths[::2], paths[1::2], strict=False)
        if (own := _find_curve(armature, path)) is not None and len(own.keyframe_points)
    )


def _find_carrier(homes: dict[str, Any], chain: list[RigJoint]) -> RigJoint:
    """Finds the joint of a chain of followers that is nearest to the leader and still moves the
    body: parts on the leader go where that goes, and turn a little besides."""
    first = chain[0]
    bone = homes[first.armature].pose.bones[first.bone]
    above = {first.bone} | {each.name for each in bone.parent_recursive}
    carriers = [each for each in chain if each.armature == first.armature and each.bone in above]
    return carriers[-1]


def _outer_rotation(angles: Any, mode: str, index: int) -> mathutils.Matrix:
    """Returns (3, 3), the turns that act after a channel's: Blender's name of the order has the
    first to act first. None where a user chose a mode without angles."""
    outer = mathutils.Matrix.Identity(3)
    if mode not in EULER_ORDERS:
        return outer
    for letter in mode[mode.index("XYZ"[index]) + 1 :]:
        place = "XYZ".index(letter)
        outer = mathutils.Matrix.Rotation(angles[place], 3, letter) @ outer
    return outer


def _explain_channel(pose_bone: Any, channel: JointChannel) -> str:
    path = f"{pose_bone.path_from_id()}.{channel.prop}[{channel.index}]"
    if _find_curve(pose_bone.id_data, path) is not None:
        return "driven"
    if channel.turns and pose_bone.rotation_mode not in EULER_ORDERS:
        return "its bone does not turn by Euler angles"
    return "locked" if is_locked(pose_bone, channel) else ""
