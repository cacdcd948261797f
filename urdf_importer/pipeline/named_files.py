# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that a robot names, for formats of descriptions: found, converted, drawn."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from ..diagnostics import Diagnostics, MeshError, Report
from ..files.packages import PackageResolver
from ..files.regular import FileKind
from ..geometry.mesh_data import MeshData
from ..meshes import RobotFiles
from ..meshes.kept_files import load_kept
from ..meshes.loaders import scale_mesh
from ..meshes.robot_files import ShownShape
from ..meshes.write_files import MeshFormat
from ..model import Geometry, Mesh, Robot
from ..model.file_names import name_files
from ..options import ExportOptions
from ..progress import finish
from ..writers.urdf.meshes import FoundFile, NewFiles, find_free_name
from .fitting import fit_if_asked


def name_meshes(robot: Robot) -> Iterator[str]:
    for link in robot.links:
        geometries = (shape.geometry for shape in link.shapes)
        yield from (each.filename for each in geometries if isinstance(each, Mesh))


def fit_shapes(
    robot: Robot,
    new: NewFiles,
    resolver: PackageResolver,
    options: ExportOptions,
    diagnostics: Diagnostics,
) -> tuple[Robot, NewFiles]:
    """Gives the robot the collision shapes that the options want; new files that it does not name
    any more are left out."""
    shown = [
        ShownShape(shape=each, data=scale_mesh(new.meshes[mesh.filename], mesh.scale))
        for link in robot.links
        for each in link.shapes
        if isinstance(mesh := each.geometry, Mesh) and mesh.filename in new.meshes
    ]
    upright = getattr(options, "up_axis", "ignore") == "file"
    files = RobotFiles(resolver, diagnostics, shown=shown, upright=upright)
    fitted = finish(fit_if_asked(robot, files, options, diagnostics))
    if fitted is robot:
        return robot, new
    named = set(name_meshes(fitted))
    meshes = {name: mesh for name, mesh in new.meshes.items() if name in named}
    return fitted, replace(new, meshes=meshes)


def draw_solids(
    robot: Robot,
    new: NewFiles,
    files: RobotFiles,
    format: MeshFormat,
    known: tuple[type[Geometry], ...] = (),
) -> tuple[Robot, NewFiles]:
    """Gives shapes that a format does not know (ellipsoids, parts of mesh files) mesh files of
    their own, unless they are `known`."""
    drawn = files.draw(robot, known)
    if drawn is robot:
        return robot, new
    meshes = dict(new.meshes)
    names: dict[tuple[str, str], str] = {}

    def rename(mesh: Mesh, link: str, line: int, part: str) -> str:
        if not files.is_drawn(mesh):
            return mesh.filename
        key = (mesh.filename, part)
        if key not in names:
            stem = mesh.filename.partition(":")[2]
            names[key] = find_free_name(stem, part, format, meshes)
            meshes[names[key]] = files.peek(mesh)
        return names[key]

    return name_files(drawn, rename, lambda name: name), replace(new, meshes=meshes)


def convert_meshes(
    robot: Robot, finder: "MeshFinder", format: MeshFormat, known: Collection[str] = ()
) -> tuple[Robot, NewFiles]:
    """Gives the meshes of a description that have neither this format nor a `known` suffix new
    names, for files of this format."""
    names: dict[tuple[str, str], str] = {}
    meshes: dict[str, MeshData] = {}

    def rename(mesh: Mesh, link: str, line: int, part: str) -> str:
        key = (mesh.filename, part)
        if key not in names:
            names[key] = mesh.filename
            path = PurePosixPath(mesh.filename.strip().replace("\\", "/"))
            found = finder.load(mesh, link, line)
            if found is not None and path.suffix.lower() not in (f".{format}", *known):
                names[key] = find_free_name(path.stem, part, format, meshes)
                meshes[names[key]] = found
        return names[key]

    converted = name_files(robot, rename, lambda name: name)
    return converted, NewFiles(meshes=meshes, old=frozenset(name_meshes(robot)))


def find_file(resolver: PackageResolver, name: str) -> Path | None:
    try:
        return resolver.resolve_file(name, lambda code, message: None)
    except MeshError:
        return None


class MeshFinder:
    """Finds mesh files and, by loading each once, the files they refer to: within the bounds of an
    import."""

    def __init__(self, resolver: PackageResolver, diagnostics: Diagnostics) -> None:
        self._resolver = resolver
        self._diagnostics = diagnostics
        self._known: dict[str, FoundFile | None] = {}

    def __call__(self, mesh: Mesh, link: str, line: int) -> FoundFile | None:
        if mesh.filename not in self._known:
            self._known[mesh.filename] = self._find(mesh, link, line)
        return self._known[mesh.filename]

    def load(self, mesh: Mesh, link: str, line: int) -> MeshData | None:
        """Loads a mesh without its scale; None, with a diagnostic, where that cannot be done."""
        report = partial(self._diagnostics.warning, subject=link, line=line)
        try:
            path = self._resolver.resolve_file(mesh.filename, report)
            return self._load(path, mesh, report, [])
        except MeshError as problem:
            message = f"{problem.message}; the file keeps its name"
            self._diagnostics.error(problem.code, message, subject=link, line=line)
            return None

    def _find(self, mesh: Mesh, link: str, line: int) -> FoundFile | None:
        report = partial(self._diagnostics.warning, subject=link, line=line)
        beside: list[tuple[str, Path]] = []
        try:
            path = self._resolver.resolve_file(mesh.filename, report)
        except MeshError as problem:
            message = f"{problem.message}; the file is not copied"
            self._diagnostics.error(problem.code, message, subject=link, line=line)
            return None
        try:
            self._load(path, mesh, report, beside)
        except MeshError as problem:
            report(problem.code, f"{problem.message}; the file is copied unchanged")
        return FoundFile(path=path, beside=tuple(dict.fromkeys(beside)))

    def _load(
        self, path: Path, mesh: Mesh, report: Report, beside: list[tuple[str, Path]]
    ) -> MeshData:
        """Loads a file as an import does, which keeps it, and lists the files that it names."""

        def find_beside(uri: str, kind: FileKind, note: Report) -> Path:
            found = self._resolver.resolve_file(uri, note, kind=kind, base=path.parent)
            beside.append((uri, found))
            return found

        return load_kept(path, report, find_beside, bare=mesh.bare)


def find_texture(resolver: PackageResolver, diagnostics: Diagnostics, name: str) -> Path | None:
    try:
        return resolver.resolve_file(name, diagnostics.warning, kind="texture")
    except MeshError as problem:
        diagnostics.error(problem.code, f"{problem.message}; the file is not copied")
        return None
