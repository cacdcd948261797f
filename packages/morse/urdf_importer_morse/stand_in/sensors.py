# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors that need no .blend of MORSE, with MORSE's settings. Cameras look along X."""

import math
from collections.abc import Sequence
from typing import Any

from ..game_engine.game_data import add_logic_brick
from .component import AbstractComponent
from .creators import SensorCreator, make_creators
from .shapes import Camera, Cube, Cylinder, Sphere

_EYE = "CameraRobot"


class VideoCamera(SensorCreator):
    """A camera that looks along the robot's X, with Z up; `camera` is Blender's, below it.

    Its own axes are like other cameras of Blender, which look along -Z. `rotate` turns about the
    axes of the view: x is the line of sight.
    """

    _classpath = "morse.sensors.video_camera.VideoCamera"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.camera = Camera(_EYE)
        self.camera.name = _EYE
        self.append(self.camera)
        self.properties(
            cam_width=256, cam_height=256, cam_focal=35.0, capturing=True, Vertical_Flip=True
        )
        self.frequency(20)
        self._toggle_by_key()
        SensorCreator.rotate(self, x=math.pi / 2, z=math.pi / 2)
        self.mesh = self.add_body("CameraMesh", (-0.025, -0.025, -0.085), (0.025, 0.025, 0.0))
        self.rotate(z=math.pi)

    def _toggle_by_key(self) -> None:
        """Lets the space key turn it on and off while the simulation runs."""
        item = self._bpy_object
        add_logic_brick(item, "sensors", "KEYBOARD")
        key = self._game.sensors[-1]
        key.key = "SPACE"
        add_logic_brick(item, "controllers", "LOGIC_AND")
        add_logic_brick(item, "actuators", "PROPERTY")
        toggled = self._game.actuators[-1]
        toggled.mode = "TOGGLE"
        toggled.property = "capturing"
        self._game.controllers[-1].link(sensor=key, actuator=toggled)

    def rotate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Turns it by this much about its line of sight x, in radians."""
        super().rotate(x=y, y=z, z=x)

    def hide_mesh(self, hide: bool = True) -> None:
        """Hides its body from other cameras."""
        self.mesh.hide_render = hide


class DepthCamera(VideoCamera):
    _classpath = "morse.sensors.depth_camera.DepthCamera"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.properties(cam_near=1.0, cam_far=20.0, retrieve_depth=True, Vertical_Flip=False)


class SemanticCamera(VideoCamera):
    _classpath = "morse.sensors.semantic_camera.SemanticCamera"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.properties(cam_width=512, cam_height=512, Vertical_Flip=False)


_FLAT_BOX = (0.04, 0.04, 0.02)
_LENTIL = (0.04, 0.04, 0.01)
_DRUM = (0.02, 0.02, 0.02)
_GREY = (0.5, 0.5, 0.5)
_RADAR = "Radar"


class Battery(SensorCreator):
    _classpath = "morse.sensors.battery.Battery"
    _look = (Cylinder, "BatteryCylinder", (0.01, 0.01, 0.04), (0.2, 0.2, 0.2))

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.properties(DischargingRate=0.05)


class Collision(SensorCreator):
    """Senses contacts; only with objects that have the property `only_objects_with_property`, if
    set."""

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
        """Adds a stream of each camera."""
        self.video_camera.add_stream(*args, **kwargs)
        self.depth_camera.add_stream(*args, **kwargs)

    def profile(self) -> None:
        """Profiles each camera."""
        self.video_camera.profile()
        self.depth_camera.profile()

    def frequency(self, frequency: float | None = None) -> None:
        """Sets how often each camera acts, in Hz."""
        # Also called before they are made, when each gets its own.
        if hasattr(self, "video_camera"):
            self.video_camera.frequency(frequency)
            self.depth_camera.frequency(frequency)


class Proximity(SensorCreator):
    _classpath = "morse.sensors.proximity.Proximity"
    _look = (Cylinder, "ProximityCylinder", _DRUM, _GREY)

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.properties(Range=30.0, Track="Robot_Tag")
        self.frequency(12)


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


SENSORS = make_creators(
    SensorCreator,
    {
        "Accelerometer": "accelerometer.Accelerometer",
        "Airspeed": "airspeed.Airspeed",
        "ArmaturePose": "armature_pose.ArmaturePose",
        "Attitude": "attitude.Attitude",
        "Barometer": "barometer.Barometer",
        "Clock": "clock.Clock",
        "GPS": "gps.GPS",
        "Gyroscope": "gyroscope.Gyroscope",
        "IMU": "imu.IMU",
        "Magnetometer": "magnetometer.Magnetometer",
        "Odometry": "odometry.Odometry",
        "Pose": "pose.Pose",
        "PTUPosture": "ptu_posture.PTUPosture",
        "RadarAltimeter": "radar_altimeter.RadarAltimeter",
        "StereoUnit": "stereo_unit.StereoUnit",
        "Thermometer": "thermometer.Thermometer",
        "Velocity": "velocity.Velocity",
    },
    "morse.sensors",
    Accelerometer=(Cube, "AccelerometerCube", _FLAT_BOX, (0.3, 0.9, 0.6)),
    GPS=(Sphere, "GPSSphere", _LENTIL, _GREY),
    Gyroscope=(Sphere, "GyroscopeSphere", _LENTIL, (0.8, 0.4, 0.1)),
    IMU=(Cube, "IMUCube", _FLAT_BOX, (0.3, 0.9, 0.6)),
    Odometry=(Cylinder, "OdometryCylinder", _DRUM, _GREY),
    Pose=(Cube, "PoseCube", _FLAT_BOX, (0.8, 0.3, 0.1)),
    StereoUnit=(Cube, "StereoUnitCube", (0.025, 0.24, 0.01), (0.8, 0.8, 0.8)),
    Thermometer=(Cylinder, "ThermometerCylinder", (0.02, 0.02, 0.04), (0.0, 0.6, 0.5)),
    Velocity=(Sphere, "VelocitySphere", _LENTIL, _GREY),
)
"""Sensors without settings, by name."""
