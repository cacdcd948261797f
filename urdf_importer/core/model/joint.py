# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints: their motion and its limits. Radians for turning, metres for sliding joints.

`attributes`, `extras` and `leaves` hold content beyond URDF; see extra.py.
"""

from dataclasses import dataclass

from .extra import Extended, Holder
from .pose import IDENTITY, Pose, Vector3

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
BALL_TYPES = ("ball", "spherical")
"""Names in formats beyond URDF for a joint that turns freely about a point."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Limit(Extended):
    """A limit that is not written is None. `effort` in N or N m, `velocity` in m/s or rad/s."""

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Dynamics(Extended):
    """`damping` in N s/m or N m s/rad, `friction` in N or N m. A spring of `stiffness` in N/m or
    N m/rad draws the joint to `reference`, in m or rad, 0 where it is None. `armature` is the
    inertia of its rotor behind the gear, in kg or kg m^2."""

    damping: float | None = None
    friction: float | None = None
    stiffness: float | None = None
    reference: float | None = None
    armature: float | None = None

    @property
    def beyond(self) -> bool:
        """Whether there is a spring or a rotor, which few formats know."""
        return bool(self.stiffness or self.armature)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Mimic(Extended):
    """position = multiplier * (position of `joint`) + offset"""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Calibration(Extended):
    rising: float | None = None
    falling: float | None = None
    reference_position: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SafetyController(Extended):
    soft_lower_limit: float | None = None
    soft_upper_limit: float | None = None
    k_position: float | None = None
    k_velocity: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Joint(Holder):
    """Connects link `parent` to link `child`.

    `type` is in JOINT_TYPES or, in files that go beyond the specification, another word in lower
    case. `origin` is the joint frame in the parent link's frame. `child_origin` is the child link's
    frame in the joint frame that the joint has moved: the identity in URDF, where both are one.
    `axis` is as written, in the joint frame, not normalised; None where the file has none.
    """

    name: str
    type: str
    parent: str
    child: str
    origin: Pose = IDENTITY
    child_origin: Pose = IDENTITY
    axis: Vector3 | None = None
    limit: Limit | None = None
    dynamics: Dynamics | None = None
    mimic: Mimic | None = None
    calibration: Calibration | None = None
    safety_controller: SafetyController | None = None
