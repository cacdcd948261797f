# SPDX-License-Identifier: GPL-3.0-or-later
"""Every key of a parameter file: its use, and its misuse with the line."""

import math
from pathlib import Path

import numpy as np
import pytest

from support.assembly_text import CadJoint, first_generation
from support.gates import gate, gate_bodies, gate_joints
from support.simmechanics_reading import Outcome, Read
from urdf_importer.core.diagnostics import ReadError, Severity
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.model import Box, Cylinder, Mesh, Sphere
from urdf_importer.formats.simmechanics.read.parameters.read import READERS


def mesh_name(outcome: Outcome, link: str) -> str:
    geometry = outcome.link(link).visuals[0].geometry
    assert isinstance(geometry, Mesh)
    return geometry.filename


def extras(outcome: Outcome) -> str:
    return "\n".join(extra.xml for extra in outcome.robot.extras)


# Names and structure


def test_root_and_baseframe(read: Read) -> None:
    outcome = read(gate(), "root: WING1\nbaseframe: 4\n")
    assert outcome.robot.links[0].name == "WING1"
    # The root stands at the point of frame 4 in the axes of its CS1.
    visual = matrix_from_pose(outcome.link("WING1").visuals[0].origin)
    np.testing.assert_allclose(visual[:3, 3], (0, -2, -2), atol=1e-12)


@pytest.mark.parametrize("name", ["POST1CG", "WORLD", "ROOT", "WING1CS3", "'7'", "MID"])
def test_names_of_frames(read: Read, name: str) -> None:
    more = "moreframes:\n- {parent: POST1CG, child: MID}\n"
    points = {"POST1CG": (0, 0, 3), "WING1CS3": (4, 0, 2), "'7'": (4, 0, 2), "MID": (0, 0, 3)}
    outcome = read(gate(), f"baseframe: {name}\n{more}")
    hinge = outcome.matrix("POST--WING1")[:3, 3]
    np.testing.assert_allclose(hinge, np.array((1, 0, 2)) - points.get(name, (0, 0, 0)), atol=1e-12)


def test_both_dialects(read: Read) -> None:
    """Names, where links on fixed joints stand, and lower case."""
    ros = read(gate(), "freezeAll: true\n")
    assert ros.robot.joints[0].name == "POST--WING1"
    np.testing.assert_allclose(ros.frame("WING1")[:3, 3], (1, 0, 2), atol=1e-12)
    assert mesh_name(ros, "WING1") == "WING.stl"
    other = read(gate(), "freezeAll: true\ndialect: robotology\n")
    assert other.robot.joints[0].name == "POST--WING"
    np.testing.assert_allclose(other.frame("WING")[:3, 3], (3, 0, 0), atol=1e-12)
    assert mesh_name(other, "WING") == "wing.stl"
    assert read(gate(), "robotName: X\n").robot.joints[0].name == "POST--WING"
    assert read(gate(), "", "joint_name\n").robot.joints[0].name == "POST--WING"
    assert read(gate(), "robotName: X\ndialect: ros\n").robot.joints[0].name == "POST--WING1"


def test_names_of_files(read: Read) -> None:
    assert mesh_name(read(gate(), 'filenameformat: "package://gate/100%%/%s"'), "POST1") == (
        "package://gate/100%/POST.stl"
    )
    changed = (
        'filenameformatchangeext: "package://gate/%s.dae"\nstringToRemoveFromMeshFileName: st\n'
    )
    # Lower case, then cut, then without extension.
    assert mesh_name(read(gate(), changed), "POST") == "package://gate/po.dae"
    kept = changed + "forcelowercase: No\n"
    assert mesh_name(read(gate(), kept), "POST") == "package://gate/POST.dae"


@pytest.mark.parametrize("text", ['"0.0254 0.0254 0.0254"', "[0.0254, 0.0254, 0.0254]", "0.0254"])
def test_scale(read: Read, text: str) -> None:
    geometry = read(gate(), f"scale: {text}").link("POST1").collisions[0].geometry
    assert isinstance(geometry, Mesh) and geometry.scale == (0.0254,) * 3


