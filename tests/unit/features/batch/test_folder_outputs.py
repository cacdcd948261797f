# SPDX-License-Identifier: GPL-3.0-or-later
"""Formats that write folders are outputs of a batch by their names."""

from pathlib import Path

import pytest

from support.paths import ROOT
from urdf_importer import BatchOptions, Ros2Options, WriteError
from urdf_importer.features.batch.run import choose_outputs
from urdf_importer.features.batch.task import RobotTask, run_task


def test_folders_are_written_by_the_name_of_their_format(tmp_path: Path) -> None:
    own = Ros2Options(collision_samples=0, hardware="topic")
    wanted = choose_outputs(["ros2"], BatchOptions(exports=(own,)))
    assert wanted.exports == (("_ros2", own),)
    robot = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")
    task = RobotTask(input=robot, output=str(tmp_path), place="arm.v2", wanted=wanted)
    done = run_task(task, lambda stage: None)
    assert done["status"] == "ok"
    names = sorted(path.name for path in (tmp_path / "arm.v2" / "arm.v2_ros2").iterdir())
    kinds = ("bringup", "description", "moveit_config")
    assert names == [f"two_link_arm_{kind}" for kind in kinds]


def test_unknown_words_name_the_folders_too() -> None:
    with pytest.raises(WriteError, match=r"a batch writes .*ros2"):
        choose_outputs(["none"], BatchOptions())
