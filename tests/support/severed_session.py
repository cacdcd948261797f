# SPDX-License-Identifier: GPL-3.0-or-later
"""A session with a copy of the library that lacks its optional parts, in a fresh Python:

    severed_session.py FOLDER ROBOT

FOLDER holds the copy, as a library and within the extension `severed`. What was done is written,
line by line; any failure ends it with a traceback and an exit status that is not 0.
"""

import contextlib
import io
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def main(folder: Path, robot: str) -> None:
    """Does what needs no Blender, then what needs it, where there is one."""
    sys.path.insert(0, str(folder))
    library = import_module("urdf_importer")
    assert Path(str(library.__file__)).is_relative_to(folder)
    assert "morse" not in [each.name for each in library.writer_formats()]
    assert not hasattr(library, "no_such_name")
    check_absent(library)
    plan_and_export(library, folder, robot)
    use_command(import_module("urdf_importer.cli"), folder, robot)
    if find_spec("bpy") is not None:
        import_and_export(library, folder, robot)
        use_menus(import_module("severed"), folder)
    assert not any(name.startswith("urdf_importer_morse") for name in sys.modules)


def check_absent(library: Any) -> None:
    """All public names can be imported; those of absent parts name the way to them."""
    names: dict[str, Any] = {}
    exec("from urdf_importer import *", names)
    for name in ("write_builder_script", "MorseOptions", "check_morse_profile"):
        message = refusal_of(names[name])
        assert message == (
            f"{name} is in a part of the library that is not installed; all parts come with "
            "pip install 'urdf-importer[morse]'"
        )
    for module in ("urdf_importer.morse", "urdf_importer.morse.builder"):
        assert refusal_of(lambda module=module: import_module(module)) == (
            "urdf_importer.morse is a part of its own, which is not installed: "
            "pip install 'urdf-importer[morse]'"
        )
    sys.stdout.write("refused\n")


def refusal_of(use: Any) -> str:
    """The sentence with which what is not installed refuses to be used."""
    try:
        use()
    except ModuleNotFoundError as error:
        return str(error)
    raise AssertionError("it is there")


def plan_and_export(library: Any, folder: Path, robot: str) -> None:
    """Plans the rig in both profiles, and writes a PROTO."""
    described = library.read_robot(robot)
    for profile in ("native", "morse"):
        assert library.plan_rig(described, options=library.ImportOptions(profile=profile)).bones
    written = library.export_robot(described, folder / "Planned.proto")
    assert written.proto.is_file()
    try:
        library.export_robot(described, folder / "planned.py")
    except library.WriteError as error:
        assert "must end in .proto, .wbt, .urdf, .sdf, .glb" in str(error)
    else:
        raise AssertionError("something was written")
    sys.stdout.write("planned\n")


def use_command(cli: Any, folder: Path, robot: str) -> None:
    """Checks, exports, and finds no word of what is not there."""
    with contextlib.redirect_stderr(io.StringIO()) as said:
        assert run(cli, "check", robot, "--quiet") == 0
        assert run(cli, "export", robot, "-o", str(folder / "Said.proto")) == 0
        assert run(cli, "export", robot, "-o", str(folder / "said.py")) == 2
    assert "must end in .proto, .wbt, .urdf, .sdf, .glb, " in said.getvalue()
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        assert run(cli, "--help") == run(cli, "export", "--help") == 0
    assert "Webots" in shown.getvalue() and "MORSE" not in shown.getvalue()
    assert (folder / "Said.proto").is_file() and not (folder / "said.py").exists()
    sys.stdout.write("commanded\n")


def run(cli: Any, *arguments: str) -> int:
    """The exit status."""
    try:
        status: int = cli.main(arguments)
    except SystemExit as exit:
        return int(exit.code or 0)
    return status


def import_and_export(library: Any, folder: Path, robot: str) -> None:
    """Into Blender, in both profiles, and from there to a PROTO."""
    for profile in ("native", "morse"):
        library.new_file()
        result = library.import_robot(robot, options=library.ImportOptions(profile=profile))
        library.export_robot(result.armature, folder / f"{profile.title()}.proto")
        assert (folder / f"{profile.title()}.proto").is_file()
    sys.stdout.write("imported\n")


def use_menus(extension: Any, folder: Path) -> None:
    """Registers the operators; the menus offer what is there."""
    import bpy

    extension.register()
    exporters = extension.operators.exporting.operators.EXPORTERS
    names = ["webots", "urdf", "sdf", "robot_for_engines", "mjcf", "robot_for_ros2"]
    assert [each.bl_idname for each in exporters] == [f"export_scene.{name}" for name in names]
    assert bpy.ops.export_scene.webots(filepath=str(folder / "Shown.proto")) == {"FINISHED"}
    assert "morse_builder" not in dir(bpy.ops.export_scene)
    extension.unregister()
    assert "webots" not in dir(bpy.ops.export_scene)
    sys.stdout.write("shown\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
