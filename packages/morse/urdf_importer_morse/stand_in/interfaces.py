# SPDX-License-Identifier: GPL-3.0-or-later
"""Which class of MORSE serves which component over which interface: data for a builder script that
runs without MORSE and writes the same configuration.

Facts of MORSE 1.4. Components have MORSE's names, by module and class: "morse.sensors.pose.Pose".
"""

from collections.abc import Mapping
from typing import Literal

Direction = Literal["IN", "OUT"]

STREAM_MANAGERS: Mapping[str, str] = {
    name: f"morse.middleware.{module}_datastream.{kind}DatastreamManager"
    for name, module, kind in (
        ("ros", "ros", "ROS"),
        ("socket", "socket", "Socket"),
        ("yarp", "yarp", "Yarp"),
        ("pocolibs", "pocolibs", "Pocolibs"),
        ("text", "text", "Text"),
        ("moos", "moos", "MOOS"),
        ("hla", "hla", "HLA"),
        ("mavlink", "mavlink", "Mavlink"),
    )
}
"""Interface -> the manager of its streams. yarp_json has none of its own."""

SERVICE_MANAGERS: Mapping[str, str] = {
    name: f"morse.middleware.{module}_request_manager.{kind}RequestManager"
    for name, module, kind in (
        ("socket", "socket", "Socket"),
        ("yarp", "yarp", "Yarp"),
        ("yarp_json", "yarp_json", "Yarp"),
        ("pocolibs", "pocolibs", "Pocolibs"),
        ("ros", "ros", "Ros"),
    )
}
"""Interface -> the manager of its requests. The others have no services."""

DEFAULT_CLASSES: Mapping[Direction, Mapping[str, str]] = {
    "OUT": {
        "socket": "morse.middleware.socket_datastream.SocketPublisher",
        "yarp": "morse.middleware.yarp_datastream.YarpPublisher",
        "yarp_json": "morse.middleware.yarp.yarp_json.YarpJsonPublisher",
        "text": "morse.middleware.text_datastream.Publisher",
        "moos": "morse.middleware.moos.abstract_moos.StringPublisher",
    },
    "IN": {
        "socket": "morse.middleware.socket_datastream.SocketReader",
        "yarp": "morse.middleware.yarp_datastream.YarpReader",
        "yarp_json": "morse.middleware.yarp.yarp_json.YarpJsonReader",
    },
}
"""The classes for components of no special kind: sensors send out, actuators take in."""

DEFAULT_LEVEL = "default"
"""The level of components that have no levels of abstraction."""

LEVELS: Mapping[str, str] = {
    "morse.sensors.gps.GPS": "simple",
    "morse.sensors.laserscanner.LaserScanner": "raw",
    "morse.sensors.odometry.Odometry": "integrated",
}
"""Component with levels -> the one it has unless the script sets another."""

# An interface alone is served by the default class; else its class follows it, without the folder
# of the interface.
_ACT = "socket yarp"
_SENSE = "socket yarp text"
_SENSE_JSON = "socket yarp yarp_json text"
_POM = "pocolibs=sensors.pom.PomSensorPoster"
_VIAM = "pocolibs=sensors.viam.ViamPoster"
_MOTION = "moos=motion.MotionReader"
_GENPOS = "pocolibs=actuators.genpos.GenPosPoster"
_WRENCH = "ros=force_torque.WrenchReader"
_JOINTS = "ros=jointstate.JointStatePublisher"
_DEPTH_ROS = "ros=depth_camera.DepthCameraPublisher"
_DEPTH_SOCKET = "socket=depth_camera.DepthCameraPublisher"

