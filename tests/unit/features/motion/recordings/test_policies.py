# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions as programs that train policies read them."""

from dataclasses import replace

import numpy as np
import pytest

from support.people import SAMPLE
from support.real_robots import ROOT
from urdf_importer import (
    ArgumentError,
    Diagnostics,
    FrameTrack,
    Trajectory,
    WriteError,
    forward_kinematics,
    read_robot,
    retarget,
    write_trajectory,
)
from urdf_importer.core.kinematics.forward import complete_positions
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.model import Limit, Mimic
from urdf_importer.features.motion.frames import interpolate_track, rotate

G1 = "g1_description/urdf/g1_29dof_rev_1_0.urdf"


@pytest.fixture(scope="module")
def robot():
    return read_robot(ROOT / G1, diagnostics=Diagnostics())


@pytest.fixture(scope="module")
def motion(robot):
    return retarget(SAMPLE, robot, diagnostics=Diagnostics()).trajectory


def test_unitree_rows_are_base_quaternion_and_joints_in_the_order_of_the_file(
    tmp_path, robot, motion
):
    write_trajectory(motion, tmp_path / "a.csv", layout="unitree", robot=robot)
    table = np.loadtxt(tmp_path / "a.csv", delimiter=",")
    assert table.shape == (len(motion.times), 36)
    assert table[:, :3] == pytest.approx(motion.frames[0].translations, abs=1e-5)
    assert np.linalg.norm(table[:, 3:7], axis=1) == pytest.approx(1.0, abs=1e-5)
    names = [joint.name for joint in robot.joints if joint.type == "revolute"]
    assert names[0] == "left_hip_pitch_joint"
    columns = [motion.names.index(name) for name in names]
    assert table[:, 7:] == pytest.approx(motion.positions[:, columns], abs=1e-5)


def test_unitree_keeps_the_order_of_files_that_are_not_written_depth_first(tmp_path, chain):
    limit = Limit(lower=-3.0, upper=3.0)
    robot = chain(*({"limit": limit} for _ in range(4)))
    third = replace(robot.joints[2], mimic=Mimic(joint="j1", multiplier=-2.0))
    robot = replace(robot, joints=(robot.joints[3], third, *robot.joints[:2]))
    names = ("j1", "j2", "j4")
    motion = Trajectory(names=names, times=[0.0], positions=[[0.1, 0.2, 0.4]])
    write_trajectory(motion, tmp_path / "a.csv", layout="unitree", robot=robot)
    assert np.loadtxt(tmp_path / "a.csv", delimiter=",")[7:].tolist() == [0.4, -0.2, 0.1, 0.2]


@pytest.mark.parametrize("name", ["talos_reduced", "romeo_small"])
def test_unitree_keeps_the_order_of_real_files(tmp_path, name):
    (path,) = ROOT.glob(f"**/{name}.urdf")
    robot = read_robot(path, diagnostics=Diagnostics())
    tree = retrace_tree(robot)
    scalar = [each.joint.name for each in tree.joint_motions if each.is_scalar]
    described = [joint.name for joint in robot.joints if joint.name in scalar]
    assert described != scalar
    free = [name for name in described if name not in tree.masters]
    value = {
        name: tree.motion_of[name].nearest_valid(0.001 * (place + 1))
        for place, name in enumerate(free)
    }
    motion = Trajectory(names=free, times=[0.0], positions=[list(value.values())])
    write_trajectory(motion, tmp_path / "a.csv", layout="unitree", robot=robot)
    row = np.loadtxt(tmp_path / "a.csv", delimiter=",")[7:]
    full = complete_positions(tree.joint_motions, value)
    assert row == pytest.approx([full[name] for name in described], abs=1e-6)


