# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's preferences."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.blender.rigs import new_scene
from support.paths import ROOT
from urdf_importer import ImportOptions, PlacementOptions

ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")
DEFAULTS = [
    field
    for field in (*fields(PlacementOptions), *fields(ImportOptions))
    if field.metadata["group"] != "Files" and not field.name.endswith("parameters")
]


@pytest.fixture
def preferences(extension: ModuleType) -> Iterator[Any]:
    """Those of the enabled extension, as they are at first."""
    found = bpy.context.preferences.addons[extension.__name__].preferences
    reset(found)
    yield found
    reset(bpy.context.preferences.addons[extension.__name__].preferences)


def reset(preferences: Any) -> None:
    preferences.package_folders.clear()
    for field in DEFAULTS:
        preferences.defaults.property_unset(field.name)


@pytest.fixture
def without_preferences(extension: ModuleType) -> Iterator[ModuleType]:
    """The extension enabled as `blender --addons` does: for this session, not in the
    preferences."""
    import addon_utils

    addon_utils.disable(extension.__name__, default_set=True)
    addon_utils.enable(extension.__name__, default_set=False)
    yield extension
    addon_utils.disable(extension.__name__)
    addon_utils.enable(extension.__name__, default_set=True, persistent=True)


BY_HAND = {field.name: field.default for field in DEFAULTS} | {"sensors": True}
"""Sensors are objects in imports by hand."""


def read(extension: ModuleType) -> tuple[dict[str, Any], tuple[str, ...]]:
    module = extension.operators.preferences
    return (
        module.preference_options(bpy.context),
        module.preference_package_paths(bpy.context),
    )


# Import defaults


def test_there_is_a_default_for_each_option_but_those_of_files(
    extension: ModuleType, preferences: Any
) -> None:
    expected = BY_HAND
    assert len(expected) > 10 and not {"packages", "package_paths", "xacro_args"} & set(expected)
    assert read(extension) == (expected, ())
    names = set(preferences.defaults.bl_rna.properties.keys()) - {"rna_type", "name"}
    assert names == set(expected)


def test_they_are_shown_as_the_options_are(preferences: Any) -> None:
    for field in DEFAULTS:
        shown = preferences.defaults.bl_rna.properties[field.name]
        assert (shown.name, shown.description) == (field.metadata["label"], field.metadata["help"])


@pytest.mark.parametrize("field", DEFAULTS, ids=lambda field: field.name)
def test_a_changed_default_is_what_imports_start_with(
    field: Any, extension: ModuleType, preferences: Any
) -> None:
    other = another_value(field)
    setattr(preferences.defaults, field.name, other)
    options, _ = read(extension)
    expected = BY_HAND | {field.name: other}
    assert options == expected
    kind = PlacementOptions if field in fields(PlacementOptions) else ImportOptions
    kind(**{field.name: other})


def another_value(field: Any) -> Any:
    if "choices" in field.metadata:
        return next(key for key in field.metadata["choices"] if key != field.default)
    if isinstance(field.default, bool):
        return not BY_HAND[field.name]
    return field.default + 1


def test_a_script_gets_what_it_says_whatever_the_preferences_are(preferences: Any) -> None:
    preferences.defaults.visuals = preferences.defaults.collisions = False
    preferences.defaults.inertials = False
    new_scene()
    bpy.ops.import_scene.urdf(filepath=ARM)
    assert [each for each in bpy.data.objects if each.type == "MESH"]


SAVE = """
preferences = bpy.context.preferences.addons[EXTENSION].preferences
preferences.defaults.fixed_joints = "fold"
preferences.package_folders.add().path = ROOT
bpy.ops.wm.save_userpref()
"""
LOAD = """
preferences = bpy.context.preferences.addons[EXTENSION].preferences
assert preferences.defaults.fixed_joints == "fold"
assert [item.path for item in preferences.package_folders] == [ROOT]
"""
SESSION = """
import bpy, addon_utils
ROOT, EXTENSION = {root!r}, {extension!r}
if not {first}:
    bpy.ops.wm.read_userpref()
addon_utils.enable(EXTENSION, default_set={first}, persistent=True)
"""


