# SPDX-License-Identifier: GPL-3.0-or-later
"""People in files that Blender itself wrote, by the library and by the command."""

import math

import bpy
import numpy as np
import pytest

from support.blender.rigs import new_scene
from support.people import SAMPLE
from support.real_robots import ROOT
from urdf_importer import Diagnostics, ReadError, read_robot, read_trajectory, retarget
from urdf_importer.cli import main
from urdf_importer.features.retargeting.retarget import open_person

SAMPLES = SAMPLE.parent
LEGS = ROOT / "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf"
_WRITERS = {
    "fbx": lambda path: bpy.ops.export_scene.fbx(filepath=path, use_selection=True),
    "glb": lambda path: bpy.ops.export_scene.gltf(filepath=path, use_selection=True),
    "blend": lambda path: bpy.ops.wm.save_as_mainfile(filepath=path, copy=True),
}

# Blender's importer of BVH leaves its file open, and glTF's says what it does.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The sample as Mixamo's people are: other names, turned, small below a large empty."""
    new_scene()
    folder = tmp_path_factory.mktemp("people")
    person = open_person(str(SAMPLE))
    for bone in person.data.bones:
        bone.name = f"mixamorig:{bone.name}"
    above = bpy.data.objects.new("above", None)
    bpy.context.collection.objects.link(above)
    above.scale, above.rotation_euler = (0.01,) * 3, (math.pi / 2, 0.0, 0.0)
    person.parent, person.scale = above, (100.0,) * 3
    person.rotation_euler = (-math.pi / 2, 0.0, 0.0)
    bpy.context.scene.frame_end = 270
    for item in bpy.context.scene.objects:
        item.select_set(item in (person, above))
    for suffix, write in _WRITERS.items():
        write(str(folder / f"person.{suffix}"))
    return folder


@pytest.fixture(scope="module")
def expected():
    return retarget(SAMPLE, read_robot(LEGS), diagnostics=Diagnostics()).trajectory


@pytest.mark.parametrize("suffix", ["fbx", "glb", "blend"])
def test_people_of_other_files_move_as_those_of_bvh(files, expected, suffix):
    new_scene()
    person = open_person(str(files / f"person.{suffix}"))
    found = retarget(person, read_robot(LEGS), diagnostics=Diagnostics()).trajectory
    assert found.times[-1] == pytest.approx(expected.times[-1], abs=0.05)
    # Files of seconds begin between two frames, and come at the scene's 24 frames, not 30.
    most = math.radians(4.0 if suffix == "glb" else 2.0)
    shifts = np.linspace(-0.05, 0.05, 21)
    assert min(_compare(expected, found, shift) for shift in shifts) < most
    assert len(bpy.data.scenes) == 1


def _compare(one, other, shift):
    """Returns the angle that 95 of 100 positions keep."""
    columns = [other.positions[:, other.names.index(name)] for name in one.names]
    moved = [np.interp(one.times + shift, other.times, column) for column in columns]
    return np.percentile(np.abs(np.stack(moved, axis=1) - one.positions), 95)


@pytest.mark.parametrize("suffix", ["fbx", "glb", "blend"])
def test_the_command_reads_them(files, tmp_path, suffix, capsys):
    out = tmp_path / "walk.csv"
    motion = str(files / f"person.{suffix}")
    assert main(["retarget", str(LEGS), motion, "-o", str(out)]) == 0
    read = read_trajectory(out, diagnostics=Diagnostics())
    assert read.times[-1] == pytest.approx(269 / 30, abs=0.05)
    assert "mixamorig:LeftUpLeg > mixamorig:LeftLeg" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["fbx", "glb", "blend"])
def test_damaged_files_are_one_sentence(files, tmp_path, suffix, capsys):
    whole = (files / f"person.{suffix}").read_bytes()
    for size in (0, 10, len(whole) // 2):
        path = tmp_path / f"cut.{suffix}"
        path.write_bytes(whole[:size])
        new_scene()
        before = set(bpy.data.objects)
        with pytest.raises(ReadError) as caught:
            open_person(str(path))
        assert "\n" not in str(caught.value)
        assert set(bpy.data.objects) == before
    out = tmp_path / "walk.csv"
    assert main(["retarget", str(LEGS), str(path), "-o", str(out)]) == 1
    assert not out.exists()
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["bvh", "glb", "blend"])
@pytest.mark.parametrize("name", ["walk.blend", "walk.csv"])
def test_errors_name_the_file_of_the_person(files, tmp_path, suffix, name, capsys):
    person = str(SAMPLE if suffix == "bvh" else files / f"person.{suffix}")
    arm = str(SAMPLES / "gripper.urdf")
    assert main(["retarget", arm, person, "-o", str(tmp_path / name)]) == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"{person}: error: ")
    assert list(tmp_path.iterdir()) == []


def test_the_scene_gets_the_frames_a_second_that_the_command_gives(tmp_path):
    out = tmp_path / "walk.blend"
    assert main(["retarget", str(LEGS), str(SAMPLE), "-o", str(out), "--fps", "60"]) == 0
    render = bpy.context.scene.render
    assert render.fps / render.fps_base == pytest.approx(60.0)
    assert bpy.context.scene.frame_end >= 269
