# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that Python takes, and that hide nothing which a builder script needs."""

import builtins
import keyword

_BUILDER = (
    "ATRV AbstractComponent Accelerometer ActuatorCreator Airspeed Armature ArmaturePose "
    "Arucomarker Attitude B21 BarePR2 Barometer BasePR2 Battery Camera Clock Collision Component "
    "ComponentCreator CompoundSensor Cone Configuration Coordsys Cube Cylinder DepthCamera "
    "Destination Drag Empty Environment ExternalForce FakeRobot ForceTorque GPS Gripper "
    "GroundRobot Gyroscope Hokuyo Human Hummer IMU IcoSphere Infrared Jido Joystick Keyboard "
    "Kinect KukaLWR LaserSensorWithArc Light LocalizedPR2 Magnetometer Mesh MocapControl "
    "MorseBuilderBadSyntaxError MorseBuilderError MorseBuilderNoComponentError "
    "MorseBuilderUnexportableError MorseEnvironmentError MorseError MorseMethodNotFoundError "
    "MorseMiddlewareError MorseMultinodeError MorseRPCInvokationError MorseRPCNbArgsError "
    "MorseRPCTypeError MorseServiceAlreadyRunningError MorseServiceError MorseWrongArgsError Morsy "
    "MotionVW MotionVWDiff MotionXYW NavPR2 Odometry Orientation PA10 PTU PTUPosture PassiveObject "
    "PatrolBot Pioneer3DX Plane Pose Proximity QUAD2012 Quadrotor QuadrotorDynamicControl RMax "
    "RadarAltimeter Robot RotorcraftAttitude RotorcraftVelocity RotorcraftWaypoint SearchAndRescue "
    "SegwayRMP400 SemanticCamera SensorCreator Sick SickLDMRS Sound Sphere Spot "
    "StabilizedQuadrotor SteerForce StereoUnit Submarine Teleport Thermometer TimeStrategies Torus "
    "Velocity Velodyne VelodyneRayCast VelodyneZB Victim VideoCamera Waypoint WheeledRobot "
    "Zone"
)
"""Classes of MORSE's builder, of which its users import all names at once."""

_SCRIPT = (
    "OLD MASS EMPTY_SIZE ARMATURES BONES TAILS JOINTS FOLLOWERS LINKS SENSORS MATERIALS VISUALS "
    "COLLISIONS MESHES Quaternion Vector"
)
"""What a script calls its own parts, of what begins with a capital."""
_TAKEN = frozenset([*_BUILDER.split(), *_SCRIPT.split(), *dir(builtins)])

_MOST_LETTERS = 60


def make_identifier(name: str) -> str:
    """ASCII letters, digits and _, no digit first, no keyword."""
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)[:_MOST_LETTERS]
    plain = plain.strip("_") or "unnamed"
    if plain[0].isdigit() or keyword.iskeyword(plain):
        return f"_{plain}"
    return plain


def make_class_name(name: str) -> str:
    """The words of a robot's name in one, each with a capital: `two_link arm` is TwoLinkArm."""
    words = make_identifier(name).strip("_").split("_")
    plain = make_identifier("".join(word[:1].upper() + word[1:] for word in words))
    return f"{plain}Model" if plain in _TAKEN else plain


def make_module_name(name: str) -> str:
    """The name of a script's file, without its suffix, from which it can be imported."""
    return f"{make_identifier(name).lower()}_builder"
