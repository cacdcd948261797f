# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors as numbers and frames, whatever dialect a description writes them in.

Lengths in metres, angles in radians, rates in hertz. A sensor looks along +x of its frame with z
up, unless it is optical.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Literal

from .pose import IDENTITY, Pose

CameraKind = Literal["camera", "wide", "multicamera", "depth", "rgbd"]


@dataclass(frozen=True, slots=True)
class Noise:
    """Gaussian noise in the units of the measured quantity; `deviation` is never negative."""

    deviation: float = 0.0
    mean: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.deviation or self.mean)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """The ROS interface of a sensor's measurements; `rate` in Hz, 0 for every step. Names are empty
    where the description has none."""

    topic: str = ""
    frame: str = ""
    rate: float = 0.0
    always_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """Something that measures; this class itself is used for unknown kinds.

    name        as written, or made of the reference and the kind
    word        the kind as written, in lower case; "" for none
    reference   the link or joint that it is on, as written; "" for none
    origin      its frame in its link's frame
    is_optical  whether it looks along z of its frame with x to the right, as URDF's cameras do
    """

    name: str
    word: str = ""
    reference: str = ""
    origin: Pose = IDENTITY
    is_optical: bool = False
    stream: Stream = Stream()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """Brown's distortion: k1, k2 and k3, p1 and p2; `center` as shares of the picture, None for its
    middle."""

    radial: tuple[float, float]
    tangential: tuple[float, float]
    center: tuple[float, float] | None = None
    k3: float = 0.0

    def __bool__(self) -> bool:
        return any((*self.radial, *self.tangential, self.k3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Intrinsics:
    """A calibrated camera, in pixels: (0, 0) is the centre of the top left one, as OpenCV counts.
    `skew` shears the picture."""

    fx: float
    fy: float
    cx: float
    cy: float
    skew: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """The view of one camera of a sensor.

    label          distinguishes it from other cameras of the sensor; "" for the only one
    origin         its frame in the sensor's frame
    width, height  pixels
    field_of_view  across, at most a whole turn
    near, far      visible distances
    depth          (near, far): between them depth is measured
    noise          of colours from 0 to 1, or of depths in metres
    intrinsics     as calibrated; None where the field of view says all
    """

    label: str = ""
    origin: Pose = IDENTITY
    width: int
    height: int
    field_of_view: float
    near: float
    far: float
    depth: tuple[float, float]
    noise: Noise = Noise()
    lens: Lens | None = None
    intrinsics: Intrinsics | None = None
    is_color: bool = True
    stream: Stream = Stream()


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraSensor(Sensor):
    """One camera, or as many as a multicamera has, even none. `depth_topic` and `cloud_topic` are
    the description's topics for depths and points, besides the stream's topic."""

    kind: CameraKind
    cameras: tuple[Camera, ...]
    depth_topic: str = ""
    cloud_topic: str = ""

    @property
    def depth_stream(self) -> Stream:
        """How ROS gets its depths; pictures of colours have the sensor's topic for themselves."""
        topic = self.stream.topic
        if self.kind == "rgbd":
            topic = f"{topic}/depth_image" if topic else ""
        return replace(self.stream, topic=self.depth_topic or topic)

    @property
    def points_topic(self) -> str:
        """Returns the topic of its depths as points; "" for none."""
        return self.cloud_topic or (f"{self.stream.topic}/points" if self.stream.topic else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalCamera(Sensor):
    """Sees objects by their names; `aspect` is width by height."""

    field_of_view: float
    aspect: float
    near: float
    far: float


@dataclass(frozen=True, slots=True)
class Fan:
    """`count` rays from angle `low` to angle `high`."""

    count: int
    low: float
    high: float

    @property
    def middle(self) -> float:
        return 0.5 * (self.low + self.high)

    @property
    def width(self) -> float:
        """At most a whole turn."""
        return min(max(self.high - self.low, 0.0), math.tau)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lidar(Sensor):
    """Rays from the origin: `across` about z from x on, `up` from x towards z.

    resolution       of the distances; 0 for exact ones
    makes_one_range  whether a plugin makes one distance of them all: of ultrasound or infrared
    """

    across: Fan
    up: Fan
    near: float
    far: float
    resolution: float = 0.0
    noise: Noise = Noise()
    makes_one_range: bool = False
    is_ultrasound: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Sonar(Sensor):
    """The nearest distance within a cone; `aperture` is the angle from side to side."""

    near: float
    far: float
    aperture: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Imu(Sensor):
    """Accelerations and rates of turning. `has_own_reference`: its orientation counts from a frame
    of its own, not from the world's."""

    has_orientation: bool = True
    has_own_reference: bool = False
    is_noisy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Gps(Sensor):
    """Noise across and upwards: of the position in metres, of the velocity in m/s."""

    position: tuple[Noise, Noise] = (Noise(), Noise())
    velocity: tuple[Noise, Noise] = (Noise(), Noise())
    is_noisy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Magnetometer(Sensor):
    is_noisy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Altimeter(Sensor):
    """Noise of the height in metres and of its rate in m/s."""

    height: Noise = Noise()
    speed: Noise = Noise()
    is_noisy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Barometer(Sensor):
    """`altitude` is the altitude of the scene's origin above the sea."""

    altitude: float = 0.0
    is_noisy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactSensor(Sensor):
    """`collisions` names the link's collision shapes that feel contact; none for all."""

    collisions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForceSensor(Sensor):
    """Forces and torques through a joint. `frame` (child, parent, sensor) and `direction`
    (child_to_parent, parent_to_child) as written; "" for none."""

    frame: str = ""
    direction: str = ""
    is_noisy: bool = False
