# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of a parameter file that are about masses, shapes and sensors."""

from collections.abc import Mapping
from dataclasses import replace

from ....markup.yaml_tree import Node
from ....model import Box, Cylinder, Pose, Sphere
from ..blobs import check_blob
from .keys import (
    SENSOR_TYPES,
    AssignedInertia,
    CollisionShape,
    FrameChoice,
    MirroredInertia,
    Parameters,
    SensorChoice,
)
from .values import Values

_PLANES = {"yz": 0, "xz": 1, "xy": 2, "zy": 0, "zx": 1, "yx": 2}
FRAME = ("frameName", "frameReferenceLink")
_EXPORT = ("exportFrameInURDF", "exportedFrameName", "sensorBlobs")
_SENSOR = ("linkName", "sensorType", "updateRate", "sensorName", *FRAME, *_EXPORT)
_FORCE = (
    "jointName", "sensorName", "directionChildToParent", "frame", "linkName", *FRAME, *_EXPORT,
)  # fmt: skip


def read_choice(entry: Mapping[str, Node], key: str, reference: str, values: Values) -> FrameChoice:
    frame = values.text(entry["frameName"], key) if "frameName" in entry else ""
    written = entry.get("frameReferenceLink")
    if written is not None:
        reference = values.text(written, key) or reference
    line = entry["frameName"].line if "frameName" in entry else 0
    return FrameChoice(frame=frame or "", reference=reference, line=line)


def line_of(entry: Mapping[str, Node], node: Node) -> int:
    return min((value.line for value in entry.values()), default=node.line)


def read_pose(numbers: tuple[float, ...]) -> Pose:
    x, y, z, roll, pitch, yaw = numbers
    return Pose(xyz=(x, y, z), rpy=(roll, pitch, yaw))


