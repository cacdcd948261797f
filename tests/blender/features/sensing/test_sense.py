# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements of sensors, against known scenes and an independent caster of rays."""

import math

import numpy as np
import pytest
import trimesh

import urdf_importer
from support.blender.rigs import new_scene
from urdf_importer import (
    ArgumentError,
    BuildError,
    Diagnostics,
    ImportOptions,
    KinematicsError,
    SenseOptions,
    find_sensors,
    import_robot,
    sense,
)
from urdf_importer.core.sensors.intrinsics import pixel_rays, project

SIZE = (
    "<image><width>64</width><height>48</height></image><clip><near>0.1</near><far>20</far></clip>"
)
BODY = "<camera><horizontal_fov>1.2</horizontal_fov>" + SIZE
ROBOT = f"""<robot name="r"><link name="base"><visual><origin xyz="0 0 -0.2"/><geometry>
<box size="0.3 0.3 0.1"/></geometry></visual></link>
<link name="head"><visual><origin xyz="0.6 0.3 0"/><geometry><sphere radius="0.1"/></geometry>
</visual></link>
<joint name="neck" type="revolute"><parent link="base"/><child link="head"/>
<origin xyz="0 0 0.5"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/>
</joint>
<gazebo reference="head">
<sensor name="scan" type="ray"><ray><scan><horizontal><samples>181</samples>
<min_angle>-1.5</min_angle><max_angle>1.5</max_angle></horizontal><vertical><samples>4</samples>
<min_angle>-0.3</min_angle><max_angle>0.2</max_angle></vertical></scan>
<range><min>0.2</min><max>8</max></range></ray></sensor>
<sensor name="eye" type="camera">{BODY}</camera></sensor>
<sensor name="deep" type="depth"><pose>0 0 0 0 0.2 0.1</pose>{BODY}</camera></sensor>
<sensor name="bent" type="rgbd">{BODY}<distortion><k1>-0.2</k1><k2>0.05</k2></distortion>
</camera></sensor>
<sensor name="around" type="wideanglecamera"><camera><horizontal_fov>4</horizontal_fov>{SIZE}
</camera></sensor>
<sensor name="calibrated" type="camera">{BODY}<lens><intrinsics><fx>70</fx><fy>50</fy>
<cx>25.25</cx><cy>30.5</cy></intrinsics></lens></camera></sensor>
<sensor name="imu" type="imu"/><sensor name="touch" type="contact"/>
<sensor name="near" type="sonar"><sonar><min>0.1</min><max>9</max><radius>0.5</radius></sonar>
</sensor>
</gazebo></robot>"""


def add_box(name, place, size, turn=0.0):
    import bpy

    mesh = bpy.data.meshes.new(name)
    box = trimesh.creation.box(size)
    mesh.from_pydata(box.vertices.tolist(), [], box.faces.tolist())
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    item.location, item.rotation_euler = place, (0.0, 0.0, turn)
    return item


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("robot") / "robot.urdf"
    path.write_text(ROBOT)
    return path


@pytest.fixture
def robot(path):
    import bpy

    new_scene()
    result = import_robot(path, options=ImportOptions(sensors=True))
    add_box("wall", (3.0, 0.2, 0.5), (0.2, 9.0, 4.0), 0.3)
    add_box("post", (1.5, -0.7, 0.4), (0.2, 0.2, 2.0), 0.5)
    unseen = add_box("unseen", (1.0, 0.0, 0.5), (0.1, 3.0, 3.0))
    unseen.hide_render = True
    lamp = bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", "SUN"))
    bpy.context.scene.collection.objects.link(lamp)
    bpy.context.view_layer.update()
    return result.armature


