# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots of builder scripts that come from descriptions, over MORSE's own builder and over the
stand-alone one."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import urdf_importer
from morse_support.builder_runs import Scene, run_script
from support.paths import ROOT

SAMPLES = ROOT / "sample_urdfs"
ARM = SAMPLES / "humanoid_arm.urdf"

SENSING = """<robot name="sensing">
  <link name="base"><inertial><mass value="2"/></inertial>
    <collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="mast"/>
    <origin xyz="0 0 1"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <link name="mast"><inertial><mass value="1"/></inertial>
    <visual><geometry><sphere radius="0.1"/></geometry></visual>
    <collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <gazebo reference="mast"><sensor type="camera" name="eye">
    <pose>0.1 0.2 0.3 0 0 1.5707963267948966</pose><update_rate>25</update_rate>
    <camera><horizontal_fov>1.0</horizontal_fov><image><width>320</width><height>240</height></image>
    </camera></sensor></gazebo>
</robot>"""


@pytest.fixture(params=["morse", "stand-alone"])
def build(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Runs the lines of a builder script, which begins with all names of the builder."""
    is_morse = request.param == "morse"
    root = request.getfixturevalue("morse_root") if is_morse else None
    (tmp_path / "sensing.urdf").write_text(SENSING, encoding="utf-8")

    def run(text: str) -> Scene:
        begin = (
            "import urdf_importer\nfrom urdf_importer.morse.builder import *\n"
            f"assert Robot.__module__.startswith('morse.') is {is_morse}\n"
        )
        return run_script(tmp_path, begin + text, morse_root=root)

    return run


def place_of(scene: Scene, name: str) -> Any:
    return np.array(scene.objects[name].matrix_world)


@pytest.mark.parametrize(
    "number, code",
    list(
        enumerate(
            re.findall(
                r"```python\n(.*?)```",
                (ROOT / "docs/project/morse.md").read_text("utf-8"),
                re.DOTALL,
            )
        )
    ),
)
def test_documented_scripts_run(
    number: int, code: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    needs_morse = "morse.enable()" in code
    root = request.getfixturevalue("morse_root") if needs_morse else None
    (tmp_path / "sample_urdfs").symlink_to(SAMPLES)
    scene = run_script(tmp_path, code, morse_root=root)
    if number == 0:
        assert {"robot", "robot.armature", "robot.armature.pose", "robot.camera"} <= set(
            scene.objects
        )
        assert (tmp_path / "humanoid_arm.blend").is_file()
        assert (tmp_path / "humanoid_arm_builder.py").is_file()


def test_configuration_is_that_of_morse_components(build: Any) -> None:
    scene = build(
        f"robot = URDFRobot({str(ARM)!r})\narm = robot.armature()\nstate = robot.joint_state()\n"
        "eye = Pose()\nrobot.append(eye, link='head')\nrobot.add_default_interface('socket')\n"
        "env = Environment('empty')\nenv.create()\n"
    )
    streams = scene.config["component_datastream"]
    assert {name: given[0][2] for name, given in streams.items()} == {
        "robot.armature": "IN",
        "robot.armature.pose": "OUT",
        "robot.eye": "OUT",
    }
    assert set(scene.config["component_service"]) == set(streams)
    tags = {
        name: scene.objects[name].properties["classpath"]
        for name in ("robot", "robot.armature", "robot.armature.pose", "robot.eye")
    }
    assert tags == {
        "robot": "morse.core.robot.Robot",
        "robot.armature": "morse.actuators.armature.Armature",
        "robot.armature.pose": "morse.sensors.armature_pose.ArmaturePose",
        "robot.eye": "morse.sensors.pose.Pose",
    }
    assert scene.objects["robot"].properties["Robot_Tag"] is True
    assert scene.objects["robot.armature"].properties["Component_Tag"] is True
    assert scene.objects["robot.armature"].parent == "robot"
    assert scene.objects["robot.armature.pose"].parent == "robot.armature"
    assert scene.objects["robot.eye"].parent == "head"


def test_links_stand_as_the_description_says(build: Any) -> None:
    positions = {"shoulder_pitch": -0.7, "shoulder_yaw": 0.5, "elbow": -1.1, "wrist_roll": 0.3}
    scene = build(
        f"robot = URDFRobot({str(ARM)!r})\nrobot.translate(1.0, 2.0, 0.5)\n"
        f"robot.rotate(z=0.25)\nrobot.set_joints({positions!r})\n"
        "tip = Pose()\ntip.translate(x=0.1)\nrobot.append(tip, 'tool0')\n"
        "report = {'links': list(robot.links), 'joints': list(robot.joints)}\n"
        "env = Environment('empty')\nenv.create()\n"
    )
    robot = urdf_importer.read_robot(ARM)
    frames = urdf_importer.forward_kinematics(robot, positions)
    root = place_of(scene, "robot")
    assert np.allclose(root[:3, 3], (1.0, 2.0, 0.5))
    assert np.isclose(np.arctan2(root[1, 0], root[0, 0]), 0.25)
    assert scene.report["links"] == [link.name for link in robot.links]
    for name, frame in frames.items():
        assert scene.objects[name].parent == "armature" or scene.objects[name].parent.endswith(
            "_armature"
        )
        assert np.abs(place_of(scene, name) - root @ frame).max() < 1e-5, name
    assert scene.report["joints"] == [j.name for j in robot.joints if j.type == "revolute"]
    shifted = root @ frames["tool0"] @ np.array([0.1, 0.0, 0.0, 1.0])
    assert np.abs(place_of(scene, "robot.tip")[:3, 3] - shifted[:3]).max() < 1e-5


def test_physics_is_what_morse_expects(build: Any) -> None:
    scene = build("robot = URDFRobot('sensing.urdf')\nenv = Environment('empty')\nenv.create()\n")
    game = {name: item.game["settings"] for name, item in scene.objects.items()}
    assert game["robot"]["mass"] == pytest.approx(3.0)
    assert game["robot"]["physics_type"] == "NO_COLLISION"
    box = game["base_collision"]
    assert (box["physics_type"], box["use_collision_bounds"]) == ("STATIC", True)
    bounds = {name: game[name].get("collision_bounds_type") for name in game if "mast_c" in name}
    assert bounds == {"mast_collision": "CYLINDER", "mast_collision.001": "SPHERE"}
    assert game["mast_collision"]["mass"] == pytest.approx(0.5)
    assert game["mast_visual"]["physics_type"] == "NO_COLLISION"


def test_robot_becomes_a_body_that_falls(build: Any) -> None:
    scene = build(
        "robot = URDFRobot('sensing.urdf')\nrobot.set_physics_type('RIGID_BODY')\n"
        "robot.set_mass(12.0)\nenv = Environment('empty')\nenv.create()\n"
    )
    settings = scene.objects["robot"].game["settings"]
    assert settings["physics_type"] == "RIGID_BODY"
    assert settings["use_actor"] and settings["use_collision_compound"]
    assert settings["mass"] == 12.0


def test_own_sensors_stand_where_the_description_says(build: Any) -> None:
    scene = build(
        "robot = URDFRobot('sensing.urdf')\nmade = robot.append_suggested_sensors()\n"
        "report = {'made': {n: type(c).__name__ for n, c in made.items()}}\n"
        "robot.set_joints({'turn': 0.5})\nenv = Environment('empty')\nenv.create()\n"
    )
    assert scene.report["made"] == {"eye": "VideoCamera"}
    eye = scene.objects["robot.eye"]
    assert eye.parent == "mast"
    assert eye.properties["cam_width"] == 320
    assert eye.properties["frequency"] == 25
    lens = next(n for n, item in scene.objects.items() if item.type == "CAMERA" and "eye" in n)
    frame = place_of(scene, lens)
    # Blender's cameras look along -Z with Y up. The sensor looks along the mast's y.
    assert np.allclose(-frame[:3, 2], (-np.sin(0.5), np.cos(0.5), 0.0), atol=1e-5)
    assert np.allclose(frame[:3, 1], (0.0, 0.0, 1.0), atol=1e-5)
    turned = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    assert np.allclose(frame[:3, 3], (*(turned @ (0.1, 0.2)), 1.3), atol=1e-5)


def test_ik_targets_stand_at_the_tips(build: Any) -> None:
    scene = build(
        f"robot = URDFRobot({str(ARM)!r})\nrobot.create_ik_targets()\n"
        "robot.set_joints({'elbow': -1.1})\nrobot.translate(z=0.5)\n"
        "bone = robot.joints['wrist_roll']\nik = bone.constraints[-1]\n"
        "report = {'count': ik.chain_count, 'tip': list(bone.bone.tail_local), 'off': ik.mute}\n"
        "env = Environment('empty')\nenv.create()\n"
    )
    target = place_of(scene, "ik_target.robot.armature.wrist_roll")
    tip = np.add(scene.report["tip"], (0.0, 0.0, 0.5))
    assert np.abs(target[:3, 3] - tip).max() < 1e-5
    assert scene.report["count"] == 7
    # The pose is that of the joints until MORSE switches the target on.
    assert scene.report["off"]
    frames = urdf_importer.forward_kinematics(urdf_importer.read_robot(ARM), {"elbow": -1.1})
    assert np.abs(place_of(scene, "hand")[:3, 3] - frames["hand"][:3, 3] - (0, 0, 0.5)).max() < 1e-5


def test_one_end_effector_and_all_else_internal(build: Any) -> None:
    scene = build(
        f"robot = URDFRobot({str(ARM)!r})\nrobot.set_end_effector('hand')\n"
        "robot.set_end_effector('tool0')\nenv = Environment('empty')\nenv.create()\n"
    )
    marked = [n for n, item in scene.objects.items() if "end_effector" in item.properties]
    assert marked == ["tool0"]
    links = urdf_importer.forward_kinematics(urdf_importer.read_robot(ARM))
    assert all(scene.objects[name].properties["internal"] is True for name in links)


def test_end_effector_takes_none_of_the_robots_own_parts(build: Any) -> None:
    """Every actuator above the end effector mounts what hangs on it and is not its own."""
    scene = build(
        f"robot = URDFRobot({str(SAMPLES / 'planar_base.urdf')!r})\n"
        "robot.set_end_effector('suction_cup')\n"
        "column = robot.armature('column', ['lift'])\n"
        "arm = robot.armature('arm', ['shoulder', 'elbow', 'wrist'])\nrobot.joint_state()\n"
        "tool = Pose()\narm.append(tool)\nenv = Environment('empty')\nenv.create()\n"
    )
    armatures = {name for name, item in scene.objects.items() if item.type == "ARMATURE"}
    assert {"robot.column", "robot.arm"} <= armatures
    loose = {
        name
        for name, item in scene.objects.items()
        if item.parent in armatures and "internal" not in item.properties
    }
    assert loose == {"robot.arm.tool"}


def test_groups_have_actuators_of_their_own(build: Any) -> None:
    scene = build(
        f"robot = URDFRobot({str(SAMPLES / 'planar_base.urdf')!r})\n"
        "column = robot.armature('column', ['lift'])\n"
        "arm = robot.armature('arm', ['shoulder', 'elbow', 'wrist'])\n"
        "assert robot.armature('arm') is arm\nstate = robot.joint_state()\n"
        "robot.set_joints({'lift': 0.3, 'elbow': 0.4})\nrobot.add_default_interface('socket')\n"
        "env = Environment('empty')\nenv.create()\n"
        "import bpy\nbpy.context.view_layer.update()\n"
        "report = {'bones': {a.name: [b.name for b in a._bpy_object.pose.bones]"
        " for a in (column, arm)},"
        " 'lift': list(column._bpy_object.pose.bones['lift'].head)}\n"
    )
    assert scene.report["bones"] == {
        "robot.column": ["lift"],
        "robot.arm": ["shoulder", "elbow", "wrist"],
    }
    # What MORSE takes for the position of a sliding joint.
    assert scene.report["lift"][2] == pytest.approx(0.3, abs=1e-6)
    poses = {n for n in scene.config["component_datastream"] if n.endswith(".pose")}
    assert {"robot.column.pose", "robot.arm.pose"} <= poses
    robot = urdf_importer.read_robot(SAMPLES / "planar_base.urdf")
    frames = urdf_importer.forward_kinematics(robot, {"lift": 0.3, "elbow": 0.4})
    for name, frame in frames.items():
        assert np.abs(place_of(scene, name) - frame).max() < 1e-5, name


def test_sliding_joints_get_armatures_that_morse_reads_right(build: Any) -> None:
    scene = build(
        f"robot = URDFRobot({str(SAMPLES / 'gantry.urdf')!r})\nactuators = robot.armatures()\n"
        "robot.set_joints({'x_axis': 0.2, 'y_axis': 0.1, 'z_axis': 0.3})\n"
        "import bpy\nbpy.context.view_layer.update()\n"
        "report = {'heads': {b.name: list(b.head) for b in robot.joints.values()},"
        " 'names': [a.name for a in actuators], 'codes': [d.code for d in robot.check()]}\n"
        "env = Environment('empty')\nenv.create()\n"
    )
    heads = {name: head[2] for name, head in scene.report["heads"].items()}
    assert heads == pytest.approx({"x_axis": 0.2, "y_axis": 0.1, "z_axis": 0.3}, abs=1e-6)
    assert scene.report["names"] == ["x_axis", "y_axis", "z_axis"]
    assert not {"morse-prismatic-runaway", "morse-prismatic-misread"} & set(scene.report["codes"])


def test_robot_itself_takes_descriptions(build: Any) -> None:
    scene = build(
        "class Lookout(Robot):\n"
        "    def __init__(self, name=None):\n"
        "        Robot.__init__(self, 'sensing.urdf', name)\n"
        "        self.eye = Pose()\n"
        "        self.append(self.eye, 'mast')\n"
        "one = Robot('sensing.urdf', name='Tower')\ntwo = Lookout()\n"
        "report = {'kinds': [isinstance(r, Robot) for r in (one, two)],"
        " 'links': [sorted(r.links) for r in (one, two)]}\n"
        "env = Environment('empty')\nenv.create()\n"
    )
    assert scene.report == {"kinds": [True, True], "links": [["base", "mast"]] * 2}
    assert {"Tower", "two", "two.eye"} <= set(scene.objects)
    # Two robots of one description: each sensor is on its own.
    above = scene.objects[scene.objects["two.eye"].parent]
    assert scene.objects[scene.objects[above.parent].parent].name == "two"


def test_refused_descriptions_leave_nothing(build: Any) -> None:
    broken = ROOT / "tests" / "data" / "error_mismatched_tag.urdf"
    scene = build(
        "import bpy\nfound = []\n"
        f"for path in ({str(broken)!r}, 'no_such_file.urdf'):\n"
        "    for make in (URDFRobot, Robot):\n"
        "        try:\n"
        "            make(path)\n"
        "        except urdf_importer.ReadError as error:\n"
        "            found.append([error.line, len(bpy.data.objects), len(Robot.components)])\n"
        "try:\n    URDFRobot('robot.blend')\n"
        "except urdf_importer.BuildError:\n    found.append(0)\n"
        "report = {'found': found}\n"
        "robot = FakeRobot()\nenv = Environment('empty')\nenv.create()\n"
    )
    *first, last = scene.report["found"]
    assert last == 0
    assert [row[1:] for row in first] == [[0, 0]] * 4
    assert first[0][0] == first[1][0] > 0


def test_wrong_words_are_refused_in_one_sentence(build: Any) -> None:
    scene = build(
        "robot = URDFRobot('sensing.urdf')\nsaid = []\n"
        "for wrong in (lambda: robot.append(Pose(), link='roof'),\n"
        "              lambda: robot.armature('leg'),\n"
        "              lambda: robot.set_joints({'roll': 1}),\n"
        "              lambda: robot.set_end_effector('x'),\n"
        "              lambda: robot.create_ik_targets(['base'])):\n"
        "    try:\n        wrong()\n"
        "    except urdf_importer.KinematicsError as error:\n        said.append(str(error))\n"
        "report = {'said': said}\nenv = Environment('empty')\nenv.create()\n"
    )
    assert len(scene.report["said"]) == 5
    assert all("\n" not in line and line for line in scene.report["said"])


def test_saved_scene_holds_what_morse_has_to_know(build: Any, tmp_path: Path) -> None:
    scene = build(
        "robot = URDFRobot('sensing.urdf')\narm = robot.armature()\nenv = Environment('empty')\n"
        "env.create()\nrobot.save_blend('kept.blend')\n"
        "urdf_importer.new_file()\nurdf_importer.open_blend('kept.blend')\n"
    )
    assert scene.objects["robot"].properties["Robot_Tag"] is True
    assert scene.objects["robot.armature"].properties["Component_Tag"] is True
    assert scene.objects["robot.armature"].game["sensors"][0]["type"] == "ALWAYS"
    assert "component_datastream" in scene.config


def test_nothing_is_loaded_before_it_is_asked_for(tmp_path: Path) -> None:
    scene = run_script(
        tmp_path,
        "import sys\nimport bpy\nbefore = set(dir(bpy.types.Object))\nimport urdf_importer.morse\n"
        "report = {'morse': 'morse' in sys.modules,"
        " 'new': sorted(set(dir(bpy.types.Object)) - before),"
        " 'parts': [n for n in sys.modules if n.startswith('urdf_importer_morse.')]}\n",
        morse_root=None,
    )
    assert scene.report == {"morse": False, "new": [], "parts": []}
