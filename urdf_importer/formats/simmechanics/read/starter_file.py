# SPDX-License-Identifier: GPL-3.0-or-later
"""Aids for writing a parameter file: the graph, and a starter file."""

import json

from ....core.model.graph import GraphEdge
from .read import AssemblyReading


def edges_of_assembly(reading: AssemblyReading) -> tuple[GraphEdge, ...]:
    """Returns all joints except joints that only place, in the order of the file; then the fixed
    joints of frames and of bodies that no joint reaches."""
    assembly, tree = reading.assembly, reading.tree
    branches = {
        branch.joint.edge: branch for branch in tree.branches.values() if branch.joint is not None
    }
    extra = {
        branch.joint.name: branch for branch in tree.branches.values() if branch.joint is not None
    }
    found: list[GraphEdge] = []
    for joint in assembly.shown:
        if not (tree.holds(joint.base) and tree.holds(joint.follower)):
            continue
        branch = branches.get(joint.edge) if joint.edge >= 0 else extra.get(joint.name)
        base, follower = assembly.link_name(joint.base), assembly.link_name(joint.follower)
        turned = branch is not None and branch.is_reversed
        found.append(
            GraphEdge(
                parent=follower if turned else base,
                child=base if turned else follower,
                label=joint.label,
                moves=joint.moves if branch is None or branch.joint is None else branch.joint.moves,
                in_tree=branch is not None,
                is_reversed=turned,
            )
        )
    made = {
        assembly.link_name(body)
        for body, branch in tree.branches.items()
        if branch.joint is not None
    }
    chains = {joint.child for joint in reading.robot.joints if joint.type != "fixed"}
    for fixed in reading.robot.joints:
        if fixed.type == "fixed" and fixed.child not in made and fixed.child not in chains:
            found.append(GraphEdge(parent=fixed.parent, child=fixed.child, label=fixed.name))
    return tuple(found)


def write_starter_parameters(reading: AssemblyReading) -> str:
    """Returns a parameter file that lists everything nameable, with a sample of each entry. It
    changes nothing until a line loses its mark."""
    sensors = _SENSORS.format(root=_text(reading.assembly.link_name(reading.tree.root)))
    parts = [_keys(reading), _joints(reading), _frames(reading), sensors]
    return "\n".join(part for part in parts if part) + "\n"


def _text(text: str) -> str:
    """A text of YAML in double quotes, on one line; JSON's are such."""
    return json.dumps(text, ensure_ascii=False).replace("\u2028", "\\u2028").replace(
        "\u2029", "\\u2029"
    ).replace("\x85", "\\x85").replace("\x7f", "\\x7f")  # fmt: skip


def _comment(text: str) -> str:
    return "# " + "".join(c if c.isprintable() else "?" for c in text)


_KEYS = """\
{title}
# Lines that begin with #~ are entries: remove the mark where you want one.

# The link that carries all others.
#~ root: {root}

# How unique names are given, and the frames of links on fixed joints. Written here
# so that names stay the same, whatever keys are added.
dialect: {dialect}

# Meshes: their unit, and how their names become filenames.
#~ scale: "{unit:g} {unit:g} {unit:g}"
#~ filenameformat: "package://my_robot/meshes/%s"

# The robot's name.
#~ robotName: {name}

# New names: the file's name of a body or a joint, and the robot's.
#~ rename:
{renamed}

# The links and their masses in kg.
#~ assignedMasses:
{masses}
"""
_JOINTS = """\
# Joints by their numbers: number, name, links, how it moves.
{joints}
#~ freeze: [{number}]
#~ remove: []
#~ reverseRotationAxis: [{name}]
#~ redefinedjoints:
#~   {number}: {{limits: {{lower: -1.0, upper: 1.0, effort: 10.0, velocity: 1.0}}}}
"""
_FRAMES = """\
# Frames that users drew, as links of their own.
#~ exportedFrames:
{frames}
"""
_FRAME = """\
#~   - frameName: {frame}
#~     frameReferenceLink: {link}
#~     exportedFrameName: {name}"""
_SENSORS = """\
# Sensors of links.
#~ sensors:
#~   - linkName: {root}
#~     sensorType: imu
#~     sensorName: my_imu
#~     updateRate: 100
"""


def _keys(reading: AssemblyReading) -> str:
    assembly, bodies = reading.assembly, reading.mechanism.bodies
    names = dict.fromkeys(_text(body.name) for body in bodies if body.kind == "part")
    masses = {_text(assembly.link_name(i)): bodies[i].mass or 1.0 for i in reading.tree.bodies()}
    title = f"Parameters of {reading.robot.name}: a starter file that changes nothing."
    return _KEYS.format(
        title=_comment(title),
        root=_text(assembly.link_name(reading.tree.root)),
        dialect=assembly.parameters.dialect,
        unit=reading.mechanism.unit,
        name=_text(reading.robot.name),
        renamed="\n".join(f"#~   {name}: {name}" for name in names),
        masses="\n".join(f"#~   {name}: {mass!r}" for name, mass in masses.items()),
    )


def _joints(reading: AssemblyReading) -> str:
    assembly, edges = reading.assembly, reading.mechanism.edges
    numbered = [joint for joint in assembly.shown if joint.edge >= 0]
    if not numbered:
        return ""
    lines = []
    for joint in numbered:
        moves = " ".join(item.kind for item in joint.primitives)
        base, follower = assembly.link_name(joint.base), assembly.link_name(joint.follower)
        number = edges[joint.edge].number
        lines.append(_comment(f"  {number:>4}  {joint.name}: {base} -> {follower}, {moves}"))
    first = next((joint for joint in numbered if joint.moves), numbered[0])
    number = _text(edges[first.edge].number)
    return _JOINTS.format(joints="\n".join(lines), number=number, name=_text(first.name))


def _frames(reading: AssemblyReading) -> str:
    entries = [
        _FRAME.format(
            frame=_text(frame.label),
            link=_text(reading.assembly.link_name(body)),
            name=_text(f"frame_{frame.label}"),
        )
        for body, frame in reading.assembly.frames.drawn()
        if reading.tree.holds(body)
    ]
    return _FRAMES.format(frames="\n".join(entries)) if entries else ""
