# SPDX-License-Identifier: GPL-3.0-or-later
"""The XML of Onshape and of today's Link plug-ins: instances, joints, mates, units."""

import math

import numpy as np
import pytest

from support.assembly_text import instance, joint, mate, part, second_generation
from support.simmechanics_reading import Read
from urdf_importer.core.diagnostics import ReadError
from urdf_importer.core.geometry.transforms import matrix_from_pose, rotations_from_rpy
from urdf_importer.core.model import Mesh


def at(*xyz: float, rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = rotations_from_rpy(np.array(rpy))
    matrix[:3, 3] = xyz
    return matrix


def two(joints: str = "", constraints: str = "", matrix: np.ndarray | None = None) -> bytes:
    """Two instances of one part, the second somewhere."""
    instances = instance("a", grounded="true") + instance("b", matrix=matrix)
    return second_generation(instances, joints=joints, constraints=constraints, parts=part())


JOINTS = {
    "Weld": ["fixed"],
    "Revolute": ["continuous"],
    "Prismatic": ["prismatic"],
    "Cylindrical": ["prismatic", "continuous"],
    "Planar": ["planar"],
    "PinSlot": ["prismatic", "continuous"],
    "Universal": ["continuous", "continuous"],
    "Spherical": ["spherical"],
    "Bushing": ["floating"],
    "SixDof": ["floating"],
    "Telepathy": ["fixed"],
}


@pytest.mark.parametrize("kind", JOINTS)
def test_joints(read: Read, kind: str) -> None:
    frame = at(1, 2, 3, rpy=(0.4, -0.2, 0.9))
    place = at(0.3, 0, 0, rpy=(1.0, 0.5, 0.1))
    follower = np.linalg.inv(place) @ frame @ at(0, 0, 0, rpy=(0, 0, 0.7))
    outcome = read(two(joint(kind, "J", "a", "b", frame, follower), matrix=place))
    assert [made.type for made in outcome.robot.joints] == JOINTS[kind]
    assert outcome.codes == (["unknown-primitive"] if kind == "Telepathy" else [])
    placed = outcome.frame("b") @ matrix_from_pose(outcome.link("b").visuals[0].origin)
    np.testing.assert_allclose(placed, place, atol=1e-9)
    made = outcome.robot.joints[-1]
    if kind in ("Revolute", "Prismatic", "Cylindrical", "Planar"):
        axis = outcome.frame("b")[:3, :3] @ np.array(made.axis)
        np.testing.assert_allclose(axis, frame[:3, 2], atol=1e-9)
    if kind in ("Revolute", "Planar"):
        (extra,) = made.extras
        angle = float(extra.xml.split('"')[1])
        assert angle == pytest.approx(0.7, abs=1e-9)


def test_subassemblies_are_read_once_for_each_instance(read: Read) -> None:
    inner = instance("x", grounded="true") + instance("y", matrix=at(1, 0, 0))
    assembly = (
        '<Assembly name="arm" uid="arm"><Joints>'
        + joint("Revolute", "elbow", "x", "y", at(1, 0, 0))
        + "</Joints></Assembly>"
    )  # fmt: skip
    instances = (
        instance("base", grounded="true")
        + instance("left", "arm", at(0, 1, 0), inner)
        + instance("right", "arm", at(0, -1, 0), inner)
    )
    shoulders = joint("Revolute", "l", "base", "left/x") + joint("Weld", "r", "base", "right")
    outcome = read(
        second_generation(instances, joints=shoulders, assemblies=assembly, parts=part())
    )
    assert [link.name for link in outcome.robot.links] == ["base", "x", "y", "x0", "y0"]
    assert {made.name: made.type for made in outcome.robot.joints} == {
        "l": "continuous", "elbow": "continuous", "r": "fixed", "elbow0": "continuous",
    }  # fmt: skip
    np.testing.assert_allclose(outcome.frame("y0")[:3, 3], (1, -1, 0), atol=1e-12)


def test_rigid_grounded_and_hidden_instances(read: Read) -> None:
    inner = instance("x") + instance("y", matrix=at(1, 0, 0), visible="false")
    instances = (
        instance("a", grounded="true") + instance("b", grounded="true")
        + instance("lump", "lump", at(0, 1, 0), inner, rigid="true")
    )  # fmt: skip
    hinge = joint("Revolute", "h", "a", "lump/x")
    outcome = read(second_generation(instances, joints=hinge, parts=part()))
    assert outcome.joint("b_fixed_joint").type == "fixed"
    assert (outcome.joint("y_fixed_joint").parent, outcome.robot.links[0].name) == ("x", "a")
    assert not outcome.link("y").visuals and outcome.link("x").visuals


def test_masses_and_looks(read: Read) -> None:
    link = read(two(joint("Weld", "w", "a", "b"))).link("a")
    inertial = link.inertial
    assert inertial is not None and inertial.inertia is not None
    moments = inertial.inertia
    assert (moments.ixx, moments.iyy, moments.izz) == (1.0, 2.0, 2.5)
    assert (moments.iyz, moments.ixz, moments.ixy) == (0.3, 0.2, 0.1)
    assert inertial.mass == 2.0 and inertial.origin.xyz == (0.1, 0.0, 0.0)
    material = link.visuals[0].material
    assert material is not None and material.color == (0.5, 0.25, 1.0, 0.5)


def test_without_data_units_numbers_are_in_model_units(read: Read) -> None:
    data = second_generation(
        instance("a", grounded="true", matrix=at(10, 0, 0)), parts=part(), data_units=""
    )
    outcome = read(data)
    inertial = outcome.link("a").inertial
    assert inertial is not None and inertial.inertia is not None
    assert inertial.mass == pytest.approx(2 * 0.45359237)
    assert inertial.inertia.izz == pytest.approx(2.5 * 0.45359237 * 0.0254**2)
    visual = outcome.link("a").visuals[0].origin
    assert visual.xyz[0] == pytest.approx(0.254)


Z, X, Y = (0, 0, 1), (1, 0, 0), (0, 1, 0)
O = (0.0, 0.0, 0.0)  # noqa: E741
P = (0.5, 0.2, 0.3)


def side(path: str, shape: str, point: tuple[float, ...] = P, axis: tuple[int, ...] = Z) -> tuple:
    return (path, shape, point, axis)


def both(
    kind: str, name: str, shape: str, other: str = "", axis: tuple[int, ...] = Z,
    other_axis: tuple[int, ...] | None = None, point: tuple[float, ...] = P,
) -> str:  # fmt: skip
    return mate(
        kind, name, side("a", shape, point, axis),
        side("b", other or shape, point, axis if other_axis is None else other_axis),
    )  # fmt: skip


PLANE = both("Coincident", "p", "plane")
AXIS = both("Concentric", "c", "cylinder")
MATES = {
    "axis": (AXIS, ["prismatic", "continuous"]),
    "axis and plane": (AXIS + PLANE, ["continuous"]),
    "axis and far plane": (
        AXIS + both("Distance", "d", "plane", point=(0.5, 0.2, 9.0)), ["continuous"],
    ),
    "axis and angle": (AXIS + both("Angle", "n", "plane", axis=X, other_axis=Y), ["prismatic"]),
    "two axes": (AXIS + both("Concentric", "e", "circle", "cone", point=(2, 0, 0)), ["prismatic"]),
    "two axes and plane": (
        AXIS + PLANE + both("Concentric", "e", "line", point=(2, 0, 0)), ["fixed"],
    ),
    "plane": (PLANE, ["planar"]),
    "plane and circle": (both("Coincident", "p", "plane", "circle"), ["planar"]),
    "two planes": (PLANE + both("Coincident", "q", "plane", axis=X), ["prismatic"]),
    "three planes": (
        PLANE + both("Coincident", "q", "plane", axis=X) + both("Coincident", "r", "plane", axis=Y),
        ["fixed"],
    ),
    "point": (both("Coincident", "o", "point"), ["spherical"]),
    "two points": (
        both("Coincident", "o", "point") + both("Coincident", "u", "point", point=(2, 0, 0)),
        ["continuous"],
    ),
    "concentric spheres": (both("Concentric", "s", "sphere"), ["spherical"]),
    "point on line": (
        both("Coincident", "o", "point", "line"), ["prismatic", "spherical"],
    ),
    "point on plane": (
        both("Coincident", "o", "point", "plane"), ["prismatic", "prismatic", "spherical"],
    ),
    "line on plane and parallel": (
        both("Coincident", "l", "line", "plane", axis=X, other_axis=Z)
        + both("Parallel", "m", "line", axis=X), ["prismatic", "prismatic", "continuous"],
    ),
    "parallel planes": (
        both("Parallel", "m", "plane"), ["prismatic"] * 3 + ["continuous"],
    ),
    "perpendicular": (
        both("Perpendicular", "m", "line", "plane"), ["prismatic"] * 3 + ["continuous"],
    ),
    "point and perpendicular lines": (
        both("Coincident", "o", "point") + both("Perpendicular", "m", "line", axis=X, other_axis=Y),
        ["continuous", "continuous"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MATES)
@pytest.mark.parametrize("turned", [False, True])
def test_mates_leave_what_their_null_space_says(read: Read, case: str, turned: bool) -> None:
    """The same in any pose of the whole, metres or millimetres away."""
    constraints, types = MATES[case]
    whole = at(30.0, -4.0, 2.0, rpy=(0.3, 1.1, -0.4)) if turned else np.eye(4)
    instances = instance("a", grounded="true", matrix=whole) + instance("b", matrix=whole)
    outcome = read(second_generation(instances, constraints=constraints, parts=part()))
    made = [item for item in outcome.robot.joints if item.type != "fixed"]
    assert sorted(item.type for item in made) == sorted(kind for kind in types if kind != "fixed")
    assert outcome.codes == []
    if types == ["continuous"] and "axis" in case:
        # The root stands at the world's point in the axes of the first instance.
        frame = outcome.frame("b")
        axis = frame[:3, :3] @ np.array(made[0].axis)
        np.testing.assert_allclose(np.abs(axis), Z, atol=1e-9)
        away = frame[:3, 3] - (P + whole[:3, :3].T @ whole[:3, 3])
        np.testing.assert_allclose(np.cross(away, Z), 0, atol=1e-9)


def test_mates_of_lengths_in_axes(read: Read) -> None:
    """Axes of mates are of any length, with either sign."""
    constraints = mate("Concentric", "c", side("a", "line", P, (0, 0, -125)),
                       side("b", "line", P, (0, 0, 4)))  # fmt: skip
    outcome = read(two(constraints=constraints))
    assert [item.type for item in outcome.robot.joints] == ["prismatic", "continuous"]


def test_joints_and_mates_of_one_pair_act_together(read: Read) -> None:
    """A cylindrical and a planar joint across one axis are a hinge."""
    joints = joint("Cylindrical", "c", "a", "b", at(1, 2, 3), at(1, 2, 3)) + joint(
        "Planar", "p", "a", "b", at(0, 0, 5), at(0, 0, 5)
    )
    outcome = read(two(joints))
    (hinge,) = outcome.robot.joints
    assert (hinge.name, hinge.type) == ("c", "continuous")
    np.testing.assert_allclose(outcome.frame("b")[:2, 3], (1, 2), atol=1e-9)


def test_unknown_mates_fix(read: Read) -> None:
    for kind, shape in (("UnknownConstraint", "plane"), ("Gear", "line"), ("Coincident", "blob")):
        outcome = read(two(constraints=both(kind, "u", shape)))
        assert [item.type for item in outcome.robot.joints] == ["fixed"]
        assert outcome.codes == ["unknown-mate"]


def test_parts_that_nothing_holds(read: Read) -> None:
    instances = instance("sketch", "skeleton") + instance("a", grounded="true")
    outcome = read(second_generation(instances, parts=part() + part("skeleton", "0")))
    assert outcome.robot.links[0].name == "a"
    assert outcome.joint("sketch_fixed_joint").parent == "a"
    assert outcome.codes == ["unconnected-body"]


def test_one_element_is_lost_and_said(read: Read) -> None:
    looped = instance("loop", "asm", inner=instance("again", "asm", inner=instance("z")))
    instances = (
        instance("a", grounded="true") + instance("b", "gone") + looped + instance("c", "nan")
    )
    joints = (
        joint("Revolute", "j", "a", "b") + joint("Revolute", "k", "a", "no/where")
        + joint("Revolute", "l", "a", "c")
    )  # fmt: skip
    outcome = read(
        second_generation(
            instances, joints=joints, assemblies='<Assembly name="asm" uid="asm"/>',
            parts=part() + part("nan", "1.#QNAN"),
        )
    )  # fmt: skip
    assert outcome.codes == [
        "bad-mass", "lost-frame", "lost-frame", "lost-part", "recursive-instance",
    ]  # fmt: skip
    assert [link.name for link in outcome.robot.links] == ["a", "c"]


@pytest.mark.parametrize(
    "data",
    [
        second_generation(""),
        second_generation(instance("a", matrix=at(math.inf, 0, 0)), parts=part()),
        second_generation(instance("a"), parts=part()).replace(b"inch", b"in").replace(
            b'"meter"', b'"cubit"'
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_a_line(read: Read, data: bytes) -> None:
    with pytest.raises(ReadError) as caught:
        read(data)
    assert caught.value.line > 0


def test_meshes_that_stand_in_for_step(read: Read) -> None:
    there = {"part.obj", "part.dae"}
    outcome = read(two(joint("Weld", "w", "a", "b")), has_file=there.__contains__)
    geometry = outcome.link("a").visuals[0].geometry
    assert isinstance(geometry, Mesh) and geometry.filename == "part.obj"
    assert set(outcome.codes) == {"other-mesh-format"}
    plain = read(two(joint("Weld", "w", "a", "b"))).link("a").visuals[0].geometry
    assert isinstance(plain, Mesh) and plain.filename == "part.step"


def test_parameters_work_as_in_the_first_generation(read: Read) -> None:
    joints = joint("Revolute", "j", "a", "b")
    outcome = read(two(joints), "freeze: [1]\nrename: {b: hand}\n")
    assert (outcome.joint("j").type, outcome.joint("j").child) == ("fixed", "hand")
    outcome = read(two(joints), "redefinedjoints: {j: {limits: {lower: -1, upper: 1}}}\n")
    assert outcome.joint("j").type == "revolute"
