# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of ROS 2 from a rig: as it was edited and posed, with the groups that it has."""

from pathlib import Path

import bpy
import pytest

from support.paths import ROOT
from support.ros2_judges import Packages
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    Ros2Options,
    WriteError,
    apply_srdf,
    export_robot,
    import_robot,
    read_robot,
    read_srdf,
    set_joint_positions,
)

LEG = ROOT / "sample_urdfs" / "quadruped_leg.urdf"
SRDF = """<robot name="quadruped_leg"><group name="leg"><joint name="hip_pitch"/>
<joint name="knee"/></group><group_state name="up" group="leg"><joint name="knee" value="-1"/>
</group_state></robot>"""

pytestmark = pytest.mark.usefixtures("scene")


def write(armature: object, folder: Path, **wishes: object) -> Packages:
    options = Ros2Options(**({"collision_samples": 0} | wishes))  # type: ignore[arg-type]
    written = export_robot(armature, f"{folder}/", options=options, diagnostics=Diagnostics())
    assert written.files
    return Packages(folder)


def test_the_pose_is_the_start(tmp_path: Path) -> None:
    armature = import_robot(LEG).armature
    set_joint_positions(armature, {"hip_pitch": 0.4, "knee": 0.9})
    packages = write(armature, tmp_path)
    start = packages.yaml("bringup", "config/initial_positions.yaml")["initial_positions"]
    assert start["hip_pitch"] == pytest.approx(0.4, abs=1e-6)
    assert start["knee"] == pytest.approx(0.9, abs=1e-6)
    assert packages.find_faults() == []
    described = read_robot(packages.path("description", "urdf/quadruped_leg.urdf"))
    assert described.joints == read_robot(LEG).joints


def test_the_groups_of_the_rig_are_moveits(tmp_path: Path) -> None:
    armature = import_robot(LEG).armature
    (tmp_path / "leg.srdf").write_text(SRDF)
    apply_srdf(armature, tmp_path / "leg.srdf")
    packages = write(armature, tmp_path / "new")
    manager = packages.yaml("bringup", "config/controllers.yaml")
    assert manager["leg_controller"]["ros__parameters"]["joints"] == ["hip_pitch", "knee"]
    # The rest has a controller of its own.
    assert manager["joint_trajectory_controller"]["ros__parameters"]["joints"]
    file = packages.path("moveit_config", "config/quadruped_leg.srdf")
    semantics = read_srdf(file, read_robot(LEG))
    assert [each.name for each in semantics.groups] == ["leg"]
    assert [each.name for each in semantics.group_states] == ["up"]
    assert semantics.disabled_collisions and packages.find_faults() == []


def test_edits_of_the_rig_are_in_the_description(tmp_path: Path) -> None:
    result = import_robot(LEG)
    item = next(iter(result.visuals.values()))[0]
    item.location.x += 0.25
    bpy.context.view_layer.update()
    packages = write(result.armature, tmp_path)
    robot = read_robot(packages.path("description", "urdf/quadruped_leg.urdf"))
    assert robot != result.robot and robot.joints == result.robot.joints
    with pytest.raises(WriteError, match="read from no ROS package"):
        write(result.armature, tmp_path / "two", description="use")


def test_a_changed_rig_needs_its_own_description(tmp_path: Path) -> None:
    write(read_robot(LEG), tmp_path)
    result = import_robot(tmp_path / "quadruped_leg_description", diagnostics=Diagnostics())
    packages = write(result.armature, tmp_path / "two", name="two", description="use")
    assert set(packages.parsed) == {"two_bringup", "two_moveit_config"}
    next(iter(result.visuals.values()))[0].location.x += 0.25
    bpy.context.view_layer.update()
    with pytest.raises(WriteError, match=r"was changed in Blender .*must be written"):
        write(result.armature, tmp_path / "two", name="two", description="use")


def test_a_rig_from_xacro_uses_its_package_unless_it_had_arguments(tmp_path: Path) -> None:
    write(read_robot(LEG), tmp_path)
    place = tmp_path / "quadruped_leg_description" / "urdf"
    text = (place / "quadruped_leg.urdf").read_text()
    root = read_robot(LEG).links[0].name
    own = f"""<xacro:arg name="more" default=""/><link name="sole$(arg more)"/>
    <joint name="extra" type="fixed"><parent link="{root}"/><child link="sole$(arg more)"/></joint>
    </robot>"""
    text = text.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
    source = place / "leg.urdf.xacro"
    source.write_text(text.replace("</robot>", own))
    result = import_robot(source, diagnostics=Diagnostics())
    packages = write(result.armature, tmp_path / "two", name="two", description="use")
    assert set(packages.parsed) == {"two_bringup", "two_moveit_config"}
    options = ImportOptions(xacro_args=(("more", "_b"),))
    result = import_robot(source, options=options, diagnostics=Diagnostics())
    with pytest.raises(WriteError, match=r"without the arguments .*must be written"):
        write(result.armature, tmp_path / "three", name="two", description="use")


@pytest.mark.usefixtures("extension")
def test_the_operator_writes_twice_the_same(tmp_path: Path) -> None:
    import_robot(LEG)
    place = tmp_path / "leg_ros2"
    times = {}
    for _ in range(2):
        done = bpy.ops.export_scene.robot_for_ros2(
            filepath=str(place), hardware="gz", collision_samples=0
        )
        assert done == {"FINISHED"}
        found = {path: path.stat().st_mtime_ns for path in place.rglob("*") if path.is_file()}
        assert times in ({}, found)
        times = found
    packages = Packages(place)
    assert packages.find_faults() == []
    needed = [each.name for each in packages.parsed["quadruped_leg_bringup"].exec_depends]
    assert "gz_ros2_control" in needed


def test_mujoco_takes_the_scene_of_a_rig(tmp_path: Path) -> None:
    import mujoco

    armature = import_robot(LEG).armature
    set_joint_positions(armature, {"knee": 0.9})
    packages = write(armature, tmp_path, hardware="mujoco")
    file = packages.path("bringup", "mujoco/quadruped_leg.xml")
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    assert data.joint("knee").qpos[0] == pytest.approx(0.9, abs=1e-6)
    manager = packages.yaml("bringup", "config/controllers.yaml")
    driven = manager["arm_controller"]["ros__parameters"]["joints"]
    assert [model.actuator(each).name for each in range(model.nu)] == driven