def world_mesh(*, own=True):
    """All that rays may hit, put together by another library."""
    import bpy

    parts = []
    graph = bpy.context.evaluated_depsgraph_get()
    for item in bpy.context.scene.objects:
        collection = item.users_collection[0].name
        if item.type != "MESH" or item.hide_render or (collection == "r visuals" and not own):
            continue
        shown = item.evaluated_get(graph)
        mesh = shown.to_mesh()
        mesh.calc_loop_triangles()
        matrix = np.array(shown.matrix_world)
        points = np.array([v.co for v in mesh.vertices]) @ matrix[:3, :3].T + matrix[:3, 3]
        faces = [tuple(t.vertices) for t in mesh.loop_triangles]
        parts.append(trimesh.Trimesh(points, faces, process=False))
    return trimesh.util.concatenate(parts)


def frame_of(robot, name):
    import bpy

    bpy.context.view_layer.update()
    (found,) = (each for each in find_sensors(robot) if each.name == name)
    return np.array(bpy.data.objects[found.link].matrix_world) @ found.frame, found


def cast(mesh, origin, directions):
    """Distances (n,) of the nearest hits, inf where there is none."""
    from trimesh.ray.ray_pyembree import RayMeshIntersector

    starts = np.tile(origin, (len(directions), 1))
    caster = RayMeshIntersector(mesh, scale_to_box=False)
    places, rays, _ = caster.intersects_location(starts, directions, multiple_hits=False)
    found = np.full(len(directions), np.inf)
    found[rays] = np.linalg.norm(places - origin, axis=1)
    return found


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("turn", [0.0, 0.8])
def test_a_scan_is_what_an_independent_caster_finds(robot, own, turn):
    urdf_importer.set_joint_positions(robot, {"neck": turn})
    reading = sense(robot, "scan", options=SenseOptions(own_robot=own))
    assert reading.ranges.shape == (4, 181)
    frame, _ = frame_of(robot, "scan")
    across, up = np.linspace(-1.5, 1.5, 181), np.linspace(-0.3, 0.2, 4)[:, None]
    rays = np.stack(
        [np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up) + 0 * across], -1
    ).reshape(-1, 3)
    found = cast(world_mesh(own=own), frame[:3, 3], rays @ frame[:3, :3].T)
    found[found > 8.0] = np.inf
    found = found.reshape(4, 181)
    both = np.isfinite(found) & np.isfinite(reading.ranges)
    assert (np.isfinite(found) != np.isfinite(reading.ranges)).sum() <= 1
    assert both.sum() > 300
    off = np.abs(found[both] - reading.ranges[both])
    assert np.quantile(off, 0.99) < 1e-5 and (off > 1e-3).sum() <= 1
    assert np.allclose(
        np.linalg.norm(reading.points, axis=1), reading.ranges[np.isfinite(reading.ranges)]
    )


def test_rays_begin_at_the_least_range_and_end_at_the_largest(robot):
    near = add_box("near", (0.1, 0.0, 0.5), (0.02, 2.0, 2.0))
    assert np.nanmin(sense(robot, "scan").ranges) > 0.2
    near.location.x = 0.5
    assert sense(robot, "scan").ranges[2, 90] == pytest.approx(0.49 / math.cos(0.0333), rel=1e-3)


def test_depths_are_along_the_axis(robot):
    reading = sense(robot, "deep")
    frame, sensor = frame_of(robot, "deep")
    assert reading.depth.dtype == np.float32 and reading.rgb is None
    rows, columns = np.mgrid[0:48, 0:64]
    rays = np.stack(
        [
            (columns - sensor.K[0, 2]) / sensor.K[0, 0],
            (rows - sensor.K[1, 2]) / sensor.K[1, 1],
            np.ones((48, 64)),
        ],
        axis=-1,
    ).reshape(-1, 3)
    lengths = np.linalg.norm(rays, axis=1)
    found = cast(world_mesh(), frame[:3, 3], rays @ frame[:3, :3].T / lengths[:, None]) / lengths
    found[~np.isfinite(found)] = 0.0
    off = np.abs(found - reading.depth.ravel()) / np.maximum(found, 1.0)
    assert (off > 1e-4).sum() <= 2
    # The sphere is a part of the second link.
    assert set(np.unique(reading.links)) == {0, 2}
    pixels = project(sensor.K, reading.points)
    assert np.abs(pixels - pixels.round()).max() < 1e-6


