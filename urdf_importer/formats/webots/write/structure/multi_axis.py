# SPDX-License-Identifier: GPL-3.0-or-later
"""Hinges that turn about one point with nothing between them, as one joint.

Between two hinges of a hip there is a link without mass. Webots would need a body there, and a tiny
body between heavy ones shakes. Hinge2Joint turns by R(axis 1) R(axis 2), BallJoint by a third one
as well, where axis 2 is axis 3 x axis 1: exactly as the chain does. The link between is gone then,
which a diagnostic says.

Both need Physics on either side, so they are never on a fixed base.
"""

import math
from collections.abc import Sequence

import numpy as np

from .....core.diagnostics import Diagnostics, quote
from .....core.geometry.transforms import Vector, cross
from .frames import vector_of
from .links import JointNodePlan, SolidPlan

_EXACT = 1e-7
"""Metres by which axes may miss each other, and how far from the unit circle axis 2 may end."""


def combine_hinges(
    solids: Sequence[SolidPlan], kept: frozenset[str], diagnostics: Diagnostics
) -> list[SolidPlan]:
    """Returns the Solids without Solids that a combined joint makes unnecessary. `kept` names
    links that must stay, such as links with sensors."""
    below: dict[SolidPlan, list[SolidPlan]] = {}
    for solid in solids:
        if solid.above is not None:
            below.setdefault(solid.above, []).append(solid)
    gone: set[SolidPlan] = set()
    for solid in solids:
        if solid in gone or solid.above is None or solid.above.static:
            continue
        chain = _find_chain(solid, below, kept)
        combined = _combine(chain) or _combine(chain[:2])
        if combined is None:
            continue
        chain = chain[: len(combined.axes)]
        last = chain[-1]
        zero = np.eye(4)
        for each in chain:
            zero = zero @ each.zero
        last.zero, last.above, last.joint = zero, solid.above, combined
        gone.update(chain[:-1])
        _report(chain, combined, diagnostics)
    return [solid for solid in solids if solid not in gone]


def _find_chain(
    first: SolidPlan, below: dict[SolidPlan, list[SolidPlan]], kept: frozenset[str]
) -> list[SolidPlan]:
    """Finds at most three Solids on hinges, each the only one on a Solid that is bare."""
    chain = [first]
    while len(chain) < 3 and _can_go(chain[-1], kept):
        beyond = below.get(chain[-1], [])
        if len(beyond) != 1 or not _is_hinge(beyond[0]):
            break
        chain.append(beyond[0])
    return chain if _is_hinge(first) else []


def _is_hinge(solid: SolidPlan) -> bool:
    """Whether a joint is a hinge of its own: not in a group, whose members are identified by their
    joints."""
    joint = solid.joint
    return joint is not None and joint.kind == "HingeJoint" and not joint.axes[0].leader


def _can_go(solid: SolidPlan, kept: frozenset[str]) -> bool:
    return solid.is_bare and not any(held.link.name in kept for held in solid.links)


def _combine(chain: Sequence[SolidPlan]) -> JointNodePlan | None:
    if len(chain) < 2:
        return None
    joints = [solid.joint for solid in chain if solid.joint is not None]
    axes, points = _lines(chain)
    anchor = _find_crossing(axes, points)
    if anchor is None:
        return None
    if len(chain) == 3 and not (_is_ball(axes) and _keeps_from_poles(joints[1])):
        return None
    plans = [joint.axes[0] for joint in joints]
    for plan, axis in zip(plans, axes, strict=True):
        plan.axis = vector_of(axis)
    return JointNodePlan(
        kind="BallJoint" if len(chain) == 3 else "Hinge2Joint",
        name=joints[0].name,
        axes=plans,
        anchor=vector_of(anchor),
    )


def _lines(chain: Sequence[SolidPlan]) -> tuple[list[Vector], list[Vector]]:
    """Returns the axes and a point on each axis, in the frame of the Solid above the chain, at
    zero.
    """
    axes, points = [], []
    frame = np.eye(4)
    for solid in chain:
        assert solid.joint is not None
        axes.append(frame[:3, :3] @ np.array(solid.joint.axes[0].axis))
        points.append(frame[:3, :3] @ np.array(solid.joint.anchor) + frame[:3, 3])
        frame = frame @ solid.zero
    return axes, points


def _find_crossing(axes: Sequence[Vector], points: Sequence[Vector]) -> Vector | None:
    """Returns the point in which all lines meet; None where they do not, or the first two are
    parallel."""
    normal = cross(axes[0], axes[1])
    square = float(normal @ normal)
    if square < 1e-4:
        return None
    along = float(cross(points[1] - points[0], axes[1]) @ normal) / square
    anchor: Vector = points[0] + along * axes[0]
    for axis, point in zip(axes, points, strict=True):
        miss = cross(anchor - point, axis)
        if float(miss @ miss) > _EXACT**2:
            return None
    return anchor


def _is_ball(axes: Sequence[Vector]) -> bool:
    return bool(np.abs(cross(axes[2], axes[0]) - axes[1]).max() < _EXACT)


def _keeps_from_poles(joint: JointNodePlan) -> bool:
    """Whether the middle axis stays within a right angle: beyond it, a ball has no such angles."""
    limits = joint.axes[0].limits
    return limits is not None and max(-limits[0], limits[1]) <= 0.5 * math.pi


def _report(chain: Sequence[SolidPlan], joint: JointNodePlan, diagnostics: Diagnostics) -> None:
    names = [quote(axis.joint) for axis in joint.axes]
    for link in (each.link for solid in chain[:-1] for each in solid.links):
        diagnostics.warning(
            "webots-combined-joint",
            f"joints {', '.join(names[:-1])} and {names[-1]} turn about one point and become one "
            f"{joint.kind}; link {quote(link.name)} between them, without mass and shape, is not "
            "exported",
            subject=link.name,
            line=link.line,
        )
