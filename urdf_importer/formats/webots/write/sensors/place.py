# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors: from the model's to the devices of Webots.

1. plan_sensors, before the structure is planned: the links that carry sensors must stay.
2. SensorWriter, with the structure: settles the devices' demands on the Solid that holds them,
   gives names (after motors have theirs), and makes the nodes.

A sensor that Webots cannot have is an ERROR diagnostic; one that it has in another form a WARNING,
one for each sensor, with all differences.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any

from .....core.diagnostics import Diagnostics, Named, quote
from .....core.kinematics.sensor_frames import Places
from .....core.model import (
    Altimeter,
    CameraSensor,
    ContactSensor,
    ForceSensor,
    Gps,
    Imu,
    Lidar,
    Link,
    Magnetometer,
    Robot,
    Sensor,
    Sonar,
)
from ..names import NameTables, report_on
from ..options import WebotsOptions
from ..structure.frames import pose_fields
from ..structure.links import SolidPlan, SolidTreePlan
from ..vrml import Node, Value
from .cameras import plan_cameras
from .devices import plan_devices
from .motion import plan_altimeter, plan_compass, plan_contact, plan_force, plan_gps, plan_imu
from .plan import DevicePlan, SensorPlan
from .ranges import plan_lidar, plan_sonar

_PLANNERS: Mapping[type[Sensor], tuple[str, Callable[[Any, list[str]], list[DevicePlan]]]] = {
    CameraSensor: ("camera", plan_cameras),
    Lidar: ("lidar", plan_lidar),
    Sonar: ("sonar", plan_sonar),
    Imu: ("imu", plan_imu),
    ContactSensor: ("contact", plan_contact),
    ForceSensor: ("force", plan_force),
    Gps: ("gps", plan_gps),
    Magnetometer: ("compass", plan_compass),
    Altimeter: ("altimeter", plan_altimeter),
}
"""Class of the model -> the name of its plan, and the planner of its devices."""
_TINY = 0.001
"""Metres: the radius of the sphere that a force sensor has where its link has no collisions."""


def plan_sensors(
    robot: Robot, options: WebotsOptions, diagnostics: Diagnostics
) -> list[SensorPlan]:
    """Plans all sensors of a robot, in their order; none where the options want none."""
    if not options.sensors:
        return []
    places = Places(robot)
    plans = []
    for sensor in robot.sensors:
        link, reason = places.find_place(sensor, _PLANNERS, "Webots")
        if reason:
            _drop(diagnostics, sensor, reason)
        else:
            plans.append(_plan_sensor(sensor, link))
    return [*plans, *plan_devices(robot, places.links, diagnostics)]


def _drop(diagnostics: Diagnostics, sensor: Named, reason: str) -> None:
    """Reports a sensor that is lost."""
    message = f"sensor {quote(sensor.name)} {reason}; it is left out"
    diagnostics.error("webots-sensor-dropped", message, subject=sensor.name, line=sensor.line)


def _plan_sensor(sensor: Sensor, link: str) -> SensorPlan:
    notes: list[str] = []
    kind, plan = _PLANNERS[type(sensor)]
    stream = sensor.stream
    if isinstance(sensor, CameraSensor):
        kind = sensor.kind
        if kind == "rgbd":
            stream = replace(stream, topic=sensor.points_topic)
    return SensorPlan(
        name=sensor.name,
        type=kind,
        link=link,
        reference=sensor.reference,
        devices=plan(sensor, notes),
        stream=stream,
        notes=tuple(dict.fromkeys(notes)),
        line=sensor.line,
    )


