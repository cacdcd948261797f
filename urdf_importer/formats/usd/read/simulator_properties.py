# SPDX-License-Identifier: GPL-3.0-or-later
"""The data of joints that simulators write in words of their own: efforts, speeds, friction,
drives, mimics.

These go by the names of properties. pxr knows the schemas of none of them, so it lists no schema as
applied, and no default: Newton's are given here.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ....core.model import Dynamics, Limit, Mimic, Transmission
from ....core.readers.transmissions import make_transmission
from ..stages import StagePrim, UsdStage
from .joints import JointAxis

_DEGREES = 180.0 / math.pi


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """A joint that follows the one at the path `leader`: position = multiplier * its position +
    offset, in the stage's own units: degrees, or lengths of the stage."""

    leader: str
    multiplier: float
    offset: float
    in_degrees: bool
    """Whether the multiplier has degrees on both sides; else radians."""


class Words:
    """The words of one prim about one of its axes."""

    def __init__(self, prim: StagePrim, freedom: JointAxis, stage: UsdStage) -> None:
        self._prim, self._freedom = prim, freedom
        self._drive = f"drive:{freedom.name}:physics:"
        self._axis = f"physxJointAxis:{freedom.name}:"
        self._length = 1.0 / _DEGREES if freedom.turns else stage.meters
        self._force = stage.kilograms * stage.meters ** (2 if freedom.turns else 1)

    def _first(self, *names: str) -> float | None:
        found = (self._prim.number(name) for name in names)
        return next((each for each in found if each is not None), None)

    def _in_si(self, unit: float, own: str, *names: str) -> float | None:
        """Returns the first of several numbers in a unit of the stage; else this library's own."""
        found = self._first(*names)
        return self._first(own) if found is None else found * unit

    def limit(self) -> Limit | None:
        """Returns the limits; None where there are none."""
        effort = self._in_si(self._force, "urdf:limit:effort", f"{self._drive}maxForce")
        names = ["physxJoint:maxJointVelocity", f"{self._axis}maxJointVelocity"]
        names.append("newton:velocityLimit")
        speed = self._in_si(self._length, "urdf:limit:velocity", *names)
        low, high = self._freedom.lower, self._freedom.upper
        found = Limit(lower=low, upper=high, effort=effort, velocity=speed)
        return None if found == Limit() else found

    def dynamics(self) -> Dynamics | None:
        names = (f"{self._axis}staticFrictionEffort", "newton:friction", "mjc:frictionloss")
        friction = self._in_si(self._force, "urdf:dynamics:friction", *names)
        damping = self._first("urdf:dynamics:damping", "mjc:damping")
        gain = self._first(f"{self._drive}damping")
        if damping is None and gain and not self.has_spring:
            damping = gain * self._force / self._length
        if not damping and not friction:
            return None
        return Dynamics(damping=damping or None, friction=friction or None)

    @property
    def has_spring(self) -> bool:
        """Whether a drive holds the joint at a position: its damping is a gain, then."""
        return (self._first(f"{self._drive}stiffness") or 0.0) > 0.0

    def transmission(self, joint: str) -> Transmission | None:
        return make_transmission(f"{joint}_drive", joint, "Position") if self.has_spring else None

    def follower(self) -> Follower | None:
        """Returns whom the joint follows, as Newton or PhysX say it; None where it is free."""
        prim = self._prim
        leader = prim.target("newton:mimicJoint")
        if leader:
            return Follower(
                leader=leader,
                multiplier=prim.number("newton:mimicCoef1", 1.0) or 0.0,
                offset=prim.number("newton:mimicCoef0", 0.0) or 0.0,
                in_degrees=False,
            )
        for name in prim.targets:
            start, _, end = name.rpartition(":")
            if end == "referenceJoint" and start.startswith("physxMimicJoint:"):
                return Follower(
                    leader=prim.target(name),
                    multiplier=-(prim.number(f"{start}:gearing", 1.0) or 0.0),
                    offset=-(prim.number(f"{start}:offset", 0.0) or 0.0),
                    in_degrees=True,
                )
        return None


def make_mimic(
    follower: Follower,
    freedom: JointAxis,
    leaders: Mapping[str, tuple[str, JointAxis]],
    stage: UsdStage,
) -> Mimic | None:
    """Returns the mimic of a joint; `leaders` maps paths -> name and axis of the joints there."""
    found = leaders.get(follower.leader)
    if found is None:
        return None
    name, other = found
    own, led = (1.0 / _DEGREES if each.turns else stage.meters for each in (freedom, other))
    ratio = own / led if follower.in_degrees else 1.0
    return Mimic(joint=name, multiplier=follower.multiplier * ratio, offset=follower.offset * own)
