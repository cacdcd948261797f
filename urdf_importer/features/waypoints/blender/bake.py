# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of waypoints as plain keys of a rig, with markers on the timeline."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import bpy

from ....core.arguments import rig_of
from ....core.blender.curves import frame_rate
from ....core.blender.standing import properties
from ....core.diagnostics import Diagnostics
from ...motion.blender.apply import apply_trajectory
from ...motion.motions import Limits
from ...motion.options import MotionOptions
from ..model import Plan, Waypoint
from ..options import PlanOptions
from ..plan import plan_waypoints
from .objects import get_waypoints


def bake_waypoints(
    armature: Any,
    waypoints: Iterable[Waypoint] | None = None,
    *,
    limits: Limits | None = None,
    options: PlanOptions | None = None,
    start_frame: float | None = None,
    diagnostics: Diagnostics | None = None,
) -> Plan:
    """Plans waypoints of an imported robot, its own unless others are given, and keys the motion in
    a new action of plain keys; markers on the timeline have the names of the waypoints. It begins
    at `start_frame`, the scene's first unless given. Without success nothing is keyed. Raises as
    plan_waypoints does."""
    armature = rig_of(armature)
    points = get_waypoints(armature) if waypoints is None else tuple(waypoints)
    plan = plan_waypoints(armature, points, limits=limits, options=options, diagnostics=diagnostics)
    if plan.trajectory is None:
        return plan
    scene = bpy.context.scene
    first = float(scene.frame_start) if start_frame is None else float(start_frame)
    how = MotionOptions(start_frame=first, action=f"{armature.name} waypoints")
    apply_trajectory(armature, plan.trajectory, options=how, diagnostics=diagnostics)
    names = [point.name or str(number) for number, point in enumerate(points, start=1)]
    frames = [round(first + at * frame_rate()) for at in plan.times]
    _mark(armature, list(zip(names, frames, strict=True)))
    return plan


def _mark(armature: Any, places: Sequence[tuple[str, int]]) -> None:
    """Puts markers on the timeline in place of the last plan's markers. Markers of the
    user stay, moved and renamed ones too."""
    markers = bpy.context.scene.timeline_markers
    made = Counter(str(armature.get(properties.WAYPOINT_MARKERS, "")).split("\n"))
    for marker in reversed(list(markers)):
        said = f"{marker.frame} {marker.name}"
        if made[said] > 0:
            made[said] -= 1
            markers.remove(marker)
    new = [markers.new(name, frame=frame) for name, frame in places]
    said = "\n".join(f"{each.frame} {each.name}" for each in new)
    armature[properties.WAYPOINT_MARKERS] = said
    armature.property_overridable_library_set(f'["{properties.WAYPOINT_MARKERS}"]', True)
