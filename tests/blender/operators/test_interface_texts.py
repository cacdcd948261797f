# SPDX-License-Identifier: GPL-3.0-or-later
"""Every operator, option and refusal of the interface says something."""

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from types import ModuleType
from typing import Any

import bpy
import pytest

import urdf_importer
from support.source_tree import sources_of
from urdf_importer import ImportOptions

pytestmark = pytest.mark.usefixtures("extension")

TEACHES = 40
"""A description of fewer letters only repeats the label."""


SHOWN = re.compile(r"Panel|GizmoGroup")
"""What is drawn where it has something to show, and refuses nobody."""
ASKS = re.compile(r"return \w+\(cls, context\)")
"""A poll that leaves the answer, and the message, to a function."""


def own_classes(extension: ModuleType, base: type) -> list[Any]:
    name = extension.__name__
    found = [kind for kind in all_below(base) if kind.__module__.startswith(name + ".")]
    assert found
    return found


def all_below(kind: type) -> Iterator[Any]:
    for child in kind.__subclasses__():
        yield child
        yield from all_below(child)


def test_operators_teach(extension: ModuleType) -> None:
    for kind in own_classes(extension, bpy.types.Operator):
        text = kind.bl_description
        assert len(text) >= TEACHES, f"{kind.bl_idname}: {text!r}"
        assert not text.endswith("."), f"Blender ends the tooltip of {kind.bl_idname} itself"


@pytest.mark.parametrize("base", [bpy.types.Operator, bpy.types.PropertyGroup], ids=str)
def test_properties_have_tooltips(extension: ModuleType, base: type) -> None:
    for kind in own_classes(extension, base):
        own = {name for each in kind.__mro__ for name in vars(each).get("__annotations__", ())}
        for name, shown in kind.bl_rna.properties.items():
            # Each operator has a `name` of Blender's, without a tooltip, which an option may use.
            if name in own - {"name"} and not shown.is_hidden and kind.__name__ != "XacroField":
                assert shown.description, f"{kind.__name__}.{name}"
                assert not shown.description.endswith("."), f"{kind.__name__}.{name}"


def test_who_refuses_says_why() -> None:
    """A poll that can be False sets a message, itself or in the function that it asks."""
    silent = []
    for source in sources_of("operators"):
        for kind in (node for node in source.tree.body if isinstance(node, ast.ClassDef)):
            bases = ast.unparse(ast.Tuple(kind.bases, ast.Load()))
            for method in kind.body:
                is_poll = isinstance(method, ast.FunctionDef) and method.name == "poll"
                if is_poll and not SHOWN.search(bases):
                    text = ast.unparse(method)
                    if "poll_message_set" not in text and not ASKS.search(text):
                        silent.append(f"{source.place(method)} {kind.name}")
    assert not silent


PLAIN_ZEROS = {
    "smooth_angle", "start", "tolerance", "rotor_inertia", "friction_scale", "damping_scale",
    "linear_damping", "angular_damping", "friction", "restitution", "height", "seconds", "seed",
    "margin", "slide_margin", "gap",
}  # fmt: skip
"""Zero is there what the number says: no angle, no seconds, no damping. A new option that may be
zero is put here or says what zero means."""


def is_options(name: str) -> bool:
    return name.endswith("Options")


def test_options_of_numbers_say_what_zero_means() -> None:
    """Of every front end: those that may be zero and then switch something off, or take another
    number, say so in their label or help."""
    kinds = [getattr(urdf_importer, name) for name in urdf_importer.__all__ if is_options(name)]
    zeros = {
        each.name: f"{each.metadata['label']} {each.metadata['help']}"
        for kind in kinds
        for each in fields(kind)
        if each.metadata.get("minimum") == 0
    }
    assert {"most_triangles", "end", "rate", "velocity_scale"} & set(zeros)
    silent = {name for name, text in zeros.items() if not re.search(r"\b0\b", text)}
    assert silent == PLAIN_ZEROS


def test_the_labels_of_limits_speak_plainly() -> None:
    """As they stand in the file browser, with their units."""
    labels = {each.name: each.metadata["label"] for each in fields(ImportOptions)}
    assert labels["most_triangles"] == "Decimate Above (0 = Off)"
    assert labels["smooth_angle"] == "Smooth Angle (°)"
    assert labels["max_links"] == "Max Links"


def test_menu_entries_are_short_and_name_suffixes_once(extension: ModuleType) -> None:
    menu = import_module(f"{extension.__name__}.operators.exporting.menu")
    entries = [menu.name_entry(each.format) for each in menu.EXPORTERS]
    assert "URDF (.urdf)" in entries and "Game Engines (.glb, .gltf, .fbx, ...)" in entries
    # The file browser's button cuts longer ones.
    assert all(len(each.bl_label) <= 20 for each in menu.EXPORTERS)


SPELLED = {"STL", "OBJ", "DAE", "GLB", "VRML", "CoACD", "MuJoCo", "MORSE"}


def test_choices_are_spelled_as_their_own_makers_do(extension: ModuleType) -> None:
    """No name is made of a code by capitals alone; no label says nothing without its neighbour."""
    labels, vague = set(), {"By", "On", "What", "For", "From", "And", "Written", "Live", "Write"}
    for kind in own_classes(extension, bpy.types.Operator):
        family, _, name = kind.bl_idname.partition(".")
        if not hasattr(bpy.types, f"{family.upper()}_OT_{name}"):
            continue
        for shown in getattr(getattr(bpy.ops, family), name).get_rna_type().properties:
            assert shown.name not in vague, f"{kind.bl_idname}: {shown.name}"
            if shown.type == "ENUM":
                labels |= {item.name for item in shown.enum_items}
    assert labels >= SPELLED
    assert not labels & {each.capitalize() for each in SPELLED}


NAMES = re.compile(r"\btext=(?:\w+\.(?:name|subject)|name|link|joint|state|folder)[,)]")


def test_names_of_files_are_not_translated() -> None:
    """A joint may be called Head, which Blender knows in other languages."""
    translated = [
        f"{source.place(call)}: {ast.unparse(call)}"
        for source in sources_of("operators")
        for call in ast.walk(source.tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("label", "operator", "prop")
        and NAMES.search(ast.unparse(call))
        and "translate=" not in ast.unparse(call)
    ]
    assert translated == []
