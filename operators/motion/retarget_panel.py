# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Retarget": the active robot follows a person of the scene."""

import math
from typing import Any

import bpy

from ...urdf_importer import Diagnostics, RetargetOptions, RobotError, retarget
from ...urdf_importer.blender.standing.armatures import armatures_of
from ..active_robot import active_robot, poll_robot
from ..option_properties import add_option_properties, draw_options, read_options
from ..reports import refuse, report_diagnostics
from ..sidebar.panel import RobotSubPanel

_RESULT = "urdf_retarget"


def find_people(robot: Any) -> list[str]:
    """Returns the names of the scene's other armatures."""
    own = set(armatures_of(robot))
    return sorted(
        item.name
        for item in bpy.context.scene.objects
        if item.type == "ARMATURE" and item not in own
    )


def _search_people(_operator: Any, context: Any, _text: str) -> list[str]:
    robot = active_robot(context)
    return [] if robot is None else find_people(robot)


# Blender 4.2 as a module crashes when it ends if a property has a function; there, no one types.
_WITH_PEOPLE: Any = {"search": _search_people} if bpy.app.binary_path else {}


class Retarget(bpy.types.Operator):
    bl_idname = "urdf.retarget"
    bl_label = "Retarget"
    bl_description = (
        "Let the active robot follow a person of the scene, any animated armature: plain keys in a "
        "new action. Limbs of both are found by geometry"
    )
    bl_options = {"REGISTER", "UNDO"}

    person: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Person",
        description="The armature to follow; empty for the only other one",
        **_WITH_PEOPLE,
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not poll_robot(cls, context):
            return False
        if not find_people(active_robot(context)):
            cls.poll_message_set("There is no other armature in the scene")
            return False
        return True

    def invoke(self, context: Any, event: Any) -> set[str]:
        people = find_people(active_robot(context))
        self.person = self.person if self.person in people else people[0]
        result: set[str] = context.window_manager.invoke_props_dialog(self)
        return result

    def draw(self, context: Any) -> None:
        self.layout.prop(self, "person")
        draw_options(self.layout, self, RetargetOptions)

    def execute(self, context: Any) -> set[str]:
        robot: Any = active_robot(context)
        people = find_people(robot)
        name = self.person or (people[0] if len(people) == 1 else "")
        if name not in people:
            self.report({"ERROR"}, f"Say which of {', '.join(people[:5])} is the person")
            return {"CANCELLED"}
        diagnostics = Diagnostics(robot.name)
        try:
            result = retarget(
                context.scene.objects[name],
                robot,
                options=read_options(self, RetargetOptions),
                diagnostics=diagnostics,
            )
        except RobotError as error:
            return refuse(self, error)
        result.action[_RESULT]["limbs"] = [
            f"{each.limb}: {math.degrees(each.most):.1f}°" for each in result.limbs
        ]
        report_diagnostics(self, robot.name, tuple(diagnostics), "retargeting")
        self.report({"INFO"}, result.message)
        return {"FINISHED"}


add_option_properties(Retarget, RetargetOptions)


class RetargetPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_retarget"
    bl_label = "Retarget"
    bl_order = 19
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        robot = active_robot(context)
        return robot is not None and bool(find_people(robot))

    def draw(self, context: Any) -> None:
        self.layout.operator(Retarget.bl_idname, icon="ARMATURE_DATA")
        robot: Any = active_robot(context)
        data = robot.animation_data
        known = data.action.get(_RESULT) if data is not None and data.action is not None else None
        if known is not None:
            column = self.layout.column(align=True)
            for text in (f"Follows {known['source']}", *known.get("limbs", ())):
                column.label(text=text)


_CLASSES = (Retarget, RetargetPanel)


def register() -> None:
    """Adds the panel and its operator."""
    for kind in _CLASSES:
        bpy.utils.register_class(kind)


def unregister() -> None:
    """Takes them out again."""
    for kind in reversed(_CLASSES):
        bpy.utils.unregister_class(kind)
