# SPDX-License-Identifier: GPL-3.0-or-later
"""Locate: a folder for the files that a rig lacks, and an update that fills them in."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..arguments import rig_of, texts_of
from ..diagnostics import MeshError, ReadError, quote, quote_path
from ..files.candidates import find_workspaces
from ..files.folders import Folders, walk_up
from ..files.package_search import LEVELS_OF_PACKAGE_FOLDERS
from ..files.packages import AnyPath
from ..files.references import read_reference
from ..files.regular import FileKind
from ..model import Material, Mesh, Robot
from ..options import ImportOptions
from .files import find_files
from .updating import UpdateResult, update_robot

Uri = tuple[str, FileKind]


def locate_package(armature: Any, folder: AnyPath, *, package: str = "") -> UpdateResult:
    """Fills in the meshes and textures that a rig lacks, in place, from a folder: the folder of the
    package named `package`, whatever its own name, or one that holds it or lies in it. Without a
    package, any folder that holds the files.

    All else of the rig stays as in update_robot, and the rig remembers the folder. Raises
    RobotError (one sentence) where none of the missing files is found; nothing has changed then.
    """
    armature = rig_of(armature)
    record, missing = _find_missing(armature, package)
    path = os.path.abspath(folder)
    if not os.path.isdir(path):
        raise ReadError(f"there is no folder {quote_path(folder)}")
    if not missing:
        what = f"of package {quote(package)}" if package else "that its description names"
        raise ReadError(f"the rig {quote(armature.name)} lacks no file {what}")
    ways = list(_ways(record.options, path, package))
    found = [_count_found(record.path, way, missing) for way in ways]
    if not max(found)[0]:
        one = quote(missing[0][0])
        shown = one if len(missing) == 1 else f"the {len(missing)} missing files, such as {one}"
        raise ReadError(f"folder {quote(path)} has none of {shown}")
    return update_robot(armature, options=ways[found.index(max(found))])


def find_package_folders(
    armature: Any, package: str, *, package_paths: Sequence[AnyPath] = ()
) -> tuple[str, ...]:
    """Finds folders in which files of `package` are that the rig lacks: near its description, in
    `package_paths`, in ROS workspaces of the user's home folder and in /opt/ros, in bounded time.
    None of them is used before locate_package is given it. Raises BuildError for an object that is
    not an imported robot."""
    record, missing = _find_missing(rig_of(armature), package)
    rests = [read_reference(*uri).path for uri in missing]
    folders = texts_of(package_paths, "package_paths")
    found = dict.fromkeys(_walk_candidates(record.path, package, folders))
    held = {each: sum(os.path.isfile(os.path.join(each, rest)) for rest in rests) for each in found}
    return tuple(sorted((each for each in found if held[each]), key=lambda each: -held[each]))


def _ways(options: ImportOptions, folder: str, package: str) -> Iterator[ImportOptions]:
    """Yields options that interpret a folder in different ways; the first is the simplest."""
    known = Folders()
    above = [
        each
        for each in walk_up(os.path.dirname(folder))
        if package and package in (os.path.basename(each), known.find_package_name(each))
    ]
    for path in (folder, *above):
        yield replace(options, package_paths=(*options.package_paths, path))
    if package:
        others = tuple(pair for pair in options.packages if pair[0] != package)
        yield replace(options, packages=(*others, (package, folder)))


def _count_found(source: str, options: ImportOptions, wanted: Sequence[Uri]) -> tuple[int, int]:
    """Counts the files that these options find, and (below zero) the ones found only by a guess."""
    notes: list[str] = []
    resolver = find_files(source, options)
    resolver.expect_files(uri for uri, _ in wanted)
    found = 0
    for uri, kind in wanted:
        with contextlib.suppress(MeshError):
            resolver.resolve_file(uri, lambda code, message: notes.append(code), kind=kind)
            found += 1
    return found, -len(notes)


def _find_missing(armature: Any, package: str) -> tuple[Any, list[Uri]]:
    """Returns the record of a rig, and its files of a package, or of all where that is empty, that
    cannot be found now."""
    from ..blender.extract.robot import extract_robot
    from ..blender.standing.record import find_record

    record = find_record(armature)
    resolver = find_files(record.path, record.options)
    missing: list[Uri] = []
    for uri, kind in dict.fromkeys(_list_files(extract_robot(armature))):
        with contextlib.suppress(MeshError):  # References that can never be a file here.
            if package not in ("", read_reference(uri, kind).package):
                continue
            try:
                resolver.resolve_file(uri, lambda code, message: None, kind=kind)
            except MeshError:
                missing.append((uri, kind))
    return record, missing


def _list_files(robot: Robot) -> Iterator[Uri]:
    materials: list[Material] = list(robot.materials)
    for link in robot.links:
        for shape in link.shapes:
            if isinstance(shape.geometry, Mesh):
                yield shape.geometry.filename, "mesh"
        materials += [visual.material for visual in link.visuals if visual.material is not None]
    for material in materials:
        if material.texture:
            yield material.texture, "texture"


def _walk_candidates(source: str, package: str, package_paths: Sequence[AnyPath]) -> Iterator[str]:
    """Walks through folders that are called as the package, or whose package.xml says its name."""
    folders = Folders()
    chain = walk_up(os.path.dirname(os.path.abspath(source)))
    beside = [os.path.dirname(chain[-1])] if chain else []
    places = [*chain, *beside, *map(os.path.abspath, package_paths), *find_workspaces()]
    for place in dict.fromkeys(places):
        for folder in (place, os.path.join(place, package)):
            if os.path.basename(folder) == package and os.path.isdir(folder):
                yield folder
        yield from folders.find_packages(place, LEVELS_OF_PACKAGE_FOLDERS).get(package, ())
