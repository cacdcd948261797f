# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as packages of ROS 2, judged by catkin_pkg, xacro, urdfdom and the controllers' own
declarations of parameters."""

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.paths import ROOT
from support.pinocchio_truth import Truth
from support.real_robots import ROOT as REAL
from support.ros2_judges import HARDWARE, Packages
from support.ros2_robots import (
    FOUR,
    SIX,
    make_arm,
    make_block,
    make_car,
    make_platform,
    read_text,
)
from urdf_importer import (
    ImportOptions,
    KinematicsError,
    Ros2Options,
    WriteError,
    export_robot,
    find_writer,
    forward_kinematics,
    read_robot,
)
from urdf_importer.core.diagnostics import ArgumentError, Diagnostics

SAMPLES = ROOT / "sample_urdfs"
GOLDEN = ROOT / "tests" / "data" / "ros2" / "two_link_arm.json"
PANDA = REAL / "panda_description" / "urdf" / "panda.urdf"
TIAGO = REAL / "tiago_description" / "robots" / "tiago.urdf"
# Sampling is find_disabled_collisions', which has tests of its own.
FAST = 0
ODD = ("it's", "a: b", '"e"', "{f}", "p$q", "1e3", "on", "joint_0.0", "ü")


def write(robot, folder, diagnostics=None, **wishes):
    options = Ros2Options(**({"collision_samples": FAST} | wishes))
    own = Diagnostics() if diagnostics is None else diagnostics
    written = export_robot(robot, f"{folder}/", options=options, diagnostics=own)
    return written, Packages(folder)


def read_all(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def write_golden(folder):
    """Path -> lines of the packages of a sample."""
    write(read_robot(SAMPLES / "two_link_arm.urdf"), folder)
    return {path: text.decode().splitlines() for path, text in sorted(read_all(folder).items())}


def test_small_arm_is_the_golden_one(tmp_path):
    """After a change that means to alter packages run this file as a program, and look at the
    difference."""
    assert write_golden(tmp_path) == json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("robot", "wishes"),
    [
        (make_arm(SIX), {}),
        (make_arm(ODD), {}),
        (make_car(), {}),
        (make_platform(FOUR), {}),
        (make_platform(FOUR), {"drive": "mecanum"}),
        (make_platform(FOUR), {"drive": "never"}),
        (make_platform(FOUR, rollers="1 -1 0"), {}),
        (read_robot(PANDA), {}),
        (read_robot(TIAGO), {}),
        (read_robot(SAMPLES / "humanoid_arm.urdf"), {}),
    ],
    ids=["arm", "odd", "car", "skid", "mecanum", "still", "rollers", "panda", "tiago", "block"],
)
def test_no_rule_of_ros_is_broken(robot, wishes, tmp_path):
    _, packages = write(robot, tmp_path, **wishes)
    assert packages.find_faults() == []


@pytest.mark.parametrize("robot", [make_arm(SIX), make_arm(ODD), read_robot(PANDA)])
def test_links_are_where_they_were(robot, tmp_path):
    _, packages = write(robot, tmp_path)
    truth = Truth.of_text(packages.expand())
    start = packages.yaml("bringup", "config/initial_positions.yaml")["initial_positions"]
    frames = truth.frames({})
    for name, frame in forward_kinematics(robot, {}).items():
        assert np.allclose(frames[name], frame, atol=1e-9)
    for name, position in start.items():
        motion = next(each for each in robot.joints if each.name == name)
        assert motion.limit.lower <= position <= motion.limit.upper


def test_initial_positions_come_into_the_block(tmp_path):
    """Whatever the joints are called: an index is Python in XML in xacro."""
    _, packages = write(make_arm(ODD), tmp_path)
    text = packages.expand()
    assert all(name in text.replace("&quot;", '"') for name in ODD)
    values = re.findall(r'<param name="initial_value">([^<]*)</param>', text)
    assert [float(value) for value in values] == [0.0, 0.0, 1.0, *[0.0] * (len(ODD) - 2)]


@pytest.mark.parametrize("hardware", HARDWARE)
def test_each_hardware_has_its_plugin(hardware, tmp_path):
    _, packages = write(make_arm(SIX), tmp_path, hardware=hardware)
    plugins = re.findall("<plugin>([^<]*)</plugin>", packages.expand(hardware))
    wanted = {"mock": "mock_components", "gz": "gz_ros2_control", "mujoco": "mujoco_ros2_control"}
    assert len(plugins) == 1
    assert plugins[0].startswith(wanted.get(hardware, "joint_state_topic_hardware_interface"))
    assert ("world_joint" in packages.expand(hardware)) == (hardware == "gz")
    needed = [each.name for each in packages.parsed["arm_bringup"].exec_depends]
    assert ("gz_ros2_control" in needed) == (hardware == "gz")


def test_mujoco_gets_a_servo_for_each_joint(tmp_path):
    import mujoco

    robot = read_robot(SAMPLES / "differential_drive.urdf")
    _, packages = write(robot, tmp_path, hardware="mujoco")
    model = mujoco.MjModel.from_xml_path(
        str(packages.path("bringup", "mujoco/differential_drive.xml"))
    )
    assert [model.actuator(number).name for number in range(model.nu)] == [
        "left_wheel_joint",
        "right_wheel_joint",
    ]


# Drives


def test_wheels_are_measured_as_their_makers_say(tmp_path):
    """TIAGo's are the numbers of PAL's own mobile_base_controller."""
    for name, robot, radius, distance in (
        ("tiago", read_robot(TIAGO), 0.0985, 0.4044),
        ("drive", read_robot(SAMPLES / "differential_drive.urdf"), 0.1, 0.336),
        ("skid", make_platform(FOUR), 0.1, 0.3),
    ):
        _, packages = write(robot, tmp_path / name)
        own = packages.yaml("bringup", "config/controllers.yaml")["base_controller"]
        own = own["ros__parameters"]
        assert own["wheel_radius"] == pytest.approx(radius, abs=1e-6)
        assert own["wheel_separation"] == pytest.approx(distance, abs=1e-6)


def test_wheels_that_turn_backward_are_turned_around(tmp_path):
    _, packages = write(make_platform(FOUR, axis="0 -1 0"), tmp_path)
    own = packages.yaml("bringup", "config/controllers.yaml")["base_controller"]["ros__parameters"]
    assert own["left_wheel_radius_multiplier"] == own["right_wheel_radius_multiplier"] == -1.0


def test_a_car_is_steered_from_right_to_left(tmp_path):
    _, packages = write(make_car(), tmp_path)
    own = packages.yaml("bringup", "config/controllers.yaml")["base_controller"]["ros__parameters"]
    assert own["traction_joints_names"] == ["drive_right", "drive_left"]
    assert own["steering_joints_names"] == ["steer_right", "steer_left"]
    assert own["wheelbase"] == pytest.approx(0.8) and own["traction_track_width"] == 0.4
    assert own["steering_track_width"] == 0.4 and own["traction_wheels_radius"] == 0.12
    block = packages.expand()
    assert block.count('<command_interface name="velocity"/>') == 2
    assert block.count('<command_interface name="position"/>') == 2


def test_mecanum_wheels_go_by_their_corners(tmp_path):
    oblique = make_platform(FOUR, rollers="1 1 0")
    for robot, mode in ((make_platform(FOUR), "mecanum"), (oblique, "auto")):
        _, packages = write(robot, tmp_path / mode, drive=mode)
        own = packages.yaml("bringup", "config/controllers.yaml")["base_controller"]
        own = own["ros__parameters"]
        for corner in FOUR:
            assert own[f"{corner}_wheel_command_joint_name"] == corner
        reach = own["kinematics"]["sum_of_robot_center_projection_on_X_Y_axis"]
        assert reach == pytest.approx(0.35)


def test_a_drive_that_is_not_there_is_refused(tmp_path):
    two = {name: FOUR[name] for name in ("rear_left", "rear_right")}
    for robot, mode, words in (
        (make_platform(two), "mecanum", "a mecanum drive has four wheels at its corners"),
        (make_platform(two), "ackermann", "no two joints were found that steer"),
        (make_arm(SIX), "diff", "no two wheels were found"),
    ):
        with pytest.raises(KinematicsError, match=words):
            write(robot, tmp_path / "new", drive=mode)
        assert not (tmp_path / "new").exists()


def test_wheels_without_a_radius_are_reported(tmp_path):
    text = make_platform(FOUR).text.decode().replace("cylinder", "mesh").replace("length", "scale")
    bare = re.sub("<collision>.*?</collision>", "", text)
    diagnostics = Diagnostics()
    written, _ = write(read_text(bare), tmp_path, diagnostics)
    assert [each.code for each in diagnostics] == ["wheels-unclear"]
    assert "base_controller" not in written.facts["controllers"]


# Groups


def test_limbs_and_hands_become_groups(tmp_path):
    written, packages = write(make_arm(SIX), tmp_path)
    assert written.facts["groups"] == ["arm", "gripper"]
    srdf = packages.path("moveit_config", "config/arm.srdf").read_text()
    assert '<chain base_link="stand" tip_link="hand"/>' in srdf
    assert 'parent_link="hand" parent_group="arm"' in srdf
    # The third joint cannot be at zero.
    assert '<joint name="joint_3" value="1"/>' in srdf


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("panda_description/urdf/panda.urdf", {"arm": 7, "gripper": 1}),
        ("ur_description/urdf/ur5_robot.urdf", {"arm": 6}),
        ("so_arm_description/urdf/so101.urdf", {"arm": 5, "gripper": 1}),
        ("go2_description/urdf/go2.urdf", {"fl": 3, "fr": 3, "rl": 3, "rr": 3}),
        ("tiago_description/robots/tiago.urdf", {"head": 3, "arm": 7, "arm_gripper": 36}),
    ],
)
def test_groups_of_real_robots(file, counts, tmp_path):
    written, packages = write(read_robot(REAL / file), tmp_path)
    manager = packages.yaml("bringup", "config/controllers.yaml")
    found = {}
    for group in written.facts["groups"]:
        own = manager[f"{group}_controller"]["ros__parameters"]
        found[group] = len(own.get("joints", [own.get("joint")]))
    assert found == counts


def test_nearly_all_pairs_are_the_published_ones(tmp_path):
    """Panda's, beside its description, were computed by MoveIt's own assistant."""
    from urdf_importer import find_srdf, read_srdf

    robot = read_robot(PANDA)
    _, packages = write(robot, tmp_path, collision_samples=10_000)
    files = (find_srdf(PANDA), packages.path("moveit_config", "config/panda.srdf"))
    theirs, ours = (
        {frozenset((pair.link1, pair.link2)) for pair in read_srdf(file, robot).disabled_collisions}
        for file in files
    )
    assert len(theirs & ours) >= 0.95 * max(len(theirs), len(ours))


def test_an_srdf_with_groups_is_taken_as_it_is(tmp_path):
    from urdf_importer import find_srdf

    srdf = find_srdf(PANDA)
    written, packages = write(read_robot(PANDA), tmp_path, srdf=str(srdf))
    assert packages.path("moveit_config", "config/panda.srdf").read_bytes() == srdf.read_bytes()
    assert packages.find_faults() == []
    assert written.facts["groups"][0] in srdf.read_text()


def test_chains_have_a_solver_however_the_srdf_names_them(tmp_path):
    srdf = tmp_path / "arm.srdf"
    joints = "".join(f'<joint name="{name}"/>' for name in ("virtual", *SIX, "mount"))
    srdf.write_text(
        '<robot name="arm"><virtual_joint name="virtual" type="fixed" parent_frame="world" '
        f'child_link="stand"/><group name="six">{joints}</group>'
        '<group name="jaws"><joint name="jaw"/><joint name="jaw_b"/></group>'
        '<group name="all"><group name="six"/><group name="jaws"/></group>'
        f'<group name="gap"><joint name="{SIX[0]}"/><joint name="{SIX[2]}"/></group></robot>'
    )
    _, packages = write(make_arm(SIX), tmp_path / "new", srdf=str(srdf))
    assert set(packages.yaml("moveit_config", "config/kinematics.yaml")) == {"six"}
    assert packages.find_faults() == []


def test_acceleration_is_a_share_of_the_velocity(tmp_path):
    _, packages = write(make_arm(SIX), tmp_path, acceleration=1.5)
    limits = packages.yaml("moveit_config", "config/joint_limits.yaml")["joint_limits"]
    assert {(each["max_velocity"], each["max_acceleration"]) for each in limits.values()} == {
        (2.0, 3.0)
    }


def test_without_moveit_there_are_two_packages(tmp_path):
    written, _ = write(make_arm(SIX), tmp_path, moveit=False)
    assert written.facts["packages"] == ["arm_description", "arm_bringup"]


def test_depth_cameras_become_sensors(tmp_path):
    sensor = (
        '<gazebo reference="hand"><sensor name="eye" type="depth_camera"><topic>eye</topic>'
        "<camera><horizontal_fov>1</horizontal_fov><image><width>4</width><height>4</height>"
        "</image><clip><near>0.1</near><far>5</far></clip></camera></sensor></gazebo>"
    )
    _, packages = write(make_arm(SIX, inside=sensor), tmp_path)
    own = packages.yaml("moveit_config", "config/sensors_3d.yaml")
    assert own["sensors"] == ["camera_1"]
    assert own["camera_1"]["point_cloud_topic"] == "/eye/points"
    assert not (tmp_path / "other").exists()


# A block that is there already


def test_a_block_of_the_description_stays_the_only_one(tmp_path):
    diagnostics = Diagnostics()
    robot = read_robot(SAMPLES / "humanoid_arm.urdf")
    _, packages = write(robot, tmp_path, diagnostics)
    assert packages.expand().count("<ros2_control") == 1
    assert {each.code for each in diagnostics} == {"own-hardware", "without-controller"}


@pytest.mark.parametrize(("command", "p"), [("effort", 100.0), ("velocity", 1.0)])
def test_gains_are_guessed_and_told(command, p, tmp_path):
    block = make_block(SIX, command)
    diagnostics = Diagnostics()
    _, packages = write(make_arm(SIX, inside=block), tmp_path, diagnostics)
    own = packages.yaml("bringup", "config/controllers.yaml")["arm_controller"]["ros__parameters"]
    assert own["gains"]["joint_1"] == {"p": p, "d": p / 20.0}
    codes = ["guessed-gains", "own-hardware", "without-controller"]
    assert sorted({each.code for each in diagnostics}) == codes
    assert packages.find_faults() == []


def test_wheels_that_the_block_leaves_out_are_casters(tmp_path):
    diagnostics = Diagnostics()
    driven = ("rear_left", "rear_right")
    robot = make_platform(FOUR, inside=make_block(driven, "velocity"))
    _, packages = write(robot, tmp_path, diagnostics)
    own = packages.yaml("bringup", "config/controllers.yaml")["base_controller"]["ros__parameters"]
    assert (own["left_wheel_names"], own["right_wheel_names"]) == (["rear_left"], ["rear_right"])
    assert [each.code for each in diagnostics] == ["own-hardware"]
    assert packages.find_faults() == []


def test_wheels_without_a_command_of_velocity_drive_nothing(tmp_path):
    robot = make_platform(FOUR, inside=make_block(FOUR, "position"))
    diagnostics = Diagnostics()
    written, _ = write(robot, tmp_path / "auto", diagnostics)
    assert "base_controller" not in written.facts["controllers"]
    (unclear,) = (each for each in diagnostics if each.code == "wheels-unclear")
    words = "own block of ros2_control has no command of velocity for joint 'front_left'"
    assert words in unclear.message
    with pytest.raises(KinematicsError, match=words):
        write(robot, tmp_path / "diff", drive="diff")
    assert not (tmp_path / "diff").exists()


# Refusals: nothing is written


@pytest.mark.parametrize(
    ("wishes", "error", "words"),
    [
        ({"name": "Ab-c"}, WriteError, "'Ab-c' is not a name that a ROS 2 package can have"),
        ({"maintainer": "nobody"}, ArgumentError, "maintainer is NAME <MAIL>, not 'nobody'"),
        ({"maintainer": "a <a@b>"}, ArgumentError, "maintainer is NAME <MAIL>"),
        ({"description": "use"}, WriteError, "the robot was read from no ROS package"),
    ],
)
def test_bad_options_are_refused(wishes, error, words, tmp_path):
    with pytest.raises(error, match=words):
        write(make_arm(SIX), tmp_path / "new", **wishes)
    assert not (tmp_path / "new").exists()


def test_what_cannot_be_driven_is_refused(tmp_path):
    still = read_text('<robot name="rock"><link name="rock"/></robot>')
    with pytest.raises(WriteError, match="no joint that a controller could move"):
        write(still, tmp_path / "new")
    with pytest.raises(WriteError, match="xacro cannot write"):
        write(make_arm(("a$$b", "c")), tmp_path / "new")
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "none" / "new"):
        with pytest.raises(WriteError, match="cannot write"):
            write(make_arm(SIX), place)


def test_text_that_xacro_would_evaluate_comes_through(tmp_path):
    told = '<note text="${1 + 1} $(arg x)"/>'
    _, packages = write(make_arm(SIX, inside=told), tmp_path)
    assert told in packages.expand()
    assert told in packages.path("description", "urdf/arm.urdf").read_text()


def test_names_of_packages():
    from urdf_importer.formats.ros2.write.export import suggest_package_folder

    wanted = {
        "Ärm №1 (v2)": "rm_1_v2",
        "7 dof.arm": "robot_7_dof_arm",
        "go2_description": "go2",
        "": "robot",
    }
    for name, package in wanted.items():
        assert suggest_package_folder(name) == f"{package}_ros2"


# Files of a person, and files of before


def test_a_second_export_changes_nothing(tmp_path):
    robot = make_arm(SIX)
    first, _ = write(robot, tmp_path)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    content = read_all(tmp_path)
    code = (
        "import sys; from support.ros2_robots import *; from urdf_importer import *; "
        "export_robot(make_arm(SIX), sys.argv[1], options=Ros2Options(collision_samples=0))"
    )
    place = [f"{tmp_path}/"]
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
        subprocess.run([sys.executable, "-c", code, *place], check=True, env=environment)
    assert read_all(tmp_path) == content
    assert times == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    again, _ = write(robot, tmp_path)
    assert again.files == first.files == tuple(sorted(first.files))
    assert {str(path) for path in first.files} == {str(tmp_path / path) for path in content}


def test_edited_files_are_kept_until_they_are_deleted(tmp_path):
    robot, path = make_arm(SIX), "arm_bringup/config/controllers.yaml"
    write(robot, tmp_path)
    theirs = tmp_path / path
    ours = theirs.read_bytes()
    theirs.write_text("# mine\n")
    for _ in range(2):
        diagnostics = Diagnostics()
        written, _ = write(robot, tmp_path, diagnostics)
        assert [(each.code, each.subject) for each in diagnostics] == [("edited-file-kept", path)]
        assert written.facts["kept"] == [path] and theirs not in written.files
        assert theirs.read_text() == "# mine\n"
    before = read_all(tmp_path)
    with pytest.raises(WriteError, match="strict mode"):
        export_robot(robot, f"{tmp_path}/", options=Ros2Options(acceleration=3.0), strict=True)
    assert read_all(tmp_path) == before
    theirs.unlink()
    diagnostics = Diagnostics()
    write(robot, tmp_path, diagnostics)
    assert theirs.read_bytes() == ours and not list(diagnostics)


def test_files_of_ours_follow_the_robot(tmp_path):
    write(make_arm(SIX), tmp_path, moveit=False)
    mine = tmp_path / "arm_bringup" / "config" / "mine.yaml"
    mine.write_text("a: 1\n")
    diagnostics = Diagnostics()
    _, packages = write(make_arm(SIX[:3]), tmp_path, diagnostics, moveit=False)
    joints = packages.yaml("bringup", "config/controllers.yaml")["arm_controller"]
    assert joints["ros__parameters"]["joints"] == list(SIX[:3])
    assert mine.read_text() == "a: 1\n" and not list(diagnostics)


def test_a_file_that_is_no_longer_made_stays_and_is_told(tmp_path):
    write(make_arm(SIX), tmp_path, hardware="mujoco")
    diagnostics = Diagnostics()
    written, _ = write(make_arm(SIX), tmp_path, diagnostics)
    stale = [each.subject for each in diagnostics if each.code == "stale-file"]
    assert stale == ["arm_bringup/mujoco/arm.xml", "arm_bringup/mujoco/arm_scene.xml"]
    assert all((tmp_path / path).is_file() for path in stale)
    assert not {str(path) for path in written.files} & {str(tmp_path / path) for path in stale}


def test_a_package_that_is_no_longer_made_stays_and_is_told(tmp_path):
    write(make_arm(SIX), tmp_path)
    before, diagnostics = read_all(tmp_path), Diagnostics()
    options = Ros2Options(moveit="never")
    export_robot(make_arm(SIX), f"{tmp_path}/", options=options, diagnostics=diagnostics)
    assert read_all(tmp_path) == before
    stale = {each.subject for each in diagnostics if each.code == "stale-file"}
    assert "arm_moveit_config/package.xml" in stale
    assert all(each.startswith("arm_moveit_config/") for each in stale)


def test_packages_of_others_are_not_touched(tmp_path):
    other = tmp_path / "arm_bringup"
    other.mkdir()
    (other / "package.xml").write_text("<package/>")
    with pytest.raises(WriteError, match="a package 'arm_bringup' that this export did not make"):
        write(make_arm(SIX), tmp_path)
    assert list(read_all(tmp_path)) == ["arm_bringup/package.xml"]


@pytest.mark.parametrize("content", ["", "[]", '{"files": 1}', '{"files": {"a": 1}', "[" * 5000])
def test_a_damaged_manifest_is_refused(content, tmp_path):
    write(make_arm(SIX), tmp_path)
    (tmp_path / "arm_bringup" / ".urdf-importer.json").write_text(content)
    before = read_all(tmp_path)
    with pytest.raises(WriteError, match="cannot be read, so it is not known which files were"):
        write(make_arm(SIX), tmp_path)
    assert read_all(tmp_path) == before


def test_nothing_tells_of_this_machine(tmp_path):
    write(read_robot(PANDA), tmp_path)
    for path, content in read_all(tmp_path).items():
        if not path.endswith((".stl", ".dae")):
            assert str(tmp_path).encode() not in content and str(ROOT).encode() not in content


XACRO = """<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="side" default="left"/><xacro:arg name="reach" default="1"/>
<link name="base"/><link name="$(arg side)_arm"/>
<joint name="$(arg side)" type="revolute"><parent link="base"/><child link="$(arg side)_arm"/>
<origin xyz="$(arg reach) 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
</robot>"""
OTHERS = {
    "r.sdf": '<sdf version="1.9"><model name="r"><link name="a"/></model></sdf>',
    "r.xml": '<mujoco model="r"><worldbody><body name="a"><geom size="1"/></body></worldbody>'
    "</mujoco>",
}


def put_in_package(folder, name, text):
    folder.mkdir()
    (folder / "package.xml").write_text(
        '<package format="3"><name>own</name><version>1.0.0</version><description>d</description>'
        '<maintainer email="a@b.c">m</maintainer><license>MIT</license></package>'
    )
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize("given", [(), (("side", "left"),), (("side", "b"),), (("reach", "2"),)])
def test_a_used_xacro_gives_the_same_robot_without_arguments(given, tmp_path):
    path = put_in_package(tmp_path / "own", "r.urdf.xacro", XACRO)
    robot = read_robot(path, options=ImportOptions(xacro_args=given))
    if given in ((), (("side", "left"),)):
        _, packages = write(robot, tmp_path / "two", name="two", description="use")
        assert packages.find_faults(own=str(tmp_path / "own")) == []
        return
    with pytest.raises(WriteError, match="without the arguments of its xacro the robot is another"):
        write(robot, tmp_path / "two", name="two", description="use")
    assert not (tmp_path / "two").exists()


@pytest.mark.parametrize("name", OTHERS)
def test_xacro_includes_no_other_format(name, tmp_path):
    robot = read_robot(put_in_package(tmp_path / "own", name, OTHERS[name]))
    with pytest.raises(WriteError, match="only a description in URDF or xacro can be used"):
        write(robot, tmp_path / "two", name="two", description="use")
    assert not (tmp_path / "two").exists()


def test_an_endless_velocity_is_no_limit(tmp_path):
    robot = make_arm(SIX)
    joints = [replace(each, limit=replace(each.limit, velocity=1e16)) if each.limit else each
              for each in robot.joints]  # fmt: skip
    _, packages = write(replace(robot, joints=tuple(joints)), tmp_path)
    limits = packages.yaml("moveit_config", "config/joint_limits.yaml")["joint_limits"]
    assert {each["max_velocity"] for each in limits.values()} == {1.0}


# The format


def test_a_folder_is_webots_unless_ros2_is_asked_for():
    assert find_writer("new/").name == "webots"
    assert find_writer("new/", options=Ros2Options()).name == "ros2"


def test_the_description_package_of_others_can_be_used(tmp_path):
    home = tmp_path / "own"
    write(make_arm(SIX), home)
    robot = read_robot(home / "arm_description" / "urdf" / "arm.urdf")
    written, packages = write(robot, tmp_path / "two", name="two", description="use")
    assert written.facts["packages"] == ["two_bringup", "two_moveit_config"]
    assert packages.find_faults(arm_description=str(home / "arm_description")) == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        content = json.dumps(write_golden(Path(place)), indent=1, ensure_ascii=False)
    GOLDEN.write_text(content + "\n", encoding="utf-8")
