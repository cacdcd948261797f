# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments and variables of the environment are listed, asked for and given."""

from collections.abc import Callable
from pathlib import Path

import pytest

from urdf_importer import ImportOptions, ReadError, list_xacro_arguments, read_robot
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.model import Robot

Write = Callable[..., Path]


def arguments(path: Path, **options: tuple[tuple[str, str], ...]) -> dict[str, str | None]:
    found = list_xacro_arguments(path, options=ImportOptions(**options))  # type: ignore[arg-type]
    return {argument.name: argument.default for argument in found}


def read(path: Path, diagnostics: Diagnostics | None = None, **given: str) -> Robot:
    options = ImportOptions(xacro_args=tuple(given.items()))
    return read_robot(
        path, options=options, diagnostics=Diagnostics() if diagnostics is None else diagnostics
    )


def refusal(path: Path) -> ReadError:
    with pytest.raises(ReadError) as caught:
        read(path)
    return caught.value


LATER = (
    "<xacro:arg name='name' default='arm'/>\n<xacro:arg name='kind' default='six'/>\n"
    "<link name='base'/>"
)


def test_an_argument_that_is_used_before_it_is_declared(write: Write) -> None:
    path = write(LATER, root="$(arg name)")
    assert arguments(path) == {"name": "arm", "kind": "six"}
    assert arguments(path, xacro_args=(("name", "x"),)) == {"name": "arm", "kind": "six"}
    required = [each.name for each in list_xacro_arguments(path) if each.is_required]
    assert required == ["name"]
    error = refusal(path)
    assert error.line == 1
    assert error.message == (
        "the argument 'name' is declared in line 2, after its use; give it with "
        "--xacro-arg name:=VALUE"
    )
    assert read(path, name="left").name == "left"


@pytest.mark.parametrize(
    "use",
    [
        "<link name='$(arg late)'/>",
        "<link name=\"${xacro.arg('late') + '_link'}\"/>",
        "<xacro:property name='p' value='$(arg late)'/><link name='${p}'/>",
        "<xacro:if value='$(arg late)'><link name='a'/></xacro:if>",
        "<xacro:include filename='$(arg late).xacro'/>",
        "<x>$(arg late)</x>",
        "<xacro:macro name='m' params='a'><x y='${a}'/></xacro:macro><xacro:m a='$(arg late)'/>",
        "<xacro:include filename='$(find none)/$(arg late).xacro'/>",
    ],
)
def test_everything_after_the_use_is_listed(write: Write, use: str) -> None:
    path = write(f"{use}\n<xacro:arg name='late' default='1'/>\n<xacro:arg name='last'/>")
    assert arguments(path) == {"late": "1", "last": None}
    error = refusal(path)
    assert error.line == 2
    if "none" not in use:
        assert "is declared in line 3, after its use" in error.message


def test_a_declaration_in_an_include_is_named_with_its_file(write: Write, tmp_path: Path) -> None:
    write("<xacro:arg name='size' default='2'/>", name="parts.xacro")
    path = write("<link name='$(arg size)'/>\n<xacro:include filename='parts.xacro'/>")
    assert arguments(path) == {"size": "2"}
    shown = str(tmp_path / "parts.xacro")[-40:]
    assert f"{shown}', after its use" in refusal(path).message
    assert "declared in line 2 of" in refusal(path).message


def test_an_argument_that_nothing_declares_is_listed_without_a_default(write: Write) -> None:
    path = write(
        "<xacro:arg name='size' default='1'/>\n<xacro:if value='$(arg DEBUG)'><link name='w'/>"
        "</xacro:if>\n<xacro:arg name='late' default='2'/>\n<link name='base'/>"
    )
    assert arguments(path) == {"size": "1", "late": "2", "DEBUG": None}
    error = refusal(path)
    assert (error.line, error.message) == (
        3,
        "the argument 'DEBUG' is neither declared nor given; give it with --xacro-arg DEBUG:=VALUE",
    )
    assert [link.name for link in read(path, DEBUG="1").links] == ["w", "base"]


