# SPDX-License-Identifier: GPL-3.0-or-later
"""bpy.ops.import_scene.urdf: the extension does what the library does, and reports."""

import re
import warnings
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from support.blender.rigs import new_scene
from support.blender.snapshots import describe_scene, list_data
from support.paths import ROOT
from urdf_importer import ImportOptions, PlacementOptions, import_robot, reader_formats

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
AS_DESCRIBED = {"stand_on_ground": False}
"""By hand robots stand on the ground; the library leaves them where they are described."""
BY_HAND = {"sensors": True}
"""Defaults of the window."""
OPTIONS = (*fields(PlacementOptions), *fields(ImportOptions))
MESSY = str(ROOT / "sample_urdfs" / "messy.urdf")
ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")
LEG = str(ROOT / "sample_urdfs" / "quadruped_leg.urdf")

pytestmark = pytest.mark.usefixtures("extension", "scene")


def properties_of_operator() -> dict[str, Any]:
    return dict(bpy.ops.import_scene.urdf.get_rna_type().properties.items())


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_the_operator_makes_what_the_library_makes(path: Path) -> None:
    assert bpy.ops.import_scene.urdf(filepath=str(path), **AS_DESCRIBED) == {"FINISHED"}
    shown, data = describe_scene(), list_data()
    new_scene()
    import_robot(path, options=ImportOptions(**BY_HAND))
    assert shown == describe_scene()
    assert data | {"texts": []} == list_data()


@pytest.mark.parametrize(
    "options",
    [
        {"combine_joints": "never", "fixed_joints": "fold"},
        {"visuals": False, "inertials": False, "enforce_limits": False},
        {"rigid_bodies": True},
    ],
    ids=str,
)
def test_options_do_the_same(options: dict[str, Any]) -> None:
    bpy.ops.import_scene.urdf(filepath=LEG, **AS_DESCRIBED, **options)
    shown = describe_scene()
    new_scene()
    import_robot(LEG, options=ImportOptions(**BY_HAND, **options))
    assert shown == describe_scene()


def test_packages_are_entries_of_a_text(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    (parts / "meshes").mkdir(parents=True)
    mesh = next((ROOT / "sample_urdfs" / "meshes").glob("*.stl"))
    (parts / "meshes" / "ladder.stl").write_bytes(mesh.read_bytes())
    for entries in (
        {"packages": f"other={tmp_path}; harbour_parts = {parts}"},
        {"packages": f"\nharbour_parts={parts}\n"},
        {"package_paths": f"{ROOT};{_renamed(parts, 'harbour_parts').parent}"},
    ):
        new_scene()
        bpy.ops.import_scene.urdf(filepath=MESSY, **entries)
        assert "missing-package" not in bpy.data.texts[0].as_string()


def test_entries_become_the_options_of_the_command(extension: ModuleType) -> None:
    read = extension.operators.option_properties.read_options
    written = {field.name: field.default for field in fields(ImportOptions)}
    for field in fields(ImportOptions):
        if isinstance(field.default, tuple):
            written[field.name] = ""
    between = {f.name: f.metadata["separator"] for f in fields(ImportOptions) if _has_separator(f)}
    for name, separator in between.items():
        written[name] = f" a {separator} 1;\nb{separator};"
    written["packages"], written["package_paths"] = "p=/a b\n;q = /c", "/d;;/e\n"
    options = read(SimpleNamespace(**written), extension.urdf_importer.ImportOptions)
    assert options.packages == (("p", "/a b"), ("q", "/c")) and options.package_paths == (
        "/d",
        "/e",
    )
    for name in between:
        assert getattr(options, name) == (("a", "1"), ("b", ""))


def _has_separator(field: Any) -> bool:
    return "separator" in field.metadata


def _renamed(folder: Path, name: str) -> Path:
    return folder.rename(folder.with_name(name))


def test_a_bad_package_entry_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match="'parts' in Packages is not name=folder"):
        bpy.ops.import_scene.urdf(filepath=MESSY, packages="parts")
    assert not bpy.data.objects


# The properties are the options


@pytest.mark.parametrize("field", OPTIONS, ids=lambda field: field.name)
def test_every_option_is_a_property(field: Any) -> None:
    shown = properties_of_operator()[field.name]
    assert shown.name == field.metadata["label"]
    assert shown.description == field.metadata["help"]
    if isinstance(field.default, tuple):
        assert (shown.type, shown.default) == ("STRING", "")
        return
    assert shown.default == BY_HAND.get(field.name, field.default)
    if "choices" in field.metadata:
        items = {item.identifier: item.description for item in shown.enum_items}
        assert items == field.metadata["choices"]
    elif isinstance(field.default, bool):
        assert shown.type == "BOOLEAN"
    elif field.metadata.get("entries") == "FILE":
        assert (shown.type, shown.subtype) == ("STRING", "FILE_PATH")
    elif isinstance(field.default, str):
        assert shown.type == "STRING"
    else:
        assert shown.hard_min == pytest.approx(field.metadata["minimum"])
        assert shown.hard_max == field.metadata["maximum"]


