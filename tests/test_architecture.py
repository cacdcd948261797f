# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may import what, and how long things may be."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch

import pytest

import urdf_importer
from support.layers import (
    PAGE,
    PICTURE,
    Import,
    Row,
    draw_architecture,
    imports_of,
    needs_blender,
    read_layers,
    room_of,
    shelf_of,
)
from support.source_tree import ROOT, Source, all_sources, sources_of

MOST_LINES_OF_A_FILE = 399
MOST_LINES_OF_A_FUNCTION = 60
MOST_LINES_WITHOUT_DOCSTRING = 45
MOST_FILES_OF_A_FOLDER = 22
MOST_PARAMETERS = 9
MANY_PARAMETERS = 5
MOST_WIDE_FUNCTIONS = 43
"""How many functions have many parameters; may only get smaller."""


TABLE = read_layers()
BLENDER_ONLY = {"bpy", "bmesh", "mathutils", "idprop", "addon_utils", "bpy_extras"}
# Operators poll, translate and report; what they may see of the library.
# The command is for blender --command.
OPERATORS = Row(
    ours=frozenset(
        [
            "urdf_importer",
            "diagnostics",
            "options",
            "reshape",
            "pipeline",
            "progress",
            "command",
            "cli",
            "shelves",
        ]
    ),
    others=frozenset(("blf", "bpy", "bpy_extras", "gpu", "gpu_extras", "mathutils")),
)

# The part for MORSE is above all rooms of the library that it names.
MORSE = Row(
    ours=frozenset(
        [
            "__init__",
            "arguments",
            "blender",
            "diagnostics",
            "files",
            "geometry",
            "images",
            "kinematics",
            "meshes",
            "model",
            "names",
            "options",
            "pipeline",
            "rig",
            "shelves",
            "writers",
        ]
    ),
    others=frozenset(("bmesh", "bpy", "mathutils", "numpy")),
)

LIBRARY = sources_of("urdf_importer")
MORSE_FILES = sources_of("urdf_importer_morse")
OPERATOR_FILES = sources_of("operators")
OWN = (*LIBRARY, *MORSE_FILES, *OPERATOR_FILES)


def is_python(target: tuple[str, ...]) -> bool:
    return target[0] in sys.stdlib_module_names


def is_ours(found: Import) -> bool:
    return found.relative or found.target[0] == "urdf_importer"


def rooms_of_library() -> Iterator[tuple[Source, str, Import]]:
    """Every import between two rooms, with its file and room."""
    for source in LIBRARY:
        room = room_of(source.parts)
        for found in imports_of(source):
            if is_ours(found) and room_of(found.target) != room:
                yield source, room, found


def test_every_room_has_its_row_and_every_row_its_room() -> None:
    shelves = {(shelf_of(source.parts), room_of(source.parts)) for source in LIBRARY}
    doors_of_shelves = {(shelf, shelf) for shelf in ("core", "formats", "features")}
    assert shelves - doors_of_shelves == {(row.shelf, room) for room, row in TABLE.items()}


def test_rooms_stand_on_those_above_them_in_the_table() -> None:
    """So no arrow leads upwards, and rooms never import each other in a circle."""
    known: set[str] = set()
    for room, row in TABLE.items():
        below = {name for name in row.ours | row.late if name in TABLE}
        assert below <= known | {"__init__"}, f"{room} names rooms above it: {below - known}"
        known.add(room)


def test_the_table_allows_no_more_than_is_used() -> None:
    used: dict[str, set[str]] = {room: set() for room in TABLE}
    for _, room, found in rooms_of_library():
        used[room].add(room_of(found.target))
    for room, row in TABLE.items():
        unused = {name for name in row.ours | row.late if name in TABLE} - used[room]
        assert row.shelf == "doors" or not unused, f"{room} does not use {unused}"


def test_modules_never_import_each_other_in_a_circle() -> None:
    arrows = {
        source.parts: {
            found.target
            for found in imports_of(source)
            if found.relative and not found.deferred and found.target != source.parts
        }
        for source in OWN
    }
    while free := {module for module, targets in arrows.items() if not targets & arrows.keys()}:
        for module in free:
            del arrows[module]
    assert sorted(".".join(module) for module in arrows) == []


def test_folders_hold_few_files() -> None:
    count = Counter(source.path.parent for source in OWN)
    crowded = {str(folder): n for folder, n in count.items() if n > MOST_FILES_OF_A_FOLDER}
    assert crowded == {}


def test_the_picture_shows_the_rooms_as_they_are() -> None:
    assert PICTURE.read_text("utf-8") == draw_architecture(), "run tools/draw-architecture"


