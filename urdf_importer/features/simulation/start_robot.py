# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot of the scene as a simulation starts it: its place, its pose, its motors, its file."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ...core.diagnostics import Diagnostics, KinematicsError, quote
from ...core.geometry.transforms import Matrix, matrix_from_pose, pose_of
from ...core.kinematics.forward import AT_REST, motion_matrix, place_links
from ...core.kinematics.loops import start_closed
from ...core.kinematics.tree import KinematicTree, retrace_tree
from ...core.meshes.robot_files import Shape, ShownShape
from ...core.model import Collision, Ellipsoid, Robot, Semantics
from ...core.names import find_free
from ...core.pipeline.opening import open_export
from ...core.writers.formats import OpenExport
from ...formats.mjcf.write.export import export_mjcf, find_freedom
from ...formats.mjcf.write.options import MjcfOptions
from ..collisions.parts import TestedPart, make_part
from ..motion.trajectory import Numbers
from .motions import hold, scale_base
from .motors import find_efforts
from .options import SimulationOptions
from .shapes import find_lowest
from .states import Experiment, Position, RobotFile, StartedRobot

_BELOW = 1e-4
"""Metres that a robot may reach below the floor at the start without a word."""
Parts = Mapping[str, tuple[TestedPart, ...]]


def begin_robot(armature: Any, experiment: Experiment) -> StartedRobot:
    """Reads a robot as it is in the scene, beside the robots that an experiment has, and writes it
    where the engine is MuJoCo."""
    from ...core.blender.standing.pose import get_joint_positions
    from .blender.keying import read_base

    base, scale = read_base(armature)
    base[:3, 3] /= scale
    wishes = _choose_form(experiment.options)
    found = open_export(armature, wishes, experiment.diagnostics)
    with found.as_shown(keeps_seats=True, solids=(Ellipsoid,)) as scene:
        semantics, robot, free = found.semantics(), found.robot, get_joint_positions(armature)
        if experiment.options.base == "fixed":
            robot = hold_free(robot, free)
            scene = replace(scene, robot=hold_free(scene.robot, free))
        tree = retrace_tree(robot)
        shown, parts = _let_visuals_collide(scene)
        is_free = find_freedom(wishes, semantics, tree)
        positions = _find_positions(tree, free, experiment)
        if not (is_free or positions):
            raise KinematicsError(
                f"robot {quote(tree.robot.name)} is fixed and has no joints, so nothing can move"
            )
        guide = _read_guide(armature, scale, experiment)
        if is_free and guide is None:
            base[2, 3] += _find_lift(tree, parts, positions, base, experiment)
        name = _name(tree.robot.name or armature.name, experiment)
        file = _write(shown, base, semantics, experiment) if experiment.engine == "mujoco" else None
    targets, efforts = _plan_motors(armature, find_efforts(tree, semantics), positions, experiment)
    disabled = semantics.disabled_collisions if semantics is not None else ()
    return StartedRobot(
        name=name,
        armature=armature,
        tree=tree,
        parts=parts,
        apart=[(each.link1, each.link2) for each in disabled],
        positions=positions,
        base=base,
        scale=scale,
        is_free=is_free,
        targets=targets,
        efforts=efforts,
        file=file,
        guide=guide,
    )


def _read_guide(armature: Any, scale: float, experiment: Experiment) -> Numbers | None:
    """Returns where a base that its keys move is in all frames, in metres of the robot."""
    if experiment.options.base != "keyed":
        return None
    from .blender.keying import read_shown

    shown = read_shown(armature, experiment.first, experiment.count)
    return scale_base(shown.base, 1.0 / scale)


def hold_free(robot: Robot, positions: Mapping[str, Position]) -> Robot:
    """Returns a robot whose links that are free in the world are fixed where they are, by these
    positions."""
    tree = retrace_tree(robot)
    held = {}
    for motion, parent in zip(tree.motions, tree.parents, strict=True):
        if motion is not None and motion.kind == "floating" and tree.parents[parent] < 0:
            joint = motion.joint
            moved = motion_matrix(motion, positions.get(joint.name, AT_REST["floating"]))
            origin = pose_of(matrix_from_pose(joint.origin) @ moved)
            held[joint.name] = replace(joint, type="fixed", origin=origin)
    return replace(robot, joints=tuple(held.get(each.name, each) for each in robot.joints))


def _find_positions(
    tree: KinematicTree, shown: Mapping[str, Position], experiment: Experiment
) -> dict[str, Position]:
    """Returns the shown positions of the joints that are not held, with loops closed."""
    # The writer for MuJoCo closes them too, and reports loops that stay open.
    heard = experiment.diagnostics if experiment.engine == "bullet" else Diagnostics()
    moving = {each.joint.name for each in tree.joint_motions if each.moves or each.is_locked}
    standing = {name: each for name, each in shown.items() if name in moving}
    return {**start_closed(tree, standing, heard)}


