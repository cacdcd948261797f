# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot that follows a server in another process. Plays of scenarios.py."""

import subprocess
import sys
from typing import Any

import bpy
from driver import Driver, Steps, unfold


class Server:
    """The stand-in for rosbridge, which waves the joints of a robot until it is ended."""

    def __init__(self, script: str, joints: list[str], port: int = 0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, script, str(port), *joints],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def follow(driver: Driver) -> Steps:
    """Connects, records, undoes; the server dies and comes back. ARGUMENTS: file, script of the
    server, joints."""
    path, script, *joints = driver.arguments
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    assert bpy.ops.import_scene.urdf(filepath=path) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Import")
    robot = bpy.context.view_layer.objects.active.name
    server = Server(script, joints)
    try:
        unfold("Live")
        yield from driver.open_sidebar("Robot")
        yield from _play(driver, robot, script, joints, server)
    finally:
        server.end()


def _play(driver: Driver, robot: str, script: str, joints: list[str], server: Server) -> Steps:
    live = find_module("urdf_importer.features.live.blender.live")
    bpy.context.window_manager.urdf_live.address = f"ws://localhost:{server.port}"
    assert bpy.ops.urdf.live_connect() == {"FINISHED"}
    link = live.find_live_link(bpy.data.objects[robot])
    yield from _moves(driver, robot, "the robot follows")
    assert link.state == "connected", (link.state, link.error)
    assert bpy.ops.urdf.live_record() == {"FINISHED"}
    yield from driver.wait_for("a recording", lambda: link.recorded > 30)
    driver.take_picture("recording")
    assert bpy.ops.urdf.live_stop() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Stop")
    action = bpy.data.objects[robot].animation_data.action
    assert action.name == f"{robot} live" and action.frame_range[1] > action.frame_range[0]
    yield from driver.undo()
    yield from _moves(driver, robot, "it follows after undo")
    server.end()
    yield from driver.wait_for("the server is missed", lambda: link.state == "waiting")
    yield 0.5
    driver.take_picture("waiting")
    again = Server(script, joints, server.port)
    try:
        yield from driver.wait_for("it is found again", lambda: link.state == "connected")
        yield from _moves(driver, robot, "it follows again")
        assert bpy.ops.urdf.live_disconnect() == {"FINISHED"}
        assert link.state == "closed"
    finally:
        again.end()


def _moves(driver: Driver, robot: str, what: str) -> Steps:
    before = _pose(robot)
    yield from driver.wait_for(what, lambda: _pose(robot) != before)


def _pose(robot: str) -> list[tuple[float, ...]]:
    bones = bpy.data.objects[robot].pose.bones
    return [(*bone.rotation_euler, *bone.location) for bone in bones]


def find_module(name: str) -> Any:
    """A module of the installed extension."""
    return sys.modules[f"bl_ext.user_default.urdf_importer.{name}"]
