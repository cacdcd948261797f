# SPDX-License-Identifier: GPL-3.0-or-later
"""The sensors of a robot in Blender: found, and their measurements."""

from dataclasses import replace
from typing import Any

from ...core.arguments import diagnostics_of, options_of, rig_of
from ...core.diagnostics import ArgumentError, Diagnostics, quote_value, unknown_name
from ...core.pipeline.extracting import extract_robot
from ...core.sensors.placed import PlacedSensor, place_sensors
from .options import SenseOptions
from .reading import Reading


def find_sensors(
    armature: Any, *, diagnostics: Diagnostics | None = None
) -> tuple[PlacedSensor, ...]:
    """Finds the sensors of a robot in Blender, in the order of its description; of a sensor with
    several cameras each camera. Raises BuildError for an object that is not an imported robot."""
    from ...core.blender.build.sensors import sensor_objects

    armature = rig_of(armature)
    robot = extract_robot(armature)
    objects = sensor_objects(armature)
    return tuple(
        replace(each, object=objects[each.name].name) if each.name in objects else each
        for each in place_sensors(robot, diagnostics_of(diagnostics, robot.source))
    )


def sense(
    armature: Any,
    sensor: str | PlacedSensor,
    *,
    options: SenseOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Reading:
    """Returns the measurement of a sensor of a robot in Blender, as the scene is now: ranges and
    depths by rays through everything that is rendered, pictures by Cycles, motion by differences of
    the evaluated poses.

    `sensor` is a name, or one of find_sensors. The scene stays as it is, also where a picture is
    rendered. Raises BuildError for an object that is not an imported robot of this file and for
    pictures that cannot be rendered, KinematicsError for an unknown name, ArgumentError for a
    sensor that measures nothing here.
    """
    return _measure(armature, sensor, options, diagnostics)[2]


def show_sensed(
    armature: Any,
    sensor: str,
    *,
    options: SenseOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Reading:
    """Measures as sense does, and shows the pictures and depths as images and all points in the
    scene, in place of the sensor's last ones. Raises as sense does."""
    from .blender.shown import show_reading

    looker, found, reading = _measure(armature, sensor, options, diagnostics)
    frame, scale = looker.find_frame(found)
    frame[:3, :3] *= scale
    show_reading(looker.armature.name, found.name, reading, frame)
    return reading


def _measure(
    armature: Any,
    sensor: str | PlacedSensor,
    options: SenseOptions | None,
    diagnostics: Diagnostics | None,
) -> tuple[Any, PlacedSensor, Reading]:
    armature, diagnostics = rig_of(armature), diagnostics_of(diagnostics)
    options = options_of(options, SenseOptions)
    (found,) = choose_sensors(armature, [sensor], diagnostics)
    looker = open_looker(armature, options, diagnostics)
    return looker, found, looker.measure(found)


def open_looker(armature: Any, options: SenseOptions, diagnostics: Diagnostics) -> Any:
    """Returns the robot as its sensors measure. Raises BuildError."""
    from .blender.measure import Looker

    links = tuple(link.name for link in extract_robot(armature).links)
    return Looker(armature=armature, links=links, options=options, diagnostics=diagnostics)


def choose_sensors(
    armature: Any, chosen: Any, diagnostics: Diagnostics
) -> tuple[PlacedSensor, ...]:
    """Returns the sensors of these names, or all where `chosen` is None. Raises KinematicsError for
    an unknown one, ArgumentError for anything but names."""
    found = {each.name: each for each in find_sensors(armature, diagnostics=diagnostics)}
    if chosen is None:
        return tuple(found.values())
    names = []
    for each in chosen:
        name = each.name if isinstance(each, PlacedSensor) else each
        if not isinstance(name, str):
            raise ArgumentError(f"a sensor is given by its name, not by {quote_value(each)}")
        if name not in found:
            raise unknown_name("the robot has no sensor", name, found)
        names.append(name)
    return tuple(found[name] for name in dict.fromkeys(names))
