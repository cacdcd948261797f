# SPDX-License-Identifier: GPL-3.0-or-later
"""Project folders: everything parses, names fit together, ROS finds what it is told of."""

import ast
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import trimesh
from ruamel.yaml import YAML

from support.paths import ROOT
from support.real_robots import descriptions, name_of
from support.webots.proto_check import check
from support.webots.webots_robots import BOX, joint, link
from urdf_importer import Diagnostics, WebotsOptions, export_robot, forward_kinematics, read_robot
from urdf_importer.core.model import Mesh
from urdf_importer.formats.webots.write import ExportResult
from urdf_importer.formats.webots.write.ros2.interface import make_package_name

GRIPPER = ROOT / "sample_urdfs" / "gripper.urdf"
WHEEL = '<joint name="left_wheel_joint" type="continuous"><parent link="base"/>'
WHEEL += '<child link="left_wheel"/><axis xyz="0 1 0"/></joint>'


class Project:
    def __init__(self, folder: Path, *elements: str, name: str = "bot", **options: Any) -> None:
        source = folder / "bot.urdf"
        lines = "\n".join(elements)
        source.write_text(f'<robot name="{name}">\n{lines}\n</robot>', encoding="utf-8")
        self._export(source, folder, options)

    @classmethod
    def of(cls, source: Path, folder: Path) -> "Project":
        project = cls.__new__(cls)
        project._export(source, folder, {"inertia": "clamp"})
        return project

    def _export(self, source: Path, folder: Path, options: dict[str, Any]) -> None:
        self.folder = folder / "project"
        self.robot = read_robot(source)
        self.diagnostics = Diagnostics(str(source))
        chosen = WebotsOptions(**options)
        self.result: ExportResult = export_robot(
            self.robot, self.folder, options=chosen, diagnostics=self.diagnostics
        )
        self.package = make_package_name(self.result.robot)
        (self.world,) = (self.folder / "worlds").glob("*.wbt")
        self.urdf = self.folder / "resource" / f"{self.package}.urdf"
        self.xml = ElementTree.parse(self.urdf).getroot()
        self.control: dict[str, Any] = YAML(typ="safe").load(
            (self.folder / "resource" / "ros2_control.yml").read_text("utf-8")
        )

    def devices(self) -> dict[str, str]:
        """Name -> kind, of all devices of the exported robot."""
        tree = check(self.world).tree
        found = {s["name"]: s["type"] for s in tree["solids"] if s["type"] not in ("Solid",)}
        for each in tree["joints"]:
            for axis in each["dofs"]:
                found |= {axis[w]: w for w in ("motor", "sensor") if w in axis}
        return found

    def commands(self) -> dict[str, list[str]]:
        """Joint -> its command interfaces in ros2_control."""
        return {
            str(each.get("name")): [str(c.get("name")) for c in each.findall("command_interface")]
            for each in self.xml.findall("ros2_control/joint")
        }

    def ros(self, name: str) -> dict[str, str]:
        """What stands in the <ros> of a device."""
        found = self.xml.find(f"webots/device[@reference='{name}']/ros")
        assert found is not None
        return {child.tag: child.text or "" for child in found}


def bot(folder: Path, *elements: str, **options: Any) -> Project:
    return Project(
        folder,
        link("base", inside=f"<visual>{BOX}</visual>"),
        link("arm"),
        link("left_wheel"),
        joint("shoulder", "revolute", "base", "arm", xyz="0 0 1"),
        WHEEL,
        *elements,
        **options,
    )


def test_the_folder_holds_everything(tmp_path: Path) -> None:
    project = bot(tmp_path)
    files = {str(path.relative_to(project.folder)) for path in project.result.files}
    assert files == {
        "README.md",
        "bot_webots/__init__.py",
        "controllers/bot/bot.py",
        "launch/robot_launch.py",
        "package.xml",
        "protos/bot.proto",
        "resource/bot_webots",
        "resource/bot_webots.urdf",
        "resource/ros2_control.yml",
        "setup.cfg",
        "setup.py",
        "worlds/bot.wbt",
    }
    checked = check(project.world)
    assert checked.problems == ()
    assert checked.solids["bot"]["controller"] == "<extern>"


def test_all_python_compiles_and_all_xml_parses(tmp_path: Path) -> None:
    name = "Ünï <&> $bot \"quoted\" {x} '''"
    # As XML wants it.
    written = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    project = Project(tmp_path, link("base"), name=written)
    assert project.robot.name == name and project.xml.get("name") == name
    for path in project.folder.rglob("*.py"):
        ast.parse(path.read_text("utf-8"))
    package = ElementTree.parse(project.folder / "package.xml").getroot()
    assert package.findtext("name") == project.package
    assert package.findtext("export/build_type") == "ament_python"
    assert check(project.world).errors == ()


