# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions as programs that train policies read them: a table without a heading, and arrays without
names.

unitree   rows of x, y, z, a quaternion x, y, z, w, and the joints in the order of the description
tracking  fps; joint_pos, joint_vel (m, n); body_pos_w (m, b, 3), body_quat_w (m, b, 4) as w, x, y,
          z, body_lin_vel_w, body_ang_vel_w (m, b, 3) of the links that joints move, in the world
isaac     the same, breadth first

Readers take joints and bodies by their places: MuJoCo's order, depth first, or Isaac Lab's. Their
names are added to the arrays; the readers pass over them.
"""

import io
from typing import Any

import numpy as np

from ....core.arguments import choice_of
from ....core.diagnostics import WriteError, quote
from ....core.geometry.transforms import quaternion_from_rotation, rotation_from_quaternion
from ....core.kinematics.many_frames import BasePoses, JointedBodies
from ....core.kinematics.tree import KinematicTree, retrace_tree
from ....core.model import Robot
from ..fitting.orders import breadth_first, joint_orders
from ..frames import align_signs, find_base, interpolate_track, join_seated, multiply, seat_tracks
from ..trajectory import Numbers, Trajectory

_SUFFIXES = {"unitree": ".csv", "tracking": ".npz", "isaac": ".npz"}
RATES = {"unitree": 30.0, "tracking": 50.0, "isaac": 50.0}
"""Samples per second where none are asked for: the rates that the readers expect."""
_MOST = 2**24


def format_policy(trajectory: Trajectory, robot: Robot, layout: str, rate: float) -> bytes:
    """Returns the bytes of a file in a layout, at `rate` samples per second. Joints without a
    sample are at zero, or at their nearest limit. Raises WriteError."""
    tree = retrace_tree(robot)
    names = joint_orders(tree)["file" if layout == "unitree" else "mujoco"]
    motions = [tree.motion_of[name] for name in names]
    times = np.arange(int(np.floor(trajectory.duration * rate + 1e-3)) + 1) / rate
    if len(times) * len(tree.links) * 40 > _MOST:
        raise WriteError("the motion is too long for this layout; cut it into parts")
    table = np.tile([each.nearest_valid(0.0) for each in motions], (len(times), 1))
    for name in set(names) & set(trajectory.names):
        own = trajectory.positions[:, trajectory.names.index(name)]
        known = np.isfinite(own)
        if known.any():
            table[:, names.index(name)] = np.interp(times, trajectory.times[known], own[known])
    for column, name in enumerate(names):
        mimic = tree.masters.get(name)
        if mimic is not None and mimic.joint in names:
            source = table[:, names.index(mimic.joint)]
            table[:, column] = mimic.multiplier * source + mimic.offset
    base = _base_of(trajectory, tree, times)
    if layout == "unitree":
        text = io.StringIO()
        np.savetxt(text, np.concatenate([*base, table], axis=1), fmt="%.6f", delimiter=",")
        return text.getvalue().encode()
    arrays = _track_bodies(tree, (names, table), base, rate)
    if layout == "isaac":
        _sort_by_depth(tree, arrays)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _base_of(
    trajectory: Trajectory, tree: KinematicTree, times: Numbers
) -> tuple[Numbers, Numbers]:
    """Returns places (m, 3) and quaternions (m, 4) of the base; at the origin where nothing moves
    it."""
    root = tree.links[JointedBodies(tree).root].name
    track = find_base(trajectory.frames, [root], "")
    if track is None:
        track = join_seated(seat_tracks(trajectory.frames, tree), times)
    if track is None:
        return np.zeros((len(times), 3)), np.tile([0.0, 0.0, 0.0, 1.0], (len(times), 1))
    moved, turned = interpolate_track(track, times)
    return moved, align_signs(turned)


def _sort_by_depth(tree: KinematicTree, arrays: dict[str, Any]) -> None:
    """Puts joints and bodies beside each other that have as many bodies above them."""
    for kind, index in (("joint", tree.joint_index), ("body", tree.index)):
        places = [index[name] for name in arrays[f"{kind}_names"].tolist()]
        order = breadth_first(tree, places)
        for key in [key for key in arrays if key.startswith(kind)]:
            axis = min(arrays[key].ndim - 1, 1)
            arrays[key] = np.take(arrays[key], order, axis=axis)


def _track_bodies(
    tree: KinematicTree,
    joints: tuple[list[str], Numbers],
    base: tuple[Numbers, Numbers],
    rate: float,
) -> dict[str, Any]:
    """Returns the arrays of the layout tracking."""
    names, table = joints
    machine = JointedBodies(tree, keeps_locked=True)
    turned = np.array([rotation_from_quaternion(each) for each in base[1].tolist()])
    columns = [names.index(name) for name in machine.names]
    pose = machine.pose(table[:, columns], BasePoses(origins=base[0], turns=turned))
    bodies = range(len(machine.places))
    poses = np.empty((len(table), len(bodies), 7))
    for body in bodies:
        seat = machine.frames[machine.places[body]]
        poses[:, body, :3] = pose.locate(body, seat[:3, 3])
        found = [quaternion_from_rotation(each) for each in pose.turns[:, body] @ seat[:3, :3]]
        poses[:, body, 3:] = align_signs(np.array(found))
    step = 1.0 / rate
    turns = poses[:, :, 3:]
    arrays: dict[str, Any] = {
        "fps": np.array([rate]),
        "joint_pos": table,
        "joint_vel": _slopes(table, step),
        "body_pos_w": poses[:, :, :3],
        "body_quat_w": turns[:, :, [3, 0, 1, 2]],
        "body_lin_vel_w": _slopes(poses[:, :, :3], step),
        "body_ang_vel_w": _spins(turns, step),
    }
    arrays = {key: array.astype(np.float32) for key, array in arrays.items()}
    arrays["joint_names"] = np.array(names, dtype=str)
    arrays["body_names"] = np.array([tree.links[at].name for at in machine.places], dtype=str)
    return arrays


def _slopes(values: Numbers, step: float) -> Numbers:
    """Returns central differences, one-sided ones at the ends."""
    return np.zeros_like(values) if len(values) < 2 else np.gradient(values, step, axis=0)


def _spins(turns: Numbers, step: float) -> Numbers:
    """Returns angular velocities (m, b, 3) in the world, by central differences."""
    count = len(turns)
    spins = np.zeros((*turns.shape[:2], 3))
    if count < 2:
        return spins
    before = np.maximum(np.arange(count) - 1, 0)
    after = np.minimum(np.arange(count) + 1, count - 1)
    for body in range(turns.shape[1]):
        inverse = turns[before, body] * [-1.0, -1.0, -1.0, 1.0]
        change = multiply(turns[after, body], inverse)
        change *= np.where(change[:, 3:] < 0, -1.0, 1.0)
        sine = np.linalg.norm(change[:, :3], axis=1)
        angle = 2.0 * np.arctan2(sine, change[:, 3])
        scale = np.where(sine > 1e-9, angle / np.maximum(sine, 1e-9), 2.0)
        spins[:, body] = change[:, :3] * (scale / ((after - before) * step))[:, None]
    return spins


def check_layout(layout: str, suffix: str) -> None:
    """Raises ArgumentError for a layout that does not exist, WriteError for one in another kind of
    file."""
    wanted = _SUFFIXES[choice_of(layout, "layout", tuple(_SUFFIXES))]
    if suffix != wanted:
        raise WriteError(f"the layout {layout} is a {wanted} file, not {quote(suffix)}")