def test_a_picture_shows_points_at_their_pixels(robot):
    """Lamps far apart: their pixels are where K projects them, also off the middle."""
    import bpy

    frame, sensor = frame_of(robot, "calibrated")
    for name in ("wall", "post"):
        bpy.data.objects.remove(bpy.data.objects[name])
    world = bpy.data.worlds.new("dark")
    if world.node_tree is None:
        world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.0
    bpy.context.scene.world = world
    wanted = []
    glow = bpy.data.materials.new("glow")
    if glow.node_tree is None:
        glow.use_nodes = True
    tree = glow.node_tree
    tree.nodes.clear()
    light, out = tree.nodes.new("ShaderNodeEmission"), tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(light.outputs[0], out.inputs[0])
    for pixel in ((5.0, 8.0), (52.0, 40.0), (25.25, 30.5)):
        ray = np.linalg.solve(sensor.K, (*pixel, 1.0)) * 4.0
        place = (frame @ [*ray, 1.0])[:3]
        item = add_box("lamp", place.tolist(), (0.25, 0.25, 0.25))
        item.rotation_euler = (0.0, 0.0, 0.0)
        item.data.materials.append(glow)
        wanted.append(pixel)
    before = bpy.context.scene.render.resolution_x, len(bpy.data.scenes), len(bpy.data.objects)
    picture = sense(robot, "calibrated", options=SenseOptions(samples=32, own_robot=False)).rgb
    after = bpy.context.scene.render.resolution_x, len(bpy.data.scenes), len(bpy.data.objects)
    assert before == after and not bpy.data.cameras.get("Sensor")
    assert picture.shape == (48, 64, 3) and picture.dtype == np.uint8
    bright = picture[..., 0].astype(float)
    for u, v in wanted:
        left, top = max(round(u) - 5, 0), max(round(v) - 5, 0)
        part = bright[top : top + 11, left : left + 11]
        rows, columns = np.mgrid[top : top + part.shape[0], left : left + part.shape[1]]
        assert (part * columns).sum() / part.sum() == pytest.approx(u, abs=0.25)
        assert (part * rows).sum() / part.sum() == pytest.approx(v, abs=0.25)


def test_labels_come_with_any_camera(robot):
    reading = sense(robot, "eye", options=SenseOptions(samples=1, labels=True))
    assert (reading.links == 2).any() and (reading.depth > 0.0).any()
    assert sense(robot, "eye", options=SenseOptions(samples=1)).depth is None


