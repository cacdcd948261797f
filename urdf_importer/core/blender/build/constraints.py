# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits, mechanism constraints and drivers, all native: they work without this extension."""

from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any

import bpy
import numpy as np

from ...rig.rig_plan import (
    AnyDriverPlan,
    BoneChannel,
    ConstraintPlan,
    CopyAllPlan,
    CopyPlan,
    CurveDriverPlan,
    FormulaDriverPlan,
    LimitPlan,
    Slot,
    SumDriverPlan,
)
from ..standing import properties

_AXES = "xyz"
_AWAY_FROM_GIMBAL_LOCK = "abs(cos(q)) > 0.02"


def build_constraints(armature: Any, plans: Sequence[ConstraintPlan]) -> None:
    """Adds the constraints to the bones, and to each bone's properties which are ours."""
    made: dict[str, list[str]] = {}
    for plan in plans:
        pose_bone = armature.pose.bones[plan.bone]
        match plan:
            case LimitPlan():
                constraint = _build_limit(pose_bone, plan)
            case CopyPlan():
                constraint = _build_copy(armature, pose_bone, plan)
            case CopyAllPlan():
                constraint = _copy(armature, pose_bone, plan.target, "COPY_TRANSFORMS")
                constraint.mix_mode = "REPLACE"
        made.setdefault(plan.bone, []).append(constraint.name)
    for bone, names in made.items():
        armature.data.bones[bone][properties.CONSTRAINTS] = names


def build_drivers(armature: Any, plans: Sequence[AnyDriverPlan]) -> None:
    """Drivers with simple expressions only, which Blender runs without Python."""
    for plan in plans:
        channel = plan.channel
        bone = armature.pose.bones[channel.bone]
        curve = _drive(bone, *_name_number(bone, channel))
        if isinstance(plan, SumDriverPlan):
            _add_up(curve.driver, armature, plan)
            continue
        if isinstance(plan, FormulaDriverPlan):
            for name, slot in plan.reads:
                _read_number(curve.driver, armature, slot, name)
            curve.driver.type = "SCRIPTED"
            curve.driver.expression = plan.expression
            continue
        _read_number(curve.driver, armature, plan.source)
        if plan.evaluated:
            _read_evaluated(curve.driver, armature, plan.source)
        curve.driver.expression = plan.expression
        if isinstance(plan, CurveDriverPlan):
            _bend(curve, plan)


def _name_number(bone: Any, channel: BoneChannel | Slot) -> tuple[Any, ...]:
    """Returns the path of a bone's number, from the bone; makes its property if it is one."""
    if isinstance(channel, BoneChannel):
        return channel.property, channel.index
    key = properties.LOOP_NUMBER.format(channel.number)
    bone[key] = 0.0
    return (f'["{key}"]',)


def channel_path(channel: BoneChannel | Slot) -> str:
    """Returns the data path of a pose bone's number, from the armature object."""
    name = bpy.utils.escape_identifier(channel.bone)
    if isinstance(channel, Slot):
        return f'pose.bones["{name}"]["{properties.LOOP_NUMBER.format(channel.number)}"]'
    return f'pose.bones["{name}"].{channel.property}[{channel.index}]'


def _drive(owner: Any, *path: Any) -> Any:
    """Adds the curve of a driver whose result is the value itself.

    Blender gives the curve of a new driver a straight line to go through, from 5.0 on made of two
    keyframes, and takes everything within 1e-4 of a keyframe for the keyframe.
    """
    curve = owner.driver_add(*path)
    curve.keyframe_points.clear()
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    return curve


