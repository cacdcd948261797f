# SPDX-License-Identifier: GPL-3.0-or-later
"""The same kinematics as both old converters and as Simscape itself, on files of others.

$SIMMECHANICS_DATA is the folder that holds them; they may not be copied into the project.
"""

import json
import math
import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.geometry.transforms import Matrix, matrix_from_pose
from urdf_importer.core.kinematics.loops import forward_kinematics
from urdf_importer.core.model import Inertial, Joint, LoopJoint, Robot
from urdf_importer.formats.simmechanics.read import (
    AssemblyReading,
    edges_of_assembly,
    read_assembly,
)
from urdf_importer.formats.urdf.read.robot import read_robot_text

DATA = Path(os.environ.get("SIMMECHANICS_DATA", ""))

pytestmark = pytest.mark.skipif(
    "SIMMECHANICS_DATA" not in os.environ, reason="$SIMMECHANICS_DATA names no folder"
)

# Folder, assembly, parameters, table, what robotology's converter made of it.
ROBOTOLOGY = (
    ("legs_mechanism", "LEGS_MECHANISM", "legs_simmechanics_options", "joint_parameters"),
    (
        "icub_heidelberg01",
        "iCubHeidelberg01_SIM_MODEL",
        "iCubHeidelberg01_simmechanics_options",
        "iCubHeidelberg01_joint_parameters",
    ),
    (
        "left_wrist_mk2",
        "SIM_L_WRIST",
        "simmechanics2urdf_configfile",
        "simmechanics2urdf_joints_configfile",
    ),
    (
        "left_hand_mk3",
        "SIM_LEFT_HAND",
        "simmechanics2urdf_configfile",
        "simmechanics2urdf_joints_configfile",
    ),
)
WRIST = "left_wrist_mk2/SIM_L_WRIST"
ROS = (
    ("legs_mechanism/LEGS_MECHANISM", "", "LEGS_MECHANISM_default"),
    ("left_hand_mk3/SIM_LEFT_HAND", "", "SIM_LEFT_HAND_default"),
    (WRIST, "", "wrist_default"),
    *((WRIST, key, f"wrist_{key}") for key in ("extra", "freeze", "freezeall", "meshes", "root")),
)


def read(name: str, parameters: str = "", table: str = "") -> AssemblyReading:
    path = DATA / f"{name}.xml"
    return read_assembly(
        path.read_bytes(), str(path), Diagnostics(), parameters=parameters, joint_parameters=table
    )


def oracle(path: Path) -> Robot:
    return read_robot_text(path.read_bytes(), str(path), Diagnostics())


def assert_same_links(ours: Robot, theirs: Robot, *, but_mass_of: str = "") -> None:
    """Names, parents, frames at zero, masses in link axes, shapes."""
    links = {link.name: link for link in ours.links}
    frames, wanted = forward_kinematics(ours), forward_kinematics(theirs)
    for link in theirs.links:
        np.testing.assert_allclose(frames[link.name], wanted[link.name], atol=2e-6)
        mine = links[link.name]
        assert (mine.inertial is None) == (link.inertial is None)
        if mine.inertial is not None and link.inertial is not None and link.name != but_mass_of:
            assert_same_mass(mine.inertial, link.inertial)
        shapes = zip(
            (*mine.visuals, *mine.collisions), (*link.visuals, *link.collisions), strict=True
        )
        for one, other in shapes:
            assert one.geometry == other.geometry
            np.testing.assert_allclose(
                matrix_from_pose(one.origin), matrix_from_pose(other.origin), atol=2e-6
            )


def tensor(inertial: Inertial) -> Matrix:
    i = inertial.inertia
    assert i is not None
    rotation = matrix_from_pose(inertial.origin)[:3, :3]
    matrix = np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]])
    result: Matrix = rotation @ matrix @ rotation.T
    return result


def assert_same_mass(one: Inertial, other: Inertial) -> None:
    assert one.mass == pytest.approx(other.mass, abs=1e-6)
    np.testing.assert_allclose(one.origin.xyz, other.origin.xyz, atol=2e-6)
    np.testing.assert_allclose(
        tensor(one), tensor(other), atol=2e-5 * float(np.abs(tensor(other)).max())
    )


@pytest.mark.parametrize("case", ROBOTOLOGY, ids=lambda case: case[0])
def test_robotology(case: tuple[str, str, str, str]) -> None:
    folder, name, parameters, table = case
    place = DATA / folder
    ours = read(
        f"{folder}/{name}", str(place / f"{parameters}.yaml"), str(place / f"{table}.csv")
    ).robot
    theirs = oracle(place / f"ORACLE_{name}_cfg.urdf")
    written = {extra.tag for extra in ours.extras}
    by_blobs = {"base_link"} if "link" in written else set()
    assert {link.name for link in ours.links} | by_blobs == {link.name for link in theirs.links}
    if not by_blobs:
        assert_same_links(ours, theirs, but_mass_of="l_foot")
    joints = {joint.name: joint for joint in ours.joints}
    rng = np.random.default_rng(7)
    positions = {}
    for joint in theirs.joints:
        if joint.name not in joints:
            assert by_blobs
            continue
        mine = joints[joint.name]
        assert (mine.type, mine.parent, mine.child) == (joint.type, joint.parent, joint.child)
        if joint.limit is not None:
            assert mine.limit is not None
            assert mine.limit.lower == pytest.approx(joint.limit.lower, abs=1e-12)
            assert mine.limit.upper == pytest.approx(joint.limit.upper, abs=1e-12)
            positions[joint.name] = rng.uniform(-2, 2)
    frames, wanted = forward_kinematics(ours, positions), forward_kinematics(theirs, positions)
    for link in ours.links:
        np.testing.assert_allclose(frames[link.name], wanted[link.name], atol=2e-6)


