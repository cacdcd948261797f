# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Inverse Kinematics": the target of a link, and the joints that are kept."""

from collections.abc import Iterable
from typing import Any

import bpy

from ...urdf_importer.core.blender.memory import recall
from ...urdf_importer.core.blender.semantics.markers import followed_targets_of
from ...urdf_importer.core.blender.standing import properties
from ...urdf_importer.core.blender.standing.joints import is_locked, posed_joints_of
from ...urdf_importer.core.diagnostics import KinematicsError
from ...urdf_importer.core.shelves import has_hook
from ...urdf_importer.features.ik.blender.live import unwatch, watch
from ...urdf_importer.features.ik.blender.native import find_obstacle
from ...urdf_importer.features.ik.blender.solve import (
    choose_joints,
    choose_unlocked,
    list_groups,
    list_links,
    recall_rig,
)
from .. import props
from ..active_robot import active_robot
from ..preferences import find_preferences
from ..registration import add_handler, add_property, at_end, call_hooks, draw_operator
from ..sidebar.panel import RobotSubPanel
from ..sidebar.pose_operators import KeyAll
from ..wrapped_text import draw_wrapped
from .ghosts import find_ghosts, hide_ghosts
from .operators import (
    CONVENTIONS,
    FRAMES,
    MODES,
    ORIENTATIONS,
    SOURCES,
    AddIK,
    BakeIK,
    ChooseWay,
    FindWays,
    HideWays,
    RemoveIK,
    SnapJoints,
    SnapTarget,
    SolveIK,
    chosen_link,
)


def _search_links(settings: Any, context: Any, text: str) -> Iterable[str]:
    robot = active_robot(context)
    return list_links(robot) if robot is not None else ()


def _search_groups(settings: Any, context: Any, text: str) -> Iterable[str]:
    robot = active_robot(context)
    return list_groups(robot) if robot is not None else ()


class IKSettings(bpy.types.PropertyGroup):
    """The panel's question; the answer is the pose."""

    mode: props.choice("Mode", "The meaning of the target", items=MODES, default="absolute")
    source: props.choice("Target", "Where the target is", items=SOURCES, default="gizmo")
    frame: props.choice("Axes", "The frame in which the numbers are measured", items=FRAMES)
    orientation: props.choice("Orientation", "The link's orientation", items=ORIENTATIONS)
    place: props.vector(
        "Place", "The link's new place, or its offset", subtype="TRANSLATION",
        unit="LENGTH",
    )  # fmt: skip
    object: bpy.props.PointerProperty(
        name="Object", description="The object that the link moves to", type=bpy.types.Object
    )
    numbers: props.vector("Place", "The link's new place, or its offset, as written", precision=4)
    convention: props.choice("Convention", "The axes and units of the numbers", items=CONVENTIONS)
    failed: props.text("Failed", "Frames in which the last baking was out of reach")
    avoid_collisions: props.switch(
        "No Self-Collision", "Take poses alone in which no links of the robot touch each other"
    )
    key: props.switch("Key", "Key the joints that moved, at the current frame")


class IKPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_ik"
    bl_label = "Inverse Kinematics"
    bl_order = 15

    def draw(self, context: Any) -> None:
        settings, robot = context.window_manager.urdf_ik, active_robot(context)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        column.prop(settings, "link", placeholder=chosen_link(context))
        column.prop(settings, "group", placeholder="All Joints")
        column.prop(settings, "source")
        _draw_source(column, context, settings)
        column.prop(settings, "orientation")
        _draw_locks(layout, context, robot)
        for _ in call_hooks("draw_swivel", layout, context, robot):
            pass
        if has_hook("avoid_collisions"):
            whole = column.column()
            whole.use_property_split = False  # The right half is too narrow for the label.
            whole.prop(settings, "avoid_collisions")
        if settings.source != "gizmo":
            row = layout.row(align=True)
            row.operator(SolveIK.bl_idname, icon="CON_KINEMATIC")
            row.prop(settings, "key", text="", icon="KEY_HLT", toggle=True)
        _draw_ways(layout, robot)
        column = layout.column(align=True)
        row = column.row(align=True)
        row.operator(SnapJoints.bl_idname)
        row.operator(KeyAll.bl_idname, text="Key Solution")
        row = column.row(align=True)
        draw_operator(row, "urdf.grasp")
        draw_operator(row, "urdf.release")
        _draw_live(layout, context, robot)
        if settings.failed:
            draw_wrapped(layout, context, f"Out of reach in frames {settings.failed}")


