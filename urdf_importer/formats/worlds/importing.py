# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds in: read -> robots and things -> build all, or nothing."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...core.arguments import diagnostics_of, options_of
from ...core.diagnostics import Diagnostic, Diagnostics, NoLinksError
from ...core.files.packages import AnyPath, PackageResolver
from ...core.model import Robot
from ...core.model.world import DescribedWorld, PlacedRobot, Thing
from ...core.options import ImportOptions
from ...core.pipeline.files import find_files, open_files
from ...core.pipeline.formats import read_world
from ...core.pipeline.importing import ImportResult, build_steps
from ...core.progress import Progress, finish
from .models import make_thing

_Building = Generator[Progress, None, ImportResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The result of import_world.

    name         the name of the world
    collection   the collection that holds all of it
    robots       the robots, in the order of the file
    objects      name of a model that does not move -> its object
    lights       name of a light -> its object
    camera       the camera; None where the file has none
    diagnostics  everything that was substituted or lost, in the order of the work
    """

    name: str
    collection: Any
    robots: tuple[ImportResult, ...]
    objects: dict[str, Any]
    lights: dict[str, Any]
    camera: Any | None
    diagnostics: tuple[Diagnostic, ...]


def import_world(
    path: AnyPath,
    *,
    options: ImportOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> World:
    """Imports all of a world, SDF or a model of MuJoCo, into the current scene of Blender: models
    with moving joints or sensors as robots, others as objects, all at their places, the lights, the
    camera, the background and gravity.

    `options` count for each robot; `model` and `srdf` belong to single robots, and mean nothing
    here. Raises RobotError (one sentence, with file and line) where the world cannot be made; the
    scene is then unchanged. Everything milder is in the diagnostics.
    """
    return finish(import_world_steps(path, options=options, diagnostics=diagnostics))


def import_world_steps(
    path: AnyPath,
    *,
    options: ImportOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Generator[Progress, None, World]:
    """Runs import_world in steps, for progress bars, as import_steps does."""
    options = replace(options_of(options, ImportOptions), model="", srdf="")
    diagnostics = diagnostics_of(diagnostics, path)
    yield Progress(share=0.0, text="reading")
    resolver = find_files(path, options)
    world = read_world(resolver, options, diagnostics)
    robots, things = sort_models(world, options)
    if not robots and not things and not world.around.lights:
        raise NoLinksError("the world has neither models nor lights", source=resolver.description)
    around = replace(world.around, things=tuple(things))
    build = _Builder(path, replace(world, around=around), resolver, options, diagnostics)
    made = yield from build.run(robots)
    return made


def sort_models(
    world: DescribedWorld, options: ImportOptions
) -> tuple[list[PlacedRobot], list[Thing]]:
    """Returns the models of a world that are robots, and the others as things."""
    robots, things = [], []
    for model in world.models:
        thing = make_thing(model)
        if thing is None or options.static_models == "rigs":
            robots.append(model)
        else:
            things.append(thing)
    return robots, things


@dataclass(frozen=True, slots=True)
class _Builder:
    """Builds a world. Each robot is held at its last step until all is there: closing the steps
    before then leaves nothing of any of them."""

    path: AnyPath
    world: DescribedWorld
    resolver: PackageResolver
    options: ImportOptions
    diagnostics: Diagnostics

    def run(self, robots: Sequence[PlacedRobot]) -> Generator[Progress, None, World]:
        from ...core.blender.standing.whole import delete_robot
        from .blender.build import build_surroundings, gather_world

        notes = [Diagnostics(self.diagnostics.source) for _ in robots]
        pairs = zip(robots, notes, strict=True)
        held: list[_Building] = [self._build(model, found) for model, found in pairs]
        made: list[ImportResult] = []
        things = self._hold_things()
        files = open_files(self.resolver, self.diagnostics, things, self.options)
        around = build_surroundings(self.world.around, things, self.options, files)
        try:
            for number, steps in enumerate(held):
                name = robots[number].robot.name
                yield from _until_last_step(steps, f"{name}: ", number, len(held) + 1)
            yield from _until_last_step(around, "", len(held), len(held) + 1)
            while held:
                made.append(finish(held.pop(0)))
            built = finish(around)
        except BaseException:
            around.close()
            for steps in reversed(held):
                steps.close()
            for result in reversed(made):
                delete_robot(result.armature)
            raise
        finally:
            for found in notes:
                self.diagnostics.extend(found)
        placed = zip([each.armature for each in made], robots, strict=True)
        gather_world(built, [(armature, model.place) for armature, model in placed])
        self._hang(made, built.objects)
        return World(
            name=self.world.name,
            collection=built.collection,
            robots=tuple(made),
            objects=built.objects,
            lights=built.lights,
            camera=built.camera,
            diagnostics=tuple(self.diagnostics),
        )

    def _hang(self, made: Sequence[ImportResult], objects: dict[str, Any]) -> None:
        from .blender.build import hang

        rigs = {each.robot.name: each for each in made}
        items = objects | {name: each.armature for name, each in rigs.items()}
        for tie in self.world.ties:
            if tie.model in items and tie.parent in items:
                links = rigs[tie.parent].links if tie.parent in rigs else {}
                target = links.get(tie.link) or next(iter(links.values()), items[tie.parent])
                hang(items[tie.model], target)

    def _build(self, model: PlacedRobot, found: Diagnostics) -> _Building:
        options = replace(self.options, model=model.robot.name)
        return build_steps(self.path, model.robot, self.resolver, options, found)

    def _hold_things(self) -> Robot:
        """Returns a robot whose links are the things."""
        links = tuple(each.link for each in self.world.around.things)
        return Robot(name=self.world.name, links=links, materials=self.world.materials)


def _until_last_step(
    steps: Generator[Progress, None, Any], prefix: str, number: int, count: int
) -> Iterator[Progress]:
    for progress in steps:
        share = (number + progress.share) / count
        yield Progress(share=share, text=f"{prefix}{progress.text}")
        if progress.share >= 1.0:
            return
