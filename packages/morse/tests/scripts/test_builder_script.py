# SPDX-License-Identifier: GPL-3.0-or-later
"""Builder scripts of robots, run unmodified by MORSE's own builder: the robot stands there anew."""

import itertools
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from morse_support.builder_runs import run_script
from morse_support.script_runs import Measured, make_pose, run_robot
from support.paths import ROOT
from support.real_robots import descriptions
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    Robot,
    forward_kinematics,
    import_robot,
    link_pose,
    new_file,
    plan_rig,
    read_robot,
    set_joint_positions,
    write_builder_script,
)
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.geometry.triangles import make_triangles
from urdf_importer.core.kinematics.forward import zero_frames
from urdf_importer.core.kinematics.motion import follow_to_masters
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.meshes import RobotFiles
from urdf_importer.core.model import Box, Collision, Joint, Limit, Link, Mimic, Pose, Visual
from urdf_importer_morse.script.write import BuilderScript
from urdf_importer_morse.sensors import suggest_sensors

SAMPLES = ("differential_drive", "gantry", "gripper", "planar_base", "quadruped_leg")
REAL = ("panda", "ur5_robot", "pr2", pytest.param("talos_full_v2", marks=pytest.mark.slow))
EMPTY = "ur3"
"""It holds no links at all."""

EXACT = 1e-5
"""Metres, and parts of unit vectors."""

MOST_BYTES = {"panda": 2.5e6, "ur5_robot": 1.4e6, "pr2": 3e5, "talos_full_v2": 3.2e6}
"""Of a script: less than its mesh files have."""


@dataclass(frozen=True)
class Run:
    robot: Robot
    script: BuilderScript
    positions: list[dict[str, float]]
    measured: Measured
    diagnostics: Diagnostics


def find(stem: str) -> Path:
    sample = ROOT / "sample_urdfs" / f"{stem}.urdf"
    return sample if sample.is_file() else next(p for p in descriptions() if p.stem == stem)


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory, morse_root: Path) -> Any:
    """Each robot is written and run once."""

    @cache
    def once(stem: str) -> Run:
        folder = tmp_path_factory.mktemp("script")
        robot = read_robot(find(stem))
        diagnostics = Diagnostics(robot.source)
        script = write_builder_script(
            robot, folder / f"{stem}.py", options=None, diagnostics=diagnostics
        )
        positions = [{}, *draw_positions(robot)]
        poses = [make_pose(robot, each) for each in positions]
        measured = run_robot(script.path, folder, morse_root, poses, shapes=stem != "talos_full_v2")
        return Run(robot, script, positions, measured, diagnostics)

    return once


def draw_positions(robot: Robot, count: int = 4) -> list[dict[str, float]]:
    """Random positions of what MORSE can move, within its limits."""
    random = np.random.default_rng(7)
    joints = plan_rig(robot, options=ImportOptions(profile="morse")).joints
    return [
        {
            joint.joint.name: float(
                random.uniform(
                    -1.0 if joint.lower is None else joint.lower,
                    1.0 if joint.upper is None else joint.upper,
                )
            )
            for joint in joints
            if not joint.mimics
        }
        for _ in range(count)
    ]


@pytest.mark.parametrize("stem", [*SAMPLES, *REAL])
def test_links_are_where_they_are(stem: str, run: Any) -> None:
    done: Run = run(stem)
    _, *posed = done.measured.frames
    for positions, frames in zip(done.positions, posed, strict=True):
        expected = forward_kinematics(done.robot, positions)
        assert frames.keys() == expected.keys()
        for name, frame in frames.items():
            assert np.abs(frame - expected[name]).max() < EXACT, (name, positions)


@pytest.mark.parametrize("stem", [*SAMPLES, *REAL])
def test_bones_turn_about_the_joints_axes(stem: str, run: Any) -> None:
    done: Run = run(stem)
    plan = plan_rig(done.robot, options=ImportOptions(profile="morse"))
    tree = plan_tree(done.robot, Diagnostics())
    frames = zero_frames(tree)
    axes = {
        motion.joint.name: frame[:3, :3] @ motion.axis
        for motion, frame in zip(tree.motions, frames, strict=True)
        if motion is not None
    }
    assert done.measured.bones.keys() == {joint.joint.name for joint in plan.joints}
    for joint in plan.joints:
        made = done.measured.axes[joint.joint.name]
        assert np.abs(made * joint.sign - axes[joint.joint.name]).max() < EXACT


