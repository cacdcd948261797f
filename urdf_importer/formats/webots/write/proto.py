# SPDX-License-Identifier: GPL-3.0-or-later
"""A structure plan as the nodes and the text of a PROTO.

A joint's endPoint is written at the joint's position, which Webots takes back when it wants to know
where zero is.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ....core.geometry.transforms import Matrix, matrix_from_pose, rotations_about
from ....core.model import Pose
from .options import WebotsOptions
from .sensors.place import SensorWriter
from .shapes.shapes import ShapeNodeWriter, join_bounding
from .structure.frames import pose_fields, rotation_of
from .structure.links import AxisPlan, HeldLink, JointNodePlan, SolidPlan, SolidTreePlan
from .structure.physics import physics_node
from .structure.sharing import share_repeats
from .vrml import Node, Raw, Value, Vec, keep_given, write_node, write_value

_UNTURNED: Vec = (0.0, 0.0, 1.0, 0.0)
SLOT_FIELD = "toolSlot"


def build_robot(
    plan: SolidTreePlan,
    shapes: ShapeNodeWriter,
    sensors: SensorWriter,
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


_ROBOT_FIELDS = {
    "translation": "SFVec3f",
    "rotation": "SFRotation",
    "name": "SFString",
    "controller": "SFString",
    "controllerArgs": "MFString",
    "customData": "SFString",
    "supervisor": "SFBool",
    "synchronization": "SFBool",
    "selfCollision": "SFBool",
}


def _interface(plan: SolidTreePlan, options: WebotsOptions) -> list[str]:
    place = place_robot(plan, options)
    x, y, z = place[:3, 3].tolist()
    values: list[Value] = [(x, y, z), rotation_of(place) or _UNTURNED, plan.root.name]
    values += ["<none>", [], "", False, True, options.self_collision]
    lines = [
        f"field {kind} {name} {write_value(value)}"
        for (name, kind), value in zip(_ROBOT_FIELDS.items(), values, strict=True)
    ]
    return [*lines, f"field MFNode {SLOT_FIELD} []"] if options.tool_slot else lines


def _solid_node(
    solid: SolidPlan,
    children: list[Value],
    shapes: ShapeNodeWriter,
    sensors: SensorWriter,
    options: WebotsOptions,
    contact_materials: Mapping[str, str],
) -> Node:
    """Returns a Solid as a node, whose `children` may still grow."""
    fields: dict[str, Value] = {}
    if solid.above is None:
        fields |= {word: Raw(f"IS {word}") for word in _ROBOT_FIELDS}
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
    solid: SolidPlan, shapes: ShapeNodeWriter, sensors: SensorWriter, options: WebotsOptions
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
    axis, slides = joint.axes[index], joint.kind == "SliderJoint"
    is_ball = joint.kind == "BallJoint"
    written: Vec | None = axis.axis
    if is_ball:
        written = joint.axes[0 if index == 1 else 2].axis if index else None
    lower, upper = axis.stops or (None, None)
    fields = {
        "position": axis.position or None,
        "axis": written,
        "anchor": joint.anchor if not index and not slides and any(joint.anchor) else None,
        "minStop": lower,
        "maxStop": upper,
        "dampingConstant": axis.damping or None,
        "staticFriction": axis.friction or None,
    }
    kind = "BallJointParameters" if is_ball else "HingeJointParameters"
    return Node("JointParameters" if slides or index else kind, keep_given(fields))


def _devices(axis: AxisPlan) -> list[Value]:
    devices: list[Value] = []
    if axis.motor:
        lower, upper = axis.limits or (None, None)
        fields = {
            "name": axis.motor,
            "maxVelocity": axis.velocity,
            "minPosition": lower,
            "maxPosition": upper,
            "multiplier": axis.multiplier if axis.multiplier != 1.0 else None,
            "maxTorque" if axis.turns else "maxForce": axis.effort,
            # The default is a file that Webots fetches.
            "sound": "",
        }
        kind = "RotationalMotor" if axis.turns else "LinearMotor"
        devices.append(Node(kind, keep_given(fields)))
    if axis.sensor:
        devices.append(Node("PositionSensor", {"name": axis.sensor}))
    return devices


def _first(found: Mapping[str, str], links: Sequence[HeldLink]) -> str:
    return next((found[held.link.name] for held in links if held.link.name in found), "")
