# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds out: the robots of the scene and all around them -> one file."""

import tempfile
from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from ...core.arguments import diagnostics_of
from ...core.diagnostics import Diagnostics, WriteError, name_choices, quote_path, unknown_name
from ...core.files.packages import AnyPath
from ...core.model import Mesh, Robot, Solid
from ...core.model.world import Surroundings
from ...core.names import Claims
from ...core.options import FileOptions
from ...core.pipeline.exporting import fit_options
from ...core.pipeline.formats import writer_formats
from ...core.pipeline.opening import open_export
from ...core.progress import Progress, finish, relay
from ...core.writers.formats import (
    OpenExport,
    WorldRequest,
    WorldRobot,
    WorldWriter,
    WriterFormat,
    Written,
)

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

    place = Path(path)
    format, form = find_world_format(place)
    chosen = fit_options(options, format)
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
            robot = stack.enter_context(form.open_robot(each))
            found.append(WorldRobot(name=names.claim(armature.name), found=robot))
        bare = open_export(Robot(name=place.stem, links=()), chosen, diagnostics, strict=strict)
        files = bare.files.with_shown(shown.shapes, shown.images)
        bare = replace(bare, options=_own(bare.robot, chosen), files=files)
        around, world = _draw_things(bare, shown.world, form.solids)
        wish = WorldRequest(path=place, robots=found, around=around, world=world, names=shown.names)
        written: Written = yield from relay(form.write(wish), show)
        return written


def world_suffixes() -> list[str]:
    """Returns the suffixes of worlds, with their dots, in the order of menus."""
    return [suffix for each in writer_formats() for suffix in each.world_suffixes]


def find_world_format(path: Path) -> tuple[WriterFormat[Any], WorldWriter[Any]]:
    """Returns the format of a world's file, whose options are the world's, and how it writes
    worlds. Raises WriteError."""
    for each in writer_formats():
        if each.write_world is not None and path.suffix.lower() in each.world_suffixes:
            return each, each.write_world
    raise WriteError(
        f"cannot write {quote_path(path)}: the name of a world must end in "
        f"{name_choices(world_suffixes())}"
    )


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


def _draw_things(
    bare: OpenExport[Any], world: Surroundings, solids: Iterable[type[Solid]]
) -> tuple[OpenExport[Any], Surroundings]:
    """Returns the things as links of one robot, and in the world, with meshes in the place of the
    shapes that a format does not know."""
    robot = replace(bare.robot, links=tuple(each.link for each in world.things))
    robot = bare.files.draw(robot, (Mesh, *solids))
    pairs = zip(world.things, robot.links, strict=True)
    things = tuple(replace(thing, link=link) for thing, link in pairs)
    return replace(bare, robot=robot), replace(world, things=things)


def _own(robot: Robot, options: Any) -> Any:
    """Returns the options as one robot has them: entries about its own joints and links."""
    known = robot.names()
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
    known = {name for robot in robots for name in robot.names()}
    wanted = [pair[0] for name in _NAMING for pair in getattr(options, name, ())]
    wanted += filter(None, [getattr(options, "tool_slot", "")])
    for name in wanted:
        if name not in known:
            raise unknown_name("no robot has a joint or link", name, known)
