# SPDX-License-Identifier: GPL-3.0-or-later
"""xacro becomes the robot that the program xacro makes of it, or one sentence with a place."""

import importlib
import math
import os
import re
import sys
import xml.dom.minidom
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from support import xacro_truth
from support.paths import TESTS
from urdf_importer import ImportOptions, XacroArgument, list_xacro_arguments, read_robot
from urdf_importer.core.diagnostics import Diagnostics, ReadError
from urdf_importer.core.model import Box, Cylinder, Extra, Robot, Transmission
from urdf_importer.formats.urdf.read.robot import read_robot_text

DATA = TESTS / "data" / "xacro"
EVERYTHING = DATA / "everything.urdf.xacro"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the inside of a <robot> with a link into robot.xacro, one line after the root's."""

    def write(inside: str, name: str = "robot.xacro", link: str = "<link name='base'/>") -> Path:
        head = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>"
        path = tmp_path / name
        path.write_text(f"{head}{link}\n{inside}\n</robot>\n", encoding="utf-8")
        return path

    return write


def refusal(path: Path, **given: str) -> ReadError:
    with pytest.raises(ReadError) as caught:
        read_robot(path, options=ImportOptions(xacro_args=tuple(given.items())))
    return caught.value


def names(robot: Robot) -> list[str]:
    return [link.name for link in robot.links]


# The robots of others


def comparable(value: Any) -> Any:
    """A robot as nested tuples, with XML that is kept as text in its canonical form."""
    if isinstance(value, Extra | Transmission):
        xml = re.sub(r"\b(\w+):(?=\w)", r"\1_", value.xml)
        value = replace(value, xml=ElementTree.canonicalize(xml, strip_text=True))
    if is_dataclass(value):
        return tuple(comparable(getattr(value, f.name)) for f in fields(value) if f.compare)
    return tuple(map(comparable, value)) if isinstance(value, tuple) else value


def support_packages() -> dict[str, str]:
    """Packages that rtb-data carries under other names, as a user would name them."""
    kuka = xacro_truth.ROOT / "xacro" / "kuka_description"
    renamed = {f"{folder.name}_support": str(folder) for folder in kuka.glob("kuka_*/")}
    return {**renamed, "abb_irb140": str(xacro_truth.ROOT / "xacro" / "abb_irb140_description")}


@cache
def truth(is_complete: bool) -> dict[str, str | None]:
    find = xacro_truth.packages_below(xacro_truth.ROOT / "xacro")
    if is_complete:
        find |= support_packages()
    return xacro_truth.expand_with_xacro(find, list(xacro_truth.descriptions()))


def test_the_truth_is_as_large_as_it_should_be() -> None:
    assert sum(text is not None for text in truth(False).values()) >= 45
    assert sum(text is not None for text in truth(True).values()) >= 56


