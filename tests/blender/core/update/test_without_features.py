# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots are imported, updated and deleted where every feature was removed."""

import bpy
import pytest

from support.paths import ROOT
from urdf_importer import delete_robot, find_robots, import_robot, update_robot
from urdf_importer.core import reshape, shelves

pytestmark = pytest.mark.usefixtures("scene")


def test_rigs_need_no_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    formats = shelves.list_parts("formats")
    monkeypatch.setattr(shelves, "list_parts", {"formats": formats, "features": ()}.__getitem__)
    made = import_robot(ROOT / "sample_urdfs" / "quadruped_leg.urdf")
    assert update_robot(made.armature, robot=reshape.resize(made.robot, scale=2.0)).changes
    delete_robot(made.armature)
    assert not find_robots() and not bpy.data.armatures
