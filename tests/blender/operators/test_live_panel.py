# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel "Live": its operators do what the library does."""

import sys
from types import ModuleType

import bpy
import pytest

from support.blender.sidebars import activate, load
from support.live_server import Standin, joint_state, until
from support.paths import ROOT
from urdf_importer import extract_robot, get_joint_positions

SAMPLE = ROOT / "sample_urdfs/two_link_arm.urdf"
pytestmark = pytest.mark.usefixtures("scene")


@pytest.fixture
def live(extension: ModuleType):
    """The module of the extension that holds the links: another than the library's."""
    module = sys.modules[f"{extension.__name__}.urdf_importer.features.live.blender.live"]
    yield module
    module.close_links()


@pytest.fixture
def server():
    made = Standin(topics={"/joint_states": "sensor_msgs/JointState", "/arm/command": "x/Y"})
    yield made
    made.close()


def settle(**wanted):
    settings = bpy.context.window_manager.urdf_live
    for name in set(settings.bl_rna.properties.keys()) - {"rna_type", "name"}:
        settings.property_unset(name)
    for name, value in wanted.items():
        setattr(settings, name, value)
    return settings


def test_connect_record_stop_disconnect(live, server):
    robot = load("two_link_arm")
    activate(robot)
    assert not bpy.ops.urdf.live_record.poll() and bpy.ops.urdf.live_connect.poll()
    settings = settle(address=server.url, prefix="r1_")
    assert bpy.ops.urdf.live_connect() == {"FINISHED"}
    link = live.find_live_link(robot)
    until(lambda: link.topics, server.step, live._tick)
    assert link.options.prefix == "r1_" and settings.direction == "in"
    bpy.ops.urdf.live_record()
    for i in range(10):
        server.publish("/joint_states", joint_state({"r1_elbow": -i / 10}, 1 + i / 10))
    until(lambda: link.recorded == 10, server.step, live._tick)
    bpy.context.view_layer.update()
    assert get_joint_positions(robot)["elbow"] == pytest.approx(-0.9, abs=1e-6)
    assert bpy.ops.urdf.live_stop() == {"FINISHED"}
    assert robot.animation_data.action.name == "two_link_arm live"
    assert bpy.ops.urdf.live_stop() == {"CANCELLED"}
    bpy.ops.urdf.live_record()
    server.publish("/joint_states", joint_state({"r1_elbow": 0.0}, 3))
    until(lambda: link.recorded == 1, server.step, live._tick)
    assert bpy.ops.urdf.live_disconnect() == {"FINISHED"}
    assert link.state == "closed" and len(bpy.data.actions) == 2
    assert not bpy.ops.urdf.live_disconnect.poll()
    assert live._tick() is None


def speeds(robot):
    return [each.limit.velocity for each in extract_robot(robot).joints if each.limit]


def test_the_running_robot_is_imported_and_updated(live, server):
    text = SAMPLE.read_text()
    server.latched["/robot_description"] = {"data": text}
    settle(address=server.url.removeprefix("ws://"))
    with server.running():
        assert bpy.ops.urdf.live_import() == {"FINISHED"}
        robot = bpy.data.objects["two_link_arm"]
        assert robot["urdf_import"]["path"] == server.url
        server.latched["/robot_description"] = {"data": text.replace('velocity="', 'velocity="1')}
        activate(robot)
        before = speeds(robot)
        assert bpy.ops.urdf.update("INVOKE_DEFAULT") == {"FINISHED"}
        assert speeds(robot) > before
    settle(address="http://robot")
    with pytest.raises(RuntimeError, match="not the address of a server"):
        bpy.ops.urdf.live_import()
    server.latched.clear()
    assert len([each for each in bpy.data.objects if "urdf_robot" in each]) == 1


def test_sensors_are_sent_until_a_second_press(live, server):
    robot = load("two_link_arm")
    activate(robot)
    assert not bpy.ops.urdf.live_sensors.poll()
    settle(address=server.url)
    bpy.ops.urdf.live_connect()
    link = live.find_live_link(robot)
    with pytest.raises(RuntimeError, match="No server listens: the link is connecting"):
        bpy.ops.urdf.live_sensors()
    until(lambda: link.state == "connected", server.step, live._tick)
    for on in (True, False):
        assert bpy.ops.urdf.live_sensors(pictures=True) == {"FINISHED"}
        assert link.options.send_sensors is on and link.options.send_pictures
    link.close()
    assert not bpy.ops.urdf.live_sensors.poll()


def test_a_motion_goes_out_after_a_look_at_its_limits(live, server):
    robot = load("two_link_arm")
    activate(robot)
    settle(address=server.url, controller="/arm/command")
    bpy.ops.urdf.live_connect()
    link = live.find_live_link(robot)
    until(lambda: link.topics, server.step, live._tick)
    bone = next(each for each in robot.pose.bones if "elbow" in each.name)
    for frame, angle in ((1, 0.0), (3, 1.0)):
        bone.rotation_euler[1] = angle
        bone.rotation_euler[0] = angle
        bone.rotation_euler[2] = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    with pytest.raises(RuntimeError, match="not sent: joint elbow: velocity"):
        bpy.ops.urdf.live_send()
    assert bpy.ops.urdf.live_send(beyond_limits=True) == {"FINISHED"}

    def sent():
        return [e["msg"] for e in server.heard if e.get("topic") == "/arm/command" and "msg" in e]

    until(sent, server.step, live._tick)
    assert len(sent()[0]["points"]) == 3 and set(sent()[0]["joint_names"]) == {"shoulder", "elbow"}


def test_what_cannot_be_is_one_sentence(live):
    activate(load("two_link_arm"))
    settle(address="http://robot")
    with pytest.raises(RuntimeError, match="not the address of a server"):
        bpy.ops.urdf.live_connect()
    settle(names="elbow")
    with pytest.raises(RuntimeError, match="is not name:=value"):
        bpy.ops.urdf.live_connect()


def test_switching_the_extension_off_ends_all_links(live, server, extension):
    robot = load("two_link_arm")
    activate(robot)
    settle(address=server.url)
    bpy.ops.urdf.live_connect()
    link = live.find_live_link(robot)
    until(lambda: link.state == "connected", server.step, live._tick)
    extension.unregister()
    try:
        assert link.state == "closed"
        assert not bpy.app.timers.is_registered(live._tick)
        assert not [each for each in bpy.app.handlers.load_pre if "live" in each.__module__]
    finally:
        extension.register()