@pytest.mark.parametrize(
    "fault",
    [
        "<x y='${undefined}'/>",
        "<x>${undefined}<xacro:arg name='inner' default=''/></x>",
        "<xacro:none/>",
        "<xacro:include filename='none.xacro'/>",
        "<xacro:property name='a-b' value='1'/>",
        "<xacro:insert_block name='none'/>",
        "<xacro:if value='${1 / 0}'/>",
        "<xacro:macro name='m' params='a'><x y='${a}'/></xacro:macro><xacro:m/><xacro:m a='${z}'/>",
        "<x y=\"${xacro.load_yaml('none.yaml')}\"/>",
    ],
)
def test_faults_are_passed_over_when_arguments_are_listed(write: Write, fault: str) -> None:
    path = write(f"<xacro:arg name='a' default='1'/>{fault}<xacro:arg name='b' default='2'/>")
    found = arguments(path)
    found.pop("inner", None)
    assert found == {"a": "1", "b": "2"}
    assert refusal(path).line == 2


def test_a_file_that_never_ends_is_listed_within_its_time(write: Write) -> None:
    double = "<xacro:macro name='m'><xacro:m/><xacro:m/><x y='${z}'/></xacro:macro>"
    path = write(f"<xacro:arg name='a' default='1'/>{double}<xacro:m/>")
    assert list_xacro_arguments(path, seconds=0.5)[0].name == "a"


# The environment

MOBILE = (
    "<link name='b'/>\n<xacro:if value='$(optenv MOBILE_LASER 0)'><link name='laser'/></xacro:if>"
    "\n<xacro:if value='$(optenv MOBILE_LASER 0)'/><x y='$(optenv OTHER a b)'/>"
)


def test_a_variable_that_is_set_is_not_read_and_named(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOBILE_LASER", "1 and a secret")
    monkeypatch.delenv("OTHER", raising=False)
    diagnostics = Diagnostics()
    assert len(read(write(MOBILE), diagnostics).links) == 1
    ((code, subject, line, message),) = [
        (item.code, item.subject, item.line, item.message) for item in diagnostics
    ]
    assert (code, subject, line) == ("environment-not-read", "MOBILE_LASER", 3)
    assert "--xacro-env MOBILE_LASER:=VALUE" in message and "secret" not in message


@pytest.mark.parametrize("is_set", [False, True])
def test_a_variable_that_is_given_is_read(
    write: Write, monkeypatch: pytest.MonkeyPatch, is_set: bool
) -> None:
    if is_set:
        monkeypatch.setenv("MOBILE_LASER", "0")
    diagnostics = Diagnostics()
    options = ImportOptions(xacro_env=(("MOBILE_LASER", "1"), ("ROS_DISTRO", "mine")))
    path = write(f"{MOBILE}<link name='$(env ROS_DISTRO)$(env MOBILE_LASER)'/>")
    robot = read_robot(path, options=options, diagnostics=diagnostics)
    assert [link.name for link in robot.links] == ["b", "laser", "mine1"]
    assert not len(diagnostics)


def test_a_variable_that_is_needed_is_asked_for(write: Write) -> None:
    error = refusal(write("<link name='$(env MOBILE_NAME)_base'/>"))
    assert error.line == 2 and error.message.endswith("give it with --xacro-env MOBILE_NAME:=VALUE")
    path = write("<link name='$(env MOBILE_NAME)'/><xacro:arg name='a' default='$(env B)'/>")
    assert arguments(path) == {"a": "$(env B)"}


def test_variables_reach_other_formats(tmp_path: Path) -> None:
    path = tmp_path / "box.sdf.xacro"
    path.write_text(
        "<sdf version='1.9' xmlns:xacro='http://www.ros.org/wiki/xacro'><model name='m'>"
        "<link name='$(env SIDE)_link'/></model></sdf>"
    )
    robot = read_robot(path, options=ImportOptions(xacro_env=(("SIDE", "left"),)))
    assert robot.links[0].name == "left_link"
