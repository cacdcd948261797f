# SPDX-License-Identifier: GPL-3.0-or-later
"""Each rule of the check: the smallest robot with its fault, and the nearest one without."""

import re
from pathlib import Path

import pytest

from support.lint_cases import BODY, BOX, CASES, MASS, Arm, mass, mesh, write_meshes
from support.source_tree import ROOT
from urdf_importer import ArgumentError, Diagnostics, LintOptions, check_robot, read_robot
from urdf_importer.core.diagnostics import Severity
from urdf_importer.features.proof.findings import find_help
from urdf_importer.features.proof.rules import CODES
from urdf_importer.features.proof.rules.sides import other_ends, other_side

ALL = LintOptions(level="note", targets=("ros", "moveit", "drake"), most_collision_triangles=100)
FOR_OTHERS = LintOptions(level="note", targets=("gazebo", "usd"), ignore=("no-*", "*-small-mass"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_meshes(tmp_path)


def lint(path: Path, options: LintOptions = ALL) -> list[tuple[str, str]]:
    return [(item.code, item.subject) for item in check_robot(read_robot(path), options=options)]


@pytest.mark.parametrize(
    ("code", "part", "faulty", "sound"), CASES, ids=[f"{n}-{row[0]}" for n, row in enumerate(CASES)]
)
def test_a_rule_names_the_part_and_spares_the_nearest(
    code: str, part: str, faulty: Arm, sound: Arm, folder: Path
) -> None:
    options = [ALL, FOR_OTHERS]
    found = [pair for each in options for pair in lint(faulty.write(folder), each)]
    assert (code, part) in found
    assert code not in [pair[0] for each in options for pair in lint(sound.write(folder), each)]


def test_each_rule_has_a_case_and_an_entry_with_its_anchor() -> None:
    assert {row[0] for row in CASES} == set(CODES)
    page = (ROOT / "docs/reference/diagnostics/lints.md").read_text(encoding="utf-8")
    entries = re.findall(r"^### `([^`]+)`$", page, re.MULTILINE)
    assert set(CODES) <= set(entries)


def test_the_help_of_each_code_is_a_place_in_the_docs() -> None:
    """Entries have anchors on their page; rows of tables on the page of all codes."""
    for page in (ROOT / "docs/reference/diagnostics").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for code in re.findall(r"^### `([^`]+)`$", text, re.MULTILINE):
            assert find_help(code).endswith(f"/reference/diagnostics/{page.stem}.html#{code}")
        for code in re.findall(r"^\| `([a-z0-9-]+)` \| (?=warning|error)", text, re.MULTILINE):
            assert find_help(code).endswith(f"/reference/diagnostics.html#{code}")


def test_messages_have_line_number_and_guess(tmp_path: Path) -> None:
    found = Diagnostics()
    path = Arm(link=mass(4000.0, 60.0) + BODY).write(tmp_path)
    (item,) = check_robot(read_robot(path), diagnostics=found)
    assert (item.line, item.severity) == (2, Severity.WARNING)
    assert "4000 kg" in item.message and "25,000" in item.message and "grams" in item.message
    assert list(found) == [item]


@pytest.mark.parametrize(
    ("name", "target", "level", "told"),
    [("1arm", "ros", Severity.WARNING, "ROS makes no topic or parameter of link '1arm'"),
     ("r/arm", "usd", Severity.WARNING, "USD has another name for link 'r/arm'"),
     ("a::b", "gazebo", Severity.ERROR, "Gazebo refuses link 'a::b'")],
)  # fmt: skip
def test_only_names_that_end_a_reading_are_errors(
    name: str, target: str, level: Severity, told: str, tmp_path: Path
) -> None:
    robot = read_robot(Arm(name=name).write(tmp_path))
    found = check_robot(robot, options=LintOptions(targets=(target,)))
    (item,) = (each for each in found if each.code == "name-refused")
    assert item.severity is level and item.message.startswith(told)


def test_an_inertia_that_is_too_small_is_not_called_one_in_smaller_units(tmp_path: Path) -> None:
    robot = read_robot(Arm(link=mass(1000.0, 1e-5) + BODY).write(tmp_path))
    (item,) = (each for each in check_robot(robot) if each.code == "inertia-unlikely")
    assert " at 1000 kg" in item.message and item.message.endswith("or a token inertia?")


def test_a_body_with_a_lost_shape_is_not_judged_by_the_others(folder: Path) -> None:
    big = f"<collision>{BOX.replace('0.4', '4')}</collision><visual>{BOX}</visual>"
    for link in (mass(4000.0, 60.0) + BODY, big):
        whole = lint(Arm(link=link).write(folder), LintOptions())
        lost = lint(Arm(link=link + mesh(file="lost.stl")).write(folder), LintOptions())
        assert len(whole) == 1 and lost == [("missing-mesh", "arm")]


def test_bodies_are_judged_not_links(tmp_path: Path) -> None:
    sensor = (
        f'<link name="imu">{mass(1e-3, 1e-9)}<visual>{BOX}</visual></link>'
        '<joint name="glue" type="fixed"><parent link="arm"/><child link="imu"/></joint>'
    )
    assert check_robot(read_robot(Arm(more=sensor).write(tmp_path))) == ()


@pytest.mark.parametrize("ignored", ["density-unlikely", "density-*", "*"])
def test_ignored_codes_are_not_given_back(ignored: str, tmp_path: Path) -> None:
    robot = read_robot(Arm(link=mass(4000.0, 60.0) + BODY).write(tmp_path))
    assert check_robot(robot, options=LintOptions(ignore=(ignored,))) == ()


def test_unknown_codes_and_targets_are_refused_with_the_nearest() -> None:
    with pytest.raises(ArgumentError, match="no target 'gazbo'; did you mean 'gazebo'"):
        LintOptions(targets=("gazbo",)).refuse_unknown()
    with pytest.raises(ArgumentError, match="no code 'densty-unlikely'; did you mean 'density-u"):
        LintOptions(ignore=("densty-unlikely",)).refuse_unknown()
    with pytest.raises(ArgumentError, match="no code 'nosuch'"):
        LintOptions(ignore=("nosuch",)).refuse_unknown()


def test_codes_of_reading_can_be_ignored() -> None:
    pages = (ROOT / "docs/reference/diagnostics").glob("*.md")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    codes = re.findall(r"^(?:\|\s*|#+\s*)`([a-z0-9-]+-[a-z0-9-]+)`", text, re.MULTILINE)
    assert len(codes) > 290
    LintOptions(ignore=tuple(codes)).refuse_unknown()


def test_writers_speak_for_their_targets(tmp_path: Path) -> None:
    robot = read_robot(Arm(link=BODY).write(tmp_path))
    found = check_robot(robot, options=LintOptions(targets=("mujoco", "gazebo", "webots", "isaac")))
    codes = {item.code for item in found}
    assert {"mjcf-small-mass", "sdf-small-mass", "usd-mass-assumed"} <= codes


@pytest.mark.parametrize(
    "text",
    [
        '<robot name="r"><link name="a"/></robot>',
        '<robot name="r"><link name="a"/><link name="b"/></robot>',
        f'<robot name="r"><link name="a">{mass(1, 1)}</link></robot>',
        f'<robot name="r"><link name="a">{mass(1e29, 1e29)}{BODY}</link></robot>',
        '<robot name="r"><link name="a"/><joint name="j" type="revolute"><parent link="a"/>'
        '<child link="a"/></joint></robot>',
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="no.stl"/></geometry>'
        "</visual></link></robot>",
        '<robot name="r"><link name="a"><visual><geometry><sphere radius="0"/></geometry></visual>'
        f"{MASS}</link></robot>",
    ],
)
def test_odd_robots_raise_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.urdf"
    path.write_text(text)
    for options in (ALL, LintOptions(level="note", targets=("mujoco", "gazebo"))):
        check_robot(read_robot(path), options=options)


@pytest.mark.parametrize(
    ("name", "other"),
    [("left_hip", "right_hip"), ("LHipYaw", "RHipYaw"), ("armL", "armR"), ("arm_l2", "arm_r2"),
     ("FL_HAA", "FR_HAA"), ("lf_foot", "rf_foot"), ("kneeLeft", "kneeRight"),
     ("lateral", "lateral"), ("Relay", "Relay")],
)  # fmt: skip
def test_words_for_sides_are_changed_over(name: str, other: str) -> None:
    assert other_side(name) == other and other_side(other) == name


def test_words_for_ends_are_changed_over() -> None:
    assert "RL_HAA" in other_ends("FL_HAA") and other_ends("rear_wheel") == ("front_wheel",)
    assert other_ends("hip") == ()
