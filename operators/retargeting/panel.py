# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Retarget": the active robot follows a person of the scene."""

import math
from dataclasses import fields
from typing import Any

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector
from mathutils.geometry import intersect_point_line

from ...urdf_importer import (
    Diagnostics,
    RetargetOptions,
    RetargetResult,
    RobotError,
    retarget_steps,
)
from ...urdf_importer.core.blender.standing.armatures import pose_bones_of
from ...urdf_importer.core.blender.standing.links import name_link
from ...urdf_importer.core.blender.standing.placing import frame_robots
from ...urdf_importer.core.blender.standing.robot_table import find_robot, recall_table
from .. import props
from ..active_robot import RobotOperator, active_robot, ask, find_hindrance
from ..gizmos.bodies import cast_sight, look_through
from ..importing.placement import list_views
from ..motion.panel import draw_jump
from ..option_properties import add_option_properties, draw_options, read_options
from ..reports import report_diagnostics
from ..sidebar.panel import RobotSubPanel
from ..stepping import SteppedOperator, Steps
from ..wrapped_text import draw_wrapped
from .limb_pairs import (
    LimbRow,
    choose_person,
    correct_pairs,
    find_end,
    find_people,
    find_person,
    given_pairs,
    name_color,
    recall_limbs,
    watch_panel,
)

_RESULT = "urdf_retarget"
_NEAR = 40.0
"""Pixels by which a click may miss a bone."""


def _search_people(_operator: Any, context: Any, _text: str) -> list[str]:
    robot = active_robot(context)
    return [] if robot is None else find_people(robot, robots=True)


# Blender 4.2 as a module crashes when it ends if a property has a function; there, no one types.
_WITH_PEOPLE: Any = {"search": _search_people} if bpy.app.binary_path else {}


def _find_hindrance(context: Any) -> str:
    """Finds why the active robot cannot follow a person; empty where it can."""
    why = find_hindrance(context)
    if why or find_people(active_robot(context), robots=True):
        return why
    return "There is no other armature in the scene"


class FollowPerson(SteppedOperator, RobotOperator):
    """Base of the operators that let the active robot follow a person: step by step in a window."""

    bl_description = (
        "Let the active robot follow a person of the scene, any animated armature: plain keys in a "
        "new action. Limbs of both are found by geometry"
    )
    steps_title = "Retargeting"
    cancelled_text = "Cancelled; nothing is keyed"

    person: props.text(
        "Person", "The armature to follow; empty for the only other one", **_WITH_PEOPLE
    )

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return _find_hindrance(context)

    def draw(self: Any, context: Any) -> None:
        self.layout.prop(self, "person")
        draw_options(self.layout, self, RetargetOptions)

    def begin_steps(self: Any, context: Any) -> Steps:
        """Returns the work; wrong choices are refused in its first step."""
        robot: Any = active_robot(context)
        people = find_people(robot)
        name = self.person or (people[0] if len(people) == 1 else "")
        others = find_people(robot, robots=True)
        if name not in others:
            raise RobotError(f"choose one of {', '.join((people or others)[:5])} as the person")
        self._diagnostics = Diagnostics(robot.name)
        result = yield from retarget_steps(
            context.scene.objects[name],
            robot,
            options=read_options(self, RetargetOptions),
            diagnostics=self._diagnostics,
        )
        return result

    def keep_result(self: Any, context: Any, result: RetargetResult) -> set[str]:
        worst = sorted(result.limbs, key=lambda each: -each.worst)
        result.action[_RESULT]["limbs"] = [
            f"{each.limb}: {math.degrees(each.most):.1f}°, at worst {math.degrees(each.worst):.1f}°"
            for each in worst
        ]
        result.action[_RESULT]["frames"] = [each.frame for each in worst]
        robot = self._diagnostics.source
        report_diagnostics(self, robot, tuple(self._diagnostics), "retargeting")
        if not bpy.app.background:
            frame_robots([active_robot(context)], list_views(context))
        self.report({"INFO"}, result.message)
        return {"FINISHED"}


add_option_properties(FollowPerson, RetargetOptions)


class RunRetarget(FollowPerson, bpy.types.Operator):
    bl_idname = "urdf.run_retarget"
    bl_label = "Retarget"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}