_SENSORS: dict[str, str | dict[str, str]] = {
    "accelerometer.Accelerometer": f"{_SENSE} ros=accelerometer.TwistPublisher",
    "armature_pose.ArmaturePose": f"{_SENSE} {_JOINTS}",
    "attitude.Attitude": f"{_SENSE} mavlink=attitude.AttitudeSensor",
    "barometer.Barometer": _SENSE,
    "battery.Battery": f"{_SENSE} ros=battery.Float32Publisher",
    "clock.Clock": f"{_SENSE} moos ros=clock.ClockPublisher",
    "depth_camera.DepthCamera": (
        f"{_DEPTH_SOCKET} {_DEPTH_ROS} pocolibs=sensors.stereopixel.Spix3DImagePoster"
    ),
    "depth_camera.DepthCameraRotationZ": f"{_DEPTH_ROS} pocolibs=sensors.velodyne.Velodyne3DImage",
    "depth_camera.DepthVideoCamera": (
        f"{_DEPTH_SOCKET} {_VIAM} ros=video_camera.DepthCameraPublisher"
        " yarp=video_depth_camera.YarpImageFloatPublisher"
    ),
    "gps.GPS": {
        "simple": f"{_SENSE_JSON} {_POM} ros=gps.NavSatFixPublisher moos=gps.GPSNotifier",
        "raw": _SENSE_JSON,
        "extended": _SENSE_JSON,
    },
    "gyroscope.Gyroscope": f"{_SENSE} {_POM} ros=StringPublisher moos=gyroscope.GyroscopeNotifier",
    "human_posture.HumanPosture": f"{_SENSE} pocolibs=sensors.human_posture.HumanPoster",
    "imu.IMU": f"{_SENSE} ros=imu.ImuPublisher moos=imu.IMUNotifier",
    "laserscanner.LaserScanner": {
        "raw": (
            "socket ros=laserscanner.LaserScanPublisher moos=sick.LIDARNotifier"
            " yarp=laserscanner.YarpLaserScannerPublisher"
        ),
        "rssi": "socket",
        "range": "socket ros=infrared.RangePublisher",
    },
    "magnetometer.Magnetometer": _SENSE,
    "odometry.Odometry": {
        "differential": _SENSE,
        "raw": _SENSE,
        "integrated": (
            f"{_SENSE} {_POM} ros=odometry.OdometryPublisher"
            " mavlink=odometry_to_local_ned.OdometrySensor"
        ),
    },
    "pose.Pose": f"{_SENSE} {_POM} ros=pose.PoseStampedPublisher moos=pose.PoseNotifier",
    "proximity.Proximity": f"{_SENSE_JSON} ros=StringPublisher",
    "ptu_posture.PTUPosture": (
        f"{_SENSE} {_JOINTS} pocolibs=sensors.platine_posture.PlatinePoster"
    ),
    "radar_altimeter.RadarAltimeter": _SENSE,
    "search_and_rescue.SearchAndRescue": f"{_SENSE_JSON} pocolibs=sensors.target.TargetPoster",
    "semantic_camera.SemanticCamera": (
        "socket yarp ros=semantic_camera.SemanticCameraPublisher pocolibs=sensors.viman.VimanPoster"
    ),
    "stereo_unit.StereoUnit": _VIAM,
    "thermometer.Thermometer": _SENSE,
    "velocity.Velocity": f"{_SENSE} ros=velocity.TwistStampedPublisher",
    "video_camera.VideoCamera": (
        f"{_VIAM} ros=video_camera.VideoCameraPublisher socket=video_camera.VideoCameraPublisher"
        " yarp=video_camera.YarpImagePublisher"
    ),
}
_ACTUATORS: dict[str, str | dict[str, str]] = {
    "armature.Armature": f"{_ACT} pocolibs=actuators.lwr.LwrPoster",
    "arucomarker.Arucomarker": f"{_ACT} ros=read_pose.PoseReader",
    "destination.Destination": f"{_ACT} ros=destination.PointReader",
    "externalForce.ExternalForce": f"{_ACT} {_WRENCH}",
    "force_torque.ForceTorque": f"{_ACT} {_WRENCH}",
    "gripper.Gripper": _ACT,
    "light.Light": f"{_ACT} ros=light.BoolReader moos=light.LightReader",
    "mocap_control.MocapControl": "pocolibs=actuators.niut.NiutPoster",
    "orientation.Orientation": f"{_ACT} ros=orientation.QuaternionReader",
    "ptu.PTU": f"{_ACT} ros=platine.Vector3Reader pocolibs=actuators.platine.PlatinePoster",
    "quadrotor_dynamic_control.QuadrotorDynamicControl": _ACT,
    "rotorcraft_attitude.RotorcraftAttitude": (
        f"{_ACT} mavlink=read_attitude_target.AttitudeTarget"
    ),
    "rotorcraft_velocity.RotorcraftVelocity": "socket ros=read_twist.TwistReader",
    "rotorcraft_waypoint.RotorcraftWaypoint": (
        f"{_ACT} ros=read_pose.PoseReader mavlink=local_position_ned_to_waypoint.WaypointActuator"
    ),
    "stabilized_quadrotor.StabilizedQuadrotor": _ACT,
    "steer_force.SteerForce": f"{_ACT} {_MOTION}",
    "teleport.Teleport": f"{_ACT} ros=read_pose.PoseReader moos=pose.PoseReader",
    "v_omega.MotionVW": f"{_ACT} {_GENPOS} {_MOTION} ros=motion_vw.TwistReader",
    "v_omega_diff_drive.MotionVWDiff": f"{_ACT} {_GENPOS} {_MOTION} ros=motion_vw.TwistReader",
    "waypoint.Waypoint": "socket yarp yarp_json",
    "xy_omega.MotionXYW": f"{_ACT} ros=motion_xyw.TwistReader",
}
# Served by the default classes only, or by none.
_MORE_SENSORS = (
    *("airspeed.Airspeed", "camera.Camera", "collision.Collision", "compound.CompoundSensor"),
    *("depth_camera.AbstractDepthCamera", "depth_camera.RawImage"),
    *("gps.ExtendedGPS", "gps.RawGPS"),
    *("laserscanner.LaserScannerRotationZ", "laserscanner.RSSILaserScanner"),
    *("odometry.IntegratedOdometry", "odometry.RawOdometry"),
)
_MORE_ACTUATORS = (
    *("drag.Drag", "external_force.ExternalForce", "joystick.Joystick", "keyboard.Keyboard"),
    *("pa_10.PA10", "sound.Sound"),
)
# MORSE serves them but does not have them.
_WITHOUT_CLASS = {"externalForce.ExternalForce", "mocap_control.MocapControl"}
_FOLDERS = {"socket": "sockets"}

