# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that Webots takes, each given out once.

DEF and PROTO names are identifiers: no blank, control character or any of " # ' , . [ \\ ] { }, and
no digit or sign at the beginning. Names of Solids and devices are free texts without ':', which
Webots reads as its own separator.
"""

from dataclasses import dataclass, field

from ....core.diagnostics import Diagnostics, Named, quote
from ....core.model import Joint, Link, LoopJoint
from ....core.names import Claims

_ILLEGAL = frozenset("\"#',.[\\]{}")
_KEYWORDS = (
    "DEF USE PROTO EXTERNPROTO IMPORTABLE IS TRUE FALSE NULL ROUTE TO field vrmlField w3dField "
    "hiddenField deprecatedField unconnectedField eventIn eventOut exposedField"
)
_TYPES = "Bool Color Float Image Int32 Node Rotation String Time Vec2f Vec3f"
# The base nodes: a PROTO of such a name hides the node, so Webots refuses it.
_NODES = (
    "Accelerometer Altimeter Appearance Background BallJoint BallJointParameters Billboard Box "
    "Brake CadShape Camera Capsule Charger Color Compass Cone Connector ContactProperties "
    "Coordinate Cylinder Damping DirectionalLight Display DistanceSensor ElevationGrid Emitter "
    "Fluid Focus Fog GPS Group Gyro Hinge2Joint HingeJoint HingeJointParameters ImageTexture "
    "ImmersionProperties IndexedFaceSet IndexedLineSet InertialUnit JointParameters LED Lens "
    "LensFlare Lidar LightSensor LinearMotor Material Mesh Microphone Muscle Normal PBRAppearance "
    "Pen Physics Plane PointLight PointSet Pose PositionSensor Propeller Radar Radio RangeFinder "
    "Receiver Recognition Robot RotationalMotor Shape Skin SliderJoint Slot Solid SolidReference "
    "Speaker Sphere SpotLight TextureCoordinate TextureTransform TouchSensor Track TrackWheel "
    "Transform VacuumGripper Viewpoint WorldInfo Zoom"
)
BASE_NODES = frozenset(_NODES.split())
_RESERVED = {
    *_KEYWORDS.split(),
    *(f"{size}{name}" for size in ("SF", "MF") for name in _TYPES.split()),
}


def make_identifier(name: str) -> str:
    """Returns the name itself if it can be a DEF name, else the name with `_` in place of the
    characters that are not allowed."""
    plain = "".join("_" if c in _ILLEGAL or c.isspace() or not c.isprintable() else c for c in name)
    if not plain:
        return "unnamed"
    if plain[0].isdigit() or plain[0] in "+-" or plain in _RESERVED:
        return f"_{plain}"
    return plain


def make_proto_name(name: str) -> str:
    """Returns an identifier, as make_identifier does, that is not the name of a base node. As
    it also names files, it has letters, digits, `_` and `-` alone."""
    plain = make_identifier("".join(c if c.isalnum() or c in "_-" else "_" for c in name))[:100]
    return f"{plain}_" if plain in BASE_NODES else plain


def make_label(name: str) -> str:
    """Returns a name for a Solid or a device: on one line and without ':'."""
    plain = "".join("_" if c == ":" or not c.isprintable() else c for c in name).strip()
    return plain or "unnamed"


def report_on(thing: Named, code: str, finding: str, diagnostics: Diagnostics) -> None:
    """Reports a finding about a link, joint or sensor, whose word and name begin the message."""
    is_joint = isinstance(thing, Joint | LoopJoint)
    word = "link" if isinstance(thing, Link) else "joint" if is_joint else "sensor"
    message = f"{word} {quote(thing.name)} {finding}"
    diagnostics.warning(code, message, subject=thing.name, line=thing.line)


@dataclass(frozen=True, slots=True)
class NameTables:
    """The names in use in one exported robot: DEF names, names of Solids, names of devices."""

    defs: Claims = field(default_factory=Claims)
    solids: Claims = field(default_factory=Claims)
    devices: Claims = field(default_factory=Claims)

    def claim_def(self, name: str) -> str:
        return self.defs.claim(make_identifier(name))

    def claim_solid(self, name: str) -> str:
        return self.solids.claim(make_label(name))

    def claim_device(self, name: str) -> str:
        return self.devices.claim(make_label(name))
