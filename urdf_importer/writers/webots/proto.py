# SPDX-License-Identifier: GPL-3.0-or-later
"""A structure plan as the nodes and the text of a PROTO.

A joint's endPoint is written at the joint's position, which Webots takes back when it wants to know
where zero is.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from ...geometry.transforms import Matrix, matrix_from_pose, rotations_about
from ...model import Link, Pose
from .options import WebotsOptions
from .shapes.shapes import join_bounding
from .structure.frames import pose_fields, rotation_of
from .structure.links import (
    AxisPlan,
    HeldLink,
    JointNodePlan,
    SolidPlan,
    SolidTreePlan,
)
from .structure.physics import physics_node
from .structure.sharing import share_repeats
from .vrml import Node, Raw, Value, Vec, write_node, write_value

_UNTURNED: Vec = (0.0, 0.0, 1.0, 0.0)
SLOT_FIELD = "toolSlot"


class Shapes(Protocol):
    """The visuals of links, in their own frame, and their bounding objects, in the frame that has
    `frame` (4, 4) as the link's."""

    def visual_nodes(self, link: Link) -> list[Node]: ...

    def bounding_parts(self, link: Link, frame: Matrix) -> list[Node]: ...


class Sensors(Protocol):
    """The devices on links, as nodes in the link's frame; a link without the collisions that are
    theirs; and the kind of node of a Solid, whose fields they may add to."""

    def sensor_nodes(self, link: Link) -> list[Node]: ...

    def solid_link(self, link: Link) -> Link:
        """Returns the link with only the collisions that belong to the Solid."""
        ...

    def adapt_solid(self, solid: SolidPlan, fields: dict[str, Value]) -> str:
        """Returns the kind of node that a Solid on a fixed joint becomes, and adds to its
        `fields`."""
        ...


def build_robot(
    plan: SolidTreePlan,
    shapes: Shapes,
    sensors: Sensors,
    options: WebotsOptions,
    contact_materials: Mapping[str, str],
) -> Node:
    """Builds the Robot node, with its fields bound to the PROTO's fields (see write_proto).

    `contact_materials`: link name -> the name of its material, of links that have one.
    """
    nodes: dict[SolidPlan, tuple[Node, list[Value]]] = {}
    for solid in plan.solids:
        children = _links_of(solid, shapes, sensors, options)
        node = _solid_node(solid, children, shapes, sensors, options, contact_materials)
        nodes[solid] = node, children
        if solid.above is None:
            continue
        above = nodes[solid.above][1]
        above.append(node if solid.joint is None else joint_node(solid.joint, node))
    for loop in plan.loops:
        reference = Node("SolidReference", {"solidName": loop.below.name})
        nodes[loop.above][1].append(joint_node(loop.joint, reference))
    robot = nodes[plan.root][0]
    share_repeats(robot)
    return robot


def write_proto(
    name: str,
    plan: SolidTreePlan,
    robot: Node,
    options: WebotsOptions,
    renamed: Iterable[tuple[str, str]],
) -> str:
    """Returns the text of the PROTO `name`; `renamed` lists changed names with the new ones."""
    fields = "\n".join(f"  {line}" for line in _interface(plan, options))
    comments = "".join(
        f"# {what} is called {json.dumps(new, ensure_ascii=False)} here.\n" for what, new in renamed
    )
    return (
        f"#VRML_SIM {options.version} utf8\n{comments}\n"
        f"PROTO {name} [\n{fields}\n]\n{{\n  {write_node(robot, 1)}\n}}\n"
    )


def place_robot(plan: SolidTreePlan, options: WebotsOptions) -> Matrix:
    """Returns the frame (4, 4) of the Robot node in the world."""
    asked = matrix_from_pose(Pose(xyz=options.translation, rpy=options.rotation))
    place: Matrix = asked @ plan.base
    return place


def joint_node(joint: JointNodePlan, end_point: Node) -> Node:
    """Returns the joint around its endPoint, which is placed already."""
    fields: dict[str, Value] = {}
    for index, axis in enumerate(joint.axes):
        suffix = str(index + 1) if index else ""
        fields[f"jointParameters{suffix}"] = _parameters(joint, index)
        devices = _devices(axis)
        if devices:
            fields[f"device{suffix}"] = devices
    fields["endPoint"] = end_point
    return Node(joint.kind, fields, joint.def_name)


def moved_zero(solid: SolidPlan) -> Matrix:
    """Returns the frame (4, 4) of a Solid in the Solid above, with its joint at its position."""
    joint = solid.joint
    if joint is None:
        return solid.zero
    moved = np.eye(4)
    for axis in joint.axes:
        direction = np.array(axis.axis)
        if axis.turns:
            turn = rotations_about(direction[None], np.array([axis.position]))[0]
            moved[:3, :3] = moved[:3, :3] @ turn
        else:
            moved[:3, 3] += direction * axis.position
    if joint.kind != "SliderJoint":
        anchor = np.array(joint.anchor)
        moved[:3, 3] += anchor - moved[:3, :3] @ anchor
    frame: Matrix = moved @ solid.zero
    return frame


