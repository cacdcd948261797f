# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics against an independent library."""

import numpy as np
import pytest
from hypothesis import given, settings

from support.pinocchio_truth import Truth
from support.real_robots import descriptions, name_of
from support.strategies import Wishes, robots_with_positions, write_robot_text
from urdf_importer import Diagnostics, KinematicsError, ReadError, forward_kinematics, read_robot
from urdf_importer.core.kinematics.forward import complete_positions
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.model import Joint, Link, Robot


def all_positions(robot, positions):
    """Also those of joints that mimic others, which Pinocchio does not know."""
    return complete_positions(plan_tree(robot, Diagnostics()).joint_motions, positions)


@settings(max_examples=100)
@given(robots_with_positions(Wishes(readable_by_pinocchio=True)))
def test_any_robot_stands_as_pinocchio_says(robot_and_positions):
    robot, positions = robot_and_positions
    frames = forward_kinematics(robot, positions)
    for name, wanted in (
        Truth.of_text(write_robot_text(robot)).frames(all_positions(robot, positions)).items()
    ):
        assert frames[name] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("path", descriptions(), ids=name_of)
def test_real_robot_stands_as_pinocchio_says(path):
    try:
        robot = read_robot(path)
    except ReadError as error:
        assert path.stem == "ur3" and "no links" in str(error)
        return
    truth = Truth.of_file(path)
    generator = np.random.default_rng(0)
    motions = plan_tree(robot, Diagnostics()).joint_motions
    for _ in range(3):
        positions = {
            m.joint.name: float(generator.uniform(m.lower or -3.0, m.upper or 3.0))
            for m in motions
            if m.is_scalar
        }
        frames = forward_kinematics(robot, positions)
        for name, wanted in truth.frames(all_positions(robot, positions)).items():
            if name in frames:
                assert frames[name] == pytest.approx(wanted, abs=1e-9)


def test_read_of_written_is_the_same_robot(tmp_path):
    @settings(max_examples=60)
    @given(robots_with_positions(Wishes(awkward_names=True, missing_limits=True)))
    def check(robot_and_positions):
        robot, _ = robot_and_positions
        path = tmp_path / "robot.urdf"
        path.write_text(write_robot_text(robot), encoding="utf-8")
        assert read_robot(path) == robot

    check()


def robot_of(kind):
    joint = Joint(name="j", type=kind, parent="a", child="b", axis=(0.0, 0.0, 1.0))
    return Robot(name="r", links=(Link(name="a"), Link(name="b")), joints=(joint,))


@pytest.mark.parametrize(
    ("kind", "position"),
    [("revolute", (1.0, 2.0)), ("planar", 1.0), ("floating", (0.0,) * 6), ("continuous", np.inf)],
)
def test_positions_of_the_wrong_kind_are_refused(kind, position):
    with pytest.raises(KinematicsError, match="finite number"):
        forward_kinematics(robot_of(kind), {"j": position})


def test_unknown_joint_is_refused():
    with pytest.raises(KinematicsError, match="no joint 'ghost'"):
        forward_kinematics(robot_of("revolute"), {"ghost": 1.0})


def test_planar_joint_slides_in_the_plane_and_turns_about_its_normal():
    frame = forward_kinematics(robot_of("planar"), {"j": (1.0, 2.0, np.pi / 2)})["b"]
    assert frame[:3, 3] == pytest.approx([1.0, 2.0, 0.0])
    assert frame[:3, 0] == pytest.approx([0.0, 1.0, 0.0])


def test_floating_joint_takes_a_pose():
    frame = forward_kinematics(robot_of("floating"), {"j": (1.0, 2.0, 3.0, 0.0, 0.0, 2.0, 0.0)})[
        "b"
    ]
    assert frame[:3, 3] == pytest.approx([1.0, 2.0, 3.0])
    assert frame[:3, :3] == pytest.approx(np.diag([-1.0, -1.0, 1.0]))


def test_ball_joint_turns_freely():
    half = np.sqrt(0.5)
    frame = forward_kinematics(robot_of("ball"), {"j": (half, 0.0, 0.0, half)})["b"]
    assert frame[:3, 1] == pytest.approx([0.0, 0.0, 1.0])
