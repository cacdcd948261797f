# SPDX-License-Identifier: GPL-3.0-or-later
"""The format USD: stages with articulations of UsdPhysics."""

import os
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from ....core.diagnostics import Diagnostics, NoLinksError, ReadError, quote
from ....core.files.packages import PackageResolver
from ....core.files.regular import FileKind
from ....core.meshes import RobotFiles
from ....core.model import Robot
from ....core.readers.formats import Description, ReaderFormat
from ..meshes import USD_SUFFIXES, permit_file
from ..stages import UsdStage, Variants, open_stage
from .articulations import Articulation, find_articulations
from .joints import draft_joint
from .robot import make_robot
from .scene import UsdScene
from .shapes import ShapeReader

_MOST_NAMED = 12
_ISAAC_JOINTS = "isaac:physics:robotJoints"


def read_usd(given: Description) -> Robot:
    """Reads the articulation of a stage or, of several, the one in options.model. Raises
    ReadError."""
    diagnostics = given.diagnostics
    if not diagnostics.source:
        diagnostics.source = given.source
    stage = _open(given.source, given.resolver, given.options.variants)
    scene = UsdScene(stage, diagnostics)
    _report_stage(scene)
    found = _find(scene)
    chosen = _choose(found, given.options.model, given.source)
    folder, filename = os.path.split(os.path.abspath(given.source))
    shapes = ShapeReader(scene, folder, filename, given.options.variants)
    robot = make_robot(chosen, scene, shapes, RobotFiles(given.resolver, Diagnostics()))
    if len(robot.links) > given.options.max_links:
        raise ReadError(f"the robot has {len(robot.links)} links", source=given.source)
    return robot


def _open(source: str, resolver: PackageResolver, variants: Variants) -> UsdStage:
    def resolve(path: str, kind: FileKind) -> Path:
        return resolver.resolve_file(path, lambda code, message: None, kind=kind)

    stage = open_stage(source, partial(permit_file, resolve), variants)
    for each in map(":=".join, variants):
        if each not in stage.variants:
            has = f"; it has {_list(stage.variants)}" if stage.variants else ""
            raise ReadError(f"the stage has no variant {quote(each)}{has}", source=source)
    return stage


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(map(quote, names[:_MOST_NAMED]))
    return shown + (f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else "")


def _find(scene: UsdScene) -> list[Articulation]:
    joints = [
        draft_joint(prim, scene)
        for prim in scene.stage.prims.values()
        if prim.kind.startswith("Phys") and prim.kind.endswith("Joint")
    ]
    if not scene.bodies:
        raise NoLinksError(
            "the stage has no rigid bodies: no prim has PhysicsRigidBodyAPI",
            source=scene.stage.path,
        )
    places = _list_in_order(scene)
    found = sorted(filter(None, joints), key=lambda each: places.get(each.prim.path, len(places)))
    return find_articulations(scene, found)


def _list_in_order(scene: UsdScene) -> dict[str, int]:
    """Returns path -> place of the joints that Isaac Sim's schema of robots lists in their order.
    All others come after these, in the order of the file."""
    lists = (each.targets.get(_ISAAC_JOINTS, ()) for each in scene.stage.prims.values())
    return {path: place for place, path in enumerate(chain.from_iterable(lists))}


def _report_stage(scene: UsdScene) -> None:
    stage = scene.stage
    for name in stage.missing:
        scene.diagnostics.error(
            "usd-missing-layer", f"{quote(name)} is not there; the stage is read without it"
        )
    moving = next((each for each in scene.bodies.values() if each.varies), None)
    if moving is not None:
        scene.warning(
            "usd-time-samples",
            "the stage has motion over time; it is read as it is at no time",
            moving,
        )


def _choose(found: list[Articulation], wanted: str, source: str) -> Articulation:
    names = [each.name for each in found]
    shown = _list(names)
    if wanted:
        chosen = next((each for each in found if each.name == wanted), None)
        if chosen is not None:
            return chosen
        raise ReadError(f"the stage has no model {quote(wanted)}; it has {shown}", source=source)
    if len(found) > 1:
        raise ReadError(
            f"the stage has {len(found)} models: {shown}; name the one to be read with the option "
            "model",
            source=source,
        )
    return found[0]


def list_articulations(given: Description) -> tuple[str, ...]:
    """Returns the names of the articulations in a stage, in their order. Raises ReadError."""
    stage = _open(given.source, given.resolver, given.options.variants)
    scene = UsdScene(stage, given.diagnostics)
    return tuple(each.name for each in _find(scene))


USD = ReaderFormat(
    name="usd",
    label="USD",
    description="Load robots of Isaac Sim, Newton and other simulators that use USD with physics "
    "as armatures: a bone for each moving joint, and an empty in the frame of each body",
    suffixes=USD_SUFFIXES,
    roots=(),
    starts=(b"#usda ", b"PXR-USDC"),
    read=read_usd,
    list_models=list_articulations,
)
