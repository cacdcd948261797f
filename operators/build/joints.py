# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that change the joint above the active link."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import bpy

from ...urdf_importer import (
    Limit,
    Mimic,
    RobotError,
    edit_joint,
    fit_axis,
    get_joint_positions,
)
from ...urdf_importer.core.blender.standing.joints import read_link_joint
from ...urdf_importer.core.blender.standing.links import find_link, links_of, name_link
from ...urdf_importer.core.pipeline.extracting import find_reshaped
from ...urdf_importer.core.reshape.making.steps import OPEN_LIMIT
from .. import props
from ..active_robot import Refusal, RobotOperator, active_object, active_robot
from ..reports import report_diagnostics
from .links import SOURCES, TYPES, find_active_link

_KEEP = ("keep", "Keep", "Leave it as it is")
_BOUNDS = {False: ("lower", "upper"), True: ("nearest", "farthest")}
"""The limits of a joint, by whether it slides."""


def find_active_joint(context: Any, robot: Any) -> Any:
    """Finds the joint above the active link. Raises Refusal at the root."""
    link = find_active_link(context, robot)
    joint = next((each for each in find_reshaped(robot).joints if each.child == link), None)
    if joint is None:
        raise Refusal(f"Link {link} is the root: select a link on a joint")
    return joint


def _search(operator: Any, context: Any, text: str) -> list[str]:
    return sorted(filter(None, map(name_link, links_of(active_robot(context)))))


def _search_joints(operator: Any, context: Any, text: str) -> list[str]:
    return sorted(each.name for each in find_reshaped(active_robot(context)).joints)


class EditJoint(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.edit_joint"
    bl_label = "Edit Joint"
    bl_description = (
        "Change the joint of the active link: its type, its axis, its limits, its parent. Objects "
        "stay in their places"
    )

    joint_type: props.choice("Type", "How the joint moves", items=(_KEEP, *TYPES), kept=False)
    source: props.choice(
        "Axis from", "The geometry of the active object that gives the joint its place and axis",
        items=(
            _KEEP, *SOURCES,
            ("x", "X", "The x axis of the link"), ("y", "Y", "The y axis of the link"),
            ("z", "Z", "The z axis of the link"),
        ), kept=False,
    )  # fmt: skip
    parent: props.text("Parent", "Another link that carries it", search=_search, kept=False)
    limits: props.switch("Set Limits", "Set the limits of the joint", kept=False)
    lower: props.number("Lower", "The lower limit of a turning joint", unit="ROTATION", kept=False)
    upper: props.number("Upper", "The upper limit of a turning joint", unit="ROTATION", kept=False)
    nearest: props.number("Lower", "The lower limit of a sliding joint", unit="LENGTH", kept=False)
    farthest: props.number("Upper", "The upper limit of a sliding joint", unit="LENGTH", kept=False)
    follows: props.text("Follows", "The joint that it follows", search=_search_joints, kept=False)
    multiplier: props.number("Multiplier", "How far it goes with the other", default=1.0)
    offset: props.number("Offset", "Its position where the other is at zero", kept=False)

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        with suppress(RobotError):  # It is reported when it runs.
            _fill(self, find_active_joint(context, active_robot(context)))
        return set(self.execute(context))

    def draw(self: Any, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        for name in ("joint_type", "source", "parent", "limits"):
            layout.prop(self, name)
        if self.limits:
            robot = active_robot(context)
            link = find_link(robot, find_active_link(context, robot))
            joint = None if link is None else read_link_joint(link)
            for name in _BOUNDS[_slides(self, "" if joint is None else joint.type)]:
                layout.prop(self, name)
        layout.prop(self, "follows")
        if self.follows:
            layout.prop(self, "multiplier")
            layout.prop(self, "offset")

    def run(self: Any, context: Any, robot: Any) -> str:
        joint = find_active_joint(context, robot)
        changes: dict[str, Any] = {}
        if self.joint_type != "keep":
            changes["type"] = self.joint_type
        if self.source in ("x", "y", "z"):
            changes["axis"] = self.source
        elif self.source != "keep":
            changes["place"] = fit_axis(active_object(context), source=self.source)
        if self.parent:
            changes["parent"] = self.parent
        if self.limits:
            _fill(self, joint)
            names = _BOUNDS[_slides(self, joint.type)]
            lower, upper = (_shorten(getattr(self, name)) for name in names)
            if not lower < upper:
                raise Refusal("The upper limit must be above the lower one")
            changes["limit"] = replace(_limit_of(joint), lower=lower, upper=upper)
        if self.follows:
            changes["mimic"] = Mimic(
                joint=self.follows, multiplier=_shorten(self.multiplier),
                offset=_shorten(self.offset),
            )  # fmt: skip
        made = edit_joint(robot, joint.name, **changes)
        report_diagnostics(self, made.robot.name, made.diagnostics, "build")
        if not made.changes:
            raise Refusal("Nothing changes: choose a type, an axis or limits below", "INFO")
        return f"Changed joint {joint.name}"


def _slides(operator: Any, present: str) -> bool:
    """Whether a joint slides, in the end: its type is the present one unless another is chosen."""
    kind = present if operator.joint_type == "keep" else operator.joint_type
    return bool(kind == "prismatic")


def _fill(operator: Any, joint: Any) -> None:
    """Begins with the present limits of a joint, where none are given."""
    limit = _limit_of(joint)
    names = _BOUNDS[joint.type == "prismatic"]
    for name, at in zip(names, (limit.lower, limit.upper), strict=True):
        if at is not None and not operator.properties.is_property_set(name):
            setattr(operator, name, at)


class LimitHere(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.limit_here"
    bl_label = "Limit Here"
    bl_description = "Make the shown position of the active link's joint its upper or lower limit"

    side: props.choice(
        "Side", "The limit that is set", items=(
            ("upper", "Upper", "The upper limit"), ("lower", "Lower", "The lower limit"),
        ),
    )  # fmt: skip

    def run(self: Any, context: Any, robot: Any) -> str:
        joint = find_active_joint(context, robot)
        shown = get_joint_positions(robot).get(joint.name)
        if joint.type not in ("revolute", "prismatic") or not isinstance(shown, float):
            raise Refusal(f"Joint {joint.name} is {joint.type}: it has no limits")
        here, limit = _shorten(shown), _limit_of(joint)
        lower, upper = (here, limit.upper) if self.side == "lower" else (limit.lower, here)
        limit = replace(_limit_of(joint), lower=lower, upper=upper)
        made = edit_joint(robot, joint.name, limit=limit)
        report_diagnostics(self, made.robot.name, made.diagnostics, "build")
        return f"{self.side.capitalize()} limit of {joint.name}: {here:.4g}"


def _limit_of(joint: Any) -> Limit:
    found: Limit = joint.limit or OPEN_LIMIT
    return found


def _shorten(number: float) -> float:
    return float(f"{number:.7g}")