HOSTILE_NAMES = (
    'x""";open("ran_code","w");"""y',
    "r`touch ran_shell`",
    "$HOME",
    'x";touch ran_shell;"',
    "x' ; touch ran_shell ; '",
    "tail\\",
    "**bold** <b> [x](y)",
    "-rf",
)


def _calls(folder: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for path in folder.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text("utf-8")))
        found.update(ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call))
    return found


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_no_name_becomes_code(name: str, tmp_path: Path) -> None:
    """A robot's name is text for Python, for shells and in Markdown; files have plain names."""
    (tmp_path / "plain").mkdir()
    written = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    project = Project(tmp_path, link("base"), name=written)
    plain = Project(tmp_path / "plain", link("base"))
    assert _calls(project.folder) == _calls(plain.folder)
    for path in project.folder.rglob("*"):
        assert re.fullmatch(r"[\w.-]+", path.name) and not path.name.startswith("-")

    shell = tmp_path / "shell"
    shell.mkdir()
    fake = shell / "webots-controller"
    fake.write_text('#!/bin/sh\nprintf "%s" "$1" >given\n')
    fake.chmod(0o755)
    readme = (project.folder / "README.md").read_text("utf-8")
    (controller,) = (project.folder / "controllers").rglob("*.py")
    documented = ast.get_docstring(ast.parse(controller.read_text("utf-8")))
    assert documented is not None
    for text in (readme, documented):
        (line,) = (line for line in text.splitlines() if "webots-controller" in line)
        environment = os.environ | {"PATH": f"{shell}:{os.environ['PATH']}"}
        subprocess.run(["sh", "-c", line], cwd=shell, env=environment, check=True, timeout=20)
        assert (shell / "given").read_text() == f"--robot-name={project.result.robot}"
        assert sorted(os.listdir(shell)) == ["given", "webots-controller"]
    assert project.result.robot == name.replace(":", "_")


def test_marks_of_markdown_in_a_name_are_text(tmp_path: Path) -> None:
    project = Project(tmp_path, link("base"), name="**b** `c` [x](y)")
    first, *_ = (project.folder / "README.md").read_text("utf-8").splitlines()
    assert first == r"# \*\*b\*\* \`c\` \[x\](y) in Webots"


def test_the_launch_file_names_what_is_there(tmp_path: Path) -> None:
    project = bot(tmp_path)
    tree = ast.parse((project.folder / "launch" / "robot_launch.py").read_text("utf-8"))
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    assert constants["PACKAGE"] == project.package
    assert constants["ROBOT"] == check(project.world).tree["robot"] == "bot"
    assert (project.folder / "worlds" / constants["WORLD"]).is_file()
    assert (project.folder / "resource" / constants["URDF"]).is_file()
    manager = project.control["controller_manager"]["ros__parameters"]
    assert set(constants["CONTROLLERS"]) == {key for key in manager if key != "update_rate"}
    assert manager["update_rate"] == 125


def test_setup_installs_every_file_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh = '<visual><geometry><mesh filename="tetra.stl"/></geometry></visual>'
    (tmp_path / "tetra.stl").write_text(TETRA)
    project = bot(tmp_path, link("extra", None, mesh))
    calls: list[dict[str, Any]] = []
    text = (project.folder / "setup.py").read_text("utf-8")
    text = text.replace("from setuptools import setup", "")
    monkeypatch.chdir(project.folder)
    exec(compile(text, "setup.py", "exec"), {"setup": lambda **words: calls.append(words)})
    (call,) = calls
    installed = {name for _, names in call["data_files"] for name in names}
    assert call["packages"] == [project.package]
    share = f"share/{project.package}"
    # The world names its PROTO and the PROTO its meshes relative to themselves.
    assert dict(call["data_files"])[f"{share}/protos"] == ["protos/bot.proto"]
    assert any(where == f"{share}/protos/bot_meshes" for where, _ in call["data_files"])
    files = {path.relative_to(project.folder).as_posix() for path in project.result.files}
    own = {"setup.py", "setup.cfg", "README.md", f"{project.package}/__init__.py"}
    assert files - installed - own == {"controllers/bot/bot.py"}


