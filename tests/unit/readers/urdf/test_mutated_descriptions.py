# SPDX-License-Identifier: GPL-3.0-or-later
"""Real descriptions, damaged: a robot that can be planned or a RobotError, in little time."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import real_robots, xacro_truth
from support.mutations import MOST_BYTES, damaged, examples, read_start
from urdf_importer import Diagnostics, ImportOptions, RobotError, plan_rig, read_robot

pytestmark = pytest.mark.slow

MOST_SECONDS = 20.0
"""A xacro file may use its whole budget."""


def search(contents: list[bytes], place: Path) -> None:
    @examples()
    @given(damaged(st.sampled_from(contents)))
    def find_failures(content: bytes) -> None:
        place.write_bytes(content)
        diagnostics = Diagnostics(str(place))
        began = time.process_time()
        try:
            plan_rig(read_robot(place, diagnostics), ImportOptions(), diagnostics)
        except RobotError as error:
            assert error.message and "\n" not in error.message
        assert time.process_time() - began < MOST_SECONDS

    find_failures()


def test_damaged_urdf(tmp_path: Path) -> None:
    small = [path for path in real_robots.descriptions() if path.stat().st_size < MOST_BYTES]
    search([read_start(path) for path in small[::4]], tmp_path / "damaged.urdf")


def test_damaged_xacro(tmp_path: Path) -> None:
    search([read_start(path) for path in xacro_truth.descriptions()], tmp_path / "damaged.xacro")
