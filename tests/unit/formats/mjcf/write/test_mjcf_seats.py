# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that stand away from the frames of their joints, as in SDF, are bodies in their own
frames."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.mjcf_models import close
from support.mujoco_truth import Compiled
from support.paths import ROOT
from urdf_importer import (
    ImportOptions,
    MjcfOptions,
    Robot,
    export_robot,
    forward_kinematics,
    read_robot,
)
from urdf_importer.core.model import Joint, Link, Pose

AWAY = Pose(xyz=(0.1, -0.2, 0.3), rpy=(0.4, 0.5, -0.6))
HALF = float(np.sqrt(0.5))
POSITIONS = {
    "revolute": 0.7,
    "continuous": -2.0,
    "prismatic": 0.3,
    "planar": (0.1, 0.2, 0.3),
    "ball": (0.5, -0.5, 0.5, 0.5),
    "floating": (1.0, 2.0, 3.0, HALF, 0.0, 0.0, HALF),
}


def chain(*kinds: str) -> Robot:
    names = [f"link{number}" for number in range(len(kinds) + 1)]
    joints = tuple(
        Joint(
            name=kind,
            type=kind,
            parent=names[number],
            child=names[number + 1],
            origin=Pose(xyz=(0.2, 0.1, 0.0), rpy=(0.3, 0.0, 0.2)),
            child_origin=AWAY,
            axis=None if kind in ("fixed", "ball", "floating") else (0.0, 0.6, 0.8),
        )
        for number, kind in enumerate(kinds)
    )
    return Robot(name="r", links=tuple(Link(name=name) for name in names), joints=joints)


@pytest.mark.parametrize(
    "kinds",
    [
        *((kind,) for kind in ("fixed", *POSITIONS)),
        ("revolute", "fixed", "ball", "prismatic"),
        ("fixed", "floating", "planar", "ball"),
        ("continuous", "floating"),
    ],
)
def test_bodies_stand_in_the_frames_of_their_links(kinds: tuple[str, ...], tmp_path: Path) -> None:
    robot, path = chain(*kinds), tmp_path / "robot.xml"
    given = {kind: POSITIONS[kind] for kind in kinds if kind != "fixed"}
    start = tuple(
        (name, ",".join(map(repr, np.atleast_1d(each).tolist()))) for name, each in given.items()
    )
    export_robot(robot, path, options=MjcfOptions(positions=start, small_mass=1.0))
    compiled = Compiled(path)
    for name, frame in compiled.frames({}).items():
        close(frame, forward_kinematics(robot).get(name, np.eye(4)))
    if start:
        compiled.key("start")
    for name, frame in forward_kinematics(robot, given).items():
        close(compiled.shown()[name], frame)


def test_a_gate_of_sdf_is_where_it_is(tmp_path: Path) -> None:
    robot = read_robot(ROOT / "sample_urdfs" / "gate.sdf", options=ImportOptions(model="gate"))
    away = replace(robot.joints[0], type="fixed", axis=None, limit=None)
    for each in (robot, replace(robot, joints=(away, *robot.joints[1:]), loops=())):
        path = tmp_path / "gate.xml"
        export_robot(each, path)
        shown = Compiled(path).frames({})
        for name, frame in forward_kinematics(each).items():
            if name in shown:
                close(shown[name], frame)
