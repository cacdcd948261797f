# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving, following, snapping and baking for the active robot. One undo step each; where a solve
fails there is none, since nothing changed."""

from collections.abc import Collection
from typing import Any

import bpy

from ...urdf_importer import (
    Convention,
    Diagnostics,
    RigIKOptions,
    RobotError,
    add_ik,
    bake_ik,
    link_pose,
    remove_ik,
    solve_ik,
)
from ...urdf_importer.core.blender.semantics.markers import followed_targets_of
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.ik.blender.live import (
    bring_to_link,
    snap_joints,
)
from ...urdf_importer.features.ik.blender.solve import suggest_link
from ...urdf_importer.features.ik.blender.targets import IkWish
from ...urdf_importer.features.ik.blender.ways import find_ways, look_at_ways, take_way
from .. import props
from ..active_robot import Refusal, RobotOperator, active_robot, ask, wait_cursor
from ..sidebar.pose_operators import refuse_contacts
from .ghosts import find_ghosts, hide_ghosts, show_ghosts

MODES = (
    ("absolute", "Absolute", "The link's new place"),
    ("relative", "Relative", "An offset from where the link is shown"),
    ("default", "Default", "An offset from the link's place in the default pose"),
)
SOURCES = (
    ("gizmo", "Handle", "The handle at the link: drag it in the view"),
    ("cursor", "3D Cursor", "The place of the 3D cursor"),
    ("object", "Object", "The place of an object, and how it is turned"),
    ("numbers", "Numbers", "Three numbers, in metres"),
)
FRAMES = (
    ("armature", "Robot", "In the axes of the robot's root link"),
    ("world", "World", "In the axes of the world"),
)
ORIENTATIONS = (
    ("keep", "Keep", "The link keeps its orientation; an object as target turns it as itself"),
    ("free", "Free", "The link may turn freely: most places can be reached"),
)
CONVENTIONS = (
    ("ros", "ROS", "x forward, y left, z up, in metres"),
    ("cm", "Centimetres", "x forward, y left, z up, in centimetres"),
    ("mm", "Millimetres", "x forward, y left, z up, in millimetres"),
    ("y_up", "Y Up", "x left, y up, z forward, in metres"),
    ("y_up_cm", "Y Up, Centimetres", "x left, y up, z forward, in centimetres"),
    ("unity", "Unity", "Left-handed: refused with the reason, since no rotation can mirror"),
)
WRITTEN = {
    "ros": ("xyz", 1.0), "cm": ("xyz", 0.01), "mm": ("xyz", 0.001), "y_up": ("zxy", 1.0),
    "y_up_cm": ("zxy", 0.01), "unity": ("z-xy", 1.0),
}  # fmt: skip
_MOST_NAMED = 12
"""Frames that fail are named up to so many rows of them."""


def chosen_link(context: Any) -> str:
    """Returns the link that the panel names; where it names none, the robot's hand."""
    robot = active_robot(context)
    link: str = context.window_manager.urdf_ik.link
    return link or suggest_link(robot)


