# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags that lack their "xacro:" are named, and others' tags of these names are not."""

from collections.abc import Callable
from pathlib import Path

from urdf_importer import ReadError, read_robot
from urdf_importer.core.diagnostics import Diagnostics

Write = Callable[..., Path]


def warnings_of(path: Path) -> list[tuple[str, int]]:
    diagnostics = Diagnostics()
    try:
        read_robot(path, diagnostics=diagnostics)
    except ReadError as error:
        assert "is not defined" in error.message
    assert {item.code for item in diagnostics} <= {"missing-xacro-prefix"}
    return [(item.message.partition(">")[0][1:], item.line) for item in diagnostics]


def test_each_tag_without_its_prefix_is_named_once(write: Write) -> None:
    path = write(
        "<link name='b'/>\n<include filename='parts.xacro'/>\n<property name='a' value='1'/>"
        "<property name='b' value='1'/>\n<if value='1'>\n<unless value='0'/></if>\n"
        "<macro name='m' params='x'><x/></macro>\n<xacro:macro name='n' params=''>\n<link name='c'>"
        "\n<visual><if value='1'/><geometry><box size='1 1 1'/></geometry></visual></link>"
        "</xacro:macro>\n<xacro:n/>"
    )
    assert warnings_of(path) == [
        ("include", 3),
        ("property", 4),
        ("property", 4),
        ("if", 5),
        ("unless", 6),
        ("macro", 7),
        ("if", 10),
    ]


def test_the_error_about_a_macro_comes_with_the_include_that_lacks_its_prefix(write: Write) -> None:
    path = write("<include filename='macros.xacro'/><link name='b'/>\n<xacro:arm n='a'/>")
    assert warnings_of(path) == [("include", 2)]


def test_a_macro_that_is_called_often_has_one_warning(write: Write) -> None:
    write("<xacro:macro name='m'>\n<property name='a'/></xacro:macro>", name="parts.xacro")
    path = write(
        "<xacro:include filename='parts.xacro'/><link name='b'/>\n<xacro:m/><xacro:m/><xacro:m/>"
    )
    assert warnings_of(path) == [("property", 3)]


def test_elements_of_plugins_are_their_own(write: Write) -> None:
    path = write(
        "<link name='b'/><gazebo><plugin name='p'><include/><if/><property/></plugin></gazebo>"
        "<gazebo><property/><xacro:m/></gazebo><ros2_control><hardware><property name='x'/>"
        "</hardware></ros2_control><xacro:macro name='m'><if/></xacro:macro><gazebo><xacro:m/>"
        "</gazebo><plugins_own><macro/></plugins_own>".replace("<property/><xacro:m/>", "<if/>")
    )
    assert warnings_of(path) == []


def test_sdf_has_an_include_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "box.sdf.xacro"
    path.write_text(
        "<sdf version='1.9' xmlns:xacro='http://www.ros.org/wiki/xacro'><model name='m'>"
        "<xacro:property name='a' value='l'/><link name='${a}'/></model></sdf>"
    )
    assert warnings_of(path) == []


def test_an_include_in_plain_urdf_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(
        "<robot name='r'>\n<include filename='other.urdf'/>\n<link name='a'/>"
        "<gazebo><include/></gazebo><own><include/></own></robot>"
    )
    diagnostics = Diagnostics()
    robot = read_robot(path, diagnostics=diagnostics)
    assert [(item.code, item.line) for item in diagnostics] == [("include-not-followed", 2)]
    assert robot.extras[0].xml == "<include filename='other.urdf'/>"