def test_remove(read: Read) -> None:
    for key in ("7", "'7'", "WING--BOLT1", "WING--BOLT"):
        outcome = read(gate(), f"remove: [{key}]")
        assert [link.name for link in outcome.robot.links] == ["POST1", "WING1"]
        assert outcome.codes == ["removed-body"]


def test_freeze(read: Read) -> None:
    outcome = read(gate(), "freeze: [4]")
    assert [joint.type for joint in outcome.robot.joints] == ["fixed", "prismatic"]
    redefined = "freezeAll: on\nredefinedjoints: {7: {name: bolt, type: prismatic}}"
    outcome = read(gate(), redefined)
    assert [(joint.name, joint.type) for joint in outcome.robot.joints] == [
        ("POST--WING1", "fixed"), ("bolt", "prismatic"),
    ]  # fmt: skip


def test_redefined_joints(read: Read) -> None:
    outcome = read(
        gate(),
        "redefinedjoints:\n"
        "  4: {name: swing, limits: {lower: -1, upper: 0.2, effort: 5, velocity: 1}}\n"
        "  WING--BOLT: {type: revolute, axis: '0 2 0', referenceFrame: WING1CS1}\n",
    )
    swing, bolt = outcome.robot.joints
    assert (swing.name, swing.type) == ("swing", "revolute") and swing.limit is not None
    limit = swing.limit
    assert (limit.lower, limit.upper, limit.effort, limit.velocity) == (-1.0, 0.2, 5.0, 1.0)
    assert bolt.type == "continuous", "a revolute joint without limits turns without end"
    world = outcome.frame("BOLT1")[:3, :3] @ np.array(bolt.axis)
    np.testing.assert_allclose(world, (-1, 0, 0), atol=1e-12)
    own = read(gate(), "redefinedjoints: {7: {axis: [0, 0, 1]}}").joint("WING--BOLT1")
    assert own.axis == (0.0, 0.0, 1.0), "without a frame the axis is in the child link's"


def test_extra_joints_and_more_frames(read: Read) -> None:
    outcome = read(
        gate(),
        "moreframes:\n"
        "- {offset: [0, 0, 1], parent: MID, child: TOP}\n"
        "- {offset: [0, 1, 0], orientation: [0, 0, 2, 2], parent: 4, child: MID}\n"
        "extrajoints:\n"
        "  brace: {pid: POST1, cid: BOLT1, jorigin: TOP, attributes: {axis: '0 0 1', "
        "axisReferenceFrame: WORLD}}\n"
        "remove: [WING--BOLT]\n",
    )
    brace = outcome.joint("brace")
    assert brace.type == "continuous"
    np.testing.assert_allclose(outcome.frame("BOLT1")[:3, 3], (1, 1, 3), atol=1e-12)


def test_an_extra_joint_may_close_a_loop(read: Read) -> None:
    outcome = read(gate(), "extrajoints: {brace: {pid: POST1, cid: BOLT1, jorigin: 8}}")
    assert [joint.name for joint in outcome.robot.joints] == ["POST--WING1", "brace"]
    assert [loop.name for loop in outcome.robot.loops] == ["WING--BOLT1"]
    assert outcome.codes == ["held-joint", "loop-joint"]


def test_names_of_the_robot_and_of_its_parts(read: Read) -> None:
    yaml = "robotName: door\nrename:\n  POST : post\n  POST--WING:  hinge \n  NONE: nothing\n"
    outcome = read(gate(), yaml)
    assert outcome.robot.name == "door" and outcome.codes == []
    assert outcome.joint("hinge").parent == "post"
    assert read(gate().replace(b'<name>"GATE"</name>', b"")).robot.name == "machine"


def test_where_the_robot_stands(read: Read) -> None:
    text = extras(read(gate(), "originXYZ: [1, 2, 3]\noriginRPY: '0 0 0.5'\n"))
    assert "<pose>1 2 3 0 0 0.5</pose>" in text


# Frames of users