@pytest.mark.parametrize("stem", [*SAMPLES, *REAL])
def test_bones_are_what_the_armature_actuator_asks_for(stem: str, run: Any) -> None:
    done: Run = run(stem)
    plan = plan_rig(done.robot, options=ImportOptions(profile="morse"))
    for bone in plan.bones:
        made = done.measured.bones[bone.name]
        assert (made["mode"], made["parent"]) == ("XYZ", bone.parent)
        assert made["free"] == list(bone.turns) and len(made["free"]) == 1
        (axis,) = made["free"]
        limits = bone.ik_limits[axis]
        assert made["limited"] == [index == axis and limits is not None for index in range(3)]
        assert made["limits"][axis] == pytest.approx(limits or (-math.pi, math.pi), abs=1e-6)
        assert made["stretch"] == pytest.approx(bone.ik_stretch, abs=1e-7)
        assert made["locks"].count(False) == len(bone.free)


@pytest.mark.parametrize("stem", ["gantry", "gripper", "planar_base", "panda", "pr2"])
def test_what_slides_is_where_morse_looks_for_it(stem: str, run: Any) -> None:
    """At the height in its armature that is its position."""
    done: Run = run(stem)
    plan = plan_rig(done.robot, options=ImportOptions(profile="morse"))
    sliding = [joint.joint.name for joint in plan.joints if joint.kind == "prismatic"]
    followers = follow_to_masters(plan_tree(done.robot, Diagnostics()).joint_motions)
    assert sliding
    for positions, heights in zip(done.positions, done.measured.heights[1:], strict=True):
        for name in sliding:
            mimic = followers.get(name, Mimic(joint=name))
            position = mimic.multiplier * positions.get(mimic.joint, 0.0) + mimic.offset
            assert abs(heights[name] - position) < 1e-6, name
    assert not any(item.code.startswith("morse-prismatic-r") for item in done.diagnostics)
    assert not any(item.code == "morse-prismatic-misread" for item in done.diagnostics)


@pytest.mark.parametrize("stem", [*SAMPLES, *REAL])
def test_it_starts_where_zero_is_allowed(stem: str, run: Any) -> None:
    done: Run = run(stem)
    joints = plan_rig(done.robot, options=ImportOptions(profile="morse")).joints
    start = {joint.joint.name: joint.initial for joint in joints if not joint.mimics}
    expected = forward_kinematics(done.robot, start)
    for name, frame in done.measured.frames[0].items():
        assert np.abs(frame - expected[name]).max() < EXACT, name


@pytest.mark.parametrize("stem", [*SAMPLES, "panda", "ur5_robot", "pr2"])
def test_shapes_are_those_of_the_description(stem: str, run: Any) -> None:
    """The same triangles in the same places."""
    done: Run = run(stem)
    files = RobotFiles(PackageResolver(done.robot.source), Diagnostics())
    for made, kind in (
        (done.measured.visuals, "visuals"),
        (done.measured.collisions, "collisions"),
    ):
        left = list(made)
        for link in done.robot.links:
            for shape in getattr(link, kind):
                wanted = load_soup(shape, link, files)
                if wanted is None:
                    continue
                found = next(each for each in left if each.link == link.name)
                left.remove(found)
                assert found.triangles.shape == wanted.shape
                reach = 1.0 + float(np.abs(wanted).max())
                assert np.abs(found.triangles - wanted).max() < 1e-6 * reach
        assert left == []


def load_soup(shape: Visual | Collision, link: Link, files: RobotFiles) -> Any:
    """(T, 3, 3) in the link's frame; None of what cannot be loaded."""
    try:
        data = files.load(shape, link)
    except MeshError:
        return None
    triangles, _ = make_triangles(data)
    frame = matrix_from_pose(shape.origin)
    points = triangles.vertices[triangles.faces].astype(np.float64)
    return (points @ frame[:3, :3].T + frame[:3, 3]) if len(points) else None


