# SPDX-License-Identifier: GPL-3.0-or-later
"""Showing a robot: a studio around it, and the finish of its materials."""

from typing import Any

import bpy

from ...urdf_importer import build_studio, mark_as_asset, remove_studio, set_material_preset
from ...urdf_importer.core.blender.standing.placing import center_camera
from ...urdf_importer.core.blender.standing.robot_table import find_robot
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.studio.blender.asset import make_thumbnail
from ...urdf_importer.features.studio.blender.pose_pictures import make_poses
from ...urdf_importer.features.studio.blender.stage import find_studio
from .. import props
from ..active_robot import (
    NOT_NOW,
    ActingOperator,
    Refusal,
    RobotOperator,
    active_robot,
    redraw_views,
    wait_cursor,
)
from ..kept_views import enter_camera, settle_views
from ..registration import add_hook, add_to_menus


class BuildStudio(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.build_studio"
    bl_label = "Studio"
    bl_description = (
        "Put a ground, three lights and a camera around the selected robots in "
        "their poses; the camera moves around them once in the scene's frames. An "
        "earlier studio is replaced. Robots, world and render settings stay as "
        "they are; this view hides its bones, lights and empties while it looks through the camera"
    )

    turntable: props.choice(
        "Turntable", "The parts that turn around the robots", items=(
            ("plate", "Camera and Lights", "The robots seem to turn on a plate"),
            ("camera", "Camera", "The lights do not move"),
            ("none", "Nothing", "A still picture, with the robots as large as they fit"),
        ),
    )  # fmt: skip
    frames: props.integer(
        "Frames", "How many frames one turn takes; 0: as many as the scene has", min=0,
        soft_max=1000,
    )  # fmt: skip
    look: props.switch(
        "Look Through Camera", "Show the 3D view as the camera sees it", default=True
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        settle_views(context)
        home = build_studio(_list_robots(context), turntable=self.turntable, frames=self.frames)
        space = context.space_data
        if self.look and getattr(space, "type", "") == "VIEW_3D":
            enter_camera(space, home, bare=True)
            center_camera(space, context.area, context.scene.render)
        redraw_views()


class RemoveStudio(ActingOperator, bpy.types.Operator):
    bl_idname = "urdf.remove_studio"
    bl_label = "Remove Studio"
    bl_description = (
        "Remove the studio: ground, lights, camera and turntable. The camera that the scene "
        "had before is active again, and views through the studio's camera are restored"
    )

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        if context.scene is None or find_studio(context.scene) is None:
            return "There is no studio in this scene"
        return "" if context.mode in ("OBJECT", "POSE") else NOT_NOW

    def run(self, context: Any, robot: Any) -> None:
        settle_views(context)  # Of an opened file nothing is known yet.
        remove_studio()
        settle_views(context)
        redraw_views()


class MakeThumbnail(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.make_thumbnail"
    bl_label = "Picture of Robot"
    bl_description = (
        "Take a small picture of the robot in its present pose: the sidebar and "
        "the asset browser show it, and the file keeps it. It takes a few seconds"
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        with wait_cursor(context):
            make_thumbnail(robot)
        redraw_views()


class MarkAsset(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.mark_asset"
    bl_label = "Mark as Asset"
    bl_description = (
        "Show the active robot in the asset browser, with a picture of it in its present pose. "
        "Save the file into an asset library; a robot dragged from there can be posed as before"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        with wait_cursor(context):
            collection = mark_as_asset(robot)
        return f"Collection '{collection.name}' is an asset now"


class MakePoses(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.make_poses"
    bl_label = "Poses with Pictures"
    bl_description = (
        "Make the poses Home, Zero and Ready of the active robot as pose assets, with a picture of "
        "each and of the states of its groups: here and in the asset browser. It takes a second or "
        "two for each pose"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        with wait_cursor(context):
            made = make_poses(robot)
        return count(len(made), "pose") + " with a picture"


class MaterialPreset(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.material_preset"
    bl_label = "Material Preset"
    bl_description = (
        "Make the robot's materials look like plastic, aluminium or rubber: how metallic and how "
        "rough they are. Their colours and images stay"
    )

    preset: props.choice(
        "Preset", "The finish of the materials", items=(
            ("auto", "By Name or Colour", "Words such as rubber or steel in a material's name; "
             "else black is rubber, grey is aluminium and all else is plastic"),
            ("plastic", "Plastic", "Smooth, not metallic"),
            ("aluminium", "Aluminium", "Metal, a little rough"),
            ("rubber", "Rubber", "Dull, not metallic"),
        ),
    )  # fmt: skip
    selected: props.switch(
        "Selected Only", "Only the materials of selected bodies; other robots' and bodies' stay "
        "unchanged",
    )  # fmt: skip

    def run(self: Any, context: Any, robot: Any) -> str:
        chosen = context.selected_objects if self.selected else None
        made = set_material_preset(robot, preset=self.preset, objects=chosen)
        if not made:
            raise Refusal("No material of this robot could be set")
        return count(made, "material") + " set"


def _list_robots(context: Any) -> list[Any]:
    """Lists the robots of the selection, else the active one."""
    found = [find_robot(item) for item in context.selected_objects]
    robots = [each for each in dict.fromkeys(found) if each is not None]
    active = active_robot(context)
    return robots if active in robots else [active]


def draw_studio(panel: Any, context: Any) -> None:
    """Draws the buttons of the studio and the materials."""
    layout = panel.layout.column(align=True)
    row = layout.row(align=True)
    row.operator(BuildStudio.bl_idname, icon="OUTLINER_OB_CAMERA")
    if find_studio(context.scene) is not None:
        row.operator(RemoveStudio.bl_idname, text="", icon="X")
    layout.operator_menu_enum(MaterialPreset.bl_idname, "preset", icon="MATERIAL")


def list_cameras(scene: Any) -> list[tuple[Any, Any]]:
    """Lists the cameras of a scene's studio, each with the studio, which remembers the view."""
    studio = find_studio(scene)
    return [(each, studio) for each in studio.objects if each.type == "CAMERA"] if studio else []


def register() -> None:
    """Adds the buttons to the panel Look, and lets views that leave a studio look as before."""
    add_to_menus(draw_studio, "VIEW3D_PT_urdf_look", first=True)
    add_hook("list_cameras", list_cameras)
