# SPDX-License-Identifier: GPL-3.0-or-later
"""The sensors of a robot in Blender."""

import pytest

import urdf_importer
from support.blender.rigs import new_scene
from urdf_importer import BuildError

ROBOT = """<robot name="r"><link name="base"/><gazebo reference="base">
<sensor name="eye" type="camera"><update_rate>15</update_rate><topic>look</topic>
<camera><horizontal_fov>1</horizontal_fov><image><width>64</width><height>48</height></image></camera>
</sensor></gazebo></robot>"""


def test_sensors_are_found_in_the_rig(tmp_path):
    new_scene()
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    found = urdf_importer.find_sensors(urdf_importer.import_robot(path))
    assert [(each.name, each.kind, each.topic, each.rate) for each in found] == [
        ("eye", "camera", "/look", 15.0)
    ]


def test_what_is_no_robot_has_no_sensors(scene):
    import bpy

    with pytest.raises(BuildError):
        urdf_importer.find_sensors(bpy.data.objects.new("plain", None))
