# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend alone still says all that the description said."""

from pathlib import Path

import pytest

import urdf_importer
from support.blender.rigs import new_scene
from support.readable_robots import DATA


@pytest.mark.parametrize("name", ["attributes_at_every_level", "extras_at_every_level"])
def test_nothing_is_lost_in_the_file(name: str, tmp_path: Path) -> None:
    new_scene()
    robot = urdf_importer.import_robot(DATA / f"{name}.urdf").robot
    urdf_importer.save_blend(tmp_path / "robot.blend")
    urdf_importer.new_file()
    urdf_importer.open_blend(tmp_path / "robot.blend")
    (armature,) = urdf_importer.find_robots().values()
    assert urdf_importer.extract_robot(armature) == robot
