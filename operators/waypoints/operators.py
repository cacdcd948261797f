# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording, going to, ordering and planning waypoints of the active robot; tools and axes."""

import math
import os
from dataclasses import replace
from typing import Any

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ...urdf_importer import (
    Diagnostics,
    Pose,
    RobotError,
    bake_waypoints,
    get_joint_positions,
    get_waypoints,
    link_pose,
    read_waypoints,
    record_waypoint,
    set_joint_positions,
    set_tool,
    set_waypoints,
    solve_ik,
    write_waypoints,
)
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.core.reshape import MountedAxis
from ...urdf_importer.core.reshape.mount import is_mounted
from ...urdf_importer.features.ik.blender.solve import recall_rig
from ...urdf_importer.features.waypoints.blender.objects import (
    bend_way,
    key_of,
    remove_waypoints,
    sort_waypoints,
    update_waypoint,
    waypoint_empties_of,
)
from ...urdf_importer.features.waypoints.blender.tools import mount_rig, unmount_rig
from ...urdf_importer.features.waypoints.files import lacks_turns
from .. import props
from ..active_robot import Refusal, RobotOperator, active_object, ask, wait_cursor
from ..ik.operators import CONVENTIONS, find_convention
from ..reports import report_diagnostics
from .chosen import (
    choose,
    find_chosen,
    keep_plan,
    make_key,
    need_chosen,
    options_of,
    read_limits,
    read_link,
)

MOVES = (
    ("joint", "Joints", "All joints go evenly: the tool swings"),
    ("linear", "Line", "The tool goes straight, and turns evenly"),
    ("circular", "Arc", "The tool goes round, over a via point of its own"),
)


