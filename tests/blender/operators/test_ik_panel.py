# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of inverse kinematics: its operators do what the library does."""

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.sidebars import activate, load
from support.blender.snapshots import list_data
from urdf_importer import get_joint_positions, link_pose, set_joint_positions
from urdf_importer.core.blender.standing.keys import find_curves

pytestmark = pytest.mark.usefixtures("extension", "scene")


@pytest.fixture
def arm() -> Any:
    robot = load("humanoid_arm")
    activate(robot)
    set_joint_positions(robot, {"elbow": -0.8, "shoulder_pitch": 0.3})
    bpy.context.view_layer.update()
    return robot


def ask(**wanted: Any) -> Any:
    settings = bpy.context.window_manager.urdf_ik
    chosen = {
        "link": "", "group": "", "source": "cursor", "mode": "absolute", "orientation": "free",
        "frame": "armature", "object": None, "key": False, "convention": "ros",
    }  # fmt: skip
    for name, value in (chosen | wanted).items():
        setattr(settings, name, value)
    return settings


def place_of(arm: Any, link: str = "hand") -> Any:
    return (np.array(arm.matrix_world) @ link_pose(arm, link))[:3, 3]


def test_the_hand_goes_to_the_cursor(arm: Any) -> None:
    arm.location = (0.4, -0.2, 0.1)
    bpy.context.view_layer.update()
    goal = place_of(arm) + np.array((0.03, 0.01, 0.02))
    bpy.context.scene.cursor.location = goal
    ask(link="hand")
    assert bpy.ops.urdf.solve_ik() == {"FINISHED"}
    assert place_of(arm) == pytest.approx(goal, abs=2e-5)


def test_numbers_are_a_way_in_the_axes_that_are_chosen(arm: Any) -> None:
    before = place_of(arm)
    ask(link="hand", source="numbers", mode="relative", place=(0.0, 0.02, 0.03), key=True)
    assert bpy.ops.urdf.solve_ik() == {"FINISHED"}
    assert place_of(arm) == pytest.approx(before + np.array((0.0, 0.02, 0.03)), abs=2e-5)
    assert len(bpy.data.actions) == 1


