# SPDX-License-Identifier: GPL-3.0-or-later
"""The content of Blender's scene, as names and numbers.

The Blender layer makes exactly this and decides nothing. All matrices are in the frame of the
armature object, which is the frame of the robot's root link; lengths in metres, angles in radians.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

import numpy as np

from ..geometry.transforms import Matrix
from ..kinematics.motion import Kind
from ..kinematics.tree import KinematicTree
from ..model import Joint, Link, Robot

Property = Literal["location", "rotation_euler"]
ExactAxes = Literal["", "x", "xyz"]
MarkKind = Literal["turn", "spin", "slide", "plane", "free", "fixed"]
Mark = tuple[MarkKind, int]
"""The mark of a joint, and the bone's axis about or along which it is drawn: a joint that turns
within bounds, one that spins without, one that slides; the handles of planar and floating joints; a
joint that holds."""

Role = Literal["revolute", "continuous", "prismatic", "several", "fixed", "follower", "root"]
JOINTS, FIXED, MECHANISM = "Joints", "Fixed", "Mechanism"
MODELS = "Models"
"""Above the collections of nested models."""
SEPARATOR = "::"
"""Between the names of nested models and of their parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoneChannel:
    """One number of a pose bone: `rotation_euler[index]` or `location[index]`."""

    bone: str
    property: Property
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A number that a hidden bone keeps, in a property of its own."""

    bone: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPlan:
    """The channels of a moving joint's position.

    A revolute or prismatic joint has one channel: channel value = sign * position. A planar joint
    has three (x, y, yaw), a floating one six (x, y, z and three Euler angles), a ball joint three
    Euler angles. `lower` and `upper` bound the position; None where there is no bound. `initial`
    is the position at import: zero, or the valid one nearest to it.
    """

    joint: Joint
    kind: Kind
    channels: tuple[BoneChannel, ...]
    sign: int = 1
    lower: float | None = None
    upper: float | None = None
    initial: float = 0.0
    mimics: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoneLook:
    """`marks` of its joints, outermost first, of `radius` metres; `role` gives the colour."""

    marks: tuple[Mark, ...]
    radius: float
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BonePlan:
    """`rest` (4, 4) is the intended result of head, tail and roll: origin at the head, Y along the
    bone. `exact` names the axes that joints need exact. `free` are the channels a user may move,
    `turns` the axes that are free in Blender's IK, bounded by `ik_limits`; None where unbounded.
    `ik_stretch` is 0 to 1. `look` is None for bones that Blender draws as its own."""

    name: str
    parent: str
    rest: Matrix
    length: float
    collection: str
    rotation_mode: str = "XYZ"
    free: tuple[tuple[Property, int], ...] = ()
    turns: tuple[int, ...] = ()
    ik_limits: tuple[tuple[float, float] | None, ...] = (None, None, None)
    ik_stretch: float = 0.0
    exact: ExactAxes = ""
    look: BoneLook | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitPlan:
    """Bounds per axis (X, Y, Z) of the bone's own location or rotation; None: no bound."""

    bone: str
    property: Property
    lower: tuple[float | None, float | None, float | None]
    upper: tuple[float | None, float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyPlan:
    """`bone` takes these axes of `target`'s own location or rotation, after its constraints, angles
    taken apart in the order `rotation_mode`. Where `middle` is given it does so only while this
    angle is not near 90 degrees, where the parts are not unique."""

    bone: str
    target: str
    property: Property
    axes: tuple[int, ...]
    rotation_mode: str = "XYZ"
    middle: BoneChannel | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyAllPlan:
    """`bone` takes all of `target`'s own transform."""

    bone: str
    target: str


ConstraintPlan = LimitPlan | CopyPlan | CopyAllPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverPlan:
    """channel = expression of q, the source channel's value as the user set it, and if `evaluated`
    also of r, its value after constraints and IK."""

    channel: BoneChannel | Slot
    source: BoneChannel
    evaluated: bool
    expression: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveDriverPlan:
    """channel = a curve at the value of the expression, as in a DriverPlan.

    The curve goes through `samples` (K, 3): place, value and slope. Where `cyclic` it is repeated,
    each time shifted by the difference of its ends; else its ends are held.
    """

    channel: BoneChannel
    source: BoneChannel
    evaluated: bool
    expression: str
    samples: Matrix
    cyclic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SumDriverPlan:
    """channel = the sum of products of two other channels each, at most 24."""

    channel: BoneChannel
    terms: tuple[tuple[BoneChannel, BoneChannel], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaDriverPlan:
    """channel = an expression of other numbers, each under its name."""

    channel: BoneChannel | Slot
    expression: str
    reads: tuple[tuple[str, Slot], ...]


AnyDriverPlan = DriverPlan | CurveDriverPlan | SumDriverPlan | FormulaDriverPlan


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkPlan:
    """`rest` (4, 4) is the link's frame with all joints at zero. `bone` moves it; empty: the
    armature object. `joint` is the joint above it, None for a root."""

    link: Link
    rest: Matrix
    bone: str
    joint: Joint | None = None
    undefined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LimitMarkPlan:
    """The mark of a joint's bounds, fixed in the link `parent`. `place` (4, 4) is in that link's
    frame: X is the joint's axis, Y points where the bone's pointer is at position zero. `radius` in
    metres. A side without bound is None."""

    joint: str
    parent: str
    kind: Kind
    place: Matrix
    radius: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RigPlan:
    """`size` is a length (metres) typical of the whole robot, for things to be seen. `tree` is the
    tree of the description: joints that a profile holds at zero move in it."""

    robot: Robot
    tree: KinematicTree
    size: float
    bones: tuple[BonePlan, ...]
    joints: tuple[JointPlan, ...]
    links: tuple[LinkPlan, ...]
    constraints: tuple[ConstraintPlan, ...]
    drivers: tuple[AnyDriverPlan, ...]
    bone_of_joint: dict[str, str]
    cut_joints: tuple[Joint, ...] = ()
    limit_marks: tuple[LimitMarkPlan, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Returns the plan without data repeated from the description, numbers to 9 digits."""
        return {
            "robot": self.robot.name,
            "size": _plain(self.size),
            "bones": _plain(self.bones),
            "joints": [_named(item, "joint") for item in self.joints],
            "links": [_named(item, "link") | {"joint": item.joint and item.joint.name}
                      for item in self.links],
            "constraints": [{"type": type(c).__name__} | _plain(c) for c in self.constraints],
            "drivers": _plain(self.drivers),
            "bone_of_joint": self.bone_of_joint,
            "limit_marks": _plain(self.limit_marks),
            "cut_joints": [joint.name for joint in self.cut_joints],
        }  # fmt: skip


def _named(item: JointPlan | LinkPlan, key: str) -> dict[str, Any]:
    """The name of the item's joint or link, and its other parts."""
    others = [each.name for each in fields(item) if each.name not in ("joint", "link")]
    return {key: getattr(item, key).name} | {n: _plain(getattr(item, n)) for n in others}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.9g}") + 0.0 if abs(value) > 1e-12 else 0.0
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return value


def find_models(links: Sequence[LinkPlan]) -> dict[str, list[str]]:
    """Returns nested model -> the bones that move its links, outer models before inner ones: of
    `arm::hand::tip` the model is `arm::hand`. A bone is in the model of its first link alone."""
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for link in links:
        model, _, _ = link.link.name.rpartition(SEPARATOR)
        if not link.bone or link.bone in seen:
            continue
        seen.add(link.bone)
        if model:
            found.setdefault(model, []).append(link.bone)
    return dict(sorted(found.items(), key=lambda pair: pair[0].count(SEPARATOR)))
