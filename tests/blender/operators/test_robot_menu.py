# SPDX-License-Identifier: GPL-3.0-or-later
"""The menu Robot, its pie, and the poses in it."""

import runpy
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.sidebars import activate, load
from support.real_robots import descriptions
from urdf_importer import (
    ImportOptions,
    KinematicsError,
    get_joint_positions,
    import_robot,
    link_pose,
    mirror_pose,
    set_joint_positions,
)

pytestmark = pytest.mark.usefixtures("extension", "scene")

BARE = ImportOptions(visuals=False, collisions=False)


def menu_of(extension: ModuleType) -> Any:
    return __import__(f"{extension.__name__}.operators.sidebar.robot_menu", fromlist=["x"])


def test_every_operator_of_robots_is_in_the_menu(extension: ModuleType) -> None:
    """So F3 finds it, also one that is made later; but for those that a row of a panel tells about
    what: of the link, the joint, the message."""
    menu = menu_of(extension)
    listed = [name for section in menu.ENTRIES.values() for name, _ in section]
    is_known = extension.operators.registration.is_known
    assert [name for name in listed if not is_known(name)] == []
    assert len(listed) == len({*listed})
    assert all(len(section) <= 8 for section in menu.ENTRIES.values())
    for kind in extension.operators.active_robot.RobotOperator.__subclasses__():
        name = getattr(kind, "bl_idname", "")
        if name and is_known(name) and name not in listed:
            operator = getattr(bpy.ops.urdf, name.removeprefix("urdf."))
            told = set(operator.get_rna_type().properties.keys())
            assert told & TOLD or name in BESIDE, name


TOLD = {
    "joint", "limb", "link", "index", "group", "state", "package", "sensor", "what", "action",
    "target", "number",
}  # fmt: skip
"""What an operator is told by the row of a panel that it stands in."""
BESIDE = {
    "urdf.complete_copy", "urdf.pose_body", "urdf.hide_ik", "urdf.live_connect",
    "urdf.go_to_waypoint", "urdf.move_waypoint", "urdf.remove_waypoint", "urdf.set_waypoint_move",
    "urdf.limit_here",
}  # fmt: skip
"""In a context menu, or beside the thing in a panel that they are about."""


def test_the_key_of_the_pie_is_free(extension: ModuleType) -> None:
    """In none of Blender's own key maps of the 3D view in object and in pose mode."""
    scripts = Path(bpy.utils.system_resource("SCRIPTS"))
    (path,) = scripts.glob("presets/keyconfig/keymap_data/blender_default.py")
    keys = runpy.run_path(str(path))
    names = (
        *menu_of(extension).PIE_KEYS.values(),
        "3D View",
        "3D View Generic",
        "Object Non-modal",
    )
    names = (*names, "Window", "Screen", "Frames", "Screen Editing")
    seen = 0
    for name, _, content in keys["generate_keymaps"](keys["Params"](select_mouse="LEFT")):
        for _, event, *_ in content["items"] if name in names else ():
            seen += 1
            held = {key for key in ("shift", "ctrl", "alt", "oskey", "any") if event.get(key)}
            assert (event["type"], held) != ("R", {"shift", "alt"}), name
    assert seen > 100


@pytest.mark.parametrize("name", ["home_pose", "zero_pose", "ready_pose", "mirror_pose"])
def test_poses_are_one_undo_step_and_need_a_robot(name: str) -> None:
    operator = getattr(bpy.ops.urdf, name)
    assert not operator.poll()
    assert {"REGISTER", "UNDO"} <= operator.bl_options
    activate(load("two_link_arm"))
    assert operator.poll()


def test_home_and_ready() -> None:
    robot = load("two_link_arm")
    activate(robot)
    start = get_joint_positions(robot)
    bpy.ops.urdf.random_pose(seed=3)
    assert get_joint_positions(robot) != start
    bpy.ops.urdf.home_pose()
    assert get_joint_positions(robot) == pytest.approx(start, abs=1e-6)
    bpy.ops.urdf.ready_pose()
    ready = get_joint_positions(robot)
    assert ready != start
    bpy.ops.urdf.ready_pose()
    assert get_joint_positions(robot) == ready


def talos() -> Any:
    path = next(path for path in descriptions() if path.stem == "talos_full_v2")
    return import_robot(path, options=BARE).armature


def test_mirror_pose_of_a_humanoid_and_of_selected_bones() -> None:
    """Its names flip neither in Blender, and its shoulders are combined bones."""
    robot = talos()
    pose = {"arm_left_1_joint": 0.3, "arm_left_2_joint": 0.4, "leg_right_4_joint": 0.7}
    set_joint_positions(robot, pose | {"torso_1_joint": 0.2})
    places = {
        link: link_pose(robot, link)[:3, 3] for link in ("arm_left_4_link", "arm_right_4_link")
    }
    assert mirror_pose(robot) > 30
    found = get_joint_positions(robot)
    assert found["torso_1_joint"] == pytest.approx(-0.2)
    assert found["leg_left_4_joint"] == pytest.approx(0.7)
    assert found["arm_left_1_joint"] == pytest.approx(0.0)
    flipped = np.array([1, -1, 1])
    left, right = places
    for link, other in ((left, right), (right, left)):
        shown = link_pose(robot, other)[:3, 3]
        np.testing.assert_allclose(shown, places[link] * flipped, atol=1e-5)
    mirror_pose(robot)
    set_joint_positions(robot, {"arm_right_1_joint": 0.0})
    activate(robot)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in robot.pose.bones:
        select(bone, "leg_right_4_joint" in bone.name)
    assert bpy.ops.urdf.mirror_pose() == {"FINISHED"}
    found = get_joint_positions(robot)
    assert found["leg_left_4_joint"] == pytest.approx(0.7)
    assert found["leg_right_4_joint"] == pytest.approx(0.7)
    assert found["arm_left_1_joint"] == pytest.approx(0.3)
    bpy.ops.object.mode_set(mode="OBJECT")


def select(bone: Any, on: bool) -> None:
    """Blender 5 keeps it on the pose bone."""
    holder = bone if bpy.app.version >= (5, 0) else bone.bone
    holder.select = on


def test_a_joint_that_is_not_there(extension: ModuleType) -> None:
    with pytest.raises(KinematicsError, match="no moving joint 'nose'"):
        mirror_pose(load("two_link_arm"), joints=["nose"])


def test_a_range_test_needs_a_window() -> None:
    """What it does is tested in a window, and in test_range_test.py."""
    activate(load("two_link_arm"))
    with pytest.raises(RuntimeError, match="A range test needs a window"):
        bpy.ops.urdf.range_test()
