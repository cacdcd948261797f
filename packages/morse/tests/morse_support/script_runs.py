# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs builder scripts that were written for robots, unmodified, and measures what stands in
Blender then: where links are, which way bones point, what is seen and what collides.

This file is also what measures, inside the process that runs the script.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from morse_support.builder_runs import Scene, run_script
from urdf_importer import ImportOptions, Robot, plan_rig

Matrix = Any
Pose = list[tuple[str, str, int, float]]
"""What is set: bone, property, index, number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a script made to be seen or to collide, by the name in its table: `triangles`
    (T, 3, 3) in the frame of its link; `colors` (T, 4) of their materials, None of no material."""

    link: str
    mesh: str
    triangles: Matrix
    colors: Matrix
    game: Mapping[str, Any]
    hidden: bool
    users: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """`frames`: for each pose link -> (4, 4) in the world, the first as the script left it, the
    second at rest. `heights`: the same of bones' heads, each in its armature. `axes`: bone -> its X
    at rest. `sensors`: name -> component's name in Blender, frame in the world, frame of an unused
    component of its class."""

    scene: Scene
    seconds: float
    frames: list[dict[str, Matrix]]
    heights: list[dict[str, float]]
    axes: dict[str, Matrix]
    bones: dict[str, dict[str, Any]]
    visuals: list[Shape]
    collisions: list[Shape]
    sensors: dict[str, tuple[str, Matrix, Matrix]]


def run_robot(
    script: Path, folder: Path, morse_root: Path, poses: Sequence[Pose] = (), *, shapes: bool = True
) -> Measured:
    """Runs the script as `morse run` does. Nothing of it is known beforehand but its tables."""
    text = (
        "import runpy, time\n"
        "import urdf_importer.morse\n"
        "urdf_importer.morse.enable()\n"
        "began = time.perf_counter()\n"
        f"names = runpy.run_path({str(script)!r}, run_name='__main__')\n"
        "seconds = time.perf_counter() - began\n"
        f"measure = runpy.run_path({__file__!r})['measure']\n"
        f"report = measure(names, {[[], *poses]!r}, {shapes}) | {{'seconds': seconds}}\n"
    )
    scene = run_script(folder, text, morse_root=morse_root)
    report = scene.report
    return Measured(
        scene=scene,
        seconds=report["seconds"],
        frames=[{k: np.array(v) for k, v in frames.items()} for frames in report["frames"]],
        heights=report["heights"],
        axes={name: np.array(axis) for name, axis in report["axes"].items()},
        bones=report["bones"],
        visuals=[_read_shape(each, scene) for each in report["visuals"]],
        collisions=[_read_shape(each, scene) for each in report["collisions"]],
        sensors={
            name: (each["name"], np.array(each["frame"]), np.array(each["own"]))
            for name, each in report["sensors"].items()
        },
    )


def _read_shape(found: dict[str, Any], scene: Scene) -> Shape:
    return Shape(
        link=found["link"],
        mesh=found["mesh"],
        triangles=np.array(found["triangles"]).reshape(-1, 3, 3),
        colors=np.array(found["colors"]),
        game=scene.objects[found["name"]].game["settings"],
        hidden=found["hidden"],
        users=found["users"],
    )


def make_pose(robot: Robot, positions: Mapping[str, float]) -> Pose:
    """What is to be set on the bones of the profile `morse`, but for followers."""
    plan = plan_rig(robot, options=ImportOptions(profile="morse"))
    return [
        (channel.bone, channel.property, channel.index, joint.sign * positions[joint.joint.name])
        for joint in plan.joints
        if not joint.mimics and joint.joint.name in positions
        for channel in joint.channels
    ]


# What runs inside of Blender.


def measure(names: dict[str, Any], poses: list[Pose], shapes: bool) -> dict[str, Any]:
    """`names` are the variables of the script."""
    import bpy

    robot = names["robot"]
    below = robot._bpy_object.children_recursive
    rigs = [child for child in below if child.type == "ARMATURE"]
    bones = {bone.name: bone for rig in rigs for bone in rig.pose.bones}
    frames, heights = [], []
    for index, pose in enumerate(poses):
        _pose(bones, pose, keep=index == 0)
        bpy.context.view_layer.update()
        frames.append({name: _rows(link.matrix_world) for name, link in robot.links.items()})
        heights.append({name: bone.head[2] for name, bone in bones.items()})
    _pose(bones, [], keep=False)
    bpy.context.view_layer.update()
    kept = {link.name: name for name, link in robot.links.items()}
    found = [child for child in below if child.type == "MESH"]
    found = [child for child in found if child.parent.name in kept]
    seen = [_measure_shape(each, kept, shapes) for each in found if not each.hide_render]
    collides = [_measure_shape(each, kept, shapes) for each in found if each.hide_render]
    return {
        "frames": frames,
        "heights": heights,
        "axes": {name: _axis_of(bone) for name, bone in bones.items()},
        "bones": {name: _describe_bone(bone) for name, bone in bones.items()},
        "visuals": _in_order(seen, names["VISUALS"]),
        "collisions": _in_order(collides, names["COLLISIONS"]),
        "sensors": _measure_sensors(names, robot),
    }


