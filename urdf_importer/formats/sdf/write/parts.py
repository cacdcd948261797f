# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a model of SDF, as names and numbers: links, frames and joints.

Every part has a pose in the frame of another part, its `base`: the numbers of the description,
never products of matrices, wherever the description has them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ....core.kinematics.tree import KinematicTree
from ....core.model import IDENTITY, Dynamics, Inertial, Limit, Link, Mimic, Pose, Vector3

WORLD, MODEL = "world", "__model__"
SEPARATOR = "::"


@dataclass(slots=True, kw_only=True, eq=False)
class SdfPart:
    """A part of the model, by its name there.

    base     the part in whose frame `pose` is; "" for the model
    on_joint whether that is a joint, which may be called as a link
    anchor   the robot's link, and the pose in its frame with all joints at zero, where it is
    """

    name: str
    base: str = ""
    on_joint: bool = False
    pose: Pose = IDENTITY
    anchor: tuple[str, Pose] = ("", IDENTITY)


@dataclass(slots=True, kw_only=True, eq=False)
class LinkPart(SdfPart):
    """`carried` are the robot's links whose shapes it has, itself first; `fixed_by` is the name of
    a fixed joint that is missing in the model."""

    carried: list[Link] = field(default_factory=list)
    inertial: Inertial | None = None
    fixed_by: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class FramePart(SdfPart):
    """`holder` is the link or frame that it is attached to. `of_joint`: whether it has the name of
    a joint that is not one in the model.
    """

    holder: str = ""
    fixed_by: str = ""
    of_joint: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SdfAxis:
    """An axis of a joint. `joint` is the name of the robot's joint that moves about or along it;
    `mimic` names a joint of the model, `follows_second` its second axis."""

    joint: str
    xyz: Vector3
    lower: float | None = None
    upper: float | None = None
    limit: Limit | None = None
    dynamics: Dynamics | None = None
    mimic: Mimic | None = None
    follows_second: bool = False
    expressed_in: str = ""


@dataclass(slots=True, kw_only=True, eq=False)
class JointPart(SdfPart):
    """`joint` is the name of the robot's joint, "" for none. `travel` is the way of a screw, in
    metres in a radian; `gear` the reference body and the ratio of a gearbox."""

    type: str
    parent: str
    child: str
    joint: str = ""
    axes: tuple[SdfAxis, ...] = ()
    travel: float | None = None
    gear: tuple[str, float] | None = None

    @property
    def rotor(self) -> float | None:
        """The armature of a joint of one axis: Drake, which alone knows it, has one for a joint."""
        dynamics = self.axes[0].dynamics if len(self.axes) == 1 else None
        return None if dynamics is None else dynamics.armature


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelPlan:
    """`parts` are in the order of the file, by the names of the robot."""

    tree: KinematicTree
    parts: Sequence[SdfPart]
