# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of sensors in a scene."""

from typing import Any

from ..standing import properties
from ..standing.armatures import objects_of


def sensor_objects(armature: Any) -> dict[str, Any]:
    """Returns the objects of a robot's sensors by the sensors' names; of copies that the user made
    the first. Takes time for every object below the robot."""
    found: dict[str, Any] = {}
    for item in objects_of(armature):
        name = item.get(properties.SENSOR)
        if name is not None and item.get(properties.PART) == properties.SENSORS:
            found.setdefault(str(name), item)
    return found
