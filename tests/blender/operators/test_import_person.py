# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's file dropped on the view: who comes in, how tall, how fast, and where."""

from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest

from support.paths import ROOT
from support.people import SAMPLE
from urdf_importer.core.blender.standing.placing import measure

pytestmark = [
    pytest.mark.usefixtures("scene", "extension"),
    # Blender's importer of BVH leaves its file open.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")


def _write_person(path: Path, rate: float, factor: float) -> Path:
    """The sample person at another rate, and so many times as large."""
    lines = []
    for line in SAMPLE.read_text().splitlines():
        words = line.split()
        if words and words[0] == "Frame" and words[1] == "Time:":
            line = f"Frame Time: {1.0 / rate:.7f}"
        elif words and words[0] == "OFFSET":
            line = "OFFSET " + " ".join(f"{factor * float(each):.6f}" for each in words[1:])
        elif words and words[0].lstrip("-")[:1].isdigit():
            numbers = [float(each) for each in words]
            line = " ".join(
                f"{factor * each if place < 3 else each:.6f}" for place, each in enumerate(numbers)
            )
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(("rate", "factor"), [(30.0, 1.0), (120.0, 0.01), (29.97, 1.0), (60, 10)])
def test_a_person_is_as_tall_and_as_fast_as_people_are(
    tmp_path: Path, rate: float, factor: float
) -> None:
    path = _write_person(tmp_path / "dance.bvh", rate, factor)
    bpy.ops.import_scene.urdf(filepath=ARM)
    robot = bpy.context.view_layer.objects.active
    assert bpy.ops.urdf.import_person(filepath=str(path)) == {"FINISHED"}
    person = bpy.data.objects["dance"]
    low, high = measure(person)
    assert 1.2 < high[2] - low[2] < 2.2
    render = bpy.context.scene.render
    assert render.fps / render.fps_base == pytest.approx(rate, rel=1e-4)
    first, last = person.animation_data.action.frame_range
    assert bpy.context.scene.frame_end >= last > first
    assert bpy.context.view_layer.objects.active == robot
    before, behind = measure(robot)
    assert not (np.array(low) < behind).all() or not (before < np.array(high)).all()
    assert bpy.ops.urdf.retarget.poll()


def test_a_person_comes_in_without_a_robot_and_in_pose_mode(extension: ModuleType) -> None:
    assert bpy.ops.urdf.import_person(filepath=str(SAMPLE)) == {"FINISHED"}
    bpy.ops.import_scene.urdf(filepath=ARM)
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.urdf.import_person(filepath=str(SAMPLE)) == {"FINISHED"}
    assert [each.type for each in bpy.data.objects].count("ARMATURE") == 3
    assert bpy.context.mode == "POSE"


@pytest.mark.parametrize("chosen", ["robot", "another robot", "nothing"])
def test_selection_and_active_object_stay_as_they_were(chosen: str) -> None:
    """Blender's timeline shows the keys of selected objects: else the person's, not the robot's."""
    bpy.ops.import_scene.urdf(filepath=ARM)
    first = bpy.context.view_layer.objects.active
    bpy.ops.import_scene.urdf(filepath=ARM)
    bpy.ops.object.select_all(action="DESELECT")
    if chosen == "another robot":
        bpy.context.view_layer.objects.active = first
    active = bpy.context.view_layer.objects.active
    active.select_set(chosen != "nothing")
    selected = list(bpy.context.selected_objects)
    assert bpy.ops.urdf.import_person(filepath=str(SAMPLE)) == {"FINISHED"}
    assert list(bpy.context.selected_objects) == selected
    assert bpy.context.view_layer.objects.active == active


@pytest.mark.parametrize("name", ["dance.bvh", "dance.fbx", "gone.bvh"])
def test_other_files_leave_the_scene_alone(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if not name.startswith("gone"):
        path.write_text("HIERARCHY\nROOT Hips\n{\n")
    bpy.ops.import_scene.urdf(filepath=ARM)
    bpy.ops.object.mode_set(mode="POSE")
    before, rate = set(bpy.data.objects), bpy.context.scene.render.fps
    with pytest.raises(RuntimeError, match=name):
        bpy.ops.urdf.import_person(filepath=str(path))
    assert set(bpy.data.objects) == before
    assert bpy.context.scene.render.fps == rate
    assert bpy.context.mode == "POSE"


def test_the_panel_is_unfolded_under_a_name_of_its_own(extension: ModuleType) -> None:
    panel = extension.operators.retargeting.panel
    kind = panel.RetargetPanel
    before, options, names = kind.bl_idname, kind.bl_options, []
    for _ in range(2):
        panel.unfold_panel(kind)
        names.append(kind.bl_idname)
        assert hasattr(bpy.types, names[-1])
    assert len(set(names)) == 2 and not hasattr(bpy.types, names[0])
    bpy.utils.unregister_class(kind)
    kind.bl_idname, kind.bl_options = before, options
    bpy.utils.register_class(kind)
