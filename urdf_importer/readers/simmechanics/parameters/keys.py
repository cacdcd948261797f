# SPDX-License-Identifier: GPL-3.0-or-later
"""What a parameter file may say: the keys of both old converters and ours, as plain data.

Links, joints and frames are the texts that the file has; what they name is found out later.
"""

from dataclasses import dataclass, field
from typing import Literal

from ....model import Box, Cylinder, Pose, Quaternion, Sphere, Vector3

Dialect = Literal["ros", "robotology"]
Numbers = tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JointChange:
    """What redefinedjoints and the attributes of extrajoints say; None is not said. `axis` is in
    the frame `axis_frame`, empty for the child link's."""

    name: str = ""
    type: str = ""
    axis: Vector3 | None = None
    axis_frame: str = ""
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraJoint:
    name: str
    parent: str
    child: str
    origin: str
    change: JointChange
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFrame:
    """`offset` in metres and `orientation` (unit x, y, z, w) in the frame `parent`."""

    child: str
    parent: str
    offset: Vector3
    orientation: Quaternion
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameChoice:
    """A user's frame: by its display name, in the body of link `reference` (empty: any)."""

    frame: str
    reference: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFrame:
    link: str
    choice: FrameChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedFrame:
    """`transform` is x, y, z, roll, pitch, yaw in the frame itself."""

    name: str
    choice: FrameChoice
    transform: Pose = field(default_factory=Pose)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignedInertia:
    link: str
    xx: float | None = None
    yy: float | None = None
    zz: float | None = None
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MirroredInertia:
    """`plane` is the axis (0, 1, 2) that is turned round."""

    link: str
    original: str
    reference: str
    plane: int
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CollisionShape:
    link: str
    geometry: Box | Cylinder | Sphere
    origin: Pose
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorChoice:
    """A sensor of a link or, of type force_torque, of a joint (`owner`)."""

    owner: str
    type: str
    name: str = ""
    rate: str = ""
    choice: FrameChoice | None = None
    exported_name: str = ""
    is_exported: bool = False
    blobs: tuple[str, ...] = ()
    # Of force-torque sensors.
    measured_in: str = "child"
    is_child_to_parent: bool = True
    line: int = 0


@dataclass(slots=True, kw_only=True)
class Parameters:
    """All keys with their meanings when they are not said; `source` is the file, "" for none.

    `lines` tells where a key or an entry of it stands: by key, or by (key, entry).
    """

    source: str = ""
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    dialect: Dialect = "ros"
    root: str = ""
    baseframe: str = "WORLD"
    filename_format: str = "%s"
    drops_extension: bool = False
    removed_text: str = ""
    lower_case: bool = False
    scale: Vector3 | None = None
    remove: tuple[str, ...] = ()
    freeze: tuple[str, ...] = ()
    freeze_all: bool = False
    redefined: dict[str, JointChange] = field(default_factory=dict)
    extra_joints: list[ExtraJoint] = field(default_factory=list)
    more_frames: list[NewFrame] = field(default_factory=list)
    robot_name: str = ""
    rename: dict[str, str] = field(default_factory=dict)
    origin_xyz: Vector3 | None = None
    origin_rpy: Vector3 | None = None
    epsilon: float = 1e-5
    link_frames: list[LinkFrame] = field(default_factory=list)
    exported_frames: list[ExportedFrame] = field(default_factory=list)
    export_all: bool = False
    reversed_axes: tuple[str, ...] = ()
    masses: dict[str, float] = field(default_factory=dict)
    inertias: list[AssignedInertia] = field(default_factory=list)
    mirrored: list[MirroredInertia] = field(default_factory=list)
    mirrored_centers: tuple[str, ...] = ()
    colors: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    shapes: list[CollisionShape] = field(default_factory=list)
    damping: float | None = None
    friction: float | None = None
    effort_limit: float | None = None
    velocity_limit: float | None = None
    sensors: list[SensorChoice] = field(default_factory=list)
    blobs: list[tuple[str, int]] = field(default_factory=list)
    has_chains: bool = True
    joint_parameters: str = ""
    is_stiff: bool = False
    freezes_held: bool = False

    def line(self, key: str, entry: str = "") -> int:
        """Returns the line of an entry of a key, else of the key."""
        return self.lines.get((key, entry), self.lines.get((key, ""), 0))


SENSOR_TYPES = (
    "altimeter", "camera", "contact", "depth", "gps", "gpu_ray", "imu", "accelerometer",
    "gyroscope", "logical_camera", "magnetometer", "multicamera", "ray", "rfid", "rfidtag",
    "sonar", "wireless_receiver", "wireless_transmitter",
)  # fmt: skip
