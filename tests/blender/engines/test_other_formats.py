# SPDX-License-Identifier: GPL-3.0-or-later
"""FBX as ufbx reads it (Blender's importer since 4.5; before, its own), USD as usd-core does."""

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.engine_robots import animate, frames_at, frames_at_zero
from support.blender.rigs import new_scene
from support.paths import ROOT
from urdf_importer import EngineOptions, export_robot, import_robot

SAMPLES = ROOT / "sample_urdfs"
USD_SESSION = ROOT / "tests" / "support" / "usd_session.py"
TURN = np.array([[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0, 0, 0, 1]])
FRAMES = range(1, 22)

pytestmark = pytest.mark.usefixtures("scene")


def make(name: str, path: Path, **options: Any) -> tuple[Any, Any, dict[int, Any]]:
    """(import, export, frame -> link -> frame) of an animated robot."""
    result = import_robot(SAMPLES / f"{name}.urdf")
    animate(result.armature)
    written = export_robot(result.armature, path, EngineOptions(**options))
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
        result.armature, file, EngineOptions(actions="all", lods=(1.0, 0.5, 0.25))
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
    done = subprocess.run(
        [sys.executable, str(USD_SESSION), str(file), str(numbers)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    read = np.load(numbers)
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
