# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving, following, snapping and baking for the active robot. One undo step each; where a solve
fails there is none, since nothing changed."""

from typing import Any

import bpy

from ...urdf_importer import Diagnostics, RobotError, add_ik, bake_ik, remove_ik, solve_ik
from ...urdf_importer.blender.ik.live import bring_to_link, followed_targets_of, snap_joints
from ...urdf_importer.blender.ik.solve import suggest_link
from ..active_robot import active_robot, poll_robot

MODES = (
    ("absolute", "Absolute", "Where the link is to be"),
    ("relative", "Relative", "How far the link is to go from where it is shown"),
    ("default", "Default", "How far the link is to be from its place in the default pose"),
)
SOURCES = (
    ("cursor", "3D Cursor", "The place of the 3D cursor"),
    ("object", "Object", "The place of an object, and how it is turned"),
    ("numbers", "Numbers", "Three numbers, in metres"),
)
FRAMES = (
    ("armature", "Robot", "In the axes of the robot's root link"),
    ("world", "World", "In the axes of the world"),
)
ORIENTATIONS = (
    ("keep", "Keep", "The link stays turned as it is; an object as target turns it as itself"),
    ("free", "Free", "The link may turn as it likes: most places can be reached so"),
)
_MOST_NAMED = 12
"""Frames that fail are named up to so many."""


class RobotIK:
    """What these operators have in common."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return poll_robot(cls, context)


def chosen_link(context: Any) -> str:
    """Returns the link that the panel names; where it names none, the robot's hand."""
    robot = active_robot(context)
    link: str = context.window_manager.urdf_ik.link
    return link or suggest_link(robot)


class SolveIK(RobotIK, bpy.types.Operator):
    bl_idname = "urdf.solve_ik"
    bl_label = "Solve"
    bl_description = (
        "Move the joints of the active robot, within their limits, so that the link is at the "
        "target. Where there is no way nothing changes, and the status bar says why"
    )

    def execute(self, context: Any) -> set[str]:
        settings = context.window_manager.urdf_ik
        try:
            link = chosen_link(context)
            answer = solve_ik(
                active_robot(context), link, _find_target(context), mode=_find_mode(settings),
                frame=_find_frame(settings), orientation=settings.orientation,
                group=settings.group or None, key=settings.key,
            )  # fmt: skip
        except RobotError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"} if answer.success else {"WARNING"}, _sentence(answer.message))
        return {"FINISHED"} if answer.success else {"CANCELLED"}


def _find_target(context: Any) -> Any:
    settings = context.window_manager.urdf_ik
    if settings.source == "cursor":
        return tuple(context.scene.cursor.location)
    if settings.source == "numbers":
        return tuple(settings.place)
    if settings.object is None:
        raise RobotError("choose the object that is the target")
    place = settings.object.matrix_world.normalized()
    return (
        [list(row) for row in place] if settings.orientation == "keep" else tuple(place.col[3])[:3]
    )


def _find_mode(settings: Any) -> str:
    """Only numbers can be a way to go."""
    return str(settings.mode) if settings.source == "numbers" else "absolute"


def _find_frame(settings: Any) -> str:
    return str(settings.frame) if settings.source == "numbers" else "world"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


class AddIK(RobotIK, bpy.types.Operator):
    bl_idname = "urdf.add_ik"
    bl_label = "Add Target"
    bl_description = (
        "Make an empty that the link follows: move it with any tool, key it, parent it. Limits "
        "hold; out of reach the link comes as near as it can. Blender's own inverse kinematics "
        "does it where it can hold the joints, else this extension"
    )

    live: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Live", default=False, options={"SKIP_SAVE"},
        description="Solve exactly, which needs this extension, also where Blender's own would do",
    )  # fmt: skip

    def execute(self, context: Any) -> set[str]:
        settings, found = context.window_manager.urdf_ik, Diagnostics()
        wanted = settings.group or chosen_link(context)
        try:
            target = add_ik(active_robot(context), wanted, live=self.live, diagnostics=found)
        except RobotError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        _choose(context, target)
        why = f" ({next(iter(found)).message})" if found else ""
        self.report({"INFO"}, f"Move {target.name}: the robot follows{why}")
        return {"FINISHED"}


def _choose(context: Any, target: Any) -> None:
    """Selects the target alone, in object mode, so that the next G moves it."""
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for each in context.view_layer.objects.selected:
        each.select_set(False)
    target.select_set(True)
    context.view_layer.objects.active = target


class RemoveIK(RobotIK, bpy.types.Operator):
    bl_idname = "urdf.remove_ik"
    bl_label = "Let Go"
    bl_description = "Take this target away. The joints stay where they are"

    target: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Target", description="The empty that the link follows", options={"SKIP_SAVE"}
    )

    def execute(self, context: Any) -> set[str]:
        robot = active_robot(context)
        for target in followed_targets_of(robot):
            if target.name == self.target:
                context.view_layer.objects.active = robot
                remove_ik(target)
                return {"FINISHED"}
        return {"CANCELLED"}


class SnapTarget(RobotIK, bpy.types.Operator):
    bl_idname = "urdf.snap_target"
    bl_label = "Snap Targets"
    bl_description = (
        "Bring all targets of the active robot to where their links are now. "
        "Blender's own inverse kinematics acts again"
    )

    def execute(self, context: Any) -> set[str]:
        robot = active_robot(context)
        for target in followed_targets_of(robot):
            bring_to_link(robot, target)
        return {"FINISHED"}


class SnapJoints(RobotIK, bpy.types.Operator):
    bl_idname = "urdf.snap_joints"
    bl_label = "Snap Joints"
    bl_description = (
        "Set every joint of the active robot to the position that is shown, after limits, IK "
        "constraints and drivers. Blender's own inverse kinematics then rests, and nothing moves"
    )

    def execute(self, context: Any) -> set[str]:
        snap_joints(active_robot(context))
        return {"FINISHED"}


class BakeIK(RobotIK, bpy.types.Operator):
    bl_idname = "urdf.bake_ik"
    bl_label = "Bake"
    bl_description = (
        "Key the joints of the active robot over the frames of the scene, so that links follow "
        "their targets. Frames that fail are listed and hold the last pose"
    )

    def execute(self, context: Any) -> set[str]:
        robot, scene = active_robot(context), context.scene
        targets = followed_targets_of(robot)
        if not targets:
            self.report({"WARNING"}, "Add a target first")
            return {"CANCELLED"}
        failed: set[int] = set()
        for target in targets:
            failed.update(
                bake_ik(robot, target, scene.frame_start, scene.frame_end, scene.frame_step)
            )
        if failed:
            named = ", ".join(map(str, sorted(failed)[:_MOST_NAMED]))
            more = f" and {len(failed) - _MOST_NAMED} more" if len(failed) > _MOST_NAMED else ""
            self.report({"WARNING"}, f"Out of reach in frames {named}{more}")
        else:
            self.report({"INFO"}, f"Keyed frames {scene.frame_start} to {scene.frame_end}")
        return {"FINISHED"}


CLASSES = (SolveIK, AddIK, RemoveIK, SnapTarget, SnapJoints, BakeIK)