class SensorWriter:
    """The sensors of one exported robot. `sensors` are sensors that Webots can have in this
    structure and have their devices' names; the others are in the diagnostics.

    `bounding_object` makes a link's bounding object, in its frame. `contact_materials`: link name
    -> the name of its material.
    """

    def __init__(
        self,
        sensors: Iterable[SensorPlan],
        plan: SolidTreePlan,
        names: NameTables,
        bounding_object: Callable[[Link], Node | None],
        contact_materials: Mapping[str, str],
        diagnostics: Diagnostics,
    ) -> None:
        self._plan = plan
        self._holders = plan.holders()
        self._bounding_object = bounding_object
        self._materials = contact_materials
        self._diagnostics = diagnostics
        self._taken: dict[str, set[int]] = {}
        self._hanging = _find_hanging(plan)
        self._measured: dict[SolidPlan, DevicePlan] = {}
        self._devices: dict[str, list[tuple[DevicePlan, tuple[int, ...]]]] = {}
        self.sensors = tuple(sensor for sensor in sensors if self._settle(sensor, names))

    def sensor_nodes(self, link: Link) -> list[Node]:
        """Returns the devices on a link, in its frame."""
        return [
            self._node(device, link, collisions)
            for device, collisions in self._devices.get(link.name, ())
        ]

    def solid_link(self, link: Link) -> Link:
        """Returns the link without the collisions that belong to its touch sensors."""
        taken = self._taken.get(link.name)
        if not taken:
            return link
        left = tuple(c for index, c in enumerate(link.collisions) if index not in taken)
        return replace(link, collisions=left)

    def adapt_solid(self, solid: SolidPlan, fields: dict[str, Value]) -> str:
        """Returns the kind of node that a Solid becomes. A Solid whose joint is measured is a
        TouchSensor, and must collide with something, even if it is a speck."""
        device = self._measured.get(solid)
        if device is None:
            return "Solid"
        fields |= device.fields
        fields.setdefault("boundingObject", Node("Sphere", {"radius": _TINY}))
        return "TouchSensor"

    def _settle(self, sensor: SensorPlan, names: NameTables) -> bool:
        """Returns whether Webots has the sensor here; then its devices have names and places."""
        if sensor.type == "force":
            sensor.devices[0].measures_joint = self._name_measured(sensor)
        if self._is_repeated(sensor):
            return False
        reason = self._find_fault(sensor)
        if reason:
            _drop(self._diagnostics, sensor, reason)
            return False
        for device in sensor.devices:
            device.name = _claim(names, device.wanted_name)
            if device.measures_joint:
                solid = self._find_measured(sensor)
                assert solid is not None
                solid.name = device.name
                self._measured[solid] = device
                continue
            collisions = self._free_collisions(sensor)
            self._taken.setdefault(sensor.link, set()).update(collisions)
            self._devices.setdefault(sensor.link, []).append((device, collisions))
        if sensor.notes:
            finding = f"is not quite the same in Webots: {'; '.join(sensor.notes)}"
            report_on(sensor, "webots-sensor-changed", finding, self._diagnostics)
        return True

    def _is_repeated(self, sensor: SensorPlan) -> bool:
        """Returns whether another force sensor measures the joint: some tools write all of them
        twice."""
        joint = sensor.devices[0].measures_joint
        other = next(
            (d for d in self._measured.values() if joint and d.measures_joint == joint), None
        )
        if other is None:
            return False
        measured = f"measures the joint that sensor {quote(other.wanted_name)} measures"
        finding = f"{measured}; one device serves both"
        report_on(sensor, "webots-sensor-changed", finding, self._diagnostics)
        return True

    def _find_fault(self, sensor: SensorPlan) -> str:
        """Returns why Webots cannot have the sensor here; "" where it can."""
        if sensor.link not in self._holders:
            return f"is on link {quote(sensor.link)}, which is the world"
        solid, held = self._holders[sensor.link]
        if any(device.needs_physics for device in sensor.devices) and solid.mass is None:
            return "is on a base that is fixed in the world, where Webots measures nothing"
        if sensor.type == "contact":
            if not held.link.collisions:
                return f"feels nothing, since link {quote(sensor.link)} has no collisions"
            if not self._free_collisions(sensor):
                return "would feel contacts that another sensor feels already"
        if sensor.type == "force" and self._find_measured(sensor) is None:
            return (
                "measures no fixed joint between two links with mass, the only "
                "kind that Webots measures"
            )
        return ""

    def _name_measured(self, sensor: SensorPlan) -> str:
        """Returns the joint that a force sensor is on, or that carries its link; "" for a root."""
        tree = self._plan.tree
        if sensor.reference in tree.joint_index:
            return sensor.reference
        above = tree.joint_above(sensor.link)
        return above.name if above is not None else ""

    def _find_measured(self, sensor: SensorPlan) -> SolidPlan | None:
        """Returns the one Solid that is attached, by fixed joints, to the sensor's link or is this
        link.
        """
        found = [
            solid
            for solid in self._hanging.get(sensor.link, ())
            if solid not in self._measured and solid.mass is not None
        ]
        own = [solid for solid in found if solid.links[0].link.name == sensor.link]
        if own:
            return own[0]
        hangs_here = self._holders[sensor.link][1].link.name == sensor.link
        return found[0] if len(found) == 1 and hangs_here else None

    def _free_collisions(self, sensor: SensorPlan) -> tuple[int, ...]:
        """Returns the collisions that a touch sensor names, or all, without collisions of other
        sensors.
        """
        wanted = sensor.devices[0].takes_collisions
        collisions = self._holders[sensor.link][1].link.collisions
        named = [index for index, c in enumerate(collisions) if c.name in (wanted or ())]
        taken = self._taken.get(sensor.link, set())
        every = named or range(len(collisions)) if wanted is not None else ()
        return tuple(index for index in every if index not in taken)

    def _node(self, device: DevicePlan, link: Link, collisions: tuple[int, ...]) -> Node:
        fields: dict[str, Value] = {**pose_fields(device.frame), "name": device.name}
        fields |= device.fields
        if collisions:
            felt = replace(link, collisions=tuple(link.collisions[i] for i in collisions))
            bounding = self._bounding_object(felt)
            if bounding is not None:
                fields["boundingObject"] = bounding
            if link.name in self._materials:
                fields["contactMaterial"] = self._materials[link.name]
        return Node(device.kind, fields)


def _find_hanging(plan: SolidTreePlan) -> dict[str, list[SolidPlan]]:
    """Returns link -> the Solids that are attached to it, or are it, by fixed joints: through links
    of the Solid above only."""
    tree = plan.tree
    found: dict[str, list[SolidPlan]] = {}
    for solid in plan.solids:
        if solid.joint is not None or solid.above is None:
            continue
        own = solid.links[0].link.name
        within = {own, *(held.link.name for held in solid.above.links)}
        names = (tree.links[place].name for place in tree.ancestors(tree.index[own]))
        for name in takewhile(within.__contains__, names):
            found.setdefault(name, []).append(solid)
    return found


def _claim(names: NameTables, wanted: str) -> str:
    """Returns a name that neither a device nor a Solid has: a sensor is both."""
    device = names.claim_device(wanted)
    while (solid := names.claim_solid(device)) != device:
        device = names.claim_device(solid)
        if device == solid:
            break
    return device
