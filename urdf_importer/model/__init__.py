# SPDX-License-Identifier: GPL-3.0-or-later
"""What a robot is: frozen dataclasses of tuples in SI units. Standard library only."""

from .extra import Extra
from .joint import (
    JOINT_TYPES,
    Calibration,
    Dynamics,
    Joint,
    Limit,
    Mimic,
    SafetyController,
)
from .link import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Geometry,
    Inertia,
    Inertial,
    Link,
    Mesh,
    Sphere,
    Visual,
)
from .material import Color, Material, resolve_material
from .pose import IDENTITY, Pose, Quaternion, Vector3
from .robot import Robot
from .transmission import Actuator, Transmission, TransmissionJoint
from .visual_material import VisualMaterials

__all__ = [
    "IDENTITY",
    "JOINT_TYPES",
    "Actuator",
    "Box",
    "Calibration",
    "Capsule",
    "Collision",
    "Color",
    "Cylinder",
    "Dynamics",
    "Extra",
    "Geometry",
    "Inertia",
    "Inertial",
    "Joint",
    "Limit",
    "Link",
    "Material",
    "Mesh",
    "Mimic",
    "Pose",
    "Quaternion",
    "Robot",
    "SafetyController",
    "Sphere",
    "Transmission",
    "TransmissionJoint",
    "Vector3",
    "Visual",
    "VisualMaterials",
    "resolve_material",
]
