# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit Collision Shapes: with progress in the status bar; Esc ends it and changes nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import bpy

from ...urdf_importer import (
    CollisionOptions,
    FittedCollisions,
    FittedLink,
    RobotError,
    update_robot,
)
from ...urdf_importer.core.blender.standing.links import links_of, name_link
from ...urdf_importer.core.blender.standing.robot_table import find_robot
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.collisions.fit import fit_steps
from .. import props
from ..active_robot import RobotOperator, active_robot, wait_cursor
from ..option_properties import add_option_properties, read_options
from ..reports import report_diagnostics
from ..session import session_state
from ..stepping import SteppedOperator, Steps

Marks = frozenset[tuple[int, int | None]]

LEAST_MISS = 1e-6
"""Metres; less is rounding."""


@dataclass(slots=True)
class Fits:
    """The last fitted shapes of each link, with the marks of their objects, by the robots' session
    numbers: they count as long as the link has these objects."""

    found: dict[int, dict[str, tuple[Marks, FittedLink]]] = field(default_factory=dict)


def mark_shapes(items: Iterable[Any]) -> Marks:
    """Returns numbers that differ where other objects, or other meshes, are in their place: undo
    brings both back with their numbers."""
    # An empty takes the place of a mesh that was not found.
    return frozenset((item.session_uid, item.data and item.data.session_uid) for item in items)


class FitCollisions(SteppedOperator, RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.fit_collisions"
    bl_label = "Fit Collision Shapes"
    bl_description = (
        "Fit collision shapes around the meshes of the active robot, in place of its earlier ones. "
        "They go out with every export; Esc ends it and changes nothing"
    )

    selected: props.switch(
        "Selected Links", "Only the links of selected objects and bones", kept=False
    )

    steps_title = "Fitting collision shapes"
    cancelled_text = "Cancelled; the collision shapes are as before"

    def draw(self: Any, context: Any) -> None:
        draw_settings(self.layout, self)

    def begin_steps(self: Any, context: Any) -> Steps:
        robot: Any = active_robot(context)
        links = tuple(_selected_links(context, robot)) if self.selected else ()
        if self.selected and not links:
            raise RobotError("select links of the robot first, or shapes or bones of them")
        self._robot = robot.name
        options = replace(read_options(self, CollisionOptions), links=links)
        return fit_steps(robot, options)

    def keep_result(self: Any, context: Any, result: FittedCollisions) -> set[str]:
        robot = context.scene.objects.get(self._robot)
        if robot is None:
            raise RobotError("the robot was deleted")
        with wait_cursor(context):
            made = update_robot(robot, robot=result.robot)
        known = session_state(Fits).found.setdefault(robot.session_uid, {})
        for name, link in result.links.items():
            known[name] = (mark_shapes(made.collisions[name]), link)
        report_diagnostics(self, robot.name, (*result.diagnostics, *made.diagnostics), "shapes")
        if not result.links:
            self.report({"INFO"}, "No link has meshes that need other shapes")
            return {"CANCELLED"}
        shapes = sum(len(link.collisions) for link in result.links.values())
        worst = max(link.miss for link in result.links.values())
        outside = f"; {1e3 * worst:.2g} mm outside at most" if worst >= LEAST_MISS else ""
        sentence = f"{count(shapes, 'shape')} on {count(len(result.links), 'link')}{outside}"
        self.report({"INFO"}, sentence)
        return {"FINISHED"}


add_option_properties(FitCollisions, CollisionOptions)


def draw_settings(layout: Any, chosen: Any) -> None:
    """Draws the properties of the operator, or of its last run."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    layout.prop(chosen, "shape")
    if chosen.shape in ("auto", "decomposed"):
        layout.prop(chosen, "parts")
    if chosen.shape in ("auto", "hull", "decomposed"):
        layout.prop(chosen, "triangles")
    layout.prop(chosen, "source")
    layout.prop(chosen, "replace")


def _selected_links(context: Any, robot: Any) -> Iterator[str]:
    """Yields the links of selected objects and, in pose mode, the links on selected bones."""
    bones = {(bone.id_data, bone.name) for bone in context.selected_pose_bones or ()}
    items = set()
    for item in context.selected_objects:
        while item is not None and name_link(item) is None:
            item = item.parent
        if item is not None and find_robot(item) == robot:
            items.add(item)
    for empty in links_of(robot):
        if empty in items or (empty.parent, empty.parent_bone) in bones:
            yield name_link(empty) or ""
