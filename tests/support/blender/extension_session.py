# SPDX-License-Identifier: GPL-3.0-or-later
"""A session of a user with the extension zip; test_extension_zip.py runs it in a fresh Blender:

    extension_session.py install|installed ZIP ROBOT

Blender is a module or a program, and the profile is empty; with `installed` the extension is there
already. Any failure ends it with a traceback and an exit status that is not 0.
"""

import importlib.util
import os
import sys
import threading
from pathlib import Path
from typing import Any

EXTENSION = "bl_ext.user_default.urdf_importer"
BROUGHT = ("xacro", "ruamel.yaml")
"""Modules of the zip's wheels that importing xacro and YAML loads."""
ABSENT = ("stl", "collada")
"""Modules that the Python package requires, and the extension does without."""


def main(how: str, archive: str, robot: str) -> None:
    sys.addaudithook(refuse_network)
    before = None
    if how == "install":
        before = describe_interface()
        install(archive)
    check_enabled()
    process = describe_process()
    import_robot(robot)
    assert describe_process() == process
    check_libraries()
    check_builder_scripts()
    check_stage()
    assert describe_process() == process
    check_policy()
    toggle(before)
    import_robot(robot)
    uninstall()
    if before is not None:
        assert describe_interface() == before


def refuse_network(event: str, arguments: Any) -> None:
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        raise RuntimeError(f"{event} {arguments}: the network is used")


def install(archive: str) -> None:
    import bpy

    done = bpy.ops.extensions.package_install_files(
        filepath=archive, repo="user_default", enable_on_install=True
    )
    assert done == {"FINISHED"}, done


def check_enabled() -> None:
    import bpy

    addon = bpy.context.preferences.addons.get(EXTENSION)
    assert addon is not None and addon.preferences is not None
    assert len(addon.preferences.package_folders) == 0
    assert "urdf" in dir(bpy.ops.import_scene)


def import_robot(path: str) -> None:
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True)
    assert bpy.ops.import_scene.urdf(filepath=path) == {"FINISHED"}
    texts = {text.name: text.as_string() for text in bpy.data.texts}
    assert not texts, f"there are diagnostics: {texts}"
    links = {each.name for each in bpy.data.objects if each.type == "EMPTY"}
    assert {"base", "from_stl", "from_dae_0", "from_dae_1"} <= links, links
    counts = {len(each.polygons) for each in bpy.data.meshes}
    assert {1, 6} <= counts, f"the STL has 1 face, the COLLADA 6; there are {counts}"


def check_stage() -> None:
    """A stage of USD comes in where this Blender has the library pxr; elsewhere a sentence says
    that it has not, as in Blenders of distributions."""
    import bpy

    library = importlib.import_module(f"{EXTENSION}.urdf_importer")
    process = importlib.import_module(f"{EXTENSION}.urdf_importer.formats.usd.stages.process")
    (armature,) = (each for each in bpy.data.objects if each.type == "ARMATURE")
    written = os.path.join(profile(), "stage.usda")
    library.export_robot(armature, written, options=library.EngineOptions(engine="isaac"))
    bpy.ops.wm.read_homefile(use_empty=True)
    if process.find_pxr() is not None:
        assert bpy.ops.import_scene.urdf(filepath=written) == {"FINISHED"}
        assert any(each.type == "ARMATURE" for each in bpy.data.objects)
        return
    try:
        library.read_robot(written)
    except library.ReadError as error:
        assert "needs the library pxr" in str(error)
    else:
        raise AssertionError("a stage was read without pxr")


def check_libraries() -> None:
    """They come from the wheels, not from this machine."""
    for name in BROUGHT:
        found = importlib.util.find_spec(name)
        file = None if found is None else found.origin
        assert file is not None and is_within(file, os.path.join(profile(), "extensions")), file
    for name in ABSENT:
        assert importlib.util.find_spec(name) is None, f"{name} is of this machine"


def describe_process() -> tuple[Any, ...]:
    """What of the process extensions leave alone: path, environment, threads."""
    return sys.path.copy(), dict(os.environ), threading.active_count()


