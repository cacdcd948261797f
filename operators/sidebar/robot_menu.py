# SPDX-License-Identifier: GPL-3.0-or-later
"""The menu "Robot" of the 3D view, in object and in pose mode, where F3 finds its entries; and a
pie of the poses. Missing operators are passed over."""

from typing import Any

import bpy

from ...urdf_importer.core.blender.standing.armatures import armatures_of
from ...urdf_importer.core.blender.standing.joints import read_joints
from ...urdf_importer.core.blender.standing.mirrored import home_pose, mirror_pose, ready_pose
from ...urdf_importer.core.command.summary import count
from ..active_robot import RobotOperator, active_robot
from ..registration import add_key, add_to_menus, draw_operator, find_key

ENTRIES: dict[str, tuple[tuple[str, str], ...]] = {
    "": (
        ("urdf.select_robot", "RESTRICT_SELECT_OFF"),
        ("urdf.frame_robot", "ZOOM_SELECTED"),
        ("urdf.duplicate_robot", "DUPLICATE"),
        ("urdf.delete_robot", "TRASH"),
        ("urdf.reset_parts", "LOOP_BACK"),
        ("urdf.stand_on_ground", "TRIA_DOWN_BAR"),
        ("urdf.enforce_limits", "CON_ROTLIMIT"),
    ),
    "Pose": (
        ("urdf.home_pose", "HOME"),
        ("urdf.zero_pose", "EMPTY_AXIS"),
        ("urdf.ready_pose", "ARMATURE_DATA"),
        ("urdf.mirror_pose", "MOD_MIRROR"),
        ("urdf.random_pose", "FILE_REFRESH"),
        ("urdf.nearest_valid", "CHECKMARK"),
        ("urdf.range_test", "ARROW_LEFTRIGHT"),
        ("urdf.key_all", "KEYINGSET"),
    ),
    "IK": (
        ("urdf.solve_ik", "CON_KINEMATIC"),
        ("urdf.find_ik", "GHOST_ENABLED"),
        ("urdf.add_ik", "EMPTY_ARROWS"),
        ("urdf.snap_target", "SNAP_ON"),
        ("urdf.snap_joints", "BONE_DATA"),
        ("urdf.bake_ik", "KEYINGSET"),
        ("urdf.grasp", "VIEW_PAN"),
        ("urdf.release", "LOOP_FORWARDS"),
    ),
    "Motion": (
        ("urdf.import_motion", "IMPORT"),
        ("export_scene.robot_motion", "EXPORT"),
        ("export_scene.robot_episodes", "EXPORT"),
        ("urdf.retime_motion", "TIME"),
        ("urdf.bake_drive", "AUTO"),
        ("urdf.steer", "EMPTY_SINGLE_ARROW"),
        ("urdf.simulate", "PHYSICS"),
    ),
    "Waypoints": (
        ("urdf.record_waypoint", "ADD"),
        ("urdf.update_waypoint", "FILE_REFRESH"),
        ("urdf.generate_motion", "CURVE_PATH"),
        ("urdf.open_waypoints", "FILE_FOLDER"),
        ("urdf.save_waypoints", "FILE_TICK"),
        ("urdf.mount_axis", "DRIVER_DISTANCE"),
        ("urdf.unmount_axis", "X"),
        ("urdf.set_tool", "EMPTY_ARROWS"),
    ),
    "Look": (
        ("urdf.build_studio", "OUTLINER_OB_CAMERA"),
        ("urdf.remove_studio", "X"),
        ("urdf.material_preset", "MATERIAL"),
        ("urdf.make_thumbnail", "RENDER_STILL"),
        ("urdf.make_poses", "RENDER_STILL"),
        ("urdf.mark_asset", "ASSET_MANAGER"),
        ("urdf.fit_collisions", "MESH_ICOSPHERE"),
    ),
    "Sensors": (
        ("urdf.add_sensors", "CAMERA_DATA"),
        ("urdf.make_sensor", "ADD"),
        ("urdf.make_device", "OUTLINER_OB_LIGHT"),
        ("urdf.record_sensors", "REC"),
        ("urdf.remove_readings", "X"),
    ),
    "Source": (
        ("urdf.update", "FILE_REFRESH"),
        ("urdf.choose_source", "FILE_FOLDER"),
        ("urdf.import_srdf", "IMPORT"),
        ("export_scene.srdf", "EXPORT"),
        ("urdf.find_disabled_collisions", "MOD_PHYSICS"),
        ("urdf.measure", "DRIVER_DISTANCE"),
        ("urdf.mend_drivers", "DRIVER"),
    ),
    "Build": (
        ("urdf.make_link", "LINKED"),
        ("urdf.edit_joint", "CON_ROTLIKE"),
        ("urdf.mirror_limb", "MOD_MIRROR"),
        ("urdf.remove_link", "UNLINKED"),
        ("urdf.compute_inertials", "PHYSICS"),
        ("urdf.find_ranges", "DRIVER_ROTATIONAL_DIFFERENCE"),
        ("urdf.add_control", "SETTINGS"),
        ("urdf.split_object", "MOD_EXPLODE"),
    ),
    "Check": (
        ("urdf.check_robot", "VIEWZOOM"),
        ("urdf.check_motion", "ANIM"),
        ("urdf.prove_file", "FILE_TICK"),
        ("urdf.copy_report", "COPYDOWN"),
    ),
}
"""Submenu -> operators and their icons; the first are in the menu itself."""

