# SPDX-License-Identifier: GPL-3.0-or-later
"""Aids for writing a parameter file: the graph, and a starter file."""

import json
from collections.abc import Iterator

from ...model.graph import GraphEdge
from .read import AssemblyReading

# Lines that are entries, once the mark is taken away; other comments are prose.
ENTRY_MARK = "#~ "


def edges_of_assembly(reading: AssemblyReading) -> tuple[GraphEdge, ...]:
    """Returns all joints except joints that only place, in the order of the file; then the fixed
    joints of frames and of bodies that no joint reaches."""
    assembly, tree = reading.assembly, reading.tree
    hangs = {hang.joint.edge: hang for hang in tree.hangs.values() if hang.joint is not None}
    extra = {hang.joint.name: hang for hang in tree.hangs.values() if hang.joint is not None}
    found: list[GraphEdge] = []
    for joint in assembly.shown:
        if not (tree.holds(joint.base) and tree.holds(joint.follower)):
            continue
        hang = hangs.get(joint.edge) if joint.edge >= 0 else extra.get(joint.name)
        base, follower = assembly.link_name(joint.base), assembly.link_name(joint.follower)
        turned = hang is not None and hang.is_reversed
        found.append(
            GraphEdge(
                parent=follower if turned else base,
                child=base if turned else follower,
                label=joint.label,
                moves=joint.moves if hang is None or hang.joint is None else hang.joint.moves,
                in_tree=hang is not None,
                is_reversed=turned,
            )
        )
    made = {assembly.link_name(body) for body, hang in tree.hangs.items() if hang.joint is not None}
    chains = {joint.child for joint in reading.robot.joints if joint.type != "fixed"}
    for fixed in reading.robot.joints:
        if fixed.type == "fixed" and fixed.child not in made and fixed.child not in chains:
            found.append(GraphEdge(parent=fixed.parent, child=fixed.child, label=fixed.name))
    return tuple(found)


def write_starter_parameters(reading: AssemblyReading) -> str:
    """Returns a parameter file that lists everything nameable, with a sample of each entry. It
    changes nothing until a line loses its mark."""
    return "\n".join([*_head(reading), *_keys(reading), *_lists(reading), ""])


def _text(text: str) -> str:
    """A text of YAML in double quotes, on one line; JSON's are such."""
    return json.dumps(text, ensure_ascii=False).replace("\u2028", "\\u2028").replace(
        "\u2029", "\\u2029"
    ).replace("\x85", "\\x85").replace("\x7f", "\\x7f")  # fmt: skip


def _comment(text: str) -> str:
    return "# " + "".join(c if c.isprintable() else "?" for c in text)


def _head(reading: AssemblyReading) -> Iterator[str]:
    yield _comment(f"Parameters of {reading.robot.name}: a starter file that changes nothing.")
    yield "# Lines that begin with #~ are entries: take the mark away where you want one."
    yield ""


def _keys(reading: AssemblyReading) -> Iterator[str]:
    assembly, robot = reading.assembly, reading.robot
    unit = reading.mechanism.unit
    yield "# The link that all others hang on."
    yield f"{ENTRY_MARK}root: {_text(assembly.link_name(reading.tree.root))}"
    yield ""
    yield "# How unique names are given, and the frames of links on fixed joints. Written here"
    yield "# so that names stay the same, whatever keys are added."
    yield f"dialect: {assembly.parameters.dialect}"
    yield ""
    yield "# Meshes: their unit, and how their names become filenames."
    yield f'{ENTRY_MARK}scale: "{unit:g} {unit:g} {unit:g}"'
    yield f'{ENTRY_MARK}filenameformat: "package://my_robot/meshes/%s"'
    yield ""
    yield "# The robot's name."
    yield f"{ENTRY_MARK}robotName: {_text(robot.name)}"
    yield ""


def _lists(reading: AssemblyReading) -> Iterator[str]:
    yield from _links(reading)
    yield from _joints(reading)
    yield from _frames(reading)
    yield from _sensors(reading)


def _links(reading: AssemblyReading) -> Iterator[str]:
    assembly, bodies = reading.assembly, reading.mechanism.bodies
    yield "# New names: the file's name of a body or a joint, and the robot's."
    yield f"{ENTRY_MARK}rename:"
    for name in dict.fromkeys(body.name for body in bodies if body.kind == "part"):
        yield f"{ENTRY_MARK}  {_text(name)}: {_text(name)}"
    yield ""
    yield "# The links and their masses in kg."
    yield f"{ENTRY_MARK}assignedMasses:"
    for index in reading.tree.bodies():
        mass = bodies[index].mass
        name = _text(assembly.link_name(index))
        yield f"{ENTRY_MARK}  {name}: {mass if mass else 1.0!r}"
    yield ""


def _joints(reading: AssemblyReading) -> Iterator[str]:
    assembly = reading.assembly
    numbered = [joint for joint in assembly.shown if joint.edge >= 0]
    if not numbered:
        return
    edges = reading.mechanism.edges
    yield "# Joints by their numbers: number, name, links, how it moves."
    for joint in numbered:
        moves = " ".join(item.kind for item in joint.primitives)
        base, follower = assembly.link_name(joint.base), assembly.link_name(joint.follower)
        number = edges[joint.edge].number
        yield _comment(f"  {number:>4}  {joint.name}: {base} -> {follower}, {moves}")
    first = next((joint for joint in numbered if joint.moves), numbered[0])
    number = _text(edges[first.edge].number)
    yield f"{ENTRY_MARK}freeze: [{number}]"
    yield f"{ENTRY_MARK}remove: []"
    yield f"{ENTRY_MARK}reverseRotationAxis: [{_text(first.name)}]"
    yield f"{ENTRY_MARK}redefinedjoints:"
    yield (
        f"{ENTRY_MARK}  {number}: "
        "{limits: {lower: -1.0, upper: 1.0, effort: 10.0, velocity: 1.0}}"
    )
    yield ""


def _frames(reading: AssemblyReading) -> Iterator[str]:
    drawn = [
        (body, frame) for body, frame in reading.assembly.frames.drawn() if reading.tree.holds(body)
    ]
    if not drawn:
        return
    yield "# Frames that users drew, as links of their own."
    yield f"{ENTRY_MARK}exportedFrames:"
    for body, frame in drawn:
        link = _text(reading.assembly.link_name(body))
        yield f"{ENTRY_MARK}  - frameName: {_text(frame.label)}"
        yield f"{ENTRY_MARK}    frameReferenceLink: {link}"
        yield f"{ENTRY_MARK}    exportedFrameName: {_text(f'frame_{frame.label}')}"
    yield ""


def _sensors(reading: AssemblyReading) -> Iterator[str]:
    link = _text(reading.assembly.link_name(reading.tree.root))
    yield "# Sensors of links."
    yield f"{ENTRY_MARK}sensors:"
    yield f"{ENTRY_MARK}  - linkName: {link}"
    yield f"{ENTRY_MARK}    sensorType: imu"
    yield f"{ENTRY_MARK}    sensorName: my_imu"
    yield f"{ENTRY_MARK}    updateRate: 100"
    yield ""
