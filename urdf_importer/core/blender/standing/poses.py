# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that are kept: actions of one frame, marked as assets, so that Blender's pose library shows
them. An action has the channels of its joints and no others; the property `urdf_state` says whose
pose it is.

The curves are the pose: changing them, or replacing a pose asset by Blender's own tools, changes
it. Numbers equal to the written ones, up to single precision, are given back exactly as written.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import bpy

from ...kinematics.forward import Position, check_position
from . import properties
from .armatures import bones_of
from .joints import RigJoint, joints_of
from .keys import curves_of
from .pose import channel_numbers, position_of_numbers

_FRAME = 1.0
_SAME = 2e-6
"""A number of a curve this near to the written one is that one."""

Numbers = tuple[float, ...]


def new_pose(
    armature: Any,
    name: str,
    positions: Mapping[str, Position],
    *,
    robot: str,
    group: str = "",
    whole: bool = False,
) -> Any:
    """Makes an action that holds the positions of joints of a rig, and marks it as an asset.

    `name` is the pose's name among the poses of its `group` of joints; the asset is called by both.
    Joints that the rig does not have, that follow others or have no position are passed over. A
    pose of the `whole` robot belongs to no group, and is not written to SRDF.
    """
    action = bpy.data.actions.new(f"{group}: {name}" if group else name)
    state = {"name": name, "group": group, "robot": robot}
    action[properties.STATE] = state | ({"whole": True} if whole else {})
    action.asset_mark()
    action.asset_data.description = f"Pose of {robot}"
    action.asset_data.tags.new(robot[:63] or "robot", skip_if_exists=True)
    write_pose(action, armature, positions)
    return action


def write_pose(action: Any, armature: Any, positions: Mapping[str, Position]) -> None:
    """Writes the positions of joints into an action, in place of the curves that it has."""
    curves = _clear_curves(action, armature)
    joints = {joint.name: joint for joint in joints_of(armature)}
    for name, position in positions.items():
        joint = joints.get(name)
        if joint is None or joint.mimics:
            continue
        value = check_position(name, joint.kind, position)
        for channel, number in zip(joint.channels, channel_numbers(joint, value), strict=True):
            curve = curves.new(_path(joint, channel.prop), index=channel.index)
            point = curve.keyframe_points.insert(_FRAME, number)
            point.interpolation = "CONSTANT"


def read_pose(action: Any, armature: Any) -> dict[str, Numbers]:
    """Returns joint -> numbers of the joints of a rig that an action has channels of; channels that
    it lacks count as zero."""
    found: dict[tuple[str, int], float] = {}
    for curve in curves_of(action):
        if len(curve.keyframe_points):
            found[curve.data_path, curve.array_index] = float(curve.keyframe_points[0].co[1])
    positions: dict[str, Numbers] = {}
    for joint in joints_of(armature):
        keys = [(_path(joint, channel.prop), channel.index) for channel in joint.channels]
        if not joint.mimics and any(key in found for key in keys):
            positions[joint.name] = position_of_numbers(
                joint, [found.get(key, 0.0) for key in keys]
            )
    return positions


def is_same_position(kept: Numbers, read: Numbers) -> bool:
    """Whether a position that was read from an action equals the written one, up to single
    precision. Both signs of a quaternion are the same turn."""
    if len(kept) != len(read):
        return False
    if len(kept) >= 4 and sum(a * b for a, b in zip(kept[-4:], read[-4:], strict=True)) < 0.0:
        read = (*read[:-4], *(-number for number in read[-4:]))
    if len(kept) >= 4:
        length = sum(number * number for number in kept[-4:]) ** 0.5 or 1.0
        kept = (*kept[:-4], *(number / length for number in kept[-4:]))
    return all(abs(a - b) <= _SAME * max(1.0, abs(a)) for a, b in zip(kept, read, strict=True))


def poses_of(robot: str) -> Iterator[tuple[str, str, Any]]:
    """Yields (group, name, action) of the poses that were made for groups of a robot of this
    name."""
    for kept, action in _kept_of(robot):
        if not kept.get("whole"):
            yield kept.get("group", ""), kept["name"], action


def whole_poses_of(robot: str) -> Iterator[tuple[str, Any]]:
    """Yields (name, action) of the poses of the whole robot of this name."""
    for kept, action in _kept_of(robot):
        if kept.get("whole"):
            yield kept["name"], action


def _kept_of(robot: str) -> Iterator[tuple[Any, Any]]:
    for action in bpy.data.actions:
        kept = action.get(properties.STATE)
        if kept is not None and kept.get("robot", "") == robot:
            yield kept, action


def loose_poses(armature: Any) -> Iterator[tuple[str, dict[str, Numbers]]]:
    """Yields (name, positions) of pose assets that the user made in other ways, if they move joints
    of this rig and nothing else."""
    prefixes = tuple(
        f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].' for bone in bones_of(armature)
    )
    for action in bpy.data.actions:
        if action.asset_data is None or properties.STATE in action or not prefixes:
            continue
        curves = curves_of(action)
        if curves and all(curve.data_path.startswith(prefixes) for curve in curves):
            positions = read_pose(action, armature)
            if positions and action.frame_range[0] == action.frame_range[1]:
                yield action.name, positions


def _path(joint: RigJoint, prop: str) -> str:
    return f'pose.bones["{bpy.utils.escape_identifier(joint.bone)}"].{prop}'


def _clear_curves(action: Any, armature: Any) -> Any:
    """Returns the empty curves of an action. Blender 4.4 and later keep them in slots."""
    bag = action
    if hasattr(action, "slots"):
        slot = action.slots[0] if action.slots else action.slots.new("OBJECT", armature.name[:60])
        layer = action.layers[0] if action.layers else action.layers.new("Pose")
        strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
        bag = strip.channelbag(slot, ensure=True)
    curves = bag.fcurves
    for curve in list(curves):
        curves.remove(curve)
    return curves
