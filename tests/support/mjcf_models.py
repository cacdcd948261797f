# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of MuJoCo in a line, and what MuJoCo's compiler says of the robots that they become."""

from pathlib import Path
from typing import Any

import numpy as np

from support.mujoco_truth import Compiled
from urdf_importer import Robot, forward_kinematics, read_robot
from urdf_importer.kinematics.forward import complete_positions
from urdf_importer.kinematics.tree import retrace_tree
from urdf_importer.reshape.inertia import body_of


def model(text: str, folder: Path, name: str = "model.xml") -> Path:
    path = folder / name
    path.write_text(f'<mujoco model="m">{text}</mujoco>')
    return path


def body(content: str, more: str = "") -> str:
    return f'<worldbody><body name="a" {more}>{content}</body></worldbody>'


def close(one: Any, other: Any, tolerance: float = 1e-6) -> None:
    np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def judge(path: Path, seed: int = 0) -> Robot:
    """Reads a model and holds it against MuJoCo's compiler."""
    robot, compiled = read_robot(path), Compiled(path)
    check_frames(robot, compiled, np.zeros(1))
    check_frames(robot, compiled, np.random.default_rng(seed).uniform(-1, 1, 200))
    close(robot.total_mass(), compiled.model.body_mass[1:].sum())
    for link in robot.links:
        if link.name in compiled.names("body") and link.name != "world":
            mass, center, tensor = compiled.inertia(link.name)
            assert (link.inertial is None) == (mass == 0.0), link.name
            if link.inertial is not None:
                found = body_of(link.inertial)
                close(found.mass, mass)
                close(found.center, center)
                assert np.abs(found.inertia - tensor).max() <= 1e-6 * np.abs(tensor).max() + 1e-15
    return robot


def check_frames(robot: Robot, compiled: Compiled, numbers: Any) -> None:
    tree = retrace_tree(robot)
    given: dict[str, Any] = {}
    for index, motion in enumerate(tree.joint_motions):
        name, number = motion.joint.name, float(numbers[index % len(numbers)])
        if motion.is_scalar and name in compiled.names("joint"):
            given[name] = number
        elif motion.is_scalar:  # One without a name stays where MuJoCo begins.
            given[name] = 0.0
        elif motion.kind == "spherical":
            turn = np.array([number, 0.3, -0.2, 1.0])
            given[name] = tuple(turn / np.linalg.norm(turn))
    positions = complete_positions(tree.joint_motions, given)
    theirs = {
        name: position if isinstance(position, float) else [position[3], *position[:3]]
        for name, position in positions.items()
        if name in compiled.names("joint")
    }
    shown, found = compiled.frames(theirs), forward_kinematics(robot, given)
    shared = shown.keys() & found.keys()
    assert shared
    for name in shared:
        close(found[name], shown[name])