def test_rooms_import_what_their_rows_allow() -> None:
    for _, room, found in rooms_of_library():
        row, shelf = TABLE.get(room, Row()), shelf_of(found.target)
        if row.shelf == "doors":
            continue
        target = room_of(found.target)
        late = found.deferred and target in row.late
        below = shelf == "core" and row.shelf != "core"
        place = f"{found.place}: {room} may not import {'.'.join(found.target)}"
        assert below or late or target in row.ours, place
        order = ["core", "formats", "features"]
        assert shelf in order and order.index(shelf) <= order.index(row.shelf), place


def test_imports_inside_the_library_are_relative() -> None:
    for source in LIBRARY:
        for found in imports_of(source):
            if found.relative:
                assert found.target[:1] == ("urdf_importer",), f"{found.place} climbs above its top"
            elif is_ours(found):
                assert source.name == "urdf_importer/headless.py", f"{found.place}: relative only"


def test_rooms_use_the_libraries_of_their_rows() -> None:
    for source in LIBRARY:
        row = TABLE.get(room_of(source.parts), Row())
        for found in imports_of(source):
            name = found.target[0]
            if is_ours(found) or is_python(found.target):
                continue
            permitted = row.others | (row.late if found.deferred else frozenset())
            assert name in permitted, f"{found.place}: {name} is not in its row"


def test_folders_that_need_blender_are_imported_late() -> None:
    """So everything else works without Blender."""
    for source in LIBRARY:
        if needs_blender(source.parts):
            continue
        for found in imports_of(source):
            late = found.deferred or not needs_blender(found.target)
            assert not is_ours(found) or late, f"{found.place}: imports Blender's part at once"


def test_the_library_does_not_know_the_part_for_morse() -> None:
    """Its names in builder scripts lead to it, and its entry point; the part names the rooms of the
    library that it stands on."""
    for found in (found for source in OWN for found in imports_of(source)):
        assert "urdf_importer_morse" not in found.target[:1] or found.relative, found.place
    for found in (found for source in MORSE_FILES for found in imports_of(source)):
        if not found.relative and not is_python(found.target):
            ours = found.target[0] == "urdf_importer"
            name = room_of(found.target) if ours else found.target[0]
            assert name in (MORSE.ours if ours else MORSE.others), f"{found.place}: {name}"


def test_operators_see_public_names_only() -> None:
    for found in (found for source in OPERATOR_FILES for found in imports_of(source)):
        if found.relative and found.target[0] == "operators":
            continue
        if found.relative:
            assert found.target[0] == "urdf_importer", f"{found.place}: {found.target}"
            seen = needs_blender(found.target) or len(found.target) == 1
            seen = (
                seen or room_of(found.target) in OPERATORS.ours or shelf_of(found.target) != "core"
            )
            assert seen, f"{found.place}: {found.target}"
        elif not is_python(found.target):
            assert found.target[0] in OPERATORS.others, f"{found.place}: {found.target}"


def test_operators_take_only_exported_names() -> None:
    for source in OPERATOR_FILES:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ImportFrom) and node.module == "urdf_importer" and node.level:
                taken = {alias.name for alias in node.names} - {"blender", *urdf_importer.__all__}
                assert not taken, f"{source.place(node)}: {taken}"


STATE = {
    "urdf_importer/core/blender/memory.py": "what was read from rigs, until it is out of date",
    "urdf_importer/features/live/blender/live.py": "connections, which outlive operators",
    "urdf_importer/core/blender/build/sharing.py": "materials as made, by their files",
    "urdf_importer/features/ik/blender/live.py": "whether targets move by this code's own doing",
    "urdf_importer/features/collisions/check.py": "shapes of robots, as their files were",
    "urdf_importer/features/ik/problem.py": "what follows from a robot, a pure value",
    "urdf_importer/core/kinematics/loops/solve.py": "what follows from a robot, a pure value",
    "urdf_importer/core/meshes/file_cache.py": "files by their state on disk, of bounded size",
    "urdf_importer/formats/usd/stages/process.py": "the stage read last, by its files' states",
    "operators/session.py": "what the interface remembers, all of it, until it is taken out",
}
"""Files whose functions change what belongs to the module, and why. May only get shorter: what was
read from a rig belongs into core/blender/memory.py, which knows when it is out of date."""
CHANGES = {"add", "append", "clear", "discard", "extend", "insert", "move_to_end", "pop"}
CHANGES |= {"popitem", "remove", "setdefault", "update"}


def test_modules_hold_no_state_but_what_is_listed() -> None:
    sources = (*LIBRARY, *OPERATOR_FILES)
    found = {source.name: changed_state(source.tree) for source in sources}
    stateful = {name for name, names in found.items() if names}
    assert stateful == set(STATE), {name: found[name] for name in stateful ^ set(STATE)}


