# SPDX-License-Identifier: GPL-3.0-or-later
"""FBX as ufbx reads it (Blender's importer since 4.5; before, its own), USD as usd-core does."""

import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler

from support.blender.engine_robots import animate, frames_at, frames_at_zero
from support.blender.rigs import new_scene
from support.paths import ROOT
from urdf_importer import EngineOptions, export_robot, import_robot
from urdf_importer.core.images.colors import linear_from_srgb

SAMPLES = ROOT / "sample_urdfs"
USD_SESSION = ROOT / "tests" / "support" / "usd_session.py"
TURN = np.array([[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0, 0, 0, 1]])
FRAMES = range(1, 22)

pytestmark = pytest.mark.usefixtures("scene")


def make(name: str, path: Path, **options: Any) -> tuple[Any, Any, dict[int, Any]]:
    """(import, export, frame -> link -> frame) of an animated robot."""
    result = import_robot(SAMPLES / f"{name}.urdf")
    animate(result.armature)
    written = export_robot(result.armature, path, options=EngineOptions(**options))
    shown = {frame: frames_at(result.armature, result.robot, frame) for frame in FRAMES}
    return result, written, shown


def measure(robot: Any, written: Any, shown: dict[int, Any], moved: Any, turn: Any) -> float:
    """The worst error per reach; `moved`: (frame, bone) -> (4, 4), its deformation."""
    rest, worst = frames_at_zero(robot), 0.0
    for frame, links in shown.items():
        for link, bone in written.bones.items():
            wanted = turn @ links[link] @ np.linalg.inv(rest[link]) @ turn.T
            reach = 1.0 + np.linalg.norm(links[link][:3, 3])
            worst = max(worst, float(np.abs(moved(frame, bone) - wanted).max() / reach))
    return worst


