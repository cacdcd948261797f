# SPDX-License-Identifier: GPL-3.0-or-later
"""Importing into scenes where something is going on: modes, other robots, undo, several files."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.blender.rigs import new_scene
from support.blender.snapshots import describe_object, describe_scene, list_data
from support.paths import ROOT
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    import_robot,
    import_steps,
    read_robot,
    set_joint_positions,
)

GRIPPER = str(ROOT / "sample_urdfs" / "gripper.urdf")
MESSY = str(ROOT / "sample_urdfs" / "messy.urdf")
ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")

pytestmark = pytest.mark.usefixtures("extension", "scene")


# Modes


def _edit_two_meshes() -> None:
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.mode_set(mode="EDIT")


def _edit_what_is_not_selected() -> None:
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.object.select_set(False)


def _pose_a_robot() -> None:
    import_robot(ARM)
    bpy.ops.object.mode_set(mode="POSE")


def _sculpt() -> None:
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.object.mode_set(mode="SCULPT")


def _hide_what_is_edited() -> None:
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.object.hide_set(True)


def _exclude_the_active_collection() -> None:
    collection = bpy.data.collections.new("Elsewhere")
    bpy.context.scene.collection.children.link(collection)
    layer = bpy.context.view_layer.layer_collection.children["Elsewhere"]
    bpy.context.view_layer.active_layer_collection = layer
    layer.exclude = True


def _select_without_active() -> None:
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.view_layer.objects.active = None


def _nothing() -> None:
    pass


SITUATIONS: list[Callable[[], None]] = [
    _edit_two_meshes,
    _edit_what_is_not_selected,
    _pose_a_robot,
    _sculpt,
    _hide_what_is_edited,
    _exclude_the_active_collection,
    _select_without_active,
    _nothing,
]
REVERSIBLE = [arrange for arrange in SITUATIONS if arrange is not _hide_what_is_edited]


def _standing() -> Any:
    objects = bpy.context.view_layer.objects
    return (
        [(each.name, each.mode, each.select_get()) for each in objects],
        objects.active and objects.active.name,
        list_data(),
    )


@pytest.mark.parametrize("arrange", SITUATIONS)
def test_a_robot_can_be_imported_in_any_situation(arrange: Callable[[], None]) -> None:
    arrange()
    before = set(bpy.data.objects)
    assert bpy.ops.import_scene.urdf(filepath=GRIPPER) == {"FINISHED"}
    active = bpy.context.view_layer.objects.active
    assert active.type == "ARMATURE" and active not in before and active.visible_get()
    assert list(bpy.context.view_layer.objects.selected) == [active]
    assert bpy.context.mode == "OBJECT"


@pytest.mark.parametrize("arrange", REVERSIBLE)
def test_taking_it_back_leaves_what_the_user_was_doing(arrange: Callable[[], None]) -> None:
    count = len(list(import_steps(GRIPPER)))
    for stop in range(count + 1):
        new_scene()
        arrange()
        before = _standing()
        steps = import_steps(GRIPPER)
        for _ in range(stop):
            next(steps)
        steps.close()
        assert _standing() == before, f"closed at step {stop} of {count}"


def test_the_last_step_is_the_one_with_all_shares() -> None:
    shares = [progress.share for progress in import_steps(GRIPPER)]
    assert shares == sorted(shares) and shares[-1] == 1 and shares.count(1) == 1


# Other robots


def test_a_second_import_does_not_touch_the_first() -> None:
    bpy.ops.import_scene.urdf(filepath=GRIPPER)
    first = {shown: describe_object(shown) for shown in bpy.context.scene.objects}
    bpy.ops.import_scene.urdf(filepath=GRIPPER)
    for shown, described in first.items():
        now = describe_object(shown)
        assert now | {"selected": described["selected"]} == described
    second = set(bpy.context.scene.objects) - set(first)
    assert len(second) == len(first)
    for shown in second:
        assert shown.parent not in first
        for curve in shown.animation_data.drivers if shown.animation_data else ():
            targets = [t.id for variable in curve.driver.variables for t in variable.targets]
            assert targets and not set(targets) & set(first)


def test_robots_in_one_scene_move_on_their_own() -> None:
    armatures = [import_robot(GRIPPER).armature for _ in range(2)]
    bpy.context.view_layer.update()
    still = [_places(armature) for armature in armatures]
    joint = next(
        joint["name"]
        for bone in armatures[0].data.bones
        for joint in bone.get("urdf_joints", ())
        if not joint.get("mimics")
    )
    set_joint_positions(armatures[0], {joint: 0.01})
    bpy.context.view_layer.update()
    assert _places(armatures[0]) != still[0] and _places(armatures[1]) == still[1]


def _places(armature: Any) -> list[Any]:
    return [tuple(map(tuple, child.matrix_world)) for child in armature.children_recursive]


# Undo


def test_undo_and_redo_are_one_step() -> None:
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.ed.undo_push(message="before")
    before = (describe_scene(), list_data())
    bpy.ops.import_scene.urdf(filepath=GRIPPER)
    bpy.ops.ed.undo_push(message="import")
    after = (describe_scene(), list_data())
    for _ in range(2):
        bpy.ops.ed.undo()
        assert (describe_scene(), list_data()) == before
        bpy.ops.ed.redo()
        assert (describe_scene(), list_data()) == after


# Several files


def _write(folder: Path, **contents: str) -> list[dict[str, str]]:
    for name, content in contents.items():
        (folder / f"{name}.urdf").write_text(content)
    return [{"name": f"{name}.urdf"} for name in contents]


def _robot(name: str) -> str:
    return f'<robot name="{name}"><link name="base"/></robot>'


def test_several_files_become_several_robots(tmp_path: Path) -> None:
    files = _write(tmp_path, one=_robot("one"), two=_robot("two"))
    done = bpy.ops.import_scene.urdf(directory=str(tmp_path), files=files)
    assert done == {"FINISHED"}
    assert {each.name for each in bpy.context.selected_objects} == {"one", "two"}
    shown = describe_scene()
    new_scene()
    for name in ("one", "two"):
        import_robot(tmp_path / f"{name}.urdf", options=ImportOptions(sensors=True))
    bpy.data.objects["one"].select_set(True)
    assert shown == describe_scene()


def test_a_bad_file_among_several_is_named_and_the_others_are_there(tmp_path: Path) -> None:
    files = _write(tmp_path, bad="<robot", one=_robot("one"), worse="", two=_robot("two"))
    with pytest.raises(RuntimeError, match=r"2 of 4 descriptions could not .*bad\.urdf"):
        bpy.ops.import_scene.urdf(directory=str(tmp_path), files=files)
    armatures = {each.name for each in bpy.data.objects if each.type == "ARMATURE"}
    assert armatures == {"one", "two"}
    lines = bpy.data.texts["URDF import failure"].as_string().splitlines()
    assert [Path(line.split(": ")[1].split(":")[0]).name for line in lines] == [
        "bad.urdf",
        "worse.urdf",
    ]


def test_a_failure_text_has_what_came_up_before() -> None:
    with pytest.raises(RuntimeError, match="max_links"):
        bpy.ops.import_scene.urdf(filepath=MESSY, max_links=2)
    assert not bpy.data.objects
    lines = bpy.data.texts["URDF import failure"].as_string().splitlines()
    diagnostics = Diagnostics(MESSY)
    read_robot(MESSY, diagnostics=diagnostics)
    assert diagnostics and lines[:-1] == [str(item) for item in diagnostics]
    assert lines[-1].startswith("not imported: ")


def test_a_job_that_is_closed_leaves_nothing_of_any_file(
    tmp_path: Path, extension: ModuleType
) -> None:
    _write(tmp_path, one=_robot("one"), two=_robot("two"))
    bpy.ops.mesh.primitive_cube_add()
    before = _standing()
    for stop in range(100):
        batch = _batch(extension, tmp_path / "one.urdf", tmp_path / "two.urdf")
        finished = False
        for _ in range(stop):
            finished = next(batch.steps, None) is None
        batch.steps.close()
        if finished:
            break
        assert _standing() == before and not batch.results
    assert finished and {"one", "two"} <= set(bpy.data.objects.keys())
    assert [result.robot.name for result in batch.results] == ["one", "two"]


def _batch(extension: ModuleType, *paths: Path) -> Any:
    jobs = [extension.urdf_importer.core.command.jobs.ImportJob(input=str(path)) for path in paths]
    return extension.operators.importing.import_batch.ImportBatch(jobs)


def test_what_replaces_all_data_stops_a_running_import(extension: ModuleType) -> None:
    module = extension.operators.stepping
    for replace in (bpy.ops.wm.read_homefile, _undo):
        bpy.ops.ed.undo_push(message="before")
        batch = _batch(extension, Path(GRIPPER))
        run = module.RunningSteps(bpy.context, batch.steps, "Importing")
        while not any(each.type == "ARMATURE" for each in bpy.data.objects):
            next(batch.steps)
        assert module.is_busy() and not bpy.ops.import_scene.urdf.poll()
        replace()
        assert not run.running and not module.is_busy()
        assert not any(each.type == "ARMATURE" for each in bpy.data.objects)
        assert bpy.ops.import_scene.urdf.poll()


def _undo() -> None:
    bpy.ops.ed.undo_push(message="by another window")
    bpy.ops.ed.undo()


def test_an_import_runs_in_slices_to_its_end(extension: ModuleType) -> None:
    batch = _batch(extension, Path(GRIPPER))
    run = extension.operators.stepping.RunningSteps(bpy.context, batch.steps, "Importing")
    while run.advance():
        pass
    assert not run.running and len(batch.results) == 1


def test_it_is_said_how_to_get_a_robot(extension: ModuleType) -> None:
    """Not while one comes in, and not beside an instance, which has its own button."""
    needs_hint = extension.operators.sidebar.panel.needs_hint
    assert needs_hint(bpy.context)
    batch = _batch(extension, Path(GRIPPER))
    run = extension.operators.stepping.RunningSteps(bpy.context, batch.steps, "Importing")
    assert not needs_hint(bpy.context)
    run.stop()
    assert needs_hint(bpy.context)
    assert bpy.ops.import_scene.urdf(filepath=GRIPPER) == {"FINISHED"}
    maker = bpy.data.objects.new("instance", None)
    bpy.context.collection.objects.link(maker)
    maker.instance_type = "COLLECTION"
    maker.instance_collection = bpy.context.object.users_collection[0]
    bpy.context.view_layer.objects.active = maker
    assert not needs_hint(bpy.context)


# Where it cannot be


def test_a_linked_scene_says_why_not(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bpy.data.scenes[0].name = "Theirs"
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    new_scene()
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.scenes = ["Theirs"]
    bpy.context.window.scene = wanted.scenes[0]
    assert not bpy.ops.import_scene.urdf.poll()
    with pytest.raises(RuntimeError, match="linked from another file"):
        bpy.ops.import_scene.urdf(filepath=ARM)


def test_without_a_file_it_says_so() -> None:
    with pytest.raises(RuntimeError, match="no file is chosen"):
        bpy.ops.import_scene.urdf()
