# SPDX-License-Identifier: GPL-3.0-or-later
"""What blender_manifest.toml leaves out of the extension is imported by nothing that is in it."""

import ast
import tomllib
from collections.abc import Iterator
from importlib.util import resolve_name

from support.layers import imports_of
from support.paths import ROOT
from support.source_tree import Source, sources_of
from urdf_importer.core.shelves import SHELVES, Part, list_parts

MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text("utf-8"))
LEFT_OUT = {each[1:] for each in MANIFEST["build"]["paths_exclude_pattern"]}
FOLDERS = tuple(each for each in LEFT_OUT if each.endswith("/"))


def is_left_out(module: str) -> bool:
    path = module.replace(".", "/")
    return f"{path}.py" in LEFT_OUT or f"{path}/".startswith(FOLDERS)


PACKED = tuple(
    source
    for source in sources_of("urdf_importer", "operators")
    if not is_left_out(".".join(source.parts))
)


def find_guarded() -> set[str]:
    """Finds the modules of ours that a file of the extension asks find_spec for by name."""
    return {
        resolve_name(node.value, ".".join(source.package))
        for source in PACKED
        if "find_spec" in source.text
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith(".")
        and node.value.strip(".").replace(".", "").isidentifier()
    }


def find_imports(source: Source, guarded: set[str]) -> Iterator[str]:
    for found in imports_of(source):
        module = ".".join(found.target)
        if is_left_out(module) and not (found.deferred and module in guarded):
            yield f"{found.place} imports {module}"


def list_modules(part: Part) -> Iterator[str]:
    """Lists the modules that a record names. Its command may be absent: the command line asks for
    it before."""
    yield from part.names
    places = (*part.hooks.values(), part.reader, part.writer, part.meshes)
    yield from (place.partition(":")[0] for place in places if place)


def test_no_file_of_it_imports_a_file_that_is_left_out() -> None:
    guarded = find_guarded()
    assert "urdf_importer.core.geometry.coacd_parts" in guarded
    assert [line for source in PACKED for line in find_imports(source, guarded)] == []


def test_no_record_in_it_names_a_file_that_is_left_out() -> None:
    parts = [each for shelf in SHELVES for each in list_parts(shelf) if not is_left_out(each[0])]
    named = [f"{package}.{module}" for package, part in parts for module in list_modules(part)]
    assert [module for module in named if is_left_out(module)] == []
