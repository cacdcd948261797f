# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts that stand in one place: no other module spells them out."""

import ast
import re
import tomllib
from collections.abc import Iterator

from support.layers import room_of
from support.paths import ROOT
from support.source_tree import Source, sources_of
from urdf_importer.core.diagnostics import _BLENDER_PYTHONS as MODULES
from urdf_importer.core.diagnostics import BLENDERS

LIBRARY = sources_of("urdf_importer", "urdf_importer_morse")
READERS_OF_RIGS = tuple(
    source
    for source in (*LIBRARY, *sources_of("operators"))
    if {"blender", "operators", "urdf_importer_morse"} & set(source.parts)
)
JOINTS = "urdf_importer.core.blender.standing.joints"
KEYS = {"kind", "mimics", "sign", "initial", "indices", "lower", "upper"}


def modules_with(
    sources: tuple[Source, ...], wanted: type[ast.AST], *, spelling: set[object]
) -> set[str]:
    """The modules in which a node of this kind says one of `spelling`."""
    return {
        ".".join(source.parts)
        for source in sources
        for node in ast.walk(source.tree)
        if isinstance(node, wanted) and spelling & set(words_of(node))
    }


def words_of(node: ast.AST) -> Iterator[object]:
    """What a node says by itself: a key that is read, a name behind a dot, a number or text."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=value), ctx=ast.Load()):
            yield value
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=value), *_]):
            yield value
        case ast.Attribute(value=ast.Name(id="properties"), attr=name):
            yield name
        case ast.Constant(value=value):
            yield value


def test_only_the_view_of_joints_knows_the_properties_of_joints() -> None:
    names = {"JOINT", "JOINTS"}
    assert modules_with(LIBRARY, ast.Attribute, spelling=names) == {JOINTS}
    texts = {"urdf_joint", "urdf_joints"}
    found = modules_with((*LIBRARY, *sources_of("operators")), ast.Constant, spelling=texts)
    assert found == {"urdf_importer.core.blender.standing.properties"}


def test_only_the_view_of_joints_knows_their_keys() -> None:
    for kind in (ast.Subscript, ast.Call):
        assert modules_with(READERS_OF_RIGS, kind, spelling=KEYS) == {JOINTS}


def test_one_conversion_of_colours() -> None:
    found = modules_with(LIBRARY, ast.Constant, spelling={12.92, 0.04045, 0.0031308})
    assert found == {"urdf_importer.core.images.colors"}


def test_tables_are_keyed_by_objects_where_these_are_equal_to_themselves_alone() -> None:
    """The nodes of VRML and the shapes of the model are equal by what they say, so two tables go
    by identity: one keeps the shapes, the other is gone before any node is."""
    found = {
        ".".join(source.parts)
        for source in LIBRARY
        if {"blender", "write", "writers", "rig"} & set(source.parts)
        or source.parts[1:3] == ("core", "meshes")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "id"
    }
    assert found == {
        "urdf_importer.core.meshes.robot_files",
        "urdf_importer.formats.webots.write.structure.sharing",
    }


# The rooms that have a public class of each of these names. One word for one thing: the table may
# only shrink. MORSE's part has the names of MORSE, which builder scripts use.
REPEATED_CLASSES = {
    "Camera": "model urdf_importer_morse",
    "Collision": "model urdf_importer_morse",
    "Cone": "model urdf_importer_morse",
    "Cylinder": "model urdf_importer_morse",
    "Drag": "kinematics urdf_importer_morse",
    "Mesh": "model urdf_importer_morse",
    "Robot": "model urdf_importer_morse",
    "Sphere": "model urdf_importer_morse",
    "Waypoint": "urdf_importer_morse waypoints",
}


def test_public_classes_have_names_of_their_own() -> None:
    """A new class gets a new name, and a name that is unique at last leaves the table."""
    rooms: dict[str, list[str]] = {}
    for source in (*LIBRARY, *sources_of("operators")):
        ours = source.parts[0] == "urdf_importer"
        room = room_of(source.parts) if ours else source.parts[0]
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                rooms.setdefault(node.name, []).append(room)
    repeated = {name: " ".join(sorted(of)) for name, of in rooms.items() if len(of) > 1}
    assert dict(sorted(repeated.items())) == REPEATED_CLASSES


def test_one_range_of_versions_of_blender() -> None:
    """Pages, manifest, extra and messages name the versions that BLENDERS names."""
    oldest, newest = BLENDERS.split(" to ")
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    for home in ("docs", "listing", "packages/morse"):
        pages += sorted((ROOT / home).rglob("*.md"))
    pages += sorted((ROOT / "urdf_importer").rglob("*.py"))
    said = {
        found
        for page in pages
        for found in re.findall(r"Blenders? (\d\.\d+ to \d\.\d+)", page.read_text("utf-8"))
    }
    assert said - {MODULES["3.11"]} == {BLENDERS}
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text("utf-8"))
    assert manifest["blender_version_min"] == f"{oldest}.0"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (extra,) = (each for each in project["optional-dependencies"]["blender"] if "3.13" in each)
    first, beyond = re.findall(r"bpy>=(\d\.\d+)\.\d+,<(\d\.\d+);", extra)[0]
    assert MODULES["3.13"] == f"{first} and {newest}"
    assert int(beyond.split(".")[1]) == int(newest.split(".")[1]) + 1
    assert f"run_blender-{newest}()" in (ROOT / ".ci" / "run").read_text("utf-8")