@pytest.mark.parametrize("case", ROBOTOLOGY, ids=lambda case: case[0])
def test_robotology_without_files(case: tuple[str, str, str, str], tmp_path: Path) -> None:
    folder, name, _, _ = case
    path = DATA / folder / f"ORACLE_{name}.urdf"
    if not path.exists():
        assert folder == "icub_heidelberg01"
        return
    dialect = tmp_path / "p.yaml"
    dialect.write_text("dialect: robotology\n")
    reading = read(f"{folder}/{name}", str(dialect))
    assert [link.name for link in reading.robot.links] == [link.name for link in oracle(path).links]
    assert_same_links(reading.robot, oracle(path))
    # The graph, but for names: theirs merge - and _.
    lines = path.with_suffix(".dot").read_text().splitlines()[1:-1]
    assert len([line for line in lines if line]) == len(edges_of_assembly(reading))


@pytest.mark.parametrize("case", ROS, ids=lambda case: case[2])
def test_ros(case: tuple[str, str, str]) -> None:
    name, parameters, truth = case
    place = DATA / "oracle_original"
    said = str(place / f"p_{parameters}.yaml") if parameters else ""
    reading = read(name, said)
    theirs = oracle(place / f"{truth}.xml")
    assert [link.name for link in reading.robot.links] == [link.name for link in theirs.links]
    assert_same_links(reading.robot, theirs)
    types = {"revolute": ("revolute", "continuous")}
    joints = {joint.name: joint for joint in reading.robot.joints}
    for joint in theirs.joints:
        mine = joints[joint.name]
        assert (mine.parent, mine.child) == (joint.parent, joint.child)
        assert mine.type in types.get(joint.type, (joint.type,))
    lines = (place / f"{truth}.graph").read_text().splitlines()
    arrows = [line.partition(" [")[0] for line in lines if "->" in line]
    ours = [
        f"{edge.parent} -> {edge.child}".replace("-", "_").replace("_>", "->")
        for edge in edges_of_assembly(reading)
    ]
    assert ours == arrows


# Simscape's own import of the second generation

SECOND = ("creo_chain", "onshape_arm", "onshape_drone", "solidworks_pendulum")
UNITS = {
    "m": 1.0, "cm": 0.01, "mm": 0.001, "kg": 1.0, "lbm": 0.45359237, "kg*m^2": 1.0,
    "kg*cm^2": 1e-4, "kg*mm^2": 1e-6, "lbm*mm^2": 0.45359237e-6,
}  # fmt: skip


@pytest.mark.parametrize("name", SECOND)
def test_masses_as_simscape(name: str) -> None:
    reading = read(f"second_generation/{name}")
    truth = json.loads((DATA / "second_generation" / f"{name}_simscape.json").read_text())
    units = truth["units"]
    masses: dict[float, list[Inertial]] = {}
    for link in reading.robot.links:
        if link.inertial is not None and link.inertial.mass is not None:
            masses.setdefault(round(link.inertial.mass, 9), []).append(link.inertial)
    found = 0
    for item in truth["items"]:
        if item["kind"] != "Solid" or not item["mass"]:
            continue
        mass = item["mass"] * UNITS[units["mass"]]
        near = [value for key, value in masses.items() if key == pytest.approx(mass, rel=1e-6)]
        assert near, item
        found += 1
        # Of the pendulum, some solids are in mm and others in m, whatever "units" says.
        scales = (UNITS[units["MoI"]], 1e-6) if "pendulum" in name else (UNITS[units["MoI"]],)
        assert any(
            inertial.inertia is not None
            and [inertial.inertia.ixx, inertial.inertia.iyy, inertial.inertia.izz]
            == pytest.approx([moment * scale for moment in item["MoI"]], rel=1e-5, abs=1e-12)
            for inertial in near[0]
            for scale in scales
        )
    assert found


@pytest.mark.parametrize("name", SECOND)
def test_types_as_simscape(name: str) -> None:
    """How many joints of each type. A cylindrical joint is a chain of two; but each of the drone's
    has a planar one across its axis beside it, of which Simscape takes the first alone: both leave
    a hinge."""
    reading = read(f"second_generation/{name}")
    truth = json.loads((DATA / "second_generation" / f"{name}_simscape.json").read_text())
    words = {
        "RevoluteJoint": ["continuous"],
        "PrismaticJoint": ["prismatic"],
        "PlanarJoint": ["planar"],
        "CylindricalJoint": ["continuous"] + ["prismatic"] * (name != "onshape_drone"),
    }
    theirs = [word for item in truth["items"] for word in words.get(item["kind"], [])]
    joints = [*reading.robot.joints, *reading.robot.loops]
    ours = [joint.type for joint in joints if joint.type != "fixed"]
    assert sorted(ours) == sorted(theirs)


