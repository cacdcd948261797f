# SPDX-License-Identifier: GPL-3.0-or-later
"""The command collide: a row for each contact, and a status that scripts can ask."""

import json
from pathlib import Path

import pytest

from urdf_importer.cli import main


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """Two fingers, 0.1 m thick, that close along x and touch at 0.4 m."""
    cube = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    path = tmp_path / "fingers.urdf"
    path.write_text(
        f'<robot name="fingers"><link name="palm"/><link name="left">{cube}</link>'
        f'<link name="right">{cube}</link><joint name="stay" type="fixed"><parent link="palm"/>'
        '<child link="left"/></joint><joint name="close" type="prismatic"><parent link="palm"/>'
        '<child link="right"/><origin xyz="0.5 0 0"/><axis xyz="-1 0 0"/>'
        '<limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>'
    )
    return path


def test_nothing_touches(robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collide", str(robot), "--disabled", "none"]) == 0
    assert capsys.readouterr().out == "nothing touches\n"


def test_contacts_of_a_motion_have_their_times(
    robot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    motion = tmp_path / "close.csv"
    motion.write_text("time,close\n0,0\n2,0.2\n4,0.6\n")
    assert main(["collide", str(robot), str(motion), "--disabled", "none"]) == 1
    _, row = capsys.readouterr().out.splitlines()
    one, other, start, _, end, *_ = row.split()
    assert {one, other} == {"left", "right"}
    assert float(start) == pytest.approx(3.0, abs=0.002) and float(end) == pytest.approx(4.0)


def test_scripts_read_contacts_as_json(
    robot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    motion = tmp_path / "close.csv"
    motion.write_text("time,close\n0,0.45\n1,0.45\n")
    assert main(["collide", str(robot), str(motion), "--disabled", "none", "--json", "-"]) == 1
    (contact,) = json.loads(capsys.readouterr().out)["contacts"]
    assert {contact["link1"], contact["link2"]} == {"left", "right"}
    assert len(contact["point"]) == 3 and 0.0 <= contact["point"][0] <= 0.1


def test_objects_need_a_scene(robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["collide", str(robot), "--object", "Wall"])
    assert stopped.value.code == 2
    assert "--robot and --object need a .blend" in capsys.readouterr().err
