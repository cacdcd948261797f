# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors that need no .blend of MORSE, with MORSE's settings."""

import math
from collections.abc import Sequence
from typing import Any

from ...blender.game.blender27.game_data import add_logic_brick
from .cameras import DepthCamera, VideoCamera
from .component import AbstractComponent
from .creators import SensorCreator
from .shapes import Cube, Cylinder, Sphere

_FLAT_BOX = (0.04, 0.04, 0.02)
_LENTIL = (0.04, 0.04, 0.01)
_DRUM = (0.02, 0.02, 0.02)
_GREY = (0.5, 0.5, 0.5)
_RADAR = "Radar"


class Accelerometer(SensorCreator):
    _classpath = "morse.sensors.accelerometer.Accelerometer"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Cube, "AccelerometerCube", _FLAT_BOX, (0.3, 0.9, 0.6))


class Airspeed(SensorCreator):
    _classpath = "morse.sensors.airspeed.Airspeed"


class ArmaturePose(SensorCreator):
    """The joint positions of the Armature that it is appended to."""

    _classpath = "morse.sensors.armature_pose.ArmaturePose"


class Attitude(SensorCreator):
    _classpath = "morse.sensors.attitude.Attitude"


class Barometer(SensorCreator):
    _classpath = "morse.sensors.barometer.Barometer"


class Battery(SensorCreator):
    _classpath = "morse.sensors.battery.Battery"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Cylinder, "BatteryCylinder", (0.01, 0.01, 0.04), (0.2, 0.2, 0.2))
        self.properties(DischargingRate=0.05)


class Clock(SensorCreator):
    _classpath = "morse.sensors.clock.Clock"


class Collision(SensorCreator):
    """Feels what touches it; only what has the property `only_objects_with_property`, if set."""

    _classpath = "morse.sensors.collision.Collision"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._game.physics_type = "SENSOR"
        self._game.use_collision_bounds = True
        self.scale = _DRUM
        felt = self._game.sensors[-1]
        felt.type = "COLLISION"
        felt.use_pulse_true_level = True
        felt.use_material = False
        self.adorn(Cube, "CollisionMesh", (1.0, 1.0, 1.0), (0.8, 0.2, 0.1))

    def properties(self, **kwargs: Any) -> None:
        super().properties(**kwargs)
        if "only_objects_with_property" in kwargs:
            self._game.sensors[-1].property = kwargs["only_objects_with_property"]


class CompoundSensor(SensorCreator):
    """The data of several sensors as one."""

    _classpath = "morse.sensors.compound.CompoundSensor"

    def __init__(self, sensors: Sequence[AbstractComponent | str], name: str | None = None) -> None:
        super().__init__(name)
        self.sensors = sensors

    def after_renaming(self) -> None:
        """Notes the names that its sensors have in the end."""
        there = (
            each
            for each in self.sensors
            if not isinstance(each, AbstractComponent) or each.is_alive()
        )
        self.properties(sensors=",".join(map(str, there)))


class GPS(SensorCreator):
    _classpath = "morse.sensors.gps.GPS"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Sphere, "GPSSphere", _LENTIL, _GREY)


class Gyroscope(SensorCreator):
    _classpath = "morse.sensors.gyroscope.Gyroscope"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Sphere, "GyroscopeSphere", _LENTIL, (0.8, 0.4, 0.1))


class IMU(SensorCreator):
    _classpath = "morse.sensors.imu.IMU"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Cube, "IMUCube", _FLAT_BOX, (0.3, 0.9, 0.6))


