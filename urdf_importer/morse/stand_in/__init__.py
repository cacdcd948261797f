# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's builder classes where MORSE is missing: a script that uses them runs, builds the same
objects and writes the same configuration. Components that need a .blend of MORSE raise
MissingModelError here, and the simulator's own objects are missing.

Needs Blender. A script takes these names from urdf_importer.morse.builder.
"""

from typing import Any

from .actuators import (
    Destination,
    Drag,
    ExternalForce,
    ForceTorque,
    Joystick,
    Keyboard,
    Light,
    MocapControl,
    MotionVW,
    MotionVWDiff,
    MotionXYW,
    Orientation,
    QuadrotorDynamicControl,
    RotorcraftAttitude,
    RotorcraftVelocity,
    RotorcraftWaypoint,
    Sound,
    StabilizedQuadrotor,
    SteerForce,
    Teleport,
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
    GPS,
    IMU,
    Accelerometer,
    Airspeed,
    ArmaturePose,
    Attitude,
    Barometer,
    Battery,
    Clock,
    Collision,
    CompoundSensor,
    DepthCamera,
    Gyroscope,
    Kinect,
    Magnetometer,
    Odometry,
    Pose,
    Proximity,
    PTUPosture,
    RadarAltimeter,
    SearchAndRescue,
    SemanticCamera,
    StereoUnit,
    Thermometer,
    Velocity,
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

__all__ = [
    "GPS",
    "IMU",
    "AbstractComponent",
    "Accelerometer",
    "ActuatorCreator",
    "Airspeed",
    "Armature",
    "ArmaturePose",
    "Attitude",
    "Barometer",
    "Battery",
    "Camera",
    "Clock",
    "Collision",
    "Component",
    "ComponentCreator",
    "CompoundSensor",
    "Cone",
    "Coordsys",
    "Cube",
    "Cylinder",
    "DepthCamera",
    "Destination",
    "Drag",
    "Empty",
    "Environment",
    "ExternalForce",
    "FakeRobot",
    "ForceTorque",
    "GroundRobot",
    "Gyroscope",
    "Hokuyo",
    "IcoSphere",
    "Infrared",
    "Joystick",
    "Keyboard",
    "Kinect",
    "LaserSensorWithArc",
    "Light",
    "Magnetometer",
    "Mesh",
    "MocapControl",
    "MorseBuilderError",
    "MorseBuilderUnexportableError",
    "MotionVW",
    "MotionVWDiff",
    "MotionXYW",
    "Odometry",
    "Orientation",
    "PTUPosture",
    "PassiveObject",
    "Plane",
    "Pose",
    "Proximity",
    "QuadrotorDynamicControl",
    "RadarAltimeter",
    "Robot",
    "RotorcraftAttitude",
    "RotorcraftVelocity",
    "RotorcraftWaypoint",
    "SearchAndRescue",
    "SemanticCamera",
    "SensorCreator",
    "Sick",
    "SickLDMRS",
    "Sound",
    "Sphere",
    "Spot",
    "StabilizedQuadrotor",
    "SteerForce",
    "StereoUnit",
    "Teleport",
    "Thermometer",
    "TimeStrategies",
    "Torus",
    "Velocity",
    "VideoCamera",
    "Waypoint",
    "WheeledRobot",
    "Zone",
    "timer",
]


def __getattr__(name: str) -> Any:
    if name in ABSENT:
        return ABSENT[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
