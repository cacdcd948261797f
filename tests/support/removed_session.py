# SPDX-License-Identifier: GPL-3.0-or-later
"""A session with a copy of the checkout that lacks formats or features, in a fresh Python:

    removed_session.py FOLDER ROBOT STEP...

FOLDER holds the copy as the extension `left`, with the library in it. Each step that was done is
written as a line; what needs Blender is done where it is among the steps. Any failure ends the
session with a traceback and an exit status that is not 0.
"""

import contextlib
import io
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

run = import_module("severed_session").run
"""The exit status of a command; both are scripts, which find each other in their folder."""


def main(folder: Path, robot: str, *steps: str) -> None:
    """Does what needs no Blender, then what needs it, where there is one."""
    sys.path[:0] = [str(folder), str(folder / "left")]
    library = import_module("urdf_importer")
    assert Path(str(library.__file__)).is_relative_to(folder)
    exec("from urdf_importer import *", {})
    described = library.read_robot(robot)
    assert library.plan_rig(described).bones
    library.export_robot(described, folder / "read.urdf")
    sys.stdout.write("planned\n")
    use_command(import_module("urdf_importer.cli"), folder, robot)
    if "posed" in steps:
        use_blender(library, folder, robot)
    if "registered" in steps:
        use_extension(import_module("left"), folder, robot)


def use_command(cli: Any, folder: Path, robot: str) -> None:
    """Checks, exports and converts, and shows its commands."""
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        assert run(cli, "--help") == run(cli, "import", "--help") == 0
    assert "check" in shown.getvalue()
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        for words in (("check", robot), ("export", robot, "-o", str(folder / "said.urdf"))):
            assert run(cli, *words, "--quiet") == 0, said.getvalue()
    assert (folder / "said.urdf").is_file()
    sys.stdout.write("commanded\n")


def use_blender(library: Any, folder: Path, robot: str) -> None:
    """Imports, poses, updates, exports and removes."""
    library.new_file()
    armature = library.import_robot(robot).armature
    name = next(iter(library.get_joint_positions(armature)))
    library.set_joint_positions(armature, {name: 0.1})
    assert abs(library.get_joint_positions(armature)[name] - 0.1) < 1e-6
    library.export_robot(armature, folder / "posed.urdf")
    library.save_blend(folder / "posed.blend")
    assert library.update_robot(armature)
    library.delete_robot(library.duplicate_robot(armature))
    sys.stdout.write("posed\n")


def use_extension(extension: Any, folder: Path, robot: str) -> None:
    """Registers the operators, imports, poses, draws every panel and menu, exports and goes."""
    import bpy

    before = set(dir(bpy.types))
    extension.register()
    assert bpy.ops.import_scene.urdf(filepath=robot) == {"FINISHED"}
    assert bpy.ops.urdf.random_pose(seed=1) == {"FINISHED"}
    area = next(each for each in bpy.context.window.screen.areas if each.type == "VIEW_3D")
    sidebar = next(each for each in area.regions if each.type == "UI")
    with bpy.context.temp_override(area=area, region=sidebar):
        drawn = set(draw_all(f"{extension.__name__}."))
    assert {"VIEW3D_PT_urdf_joints", "VIEW3D_PT_urdf_look", "VIEW3D_MT_urdf_robot"} <= drawn
    output = folder / "registered.urdf"
    assert bpy.ops.export_scene.urdf(filepath=str(output)) == {"FINISHED"}
    assert output.is_file()
    extension.unregister()
    assert {name for name in set(dir(bpy.types)) - before if "urdf" in name.lower()} == set()
    sys.stdout.write("registered\n")


def draw_all(home: str) -> Iterator[str]:
    """Draws the panels and menus of modules under `home` that are there in this context; yields
    their names."""
    import bpy

    for base in (bpy.types.Panel, bpy.types.Menu):
        for kind in base.__subclasses__():
            ours = kind.__module__.startswith(home)
            if ours and getattr(kind, "poll", lambda context: True)(bpy.context):
                for name in ("draw_header", "draw_header_preset", "draw"):
                    draw = getattr(kind, name, None)
                    if draw is not None:
                        draw(SimpleNamespace(layout=Layout()), bpy.context)
                yield kind.bl_idname


class Layout:
    """A layout that draws nothing, and refuses what Blender's would not find."""

    def __getattr__(self, name: str) -> Any:
        if name not in ("row", "column", "box", "split", "grid_flow", "menu_pie"):
            return lambda *words, **shown: None
        return lambda *words, **shown: self

    def operator(self, name: str, *words: str, **shown: Any) -> Any:
        family, _, operator = name.partition(".")
        find_type(f"{family.upper()}_OT_{operator}")
        return SimpleNamespace()

    operator_menu_enum = operator

    def menu(self, name: str, **shown: Any) -> None:
        find_type(name)

    def prop(self, owner: Any, name: str, **shown: Any) -> None:
        getattr(owner, name)

    def panel(self, name: str, **shown: Any) -> tuple["Layout", "Layout"]:
        return self, self

    def template_list(self, name: str, *data: Any, **shown: Any) -> None:
        find_type(name)


def find_type(name: str) -> None:
    """Fails where no class of this name is registered."""
    import bpy

    assert hasattr(bpy.types, name), name


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
