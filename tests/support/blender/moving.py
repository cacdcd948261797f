# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots with random motions, and the moments of these."""

from typing import Any

import bpy
import numpy as np

from support.blender.rigs import new_scene
from support.paths import ROOT
from urdf_importer import ImportResult, Trajectory, import_robot
from urdf_importer.core.model import Joint, Robot


def load(name: str) -> ImportResult:
    """A sample robot in a new scene."""
    new_scene()
    return import_robot(ROOT / "sample_urdfs" / f"{name}.urdf")


def range_of(joint: Joint) -> tuple[float, float]:
    limit = joint.limit
    if joint.type == "continuous" or limit is None or limit.lower is None or limit.upper is None:
        return -2.0, 2.0
    return limit.lower, limit.upper


def random_motion(robot: Robot, count: int = 12, seed: int = 0, **fields: Any) -> Trajectory:
    """Every scalar joint that does not follow another, within its limits, at uneven times."""
    rng = np.random.default_rng(seed)
    joints = [
        joint
        for joint in robot.joints
        if joint.type in ("revolute", "continuous", "prismatic") and joint.mimic is None
    ]
    ranges = np.array([range_of(joint) for joint in joints])
    share = rng.uniform(0.05, 0.95, size=(count, len(joints)))
    times = np.concatenate([[0], np.cumsum(rng.uniform(0.02, 0.3, count - 1))])
    return Trajectory(
        names=tuple(joint.name for joint in joints),
        times=times,
        positions=ranges[:, 0] + share * (ranges[:, 1] - ranges[:, 0]),
        **fields,
    )


def show(time: float) -> None:
    """Shows the scene at a second of a motion that starts at frame 1."""
    scene = bpy.context.scene
    frame = 1 + time * scene.render.fps / scene.render.fps_base
    scene.frame_set(int(frame), subframe=frame % 1)
