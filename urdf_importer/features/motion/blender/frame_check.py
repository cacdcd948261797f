# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of joints around a frame, from their curves alone: cheap enough to be looked at with
every frame that is shown. The effects of IK, other constraints and NLA are not in it."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import bpy
import numpy as np

from ....core.blender.curves import frame_rate
from ....core.blender.standing import properties
from ....core.blender.standing.armatures import armatures_by_name
from ....core.blender.standing.joints import RigJoint, follow_leaders
from ....core.blender.standing.keys import bags_of, find_curves
from ....core.blender.standing.robot_table import RobotTable, recall_table
from ..check import compare_positions, compare_size
from ..limits import JointLimits, Violation

_SLACK = 1e-3
"""Share of a limit, since curves have single precision."""
_NEAR = 1e-5
MOST_ACTIONS = 200


def check_frame(
    armature: Any, limits: Mapping[str, JointLimits], frame: float
) -> tuple[Violation, ...]:
    """Returns the violations of `limits` at a frame, the worst first: positions that are keyed,
    velocities to the frames beside it, and accelerations of these three. Joints that follow another
    move like their leader. Times are seconds since frame 0."""
    table = recall_table(armature)
    found: list[Violation] = []
    known: dict[str, np.ndarray] = {}
    for joint, curve in _curves_of(armature, table):
        sign = joint.sign
        known[joint.name] = np.array([sign * curve.evaluate(frame + step) for step in (-1, 0, 1)])
    for joint in table.joints.values():
        bounds = limits.get(joint.name)
        # A follower goes by the product of all ratios on the way to the joint that it follows.
        *followers, leader = follow_leaders(table.joints, joint.name)
        numbers = known.get(leader.name)
        ratio = math.prod(table.ratios.get(each.name, 1.0) for each in followers)
        if bounds is not None and numbers is not None:
            found += _compare(joint, numbers * ratio, bounds, frame)
    return tuple(sorted(found, key=lambda each: -each.excess))


def _curves_of(armature: Any, table: RobotTable) -> Iterator[tuple[RigJoint, Any]]:
    """Yields the joints of one number that have a curve of their own."""
    armatures = armatures_by_name(armature)
    curves = {name: find_curves(each) for name, each in armatures.items()}
    for joint in table.joints.values():
        own, home = curves.get(joint.armature), armatures.get(joint.armature)
        if joint.mimics or len(joint.channels) > 1 or not own or home is None:
            continue
        bone = home.pose.bones.get(joint.bone)
        if bone is None:
            continue
        channel = joint.channels[0]
        curve = own.find(f"{bone.path_from_id()}.{channel.prop}", index=channel.index)
        if curve is not None and not curve.is_empty:
            yield joint, curve


def _compare(
    joint: RigJoint, numbers: np.ndarray, bounds: JointLimits, frame: float
) -> Iterator[Violation]:
    before, now, after = numbers.tolist()
    rate, time = frame_rate(), frame / frame_rate()
    if not joint.mimics:
        yield from compare_positions(joint.name, np.array([now]), np.array([time]), bounds, _NEAR)
    velocity = max(abs(after - now), abs(now - before)) * rate
    acceleration = abs(after - 2 * now + before) * rate * rate
    yield from compare_size(joint.name, "velocity", (velocity, time), bounds.velocity, _SLACK)
    yield from compare_size(
        joint.name, "acceleration", (acceleration, time), bounds.acceleration, _SLACK
    )


def check_keyed_positions(
    armature: Any, limits: Mapping[str, JointLimits], frames: range
) -> tuple[Violation, ...]:
    """Returns the worst of each joint whose curve goes beyond its positions, which the rig does not
    show: it shows the joint at its limit. Times are seconds since the first of the frames."""
    found = []
    for joint, curve in _curves_of(armature, recall_table(armature)):
        bounds = limits.get(joint.name)
        if bounds is None or (bounds.lower is None and bounds.upper is None):
            continue
        values = np.array([joint.sign * curve.evaluate(frame) for frame in frames])
        times = (np.array(frames) - frames.start) / frame_rate()
        beyond = list(compare_positions(joint.name, values, times, bounds, _NEAR)) if frames else []
        found += [max(beyond, key=lambda each: each.excess)] if beyond else []
    return tuple(found)


def actions_of(armature: Any) -> list[Any]:
    """Returns the actions that hold motions of a robot, by name: its present one, and all whose
    groups are bones of its joints. Actions of states and poses are left out."""
    data = armature.animation_data
    own = data.action if data is not None else None
    bones = {joint.bone for joint in recall_table(armature).joints.values()}
    found = []
    for action in bpy.data.actions[:MOST_ACTIONS]:
        if action == own:
            found.append(action)
        elif properties.STATE not in action and action.asset_data is None:
            groups = (bag.groups[0].name for bag in bags_of(action) if bag.groups)
            if next(groups, "") in bones:
                found.append(action)
    return found


def show_action(armature: Any, name: str) -> bool:
    """Gives a robot the action of this name; whether there is one."""
    action = next((each for each in actions_of(armature) if each.name == name), None)
    if action is None:
        return False
    armature.animation_data_create().action = action
    return True
