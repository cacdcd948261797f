# SPDX-License-Identifier: GPL-3.0-or-later
"""Rendered pictures show points within a tenth of a pixel of where K projects them."""

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene
from urdf_importer import ImportOptions, SenseOptions, find_sensors, import_robot, sense

SIZES = {
    "plain": (160, 120, ""),
    "portrait": (90, 160, ""),
    "flat": (160, 120, "<fx>150</fx><fy>105</fy><cx>61.3</cx><cy>70.8</cy>"),
    "tall": (160, 120, "<fx>120</fx><fy>170</fy><cx>95.1</cx><cy>48.2</cy>"),
}
"""Width, height, intrinsics."""
WITHIN = 0.1
RADIUS, DEPTH = 5.0, 4.0
"""Pixels, and metres."""


def make_sensor(name):
    width, height, lens = SIZES[name]
    inside = f"<lens><intrinsics>{lens}</intrinsics></lens>" if lens else ""
    return (
        f'<sensor name="{name}" type="camera"><pose>0.1 0.2 0.5 0.1 -0.3 0.7</pose><camera>'
        f"<horizontal_fov>1.0</horizontal_fov><image><width>{width}</width><height>{height}"
        f"</height></image><clip><near>0.1</near><far>20</far></clip>{inside}</camera></sensor>"
    )


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    new_scene()
    sensors = "".join(map(make_sensor, SIZES))
    text = f'<robot name="r"><link name="base"/><gazebo reference="base">{sensors}</gazebo></robot>'
    path = tmp_path_factory.mktemp("robot") / "robot.urdf"
    path.write_text(text)
    armature = import_robot(path, options=ImportOptions(sensors=True)).armature
    armature.location, armature.rotation_euler = (0.4, -0.2, 0.3), (0.2, 0.1, -0.4)
    return armature


def make_glow():
    glow = bpy.data.materials.new("glow")
    if not glow.node_tree:
        glow.use_nodes = True
    tree = glow.node_tree
    tree.nodes.clear()
    light, out = tree.nodes.new("ShaderNodeEmission"), tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(light.outputs[0], out.inputs[0])
    return glow


def add_disc(frame, K, pixel, glow):
    """A disc across the camera's axis: its picture is one too, about the projected centre."""
    middle = np.linalg.solve(K, (*pixel, 1.0)) * DEPTH
    turns = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
    radius = RADIUS * DEPTH / K[0, 0]
    ring = middle + radius * np.stack([np.cos(turns), np.sin(turns), np.zeros(64)], axis=1)
    mesh = bpy.data.meshes.new("disc")
    placed = ring @ frame[:3, :3].T + frame[:3, 3]
    mesh.from_pydata(placed.tolist(), [], [list(range(64))])
    mesh.materials.append(glow)
    item = bpy.data.objects.new("disc", mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


def find_middle(picture, pixel):
    """The middle of the light about a pixel, of linear colours, beside the sky."""
    shown = picture[..., 1] / 255.0
    light = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    light = light - np.median(light)
    rows, columns = np.mgrid[: light.shape[0], : light.shape[1]]
    light = light * (np.hypot(columns - pixel[0], rows - pixel[1]) < 3.0 * RADIUS)
    return np.array([(light * columns).sum(), (light * rows).sum()]) / light.sum()


@pytest.mark.parametrize("name", SIZES)
def test_points_are_where_the_matrix_projects_them(robot, name):
    bpy.context.view_layer.update()
    (sensor,) = (each for each in find_sensors(robot) if each.name == name)
    width, height, _ = SIZES[name]
    frame = np.array(bpy.data.objects["base"].matrix_world) @ sensor.frame
    pixels = [(12.3, 14.6), (width - 13.7, 20.2), (width / 2, height / 2), (20.0, height - 15.4)]
    glow = make_glow()
    discs = [add_disc(frame, sensor.K, pixel, glow) for pixel in pixels]
    picture = sense(robot, name, options=SenseOptions(samples=64)).rgb
    assert picture.shape == (height, width, 3)
    found = np.array([find_middle(picture, pixel) for pixel in pixels])
    for disc in discs:
        bpy.data.objects.remove(disc)
    assert np.abs(found - pixels).max() < WITHIN, found - pixels
