# SPDX-License-Identifier: GPL-3.0-or-later
"""URDF of robots that were read from other formats: urdfdom, with which ROS reads, takes it."""

import subprocess
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from support.paths import ROOT
from support.pinocchio_truth import Truth
from urdf_importer import (
    Diagnostics,
    Robot,
    UrdfOptions,
    forward_kinematics,
    read_robot,
    write_urdf,
)
from urdf_importer.core.model import Capsule, Cylinder, Sphere

from .test_others_accept import CHECK_URDF

SDF = """<sdf version="1.9"><model name="r"><link name="a"/><link name="b">
  <collision name="c"><pose>0 0 1 0 1.5 0</pose><geometry><capsule><radius>0.1</radius>
  <length>0.4</length></capsule></geometry></collision></link><link name="d"/><link name="e"/>
  <frame name="tool" attached_to="e"/>
  <joint name="h" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
  <limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
  <joint name="s" type="prismatic"><parent>b</parent><child>d</child><axis><xyz>0 1 0</xyz>
  </axis></joint><joint name="u" type="universal"><parent>d</parent><child>e</child>
  <axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper><effort>5</effort></limit></axis>
  <axis2><xyz>0 1 0</xyz></axis2></joint></model></sdf>"""
MJCF = """<mujoco model="r"><compiler angle="radian"/><worldbody><body name="a" pos="0 0 1">
  <joint name="h" range="-1 1" limited="true"/><geom size="1" mass="1"/>
  <body name="b" quat="0.6 0.8 0 0"><joint name="s" type="slide" range="0 1" limited="true"/>
  <geom type="capsule" size="0.1 0.2"/><site name="p"/><body name="c"><joint type="ball"/>
  <geom size="0.1"/></body></body></body></worldbody>
  <actuator><motor joint="h" ctrlrange="-1 1"/></actuator></mujoco>"""
TEXTS = {"robot.sdf": SDF, "robot.xml": MJCF}


def read(folder: Path, name: str) -> Robot:
    (folder / name).write_text(TEXTS[name])
    return read_robot(folder / name)


def write(robot: Robot, folder: Path, **options: object) -> tuple[Path, list[str]]:
    diagnostics = Diagnostics()
    settings = UrdfOptions(meshes="keep", **options)  # type: ignore[arg-type]
    path = write_urdf(robot, folder / "out.urdf", options=settings, diagnostics=diagnostics).path
    return path, [each.code for each in diagnostics]


def check(robot: Robot, path: Path) -> None:
    """Both readers take the file, and Pinocchio has the links where they are."""
    truth = Truth(pin.buildModelFromXML(path.read_text("utf-8")))
    frames, wanted = truth.frames({}), forward_kinematics(read_robot(path))
    for link in robot.links:
        np.testing.assert_allclose(frames[link.name], wanted[link.name], atol=1e-9)
    if CHECK_URDF:
        subprocess.run([CHECK_URDF, str(path)], check=True, capture_output=True)


@pytest.mark.parametrize("name", TEXTS)
def test_ros_reads_what_was_another_format(tmp_path: Path, name: str) -> None:
    robot = read(tmp_path, name)
    path, codes = write(robot, tmp_path)
    check(robot, path)
    written = read_robot(path)
    limits = {each.name: each.limit for each in written.joints if each.limit is not None}
    assert {"h", "s"} <= limits.keys() and codes == []
    assert all(None not in (each.effort, each.velocity) for each in limits.values())
    before = {each.name for each in robot.links if each.inertial is None}
    after = {each.name for each in written.links if each.inertial is None}
    assert before <= after, "links without mass stay so"


def test_the_sample_gate(tmp_path: Path) -> None:
    gate = read_robot(ROOT / "sample_urdfs" / "gate.sdf")
    check(gate, write(gate, tmp_path)[0])


@pytest.mark.parametrize("name", TEXTS)
def test_capsules_are_cylinders_with_two_spheres(tmp_path: Path, name: str) -> None:
    robot = read(tmp_path, name)
    written = read_robot(write(robot, tmp_path)[0])
    (old,) = next(each for each in robot.links if each.name == "b").collisions
    shapes = next(each for each in written.links if each.name == "b").collisions
    assert isinstance(old.geometry, Capsule)
    assert [type(each.geometry) for each in shapes] == [Cylinder, Sphere, Sphere]
    ends = np.array([each.origin.xyz for each in shapes[1:]])
    np.testing.assert_allclose(ends.mean(0), old.origin.xyz, atol=1e-12)
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(old.geometry.length)
    pitch = old.origin.rpy[1]
    np.testing.assert_allclose(
        ends[0] - ends[1], [0.4 * np.sin(pitch), 0.0, 0.4 * np.cos(pitch)], atol=1e-12
    )


@pytest.mark.parametrize("name", TEXTS)
def test_it_may_be_left_as_it_is(tmp_path: Path, name: str) -> None:
    path, codes = write(read(tmp_path, name), tmp_path, complete=False)
    hinge = next(each for each in read_robot(path).joints if each.name == "h")
    assert hinge.limit is not None and None in (hinge.limit.effort, hinge.limit.velocity)
    assert codes == ["incomplete-for-others"]


@pytest.mark.parametrize("suffix", [".urdf", ".urdf.xacro"])
def test_urdf_stays_as_it_is(tmp_path: Path, suffix: str) -> None:
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit upper="1"/>'
    text = f'<robot name="r"><link name="a"/><link name="b"/>{joint}</joint></robot>'
    (tmp_path / f"r{suffix}").write_text(text)
    robot = read_robot(tmp_path / f"r{suffix}")
    path, codes = write(robot, tmp_path)
    assert read_robot(path).joints == robot.joints and codes == ["incomplete-for-others"]
    path, codes = write(robot, tmp_path, complete=True)
    limit = read_robot(path).joints[0].limit
    assert limit is not None and (limit.effort, limit.velocity, codes) == (1000.0, 10.0, [])