@pytest.mark.parametrize("is_complete", [False, True], ids=["found", "named"])
@pytest.mark.parametrize("path", xacro_truth.descriptions(), ids=lambda path: str(path.stem))
def test_real_files_become_the_robots_that_xacro_makes_of_them(
    path: Path, is_complete: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(name, raising=False)
    expected = truth(is_complete)[str(path)]
    packages = support_packages() if is_complete else {}
    options = ImportOptions(packages=tuple(packages.items()))
    diagnostics = Diagnostics()
    if expected is not None and "<link" in expected:
        robot = read_robot(path, diagnostics=diagnostics, options=options)
        wanted = read_robot_text(expected.encode("utf-8"), str(path), Diagnostics())
        assert comparable(robot) == comparable(wanted)
        assert "xacro-warning" not in {item.code for item in diagnostics}
        return
    with pytest.raises(ReadError) as caught:
        read_robot(path, diagnostics=diagnostics, options=options)
    if expected is None:
        assert re.search("there is no package|'deg' is not defined", caught.value.message)
        assert caught.value.line
    else:
        assert "but no robot" in caught.value.message or "no links" in caught.value.message


# What is xacro, and what comes out


def test_everything_at_once() -> None:
    robot = read_robot(EVERYTHING, diagnostics=Diagnostics())
    assert names(robot) == ["base", "left_leg_1", "left_leg_0", "arm", "cover"]
    assert robot.source == str(EVERYTHING)
    assert robot.links[0].visuals[0].geometry == Cylinder(radius=0.25, length=0.5)
    assert robot.links[3].visuals[0].geometry == Box(size=(1.5, 0.1, 0.1))
    joint = robot.joints[1]
    assert joint.name == "left_leg_0_joint" and joint.limit is not None
    assert (joint.limit.lower, joint.limit.upper, joint.limit.velocity) == (
        -math.pi / 4,
        math.pi / 4,
        8.0,
    )
    origin = joint.origin
    assert (origin.xyz, origin.rpy) == ((0.0, 0.0, 0.75), (math.pi / 2, 0.0, 0.0))


def test_lines_are_those_of_the_main_file() -> None:
    """Of what a macro or an include makes, the line of its call."""
    robot = read_robot(EVERYTHING, diagnostics=Diagnostics())
    assert [link.line for link in robot.links] == [10, 31, 31, 34, 36]


def test_arguments_are_given_and_listed() -> None:
    given = (("prefix", "r_"), ("legs", "3"), ("wings", "1"))
    options = ImportOptions(xacro_args=given)
    diagnostics = Diagnostics()
    robot = read_robot(EVERYTHING, diagnostics=diagnostics, options=options)
    assert names(robot)[1:4] == ["r_leg_2", "r_leg_1", "r_leg_0"]
    assert [(d.code, d.subject) for d in diagnostics] == [("unknown-xacro-argument", "wings")]
    declared = (("prefix", "left_"), ("legs", "2"), ("sizes", "$(dirname)/sizes.yaml"))
    wanted = tuple(XacroArgument(name=name, default=default) for name, default in declared)
    assert list_xacro_arguments(EVERYTHING) == wanted
    assert list_xacro_arguments(EVERYTHING, options=options) == wanted


def test_an_argument_without_a_default_is_listed_and_has_to_be_given(write: Write) -> None:
    path = write(
        "<xacro:arg name='side'/>\n<xacro:arg name='empty' default=''/>"
        "<link name='$(arg side)$(arg empty)'/>",
        link="",
    )
    declared = [(argument.name, argument.default) for argument in list_xacro_arguments(path)]
    assert declared == [("side", None), ("empty", "")]
    error = refusal(path)
    assert error.line == 2 and "the argument 'side' has no default" in error.message
    given = ImportOptions(xacro_args=(("side", "left"),))
    assert names(read_robot(path, options=given)) == ["left"]


def test_the_root_says_what_is_xacro(tmp_path: Path) -> None:
    assert names(read_robot(DATA / "bare_root.urdf", diagnostics=Diagnostics())) == [
        "base",
        "left_leg",
    ]
    plain = tmp_path / "plain.urdf"
    plain.write_text(
        "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><!-- ${x} <xacro:y/> -->"
        "<link name='base'/><gazebo file='$(find nothing)/x'/></robot>"
    )
    assert list_xacro_arguments(plain) == ()
    assert "$(find nothing)" in read_robot(plain, diagnostics=Diagnostics()).extras[0].xml


def test_the_quirk_of_xacro_in_urdf_is_expanded() -> None:
    path = DATA.parent / "quirks" / "q_pkg" / "urdf" / "xml_xacro_unexpanded.urdf"
    (joint,) = read_robot(path, diagnostics=Diagnostics()).joints
    assert (joint.origin.xyz, joint.origin.rpy) == ((0, 0, 0.5), (0, 0, math.pi / 2))


def test_a_file_of_macros_is_named_as_such() -> None:
    error = refusal(DATA / "parts.xacro")
    assert error.message == (
        "the file defines the macros 'arm', 'hand' but no robot; choose the file that uses them"
    )
    assert str(error).startswith(f"{DATA / 'parts.xacro'}:1: ")


def test_warnings_of_xacro_have_codes_and_lines(write: Write) -> None:
    path = write("\n<xacro:property name='pi' value='3'/>\n<xacro:arg name='a' default='' x=''/>")
    diagnostics = Diagnostics()
    read_robot(path, diagnostics=diagnostics)
    assert [(d.code, d.line) for d in diagnostics] == [("xacro-warning", 3), ("xacro-warning", 4)]
    assert "redefining global symbol: pi" in str(next(iter(diagnostics)))


# Errors have places


def test_an_error_in_an_included_macro_has_its_file_and_line() -> None:
    error = refusal(DATA / "error_lines.urdf.xacro")
    assert (error.source, error.line) == (str(DATA / "parts.xacro"), 14)
    assert "'palm' is not defined in '${palm}'" in error.message
    assert "line 7 of error_lines.urdf.xacro" in error.message


@pytest.mark.parametrize(
    ("inside", "part"),
    [
        ("<xacro:leg/>", "the macro 'leg' is not defined"),
        ("<x y='${leg}'/>", "'leg' is not defined in '${leg}'"),
        ("<x y='$(arg leg)'/>", "the argument 'leg' is neither declared nor given"),
        ("<x y='$(find legs)'/>", "there is no package 'legs'"),
        ("<x y='$(env HOME)'/>", "the environment variable 'HOME'"),
        ("<x y='$(anon leg)'/>", "'$(anon leg)' is not one of the substitutions"),
        ("<x y='${1 +}'/>", "this is not an expression"),
        ("<x y='${1 / 0}'/>", "division by zero"),
        ("<x y='${open}'/>", "'open' is not defined"),
        ("<x y='${'/>", "invalid expression '${'"),
        ("<xacro:include filename='leg.xacro'/>", "there is no file"),
        ("<xacro:include filename='package://legs/leg.xacro'/>", "there is no package 'legs'"),
        ("<xacro:include filename='/etc/passwd'/>", "outside the folders that may be read"),
        ("<x y=\"${xacro.load_yaml('/etc/passwd')}\"/>", "outside the folders that may be read"),
        ("<xacro:include filename='../*/x.xacro'/>", "wildcards before its last part"),
        ("<xacro:insert_block name='leg'/>", "undefined block"),
        ("<xacro:if value='maybe'><x/></xacro:if>", "not a boolean"),
        ("<xacro:property name='a-b' value='1'/>", "valid python identifiers"),
        ("<xacro:property value='1'/>", "missing attribute 'name'"),
        ("<xacro:element xacro:name='a b'/>", "'a b' is not the name of"),
        ("<x y='${\"\\x01\"}'/>", "cannot hold the character"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(write: Write, inside: str, part: str) -> None:
    path = write(f"\n{inside}")
    error = refusal(path)
    assert part in error.message
    assert "\n" not in error.message and (error.source, error.line) == (str(path), 3)


def test_broken_includes_are_named_by_themselves(write: Write, tmp_path: Path) -> None:
    (tmp_path / "part.xacro").write_text("<robot>\n<a>\n</robot>")
    error = refusal(write("<xacro:include filename='part.xacro'/>"))
    assert (error.source, error.line) == (str(tmp_path / "part.xacro"), 3)
    (tmp_path / "part.yaml").write_text("a: 1\nb: [\n")
    error = refusal(write("<x y=\"${xacro.load_yaml('part.yaml')}\"/>"))
    assert (error.source, error.line) == (str(tmp_path / "part.yaml"), 3)


def test_urdf_errors_have_the_line_of_the_call(write: Write) -> None:
    macro = "<xacro:macro name='m' params='x'>\n<link name='l'>\n<visual><geometry>\n"
    macro += "<sphere radius='${x}'/></geometry></visual></link></xacro:macro>"
    error = refusal(write(macro + "\n\n<xacro:m x='wide'/>"))
    assert error.line == 7 and "'wide' as radius" in error.message


# Files


def test_includes_by_package_and_of_wrong_case(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("robot", "parts"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "package.xml").write_text(f"<package><name>{name}_pkg</name></package>")
    inside = "<link name='{0}'/><xacro:include filename='{1}'/>"
    head = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>"
    main, part, last = (
        tmp_path / p for p in ("robot/r.xacro", "parts/Part.xacro", "parts/l.xacro")
    )
    main.write_text(f"{head}\n{inside.format('a', '$(find parts_pkg)/part.xacro')}</robot>")
    part.write_text(f"{head}{inside.format('b', 'package://parts_pkg/l.xacro')}</robot>")
    last.write_text(f"{head}<link name='c'/></robot>")
    diagnostics = Diagnostics()
    assert names(read_robot(main, diagnostics=diagnostics)) == ["a", "b", "c"]
    assert [(d.code, d.line) for d in diagnostics] == [("wrong-case", 2)]


def test_a_file_elsewhere_does_not_take_the_place_of_an_include(
    write: Write, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "part.xacro").write_text("<robot><link name='wrong'/></robot>")
    optional = "<xacro:include filename='part.xacro' optional='true'/>"
    assert names(read_robot(write(optional), diagnostics=Diagnostics())) == ["base"]
    error = refusal(write("<xacro:include filename='part.xacro'/>"))
    assert "one of that name is" in error.message


def test_includes_with_wildcards(write: Write, tmp_path: Path) -> None:
    for name in ("b", "a"):
        write("", name=f"part_{name}.xacro", link=f"<link name='{name}'/>")
    robot = read_robot(write("<xacro:include filename='part_*.xacro'/>"), diagnostics=Diagnostics())
    assert names(robot) == ["base", "a", "b"]
    diagnostics = Diagnostics()
    read_robot(write("<xacro:include filename='none/*.xacro'/>"), diagnostics=diagnostics)
    assert [(d.code, d.line) for d in diagnostics] == [("xacro-warning", 2)]


def test_only_a_little_of_the_environment_shows(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_DISTRO", "rolling")
    monkeypatch.setenv("SECRET", "xyz")
    path = write("<link name='$(env ROS_DISTRO)_$(optenv SECRET not seen)'/>")
    assert names(read_robot(path, diagnostics=Diagnostics()))[1] == "rolling_not seen"


# Nothing is left behind


def test_runs_are_independent_and_leave_nothing_behind(write: Write) -> None:
    library = importlib.import_module("xacro")
    kept = {name: repr(value) for name, value in vars(library).items()}
    folder, path, output = os.getcwd(), list(sys.path), (sys.stdout, sys.stderr)
    writer = xml.dom.minidom.Element.writexml
    for inside in ("<xacro:property name='a' value='1'/>", "<x y='${a}'/>", "<xacro:m/>"):
        try:
            read_robot(write(inside), options=ImportOptions(xacro_args=(("b", "1"),)))
        except ReadError:
            continue
    assert "'a' is not defined" in refusal(write("<x y='${a}'/>")).message
    assert "'b' is neither" in refusal(write("<x y='$(arg b)'/>")).message
    assert {name: repr(value) for name, value in vars(library).items()} == kept
    assert (os.getcwd(), sys.path, (sys.stdout, sys.stderr)) == (folder, path, output)
    assert xml.dom.minidom.Element.writexml is writer


def test_nothing_is_printed(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    say = "${xacro.message('a')}${xacro.warning('b')}${xacro.error('c')}${xacro.print_location()}"
    diagnostics = Diagnostics()
    read_robot(write(f'<x y="{say}"/>'), diagnostics=diagnostics)
    assert capfd.readouterr() == ("", "")
    assert [d.code for d in diagnostics] == ["xacro-warning", "xacro-warning"]


def test_without_the_library_one_sentence(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    error = refusal(write(""))
    assert "needs the Python package xacro" in error.message
