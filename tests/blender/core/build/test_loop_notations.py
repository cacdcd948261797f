# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage in every notation for loops: the rigs move alike."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.linkage_texts import NOTATIONS, moved
from support.linkages import four_bar, slider_crank
from urdf_importer import import_robot, link_pose, set_joint_positions
from urdf_importer.core.blender.standing.joints import joints_of

pytestmark = pytest.mark.usefixtures("scene")

LINKAGES = {"four bar": four_bar(0.25, 0.9, 0.6, 1.0, 0.4), "slider": slider_crank(0.3, 0.8, 0.05)}


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_rigs_move_alike(notation: str, linkage: str, tmp_path: Path) -> None:
    robot = LINKAGES[linkage]
    assert robot is not None
    suffix, write = NOTATIONS[notation]
    path = tmp_path / f"linkage{suffix}"
    path.write_text(write(robot), encoding="utf-8")
    result = import_robot(path)
    (driven,) = (
        joint.name for joint in joints_of(result.armature) if joint.name.startswith("crank_pin")
    )
    names = list(result.robot.links)
    before = {link.name: link_pose(result.armature, link.name) for link in names}
    for turn in (0.8, -1.7, 3.0):
        set_joint_positions(result.armature, {driven: turn})
        bpy.context.view_layer.update()
        wanted = moved(robot, {"crank_pin": turn})
        for name, rest in before.items():
            motion = link_pose(result.armature, name) @ np.linalg.inv(rest)
            # Of MJCF there is a world, too, which stands still.
            asked = wanted.get(name.removesuffix("1"), np.eye(4))
            assert motion == pytest.approx(asked, abs=3e-5), name
