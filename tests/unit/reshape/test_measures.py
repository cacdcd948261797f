# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of measures: what measure writes changes nothing, and means the same in every form."""

import math
from pathlib import Path

import pytest

from support.real_robots import ROOT as ROBOTS
from urdf_importer import ReadError, read_robot
from urdf_importer.cli import main
from urdf_importer.readers.measures import read_measures, read_measures_text
from urdf_importer.reshape import measure, measure_csv, resize

PR2 = ROBOTS / "pr2_description" / "urdf" / "pr2.urdf"


@pytest.mark.parametrize("axes, unit", [("xyz", 1.0), ("zxy", 0.01), ("-yxz", 0.001)])
def test_a_table_of_origins_changes_nothing(axes: str, unit: float) -> None:
    robot = read_robot(PR2)
    table = read_measures_text(measure(robot, axes=axes, unit=unit).encode(), "table")
    assert len(table.origins) == len(robot.joints)
    assert resize(robot, origins=table.origins) == robot


def test_csv_says_the_same(tmp_path: Path) -> None:
    robot = read_robot(PR2)
    for lengths in (False, True):
        (tmp_path / "table.csv").write_text(measure_csv(robot, lengths=lengths))
        found = read_measures(str(tmp_path / "table.csv"))
        assert found == read_measures_text(measure(robot, lengths=lengths).encode(), "table")


def test_lengths_are_distances() -> None:
    robot = read_robot(PR2)
    table = read_measures_text(measure(robot, lengths=True).encode(), "table")
    for joint in robot.joints:
        assert table.lengths.get(joint.name, 0.0) == math.hypot(*joint.origin.xyz)


@pytest.mark.parametrize(
    "text, line",
    [
        ("joint,x,y\na,1,2\n", 1),
        ("joint,x,y,z\na,1,2\n", 2),
        ("joint,x,y,z\n\na,1,2,three\n", 3),
        ("joint,length\na,1\na,2\n", 3),
    ],
)
def test_broken_csv_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ReadError) as problem:
        read_measures_text(text.encode(), "t.csv")
    assert problem.value.line == line


def test_the_way_of_a_user(tmp_path: Path) -> None:
    """Measure, edit one line, convert: one line of the description changes."""
    source, table, out = PR2, tmp_path / "table.yaml", tmp_path / "small.urdf"
    command = [
        "measure",
        str(source),
        "-o",
        str(table),
        "--axes",
        "zxy",
        "--unit",
        "0.01",
        "--quiet",
    ]
    assert main(command) == 0
    text = table.read_text()
    assert '"l_elbow_flex_joint": [0, 0, 40]  # 40 from' in text
    edited = text.replace('"l_elbow_flex_joint": [0, 0, 40]', '"l_elbow_flex_joint": [0, 0, 17.6]')
    table.write_text(edited)
    assert main(["convert", str(source), "-o", str(out), "--resize", str(table), "--quiet"]) == 0
    origins = {joint.name: joint.origin.xyz for joint in read_robot(out).joints}
    assert origins["l_elbow_flex_joint"] == (0.176, 0.0, 0.0)
    changed = [
        name
        for name, xyz in ((j.name, j.origin.xyz) for j in read_robot(source).joints)
        if origins[name] != xyz
    ]
    assert changed == ["l_elbow_flex_joint"]