@pytest.mark.parametrize("stem", [*SAMPLES, *REAL])
def test_what_the_game_engine_takes_it_for(stem: str, run: Any) -> None:
    done: Run = run(stem)
    measured = done.measured
    masses = {
        link.name: (link.inertial.mass if link.inertial else None) or 0.0
        for link in done.robot.links
    }
    root = measured.scene.objects["robot"]
    assert root.properties["Robot_Tag"] is True and root.type == "EMPTY"
    assert root.game["settings"]["physics_type"] == "NO_COLLISION"
    if any(masses.values()):
        assert root.game["settings"]["mass"] == pytest.approx(sum(masses.values()), rel=1e-6)
    bounds = {"Box": "BOX", "Cylinder": "CYLINDER", "Sphere": "SPHERE", "Capsule": "CAPSULE"}
    by_link: dict[str, list[Any]] = {}
    for shape in measured.collisions:
        by_link.setdefault(shape.link, []).append(shape)
        assert shape.hidden and len(shape.colors) == 0
        assert shape.game["physics_type"] == "STATIC" and shape.game["use_collision_bounds"]
    for link in done.robot.links:
        made = by_link.get(link.name, [])
        if len(made) == len(link.collisions):
            wanted = [bounds.get(type(c.geometry).__name__, "CONVEX_HULL") for c in link.collisions]
            assert [shape.game["collision_bounds_type"] for shape in made] == wanted
        if made and masses[link.name]:
            total = sum(shape.game["mass"] for shape in made)
            assert total == pytest.approx(masses[link.name], rel=1e-6)
    for shape in measured.visuals:
        assert not shape.hidden and shape.game == {"physics_type": "NO_COLLISION"}


@pytest.mark.parametrize("stem", [*SAMPLES, *REAL])
def test_what_morse_is_told(stem: str, run: Any) -> None:
    """By the names from which MORSE makes those of topics and services."""
    done: Run = run(stem)
    objects = done.measured.scene.objects
    streams = done.measured.scene.config["component_datastream"]
    services = done.measured.scene.config["component_service"]
    for name, joints in done.script.armatures.items():
        armature = objects[f"robot.{name}"]
        assert armature.type == "ARMATURE"
        assert armature.properties["Component_Tag"] is True
        assert armature.properties["classpath"] == "morse.actuators.armature.Armature"
        state = objects[f"robot.{name}.joint_states"]
        assert state.properties["classpath"] == "morse.sensors.armature_pose.ArmaturePose"
        assert state.parent == armature.name
        for component, direction in ((armature, "IN"), (state, "OUT")):
            (stream,) = streams[component.name]
            assert stream[0].endswith("SocketDatastreamManager") and stream[2] == direction
            assert component.name in services
        made = {
            bone for bone, each in done.measured.bones.items() if each["armature"] == armature.name
        }
        assert made == set(joints)
    if len(done.script.armatures) > 1:
        states = objects["robot.joint_states"].properties["sensors"].split(",")
        assert states == [f"robot.{name}.joint_states" for name in done.script.armatures]
    for name in done.script.links:
        assert objects[name].type == "EMPTY" and objects[objects[name].parent].type == "ARMATURE"
    components = {name for name, item in objects.items() if "Component_Tag" in item.properties}
    sensors = {measured[0] for measured in done.measured.sensors.values()}
    assert sensors <= components
    assert sensors == {f"robot.{name}" for name in done.script.sensors}


@pytest.mark.parametrize("stem", ["pr2", pytest.param("talos_full_v2", marks=pytest.mark.slow)])
def test_sensors_stand_in_their_frames(stem: str, run: Any) -> None:
    done: Run = run(stem)
    suggestions = suggest_sensors(done.robot, Diagnostics())
    assert len(suggestions) > 1 and done.script.sensors == tuple(s.name for s in suggestions)
    links = forward_kinematics(done.robot, {})
    for suggestion in suggestions:
        name, frame, own = done.measured.sensors[suggestion.name]
        expected = links[suggestion.link] @ suggestion.frame @ without_scale(own)
        assert np.abs(without_scale(frame) - expected).max() < EXACT, suggestion.name
        item = done.measured.scene.objects[name]
        assert item.parent == suggestion.link
        for key, value in suggestion.properties:
            assert item.properties[key] == pytest.approx(value, rel=1e-6), key
        if suggestion.frequency:
            assert item.properties["frequency"] == suggestion.frequency


def without_scale(frame: Any) -> Any:
    scaled = frame.copy()
    scaled[:3, :3] /= np.linalg.norm(frame[:3, :3], axis=0)
    return scaled


@pytest.mark.parametrize("stem", REAL)
def test_it_is_small(stem: str, run: Any) -> None:
    assert run(stem).script.path.stat().st_size < MOST_BYTES[stem]


@pytest.mark.parametrize("stem", ["gripper", "panda"])
def test_objects_of_one_mesh_and_look_share_it(stem: str, run: Any) -> None:
    visuals = run(stem).measured.visuals
    for shape in visuals:
        twins = [each for each in visuals if each.mesh == shape.mesh]
        assert all(np.array_equal(each.colors, shape.colors) for each in twins)
        assert shape.users == len(twins)
    assert any(shape.users > 1 for shape in visuals)