def test_every_property_is_an_option() -> None:
    own = {"rna_type", "filepath", "filter_glob", "directory", "files", "xacro_fields"}
    own |= {"use_parameters", "use_joint_parameters", "use_srdf", "whole_world"}
    assert set(properties_of_operator()) - own == {field.name for field in OPTIONS}


def test_the_file_browser_shows_descriptions_only() -> None:
    shown = properties_of_operator()["filter_glob"].default.split(";")
    assert shown == [f"*{suffix}" for suffix in suffixes_to_read()]


def suffixes_to_read() -> list[str]:
    """Those of all formats, each once; .xml is any of them."""
    known = [suffix for each in reader_formats() for suffix in each.suffixes]
    return list(dict.fromkeys([*known, ".xml"]))


# Reports


def test_losses_are_warnings_substitutes_are_notes_and_all_are_a_text(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert bpy.ops.import_scene.urdf(filepath=MESSY) == {"FINISHED"}
    (text,) = bpy.data.texts
    assert text.name == "messy import report"
    lines = text.as_string().splitlines()
    diagnostics = _diagnostics_of(MESSY)
    assert lines == diagnostics
    said = capfd.readouterr().out
    shown = re.findall(r"^(Warning|Info): (.*)$", said, re.MULTILINE)
    (missing,) = (line for line in diagnostics if "missing-package" in line)
    assert shown[0] == ("Warning", missing)
    assert any(text.endswith("as the attribute (3 more like it)") for _, text in shown)
    (_, more), (level, sentence) = shown[-2:]
    assert level == "Warning" and re.fullmatch(r"\d+ more in the text 'messy import report'", more)
    assert sentence == (
        "Imported messy: 9 links; 1 mesh missing (package 'harbour_parts' not found); "
        f"{len(diagnostics) - 1} other messages, see Import Report"
    )
    assert said.rstrip().endswith(sentence) and "Error:" not in said


def test_missing_meshes_are_said_last_and_of_several_robots_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shapes = "".join(
        f'<visual><geometry><mesh filename="package://gone/{name}.stl"/></geometry></visual>'
        for name in "abc"
    )
    bare = f'<robot name="bare"><link name="a">{shapes}</link></robot>'
    (tmp_path / "bare.urdf").write_text(bare)
    (tmp_path / "whole.urdf").write_text('<robot name="whole"><link name="a"/></robot>')
    names = [{"name": "bare.urdf"}, {"name": "whole.urdf"}]
    bpy.ops.import_scene.urdf(directory=str(tmp_path), files=names)
    said = [line for line in capfd.readouterr().out.splitlines() if line]
    assert said[-2:] == [
        "Warning: Package 'gone' not found: 3 meshes",
        "Warning: Imported 2 robots: 2 links; 3 meshes missing (package 'gone' not found)",
    ]


def _diagnostics_of(path: str) -> list[str]:
    new_scene()
    return [str(item) for item in import_robot(path).diagnostics]


def test_without_diagnostics_there_is_no_text() -> None:
    bpy.ops.import_scene.urdf(filepath=ARM)
    assert not bpy.data.texts


@pytest.mark.parametrize("content", [None, "", "<robot", '<robot name="r">\n<link/></robot>'])
def test_what_cannot_be_imported_is_one_error_and_changes_nothing(
    content: str | None, tmp_path: Path
) -> None:
    bpy.ops.import_scene.urdf(filepath=ARM)
    before, data = describe_scene(), list_data()
    path = tmp_path / "r.urdf"
    if content is not None:
        path.write_text(content)
    for _ in range(2):
        with pytest.raises(RuntimeError) as raised:
            bpy.ops.import_scene.urdf(filepath=str(path))
        said = str(raised.value)
        assert said.startswith(f"Error: {path}") and said.count("\n") == 1
        assert describe_scene() == before
        assert list_data() == data | {"texts": ["URDF import failure"]}
    sentence = said.removeprefix("Error: ").strip()
    assert bpy.data.texts[0].as_string() == f"not imported: {sentence}\n"
    assert bpy.context.window_manager.urdf_last_failure == sentence
    assert bpy.context.window_manager.urdf_last_failure_text == "URDF import failure"
    bpy.ops.import_scene.urdf(filepath=ARM)
    assert bpy.context.window_manager.urdf_last_failure == ""


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch, extension: ModuleType) -> None:
    def fail(*arguments: object) -> None:
        raise ZeroDivisionError("a bug")

    data = list_data()
    monkeypatch.setattr(extension.urdf_importer.core.blender.build.build, "build_constraints", fail)
    with pytest.raises(RuntimeError, match=r"Traceback(.|\n)*ZeroDivisionError: a bug"):
        bpy.ops.import_scene.urdf(filepath=ARM)
    assert list_data() == data