def test_an_object_is_a_target(arm: Any) -> None:
    empty = bpy.data.objects.new("there", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = place_of(arm) + np.array((0.02, 0.02, 0.0))
    bpy.context.view_layer.update()
    ask(link="hand", source="object", object=empty)
    assert bpy.ops.urdf.solve_ik() == {"FINISHED"}
    assert place_of(arm) == pytest.approx(np.array(empty.location), abs=2e-5)


def test_a_solve_that_fails_changes_nothing(arm: Any) -> None:
    before = get_joint_positions(arm)
    ask(link="hand", source="numbers", place=(9.0, 0.0, 0.0))
    assert bpy.ops.urdf.solve_ik() == {"CANCELLED"}
    assert get_joint_positions(arm) == before
    ask(link="ghost", source="numbers")
    assert bpy.ops.urdf.solve_ik() == {"CANCELLED"}
    ask(link="hand", source="object")
    assert bpy.ops.urdf.solve_ik() == {"CANCELLED"}


def test_a_live_target_is_selected_followed_baked_and_let_go(arm: Any) -> None:
    ask(link="hand")
    before = get_joint_positions(arm)
    assert bpy.ops.urdf.add_ik() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert get_joint_positions(arm) == before
    target = bpy.context.view_layer.objects.active
    assert target.select_get() and target["urdf_ik"]["link"] == "hand"
    target.location.x += 0.01
    target.location.z += 0.02
    bpy.context.view_layer.update()
    bpy.context.view_layer.update()
    assert place_of(arm) == pytest.approx(np.array(target.matrix_world.translation), abs=3e-5)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 3
    assert bpy.ops.urdf.bake_ik() == {"FINISHED"}
    assert bpy.data.actions
    set_joint_positions(arm, {"elbow": -1.0})
    bpy.context.view_layer.update()
    assert bpy.ops.urdf.snap_target() == {"FINISHED"}
    assert place_of(arm) == pytest.approx(np.array(target.matrix_world.translation), abs=1e-5)
    assert bpy.ops.urdf.remove_ik(target=target.name) == {"FINISHED"}
    assert not [each for each in bpy.data.objects if "urdf_ik" in each]


def test_what_is_shown_becomes_what_is_set(arm: Any) -> None:
    """The limit holds the elbow at zero, though it is set beyond."""
    set_joint_positions(arm, {"elbow": 0.5})
    bpy.context.view_layer.update()
    shown = get_joint_positions(arm)
    assert bpy.ops.urdf.snap_joints() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert get_joint_positions(arm) == pytest.approx(shown, abs=1e-5)
    bone = next(each for each in arm.pose.bones if each.name.startswith("elbow"))
    assert max(map(abs, bone.rotation_euler)) < 0.5 - 1e-3


def test_numbers_in_other_axes_and_units(arm: Any) -> None:
    """Her simulator: 2 cm up is 2 along her y."""
    before = place_of(arm)
    ask(link="hand", source="numbers", mode="relative", convention="y_up_cm", numbers=(0, 2.0, 3.0))
    assert bpy.ops.urdf.solve_ik() == {"FINISHED"}
    assert place_of(arm) == pytest.approx(before + np.array((0.03, 0.0, 0.02)), abs=2e-5)
    ask(link="hand", source="numbers", mode="relative", convention="unity", numbers=(0, 0, 1.0))
    assert bpy.ops.urdf.solve_ik() == {"CANCELLED"}


def test_several_ways_are_found_and_one_is_taken(extension: ModuleType, arm: Any) -> None:
    """Nothing stands for them in the file, and nothing moves before one is chosen."""
    ghosts = extension.operators.ik.ghosts
    goal, before = place_of(arm), get_joint_positions(arm)
    kept = list_data()
    ask(link="hand", source="gizmo")
    assert bpy.ops.urdf.find_ik() == {"FINISHED"}
    found = ghosts.find_ghosts(arm).ways
    assert len(found.positions) > 1 and found.label and found.bodies
    assert get_joint_positions(arm) == before and list_data() == kept
    for number, way in enumerate(found.positions, 1):
        assert bpy.ops.urdf.choose_ik(number=number) == {"FINISHED"}
        shown = get_joint_positions(arm)
        assert {name: shown[name] for name in way} == pytest.approx(dict(way), abs=1e-5)
        assert place_of(arm) == pytest.approx(goal, abs=2e-5)
        assert ghosts.find_ghosts(arm).chosen == number - 1
    assert bpy.ops.urdf.choose_ik(number=len(found.positions) + 1) == {"CANCELLED"}
    assert bpy.ops.urdf.hide_ik() == {"FINISHED"}
    assert ghosts.find_ghosts(arm) is None and list_data() == kept
    ask(link="hand", source="numbers", place=(9.0, 0.0, 0.0))
    assert bpy.ops.urdf.find_ik() == {"CANCELLED"}


def test_ghosts_go_with_the_file(extension: ModuleType, arm: Any) -> None:
    ask(link="hand", source="gizmo")
    assert bpy.ops.urdf.find_ik() == {"FINISHED"}
    bpy.ops.wm.read_homefile(use_empty=True)
    ghosts = extension.operators.ik.ghosts
    assert extension.operators.session.session_state(ghosts._Shown).ghosts is None


def test_a_range_is_baked_and_frames_that_fail_are_named(extension: ModuleType, arm: Any) -> None:
    ask(link="hand")
    assert bpy.ops.urdf.add_ik(live=True) == {"FINISHED"}
    target = bpy.context.view_layer.objects.active
    target.keyframe_insert("location", frame=3)
    target.location.x += 5.0
    target.keyframe_insert("location", frame=4)
    activate(arm)
    assert bpy.ops.urdf.bake_ik(start=2, end=6) == {"FINISHED"}
    settings = bpy.context.window_manager.urdf_ik
    assert settings.failed == "4 to 6"
    assert bpy.ops.urdf.bake_ik(start=1, end=3) == {"FINISHED"} and settings.failed == ""
    frames = {point.co.x for curve in find_curves(arm) for point in curve.keyframe_points}
    assert frames == {1, 2, 3, 4, 5, 6}
    name = extension.operators.ik.operators.name_frames
    assert name([9, 3, 4, 5, 1]) == "1, 3 to 5, 9"
    assert name(range(1, 99, 2)).endswith("and 37 more rows")


def test_solutions_and_checks_go_with_the_robot_as_it_was(extension: ModuleType, arm: Any) -> None:
    """An update takes them, another object of the scene does not."""
    ghosts, panel = extension.operators.ik.ghosts, extension.operators.motion.panel
    bpy.ops.urdf.key_all()
    bpy.ops.urdf.check_motion()
    ask(link="hand", source="gizmo")
    assert bpy.ops.urdf.find_ik() == {"FINISHED"}
    bpy.ops.object.empty_add()
    activate(arm)
    assert ghosts.find_ghosts(arm) is not None and panel.find_checked(arm) is not None
    library = extension.urdf_importer
    library.update_robot(arm, robot=library.reshape.rename(library.extract_robot(arm), prefix="a_"))
    assert ghosts.find_ghosts(arm) is None and panel.find_checked(arm) is None
    assert bpy.ops.urdf.choose_ik(number=1) == {"CANCELLED"}