def changed_state(tree: ast.Module) -> set[str]:
    """The names of a module that its functions change: containers, globals, attributes of classes
    that are not Blender's properties; and its own containers that begin empty."""
    classes = {each.name for each in tree.body if isinstance(each, ast.ClassDef)}
    names = set[str]()
    changed = set[str]()
    for each in tree.body:
        target = each.targets[0] if isinstance(each, ast.Assign) else getattr(each, "target", None)
        if isinstance(target, ast.Name) and isinstance(each, ast.Assign | ast.AnnAssign):
            names.add(target.id)
            value = "" if each.value is None else ast.unparse(each.value)
            grows = value in ("[]", "{}", "set()") or value.startswith("Recent(")
            if grows and target.id.startswith("_"):
                changed.add(target.id)
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    for node in (node for function in functions for node in ast.walk(function)):
        match node:
            case ast.Global(names=declared):
                changed.update(declared)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=verb)):
                changed.update({name} & names if verb in CHANGES else ())
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                changed.update({name} & names)
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name))], value=value):
                if not ast.unparse(value).startswith("bpy.props."):
                    changed.update({name} & classes)
    return changed


def test_no_folder_of_tests_is_passed_over(pytestconfig: pytest.Config) -> None:
    passed_over = pytestconfig.getini("norecursedirs")
    tests = (path for top in ("tests", "packages") for path in (ROOT / top).rglob("test_*.py"))
    folders = {path.parent for path in tests}
    parts = {part for folder in folders for part in folder.relative_to(ROOT).parts}
    assert not {part for part in parts for each in passed_over if fnmatch(part, each)}


def test_only_folders_called_blender_know_blender() -> None:
    users = {
        source.name
        for source in LIBRARY
        for found in imports_of(source)
        if not found.relative and found.target[0] in BLENDER_ONLY
    }
    assert [name for name in users if "/blender/" not in name] == []


def test_the_extension_imports_nothing_before_it_is_registered() -> None:
    (root,) = (source for source in all_sources() if source.path == ROOT / "__init__.py")
    assert all(found.deferred for found in imports_of(root))


def test_files_name_their_licence() -> None:
    licence = "# SPDX-License-Identifier: GPL-3.0-or-later\n"
    assert [each.name for each in all_sources() if not each.text.startswith(licence)] == []


def test_files_are_short() -> None:
    counts = {each.name: each.text.count("\n") for each in OWN}
    assert {name: n for name, n in counts.items() if n > MOST_LINES_OF_A_FILE} == {}


def test_functions_are_short() -> None:
    for source, node in walk_nodes():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            length = node.end_lineno - node.lineno + 1
            assert length <= MOST_LINES_OF_A_FUNCTION, f"{source.place(node)}: {length} lines"
            short = length - _lines_of_docstring(node)
            assert short <= MOST_LINES_WITHOUT_DOCSTRING, f"{source.place(node)}: {short} lines"


def walk_nodes() -> Iterator[tuple[Source, ast.AST]]:
    """Every node of the library and the operators."""
    for source in OWN:
        for node in ast.walk(source.tree):
            yield source, node


def _lines_of_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    if ast.get_docstring(node) is None:
        return 0
    first = node.body[0]
    return (first.end_lineno or first.lineno) - first.lineno + 1


def test_few_functions_have_many_parameters() -> None:
    """What travels together is one object: an option class, or a small one of its own."""
    wide = {}
    for source, node in walk_nodes():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            count = _count_parameters(node.args)
            assert count <= MOST_PARAMETERS, f"{source.place(node)}: {count} parameters"
            if count > MANY_PARAMETERS:
                wide[source.place(node)] = count
    assert len(wide) <= MOST_WIDE_FUNCTIONS, wide


def _count_parameters(args: ast.arguments) -> int:
    """All but the object of a method and what a function takes without a name for it."""
    named = [each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return len(named) - (named[:1] in (["self"], ["cls"]))


def test_only_front_ends_print() -> None:
    printing = {
        source.name
        for source, node in walk_nodes()
        if isinstance(node, ast.Name) and node.id in ("print", "pprint")
    }
    assert printing <= {"urdf_importer/cli.py", "urdf_importer/headless.py"}


def test_no_catch_all() -> None:
    """What catches everything must raise it again: an unexpected exception keeps its traceback."""
    for source, node in walk_nodes():
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = ast.unparse(node.type) if node.type else "BaseException"
        names = set(caught.strip("()").replace(" ", "").split(","))
        if names & {"Exception", "BaseException"}:
            last = node.body[-1]
            assert isinstance(last, ast.Raise) and last.exc is None, source.place(node)


def test_files_that_the_page_names_exist() -> None:
    named = re.findall(
        r"`((?:urdf_importer|operators|packages|tests|tools|docs)/[\w./]+)`",
        PAGE.read_text("utf-8"),
    )
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []
