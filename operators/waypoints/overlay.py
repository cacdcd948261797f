# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of the waypoints in the view: joints dashed, lines and blends solid, contacts red. It is
planned anew a moment after the last change."""

from dataclasses import dataclass, field
from typing import Any

import bpy

from ...urdf_importer import Diagnostics, RobotError, plan_waypoints
from ...urdf_importer.features.waypoints.blender.objects import waypoint_empties_of
from ...urdf_importer.features.waypoints.blender.path import Stroke, trace_path_of
from ..active_robot import active_robot, redraw_views
from ..gizmos.strokes import BEYOND, WHITE, draw_lines
from ..registration import Drawers, add_handler, add_hook, at_end, call_later
from ..session import session_state
from .chosen import find_planned, keep_plan, make_key, options_of, read_limits

_SECONDS = 0.2
_WIDTH = 2.0


@dataclass(slots=True)
class _Shown:
    """The strokes of the robot whose session's number is `uid`, and the functions that draw."""

    uid: int = 0
    key: bytes = b""
    strokes: tuple[Stroke, ...] = ()
    drawers: Drawers = field(default_factory=Drawers)


def refresh() -> None:
    """Plans the waypoints of the active robot and notes their path, where they have changed."""
    context, shown = bpy.context, session_state(_Shown)
    robot = active_robot(context) if context.scene is not None else None
    if robot is None or not context.window_manager.urdf_waypoint_path:
        shown.strokes, shown.key = (), b""
        return
    found = waypoint_empties_of(robot)
    key = make_key(context, robot) if found else b""
    if (shown.uid, shown.key) == (robot.session_uid, key):
        return
    shown.uid, shown.key, shown.strokes = robot.session_uid, key, ()
    if len(found) > 1:
        try:
            known = find_planned(robot)
            plan = known.plan if known is not None and known.key == key else None
            if plan is None:
                plan = plan_waypoints(
                    robot, limits=read_limits(context), diagnostics=Diagnostics(),
                    options=options_of(context, collisions=False),
                )  # fmt: skip
                keep_plan(robot, plan, key)
            shown.strokes = trace_path_of(robot, plan)
        except RobotError:
            shown.strokes = ()
    redraw_views()


def _notice(scene: Any, depsgraph: Any) -> None:
    """Has the path planned anew where an object moved, or its properties changed."""
    if bpy.app.background or not depsgraph.id_type_updated("OBJECT"):
        return
    robot = active_robot(bpy.context)
    if robot is not None and (waypoint_empties_of(robot) or session_state(_Shown).strokes):
        call_later(refresh, _SECONDS)


def _draw() -> None:
    shown, robot = session_state(_Shown), active_robot(bpy.context)
    if robot is None or robot.session_uid != shown.uid:
        return
    for stroke in shown.strokes:
        points = [robot.matrix_world @ point for point in stroke.points]
        color = BEYOND if stroke.touches else WHITE
        if stroke.dashed:
            draw_lines([points[k : k + 2] for k in range(0, len(points) - 1, 2)], color, _WIDTH)
        else:
            draw_lines([points], color, _WIDTH)


def _forget(*_: Any) -> None:
    shown = session_state(_Shown)
    shown.strokes, shown.key = (), b""


def register() -> None:
    """Draws paths from now on."""
    add_handler(bpy.app.handlers.depsgraph_update_post, _notice)
    add_handler(bpy.app.handlers.load_pre, _forget)
    add_hook("refresh_limits", refresh)
    shown = session_state(_Shown)
    shown.drawers.start(POST_VIEW=_draw)
    at_end(_forget)
