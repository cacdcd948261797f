# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints as files: written and read again, and refused in a sentence with the line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.cell_jobs import rotation_about
from urdf_importer import KinematicsError, ReadError, Waypoint, read_waypoints, write_waypoints

NUMBERS = st.floats(-1e3, 1e3, allow_subnormal=False)
SHARES = st.floats(1e-3, 1.0)
POSITIVE = st.floats(0.0, 1e3, allow_subnormal=False)
TEXTS = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=8)


@st.composite
def waypoints(draw: Any) -> Waypoint:
    pose = None
    if draw(st.booleans()):
        axis = np.array(draw(st.tuples(*[st.floats(0.1, 1.0)] * 3)))
        pose = np.eye(4)
        pose[:3, :3] = rotation_about(axis, draw(st.floats(-3.0, 3.0)))
        pose[:3, 3] = draw(st.tuples(NUMBERS, NUMBERS, NUMBERS))
    taught = draw(st.dictionaries(TEXTS, NUMBERS, max_size=3))
    if pose is None and not taught:
        taught = {"a": draw(NUMBERS)}
    move = draw(st.sampled_from(["joint", "linear", "circular"]))
    via = draw(st.tuples(NUMBERS, NUMBERS, NUMBERS)) if move == "circular" else None
    return Waypoint(
        name=draw(TEXTS), pose=pose, positions=taught or None, move=move, via=via,
        blend=draw(POSITIVE), speed=draw(SHARES), tool_speed=draw(POSITIVE), pause=draw(POSITIVE),
        swivel=draw(st.none() | st.floats(-3.0, 3.0)), frame=draw(st.just("") | TEXTS),
        program=draw(st.just("") | TEXTS), after=draw(st.just("") | TEXTS),
        link=draw(st.sampled_from(["", "gun", "gripper"])),
    )  # fmt: skip


def same(one: Waypoint, other: Waypoint) -> bool:
    """Equal, poses to 1e-15 of their size."""
    if (one.pose is None) != (other.pose is None):
        return False
    if one.pose is not None:
        mine, its = np.asarray(one.pose), np.asarray(other.pose)
        assert np.array_equal(mine[:3, 3], its[:3, 3])
        assert np.abs(mine[:3, :3] - its[:3, :3]).max() < 2e-15
    rest = [
        {name: getattr(each, name) for name in Waypoint.__dataclass_fields__ if name != "pose"}
        for each in (one, other)
    ]
    for each in rest:
        each["via"] = None if each["via"] is None else each["via"].tolist()
    return bool(rest[0] == rest[1])


@pytest.mark.parametrize("suffix", [".yaml", ".csv"])
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(points=st.lists(waypoints(), min_size=1, max_size=4))
def test_reading_gives_what_was_written(
    tmp_path: Path, suffix: str, points: list[Waypoint]
) -> None:
    path = write_waypoints(points, tmp_path / f"cell{suffix}")
    found = read_waypoints(path)
    assert len(found) == len(points)
    assert all(same(one, other) for one, other in zip(points, found, strict=True))


def test_the_file_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text(
        "link: gun\nwaypoints:\n"
        "  - {name: home, positions: {a: 0.0, b: -0.3}}\n"
        "  - {name: weld, move: linear, pose: [0.4, 0.1, 0.3, 1, 0, 0, 0], blend: 0.01,"
        " tool_speed: 0.1, frame: table}\n"
        "  - {name: end, move: circular, via: [0.45, 0.15, 0.3],"
        " pose: [0.5, 0.1, 0.3, 1, 0, 0, 0], pause: 0.5}\n"
    )
    home, weld, end = read_waypoints(tmp_path / "cell.yaml")
    assert home.positions == {"a": 0.0, "b": -0.3} and home.link == "gun"
    assert (weld.move, weld.blend, weld.tool_speed, weld.frame) == ("linear", 0.01, 0.1, "table")
    assert np.asarray(weld.pose)[:3, :3] == pytest.approx(np.diag([1.0, -1.0, -1.0]))
    assert np.asarray(end.via).tolist() == [0.45, 0.15, 0.3] and end.pause == 0.5


def test_columns_may_be_missing_and_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("joint:b,move,joint:a\n1,linear,2\n,joint,3\n")
    first, second = read_waypoints(tmp_path / "a.csv")
    assert (first.positions, first.move) == ({"b": 1.0, "a": 2.0}, "linear")
    assert second.positions == {"a": 3.0}


def test_a_path_of_a_link_is_lines_at_its_own_speed(tmp_path: Path) -> None:
    (tmp_path / "way.csv").write_text("time,x,y,z\n0,0,0,0.5\n2,0,0.4,0.5\n")
    first, second = read_waypoints(tmp_path / "way.csv")
    assert first.tool_speed == 0.0
    assert (second.move, second.tool_speed) == ("linear", pytest.approx(0.2))


