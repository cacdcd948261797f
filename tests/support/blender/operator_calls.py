# SPDX-License-Identifier: GPL-3.0-or-later
"""A call of each operator of the extension on a robot in a scene, with real arguments: a new
operator gets a line here, or the play of tests/window that calls it."""

import re
import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy

from ..live_server import Standin, until
from ..paths import ROOT
from ..real_robots import ROOT as REAL

SAMPLES = ROOT / "sample_urdfs"
LEGS = REAL / "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf"

_PARTS = """<material name="shell"/>
<link name="mast"><visual><geometry><mesh filename="package://harbour/mast.stl"/></geometry></visual>
</link><link name="upper">{box}</link><link name="lower">{box}</link><link name="hand">{box}</link>
<joint name="mast_mount" type="fixed"><parent link="base_link"/><child link="mast"/></joint>
<joint name="shoulder" type="revolute"><parent link="base_link"/><child link="upper"/>
<origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="5" velocity="2"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
<origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="5" velocity="2"/></joint>
<joint name="wrist" type="revolute"><parent link="lower"/><child link="hand"/>
<origin xyz="0 0 0.2"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="5" velocity="2"/></joint>
<gazebo reference="base_link">
<sensor name="scan" type="ray"><ray><scan><horizontal><samples>9</samples><min_angle>-1</min_angle>
<max_angle>1</max_angle></horizontal></scan><range><min>0.2</min><max>5</max></range></ray></sensor>
<sensor name="eye" type="camera">
<camera><horizontal_fov>1.2</horizontal_fov><image><width>16</width>
<height>12</height></image></camera></sensor><sensor name="imu" type="imu"/></gazebo>
</robot>"""
_BOX = """<inertial><mass value="0.5"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0"
izz="0.01"/></inertial><visual><geometry><box size="0.05 0.05 0.2"/></geometry></visual>
<collision><geometry><box size="0.05 0.05 0.2"/></geometry></collision>"""
_SRDF = """<robot name="rover"><group name="arm"><joint name="shoulder"/>
<joint name="elbow"/></group>
<group_state name="up" group="arm"><joint name="shoulder" value="0.5"/></group_state>
<disable_collisions link1="upper" link2="lower" reason="Adjacent"/></robot>"""
_MJCF = """<mujoco model="box"><worldbody><body name="box"><joint name="turn"/>
<geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
_FRAMES = 6
_SERVERS: list[Any] = []


Step = tuple[str, dict[str, Any]]
"""An operator, and its properties."""


@dataclass(frozen=True, slots=True)
class Call:
    """How an operator is called: its properties, where @ is the folder of files; the calls before
    it; the robot of the scene: the rover, or `legs` beside a person; and the operator that takes
    away whatever it makes beside the robot. `stays` are the beginnings
    of the names of whatever it is there to change and undo does not cover, `remains` the same of
    whatever is the user's own from then on and outlives the robot."""

    given: dict[str, Any] = field(default_factory=dict)
    before: tuple[Step | Callable[[], None], ...] = ()
    robot: str = "rover"
    away: str = ""
    result: str = "FINISHED"
    stays: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()


def write_files(folder: Path) -> None:
    """Writes the files that calls name."""
    head, motion = (SAMPLES / "walk_and_wave.bvh").read_text().split("MOTION\n")
    lines = motion.splitlines()
    few = [f"Frames: {_FRAMES}", lines[1], *lines[2 : 2 + _FRAMES]]
    (folder / "walk_and_wave.bvh").write_text(head + "MOTION\n" + "\n".join(few) + "\n")
    for name in ("meshes", "gripper.urdf", "two_link_arm.urdf"):
        copy = shutil.copytree if (SAMPLES / name).is_dir() else shutil.copy
        copy(SAMPLES / name, folder / name)
    rover = (SAMPLES / "differential_drive.urdf").read_text().replace("differential_drive", "rover")
    rover = re.sub(r"<mesh [^>]*>", '<box size="0.1 0.1 0.1"/>', rover)
    text = rover.replace("</robot>", _PARTS.format(box=_BOX))
    (folder / "rover.urdf").write_text(text)
    (folder / "changed.urdf").write_text(
        text.replace('upper="2" effort="5"', 'upper="1" effort="5"')
    )
    (folder / "box.xml").write_text(_MJCF)
    (folder / "rover.srdf").write_text(_SRDF)
    package = folder.parent / "two" / "three" / "harbour"
    package.mkdir(parents=True)
    shutil.copy(SAMPLES / "meshes" / "wheel.stl", package / "mast.stl")
    (folder / "wave.csv").write_text("time,shoulder,elbow\n0,0,0\n0.1,1.5,0.5\n2,0,0\n")
    (folder / "ride.csv").write_text("time,v,w\n0,1,0\n2,0,0\n")
    (folder / "path.csv").write_text("time,x,y,z\n0,0,0,0.7\n1,0.05,0,0.7\n")


