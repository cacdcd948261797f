# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors of strangers: each measures, or is refused in one sentence with nothing left behind."""

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    RecordOptions,
    RobotError,
    import_robot,
    record_sensors,
    sense,
)


def camera(width="16", height="12", angle="1", more=""):
    return (
        f"<camera><horizontal_fov>{angle}</horizontal_fov><image><width>{width}</width><height>"
        f"{height}</height></image><clip><near>0.1</near><far>9</far></clip>{more}</camera>"
    )


def scan(across, up="<samples>1</samples>"):
    return (
        f"<ray><scan><horizontal>{across}</horizontal><vertical>{up}</vertical></scan><range>"
        "<min>0.1</min><max>9</max></range></ray>"
    )


MANY = "<samples>100000</samples><min_angle>-1</min_angle><max_angle>1</max_angle>"
ODD = "<samples>5</samples><min_angle>nan</min_angle><max_angle>inf</max_angle>"
LENS = "<lens><intrinsics><fx>{0}</fx><fy>{0}</fy><cx>8</cx><cy>6</cy></intrinsics></lens>"
BENT = "<distortion><k1>1e9</k1><k2>nan</k2></distortion>"
CASES = {
    "one column": ("camera", camera(width="-5"), "4 x 4 are the least"),
    "no words": ("depth", camera("a", "b", "c"), ""),
    "too large": ("depth", camera("1e6", "1e6"), "no sensor 's'"),
    "no focal length": ("depth", camera(more=LENS.format("1e-300")), "no sensor 's'"),
    "folded": ("depth", camera(more=BENT), "folds its picture"),
    "half a turn": ("depth", camera(angle="3.14159265"), ""),
    "many rays": ("ray", scan(MANY, MANY), "rays are too many"),
    "no angles": ("ray", scan(ODD), ""),
    "no pose": ("ray", "<pose>nan 0 0 0 1e20 0</pose>" + scan("<samples>1</samples>"), ""),
    "far away": ("ray", "<pose>1e300 0 0 0 0 0</pose>" + scan("<samples>9</samples>"), ""),
    "a cone": ("sonar", "<sonar><min>-5</min><max>nan</max><radius>1e300</radius></sonar>", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_what_strangers_write(tmp_path, name):
    kind, content, words = CASES[name]
    new_scene()
    path = tmp_path / "robot.urdf"
    text = f'<gazebo reference="base"><sensor name="s" type="{kind}">{content}</sensor></gazebo>'
    path.write_text(f'<robot name="r"><link name="base"/>{text}</robot>')
    armature = import_robot(path, options=ImportOptions(sensors=True)).armature
    before = {each.name for group in (bpy.data.objects, bpy.data.scenes) for each in group}
    options = RecordOptions(samples=1, distort=True, end_frame=2.0, sensors=("s",))
    if words:
        with pytest.raises(RobotError, match=words) as caught:
            sense(armature, "s", options=options, diagnostics=Diagnostics())
        assert "\n" not in str(caught.value)
        with pytest.raises(RobotError):
            record_sensors(armature, tmp_path / "run.mcap", options=options)
        assert [each.name for each in tmp_path.iterdir()] == ["robot.urdf"]
    else:
        reading = sense(armature, "s", options=options, diagnostics=Diagnostics())
        for numbers in (reading.ranges, reading.depth):
            assert numbers is None or not np.isnan(numbers).any()
        assert record_sensors(armature, tmp_path / "run.mcap", options=options)
    after = {each.name for group in (bpy.data.objects, bpy.data.scenes) for each in group}
    assert after == before


def test_places_that_take_no_recording(tmp_path):
    new_scene()
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="r"><link name="base"/></robot>')
    armature = import_robot(path).armature
    (tmp_path / "folder.mcap").mkdir()
    for place in ("folder.mcap", "nowhere/run.mcap", "robot.urdf/run.bag"):
        with pytest.raises(RobotError) as caught:
            record_sensors(armature, tmp_path / place, options=RecordOptions(end_frame=2.0))
        assert "\n" not in str(caught.value)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder.mcap", "robot.urdf"]
