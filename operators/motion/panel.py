# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Motion": the actions of a robot, their violations of its limits, and retiming."""

import math
from typing import Any

import bpy

from ...urdf_importer import (
    Diagnostics,
    JointLimits,
    MotionOptions,
    RetimeOptions,
    RobotError,
    Violation,
    apply_trajectory,
    check_trajectory,
    find_limits,
    retime_trajectory,
    sample_trajectory,
)
from ...urdf_importer.core.blender.memory import count_changes, recall
from ...urdf_importer.core.blender.semantics.markers import followed_targets_of
from ...urdf_importer.core.blender.span import find_range
from ...urdf_importer.core.blender.standing import properties
from ...urdf_importer.core.blender.standing.record import read_state
from ...urdf_importer.core.blender.standing.robot_table import recall_table
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.core.shelves import find_hook, has_hook
from ...urdf_importer.features.motion.blender.frame_check import (
    actions_of,
    check_frame,
    check_keyed_positions,
    show_action,
)
from .. import props
from ..active_robot import Refusal, RobotOperator, active_robot, ask
from ..option_properties import add_option_properties, draw_options, read_options
from ..registration import add_hook, add_property, call_hooks, draw_operator
from ..reports import MARK, report_diagnostics
from ..session import session_state
from ..sidebar.panel import RobotSubPanel
from ..wrapped_text import draw_rest, draw_wrapped
from .checks import Checked, Checks, find_checked, keep_checked
from .motion_files import ExportMotion, ImportMotion

MOTION_PANEL = "VIEW3D_PT_urdf_motion"
MOST_SHOWN, MOST_LISTED = 12, 20
_FOLLOWS = "links follow targets: bake the IK first, then retime the result"


def find_motion_limits(context: Any, robot: Any) -> dict[str, JointLimits]:
    """Returns the limits of a robot, overridden by the chosen file in its present state on disk.
    Raises RobotError for a file that makes no sense."""
    path = bpy.path.abspath(context.window_manager.urdf_limits_file)
    kind = ("limits", path, read_state(path) if path else None)
    return recall(robot, kind, lambda each: find_limits(each, limits=path or None))


def find_fast_joints(context: Any, robot: Any) -> set[str]:
    """Finds the joints beyond their limits in the displayed frame; none where limits cannot be
    read."""
    try:
        limits = find_motion_limits(context, robot)
    except RobotError:
        return set()
    now = check_frame(robot, limits, context.scene.frame_current_final)
    return {each.joint for each in now}