@pytest.mark.skipif(
    bool(bpy.app.binary_path) or bpy.app.version < (4, 5),
    reason="needs the module, and that of 4.2 crashes whenever it reads preferences",
)
def test_they_are_kept_for_the_next_session(extension: ModuleType, tmp_path: Path) -> None:
    repository = tmp_path / "extensions" / "user_default"
    repository.mkdir(parents=True)
    (repository / "urdf_importer").symlink_to(ROOT, target_is_directory=True)
    for first, work in ((True, SAVE), (False, LOAD)):
        head = SESSION.format(root=str(ROOT), extension=extension.__name__, first=first)
        done = subprocess.run(
            [sys.executable, "-c", head + work],
            env=os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0, done.stdout + done.stderr


# Package folders


def test_folders_are_added_and_removed(
    extension: ModuleType, preferences: Any, tmp_path: Path
) -> None:
    places = [tmp_path / name for name in "abc"]
    for place in places:
        place.mkdir()
        done = bpy.ops.preferences.urdf_package_folder_add(directory=f"{place}{os.sep}")
        assert done == {"FINISHED"}
    assert read(extension)[1] == tuple(map(str, places))
    assert bpy.context.preferences.is_dirty
    assert bpy.ops.preferences.urdf_package_folder_remove(index=1) == {"FINISHED"}
    assert read(extension)[1] == (str(places[0]), str(places[2]))


def test_a_folder_is_there_once(extension: ModuleType, preferences: Any, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    assert bpy.ops.preferences.urdf_package_folder_add(directory=str(tmp_path)) == {"FINISHED"}
    for again in (str(tmp_path), f"{tmp_path}/x/..", str(link)):
        assert bpy.ops.preferences.urdf_package_folder_add(directory=again) == {"CANCELLED"}
    assert read(extension)[1] == (str(tmp_path),)


@pytest.mark.parametrize("folder", ["", "/no/such/folder", __file__])
def test_what_is_no_folder_is_refused(folder: str, extension: ModuleType, preferences: Any) -> None:
    with pytest.raises(RuntimeError, match=r"^Error: There is no folder"):
        bpy.ops.preferences.urdf_package_folder_add(directory=folder)
    with pytest.raises(RuntimeError, match=r"^Error: The list has no folder number 0"):
        bpy.ops.preferences.urdf_package_folder_remove(index=0)
    assert read(extension)[1] == ()


def test_an_empty_row_does_not_count(extension: ModuleType, preferences: Any) -> None:
    preferences.package_folders.add()
    preferences.package_folders.add().path = str(ROOT)
    assert read(extension)[1] == (str(ROOT),)


# Without preferences


def test_without_preferences_there_are_none_and_imports_work(
    without_preferences: ModuleType,
) -> None:
    assert read(without_preferences) == ({}, ())
    assert not bpy.ops.preferences.urdf_package_folder_add.poll()
    assert not bpy.ops.preferences.urdf_package_folder_remove.poll()
    new_scene()
    assert bpy.ops.import_scene.urdf(filepath=ARM) == {"FINISHED"}


def test_all_that_is_shown_says_what_it_does(extension: ModuleType) -> None:
    module = extension.operators.preferences
    kinds = (module.AddPackageFolder, module.RemovePackageFolder)
    for kind in kinds:
        assert len(kind.bl_description) > 40 and not kind.bl_description.endswith(".")
    for kind in (*kinds, module.PackageFolder, module.ImportDefaults, module.ImporterPreferences):
        for shown in kind.bl_rna.properties:
            ours = shown.identifier in getattr(kind, "__annotations__", {})
            if ours and not shown.is_hidden:
                assert shown.name and shown.description, shown.identifier