def _connect() -> None:
    server = Standin(topics={})
    _SERVERS.append(server)
    bpy.context.window_manager.urdf_live.address = server.url
    bpy.ops.urdf.live_connect()
    live = sys.modules["bl_ext.user_default.urdf_importer.urdf_importer.features.live.blender.live"]
    link = live.find_live_link(bpy.data.objects["rover"])
    until(lambda: link.state == "connected", server.step, live._tick)


def _serve_robot() -> None:
    held = ExitStack()
    server = Standin(topics={"/robot_description": "std_msgs/String"})
    server.latched["/robot_description"] = {"data": (SAMPLES / "two_link_arm.urdf").read_text()}
    held.callback(server.close)
    held.enter_context(server.running())
    _SERVERS.append(held)
    bpy.context.window_manager.urdf_live.address = server.url


def close_servers() -> None:
    """Closes the servers to which calls connected."""
    while _SERVERS:
        _SERVERS.pop().close()


def _displace() -> None:
    bpy.data.objects["hand_visual"].location.x += 1.0


def _bend() -> None:
    bone = bpy.data.objects["rover"].pose.bones["elbow"]
    for limit in bone.constraints:
        limit.mute = True
    bone.rotation_euler = (3.0, 3.0, 3.0)


def clear_folders() -> None:
    """Empties the list of package folders in the preferences."""
    for addon in bpy.context.preferences.addons:
        if addon.module.endswith("urdf_importer"):
            addon.preferences.package_folders.clear()


def _select_cube() -> None:
    bpy.data.objects["Cube"].select_set(True)


def _select_face() -> None:
    cube = bpy.data.objects["Cube"]
    cube.data.polygons.foreach_set("select", [True] + [False] * 5)
    bpy.context.view_layer.objects.active = cube


def _delete_armature() -> None:
    bpy.data.armatures.remove(bpy.data.objects["rover"].data)


_SRDF_IN = ("urdf.import_srdf", {"filepath": "@/rover.srdf"})
_MOTION_IN = ("urdf.import_motion", {"filepath": "@/wave.csv"})
_KEYED: Step = ("urdf.key_all", {})
_TARGET: Step = ("urdf.add_ik", {})
_SENSORS: Step = ("urdf.add_sensors", {})
_SELECT_HAND: Step = ("urdf.select_link", {"link": "hand"})
_LINK: Step = ("urdf.make_link", {"source": "object", "link": "box"})
_CHECKED: Step = ("urdf.check_motion", {})
_RECORD: Step = ("urdf.record_waypoint", {})
_MOVED: Step = ("urdf.random_pose", {"seed": 3})

_VIEW = ("window 0 view 3 overlay", "window 0 view 3 region")
_LIVE = ("handlers load_pre",)
_MARKS = ("scene Scene frame_current", "scenes/Scene.frame")
_HELD = ("actions/", "data actions", "objects/Cube")
_POSES = ("actions/", "data actions")
_PERSON = (
    *_POSES, "armatures/", "data armatures", "data objects", "object walk", "objects/walk",
    "scene Scene frame", "scenes/Scene.frame", "scenes/Scene.objects", "scenes/Scene.view_layers",
)  # fmt: skip
_MOTION = ("actions/", "data actions", "scene Scene frame_end", "scenes/Scene.frame_end")
_REPORT = ("data texts", "texts/")
_MORE = ("data objects", "scenes/Scene.objects", "scenes/Scene.view_layers[0].objects")
"""The names of objects, where there are more."""
_SPLIT = (
    *_MORE, "data meshes", "object Cube.001", "layer/Cube.001", "meshes/Cube", "objects/Cube",
)  # fmt: skip

