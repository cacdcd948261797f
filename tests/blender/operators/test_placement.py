# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an import by hand puts robots."""

import bpy
import pytest

from support.blender.sidebars import SAMPLES
from urdf_importer import find_robots, link_pose
from urdf_importer.blender.standing.placing import find_lowest, measure

pytestmark = pytest.mark.usefixtures("extension", "scene")

LEG = str(SAMPLES / "quadruped_leg.urdf")


def test_robots_stand_on_the_ground_unless_they_are_not_to() -> None:
    bpy.ops.import_scene.urdf(filepath=LEG)
    (robot,) = find_robots().values()
    assert find_lowest(robot) == pytest.approx(0.0, abs=1e-6) and robot.location.z > 0.3
    bpy.ops.import_scene.urdf(filepath=LEG, stand_on_ground=False)
    other = find_robots()["quadruped_leg.001"]
    assert tuple(other.location) == (0.0, 0.0, 0.0)
    assert link_pose(robot, "body") == pytest.approx(link_pose(other, "body"), abs=1e-6)


def test_several_files_stand_side_by_side_at_the_cursor() -> None:
    bpy.context.scene.cursor.location = (2.0, 3.0, 0.25)
    files = [{"name": f"{name}.urdf"} for name in ("gripper", "quadruped_leg", "gantry")]
    bpy.ops.import_scene.urdf(directory=str(SAMPLES), files=files, at_cursor=True)
    robots = [find_robots()[each["name"].removesuffix(".urdf")] for each in files]
    boxes = [measure(robot) for robot in robots]
    assert boxes[0][1][0] < boxes[1][0][0] < boxes[1][1][0] < boxes[2][0][0]
    assert [robot.location.y for robot in robots] == [3.0] * 3
    assert [find_lowest(robot) for robot in robots] == pytest.approx([0.25] * 3, abs=1e-5)


def test_the_size_of_the_scene() -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    bpy.ops.import_scene.urdf(filepath=LEG, scene_unit=True)
    bpy.ops.import_scene.urdf(filepath=LEG, scale=2.0)
    large, small = (find_robots()[name] for name in ("quadruped_leg", "quadruped_leg.001"))
    assert tuple(large.scale) == pytest.approx((100.0,) * 3)
    assert tuple(small.scale) == pytest.approx((2.0,) * 3)


def test_undo_takes_a_placed_robot_back_whole() -> None:
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.import_scene.urdf(filepath=LEG)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert not find_robots() and not bpy.data.objects