TETRA = """solid tetra
facet normal 0 0 -1
outer loop
vertex 0 0 0
vertex 0 1 0
vertex 1 0 0
endloop
endfacet
facet normal 0 -1 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
endsolid tetra
"""


def test_ros_shows_the_exported_meshes(tmp_path: Path) -> None:
    """They are in the package, so that it may be moved; each in place and of the same size."""
    project = Project.of(GRIPPER, tmp_path)
    prefix = f"package://{project.package}/"
    original = {each.name: each for each in project.robot.links}
    shown = 0
    for each in project.xml.findall("link"):
        for visual in each.findall("visual"):
            mesh = visual.find("geometry/mesh")
            if mesh is None:
                continue
            uri = mesh.get("filename", "")
            assert uri.startswith(prefix + "protos/") and mesh.get("scale") is None
            points = trimesh.load(project.folder / uri.removeprefix(prefix), force="mesh").vertices
            visuals = original[each.get("name", "")].visuals
            (wanted,) = (v.geometry for v in visuals if isinstance(v.geometry, Mesh))
            file = GRIPPER.parent / wanted.filename.removeprefix("package://sample_urdfs/")
            truth = trimesh.load(file, force="mesh").vertices
            truth = truth * wanted.scale
            assert np.allclose(points.min(axis=0), truth.min(axis=0), atol=1e-6)
            assert np.allclose(points.max(axis=0), truth.max(axis=0), atol=1e-6)
            assert visual.find("material/color") is not None
            shown += 1
    assert shown > 1


def test_joints_take_what_the_description_says(tmp_path: Path) -> None:
    transmission = (
        '<transmission name="t"><type>transmission_interface/SimpleTransmission</type>'
        '<joint name="shoulder"><hardwareInterface>hardware_interface/VelocityJointInterface'
        "</hardwareInterface></joint></transmission>"
    )
    assert bot(tmp_path).commands() == {"shoulder": ["position"], "left_wheel_joint": ["velocity"]}
    assert bot(tmp_path, transmission).commands()["shoulder"] == ["velocity"]
    own = (
        '<ros2_control name="r" type="system"><joint name="left_wheel_joint">'
        '<command_interface name="effort"/></joint></ros2_control>'
    )
    project = bot(tmp_path, own)
    assert project.commands()["left_wheel_joint"] == ["position"]
    assert project.control["trajectory_controller"]["ros__parameters"]["joints"] == [
        "shoulder",
        "left_wheel_joint",
    ]
    assert "velocity_controller" not in project.control


def test_followers_are_read_and_not_commanded(tmp_path: Path) -> None:
    def finger(name: str, mimic: str) -> tuple[str, str]:
        return link(f"{name}_link"), joint(name, "revolute", "base", f"{name}_link", mimic)

    project = bot(
        tmp_path,
        *finger("thumb", ""),
        *finger("index", '<mimic joint="thumb" multiplier="-2"/>'),
        *finger("ring", '<mimic joint="index" offset="0.1"/>'),
    )
    commands = project.commands()
    assert commands["thumb"] == ["position"] and commands["index"] == []
    # Webots knows no offset: the state publisher finds this one itself.
    assert "ring" not in commands
    mimic = project.xml.find("joint[@name='ring']/mimic")
    assert mimic is not None and mimic.attrib == {
        "joint": "thumb",
        "multiplier": "-2",
        "offset": "0.1",
    }