def _bend(curve: Any, plan: CurveDriverPlan) -> None:
    """Makes the curve go through samples: Bezier curves whose handles are a third of the way."""
    places, values, slopes = plan.samples.T
    before, after = np.diff(places, prepend=places[0]), np.diff(places, append=places[-1])
    points = curve.keyframe_points
    points.add(len(places))
    for point in points:
        point.interpolation = "BEZIER"
        point.handle_left_type = point.handle_right_type = "FREE"
    for name, step in (("co", 0.0 * before), ("handle_left", -before), ("handle_right", after)):
        xy = np.column_stack([places + step / 3.0, values + slopes * step / 3.0])
        points.foreach_set(name, xy.astype(np.float32).ravel())
    curve.extrapolation = "CONSTANT"
    if plan.cyclic:
        cycles = curve.modifiers.new("CYCLES")
        cycles.mode_before = cycles.mode_after = "REPEAT_OFFSET"


def _add_up(driver: Any, armature: Any, plan: SumDriverPlan) -> None:
    """Makes the driver add up products, whose factors have letters for names."""
    pairs = list(zip(ascii_lowercase, ascii_uppercase, strict=True))[: len(plan.terms)]
    for names, factors in zip(pairs, plan.terms, strict=True):
        for name, channel in zip(names, factors, strict=True):
            _read_number(driver, armature, channel, name)
    driver.expression = "+".join("*".join(names) for names in pairs) or "0.0"


def _read_number(driver: Any, armature: Any, channel: BoneChannel | Slot, name: str = "q") -> None:
    """Makes a variable the number as the user set it."""
    target = _add_variable(driver, name, "SINGLE_PROP")
    target.id = armature
    target.data_path = channel_path(channel)


def _read_evaluated(driver: Any, armature: Any, channel: BoneChannel) -> None:
    """Makes r the number after constraints and IK."""
    target = _add_variable(driver, "r", "TRANSFORMS")
    target.id = armature
    target.bone_target = channel.bone
    kind = "LOC" if channel.property == "location" else "ROT"
    target.transform_type = f"{kind}_{_AXES[channel.index].upper()}"
    target.transform_space = "LOCAL_SPACE"
    target.rotation_mode = "AUTO"


def _add_variable(driver: Any, name: str, kind: str) -> Any:
    driver.type = "SCRIPTED"
    variable = driver.variables.new()
    variable.name = name
    variable.type = kind
    return variable.targets[0]


def _build_limit(pose_bone: Any, plan: LimitPlan) -> Any:
    turning = plan.property == "rotation_euler"
    constraint = pose_bone.constraints.new("LIMIT_ROTATION" if turning else "LIMIT_LOCATION")
    constraint.owner_space = "LOCAL"
    constraint.use_transform_limit = True
    if turning:
        constraint.euler_order = "AUTO"
    for axis, lower, upper in zip(_AXES, plan.lower, plan.upper, strict=True):
        if turning and lower is not None and upper is not None:
            setattr(constraint, f"use_limit_{axis}", True)
        for side, bound in (("min", lower), ("max", upper)):
            if bound is not None:
                setattr(constraint, f"{side}_{axis}", bound)
                if not turning:
                    setattr(constraint, f"use_{side}_{axis}", True)
    return constraint


def _build_copy(armature: Any, pose_bone: Any, plan: CopyPlan) -> Any:
    turning = plan.property == "rotation_euler"
    kind = "COPY_ROTATION" if turning else "COPY_LOCATION"
    constraint = _copy(armature, pose_bone, plan.target, kind)
    if turning:
        constraint.euler_order = plan.rotation_mode
        constraint.mix_mode = "REPLACE"
    for index, axis in enumerate(_AXES):
        setattr(constraint, f"use_{axis}", index in plan.axes)
    if plan.middle is not None:
        driver = _drive(constraint, "influence").driver
        _read_number(driver, armature, plan.middle)
        driver.expression = _AWAY_FROM_GIMBAL_LOCK
    return constraint


def _copy(armature: Any, pose_bone: Any, bone: str, kind: str) -> Any:
    constraint = pose_bone.constraints.new(kind)
    constraint.target, constraint.subtarget = armature, bone
    constraint.owner_space = constraint.target_space = "LOCAL"
    return constraint
