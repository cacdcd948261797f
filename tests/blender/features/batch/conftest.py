# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks for the supervisors of batches."""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.paths import ROOT
from urdf_importer.features.batch.task import RobotTask, Wanted

SAMPLES = ROOT / "sample_urdfs"
MakeTask = Callable[..., RobotTask]


@pytest.fixture
def make_task(tmp_path: Path) -> MakeTask:
    def make(name: str = "two_link_arm", **wanted: object) -> RobotTask:
        return RobotTask(
            input=str(SAMPLES / f"{name}.urdf"),
            output=str(tmp_path),
            place=name,
            wanted=Wanted(**wanted),  # type: ignore[arg-type]
        )

    return make