def _interface(plan: SolidTreePlan, options: WebotsOptions) -> list[str]:
    place = place_robot(plan, options)
    x, y, z = place[:3, 3].tolist()
    lines = [
        f"field SFVec3f translation {write_value((x, y, z))}",
        f"field SFRotation rotation {write_value(rotation_of(place) or _UNTURNED)}",
        f"field SFString name {write_value(plan.root.name)}",
        'field SFString controller "<none>"',
        "field MFString controllerArgs []",
        'field SFString customData ""',
        "field SFBool supervisor FALSE",
        "field SFBool synchronization TRUE",
        f"field SFBool selfCollision {write_value(options.self_collision)}",
    ]
    if options.tool_slot:
        lines.append(f"field MFNode {SLOT_FIELD} []")
    return lines


def _solid_node(
    solid: SolidPlan,
    children: list[Value],
    shapes: Shapes,
    sensors: Sensors,
    options: WebotsOptions,
    contact_materials: Mapping[str, str],
) -> Node:
    """Returns a Solid as a node, whose `children` may still grow."""
    fields: dict[str, Value] = {}
    if solid.above is None:
        fields |= {word: Raw(f"IS {word}") for word in ("translation", "rotation")}
        names = ("name", "controller", "controllerArgs", "customData", "supervisor")
        fields |= {word: Raw(f"IS {word}") for word in names}
        fields |= {word: Raw(f"IS {word}") for word in ("synchronization", "selfCollision")}
    else:
        fields |= pose_fields(moved_zero(solid))
        fields["name"] = solid.name
    fields["children"] = children
    material = _first(contact_materials, solid.links)
    if material:
        fields["contactMaterial"] = material
    parts = [
        part
        for held in solid.links
        for part in shapes.bounding_parts(sensors.solid_link(held.link), held.pose)
    ]
    bounding = join_bounding(parts)
    if bounding is not None:
        fields["boundingObject"] = bounding
    if solid.mass is not None:
        fields["physics"] = physics_node(solid.mass, options)
    kind = "Robot" if solid.above is None else sensors.adapt_solid(solid, fields)
    return Node(kind, fields, solid.def_name)


def _links_of(
    solid: SolidPlan, shapes: Shapes, sensors: Sensors, options: WebotsOptions
) -> list[Value]:
    """Returns the visuals of the links of a Solid and the sensors on them; a link that is held is a
    Pose."""
    children: list[Value] = []
    for held in solid.links:
        link = held.link
        content: list[Value] = [*shapes.visual_nodes(link), *sensors.sensor_nodes(link)]
        if options.tool_slot == link.name:
            content.append(Node("Group", {"children": Raw(f"IS {SLOT_FIELD}")}))
        if held.def_name:
            fields = {**pose_fields(held.pose), "children": content}
            children.append(Node("Pose", fields, held.def_name))
        else:
            children += content
    return children


def _parameters(joint: JointNodePlan, index: int) -> Node:
    """Returns the parameters of an axis. The axes of a BallJoint are written in its second and
    third parameters; the second axis follows from these."""
    axis = joint.axes[index]
    ball = joint.kind == "BallJoint"
    fields: dict[str, Value] = {}
    if axis.position:
        fields["position"] = axis.position
    if not ball:
        fields["axis"] = axis.axis
    elif index:
        fields["axis"] = joint.axes[0 if index == 1 else 2].axis
    if index == 0 and joint.kind != "SliderJoint" and any(joint.anchor):
        fields["anchor"] = joint.anchor
    if axis.stops is not None:
        fields["minStop"], fields["maxStop"] = axis.stops
    if axis.damping:
        fields["dampingConstant"] = axis.damping
    if axis.friction:
        fields["staticFriction"] = axis.friction
    if joint.kind == "SliderJoint" or index:
        return Node("JointParameters", fields)
    return Node("BallJointParameters" if ball else "HingeJointParameters", fields)


def _devices(axis: AxisPlan) -> list[Value]:
    devices: list[Value] = []
    if axis.motor:
        fields: dict[str, Value] = {"name": axis.motor, "maxVelocity": axis.velocity}
        if axis.limits is not None:
            fields["minPosition"], fields["maxPosition"] = axis.limits
        if axis.multiplier != 1.0:
            fields["multiplier"] = axis.multiplier
        fields["maxTorque" if axis.turns else "maxForce"] = axis.effort
        # The default is a file that Webots fetches.
        fields["sound"] = ""
        devices.append(Node("RotationalMotor" if axis.turns else "LinearMotor", fields))
    if axis.sensor:
        devices.append(Node("PositionSensor", {"name": axis.sensor}))
    return devices


def _first(found: Mapping[str, str], links: Sequence[HeldLink]) -> str:
    return next((found[held.link.name] for held in links if held.link.name in found), "")