def test_rows_of_one_place_are_a_rest(tmp_path: Path) -> None:
    """Of two places, 3 s at the first one and 1 s at the last one; a turn is no rest."""
    rows = ("0,0,0,0.5", "1,0,0,0.5", "3,0,0,0.5", "5,0,0.4,0.5", "6,0,0.4,0.5")
    (tmp_path / "way.csv").write_text("\n".join(("time,x,y,z", *rows)))
    first, second = read_waypoints(tmp_path / "way.csv")
    assert (first.pause, second.pause, second.tool_speed) == (3.0, 1.0, pytest.approx(0.2))
    turned = [f"{row},{turn}" for row, turn in zip(rows[:2], ("0,0,0,1", "1,0,0,0"), strict=True)]
    (tmp_path / "way.csv").write_text("\n".join(("time,x,y,z,qx,qy,qz,qw", *turned)))
    assert [each.pause for each in read_waypoints(tmp_path / "way.csv")] == [0.0, 0.0]


REFUSED = {
    "yaml": {
        "a: 1\n": (1, "the file of waypoints has no waypoints"),
        "waypoints: 3\n": (1, "waypoints must be a list"),
        "waypoints:\n  - 3\n": (2, "a waypoint must be a mapping"),
        "waypoints:\n  - {nam: a}\n": (2, "a waypoint has no 'nam'; did you mean 'name'"),
        "waypoints:\n  - {name: a}\n": (2, "'a' has neither a pose nor positions"),
        "waypoints:\n  - {positions: {a: x}}\n": (2, "the position of 'a' must be a number"),
        "waypoints:\n  - {pose: [1, 2]}\n": (2, "a pose has seven numbers"),
        "waypoints:\n  - {pose: [1, 2, 3, 0, 0, 0, 0]}\n": (2, "has no direction"),
        "waypoints:\n  - {move: linea, positions: {a: 1}}\n": (2, "there is no move 'linea'"),
        "waypoints:\n  - {name: a, blend: -1, positions: {a: 1}}\n": (
            2, "the blend of 'a' must be 0 or more, not -1"
        ),
        "waypoints:\n  - {name: a, move: circular, positions: {a: 1}}\n": (
            2, "'a' is reached on a circle and has no via point"
        ),
    },
    "csv": {
        "": (1, "is empty"),
        "nme\nx\n": (1, "a table of waypoints has no column 'nme'"),
        "name,name\nx,y\n": (1, "a column is there twice"),
        "name,joint:a\nx\n": (2, "a row of this table has 2 cells"),
        "name,joint:a\nx,y\n": (2, "'y' is not a number"),
        "name,x,y\na,1,2\n": (2, "the pose lacks a number"),
        "name,speed,joint:a\na,1.5,2\n": (2, "must be above 0 and at most 1, not 1.5"),
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("suffix", "text"), [(suffix, text) for suffix, each in REFUSED.items() for text in each]
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, suffix: str, text: str) -> None:
    line, said = REFUSED[suffix][text]
    path = tmp_path / f"cell.{suffix}"
    path.write_text(text)
    with pytest.raises(ReadError) as caught:
        read_waypoints(path)
    assert said in str(caught.value) and caught.value.line == line


def test_other_suffixes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(KinematicsError, match=r"written as \.yaml"):
        write_waypoints([Waypoint(positions={"a": 1.0})], tmp_path / "cell.txt")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", ["yaml", "csv"])
def test_the_tool_of_waypoints_that_name_none_is_written(tmp_path: Path, suffix: str) -> None:
    points = [Waypoint(positions={"a": 1.0}), Waypoint(positions={"a": 2.0}, link="gun")]
    path = write_waypoints(points, tmp_path / f"cell.{suffix}", link="cup")
    assert [each.link for each in read_waypoints(path)] == ["cup", "gun"]
    path = write_waypoints(points[:1], tmp_path / f"cell.{suffix}", link="cup")
    assert [each.link for each in read_waypoints(path)] == ["cup"]


def test_a_path_is_as_long_as_a_table_may_be(tmp_path: Path) -> None:
    rows = "".join(f"{each},0.1,0,0\n" for each in range(10_001))
    (tmp_path / "path.csv").write_text(f"time,x,y,z\n{rows}")
    with pytest.raises(ReadError, match="has more than 10000"):
        read_waypoints(tmp_path / "path.csv")


def test_positions_and_names_of_other_kinds_are_refused(tmp_path: Path) -> None:
    text = "waypoints:\n  - {pose: [0, 0, 0, 0, 0, 0, 1], positions: 5}\n"
    (tmp_path / "cell.yaml").write_text(text)
    with pytest.raises(ReadError, match="positions must be a mapping"):
        read_waypoints(tmp_path / "cell.yaml")
    wrong: Any = 5
    with pytest.raises(KinematicsError, match="the name of a waypoint must be a text, not 5"):
        Waypoint(name=wrong, positions={"a": 0.0})
