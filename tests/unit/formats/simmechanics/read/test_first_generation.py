# SPDX-License-Identifier: GPL-3.0-or-later
"""The XML that SimMechanics Link and its successor wrote first, element by element."""

import numpy as np
import pytest

from support.assembly_text import CadBody, CadFrame, CadJoint, first_generation
from support.gates import TURNED, gate, gate_bodies, gate_joints
from support.simmechanics_reading import Read
from urdf_importer.core.diagnostics import ReadError
from urdf_importer.core.geometry.transforms import matrix_from_pose


def test_links_and_joints_of_a_gate(read: Read) -> None:
    """Names, types, frames and axes by hand: link frames at the base frames, axes of CS1."""
    outcome = read(gate())
    robot = outcome.robot
    assert robot.name == "GATE"
    assert [link.name for link in robot.links] == ["POST1", "WING1", "BOLT1"]
    hinge, slide = robot.joints
    assert (hinge.name, hinge.type) == ("POST--WING1", "continuous")
    assert (hinge.parent, hinge.child) == ("POST1", "WING1")
    assert (slide.name, slide.type, slide.axis) == ("WING--BOLT1", "prismatic", (1.0, 0.0, 0.0))
    np.testing.assert_allclose(outcome.matrix(hinge.name)[:3, 3], (1, 0, 2), atol=1e-12)
    np.testing.assert_allclose(outcome.matrix(hinge.name)[:3, 0], (0, 1, 0), atol=1e-12)
    assert hinge.axis == (0.0, 0.0, 1.0)
    assert outcome.codes == []


def test_shapes_stand_where_the_part_does(read: Read) -> None:
    outcome = read(gate())
    for link, point, x in (("WING1", (3, 0, 0), (0, 1, 0)), ("BOLT1", (5, 0, 2), (1, 0, 0))):
        visual = outcome.link(link).visuals[0]
        placed = outcome.frame(link) @ matrix_from_pose(visual.origin)
        np.testing.assert_allclose(placed[:3, 3], point, atol=1e-12)
        np.testing.assert_allclose(placed[:3, 0], x, atol=1e-12)
        assert visual.geometry == outcome.link(link).collisions[0].geometry


def test_mass_stands_at_the_centre(read: Read) -> None:
    outcome = read(gate())
    inertial = outcome.link("WING1").inertial
    assert inertial is not None and inertial.mass == 4.0
    placed = outcome.frame("WING1") @ matrix_from_pose(inertial.origin)
    np.testing.assert_allclose(placed, [[1, 0, 0, 2], [0, 1, 0, 0], [0, 0, 1, 2], [0, 0, 0, 1]],
                               atol=1e-12)  # fmt: skip


@pytest.mark.parametrize(
    ("unit", "metres"), [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048)]
)
def test_units_of_length(read: Read, unit: str, metres: float) -> None:
    bodies = gate_bodies()
    bodies[0].frames[0].unit = unit
    outcome = read(first_generation(bodies, gate_joints()))
    np.testing.assert_allclose(
        outcome.matrix("POST--WING1")[:3, 3], np.array((1, 0, 2)) * metres, atol=1e-12
    )


@pytest.mark.parametrize(
    ("mass", "kilograms", "inertia", "factor"),
    [
        ("kg", 1.0, "kg*m^2", 1.0),
        ("g", 0.001, "g*mm^2", 1e-9),
        ("slug", 14.5939029, "slug*in^2", 0.009415402),
        ("lbm", 0.45359237, "lbm*ft^2", 0.45359237 * 0.3048**2),
        ("lb", 0.45359237, "kg*cm^2", 1e-4),
    ],
)
def test_units_of_mass(
    read: Read, mass: str, kilograms: float, inertia: str, factor: float
) -> None:
    body = CadBody(
        name="A",
        mass=2.0,
        mass_unit=mass,
        inertia_unit=inertia,
        inertia=(3, 0, 0, 0, 4, 0, 0, 0, 5),
    )
    inertial = read(first_generation([body])).link("A1").inertial
    assert inertial is not None and inertial.inertia is not None
    assert inertial.mass == pytest.approx(2 * kilograms, rel=1e-8)
    assert inertial.inertia.izz == pytest.approx(5 * factor, rel=1e-7)


