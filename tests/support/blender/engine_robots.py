# SPDX-License-Identifier: GPL-3.0-or-later
"""Animated robots for exports to engines, and what their files must show."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from support.gltf_truth import Gltf
from urdf_importer import Robot, forward_kinematics, get_joint_positions
from urdf_importer.core.blender.standing.joints import posed_joints_of
from urdf_importer.formats.engines.export import EngineExport

Array = NDArray[np.float64]

TURN = {
    # Written out from the table of conventions: robot -> glTF (x right, y up, z front).
    "z": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    "x": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
}
FPS = 24.0


def animate(main: Any, frames: Iterable[int] = (1, 11, 21), seed: int = 0) -> None:
    """Keys random positions of all joints, also of planar and floating ones, with straight lines
    between."""
    generator = np.random.default_rng(seed)
    for frame in frames:
        for pose_bone, joint in posed_joints_of(main):
            if joint.mimics:
                continue
            for channel in joint.channels:
                low = -1.0 if channel.lower is None else max(channel.lower, -3.0)
                high = 1.0 if channel.upper is None else min(channel.upper, 3.0)
                channel.put(pose_bone, float(generator.uniform(min(low, high), high)))
                pose_bone.keyframe_insert(channel.prop, index=channel.index, frame=frame)
    for action in bpy.data.actions:
        for curve in curves_of(action):
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"


def curves_of(action: Any) -> list[Any]:
    if not hasattr(action, "layers"):
        return list(action.fcurves)
    return [
        curve
        for layer in action.layers
        for strip in layer.strips
        for bag in strip.channelbags
        for curve in bag.fcurves
    ]


def frames_at(main: Any, robot: Robot, frame: float) -> dict[str, Array]:
    """Link -> its frame in the robot's root frame, by forward kinematics of the positions that the
    rig shows at a frame of the scene."""
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    return forward_kinematics(robot, get_joint_positions(main))


def frames_at_zero(robot: Robot) -> dict[str, Array]:
    """Link -> its frame with every joint at zero, those that follow others with an offset too."""
    joints = tuple(replace(joint, mimic=None) for joint in robot.joints)
    return forward_kinematics(replace(robot, joints=joints))


def into_engine(forward: str, scale: float = 1.0) -> Array:
    """(4, 4), robot -> glTF."""
    result = np.eye(4)
    result[:3, :3] = TURN[forward] * scale
    return result


def worst_error(
    gltf: Gltf,
    result: EngineExport,
    robot: Robot,
    shown: Mapping[float, Mapping[str, Array]],
    *,
    clip: str = "",
    start: float = 1.0,
    forward: str = "z",
    scale: float = 1.0,
) -> float:
    """How far the bones of a file are from the links, at frames of a clip, per reach: entries of
    deformations from the zero pose, in the robot's own frame."""
    rest = frames_at_zero(robot)
    engine = into_engine(forward, scale)
    worst = 0.0
    for frame, wanted in shown.items():
        moved = gltf.deformations(clip, (frame - start) / FPS)
        for link, bone in result.bones.items():
            deformation = wanted[link] @ np.linalg.inv(rest[link])
            found = np.linalg.inv(engine) @ moved[bone] @ engine
            reach = 1.0 + float(np.linalg.norm(wanted[link][:3, 3]))
            worst = max(worst, float(np.abs(found - deformation).max()) / reach)
    return worst
