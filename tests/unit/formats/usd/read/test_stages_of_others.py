# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages as others write them: joints one after the other between the same two bodies, and bodies
in a pose."""

import math
from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from urdf_importer import (
    Diagnostics,
    ImportOptions,
    ReadError,
    Robot,
    forward_kinematics,
    list_models,
    read_robot,
)
from urdf_importer.core.meshes import RobotFiles
from urdf_importer.core.pipeline.files import find_files
from urdf_importer.formats.usd.read.joints import JointAxis
from urdf_importer.formats.usd.read.posing import ChainJoint, find_values

WITHIN = 1e-6


def write_stage(path: Path, place: str, *joints: str) -> Path:
    """Writes a base at zero and a limb at `place`, and the joints between them."""
    path.write_text(
        '#usda 1.0\n(\n defaultPrim = "arm"\n metersPerUnit = 1\n upAxis = "Z"\n)\n'
        'def Xform "arm"\n{\ndef Xform "base" (prepend apiSchemas = '
        '["PhysicsArticulationRootAPI", "PhysicsRigidBodyAPI"]) {}\n'
        f'def Xform "limb" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{\n{place}\n}}\n'
        + "\n".join(joints)
        + "\n}\n"
    )
    return path


def move_to(x: float, y: float, z: float, turn: Rotation | None = None) -> str:
    qx, qy, qz, qw = (turn or Rotation.identity()).as_quat()
    return (
        f"double3 xformOp:translate = ({x}, {y}, {z})\n"
        f"quatd xformOp:orient = ({qw}, {qx}, {qy}, {qz})\n"
        'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]'
    )


def make_joint(
    kind: str, name: str, at: Sequence[Sequence[float]], rest: str = "", *, back: bool = False
) -> str:
    """Makes a joint whose place in the base is at[0] and in the limb at[1]; with `back` its ends
    are exchanged."""
    ends = [("base", at[0]), ("limb", at[1])][:: -1 if back else 1]
    words = "\n".join(
        f"rel physics:body{number} = </arm/{body}>\n"
        f"point3f physics:localPos{number} = ({place[0]}, {place[1]}, {place[2]})"
        for number, (body, place) in enumerate(ends)
    )
    applied = "".join(f'"PhysicsLimitAPI:{axis}", ' for axis in HELD) if kind == "Joint" else ""
    schemas = f"(prepend apiSchemas = [{applied[:-2]}])" if applied else ""
    return f'def Physics{kind} "{name}" {schemas} {{\n{words}\n{rest}\n}}'


HELD = ("transX", "transY", "rotY", "rotZ")
CYLINDER = "\n".join(
    f"float limit:{axis}:physics:low = 1\nfloat limit:{axis}:physics:high = -1" for axis in HELD
)
X, Y, Z = (f'uniform token physics:axis = "{name}"' for name in "XYZ")


def turn_in_mujoco(place: str, a: str, b: str) -> np.ndarray:
    """Returns where MuJoCo has a body (4, 4) on two hinges, at 0.5 and -0.75."""
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><body name="limb" pos="{place}"><joint pos="{a}" axis="1 0 0"/>'
        f'<joint pos="{b}" axis="0 1 0"/><geom size="1"/></body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    data.qpos[:] = (0.5, -0.75)
    mujoco.mj_kinematics(model, data)
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = data.body("limb").xmat.reshape(3, 3), data.body("limb").xpos
    return found


@pytest.mark.parametrize("back", [(False, False), (False, True), (True, True)])
def test_joints_between_the_same_bodies_are_one_after_the_other(
    back: tuple[bool, bool], tmp_path: Path
) -> None:
    stage = write_stage(
        tmp_path / "arm.usda",
        move_to(0.0, 0.0, 1.0),
        make_joint("RevoluteJoint", "a", ((0, 0, 1.25), (0, 0, 0.25)), X, back=back[0]),
        make_joint("RevoluteJoint", "b", ((0.5, 0, 1), (0.5, 0, 0)), Y, back=back[1]),
    )
    robot = read_robot(stage)
    assert not robot.loops and len(robot.links) == 3
    if back[0]:
        # From the limb to the base; the robot goes the other way.
        expected = np.linalg.inv(turn_in_mujoco("0 0 -1", "0 0 1.25", "0.5 0 1"))
        names = ["b", "a"]
    else:
        expected = turn_in_mujoco("0 0 1", "0 0 0.25", "0.5 0 0")
        names = ["a", "b"]
    assert [each.name for each in robot.joints] == names
    found = forward_kinematics(robot, {"a": 0.5, "b": 0.75 if back == (False, True) else -0.75})
    assert np.abs(found["limb"] - expected).max() < WITHIN


HINGES = ((0, 0, 1.25), (0, 0, 0.25)), ((0.5, 0, 1.25), (0.5, 0, 0.25))


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("kind", ["RevoluteJoint", "PrismaticJoint"])
def test_two_joints_that_move_alike_hold_the_same_body(
    kind: str, back: bool, tmp_path: Path
) -> None:
    joints = [
        make_joint(kind, name, at, X, back=back and name == "low")
        for name, at in zip(("high", "low"), HINGES, strict=True)
    ]
    robot = read_robot(write_stage(tmp_path / "door.usda", move_to(0.0, 0.0, 1.0), *joints))
    assert [each.name for each in robot.joints] == ["high"] and len(robot.links) == 2
    assert [each.name for each in robot.loops] == ["low"]


def test_more_joints_than_a_body_has_freedoms_are_loops(tmp_path: Path) -> None:
    joints = [
        make_joint("RevoluteJoint", f"j{number}", ((0, number, 1), (0, number, 0)), X)
        for number in range(9)
    ]
    robot = read_robot(write_stage(tmp_path / "arm.usda", move_to(0.0, 0.0, 1.0), *joints))
    assert len(robot.joints) == 6 and len(robot.loops) == 3


def read_posed(path: Path) -> Robot:
    diagnostics = Diagnostics()
    robot = read_robot(path, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["usd-posed"]
    return robot


TURN = Rotation.from_euler("x", 0.5)
AWAY = Rotation.from_euler("xyz", (0.25, -0.5, 0.75))
POSED = {
    "hinge": (
        move_to(0, 0, 1, TURN),
        make_joint("RevoluteJoint", "hinge", ((0, 0, 1), (0, 0, 0)), X),
        {"hinge": (0.5,)},
    ),
    "slide": (
        move_to(0, -0.25, 1),
        make_joint("PrismaticJoint", "slide", ((0, 0, 1), (0, 0, 0)), Y),
        {"slide": (-0.25,)},
    ),
    "ball": (
        move_to(0, 0, 1, AWAY),
        make_joint("SphericalJoint", "ball", ((0, 0, 1), (0, 0, 0))),
        {"ball": tuple(AWAY.as_quat())},
    ),
    "cylinder": (
        move_to(0, 0, 1.5, TURN),
        make_joint("Joint", "arm", ((0, 0, 1), (0, 0, 0)), CYLINDER),
        {"arm_transZ": (0.5,), "arm_rotX": (0.5,)},
    ),
}


@pytest.mark.parametrize("name", POSED)
def test_a_stage_in_a_pose_is_a_robot_that_starts_there(name: str, tmp_path: Path) -> None:
    place, joint, expected = POSED[name]
    robot = read_posed(write_stage(tmp_path / "arm.usda", place, joint))
    assert dict(robot.start).keys() == expected.keys()
    for each, value in robot.start:
        assert value == pytest.approx(expected[each], abs=WITHIN)
    limb = forward_kinematics(robot, dict(robot.start))["limb"]
    xyz = [float(word) for word in place.split("(")[1].split(")")[0].split(",")]
    assert np.abs(limb[:3, 3] - xyz).max() < WITHIN


def test_a_place_that_no_joint_reaches_leaves_the_robot_at_zero(tmp_path: Path) -> None:
    joint = make_joint("RevoluteJoint", "hinge", ((0, 0, 1), (0, 0, 0)), X)
    path = write_stage(tmp_path / "arm.usda", move_to(2, 0, 1), joint)
    assert read_posed(path).start == ()
    diagnostics = Diagnostics()
    read_robot(path, diagnostics=diagnostics)
    (found,) = diagnostics
    assert found.message.endswith("as far as joints reach it, unlike 'hinge'")


def test_joints_of_one_name_start_each_in_its_place(tmp_path: Path) -> None:
    tip = (
        f'def Xform "tip" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{\n{move_to(0, 0, 3)}\n}}'
    )
    joint = make_joint("PrismaticJoint", "slide", ((0, 0, 1), (0, 0, 0)), Z)
    upper = joint.replace("/arm/base", "/arm/limb").replace(
        "/arm/limb>\npoint3f physics:localPos1", "/arm/tip>\npoint3f physics:localPos1"
    )
    scopes = [f'def Scope "{name}" {{\n{text}\n}}' for name, text in (("a", joint), ("b", upper))]
    robot = read_posed(write_stage(tmp_path / "mast.usda", move_to(0, 0, 1.5), tip, *scopes))
    assert robot.start == (("slide", (0.5,)), ("slide_2", (0.5,)))


def test_angles_are_the_smallest_and_within_limits(tmp_path: Path) -> None:
    limits = f"{X}\nfloat physics:lowerLimit = -20\nfloat physics:upperLimit = 20"
    joint = make_joint("RevoluteJoint", "hinge", ((0, 0, 1), (0, 0, 0)), limits)
    turned = move_to(0, 0, 1, TURN)
    assert read_posed(write_stage(tmp_path / "arm.usda", turned, joint)).start == ()
    steps = [
        ChainJoint(frame=np.eye(4), freedoms=(JointAxis(name="z", turns=True, axis=(0, 0, 1)),))
    ]
    end = np.eye(4)
    end[:3, :3] = Rotation.from_euler("z", 7.0).as_matrix()
    assert find_values(steps, end, 1.0) == [(pytest.approx(7.0 - math.tau),)]


VARIANTS = """#usda 1.0
(
 defaultPrim = "arm"
 metersPerUnit = 1
 upAxis = "Z"
)
def Xform "arm" (
 variants = {{ string hand = "none" }}
 prepend variantSets = ["hand", "size"]
)
{{
def Xform "base" (prepend apiSchemas = ["PhysicsArticulationRootAPI", "PhysicsRigidBodyAPI"]) {{}}
{limb}
{joint}
variantSet "hand" = {{
 "none" {{}}
 "claw" {{
  def Xform "claw" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
  {{
   def Mesh "shape"
   {{
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]
   }}
  }}
  {grip}
 }}
}}
variantSet "size" = {{
 "small" {{}}
}}
}}
"""


def write_variants(path: Path) -> Path:
    """Writes an arm whose variant `claw` of the set `hand` has one more body, a mesh."""
    joint = make_joint("RevoluteJoint", "hinge", ((0, 0, 1), (0, 0, 1)), X)
    limb = 'def Xform "limb" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}'
    grip = make_joint("PrismaticJoint", "grip", ((0, 0, 0), (0, 0, 0)), Y)
    grip = grip.replace("/arm/limb", "/arm/claw").replace("/arm/base", "/arm/limb")
    path.write_text(VARIANTS.format(limb=limb, joint=joint, grip=grip))
    return path


def test_a_variant_is_chosen_by_its_set(tmp_path: Path) -> None:
    path = write_variants(tmp_path / "arm.usda")
    assert [each.name for each in read_robot(path).links] == ["base", "limb"]
    options = ImportOptions(variants=(("hand", "claw"),))
    robot = read_robot(path, options=options)
    assert [each.name for each in robot.links] == ["base", "limb", "claw"]
    assert list_models(path, options=options) == ("arm",)
    read_robot(path)  # Another stage than the one with the mesh is at hand now.
    ((visual,),) = [each.visuals for each in robot.links if each.visuals]
    files = RobotFiles(find_files(path, options), Diagnostics())
    assert files.load(visual, robot.links[-1]).vertices.max(axis=0).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("choice", [("hand", "fist"), ("colour", "red")])
def test_a_variant_that_is_not_there_is_refused(choice: tuple[str, str], tmp_path: Path) -> None:
    path = write_variants(tmp_path / "arm.usda")
    with pytest.raises(ReadError, match=r"no variant '[a-z]+:=[a-z]+'; it has 'hand:=claw', 'h"):
        read_robot(path, options=ImportOptions(variants=(choice,)))


def test_a_variant_within_an_instance_cannot_be_chosen(tmp_path: Path) -> None:
    path = write_variants(tmp_path / "arm.usda")
    tip = 'variants = { string tip = "flat" }; prepend variantSets = "tip"'
    choices = 'variantSet "tip" = {\n"flat" {\n}\n"round" {\n}\n}\n'
    part = f'class "part" {{ def Xform "cap" ({tip}) {{\n{choices}}}\n}}'
    knob = 'def Xform "knob" (instanceable = true; prepend references = </part>) {}'
    text = path.read_text().replace('def Xform "base"', f'{knob}\ndef Xform "base"', 1)
    path.write_text(f"{text}\n{part}\n")
    with pytest.raises(ReadError, match="no variant 'tip:=round'"):
        read_robot(path, options=ImportOptions(variants=(("tip", "round"),)))


def test_joints_are_in_the_order_of_isaacs_schema(tmp_path: Path) -> None:
    """A tree of two branches; the schema lists the second one first, and one joint not at all."""
    joints = [
        make_joint("RevoluteJoint", name, ((0, 0, 0), (0, 0, 0)), X).replace("/arm/limb", ends)
        for name, ends in (("a", "/arm/one"), ("b", "/arm/two"), ("c", "/arm/limb"))
    ]
    bodies = [
        f'def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{}}'
        for name in ("one", "two")
    ]
    path = write_stage(tmp_path / "arm.usda", "", *bodies, *joints)
    assert [each.name for each in read_robot(path).joints] == ["a", "b", "c"]
    order = "rel isaac:physics:robotJoints = [</arm/c>, </arm/b>]\n"
    path.write_text(path.read_text().replace('def Xform "arm"\n{', f'def Xform "arm"\n{{\n{order}'))
    assert [each.name for each in read_robot(path).joints] == ["c", "b", "a"]