class Retarget(FollowPerson, bpy.types.Operator):
    """Asks, and leaves work and undo to the other one; scripts get the result at once."""

    bl_idname = "urdf.retarget"
    bl_label = "Retarget"
    _asks = False

    def invoke(self, context: Any, event: Any) -> set[str]:
        robot: Any = active_robot(context)
        others = find_people(robot, robots=True)
        if self.person not in others:
            self.person = (find_people(robot) or others)[0]
        self._asks = not bpy.app.background
        return ask(self, context)

    def execute(self, context: Any) -> set[str]:
        if not self._asks:
            return super().execute(context)
        names = ("person", *(each.name for each in fields(RetargetOptions)))
        bpy.ops.urdf.run_retarget("INVOKE_DEFAULT", **{each: getattr(self, each) for each in names})
        # Nothing is done yet, so there is nothing to undo.
        return {"CANCELLED"}


class PersonOperator(RobotOperator):
    """Base of the operators that say whom a robot follows, and with which limb."""

    bl_options = {"INTERNAL"}

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return _find_hindrance(context)


class PairOperator(PersonOperator):
    """Base of the operators that correct who follows whom."""

    bone: props.text("Bone", "A bone of the limb of the person")
    link: props.text("Link", "A link or joint of the limb of the robot; empty for none")

    def run(self: Any, context: Any, robot: Any) -> None:
        """Corrects the pair of a bone; without a bone, takes all corrections back."""
        person = find_person(robot)
        given = dict(given_pairs(robot, person)) if self.bone else {}
        is_back = not self.link and given.pop(self.bone, None) == ""
        if self.bone and not is_back:
            given[self.bone] = self.link
        found = correct_pairs(robot, person, tuple(given.items()))
        if found.why:
            raise RobotError(found.why)


class SetPair(PairOperator, bpy.types.Operator):
    bl_idname = "urdf.set_pair"
    bl_label = "Follow"
    bl_description = "Let this limb follow the person, or leave it alone"


class PickPair(PairOperator, bpy.types.Operator):
    bl_idname = "urdf.pick_pair"
    bl_label = "Pick Pair"
    bl_description = (
        "Correct who follows whom by two clicks in the view: on a bone of the person, then on the "
        "part of the robot that follows it. Esc ends it"
    )

    def invoke(self, context: Any, event: Any) -> set[str]:
        self.bone = self.link = ""
        person: Any = find_person(active_robot(context))
        self._tell(context, f"Click a bone of {person.name}")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        region = next(each for each in context.area.regions if each.type == "WINDOW")
        mouse = Vector((event.mouse_x - region.x, event.mouse_y - region.y))
        inside = 0 <= mouse.x < region.width and 0 <= mouse.y < region.height
        if event.type != "LEFTMOUSE" or event.value != "PRESS" or not inside:
            return {"PASS_THROUGH"}
        robot: Any = active_robot(context)
        if not self.bone:
            person = find_person(robot)
            near = _find_bone(context, region, mouse, person.pose.bones if person else ())
            self.bone = find_end(robot, near) if near else ""
            if near:
                self._tell(context, f"{self.bone}: click the part of the robot that follows it")
            return {"RUNNING_MODAL"}
        self.link = _find_part(context, region, mouse, robot)
        if not self.link:
            return {"RUNNING_MODAL"}
        self.cancel(context)
        return self.execute(context)

    def cancel(self, context: Any) -> None:
        context.workspace.status_text_set(None)

    def _tell(self, context: Any, text: str) -> None:
        context.workspace.status_text_set(f"{text}    Esc: end")


def _find_bone(context: Any, region: Any, mouse: Any, bones: Any) -> Any | None:
    """Finds the bone nearest to the mouse, as the view shows it."""
    best, found = _NEAR, None
    for bone in bones:
        place, view = bone.id_data.matrix_world, context.space_data.region_3d
        ends = [location_3d_to_region_2d(region, view, place @ at) for at in (bone.head, bone.tail)]
        if None in ends:
            continue
        # The middle of a bone says which one is meant where two meet.
        on, share = intersect_point_line(mouse, *ends)
        on = ends[0].lerp(ends[1], min(max(share, 0.05), 0.95))
        if (on - mouse).length < best:
            best, found = (on - mouse).length, bone
    return found


