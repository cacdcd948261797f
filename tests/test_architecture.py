# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may import what, and how long things may be."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from support.source_tree import ROOT, Source, all_sources, sources_of, walk_with_depth

MOST_LINES_OF_A_FILE = 399
MOST_LINES_OF_A_FUNCTION = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one part of urdf_importer may import.

    `ours` are its other parts ("urdf_importer" is the public API), `others` are libraries beside
    Python's own; those of `late` only inside functions.
    """

    ours: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()


def row(ours: str = "", others: str = "", late: str = "") -> Row:
    return Row(
        ours=frozenset(ours.split()), others=frozenset(others.split()), late=frozenset(late.split())
    )


PLAIN = "model options diagnostics"
TABLE = {
    "model": row(),
    "options": row(),
    "diagnostics": row(),
    "progress": row(),
    # Ctrl-C where Blender cannot take it.
    "interrupts": row(),
    # The ground floor: files, XML, arrays and images, for whoever reads or writes.
    "files": row("diagnostics"),
    "markup": row(PLAIN),
    "geometry": row("model diagnostics", "numpy"),
    "images": row("diagnostics", "numpy"),
    "kinematics": row(f"{PLAIN} geometry", "numpy"),
    "meshes": row("model diagnostics files geometry", "numpy", late="stl collada"),
    "readers": row(f"{PLAIN} files markup", late="xacro yaml ruamel"),
    # Two states of a robot, in words: read by the Blender layer and by the front ends.
    "reshape": row(PLAIN),
    # What descriptions say of sensors, for every program that has some.
    "sensors": row(f"{PLAIN} kinematics markup geometry", "numpy"),
    # Kinematics never knows what Blender makes of it.
    "rig": row(f"{PLAIN} kinematics geometry", "numpy"),
    # What a writer makes is several files, written all or not at all.
    "writers": row(f"{PLAIN} kinematics rig geometry images meshes files markup sensors", "numpy"),
    "blender": row(
        f"{PLAIN} reshape kinematics rig geometry images meshes files progress interrupts",
        "bpy bmesh mathutils idprop numpy",
    ),
    "pipeline": row(
        f"{PLAIN} reshape kinematics rig geometry meshes files progress readers sensors writers",
        late="blender",
    ),
    # The front ends. headless.py is started as a file, so it must name the package.
    "__init__": row(f"{PLAIN} reshape kinematics rig pipeline progress"),
    "__main__": row("cli"),
    "cli": row("urdf_importer diagnostics options files progress interrupts command"),
    "command": row("urdf_importer diagnostics options files progress"),
    "headless": row("urdf_importer diagnostics options progress cli"),
    # The wing of MORSE stands above the API: nothing else may import it.
    "morse": row(
        f"urdf_importer {PLAIN} files markup geometry kinematics meshes sensors rig writers "
        "pipeline blender",
        "numpy bpy bmesh mathutils",
    ),
}
BLENDER_ONLY = {"bpy", "bmesh", "mathutils", "idprop", "addon_utils", "bpy_extras"}
# Operators poll, translate and report; what they may see of the library.
# The command is for blender --command.
OPERATORS = row("urdf_importer options blender cli", "bpy bpy_extras")

LIBRARY = sources_of("urdf_importer")
OPERATOR_FILES = sources_of("operators")


@dataclass(frozen=True, slots=True)
class Import:
    """`target` is the dotted name from the checkout (ours) or from sys.path (others)."""

    target: tuple[str, ...]
    relative: bool
    deferred: bool
    place: str


def imports_of(source: Source) -> Iterator[Import]:
    for node, deferred in walk_with_depth(source.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(tuple(alias.name.split(".")), False, deferred, source.place(node))
        elif isinstance(node, ast.ImportFrom):
            module = tuple(node.module.split(".")) if node.module else ()
            if not node.level:
                yield Import(module, False, deferred, source.place(node))
                continue
            climbs = node.level - 1
            assert climbs <= len(source.package), f"{source.place(node)} climbs above the checkout"
            target = source.package[: len(source.package) - climbs] + module
            # `from . import x` means the module x where there is one
            for alias in node.names:
                full = (*target, alias.name)
                yield Import(
                    full if is_module(full) else target, True, deferred, source.place(node)
                )


def is_module(parts: tuple[str, ...]) -> bool:
    path = ROOT.joinpath(*parts)
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def part_of(parts: tuple[str, ...]) -> str:
    """The row of TABLE for a dotted name that starts with urdf_importer."""
    return parts[1] if len(parts) > 1 else "urdf_importer"


def row_name(source: Source) -> str:
    """Of the folder in a part that has a row of its own, else of the part."""
    nested = ".".join(source.parts[1:3])
    if nested in TABLE:
        return nested
    return source.parts[1] if len(source.parts) > 1 else "__init__"


def is_python(target: tuple[str, ...]) -> bool:
    return target[0] in sys.stdlib_module_names


def test_every_part_has_its_row() -> None:
    assert {row_name(source) for source in LIBRARY} <= set(TABLE)


@pytest.mark.parametrize("source", LIBRARY, ids=lambda source: source.name)
def test_library_imports_what_its_row_allows(source: Source) -> None:
    part = row_name(source)
    allowed = TABLE[part]
    for found in imports_of(source):
        if found.relative:
            assert found.target[:1] == ("urdf_importer",), f"{found.place} climbs above its top"
        ours = found.relative or found.target[0] == "urdf_importer"
        if ours and not found.relative:
            assert part == "headless", f"{found.place}: relative imports only"
        name = part_of(found.target) if ours else found.target[0]
        if name == part or (not ours and is_python(found.target)):
            continue
        permitted = (allowed.ours if ours else allowed.others) | (
            allowed.late if found.deferred else frozenset()
        )
        assert name in permitted, f"{found.place}: {part} may not import {'.'.join(found.target)}"


@pytest.mark.parametrize("source", OPERATOR_FILES, ids=lambda source: source.name)
def test_operators_see_public_names_only(source: Source) -> None:
    for found in imports_of(source):
        if found.relative and found.target[0] == "operators":
            continue
        if found.relative:
            assert found.target[0] == "urdf_importer", f"{found.place}: {found.target}"
            assert part_of(found.target) in OPERATORS.ours, f"{found.place}: {found.target}"
        elif not is_python(found.target):
            assert found.target[0] in OPERATORS.others, f"{found.place}: {found.target}"


def test_operators_take_only_exported_names() -> None:
    exported = exported_names()
    for source in OPERATOR_FILES:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ImportFrom) and node.module == "urdf_importer" and node.level:
                taken = {alias.name for alias in node.names} - {"blender"}
                assert taken <= exported, f"{source.place(node)}: {taken - exported}"


def exported_names() -> set[str]:
    (api,) = (source for source in LIBRARY if source.parts == ("urdf_importer",))
    for node in api.tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return set(names)
    raise AssertionError("urdf_importer exports nothing")


def test_only_the_blender_layer_knows_blender() -> None:
    users = {
        row_name(source)
        for source in LIBRARY
        for found in imports_of(source)
        if not found.relative and found.target[0] in BLENDER_ONLY
    }
    assert users <= {"blender", "morse"}


def test_the_extension_imports_nothing_before_it_is_registered() -> None:
    (root,) = (source for source in all_sources() if source.path == ROOT / "__init__.py")
    assert all(found.deferred for found in imports_of(root))


@pytest.mark.parametrize("source", all_sources(), ids=lambda source: source.name)
def test_file_names_its_licence(source: Source) -> None:
    first = source.text.partition("\n")[0]
    assert first == "# SPDX-License-Identifier: GPL-3.0-or-later"


@pytest.mark.parametrize("source", LIBRARY + OPERATOR_FILES, ids=lambda source: source.name)
def test_files_and_functions_are_short(source: Source) -> None:
    count = source.text.count("\n")
    assert count <= MOST_LINES_OF_A_FILE
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            length = node.end_lineno - node.lineno + 1
            assert length <= MOST_LINES_OF_A_FUNCTION, f"{source.place(node)}: {length} lines"


@pytest.mark.parametrize("source", LIBRARY + OPERATOR_FILES, ids=lambda source: source.name)
def test_only_front_ends_print(source: Source) -> None:
    if row_name(source) in ("cli", "headless") and source in LIBRARY:
        return
    for node in ast.walk(source.tree):
        is_print = isinstance(node, ast.Name) and node.id in ("print", "pprint")
        assert not is_print, f"{source.name} prints"


@pytest.mark.parametrize("source", LIBRARY + OPERATOR_FILES, ids=lambda source: source.name)
def test_no_catch_all(source: Source) -> None:
    """What catches everything must raise it again: an unexpected exception keeps its traceback."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = ast.unparse(node.type) if node.type else "BaseException"
        names = set(caught.strip("()").replace(" ", "").split(","))
        if names & {"Exception", "BaseException"}:
            last = node.body[-1]
            assert isinstance(last, ast.Raise) and last.exc is None, source.place(node)
