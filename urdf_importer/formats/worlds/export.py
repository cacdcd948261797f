# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds out: the robots of the scene and all around them -> one file."""

import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from ...core.arguments import diagnostics_of
from ...core.diagnostics import Diagnostics, WriteError, name_choices, quote_path, unknown_name
from ...core.files.packages import AnyPath
from ...core.model import Cone, Ellipsoid, Extrusion, Mesh, Robot, Solid
from ...core.model.world import Surroundings
from ...core.names import Claims
from ...core.options import FileOptions
from ...core.pipeline.exporting import fit_options
from ...core.pipeline.opening import open_export
from ...core.progress import Progress, finish, relay
from ...core.writers.formats import OpenExport, WriterFormat, Written
from ..mjcf.write.format import MJCF
from ..sdf.files import SDF_WRITER, report_pose, write_model, write_thing
from ..sdf.write.options import SdfOptions
from ..webots.write import WEBOTS
from .mujoco import names_of, write_mujoco_world
from .write.request import WorldRequest, WorldRobot
from .write.sdf import ModelFile, write_sdf_world
from .write.webots import write_webots_world

_Writing = Generator[str, None, Written]
"""Yields the names of the parts before they are written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Format:
    """`solids` are the shapes that it has beyond boxes, cylinders, spheres and capsules. Robots
    come as they were edited, without their pose, where they are not `shown`."""

    kind: WriterFormat[Any]
    write: Callable[[WorldRequest[Any]], _Writing]
    solids: tuple[type[Solid], ...] = ()
    keeps_seats: bool = False
    shown: bool = True


def _write_sdf(request: WorldRequest[SdfOptions]) -> _Writing:
    claims = Claims(taken=["world"])
    names, models = {}, []
    for robot in request.robots:
        name = names[robot.name] = claims.claim(robot.name.replace("::", "_"))
        write = partial(write_model, robot.found, name=name)
        models.append(ModelFile(name=name, write=write))
        report_pose(robot.found)
    for thing in request.world.things:
        name = claims.claim(thing.link.name.replace("::", "_"))
        called = replace(thing, link=replace(thing.link, name=name))
        models.append(ModelFile(name=name, write=partial(write_thing, request.around, called)))
    return write_sdf_world(request, models, names)


_SDF = _Format(
    kind=SDF_WRITER,
    write=_write_sdf,
    solids=(Ellipsoid, Cone, Extrusion),
    shown=False,
)
_MUJOCO = _Format(kind=MJCF, write=write_mujoco_world, solids=(Ellipsoid,), keeps_seats=True)
_FORMATS = {
    ".wbt": _Format(kind=WEBOTS, write=write_webots_world),
    ".sdf": _SDF,
    ".world": _SDF,
    ".xml": _MUJOCO,
    ".mjcf": _MUJOCO,
}
WORLD_SUFFIXES = tuple(_FORMATS)
_READ = 0.4
"""Share of the work that it takes to read the objects."""
_NAMING = ("positions", "collision_overrides")
"""Options whose entries begin with the name of a joint or link."""


def export_world(
    path: AnyPath,
    *,
    objects: Any = None,
    strict: bool = False,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Written:
    """Writes a world in the format of the suffix of `path`: for Webots (.wbt), with PROTOs and
    meshes beside it; SDF (.sdf, .world) or MuJoCo (.xml, .mjcf), with their meshes beside them.

    In it are the robots of the scene at their places and in their poses, all objects with faces
    that are rendered and belong to no robot, the lights, the camera, the background and gravity.
    `objects` chooses some of them: objects of Blender, their names, or results of import_robot;
    the armature of a robot is the robot, and lights are objects too. Objects are static, unless
    they are active rigid bodies. `options` are the format's own; joints and links in them may be
    any robot's.

    Raises the errors of export_robot; nothing is written then.
    """
    steps = export_world_steps(
        path, objects=objects, strict=strict, options=options, diagnostics=diagnostics
    )
    return finish(steps)


def export_world_steps(
    path: AnyPath,
    *,
    objects: Any = None,
    strict: bool = False,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Generator[Progress, None, Written]:
    """Runs export_world in steps, for progress bars; closed before its end it writes nothing."""
    from .blender.extract import extract_surroundings

    place, form = Path(path), _find_form(path)
    chosen = fit_options(options, form.kind)
    diagnostics = diagnostics_of(diagnostics, path)
    armatures, others = _choose(objects)
    opened = [open_export(each, chosen, diagnostics.about(""), strict=strict) for each in armatures]
    _check_names([each.robot for each in opened], chosen)
    opened = [replace(each, options=_own(each.robot, chosen)) for each in opened]
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="urdf-importer-"))
        shown = yield from relay(
            extract_surroundings(others, Path(folder), diagnostics),
            lambda step: replace(step, share=_READ * step.share),
        )
        if not armatures and not shown.world.things:
            raise WriteError("the scene has neither robots nor objects that a world could hold")
        names = Claims(taken=[each.link.name for each in shown.world.things])
        parts, done, found = 2 * len(armatures) + len(shown.world.things) + 1, count(1), []

        def show(name: str) -> Progress:
            share = min(next(done) / parts, 1.0)
            return Progress(share=_READ + (1.0 - _READ) * share, text=name)

        for armature, each in zip(armatures, opened, strict=True):
            yield show(armature.name)
            robot = stack.enter_context(_open_shown(each, form))
            found.append(WorldRobot(name=names.claim(armature.name), found=robot))
        bare = open_export(Robot(name=place.stem, links=()), chosen, diagnostics, strict=strict)
        files = bare.files.with_shown(shown.shapes, shown.images)
        bare = replace(bare, options=_own(bare.robot, chosen), files=files)
        around, world = _draw_things(bare, shown.world, form)
        request = WorldRequest(
            path=place, robots=found, around=around, world=world, names=shown.names
        )
        return (yield from relay(form.write(request), show))


def _find_form(path: AnyPath) -> _Format:
    found = _FORMATS.get(Path(path).suffix.lower())
    if found is None:
        raise WriteError(
            f"cannot write {quote_path(path)}: the name of a world must end in "
            f"{name_choices(WORLD_SUFFIXES)}"
        )
    return found


def find_world_format(path: Path) -> WriterFormat[Any]:
    """Returns the format of a world's file, whose options are the world's. Its suffix is one of
    WORLD_SUFFIXES."""
    return _FORMATS[path.suffix.lower()].kind


def _choose(objects: Any) -> tuple[list[Any], list[Any] | None]:
    """Returns the armatures of robots among the objects that are given, and the others; all robots,
    and None, where nothing is."""
    from ...core.blender.scene_objects import choose_objects
    from ...core.blender.standing.robot_table import list_robots

    robots = list_robots()
    if objects is None:
        return robots, None
    several = objects if isinstance(objects, list | tuple | set | frozenset) else [objects]
    chosen = list(choose_objects([getattr(each, "armature", each) for each in several]))
    others = [each for each in chosen if each not in robots]
    return [each for each in chosen if each in robots], others


def _open_shown(found: OpenExport[Any], form: _Format) -> AbstractContextManager[OpenExport[Any]]:
    if not form.shown:
        return nullcontext(found)
    return found.as_shown(keeps_seats=form.keeps_seats, solids=form.solids)


def _draw_things(
    bare: OpenExport[Any], world: Surroundings, form: _Format
) -> tuple[OpenExport[Any], Surroundings]:
    """Returns the things as links of one robot, and in the world, with meshes in the place of the
    shapes that a format does not know."""
    robot = replace(bare.robot, links=tuple(each.link for each in world.things))
    robot = bare.files.draw(robot, (Mesh, *form.solids))
    pairs = zip(world.things, robot.links, strict=True)
    things = tuple(replace(thing, link=link) for thing, link in pairs)
    return replace(bare, robot=robot), replace(world, things=things)


def _own(robot: Robot, options: Any) -> Any:
    """Returns the options as one robot has them: entries about its own joints and links."""
    known = names_of(robot)
    changed: dict[str, Any] = {
        name: tuple(pair for pair in getattr(options, name) if pair[0] in known)
        for name in _NAMING
        if hasattr(options, name)
    }
    if getattr(options, "tool_slot", "") not in known:
        changed |= {"tool_slot": ""} if hasattr(options, "tool_slot") else {}
    return replace(options, **changed)


def _check_names(robots: Sequence[Robot], options: Any) -> None:
    """Raises KinematicsError for a name in the options that no robot has."""
    known = {name for robot in robots for name in names_of(robot)}
    wanted = [pair[0] for name in _NAMING for pair in getattr(options, name, ())]
    wanted += filter(None, [getattr(options, "tool_slot", "")])
    for name in wanted:
        if name not in known:
            raise unknown_name("no robot has a joint or link", name, known)
