# SPDX-License-Identifier: GPL-3.0-or-later
"""Millimetres, degrees and grams in the place of metres, radians and kilograms."""

import math
from collections.abc import Iterator

from ....core.diagnostics import quote
from ....core.model import Limit, Mesh, Pose
from ..survey import RobotSurvey
from .rule import WARNING, Fault, Rule

_QUARTER = math.pi / 4.0


def mesh_scale(extent: float, reach: float) -> float:
    """Returns the factor that makes a mesh fit to a robot of this reach: 0.001 or 1000; 1 for one
    that may fit. Both in m."""
    if reach > 0.0 and extent > 50.0 * reach and extent > 20.0:
        return 0.001
    return 1000.0 if extent < min(reach / 1000.0, 0.002) else 1.0


def in_degrees(limit: Limit | None) -> bool:
    """Whether the range of a turning joint is most probably in degrees."""
    if limit is None or limit.lower is None or limit.upper is None:
        return False
    ends = (limit.lower, limit.upper)
    return 30.0 <= max(map(abs, ends)) <= 720.0 and all(end == int(end) for end in ends)


def turned_in_degrees(pose: Pose) -> bool:
    """Whether angles of a pose are most probably in degrees: beyond a turn, and no part of pi."""
    return any(
        6.3 <= abs(angle) <= 720.0 and abs(angle / _QUARTER - round(angle / _QUARTER)) > 2e-3
        for angle in pose.rpy
    )


def _mesh_units(survey: RobotSurvey) -> Iterator[Fault]:
    for link, shape, measure in survey.meshes():
        assert isinstance(shape.geometry, Mesh)
        extent, reach = float(measure.size.max()), survey.reach
        scale = mesh_scale(extent, reach)
        if scale != 1.0:
            bound = "50 times" if scale < 1.0 else "a thousandth of"
            unit = "millimetres" if scale < 1.0 else "kilometres, or scaled twice"
            yield Fault(
                link,
                f"mesh {quote(shape.geometry.filename)} of link {quote(link.name)} is "
                f"{extent:.4g} m long, {'above' if scale < 1.0 else 'below'} {bound} the "
                f"{reach:.3g} m between the links; {unit}?",
                shape.line,
            )


def _limit_in_degrees(survey: RobotSurvey) -> Iterator[Fault]:
    for joint in survey.robot.joints:
        if joint.type == "revolute" and joint.limit is not None and in_degrees(joint.limit):
            lower, upper = joint.limit.lower or 0.0, joint.limit.upper or 0.0
            yield Fault(
                joint,
                f"joint {quote(joint.name)} turns from {lower:g} to {upper:g} rad, "
                f"{max(abs(lower), abs(upper)) / math.tau:.1f} turns, in whole numbers from 30 to "
                "720; degrees?",
            )


def _angle_in_degrees(survey: RobotSurvey) -> Iterator[Fault]:
    for joint in survey.robot.joints:
        if turned_in_degrees(joint.origin):
            yield Fault(joint, f"joint {quote(joint.name)} {_turned(joint.origin)}")
    for link in survey.robot.links:
        parts = [*link.shapes, *([] if link.inertial is None else [link.inertial])]
        for part in parts:
            if turned_in_degrees(part.origin):
                text = f"the {type(part).__name__.lower()} of link {quote(link.name)}"
                yield Fault(link, f"{text} {_turned(part.origin)}", part.line)


def _turned(pose: Pose) -> str:
    shown = " ".join(f"{angle:g}" for angle in pose.rpy)
    return f"is turned by rpy {shown} rad, beyond a whole turn (6.283) and no part of one; degrees?"


UNITS = (
    Rule("mesh-units", WARNING, _mesh_units),
    Rule("limit-in-degrees", WARNING, _limit_in_degrees),
    Rule("angle-in-degrees", WARNING, _angle_in_degrees),
)
