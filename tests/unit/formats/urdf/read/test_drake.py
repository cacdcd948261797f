# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake's joints and shapes beyond URDF: read, posed and written back as they came."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.paths import TESTS
from urdf_importer import (
    Diagnostics,
    Robot,
    UrdfOptions,
    forward_kinematics,
    plan_rig,
    read_robot,
    write_urdf,
)
from urdf_importer.core.model import Capsule, Ellipsoid
from urdf_importer.core.reshape import rename

JOINTS, SHAPES = TESTS / "data" / "drake_joints.urdf", TESTS / "data" / "drake_shapes.urdf"
FREEDOM = {"l1": 3, "l2": 2, "l3": 1, "l4": 3}
"""Link -> degrees of freedom against the base."""


@pytest.fixture
def robot() -> Robot:
    diagnostics = Diagnostics()
    found = read_robot(JOINTS, diagnostics=diagnostics)
    assert not list(diagnostics)
    return found


def rewrite(robot: Robot, folder: Path, **options: Any) -> tuple[str, Robot]:
    written = write_urdf(robot, folder / "written.urdf", options=UrdfOptions(**options))
    return written.path.read_text(), read_robot(written.path)


def turn(axis: int, angle: float) -> np.ndarray:
    made = np.eye(3)
    one, other = (axis + 1) % 3, (axis + 2) % 3
    made[one, one] = made[other, other] = math.cos(angle)
    made[other, one] = math.sin(angle)
    made[one, other] = -made[other, one]
    return made


def test_degrees_of_freedom_and_places(robot: Robot) -> None:
    plan = plan_rig(robot)
    counts = {"spherical": 3, "planar": 3}
    free = sum(counts.get(joint.kind, 1) for joint in plan.joints if not joint.mimics)
    assert free == sum(FREEDOM.values())
    frames = forward_kinematics(robot)
    assert [frames[link][0, 3] for link in FREEDOM] == [1.0, 2.0, 3.0, 4.0]


def test_poses_are_drakes(robot: Robot) -> None:
    """UniversalJoint: R_FM = Rx Ry. ScrewJoint: the pitch is metres in a turn."""
    positions = {"universal": 0.3, "universal_axis2": -0.5, "screw": 1.5 * math.pi}
    frames = forward_kinematics(robot, positions)
    np.testing.assert_allclose(frames["l2"][:3, :3], turn(0, 0.3) @ turn(1, -0.5), atol=1e-15)
    np.testing.assert_allclose(frames["l3"][:3, 3], (3.0, 0.0, 0.75 * 0.02), atol=1e-15)
    np.testing.assert_allclose(frames["l3"][:3, :3], turn(2, 1.5 * math.pi), atol=1e-15)


@pytest.mark.parametrize("style", ["keep", "plain"])
@pytest.mark.parametrize("path", [JOINTS, SHAPES], ids=lambda path: path.stem)
def test_they_come_back(path: Path, style: str, tmp_path: Path) -> None:
    robot = read_robot(path)
    text, again = rewrite(robot, tmp_path, style=style)
    assert again == robot
    if style == "keep":
        assert text == path.read_text()
    for tag in ("<drake:joint", "<drake:capsule", "<drake:ellipsoid", "<drake:screw_thread_pitch"):
        assert text.count(tag) == path.read_text().count(tag)


def test_an_edit_touches_nothing_else(robot: Robot, tmp_path: Path) -> None:
    """Of the text, too: the screw's is the one joint whose line differs."""
    joints = tuple(
        replace(joint, origin=replace(joint.origin, xyz=(3.0, 0.0, 0.5)))
        if joint.name == "screw"
        else joint
        for joint in robot.joints
    )
    changed = replace(robot, joints=joints)
    text, again = rewrite(changed, tmp_path)
    assert again.joints == joints
    before, after = JOINTS.read_text().splitlines(), text.splitlines()
    assert [new for old, new in zip(before, after, strict=True) if old != new] == [
        before[8].replace('"3 0 0"', '"3 0 0.5"')
    ]


def test_new_names_go_with_them(robot: Robot, tmp_path: Path) -> None:
    named = rename(robot, prefix="left_")
    text, again = rewrite(named, tmp_path)
    assert '<drake:joint name="left_screw" type="screw">' in text and "_travel" not in text
    assert [joint.name for joint in again.joints] == [joint.name for joint in named.joints]


def test_other_programs_get_joints_of_one_axis(robot: Robot, tmp_path: Path) -> None:
    text, again = rewrite(robot, tmp_path, complete=True, style="plain")
    assert text.count("<drake:joint") == 1, "URDF has no ball"
    positions = {"universal": 0.3, "universal_axis2": -0.5, "screw": 2.0}
    for link, frame in forward_kinematics(robot, positions).items():
        np.testing.assert_allclose(forward_kinematics(again, positions)[link], frame, atol=1e-9)


READ = "<robot name='r'><link name='a'/><link name='b'/>{}</robot>"


@pytest.mark.parametrize("content, codes", [
    ("type='planar'><dynamics damping='1 2 3'/>", []),
    ("type='universal'><axis xyz='0 0 1'/><dynamics damping='0.1'/>", []),
    ("type='screw'><axis xyz='1 0 0'/><drake:screw_thread_pitch value='-0.04'/>", []),
    ("type='screw'><axis xyz='1 0 0'/>", ["screw-without-pitch"]),
    ("type='ball'><dynamics damping='0.1'/>", []),
    ("type='curvilinear'><drake:plane_normal xyz='1 0 0'/>", ["unknown-joint-type"]),
])  # fmt: skip
def test_all_that_a_joint_says_is_written_back(
    content: str, codes: list[str], read_text: Callable[[str], Any], tmp_path: Path
) -> None:
    ends = "<parent link='a'/><child link='b'/></drake:joint>"
    reading = read_text(READ.format(f"<drake:joint name='j' {content}{ends}"))
    plan_rig(reading.robot, diagnostics=(found := Diagnostics()))
    assert [item.code for item in (*reading.diagnostics, *found)] == codes
    text, again = rewrite(reading.robot, tmp_path, style="plain")
    assert again.joints == reading.robot.joints and text.count("<drake:joint") == 1
    for word in ("damping", "axis", "pitch", "plane_normal"):
        assert (word in text) == (word in content)


def test_names_that_are_taken(read_text: Callable[[str], Any], tmp_path: Path) -> None:
    joints = (
        "<link name='j_link'/><joint name='j_axis2' type='fixed'><parent link='b'/>"
        "<child link='j_link'/></joint><drake:joint name='j' type='universal'>"
        "<parent link='a'/><child link='b'/></drake:joint>"
    )
    robot = read_text(READ.format(joints)).robot
    assert len(forward_kinematics(robot)) == 4
    assert [joint.name for joint in robot.joints] == ["j_axis2", "j", "j_axis2_"]
    assert rewrite(robot, tmp_path, style="plain")[1].total_mass() == 0.0


def test_shapes() -> None:
    (link,) = read_robot(SHAPES).links
    assert [visual.geometry for visual in link.visuals] == [
        Capsule(radius=0.1, length=0.5),
        Ellipsoid(radii=(0.1, 0.2, 0.3)),
    ]
