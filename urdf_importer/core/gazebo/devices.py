# SPDX-License-Identifier: GPL-3.0-or-later
"""<webots>: devices of Webots and a battery, which no tag of Gazebo holds, as text of a description
and back; and the nodes and fields that Webots has."""

import math
from collections.abc import Iterable, Iterator, Mapping

from ..diagnostics import name_choices, nearest, quote, quote_value
from ..markup.elements import ExtraElement, parse_extra, split_numbers
from ..markup.write import format_element, format_numbers, format_text
from ..model import IDENTITY, Extra, Robot
from ..model.device import WebotsDevice
from .parts import read_pose

DEVICES_TAG = "webots"
_RADIO = ("radio", "serial", "infra-red")
_Kind = int | type[bool] | tuple[str, ...]
"""Of a field: how many numbers it takes, 0 for any multiple of `_ROW`; a truth; one of some words.
"""
_ROW = 3
_TALK: Mapping[str, _Kind] = {
    "type": _RADIO, "aperture": 1, "channel": 1, "baudRate": 1, "byteSize": 1, "bufferSize": 1,
    "allowedChannels": -1,
}  # fmt: skip
DEVICES: Mapping[str, Mapping[str, _Kind]] = {
    "Emitter": {**_TALK, "range": 1, "maxRange": 1},
    "Receiver": {**_TALK, "signalStrengthNoise": 1, "directionNoise": 1},
    "LightSensor": {"lookupTable": 0, "colorFilter": 3, "occlusion": bool, "resolution": 1},
    "DistanceSensor": {
        "lookupTable": 0, "type": ("generic", "infra-red", "sonar", "laser"), "numberOfRays": 1,
        "aperture": 1, "gaussianWidth": 1, "resolution": 1, "redColorSensitivity": 1,
    },
    "TouchSensor": {
        "type": ("bumper", "force", "force-3d"), "lookupTable": 0, "resolution": 1,
    },
    "Charger": {"battery": _ROW, "radius": 1, "emissiveColor": 3, "gradual": bool},
}  # fmt: skip
"""Node of Webots R2025a -> its fields, beside the fields of a Solid."""


def read_devices(robot: Robot) -> Iterator[WebotsDevice]:
    """Yields the devices in the description, in its order, whether or not Webots has them."""
    for extra in robot.extras:
        element = parse_extra(extra) if extra.tag == DEVICES_TAG else None
        if element is not None:
            reference = element.attributes.get("reference", "")
            yield from (_read_device(device, reference) for device in element.all("device"))


def _read_device(element: ExtraElement, reference: str) -> WebotsDevice:
    node = element.attributes.get("type", "").strip()
    fields = tuple((each.attributes.get("name", ""), each.text) for each in element.all("field"))
    return WebotsDevice(
        node=node,
        name=element.attributes.get("name", "").strip() or f"{reference}_{node}",
        reference=reference.strip(),
        origin=read_pose(element),
        fields=fields,
        line=element.line,
    )


def write_device(device: WebotsDevice) -> Extra:
    """Returns the element of a device, whose rotation is given as rpy; reading it gives an equal
    device."""
    content = ""
    if device.origin != IDENTITY:
        pose = device.origin
        content += format_text("pose", format_numbers((*pose.xyz, *pose.rpy)))
    for name, value in device.fields:
        content += format_text("field", value, {"name": name})
    made = format_element("device", {"type": device.node, "name": device.name}, content)
    xml = format_element(DEVICES_TAG, {"reference": device.reference}, made)
    return Extra(tag=DEVICES_TAG, xml=xml)


def read_battery(robot: Robot) -> tuple[float, ...]:
    """Returns the charge, the capacity and the power of charging of the robot's battery; nothing
    where it has none."""
    found = (find_battery(each) for each in robot.extras)
    return next((each for each in found if each is not None), ())


def find_battery(extra: Extra) -> tuple[float, ...] | None:
    """Returns the three numbers of a battery; None for an element that holds none."""
    element = parse_extra(extra) if extra.tag == DEVICES_TAG else None
    numbers = element.numbers("battery") if element is not None else ()
    return numbers if len(numbers) == _ROW else None


def write_battery(numbers: Iterable[float]) -> Extra:
    """Returns the element of a battery of three numbers."""
    text = format_text("battery", format_numbers(numbers))
    return Extra(tag=DEVICES_TAG, xml=format_element(DEVICES_TAG, {}, text))


def find_device_fault(device: WebotsDevice) -> str:
    """Returns why Webots has no such device, as a clause; empty where it has."""
    known = DEVICES.get(device.node)
    if known is None:
        return f"Webots has no device {quote(device.node)}{nearest(device.node, tuple(DEVICES))}"
    for name, value in device.fields:
        if name not in known:
            return f"{device.node} has no field {quote(name)}{nearest(name, tuple(known))}"
        wanted = _find_lack(known[name], value)
        if wanted:
            return f"field {name} of {device.node} is {quote_value(value)}; it must be {wanted}"
    if device.node == "Charger" and not dict(device.fields).get("battery", "").strip():
        return "a Charger needs three numbers in battery: charge, capacity and power"
    return ""


def _find_lack(kind: _Kind, value: str) -> str:
    """Returns the accepted values where this one is not; else nothing."""
    if kind is bool:
        return "" if value in ("TRUE", "FALSE") else "TRUE or FALSE"
    if isinstance(kind, tuple):
        return "" if value in kind else name_choices(kind)
    numbers = split_numbers(value)
    is_valid = all(map(math.isfinite, numbers)) and (bool(numbers) or not value.strip())
    if isinstance(kind, int) and kind > 0:
        is_valid = is_valid and len(numbers) == kind
    elif kind == 0:
        is_valid = is_valid and len(numbers) % _ROW == 0
    words = {1: "a number", 0: "rows of three numbers", -1: "numbers"}
    return "" if is_valid else words.get(int(kind), f"{kind} numbers")