@pytest.mark.parametrize("name", ["quadruped_leg", "gripper"])
def test_fbx_moves_as_the_robot(name: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.fbx"
    result, written, shown = make(name, file, engine="unreal")
    robot, clips = result.robot, written.animations
    armature, action = read_fbx(file)
    assert armature.name == "Armature" and len(clips) == 1
    # No scale and no turn on the nodes.
    assert np.allclose(armature.matrix_world, np.eye(4), atol=1e-6)
    roots = [bone for bone in armature.data.bones if bone.parent is None]
    assert [bone.name for bone in roots] == [written.bones[robot.links[0].name]]
    assert {bone.name for bone in armature.data.bones} == set(written.bones.values())
    first = action.frame_range[0]
    assert action.frame_range[1] - first == len(FRAMES) - 1

    def moved(frame: int, bone: str) -> Any:
        bpy.context.scene.frame_set(int(first) + frame - 1)
        posed = armature.pose.bones[bone]
        return np.array(posed.matrix) @ np.linalg.inv(np.array(posed.bone.matrix_local))

    assert measure(robot, written, shown, moved, TURN) < 1e-5


def test_fbx_has_a_stack_for_each_clip_and_a_mesh_for_each_level(tmp_path: Path) -> None:
    result = import_robot(SAMPLES / "two_link_arm.urdf")
    animate(result.armature)
    data = result.armature.animation_data
    first = data.action
    first.name, first.use_fake_user = "wave", True
    data.action = None
    animate(result.armature, frames=(1, 6), seed=3)
    data.action.name = "bow"
    file = tmp_path / "robot.fbx"
    written = export_robot(
        result.armature, file, options=EngineOptions(actions="all", lods=(1.0, 0.5, 0.25))
    )
    assert written.animations == ("bow", "wave")
    read_fbx(file)
    names = sorted(action.name for action in bpy.data.actions)
    assert len(names) == 2 and "bow" in names[0] and "wave" in names[1]
    counts = {
        item.name: len(item.data.polygons) for item in bpy.data.objects if item.type == "MESH"
    }
    levels = [counts[f"two_link_arm_LOD{index}"] for index in range(3)]
    assert len(counts) == 3 and levels[0] > levels[1] > levels[2] > 0


def test_fbx_stands_at_zero_below_its_clips(tmp_path: Path) -> None:
    """Its nodes are as those of the robot at zero, whatever the clips do."""
    result = import_robot(SAMPLES / "quadruped_leg.urdf")
    still = tmp_path / "still.fbx"
    assert export_robot(result.armature, still, options=EngineOptions()).animations == ()
    animate(result.armature)
    moving = tmp_path / "moving.fbx"
    export_robot(result.armature, moving, options=EngineOptions(actions="all"))
    nodes = [properties_of(file, b"Model") for file in (still, moving)]
    assert nodes[0].keys() == nodes[1].keys()
    for name, wanted in nodes[0].items():
        for key in (b"Lcl Translation", b"Lcl Rotation"):
            zero = (0.0, 0.0, 0.0)
            assert np.allclose(nodes[1][name].get(key, zero), wanted.get(key, zero), atol=1e-4)


@pytest.mark.parametrize(("engine", "encode"), [("unity", linear_from_srgb), ("unreal", float)])
def test_fbx_says_colours_as_the_engine_reads_them(
    engine: Any, encode: Any, tmp_path: Path
) -> None:
    """As sRGB; Unreal takes the numbers for linear ones."""
    result = import_robot(SAMPLES / "gripper.urdf")
    file = tmp_path / "robot.fbx"
    export_robot(result.armature, file, options=EngineOptions(engine=engine))
    found = properties_of(file, b"Material")
    shown = {
        f"gripper_{slot.material.name}": slot.material.node_tree.nodes["Principled BSDF"]
        for items in result.visuals.values()
        for item in items
        for slot in item.material_slots
    }
    assert found.keys() == shown.keys()
    for name, shader in shown.items():
        color = [encode(part) for part in found[name][b"DiffuseColor"]]
        assert np.allclose(color, shader.inputs["Base Color"].default_value[:3], atol=1e-5)


def properties_of(file: Path, kind: bytes) -> dict[str, dict[bytes, tuple[float, ...]]]:
    """Name -> property -> its numbers, of all objects of a kind in an FBX file."""
    import addon_utils  # it is found once bpy was imported

    addon_utils.enable("io_scene_fbx", default_set=False)
    parse = import_module("io_scene_fbx.parse_fbx").parse
    root, _ = parse(str(file))
    (objects,) = (each for each in root.elems if each.id == b"Objects")
    return {
        each.props[1].split(b"\0")[0].decode(): {
            line.props[0]: tuple(line.props[4:])
            for part in each.elems
            if part.id == b"Properties70"
            for line in part.elems
        }
        for each in objects.elems
        if each.id == kind
    }


def test_fbx_stays_close_near_gimbal_lock(tmp_path: Path) -> None:
    """FBX stores Euler angles in single precision: at a quarter turn about the middle one they
    jump. Elsewhere it is as exact as all else."""
    result = import_robot(SAMPLES / "quadruped_leg.urdf")
    main, frames = result.armature, range(1, 42)
    main.rotation_mode = "QUATERNION"
    # From no turn, against which the root moves, through the lock with all angles moving.
    pitches = {frame: 79.5 + 0.5 * frame if frame > 1 else 0.0 for frame in frames}
    for frame, pitch in pitches.items():
        share = (frame - 1) / 40.0
        turn = Euler((1.2 * share, np.radians(pitch), 2.0 * share)).to_quaternion()
        main.rotation_quaternion = turn
        main.keyframe_insert("rotation_quaternion", frame=frame)
    animate(main, frames=(1, 21, 41))
    file = tmp_path / "robot.fbx"
    written = export_robot(main, file, options=EngineOptions(engine="unreal"))
    shown, worlds = {}, {}
    for frame in frames:
        shown[frame] = frames_at(main, result.robot, frame)
        worlds[frame] = np.array(main.matrix_world)
    robot = result.robot
    armature, action = read_fbx(file)
    first = action.frame_range[0]

    def moved(frame: int, bone: str) -> Any:
        bpy.context.scene.frame_set(int(first) + frame - 1)
        posed = armature.pose.bones[bone]
        found = np.array(posed.matrix) @ np.linalg.inv(np.array(posed.bone.matrix_local))
        # Without the way of the root, which is known.
        base = TURN @ np.linalg.inv(worlds[1]) @ worlds[frame] @ TURN.T
        return np.linalg.inv(base) @ found

    near = {frame: shown[frame] for frame in frames if abs(pitches[frame] - 90.0) < 2.0}
    apart = {frame: shown[frame] for frame in frames if frame not in near}
    assert len(near) == 7 and len(apart) == 34
    locked, free = (measure(robot, written, part, moved, TURN) for part in (near, apart))
    assert free < 1e-5
    # The lock is where it should be: there it is not as exact.
    assert free < locked < 1e-3


def test_usd_has_a_file_for_each_clip(tmp_path: Path) -> None:
    """The first one in the file itself; each lasts as long as its action."""
    result = import_robot(SAMPLES / "two_link_arm.urdf")
    main = result.armature
    animate(main, frames=(1, 11))
    main.animation_data.action.name, main.animation_data.action.use_fake_user = "wave/1", True
    main.animation_data.action = None
    animate(main, frames=(1, 6), seed=3)
    main.animation_data.action.name = "bow"
    file = tmp_path / "arm.usdc"
    options = EngineOptions(actions="all", extras=False, lods=(1.0, 0.5, 0.0))
    written = export_robot(main, file, options=options)
    assert written.animations == ("bow", "wave/1")
    names = [path.name for path in written.files]
    assert names == ["arm.usdc", "arm_LOD1.usdc", "arm_wave_1.usdc"]
    robot, numbers = result.robot, tmp_path / "read.npz"
    for path, action, last in ((file, "bow", 6), (tmp_path / names[2], "wave/1", 11)):
        main.animation_data.action = bpy.data.actions[action]
        shown = {frame: frames_at(main, robot, frame) for frame in range(1, last + 1)}
        read = read_usd(path, numbers)
        assert len(read["times"]) == last
        bones = list(read["joints"])

        def moved(frame: int, bone: str, read: Any = read, bones: Any = bones) -> Any:
            return read["frames"][frame - 1][bones.index(bone)]

        assert measure(robot, written, shown, moved, TURN) < 1e-5


def read_usd(file: Path, numbers: Path) -> Any:
    """What usd-core reads of a skinned robot, in a process of its own."""
    done = subprocess.run(
        [sys.executable, str(USD_SESSION), str(file), str(numbers)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return np.load(numbers)


def read_fbx(file: Path) -> tuple[Any, Any]:
    """The armature and an action of a file, in a new scene."""
    new_scene()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if bpy.app.version >= (4, 5, 0):
            bpy.ops.wm.fbx_import(filepath=str(file))
        else:
            bpy.ops.import_scene.fbx(filepath=str(file))
    (armature,) = (item for item in bpy.data.objects if item.type == "ARMATURE")
    return armature, bpy.data.actions[0]


@pytest.mark.parametrize(
    ("suffix", "options", "turn"),
    [
        ("usda", {"engine": "isaac", "usd": "skin"}, np.eye(4)),
        ("usdz", {}, TURN),
    ],
)
def test_usd_moves_as_the_robot(
    suffix: str, options: dict[str, Any], turn: Any, tmp_path: Path
) -> None:
    file, numbers = tmp_path / f"robot.{suffix}", tmp_path / "read.npz"
    result, written, shown = make("quadruped_leg", file, **options)
    read = read_usd(file, numbers)
    assert read["up"] == "Z" and read["unit"] == 1.0
    assert np.allclose(read["times"], np.arange(len(FRAMES)) / 24.0)
    assert np.array_equal(read["weights"], np.ones_like(read["weights"]))
    names = list(read["joints"])
    assert set(names) == set(written.bones.values())
    robot = result.robot

    def moved(frame: int, bone: str) -> Any:
        return read["frames"][frame - 1][names.index(bone)]

    assert measure(robot, written, shown, moved, turn) < 1e-5
    assert len(read["faces"]) == sum(
        len(item.data.polygons) for items in result.visuals.values() for item in items
    )
