# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend alone still says all that the description said."""

from dataclasses import replace
from pathlib import Path

import pytest

import urdf_importer
from support.blender.rigs import new_scene
from support.readable_robots import DATA
from urdf_importer.model import Vector3


@pytest.mark.parametrize("name", ["attributes_at_every_level", "extras_at_every_level"])
def test_nothing_is_lost_in_the_file(name: str, tmp_path: Path) -> None:
    new_scene()
    robot = urdf_importer.import_robot(DATA / f"{name}.urdf").robot
    urdf_importer.save_blend(tmp_path / "robot.blend")
    urdf_importer.new_file()
    urdf_importer.open_blend(tmp_path / "robot.blend")
    (armature,) = urdf_importer.find_robots().values()
    assert urdf_importer.extract_robot(armature) == robot


@pytest.mark.parametrize("name", ["attributes_at_every_level", "complete_urdf_1_2"])
def test_the_file_alone_writes_the_text_that_was_read(name: str, tmp_path: Path) -> None:
    new_scene()
    source = tmp_path / "robot.urdf"
    text = (DATA / f"{name}.urdf").read_bytes()
    source.write_bytes(text)
    urdf_importer.import_robot(source)
    urdf_importer.save_blend(tmp_path / "robot.blend")
    source.unlink()
    urdf_importer.open_blend(tmp_path / "robot.blend")
    (armature,) = urdf_importer.find_robots().values()
    result = urdf_importer.write_urdf(armature, tmp_path / "out.urdf")
    assert result.path.read_bytes() == text
    assert result.changes == ()
    robot = urdf_importer.extract_robot(armature)
    joint = replace(robot.joints[0], axis=(0.0, 0.5, 0.5))
    changed = replace(robot, joints=(joint, *robot.joints[1:]))
    result = urdf_importer.write_urdf(changed, tmp_path / "out.urdf")
    before, after = text.splitlines(), result.path.read_bytes().splitlines()
    assert len(set(after) - set(before)) == 1
    assert [str(change) for change in result.changes] == [
        f"joint '{joint.name}': axis {show(robot.joints[0].axis)} -> 0 0.5 0.5"
    ]


def show(axis: Vector3 | None) -> str:
    return " ".join(f"{number:g}" for number in axis or ())