class SolveIK(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.solve_ik"
    bl_label = "Move Hand to Target"
    bl_description = (
        "Move the joints of the active robot, within their limits, so that the link is at the "
        "target. If the target is out of reach, nothing changes, and the status bar says why"
    )
    level = "WARNING"

    def run(self: Any, context: Any, robot: Any) -> str:
        asked = read_question(context)
        key = context.window_manager.urdf_ik.key
        answer = solve_ik(robot, key=key, **asked)
        sentence = answer.message[:1].upper() + answer.message[1:]
        if not answer.success:
            raise RobotError(sentence)
        return sentence


def read_question(context: Any) -> dict[str, Any]:
    """Reads the panel's question, as arguments of solve_ik. Raises RobotError where the target is
    not chosen, and for conventions that no rotation can express."""
    settings, link = context.window_manager.urdf_ik, chosen_link(context)
    by_numbers = settings.source == "numbers"
    return {
        "link": link,
        "target": _find_target(context, link),
        "options": RigIKOptions(
            mode=settings.mode if by_numbers else "absolute",
            in_frame=_find_frame(settings),
            orientation=settings.orientation,
            group=settings.group or None,
            convention=find_convention(settings.convention) if by_numbers else None,
            refuse=_find_refusal(context),
        ),
    }


def _find_refusal(context: Any) -> Any:
    """Finds why poses are not an answer by the panel's switch; None while it is off."""
    if not context.window_manager.urdf_ik.avoid_collisions:
        return None
    with wait_cursor(context):
        return refuse_contacts(active_robot(context))


def find_convention(chosen: str) -> Convention:
    """Finds how numbers are written that are typed or read."""
    return Convention(*WRITTEN[chosen])


def _find_target(context: Any, link: str) -> Any:
    settings = context.window_manager.urdf_ik
    if settings.source == "gizmo":
        return link_pose(active_robot(context), link).tolist()
    if settings.source == "cursor":
        return tuple(context.scene.cursor.location)
    if settings.source == "numbers":
        plain = settings.convention != CONVENTIONS[0][0]
        return tuple(settings.numbers if plain else settings.place)
    if settings.object is None:
        raise RobotError("choose the object that is the target")
    place = settings.object.matrix_world.normalized()
    return (
        [list(row) for row in place] if settings.orientation == "keep" else tuple(place.col[3])[:3]
    )


def _find_frame(settings: Any) -> str:
    if settings.source == "gizmo":
        return "armature"
    return str(settings.frame) if settings.source == "numbers" else "world"


class AddIK(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.add_ik"
    bl_label = "Add Target"
    bl_description = (
        "Make an empty that the link follows: move it with any tool, key it, parent it. Limits "
        "hold; out of reach the link comes as near as it can. Blender's own inverse kinematics "
        "does it where it can hold the joints, else this extension"
    )
    level = "WARNING"

    live: props.switch(
        "Exact", "Solve exactly, by this extension, also where Blender's own inverse kinematics "
        "would do",
        kept=False,
    )  # fmt: skip

    def run(self: Any, context: Any, robot: Any) -> str:
        settings, found = context.window_manager.urdf_ik, Diagnostics()
        wanted = settings.group or chosen_link(context)
        target = add_ik(robot, wanted, live=self.live, diagnostics=found)
        _choose(context, target)
        why = f" ({next(iter(found)).message})" if found else ""
        return f"Move {target.name}: the robot follows{why}"


def _choose(context: Any, target: Any) -> None:
    """Selects the target alone, in object mode, so that the next G moves it."""
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for each in context.view_layer.objects.selected:
        each.select_set(False)
    target.select_set(True)
    context.view_layer.objects.active = target


class RemoveIK(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.remove_ik"
    bl_label = "Remove Target"
    bl_description = "Remove this target; the joints of the robot keep their positions"

    target: props.text("Target", "The empty that the link follows", kept=False)

    def run(self: Any, context: Any, robot: Any) -> None:
        for target in followed_targets_of(robot):
            if target.name == self.target:
                context.view_layer.objects.active = robot
                remove_ik(target)
                return
        raise Refusal(f"The robot has no target '{self.target}'")


class SnapTarget(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.snap_target"
    bl_label = "Target to Hand"
    bl_description = (
        "Bring all targets of the active robot to where their links are now. "
        "Blender's own inverse kinematics acts again"
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        for target in followed_targets_of(robot):
            bring_to_link(robot, target)


class SnapJoints(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.snap_joints"
    bl_label = "Joints to Pose"
    bl_description = (
        "Set every joint of the active robot to the position that is shown, after limits, IK "
        "constraints and drivers. Blender's own inverse kinematics then rests, and nothing moves"
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        snap_joints(robot)


class BakeIK(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.bake_ik"
    bl_label = "Bake"
    bl_description = (
        "Key the joints of the active robot over a range of frames, so that links follow "
        "their targets. Frames that fail are listed and hold the last pose"
    )
    level = "WARNING"

    start: props.integer("Start", "The first frame; the scene's unless set")
    end: props.integer("End", "The last frame; the scene's unless set")
    step: props.integer("Step", "Frames from one key to the next", min=1, default=1)

    def invoke(self, context: Any, event: Any) -> set[str]:
        self._fill(context.scene)
        return ask(self, context)

    def _fill(self: Any, scene: Any) -> None:
        for name, value in (
            ("start", scene.frame_start), ("end", scene.frame_end), ("step", scene.frame_step)
        ):  # fmt: skip
            if not self.properties.is_property_set(name):
                setattr(self, name, value)

    def run(self: Any, context: Any, robot: Any) -> str:
        self._fill(context.scene)
        targets = followed_targets_of(robot)
        if not targets:
            raise RobotError("Add a target first")
        failed: set[int] = set()
        for target in targets:
            baked = bake_ik(robot, target, frame_range=(self.start, self.end), step=self.step)
            failed.update(baked.failed)
        return _report_failed(self, context, failed, f"Keyed frames {self.start} to {self.end}")


def _report_failed(operator: Any, context: Any, failed: set[int], done: str) -> str:
    """Lists the frames in the status bar, and in the panel until the next baking; returns the
    sentence to report where none failed."""
    named = name_frames(failed)
    context.window_manager.urdf_ik.failed = named
    if failed:
        operator.report({"WARNING"}, f"Out of reach in frames {named}")
    return "" if failed else done


def name_frames(frames: Collection[int]) -> str:
    """Returns the names of frames, consecutive ones by their first and last: 3, 7 to 12."""
    rows: list[list[int]] = []
    for frame in sorted(frames):
        if rows and frame == rows[-1][-1] + 1:
            rows[-1].append(frame)
        else:
            rows.append([frame])
    texts = [str(row[0]) if len(row) == 1 else f"{row[0]} to {row[-1]}" for row in rows]
    more = f" and {len(texts) - _MOST_NAMED} more rows" if len(texts) > _MOST_NAMED else ""
    return ", ".join(texts[:_MOST_NAMED]) + more


class FindWays(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.find_ik"
    bl_label = "Solutions"
    bl_description = (
        "Find up to five poses in which the link is at the target, such as elbow up and elbow "
        "down, and show them as ghosts. Nothing moves until one is chosen"
    )
    bl_options = {"REGISTER"}
    level = "WARNING"

    def run(self: Any, context: Any, robot: Any) -> str:
        asked = read_question(context)
        ways = find_ways(robot, IkWish(**asked))
        if not ways:
            hide_ghosts()
            raise RobotError("There is no solution: Move Hand to Target says why")
        show_ghosts(robot, look_at_ways(robot, asked["link"], ways))
        found = count(len(ways), "solution")
        return f"{found}: choose by number"


class ChooseWay(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.choose_ik"
    bl_label = "Choose Solution"
    bl_description = "Move the joints to this pose, in which the link is at the target"

    number: props.integer("Number", "Which of the solutions, from 1 on", min=1, default=1)

    def run(self: Any, context: Any, robot: Any) -> None:
        ghosts = find_ghosts(robot)
        if ghosts is None or self.number > len(ghosts.ways.positions):
            raise Refusal("Find solutions first")
        ghosts.chosen = self.number - 1
        key = context.window_manager.urdf_ik.key
        if not take_way(robot, ghosts.ways, ghosts.chosen, key=key):
            self.report({"WARNING"}, "The joints are set, but something else moves the rig")


class HideWays(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.hide_ik"
    bl_label = "Hide Solutions"
    bl_description = "Remove the ghosts of the other solutions; joints keep their positions"
    bl_options = {"REGISTER"}

    def run(self, context: Any, robot: Any) -> None:
        hide_ghosts()
