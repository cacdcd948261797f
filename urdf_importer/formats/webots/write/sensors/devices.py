# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices of Webots that a description holds in its <webots>: each becomes the node that it is."""

from collections.abc import Collection, Iterator

import numpy as np

from .....core.diagnostics import Diagnostics, quote
from .....core.gazebo.devices import DEVICES, find_device_fault, read_battery, read_devices
from .....core.geometry.transforms import matrix_from_pose
from .....core.model import Robot
from .....core.model.device import WebotsDevice
from ..vrml import Node, Value
from .plan import DevicePlan, SensorPlan

_SMALL = 0.001
"""Kilograms."""


def plan_devices(
    robot: Robot, links: Collection[str], diagnostics: Diagnostics
) -> Iterator[SensorPlan]:
    """Yields the plans of a robot's devices; reports others, which are lost."""
    for device in read_devices(robot):
        reason = find_device_fault(device)
        if not reason and device.reference not in links:
            reason = f"{quote(device.reference)} is not a link of the robot"
        if not reason and device.node == "Charger" and not read_battery(robot):
            reason = "a Charger needs a robot with a battery"
        if reason:
            message = f"device {quote(device.name)} is left out: {reason}"
            diagnostics.error(
                "webots-sensor-dropped", message, subject=device.name, line=device.line
            )
        else:
            yield _plan_device(device)


def _plan_device(device: WebotsDevice) -> SensorPlan:
    """A touch sensor has the collisions of its link, in the frame of this; one that measures forces
    must be a body of its own."""
    fields = {name: _read_value(device.node, name, text) for name, text in device.fields}
    is_touch = device.node == "TouchSensor"
    if is_touch and str(fields.get("type", "")).startswith("force"):
        fields["physics"] = Node("Physics", {"density": -1, "mass": _SMALL})
    plan = DevicePlan(
        kind=device.node,  # type: ignore[arg-type]  # One of DEVICES: find_device_fault saw to it.
        wanted_name=device.name,
        frame=np.eye(4) if is_touch else matrix_from_pose(device.origin),
        fields=fields,
        takes_collisions=() if is_touch else None,
    )
    return SensorPlan(
        name=device.name,
        type="contact" if is_touch else "device",
        link=device.reference,
        reference=device.reference,
        devices=[plan],
        line=device.line,
    )


def _read_value(node: str, name: str, text: str) -> Value:
    kind = DEVICES[node][name]
    if kind is bool:
        return text == "TRUE"
    if isinstance(kind, tuple):
        return text
    numbers = tuple(map(float, text.replace(",", " ").split()))
    if kind == 1:
        return numbers[0]
    if kind == 0:  # Rows of a table.
        return [numbers[start : start + 3] for start in range(0, len(numbers), 3)]
    return numbers if name.endswith(("Color", "Filter")) else list(numbers)
