# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes and images of one robot: their locations, contents, and messages about lost ones.

Code that builds, updates or writes a robot asks the same object, so that each file is read once.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from ..diagnostics import Diagnostic, Diagnostics, MeshError, Report, Severity, quote
from ..files.packages import PackageResolver
from ..files.regular import FileKind
from ..geometry.mesh_data import MeshData, turn_upright
from ..geometry.primitives import make_primitive
from ..model import (
    Collision,
    Geometry,
    Link,
    Material,
    Mesh,
    MeshPart,
    Robot,
    Solid,
    Surface,
    Visual,
)
from ..model.file_names import list_meshes
from .file_cache import load_kept
from .heightmaps import is_heightmap
from .loaders import UNSCALED, check_scale, scale_mesh

Shape = Visual | Collision
_Kind = TypeVar("_Kind", Visual, Collision)
_SCRIPT = ".material"
_DRAWN = "solid:"
"""Prefix of the placeholder mesh names of solids; no file name can start with it."""
_File = tuple[Path, MeshPart | None, bool]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShownShape:
    """A shape as a scene shows it, and its arrays in its frame; None where nothing was loaded into
    the scene: its file is asked then."""

    shape: Shape
    data: MeshData | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The result of loading, its reports, as (code, message), and the files that the mesh file
    names: as written there, and where they are."""

    result: MeshData | MeshError
    notes: tuple[tuple[str, str], ...] = ()
    beside: tuple[tuple[str, Path], ...] = ()

    def get(self) -> MeshData:
        if isinstance(self.result, MeshError):
            raise self.result
        return self.result


class RobotFiles:
    """The files of one robot, each read once.

    resolver     finds them
    diagnostics  receives reports of oddities
    shown        shapes present in a scene: their arrays count, not their files
    images       the images of materials in the scene: paths that need no search
    robot        whose files they are: where most of them lie, the others are looked for
    upright      whether meshes are turned as their files say which axis points up; else Z does,
                 as RViz reads them

    `named` are the mesh files of the robot, `drawn` its meshes that are in no file, by their names.
    """

    def __init__(
        self,
        resolver: PackageResolver,
        diagnostics: Diagnostics,
        *,
        shown: Iterable[ShownShape] = (),
        images: Iterable[str] = (),
        robot: Robot | None = None,
        upright: bool = False,
    ) -> None:
        self.diagnostics = diagnostics
        self.resolver = resolver
        # By identity: equal shapes of two links may look different in the scene. Each ShownShape
        # holds its shape, so no other one can have its id.
        self._shown = {id(each.shape): each for each in shown}
        self.images = frozenset(images)
        self._upright = upright
        self._turned: dict[_File, MeshData] = {}
        self.drawn: dict[str, MeshData] = {}
        self._names: dict[Geometry, str] = {}
        self.named = frozenset(() if robot is None else list_meshes(robot))
        resolver.expect_files(self.named)
        self._files: dict[_File, Loaded] = {}
        self._loaded: dict[Geometry, Loaded] = {}
        self._reported: set[Geometry] = set()
        self._opened: set[str] = set()
        self._lost: set[tuple[object, ...]] = set()

    def with_shown(self, shown: Iterable[ShownShape], images: Iterable[str]) -> "RobotFiles":
        """Returns the files of the same robot as a scene shows it."""
        return RobotFiles(self.resolver, self.diagnostics, shown=shown, images=images)

    def with_new(
        self, meshes: Mapping[str, MeshData], images: Collection[str] = frozenset()
    ) -> "RobotFiles":
        """Returns the files of the same robot, each read once, with meshes by their names that are
        in no file yet, and images that do not stay where they are."""
        found = copy(self)
        found.drawn = {**self.drawn, **meshes}
        found.images = self.images | frozenset(images)
        found._loaded = {}
        return found

    def load(self, shape: Shape, link: Link) -> MeshData:
        """Returns the arrays of a shape in metres, in its frame: scale, unit and node transforms
        are baked. Oddities of its file are reported for the first shape that asks. Raises
        MeshError, to each that asks."""
        shown = self._shown.get(id(shape))
        if shown is not None and shown.data is not None:
            return shown.data
        found = self._find(shape.geometry)
        if found.notes and shape.geometry not in self._reported:
            self._reported.add(shape.geometry)
            for code, message in found.notes:
                self.diagnostics.warning(code, message, subject=link.name, line=shape.line)
        return found.get()

    def note_collisions(self, robot: Robot) -> bool:
        """Whether collision shapes take the place of a robot's visuals, with a note if they do."""
        if robot.shows_collisions:
            message = f"no link of robot {quote(robot.name)} has a visual; collisions are shown"
            self.diagnostics.remark("collisions-shown", message, subject=robot.name)
        return robot.shows_collisions

    def peek(self, geometry: Geometry) -> MeshData:
        """Returns the arrays of a described shape and reports nothing: `load` still does. Raises
        MeshError."""
        return self._find(geometry).get()

    def load_or_report(self, shape: Shape, link: Link) -> MeshData | None:
        """Returns the result of `load`; None for a shape without faces and for a lost one, which is
        reported."""
        try:
            data = self.load(shape, link)
        except MeshError as error:
            self.report_lost(error, shape, link)
            return None
        return data if len(data.corners) else None

    def shows(self, shape: Shape) -> bool:
        """Whether a shape is taken from a scene, with its scale there."""
        return id(shape) in self._shown

    def file_of(self, shape: Shape) -> Path | None:
        """Returns the mesh file that holds exactly the arrays of `load`, unscaled; None where there
        is none. It may be of any format."""
        geometry = shape.geometry
        if id(shape) in self._shown or not isinstance(geometry, Mesh) or geometry.scale != UNSCALED:
            return None
        if _is_of_own_kind(geometry) or geometry.filename in self.drawn:
            return None
        with suppress(MeshError):
            path = self.resolver.resolve_file(geometry.filename, _ignore)
            return None if (path, None, geometry.bare) in self._turned else path
        return None

    def open_named(self, mesh: Mesh, link: str, line: int, loss: str) -> tuple[Path, Loaded] | None:
        """Opens the whole file of a mesh of a link, as open_file does, and reports its oddities
        once; None, with an error that ends in the `loss`, where there is none."""
        notes: list[tuple[str, str]] = []
        try:
            path = self.resolver.resolve_file(mesh.filename, _note_in(notes))
        except MeshError as problem:
            message = f"{problem.message}; {loss}"
            self.diagnostics.error(problem.code, message, subject=link, line=line)
            return None
        loaded = self.open_file(path, bare=mesh.bare)
        if mesh.filename not in self._opened:
            self._opened.add(mesh.filename)
            for code, message in (*notes, *loaded.notes):
                self.diagnostics.warning(code, message, subject=link, line=line)
        return path, loaded

    def find_texture(self, material: Material, link: Link) -> Path:
        """Returns the image file of a material that names one. Raises MeshError."""
        name = material.texture or ""
        if name in self.images:
            return Path(name)
        report = partial(self.diagnostics.warning, subject=link.name, line=material.line)
        return self.resolver.resolve_file(name, report, kind="texture")

    def find_surface(self, material: Material, link: Link) -> Surface | None:
        """Returns the surface of a material with the files of its maps. A map that is lost is
        reported once; the number takes its place."""
        surface = material.surface
        if surface is None or not surface.maps:
            return surface
        found: dict[str, str | None] = {}
        for name, file in surface.maps.items():
            try:
                found[name] = str(self.find_texture(replace(material, texture=file), link))
            except MeshError as error:
                found[name] = None
                key = (file, error.code)
                if key not in self._lost:
                    self._lost.add(key)
                    report_lost_texture(error, file, link.name, material.line, self.diagnostics)
        # Written one by one: mypy does not follow names of fields.
        return replace(surface, **found)  # type: ignore[arg-type]

    def is_there(self, name: str, kind: FileKind) -> bool:
        """Whether just there is a file that may be read; nothing is reported."""
        notes: list[tuple[str, str]] = []
        with suppress(MeshError):
            self.resolver.resolve_file(name, _note_in(notes), kind=kind)
            return not notes
        return False

    def find_scripts(self, name: str) -> list[Path]:
        """Finds the scripts of materials that a URI means: a file, or all in a folder, by their
        names. Raises MeshError for a file that is not there."""
        if name.lower().endswith(_SCRIPT):
            return [self.resolver.resolve_file(name, _ignore, kind="file")]
        return self.resolver.list_folder(name, _SCRIPT)

    def list_textures(self, robot: Robot) -> set[Path]:
        """Lists the image files that the visuals of a robot show, and reports nothing."""
        found: set[Path] = set()
        materials = list(robot.materials)
        for visual in (visual for link in robot.links for visual in link.visuals):
            with suppress(MeshError):
                brought = self.peek(visual.geometry).materials
                found.update(each.texture for each in brought if each.texture is not None)
            materials += [visual.material] if visual.material is not None else []
        for name in {name for material in materials for name in material.images}:
            with suppress(MeshError):
                found.add(self.resolver.resolve_file(name, _ignore, kind="texture"))
        return found

    def report_lost(
        self, error: MeshError, shape: Shape, link: Link, *, substitute: str = ""
    ) -> None:
        """Reports, once, that a shape has no mesh: as a warning where a `substitute` (a clause) was
        used, else as an error that names the loss."""
        is_visual = isinstance(shape, Visual)
        key = (link.name, shape.line, shape.geometry, is_visual)
        if key in self._lost:
            return
        self._lost.add(key)
        effect = substitute or ("it is not shown" if is_visual else "it does not collide")
        what = f"{_describe(shape.geometry)} of link {quote(link.name)}"
        self.diagnostics.add(
            Diagnostic(
                severity=Severity.WARNING if substitute else Severity.ERROR,
                code=error.code,
                message=f"{what}: {error.message}; {effect}",
                subject=link.name,
                line=shape.line,
                lost="mesh" if isinstance(shape.geometry, Mesh) else "",
                package=error.package,
            )
        )

    def draw(self, robot: Robot, known: Collection[type[Geometry]]) -> Robot:
        """Returns the robot with meshes in the place of solids that a format does not know; and of
        parts of mesh files and heightmaps, unless Mesh is among the known. They are `drawn`, in
        no file, but `load` has their arrays. Reports shapes that cannot be drawn and leaves them
        out."""
        if not any(_needs_drawing(each, known) for each in _geometries(robot)):
            return robot
        draw = partial(self._draw, known=known)
        links = []
        for link in robot.links:
            visuals = tuple(each for old in link.visuals for each in draw(old, link))
            collisions = tuple(each for old in link.collisions for each in draw(old, link))
            links.append(replace(link, visuals=visuals, collisions=collisions))
        return replace(robot, links=tuple(links))

    def _draw(self, shape: _Kind, link: Link, known: Collection[type[Geometry]]) -> Iterator[_Kind]:
        geometry = shape.geometry
        if not _needs_drawing(geometry, known):
            yield shape
            return
        data = self.load_or_report(shape, link)
        if data is not None:
            if geometry not in self._names:
                number = len(self._names) + 1
                self._names[geometry] = f"{_DRAWN}{type(geometry).__name__.lower()}_{number}"
            name = self._names[geometry]
            self.drawn[name] = data
            yield replace(shape, geometry=Mesh(filename=name))

    def _find(self, geometry: Geometry) -> Loaded:
        if geometry not in self._loaded:
            self._loaded[geometry] = _try(partial(self._load, geometry))
        return self._loaded[geometry]

    def _load(self, geometry: Geometry, report: Report) -> MeshData:
        if not isinstance(geometry, Mesh):
            return make_primitive(geometry)
        if geometry.filename in self.drawn:
            return scale_mesh(self.drawn[geometry.filename], geometry.scale)
        path = self.resolver.resolve_file(geometry.filename, report)
        check_scale(geometry.scale)
        outcome = self.open_file(path, geometry.part, bare=geometry.bare)
        for code, message in outcome.notes:
            report(code, message)
        data = outcome.get()
        if self._upright and data.up != "Z":
            file = (path, geometry.part, geometry.bare)
            if file not in self._turned:
                self._turned[file] = turn_upright(data)
            data = self._turned[file]
        return scale_mesh(data, geometry.scale)

    def open_file(self, path: Path, part: MeshPart | None = None, *, bare: bool) -> Loaded:
        """Loads a mesh file, or a part of it, unscaled and as it lies in the file, once for all
        that ask; nothing is reported."""
        file = (path, part, bare)
        if file in self._files:
            return self._files[file]
        beside: list[tuple[str, Path]] = []

        def resolve_beside(uri: str, kind: FileKind, report: Report) -> Path:
            found = self.resolver.resolve_file(uri, report, kind=kind, base=path.parent)
            beside.append((uri, found))
            return found

        loaded = _try(lambda report: load_kept(path, report, resolve_beside, part, bare=bare))
        self._files[file] = replace(loaded, beside=tuple(dict.fromkeys(beside)))
        return self._files[file]