def test_link_frames(read: Read) -> None:
    yaml = "linkFrames:\n- {linkName: WING, frameName: LATCH}\n"
    outcome = read(gate(), yaml)
    frame = outcome.frame("WING")
    np.testing.assert_allclose(frame[:3, 3], (1, 0, 5), atol=1e-12)
    hinge = outcome.joint("POST--WING")
    assert hinge.axis == (0.0, 0.0, 1.0)
    placed = frame @ matrix_from_pose(outcome.link("WING").visuals[0].origin)
    np.testing.assert_allclose(placed[:3, 3], (3, 0, 0), atol=1e-12)


def test_link_frames_beside_the_axis_are_refused(read: Read) -> None:
    bodies = gate_bodies()
    bodies[1].frames[2].point = (1.001, 0, 5)
    data = first_generation(bodies, gate_joints())
    yaml = "linkFrames:\n- linkName: WING\n  frameName: LATCH\n"
    outcome = read(data, yaml)
    assert outcome.places == [("bad-parameter", "p.yaml", 3)]
    np.testing.assert_allclose(outcome.frame("WING")[:3, 3], (1, 0, 2), atol=1e-12)
    assert read(data, yaml + "epsilon: 0.01\n").codes == []


def test_exported_frames(read: Read) -> None:
    yaml = (
        "exportedFrames:\n- frameName: LATCH\n  exportedFrameName: latch\n"
        "  additionalTransformation: [0.5, 0, 0, 0, 0, 0]\n"
    )
    outcome = read(gate(), yaml)
    assert outcome.joint("latch_fixed_joint").parent == "WING"
    assert outcome.link("latch").inertial is None
    # LATCH is turned: its x is the world's y.
    np.testing.assert_allclose(outcome.frame("latch")[:3, 3], (1, 0.5, 5), atol=1e-12)
    everything = read(gate(), "exportAllUseradded: Yes\n")
    np.testing.assert_allclose(everything.frame("LATCH")[:3, 3], (1, 0, 5), atol=1e-12)
    both = read(gate(), yaml + "exportAllUseradded: Yes\n")
    assert {each.name for each in both.robot.links} == {each.name for each in outcome.robot.links}


def test_a_frame_that_several_bodies_have(read: Read) -> None:
    bodies = gate_bodies()
    bodies[0].frames.append(bodies[1].frames[2])
    data = first_generation(bodies, gate_joints())
    outcome = read(data, "exportedFrames: [{frameName: LATCH}]\n")
    assert outcome.codes == ["ambiguous-frame"]
    assert outcome.joint("LATCH_fixed_joint").parent == "POST"
    both = read(data, "exportAllUseradded: true\ndialect: robotology\n")
    assert {"LATCH", "LATCH0"} <= {link.name for link in both.robot.links}


# Joints


@pytest.mark.parametrize("text", ["[POST--WING, 7]", "POST--WING 7", "\n  POST--WING\n  7\n"])
def test_reversed_axes(read: Read, text: str) -> None:
    outcome = read(gate(), f"reverseRotationAxis: {text}\n")
    assert outcome.joint("POST--WING").axis == (0.0, 0.0, -1.0)
    assert outcome.joint("WING--BOLT").axis == (-1.0, 0.0, 0.0)


@pytest.mark.parametrize("name", ["finger", "7", "WING--BOLT"])
def test_redefined_joints_are_known_by_either_name(read: Read, name: str) -> None:
    redefined = "redefinedjoints: {7: {name: finger}}\n"
    outcome = read(gate(), f"{redefined}reverseRotationAxis: [{name}]\n")
    assert outcome.joint("finger").axis == (-1.0, 0.0, 0.0) and outcome.codes == []


def test_losses_and_ratings(read: Read) -> None:
    yaml = "damping: 0.5\nfriction: 0.1\neffort_limit: 20\nvelocity_limit: 3\n"
    csv = "joint_name,lower_limit,upper_limit,damping\nPOST--WING,-90,45,0.7\n"
    outcome = read(gate(), yaml, csv)
    hinge, slide = outcome.robot.joints
    assert hinge.limit is not None and hinge.dynamics is not None and slide.dynamics is not None
    assert (hinge.type, hinge.limit.effort, hinge.limit.velocity) == ("revolute", 20.0, 3.0)
    assert (hinge.limit.lower, hinge.limit.upper) == (-math.pi / 2, math.pi / 4)
    assert (hinge.dynamics.damping, hinge.dynamics.friction) == (0.7, 0.1)
    assert (slide.dynamics.damping, slide.limit) == (0.5, None)
    assert read(gate()).robot.joints[0].dynamics is None