@pytest.mark.parametrize("name", ["onshape_arm", "onshape_drone"])
def test_angles_as_simscape(name: str) -> None:
    reading = read(f"second_generation/{name}")
    truth = json.loads((DATA / "second_generation" / f"{name}_simscape.json").read_text())
    theirs = sorted(item["Rz.Pos"] for item in truth["items"] if "Rz.Pos" in item)
    joints = [*reading.robot.joints, *reading.robot.loops]
    ours = sorted(
        math.degrees(float(extra.xml.split('"')[1]))
        for joint in joints
        for extra in joint.extras
        if extra.tag == "simscape"
    )
    assert len(ours) == len(theirs)
    apart = [(one - other + 180) % 360 - 180 for one, other in zip(ours, theirs, strict=True)]
    # Nine digits of a rotation leave 1e-7 degrees.
    assert max(map(abs, apart)) < 1e-5


def lines_of_file(path: Path) -> list[tuple[str, Matrix]]:
    """Kind and frame in the world of each moving joint of an Onshape file, by Python's own XML."""
    space = {"s": "urn:mathworks:SimscapeMultibody:import"}
    document = ElementTree.parse(path).getroot()
    assemblies = {each.get("uid"): each for each in document.iterfind(".//s:Assembly", space)}

    def place(element: ElementTree.Element) -> Matrix:
        frame = np.eye(4)
        for tag, part in (("Rotation", frame[:3, :3]), ("Translation", frame[:3, 3])):
            text = element.findtext(f"s:Transform/s:{tag}", None, space)
            if text:
                part[...] = np.reshape([float(word) for word in text.split()], part.shape)
        return frame

    found: list[tuple[str, Matrix]] = []

    def walk(level: ElementTree.Element, owner: ElementTree.Element, frame: Matrix) -> None:
        placed: dict[tuple[str, ...], Matrix] = {}

        def down(parent: ElementTree.Element, above: Matrix, path: tuple[str, ...]) -> None:
            for inner in parent.iterfind("s:Instance", space):
                here = (*path, str(inner.get("uid")))
                placed[here] = above @ place(inner)
                down(inner, placed[here], here)
                if inner.get("entityUid") in assemblies:
                    walk(inner, assemblies[inner.get("entityUid")], placed[here])

        down(level, frame, ())
        for joint in owner.iterfind("s:Joints/*", space):
            base = joint.find("s:BaseFrame", space)
            assert base is not None
            uids = tuple(each.text or "" for each in base.iterfind("s:InstancePath/s:Uid", space))
            found.append((joint.tag.partition("}")[2], placed[uids] @ place(base)))

    root = document.find("s:RootAssembly", space)
    assert root is not None
    walk(root.find("s:InstanceTree", space), root, np.eye(4))  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("name", ["onshape_arm", "onshape_drone"])
def test_axes_as_in_the_file(name: str) -> None:
    """Lines of all hinges, told by where they are to each other: the root link is anywhere."""
    reading = read(f"second_generation/{name}")
    robot, frames = reading.robot, forward_kinematics(reading.robot)
    hinges: list[tuple[Joint | LoopJoint, Matrix]]
    hinges = [(joint, frames[joint.child]) for joint in robot.joints]
    hinges += [(loop, frames[loop.link1] @ matrix_from_pose(loop.origin1)) for loop in robot.loops]
    ours = [
        (frame[:3, :3] @ np.asarray(joint.axis), frame[:3, 3])
        for joint, frame in hinges
        if joint.type == "continuous"
    ]
    theirs = [
        (frame[:3, 2], frame[:3, 3])
        for kind, frame in lines_of_file(DATA / "second_generation" / f"{name}.xml")
        if kind in ("Revolute", "Cylindrical")
    ]
    assert len(ours) == len(theirs) > 3
    size = max(float(np.linalg.norm(point)) for _, point in theirs)
    apart = (relations(ours), relations(theirs))
    np.testing.assert_allclose(*apart, atol=1e-5 * max(size, 1.0))


def relations(lines: list[tuple[Matrix, Matrix]]) -> Matrix:
    """Sine of the angle and distance of each two lines, whichever way they point, in order."""
    found = []
    for place, (axis, point) in enumerate(lines):
        for other, there in lines[place + 1 :]:
            across = np.cross(axis, other)
            sine = float(np.linalg.norm(across))
            way = np.subtract(there, point)
            gap = np.linalg.norm(np.cross(axis, way)) if sine < 1e-4 else abs(way @ across) / sine
            found.append((round(sine, 4), float(gap), sine))
    return np.array(sorted(found))[:, 1:]
