# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that were displaced go back, and nobody displaces them by accident."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.rigs import assert_frames, shown_frames
from support.blender.sidebars import SAMPLES
from support.blender.split_rigs import PANDA_PARTS
from support.blender.split_rigs import load as load_to_split
from urdf_importer import (
    BuildError,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    reset_parts,
    set_joint_positions,
    update_robot,
)
from urdf_importer.core.blender.extract.robot import find_link_empties
from urdf_importer_morse.split.split import split_armature

pytestmark = pytest.mark.usefixtures("scene")

NAMES = sorted(path.stem for path in SAMPLES.glob("*.urdf"))


def parts_of(robot: Any) -> list[Any]:
    keys = ("urdf_link", "urdf_part")
    return [item for item in robot.children_recursive if any(key in item for key in keys)]


def places(robot: Any) -> dict[str, Any]:
    """Frames under the parents. Blender does not evaluate those that are hidden."""
    return {
        item.name: np.array(item.matrix_parent_inverse) @ np.array(item.matrix_basis)
        for item in parts_of(robot)
    }


def displace(items: list[Any]) -> None:
    for number, item in enumerate(items):
        item.location.x += 0.1 + number
        item.scale = (1.0, 2.0, 0.5)
        item.delta_location.y = 0.3
        item.rotation_mode = "XYZ"
        item.rotation_euler = (1.0, 0.2, number)
        item.matrix_parent_inverse[0][3] = 0.7


@pytest.mark.parametrize("name", NAMES)
def test_everything_goes_back_in_any_pose(name: str) -> None:
    robot = import_robot(SAMPLES / f"{name}.urdf").armature
    assert reset_parts(robot) == 0
    before = places(robot)
    set_joint_positions(
        robot, {j: 0.3 for j, at in get_joint_positions(robot).items() if isinstance(at, float)}
    )
    parts = parts_of(robot)
    displace(parts)
    assert reset_parts(robot) == len(parts) and reset_parts(robot) == 0
    for name, place in places(robot).items():
        assert place == pytest.approx(before[name], abs=3e-6)


def test_a_robot_of_several_armatures() -> None:
    described, robot = load_to_split("panda")
    for group, joints in PANDA_PARTS.items():
        split_armature(robot, group, joints)
    assert reset_parts(robot) == 0
    empties = find_link_empties(robot)
    displace(list(empties.values()))
    assert reset_parts(robot) == len(empties)
    bpy.context.view_layer.update()
    shown = shown_frames(empties)
    assert_frames(
        shown, forward_kinematics(described, get_joint_positions(robot)), metres=1e-5, radians=1e-5
    )


def test_without_all_links_shapes_go_back() -> None:
    result = import_robot(SAMPLES / "two_link_arm.urdf")
    robot = result.armature
    empty = next(iter(result.links.values()))
    for item in list(empty.children):
        bpy.data.objects.remove(item)
    bpy.data.objects.remove(empty)
    shapes = [item for item in parts_of(robot) if "urdf_shape" in item]
    before = places(robot)
    displace(shapes)
    assert reset_parts(robot) == len(shapes)
    for name, place in places(robot).items():
        assert place == pytest.approx(before[name], abs=3e-6)


def test_what_a_user_put_on_a_link_stays() -> None:
    result = import_robot(SAMPLES / "two_link_arm.urdf")
    cup = bpy.data.objects.new("cup", None)
    cup.parent, cup.location = next(iter(result.links.values())), (1.0, 2.0, 3.0)
    assert reset_parts(result.armature) == 0 and tuple(cup.location) == (1.0, 2.0, 3.0)
    with pytest.raises(BuildError):
        reset_parts(cup)


@pytest.mark.parametrize("locked", [True, False])
def test_an_update_puts_back_what_is_locked(tmp_path: Path, locked: bool) -> None:
    path = tmp_path / "arm.urdf"
    path.write_bytes((SAMPLES / "two_link_arm.urdf").read_bytes())
    result = import_robot(path)
    shape = next(item for item in parts_of(result.armature) if item.get("urdf_part") == "Visuals")
    before = np.array(shape.matrix_basis)
    shape.location.x += 0.5
    shape.scale.y = 2.0
    moved = np.array(shape.matrix_basis)
    if not locked:
        shape.lock_location = shape.lock_rotation = shape.lock_scale = (False,) * 3
    path.write_text(path.read_text().replace("</robot>", '<link name="more"/></robot>'))
    update_robot(result.armature)
    wanted = before if locked else moved
    assert np.array(shape.matrix_basis) == pytest.approx(wanted, abs=1e-6)


def test_hands_cannot_move_parts() -> None:
    """What G, R and S call. Scripts and constraints are not held."""
    result = import_robot(SAMPLES / "two_link_arm.urdf")
    before = places(result.armature)
    for item in bpy.context.selected_objects:
        item.select_set(False)
    shown = [item for item in parts_of(result.armature) if item.visible_get()]
    for item in shown:
        item.select_set(True)
    bpy.context.view_layer.objects.active = shown[0]
    assert len(shown) > 10
    bpy.ops.transform.translate(value=(1.0, 2.0, 3.0))
    bpy.ops.transform.rotate(value=1.0, orient_axis="X")
    bpy.ops.transform.resize(value=(2.0, 2.0, 2.0))
    bpy.ops.object.location_clear()
    bpy.ops.object.rotation_clear()
    bpy.ops.object.scale_clear()
    for name, place in places(result.armature).items():
        assert place == pytest.approx(before[name], abs=2e-6)