def test_a_rig_is_written_as_it_stands(tmp_path: Path, morse_root: Path) -> None:
    """With other bones than MORSE's, posed, its place and its shapes changed."""
    import bpy

    new_file()
    result = import_robot(find("quadruped_leg"))
    armature = result.armature
    assert any(
        len(bone["urdf_joints"]) > 1 for bone in armature.data.bones if "urdf_joints" in bone
    )
    positions = draw_positions(result.robot, 1)[0]
    set_joint_positions(armature, positions)
    armature.rotation_mode = "XYZ"
    armature.location, armature.rotation_euler = (0.5, -2.0, 1.0), (0.1, 0.2, 0.3)
    foot, _ = result.visuals["foot"]
    foot.data = foot.data.copy()
    for vertex in foot.data.vertices:
        vertex.co.x *= 2.0
    foot.location.z += 0.1
    foot.scale.y = 0.5
    bpy.data.objects.remove(result.visuals["shin"][0])
    bpy.context.view_layer.update()
    script = write_builder_script(armature, tmp_path / "leg.py")
    measured = run_robot(script.path, tmp_path, morse_root)
    place = np.array(armature.matrix_world)
    for name, frame in measured.frames[0].items():
        assert np.abs(frame - place @ link_pose(armature, name)).max() < EXACT, name
    shown = [shape for shape in measured.visuals if shape.link == "foot"]
    assert [shape.link for shape in measured.visuals].count("shin") == (
        len(result.visuals["shin"]) - 1
    )
    local = np.array(foot.matrix_local)
    foot.data.calc_loop_triangles()
    wanted = np.array([
        [local[:3, :3] @ foot.data.vertices[v].co + local[:3, 3] for v in triangle.vertices]
        for triangle in foot.data.loop_triangles
    ])  # fmt: skip
    assert len(shown) == 2 and same_triangles(shown[0].triangles, wanted)


def test_armatures_of_groups_are_there_again(tmp_path: Path, morse_root: Path) -> None:
    """As split_armature made them in the scene."""
    from urdf_importer_morse.split.split import split_armature

    new_file()
    result = import_robot(find("planar_base"), options=ImportOptions(profile="morse"))
    split_armature(result.armature, "arm", ["shoulder", "elbow"])
    positions = draw_positions(result.robot, 1)[0]
    set_joint_positions(result.armature, positions)
    script = write_builder_script(result.armature, tmp_path / "robot.py")
    assert script.armatures["arm"] == ("shoulder", "elbow")
    measured = run_robot(script.path, tmp_path, morse_root)
    expected = forward_kinematics(result.robot, positions)
    for name, frame in measured.frames[0].items():
        assert np.abs(frame - expected[name]).max() < EXACT, name
    assert measured.scene.objects["robot.arm"].type == "ARMATURE"
    assert {bone["armature"] for bone in measured.bones.values()} == {
        f"robot.{name}" for name in script.armatures
    }


def same_triangles(made: Any, wanted: Any) -> bool:
    """Polygons may be cut in other ways: extents and surface."""
    areas = [
        np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1).sum()
        for t in (made, wanted)
    ]
    ends = [(t.min(axis=(0, 1)), t.max(axis=(0, 1))) for t in (made, wanted)]
    close = np.abs(np.array(ends[0]) - np.array(ends[1])).max() < 2e-6
    return bool(close) and len(made) == len(wanted) and abs(areas[0] / areas[1] - 1.0) < 1e-5


NAMES = (
    "armature",
    "it's",
    'a "b" \\ c',
    "caf\xe9 \u6f22",
    "joint_states",
    "two\nlines",
    "arm",
    "x" * 80,
    "x" * 80 + "y",
    "a.b.c",
)


def test_names_are_only_names(tmp_path: Path, morse_root: Path) -> None:
    shape = Box(size=(0.1, 0.2, 0.3))
    links = tuple(Link(name=name, visuals=(Visual(geometry=shape, name=name),)) for name in NAMES)
    joints = tuple(
        Joint(
            name=child,
            type="prismatic" if index == 4 else "revolute",
            parent=parent,
            child=child,
            origin=Pose(xyz=(0.1, 0.0, 0.2), rpy=(0.3, 0.0, 0.0)),
            axis=(0.0, 1.0, 0.0),
            limit=Limit(lower=-0.5, upper=0.5),
            mimic=Mimic(joint=NAMES[2], multiplier=2.0) if index == 6 else None,
        )
        for index, (parent, child) in enumerate(itertools.pairwise(NAMES))
    )
    robot = Robot(name='say "hello"', links=links, joints=joints)
    script = write_builder_script(robot, tmp_path / "robot.py")
    positions = draw_positions(robot, 1)[0]
    measured = run_robot(script.path, tmp_path, morse_root, [make_pose(robot, positions)])
    expected = forward_kinematics(robot, positions)
    assert measured.frames[1].keys() == set(NAMES)
    for name, frame in measured.frames[1].items():
        assert np.abs(frame - expected[name]).max() < EXACT, name
    assert len(measured.visuals) == len(NAMES) and len(script.armatures) == 3


