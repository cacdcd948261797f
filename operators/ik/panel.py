# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "IK": where a link is to be."""

from collections.abc import Iterable
from typing import Any

import bpy

from ...urdf_importer.blender.ik.live import followed_targets_of, unwatch, watch
from ...urdf_importer.blender.ik.solve import list_groups, list_links
from ..active_robot import active_robot
from ..sidebar.panel import RobotSubPanel
from ..sidebar.pose_operators import KeyAll
from .operators import (
    CLASSES as OPERATORS,
)
from .operators import (
    FRAMES,
    MODES,
    ORIENTATIONS,
    SOURCES,
    AddIK,
    BakeIK,
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
    """What the panel asks; the answer is the pose."""

    mode: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Mode", description="What the target means", items=MODES, default="absolute"
    )
    source: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Target", description="Where the target is", items=SOURCES, default="cursor"
    )
    frame: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Axes", description="What the numbers are measured in", items=FRAMES
    )
    orientation: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Turn", description="How the link is to be turned", items=ORIENTATIONS
    )
    place: bpy.props.FloatVectorProperty(  # type: ignore[valid-type]
        name="Place", description="Where the link is to be, or how far it is to go",
        subtype="TRANSLATION", unit="LENGTH", size=3,
    )  # fmt: skip
    object: bpy.props.PointerProperty(  # type: ignore[valid-type]
        name="Object", description="The object that the link is to be at", type=bpy.types.Object
    )
    key: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Key", description="Key the joints that moved, at the current frame"
    )


class IKPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_ik"
    bl_label = "Inverse Kinematics"
    bl_order = 15
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        settings, robot = context.window_manager.urdf_ik, active_robot(context)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        column.prop(settings, "link")
        if not settings.link:
            column.label(text=f"Hand: {chosen_link(context)}")
        column.prop(settings, "group")
        column.prop(settings, "source")
        if settings.source == "object":
            column.prop(settings, "object")
        if settings.source == "numbers":
            column.prop(settings, "place")
            column.prop(settings, "frame")
            column.prop(settings, "mode")
        column.prop(settings, "orientation")
        row = layout.row(align=True)
        row.operator(SolveIK.bl_idname, icon="CON_KINEMATIC")
        row.prop(settings, "key", text="", icon="KEY_HLT", toggle=True)
        _draw_live(layout, robot)
        row = layout.row(align=True)
        row.operator(SnapJoints.bl_idname)
        row.operator(KeyAll.bl_idname)


def _draw_live(layout: Any, robot: Any) -> None:
    layout.separator()
    layout.operator(AddIK.bl_idname, icon="EMPTY_ARROWS")
    targets = followed_targets_of(robot)
    for target in targets:
        row = layout.row(align=True)
        row.prop(target, "name", text="", icon="OBJECT_DATA")
        row.operator(RemoveIK.bl_idname, text="", icon="X").target = target.name
    if targets:
        row = layout.row(align=True)
        row.operator(SnapTarget.bl_idname)
        row.operator(BakeIK.bl_idname)


_CLASSES = (*OPERATORS, IKSettings, IKPanel)


def register_ik() -> None:
    """Adds the panel, and follows live targets from now on."""
    for kind in _CLASSES:
        bpy.utils.register_class(kind)
    # Not as annotations: Blender 4.2 as a module, whose groups do not let go of callbacks, would
    # crash when Python ends.
    IKSettings.link = bpy.props.StringProperty(
        name="Link",
        description="The link that is to be at the target; empty for the robot's hand",
        search=_search_links,
    )
    IKSettings.group = bpy.props.StringProperty(
        name="Group",
        description="The group of the SRDF whose joints may move; empty for all",
        search=_search_groups,
    )
    bpy.types.WindowManager.urdf_ik = bpy.props.PointerProperty(type=IKSettings)
    watch()


def unregister_ik() -> None:
    """Takes it out again."""
    unwatch()
    del bpy.types.WindowManager.urdf_ik
    del IKSettings.link, IKSettings.group
    for kind in reversed(_CLASSES):
        bpy.utils.unregister_class(kind)
