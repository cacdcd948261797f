# SPDX-License-Identifier: GPL-3.0-or-later
"""A context without a scene, which file handlers of collection importers meet in Blender 5.3 as a
module: all operators, drops and handlers say so or do nothing. Blender crashes where one asks such
a context for its view layer or its collection."""

import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.blender.fixtures import EXTENSION
from support.paths import ROOT
from urdf_importer import find_robots, import_robot

ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")

pytestmark = pytest.mark.usefixtures("extension", "scene")


def list_classes(extension: ModuleType, base: type[Any]) -> list[type[Any]]:
    """The registered classes of the extension of a kind."""
    home = f"{extension.__name__}."
    found = [each for each in base.__subclasses__() if each.__module__.startswith(home)]
    return [each for each in found if each.is_registered]


def test_importing_operators_refuse_in_a_sentence(extension: ModuleType) -> None:
    """Their polls alone: Blender's own way from Python to an operator would crash."""
    classes = list_classes(extension, bpy.types.Operator)
    importers = {each.bl_idname.rpartition(".")[2]: each for each in classes
                 if each.bl_idname.startswith("import_scene.")}  # fmt: skip
    with bpy.context.temp_override(scene=None):
        assert bpy.context.scene is None
        for name in importers:
            assert not getattr(bpy.ops.import_scene, name).poll()
        for name in ("urdf", "sdf", "mjcf", "usd", "simmechanics", "urdf_run"):
            said = importers[name].why_disabled(bpy.context)
            assert said == "There is no scene to import into"


IMPORTER = """
import os, sys
import bpy, addon_utils
addon_utils.enable(sys.argv[1], default_set=True, persistent=True)
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
collection = bpy.data.collections.new("Robot")
bpy.context.scene.collection.children.link(collection)
layer = bpy.context.view_layer
layer.active_layer_collection = layer.layer_collection.children["Robot"]
added = bpy.ops.collection.importer_add(name="IO_FH_urdf", filepath=sys.argv[2])
assert added == {"FINISHED"} and collection.importer.filepath == sys.argv[2]
done = bpy.ops.collection.importer_import()
assert done == {"CANCELLED"} and len(bpy.data.objects) == 0 and bpy.context.scene is None
print("in peace", flush=True)
os._exit(0)
"""


@pytest.mark.skipif(bpy.app.version < (5, 3), reason="Blender has no importers of collections")
def test_an_importer_of_a_collection_ends_in_peace() -> None:
    """It takes our file handler. In the module it imports nothing, by Blender's own handlers
    neither, and leaves scripts without a scene: Blender crashes whatever they do next."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTER, EXTENSION, ARM], capture_output=True, text=True
    )
    assert done.returncode == 0 and "in peace" in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_robots_do_not_enter_the_active_collection() -> None:
    """That of an importer can take none."""
    collection = bpy.data.collections.new("Robot")
    bpy.context.scene.collection.children.link(collection)
    layer = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection.children["Robot"]
    if bpy.app.version >= (5, 3):
        bpy.ops.collection.importer_add(name="IO_FH_urdf", filepath=ARM)
    assert bpy.ops.import_scene.urdf(filepath=ARM) == {"FINISHED"}
    assert not collection.all_objects and len(find_robots()) == 1


@pytest.mark.skipif(bpy.app.version < (5, 2), reason="Blender crashes where it leaves a mode so")
def test_a_robot_is_imported_without_window_and_area() -> None:
    with bpy.context.temp_override(window=None, area=None):
        assert bpy.context.window is None and bpy.context.area is None
        assert bpy.ops.import_scene.urdf(filepath=ARM) == {"FINISHED"}
    assert [item.type for item in bpy.context.scene.objects].count("ARMATURE") == 1


@pytest.mark.parametrize("robots", [0, 1])
def test_all_polls_answer(
    robots: int, extension: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(robots):
        import_robot(ARM)
    classes = list_classes(extension, bpy.types.Operator)
    assert len(classes) > 80
    capfd.readouterr()
    with bpy.context.temp_override(scene=None):
        for each in classes:
            module, name = each.bl_idname.split(".")
            assert getattr(getattr(bpy.ops, module), name).poll() in (True, False)
        for kind in (bpy.types.Panel, bpy.types.Menu, bpy.types.UIList):
            for each in list_classes(extension, kind):
                if "poll" in dir(each):
                    assert each.poll(bpy.context) in (True, False)
        for each in list_classes(extension, bpy.types.FileHandler):
            assert each.poll_drop(bpy.context) in (True, False)
    said = capfd.readouterr()
    assert "Traceback" not in said.out + said.err


def list_handlers(extension: ModuleType) -> Iterator[Any]:
    for name in dir(bpy.app.handlers):
        functions = getattr(bpy.app.handlers, name)
        for each in functions if isinstance(functions, list) else ():
            if each.__module__.startswith((extension.__name__, "urdf_importer")):
                yield each


def test_handlers_do_their_work(extension: ModuleType) -> None:
    import_robot(ARM)
    graph = bpy.context.evaluated_depsgraph_get()
    functions = list(dict.fromkeys(list_handlers(extension)))
    assert {each.__name__ for each in functions} >= {"_forget_all", "_begin_file", "_mend_all"}
    scene = bpy.context.scene
    with bpy.context.temp_override(scene=None):
        for each in functions:
            each(scene, graph)