_TRANSFORMED = "Coordinates"
_PLACES = (
    "sensors.pose.Pose",
    "sensors.gps.GPS",
    "actuators.destination.Destination",
    "actuators.waypoint.Waypoint",
)
_TELEPORT = "actuators.teleport.Teleport"
_ANGLES = ("sensors.gyroscope.Gyroscope", "actuators.orientation.Orientation")


def _read_rows(
    folder: str, direction: Direction, rows: Mapping[str, str | dict[str, str]]
) -> dict[str, dict[str, dict[str, str]]]:
    return {
        f"morse.{folder}.{name}": {
            level: dict(_read_service(word, direction) for word in words.split())
            for level, words in (
                found.items() if isinstance(found, dict) else [(DEFAULT_LEVEL, found)]
            )
        }
        for name, found in rows.items()
    }


def _read_service(word: str, direction: Direction) -> tuple[str, str]:
    interface, _, served = word.partition("=")
    if not served:
        return interface, DEFAULT_CLASSES[direction][interface]
    return interface, f"morse.middleware.{_FOLDERS.get(interface, interface)}.{served}"


SERVED: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    **_read_rows("sensors", "OUT", _SENSORS),
    **_read_rows("actuators", "IN", _ACTUATORS),
}
"""Component -> level -> interface -> class."""

_DIRECTIONS: dict[str, Direction] = {
    "morse.core.sensor.Sensor": "OUT",
    "morse.core.actuator.Actuator": "IN",
    **{f"morse.sensors.{name}": "OUT" for name in (*_SENSORS, *_MORE_SENSORS)},
    **{
        f"morse.actuators.{name}": "IN"
        for name in (*_ACTUATORS, *_MORE_ACTUATORS)
        if name not in _WITHOUT_CLASS
    },
}


def find_direction(component: str) -> Direction | None:
    """Returns the direction of its streams; None for a class that is neither a sensor nor an
    actuator of MORSE."""
    return _DIRECTIONS.get(component)


def _transform(module: str, kind: str, components: tuple[str, ...]) -> dict[str, str]:
    """Lists modifiers that transform sensors' output into other coordinates, and actuators' input
    back from them."""
    return {
        f"morse.{name}": f"morse.modifiers.{module}.{what}{way}{kind}"
        for name in components
        for what in ("Angles" if name in _ANGLES else _TRANSFORMED,)
        for way in ("To" if name.startswith("sensors") else "From",)
    }


def _convert(component: str) -> str:
    return "MeterToFeet" if component.startswith("sensors") else "FeetToMeter"


_IMU_NOISE = {"morse.sensors.imu.IMU": "morse.modifiers.imu_noise.IMUNoiseModifier"}
_POSE_NOISE = {
    f"morse.sensors.{name}": f"morse.modifiers.pose_noise.{kind}NoiseModifier"
    for name, kind in (
        ("odometry.Odometry", "Pose"),
        ("pose.Pose", "Pose"),
        ("gps.GPS", "Position"),
        ("gyroscope.Gyroscope", "Orientation"),
    )
}

MODIFIERS: Mapping[str, Mapping[str, str]] = {
    "NED": _transform("ned", "NED", (*_PLACES, _TELEPORT, *_ANGLES)),
    "ECEF": _transform("ecef", "ECEF", (*_PLACES, _TELEPORT)),
    "feet": {
        f"morse.{name}": f"morse.modifiers.feet.{_convert(name)}" for name in (*_PLACES, _TELEPORT)
    },
    "geodetic": _transform("geodetic", "Geodetic", (*_PLACES, _TELEPORT)),
    "geocentric": _transform("geocentric", "Geocentric", (*_PLACES, _TELEPORT)),
    "UTM": _transform("utm", "UTM", _PLACES),
    "PoseNoise": _POSE_NOISE,
    "IMUNoise": _IMU_NOISE,
    "Noise": {**_IMU_NOISE, **_POSE_NOISE},
}
"""Modifier -> component -> class that changes its output or input."""
