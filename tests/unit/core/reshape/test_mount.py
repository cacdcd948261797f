# SPDX-License-Identifier: GPL-3.0-or-later
"""External axes below robots, and off again to the same bytes."""

from pathlib import Path

import numpy as np
import pytest

from support.arm_chains import ARMS
from support.paths import ROOT
from urdf_importer import (
    KinematicsError,
    Pose,
    RobotError,
    forward_kinematics,
    read_robot,
    write_urdf,
)
from urdf_importer.core import reshape
from urdf_importer.core.kinematics.tree import retrace_tree

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
RAIL = reshape.MountedAxis(axis=(0, 1, 0), lower=-1.0, upper=2.0, velocity=1.5)
TABLE = reshape.MountedAxis(
    kind="rotary", axis=(0, 0, 1), lower=-3.0, upper=3.0, velocity=1.0, origin=Pose(xyz=(0, 0, 0.5))
)
WORLD = (
    '<robot name="a"><link name="world"/><link name="base"/><link name="arm"/>'
    '<joint name="fix" type="fixed"><parent link="world"/><child link="base"/></joint>'
    '<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/>'
    '<axis xyz="0 0 1"/></joint></robot>'
)


@pytest.mark.parametrize("path", [*SAMPLES, ARMS[0].path, ARMS[1].path], ids=lambda p: p.stem)
def test_two_axes_on_and_off_give_the_same_bytes(path: Path, tmp_path: Path) -> None:
    robot = read_robot(path)
    if retrace_tree(robot).parents.count(-1) > 1:
        with pytest.raises(KinematicsError, match="root links"):
            reshape.mount(robot, "rail", RAIL)
        return
    write_urdf(robot, tmp_path / "before.urdf")
    mounted = reshape.mount(reshape.mount(robot, "rail", RAIL), "table", TABLE)
    write_urdf(mounted, tmp_path / "mounted.urdf")
    for given in (mounted, read_robot(tmp_path / "mounted.urdf")):
        again = reshape.unmount(reshape.unmount(given, "table"), "rail")
        write_urdf(again, tmp_path / "after.urdf")
        assert (tmp_path / "after.urdf").read_bytes() == (tmp_path / "before.urdf").read_bytes()


def test_the_robot_stands_on_the_axis() -> None:
    robot = ARMS[0].robot
    mounted = reshape.mount(reshape.mount(robot, "rail", RAIL), "table", TABLE)
    before = forward_kinematics(robot, {})["panda_hand"]
    after = forward_kinematics(mounted, {"rail": 0.7, "table": np.pi / 2})["panda_hand"]
    turned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    wanted = turned @ (before[:3, 3] + (0.0, 0.7, 0.0)) + (0.0, 0.0, 0.5)
    assert after[:3, 3] == pytest.approx(wanted, abs=1e-12)


def test_a_root_called_world_stays_the_root(tmp_path: Path) -> None:
    (tmp_path / "a.urdf").write_text(WORLD)
    robot = read_robot(tmp_path / "a.urdf")
    mounted = reshape.mount(robot, "rail", RAIL)
    ways = {joint.name: (joint.parent, joint.child) for joint in mounted.joints}
    assert ways["rail"] == ("world", "rail_base") and ways["fix"] == ("rail_base", "base")
    assert reshape.unmount(mounted, "rail") == robot
    both = reshape.mount(mounted, "table", TABLE)
    with pytest.raises(KinematicsError, match="axis 'rail' is not the lowest"):
        reshape.unmount(both, "rail")
    assert reshape.unmount(reshape.unmount(both, "table"), "rail") == robot


def test_refusals() -> None:
    robot = ARMS[0].robot
    mounted = reshape.mount(robot, "rail", RAIL)
    with pytest.raises(KinematicsError, match="has a joint 'rail' already"):
        reshape.mount(mounted, "rail", RAIL)
    with pytest.raises(KinematicsError, match="no axis 'panda_joint1' is mounted"):
        reshape.unmount(mounted, "panda_joint1")
    with pytest.raises(KinematicsError, match="is not the lowest"):
        reshape.unmount(reshape.mount(mounted, "table", TABLE), "rail")
    with pytest.raises(KinematicsError, match="the upper limit must be above"):
        reshape.MountedAxis(lower=1.0, upper=1.0)
    with pytest.raises(KinematicsError, match="the velocity must be above zero"):
        reshape.MountedAxis(velocity=0.0)
    with pytest.raises(KinematicsError, match="three numbers that are not all zero"):
        reshape.MountedAxis(axis=(0, 0, 0))
    for wrong in (5, (1, 0), "xyz", None):
        with pytest.raises(RobotError, match="; it must be 3 numbers"):
            reshape.MountedAxis(axis=wrong)
    with pytest.raises(KinematicsError, match="the origin must be a Pose, not None"):
        reshape.MountedAxis(origin=None)
    for name in (5, "", None):
        with pytest.raises(KinematicsError, match=f"an axis needs a name, not {name!r}"):
            reshape.mount(robot, name, RAIL)
    with pytest.raises(KinematicsError, match="an axis must be a MountedAxis, not None"):
        reshape.mount(robot, "a", None)


@pytest.mark.parametrize(
    "joint, link",
    [("fixed", ""), ("prismatic", '<visual><geometry><sphere radius="1"/></geometry></visual>'),
     ("prismatic", '<inertial><mass value="1"/></inertial>')],
)  # fmt: skip
def test_parts_that_were_never_mounted_stay(tmp_path: Path, joint: str, link: str) -> None:
    """A link that is called like the base of an axis, and is a part of the robot."""
    (tmp_path / "a.urdf").write_text(
        f'<robot name="a"><link name="rail_base">{link}</link><link name="arm"/>'
        f'<joint name="rail" type="{joint}"><parent link="rail_base"/><child link="arm"/>'
        '<axis xyz="1 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>'
    )
    with pytest.raises(KinematicsError, match="no axis 'rail' is mounted"):
        reshape.unmount(read_robot(tmp_path / "a.urdf"), "rail")
