# SPDX-License-Identifier: GPL-3.0-or-later
"""Godot 3 imports the robots: rest, clips, joints by hand, names and colours, as the docs say.

It needs Godot 3 without a window (tools/get-godot FOLDER; GODOT=FOLDER/godot).
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.engine_robots import FPS, animate, frames_at, frames_at_zero, into_engine
from support.paths import ROOT
from urdf_importer import (
    EngineOptions,
    Robot,
    export_robot,
    forward_kinematics,
    import_robot,
    set_joint_positions,
)
from urdf_importer.formats.engines.export import EngineExport

GODOT = os.environ.get("GODOT", "")
PROBE = ROOT / "tests" / "support" / "godot_probe.gd"
DOCS = ROOT / "docs" / "how-to" / "engines.md"
PROJECT = f"""config_version=4
[importer_defaults]
scene={{"materials/storage":0,"animation/fps":{FPS},"animation/optimizer/enabled":false}}
"""
WITHIN = 5e-6

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("scene"),
    pytest.mark.skipif(not GODOT, reason="needs Godot 3: tools/get-godot, $GODOT"),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "project.godot").write_text(PROJECT)
    shutil.copy(PROBE, folder / "probe.gd")
    sample = re.search(r"```gdscript\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert sample is not None
    (folder / "joints.gd").write_text(sample[1])
    return folder


def look(project: Path, *asked: dict[str, Any]) -> list[dict[str, Any]]:
    """What the engine sees of the project's scenes."""
    full = [{"times": {}, "joints": {}} | each for each in asked]
    (project / "asked.json").write_text(json.dumps(full))
    for options in (["--editor", "--quit"], ["--script", "probe.gd"]):
        done = subprocess.run(
            [GODOT, "--path", str(project), *options],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "HOME": str(project.parent)},
        )
        assert "SCRIPT ERROR" not in done.stdout + done.stderr, done.stderr[-2000:]
    found: list[dict[str, Any]] = json.loads((project / "found.json").read_text())
    return found


def plain(name: str) -> str:
    """Godot 3.2 writes the names of bones its own way."""
    return name.lower().replace("_", "").replace("-", "")


def worst_of(
    poses: dict[str, Any], written: EngineExport, shown: dict[str, Any], scale: float = 1.0
) -> float:
    """How far bones in the engine are from the links' frames, in metres of true size."""
    found = {plain(name): np.array(rows, np.float64) for name, rows in poses.items()}
    worst = 0.0
    for link, bone in written.bones.items():
        if plain(bone) != plain(link):
            continue  # A fixed link without a bone.
        pose = found[plain(bone)].copy()
        pose[:, 3] /= scale
        worst = max(worst, float(np.abs(pose - (into_engine("z") @ shown[link])[:3]).max()))
    return worst


def test_godot_plays_clips_over_a_rest_at_zero(project: Path) -> None:
    made = {}
    for name in ("gripper", "humanoid_arm"):
        for item in list(bpy.data.actions):
            bpy.data.actions.remove(item)
        result = import_robot(ROOT / "sample_urdfs" / f"{name}.urdf")
        animate(result.armature)
        for suffix in ("glb", "fbx"):
            file = project / f"{name}.{suffix}"
            written = export_robot(result.armature, file, options=EngineOptions(engine="godot"))
            shown = {at: frames_at(result.armature, result.robot, at) for at in (1, 8, 21)}
            made[file.name] = result.robot, written, shown
    asked = []
    for file, (_, written, shown) in made.items():
        times = [(frame - 1) / FPS for frame in shown]
        asked.append({"file": file, "times": {written.animations[0]: times}})
    for each, seen in zip(asked, look(project, *asked), strict=True):
        robot, written, shown = made[each["file"]]
        assert worst_of(seen["rest"], written, frames_at_zero(robot)) < WITHIN, each["file"]
        (clip,) = written.animations
        assert seen["clips"] == {clip: pytest.approx(20 / FPS, abs=1e-5)}
        played = seen["shown"][clip]
        for poses, frames in zip(played, shown.values(), strict=True):
            assert worst_of(poses, written, frames) < WITHIN, each["file"]


@pytest.mark.parametrize("name", ["gripper", "humanoid_arm", "quadruped_leg"])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_joints_are_turned_by_hand_as_the_docs_say(name: str, scale: float, project: Path) -> None:
    """Also where the robot stood elsewhere when it was written."""
    result = import_robot(ROOT / "sample_urdfs" / f"{name}.urdf")
    robot: Robot = result.robot
    positions = free_positions(robot)
    set_joint_positions(result.armature, {joint: 0.5 * at for joint, at in positions.items()})
    bpy.context.view_layer.update()
    options = EngineOptions(engine="godot", scale=scale)
    written = export_robot(result.armature, project / "robot.glb", options=options)
    assert written.animations == ("pose",)
    asked = {"file": "robot.glb", "joints": positions, "times": {"pose": [0.0]}}
    (seen,) = look(project, asked)
    assert worst_of(seen["rest"], written, frames_at_zero(robot), scale) < WITHIN
    stood = frames_at(result.armature, robot, 1.0)
    assert worst_of(seen["shown"]["pose"][0], written, stood, scale) < WITHIN
    wanted = forward_kinematics(robot, positions)
    assert worst_of(seen["by_hand"], written, wanted, scale) < WITHIN


def free_positions(robot: Robot) -> dict[str, float]:
    """A position of each joint that turns or slides by itself."""
    generator, found = np.random.default_rng(1), {}
    for joint in robot.joints:
        if joint.mimic is None and joint.type in ("revolute", "prismatic", "continuous"):
            low, high = (joint.limit.lower, joint.limit.upper) if joint.limit else (None, None)
            found[joint.name] = float(generator.uniform(low or -0.5, high or 0.5))
    return found


def test_two_robots_keep_their_own_colours(project: Path, tmp_path: Path) -> None:
    """With a material of the same name each, one of them as FBX, and parts without a material."""
    colors = {"red": (0.8, 0.1, 0.1), "blue": (0.1, 0.2, 0.8)}
    for name, color in colors.items():
        numbers = " ".join(map(str, (*color, 1)))
        (tmp_path / f"{name}.urdf").write_text(
            f'<robot name="{name} Robot"><link name="base">'
            '<visual><geometry><box size="1 1 1"/></geometry>'
            f'<material name="shell"><color rgba="{numbers}"/></material></visual>'
            '<visual><geometry><sphere radius="0.4"/></geometry></visual>'
            "</link></robot>"
        )
        result = import_robot(tmp_path / f"{name}.urdf")
        suffix = "glb" if name == "red" else "fbx"
        export_robot(result.armature, project / f"{name}.{suffix}", options=EngineOptions())
    found = look(project, {"file": "red.glb"}, {"file": "blue.fbx"})
    for (name, color), seen in zip(colors.items(), found, strict=True):
        assert plain(seen["mesh"]) == f"{name}robotmesh" and " " not in seen["mesh"]
        materials = seen["materials"]
        assert set(materials) == {f"{name}_Robot_shell", f"{name}_Robot_grey"}
        assert np.allclose(materials[f"{name}_Robot_shell"], (*color, 0.0), atol=2e-3)
        assert np.allclose(materials[f"{name}_Robot_grey"], (0.6, 0.6, 0.6, 0.0), atol=2e-3)
