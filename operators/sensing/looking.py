# SPDX-License-Identifier: GPL-3.0-or-later
"""Look Through: the view and the scene's camera are a sensor's, until a second press."""

from typing import Any

import bpy

from ...urdf_importer import Diagnostics, RobotError
from ...urdf_importer.features.sensing.blender.looking import (
    find_looked,
    keep_of,
    look_back,
    look_through,
)
from ...urdf_importer.features.sensing.sense import choose_sensors
from .. import props
from ..active_robot import RobotOperator, redraw_views
from ..kept_views import enter_camera, settle_views
from ..registration import add_hook


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
        else:
            look_through(scene, found)
            space = context.space_data
            if getattr(space, "type", "") == "VIEW_3D":
                enter_camera(space, keep_of(scene))
        settle_views(context)
        redraw_views()


def list_cameras(scene: Any) -> list[tuple[Any, Any]]:
    """Lists the sensor's camera that a scene looks through, with its memory of the view before."""
    return [(find_looked(scene), keep_of(scene))] if find_looked(scene) else []


def register() -> None:
    """Lets views that leave such a camera look as before."""
    add_hook("list_cameras", list_cameras)
