# SPDX-License-Identifier: GPL-3.0-or-later
"""Prims of joints, each as the degrees of freedom between two bodies.

USD measures angles in degrees and lengths in units of the stage. The frames of a joint are in the
spaces of the prims that it names, whatever scales these.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from ....core.diagnostics import quote
from ....core.geometry.transforms import Matrix, invert
from ..stages import StagePrim
from .scene import UsdScene, read_turn

AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
AXIS_NAMES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
_SIMPLE = {"PhysicsRevoluteJoint": "rot", "PhysicsPrismaticJoint": "trans"}
FREEDOMS = 6
"""How many a body has."""
_ALIKE = 1e-4
"""How far, per reach, lines may be apart that single precision cannot tell from one line."""
_KINDS = ("PhysicsFixedJoint", "PhysicsSphericalJoint", "PhysicsJoint", *_SIMPLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointAxis:
    """One axis along which a joint moves: `name` as in PhysicsLimitAPI, or angular or linear, as
    drives call it; limits in rad or m, None where there are none."""

    name: str
    turns: bool
    axis: tuple[float, float, float]
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DraftedJoint:
    """A joint between the bodies `ends`, by path; an empty one is the world.

    type      of the joint; empty where `freedoms` say it
    frames    (4, 4) each, the joint in the frame of either end
    anchor    the prim that takes the place of the world; empty for none
    excluded  whether the articulation's tree goes without it
    stacked   more joints between the same ends, which move one after the other
    """

    prim: StagePrim
    name: str
    ends: tuple[str, str]
    frames: tuple[Matrix, Matrix]
    type: str = ""
    freedoms: tuple[JointAxis, ...] = field(default=())
    anchor: str = ""
    excluded: bool = False
    stacked: tuple["DraftedJoint", ...] = ()

    @property
    def is_axis(self) -> bool:
        """Whether its axes say how it moves."""
        return not self.type

    def moves_as(self, other: "DraftedJoint") -> bool:
        """Whether both turn about one line, or slide along one direction."""
        if len(self.freedoms) != 1 or len(other.freedoms) != 1:
            return False
        there = other if other.ends == self.ends else other.turned()
        (one, place), (two, far) = (each._find_line() for each in (self, there))
        if self.freedoms[0].turns != other.freedoms[0].turns:
            return False
        if float(np.abs(np.cross(one, two)).max()) > _ALIKE:
            return False
        apart = np.cross(far - place, one)
        reach = 1.0 + float(np.abs(far - place).max())
        return not self.freedoms[0].turns or float(np.abs(apart).max()) < _ALIKE * reach

    def _find_line(self) -> tuple[Matrix, Matrix]:
        """Returns the direction of its axis and a point of it (3) each, in its first end."""
        first = self.frames[0]
        return first[:3, :3] @ np.array(self.freedoms[0].axis), first[:3, 3]

    def stack(self, others: Iterable["DraftedJoint"]) -> "DraftedJoint":
        """Returns the joint with others between the same ends, in the order of a file."""
        same = [each if each.ends == self.ends else each.turned() for each in others]
        return replace(self, stacked=tuple(same))

    def turned(self) -> "DraftedJoint":
        """Returns the same joint with its ends exchanged: the axes point the other way."""
        first, *rest = [each._turn() for each in (*self.stacked[::-1], self)]
        return replace(first, stacked=tuple(rest))

    def _turn(self) -> "DraftedJoint":
        back = tuple(
            replace(each, axis=(-each.axis[0], -each.axis[1], -each.axis[2]))
            for each in reversed(self.freedoms)
        )
        ends, frames = self.ends[::-1], self.frames[::-1]
        return replace(self, ends=ends, frames=frames, freedoms=back, stacked=())


def draft_joint(prim: StagePrim, scene: UsdScene) -> DraftedJoint | None:
    """Reads a joint; None for one that robots do not have, which is reported."""
    if prim.kind not in _KINDS:
        if prim.kind.endswith("Joint"):
            scene.error(
                "usd-unknown-joint", f"a {prim.kind} is left out: robots have no such joint", prim
            )
        return None
    if prim.values.get("physics:jointEnabled") is False:
        return None
    found = [_read_end(prim, index, scene) for index in (0, 1)]
    ends = [each for each in found if each is not None]
    if len(ends) < 2 or ends[0][0] == ends[1][0]:
        scene.error(
            "usd-broken-joint",
            f"joint {quote(prim.label)} does not tie two bodies; it is left out",
            prim,
        )
        return None
    kind, freedoms, held = _read_freedoms(prim, scene)
    anchors = [prim.target(f"physics:body{index}") for index in (0, 1) if not ends[index][0]]
    return DraftedJoint(
        prim=prim,
        name=prim.label,
        ends=(ends[0][0], ends[1][0]),
        frames=(ends[0][1] @ held, ends[1][1]),
        type=kind,
        freedoms=freedoms,
        anchor=next(iter(anchors), ""),
        excluded=prim.values.get("physics:excludeFromArticulation") is True,
    )


def _read_end(prim: StagePrim, index: int, scene: UsdScene) -> tuple[str, Matrix] | None:
    """Returns the body at an end and the joint's frame in it; None for an end at nothing."""
    target = prim.target(f"physics:body{index}")
    if target and target not in scene.stage.prims:
        return None
    place = np.array(prim.vector(f"physics:localPos{index}", 3) or (0.0, 0.0, 0.0))
    turn = read_turn(prim.vector(f"physics:localRot{index}", 4))
    frame = np.eye(4)
    frame[:3, :3] = scene.frame(target)[:3, :3] @ turn
    frame[:3, 3] = scene.point(target, place)
    owner = scene.owner(target)
    return owner, invert(scene.frame(owner)) @ frame if owner else frame