def test_lenses_distort_on_demand(robot):
    diagnostics = Diagnostics()
    ideal = sense(robot, "bent", options=SenseOptions(samples=1), diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["lens-distortion-ignored"]
    assert not ideal.D.any()
    bent = sense(robot, "bent", options=SenseOptions(samples=1, distort=True))
    assert bent.D[:2].tolist() == [-0.2, 0.05]
    assert bent.rgb.shape == ideal.rgb.shape
    # A barrel shows more of the scene: the corner's ray is further from the axis.
    assert np.abs(bent.points[:, :2] / bent.points[:, 2:]).max() > 0.7


def test_wide_pictures_have_no_matrix(robot):
    reading = sense(robot, "around", options=SenseOptions(samples=1))
    assert reading.K is None and reading.depth is None
    assert reading.rgb.shape == (48, 64, 3)
    assert reading.rgb.max() > 0


def test_a_sonar_measures_the_nearest(robot):
    ranges = sense(robot, "near", options=SenseOptions(own_robot=False)).ranges
    assert ranges.shape == (1, 1)
    assert 2.0 < ranges[0, 0] < 3.2


def test_an_imu_at_rest_feels_its_weight(robot):
    urdf_importer.set_joint_positions(robot, {"neck": 0.4})
    reading = sense(robot, "imu")
    assert reading.acceleration == pytest.approx([0.0, 0.0, 9.81], abs=1e-3)
    assert reading.angular_velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    assert reading.orientation == pytest.approx([0.0, 0.0, math.sin(0.2), math.cos(0.2)], abs=1e-5)


def test_an_imu_feels_a_turn(robot):
    import bpy

    scene = bpy.context.scene
    joint = urdf_importer.Trajectory(
        names=("neck",),
        times=np.arange(11) / scene.render.fps,
        positions=(np.arange(11) / scene.render.fps)[:, None] * 2.0,
    )
    urdf_importer.apply_trajectory(robot, joint)
    scene.frame_set(scene.frame_start + 5)
    reading = sense(robot, "imu")
    assert scene.frame_current == scene.frame_start + 5
    assert reading.angular_velocity == pytest.approx([0.0, 0.0, 2.0], abs=1e-3)


def test_noise_is_that_of_the_seed(path, tmp_path):
    noisy = tmp_path / "noisy.urdf"
    noise = "<noise><type>gaussian</type><stddev>0.05</stddev></noise></ray>"
    noisy.write_text(path.read_text().replace("</ray>", noise))
    new_scene()
    robot = import_robot(noisy).armature
    add_box("wall", (3.0, 0.0, 0.5), (0.2, 9.0, 9.0))
    diagnostics = Diagnostics()
    plain = sense(robot, "scan", diagnostics=diagnostics).ranges
    assert [each.code for each in diagnostics] == ["sensor-noise-ignored"]
    one, same, other = (
        sense(robot, "scan", options=SenseOptions(noise=True, seed=seed)).ranges
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one, same) and not np.array_equal(one, other)
    hit = np.isfinite(plain)
    off = one[hit] - plain[hit]
    assert 0.03 < off.std() < 0.07


def test_a_scaled_robot_measures_in_its_own_metres(robot):
    import bpy

    before = sense(robot, "scan").ranges
    for item in [robot, *map(bpy.data.objects.get, ("wall", "post"))]:
        item.scale *= 2.0
        item.location *= 2.0
    bpy.context.view_layer.update()
    after = sense(robot, "scan").ranges
    both = np.isfinite(before) & np.isfinite(after)
    assert both.sum() > 300
    assert np.allclose(before[both], after[both], rtol=1e-4)


def test_what_a_user_puts_in_the_way_is_seen_at_once(robot):
    import bpy

    sense(robot, "scan")
    post = bpy.data.objects["post"]
    post.location = (1.0, 0.0, 0.5)
    post.rotation_euler = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert sense(robot, "scan").ranges[2, 90] == pytest.approx(0.9, abs=2e-3)
    for vertex in post.data.vertices:
        vertex.co.x *= 2.0
    post.data.update()
    bpy.context.view_layer.update()
    assert sense(robot, "scan").ranges[2, 90] == pytest.approx(0.8, abs=2e-3)


def test_copies_of_one_object_are_seen(robot):
    import bpy

    part = bpy.data.collections.new("part")
    box = add_box("box", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1))
    part.objects.link(box)
    bpy.context.scene.collection.objects.unlink(box)
    maker = bpy.data.objects.new("maker", None)
    maker.instance_type, maker.instance_collection = "COLLECTION", part
    maker.location = (0.7, 0.0, 0.5)
    bpy.context.scene.collection.objects.link(maker)
    bpy.context.view_layer.update()
    assert sense(robot, "scan").ranges[2, 90] == pytest.approx(0.65, abs=2e-3)


@pytest.mark.parametrize(
    ("sensor", "error", "words"),
    [
        ("touch", ArgumentError, "measures nothing"),
        ("nose", KinematicsError, "'nose'"),
        (7, ArgumentError, "given by its name"),
    ],
)
def test_sensors_that_measure_nothing(robot, sensor, error, words):
    with pytest.raises(error, match=words):
        sense(robot, sensor)


def test_a_robot_out_of_the_scene(robot):
    import bpy

    bpy.context.window.scene = bpy.data.scenes.new("other") if bpy.context.window else None
    with pytest.raises(BuildError, match="not in the scene"):
        sense(robot, "scan")


