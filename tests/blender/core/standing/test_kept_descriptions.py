# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend alone still says all that the description said."""

from dataclasses import replace
from pathlib import Path

import pytest

import urdf_importer
from support.blender.rigs import new_scene
from support.readable_robots import DATA
from urdf_importer.core.blender.standing.properties import pack
from urdf_importer.core.blender.standing.rests import digest_parts
from urdf_importer.core.model import Vector3


@pytest.mark.parametrize("name", ["attributes_at_every_level", "extras_at_every_level"])
def test_nothing_is_lost_in_the_file(name: str, tmp_path: Path) -> None:
    new_scene()
    robot = urdf_importer.import_robot(DATA / f"{name}.urdf").robot
    urdf_importer.save_blend(tmp_path / "robot.blend")
    urdf_importer.new_file()
    urdf_importer.open_blend(tmp_path / "robot.blend")
    (armature,) = urdf_importer.find_robots().values()
    assert urdf_importer.extract_robot(armature) == robot


DIGESTS = {
    ("attributes_at_every_level", "base"): "dfa2aff1 dfa2aff1 4bf758e5 12336c7d d1c4355d",
    ("attributes_at_every_level", "tool"): "8b1dfd7b 132c18f0 8e4e0187 0d4cbb29 0d4cbb29",
    ("attributes_at_every_level", "end"): "5c07df09 e3e9a4a4 dfa2aff1 0d4cbb29 0d4cbb29",
    ("extras_at_every_level", "base"): "dfa2aff1 dfa2aff1 07afca8d 0780d72b 605fe104",
    ("extras_at_every_level", "tool"): "5c07df09 dfa2aff1 dfa2aff1 0d4cbb29 0d4cbb29",
}
"""Of origin, limit, inertial, visuals and collisions, as .blends have always held them."""


@pytest.mark.parametrize(("name", "link"), DIGESTS)
def test_digests_of_parts_stay_those_of_earlier_files(name: str, link: str) -> None:
    """Another digest is an edit, which counts more than an edit in the scene."""
    robot = urdf_importer.read_robot(DATA / f"{name}.urdf")
    found = next(each for each in robot.links if each.name == link)
    joint = next((pack(each) for each in robot.joints if each.child == link), None)
    assert " ".join(digest_parts(pack(found), joint).values()) == DIGESTS[name, link]


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
