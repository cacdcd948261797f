# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot of the scene as a simulation starts it: its place, its pose, its motors, its file."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..diagnostics import Diagnostics, quote
from ..geometry.transforms import Matrix, matrix_from_pose, pose_of
from ..kinematics.forward import place_links
from ..kinematics.tree import KinematicTree, plan_tree
from ..meshes.robot_files import ShownShape
from ..model import Collision, Ellipsoid, Link, Robot, Semantics, Visual
from ..motion.trajectory import Numbers
from ..simulation.motors import find_efforts
from ..simulation.options import SimulationOptions
from ..simulation.shapes import find_lowest
from ..simulation.states import Position, StartedRobot
from ..simulation.world import RobotFile
from ..writers.formats import OpenExport
from ..writers.mjcf.export import export_mjcf, find_freedom
from ..writers.mjcf.options import MjcfOptions
from .exporting import open_export

_BELOW = 1e-4
"""Metres below the floor at the start that nothing is said of."""
_RESERVED = ("scene",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """The wishes for a simulation: its options, how many states it has, a folder for files, and
    whether robots are written there for MuJoCo."""

    options: SimulationOptions
    count: int
    folder: Path
    writes: bool
    diagnostics: Diagnostics


def begin_robot(
    armature: Any, begun: Beginning, *, taken: Collection[str] = ()
) -> tuple[StartedRobot, RobotFile | None]:
    """Reads a robot as it is in the scene, and writes it for MuJoCo. `taken` are the names of other
    robots."""
    from ..blender.simulating.keying import read_base, read_shown
    from ..blender.standing.pose import get_joint_positions

    options, diagnostics = begun.options, begun.diagnostics
    base, scale = read_base(armature)
    base[:3, 3] /= scale
    wishes = MjcfOptions(
        base="free" if options.base == "auto" and options.height is not None else options.base,
        visuals=False,
        sensors=False,
        actuators="none",
        rotor_inertia=options.rotor_inertia,
    )
    found = open_export(armature, wishes, diagnostics)
    with found.as_shown(keeps_seats=True, solids=(Ellipsoid,)) as scene:
        semantics = found.semantics()
        shown = _let_visuals_collide(scene)
        tree = plan_tree(shown.robot, Diagnostics())
        is_free = find_freedom(wishes, semantics, tree)
        positions = get_joint_positions(armature)
        if is_free:
            base[2, 3] += _find_lift(shown, tree, positions, base, options)
        name = _name(shown.robot, armature, taken)
        file = _write(shown, base, semantics, begun, name) if begun.writes else None
    targets, efforts = {}, {}
    if options.motors != "off":
        efforts = find_efforts(tree, semantics)
        follows = options.motors == "follow"
        wanted = read_shown(armature, begun.count)[0] if follows else {}
        targets = {
            joint: wanted[joint] if follows else np.full(begun.count, positions[joint])
            for joint in efforts
            if joint in positions
        }
    return StartedRobot(
        name=name,
        armature=armature,
        robot=found.robot,
        positions=positions,
        base=base,
        scale=scale,
        is_free=is_free,
        targets=targets,
        efforts=efforts,
    ), file


def _name(robot: Robot, armature: Any, taken: Collection[str]) -> str:
    """Returns a name that no other robot has."""
    stem = robot.name or armature.name
    name, number = stem, 1
    while name in taken or name in _RESERVED:
        number += 1
        name = f"{stem}_{number}"
    return name


def _let_visuals_collide(found: OpenExport[MjcfOptions]) -> OpenExport[MjcfOptions]:
    """Returns the robot with visuals as collisions of links that have none."""
    links, shown, changed = [], [], []
    for link in found.robot.links:
        added = () if link.collisions else tuple(map(_to_collision, link.visuals))
        sources = link.visuals if added else link.collisions
        for shape, source in zip(added or link.collisions, sources, strict=True):
            data = found.files.load_or_report(source, link)
            shown.append(ShownShape(shape=shape, data=data))
        changed += [link.name] if added else []
        links.append(replace(link, collisions=added) if added else link)
    if not changed:
        return found
    found.diagnostics.warning(
        "visuals-collide",
        f"links without collision shapes ({len(changed)}, such as {quote(changed[0])}): the "
        "hulls of their visuals collide in this simulation",
        subject=changed[0],
    )
    return replace(
        found,
        robot=replace(found.robot, links=tuple(links)),
        files=found.files.with_shown(shown, ()),
    )


def _to_collision(visual: Visual) -> Collision:
    return Collision(
        name=visual.name, origin=visual.origin, geometry=visual.geometry, line=visual.line
    )


def _find_lift(
    found: OpenExport[MjcfOptions],
    tree: KinematicTree,
    positions: Mapping[str, Position],
    base: Matrix,
    options: SimulationOptions,
) -> float:
    """Returns by how much a robot is lifted before it falls."""
    frames = place_links(tree, positions)
    lowest = min(
        (
            find_lowest(
                each.geometry, points, base @ frames[link.name] @ matrix_from_pose(each.origin)
            )
            for link in tree.links
            for each in link.collisions
            if (points := _points(found, each, link)) is not None
        ),
        default=np.inf,
    )
    if not np.isfinite(lowest):
        return 0.0
    if options.height is not None:
        return options.height - lowest
    if lowest >= -_BELOW or not options.floor:
        return 0.0
    found.diagnostics.warning(
        "starts-below-floor",
        f"robot {quote(tree.robot.name)} reaches {-lowest:.4g} m below the floor at the start; "
        "it is lifted onto it",
        subject=tree.robot.name,
    )
    return -lowest


def _points(found: OpenExport[Any], shape: Collision, link: Link) -> Numbers | None:
    data = found.files.load_or_report(shape, link)
    return None if data is None else data.vertices.astype(np.float64)


def _write(
    found: OpenExport[MjcfOptions],
    base: Matrix,
    semantics: Semantics | None,
    begun: Beginning,
    name: str,
) -> RobotFile:
    """Writes a robot for MuJoCo, at its place; its text is read back, its meshes stay."""
    pose = pose_of(base)
    placed = replace(found, options=replace(found.options, translation=pose.xyz, rotation=pose.rpy))
    stem = Path(begun.options.model).stem or "simulation"
    number = sum(1 for _ in begun.folder.glob("*.robot")) + 1
    path = begun.folder / f"{stem}_{number}.xml"
    written = export_mjcf(placed, path, semantics)
    text = path.read_text(encoding="utf-8")
    path.rename(path.with_suffix(".robot"))
    tree = plan_tree(found.robot, Diagnostics())
    return RobotFile(
        text=text,
        folder=f"{path.stem}_assets" if (begun.folder / f"{path.stem}_assets").is_dir() else "",
        bodies=written.bodies,
        joints=written.joints,
        root=tree.links[0].name,
    )
