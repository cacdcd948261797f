# SPDX-License-Identifier: GPL-3.0-or-later
"""<joint> and <freejoint>: a joint's place in its body, its axis and its range."""

from dataclasses import dataclass

import numpy as np

from ....core.diagnostics import quote
from ....core.geometry.transforms import Matrix, make_frame, rotations_about, unit
from ....core.model import Dynamics, Limit
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
    bounds = joint.compiler.limits(joint.node)
    drive = joint.compiler.limits(joint.node, "actuatorfrc")
    effort = None
    if drive is not None and joint.node.numbers("actuatorfrcrange"):
        effort = max(map(abs, drive))
    if bounds is not None:
        low, high = map(joint.angle, bounds)
        return Limit(lower=low, upper=high, effort=effort)
    if kind == "prismatic":
        return Limit(lower=-_UNLIMITED, upper=_UNLIMITED, effort=effort)
    return None if effort is None else Limit(effort=effort)


def read_dynamics(joint: JointReading) -> Dynamics | None:
    """Returns the friction, damping, spring and rotor of a joint; None without any."""
    node = joint.node
    stiffness = node.number("stiffness") or None
    reference = joint.angle(node.number("springref")) if joint.kind in ("hinge", "slide") else 0.0
    found = Dynamics(
        damping=node.number("damping") or None,
        friction=node.number("frictionloss") or None,
        stiffness=stiffness,
        reference=(reference or None) if stiffness else None,
        armature=node.number("armature") or None,
    )
    return None if found == Dynamics() else found


def find_point(holder: Matrix, node: MjcfElement) -> Matrix:
    """Returns the frame (4, 4), along the body's axes, at a joint's point."""
    return make_frame(point=holder[:3, :3] @ np.array(node.triple("pos")) + holder[:3, 3])


def find_axis(holder: Matrix, node: MjcfElement) -> Matrix:
    axis = np.array(node.triple("axis", (0.0, 0.0, 1.0)))
    if not float(np.abs(axis).max()) > 1e-12:
        raise node.refuse(f"joint {quote(node.text('name'))} has an axis of length zero")
    return np.asarray(holder[:3, :3] @ unit(axis))
