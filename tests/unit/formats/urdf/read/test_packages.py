# SPDX-License-Identifier: GPL-3.0-or-later
"""A ROS package is read as the robot that it is about; its launch files are parsed, never run."""

from pathlib import Path

import pytest

from support.ros2_robots import SIX, make_arm
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    ReadError,
    Ros2Options,
    WebotsOptions,
    export_robot,
    list_xacro_arguments,
    read_robot,
)
from urdf_importer.core.command.jobs import CheckJob, ExportJob, run
from urdf_importer.core.pipeline.files import find_description
from urdf_importer.formats.urdf.read.launch import read_launch

ROBOT = '<robot name="{}"><link name="base"/></robot>'
XACRO = (
    '<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:arg name="side"/>'
    '<link name="$(arg side)_base"/></robot>'
)
MACROS = '<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:macro name="m"/></robot>'
LAUNCH = """
def generate_launch_description():
    raise SystemExit("a launch file was run")
    side = DeclareLaunchArgument("side", default_value="left")
    return Command([{}])
"""
GIVEN = (
    'FindExecutable(name="xacro"), " ", '
    'PathJoinSubstitution([FindPackageShare("arm_description"), "urdf", "{}"]), '
    '" side:=", LaunchConfiguration("side")'
)


def make_package(home: Path, name: str, files: dict[str, str]) -> Path:
    folder = home / name
    for path, text in {"package.xml": f"<package><name>{name}</name></package>", **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_launch_files_say_file_and_arguments(tmp_path: Path) -> None:
    launch = LAUNCH.format(GIVEN.format("arm.urdf.xacro"))
    files = {"urdf/arm.urdf.xacro": XACRO, "urdf/other.urdf": ROBOT.format("other")}
    folder = make_package(tmp_path, "arm_description", {"launch/a.launch.py": launch, **files})
    for given in (folder, folder / "package.xml"):
        diagnostics = Diagnostics()
        robot = read_robot(given, diagnostics=diagnostics)
        assert [each.name for each in robot.links] == ["left_base"]
        (note,) = diagnostics
        assert note.code == "package-description" and "with side:=left" in note.message
    (argument,) = list_xacro_arguments(folder)
    assert (argument.name, argument.default, argument.is_required) == ("side", "left", False)
    own, diagnostics = ImportOptions(xacro_args=(("side", "right"),)), Diagnostics()
    robot = read_robot(folder, options=own, diagnostics=diagnostics)
    assert robot.links[0].name == "right_base"
    assert [each.message.endswith("arm.urdf.xacro'") for each in diagnostics] == [True]


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"a/arm.urdf": ROBOT.format("a"), "b/other.urdf": ROBOT.format("b")}, "a/arm.urdf"),
        ({"arm.urdf": ROBOT.format("a"), "arm.urdf.xacro": ROBOT.format("a")}, "arm.urdf.xacro"),
        ({"x.urdf": ROBOT.format("a"), "m.xacro": MACROS}, "x.urdf"),
        ({"x.urdf": ROBOT.format("a"), "arm.srdf.xacro": ROBOT.format("arm")}, "x.urdf"),
        ({"d/x.urdf.xacro": ROBOT.format("a"), "d/x.urdf": ROBOT.format("a")}, "d/x.urdf.xacro"),
    ],
    ids=["called", "xacro first", "no macros", "no srdf", "one stem"],
)
def test_without_launch_files_the_names_decide(
    files: dict[str, str], wanted: str, tmp_path: Path
) -> None:
    folder = make_package(tmp_path, "arm_description", files)
    assert find_description(folder) == str(folder / wanted)


def test_folders_that_installing_moves_are_found(tmp_path: Path) -> None:
    launch = LAUNCH.format(GIVEN.format("arm.urdf.xacro"))
    files = {"description/urdf/arm.urdf.xacro": XACRO, "bringup/launch/a.launch.py": launch}
    folder = make_package(tmp_path, "arm_description", files)
    assert read_robot(folder, diagnostics=Diagnostics()).name == "arm"


def test_diagnostics_name_the_file_that_has_the_line(tmp_path: Path) -> None:
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>'
    text = f'<robot name="arm">\n<link name="a"/><link name="b"/>\n{joint}</robot>'
    folder = make_package(tmp_path, "arm_description", {"arm.urdf": text})
    diagnostics = Diagnostics(str(folder))
    read_robot(folder, diagnostics=diagnostics)
    (note,) = diagnostics
    assert note.source == str(folder) and diagnostics.source == str(folder / "arm.urdf")
    work = CheckJob(input=str(folder), options=ImportOptions())
    lost = [each for each in run(work).diagnostics if each.line]
    job = ExportJob(input=str(folder), output=tmp_path / "b.proto", options=WebotsOptions())
    lost += [each for each in run(job).diagnostics if each.line]
    assert len(lost) > 1 and {each.source for each in lost} == {str(folder / "arm.urdf")}