@pytest.mark.parametrize(
    "broken",
    [
        CadBody(name="A", frames=[CadFrame(name="CS2", unit="furlong")]),
        CadBody(name="A", mass_unit="stone"),
        CadBody(name="A", inertia_unit="kg*m"),
        CadBody(name="A", frames=[CadFrame(name="CS2", kind="Euler X-Y-Z")]),
        CadBody(name="A", frames=[CadFrame(name="CS2", origin="NOWHERE")]),
        CadBody(name="A", frames=[CadFrame(name="CS2", origin="CS2")]),
        CadBody(name="A", frames=[CadFrame(name="CS2", point=(float("nan"), 0, 0))]),
        CadBody(name="A", frames=[CadFrame(name="CS2", point=(1e300, 0, 0))]),
        CadBody(name="A", frames=[CadFrame(name="CS2", point=(1, 0))]),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_line(read: Read, broken: CadBody) -> None:
    with pytest.raises(ReadError) as caught:
        read(first_generation([broken]))
    assert caught.value.line > 0 and caught.value.source == "machine.xml"


def test_exponents_of_three_digits_and_blanks(read: Read) -> None:
    data = gate().replace(b"1.0,0.0,2.0</position>", b" 1e+000 , 0.0 2 </position>")
    np.testing.assert_allclose(read(data).matrix("POST--WING1")[:3, 3], (1, 0, 2), atol=1e-12)


def test_frames_in_frames_of_the_body_and_across_the_joint(read: Read) -> None:
    """CS2 in CS1's axes; the wing's end in that of the post."""
    bodies = gate_bodies()
    bodies[1].frames[1] = CadFrame(
        name="CS3", point=(1, 0, 0), ref=7, origin="CS1", position_axes="CS1", turned_in="CS1"
    )
    bodies[1].frames[0] = CadFrame(
        name="CS2", point=(0, 0, 1), ref=5, origin="ADJOINING", position_axes="ADJOINING"
    )
    outcome = read(first_generation(bodies, gate_joints()), yaml="baseframe: 5")
    # The post's frame 4 is (1, 0, 2), so the wing's frame 5 is (1, 0, 3).
    np.testing.assert_allclose(outcome.matrix("POST--WING1")[:3, 3], (0, 0, -1), atol=1e-12)
    placed = outcome.frame("BOLT1")[:3, 3] + (1, 0, 3)
    np.testing.assert_allclose(placed, (3, 1, 0), atol=1e-12)


def test_axes_in_the_frames_of_base_and_follower(read: Read) -> None:
    bodies = gate_bodies()
    bodies[0].frames[0].axes = TURNED
    for frame, world in (("WORLD", (1, 0, 0)), ("BASE", (0, 1, 0)), ("FOLLOWER", (1, 0, 0))):
        joints = gate_joints()
        joints[0].primitives = [("revolute", (1, 0, 0), frame)]
        outcome = read(first_generation(bodies, joints))
        axis = outcome.frame("WING1")[:3, :3] @ np.array(outcome.joint("POST--WING1").axis)
        np.testing.assert_allclose(axis, world, atol=1e-12)


def test_rotations_of_six_digits_become_rotations(read: Read) -> None:
    angle = 0.3
    c, s = round(float(np.cos(angle)), 6), round(float(np.sin(angle)), 6)
    bodies = gate_bodies()
    bodies[1].part = CadFrame(name="CS1", axes=(c, s, 0, -s, c, 0, 0, 0, 1))
    rotation = read(first_generation(bodies, gate_joints())).frame("WING1")[:3, :3]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(rotation[:, 0], (np.cos(angle), np.sin(angle), 0), atol=2e-6)


def test_one_element_is_lost_and_said(read: Read) -> None:
    bodies = gate_bodies()
    bodies[2].frames[0].axes = (1, 0, 0, 1, 0, 0, 0, 0, 1)
    bodies[1].inertia = "1.#QNAN,0,0,0,1,0,0,0,1"
    bodies[0].frames.append(CadFrame(name="CS9", ref=4))
    joints = [
        *gate_joints(),
        CadJoint(name="LOST", base=4, follower=99),
        CadJoint(name="SELF", base=5, follower=7),
    ]
    outcome = read(first_generation(bodies, joints))
    assert outcome.codes == [
        "bad-mass", "bad-orientation", "duplicate-frame", "lost-frame", "self-joint",
    ]  # fmt: skip
    assert all(item.line > 0 for item in outcome.diagnostics)
    assert outcome.link("WING1").inertial is None
    assert len(outcome.robot.joints) == 2


def test_asymmetric_inertia(read: Read) -> None:
    body = CadBody(name="A", inertia=(1, 0.2, 0, 0.4, 1, 0, 0, 0, 1))
    outcome = read(first_generation([body]))
    inertial = outcome.link("A1").inertial
    assert inertial is not None and inertial.inertia is not None
    assert inertial.inertia.ixy == pytest.approx(0.3)
    assert outcome.codes == ["asymmetric-inertia"]


def test_subsystems_give_names_in_the_order_of_the_document(read: Read) -> None:
    inner = (
        "<Subsystem><bodies>"
        + CadBody(name="POST", frames=[CadFrame(name="CS2", ref=20)]).xml()
        + "</bodies><joints>"
        + CadJoint(name="POST--WING", base=8, follower=20).xml()
        + "</joints></Subsystem>"
    )
    bodies = gate_bodies()
    outcome = read(first_generation(bodies, gate_joints(), within=inner))
    assert {link.name for link in outcome.robot.links} == {"POST1", "WING1", "BOLT1", "POST2"}
    assert outcome.joint("POST--WING2").child == "POST2"
    plain = read(first_generation(bodies, gate_joints(), within=inner), yaml="dialect: robotology")
    assert {link.name for link in plain.robot.links} == {"POST", "WING", "BOLT", "POST0"}


PRIMITIVES = {
    "weld": ([("weld",)], ["fixed"]),
    "revolute": ([("revolute", (0, 0, 1))], ["continuous"]),
    "prismatic": ([("prismatic", (0, 0, 1))], ["prismatic"]),
    "ball": ([("spherical",)], ["spherical"]),
    "planar": (
        [("prismatic", (1, 0, 0)), ("prismatic", (0, 1, 0)), ("revolute", (0, 0, 1))], ["planar"],
    ),
    "free": ([("prismatic", (1, 0, 0)), ("prismatic", (0, 1, 0)), ("prismatic", (0, 0, 1)),
              ("spherical",)], ["floating"]),
    "cylindrical": (
        [("prismatic", (0, 0, 1)), ("revolute", (0, 0, 1))], ["prismatic", "continuous"],
    ),
    "gimbal": (
        [("revolute", (1, 0, 0)), ("revolute", (0, 1, 0)), ("revolute", (0, 0, 1))],
        ["continuous"] * 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", PRIMITIVES)
def test_primitives(read: Read, kind: str) -> None:
    primitives, types = PRIMITIVES[kind]
    joints = gate_joints()
    joints[0].primitives = primitives
    outcome = read(first_generation(gate_bodies(), joints))
    made = [joint for joint in outcome.robot.joints if joint.name.startswith("POST--WING1")]
    assert [joint.type for joint in made] == types
    if len(made) > 1:
        assert [joint.name for joint in made] == [
            f"POST--WING1_{number}" for number in range(1, len(made) + 1)
        ]
        assert [joint.child for joint in made[:-1]] == [f"{joint.name}_link" for joint in made[:-1]]
        assert all(not outcome.link(joint.child).visuals for joint in made[:-1])
        fixed = read(first_generation(gate_bodies(), joints), yaml="multiPrimitiveJoints: fixed")
        assert fixed.joint("POST--WING1").type == "fixed"
    assert made[-1].child == "WING1"
    np.testing.assert_allclose(outcome.frame("WING1")[:3, 3], (1, 0, 2), atol=1e-12)


def test_a_chain_moves_as_its_primitives_do(read: Read) -> None:
    """Slide along z, then turn about the moved z: by hand."""
    joints = gate_joints()
    joints[0].primitives = [("prismatic", (0, 0, 1)), ("revolute", (0, 0, 1))]
    outcome = read(first_generation(gate_bodies(), joints), yaml="dialect: robotology")
    moved = outcome.frame("WING", **{"POST--WING_1": 0.5, "POST--WING_2": np.pi / 2})
    np.testing.assert_allclose(moved[:3, 3], (1, 0, 2.5), atol=1e-12)
    np.testing.assert_allclose(moved[:3, 0], (-1, 0, 0), atol=1e-12)


def test_a_chain_from_its_follower_counts_from_there(read: Read) -> None:
    joints = gate_joints()
    joints[0].primitives = [("prismatic", (0, 0, 1)), ("revolute", (0, 0, 1))]
    outcome = read(first_generation(gate_bodies(), joints), yaml="root: WING1")
    types = {joint.name: joint.type for joint in outcome.robot.joints}
    assert types["POST--WING1_1"] == "continuous" and types["POST--WING1_2"] == "prismatic"


def test_missing_and_unknown_primitives(read: Read) -> None:
    joints = gate_joints()
    joints[0].primitives = []
    joints[1].primitives = [("screw", (1, 0, 0))]
    outcome = read(first_generation(gate_bodies(), joints))
    assert [joint.type for joint in outcome.robot.joints] == ["fixed", "fixed"]
    assert outcome.codes == ["missing-primitive", "unknown-primitive"]


def test_reversed_joints_keep_their_axis_and_point(read: Read) -> None:
    outcome = read(gate(), yaml="root: WING1")
    joint = outcome.joint("POST--WING1")
    assert (joint.parent, joint.child) == ("WING1", "POST1")
    axis = outcome.frame("POST1")[:3, :3] @ np.array(joint.axis)
    root = outcome.frame("WING1")
    np.testing.assert_allclose(axis, root[:3, :3].T @ (0, 0, 1), atol=1e-12)
    # The root's origin is WORLD's, in the axes of its CS1: x is the world's y.
    np.testing.assert_allclose(outcome.frame("POST1")[:3, 3], (0, -1, 2), atol=1e-12)


LOOK = (
    "<MaterialProp><color>0.8,0.1,0.1</color><ambient>0.5</ambient><diffuse>1</diffuse>"
    "<specular>0.25</specular><emission>0</emission><transparency>0.25</transparency>"
    "</MaterialProp>"
)


def test_colours(read: Read) -> None:
    bodies = gate_bodies()
    bodies[0].look = LOOK
    bodies[1].look = "<MaterialProp><color>red</color></MaterialProp>"
    outcome = read(first_generation(bodies, gate_joints()))
    material = outcome.link("POST1").visuals[0].material
    assert material is not None
    assert (material.name, material.color) == ("POST1_color", (0.8, 0.1, 0.1, 0.75))
    palette = [outcome.link(name).visuals[0].material for name in ("WING1", "BOLT1")]
    assert None not in palette and palette[0] != palette[1]
    assert "<specular>0.2 0.025 0.025 1</specular>" in outcome.robot.extras[0].xml
    assert outcome.codes == ["bad-color"]


def test_elements_on_one_line_and_without_cs1(read: Read) -> None:
    data = gate().replace(b"\n", b"")
    assert len(read(data).robot.links) == 3
    lost = gate().replace(b'"CS1"', b'"CSX"')
    outcome = read(lost)
    assert outcome.codes == ["missing-part-frame"] * 3
