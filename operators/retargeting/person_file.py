# SPDX-License-Identifier: GPL-3.0-or-later
"""People's motion that is dropped on the 3D view: the person comes beside the robot, and the panel
*Retarget* opens."""

import os
from dataclasses import replace
from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.core.blender.curves import widen_range
from ...urdf_importer.core.blender.modes import leave_modes, remember_state, restore_state
from ...urdf_importer.core.blender.standing.placing import frame_robots, leave_others
from ...urdf_importer.features.retargeting.retarget import open_person
from .. import props
from ..active_robot import ActingOperator, ask, browse, wait_cursor
from ..importing.placement import find_right, list_views, open_sidebar
from ..registration import add_to_menus, make_drop_handler
from ..wrapped_text import draw_wrapped
from .limb_pairs import choose_person
from .panel import RetargetPanel, unfold_panel

_WHAT = "A person, as tall as people are. The scene takes the recording's frame rate"
_NOT_NOW = "Leave the mode you are in first: people are imported in object and pose mode"


class ImportPerson(ActingOperator, bpy.types.Operator):
    bl_idname = "urdf.import_person"
    bl_label = "Import Person"
    bl_description = (
        "Import a person's motion (.bvh) beside the active robot, as tall as people are, at its "
        "own frame rate, and open the panel Retarget"
    )

    filepath: props.file("The recording of a person")
    filter_glob: props.pattern(".bvh", options=props.OF_THIS_TIME)

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return "" if context.mode in ("OBJECT", "POSE") else _NOT_NOW

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        if not os.path.isfile(self.filepath):
            return browse(self, context)
        if bpy.app.background:
            return set(self.execute(context))
        title = f"Import {bpy.path.basename(self.filepath)}"
        return ask(self, context, width=400, title=title, confirm_text="Import")

    def draw(self: Any, context: Any) -> None:
        draw_wrapped(self.layout, context, _WHAT, icon="INFO")

    def run(self: Any, context: Any, robot: Any) -> str:
        path = bpy.path.abspath(self.filepath)
        if not path.lower().endswith(".bvh"):
            raise RobotError(f"{os.path.basename(path)} does not end in .bvh")
        state = remember_state()
        leave_modes()
        try:
            with wait_cursor(context):
                person = open_person(path)
        except RobotError:
            restore_state(state)
            raise
        scene = context.scene
        first, last = person.animation_data.action.frame_range
        widen_range(scene, first, last)
        rate = scene.render.fps / scene.render.fps_base
        said = f"{person.name}: {last - first + 1:.0f} frames at {rate:.5g} a second"
        if robot is None:
            return f"{said}; import a robot that follows it"
        leave_others(person, find_right(context))
        # Timelines show the keys of selected objects: the robot's, not the person's.
        restore_state(state if state.active is not None else replace(state, active=robot))
        _show(context, robot, person)
        return f"{said}, the scene's rate now"


def _show(context: Any, robot: Any, person: Any) -> None:
    """Shows both, and the panel in which the robot follows the person."""
    choose_person(robot, person.name)
    if bpy.app.background:
        return
    frame_robots([robot, person], list_views(context))
    unfold_panel(RetargetPanel)
    open_sidebar(context)


DropPerson = make_drop_handler(
    __name__, "IO_FH_robot_person", "Person for a Robot", ImportPerson.bl_idname, (".bvh",)
)


def draw_import_person(menu: Any, context: Any) -> None:
    """Draws the entry of File > Import."""
    menu.layout.operator(ImportPerson.bl_idname, text="Person for a Robot (.bvh)")


def register() -> None:
    """Adds the entry to the menu of robots."""
    add_to_menus(draw_import_person, "TOPBAR_MT_urdf_import")