def _try(load: Callable[[Report], MeshData]) -> Loaded:
    notes: list[tuple[str, str]] = []
    try:
        result: MeshData | MeshError = load(_note_in(notes))
    except MeshError as error:
        result = error
    return Loaded(result=result, notes=tuple(notes))


def report_lost_texture(
    error: MeshError, name: str, subject: str, line: int, diagnostics: Diagnostics
) -> None:
    """Reports that an image cannot be shown; `subject` is the name of a link."""
    diagnostics.add(
        Diagnostic(
            severity=Severity.WARNING,
            code=error.code,
            message=f"texture {quote(name)}: {error.message}; the colour is shown in its place",
            subject=subject,
            line=line,
            lost="texture",
            package=error.package,
        )
    )


def _needs_drawing(geometry: Geometry, known: Collection[type[Geometry]]) -> bool:
    is_own = _is_of_own_kind(geometry) or isinstance(geometry, Solid)
    return is_own and type(geometry) not in known


def _is_of_own_kind(geometry: Geometry) -> bool:
    """Whether other programs show a mesh's file differently: a part of it, or an image."""
    return isinstance(geometry, Mesh) and (geometry.part is not None or is_heightmap(geometry))


def _geometries(robot: Robot) -> Iterator[Geometry]:
    for link in robot.links:
        shapes: tuple[Shape, ...] = (*link.visuals, *link.collisions)
        yield from (each.geometry for each in shapes)


def _describe(geometry: Geometry) -> str:
    if isinstance(geometry, Mesh):
        return f"mesh {quote(geometry.filename)}"
    return f"a {type(geometry).__name__.lower()}"


def _note_in(notes: list[tuple[str, str]]) -> Report:
    return lambda code, message: notes.append((code, message))


def _ignore(code: str, message: str) -> None:
    pass
