# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's builder classes where MORSE is missing: a script that uses them runs, builds the same
objects and writes the same configuration. Components that need a .blend of MORSE raise
MissingModelError here, and the simulator's own objects are missing.

Needs Blender. A script takes these names from urdf_importer.morse.builder.
"""

from typing import Any

from .actuators import (
    ACTUATORS,
    Drag,
    Joystick,
    Keyboard,
    Light,
    Sound,
    Waypoint,
)
from .component import AbstractComponent
from .creators import ABSENT, ActuatorCreator, ComponentCreator, SensorCreator
from .environment import Environment
from .errors import ScriptError, UnexportableError
from .lasers import Hokuyo, Infrared, LaserSensorWithArc, Sick, SickLDMRS
from .robots import Armature, Component, FakeRobot, GroundRobot, PassiveObject, Robot, WheeledRobot
from .script import TimeStrategies, timer
from .sensors import (
    SENSORS,
    Battery,
    Collision,
    CompoundSensor,
    DepthCamera,
    Kinect,
    Proximity,
    SearchAndRescue,
    SemanticCamera,
    VideoCamera,
)
from .shapes import (
    Camera,
    Cone,
    Coordsys,
    Cube,
    Cylinder,
    Empty,
    IcoSphere,
    Mesh,
    Plane,
    Sphere,
    Spot,
    Torus,
    Zone,
)

Sensor = SensorCreator
Actuator = ActuatorCreator
MorseBuilderError = ScriptError
MorseBuilderUnexportableError = UnexportableError
TABLES: dict[str, type[AbstractComponent]] = {
    **ABSENT,
    **SENSORS,
    **ACTUATORS,
}
"""Classes that come from tables, by name."""

__all__ = [
    "AbstractComponent",
    "ActuatorCreator",
    "Armature",
    "Battery",
    "Camera",
    "Collision",
    "Component",
    "ComponentCreator",
    "CompoundSensor",
    "Cone",
    "Coordsys",
    "Cube",
    "Cylinder",
    "DepthCamera",
    "Drag",
    "Empty",
    "Environment",
    "FakeRobot",
    "GroundRobot",
    "Hokuyo",
    "IcoSphere",
    "Infrared",
    "Joystick",
    "Keyboard",
    "Kinect",
    "LaserSensorWithArc",
    "Light",
    "Mesh",
    "MorseBuilderError",
    "MorseBuilderUnexportableError",
    "PassiveObject",
    "Plane",
    "Proximity",
    "Robot",
    "SearchAndRescue",
    "SemanticCamera",
    "SensorCreator",
    "Sick",
    "SickLDMRS",
    "Sound",
    "Sphere",
    "Spot",
    "TimeStrategies",
    "Torus",
    "VideoCamera",
    "Waypoint",
    "WheeledRobot",
    "Zone",
    "timer",
]


def __getattr__(name: str) -> Any:
    if name in TABLES:
        return TABLES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
