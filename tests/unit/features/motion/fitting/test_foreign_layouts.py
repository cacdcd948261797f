# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of other programs: columns without names, whose order and base are found."""

import json
from dataclasses import replace

import numpy as np
import pytest

from support.real_robots import ROOT
from urdf_importer import (
    Diagnostics,
    FrameTrack,
    KinematicsError,
    MotionOptions,
    ReadError,
    Trajectory,
    forward_kinematics,
    list_topics,
    read_robot,
    read_trajectory,
    write_trajectory,
)
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.features.motion.fitting.orders import joint_orders
from urdf_importer.features.motion.frames import rotate

G1 = "g1_description/urdf/g1_29dof_rev_1_0.urdf"
ROBOTS = ("g1_29dof_rev_1_0", "talos_reduced", "romeo_small", "solo12", "panda")


def robot_called(name):
    path = sorted(ROOT.glob(f"**/{name}.urdf"))[0]
    return read_robot(path, diagnostics=Diagnostics())


@pytest.fixture(scope="module")
def robot():
    return read_robot(ROOT / G1, diagnostics=Diagnostics())


def moving(robot, seconds=1.0, rate=50.0, share=0.3):
    """A motion of all independent joints within their limits, and of the base."""
    tree = retrace_tree(robot)
    free = [n for n in joint_orders(tree)["file"] if n not in tree.masters]
    times = np.arange(round(seconds * rate) + 1) / rate
    ends = np.array([np.clip(tree.motion_of[name].ends, -3.0, 3.0) for name in free])
    phase = np.arange(len(free))
    swing = 0.5 + 0.5 * share * np.sin(3 * times[:, None] + phase)
    positions = ends[:, 0] + swing * (ends[:, 1] - ends[:, 0])
    half = 0.4 * np.sin(times)
    turns = np.stack([0.6 * np.sin(half), 0 * half, 0.8 * np.sin(half), np.cos(half)], axis=1)
    moved = np.stack([times, 0.1 * times, 0.8 + 0 * times], axis=1)
    root = tree.links[0].name
    track = FrameTrack(
        parent="world", child=root, times=times, translations=moved, quaternions=turns
    )
    return Trajectory(names=tuple(free), times=times, positions=positions, frames=(track,))


def assert_same(found, motion):
    for name in motion.names:
        got = found.positions[:, found.names.index(name)]
        assert got == pytest.approx(motion.positions[:, motion.names.index(name)], abs=1e-6)
    (track,), (wanted,) = found.frames, motion.frames
    assert track.translations == pytest.approx(wanted.translations, abs=1e-6)
    sign = np.sign((track.quaternions * wanted.quaternions).sum(axis=1))[:, None]
    assert track.quaternions * sign == pytest.approx(wanted.quaternions, abs=1e-6)