class RecordWaypoint(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.record_waypoint"
    bl_label = "Record"
    bl_description = (
        "Make a waypoint where the tool is shown, with the joints as they are shown, behind the "
        "chosen one: an empty that can be dragged, parented and copied"
    )

    move: props.choice("Move", "How the tool arrives", items=MOVES, default="linear")

    def run(self: Any, context: Any, robot: Any) -> str:
        chosen = find_chosen(context)
        made = record_waypoint(
            robot, link=read_link(context), move=self.move,
            after="" if chosen is None else chosen.name,
        )  # fmt: skip
        choose(context, made)
        return f"Recorded {made.name}"


class GoToWaypoint(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.go_to_waypoint"
    bl_label = "Go To"
    bl_description = (
        "Pose the robot as it is at the chosen waypoint: as taught, where it was not moved"
    )

    place: props.integer(
        "Number", "Which waypoint, from 1 on; 0 for the chosen one", min=0, kept=False
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        found = waypoint_empties_of(robot)
        if not 0 <= self.place <= len(found):
            raise Refusal(f"The robot has {count(len(found), 'waypoint')}")
        empty = found[self.place - 1] if self.place else need_chosen(context)
        choose(context, empty)
        point = get_waypoints(robot)[found.index(empty)]
        before = get_joint_positions(robot)
        try:
            _go_to(robot, point, point.link or read_link(context))
        except RobotError:
            set_joint_positions(robot, before)
            raise


def _go_to(robot: Any, point: Any, link: str) -> None:
    """Poses a robot as it is at a waypoint. Raises Refusal where it cannot be there."""
    if point.positions:
        set_joint_positions(robot, point.positions)
        bpy.context.view_layer.update()
    answer = solve_ik(robot, link, point.pose)
    if not answer.success:
        raise Refusal(f"{point.name}: {answer.message}")


class UpdateWaypoint(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.update_waypoint"
    bl_label = "Update"
    bl_description = (
        "Bring the chosen waypoint to where its tool is shown, with the joints as shown"
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        update_waypoint(robot, need_chosen(context))


class MoveWaypoint(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.move_waypoint"
    bl_label = "Move Waypoint"
    bl_description = "Move the chosen waypoint up or down in the list"

    step: props.integer("Step", "How many places down; negative numbers move up", default=1)

    def run(self: Any, context: Any, robot: Any) -> None:
        empty, order = need_chosen(context), waypoint_empties_of(robot)
        place = order.index(empty)
        order.insert(min(max(place + self.step, 0), len(order) - 1), order.pop(place))
        sort_waypoints(order)
        choose(context, empty)


class RemoveWaypoint(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.remove_waypoint"
    bl_label = "Remove Waypoint"
    bl_description = "Remove the chosen waypoint, with its via point"

    def run(self: Any, context: Any, robot: Any) -> None:
        if active_object(context) in waypoint_empties_of(robot):
            empty = need_chosen(context)
            context.view_layer.objects.active = robot
        else:
            empty = need_chosen(context)
        remove_waypoints([empty])
        sort_waypoints(waypoint_empties_of(robot))


class SetMove(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.set_waypoint_move"
    bl_label = "Set Move"
    bl_description = "Choose how the tool arrives at the chosen waypoint"

    move: props.choice("Move", "How the tool arrives", items=MOVES, default="linear")

    def run(self: Any, context: Any, robot: Any) -> None:
        empty, order = need_chosen(context), waypoint_empties_of(robot)
        if self.move == "circular" and empty.get(key_of("move")) != "circular":
            place = order.index(empty)
            bend_way(robot, empty, order[place - 1] if place else None)
        empty[key_of("move")] = self.move


class GenerateMotion(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.generate_motion"
    bl_label = "Generate"
    bl_description = (
        "Plan the motion through the waypoints, as fast as the limits allow, look for contacts on "
        "the way, and key it in a new action with markers at the waypoints"
    )
    level = "WARNING"

    collisions: props.switch(
        "Collisions", "Look for links and objects that touch during the motion", default=True
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        diagnostics = Diagnostics(robot.name)
        with wait_cursor(context):
            plan = bake_waypoints(
                robot, limits=read_limits(context), diagnostics=diagnostics,
                options=options_of(context, collisions=self.collisions),
            )  # fmt: skip
        keep_plan(robot, plan, make_key(context, robot), float(context.scene.frame_start))
        report_diagnostics(self, robot.name, tuple(diagnostics), "motion")
        if not plan.success:
            raise Refusal(plan.message)
        return plan.message


class OpenWaypoints(RobotOperator, bpy.types.Operator, ImportHelper):
    bl_idname = "urdf.open_waypoints"
    bl_label = "Open Waypoints"
    bl_description = (
        "Give the active robot the waypoints of a file, in the place of all that it has: YAML, a "
        "table, or a path of a link (time,x,y,z and perhaps a quaternion) as lines"
    )
    level = "WARNING"

    filename_ext = ".yaml"
    filter_glob: props.pattern(".yaml", ".yml", ".csv")
    convention: props.choice(
        "Convention", "The axes and units of the file: of poses, via points, blends and "
        "tool speeds", items=CONVENTIONS,
    )  # fmt: skip

    def run(self: Any, context: Any, robot: Any) -> str:
        path = bpy.path.abspath(self.filepath)
        points, link = read_waypoints(path), read_link(context)
        convention = find_convention(self.convention)
        points = tuple(_convert(each, convention) for each in points)
        if lacks_turns(path):
            points = _turn_as(points, link_pose(robot, link))
        set_waypoints(robot, points, link=link)
        return f"{os.path.basename(path)}: {count(len(points), 'waypoint')}"


def _convert(point: Any, convention: Any) -> Any:
    """Returns a waypoint with its places in the robot's axes, and all lengths in metres."""
    places = {key: getattr(point, key) for key in ("pose", "via")}
    places = {key: convention.to_robot(at) for key, at in places.items() if at is not None}
    lengths = {key: convention.unit * getattr(point, key) for key in ("blend", "tool_speed")}
    return replace(point, **places, **lengths)


def _turn_as(points: Any, shown: Any) -> Any:
    """Returns the places of a path, turned as the tool is shown."""
    found = []
    for each in points:
        pose = shown.copy()
        pose[:3, 3] = each.pose[:3, 3]
        found.append(replace(each, pose=pose))
    return tuple(found)


class SaveWaypoints(RobotOperator, bpy.types.Operator, ExportHelper):
    bl_idname = "urdf.save_waypoints"
    bl_label = "Save Waypoints"
    bl_description = "Write the waypoints of the active robot to a file, YAML or CSV by its ending"
    bl_options = {"REGISTER"}

    filename_ext = ".yaml"
    filter_glob: props.pattern(".yaml", ".yml", ".csv")
    check_extension = None

    def run(self: Any, context: Any, robot: Any) -> str:
        path = bpy.path.abspath(self.filepath)
        points = get_waypoints(robot)
        write_waypoints(points, path)
        return f"Wrote {os.path.basename(path)}: {count(len(points), 'waypoint')}"


class SetTool(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.set_tool"
    bl_label = "Tool"
    bl_description = (
        "Give the active robot a tool centre point, or move the one of this name: a link on a "
        "fixed joint, which waypoints lead"
    )

    tool: props.text("Tool", "The tool's name", default="tcp")
    link: props.text("Link", "The link that it is measured from; empty for the flange")
    source: props.choice(
        "Place", "Where the tool is",
        items=(
            ("numbers", "Numbers", "An offset from the link, and a turn"),
            ("cursor", "3D Cursor", "Where the 3D cursor is"),
            ("object", "Object", "Where the selected object beside the robot is"),
        ),
    )  # fmt: skip
    offset: props.vector("Offset", "From the link", subtype="TRANSLATION", unit="LENGTH")
    turn: props.vector("Turn", "Roll, pitch and yaw", subtype="EULER", unit="ROTATION")

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        return ask(self, context)

    def run(self: Any, context: Any, robot: Any) -> str:
        target: Any = None
        if self.source == "cursor":
            target = "cursor"
        elif self.source == "object":
            target = _find_thing(context, robot)
        origin = Pose(xyz=tuple(self.offset), rpy=tuple(self.turn)) if target is None else target
        set_tool(robot, self.tool, link=self.link, origin=origin)
        context.window_manager.urdf_waypoint_link = self.tool
        return f"The tool is {self.tool}"


def _find_thing(context: Any, robot: Any) -> Any:
    for each in context.view_layer.objects.selected:
        if each != robot and each.parent is None and each.type != "ARMATURE":
            return each
    raise Refusal("Select the object that is where the tool is")


class MountAxis(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.mount_axis"
    bl_label = "Mount"
    bl_description = (
        "Put the active robot on a rail or a turntable: an axis of its own below its root. Keys "
        "and waypoints stay"
    )

    joint: props.text("Joint", "The name of the axis", default="rail")
    kind: props.choice(
        "Kind", "How it moves",
        items=(("linear", "Rail", "It slides"), ("rotary", "Turntable", "It turns")),
    )  # fmt: skip
    axis: props.vector("Axis", "Its direction", default=(1.0, 0.0, 0.0))
    lower: props.number("Lower", "Its lower limit, in metres or degrees", default=0.0)
    upper: props.number("Upper", "Its upper limit, in metres or degrees", default=1.0)
    velocity: props.number("Velocity", "Metres or degrees a second at most", default=1.0, min=1e-6)

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        return ask(self, context)

    def run(self: Any, context: Any, robot: Any) -> str:
        unit = math.radians(1.0) if self.kind == "rotary" else 1.0
        axis = MountedAxis(
            kind=self.kind, axis=tuple(self.axis), lower=unit * self.lower,
            upper=unit * self.upper, velocity=unit * self.velocity,
        )  # fmt: skip
        mount_rig(robot, self.joint, axis)
        return f"The robot is on {self.joint}"


class UnmountAxis(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.unmount_axis"
    bl_label = "Take Off"
    bl_description = "Take the active robot off the rail or turntable that was mounted last"

    joint: props.text("Joint", "The name of the axis; empty for the lowest", kept=False)

    def run(self: Any, context: Any, robot: Any) -> str:
        name = self.joint or find_mounted(robot)
        if not name:
            raise Refusal("The robot is on no axis of its own")
        unmount_rig(robot, name)
        return f"The robot is off {name}"


def find_mounted(robot: Any) -> str:
    """Finds the lowest mounted axis; empty without one."""
    tree = recall_rig(robot).tree
    root = tree.links[0].name
    for joint in tree.robot.joints:
        if joint.parent == root and is_mounted(tree.robot, joint):
            return str(joint.name)
    return ""