TWO = """
import sys
import urdf_importer.morse
urdf_importer.morse.enable()
sys.path.insert(0, {folder!r})
from morse.builder import *
from gripper import GripperModel

assert not [item for item in bpymorse.get_objects() if item.type != "CAMERA"], "importing built"
left = GripperModel()
left.translate(x=1.0)
left.rotate(z=0.5)
right = GripperModel("other")
right.translate(y=2.0)
camera = VideoCamera()
right.append(camera, "palm")
sensor = Pose()
left.append(sensor, "palm")
gps = GPS()
left.append(gps)
for robot in (left, right):
    robot.add_default_interface("socket")
env = Environment("empty", fastmode=True)
env.create()
report = {{
    "links": [{{name: link.name for name, link in robot.links.items()}} for robot in (left, right)],
    "frames": [
        {{name: [list(row) for row in link.matrix_world] for name, link in robot.links.items()}}
        for robot in (left, right)
    ],
}}
"""


def test_several_robots_in_a_script_of_ones_own(tmp_path: Path, morse_root: Path) -> None:
    robot = read_robot(find("gripper"))
    write_builder_script(robot, tmp_path / "gripper.py")
    scene = run_script(tmp_path / "run", TWO.format(folder=str(tmp_path)), morse_root=morse_root)
    names = set(scene.objects)
    assert {"left", "other", "left.armature", "other.armature", "left.gps"} <= names
    left, right = scene.report["links"]
    assert set(left.values()).isdisjoint(right.values()) and left["palm"] == "palm"
    assert scene.objects["other.camera"].parent == right["palm"]
    assert scene.objects["left.sensor"].parent == left["palm"]
    assert scene.objects["left.gps"].parent == "left"
    for name in ("left", "other"):
        assert f"{name}.armature.joint_states" in scene.config["component_datastream"]
    at_zero = forward_kinematics(robot, {})
    places = (frame_at((1.0, 0.0, 0.0), 0.5), frame_at((0.0, 2.0, 0.0), 0.0))
    for place, frames in zip(places, scene.report["frames"], strict=True):
        for name, frame in frames.items():
            assert np.abs(np.array(frame) - place @ at_zero[name]).max() < EXACT


def frame_at(location: tuple[float, float, float], yaw: float) -> Any:
    frame = np.eye(4)
    frame[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
    frame[:3, 3] = location
    return frame


ALL = """
import runpy
import urdf_importer.morse
from morse_support.script_runs import show_pose
from urdf_importer import new_file

urdf_importer.morse.enable()
report = {{}}
for path, kind, pose in {jobs!r}:
    new_file()
    urdf_importer.morse.forget_components()
    robot = runpy.run_path(path, run_name="robot")[kind]()
    report[path] = show_pose(robot, pose)
"""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(6))
def test_every_robot_is_where_it_is(part: int, tmp_path: Path, morse_root: Path) -> None:
    jobs, expected = [], {}
    known = [path for path in descriptions() if path.stem != EMPTY]
    for index, path in enumerate(known[part::6]):
        diagnostics = Diagnostics(str(path))
        robot = read_robot(path, diagnostics=diagnostics)
        target = tmp_path / f"robot{index}.py"
        script = write_builder_script(robot, target, options=None, diagnostics=diagnostics)
        positions = draw_positions(robot, 1)[0]
        jobs.append((str(target), script.class_name, make_pose(robot, positions)))
        expected[str(target)] = forward_kinematics(robot, positions)
    scene = run_script(tmp_path / "run", ALL.format(jobs=jobs), morse_root=morse_root)
    assert scene.report.keys() == expected.keys()
    for target, frames in scene.report.items():
        links = expected[target]
        assert frames.keys() == links.keys()
        for name, frame in frames.items():
            assert np.abs(np.array(frame) - links[name]).max() < EXACT, (target, name)
