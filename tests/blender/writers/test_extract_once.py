# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacking a rig is the slow part of an export from a scene: it happens once, never for a name."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT
from urdf_importer import BuildError, export_robot, import_robot, write_builder_script
from urdf_importer.blender.extract import robot as extract
from urdf_importer.model import Joint, Link, Robot
from urdf_importer.pipeline.exporting import suggest_name
from urdf_importer.writers.webots import WEBOTS
from urdf_importer_morse.formats import MORSE

ARM = ROOT / "sample_urdfs" / "humanoid_arm.urdf"

pytestmark = pytest.mark.usefixtures("scene")


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> Counter[type]:
    """How many links, joints and robots were made from properties."""
    counted: Counter[type] = Counter()
    unpack = extract.unpack

    def count(kind: type, packed: Any) -> Any:
        counted[kind] += kind in (Robot, Link, Joint)
        return unpack(kind, packed)

    monkeypatch.setattr(extract, "unpack", count)
    return counted


@pytest.mark.parametrize("file", ["arm.proto", "arm.wbt", "project/", "arm.py"])
def test_each_link_and_joint_once(file: str, tmp_path: Path, unpacked: Counter[type]) -> None:
    made = import_robot(ARM)
    write: Any = write_builder_script if file.endswith(".py") else export_robot
    write(made.armature, f"{tmp_path}/{file}")
    robot = made.robot
    assert (unpacked[Robot], unpacked[Link], unpacked[Joint]) == (
        1,
        len(robot.links),
        len(robot.joints),
    )


def test_a_name_needs_none_of_it(unpacked: Counter[type]) -> None:
    made = import_robot(ARM)
    for suggest in (partial(suggest_name, kind=WEBOTS), partial(suggest_name, kind=MORSE)):
        assert suggest(made.armature) == suggest(made.robot)
        with pytest.raises(BuildError, match="is not an imported robot"):
            suggest(made.links["hand"])
    assert not unpacked
