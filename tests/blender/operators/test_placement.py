# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an import by hand puts robots."""

import shutil
from pathlib import Path

import bpy
import pytest

from support.blender.sidebars import SAMPLES
from urdf_importer import find_robots, link_pose
from urdf_importer.core.blender.standing.placing import find_lowest, measure, outline

pytestmark = pytest.mark.usefixtures("extension", "scene")

LEG = str(SAMPLES / "quadruped_leg.urdf")
CRANE = """<robot name="crane">
<link name="base"><visual><geometry><mesh filename="package://harbour/meshes/post.stl"/></geometry>
</visual><visual><geometry><mesh filename="package://harbour/meshes/hook.stl"/></geometry></visual>
</link><link name="finger"><visual><geometry><box size="0.02 0.02 0.06"/></geometry></visual></link>
<joint name="lift" type="prismatic"><parent link="base"/><child link="finger"/>
<origin xyz="0 0 1.5"/><axis xyz="0 0 1"/>
<limit lower="0" upper="0.1" effort="1" velocity="1"/></joint></robot>"""


def test_robots_stand_on_the_ground_unless_they_are_not_to() -> None:
    bpy.ops.import_scene.urdf(filepath=LEG)
    (robot,) = find_robots().values()
    assert find_lowest(robot) == pytest.approx(0.0, abs=1e-6) and robot.location.z > 0.3
    bpy.ops.import_scene.urdf(filepath=LEG, stand_on_ground=False)
    other = find_robots()["quadruped_leg.001"]
    assert tuple(other.location)[1:] == (0.0, 0.0)
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


@pytest.mark.parametrize("moved", [False, True])
def test_a_robot_without_its_meshes_stands_on_the_ground(tmp_path: Path, moved: bool) -> None:
    """Before and after they are located, unless somebody moved it. The only shape
    that is found is a finger, high above the ground."""
    lonely = tmp_path / "lonely" / "crane.urdf"
    lonely.parent.mkdir()
    lonely.write_text(CRANE)
    bpy.ops.import_scene.urdf(filepath=str(lonely))
    (robot,) = find_robots().values()
    bpy.context.view_layer.update()
    assert link_pose(robot, "base")[2, 3] + robot.location.z == pytest.approx(0.0, abs=1e-6)
    points = outline(robot)
    assert points[:, 2].min() < 0.1 and points[:, 2].max() > 1.0
    robot.location.z += 3.0 * moved
    before = robot.location.z
    bpy.context.view_layer.update()
    package = tmp_path / "elsewhere" / "harbour"
    (package / "meshes").mkdir(parents=True)
    for name in ("post", "hook"):
        shutil.copy(min((SAMPLES / "meshes").glob("*.stl")), package / "meshes" / f"{name}.stl")
    bpy.ops.urdf.locate_package(directory=str(package), package="harbour")
    if moved:
        assert robot.location.z == before
    else:
        assert find_lowest(robot) == pytest.approx(0.0, abs=1e-6) and robot.location.z != before


def test_a_second_import_stands_beside_what_is_there() -> None:
    for _ in range(3):
        bpy.ops.import_scene.urdf(filepath=LEG)
    first, second, third = (measure(robot) for robot in find_robots().values())
    assert first[1][0] < second[0][0] < second[1][0] < third[0][0]
    far = find_robots()["quadruped_leg"]
    far.location.x = 20.0
    bpy.context.view_layer.update()
    bpy.ops.import_scene.urdf(filepath=LEG)
    assert find_robots()["quadruped_leg.003"].location.x == 0.0
    bpy.ops.import_scene.urdf(filepath=LEG, at_cursor=True)
    assert find_robots()["quadruped_leg.004"].location.x == 0.0


def test_undo_takes_a_placed_robot_back_whole() -> None:
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.import_scene.urdf(filepath=LEG)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert not find_robots() and not bpy.data.objects