def _draw_source(column: Any, context: Any, settings: Any) -> None:
    if settings.source == "gizmo":
        found = find_preferences(context)
        if found is not None:
            column.prop(found, "tip_handles")
    if settings.source == "object":
        column.prop(settings, "object")
    if settings.source == "numbers":
        column.prop(settings, "place" if settings.convention == "ros" else "numbers")
        column.prop(settings, "frame")
        column.prop(settings, "convention")
        column.prop(settings, "mode")


def _draw_locks(layout: Any, context: Any, robot: Any) -> None:
    """Draws a padlock for each joint that may move: the lock of its bone, which can be keyed."""
    header, body = layout.panel("urdf_held", default_closed=True)
    header.label(text="Held Joints")
    if body is None:
        return
    settings, rig = context.window_manager.urdf_ik, recall_rig(robot)
    try:
        free = choose_unlocked(robot, rig, chosen_link(context), settings.group or None)
    except KinematicsError as error:
        draw_wrapped(body, context, str(error))
        return
    column = body.column(align=True)
    column.use_property_split = False
    for bone, joint in posed_joints_of(robot):
        if joint.name not in free:
            continue
        row = column.row(align=True)
        row.label(text=joint.name, translate=False)
        for channel in joint.channels:
            locks = "lock_rotation" if channel.turns else "lock_location"
            held = is_locked(bone, channel)
            row.prop(
                bone, locks, index=channel.index, text="", emboss=False,
                icon="LOCKED" if held else "UNLOCKED",
            )  # fmt: skip


def _draw_ways(layout: Any, robot: Any) -> None:
    ghosts = find_ghosts(robot)
    row = layout.row(align=True)
    row.operator(FindWays.bl_idname, icon="GHOST_ENABLED")
    # Grey, not gone, where there is none: the button beside it would come under the mouse.
    hide = row.row(align=True)
    hide.enabled = ghosts is not None
    hide.operator(HideWays.bl_idname, text="", icon="X")
    row = layout.row(align=True)
    if ghosts is None:
        # As high as the numbers, which go with undo too.
        row.enabled = False
        row.label(text="None shown")
        return
    for number in range(1, len(ghosts.ways.positions) + 1):
        chosen = ghosts.chosen == number - 1
        row.operator(ChooseWay.bl_idname, text=str(number), depress=chosen).number = number


def _draw_live(layout: Any, context: Any, robot: Any) -> None:
    layout.separator()
    layout.operator(AddIK.bl_idname, icon="EMPTY_ARROWS")
    if _needs_extension(robot, chosen_link(context)):
        draw_wrapped(layout, context, "Targets are followed while this extension is enabled")
    targets = followed_targets_of(robot)
    row = layout.row(align=True)
    row.enabled = bool(targets)
    row.operator(SnapTarget.bl_idname)
    row.operator(BakeIK.bl_idname)
    # Last of all: a button below a target comes under the mouse when the target is removed.
    for target in targets:
        native = target[properties.IK].get("native")
        row = layout.row(align=True)
        row.prop(target, "name", text="", icon="CON_KINEMATIC" if native else "OBJECT_DATA")
        row.operator(RemoveIK.bl_idname, text="", icon="X").target = target.name


def _needs_extension(robot: Any, link: str) -> bool:
    """Whether Blender's own inverse kinematics cannot move a link."""

    def read(armature: Any) -> bool:
        rig = recall_rig(armature)
        if link not in rig.tree.index:
            return False
        joints = choose_joints(armature, rig, link, None)
        return bool(joints and find_obstacle(armature, link, joints))

    needed: bool = recall(robot, ("obstacle", link), read)
    return needed


def register() -> None:
    """Adds the settings, lets ghosts go with the file, and follows live targets from now on."""
    # Not as annotations: Blender 4.2 as a module, whose groups do not let go of callbacks, would
    # crash when Python ends.
    link = props.text(
        "Link", "The link that moves to the target; empty for the robot's hand",
        search=_search_links,
    )  # fmt: skip
    group = props.text(
        "Group", "The group of the SRDF whose joints may move; empty for all",
        search=_search_groups,
    )  # fmt: skip
    add_property(IKSettings, "link", link)
    add_property(IKSettings, "group", group)
    add_property(bpy.types.WindowManager, "urdf_ik", bpy.props.PointerProperty(type=IKSettings))
    add_handler(bpy.app.handlers.load_pre, hide_ghosts)
    watch()
    at_end(unwatch)