# Masses and shapes


def test_assigned_masses_and_inertias(read: Read) -> None:
    yaml = (
        "assignedMasses: {WING: 8}\n"
        "assignedInertias:\n- {linkName: WING, xx: 0.7}\n- {linkName: POST, yy: 0.5, zz: 0.4}\n"
    )
    outcome = read(gate(), yaml)
    wing, post = outcome.link("WING").inertial, outcome.link("POST").inertial
    assert wing is not None and wing.inertia is not None
    assert post is not None and post.inertia is not None
    assert wing.mass == 8.0
    assert (wing.inertia.ixx, wing.inertia.iyy) == (0.7, pytest.approx(0.2))
    assert (post.inertia.ixx, post.inertia.iyy, post.inertia.izz) == (0.1, 0.5, 0.4)


def test_mirrored_inertia(read: Read) -> None:
    """POST's mass, mirrored in the xz plane of the wing's frame, whose y is the world's -x."""
    yaml = (
        "mirroredInertia:\n- mirroredLink: BOLT\n  originalLink: POST\n"
        "  simmetryReferenceLink: WING\n  symmetryPlane: xz\nassignedMasses: {BOLT: 5}\n"
    )
    bodies = gate_bodies()
    bodies[0].inertia = (1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5)
    outcome = read(first_generation(bodies, gate_joints()), yaml)
    inertial = outcome.link("BOLT").inertial
    assert inertial is not None and inertial.inertia is not None and inertial.mass == 5.0
    placed = outcome.frame("BOLT") @ matrix_from_pose(inertial.origin)
    np.testing.assert_allclose(placed[:3, 3], (2, 0, 3), atol=1e-12)
    # Masses assigned come after: 2 kg became 5.
    assert inertial.inertia.ixx == pytest.approx(2.5)
    assert inertial.inertia.ixy == pytest.approx(-0.25)
    assert inertial.inertia.iyz == pytest.approx(0.75)


def test_inertia_workaround(read: Read) -> None:
    outcome = read(gate(), "inertiaWorkaround: {mirroredLinks: 'WING BOLT'}\n")
    inertial = outcome.link("WING").inertial
    assert inertial is not None
    placed = outcome.frame("WING") @ matrix_from_pose(inertial.origin)
    np.testing.assert_allclose(placed[:3, 3], (2, 0, -2), atol=1e-12)


def test_assigned_colours_and_shapes(read: Read) -> None:
    yaml = (
        "assignedColors: {WING: [0.1, 0.2, 0.3, 0.4]}\n"
        "assignedCollisionGeometry:\n"
        "- {linkName: WING, geometricShape: {shape: box, size: 0.4 0.2 0.1, "
        "origin: '1 0 0 0 0 0'}}\n"
        "- {linkName: WING, geometricShape: {shape: sphere, radius: 2}}\n"
        "- {linkName: BOLT, geometricShape: {shape: cylinder, radius: 1, length: 3}}\n"
    )
    outcome = read(gate(), yaml)
    material = outcome.link("WING").visuals[0].material
    assert material is not None and material.color == (0.1, 0.2, 0.3, 0.4)
    box, sphere = outcome.link("WING").collisions
    assert box.geometry == Box(size=(0.4, 0.2, 0.1)) and box.origin.xyz == (1.0, 0.0, 0.0)
    assert sphere.geometry == Sphere(radius=2.0)
    assert outcome.link("BOLT").collisions[0].geometry == Cylinder(radius=1.0, length=3.0)


# Sensors and texts


