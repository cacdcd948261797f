# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as Python literals, in plain ASCII, and foreign names in comments."""

import builtins
import keyword
import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

_NOTHING = 1e-9
_WIDTH = 98


def single(value: float) -> str:
    """Writes a number that Blender keeps in single precision; less than a nanometre is zero."""
    return "0.0" if abs(value) < _NOTHING else repr(float(str(np.float32(value))))


def vector(values: Iterable[float]) -> str:
    """Writes two numbers or more, each as `single` does."""
    return f"({', '.join(single(float(value)) for value in values)})"


def text(value: str) -> str:
    return ascii(value)


def texts(values: Sequence[str]) -> str:
    """Writes a tuple of any length."""
    inner = ", ".join(ascii(value) for value in values)
    return f"({inner},)" if len(values) == 1 else f"({inner})"


def table(name: str, head: str, rows: Sequence[str]) -> str:
    """Writes the assignment of a tuple of tuples, one a line, under a comment that names the
    columns. Each row is the text between its brackets."""
    if not rows:
        return f"{name} = ()\n"
    lines = [f"{name} = (", *(f"    # {line}" for line in textwrap.wrap(head, _WIDTH - 6))]
    return "\n".join([*lines, *(f"    ({row})," for row in rows), ")", ""])


def comment(paragraph: str, *, first: str = "", indent: str = "") -> str:
    """Writes a wrapped comment; `first` begins the first line, `indent` all lines."""
    plain = printable(paragraph)
    rest = " " * len(first)
    wrapped = textwrap.wrap(
        plain, _WIDTH - len(indent), initial_indent=f"# {first}", subsequent_indent=f"# {rest}"
    )
    return "".join(f"{indent}{line}\n" for line in wrapped)


def printable(name: str) -> str:
    """Returns a name on one line and in ASCII, whatever it was."""
    return "".join(
        c if c.isascii() and c.isprintable() else c.encode("unicode_escape").decode("ascii")
        for c in name
    )


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
"""Classes of MORSE's builder; its users import all names at once."""

_SCRIPT = (
    "OLD MASS EMPTY_SIZE ARMATURES BONES TAILS JOINTS FOLLOWERS LINKS SENSORS MATERIALS VISUALS "
    "COLLISIONS MESHES Quaternion Vector"
)
"""A script's own names that begin with a capital."""
_TAKEN = frozenset([*_BUILDER.split(), *_SCRIPT.split(), *dir(builtins)])

_MOST_LETTERS = 60


def make_identifier(name: str) -> str:
    """Makes an identifier of ASCII letters, digits and _ that is not a keyword."""
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)[:_MOST_LETTERS]
    plain = plain.strip("_") or "unnamed"
    if plain[0].isdigit() or keyword.iskeyword(plain):
        return f"_{plain}"
    return plain


def make_class_name(name: str) -> str:
    """Joins the words of a robot's name, each with a capital: `two_link arm` is TwoLinkArm."""
    words = make_identifier(name).strip("_").split("_")
    plain = make_identifier("".join(word[:1].upper() + word[1:] for word in words))
    return f"{plain}Model" if plain in _TAKEN else plain


def make_module_name(name: str) -> str:
    """Makes the name of a script's file, without its suffix, that can be imported."""
    return f"{make_identifier(name).lower()}_builder"