CALLS = {
    "import_scene.urdf_run": Call({"filepath": "@/two_link_arm.urdf"}),
    "import_scene.urdf_again": Call(
        before=(("import_scene.urdf", {"filepath": "@/gripper.urdf"}),)
    ),
    "import_scene.urdf": Call({"filepath": "@/gripper.urdf"}),
    "import_scene.sdf": Call({"filepath": str(SAMPLES / "gate.sdf")}),
    "import_scene.simmechanics": Call({"filepath": str(SAMPLES / "pumpjack.xml")}),
    "import_scene.mjcf": Call({"filepath": "@/box.xml"}),
    "import_scene.usd": Call({"filepath": "@/two_link_arm.urdf"}),
    "preferences.urdf_package_folder_add": Call({"directory": "@"}, (clear_folders,)),
    "preferences.urdf_package_folder_remove": Call(
        before=(clear_folders, ("preferences.urdf_package_folder_add", {"directory": "@"}))
    ),
    "urdf.import_motion": Call({"filepath": "@/wave.csv"}, remains=_MOTION),
    "export_scene.robot_motion": Call({"filepath": "@/out.csv"}, (_MOTION_IN,), remains=_MOTION),
    "urdf.locate_package": Call({"package": "harbour", "directory": "@/../two/three/harbour"}),
    "urdf.update": Call({"filepath": "@/changed.urdf"}),
    "urdf.choose_source": Call({"filepath": "@/changed.urdf"}),
    "urdf.mend_drivers": Call(result="CANCELLED"),
    "urdf.home_pose": Call(before=(("urdf.random_pose", {"seed": 3}),)),
    "urdf.ready_pose": Call(),
    "urdf.mirror_pose": Call(before=(("urdf.random_pose", {"seed": 3}),)),
    "urdf.mark_asset": Call(),
    "urdf.select_robot": Call({"parts": True}),
    "urdf.select_link": Call({"link": "hand", "what": "VISUALS"}),
    "urdf.select_joint": Call({"joint": "elbow"}),
    "urdf.select_subject": Call({"index": 0}),
    "urdf.copy_report": Call(),
    "urdf.show_messages": Call({"group": "missing-package"}),
    "urdf.dismiss_failure": Call(),
    "urdf.open_line": Call({"index": 0}),
    "urdf.frame_robot": Call(stays=_VIEW),
    "urdf.duplicate_robot": Call(),
    "urdf.delete_robot": Call(),
    "urdf.delete_leftovers": Call({"robot": "rover"}, (_delete_armature,)),
    "urdf.complete_copy": Call(before=(("object.duplicate", {}),)),
    "urdf.reset_parts": Call(before=(_displace,)),
    "urdf.stand_on_ground": Call(),
    "urdf.check_robot": Call({"notes": True}),
    "urdf.prove_file": Call({"filepath": "@/rover.urdf"}, remains=_REPORT),
    "urdf.pin_robot": Call(),
    "urdf.pose_body": Call(before=(_SELECT_HAND,)),
    "urdf.make_posable": Call(
        before=(("object.collection_instance_add", {"collection": "rover"}),)
    ),
    "urdf.solve_ik": Call(),
    "urdf.add_ik": Call(),
    "urdf.remove_ik": Call({"target": "hand_target"}, (_TARGET,)),
    "urdf.snap_target": Call(before=(_TARGET,)),
    "urdf.snap_joints": Call(before=(_TARGET,)),
    "urdf.bake_ik": Call({"start": 1, "end": 3}, (_TARGET,)),
    "urdf.find_ik": Call(),
    "urdf.choose_ik": Call({"number": 1}, (("urdf.find_ik", {}),)),
    "urdf.hide_ik": Call(before=(("urdf.find_ik", {}),)),
    "urdf.bake_drive": Call({"filepath": "@/ride.csv"}),
    "urdf.grasp": Call(before=(_select_cube,), remains=_HELD),
    "urdf.release": Call(before=(_select_cube, ("urdf.grasp", {})), remains=_HELD),
    "urdf.show_motion": Call({"action": "wave"}, (_MOTION_IN,), remains=_MOTION),
    "urdf.record_waypoint": Call(),
    "urdf.go_to_waypoint": Call({"place": 1}, (_RECORD, _MOVED)),
    "urdf.update_waypoint": Call(before=(_RECORD, _MOVED)),
    "urdf.move_waypoint": Call({"step": -1}, (_RECORD, _RECORD)),
    "urdf.remove_waypoint": Call(before=(_RECORD,)),
    "urdf.set_waypoint_move": Call({"move": "circular"}, (_RECORD, _MOVED, _RECORD)),
    "urdf.generate_motion": Call(
        before=(
            ("urdf.record_waypoint", {"move": "joint"}),
            _MOVED,
            ("urdf.record_waypoint", {"move": "joint"}),
        ),
        remains=(*_MOTION, "scene Scene markers", "scenes/Scene.timeline"),
    ),
    "urdf.open_waypoints": Call({"filepath": "@/path.csv"}),
    "urdf.save_waypoints": Call({"filepath": "@/cell.yaml"}, (_RECORD,)),
    "urdf.set_tool": Call({"link": "hand", "offset": (0.0, 0.0, 0.1)}),
    "urdf.mount_axis": Call(),
    "urdf.unmount_axis": Call(before=(("urdf.mount_axis", {}),)),
    "urdf.check_motion": Call(before=(_MOTION_IN,), remains=_MOTION),
    "urdf.go_to_violation": Call(
        {"frame": 4.0}, (_MOTION_IN, _CHECKED), remains=(*_MOTION, *_MARKS)
    ),
    "urdf.retime_motion": Call({"factor": 0.5, "by": "factor"}, (_MOTION_IN,), remains=_MOTION),
    "urdf.run_retarget": Call(robot="legs", remains=_POSES),
    "urdf.retarget": Call(robot="legs", remains=_POSES),
    "urdf.set_pair": Call({"bone": ""}, robot="legs"),
    "urdf.choose_person": Call({"person": "walk_and_wave"}, robot="legs"),
    "urdf.import_person": Call({"filepath": "@/walk_and_wave.bvh"}, remains=_PERSON),
    "urdf.import_srdf": Call({"filepath": "@/rover.srdf"}, remains=_POSES),
    "export_scene.srdf": Call({"filepath": "@/out.srdf"}, (_SRDF_IN,), remains=_POSES),
    "export_scene.webots": Call({"filepath": "@/out/rover.proto"}, stays=_REPORT),
    "export_scene.urdf": Call({"filepath": "@/out/rover.urdf"}, stays=_REPORT),
    "export_scene.sdf": Call({"filepath": "@/out/rover.sdf"}, stays=_REPORT),
    "export_scene.robot_for_engines": Call(
        {"filepath": "@/out/rover.glb"}, (_MOTION_IN,), stays=_REPORT, remains=_MOTION
    ),
    "export_scene.robot_for_ros2": Call({"filepath": "@/out/rover_ros2"}, stays=_REPORT),
    "export_scene.mjcf": Call({"filepath": "@/out/rover.xml"}, stays=_REPORT),
    "export_scene.morse_builder": Call({"filepath": "@/out/rover.py"}, stays=_REPORT),
    "export_scene.robot_world": Call({"filepath": "@/out/world.wbt"}, stays=_REPORT),
    "export_scene.robot_episodes": Call(
        {"filepath": "@/out/episodes"}, (_MOTION_IN,), stays=_REPORT, remains=_MOTION
    ),
    "urdf.zero_pose": Call(before=(("urdf.random_pose", {"seed": 3}),)),
    "urdf.enforce_limits": Call({"on": False}),
    "urdf.random_pose": Call({"seed": 3, "avoid_collisions": True}),
    "urdf.nearest_valid": Call(before=(_bend,)),
    "urdf.key_all": Call(),
    "urdf.key_joint": Call({"joint": "elbow"}),
    "urdf.build_studio": Call(away="urdf.remove_studio"),
    "urdf.remove_studio": Call(before=(("urdf.build_studio", {}),), stays=_VIEW),
    "urdf.make_thumbnail": Call(),
    "urdf.material_preset": Call({"preset": "aluminium"}),
    "urdf.solo_limb": Call({"limb": "shoulder"}),
    "urdf.reshape_rename": Call({"old": "hand", "new": "tool"}),
    "urdf.reshape_resize": Call({"scale": 0.5}),
    "urdf.measure": Call(remains=_REPORT),
    "urdf.reshape_strip": Call({"parts": {"inertials"}}),
    "urdf.reshape_prune": Call({"limb": "hand"}),
    "urdf.reshape_merge": Call(),
    "urdf.reshape_reroot": Call({"link": "upper"}),
    "urdf.reshape_attach": Call({"filepath": "@/gripper.urdf", "link": "hand", "prefix": "g_"}),
    "urdf.reshape_axes": Call({"axes": "zxy"}),
    "urdf.new_robot": Call({"link": "box"}, (_select_cube,)),
    "urdf.make_link": Call({"joint_type": "continuous", "link": "box"}, (_select_cube,)),
    "urdf.split_object": Call({"by": "selection"}, (_select_face,), remains=_SPLIT),
    "urdf.edit_joint": Call(
        {"joint_type": "continuous", "source": "y", "parent": "base_link"}, (_SELECT_HAND,)
    ),
    "urdf.limit_here": Call({"side": "upper"}, (_SELECT_HAND, _MOVED)),
    "urdf.remove_link": Call({"objects": "free"}, (_select_cube, _LINK)),
    "urdf.mirror_limb": Call(
        before=(_select_cube, _LINK),
        remains=(*_MORE, "object Cube_mirrored", "layer/Cube_mirrored", "objects/Cube_mirrored"),
    ),
    "urdf.compute_inertials": Call({"replace": "all"}),
    "urdf.find_ranges": Call(),
    "urdf.make_sensor": Call({"kind": "camera"}, (_SELECT_HAND,)),
    "urdf.add_control": Call({"command": "velocity"}),
    "urdf.make_device": Call({"node": "LightSensor"}, (_SELECT_HAND,)),
    "urdf.select_group": Call({"group": "arm"}, (_SRDF_IN,), remains=_POSES),
    "urdf.key_group": Call({"group": "arm"}, (_SRDF_IN,), remains=_POSES),
    "urdf.new_state": Call({"group": "arm", "state": "ready"}, (_SRDF_IN,), remains=_POSES),
    "urdf.make_poses": Call(remains=_POSES),
    "urdf.find_disabled_collisions": Call({"samples": 20}, (_SRDF_IN,), remains=_POSES),
    "urdf.show_state": Call({"group": "arm", "state": "up"}, (_SRDF_IN,), remains=_POSES),
    "urdf.show_pose": Call({"state": "Home"}, (("urdf.make_poses", {}),), remains=_POSES),
    "urdf.fit_collisions": Call(),
    "urdf.simulate": Call({"engine": "bullet", "seconds": 0.2, "drops": True}, remains=_MOTION),
    "urdf.look_through_sensor": Call({"sensor": "eye"}, (_SENSORS,)),
    "urdf.add_sensors": Call(),
    "urdf.switch_sensors": Call({"what": "FANS", "on": False}, (_SENSORS,)),
    "urdf.sense": Call({"sensor": "scan"}),
    "urdf.remove_readings": Call(before=(("urdf.sense", {"sensor": "scan"}),)),
    "urdf.record_sensors": Call({"filepath": "@/out/run.mcap", "end_frame": "4"}),
    "urdf.live_import": Call(before=(_serve_robot,)),
    "urdf.live_connect": Call(stays=_LIVE),
    "urdf.live_disconnect": Call(before=(_connect,), stays=_LIVE),
    "urdf.live_record": Call(before=(_connect,), stays=_LIVE),
    "urdf.live_stop": Call(
        before=(_connect, ("urdf.live_record", {})), result="CANCELLED", stays=_LIVE
    ),
    "urdf.live_sensors": Call(before=(_connect,), stays=_LIVE),
    "urdf.live_send": Call(
        {"beyond_limits": True}, (_connect, _MOTION_IN), stays=_LIVE, remains=_MOTION
    ),
}

WINDOW = {
    "import_scene.urdf_add_folder": "locate",
    "import_scene.urdf_with_folder": "buttons",
    "urdf.pick_pair": "retarget",
    "urdf.range_test": "buttons",
    "urdf.steer": "drive_by_hand",
    "urdf.drag_tip": "handles",
    "urdf.drag_joint": "gizmo",
    "urdf.pick_joint": "gizmo",
    "urdf.explain_playing": "playing",
}
"""Operators of the mouse and the keys -> the play with them."""
