# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of xacro files as fields, and what an import starts with."""

import dataclasses
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from support.blender.snapshots import describe_scene
from support.seconds import within

ROBOT = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="prefix" default="left;_"/>
<xacro:arg name="size" default="0.5"/>
<link name="$(arg prefix)base"/>
</robot>"""
OTHER = """<robot name="other" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="prefix" default="o_"/>
<link name="$(arg prefix)base"/>
</robot>"""
ENDLESS = """<robot name="slow" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="first" default="1"/>
<xacro:macro name="more" params="n"><xacro:more n="${n}"/><xacro:more n="${n}"/></xacro:macro>
<xacro:macro name="loop" params="n"><xacro:if value="${n > 0}"><xacro:loop n="${n - 1}"/>
<xacro:loop n="${n - 1}"/></xacro:if></xacro:macro><xacro:loop n="60"/></robot>"""

pytestmark = pytest.mark.usefixtures("extension", "scene")


@pytest.fixture
def fields(extension: ModuleType) -> Iterator[Any]:
    """A collection as the operators have it."""
    kind = extension.operators.importing.xacro_fields.XacroField
    bpy.types.Scene.test_xacro_fields = bpy.props.CollectionProperty(type=kind)
    yield bpy.context.scene.test_xacro_fields
    del bpy.types.Scene.test_xacro_fields


@pytest.fixture
def arm(tmp_path: Path) -> str:
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(ROBOT)
    return str(path)


@pytest.fixture
def other(tmp_path: Path) -> str:
    path = tmp_path / "other.urdf.xacro"
    path.write_text(OTHER)
    return str(path)


def _shown(fields: Any) -> list[tuple[str, str]]:
    return [(item.name, item.value) for item in fields]


def _options(extension: ModuleType, **chosen: Any) -> Any:
    return extension.urdf_importer.ImportOptions(**chosen)


def test_the_chosen_file_decides_which_fields_there_are(
    extension: ModuleType, fields: Any, arm: str, tmp_path: Path
) -> None:
    shown = extension.operators.importing.xacro_fields.XacroFields()
    options = _options(extension)
    plain = tmp_path / "plain.urdf"
    plain.write_text('<robot name="r"><link name="a"/></robot>')
    assert not shown.update(fields, [], options)
    assert shown.update(fields, [arm], options)
    assert _shown(fields) == [("prefix", "left;_"), ("size", "0.5")]
    assert not shown.update(fields, [arm], options)
    for path in (str(plain), str(tmp_path), str(tmp_path / "missing.xacro")):
        shown.update(fields, [arm], options)
        assert shown.update(fields, [path], options) and _shown(fields) == []


def test_a_changed_file_is_listed_again(extension: ModuleType, fields: Any, arm: str) -> None:
    shown = extension.operators.importing.xacro_fields.XacroFields()
    shown.update(fields, [arm], _options(extension))
    fields["size"].value = "2"
    Path(arm).write_text(ROBOT.replace('"left;_"', '"l"').replace("0.5", "0.75"))
    assert shown.update(fields, [arm], _options(extension))
    assert _shown(fields) == [("prefix", "l"), ("size", "2")]


def test_several_files_share_fields(
    extension: ModuleType, fields: Any, arm: str, other: str
) -> None:
    module = extension.operators.importing.xacro_fields
    module.XacroFields().update(fields, [other, arm], _options(extension))
    assert _shown(fields) == [("prefix", "o_"), ("size", "0.5")]
    fields["size"].value = "1"
    arguments = [
        module.apply_xacro_fields(_options(extension), fields, path).xacro_args
        for path in (other, arm)
    ]
    assert arguments == [(), (("size", "1"),)]


def test_fields_start_with_the_option_and_win_over_it(
    extension: ModuleType, fields: Any, arm: str
) -> None:
    module = extension.operators.importing.xacro_fields
    options = _options(extension, xacro_args=(("size", "3"), ("unknown", "4")))
    module.XacroFields().update(fields, [arm], options)
    assert _shown(fields) == [("prefix", "left;_"), ("size", "3")]
    applied = module.apply_xacro_fields(options, fields, arm)
    assert applied.xacro_args == (("unknown", "4"), ("size", "3"))
    fields["size"].value = fields["size"].default
    applied = module.apply_xacro_fields(options, fields, arm)
    assert applied.xacro_args == (("unknown", "4"),)


def test_listing_ends(
    extension: ModuleType, fields: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = extension.operators.importing.xacro_fields
    monkeypatch.setattr(module, "MOST_SECONDS", 0.2)
    path = tmp_path / "slow.xacro"
    path.write_text(ENDLESS)
    for _ in within(5, time.process_time):
        module.XacroFields().update(fields, [str(path)], _options(extension))
    assert _shown(fields) == [("first", "1")]


def test_an_entry_that_is_not_finished_keeps_the_fields(
    extension: ModuleType, fields: Any, arm: str
) -> None:
    operator = _operator(extension, fields, filepath=arm)
    check = extension.operators.importing.operators.IMPORTERS[0].check
    assert check(operator, bpy.context)
    operator.packages = "half"
    assert not check(operator, bpy.context)
    assert _shown(fields) == [("prefix", "left;_"), ("size", "0.5")]


def _operator(extension: ModuleType, fields: Any, **properties: Any) -> Any:
    """What stands for an operator in a file browser; there are none without a window."""
    defaults = {
        field: "" if isinstance(value, tuple) else value
        for field, value in _defaults(extension).items()
    }
    own = {"filepath": "", "directory": "", "files": [], "xacro_fields": fields, "_shown": None}
    own["whole_world"] = False
    return SimpleNamespace(**(defaults | own | properties))


def _defaults(extension: ModuleType) -> dict[str, Any]:
    kinds = extension.operators.option_properties.IMPORT
    return {field.name: field.default for kind in kinds for field in dataclasses.fields(kind)}


def test_changed_fields_reach_the_robot(arm: str) -> None:
    field = {
        "name": "prefix",
        "value": "right;_",
        "on": False,
        "default": "left;_",
        "required": False,
        "files": f"{arm}\n",
    }
    bpy.ops.import_scene.urdf(filepath=arm, xacro_fields=[field])
    assert "right;_base" in bpy.data.objects and not bpy.data.texts
    bpy.ops.import_scene.urdf(filepath=arm, xacro_fields=[field | {"value": "left;_"}])
    assert "left;_base" in bpy.data.objects


def test_scripts_say_arguments_as_text(arm: str) -> None:
    bpy.ops.import_scene.urdf(filepath=arm, xacro_args="prefix:=mid_; size:=2")
    assert "mid_base" in bpy.data.objects and not bpy.data.texts


def test_the_asking_operator_hands_everything_on(
    extension: ModuleType, fields: Any, arm: str
) -> None:
    check = extension.operators.importing.operators.IMPORTERS[0].check
    operator = _operator(extension, fields, filepath=arm, combine_joints="never")
    check(operator, bpy.context)
    fields["prefix"].value = "p_"
    handed = extension.operators.importing.import_choices.copy_choices(operator)
    own = set(bpy.ops.import_scene.urdf_run.get_rna_type().properties.keys()) - {"rna_type"}
    assert set(handed) == own
    assert bpy.ops.import_scene.urdf_run(**handed) == {"FINISHED"}
    shown = describe_scene()
    assert "p_base" in shown


def test_an_argument_without_a_default_is_a_field_that_has_to_be_filled_in(
    extension: ModuleType, fields: Any, arm: str, other: str
) -> None:
    module = extension.operators.importing.xacro_fields
    Path(arm).write_text(ROBOT.replace(' default="left;_"', "").replace('"0.5"', '""'))
    module.XacroFields().update(fields, [arm], _options(extension))
    assert _shown(fields) == [("prefix", ""), ("size", "")]
    assert [module.lacks_value(item) for item in fields] == [True, False]
    choices = extension.operators.importing.import_choices.copy_choices
    handed = choices(_operator(extension, fields, filepath=arm))
    with pytest.raises(RuntimeError, match="the argument 'prefix' has no default"):
        bpy.ops.import_scene.urdf(filepath=arm, xacro_fields=handed["xacro_fields"])
    fields["prefix"].value = "r_"
    assert not module.lacks_value(fields["prefix"])
    handed = choices(_operator(extension, fields, filepath=arm))
    bpy.ops.import_scene.urdf(filepath=arm, xacro_fields=handed["xacro_fields"])
    assert "r_base" in bpy.data.objects
    # What another file has as its default is a value for this one.
    module.XacroFields().update(fields, [other, arm], _options(extension))
    applied = module.apply_xacro_fields(_options(extension), fields, arm)
    assert applied.xacro_args == (("prefix", "o_"),)


# What an import through the menu starts with


class _Asked(SimpleNamespace):
    """An operator's properties, of which `given` were said in the call, `last` the last time."""

    given: frozenset[str] = frozenset()
    last: frozenset[str] = frozenset()
    filepath = directory = model = ""
    files = ()

    @property
    def properties(self) -> Any:
        return self

    def is_property_set(self, name: str, ghost: bool = True) -> bool:
        return name in self.given or (not ghost and name in self.last)