def read_masses(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    for link, value in values.pairs(node, key).items():
        mass = values.positive(value, key)
        if mass is not None:
            parameters.masses[link] = mass
            parameters.lines[key, link] = value.line


def read_inertias(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    for entry in values.entries(node, key, ("linkName", "xx", "yy", "zz")):
        line = line_of(entry, node)
        link = values.needed(entry, "linkName", key, line)
        if not link:
            continue
        numbers = {
            name: values.number(entry[name], f"{key}: {name}")
            for name in ("xx", "yy", "zz")
            if name in entry
        }
        parameters.inertias.append(AssignedInertia(link=link, line=line, **numbers))


def read_mirrored(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    names = ("mirroredLink", "originalLink", "simmetryReferenceLink", "symmetryPlane")
    for entry in values.entries(node, key, names):
        line = line_of(entry, node)
        found = [values.needed(entry, name, key, line) for name in names]
        if not all(found):
            continue
        plane = _PLANES.get(found[3].lower())
        if plane is None:
            values.bad(key, f"symmetryPlane is {found[3]!r} instead of xy, yz or xz", line)
            continue
        parameters.mirrored.append(
            MirroredInertia(
                link=found[0], original=found[1], reference=found[2], plane=plane, line=line
            )
        )


def read_workaround(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    for name, value in values.pairs(node, key).items():
        if name != "mirroredLinks":
            values.unknown(name, value.line, ("mirroredLinks",), key)
        else:
            parameters.mirrored_centers = values.names(value, key)


def read_colors(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    for link, value in values.pairs(node, key).items():
        numbers = values.numbers(value, key, (3, 4))
        if numbers is None:
            continue
        if not all(0.0 <= number <= 1.0 for number in numbers):
            values.bad(key, f"the colour of {link!r} goes beyond 0 to 1", value.line)
            continue
        red, green, blue, alpha = (*numbers, 1.0)[:4]
        parameters.colors[link] = (red, green, blue, alpha)
        parameters.lines[key, link] = value.line


def read_shapes(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    for entry in values.entries(node, key, ("linkName", "geometricShape")):
        line = line_of(entry, node)
        link = values.needed(entry, "linkName", key, line)
        shape = values.pairs(entry["geometricShape"], key) if "geometricShape" in entry else {}
        if not link or not shape:
            if link:
                values.bad(key, f"{link!r} has no geometricShape; it is left out", line)
            continue
        geometry = _read_geometry(shape, key, line, values)
        origin: tuple[float, ...] | None = (0.0,) * 6
        if "origin" in shape:
            origin = values.numbers(shape["origin"], f"{key}: origin", (6,))
        if geometry is not None and origin is not None:
            parameters.shapes.append(
                CollisionShape(link=link, geometry=geometry, origin=read_pose(origin), line=line)
            )


def _read_geometry(
    shape: Mapping[str, Node], key: str, line: int, values: Values
) -> Box | Cylinder | Sphere | None:
    word = values.text(shape["shape"], key) if "shape" in shape else ""
    needed = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}
    if word not in needed:
        values.bad(key, f"the shape {word!r} is not box, cylinder or sphere", line)
        return None
    missing = [name for name in needed[word] if name not in shape]
    if missing:
        values.bad(key, f"a {word} has no {missing[0]}; it is left out", line)
        return None
    if word == "box":
        size = values.vector(shape["size"], f"{key}: size")
        if size is not None and min(size) <= 0.0:
            values.bad(key, "a box has a size of zero or less; it is left out", line)
            return None
        return None if size is None else Box(size=size)
    radius = values.positive(shape["radius"], f"{key}: radius")
    if word == "sphere":
        return None if radius is None else Sphere(radius=radius)
    length = values.positive(shape["length"], f"{key}: length")
    return None if radius is None or length is None else Cylinder(radius=radius, length=length)


def read_force_sensors(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    for entry in values.entries(node, key, _FORCE):
        line = line_of(entry, node)
        joint = values.needed(entry, "jointName", key, line)
        if not joint:
            continue
        frame = values.text(entry["frame"], key) if "frame" in entry else "child"
        if frame not in ("child", "parent", "sensor"):
            values.bad(key, f"frame is {frame!r} instead of child, parent or sensor", line)
            continue
        forward = True
        if "directionChildToParent" in entry:
            forward = values.flag(entry["directionChildToParent"], key) is not False
        reference = values.text(entry["linkName"], key) if "linkName" in entry else ""
        sensor = _read_sensor(entry, key, joint, "force_torque", reference or "", values)
        parameters.sensors.append(
            replace(sensor, measured_in=frame, is_child_to_parent=forward, line=line)
        )


def read_sensors(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    defaults: dict[str, Mapping[str, Node]] = {}
    entries = [(entry, line_of(entry, node)) for entry in values.entries(node, key, _SENSOR)]
    for entry, line in entries:
        kind = values.needed(entry, "sensorType", key, line)
        if kind and kind not in SENSOR_TYPES:
            values.bad(key, f"the sensor type {kind[:80]!r} is unknown", line)
        elif kind and _text(entry, "sensorName") == "default":
            kept = ("updateRate", "sensorBlobs", "exportFrameInURDF")
            defaults.setdefault(kind, {name: entry[name] for name in kept if name in entry})
    for entry, line in entries:
        kind = _text(entry, "sensorType")
        if kind not in SENSOR_TYPES or _text(entry, "sensorName") == "default":
            continue
        link = values.needed(entry, "linkName", key, line)
        if link:
            full = {**defaults.get(kind, {}), **entry}
            sensor = _read_sensor(full, key, link, kind, link, values)
            parameters.sensors.append(replace(sensor, line=line))


def _text(entry: Mapping[str, Node], name: str) -> str:
    return entry[name].text.strip() if name in entry and entry[name].is_scalar else ""


def _read_sensor(
    entry: Mapping[str, Node], key: str, owner: str, kind: str, reference: str, values: Values
) -> SensorChoice:
    choice = read_choice(entry, key, reference, values)
    rate = ""
    if "updateRate" in entry and values.positive(entry["updateRate"], f"{key}: updateRate"):
        rate = entry["updateRate"].text.strip()
    is_exported = False
    if "exportFrameInURDF" in entry:
        is_exported = values.flag(entry["exportFrameInURDF"], key) is True
    texts = values.texts(entry["sensorBlobs"], key) if "sensorBlobs" in entry else []
    blobs = tuple(text for text, line in texts if check_blob(text, line, key, values))
    return SensorChoice(
        owner=owner,
        type=kind,
        name=_text(entry, "sensorName"),
        rate=rate,
        choice=choice if choice.frame else None,
        exported_name=_text(entry, "exportedFrameName"),
        is_exported=is_exported,
        blobs=blobs,
    )


def read_blobs(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    for text, line in values.texts(node, key):
        if check_blob(text, line, key, values):
            parameters.blobs.append((text, line))