class ShowMotion(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.show_motion"
    bl_label = "Show Motion"
    bl_description = "Give the active robot this action; the others stay in the file"

    action: props.text("Action", "The action's name")

    def run(self: Any, context: Any, robot: Any) -> None:
        if not show_action(robot, self.action):
            raise Refusal(f"The robot has no motion '{self.action}'")
        context.scene.frame_set(context.scene.frame_current)


class CheckMotion(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.check_motion"
    bl_label = "Check"
    bl_description = (
        "Compare the motion of the active robot, from its first keyframe to its last, after IK, "
        "drivers and NLA, with the limits of its joints, and list the worst frame of each joint"
    )
    level = "WARNING"

    markers: props.switch("Markers", "Mark the worst frames in the timeline", default=True)
    collisions: props.switch(
        "Collisions", "List the links that touch each other, and when", default=True
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        diagnostics = Diagnostics(robot.name)
        limits = find_motion_limits(context, robot)
        path = bpy.path.abspath(context.window_manager.urdf_limits_file) or None
        first, last = find_range(robot)
        motion = sample_trajectory(robot, frame_range=(first, last))
        found = check_trajectory(robot, motion, limits=path, diagnostics=diagnostics)
        looks = self.collisions and has_hook("check_collisions")
        contacts = find_hook("check_collisions")(robot, motion).contacts if looks else ()
        frames = range(first, last + 1)
        keyed = check_keyed_positions(robot, limits, frames)
        told = {(each.joint, each.kind) for each in keyed}
        rest = [each for each in found if (each.joint, each.kind) not in told]
        violations = tuple(sorted((*keyed, *rest), key=lambda each: -each.excess))
        checked = Checked(
            changes=count_changes(),
            violations=violations,
            first=first,
            last=last,
            contacts=contacts,
        )
        keep_checked(robot, checked)
        _mark(context.scene, checked if self.markers else None)
        report_diagnostics(self, robot.name, tuple(diagnostics), "motion")
        text = f"{len(violations)} beyond the limits" if violations else "All is within the limits"
        return text + (f"; {count(len(contacts), 'contact')} of links" if contacts else "")


def _mark(scene: Any, checked: Checked | None) -> None:
    """Puts markers at violations and contacts, in place of the earlier check's."""
    for marker in [each for each in scene.timeline_markers if each.name.startswith(MARK)]:
        scene.timeline_markers.remove(marker)
    if checked is not None:
        worst, touching = checked.violations[:MOST_SHOWN], checked.contacts[:MOST_SHOWN]
        marks = [(f"{each.joint} {each.kind}", each.time) for each in worst]
        marks += [(f"{each.link1} {each.link2}", each.start) for each in touching]
        for name, time in marks:
            frame = round(_frame_of(scene, checked.first, time))
            scene.timeline_markers.new(f"{MARK}{name}", frame=frame)


def _frame_of(scene: Any, first: int, time: float) -> float:
    return float(first + time * scene.render.fps / scene.render.fps_base)


class GoToViolation(bpy.types.Operator):
    bl_idname = "urdf.go_to_violation"
    bl_label = "Go to Frame"
    bl_description = "Go to the frame in which this was found first, or was worst"
    bl_options = {"INTERNAL", "UNDO"}

    frame: props.number("Frame", "The frame to show")

    def execute(self, context: Any) -> set[str]:
        whole = math.floor(self.frame + 1e-4)
        context.scene.frame_set(whole, subframe=min(max(self.frame - whole, 0.0), 0.999))
        return {"FINISHED"}


class RetimeMotion(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.retime_motion"
    bl_label = "Retime"
    bl_description = (
        "Key the motion of the active robot once more, in a new action: along "
        "the same path, as fast as the limits of its joints allow, or by a factor"
    )
    level = "WARNING"

    by: props.choice(
        "Timing", "How the new times are found", items=(
            ("limits", "Limits", "As fast as the limits of the joints allow"),
            ("factor", "Factor", "As many times as fast as the factor says"),
        ),
    )  # fmt: skip
    factor: props.number("Factor", "How much faster it becomes", default=1.0, min=1e-3, max=1e3)

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        if not self.properties.is_property_set("only_slower"):
            self.only_slower = True  # Pauses of an animation are meant.
        return ask(self, context, width=320)

    def draw(self: Any, context: Any) -> None:
        self.layout.row().prop(self, "by", expand=True)
        if self.by == "factor":
            self.layout.prop(self, "factor")
        else:
            draw_options(self.layout, self, RetimeOptions)

    def run(self: Any, context: Any, robot: Any) -> str:
        diagnostics = Diagnostics(robot.name)
        if followed_targets_of(robot):
            raise RobotError(_FOLLOWS)
        first, last = find_range(robot)
        motion = sample_trajectory(robot, frame_range=(first, last))
        retimed = self.retime(context, robot, motion, diagnostics)
        action = robot.animation_data and robot.animation_data.action
        name = f"{action.name if action else robot.name} retimed"
        options = MotionOptions(action=name, start_frame=float(first))
        apply_trajectory(robot, retimed, options=options, diagnostics=diagnostics)
        session_state(Checks).found.pop(robot.session_uid, None)
        report_diagnostics(self, robot.name, tuple(diagnostics), "motion")
        return f"{retimed.duration:.2f} s instead of {motion.duration:.2f} s, in '{name}'"

    def retime(self: Any, context: Any, robot: Any, motion: Any, diagnostics: Diagnostics) -> Any:
        """Returns the motion as the properties wish it."""
        if self.by == "factor":
            return retime_trajectory(motion, speed=self.factor)
        path = bpy.path.abspath(context.window_manager.urdf_limits_file) or None
        options = read_options(self, RetimeOptions)
        return retime_trajectory(
            motion, robot=robot, limits=path, options=options, diagnostics=diagnostics
        )


add_option_properties(RetimeMotion, RetimeOptions)


class MotionPanel(RobotSubPanel, bpy.types.Panel):
    """Sub-panels of other rooms are added below it by MOTION_PANEL."""

    bl_idname = MOTION_PANEL
    bl_label = "Motion"
    bl_order = 17

    def draw(self, context: Any) -> None:
        robot = active_robot(context)
        _draw_actions(self.layout, robot)
        _draw_sources(self.layout.column(align=True))
        column = self.layout.column(align=True)
        column.prop(context.window_manager, "urdf_limits_file", text="", placeholder="Limits File")
        row = column.row(align=True)
        row.operator(CheckMotion.bl_idname, icon="VIEWZOOM")
        row.operator(RetimeMotion.bl_idname, icon="TIME")
        _draw_checked(self.layout, context, robot)
        draw_overloads(self.layout, robot)
        draw_efforts(self.layout, robot)
        _draw_now(self.layout, context, robot)


def _draw_actions(layout: Any, robot: Any) -> None:
    found = actions_of(robot)
    own = robot.animation_data.action if robot.animation_data else None
    column = layout.column(align=True)
    for action in found[:MOST_LISTED]:
        shown = action == own
        icon = "RADIOBUT_ON" if shown else "RADIOBUT_OFF"
        row = column.operator(
            ShowMotion.bl_idname, text=action.name, icon=icon, depress=shown, translate=False
        )
        row.action = action.name
    if not found:
        column.label(text="No motion: animate or import", icon="ACTION")
    draw_rest(column, found, MOST_LISTED)


def _draw_sources(column: Any) -> None:
    row = column.row(align=True)
    row.operator(ImportMotion.bl_idname, text="Import", icon="IMPORT")
    row.operator(ExportMotion.bl_idname, text="Export", icon="EXPORT")
    row = column.row(align=True)
    draw_operator(row, "urdf.bake_drive", text="Drive", icon="AUTO")
    draw_operator(column, "urdf.steer", icon="EMPTY_SINGLE_ARROW")


def _draw_checked(layout: Any, context: Any, robot: Any) -> None:
    checked = find_checked(robot)
    if checked is None:
        return
    _draw_contacts(layout, context, checked)
    if not checked.violations:
        where = f"Frames {checked.first} to {checked.last} are within the limits"
        draw_wrapped(layout, context, where, icon="CHECKMARK")
        return
    box = layout.box().column(align=True)
    for each in checked.violations[:MOST_SHOWN]:
        row = box.row(align=True)
        draw_wrapped(row, context, describe_violation(robot, each), icons=2)
        draw_jump(row, _frame_of(context.scene, checked.first, each.time))
    draw_rest(box, checked.violations, MOST_SHOWN)


def draw_jump(row: Any, frame: float) -> None:
    """Draws, at the right of a row, the button that goes to a frame."""
    go = row.row(align=True)
    go.alignment = "RIGHT"
    go.operator(GoToViolation.bl_idname, text=f"{frame:.0f}").frame = frame


def _draw_contacts(layout: Any, context: Any, checked: Checked) -> None:
    if not checked.contacts:
        return
    box = layout.box().column(align=True)
    for each in checked.contacts[:MOST_SHOWN]:
        row = box.row(align=True)
        draw_wrapped(row, context, f"{each.link1} touches {each.link2}", "MOD_PHYSICS", icons=3)
        draw_jump(row, _frame_of(context.scene, checked.first, each.start))
    draw_rest(box, checked.contacts, MOST_SHOWN)


def _draw_now(layout: Any, context: Any, robot: Any) -> None:
    try:
        limits = find_motion_limits(context, robot)
    except RobotError as error:
        draw_wrapped(layout, context, str(error), icon="ERROR")
        return
    now = check_frame(robot, limits, context.scene.frame_current_final)
    if now:
        column = layout.column(align=True)
        column.alert = True
        column.label(text="In this frame, by its curves:", icon="ERROR")
        for each in now[:MOST_SHOWN]:
            column.label(text=describe_violation(robot, each))


def _refresh_limits(manager: Any, context: Any) -> None:
    """Has all that was made with the limits made anew."""
    for _ in call_hooks("refresh_limits"):
        pass


def register() -> None:
    """Adds the panel's settings, which are not kept in files."""
    path = props.text(
        "Limits File", "MoveIt's joint_limits.yaml: accelerations and jerks, which a URDF does not "
        "have; empty for the description's limits alone", subtype="FILE_PATH", kept=False,
        update=_refresh_limits,
    )  # fmt: skip
    add_property(bpy.types.WindowManager, "urdf_limits_file", path)
    add_hook("find_fast_joints", find_fast_joints)


_DIGITS = 3, 4


def describe_violation(robot: Any, each: Violation) -> str:
    """Describes a violation in a few words, in degrees where the joint turns: the unit
    distinguishes a velocity from a position, in the little width that there is."""
    joint = recall_table(robot).joints.get(each.joint)
    if each.kind == "effort" or joint is None:
        return f"{each.joint}: {each.kind} {_compare(each.value, each.limit)}"
    unit = "°" if joint.channels[0].turns else " m"
    factor = math.degrees(1.0) if joint.channels[0].turns else 1.0
    per = {"position": "", "velocity": "/s", "acceleration": "/s²", "jerk": "/s³"}[each.kind]
    return f"{each.joint}: {_compare(factor * each.value, factor * each.limit)}{unit}{per}"


def _compare(value: float, limit: float) -> str:
    """Returns both where few digits distinguish them, else the limit alone: digits take width."""
    for digits in _DIGITS:
        texts = _round(value, digits), _round(limit, digits)
        if texts[0] != texts[1]:
            return " of ".join(texts)
    return f"{'>' if value > limit else '<'} {_round(limit, _DIGITS[-1])}"


def _round(number: float, digits: int) -> str:
    """Returns a number with its whole part in full."""
    return f"{number + 0.0:.{max(digits, len(f'{abs(number):.0f}'))}g}"


MOST_OVERLOADS = 8


def draw_overloads(layout: Any, robot: Any) -> None:
    """Draws the motors that could not do the animation that a robot shows, each with the frame in
    which that began."""
    action = robot.animation_data and robot.animation_data.action
    noted = action.get(properties.MOTION, {}).get("overloads") if action else None
    if not noted:
        return
    box = layout.box().column(align=True)
    box.label(text="These motors cannot do this animation:", icon="ERROR")
    for joint, (share, frame, effort) in list(noted.items())[:MOST_OVERLOADS]:
        row = box.row(align=True)
        row.label(text=f"{joint}: {effort:.3g} at its limit, {share:.0%} of the time")
        draw_jump(row, int(frame))
    draw_rest(box, noted, MOST_OVERLOADS)


_LEVELS = "▁▂▃▄▅▆▇█"


def draw_efforts(layout: Any, robot: Any) -> None:
    """Draws the efforts that a simulation's motors gave: the curve, the peak and the mean of each
    effort.
    """
    action = robot.animation_data and robot.animation_data.action
    noted = action.get(properties.MOTION, {}).get("efforts") if action else None
    if not noted:
        return
    box = layout.box().column(align=True)
    box.label(text="Efforts: peak, mean, share of the limit", icon="FORCE_FORCE")
    for joint, (peak, mean, limit, *curve) in list(noted.items())[:MOST_SHOWN]:
        drawn = "".join(_LEVELS[round(7.0 * each / (max(curve) or 1.0))] for each in curve)
        box.label(text=f"{joint}: {peak:.3g}, {mean:.3g}, {peak / limit:.0%}  {drawn}")
    draw_rest(box, noted, MOST_SHOWN)
