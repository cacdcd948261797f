# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors as Gazebo's tags in a URDF, and where their frames point."""

import math
from typing import Any

import numpy as np

OPTICAL = np.array([[0, -1, 0], [0, 0, -1], [1, 0, 0]])
"""The axes of a camera's picture (right, down, ahead) -> those of its link (ahead, left, up)."""
POSE = "<pose>0.1 0.2 0.3 0.4 -0.5 0.6</pose>"


def sensor(kind: str, inside: str = "", name: str = "eye", reference: str = "head") -> str:
    return (
        f'<gazebo reference="{reference}"><sensor type="{kind}" name="{name}">{inside}'
        "</sensor></gazebo>"
    )


def turned(roll: float, pitch: float, yaw: float) -> Any:
    """R = Rz Ry Rx, written out."""
    rx = [[1, 0, 0], [0, math.cos(roll), -math.sin(roll)], [0, math.sin(roll), math.cos(roll)]]
    ry = [[math.cos(pitch), 0, math.sin(pitch)], [0, 1, 0], [-math.sin(pitch), 0, math.cos(pitch)]]
    rz = [[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]]
    return np.array(rz) @ ry @ rx
