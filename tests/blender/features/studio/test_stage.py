# SPDX-License-Identifier: GPL-3.0-or-later
"""The studio in the user's scene: what it shows, and that it leaves nothing behind."""

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

from support.blender.sidebars import activate, load
from support.blender.snapshots import list_data
from urdf_importer import BuildError, build_studio, extract_robot, place_robots, remove_studio
from urdf_importer.core.blender.standing.links import visuals_of
from urdf_importer.core.blender.standing.placing import outline
from urdf_importer.features.studio.blender.stage import find_studio

pytestmark = pytest.mark.usefixtures("extension", "scene")


def seen_from(camera: Any, robot: Any) -> np.ndarray:
    """Where the corners of a robot's shapes are in the picture: (n, 2), 0 to 1."""
    scene = bpy.context.scene
    return np.array(
        [world_to_camera_view(scene, camera, Vector(point))[:2] for point in outline(robot)]
    )


@pytest.mark.parametrize("turntable", ["plate", "camera", "none"])
def test_the_camera_sees_all_of_the_robots_all_around(turntable: Any) -> None:
    robots = [load("quadruped_leg"), load("two_link_arm")]
    place_robots(robots)
    scene = bpy.context.scene
    home = build_studio(robots, turntable=turntable, frames=48)
    assert scene.camera.name in home.objects
    extents = []
    for frame in (scene.frame_start, scene.frame_start + 7, scene.frame_start + 30):
        scene.frame_set(frame)
        points = np.concatenate([seen_from(scene.camera, robot) for robot in robots])
        assert points.min() > 0.0 and points.max() < 1.0
        extents.append(np.ptp(points, axis=0).max())
    assert max(extents) > 0.5, "they fill the picture"


def test_the_turntable_goes_around_without_a_jump() -> None:
    scene = bpy.context.scene
    home = build_studio([load("two_link_arm")])
    (key,) = [item for item in home.objects if item.name.startswith("Studio Key")]
    places = []
    for frame in range(scene.frame_start, scene.frame_end + 2):
        scene.frame_set(frame)
        places.append((*scene.camera.matrix_world.translation, *key.matrix_world.translation))
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert np.allclose(steps, steps[0], rtol=1e-3), "it goes evenly"
    assert np.allclose(places[0], places[-1], atol=1e-4), "the next round begins where this did"
    middle = np.array([item.location for item in home.objects if item.type == "EMPTY"])[0]
    angles = np.unwrap([math.atan2(y - middle[1], x - middle[0]) for x, y, *_ in places])
    assert abs(angles[-1] - angles[0]) == pytest.approx(2 * math.pi, abs=1e-4)


def test_again_replaces_it_and_removing_leaves_nothing() -> None:
    robot = load("two_link_arm")
    scene = bpy.context.scene
    own = bpy.data.objects.new("my camera", bpy.data.cameras.new("my camera"))
    scene.collection.objects.link(own)
    scene.camera = own
    before, description = list_data(), extract_robot(robot)
    build_studio([robot])
    once = list_data()
    build_studio([robot], turntable="none")
    build_studio([robot])
    assert list_data() == once
    assert len([each for each in scene.collection.children if "urdf_studio" in each]) == 1
    assert extract_robot(robot) == description
    assert remove_studio() and not remove_studio()
    assert scene.camera == own and list_data() == before


def test_what_the_user_put_into_it_stays() -> None:
    home = build_studio([load("two_link_arm")])
    mine = bpy.data.objects.new("mine", None)
    home.objects.link(mine)
    assert remove_studio()
    assert mine.users_collection == (home,)
    assert find_studio(bpy.context.scene) is None


def test_a_white_robot_is_not_burnt_out_at_any_size(tmp_path: Path) -> None:
    """In a render with the linear view, where 1 is white."""
    robot = load("quadruped_leg")
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 12, False
    scene.render.resolution_x, scene.render.resolution_y = 96, 72
    scene.view_settings.view_transform = "Standard"
    scene.render.filepath = str(tmp_path / "p.png")
    for scale in (1.0, 30.0):
        robot.scale = (scale, scale, scale)
        build_studio([robot])
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(str(tmp_path / "p.png"))
        pixels = np.array(image.pixels[:]).reshape(72, 96, -1)[:, :, :3].max(axis=2)
        bpy.data.images.remove(image)
        assert 0.75 < np.percentile(pixels, 99.7) < 0.985, "white is bright, and not burnt out"


def test_only_robots_get_a_studio() -> None:
    data = list_data()
    with pytest.raises(BuildError, match="there is none"):
        build_studio([])
    empty = bpy.data.objects.new("some empty", None)
    with pytest.raises(BuildError, match="'some empty' is not an imported robot"):
        build_studio([empty])
    bpy.data.objects.remove(empty)
    assert list_data() == data


def test_buttons_build_and_remove_it() -> None:
    robot, other = load("two_link_arm"), load("quadruped_leg")
    place_robots([robot, other])
    activate(robot)
    robot.select_set(True)
    other.select_set(True)
    assert not bpy.ops.urdf.remove_studio.poll()
    assert bpy.ops.urdf.build_studio(frames=20) == {"FINISHED"}
    scene = bpy.context.scene
    assert all(seen_from(scene.camera, each).max() < 1.0 for each in (robot, other))
    assert bpy.ops.urdf.remove_studio() == {"FINISHED"}
    assert find_studio(scene) is None and scene.camera is None


def test_dark_robots_alone_get_a_light_of_their_own() -> None:
    robot = load("two_link_arm")
    shaped = [shape for shape in visuals_of(robot) if shape.material_slots]
    before = list_data()
    for shade, lit in ((0.5, set()), (0.01, set(shaped))):
        for slot in (slot for shape in shaped for slot in shape.material_slots):
            slot.material.diffuse_color = (shade, shade, shade, 1.0)
        lamps = [item for item in build_studio([robot]).objects if "Sheen" in item.name]
        assert {
            each for lamp in lamps for each in lamp.light_linking.receiver_collection.objects
        } == lit
        assert remove_studio() and list_data() == before
