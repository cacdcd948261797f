# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of measures: what measure writes changes nothing, and means the same in every form."""

import json
import math
import re
import shlex
import textwrap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.mutations import damaged
from support.paths import ROOT
from support.real_robots import ROOT as ROBOTS
from support.seconds import within
from urdf_importer import Diagnostics, ReadError, forward_kinematics, read_robot, read_srdf
from urdf_importer.cli import main
from urdf_importer.core.reshape import measure, measure_csv, resize
from urdf_importer.core.reshape.measures_file import read_measures, read_measures_text

YAML = """# A table
origins: {torso: [0, 83.2, 0]}
lengths:
  elbow: 17.6
  wrist: &same 13.12
  other: *same
factors: {head: 1.2, hand: [1, 2, 1]}
symmetric: yes
convention: {axes: zxy, unit: 0.01}
"""
JSON = """{
\t"origins": {"torso": [0, 83.2, 0]},
\t"lengths": {"elbow": 17.6, "wrist": 13.12, "other": 13.12},
\t"factors": {"head": 1.2, "hand": [1, 2, 1]},
\t"symmetric": true,
\t"convention": {"axes": "zxy", "unit": 0.01}
}"""
CSV = "joint,x,y,z\ntorso,0,0,0.832\nelbow,0.176,0,0\n"
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
        ('joint,length\n"a\n\nb",x\n', 4),
        ("joint,length\na,nan\n", 2),
        ("joint,length\n" + "a" * 200_000 + ",1\n", 2),
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


HOSTILE = {
    "scale: 1" + "0" * 400: 1,
    "scale: 0x" + "f" * 5000: 1,
    "scale: .nan": 1,
    "scale: 1_0": 1,
    "scale: [1]": 1,
    "scale: 2001-01-01": 1,
    "scale: 1\nsymmetric: maybe": 2,
    "origins: 7": 1,
    "origins:\n  a: [1, 2, 3]\n  b: [1, 2]": 3,
    "origins:\n  a: [1, 2, {x: 3}]": 2,
    "origins:\n  a: [1, 2, 3]\n  a: [1, 2, 4]": 3,
    "origins: {1: [1, 2, 3], '1': [1, 2, 4]}": 1,
    "origins: {[a, b]: [1, 2, 3]}": 1,
    "origins: !!python/object/apply:os.system [ls]": 1,
    "origins: &a {x: *a}": 1,
    "convention: {axes: xxy}": 1,
    "convention: {unit: 0}": 1,
    "convention: {unit: 1e-300}": 1,
    "nonsense: 1": 1,
    "{" + "a: {" * 5000: 1,
    "[" * 100_000: 1,
    "": 1,
    "{}": 0,
    '{"scale": NaN}': 0,
    '{"scale": 1, "scale": 2}': 0,
    '{"scale":' + "[" * 100_000: 0,
    "\0\0\0": 0,
}


@pytest.mark.parametrize("text, line", HOSTILE.items(), ids=lambda each: str(each)[:30])
def test_hostile_tables_are_refused_in_one_sentence(text: str, line: int) -> None:
    with pytest.raises(ReadError) as problem:
        read_measures_text(text.encode(), "t.yaml")
    assert problem.value.line == line
    message = str(problem.value)
    assert message.startswith("t.yaml:") and "\n" not in message and len(message) < 250


def test_bombs_stand_for_nothing() -> None:
    """A few lines that stand for gigabytes, in time and memory of their own size."""
    lines = ["origins:", "  a: &a [1, 1, 1]"]
    before = "a"
    for level in range(40):
        lines.append(f"  b{level}: &b{level} [*{before}, *{before}, *{before}]")
        before = f"b{level}"
    many = "origins:\n  a: &a [" + "1," * 5000 + "1]\n" + "".join(
        f"  b{row}: *a\n" for row in range(5000)
    )  # fmt: skip
    for _ in within(5.0):
        for text in ("\n".join(lines), many):
            with pytest.raises(ReadError):
                read_measures_text(text.encode(), "t.yaml")


@settings(max_examples=100, deadline=None)
@given(damaged(st.sampled_from([YAML.encode(), JSON.encode(), CSV.encode()])))
def test_damaged_tables_are_read_or_refused(data: bytes) -> None:
    try:
        table = read_measures_text(data, "t.yaml")
    except ReadError as problem:
        assert "\n" not in str(problem)
        return
    numbers = [each for xyz in table.origins.values() for each in xyz]
    assert all(map(math.isfinite, [*numbers, *table.lengths.values(), table.scale]))


def test_json_is_read_as_programs_write_it() -> None:
    wanted = read_measures_text(YAML.encode(), "t.yaml")
    assert read_measures_text(JSON.encode(), "t.json") == wanted
    assert wanted.symmetric and wanted.origins == {"torso": (0.0, 0.0, 0.832)}
    assert wanted.factors == {"head": 1.2, "hand": (1.0, 2.0, 1.0)}


def test_many_rows_are_read_in_a_second() -> None:
    """As many as a robot may have links, as CSV and as JSON."""
    rows = range(20_000)
    text = "joint,length\n" + "".join(f"j{row},0.5\n" for row in rows)
    for _ in within(4.0):
        table = read_measures_text(text.encode(), "t.csv")
        assert len(table.lengths) == len(rows)
        again = json.dumps({"lengths": dict(table.lengths)}).encode()
        assert read_measures_text(again, "t") == table


def test_the_humanoid_of_the_page(tmp_path: Path) -> None:
    """What docs/how-to/reshaping.md says of Talos and its child, by its own table and command."""
    page = (ROOT / "docs" / "how-to" / "reshaping.md").read_text(encoding="utf-8")
    section = page.split("## A big humanoid becomes a small one")[1].split("\n## ")[0]
    table, command, *_ = re.findall(r"(?:^    .*\n)+", section, re.MULTILINE)
    (tmp_path / "child.yaml").write_text(textwrap.dedent(table))
    talos = ROBOTS / "talos_data"
    places = {
        "talos_full_v2.urdf": talos / "robots" / "talos_full_v2.urdf",
        "talos.srdf": talos / "srdf" / "talos.srdf",
    }
    words = shlex.split(command.replace("\\\n", " "))[1:]
    known = {"child.urdf", "child.srdf", "child.yaml"}
    words = [str(places.get(w, tmp_path / w if w in known else w)) for w in words]
    assert main([*words, "--quiet"]) == 0
    big, small = read_robot(places["talos_full_v2.urdf"]), read_robot(tmp_path / "child.urdf")
    heights, masses = [], []
    for robot in (big, small):
        frames = forward_kinematics(robot)
        heights.append(frames["head_2_link"][2, 3] - frames["leg_left_6_link"][2, 3])
        masses.append(sum(link.inertial.mass or 0.0 for link in robot.links if link.inertial))
        # Both sides are alike.
        left, right = frames["arm_left_7_link"][:3, 3], frames["arm_right_7_link"][:3, 3]
        assert np.abs(left * (1, -1, 1) - right).max() < 1e-3
    assert [f"{height:.2f}" for height in heights] == ["1.37", "0.72"]
    assert [f"{mass:.0f}" for mass in masses] == ["93", "20"]
    semantics = read_srdf(
        tmp_path / "child.srdf", robot=small, diagnostics=(diagnostics := Diagnostics())
    )
    assert semantics.groups and not len(diagnostics)
