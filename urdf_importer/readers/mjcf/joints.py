# SPDX-License-Identifier: GPL-3.0-or-later
"""<joint> and <freejoint>: a joint's place in its body, its axis and its range."""

from dataclasses import dataclass

import numpy as np

from ...diagnostics import quote
from ...geometry.transforms import Matrix, rotations_about, unit
from ...model import Dynamics, Extra, Limit
from .document import Compiler, MjcfElement

TYPES = {
    "hinge": "revolute",
    "slide": "prismatic",
    "ball": "ball",
    "free": "floating",
    "fixed": "fixed",  # not in MuJoCo, but in other readers of its format
}
_UNLIMITED = 1e16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointReading:
    """A joint, whose attributes are resolved, and the frame (4, 4) that holds it in its body."""

    node: MjcfElement
    frame: Matrix
    compiler: Compiler

    @property
    def kind(self) -> str:
        return "free" if self.node.tag == "freejoint" else self.node.text("type", "hinge")

    def angle(self, number: float) -> float:
        """Returns a position of the file, in radians where the joint turns."""
        return self.compiler.angle(number) if self.kind == "hinge" else number


def count_from(joint: JointReading, axis: Matrix | None) -> Matrix:
    """Returns the motion (4, 4) from MuJoCo's start, at `ref`, to zero."""
    ref, back = joint.angle(joint.node.number("ref")), np.eye(4)
    if axis is not None and ref:
        if joint.kind == "hinge":
            back[:3, :3] = rotations_about(axis[None], np.array([-ref]))[0]
        else:
            back[:3, 3] = -ref * axis
    return back


def read_limit(joint: JointReading, kind: str) -> Limit | None:
    """Returns the range of a joint of one axis, and the most that drives it."""
    if kind not in ("revolute", "prismatic"):
        return None
    low, high = joint.node.vector("range", 2) or (0.0, 0.0)
    drive = joint.node.vector("actuatorfrcrange", 2)
    effort = None
    if drive is not None and _is_limited(joint, "actuatorfrclimited", *drive):
        effort = max(abs(drive[0]), abs(drive[1]))
    if _is_limited(joint, "limited", low, high):
        return Limit(lower=joint.angle(low), upper=joint.angle(high), effort=effort)
    if kind == "prismatic":
        return Limit(lower=-_UNLIMITED, upper=_UNLIMITED, effort=effort)
    return None if effort is None else Limit(effort=effort)


def _is_limited(joint: JointReading, flag: str, low: float, high: float) -> bool:
    """Whether a range counts: by its own flag, or by the compiler's rule."""
    word = joint.node.text(flag, "auto")
    return word == "true" or (word == "auto" and joint.compiler.autolimits and low < high)


def read_dynamics(node: MjcfElement) -> Dynamics | None:
    """Returns the friction, damping and spring of a joint, with SDF's name for the stiffness."""
    damping, friction = node.number("damping"), node.number("frictionloss")
    stiffness = node.number("stiffness")
    if not (damping or friction or stiffness):
        return None
    spring = Extra(
        tag="spring_stiffness", xml=f"<spring_stiffness>{stiffness:g}</spring_stiffness>"
    )
    return Dynamics(
        damping=damping or None,
        friction=friction or None,
        extras=(spring,) if stiffness else (),
    )


def find_point(holder: Matrix, node: MjcfElement) -> Matrix:
    """Returns the frame (4, 4), along the body's axes, at a joint's point."""
    point = np.eye(4)
    position = np.array(node.vector("pos", 3) or (0.0, 0.0, 0.0))
    point[:3, 3] = holder[:3, :3] @ position + holder[:3, 3]
    return point


def find_axis(holder: Matrix, node: MjcfElement) -> Matrix:
    axis = np.array(node.vector("axis", 3) or (0.0, 0.0, 1.0))
    if not float(np.abs(axis).max()) > 1e-12:
        raise node.refuse(f"joint {quote(node.text('name'))} has an axis of length zero")
    return np.asarray(holder[:3, :3] @ unit(axis))
