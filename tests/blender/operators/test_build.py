# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons of the panel Build: a robot is made by them alone, and each step is one undo."""

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.sidebars import activate
from urdf_importer import extract_robot, reshape, set_joint_positions, update_robot
from urdf_importer.core.gazebo.devices import read_battery
from urdf_importer.core.pipeline.extracting import find_reshaped

pytestmark = pytest.mark.usefixtures("extension", "scene")


def make_box(name: str, place: Any) -> Any:
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=place)
    bpy.context.object.name = name
    return bpy.context.object


def choose(*items: Any) -> None:
    """Selects objects; the last one is active."""
    for item in bpy.context.view_layer.objects:
        item.select_set(item in items)
    bpy.context.view_layer.objects.active = items[-1]


def deselect_parts(item: Any) -> None:
    for parts in (item.data.polygons, item.data.edges, item.data.vertices):
        parts.foreach_set("select", np.zeros(len(parts), bool))


@pytest.fixture
def arm() -> Any:
    base, upper, hand = (
        make_box(n, (x, 0, 0)) for n, x in (("base", 0), ("upper", 1), ("hand", 2))
    )
    choose(base)
    assert bpy.ops.urdf.new_robot(robot_name="arm") == {"FINISHED"}
    for item, parent in ((upper, base), (hand, upper)):
        deselect_parts(item)
        item.data.polygons[0].select = True
        for vertex in item.data.polygons[0].vertices:
            item.data.vertices[vertex].select = True
        choose(item, parent)
        assert bpy.ops.urdf.make_link() == {"FINISHED"}
    return bpy.data.objects["arm"]


def find(name: str) -> Any:
    return bpy.data.objects[name]


def test_an_arm_of_three_boxes(arm: Any) -> None:
    robot = extract_robot(arm)
    assert [each.name for each in robot.links] == ["base", "upper", "hand"]
    assert [(each.parent, each.type) for each in robot.joints] == [
        ("base", "revolute"), ("upper", "revolute"),
    ]  # fmt: skip
    assert robot.joints[0].origin.xyz == pytest.approx((0.9, 0.0, 0.0), abs=1e-6)
    assert robot.joints[0].axis == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)
    assert find("upper")["urdf_axis_from"] == "face"


def test_the_joint_of_the_active_link(arm: Any) -> None:
    choose(find("hand_visual"))
    assert bpy.ops.urdf.edit_joint(joint_type="prismatic", source="y") == {"FINISHED"}
    joint = extract_robot(arm).joints[1]
    assert (joint.type, joint.axis) == ("prismatic", (0.0, 1.0, 0.0))
    assert bpy.ops.urdf.edit_joint(limits=True, nearest=-0.1, farthest=0.2) == {"FINISHED"}
    limit = extract_robot(arm).joints[1].limit
    assert limit is not None and (limit.lower, limit.upper) == (-0.1, 0.2)
    set_joint_positions(arm, {"upper_to_hand": 0.15})
    bpy.context.view_layer.update()
    assert bpy.ops.urdf.limit_here() == {"FINISHED"}
    limit = extract_robot(arm).joints[1].limit
    assert limit is not None and limit.upper == pytest.approx(0.15, abs=1e-6)
    follow = {"follows": "base_to_upper", "multiplier": 2.0}
    assert bpy.ops.urdf.edit_joint(**follow) == {"FINISHED"}
    mimic = extract_robot(arm).joints[1].mimic
    assert mimic is not None and (mimic.joint, mimic.multiplier) == ("base_to_upper", 2.0)
    choose(find("base_visual"))
    assert bpy.ops.urdf.edit_joint(joint_type="fixed") == {"CANCELLED"}


def test_masses_limits_and_what_is_missing(extension: ModuleType, arm: Any) -> None:
    activate(arm)
    recall = extension.operators.build.panel.recall_missing
    assert "missing-mass" in {each.code for each in recall(arm)}
    assert bpy.ops.urdf.compute_inertials(density=500.0) == {"FINISHED"}
    masses = [each.inertial and each.inertial.mass for each in extract_robot(arm).links]
    assert masses == pytest.approx([4.0] * 3, rel=1e-5)
    assert bpy.ops.urdf.find_ranges() == {"CANCELLED"}  # All of it is free.
    assert bpy.ops.urdf.fit_collisions(shape="box") == {"FINISHED"}
    assert {each.code for each in recall(arm)} == {"default-limit"}


