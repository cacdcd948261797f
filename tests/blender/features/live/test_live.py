# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs that follow a server, and are followed. The server is stepped in the same thread."""

from functools import partial

import bpy
import numpy as np
import pytest

import urdf_importer
from support.live_server import Standin, joint_state, transform, until
from support.paths import ROOT
from urdf_importer import BuildError, ConnectError, Diagnostics, KinematicsError, LiveOptions
from urdf_importer.features.live.blender import live

pytestmark = pytest.mark.usefixtures("scene")

SAMPLES = ROOT / "sample_urdfs"


@pytest.fixture
def server():
    made = Standin()
    yield made
    live.stop_watching()
    made.close()


def load(name="two_link_arm"):
    return urdf_importer.import_robot(SAMPLES / f"{name}.urdf").armature


def join(server, armature, **words):
    """A link that is connected and has asked for what it wants."""
    link = urdf_importer.connect(armature, url=server.url, options=LiveOptions(**words))
    until(lambda: server.clients and server.clients[-1].greeted and link.state == "connected",
          server.step, link.poll)  # fmt: skip
    link.poll()
    server.step()
    return link


def shown(armature):
    bpy.context.view_layer.update()
    return urdf_importer.get_joint_positions(armature)


def show(server, link, joints, stamp=1.0):
    assert server.publish("/joint_states", joint_state(joints, stamp))
    until(link.poll, server.step)


def test_a_rig_follows_records_and_sends(server):
    armature = load()
    link = join(server, armature)
    show(server, link, {"shoulder": 0.5, "elbow": -0.25})
    assert shown(armature)["shoulder"] == pytest.approx(0.5, abs=1e-6)
    assert shown(armature)["elbow"] == pytest.approx(-0.25, abs=1e-6)
    assert armature.animation_data is None, "only a recording makes keyframes"
    link.record()
    for i in range(20):
        server.publish("/joint_states", joint_state({"elbow": i / 20}, 5 + i / 10))
    until(lambda: link.recorded == 20, server.step, link.poll)
    action = link.stop()
    assert action == armature.animation_data.action and action.name == "two_link_arm live"
    fps = bpy.context.scene.render.fps
    assert np.allclose(action.frame_range, (1, 1 + 1.9 * fps), atol=1e-3)
    assert action["urdf_motion"]["source"] == server.url
    bpy.context.scene.frame_set(round(1 + 1.0 * fps))
    assert urdf_importer.get_joint_positions(armature)["elbow"] == pytest.approx(0.5, abs=1e-5)
    link.close()
    until(lambda: not server.clients, server.step)


def test_objects_may_be_renamed_and_go_through_undo(server):
    """Undo makes new objects with the old numbers: here another armature of the same name stands
    for what a name alone would find."""
    armature = load()
    link = join(server, armature)
    armature.name = "Robbie"
    bpy.data.objects.new("two_link_arm", None)
    show(server, link, {"elbow": -0.25})
    assert link.robot == "Robbie" and shown(armature)["elbow"] == pytest.approx(-0.25, abs=1e-6)
    bone = next(b for b in armature.pose.bones if "elbow" in b.name)
    bone.name = "renamed"
    state = joint_state({"elbow": 0.1})
    again = partial(server.publish, "/joint_states", state)
    until(lambda: abs(shown(armature)["elbow"] - 0.1) < 1e-6, again, server.step, link.poll)
    urdf_importer.delete_robot(armature)
    assert not link.poll()
    assert link.state == "closed" and "the robot is gone" in link.error
    assert live.live_links() == []


def test_another_file_ends_all_links(server):
    link = join(server, load())
    urdf_importer.new_file()
    assert link.state == "closed" and live.live_links() == []


def test_mimic_joints_limits_and_combined_bones(server):
    """What is set is what came; followers follow by themselves."""
    armature = load("humanoid_arm")
    names = [name for name, at in shown(armature).items() if isinstance(at, float)]
    twin = load("humanoid_arm")
    link = join(server, armature)
    wanted = {name: 0.1 + 0.01 * i for i, name in enumerate(names)}
    show(server, link, wanted)
    urdf_importer.set_joint_positions(twin, wanted)
    assert shown(armature) == shown(twin)


@pytest.mark.parametrize(
    ("robot", "base", "child"),
    [("two_link_arm", "auto", "base"), ("planar_base", "auto", None), ("drone", "auto", None)],
)
def test_the_base_goes_where_transforms_say(server, robot, base, child):
    armature = load(robot)
    roots = [e for e in live.links_of(armature) if live.read_link_joint(e) is None]
    child = child or live.name_link(
        next(e for e in live.links_of(armature) if live.read_link_joint(e) is not None)
    )
    link = join(server, armature, base=base)
    server.publish("/tf", transform("odom", child, 1.5))
    until(link.poll, server.step)
    bpy.context.view_layer.update()
    frame = armature.matrix_world @ roots[0].matrix_local
    if robot == "two_link_arm":
        assert frame.translation.x == pytest.approx(1.5, abs=1e-6)
    else:
        assert urdf_importer.link_pose(armature, child)[0, 3] == pytest.approx(1.5, abs=1e-5)


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        (("odom", "base"), ""),
        (("odom", "base"), "left_"),
        (("/odom", "/base"), ""),
        (("left_odom", "left_base"), "left_"),
        (("/left_odom", "/left_base"), "left_"),
        (("left/odom", "left/base"), "left"),
        (("left/odom", "left/base"), ""),
    ],
)
def test_what_is_shown_of_frames_is_what_a_recording_of_them_shows(server, names, prefix):
    """However they are named."""
    armature = load()
    link = join(server, armature, prefix=prefix)
    link.record()
    server.publish("/tf", transform(*names, 1.5))
    until(link.poll, server.step)
    assert armature.location[:] == pytest.approx((1.5, 0, 0), abs=1e-6)
    armature.location = (0, 0, 0)
    link.stop()
    bpy.context.scene.frame_set(2)
    assert armature.location[:] == pytest.approx((1.5, 0, 0), abs=1e-6)


