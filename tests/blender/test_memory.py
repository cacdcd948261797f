# SPDX-License-Identifier: GPL-3.0-or-later
"""What is remembered of robots is what stands there: after undo, renaming, and while a robot is
drawn before it is complete."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.linkages import four_bar
from support.paths import ROOT
from urdf_importer import (
    add_ik,
    get_joint_positions,
    import_robot,
    import_steps,
    link_pose,
    set_joint_positions,
    solve_ik,
    update_robot,
    write_urdf,
)
from urdf_importer.core.blender import memory
from urdf_importer.core.blender.standing.loops import find_loops
from urdf_importer.features.ik.blender.live import unwatch
from urdf_importer.features.ik.blender.solve import recall_rig
from urdf_importer.features.ik.blender.tip_handles import handles_in

SAMPLES = ROOT / "sample_urdfs"
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
ARM = f"""<robot name="arm"><link name="base"/><link name="arm"/><link name="tip"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
{LIMIT}</joint>
<joint name="reach" type="fixed"><parent link="arm"/><child link="tip"/>
<origin xyz="1 0 0"/></joint>
</robot>"""


@pytest.fixture(autouse=True)
def fresh(scene: Any) -> Any:
    yield
    unwatch()
    memory.unwatch()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def undo() -> Any:
    """Returns the robot as it is then."""
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    return next(each for each in bpy.data.objects if each.type == "ARMATURE")


def test_an_update_that_is_undone_is_forgotten(path: Path) -> None:
    robot = import_robot(path).armature
    set_joint_positions(robot, {"turn": 0.9})
    bpy.context.view_layer.update()
    goal = link_pose(robot, "tip")
    set_joint_positions(robot, {"turn": 0.0})
    bpy.ops.ed.undo_push(message="before")
    path.write_text(ARM.replace('upper="1"', 'upper="0.1"'))
    update_robot(robot)
    assert not solve_ik(robot, "tip", target=goal).success
    robot = undo()
    assert solve_ik(robot, "tip", target=goal).success
    assert get_joint_positions(robot)["turn"] == pytest.approx(0.9, abs=1e-6)


def test_a_redone_update_counts_again(path: Path) -> None:
    robot = import_robot(path).armature
    bpy.ops.ed.undo_push(message="before")
    path.write_text(ARM.replace('upper="1"', 'upper="0.1"'))
    update_robot(robot)
    robot = undo()
    assert recall_rig(robot).motions["turn"].joint.limit.upper == 1.0
    bpy.ops.ed.redo()
    (robot,) = (each for each in bpy.data.objects if each.type == "ARMATURE")
    assert recall_rig(robot).motions["turn"].joint.limit.upper == 0.1


def test_loops_are_those_of_the_undone_robot(tmp_path: Path) -> None:
    path = tmp_path / "bars.urdf"
    write_urdf(four_bar(0.25, 0.9, 0.6, 1.0, 0.4), path)
    robot = import_robot(path).armature
    before = read_loops(robot)
    bpy.ops.ed.undo_push(message="before")
    path.write_text(path.read_text().replace('xyz="0.6 0 0"', 'xyz="0.65 0 0"'))
    update_robot(robot)
    assert read_loops(robot) != before
    assert read_loops(undo()) == before


def read_loops(robot: Any) -> Any:
    loops = find_loops(robot)
    assert loops is not None
    return loops.robot.loops


def test_a_live_target_is_followed_under_its_new_name(path: Path) -> None:
    robot = import_robot(path).armature
    target = add_ik(robot, "tip", live=True)
    bpy.context.view_layer.update()
    target.location.y += 0.1
    bpy.context.view_layer.update()
    before = get_joint_positions(robot)["turn"]
    assert before > 0.05
    target.name = "where to go"
    bpy.context.view_layer.update()
    target.location.y += 0.2
    bpy.context.view_layer.update()
    assert get_joint_positions(robot)["turn"] > before + 0.1


def test_a_robot_drawn_before_it_is_complete_can_be_taken_by_its_hand() -> None:
    """While its drivers are made the robot is not in the scene, and then it is there without a word
    of Blender."""
    scene = bpy.context.scene
    for _ in import_steps(SAMPLES / "two_link_arm.urdf"):
        handles_in(scene)
        bpy.context.view_layer.update()
    assert [each.link for each in handles_in(scene)] == ["tool_centre_point"]


def test_a_collection_that_is_linked_again_is_seen() -> None:
    import_robot(SAMPLES / "two_link_arm.urdf")
    scene = bpy.context.scene
    (own,) = scene.collection.children
    for count in (0, 1):
        change = scene.collection.children.link if count else scene.collection.children.unlink
        change(own)
        assert len(handles_in(scene)) == count


def test_the_extension_forgets_and_leaves(extension: ModuleType) -> None:
    kept = extension.urdf_importer.core.blender.memory
    assert all(handler in moments for moments, handler in kept._handlers())
    kept.recall(bpy.context.scene, "anything", lambda _: 1)
    kept.unwatch()
    assert not kept._kept
    assert not any(handler in moments for moments, handler in kept._handlers())
    kept.watch()


def test_answers_that_are_out_of_date_at_once_are_not_kept() -> None:
    def read(scene: Any) -> int:
        memory.forget()
        return len(answers)

    answers: list[int] = []
    for _ in range(3):
        answers.append(memory.recall(bpy.context.scene, "count", read))
    assert answers == [0, 1, 2]


def test_few_answers_are_kept() -> None:
    for number in range(1000):
        memory.recall(bpy.context.scene, number, lambda _: None)
    assert len(memory._kept) == memory._MOST_KEPT