def find_free_base(armature: Any, options: SimulationOptions) -> str:
    """Finds the link that a robot moves by as a whole in a simulation: the child of a floating or
    planar joint at the root, else the root; empty where the base is fixed or moves by keys."""
    if options.base in ("fixed", "keyed"):
        return ""
    from ...core.blender.semantics.record import find_semantics
    from ..ik.blender.solve import recall_rig

    tree = recall_rig(armature).tree
    root = tree.links[0].name
    on_root = (each for each in tree.robot.joints if each.parent == root)
    moving = (each.child for each in on_root if each.type in ("floating", "planar"))
    is_free = find_freedom(_choose_form(options), find_semantics(armature), tree)
    return next(moving, root if is_free else "")


def _choose_form(options: SimulationOptions) -> MjcfOptions:
    """Returns the form of a robot's file. A height means that the robot falls."""
    falls = options.base == "auto" and options.height is not None
    return MjcfOptions(
        base="free" if falls or options.base == "keyed" else options.base,
        visuals=False,
        sensors=False,
        actuators="none",
        rotor_inertia=options.rotor_inertia,
    )


def _plan_motors(
    armature: Any,
    efforts: Mapping[str, float],
    positions: Mapping[str, Position],
    experiment: Experiment,
) -> tuple[dict[str, Numbers], Mapping[str, float]]:
    """Returns the targets of motors in all frames, and their efforts."""
    from .blender.keying import read_shown

    if experiment.options.motors == "off":
        return {}, {}
    first, count = experiment.first, experiment.count
    shown = {name: hold(positions[name], count) for name in efforts if name in positions}
    if experiment.options.motors == "follow":
        found = read_shown(armature, first, count).positions
        shown = {name: found[name] for name in shown}
    return shown, efforts


def _name(stem: str, experiment: Experiment) -> str:
    """Returns a name that no other robot has."""
    taken = {"scene", *(robot.name for robot in experiment.robots)}
    return find_free(stem, taken.__contains__)


def _let_visuals_collide(found: OpenExport[MjcfOptions]) -> tuple[OpenExport[MjcfOptions], Parts]:
    """Returns the robot with visuals as collisions of links that have none, and all these shapes
    by their links."""
    links, shown, parts, changed = [], [], {}, []
    for link in found.robot.links:
        collisions = link.collisions
        if not collisions and link.visuals:
            changed.append(link.name)
            collisions = tuple(
                Collision(name=each.name, origin=each.origin, geometry=each.geometry)
                for each in link.visuals
            )
        links.append(replace(link, collisions=collisions))
        own, sources = [], cast("tuple[Shape, ...]", link.collisions or link.visuals)
        for shape, source in zip(collisions, sources, strict=True):
            data = found.files.load_or_report(source, link)
            shown.append(ShownShape(shape=shape, data=data))
            if data is not None:
                own.append(make_part(link.name, shape, data))
        if own:
            parts[link.name] = tuple(own)
    if changed:
        found.diagnostics.warning(
            "visuals-collide",
            f"links without collision shapes ({len(changed)}, such as {quote(changed[0])}): the "
            "hulls of their visuals collide in this simulation",
            subject=changed[0],
        )
        robot = replace(found.robot, links=tuple(links))
        found = replace(found, robot=robot, files=found.files.with_shown(shown, ()))
    return found, parts


def _find_lift(
    tree: KinematicTree,
    parts: Parts,
    positions: Mapping[str, Position],
    base: Matrix,
    experiment: Experiment,
) -> float:
    """Returns by how much a robot is lifted before it falls."""
    frames, options = place_links(tree, positions), experiment.options
    heights = [
        find_lowest(part.shape.geometry, part.vertices, base @ frames[link], part.origin)
        for link, own in parts.items()
        for part in own
    ]
    name, lowest = tree.robot.name, min(heights, default=0.0)
    if not heights:
        experiment.diagnostics.warning(
            "nothing-collides",
            f"robot {quote(name)} has no shapes, so nothing stops its fall",
            subject=name,
        )
        return 0.0
    if options.height is not None:
        return options.height - lowest
    if lowest >= -_BELOW or not options.floor:
        return 0.0
    experiment.diagnostics.warning(
        "starts-below-floor",
        f"robot {quote(name)} reaches {-lowest:.4g} m below the floor at the start; it is lifted "
        "onto it",
        subject=name,
    )
    return -lowest


def _write(
    found: OpenExport[MjcfOptions],
    base: Matrix,
    semantics: Semantics | None,
    experiment: Experiment,
) -> RobotFile:
    """Writes a robot for MuJoCo, at its place; its text is read back, its meshes stay."""
    pose = pose_of(base)
    placed = replace(found, options=replace(found.options, translation=pose.xyz, rotation=pose.rpy))
    stem = Path(experiment.options.model).stem or "simulation"
    path = experiment.folder / f"{stem}_{len(experiment.robots) + 1}.xml"
    written = export_mjcf(placed, path, semantics)
    text = path.read_text(encoding="utf-8")
    path.unlink()
    folder = f"{path.stem}_assets"
    return RobotFile(
        text=text,
        folder=folder if (path.parent / folder).is_dir() else "",
        bodies=written.bodies,
        joints=written.joints,
    )
