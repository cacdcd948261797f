# SPDX-License-Identifier: GPL-3.0-or-later
"""The graph, groups, the picture and the starter parameter file."""

import re
from xml.etree import ElementTree

import pytest

from support.assembly_text import CadBody, CadFrame, CadJoint, first_generation
from support.gates import gate, gate_bodies, gate_joints
from support.simmechanics_reading import Read
from urdf_importer.core.model.graph import edges_of_robot
from urdf_importer.core.writers.graph import write_graph, write_graph_picture, write_groups
from urdf_importer.formats.simmechanics.read import edges_of_assembly, write_starter_parameters


def test_the_graph_of_a_gate(read: Read) -> None:
    outcome = read(gate(), "root: WING1\nfreeze: [7]\n")
    assert write_graph("GATE", edges_of_assembly(outcome.reading)) == (
        'digraph "GATE" {\n'
        '"WING1" -> "POST1" [label="4:5" color="blue" penwidth="5"];\n'
        '"WING1" -> "BOLT1" [label="7:8"];\n'
        "}\n"
    )
    other = read(gate(), "dialect: robotology\nexportedFrames: [{frameName: LATCH}]\n")
    assert write_graph("G", edges_of_assembly(other.reading)).splitlines()[1:] == [
        '"POST" -> "WING" [label="POST--WING" penwidth="5"];',
        '"WING" -> "BOLT" [label="WING--BOLT" penwidth="5"];',
        '"WING" -> "LATCH" [label="LATCH_fixed_joint"];',
        "}",
    ]


def test_joints_that_close_loops_and_odd_names(read: Read) -> None:
    bodies, joints = gate_bodies(), gate_joints()
    bodies[2].name = 'B"\\O\nLT'
    bodies[0].frames.append(CadFrame(name="CS9", ref=20))
    bodies[2].frames.append(CadFrame(name="CS9", ref=21))
    joints.append(CadJoint(name="BACK", base=20, follower=21))
    reading = read(first_generation(bodies, joints)).reading
    text = write_graph("x", edges_of_assembly(reading))
    assert '"POST1" -> "B\\"\\\\O LT1" [label="20:21" penwidth="5"];' in text
    assert 'color="yellow"' in text
    picture = write_graph_picture("<x>", edges_of_assembly(reading))
    texts = [item.text or "" for item in ElementTree.fromstring(picture).iter()]
    assert sum("POST1" in item for item in texts) == 1
    assert "stroke-dasharray" in picture
    loops = [edge for edge in edges_of_robot(reading.robot) if not edge.in_tree]
    assert [edge.label for edge in loops] == [loop.name for loop in reading.robot.loops]


def test_groups(read: Read) -> None:
    outcome = read(gate(), "dialect: robotology\nfreeze: [7]\nexportAllUseradded: true\n")
    assert write_groups(outcome.robot) == "BASE:\n\tPOST\n\nPOST--WING:\n\tWING LATCH BOLT\n\n"


def entries(text: str) -> str:
    """A starter file with all of its entries in force."""
    return "\n".join(line.removeprefix("#~ ") for line in text.splitlines()) + "\n"


ODD = [
    first_generation([CadBody(name='a: "b" # {c} \\d'), CadBody(name="%s\u2028 \u00e9 [x]")]),
    gate(),
    first_generation(gate_bodies(), gate_joints()).replace(b"LATCH", "- *é: #".encode()),
]


@pytest.mark.parametrize("data", ODD)
@pytest.mark.parametrize("csv", ["", "joint_name\n"])
def test_a_starter_file_changes_nothing(read: Read, data: bytes, csv: str) -> None:
    before = read(data, "", csv)
    text = write_starter_parameters(before.reading)
    after = read(data, text, csv)
    assert after.robot == before.robot and after.codes == before.codes
    for link in before.robot.links:
        assert re.sub(r"\W", "", link.name) in re.sub(r"\\u2028|\W", "", text)


@pytest.mark.parametrize("data", ODD)
def test_all_entries_of_a_starter_file_are_right(read: Read, data: bytes) -> None:
    before = read(data)
    after = read(data, entries(write_starter_parameters(before.reading)))
    assert set(after.codes) <= set(before.codes)
    assert "my_imu" in "".join(extra.xml for extra in after.robot.extras)
