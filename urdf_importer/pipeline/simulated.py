# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot of the scene as a simulation starts it: its place, its pose, its motors, its file."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostics, KinematicsError, quote
from ..geometry.transforms import Matrix, matrix_from_pose, pose_of
from ..kinematics.forward import place_links
from ..kinematics.tree import KinematicTree, retrace_tree
from ..meshes.robot_files import ShownShape
from ..model import Collision, Ellipsoid, Robot, Semantics, Visual
from ..names import find_free
from ..simulation.motors import find_efforts
from ..simulation.options import SimulationOptions
from ..simulation.results import find_root, hold
from ..simulation.shapes import find_lowest
from ..simulation.states import Position, StartedRobot
from ..simulation.world import RobotFile
from ..writers.formats import OpenExport
from ..writers.mjcf.export import export_mjcf, find_freedom
from ..writers.mjcf.options import MjcfOptions
from .exporting import open_export

_BELOW = 1e-4
"""Metres that a robot may reach below the floor at the start without a word."""
_RESERVED = ("scene",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """The wishes for a simulation: its options, how many states it has, a folder for files,
    whether robots are written there for MuJoCo, and whether they show how far they are."""

    options: SimulationOptions
    count: int
    folder: Path
    writes: bool
    live: bool
    diagnostics: Diagnostics


def begin_robot(
    armature: Any, begun: Beginning, *, taken: Collection[str] = ()
) -> tuple[StartedRobot, RobotFile | None]:
    """Reads a robot as it is in the scene, and writes it for MuJoCo. `taken` are the names of other
    robots."""
    from ..blender.simulating.keying import read_base, read_shown
    from ..blender.standing.pose import get_joint_positions

    options = begun.options
    base, scale = read_base(armature)
    base[:3, 3] /= scale
    wishes = _wish(options)
    found = open_export(armature, wishes, begun.diagnostics)
    with found.as_shown(keeps_seats=True, solids=(Ellipsoid,)) as scene:
        semantics = found.semantics()
        shown = _let_visuals_collide(scene)
        tree = retrace_tree(shown.robot)
        is_free = find_freedom(wishes, semantics, tree)
        positions = get_joint_positions(armature)
        if not (is_free or positions):
            raise KinematicsError(
                f"robot {quote(shown.robot.name)} is fixed and has no joints, so nothing can move"
            )
        if is_free:
            base[2, 3] += _find_lift(shown, tree, positions, base, options)
        name = _name(shown.robot, armature, taken)
        file = _write(shown, base, semantics, begun, name) if begun.writes else None
    efforts = {} if options.motors == "off" else find_efforts(tree, semantics)
    shows = read_shown(armature, begun.count)[0] if options.motors == "follow" else {}
    targets = {
        joint: shows[joint] if joint in shows else hold(positions[joint], begun.count)
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


def _wish(options: SimulationOptions) -> MjcfOptions:
    """Returns how a robot is written for MuJoCo: a height means that it falls."""
    falls = options.base == "auto" and options.height is not None
    return MjcfOptions(
        base="free" if falls else options.base,
        visuals=False,
        sensors=False,
        actuators="none",
        rotor_inertia=options.rotor_inertia,
    )


def _name(robot: Robot, armature: Any, taken: Collection[str]) -> str:
    """Returns a name that no other robot has."""
    return find_free(robot.name or armature.name, {*taken, *_RESERVED}.__contains__)


def _let_visuals_collide(found: OpenExport[MjcfOptions]) -> OpenExport[MjcfOptions]:
    """Returns the robot with visuals as collisions of links that have none."""
    links, shown, changed = [], [], []
    for link in found.robot.links:
        added = () if link.collisions else tuple(map(_to_collision, link.visuals))
        sources: tuple[Visual | Collision, ...] = link.visuals if added else link.collisions
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
    heights = [
        find_lowest(each.geometry, data.vertices, base @ frames[link.name] @ place)
        for link in tree.links
        for each in link.collisions
        if (data := found.files.load_or_report(each, link)) is not None
        and len(place := matrix_from_pose(each.origin))
    ]
    if not heights:
        found.diagnostics.warning(
            "nothing-collides",
            f"robot {quote(tree.robot.name)} has no shapes, so nothing stops its fall",
            subject=tree.robot.name,
        )
        return 0.0
    lowest = min(heights)
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
    return RobotFile(
        text=text,
        folder=f"{path.stem}_assets" if (begun.folder / f"{path.stem}_assets").is_dir() else "",
        bodies=written.bodies,
        joints=written.joints,
        root=find_root(found.robot),
    )
