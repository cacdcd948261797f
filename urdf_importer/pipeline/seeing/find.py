# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors of a robot in Blender: find them."""

from dataclasses import replace
from typing import Any

from ...arguments import diagnostics_of, rig_of
from ...diagnostics import Diagnostics
from ...sensing.placed import PlacedSensor, place_sensors
from ..extracting import extract_robot


def find_sensors(
    armature: Any, *, diagnostics: Diagnostics | None = None
) -> tuple[PlacedSensor, ...]:
    """Finds the sensors of a robot in Blender, in the order of its description; of a sensor with
    several cameras each camera. Raises BuildError for an object that is not an imported robot."""
    from ...blender.seeing.objects import sensor_objects

    armature = rig_of(armature)
    robot = extract_robot(armature)
    objects = sensor_objects(armature)
    return tuple(
        replace(each, object=objects[each.name].name) if each.name in objects else each
        for each in place_sensors(robot, diagnostics_of(diagnostics, robot.source))
    )