def test_devices_and_plugins_of_ros(tmp_path: Path) -> None:
    def eye(kind: str, name: str, inside: str) -> str:
        return (
            f'<gazebo reference="arm"><sensor type="{kind}" name="{name}">{inside}'
            "</sensor></gazebo>"
        )

    scan = "<scan><horizontal><samples>9</samples><min_angle>-1</min_angle>"
    scan += "<max_angle>1</max_angle></horizontal></scan>"
    project = bot(
        tmp_path,
        eye(
            "gpu_lidar",
            "laser",
            f"<update_rate>10</update_rate><topic>scan</topic><lidar>{scan}</lidar>"
            "<gz_frame_id>laser_frame</gz_frame_id>",
        ),
        eye(
            "depth",
            "kinect",
            '<always_on>1</always_on><camera/><plugin name="k" filename="libx_openni_kinect.so">'
            "<cameraName>head</cameraName><imageTopicName>rgb/image</imageTopicName>"
            "<depthImageTopicName>/deep</depthImageTopicName>"
            "<pointCloudTopicName>points</pointCloudTopicName><frameName>optical</frameName>"
            "</plugin>",
        ),
        eye(
            "imu",
            "imu",
            "<update_rate>100</update_rate><always_on>true</always_on>"
            '<plugin name="i" filename="i.so"><ros><namespace>/arm</namespace>'
            "<remapping>~/out:=data</remapping></ros></plugin>",
        ),
        eye("altimeter", "height", ""),
    )
    assert project.ros("laser") == {
        "enabled": "true",
        "updateRate": "10",
        "topicName": "/scan",
        "alwaysOn": "false",
        "frameName": "laser_frame",
    }
    assert project.ros("kinect_color")["topicName"] == "/head/rgb/image"
    assert project.ros("kinect_depth")["topicName"] == "/deep"
    # Pictures are made while somebody listens.
    assert project.ros("kinect_color")["alwaysOn"] == "false"
    plugins = {p.get("type"): {c.tag: c.text for c in p} for p in project.xml.iter("plugin")}
    cloud = plugins["webots_ros2_driver::Ros2RGBD"]
    assert (cloud["camera"], cloud["rangeFinder"]) == ("kinect_color", "kinect_depth")
    assert (cloud["topicName"], cloud["frameName"]) == ("/points", "optical")
    imu = plugins["webots_ros2_driver::Ros2IMU"]
    assert imu["topicName"] == "/arm/data" and imu["alwaysOn"] == "true"
    assert imu["frameName"] == "arm" and imu["updateRate"] == "100"
    devices = project.devices()
    assert devices[imu["gyroName"] or ""] == "Gyro"
    assert devices[imu["accelerometerName"] or ""] == "Accelerometer"
    assert devices[imu["inertialUnitName"] or ""] == "InertialUnit"
    assert "webots_ros2_control::Ros2Control" in plugins
    assert [(d.code, d.subject) for d in project.diagnostics if "ros" in d.code] == [
        ("webots-ros-sensor", "height")
    ]


def test_a_planar_joint_is_three_in_ros_too(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        link("ground"),
        link("cart"),
        joint("slide", "planar", "ground", "cart", axis="0 1 0", xyz="1 2 3", rpy="0.3 0 0"),
    )
    commands = project.commands()
    assert list(commands) == ["slide_x", "slide_y", "slide_yaw"]
    robot = read_robot(project.urdf)
    there = forward_kinematics(robot, {"slide_x": 0.3, "slide_y": -0.2, "slide_yaw": 0.5})
    original = forward_kinematics(project.robot, {"slide": (0.3, -0.2, 0.5)})
    assert there["cart"] == pytest.approx(original["cart"])


# One of them holds no links at all.
FAST = ("pr2", "tiago_pro", "talos_full_v2", "icub")
ROBOTS = [
    pytest.param(path, id=name_of(path), marks=() if path.stem in FAST else pytest.mark.slow)
    for path in descriptions()
    if path.stem != "ur3"
]


@pytest.mark.parametrize("path", ROBOTS)
def test_real_robots_fit_together(path: Path, tmp_path: Path) -> None:
    project = Project.of(path, tmp_path)
    assert check(project.world).errors == ()
    devices = project.devices()
    joints = {each.get("name") for each in project.xml.findall("joint")}
    for each in project.xml.findall("ros2_control/joint"):
        # Of one name: the joint of the URDF, and a motor or sensor of Webots.
        assert each.get("name") in joints and each.get("name") in devices
        assert devices[each.findtext("param[@name='sensor']") or ""] == "sensor"
    for each in project.xml.findall("webots/device"):
        assert devices[each.get("reference") or ""] == each.get("type")
    driven = [name for name, commands in project.commands().items() if commands]
    named = [
        name
        for key, value in project.control.items()
        if key != "controller_manager"
        for name in value["ros__parameters"]["joints"]
    ]
    assert sorted(named) == sorted(driven)
    for script in project.folder.rglob("*.py"):
        ast.parse(script.read_text("utf-8"))
    assert_same_frames(project)


def assert_same_frames(project: Project) -> None:
    """The URDF for ROS has the links of the description where they were."""
    there = forward_kinematics(read_robot(project.urdf), {})
    for name, frame in forward_kinematics(project.robot, {}).items():
        assert np.abs(there[name] - frame).max() < 1e-9, name


@pytest.mark.parametrize(
    "robot, package",
    [
        ("Talos", "talos_webots"),
        ("2 dof--Arm", "robot_2_dof_arm_webots"),
        ("Ü", "robot_webots"),
        ("", "robot_webots"),
        ("a" * 300, "a" * 80 + "_webots"),
    ],
)
def test_package_names(robot: str, package: str) -> None:
    assert make_package_name(robot) == package
