# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that break lines or hide letters, in every format that is read."""

from pathlib import Path

import pytest

from urdf_importer import Diagnostics, read_robot

HEAP = "a" + "\u0301" * 200
TEXTS = {
    "r.urdf": '<robot name="r">\n<link name="{}"/></robot>',
    "r.sdf": '<sdf version="1.9"><model name="r">\n<link name="{}"/></model></sdf>',
    "r.xml": '<mujoco model="r"><worldbody>\n<body name="{}"/></worldbody></mujoco>',
}


@pytest.mark.parametrize("file", TEXTS)
@pytest.mark.parametrize(
    ("name", "written"), [("a\nb", "a&#10;b"), ("a\u202eb", "a\u202eb"), (HEAP, HEAP)]
)
def test_odd_names_are_kept_and_reported(
    tmp_path: Path, file: str, name: str, written: str
) -> None:
    (tmp_path / file).write_text(TEXTS[file].format(written), encoding="utf-8")
    diagnostics = Diagnostics()
    robot = read_robot(tmp_path / file, diagnostics=diagnostics)
    assert name in [each.name for each in robot.links]
    (odd,) = (each for each in diagnostics if each.code == "odd-name")
    assert odd.line == 2 and odd.subject == name
    assert "\n" not in odd.message and len(odd.message) < 200


@pytest.mark.parametrize("name", ["Gelenk_ä", "ba\u0302\u0301n", "क्षि", "می\u200cخواهم", "手 1"])
def test_names_of_any_script_are_no_fault(tmp_path: Path, name: str) -> None:
    (tmp_path / "r.urdf").write_text(TEXTS["r.urdf"].format(name), encoding="utf-8")
    diagnostics = Diagnostics()
    read_robot(tmp_path / "r.urdf", diagnostics=diagnostics)
    assert not list(diagnostics)


def test_all_of_a_kind_are_one_warning(tmp_path: Path) -> None:
    links = "".join(f'<link name="{number}&#10;"/>' for number in range(9))
    joints = "".join(
        f'<joint name="{number}" type="fixed"><parent link="0&#10;"/>'
        f'<child link="{number}&#10;"/></joint>'
        for number in range(1, 9)
    )
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{links}{joints}</robot>')
    diagnostics = Diagnostics()
    read_robot(tmp_path / "r.urdf", diagnostics=diagnostics)
    (odd,) = diagnostics
    assert odd.code == "odd-name" and odd.message.startswith("9 names, ")
