# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots to game engines: (build ->) plan the skeleton -> let Blender write it."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...core.diagnostics import RobotError, WriteError, advise_blender, name_choices, quote
from ...core.files.outputs import check_output, replace_files
from ...core.kinematics.tree import KinematicTree, plan_tree, retrace_tree
from ...core.model import Cone, Robot
from ...core.options import ImportOptions
from ...core.pipeline.hooks import fit_robot
from ...core.progress import Progress, finish
from ...core.rig import plan_rig
from ...core.writers.formats import (
    OpenExport,
    OutputKind,
    WriterFormat,
    Written,
    count_tree,
    report_springs,
)
from ..usd.write import write_articulation
from ..usd.write.options import EngineOptions as EngineOptions
from .skeleton import FORWARD, clean_name, plan_skeleton
from .write.gltf import share_weights
from .write.physics import describe_bones, write_physics


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EngineExport(Written):
    """The result of an export to a game engine.

    bones       link -> its bone, or its body in USD with physics; of a fixed link without one, its
                carrier's
    animations  the names of the clips, in the order of the file
    """

    bones: dict[str, str]
    animations: tuple[str, ...]


def _write(found: OpenExport[EngineOptions], path: Path) -> EngineExport:
    return finish(_write_steps(found, path))


def _write_steps(
    found: OpenExport[EngineOptions], path: Path
) -> Generator[Progress, None, EngineExport]:
    options = found.options
    _check_path(path)
    if path.suffix.lower().startswith(".usd") and options.is_articulation:
        with found.as_shown(solids=(Cone,)) as shown:
            return _write_articulation(shown, path)
    found.report_open_loops(ENGINES.label)
    shares, frames = options.shares, options.chosen_frames
    with _rig_of(found) as (armature, tree), replace_files(path.parent) as folder:
        from .blender.export import export_rig_steps
        from .blender.files import EngineWishes

        skeleton = plan_skeleton(
            tree, sockets=options.sockets, forward=options.front, scale=options.scale
        )
        wishes = EngineWishes(
            every_action=options.actions == "all",
            frames=frames,
            shares=shares,
            textures=options.textures,
            linear_colors=options.engine == "unreal",
            properties=describe_bones(tree, skeleton.bones_of, skeleton.carriers)
            if options.extras
            else {},
        )
        place = folder / path.name
        clips = yield from export_rig_steps(armature, skeleton, wishes, place, found.diagnostics)
        if path.suffix.lower() in (".glb", ".gltf"):
            for each in folder.glob(f"*{path.suffix}"):
                share_weights(each)
        if options.extras:
            text = write_physics(tree, skeleton.carriers, options.scale, found.files)
            place.with_suffix(".physics.json").write_text(text, "utf-8")
        made = found.list_made(folder, path.parent)
    return EngineExport(
        path=path,
        files=tuple(dict.fromkeys((path, *made))),
        robot=found.robot.name,
        facts=count_tree(tree) | {"bones": len(skeleton.bones), "animations": list(clips)},
        diagnostics=tuple(found.diagnostics),
        bones=dict(skeleton.bones_of),
        animations=clips,
    )


def _check_path(path: Path) -> None:
    """Raises WriteError for a name by which no format is meant, and where nothing can be
    written."""
    suffixes = [kind.suffix for kind in ENGINES.kinds]
    if path.suffix.lower() not in suffixes:
        raise WriteError(
            f"cannot write {quote(path.name)}: the name must end in {name_choices(suffixes)}"
        )
    check_output(path)


def _write_articulation(found: OpenExport[EngineOptions], path: Path) -> EngineExport:
    """Writes USD with physics, for which no Blender is needed."""
    report_springs(found.robot.joints, "USD", found.diagnostics)
    described = found.armature is None
    tree = plan_tree(found.robot, found.diagnostics) if described else retrace_tree(found.robot)
    with replace_files(path.parent) as folder:
        turn = FORWARD[found.options.front]
        machine = write_articulation(found, tree, turn, folder / path.name)
        made = found.list_made(folder, path.parent)
    facts = {"bones": len(machine.bodies), "animations": []}
    return EngineExport(
        path=path,
        files=tuple(dict.fromkeys((path, *made))),
        robot=found.robot.name,
        facts=count_tree(tree) | facts,
        diagnostics=tuple(found.diagnostics),
        bones={link: home for link, (home, _) in machine.carriers.items()},
        animations=(),
    )


@contextmanager
def _rig_of(found: OpenExport[EngineOptions]) -> Iterator[tuple[Any, KinematicTree]]:
    """Gives the rig to be written and its tree; for a description a temporary rig. Raises
    RobotError where there is no Blender."""
    if found.armature is not None:
        yield found.armature, retrace_tree(_fit(found))
        return
    try:
        from ...core.blender.build.build import build_rig
        from .blender.stage import working_apart
    except ImportError as missing:
        raise RobotError(
            "files of game engines are written by Blender, which this Python does not have: "
            f"{advise_blender()}"
        ) from missing
    robot = _fit(found)
    bare = replace(_BARE, collisions=robot.shows_collisions)
    plan = plan_rig(robot, options=bare, diagnostics=found.diagnostics)
    with working_apart():
        armature = finish(build_rig(plan, bare, found.files)).armature
        yield armature, plan.tree


def _fit(found: OpenExport[EngineOptions]) -> Robot:
    return finish(fit_robot(found.robot, found.files, found.options, found.diagnostics))


_BARE = ImportOptions(
    collisions=False, inertials=False, bone_shapes=False, share_data=False, fixed_joints="fold"
)
"""How descriptions are built for an export: no more than can be seen."""


def _suggest_name(name: str) -> str:
    return clean_name(name).strip("_-") or "robot"


ENGINES = WriterFormat(
    name="engines",
    label="Engines",
    title="Game Engines",
    text="a skinned, animated robot for game engines (.glb, .gltf, .fbx, .usd, .usda, .usdc, "
    ".usdz)",
    description="Write the active robot for game engines and the web, as it moves in the scene: "
    "one mesh on a clean skeleton, upright and at its true size",
    kinds=tuple(
        OutputKind(name=name, label=label, suffix=f".{name.lower()}", text=text, suits=suits)
        for name, label, text, suits in (
            ("GLB", "glTF Binary", "One file: Godot, web", ("generic", "godot", "web")),
            ("GLTF", "glTF", "Text, with files beside it", ()),
            ("FBX", "FBX", "Unreal Engine and Unity", ("unreal", "unity")),
            ("USD", "USD", "Omniverse and Isaac Sim", ("isaac",)),
            ("USDA", "USD Text", "USD as text", ()),
            ("USDC", "USD Binary", "USD as binary data", ()),
            ("USDZ", "USDZ", "USD with its images, one file", ()),
        )
    ),
    options=EngineOptions,
    write=_write,
    write_steps=_write_steps,
    suggest_name=_suggest_name,
    purpose="for Engines",
    operator="robot_for_engines",
)