class Kinect(CompoundSensor):
    """A video camera and a depth camera side by side."""

    def __init__(self, name: str | None = "Kinect") -> None:
        super().__init__([], name)
        self.adorn(Cube, "KinectMesh", (0.02, 0.1, 0.02), (0.8, 0.8, 0.8))
        self.video_camera = VideoCamera("rgb")
        self.video_camera.properties(cam_width=128, cam_height=128)
        self.depth_camera = DepthCamera("depth")
        self.depth_camera.properties(classpath="morse.sensors.depth_camera.DepthVideoCamera")
        self.depth_camera.properties(cam_width=128, cam_height=128, Vertical_Flip=True)
        self.append(self.video_camera)
        self.append(self.depth_camera)
        self.video_camera.location = (0.06, 0.08, 0.04)
        self.depth_camera.location = (0.06, -0.08, 0.04)
        self.sensors = [self.video_camera, self.depth_camera]

    def add_stream(self, *args: Any, **kwargs: Any) -> None:
        """Of each camera."""
        self.video_camera.add_stream(*args, **kwargs)
        self.depth_camera.add_stream(*args, **kwargs)

    def profile(self) -> None:
        """Of each camera."""
        self.video_camera.profile()
        self.depth_camera.profile()

    def frequency(self, frequency: float | None = None) -> None:
        """Of each camera."""
        # Also called before they are made, when each gets its own.
        if hasattr(self, "video_camera"):
            self.video_camera.frequency(frequency)
            self.depth_camera.frequency(frequency)


class Magnetometer(SensorCreator):
    _classpath = "morse.sensors.magnetometer.Magnetometer"


class Odometry(SensorCreator):
    _classpath = "morse.sensors.odometry.Odometry"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Cylinder, "OdometryCylinder", _DRUM, _GREY)


class Pose(SensorCreator):
    _classpath = "morse.sensors.pose.Pose"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Cube, "PoseCube", _FLAT_BOX, (0.8, 0.3, 0.1))


class Proximity(SensorCreator):
    _classpath = "morse.sensors.proximity.Proximity"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Cylinder, "ProximityCylinder", _DRUM, _GREY)
        self.properties(Range=30.0, Track="Robot_Tag")
        self.frequency(12)


class PTUPosture(SensorCreator):
    _classpath = "morse.sensors.ptu_posture.PTUPosture"


class RadarAltimeter(SensorCreator):
    _classpath = "morse.sensors.radar_altimeter.RadarAltimeter"


class SearchAndRescue(SensorCreator):
    """Finds victims in a cone of `Angle` degrees and `Distance` metres."""

    _classpath = "morse.sensors.search_and_rescue.SearchAndRescue"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(
            Cylinder,
            "SearchAndRescueCylinder",
            (0.15, 0.04, 0.04),
            (0.2, 0.8, 0.6),
            tilt=math.pi / 2,
        )
        self.frequency(6)
        self.properties(Heal_range=2.0, Abilities="1,2")
        add_logic_brick(self._bpy_object, "sensors", "RADAR", _RADAR)
        radar = self._game.sensors[-1]
        radar.angle = 60.0
        radar.distance = 10.0
        radar.use_pulse_true_level = True
        radar.tick_skip = 20
        radar.property = "Injured"
        self._game.controllers[-1].link(sensor=radar)

    def properties(self, **kwargs: Any) -> None:
        radar = self._game.sensors.get(_RADAR)
        for name in ("Angle", "Distance", "Freq"):
            if radar is not None and name in kwargs:
                setattr(radar, name.lower(), kwargs[name])
        super().properties(**kwargs)


class StereoUnit(SensorCreator):
    """Carries the cameras that are appended to it."""

    _classpath = "morse.sensors.stereo_unit.StereoUnit"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Cube, "StereoUnitCube", (0.025, 0.24, 0.01), (0.8, 0.8, 0.8))


class Thermometer(SensorCreator):
    _classpath = "morse.sensors.thermometer.Thermometer"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Cylinder, "ThermometerCylinder", (0.02, 0.02, 0.04), (0.0, 0.6, 0.5))


class Velocity(SensorCreator):
    _classpath = "morse.sensors.velocity.Velocity"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.adorn(Sphere, "VelocitySphere", _LENTIL, _GREY)