def test_sensors_control_and_devices(arm: Any) -> None:
    bpy.ops.object.camera_add(location=(2.0, 0.0, 0.5), rotation=(0.0, 0.0, 0.0))
    camera = bpy.context.object
    choose(camera, find("hand_visual"))
    assert bpy.ops.urdf.make_sensor(kind="camera") == {"FINISHED"}
    choose(find("hand_visual"))
    assert bpy.ops.urdf.make_sensor() == {"FINISHED"}
    assert bpy.ops.urdf.add_control() == {"FINISHED"}
    assert bpy.ops.urdf.make_device() == {"FINISHED"}
    assert bpy.ops.urdf.make_device(node="Charger") == {"FINISHED"}
    robot = find_reshaped(arm)
    eye, imu = robot.sensors
    assert (eye.word, imu.word, eye.reference) == ("camera", "imu", "hand")
    assert eye.origin.xyz == pytest.approx((0.1, 0.0, 0.5), abs=1e-6)
    assert eye.origin.rpy[1] == pytest.approx(np.pi / 2, abs=1e-6)  # It looks down.
    assert len(robot.controls) == 2
    tags = [each.tag for each in robot.extras]
    assert tags.count("webots") == 3
    assert read_battery(robot) == (1000.0, 1000.0, 10.0)


def test_a_charger_leaves_a_robot_its_battery(arm: Any) -> None:
    choose(find("hand_visual"))
    update_robot(arm, robot=reshape.add_device(find_reshaped(arm), battery=(1, 2, 3)))
    assert bpy.ops.urdf.make_device(node="Charger") == {"FINISHED"}
    assert read_battery(find_reshaped(arm)) == (1.0, 2.0, 3.0)


def test_limbs_are_mirrored_with_their_objects_and_removed(arm: Any) -> None:
    item = find("hand_visual")
    choose(item)
    item.location.y = 0.5
    bpy.context.view_layer.update()
    assert bpy.ops.urdf.mirror_limb() == {"FINISHED"}
    copy = find("hand_visual_mirrored")
    bpy.context.view_layer.update()
    assert copy.data == item.data and copy.matrix_world.is_negative
    mirrored = np.array(copy.matrix_world.translation)
    np.testing.assert_allclose(
        mirrored, np.array(item.matrix_world.translation) * (1, -1, 1), atol=1e-6
    )
    choose(copy)
    assert bpy.ops.urdf.remove_link(objects="delete") == {"FINISHED"}
    assert "hand_visual_mirrored" not in bpy.data.objects
    assert [each.name for each in extract_robot(arm).links] == ["base", "upper", "hand"]


def test_objects_are_split(arm: Any) -> None:
    one = make_box("one", (5, 0, 0))
    other = make_box("other", (6, 0, 0))
    choose(other, one)
    bpy.ops.object.join()
    assert bpy.ops.urdf.split_object() == {"FINISHED"}
    with pytest.raises(RuntimeError, match="is one part"):
        bpy.ops.urdf.split_object()


def test_steps_that_cannot_be_done_say_why(arm: Any) -> None:
    choose(find("base_visual"))
    assert not bpy.ops.urdf.make_link.poll() and not bpy.ops.urdf.new_robot.poll()
    lamp = bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", "POINT"))
    bpy.context.scene.collection.objects.link(lamp)
    choose(lamp, find("base_visual"))
    with pytest.raises(RuntimeError, match="'lamp' has no faces"):
        bpy.ops.urdf.make_link()


def test_each_step_is_one_undo(arm: Any) -> None:
    def describe() -> Any:
        items = sorted((item.name, item.session_uid) for item in bpy.data.objects)
        return items, extract_robot(bpy.data.objects["arm"])

    bpy.ops.ed.undo_push(message="begin")
    made = make_box("tip", (3, 0, 0))
    choose(made, find("hand_visual"))
    bpy.ops.ed.undo_push(message="before")
    before = describe()
    bpy.ops.urdf.make_link()
    bpy.ops.ed.undo_push(message="after")
    after = describe()
    assert after != before
    bpy.ops.ed.undo()
    assert describe() == before
    bpy.ops.ed.redo()
    assert describe() == after


def test_limits_of_a_sliding_joint_begin_with_the_present_ones(arm: Any) -> None:
    choose(find("hand_visual"))
    bpy.ops.urdf.edit_joint(joint_type="prismatic", limits=True, nearest=-0.1, farthest=0.2)
    assert bpy.ops.urdf.edit_joint(limits=True, farthest=0.3) == {"FINISHED"}
    limit = extract_robot(arm).joints[1].limit
    assert limit is not None and (limit.lower, limit.upper) == (-0.1, 0.3)
    assert bpy.ops.urdf.edit_joint("INVOKE_DEFAULT", limits=True, nearest=-0.2) == {"FINISHED"}
    for bounds in ({"nearest": 0.3}, {"nearest": 0.5, "farthest": 0.4}):
        assert bpy.ops.urdf.edit_joint(limits=True, **bounds) == {"CANCELLED"}
    limit = extract_robot(arm).joints[1].limit
    assert limit is not None and (limit.lower, limit.upper) == (-0.2, 0.3)
