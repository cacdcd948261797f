# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of the reference beside urdf2webots is its benchmark's, but for seconds."""

import subprocess
import sys

import pytest

from support.paths import ROOT
from support.real_robots import descriptions, name_of

EMPTY = "ur_description/ur3"
# The peer is right, loses joints, loses sensors, writes what cannot be parsed; nobody has anything.
CHOSEN = (
    "solo_description/solo", "human_description/human", "hyq_description/hyq_no_sensors",
    "so_arm_description/so100", EMPTY,
)  # fmt: skip


def documented() -> dict[str, list[str]]:
    """Robot -> the other cells of its row."""
    return rows_of((ROOT / "docs" / "reference" / "webots_peer.md").read_text("utf-8"))


def rows_of(text: str) -> dict[str, list[str]]:
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {name: cells for name, *cells in lines if name not in ("robot", "**all**")}


def run_benchmark(*robots: str) -> dict[str, list[str]]:
    command = [sys.executable, str(ROOT / "benchmarks" / "webots_peer.py"), "--runs", "1", *robots]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    return rows_of(done.stdout)


def without_seconds(rows: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: cells[:6] for name, cells in rows.items()}


def test_chosen_rows_are_true() -> None:
    expected = {name: documented()[name] for name in CHOSEN}
    assert without_seconds(run_benchmark(*CHOSEN)) == without_seconds(expected)


@pytest.mark.slow
def test_all_rows_are_true() -> None:
    assert without_seconds(run_benchmark()) == without_seconds(documented())


def test_the_table_has_every_robot_and_ours_are_whole() -> None:
    rows = documented()
    assert list(rows) == [name_of(path) for path in descriptions()]
    for name, (valid, _, axes, *_) in rows.items():
        kept, _, count = axes.partition(" of ")
        assert name == EMPTY or (valid == "yes" and (axes == "-" or kept == count)), name