@pytest.mark.parametrize("options", [{"samples": 0}, {"samples": "many"}, {"seed": -1}])
def test_options_that_mean_nothing(options):
    with pytest.raises(ArgumentError):
        SenseOptions(**options)


def test_no_ray_at_a_sphere_is_left_out():
    """Rays of pictures, of fans behind the sensor, and alone, beside single ones."""
    from urdf_importer.features.sensing.blender.casting import Rays

    random = np.random.default_rng(3)
    grid = pixel_rays(np.array([[90.0, 0, 80], [0, 90.0, 60], [0, 0, 1.0]]), 160, 120)
    turns = np.linspace(0.0, 6.2, 720)
    fan = np.stack([np.cos(turns), np.sin(turns), 0.0 * turns], axis=1)
    kept = []
    for ways in (grid.reshape(-1, 3), fan, random.normal(size=(1000, 3)), fan[:1]):
        ways = ways / np.linalg.norm(ways, axis=1)[:, None]
        far = np.full(len(ways), np.inf)
        rays = Rays(origin=np.zeros(3), directions=ways, near=np.zeros(len(ways)), far=far)
        for _ in range(40):
            center, radius = random.normal(size=3) * 2.0, float(random.uniform(0.01, 1.5))
            along = ways @ center
            passes = (along > 0.0) & (center @ center - along**2 < radius**2)
            passes |= center @ center < radius**2
            places = rays.near_sphere(center, radius)
            assert set(np.flatnonzero(passes)) <= set(places)
            kept.append(len(places) / len(ways))
    assert np.median(kept[:40]) < 0.2, "most rays of a picture need no look"


def test_a_scene_without_light_is_said_once(robot):
    import bpy

    scene, diagnostics = bpy.context.scene, Diagnostics()
    for item in [each for each in scene.objects if each.type == "LIGHT"]:
        bpy.data.objects.remove(item)
    scene.world = None
    for _ in range(2):
        assert not sense(
            robot, "eye", options=SenseOptions(samples=1), diagnostics=diagnostics
        ).rgb.any()
    assert [(each.code, each.subject) for each in diagnostics] == [("unlit-scene", "eye")]
    dark = bpy.data.lights.new("Dark", "SUN")
    dark.energy = 0.0
    scene.collection.objects.link(bpy.data.objects.new("Dark", dark))
    sense(robot, "eye", options=SenseOptions(samples=1), diagnostics=diagnostics)
    assert len(diagnostics) == 1


@pytest.mark.parametrize("source", ["sun", "sky", "glow"])
def test_whatever_lights_a_scene_keeps_it_silent(robot, source):
    import bpy

    scene, diagnostics = bpy.context.scene, Diagnostics()
    scene.world = None
    if source == "sun":
        sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
        sun.data.energy = 3.0
        scene.collection.objects.link(sun)
    elif source == "sky":
        scene.world = bpy.data.worlds.new("Sky")
        scene.world.color = (0.5, 0.5, 0.5)
    else:
        material = bpy.data.materials.new("Glow")
        if material.node_tree is None:
            material.use_nodes = True
        shader = material.node_tree.nodes["Principled BSDF"]
        shader.inputs["Emission Color"].default_value = (1.0, 1.0, 1.0, 1.0)
        shader.inputs["Emission Strength"].default_value = 5.0
        bpy.data.objects["wall"].data.materials.append(material)
    assert sense(robot, "eye", options=SenseOptions(samples=1), diagnostics=diagnostics).rgb.any()
    assert not list(diagnostics)


def test_pictures_are_not_denoised_and_the_scene_keeps_its_setting(robot):
    """With one sample a picture has grain, which a denoiser would take out."""
    import bpy

    cycles = bpy.context.scene.cycles
    bpy.context.scene.world = bpy.data.worlds.new("Sky")
    pictures = []
    for denoised in (True, False):
        cycles.use_denoising = denoised
        pictures.append(sense(robot, "eye", options=SenseOptions(samples=1)).rgb)
        assert cycles.use_denoising is denoised
    assert np.array_equal(*pictures)
