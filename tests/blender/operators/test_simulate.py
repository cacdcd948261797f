# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator Simulate, and the motors that its simulation finds too weak."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.blender.sidebars import activate
from support.paths import ROOT
from urdf_importer import ImportOptions, get_joint_positions, import_robot

pytestmark = pytest.mark.usefixtures("extension", "scene")
ARM = """<robot name="arm"><link name="base"/><link name="part"><inertial><origin xyz="0.3 0 0"/>
<mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0.3 0 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="joint" type="revolute"><parent link="base"/><child link="part"/><origin xyz="0 0 2"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="4" velocity="9"/></joint></robot>"""


@pytest.fixture
def arm(tmp_path: Path) -> Any:
    (tmp_path / "arm.urdf").write_text(ARM)
    robot = import_robot(tmp_path / "arm.urdf").armature
    activate(robot)
    return robot


def noted(robot: Any) -> dict[str, Any]:
    """The overloads that the panel Motion lists."""
    return robot.animation_data.action["urdf_motion"]["overloads"].to_dict()


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_it_keys_the_active_robot_and_finds_weak_motors(arm: Any, engine: str) -> None:
    assert bpy.ops.urdf.simulate(engine=engine, seconds=0.5, motors="hold") == {"FINISHED"}
    assert list(noted(arm)) == ["joint"]
    assert bpy.ops.urdf.simulate(engine=engine, seconds=0.5) == {"FINISHED"}
    assert noted(arm) == {}


def test_selected_robots_and_objects_take_part(arm: Any) -> None:
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=(0.3, 0.0, 1.6))
    activate(arm)
    bpy.context.scene.frame_set(1)
    positions = []
    for hits in ("none", "selected", "visible"):
        assert bpy.ops.urdf.simulate(engine="bullet", seconds=1.0, hits=hits) == {"FINISHED"}
        last = arm.animation_data.action
        bpy.context.scene.frame_set(25)
        moved = max(abs(bone.matrix_basis.to_euler().y) for bone in arm.pose.bones)
        moved = max(moved, *(abs(each) for bone in arm.pose.bones for each in bone.rotation_euler))
        positions.append(moved)
        bpy.context.scene.frame_set(1)
        arm.animation_data.action = None
        bpy.data.actions.remove(last)
        for bone in arm.pose.bones:
            bone.rotation_euler = (0.0, 0.0, 0.0)
    assert positions[0] == pytest.approx(1.0, abs=1e-2)
    assert positions[1] < 0.95
    assert positions[2] == pytest.approx(positions[1], abs=1e-4)


@pytest.mark.parametrize("named", ["", "part"])
def test_a_link_is_pushed(arm: Any, named: str) -> None:
    push = {"pushes": True, "push_link": named, "push_force": (0.0, 0.0, 200.0), "push_start": 0.1}
    assert bpy.ops.urdf.simulate(engine="bullet", seconds=0.4, **push) == {"FINISHED"}
    assert get_joint_positions(arm)["joint"] == pytest.approx(0.0, abs=1e-3)
    bpy.context.scene.frame_set(10)
    assert get_joint_positions(arm)["joint"] < -0.5


_BASES = (("auto", False), ("free", False), ("fixed", True), ("auto", True), ("keyed", True))


def test_the_base_is_pushed_where_it_moves(extension: ModuleType, tmp_path: Path) -> None:
    """It falls by the panel's settings, by a virtual joint of its SRDF, or by a joint at its root;
    of a robot that is held the hand is pushed."""
    find = extension.operators.simulation.operators._find_pushed
    chosen = bpy.context.window_manager.operator_properties_last("urdf.simulate")

    def find_all(robot: Any) -> list[str]:
        activate(robot)
        found = []
        for base, drops in _BASES:
            chosen.base, chosen.drops = base, drops
            found.append(find(chosen, bpy.context))
        return found

    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "arm.srdf").write_text(
        '<robot name="arm"><virtual_joint name="float" type="floating" parent_frame="world" '
        'child_link="base"/></robot>'
    )
    held = import_robot(tmp_path / "arm.urdf").armature
    assert find_all(held) == ["part", "base", "part", "base", "part"]
    options = ImportOptions(srdf=str(tmp_path / "arm.srdf"))
    floating = import_robot(tmp_path / "arm.urdf", options=options).armature
    assert find_all(floating) == ["base", "base", "part", "base", "part"]
    free = import_robot(ROOT / "tests" / "data" / "free_base.xml").armature
    assert find_all(free) == ["base", "base", "arm", "base", "arm"]
    chosen.base, chosen.drops = "auto", False


def test_a_collection_has_to_be_chosen(arm: Any) -> None:
    assert not arm.animation_data
    with pytest.raises(RuntimeError, match="choose the collection"):
        bpy.ops.urdf.simulate(hits="collection")
    assert not arm.animation_data
