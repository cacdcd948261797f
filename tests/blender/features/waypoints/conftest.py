# SPDX-License-Identifier: GPL-3.0-or-later
"""An arm."""

from typing import Any

import bpy
import pytest

from support.arm_chains import ARMS
from urdf_importer import ImportOptions, import_robot, set_joint_positions


@pytest.fixture
def panda() -> Any:
    """Bent, and without shapes."""
    (arm,) = (each for each in ARMS if each.name == "panda")
    armature = import_robot(
        arm.path, options=ImportOptions(visuals=False, collisions=False)
    ).armature
    set_joint_positions(armature, {"panda_joint4": -1.7, "panda_joint6": 1.6})
    bpy.context.view_layer.update()
    return armature
