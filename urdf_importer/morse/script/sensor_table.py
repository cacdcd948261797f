# SPDX-License-Identifier: GPL-3.0-or-later
"""The sensors that a description asks for, as a table of a script."""

from collections.abc import Sequence

from ...writers.claims import Claims
from ..sensors import SensorSuggestion
from .literals import comment, make_identifier, single, table, text
from .rig_tables import place

_JOINT_STATES = "joint_states"
"""A component that every robot of a script has."""

_HEAD = (
    "name, component, the link that carries it, location and rotation in the link (MORSE's "
    "components look along X, Z is up), hertz or None, properties"
)


def name_sensors(
    sensors: Sequence[SensorSuggestion], armatures: Sequence[str] = ()
) -> tuple[str, ...]:
    """What the sensors are called in the script, in their order, beside the `armatures`: MORSE
    wants no dots."""
    names = Claims()
    for name in (*armatures, _JOINT_STATES):
        names.claim(name)
    return tuple(names.claim(make_identifier(sensor.name)) for sensor in sensors)


def write_sensors(sensors: Sequence[SensorSuggestion], armatures: Sequence[str] = ()) -> str:
    """The table SENSORS; what is to be known of a sensor stands above it."""
    names = name_sensors(sensors, armatures)
    rows = [_row(name, sensor) for name, sensor in zip(names, sensors, strict=True)]
    who_is: dict[str, list[str]] = {}
    for name, sensor in zip(names, sensors, strict=True):
        for note in _notes(sensor):
            who_is.setdefault(note, []).append(name)
    told = [comment(f"{', '.join(who)}: {note}") for note, who in who_is.items()]
    return "".join(told) + table("SENSORS", _HEAD, rows)


def _notes(sensor: SensorSuggestion) -> list[str]:
    topic = [f"published as {sensor.topic}"] if sensor.topic else []
    return [*topic, *sensor.notes]


def _row(name: str, sensor: SensorSuggestion) -> str:
    properties = ", ".join(f"{text(key)}: {_value(value)}" for key, value in sensor.properties)
    return (
        f"{text(name)}, {sensor.component}, {text(sensor.link)}, {place(sensor.frame)}, "
        f"{_hertz(sensor.frequency)}, {{{properties}}}"
    )


def _value(value: bool | int | float | str) -> str:
    """Also of numpy's numbers, whose own text Python would not read."""
    if isinstance(value, bool | str):
        return ascii(value)
    return str(int(value)) if isinstance(value, int) else single(float(value))


def _hertz(frequency: float) -> str:
    """The game engine counts whole frames, so that MORSE takes whole numbers; below one, where no
    frame rate comes of it, also others."""
    if frequency <= 0.0:
        return "None"
    return str(round(frequency)) if frequency >= 1.0 else single(frequency)