def without_names(path):
    with np.load(path) as file:
        arrays = {key: file[key] for key in file.files if not key.endswith("_names")}
    np.savez(path, **arrays)
    return arrays


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("layout", ["tracking", "isaac"])
def test_the_order_of_joints_is_found_by_the_bodies(tmp_path, name, layout):
    robot = robot_called(name)
    motion = moving(robot)
    path = tmp_path / "a.npz"
    write_trajectory(motion, path, layout=layout, robot=robot)
    without_names(path)
    diagnostics = Diagnostics()
    found = read_trajectory(path, robot=robot, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["order-found"]
    assert_same(found, motion)
    assert found.velocities is not None


@pytest.mark.parametrize("layout", ["tracking", "isaac"])
def test_bodies_by_the_joints_as_read_are_where_the_file_has_them(tmp_path, robot, layout):
    path = tmp_path / "a.npz"
    write_trajectory(moving(robot), path, layout=layout, robot=robot)
    with np.load(path) as file:
        names, places = file["body_names"].tolist(), file["body_pos_w"]
    without_names(path)
    found = read_trajectory(path, robot=robot, diagnostics=Diagnostics())
    (track,) = found.frames
    for row in (0, 17, 50):
        positions = dict(zip(found.names, found.positions[row].tolist(), strict=True))
        frames = forward_kinematics(robot, positions)
        for body, name in enumerate(names):
            turned = rotate(track.quaternions[row : row + 1], frames[name][None, :3, 3])[0]
            where = track.translations[row] + turned
            assert places[row, body] == pytest.approx(where, abs=1e-4)


@pytest.mark.parametrize("layout", ["tracking", "isaac"])
def test_names_in_the_file_win_and_need_no_robot(tmp_path, robot, layout):
    motion = moving(robot)
    write_trajectory(motion, tmp_path / "a.npz", layout=layout, robot=robot)
    assert_same(read_trajectory(tmp_path / "a.npz"), motion)
    assert_same(read_trajectory(tmp_path / "a.npz", robot=robot), motion)
    assert list_topics(tmp_path / "a.npz")[0].count == 51


def test_quaternions_of_either_kind_are_found(tmp_path, robot):
    motion, path = moving(robot), tmp_path / "a.npz"
    write_trajectory(motion, path, layout="isaac", robot=robot)
    arrays = without_names(path)
    arrays["body_quat_w"] = arrays["body_quat_w"][:, :, [1, 2, 3, 0]]
    kept = [0, 3, 9, 21]
    for key in ("body_quat_w", "body_pos_w"):
        arrays[key] = arrays[key][:, kept]
    np.savez(path, **arrays)
    assert_same(read_trajectory(path, robot=robot, diagnostics=Diagnostics()), motion)


def test_an_order_that_cannot_be_found_is_the_files_with_a_warning(tmp_path, robot):
    motion, path = moving(robot, share=1e-4), tmp_path / "a.npz"
    still = replace(motion, positions=np.zeros_like(motion.positions))
    write_trajectory(still, path, layout="isaac", robot=robot)
    without_names(path)
    diagnostics = Diagnostics()
    found = read_trajectory(path, robot=robot, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["order-unclear"]
    assert found.names == tuple(joint_orders(retrace_tree(robot))["file"])
    wanted = MotionOptions(order="isaac")
    found = read_trajectory(path, robot=robot, options=wanted)
    assert found.names == tuple(joint_orders(retrace_tree(robot))["isaac"])


def test_another_robots_bodies_are_reported(tmp_path, robot):
    path = tmp_path / "a.npz"
    write_trajectory(moving(robot), path, layout="tracking", robot=robot)
    arrays = without_names(path)
    arrays["body_pos_w"] = arrays["body_pos_w"] * 1.5
    np.savez(path, **arrays)
    diagnostics = Diagnostics()
    read_trajectory(path, robot=robot, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["bodies-differ"]


def test_unitrees_table_is_read_as_it_is_written(tmp_path, robot):
    motion, path = moving(robot, rate=30.0), tmp_path / "walk.csv"
    write_trajectory(motion, path, layout="unitree", robot=robot)
    walk = read_trajectory(path, robot=robot)
    assert_same(walk, motion)
    assert walk.times == pytest.approx(motion.times)
    slow = read_trajectory(path, robot=robot, options=MotionOptions(rate=15))
    assert slow.times[-1] == pytest.approx(2.0)
    with pytest.raises(ReadError, match="it names no joints; name the robot"):
        read_trajectory(path)


def layouts_of(motion):
    """Every other layout, by hand as their programs write them."""
    moved, turned = motion.frames[0].translations, motion.frames[0].quaternions
    scalar_first = turned[:, [3, 0, 1, 2]]
    joints = motion.positions
    return {
        "amp.npz": {
            "fps": 50, "dof_positions": joints, "dof_velocities": 0 * joints,
            "dof_names": np.array(motion.names), "body_names": np.array(["pelvis"]),
            "body_positions": moved[:, None], "body_rotations": scalar_first[:, None],
        },
        "gmr.npz": {"fps": 50.0, "root_pos": moved, "root_rot": turned, "dof_pos": joints},
        "mujoco.npz": {"fps": 50, "qpos": np.hstack([moved, scalar_first, joints])},
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["<f4", "<f8"])
def test_arrays_of_other_programs_are_read(tmp_path, robot, kind):
    motion = moving(robot)
    deep = joint_orders(retrace_tree(robot))["mujoco"]
    motion = motion.select(deep)
    for name, arrays in layouts_of(motion).items():
        path = tmp_path / name
        typed = {k: v.astype(kind) if np.asarray(v).dtype.kind == "f" and np.ndim(v) else v
                 for k, v in arrays.items()}  # fmt: skip
        np.savez(path, **typed)
        options = MotionOptions(order="auto" if "mujoco" in name or "amp" in name else "mujoco")
        found = read_trajectory(path, robot=robot, options=options, diagnostics=Diagnostics())
        assert_same(found, motion)
        assert found.times == pytest.approx(motion.times)
    path = tmp_path / "q.npy"
    np.save(path, typed["qpos"])
    assert_same(read_trajectory(path, robot=robot, options=MotionOptions(rate=50)), motion)
    with pytest.raises(ReadError, match="it has no times"):
        read_trajectory(path, robot=robot)


def test_amps_frames_are_read_and_the_rest_passed_over(tmp_path, robot):
    motion = moving(robot)
    moved, turned = motion.frames[0].translations, motion.frames[0].quaternions
    rows = np.hstack([moved, turned, motion.positions, np.ones((len(moved), 12))])
    for name in ("m.txt", "m.json"):
        path = tmp_path / name
        path.write_text(json.dumps({"LoopMode": "Wrap", "FrameDuration": 0.02,
                                    "Frames": rows.tolist()}))  # fmt: skip
        assert_same(read_trajectory(path, robot=robot), motion)


@pytest.mark.parametrize("rest", ["[" * 3_000_000, "1," * 20_000_000], ids=["rows", "numbers"])
def test_frames_of_too_many_numbers_are_not_parsed(tmp_path, robot, rest):
    path = tmp_path / "amp.json"
    path.write_text('{"Frames": [' + rest)
    with pytest.raises(ReadError, match="Frames have more than 16,777,216 numbers"):
        read_trajectory(path, robot=robot)


def test_widths_that_fit_no_robot_are_refused_with_both_counts(tmp_path, robot):
    path = tmp_path / "a.npz"
    np.savez(path, fps=50, dof_pos=np.zeros((3, 28)))
    with pytest.raises((ReadError, KinematicsError), match="it has 28 joints, the robot 29"):
        read_trajectory(path, robot=robot)
    np.savez(path, fps=50, dof_pos=np.zeros((3, 29)), root_pos=np.zeros((3, 3)),
             root_rot=np.zeros((3, 4)))  # fmt: skip
    with pytest.raises(ReadError, match="quaternion of its base has the length 0"):
        read_trajectory(path, robot=robot)


def test_no_pickle_is_opened(tmp_path, robot):
    class Bomb:
        def __reduce__(self):
            return (print, ("a program ran",))

    for name in ("m.pkl", "m.pt"):
        (tmp_path / name).write_bytes(b"\x80\x04.")
        with pytest.raises(ReadError, match="a pickle can run any program"):
            read_trajectory(tmp_path / name, robot=robot)
    path = tmp_path / "m.npz"
    np.savez(path, fps=50, dof_pos=np.array([Bomb()], dtype=object))
    with pytest.raises(ReadError, match="holds objects: a pickle can run any program"):
        read_trajectory(path, robot=robot)
    np.save(tmp_path / "m.npy", np.array([Bomb()], dtype=object))
    with pytest.raises(ReadError, match="a pickle can run any program"):
        read_trajectory(tmp_path / "m.npy", robot=robot)
