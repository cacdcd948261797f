# SPDX-License-Identifier: GPL-3.0-or-later
"""The same linkages in every notation that has loops: SDF, Gazebo's, Isaac's and Drake's of URDF,
MJCF, SimMechanics."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from support.linkage_texts import NOTATIONS, moved
from support.linkages import four_bar, gap_of, hinge, make_robot, slider_crank
from urdf_importer import Robot, forward_kinematics, read_robot
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.kinematics.loops import close_loops, find_freedom
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.model import Joint, Limit, LoopJoint, Pose
from urdf_importer.core.reshape.seat import seat_links
from urdf_importer.formats.urdf.read.robot import read_robot_text
from urdf_importer.formats.urdf.write.plain import write_robot_text

LENGTH = st.floats(0.3, 1.5)
ANGLE = st.floats(-3.0, 3.0)
TURN = st.floats(-0.6, 0.6)


def cylinder(reach: float, arm: float, angle: float) -> Robot:
    """A boom on a hinge, pushed by a rod that slides in a barrel on another one."""
    foot, tip = np.array([reach, 0.0]), arm * np.array([math.cos(angle), math.sin(angle)])
    way = tip - foot
    length, bearing = float(np.hypot(*way)), math.atan2(way[1], way[0])
    joints = [
        hinge("boom_pin", "base", "boom", (0.0, 0.0, 0.0), angle),
        hinge("barrel_pin", "base", "barrel", (reach, 0.0, 0.0), bearing),
        Joint(
            name="stroke", type="prismatic", parent="barrel", child="rod", axis=(1.0, 0.0, 0.0),
            origin=Pose(xyz=(0.4 * length, 0.0, 0.0)), limit=Limit(lower=-9.0, upper=9.0),
        ),
    ]  # fmt: skip
    loop = LoopJoint(
        name="eye", type="revolute", link1="rod", link2="boom", axis=(0.0, 0.0, 1.0),
        origin1=Pose(xyz=(0.6 * length, 0.0, 0.0)), origin2=Pose(xyz=(arm, 0.0, 0.0)),
    )  # fmt: skip
    return make_robot(joints, [loop])


def tilted(robot: Robot, roll: float, yaw: float) -> Robot:
    """The linkage on a plate that stands askew, so that no frame is the model's."""
    plate = Joint(
        name="plate", type="fixed", parent="floor", child="base",
        origin=Pose(xyz=(0.2, -0.1, 0.5), rpy=(roll, 0.4, yaw)),
    )  # fmt: skip
    return make_robot([plate, *robot.joints], robot.loops)


LINKAGES = st.one_of(
    st.builds(four_bar, LENGTH, LENGTH, LENGTH, LENGTH, ANGLE),
    st.builds(lambda a, b, angle: four_bar(a, b, a, b, angle), LENGTH, LENGTH, ANGLE),
    st.builds(slider_crank, st.floats(0.2, 0.8), st.floats(1.0, 2.0), st.floats(-0.1, 0.1)),
    st.builds(cylinder, st.floats(0.6, 1.5), st.floats(0.3, 0.5), st.floats(0.5, 2.6)),
)


@settings(max_examples=12)
@given(LINKAGES, st.floats(-1.5, 1.5), ANGLE, TURN)
def test_all_say_one_mechanism(
    tmp_path_factory: pytest.TempPathFactory,
    linkage: Robot | None,
    roll: float,
    yaw: float,
    turn: float,
) -> None:
    assume(linkage is not None)
    assert linkage is not None
    robot = tilted(linkage, roll, yaw)
    free = linkage.joints[0].name
    assume(find_freedom(retrace_tree(robot)).free == (free,))
    closed = close_loops(robot, {free: turn})
    assume(closed.reached and closed.gap < 1e-9)
    wanted = moved(robot, {free: turn})
    folder = tmp_path_factory.mktemp("notations")
    for name, (suffix, write) in NOTATIONS.items():
        path = folder / f"{name.replace(' ', '_')}{suffix}"
        path.write_text(write(robot), encoding="utf-8")
        again = read_robot(path)
        assert len(again.loops) == 1, name
        (driven,) = find_freedom(retrace_tree(again)).free
        assert driven.startswith(free), name
        assert gap_of(again, {}) < 1e-9, name
        found = moved(again, {driven: turn})
        for link, motion in wanted.items():
            assert np.abs(found[link] - motion).max() < 1e-6, (name, link)
        if not again.text:
            back = read_robot_text(
                write_robot_text(seat_links(again)).encode(), "back.urdf", Diagnostics()
            )
            returned = moved(back, {driven: turn})
            assert all(np.abs(returned[link] - found[link]).max() < 1e-9 for link in found), name


BAR = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_closing_changes_nothing_at_zero(notation: str, tmp_path: Path) -> None:
    assert BAR is not None
    suffix, write = NOTATIONS[notation]
    path = tmp_path / f"bar{suffix}"
    path.write_text(write(BAR), encoding="utf-8")
    robot = read_robot(path)
    closed, open_ = (forward_kinematics(robot, close_loops=flag) for flag in (True, False))
    for name, frame in closed.items():
        assert np.abs(frame - open_[name]).max() < 1e-9