def test_sensors(read: Read) -> None:
    yaml = (
        "sensors:\n"
        "- {sensorName: default, sensorType: gyroscope, updateRate: 50, "
        "sensorBlobs: ['<plugin name=\"x\"/>']}\n"
        "- {linkName: WING, sensorType: gyroscope, frameName: LATCH}\n"
        "- {linkName: POST, sensorType: camera, sensorName: eye, updateRate: 10}\n"
    )
    outcome = read(gate(), yaml)
    text = extras(outcome)
    # For Gazebo gyroscopes are parts of an imu; the sensor of URDF says what it is.
    assert text.count('<sensor name="WING_LATCH" type="imu">') == 1
    assert text.count('<sensor name="WING_LATCH" type="gyroscope">') == 1
    assert sorted(each.name for each in outcome.robot.sensors) == ["WING_LATCH", "eye"]
    assert "<update_rate>50</update_rate>" in text and '<plugin name="x"/>' in text
    assert '<gazebo reference="WING">' in text and '<parent link="WING"/>' in text
    assert '<sensor name="eye" type="camera">' in text and outcome.codes == []
    # LATCH in the wing's frame: 3 m up, not turned against it.
    assert "<pose>0 0 3 0 0 0</pose>" in text


def test_force_torque_sensors(read: Read) -> None:
    yaml = (
        "forceTorqueSensors:\n"
        "- {jointName: POST--WING, directionChildToParent: No, frame: sensor, frameName: LATCH, "
        "exportFrameInURDF: Yes, exportedFrameName: ft}\n"
    )
    outcome = read(gate(), yaml)
    text = extras(outcome)
    assert '<gazebo reference="POST--WING">' in text and '<parent joint="POST--WING"/>' in text
    assert text.count("<measure_direction>parent_to_child</measure_direction>") == 2
    assert "<frame>sensor</frame>" in text and "<update_rate>100</update_rate>" in text
    assert "<pose>0 0 3 0 0 0</pose>" in text
    assert outcome.joint("ft_fixed_joint").parent == "WING"


def test_exported_sensor_frames_count_with_their_transformation(read: Read) -> None:
    yaml = (
        "exportedFrames: [{frameName: LATCH, exportedFrameName: eye_frame, "
        "additionalTransformation: [0, 0, 1, 0, 0, 0]}]\n"
        "sensors: [{linkName: WING, sensorType: camera, frameName: LATCH, sensorName: eye}]\n"
    )
    assert "<pose>0 0 4 0 0 0</pose>" in extras(read(gate(), yaml))


def test_blobs_stay_word_for_word(read: Read) -> None:
    blob = "<gazebo>\n  <plugin name='a' filename='%s ${x}'/><!-- kept -->\n</gazebo>"
    yaml = "XMLBlobs:\n- |\n" + "".join(f"    {line}\n" for line in blob.splitlines())
    extra = read(gate(), yaml).robot.extras[-1]
    assert (extra.tag, extra.xml) == ("gazebo", blob)


def test_joint_parameters_beside_the_parameter_file(read: Read, tmp_path: Path) -> None:
    (tmp_path / "limits.csv").write_text("joint_name,lower_limit,upper_limit\nPOST--WING,-90,90\n")
    outcome = read(gate(), "jointParameters: limits.csv\ndialect: robotology\n")
    assert outcome.joint("POST--WING").type == "revolute"
    (tmp_path / "sub").mkdir()
    for name in ("../j.csv", "/etc/passwd", "sub/../../x"):
        with pytest.raises(ReadError, match="outside the folder"):
            read(gate(), f"jointParameters: {name}\n")
    (tmp_path / "link.csv").symlink_to("/etc/passwd")
    with pytest.raises(ReadError, match="outside the folder"):
        read(gate(), "jointParameters: link.csv\n")


# Misuse

