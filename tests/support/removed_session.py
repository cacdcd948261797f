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
from importlib import import_module
from pathlib import Path
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
        use_extension(import_module("left"), robot)


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


def use_extension(extension: Any, robot: str) -> None:
    """Registers the operators, imports and goes."""
    import bpy

    extension.register()
    assert bpy.ops.import_scene.urdf(filepath=robot) == {"FINISHED"}
    extension.unregister()
    assert "urdf" not in dir(bpy.ops.import_scene)
    sys.stdout.write("registered\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