def test_frames_of_two_robots_with_one_name_move_neither(server):
    armature = load()
    link = join(server, armature)
    both = transform("map", "left/base", 1.5)
    both["transforms"] += transform("map", "right/base", 2.5)["transforms"]
    server.publish("/tf", both)
    show(server, link, {"elbow": 0.5})
    assert armature.location[:] == (0, 0, 0)


def test_what_the_rig_shows_is_sent(server):
    armature = load()
    link = join(server, armature, direction="out", send_base=True, rate=1000.0)
    urdf_importer.set_joint_positions(armature, {"elbow": -0.75})
    armature.location.x = 2.0

    def published():
        return [each for each in server.heard if each["op"] == "publish"]

    server.step()
    before = len(published())
    until(lambda: len(published()) >= before + 4, server.step, link.poll)
    last = {each["topic"]: each["msg"] for each in published()}
    state = last["/blender/joint_states"]
    sent = dict(zip(state["name"], state["position"], strict=True))
    assert sent["elbow"] == pytest.approx(-0.75, abs=1e-6)
    moved = last["/tf"]["transforms"][0]
    assert moved["header"]["frame_id"] == "world" and moved["child_frame_id"] == "base"
    assert moved["transform"]["translation"]["x"] == 2.0


def test_several_robots_at_once(server):
    left, right = load(), load()
    links = [join(server, left, namespace="left"), join(server, right, namespace="right")]
    assert len(live.live_links()) == 2
    server.publish("/left/joint_states", joint_state({"elbow": -0.1}))
    server.publish("/right/joint_states", joint_state({"elbow": -0.2}))
    for link in links:
        until(link.poll, server.step)
    assert shown(left)["elbow"] == pytest.approx(-0.1, abs=1e-6)
    assert shown(right)["elbow"] == pytest.approx(-0.2, abs=1e-6)
    again = urdf_importer.connect(left, url=server.url)
    assert links[0].state == "closed" and live.find_live_link(left) is again
    one = join(server, left, direction="out")
    with pytest.raises(ConnectError, match="give each robot a namespace"):
        urdf_importer.connect(right, url=server.url, options=LiveOptions(direction="out"))
    assert one.state == "connected"
    other = LiveOptions(direction="out", namespace="right")
    assert urdf_importer.connect(right, url=server.url, options=other).sends_to == (
        "/right/blender/joint_states"
    )


def test_a_fault_in_one_link_leaves_the_others_and_their_timer(server, monkeypatch):
    left, right = load(), load()
    links = [join(server, left, namespace="left"), join(server, right, namespace="right")]
    monkeypatch.setattr(links[0].rig, "is_busy", lambda: 1 // 0)
    bpy.app.timers.unregister(live._tick)  # As Blender does where a timer raises.
    with pytest.raises(ZeroDivisionError):
        live._tick()
    assert bpy.app.timers.is_registered(live._tick)
    server.publish("/right/joint_states", joint_state({"elbow": -0.2}))

    def tick():
        assert live._tick() == live.INTERVAL
        return abs(shown(right)["elbow"] + 0.2) < 1e-6

    until(tick, server.step)
    assert links[0].state == "closed" and "division" in links[0].error
    assert live.find_ended(left) == links[0].error
    assert live.live_links() == links[1:] and links[1].state == "connected"


def test_what_cannot_be_linked(server, monkeypatch):
    armature = load()
    monkeypatch.setenv("ROSBRIDGE_URL", "http://nonsense")
    with pytest.raises(ConnectError, match="not the address of a server"):
        urdf_importer.connect(armature)
    with pytest.raises(KinematicsError, match="no moving joint 'nose'"):
        urdf_importer.connect(armature, url=server.url, options=LiveOptions(names=(("a", "nose"),)))
    with pytest.raises(BuildError, match="not an imported robot"):
        urdf_importer.connect(bpy.data.objects.new("Box", None), url=server.url)
    assert live.live_links() == []


def test_other_computers_take_permission(monkeypatch):
    """Nothing is sent: the address is one that is kept for documentation, and never polled."""
    armature, diagnostics = load(), Diagnostics()
    system = bpy.context.preferences.system
    monkeypatch.setattr(system, "use_online_access", False)
    with pytest.raises(ConnectError, match="Allow Online Access"):
        urdf_importer.connect(armature, url="ws://192.0.2.1")
    monkeypatch.setattr(system, "use_online_access", True)
    link = urdf_importer.connect(armature, url="ws://192.0.2.1", diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["open-connection"]
    link.close()
    urdf_importer.connect(armature, url="wss://192.0.2.1", diagnostics=diagnostics).close()
    assert len(list(diagnostics)) == 1
    live.stop_watching()