@pytest.fixture
def defaults(extension: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, in a new session without anything remembered."""
    module = extension.operators.importing.import_urdf
    seen = extension.operators.session.session_state(module.LastImport)
    monkeypatch.setattr(seen, "preferred", {})
    module.remembered.save({})
    yield module
    module.remembered.save({})


def test_folders_come_back(defaults: Any, tmp_path: Path) -> None:
    before = _Asked(packages="a=/b", package_paths="/c; /d", filepath="", files=[])
    defaults.keep_choices(before, [str(tmp_path / "arm.urdf")])
    asked = _Asked(packages="", package_paths="", filepath="", files=[])
    defaults.offer_defaults(asked, bpy.context)
    assert (asked.packages, asked.package_paths) == ("a=/b", "/c; /d")
    assert defaults.first_folder() == f"{tmp_path}/"
    given = _Asked(packages="x=/y", package_paths="", given=frozenset({"packages"}))
    given.last = frozenset({"package_paths"})
    defaults.offer_defaults(given, bpy.context)
    assert (given.packages, given.package_paths) == ("x=/y", "")


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"packages": 1}', b"\xff", b"{"])
def test_what_is_remembered_may_be_broken(defaults: Any, content: bytes) -> None:
    folder = Path(bpy.utils.extension_path_user(defaults.remembered.EXTENSION, create=True))
    (folder / "remembered.json").write_bytes(content)
    assert defaults.remembered.load() == {}
    assert defaults.first_folder() == ""


@pytest.fixture
def preferred(extension: ModuleType) -> Iterator[Any]:
    """The import options of the preferences, to be changed."""
    found = extension.operators.preferences.find_preferences(bpy.context).defaults
    yield found
    for name in extension.operators.preferences.DEFAULT_NAMES:
        found.property_unset(name)


def test_preferences_are_what_it_starts_with(
    defaults: Any, extension: ModuleType, preferred: Any
) -> None:
    preferred.visuals = False
    asked = _ask(defaults, extension)
    assert not asked.visuals and asked.collisions
    # What was chosen last counts more, until the preference changes.
    asked = _ask(defaults, extension, visuals=True, last=frozenset({"visuals"}))
    assert asked.visuals
    preferred.visuals = True
    asked = _ask(defaults, extension, visuals=False, last=frozenset({"visuals"}))
    assert asked.visuals
    # What the call says counts most.
    preferred.visuals = False
    asked = _ask(defaults, extension, visuals=True, given=frozenset({"visuals"}))
    assert asked.visuals


def _ask(defaults: Any, extension: ModuleType, **said: Any) -> Any:
    asked = _Asked(**(_defaults(extension) | said))
    defaults.offer_defaults(asked, bpy.context)
    return asked


def test_scripts_get_their_arguments_alone(arm: str, preferred: Any) -> None:
    preferred.inertials = False
    text = ROBOT.replace("/>\n</robot>", "><inertial><mass value='1'/></inertial></link></robot>")
    Path(arm).write_text(text)
    bpy.ops.import_scene.urdf(filepath=arm)
    assert any("_inertial" in name for name in bpy.data.objects.keys())  # noqa: SIM118


def test_preferred_folders_come_after_those_of_the_import(
    defaults: Any, extension: ModuleType, tmp_path: Path
) -> None:
    folders = extension.operators.preferences.find_preferences(bpy.context).package_folders
    folders.add().path = str(tmp_path)
    try:
        assert defaults.add_preferred_folders("/a;\n/b", bpy.context) == f"/a; /b; {tmp_path}"
        assert defaults.add_preferred_folders("", bpy.context) == str(tmp_path)
    finally:
        folders.clear()


def test_switches_keep_the_spelling_of_the_file(
    extension: ModuleType, fields: Any, tmp_path: Path
) -> None:
    module = extension.operators.importing.xacro_fields
    path = tmp_path / "switches.xacro"
    declared = "".join(
        f'<xacro:arg name="{name}" default="{value}"/>'
        for name, value in (("a", "true"), ("b", "False"), ("c", "1"), ("d", ""))
    )
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    path.write_text(f'{head}{declared}<link name="a"/></robot>')
    module.XacroFields().update(fields, [str(path)], _options(extension))
    assert [module.is_switch(item) for item in fields] == [True, True, False, False]
    assert not any(module.lacks_value(item) for item in fields)
    assert (fields["a"].on, fields["b"].on) == (True, False)
    fields["a"].on, fields["b"].on = False, True
    assert (fields["a"].value, fields["b"].value) == ("false", "True")
    fields["a"].on = True
    applied = module.apply_xacro_fields(_options(extension), fields, str(path))
    assert applied.xacro_args == (("b", "True"),)
    fields["a"].value = "$(arg b)"
    assert not module.is_switch(fields["a"])


def test_an_argument_that_is_used_before_its_declaration_is_passed(
    extension: ModuleType, fields: Any, arm: str
) -> None:
    module = extension.operators.importing.xacro_fields
    early = ROBOT.replace('name="arm"', 'name="$(arg size)$(arg DEBUG)"', 1)
    Path(arm).write_text(early)
    options = _options(extension, xacro_args=(("size", "0.5"),))
    for chosen in (options, _options(extension)):
        fields.clear()
        module.XacroFields().update(fields, [arm], chosen)
        assert _shown(fields) == [("prefix", "left;_"), ("size", "0.5"), ("DEBUG", "")]
        assert [module.lacks_value(item) for item in fields] == [False, False, True]
        fields["DEBUG"].value = "_x"
        applied = module.apply_xacro_fields(chosen, fields, arm)
        assert applied.xacro_args == (("size", "0.5"), ("DEBUG", "_x"))
    handed = extension.operators.importing.import_choices.copy_choices(
        _operator(extension, fields, filepath=arm)
    )
    bpy.ops.import_scene.urdf(filepath=arm, xacro_fields=handed["xacro_fields"])
    assert "left;_base" in bpy.data.objects


def test_variables_of_the_environment_are_given_as_text(
    arm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(arm).write_text(ROBOT.replace("left;_", "$(optenv SIDE none_)"))
    monkeypatch.setenv("SIDE", "mine_")
    bpy.ops.import_scene.urdf(filepath=arm, xacro_env="SIDE:=given_; OTHER:=1")
    assert "given_base" in bpy.data.objects