def test_tracked_bodies_are_where_forward_kinematics_has_them(tmp_path, robot, motion):
    write_trajectory(motion, tmp_path / "a.npz", layout="tracking", robot=robot)
    with np.load(tmp_path / "a.npz") as file:
        arrays = dict(file)
    bodies = arrays["body_names"].tolist()
    assert arrays["fps"].tolist() == [50.0]
    assert len(bodies) == 30
    assert bodies[0] == "pelvis"
    rows = (0, 133, 400)
    for row in rows:
        names, positions = arrays["joint_names"].tolist(), arrays["joint_pos"][row].tolist()
        frames = forward_kinematics(robot, dict(zip(names, positions, strict=True)))
        moved, turned = interpolate_track(motion.frames[0], np.array([row / 50.0]))
        for body, name in enumerate(bodies):
            where = moved[0] + rotate(turned, frames[name][None, :3, 3])[0]
            assert arrays["body_pos_w"][row, body] == pytest.approx(where, abs=1e-4)
    lin = np.gradient(arrays["body_pos_w"], 0.02, axis=0)
    assert arrays["body_lin_vel_w"] == pytest.approx(lin, abs=1e-2)
    w, x, y, z = np.moveaxis(arrays["body_quat_w"].astype(float), 2, 0)
    yaw = np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)), axis=0)
    spin = np.gradient(yaw[:, 0], 0.02)
    assert arrays["body_ang_vel_w"][:, 0, 2] == pytest.approx(spin, abs=0.2)


def test_isaacs_order_is_breadth_first(tmp_path, robot, motion):
    arrays = []
    for layout in ("tracking", "isaac"):
        write_trajectory(motion, tmp_path / f"{layout}.npz", layout=layout, robot=robot)
        with np.load(tmp_path / f"{layout}.npz") as file:
            arrays.append(dict(file))
    deep, broad = arrays
    # As Isaac Lab lists them for the G1.
    assert broad["joint_names"].tolist()[:9] == [
        "left_hip_pitch_joint", "right_hip_pitch_joint", "waist_yaw_joint",
        "left_hip_roll_joint", "right_hip_roll_joint", "waist_roll_joint",
        "left_hip_yaw_joint", "right_hip_yaw_joint", "waist_pitch_joint",
    ]  # fmt: skip
    assert broad["body_names"].tolist()[:3] == [
        "pelvis", "left_hip_pitch_link", "right_hip_pitch_link",
    ]  # fmt: skip
    for kind in ("joint", "body"):
        places = [deep[f"{kind}_names"].tolist().index(name) for name in broad[f"{kind}_names"]]
        for key in (key for key in deep if key.startswith(f"{kind}_") and "names" not in key):
            assert np.array_equal(broad[key], deep[key][:, places])


def test_a_turning_base_spins(tmp_path, robot):
    times = np.linspace(0.0, 1.0, 31)
    half = times * 0.75
    turns = np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=1)
    track = FrameTrack(
        parent="", child="", times=times, translations=np.zeros((31, 3)), quaternions=turns
    )
    motion = Trajectory(names=(), times=times, positions=np.empty((31, 0)), frames=(track,))
    write_trajectory(motion, tmp_path / "a.npz", layout="tracking", robot=robot)
    with np.load(tmp_path / "a.npz") as file:
        assert file["body_ang_vel_w"][:, 0] == pytest.approx(
            np.tile([0.0, 0.0, 1.5], (51, 1)), abs=1e-4
        )


def test_layouts_refuse_what_they_cannot_be(tmp_path, robot, motion):
    with pytest.raises(WriteError, match=r"is a \.csv file"):
        write_trajectory(motion, tmp_path / "a.npz", layout="unitree", robot=robot)
    with pytest.raises(WriteError, match="needs the robot"):
        write_trajectory(motion, tmp_path / "a.csv", layout="unitree")
    with pytest.raises(ArgumentError, match="layout"):
        write_trajectory(motion, tmp_path / "a.csv", layout="gmr", robot=robot)
    with pytest.raises(ArgumentError, match="rate"):
        write_trajectory(motion, tmp_path / "a.csv", layout="unitree", robot=robot, rate=0.0)
    assert not list(tmp_path.iterdir())