def check_builder_scripts() -> None:
    """They are written, and not run."""
    import bpy

    morse = importlib.import_module(f"{EXTENSION}.urdf_importer.formats.morse")
    library = importlib.import_module(f"{EXTENSION}.urdf_importer")
    written = os.path.join(profile(), "builder.py")
    assert bpy.ops.export_scene.morse_builder(filepath=written) == {"FINISHED"}
    assert os.path.getsize(written) > 1000
    for use in (morse.enable, lambda: morse.URDFRobot, morse.forget_components):
        try:
            use()
        except library.BuildError as error:
            assert "does not run them" in str(error)
        else:
            raise AssertionError("a builder script would run")


def check_policy() -> None:
    import addon_utils

    warnings = addon_utils._extensions_warnings_get()
    assert EXTENSION in sys.modules
    assert not {name: each for name, each in warnings.items() if each}, warnings


def toggle(before: Any) -> None:
    """Off and on, and on again where it is on."""
    import addon_utils
    import bpy

    for _ in range(2):
        enabled = describe_interface()
        assert bpy.ops.preferences.addon_disable(module=EXTENSION) == {"FINISHED"}
        disabled = describe_interface()
        ours = {entry for entry in disabled if EXTENSION in repr(entry)}
        assert not ours, ours
        assert before is None or disabled == before, disabled ^ before
        assert bpy.ops.preferences.addon_enable(module=EXTENSION) == {"FINISHED"}
        assert describe_interface() == enabled
        assert bpy.ops.preferences.addon_enable(module=EXTENSION) == {"FINISHED"}
        assert addon_utils.enable(EXTENSION, default_set=True) is not None
        assert describe_interface() == enabled
    menu = bpy.types.TOPBAR_MT_file_import.draw._draw_funcs
    assert sum(EXTENSION in draw.__module__ for draw in menu) == 1


def uninstall() -> None:
    import bpy

    repos = bpy.context.preferences.extensions.repos
    index = next(i for i, repo in enumerate(repos) if repo.module == "user_default")
    bpy.ops.extensions.package_uninstall(repo_index=index, pkg_id="urdf_importer")
    assert EXTENSION not in bpy.context.preferences.addons
    assert "urdf" not in dir(bpy.ops.import_scene)
    folder = Path(profile(), "extensions")
    assert not (folder / "user_default" / "urdf_importer").exists()
    assert not [
        each for name in ("ruamel", "xacro") for each in folder.rglob(f"{name}/__init__.py")
    ]


def describe_interface() -> set[tuple[str, ...]]:
    """What extensions add to Blender: classes, operators, properties of its types, menu entries
    and handlers."""
    import bpy

    found: set[tuple[str, ...]] = {("type", name) for name in dir(bpy.types)}
    for module in dir(bpy.ops):
        found |= {("operator", module, name) for name in dir(getattr(bpy.ops, module))}
    for name in ("WindowManager", "Scene", "Object", "Armature", "Bone", "PoseBone", "Action"):
        kind = getattr(bpy.types, name)
        found |= {("attribute", name, each) for each in dir(kind)}
        found |= {("property", name, each.identifier) for each in kind.bl_rna.properties}
    for name in dir(bpy.types):
        drawn = getattr(getattr(getattr(bpy.types, name), "draw", None), "_draw_funcs", ())
        entries = {("entry", name, str(draw.__module__), str(draw.__name__)) for draw in drawn}
        # Blender's own comes into the list when the first entry is added, and stays there.
        found |= {entry for entry in entries if entry[2].partition(".")[0] != "bl_ui"}
    for name in dir(bpy.app.handlers):
        handlers = getattr(bpy.app.handlers, name)
        if isinstance(handlers, list):
            found |= {("handler", name, each.__module__, each.__name__) for each in handlers}
    return found


def profile() -> str:
    return os.environ["BLENDER_USER_RESOURCES"]


def is_within(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


if __name__ == "__main__":
    # A program has its own arguments first.
    main(*sys.argv[-3:])
