# SPDX-License-Identifier: GPL-3.0-or-later
"""Imported robots stand where they are wanted, and the rig says what it said."""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import bpy
import mathutils
import numpy as np
import pytest

from support.blender.sidebars import SAMPLES, load
from urdf_importer import (
    PlacementOptions,
    compare_with_source,
    extract_robot,
    get_joint_positions,
    import_robot,
    link_pose,
    place_robots,
    set_joint_positions,
)
from urdf_importer.core.blender.standing.placing import (
    find_lowest,
    frame_robots,
    measure,
    outline,
    set_beside,
)

pytestmark = pytest.mark.usefixtures("scene")

NAMES = sorted(path.stem for path in SAMPLES.glob("*.urdf") if path.stem != "messy")


def vertices(robot: Any) -> Any:
    """All vertices of the visuals as Blender shows them, in the world."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = []
    for item in robot.children_recursive:
        if item.get("urdf_part") == "Visuals" and item.type == "MESH":
            shown = item.evaluated_get(depsgraph)
            world = np.array(shown.matrix_world)
            own = np.array([vertex.co for vertex in shown.data.vertices])
            found.append(own @ world[:3, :3].T + world[:3, 3])
    return np.concatenate(found)


@pytest.mark.parametrize("name", NAMES)
def test_the_lowest_point_is_on_the_ground(name: str) -> None:
    robot = load(name)
    set_joint_positions(
        robot,
        {j: 0.4 for j, at in get_joint_positions(robot).items() if isinstance(at, float)},
    )
    bpy.context.view_layer.update()
    before, described = vertices(robot), extract_robot(robot)
    frames = {link.name: link_pose(robot, link.name) for link in described.links}
    place_robots([robot])
    after = vertices(robot)
    assert after[:, 2].min() == pytest.approx(0.0, abs=2e-6)
    lift = robot.location.z
    assert tuple(robot.location[:2]) == (0.0, 0.0) and tuple(robot.scale) == (1.0, 1.0, 1.0)
    assert after - before == pytest.approx(np.full_like(before, (0, 0, lift)), abs=3e-6)
    assert extract_robot(robot) == described and compare_with_source(robot) == ()
    for link, frame in frames.items():
        assert link_pose(robot, link) == pytest.approx(frame, abs=2e-6)


def test_what_is_hidden_counts_where_nothing_else_is_there() -> None:
    robot = load("quadruped_leg", visuals=False)
    place_robots([robot])
    assert find_lowest(robot) == pytest.approx(0.0, abs=1e-6) and robot.location.z > 0.1
    bare = load("quadruped_leg", visuals=False, collisions=False)
    place_robots([bare])
    assert find_lowest(bare) is None and bare.location.z == 0.0
    assert np.ptp(outline(bare), axis=0).max() > 0.2


def test_the_cursor() -> None:
    robot = load("quadruped_leg")
    bpy.context.scene.cursor.location = (1.0, -2.0, 0.5)
    place_robots([robot], options=PlacementOptions(at_cursor=True))
    assert tuple(robot.location[:2]) == (1.0, -2.0)
    assert find_lowest(robot) == pytest.approx(0.5, abs=1e-6)
    place_robots([robot], options=PlacementOptions(at_cursor=True, stand_on_ground=False))
    assert tuple(robot.location) == (1.0, -2.0, 0.5)
    place_robots([robot], options=PlacementOptions(stand_on_ground=False))
    assert tuple(robot.location) == (0.0, 0.0, 0.0)


def test_several_stand_side_by_side() -> None:
    robots = [load(name) for name in ("gripper", "quadruped_leg", "planar_base")]
    place_robots(robots)
    boxes = [measure(robot) for robot in robots]
    for (_, high), (low, _) in pairwise(boxes):
        assert 0.0 < low[0] - high[0] < 1.0
    assert robots[0].location.x == 0.0 and all(robot.location.y == 0.0 for robot in robots)


@pytest.mark.parametrize(
    ("across", "axis", "sign"),
    [((0.7, 0.72, 0.0), 1, 1), ((-1.0, 0.1, 0.0), 0, -1), ((0.3, -2.0, 0.0), 1, -1)],
)
def test_whoever_looks_sees_robots_side_by_side(across: Any, axis: int, sign: int) -> None:
    robots = [load(name) for name in ("planar_base", "quadruped_leg", "gripper")]
    place_robots(robots, across=across)
    seen = [outline(robot) @ np.array(across) for robot in robots]
    for before, after in pairwise(seen):
        assert before.max() < after.min()
    for before, after in pairwise(robots):
        assert sign * (after.location[axis] - before.location[axis]) > 0.0
        assert after.location[1 - axis] == 0.0


def test_beside_another_one_under_a_parent() -> None:
    first, second = load("gripper"), load("gripper")
    holder = bpy.data.objects.new("holder", None)
    bpy.context.scene.collection.objects.link(holder)
    holder.rotation_euler.z = 1.0
    second.parent = holder
    bpy.context.view_layer.update()
    set_beside(second, first)
    assert measure(second)[0][0] > measure(first)[1][0]


@pytest.mark.parametrize(
    ("options", "unit", "factor"),
    [
        (PlacementOptions(scale=2.5), 1.0, 2.5),
        (PlacementOptions(scene_unit=True), 0.01, 100.0),
        (PlacementOptions(scene_unit=True, scale=0.5), 0.001, 500.0),
        (PlacementOptions(), 0.01, 1.0),
    ],
)
def test_size(options: PlacementOptions, unit: float, factor: float) -> None:
    result = import_robot(SAMPLES / "humanoid_arm.urdf")
    robot = result.armature
    bpy.context.scene.unit_settings.scale_length = unit
    low, high = measure(robot)
    frames = {name: link_pose(robot, name) for name in result.links}
    place_robots([robot], options=options)
    now = measure(robot)
    assert now[1] - now[0] == pytest.approx(factor * (high - low), rel=1e-4)
    assert find_lowest(robot) == pytest.approx(0.0, abs=1e-5 * factor)
    assert extract_robot(robot) == result.robot
    for name, frame in frames.items():
        assert link_pose(robot, name) == pytest.approx(frame, abs=1e-5)


# Views


def new_view(lens: float, angles: Any, kind: str) -> tuple[Any, Any]:
    """A view of the startup file, in an area whose sidebar and header cover a part. Blender draws
    no view without a window, so what it would show is worked out here."""
    area = next(each for each in bpy.context.screen.areas if each.type == "VIEW_3D")
    space = area.spaces[0]
    space.lens = lens
    space.region_3d.view_perspective = kind
    space.region_3d.view_rotation = mathutils.Euler(angles).to_quaternion()
    window = SimpleNamespace(type="WINDOW", alignment="NONE", x=10, y=20, width=900, height=600)
    bar = SimpleNamespace(type="UI", alignment="RIGHT", x=710, y=20, width=200, height=560)
    head = SimpleNamespace(type="HEADER", alignment="TOP", x=10, y=594, width=900, height=26)
    return space, SimpleNamespace(regions=[head, bar, window])


def project(space: Any, points: Any) -> Any:
    """Pixels (n, 2) in the region, from its lower left corner."""
    view = space.region_3d
    own = (points - np.array(view.view_location)) @ np.array(view.view_rotation.to_matrix())
    depth = view.view_distance - (own[:, 2] if view.view_perspective == "PERSP" else 0.0)
    half = np.broadcast_to(depth * 36.0 / space.lens, len(own))
    return own[:, :2] / half[:, None] * 450.0 + np.array([450.0, 300.0])


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize("name", ["humanoid_arm", "gripper"])
def test_a_framed_robot_fills_what_is_free_of_the_view(name: str, kind: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    robot = load(name)
    points = vertices(robot)
    for lens, angles in ((50.0, (1.1, 0.0, 0.8)), (24.0, (0.3, 0.2, -2.0))):
        space, area = new_view(lens, angles, kind)
        frame_robots([robot], [(space, area)])
        seen = project(space, points)
        low, high = seen.min(axis=0), seen.max(axis=0)
        assert (low > 0).all() and high[0] < 700.0 and high[1] < 574.0
        assert ((high - low) / (700.0, 574.0)).max() > 0.5
        assert (low + high) / 2 == pytest.approx((350.0, 287.0), abs=60.0)


def test_views_through_cameras_are_left_alone() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    robot = load("gripper")
    space, area = new_view(50.0, (0.0, 0.0, 0.0), "CAMERA")
    before = tuple(space.region_3d.view_location), space.region_3d.view_distance
    frame_robots([robot], [(space, area)])
    assert before == (tuple(space.region_3d.view_location), space.region_3d.view_distance)
