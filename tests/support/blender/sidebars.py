# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots for tests of the sidebar, and what its sliders and keyframes are."""

import math
from types import ModuleType
from typing import Any

import bpy

from support.paths import ROOT
from urdf_importer import ImportOptions, import_robot

SAMPLES = ROOT / "sample_urdfs"


def load(name: str, **options: Any) -> Any:
    return import_robot(SAMPLES / f"{name}.urdf", options=ImportOptions(**options)).armature


def enforce(robot: Any, on: bool) -> None:
    """Switches the limits as a user does: on the active robot."""
    activate(robot)
    assert bpy.ops.urdf.enforce_limits(on=on) == {"FINISHED"}


def sliders_of(extension: ModuleType, robot: Any) -> dict[str, list[tuple[Any, str]]]:
    """Joint -> (pose bone, the property that is its slider), for each of its numbers."""
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
    extension.operators.sidebar.sliders._make(
        (channel, False) for joint in table.joints.values() for channel in joint.channels
    )
    find = extension.operators.sidebar.sliders.find_slider
    return {
        name: [(robot.pose.bones[row.bone], find(channel)) for channel in row.channels]
        for name, row in table.joints.items()
    }


def activate(item: Any) -> None:
    bpy.context.view_layer.objects.active = item


def limits_of(bone: Any, joint: str) -> tuple[float, float]:
    (kept,) = (each for each in bone.bone["urdf_joints"] if each["name"] == joint)
    return kept.get("lower", -math.inf), kept.get("upper", math.inf)


def keyed(extension: ModuleType, robot: Any) -> set[str]:
    """Joints with a keyframe at the current frame."""
    keying = extension.urdf_importer.core.blender.standing.keys
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
    bones = robot.pose.bones
    return {
        name
        for name, row in table.joints.items()
        if keying.key_state_of(bones[row.bone], row.channels) == "keyed"
    }


def is_operator(kind: Any) -> bool:
    return issubclass(kind, bpy.types.Operator)
