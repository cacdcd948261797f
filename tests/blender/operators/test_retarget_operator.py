# SPDX-License-Identifier: GPL-3.0-or-later
"""Retarget in the sidebar: the operator does what the library does."""

import bpy
import pytest

from support.people import SAMPLE
from support.real_robots import ROOT
from urdf_importer.pipeline.retargeting import open_person

pytestmark = [
    pytest.mark.usefixtures("scene", "extension"),
    # Blender's importer of BVH leaves its file open.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
LEGS = str(ROOT / "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf")


def test_the_robot_follows_the_other_armature():
    bpy.ops.import_scene.urdf(filepath=LEGS)
    robot = bpy.context.view_layer.objects.active
    assert not bpy.ops.urdf.retarget.poll()
    person = open_person(str(SAMPLE))
    bpy.context.view_layer.objects.active = robot
    assert bpy.ops.urdf.retarget(action="Walk", velocity="report") == {"FINISHED"}
    action = robot.animation_data.action
    assert action.name == "Walk"
    assert action["urdf_retarget"]["source"] == person.name
    assert len(action["urdf_retarget"]["limbs"]) == 2
    with pytest.raises(RuntimeError, match="is the person"):
        bpy.ops.urdf.retarget(person="nobody")