def test_the_assistant_of_moveit_names_its_robot(tmp_path: Path) -> None:
    make_package(tmp_path, "arm_description", {"urdf/arm.urdf.xacro": XACRO})
    assistant = (
        "moveit_setup_assistant_config:\n  URDF:\n    package: arm_description\n"
        "    relative_path: urdf/arm.urdf.xacro\n    xacro_args: side:=up\n"
    )
    folder = make_package(tmp_path, "arm_moveit_config", {".setup_assistant": assistant})
    assert read_robot(folder, diagnostics=Diagnostics()).links[0].name == "up_base"


def test_a_configuration_without_its_robot_names_it(tmp_path: Path) -> None:
    assistant = (
        "moveit_setup_assistant_config:\n  URDF:\n    package: arm_description\n"
        "    relative_path: urdf/arm.urdf\n"
    )
    folder = make_package(tmp_path, "arm_moveit_config", {".setup_assistant": assistant})
    said = r"is 'urdf/arm.urdf' of the package 'arm_description', which is not here: read"
    with pytest.raises(ReadError, match=said):
        read_robot(folder)
    make_package(tmp_path, "arm_description", {"urdf/arm.urdf": ROBOT.format("arm")})
    assert read_robot(folder, diagnostics=Diagnostics()).name == "arm"


def test_several_robots_are_refused(tmp_path: Path) -> None:
    files = {f"{name}.urdf": ROBOT.format(name) for name in ("a", "b", "c", "d")}
    folder = make_package(tmp_path, "arms", files)
    with pytest.raises(ReadError, match=r"several robots: 'a.urdf', 'b.urdf', 'c.urdf' and 1 more"):
        read_robot(folder)
    bare = make_package(tmp_path, "bare", {"m.xacro": MACROS})
    with pytest.raises(ReadError, match=r"a folder, not a robot description; it holds 'm.xacro'"):
        read_robot(bare)


def test_packages_that_were_written_are_read_back(tmp_path: Path) -> None:
    arm = make_arm(SIX)
    options = Ros2Options(collision_samples=0)
    export_robot(arm, f"{tmp_path}/", options=options)
    for kind, extra in (("description", 0), ("bringup", 1), ("moveit_config", 1)):
        robot = read_robot(tmp_path / f"arm_{kind}", diagnostics=Diagnostics())
        assert (robot.links, robot.joints) == (arm.links, arm.joints)
        assert len(robot.extras) == extra and bool(robot.controls) == bool(extra)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("process_file('/a.xacro', mappings={'b': 'c'})", [("/a.xacro", (("b", "c"),))]),
        (
            "p = os.path.join(get_package_share_directory('arm'), 'a.xacro')\n"
            "m = {'b': LaunchConfiguration('none'), 'c': '1'}\nxacro.process_file(p, mappings=m)",
            [("$(find arm)/a.xacro", (("c", "1"),))],
        ),
        (
            "s = get_package_share_path('arm')\nCommand(['xacro ', str(s / 'u' / 'a.xacro')])",
            [("$(find arm)/u/a.xacro", ())],
        ),
        ("Command('xacro /a.xacro prefix:=\\'\"\"\\' b:=2')",
         [("/a.xacro", (("prefix", '""'), ("b", "2")))]),
        ("Command(['cat ', '/a.urdf'])", []),
        ("Command(['xacro ', make_path()])", []),
        ("a = a\nb = b + b\nCommand(['xacro ', a, b])", []),
        ("Command(['xacro \"'])", []),
        ("def (", []),
        ("\0", []),
        ("x = " + "(" * 5000, []),
        ("Command([" + "'xacro ' + " * 3000 + "'a'])", []),
        ('"\\d"', []),
    ],
)  # fmt: skip
def test_expressions_of_launch_files(
    code: str, wanted: list[tuple[str, tuple[tuple[str, str], ...]]]
) -> None:
    assert [(each.path, each.arguments) for each in read_launch(code)] == wanted


def test_texts_that_double_themselves_take_no_time() -> None:
    lines = ["a0 = 'x' * 2"] + [f"a{n} = a{n - 1} + a{n - 1}" for n in range(1, 60)]
    assert read_launch(f"Command(['xacro ', 0x{'f' * 5000}])") == []
    assert read_launch("\n".join([*lines, "Command(['xacro ', a59])"])) == []


def test_paths_out_of_the_package_are_none(tmp_path: Path) -> None:
    (tmp_path / "secret.urdf").write_text(ROBOT.format("secret"))
    launch = LAUNCH.format('"xacro ", FindPackageShare("arm"), "/../secret.urdf"')
    files = {"launch/a.launch.py": launch, "x.urdf": ROBOT.format("x")}
    folder = make_package(tmp_path, "arm", files)
    assert find_description(folder) == str(folder / "x.urdf")
