# SPDX-License-Identifier: GPL-3.0-or-later
"""All operators of the extension, each called on a robot in somebody's scene: undo and, with and
without a saved file between, the removal of the robot leave that scene as it was."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.blender.operator_calls import (
    CALLS,
    LEGS,
    WINDOW,
    Call,
    clear_folders,
    close_servers,
    write_files,
)
from support.blender.rigs import new_scene
from support.blender.snapshots import list_data
from support.blender.whole_file import describe_file
from support.paths import ROOT
from window.surroundings import note_surroundings

# Blender's importer of BVH leaves its file open.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


_NAME = ".name_full"
_CALLERS = {
    *(f"import_scene.{name}" for name in ("urdf", "sdf", "simmechanics", "mjcf", "usd")),
    *("import_scene.urdf_again", "urdf.live_import", "urdf.choose_source"),
}
"""They leave the step of undo to another operator, which they call."""
_BLENDERS = (".particle_edit.object", ".tag")
"""Properties that Blender writes on its own."""
_CHOSEN = ("active", "selected")


@dataclass(frozen=True)
class Scenes:
    """Somebody's scene, without a robot and with each: what it was before, and files."""

    folder: Path
    before: dict[str, Any]


@pytest.fixture(scope="module")
def scenes(extension: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scenes]:
    folder = tmp_path_factory.mktemp("scenes") / "one"
    (folder / "out").mkdir(parents=True)
    write_files(folder)
    new_scene()
    _arrange()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "none.blend"))
    before = {}
    for name, path in (("rover", folder / "rover.urdf"), ("legs", LEGS)):
        _open(folder / "none.blend")
        before[name] = _note(extension)
        if name == "legs":
            _call("urdf.import_person", {"filepath": "@/walk_and_wave.bvh"}, folder)
            before[name] = _note(extension)
        assert bpy.ops.import_scene.urdf(filepath=str(path), visuals=name == "rover") == {
            "FINISHED"
        }
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{name}.blend"))
    yield Scenes(folder, before)
    clear_folders()
    close_servers()


def _arrange() -> None:
    """A scene unlike a new one."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 3, 40, 30
    scene.frame_set(5)
    scene.unit_settings.scale_length = 0.5
    bpy.ops.mesh.primitive_cube_add(location=(4.0, 0.0, 0.0))
    bpy.ops.object.camera_add(location=(0.0, -5.0, 1.0))
    scene.camera = bpy.context.object
    scene.world = bpy.data.worlds.new("Theirs")
    bpy.context.object.select_set(False)
    space = _view()["area"].spaces.active
    space.overlay.show_relationship_lines = False
    space.region_3d.view_distance = 7.0


def _view() -> dict[str, Any]:
    window = bpy.context.window_manager.windows[0]
    area = next(each for each in window.screen.areas if each.type == "VIEW_3D")
    region = next(each for each in area.regions if each.type == "WINDOW")
    return {"window": window, "area": area, "region": region}


def _open(path: Path) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=True)


def _note(extension: ModuleType) -> dict[str, Any]:
    """The surroundings, all data, handlers and timers, after what timers and the next redraw
    do."""
    bpy.context.view_layer.update()
    live = extension.urdf_importer.features.live.blender.live
    if bpy.app.timers.is_registered(live._tick):
        live._tick()
    extension.operators.kept_views._settle_soon()
    found = note_surroundings()
    found |= {f"data {kind}": names for kind, names in list_data().items()}
    whole = describe_file()
    found |= {name: value for name, value in whole.items() if "." in name or "[]" in name}
    for name in dir(bpy.app.handlers):
        moment = getattr(bpy.app.handlers, name)
        if isinstance(moment, list):
            found[f"handlers {name}"] = [f"{each.__module__}.{each.__name__}" for each in moment]
    added = extension.operators.registration._Added
    timers = extension.operators.session.session_state(added).timers
    found["timers"] = [each.__name__ for each in timers if bpy.app.timers.is_registered(each)]
    return {name: value for name, value in found.items() if not name.endswith(_BLENDERS)}


def _call(name: str, given: dict[str, Any], folder: Path) -> Any:
    family, _, short = name.partition(".")
    words = {
        key: value.replace("@", str(folder)) if isinstance(value, str) else value
        for key, value in given.items()
    }
    with bpy.context.temp_override(**_view()):
        return getattr(getattr(bpy.ops, family), short)(**words)


def _compare(before: dict[str, Any], after: dict[str, Any], *allowed: str) -> None:
    """Asserts that both are the same. Of data that one of them does not have the name is enough."""
    gone = {
        name.removesuffix(_NAME) for name in before.keys() ^ after.keys() if name.endswith(_NAME)
    }
    skipped = (*allowed, *(f"{each}." for each in gone if "/" in each))
    lost = [
        f"{name}: {before.get(name)} became {after.get(name)}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name) and not name.startswith(skipped)
    ]
    assert not lost, "\n".join(lost)


def _is_step(name: str) -> bool:
    """Whether an operator makes a step of undo; some leave it to another that they call."""
    family, _, short = name.partition(".")
    kind = getattr(bpy.types, f"{family.upper()}_OT_{short}")
    return "UNDO" in getattr(kind, "bl_options", ()) or name in _CALLERS


@pytest.mark.parametrize("name", CALLS)
def test_undo_and_removal_leave_the_scene_as_it_was(
    extension: ModuleType, scenes: Scenes, name: str
) -> None:
    call, folder = CALLS[name], scenes.folder
    _open(folder / f"{call.robot}.blend")
    for step in call.before:
        if callable(step):
            step()
        else:
            assert _call(*step, folder) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="before")
    before = _note(extension)
    assert _call(name, call.given, folder) == {call.result}
    if _is_step(name):
        bpy.ops.ed.undo_push(message="called")
        bpy.ops.ed.undo()
        _compare(before, _note(extension), *call.stays)
        bpy.ops.ed.redo()
    else:
        _compare(before, _note(extension), *call.stays)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "saved.blend"))
    _remove_robots(call)
    _compare(scenes.before[call.robot], _note(extension), *_CHOSEN, *call.stays, *call.remains)
    _open(folder / "saved.blend")
    _remove_robots(call)
    _compare(scenes.before[call.robot], _note(extension), *_CHOSEN, *call.stays, *call.remains)


def _remove_robots(call: Call) -> None:
    bpy.context.view_layer.update()
    while robots := [each for each in bpy.context.scene.objects if "urdf_robot" in each]:
        bpy.context.view_layer.objects.active = robots[0]
        assert bpy.ops.urdf.delete_robot() == {"FINISHED"}
    if call.away:
        assert _call(call.away, {}, Path()) == {"FINISHED"}


def test_every_operator_is_called_here_or_in_a_window(extension: ModuleType) -> None:
    """A new operator gets a line in CALLS, or a play of tests/window and a line in WINDOW."""
    found = {
        kind.bl_idname
        for kind in _all_below(bpy.types.Operator)
        if kind.__module__.startswith(f"{extension.__name__}.") and kind.is_registered
    }
    assert found == CALLS.keys() | WINDOW.keys() and not CALLS.keys() & WINDOW.keys()
    plays = "".join(path.read_text() for path in (ROOT / "tests" / "window").glob("*.py"))
    assert all(f"def {play}(driver" in plays for play in WINDOW.values())


def _all_below(kind: type) -> Iterator[Any]:
    for child in kind.__subclasses__():
        yield child
        yield from _all_below(child)
