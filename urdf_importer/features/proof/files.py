# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs of files: names that do not say where they are, and meshes that are turned inside out."""

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ...core.diagnostics import MeshError, MovedNote
from ...core.files.folders import Folders, walk_up
from ...core.files.packages import PackageResolver
from ...core.files.portable import relative_path
from ...core.files.references import read_reference
from ...core.files.regular import FileKind
from ...core.geometry.mesh_data import MeshData, turn_over
from ...core.meshes import RobotFiles
from ...core.meshes.write_files import choose_format
from ...core.model import Mesh, Robot
from ...core.model.file_names import name_files
from ...core.writers.named_files import find_free_name
from .rules.shapes import is_inside_out
from .survey import RobotSurvey

MISNAMED = ("wrong-case", "moved-file", "renamed-package")
"""Codes of files that are found, but not where their names say."""
INSIDE_OUT = "mesh-inside-out"
_FORMATS = (".stl", ".obj", ".glb", ".dae")

Note = Callable[[str, str, str, str, int], None]
"""Takes note of a change: what, link, old and new name, line."""


def mend_names(
    robot: Robot, resolver: PackageResolver, wants: Callable[[str], bool], note: Note
) -> Robot:
    """Returns the robot with names that say where its files are, as far as there is one answer:
    one file that fits, and one package or folder that it is in."""
    names = {}

    def rename(name: str, kind: FileKind, link: str = "", line: int = 0) -> str:
        if name not in names:
            names[name] = _find_name(name, kind, robot.source, resolver, wants)
        if names[name] != name:
            note(f"file of {kind}", link, name, names[name], line)
        return names[name]

    return name_files(
        robot,
        lambda mesh, link, line, part: rename(mesh.filename, "mesh", link, line),
        lambda name: rename(name, "texture"),
    )


def _find_name(
    name: str, kind: FileKind, source: str, resolver: PackageResolver, wants: Callable[[str], bool]
) -> str:
    """Returns the right name of a file; the old one where it is right, or where none is sure."""
    told: list[tuple[str, str]] = []
    try:
        path = resolver.resolve_file(name, lambda *each: told.append(each), kind=kind)
        for code, message in told:
            # One that says why was chosen among several files.
            is_chosen = isinstance(message, MovedNote) and bool(message.why)
            if code not in MISNAMED or not wants(code) or is_chosen:
                return name
        new = name
        if told:
            kept = told[0][0] != "renamed-package"
            new = _name(name, str(path), source, resolver, keeps_package=kept)
        told.clear()
        is_right = resolver.resolve_file(new, lambda *each: told.append(each), kind=kind) == path
    except MeshError:
        return name
    return new if is_right and not told else name


def _name(
    name: str, path: str, source: str, resolver: PackageResolver, *, keeps_package: bool
) -> str:
    """Returns the name of a path in the notation of an old name: of its package, or the way from
    the description."""
    package = read_reference(name, "mesh").package
    if not package:
        return relative_path(path, Path(source).parent.absolute())
    homes = [(package, each) for each in resolver.find_packages(package)]
    if not keeps_package:
        folders = Folders()
        named = ((folders.find_package_name(each), each) for each in walk_up(os.path.dirname(path)))
        homes = [(called, each) for called, each in named if called][:1]
    scheme = name.strip().partition(":")[0] if "://" in name else "package"
    for called, home in homes:
        way = PurePosixPath(relative_path(path, home))
        if ".." not in way.parts and not way.is_absolute():
            return f"{scheme}://{called}/{way}"
    return name


def turn_meshes(robot: Robot, survey: RobotSurvey, note: Note) -> tuple[Robot, dict[str, MeshData]]:
    """Returns the robot with turned copies in the place of meshes that are inside out, and these by
    their names."""
    files, names = survey.files, dict[str, str]()
    bad = {each.geometry for _, each, found in survey.meshes() if is_inside_out(found)}
    inwards = {each.filename for each in bad if isinstance(each, Mesh) and each.part is None}
    turned: dict[str, MeshData] = {}

    def rename(mesh: Mesh, link: str, line: int, part: str) -> str:
        if mesh.filename not in inwards or mesh.part is not None:
            return mesh.filename
        if mesh.filename not in names:
            found = _turn(mesh, files, part, turned)
            if found is None:
                return mesh.filename
            names[mesh.filename], turned[names[mesh.filename]] = found[0], found[1]
        note("inside-out mesh", link, mesh.filename, names[mesh.filename], line)
        return names[mesh.filename]

    return name_files(robot, rename, lambda name: name), turned


def _turn(
    mesh: Mesh, files: RobotFiles, part: str, taken: Collection[str]
) -> tuple[str, MeshData] | None:
    """Returns the name and the arrays of a turned copy; None for a file that is lost meanwhile."""
    try:
        path = files.resolver.resolve_file(mesh.filename, lambda *_: None)
        data = files.open_file(path, bare=mesh.bare).get()
    except MeshError:
        return None
    suffix = path.suffix.lower()
    kind = suffix[1:] if suffix in _FORMATS else choose_format(data, "auto", plain=True)
    name = find_free_name(f"{path.stem}_turned", part, kind, (*files.named, *taken))
    normals = None if data.normals is None else -turn_over(data.normals, data)
    uvs = None if data.uvs is None else turn_over(data.uvs, data)
    corners = turn_over(data.corners, data)
    return name, replace(data, corners=corners, normals=normals, uvs=uvs)
