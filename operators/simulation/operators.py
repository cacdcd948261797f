# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate: with progress in the status bar; Esc takes everything back."""

from collections.abc import Iterable
from typing import Any

import bpy

from ...urdf_importer import (
    Progress,
    Push,
    RobotError,
    Simulation,
    SimulationOptions,
    simulation_steps,
)
from ...urdf_importer.core.blender.standing.robot_table import find_robot
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.ik.blender.solve import recall_rig, suggest_link
from ...urdf_importer.features.simulation.simulate import find_engine
from ...urdf_importer.features.simulation.start_robot import find_free_base
from .. import props
from ..active_robot import RobotOperator, active_robot, is_playing, redraw_views
from ..option_properties import option_property
from ..reports import report_diagnostics
from ..sidebar.panel import RobotSubPanel
from ..stepping import SteppedOperator, Steps
from ..wrapped_text import draw_page, draw_wrapped

_ENGINES = {"mujoco": "MuJoCo", "bullet": "Bullet"}
_HITS = (
    ("none", "None", "Robots hit the floor, each other and themselves"),
    ("selected", "Selected Objects", "The selected mesh objects that belong to no robot"),
    ("collection", "Collection", "The mesh objects of a collection"),
    ("visible", "All Visible", "All visible mesh objects that belong to no robot"),
)


def _search_links(operator: Any, context: Any, text: str) -> Iterable[str]:
    robot = active_robot(context)
    return _list_links(robot) if robot is not None else ()


def _list_links(robot: Any) -> list[str]:
    return [link.name for link in recall_rig(robot).tree.links]


def _find_pushed(chosen: Any, context: Any) -> str:
    """Returns the link that is pushed where none is named: the base link, or the hand where the
    base is fixed, which a push does not move."""
    robot: Any = active_robot(context)
    falls = chosen.drops and chosen.base not in ("fixed", "keyed")
    options = SimulationOptions(base=chosen.base, height=chosen.height if falls else None)
    return find_free_base(robot, options) or suggest_link(robot)


