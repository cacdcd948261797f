# SPDX-License-Identifier: GPL-3.0-or-later
"""An export to an engine leaves everything in Blender as it was, to the last number."""

from pathlib import Path
from typing import Any

import bpy
import pytest

from support.blender.engine_robots import animate
from support.blender.whole_file import describe_file
from support.paths import ROOT
from urdf_importer import EngineOptions, RobotError, export_robot, import_robot, read_robot

LEG = ROOT / "sample_urdfs" / "quadruped_leg.urdf"

pytestmark = pytest.mark.usefixtures("scene")


@pytest.fixture
def busy() -> Any:
    """A robot with an action, a pose that no key holds, in pose mode, beside what else is there;
    names that the export would like to have are taken."""
    result = import_robot(LEG)
    armature = result.armature
    animate(armature)
    other = bpy.data.objects.new("Armature", None)
    bpy.context.scene.collection.objects.link(other)
    bpy.data.objects.new("quadruped_leg_mesh", None)
    spare = bpy.data.actions.new("spare")
    spare.use_fake_user = True
    bpy.context.scene.frame_set(7)
    armature.pose.bones[0].rotation_euler.x = 0.4321
    armature.location = (1.0, 2.0, 3.0)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="POSE")
    result.visuals["shin"][0].hide_set(True)
    return armature


@pytest.mark.parametrize(
    ("suffix", "options"),
    [
        (".glb", EngineOptions()),
        (".glb", EngineOptions(actions="all", lods=(1.0, 0.5, 0.0))),
        (".fbx", EngineOptions(engine="unreal", actions="all")),
        (".usda", EngineOptions(engine="isaac", usd="skin")),
    ],
    ids=["glb", "all", "fbx", "usd"],
)
def test_everything_is_as_before(
    suffix: str, options: EngineOptions, busy: Any, tmp_path: Path
) -> None:
    before = describe_file()
    assert len(before) > 5000 and any("rotation_euler" in key for key in before)
    export_robot(busy, tmp_path / f"robot{suffix}", options=options)
    assert_same(describe_file(), before)
    assert busy.pose.bones[0].rotation_euler.x == pytest.approx(0.4321)
    assert busy.mode == "POSE" and bpy.context.scene.frame_current == 7


def test_a_description_leaves_no_trace(busy: Any, tmp_path: Path) -> None:
    before = describe_file()
    export_robot(read_robot(LEG), tmp_path / "robot.glb", options=EngineOptions())
    assert_same(describe_file(), before)


def test_what_fails_leaves_no_trace(
    busy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in Blender nor on the disk, where an old file stays."""
    from urdf_importer.formats.engines.blender import export

    file = tmp_path / "robot.glb"
    file.write_bytes(b"old")
    before = describe_file()
    real = export.write_stage
    for error in (KeyboardInterrupt, MemoryError, OSError(28, "No space left on device")):

        def fail(*arguments: Any, error: Any = error, **named: Any) -> None:
            real(*arguments, **named)
            raise error

        with monkeypatch.context() as patched:
            patched.setattr(export, "write_stage", fail)
            with pytest.raises((KeyboardInterrupt, MemoryError, RobotError)):
                export_robot(busy, file, options=EngineOptions())
        assert_same(describe_file(), before)
        assert [path.name for path in tmp_path.iterdir()] == ["robot.glb"]
        assert file.read_bytes() == b"old"


def assert_same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    changed = {
        key: (wanted.get(key), found.get(key))
        for key in wanted.keys() | found.keys()
        if wanted.get(key) != found.get(key)
    }
    assert sorted(changed)[:12] == [], dict(list(changed.items())[:3])
