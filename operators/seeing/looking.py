# SPDX-License-Identifier: GPL-3.0-or-later
"""Look Through: the view and the scene's camera are a sensor's, until a second press."""

from dataclasses import dataclass, field
from typing import Any

import bpy

from ...urdf_importer import Diagnostics, RobotError
from ...urdf_importer.blender.seeing.looking import find_looked, look_back, look_through
from ...urdf_importer.pipeline.seeing.sense import choose_sensors
from .. import props
from ..active_robot import RobotOperator, redraw_views
from ..session import session_state


@dataclass(slots=True)
class _Views:
    """How 3D views looked before they looked through a sensor, by their regions."""

    before: dict[int, tuple[str, Any, Any, float]] = field(default_factory=dict)


class LookThrough(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.look_through_sensor"
    bl_label = "Look Through"
    bl_description = (
        "See with the sensor's camera, in the present pose: the scene gets that camera, its "
        "resolution and aspect of pixels. A second press restores all of it"
    )

    sensor: props.text("Sensor", "The name of the sensor; empty to restore the view", kept=False)

    def run(self: Any, context: Any, robot: Any) -> None:
        scene, camera = context.scene, None
        if self.sensor:
            (found,) = choose_sensors(robot, [self.sensor], Diagnostics())
            if not found.object:
                why = "has no object in the scene: add the sensors first"
                raise RobotError(f"sensor '{self.sensor}' {why}")
            camera = scene.objects.get(found.object)
        if camera is None or find_looked(scene) == camera:
            look_back(scene)
            _leave_views(context)
        else:
            look_through(scene, found)
            _enter_view(context)
        redraw_views()


def _enter_view(context: Any) -> None:
    space, views = context.space_data, recall_views()
    if getattr(space, "type", "") != "VIEW_3D":
        return
    region = space.region_3d
    if region.view_perspective != "CAMERA":
        views.before[region.as_pointer()] = (
            region.view_perspective,
            region.view_rotation.copy(),
            region.view_location.copy(),
            region.view_distance,
        )
    region.view_perspective = "CAMERA"


def _leave_views(context: Any) -> None:
    before = recall_views().before
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            region = area.spaces.active.region_3d if area.type == "VIEW_3D" else None
            known = before.pop(region.as_pointer(), None) if region is not None else None
            if region is None or known is None or region.view_perspective != "CAMERA":
                continue
            region.view_perspective, region.view_rotation, *rest = known
            region.view_location, region.view_distance = rest
    before.clear()


def recall_views() -> _Views:
    """Returns the session's memory of views."""
    return session_state(_Views)