MISUSE = {
    "baseframe": "baseframe: 99",
    "root": "root: WINGS",
    "filenameformat": "filenameformat: '%d'",
    "filenameformatchangeext": "filenameformat: '%s'\nfilenameformatchangeext: '%s.dae'",
}
WRONG = {
    "stringToRemoveFromMeshFileName": "stringToRemoveFromMeshFileName: [a]",
    "forcelowercase": "forcelowercase: perhaps",
    "scale": "scale: '1 0 1'",
    "remove": "remove: [99]",
    "freeze": "freeze: [POST--WIN]",
    "freezeAll": "freezeAll: 2",
    "redefinedjoints": "redefinedjoints: {4: {colour: red}}",
    "extrajoints": "extrajoints: {brace: {pid: POST, cid: NOBODY, jorigin: WORLD}}",
    "moreframes": "moreframes: [{parent: A, child: B}, {parent: B, child: A}]",
    "robotName": "robotName: [a]",
    "rename": "rename: [a]",
    "originXYZ": "originXYZ: [1, 2]",
    "originRPY": "originRPY: a b c",
    "epsilon": "epsilon: 0",
    "linkFrames": "linkFrames: [{linkName: WING, frameName: LATCHES}]",
    "exportedFrames": "exportedFrames: [{frameName: LATCH, additionalTransformation: [1, 2]}]",
    "exportAllUseradded": "exportAllUseradded: many",
    "reverseRotationAxis": "reverseRotationAxis: [POST]",
    "assignedMasses": "assignedMasses: {WING: -1}",
    "assignedInertias": "assignedInertias: [{linkName: NOBODY, xx: 1}]",
    "mirroredInertia": "mirroredInertia: [{mirroredLink: WING, originalLink: POST, "
    "simmetryReferenceLink: POST, symmetryPlane: xx}]",
    "inertiaWorkaround": "inertiaWorkaround: {mirroredLinks: [NOBODY]}",
    "assignedColors": "assignedColors: {WING: [1, 2, 3, 4]}",
    "assignedCollisionGeometry": "assignedCollisionGeometry: "
    "[{linkName: WING, geometricShape: {shape: cylinder, radius: 1}}]",
    "damping": "damping: much",
    "friction": "friction: -1",
    "effort_limit": "effort_limit: []",
    "velocity_limit": "velocity_limit: fast",
    "forceTorqueSensors": "forceTorqueSensors: [{jointName: NOBODY}]",
    "sensors": "sensors: [{linkName: WING, sensorType: nose}]",
    "XMLBlobs": "XMLBlobs: ['<a><b></a>']",
    "dialect": "dialect: klingon",
    "multiPrimitiveJoints": "multiPrimitiveJoints: some",
    "jointParameters": "jointParameters: [a]",
    "tree": "tree: tall",
    "freezeHeld": "freezeHeld: some",
}


def test_all_keys_have_a_test_of_misuse() -> None:
    assert set(MISUSE) | set(WRONG) == set(READERS)