def show_pose(robot: Any, pose: Pose) -> dict[str, Any]:
    """Link -> frame in the world, of a robot that was just made, with all else at rest."""
    import bpy

    below = robot._bpy_object.children_recursive
    rigs = [child for child in below if child.type == "ARMATURE"]
    _pose(
        {bone.name: bone for rig in rigs for bone in rig.pose.bones if rig.pose}, pose, keep=False
    )
    bpy.context.view_layer.update()
    return {name: _rows(link.matrix_world) for name, link in robot.links.items()}


def _pose(bones: dict[str, Any], pose: Pose, *, keep: bool) -> None:
    """Sets what is said and puts all else to rest; with `keep` leaves it as it is."""
    for bone in bones.values():
        if not keep:
            bone.location, bone.rotation_euler = (0, 0, 0), (0, 0, 0)
        bone.id_data.update_tag()
    for name, prop, index, value in pose:
        getattr(bones[name], prop)[index] = value


def _axis_of(bone: Any) -> list[float]:
    """X at rest in the frame in which the script made the robot; it stands at the origin."""
    world = bone.id_data.matrix_world @ bone.bone.matrix_local
    return list(world.col[0][:3])


def _describe_bone(bone: Any) -> dict[str, Any]:
    return {
        "mode": bone.rotation_mode,
        "free": [i for i, axis in enumerate("xyz") if not getattr(bone, f"lock_ik_{axis}")],
        "limits": [[getattr(bone, f"ik_{end}_{axis}") for end in ("min", "max")] for axis in "xyz"],
        "limited": [getattr(bone, f"use_ik_limit_{axis}") for axis in "xyz"],
        "stretch": bone.ik_stretch,
        "parent": bone.parent.name if bone.parent else bone.id_data.parent_bone,
        "armature": bone.id_data.name,
        "locks": [*bone.lock_location, *bone.lock_rotation, *bone.lock_scale],
    }


def _measure_shape(item: Any, kept: dict[str, str], shapes: bool) -> dict[str, Any]:
    mesh = item.data
    triangles, colors = [], []
    if shapes:
        places = [_apply(item.matrix_local, vertex.co) for vertex in mesh.vertices]
        for polygon in mesh.polygons:
            assert len(polygon.vertices) == 3
            triangles.append([places[index] for index in polygon.vertices])
            if mesh.materials:
                colors.append(list(mesh.materials[polygon.material_index].diffuse_color))
    return {
        "name": item.name,
        "link": kept[item.parent.name],
        "mesh": mesh.name,
        "triangles": triangles,
        "colors": colors,
        "hidden": item.hide_render,
        "users": mesh.users,
    }


def _in_order(found: list[dict[str, Any]], rows: Any) -> list[dict[str, Any]]:
    """As in the table: objects of one name are cut, and numbered in the order in which they were
    made."""
    waiting = sorted(found, key=lambda each: str(each["name"]))
    ordered = []
    for row in rows:
        stem = row[1].encode()[:59].decode("utf-8", "ignore")
        match = next(
            each for each in waiting if each["link"] == row[0] and each["name"].startswith(stem)
        )
        waiting.remove(match)
        ordered.append(match)
    assert not waiting
    return ordered


def _measure_sensors(names: dict[str, Any], robot: Any) -> dict[str, Any]:
    kinds = {row[1] for row in names["SENSORS"]}
    own = {kind: _rows(kind()._bpy_object.matrix_basis) for kind in kinds}
    return {
        row[0]: {
            "name": robot.sensors[row[0]].name,
            "frame": _rows(robot.sensors[row[0]]._bpy_object.matrix_world),
            "own": own[row[1]],
        }
        for row in names["SENSORS"]
    }


def _rows(matrix: Any) -> list[list[float]]:
    return [list(row) for row in matrix]


def _apply(matrix: Any, point: Any) -> list[float]:
    return list(matrix @ point)