def _find_part(context: Any, region: Any, mouse: Any, robot: Any) -> str:
    """Finds the link under the mouse, else the joint of the nearest bone."""
    hit = cast_sight(context, look_through(region, context.space_data.region_3d, mouse))
    item = hit.item if hit is not None and find_robot(hit.item) == robot else None
    while item is not None:
        link = name_link(item)
        if link:
            return link
        item = item.parent
    near = _find_bone(context, region, mouse, pose_bones_of(robot))
    joints = recall_table(robot).joints.values() if near is not None else ()
    return next((each.name for each in joints if near and each.bone == near.name), "")


class ChoosePerson(PersonOperator, bpy.types.Operator):
    bl_idname = "urdf.choose_person"
    bl_label = "Choose Person"
    bl_description = "Let the active robot follow this armature"

    person: props.text("Person", "The armature to follow")

    def run(self: Any, context: Any, robot: Any) -> None:
        choose_person(robot, self.person)


class RetargetPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_retarget"
    bl_label = "Retarget"
    bl_order = 20

    @classmethod
    def poll(cls, context: Any) -> bool:
        robot = active_robot(context)
        return robot is not None and bool(find_people(robot))

    def draw_header(self, context: Any) -> None:
        # Drawn before the content, and alone where the panel is closed.
        watch_panel(is_open=False)

    def draw(self, context: Any) -> None:
        watch_panel(is_open=True)
        robot: Any = active_robot(context)
        person: Any = find_person(robot)
        column = self.layout.column(align=True)
        for name in find_people(robot):
            choice = column.operator(
                ChoosePerson.bl_idname,
                text=name,
                icon="ARMATURE_DATA",
                depress=name == person.name,
                translate=False,
            )
            choice.person = name
        given = given_pairs(robot, person)
        _draw_limbs(self.layout, context, recall_limbs(robot, person), given)
        go = self.layout.operator(Retarget.bl_idname, icon="ARMATURE_DATA")
        go.person = person.name
        go.pairs = "\n".join(f"{bone}:={link}" for bone, link in given)
        _draw_result(self.layout, robot)


def unfold_panel(kind: Any) -> None:
    """Unfolds a panel. Blender remembers by a panel's name that it is folded, and no script can
    change that; so the panel is registered anew, unfolded, under a name that is new to it."""
    bpy.utils.unregister_class(kind)
    stem, _, number = kind.bl_idname.partition("_again_")
    kind.bl_idname = f"{stem}_again_{int(number or 0) + 1}"
    kind.bl_options = set()
    bpy.utils.register_class(kind)


def _draw_limbs(layout: Any, context: Any, found: Any, given: Any) -> None:
    if found is None or found.why:
        draw_wrapped(layout, context, found.why if found else "Looking for limbs", icon="INFO")
    for row in found.rows if found is not None else ():
        is_chosen = bool(row.link) or (row.bones[-1], "") in given
        _draw_row(layout.row(align=True), context, row, is_chosen)
    buttons = layout.row(align=True)
    buttons.operator(PickPair.bl_idname, icon="EYEDROPPER")
    # Grey, not gone, where nothing was corrected: the button beside it would come under the mouse.
    back = buttons.row(align=True)
    back.enabled = bool(given)
    back.operator(SetPair.bl_idname, text="", icon="LOOP_BACK").bone = ""


def _draw_row(line: Any, context: Any, row: LimbRow, is_chosen: bool) -> None:
    """Draws a limb. One without a partner, which no user chose, cannot be ticked."""
    icon = "CHECKBOX_HLT" if row.link else "CHECKBOX_DEHLT"
    place = line.row()
    place.enabled = is_chosen
    tick = place.operator(SetPair.bl_idname, text="", icon=icon, emboss=False)
    tick.bone, tick.link = row.bones[-1], ""
    column = line.column(align=True)
    title = f"{row.limb}: {row.link}" if row.link else ("left alone" if is_chosen else "no partner")
    draw_wrapped(column, context, title, name_color(row.color) if row.link else "BLANK1", icons=2)
    theirs = column.column(align=True)
    theirs.active = False
    draw_wrapped(theirs, context, " > ".join(row.bones), "BLANK1", icons=2)


def _draw_result(layout: Any, robot: Any) -> None:
    data = robot.animation_data
    known = data.action.get(_RESULT) if data is not None and data.action is not None else None
    if known is None:
        return
    column = layout.column(align=True)
    column.label(text=f"Follows {known['source']}")
    for text, frame in zip(known.get("limbs", ()), known.get("frames", ()), strict=False):
        row = column.row(align=True)
        row.label(text=text)
        draw_jump(row, frame)