def _read_freedoms(prim: StagePrim, scene: UsdScene) -> tuple[str, tuple[JointAxis, ...], Matrix]:
    """Returns the type, or how the joint moves, and (4, 4), the place where its other axes are
    held."""
    if prim.kind == "PhysicsFixedJoint":
        return "fixed", (), np.eye(4)
    if prim.kind == "PhysicsSphericalJoint":
        _report_cone(prim, scene)
        return "ball", (), np.eye(4)
    if prim.kind in _SIMPLE:
        turns = _SIMPLE[prim.kind] == "rot"
        token = prim.text("physics:axis", "X")
        low, high = (
            _measure(prim.number(f"physics:{side}Limit"), turns, scene)
            for side in ("lower", "upper")
        )
        axis = AXES.get(token, AXES["X"])
        name = "angular" if turns else "linear"
        return "", (JointAxis(name=name, turns=turns, axis=axis, lower=low, upper=high),), np.eye(4)
    return _read_generic(prim, scene)


def _measure(value: float | None, turns: bool, scene: UsdScene) -> float | None:
    """Returns a value in rad or m; None for none, and for infinity, which `number` takes out."""
    if value is None:
        return None
    return math.radians(value) if turns else value * scene.stage.meters


def _report_cone(prim: StagePrim, scene: UsdScene) -> None:
    cones = [prim.number(f"physics:coneAngle{side}Limit", -1.0) for side in "01"]
    if any(each is not None and each >= 0.0 for each in cones):
        scene.warning(
            "usd-lost-limit", "the cone of a ball joint is left out; it turns freely", prim
        )


def _read_generic(prim: StagePrim, scene: UsdScene) -> tuple[str, tuple[JointAxis, ...], Matrix]:
    free, held = [], np.eye(4)
    for name in AXIS_NAMES:
        turns = name.startswith("rot")
        written = [f"limit:{name}:physics:{side}" in prim.values for side in ("low", "high")]
        applied = f"PhysicsLimitAPI:{name}" in prim.schemas
        if any(written) and not applied:
            scene.warning(
                "usd-lost-limit", f"a limit of {name} is not applied; it does not count", prim
            )
        low, high = (
            _measure(prim.number(f"limit:{name}:physics:{side}") if applied else None, turns, scene)
            for side in ("low", "high")
        )
        axis = AXES[name[-1]]
        if low is None or high is None or low < high:
            free.append(JointAxis(name=name, turns=turns, axis=axis, lower=low, upper=high))
        elif low == high != 0.0:
            held = held @ move_along(axis, low, turns)
    return _name_generic(tuple(free), prim, scene), tuple(free), held


def move_along(axis: tuple[float, float, float], value: float, turns: bool) -> Matrix:
    """Returns (4, 4), the place of a joint at one value of one axis."""
    place = np.eye(4)
    if turns:
        x, y, z = (math.sin(0.5 * value) * part for part in axis)
        place[:3, :3] = read_turn((math.cos(0.5 * value), x, y, z))
    else:
        place[:3, 3] = value * np.array(axis)
    return place


def _name_generic(free: tuple[JointAxis, ...], prim: StagePrim, scene: UsdScene) -> str:
    """Returns the type of joints that have one; empty for a chain of axes."""
    names = tuple(each.name for each in free)
    bounded = any(each.lower is not None or each.upper is not None for each in free)
    if not names:
        return "fixed"
    if names == AXIS_NAMES and not bounded:
        return "floating"
    if names == ("rotX", "rotY", "rotZ"):
        if bounded:
            scene.warning("usd-lost-limit", "the limits of a ball joint are left out", prim)
        return "ball"
    if names == ("transX", "transY", "rotZ") and not bounded:
        return "planar"
    return ""