# West, east, south, north, and so on, in Blender's order.
PIE = (
    ("urdf.zero_pose", "EMPTY_AXIS"),
    ("urdf.random_pose", "FILE_REFRESH"),
    ("urdf.key_all", "KEYINGSET"),
    ("urdf.home_pose", "HOME"),
    ("urdf.mirror_pose", "MOD_MIRROR"),
    ("urdf.nearest_valid", "CHECKMARK"),
    ("urdf.ready_pose", "ARMATURE_DATA"),
)


class HomePose(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.home_pose"
    bl_label = "Home Pose"
    bl_description = (
        "Put every joint of the active robot where the import started it. The "
        "robot's place does not change"
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        home_pose(robot)


class ReadyPose(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.ready_pose"
    bl_label = "Ready Pose"
    bl_description = (
        "Bend the joints of the active robot a little towards the middle of their ranges: a pose "
        "from which inverse kinematics finds its way"
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        ready_pose(robot)


class MirrorPose(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.mirror_pose"
    bl_label = "Mirror Pose"
    bl_description = (
        "Give each joint of the active robot its partner's position on the other side. Partners "
        "and signs are found by geometry, whatever the joints are called. In pose mode only the "
        "partners of selected bones move, if any are selected"
    )
    level = "WARNING"

    def run(self: Any, context: Any, robot: Any) -> str:
        mirrored = mirror_pose(robot, joints=selected_joints(context, robot))
        return count(mirrored, "joint") + " mirrored"


def selected_joints(context: Any, robot: Any) -> list[str] | None:
    """Lists the joints of the robot's selected bones in pose mode; None where there are none."""
    bones = (context.selected_pose_bones or ()) if context.mode == "POSE" else ()
    own = [bone.bone for bone in bones if bone.id_data in armatures_of(robot)]
    return [joint.name for bone in own for joint in read_joints(bone)] or None


class RobotMenu(bpy.types.Menu):
    bl_idname = "VIEW3D_MT_urdf_robot"
    bl_label = "Robot"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.operator_context = "INVOKE_REGION_WIN"
        _draw_entries(layout, ENTRIES[""])
        layout.separator()
        for kind in SUBMENUS:
            layout.menu(kind.bl_idname)


def _make_submenu(title: str) -> type[Any]:
    def draw(self: Any, context: Any) -> None:
        self.layout.operator_context = "INVOKE_REGION_WIN"
        _draw_entries(self.layout, ENTRIES[title])

    name = f"VIEW3D_MT_urdf_{title.lower()}"
    members = {"bl_idname": name, "bl_label": title, "draw": draw, "__module__": __name__}
    return type(name, (bpy.types.Menu,), members)


POSE_MENU = "VIEW3D_MT_urdf_pose"
SUBMENUS = tuple(_make_submenu(title) for title in ENTRIES if title)


class RobotPie(bpy.types.Menu):
    bl_idname = "VIEW3D_MT_urdf_pie"
    bl_label = "Robot"

    def draw(self, context: Any) -> None:
        _draw_entries(self.layout.menu_pie(), PIE)


def _draw_entries(layout: Any, entries: tuple[tuple[str, str], ...]) -> None:
    for name, icon in entries:
        draw_operator(layout, name, icon=icon)


def _draw_menu(self: Any, context: Any) -> None:
    if active_robot(context) is not None:
        self.layout.separator()
        self.layout.menu(RobotMenu.bl_idname, icon="ARMATURE_DATA")


_CALL = "wm.call_menu_pie"
PIE_KEYS = {"OBJECT": "Object Mode", "POSE": "Pose"}
"""Mode -> key map in which Shift Alt R opens the pie; Blender's own have it free."""


def find_pie_key(context: Any) -> str:
    """Finds the key that opens the pie in this mode, as the user has it; empty without one."""
    return find_key(PIE_KEYS.get(context.mode, ""), _opens_pie)


def _opens_pie(item: Any) -> bool:
    return bool(item.idname == _CALL and item.properties.name == RobotPie.bl_idname)


def register() -> None:
    """Adds the menu to Blender's, and the key of the pie."""
    add_to_menus(_draw_menu, "VIEW3D_MT_object", "VIEW3D_MT_pose")
    for name in PIE_KEYS.values():
        item = add_key(name, _CALL, "R", shift=True, alt=True)
        if item is not None:
            item.properties.name = RobotPie.bl_idname