@pytest.mark.parametrize("key", MISUSE)
def test_values_that_cannot_be_meant(read: Read, key: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(gate(), f"# a comment\n{MISUSE[key]}\n")
    last = 2 + MISUSE[key].count("\n")
    assert (Path(caught.value.source).name, caught.value.line) == ("p.yaml", last)


@pytest.mark.parametrize("key", WRONG)
def test_wrong_values_are_left_out_and_the_rest_counts(read: Read, key: str) -> None:
    text = f"# a comment\n{WRONG[key]}\ndialect: robotology\n"
    if key == "dialect":
        text = f"# a comment\n{WRONG[key]}\nrobotName: x\n"
    outcome = read(gate(), text)
    found = [item for item in outcome.diagnostics if item.code == "bad-parameter"]
    assert found, outcome.codes
    assert all(item.severity is Severity.ERROR for item in found)
    assert {(Path(item.source).name, item.line) for item in found} == {("p.yaml", 2)}
    assert [link.name for link in outcome.robot.links][:3] == ["POST", "WING", "BOLT"]


def test_unknown_keys_name_the_nearest(read: Read) -> None:
    outcome = read(gate(), "root: POST\nfreezeal: true\nsensors:\n- {linkname: WING}\n")
    messages = [item.message for item in outcome.diagnostics if item.code == "unknown-parameter"]
    assert "did you mean 'freezeAll'" in messages[0]
    assert "did you mean 'linkName'" in messages[1]


def test_unknown_names_name_the_nearest(read: Read) -> None:
    outcome = read(gate(), "freeze: [POST--WINK]\n")
    assert "did you mean 'POST--WING" in next(iter(outcome.diagnostics)).message


def test_a_key_twice(read: Read) -> None:
    outcome = read(gate(), "robotName: one\nrobotName: two\n")
    assert outcome.robot.name == "one"
    assert outcome.places == [("bad-parameter", "p.yaml", 2)]


def test_one_joint_redefined_twice(read: Read) -> None:
    yaml = "redefinedjoints:\n  4: {name: a}\n  POST--WING: {name: b}\n"
    outcome = read(gate(), yaml)
    assert outcome.places == [("bad-parameter", "p.yaml", 3)]
    assert outcome.robot.joints[0].name == "a"


def test_several_joints_of_one_name_in_the_file(read: Read) -> None:
    joints = gate_joints()
    joints[1].name = "POST--WING"
    outcome = read(first_generation(gate_bodies(), joints), "freeze: [POST--WING]\n")
    assert [joint.type for joint in outcome.robot.joints] == ["fixed", "fixed"]
    one = read(first_generation(gate_bodies(), joints), "freeze: [POST--WING2]\n")
    assert [joint.type for joint in one.robot.joints] == ["continuous", "prismatic"] or [
        joint.type for joint in one.robot.joints
    ] == ["continuous", "fixed"]


def test_a_table_of_joints(read: Read) -> None:
    csv = (
        "\ufeffupper_limit; joint_name ;lower_limit;colour;velocity_limit;effort_limit\n"
        "90; POST--WING ;-45;red;2;\n\n0.5;WING--BOLT;-0.25;;;7\n"
    )
    outcome = read(gate(), "", csv)
    hinge, slide = outcome.robot.joints
    assert hinge.limit is not None and slide.limit is not None
    assert (hinge.limit.lower, hinge.limit.upper) == (-math.pi / 4, math.pi / 2)
    assert (hinge.limit.velocity, hinge.limit.effort) == (2.0, None)
    assert (slide.limit.lower, slide.limit.upper, slide.limit.effort) == (-0.25, 0.5, 7.0)
    assert outcome.codes == []


def test_limits_of_redefined_joints_win(read: Read) -> None:
    csv = "joint_name,lower_limit,upper_limit\nswing,-90,90\n"
    yaml = "redefinedjoints: {4: {name: swing, limits: {lower: -1, upper: 1}}}\n"
    limit = read(gate(), yaml, csv).joint("swing").limit
    assert limit is not None and (limit.lower, limit.upper) == (-1.0, 1.0)


def test_what_is_odd_in_a_table(read: Read) -> None:
    csv = (
        "joint_name,lower_limit,upper_limit\nPOST--WING,x,1\nNOBODY,1,2\nWING--BOLT,0,1\n"
        "WING--BOLT,0,2\n"
    )
    outcome = read(gate(), "", csv)
    assert {(code, name) for code, name, _ in outcome.places} == {("bad-parameter", "j.csv")}
    assert sorted({line for _, _, line in outcome.places}) == [2, 3, 5]
    assert outcome.joint("POST--WING").type == "continuous"


@pytest.mark.parametrize("csv", ["name,lower_limit\na,1\n", "a\0b", b"\xff\xfe\xff"])
def test_what_is_not_a_table(read: Read, csv: str | bytes) -> None:
    with pytest.raises(ReadError) as caught:
        read(gate(), "", csv)
    assert Path(caught.value.source).name == "j.csv"


def test_fixed_joints_take_no_limits(read: Read) -> None:
    joints = [*gate_joints()[:1], CadJoint(name="WELD", base=7, follower=8, primitives=[("weld",)])]
    csv = "joint_name,lower_limit,upper_limit,damping\nWELD,-1,1,3\n"
    outcome = read(first_generation(gate_bodies(), joints), "", csv)
    weld = outcome.joint("WELD")
    assert (weld.type, weld.limit, weld.dynamics, outcome.codes) == ("fixed", None, None, [])
