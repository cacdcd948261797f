# SPDX-License-Identifier: GPL-3.0-or-later
"""bpy.ops.urdf.reshape_*: each does what the function of the library does, in one step."""

from pathlib import Path
from typing import Any

import bpy
import pytest

from support.paths import ROOT
from urdf_importer import Pose, Robot, extract_robot, import_robot, read_robot
from urdf_importer.core import reshape
from urdf_importer.core.blender.standing.selection import (
    measure_selection,
    select_bones,
    select_objects,
)

SAMPLES = ROOT / "sample_urdfs"
ARM = SAMPLES / "humanoid_arm.urdf"

pytestmark = pytest.mark.usefixtures("extension", "scene")


def call(name: str, **given: Any) -> Robot:
    armature = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    assert getattr(bpy.ops.urdf, name)(**given) == {"FINISHED"}
    return extract_robot(armature)


def test_every_function_has_its_operator() -> None:
    robot = import_robot(ARM).robot
    leaf, root = robot.joints[-1].child, robot.links[1].name
    assert call("reshape_rename", old=leaf, new="end") == reshape.rename(robot, {leaf: "end"})
    robot = reshape.rename(reshape.rename(robot, {leaf: "end"}), prefix="left_")
    assert call("reshape_rename", prefix="left_") == robot
    robot = reshape.strip(robot, ["inertials", "collisions"])
    assert call("reshape_strip", parts={"inertials", "collisions"}) == robot
    robot = reshape.resize(robot, scale=0.5)
    assert call("reshape_resize", scale=0.5) == robot
    robot = reshape.resize(robot, factors={f"left_{root}": (1.0, 1.0, 1.25)})
    assert call("reshape_resize", link=f"left_{root}", factor=(1.0, 1.0, 1.25)) == robot
    gripper = SAMPLES / "gripper.urdf"
    origin = Pose(xyz=(0.0, 0.0, 0.1), rpy=(0.0, 0.0, 0.5))
    robot = reshape.attach(robot, read_robot(gripper), "left_end", origin=origin, prefix="g_")
    given = {"xyz": origin.xyz, "rpy": origin.rpy, "prefix": "g_"}
    assert call("reshape_attach", filepath=str(gripper), link="left_end", **given) == robot
    robot = reshape.prune(robot, remove=["left_end"])
    assert call("reshape_prune", limb="left_end") == robot
    robot = reshape.reroot(robot, f"left_{root}")
    assert call("reshape_reroot", link=f"left_{root}") == robot
    robot = reshape.convert_axes(robot, "zxy")
    assert call("reshape_axes", axes="zxy") == robot
    assert call("reshape_merge") == reshape.merge_fixed(robot)


def test_a_table_in_a_text(tmp_path: Path) -> None:
    robot = import_robot(ARM).robot
    assert bpy.ops.urdf.measure() == {"FINISHED"}
    text = bpy.data.texts[-1]
    joint = next(each for each in robot.joints if any(each.origin.xyz))
    assert bpy.ops.urdf.reshape_resize(text=text.name) == {"CANCELLED"}  # It is as it is.
    text.clear()
    text.write(f'origins: {{"{joint.name}": [0.5, 0, 0.25]}}\n')
    wanted = reshape.resize(robot, origins={joint.name: (0.5, 0.0, 0.25)})
    assert call("reshape_resize", text=text.name) == wanted
    table = tmp_path / "table.csv"
    table.write_text(f"joint,x,y,z\n{joint.name},0.25,0,0.5\n")
    wanted = reshape.resize(robot, origins={joint.name: (0.25, 0.0, 0.5)})
    assert call("reshape_resize", filepath=str(table)) == wanted


def test_what_cannot_be_is_one_sentence() -> None:
    robot = import_robot(ARM).robot
    for name, given in (
        ("reshape_prune", {"limb": "nothing"}),
        ("reshape_rename", {"old": robot.links[0].name, "new": robot.links[1].name}),
        ("reshape_axes", {"axes": "xxy"}),
        ("reshape_resize", {"text": "no such text"}),
        ("reshape_resize", {"filepath": "/nowhere/table.yaml"}),
        ("reshape_attach", {"filepath": "/nowhere/x.urdf", "link": robot.links[0].name}),
    ):
        with pytest.raises(RuntimeError) as problem:
            getattr(bpy.ops.urdf, name)(**given)
        assert len(str(problem.value).strip().splitlines()) == 1
    armature = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    assert extract_robot(armature) == robot


def test_one_step_of_undo(request: pytest.FixtureRequest) -> None:
    """Operators push their step themselves: bl_options say so for all of them."""
    import importlib

    module = importlib.import_module(
        f"{request.getfixturevalue('extension').__name__}.operators.sidebar.reshape_operators"
    )
    for each in (*module.RESHAPERS, module.MeasureRobot):
        assert {"REGISTER", "UNDO"} <= each.bl_options


def test_lists_of_changes_are_as_long_as_the_window_has_room(extension: Any) -> None:
    find_room = extension.operators.shown_changes.find_room
    assert [find_room(height, 1.0) for height in (200, 480, 768, 1080, 4000)] == [4, 8, 22, 24, 24]
    assert find_room(1080, 2.0) == 11
    assert find_room(800, 1.0, 12) == 12


def test_resize_takes_a_length_from_what_is_selected() -> None:
    rig = import_robot(ARM)
    joint = next(each for each in rig.robot.joints if each.type != "fixed" and any(each.origin.xyz))
    wanted = reshape.resize(rig.robot, lengths={joint.name: 0.25})
    assert call("reshape_resize", joint=joint.name, length=0.25) == wanted
    ends = [bpy.data.objects.new(name, None) for name in "ab"]
    for end in ends:
        bpy.context.scene.collection.objects.link(end)
    ends[1].location = (0.0, 3.0, 4.0)
    bpy.context.view_layer.update()
    select_objects([*ends, rig.armature])
    assert measure_selection() is None
    select_objects(ends)
    assert measure_selection() == 5.0
    bones = [bone.name for bone in rig.armature.data.bones]
    select_bones({rig.armature: bones[:1]})
    assert measure_selection() == pytest.approx(rig.armature.data.bones[bones[0]].length, rel=1e-5)
    select_bones({rig.armature: bones[:2]})
    heads = [rig.armature.pose.bones[name].head for name in bones[:2]]
    assert measure_selection() == pytest.approx((heads[0] - heads[1]).length, rel=1e-5)
