# SPDX-License-Identifier: GPL-3.0-or-later
"""The slider of the elbow of arms of seven joints, in the sub-panel "Inverse Kinematics".

Its range takes a tenth of a second, so it is looked for when the tool has come to rest, and kept
while the tool stays: swivelling does not change it.
"""

import math
from dataclasses import dataclass
from typing import Any

import bpy

from ...urdf_importer.core.blender.standing.joints import posed_joints_of
from ...urdf_importer.core.blender.standing.pose import get_joint_positions, link_pose
from ...urdf_importer.core.diagnostics import KinematicsError
from ...urdf_importer.features.ik.blender.solve import choose_unlocked, recall_rig
from ...urdf_importer.features.waypoints.swivel import find_swivel, measure_elbow, turn_elbow
from .. import props
from ..active_robot import active_robot, is_playing, redraw_views
from ..ik.operators import chosen_link
from ..registration import add_hook, add_property, call_later
from ..session import session_state

_REST = 0.3
"""Seconds from one look at whether the tool stays to the next."""
_STILL = 1e-4
"""Metres, and of turns: swivelling moves the tool by less."""
_INSIDE = 1e-6
"""Radians: as near the end of its range the elbow goes; bones have single precision."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A tool of a robot, and where it is (4, 4)."""

    robot: int
    link: str
    pose: Any

    def is_at(self, other: "_Place | None") -> bool:
        """Whether both are the same tool at the same place, up to the precision of bones."""
        if other is None or (self.robot, self.link) != (other.robot, other.link):
            return False
        return bool(abs(self.pose - other.pose).max() < _STILL)


@dataclass(slots=True)
class _Range:
    """The range of an elbow as the panel says it, the place of the tool that it is for, and where
    the tool was last."""

    text: str = ""
    place: _Place | None = None
    last: _Place | None = None


def draw_swivel(layout: Any, context: Any, robot: Any) -> None:
    """Draws the slider and the range of the elbow of an arm that has one."""
    link = chosen_link(context)
    if not has_swivel(robot, link):
        return
    angle, kept = _find_angle(robot, link), session_state(_Range)
    column = layout.column(align=True)
    column.enabled = not math.isnan(angle)
    column.prop(context.scene, "urdf_swivel", slider=True)
    is_known = _find_place(robot, link).is_at(kept.place)
    if not is_known and not is_playing(context):
        call_later(_look_for_range, _REST)
    row = column.row()
    row.alignment = "RIGHT"
    row.label(text=kept.text if is_known else "", translate=False)


def has_swivel(robot: Any, link: str) -> bool:
    """Whether seven joints that turn move a link, on a rail or not."""
    rig = recall_rig(robot)
    try:
        names = choose_unlocked(robot, rig, link, None)
    except KinematicsError:
        return False
    return sum(rig.motions[each].kind == "revolute" for each in names) == 7


def _find_arm() -> tuple[Any, str] | None:
    """Finds the active robot and its tool, where they have a swivel."""
    robot = active_robot(bpy.context)
    link = "" if robot is None else chosen_link(bpy.context)
    return (robot, link) if robot is not None and has_swivel(robot, link) else None


def _find_angle(robot: Any, link: str) -> float:
    """Finds the angle of the elbow; not a number where the arm has none."""
    try:
        return measure_elbow(recall_rig(robot).robot, _read_joints(robot), link=link)
    except KinematicsError:
        return math.nan


def _read_joints(robot: Any) -> dict[str, float]:
    motions = recall_rig(robot).motions
    shown = get_joint_positions(robot).items()
    return {name: each for name, each in shown if name in motions and isinstance(each, float)}


def _find_place(robot: Any, link: str) -> _Place:
    return _Place(robot.session_uid, link, link_pose(robot, link))


def _look_for_range() -> float | None:
    """Finds the range for the panel, once the tool stays."""
    kept, found = session_state(_Range), _find_arm()
    if found is None:
        return None
    robot, link = found
    place = _find_place(robot, link)
    if not place.is_at(kept.last):
        kept.last = place
        return _REST
    kept.place, kept.text = place, _describe(robot, link)
    redraw_views()
    return None


def _describe(robot: Any, link: str) -> str:
    try:
        found = find_swivel(recall_rig(robot).robot, _read_joints(robot), link=link)
    except KinematicsError:
        return ""
    if found.upper - found.lower < _INSIDE:
        return "The elbow cannot turn from here"
    if found.upper - found.lower >= math.tau:
        return "All the way round"
    names = filter(None, dict.fromkeys((found.bound_below, found.bound_above)))
    ends = [f"{math.degrees(each):.0f}°" for each in (found.lower, found.upper)]
    return ", ".join((f"{ends[0]} to {ends[1]}", *names))


def _get(scene: Any) -> float:
    found = _find_arm()
    angle = math.nan if found is None else _find_angle(*found)
    return 0.0 if math.isnan(angle) else angle


def _set(scene: Any, angle: float) -> None:
    """Turns the elbow as far as its limits allow; the tool stays."""
    arm = _find_arm()
    if arm is None or math.isnan(_find_angle(*arm)):
        return
    robot, link = arm
    description, joints = recall_rig(robot).robot, _read_joints(robot)
    try:
        found = turn_elbow(description, joints, angle, link=link)
    except KinematicsError:
        swivel = find_swivel(description, joints, link=link)
        nearest = min(max(angle, swivel.lower + _INSIDE), swivel.upper - _INSIDE)
        try:
            found = turn_elbow(description, joints, nearest, link=link)
        except KinematicsError:  # At the end of the range, up to rounding.
            return
    for bone, joint in posed_joints_of(robot):
        if joint.name in found:
            joint.channels[0].set(bone, found[joint.name])


def register() -> None:
    """Adds the slider to scenes, whose changes can be undone, and its row to the panel."""
    slider = props.number(
        "Swivel",
        "Turn the elbow about the line from shoulder to wrist; the tool stays where it is",
        subtype="ANGLE", unit="ROTATION", soft_min=-math.pi, soft_max=math.pi, get=_get, set=_set,
    )  # fmt: skip
    add_property(bpy.types.Scene, "urdf_swivel", slider)
    add_hook("draw_swivel", draw_swivel)