class SimulateRobot(SteppedOperator, RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.simulate"
    bl_label = "Simulate"
    bl_description = (
        "Let the active robot, and other selected ones, fall, stand or follow their motion by "
        "physics, from the current frame on. The result is keys in a new action; Esc takes all back"
    )

    engine: option_property(SimulationOptions, "engine")
    seconds: props.number(
        "Duration", "How long to simulate, from the current frame on", default=2.0, min=0.02,
        soft_max=30.0,
        max=3600.0, unit="TIME_ABSOLUTE",
    )  # fmt: skip
    base: option_property(SimulationOptions, "base")
    drops: props.switch("Drop", "Begin at a height above the floor, and fall")
    height: props.number(
        "Height", "How high the lowest point of the robot is above the floor", default=0.3, min=0.0,
        soft_max=10.0, max=1e4, subtype="DISTANCE", unit="LENGTH",
    )  # fmt: skip
    floor: option_property(SimulationOptions, "floor")
    motors: option_property(SimulationOptions, "motors")
    pushes: props.switch("Push", "Push a link for a while, at its centre of mass")
    push_link: props.text("Pushed Link", "The link that is pushed", search=_search_links)
    push_force: props.vector(
        "Force (N)",
        "The force of the push in newtons, along the axes of the world",
        default=(100.0, 0.0, 0.0),
    )
    push_start: props.number(
        "Push Start", "When the push begins, after the current frame", default=0.5, min=0.0,
        max=3600.0,
        unit="TIME_ABSOLUTE",
    )  # fmt: skip
    push_seconds: props.number(
        "Push Time",
        "How long the link is pushed",
        default=0.2,
        min=0.0,
        max=3600.0,
        unit="TIME_ABSOLUTE",
    )
    hits: props.choice("Colliders", "Objects of the scene that robots hit", items=_HITS)
    collection: props.text("Collection", "The collection of the objects that robots hit")

    steps_title = "Simulating"
    cancelled_text = "Cancelled; nothing is keyed"

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return "Stop the animation first" if is_playing(context) else super().why_disabled(context)

    def draw(self, context: Any) -> None:
        draw_settings(self.layout, self, context)

    def begin_steps(self, context: Any) -> Steps:
        options = SimulationOptions(
            engine=self.engine,
            base=self.base,
            height=self.height if self.drops else None,
            floor=self.floor,
            motors=self.motors,
            pushes=self._find_pushes(context),
            colliders=self._find_colliders(context),
        )
        return simulation_steps(
            find_chosen(context), seconds=self.seconds, options=options, live=True
        )

    def _find_pushes(self, context: Any) -> tuple[Push, ...]:
        if not self.pushes:
            return ()
        link = self.push_link or _find_pushed(self, context)
        force, start, seconds = tuple(self.push_force), self.push_start, self.push_seconds
        return (Push(link=link, force=force, start=start, seconds=seconds),)

    def _find_colliders(self, context: Any) -> tuple[str, ...]:
        if self.hits in ("none", "visible"):
            return () if self.hits == "none" else ("visible",)
        if self.hits == "selected":
            items = context.selected_objects
        else:
            collection = bpy.data.collections.get(self.collection)
            if collection is None:
                raise RobotError("choose the collection that robots hit")
            items = collection.all_objects
        return tuple(
            each.name for each in items if each.type == "MESH" and find_robot(each) is None
        )

    def look(self, progress: Progress) -> None:
        redraw_views()

    def keep_result(self, context: Any, result: Simulation) -> set[str]:
        weak = sum(len(each.overloads) for each in result.robots)
        first = result.robots[0].armature.name
        report_diagnostics(self, first, result.diagnostics, "simulation")
        sentence = f"{count(len(result.robots), 'robot')} simulated by {_ENGINES[result.engine]}"
        if weak:
            sentence += f"; {count(weak, 'motor')} cannot do it, see Motion"
        self.report({"WARNING"} if weak else {"INFO"}, sentence)
        return {"FINISHED"}


def find_chosen(context: Any) -> list[Any]:
    """Lists the active robot and other selected ones."""
    found = [active_robot(context), *map(find_robot, context.selected_objects)]
    return list(dict.fromkeys(each for each in found if each is not None and each.is_editable))


def draw_settings(layout: Any, chosen: Any, context: Any) -> None:
    """Draws the properties of the operator, or of its last run."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    layout.prop(chosen, "engine")
    layout.prop(chosen, "seconds")
    layout.prop(chosen, "motors")
    layout.prop(chosen, "base")
    row = layout.row(align=True, heading="Drop from")
    row.prop(chosen, "drops", text="")
    value = row.row(align=True)
    value.enabled = chosen.drops
    value.prop(chosen, "height", text="")
    layout.prop(chosen, "pushes")
    if chosen.pushes:
        push = layout.column()
        push.prop(chosen, "push_link", placeholder=_find_pushed(chosen, context))
        push.prop(chosen, "push_force")
        push.prop(chosen, "push_start")
        push.prop(chosen, "push_seconds")
    layout.prop(chosen, "floor")
    layout.prop(chosen, "hits")
    if chosen.hits == "collection":
        layout.prop_search(chosen, "collection", bpy.data, "collections")


_AUTO = {"mujoco": "Auto is MuJoCo", "bullet": "Auto is Bullet: MuJoCo is not installed"}
_RECIPE = "how-to/simulate.html#mujoco-in-blender"


class SimulatePanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_simulate"
    bl_label = "Simulate"
    bl_order = 19

    def draw(self, context: Any) -> None:
        layout = self.layout
        chosen = context.window_manager.operator_properties_last(SimulateRobot.bl_idname)
        draw_settings(layout, chosen, context)
        automatic = find_engine()
        is_missing = chosen.engine == "mujoco" != automatic
        if is_missing:
            draw_wrapped(layout, context, "MuJoCo is not installed", icon="ERROR")
        elif chosen.engine == "auto":
            draw_wrapped(layout, context, _AUTO[automatic], icon="INFO")
        if chosen.engine != "bullet" and automatic == "bullet":
            draw_page(layout, "How to Install MuJoCo", _RECIPE)
        row = layout.row()
        row.enabled = not is_missing
        row.operator(SimulateRobot.bl_idname, icon="PLAY")