def test_paths_may_be_relative_to_the_open_file(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text('<robot name="near"><link name="a"/></robot>')
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "open.blend"))
    with warnings.catch_warnings():
        # From 5.0 on Blender warns of any // in a file browser's own property; raised as an error,
        # that warning crashes it.
        warnings.simplefilter("ignore")
        assert bpy.ops.import_scene.urdf(filepath="//r.urdf") == {"FINISHED"}
    assert "near" in bpy.data.objects


# In Blender's interface


@pytest.fixture
def disabled(extension: ModuleType) -> Iterator[None]:
    import addon_utils

    addon_utils.disable(extension.__name__)
    yield
    addon_utils.enable(extension.__name__, default_set=True, persistent=True)


def menu_entries() -> list[str]:
    return [
        draw.__module__
        for draw in bpy.types.TOPBAR_MT_file_import._dyn_ui_initialize()
        if draw.__module__.endswith("importing.operators")
    ]


def test_it_stands_in_the_import_menu_once() -> None:
    assert len(menu_entries()) == 1
    assert "urdf" in dir(bpy.ops.import_scene)


@pytest.mark.usefixtures("disabled")
def test_disabling_leaves_nothing() -> None:
    assert menu_entries() == []
    assert "urdf" not in dir(bpy.ops.import_scene)


def test_a_preset_keeps_all_options_and_no_files(extension: ModuleType) -> None:
    from bl_operators.presets import AddPresetOperator

    assert "PRESET" in extension.operators.importing.operators.IMPORTERS[0].bl_options
    preset = SimpleNamespace(operator="IMPORT_SCENE_OT_urdf")
    kept = AddPresetOperator.preset_values.fget(preset)
    assert sorted(kept) == sorted(f"op.{field.name}" for field in OPTIONS)


def test_everything_says_what_it_does() -> None:
    for name in ("urdf", "urdf_run"):
        rna = getattr(bpy.ops.import_scene, name).get_rna_type()
        assert len(rna.description) > 40
        for shown in rna.properties.values():
            assert shown.description or shown.is_hidden or shown.identifier == "rna_type"


def test_files_can_be_dropped_onto_the_view(extension: ModuleType) -> None:
    handler = extension.operators.importing.operators.DropUrdf
    assert handler.bl_import_operator == "import_scene.urdf"
    assert handler.bl_file_extensions.split(";") == suffixes_to_read()
    accepts = {
        kind: handler.poll_drop(SimpleNamespace(area=SimpleNamespace(type=kind)))
        for kind in ("VIEW_3D", "TEXT_EDITOR")
    }
    assert accepts == {"VIEW_3D": True, "TEXT_EDITOR": False}
    assert not handler.poll_drop(SimpleNamespace(area=None))


def test_each_format_of_the_table_has_an_operator(extension: ModuleType) -> None:
    importers = extension.operators.importing.operators.IMPORTERS
    assert len(importers) == len(reader_formats())
    for each in reader_formats():
        rna = getattr(bpy.ops.import_scene, each.name).get_rna_type()
        assert rna.description == each.description
        shown = rna.properties["filter_glob"].default.split(";")
        assert {f"*{suffix}" for suffix in each.browsed} <= set(shown)


def test_the_last_import_comes_again_with_its_settings(
    extension: ModuleType, tmp_path: Path
) -> None:
    work = extension.operators.importing.run_import
    extension.operators.session.session_state(work._Work).last.clear()
    assert not bpy.ops.import_scene.urdf_again.poll()
    bpy.ops.import_scene.urdf(filepath=ARM, scale=0.5)
    with pytest.raises(RuntimeError):
        bpy.ops.import_scene.urdf(filepath=str(tmp_path / "gone.urdf"))
    assert work.name_last() == "two_link_arm.urdf"
    assert bpy.ops.import_scene.urdf_again() == {"FINISHED"}
    robots = [each for each in bpy.data.objects if each.type == "ARMATURE"]
    assert [tuple(each.scale) for each in robots] == [(0.5, 0.5, 0.5)] * 2
    names = ("two_link_arm.urdf", "gripper.urdf")
    bpy.ops.import_scene.urdf(
        directory=str(ROOT / "sample_urdfs"), files=[{"name": each} for each in names]
    )
    assert work.name_last() == ", ".join(names)
    bpy.ops.import_scene.urdf_again()
    assert sum(each.type == "ARMATURE" for each in bpy.data.objects) == 6
